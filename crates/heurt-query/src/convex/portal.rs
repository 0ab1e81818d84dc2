//! Ray cast through the Minkowski difference of two hulls by portals: the first contact of a translating convex set
//! with another.
//!
//! In: two convex sets given by their support points, in a frame whose z axis is the direction in which the second
//! moves against the first; the range of lengths to search. Out: [`Passage`].
//! Method: the sets meet at z if (0, 0, z) lies in A − B. The simplex method finds the least such z, and generates its
//! columns on demand. A portal is a triangle of points of A − B that the z axis passes through. The support point along
//! its normal bounds z from below, and replaces one of its corners as long as that brings the portal nearer. (The
//! refinement of Snethen's XenoCollide (2008) has the same step from a point inside; here the ray comes from outside,
//! and both bounds are proved.)
//! The first portal has artificial corners, which belong to neither set, around the bounding sphere. They are pushed
//! back as long as they carry the answer.
//! Guarantees: the bounds hold for rounding errors up to the given room, which is subtracted; at most [`MAX_STEPS`]
//! iterations. Not guaranteed: an answer; thin portals give [`Passage::Open`].

use crate::convex::support::{Support, SupportPoint};
use crate::numeric::iteration_limits::{LimitedSearch, bounded};
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_shape::Hull;

/// Maximum number of iterations; hulls of a hundred corners take approximately eight.
const MAX_STEPS: u32 = 40;

/// A frame whose z axis is the direction of a motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VelocityFrame {
    axes: Mat3,
    /// The length of the velocity.
    pub speed: f64,
}

impl VelocityFrame {
    /// Builds the frame of a velocity; `None` if the velocity is too short or too long to be squared.
    #[inline(always)]
    pub(crate) fn new(velocity: Vec3) -> Option<Self> {
        let speed = velocity.length();
        if !(speed > 1e-140 && speed < 1e140) {
            return None;
        }
        let z = velocity / speed;
        let (x, y) = z.any_orthonormal_pair();
        Some(Self { axes: Mat3::from_cols(x, y, z), speed })
    }

    /// Returns the components of a world vector along the axes.
    #[inline(always)]
    pub(crate) fn of_world(&self, v: Vec3) -> Vec3 {
        Vec3::new(self.axes.x_axis.dot(v), self.axes.y_axis.dot(v), self.axes.z_axis.dot(v))
    }

    /// Returns the world vector with the given components along the axes.
    #[inline(always)]
    pub(crate) fn to_world(self, v: Vec3) -> Vec3 {
        self.axes * v
    }

    /// Returns the rotation of a pose, to this frame instead of the world.
    #[inline(always)]
    pub(crate) fn turned(&self, pose: &Pose) -> Mat3 {
        let columns = pose.rotation();
        Mat3::from_cols(self.of_world(columns.x_axis), self.of_world(columns.y_axis), self.of_world(columns.z_axis))
    }
}

/// A hull in the frame of a motion, scaled to a unit.
pub(crate) struct TurnedHull<'a> {
    pub hull: &'a Hull,
    pub turn: Mat3,
    pub at: Vec3,
    pub unit: f64,
}

impl Support for TurnedHull<'_> {
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        let Mat3 { x_axis, y_axis, z_axis } = self.turn;
        let name = self.hull.farthest(Vec3::new(x_axis.dot(direction), y_axis.dot(direction), z_axis.dot(direction)));
        let corner = self.hull.corners()[name as usize];
        SupportPoint { point: self.turn * (corner * self.unit) + self.at, name }
    }

    #[inline(always)]
    fn middle(&self) -> Vec3 {
        self.turn * (self.hull.bounds().centre() * self.unit) + self.at
    }
}

/// A ray query; lengths in the unit of the sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PortalDirection {
    /// Start of the range of the ray to search; an entry before `until` may be proved up to `end`.
    pub from: f64,
    pub until: f64,
    pub end: f64,
    /// Maximum distance before the first contact that counts as near.
    pub tolerance: f64,
    /// Bound of the rounding errors.
    pub room: f64,
    /// Radius of a ball around the difference of the middles that bounds A − B.
    pub radius: f64,
    /// The first normal to search along: a normal of A − B at a possible entry, of any length except 0, z below 0.
    pub first: Option<Vec3>,
}

