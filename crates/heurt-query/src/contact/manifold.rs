//! Contact manifold of two placed shapes for a simulation step: whether they touch, where, and along which normal.
//!
//! In: shapes and poses. Out: a [`Contact`]; of two meshes that overlap with a point for each curve in which the
//! surfaces meet. Within a margin, for a solver: up to four points for each curve, and the places at which the surfaces
//! are near.
//! Method: convex shapes as for `contact`, along the normal of a face if it is nearly as good (`face_contact`), with at
//! most four points unless a face is curved; compounds part by part; meshes by exact pairs of triangles, chained into
//! curves (`curve_points`), each with its own normal and depths; a convex hull over a mesh as its surface.
//! Guarantees: yes and no are exact; of two overlapping meshes `separation` is taken from the boxes, after which they
//! are disjoint; deterministic.
//! Not guaranteed: that the depth of a mesh is near: `contact` bounds it from both sides, and takes its time. Depths of
//! single points are estimates, of two meshes never more than the boxes allow.
//! Cost: as for all pairs; nothing is prepared. A budget ends it earlier, with the contacts found by then.

use super::contact_metered;
use super::mesh_convex::common_of;
use super::superquadric::superquadric_touch;
use crate::answer::budget::{Answer, Budgeted, WorkMeter};
use crate::answer::contact::{Contact, ContactPoint};
use crate::answer::feature::Feature;
use crate::answer::options::{ContactOptions, limit};
use crate::answer::overlap::{Side, Witness};
use crate::answer::placed::{Placed, PlacedMeshShape, PlacedShape};
use crate::closest::closest;
use crate::contact::box_fallback::{box_depth, contact_by_boxes};
use crate::contact::compound::contacts_of_parts;
use crate::contact::curve_points::{CurvePoints, curve_contacts};
use crate::contact::rounded::with_margins;
use crate::convex::contact::convex_manifold;
use crate::convex::pair::ConvexPair;
use crate::distance::distance_metered;
use crate::mesh::manifold::{Near, Surface, near_points, reduced};
use crate::mesh::pairs::pairs_metered;
use crate::overlap::overlap_metered;
use heurt_geometry::{Dimension, Pose, Vec3, robust_normalize};
use heurt_shape::{Convex, Core, ShapeRef};
use smallvec::SmallVec;

/// Finds how two placed shapes touch, with an estimate of the depth of meshes; `None` if they are farther from each
/// other than `max_distance` metres, at least 0.
///
/// The contact of two hulls survives a tilt. If the direction of the distance or depth is within 0.1 rad of the normal
/// of a face, and this normal loses at most 5 % of the smaller radius, the contact has the normal of the face: points
/// are the corners of the common part of both faces, at most four, with their heights along that normal. The
/// `separation` of overlapping hulls is then the length of a separating translation along that normal; of disjoint
/// hulls it remains the distance.
///
/// ```
/// use heurt_geometry::{Pose, Quat, Vec3};
/// use heurt_query::contact_manifold;
/// use heurt_shape::Convex;
/// let cube = Convex::cuboid(Vec3::splat(0.5))?;
/// let tilt = Quat::from_axis_angle(Vec3::new(0.6, 0.8, 0.0), 0.05);
/// let above = Pose::from_quaternion(tilt.to_array(), Vec3::new(0.1, 0.2, 1.01))?;
/// let touch = contact_manifold(&cube, &Pose::IDENTITY, &cube, &above, 0.1).expect("within a tenth");
/// assert_eq!(touch.points.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Meshes that overlap are as deep as their boxes. They have a point for each curve in which their surfaces meet.
/// Within a `max_distance` above 0, as a solver searches, they have up to four points for each, and the places that are
/// near:
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate::icosphere;
/// use heurt_query::contact::contact_manifold;
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(icosphere(1.0, 3)?)?;
/// let above = Pose::from_translation(Vec3::Z * 1.9)?;
/// let touch = contact_manifold(&ball, &Pose::IDENTITY, &ball, &above, 0.0).expect("they overlap");
/// let point = &touch.points[0];
/// assert!((point.normal - Vec3::Z).length() < 0.01 && (point.separation + 0.1).abs() < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contact_manifold<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    max_distance: f64,
) -> Option<Contact> {
    manifold_metered(Placed::new(a.into(), pose_a), Placed::new(b.into(), pose_b), max_distance, &WorkMeter::default())
}

