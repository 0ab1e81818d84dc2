//! VTK XML files: an unstructured grid or polygonal data, of one piece.
//!
//! In: bytes. Out: cells, and faces if requested; polygonal data only then. Arrays as text, in base64 next to their
//! tag, or appended, raw or in base64.
//! Method: tags are found by their brackets, which is all that this format needs of XML. The search ends at appended
//! bytes, as these may hold brackets too. Only points, cells and faces are unpacked. Cost: O(bytes).

mod data;

use super::Words;
use super::binary::{Array, BinaryScalar, Origin, Wholes};
use super::grid::Grid;
use super::vtk::{VtkCells, VtkKind};
use crate::{Place, ReadError};
use data::{Base64, DataLayout, Stream};
use heurt_geometry::Vec3;
use std::ops::Range;

pub(super) fn read(bytes: &[u8], grid: &mut Grid) -> Result<Place, ReadError> {
    let mut document = VtuDocument::scan(bytes, grid.keeps_faces)?;
    let [points, connectivity, offsets, types, polygons, polygon_ends, strips, strip_ends, faces, face_ends] =
        std::mem::take(&mut document.arrays);
    if let Some(points) = points {
        grid.mesh.vertices = document.points(&points)?;
    }
    let mut cells = document.cells(connectivity, offsets)?;
    if let Some(types) = types {
        cells.types = document.wholes(&types)?;
    }
    if let (Some(faces), Some(ends)) = (faces, face_ends) {
        cells.polyhedra.faces = document.wholes(&faces)?;
        cells.polyhedra.ends = document.wholes(&ends)?;
    }
    // Checks the corners of cells without a volume, which nothing else reads.
    for corner in 0..cells.corners.len() {
        cells.corner(corner, grid.mesh.vertices.len())?;
    }
    cells.put(document.end.clone(), grid)?;
    let faces = [(VtkKind::Polygon, polygons, polygon_ends), (VtkKind::Strip, strips, strip_ends)];
    for (kind, corners, ends) in faces {
        document.cells(corners, ends)?.put_faces(kind, document.end.clone(), grid)?;
    }
    Ok(document.end)
}

/// The arrays that are read, in this order: the section and the name of each.
const NAMES: [(&str, &str); 10] = [
    ("Points", "Points"),
    ("Cells", "connectivity"),
    ("Cells", "offsets"),
    ("Cells", "types"),
    ("Polys", "connectivity"),
    ("Polys", "offsets"),
    ("Strips", "connectivity"),
    ("Strips", "offsets"),
    ("Cells", "faces"),
    ("Cells", "faceoffsets"),
];

/// The contents of the tags.
struct VtuDocument<'a> {
    bytes: &'a [u8],
    arrays: [Option<DataArray<'a>>; NAMES.len()],
    layout: DataLayout,
    /// Number of bytes that all arrays together may be unpacked to.
    budget: usize,
    /// The appended data, after its underscore.
    appended: Option<Appended<'a>>,
    /// The last line of the tags.
    end: Place,
}

struct Appended<'a> {
    bytes: &'a [u8],
    is_raw: bool,
}

/// An array by its tag.
struct DataArray<'a> {
    name: &'static str,
    tag: &'a [u8],
    /// Offset of the tag.
    at: usize,
    text: Range<usize>,
}

