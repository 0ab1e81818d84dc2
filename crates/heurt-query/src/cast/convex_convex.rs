//! Cast of two moving shapes as a whole: convex shapes, and any shape against a half-space.
//!
//! Method: the distance query at each time, with a warm start from the time before. The approach speed is bounded by
//! support points for convex shapes, by boxes for other shapes. A rotating half-space counts as far as the second shape
//! can reach.

use super::triangle_convex::convex_reach;
use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::placed::Placed;
use crate::cast::conservative_advancement::{AdvancingPair, CastGap, TimeWindow};
use crate::coherence::pair_cache::PairCache;
use crate::convex::gjk::raycast::{TranslationCast, first_time};
use crate::convex::support::{PlacedCore, PlacedHull, along_axes};
use crate::motion::approach::{Approach, Moment, MotionReach, Mover, closing};
use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_geometry::{Pose, Vec3, power_of_two_scale};
use heurt_shape::{Convex, Core, ShapeRef};

/// An operand of the cast.
#[derive(Clone, Copy)]
pub(crate) struct CastOperand<'a> {
    pub shape: ShapeRef<'a>,
    pub mover: Mover<'a>,
    /// Bounds the distance of its points from the axis of rotation; for a half-space, of the relevant points.
    pub from_axis: f64,
}

impl<'a> CastOperand<'a> {
    /// Creates an operand: a bounded shape, or a half-space, of which only the origin counts.
    pub(crate) fn new(shape: ShapeRef<'a>, mover: Mover<'a>) -> Self {
        let bounds = shape.bounds();
        let from_axis = match bounds.min.is_finite() && bounds.max.is_finite() {
            true => (bounds.centre() - mover.pivot()).length() + bounds.half_extents().length(),
            false => mover.pivot().length(),
        };
        // The factor covers rounding, and rotations that stretch.
        let stretch = 1.0 + 1e-9 + 4.0 * (mover.start.defect() + mover.part.map_or(0.0, Pose::defect));
        Self { shape, mover, from_axis: from_axis * stretch }
    }
}

/// The pair of operands.
pub(crate) struct ConvexCast<'a> {
    sides: [CastOperand<'a>; 2],
    /// Largest coordinates.
    reach: [f64; 2],
    moments: [Moment; 2],
    cache: PairCache,
}

impl<'a> ConvexCast<'a> {
    pub(crate) fn new(sides: [CastOperand<'a>; 2]) -> Self {
        // For a half-space the reach is the distance that the second shape can reach.
        let reach = sides.each_ref().map(|side| match side.shape.bounds().min.is_finite() {
            true => side.shape.max_coordinate(),
            false => side.from_axis,
        });
        let moments = sides.each_ref().map(|side| side.mover.at(0.0));
        Self { sides, reach, moments, cache: PairCache::default() }
    }
}

impl ConvexCast<'_> {
    /// Computes a time before which two bounded convex shapes in uniform translation do not meet in a window. The outer
    /// `None` is for other shapes, the inner `None` means that they do not meet at all.
    pub(crate) fn begin_straight(&self, window: &TimeWindow) -> Option<Option<f64>> {
        let [ShapeRef::Convex(a), ShapeRef::Convex(b)] = self.sides.each_ref().map(|side| side.shape) else {
            return None;
        };
        self.moments
            .iter()
            .all(Moment::is_straight)
            .then(|| dispatch(BeginStraight { whole: self, shapes: [a, b], window }))?
    }
}

