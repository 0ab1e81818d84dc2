//! Superellipsoids and supertoroids of any exponents by their exact surfaces (S0 §B).
//!
//! In: [`Superellipsoid`] or [`Supertoroid`]. Out: [`Superquadric`]: point inclusion, its support point along a
//! direction, its normal, and [`Patch`]es of its surface; [`SuperquadricShape`]: the operand of queries.
//! Method: both are levels of nested norms N: the ellipsoid has ‖(‖(x, y)‖, z)‖ = 1 in units of its radii, the toroid
//! ‖(s, z)‖ = 1 around its ring, s = (‖(x, y)‖ − r0) / r1.
//! Guarantees: norms are correct within some ulp, for any exponents.

mod mass;
mod patch;
mod pieces;
mod shape;

pub use patch::Patch;
pub use shape::SuperquadricShape;

use crate::convex::dual;
use heurt_geometry::{Aabb, Vec3};
use heurt_mesh::generate::{Superellipsoid, Supertoroid};
use patch::PatchArc;

/// The factor by which a coordinate must exceed the bounds of a solid to lie outside for any rounding of its norm.
const BEYOND_ROUNDING: f64 = 1.0 + 1e-12;

/// The exact solid of a superellipsoid or supertoroid, convex or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Superquadric {
    /// A superellipsoid; it has spikes for exponents above 2.
    Ellipsoid(Superellipsoid),
    /// A supertoroid.
    Toroid(Supertoroid),
}

impl Superquadric {
    /// Returns a box that holds the shape, in its own frame.
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

    /// Returns the exponents p of the curves |x|^p + |y|^p = 1 of ring and profile.
    fn powers(&self) -> [f64; 2] {
        match self {
            Self::Ellipsoid(shape) => {
                let [n1, n2] = shape.exponents();
                [2.0 / n2, 2.0 / n1]
            }
            Self::Toroid(shape) => shape.exponents().map(|n| 2.0 / n),
        }
    }

    /// Reports whether the solid holds a point of its frame, up to rounding.
    pub fn holds(&self, point: Vec3) -> bool {
        // Powers are slow, and norms are at least as large as each coordinate.
        let is_far = point.abs().cmpgt(self.bounds().max * BEYOND_ROUNDING).any();
        !is_far && self.norm(point) <= 1.0
    }

    /// Returns the nested norm of a point: below 1 inside, 1 on the surface, above 1 outside; within some ulp.
    pub fn norm(&self, point: Vec3) -> f64 {
        let [ring, profile] = self.powers();
        let [across, up] = self.in_profile(point, ring);
        p_norm([across.abs(), up.abs()], profile)
    }

    /// Returns the coordinates of a point in the plane of the profile, in which the profile has the size 1.
    fn in_profile(&self, point: Vec3, ring: f64) -> [f64; 2] {
        match self {
            Self::Ellipsoid(shape) => {
                let unit = (point / shape.radii()).abs();
                [p_norm([unit.x, unit.y], ring), point.z / shape.radii().z]
            }
            Self::Toroid(shape) => {
                let [r0, r1] = shape.radii();
                [(p_norm([point.x.abs(), point.y.abs()], ring) - r0) / r1, point.z / r1]
            }
        }
    }

    /// Bounds the norm and its change along `direction` for points in a box that no coordinate plane crosses: two
    /// intervals, the second perhaps infinite.
    pub fn norm_within(&self, bounds: &Aabb, direction: Vec3) -> [[f64; 2]; 2] {
        let [ring, profile] = self.powers();
        let (unit, shift) = match self {
            Self::Ellipsoid(shape) => (shape.radii(), 0.0),
            Self::Toroid(shape) => {
                let [r0, r1] = shape.radii();
                (Vec3::splat(r1), r0 / r1)
            }
        };
        let side = (bounds.min + bounds.max).map(|sum| if sum < 0.0 { -1.0 } else { 1.0 });
        let (low, high) = ((bounds.min * side / unit).max(Vec3::ZERO), (bounds.max * side / unit).max(Vec3::ZERO));
        let (near, far, change) = (low.min(high), low.max(high), direction * side / unit);
        let of_axis = |k: usize| [near[k], far[k]];
        let (round, d_round) = norm_of([of_axis(0), of_axis(1)], [[change.x; 2], [change.y; 2]], ring);
        let across = round.map(|length| length - shift);
        // In the hole the norm decreases towards the ring.
        let (across, d_across) = match across {
            [low, _] if low >= 0.0 => (across, d_round),
            [low, high] if high <= 0.0 => ([-high, -low], [-d_round[1], -d_round[0]]),
            [low, high] => {
                let most = d_round[0].abs().max(d_round[1].abs());
                ([0.0, high.max(-low)], [-most, most])
            }
        };
        let (norm, d_norm) = norm_of([across, of_axis(2)], [d_across, [change.z; 2]], profile);
        [norm, d_norm]
    }

