//! Parser of SVG plans: polygons, rectangles and straight paths.
//!
//! In: a document `<svg>` with a width in mm, cm, in or m and a view box. Out: the areas to walk in, in metres from the
//! lower left corner of the view box, x to the right and y up.
//! Method: shapes are united if their class or id, or the class or id of a group around them, begins with `walk`.
//! Shapes of `obstacle` are cut out. The points inside an odd number of rings of a shape are its area (SVG 1.1,
//! chapters 8 and 9).
//! Guarantees: faults name the line. Shapes with curves, transforms or no role are left out and counted.
//! Not guaranteed: styles, clip paths, `use`, nested `<svg>`. Cost: O(bytes), and the cost of the union.

use super::fault::{PlanError, PlanItem, PlanNotes, PlanWarningKind};
use super::union::{GridRing, PlanGrid, even_odd, subtract};
use super::{Plan, note_slivers};
use crate::ReadError;
use crate::read::xml::{Item, Tag, Xml};
use heurt_geometry::{FloorArea, Vec2};

/// The largest coordinate, in metres.
const MAX_COORDINATE: f64 = 1e6;

/// The use of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SvgRole {
    Walk,
    Obstacle,
    /// None was named.
    Unknown,
    /// Not drawn, or transformed.
    Left,
}

/// The frame of a drawing: metres in a unit, and the corner of the view box at the lower left.
struct SvgFrame {
    scale: f64,
    corner: Vec2,
}

/// Reads a drawing.
pub(super) fn read(text: &str) -> Result<Plan, PlanError> {
    let mut xml = Xml::new(text, None);
    let root = xml.root("svg")?;
    let frame = frame(&xml, &root)?;
    let mut roles = vec![role(&xml, &root, SvgRole::Unknown)?];
    let (mut grid, mut notes) = (PlanGrid::new(MAX_COORDINATE), PlanNotes::default());
    let [mut walk, mut obstacles]: [Vec<GridRing>; 2] = Default::default();
    while let Some(&around) = roles.last() {
        match xml.next()? {
            Item::Open(tag) => {
                let role = role(&xml, &tag, around)?;
                roles.push(role);
                let Some(rings) = rings(&xml, &tag)? else { continue };
                let layer = match role {
                    SvgRole::Walk if !rings.is_empty() => &mut walk,
                    SvgRole::Obstacle if !rings.is_empty() => &mut obstacles,
                    _ => {
                        let id = xml.line(tag.at) as i64;
                        notes.add(PlanWarningKind::DrawingIgnored, PlanItem { id, at: None, lon_lat: None });
                        continue;
                    }
                };
                let mut placed = Vec::new();
                for ring in rings {
                    let ring: Vec<_> = ring.into_iter().map(|point| frame.metres(point)).collect();
                    if ring.iter().any(|point| point.abs().max_element() > MAX_COORDINATE) {
                        let expected = "coordinates up to 1000 km";
                        return Err(ReadError::syntax(xml.place(tag.at), b"larger ones", expected).into());
                    }
                    placed.push(grid.add_ring(&ring));
                }
                layer.extend(even_odd(&placed).into_iter().flatten());
            }
            Item::Close => drop(roles.pop()),
            Item::Text(..) => {}
            Item::End => return Err(xml.cut_short().into()),
        }
    }
    let (walk, thin) = grid.finish(&subtract(&walk, &obstacles));
    note_slivers(&thin, &mut notes);
    if walk.is_empty() {
        let remedy = "give a `<polygon>`, `<rect>` or straight `<path>` of the class `walk`";
        return Err(PlanError::Empty { what: "area to walk in", remedy });
    }
    let walk = walk.into_iter().map(FloorArea::from).collect();
    Ok(Plan { walk, warnings: notes.finish(), ..Plan::default() })
}

impl SvgFrame {
    fn metres(&self, point: Vec2) -> Vec2 {
        Vec2::new(point.x - self.corner.x, self.corner.y - point.y) * self.scale
    }
}

/// Reads the unit and the view box of a drawing.
fn frame(xml: &Xml<'_>, root: &Tag<'_>) -> Result<SvgFrame, ReadError> {
    let written = xml.attribute(root, "width")?.unwrap_or_default();
    let units = [("mm", 1e-3), ("cm", 1e-2), ("in", 0.0254), ("m", 1.0)];
    let width = units.into_iter().find_map(|(unit, metres)| {
        let number: f64 = written.trim().strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * metres).filter(|width| width.is_finite() && *width > 0.0)
    });
    let place = || xml.place(root.at);
    let Some(width) = width else {
        let expected = "the attribute `width` with the true size, such as `width=\"12m\"`, in mm, cm, in or m";
        return Err(ReadError::syntax(place(), written.as_bytes(), expected));
    };
    let view = xml.attribute(root, "viewBox")?.unwrap_or_default();
    match numbers(&view).as_deref() {
        Some(&[x, y, across, high]) if across > 0.0 && high > 0.0 => {
            Ok(SvgFrame { scale: width / across, corner: Vec2::new(x, y + high) })
        }
        _ => Err(ReadError::syntax(place(), view.as_bytes(), "the attribute `viewBox` of four numbers")),
    }
}

