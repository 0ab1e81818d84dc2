//! Bounding boxes of placed shapes, in the world frame.
//!
//! Guarantees: every point of the placed shape is inside, for any rounding of the placement. Tight for convex shapes
//! and small meshes; for other meshes the box of the placed box, at most √3 times as large.

use crate::{Convex, Core, MeshShape, ShapeRef, SuperquadricShape};
use heurt_geometry::{Aabb, Pose, Vec3};

/// Maximum number of vertices of a mesh, or parts of a compound, that are bounded one by one.
const FEW: usize = 64;

impl ShapeRef<'_> {
    /// Returns a box that holds the placed shape; a half-space is bounded only if its normal is along an axis.
    pub fn bounds_at(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Mesh(mesh) => of_mesh(mesh, pose),
            Self::Convex(convex) => of_convex(convex, pose),
            Self::Compound(compound) if compound.parts().len() <= FEW => {
                let parts = compound.parts().iter().enumerate();
                let place = |(number, part): (usize, &crate::Part)| {
                    ShapeRef::from(&part.shape).bounds_at(&compound.place(number as u32, pose))
                };
                parts.map(place).fold(Aabb::EMPTY, Aabb::union)
            }
            Self::Compound(compound) => of_box(compound.bounds(), pose),
            Self::Rounded(rounded) => {
                let core = of_mesh(rounded.mesh(), pose);
                let margin = rounded.margin() * (1.0 + 4.0 * pose.defect() + 4.0 * f64::EPSILON);
                widened(&core, margin)
            }
            Self::Superquadric(shape) => of_superquadric(shape, pose),
        }
    }
}

fn of_mesh(mesh: &MeshShape, pose: &Pose) -> Aabb {
    if mesh.mesh().vertices().len() > FEW {
        return of_box(mesh.bounds(), pose);
    }
    let used = mesh.mesh().triangles().iter().flatten();
    about(used.map(|&vertex| mesh.mesh().vertices()[vertex as usize]), pose)
}

fn of_box(bounds: &Aabb, pose: &Pose) -> Aabb {
    about(bounds.corners(), pose)
}

/// Returns the box of placed points. All code places points with the same rounding; the widening is a safety margin.
fn about(points: impl IntoIterator<Item = Vec3>, pose: &Pose) -> Aabb {
    let placed = Aabb::from_points(points.into_iter().map(|point| pose.place(point)));
    widened(
        &placed,
        4.0 * f64::EPSILON * (placed.min.abs().max(placed.max.abs()).max_element() + pose.max_translation()),
    )
}

fn of_convex(convex: &Convex, pose: &Pose) -> Aabb {
    if let Core::HalfSpace { normal, offset } = convex.core() {
        return of_half_space(*normal, *offset, convex.margin(), pose);
    }
    if let Core::Hull(hull) = convex.core() {
        // Sums are in another order than in `place`.
        let room = hull.max_coordinate() * (8.0 * pose.defect() + 64.0 * f64::EPSILON)
            + 8.0 * f64::EPSILON * pose.max_translation();
        let by = convex.margin() * (1.0 + 8.0 * pose.defect() + 64.0 * f64::EPSILON) + room;
        let [low, high] = hull.extents(axes_seen(pose));
        return widened(&Aabb { min: low + pose.translation(), max: high + pose.translation() }, by);
    }
    let reach = ShapeRef::Convex(convex).max_coordinate();
    of_support(|direction| convex.support(direction), reach, pose)
}

fn of_superquadric(shape: &SuperquadricShape, pose: &Pose) -> Aabb {
    let support = |direction: Vec3| Some(shape.surface().support(direction) + direction * shape.margin());
    of_support(support, ShapeRef::Superquadric(shape).max_coordinate(), pose)
}

/// Returns the axes of the world in the frame of the shape.
fn axes_seen(pose: &Pose) -> [Vec3; 3] {
    let rows = pose.rotation().transpose();
    [rows.x_axis, rows.y_axis, rows.z_axis]
}

/// Returns the box of a shape of size `size` with the given support points.
fn of_support(support: impl Fn(Vec3) -> Option<Vec3>, size: f64, pose: &Pose) -> Aabb {
    let axes = axes_seen(pose);
    let reach = |axis: usize, sign: f64| {
        let point = support((axes[axis] * sign).normalize_or(Vec3::AXES[axis] * sign));
        point.map_or(sign * f64::INFINITY, |point| pose.place(point)[axis])
    };
    let side = |sign: f64| Vec3::new(reach(0, sign), reach(1, sign), reach(2, sign));
    // Rotations stretch and tilt a little, and supports of curved shapes are rounded.
    let room = size * (8.0 * pose.defect() + 64.0 * f64::EPSILON) + 8.0 * f64::EPSILON * pose.max_translation();
    widened(&Aabb { min: side(-1.0), max: side(1.0) }, room)
}

/// Returns the box of all points within `margin` of `normal`·x ≤ `offset`, placed.
fn of_half_space(normal: Vec3, offset: f64, margin: f64, pose: &Pose) -> Aabb {
    // Scaled to a length near 1, so that squares stay within the range of numbers.
    let unit = normal.abs().max_element();
    let (normal, offset) = (normal / unit, offset / unit);
    let offset = offset + margin * normal.length();
    let placed = *pose.rotation() * normal;
    let mut bounds = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    for axis in 0..3 {
        let across = [(axis + 1) % 3, (axis + 2) % 3];
        if pose.defect() != 0.0 || placed[axis] == 0.0 || across.iter().any(|&k| placed[k] != 0.0) {
            continue;
        }
        let length = normal.length();
        let edge = pose.place(normal * (offset / (length * length)))[axis];
        let room = 16.0 * f64::EPSILON * (edge.abs() + offset.abs() / length + pose.max_translation());
        match placed[axis] > 0.0 {
            true => bounds.max[axis] = edge + room,
            false => bounds.min[axis] = edge - room,
        }
    }
    bounds
}

fn widened(bounds: &Aabb, by: f64) -> Aabb {
    Aabb { min: bounds.min - by, max: bounds.max + by }
}
