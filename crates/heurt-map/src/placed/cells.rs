//! Cells of a placed map as polygons and polyhedra, for files, pictures and measures.
//!
//! In: a map with numbered vertices and cells. Out: for each cell its corners; volumes as tetrahedra, pyramids, prisms
//! and hexahedra where the faces are those of one, else as polyhedra; areas and volumes.
//! Method: the corners of a standard volume are read around its first face; its faces are compared with the table of
//! the kind, so that a volume with a divided face or edge is a polyhedron.
//! Guarantees: cells ascend by number. Areas and volumes are rounded; a bent face counts as the fan around the mean of
//! its corners. Cost: O(darts).

use super::{AnyMap, PlacedMap};
use crate::{CombinatorialMap, Dart, Map3, Orbit, Walker};
use heurt_geometry::Vec3;
use heurt_mesh::{BoundaryFaces, Cell};
use std::fmt;

/// The cells of a placed map over its points, ascending by number.
#[derive(Debug, Clone, PartialEq)]
pub enum CellList {
    /// Polygons, counter-clockwise seen from outside.
    Faces(BoundaryFaces),
    /// Volumes.
    Volumes(Vec<Cell>),
}

/// The shape of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellShape {
    /// A face, with its number of corners.
    Polygon(usize),
    /// Four triangles.
    Tetrahedron,
    /// A quadrilateral and four triangles.
    Pyramid,
    /// Two triangles and three quadrilaterals.
    Prism,
    /// Six quadrilaterals.
    Hexahedron,
    /// Any volume, with its number of faces.
    Polyhedron(usize),
}

impl fmt::Display for CellShape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Polygon(3) => out.write_str("triangle"),
            Self::Polygon(4) => out.write_str("quadrilateral"),
            Self::Polygon(corners) => write!(out, "polygon of {corners} corners"),
            Self::Tetrahedron => out.write_str("tetrahedron"),
            Self::Pyramid => out.write_str("pyramid"),
            Self::Prism => out.write_str("prism"),
            Self::Hexahedron => out.write_str("hexahedron"),
            Self::Polyhedron(faces) => write!(out, "polyhedron of {faces} faces"),
        }
    }
}

impl PlacedMap {
    /// Returns the cells over [`points`](Self::points), ascending by number.
    ///
    /// ```
    /// use heurt_map::placed::{CellList, CellShape, PlacedMap};
    /// let map = PlacedMap::grid([2, 1, 1], 1.0)?;
    /// let CellList::Volumes(cells) = map.cells() else { return Err("volumes".into()) };
    /// assert_eq!(cells[1].corners(), [1, 2, 5, 4, 7, 8, 11, 10]);
    /// assert_eq!(map.cells().shapes(), [CellShape::Hexahedron; 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cells(&self) -> CellList {
        match &self.map {
            AnyMap::Faces(map) => {
                let mut faces = BoundaryFaces::default();
                for (_, dart) in map.cell_ids(Orbit::Face).into_iter().flat_map(|ids| ids.cells()) {
                    faces.corners.extend(face_corners(map, dart));
                    faces.ends.push(faces.corners.len());
                }
                CellList::Faces(faces)
            }
            AnyMap::Volumes(map) => {
                let mut walker = Walker::new();
                let darts = map.cell_ids(Orbit::Volume).into_iter().flat_map(|ids| ids.cells());
                CellList::Volumes(darts.map(|(_, dart)| cell_of(map, dart, &mut walker)).collect())
            }
        }
    }

    /// Returns the numbers of the cells, ascending.
    pub fn cell_numbers(&self) -> Vec<u32> {
        let ids = match &self.map {
            AnyMap::Faces(map) => map.cell_ids(Orbit::Face),
            AnyMap::Volumes(map) => map.cell_ids(Orbit::Volume),
        };
        ids.into_iter().flat_map(|ids| ids.cells()).map(|cell| cell.0).collect()
    }
}

impl CellList {
    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        match self {
            Self::Faces(faces) => faces.ends.len(),
            Self::Volumes(cells) => cells.len(),
        }
    }

    /// Reports whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the faces of each cell; the cell itself if it is a face.
    pub fn faces(&self) -> Vec<Vec<Vec<u32>>> {
        match self {
            Self::Faces(faces) => polygons(faces).map(|corners| vec![corners.to_vec()]).collect(),
            Self::Volumes(cells) => cells.iter().map(Cell::faces).collect(),
        }
    }

    /// Returns the shape of each cell.
    pub fn shapes(&self) -> Vec<CellShape> {
        match self {
            Self::Faces(faces) => polygons(faces).map(|corners| CellShape::Polygon(corners.len())).collect(),
            Self::Volumes(cells) => cells.iter().map(shape_of).collect(),
        }
    }

    /// Computes the area of each face, or the volume of each volume.
    pub fn sizes(&self, points: &[Vec3]) -> Vec<f64> {
        match self {
            Self::Faces(faces) => polygons(faces).map(|corners| vector_area(corners, points).length()).collect(),
            Self::Volumes(cells) => cells.iter().map(|cell| volume(&cell.faces(), points)).collect(),
        }
    }
}

