//! Top-down build (S0 §4.5.2): splits a set by a rule, then splits both halves.
//!
//! Large sets are first split in sequence into tasks whose number depends on the input only. The tasks then run in
//! parallel and their nodes are appended in order, so the tree is the same for any number of threads.

use super::RULED_DEPTH;
use super::binary::{BinaryNode, BinaryTree, Limits, Reference};
use crate::simd::{Kernel, WideIsa, dispatch};
use crate::volume::{Aabb32, eigenvectors};
use rayon::prelude::*;

/// Both sides of a split: the number of references on the left, and the boxes.
pub(crate) struct Split {
    pub left_count: usize,
    pub left: Reference,
    pub right: Reference,
}

/// A rule that splits a set in two.
pub(crate) trait SplitRule: Sync {
    /// Splits the top of a large tree if the rule has a faster method for it; reorders `refs`.
    fn split_top(&self, _refs: &mut Vec<Reference>, _root: BinaryNode) -> Option<Vec<BinaryNode>> {
        None
    }

    /// Reorders `refs` and returns the split; neither side may be empty. `None` leaves the choice to the median.
    fn split<I: WideIsa>(&self, isa: I, refs: &mut [Reference], bounds: &Aabb32) -> Option<Split>;
}

/// The direction that a set is split across.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Direction {
    /// The longest axis of the box.
    LongestAxis,
    /// The direction of the largest spread of the centres: the eigenvector of their covariance with the largest
    /// eigenvalue.
    LargestEigenvalue,
}

/// The position of the cut along the direction.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cut {
    /// Equal counts on both sides.
    Median,
    /// The mean of the centres.
    Mean,
    /// The middle between the outermost: of the box along an axis, of the centres along an eigenvector.
    Middle,
}

/// Splits a set at a cut across a direction (S0 §4.5.4, §4.5.6).
pub(crate) struct CutAcross(pub Direction, pub Cut);

impl SplitRule for CutAcross {
    #[inline(always)]
    fn split<I: WideIsa>(&self, _isa: I, refs: &mut [Reference], bounds: &Aabb32) -> Option<Split> {
        let Self(direction, cut) = self;
        if matches!((direction, cut), (Direction::LongestAxis, Cut::Median)) {
            return None;
        }
        let axis = match direction {
            Direction::LongestAxis => {
                let mut axis = [0.0; 3];
                axis[longest_axis(bounds)] = 1.0;
                axis
            }
            Direction::LargestEigenvalue => widest_spread(refs),
        };
        let along = |r: &Reference| r.centre2(0) * axis[0] + r.centre2(1) * axis[1] + r.centre2(2) * axis[2];
        let place = match cut {
            Cut::Median => {
                let left_count = refs.len().div_ceil(2);
                let order = |a: &Reference, b: &Reference| {
                    along(a).total_cmp(&along(b)).then(a.primitive().cmp(&b.primitive()))
                };
                refs.select_nth_unstable_by(left_count - 1, order);
                return Some(split_at(refs, left_count));
            }
            Cut::Mean => (refs.iter().map(|r| f64::from(along(r))).sum::<f64>() / refs.len() as f64) as f32,
            Cut::Middle => match direction {
                Direction::LongestAxis => {
                    let axis = longest_axis(bounds);
                    bounds.min[axis] + bounds.max[axis]
                }
                Direction::LargestEigenvalue => {
                    let (low, high) = refs
                        .iter()
                        .map(along)
                        .fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
                    low * 0.5 + high * 0.5
                }
            },
        };
        let left_count = partition(refs, |r| along(r) <= place);
        (left_count > 0 && left_count < refs.len()).then(|| split_at(refs, left_count))
    }
}

/// Returns the unit vector along which the centres are spread most.
fn widest_spread(refs: &[Reference]) -> [f32; 3] {
    let centre = |r: &Reference| [0, 1, 2].map(|k| f64::from(r.centre2(k)));
    let mut mean = [0.0; 3];
    for reference in refs {
        for (sum, x) in mean.iter_mut().zip(centre(reference)) {
            *sum += x / refs.len() as f64;
        }
    }
    let mut covariance = [0.0; 6];
    for reference in refs {
        let [x, y, z] = centre(reference);
        let [x, y, z] = [x - mean[0], y - mean[1], z - mean[2]];
        for (sum, product) in covariance.iter_mut().zip([x * x, x * y, x * z, y * y, y * z, z * z]) {
            *sum += product;
        }
    }
    eigenvectors(covariance)[0].to_array().map(|x| x as f32)
}