impl<'a> VtuDocument<'a> {
    /// Finds the arrays of an unstructured grid, or of polygonal data if faces are requested.
    fn scan(bytes: &'a [u8], keeps_faces: bool) -> Result<Self, ReadError> {
        let arrays = [const { None }; NAMES.len()];
        let (layout, budget) = (DataLayout::default(), data::budget(bytes.len()));
        let mut document = Self { bytes, arrays, layout, budget, appended: None, end: Place::Line(1) };
        let (mut section, mut pieces, mut at) = ("", 0, 0);
        let mut is_grid = false;
        while let Some(open) = find(bytes, at, b'<') {
            if bytes[open..].starts_with(b"<!--") {
                let length = bytes[open..].windows(3).position(|end| end == b"-->");
                at = length.map_or(bytes.len(), |length| open + length + 3);
                continue;
            }
            let Some(close) = find(bytes, open, b'>') else { break };
            let tag = &bytes[open + 1..close];
            at = close + 1;
            match tag.split(|byte| byte.is_ascii_whitespace() || *byte == b'/').next().unwrap_or_default() {
                b"VTKFile" => document.layout = DataLayout::of_tag(tag, || line_of(bytes, open))?,
                b"UnstructuredGrid" => is_grid = true,
                b"PolyData" if keeps_faces => is_grid = true,
                b"Piece" => {
                    pieces += 1;
                    if pieces > 1 {
                        let (place, what) = (line_of(bytes, open), "a grid of more than one piece".to_owned());
                        return Err(ReadError::Unsupported { place, what, remedy: "merge the pieces before saving" });
                    }
                }
                b"Points" => section = "Points",
                b"Cells" => section = "Cells",
                b"Polys" if keeps_faces => section = "Polys",
                b"Strips" if keeps_faces => section = "Strips",
                b"PointData" | b"CellData" | b"FieldData" | b"Verts" | b"Lines" | b"Polys" | b"Strips" => section = "",
                b"DataArray" if !section.is_empty() => {
                    let text = at..if tag.ends_with(b"/") { at } else { find(bytes, at, b'<').unwrap_or(bytes.len()) };
                    at = text.end;
                    document.put(section, tag, open, text)?;
                }
                b"AppendedData" => {
                    document.append(tag, open, at)?;
                    break;
                }
                _ => {}
            }
        }
        document.end = line_of(bytes, at.min(bytes.len()));
        let expected =
            if keeps_faces { "the tag <UnstructuredGrid> or <PolyData>" } else { "the tag <UnstructuredGrid>" };
        if is_grid { Ok(document) } else { Err(ReadError::syntax(document.end, bytes, expected)) }
    }

    /// Stores an array that is read.
    fn put(&mut self, section: &'static str, tag: &'a [u8], at: usize, text: Range<usize>) -> Result<(), ReadError> {
        let name = if section == "Points" { b"Points" } else { attribute(tag, b"Name").unwrap_or_default() };
        let is_known = |&(of, known): &(&str, &str)| of == section && known.as_bytes() == name;
        let Some(number) = NAMES.iter().position(is_known) else { return Ok(()) };
        if self.arrays[number].is_some() {
            let expected = format!("one array {} only", NAMES[number].1);
            return Err(ReadError::syntax(line_of(self.bytes, at), tag, expected));
        }
        self.arrays[number] = Some(DataArray { name: NAMES[number].1, tag, at, text });
        Ok(())
    }

    /// Stores the appended data, from the end of its tag on.
    fn append(&mut self, tag: &[u8], at: usize, end: usize) -> Result<(), ReadError> {
        let encoding = attribute(tag, b"encoding").unwrap_or(b"base64");
        let is_raw = encoding.eq_ignore_ascii_case(b"raw");
        if !is_raw && !encoding.eq_ignore_ascii_case(b"base64") {
            return Err(ReadError::syntax(line_of(self.bytes, at), encoding, "the encoding raw or base64"));
        }
        let rest = self.bytes[end..].trim_ascii_start();
        let Some(bytes) = rest.strip_prefix(b"_") else {
            let (place, found) = (line_of(self.bytes, end), &rest[..rest.len().min(1)]);
            return Err(ReadError::syntax(place, found, "an underscore before the appended data"));
        };
        self.appended = Some(Appended { bytes, is_raw });
        Ok(())
    }

    fn place(&self, array: &DataArray<'_>) -> Place {
        line_of(self.bytes, array.at)
    }

