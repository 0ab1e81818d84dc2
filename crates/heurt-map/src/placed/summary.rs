//! Summary of a placed map: counts, border, shapes and sizes of cells, and faults.
//!
//! In: a placed map. Out: a [`MapSummary`]. Cost: O(darts) and the checks.

use super::{AnyMap, CellShape, CellTracking, PlacedMap, PlacedMapError};
use crate::track::CellFault;
use crate::{CombinatorialMap, Map, MapFault, Orbit, for_each_orbit};
use heurt_geometry::Aabb;
use std::collections::BTreeMap;

/// Areas of faces, or volumes of volumes, in powers of the unit of the positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellSizes {
    /// The least.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The greatest.
    pub greatest: f64,
    /// The sum.
    pub total: f64,
}

/// The contents of a placed map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapSummary {
    /// 2 or 3.
    pub dimension: usize,
    /// Darts of cells.
    pub darts: usize,
    /// Darts that close the map beyond its border.
    pub boundary_darts: usize,
    /// Bytes of the links.
    pub bytes: usize,
    /// Vertices, edges, faces, volumes and components; no volumes in 2D.
    pub counts: [usize; 5],
    /// Vertices − edges + faces − volumes.
    pub euler: i64,
    /// Edges (2D) or faces (3D) with a cell on one side only.
    pub border: usize,
    /// Closed pieces of the border: loops (2D) or surfaces (3D).
    pub border_pieces: usize,
    /// Number of cells by shape.
    pub shapes: Vec<(CellShape, usize)>,
    /// Areas or volumes; `None` without cells.
    pub sizes: Option<CellSizes>,
    /// The box of the vertices.
    pub bounds: Aabb,
    /// Vertices of the input that several vertices represent.
    pub pinched: usize,
    /// Cells that are turned against the input.
    pub turned: usize,
    /// How points are followed.
    pub tracking: CellTracking,
    /// Cells in which tracking may lose a particle.
    pub untrusted: Vec<CellFault>,
    /// Violated constraints of the map.
    pub faults: Vec<MapFault>,
}

impl PlacedMap {
    /// Summarises the map.
    ///
    /// ```
    /// use heurt_map::placed::PlacedMap;
    /// let summary = PlacedMap::flat_grid([4, 4], 0.5)?.summary()?;
    /// assert_eq!((summary.darts, summary.boundary_darts, summary.border), (64, 16, 16));
    /// assert_eq!((summary.border_pieces, summary.sizes.ok_or("cells")?.total), (1, 4.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlacedMapError::Track`] if there are fewer points than vertices.
    pub fn summary(&self) -> Result<MapSummary, PlacedMapError> {
        let (tracking, untrusted) = self.tracking()?;
        let links = match &self.map {
            AnyMap::Faces(map) => {
                let [vertices, edges, faces, components] = map.cell_counts();
                LinkCounts::of(map, [vertices, edges, faces, 0, components])
            }
            AnyMap::Volumes(map) => LinkCounts::of(map, map.cell_counts()),
        };
        let [vertices, edges, faces, volumes, _] = links.counts.map(|count| count as i64);
        let cells = self.cells();
        let mut shapes: BTreeMap<CellShape, usize> = BTreeMap::new();
        for shape in cells.shapes() {
            *shapes.entry(shape).or_default() += 1;
        }
        Ok(MapSummary {
            dimension: self.dimension(),
            darts: links.darts,
            boundary_darts: links.boundary_darts,
            bytes: links.bytes,
            counts: links.counts,
            euler: vertices - edges + faces - volumes,
            border: links.border,
            border_pieces: links.border_pieces,
            shapes: shapes.into_iter().collect(),
            sizes: CellSizes::of(&cells.sizes(&self.points)),
            bounds: self.bounds(),
            pinched: self.pinched.len(),
            turned: self.turned.len(),
            tracking,
            untrusted,
            faults: links.faults,
        })
    }
}

impl CellSizes {
    fn of(sizes: &[f64]) -> Option<Self> {
        let total: f64 = sizes.iter().sum();
        let least = sizes.iter().copied().reduce(f64::min)?;
        let greatest = sizes.iter().copied().reduce(f64::max)?;
        Some(Self { least, mean: total / sizes.len() as f64, greatest, total })
    }
}

/// Counts of darts and cells.
struct LinkCounts {
    darts: usize,
    boundary_darts: usize,
    bytes: usize,
    counts: [usize; 5],
    border: usize,
    border_pieces: usize,
    faults: Vec<MapFault>,
}

impl LinkCounts {
    fn of<const D: usize>(map: &Map<D>, counts: [usize; 5]) -> Self {
        let boundary_darts = map.live_darts().filter(|&dart| map.is_boundary(dart)).count();
        let count = |orbit| {
            let mut count = 0;
            for_each_orbit(map, orbit, |darts| count += usize::from(map.is_boundary(darts[0])));
            count
        };
        let [border, border_pieces] = match D {
            2 => [boundary_darts, count(Orbit::Face)],
            _ => {
                let mut border = 0;
                for_each_orbit(map, Orbit::Face, |darts| {
                    border += usize::from(map.touches_boundary(Orbit::Face, darts[0]))
                });
                [border, count(Orbit::Volume)]
            }
        };
        Self {
            darts: map.live_count() - boundary_darts,
            boundary_darts,
            bytes: map.link_bytes(),
            counts,
            border,
            border_pieces,
            faults: map.validate(),
        }
    }
}
