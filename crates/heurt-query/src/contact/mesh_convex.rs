//! A placed mesh and a placed convex shape: a hull is queried as the mesh that it is and all within its margin, a
//! half-space has a closed form, and what is curved is measured against each triangle near by.

use super::is_separated;
use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::contact::DepthBounds;
use crate::answer::contact::{Contact, ContactPoint};
use crate::answer::distance::{BudgetedDistance, Distance};
use crate::answer::feature::Feature;
use crate::answer::overlap::{Side, Witness};
use crate::answer::placed::{Placed, PlacedMeshShape, PlacedShape};
use crate::contact::assemble;
use crate::contact::assemble::along_points;
use crate::contact::box_fallback::contact_by_boxes;
use crate::convex::contact::convex_contact;
use crate::convex::distance::convex_distance_within;
use crate::convex::half_space::{below, height_over, reaches_into, triangles_near};
use crate::convex::nearest_triangle;
use crate::convex::pair::{ConvexPair, Gap};
use crate::depth::operand::DepthOperand;
use crate::depth::{lengthen_until_separated, mesh_depth};
use crate::distance::distance_metered;
use crate::mesh::manifold::{Surface, limit_rounding, near_points, reduced};
use crate::mesh::near_pairs::{MAX_LOOKED_AT, Near};
use crate::mesh::overlap::point_inside;
use crate::mesh::walk::pair_walk::place;
use crate::overlap::overlap_metered;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Core, MeshShape};

/// Finds how a mesh (A) and a convex shape (B) touch, if they are not farther from each other than `margin`; as long as
/// there is something to spend.
pub(crate) fn mesh_convex_contact(
    Placed { shape: mesh, pose }: PlacedMeshShape<'_>,
    Placed { shape: convex, pose: pose_convex }: Placed<'_, &Convex>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    let pair = MeshConvexPair { mesh, pose, convex, pose_convex, meter };
    if convex.is_half_space() {
        return pair.over_half_space(margin);
    }
    let result = match overlap_metered(Placed::new(mesh.into(), pose), Placed::new(convex.into(), pose_convex), meter) {
        None if meter.was_interrupted() => return None,
        None => pair.disjoint_contact(margin)?,
        Some(witness) => pair.overlapping(margin, || {
            common_of(witness, Placed::new(mesh, pose), Placed::new(convex, pose_convex), meter)
        })?,
    };
    (result.separation <= margin).then_some(result)
}

/// A point at which a mesh and a bounded convex shape overlap, or near it, from a witness.
pub(super) fn common_of(
    witness: Witness,
    Placed { shape: mesh, pose }: PlacedMeshShape<'_>,
    Placed { shape: convex, pose: pose_convex }: Placed<'_, &Convex>,
    meter: &WorkMeter<'_>,
) -> Distance {
    let of_convex = || match convex.core() {
        Core::Hull(hull) => pose_convex.place(hull.corners()[0]),
        _ => pose_convex.translation(),
    };
    match (witness, convex.core()) {
        (Witness::Primitives { a, .. }, _) => {
            meter.add_pair();
            let near = Convex::triangle(mesh.mesh().corners(a)).ok().and_then(|flat| {
                let pair = ConvexPair { a: &flat, pose_a: pose, b: convex, pose_b: pose_convex };
                convex_distance_within(pair, f64::INFINITY)
            });
            let point = near.map_or_else(|| place(mesh, pose, a)[0], |near| near.point_a);
            Distance::common(point, Some([a, 0]))
        }
        (Witness::Contained(Side::A), Core::Hull(hull)) => {
            let own_meter = WorkMeter::default();
            let inside = point_inside(Placed::new(mesh, pose), Placed::new(hull.surface(), pose_convex), &own_meter);
            meter.add(own_meter.done());
            Distance::common(inside.unwrap_or_else(of_convex), None)
        }
        (Witness::Contained(_), _) => Distance::common(of_convex(), None),
    }
}

#[derive(Clone, Copy)]
struct MeshConvexPair<'a> {
    mesh: &'a MeshShape,
    pose: &'a Pose,
    convex: &'a Convex,
    pose_convex: &'a Pose,
    meter: &'a WorkMeter<'a>,
}

