//! Picture of a world: its bodies, contacts with their normals, and impulses.

use crate::Failure;
use crate::picture::PictureArguments;
use heurt::geometry::{Aabb, Vec3};
use heurt::shape::Shape;
use heurt::view::palette::{GREEN, ORANGE, SKY, VERMILION, body_colour};
use heurt::view::picture::{Caption, Drawing, LegendEntry};
use heurt::view::{SurfaceOptions, surface_of};
use heurt::world::{Body, Kind, World};
use std::collections::BTreeMap;

/// Grey of bodies that stay.
const STATIC: [u8; 3] = [0x9a, 0xa2, 0xab];

/// Draws the world as it is and writes the picture, if a file is named.
pub(super) fn write(world: &World, title: &str, arguments: &PictureArguments, is_quiet: bool) -> Result<(), Failure> {
    if arguments.path().is_none() {
        return Ok(());
    }
    arguments.write(&draw_world(world), &bounds_of(world), up_of(world), &caption_of(world, title), is_quiet)
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

/// Draws bodies and contacts.
pub(super) fn draw_world(world: &World) -> Drawing {
    let mut drawing = Drawing::default();
    let options = surface_options(world);
    let mut known: BTreeMap<usize, usize> = BTreeMap::new();
    for (id, body) in world.bodies() {
        let mut add = |shape: &Shape| drawing.add_surface(surface_of(shape, &options));
        // Bodies of one shape share its surface.
        let surface = match body.shape.address() {
            address if !matches!(body.kind, Kind::Soft(_)) => *known.entry(address).or_insert_with(|| add(&body.shape)),
            _ => add(&body.shape),
        };
        drawing.add_instance(surface, body.pose, colour_of(id.index(), body));
    }
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
    let legend = vec![
        entry(VERMILION, "colliding"),
        entry(GREEN, "resting"),
        entry(SKY, "separating"),
        entry(ORANGE, "impulse"),
    ];
    let legend = if touching == 0 { Vec::new() } else { legend };
    Caption { title: title.to_owned(), lines: vec![line], unit: "m".to_owned(), legend }
}
