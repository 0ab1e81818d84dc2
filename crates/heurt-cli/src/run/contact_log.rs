//! Contact log: the contacts of a run as intervals of time, and a CSV line for each begin and end.
//!
//! In: the world after each step. Out: [`ContactLog`]: an interval for each time that two bodies touch, with the
//! deepest separation and the impulse in it; a table of pairs; `--events FILE.csv`.
//! Guarantees: pairs in the order of the bodies, the same for any number of threads. Memory: at most [`MAX_INTERVALS`]
//! intervals are kept; further ones are counted, and still written to the CSV file.

use super::record::unwritable;
use crate::Failure;
use crate::check::{bold, grouped, new_table};
use crate::output::{Output, printable};
use comfy_table::{Cell, CellAlignment};
use heurt::geometry::Vec3;
use heurt::world::{BodyContact, BodyId, Response, World};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Number of intervals that are kept: some 10 MB.
const MAX_INTERVALS: usize = 100_000;
/// Number of pairs that the table shows; `--report` has all intervals.
const MAX_SHOWN: usize = 20;

/// Two bodies by their ids, the body that was added to the world first in front.
type PairId = [BodyId; 2];

/// An interval of time in which two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Interval {
    pair: PairId,
    /// Begin, in seconds of the run.
    from: f64,
    /// End, in seconds of the run; `None` while they touch.
    to: Option<f64>,
    /// The greatest depth at the end of a step, in metres; 0 if they only touch.
    deepest: f64,
    /// Sum of normal impulses, in N·s.
    impulse: f64,
}

/// The contacts of a run.
pub(super) struct ContactLog {
    ended: Vec<Interval>,
    open: BTreeMap<PairId, Interval>,
    /// Number of intervals beyond [`MAX_INTERVALS`].
    dropped: usize,
    events: Option<EventFile>,
}

impl ContactLog {
    /// Makes an empty log; with `events` each begin and end is written to that file.
    pub(super) fn new(events: Option<&Path>, world: &World) -> Result<Self, Failure> {
        let has_impulses = world.settings().response != Response::None;
        let events = events.map(|path| EventFile::create(path, has_impulses)).transpose()?;
        Ok(Self { ended: Vec::new(), open: BTreeMap::new(), dropped: 0, events })
    }

    /// Adds the state after a step, which began at `begun` in the time of the run.
    pub(super) fn step(&mut self, world: &World, names: &[String], begun: f64) -> Result<(), Failure> {
        // Contacts are in the order of their pairs.
        let number_of = |pair: &PairId| world.touches().binary_search_by_key(pair, |touch| [touch.a, touch.b]).ok();
        let touch_of = |pair: &PairId| number_of(pair).map(|number| &world.touches()[number]);
        let now = world.time();
        for pair in &world.events().begun {
            let touch = touch_of(pair);
            let impact = touch.and_then(|touch| touch.impact.as_ref());
            let from = impact.map_or(now, |impact| begun + impact.time);
            let impulse = world.solved_contacts().binary_search_by_key(pair, |contact| [contact.a, contact.b]);
            let impulse = impulse.map_or(0.0, |number| world.solved_contacts()[number].impulse());
            let interval = Interval { pair: *pair, from, to: None, deepest: 0.0, impulse };
            self.open.insert(*pair, Interval { impulse: 0.0, ..interval });
            let place = touch.and_then(|touch| place_of(world, touch));
            self.write("begin", world, names, &interval, from, place)?;
        }
        self.add_impulses(world, names, begun)?;
        for touch in world.touches() {
            if let (Some(interval), Some(contact)) = (self.open.get_mut(&[touch.a, touch.b]), &touch.contact) {
                interval.deepest = interval.deepest.max(-contact.separation);
            }
        }
        let begun_now: BTreeSet<PairId> = world.events().begun.iter().copied().collect();
        for pair in &world.events().ended {
            let Some(interval) = self.open.remove(pair) else { continue };
            // Bodies that begin to touch within the step and are disjoint at its end touch at one time only.
            let passed = begun_now.contains(pair) && touch_of(pair).is_some_and(|touch| touch.contact.is_none());
            let to = if passed { interval.from } else { now };
            self.keep(Interval { to: Some(to), ..interval });
            self.write("end", world, names, &interval, to, None)?;
        }
        Ok(())
    }

    /// Adds the impulses of the step. Bodies that pushed each other in a step and touch neither at its begin nor at its
    /// end have an interval of their own: a bounce.
    fn add_impulses(&mut self, world: &World, names: &[String], begun: f64) -> Result<(), Failure> {
        let now = world.time();
        for contact in world.solved_contacts() {
            let (pair, impulse) = ([contact.a, contact.b], contact.impulse());
            if let Some(interval) = self.open.get_mut(&pair) {
                interval.impulse += impulse;
            } else if impulse != 0.0 {
                let first = contact.points.first().map(|point| &point.motion);
                let time = first.and_then(|motion| motion.time);
                let [from, to] = time.map_or([begun, now], |time| [begun + time; 2]);
                let deepest = contact.points.iter().fold(0.0f64, |deepest, at| deepest.max(-at.motion.separation));
                let interval = Interval { pair, from, to: Some(to), deepest, impulse };
                let place = first.map(|motion| (motion.point, motion.normal));
                self.keep(interval);
                self.write("begin", world, names, &interval, from, place)?;
                self.write("end", world, names, &interval, to, None)?;
            }
        }
        Ok(())
    }

