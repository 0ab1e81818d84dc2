//! PLY: a header that declares elements and their properties, then the values as text or binary.
//!
//! In: bytes. Out: one part. Positions are `x y z` of the element `vertex`, faces the list `vertex_indices` or
//! `vertex_index` of the element `face` or, with -1 between strips, of the element `tristrips`; any scalar type serves
//! for either, every other property or element is skipped.
//! Guarantees: declared counts only bound loops that consume bytes, never an allocation; text is rounded once to `f64`.
//! A lenient reader ignores with a warning: header lines of other words, elements without properties, faces of fewer
//! than three corners, values behind those of a face on its line, and what follows the last element. Fewer values than
//! declared are always an error. So is an unknown header line of a binary file that has bytes left at its end: the line
//! may have described them. Errors name the line of the header and of text values, the byte of binary values. Cost:
//! O(bytes).

mod header;
mod values;

use super::faces::Faces;
use super::text::{self, Lines};
use super::warnings::{BYTE_ORDER_MARKS, NULS, TRAILING_BYTES, TRAILING_LINES, Warnings};
use super::{BYTE_ORDER_MARK, ReadOptions};
use crate::{Format, Model, Place, ReadError};
use header::{Encoding, PlyElement, PlyEncoding, PlyProperty, PlyScalar};
use heurt_geometry::Vec3;
use values::{BinaryValues, ElementLayout, Excess, TextValues, ValueFault, Values};

/// Lines of faces with more values than the header declares.
const EXCESS_VALUES: &str = "values that the header does not declare, at ends of lines";

/// Reads the file.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions<'_>) -> Result<Model, ReadError> {
    let mut warnings = Warnings::new(options.strict);
    let lines = skip_front(bytes, &mut warnings);
    let (header, lines) = header::parse(lines, &mut warnings)?;
    let offset = bytes.len() - lines.rest().len();
    match header.encoding {
        Encoding::Text => read_text(bytes, offset, lines, &header.elements, warnings),
        Encoding::Little => read_binary(BinaryValues::<false>::new(bytes, offset), header, warnings),
        Encoding::Big => read_binary(BinaryValues::<true>::new(bytes, offset), header, warnings),
    }
}

/// Returns the lines of the file, after NUL bytes and blanks in front unless the reader is strict.
fn skip_front<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Lines<'a> {
    if warnings.is_strict() {
        return Lines::new(bytes);
    }
    let is_front = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let (front, rest) = bytes.split_at(bytes.iter().take_while(|byte| is_front(byte)).count());
    let nuls = front.iter().filter(|&&byte| byte == 0).count();
    warnings.add(NULS, nuls as u64, || Place::Line(1), b"");
    warnings.add(BYTE_ORDER_MARKS, u64::from(rest.starts_with(BYTE_ORDER_MARK)), || Place::Line(1), b"");
    let line_ends = front.iter().filter(|&&byte| byte == b'\n').count();
    let mut lines = Lines::new(rest);
    lines.skip_to(line_ends as u64);
    lines
}

/// Reads values as text.
fn read_text(
    bytes: &[u8],
    offset: usize,
    lines: Lines<'_>,
    elements: &[PlyElement],
    mut warnings: Warnings,
) -> Result<Model, ReadError> {
    let number = lines.number();
    let cleaned = text::prepare_from(&bytes[offset..], number, &mut warnings);
    let mut lines = Lines::new(&cleaned);
    lines.skip_to(number);
    let values = TextValues::new(lines, warnings.is_strict());
    let mut body = Body::new(values, warnings);
    body.read(elements)?;
    let Body { mut values, mut faces } = body;
    if let Some(Excess { lines, place, found }) = values.take_excess() {
        faces.warnings.add(EXCESS_VALUES, lines, || place, &found);
    }
    let mut rest = values.finish()?;
    while let Some(line) = rest.next() {
        if !line.trim_ascii().is_empty() {
            faces.warnings.add(TRAILING_LINES, 1, || rest.place(), line);
        }
    }
    faces.into_model(Format::Ply, rest.place(), false)
}

/// Reads values as bytes.
fn read_binary<const BIG: bool>(
    values: BinaryValues<'_, BIG>,
    header: header::Header,
    warnings: Warnings,
) -> Result<Model, ReadError> {
    let mut body = Body::new(values, warnings);
    body.read(&header.elements)?;
    let Body { values, mut faces } = body;
    let (end, rest) = (values.next_place(), values.rest());
    if let Some(error) = header.unknown.filter(|_| !rest.is_empty()) {
        return Err(error);
    }
    faces.warnings.add(TRAILING_BYTES, rest.len() as u64, || end.clone(), rest);
    faces.into_model(Format::Ply, end, false)
}

