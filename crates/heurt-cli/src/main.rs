//! The `heurt` command: which parts interfere, and where.
//!
//! In: mesh files, poses, or JSON lines. Out: tables on a terminal, JSON, CSV, curves and mesh files.
//! Each command is a folder: its arguments, what it does, how it reports. All geometry is asked of the `heurt` crate.
//! Guarantees: same input, same output, byte for byte, for any number of threads (times appear in the human tables
//! only); exit status 0, 1 (interference or a failed request) or 2 (bad input); no colour where `NO_COLOR` is set or no
//! terminal listens; a reader that goes away (`| head`) ends the program quietly.

mod args;
mod check;
mod demo;
mod failure;
mod inspect;
mod load;
mod make;
mod output;
mod pose;
mod progress;
mod query;
mod threads;

use args::{Arguments, Command};
use clap::{CommandFactory, Parser};
use failure::Failure;
use output::Output;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
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

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut out = Output::stdout();
    let status = run(arguments, &mut out).and_then(|status| out.finish().map(|()| status));
    match status {
        Ok(status) => status.into(),
        Err(failure) => {
            failure.report();
            Status::BadInput.into()
        }
    }
}

fn run(arguments: Arguments, out: &mut Output) -> Result<Status, Failure> {
    match arguments.command {
        None => demo::run(out),
        Some(Command::Check(arguments)) => check::run(&arguments, out),
        Some(Command::Inspect(arguments)) => inspect::run(&arguments, out),
        Some(Command::Make(arguments)) => make::run(&arguments, out),
        Some(Command::Query(arguments)) => query::run(&arguments, out),
        Some(Command::Completions { shell }) => {
            clap_complete::generate(shell, &mut Arguments::command(), "heurt", out);
            Ok(Status::Clear)
        }
    }
}