impl<'a> MeshConvexPair<'a> {
    fn placed(&self) -> [PlacedShape<'a>; 2] {
        [Placed::new(self.mesh.into(), self.pose), Placed::new(self.convex.into(), self.pose_convex)]
    }

    /// The height of the lowest vertex over a half-space decides all.
    fn over_half_space(&self, margin: f64) -> Option<Contact> {
        let lowest = below(self.convex, self.pose_convex, self.mesh, self.pose, self.meter);
        let Budgeted::Complete(lowest) = lowest else { return None };
        let found = Distance::over_half_space(&lowest.gap, Some([lowest.triangle, 0]));
        let result = match found.normal {
            Some(_) if found.distance > margin => return None,
            Some(normal) => {
                let points = self.points(&Near::from_distance(found.distance, margin));
                assemble::disjoint_contact(&found, normal, points)
            }
            None => {
                let depth = self.depth_below(&lowest.gap);
                let points = self.points(&Near::parted(&depth, margin));
                assemble::overlapping(&depth, points, (found.point_a, found.primitives))
            }
        };
        (result.separation <= margin).then_some(result)
    }

    fn distance(&self, max: f64) -> BudgetedDistance {
        let [on_mesh, on_convex] = self.placed();
        distance_metered(on_mesh, on_convex, max, self.meter)
    }

    fn disjoint_contact(&self, margin: f64) -> Option<Contact> {
        let Budgeted::Complete(found) = self.distance(margin) else { return None };
        let found = found?;
        // Disjoint by less than the error of a distance: as after a separating translation.
        let Some(normal) = found.normal else {
            let result = self.overlapping(margin, || found);
            return result.filter(|_| !self.meter.was_interrupted());
        };
        let points = self.points(&Near::from_distance(found.distance, margin));
        Some(assemble::disjoint_contact(&found, normal, points))
    }

    /// The contact of shapes that overlap; `common` a point of both, where nothing is left to spend on a better one.
    fn overlapping(&self, margin: f64, common: impl FnOnce() -> Distance) -> Option<Contact> {
        let found = match self.distance(0.0) {
            Budgeted::Complete(found) => found.unwrap_or_else(|| Distance::common(self.pose.translation(), None)),
            Budgeted::Partial(_) => common(),
        };
        if self.meter.is_exhausted() {
            let [on_mesh, on_convex] = self.placed();
            return contact_by_boxes(on_mesh, on_convex, &found);
        }
        let body = DepthOperand::of_mesh(self.mesh, self.pose, || self.intersecting_triangles());
        let depth = mesh_depth(
            &body,
            &DepthOperand::new(self.convex.into(), self.pose_convex),
            &|a, b, shift| is_separated(a, b, shift, self.meter),
            self.meter,
        );
        let near = Near::parted(&depth, margin);
        let points = self.points(&near);
        let [on_mesh, on_convex] = self.placed();
        let is_separated = |shift: Vec3| is_separated(on_mesh, on_convex, shift, self.meter);
        let depth = along_points(depth, &points, self.rounding(&near), is_separated);
        Some(assemble::overlapping(&depth, points, (found.point_a, found.primitives)))
    }

    /// The depth of the lowest vertex below a half-space: its proof is not cut by a budget.
    fn depth_below(&self, gap: &Gap) -> DepthBounds {
        let depth = DepthBounds {
            at_least: (-gap.length - gap.error).max(0.0),
            at_most: (-gap.length).max(0.0),
            normal: -gap.normal,
        };
        let ulp = gap.error / 8.0 + f64::from_bits(1);
        lengthen_until_separated(depth, ulp, |shift| {
            self.pose_convex.translated(shift).is_some_and(|pose| {
                let (reaches, work) = reaches_into(self.convex, &pose, self.mesh, self.pose);
                self.meter.add(work);
                !reaches
            })
        })
    }

    /// The triangles that meet the convex shape, ascending, as many as there is something to spend for.
    fn intersecting_triangles(&self) -> Vec<u32> {
        let at = self.pose_convex;
        let near = nearest_triangle::near(self.mesh, self.pose, self.convex, at, 0.0, usize::MAX, self.meter);
        let should_continue = |_: &u32| !self.meter.is_exhausted();
        let meets = |&triangle: &u32| self.of_triangle(triangle, at, 0.0).is_some();
        near.unwrap_or_default().into_iter().take_while(should_continue).filter(meets).collect()
    }

