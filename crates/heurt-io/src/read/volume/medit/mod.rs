//! MEDIT files, as text or binary.
//!
//! In: bytes. Out: a mesh. A section is a keyword, a count and numbers; those that hold no cells are passed over.
//! Cost: O(bytes).

mod binary;

use super::{Kind, Words, cell, index};
use crate::read::text::number;
use crate::{Place, ReadError};
use heurt_mesh::VolumeMesh;

pub(super) fn read(bytes: &[u8]) -> Result<(VolumeMesh, Place), ReadError> {
    if binary::STARTS.iter().any(|start| bytes.starts_with(start)) {
        return binary::read(bytes);
    }
    let mut words = Words::new(bytes, true);
    words.keyword("MeshVersionFormatted")?;
    words.count("the version")?;
    let mut mesh = VolumeMesh::default();
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
                    mesh.vertices.push(words.point()?);
                    words.whole("a reference")?;
                }
                continue;
            }
            b"Tetrahedra" => Kind::Tetrahedron,
            b"Pyramids" => Kind::Pyramid,
            b"Prisms" | b"Pentahedra" => Kind::OtherPrism,
            b"Hexahedra" | b"Hexaedra" => Kind::Hexahedron,
            b"End" => break,
            _ if number(word).is_some() => {
                return Err(ReadError::syntax(
                    words.place(),
                    word,
                    "a keyword: correct the count of the section before",
                ));
            }
            _ => {
                // Of any length: only the next keyword tells where it ends.
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
                corners.push(index(corner, 1, mesh.vertices.len(), || words.place())?);
            }
            words.whole("a reference")?;
            mesh.cells.extend(cell(kind, &corners));
        }
    }
    Ok((mesh, words.place()))
}

fn check_dimension(dimension: i64, place: Place) -> Result<(), ReadError> {
    if dimension == 3 {
        return Ok(());
    }
    let what = format!("a mesh of dimension {dimension}");
    Err(ReadError::Unsupported { place, what, remedy: "give three coordinates" })
}
