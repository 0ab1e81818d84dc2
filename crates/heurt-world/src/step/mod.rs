//! One simulation step: move bodies and boxes, find pairs of boxes, find contacts, list events.
//!
//! Stages: 1. `step_plan` computes motions and swept boxes; no body is changed, so that an error leaves the world as it
//! was. 2. `pair_limit` and the broad phase find pairs, `pairs` keeps their caches; bodies move. 3. `narrow` finds
//! contacts and, in continuous detection, first impacts (`impact`, `soft_impact`), in parallel and in the order of
//! pairs. 4. `events` compares the contacts with the contacts of the step before.
//! Each stage is a function of the parts of a world that it needs; [`World`](crate::World) calls them in order.
//! A deadline interrupts stage 3 only (`deadline`). Sources: S0 §2.3–2.6, S4 §1.1.

pub(crate) mod deadline;
pub(crate) mod events;
pub(crate) mod impact;
pub(crate) mod narrow;
pub(crate) mod pair_limit;
pub(crate) mod pairs;
pub(crate) mod paths;
pub(crate) mod soft_advance;
pub(crate) mod soft_impact;
pub(crate) mod step_motion;
pub(crate) mod step_plan;
pub(crate) mod swept;

use crate::response::ResponseReport;
use crate::response::joints::SavedJoints;
use crate::step::pairs::PairResults;
use crate::step::step_plan::StepPlan;
use crate::step::swept::SweptTable;

/// The longest step, in seconds.
pub const LONGEST_STEP: f64 = 1e100;

/// A stage of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Computes motions and swept boxes.
    Fly,
    /// Finds the pairs of boxes that meet.
    Broad,
    /// Finds the contacts of these pairs.
    Narrow,
    /// Responds to contacts, and moves the bodies that take part in the response.
    Respond,
    /// Lists the changes.
    Events,
}

/// All stages, in order.
pub const STAGES: [Stage; 5] = [Stage::Fly, Stage::Broad, Stage::Narrow, Stage::Respond, Stage::Events];

impl Stage {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fly => "fly",
            Self::Broad => "broad",
            Self::Narrow => "narrow",
            Self::Respond => "respond",
            Self::Events => "events",
        }
    }
}

/// Counts and times of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepReport {
    /// Boxes that changed.
    pub moved: usize,
    /// Pairs whose boxes meet.
    pub pairs: usize,
    /// Pairs that touch.
    pub touching: usize,
    /// Contact points of them.
    pub points: usize,
    /// Pairs that may touch: a deadline left them undecided, or no bound decides their motion.
    pub unproven: usize,
    /// The unproven pairs that the deadline left out or cut short.
    pub cut: usize,
    /// Counts of the response to contacts.
    pub response: ResponseReport,
    /// Seconds of each stage, if a clock was given.
    pub seconds: [f64; STAGES.len()],
}

impl StepReport {
    /// Sets the seconds of each stage: the moments are the begin of the step and the ends of its stages.
    pub(crate) fn set_seconds(&mut self, moments: [f64; STAGES.len() + 1]) {
        self.seconds.iter_mut().zip(moments.windows(2)).for_each(|(spent, ends)| *spent = ends[1] - ends[0]);
    }
}

/// Memory that is used again in each step.
#[derive(Debug, Default)]
pub(crate) struct StepScratch {
    pub plan: StepPlan,
    /// The results of each thread.
    pub shares: Vec<PairResults>,
    /// The surfaces swept by soft bodies and by bodies near them.
    pub swept: SweptTable,
    /// The joints before an attempt at a step.
    pub joints: SavedJoints,
}

/// Durations that a step takes over from the step before.
#[derive(Debug, Default)]
pub(crate) struct StepTiming {
    /// Length of the last step in seconds; 0 if no time passed.
    pub last_step: f64,
    /// Seconds a pair that a step under a deadline took last from the end of its search to its own.
    pub closing: Option<f64>,
}

impl StepTiming {
    /// Stores how long the end of a step of some pairs took, after its search.
    pub(crate) fn note_closing(&mut self, searched: Option<f64>, end: f64, pairs: usize) {
        if let Some(searched) = searched {
            self.closing = Some((end - searched) / pairs.max(1) as f64);
        }
    }
}
