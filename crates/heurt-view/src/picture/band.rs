//! Band of rows of samples: colours and depths, into which triangles and lines are drawn.
//!
//! Method: a triangle is drawn row by row, by the span of columns that it covers (`span`); a line by its steps along
//! the axis that it follows more, the ones within the band only.
//! Guarantees: a sample of a triangle is drawn exactly if its three edge functions have no negative sign.
//! Cost: of a triangle, its covered samples and its rows in the band; of a line, its steps in the band.

use super::SAMPLES;
use super::raster::{LINE_BIAS, ScreenLine, ScreenTriangle, background};
use super::span::{first_where, sides, span};
use crate::palette::Colour;
use std::ops::Range;

/// Rows of samples in a band: a band of 3,200 samples a row takes 800 kB, which a cache holds.
pub(super) const BAND: usize = 64;
/// Columns from which a span is computed; the edge functions alone are as fast for fewer.
const SHORT: usize = 4;

/// Samples of a band of rows.
pub(super) struct Band {
    first: usize,
    size: [usize; 2],
    colours: Vec<Colour>,
    depths: Vec<f32>,
}

impl Band {
    /// Makes the background of the rows from `first` on.
    pub(super) fn new(first: usize, size: [usize; 2]) -> Self {
        let rows = BAND.min(size[1] - first);
        let mut colours = Vec::with_capacity(rows * size[0]);
        for row in first..first + rows {
            let mixed = background(row / SAMPLES, size[1] / SAMPLES);
            colours.resize(colours.len() + size[0], mixed);
        }
        Self { first, size, depths: vec![f32::INFINITY; colours.len()], colours }
    }

    /// Returns the rows of the band within two heights, and the columns within two widths.
    fn window(&self, [left, right]: [f32; 2], [top, bottom]: [f32; 2]) -> (Range<usize>, Range<usize>) {
        let rows = self.depths.len() / self.size[0];
        let clamp = |value: f32, most: usize| (value.max(0.0) as usize).min(most);
        let columns = clamp((left - 0.5).ceil(), self.size[0])..clamp((right + 0.5).floor(), self.size[0]);
        let first = self.first as f32;
        (clamp((top - first - 0.5).ceil(), rows)..clamp((bottom - first + 0.5).floor(), rows), columns)
    }

