//! SVG: curves projected along an axis, one group per name.
//!
//! In: curves, the axis along which they are viewed, and their unit. Out: a file that browsers and drawing programs
//! open.
//! Method: the coordinate of the axis is dropped; the default axis is the axis along which the curves extend least.
//! Both remaining coordinates are written in drawing units, the vertical coordinate negated because it points down in
//! SVG. `viewBox` is the box around the curves with a border of 2 %. Lines keep their width when the drawing is scaled.
//! Guarantees: coordinates have the fewest digits that give the `f64` back. Groups have distinct `id`s and the name as
//! title. Cost: O(points + names · log(names)), 48 bytes a curve.

use super::unique_names::UniqueNames;
use super::{Curve, WriteError, check_finite};
use crate::LengthUnit;
use heurt_geometry::Vec3;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

/// The axis along which a drawing is viewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewAxis {
    /// From the right: y to the right, z upwards.
    X,
    /// From the front: x to the right, z upwards.
    Y,
    /// From above: x to the right, y upwards.
    Z,
}

impl ViewAxis {
    /// Returns the coordinates of a point in the drawing, to the right and downwards.
    fn project(self, point: Vec3) -> [f64; 2] {
        // Adding 0 makes −0 and 0 one number.
        match self {
            Self::X => [point.y + 0.0, -point.z + 0.0],
            Self::Y => [point.x + 0.0, -point.z + 0.0],
            Self::Z => [point.x + 0.0, -point.y + 0.0],
        }
    }
}

/// Border around the curves, as a part of the larger side of their box: some pixels of a screen.
const BORDER: f64 = 0.02;
/// Width of a line as a part of the larger side, for programs without `vector-effect`: two pixels of a screen.
const LINE: f64 = 0.002;
/// Longest side in millimetres that is written as the size of the drawing: somewhat more than a sheet of A0. A larger
/// size fits no sheet or screen, and the drawing is scaled to the window.
const MAX_SHEET: f64 = 2000.0;
/// Letters of the `id` of a group.
const MAX_ID: usize = 64;

/// Writes curves as a drawing viewed along `axis`: by default the axis along which they extend least.
///
/// Curves of one name are one group with the name as title. A curve of one point is a dot. If `unit` is known and the
/// drawing is at most 2 m long, it has its true size.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_io::{Curve, LengthUnit, ViewAxis, write_polylines_svg};
/// let square = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
/// let curve = Curve { name: "outline", points: &square, closed: true };
/// let mut drawing = Vec::new();
/// write_polylines_svg([curve], Some(ViewAxis::Z), Some(LengthUnit::Centimetre), &mut drawing)?;
/// assert!(String::from_utf8(drawing)?.contains("<title>outline</title>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`] when a coordinate or the size of the drawing is not finite, or the sink refuses bytes.
pub fn write_polylines_svg<'a>(
    curves: impl IntoIterator<Item = Curve<'a>>,
    axis: Option<ViewAxis>,
    unit: Option<LengthUnit>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let curves: Vec<Curve<'a>> = curves.into_iter().collect();
    let points = || curves.iter().flat_map(|curve| curve.points);
    points().enumerate().try_for_each(|(number, &point)| check_finite(number, point))?;
    let axis = axis.unwrap_or_else(|| flattest_axis(points()));
    let [left, top, width, height] = view_box(points().map(|&point| axis.project(point)));
    if !(width.is_finite() && height.is_finite()) {
        return Err(WriteError::NotFinite { point: 0, value: width.max(height) });
    }
    let mut out = BufWriter::new(out);
    write!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"")?;
    let millimetres = unit.map(|unit| unit.factor_to(LengthUnit::Millimetre));
    if let Some(scale) = millimetres.filter(|scale| width.max(height) * scale <= MAX_SHEET) {
        write!(out, " width=\"{:?}mm\" height=\"{:?}mm\"", width * scale, height * scale)?;
    }
    writeln!(out, " viewBox=\"{left:?} {top:?} {width:?} {height:?}\">")?;
    let unit = unit.map_or("an unknown unit", LengthUnit::symbol);
    writeln!(out, "<desc>written by heurt; seen along {axis:?}; coordinates in {unit}</desc>")?;
    write_style(width.max(height), &mut out)?;
    write_groups(&curves, axis, &mut out)?;
    out.write_all(b"</svg>\n")?;
    Ok(out.flush()?)
}