/// The result of a ray query.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Passage {
    /// The ray does not meet A − B in the range. The vector, if known, is the unit normal of a plane that proves it, z
    /// not above 0.
    Never(Option<Vec3>),
    /// The ray does not enter before `least`, and is provably inside at `most`.
    Meets(Entry),
    /// The ray does not enter before this place.
    Open(f64),
}

/// The entry of a ray into A − B.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// Lower bound of the entry; A and B are near there up to the tolerance.
    pub least: f64,
    /// Upper bound of the entry: the ray is inside there, farther from the boundary than rounding errors.
    pub most: f64,
    /// Unit vector from A to B that separates them at `least`.
    pub normal: Vec3,
    /// The points that meet, as placed at `least`.
    pub on_a: Vec3,
    pub on_b: Vec3,
}

/// A point of A − B and its point of A.
#[derive(Clone, Copy)]
struct PortalCorner {
    w: Vec3,
    a: Vec3,
    /// Whether the point is artificial, of neither set.
    is_made: bool,
}

impl PortalCorner {
    #[inline(always)]
    fn farthest(a: &impl Support, b: &impl Support, direction: Vec3) -> Self {
        let (on_a, on_b) = (a.support(direction).point, b.support(-direction).point);
        Self { w: on_a - on_b, a: on_a, is_made: false }
    }
}

/// A triangle that the z axis passes through, counter-clockwise seen from positive z.
struct Portal([PortalCorner; 3]);

/// Offset of the corners of the first portal behind the middle, in radii. `PUSH`: the first push of corners that carry
/// the answer, in radii, and the factor of each further push.
const BEHIND: f64 = 2.0;
const PUSH: f64 = 8.0;
/// Radius of the ball that gives the first normal, as a share of the bounding ball.
const SEEMING: f64 = 0.7;

impl Portal {
    /// Builds the portal around a ball that the z axis passes through, behind its middle.
    #[inline(always)]
    fn about(middle: Vec3, radius: f64) -> Self {
        let corner = |x: f64, y: f64| {
            let w = middle + Vec3::new(2.0 * x, 2.0 * y, BEHIND) * radius;
            PortalCorner { w, a: Vec3::ZERO, is_made: true }
        };
        let half_of_3 = 0.75f64.sqrt();
        Self([corner(1.0, 0.0), corner(-0.5, half_of_3), corner(-0.5, -half_of_3)])
    }

    /// Returns the normal towards the start of the ray.
    #[inline(always)]
    fn normal(&self) -> Vec3 {
        let [p, q, r] = &self.0;
        (r.w - p.w).cross(q.w - p.w)
    }

    #[inline(always)]
    fn is_made(&self) -> bool {
        self.0.iter().any(|corner| corner.is_made)
    }

    /// Adds a corner, so that the axis still passes through the portal; returns the corner that it replaces.
    #[inline(always)]
    fn take(&mut self, new: PortalCorner) -> PortalCorner {
        let [p, q, r] = [0, 1, 2].map(|k| cross(self.0[k].w, new.w));
        let replaced = if p <= 0.0 && q >= 0.0 {
            2
        } else if q <= 0.0 && r >= 0.0 {
            0
        } else {
            1
        };
        std::mem::replace(&mut self.0[replaced], new)
    }

    /// Returns the weight of each corner in the point on the axis.
    #[inline(always)]
    fn shares(&self) -> [f64; 3] {
        let [p, q, r] = [0, 1, 2].map(|k| cross(self.0[(k + 1) % 3].w, self.0[(k + 2) % 3].w));
        let whole = p + q + r;
        [p / whole, q / whole, r / whole]
    }

