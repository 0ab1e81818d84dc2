//! VTK legacy files: an unstructured grid or polygonal data, as text or binary (big endian).
//!
//! In: bytes. Out: cells, and faces if requested; polygonal data only then. `CELLS` as counts and indices (up to
//! version 4) or as `OFFSETS` and `CONNECTIVITY` (5.1). Cells of higher order are read by their corners. Fields before
//! the points are skipped; data after cells and types are not read. Cost: O(bytes).
//! Method: keywords are lines of text in either encoding; numbers follow as words, or as bytes from the next line on.

use super::binary::{Array, BinaryScalar, Wholes};
use super::grid::{CellType, Grid, GridKind};
use super::polyhedra::{POLYHEDRON, Polyhedra};
use super::{Words, index};
use crate::error::quoted;
use crate::{Place, ReadError};
use heurt_mesh::Cell;
use std::ops::Range;

pub(super) fn read(bytes: &[u8], grid: &mut Grid) -> Result<Place, ReadError> {
    let mut words = Words::new(bytes, false);
    words.keyword("#")?;
    words.keyword("vtk")?;
    words.next_line(); // The title.
    let encoding = words.next_line().unwrap_or_default().trim_ascii();
    if encoding.eq_ignore_ascii_case(b"BINARY") {
        words.turn_binary(bytes.len());
    } else if !encoding.eq_ignore_ascii_case(b"ASCII") {
        return Err(ReadError::syntax(words.place(), encoding, "ASCII or BINARY"));
    }
    words.keyword("DATASET")?;
    let is_polygonal = is_polygonal(&mut words, grid.keeps_faces)?;
    let mut cells = VtkCells::default();
    // Polygons and strips: they may come before the points.
    let mut lists = Vec::new();
    while let Some(word) = words.next() {
        match word.to_ascii_uppercase().as_slice() {
            b"POINTS" => {
                let count = words.count("the number of points")?;
                grid.mesh.vertices = match words.numbers(count.saturating_mul(3), "coordinates")? {
                    Some(array) => array.points()?,
                    None => words.points(count)?,
                };
            }
            b"CELLS" if !is_polygonal => cells.read(&mut words)?,
            b"CELL_TYPES" if !is_polygonal => {
                let count = words.count("the number of cells")?;
                cells.types = match words.binary {
                    Some(_) => Wholes::Binary(words.array(count, BinaryScalar::I32, true, "cell types")?),
                    None => words.wholes(count, "cell types")?,
                };
            }
            b"VERTICES" | b"LINES" if is_polygonal => VtkCells::default().read(&mut words)?,
            b"POLYGONS" | b"TRIANGLE_STRIPS" if is_polygonal => {
                let kind = if word.eq_ignore_ascii_case(b"POLYGONS") { VtkKind::Polygon } else { VtkKind::Strip };
                let mut list = VtkCells::default();
                list.read(&mut words)?;
                lists.push((kind, list));
            }
            b"FIELD" => pass_field(&mut words)?,
            b"METADATA" => pass_metadata(&mut words),
            b"POINT_DATA" | b"CELL_DATA" => break,
            _ => {
                let expected = if is_polygonal { "POINTS or POLYGONS" } else { "POINTS, CELLS or CELL_TYPES" };
                return Err(ReadError::syntax(words.place(), word, expected));
            }
        }
    }
    cells.put(words.place(), grid)?;
    for (kind, list) in lists {
        list.put_faces(kind, words.place(), grid)?;
    }
    Ok(words.place())
}

/// Reads the kind of data: polygonal, which has faces only, or an unstructured grid.
fn is_polygonal(words: &mut Words<'_>, keeps_faces: bool) -> Result<bool, ReadError> {
    if !keeps_faces {
        return words.keyword("UNSTRUCTURED_GRID").map(|()| false);
    }
    let word = words.next().unwrap_or_default();
    match word.to_ascii_uppercase().as_slice() {
        b"UNSTRUCTURED_GRID" => Ok(false),
        b"POLYDATA" => Ok(true),
        _ => Err(ReadError::syntax(words.place(), word, "UNSTRUCTURED_GRID or POLYDATA")),
    }
}

