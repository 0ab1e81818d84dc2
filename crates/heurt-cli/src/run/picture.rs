//! Picture of a world: its bodies, contacts with their normals, and impulses.

use super::video::Filmed;
use crate::Failure;
use crate::picture::PictureArguments;
use crate::section_option::cut_open;
use crate::units::Units;
use heurt::geometry::{Aabb, Camera, Vec3};
use heurt::io::LengthUnit;
use heurt::scene::describe::some_of;
use heurt::scene::{NameFault, NameIndex};
use heurt::shape::Shape;
use heurt::view::palette::{GREEN, ORANGE, PURPLE, SKY, VERMILION, body_colour};
use heurt::view::picture::{Caption, Drawing, Floor, LegendEntry, frame_within};
use heurt::view::{SurfaceOptions, surface_of};
use heurt::world::{Body, BodyId, Kind, World};
use std::collections::BTreeMap;

/// Half the side of the box that is shown around a body, in half diagonals of its box.
const SURROUNDINGS: f64 = 1.6;
/// Grey of half-spaces, lighter than bodies.
const FLOOR: [u8; 3] = [0xd2, 0xd7, 0xdc];
/// Grey of bodies that stay.
const STATIC: [u8; 3] = [0x9a, 0xa2, 0xab];

/// Draws the world as it is and writes the picture, if a file is named.
pub(super) fn write(
    world: &World,
    title: &str,
    arguments: &PictureArguments,
    followed: Option<BodyId>,
    is_quiet: bool,
) -> Result<(), Failure> {
    if arguments.path().is_none() {
        return Ok(());
    }
    let (mut drawing, bounds, up) = (draw_world(world), bounds_of(world), up_of(world));
    cut_open(&mut drawing, arguments, (&bounds, up), Units(Some(LengthUnit::Metre)))?;
    let caption = caption_of(world, title);
    match followed {
        None => arguments.write(&drawing, &bounds, up, &caption, is_quiet),
        Some(body) => {
            let camera = camera_at(world, body, arguments, arguments.size())?;
            arguments.write_from(&camera, &drawing, &caption, is_quiet)
        }
    }
}

/// A world in a video.
pub(super) struct FilmedWorld<'w> {
    pub(super) world: &'w World,
    pub(super) title: &'w str,
    /// The body that stays in the middle.
    pub(super) followed: Option<BodyId>,
}

impl Filmed for FilmedWorld<'_> {
    fn time(&self) -> f64 {
        self.world.time()
    }

    fn bounds(&self) -> Aabb {
        bounds_of(self.world)
    }

    fn camera(&self, shown: &Aabb, options: &PictureArguments, size: [usize; 2]) -> Result<Camera, Failure> {
        match self.followed {
            Some(body) => camera_at(self.world, body, options, size),
            None => options.camera(shown, up_of(self.world), size),
        }
    }

    fn draw(&self) -> (Drawing, Caption) {
        (draw_world(self.world), caption_of(self.world, self.title))
    }
}

/// Returns the body that `--follow` names.
pub(super) fn followed_body(world: &World, names: &[String], name: &str) -> Result<BodyId, Failure> {
    let known = |names: &mut dyn ExactSizeIterator<Item = &str>| some_of(names);
    let fail = |candidates: String| Failure::AmbiguousPart { option: "follow", name: name.to_owned(), candidates };
    let index = NameIndex::new(names.iter().map(String::as_str));
    let number = match index.find(name).as_deref() {
        Ok([one]) => *one,
        Ok(several) => return Err(fail(known(&mut several.iter().map(|number| names[*number].as_str())))),
        Err(NameFault::Ambiguous { candidates }) => {
            return Err(fail(known(&mut candidates.iter().map(String::as_str))));
        }
        Err(_) => {
            let known = known(&mut names.iter().map(String::as_str));
            return Err(Failure::NoSuchBody { name: name.to_owned(), known });
        }
    };
    let found = world.bodies().find(|(id, _)| id.index() == number);
    found.map(|(id, _)| id).ok_or_else(|| Failure::NoSuchBody { name: name.to_owned(), known: String::new() })
}

