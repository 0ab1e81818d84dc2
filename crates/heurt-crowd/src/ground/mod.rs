//! Ground: the floors on which a crowd walks, and their walls.
//!
//! In: polygons with holes, level or sloped, in metres. Out: [`Ground`]: walls, the triangles that agents are in.
//! Method: floors that share an edge at one height are joined there (`join`); all other edges are walls. Walls are cut
//! into pieces and each floor is divided into triangles of like size (constrained Delaunay triangulation with points
//! inside), so that cells of the registration are compact.
//! Guarantees: the triangles cover the floors up to the rounding of corners to 2⁻⁴¹ of the power of two above the
//! largest coordinate: 0.2 nm in a hall of 1 km, 4 µm in coordinates of a country. Floors over each other leave
//! [`HEADROOM`] between them. A part that floors share at one height belongs to the first of them (`trim`).
//! Not guaranteed: that polygons of one plane do not overlap; readers of plans unite them. Cost: O(n log n).

mod flow_zone;
mod join;
mod mesh;
mod overlay;
mod pace;
mod patches;
mod triangle_grid;
mod trim;
mod walls;

pub(crate) use join::join;
pub(crate) use mesh::FloorMesh;
pub(crate) use overlay::{Rings, intersect, rings_of, shared_at_height, subtract};
pub use pace::Pace;
pub(crate) use pace::PaceZone;
pub(crate) use patches::Patches;
pub(crate) use walls::WallIndex;

use crate::form::{do_meet, signed_distance};
use heurt_geometry::{FloorArea, STEEPEST_FLOOR, ShortPlace, Vec2, Vec3, ring_edges};
use heurt_map::dim2::OutlineFault;
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{EntityId, Environment, Plane, PlaneEnvironment, RegistrationError};
use heurt_map::{CombinatorialMap, Dart, Orbit};
use join::Passages;
use mesh::MeshFault;
use thiserror::Error;

/// The least height between floors that lie over each other, in metres: a tall person. Agents and walls further above
/// or below an agent are nothing to it.
pub const HEADROOM: f64 = 2.0;

/// A place this near in height to a floor is on it, in metres: half the headroom, so that it is on one floor.
pub(crate) const SAME_FLOOR: f64 = 0.5 * HEADROOM;

/// Side of the triangles that the floor is divided into, in metres. Small cells come from refinement where people
/// crowd; larger triangles than this would make the first levels superfluous.
const CELL_SIDE: f64 = 8.0;

/// The largest number of triangles aimed at: larger floors have larger triangles.
const MAX_CELLS: f64 = 200_000.0;

/// A wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wall {
    /// Its ends in plan, in metres. The floor is on its left.
    pub ends: [Vec2; 2],
    /// The number of its floor.
    pub floor: u32,
}

/// The floors of a crowd, with walls around them and in them.
#[derive(Debug, Clone)]
pub struct Ground {
    mesh: FloorMesh,
    /// Side of the triangles, in metres.
    cell_side: f64,
    walls: Vec<Wall>,
    index: WallIndex,
    environment: PlaneEnvironment,
    stairs: Pace,
    zones: Vec<PaceZone>,
    /// By zone: its areas.
    flow_zones: Vec<Vec<FloorArea>>,
}

/// Reasons why polygons are no floor.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GroundError {
    /// There is no polygon, or the polygons have no area.
    #[error("the floor has no area: give at least one polygon with an inside")]
    Empty,
    /// Rings that cross themselves or each other, or have too few corners; all of the first kind found.
    #[error("the outlines of the floor are not sound: {}, near {}", faults[0], ShortPlace(*near))]
    Outlines {
        /// The faults.
        faults: Vec<OutlineFault>,
        /// A corner of the first faulty outline, in metres.
        near: Vec2,
    },
    /// Floors that nearly meet and cannot be joined.
    #[error(
        "floors overlap or leave a gap of about a millimetre near {}: give them one edge, or a wider gap",
        ShortPlace(*near)
    )]
    Joint {
        /// A corner there, in metres.
        near: Vec3,
    },
    /// A floor that no person can walk on.
    #[error("the floor near {} rises by {slope:.2} m a metre: give at most 1.2", ShortPlace(*near))]
    TooSteep {
        /// A corner of the floor, in metres.
        near: Vec3,
        /// Rise a metre in plan.
        slope: f64,
    },
    /// A floor without a height.
    #[error("the floor near {} has no finite height: give one in metres", ShortPlace(*near))]
    BadHeight {
        /// A corner of the floor, in metres.
        near: Vec2,
    },
    /// Two floors over each other without room for a person between them.
    #[error(
        "two floors lie over each other near {}, at the heights {:.2} m and {:.2} m: cut the lower one out where \
         less than 2 m are free above it", ShortPlace(*near), heights[0], heights[1]
    )]
    NoHeadroom {
        /// A place where both are, in metres.
        near: Vec2,
        /// Their heights there, in metres.
        heights: [f64; 2],
    },
    /// More than two floors share an edge at one height.
    #[error("three floors meet at the edge near {}: give two of them edges of their own", ShortPlace(*near))]
    Crowded {
        /// An end of the edge, in metres.
        near: Vec3,
    },
    /// The triangles cannot be used as cells.
    #[error("the floor cannot be divided into cells: {0}")]
    Cells(#[from] RegistrationError),
}

