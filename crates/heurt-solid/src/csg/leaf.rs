//! Queries of leaves in their own frame: membership, interior, intervals of rays, normals, bounds.
//!
//! In: a leaf, a point or a ray in the frame of the leaf. Out: the answers of its kind.
//! Method: shapes are queried by `heurt_query`, half-spaces by their functions.
//! Guarantees: membership is exact for linear half-spaces, meshes and hulls; curved shapes and quadrics are decided by
//! rounded values. The interior of a shape other than a mesh is where the distance to the boundary is above 0.

use super::CsgLeaf;
use crate::half_space::{Boundedness, HalfSpace, QuadricIntersection};
use heurt_geometry::{Aabb, Pose, Vec3, robust_normalize};
use heurt_query::{Location, Ray, RayHits, closest, contains, ray_all, winding_number};
use heurt_shape::Shape;
use smallvec::SmallVec;

/// The box of the whole space.
pub(super) const EVERYWHERE: Aabb = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

/// An end of an interval of a ray inside a leaf, in the frame of the leaf.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeafEnd {
    pub(super) t: f64,
    /// A bound of the rounding of `t`.
    pub(super) error: f64,
    /// The unit normal of the boundary there, on either side; `None` without one.
    pub(super) normal: Option<Vec3>,
}

/// The least slope, as a share of the length of the direction, by which errors are divided. A surface that is seen
/// under a smaller angle is seen edge-on: a larger error would remove visible surfaces.
const MIN_SLOPE: f64 = 1e-6;

/// Returns the error of a parameter along `direction` if the boundary with the unit normal `normal` is off by `offset`.
pub(super) fn error_along(direction: Vec3, normal: Vec3, offset: f64) -> f64 {
    let speed = direction.length();
    let error = offset / normal.dot(direction).abs().max(MIN_SLOPE * speed);
    if error.is_finite() { error } else { 0.0 }
}

/// The greatest error of a hit in the frame of its leaf that counts as rounding, as a share of its coordinates. The
/// errors of superquadrics that a ray grazes are longer: they would remove visible surfaces.
const HIT_ROUNDING: f64 = 64.0 * f64::EPSILON;

impl CsgLeaf {
    /// Reports whether the closed leaf contains `point`.
    pub(super) fn contains(&self, point: Vec3) -> bool {
        match self {
            _ if !point.is_finite() => false,
            Self::Shape(shape) => contains(shape, &Pose::IDENTITY, point),
            Self::Region(region) => region.contains(point),
        }
    }

    /// Reports whether the interior of the leaf contains `point`.
    pub(super) fn contains_in_interior(&self, point: Vec3) -> bool {
        match self {
            _ if !point.is_finite() => false,
            Self::Region(region) => region.contains_in_interior(point),
            Self::Shape(Shape::Mesh(mesh)) => match winding_number(mesh, &Pose::IDENTITY, point) {
                Location::Boundary { .. } => false,
                Location::Winding(winding) => mesh.is_solid() && winding != 0,
            },
            Self::Shape(shape) => {
                contains(shape, &Pose::IDENTITY, point)
                    && closest(shape, &Pose::IDENTITY, point).signed_distance.is_some_and(|signed| signed < 0.0)
            }
        }
    }

    /// Computes the intervals of the λ in [0, `max_t`] with `origin` + λ `direction` inside, ascending and disjoint.
    pub(super) fn ray_ends(&self, origin: Vec3, direction: Vec3, max_t: f64) -> SmallVec<[[LeafEnd; 2]; 2]> {
        match self {
            Self::Region(region) => {
                let end = |t: f64| region_end(region, origin, direction, t);
                region.ray_intervals(origin, direction, max_t).into_iter().map(|interval| interval.map(end)).collect()
            }
            Self::Shape(shape) => {
                let Ok(ray) = Ray::new(origin, direction, max_t) else { return SmallVec::new() };
                let RayHits { hits, intervals } = ray_all(shape, &Pose::IDENTITY, &ray);
                let end = |t: f64| {
                    let is_hit = t > 0.0 && t < max_t;
                    // Hits ascend: the nearest is the first hit at or behind t, or the hit before it.
                    let behind = hits.partition_point(|passage| passage.hit.t < t);
                    let around = hits.get(behind.saturating_sub(1)..hits.len().min(behind + 1)).unwrap_or_default();
                    let nearest = around.iter().filter(|_| is_hit).map(|passage| &passage.hit);
                    let Some(hit) = nearest.min_by(|a, b| (a.t - t).abs().total_cmp(&(b.t - t).abs())) else {
                        return LeafEnd { t, error: 0.0, normal: None };
                    };
                    let point = origin.abs() + direction.abs() * t;
                    let most = error_along(direction, hit.normal, HIT_ROUNDING * point.max_element());
                    LeafEnd { t, error: hit.error.min(most), normal: Some(hit.normal) }
                };
                intervals.into_iter().map(|interval| interval.map(end)).collect()
            }
        }
    }

    /// Returns a box that contains the leaf, which may be infinite.
    pub(super) fn bounds(&self) -> Aabb {
        match self {
            Self::Shape(shape) => shape.bounds(),
            Self::Region(region) => match region.boundedness() {
                Boundedness::Bounded(bounds) => bounds,
                Boundedness::Unbounded | Boundedness::Undecided => axis_bounds(region.half_spaces()),
            },
        }
    }
}

/// Rounding of a half-space's function in ε of the sum of its terms: products of three factors and sums of ten terms.
const REGION_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Returns the end at λ = `t`, on the half-space whose boundary is nearest to it to first order.
fn region_end(region: &QuadricIntersection, origin: Vec3, direction: Vec3, t: f64) -> LeafEnd {
    let point = origin + direction * t;
    // The parameter comes from the origin and the direction: their terms may cancel.
    let magnitude = origin.abs() + direction.abs() * t;
    let linear = region.half_spaces().iter().map(|half_space| {
        let normal = half_space.normal();
        (half_space.value(point), normal, normal.abs().dot(magnitude) + half_space.offset().abs())
    });
    let curved = region.quadrics().iter().map(|quadric| {
        let terms = (quadric.matrix().abs() * magnitude + quadric.linear().abs()).dot(magnitude);
        (quadric.value(point), quadric.gradient(point), terms + quadric.constant().abs())
    });
    let functions = linear.chain(curved).filter_map(|(value, gradient, terms)| {
        let unit = robust_normalize(gradient)?;
        let steepness = gradient.dot(unit);
        Some(((value / steepness).abs(), unit, REGION_ROUNDING * terms / steepness))
    });
    let nearest = functions.min_by(|a, b| a.0.total_cmp(&b.0));
    let error = nearest.map_or(0.0, |(_, unit, offset)| error_along(direction, unit, offset));
    LeafEnd { t, error, normal: nearest.map(|(_, unit, _)| unit) }
}

/// Returns the box of the half-spaces whose normals are along an axis.
fn axis_bounds(half_spaces: &[HalfSpace]) -> Aabb {
    let mut bounds = EVERYWHERE;
    for half_space in half_spaces {
        let normal = half_space.normal();
        for axis in (0..3).filter(|&axis| normal[axis].abs() == normal.length() && normal[axis] != 0.0) {
            let bound = -half_space.offset() / normal[axis];
            if normal[axis] > 0.0 {
                bounds.max[axis] = bounds.max[axis].min(bound.next_up());
            } else {
                bounds.min[axis] = bounds.min[axis].max(bound.next_down());
            }
        }
    }
    bounds
}
