//! Gmsh files, versions 2.2 and 4.1, as text or binary.
//!
//! In: bytes. Out: cells, and faces if requested; nodes in the order of the file, for any tags. Cost: O(bytes) and
//! sorting the tags. Elements of higher order are read by their corners.
//! Method: sections are lines of text in either encoding, their contents are words or bytes.

mod binary;
mod text;

use super::Words;
use super::grid::{CellType, Grid, GridKind};
use crate::{Place, ReadError};
use heurt_geometry::Vec3;

pub(super) fn read(bytes: &[u8], grid: &mut Grid) -> Result<Place, ReadError> {
    let mut words = Words::new(bytes, false);
    words.keyword("$MeshFormat")?;
    let version = words.next().unwrap_or_default();
    let is_new = match version {
        [b'2', ..] => false,
        b"4.1" => true,
        _ => {
            let what = format!("version {}", crate::error::quoted(version));
            return Err(ReadError::Unsupported { place: words.place(), what, remedy: "save it in version 2.2 or 4.1" });
        }
    };
    let encoding = words.whole("0 for text or 1 for binary")?;
    let mut mesh = MshMesh::new(grid);
    match encoding {
        0 => text::read(&mut words, is_new, &mut mesh)?,
        1 => binary::read(bytes, &mut words, is_new, &mut mesh)?,
        other => {
            return Err(ReadError::syntax(words.place(), other.to_string().as_bytes(), "0 for text or 1 for binary"));
        }
    }
    mesh.build()?;
    Ok(words.place())
}

/// Nodes and elements as they are in the file.
struct MshMesh<'g> {
    grid: &'g mut Grid,
    points: Vec<Vec3>,
    /// Tags of nodes, and the numbers of the nodes.
    tags: Vec<(i64, u32)>,
    elements: Vec<MshElement>,
}

struct MshElement {
    cell: CellType,
    /// Tags of nodes: the corners, then zeros.
    tags: [i64; 8],
    place: Place,
}

impl<'g> MshMesh<'g> {
    fn new(grid: &'g mut Grid) -> Self {
        Self { grid, points: Vec::new(), tags: Vec::new(), elements: Vec::new() }
    }

    fn push(&mut self, tag: i64, point: Vec3, place: impl Fn() -> Place) -> Result<(), ReadError> {
        let number = u32::try_from(self.points.len()).ok().filter(|&number| number < u32::MAX);
        let Some(number) = number else {
            let what = "more than 2³² nodes".to_owned();
            return Err(ReadError::Unsupported { place: place(), what, remedy: "split the mesh" });
        };
        self.tags.push((tag, number));
        self.points.push(point);
        Ok(())
    }

    fn build(mut self) -> Result<(), ReadError> {
        self.tags.sort_unstable();
        // If several nodes have the same tag, the first in the file counts.
        self.tags.dedup_by_key(|node| node.0);
        self.grid.mesh.vertices = self.points;
        let count = self.grid.mesh.vertices.len();
        for MshElement { cell, tags, place } in self.elements {
            let (kind, mut corners) = (cell.kind, [0; 8]);
            for (corner, &tag) in corners.iter_mut().zip(&tags[..kind.corners()]) {
                let Ok(found) = self.tags.binary_search_by_key(&tag, |node| node.0) else {
                    return Err(ReadError::BadIndex { place, index: tag, first: 1, count });
                };
                *corner = self.tags[found].1;
            }
            self.grid.push_typed(cell, &corners[..kind.corners()], || place)?;
        }
        Ok(())
    }
}

/// Finds an element type: `None` for skipped types, and the number of nodes. The corners come first in all of them.
fn element_type(number: i64, grid: &Grid, place: impl Fn() -> Place) -> Result<(Option<CellType>, usize), ReadError> {
    let (kind, nodes) = match number {
        4 => (GridKind::Tetrahedron, 4),
        5 => (GridKind::Hexahedron, 8),
        6 => (GridKind::OtherPrism, 6),
        7 => (GridKind::Pyramid, 5),
        2 => (GridKind::Triangle, 3),
        3 => (GridKind::Quadrilateral, 4),
        // Points and lines.
        15 => return Ok((None, 1)),
        1 => return Ok((None, 2)),
        8 => return Ok((None, 3)),
        26..=28 => return Ok((None, number as usize - 22)),
        _ => match curved_type(number) {
            Some(curved) => curved,
            None => {
                let what = format!("element type {number}");
                let remedy = "save elements of first order";
                return Err(ReadError::Unsupported { place: place(), what, remedy });
            }
        },
    };
    let is_kept = grid.keeps_faces || !kind.is_face();
    Ok((is_kept.then_some(CellType { kind, nodes }), nodes))
}

/// Returns the kind and the number of nodes of an element type of higher order.
fn curved_type(number: i64) -> Option<(GridKind, usize)> {
    Some(match number {
        9 => (GridKind::Triangle, 6),
        20 => (GridKind::Triangle, 9),
        21 => (GridKind::Triangle, 10),
        22 => (GridKind::Triangle, 12),
        23 | 24 => (GridKind::Triangle, 15),
        25 => (GridKind::Triangle, 21),
        10 => (GridKind::Quadrilateral, 9),
        16 => (GridKind::Quadrilateral, 8),
        36 => (GridKind::Quadrilateral, 16),
        37 => (GridKind::Quadrilateral, 25),
        39 => (GridKind::Quadrilateral, 12),
        11 => (GridKind::Tetrahedron, 10),
        29 => (GridKind::Tetrahedron, 20),
        30 => (GridKind::Tetrahedron, 35),
        12 => (GridKind::Hexahedron, 27),
        17 => (GridKind::Hexahedron, 20),
        92 => (GridKind::Hexahedron, 64),
        93 => (GridKind::Hexahedron, 125),
        13 => (GridKind::OtherPrism, 18),
        18 => (GridKind::OtherPrism, 15),
        90 => (GridKind::OtherPrism, 40),
        91 => (GridKind::OtherPrism, 75),
        14 => (GridKind::Pyramid, 14),
        19 => (GridKind::Pyramid, 13),
        118 => (GridKind::Pyramid, 30),
        119 => (GridKind::Pyramid, 55),
        _ => return None,
    })
}

/// Rejects nodes that have coordinates on their curve or surface too.
fn check_parametric(is_parametric: i64, place: Place) -> Result<(), ReadError> {
    if is_parametric == 0 {
        return Ok(());
    }
    let what = "nodes with parametric coordinates".to_owned();
    let remedy = "save it without parametric coordinates (Mesh.SaveParametric = 0)";
    Err(ReadError::Unsupported { place, what, remedy })
}