impl From<MeshFault> for GroundError {
    fn from(fault: MeshFault) -> Self {
        match fault {
            MeshFault::Outlines { faults, near } => Self::Outlines { faults, near },
            MeshFault::Crowded { near } => Self::Crowded { near },
            MeshFault::Joint { near } => Self::Joint { near },
        }
    }
}

impl Ground {
    /// Makes ground of floors: plan areas at height 0, or areas with heights. Floors that share an edge at one height
    /// are joined there.
    ///
    /// ```
    /// use heurt_crowd::Ground;
    /// use heurt_geometry::{FloorArea, PlanArea, Vec2, Vec3};
    /// let corridor = PlanArea::rectangle(Vec2::ZERO, Vec2::new(40.0, 2.0));
    /// let ground = Ground::new([corridor])?;
    /// assert_eq!(ground.area(), 80.0);
    /// assert_eq!(ground.distance_to_wall(Vec3::new(20.0, 0.5, 0.0)), 0.5);
    ///
    /// // Two storeys and the stair between them.
    /// let area = |x: f64| PlanArea::rectangle(Vec2::new(x, 0.0), Vec2::new(x + 8.0, 2.0));
    /// let storey = |x: f64, height: f64| FloorArea::level(area(x), height);
    /// let corners = [[8.0, 0.0, 0.0], [13.0, 0.0, 3.0], [13.0, 2.0, 3.0], [8.0, 2.0, 0.0]].map(Vec3::from_array);
    /// let stair = FloorArea::from_corners(&corners, &[]).map_err(|corner| format!("{corner} is off the plane"))?;
    /// let house = Ground::new([storey(0.0, 0.0), stair, storey(13.0, 3.0)])?;
    /// assert_eq!(house.walls().len(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`GroundError`].
    pub fn new<F: Into<FloorArea>>(floors: impl IntoIterator<Item = F>) -> Result<Self, GroundError> {
        let mut floors: Vec<FloorArea> = floors.into_iter().map(Into::into).collect();
        let area: f64 = floors.iter().map(|floor| floor.area.area()).sum();
        if area.is_nan() || area <= 0.0 {
            return Err(GroundError::Empty);
        }
        check_floors(&floors)?;
        floors = trim::trim(floors)?;
        let passages = join(&mut floors);
        let walls = walls_of(&floors, &passages);
        let ends: Vec<[Vec2; 2]> = walls.iter().map(|wall| wall.ends).collect();
        let length: f64 = ends.iter().map(|[a, b]| a.distance(*b)).sum();
        let side = CELL_SIDE.max((area / MAX_CELLS).sqrt()).max(length / MAX_CELLS);
        let (mesh, built) = FloorMesh::new(floors, &passages, Some(side))?;
        let positions = built.vertex_of.iter().map(|&vertex| mesh.points[vertex as usize]).collect();
        let mut environment = Environment::new(ImplicitMap::new(built.map), Plane::new(positions)?)?;
        environment.link_cells();
        let index = WallIndex::new(&ends);
        let (stairs, zones, flow_zones) = (Pace::STAIRS, Vec::new(), Vec::new());
        Ok(Self { mesh, cell_side: side, walls, index, environment, stairs, zones, flow_zones })
    }

    /// Returns the floors, with a corner wherever a neighbour has one.
    pub fn floors(&self) -> &[FloorArea] {
        &self.mesh.floors
    }

    /// Returns the walls: the edges of all floors that lead to no other floor.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// Computes the area of the floors in plan, in square metres.
    pub fn area(&self) -> f64 {
        self.floors().iter().map(|floor| floor.area.area()).sum()
    }

    /// Returns the lower and the upper corner of the box around the floors, in plan.
    pub fn bounds(&self) -> [Vec2; 2] {
        let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        let bounds = self.floors().iter().map(|floor| floor.area.bounds());
        bounds.fold(empty, |[low, high], [l, h]| [low.min(l), high.max(h)])
    }

