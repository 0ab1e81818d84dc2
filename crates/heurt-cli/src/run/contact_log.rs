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
use heurt::world::{BodyContact, BodyId, ContactState, Kind, Response, SolvedContact, World};
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
    /// Numbers of begins and ends.
    counts: [usize; 2],
    events: Option<EventFile>,
}

/// Pairs that began to be in contact in a step, and pairs that ended it, in the order of the bodies.
struct ContactChanges {
    begun: Vec<PairId>,
    ended: Vec<PairId>,
}

impl ContactChanges {
    /// The changes that the world reports.
    fn of_events(world: &World) -> Self {
        Self { begun: world.events().begun.clone(), ended: world.events().ended.clone() }
    }
}

impl ContactLog {
    /// Makes an empty log; with `events` each begin and end is written to that file.
    pub(super) fn new(events: Option<&Path>, world: &World) -> Result<Self, Failure> {
        let has_impulses = world.settings().response != Response::None;
        let events = events.map(|path| EventFile::create(path, has_impulses)).transpose()?;
        Ok(Self { ended: Vec::new(), open: BTreeMap::new(), dropped: 0, counts: [0; 2], events })
    }

    /// Adds the state after a step, which began at `begun` in the time of the run.
    pub(super) fn step(&mut self, world: &World, names: &[String], begun: f64) -> Result<(), Failure> {
        let now = world.time();
        let ContactChanges { begun: new, ended } = match world.settings().response {
            Response::None => ContactChanges::of_events(world),
            _ => self.find_changes(world),
        };
        for pair in &new {
            let touch = touch_of(world, pair);
            let solved = solved_of(world, pair);
            let first = solved.and_then(|contact| contact.points.first()).map(|point| &point.motion);
            let impact = touch.and_then(|touch| touch.impact.as_ref()).map(|impact| impact.time);
            let from = impact.or(first.and_then(|motion| motion.time)).map_or(now, |time| begun + time);
            let place = touch.and_then(|touch| place_of(world, touch));
            let place = place.or(first.map(|motion| (motion.point, motion.normal)));
            let interval = Interval { pair: *pair, from, to: None, deepest: 0.0, impulse: 0.0 };
            self.open.insert(*pair, interval);
            let impulse = solved.map_or(0.0, SolvedContact::impulse);
            self.write("begin", world, names, &Interval { impulse, ..interval }, from, place)?;
        }
        self.counts[0] += new.len();
        self.counts[1] += ended.len();
        self.add_state(world);
        let begun_now: BTreeSet<PairId> = new.into_iter().collect();
        for pair in ended {
            let Some(interval) = self.open.remove(&pair) else { continue };
            // Bodies that begin to touch within the step and are disjoint at its end touch at one time only.
            let is_disjoint = touch_of(world, &pair).is_none_or(|touch| touch.contact.is_none());
            let to = if begun_now.contains(&pair) && is_disjoint { interval.from } else { now };
            self.keep(Interval { to: Some(to), ..interval });
            self.write("end", world, names, &interval, to, None)?;
        }
        Ok(())
    }

    /// Adds depths and impulses of a step to the open intervals.
    fn add_state(&mut self, world: &World) {
        for touch in world.contacts() {
            if let (Some(interval), Some(contact)) = (self.open.get_mut(&[touch.a, touch.b]), &touch.contact) {
                interval.deepest = interval.deepest.max(-contact.separation);
            }
        }
        for contact in world.solved_contacts() {
            if let Some(interval) = self.open.get_mut(&[contact.a, contact.b]) {
                interval.impulse += contact.impulse();
            }
        }
    }

    /// The changes in a world with a response: bodies are in contact if they touch, or if they pushed each other in the
    /// step. Bodies at rest on each other stay in contact, even if a rounding error separates them as the step ends.
    fn find_changes(&self, world: &World) -> ContactChanges {
        let pushed = world.solved_contacts().iter().filter(|contact| contact.impulse() != 0.0);
        let is_at_rest = |contact: &&SolvedContact| {
            contact.points.iter().any(|point| point.motion.approach == ContactState::Resting)
        };
        let resting = pushed.clone().filter(is_at_rest).map(|contact| [contact.a, contact.b]);
        let touching = world.contacts().iter().filter(|touch| touch.contact.is_some());
        let present: BTreeSet<PairId> = touching.map(|touch| [touch.a, touch.b]).chain(resting).collect();
        let touched = world.contacts().iter().map(|touch| [touch.a, touch.b]);
        let met: BTreeSet<PairId> = touched.chain(pushed.map(|contact| [contact.a, contact.b])).collect();
        let is_static = |id: BodyId| world.body(id).is_some_and(|body| matches!(body.kind, Kind::Static));
        let open = self.open.keys().filter(|[a, b]| !(is_static(*a) && is_static(*b)));
        let begun: Vec<PairId> = met.iter().filter(|pair| !self.open.contains_key(*pair)).copied().collect();
        let mut ended: Vec<PairId> = open.chain(&begun).filter(|pair| !present.contains(*pair)).copied().collect();
        ended.sort_unstable();
        ContactChanges { begun, ended }
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

    /// Returns the numbers of begins and ends.
    pub(super) fn counts(&self) -> [usize; 2] {
        self.counts
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

/// Finds the contact of a pair; contacts are in the order of their pairs.
fn touch_of<'w>(world: &'w World, pair: &PairId) -> Option<&'w BodyContact> {
    let number = world.contacts().binary_search_by_key(pair, |touch| [touch.a, touch.b]).ok()?;
    world.contacts().get(number)
}

/// Finds the solved contact of a pair.
fn solved_of<'w>(world: &'w World, pair: &PairId) -> Option<&'w SolvedContact> {
    let number = world.solved_contacts().binary_search_by_key(pair, |contact| [contact.a, contact.b]).ok()?;
    world.solved_contacts().get(number)
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
