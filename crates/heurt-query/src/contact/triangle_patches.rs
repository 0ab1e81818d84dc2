//! Contact points of a placed mesh and a placed bounded convex shape, or of two placed meshes, for a simulation step:
//! triangle by triangle.
//!
//! In: two shapes whose surfaces are within a margin. Out: a [`Contact`]: of the nearest triangles, with the points of
//! all of them, at most eight for each normal, as many as hold a body (`answer/patch`); of a curved shape four.
//! Method: each triangle near by is a convex shape of its own, with a manifold as of two convex shapes. Its normal
//! counts if it is the normal of the face, or if the surface around the edge or corner that it belongs to leads away
//! from it (`mesh/manifold`). Any other normal comes from an edge within the surface (an internal edge, over which a
//! body would stumble): there the part of the second shape over the triangle counts, along the normal of the face. The
//! front of a face is the outside of a solid; for a sheet it is the side of the second shape's middle. A triangle of a
//! second mesh is a convex shape whose middle lies behind it, in its solid; it has no contact with what it faces away
//! from. Each mesh is the first one in turn.
//! Guarantees: deterministic; the deepest point of each normal stays. Not guaranteed: points where the middle of the
//! second shape lies behind all faces that it meets.
//! Cost: a manifold of two convex shapes for each triangle near by, at most [`MAX_TRIANGLES`], or for each pair of
//! them, at most 2,048.

use crate::answer::budget::WorkMeter;
use crate::answer::contact::{Contact, ContactPoint};
use crate::answer::feature::Feature;
use crate::answer::patch::keep_support_of_each_normal;
use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::convex::contact::convex_manifold_whole;
use crate::convex::manifold::{Facing, Naming, cut, feature_towards};
use crate::convex::nearest_triangle;
use crate::convex::pair::ConvexPair;
use crate::convex::support::{PlacedCore, Support};
use crate::mesh::manifold::{Surface, reduced};
use crate::mesh::near_pairs::{Near, pairs_to_look_at};
use crate::mesh::walk::pair_walk::place;
use heurt_geometry::{Triangle, Vec3, robust_normalize};
use heurt_shape::{Convex, Core};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Length of the difference of unit vectors that are one normal: 1 mrad, as in a patch.
const SAME_NORMAL: f64 = 1e-3;
/// Length of the difference of unit vectors that are equal up to rounding.
const EQUAL_NORMAL: f64 = 1e-12;
/// Cosine up to which a face opposes the normal of another one, so that it may lie over it: 75°. Faces at right angles
/// have contacts along normals of their edges only.
const OPPOSING: f64 = -0.25;
/// Triangles near a convex shape, beyond which the contact comes from the depth of both: some 30 ms of manifolds.
const MAX_TRIANGLES: usize = 1 << 14;
/// Rounding error of places and heights, in ε of the largest coordinate.
const ROUNDING: f64 = 64.0;

type PatchPoints = SmallVec<[ContactPoint; 4]>;

/// Finds the contact of a mesh (A) and a convex shape (B) within `margin` metres of each other; `None` if no triangle
/// is within it, or if too many are. A budget may end it earlier.
pub(super) fn mesh_convex_patches(
    mesh: PlacedMeshShape<'_>,
    convex: Placed<'_, &Convex>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    let rounding = rounding_of(mesh, convex.shape.core().max_coordinate() + convex.pose.max_translation());
    let reach = margin + rounding;
    let near = nearest_triangle::near(mesh.shape, mesh.pose, convex.shape, convex.pose, reach, MAX_TRIANGLES, meter)?;
    let middle = PlacedCore::new(convex.shape, convex.pose, 1.0)?.middle();
    let search = TriangleSide { mesh, surface: Surface::of_mesh(mesh.shape, mesh.pose), margin, rounding };
    let mut found = FoundPatches::default();
    for triangle in near {
        if meter.is_exhausted() {
            break;
        }
        meter.add_pair();
        let Ok(flat) = Convex::triangle(mesh.shape.mesh().corners(triangle)) else { continue };
        let pair = ConvexPair { a: &flat, pose_a: mesh.pose, b: convex.shape, pose_b: convex.pose };
        let Some(contact) = convex_manifold_whole(pair, margin) else { continue };
        if let Some(front) = front_of(mesh, triangle, middle) {
            search.add((triangle, &flat), front, &Second { convex, facet: None }, &contact, &mut found.points);
        }
        found.keep_nearest(contact);
    }
    found.contact(16.0 * rounding, matches!(convex.shape.core(), Core::Round(_)))
}

