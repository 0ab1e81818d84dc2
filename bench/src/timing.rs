//! Timing on a machine that is not quiet.
//!
//! In: contestants, each a function of an item (a pose, a ray, a point). Out: nanoseconds and answer per item.
//! Method: rounds are interleaved (every contestant once a round, in turning order), an item's time is the least of its
//! rounds, and a contestant's figure is the median of its items. The clock's own cost is measured and taken off.
//! Items of a few nanoseconds are timed a whole sweep at a time.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// A call shorter than this is repeated between two looks at the clock, which shows tens of nanoseconds at a time.
const SHORT_NS: f64 = 500.0;
/// How often.
const REPEATS: u32 = 32;

/// How items are timed.
#[derive(Debug, Clone, Copy)]
pub enum Mode {
    /// Each call by itself.
    Each,
    /// Each call 32 times between two looks at the clock, however long it takes.
    Repeated,
    /// All items this many times between two looks at the clock.
    Sweep(usize),
    /// Each call by itself, after one that is not timed: whoever went before has filled the caches with other things, and for
    /// some contestants with their own.
    Warm,
}

/// One contestant's notes.
pub struct Lap {
    mode: Mode,
    clock_ns: f64,
    times: Vec<f64>,
    answers: Vec<u64>,
}

/// Something to be timed.
pub struct Contestant<'a> {
    name: String,
    run: Box<dyn FnMut(&mut Lap) + 'a>,
}

/// What a contestant did.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Who.
    pub name: String,
    /// Nanoseconds per item, the least of all rounds.
    pub times: Vec<f64>,
    /// The answer per item.
    pub answers: Vec<u64>,
}

impl<'a> Contestant<'a> {
    /// Names a function of an item.
    pub fn new(name: impl Into<String>, mut call: impl FnMut(usize) -> u64 + 'a) -> Self {
        Self { name: name.into(), run: Box::new(move |lap| lap.run(&mut call)) }
    }
}

impl Lap {
    #[inline(always)]
    fn run(&mut self, call: &mut impl FnMut(usize) -> u64) {
        let items = self.times.len();
        match self.mode {
            Mode::Repeated => {
                for item in 0..items {
                    let start = Instant::now();
                    for _ in 0..REPEATS {
                        self.answers[item] = black_box(call(black_box(item)));
                    }
                    let ns = (start.elapsed().as_nanos() as f64 - self.clock_ns) / f64::from(REPEATS);
                    self.times[item] = self.times[item].min(ns.max(0.0));
                }
            }
            Mode::Each => {
                for item in 0..items {
                    let start = Instant::now();
                    let answer = black_box(call(black_box(item)));
                    let mut ns = start.elapsed().as_nanos() as f64 - self.clock_ns;
                    if ns < SHORT_NS {
                        let start = Instant::now();
                        for _ in 0..REPEATS {
                            black_box(call(black_box(item)));
                        }
                        ns = (start.elapsed().as_nanos() as f64 - self.clock_ns) / f64::from(REPEATS);
                    }
                    self.times[item] = self.times[item].min(ns.max(0.0));
                    self.answers[item] = answer;
                }
            }
            Mode::Warm => {
                for item in 0..items {
                    black_box(call(black_box(item)));
                    let start = Instant::now();
                    let answer = black_box(call(black_box(item)));
                    let ns = start.elapsed().as_nanos() as f64 - self.clock_ns;
                    self.times[item] = self.times[item].min(ns.max(0.0));
                    self.answers[item] = answer;
                }
            }
            Mode::Sweep(repeats) => {
                let start = Instant::now();
                for _ in 0..repeats {
                    for item in 0..items {
                        self.answers[item] = black_box(call(black_box(item)));
                    }
                }
                let ns = start.elapsed().as_nanos() as f64 / (repeats * items) as f64;
                self.times.iter_mut().for_each(|time| *time = time.min(ns));
            }
        }
    }
}

impl Outcome {
    /// The median over the items, in nanoseconds.
    pub fn median(&self) -> f64 {
        median(&self.times)
    }

    /// The mean over the items, in nanoseconds.
    pub fn mean(&self) -> f64 {
        self.times.iter().sum::<f64>() / self.times.len() as f64
    }

    /// Counts the items whose answer is not the expected one.
    pub fn wrong(&self, expected: &[u64]) -> usize {
        self.answers.iter().zip(expected).filter(|(answer, right)| answer != right).count()
    }
}

/// The middle value; NaN for none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Times all contestants on `items` items, interleaved. One that has used up `budget` sits out further rounds.
pub fn contest(
    items: usize,
    rounds: usize,
    mode: Mode,
    budget: Duration,
    contestants: Vec<Contestant<'_>>,
) -> Vec<Outcome> {
    let clock_ns = clock_cost();
    let mut field: Vec<(Contestant, Lap, Duration)> = contestants
        .into_iter()
        .map(|contestant| {
            let lap = Lap { mode, clock_ns, times: vec![f64::INFINITY; items], answers: vec![0; items] };
            (contestant, lap, Duration::ZERO)
        })
        .collect();
    for round in 0..rounds {
        for turn in 0..field.len() {
            let place = (turn + round) % field.len();
            let (contestant, lap, used) = &mut field[place];
            if round == 0 || *used < budget {
                let start = Instant::now();
                (contestant.run)(lap);
                *used += start.elapsed();
            }
        }
    }
    field
        .into_iter()
        .map(|(contestant, lap, _)| Outcome { name: contestant.name, times: lap.times, answers: lap.answers })
        .collect()
}

/// Times each contestant as a whole, as one item: for builds, refits and loads.
pub fn race(rounds: usize, contestants: Vec<Contestant<'_>>) -> Vec<Outcome> {
    contest(1, rounds, Mode::Warm, Duration::from_secs(60), contestants)
}

/// What two looks at the clock cost, in nanoseconds.
fn clock_cost() -> f64 {
    let looks: Vec<f64> = (0..1001).map(|_| Instant::now().elapsed().as_nanos() as f64).collect();
    median(&looks)
}
