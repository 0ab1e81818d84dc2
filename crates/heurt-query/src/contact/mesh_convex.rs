//! A placed mesh and a placed convex shape: a hull is asked as the mesh that it is and all within its margin, a half-space has a
//! closed form, and what is curved is measured against each triangle near by.

use super::convex_convex::convex_contact;
use super::{Contact, ContactPoint, Feature, of_meshes};
use crate::algo::convex_pair::ConvexPair;
use crate::algo::half_space::{height_over, lowest, triangles_near};
use crate::algo::mesh_depth::{Body, MeshDepth, mesh_depth, moved, until_free};
use crate::algo::mesh_manifold::{MOST_LOOKED_AT, Near, Surface, near_points, reduced};
use crate::algo::round_triangles;
use crate::budget::Spending;
use crate::distance::{Distance, distance_within};
use crate::overlap::overlap;
use heurt_geometry::Pose;
use heurt_shape::{Convex, Core, MeshShape};

/// Finds how a mesh (A) and a convex shape (B) touch, if they are not farther apart than `margin`.
pub(crate) fn mesh_convex_contact(
    mesh: &MeshShape,
    pose: &Pose,
    convex: &Convex,
    pose_convex: &Pose,
    margin: f64,
) -> Option<Contact> {
    let pair = Pair { mesh, pose, convex, pose_convex };
    let told = match overlap(mesh, pose, convex, pose_convex) {
        None => pair.apart(margin)?,
        Some(_) => pair.overlapping(margin),
    };
    (told.separation <= margin).then_some(told)
}

#[derive(Clone, Copy)]
struct Pair<'a> {
    mesh: &'a MeshShape,
    pose: &'a Pose,
    convex: &'a Convex,
    pose_convex: &'a Pose,
}

impl Pair<'_> {
    fn apart(&self, margin: f64) -> Option<Contact> {
        let found = distance_within(self.mesh, self.pose, self.convex, self.pose_convex, margin)?;
        // Apart by less than a distance can tell: as after the way out.
        let Some(normal) = found.normal else { return Some(self.overlapping(margin)) };
        let points = self.points(&Near::apart(found.distance, margin));
        Some(of_meshes::apart(&found, normal, points))
    }

    fn overlapping(&self, margin: f64) -> Contact {
        let depth = match self.convex.core() {
            Core::HalfSpace { .. } => self.depth_below(),
            _ => {
                let body = Body::of_mesh(self.mesh, self.pose, || self.meeting());
                mesh_depth(&body, &Body::new(self.convex.into(), self.pose_convex), &Spending::default())
            }
        };
        let found = distance_within(self.mesh, self.pose, self.convex, self.pose_convex, 0.0);
        let found = found.unwrap_or_else(|| Distance::common(self.pose.translation(), None));
        let points = self.points(&Near::parted(&depth, margin));
        of_meshes::overlapping(&depth, points, (found.point_a, found.primitives))
    }

    /// The depth below a half-space: that of the lowest vertex.
    fn depth_below(&self) -> MeshDepth {
        let gap = lowest(self.convex, self.pose_convex, self.mesh, self.pose).gap;
        let depth = MeshDepth {
            at_least: (-gap.length - gap.error).max(0.0),
            at_most: (-gap.length).max(0.0),
            normal: -gap.normal,
        };
        let ulp = gap.error / 8.0 + f64::from_bits(1);
        until_free(depth, ulp, |shift| {
            let pose = moved(self.pose_convex, shift);
            pose.is_some_and(|pose| overlap(self.mesh, self.pose, self.convex, &pose).is_none())
        })
    }

    /// The triangles that meet the convex shape, ascending.
    fn meeting(&self) -> Vec<u32> {
        let near = round_triangles::near(self.mesh, self.pose, self.convex, self.pose_convex, 0.0, usize::MAX);
        let meets = |&triangle: &u32| self.of_triangle(triangle, self.pose_convex, 0.0).is_some();
        near.unwrap_or_default().into_iter().filter(meets).collect()
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
                near_points(&[Surface::of_mesh(self.mesh, self.pose), of_hull], near)
            }
            Core::HalfSpace { .. } => self.points_below(near),
            Core::Round(_) => self.points_of_round(near),
        }
    }

    /// The vertices near a half-space or below it.
    fn points_below(&self, near: &Near) -> Vec<ContactPoint> {
        let mut points = Vec::new();
        let stars = self.mesh.vertex_stars();
        for triangle in triangles_near(self.convex, self.pose_convex, self.mesh, self.pose, near.margin) {
            for corner in self.mesh.mesh().triangles()[triangle as usize] {
                let vertex = stars.representative(corner);
                if stars.round(vertex).first() != Some(&triangle) {
                    continue;
                }
                let place = self.pose.place(self.mesh.mesh().vertices()[corner as usize]);
                let (height, up) = height_over(self.convex, self.pose_convex, place);
                if height <= near.margin {
                    points.push(ContactPoint {
                        point: place - up * (height * 0.5),
                        normal: -up,
                        separation: height,
                        features: [Feature::Corner(vertex), Feature::Face(0)],
                        primitives: [triangle, 0],
                    });
                }
            }
        }
        reduced(points, 0.0)
    }

    /// Where the surface of the mesh is nearest to a curved shape once they are apart, triangle by triangle.
    fn points_of_round(&self, near: &Near) -> Vec<ContactPoint> {
        let Some(parted) = moved(self.pose_convex, near.shift) else { return Vec::new() };
        let listed = near.reaches(self.size()).into_iter().find_map(|reach| {
            let listed = round_triangles::near(self.mesh, self.pose, self.convex, &parted, reach, MOST_LOOKED_AT);
            listed.map(|triangles| (reach, triangles))
        });
        let Some((reach, triangles)) = listed else { return Vec::new() };
        let surface = Surface::of_mesh(self.mesh, self.pose);
        let mut points = Vec::new();
        for triangle in triangles {
            let Some(found) = self.of_triangle(triangle, &parted, reach) else { continue };
            for of_triangle in &found.points {
                let separation = of_triangle.separation - found.normal.dot(near.shift);
                let on_mesh = of_triangle.point - found.normal * (of_triangle.separation * 0.5);
                let Some(feature) = surface.feature_that_faces(triangle, on_mesh, found.normal) else { continue };
                if separation <= near.margin {
                    points.push(ContactPoint {
                        point: of_triangle.point - near.shift * 0.5,
                        normal: found.normal,
                        separation,
                        features: [feature, of_triangle.features[1]],
                        primitives: [triangle, 0],
                    });
                }
            }
        }
        reduced(points, 1e-9 * self.size())
    }

    /// About how large both are.
    fn size(&self) -> f64 {
        let size = self.mesh.bounds().half_extents().max_element() + self.convex.bounds().half_extents().max_element();
        if size.is_finite() { size } else { self.mesh.bounds().half_extents().max_element() }
    }
}