fn pass_metadata(words: &mut Words<'_>) {
    while words.next_line().is_some_and(|line| !line.trim_ascii().is_empty()) {}
}

/// Skips arrays of any kind.
fn pass_field(words: &mut Words<'_>) -> Result<(), ReadError> {
    words.next(); // Its name.
    for _ in 0..words.count("the number of arrays")? {
        if words.peek().is_some_and(|word| word.eq_ignore_ascii_case(b"METADATA")) {
            pass_metadata(words);
        }
        words.next(); // Its name.
        let [components, tuples] = [words.count("a number of components")?, words.count("a number of tuples")?];
        let count = components.saturating_mul(tuples);
        if words.peek().is_some_and(|word| word.eq_ignore_ascii_case(b"string")) {
            if words.binary.is_some() {
                let what = "a field of strings".to_owned();
                return Err(ReadError::Unsupported {
                    place: words.place(),
                    what,
                    remedy: "save it without that field",
                });
            }
            words.next();
            // One a line.
            (0..count).take_while(|_| words.next_line().is_some()).for_each(drop);
        } else if words.numbers(count, "numbers of a field")?.is_none() {
            (0..count).take_while(|_| words.next().is_some()).for_each(drop);
        }
    }
    Ok(())
}

/// Kinds of cells and faces of VTK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VtkKind {
    Fixed(CellType),
    /// A cell or face of any order: the corners come first.
    AnyOrder(GridKind),
    /// A face of any number of corners.
    Polygon,
    /// A polygon with a node on each edge, after all corners.
    QuadraticPolygon,
    /// Triangles, each of which shares an edge with the previous one.
    Strip,
}

impl VtkKind {
    /// Finds a kind by its number; `None` for skipped kinds: points, lines, and faces unless requested.
    fn of(number: i64, grid: &Grid, place: impl Fn() -> Place) -> Result<Option<Self>, ReadError> {
        use GridKind::{Hexahedron, Prism, Pyramid, Quadrilateral, Tetrahedron, Triangle};
        let cell = match number {
            5 => CellType::linear(Triangle),
            8 => CellType::linear(GridKind::Pixel),
            9 => CellType::linear(Quadrilateral),
            10 => CellType::linear(Tetrahedron),
            11 => CellType::linear(GridKind::Voxel),
            12 => CellType::linear(Hexahedron),
            13 => CellType::linear(Prism),
            14 => CellType::linear(Pyramid),
            22 => CellType::curved(Triangle, 6),
            23 => CellType::curved(Quadrilateral, 8),
            24 => CellType::curved(Tetrahedron, 10),
            25 => CellType::curved(Hexahedron, 20),
            26 => CellType::curved(Prism, 15),
            27 => CellType::curved(Pyramid, 13),
            28 => CellType::curved(Quadrilateral, 9),
            29 => CellType::curved(Hexahedron, 27),
            30 => CellType::curved(Quadrilateral, 6),
            31 => CellType::curved(Prism, 12),
            32 => CellType::curved(Prism, 18),
            33 => CellType::curved(Hexahedron, 24),
            34 => CellType::curved(Triangle, 7),
            37 => CellType::curved(Pyramid, 19),
            // Lagrange and Bézier cells.
            69..=74 | 76..=81 => {
                let kinds = [Triangle, Quadrilateral, Tetrahedron, Hexahedron, Prism, Pyramid];
                let kind = kinds[if number < 75 { number - 69 } else { number - 76 } as usize];
                return Ok((grid.keeps_faces || !kind.is_face()).then_some(Self::AnyOrder(kind)));
            }
            6 | 7 | 36 if grid.keeps_faces => {
                return Ok(Some(match number {
                    6 => Self::Strip,
                    7 => Self::Polygon,
                    _ => Self::QuadraticPolygon,
                }));
            }
            0..=7 | 21 | 35 | 36 | 68 | 75 => return Ok(None),
            _ => {
                let what = format!("cell type {number}");
                let remedy = "save tetrahedra, pyramids, wedges, voxels and hexahedra";
                return Err(ReadError::Unsupported { place: place(), what, remedy });
            }
        };
        Ok((grid.keeps_faces || !cell.kind.is_face()).then_some(Self::Fixed(cell)))
    }
}

