//! Cast of a moving triangle and a moving convex shape, no half-space, with margins.
//!
//! Method: `gjk` on the placed triangle and the placed core, with a warm start from the time before.

use crate::answer::budget::WorkMeter;
use crate::cast::conservative_advancement::{AdvancingPair, CastGap, TimeWindow};
use crate::cast::triangle_triangle::{MovingTriangle, reach};
use crate::convex::gjk::raycast::{TranslationCast, first_time};
use crate::convex::gjk::{GjkOutcome, SimplexCache, StopCriteria, nearest};
use crate::convex::nearest_triangle::PlacedTriangle;
use crate::convex::support::{PlacedCore, Support};
use crate::motion::approach::{Approach, Moment, MotionReach, Mover, closing};
use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_geometry::{Triangle, Vec3};
use heurt_shape::Convex;

/// Rounding error of the offset between them, in ε of the largest coordinate.
const ROUNDING: f64 = 16.0;

/// The pair; `margin` is the sum of both margins.
pub(crate) struct TriangleAndConvex<'a> {
    pub triangle: MovingTriangle<'a>,
    pub convex: &'a Convex,
    pub mover: Mover<'a>,
    pub margin: f64,
    /// The reaches of their shapes.
    pub reach: [f64; 2],
    /// Bounds the distance of the points of the convex shape from their axis.
    pub from_axis: f64,
    /// Units per metre.
    pub unit: f64,
    pub name: u32,
    /// Whether the convex shape is A.
    pub is_swapped: bool,
    pub moments: [Moment; 2],
    pub placed: Triangle,
    pub carriers: SimplexCache,
}

impl TriangleAndConvex<'_> {
    fn advance_to(&mut self, time: f64) {
        self.moments = [self.triangle.mover.at(time), self.mover.at(time)];
        self.placed = self.triangle.corners.map(|corner| self.moments[0].pose.place(corner));
    }

    /// Computes a time before which they do not meet in a window; `None` if they do not meet at all. Useful only if
    /// nothing rotates or accelerates.
    pub(crate) fn begin_straight(&self, now: f64, window: &TimeWindow) -> Option<f64> {
        dispatch(BeginTriangleTranslation { pair: self, now, window })
    }

    /// Computes the lower and upper bound of the distance of the cores, in metres; the direction and the points, the
    /// triangle first.
    fn between(&mut self) -> ([f64; 2], Vec3, [Vec3; 2]) {
        dispatch(TriangleConvexGap(self))
    }
}

struct BeginTriangleTranslation<'x, 'a> {
    pair: &'x TriangleAndConvex<'a>,
    now: f64,
    window: &'x TimeWindow,
}

impl Kernel for BeginTriangleTranslation<'_, '_> {
    type Output = Option<f64>;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> Option<f64> {
        let Self { pair, now, window } = self;
        let [own, other] = &pair.moments;
        let placed = PlacedTriangle(pair.placed.map(|corner| corner * pair.unit));
        let core = PlacedCore::new(pair.convex, &other.pose, pair.unit).expect("half-spaces are asked as they are");
        let rounding = pair.triangle.mover.rounding(pair.reach[0], window.until)
            + pair.mover.rounding(pair.reach[1], window.until);
        let ray = TranslationCast {
            velocity: (other.velocity - own.velocity) * pair.unit,
            from: window.from - now,
            until: window.until - now,
            margin: pair.margin * pair.unit,
            tolerance: 0.5 * window.tolerance * pair.unit,
            room: rounding * pair.unit,
        };
        first_time(&placed, &core, &ray).map(|time| now + time)
    }
}

struct TriangleConvexGap<'x, 'a>(&'x mut TriangleAndConvex<'a>);

