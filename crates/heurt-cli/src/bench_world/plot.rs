//! Cost against number and against speed, drawn.

use super::measure::BenchRow;
use super::{BenchFindings, Plan};
use crate::check::grouped;
use crate::plot::{Chart, Curve};
use plotters::prelude::SeriesLabelPosition;

/// For each speed the cost of a step against the number of boxes, then, of the greatest number that most kinds reached
/// at all speeds, against the speed.
pub(super) fn charts(plan: &Plan, findings: &BenchFindings) -> Vec<Chart> {
    let curves = |is_in: &dyn Fn(&BenchRow) -> bool, x: &dyn Fn(&BenchRow) -> f64| -> Vec<Curve> {
        let curve = |kind: &heurt::broad::BroadPhaseKind| {
            let rows = findings.rows.iter().filter(|row| row.kind == *kind && is_in(row));
            Curve { name: kind.name().to_owned(), points: rows.map(|row| [x(row), row.median * 1e3]).collect() }
        };
        plan.kinds.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect()
    };
    let against_number = |&speed: &f64| Chart {
        title: format!("Time per step against the number of boxes, at a speed of {speed}"),
        x: "boxes",
        y: "ms per step",
        curves: curves(&|row| row.speed == speed, &|row| row.count as f64),
        legend: SeriesLabelPosition::UpperLeft,
    };
    let mut charts: Vec<Chart> = plan.speeds.iter().map(against_number).collect();
    // A speed of 0 has no place on a logarithmic axis.
    let moving = plan.speeds.iter().filter(|speed| **speed > 0.0).count();
    let is_whole = |count: usize| {
        let rows = findings.rows.iter().filter(|row| row.count == count && row.speed > 0.0).count();
        2 * rows > plan.kinds.len() * moving
    };
    if let Some(&count) = plan.counts.iter().rfind(|&&count| is_whole(count)).filter(|_| moving > 1) {
        charts.push(Chart {
            title: format!("Time per step of {} boxes against their speed", grouped(count)),
            x: "speed: motion per step, in box edges",
            y: "ms per step",
            curves: curves(&|row| row.count == count && row.speed > 0.0, &|row| row.speed),
            legend: SeriesLabelPosition::UpperLeft,
        });
    }
    charts
}