    /// Reports whether a place is on a floor, its border included, at most half of [`HEADROOM`] above or below it.
    pub fn contains(&self, place: Vec3) -> bool {
        self.floor_near(place).is_some()
    }

    /// Finds the height of the floor at a place, which is at most half of [`HEADROOM`] above or below it.
    pub fn height_near(&self, place: Vec3) -> Option<f64> {
        let floor = self.floor_near(place)?;
        Some(self.floors()[floor as usize].height_at(place.truncate()))
    }

    /// Computes the distance of a place in plan from the nearest wall of its height, in metres.
    pub fn distance_to_wall(&self, place: Vec3) -> f64 {
        let Some(floor) = self.floor_near(place) else { return f64::INFINITY };
        let point = place.truncate();
        let distances = self.walls.iter().filter_map(|&wall| self.offset_of(wall, floor, point)).map(Vec2::length);
        distances.fold(f64::INFINITY, f64::min)
    }

    /// Reports whether a disc touches no wall with its inside.
    pub(crate) fn is_clear(&self, centre: Vec3, radius: f64) -> bool {
        let Some(floor) = self.floor_near(centre) else { return false };
        let (mut is_clear, point) = (true, centre.truncate());
        self.index.for_each_in([point - radius, point + radius], |wall| {
            let offset = self.offset_of(self.walls[wall as usize], floor, point);
            is_clear &= offset.is_none_or(|offset| offset.length() >= radius);
        });
        is_clear
    }

    /// Reports whether polygons of an agent at a place cross no wall and are on the floor.
    pub(crate) fn is_clear_of(&self, place: Vec3, polygons: &[Vec<Vec2>]) -> bool {
        let Some(floor) = self.floor_near(place) else { return false };
        let mut is_clear = true;
        for (k, polygon) in polygons.iter().enumerate() {
            let edges: Vec<[Vec2; 2]> = ring_edges(polygon).collect();
            let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
            let [low, high] = polygon.iter().fold(empty, |[low, high], &p| [low.min(p), high.max(p)]);
            // Sections behind the first one are on its floor if no wall is between.
            let from = if k == 0 { place.truncate() } else { polygons[k - 1][0] };
            let sight = [from, polygon[0]];
            let [low, high] = [low.min(from), high.max(from)];
            self.index.for_each_in([low, high], |wall| {
                let wall = self.walls[wall as usize];
                let is_level = self.offset_of(wall, floor, from).is_some();
                let meets = || edges.iter().chain([&sight]).any(|&edge| do_meet(edge, wall.ends));
                // A pillar may be in a polygon as a whole.
                is_clear &= !is_level || !(meets() || signed_distance(polygon, wall.ends[0]) < 0.0);
            });
        }
        is_clear
    }

    /// Finds the number of the floor at most half of [`HEADROOM`] above or below a place.
    pub fn floor_near(&self, place: Vec3) -> Option<u32> {
        let found = self.floors().iter().position(|floor| floor.contains(place, SAME_FLOOR));
        found.map(|floor| floor as u32)
    }

    /// Computes the offset in plan from the nearest point of a wall to a point of a floor; `None` if the wall is there
    /// [`HEADROOM`] above or below the plane of the floor: the heights that paths are wide enough for.
    pub(crate) fn offset_of(&self, wall: Wall, floor: u32, point: Vec2) -> Option<Vec2> {
        let nearest = nearest_on(wall.ends, point);
        let is_level = wall.floor == floor || {
            let [own, other] = [floor, wall.floor].map(|floor| self.floors()[floor as usize].height_at(nearest));
            (own - other).abs() < HEADROOM
        };
        is_level.then(|| point - nearest)
    }

    /// Reports whether agents at two points, each with its floor, are near each other in height: their floors are less
    /// than [`HEADROOM`] from each other at both points.
    pub(crate) fn are_level(&self, (a, p): (u32, Vec2), (b, q): (u32, Vec2)) -> bool {
        let [first, second] = [a, b].map(|floor| &self.floors()[floor as usize]);
        let gap = |point: Vec2| (first.height_at(point) - second.height_at(point)).abs();
        a == b || gap(p) < HEADROOM && gap(q) < HEADROOM
    }

    /// Reports whether an area covers a part of a floor at its height.
    pub fn meets(&self, area: &FloorArea) -> bool {
        self.floors().iter().any(|floor| !shared_at_height(floor, area).is_empty())
    }

