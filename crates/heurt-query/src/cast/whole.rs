//! Two moving shapes that are asked as they are: convex ones, and whatever meets a half-space.
//!
//! Method: the distance verb at each time, begun where it ended the time before; how fast they come nearer tell the farthest
//! points of convex shapes, the boxes of others. A half-space that turns counts as far as the other shape can get.

use super::advance::{Gap, Pair};
use crate::algo::approach::{Approach, Moment, Mover, Reach};
use crate::algo::placed_convex::along_axes;
use crate::overlap::overlap;
use crate::pair_cache::PairCache;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Core, ShapeRef};

/// One of them.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub shape: ShapeRef<'a>,
    pub mover: Mover<'a>,
    /// Bounds how far its points get from their axis; those that matter, for a half-space.
    pub from_axis: f64,
}

impl<'a> Side<'a> {
    /// A bounded shape; of a half-space only the origin counts.
    pub(crate) fn new(shape: ShapeRef<'a>, mover: Mover<'a>) -> Self {
        let bounds = shape.bounds();
        let from_axis = match bounds.min.is_finite() && bounds.max.is_finite() {
            true => (bounds.centre() - mover.pivot()).length() + bounds.half_extents().length(),
            false => mover.pivot().length(),
        };
        // Room for roundings, and for rotations that stretch.
        let stretch = 1.0 + 1e-9 + 4.0 * (mover.start.defect() + mover.part.map_or(0.0, Pose::defect));
        Self { shape, mover, from_axis: from_axis * stretch }
    }
}

/// Both.
pub(crate) struct Whole<'a> {
    sides: [Side<'a>; 2],
    /// Largest coordinates.
    reach: [f64; 2],
    moments: [Moment; 2],
    cache: PairCache,
    pub work: Work,
}

impl<'a> Whole<'a> {
    pub(crate) fn new(sides: [Side<'a>; 2]) -> Self {
        let reach = sides.each_ref().map(|side| side.shape.reach());
        let moments = sides.each_ref().map(|side| side.mover.at(0.0));
        Self { sides, reach, moments, cache: PairCache::default(), work: Work::default() }
    }
}

impl Pair for Whole<'_> {
    fn gap(&mut self, time: f64) -> Gap {
        self.moments = self.sides.each_ref().map(|side| side.mover.at(time));
        let ([a, b], [at_a, at_b]) = (&self.sides, &self.moments);
        let (found, work) = self.cache.distance_within_counted(a.shape, &at_a.pose, b.shape, &at_b.pose, f64::INFINITY);
        self.work += work;
        let found = found.expect("without a limit there is a distance");
        // What poses round.
        let rounding = a.mover.rounding(self.reach[0], time) + b.mover.rounding(self.reach[1], time);
        Gap {
            length: found.distance,
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

    fn closing(&self, gap: &Gap) -> f64 {
        let [at_a, at_b] = &self.moments;
        gap.normal.dot(at_a.velocity_of(gap.point_a) - at_b.velocity_of(gap.point_b))
    }

    fn meet(&mut self, time: f64) -> bool {
        let ([a, b], [at_a, at_b]) = (&self.sides, self.sides.each_ref().map(|side| side.mover.at(time).pose));
        overlap(a.shape, &at_a, b.shape, &at_b).is_some()
    }
}

/// What the points of a side do at most.
fn reach(side: &Side<'_>, at: &Moment, turn: Vec3) -> Reach {
    let local = along_axes(&at.pose, turn);
    let farthest = match side.shape {
        ShapeRef::Convex(convex) => match (convex.core(), local.try_normalize()) {
            (Core::HalfSpace { .. }, _) | (_, None) => None,
            (_, Some(direction)) => convex.support(direction),
        },
        shape => {
            let bounds = shape.bounds();
            Some(bounds.centre() + bounds.half_extents() * local.map(f64::signum))
        }
    };
    let from_axis = side.from_axis;
    let along = farthest.map_or(turn.length() * from_axis, |point| turn.dot(at.pose.place(point) - at.pivot));
    Reach { along, from_axis }
}
