//! The bodies as they are placed at one moment, with a broad phase over their boxes: the operand of scene queries.

use crate::body::{Body, BodyId};
use heurt_broad::{BroadPhase, BroadPhaseKind, Pair};

#[derive(Debug, Clone, Default)]
pub(crate) struct Slot {
    pub generation: u32,
    pub body: Option<Body>,
}

/// The bodies of a world at one moment: as they are placed ([`World::now`](crate::World::now)), or as they were after
/// the last step, for other threads ([`Reader`](crate::Reader)).
#[derive(Debug)]
pub struct WorldView {
    pub(crate) slots: Vec<Slot>,
    pub(crate) boxes: Box<dyn BroadPhase>,
    pub(crate) step: u64,
    pub(crate) time: f64,
}

impl WorldView {
    pub(crate) fn empty(kind: BroadPhaseKind) -> Self {
        Self { slots: Vec::new(), boxes: kind.create(), step: 0, time: 0.0 }
    }

    /// Returns a body; `None` if it is not there.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        let slot = self.slots.get(id.index()).filter(|slot| slot.generation == id.generation)?;
        slot.body.as_ref()
    }

    /// Lists all bodies, by their places.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        (0..self.slots.len() as u32).filter_map(|index| self.at(index))
    }

    /// The body at a place that is taken.
    pub(crate) fn at(&self, index: u32) -> Option<(BodyId, &Body)> {
        let slot = self.slots.get(index as usize)?;
        slot.body.as_ref().map(|body| (BodyId { index, generation: slot.generation }, body))
    }

    /// The names of two bodies by their places; `None` if one is not there.
    pub(crate) fn names(&self, pair: Pair) -> Option<[BodyId; 2]> {
        Some([self.at(pair.a)?.0, self.at(pair.b)?.0])
    }

    /// Returns the time in seconds, from the first step on.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }
}
