//! Ground: the floor on which a crowd walks, and its walls.
//!
//! In: disjoint polygons with holes, in metres. Out: [`Ground`]: walls, the triangles that agents are registered in.
//! Method: walls are cut into pieces and the floor is divided into triangles of like size (constrained Delaunay
//! triangulation with points inside), so that cells of the registration are compact.
//! Guarantees: the triangles cover the floor up to the rounding of corners to 2⁻⁴¹ of the power of two above the
//! largest coordinate: 0.2 nm in a hall of 1 km, 4 µm in coordinates of a country.
//! Not guaranteed: that polygons do not overlap; readers of plans unite them. Cost: O(n log n).

mod walls;

pub(crate) use walls::WallIndex;

use heurt_geometry::{PlanArea, Vec2};
use heurt_map::Map2;
use heurt_map::dim2::OutlineFault;
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{Environment, Plane, PlaneEnvironment, RegistrationError};
use thiserror::Error;

/// Side of the triangles that the floor is divided into, in metres. Small cells come from refinement where people
/// crowd; larger triangles than this would make the first levels superfluous.
const CELL_SIDE: f64 = 8.0;

/// The largest number of triangles aimed at: larger floors have larger triangles.
const MAX_CELLS: f64 = 200_000.0;

/// The floor of a crowd: an area with walls around it and in it.
#[derive(Debug, Clone)]
pub struct Ground {
    areas: Vec<PlanArea>,
    walls: Vec<[Vec2; 2]>,
    index: WallIndex,
    environment: PlaneEnvironment,
}

/// Reasons why polygons are no floor.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GroundError {
    /// There is no polygon, or the polygons have no area.
    #[error("the floor has no area: give at least one polygon with an inside")]
    Empty,
    /// Rings that cross themselves or each other, or have too few corners; all of the first kind found.
    #[error("the outlines of the floor are not sound: {}, near ({}, {})", faults[0], near.x, near.y)]
    Outlines {
        /// The faults.
        faults: Vec<OutlineFault>,
        /// A corner of the first faulty outline, in metres.
        near: Vec2,
    },
    /// The triangles cannot be used as cells.
    #[error("the floor cannot be divided into cells: {0}")]
    Cells(#[from] RegistrationError),
}

impl Ground {
    /// Divides disjoint areas into cells.
    ///
    /// ```
    /// use heurt_crowd::Ground;
    /// use heurt_geometry::{PlanArea, Vec2};
    /// let corridor = PlanArea::rectangle(Vec2::ZERO, Vec2::new(40.0, 2.0));
    /// let ground = Ground::new(vec![corridor])?;
    /// assert_eq!(ground.area(), 80.0);
    /// assert_eq!(ground.distance_to_wall(Vec2::new(20.0, 0.5)), 0.5);
    /// # Ok::<(), heurt_crowd::GroundError>(())
    /// ```
    ///
    /// # Errors
    /// [`GroundError`].
    pub fn new(areas: Vec<PlanArea>) -> Result<Self, GroundError> {
        let area: f64 = areas.iter().map(PlanArea::area).sum();
        if area.is_nan() || area <= 0.0 {
            return Err(GroundError::Empty);
        }
        let walls: Vec<[Vec2; 2]> = areas.iter().flat_map(PlanArea::rings).flat_map(edges).collect();
        let length: f64 = walls.iter().map(|[a, b]| a.distance(*b)).sum();
        let side = CELL_SIDE.max((area / MAX_CELLS).sqrt()).max(length / MAX_CELLS);
        let rings: Vec<Vec<Vec2>> = areas.iter().flat_map(PlanArea::rings).map(|ring| cut_ring(ring, side)).collect();
        let refuse = |faults: Vec<OutlineFault>| {
            let ring = match faults[0] {
                OutlineFault::OutOfRange { outline, .. }
                | OutlineFault::TooFewCorners { outline, .. }
                | OutlineFault::Crossing { outline, .. } => outline,
                _ => 0,
            };
            let edge = if let OutlineFault::Crossing { edge, .. } = faults[0] { edge } else { 0 };
            let near = rings.get(ring).and_then(|ring| ring.get(edge)).copied().unwrap_or_default();
            GroundError::Outlines { faults, near }
        };
        let plan = Map2::from_outlines_with(&rings, Some(side * side)).map_err(refuse)?;
        let positions = plan.built.vertex_of.iter().map(|&vertex| plan.points[vertex as usize]).collect();
        let mut environment = Environment::new(ImplicitMap::new(plan.built.map), Plane::new(positions)?)?;
        environment.link_cells();
        let index = WallIndex::new(&walls);
        Ok(Self { areas, walls, index, environment })
    }

    /// Returns the polygons.
    pub fn areas(&self) -> &[PlanArea] {
        &self.areas
    }

    /// Returns the walls: the edges of all rings.
    pub fn walls(&self) -> &[[Vec2; 2]] {
        &self.walls
    }

    /// Computes the area of the floor, in square metres.
    pub fn area(&self) -> f64 {
        self.areas.iter().map(PlanArea::area).sum()
    }

    /// Returns the lower and the upper corner of the box around the floor.
    pub fn bounds(&self) -> [Vec2; 2] {
        let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        self.areas.iter().map(PlanArea::bounds).fold(empty, |[low, high], [l, h]| [low.min(l), high.max(h)])
    }

    /// Reports whether a point is on the floor; its border counts.
    pub fn contains(&self, point: Vec2) -> bool {
        self.areas.iter().any(|area| area.contains(point))
    }

    /// Computes the distance of a point from the nearest wall, in metres.
    pub fn distance_to_wall(&self, point: Vec2) -> f64 {
        self.walls.iter().map(|&wall| nearest_on(wall, point).distance(point)).fold(f64::INFINITY, f64::min)
    }

    /// Reports whether a disc touches no wall with its inside.
    pub(crate) fn is_clear(&self, centre: Vec2, radius: f64) -> bool {
        let mut is_clear = true;
        self.index.for_each_in([centre - radius, centre + radius], |wall| {
            is_clear &= nearest_on(self.walls[wall as usize], centre).distance(centre) >= radius;
        });
        is_clear
    }

    pub(crate) fn wall_index(&self) -> &WallIndex {
        &self.index
    }

    /// Returns the cells that agents are registered in.
    pub(crate) fn environment(&self) -> &PlaneEnvironment {
        &self.environment
    }
}

/// Returns the edges of a ring.
pub(crate) fn edges(ring: &[Vec2]) -> impl Iterator<Item = [Vec2; 2]> + '_ {
    let next = move |place: usize| ring[(place + 1) % ring.len()];
    ring.iter().enumerate().map(move |(place, &a)| [a, next(place)]).filter(|[a, b]| a != b)
}

/// Cuts the edges of a ring into equal pieces of at most `side` metres.
fn cut_ring(ring: &[Vec2], side: f64) -> Vec<Vec2> {
    let cut = |[a, b]: [Vec2; 2]| {
        // At most a million pieces an edge: the cell side grows with the floor.
        let pieces = (a.distance(b) / side).ceil().clamp(1.0, 1e6) as u32;
        (0..pieces).map(move |k| a + (b - a) * (f64::from(k) / f64::from(pieces)))
    };
    edges(ring).flat_map(cut).collect()
}

/// Finds the point of a segment nearest to `p`.
pub(crate) fn nearest_on([a, b]: [Vec2; 2], p: Vec2) -> Vec2 {
    let along = b - a;
    let share = (p - a).dot(along) / along.length_squared();
    if share.is_nan() { a } else { a + along * share.clamp(0.0, 1.0) }
}