    /// Adds a pair that touches throughout the run: two static bodies.
    pub(super) fn add_static(
        &mut self,
        world: &World,
        names: &[String],
        pair: PairId,
        depth: f64,
        place: Option<(Vec3, Vec3)>,
    ) -> Result<(), Failure> {
        let interval = Interval { pair, from: 0.0, to: None, deepest: depth.max(0.0), impulse: 0.0 };
        self.open.insert(pair, interval);
        self.write("begin", world, names, &interval, 0.0, place)
    }

    /// Returns the number of contacts whose intervals were dropped.
    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }

    fn keep(&mut self, interval: Interval) {
        match self.ended.len() < MAX_INTERVALS {
            true => self.ended.push(interval),
            false => self.dropped += 1,
        }
    }

    fn write(
        &mut self,
        event: &str,
        world: &World,
        names: &[String],
        interval: &Interval,
        time: f64,
        place: Option<(Vec3, Vec3)>,
    ) -> Result<(), Failure> {
        let names = interval.pair.map(|id| names[id.index()].as_str());
        let Some(events) = &mut self.events else { return Ok(()) };
        events.line(world.steps(), time, event, names, place, interval.impulse)
    }

    /// Returns all intervals, ended and open ones, by the time at which they began.
    fn intervals(&self) -> Vec<Interval> {
        let mut all: Vec<Interval> = self.ended.iter().chain(self.open.values()).copied().collect();
        all.sort_by(|x, y| x.from.total_cmp(&y.from).then(x.pair.cmp(&y.pair)));
        all
    }

    /// Returns the intervals for the report.
    pub(super) fn json(&self, names: &[String]) -> Vec<LoggedContactJson> {
        let json = |interval: Interval| {
            let [a, b] = interval.pair.map(|id| names[id.index()].clone());
            let Interval { from, to, deepest, impulse, .. } = interval;
            LoggedContactJson { a, b, from, to, deepest, impulse }
        };
        self.intervals().into_iter().map(json).collect()
    }

    /// Prints the pairs that touched, the deepest first.
    pub(super) fn print(&self, names: &[String], out: &mut Output) -> io::Result<()> {
        let mut pairs: BTreeMap<PairId, Pair> = BTreeMap::new();
        for interval in self.intervals() {
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
        if self.dropped > 0 {
            writeln!(out, "{} contacts are not in this table: --events FILE.csv has all", grouped(self.dropped))?;
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
    fn new(first: Interval) -> Self {
        Self { count: 0, from: first.from, to: Some(first.from), deepest: 0.0, impulse: 0.0 }
    }

    fn add(&mut self, interval: Interval) {
        self.count += 1;
        self.to = self.to.zip(interval.to).map(|(latest, to)| latest.max(to));
        self.deepest = self.deepest.max(interval.deepest);
        self.impulse += interval.impulse;
    }
}

/// An interval for the report.
#[derive(Debug, Serialize)]
pub(super) struct LoggedContactJson {
    a: String,
    b: String,
    from: f64,
    /// Null if it lasts to the end of the run.
    to: Option<f64>,
    deepest: f64,
    impulse: f64,
}

/// Returns the point and the normal of a contact: of the impact within the step, else of the first contact point.
fn place_of(world: &World, touch: &BodyContact) -> Option<(Vec3, Vec3)> {
    if let Some(impact) = &touch.impact {
        return Some((impact.point, impact.normal.unwrap_or(Vec3::ZERO)));
    }
    world.contact_motions(touch).first().map(|met| (met.point, met.normal))
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
    fn line(
        &mut self,
        step: u64,
        time: f64,
        event: &str,
        [a, b]: [&str; 2],
        place: Option<(Vec3, Vec3)>,
        impulse: f64,
    ) -> Result<(), Failure> {
        let place = place.map_or(",,,,,".to_owned(), |(point, normal)| {
            let numbers = point.to_array().into_iter().chain(normal.to_array()).map(|value| format!("{value:?}"));
            numbers.collect::<Vec<_>>().join(",")
        });
        let [a, b] = [a, b].map(crate::check::quoted);
        let impulse = if self.has_impulses { format!(",{impulse:?}") } else { String::new() };
        let written = writeln!(self.file, "{step},{time:?},{event},{a},{b},{place}{impulse}");
        let written = written.and_then(|()| self.file.flush());
        written.map_err(|source| unwritable(&self.path, source))
    }
}