/// Finds the contact of two meshes within `margin` metres of each other; `None` if no triangles are within it. A budget
/// may end it earlier. The result does not depend on the trees of the meshes.
pub(super) fn mesh_mesh_patches(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    let rounding = rounding_of(a, b.shape.tree().frame().max_coordinate() + b.pose.max_translation());
    let size = |mesh: PlacedMeshShape<'_>| mesh.shape.bounds().half_extents().max_element();
    let pairs = pairs_to_look_at([a, b], &Near::from_distance(0.0, margin), (size(a) + size(b), rounding), meter);
    let sides =
        [a, b].map(|mesh| TriangleSide { mesh, surface: Surface::of_mesh(mesh.shape, mesh.pose), margin, rounding });
    let [centre_a, centre_b] = [a, b].map(|mesh| mesh.pose.place(mesh.shape.bounds().centre()));
    let (mut flats_a, mut flats_b) = (FlatTriangles::new(a, centre_b), FlatTriangles::new(b, centre_a));
    let mut found = FoundPatches::default();
    for [of_a, of_b] in pairs {
        if meter.is_exhausted() {
            break;
        }
        meter.add_pair();
        let (Some(flat_a), Some(flat_b)) = (flats_a.get(of_a), flats_b.get(of_b)) else { continue };
        let pair = ConvexPair { a: &flat_a.shape, pose_a: a.pose, b: &flat_b.shape, pose_b: b.pose };
        let Some(contact) = convex_manifold_whole(pair, margin) else { continue };
        found.points.extend(sides[0].points_of([(of_a, flat_a), (of_b, flat_b)], &sides[1], &contact));
        let seen = contact.clone().swapped();
        let of_second = sides[1].points_of([(of_b, flat_b), (of_a, flat_a)], &sides[0], &seen);
        found.points.extend(of_second.into_iter().map(ContactPoint::swapped));
        found.keep_nearest(contact);
    }
    found.contact(16.0 * rounding, false)
}

/// The rounding error of places and heights, in metres; `reach` is the largest coordinate of the second shape.
fn rounding_of(mesh: PlacedMeshShape<'_>, reach: f64) -> f64 {
    let own = mesh.shape.tree().frame().max_coordinate() + mesh.pose.max_translation();
    ROUNDING * f64::EPSILON * own.max(reach) + f64::MIN_POSITIVE
}

/// The nearest contact, and the points of all.
#[derive(Default)]
struct FoundPatches {
    nearest: Option<Contact>,
    points: PatchPoints,
}

impl FoundPatches {
    fn keep_nearest(&mut self, contact: Contact) {
        if self.nearest.as_ref().is_none_or(|known| contact.separation < known.separation) {
            self.nearest = Some(contact);
        }
    }

    /// Returns the contact, with a curved shape or not. Points at most `same` metres from each other along each axis
    /// are one.
    fn contact(mut self, same: f64, is_curved: bool) -> Option<Contact> {
        keep_support_of_each_normal(&mut self.points, is_curved);
        let points = reduced(self.points.into_vec(), same).into();
        Some(Contact { points, ..self.nearest? })
    }
}

/// A triangle of a mesh as a convex shape.
struct FlatTriangle {
    shape: Convex,
    /// A corner, in the world.
    corner: Vec3,
    /// The unit normal out of the solid; of a sheet towards the second mesh.
    outward: Vec3,
}

