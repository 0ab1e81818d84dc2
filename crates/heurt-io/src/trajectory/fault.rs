//! Faults of trajectories: the place, the value and the remedy.
//!
//! In: findings of readers and writers. Out: [`TrajectoryReadError`] and [`TrajectoryWriteError`].
//! Guarantees: a message is one clause each for the place, the fault and the remedy. Cost: O(1) a fault.

use crate::{Place, ReadError, TrajectoryFormat};
use std::io;
use thiserror::Error;

/// Reason why bytes are no trajectories.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrajectoryReadError {
    /// A value that differs from what the format requires.
    #[error(transparent)]
    Read(Box<ReadError>),
    /// The file cannot be opened.
    #[error("{path}: {cause}: give a file that can be read")]
    File {
        /// The path.
        path: String,
        /// The cause.
        cause: io::Error,
    },
    /// A name without a known end.
    #[error("{path}: the end of the name gives no format: use .csv, .sqlite, .parquet, .txt or .traj")]
    UnknownFormat {
        /// The path.
        path: String,
    },
    /// A format whose feature is off.
    #[error("{format} cannot be read by this build: build heurt-io with the feature of that name, or convert the file")]
    Off {
        /// The format.
        format: TrajectoryFormat,
    },
    /// A file without a row.
    #[error("{place}: the file ends without a row: give at least one agent at one time")]
    NoRows {
        /// The end of the file, or the table.
        place: Place,
    },
    /// A column that is absent.
    #[error("{place}: the column `{column}` is missing: add it, or give a file of another format its own ending")]
    MissingColumn {
        /// The header, or the table.
        place: Place,
        /// The name of the column.
        column: &'static str,
    },
    /// A table that is absent.
    #[error("the table `{table}` is missing: give a database of JuPedSim or heurt")]
    MissingTable {
        /// The name of the table.
        table: &'static str,
    },
    /// A frame rate or unit that neither the file nor the options give.
    #[error("the file does not give its {what}: {remedy}")]
    Unknown {
        /// The missing fact.
        what: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
    /// A fact that is given twice, with different values.
    #[error("{place}: the {what} is {found}, elsewhere it is {known}: remove one of both")]
    Conflict {
        /// The place of the second value.
        place: Place,
        /// The fact.
        what: &'static str,
        /// The second value.
        found: String,
        /// The first value.
        known: String,
    },
    /// An agent that is twice in a step.
    #[error("{place}: agent {agent} is already in step {step} by {first}: remove one of both")]
    Twice {
        /// The place of the second row.
        place: Place,
        /// The place of the first row.
        first: Place,
        /// The step.
        step: u64,
        /// The agent.
        agent: u64,
    },
    /// Rows of one step with different times.
    #[error("{place}: step {step} is at {time} s, elsewhere it is at {known} s: give a step one time")]
    TwoTimes {
        /// The place of the row.
        place: Place,
        /// The step.
        step: u64,
        /// The time of the row, in seconds.
        time: f64,
        /// The time of the step in earlier rows, in seconds.
        known: f64,
    },
    /// A step that is not later than the step before it.
    #[error("{place}: step {step} is at {time} s, not later than the step before it at {last} s: correct the times")]
    NotLater {
        /// The place of a row of the step.
        place: Place,
        /// The step.
        step: u64,
        /// Its time, in seconds.
        time: f64,
        /// The time of the step before it, in seconds.
        last: f64,
    },
    /// An agent that changes its group.
    #[error("{place}: agent {agent} is in group {group}, elsewhere in group {known}: give each agent one group")]
    TwoGroups {
        /// The place of the row.
        place: Place,
        /// The agent.
        agent: u64,
        /// The group in the row, quoted.
        group: String,
        /// The group in earlier rows, quoted.
        known: String,
    },
    /// More rows than the bytes of the file can hold.
    #[error("{place}: the file gives more than {limit} rows, too many for its size: write it again")]
    TooManyRows {
        /// The place.
        place: Place,
        /// The limit.
        limit: u64,
    },
    /// A damaged database or column file.
    #[error("{place}: the {format} file is damaged or of another kind: {reason}: write or copy it again")]
    Damaged {
        /// The table, the column or the whole file.
        place: Place,
        /// The format.
        format: TrajectoryFormat,
        /// The message of the library that reads it.
        reason: String,
    },
}

