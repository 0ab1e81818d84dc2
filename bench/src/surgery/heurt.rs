//! heurt as its user calls it: shapes, refitted where soft, and `pairs` of every two that may meet.

use super::scene::{Hit, Method, Moment, Scene};
use heurt_geometry::Pose;
use heurt_mesh::TriMesh;
use heurt_query::pairs;
use heurt_shape::MeshShape;

/// The shapes of a scene.
pub struct Heurt<'a> {
    scene: &'a Scene,
    organs: Vec<MeshShape>,
    instrument: MeshShape,
    soft: Vec<MeshShape>,
}

impl<'a> Heurt<'a> {
    /// Makes all shapes.
    pub fn new(scene: &'a Scene) -> Self {
        let shape = |mesh: &TriMesh| MeshShape::new(mesh.clone()).expect("a mesh that fits a tree");
        Self {
            scene,
            organs: scene.organs.iter().map(|(mesh, _)| shape(mesh)).collect(),
            instrument: shape(&scene.instrument),
            soft: scene.soft.iter().map(shape).collect(),
        }
    }
}

impl Method for Heurt<'_> {
    fn update(&mut self, moment: &Moment) {
        for (shape, vertices) in self.soft.iter_mut().zip(&moment.soft) {
            let mesh = TriMesh::new(vertices.clone(), shape.mesh().triangles().to_vec()).expect("finite vertices");
            shape.refit(mesh).expect("as many faces as before");
        }
    }

    fn detect(&mut self, moment: &Moment, found: &mut Vec<Hit>) {
        let Self { scene, organs, instrument, soft } = self;
        let mut ask = |objects: [u32; 2], a: (&MeshShape, &Pose), b: (&MeshShape, &Pose)| {
            found.extend(pairs(a.0, a.1, b.0, b.1).into_iter().map(|faces| Hit { objects, faces }));
        };
        let shaft = (&*instrument, &moment.instrument);
        let shaft_id = scene.instrument_id();
        for (organ, (shape, (_, pose))) in organs.iter().zip(&scene.organs).enumerate() {
            ask([organ as u32, shaft_id], (shape, pose), shaft);
            for (body, of_body) in soft.iter().enumerate() {
                ask([organ as u32, scene.soft_id(body)], (shape, pose), (of_body, &Pose::IDENTITY));
            }
        }
        for (body, shape) in soft.iter().enumerate() {
            let here = (shape, &Pose::IDENTITY);
            ask([shaft_id, scene.soft_id(body)], shaft, here);
            for other in 0..if scene.mutual { body } else { 0 } {
                ask([scene.soft_id(other), scene.soft_id(body)], (&soft[other], &Pose::IDENTITY), here);
            }
        }
    }
}