    /// Unpacks corners and the end of each cell; nothing for missing arrays.
    fn cells(
        &mut self,
        corners: Option<DataArray<'a>>,
        ends: Option<DataArray<'a>>,
    ) -> Result<VtkCells<'a>, ReadError> {
        let mut cells = VtkCells::default();
        if let Some(corners) = corners {
            cells.corners = self.wholes(&corners)?;
        }
        if let Some(ends) = ends {
            cells.set_ends(&self.wholes(&ends)?, 0);
        }
        Ok(cells)
    }

    fn points(&mut self, array: &DataArray<'a>) -> Result<Vec<Vec3>, ReadError> {
        let Some(binary) = self.binary(array)? else {
            let mut points = Vec::new();
            let mut words = Words::at(self.bytes, &array.text);
            while words.peek().is_some() {
                points.push(words.point()?);
            }
            return Ok(points);
        };
        if binary.len() % 3 != 0 {
            let found = format!("{} numbers", binary.len());
            let expected = "three coordinates for each point".to_owned();
            return Err(ReadError::Syntax { place: self.place(array), found, expected });
        }
        binary.points()
    }

    fn wholes(&mut self, array: &DataArray<'a>) -> Result<Wholes<'a>, ReadError> {
        if let Some(binary) = self.binary(array)? {
            if !binary.scalar.is_whole() {
                let found = attribute(array.tag, b"type").unwrap_or_default();
                return Err(ReadError::syntax(self.place(array), found, "a type of whole numbers"));
            }
            return Ok(Wholes::Binary(binary));
        }
        let mut numbers = Vec::new();
        let mut words = Words::at(self.bytes, &array.text);
        while words.peek().is_some() {
            numbers.push((words.whole("a whole number")?, words.lines.number()));
        }
        Ok(Wholes::Text(numbers))
    }

    /// Returns the numbers of an array; `None` if it is text.
    fn binary(&mut self, array: &DataArray<'a>) -> Result<Option<Array<'a>>, ReadError> {
        let stream = match attribute(array.tag, b"format") {
            None | Some(b"ascii") => return Ok(None),
            Some(b"binary") => Stream::Base64(Base64::with_blanks(&self.bytes[array.text.clone()])),
            Some(b"appended") => self.appended(array)?,
            Some(other) => {
                return Err(ReadError::syntax(self.place(array), other, "the format ascii, binary or appended"));
            }
        };
        let kind = attribute(array.tag, b"type").unwrap_or_default();
        let Some(scalar) = BinaryScalar::of_vtu(kind) else {
            return Err(ReadError::syntax(self.place(array), kind, "a type as Int64, UInt8, Float32 or Float64"));
        };
        let bytes = self.layout.unpack(stream, &mut self.budget, || line_of(self.bytes, array.at))?;
        if bytes.len() % scalar.size() != 0 {
            let (found, expected) = (format!("{} bytes", bytes.len()), format!("whole numbers of {}", scalar.size()));
            return Err(ReadError::Syntax { place: self.place(array), found, expected });
        }
        Ok(Some(Array { bytes, scalar, is_big: self.layout.is_big, origin: Origin::Array(array.name) }))
    }

    /// Returns the bytes from the offset of an array on.
    fn appended(&self, array: &DataArray<'_>) -> Result<Stream<'a>, ReadError> {
        let word = attribute(array.tag, b"offset").unwrap_or_default().trim_ascii();
        let offset = std::str::from_utf8(word).ok().and_then(|word| word.parse::<u64>().ok());
        let Some(offset) = offset else {
            return Err(ReadError::syntax(self.place(array), word, "the offset of an appended array"));
        };
        let Some(appended) = &self.appended else {
            return Err(ReadError::syntax(self.end.clone(), b"", "the tag <AppendedData>: copy the file again"));
        };
        let rest = usize::try_from(offset).ok().and_then(|offset| appended.bytes.get(offset..));
        match rest {
            Some(rest) if appended.is_raw => Ok(Stream::Raw(rest)),
            Some(rest) => Ok(Stream::Base64(Base64::new(rest))),
            None => {
                let (place, available) = (self.place(array), appended.bytes.len() as u64);
                Err(ReadError::OutOfRange { place, what: "appended bytes", needed: offset, available })
            }
        }
    }
}

/// Returns the next offset of a byte.
fn find(bytes: &[u8], from: usize, what: u8) -> Option<usize> {
    bytes.get(from..)?.iter().position(|&byte| byte == what).map(|place| from + place)
}

/// Returns the value of an attribute of a tag.
fn attribute<'a>(tag: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut rest = tag;
    while let Some(equals) = rest.iter().position(|&byte| byte == b'=') {
        let key = rest[..equals].trim_ascii();
        let key = key.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        let value = rest[equals + 1..].trim_ascii_start();
        let quote = *value.first()?;
        let end = value[1..].iter().position(|&byte| byte == quote)?;
        if key.eq_ignore_ascii_case(name) {
            return Some(&value[1..=end]);
        }
        rest = &value[end + 2..];
    }
    None
}

/// Returns the line of a byte.
fn line_of(bytes: &[u8], at: usize) -> Place {
    Place::Line(1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count() as u64)
}

impl<'a> Words<'a> {
    /// Returns the words of a part of a text, with their lines in the whole.
    fn at(bytes: &'a [u8], part: &Range<usize>) -> Self {
        let mut words = Self::new(&bytes[part.clone()], false);
        if let Place::Line(line) = line_of(bytes, part.start) {
            words.lines.skip_to(line - 1);
        }
        words
    }
}