/// Computes [`contact_manifold`] within a budget, with the work done. [`Budgeted::Partial`] is `None` if no contact was
/// found yet, though there may be one. Else it is a contact that is there, with the points found by then, and a
/// `separation` after which the shapes are disjoint all the same; of compounds, after which the two parts are disjoint
/// that overlap deepest among those examined.
///
/// The budget is tested at each step of a search. The depth of a shape with a margin or of a superquadric follows from
/// the boxes if the budget ends once the overlap is known. Not cut: two convex shapes; the nearest point of the surface
/// if a mesh and a convex shape, or a superquadric, overlap.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{Budget, Budgeted, ContactOptions, contact_manifold_with};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(heurt_mesh::generate::octasphere(1.0, 40)?)?;
/// let near = Pose::from_translation(Vec3::new(1.2, 1.2, 0.0))?;
/// let few = ContactOptions { budget: Budget { work: Some(20), ..Budget::default() }, ..ContactOptions::default() };
/// let found = contact_manifold_with(&ball, &Pose::IDENTITY, &ball, &near, &few);
/// assert_eq!(found.outcome, Budgeted::Partial(None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contact_manifold_with<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    options: &ContactOptions<'_>,
) -> Answer<Option<Contact>, Option<Contact>> {
    let meter = WorkMeter::of(&options.budget);
    let found =
        manifold_metered(Placed::new(a.into(), pose_a), Placed::new(b.into(), pose_b), options.max_distance, &meter);
    Answer::of_search(found, &meter)
}

/// [`contact_manifold`], as long as there is something to spend.
pub(crate) fn manifold_metered(
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    SurfaceContact { meter }.result(a, b, limit(margin))
}

/// A query, and what it has cost.
struct SurfaceContact<'b> {
    meter: &'b WorkMeter<'b>,
}