    /// Tests whether a place of the axis is in the tetrahedron over the portal to another point, farther from its
    /// boundary than `room`.
    #[inline(always)]
    fn holds(&self, top: Vec3, place: f64, room: f64) -> bool {
        let at = Vec3::new(0.0, 0.0, place);
        let [p, q, r] = self.0.map(|corner| corner.w);
        let is_behind = |a: Vec3, b: Vec3, c: Vec3, other: Vec3| {
            let normal = (b - a).cross(c - a);
            let (inner, own) = (normal.dot(other - a), normal.dot(at - a));
            own * inner.signum() > room * normal.length()
        };
        is_behind(p, q, r, top) && is_behind(p, q, top, r) && is_behind(q, r, top, p) && is_behind(r, p, top, q)
    }
}

/// Returns twice the area of the triangle of the axis and two points, seen along the axis.
#[inline(always)]
fn cross(p: Vec3, q: Vec3) -> f64 {
    p.x * q.y - p.y * q.x
}

/// Finds the entry of the ray along the z axis into A − B.
#[inline(always)]
pub(crate) fn passage(a: &impl Support, b: &impl Support, ray: &PortalDirection) -> Passage {
    let middle = a.middle() - b.middle();
    let aside_sq = middle.x * middle.x + middle.y * middle.y;
    // Rounding errors are added before the root, which magnifies them.
    let radius = (ray.radius + ray.room) * (1.0 + 1e-9);
    let rest = radius * radius - aside_sq;
    // Written so that `NaN` proves nothing.
    if rest < 0.0 {
        return Passage::Never(None);
    }
    let half = rest.sqrt() * (1.0 + 1e-9) + ray.room;
    if middle.z - half > ray.until || middle.z + half < ray.from {
        return Passage::Never(None);
    }
    let mut portal = Portal::about(middle, radius);
    let mut normal = ray.first.unwrap_or_else(|| first_normal(middle, radius));
    let (mut least, mut push, mut is_first, mut behind) = (ray.from, PUSH * radius, true, None);
    for _ in bounded(LimitedSearch::Portal, MAX_STEPS) {
        let new = PortalCorner::farthest(a, b, normal);
        let length = normal.length();
        // A − B lies behind the plane, so the ray does not enter before the plane.
        let bound = (normal.dot(new.w) + ray.room * length) / normal.z;
        if bound > ray.until {
            return Passage::Never(Some(normal / length));
        }
        least = if bound > least { bound } else { least };
        let most = normal.dot(portal.0[0].w) / normal.z;
        let is_made = portal.is_made();
        if !is_first && !is_made && most - bound <= 0.25 * ray.tolerance {
            return entered(a, b, ray, &portal, behind, normal / length, [bound, most]);
        }
        let gained = normal.dot(new.w - portal.0[0].w);
        if is_first || gained > 4.0 * ray.room * length {
            is_first = false;
            behind = Some(portal.take(new)).filter(|old| !old.is_made).or(behind);
        } else if is_made {
            let across = Vec3::new(normal.x, normal.y, 0.0);
            let beside = PortalCorner::farthest(a, b, across).w.dot(across);
            if beside + ray.room * across.length() < 0.0 {
                return Passage::Never(Some(across / across.length()));
            }
            portal.0.iter_mut().filter(|corner| corner.is_made).for_each(|corner| corner.w.z += push);
            push *= PUSH;
        } else {
            return Passage::Open(least);
        }
        normal = portal.normal();
        let is_towards = normal.z < 0.0;
        if !is_towards {
            return Passage::Open(least);
        }
    }
    Passage::Open(least)
}

/// Returns the normal at the entry into a ball that is a little smaller.
#[inline(always)]
fn first_normal(middle: Vec3, radius: f64) -> Vec3 {
    let (x, y) = (-middle.x / (SEEMING * radius), -middle.y / (SEEMING * radius));
    let square = x * x + y * y;
    let steep = if square < 0.9 { (1.0 - square).sqrt() } else { 0.3 };
    Vec3::new(x, y, -steep)
}

