//! Image of red, green and blue bytes, with lines and letters, and its file as PNG.
//!
//! Letters are those of Noto Sans Mono in two heights, the same on every machine. Letters outside Latin-1 are drawn as
//! `?`.

use crate::palette::Colour;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// Rows of pixels from the top, three bytes each.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

/// The height of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LetterSize {
    Small,
    Large,
}

impl LetterSize {
    fn raster(self) -> RasterHeight {
        match self {
            Self::Small => RasterHeight::Size16,
            Self::Large => RasterHeight::Size20,
        }
    }

    /// Returns the height of a line, in pixels.
    pub(super) fn height(self) -> usize {
        self.raster().val()
    }

    /// Returns the width of a text, in pixels.
    pub(super) fn width(self, text: &str) -> usize {
        text.chars().count() * get_raster_width(FontWeight::Regular, self.raster())
    }
}

impl Image {
    /// The longest side, in pixels: an image of this side squared takes 200 MB.
    pub const MAX_SIDE: usize = 8192;

    /// Makes an image of one colour.
    pub fn new(width: usize, height: usize, colour: Colour) -> Self {
        Self { width, height, pixels: colour.repeat(width * height) }
    }

    /// Makes an image of pixels in rows, three bytes each.
    pub(super) fn of_pixels(width: usize, height: usize, pixels: Vec<u8>) -> Self {
        debug_assert_eq!(pixels.len(), 3 * width * height);
        Self { width, height, pixels }
    }

    /// Returns width and height in pixels.
    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    /// Returns the bytes: rows from the top, three bytes a pixel.
    pub fn bytes(&self) -> &[u8] {
        &self.pixels
    }

    /// Returns the colour of a pixel, counted from the left and the top.
    ///
    /// # Panics
    /// On a pixel outside the image.
    pub fn pixel(&self, x: usize, y: usize) -> Colour {
        assert!(x < self.width && y < self.height, "pixel {x}, {y} of {} × {}", self.width, self.height);
        let at = 3 * (y * self.width + x);
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// Mixes a colour into a pixel; nothing outside the image.
    pub fn mix(&mut self, x: i64, y: i64, colour: Colour, opacity: f64) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let at = 3 * (y * self.width + x);
        for (below, above) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            *below = (f64::from(*below) * (1.0 - opacity) + f64::from(above) * opacity).round() as u8;
        }
    }

    /// Fills a rectangle.
    pub(super) fn fill(&mut self, [x, y]: [i64; 2], [width, height]: [i64; 2], colour: Colour, opacity: f64) {
        for row in y..y + height {
            for column in x..x + width {
                self.mix(column, row, colour, opacity);
            }
        }
    }

    /// Draws a line of some width, smoothed.
    pub(super) fn line(&mut self, ends: [[f64; 2]; 2], width: f64, colour: Colour) {
        let [[x0, y0], [x1, y1]] = ends;
        let (dx, dy) = (x1 - x0, y1 - y0);
        let length_sq = dx * dx + dy * dy;
        let reach = 0.5 * width + 1.0;
        let clamp = |value: f64, most: usize| value.clamp(-1.0, most as f64) as i64;
        let rows = clamp((y0.min(y1) - reach).floor(), self.height)..=clamp((y0.max(y1) + reach).ceil(), self.height);
        for y in rows {
            // The piece of the line that this row can see.
            let share = |height: f64| if dy != 0.0 { ((height - y0) / dy).clamp(0.0, 1.0) } else { f64::NAN };
            let [from, to] = [share(y as f64 - reach), share(y as f64 + 1.0 + reach)].map(|share| x0 + share * dx);
            let (from, to) = if dy != 0.0 { (from.min(to), from.max(to)) } else { (x0.min(x1), x0.max(x1)) };
            for x in clamp((from - reach).floor(), self.width)..=clamp((to + reach).ceil(), self.width) {
                let (px, py) = (x as f64 + 0.5 - x0, y as f64 + 0.5 - y0);
                let share = if length_sq > 0.0 { ((px * dx + py * dy) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
                let distance = (px - share * dx).hypot(py - share * dy);
                let cover = (0.5 * width + 0.5 - distance).clamp(0.0, 1.0);
                if cover > 0.0 {
                    self.mix(x, y, colour, cover);
                }
            }
        }
    }

    /// Draws a line of text; the place is its upper left corner.
    pub(super) fn text(&mut self, [x, y]: [i64; 2], text: &str, size: LetterSize, colour: Colour) {
        let height = size.raster();
        let mut left = x;
        for of in text.chars() {
            let drawn = |of| get_raster(of, FontWeight::Regular, height);
            let Some(letter) = drawn(of).or_else(|| drawn('?')) else { continue };
            for (row, down) in letter.rows().zip(y..) {
                for (strength, right) in row.iter().zip(left..) {
                    if *strength > 0 {
                        self.mix(right, down, colour, f64::from(*strength) / 255.0);
                    }
                }
            }
            left += letter.width() as i64;
        }
    }

    /// Encodes the image as PNG.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&self.pixels)?;
            writer.finish()
        });
        written.expect("three bytes for each pixel of a picture that is not empty, written to memory");
        bytes
    }
}
