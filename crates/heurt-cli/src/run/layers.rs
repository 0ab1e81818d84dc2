//! Layers of the live page: what viewers may see besides bodies.
//!
//! Method: a layer draws into a list of items with a limit. Only layers that some viewer shows are drawn.

use crate::view::LayerJson;
use heurt::geometry::{DrawSink, Meaning};
use heurt::shape::Shape;
use heurt::view::wire::{DrawnItems, FrameWriter};
use heurt::world::World;
use std::collections::BTreeSet;

/// Items of all layers in a frame: 28 bytes each, 5.6 MB in all.
const MAX_ITEMS: usize = 200_000;

/// A layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// Places of contact.
    Contacts,
    /// Triangles that intersect another body.
    Triangles,
    /// Boxes of all bodies.
    Boxes,
}

impl Layer {
    /// Returns the layer of a name.
    pub(super) fn of(name: &str, _level: u32) -> Option<Self> {
        match name {
            "contacts" => Some(Self::Contacts),
            "triangles" => Some(Self::Triangles),
            "boxes" => Some(Self::Boxes),
            _ => None,
        }
    }

    /// Lists all layers for the page.
    pub(super) fn list() -> Vec<LayerJson> {
        let layer = |name, label| LayerJson { name, label, levels: None };
        vec![
            layer("contacts", "Contacts"),
            layer("triangles", "Intersecting triangles"),
            layer("boxes", "Boxes of bodies"),
        ]
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
        if self.has(Layer::Triangles) {
            write_triangles(frame, world);
        }
        let mut items = DrawnItems::new(MAX_ITEMS);
        if self.has(Layer::Boxes) {
            for (_, body) in world.bodies() {
                let bounds = body.shape.bounds_at(&body.pose);
                if bounds.min.is_finite() {
                    items.draw_box(&bounds, Meaning::BroadPhase);
                }
            }
        }
        items.write(frame);
    }
}

/// Writes the triangles of meshes that intersect another body.
fn write_triangles(frame: &mut FrameWriter, world: &World) {
    let mut faces: BTreeSet<(usize, u32)> = BTreeSet::new();
    for touch in world.contacts() {
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
    placed.truncate(MAX_ITEMS);
    heurt::view::wire::write_faces(frame, &placed);
}
