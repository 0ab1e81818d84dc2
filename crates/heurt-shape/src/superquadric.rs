//! Superellipsoids and supertoroids of any exponents by their exact surfaces (S0 §B), cut into patches.
//!
//! In: [`Superellipsoid`] or [`Supertoroid`]. Out: [`Superquadric`]: whether it holds a point, and [`Patch`]es of its surface,
//! each within the convex hull of sixteen points.
//! Method: a place of the surface is bilinear in a place of the ring and one of the profile, both on curves |x|^p + |y|^p = 1. An
//! arc of such a curve within an eighth turns by less than a quarter turn and one way only, so that it lies in a rectangle on its
//! chord, whose height is told by the tangent along the chord: (|u|^q + |v|^q)^(1/q) for a normal (u, v), 1/p + 1/q = 1, which
//! holds for p < 1, too, where the curve is hollow (the inequality of Hölder reversed). What is bilinear in points of two
//! convex sets lies in the hull of the products of their corners.
//! Guarantees: hulls hold their patches but for rounding, some ulp of the largest coordinate, and close in on them with the
//! square of their size. Cost: a few powers a patch.

use heurt_geometry::{Aabb, Vec3};
use heurt_mesh::generate::{Superellipsoid, Supertoroid};

/// The exact solid of a superellipsoid or supertoroid, convex or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Superquadric {
    /// A superellipsoid; it has spikes for exponents above 2.
    Ellipsoid(Superellipsoid),
    /// A supertoroid.
    Toroid(Supertoroid),
}

impl Superquadric {
    /// A box that holds the shape, in its own frame.
    pub fn bounds(&self) -> Aabb {
        let half = match self {
            Self::Ellipsoid(shape) => shape.radii(),
            Self::Toroid(shape) => {
                let [r0, r1] = shape.radii();
                Vec3::new(r0 + r1, r0 + r1, r1)
            }
        };
        Aabb { min: -half, max: half }
    }

    /// Tells whether the solid holds a point of its frame, but for rounding.
    pub fn holds(&self, point: Vec3) -> bool {
        let level = match self {
            Self::Ellipsoid(shape) => shape.inside_outside(point),
            Self::Toroid(shape) => shape.inside_outside(point),
        };
        level <= 1.0
    }

    /// The whole surface in patches an eighth of a ring wide and high.
    pub fn patches(&self) -> Vec<Patch> {
        let profile = match self {
            // From pole to pole.
            Self::Ellipsoid(_) => [6, 7, 0, 1].as_slice(),
            Self::Toroid(_) => &[0, 1, 2, 3, 4, 5, 6, 7],
        };
        let [n1, n2] = match self {
            Self::Ellipsoid(shape) => shape.exponents(),
            Self::Toroid(shape) => shape.exponents(),
        };
        let (of_ring, of_profile) = match self {
            Self::Ellipsoid(_) => (2.0 / n2, 2.0 / n1),
            Self::Toroid(_) => (2.0 / n1, 2.0 / n2),
        };
        let pairs = (0..8).flat_map(|ring| profile.iter().map(move |&up| (ring, up)));
        pairs.map(|(ring, up)| Patch { ring: Arc::of(ring, of_ring), profile: Arc::of(up, of_profile) }).collect()
    }

    /// The place for a place of the ring and one of the profile.
    fn place(&self, [u, v]: [f64; 2], [s, z]: [f64; 2]) -> Vec3 {
        match self {
            Self::Ellipsoid(shape) => Vec3::new(s * u, s * v, z) * shape.radii(),
            Self::Toroid(shape) => {
                let [r0, r1] = shape.radii();
                let reach = r0 + r1 * s;
                Vec3::new(reach * u, reach * v, r1 * z)
            }
        }
    }
}

/// A piece of the surface of a [`Superquadric`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    ring: Arc,
    profile: Arc,
}

impl Patch {
    /// A place of the surface, about the middle of the patch.
    pub fn middle(&self, of: &Superquadric) -> Vec3 {
        of.place(self.ring.at(self.ring.middle()), self.profile.at(self.profile.middle()))
    }

