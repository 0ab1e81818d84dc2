//! Placed maps: a combinatorial map of faces or volumes with the positions of its vertices.
//!
//! In: polygons or volume cells, as files have them, floors of a plan, or the counts of a grid. Out: a [`PlacedMap`],
//! and from it a summary, a refined map, the cells of points, of paths and of segments, and the points in and next to
//! each cell.
//! Method: the builders of [`Map2`] and [`Map3`]; polygons of one plane are turned counter-clockwise and volumes of
//! negative size are mirrored before, so that trackers accept them.
//! Guarantees: cells keep the numbers of the input. Vertices keep them too; further pieces of pinched vertices follow.
//! Same input, same map. Not guaranteed: cells that trackers can trust; [`PlacedMap::summary`] lists the rest.
//! Cost: O(corners).

mod cells;
mod choose;
mod error;
mod floors;
mod near;
mod path;
mod refine;
mod search;
mod summary;

pub use cells::{CellList, CellShape};
pub use choose::CellTracking;
pub use error::PlacedMapError;
pub use near::{NearLists, NearOptions, NearPoint};
pub use path::{PathEnd, TrackedPath};
pub use refine::{MAX_REFINED_CELLS, RefineOptions, RefineWithin, RefinedMap};
pub use search::{LocatedPoint, MapSearch, MetCells};
pub use summary::{CellSizes, MapSummary};

use crate::{BuildError, Built, CombinatorialMap, EditError, Map2, Map3, Orbit, Orient, grid_positions};
use heurt_geometry::{Aabb, Vec3};
use heurt_mesh::{BoundaryFaces, Cell, VolumeMesh};

/// A map of either dimension.
#[derive(Debug, Clone)]
pub enum AnyMap {
    /// Faces of the plane or of a surface.
    Faces(Map2),
    /// Volumes.
    Volumes(Map3),
}

/// A map with the positions of its vertices. Vertices and cells have numbers.
#[derive(Debug, Clone)]
pub struct PlacedMap {
    /// The map.
    pub map: AnyMap,
    /// The positions, by number of the vertex.
    pub points: Vec<Vec3>,
    /// Vertices of the input that several vertices of the map represent, ascending.
    pub pinched: Vec<u32>,
    /// Cells that are turned against the input, ascending.
    pub turned: Vec<u32>,
}

impl PlacedMap {
    /// Builds a map of faces. Polygons of one plane z = constant are turned counter-clockwise seen from above; all
    /// further faces agree with the first face of their component.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_map::placed::PlacedMap;
    /// use heurt_mesh::BoundaryFaces;
    /// let vertices = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    /// let faces = BoundaryFaces { corners: vec![0, 1, 2, 0, 3, 2], ends: vec![3, 6] };
    /// let map = PlacedMap::from_faces(&vertices, &faces)?;
    /// assert_eq!((map.turned.clone(), map.summary()?.euler), (vec![1], 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] lists the faults of corners, or the edges at which the faces are no surface.
    pub fn from_faces(vertices: &[Vec3], faces: &BoundaryFaces) -> Result<Self, BuildError> {
        let mut corners = faces.corners.clone();
        let ranges = faces.ends.iter().scan(0, |begin, &end| Some(std::mem::replace(begin, end)..end));
        let mut turned = Vec::new();
        let is_plane = is_level(corners.iter().filter_map(|&corner| vertices.get(corner as usize)));
        if is_plane {
            for (face, range) in ranges.clone().enumerate() {
                let is_clockwise = cells::vector_area(&corners[range.clone()], vertices).z < 0.0;
                if is_clockwise {
                    corners[range].reverse();
                    turned.push(face as u32);
                }
            }
        }
        let polygons = ranges.map(|range| &corners[range]);
        let built = Map2::from_polygons(vertices.len(), polygons, Orient::Turn)?;
        Ok(Self::of_built(built, vertices, turned, AnyMap::Faces))
    }

    /// Builds a map of volumes. Cells of negative size are mirrored; then all agree with the first cell of their
    /// component.
    ///
    /// ```
    /// use heurt_map::placed::PlacedMap;
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::{Cell, VolumeMesh};
    /// let mesh = VolumeMesh {
    ///     vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
    ///     cells: vec![Cell::Tetrahedron([0, 1, 2, 3])],
    /// };
    /// assert_eq!(PlacedMap::from_volumes(&mesh)?.summary()?.counts[..4], [4, 6, 4, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] lists the faults of corners and cells, or the faces at which the cells are no partition.
    pub fn from_volumes(mesh: &VolumeMesh) -> Result<Self, BuildError> {
        let is_known =
            |cell: &Cell| cell.faces().iter().flatten().all(|&corner| (corner as usize) < mesh.vertices.len());
        let is_negative = |cell: &Cell| is_known(cell) && cells::volume(&cell.faces(), &mesh.vertices) < 0.0;
        let negative: Vec<bool> = mesh.cells.iter().map(is_negative).collect();
        let cells: Vec<Cell> = mesh
            .cells
            .iter()
            .zip(&negative)
            .map(|(cell, &is_negative)| if is_negative { cell.mirrored() } else { cell.clone() })
            .collect();
        let built = Map3::from_cells(mesh.vertices.len(), &cells, Orient::Turn)?;
        let turned = (0..).zip(negative).filter(|turned| turned.1).map(|turned| turned.0).collect();
        let mut placed = Self::of_built(built, &mesh.vertices, turned, AnyMap::Volumes);
        if let AnyMap::Volumes(map) = &mut placed.map {
            map.enable_ids(Orbit::Face);
        }
        Ok(placed)
    }

