//! Curves on log–log axes, as SVG.

use super::power::Power;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// A line through points, in part or wholly faint.
pub struct Curve<'a> {
    /// In the legend, where a name comes once, and for the colour.
    pub name: &'a str,
    /// The points.
    pub points: Vec<[f64; 2]>,
    /// How many of the points, from the first on, count; the others are faint.
    pub counted: usize,
}

/// A chart and what is drawn on it.
pub struct Chart<'a> {
    /// The headline.
    pub caption: &'a str,
    /// What x and y are.
    pub axes: [&'a str; 2],
    /// Where the legend has room.
    pub legend: SeriesLabelPosition,
    /// The curves.
    pub curves: Vec<Curve<'a>>,
    /// Dashed lines to compare slopes with: a law, the range of x, what it is.
    pub guides: Vec<(Power, [f64; 2], &'a str)>,
}

/// Every volume has its colour, the same in all plots; they differ in lightness, too.
const COLOURS: [(&str, RGBColor); 9] = [
    ("aabb", RGBColor(0, 0, 0)),
    ("sphere", RGBColor(213, 94, 0)),
    ("kdop14", RGBColor(86, 180, 233)),
    ("kdop18", RGBColor(0, 114, 178)),
    ("kdop26", RGBColor(30, 60, 110)),
    ("aabb-slab of 16", RGBColor(230, 159, 0)),
    ("aabb-slab", RGBColor(150, 110, 20)),
    ("obb", RGBColor(0, 158, 115)),
    ("rss", RGBColor(204, 121, 167)),
];

impl Chart<'_> {
    /// Draws to a file.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let mut text = String::new();
        self.draw(&mut text).map_err(|error| format!("{}: {error}", path.display()))?;
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn range(&self, k: usize) -> std::ops::Range<f64> {
        let all = || self.curves.iter().flat_map(|curve| &curve.points).map(|point| point[k]);
        all().fold(f64::INFINITY, f64::min) / 1.2..all().fold(0.0, f64::max) * 1.2
    }

    fn draw(&self, text: &mut String) -> Result<(), Box<dyn Error + '_>> {
        let root = SVGBackend::with_string(text, (900, 600)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(self.caption, ("sans-serif", 21))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(80)
            .build_cartesian_2d(self.range(0).log_scale(), self.range(1).log_scale())?;
        let [x_axis, y_axis] = self.axes;
        let no_lines = WHITE.mix(0.0);
        chart
            .configure_mesh()
            .x_desc(x_axis)
            .y_desc(y_axis)
            .x_label_formatter(&|x| number(*x))
            .y_label_formatter(&|y| number(*y))
            .light_line_style(no_lines)
            .draw()?;
        let mut names: Vec<&str> = Vec::new();
        for curve in &self.curves {
            let is_new = !names.contains(&curve.name);
            if is_new {
                names.push(curve.name);
            }
            let known = COLOURS.iter().find(|(name, _)| *name == curve.name);
            let colour = known.map_or(BLACK, |(_, colour)| *colour);
            let points = |from: usize, to: usize| curve.points[from..to].iter().map(|[x, y]| (*x, *y));
            let faint = points(curve.counted.saturating_sub(1), curve.points.len());
            chart.draw_series(LineSeries::new(faint, colour.mix(0.35).stroke_width(1)).point_size(2))?;
            let style = colour.stroke_width(2);
            let series = chart.draw_series(LineSeries::new(points(0, curve.counted), style).point_size(3))?;
            if is_new {
                let entry = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3));
                series.label(curve.name).legend(entry);
            }
        }
        for (law, [from, to], name) in &self.guides {
            let ends = [*from, *to].map(|x| (x, law.at(x)));
            let style = RGBColor(90, 90, 90).stroke_width(1);
            chart.draw_series(DashedLineSeries::new(ends, 7, 5, style))?;
            let middle = (from * to).sqrt();
            let text =
                Text::new((*name).to_string(), (middle, law.at(middle)), ("sans-serif", 14).into_font().color(&BLACK));
            chart.draw_series([text])?;
        }
        chart
            .configure_series_labels()
            .position(self.legend.clone())
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
        drop(chart);
        drop(root);
        Ok(())
    }
}

/// A number on an axis, without the zeros behind its last digit.
fn number(x: f64) -> String {
    if x >= 1000.0 {
        return super::thousands(x.round() as u64);
    }
    let text = format!("{x:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
