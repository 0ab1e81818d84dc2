//! Traversal: boxes against a tree, a tree against itself, a ray through a tree.
//!
//! In: a tree and a query. Out: slots that may overlap, through a visitor. Method: depth first with an explicit stack,
//! eight children a test; a tree against itself by pairs of nodes of one level.

use super::wide_tree::{NONE, WideTree};
use crate::broad_phase::common::lanes::{lane, overlaps};
use heurt_bvh::simd::{Lanes, LanesFor};
use heurt_bvh::volume::Query;
use heurt_bvh::{Aabb32, RayQuery};

/// Calls `each` with the positions of the set bits.
#[inline(always)]
fn for_bits(mut bits: u32, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// Visits the objects that may overlap `bounds`; returns the number of visited nodes.
#[inline(always)]
pub(crate) fn overlapping<I: LanesFor<8>>(
    isa: I,
    tree: &WideTree,
    bounds: &Aabb32,
    stack: &mut Vec<u32>,
    mut visit: impl FnMut(u32),
) -> u64 {
    if tree.root == NONE {
        return 0;
    }
    stack.clear();
    stack.push(tree.root);
    let mut nodes = 0;
    while let Some(at) = stack.pop() {
        let node = &tree.nodes[at as usize];
        nodes += 1;
        let bits = overlaps(isa, &node.boxes, bounds) & node.used();
        if node.level == 0 {
            for_bits(bits, |i| visit(node.children[i & 7]));
        } else {
            for_bits(bits, |i| stack.push(node.children[i & 7]));
        }
    }
    nodes
}

/// Visits the objects that the ray may meet.
#[inline(always)]
pub(crate) fn along<I: LanesFor<8>>(isa: I, tree: &WideTree, ray: &RayQuery, mut visit: impl FnMut(u32)) {
    let mut stack = if tree.root == NONE { vec![] } else { vec![tree.root] };
    while let Some(at) = stack.pop() {
        let node = &tree.nodes[at as usize];
        let missed = Query::<Aabb32>::lower_bound(ray, isa, &node.boxes).eq(I::F::splat(f32::INFINITY)).bits();
        for_bits(!missed & node.used(), |i| {
            let child = node.children[i & 7];
            if node.level == 0 { visit(child) } else { stack.push(child) }
        });
    }
}

/// Visits all pairs that may overlap, each once; returns the number of tests of eight.
#[inline(always)]
pub(crate) fn join_self<I: LanesFor<8>>(
    isa: I,
    tree: &WideTree,
    stack: &mut Vec<(u32, u32)>,
    mut visit: impl FnMut(u32, u32),
) -> u64 {
    if tree.root == NONE {
        return 0;
    }
    stack.clear();
    stack.push((tree.root, tree.root));
    let mut tests = 0;
    while let Some((x, y)) = stack.pop() {
        let a = &tree.nodes[x as usize];
        if x == y {
            tests += u64::from(a.count);
            for i in 0..usize::from(a.count) {
                let one = a.children[i & 7];
                let bits = overlaps(isa, &a.boxes, &lane(&a.boxes, i)) & a.used() & (u32::MAX << (i + 1));
                if a.level == 0 {
                    for_bits(bits, |j| visit(one, a.children[j & 7]));
                } else {
                    stack.push((one, one));
                    for_bits(bits, |j| stack.push((one, a.children[j & 7])));
                }
            }
            continue;
        }
        let b = &tree.nodes[y as usize];
        let whole = lane(&tree.nodes[b.parent as usize].boxes, usize::from(b.lane));
        let near = overlaps(isa, &a.boxes, &whole) & a.used();
        tests += 1 + u64::from(near.count_ones());
        for_bits(near, |i| {
            let one = a.children[i & 7];
            let bits = overlaps(isa, &b.boxes, &lane(&a.boxes, i)) & b.used();
            if a.level == 0 {
                for_bits(bits, |j| visit(one, b.children[j & 7]));
            } else {
                for_bits(bits, |j| stack.push((one, b.children[j & 7])));
            }
        });
    }
    tests
}