    /// The places at the corners of the patch, on the surface.
    pub fn corners(&self, of: &Superquadric) -> [Vec3; 4] {
        let (ring, profile) = (self.ring.ends(), self.profile.ends());
        std::array::from_fn(|k| of.place(ring[k / 2], profile[k % 2]))
    }

    /// Points whose convex hull holds the patch, but for rounding.
    pub fn hull(&self, of: &Superquadric) -> [Vec3; 16] {
        let (ring, profile) = (self.ring.rectangle(), self.profile.rectangle());
        std::array::from_fn(|k| of.place(ring[k / 4], profile[k % 4]))
    }

    /// Both halves, cut where the patch is longer.
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

/// A part of an eighth of |x|^p + |y|^p = 1, by w from 0 on an axis to 1 on a diagonal.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Arc {
    /// Counter-clockwise from the axis x.
    eighth: u8,
    p: f64,
    from: f64,
    to: f64,
}

impl Arc {
    fn of(eighth: u8, p: f64) -> Self {
        Self { eighth, p, from: 0.0, to: 1.0 }
    }

    fn middle(&self) -> f64 {
        0.5 * (self.from + self.to)
    }

    fn halves(&self) -> [Self; 2] {
        [Self { to: self.middle(), ..*self }, Self { from: self.middle(), ..*self }]
    }

    fn ends(&self) -> [[f64; 2]; 2] {
        [self.at(self.from), self.at(self.to)]
    }

    /// In the first eighth: w is the ratio of y to x, to the power p where the curve is hollow and runs out in spikes.
    fn in_first(&self, w: f64) -> [f64; 2] {
        let p = self.p;
        let (ratio, power) = if p < 1.0 { (libm::pow(w, 1.0 / p), w) } else { (w, libm::pow(w, p)) };
        let x = libm::pow(1.0 + power, -1.0 / p);
        [x, ratio * x]
    }

    fn at(&self, w: f64) -> [f64; 2] {
        self.turned(self.in_first(w))
    }

    /// From the first eighth to this one.
    fn turned(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [x, y] = if matches!(self.eighth, 1 | 2 | 5 | 6) { [y, x] } else { [x, y] };
        let sign = |negative: bool| if negative { -1.0 } else { 1.0 };
        [x * sign((2..6).contains(&self.eighth)), y * sign(self.eighth >= 4)]
    }

    /// The rectangle on the chord that holds the arc.
    fn rectangle(&self) -> [[f64; 2]; 4] {
        let [start, end] = [self.in_first(self.from), self.in_first(self.to)];
        // x falls and y grows along the arc.
        let [dx, dy] = [start[0] - end[0], end[1] - start[1]];
        let length = (dx * dx + dy * dy).sqrt();
        let normal = if length > 0.0 { [dy / length, dx / length] } else { [1.0, 0.0] };
        let level = normal[0] * start[0] + normal[1] * start[1];
        // Bulging outward for p above 1, inward below; the rounding of both terms is granted.
        let height = if self.p == 1.0 { 0.0 } else { tangent_level(normal, self.p) - level };
        let height = height + 8.0 * f64::EPSILON * height.signum();
        let up = |[x, y]: [f64; 2]| [x + normal[0] * height, y + normal[1] * height];
        [start, end, up(start), up(end)].map(|corner| self.turned(corner))
    }
}

/// What u x + v y is where the curve xᵖ + yᵖ = 1 runs across (u, v), all of them at least 0.
fn tangent_level([u, v]: [f64; 2], p: f64) -> f64 {
    let (long, short) = (u.max(v), u.min(v));
    let q = p / (p - 1.0);
    if p > 1.0 {
        return long * libm::pow(1.0 + libm::pow(short / long, q), 1.0 / q);
    }
    // q < 0: the lesser component counts.
    if short == 0.0 { 0.0 } else { short * libm::pow(1.0 + libm::pow(long / short, q), 1.0 / q) }
}
