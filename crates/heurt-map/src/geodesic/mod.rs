//! Shortest paths on triangle meshes: exact geodesic distances from points and faces, round obstacles.
//!
//! In: an oriented mesh, faces that paths may not enter, a goal of points and whole faces. Out: a [`GeodesicField`]:
//! the distance of any point of the surface to the goal, the direction in which a shortest path starts, the path
//! itself.
//! Method: windows (Mitchell, Mount, Papadimitriou 1987), the intervals of an edge that see the goal along the same
//! unfolded faces, in the order of their distance. A window is given up if paths over vertices are shorter (Xin, Wang
//! 2009), and only the nearest window at the apex of a face goes on into both edges (Chen, Han 1990). Faces of the goal
//! send parallel windows (Bommer, Kobbelt 2007). Paths bend at vertices of more than 2π of free angle, and of more than
//! π at a border or an obstacle: these are sources again. Faces that meet in a vertex alone are not joined there.
//! Guarantees: a distance is never below the length of a path that exists, and exact to rounding, some 1e-13 of the
//! extent. Work is bounded: more windows than [`GeodesicSurface::with_most_windows`] allows are an error. Faces without
//! area are refused. The same bits on every machine.
//! Cost: O(n² log n) time for n faces in the worst case; n^1.5 was seen on spheres. A query takes the windows of three
//! edges.

mod field;
mod image;
mod propagate;
mod surface;

pub use field::GeodesicField;
pub use surface::{GeodesicGoal, GeodesicSurface};

use heurt_geometry::DisplayNumber;
use thiserror::Error;

/// No half-edge, window or node.
const NONE: u32 = u32::MAX;

/// Errors of shortest paths on surfaces.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GeodesicError {
    /// An edge belongs to more than two faces, or its two faces are turned against each other.
    #[error("the edge of the vertices {vertices:?} has {faces} faces or faces that disagree: repair the mesh first")]
    Edge {
        /// The vertices.
        vertices: [u32; 2],
        /// The number of faces.
        faces: usize,
    },
    /// A face has no area, or is thinner than rounding allows.
    #[error("face {face} has a height of {} of its longest edge: remove faces below 1e-9", DisplayNumber(*height))]
    ThinFace {
        /// The face.
        face: u32,
        /// Its least height over its longest edge.
        height: f64,
    },
    /// A coordinate is too large.
    #[error("vertex {vertex} has the coordinate {}: give numbers up to 1e100", DisplayNumber(*value))]
    TooLarge {
        /// The vertex.
        vertex: u32,
        /// The coordinate.
        value: f64,
    },
    /// There is no such face.
    #[error("there is no face {face}: give a number below {faces}")]
    NoFace {
        /// The number given.
        face: u32,
        /// The number of faces.
        faces: usize,
    },
    /// A goal is in an obstacle.
    #[error("face {face} of the goal is an obstacle: give a free face")]
    GoalInObstacle {
        /// The face.
        face: u32,
    },
    /// The goal is empty.
    #[error("the goal has no points and no faces: give at least one")]
    NoGoal,
    /// A goal point is not finite.
    #[error("point {index} of the goal is not finite: give numbers")]
    NotFinite {
        /// The index of the point.
        index: usize,
    },
    /// A goal point is not in its face.
    #[error("point {index} of the goal is outside of its face {face}: give the face that contains it")]
    OutsideFace {
        /// The index of the point.
        index: usize,
        /// The face.
        face: u32,
    },
    /// The work has reached its limit.
    #[error("more than {limit} windows are needed: simplify the mesh or raise the limit")]
    TooManyWindows {
        /// The limit.
        limit: usize,
    },
}
