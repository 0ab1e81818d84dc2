//! A ray against a placed mesh.
//!
//! Method: boxes in the tree's frame; in a leaf, the sides of the ray about the edges of four triangles at a time in `f32`
//! dismiss those surely missed; the rest is decided by the exact sides of the line about the edges of the placed triangle,
//! and by the exact side of the origin where the triangle is not wholly ahead. Zero counts as hit.
//! Guarantees: which triangles are hit is exact (the end of the ray apart, which is compared with a rounded distance), so
//! no ray slips between the triangles of a closed mesh; ties go to the lowest triangle. A triangle seen exactly edge-on is
//! not hit (its neighbours are); whether the origin is inside or on a solid is exact. Cost: O(log n) in practice.

use crate::algo::leaf_pairs::place;
use crate::algo::local_ray::{LocalRay, local_ray};
use crate::algo::ray_side::ray_sides;
use crate::inside::{Location, locate};
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};
use heurt_bvh::{Leaf, Visitor, Work, walk};
use heurt_geometry::{Pose, Sign, Triangle, Vec3, orient3d};
use heurt_shape::{MeshShape, TriBlock};
use std::ops::ControlFlow;
use thiserror::Error;

/// A half-line, or a piece of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Where it begins, in the world frame.
    pub origin: Vec3,
    /// Where it goes; of any length but zero.
    pub direction: Vec3,
    /// Where it ends, as a multiple of the length of `direction`; may be infinite.
    pub max_distance: f64,
}

/// Why numbers do not make a ray.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RayError {
    /// The direction leads nowhere.
    #[error("the direction [{}, {}, {}] has no length that can be used: give a finite vector other than zero", direction.x, direction.y, direction.z)]
    Direction {
        /// As given.
        direction: Vec3,
    },
    /// The origin is nowhere.
    #[error("the origin [{}, {}, {}] is not finite: give finite numbers", origin.x, origin.y, origin.z)]
    Origin {
        /// As given.
        origin: Vec3,
    },
    /// The end is not a number, or before the origin.
    #[error("max_distance is {max_distance}: give a number of at least 0")]
    MaxDistance {
        /// As given.
        max_distance: f64,
    },
}

impl Ray {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`RayError`] names the number that cannot be used.
    pub fn new(origin: Vec3, direction: Vec3, max_distance: f64) -> Result<Self, RayError> {
        if !origin.is_finite() {
            return Err(RayError::Origin { origin });
        }
        if !direction.is_finite() || direction == Vec3::ZERO {
            return Err(RayError::Direction { direction });
        }
        if max_distance.is_nan() || max_distance < 0.0 {
            return Err(RayError::MaxDistance { max_distance });
        }
        Ok(Self { origin, direction, max_distance })
    }
}

/// A point where a ray meets a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// A multiple of the length of the direction; 0 when the ray starts inside a solid or on its boundary.
    pub distance: f64,
    /// In the world frame.
    pub point: Vec3,
    /// Unit normal of the triangle as its corners turn (outward for a solid); against the ray where it starts inside.
    pub normal: Vec3,
    /// The triangle; where the ray starts inside, the one through which it leaves.
    pub primitive: u32,
}

/// Finds the first point of the placed shape on the ray; a ray that [`Ray::new`] refuses meets nothing.
pub fn ray(a: &MeshShape, pose: &Pose, ray: &Ray) -> Option<RayHit> {
    ray_counted(a, pose, ray).0
}

