//! From pairs whose boxes meet to contacts.
//!
//! Guarantees: whether two bodies touch is decided exactly. In continuous detection no contact of rigid bodies within the step is
//! missed and no time is late: they fly as [`crate::Flight`] says.
//! Not guaranteed: soft bodies, and two half-spaces of which one turns, are looked at only where they are when the step ends.

use crate::body::{Body, BodyId, Kind};
use crate::flight::Flight;
use crate::world::grown;
use heurt_geometry::{Dimension, Motion, Pose, Vec3};
use heurt_query::contact::surface_contact;
use heurt_query::{
    CastError, CastOptions, Contact, ContactPoint, Feature, Impact, PairCache, cast, closest, contact, distance_within,
    overlap,
};
use heurt_shape::{Convex, Core, MeshShape, Shape, ShapeRef};
use smallvec::SmallVec;

/// What is looked for in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Contacts where the bodies are when the step ends.
    #[default]
    Discrete,
    /// These, and when in the step rigid bodies that were apart came to touch. Soft bodies are looked at when it ends.
    Continuous,
}

/// Two bodies that touch, or touched within the step.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// The one that came into the world first, by its place.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// How they touch as the step ends; `None` where they touched on the way only. Where one of them is a mesh, whether is exact, and
    /// how deep is an estimate along the normals: `heurt_query::contact` tells it from both sides.
    pub contact: Option<Contact>,
    /// When in the step they came to touch, in seconds from its start; `None` where they touched already, or where detection is
    /// discrete.
    pub impact: Option<Impact>,
}

/// How two bodies touch as the step ends, if they come within the margin.
pub(crate) fn contact_of(a: &Body, b: &Body, margin: f64, cache: &mut PairCache) -> Option<Contact> {
    let (of_a, of_b) = (ShapeRef::from(&a.shape), ShapeRef::from(&b.shape));
    let is_mesh = |shape: &Shape| matches!(shape, Shape::Mesh(_) | Shape::Compound(_));
    if !(is_mesh(&a.shape) || is_mesh(&b.shape)) {
        if margin == 0.0 && !cache.overlaps(of_a, &a.pose, of_b, &b.pose) {
            return None;
        }
        return contact(of_a, &a.pose, of_b, &b.pose, margin);
    }
    quick_contact((of_a, &a.pose), (of_b, &b.pose), margin)
}

/// A shape and where it stands.
type Placed<'a> = (ShapeRef<'a>, &'a Pose);

/// Contact points that two bodies have at most.
const MOST_POINTS: usize = 32;

/// How two shapes touch of which one is a mesh, or has parts. How deep solids that are not convex are in each other takes longer to tell
/// than a step lasts: surfaces are compared instead, part by part.
fn quick_contact(a: Placed<'_>, b: Placed<'_>, margin: f64) -> Option<Contact> {
    match (a.0, b.0) {
        (ShapeRef::Compound(_), _) => of_parts(a, b, margin),
        (_, ShapeRef::Compound(_)) => of_parts(b, a, margin).map(Contact::swapped),
        (ShapeRef::Mesh(mesh_a), ShapeRef::Mesh(mesh_b)) => match surface_contact(mesh_a, a.1, mesh_b, b.1) {
            None if margin > 0.0 => contact(mesh_a, a.1, mesh_b, b.1, margin),
            found => found,
        },
        (ShapeRef::Mesh(mesh), ShapeRef::Convex(convex)) => with_convex((mesh, a.1), (convex, b.1), margin),
        (ShapeRef::Convex(convex), ShapeRef::Mesh(mesh)) => {
            with_convex((mesh, b.1), (convex, a.1), margin).map(Contact::swapped)
        }
        _ => contact(a.0, a.1, b.0, b.1, margin),
    }
}

