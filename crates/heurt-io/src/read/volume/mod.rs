//! Volume meshes: VTK and VTU, Gmsh, MEDIT, as text and binary.
//!
//! In: bytes. Out: vertices and cells in the order of the file, without the points, edges and faces that files hold
//! next to the cells; or the surface: the boundary of the cells, or the faces of a file without cells. Coordinates are
//! taken as metres.
//! Guarantees: as all readers: no panic, no allocation beyond a fixed multiple of the input, and a mebibyte where it is
//! packed, errors name the line of text or the byte. [`read_volume`] does not turn
//! cells; the surface is oriented outward.

mod binary;
mod grid;
mod medit;
mod msh;
mod polyhedra;
mod vtk;
mod vtu;

use super::text::{Lines, finite, integer, words};
use crate::{Model, Place, ReadError, VolumeFormat, Warning};
use binary::{Array, BinaryScalar, Origin};
use grid::Grid;
use heurt_geometry::Vec3;
use heurt_mesh::VolumeMesh;
use std::borrow::Cow;

/// Reads a volume mesh; the file itself determines whether it is text or binary. Cells of higher order are read by
/// their corners: [`read_volume_noted`] counts them.
///
/// ```
/// use heurt_io::{VolumeFormat, read_volume};
/// let file = b"MeshVersionFormatted 2 Dimension 3 \
///     Vertices 4 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 Tetrahedra 1 1 2 3 4 0 End";
/// assert_eq!(read_volume(file, VolumeFormat::Medit)?.cells[0].corners(), [0, 1, 2, 3]);
/// # Ok::<(), heurt_io::ReadError>(())
/// ```
///
/// # Errors
/// [`ReadError`] gives the line, the byte or the array, the value found there, and the remedy.
pub fn read_volume(bytes: &[u8], format: VolumeFormat) -> Result<VolumeMesh, ReadError> {
    read_volume_noted(bytes, format).map(|(mesh, _)| mesh)
}

/// Reads a volume mesh as [`read_volume`] does, with warnings on the cells of higher order that it reads by their
/// corners.
///
/// # Errors
/// As for [`read_volume`].
pub fn read_volume_noted(bytes: &[u8], format: VolumeFormat) -> Result<(VolumeMesh, Vec<Warning>), ReadError> {
    let (grid, place) = read_grid(bytes, format, Grid::new(false, false))?;
    if grid.mesh.cells.is_empty() { Err(ReadError::NoCells { place, format }) } else { Ok(grid.into_volume()) }
}

/// Reads the surface of a file: the boundary of its cells, or its faces if it has no cells.
pub(super) fn read_surface(bytes: &[u8], format: VolumeFormat, is_strict: bool) -> Result<Model, ReadError> {
    let (grid, end) = read_grid(bytes, format, Grid::new(true, is_strict))?;
    grid.into_model(format, end)
}

/// Reads cells, and faces if `grid` keeps them; also returns the place where the file ends.
fn read_grid(bytes: &[u8], format: VolumeFormat, mut grid: Grid) -> Result<(Grid, Place), ReadError> {
    let end = match format {
        VolumeFormat::Vtk => vtk::read(bytes, &mut grid)?,
        VolumeFormat::Vtu => vtu::read(bytes, &mut grid)?,
        VolumeFormat::Msh => msh::read(bytes, &mut grid)?,
        VolumeFormat::Medit => medit::read(bytes, &mut grid)?,
    };
    Ok((grid, end))
}

/// Finds the format by the first bytes of a file.
pub(crate) fn detect(bytes: &[u8]) -> Option<VolumeFormat> {
    /// Number of bytes in which a file must identify itself: a prologue and some comments.
    const HEAD: usize = 1 << 10;
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let head = &start[..start.len().min(HEAD)];
    let holds = |word: &[u8]| head.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    if head.starts_with(b"# vtk DataFile") {
        Some(VolumeFormat::Vtk)
    } else if head.starts_with(b"$MeshFormat") {
        Some(VolumeFormat::Msh)
    } else if medit::is_binary(bytes) {
        Some(VolumeFormat::Medit)
    } else if head.first() == Some(&b'<') && holds(b"<VTKFile") {
        Some(VolumeFormat::Vtu)
    } else {
        let first = Words::new(head, true).next();
        first.is_some_and(|word| word.eq_ignore_ascii_case(b"MeshVersionFormatted")).then_some(VolumeFormat::Medit)
    }
}

/// The words of a text, with the number of their line; bytes may lie between lines.
struct Words<'a> {
    lines: Lines<'a>,
    line: &'a [u8],
    has_comments: bool,
    /// The length of the file, once its lines are not worth counting.
    binary: Option<usize>,
    /// Offset of the line.
    begin: usize,
}

