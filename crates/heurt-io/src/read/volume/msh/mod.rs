//! Gmsh files, versions 2.2 and 4.1, as text or binary.
//!
//! In: bytes. Out: cells, and faces if requested; nodes in the order of the file, for any tags. Cost: O(bytes) and
//! sorting the tags.
//! Method: sections are lines of text in either encoding, their contents are words or bytes.

mod binary;
mod text;

use super::Words;
use super::grid::{Grid, GridKind};
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
    kind: GridKind,
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
        for MshElement { kind, tags, place } in self.elements {
            let mut corners = [0; 8];
            for (corner, &tag) in corners.iter_mut().zip(&tags[..kind.corners()]) {
                let Ok(found) = self.tags.binary_search_by_key(&tag, |node| node.0) else {
                    return Err(ReadError::BadIndex { place, index: tag, first: 1, count });
                };
                *corner = self.tags[found].1;
            }
            self.grid.push(kind, &corners[..kind.corners()]);
        }
        Ok(())
    }
}

/// Finds an element type: its kind, `None` for skipped types, and its number of nodes.
fn kind(number: i64, grid: &mut Grid, place: impl Fn() -> Place) -> Result<(Option<GridKind>, usize), ReadError> {
    let skipped = |nodes| (None, nodes);
    let face = |kind: GridKind| (grid.keeps_faces.then_some(kind), kind.corners());
    Ok(match number {
        4 => (Some(GridKind::Tetrahedron), 4),
        5 => (Some(GridKind::Hexahedron), 8),
        6 => (Some(GridKind::OtherPrism), 6),
        7 => (Some(GridKind::Pyramid), 5),
        2 => face(GridKind::Triangle),
        3 => face(GridKind::Quadrilateral),
        // Points and lines.
        15 => skipped(1),
        1 => skipped(2),
        8 => skipped(3),
        26 => skipped(4),
        27 => skipped(5),
        28 => skipped(6),
        // Triangles and quadrilaterals of higher order.
        9 | 10 | 16 | 20..=25 => {
            grid.note_curved(place);
            skipped(match number {
                9 => 6,
                16 => 8,
                10 | 20 => 9,
                21 => 10,
                22 => 12,
                23 | 24 => 15,
                _ => 21,
            })
        }
        _ => {
            let what = format!("element type {number}");
            return Err(ReadError::Unsupported { place: place(), what, remedy: "save elements of first order" });
        }
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
