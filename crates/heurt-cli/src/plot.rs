//! Curves on logarithmic axes, as SVG or PNG, by the ending of the name.
//!
//! In: charts, each with its words and curves. Out: a file with the picture, one chart below another; an error if there
//! is nothing to draw.

mod canvas;

use crate::Failure;
use crate::output;
use canvas::Canvas;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

/// A line through points, and its name.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) points: Vec<[f64; 2]>,
}

/// Curves with a title and the names of the axes.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    pub(crate) curves: Vec<Curve>,
    pub(crate) legend: SeriesLabelPosition,
}

/// Width and height of a chart.
const SIZE: (u32, u32) = (900, 600);

/// The extensions of pictures.
const ENDINGS: [&str; 2] = ["svg", "png"];

/// Refuses a file name without the extension of a picture.
pub(crate) fn check_name(path: &Path) -> Result<(), Failure> {
    if ENDINGS.iter().any(|ending| ends_with(path, ending)) {
        return Ok(());
    }
    // A name that begins with a dot has no extension.
    let is = |name: &str| path.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name));
    let reason = match (is(".svg"), is(".png")) {
        (true, _) => "the name has nothing before `.svg`",
        (_, true) => "the name has nothing before `.png`",
        _ => "plots are drawn as SVG or PNG",
    };
    Err(Failure::NoPlotFormat { path: path.to_owned(), reason })
}

fn ends_with(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
}

/// Draws charts to a file, without charts that have no points; if nothing can be drawn, an existing file stays.
pub(crate) fn write(path: &Path, charts: &[Chart]) -> Result<(), Failure> {
    let is_drawn = |chart: &&Chart| chart.curves.iter().any(|curve| !curve.points.is_empty());
    let charts: Vec<&Chart> = charts.iter().filter(is_drawn).collect();
    if charts.is_empty() {
        return Err(Failure::NothingToDraw { path: path.to_owned() });
    }
    let size = (SIZE.0, SIZE.1 * charts.len() as u32);
    let picture = if ends_with(path, "png") {
        let mut canvas = Canvas::new(size);
        draw(&charts, (&mut canvas).into_drawing_area());
        canvas.png()
    } else {
        let mut text = String::new();
        draw(&charts, SVGBackend::with_string(&mut text, size).into_drawing_area());
        text.into_bytes()
    };
    output::to_file(path, |file| Ok(file.write_all(&picture)?))
}

fn draw<B: DrawingBackend>(charts: &[&Chart], root: DrawingArea<B, Shift>) {
    // A name has the same colour in all charts.
    let mut names: Vec<&str> = charts.iter().flat_map(|chart| &chart.curves).map(|curve| curve.name.as_str()).collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    for (chart, area) in charts.iter().zip(&root.split_evenly((charts.len(), 1))) {
        // Drawing into memory cannot fail, except for the backend's own errors, which leave the picture unfinished.
        let _ = try_draw(chart, &names, area);
    }
    let _ = root.present();
}

/// Formats a number without the digits that binary fractions leave.
fn tidy(x: &f64) -> String {
    let digits = format!("{x:.9}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn try_draw<B: DrawingBackend>(
    chart: &Chart,
    names: &[&str],
    area: &DrawingArea<B, Shift>,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let points = || chart.curves.iter().flat_map(|curve| &curve.points);
    let range = |k: usize| {
        let least = points().map(|point| point[k]).fold(f64::INFINITY, f64::min);
        let greatest = points().map(|point| point[k]).fold(f64::NEG_INFINITY, f64::max);
        least / 1.2..greatest * 1.2
    };
    area.fill(&WHITE)?;
    let mut plot = ChartBuilder::on(area)
        .caption(&chart.title, ("sans-serif", 22))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(range(0).log_scale(), range(1).log_scale())?;
    plot.configure_mesh()
        .x_desc(chart.x)
        .y_desc(chart.y)
        .x_label_formatter(&tidy)
        .y_label_formatter(&tidy)
        .light_line_style(WHITE.mix(0.0))
        .draw()?;
    for curve in &chart.curves {
        let number = names.iter().position(|name| *name == curve.name).unwrap_or(0);
        let colour = Palette99::pick(number).to_rgba();
        let line = curve.points.iter().map(|[x, y]| (*x, *y));
        plot.draw_series(LineSeries::new(line, colour.stroke_width(2)).point_size(3))?
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
    }
    plot.configure_series_labels()
        .position(chart.legend.clone())
        // Wide enough for the letters of either format.
        .label_font(("sans-serif", 16))
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}