impl Kernel for TriangleConvexGap<'_, '_> {
    type Output = ([f64; 2], Vec3, [Vec3; 2]);

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> Self::Output {
        let pair = self.0;
        let (unit, metre) = (pair.unit, 1.0 / pair.unit);
        let placed = PlacedTriangle(pair.placed.map(|corner| corner * unit));
        let core =
            PlacedCore::new(pair.convex, &pair.moments[1].pose, unit).expect("half-spaces are asked as they are");
        let largest = pair.placed.iter().fold(0.0, |most, corner| f64::max(most, corner.abs().max_element()));
        let ulp = f64::EPSILON * (largest + pair.reach[1] + pair.moments[1].pose.max_translation()) * unit;
        let until = StopCriteria { gap: 4.0 * ulp, beyond: f64::INFINITY, close: 4.0 * ulp };
        match nearest::<Vec3>(&placed, &core, &pair.carriers, || placed.middle() - core.middle(), until) {
            GjkOutcome::Disjoint(found) => {
                pair.carriers = SimplexCache::of(&found.simplex);
                let (length, _, points) = found.proved();
                let least = found.at_least - ROUNDING * ulp;
                (
                    [least * metre, length * metre],
                    -found.offset / found.offset.length(),
                    points.map(|point| point * metre),
                )
            }
            GjkOutcome::Inside(simplex) => ([0.0; 2], Vec3::ZERO, simplex.witnesses().map(|point| point * metre)),
            // The cores may be disjoint, by no more than that.
            GjkOutcome::Close(simplex) => {
                ([0.0, until.close * metre], Vec3::ZERO, simplex.witnesses().map(|point| point * metre))
            }
        }
    }
}

impl AdvancingPair for TriangleAndConvex<'_> {
    fn gap(&mut self, time: f64, meter: &WorkMeter<'_>) -> CastGap {
        meter.add_pair();
        self.advance_to(time);
        let ([least, length], normal, [on_triangle, on_convex]) = self.between();
        let rounding = self.triangle.mover.rounding(self.reach[0], time) + self.mover.rounding(self.reach[1], time);
        let gap = CastGap {
            length: (length - self.margin).max(0.0),
            at_least: least - self.margin * (1.0 + ROUNDING * f64::EPSILON) - rounding,
            normal,
            point_a: on_triangle,
            point_b: on_convex,
            primitives: Some([self.name, 0]),
        };
        if self.is_swapped {
            let (point_a, point_b, primitives) = (gap.point_b, gap.point_a, Some([0, self.name]));
            return CastGap { normal: -normal, point_a, point_b, primitives, ..gap };
        }
        gap
    }

    fn approach(&self, normal: Vec3) -> Approach {
        let towards = if self.is_swapped { -normal } else { normal };
        let of_triangle = |turn: Vec3| reach(&self.placed, &self.moments[0], self.triangle.from_axis, turn);
        let of_convex = |turn: Vec3| convex_reach(self.convex, &self.moments[1], self.from_axis, turn);
        Approach::of(self.moments.each_ref(), towards, of_triangle, of_convex)
    }

    fn closing(&self, gap: &CastGap) -> f64 {
        match self.is_swapped {
            true => closing(&self.moments, -gap.normal, [gap.point_b, gap.point_a]),
            false => closing(&self.moments, gap.normal, [gap.point_a, gap.point_b]),
        }
    }

    fn touches_at(&mut self, time: f64, meter: &WorkMeter<'_>) -> bool {
        meter.add_pair();
        self.advance_to(time);
        let ([_, length], ..) = self.between();
        // The distance is so small that a distance query, too, gives contact.
        let largest = self.moments[1].pose.max_translation()
            + self.reach[0]
            + self.reach[1]
            + self.moments[0].pose.max_translation();
        length == 0.0 || length <= self.margin - 4.0 * ROUNDING * f64::EPSILON * (largest + self.margin)
    }
}

/// Bounds the offsets of the points of a convex shape along `turn`; `from_axis` bounds their distance from the axis.
/// For a half-space only that bound exists.
pub(crate) fn convex_reach(convex: &Convex, at: &Moment, from_axis: f64, turn: Vec3) -> MotionReach {
    let local = at.pose.rotation().transpose() * turn;
    let farthest = local.try_normalize().and_then(|direction| convex.support(direction));
    let along = farthest.map_or(turn.length() * from_axis, |point| turn.dot(at.pose.place(point) - at.pivot));
    let arm = farthest.map_or(Vec3::splat(from_axis), |point| (at.pose.place(point) - at.pivot).abs());
    let rounding = 16.0 * f64::EPSILON * turn.abs().dot(arm);
    MotionReach { along, from_axis, is_met: farthest.is_some() || local == Vec3::ZERO, rounding }
}
