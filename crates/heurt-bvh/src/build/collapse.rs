//! From two children to `W`: open the largest child of a node until it has `W`, and write nodes parents first.

use super::binary::{BinaryNode, BinaryTree, Reference};
use crate::bvh::{Child, Node, NodeRef};
use crate::volume::BoundingVolume;

/// What collapsing gives: nodes, the parent lane of each, and primitives in leaf order, every leaf at a multiple of the
/// leaf size.
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
                let (members, count) = open_largest::<W>(tree, &binary);
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

/// The members of the wide node that stands for `node`.
fn open_largest<const W: usize>(tree: &BinaryTree, node: &BinaryNode) -> ([u32; W], usize) {
    let area = |member: u32| {
        let child = &tree.nodes[member as usize];
        if child.left == 0 { -1.0 } else { child.bounds.half_area() }
    };
    let mut members = [0u32; W];
    let mut areas = [0.0f32; W];
    (members[0], members[1]) = (node.left, node.left + 1);
    (areas[0], areas[1]) = (area(members[0]), area(members[1]));
    let mut count = 2;
    while count < W {
        let mut largest = 0;
        for slot in 1..count {
            if areas[slot] > areas[largest] {
                largest = slot;
            }
        }
        if areas[largest] < 0.0 {
            break;
        }
        let left = tree.nodes[members[largest] as usize].left;
        (members[largest], areas[largest]) = (left, area(left));
        (members[count], areas[count]) = (left + 1, area(left + 1));
        count += 1;
    }
    (members, count)
}

fn push_leaf(order: &mut Vec<u32>, leaf: &BinaryNode, refs: &[Reference], leaf_size: u32) -> Child {
    let ordinal = order.len() as u32 / leaf_size;
    let range = leaf.first as usize..(leaf.first + leaf.count) as usize;
    order.extend(refs[range].iter().map(Reference::primitive));
    order.resize((ordinal as usize + 1) * leaf_size as usize, NO_PRIMITIVE);
    Child::leaf(ordinal, leaf.count)
}
