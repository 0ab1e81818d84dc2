//! Tubes round torus knots: a round tube whose centre line winds p times round the axis and q times round the ring.
//!
//! In: p and q, the radii of the ring, of the winding and of the tube in metres. Out: a closed mesh of genus one.
//! Method: the centre line is C(t) = ((R + r cos qt) cos pt, (R + r cos qt) sin pt, r sin qt). Rings are in its normal
//! planes, at equal steps of t. Their frames turn as little as possible (double reflection: Wang, Jüttler, Zheng and
//! Liu 2008); the angle by which the last frame misses the first one is spread evenly over the rings.
//! The tube is embedded if its radius is below the least radius of curvature and below half of the least distance of
//! two windings (Litherland, Simon, Durumeric and Rawdon 1999). A shift of t by 2π/q is a rotation, so one period is
//! searched for both. A point of the mesh is at most the sagitta κ s²/8 of a step of length s further out than the
//! tube, and counts so.
//! Guarantees: a tube that would meet itself is refused, as are rings that cross; vertices lie on the exact tube.
//! Cost: O(triangles + max(p, q)²/q).

use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::circle::direction;
use crate::generate::error::Limits;
use crate::generate::solid::round::MIN_RATIO;
use crate::generate::surface::{Station, lofted};
use heurt_geometry::{DisplayNumber, Vec3};
use std::f64::consts::TAU;

/// The largest number of windings, so that the search for near windings is short.
const MAX_WINDINGS: u32 = 100;

/// Samples of a period for the curvature. A missed maximum is below it by less than 1e-5.
const CURVATURE_SAMPLES: u32 = 4096;

/// Samples of a winding for distances; minima between them are refined.
const DISTANCE_SAMPLES: u32 = 64;

/// Halvings of an interval between samples.
const REFINEMENTS: u32 = 48;

/// The centre line.
#[derive(Clone, Copy)]
struct Knot {
    p: f64,
    q: f64,
    ring: f64,
    winding: f64,
}

/// Makes a tube round the (p, q) torus knot: `windings` p times round the z axis and q times round the ring.
///
/// `ring_radius` and `winding_radius` are the radii of the torus that has the centre line on it, `tube_radius` the
/// radius of the tube. There are `segments` steps along the centre line and `tube_segments` steps around the tube, 2 ·
/// `segments` · `tube_segments` triangles. (2, 3) and (3, 2) are trefoils; with p or q equal to 1 there is no knot.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// let trefoil = generate::torus_knot([2, 3], 1.0, 0.4, 0.15, 192, 16)?;
/// assert_eq!((trefoil.triangles().len(), measures(&trefoil).genus), (2 * 192 * 16, Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError`] when p and q have a common divisor, or one is 0 or above 100; when a radius is no positive length,
/// or one of the winding or the tube not below the ring; when the tube meets itself or is wider than its bends; for
/// fewer than 3 or too many segments, and for steps so long that rings cross.
pub fn torus_knot(
    windings: [u32; 2],
    ring_radius: f64,
    winding_radius: f64,
    tube_radius: f64,
    segments: u32,
    tube_segments: u32,
) -> Result<TriMesh, GenerateError> {
    let limits = Limits("torus_knot");
    check_windings(limits, windings)?;
    limits.length("ring_radius", ring_radius)?;
    limits.length("winding_radius", winding_radius)?;
    limits.length("tube_radius", tube_radius)?;
    limits.below("winding_radius", winding_radius, MIN_RATIO * ring_radius, ("ring_radius", ring_radius))?;
    limits.below("tube_radius", tube_radius, MIN_RATIO * ring_radius, ("ring_radius", ring_radius))?;
    limits.at_least("segments", segments, 3)?;
    limits.at_least("tube_segments", tube_segments, 3)?;
    limits.triangles(2u64.saturating_mul(segments.into()).saturating_mul(tube_segments.into()))?;
    let [p, q] = windings.map(f64::from);
    // A unit in which the ring has radius 1 keeps all products in range.
    let knot = Knot { p, q, ring: 1.0, winding: winding_radius / ring_radius };
    check_width(limits, &knot, windings, (tube_radius, ring_radius), segments)?;
    let rings = rings(&knot, tube_radius / ring_radius, segments, tube_segments);
    check_steps(limits, &knot, &rings)?;
    let scaled = |ring: Vec<Vec3>| Station::Ring(ring.into_iter().map(|point| point * ring_radius).collect());
    lofted(rings.into_iter().map(scaled), true)
}

