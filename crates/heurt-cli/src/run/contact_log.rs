//! Contacts of a run for people: a table of pairs, intervals for the report, a CSV line for each begin and end.

use super::record_file::unwritable;
use crate::Failure;
use crate::check::{bold, grouped, new_table};
use crate::output::{Output, printable};
use comfy_table::{Cell, CellAlignment};
use heurt::scene::{ContactEvent, ContactInterval, ContactLog, PairId};
use heurt::world::{Response, World};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Number of pairs that the table shows; `--report` has all intervals.
const MAX_SHOWN: usize = 20;

/// The contacts of a run, and the file of their begins and ends.
pub(super) struct LoggedContacts {
    pub(super) log: ContactLog,
    events: Option<EventFile>,
}

impl LoggedContacts {
    /// Makes an empty log; with `events` each begin and end is written to that file.
    pub(super) fn new(events: Option<&Path>, world: &World) -> Result<Self, Failure> {
        let has_impulses = world.settings().response != Response::None;
        let events = events.map(|path| EventFile::create(path, has_impulses)).transpose()?;
        Ok(Self { log: ContactLog::default(), events })
    }

    /// Adds the state after a step, which began at `begun` in the time of the run.
    pub(super) fn step(&mut self, world: &World, names: &[String], begun: f64) -> Result<(), Failure> {
        let events = self.log.step(world, begun);
        events.iter().try_for_each(|event| self.write(world, names, event))
    }

    /// Writes a begin or an end to the file, if there is one.
    pub(super) fn write(&mut self, world: &World, names: &[String], event: &ContactEvent) -> Result<(), Failure> {
        let Some(file) = &mut self.events else { return Ok(()) };
        file.line(world.steps(), names, event)
    }

    /// Returns the intervals for the report.
    pub(super) fn json(&self, names: &[String]) -> Vec<LoggedContactJson> {
        let json = |interval: ContactInterval| {
            let [a, b] = interval.pair.map(|id| names[id.index()].clone());
            let ContactInterval { from, to, deepest, impulse, .. } = interval;
            LoggedContactJson { a, b, from, to, deepest, impulse }
        };
        self.log.intervals().into_iter().map(json).collect()
    }

    /// Prints the pairs that touched, the deepest first.
    pub(super) fn print(&self, names: &[String], out: &mut Output) -> io::Result<()> {
        let mut pairs: BTreeMap<PairId, Pair> = BTreeMap::new();
        for interval in self.log.intervals() {
            pairs.entry(interval.pair).or_insert_with(|| Pair::new(interval)).add(interval);
        }
        if pairs.is_empty() {
            return writeln!(out, "no two bodies touched");
        }
        let mut pairs: Vec<(PairId, Pair)> = pairs.into_iter().collect();
        pairs.sort_by(|(_, x), (_, y)| y.deepest.total_cmp(&x.deepest));
        let mut table = new_table(out);
        let titles = ["body a", "body b", "times", "from,\nin s", "to,\nin s", "deepest,\nin m", "impulse,\nin N s"];
        table.set_header(titles.map(bold));
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        for (ids, pair) in pairs.iter().take(MAX_SHOWN) {
            let [a, b] = ids.map(|id| printable(&names[id.index()]));
            table.add_row([
                Cell::new(a),
                Cell::new(b),
                right(grouped(pair.count)),
                right(format!("{:.4}", pair.from)),
                right(pair.to.map_or("lasts".to_owned(), |to| format!("{to:.4}"))),
                right(if pair.deepest == 0.0 { "0".to_owned() } else { format!("{:.2e}", pair.deepest) }),
                right(if pair.impulse == 0.0 { "–".to_owned() } else { format!("{:.3e}", pair.impulse) }),
            ]);
        }
        writeln!(out, "{}", table.trim_fmt())?;
        let left = pairs.len().saturating_sub(MAX_SHOWN);
        if left > 0 {
            writeln!(out, "… and {} more pairs that touched: --report FILE.json has all", grouped(left))?;
        }
        if self.log.dropped() > 0 {
            writeln!(out, "{} contacts are not in this table: --events FILE.csv has all", grouped(self.log.dropped()))?;
        }
        Ok(())
    }
}

/// The intervals of a pair in one row.
struct Pair {
    count: usize,
    from: f64,
    to: Option<f64>,
    deepest: f64,
    impulse: f64,
}

impl Pair {
    fn new(first: ContactInterval) -> Self {
        Self { count: 0, from: first.from, to: Some(first.from), deepest: 0.0, impulse: 0.0 }
    }

    fn add(&mut self, interval: ContactInterval) {
        self.count += 1;
        self.to = self.to.zip(interval.to).map(|(latest, to)| latest.max(to));
        self.deepest = self.deepest.max(interval.deepest);
        self.impulse += interval.impulse;
    }
}

/// An interval for the report.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct LoggedContactJson {
    a: String,
    b: String,
    from: f64,
    /// Null if it lasts to the end of the run.
    to: Option<f64>,
    deepest: f64,
    impulse: f64,
}

/// The file of begins and ends.
struct EventFile {
    file: BufWriter<File>,
    path: PathBuf,
    /// Whether lines end with an impulse: of the step in which bodies came to touch, or of the whole contact.
    has_impulses: bool,
}

impl EventFile {
    fn create(path: &Path, has_impulses: bool) -> Result<Self, Failure> {
        let more = if has_impulses { ",impulse" } else { "" };
        let create = || {
            let mut file = BufWriter::new(File::create(path)?);
            writeln!(file, "step,time,event,a,b,x,y,z,nx,ny,nz{more}").map(|()| file)
        };
        let file = create().map_err(|source| unwritable(path, source))?;
        Ok(Self { file, path: path.to_owned(), has_impulses })
    }

    /// Writes a line; a killed run leaves whole lines.
    fn line(&mut self, step: u64, names: &[String], event: &ContactEvent) -> Result<(), Failure> {
        let ContactEvent { pair, is_begin, time, place, impulse } = event;
        let event = if *is_begin { "begin" } else { "end" };
        let place = place.map_or(",,,,,".to_owned(), |(point, normal)| {
            let numbers = point.to_array().into_iter().chain(normal.to_array()).map(|value| format!("{value:?}"));
            numbers.collect::<Vec<_>>().join(",")
        });
        let [a, b] = pair.map(|id| crate::check::quoted(&names[id.index()]));
        let impulse = if self.has_impulses { format!(",{impulse:?}") } else { String::new() };
        let written = writeln!(self.file, "{step},{time:?},{event},{a},{b},{place}{impulse}");
        let written = written.and_then(|()| self.file.flush());
        written.map_err(|source| unwritable(&self.path, source))
    }
}
