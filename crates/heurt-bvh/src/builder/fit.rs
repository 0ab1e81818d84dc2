//! Fitting of volumes to points: refines every lane of every node for volumes that boxes of primitives do not
//! determine.
//!
//! In: a tree with complete links. Out: its volumes. The primitives below a node are neighbours in leaf order, so their
//! points are one slice. After rotations they are not; volumes of nodes are then merged from the volumes of their
//! children.
//! Cost: O(n log n) for volumes fitted to points, O(n) for merged volumes.

use crate::tree::bvh::{Bvh, Child, Leaf};
use crate::tree::source::PrimitiveSource;
use crate::volume::{BoundingVolume, BoxAxes, Fitting, PointCloud};
use heurt_geometry::Vec3;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The points of all leaves in leaf order, each once a leaf.
pub(crate) struct FitPoints {
    points: Vec<Vec3>,
    /// Start of the points of each leaf, and a last entry for the end of the last leaf.
    starts: Vec<u32>,
    /// Sum of the area vectors of the primitives of each leaf.
    facings: Vec<Vec3>,
}

impl FitPoints {
    /// Gathers the points, in local units of `tree`.
    pub fn of<V: BoundingVolume, const W: usize>(tree: &Bvh<V, W>, source: &impl PrimitiveSource) -> Self {
        let leaves = tree.order.len() / tree.leaf_size as usize;
        let mut counts = vec![0u32; leaves];
        tree.for_each_leaf(|leaf| counts[leaf.ordinal as usize] = leaf.count);
        let mut out = Self {
            points: Vec::with_capacity(tree.count),
            starts: Vec::with_capacity(leaves + 1),
            facings: Vec::with_capacity(leaves),
        };
        let mut corners = Vec::new();
        for (ordinal, &count) in counts.iter().enumerate() {
            out.starts.push(out.points.len() as u32);
            let leaf = Leaf { ordinal: ordinal as u32, count };
            out.facings.push(gather(tree, source, leaf, &mut corners, &mut out.points));
        }
        out.starts.push(out.points.len() as u32);
        out
    }

    /// Returns the points of the leaves in `range`.
    fn cloud(&self, range: &Range<u32>, axes: BoxAxes) -> PointCloud<'_> {
        let (first, last) = (range.start as usize, range.end as usize);
        PointCloud {
            points: &self.points[self.starts[first] as usize..self.starts[last] as usize],
            facing: self.facings[first..last].iter().fold(Vec3::ZERO, |sum, facing| sum + *facing),
            axes,
        }
    }
}

/// Appends the points of a leaf, each once, and returns the sum of its area vectors; `corners` is a scratch buffer.
pub(crate) fn gather<V: BoundingVolume, const W: usize>(
    tree: &Bvh<V, W>,
    source: &impl PrimitiveSource,
    leaf: Leaf,
    corners: &mut Vec<u32>,
    points: &mut Vec<Vec3>,
) -> Vec3 {
    corners.clear();
    let mut facing = Vec3::ZERO;
    for &primitive in tree.primitives(leaf) {
        let first = corners.len();
        corners.extend(source.corners(primitive));
        if let [a, b, c] = corners[first..] {
            let [a, b, c] = [a, b, c].map(|corner| tree.frame.to_local(source.points()[corner as usize]));
            facing += (b - a).cross(c - a) / 2.0;
        }
    }
    corners.sort_unstable();
    corners.dedup();
    points.extend(corners.iter().map(|&corner| tree.frame.to_local(source.points()[corner as usize])));
    facing
}

/// Nodes of a task. 16: fits of up to 128 volumes outweigh the start of a task.
const NODES_OF_TASK: usize = 16;

/// Calls `task` in parallel for pieces of `items`, each with the index of its first item; pieces have `len` items, the
/// last one may have fewer.
fn for_each_piece<T: Send>(items: &mut [T], len: usize, task: &(impl Fn(usize, &mut [T]) + Sync)) {
    let pieces: Vec<Mutex<&mut [T]>> = items.chunks_mut(len).map(Mutex::new).collect();
    run_in_parallel(pieces.len(), &|piece| {
        // Each piece has one task, so its lock is free and holds no panic of another task.
        let mut items = pieces[piece].lock().unwrap_or_else(PoisonError::into_inner);
        task(piece * len, &mut items);
    });
}

/// Calls `task` in parallel for each number below `count`. Not generic, so that the code of tasks is compiled once, not
/// for each kind of volume.
fn run_in_parallel(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(task);
}

/// Fits every volume of `tree`.
pub(crate) fn fit_volumes<V: BoundingVolume, const W: usize>(
    tree: &mut Bvh<V, W>,
    source: &impl PrimitiveSource,
    axes: BoxAxes,
    parallel: bool,
) {
    let points = FitPoints::of(tree, source);
    let ranges = leaf_ranges(tree);
    let merges = V::FITTING == Fitting::Merged || !are_exact(tree, &ranges);
    let fit_node = |index: usize| {
        let node = &tree.nodes[index];
        let mut volumes = node.volumes;
        for lane in 0..W {
            let child = node.children[lane];
            if child == Child::NONE {
                break;
            }
            let range = range_of(child, &ranges);
            if child.is_leaf() || !merges {
                V::around(&points.cloud(&range, axes)).store(&mut volumes, lane);
            }
        }
        volumes
    };
    let count = tree.nodes.len();
    let mut fitted: Vec<V::Wide<W>> = tree.nodes.iter().map(|node| node.volumes).collect();
    let fit_nodes = |first: usize, volumes: &mut [V::Wide<W>]| {
        (first..).zip(volumes).for_each(|(index, volumes)| *volumes = fit_node(index));
    };
    if parallel && points.points.len() > 4096 {
        for_each_piece(&mut fitted, NODES_OF_TASK, &fit_nodes);
    } else {
        fit_nodes(0, &mut fitted);
    }
    for (node, volumes) in tree.nodes.iter_mut().zip(fitted) {
        node.volumes = volumes;
    }
    if merges {
        for index in (1..count).rev() {
            tree.merge_into_parent(index);
        }
    }
}

/// Reports whether the leaves below each node are exactly the leaves of its range; rotations break this.
fn are_exact<V: BoundingVolume, const W: usize>(tree: &Bvh<V, W>, ranges: &[Range<u32>]) -> bool {
    tree.nodes.iter().zip(ranges).all(|(node, range)| {
        let children = node.children.iter().filter(|child| **child != Child::NONE);
        children.map(|&child| range_of(child, ranges).len()).sum::<usize>() == range.len()
    })
}

/// Computes for each node a range of leaves that holds the leaves below it.
pub(crate) fn leaf_ranges<V: BoundingVolume, const W: usize>(tree: &Bvh<V, W>) -> Vec<Range<u32>> {
    let mut ranges = vec![0..0; tree.nodes.len()];
    for index in (0..tree.nodes.len()).rev() {
        let lanes = tree.nodes[index].children.iter().filter(|child| **child != Child::NONE);
        let of_lanes = lanes.map(|&child| range_of(child, &ranges));
        let all = of_lanes.reduce(|all, lane| all.start.min(lane.start)..all.end.max(lane.end));
        ranges[index] = all.unwrap_or(0..0);
    }
    ranges
}

/// Returns the range of the leaves below `child`, given the ranges of the nodes.
pub(crate) fn range_of(child: Child, ranges: &[Range<u32>]) -> Range<u32> {
    if child.is_leaf() {
        let ordinal = child.as_leaf().ordinal;
        ordinal..ordinal + 1
    } else {
        ranges[child.index()].clone()
    }
}
