//! Shapes of which one at least is a compound or a mesh with a margin.
//!
//! Method: `distance` for disjoint shapes; for overlapping shapes the depth of the pieces of both together (`depth`),
//! for what parts one pair of parts may lead into the next. Points are those of all pairs of parts that are near once
//! they are disjoint, 32 at most.
//! Guarantees: as for meshes: the separation is verified by `overlap`, its bound proved.

use super::is_separated;
use super::lengthen_until_disjoint;
use super::rounded::of_cores;
use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::contact::{Contact, ContactPoint};
use crate::answer::distance::Distance;
use crate::answer::placed::{Placed, PlacedShape};
use crate::compound::nearby_parts::visit_pairs;
use crate::contact::assemble;
use crate::contact::assemble::along_points;
use crate::contact::box_fallback::contact_by_boxes;
use crate::depth::mesh_depth;
use crate::depth::operand::DepthOperand;
use crate::distance::distance_metered;
use crate::mesh::manifold::{limit_rounding, reduced};
use crate::overlap::overlap_metered;
use heurt_geometry::Vec3;
use heurt_shape::ShapeRef;
use std::ops::ControlFlow;

/// Finds how two shapes touch, if they are not farther from each other than `margin`; as long as there is something to
/// spend.
pub(super) fn contact_of_parts(
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    margin: f64,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    let most = margin.max(0.0);
    let rounding = limit_rounding([a, b], Vec3::ZERO);
    let Budgeted::Complete(found) = distance_metered(a, b, most + rounding, meter) else { return None };
    let mut found = found?;
    // A gap within its error leaves open whether they touch: placing a hull rounds each corner by itself.
    if found.normal.is_some() && found.distance <= found.error && overlap_metered(a, b, meter).is_some() {
        (found.distance, found.normal) = (0.0, None);
    }
    let result = match found.normal {
        Some(_) if found.distance > most => return None,
        Some(normal) => assemble::disjoint_contact(&found, normal, points_near(a, b, Vec3::ZERO, [margin; 2], meter)),
        None if meter.is_exhausted() => contact_by_boxes(a, b, &found)?,
        None if a.shape.is_half_space() || b.shape.is_half_space() => match above_plane(a, b, margin, &found, meter) {
            result if meter.was_interrupted() => of_some_parts(result, a, b, &found, meter)?,
            result => lengthen_until_disjoint(result?, a, b, meter),
        },
        None => {
            let [body_a, body_b] = DepthOperand::pair(a, b);
            let depth = mesh_depth(&body_a, &body_b, &|a, b, shift| is_separated(a, b, shift, meter), meter);
            let (shift, margin) = (depth.normal * depth.at_most, margin.max(0.0));
            let points = points_near(a, b, shift, [margin + depth.at_most, margin], meter);
            let depth = along_points(depth, &points, rounding, |shift| is_separated(a, b, shift, meter));
            assemble::overlapping(&depth, points, (found.point_a, found.primitives))
        }
    };
    (result.separation <= margin).then_some(result)
}

/// The places where the surfaces are within `reach` of each other once B is moved out by `shift`, if they are within
/// `margin` at their poses.
fn points_near(
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    shift: Vec3,
    [reach, margin]: [f64; 2],
    meter: &WorkMeter<'_>,
) -> Vec<ContactPoint> {
    let Some(parted) = b.pose.translated(shift) else { return Vec::new() };
    let mut points = Vec::new();
    let rounding = limit_rounding([a, b], shift);
    let pair = |a: PlacedShape<'_>, b: PlacedShape<'_>, reach| of_cores(a, b, reach, meter);
    contacts_of_parts(a, Placed::new(b.shape, &parted), reach + rounding, meter, &pair, &mut |contact| {
        for point in contact.points {
            let separation = point.separation - point.normal.dot(shift);
            if separation <= margin + rounding {
                let separation = separation.min(margin);
                points.push(ContactPoint { point: point.point - shift * 0.5, separation, ..point });
            }
        }
    });
    let size = |shape: ShapeRef<'_>| shape.bounds().half_extents().max_element();
    reduced(points, 1e-9 * size(a.shape).min(size(b.shape)))
}

/// All parts leave a half-space in the same direction: the deepest part decides, among the parts within the budget.
fn above_plane(
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    margin: f64,
    found: &Distance,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    let mut pairs = Vec::new();
    let pair = |a: PlacedShape<'_>, b: PlacedShape<'_>, margin| of_cores(a, b, margin, meter);
    contacts_of_parts(a, b, margin, meter, &pair, &mut |contact| pairs.push(contact));
    let deepest = pairs.iter().min_by(|x, y| x.separation.total_cmp(&y.separation))?;
    let separation_bound = pairs.iter().map(|pair| pair.separation_bound).fold(f64::INFINITY, f64::min);
    let mut points = reduced(pairs.iter().flat_map(|pair| pair.points.iter().copied()).collect(), 0.0);
    if points.is_empty() {
        points.extend(deepest.points.iter().map(|point| ContactPoint { point: found.point_a, ..*point }));
    }
    Some(Contact { separation_bound, points: points.into(), ..deepest.clone() })
}

/// The shorter of two separating translations: as deep as the deepest of some parts, if that is proved to
/// part the shapes, or as deep as their boxes.
fn of_some_parts(
    result: Option<Contact>,
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    found: &Distance,
    meter: &WorkMeter<'_>,
) -> Option<Contact> {
    let proved = result.and_then(|result| {
        // Farther by what roundings leave open.
        let result = Contact { separation: result.separation - result.error, error: 2.0 * result.error, ..result };
        let is_proved = result.separation <= 0.0 && is_separated(a, b, result.normal * -result.separation, meter);
        is_proved.then_some(result)
    });
    let result = [contact_by_boxes(a, b, found), proved];
    result.into_iter().flatten().max_by(|x, y| x.separation.total_cmp(&y.separation))
}

/// Emits the contacts of all pairs of parts within `margin`, as `pair` computes them, primitives counted through the
/// parts; as long as there is something to spend.
pub(super) fn contacts_of_parts(
    a: PlacedShape<'_>,
    b: PlacedShape<'_>,
    margin: f64,
    meter: &WorkMeter<'_>,
    pair: &dyn Fn(PlacedShape<'_>, PlacedShape<'_>, f64) -> Option<Contact>,
    found: &mut dyn FnMut(Contact),
) {
    match (a.shape, b.shape) {
        (ShapeRef::Compound(of_a), _) => {
            visit_pairs(a.with(of_a), b, margin.max(0.0), meter, |parts, _| {
                if meter.is_exhausted() {
                    return ControlFlow::Break(());
                }
                if let Some(mut contact) = pair(parts[0].placed, parts[1].placed, margin) {
                    for point in &mut contact.points {
                        point.primitives = [0, 1].map(|k| point.primitives[k] + parts[k].first_primitive);
                    }
                    found(contact);
                }
                ControlFlow::Continue(margin.max(0.0))
            });
        }
        (_, ShapeRef::Compound(_)) => {
            contacts_of_parts(b, a, margin, meter, pair, &mut |contact| found(contact.swapped()));
        }
        _ if meter.is_exhausted() => {}
        _ => {
            if let Some(contact) = pair(a, b, margin) {
                found(contact);
            }
        }
    }
}