impl From<ReadError> for TrajectoryReadError {
    fn from(error: ReadError) -> Self {
        Self::Read(Box::new(error))
    }
}

/// Reason why a step is not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrajectoryWriteError {
    /// The writer failed.
    #[error("the trajectories cannot be written: {0}")]
    Io(#[from] io::Error),
    /// A name without a known end, or a format that is read only.
    #[error("{path}: the end of the name gives no format that is written: use .csv, .sqlite or .parquet")]
    UnknownFormat {
        /// The path.
        path: String,
    },
    /// A format that this writer does not write.
    #[error("{format} cannot be written here: {remedy}")]
    Unsupported {
        /// The format.
        format: TrajectoryFormat,
        /// The remedy.
        remedy: &'static str,
    },
    /// A number that is NaN or infinite.
    #[error("step {step}: agent {agent} has a position or velocity that is not finite: give finite numbers")]
    NotFinite {
        /// The step.
        step: u64,
        /// The agent.
        agent: u64,
    },
    /// A step that is not later than the step before it, in number or time.
    #[error("step {step} at {time} s comes after step {last_step} at {last} s: write steps in order of time")]
    NotLater {
        /// The step.
        step: u64,
        /// Its time, in seconds.
        time: f64,
        /// The step before it.
        last_step: u64,
        /// The time of the step before it, in seconds.
        last: f64,
    },
    /// Rows that do not ascend by agent.
    #[error("step {step}: agent {agent} comes after agent {last}: sort the rows, and give each agent one row")]
    Order {
        /// The step.
        step: u64,
        /// The agent.
        agent: u64,
        /// The agent of the row before.
        last: u64,
    },
    /// A group that the header does not have.
    #[error("step {step}: agent {agent} is in group {group}, but the header has {count} groups: name the group")]
    UnknownGroup {
        /// The step.
        step: u64,
        /// The agent.
        agent: u64,
        /// The index of the group.
        group: u32,
        /// The number of groups.
        count: usize,
    },
    /// An agent that changes its group.
    #[error("step {step}: agent {agent} is in group {group}, before it was in group {known}: keep the group")]
    TwoGroups {
        /// The step.
        step: u64,
        /// The agent.
        agent: u64,
        /// The index of the group.
        group: u32,
        /// The index of the group in earlier steps.
        known: u32,
    },
    /// A number of a step or agent that needs more than 63 bits.
    #[error("step {step}: the number {number} has more than 63 bits: use smaller numbers")]
    TooLarge {
        /// The step.
        step: u64,
        /// The number.
        number: u64,
    },
    /// A frame rate that is absent, not positive or not finite.
    #[error("the frame rate is {found}: give the header a positive number of frames in a second")]
    FrameRate {
        /// The value in the header.
        found: String,
    },
    /// A radius that is not positive or not finite.
    #[error("agent {agent} has a radius of {radius} m: give a positive number")]
    Radius {
        /// The agent.
        agent: u64,
        /// The radius, in metres.
        radius: f64,
    },
    /// A step off the frame rate. Readers of SQLite compute times by the frame rate.
    #[error("step {step} is at {time} s, by the frame rate it is at {expected} s: write every step at that rate")]
    Uneven {
        /// The step.
        step: u64,
        /// Its time, in seconds.
        time: f64,
        /// The time by the frame rate, in seconds.
        expected: f64,
    },
    /// The library that writes the format failed.
    #[error("the {format} file cannot be written: {reason}")]
    Library {
        /// The format.
        format: TrajectoryFormat,
        /// The message of the library.
        reason: String,
    },
}