    /// Returns the lowest and the highest end of a wall, in metres.
    pub(crate) fn heights_of(&self, wall: Wall) -> [f64; 2] {
        let [a, b] = wall.ends.map(|end| self.floors()[wall.floor as usize].height_at(end));
        [a.min(b), a.max(b)]
    }

    pub(crate) fn wall_index(&self) -> &WallIndex {
        &self.index
    }

    /// Returns the cells that agents are registered in.
    pub(crate) fn environment(&self) -> &PlaneEnvironment {
        &self.environment
    }

    /// Returns the side of a square that is no smaller than the triangles, in metres.
    pub(crate) fn cell_side(&self) -> f64 {
        self.cell_side
    }

    /// Finds the quarter of a triangle at a place, by its number in [`Patches`].
    pub(crate) fn quarter_near(&self, place: Vec3) -> Option<u32> {
        let (triangle, point) = self.mesh.nearest(place, ON_FLOOR)?;
        Some(4 * triangle + patches::quarter_at(self.mesh.corners(triangle), point))
    }

    /// Returns the floor of a cell of the ground itself, not refined.
    pub(crate) fn floor_of_cell(&self, cell: u32) -> u32 {
        // Darts of a built map are the corners of its triangles, laid end to end.
        let triangle = self.environment.dart(cell).map(|dart| dart.0 / 3);
        triangle.and_then(|triangle| self.mesh.floor_of.get(triangle as usize)).copied().unwrap_or(0)
    }

    /// Registers a particle on the floor of a place. `environment` is a copy of the ground's own, not yet refined.
    pub(crate) fn register(&self, environment: &mut PlaneEnvironment, place: Vec3) -> Option<EntityId> {
        let (triangle, point) = self.mesh.nearest(place, ON_FLOOR)?;
        let cell = environment.map().map().id(Orbit::Face, Dart(3 * triangle));
        let [a, b, c] = self.mesh.corners(triangle);
        let middle = (a + b + c) / 3.0;
        let added = environment.add_particle_from((cell, middle), place.truncate());
        added.or_else(|_| environment.add_particle_from((cell, middle), point.lerp(middle, 1e-9))).ok()
    }
}

/// Adds to each floor the corners of neighbours that are on its edges, and makes corners that nearly meet one, so that
/// floors are joined along whole edges. Outlines then run counter-clockwise, holes clockwise.
///
/// ```
/// use heurt_crowd::join_floors;
/// use heurt_geometry::{FloorArea, PlanArea, Vec2};
/// let area = |min: [f64; 2], max: [f64; 2]| PlanArea::rectangle(Vec2::from_array(min), Vec2::from_array(max)).into();
/// let mut floors: [FloorArea; 2] = [area([0.0, 0.0], [4.0, 4.0]), area([4.0, 1.0], [6.0, 2.0])];
/// join_floors(&mut floors);
/// assert_eq!(floors[0].area.outline.len(), 6, "the corners of the door");
/// ```
pub fn join_floors(floors: &mut [FloorArea]) {
    join(floors);
}

/// A place this near to a floor in plan is on it, in metres: more than the rounding of corners.
const ON_FLOOR: f64 = 1e-5;

/// Checks heights and slopes.
fn check_floors(floors: &[FloorArea]) -> Result<(), GroundError> {
    for floor in floors {
        let slope = floor.slope.length();
        if !floor.at.is_finite() {
            return Err(GroundError::BadHeight { near: floor.at.truncate() });
        }
        if slope.is_nan() || slope > STEEPEST_FLOOR {
            return Err(GroundError::TooSteep { near: floor.at, slope });
        }
    }
    Ok(())
}

/// Lists the edges of joined floors that are no passages.
pub(crate) fn walls_of(floors: &[FloorArea], passages: &Passages) -> Vec<Wall> {
    let mut walls = Vec::new();
    for (number, floor) in floors.iter().enumerate() {
        let edges = floor.area.rings().flat_map(ring_edges);
        let is_wall = |edge: &[Vec2; 2]| passages.beyond(floors, number, *edge).next().is_none();
        walls.extend(edges.filter(is_wall).map(|ends| Wall { ends, floor: number as u32 }));
    }
    walls
}

/// Finds the point of a segment nearest to `p`.
pub(crate) fn nearest_on([a, b]: [Vec2; 2], p: Vec2) -> Vec2 {
    a + (b - a) * share_at([a, b], p)
}

/// Computes how far along a segment its point nearest to `p` is, from 0 to 1.
pub(crate) fn share_at([a, b]: [Vec2; 2], p: Vec2) -> f64 {
    let along = b - a;
    let share = (p - a).dot(along) / along.length_squared();
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}
