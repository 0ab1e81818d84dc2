//! parry's tree and rapier's broad phase on the boxes of a scene.
//!
//! parry's tree is kept as rapier keeps it, without fat boxes: leaves updated, optionally optimised, refitted or built anew, and
//! compared with itself. rapier gets the boxes themselves (`set_aabb`), computes none, and is asked for its events.

use heurt_broad::bench_world::MovingBoxes;
use heurt_geometry::Aabb;
use parry3d::bounding_volume::Aabb as ParryBox;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rapier3d::prelude::{
    BroadPhaseBvh, BroadPhasePairEvent, ColliderBuilder, ColliderHandle, ColliderSet, IntegrationParameters,
    RigidBodyBuilder, RigidBodySet,
};

fn parry_box(bounds: &Aabb) -> ParryBox {
    let corner = |v: heurt_geometry::Vec3| parry3d::math::Vector::new(v.x as f32, v.y as f32, v.z as f32);
    ParryBox::new(corner(bounds.min), corner(bounds.max))
}

/// parry's tree.
pub struct Parry {
    tree: Bvh,
    workspace: BvhWorkspace,
    care: Care,
}

/// What is done for a tree at each step, beside refitting it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Care {
    Nothing,
    Optimise,
    Rebuild,
}

impl Parry {
    pub fn new(scene: &MovingBoxes, care: Care) -> Self {
        let boxes: Vec<ParryBox> = scene.boxes().iter().map(parry_box).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        Self { tree, workspace: BvhWorkspace::default(), care }
    }

    pub fn step(&mut self, boxes: &[(u32, ParryBox)]) -> usize {
        for (id, bounds) in boxes {
            self.tree.insert_or_update_partially(*bounds, *id, 0.0);
        }
        if self.care == Care::Optimise {
            self.tree.optimize_incremental(&mut self.workspace);
        }
        if self.care == Care::Rebuild {
            self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
        } else {
            self.tree.refit(&mut self.workspace);
        }
        let mut pairs = 0;
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |_, _| pairs += 1);
        pairs
    }
}

/// rapier's broad phase.
pub struct Rapier {
    phase: BroadPhaseBvh,
    parameters: IntegrationParameters,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    handles: Vec<ColliderHandle>,
    events: Vec<BroadPhasePairEvent>,
    pairs: isize,
}

impl Rapier {
    pub fn new(scene: &MovingBoxes, adaptive: bool) -> Self {
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let mut handles = vec![];
        for bounds in scene.boxes() {
            let (centre, half) = (bounds.centre(), bounds.half_extents());
            let at = rapier3d::prelude::Vector::new(centre.x as f32, centre.y as f32, centre.z as f32);
            let body = bodies.insert(RigidBodyBuilder::dynamic().translation(at));
            let shape = ColliderBuilder::cuboid(half.x as f32, half.y as f32, half.z as f32);
            handles.push(colliders.insert_with_parent(shape, body, &mut bodies));
        }
        let mut phase = BroadPhaseBvh::new();
        phase.adaptive_change_detection_margin = adaptive;
        let parameters = IntegrationParameters::default();
        let mut events = vec![];
        phase.update(&parameters, &colliders, &bodies, &handles, &[], &mut events);
        let mut rapier = Self { phase, parameters, bodies, colliders, handles, events, pairs: 0 };
        rapier.count();
        rapier
    }

    fn count(&mut self) {
        for event in self.events.drain(..) {
            self.pairs += match event {
                BroadPhasePairEvent::AddPair(_) => 1,
                BroadPhasePairEvent::DeletePair(_) => -1,
            };
        }
    }

    /// Its pairs are those of fat boxes: more than there are.
    pub fn step(&mut self, boxes: &[(u32, ParryBox)]) -> usize {
        for (id, bounds) in boxes {
            self.phase.set_aabb(&self.parameters, self.handles[*id as usize], *bounds);
        }
        self.phase.update(&self.parameters, &self.colliders, &self.bodies, &[], &[], &mut self.events);
        self.count();
        self.pairs as usize
    }
}

/// The moves of a scene as the peers want them.
pub fn moves(scene: &MovingBoxes, into: &mut Vec<(u32, ParryBox)>) {
    into.clear();
    into.extend(scene.moves().iter().map(|one| (one.id, parry_box(&one.bounds))));
}
