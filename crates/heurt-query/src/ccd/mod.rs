//! Continuous collision detection of two deforming primitives: a vertex and a triangle, or two edges, with every vertex
//! on a straight line.
//!
//! In: four points at the start and at the end of a step, in metres. Out: an interval of time, 0 at the start and 1 at
//! the end, which contains the first contact.
//! Method: both cases are a point w against a triangle 0, u, v or a parallelogram 0, u, v, u + v that move
//! (`relative_motion`). There are three stages, cheapest first. (1) Planes that separate both sides for the whole step
//! (`plane_filter`, four queries at once). (2) The height of the point over the plane, a cubic in time whose Bernstein
//! coefficients bound the times of contact (`cubic`; Provot 1997, without use of a rounded root). (3) If that does not
//! decide, pieces of time proved free in sequence by turning planes (`interval_proof`). The third stage replaces boxes
//! in time and space (Snyder 1992; Wang et al. 2021, Tight Inclusion). As there, excluded pieces are proved free, and
//! the earliest piece goes first; but only time is split, since the best plane at a time is found directly. Cases
//! undecided by rounding are repeated with doubled precision.
//! Guarantees: never a miss and never late: before `time` the distance is above `min_separation`, proved with bounds
//! for all rounding errors, for any finite coordinates. `time_upper − time` is at most `tolerance` or four steps
//! between doubles. If the bound of work is exhausted (a few in ten thousand queries that are hard on purpose),
//! `time_upper` is `max_time`.
//! Not guaranteed: that a contact is real. Distances that exceed `min_separation` by less than some 1e-16 of the
//! extents of the primitives and of their relative path may count as contact; a contact that follows such a pass may
//! then begin after `time_upper`. No such case was seen in simulated motions.
//! Cost: 10 to 20 ns for queries that a plane rejects, 0.1 to 0.3 µs for most others, some 10 µs for exact touches.

mod closest_point;
mod cubic;
mod first_contact;
mod interval_proof;
mod mesh_impacts;
mod moving_mesh;
mod plane_filter;
mod precision;
mod relative_motion;
mod representative_triangles;
mod separation_time;

pub use mesh_impacts::{
    FeaturePair, MeshImpact, first_impact, first_impact_with, first_self_impact, first_self_impact_with, impacts,
    impacts_with, self_impacts, self_impacts_with,
};
pub use moving_mesh::{MovingMesh, MovingMeshError};

use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_geometry::{DisplayNumber, Vec3};
use relative_motion::RelativeMotion;

/// Four points at the start and at the end of a step, each on a line at constant speed: a vertex and the corners of a
/// triangle, or the ends of two edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingPrimitives {
    /// At time 0, in metres.
    pub start: [Vec3; 4],
    /// At time 1, in metres.
    pub end: [Vec3; 4],
}

/// Options of a query: the contact distance and the accuracy of its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CcdOptions {
    /// Contact is a distance of at most this, in metres.
    pub min_separation: f64,
    /// Limit of `time_upper − time`; four steps between doubles there, if that is more.
    pub tolerance: f64,
    /// End of the search; at most 1. To find the earliest of many contacts, lower it to the earliest found.
    pub max_time: f64,
}

impl Default for CcdOptions {
    fn default() -> Self {
        Self { min_separation: 0.0, tolerance: 1e-6, max_time: 1.0 }
    }
}

/// A first contact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FirstContact {
    /// Before this time the primitives are farther from each other than `min_separation`; 0 if they are not at the
    /// start.
    pub time: f64,
    /// The contact has begun by this time, if it is real.
    pub time_upper: f64,
}

/// Errors of a query.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CcdError {
    /// A coordinate is not a number or infinite.
    #[error(
        "query {query}: vertex {vertex} is at {} at time {time}: coordinates must be finite",
        DisplayNumber(*position)
    )]
    NotFinite {
        /// Index of the query; 0 for a single query.
        query: usize,
        /// Index of the vertex among the four.
        vertex: usize,
        /// 0 at the start, 1 at the end.
        time: u8,
        /// The given position.
        position: Vec3,
    },
    /// A distance that is negative or not a number.
    #[error("min_separation is {}: it must be finite and at least 0", DisplayNumber(*value))]
    MinSeparation {
        /// The given value.
        value: f64,
    },
    /// A tolerance that is not above zero.
    #[error("tolerance is {}: it must be finite and above 0", DisplayNumber(*value))]
    Tolerance {
        /// The given value.
        value: f64,
    },
    /// An end of time out of range.
    #[error("max_time is {}: it must be above 0 and at most 1", DisplayNumber(*value))]
    MaxTime {
        /// The given value.
        value: f64,
    },
}

