//! Voronoi diagram of points and segments in the plane, and the paths of a disc along it.
//!
//! In: points and segments, in metres; segments may share ends. Out: arcs (lines and parabolas) with their two sites
//! and their least clearance, vertices with their three sites; paths of a disc of a given or the largest radius.
//! Method: S0 §1.2.6, figures 1.7 and 1.8. The Delaunay graph of all ends is exact. Segments are inserted one by one
//! in a random order, topology first (Sugihara and Iri 1992; Held 2001). The ends of a segment are sites of their own,
//! and perpendiculars at the ends bound the cell of a segment.
//! Guarantees: every input is refused or gives a diagram, without panic or endless loop. Rounding never breaks the
//! structure: every site keeps a cell. Crossings are found exactly. A disc passes a gap of width g if its radius is at
//! most g / 2: exact for two points, for a point and a segment, and for parallel segments. The same input gives the
//! same output.
//! Not guaranteed: positions are rounded, to some 1e-15 of the extent. Angles and gaps below 1e-6 of the extent lose
//! digits; segments at such angles may get wrong neighbours. A point nearer than 1e-12 of the extent to a segment is
//! refused. In a gap below 1e-8 of the longest segment, vertices are rounded by more than the gap, and arcs may be
//! wrong: so in 3 of 8,265 small inputs on lattices, a third of them rounded to 1e-10. Gaps below 1e-6 of the extent
//! are decided to rounding. Arcs end at a frame 32 extents from the sites.
//! Cost: O(n log n) expected, O(n) memory.

mod arcs;
mod conflict;
mod curve;
mod exact;
mod graph;
mod input;
mod path;
mod plan;
mod retract;
mod site;
mod vertex;

pub use arcs::{ArcVertex, PlaneSite, VoronoiArc};
pub use curve::ArcCurve;
pub use path::DiscPath;
pub use plan::{plan_disc, widest_path};

use crate::delaunay::Delaunay2;
use arcs::Arc;
use graph::DualGraph;
use heurt_geometry::{PlanArea, SplitMix64, Vec2};
use input::Input;
use site::{Site, Wall, is_own_end};
use thiserror::Error;
use vertex::ClearVertex;

/// Errors of the Voronoi diagram of points and segments.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SegmentVoronoiError {
    /// There are no sites.
    #[error("there are no points and no segments: give at least one")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("a site has the coordinates {coordinates:?}: give finite numbers")]
    NotFinite {
        /// The coordinates.
        coordinates: [f64; 2],
    },
    /// A coordinate, or a difference of two, is too large or too close to 0.
    #[error("a site has the coordinates {coordinates:?}: give 0 or numbers between 1.8e-43 and 2.5e58")]
    OutOfRange {
        /// The coordinates.
        coordinates: [f64; 2],
    },
    /// Two segments cross.
    #[error("the segments {segment:?} and {other:?} cross near {at:?}: cut both there")]
    Crossing {
        /// The ends of the first segment, in metres.
        segment: [[f64; 2]; 2],
        /// The ends of the second segment, in metres.
        other: [[f64; 2]; 2],
        /// The place, in metres, rounded.
        at: [f64; 2],
    },
    /// A segment passes through a point or through the end of a segment.
    #[error("the segment {segment:?} passes through the site {at:?}: cut it there")]
    Touching {
        /// The ends of the segment, in metres.
        segment: [[f64; 2]; 2],
        /// The point, in metres.
        at: [f64; 2],
    },
    /// A point and a segment are nearer to each other than rounding allows.
    #[error("the segment {segment:?} and the site {at:?} are nearer than 1e-12 of the extent: join or separate them")]
    TooNear {
        /// The ends of the segment, in metres.
        segment: [[f64; 2]; 2],
        /// The point, in metres.
        at: [f64; 2],
    },
    /// There are more sites than numbers.
    #[error("{count} points and segments, more than {max}: split them")]
    TooLarge {
        /// Number given.
        count: usize,
        /// Number allowed.
        max: usize,
    },
}