/// Finds the role of an element inside another.
fn role(xml: &Xml<'_>, tag: &Tag<'_>, around: SvgRole) -> Result<SvgRole, ReadError> {
    let is_left = matches!(tag.local(), "defs" | "symbol" | "clipPath" | "mask" | "pattern" | "marker");
    if around == SvgRole::Left || is_left || xml.attribute(tag, "transform")?.is_some() {
        return Ok(SvgRole::Left);
    }
    for name in ["class", "id"] {
        let words = xml.attribute(tag, name)?.unwrap_or_default().to_ascii_lowercase();
        for word in words.split_whitespace() {
            if word.starts_with("walk") {
                return Ok(SvgRole::Walk);
            }
            if word.starts_with("obstacle") {
                return Ok(SvgRole::Obstacle);
            }
        }
    }
    Ok(around)
}

/// Reads the rings of a shape; empty if it is not straight, `None` if the element is no shape.
fn rings(xml: &Xml<'_>, tag: &Tag<'_>) -> Result<Option<Vec<Vec<Vec2>>>, ReadError> {
    let fault = |written: &str| ReadError::syntax(xml.place(tag.at), written.as_bytes(), "finite numbers of a shape");
    let number = |name| -> Result<f64, ReadError> {
        let written = xml.attribute(tag, name)?.unwrap_or("0".to_owned());
        match numbers(&written).as_deref() {
            Some(&[number]) => Ok(number),
            _ => Err(fault(&written)),
        }
    };
    Ok(Some(match tag.local() {
        "rect" => {
            let low = Vec2::new(number("x")?, number("y")?);
            let high = low + Vec2::new(number("width")?, number("height")?);
            let is_round = number("rx")? != 0.0 || number("ry")? != 0.0;
            if is_round {
                Vec::new()
            } else {
                vec![vec![low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)]]
            }
        }
        "polygon" => {
            let written = xml.attribute(tag, "points")?.unwrap_or_default();
            let numbers = numbers(&written).filter(|all| all.len() % 2 == 0).ok_or_else(|| fault(&written))?;
            vec![numbers.as_chunks::<2>().0.iter().map(|&point| Vec2::from_array(point)).collect()]
        }
        "path" => {
            let written = xml.attribute(tag, "d")?.unwrap_or_default();
            match path(&written) {
                Ok(rings) => rings,
                Err(SvgPathFault::Curve) => Vec::new(),
                Err(SvgPathFault::Number) => return Err(fault(&written)),
            }
        }
        "circle" | "ellipse" | "polyline" | "line" | "text" | "use" | "image" => Vec::new(),
        _ => return Ok(None),
    }))
}

/// Reason why a path is not read.
enum SvgPathFault {
    /// It has a curve.
    Curve,
    /// A number is missing or not finite.
    Number,
}

/// Reads the rings of a straight path.
fn path(written: &str) -> Result<Vec<Vec<Vec2>>, SvgPathFault> {
    let (mut rings, mut ring) = (Vec::new(), Vec::<Vec2>::new());
    let mut pen = Vec2::ZERO;
    let is_command = |c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E');
    let mut rest = written.trim_start();
    while let Some(command) = rest.chars().next() {
        if !is_command(command) {
            return Err(SvgPathFault::Number);
        }
        let end = rest[1..].find(is_command).map_or(rest.len(), |length| length + 1);
        let numbers = numbers(&rest[1..end]).ok_or(SvgPathFault::Number)?;
        rest = &rest[end..];
        let origin = |pen: Vec2| if command.is_ascii_lowercase() { pen } else { Vec2::ZERO };
        match command.to_ascii_uppercase() {
            'M' | 'L' if numbers.len() % 2 == 0 && !numbers.is_empty() => {
                if command.eq_ignore_ascii_case(&'M') {
                    rings.push(std::mem::take(&mut ring));
                }
                for &point in numbers.as_chunks::<2>().0 {
                    pen = origin(pen) + Vec2::from_array(point);
                    ring.push(pen);
                }
            }
            'H' | 'V' if !numbers.is_empty() => {
                for number in numbers {
                    let axis = usize::from(command.eq_ignore_ascii_case(&'V'));
                    pen[axis] = origin(pen)[axis] + number;
                    ring.push(pen);
                }
            }
            'Z' if numbers.is_empty() => {
                pen = ring.first().copied().unwrap_or(pen);
                rings.push(std::mem::replace(&mut ring, vec![pen]));
            }
            'C' | 'S' | 'Q' | 'T' | 'A' => return Err(SvgPathFault::Curve),
            _ => return Err(SvgPathFault::Number),
        }
    }
    rings.push(ring);
    rings.retain(|ring| ring.len() >= 3);
    Ok(rings)
}

/// Reads a list of numbers, which need no blank where a sign or a second point begins the next.
fn numbers(written: &str) -> Option<Vec<f64>> {
    let mut found = Vec::new();
    let mut rest = written.trim_start();
    while !rest.is_empty() {
        let (mut has_point, mut before) = (false, ' ');
        let end = rest.find(|c: char| {
            let is_sign = matches!(c, '+' | '-') && !matches!(before, ' ' | 'e' | 'E');
            let is_second = c == '.' && (has_point || matches!(before, 'e' | 'E'));
            has_point |= matches!(c, '.' | 'e' | 'E');
            before = c;
            is_sign || is_second || c == ',' || c.is_whitespace()
        });
        let end = end.unwrap_or(rest.len());
        found.push(rest[..end].parse().ok().filter(|number: &f64| number.is_finite())?);
        rest = rest[end..].trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    Some(found)
}