impl<'a> Words<'a> {
    fn new(bytes: &'a [u8], has_comments: bool) -> Self {
        Self { lines: Lines::new(bytes), line: b"", has_comments, binary: None, begin: 0 }
    }

    /// Switches a file of `length` bytes to binary from the next line on.
    fn turn_binary(&mut self, length: usize) {
        self.binary = Some(length);
        self.begin = self.offset();
    }

    /// Returns the byte after the line; 0 in text.
    fn offset(&self) -> usize {
        self.binary.map_or(0, |length| length - self.lines.rest().len())
    }

    /// Returns the line, or in a binary file its byte offset.
    fn place(&self) -> Place {
        if self.binary.is_some() { Place::Offset(self.begin as u64) } else { self.lines.place() }
    }

    /// Returns the bytes of `count` items of `size` bytes after the line, and their offset.
    fn block(&mut self, count: u64, size: usize, what: &'static str) -> Result<(&'a [u8], usize), ReadError> {
        let (begin, rest) = (self.offset(), self.lines.rest());
        let present = (rest.len() / size) as u64;
        if count > present {
            let place = Place::Offset((begin + rest.len()) as u64);
            return Err(ReadError::Truncated { place, what, promised: count, present });
        }
        let bytes = &rest[..count as usize * size];
        self.lines.pass(bytes.len());
        self.line = b"";
        self.begin = self.offset();
        Ok((bytes, begin))
    }

    /// Returns the `count` numbers after the line.
    fn array(
        &mut self,
        count: u64,
        scalar: BinaryScalar,
        is_big: bool,
        what: &'static str,
    ) -> Result<Array<'a>, ReadError> {
        let (bytes, begin) = self.block(count, scalar.size(), what)?;
        Ok(Array { bytes: Cow::Borrowed(bytes), scalar, is_big, origin: Origin::Offset(begin) })
    }

    /// Reads the next line if nothing is left of the current line; reports whether there is any.
    fn fill(&mut self) -> bool {
        while self.line.trim_ascii_start().is_empty() {
            self.begin = self.offset();
            let next = if self.has_comments { self.lines.next_filled() } else { self.lines.next() };
            let Some(next) = next else { return false };
            self.line = next;
        }
        self.line = self.line.trim_ascii_start();
        true
    }

    fn next_line(&mut self) -> Option<&'a [u8]> {
        self.line = b"";
        self.begin = self.offset();
        self.lines.next()
    }

    fn peek(&mut self) -> Option<&'a [u8]> {
        if self.fill() { words(self.line).next() } else { None }
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        let word = self.peek()?;
        self.line = &self.line[word.len()..];
        Some(word)
    }

    fn whole(&mut self, expected: &str) -> Result<i64, ReadError> {
        let word = self.next().unwrap_or_default();
        integer(word).ok_or_else(|| ReadError::syntax(self.place(), word, expected))
    }

    fn count(&mut self, expected: &str) -> Result<u64, ReadError> {
        let word = self.next().unwrap_or_default();
        let count = integer(word).and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| ReadError::syntax(self.place(), word, expected))
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), ReadError> {
        let word = self.next().unwrap_or_default();
        let fits = word.eq_ignore_ascii_case(keyword.as_bytes());
        if fits { Ok(()) } else { Err(ReadError::syntax(self.place(), word, format!("`{keyword}`"))) }
    }

    fn point(&mut self) -> Result<Vec3, ReadError> {
        let mut point = [0.0; 3];
        for coordinate in &mut point {
            let word = self.next();
            *coordinate = finite(word, &self.place())?;
        }
        Ok(Vec3::from_array(point))
    }

    /// Reads points of the given number; no memory is reserved for missing points.
    fn points(&mut self, count: u64) -> Result<Vec<Vec3>, ReadError> {
        let mut points = Vec::new();
        for present in 0..count {
            if self.peek().is_none() {
                return Err(ReadError::Truncated { place: self.place(), what: "points", promised: count, present });
            }
            points.push(self.point()?);
        }
        Ok(points)
    }
}

/// Checks an index against the number of vertices.
fn index(index: i64, first: i64, count: usize, place: impl Fn() -> Place) -> Result<u32, ReadError> {
    let from_zero = index.checked_sub(first).filter(|&place| place >= 0 && place < count as i64);
    match from_zero.and_then(|place| u32::try_from(place).ok()) {
        Some(place) if place < u32::MAX => Ok(place),
        _ => Err(ReadError::BadIndex { place: place(), index, first, count }),
    }
}