    /// Draws a triangle where it is in front; returns the number of samples that were visited.
    pub(super) fn draw_triangle(&mut self, triangle: &ScreenTriangle) -> usize {
        let [a, b, c] = &triangle.corners;
        let Some(sides) = sides(&triangle.corners) else { return 0 };
        let extent = |k: usize| [a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k])];
        let (rows, columns) = self.window(extent(0), extent(1));
        let mut visited = 0;
        for row in rows {
            let y = (self.first + row) as f64 + 0.5;
            let weights = sides.map(|side| side.at_row(y));
            let covered = if columns.len() > SHORT { span(&weights, columns.clone()) } else { columns.clone() };
            visited += covered.len();
            for column in covered {
                let [u, v, w] = weights.map(|side| side.weight(column as f64 + 0.5));
                if !(u >= 0.0 && v >= 0.0 && w >= 0.0) {
                    continue;
                }
                let sample = (row % SAMPLES) * SAMPLES + column % SAMPLES;
                if triangle.mask >> sample & 1 == 0 {
                    continue;
                }
                let blend = |k: usize| (u * f64::from(a[k]) + v * f64::from(b[k]) + w * f64::from(c[k])) as f32;
                let at = row * self.size[0] + column;
                let depth = blend(2);
                // A floor does not end at the far plane.
                if depth < self.depths[at] && (depth <= 1.0 || triangle.fades) {
                    self.depths[at] = depth;
                    let brightness = blend(3);
                    if triangle.fades {
                        let [behind, colour] = [self.colours[at], triangle.colour];
                        let mix =
                            |k: usize| f32::from(behind[k]) * (1.0 - brightness) + f32::from(colour[k]) * brightness;
                        self.colours[at] = std::array::from_fn(|k| mix(k).clamp(0.0, 255.0).round() as u8);
                        continue;
                    }
                    self.colours[at] = triangle.colour.map(|part| (f32::from(part) * brightness).min(255.0) as u8);
                }
            }
        }
        visited
    }

    /// Draws a line where nothing is clearly in front of it: row by row if it is steep, column by column otherwise.
    /// Returns the number of rows or columns that were visited.
    pub(super) fn draw_line(&mut self, line: &ScreenLine) -> usize {
        let [a, b] = line.ends;
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let length = dx.hypot(dy);
        let half = 0.5 * line.width;
        let (rows, columns) =
            self.window([a[0].min(b[0]) - half, a[0].max(b[0]) + half], [a[1].min(b[1]) - half, a[1].max(b[1]) + half]);
        if length == 0.0 {
            return 0;
        }
        let is_steep = dy.abs() >= dx.abs();
        let (major, minor) = if is_steep { (1, 0) } else { (0, 1) };
        let slope = (b[minor] - a[minor]) / (b[major] - a[major]);
        let spread = half * length / (b[major] - a[major]).abs();
        let (outer, inner) = if is_steep { (rows, columns) } else { (columns, rows) };
        let (outer_first, inner_first) = if is_steep { (self.first, 0) } else { (0, self.first) };
        let share = |along: usize| {
            let position = (outer_first + along) as f32 + 0.5;
            ((position - a[major]) / (b[major] - a[major])).clamp(0.0, 1.0)
        };
        let drawn = |share: f32| {
            let centre = a[minor] + (a[major] + share * (b[major] - a[major]) - a[major]) * slope - inner_first as f32;
            let from = ((centre - spread - 0.5).ceil().max(inner.start as f32)) as usize;
            from..((centre + spread + 0.5).floor().min(inner.end as f32)).max(0.0) as usize
        };
        // Each operation above is monotone, its rounding included: so are both ends of what is drawn.
        let outer = steps_within(outer, &inner, slope < 0.0, |along| drawn(share(along)));
        let visited = outer.len();
        for along in outer {
            let share = share(along);
            let depth = a[2] + (b[2] - a[2]) * share;
            for across in drawn(share) {
                let (row, column) = if is_steep { (along, across) } else { (across, along) };
                let at = row * self.size[0] + column;
                if depth - LINE_BIAS < self.depths[at] {
                    self.colours[at] = line.colour;
                }
            }
        }
        visited
    }

    /// Averages the samples of each pixel.
    pub(super) fn resolve(&self, pixels: &mut [u8], width: usize) {
        for (number, pixel) in pixels.chunks_exact_mut(3).enumerate() {
            let (row, column) = (number / width * SAMPLES, number % width * SAMPLES);
            for (k, part) in pixel.iter_mut().enumerate() {
                let mut sum = 0u32;
                for sample in 0..SAMPLES * SAMPLES {
                    let at = (row + sample / SAMPLES) * self.size[0] + column + sample % SAMPLES;
                    sum += u32::from(self.colours[at][k]);
                }
                *part = ((sum + 2) / (SAMPLES * SAMPLES) as u32) as u8;
            }
        }
    }
}