struct Body<V> {
    values: V,
    faces: Faces,
}

impl<V: Values> Body<V> {
    fn new(values: V, warnings: Warnings) -> Self {
        Self { values, faces: Faces::new(warnings) }
    }

    fn read(&mut self, elements: &[PlyElement]) -> Result<(), ReadError> {
        let vertex_count = elements.iter().find(|element| element.name == "vertex").map_or(0, |element| element.count);
        for element in elements {
            match element.name.as_str() {
                "vertex" => self.vertices(element)?,
                "face" => self.faces(element, vertex_count)?,
                "tristrips" => self.strips(element, vertex_count)?,
                _ => {
                    self.each(element, |body| element.properties.iter().try_for_each(|property| body.skip(property)))?
                }
            }
        }
        Ok(())
    }

    /// Calls `read` for each item of an element, and reports where the file ends too early.
    fn each(
        &mut self,
        element: &PlyElement,
        read: impl Fn(&mut Self) -> Result<(), ValueFault>,
    ) -> Result<(), ReadError> {
        // Values behind the list of corners are skipped, however many there are.
        let may_have_excess = element.name == "face" && element.properties.first().is_some_and(is_corners);
        let layout = ElementLayout { items: element.count, values: element.properties.len(), may_have_excess };
        self.values.begin_element(layout);
        for present in 0..element.count {
            let item = self.values.begin().and_then(|()| read(self)).and_then(|()| self.values.end());
            match item {
                Ok(()) => {}
                Err(ValueFault::Wrong(error)) => return Err(error),
                Err(ValueFault::End) => {
                    let what = match element.name.as_str() {
                        "vertex" => "vertices",
                        "face" => "faces",
                        _ => "elements",
                    };
                    let place = self.values.end_of_file();
                    return Err(ReadError::Truncated { place, what, promised: element.count, present });
                }
            }
        }
        Ok(())
    }

    fn vertices(&mut self, element: &PlyElement) -> Result<(), ReadError> {
        let axis = |name: &str| {
            let is_axis =
                |property: &PlyProperty| property.name == name && matches!(property.kind, PlyEncoding::Scalar(_));
            element.properties.iter().position(is_axis).ok_or_else(|| {
                ReadError::syntax(Place::Line(element.line), b"element vertex", format!("with a property {name}"))
            })
        };
        let axes = [axis("x")?, axis("y")?, axis("z")?];
        self.each(element, |body| {
            let mut point = Vec3::ZERO;
            for (at, property) in element.properties.iter().enumerate() {
                match (axes.iter().position(|&axis| axis == at), property.kind) {
                    (Some(axis), PlyEncoding::Scalar(scalar)) => {
                        point[axis] = body.values.scalar(scalar)?;
                        if !point[axis].is_finite() {
                            let (place, value) = (body.values.place(), format!("`{}`", point[axis]));
                            return Err(ValueFault::Wrong(ReadError::NotFinite { place, value }));
                        }
                    }
                    _ => body.skip(property)?,
                }
            }
            body.faces.vertices.push(point);
            Ok(())
        })
    }

    fn faces(&mut self, element: &PlyElement, vertex_count: u64) -> Result<(), ReadError> {
        let corners = corners_of(element)?;
        let limit = vertex_count.min(u64::from(u32::MAX));
        self.each(element, |body| {
            for (at, property) in element.properties.iter().enumerate() {
                match property.kind {
                    PlyEncoding::List { count, item } if at == corners => body.face(count, item, limit)?,
                    _ => body.skip(property)?,
                }
            }
            Ok(())
        })
    }

    fn face(&mut self, count: PlyScalar, item: PlyScalar, limit: u64) -> Result<(), ValueFault> {
        let place = self.values.next_place();
        for _ in 0..self.list_length(count)? {
            let corner = self.corner(item, limit)?;
            self.faces.push_corner(corner);
        }
        self.faces.end_face(|| place, b"").map_err(ValueFault::Wrong)
    }