/// The cells of a grid: concatenated corners, the end of each cell, and types.
#[derive(Default)]
pub(super) struct VtkCells<'a> {
    pub corners: Wholes<'a>,
    /// The end of each cell in the list of corners.
    pub ends: Vec<usize>,
    pub types: Wholes<'a>,
    /// Faces of polyhedra, of VTU files only.
    pub polyhedra: Polyhedra<'a>,
    /// Count of numbers in that list before the corners of a cell: their number, or nothing.
    gap: usize,
}

impl<'a> VtkCells<'a> {
    fn read(&mut self, words: &mut Words<'a>) -> Result<(), ReadError> {
        let [first, second] = [words.count("the number of cells")?, words.count("the size of the list of cells")?];
        let has_offsets = match words.binary {
            Some(_) => words.lines.rest().starts_with(b"OFFSETS "),
            None => words.peek().is_some_and(|word| word.eq_ignore_ascii_case(b"OFFSETS")),
        };
        if has_offsets {
            words.keyword("OFFSETS")?;
            let offsets = words.whole_numbers(first, "offsets")?;
            self.set_ends(&offsets, 1);
            words.keyword("CONNECTIVITY")?;
            self.corners = words.whole_numbers(second, "corners")?;
            self.gap = 0;
            return Ok(());
        }
        let list = match words.binary {
            Some(_) => Wholes::Binary(words.array(second, BinaryScalar::I32, true, "numbers of the list of cells")?),
            None => words.wholes(second, "numbers of the list of cells")?,
        };
        self.split(list, first, words.place())
    }

    /// Sets the ends of the cells from a list in which `skipped` other numbers come first.
    pub fn set_ends(&mut self, offsets: &Wholes<'_>, skipped: usize) {
        let end = |number| usize::try_from(offsets.get(number)).unwrap_or(usize::MAX);
        self.ends = (skipped..offsets.len()).map(end).collect();
    }

    /// Splits a list in which every cell begins with its number of corners.
    fn split(&mut self, list: Wholes<'a>, count: u64, end: Place) -> Result<(), ReadError> {
        self.ends.clear();
        let mut at = 0;
        for present in 0..count {
            if at == list.len() {
                return Err(ReadError::Truncated { place: end, what: "cells", promised: count, present });
            }
            let corners = usize::try_from(list.get(at)).ok().filter(|&corners| corners < list.len() - at);
            let Some(corners) = corners else {
                let expected = format!("a number of corners of at most {}", list.len() - at - 1);
                let found = list.get(at).to_string();
                return Err(ReadError::syntax(list.place(at), found.as_bytes(), expected));
            };
            at += 1 + corners;
            self.ends.push(at);
        }
        (self.corners, self.gap) = (list, 1);
        Ok(())
    }

    /// Makes cells and faces of the corners and their types.
    pub fn put(&mut self, end: Place, grid: &mut Grid) -> Result<(), ReadError> {
        if self.types.len() != self.ends.len() {
            let (needed, available) = (self.ends.len() as u64, self.types.len() as u64);
            return Err(ReadError::OutOfRange { place: end, what: "cell types", needed, available });
        }
        let mut begin = 0;
        for number in 0..self.ends.len() {
            let corners = self.range(number, begin, &end)?;
            begin = corners.end;
            if self.types.get(number) == POLYHEDRON && !self.polyhedra.is_empty() {
                let faces = self.polyhedra.next(number, grid.mesh.vertices.len(), &end)?;
                grid.mesh.cells.push(Cell::Polyhedron(faces));
                continue;
            }
            let place = || self.types.place(number);
            let Some(kind) = VtkKind::of(self.types.get(number), grid, place)? else { continue };
            self.put_one(kind, corners, place, grid)?;
        }
        Ok(())
    }

    /// Makes faces of one kind of the corners.
    pub fn put_faces(&self, kind: VtkKind, end: Place, grid: &mut Grid) -> Result<(), ReadError> {
        let mut begin = 0;
        for number in 0..self.ends.len() {
            let corners = self.range(number, begin, &end)?;
            begin = corners.end;
            let place = || match corners.len() {
                0 => end.clone(),
                _ => self.corners.place(corners.start),
            };
            self.put_one(kind, corners.clone(), place, grid)?;
        }
        Ok(())
    }

