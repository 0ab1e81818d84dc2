//! Refinement of a placed map by levels, everywhere or within a distance of a point.
//!
//! In: a number of levels, and for refinement of a part a point and a radius. Out: the map of the finest cells, their
//! levels, and the vertices that hang on edges and faces of coarser cells.
//! Method: [`ImplicitMap`], level by level: each cell of the last level whose box comes within the radius is refined.
//! New vertices lie at the means of corners. Volumes are refined by their shape, or into one cell a corner if some
//! volume is no standard one.
//! Guarantees: neighbours may differ by any number of levels. Numbers of old vertices stay. A cell with finer
//! neighbours has their vertices among its own. Cost: O(darts) a level.

use super::error::{check_point, check_radius};
use super::{AnyMap, CellShape, PlacedMap, PlacedMapError};
use crate::multires::{ImplicitMap, MultiresError, Multiresolution, Refined, Scheme};
use crate::{Attribute, CombinatorialMap, Dart, Map, Orbit, Walker};
use heurt_geometry::{Aabb, Vec3};

/// The greatest number of cells of a refined map or a grid: 2 million hexahedra take approximately 2 GB.
pub const MAX_REFINED_CELLS: usize = 2_000_000;

/// The part of a map to refine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefineWithin {
    /// The centre. In a plane, z counts too.
    pub at: Vec3,
    /// The radius, in the unit of the positions.
    pub radius: f64,
}

/// Levels and the part to refine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefineOptions {
    /// Number of times.
    pub levels: u8,
    /// The part; all if `None`.
    pub within: Option<RefineWithin>,
}

/// A refined map.
#[derive(Debug, Clone)]
pub struct RefinedMap {
    /// The map of the finest cells.
    pub placed: PlacedMap,
    /// The level of each cell, in the order of [`PlacedMap::cell_numbers`].
    pub levels: Vec<u8>,
    /// Vertices on edges or faces of coarser cells, ascending.
    pub hanging: Vec<u32>,
    /// Bytes of the links and of the labels of levels.
    pub bytes: usize,
}

impl PlacedMap {
    /// Refines cells by one level, as many times as the options state.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_map::placed::{PlacedMap, RefineOptions, RefineWithin};
    /// let map = PlacedMap::flat_grid([2, 2], 1.0)?;
    /// let within = Some(RefineWithin { at: Vec3::new(0.25, 0.25, 0.0), radius: 0.1 });
    /// let refined = map.refined(RefineOptions { levels: 2, within })?;
    /// assert_eq!(refined.cells_by_level(), [3, 3, 4]);
    /// assert_eq!(refined.hanging.len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlacedMapError::BadRadius`], [`PlacedMapError::NotFinite`], [`PlacedMapError::TooManyCells`],
    /// [`PlacedMapError::Multires`] for cells that touch themselves.
    pub fn refined(self, options: RefineOptions) -> Result<RefinedMap, PlacedMapError> {
        if let Some(RefineWithin { at, radius }) = options.within {
            check_point(at)?;
            check_radius(radius)?;
        }
        let is_standard = |shape: CellShape| !matches!(shape, CellShape::Polyhedron(_));
        let scheme = match self.cells().shapes().into_iter().all(is_standard) {
            true => Scheme::ByShape,
            false => Scheme::Quads,
        };
        let Self { map, points, pinched, turned } = self;
        let (map, points, levels, hanging, bytes) = match map {
            AnyMap::Faces(map) => {
                let mut levels = Levels::new(map, points, scheme, ImplicitMap::<2>::refine);
                levels.refine(options)?;
                levels.finish(AnyMap::Faces)
            }
            AnyMap::Volumes(map) => {
                let mut levels = Levels::new(map, points, scheme, ImplicitMap::<3>::refine);
                levels.refine(options)?;
                levels.finish(AnyMap::Volumes)
            }
        };
        let placed = Self { map, points, pinched, turned };
        Ok(RefinedMap { placed, levels, hanging, bytes })
    }
}