    /// Returns an outward vector at a point of the surface; `None` on edges and spikes.
    pub fn normal(&self, point: Vec3) -> Option<Vec3> {
        let [ring, profile] = self.powers();
        let [across, up] = self.in_profile(point, ring);
        let unit = match self {
            Self::Ellipsoid(shape) => shape.radii(),
            Self::Toroid(shape) => Vec3::splat(shape.radii()[1]),
        };
        let around = p_norm([(point.x / unit.x).abs(), (point.y / unit.y).abs()], ring);
        let slope = |x: f64, of: f64, p: f64| libm::pow(x.abs() / of, p - 1.0).copysign(x);
        let [out, along_z] = [across, up].map(|x| slope(x, 1.0, profile));
        let turned = [point.x / unit.x, point.y / unit.y]
            .map(|x| if around == 0.0 { 0.0 } else { slope(x, around, ring) * out });
        (Vec3::new(turned[0], turned[1], along_z) / unit).try_normalize()
    }

    /// Returns a point of the surface near a point that is close to it; `None` if there is none.
    pub fn to_surface(&self, point: Vec3) -> Option<Vec3> {
        let [ring, profile] = self.powers();
        let [across, up] = self.in_profile(point, ring);
        let norm = p_norm([across.abs(), up.abs()], profile);
        let placed = match self {
            Self::Ellipsoid(_) => point / norm,
            Self::Toroid(shape) => {
                let [r0, r1] = shape.radii();
                let stretch = (r0 + r1 * (across / norm)) / (r0 + r1 * across);
                Vec3::new(point.x * stretch, point.y * stretch, point.z / norm)
            }
        };
        placed.is_finite().then_some(placed)
    }

    /// Returns the support point along a direction.
    pub fn support(&self, direction: Vec3) -> Vec3 {
        let [ring, profile] = self.powers();
        match self {
            Self::Ellipsoid(shape) => {
                let [x, y, z] = (direction * shape.radii()).to_array();
                let (round, [u, v]) = dual([x, y], ring);
                let (_, [across, up]) = dual([round, z], profile);
                shape.radii() * Vec3::new(across * u, across * v, up)
            }
            Self::Toroid(shape) => {
                let [r0, r1] = shape.radii();
                let (round, [u, v]) = dual([direction.x, direction.y], ring);
                let (_, [across, up]) = dual([round, direction.z], profile);
                let reach = r0 + r1 * across;
                Vec3::new(reach * u, reach * v, r1 * up)
            }
        }
    }

    /// Returns the whole surface in patches an eighth of a ring wide and high.
    pub fn patches(&self) -> Vec<Patch> {
        let profile = match self {
            // From pole to pole.
            Self::Ellipsoid(_) => [6, 7, 0, 1].as_slice(),
            Self::Toroid(_) => &[0, 1, 2, 3, 4, 5, 6, 7],
        };
        let [rings, profiles] = self.powers().map(|p| [0, 1, 2, 3, 4, 5, 6, 7].map(|eighth| PatchArc::of(eighth, p)));
        let pairs = rings.iter().flat_map(|&ring| profile.iter().map(move |&up| (ring, profiles[up])));
        pairs.map(|(ring, profile)| Patch { ring, profile }).collect()
    }

    /// Returns the surface point for a point of the ring and a point of the profile.
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

/// Computes x^p for x ≥ 0 within 2 ulp; the exponents of round and pillow shapes by products, a tenth of the time.
fn power(x: f64, p: f64) -> f64 {
    match p {
        0.0 => 1.0,
        1.0 => x,
        2.0 => x * x,
        3.0 => x * x * x,
        4.0 => (x * x) * (x * x),
        _ => libm::pow(x, p),
    }
}

/// Computes x^(1/p) for x between 1 and 2 within 2 ulp.
fn root(x: f64, p: f64) -> f64 {
    match p {
        1.0 => x,
        2.0 => x.sqrt(),
        4.0 => x.sqrt().sqrt(),
        _ => libm::pow(x, 1.0 / p),
    }
}

/// Returns (x^p + y^p)^(1/p) for x, y ≥ 0, without overflow of the powers.
fn p_norm([x, y]: [f64; 2], p: f64) -> f64 {
    let (long, short) = (x.max(y), x.min(y));
    if long == 0.0 {
        return 0.0;
    }
    long * root(1.0 + power(short / long, p), p)
}

/// Bounds the p-norm of two nonnegative numbers that lie in intervals, and its change from theirs.
fn norm_of(numbers: [[f64; 2]; 2], changes: [[f64; 2]; 2], p: f64) -> ([f64; 2], [f64; 2]) {
    let norm = [0, 1].map(|end| p_norm([numbers[0][end], numbers[1][end]], p));
    let mut change = [0.0; 2];
    for (number, of) in numbers.iter().zip(changes) {
        // The share of a number in the norm, to a power that may be negative.
        let low = if norm[1] > 0.0 { number[0] / norm[1] } else { 0.0 };
        let weight = [low, (number[1] / norm[0]).min(1.0)].map(|share| power(share, p - 1.0));
        let (least, most) = (weight[0].min(weight[1]), weight[0].max(weight[1]));
        let times = |change: f64, weight: f64| if change == 0.0 { 0.0 } else { change * weight };
        change[0] += times(of[0], if of[0] < 0.0 { most } else { least });
        change[1] += times(of[1], if of[1] > 0.0 { most } else { least });
    }
    (norm, change)
}
