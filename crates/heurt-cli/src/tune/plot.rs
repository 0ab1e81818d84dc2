//! Cost against distance, measured and drawn.

use super::Verb;
use super::measure::{Contest, PATIENCE, TuneRow, mean};
use super::poses::Placement;
use super::search::{Approach, Meeting};
use crate::plot::{self, Chart};
use heurt::geometry::SplitMix64;
use heurt::shape::{AnyTree, TreeChoice};
use plotters::prelude::SeriesLabelPosition;
use std::time::{Duration, Instant};

/// Cost against distance, for one choice: shares of the size, nanoseconds.
pub(crate) struct TuneCurve {
    choice: TreeChoice,
    points: Vec<[f64; 2]>,
}

/// Shares of the smaller part's size.
const DISTANCES: [f64; 10] = [0.3, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002];
/// Number of approaches to search for, and the longest time of the search.
const APPROACHES: usize = 24;
const SEARCH: Duration = Duration::from_secs(5);

/// Measures cost against distance for the best row of each volume that was not given up.
pub(crate) fn curves(contest: &Contest<'_>, rows: &[TuneRow], seed: u64) -> Vec<TuneCurve> {
    let mut random = SplitMix64::new(seed ^ 0x5eed);
    let meeting = Meeting::new(contest.a, contest.b, Some(Instant::now() + SEARCH));
    let approaches = (0..2 * APPROACHES).filter_map(|_| meeting.approach(&mut random));
    let approaches: Vec<Approach> = approaches.take(APPROACHES).collect();
    let mut best: Vec<&TuneRow> = Vec::new();
    for row in rows.iter().filter(|row| row.stopped.is_none()) {
        if best.iter().all(|known| known.choice.volume != row.choice.volume) {
            best.push(row);
        }
    }
    let curve = |row: &&TuneRow| {
        let built = row.trees.is_none().then(|| contest.build(&row.choice));
        let trees: &[AnyTree; 2] = row.trees.as_ref().or(built.as_ref())?;
        let at = |distance: f64| {
            let placed: Vec<Placement> = approaches.iter().filter_map(|one| one.at(distance)).collect();
            [distance, mean(&contest.times(&[trees], &placed, PATIENCE / 4)[0])]
        };
        Some(TuneCurve { choice: row.choice, points: DISTANCES.map(at).to_vec() })
    };
    best.iter().filter_map(curve).filter(|curve| curve.points.iter().all(|[_, ns]| *ns > 0.0)).collect()
}

/// Makes the chart of the curves, with logarithmic axes.
pub(crate) fn chart(curves: &[TuneCurve], verb: Verb) -> Chart {
    let what = match verb {
        Verb::Overlap => "overlap",
        Verb::Pairs => "all pairs",
    };
    let curves = curves.iter().map(|curve| plot::Curve {
        name: format!("{} {}", curve.choice.volume.name(), curve.choice.degree.children()),
        points: curve.points.iter().map(|[distance, ns]| [*distance, ns / 1e3]).collect(),
    });
    Chart {
        title: format!("Cost of {what} against distance"),
        x: "distance, as a share of the smaller part's size",
        y: "µs per query",
        curves: curves.collect(),
        legend: SeriesLabelPosition::UpperRight,
    }
}
