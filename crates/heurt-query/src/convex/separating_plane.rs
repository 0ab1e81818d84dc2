//! Perceptron search (Rosenblatt 1958; S0 §4.4) for a plane between two placed convex sets, by their support points.
//!
//! In: two sets given by their support points, the sum of their margins, and a first normal: the normal of the previous
//! step, if there was one. Out: [`PlaneOutcome`]: a plane that separates, or nothing proved.
//! Method: a normal w from A to B separates if w · z > 0 for all z of B − A. The worst z is the difference of two
//! support points. While it is on the wrong side, w is drawn towards it by a weight: w ← w + η z/|z|. Differences from
//! S0: this search works on differences in space, and gets the offset of the plane from the support points. That saves
//! the fourth coordinate and makes the search independent of the origin. Among all points on the wrong side, this
//! search takes the worst. S0 prints its third weight as w + (w · z)/(|w||z|) z, which draws w away from z for w · z <
//! 0: the sign must be minus. Its size depends on the unit of length by |z|; the weight here is 2 for unit vectors,
//! which mirrors w at the plane across z (Chung and Wang 1996).
//! Guarantees: reported sets are separated by the reported gap, rounding errors included. Biased as S0 states: the
//! search never states that sets overlap, and a search without a plane proves nothing. With a constant weight it finds
//! a plane of sets at a distance d within (size/d)² steps, but stops after [`MAX_STEPS`].
//! Cost: two support points a step; sets at a large distance take one to three steps.

use crate::convex::support::Support;
use heurt_geometry::Vec3;

/// Maximum number of steps.
pub(crate) const MAX_STEPS: u32 = 256;
/// Factor of a decreasing weight from step to step.
const DECREASE: f64 = 0.97;
/// Bound of the rounding error of a gap, in ε of the largest coordinate.
const ROUNDING: f64 = 8.0;

/// The length by which a point on the wrong side draws the normal towards it; the normal begins with length 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WeightRule {
    /// 1 in each step.
    Fixed,
    /// 0.97, then 0.97 of the weight before.
    Decreasing,
    /// Twice the sine of the angle that the point is off.
    Proportional,
}

/// The outcome of the search.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PlaneOutcome {
    Separated(Between),
    /// No plane was found within the maximum number of steps.
    Unproven,
}

/// A plane between two sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Between {
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// The sets are farther from each other along the normal than this, which is above 0.
    pub gap: f64,
    /// Number of normals that were tested.
    pub steps: u32,
}

/// Searches a plane between two sets with margins that sum up to `margin`; `largest` bounds the coordinates of both.
pub(crate) fn separating_plane(
    a: &impl Support,
    b: &impl Support,
    margin: f64,
    largest: f64,
    rule: WeightRule,
    start: Option<Vec3>,
) -> PlaneOutcome {
    let rounding = ROUNDING * f64::EPSILON * (largest + margin);
    let first = start.unwrap_or_else(|| b.middle() - a.middle());
    let mut normal = first.try_normalize().unwrap_or(Vec3::X);
    let (mut length, mut weight) = (1.0, 1.0);
    for steps in 1..=MAX_STEPS {
        let between = b.support(-normal).point - a.support(normal).point;
        let gap = normal.dot(between) - margin - rounding;
        if gap > 0.0 {
            return PlaneOutcome::Separated(Between { normal, gap, steps });
        }
        let Some(worst) = (between - normal * margin).try_normalize() else { break };
        let step = match rule {
            WeightRule::Fixed => 1.0,
            WeightRule::Decreasing => {
                weight *= DECREASE;
                weight
            }
            WeightRule::Proportional => -2.0 * normal.dot(worst) * length,
        };
        let drawn = normal * length + worst * step;
        length = drawn.length();
        let Some(unit) = drawn.try_normalize() else { break };
        normal = unit;
    }
    PlaneOutcome::Unproven
}
