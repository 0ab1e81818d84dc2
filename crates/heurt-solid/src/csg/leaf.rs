//! Queries of leaves in their own frame: membership, interior, intervals of rays, normals, bounds.
//!
//! In: a leaf, a point or a ray in the frame of the leaf. Out: the answers of its kind.
//! Method: shapes are queried by `heurt_query`, half-spaces by their functions.
//! Guarantees: membership is exact for linear half-spaces, meshes and hulls; curved shapes and quadrics are decided by
//! rounded values. The interior of a shape other than a mesh is where the distance to the boundary is above 0.

use super::CsgLeaf;
use crate::half_space::{Boundedness, HalfSpace, QuadricIntersection};
use crate::interval_set::IntervalSet;
use heurt_geometry::{Aabb, Pose, Vec3, robust_normalize};
use heurt_query::{Location, Ray, closest, contains, ray_all, winding_number};
use heurt_shape::Shape;

/// The box of the whole space.
pub(super) const EVERYWHERE: Aabb = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

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

    /// Computes the intervals of the λ in [0, `max_t`] with `origin` + λ `direction` inside.
    pub(super) fn ray_intervals(&self, origin: Vec3, direction: Vec3, max_t: f64, leaf: u32) -> IntervalSet {
        match self {
            Self::Region(region) => IntervalSet::from_intervals(&region.ray_intervals(origin, direction, max_t), leaf),
            Self::Shape(shape) => match Ray::new(origin, direction, max_t) {
                Ok(ray) => IntervalSet::from_intervals(&ray_all(shape, &Pose::IDENTITY, &ray).intervals, leaf),
                Err(_) => IntervalSet::default(),
            },
        }
    }

    /// Computes the unit normal of the boundary near the point at λ = `t` of a ray, on either side; `None` without one.
    pub(super) fn normal(&self, origin: Vec3, direction: Vec3, t: f64) -> Option<Vec3> {
        let point = origin + direction * t;
        match self {
            Self::Region(region) => region_normal(region, point),
            Self::Shape(shape) => {
                let hits = ray_all(shape, &Pose::IDENTITY, &Ray::new(origin, direction, f64::INFINITY).ok()?).hits;
                let nearest = hits.iter().min_by(|a, b| (a.hit.t - t).abs().total_cmp(&(b.hit.t - t).abs()))?;
                Some(nearest.hit.normal)
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

/// Returns the unit gradient of the function whose boundary is nearest to the point to first order.
fn region_normal(region: &QuadricIntersection, point: Vec3) -> Option<Vec3> {
    let linear = region.half_spaces().iter().map(|half_space| (half_space.value(point), half_space.normal()));
    let curved = region.quadrics().iter().map(|quadric| (quadric.value(point), quadric.gradient(point)));
    let unit = linear.chain(curved).filter_map(|(value, gradient)| {
        let unit = robust_normalize(gradient)?;
        Some(((value / gradient.dot(unit)).abs(), unit))
    });
    unit.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, unit)| unit)
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