/// [`ray`], with the work done.
pub fn ray_counted(a: &MeshShape, pose: &Pose, ray: &Ray) -> (Option<RayHit>, Work) {
    let mut work = Work::default();
    let Some((ray, stretch)) = normalised(ray) else { return (None, work) };
    let first = cast(a, pose, &ray, false, &mut work).pop();
    let inside = a.is_solid()
        && placed_box_may_hold(a, pose, ray.origin)
        && match locate(a, pose, ray.origin, &mut work) {
            Location::Boundary { triangle } => {
                let normal = normal_of(&place(a, pose, triangle));
                return (Some(RayHit { distance: 0.0, point: ray.origin, normal, primitive: triangle }), work);
            }
            Location::Winding(winding) => winding != 0,
        };
    let hit = if inside {
        let primitive = first.map_or(0, |hit| hit.primitive);
        Some(RayHit { distance: 0.0, point: ray.origin, normal: -ray.direction.normalize(), primitive })
    } else {
        first.map(|hit| RayHit { distance: hit.distance * stretch, ..hit })
    };
    (hit, work)
}

/// Finds every triangle that the ray meets, sorted by distance, then number; solidity plays no part.
pub fn ray_all(a: &MeshShape, pose: &Pose, ray: &Ray) -> Vec<RayHit> {
    let Some((ray, stretch)) = normalised(ray) else { return Vec::new() };
    let mut hits = cast(a, pose, &ray, true, &mut Work::default());
    hits.iter_mut().for_each(|hit| hit.distance *= stretch);
    hits.sort_by(|x, y| x.distance.total_cmp(&y.distance).then(x.primitive.cmp(&y.primitive)));
    hits
}

/// The ray with its direction brought near unit length by a power of two, which rounds nothing, and the factor that distances
/// take back; directions of any length then neither overflow nor vanish.
fn normalised(ray: &Ray) -> Option<(Ray, f64)> {
    let ray = Ray::new(ray.origin, ray.direction, ray.max_distance).ok()?;
    let biased = (ray.direction.abs().max_element().to_bits() >> 52) as i64;
    let (grow, shrink) = (power_of_two(1023 - biased), power_of_two(biased - 1023));
    Some((Ray { direction: ray.direction * grow, max_distance: ray.max_distance * shrink, ..ray }, grow))
}

/// 2^exponent, kept among the normal numbers.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent.clamp(-1022, 1022)) as u64) << 52)
}

/// A quick look before a point is located.
fn placed_box_may_hold(a: &MeshShape, pose: &Pose, point: Vec3) -> bool {
    let frame = a.tree().frame();
    let radius = frame.radius() * (1.0 + 4.0 * pose.defect() + 1e-9);
    (point - pose.place(frame.centre())).length() <= radius + 1e-9 * frame.reach()
}

fn cast(a: &MeshShape, pose: &Pose, ray: &Ray, all: bool, work: &mut Work) -> Vec<RayHit> {
    let Some(local) = local_ray(a, pose, ray.origin, ray.direction, ray.max_distance) else { return Vec::new() };
    let mut visitor = Hits { shape: a, pose, ray, all, local: &local, cutoff: f32::MAX, hits: Vec::new() };
    *work += walk(a.tree(), &local.query, &mut visitor);
    visitor.hits
}

struct Hits<'a> {
    shape: &'a MeshShape,
    pose: &'a Pose,
    ray: &'a Ray,
    all: bool,
    local: &'a LocalRay,
    cutoff: f32,
    hits: Vec<RayHit>,
}

impl Hits<'_> {
    #[inline(always)]
    fn consider(&mut self, primitive: u32) {
        let triangle = place(self.shape, self.pose, primitive);
        let Some(distance) = hit(self.ray, &triangle) else { return };
        let better = self.all
            || self
                .hits
                .first()
                .is_none_or(|best| distance < best.distance || distance == best.distance && primitive < best.primitive);
        if !better {
            return;
        }
        let point = self.ray.origin + self.ray.direction * distance;
        if !self.all {
            self.hits.clear();
            let reached = (distance - self.local.start) / self.local.scale;
            self.cutoff = (reached + reached.abs() * 1e-6) as f32 + 1e-6;
        }
        self.hits.push(RayHit { distance, point, normal: normal_of(&triangle), primitive });
    }
}