/// Triangles of a mesh that were needed.
struct FlatTriangles<'a> {
    mesh: PlacedMeshShape<'a>,
    /// The middle of the second mesh, in the world.
    opposite: Vec3,
    known: BTreeMap<u32, Option<FlatTriangle>>,
}

impl<'a> FlatTriangles<'a> {
    fn new(mesh: PlacedMeshShape<'a>, opposite: Vec3) -> Self {
        Self { mesh, opposite, known: BTreeMap::new() }
    }

    /// Returns a triangle; `None` for one without area.
    fn get(&mut self, triangle: u32) -> Option<&FlatTriangle> {
        let (mesh, opposite) = (self.mesh, self.opposite);
        let make = || {
            let (outward, _) = front_of(mesh, triangle, opposite)?;
            let shape = Convex::triangle(mesh.shape.mesh().corners(triangle)).ok()?;
            Some(FlatTriangle { shape, corner: place(mesh.shape, mesh.pose, triangle)[0], outward })
        };
        self.known.entry(triangle).or_insert_with(make).as_ref()
    }
}

/// Returns the unit normal of a triangle on its front, and whether a point is there; `None` for a triangle without
/// area. The front of a sheet is the side of the point.
fn front_of(mesh: PlacedMeshShape<'_>, triangle: u32, point: Vec3) -> Option<(Vec3, bool)> {
    let [a, b, c] = place(mesh.shape, mesh.pose, triangle);
    let normal = robust_normalize((b - a).cross(c - a))?;
    let height = normal.dot(point - a);
    Some(match (mesh.shape.is_exact_solid(), mesh.shape.is_inverted()) {
        (false, _) if height < 0.0 => (-normal, true),
        (false, _) => (normal, true),
        (true, false) => (normal, height >= 0.0),
        (true, true) => (-normal, height <= 0.0),
    })
}

/// The shape that meets a mesh: a convex shape, or a triangle of a second mesh.
struct Second<'a> {
    convex: Placed<'a, &'a Convex>,
    facet: Option<SecondFacet<'a>>,
}

/// A triangle of the second mesh.
struct SecondFacet<'a> {
    surface: &'a Surface<'a>,
    triangle: u32,
    outward: Vec3,
}

impl Second<'_> {
    /// Reports whether it is a curved shape with one lowest point against a normal.
    fn has_lowest_point(&self, normal: Vec3) -> bool {
        let Placed { shape, pose } = self.convex;
        matches!(shape.core(), Core::Round(_))
            && Facing::of(shape, pose, -normal).is_none_or(|facing| !facing.is_aligned())
    }

    /// Reports whether its own face opposes a normal that points to it; a convex shape is all around.
    fn opposes(&self, normal: Vec3) -> bool {
        self.facet.as_ref().is_none_or(|facet| facet.outward.dot(normal) <= OPPOSING)
    }

    /// Reports whether a contact belongs to an edge or a corner of its triangle around which its surface leads away. A
    /// place within a face has the normal of that face: it counts where that face is the first one.
    fn is_at_outer_edge(&self, contact: &Contact, rounding: f64) -> bool {
        self.facet.as_ref().is_none_or(|facet| {
            nearest_points(contact, rounding).any(|point| {
                let at = point.point + contact.normal * (0.5 * point.separation);
                is_edge(facet.surface.feature_that_faces(facet.triangle, at, -contact.normal))
            })
        })
    }

    fn primitive(&self) -> u32 {
        self.facet.as_ref().map_or(0, |facet| facet.triangle)
    }
}

struct TriangleSide<'a> {
    mesh: PlacedMeshShape<'a>,
    surface: Surface<'a>,
    margin: f64,
    /// Rounding error of places and heights, in metres.
    rounding: f64,
}

