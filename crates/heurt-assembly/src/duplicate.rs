//! Duplicates: two parts that fill the same space, as when a part was inserted twice.
//!
//! In: two placed parts that meet, and a length below which surfaces are the same. Out: whether they are duplicates.
//! Method: their boxes, their volumes and then their surfaces are compared: each vertex of one part lies within the
//! length of the surface of its partner. Guarantees: parts of one shape in one pose are duplicates. Not guaranteed:
//! that surfaces between vertices are as near.
//! Cost: nothing for parts with other boxes; else a nearest-point query for each vertex.

use super::interference::PlacedPart;
use heurt_geometry::{Aabb, Vec3};
use heurt_mesh::measures;
use heurt_query::{ClosestOptions, closest_with, measure_shared_space};

/// Share of the size of a part by which a near duplicate may be off.
const NEAR: f64 = 1e-4;
/// Share of the size beyond which boxes differ however parts are tessellated: the error of a circle of twelve facets.
const BOX: f64 = 0.04;
/// Share by which the volumes of near duplicates may differ.
const VOLUME: f64 = 0.01;

/// Reports whether two solid parts fill the same space, up to the error of their tessellations and a ten-thousandth of
/// their size.
pub(crate) fn are_duplicates([a, b]: &[PlacedPart<'_>; 2], error: impl FnOnce() -> f64) -> bool {
    let size = a.bounds.half_extents().length().min(b.bounds.half_extents().length());
    let off = |x: Vec3, y: Vec3| (x - y).abs().max_element();
    let off = off(a.bounds.min, b.bounds.min).max(off(a.bounds.max, b.bounds.max));
    if !(off <= BOX * size && a.shape.is_solid() && b.shape.is_solid()) {
        return false;
    }
    let room = error().max(NEAR * size);
    if off > room {
        return false;
    }
    let is_one_shape = std::ptr::eq(a.shape, b.shape) && *a.pose == *b.pose;
    is_one_shape || have_one_volume(a, b) && lies_on(a, b, room) && lies_on(b, a, room)
}

fn have_one_volume(a: &PlacedPart<'_>, b: &PlacedPart<'_>) -> bool {
    let volume = |part: &PlacedPart<'_>| {
        let once = measure_shared_space(part.shape).once().map(|measures| measures.volume);
        once.or_else(|| measures(part.shape.mesh()).volume).map(f64::abs)
    };
    match (volume(a), volume(b)) {
        (Some(one), Some(other)) => (one - other).abs() <= VOLUME * one.max(other),
        _ => false,
    }
}

/// Reports whether each vertex of `part` is within `room` of the surface of `other`.
fn lies_on(part: &PlacedPart<'_>, other: &PlacedPart<'_>, room: f64) -> bool {
    let grown = Aabb { min: other.bounds.min - Vec3::splat(room), max: other.bounds.max + Vec3::splat(room) };
    let options = ClosestOptions { max_distance: room };
    part.shape.mesh().vertices().iter().all(|&vertex| {
        let point = part.pose.place(vertex);
        grown.contains(point) && closest_with(other.shape, other.pose, point, &options).value().is_some()
    })
}
