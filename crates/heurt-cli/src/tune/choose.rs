//! Which of the measured rows is chosen, and how the choice does elsewhere.
//!
//! In: rows, fastest first, and poses that they were not measured on. Out: one of them, put first, and a verdict on
//! poses that had no part in choosing. Method: rows that are close to the fastest are measured again, by turns, so that
//! what else the machine does strikes all alike, on both sets of poses; the choice is the row whose greater lag behind
//! the fastest of a set is the least: neither noise nor one set decides alone. Cost: bounded, whatever a query takes.

use super::measure::{Contest, TuneRow, mean};
use super::poses::{Placement, Poses};
use heurt::shape::{AnyTree, TreeChoice};
use std::time::Duration;

/// How the choice did on poses that it was not chosen on.
pub(crate) struct Verdict {
    pub(crate) chosen_ns: f64,
    pub(crate) best_ns: f64,
    pub(crate) best: TreeChoice,
    /// How many rows were measured there, the choice among them.
    pub(crate) compared: usize,
}

/// Why the choice is the choice.
pub(crate) struct Lead {
    /// How many rows were close.
    pub(crate) finalists: usize,
    /// How many times as slow as the fastest of them it is on either set, at most.
    pub(crate) lag: f64,
}

/// Rows that are measured together are so for this long each and set,
const TOGETHER: Duration = Duration::from_millis(400);
/// and for so long in all, as far as one round of each allows.
const ALL_TOGETHER: Duration = Duration::from_secs(6);
/// Rows within this share of the fastest are measured again
const CLOSE: f64 = 1.4;
/// but not more than so many.
const FINALISTS: usize = 12;

/// Rows that were slower than this share of the fastest are not looked at again,
pub(crate) const SLOW: f64 = 2.0;
/// nor are more than so many.
pub(crate) const KEPT: usize = 40;

/// Puts the choice first; the others stay in order.
pub(crate) fn choose(contest: &Contest<'_>, rows: &mut [TuneRow], poses: &Poses) -> Lead {
    let close = rows.iter().take_while(|row| row.trees.is_some() && row.measured_ns <= CLOSE * rows[0].measured_ns);
    let trees: Vec<&[AnyTree; 2]> = close.filter_map(|row| row.trees.as_ref()).take(FINALISTS).collect();
    let lags: Vec<Vec<f64>> = [&poses.seen, &poses.held]
        .into_iter()
        .filter(|placed| !placed.is_empty())
        .map(|placed| together(contest, &trees, placed))
        .map(|times| {
            let best = least(&times);
            times.iter().map(|time| time / times[best]).collect()
        })
        .collect();
    let greater: Vec<f64> = (0..trees.len()).map(|row| lags.iter().map(|lags| lags[row]).fold(1.0, f64::max)).collect();
    let chosen = least(&greater);
    let lead = Lead { finalists: trees.len(), lag: greater[chosen] };
    rows[..=chosen].rotate_right(1);
    lead
}

/// Measures the first of `rows`, which was chosen, and the others that were not slow, on other poses.
pub(crate) fn verdict(contest: &Contest<'_>, rows: &[TuneRow], unseen: &[Placement]) -> Verdict {
    // One round of each must end in time: where a query takes long, fewer are compared.
    let mut left = ALL_TOGETHER.as_nanos() as f64;
    let is_in_time = |row: &&TuneRow| {
        left -= row.measured_ns * unseen.len() as f64;
        left > 0.0
    };
    let fast = rows[1..].iter().filter(|row| row.trees.is_some()).take_while(is_in_time);
    let compared: Vec<&TuneRow> = rows[..1].iter().chain(fast).collect();
    let trees: Vec<&[AnyTree; 2]> = compared.iter().filter_map(|row| row.trees.as_ref()).collect();
    let times = together(contest, &trees, unseen);
    let best = least(&times);
    Verdict { chosen_ns: times[0], best_ns: times[best], best: compared[best].choice, compared: times.len() }
}

/// The mean time of each pair of trees, measured by turns.
fn together(contest: &Contest<'_>, trees: &[&[AnyTree; 2]], placed: &[Placement]) -> Vec<f64> {
    let patience = (TOGETHER * trees.len() as u32).min(ALL_TOGETHER);
    contest.times(trees, placed, patience).iter().map(|times| mean(times)).collect()
}

/// Where the least number is.
fn least(values: &[f64]) -> usize {
    (0..values.len()).min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0)
}
