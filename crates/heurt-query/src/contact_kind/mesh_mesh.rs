//! Contact kind of two placed meshes that meet: touching, crossing or contained.
//!
//! Method: meshes cross if two of their triangles pass through each other, or if two solids have coplanar triangles
//! with the same orientation that share area; both are decided exactly. Else the insides can still overlap: aligned
//! boxes do, without any two triangles that pass through each other. A pair of triangles is harmless if one of them
//! lies wholly on the outer side of the second one's plane (exact, too). Around the intersection of each remaining
//! pair, points of both triangles are located in the opposite solid. The connected parts of a shape that meet nothing
//! are located by a vertex.
//! Guarantees: [`ContactKind::Crossing`] is proved, and returned for every pair of triangles that pass through each
//! other.
//! Not guaranteed: points are rounded, so a point counts as inside only if it lies deeper than the rounding error;
//! solids that overlap only in slivers between those points are classified as touching. A solid whose triangles all
//! face inwards is treated as if they faced outwards. If parts of a solid have both orientations, flush faces may be
//! misclassified.
//! Cost: O(triangles + pairs), and [`POINTS`] point locations on each side for each of at most [`MAX_SAMPLED`] doubtful
//! pairs.

use super::ContactKind;
use crate::answer::closest::Location;
use crate::answer::overlap::Witness;
use crate::answer::placed::Placed;
use crate::closest::closest;
use crate::mesh::pairs::mesh_pairs;
use crate::mesh::winding::winding_number;
use crate::overlap::overlap;
use heurt_geometry::{
    Pose, Section, Sign, Triangle, TriangleRelation, Vec2, Vec3, is_degenerate, orient2d, orient3d, section,
    triangle_relation,
};
use heurt_shape::MeshShape;

/// Limit of doubtful pairs that are sampled.
const MAX_SAMPLED: usize = 512;

/// Points of a triangle that are located in the opposite solid.
const POINTS: usize = 7;

/// One of the two shapes, with its pose.
#[derive(Clone, Copy)]
struct PlacedSurface<'s> {
    shape: &'s MeshShape,
    pose: &'s Pose,
    /// Whether the triangles face inwards.
    is_inverted: bool,
}