/// Returns the axis along which `bounds` is longest.
pub(crate) fn longest_axis(bounds: &Aabb32) -> usize {
    let extent = |k: usize| bounds.max[k] - bounds.min[k];
    let xy = if extent(1) > extent(0) { 1 } else { 0 };
    if extent(2) > extent(xy) { 2 } else { xy }
}

/// Moves the references with `is_left` to the front and counts them. Every step swaps unconditionally: a branch would
/// be mispredicted half the time.
#[inline(always)]
pub(crate) fn partition(refs: &mut [Reference], is_left: impl Fn(&Reference) -> bool) -> usize {
    let mut left_count = 0;
    for i in 0..refs.len() {
        let left = is_left(&refs[i]);
        refs.swap(i, left_count);
        left_count += usize::from(left);
    }
    left_count
}

/// Returns the boxes of both sides of a given cut.
#[inline(always)]
pub(crate) fn split_at(refs: &[Reference], left_count: usize) -> Split {
    let (left, right) = refs.split_at(left_count);
    Split { left_count, left: bounds_of(left), right: bounds_of(right) }
}

#[inline(always)]
fn bounds_of(refs: &[Reference]) -> Reference {
    let mut bounds = Reference::EMPTY;
    for reference in refs {
        bounds.merge(reference);
    }
    bounds
}

/// Halves the set at the median of the longest axis of its centres.
#[inline(always)]
fn split_median(refs: &mut [Reference]) -> Split {
    let axis = axis_of_centres(refs);
    let left_count = refs.len().div_ceil(2);
    let order = |a: &Reference, b: &Reference| {
        a.centre2(axis).total_cmp(&b.centre2(axis)).then(a.primitive().cmp(&b.primitive()))
    };
    refs.select_nth_unstable_by(left_count - 1, order);
    split_at(refs, left_count)
}

/// Returns the longest axis of the box around the centres.
#[inline(always)]
fn axis_of_centres(refs: &[Reference]) -> usize {
    let mut extremes = Reference::EMPTY;
    for reference in refs {
        extremes.merge(&reference.centre_as_box());
    }
    longest_axis(&extremes.to_box())
}

/// Maximum size of a set, which fits into one node, that is swept; as a remainder it only saves bounds checks.
const SMALL: usize = 64;

/// Splits a small set across the longest axis of its centres. Among the cuts that leave each side enough lanes, chooses
/// the least area(left)·count(left) + area(right)·count(right). Each side gets half of the leaves; the number of leaves
/// is the least sufficient power of two. So a node is never short of lanes, and lanes that would be idle are filled, at
/// no cost to a walk.
#[inline(always)]
fn split_swept(refs: &mut [Reference], leaf_size: usize) -> Split {
    let count = refs.len();
    sort_by_rank(refs, axis_of_centres(refs));
    let most = count.div_ceil(leaf_size).next_power_of_two() / 2 * leaf_size;
    let least = count - most;
    let mut after = [Reference::EMPTY; SMALL];
    let mut right = Reference::EMPTY;
    for i in (least..count).rev() {
        right.merge(&refs[i]);
        after[i % SMALL] = right;
    }
    let mut left = bounds_of(&refs[..least - 1]);
    let mut best = Split { left_count: 0, left, right };
    let mut least_cost = f32::INFINITY;
    for left_count in least..=most {
        left.merge(&refs[left_count - 1]);
        let right = &after[left_count % SMALL];
        let cost = left.half_area() * left_count as f32 + right.half_area() * (count - left_count) as f32;
        if best.left_count == 0 || cost < least_cost {
            least_cost = cost;
            best = Split { left_count, left, right: *right };
        }
    }
    best
}

/// Sorts a small set along `axis`, along which coordinates are finite. Each rank is the number of preceding references,
/// which needs no branch.
#[inline(always)]
fn sort_by_rank(refs: &mut [Reference], axis: usize) {
    let count = refs.len();
    let mut keys = [f32::INFINITY; SMALL];
    let mut sorted = [Reference::EMPTY; SMALL];
    for (key, reference) in keys.iter_mut().zip(refs.iter()) {
        *key = reference.centre2(axis);
    }
    debug_assert!(keys[..count].iter().all(|key| key.is_finite()), "two that cannot be ordered would have one rank");
    let lanes = count.next_multiple_of(8);
    for i in 0..count {
        // A reference before i precedes it if not greater, a reference after i if less: ties go by position.
        let (key, mut rank) = (keys[i], 0);
        for (j, &other) in keys[..lanes].iter().enumerate() {
            rank += u32::from(other < key) + u32::from(other == key && j < i);
        }
        sorted[rank as usize % SMALL] = refs[i];
    }
    refs.copy_from_slice(&sorted[..count]);
}

