//! Choice of the fastest of the measured rows, and its evaluation on unseen poses.
//!
//! In: rows, fastest first, and poses that they were not measured on. Out: one of them, put first, and a verdict on
//! poses that took no part in the choice. Method: rows that are close to the fastest are measured again, in turn, on
//! both sets of poses, so that other load of the machine affects all alike. For each row, the greater of its lags
//! behind the fastest of either set counts; the choice is the row with the least. So neither noise nor one set decides
//! alone. Cost: bounded, for any duration of a query.

use super::measure::{Contest, TuneRow, mean};
use super::poses::{Placement, Poses};
use heurt::shape::{AnyTree, TreeChoice};
use std::time::Duration;

/// Result of the choice on poses that it was not chosen on.
pub(crate) struct Verdict {
    pub(crate) chosen_ns: f64,
    pub(crate) best_ns: f64,
    pub(crate) best: TreeChoice,
    /// Number of rows measured there, including the choice.
    pub(crate) compared: usize,
}

/// Reason of the choice.
pub(crate) struct Lead {
    /// Number of rows that were close.
    pub(crate) finalists: usize,
    /// How many times as slow as the fastest of them it is on either set, at most.
    pub(crate) lag: f64,
}

/// Time for each row and set of rows that are measured together.
const TOGETHER: Duration = Duration::from_millis(200);
/// Longest total time, if one round of each row allows it.
const ALL_TOGETHER: Duration = Duration::from_secs(3);
/// Rows within this factor of the fastest are measured again.
const CLOSE: f64 = 1.4;
/// Largest number of rows that are measured again.
const FINALISTS: usize = 12;

/// Trees of rows slower than this multiple of the fastest are not kept for later measurements.
pub(crate) const SLOW: f64 = 2.0;
/// Largest number of rows whose trees are kept.
pub(crate) const KEPT: usize = 40;

/// Puts the choice first; the order of the remaining rows does not change.
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

/// Measures the first of `rows`, which was chosen, and the rows whose trees were kept, on other poses.
pub(crate) fn verdict(contest: &Contest<'_>, rows: &[TuneRow], unseen: &[Placement]) -> Verdict {
    // One round of each must end in time: if a query takes long, fewer rows are compared.
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

/// Measures the mean time of each pair of trees, in turn.
fn together(contest: &Contest<'_>, trees: &[&[AnyTree; 2]], placed: &[Placement]) -> Vec<f64> {
    let patience = (TOGETHER * trees.len() as u32).min(ALL_TOGETHER);
    contest.times(trees, placed, patience).iter().map(|times| mean(times)).collect()
}

/// Returns the index of the least number.
fn least(values: &[f64]) -> usize {
    (0..values.len()).min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0)
}
