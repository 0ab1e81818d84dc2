//! Cost against distance, drawn.

use super::Verb;
use super::measure::Curve;
use crate::plot::{self, Chart};
use plotters::prelude::SeriesLabelPosition;

/// Draws the curves on logarithmic axes, as SVG text; empty where there is nothing to draw.
pub(crate) fn draw(curves: &[Curve], verb: Verb) -> String {
    let what = match verb {
        Verb::Overlap => "overlap",
        Verb::Pairs => "all pairs",
    };
    let curves = curves.iter().map(|curve| plot::Curve {
        name: format!("{} {}", curve.choice.volume.name(), curve.choice.degree.children()),
        points: curve.points.iter().map(|[distance, ns]| [*distance, ns / 1e3]).collect(),
    });
    plot::draw(&[Chart {
        title: format!("Cost of {what} against distance"),
        x: "distance, as a share of the larger part's size",
        y: "µs a query",
        curves: curves.collect(),
        legend: SeriesLabelPosition::UpperRight,
    }])
}
