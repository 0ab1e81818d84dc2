//! Pairs of placed convex shapes, the scale of a search, and the gap between the cores.

use super::epa::{self, Depth, ExpansionResult};
use super::gjk::{DistanceBracket, GjkSeparation, StopCriteria};
use super::sat;
use crate::answer::placed::Placed;
use crate::convex::support::PlacedHull;
use crate::numeric::twofold::Vector;
use heurt_geometry::{Pose, Vec3, power_of_two_scale};
use heurt_shape::{Convex, Core};

/// In ε of the largest coordinate: `GAP`, the rounding error of a coordinate and the maximum difference of both bounds;
/// `ROUNDING`, the rounding error of sums of products with directions.
pub(crate) const GAP: f64 = 4.0;
pub(crate) const ROUNDING: f64 = 8.0;
/// Maximum distance of a placed loose point from the hull of the placed corners, in ε: the point and the corners are
/// rounded.
pub(crate) const LOOSE: f64 = 32.0;
/// Maximum gap of the bounds with which an answer of `gjk` or `epa` is taken for hulls, in ε.
pub(crate) const MAX_GAP: f64 = 24.0;

/// A query for the separation of two cores.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeparationQuery {
    /// Cores farther from each other than this many metres are [`CoreSeparation::BeyondMax`].
    pub beyond: f64,
    /// Whether the depth is computed if the cores overlap.
    pub depth: bool,
}

/// The separation of two cores.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CoreSeparation {
    /// The cores are farther from each other than the maximum of the query.
    BeyondMax,
    Disjoint(Gap),
    /// The cores overlap in this point, or are at most this many metres from each other: rounding errors leave it open.
    Touching(Vec3, f64),
    /// The cores overlap by this depth, if the query requests it.
    Penetrating(Gap),
}

/// The gap between two surfaces.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gap {
    /// The distance of the cores, or the depth.
    pub length: f64,
    /// A certified lower bound of the length: nothing is nearer, or no translation is shorter.
    pub at_least: f64,
    /// Bounds the absolute error of the length.
    pub error: f64,
    /// Unit vector from A to B.
    pub normal: Vec3,
    pub on_a: Vec3,
    pub on_b: Vec3,
}

/// Two placed cores.
#[derive(Clone, Copy)]
pub(crate) struct ConvexPair<'a> {
    pub a: &'a Convex,
    pub pose_a: &'a Pose,
    pub b: &'a Convex,
    pub pose_b: &'a Pose,
}

impl<'a> ConvexPair<'a> {
    /// Builds the pair of two placed shapes.
    #[inline(always)]
    pub(crate) fn new(a: Placed<'a, &'a Convex>, b: Placed<'a, &'a Convex>) -> Self {
        Self { a: a.shape, pose_a: a.pose, b: b.shape, pose_b: b.pose }
    }

    /// Returns the pair in reverse order.
    pub(crate) fn swapped(self) -> Self {
        Self { a: self.b, pose_a: self.pose_b, b: self.a, pose_b: self.pose_a }
    }

    /// Returns both cores in a unit of length, if they are hulls.
    #[inline(always)]
    pub(crate) fn hulls(&self, unit: f64) -> Option<[PlacedHull<'a>; 2]> {
        match (self.a.core(), self.b.core()) {
            (Core::Hull(a), Core::Hull(b)) => {
                Some([PlacedHull { hull: a, pose: self.pose_a, unit }, PlacedHull { hull: b, pose: self.pose_b, unit }])
            }
            _ => None,
        }
    }

    /// Returns the largest coordinate that a query computes.
    pub(crate) fn largest(&self) -> f64 {
        let reach = |shape: &Convex, pose: &Pose| shape.core().max_coordinate() + pose.max_translation();
        reach(self.a, self.pose_a).max(reach(self.b, self.pose_b))
    }
}

/// Further results of a search for hulls.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SearchInfo {
    /// A vector from B to A, of any length, if the result is [`CoreSeparation::BeyondMax`].
    pub offset: Vec3,
    /// Whether [`SearchInfo::aside`] is requested.
    pub wants_aside: bool,
    /// Names of the three corners of A − B that carry a depth, if there are three.
    pub corners: Option<[[u32; 2]; 3]>,
    /// For [`CoreSeparation::Penetrating`]: minimum length of a separating translation more than 0.3 rad off the
    /// shortest, in metres; 0 if unknown.
    pub aside: f64,
}

/// The query in the unit of the search.
pub(crate) struct Scaled {
    /// Units in a metre, and metres in a unit: powers of two.
    pub unit: f64,
    pub metre: f64,
    pub largest: f64,
    /// Bound of the distance of the placed shapes from the hulls of the placed corners.
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

    /// Returns the distance above which cores are farther than the maximum of the query, for all rounding errors.
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

    /// Converts the result of `gjk` to metres: the points prove the distance from above.
    #[inline(always)]
    pub(crate) fn gap_of<V: Vector>(&self, found: &GjkSeparation<V>) -> Gap {
        self.bracketed(&DistanceBracket::new(found))
    }

    /// Converts a bracket of a distance to metres.
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

    /// Tests whether both bounds of a distance are as near to each other as promised.
    #[inline(always)]
    pub(crate) fn is_proved(&self, gap: &Gap) -> bool {
        gap.error * self.unit <= self.ulps(MAX_GAP + ROUNDING)
    }

    /// Tests whether placed shapes are provably disjoint by a proved gap.
    #[inline(always)]
    pub(crate) fn is_sure(&self, gap: &Gap) -> bool {
        gap.at_least > self.room * self.metre && self.is_proved(gap)
    }

    pub(crate) fn deep(&self, found: &Depth) -> CoreSeparation {
        CoreSeparation::Penetrating(self.depth(found))
    }

    /// Returns the bounds of the depth that the least overlap along any axis gives.
    pub(crate) fn along_axis(&self, least: &sat::Overlap) -> Depth {
        let sat::Overlap { depth, normal, on_a, on_b } = *least;
        let at_least = (depth - self.ulps(sat::TURNED)).max(0.0);
        Depth { at_least, at_most: depth.max(0.0), normal, on_a, on_b }
    }

    /// Tests whether both bounds of a depth are as near to each other as promised.
    #[inline(always)]
    pub(crate) fn is_found(&self, found: &Depth) -> bool {
        found.at_most - found.at_least <= self.ulps(MAX_GAP)
    }

    /// Returns the result of an expansion in metres, and records its bound and its corners.
    #[inline(always)]
    pub(crate) fn separation_of(&self, found: &ExpansionResult, trail: &mut SearchInfo) -> CoreSeparation {
        trail.aside = (found.aside - self.ulps(ROUNDING)).max(0.0) * self.metre;
        trail.corners = Some(found.names);
        self.deep(&found.depth)
    }

    /// Converts the bounds of a depth to metres.
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