/// Returns the steps at which a line draws within `inner`. Both ends of what it draws rise from step to step, or both
/// fall.
fn steps_within(
    outer: Range<usize>,
    inner: &Range<usize>,
    is_falling: bool,
    drawn: impl Fn(usize) -> Range<usize>,
) -> Range<usize> {
    let Range { start, end } = outer;
    let begins = |step: usize| drawn(start + step).start < inner.end;
    let ends = |step: usize| drawn(start + step).end > inner.start;
    let count = end.saturating_sub(start);
    let [first, last] = match is_falling {
        false => [first_where(count, ends), first_where(count, |step| !begins(step))],
        true => [first_where(count, begins), first_where(count, |step| !ends(step))],
    };
    start + first..start + last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::raster::{Corner, LINE_BIAS};

    const SIZE: [usize; 2] = [150, 2 * BAND];

    /// Numbers from 0 to 1 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
    struct Random(u64);

    impl Random {
        fn share(&mut self) -> f32 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ mixed >> 31) >> 40) as f32 / (1 << 24) as f32
        }

        /// A corner within a square around the middle of the screen, on the grid of samples now and then.
        fn corner(&mut self, reach: f32) -> Corner {
            let [x, y] = [self.share(), self.share()].map(|share| (share - 0.5) * reach + 64.0);
            let [x, y] = if self.share() < 0.3 { [x.round() + 0.5, y.round() + 0.5] } else { [x, y] };
            [x, y, self.share(), 0.4 + 0.6 * self.share()]
        }

        fn triangle(&mut self) -> ScreenTriangle {
            let reach = [6.0, 40.0, 300.0, 1e5, 1e12, 1e30][(self.share() * 6.0) as usize];
            let a = self.corner(reach);
            let b = self.corner(reach);
            let mut c = self.corner(reach);
            if self.share() < 0.5 {
                // A sliver along the side from a to b.
                let along = self.share();
                for k in 0..2 {
                    c[k] = a[k] + (b[k] - a[k]) * along + self.share() * 3.0;
                }
            }
            let colour = [0; 3].map(|_: u8| (255.0 * self.share()) as u8);
            let mask = if self.share() < 0.2 { 0b1001 } else { u8::MAX };
            ScreenTriangle { corners: [a, b, c], colour, mask, fades: false }
        }
    }

    /// Twice the signed area of two corners and a sample; exactly opposite if the corners are swapped.
    fn edge(a: &Corner, b: &Corner, x: f64, y: f64) -> f64 {
        let is_ordered = (a[0], a[1]) <= (b[0], b[1]);
        let (from, to) = if is_ordered { (a, b) } else { (b, a) };
        let (fx, fy) = (f64::from(from[0]), f64::from(from[1]));
        let value = (f64::from(to[0]) - fx) * (y - fy) - (f64::from(to[1]) - fy) * (x - fx);
        if is_ordered { value } else { -value }
    }

    /// Draws a triangle by its edge functions at every sample; returns the number of covered samples and of rows.
    fn draw_everywhere(band: &mut Band, triangle: &ScreenTriangle) -> [usize; 2] {
        let [a, b, c] = &triangle.corners;
        let area = edge(a, b, f64::from(c[0]), f64::from(c[1]));
        let (mut covered, mut rows) = (0, 0);
        for row in 0..BAND {
            let y = (band.first + row) as f64 + 0.5;
            let extent = [a, b, c].map(|corner| f64::from(corner[1]));
            rows += usize::from(extent.iter().any(|&at| at <= y) && extent.iter().any(|&at| at >= y));
            for column in (0..SIZE[0]).filter(|_| area != 0.0) {
                let x = column as f64 + 0.5;
                let [u, v, w] = [[b, c], [c, a], [a, b]].map(|[p, q]| edge(p, q, x, y) * (1.0 / area));
                if !(u >= 0.0 && v >= 0.0 && w >= 0.0) {
                    continue;
                }
                covered += 1;
                let blend = |k: usize| (u * f64::from(a[k]) + v * f64::from(b[k]) + w * f64::from(c[k])) as f32;
                let at = row * SIZE[0] + column;
                let is_drawn = triangle.mask >> ((row % SAMPLES) * SAMPLES + column % SAMPLES) & 1 == 1;
                if is_drawn && blend(2) < band.depths[at] && blend(2) <= 1.0 {
                    band.depths[at] = blend(2);
                    let brightness = blend(3);
                    band.colours[at] = triangle.colour.map(|part| (f32::from(part) * brightness).min(255.0) as u8);
                }
            }
        }
        [covered, rows]
    }

    #[test]
    fn triangles_are_drawn_as_by_edge_functions_alone_in_few_steps() {
        let mut random = Random(1);
        for first in [0, BAND] {
            let [mut spans, mut everywhere] = [Band::new(first, SIZE), Band::new(first, SIZE)];
            for _ in 0..3000 {
                let triangle = random.triangle();
                let visited = spans.draw_triangle(&triangle);
                let [covered, rows] = draw_everywhere(&mut everywhere, &triangle);
                let short = if visited <= SHORT * rows { SHORT * rows } else { covered + rows };
                assert!(visited <= short, "{visited} visited, {covered} covered, {rows} rows of {triangle:?}");
                assert!(spans.depths == everywhere.depths && spans.colours == everywhere.colours, "{triangle:?}");
                // The picture is begun again before it is full.
                if random.share() < 0.02 {
                    [spans, everywhere] = [Band::new(first, SIZE), Band::new(first, SIZE)];
                }
            }
        }
    }

    #[test]
    fn a_long_sliver_takes_no_more_steps_than_samples_and_rows() {
        let mut band = Band::new(0, [3000, BAND]);
        let corners = [[0.0, 0.0, 0.5, 1.0], [3000.0, 64.0, 0.5, 1.0], [2999.0, 64.0, 0.5, 1.0]];
        let visited = band.draw_triangle(&ScreenTriangle { corners, colour: [9; 3], mask: u8::MAX, fades: false });
        assert!((20..=100).contains(&visited), "{visited}");
        // A line takes the columns of the band only.
        let line = |height: f32| ScreenLine {
            ends: [[0.0, 0.0, 0.5, 1.0], [3000.0, height, 0.5, 1.0]],
            colour: [9; 3],
            width: 2.0,
        };
        assert_eq!(band.draw_line(&line(0.1)), 3000);
        let steps = band.draw_line(&line(2900.0));
        assert!((64..=75).contains(&steps), "{steps}");
    }

    /// Draws a line step by step over the whole window.
    fn draw_all_steps(band: &mut Band, line: &ScreenLine) {
        let [a, b] = line.ends;
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let (length, half) = (dx.hypot(dy), 0.5 * line.width);
        let (rows, columns) =
            band.window([a[0].min(b[0]) - half, a[0].max(b[0]) + half], [a[1].min(b[1]) - half, a[1].max(b[1]) + half]);
        let is_steep = dy.abs() >= dx.abs();
        let (major, minor) = if is_steep { (1, 0) } else { (0, 1) };
        let slope = (b[minor] - a[minor]) / (b[major] - a[major]);
        let spread = half * length / (b[major] - a[major]).abs();
        let (outer, inner) = if is_steep { (rows, columns) } else { (columns, rows) };
        let (outer_first, inner_first) = if is_steep { (band.first, 0) } else { (0, band.first) };
        for along in outer.filter(|_| length != 0.0) {
            let position = (outer_first + along) as f32 + 0.5;
            let share = ((position - a[major]) / (b[major] - a[major])).clamp(0.0, 1.0);
            let centre = a[minor] + (a[major] + share * (b[major] - a[major]) - a[major]) * slope - inner_first as f32;
            let depth = a[2] + (b[2] - a[2]) * share;
            let from = ((centre - spread - 0.5).ceil().max(inner.start as f32)) as usize;
            let to = ((centre + spread + 0.5).floor().min(inner.end as f32)).max(0.0) as usize;
            for across in from..to {
                let (row, column) = if is_steep { (along, across) } else { (across, along) };
                let at = row * band.size[0] + column;
                if depth - LINE_BIAS < band.depths[at] {
                    band.colours[at] = line.colour;
                }
            }
        }
    }

    #[test]
    fn lines_are_drawn_as_by_all_their_steps() {
        let mut random = Random(2);
        for first in [0, BAND] {
            let [mut within, mut everywhere] = [Band::new(first, SIZE), Band::new(first, SIZE)];
            within.depths.iter_mut().for_each(|depth| *depth = random.share());
            everywhere.depths.clone_from(&within.depths);
            for number in 0..6000 {
                let triangle = random.triangle();
                let [a, b, _] = triangle.corners;
                let line = ScreenLine { ends: [a, b], colour: [number as u8; 3], width: 2.0 + random.share() };
                within.draw_line(&line);
                draw_all_steps(&mut everywhere, &line);
                assert!(within.colours == everywhere.colours, "{line:?}");
            }
        }
    }
}
