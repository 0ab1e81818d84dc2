//! Raster picture for charts, and its file as PNG.
//!
//! Method: plotters draws lines and areas pixel by pixel. Letters are those of Noto Sans Mono, drawn once in two
//! heights, so that the picture is the same on every machine, with or without fonts. Not covered: letters outside
//! Latin-1, which are drawn as `?`.

use heurt::view::picture::Image;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

/// Fonts above this size are drawn in the larger height.
const LARGE: f64 = 18.0;

/// Picture that plotters draws on.
pub(super) struct Canvas(Image);

impl Canvas {
    pub(super) fn new(size: (u32, u32)) -> Self {
        Self(Image::new(size.0 as usize, size.1 as usize, [255; 3]))
    }

    /// Encodes the picture as a file.
    pub(super) fn png(&self) -> Vec<u8> {
        self.0.to_png()
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
        self.0.size().map(|side| side as u32).into()
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Result<(), DrawingErrorKind<Infallible>> {
        let (red, green, blue) = colour.rgb;
        self.0.mix(x.into(), y.into(), [red, green, blue], colour.alpha);
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
