//! A ray against a superquadric: the first place where its norm falls to 1.
//!
//! Method: the piece of the ray in the box around the shape is cut where it crosses a plane of the axes, then in
//! halves. A piece is dropped where the norm is provably above 1, by its bounds or those of its change; where it
//! changes in one direction only, its ends decide. A passage is narrowed by false position (Illinois), and every third
//! step halves. With a margin the ray goes on by the free distance, as far as that leads.
//! Convex superellipsoids without a margin are superquadrics here: their norm costs a tenth of the distance from them.
//! Guarantees: no crossing is missed that is more than 16 ulp of the largest coordinate deep, as long as
//! [`MAX_PIECES`] do; what is left then is a hit whose `error` reaches to its end.
//! Cost: some ten pieces, more where it grazes.

use crate::answer::ray::{Ray, RayHit};
use crate::closest::closest_counted;
use crate::superquadric::{holds, seen_from};
use heurt_bvh::Work;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_mesh::generate::Superellipsoid;
use heurt_shape::{Convex, Core, Round, ShapeRef, Superquadric, SuperquadricShape};
use smallvec::SmallVec;

/// Pieces of a ray that are searched, at most.
const MAX_PIECES: usize = 1 << 14;
/// Steps towards what has a margin, at most.
const MAX_STEPS: usize = 512;
/// Rounding error, in ε of the largest coordinate.
const ROUNDING: f64 = 16.0;
/// Length of a piece around a passage that is not narrowed, as a share of the rounding error of coordinates.
const NARROW: f64 = 1.0 / 16.0;

/// Returns a convex superellipsoid without a margin as a superquadric; `None` for all other convex shapes.
pub(super) fn as_superquadric(convex: &Convex) -> Option<SuperquadricShape> {
    let Core::Round(Round::Superellipsoid { radii, n1, n2 }) = *convex.core() else { return None };
    let surface = Superellipsoid::new(radii.to_array(), n1, n2).ok().filter(|_| convex.margin() == 0.0)?;
    Some(Superquadric::Ellipsoid(surface).into())
}

/// The first point of a placed superquadric on a ray of normalised direction.
pub(super) fn superquadric_ray(a: &SuperquadricShape, pose: &Pose, ray: &Ray, work: &mut Work) -> Option<RayHit> {
    if a.margin() > 0.0 {
        return by_steps(a, pose, ray, work);
    }
    if holds(a.surface(), pose, ray.origin) {
        return Some(at_start(ray));
    }
    let along = SurfaceAlongRay::new(a.surface(), pose, ray);
    Some(along.hit(pose, ray, along.first(ray.max_t, work)?))
}

/// All passages of a ray of normalised direction through the surface of a superquadric without a margin, by distance.
pub(super) fn superquadric_crossings(a: &SuperquadricShape, pose: &Pose, ray: &Ray, work: &mut Work) -> Vec<RayHit> {
    let along = SurfaceAlongRay::new(a.surface(), pose, ray);
    along.all(ray.max_t, work).into_iter().map(|passage| along.hit(pose, ray, passage)).collect()
}

fn at_start(ray: &Ray) -> RayHit {
    let normal = -ray.direction.normalize();
    RayHit { t: 0.0, point: ray.origin, normal, primitive: 0, error: 0.0 }
}

/// A ray in the frame of a surface.
struct SurfaceAlongRay<'a> {
    surface: &'a Superquadric,
    origin: Vec3,
    direction: Vec3,
    /// Rounding error of coordinates.
    room: f64,
}

impl<'a> SurfaceAlongRay<'a> {
    fn new(surface: &'a Superquadric, pose: &Pose, ray: &Ray) -> Self {
        let largest = surface.bounds().max.max_element() + pose.max_translation() + ray.origin.abs().max_element();
        Self {
            surface,
            origin: seen_from(pose, ray.origin),
            direction: pose.rotation().inverse() * ray.direction,
            room: ROUNDING * f64::EPSILON * largest,
        }
    }

    /// Returns the hit at a parameter with an error.
    fn hit(&self, pose: &Pose, ray: &Ray, (t, open): (f64, f64)) -> RayHit {
        let normal = self.surface.normal(self.at(t)).unwrap_or_else(|| -self.direction.normalize());
        // If the ray grazes, a small offset to the side is a large one along it.
        let slope = normal.dot(self.direction).abs();
        let most = self.surface.bounds().half_extents().length();
        let error = open + if slope > 0.0 { (2.0 * self.room / slope).min(most) } else { self.room };
        let normal = (*pose.rotation() * normal).normalize_or_zero();
        RayHit { t, point: ray.origin + ray.direction * t, normal, primitive: 0, error }
    }

