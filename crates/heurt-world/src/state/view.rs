//! The bodies as they are placed at one moment, with a broad phase over their boxes: the operand of scene queries.

use crate::body::{Body, BodyId};
use crate::error::WorldError;
use crate::settings::Settings;
use crate::state::bodies::{Bodies, box_of_body};
use heurt_broad::{BroadPhase, BroadPhaseKind, Move};

/// Bodies whose boxes are computed before the broad phase takes them.
pub(crate) const AT_ONCE: usize = 512;

/// The bodies of a world at one moment: as they are placed ([`World::view`](crate::World::view)), or as they were after
/// the last step, for other threads ([`Reader`](crate::Reader)).
#[derive(Debug)]
pub struct WorldView {
    pub(crate) bodies: Bodies,
    pub(crate) boxes: Box<dyn BroadPhase>,
    pub(crate) step: u64,
    pub(crate) time: f64,
}

impl WorldView {
    pub(crate) fn empty(kind: BroadPhaseKind) -> Self {
        Self { bodies: Bodies::default(), boxes: kind.create(), step: 0, time: 0.0 }
    }

    /// Returns a body; `None` if it is not there.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(id)
    }

    /// Lists all bodies, by their places.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.bodies.iter()
    }

    /// Returns the time in seconds, from the first step on.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Puts boxes where bodies are placed.
    pub(crate) fn put_boxes_back(&mut self, settings: &Settings) -> Result<(), WorldError> {
        let count = self.bodies.slots().len() as u32;
        for from in (0..count).step_by(AT_ONCE) {
            let places = from..count.min(from + AT_ONCE as u32);
            let back = places.filter_map(|place| {
                let (_, body) = self.bodies.at(place)?;
                Some(Move { id: place, bounds: box_of_body(body, settings) })
            });
            let back: Vec<Move> = back.collect();
            self.boxes.update(&back)?;
        }
        Ok(())
    }

    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        self.bodies.bytes() + self.boxes.stats().bytes
    }
}