/// Sets larger than 1/32 of the whole are split before tasks are created.
const TASKS: usize = 32;
/// Minimum number of references in a task.
const MIN_TASK: usize = 16_384;

/// Builds the tree over `refs` by `rule`.
pub(crate) fn build<R: SplitRule>(refs: &mut Vec<Reference>, limits: Limits, parallel: bool, rule: &R) -> BinaryTree {
    let count = refs.len();
    let mut nodes = vec![root(refs)];
    if count > MIN_TASK {
        let stop = (count / TASKS).max(MIN_TASK);
        match rule.split_top(refs, nodes[0]) {
            Some(top) => nodes = top,
            None => dispatch(Grow { refs, limits, rule, nodes: &mut nodes, stop, first: 0 }),
        }
    }
    let mut open: Vec<usize> = (0..nodes.len()).filter(|&i| nodes[i].left == 0 && nodes[i].count > 1).collect();
    open.sort_unstable_by_key(|&i| nodes[i].first);
    let mut tasks = Vec::with_capacity(open.len());
    let (mut rest, mut taken) = (refs.as_mut_slice(), 0);
    for &node in &open {
        let BinaryNode { first, count, bounds, .. } = nodes[node];
        let (_, after) = rest.split_at_mut(first as usize - taken);
        let (mine, after) = after.split_at_mut(count as usize);
        rest = after;
        taken = (first + count) as usize;
        tasks.push((mine, first, bounds));
    }
    let grow = |(refs, first, bounds): (&mut [Reference], u32, Aabb32)| {
        let count = refs.len();
        let mut nodes = Vec::with_capacity(count + count / 8);
        nodes.push(BinaryNode { bounds, first, count: count as u32, left: 0 });
        dispatch(Grow { refs, limits, rule, nodes: &mut nodes, stop: 0, first });
        nodes
    };
    let grown: Vec<Vec<BinaryNode>> =
        if parallel { tasks.into_par_iter().map(grow).collect() } else { tasks.into_iter().map(grow).collect() };
    for (&node, subtree) in open.iter().zip(grown) {
        graft(&mut nodes, node, &subtree);
    }
    BinaryTree { nodes }
}

fn root(refs: &[Reference]) -> BinaryNode {
    BinaryNode { bounds: bounds_of(refs).to_box(), first: 0, count: refs.len() as u32, left: 0 }
}

/// Replaces leaf `node` by `subtree`, whose root represents it.
fn graft(nodes: &mut Vec<BinaryNode>, node: usize, subtree: &[BinaryNode]) {
    let offset = nodes.len() as u32 - 1;
    let mut moved = subtree.iter().map(|n| BinaryNode { left: if n.left == 0 { 0 } else { n.left + offset }, ..*n });
    if let Some(root) = moved.next() {
        nodes[node] = root;
    }
    nodes.extend(moved);
}

/// Splits the first of `nodes` further, down to leaves or to sets of at most `stop`.
struct Grow<'a, R> {
    refs: &'a mut [Reference],
    limits: Limits,
    rule: &'a R,
    nodes: &'a mut Vec<BinaryNode>,
    stop: usize,
    first: u32,
}

impl<R: SplitRule> Kernel for Grow<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) {
        let Self { refs, limits, rule, nodes, stop, first: base } = self;
        let mut stack = vec![(0u32, 0)];
        while let Some((index, depth)) = stack.pop() {
            let BinaryNode { first, count, bounds, .. } = nodes[index as usize];
            if count <= limits.leaf_size || count as usize <= stop {
                continue;
            }
            let start = (first - base) as usize;
            let set = &mut refs[start..start + count as usize];
            let split = if count <= limits.capacity && set.len() <= SMALL {
                split_swept(set, limits.leaf_size as usize)
            } else {
                let ruled = if depth < RULED_DEPTH { rule.split(isa, set, &bounds) } else { None };
                match ruled {
                    Some(split) => split,
                    None => split_median(set),
                }
            };
            let left = nodes.len() as u32;
            let left_count = split.left_count as u32;
            nodes[index as usize].left = left;
            nodes.push(BinaryNode { bounds: split.left.to_box(), first, count: left_count, left: 0 });
            nodes.push(BinaryNode {
                bounds: split.right.to_box(),
                first: first + left_count,
                count: count - left_count,
                left: 0,
            });
            stack.push((left + 1, depth + 1));
            stack.push((left, depth + 1));
        }
    }
}