/// The Voronoi diagram of points and segments in the plane.
///
/// ```
/// use heurt_geometry::Vec2;
/// use heurt_map::segment_voronoi::{SegmentVoronoi, plan_disc, widest_path};
/// // A room of 8 m × 6 m, divided by a wall with a door of 1 m.
/// let corners = [[0.0, 0.0], [4.0, 0.0], [8.0, 0.0], [8.0, 6.0], [4.0, 6.0], [0.0, 6.0]].map(Vec2::from_array);
/// let mut walls: Vec<[Vec2; 2]> = (0..6).map(|k| [corners[k], corners[(k + 1) % 6]]).collect();
/// walls.extend([[0.0, 2.0], [3.0, 6.0]].map(|ends| ends.map(|y| Vec2::new(4.0, y))));
/// let diagram = SegmentVoronoi::new(&[], &walls)?;
/// let (from, to) = (Vec2::new(2.0, 4.0), Vec2::new(6.0, 4.0));
/// let path = plan_disc(&diagram, from, to, 0.5).ok_or("the door is wide enough")?;
/// assert_eq!(path.least_clearance, 0.5);
/// assert_eq!(plan_disc(&diagram, from, to, 0.5f64.next_up()), None);
/// assert_eq!(widest_path(&diagram, from, to).map(|(radius, _)| radius), Some(0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SegmentVoronoi {
    /// The origin of the local frame.
    centre: Vec2,
    /// Lower and upper corner of the box, local.
    bounds: [Vec2; 2],
    size: f64,
    /// Points, segments, then the three points of the frame.
    sites: Vec<Site>,
    point_count: usize,
    site_of_point: Vec<u32>,
    site_of_segment: Vec<u32>,
    vertices: Vec<ClearVertex>,
    corners: Vec<[u32; 3]>,
    /// The arcs of each vertex.
    arcs_at: Vec<[u32; 3]>,
    arcs: Vec<Arc>,
    /// Arcs of each site: a range of `cell_arcs`.
    cell_begin: Vec<u32>,
    cell_arcs: Vec<u32>,
}

impl SegmentVoronoi {
    /// Computes the diagram of points and segments. Sites at the same place are one site. A segment whose ends agree
    /// is a point.
    ///
    /// # Errors
    /// [`SegmentVoronoiError`] with the first fault and its coordinates.
    pub fn new(points: &[Vec2], segments: &[[Vec2; 2]]) -> Result<Self, SegmentVoronoiError> {
        let input = Input::new(points, segments)?;
        let (graph, order) = Self::graph(&input)?;
        Self::check_nearness(&input, &graph)?;
        Ok(Self::read(input, &graph, &order))
    }

    /// Computes the diagram of the edges of a polygon with holes, inside and outside.
    ///
    /// ```
    /// use heurt_geometry::{PlanArea, Vec2};
    /// use heurt_map::segment_voronoi::SegmentVoronoi;
    /// let room = PlanArea::rectangle(Vec2::ZERO, Vec2::new(3.0, 2.0));
    /// let diagram = SegmentVoronoi::of_area(&room)?;
    /// let largest = diagram.vertices().filter(|v| room.contains(v.position)).map(|v| v.clearance).fold(0.0, f64::max);
    /// assert!((largest - 1.0).abs() < 1e-15);
    /// # Ok::<(), heurt_map::segment_voronoi::SegmentVoronoiError>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_area(area: &PlanArea) -> Result<Self, SegmentVoronoiError> {
        let edges = |ring: &[Vec2]| -> Vec<[Vec2; 2]> {
            (0..ring.len()).map(|corner| [ring[corner], ring[(corner + 1) % ring.len()]]).collect()
        };
        let segments: Vec<[Vec2; 2]> = area.rings().flat_map(edges).collect();
        Self::new(&[], &segments)
    }

    /// Builds the dual graph; returns the order in which segments were inserted.
    fn graph(input: &Input) -> Result<(DualGraph, Vec<u32>), SegmentVoronoiError> {
        let places: Vec<Vec2> = input.points.iter().chain(&input.frame).copied().collect();
        let count = input.points.len() as u32;
        let sites = places.iter().map(|&place| Site::Point(place)).collect();
        // The range has been checked: no error is possible.
        let delaunay = Delaunay2::new(places).map_err(|_| SegmentVoronoiError::Empty)?;
        let frame = [count, count + 1, count + 2];
        let mut graph = DualGraph::new(sites, delaunay.triangles().to_vec(), frame, input.size);
        let mut order: Vec<u32> = (0..input.segments.len() as u32).collect();
        let mut random = SplitMix64::new(0x51ed_270b_0f2b_9d4d);
        for last in (1..order.len()).rev() {
            order.swap(last, (random.bits() % (last as u64 + 1)) as usize);
        }
        for &segment in &order {
            let ends = input.segments[segment as usize];
            let [start, stop] = ends.map(|end| input.points[end as usize]);
            graph.insert(Wall::new(ends, start, stop));
        }
        Ok((graph, order))
    }

    /// Refuses points that are next to the inside of a segment. Such pairs are neighbours in the diagram.
    fn check_nearness(input: &Input, graph: &DualGraph) -> Result<(), SegmentVoronoiError> {
        for half_edge in 0..graph.twin.len() as u32 {
            let [p, q] = graph.arc_sites(half_edge);
            let (Site::Segment(wall), Site::Point(at)) = (&graph.sites[p as usize], &graph.sites[q as usize]) else {
                continue;
            };
            if !is_own_end(&graph.sites, p, q) {
                input.check_apex(wall, *at)?;
            }
        }
        Ok(())
    }
}