impl RefinedMap {
    /// Counts the cells of each level, from level 0 on.
    pub fn cells_by_level(&self) -> Vec<usize> {
        let finest = self.levels.iter().max().map_or(0, |&level| usize::from(level) + 1);
        let mut counts = vec![0; finest];
        self.levels.iter().for_each(|&level| counts[usize::from(level)] += 1);
        counts
    }
}

/// A map under refinement; `divide` refines the cell of a dart.
struct Levels<const D: usize> {
    map: ImplicitMap<D>,
    points: Attribute<Vec3>,
    divide: fn(&mut ImplicitMap<D>, Dart) -> Result<Refined, MultiresError>,
}

impl<const D: usize> Levels<D> {
    const CELL: Orbit = if D == 2 { Orbit::Face } else { Orbit::Volume };

    fn new(
        map: Map<D>,
        points: Vec<Vec3>,
        scheme: Scheme,
        divide: fn(&mut ImplicitMap<D>, Dart) -> Result<Refined, MultiresError>,
    ) -> Self {
        let mut map = ImplicitMap::with_scheme(map, scheme);
        map.log_changes(true);
        Self { map, points: Attribute::from_values(Orbit::Vertex, points), divide }
    }

    fn cells(&self) -> Vec<(u32, Dart)> {
        self.map.map().cell_ids(Self::CELL).into_iter().flat_map(|ids| ids.cells()).collect()
    }

    fn refine(&mut self, options: RefineOptions) -> Result<(), PlacedMapError> {
        let mut walker = Walker::new();
        let mut last: Vec<Dart> = self.cells().into_iter().map(|cell| cell.1).collect();
        let mut count = last.len();
        for _ in 0..options.levels {
            last.retain(|&dart| options.within.is_none_or(|within| self.is_within(dart, within, &mut walker)));
            let mut pieces = Vec::with_capacity(4 * last.len());
            for dart in std::mem::take(&mut last) {
                let refined = (self.divide)(&mut self.map, dart)?;
                self.points.follow(&self.map.take_changes(), || Vec3::ZERO, |_| Vec3::ZERO, |_, _| ());
                self.map.place_vertices(&refined, &mut self.points);
                count += refined.cells.len() - 1;
                if count > MAX_REFINED_CELLS {
                    return Err(PlacedMapError::TooManyCells { count: count as u64, max: MAX_REFINED_CELLS });
                }
                pieces.extend(refined.cells);
            }
            last = pieces;
        }
        Ok(())
    }

    /// Reports whether the box of a cell comes within the radius.
    fn is_within(&self, dart: Dart, within: RefineWithin, walker: &mut Walker) -> bool {
        let map = self.map.map();
        let corners = walker.orbit(map, Self::CELL, dart).iter().filter_map(|&dart| self.points.at(map, dart).copied());
        let bounds = Aabb::from_points(corners);
        let nearest = within.at.clamp(bounds.min, bounds.max);
        crate::nearest::distance(nearest, within.at) <= within.radius
    }

    /// Returns the map with the positions, the levels of the cells, the hanging vertices, and the bytes.
    fn finish(mut self, make: fn(Map<D>) -> AnyMap) -> (AnyMap, Vec<Vec3>, Vec<u8>, Vec<u32>, usize) {
        let mut walker = Walker::new();
        let (mut levels, mut hanging) = (Vec::new(), Vec::new());
        for (_, dart) in self.cells() {
            let level = self.map.level_of(dart);
            levels.push(level);
            let map = self.map.map();
            let finer = walker.orbit(map, Self::CELL, dart).iter();
            let finer = finer.filter(|&&dart| self.map.dart_level(dart).is_some_and(|own| own > level));
            hanging.extend(finer.map(|&dart| map.id(Orbit::Vertex, dart)));
        }
        hanging.sort_unstable();
        hanging.dedup();
        let labels = if D == 2 { 2 } else { 3 };
        let bytes = self.map.map().link_bytes() + labels * self.map.map().capacity();
        (make(self.map.into_map()), self.points.values().to_vec(), levels, hanging, bytes)
    }
}