/// Checks that the knot is one closed curve with few windings.
fn check_windings(limits: Limits, [p, q]: [u32; 2]) -> Result<(), GenerateError> {
    for (parameter, value) in [("p", p), ("q", q)] {
        if !(1..=MAX_WINDINGS).contains(&value) {
            return Err(limits.refuse(parameter, value.into(), format!("a whole number from 1 to {MAX_WINDINGS}")));
        }
    }
    let (mut divisor, mut rest) = (p, q);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    if divisor == 1 {
        return Ok(());
    }
    let legal = format!("a number without a common divisor with p, which is {p}; both have {divisor}");
    Err(limits.refuse("q", q.into(), legal))
}

/// Checks that the tube does not meet itself.
fn check_width(
    limits: Limits,
    knot: &Knot,
    windings: [u32; 2],
    (tube, scale): (f64, f64),
    segments: u32,
) -> Result<(), GenerateError> {
    let period = TAU / knot.q;
    let samples = (0..CURVATURE_SAMPLES).map(|k| period * f64::from(k) / f64::from(CURVATURE_SAMPLES));
    let (mut curvature, mut sagitta): (f64, f64) = (0.0, 0.0);
    for t in samples {
        let bend = knot.curvature(t);
        let step = knot.velocity(t).length() * TAU / f64::from(segments);
        curvature = curvature.max(bend);
        sagitta = sagitta.max(bend * step * step / 8.0);
    }
    let room = |widest: f64| widest * (1.0 - 1e-5) - sagitta;
    let refuse = |widest: f64, why: &str| {
        let legal = match room(widest) {
            room if room > 0.0 => format!("less than {}, {why} in {segments} segments", DisplayNumber(room * scale)),
            _ => {
                return limits.refuse(
                    "segments",
                    segments.into(),
                    "more: the steps are longer than the bends are wide",
                );
            }
        };
        limits.refuse("tube_radius", tube, legal)
    };
    if tube / scale >= room(1.0 / curvature) {
        return Err(refuse(1.0 / curvature, "the radius of the sharpest bend"));
    }
    let gap = 0.5 * knot.least_distance(windings);
    if tube / scale >= room(gap) {
        return Err(refuse(gap, "half of the distance between windings"));
    }
    Ok(())
}

/// Makes the rings of the tube, counter-clockwise seen from ahead.
fn rings(knot: &Knot, tube: f64, segments: u32, tube_segments: u32) -> Vec<Vec<Vec3>> {
    let at = |k: u32| TAU * f64::from(k) / f64::from(segments);
    let mut normals = Vec::with_capacity(segments as usize + 1);
    let start = knot.velocity(0.0).normalize();
    let first = start.any_orthonormal_vector();
    normals.push(first);
    for k in 0..segments {
        let last = normals[k as usize];
        normals.push(transported(knot, last, at(k), at(k + 1)));
    }
    let end = normals[segments as usize];
    let miss = libm::atan2(start.dot(end.cross(first)), end.dot(first));
    let ring = |k: u32| {
        let (centre, ahead) = (knot.point(at(k)), knot.velocity(at(k)).normalize());
        let normal = normals[k as usize];
        let across = ahead.cross(normal);
        let twist = miss * f64::from(k) / f64::from(segments);
        let (cos, sin) = (libm::cos(twist), libm::sin(twist));
        let (u, v) = ((normal * cos + across * sin) * tube, (across * cos - normal * sin) * tube);
        let place = |i: u32| {
            let (cos, sin) = direction(i.into(), tube_segments.into());
            centre + u * cos + v * sin
        };
        (0..tube_segments).map(place).collect()
    };
    (0..segments).map(ring).collect()
}

/// Moves a normal along a step with as little turn as possible: two reflections.
fn transported(knot: &Knot, normal: Vec3, from: f64, to: f64) -> Vec3 {
    let reflected = |vector: Vec3, across: Vec3| vector - across * (2.0 * across.dot(vector) / across.length_squared());
    let chord = knot.point(to) - knot.point(from);
    let (ahead, next) = (knot.velocity(from).normalize(), knot.velocity(to).normalize());
    let turned = reflected(normal, chord);
    let difference = next - reflected(ahead, chord);
    let turned = if difference.length_squared() > 1e-30 { reflected(turned, difference) } else { turned };
    // Rounding leaves a part along the curve.
    (turned - next * next.dot(turned)).normalize()
}

