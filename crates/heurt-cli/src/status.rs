//! Exit statuses of commands.

use std::process::ExitCode;

/// The result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing to report: no interference, every request answered.
    Clear,
    /// Interference, faults, or a request that failed.
    Found,
    /// An input could not be used.
    BadInput,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Clear => 0,
            Status::Found => 1,
            Status::BadInput => 2,
        })
    }
}
