//! Raster picture for charts, and its file as PNG.
//!
//! Method: plotters draws lines and areas pixel by pixel. Letters are those of Noto Sans Mono, drawn once in two
//! heights, so that the picture is the same on every machine, with or without fonts. Not covered: letters outside
//! Latin-1, which are drawn as `?`.

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

/// Fonts above this size are drawn in the larger height.
const LARGE: f64 = 18.0;

/// Red, green and blue of every pixel, row by row.
pub(super) struct Canvas {
    size: (u32, u32),
    pixels: Vec<u8>,
}

impl Canvas {
    pub(super) fn new(size: (u32, u32)) -> Self {
        Self { size, pixels: vec![255; 3 * size.0 as usize * size.1 as usize] }
    }

    /// Encodes the picture as a file.
    pub(super) fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size.0, self.size.1);
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

/// Returns the height in which a font of a size is drawn.
fn height(size: f64) -> RasterHeight {
    if size > LARGE { RasterHeight::Size20 } else { RasterHeight::Size16 }
}

fn letter(of: char, height: RasterHeight) -> Option<RasterizedChar> {
    let drawn = |of| get_raster(of, FontWeight::Regular, height);
    drawn(of).or_else(|| drawn('?'))
}

/// Returns width and height of a text in a line.
fn extent(text: &str, height: RasterHeight) -> (i32, i32) {
    ((text.chars().count() * get_raster_width(FontWeight::Regular, height)) as i32, height.val() as i32)
}

impl DrawingBackend for &mut Canvas {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Result<(), DrawingErrorKind<Infallible>> {
        let (width, height) = self.size;
        if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
            && x < width
            && y < height
        {
            let at = 3 * (y as usize * width as usize + x as usize);
            let (red, green, blue) = colour.rgb;
            for (below, above) in self.pixels[at..at + 3].iter_mut().zip([red, green, blue]) {
                let mixed = f64::from(*below) * (1.0 - colour.alpha) + f64::from(above) * colour.alpha;
                *below = mixed.round() as u8;
            }
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let (height, colour, turned) = (height(style.size()), style.color(), style.transform());
        let (long, high) = extent(text, height);
        let left = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Center => -long / 2,
            HPos::Right => -long,
        };
        let top = match style.anchor().v_pos {
            VPos::Top => 0,
            VPos::Center => -high / 2,
            VPos::Bottom => -high,
        };
        let letters = text.chars().zip(0..).filter_map(|(of, number)| Some((letter(of, height)?, number)));
        for (letter, number) in letters {
            let begin = left + number * letter.width() as i32;
            for (row, down) in letter.rows().zip(top..) {
                for (&strength, along) in row.iter().zip(begin..) {
                    let place = turned.transform(along, down);
                    let alpha = colour.alpha * f64::from(strength) / 255.0;
                    self.draw_pixel((x + place.0, y + place.1), BackendColor { alpha, ..colour })?;
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let (long, high) = extent(text, height(style.size()));
        Ok((long as u32, high as u32))
    }
}