/// Writes the style of lines: a pixel wide where lines can keep their width, else a fixed part of the drawing.
fn write_style(size: f64, out: &mut dyn Write) -> std::io::Result<()> {
    let width = size * LINE;
    writeln!(out, "<style>path{{fill:none;stroke:#000;stroke-linecap:round;stroke-linejoin:round}}")?;
    writeln!(out, "path{{stroke-width:{width:?}}}.point{{stroke-width:{:?}}}", 4.0 * width)?;
    writeln!(
        out,
        "@supports (vector-effect:non-scaling-stroke){{path{{vector-effect:non-scaling-stroke;stroke-width:1px}}"
    )?;
    writeln!(out, ".point{{stroke-width:4px}}}}</style>")
}

/// Writes one group per name, in order of first occurrence.
fn write_groups(curves: &[Curve<'_>], axis: ViewAxis, out: &mut dyn Write) -> std::io::Result<()> {
    let mut groups: Vec<(&str, Vec<Curve<'_>>)> = Vec::new();
    let mut group_of: BTreeMap<&str, usize> = BTreeMap::new();
    for curve in curves {
        let group = *group_of.entry(curve.name).or_insert(groups.len());
        if group == groups.len() {
            groups.push((curve.name, Vec::new()));
        }
        groups[group].1.push(*curve);
    }
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let mut ids = UniqueNames::new(MAX_ID, is_allowed, "curves");
    for (name, curves) in groups {
        let id = ids.name(name);
        // An identifier of XML begins with a letter or an underscore; the prefix is for names that do not.
        writeln!(out, "<g id=\"_{id}\">\n<title>{}</title>", escaped(name))?;
        for curve in curves {
            write_path(&curve, axis, out)?;
        }
        out.write_all(b"</g>\n")?;
    }
    Ok(())
}

/// Writes a curve as a path.
fn write_path(curve: &Curve<'_>, axis: ViewAxis, out: &mut dyn Write) -> std::io::Result<()> {
    let Some((&first, rest)) = curve.points.split_first() else { return Ok(()) };
    let class = if rest.is_empty() { " class=\"point\"" } else { "" };
    let [x, y] = axis.project(first);
    write!(out, "<path{class} d=\"M{x:?} {y:?}")?;
    for &point in rest {
        let [x, y] = axis.project(point);
        write!(out, " L{x:?} {y:?}")?;
    }
    // A line of no length with round ends is a dot.
    let end = match (rest.is_empty(), curve.closed) {
        (true, _) => " h0",
        (false, true) => " Z",
        (false, false) => "",
    };
    writeln!(out, "{end}\"/>")
}

/// Returns the axis along which points extend least; z if there is no difference.
fn flattest_axis<'a>(points: impl Iterator<Item = &'a Vec3>) -> ViewAxis {
    let (mut least, mut greatest) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for &point in points {
        (least, greatest) = (least.min(point), greatest.max(point));
    }
    // Halves cannot overflow.
    let size = greatest * 0.5 - least * 0.5;
    if size.z <= size.x && size.z <= size.y {
        ViewAxis::Z
    } else if size.y <= size.x {
        ViewAxis::Y
    } else {
        ViewAxis::X
    }
}

/// Returns left, top, width and height of the box around points, with a border; of a unit square if there is no point.
fn view_box(points: impl Iterator<Item = [f64; 2]>) -> [f64; 4] {
    let (mut least, mut greatest) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for point in points {
        for axis in 0..2 {
            least[axis] = least[axis].min(point[axis]);
            greatest[axis] = greatest[axis].max(point[axis]);
        }
    }
    if least[0] > greatest[0] {
        return [0.0, 0.0, 1.0, 1.0];
    }
    let size = [greatest[0] - least[0], greatest[1] - least[1]];
    let larger = size[0].max(size[1]);
    let border = if larger > 0.0 { BORDER * larger } else { 1.0 };
    // A border that is lost in rounding would leave a box without area.
    let border = border.max(f64::EPSILON * (least[0].abs().max(least[1].abs()) + larger));
    [least[0] - border, least[1] - border, size[0] + 2.0 * border, size[1] + 2.0 * border]
}

/// Replaces what has a meaning in XML, and control characters, which it does not allow.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push('_'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
