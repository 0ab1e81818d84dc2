//! MEDIT files, as text.
//!
//! In: bytes. Out: a mesh. A section is a keyword, a count and numbers; those that hold no cells are passed over.
//! Cost: O(bytes).

use super::{Kind, Words, cell, index};
use crate::read::text::number;
use crate::{Place, ReadError};
use heurt_mesh::VolumeMesh;

pub(super) fn read(bytes: &[u8]) -> Result<(VolumeMesh, Place), ReadError> {
    let mut words = Words::new(bytes, true);
    words.keyword("MeshVersionFormatted")?;
    words.count("the version")?;
    let mut mesh = VolumeMesh::default();
    while let Some(word) = words.next() {
        let kind = match word {
            b"Dimension" => {
                let dimension = words.count("3")?;
                if dimension != 3 {
                    let what = format!("a mesh of dimension {dimension}");
                    return Err(ReadError::Unsupported {
                        place: words.place(),
                        what,
                        remedy: "give three coordinates",
                    });
                }
                continue;
            }
            b"Vertices" => {
                for present in 0..words.count("the number of vertices")? {
                    if words.peek().is_none() {
                        let (place, promised) = (words.place(), present + 1);
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
                corners.push(index(corner, 1, mesh.vertices.len(), words.place())?);
            }
            words.whole("a reference")?;
            mesh.cells.extend(cell(kind, &corners));
        }
    }
    Ok((mesh, words.place()))
}