/// Returns a camera that shows a body in the middle and what is around it; all bodies for a body without bounds.
pub(super) fn camera_at(
    world: &World,
    body: BodyId,
    arguments: &PictureArguments,
    [width, height]: [usize; 2],
) -> Result<Camera, Failure> {
    let all = bounds_of(world);
    let own = world.body(body).map(|body| body.shape.bounds_at(&body.pose));
    let shown = own.filter(|bounds| bounds.min.is_finite() && bounds.max.is_finite()).map_or(all, |bounds| {
        // The largest extent does not change much as a body turns: the picture keeps its scale.
        let half = SURROUNDINGS * bounds.half_extents().length();
        Aabb { min: bounds.centre() - half, max: bounds.centre() + half }
    });
    let aspect = width as f64 / height as f64;
    let camera = frame_within(&shown, &all, arguments.picture_from, up_of(world), aspect);
    camera.map_err(|source| Failure::NoPicture { source })
}

/// Returns the direction against gravity; z without gravity.
pub(super) fn up_of(world: &World) -> Vec3 {
    let gravity = world.settings().gravity;
    if gravity == Vec3::ZERO { Vec3::Z } else { -gravity.normalize_or(Vec3::NEG_Z) }
}

/// Returns the box of all bodies that have one.
pub(super) fn bounds_of(world: &World) -> Aabb {
    let boxes = world.bodies().map(|(_, body)| body.shape.bounds_at(&body.pose));
    boxes.filter(|bounds| bounds.min.is_finite() && bounds.max.is_finite()).fold(Aabb::EMPTY, Aabb::union)
}

/// Returns the fineness of surfaces, with planes that reach beyond all bodies.
pub(super) fn surface_options(world: &World) -> SurfaceOptions {
    let bounds = bounds_of(world);
    let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
    let plane_half_size = if bounds.is_empty() { 10.0 } else { 1.2 * reach.max(1e-3) };
    SurfaceOptions { plane_half_size, ..SurfaceOptions::default() }
}

/// Draws bodies, the faces in which they intersect, and contacts. Half-spaces have no edge.
pub(super) fn draw_world(world: &World) -> Drawing {
    let mut drawing = Drawing::default();
    let options = surface_options(world);
    let mut known: BTreeMap<usize, usize> = BTreeMap::new();
    let bounds = bounds_of(world);
    let ground = match bounds.is_empty() {
        true => (Vec3::ZERO, options.plane_half_size),
        false => (bounds.centre(), bounds.half_extents().length()),
    };
    for (id, body) in world.bodies() {
        if let Some(floor) = Floor::of_half_space(&body.shape, &body.pose, ground, FLOOR) {
            drawing.add_floor(floor);
            continue;
        }
        let mut add = |shape: &Shape| drawing.add_surface(surface_of(shape, &options));
        // Bodies of one shape share its surface.
        let surface = match body.shape.address() {
            address if !matches!(body.kind, Kind::Soft(_)) => *known.entry(address).or_insert_with(|| add(&body.shape)),
            _ => add(&body.shape),
        };
        drawing.add_instance(surface, body.pose, colour_of(id.index(), body));
    }
    world.draw_intersecting_faces(&mut drawing);
    world.draw_contacts(&mut drawing);
    drawing
}

fn colour_of(number: usize, body: &Body) -> [u8; 3] {
    match body.kind {
        Kind::Static => STATIC,
        _ => body_colour(number),
    }
}

/// Describes a state in words.
pub(super) fn caption_of(world: &World, title: &str) -> Caption {
    let (bodies, touching) = (world.len(), world.contacts().len());
    let line = format!("step {}, {:.3} s: {bodies} bodies, {touching} pairs touch", world.steps(), world.time());
    let entry = |colour, name: &str| LegendEntry { colour, name: name.to_owned() };
    let mut legend = vec![
        entry(VERMILION, "colliding"),
        entry(GREEN, "resting"),
        entry(SKY, "separating"),
        entry(ORANGE, "impulse"),
    ];
    let is_mesh = |id| world.body(id).is_some_and(|body| matches!(body.shape, Shape::Mesh(_)));
    if world.contacts().iter().any(|touch| is_mesh(touch.a) || is_mesh(touch.b)) {
        legend.push(entry(PURPLE, "intersecting faces"));
    }
    let legend = if touching == 0 { Vec::new() } else { legend };
    Caption { title: title.to_owned(), lines: vec![line], unit: "m".to_owned(), legend }
}
