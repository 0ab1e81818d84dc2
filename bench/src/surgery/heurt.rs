//! heurt as its user calls it: shapes, refitted where soft, and `pairs` of every two that may meet.
//!
//! Two ways: all of each soft body fitted (`deform`), or what comes near the others' boxes (`deform_near`): those of the organs are known
//! from the start, those of what moves are asked for at each step.

use super::scene::{Hit, Method, Moment, Scene};
use heurt_bvh::Work;
use heurt_geometry::{Aabb, Pose};
use heurt_mesh::TriMesh;
use heurt_query::{PairsOptions, pairs, pairs_with};
use heurt_shape::MeshShape;

/// The shapes of a scene.
pub struct Heurt<'a> {
    scene: &'a Scene,
    organs: Vec<MeshShape>,
    instrument: MeshShape,
    soft: Vec<MeshShape>,
    /// Boxes about the organs, where soft bodies are fitted only near others.
    still: Option<Vec<Aabb>>,
    /// Boxes about each soft body as it was fitted last, where they are held against each other.
    about_soft: Vec<Vec<Aabb>>,
}

/// Boxes about each object.
const COVER: usize = 24;

impl<'a> Heurt<'a> {
    /// Makes all shapes; `near_only`: soft bodies are fitted only near others.
    pub fn new(scene: &'a Scene, near_only: bool) -> Self {
        let shape = |mesh: &TriMesh| MeshShape::new(mesh.clone()).expect("a mesh that fits a tree");
        let organs: Vec<MeshShape> = scene.organs.iter().map(|(mesh, _)| shape(mesh)).collect();
        let cover =
            || organs.iter().zip(&scene.organs).flat_map(|(shape, (_, pose))| shape.cover(pose, COVER)).collect();
        let soft: Vec<MeshShape> = scene.soft.iter().map(shape).collect();
        let about = |shape: &MeshShape| shape.cover(&Pose::IDENTITY, COVER);
        let about_soft = if near_only && scene.mutual { soft.iter().map(about).collect() } else { Vec::new() };
        Self { scene, still: near_only.then(cover), organs, instrument: shape(&scene.instrument), soft, about_soft }
    }
}

type Placed<'s> = (&'s MeshShape, &'s Pose);

impl Heurt<'_> {
    /// Calls `query` with every two objects that are to be held against each other.
    fn for_each_two(&self, moment: &Moment, mut query: impl FnMut([u32; 2], Placed<'_>, Placed<'_>)) {
        let Self { scene, organs, instrument, soft, .. } = self;
        let shaft = (instrument, &moment.instrument);
        let shaft_id = scene.instrument_id();
        for (organ, (shape, (_, pose))) in organs.iter().zip(&scene.organs).enumerate() {
            query([organ as u32, shaft_id], (shape, pose), shaft);
            for (body, of_body) in soft.iter().enumerate() {
                query([organ as u32, scene.soft_id(body)], (shape, pose), (of_body, &Pose::IDENTITY));
            }
        }
        for (body, shape) in soft.iter().enumerate() {
            let here = (shape, &Pose::IDENTITY);
            query([shaft_id, scene.soft_id(body)], shaft, here);
            for (other, of_other) in soft.iter().enumerate().take(if scene.mutual { body } else { 0 }) {
                query([scene.soft_id(other), scene.soft_id(body)], (of_other, &Pose::IDENTITY), here);
            }
        }
    }

    /// The work of all queries of a step.
    pub fn work(&mut self, moment: &Moment) -> Work {
        self.update(moment);
        let mut work = Work::default();
        self.for_each_two(moment, |_, a, b| work += pairs_with(a.0, a.1, b.0, b.1, &PairsOptions::default()).work);
        work
    }
}

impl Method for Heurt<'_> {
    fn update(&mut self, moment: &Moment) {
        let Some(still) = &self.still else {
            for (shape, vertices) in self.soft.iter_mut().zip(&moment.soft) {
                shape.deform(vertices).expect("as many finite vertices as before");
            }
            return;
        };
        let mut near = still.clone();
        near.extend(self.instrument.cover(&moment.instrument, COVER));
        let known = near.len();
        for (body, (shape, vertices)) in self.soft.iter_mut().zip(&moment.soft).enumerate() {
            let others = self.about_soft.iter().enumerate().filter(|(other, _)| *other != body);
            near.extend(others.flat_map(|(_, boxes)| boxes));
            shape.deform_near(vertices, &near).expect("as many finite vertices as before");
            near.truncate(known);
            // Those that come after see it where it is now, those before see it where it was: the boxes only say what is worth fitting.
            if let Some(boxes) = self.about_soft.get_mut(body) {
                *boxes = shape.cover(&Pose::IDENTITY, COVER);
            }
        }
    }

    fn detect(&mut self, moment: &Moment, found: &mut Vec<Hit>) {
        self.for_each_two(moment, |objects, a, b| {
            found.extend(pairs(a.0, a.1, b.0, b.1).into_iter().map(|faces| Hit { objects, faces }));
        });
    }
}
