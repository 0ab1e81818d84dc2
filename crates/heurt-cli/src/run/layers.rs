//! Layers of the live page: contacts, faces, boxes, paths, joints, broad phase and trees of a world.
//!
//! Method: a layer draws into a list of items with a limit. Only layers that some viewer shows are drawn, and trees at
//! each level that some viewer chose.

use crate::view::LayerJson;
use heurt::geometry::{Draw, PlacedSink};
use heurt::shape::{AnyTreeLevel, MeshLevel, MeshShape, Shape};
use heurt::view::wire::{DrawnItems, FrameWriter, write_faces};
use heurt::world::{BroadPhaseKind, World};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Items of all layers in a frame: 28 bytes each, 5.6 MB in all.
const MAX_ITEMS: usize = 200_000;
/// Time for the faces of pairs of bodies in each frame, so that a viewer does not slow a large run. The pair that
/// exceeds it is searched completely.
const FACE_TIME: Duration = Duration::from_millis(4);
/// Levels of a tree that a viewer may choose.
const MAX_LEVELS: u32 = 64;

/// A layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// Places of contact.
    Contacts,
    /// Triangles that intersect another body.
    Triangles,
    /// Boxes of all bodies.
    Boxes,
    /// Paths of bodies in the last step, and the boxes that they swept.
    Swept,
    /// Anchors of joints.
    Joints,
    /// The structure of the broad phase: boxes, cells, intervals, planes.
    BroadPhase,
    /// Trees of meshes at one level.
    Trees(u32),
}

impl Layer {
    /// Returns the layer of a name; `level` is for trees.
    pub(super) fn of(name: &str, level: u32) -> Option<Self> {
        match name {
            "contacts" => Some(Self::Contacts),
            "triangles" => Some(Self::Triangles),
            "boxes" => Some(Self::Boxes),
            "swept" => Some(Self::Swept),
            "joints" => Some(Self::Joints),
            "broad-phase" => Some(Self::BroadPhase),
            "trees" => Some(Self::Trees(level.min(MAX_LEVELS - 1))),
            _ => None,
        }
    }

    /// Lists the layers of a world for the page.
    pub(super) fn list(world: &World) -> Vec<LayerJson> {
        let layer = |name, label, kinds, on| LayerJson { name, label, kinds, levels: None, on };
        let mut layers = vec![
            layer("contacts", "Contacts", &[], true),
            layer("triangles", "Intersecting triangles", &[], true),
            layer("boxes", "Boxes of bodies", &[15], false),
            layer("broad-phase", label_of_broad_phase(world), &[9, 11, 12], false),
        ];
        layers.insert(3, layer("swept", "Paths and swept boxes", &[10], false));
        if world.joints().next().is_some() {
            layers.push(layer("joints", "Joints", &[14], false));
        }
        let levels = meshes(world).map(|(mesh, _)| levels_of(mesh)).max();
        if let Some(levels) = levels {
            let levels = Some(levels.min(MAX_LEVELS));
            layers.push(LayerJson { name: "trees", label: "Trees of meshes", kinds: &[8], levels, on: false });
        }
        layers
    }
}

/// Names the structure of the broad phase of a world.
fn label_of_broad_phase(world: &World) -> &'static str {
    match world.settings().broad_phase {
        BroadPhaseKind::SweepAndPrune | BroadPhaseKind::SweepAndPruneCubes => "Broad phase: boxes and their intervals",
        BroadPhaseKind::SeparatingPlanes => "Broad phase: separating planes",
        BroadPhaseKind::Tree => "Broad phase: tree of boxes",
        BroadPhaseKind::Grid | BroadPhaseKind::Hash => "Broad phase: cells",
        _ => "Broad phase: boxes",
    }
}

/// Lists the meshes of a world and their poses.
fn meshes(world: &World) -> impl Iterator<Item = (&MeshShape, &heurt::geometry::Pose)> {
    world.bodies().filter_map(|(_, body)| match &body.shape {
        Shape::Mesh(mesh) => Some((&**mesh, &body.pose)),
        _ => None,
    })
}

fn levels_of(mesh: &MeshShape) -> u32 {
    match mesh.chosen_tree() {
        Some(tree) => tree.levels(),
        None => mesh.levels(mesh.pair_volume()),
    }
}

/// The layers that some viewer shows.
#[derive(Debug)]
pub(super) struct Layers(BTreeSet<Layer>);

impl Layers {
    pub(super) fn of(layers: impl Iterator<Item = Layer>) -> Self {
        Self(layers.collect())
    }

    pub(super) fn has(&self, layer: Layer) -> bool {
        self.0.contains(&layer)
    }

    /// Writes all layers that are drawn as items.
    pub(super) fn write(&self, frame: &mut FrameWriter, world: &World) {
        let mut items = DrawnItems::new(MAX_ITEMS);
        if self.has(Layer::Triangles) {
            items.leave_out(write_triangles(frame, world));
        }
        for layer in &self.0 {
            match layer {
                Layer::Contacts | Layer::Triangles => {}
                Layer::Boxes => world.view().draw(&mut items),
                Layer::Swept => world.draw_paths(&mut items),
                Layer::Joints => world.draw_joints(&mut items),
                Layer::BroadPhase => world.view().broad_phase_structure().draw(&mut items),
                Layer::Trees(level) => draw_trees(world, *level, &mut items),
            }
        }
        items.write(frame);
    }
}

/// Draws one level of the trees of all meshes.
fn draw_trees(world: &World, level: u32, items: &mut DrawnItems) {
    for (mesh, pose) in meshes(world) {
        let mut placed = PlacedSink { pose: *pose, sink: items };
        match mesh.chosen_tree() {
            Some(tree) => AnyTreeLevel { tree, level }.draw(&mut placed),
            None => MeshLevel { shape: mesh, volume: mesh.pair_volume(), level }.draw(&mut placed),
        }
    }
}

/// Writes the triangles of meshes that intersect another body; returns the number of pairs of bodies and of triangles
/// that are left out.
fn write_triangles(frame: &mut FrameWriter, world: &World) -> usize {
    let mut faces: BTreeSet<(usize, u32)> = BTreeSet::new();
    let is_mesh = |id| world.body(id).is_some_and(|body| matches!(body.shape, Shape::Mesh(_)));
    let touches = world.contacts().iter().filter(|touch| is_mesh(touch.a) || is_mesh(touch.b));
    let begun = Instant::now();
    let mut left_out = 0;
    for touch in touches {
        if begun.elapsed() > FACE_TIME {
            left_out += 1;
            continue;
        }
        for [a, b] in world.intersecting_faces(touch) {
            faces.insert((touch.a.index(), a));
            faces.insert((touch.b.index(), b));
        }
    }
    let mut placed = Vec::new();
    for (id, body) in world.bodies() {
        let Shape::Mesh(mesh) = &body.shape else { continue };
        for (_, face) in faces.range((id.index(), 0)..(id.index() + 1, 0)) {
            placed.push((id.index(), mesh.mesh().corners(*face).map(|corner| body.pose.place(corner))));
        }
    }
    left_out += placed.len().saturating_sub(MAX_ITEMS);
    placed.truncate(MAX_ITEMS);
    write_faces(frame, &placed);
    left_out
}