impl CcdOptions {
    fn check(&self) -> Result<(), CcdError> {
        let Self { min_separation, tolerance, max_time } = *self;
        if !(min_separation >= 0.0 && min_separation.is_finite()) {
            return Err(CcdError::MinSeparation { value: min_separation });
        }
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(CcdError::Tolerance { value: tolerance });
        }
        if !(max_time > 0.0 && max_time <= 1.0) {
            return Err(CcdError::MaxTime { value: max_time });
        }
        Ok(())
    }
}

impl MovingPrimitives {
    /// Returns the error for a coordinate that is not finite.
    fn fault(&self, query: usize) -> Option<CcdError> {
        let ends = [(0, &self.start), (1, &self.end)];
        ends.into_iter().find_map(|(time, points)| {
            let vertex = points.iter().position(|p| !p.is_finite())?;
            Some(CcdError::NotFinite { query, vertex, time, position: points[vertex] })
        })
    }
}

/// Finds the first time at which a vertex and a triangle are within `min_separation`.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_query::ccd::{CcdOptions, MovingPrimitives, vertex_face};
/// let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let at = |height: f64| [Vec3::new(0.25, 0.25, height), triangle[0], triangle[1], triangle[2]];
/// let falls = MovingPrimitives { start: at(1.0), end: at(-3.0) };
/// let impact = vertex_face(&falls, &CcdOptions::default())?.unwrap();
/// assert!(impact.time <= 0.25 && 0.25 <= impact.time_upper);
/// # Ok::<(), heurt_query::ccd::CcdError>(())
/// ```
///
/// # Errors
/// If a coordinate is not finite or an option is out of range.
pub fn vertex_face(primitives: &MovingPrimitives, options: &CcdOptions) -> Result<Option<FirstContact>, CcdError> {
    one::<false>(primitives, options)
}

/// Finds the first time at which two edges are within `min_separation`.
///
/// # Errors
/// If a coordinate is not finite or an option is out of range.
pub fn edge_edge(primitives: &MovingPrimitives, options: &CcdOptions) -> Result<Option<FirstContact>, CcdError> {
    one::<true>(primitives, options)
}

/// [`vertex_face`] of many: the plane filter rejects queries four at a time. Answers replace the content of `impacts`.
///
/// # Errors
/// As [`vertex_face`]; the first query at fault is named.
pub fn vertex_face_many(
    queries: &[MovingPrimitives],
    options: &CcdOptions,
    impacts: &mut Vec<Option<FirstContact>>,
) -> Result<(), CcdError> {
    many::<false>(queries, options, impacts)
}

/// [`edge_edge`] of many: the plane filter rejects queries four at a time. Answers replace the content of `impacts`.
///
/// # Errors
/// As [`edge_edge`]; the first query at fault is named.
pub fn edge_edge_many(
    queries: &[MovingPrimitives],
    options: &CcdOptions,
    impacts: &mut Vec<Option<FirstContact>>,
) -> Result<(), CcdError> {
    many::<true>(queries, options, impacts)
}

fn one<const EDGES: bool>(
    primitives: &MovingPrimitives,
    options: &CcdOptions,
) -> Result<Option<FirstContact>, CcdError> {
    options.check()?;
    first_contact::<EDGES>(primitives, options, 0)
}

/// Computes the answer to query number `query`, with checked options.
fn first_contact<const EDGES: bool>(
    primitives: &MovingPrimitives,
    options: &CcdOptions,
    query: usize,
) -> Result<Option<FirstContact>, CcdError> {
    match RelativeMotion::<f64, EDGES>::new(primitives, options.min_separation) {
        Some(motion) => Ok(first_contact::first_contact(&motion, options)),
        None => primitives.fault(query).map_or(Ok(None), Err),
    }
}

fn many<const EDGES: bool>(
    queries: &[MovingPrimitives],
    options: &CcdOptions,
    impacts: &mut Vec<Option<FirstContact>>,
) -> Result<(), CcdError> {
    options.check()?;
    impacts.clear();
    impacts.reserve(queries.len());
    dispatch(Many::<EDGES> { queries, options, impacts })
}

struct Many<'a, const EDGES: bool> {
    queries: &'a [MovingPrimitives],
    options: &'a CcdOptions,
    impacts: &'a mut Vec<Option<FirstContact>>,
}

impl<const EDGES: bool> Kernel for Many<'_, EDGES> {
    type Output = Result<(), CcdError>;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> Self::Output {
        for (chunk, group) in self.queries.chunks(plane_filter::WIDTH).enumerate() {
            let disjoint = plane_filter::disjoint_lanes::<EDGES>(group, self.options);
            for (lane, primitives) in group.iter().enumerate() {
                let impact = match disjoint >> lane & 1 {
                    1 => None,
                    _ => first_contact::<EDGES>(primitives, self.options, chunk * plane_filter::WIDTH + lane)?,
                };
                self.impacts.push(impact);
            }
        }
        Ok(())
    }
}
