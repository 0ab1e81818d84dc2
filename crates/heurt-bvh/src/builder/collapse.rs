//! Collapse of a binary tree into a wide tree: chooses the binary nodes that become wide nodes, and writes parents
//! first.
//!
//! Method: dynamic programming after Ylitie, Karras and Laine 2017. A query opens a wide node approximately as often as
//! its surface is large, so the sum of the surfaces of all wide nodes is made least. With L and R the children of a
//! binary node,
//! - as i ≥ 2 members of the wide node above: cost(i) = min over k of cost_L(k) + cost_R(i − k), or cost(i − 1) if
//!   less;
//! - as one member, a wide node of its own: cost(1) = surface + min over k of cost_L(k) + cost_R(W − k); a leaf costs
//!   nothing.

use super::binary::{BinaryNode, BinaryTree, Reference};
use crate::simd::{Kernel, Lanes, LanesFor, WideIsa, dispatch};
use crate::tree::bvh::{Child, Node, NodeRef};
use crate::volume::BoundingVolume;

/// Result of collapsing: nodes, the parent lane of each, and primitives in leaf order. Every leaf starts at a multiple
/// of the leaf size.
pub(crate) struct Collapsed<V: BoundingVolume, const W: usize> {
    pub nodes: Vec<Node<V, W>>,
    pub parents: Vec<NodeRef>,
    pub order: Vec<u32>,
}

/// Fills the gaps of `order` behind leaves that are not full.
pub(crate) const NO_PRIMITIVE: u32 = u32::MAX;

/// Collapses `tree` over `refs`. Node 0 has one lane: the root.
pub(crate) fn collapse<V: BoundingVolume, const W: usize>(
    tree: &BinaryTree,
    refs: &[Reference],
    leaf_size: u32,
) -> Collapsed<V, W> {
    let mut out = Collapsed {
        nodes: Vec::with_capacity(refs.len() / 8 + 2),
        parents: Vec::with_capacity(refs.len() / 8 + 2),
        order: Vec::with_capacity(refs.len() + refs.len() / 2),
    };
    out.nodes.push(Node::EMPTY());
    out.parents.push(NodeRef::NONE);
    let cuts = dispatch(CheapestCuts { nodes: &tree.nodes, width: W });
    let mut stack = vec![(0u32, [0u32; W], 1usize)];
    while let Some((node, members, count)) = stack.pop() {
        let below = stack.len();
        for (lane, &member) in members[..count].iter().enumerate() {
            let binary = tree.nodes[member as usize];
            let child = if binary.left == 0 {
                push_leaf(&mut out.order, &binary, refs, leaf_size)
            } else {
                let index = out.nodes.len() as u32;
                out.nodes.push(Node::EMPTY());
                out.parents.push(NodeRef::new::<W>(node, lane as u32));
                let (members, count) = members_of(tree, &cuts, member);
                stack.push((index, members, count));
                Child::node(index)
            };
            let slot = &mut out.nodes[node as usize];
            V::from_box(&binary.bounds).store(&mut slot.volumes, lane);
            slot.children[lane] = child;
        }
        stack[below..].reverse();
    }
    out
}

/// The widest node.
const WIDEST: usize = 8;

/// How the members that represent a binary node are shared out: of `i` members, the left child gets `cuts[i − 1]`,
/// where 0 states that `i − 1` members are as good. As one member it is a wide node of its own, whose members `cuts[0]`
/// shares out.
type Cuts = [u8; WIDEST];

/// Finds the cuts of all nodes that make the sum of the surfaces of the wide nodes least.
struct CheapestCuts<'a> {
    nodes: &'a [BinaryNode],
    /// Members of a wide node.
    width: usize,
}

impl Kernel for CheapestCuts<'_> {
    type Output = Vec<Cuts>;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> Vec<Cuts> {
        type F<I> = <I as LanesFor<WIDEST>>::F;
        let mut costs = vec![[0.0f32; WIDEST]; self.nodes.len()];
        let mut cuts = vec![[0u8; WIDEST]; self.nodes.len()];
        // Children come after their parents.
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if node.left == 0 {
                continue;
            }
            let left = costs[node.left as usize];
            // The costs of the right child, shifted by the number of lanes that the left child takes.
            let mut right = [f32::INFINITY; 2 * WIDEST];
            right[WIDEST..].copy_from_slice(&costs[node.left as usize + 1]);
            let (mut least, mut cut) = (F::<I>::splat(f32::INFINITY), F::<I>::splat(0.0));
            let mut of_left = 1;
            while of_left < self.width {
                let mut behind = [0.0; WIDEST];
                behind.copy_from_slice(&right[WIDEST - of_left..2 * WIDEST - of_left]);
                let cost = F::<I>::splat(left[of_left - 1]).add(F::<I>::load(&behind));
                let is_less = least.gt(cost);
                least = is_less.select(cost, least);
                cut = is_less.select(F::<I>::splat(of_left as f32), cut);
                of_left += 1;
            }
            let (mut least, mut cut) = (least.to_array(), cut.to_array().map(|of_left| of_left as u8));
            least[0] = node.bounds.half_area() + least[self.width - 1];
            cut[0] = cut[self.width - 1];
            for slot in 1..self.width {
                if least[slot - 1] <= least[slot] {
                    least[slot] = least[slot - 1];
                    cut[slot] = 0;
                }
            }
            costs[index] = least;
            cuts[index] = cut;
        }
        cuts
    }
}

/// Returns the members of the wide node that represents the inner binary node `node`.
fn members_of<const W: usize>(tree: &BinaryTree, cuts: &[Cuts], node: u32) -> ([u32; W], usize) {
    let mut members = [0; W];
    let mut count = 0;
    // Right children go onto a stack; each represents at least one member.
    let mut waiting = [(0, 0); W];
    let mut above = 0;
    let (mut at, mut shared, mut of_left) = (node, W as u8, cuts[node as usize][0]);
    loop {
        let left = tree.nodes[at as usize].left;
        if left != 0 && of_left != 0 {
            waiting[above] = (left + 1, shared - of_left);
            above += 1;
            (at, shared) = (left, of_left);
        } else {
            members[count] = at;
            count += 1;
            if above == 0 {
                return (members, count);
            }
            above -= 1;
            (at, shared) = waiting[above];
        }
        let of_this = &cuts[at as usize];
        while shared > 1 && of_this[shared as usize - 1] == 0 {
            shared -= 1;
        }
        of_left = if shared > 1 { of_this[shared as usize - 1] } else { 0 };
    }
}

fn push_leaf(order: &mut Vec<u32>, leaf: &BinaryNode, refs: &[Reference], leaf_size: u32) -> Child {
    let ordinal = order.len() as u32 / leaf_size;
    let range = leaf.first as usize..(leaf.first + leaf.count) as usize;
    order.extend(refs[range].iter().map(Reference::primitive));
    order.resize((ordinal as usize + 1) * leaf_size as usize, NO_PRIMITIVE);
    Child::leaf(ordinal, leaf.count)
}
