//! The bodies as they stand at one moment, with the tree of their boxes: what questions are asked of.

use crate::body::{Body, BodyId};
use heurt_broad::{BroadPhase, BroadPhaseKind};
use heurt_shape::{MeshShape, Shape};
use std::sync::Arc;

#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    pub generation: u32,
    pub body: Option<Body>,
    /// Of a soft body that readers look at: a mesh that was shown and is free to be deformed next.
    pub spare: Option<Arc<MeshShape>>,
}

impl Slot {
    /// The mesh of a soft body, for nobody else to see.
    pub(crate) fn own_mesh(&mut self) -> Option<&mut MeshShape> {
        let Shape::Mesh(mesh) = &mut self.body.as_mut()?.shape else { return None };
        if Arc::get_mut(mesh).is_none()
            && let Some(spare) = self.spare.take_if(|spare| Arc::get_mut(spare).is_some())
        {
            *mesh = spare;
        }
        Some(Arc::make_mut(mesh))
    }
}

/// The bodies of a world at one moment: as they stand ([`World::now`](crate::World::now)), or as they stood after the last step, for
/// other threads ([`Reader`](crate::Reader)).
#[derive(Debug)]
pub struct View {
    pub(crate) slots: Vec<Slot>,
    pub(crate) boxes: Box<dyn BroadPhase>,
    pub(crate) step: u64,
    pub(crate) time: f64,
}

impl View {
    pub(crate) fn empty(kind: BroadPhaseKind) -> Self {
        Self { slots: Vec::new(), boxes: kind.create(), step: 0, time: 0.0 }
    }

    /// Takes a look at a body; `None` if it is not there.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        let slot = self.slots.get(id.index()).filter(|slot| slot.generation == id.generation)?;
        slot.body.as_ref()
    }

    /// All bodies, by their places.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        (0..self.slots.len() as u32).filter_map(|index| self.at(index))
    }

    /// The body at a place that is taken.
    pub(crate) fn at(&self, index: u32) -> Option<(BodyId, &Body)> {
        let slot = self.slots.get(index as usize)?;
        slot.body.as_ref().map(|body| (BodyId { index, generation: slot.generation }, body))
    }

    /// In seconds, from the first step on.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// How many steps were taken.
    pub fn steps(&self) -> u64 {
        self.step
    }
}