/// Builds the answer from a portal that is a part of the boundary, up to the tolerance; `behind` is a point behind it,
/// if one is known.
#[inline(always)]
fn entered(
    a: &impl Support,
    b: &impl Support,
    ray: &PortalDirection,
    portal: &Portal,
    behind: Option<PortalCorner>,
    normal: Vec3,
    [bound, most]: [f64; 2],
) -> Passage {
    // Contacts to the last bit are the hardest to decide: a remaining gap avoids them.
    let least = bound - 0.25 * ray.tolerance;
    let inside = most + 0.25 * ray.tolerance - 2.0 * ray.room / normal.z;
    if !(least > ray.from && inside <= ray.end) {
        return Passage::Open(if bound > ray.from { bound } else { ray.from });
    }
    let is_held = |top: PortalCorner| portal.holds(top.w, inside, ray.room);
    if !behind.is_some_and(is_held) && !is_held(PortalCorner::farthest(a, b, -normal)) {
        return Passage::Open(bound);
    }
    let shares = portal.shares();
    // Written so that `NaN` gives no answer.
    if !shares.iter().all(|&share| share >= -4.0 * f64::EPSILON) {
        return Passage::Open(bound);
    }
    let on_a: Vec3 = portal.0.iter().zip(shares).map(|(corner, share)| corner.a * share).sum();
    let on_b = on_a - Vec3::new(0.0, 0.0, most - least);
    Passage::Meets(Entry { least, most: inside, normal, on_a, on_b })
}

#[cfg(test)]
mod tests {
    use super::{Passage, PortalDirection, TurnedHull, VelocityFrame, passage};
    use crate::convex::support::Counted;
    use heurt_geometry::{Pose, Vec3};
    use heurt_shape::{Convex, Core};
    use heurt_testkit::number::random::Random;
    use std::cell::Cell;

    #[test]
    fn a_ray_takes_few_steps() {
        let mut random = Random::new(23);
        for (corners, most) in [(8, 12), (32, 14), (128, 16), (1000, 20)] {
            let mut hull = || {
                let points: Vec<Vec3> = (0..corners).map(|_| random.vector(1.0).normalize()).collect();
                Convex::hull(&points).unwrap()
            };
            let shapes = [hull(), hull()];
            let [Core::Hull(x), Core::Hull(y)] = shapes.each_ref().map(|shape| shape.core()) else { panic!("hulls") };
            let (mut steps, mut hits, mut open) = ([0, 0], 0, 0);
            for _ in 0..1000 {
                let (p, q) = (random.pose(1.0), random.pose(1.0));
                let start = random.vector(1.0).normalize() * 4.0;
                let frame = VelocityFrame::new(random.vector(2.0) - start).unwrap();
                let q = Pose::from_matrix(*q.rotation(), start).unwrap();
                let placed = |hull, pose: &Pose| TurnedHull {
                    hull,
                    turn: frame.turned(pose),
                    at: frame.of_world(pose.translation()),
                    unit: 1.0,
                };
                let p = Pose::from_matrix(*p.rotation(), Vec3::ZERO).unwrap();
                let (a, b) = (Counted(placed(x, &p), Cell::new(0)), placed(y, &q));
                let ray = PortalDirection {
                    from: 0.0,
                    until: 8.0,
                    end: 8.0,
                    tolerance: 1e-6,
                    room: 1e-13,
                    radius: 4.0,
                    first: None,
                };
                match passage(&a, &b, &ray) {
                    Passage::Never(_) => steps[0] += a.1.get(),
                    Passage::Meets(_) => (steps[1], hits) = (steps[1] + a.1.get(), hits + 1),
                    Passage::Open(_) => open += 1,
                }
            }
            let means = [steps[0] as f64 / (1000 - hits - open) as f64, steps[1] as f64 / f64::from(hits)];
            println!("{corners} corners: {means:.2?} farthest points a miss and a hit, {hits} hits, {open} left open");
            assert!(means[0].max(means[1]) <= f64::from(most) && open == 0, "{corners}: {means:?}, {open} left open");
        }
    }
}