impl Visitor for Hits<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    #[inline(always)]
    fn leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        let shape = self.shape;
        let block = &shape.blocks()[leaf.ordinal as usize];
        let mut near = may_hit::<<I as LanesFor<4>>::F>(block, self.local) & ((1 << leaf.count) - 1);
        let primitives = shape.tree().primitives(leaf);
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            self.consider(primitives[lane]);
        }
        ControlFlow::Continue(())
    }
}

/// Bit k is clear only where the ray's line surely misses triangle k: it passes two edges on different sides. A side is a
/// triple product of the direction (components ≤ 1) and two corners seen from the origin (components ≤ M, off by at most
/// `error`): six products, each off by 2·M·error and a few roundings, so 16·M·error suffices.
#[inline(always)]
fn may_hit<F: Lanes<4>>(block: &TriBlock, ray: &LocalRay) -> u32 {
    let zero = F::splat(0.0);
    let direction = [F::splat(ray.direction[0]), F::splat(ray.direction[1]), F::splat(ray.direction[2])];
    let mut corners = [[zero; 3]; 3];
    let mut largest = zero;
    let mut k = 0;
    while k < 9 {
        let from_origin = F::load(&block.corners[k / 3][k % 3]).sub(F::splat(ray.origin[k % 3]));
        corners[k / 3][k % 3] = from_origin;
        largest = from_origin.abs().max(largest);
        k += 1;
    }
    let bound = largest.add(F::splat(ray.error)).mul(F::splat(16.0 * ray.error));
    let side = |a: &[F; 3], b: &[F; 3]| {
        let x = a[1].mul(b[2]).sub(a[2].mul(b[1]));
        let y = a[2].mul(b[0]).sub(a[0].mul(b[2]));
        let z = a[0].mul(b[1]).sub(a[1].mul(b[0]));
        direction[0].mul(x).add(direction[1].mul(y)).add(direction[2].mul(z))
    };
    let sides = [side(&corners[0], &corners[1]), side(&corners[1], &corners[2]), side(&corners[2], &corners[0])];
    let least = sides[0].min(sides[1]).min(sides[2]);
    let greatest = sides[0].max(sides[1]).max(sides[2]);
    !greatest.gt(bound).and(zero.sub(bound).gt(least)).bits() & 0xf
}

/// The parameter at which the ray meets the closed triangle.
#[inline(always)]
fn hit(ray: &Ray, t: &Triangle) -> Option<f64> {
    let sides = ray_sides(ray.origin, ray.direction, t)?;
    let [a, b, c] = t.map(|corner| corner - ray.origin);
    let slope = sides.weights[0] + sides.weights[1] + sides.weights[2];
    // Weighted by the sides, the corners give the point; its share along the direction is the parameter.
    let [along_a, along_b, along_c] = [a, b, c].map(|corner| corner.dot(ray.direction));
    let along = (along_c * sides.weights[0] + along_a * sides.weights[1] + along_b * sides.weights[2]) / slope;
    let distance = along / ray.direction.length_squared();
    let size = a.abs().max_element().max(b.abs().max_element()).max(c.abs().max_element());
    // Rounding moves a corner along the ray (components at most 4) by far less than this.
    let ahead = along_a.min(along_b).min(along_c) > size * 1e-14
        || orient3d(t[0], t[1], t[2], ray.origin).times(sides.slope) != Sign::Positive;
    // What overflows is no hit.
    if distance.is_nan() {
        return None;
    }
    let distance = distance.max(0.0);
    (ahead && distance <= ray.max_distance).then_some(distance)
}

/// The unit normal as the corners turn; zero for a degenerate triangle.
fn normal_of(t: &Triangle) -> Vec3 {
    let (u, v) = (t[1] - t[0], t[2] - t[0]);
    let scale = u.abs().max_element().max(v.abs().max_element());
    (u / scale).cross(v / scale).normalize_or_zero()
}
