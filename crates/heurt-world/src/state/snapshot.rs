//! Copy of the state of a world, from which steps lead to the same states again.

use crate::body::BodyId;
use crate::contact::BodyContact;
use crate::error::WorldError;
use crate::response::assignment::UnsolvedBodies;
use crate::response::candidates::Candidates;
use crate::response::joints::JointTable;
use crate::response::sleep::SleepTable;
use crate::response::solved::SolvedContacts;
use crate::settings::Settings;
use crate::state::bodies::{Bodies, box_of_body};
use heurt_broad::{BroadPhase, Pair};

/// A state of a world, to be restored.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) bodies: Bodies,
    pub(crate) free: Vec<u32>,
    pub(crate) contacts: Vec<BodyContact>,
    pub(crate) touching_pairs: Vec<[BodyId; 2]>,
    pub(crate) overlapping: Vec<Pair>,
    pub(crate) step: u64,
    pub(crate) time: f64,
    pub(crate) last_step: f64,
    pub(crate) candidates: Candidates,
    pub(crate) solved: SolvedContacts,
    pub(crate) joints: JointTable,
    pub(crate) sleep: SleepTable,
    pub(crate) unsolved: UnsolvedBodies,
}

impl Snapshot {
    /// Makes a broad phase of the boxes of its bodies.
    pub(crate) fn boxes(&self, settings: &Settings) -> Result<Box<dyn BroadPhase>, WorldError> {
        let mut boxes = settings.broad_phase.create();
        for (id, body) in self.bodies.iter() {
            boxes.insert(id.index, &box_of_body(body, settings), body.filter())?;
        }
        Ok(boxes)
    }
}
