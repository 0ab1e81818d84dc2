//! Which neighbours see each other.
//!
//! In: pairs of points and obstacles. Out: the pairs whose segments meet none.
//! Method: sweep along x over the boxes of both, then the exact test. Cost: O(n log n) and the boxes that overlap along
//! x.

use super::Neighbours;
use heurt_geometry::{Aabb, Vec3};

/// Keeps the pairs that `meets` states of no obstacle.
pub(super) fn filter<const N: usize>(
    neighbours: &Neighbours,
    at: impl Fn(u32) -> Vec3,
    obstacles: &[[Vec3; N]],
    meets: impl Fn([Vec3; 2], &[Vec3; N]) -> bool,
) -> Neighbours {
    let mut walls: Vec<(Aabb, &[Vec3; N])> =
        obstacles.iter().map(|corners| (Aabb::from_points(corners.iter().copied()), corners)).collect();
    walls.sort_by(|a, b| a.0.min.x.total_cmp(&b.0.min.x));
    let mut lines: Vec<(Aabb, [u32; 2])> =
        neighbours.pairs().map(|pair| (Aabb::from_points(pair.map(&at)), pair)).collect();
    lines.sort_by(|a, b| a.0.min.x.total_cmp(&b.0.min.x).then(a.1.cmp(&b.1)));
    let mut next = 0;
    // Obstacles that began before and may reach further than the line of sight's beginning.
    let mut open: Vec<(Aabb, &[Vec3; N])> = Vec::new();
    let seen = lines.into_iter().filter(|&(bounds, pair)| {
        open.retain(|(wall, _)| wall.max.x >= bounds.min.x);
        while let Some(wall) = walls.get(next).filter(|(wall, _)| wall.min.x <= bounds.max.x) {
            if wall.0.max.x >= bounds.min.x {
                open.push(*wall);
            }
            next += 1;
        }
        let overlaps = |wall: &Aabb| wall.min.cmple(bounds.max).all() && bounds.min.cmple(wall.max).all();
        !open.iter().any(|(wall, corners)| overlaps(wall) && meets(pair.map(&at), corners))
    });
    Neighbours::from_pairs(neighbours.point_count(), seen.map(|(_, pair)| pair))
}
