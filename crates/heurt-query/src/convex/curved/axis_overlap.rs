//! Overlap of two convex sets along one direction: an upper bound of the depth.

use crate::convex::epa::Depth;
use crate::convex::support::Support;
use heurt_geometry::{Vec3, robust_normalize};

/// Returns the bound of the depth that the overlap along one direction gives.
pub(crate) fn along(a: &impl Support, b: &impl Support, direction: Vec3) -> Depth {
    let normal = robust_normalize(direction).unwrap_or(Vec3::ZERO);
    let (on_a, on_b) = (a.support(normal).point, b.support(-normal).point);
    Depth { at_least: 0.0, at_most: normal.dot(on_a - on_b), normal, on_a, on_b }
}
