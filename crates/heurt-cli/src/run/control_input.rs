//! Control lines of a program: JSON lines of standard input, or of a file.
//!
//! Method: a file is read before the run, and each of its lines names its step. Standard input is read by a thread
//! while the scene runs; a line takes effect before the next step, and the run goes in real time. A wrong line is
//! reported on standard error, and the run goes on.

use super::control::Control;
use crate::{Failure, load};
use heurt::world::World;
use serde_json::Value;
use std::io::{self, BufRead};
use std::path::Path;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Lines that may wait to be handled.
const MAX_LINES: usize = 4096;

/// The lines that control a run.
pub(super) struct ControlInput {
    /// Lines of standard input with their numbers; `None` for a file, whose lines are with the control already.
    lines: Option<Receiver<(u64, String)>>,
    /// When the next step is due, for standard input.
    due: Instant,
}

impl ControlInput {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(path: &Path, world: &World, control: &mut Control) -> Result<Self, Failure> {
        let due = Instant::now();
        if path.as_os_str() == "-" {
            return Ok(Self { lines: Some(read_standard_input()), due });
        }
        let bytes = load::read_bytes(path)?;
        let refuse = |line: usize, reason: String| Failure::BadControl { path: path.to_owned(), line, reason };
        let text = std::str::from_utf8(&bytes).map_err(|_| refuse(1, "the file is no text".to_owned()))?;
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
            let object: Value = serde_json::from_str(line).map_err(|error| refuse(number, error.to_string()))?;
            if object.get("step").is_none() {
                return Err(refuse(number, "it names no `step`: a line of a file needs one".to_owned()));
            }
            control.accept(world, object).map_err(|reason| refuse(number, reason))?;
        }
        Ok(Self { lines: None, due })
    }

    /// Passes the lines that arrived on to the control, once the next step of `step` seconds is due.
    pub(super) fn pass_lines(&mut self, world: &World, control: &mut Control, step: f64) {
        let Some(lines) = &self.lines else { return };
        let now = Instant::now();
        thread::sleep(self.due.saturating_duration_since(now));
        self.due = self.due.max(now) + Duration::try_from_secs_f64(step).unwrap_or(Duration::from_secs(3600));
        loop {
            match lines.try_recv() {
                Ok((number, line)) => pass_line(world, control, number, &line),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
            }
        }
    }
}

fn pass_line(world: &World, control: &mut Control, number: u64, line: &str) {
    if line.trim().is_empty() {
        return;
    }
    let object = serde_json::from_str::<Value>(line).map_err(|error| format!("no JSON: {error}"));
    if let Err(reason) = object.and_then(|object| control.accept(world, object)) {
        eprintln!("control, line {number}: {reason}");
    }
}

/// Reads standard input on a thread until it ends.
fn read_standard_input() -> Receiver<(u64, String)> {
    let (sender, lines) = sync_channel(MAX_LINES);
    thread::spawn(move || {
        for (line, number) in io::stdin().lock().lines().zip(1..) {
            let Ok(line) = line else { return };
            if sender.send((number, line)).is_err() {
                return;
            }
        }
    });
    lines
}
