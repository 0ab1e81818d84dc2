//! The hull of points in a plane: Andrew's monotone chain, seen along an axis along which the plane does not collapse.

use crate::predicates::{Exact, Sign, orient2d};
use crate::triangle::{dropped, projection};
use crate::{Triangle, Vec2, Vec3};

/// The corners of the hull in turn, counter-clockwise like `plane`, three of the points that span their common plane.
pub(super) fn polygon(points: &[Vec3], order: &[u32], plane: &Triangle) -> Vec<u32> {
    let Some((axis, orientation)) = projection::<Exact>(plane) else { return Vec::new() };
    let seen = |index: u32| dropped(points[index as usize], axis);
    let mut polygon = counter_clockwise(order.to_vec(), seen);
    if orientation == Sign::Negative {
        polygon[1..].reverse();
    }
    polygon
}

/// The corners of the hull of points of the plane, counter-clockwise; the least index of equal ones.
pub(crate) fn flat_corners(points: &[Vec2]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let at = |index: u32| points[index as usize];
    order.sort_unstable_by(|p, q| compare(at(*p), at(*q)).then(p.cmp(q)));
    order.dedup_by(|later, kept| at(*later) == at(*kept));
    if order.len() == 1 { order } else { counter_clockwise(order, at) }
}

/// The same of two or more points, all distinct.
fn counter_clockwise(mut order: Vec<u32>, seen: impl Fn(u32) -> Vec2 + Copy) -> Vec<u32> {
    // Distinct points of a plane stay distinct in the projection.
    order.sort_unstable_by(|p, q| compare(seen(*p), seen(*q)));
    let mut polygon = chain(order.iter().copied(), seen);
    polygon.pop();
    polygon.extend(chain(order.iter().rev().copied(), seen));
    polygon.pop();
    polygon
}

fn compare(p: Vec2, q: Vec2) -> std::cmp::Ordering {
    p.to_array().partial_cmp(&q.to_array()).unwrap_or(std::cmp::Ordering::Equal)
}

/// From the first point to the last, always turning strictly left.
fn chain(points: impl Iterator<Item = u32>, seen: impl Fn(u32) -> Vec2) -> Vec<u32> {
    let mut chain: Vec<u32> = Vec::new();
    for point in points {
        while let [.., a, b] = chain[..] {
            if orient2d(seen(a), seen(b), seen(point)) == Sign::Positive {
                break;
            }
            chain.pop();
        }
        chain.push(point);
    }
    chain
}
