//! Support tree: a tree of boxes over triangles that finds their support points.
//!
//! In: triangles with coordinates up to 1. Out: for a direction, the greatest height of a corner along it.
//! Method: triangles are sorted along a Z-order curve; each level has the boxes of runs of 8 boxes of the level below.
//! Method: triangles are sorted along a Z-order curve; each level has the boxes of runs of 8 boxes of the level below.
//! A depth-first search prunes boxes that reach no higher than the best height found.

use heurt_geometry::{Aabb, Triangle, Vec3};
use rayon::prelude::*;

/// Rounding error of a height: products of three terms with coordinates up to 1, and what the rounding of a frame moves
/// points by.
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Boxes over runs of [`SupportTree::WIDTH`] triangles, in levels.
pub(super) struct SupportTree<'a> {
    corners: &'a [Triangle],
    /// Triangles in spatial order.
    order: Vec<u32>,
    /// The boxes of runs of the level below, the level of triangles first.
    levels: Vec<Vec<Aabb>>,
}

impl<'a> SupportTree<'a> {
    /// Children of a box: a run is examined as a whole.
    const WIDTH: usize = 8;

    /// Builds the tree.
    pub(super) fn new(corners: &'a [Triangle]) -> Self {
        let mut order: Vec<u32> = (0..corners.len() as u32).collect();
        order.par_sort_by_cached_key(|&triangle| morton(corners[triangle as usize][0]));
        let boxes = |run: &[u32]| Aabb::from_points(run.iter().flat_map(|&triangle| corners[triangle as usize]));
        let mut levels: Vec<Vec<Aabb>> = vec![order.chunks(Self::WIDTH).map(boxes).collect()];
        while let Some(last) = levels.last().filter(|last| last.len() > 1) {
            let merged = |run: &[Aabb]| run.iter().fold(Aabb::EMPTY, |all, bounds| all.union(*bounds));
            let next = last.chunks(Self::WIDTH).map(merged).collect();
            levels.push(next);
        }
        Self { corners, order, levels }
    }

    /// Returns the greatest height of a corner along `normal`, or `least` if that is greater.
    pub(super) fn support(&self, normal: Vec3, least: f64) -> f64 {
        self.search(normal, least).0
    }

    /// Finds the triangle with the greatest height of a corner along `normal`.
    pub(super) fn support_point(&self, normal: Vec3) -> Option<u32> {
        self.search(normal, f64::NEG_INFINITY).1
    }

    /// Finds the greatest height above `least`, and its triangle.
    fn search(&self, normal: Vec3, least: f64) -> (f64, Option<u32>) {
        let mut best = (least, None);
        let mut stack = vec![(self.levels.len() - 1, 0)];
        while let Some((level, index)) = stack.pop() {
            let bounds = &self.levels[level][index];
            let top = normal.dot(bounds.centre()) + normal.abs().dot(bounds.half_extents()) + ROUNDING;
            if top <= best.0 {
                continue;
            }
            let children = index * Self::WIDTH..(index + 1) * Self::WIDTH;
            if level == 0 {
                for &triangle in &self.order[children.start..children.end.min(self.order.len())] {
                    let corners = self.corners[triangle as usize].iter();
                    let height = corners.map(|corner| normal.dot(*corner)).fold(f64::NEG_INFINITY, f64::max);
                    if height > best.0 {
                        best = (height, Some(triangle));
                    }
                }
            } else {
                // The highest child last, so that it is searched first.
                let end = children.end.min(self.levels[level - 1].len());
                let first = stack.len();
                stack.extend((children.start..end).map(|child| (level - 1, child)));
                let top = |&(level, child): &(usize, usize)| {
                    let bounds = &self.levels[level][child];
                    normal.dot(bounds.centre()) + normal.abs().dot(bounds.half_extents())
                };
                stack[first..].sort_by(|a, b| top(a).total_cmp(&top(b)));
            }
        }
        best
    }
}

/// Computes the position on the Z-order curve of a point with coordinates up to 1, 21 bits an axis.
fn morton(point: Vec3) -> u64 {
    let spread = |x: f64| {
        let mut bits = ((x * 0.5 + 0.5).clamp(0.0, 1.0) * f64::from((1u32 << 21) - 1)) as u64;
        bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
        bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
        bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
        bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
        (bits | bits << 2) & 0x1249_2492_4924_9249
    };
    spread(point.x) | spread(point.y) << 1 | spread(point.z) << 2
}
