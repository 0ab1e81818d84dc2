//! Outlines: polygons that agents have as their shape on the ground.
//!
//! In: corners round the origin of the agent, x forward, in metres. Out: [`Outline`], counter-clockwise.
//! Guarantees: no outline crosses or touches itself, decided exactly. Cost: O(corners²) once.

use super::segment::do_meet;
use crate::ground::nearest_on;
use heurt_geometry::{ShortPlace, Sign, Vec2, orient2d};
use thiserror::Error;

/// The most corners of an outline: vehicles and animals need fewer, and each costs time in each step.
const MOST_CORNERS: usize = 256;

/// The largest coordinate of an outline, in metres: longer bodies have sections.
const LARGEST: f64 = 100.0;

/// The shortest edge, in metres: shorter ones were given in other units.
const SHORTEST: f64 = 1e-3;

/// A simple polygon, concave or convex, its corners counter-clockwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    corners: Vec<Vec2>,
}

/// Reasons why corners are no outline.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OutlineError {
    /// Too few or too many corners.
    #[error("the outline has {count} corners: give 3 to {MOST_CORNERS}")]
    Corners {
        /// How many there are.
        count: usize,
    },
    /// A corner far from the origin, or none at all.
    #[error("corner {corner} at {} is no place within {LARGEST} m of the origin", ShortPlace(*at))]
    BadCorner {
        /// The corner, from 0.
        corner: usize,
        /// Its place.
        at: Vec2,
    },
    /// Two corners in one place, nearly.
    #[error("corners {corner} and the next are less than 1 mm apart, at {}: leave one out", ShortPlace(*at))]
    ShortEdge {
        /// The first of them, from 0.
        corner: usize,
        /// Its place.
        at: Vec2,
    },
    /// A mesh that has no outline on the ground, or several.
    #[error("the mesh covers {count} separate parts of the ground: give one that covers a single part")]
    Pieces {
        /// How many parts there are.
        count: usize,
    },
    /// Edges that cross or touch.
    #[error(
        "the outline crosses or touches itself near {}: edges {} and {}", ShortPlace(*near), edges[0], edges[1]
    )]
    Crossing {
        /// The edges, from 0.
        edges: [usize; 2],
        /// A corner of the first edge.
        near: Vec2,
    },
}

impl Outline {
    /// Takes corners in metres, in either order round the polygon; the first one may come again at the end.
    ///
    /// ```
    /// use heurt_crowd::{Outline, OutlineError};
    /// use heurt_geometry::Vec2;
    /// let corners = |list: &[[f64; 2]]| list.iter().map(|&corner| Vec2::from_array(corner)).collect::<Vec<_>>();
    /// let pram = Outline::new(corners(&[[-0.4, -0.3], [0.5, -0.2], [0.5, 0.2], [-0.4, 0.3]]))?;
    /// assert_eq!(pram.width(), 0.6);
    /// let bow_tie = Outline::new(corners(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]));
    /// assert!(matches!(bow_tie, Err(OutlineError::Crossing { edges: [0, 2], .. })));
    /// # Ok::<(), OutlineError>(())
    /// ```
    ///
    /// # Errors
    /// [`OutlineError`] for the first fault.
    pub fn new(mut corners: Vec<Vec2>) -> Result<Self, OutlineError> {
        if corners.len() > 3 && corners.first() == corners.last() {
            corners.pop();
        }
        let count = corners.len();
        if !(3..=MOST_CORNERS).contains(&count) {
            return Err(OutlineError::Corners { count });
        }
        let is_far = |at: &Vec2| !at.is_finite() || at.abs().max_element() > LARGEST;
        if let Some(corner) = corners.iter().position(is_far) {
            return Err(OutlineError::BadCorner { corner, at: corners[corner] });
        }
        let edge = |k: usize| [corners[k], corners[(k + 1) % count]];
        if let Some(corner) = (0..count).find(|&k| edge(k)[0].distance(edge(k)[1]) < SHORTEST) {
            return Err(OutlineError::ShortEdge { corner, at: corners[corner] });
        }
        if let Some([first, second]) = find_crossing(&corners) {
            return Err(OutlineError::Crossing { edges: [first, second], near: corners[first] });
        }
        if doubled_area(&corners) < 0.0 {
            corners.reverse();
        }
        Ok(Self { corners })
    }

    /// Returns the corners, counter-clockwise, in metres.
    pub fn corners(&self) -> &[Vec2] {
        &self.corners
    }

    /// Computes the extent across the forward direction, in metres.
    pub fn width(&self) -> f64 {
        let [low, high] = self.bounds();
        high.y - low.y
    }

    /// Computes the length of all edges, in metres.
    pub(crate) fn perimeter(&self) -> f64 {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().zip(next).map(|(a, b)| a.distance(*b)).sum()
    }

    /// Divides edges longer than a length in metres into equal ones.
    pub(crate) fn divided(&self, longest: f64) -> Self {
        let next = self.corners.iter().cycle().skip(1);
        let pieces = self.corners.iter().zip(next).flat_map(|(&a, &b)| {
            let count = (a.distance(b) / longest).ceil().max(1.0);
            (0..count as u32).map(move |k| a.lerp(b, f64::from(k) / count))
        });
        Self { corners: pieces.collect() }
    }

    /// Returns the lower and the upper corner of the box round it.
    pub fn bounds(&self) -> [Vec2; 2] {
        let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        self.corners.iter().fold(empty, |[low, high], &corner| [low.min(corner), high.max(corner)])
    }
}

/// Finds two edges that cross or touch, besides the corner of neighbours.
pub(crate) fn find_crossing(corners: &[Vec2]) -> Option<[usize; 2]> {
    let count = corners.len();
    let edge = |k: usize| [corners[k], corners[(k + 1) % count]];
    let do_cross = |[first, second]: &[usize; 2]| {
        let is_last = *first == 0 && *second == count - 1;
        match second - first {
            1 => folds_back(edge(*first), edge(*second)[1]),
            _ if is_last => folds_back(edge(*second), edge(*first)[1]),
            _ => do_meet(edge(*first), edge(*second)),
        }
    };
    (0..count).flat_map(|first| (first + 1..count).map(move |second| [first, second])).find(do_cross)
}

/// Reports whether the edge from the end of one to `next` runs back along it.
fn folds_back([a, b]: [Vec2; 2], next: Vec2) -> bool {
    orient2d(a, b, next) == Sign::Zero && (b - a).dot(next - b) < 0.0
}

/// Computes twice the area of a polygon; positive if it is counter-clockwise.
fn doubled_area(corners: &[Vec2]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| (*a - corners[0]).perp_dot(*b - corners[0])).sum()
}

/// Computes the distance of a place from a polygon, in metres, negative inside.
pub(crate) fn signed_distance(corners: &[Vec2], place: Vec2) -> f64 {
    let (mut is_inside, mut least) = (false, f64::INFINITY);
    for (k, &b) in corners.iter().enumerate() {
        let a = corners[if k == 0 { corners.len() - 1 } else { k - 1 }];
        least = least.min(nearest_on([a, b], place).distance_squared(place));
        // A ray along x crosses edges that begin above or at its height and end below, or the reverse.
        if (a.y > place.y) != (b.y > place.y) {
            let upwards = b.y > a.y;
            let side = orient2d(a, b, place);
            is_inside ^= if upwards { side == Sign::Positive } else { side == Sign::Negative };
        }
    }
    if is_inside { -least.sqrt() } else { least.sqrt() }
}