impl SurfaceContact<'_> {
    fn result(&self, a: PlacedShape<'_>, b: PlacedShape<'_>, margin: f64) -> Option<Contact> {
        if self.is_exhausted() {
            return None;
        }
        if !matches!(a.shape, ShapeRef::Compound(_)) && !matches!(b.shape, ShapeRef::Compound(_)) {
            return self.of_pair(a, b, margin);
        }
        let mut found = Vec::new();
        let pair = |a: PlacedShape<'_>, b: PlacedShape<'_>, margin| self.of_pair(a, b, margin);
        contacts_of_parts(a, b, margin, self.meter, &pair, &mut |contact| found.push(contact));
        let points = reduced(found.iter().flat_map(|contact| contact.points.iter().copied()).collect(), 0.0);
        let deepest = found.into_iter().min_by(|x, y| x.separation.total_cmp(&y.separation))?;
        Some(Contact { points: points.into(), ..deepest })
    }

    /// Whether nothing more may be done; then the answer is cut.
    fn is_exhausted(&self) -> bool {
        self.meter.is_exhausted()
    }

    /// The contact of two shapes without parts.
    fn of_pair(&self, a: PlacedShape<'_>, b: PlacedShape<'_>, margin: f64) -> Option<Contact> {
        match (a.shape, b.shape) {
            (ShapeRef::Mesh(mesh_a), ShapeRef::Mesh(mesh_b)) => {
                match self.of_meshes(a.with(mesh_a), b.with(mesh_b), margin) {
                    None if margin > 0.0 => contact_metered(a, b, margin, self.meter),
                    found => found,
                }
            }
            (ShapeRef::Mesh(mesh), ShapeRef::Convex(convex)) => {
                self.of_mesh_and_convex(a.with(mesh), b.with(convex), margin)
            }
            (ShapeRef::Convex(convex), ShapeRef::Mesh(mesh)) => {
                self.of_mesh_and_convex(b.with(mesh), a.with(convex), margin).map(Contact::swapped)
            }
            (ShapeRef::Convex(of_a), ShapeRef::Convex(of_b)) => {
                self.meter.add_pair();
                convex_manifold(ConvexPair::new(a.with(of_a), b.with(of_b)), margin)
            }
            (ShapeRef::Superquadric(_), _) | (_, ShapeRef::Superquadric(_)) => {
                superquadric_touch(a, b, margin, self.meter)
            }
            _ => contact_metered(a, b, margin, self.meter),
        }
    }

    /// A mesh and a convex shape: by the nearest points of the core as long as only its margin is in the mesh, then by
    /// surfaces; of what is thin or curved, by how deep a common point lies.
    fn of_mesh_and_convex(
        &self,
        Placed { shape: mesh, pose }: PlacedMeshShape<'_>,
        Placed { shape: convex, pose: at }: Placed<'_, &Convex>,
        margin: f64,
    ) -> Option<Contact> {
        let (on_mesh, on_convex) = (PlacedShape::new(mesh.into(), pose), PlacedShape::new(convex.into(), at));
        let exact = || contact_metered(on_mesh, on_convex, margin, self.meter);
        if convex.is_half_space() {
            return exact();
        }
        let witness = if margin == 0.0 { Some(overlap_metered(on_mesh, on_convex, self.meter)?) } else { None };
        // A proved overlap stays proved, even if the rest is cut.
        let or_boxes = |outcome: Option<Contact>| {
            let is_lost = outcome.is_none() && self.meter.was_interrupted();
            let common = witness
                .filter(|_| is_lost)
                .map(|it| common_of(it, Placed::new(mesh, pose), Placed::new(convex, at), self.meter));
            outcome.or_else(|| contact_by_boxes(on_mesh, on_convex, &common?))
        };
        let Ok(core) = convex.clone().remargined(0.0) else { return or_boxes(exact()) };
        // Distances are rounded, what touches is exact.
        let reach = (convex.margin() + margin) * (1.0 + 1e-9);
        let near = match distance_metered(on_mesh, Placed::new((&core).into(), at), reach, self.meter) {
            Budgeted::Complete(Some(near)) => near,
            Budgeted::Complete(None) => return or_boxes(exact()),
            Budgeted::Partial(_) => return or_boxes(None),
        };
        if let (None, Core::Hull(hull)) = (near.normal, convex.core())
            && hull.dimension() == Dimension::Solid
            && let Some(found) = self.of_meshes(Placed::new(mesh, pose), Placed::new(hull.surface(), at), margin)
        {
            return Some(with_margins(found, 0.0, convex.margin()));
        }
        let (normal, gap, on_mesh) = match near.normal {
            Some(normal) => (normal, near.distance, near.point_a),
            None => {
                let out = closest(mesh, pose, near.point_a);
                let outwards = robust_normalize(out.point - near.point_a).unwrap_or(Vec3::Z);
                (outwards, -out.distance, out.point)
            }
        };
        let separation = gap - convex.margin();
        if separation > margin && margin > 0.0 {
            return None;
        }
        let separation = if margin == 0.0 { separation.min(0.0) } else { separation };
        let point = on_mesh + normal * (0.5 * separation);
        let primitives = near.primitives.unwrap_or_default();
        let features = [Feature::Face(primitives[0]), Feature::Curved];
        let points = SmallVec::from_iter([ContactPoint { point, normal, separation, features, primitives }]);
        let separation_bound = (separation - near.error).max(0.0);
        Some(Contact { separation, separation_bound, error: near.error, normal, points })
    }

    /// Two meshes that overlap: the curves in which they do, and the places at which they are within the margin.
    fn of_meshes(&self, a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, margin: f64) -> Option<Contact> {
        let bounds = [a, b].map(|placed| ShapeRef::Mesh(placed.shape).bounds_at(placed.pose));
        let (depth, normal) = box_depth(&bounds[0], &bounds[1])?;
        let meeting = self.pairs(a, b);
        let points = if meeting.is_empty() {
            if self.meter.was_interrupted() {
                return None;
            }
            let (on_a, on_b) = (a.with(a.shape.into()), b.with(b.shape.into()));
            let Witness::Contained(inner) = overlap_metered(on_a, on_b, self.meter)? else { return None };
            let inside = &bounds[usize::from(inner == Side::B)];
            let (point, features) = (inside.centre(), [Feature::Curved; 2]);
            SmallVec::from_iter([ContactPoint { point, normal, separation: -depth, features, primitives: [0, 0] }])
        } else {
            let choice = if margin > 0.0 { CurvePoints::Ends } else { CurvePoints::Middle };
            let mut points = curve_contacts(a, b, &meeting, normal, depth, choice);
            if choice == CurvePoints::Ends {
                let surfaces = [a, b].map(|Placed { shape, pose }| Surface::of_mesh(shape, pose));
                let near = near_points(&surfaces, &Near::from_distance(0.0, margin), self.meter);
                points.extend(near.into_iter().filter(|point| point.separation > 0.0));
            }
            points.into()
        };
        Some(Contact { separation: -depth, separation_bound: 0.0, error: depth, normal, points })
    }

    /// Pairs of triangles that meet, as many as the budget gives.
    fn pairs(&self, a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>) -> Vec<[u32; 2]> {
        pairs_metered(a, b, self.meter)
    }
}
