//! Points of a file that may have no faces: point clouds as OBJ, PLY and OFF.
//!
//! In: the bytes of a mesh file or point cloud. Out: its vertices, placed, in file order.
//! Method: the readers of meshes come first. They check every line or value, and report a file without faces only at
//! its end; then the vertices are read again without the rest. Guarantees: no panic, and no allocation above a fixed
//! multiple of the input. Cost: O(bytes).

use crate::read::text::{self, Lines};
use crate::{Format, Place, ReadError, read};
use heurt_geometry::Vec3;

/// Reads the vertices of a mesh file or a point cloud.
///
/// ```
/// use heurt_io::{Format, read_points};
/// let points = read_points(b"v 0 0 0\nv 1 0 0\nv 0 1 0\n", Format::Obj)?;
/// assert_eq!(points.len(), 3);
/// # Ok::<(), heurt_io::ReadError>(())
/// ```
///
/// # Errors
/// [`ReadError`] as [`read`] reports it; [`ReadError::NoFaces`] if the file has no vertex either.
pub fn read_points(bytes: &[u8], format: Format) -> Result<Vec<Vec3>, ReadError> {
    let error = match read(bytes, format) {
        Ok(model) => {
            let placed = |part: &crate::Part| {
                let vertices = model.meshes[part.mesh].vertices();
                vertices.iter().map(|&vertex| part.pose.place(vertex)).collect::<Vec<_>>()
            };
            return Ok(model.parts.iter().flat_map(placed).collect());
        }
        Err(error @ ReadError::NoFaces { .. }) => error,
        Err(error) => return Err(error),
    };
    let points = match format {
        Format::Obj => obj_points(bytes),
        Format::Off => off_points(bytes),
        Format::Ply => ply_points(bytes),
        _ => None,
    };
    points.filter(|points| !points.is_empty()).ok_or(error)
}

/// The first three numbers of the rest of a line.
fn point<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Option<Vec3> {
    text::point(words, &Place::Line(0)).ok()
}

/// The vertices of all `v` statements.
fn obj_points(bytes: &[u8]) -> Option<Vec<Vec3>> {
    let mut points = Vec::new();
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next_filled() {
        let mut words = text::words(line);
        if words.next() == Some(b"v") {
            points.push(point(&mut words)?);
        }
    }
    Some(points)
}

/// The vertices after the header and the counts.
fn off_points(bytes: &[u8]) -> Option<Vec<Vec3>> {
    let mut lines = Lines::new(bytes);
    let first = lines.next_filled()?;
    let keyword = text::words(first).next()?;
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    let rest = &first[keyword.iter().take_while(|byte| is_letter(byte)).count()..];
    let counts = if rest.trim_ascii().is_empty() { lines.next_filled()? } else { rest };
    let count = text::integer(text::words(counts).next()?)?;
    let mut points = Vec::new();
    for _ in 0..count {
        points.push(point(&mut text::words(lines.next_filled()?))?);
    }
    Some(points)
}

/// The element `vertex` of a PLY file, if it is the first one with items.
fn ply_points(bytes: &[u8]) -> Option<Vec<Vec3>> {
    let (header, lines) = PlyHeader::parse(bytes)?;
    let mut points = Vec::new();
    if header.format == PlyFormat::Text {
        let mut lines = lines;
        for _ in 0..header.count {
            let words: Vec<&[u8]> = text::words(lines.next_filled()?).collect();
            let axes = header.axes.map(|axis| words.get(axis).copied().unwrap_or_default());
            points.push(point(&mut axes.into_iter())?);
        }
        return Some(points);
    }
    let stride: usize = header.sizes.iter().map(|(_, size)| size).sum();
    let offset = |axis: usize| -> usize { header.sizes[..axis].iter().map(|(_, size)| size).sum() };
    let offsets = header.axes.map(offset);
    let items = lines.rest().chunks_exact(stride.max(1)).take(header.count);
    for item in items {
        let axis = |k: usize| {
            let (kind, size) = header.sizes[header.axes[k]];
            number(kind, item.get(offsets[k]..offsets[k] + size)?, header.format == PlyFormat::Big)
        };
        points.push(Vec3::new(axis(0)?, axis(1)?, axis(2)?));
    }
    (points.len() == header.count).then_some(points)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlyFormat {
    Text,
    Little,
    Big,
}

/// Kinds of binary numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PointFormat {
    Signed,
    Unsigned,
    Float,
}