    fn at(&self, t: f64) -> Vec3 {
        self.origin + self.direction * t
    }

    /// The parameter at which the norm first falls to 1, and its error; the norm begins above.
    fn first(&self, max: f64, work: &mut Work) -> Option<(f64, f64)> {
        let (from, to) = self.in_box(max)?;
        // The last first, so that the stack gives out the nearest.
        let mut open = self.pieces(from, to);
        for _ in 0..MAX_PIECES {
            let [from, to] = open.pop()?;
            work.primitives += 1;
            match self.look(from, to) {
                SeenSurface::Outside => {}
                SeenSurface::Crossing => return Some(self.passage(from, to, false)),
                SeenSurface::Open => {
                    let middle = 0.5 * (from + to);
                    if middle <= from || middle >= to || (to - from) * self.direction.abs().max_element() <= self.room {
                        if self.surface.norm(self.at(middle)) <= 1.0 + self.slack() {
                            return Some((from, to - from));
                        }
                        continue;
                    }
                    open.extend([[middle, to], [from, middle]]);
                }
            }
        }
        let rest = [open.last()?[0], open.first()?[1]];
        Some((rest[0], rest[1] - rest[0]))
    }

    /// All parameters at which the norm passes through 1, ascending, each with how far it may be off.
    fn all(&self, max: f64, work: &mut Work) -> Vec<(f64, f64)> {
        let Some((from, to)) = self.in_box(max) else { return Vec::new() };
        let mut open: Vec<[f64; 2]> = self.pieces(from, to);
        let mut found = Vec::new();
        for _ in 0..MAX_PIECES {
            let Some([from, to]) = open.pop() else { break };
            work.primitives += 1;
            let middle = 0.5 * (from + to);
            let is_short =
                middle <= from || middle >= to || (to - from) * self.direction.abs().max_element() <= self.room;
            match self.passages_within(from, to) {
                Passages::None => {}
                Passages::Many if !is_short => open.extend([[middle, to], [from, middle]]),
                Passages::One | Passages::Many => {
                    let [start, end] = [from, to].map(|t| self.surface.norm(self.at(t)) <= 1.0);
                    if start != end {
                        found.push(self.passage(from, to, start));
                    }
                }
            }
        }
        found
    }

    /// Bounds the number of times that the norm passes through 1 in a piece that crosses no plane.
    fn passages_within(&self, from: f64, to: f64) -> Passages {
        let (start, end) = (self.at(from), self.at(to));
        let bounds = Aabb { min: start.min(end), max: start.max(end) };
        let [norm, change] = self.surface.norm_within(&bounds, self.direction);
        let slack = self.slack();
        if norm[0] > 1.0 + slack || norm[1] < 1.0 - slack {
            return Passages::None;
        }
        if change[0] >= 0.0 || change[1] <= 0.0 { Passages::One } else { Passages::Many }
    }

    /// The parameter at which the norm passes through 1, from `inside` at the beginning to its opposite at the end, and
    /// its error.
    fn passage(&self, mut from: f64, mut to: f64, inside: bool) -> (f64, f64) {
        let value = |t: f64| self.surface.norm(self.at(t)) - 1.0;
        let (mut start, mut end, mut last) = (value(from), value(to), None);
        for step in 0_u32.. {
            let middle = 0.5 * (from + to);
            let is_short = (to - from) * self.direction.abs().max_element() <= NARROW * self.room;
            if is_short || middle <= from || middle >= to {
                break;
            }
            let secant = from + (to - from) * (start / (start - end));
            let t = if step % 3 < 2 && from < secant && secant < to { secant } else { middle };
            let found = value(t);
            let is_before = (found <= 0.0) == inside;
            // The value at an end that stays twice is halved, so that the next secant ends beyond the passage.
            let weight = if last == Some(is_before) { 0.5 } else { 1.0 };
            if is_before {
                (from, start, end) = (t, found, weight * end);
            } else {
                (to, end, start) = (t, found, weight * start);
            }
            last = Some(is_before);
        }
        (to, to - from)
    }

