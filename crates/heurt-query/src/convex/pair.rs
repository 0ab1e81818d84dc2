//! Pairs of placed convex shapes, the scale of a search, and what is known of the gap between the cores.

use super::epa::{self, Depth, ExpansionResult};
use super::gjk::{DistanceBracket, GjkSeparation, StopCriteria};
use super::sat;
use crate::convex::support::PlacedHull;
use crate::numeric::twofold::Vector;
use heurt_geometry::{Pose, Vec3, power_of_two_scale};
use heurt_shape::{Convex, Core};

/// Roundings of a coordinate, of sums of products with directions, and what both bounds may differ by, in ε.
pub(crate) const GAP: f64 = 4.0;
pub(crate) const ROUNDING: f64 = 8.0;
/// How far a loose point may be placed outside the hull of the placed corners, in ε: it and they are rounded.
pub(crate) const LOOSE: f64 = 32.0;
/// Above this the answer of `gjk` or `epa` is not taken for hulls.
pub(crate) const MAX_GAP: f64 = 24.0;

/// What is asked of two cores.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeparationQuery {
    /// Cores farther from each other than this many metres are [`CoreSeparation::Beyond`].
    pub beyond: f64,
    /// Whether they need be measured where they overlap.
    pub depth: bool,
}

/// How two cores are placed to each other.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CoreSeparation {
    /// Farther from each other than was queried.
    Beyond,
    Apart(Gap),
    /// They overlap in a point, or are no farther from each other than so many metres: roundings do not tell.
    Common(Vec3, f64),
    /// So deep, where that was queried.
    Deep(Gap),
}

/// The way between two surfaces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gap {
    /// The distance of the cores, or the depth.
    pub length: f64,
    /// A certified bound of it: nothing is nearer, or no translation shorter.
    pub at_least: f64,
    /// Bounds the absolute error of the length.
    pub error: f64,
    /// Unit vector from A to B.
    pub normal: Vec3,
    pub on_a: Vec3,
    pub on_b: Vec3,
}

/// Two cores on their poses.
#[derive(Clone, Copy)]
pub(crate) struct ConvexPair<'a> {
    pub a: &'a Convex,
    pub pose_a: &'a Pose,
    pub b: &'a Convex,
    pub pose_b: &'a Pose,
}

impl<'a> ConvexPair<'a> {
    /// Named the reverse.
    pub(crate) fn swapped(self) -> Self {
        Self { a: self.b, pose_a: self.pose_b, b: self.a, pose_b: self.pose_a }
    }

    /// Both in a unit of length, if they are hulls.
    #[inline(always)]
    pub(crate) fn hulls(&self, unit: f64) -> Option<[PlacedHull<'a>; 2]> {
        match (self.a.core(), self.b.core()) {
            (Core::Hull(a), Core::Hull(b)) => {
                Some([PlacedHull { hull: a, pose: self.pose_a, unit }, PlacedHull { hull: b, pose: self.pose_b, unit }])
            }
            _ => None,
        }
    }

    /// The largest coordinate that is made on the way.
    pub(crate) fn largest(&self) -> f64 {
        let reach = |shape: &Convex, pose: &Pose| shape.core().reach() + pose.span();
        reach(self.a, self.pose_a).max(reach(self.b, self.pose_b))
    }
}

/// What a search for hulls comes on next to its answer.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SearchInfo {
    /// From B to A, of any length, where they are [`CoreSeparation::Beyond`].
    pub way: Vec3,
    /// Whether [`SearchInfo::aside`] is wanted.
    pub wants_aside: bool,
    /// What the three corners of A − B are called that carry a depth, if there are so many.
    pub corners: Option<[[u32; 2]; 3]>,
    /// Where they are [`CoreSeparation::Deep`]: how long at least a way out is that is more than 0.3 rad off the
    /// shortest, in metres; 0 if unknown.
    pub aside: f64,
}

/// The query in the unit of the search.
pub(crate) struct Scaled {
    /// Units in a metre, and metres in a unit: powers of two.
    pub unit: f64,
    pub metre: f64,
    pub largest: f64,
    /// What placed corners do not tell of the placed shapes.
    pub room: f64,
    pub question: SeparationQuery,
}