/// The header of a PLY file as far as its vertices need it.
struct PlyHeader {
    format: PlyFormat,
    count: usize,
    /// The kind and size in bytes of each property of a vertex.
    sizes: Vec<(PointFormat, usize)>,
    /// The properties x, y and z.
    axes: [usize; 3],
}

impl PlyHeader {
    /// Parses the header; `None` if other elements with items come before the vertices, or if a vertex has a list.
    fn parse(bytes: &[u8]) -> Option<(Self, Lines<'_>)> {
        let mut lines = Lines::new(bytes);
        let mut format = None;
        let mut element: Option<(bool, u64)> = None;
        let (mut count, mut sizes, mut names) = (None, Vec::new(), Vec::new());
        loop {
            let line = lines.next()?;
            let words: Vec<&[u8]> = text::words(line).collect();
            match words.as_slice() {
                [b"end_header"] => break,
                [b"format", kind, ..] => {
                    format = match *kind {
                        b"ascii" => Some(PlyFormat::Text),
                        b"binary_little_endian" => Some(PlyFormat::Little),
                        b"binary_big_endian" => Some(PlyFormat::Big),
                        _ => return None,
                    };
                }
                [b"element", name, items] => {
                    let items = u64::try_from(text::integer(items)?).ok()?;
                    let is_before = element.is_some_and(|(is_vertex, before)| !is_vertex && before > 0);
                    if count.is_none() && is_before {
                        return None;
                    }
                    element = Some((*name == b"vertex", items));
                    if *name == b"vertex" {
                        count = Some(usize::try_from(items).ok()?);
                    }
                }
                [b"property", kind, name] if element.is_some_and(|(is_vertex, _)| is_vertex) => {
                    sizes.push(size_of(kind)?);
                    names.push(name.to_vec());
                }
                [b"property", b"list", ..] if element.is_some_and(|(is_vertex, _)| is_vertex) => return None,
                _ => {}
            }
        }
        let axis = |name: &[u8]| names.iter().position(|other| other == name);
        let axes = [axis(b"x")?, axis(b"y")?, axis(b"z")?];
        Some((Self { format: format?, count: count?, sizes, axes }, lines))
    }
}

/// The kind and size of a scalar type.
fn size_of(name: &[u8]) -> Option<(PointFormat, usize)> {
    Some(match name {
        b"char" | b"int8" => (PointFormat::Signed, 1),
        b"uchar" | b"uint8" => (PointFormat::Unsigned, 1),
        b"short" | b"int16" => (PointFormat::Signed, 2),
        b"ushort" | b"uint16" => (PointFormat::Unsigned, 2),
        b"int" | b"int32" => (PointFormat::Signed, 4),
        b"uint" | b"uint32" => (PointFormat::Unsigned, 4),
        b"float" | b"float32" => (PointFormat::Float, 4),
        b"double" | b"float64" => (PointFormat::Float, 8),
        _ => return None,
    })
}

/// A binary number; `None` if its size has no such kind.
fn number(kind: PointFormat, bytes: &[u8], is_big: bool) -> Option<f64> {
    let mut word = [0u8; 8];
    for (place, &byte) in bytes.iter().enumerate() {
        word[if is_big { bytes.len() - 1 - place } else { place }] = byte;
    }
    let raw = u64::from_le_bytes(word);
    let shift = 64 - 8 * bytes.len() as u32;
    Some(match (kind, bytes.len()) {
        (PointFormat::Float, 4) => f64::from(f32::from_bits(raw as u32)),
        (PointFormat::Float, 8) => f64::from_bits(raw),
        (PointFormat::Signed, 1..=4) => ((raw << shift) as i64 >> shift) as f64,
        (PointFormat::Unsigned, 1..=4) => raw as f64,
        _ => return None,
    })
}
