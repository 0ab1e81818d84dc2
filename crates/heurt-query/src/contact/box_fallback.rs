//! Two shapes of which it is known that they overlap, when nothing is left to spend on how deep: as deep as their
//! boxes.
//!
//! In: placed shapes, a point that they share. Out: a [`Contact`] in that point, `None` beyond the range of numbers.
//! Guarantees: moved by `separation` along the normal the boxes are disjoint, and so are the shapes.

use crate::answer::contact::{Contact, ContactPoint};
use crate::answer::distance::Distance;
use crate::answer::feature::Feature;
use crate::answer::placed::PlacedShape;
use crate::convex::half_space::height_over;
use heurt_geometry::{Aabb, Vec3};
use heurt_shape::ShapeRef;
use smallvec::SmallVec;

pub(super) fn contact_by_boxes(a: PlacedShape<'_>, b: PlacedShape<'_>, found: &Distance) -> Option<Contact> {
    let (depth, normal) = depth(a, b).or_else(|| depth(b, a).map(|(depth, normal)| (depth, -normal)))?;
    let primitives = found.primitives.unwrap_or_default();
    let features = found.primitives.map_or([Feature::Curved; 2], |both| both.map(Feature::Face));
    let point = ContactPoint { point: found.point_a, normal, separation: -depth, features, primitives };
    let points = SmallVec::from_iter([point]);
    Some(Contact { separation: -depth, separation_bound: 0.0, error: depth, normal, points })
}

/// The translation of B by length and direction; `None` if B is a half-space and A is none, and beyond the range of
/// numbers.
fn depth(a: PlacedShape<'_>, b: PlacedShape<'_>) -> Option<(f64, Vec3)> {
    let of_b = b.shape.bounds_at(b.pose);
    let result = match a.shape {
        ShapeRef::Convex(convex) if convex.is_half_space() => {
            let heights = of_b.corners().map(|corner| height_over(convex, a.pose, corner));
            let lowest = heights.iter().fold(f64::INFINITY, |least, (height, _)| least.min(*height));
            let largest = of_b.max.abs().max(of_b.min.abs()).max_element() + lowest.abs() + a.pose.max_translation();
            (-lowest + 32.0 * f64::EPSILON * largest, heights[0].1)
        }
        _ => box_depth(&a.shape.bounds_at(a.pose), &of_b)?,
    };
    (result.0 >= 0.0 && result.0.is_finite()).then_some(result)
}

/// The shortest translation along an axis that separates two boxes, from the first to the second; `None` if they are
/// disjoint.
pub(super) fn box_depth(a: &Aabb, b: &Aabb) -> Option<(f64, Vec3)> {
    let (forth, back) = (a.max - b.min, b.max - a.min);
    let exits = [0, 1, 2].map(|k| [(forth[k], Vec3::AXES[k]), (back[k], -Vec3::AXES[k])]);
    let (depth, normal) =
        exits.into_iter().flatten().reduce(|least, exit| if exit.0 < least.0 { exit } else { least })?;
    // Placing and subtracting are rounded.
    let room = 16.0 * f64::EPSILON * (a.max.abs().max(a.min.abs()) + b.max.abs().max(b.min.abs())).max_element();
    (depth >= 0.0).then_some((depth + room + f64::MIN_POSITIVE, normal))
}
