//! The `heurt` command: finds interfering parts, and their places.
//!
//! In: mesh files, poses, or JSON lines. Out: tables on a terminal, JSON, CSV, curves and mesh files.
//! Each command is a folder: its arguments, its work, its report. The `heurt` crate computes all geometry. Guarantees:
//! same input, same output, byte for byte, for any number of threads (times appear in the human tables only); exit
//! status 0, 1 (interference or a failed request) or 2 (bad input); no colour if `NO_COLOR` is set or the output is no
//! terminal; a reader that goes away (`| head`) ends the program quietly.

mod args;
mod bench_world;
mod bodies;
mod check;
mod crowd;
mod decompose;
mod demo;
mod failure;
mod files;
mod hull;
mod input;
mod inspect;
mod interrupt;
mod length_option;
mod load;
mod make;
mod map;
mod output;
mod picture;
mod plot;
mod progress;
mod query;
mod reading;
mod repair;
mod run;
mod schema;
mod section_option;
mod simplify;
mod solid;
mod status;
mod targets;
mod threads;
mod tune;
mod units;
mod view;
mod written_pose;

use args::{Arguments, Command};
use clap::{CommandFactory, Parser};
use failure::Failure;
use output::Output;
use status::Status;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;

/// Stack of the command, in bytes: as the main thread has on Linux. A debug or release build, in which the command is
/// not optimised, takes 0.8 MB to parse its arguments, and the main thread has 1 MB on Windows.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    match thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(command) {
        Ok(command) => command.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(_) => command(),
    }
}

/// Parses the arguments and runs the command.
fn command() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(words) => return say(&suggest(words)),
    };
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

/// Replaces the error of `heurt help NAME`, which lacks a suggestion, by the error of `heurt NAME`, which has one.
fn suggest(words: clap::Error) -> clap::Error {
    let mut given = std::env::args_os().skip(1);
    let is_help = given.next().is_some_and(|word| word == "help");
    match given.next().filter(|_| is_help && words.kind() == clap::error::ErrorKind::InvalidSubcommand) {
        Some(name) => Arguments::try_parse_from(["heurt".into(), name]).err().unwrap_or(words),
        None => words,
    }
}

/// Prints help, the version, or the error of the arguments.
fn say(words: &clap::Error) -> ExitCode {
    let printed = words.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(source) if !words.use_stderr() && source.kind() != io::ErrorKind::BrokenPipe => {
            Failure::output(source).report();
            Status::BadInput.into()
        }
        _ if words.use_stderr() => Status::BadInput.into(),
        _ => Status::Clear.into(),
    }
}

fn run(arguments: Arguments, out: &mut Output) -> Result<Status, Failure> {
    match arguments.command {
        None => demo::run(arguments.report.as_deref(), out),
        Some(Command::BenchWorld(arguments)) => bench_world::run(&arguments, out),
        Some(Command::Check(arguments)) => check::run(&arguments, out),
        Some(Command::Crowd(arguments)) => crowd::run(&arguments, out),
        Some(Command::Decompose(arguments)) => decompose::run(&arguments, out),
        Some(Command::Hull(arguments)) => hull::run(&arguments, out),
        Some(Command::Inspect(arguments)) => inspect::run(&arguments, out),
        Some(Command::Make(arguments)) => make::run(&arguments, out),
        Some(Command::Map(arguments)) => map::run(&arguments, out),
        Some(Command::Query(arguments)) => query::run(&arguments, out),
        Some(Command::Repair(arguments)) => repair::run(&arguments, out),
        Some(Command::Run(arguments)) => run::run(&arguments, out),
        Some(Command::Schema(arguments)) => schema::run(&arguments, out),
        Some(Command::Simplify(arguments)) => simplify::run(&arguments, out),
        Some(Command::Solid(arguments)) => solid::run(&arguments, out),
        Some(Command::Tune(arguments)) => tune::run(&arguments, out),
        Some(Command::View(arguments)) => view::run(&arguments, out),
        Some(Command::Completions { shell }) => {
            // Through memory: the generator panics if it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "heurt", &mut script);
            out.write_all(&script).map_err(Failure::output)?;
            Ok(Status::Clear)
        }
    }
}
