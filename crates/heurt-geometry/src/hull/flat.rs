//! The hull of points in a plane: Andrew's monotone chain, seen along an axis along which the plane does not collapse.

use crate::predicates::{Exact, Sign, orient2d};
use crate::triangle::{dropped, projection};
use crate::{Triangle, Vec2, Vec3};

/// The corners of the hull in turn, counter-clockwise like `plane`, three of the points that span their common plane.
pub(super) fn polygon(points: &[Vec3], order: &[u32], plane: &Triangle) -> Vec<u32> {
    let Some((axis, orientation)) = projection::<Exact>(plane) else { return Vec::new() };
    let seen = |index: u32| dropped(points[index as usize], axis);
    let mut order = order.to_vec();
    // Distinct points of the plane stay distinct in the projection.
    order.sort_unstable_by(|p, q| compare(seen(*p), seen(*q)));
    let mut polygon = chain(order.iter().copied(), seen);
    polygon.pop();
    polygon.extend(chain(order.iter().rev().copied(), seen));
    polygon.pop();
    if orientation == Sign::Negative {
        polygon[1..].reverse();
    }
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