impl Scaled {
    #[inline(always)]
    pub(crate) fn new(pair: &ConvexPair<'_>, question: SeparationQuery) -> Self {
        let largest = pair.largest();
        let unit = power_of_two_scale(largest);
        let has_loose = |shape: &Convex| matches!(shape.core(), Core::Hull(hull) if !hull.loose().is_empty());
        let room = if has_loose(pair.a) || has_loose(pair.b) { LOOSE * f64::EPSILON * largest * unit } else { 0.0 };
        Self { unit, metre: 1.0 / unit, largest: largest * unit, room, question }
    }

    pub(crate) fn ulps(&self, count: f64) -> f64 {
        count * f64::EPSILON * self.largest
    }

    /// What is farther is farther than was queried, whatever roundings leave open.
    #[inline(always)]
    pub(crate) fn beyond(&self) -> f64 {
        self.question.beyond * self.unit + self.ulps(ROUNDING) + self.room
    }

    #[inline(always)]
    pub(crate) fn is_beyond(&self, at_least: f64) -> bool {
        at_least > self.beyond()
    }

    pub(crate) fn until(&self, gap: f64) -> StopCriteria {
        StopCriteria { gap: self.ulps(gap), beyond: self.beyond(), close: self.ulps(GAP) }
    }

    pub(crate) fn depth_until(&self, trail: &SearchInfo) -> epa::ExpansionLimits {
        epa::ExpansionLimits { gap: self.ulps(GAP), rounding: self.ulps(1.0), wants_aside: trail.wants_aside }
    }

    /// What `gjk` found, in metres: the points prove the distance from above.
    #[inline(always)]
    pub(crate) fn apart<V: Vector>(&self, found: &GjkSeparation<V>) -> Gap {
        self.bracketed(&DistanceBracket::new(found))
    }

    /// What is known of a distance, in metres.
    #[inline(always)]
    pub(crate) fn bracketed(&self, known: &DistanceBracket) -> Gap {
        let DistanceBracket { at_least, normal, at_most, length, points: [on_a, on_b] } = *known;
        Gap {
            length: length * self.metre,
            at_least: (at_least - self.ulps(ROUNDING)).max(0.0) * self.metre,
            error: (at_most - at_least + self.ulps(ROUNDING)) * self.metre + 8.0 * f64::from_bits(1),
            normal,
            on_a: on_a * self.metre,
            on_b: on_b * self.metre,
        }
    }

    /// Both bounds of a distance are as near to each other as was promised.
    #[inline(always)]
    pub(crate) fn is_proved(&self, gap: &Gap) -> bool {
        gap.error * self.unit <= self.ulps(MAX_GAP + ROUNDING)
    }

    /// Placed shapes are provably disjoint by a gap that is proved.
    #[inline(always)]
    pub(crate) fn is_sure(&self, gap: &Gap) -> bool {
        gap.at_least > self.room * self.metre && self.is_proved(gap)
    }

    pub(crate) fn deep(&self, found: &Depth) -> CoreSeparation {
        CoreSeparation::Deep(self.depth(found))
    }

    /// What the least overlap along any axis states of the depth.
    pub(crate) fn along_axis(&self, least: &sat::Overlap) -> Depth {
        let sat::Overlap { depth, normal, on_a, on_b } = *least;
        let at_least = (depth - self.ulps(sat::TURNED)).max(0.0);
        Depth { at_least, at_most: depth.max(0.0), normal, on_a, on_b }
    }

    /// Both bounds of a depth are as near to each other as was promised.
    #[inline(always)]
    pub(crate) fn is_found(&self, found: &Depth) -> bool {
        found.at_most - found.at_least <= self.ulps(MAX_GAP)
    }

    /// Returns the result of an expansion in metres, and records its bound and its corners.
    #[inline(always)]
    pub(crate) fn told(&self, found: &ExpansionResult, trail: &mut SearchInfo) -> CoreSeparation {
        trail.aside = (found.aside - self.ulps(ROUNDING)).max(0.0) * self.metre;
        trail.corners = Some(found.names);
        self.deep(&found.depth)
    }

    /// What was found of a depth, in metres.
    pub(crate) fn depth(&self, found: &Depth) -> Gap {
        Gap {
            length: found.at_most.max(0.0) * self.metre,
            at_least: (found.at_least - self.ulps(ROUNDING)).max(0.0) * self.metre,
            error: ((found.at_most - found.at_least).max(0.0) + self.ulps(ROUNDING)) * self.metre
                + 8.0 * f64::from_bits(1),
            normal: found.normal,
            on_a: found.on_a * self.metre,
            on_b: found.on_b * self.metre,
        }
    }
}
