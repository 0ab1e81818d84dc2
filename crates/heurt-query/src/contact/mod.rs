//! `contact`: how deep two placed shapes are in each other, or how far from each other, along which direction, and
//! where they touch.

mod assemble;
mod box_fallback;
mod compound;
mod curve_points;
mod manifold;
mod mesh_convex;
mod mesh_mesh;
mod rounded;
mod superquadric;
mod triangle_patches;

pub use crate::answer::contact::{Contact, ContactPoint, Separation};
pub use crate::answer::feature::Feature;
pub use crate::answer::options::ContactOptions;
use crate::answer::options::limit;
pub use crate::answer::patch::ContactPatch;
use crate::answer::placed::{Placed, PlacedShape};
use crate::overlap::overlap_counted;
pub use manifold::{contact_manifold, contact_manifold_with};

pub(crate) use manifold::manifold_metered;

use crate::answer::budget::{Answer, WorkMeter};
use crate::answer::contact::DepthBounds;
use crate::convex::contact::{convex_contact, convex_separation};
use crate::convex::pair::ConvexPair;
use crate::depth::lengthen_until_separated;
use compound::contact_of_parts;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, ShapeRef};
use mesh_convex::mesh_convex_contact;
use mesh_mesh::mesh_contact;
use superquadric::superquadric_contact;

/// Finds how far two placed convex shapes are disjoint or how deep in each other, without the further points of a
/// manifold.
pub fn separation(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Separation {
    let found = convex_separation(ConvexPair { a, pose_a, b, pose_b }, f64::INFINITY);
    found.expect("without a limit there is an answer")
}

/// Finds how two placed shapes touch; `None` if they are farther from each other than `max_distance` metres. Two
/// half-spaces that do not face away from each other overlap without end: their separation is −∞.
///
/// The depth of overlapping solid meshes is bounded from both sides; they need not be convex. The first such query of a
/// mesh takes its time, see [`convex_pieces`](crate::convex_pieces()).
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate;
/// use heurt_query::contact;
/// use heurt_shape::MeshShape;
/// let ring = MeshShape::new(generate::torus(1.0, 0.25, 16, 8)?)?;
/// let pose = Pose::from_translation(Vec3::new(0.0, 0.0, 0.4))?;
/// let touch = contact(&ring, &Pose::IDENTITY, &ring, &pose, 0.0).expect("they overlap");
/// let depths = -touch.separation_bound..=-touch.separation;
/// assert!(*depths.start() > 0.0 && *depths.end() < 0.11, "moved up by a tenth they part: {depths:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contact<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    max_distance: f64,
) -> Option<Contact> {
    contact_metered(Placed::new(a.into(), pose_a), Placed::new(b.into(), pose_b), max_distance, &WorkMeter::default())
}

/// Computes [`contact`] within a budget, with the work done. If the budget ends first,
/// [`Partial`](crate::Budgeted::Partial) is `None`, or a contact with fewer points or with wider bounds of the depth,
/// which are proved all the same.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{ContactOptions, contact_with};
/// use heurt_shape::{Convex, MeshShape};
/// let ball = Convex::sphere(0.5)?;
/// let table = MeshShape::new(heurt_mesh::generate::cuboid([1.0, 1.0, 0.5])?)?;
/// let at = Pose::from_translation(Vec3::Z * 1.02)?;
/// let near = ContactOptions { max_distance: 0.05, ..ContactOptions::default() };
/// let answer = contact_with(&table, &Pose::IDENTITY, &ball, &at, &near);
/// assert!(answer.work.primitives > 0);
/// let found = answer.complete().flatten().expect("two centimetres apart");
/// assert!((found.separation - 0.02).abs() < 1e-12 && found.normal == Vec3::Z);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn contact_with<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    options: &ContactOptions<'_>,
) -> Answer<Option<Contact>, Option<Contact>> {
    let meter = WorkMeter::of(&options.budget);
    let found = match meter.is_exhausted() {
        true => None,
        false => {
            contact_metered(Placed::new(a.into(), pose_a), Placed::new(b.into(), pose_b), options.max_distance, &meter)
        }
    };
    Answer::of_search(found, &meter)
}

/// [`contact`], as long as there is something to spend: `None`, or fewer points, or a depth computed from the boxes, if
/// the budget ends first.
fn contact_metered(a: PlacedShape<'_>, b: PlacedShape<'_>, margin: f64, meter: &WorkMeter<'_>) -> Option<Contact> {
    let margin = limit(margin);
    match (a.shape, b.shape) {
        (ShapeRef::Convex(of_a), ShapeRef::Convex(of_b)) => {
            meter.add_pair();
            convex_contact(ConvexPair::new(a.with(of_a), b.with(of_b)), margin)
        }
        (ShapeRef::Mesh(of_a), ShapeRef::Mesh(of_b)) => mesh_contact(a.with(of_a), b.with(of_b), margin, meter),
        (ShapeRef::Mesh(of_a), ShapeRef::Convex(of_b)) => {
            mesh_convex_contact(a.with(of_a), b.with(of_b), margin, meter)
        }
        (ShapeRef::Convex(of_a), ShapeRef::Mesh(of_b)) => {
            let found = mesh_convex_contact(b.with(of_b), a.with(of_a), margin, meter)?.swapped();
            Some(lengthen_until_disjoint(found, a, b, meter))
        }
        (ShapeRef::Superquadric(_), ShapeRef::Convex(plane)) | (ShapeRef::Convex(plane), ShapeRef::Superquadric(_))
            if plane.is_half_space() =>
        {
            let found = superquadric_contact(a, b, margin, meter)?;
            Some(lengthen_until_disjoint(found, a, b, meter))
        }
        _ => contact_of_parts(a, b, margin, meter),
    }
}

/// The contact with a separation after which the shapes are disjoint to the bit, if it was found by moving shape A.
/// A budget does not cut this proof.
fn lengthen_until_disjoint(found: Contact, a: PlacedShape<'_>, b: PlacedShape<'_>, meter: &WorkMeter<'_>) -> Contact {
    if found.separation > 0.0 {
        return found;
    }
    let depth = DepthBounds { at_least: -found.separation_bound, at_most: -found.separation, normal: found.normal };
    let [of_a, of_b] = [a, b].map(|Placed { shape, pose }| shape.max_coordinate() + pose.max_translation());
    let ulp = f64::EPSILON * of_a.max(of_b) + f64::from_bits(1);
    let depth = lengthen_until_separated(depth, ulp, |shift| is_separated(a, b, shift, meter));
    let more = depth.at_most + found.separation;
    Contact { separation: -depth.at_most, error: found.error + more, ..found }
}

/// Reports exactly whether two shapes share no point with B moved. A budget does not cut it, as half a proof is none.
pub(crate) fn is_separated(a: PlacedShape<'_>, b: PlacedShape<'_>, shift: Vec3, meter: &WorkMeter<'_>) -> bool {
    b.pose.translated(shift).is_some_and(|pose| {
        let (witness, work) = overlap_counted(a, Placed::new(b.shape, &pose));
        meter.add(work);
        witness.is_none()
    })
}
