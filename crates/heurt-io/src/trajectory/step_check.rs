//! Steps of trajectories, checked before they are written.
//!
//! In: steps, one by one. Out: the first fault of a step.
//! Guarantees: a faulty step changes nothing here, so that the next step may follow. Cost: O(agents) memory.

use super::data::MAX_NUMBER;
use super::{TrajectoryRow, TrajectoryStep, TrajectoryWriteError};
use std::collections::HashMap;

/// The check, after some steps.
#[derive(Default)]
pub(super) struct StepCheck {
    group_count: usize,
    last: Option<(u64, f64)>,
    groups: HashMap<u64, u32>,
}

impl StepCheck {
    pub(super) fn new(group_count: usize) -> Self {
        Self { group_count, ..Self::default() }
    }

    /// Checks the next step.
    pub(super) fn examine(&self, step: &TrajectoryStep) -> Result<(), TrajectoryWriteError> {
        let &TrajectoryStep { step: number, time, ref rows } = step;
        if number > MAX_NUMBER {
            return Err(TrajectoryWriteError::TooLarge { step: number, number });
        }
        let (last_step, last) = self.last.unwrap_or((0, f64::NEG_INFINITY));
        if !time.is_finite() || time <= last || self.last.is_some() && number <= last_step {
            return Err(TrajectoryWriteError::NotLater { step: number, time, last_step, last });
        }
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].agent >= pair[1].agent) {
            return Err(TrajectoryWriteError::Order { step: number, agent: pair[1].agent, last: pair[0].agent });
        }
        rows.iter().try_for_each(|row| self.examine_row(number, row))
    }

    fn examine_row(&self, step: u64, row: &TrajectoryRow) -> Result<(), TrajectoryWriteError> {
        let &TrajectoryRow { agent, group, position, velocity } = row;
        if agent > MAX_NUMBER {
            return Err(TrajectoryWriteError::TooLarge { step, number: agent });
        }
        if !position.is_finite() || velocity.is_some_and(|velocity| !velocity.is_finite()) {
            return Err(TrajectoryWriteError::NotFinite { step, agent });
        }
        if group as usize >= self.group_count {
            return Err(TrajectoryWriteError::UnknownGroup { step, agent, group, count: self.group_count });
        }
        match self.groups.get(&agent) {
            Some(&known) if known != group => Err(TrajectoryWriteError::TwoGroups { step, agent, group, known }),
            _ => Ok(()),
        }
    }

    /// Keeps a step that was examined.
    pub(super) fn accept(&mut self, step: &TrajectoryStep) {
        self.last = Some((step.step, step.time));
        self.groups.extend(step.rows.iter().map(|row| (row.agent, row.group)));
    }
}