    /// Returns the range of the corners of a cell, which starts at `begin`.
    fn range(&self, number: usize, begin: usize, end: &Place) -> Result<Range<usize>, ReadError> {
        let corners = begin + self.gap..self.ends[number];
        if corners.start > corners.end || corners.end > self.corners.len() {
            let (needed, available) = (corners.end as u64, self.corners.len() as u64);
            return Err(ReadError::OutOfRange { place: end.clone(), what: "corners", needed, available });
        }
        Ok(corners)
    }

    /// Makes one cell or face.
    fn put_one(
        &self,
        kind: VtkKind,
        corners: Range<usize>,
        place: impl Fn() -> Place,
        grid: &mut Grid,
    ) -> Result<(), ReadError> {
        let count = grid.mesh.vertices.len();
        let fixed = match kind {
            VtkKind::Fixed(cell) => Some(cell),
            VtkKind::AnyOrder(kind) => Some(CellType::curved(kind, corners.len().max(kind.corners()))),
            _ => None,
        };
        if let Some(cell) = fixed {
            if corners.len() != cell.nodes {
                let (found, expected) = (format!("{} corners", corners.len()), format!("{} corners", cell.nodes));
                return Err(ReadError::Syntax { place: place(), found, expected });
            }
            let mut indices = [0; 8];
            let indices = &mut indices[..cell.kind.corners()];
            for (index, corner) in indices.iter_mut().zip(corners) {
                *index = self.corner(corner, count)?;
            }
            return grid.push_typed(cell, indices, place);
        }
        let mut indices = corners.map(|corner| self.corner(corner, count)).collect::<Result<Vec<u32>, _>>()?;
        if kind == VtkKind::QuadraticPolygon {
            indices.truncate(indices.len() / 2);
            grid.note_curved(GridKind::Quadrilateral, &place)?;
        }
        match kind {
            VtkKind::Strip => grid.push_strip(&indices, place),
            _ => grid.push_polygon(&indices, place),
        }
    }

    /// Returns a corner, checked against the number of vertices.
    pub fn corner(&self, number: usize, vertices: usize) -> Result<u32, ReadError> {
        index(self.corners.get(number), 0, vertices, || self.corners.place(number))
    }
}

impl<'a> Words<'a> {
    /// Reads the `count` numbers of a binary file, whose kind comes next; text is not consumed.
    fn numbers(&mut self, count: u64, what: &'static str) -> Result<Option<Array<'a>>, ReadError> {
        let word = self.next().unwrap_or_default();
        if self.binary.is_none() {
            return Ok(None);
        }
        match BinaryScalar::of_vtk(word) {
            Some(scalar) => Ok(Some(self.array(count, scalar, true, what)?)),
            None => {
                let what = format!("the type of number {}", quoted(word));
                let remedy = "save it with int, vtktypeint64, float or double";
                Err(ReadError::Unsupported { place: self.place(), what, remedy })
            }
        }
    }

    /// Reads the `count` whole numbers whose kind comes next.
    fn whole_numbers(&mut self, count: u64, what: &'static str) -> Result<Wholes<'a>, ReadError> {
        match self.numbers(count, what)? {
            Some(array) if array.scalar.is_whole() => Ok(Wholes::Binary(array)),
            Some(_) => Err(ReadError::syntax(self.place(), b"fractions", format!("whole numbers for {what}"))),
            None => self.wholes(count, what),
        }
    }

    /// Reads the `promised` whole numbers that come next in a text; no memory is reserved for missing numbers.
    fn wholes(&mut self, promised: u64, what: &'static str) -> Result<Wholes<'a>, ReadError> {
        let mut numbers = Vec::new();
        for present in 0..promised {
            if self.peek().is_none() {
                return Err(ReadError::Truncated { place: self.place(), what, promised, present });
            }
            numbers.push((self.whole("a whole number")?, self.lines.number()));
        }
        Ok(Wholes::Text(numbers))
    }
}
