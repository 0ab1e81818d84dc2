//! MEDIT files, as text or binary.
//!
//! In: bytes. Out: cells, and faces if requested. A section is a keyword, a count and numbers; other sections are
//! skipped.
//! Cost: O(bytes).

mod binary;

use super::grid::{Grid, GridKind};
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
        let kind = match word {
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
            b"Triangles" if grid.keeps_faces => GridKind::Triangle,
            b"Quadrilaterals" if grid.keeps_faces => GridKind::Quadrilateral,
            b"Tetrahedra" => GridKind::Tetrahedron,
            b"Pyramids" => GridKind::Pyramid,
            b"Prisms" | b"Pentahedra" => GridKind::OtherPrism,
            b"Hexahedra" | b"Hexaedra" => GridKind::Hexahedron,
            b"End" => break,
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
        for _ in 0..words.count("the number of cells")? {
            let mut corners = Vec::with_capacity(kind.corners());
            for _ in 0..kind.corners() {
                let corner = words.whole("a vertex index")?;
                corners.push(index(corner, 1, grid.mesh.vertices.len(), || words.place())?);
            }
            words.whole("a reference")?;
            grid.push(kind, &corners);
        }
    }
    Ok(words.place())
}

fn check_dimension(dimension: i64, place: Place) -> Result<(), ReadError> {
    if dimension == 3 {
        return Ok(());
    }
    let what = format!("a mesh of dimension {dimension}");
    Err(ReadError::Unsupported { place, what, remedy: "give three coordinates" })
}
