//! Cost against distance, drawn.

use super::Verb;
use super::measure::Curve;
use plotters::prelude::*;

/// Draws the curves on logarithmic axes, as SVG text; empty where there is nothing to draw.
pub(crate) fn draw(curves: &[Curve], verb: Verb) -> String {
    let mut text = String::new();
    // Drawing into a string cannot fail but for the backend's own errors, which leave the picture unfinished.
    let _ = try_draw(curves, verb, &mut text);
    text
}

fn try_draw(curves: &[Curve], verb: Verb, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let range = |k: usize| {
        let least = points().map(|point| point[k]).fold(f64::INFINITY, f64::min);
        let greatest = points().map(|point| point[k]).fold(f64::NEG_INFINITY, f64::max);
        least / 1.2..greatest * 1.2
    };
    if points().next().is_none() {
        return Ok(());
    }
    let root = SVGBackend::with_string(text, (900, 600)).into_drawing_area();
    root.fill(&WHITE)?;
    let what = match verb {
        Verb::Overlap => "overlap",
        Verb::Pairs => "all pairs",
    };
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("Cost of {what} against distance"), ("sans-serif", 22))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(range(0).log_scale(), {
            let ns = range(1);
            (ns.start / 1e3..ns.end / 1e3).log_scale()
        })?;
    chart
        .configure_mesh()
        .x_desc("distance, as a share of the larger part's size")
        .y_desc("µs a query")
        .light_line_style(WHITE.mix(0.0))
        .draw()?;
    for (index, curve) in curves.iter().enumerate() {
        let colour = Palette99::pick(index).to_rgba();
        let line = curve.points.iter().map(|[distance, ns]| (*distance, ns / 1e3));
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)).point_size(3))?
            .label(format!("{} {}", curve.choice.volume.name(), curve.choice.degree.children()))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    root.present()?;
    Ok(())
}