    /// How a triangle touches the convex shape on another pose.
    fn of_triangle(&self, triangle: u32, pose_convex: &Pose, margin: f64) -> Option<Contact> {
        let flat = Convex::triangle(self.mesh.mesh().corners(triangle)).ok()?;
        convex_contact(ConvexPair { a: &flat, pose_a: self.pose, b: self.convex, pose_b: pose_convex }, margin)
    }

    fn points(&self, near: &Near) -> Vec<ContactPoint> {
        match self.convex.core() {
            Core::Hull(hull) => {
                let of_hull = Surface {
                    mesh: hull.surface(),
                    pose: self.pose_convex,
                    margin: self.convex.margin(),
                    hull: Some(hull),
                };
                near_points(&[Surface::of_mesh(self.mesh, self.pose), of_hull], near, self.meter)
            }
            Core::HalfSpace { .. } => self.points_below(near),
            Core::Round(_) => self.points_of_round(near),
        }
    }

    /// The vertices near a half-space or below it.
    fn points_below(&self, near: &Near) -> Vec<ContactPoint> {
        let mut points = Vec::new();
        let stars = self.mesh.vertex_stars();
        let (plane, at) = (self.convex, self.pose_convex);
        let limit = near.margin + self.rounding(near);
        for triangle in triangles_near(plane, at, self.mesh, self.pose, limit, self.meter) {
            if self.meter.is_exhausted() {
                break;
            }
            for corner in self.mesh.mesh().triangles()[triangle as usize] {
                let vertex = stars.representative(corner);
                if stars.round(vertex).first() != Some(&triangle) {
                    continue;
                }
                let place = self.pose.place(self.mesh.mesh().vertices()[corner as usize]);
                let (height, up) = height_over(self.convex, self.pose_convex, place);
                if height <= limit {
                    points.push(ContactPoint {
                        point: place - up * (height * 0.5),
                        normal: -up,
                        separation: height.min(near.margin),
                        features: [Feature::Corner(vertex), Feature::Face(0)],
                        primitives: [triangle, 0],
                    });
                }
            }
        }
        reduced(points, 0.0)
    }

    /// The places of the mesh nearest to a curved shape once they are disjoint, triangle by triangle.
    fn points_of_round(&self, near: &Near) -> Vec<ContactPoint> {
        let Some(parted) = self.pose_convex.translated(near.shift) else { return Vec::new() };
        let rounding = self.rounding(near);
        let listed = near.reaches(self.size()).into_iter().find_map(|reach| {
            let (most, meter, reach) = (MAX_LOOKED_AT, self.meter, reach + rounding);
            let listed = nearest_triangle::near(self.mesh, self.pose, self.convex, &parted, reach, most, meter);
            listed.map(|triangles| (reach, triangles))
        });
        let Some((reach, triangles)) = listed else { return Vec::new() };
        let surface = Surface::of_mesh(self.mesh, self.pose);
        let mut points = Vec::new();
        for triangle in triangles {
            if self.meter.is_exhausted() {
                break;
            }
            let Some(found) = self.of_triangle(triangle, &parted, reach) else { continue };
            for of_triangle in &found.points {
                let separation = of_triangle.separation - found.normal.dot(near.shift);
                let on_mesh = of_triangle.point - found.normal * (of_triangle.separation * 0.5);
                let Some(feature) = surface.feature_that_faces(triangle, on_mesh, found.normal) else { continue };
                if separation <= near.margin + rounding {
                    points.push(ContactPoint {
                        point: of_triangle.point - near.shift * 0.5,
                        normal: found.normal,
                        separation: separation.min(near.margin),
                        features: [feature, of_triangle.features[1]],
                        primitives: [triangle, 0],
                    });
                }
            }
        }
        reduced(points, 1e-9 * self.size())
    }

    /// Bounds the rounding error of separations.
    fn rounding(&self, near: &Near) -> f64 {
        limit_rounding(self.placed(), near.shift)
    }

    /// Approximate size of both.
    fn size(&self) -> f64 {
        let size = self.mesh.bounds().half_extents().max_element() + self.convex.bounds().half_extents().max_element();
        if size.is_finite() { size } else { self.mesh.bounds().half_extents().max_element() }
    }
}