    /// Builds a grid of squares in the plane z = 0, or of cubes, with one corner at the origin. Cells are numbered
    /// along x first.
    ///
    /// ```
    /// use heurt_map::placed::PlacedMap;
    /// assert_eq!(PlacedMap::grid([4, 3, 2], 0.5)?.summary()?.counts[..4], [60, 133, 98, 24]);
    /// assert_eq!(PlacedMap::flat_grid([4, 3], 0.5)?.summary()?.counts[..3], [20, 31, 12]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlacedMapError::BadSize`], [`PlacedMapError::Edit`] for no cells or too many.
    pub fn grid(counts: [u32; 3], cell: f64) -> Result<Self, PlacedMapError> {
        check_size(cell)?;
        check_grid(counts)?;
        let mut map = Map3::hexahedral_grid(counts)?;
        map.enable_ids(Orbit::Face);
        let points = grid_positions(&grid_bounds(counts, cell), counts);
        Ok(Self { map: AnyMap::Volumes(map), points, pinched: Vec::new(), turned: Vec::new() })
    }

    /// Builds a grid of squares in the plane z = 0, with one corner at the origin: see [`grid`](Self::grid).
    ///
    /// # Errors
    /// As [`grid`](Self::grid).
    pub fn flat_grid(counts: [u32; 2], cell: f64) -> Result<Self, PlacedMapError> {
        check_size(cell)?;
        let counts = [counts[0], counts[1], 1];
        check_grid(counts)?;
        let map = Map2::grid(counts[0], counts[1])?;
        let mut points = grid_positions(&grid_bounds(counts, cell), counts);
        points.truncate(points.len() / 2);
        Ok(Self { map: AnyMap::Faces(map), points, pinched: Vec::new(), turned: Vec::new() })
    }

    fn of_built<const D: usize>(
        built: Built<D>,
        vertices: &[Vec3],
        mut turned: Vec<u32>,
        make: impl FnOnce(crate::Map<D>) -> AnyMap,
    ) -> Self {
        // A cell that was turned twice is as the input has it.
        turned.retain(|cell| built.turned.binary_search(cell).is_err());
        let points = built.at_vertices(vertices).values().to_vec();
        turned.extend(
            built.turned.iter().filter(|&cell| turned.binary_search(cell).is_err()).copied().collect::<Vec<_>>(),
        );
        turned.sort_unstable();
        Self { map: make(built.map), points, pinched: built.pinched, turned }
    }

    /// Returns the dimension of the cells: 2 or 3.
    pub fn dimension(&self) -> usize {
        match &self.map {
            AnyMap::Faces(_) => 2,
            AnyMap::Volumes(_) => 3,
        }
    }

    /// Reports whether the cells are faces of one plane z = constant.
    pub fn is_plane(&self) -> bool {
        match &self.map {
            AnyMap::Faces(map) => {
                let used = map.cell_ids(Orbit::Vertex).into_iter().flat_map(|ids| ids.cells());
                is_level(used.filter_map(|(vertex, _)| self.points.get(vertex as usize)))
            }
            AnyMap::Volumes(_) => false,
        }
    }

    /// Computes the box of all vertices of cells; empty if there are none.
    pub fn bounds(&self) -> Aabb {
        let ids = match &self.map {
            AnyMap::Faces(map) => map.cell_ids(Orbit::Vertex),
            AnyMap::Volumes(map) => map.cell_ids(Orbit::Vertex),
        };
        let used = ids.into_iter().flat_map(|ids| ids.cells());
        Aabb::from_points(used.filter_map(|(vertex, _)| self.points.get(vertex as usize).copied()))
    }
}

/// Reports whether points have one z.
fn is_level<'p>(mut points: impl Iterator<Item = &'p Vec3>) -> bool {
    points.next().is_some_and(|first| points.all(|point| point.z == first.z))
}

fn check_size(cell: f64) -> Result<(), PlacedMapError> {
    if cell > 0.0 && cell.is_finite() { Ok(()) } else { Err(PlacedMapError::BadSize { size: cell }) }
}

/// Refuses grids of more cells than a refined map may have.
fn check_grid(counts: [u32; 3]) -> Result<(), PlacedMapError> {
    if counts.contains(&0) {
        return Err(EditError::TooFew { what: "a row of a grid", count: 0, least: 1 }.into());
    }
    let count = counts.iter().map(|&count| u64::from(count)).fold(1, u64::saturating_mul);
    match count > MAX_REFINED_CELLS as u64 {
        true => Err(PlacedMapError::TooManyCells { count, max: MAX_REFINED_CELLS }),
        false => Ok(()),
    }
}

fn grid_bounds(counts: [u32; 3], cell: f64) -> Aabb {
    Aabb { min: Vec3::ZERO, max: Vec3::from_array(counts.map(f64::from)) * cell }
}