/// Checks that each ring is ahead of the plane of the ring before it, and behind the plane of the ring after it.
fn check_steps(limits: Limits, knot: &Knot, rings: &[Vec<Vec3>]) -> Result<(), GenerateError> {
    let count = rings.len();
    let plane = |k: usize| {
        let t = TAU * k as f64 / count as f64;
        (knot.point(t), knot.velocity(t))
    };
    for k in 0..count {
        let next = (k + 1) % count;
        let ((from, ahead), (to, after)) = (plane(k), plane(next));
        let is_ordered = rings[next].iter().all(|point| (*point - from).dot(ahead) > 0.0)
            && rings[k].iter().all(|point| (*point - to).dot(after) < 0.0);
        if !is_ordered {
            return Err(limits.refuse("segments", count as f64, "more: rings of the tube cross"));
        }
    }
    Ok(())
}

impl Knot {
    fn point(&self, t: f64) -> Vec3 {
        let [(sin_p, cos_p), (sin_q, cos_q)] = [self.p * t, self.q * t].map(libm::sincos);
        let reach = self.ring + self.winding * cos_q;
        Vec3::new(reach * cos_p, reach * sin_p, self.winding * sin_q)
    }

    fn velocity(&self, t: f64) -> Vec3 {
        let [(sin_p, cos_p), (sin_q, cos_q)] = [self.p * t, self.q * t].map(libm::sincos);
        let reach = self.ring + self.winding * cos_q;
        let outward = -self.winding * self.q * sin_q;
        let along = reach * self.p;
        Vec3::new(outward * cos_p - along * sin_p, outward * sin_p + along * cos_p, self.winding * self.q * cos_q)
    }

    fn acceleration(&self, t: f64) -> Vec3 {
        let [(sin_p, cos_p), (sin_q, cos_q)] = [self.p * t, self.q * t].map(libm::sincos);
        let reach = self.ring + self.winding * cos_q;
        let [p, q] = [self.p, self.q];
        let outward = -self.winding * q * q * cos_q - reach * p * p;
        let along = -2.0 * self.winding * p * q * sin_q;
        let up = -self.winding * q * q * sin_q;
        Vec3::new(outward * cos_p - along * sin_p, outward * sin_p + along * cos_p, up)
    }

    fn curvature(&self, t: f64) -> f64 {
        let velocity = self.velocity(t);
        let speed = velocity.length();
        velocity.cross(self.acceleration(t)).length() / (speed * speed * speed)
    }

    /// Computes the least distance of a point from the nearest places of further windings.
    fn least_distance(&self, [p, q]: [u32; 2]) -> f64 {
        let count = DISTANCE_SAMPLES * p.max(q);
        let step = TAU / f64::from(count);
        let places: Vec<(Vec3, Vec3)> =
            (0..count).map(|k| step * f64::from(k)).map(|t| (self.point(t), self.velocity(t))).collect();
        let within = |s: f64, least: f64| self.nearest_winding(s, &places, step, least);
        let (mut least, mut best) = (f64::INFINITY, 0.0);
        let starts = count.div_ceil(q);
        for s in (0..=starts).map(|k| step * f64::from(k)) {
            let distance = within(s, least);
            if distance < least {
                (least, best) = (distance, s);
            }
        }
        // The minimum lies within one step of the best sample.
        let (mut low, mut high) = (best - step, best + step);
        for _ in 0..REFINEMENTS {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if within(a, f64::INFINITY) < within(b, f64::INFINITY) { high = b } else { low = a }
        }
        least.min(within(0.5 * (low + high), f64::INFINITY))
    }

    /// Finds the least local minimum of the distance from C(s), s itself excepted; `least` if none is below.
    fn nearest_winding(&self, s: f64, places: &[(Vec3, Vec3)], step: f64, mut least: f64) -> f64 {
        let from = self.point(s);
        let slope = |(place, velocity): &(Vec3, Vec3)| (*place - from).dot(*velocity);
        let longest = places.iter().map(|(_, velocity)| velocity.length()).fold(0.0, f64::max) * step;
        for (k, here) in places.iter().enumerate() {
            let next = &places[(k + 1) % places.len()];
            let away = ((step * k as f64 - s) / TAU).rem_euclid(1.0) * TAU;
            let is_own = away < 2.0 * step || away > TAU - 3.0 * step;
            let is_near = here.0.distance(from) < least + longest;
            if is_own || !is_near || slope(here) > 0.0 || slope(next) < 0.0 {
                continue;
            }
            let (mut low, mut high) = (step * k as f64, step * (k + 1) as f64);
            for _ in 0..REFINEMENTS {
                let middle = 0.5 * (low + high);
                let is_before = slope(&(self.point(middle), self.velocity(middle))) < 0.0;
                if is_before { low = middle } else { high = middle }
            }
            least = least.min(self.point(low).distance(from));
        }
        least
    }
}
