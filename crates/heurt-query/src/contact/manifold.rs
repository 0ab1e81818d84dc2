//! Contact manifold of two placed shapes for a simulation step: whether they touch, where, and along which normal.
//!
//! In: shapes and poses. Out: a [`Contact`]; of two meshes that overlap, without a margin, with a point for each curve
//! in which the surfaces meet. Within a margin, for a solver: up to eight points for each normal.
//! Method: convex shapes as for `contact`, along the normal of a face if it is nearly as good (`face_contact`), with at
//! most four points unless a face is curved; compounds part by part; meshes by exact pairs of triangles, chained into
//! curves (`curve_points`); a mesh and a convex shape, and two meshes within a margin, triangle by triangle
//! (`triangle_patches`).
//! Guarantees: yes and no are exact; two overlapping meshes are disjoint after a translation by
//! `separation`; deterministic.
//! Not guaranteed: that the depth of a mesh is near: `contact` bounds it from both sides, and takes its time. Depths of
//! single points of two meshes without a margin are estimates, never more than the boxes allow.
//! Cost: as for all pairs; nothing is prepared. A budget ends it earlier, with the contacts found by then.

use super::contact_metered;
use super::is_separated;
use super::mesh_convex::common_of;
use super::superquadric::superquadric_touch;
use super::triangle_patches::{mesh_convex_patches, mesh_mesh_patches};
use crate::answer::budget::{Answer, WorkMeter};
use crate::answer::contact::{Contact, ContactPoint};
use crate::answer::feature::Feature;
use crate::answer::options::{ContactOptions, limit};
use crate::answer::overlap::{Side, Witness};
use crate::answer::placed::{Placed, PlacedMeshShape, PlacedShape};
use crate::contact::box_fallback::{box_depth, contact_by_boxes};
use crate::contact::compound::contacts_of_parts;
use crate::contact::curve_points::curve_contacts;
use crate::convex::contact::convex_manifold;
use crate::convex::pair::ConvexPair;
use crate::mesh::manifold::{limit_rounding, reduced};
use crate::mesh::pairs::pairs_metered;
use crate::overlap::overlap_metered;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, ShapeRef};
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
/// Within a `max_distance` above 0, as a solver searches, they have up to eight points for each normal, and the places
/// that are near are among them:
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

/// Computes [`contact_manifold`] within a budget, with the work done. [`Budgeted::Partial`](crate::Budgeted::Partial)
/// is `None` if no contact was found yet, though there may be one. Else it is a contact that is there, with the points
/// found by then, and a `separation` after which the shapes are disjoint all the same; of compounds, after which the
/// two parts are disjoint that overlap deepest among those examined.
///
/// The budget is tested at each step of a search. The depth of a shape with a margin or of a superquadric follows from
/// the boxes if the budget ends once the overlap is known. Not cut: two convex shapes; the nearest point of the surface
/// if a superquadric overlaps a shape.
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

/// The contact of disjoint shapes: what rounding leaves open was decided.
fn disjoint(found: Contact) -> Contact {
    if found.separation > 0.0 {
        return found;
    }
    let error = found.error - found.separation;
    Contact { separation: f64::from_bits(1), separation_bound: 0.0, error, ..found }
}

/// The contact of shapes that overlap. Its separation is the depth along the deepest point if that separates them, else
/// the depth of their boxes.
fn overlapping(found: Contact, a: PlacedShape<'_>, b: PlacedShape<'_>, meter: &WorkMeter<'_>) -> Contact {
    let deepest = found.points.iter().min_by(|p, q| p.separation.total_cmp(&q.separation)).copied();
    let along = deepest.map(|point| {
        let rounding = limit_rounding([a, b], Vec3::ZERO);
        (point.separation.min(0.0) - rounding, point.normal)
    });
    let is_separating = |&(separation, normal): &(f64, Vec3)| is_separated(a, b, normal * -separation, meter);
    let of_boxes =
        || box_depth(&a.shape.bounds_at(a.pose), &b.shape.bounds_at(b.pose)).map(|(depth, normal)| (-depth, normal));
    let (separation, normal) = along.filter(is_separating).or_else(of_boxes).unwrap_or((0.0, found.normal));
    Contact { separation, separation_bound: 0.0, error: -separation, normal, ..found }
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
            (ShapeRef::Mesh(mesh_a), ShapeRef::Mesh(mesh_b)) => match (a.with(mesh_a), b.with(mesh_b)) {
                (on_a, on_b) if margin > 0.0 => self.of_meshes_within(on_a, on_b, margin),
                (on_a, on_b) => self.of_meshes(on_a, on_b),
            },
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

    /// A mesh and a convex shape: triangle by triangle; if the convex shape is deep in the mesh, so that no triangle
    /// near by has it on its front, by the depth of both.
    fn of_mesh_and_convex(
        &self,
        mesh: PlacedMeshShape<'_>,
        convex: Placed<'_, &Convex>,
        margin: f64,
    ) -> Option<Contact> {
        let (on_mesh, on_convex) = (mesh.with(mesh.shape.into()), convex.with(convex.shape.into()));
        let exact = || contact_metered(on_mesh, on_convex, margin, self.meter);
        if convex.shape.is_half_space() {
            return exact();
        }
        let witness = overlap_metered(on_mesh, on_convex, self.meter);
        if witness.is_none() && margin == 0.0 {
            return None;
        }
        let found = match mesh_convex_patches(mesh, convex, margin, self.meter) {
            Some(found) if !found.points.is_empty() => found,
            _ if self.meter.was_interrupted() => {
                // A proved overlap stays proved, even if the rest is cut.
                return contact_by_boxes(on_mesh, on_convex, &common_of(witness?, mesh, convex, self.meter));
            }
            _ => return exact(),
        };
        Some(match witness {
            None => disjoint(found),
            Some(_) => overlapping(found, on_mesh, on_convex, self.meter),
        })
    }

    /// Two meshes within a margin: triangle by triangle; if none have points, by the curves in which surfaces meet, or
    /// by the depth of both.
    fn of_meshes_within(&self, a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, margin: f64) -> Option<Contact> {
        let (on_a, on_b) = (a.with(a.shape.into()), b.with(b.shape.into()));
        let witness = overlap_metered(on_a, on_b, self.meter);
        match (mesh_mesh_patches(a, b, margin, self.meter), witness) {
            (Some(found), None) if !found.points.is_empty() => Some(disjoint(found)),
            (Some(found), Some(_)) if !found.points.is_empty() => Some(overlapping(found, on_a, on_b, self.meter)),
            (_, Some(_)) => self.of_meshes(a, b),
            (_, None) => contact_metered(on_a, on_b, margin, self.meter),
        }
    }

    /// Two meshes that overlap: the curves in which they do.
    fn of_meshes(&self, a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>) -> Option<Contact> {
        let bounds = [a, b].map(|placed| ShapeRef::Mesh(placed.shape).bounds_at(placed.pose));
        let (depth, normal) = box_depth(&bounds[0], &bounds[1])?;
        let meeting = pairs_metered(a, b, self.meter);
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
            curve_contacts(a, b, &meeting, normal, depth).into()
        };
        Some(Contact { separation: -depth, separation_bound: 0.0, error: depth, normal, points })
    }
}
