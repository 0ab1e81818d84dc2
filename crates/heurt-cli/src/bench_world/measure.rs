//! Measurement of one kind of broad phase with a given number of boxes and speed.

use super::Plan;
use heurt::broad::bench_world::{Motion, MovingBoxes};
use heurt::broad::{BroadPhase, BroadPhaseError, BroadPhaseKind, Filter};
use std::fmt;
use std::time::{Duration, Instant};

/// A measurement.
pub(super) struct BenchRow {
    pub(super) kind: BroadPhaseKind,
    pub(super) count: usize,
    /// Motion a step, in edges.
    pub(super) speed: f64,
    /// Number of pairs after the last step.
    pub(super) pairs: usize,
    /// Number of steps that were timed.
    pub(super) steps: usize,
    /// Seconds a step.
    pub(super) median: f64,
    pub(super) mean: f64,
    pub(super) slowest: f64,
    /// Seconds of all insertions and the first step.
    pub(super) start: f64,
    pub(super) bytes: usize,
}

/// Limits of a kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) seconds: f64,
    pub(super) bytes: usize,
}

/// Reason for which a kind is not measured with more boxes.
#[derive(Debug, Clone)]
pub(super) enum BenchLimit {
    Time {
        seconds: f64,
    },
    Memory {
        bytes: usize,
    },
    /// It would need this amount, estimated, and was not measured.
    ExpectedMemory {
        bytes: f64,
    },
    Refused(BroadPhaseError),
}

impl fmt::Display for BenchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time { seconds } => write!(f, "{:.3} s a step", seconds),
            Self::Memory { bytes } => write!(f, "{} MiB", bytes >> 20),
            Self::ExpectedMemory { bytes } => write!(f, "about {:.0} MiB", bytes / f64::from(1 << 20)),
            Self::Refused(error) => write!(f, "{error}"),
        }
    }
}

impl Budget {
    /// Returns the limit that a row exceeds, if any.
    pub(super) fn limit(&self, row: &BenchRow) -> Option<BenchLimit> {
        match () {
            () if row.bytes > self.bytes => Some(BenchLimit::Memory { bytes: row.bytes }),
            () if row.median > self.seconds => Some(BenchLimit::Time { seconds: row.median }),
            () => None,
        }
    }
}

/// Factors by which the two smaller worlds that predict the memory have fewer boxes.
const FEWER: [usize; 2] = [16, 8];
/// Worlds of fewer boxes are measured without this prediction.
const SMALL: usize = 2_000;

/// Refuses, before it is measured, a kind that would exceed its memory: its bytes are assumed to grow as between two
/// smaller worlds.
fn check_memory(kind: BroadPhaseKind, count: usize, speed: f64, plan: &Plan) -> Result<(), BenchLimit> {
    if count < SMALL {
        return Ok(());
    }
    let [few, more] = FEWER.map(|times| count / times);
    let (of_few, of_more) = (bytes(kind, few, speed, plan)?, bytes(kind, more, speed, plan)?);
    let power = (of_more / of_few).ln() / (more as f64 / few as f64).ln();
    let expected = of_more * (count as f64 / more as f64).powf(power);
    if expected > plan.budget.bytes as f64 { Err(BenchLimit::ExpectedMemory { bytes: expected }) } else { Ok(()) }
}

/// Measures the bytes of a kind after a first step and a step in which boxes moved.
fn bytes(kind: BroadPhaseKind, count: usize, speed: f64, plan: &Plan) -> Result<f64, BenchLimit> {
    let mut world = MovingBoxes::new(Motion { speed, ..Motion::default() }, count, plan.seed);
    let mut phase = kind.create();
    fill(&mut *phase, &world)?;
    world.advance();
    phase.update(world.moves()).map_err(BenchLimit::Refused)?;
    phase.step();
    Ok(phase.stats().bytes.max(1) as f64)
}

/// Inserts all boxes and takes the first step.
fn fill(phase: &mut dyn BroadPhase, world: &MovingBoxes) -> Result<(), BenchLimit> {
    for (id, bounds) in world.boxes().iter().enumerate() {
        phase.insert(id as u32, bounds, Filter::MOVING).map_err(BenchLimit::Refused)?;
    }
    phase.step();
    Ok(())
}

/// Number of steps that are not timed: after them fat boxes are fitted to the motion of their objects.
const WARM_UP: usize = 12;
/// Approximate time of all steps, unless [`FEW`] timed steps take longer.
const PATIENCE: Duration = Duration::from_millis(500);
/// Least number of timed steps.
const FEW: usize = 5;

/// Measures a kind; the error is the limit that it would exceed.
pub(super) fn row(kind: BroadPhaseKind, count: usize, speed: f64, plan: &Plan) -> Result<BenchRow, BenchLimit> {
    check_memory(kind, count, speed, plan)?;
    let mut world = MovingBoxes::new(Motion { speed, ..Motion::default() }, count, plan.seed);
    let mut phase = kind.create();
    let begun = Instant::now();
    fill(&mut *phase, &world)?;
    let start = begun.elapsed().as_secs_f64();
    let mut times = Vec::with_capacity(plan.steps);
    let mut spent = Duration::ZERO;
    for step in 0..WARM_UP + plan.steps {
        world.advance();
        let begun = Instant::now();
        phase.update(world.moves()).map_err(BenchLimit::Refused)?;
        phase.step();
        let time = begun.elapsed();
        spent += time;
        // If steps are slow, warm-up steps count too, except the first.
        if step >= WARM_UP || (step > 0 && spent > PATIENCE) {
            times.push(time.as_secs_f64());
        }
        if spent > PATIENCE && times.len() >= FEW.min(plan.steps) {
            break;
        }
    }
    let stats = phase.stats();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    times.sort_by(f64::total_cmp);
    let (median, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    let (pairs, bytes, steps) = (stats.pairs, stats.bytes, times.len());
    Ok(BenchRow { kind, count, speed, pairs, steps, median, mean, slowest, start, bytes })
}

/// Computes the power of n + m that the cost grows with: the slope of the line through the last three points, in
/// logarithms.
pub(super) fn exponent(rows: &[&BenchRow]) -> Option<f64> {
    let last = &rows[rows.len().saturating_sub(3)..];
    let points: Vec<[f64; 2]> =
        last.iter().map(|row| [((row.count + row.pairs) as f64).ln(), row.median.max(1e-9).ln()]).collect();
    let mean = |k: usize| points.iter().map(|point| point[k]).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let moment = |k: usize| points.iter().map(|point| (point[0] - x) * (point[k] - [x, y][k])).sum::<f64>();
    (points.len() >= 2).then(|| moment(1) / moment(0))
}
