//! rapier's `CollisionPipeline` on the poses of a heap, as its users call it: dynamic bodies that are placed, and one step.
//!
//! Bodies are dynamic, so that no pair of parts is skipped by their types; nothing is integrated and nothing is solved: the pipeline has no
//! solver.

use super::scene::{Heap, Placed};
use rapier3d::prelude::*;

pub struct Rapier {
    pipeline: CollisionPipeline,
    islands: IslandManager,
    broad: BroadPhaseBvh,
    narrow: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<RigidBodyHandle>,
    prediction: f32,
}

/// What a step found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    pub pairs: usize,
    /// Pairs with a point within the margin, and such points.
    pub touching: usize,
    pub points: usize,
    /// Pairs whose deepest point is not above 0.
    pub overlapping: usize,
}

impl Rapier {
    pub fn new(heap: &Heap, prediction: f32) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        for &([x, y, z], centre) in &heap.walls {
            colliders.insert(ColliderBuilder::cuboid(x, y, z).translation(Vector::from_array(centre)));
        }
        let mut handles = vec![];
        for (part, at) in heap.parts.iter().zip(&heap.frames[0]) {
            let body = bodies.insert(RigidBodyBuilder::dynamic().pose(pose(at)));
            colliders.insert_with_parent(part.collider(), body, &mut bodies);
            handles.push(body);
        }
        Self {
            pipeline: CollisionPipeline::new(),
            islands: IslandManager::new(),
            broad: BroadPhaseBvh::new(),
            narrow: NarrowPhase::new(),
            bodies,
            colliders,
            handles,
            prediction,
        }
    }

    pub fn place(&mut self, frame: &[Placed]) {
        for (handle, at) in self.handles.iter().zip(frame) {
            self.bodies[*handle].set_position(pose(at), false);
        }
    }

    pub fn step(&mut self) {
        let Self { pipeline, islands, broad, narrow, bodies, colliders, .. } = self;
        pipeline.step(self.prediction, islands, broad, narrow, bodies, colliders, &(), &());
    }

    pub fn count(&self) -> Count {
        let mut count = Count::default();
        for pair in self.narrow.contact_pairs() {
            count.pairs += 1;
            let points = pair.manifolds().iter().flat_map(|manifold| &manifold.points);
            let (mut here, mut least) = (0, f32::INFINITY);
            for point in points {
                here += usize::from(point.dist <= self.prediction);
                least = least.min(point.dist);
            }
            // Points that are kept while parts drift away count where they are near enough.
            count.touching += usize::from(least <= self.prediction);
            count.points += here;
            count.overlapping += usize::from(least <= 0.0);
        }
        count
    }
}

fn pose(&(rotation, translation): &Placed) -> Pose {
    Pose::from_parts(Vector::from_array(translation), Rotation::from_array(rotation))
}
