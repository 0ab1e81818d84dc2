//! Separation in space: a velocity that leaves no overlap at the end of a step.
//!
//! In: half-spaces v · n ≥ c with c ≤ 0, a speed limit, a chosen velocity. Out: the admissible velocity nearest to it.
//! Method: for agents i and j with the gap g and the unit vector n from j to i, each takes half of the gap:
//! n · vᵢ ≥ −g/(2h), as in the plane (`crowd/separate`, without its further rounds). Linear programming, one half-space
//! after another: if a half-space is violated, the best velocity is on its border, where the half-spaces before it are
//! half-planes ([`admissible_velocity`]). At last the velocity is
//! scaled down until it violates nothing by more than rounding.
//! Guarantees: rest is admissible, so there is always a velocity; no agents without an overlap have one after the step,
//! for any share of their velocity. Cost: O(n³) at worst, O(n) expected for half-spaces in random order.

use crate::steer::{HalfPlane, admissible_velocity};
use heurt_geometry::{Vec2, Vec3};
use smallvec::SmallVec;

/// Agents keep this share of their radius as a gap, so that rounding makes no overlap.
pub(crate) const MARGIN: f64 = 1e-9;

/// Roundings of a coordinate that the margin covers: of the place, its gap and its move.
pub(crate) const ROUNDINGS: f64 = 8.0;

/// Borders closer to parallel than this have no line in common.
const PARALLEL: f64 = 1e-9;

/// Violations up to this share of the speed limit are rounding. A million steps with them move an agent by 1e-10 of a
/// metre, less than the margin.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Sweeps that mend violations of badly placed borders, before the velocity is scaled down.
const SWEEPS: usize = 8;

/// Velocities v with v · normal ≥ least, in m/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VelocityHalfSpace {
    /// Unit vector into the half-space.
    pub normal: Vec3,
    /// Least component along it; 0 or less, so that rest is inside.
    pub least: f64,
}

/// Finds the velocity of at most `limit` m/s nearest to `preferred` in half-spaces that rest is inside of.
///
/// ```
/// use heurt_crowd::space::{VelocityHalfSpace, admissible_velocity_in_space};
/// use heurt_geometry::Vec3;
/// let floor = VelocityHalfSpace { normal: Vec3::Z, least: 0.0 };
/// let velocity = admissible_velocity_in_space(&[floor], 2.0, Vec3::new(1.0, 0.0, -1.0));
/// assert_eq!(velocity, Vec3::X);
/// ```
pub fn admissible_velocity_in_space(spaces: &[VelocityHalfSpace], limit: f64, preferred: Vec3) -> Vec3 {
    let mut velocity = preferred.clamp_length_max(limit);
    let slack = ROUNDING * limit;
    for (number, space) in spaces.iter().enumerate() {
        if velocity.dot(space.normal) < space.least - slack {
            velocity = on_border(&spaces[..number], space, limit, preferred).unwrap_or(Vec3::ZERO);
        }
    }
    for _ in 0..SWEEPS {
        let mut is_inside = true;
        for space in spaces {
            let missing = space.least - velocity.dot(space.normal);
            if missing > slack {
                velocity += space.normal * missing;
                is_inside = false;
            }
        }
        if is_inside {
            break;
        }
    }
    scale_into(spaces, slack, velocity.clamp_length_max(limit))
}

/// Finds the best velocity on the border of a half-space, inside the half-spaces before it.
fn on_border(before: &[VelocityHalfSpace], space: &VelocityHalfSpace, limit: f64, preferred: Vec3) -> Option<Vec3> {
    let VelocityHalfSpace { normal, least } = *space;
    let square = limit * limit - least * least;
    if square < 0.0 {
        return None;
    }
    let (along, across) = normal.any_orthonormal_pair();
    let start = normal * least;
    let mut planes: SmallVec<[HalfPlane; 16]> = SmallVec::new();
    for other in before {
        let flat = Vec2::new(other.normal.dot(along), other.normal.dot(across));
        let (length, missing) = (flat.length(), other.least - other.normal.dot(start));
        if length > PARALLEL {
            planes.push(HalfPlane { normal: flat / length, least: missing / length });
        } else if missing > PARALLEL * limit {
            return None;
        }
    }
    let wanted = Vec2::new(preferred.dot(along), preferred.dot(across));
    let place = admissible_velocity(&planes, square.sqrt(), wanted)?;
    Some(start + along * place.x + across * place.y)
}

/// Scales a velocity down until it is inside all half-spaces.
fn scale_into(spaces: &[VelocityHalfSpace], slack: f64, velocity: Vec3) -> Vec3 {
    let share = |space: &VelocityHalfSpace| {
        let along = velocity.dot(space.normal);
        if along < space.least - slack { (space.least / along).max(0.0) } else { 1.0 }
    };
    velocity * spaces.iter().map(share).fold(1.0, f64::min)
}