impl TriangleSide<'_> {
    /// Returns the points of a triangle and a triangle of a second mesh, given their contact.
    fn points_of(
        &self,
        [(triangle, flat), (facet, second)]: [(u32, &FlatTriangle); 2],
        other: &TriangleSide<'_>,
        contact: &Contact,
    ) -> PatchPoints {
        let mut points = PatchPoints::new();
        let inside = 0.5 * other.mesh.shape.bounds().half_extents().min_element();
        let Some(at) = contact.points.first() else { return points };
        let middle = at.point + contact.normal * (0.5 * at.separation) - second.outward * inside;
        let is_ahead = flat.outward.dot(middle - flat.corner) >= 0.0;
        let convex = Placed::new(&second.shape, other.mesh.pose);
        let facet = SecondFacet { surface: &other.surface, triangle: facet, outward: second.outward };
        let second = Second { convex, facet: Some(facet) };
        self.add((triangle, &flat.shape), (flat.outward, is_ahead), &second, contact, &mut points);
        points
    }

    /// Adds the points of a triangle and a second shape, given their contact, the normal of the front of the triangle,
    /// and whether the middle of the second shape is there.
    fn add(
        &self,
        (triangle, flat): (u32, &Convex),
        (front, is_ahead): (Vec3, bool),
        second: &Second<'_>,
        contact: &Contact,
        points: &mut PatchPoints,
    ) {
        let off_sq = (contact.normal - front).length_squared();
        let is_level = off_sq <= SAME_NORMAL * SAME_NORMAL;
        let opposes = second.opposes(front);
        let has_lowest_point = is_level && second.has_lowest_point(front);
        let is_equal = off_sq <= EQUAL_NORMAL * EQUAL_NORMAL;
        let is_over_known = has_lowest_point || is_level && opposes && !is_equal;
        if is_over_known {
            // The place along the normal of the face is exact. A search for nearest points knows it within the root of
            // the rounding error only, and across an edge within the face its normal is tilted.
            let known = points.len();
            self.add_over_face((triangle, flat), front, second, points);
            if has_lowest_point || points.len() > known {
                return;
            }
        }
        // A place that is nearest to an edge and not over the face is over another face, or at an outer edge.
        let is_of_outer_edge = || second.facet.is_some() && second.is_at_outer_edge(contact, self.rounding);
        if is_level && (is_equal && opposes || is_of_outer_edge()) || self.is_at_outer_edge(triangle, second, contact) {
            let normal = if is_level { front } else { contact.normal };
            let named = |point: &ContactPoint| ContactPoint { normal, ..self.named(triangle, second, point) };
            points.extend(contact.points.iter().map(named));
        } else if !is_over_known && is_ahead && opposes && self.is_shallowest_face(triangle, front, second) {
            self.add_over_face((triangle, flat), front, second, points);
        }
    }

    /// Reports whether no face around a triangle is penetrated by much less than the triangle: a wall whose foot dips
    /// into a plate has the whole plate behind it, and meets it along the normal of its base.
    fn is_shallowest_face(&self, triangle: u32, front: Vec3, second: &Second<'_>) -> bool {
        /// Share of the depth behind a face below which the depth behind another one is much less.
        const MUCH_LESS: f64 = 0.5;
        let Placed { shape: convex, pose } = second.convex;
        let Some(core) = PlacedCore::new(convex, pose, 1.0) else { return true };
        let height = |triangle: u32, front: Vec3| {
            let corner = place(self.mesh.shape, self.mesh.pose, triangle)[0];
            front.dot(core.support(-front).point - corner) - convex.margin()
        };
        let own = height(triangle, front);
        // Within the margin a wrong choice moves nothing far.
        if own >= -self.margin {
            return true;
        }
        let middle = core.middle();
        let is_less_deep = |other: u32| {
            let Some((front, _)) = front_of(self.mesh, other, middle) else { return false };
            (MUCH_LESS * own..=self.margin).contains(&height(other, front))
        };
        !self.surface.triangles_around(triangle).any(is_less_deep)
    }

    /// Reports whether a contact belongs to an edge or a corner of the triangle around which the surface leads away; so
    /// does the surface of a second mesh.
    fn is_at_outer_edge(&self, triangle: u32, second: &Second<'_>, contact: &Contact) -> bool {
        let is_outer = |point: &ContactPoint| {
            let at = point.point - contact.normal * (0.5 * point.separation);
            is_edge(self.surface.feature_that_faces(triangle, at, contact.normal))
        };
        nearest_points(contact, self.rounding).any(is_outer) && second.is_at_outer_edge(contact, self.rounding)
    }

    /// Adds the points of the second shape over a triangle, along the normal of the triangle.
    fn add_over_face(
        &self,
        (triangle, flat): (u32, &Convex),
        front: Vec3,
        second: &Second<'_>,
        points: &mut PatchPoints,
    ) {
        let Placed { shape: convex, pose } = second.convex;
        let corners = place(self.mesh.shape, self.mesh.pose, triangle);
        let mut add = |on_a: Vec3, on_b: Vec3, separation: f64, features| {
            if separation <= self.margin + self.rounding {
                let separation = separation.min(self.margin);
                let point = (on_a + on_b) * 0.5;
                let point = ContactPoint { point, normal: front, separation, features, primitives: [triangle, 0] };
                points.push(self.named(triangle, second, &point));
            }
        };
        let facing = Facing::of(convex, pose, -front);
        let level = Facing::of(flat, self.mesh.pose, front);
        if let (Some(level), Some(facing)) = (&level, &facing) {
            cut((level, facing), front, self.rounding, (false, Naming::ByEdges), |found| {
                add(found.on_a, found.on_b, found.separation, found.features);
            });
            return;
        }
        let Some(core) = PlacedCore::new(convex, pose, 1.0) else { return };
        let lowest = core.support(-front).point - front * convex.margin();
        let height = front.dot(lowest - corners[0]);
        if is_over(&corners, lowest, self.rounding) {
            let features = [Feature::Face(0), feature_towards(facing.as_ref(), convex, pose, -front)];
            add(lowest - front * height, lowest, height, features);
        }
    }

    /// Returns a point whose features are those of the meshes.
    fn named(&self, triangle: u32, second: &Second<'_>, point: &ContactPoint) -> ContactPoint {
        let [of_first, of_second] = point.features;
        let of_second = match &second.facet {
            Some(facet) => mesh_feature(facet.surface, facet.triangle, of_second),
            None => of_second,
        };
        let features = [mesh_feature(&self.surface, triangle, of_first), of_second];
        ContactPoint { features, primitives: [triangle, second.primitive()], ..*point }
    }
}