/// Classifies how the placed meshes meet.
pub fn contact_kind(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> ContactKind {
    match overlap(a, pose_a, b, pose_b) {
        None => ContactKind::Disjoint,
        Some(Witness::Contained(inner)) => ContactKind::Contained { inner },
        Some(Witness::Primitives { .. }) => {
            let pairs = mesh_pairs(Placed::new(a, pose_a), Placed::new(b, pose_b));
            contact_kind_of(a, pose_a, b, pose_b, &pairs)
        }
    }
}

/// [`contact_kind`] for a caller that already has all intersecting pairs, as listed by [`pairs()`](crate::pairs()).
///
/// # Panics
/// If a pair names a triangle that a mesh does not have.
pub fn contact_kind_of(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose, pairs: &[[u32; 2]]) -> ContactKind {
    if pairs.is_empty() {
        return contact_kind(a, pose_a, b, pose_b);
    }
    let both_solid = a.is_exact_solid() && b.is_exact_solid();
    let (a, b) = (PlacedSurface::new(a, pose_a), PlacedSurface::new(b, pose_b));
    let mut doubtful = Vec::new();
    for &[i, j] in pairs {
        let [one, other] = [a.triangle(i), b.triangle(j)];
        match meet(&one, &other, both_solid) {
            Meet::Through => return ContactKind::Crossing,
            Meet::Outside => {}
            Meet::Unclear => doubtful.push([i, j]),
        }
    }
    let stride = doubtful.len().div_ceil(MAX_SAMPLED).max(1);
    let enters = doubtful.iter().step_by(stride).any(|&[i, j]| {
        let [one, other] = [a.triangle(i), b.triangle(j)];
        let middle = middle_of(section(&one, &other));
        b.holds_some(points_near(middle, &one)) || a.holds_some(points_near(middle, &other))
    });
    if enters || a.has_part_in(b) || b.has_part_in(a) { ContactKind::Crossing } else { ContactKind::Touching }
}

impl<'s> PlacedSurface<'s> {
    fn new(shape: &'s MeshShape, pose: &'s Pose) -> Self {
        Self { shape, pose, is_inverted: shape.is_exact_solid() && shape.is_inverted() }
    }

    /// Returns the placed corners, counter-clockwise seen from outside a solid.
    fn triangle(self, triangle: u32) -> Triangle {
        let [a, b, c] = self.shape.mesh().corners(triangle).map(|corner| self.pose.place(corner));
        if self.is_inverted { [a, c, b] } else { [a, b, c] }
    }

    /// Reports whether one of `points` lies inside, farther from the surface than its rounding error.
    fn holds_some(self, points: [Vec3; POINTS]) -> bool {
        const ROUNDING: f64 = 64.0 * f64::EPSILON;
        self.shape.is_solid()
            && points.into_iter().any(|point| {
                let found = closest(self.shape, self.pose, point);
                found.inside == Some(true) && found.distance > found.error + ROUNDING * point.abs().max_element()
            })
    }

    /// Reports whether a vertex of some connected part lies strictly inside `other`.
    fn has_part_in(self, other: Self) -> bool {
        other.shape.is_solid()
            && self.shape.components().iter().any(|component| {
                let vertex = self.pose.place(self.shape.mesh().vertices()[component.vertex as usize]);
                matches!(winding_number(other.shape, other.pose, vertex), Location::Winding(turns) if turns != 0)
            })
    }
}

/// How two intersecting triangles meet, decided from these two alone.
enum Meet {
    /// The insides of their solids overlap near by.
    Through,
    /// A triangle lies wholly on the outer side of the second one.
    Outside,
    /// The neighbours of the triangles decide.
    Unclear,
}

fn meet(one: &Triangle, other: &Triangle, both_solid: bool) -> Meet {
    // A triangle without area bounds no inside: its neighbours decide.
    if is_degenerate(one) || is_degenerate(other) {
        return Meet::Outside;
    }
    if triangle_relation(one, other) == TriangleRelation::Crossing {
        return Meet::Through;
    }
    let below = |[a, b, c]: &Triangle, of: &Triangle| of.iter().any(|&p| orient3d(*a, *b, *c, p) == Sign::Negative);
    let above = |[a, b, c]: &Triangle, of: &Triangle| of.iter().any(|&p| orient3d(*a, *b, *c, p) == Sign::Positive);
    let coplanar = !below(one, other) && !above(one, other);
    match coplanar {
        true if both_solid && face_alike(one, other) && share_area(one, other) => Meet::Through,
        true => Meet::Outside,
        false if both_solid && (!below(one, other) || !below(other, one)) => Meet::Outside,
        false => Meet::Unclear,
    }
}

/// Projection axes: a triangle with area has area along at least one of them.
const VIEWS: [fn(Vec3) -> Vec2; 3] = [|p| Vec2::new(p.y, p.z), |p| Vec2::new(p.z, p.x), |p| Vec2::new(p.x, p.y)];

fn turn(view: fn(Vec3) -> Vec2, [a, b, c]: &Triangle) -> Sign {
    orient2d(view(*a), view(*b), view(*c))
}

/// Reports whether two coplanar triangles with area have the same orientation.
fn face_alike(one: &Triangle, other: &Triangle) -> bool {
    VIEWS.into_iter().any(|view| turn(view, one) != Sign::Zero && turn(view, one) == turn(view, other))
}

/// Reports whether two coplanar triangles with area, of the same orientation, have more than a line in common.
fn share_area(one: &Triangle, other: &Triangle) -> bool {
    let Some(view) = VIEWS.into_iter().find(|&view| turn(view, one) != Sign::Zero) else { return false };
    let inner = turn(view, one);
    // Convex sets in a plane have no inner point in common exactly if a side of one of them separates them.
    let parts = |from: &Triangle, of: &Triangle| {
        (0..3).any(|side| {
            let [p, q] = [from[side], from[(side + 1) % 3]];
            of.iter().all(|&corner| orient2d(view(p), view(q), view(corner)) != inner)
        })
    };
    !parts(one, other) && !parts(other, one)
}

/// Returns the middle of the intersection of two triangles.
fn middle_of(section: Section) -> Vec3 {
    let points = match section {
        Section::Point(point) => vec![point.position],
        Section::Segment(ends) => ends.map(|end| end.position).to_vec(),
        Section::Coplanar(points) => points,
        _ => Vec::new(),
    };
    points.iter().fold(Vec3::ZERO, |sum, &point| sum + point / points.len() as f64)
}

/// Returns points of a triangle around one of its points: halfway to corners, middles of sides and the centroid.
fn points_near(point: Vec3, corners: &Triangle) -> [Vec3; POINTS] {
    let [a, b, c] = corners.map(|corner| corner / 2.0);
    [a + a, b + b, c + c, a + b, b + c, c + a, (a + b + c) / 1.5].map(|target| (point + target) / 2.0)
}
