//! A placed superquadric and any shape that is no compound: disjoint, above a half-space, or for a simulation step.
//!
//! Method: the result of `distance`, with places all over the surface as points.

use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::contact::{Contact, ContactPoint};
use crate::answer::distance::Distance;
use crate::answer::feature::Feature;
use crate::answer::placed::{Placed, PlacedShape};
use crate::closest::closest;
use crate::contact::assemble;
use crate::contact::box_fallback::contact_by_boxes;
use crate::convex::half_space::under;
use crate::distance::distance_metered;
use crate::mesh::manifold::reduced;
use crate::superquadric::{Touching, places};
use heurt_geometry::{Vec3, robust_normalize};
use heurt_shape::{Convex, ShapeRef, SuperquadricShape};

/// Points nearer to each other than this share of the size are one.
const SAME: f64 = 1e-9;

/// Finds how a superquadric and another shape touch that are disjoint, or of which that is a half-space; `None` where
/// they are farther from each other than `margin`, and for others.
pub(super) fn superquadric_contact(
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    match (a.shape, b.shape) {
        (ShapeRef::Superquadric(exact), ShapeRef::Convex(convex)) => {
            let above = above_plane(a.with(exact), b.with(convex), margin, meter);
            above.unwrap_or_else(|| disjoint_contact(a.with(exact), b, margin, meter))
        }
        (ShapeRef::Superquadric(exact), _) => disjoint_contact(a.with(exact), b, margin, meter),
        (_, ShapeRef::Superquadric(_)) => superquadric_contact(b, a, margin, meter).map(Contact::swapped),
        _ => None,
    }
}

/// The contact of shapes that may overlap, with depths of places instead of the depth of the shapes.
pub(super) fn superquadric_touch(
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    let (ShapeRef::Superquadric(exact), false) = (a.shape, b.shape.is_half_space()) else {
        return match b.shape {
            ShapeRef::Superquadric(_) if !a.shape.is_half_space() => {
                superquadric_touch(b, a, margin, meter).map(Contact::swapped)
            }
            _ => superquadric_contact(a, b, margin, meter),
        };
    };
    let Budgeted::Complete(found) = distance_metered(a, b, margin, meter) else { return None };
    let found = found?;
    if let Some(normal) = found.normal {
        return Some(across(a.with(exact), b, margin, (&found, normal), meter));
    }
    let mut points = points_of(a.with(exact), b, margin, true, meter);
    if meter.was_interrupted() {
        return contact_by_boxes(a, b, &found);
    }
    if !points.iter().any(|point| point.separation < 0.0) {
        // Only shape B has places inside.
        let out = closest(a.shape, a.pose, found.point_a);
        let normal = robust_normalize(out.point - found.point_a).unwrap_or(Vec3::Z);
        points.insert(0, point_at((out.point + found.point_a) * 0.5, normal, -out.distance, found.primitives));
    }
    let points = kept(points, exact);
    let deepest = *points.iter().min_by(|x, y| x.separation.total_cmp(&y.separation))?;
    Some(Contact {
        separation: deepest.separation,
        separation_bound: 0.0,
        error: -deepest.separation,
        normal: deepest.normal,
        points: points.into(),
    })
}

fn disjoint_contact(
    a: Placed<'_, &SuperquadricShape>,
    b: PlacedShape<'_>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    let Budgeted::Complete(found) = distance_metered(a.with(a.shape.into()), b, margin, meter) else {
        return None;
    };
    let found = found?;
    Some(across(a, b, margin, (&found, found.normal?), meter))
}

/// The contact of shapes that are found to be disjoint.
fn across(
    a: Placed<'_, &SuperquadricShape>,
    b: PlacedShape<'_>,
    margin: f64,
    (found, normal): (&Distance, Vec3),
    meter: &WorkMeter<'_>,
) -> Contact {
    let mut points = vec![nearest_point(found, normal)];
    points.extend(points_of(a, b, margin, false, meter));
    assemble::disjoint_contact(found, normal, kept(points, a.shape))
}

/// `None` if shape B is no half-space.
fn above_plane(
    a: Placed<'_, &SuperquadricShape>,
    b: Placed<'_, &Convex>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Option<Contact>> {
    let gap = under(b.shape, b.pose, a.shape, a.pose)?;
    if gap.length > margin {
        return Some(None);
    }
    let normal = -gap.normal;
    let mut points = vec![point_at((gap.on_a + gap.on_b) * 0.5, normal, gap.length, None)];
    points.extend(points_of(a, b.with(b.shape.into()), margin, true, meter));
    let separation_bound = match gap.length > 0.0 {
        true => gap.at_least.max(0.0),
        false => (gap.length + gap.error).min(0.0),
    };
    let points = kept(points, a.shape).into();
    Some(Some(Contact { separation: gap.length, separation_bound, error: gap.error, normal, points }))
}

/// Places of the surface within `margin`, as many as there is something to spend for.
fn points_of(
    Placed { shape: a, pose }: Placed<'_, &SuperquadricShape>,
    b: PlacedShape<'_>,
    margin: f64,
    with_inside: bool,
    meter: &WorkMeter<'_>,
) -> Vec<ContactPoint> {
    let point = |found: Touching| {
        let on_a = found.on_a + found.normal * a.margin();
        let primitives = Some([0, found.primitive]);
        point_at((on_a + found.on_b) * 0.5, found.normal, found.separation - a.margin(), primitives)
    };
    let near = places(Placed::new(a.surface(), pose), b, margin.max(0.0) + a.margin(), with_inside, meter);
    near.into_iter().map(point).filter(|point| point.separation <= margin).collect()
}

fn kept(points: Vec<ContactPoint>, a: &SuperquadricShape) -> Vec<ContactPoint> {
    reduced(points, SAME * a.bounds().max.max_element())
}

fn nearest_point(found: &Distance, normal: Vec3) -> ContactPoint {
    point_at((found.point_a + found.point_b) * 0.5, normal, found.distance, found.primitives)
}

fn point_at(point: Vec3, normal: Vec3, separation: f64, primitives: Option<[u32; 2]>) -> ContactPoint {
    ContactPoint {
        point,
        normal,
        separation,
        features: [Feature::Curved; 2],
        primitives: primitives.unwrap_or_default(),
    }
}
