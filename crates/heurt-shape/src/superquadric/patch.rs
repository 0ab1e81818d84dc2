//! Patches of the surface of a superquadric, each within the hull of sixteen points.
//!
//! Method: a surface point is bilinear in a point of the ring and a point of the profile, both on curves |x|^p + |y|^p
//! = 1. An arc of such a curve within an eighth turns by less than a quarter turn and in one direction only. It
//! therefore lies in a rectangle on its chord, whose height is given by the tangent parallel to the chord: (|u|^q +
//! |v|^q)^(1/q) for a normal (u, v), 1/p + 1/q = 1. This also holds for p < 1, for a concave curve (the reversed
//! inequality of Hölder). A bilinear function of points of two convex sets lies in the hull of the products of their
//! corners.
//! Guarantees: hulls hold their patches up to rounding, some ulp of the largest coordinate, and converge to them with
//! the square of their size. Cost: a few powers a patch.

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
        of.place(self.ring.at(self.ring.middle()), self.profile.at(self.profile.middle()))
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
        let corner = |i: usize, j: usize| of.place(self.ring.ends()[i], self.profile.ends()[j]);
        let round = (corner(1, 0) - corner(0, 0)).length().max((corner(1, 1) - corner(0, 1)).length());
        let up = (corner(0, 1) - corner(0, 0)).length().max((corner(1, 1) - corner(1, 0)).length());
        match round >= up {
            true => self.ring.halves().map(|ring| Self { ring, ..*self }),
            false => self.profile.halves().map(|profile| Self { profile, ..*self }),
        }
    }
}

/// An arc of an eighth of |x|^p + |y|^p = 1, by w from 0 on an axis to 1 on a diagonal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PatchArc {
    /// Number of the eighth, counter-clockwise from the axis x.
    eighth: u8,
    p: f64,
    from: f64,
    to: f64,
}

impl PatchArc {
    pub(super) fn of(eighth: u8, p: f64) -> Self {
        Self { eighth, p, from: 0.0, to: 1.0 }
    }

    fn middle(&self) -> f64 {
        0.5 * (self.from + self.to)
    }

    pub(super) fn halves(&self) -> [Self; 2] {
        [Self { to: self.middle(), ..*self }, Self { from: self.middle(), ..*self }]
    }

    pub(super) fn ends(&self) -> [[f64; 2]; 2] {
        [self.at(self.from), self.at(self.to)]
    }

    /// Returns a point in the first eighth: w is the ratio of y to x, to the power p if the curve is concave with
    /// spikes.
    fn in_first(&self, w: f64) -> [f64; 2] {
        let p = self.p;
        let (ratio, power) = if p < 1.0 { (libm::pow(w, 1.0 / p), w) } else { (w, libm::pow(w, p)) };
        let x = libm::pow(1.0 + power, -1.0 / p);
        [x, ratio * x]
    }

    fn at(&self, w: f64) -> [f64; 2] {
        self.turned(self.in_first(w))
    }

    /// Maps the first eighth to this one.
    fn turned(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [x, y] = if matches!(self.eighth, 1 | 2 | 5 | 6) { [y, x] } else { [x, y] };
        let sign = |negative: bool| if negative { -1.0 } else { 1.0 };
        [x * sign((2..6).contains(&self.eighth)), y * sign(self.eighth >= 4)]
    }

    /// Returns the ends in the first eighth, the unit normal of the chord, and the offset of the chord along it.
    fn chord(&self) -> ([[f64; 2]; 2], [f64; 2], f64) {
        let [start, end] = [self.in_first(self.from), self.in_first(self.to)];
        // x falls and y grows along the arc.
        let [dx, dy] = [start[0] - end[0], end[1] - start[1]];
        let length = (dx * dx + dy * dy).sqrt();
        let normal = if length > 0.0 { [dy / length, dx / length] } else { [1.0, 0.0] };
        ([start, end], normal, normal[0] * start[0] + normal[1] * start[1])
    }

    /// Returns a bound of the chord's distance from the curve: the p-norm of its points is between 1 and this, which is
    /// above 1 if the curve is concave.
    pub(super) fn sag(&self) -> f64 {
        let (_, normal, level) = self.chord();
        if self.p == 1.0 { 1.0 } else { level / tangent_level(normal, self.p) }
    }

    /// Returns the rectangle on the chord that holds the arc.
    fn rectangle(&self) -> [[f64; 2]; 4] {
        let ([start, end], normal, level) = self.chord();
        // Bulging outward for p above 1, inward below; the rounding of both terms is included.
        let height = if self.p == 1.0 { 0.0 } else { tangent_level(normal, self.p) - level };
        let height = height + 8.0 * f64::EPSILON * height.signum();
        let up = |[x, y]: [f64; 2]| [x + normal[0] * height, y + normal[1] * height];
        [start, end, up(start), up(end)].map(|corner| self.turned(corner))
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