    /// The piece in the box, cut where it crosses a plane of the axes, the last piece first.
    fn pieces(&self, from: f64, to: f64) -> Vec<[f64; 2]> {
        let mut ends: SmallVec<[f64; 5]> = SmallVec::from_iter([from, to]);
        let crossings = (0..3).map(|axis| -self.origin[axis] / self.direction[axis]);
        ends.extend(crossings.filter(|&t| t > from && t < to));
        ends.sort_by(|x, y| y.total_cmp(x));
        ends.windows(2).map(|pair| [pair[1], pair[0]]).collect()
    }

    /// The piece in the box around the shape.
    fn in_box(&self, max: f64) -> Option<(f64, f64)> {
        let bounds = self.surface.bounds();
        let (mut from, mut to) = (0.0f64, max);
        for axis in 0..3 {
            let (low, high) = (bounds.min[axis] - self.room, bounds.max[axis] + self.room);
            let (origin, step) = (self.origin[axis], self.direction[axis]);
            if step == 0.0 {
                if origin < low || origin > high {
                    return None;
                }
                continue;
            }
            let (first, second) = ((low - origin) / step, (high - origin) / step);
            from = from.max(first.min(second));
            to = to.min(first.max(second));
        }
        (from <= to).then_some((from, to))
    }

    /// Rounding error of the norm.
    fn slack(&self) -> f64 {
        self.room / self.surface.bounds().max.min_element()
    }

    /// Whether the norm falls to 1 in a piece that crosses no plane.
    fn look(&self, from: f64, to: f64) -> SeenSurface {
        let (start, end) = (self.at(from), self.at(to));
        let bounds = Aabb { min: start.min(end), max: start.max(end) };
        let [norm, change] = self.surface.norm_within(&bounds, self.direction);
        if norm[0] > 1.0 + self.slack() {
            return SeenSurface::Outside;
        }
        let (at_start, at_end) = (self.surface.norm(start), self.surface.norm(end));
        if change[0] >= 0.0 && at_start > 1.0 || change[1] <= 0.0 && at_end > 1.0 {
            return SeenSurface::Outside;
        }
        if change[1] <= 0.0 && at_start >= 1.0 && at_end <= 1.0 {
            return SeenSurface::Crossing;
        }
        let steepest = change[0].abs().max(change[1].abs());
        let between = 0.5 * (at_start + at_end - steepest * (to - from));
        if between > 1.0 + self.slack() { SeenSurface::Outside } else { SeenSurface::Open }
    }
}

/// The greatest number of passages of the norm through 1 on a piece of a ray.
enum Passages {
    None,
    One,
    Many,
}

/// Bounds of the norm on a piece of a ray.
enum SeenSurface {
    Outside,
    Crossing,
    Open,
}

/// Towards all that is within the margin, by what is provably free.
fn by_steps(a: &SuperquadricShape, pose: &Pose, ray: &Ray, work: &mut Work) -> Option<RayHit> {
    let bounds = ShapeRef::Superquadric(a).bounds_at(pose);
    let speed = ray.direction.length();
    // From where it comes near to where it has passed.
    let past = ((bounds.centre() - ray.origin).length() + bounds.half_extents().length()) / speed;
    let largest = a.bounds().max.max_element() + pose.max_translation() + ray.origin.abs().max_element();
    let room = 64.0 * f64::EPSILON * largest;
    let mut at = 0.0;
    for step in 0..MAX_STEPS {
        let point = ray.origin + ray.direction * at;
        let (found, done) = closest_counted(a, pose, point);
        *work += done;
        let signed = found.signed_distance.unwrap_or(found.distance);
        if step == 0 && signed <= 0.0 {
            return Some(at_start(ray));
        }
        let free = signed - found.error;
        if free <= room || step + 1 == MAX_STEPS {
            let normal = outward(a, pose, point);
            let error = (signed.abs() + found.error + room) / speed;
            let slope = normal.map_or(1.0, |normal| normal.dot(ray.direction).abs() / speed);
            let error = if slope > 0.0 { (error / slope).min(past) } else { past };
            let normal = normal.unwrap_or_else(|| -ray.direction.normalize());
            return (at <= ray.max_t).then_some(RayHit { t: at, point, normal, primitive: 0, error });
        }
        at += free / speed;
        if at > ray.max_t || at > past {
            return None;
        }
    }
    None
}

/// Out of the margin at a point of its boundary: away from the core.
pub(super) fn outward(a: &SuperquadricShape, pose: &Pose, point: Vec3) -> Option<Vec3> {
    let core = SuperquadricShape::from(*a.surface());
    let (found, _) = closest_counted(&core, pose, point);
    (point - found.point).try_normalize()
}
