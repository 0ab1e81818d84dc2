//! Charts of the examples, as SVG.

// Each example that includes this file has the charts that it needs.
#![allow(dead_code)]

use plotters::prelude::*;
use std::path::{Path, PathBuf};

/// Width and height of a chart, in pixels.
const SIZE: (u32, u32) = (900, 420);

const COLOURS: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x99, 0x99, 0x99),
    RGBColor(0x00, 0x00, 0x00),
];

pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Takes `--charts FOLDER` out of the arguments; the folder is made.
pub fn folder_of(arguments: &mut Vec<String>) -> Result<Option<PathBuf>, Fault> {
    let Some(place) = arguments.iter().position(|argument| argument == "--charts") else { return Ok(None) };
    arguments.remove(place);
    if place == arguments.len() {
        return Err("--charts needs a folder".into());
    }
    let folder = PathBuf::from(arguments.remove(place));
    std::fs::create_dir_all(&folder)?;
    Ok(Some(folder))
}

/// A row of values over x: a line, or points.
pub struct Series {
    pub name: String,
    pub values: Vec<(f64, f64)>,
    pub is_line: bool,
}

/// Draws series over x from 0.
pub fn draw_series(path: &Path, title: &str, [x_name, y_name]: [&str; 2], series: &[Series]) -> Result<(), Fault> {
    let most = |pick: fn(&(f64, f64)) -> f64| {
        series.iter().flat_map(|series| &series.values).map(pick).fold(0.0, f64::max) * 1.05
    };
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut builder = ChartBuilder::on(&root);
    builder.caption(title, ("sans-serif", 18)).margin(12).x_label_area_size(40).y_label_area_size(60);
    let mut chart = builder.build_cartesian_2d(0.0..most(|at| at.0), 0.0..most(|at| at.1))?;
    chart.configure_mesh().x_desc(x_name).y_desc(y_name).light_line_style(WHITE).draw()?;
    for (series, colour) in series.iter().zip(COLOURS.into_iter().cycle()) {
        let values = series.values.iter().copied();
        let drawn = if series.is_line {
            chart.draw_series(LineSeries::new(values, colour.stroke_width(2)))?
        } else {
            chart.draw_series(values.map(|at| Circle::new(at, 4, colour.filled())))?
        };
        drawn.label(&series.name).legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    root.present()?;
    Ok(())
}

/// Draws a bar for each row, its parts on each other; `rows` have a name and the value of each part.
pub fn draw_stacked_bars(
    path: &Path,
    title: &str,
    y_name: &str,
    parts: &[&str],
    rows: &[(String, Vec<f64>)],
) -> Result<(), Fault> {
    let most = rows.iter().map(|row| row.1.iter().sum::<f64>()).fold(0.0, f64::max) * 1.05;
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut builder = ChartBuilder::on(&root);
    builder.caption(title, ("sans-serif", 18)).margin(12).x_label_area_size(40).y_label_area_size(60);
    // Room for the legend at the right.
    let most_x = rows.len() as f64 * 1.15 - 0.3;
    let mut chart = builder.build_cartesian_2d(-0.5..most_x, 0.0..most)?;
    let name = |x: &f64| {
        let row = rows.get(x.round().max(0.0) as usize).filter(|_| (x - x.round()).abs() < 1e-6);
        row.map_or(String::new(), |row| row.0.clone())
    };
    let mut mesh = chart.configure_mesh();
    mesh.disable_x_mesh().x_labels(2 * rows.len() + 4).x_label_formatter(&name).y_desc(y_name).light_line_style(WHITE);
    mesh.draw()?;
    for (part, label) in parts.iter().enumerate() {
        let colour = COLOURS[part % COLOURS.len()];
        let bars = rows.iter().enumerate().map(|(place, (_, values))| {
            let low: f64 = values[..part].iter().sum();
            let x = place as f64;
            Rectangle::new([(x - 0.3, low), (x + 0.3, low + values[part])], colour.filled())
        });
        let drawn = chart.draw_series(bars)?;
        drawn.label(*label).legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
    }
    let mut labels = chart.configure_series_labels();
    labels.border_style(BLACK).background_style(WHITE).position(SeriesLabelPosition::UpperRight).draw()?;
    root.present()?;
    Ok(())
}