fn polygons(faces: &BoundaryFaces) -> impl Iterator<Item = &[u32]> {
    let begins = std::iter::once(0).chain(faces.ends.iter().copied());
    begins.zip(&faces.ends).map(|(begin, &end)| &faces.corners[begin..end])
}

fn shape_of(cell: &Cell) -> CellShape {
    match cell {
        Cell::Tetrahedron(_) => CellShape::Tetrahedron,
        Cell::Pyramid(_) => CellShape::Pyramid,
        Cell::Prism(_) => CellShape::Prism,
        Cell::Hexahedron(_) => CellShape::Hexahedron,
        _ => CellShape::Polyhedron(cell.faces().len()),
    }
}

fn face_corners<const D: usize>(map: &crate::Map<D>, dart: Dart) -> impl Iterator<Item = u32> + '_ {
    map.face_darts(dart).map(|dart| map.id(Orbit::Vertex, dart))
}

/// Returns the volume of a dart.
fn cell_of(map: &Map3, dart: Dart, walker: &mut Walker) -> Cell {
    let darts = walker.orbit(map, Orbit::Volume, dart);
    let firsts: Vec<Dart> =
        darts.iter().copied().filter(|&dart| map.face_darts(dart).all(|other| dart <= other)).collect();
    let faces: Vec<Vec<u32>> = firsts.iter().map(|&dart| face_corners(map, dart).collect()).collect();
    standard(map, &firsts, &faces).unwrap_or(Cell::Polyhedron(faces))
}

/// Returns the standard volume with these faces, if there is one.
fn standard(map: &Map3, firsts: &[Dart], faces: &[Vec<u32>]) -> Option<Cell> {
    let triangles = faces.iter().filter(|face| face.len() == 3).count();
    if faces.iter().any(|face| face.len() > 4) {
        return None;
    }
    let base_size = match (faces.len(), triangles) {
        (4, 4) | (5, 2) => 3,
        (5, 4) | (6, 0) => 4,
        _ => return None,
    };
    let base = firsts[faces.iter().position(|face| face.len() == base_size)?];
    let bottom: Vec<u32> = face_corners(map, base).collect();
    let start = |dart| map.id(Orbit::Vertex, dart);
    // The end of the edge that leaves the base at the start of a dart.
    let above = |dart: Dart| start(map.phi1(map.phi1(map.phi2(dart))));
    let top: Vec<u32> = map.face_darts(base).map(above).collect();
    let cell = match (bottom.as_slice(), top.as_slice(), faces.len()) {
        (&[a, b, c], &[apex, ..], 4) => Cell::Tetrahedron([a, c, b, apex]),
        (&[a, b, c], &[d, e, f], 5) => Cell::Prism([a, b, c, d, e, f]),
        (&[a, b, c, d], &[apex, ..], 5) => Cell::Pyramid([a, d, c, b, apex]),
        (&[a, b, c, d], &[e, f, g, h], 6) => Cell::Hexahedron([a, d, c, b, e, h, g, f]),
        _ => return None,
    };
    (normal_form(&cell.faces()) == normal_form(faces)).then_some(cell)
}

/// Turns each face so that it begins with its least corner, and sorts the faces.
fn normal_form(faces: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let turned = |face: &Vec<u32>| {
        let mut face = face.clone();
        let least = (0..face.len()).min_by_key(|&place| face[place]).unwrap_or(0);
        face.rotate_left(least);
        face
    };
    let mut faces: Vec<Vec<u32>> = faces.iter().map(turned).collect();
    faces.sort_unstable();
    faces
}

/// Computes the vector area of a polygon: normal times area.
pub(super) fn vector_area(corners: &[u32], points: &[Vec3]) -> Vec3 {
    let Some(&first) = corners.first().and_then(|&corner| points.get(corner as usize)) else { return Vec3::ZERO };
    let at = |corner: u32| points.get(corner as usize).map_or(Vec3::ZERO, |&point| point - first);
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(&a, &b)| at(a).cross(at(b))).sum::<Vec3>() * 0.5
}

/// Computes the volume inside faces, each as the fan around the mean of its corners.
pub(super) fn volume(faces: &[Vec<u32>], points: &[Vec3]) -> f64 {
    let Some(&first) = faces.first().and_then(|face| face.first()) else { return 0.0 };
    let origin = points[first as usize];
    let at = |corner: u32| points[corner as usize] - origin;
    let of_face = |face: &Vec<u32>| {
        let mean = face.iter().map(|&corner| at(corner)).sum::<Vec3>() / face.len() as f64;
        let next = face.iter().cycle().skip(1);
        face.iter().zip(next).map(|(&a, &b)| mean.dot(at(a).cross(at(b)))).sum::<f64>() / 6.0
    };
    faces.iter().map(of_face).sum()
}
