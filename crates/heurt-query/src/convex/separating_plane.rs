//! A plane between two placed convex sets, by a perceptron (Rosenblatt 1958; S0 §4.4) that learns from their support
//! points.
//!
//! In: two sets by their support points, the sum of their margins, a first normal: that of the step before, where there
//! was one. Out: [`PlaneOutcome`]: a plane that separates, or nothing proved.
//! Method: a normal w from A to B separates where w · z > 0 for all z of B − A; the worst z is the difference of two
//! farthest points, and while it is on the wrong side w is drawn towards it, by a weight: w ← w + η z/|z|. Where ours
//! differs from S0: it looks for w among differences, in space, and gets the offset of the plane from the support
//! points, which saves the fourth coordinate and makes the search independent of where the origin is; and of all points
//! on the wrong side it takes the worst. S0 prints its third weight as w + (w · z)/(|w||z|) z, which draws w away from
//! z, for w · z < 0: the sign is to be minus. Its size hangs on the unit of length by |z|; ours is 2 for unit vectors,
//! which mirrors w at the plane across z (Chung and Wang 1996).
//! Guarantees: what is called separated is, by the gap that is reported, roundings included. Biased as S0 states: it
//! never states that sets overlap, and that it found nothing proves nothing. With a constant weight it finds a plane of
//! sets at a distance d within (size/d)² steps, but stops after [`MAX_STEPS`].
//! Cost: two support points a step; sets well apart take one to three.

use crate::convex::support::Support;
use heurt_geometry::Vec3;

/// Steps at most.
pub(crate) const MAX_STEPS: u32 = 256;
/// By how much a weight decreases from step to step.
const DECREASE: f64 = 0.97;
/// What roundings leave open of a gap, in ε of the largest coordinate.
const ROUNDING: f64 = 8.0;

/// How far a point on the wrong side draws the normal towards it; the normal begins with length 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WeightRule {
    /// By 1, each time.
    Fixed,
    /// By 0.97, then by 0.97 of the weight before.
    Decreasing,
    /// By twice the sine of the angle that it is off.
    Proportional,
}

/// How the search ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PlaneOutcome {
    Separated(Between),
    /// After so many steps.
    Unproven,
}

/// A plane between two sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Between {
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// The sets are farther apart along the normal than this, which is above 0.
    pub gap: f64,
    /// How many normals were tried.
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
