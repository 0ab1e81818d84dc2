//! Title, legend, axes and scale bar of a picture.
//!
//! Method: the scale bar is 1, 2 or 5 times a power of ten long and at most a fifth of the width. In a perspective it
//! holds at the depth of the middle between near and far plane, so it is drawn in orthographic pictures only.

use super::image::{Image, LetterSize};
use crate::palette::Colour;
use heurt_geometry::{Camera, Vec3};

/// Words of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Caption {
    /// The title, in the upper left corner.
    pub title: String,
    /// Lines below the title.
    pub lines: Vec<String>,
    /// The unit of length, as it is written after a number; empty for none.
    pub unit: String,
    /// Explanation of colours, in the upper right corner.
    pub legend: Vec<LegendEntry>,
}

/// A colour and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegendEntry {
    /// The colour.
    pub colour: Colour,
    /// Its meaning.
    pub name: String,
}

/// Colours of the axes x, y and z.
const AXES: [(Vec3, &str, Colour); 3] =
    [(Vec3::X, "x", [0xd5, 0x5e, 0x00]), (Vec3::Y, "y", [0x00, 0x9e, 0x73]), (Vec3::Z, "z", [0x00, 0x72, 0xb2])];
const INK: Colour = [0x24, 0x2b, 0x33];
const FAINT: Colour = [0x5a, 0x66, 0x73];
/// Distance from the edge of the picture, in pixels.
const EDGE: i64 = 16;
/// Length of the axes, in pixels.
const AXIS: f64 = 34.0;

/// Draws all of it.
pub(super) fn draw(image: &mut Image, camera: &Camera, caption: &Caption) {
    let [width, height] = image.size().map(|side| side as i64);
    // A small picture is an icon: words would hide it.
    if width < 200 || height < 150 {
        return;
    }
    let mut y = EDGE;
    let room = (width - 2 * EDGE) as usize;
    if !caption.title.is_empty() {
        let title = shorten(&caption.title, LetterSize::Large, room);
        image.text([EDGE, y], &title, LetterSize::Large, INK);
        y += LetterSize::Large.height() as i64 + 6;
    }
    for line in &caption.lines {
        image.text([EDGE, y], &shorten(line, LetterSize::Small, room), LetterSize::Small, FAINT);
        y += LetterSize::Small.height() as i64 + 4;
    }
    draw_legend(image, &caption.legend);
    draw_axes(image, camera);
    draw_scale_bar(image, camera, &caption.unit);
}

/// Cuts a text that is wider than the picture.
fn shorten(text: &str, size: LetterSize, room: usize) -> String {
    if size.width(text) <= room {
        return text.to_owned();
    }
    let letters = room / size.width("m").max(1);
    let kept: String = text.chars().take(letters.saturating_sub(3)).collect();
    format!("{kept}...")
}

fn draw_legend(image: &mut Image, legend: &[LegendEntry]) {
    let [width, _] = image.size();
    let longest = legend.iter().map(|entry| LetterSize::Small.width(&entry.name)).max().unwrap_or(0);
    let left = width as i64 - EDGE - longest as i64 - 22;
    for (entry, number) in legend.iter().zip(0..) {
        let y = EDGE + number * 22;
        image.fill([left, y + 2], [14, 14], entry.colour, 1.0);
        image.text([left + 22, y], &entry.name, LetterSize::Small, INK);
    }
}

fn draw_axes(image: &mut Image, camera: &Camera) {
    let [_, height] = image.size();
    let origin = [EDGE as f64 + AXIS + 6.0, height as f64 - EDGE as f64 - AXIS - 6.0];
    let (right, up, forward) = (camera.view.right(), camera.view.up(), camera.view.forward());
    // The axes that point away from the viewer come first, so that the near ones are drawn over them.
    let mut axes = AXES;
    axes.sort_by(|a, b| b.0.dot(forward).total_cmp(&a.0.dot(forward)));
    for (axis, name, colour) in axes {
        let end = [origin[0] + AXIS * axis.dot(right), origin[1] - AXIS * axis.dot(up)];
        image.line([origin, end], 2.0, colour);
        let (dx, dy) = (end[0] - origin[0], end[1] - origin[1]);
        let length = dx.hypot(dy);
        let beyond = if length > 1.0 { [end[0] + 9.0 * dx / length, end[1] + 9.0 * dy / length] } else { end };
        image.text([beyond[0] as i64 - 4, beyond[1] as i64 - 8], name, LetterSize::Small, colour);
    }
}

fn draw_scale_bar(image: &mut Image, camera: &Camera, unit: &str) {
    let [width, height] = image.size();
    if camera.projection.is_perspective() {
        return;
    }
    let metres_a_pixel = 2.0 * camera.projection.half_extents().x / width as f64;
    let Some(length) = round_length(metres_a_pixel * width as f64 * 0.2) else { return };
    let pixels = length / metres_a_pixel;
    let right = width as f64 - EDGE as f64;
    let y = height as f64 - EDGE as f64 - 4.0;
    let left = right - pixels;
    image.line([[left, y], [right, y]], 2.0, INK);
    for x in [left, right] {
        image.line([[x, y - 5.0], [x, y + 5.0]], 2.0, INK);
    }
    let text = format!("{} {unit}", show_length(length));
    let text = text.trim_end();
    let at = [(left + 0.5 * pixels) as i64 - LetterSize::Small.width(text) as i64 / 2, y as i64 - 24];
    image.text(at, text, LetterSize::Small, INK);
}

/// Returns the largest length of 1, 2 or 5 times a power of ten that is at most `most`.
fn round_length(most: f64) -> Option<f64> {
    if !(most > 0.0 && most.is_finite()) {
        return None;
    }
    let power = libm::exp10(libm::floor(libm::log10(most)));
    let length =
        [5.0, 2.0, 1.0, 0.5].map(|step| step * power).into_iter().find(|length| *length <= most * (1.0 + 1e-9));
    length.filter(|length| *length > 0.0)
}

fn show_length(length: f64) -> String {
    if (1e-4..1e6).contains(&length) {
        let text = format!("{length:.6}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{length:e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_bars_are_round() {
        assert_eq!(round_length(0.73), Some(0.5));
        assert_eq!(round_length(2.0), Some(2.0));
        assert_eq!(round_length(19.9), Some(10.0));
        assert_eq!(round_length(0.0), None);
        assert_eq!(show_length(0.05), "0.05");
        assert_eq!(show_length(200.0), "200");
        assert_eq!(show_length(1e-9), "1e-9");
    }
}
