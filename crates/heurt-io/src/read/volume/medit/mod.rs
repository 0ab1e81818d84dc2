//! MEDIT files, as text or binary.
//!
//! In: bytes. Out: cells, and faces if requested. A section is a keyword, a count and numbers; other sections are
//! skipped. Cells of higher order are read by their corners.
//! Cost: O(bytes).

mod binary;

use super::grid::{CellType, Grid, GridKind};
use super::{Words, index};
use crate::read::text::number;
use crate::{Place, ReadError};

/// Reports whether the file begins as a binary one: a one of either endianness, and a version of 1 to 4.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let (Some(one), Some(version)) = (bytes.first_chunk::<4>(), bytes.get(4..).and_then(<[u8]>::first_chunk)) else {
        return false;
    };
    let version = if *one == binary::STARTS[0] { u32::from_le_bytes(*version) } else { u32::from_be_bytes(*version) };
    binary::STARTS.contains(one) && (1..=4).contains(&version)
}

pub(super) fn read(bytes: &[u8], grid: &mut Grid) -> Result<Place, ReadError> {
    if binary::STARTS.iter().any(|start| bytes.starts_with(start)) {
        return binary::read(bytes, grid);
    }
    let mut words = Words::new(bytes, true);
    let word = words.next().unwrap_or_default();
    if !word.eq_ignore_ascii_case(b"MeshVersionFormatted") {
        let expected =
            "`MeshVersionFormatted`: if the file is of another format named `.mesh`, export it as OBJ, STL or PLY";
        return Err(ReadError::syntax(words.place(), word, expected));
    }
    words.count("the version")?;
    while let Some(word) = words.next() {
        let cell = match word {
            b"Dimension" => {
                let dimension = words.whole("3")?;
                check_dimension(dimension, words.place())?;
                continue;
            }
            b"Vertices" => {
                let promised = words.count("the number of vertices")?;
                for present in 0..promised {
                    if words.peek().is_none() {
                        let place = words.place();
                        return Err(ReadError::Truncated { place, what: "vertices", promised, present });
                    }
                    grid.mesh.vertices.push(words.point()?);
                    words.whole("a reference")?;
                }
                continue;
            }
            b"End" => break,
            _ if cell_type(word, grid.keeps_faces).is_some() => cell_type(word, grid.keeps_faces),
            _ if number(word).is_some() => {
                return Err(ReadError::syntax(
                    words.place(),
                    word,
                    "a keyword: correct the count of the section before",
                ));
            }
            _ => {
                // A section of any length: it ends at the next keyword.
                while words.peek().is_some_and(|word| number(word).is_some()) {
                    words.next();
                }
                continue;
            }
        };
        if let Some(cell) = cell {
            read_cells(&mut words, cell, grid)?;
        }
    }
    Ok(words.place())
}

/// Reads the cells or faces of a section.
fn read_cells(words: &mut Words<'_>, cell: CellType, grid: &mut Grid) -> Result<(), ReadError> {
    for _ in 0..words.count("the number of cells")? {
        let mut corners = Vec::with_capacity(cell.kind.corners());
        for _ in 0..cell.kind.corners() {
            let corner = words.whole("a vertex index")?;
            corners.push(index(corner, 1, grid.mesh.vertices.len(), || words.place())?);
        }
        for _ in cell.kind.corners()..cell.nodes {
            words.whole("a vertex index")?;
        }
        words.whole("a reference")?;
        grid.push_typed(cell, &corners, || words.place())?;
    }
    Ok(())
}

/// The sections of cells and faces: keyword, number in a binary file, kind, and nodes of a cell. Corners come first.
const CELL_TYPES: [(&str, i64, GridKind, usize); 22] = [
    ("Triangles", 6, GridKind::Triangle, 3),
    ("Quadrilaterals", 7, GridKind::Quadrilateral, 4),
    ("Tetrahedra", 8, GridKind::Tetrahedron, 4),
    ("Prisms", 9, GridKind::OtherPrism, 6),
    ("Hexahedra", 10, GridKind::Hexahedron, 8),
    ("Pyramids", 49, GridKind::Pyramid, 5),
    ("TrianglesP2", 24, GridKind::Triangle, 6),
    ("TrianglesP3", 90, GridKind::Triangle, 10),
    ("TrianglesP4", 91, GridKind::Triangle, 15),
    ("QuadrilateralsQ2", 27, GridKind::Quadrilateral, 9),
    ("QuadrilateralsQ3", 88, GridKind::Quadrilateral, 16),
    ("QuadrilateralsQ4", 89, GridKind::Quadrilateral, 25),
    ("TetrahedraP2", 30, GridKind::Tetrahedron, 10),
    ("TetrahedraP3", 96, GridKind::Tetrahedron, 20),
    ("TetrahedraP4", 97, GridKind::Tetrahedron, 35),
    ("PrismsP2", 86, GridKind::OtherPrism, 18),
    ("PrismsP3", 102, GridKind::OtherPrism, 40),
    ("HexahedraQ2", 33, GridKind::Hexahedron, 27),
    ("HexahedraQ3", 98, GridKind::Hexahedron, 64),
    ("PyramidsP2", 87, GridKind::Pyramid, 14),
    ("PyramidsP3", 100, GridKind::Pyramid, 30),
    ("PyramidsP4", 101, GridKind::Pyramid, 55),
];

/// Finds the cells of a keyword; `None` for other sections, and for faces unless they are kept.
fn cell_type(keyword: &[u8], keeps_faces: bool) -> Option<CellType> {
    let keyword = match keyword {
        b"Pentahedra" => b"Prisms".as_slice(),
        b"Hexaedra" => b"Hexahedra",
        other => other,
    };
    let found = CELL_TYPES.iter().find(|(name, ..)| name.as_bytes() == keyword);
    found.map(|&(_, _, kind, nodes)| CellType { kind, nodes }).filter(|cell| keeps_faces || !cell.kind.is_face())
}

/// Finds the cells of a section of a binary file, as [`cell_type`] does.
fn cell_type_of_code(code: i64, keeps_faces: bool) -> Option<CellType> {
    let found = CELL_TYPES.iter().find(|(_, number, ..)| *number == code);
    found.map(|&(_, _, kind, nodes)| CellType { kind, nodes }).filter(|cell| keeps_faces || !cell.kind.is_face())
}

fn check_dimension(dimension: i64, place: Place) -> Result<(), ReadError> {
    if dimension == 3 {
        return Ok(());
    }
    let what = format!("a mesh of dimension {dimension}");
    Err(ReadError::Unsupported { place, what, remedy: "give three coordinates" })
}