struct BeginStraight<'x, 'a> {
    whole: &'x ConvexCast<'a>,
    shapes: [&'x Convex; 2],
    window: &'x TimeWindow,
}

impl Kernel for BeginStraight<'_, '_> {
    type Output = Option<Option<f64>>;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> Self::Output {
        let Self { whole, shapes: [a, b], window } = self;
        let ([of_a, of_b], [at_a, at_b]) = (&whole.sides, &whole.moments);
        let rounding =
            of_a.mover.rounding(whole.reach[0], window.until) + of_b.mover.rounding(whole.reach[1], window.until);
        let across = |side: &CastOperand<'_>, reach: f64| {
            reach + side.mover.start.max_translation() + side.mover.flight(window.until)
        };
        let unit = power_of_two_scale(across(of_a, whole.reach[0]) + across(of_b, whole.reach[1]));
        let ray = TranslationCast {
            velocity: (at_b.velocity - at_a.velocity) * unit,
            from: window.from,
            until: window.until,
            margin: (a.margin() + b.margin()) * unit,
            tolerance: 0.5 * window.tolerance * unit,
            room: rounding * unit,
        };
        Some(match (a.core(), b.core()) {
            (Core::Hull(x), Core::Hull(y)) => {
                let place = |hull, pose| PlacedHull { hull, pose, unit };
                first_time(&place(x, &at_a.pose), &place(y, &at_b.pose), &ray)
            }
            _ => {
                let (x, y) = (PlacedCore::new(a, &at_a.pose, unit)?, PlacedCore::new(b, &at_b.pose, unit)?);
                first_time(&x, &y, &ray)
            }
        })
    }
}

impl AdvancingPair for ConvexCast<'_> {
    fn gap(&mut self, time: f64, meter: &WorkMeter<'_>) -> CastGap {
        self.moments = self.sides.each_ref().map(|side| side.mover.at(time));
        let ([a, b], [at_a, at_b]) = (&self.sides, &self.moments);
        let (on_a, on_b) = (Placed::new(a.shape, &at_a.pose), Placed::new(b.shape, &at_b.pose));
        let found = match self.cache.distance_metered(on_a, on_b, f64::INFINITY, meter) {
            Budgeted::Complete(found) => found.expect("without a limit there is a distance"),
            Budgeted::Partial(_) => return CastGap::unknown(&self.moments),
        };
        // Rounding error of the poses.
        let rounding = a.mover.rounding(self.reach[0], time) + b.mover.rounding(self.reach[1], time);
        CastGap {
            // The gap is no wider than this, even if the distance is not exact to the last bit.
            length: found.distance + found.error,
            at_least: found.distance - found.error - rounding,
            normal: found.normal.unwrap_or(Vec3::ZERO),
            point_a: found.point_a,
            point_b: found.point_b,
            primitives: found.primitives,
        }
    }

    fn approach(&self, normal: Vec3) -> Approach {
        let ([a, b], [at_a, at_b]) = (&self.sides, &self.moments);
        Approach::of([at_a, at_b], normal, |turn| reach(a, at_a, turn), |turn| reach(b, at_b, turn))
    }

    fn closing(&self, gap: &CastGap) -> f64 {
        closing(&self.moments, gap.normal, [gap.point_a, gap.point_b])
    }

    fn touches_at(&mut self, time: f64, meter: &WorkMeter<'_>) -> bool {
        let ([a, b], [at_a, at_b]) = (&self.sides, self.sides.each_ref().map(|side| side.mover.at(time).pose));
        self.cache.overlaps_metered(Placed::new(a.shape, &at_a), Placed::new(b.shape, &at_b), meter)
    }
}

/// Bounds the offsets of the points of a side along `turn`.
fn reach(side: &CastOperand<'_>, at: &Moment, turn: Vec3) -> MotionReach {
    let from_axis = side.from_axis;
    if let ShapeRef::Convex(convex) = side.shape {
        return convex_reach(convex, at, from_axis, turn);
    }
    let bounds = side.shape.bounds();
    let farthest = bounds.centre() + bounds.half_extents() * along_axes(&at.pose, turn).map(f64::signum);
    let arm = at.pose.place(farthest) - at.pivot;
    MotionReach {
        along: turn.dot(arm),
        from_axis,
        is_met: false,
        rounding: 8.0 * f64::EPSILON * turn.abs().dot(arm.abs()),
    }
}
