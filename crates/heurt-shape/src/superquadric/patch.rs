//! Patches of the surface of a superquadric, each within the hull of sixteen points.
//!
//! Method: a surface point is bilinear in a point of the ring and a point of the profile, both on curves |x|^p + |y|^p
//! = 1. An arc of such a curve within an eighth turns by less than a quarter turn and in one direction only. It
//! therefore lies in a rectangle on its chord, whose height is given by the tangent parallel to the chord: (|u|^q +
//! |v|^q)^(1/q) for a normal (u, v), 1/p + 1/q = 1. This also holds for p < 1, for a concave curve (the reversed
//! inequality of Hölder). A bilinear function of points of two convex sets lies in the hull of the products of their
//! corners.
//! Guarantees: hulls hold their patches up to rounding, some ulp of the largest coordinate, and converge to them with
//! the square of their size. Cost: eight powers to halve a patch.

use super::Superquadric;
use heurt_geometry::Vec3;

/// A piece of the surface of a [`Superquadric`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    pub(super) ring: PatchArc,
    pub(super) profile: PatchArc,
}

impl Patch {
    /// Returns a surface point near the middle of the patch.
    pub fn middle(&self, of: &Superquadric) -> Vec3 {
        of.place(self.ring.middle(), self.profile.middle())
    }

    /// Returns the corners of the patch, on the surface.
    pub fn corners(&self, of: &Superquadric) -> [Vec3; 4] {
        let (ring, profile) = (self.ring.ends(), self.profile.ends());
        std::array::from_fn(|k| of.place(ring[k / 2], profile[k % 2]))
    }

    /// Returns points whose convex hull holds the patch, up to rounding.
    pub fn hull(&self, of: &Superquadric) -> [Vec3; 16] {
        let (ring, profile) = (self.ring.rectangle(), self.profile.rectangle());
        std::array::from_fn(|k| of.place(ring[k / 4], profile[k % 4]))
    }

    /// Returns both halves, cut across the longer side.
    pub fn halves(&self, of: &Superquadric) -> [Self; 2] {
        let [p00, p01, p10, p11] = self.corners(of);
        let round = (p10 - p00).length().max((p11 - p01).length());
        let up = (p01 - p00).length().max((p11 - p10).length());
        match round >= up {
            true => self.ring.halves().map(|ring| Self { ring, ..*self }),
            false => self.profile.halves().map(|profile| Self { profile, ..*self }),
        }
    }
}

/// An arc of an eighth of |x|^p + |y|^p = 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PatchArc {
    /// Number of the eighth, counter-clockwise from the axis x.
    eighth: u8,
    p: f64,
    start: ArcPlace,
    middle: ArcPlace,
    end: ArcPlace,
    chord: Chord,
}

/// The chord of an arc in the first eighth: u x + v y = offset, and the parallel tangent of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Chord {
    /// A unit vector (u, v).
    normal: [f64; 2],
    offset: f64,
    /// The offset of the tangent.
    tangent: f64,
}

/// A place of the first eighth; powers are slow, so that each place is computed once.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ArcPlace {
    /// From 0 on an axis to 1 on a diagonal: the ratio of y to x, to the power p if the curve is concave with spikes.
    w: f64,
    at: [f64; 2],
}

impl ArcPlace {
    fn of(w: f64, p: f64) -> Self {
        let (ratio, power) = if p < 1.0 { (libm::pow(w, 1.0 / p), w) } else { (w, libm::pow(w, p)) };
        let x = libm::pow(1.0 + power, -1.0 / p);
        Self { w, at: [x, ratio * x] }
    }
}

impl PatchArc {
    pub(super) fn of(eighth: u8, p: f64) -> Self {
        Self::between(eighth, p, ArcPlace::of(0.0, p), ArcPlace::of(1.0, p))
    }

    fn between(eighth: u8, p: f64, start: ArcPlace, end: ArcPlace) -> Self {
        let (middle, chord) = (ArcPlace::of(0.5 * (start.w + end.w), p), Chord::of(start.at, end.at, p));
        Self { eighth, p, start, middle, end, chord }
    }

    pub(super) fn halves(&self) -> [Self; 2] {
        let half = |start, end| Self::between(self.eighth, self.p, start, end);
        [half(self.start, self.middle), half(self.middle, self.end)]
    }

    pub(super) fn ends(&self) -> [[f64; 2]; 2] {
        [self.turned(self.start.at), self.turned(self.end.at)]
    }

    fn middle(&self) -> [f64; 2] {
        self.turned(self.middle.at)
    }

    /// Maps the first eighth to this one.
    fn turned(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [x, y] = if matches!(self.eighth, 1 | 2 | 5 | 6) { [y, x] } else { [x, y] };
        let sign = |negative: bool| if negative { -1.0 } else { 1.0 };
        [x * sign((2..6).contains(&self.eighth)), y * sign(self.eighth >= 4)]
    }

    /// Returns a bound of the chord's distance from the curve: the p-norm of its points is between 1 and this, which is
    /// above 1 if the curve is concave.
    pub(super) fn sag(&self) -> f64 {
        self.chord.offset / self.chord.tangent
    }

    /// Returns the rectangle on the chord that holds the arc.
    fn rectangle(&self) -> [[f64; 2]; 4] {
        let Chord { normal, offset, tangent } = self.chord;
        // Bulging outward for p above 1, inward below; the rounding of both terms is included.
        let height = tangent - offset;
        let height = height + 8.0 * f64::EPSILON * height.signum();
        let up = |[x, y]: [f64; 2]| [x + normal[0] * height, y + normal[1] * height];
        let (start, end) = (self.start.at, self.end.at);
        [start, end, up(start), up(end)].map(|corner| self.turned(corner))
    }
}

impl Chord {
    fn of(start: [f64; 2], end: [f64; 2], p: f64) -> Self {
        // x falls and y grows along the arc.
        let [dx, dy] = [start[0] - end[0], end[1] - start[1]];
        let length = (dx * dx + dy * dy).sqrt();
        let normal = if length > 0.0 { [dy / length, dx / length] } else { [1.0, 0.0] };
        let offset = normal[0] * start[0] + normal[1] * start[1];
        Self { normal, offset, tangent: if p == 1.0 { offset } else { tangent_level(normal, p) } }
    }
}

/// Returns u x + v y at the point where the tangent of the curve xᵖ + yᵖ = 1 has the normal (u, v); all numbers at
/// least 0.
fn tangent_level([u, v]: [f64; 2], p: f64) -> f64 {
    let (long, short) = (u.max(v), u.min(v));
    let q = p / (p - 1.0);
    if p > 1.0 {
        return long * libm::pow(1.0 + libm::pow(short / long, q), 1.0 / q);
    }
    // q < 0: the lesser component counts.
    if short == 0.0 { 0.0 } else { short * libm::pow(1.0 + libm::pow(long / short, q), 1.0 / q) }
}
