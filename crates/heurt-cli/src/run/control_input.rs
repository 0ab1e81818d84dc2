//! Control lines of a program: JSON lines of standard input, or of a file.
//!
//! Method: a file is read before the run, and each of its lines names its step. Standard input is read by a thread
//! while the scene runs; a line takes effect before the next step, and the run goes in real time. A wrong line is
//! reported on standard error, and the run goes on.

use super::control::{Control, Origin};
use crate::output::printable;
use crate::{Failure, load};
use heurt::world::World;
use serde_json::Value;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Lines that may wait to be handled, and lines that are handled before one step.
const MAX_LINES: usize = 1024;
/// The longest line, in bytes: 65,000 vertices of 60 letters. More go in several lines, by `moved`.
const MAX_LINE: u64 = 4 << 20;
/// Bytes of lines that may wait: twice the longest line and more. The thread that reads waits meanwhile.
const MAX_BYTES: usize = 16 << 20;
/// Time for lines before one step. The line that exceeds it is handled completely; more lines wait for the step after.
const LINE_TIME: Duration = Duration::from_millis(20);
/// Longest sleep before Ctrl-C is noticed.
const NAP: Duration = Duration::from_millis(5);

/// The lines that control a run.
pub(super) struct ControlInput {
    /// Lines of standard input with their numbers; `None` for a file, whose lines are with the control already.
    lines: Option<Receiver<(u64, Vec<u8>)>>,
    /// Bytes of the lines that wait.
    waiting: Arc<AtomicUsize>,
    /// When the next step is due, for standard input; `None` for a moment that does not come.
    due: Option<Instant>,
}

/// Reports whether a path means standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl ControlInput {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(path: &Path, world: &World, control: &mut Control) -> Result<Self, Failure> {
        let due = Some(Instant::now());
        if is_standard_input(path) {
            let waiting = Arc::new(AtomicUsize::new(0));
            return Ok(Self { lines: Some(read_standard_input(Arc::clone(&waiting))), waiting, due });
        }
        let bytes = load::read_bytes(path)?;
        let refuse = |line: usize, reason: String| Failure::BadControl { path: path.to_owned(), line, reason };
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            refuse(line, "it is no text".to_owned())
        })?;
        let text = text.trim_start_matches('\u{feff}');
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
            let object: Value = serde_json::from_str(line).map_err(|error| refuse(number, error.to_string()))?;
            if object.get("step").is_none_or(Value::is_null) {
                return Err(refuse(number, "it names no `step`: a line of a file needs one".to_owned()));
            }
            control.accept(world, object, Origin::File).map_err(|error| refuse(number, error.to_string()))?;
        }
        Ok(Self { lines: None, waiting: Arc::default(), due })
    }

    /// Passes the lines that arrived on to the control. With a `pace` in seconds it waits until the next step is due.
    pub(super) fn pass_lines(&mut self, world: &World, control: &mut Control, pace: Option<f64>, stop: &AtomicBool) {
        let Some(lines) = &self.lines else { return };
        if let Some(step) = pace {
            let is_due = |due: Option<Instant>| due.is_some_and(|due| Instant::now() >= due);
            while !is_due(self.due) && !stop.load(Ordering::Relaxed) {
                let left = self.due.map_or(NAP, |due| due.saturating_duration_since(Instant::now()));
                thread::sleep(left.min(NAP));
            }
            let paced = Duration::try_from_secs_f64(step).ok();
            self.due = paced.and_then(|paced| self.due?.max(Instant::now()).checked_add(paced));
        }
        let begun = Instant::now();
        for (number, line) in lines.try_iter().take(MAX_LINES) {
            self.waiting.fetch_sub(line.len(), Ordering::Relaxed);
            pass_line(world, control, number, &line);
            if begun.elapsed() >= LINE_TIME {
                break;
            }
        }
    }
}

fn pass_line(world: &World, control: &mut Control, number: u64, line: &[u8]) {
    let report = |reason: String| eprintln!("control, line {number}: {}", printable(&reason));
    if line.len() as u64 > MAX_LINE {
        return report(format!("it is longer than {MAX_LINE} bytes"));
    }
    let Ok(text) = std::str::from_utf8(line) else { return report("it is no text".to_owned()) };
    let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
    if text.trim().is_empty() {
        return;
    }
    match serde_json::from_str::<Value>(text) {
        Err(error) => report(format!("no JSON: {error}")),
        Ok(object) => {
            if let Err(error) = control.accept(world, object, Origin::Lines) {
                report(error.to_string());
            }
        }
    }
}

/// Reads standard input on a thread until it ends; of a line that is too long, its begin.
fn read_standard_input(waiting: Arc<AtomicUsize>) -> Receiver<(u64, Vec<u8>)> {
    let (sender, lines) = sync_channel(MAX_LINES);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        for number in 1.. {
            let mut line = Vec::new();
            let Ok(read) = input.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line) else { return };
            if read == 0 {
                return;
            }
            // The rest of a line that is too long is skipped.
            while line.len() as u64 > MAX_LINE && !line.ends_with(b"\n") {
                let mut rest = Vec::new();
                match input.by_ref().take(MAX_LINE).read_until(b'\n', &mut rest) {
                    Ok(read) if read > 0 && !rest.ends_with(b"\n") => {}
                    _ => break,
                }
            }
            while waiting.load(Ordering::Relaxed) > MAX_BYTES {
                thread::sleep(NAP);
            }
            waiting.fetch_add(line.len(), Ordering::Relaxed);
            if sender.send((number, line)).is_err() {
                return;
            }
        }
    });
    lines
}