/// The points of a contact that are nearest, up to the rounding error of heights: its normal is theirs. Others that are
/// within the margin may lie over another feature.
fn nearest_points(contact: &Contact, rounding: f64) -> impl Iterator<Item = &ContactPoint> {
    let least = contact.points.iter().map(|point| point.separation).fold(f64::INFINITY, f64::min);
    contact.points.iter().filter(move |point| point.separation <= least + rounding)
}

/// Reports whether a feature is an edge or a corner.
fn is_edge(feature: Option<Feature>) -> bool {
    feature.is_some_and(|feature| !matches!(feature, Feature::Face(_)))
}

/// Returns the feature of a mesh that a feature of one of its triangles is.
fn mesh_feature(surface: &Surface<'_>, triangle: u32, feature: Feature) -> Feature {
    let names = surface.mesh.mesh().triangles()[triangle as usize];
    let name = |corner: u32| surface.mesh.vertex_stars().representative(names[corner as usize % 3]);
    match feature {
        Feature::Corner(corner) => Feature::Corner(name(corner)),
        Feature::Edge(from, to) => {
            let (from, to) = (name(from), name(to));
            Feature::Edge(from.min(to), from.max(to))
        }
        _ => Feature::Face(triangle),
    }
}

/// Reports whether a point lies over a triangle, seen along its normal.
fn is_over(corners: &Triangle, point: Vec3, rounding: f64) -> bool {
    let up = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    (0..3).all(|k| {
        let along = corners[(k + 1) % 3] - corners[k];
        along.cross(point - corners[k]).dot(up) >= -rounding * along.length() * up.length()
    })
}