    /// Reads the strips of an element: lists of corners, in which -1 begins a new strip.
    fn strips(&mut self, element: &PlyElement, vertex_count: u64) -> Result<(), ReadError> {
        if element.count == 0 {
            return Ok(());
        }
        let corners = corners_of(element)?;
        let limit = vertex_count.min(u64::from(u32::MAX));
        self.each(element, |body| {
            for (at, property) in element.properties.iter().enumerate() {
                match property.kind {
                    PlyEncoding::List { count, item } if at == corners => body.strip(count, item, limit)?,
                    _ => body.skip(property)?,
                }
            }
            Ok(())
        })
    }

    /// Reads a list of strips. Every second triangle of a strip is reversed; triangles with a repeated corner, which
    /// join strips, are left out.
    fn strip(&mut self, count: PlyScalar, item: PlyScalar, limit: u64) -> Result<(), ValueFault> {
        let (mut last, mut length) = ([0; 2], 0_u64);
        for _ in 0..self.list_length(count)? {
            let Some(corner) = self.strip_corner(item, limit)? else {
                length = 0;
                continue;
            };
            let [a, b] = last;
            if length >= 2 && a != b && b != corner && corner != a {
                let face = if length.is_multiple_of(2) { [a, b, corner] } else { [b, a, corner] };
                face.into_iter().for_each(|corner| self.faces.push_corner(corner));
                let place = self.values.place();
                self.faces.end_face(|| place, b"").map_err(ValueFault::Wrong)?;
            }
            (last, length) = ([b, corner], length + 1);
        }
        Ok(())
    }

    /// Reads a corner of a strip; `None` for -1, or the largest number of an unsigned type, which ends the strip.
    fn strip_corner(&mut self, item: PlyScalar, limit: u64) -> Result<Option<u32>, ValueFault> {
        let index = self.values.scalar(item)?;
        let end = match item {
            PlyScalar::U8 => f64::from(u8::MAX),
            PlyScalar::U16 => f64::from(u16::MAX),
            PlyScalar::U32 => f64::from(u32::MAX),
            _ => -1.0,
        };
        let is_end = index == -1.0 || (index == end && index >= limit as f64);
        if is_end { Ok(None) } else { self.checked(index, limit).map(Some) }
    }

    fn corner(&mut self, item: PlyScalar, limit: u64) -> Result<u32, ValueFault> {
        let index = self.values.scalar(item)?;
        self.checked(index, limit)
    }

    /// Checks the index that was read last against the number of vertices.
    fn checked(&self, index: f64, limit: u64) -> Result<u32, ValueFault> {
        if index >= 0.0 && index < limit as f64 && index.fract() == 0.0 {
            return Ok(index as u32);
        }
        let place = self.values.place();
        // Headers may declare floating-point indices.
        if index as i64 as f64 != index {
            let (found, expected) = (format!("{index:?}"), "a whole number, the index of a vertex");
            return Err(ValueFault::Wrong(ReadError::syntax(place, found.as_bytes(), expected)));
        }
        let error = ReadError::BadIndex { place, index: index as i64, first: 0, count: limit as usize };
        Err(ValueFault::Wrong(error))
    }

    fn list_length(&mut self, count: PlyScalar) -> Result<u64, ValueFault> {
        let length = self.values.scalar(count)?;
        if length >= 0.0 && length.fract() == 0.0 {
            Ok(length as u64)
        } else {
            let (place, found) = (self.values.place(), length.to_string());
            Err(ValueFault::Wrong(ReadError::syntax(place, found.as_bytes(), "the length of a list")))
        }
    }

    fn skip(&mut self, property: &PlyProperty) -> Result<(), ValueFault> {
        match property.kind {
            PlyEncoding::Scalar(scalar) => self.values.scalar(scalar).map(drop),
            PlyEncoding::List { count, item } => {
                let length = self.list_length(count)?;
                self.values.skip(item, length)
            }
        }
    }
}

/// Reports whether a property is the list of corners of a face.
fn is_corners(property: &PlyProperty) -> bool {
    matches!(property.name.as_str(), "vertex_indices" | "vertex_index")
        && matches!(property.kind, PlyEncoding::List { .. })
}

/// Finds the list of corners among the properties of an element.
fn corners_of(element: &PlyElement) -> Result<usize, ReadError> {
    element.properties.iter().position(is_corners).ok_or_else(|| {
        let found = format!("element {}", element.name);
        let expected = "with a property list vertex_indices";
        ReadError::syntax(Place::Line(element.line), found.as_bytes(), expected)
    })
}