/// A mesh and a convex shape: by the nearest points of the core as long as only its margin is in the mesh, then by surfaces; of what
/// is thin or curved, by how deep a common point lies.
fn with_convex((mesh, pose): (&MeshShape, &Pose), (convex, at): (&Convex, &Pose), margin: f64) -> Option<Contact> {
    let exact = || contact(mesh, pose, convex, at, margin);
    if matches!(convex.core(), Core::HalfSpace { .. }) {
        return exact();
    }
    if margin == 0.0 {
        overlap(mesh, pose, convex, at)?;
    }
    let Ok(core) = convex.clone().remargined(0.0) else { return exact() };
    // Distances are rounded, what touches is exact.
    let reach = (convex.margin() + margin) * (1.0 + 1e-9);
    let Some(near) = distance_within(mesh, pose, &core, at, reach) else { return exact() };
    if let (None, Core::Hull(hull)) = (near.normal, convex.core())
        && hull.dimension() == Dimension::Solid
        && let Some(found) = surface_contact(mesh, pose, hull.surface(), at)
    {
        return Some(found);
    }
    let (normal, gap, on_mesh) = match near.normal {
        Some(normal) => (normal, near.distance, near.point_a),
        None => {
            let out = closest(mesh, pose, near.point_a);
            let way = (out.point - near.point_a).normalize_or(Vec3::Z);
            (way, -out.distance, out.point)
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
    let separation_bound = if separation < 0.0 { 0.0 } else { separation };
    Some(Contact { separation, separation_bound, error: near.error, normal, points })
}

/// A compound and another shape: the deepest of its parts, with the points of all.
fn of_parts((a, pose_a): Placed<'_>, b: Placed<'_>, margin: f64) -> Option<Contact> {
    let ShapeRef::Compound(compound) = a else { return None };
    let room = grown(&b.0.placed_bounds(b.1), 2.0 * margin);
    let mut found: Option<Contact> = None;
    for (number, part) in compound.parts().iter().enumerate() {
        let pose = compound.place(number as u32, pose_a);
        let shape = ShapeRef::from(&part.shape);
        if !shape.placed_bounds(&pose).overlaps(&room) {
            continue;
        }
        let Some(mut touch) = quick_contact((shape, &pose), b, margin) else { continue };
        touch.points.iter_mut().for_each(|point| point.primitives[0] += part.first);
        found = Some(match found {
            None => touch,
            Some(other) => deeper(other, touch),
        });
    }
    found
}

/// The deeper one, with the points of both.
fn deeper(first: Contact, second: Contact) -> Contact {
    let (mut deep, other) = if second.separation < first.separation { (second, first) } else { (first, second) };
    let room = MOST_POINTS.saturating_sub(deep.points.len());
    deep.points.extend(other.points.into_iter().take(room));
    deep
}

/// When two bodies that are apart as the step of `dt` begins come to touch: leg by leg.
pub(crate) fn impact_of(
    (a, of_a): (&Body, &Flight),
    (b, of_b): (&Body, &Flight),
    dt: f64,
) -> Result<Option<Impact>, CastError> {
    if [a, b].iter().any(|body| matches!(body.kind, Kind::Soft(_))) {
        return Ok(None);
    }
    let mut begins: SmallVec<[f64; 4]> = of_a.legs.iter().chain(&of_b.legs).map(|leg| leg.begun).collect();
    begins.sort_by(f64::total_cmp);
    begins.dedup();
    begins.push(dt);
    for ends in begins.windows(2) {
        let ((pose_a, motion_a), (pose_b, motion_b)) = (of_a.at(ends[0]), of_b.at(ends[0]));
        if motion_a == Motion::STILL && motion_b == Motion::STILL || ends[0] >= dt {
            continue;
        }
        let options = CastOptions { max_time: ends[1] - ends[0], tolerance: None };
        let found = cast(&a.shape, &pose_a, &motion_a, &b.shape, &pose_b, &motion_b, &options);
        match found {
            Ok(None) | Err(CastError::TurningHalfSpaces) => {}
            Ok(Some(impact)) if ends[0] == 0.0 => return Ok(Some(impact)),
            Ok(Some(impact)) => {
                let time = (ends[0] + impact.time).next_down();
                return Ok(Some(Impact { time, time_upper: (ends[0] + impact.time_upper).next_up(), ..impact }));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
