//! Cast of two moving triangles, with margins.
//!
//! Method: nearest points of triangles, and their gap along the direction between them.

use crate::answer::budget::WorkMeter;
use crate::cast::conservative_advancement::{AdvancingPair, CastGap};
use crate::motion::approach::{Approach, Moment, MotionReach, Mover, closing};
use crate::triangle::distance::{ROUNDING, largest, nearest_points, separating_direction};
use heurt_geometry::{Triangle, Vec3, robust_normalize, triangles_intersect};

/// Share of the largest coordinate below which the offset of two points gives no direction.
const CLOSE: f64 = 1e-6;

/// A triangle in the frame of a moving shape.
#[derive(Clone, Copy)]
pub(crate) struct MovingTriangle<'a> {
    pub mover: Mover<'a>,
    pub corners: Triangle,
    /// Bounds the distance of its points from their axis.
    pub from_axis: f64,
}

/// A pair of triangles; they meet if their distance is at most `margin`.
pub(crate) struct CastTriangles<'a> {
    pub sides: [MovingTriangle<'a>; 2],
    pub margin: f64,
    /// The reaches of the shapes that contain the triangles.
    pub reach: [f64; 2],
    pub names: [u32; 2],
    pub moments: [Moment; 2],
    pub placed: [Triangle; 2],
}

impl CastTriangles<'_> {
    /// Computes the rounding error of the poses.
    fn rounding(&self, time: f64) -> f64 {
        self.sides.iter().zip(self.reach).map(|(side, reach)| side.mover.rounding(reach, time)).sum()
    }

    fn place(&self, time: f64) -> ([Moment; 2], [Triangle; 2]) {
        let moments = self.sides.each_ref().map(|side| side.mover.at(time));
        let placed = [0, 1].map(|k| self.sides[k].corners.map(|corner| moments[k].pose.place(corner)));
        (moments, placed)
    }
}

impl AdvancingPair for CastTriangles<'_> {
    fn gap(&mut self, time: f64, meter: &WorkMeter<'_>) -> CastGap {
        meter.add_pair();
        (self.moments, self.placed) = self.place(time);
        let [x, y] = self.placed;
        let nearest = nearest_points(&x, &y);
        let normal = match nearest.distance > CLOSE * largest(&x, &y) {
            true => robust_normalize(nearest.on_y - nearest.on_x).unwrap_or(Vec3::ZERO),
            false => separating_direction(&x, &y, &nearest),
        };
        let margin = self.margin * (1.0 + ROUNDING);
        CastGap {
            length: (nearest.distance - self.margin).max(0.0),
            at_least: between(&x, &y, normal) - nearest.error - margin - self.rounding(time),
            normal,
            point_a: nearest.on_x,
            point_b: nearest.on_y,
            primitives: Some(self.names),
        }
    }

    fn approach(&self, normal: Vec3) -> Approach {
        let reach =
            |k: usize| move |turn: Vec3| reach(&self.placed[k], &self.moments[k], self.sides[k].from_axis, turn);
        Approach::of(self.moments.each_ref(), normal, reach(0), reach(1))
    }

    fn closing(&self, gap: &CastGap) -> f64 {
        closing(&self.moments, gap.normal, [gap.point_a, gap.point_b])
    }

    fn touches_at(&mut self, time: f64, meter: &WorkMeter<'_>) -> bool {
        meter.add_pair();
        let (_, [x, y]) = self.place(time);
        if triangles_intersect(&x, &y) {
            return true;
        }
        if self.margin == 0.0 {
            return false;
        }
        // The distance is so small that a distance query, too, gives contact.
        let nearest = nearest_points(&x, &y);
        nearest.distance <= self.margin - 2.0 * (nearest.error + ROUNDING * self.margin)
    }
}

/// Computes the gap of two triangles along a unit vector from the first to the second.
pub(crate) fn between(x: &Triangle, y: &Triangle, normal: Vec3) -> f64 {
    // Relative to a corner, so that nothing large cancels; an eighth, so that nothing is out of range.
    let along = |corner: &Vec3| normal.dot(*corner * 0.125 - x[0] * 0.125);
    let nearest = y.iter().map(along).fold(f64::INFINITY, f64::min);
    (nearest - x.iter().map(along).fold(f64::NEG_INFINITY, f64::max)) * 8.0
}

/// Bounds the offsets of the corners of a placed triangle along `turn`; they are at most `from_axis` from their axis.
#[inline(always)]
pub(crate) fn reach(placed: &Triangle, at: &Moment, from_axis: f64, turn: Vec3) -> MotionReach {
    let arms = placed.map(|corner| corner - at.pivot);
    let [x, y, z] = arms.map(|arm| turn.dot(arm));
    let larger = if x > y { x } else { y };
    let [a, b, c] = arms.map(Vec3::abs);
    let rounding = 8.0 * f64::EPSILON * turn.abs().dot(a.max(b).max(c));
    MotionReach { along: if larger > z { larger } else { z }, from_axis, is_met: true, rounding }
}

/// Computes the largest distance of the corners of a placed triangle from their axis of rotation.
pub(crate) fn from_axis(placed: &Triangle, at: &Moment) -> f64 {
    if at.spin_rate == 0.0 {
        return 0.0;
    }
    let axis = at.spin / at.spin_rate;
    let farthest =
        placed.iter().fold(0.0, |most, &corner| f64::max(most, (corner - at.pivot).cross(axis).length_squared()));
    // Placed corners, and so their distance from the axis, have an error of placement: a few ε of the sum of
    // magnitudes, the span of the pose included. That error is not added here. Rotation keeps lengths, so corners
    // slightly off the true ones move as the true ones do, to within twice that error at any time. `Mover::rounding`,
    // 32 ε of the same sum, is subtracted from every gap for it. If the square underflows, the triangle is within
    // rounding error of the axis.
    farthest.sqrt() * (1.0 + 1e-12) + f64::MIN_POSITIVE
}
