//! The graph of joints: which joints share a movable body, and the order of elimination.
//!
//! In: the movable bodies of each joint. Out: assemblies, neighbours, a minimum degree order with its fill.
//! Method: the nodes are joints; joints of a movable body are neighbours. Bodies are known by labels, in the order of
//! their first joints, so that the graph does not depend on the indices of bodies. Assemblies: union-find over bodies.
//! Guarantees: the results depend only on the sequence of joints and on which of them share bodies. Memory is linear in
//! joints, if the bodies of members have at most [`MAX_DEGREE`] + 1 joints.
//! Cost: a comparison of the graph is linear in joints and in the largest index of a body.

use super::super::island::{find_root, join};
use super::super::memory::bytes_of;
use std::collections::BTreeSet;

/// Largest number of neighbours of a node that is eliminated. 24: its elimination takes 300 products of blocks, as many
/// as 100 joints of a chain take. A body with 25 joints is the hub of a wheel with all its spokes.
pub(super) const MAX_DEGREE: usize = 24;

/// A label or an assembly that is not known yet.
const NONE: u32 = u32::MAX;

/// Movable bodies of a joint.
pub(super) type JointEnds = [Option<u32>; 2];

/// Which joints share movable bodies.
#[derive(Debug, Clone, Default)]
pub(super) struct JointGraph {
    /// Labels of the movable bodies of each joint.
    ends: Vec<JointEnds>,
    body_count: u32,
    /// Memory of [`JointGraph::update`]: the ends of the new graph, the label of each index of a body.
    new_ends: Vec<JointEnds>,
    labels: Vec<u32>,
}

impl JointGraph {
    /// Returns the bytes of reserved memory.
    pub fn bytes(&self) -> usize {
        bytes_of(&self.ends) + bytes_of(&self.new_ends) + bytes_of(&self.labels)
    }

    /// Takes the movable bodies of all joints, as indices. Returns whether the graph has changed.
    pub fn update(&mut self, ends: impl Iterator<Item = JointEnds>) -> bool {
        let Self { new_ends, labels, .. } = self;
        labels.clear();
        new_ends.clear();
        let mut count = 0;
        let mut label_of = |body: u32| {
            let index = body as usize;
            if labels.len() <= index {
                labels.resize(index + 1, NONE);
            }
            if labels[index] == NONE {
                labels[index] = count;
                count += 1;
            }
            labels[index]
        };
        new_ends.extend(ends.map(|ends| ends.map(|body| body.map(&mut label_of))));
        let is_changed = self.new_ends != self.ends;
        self.body_count = count;
        std::mem::swap(&mut self.ends, &mut self.new_ends);
        is_changed
    }

    /// Marks the joints that have a movable body.
    pub fn movable_joints(&self) -> impl Iterator<Item = bool> {
        self.ends.iter().map(|ends| *ends != [None; 2])
    }

    /// Lists the joints of bodies that have more than [`MAX_DEGREE`] + 1 joints. None of them could be eliminated,
    /// because the joints of a body remain neighbours of each other.
    pub fn crowded_joints(&self) -> Vec<u32> {
        let mut counts = vec![0; self.body_count as usize];
        self.ends.iter().flatten().flatten().for_each(|body| counts[*body as usize] += 1);
        let is_crowded = |ends: &JointEnds| ends.iter().flatten().any(|body| counts[*body as usize] > MAX_DEGREE + 1);
        (0..).zip(&self.ends).filter(|(_, ends)| is_crowded(ends)).map(|(joint, _)| joint).collect()
    }

    /// Numbers the assemblies in the order of their first joints; a joint without movable body is an assembly of its
    /// own. Returns the assembly of each joint, and the number of assemblies.
    pub fn assemblies(&self) -> (Vec<u32>, usize) {
        let mut parents: Vec<u32> = (0..self.body_count).collect();
        for ends in &self.ends {
            if let [Some(a), Some(b)] = *ends {
                join(&mut parents, a, b);
            }
        }
        let mut of_root = vec![NONE; parents.len()];
        let mut count = 0;
        let mut assemblies = Vec::with_capacity(self.ends.len());
        for ends in &self.ends {
            let root = ends[0].or(ends[1]).map(|body| find_root(&mut parents, body));
            let known = root.map_or(NONE, |root| of_root[root as usize]);
            if known != NONE {
                assemblies.push(known);
                continue;
            }
            if let Some(root) = root {
                of_root[root as usize] = count;
            }
            assemblies.push(count);
            count += 1;
        }
        (assemblies, count as usize)
    }

    /// Finds the members that share a movable body with each member. No body of a member has more than
    /// [`MAX_DEGREE`] + 1 joints.
    pub fn neighbours(&self, is_member: &[bool]) -> Vec<BTreeSet<u32>> {
        let members = || (0..).zip(&self.ends).filter(|(joint, _)| is_member[*joint as usize]);
        let mut of_body = vec![Vec::new(); self.body_count as usize];
        for (joint, ends) in members() {
            ends.iter().flatten().for_each(|body| of_body[*body as usize].push(joint));
        }
        debug_assert!(of_body.iter().all(|joints| joints.len() <= MAX_DEGREE + 1), "a body has too many joints");
        let mut neighbours = vec![BTreeSet::new(); self.ends.len()];
        for (joint, ends) in members() {
            for body in ends.iter().flatten() {
                let others = of_body[*body as usize].iter().copied().filter(|other| *other != joint);
                neighbours[joint as usize].extend(others);
            }
        }
        neighbours
    }
}

/// Eliminates nodes of least degree. Returns the order, the later neighbours of each eliminated node, and the nodes
/// that are left because of their degree.
pub(super) fn eliminate(mut neighbours: Vec<BTreeSet<u32>>) -> (Vec<u32>, Vec<BTreeSet<u32>>, Vec<u32>) {
    let mut queue: BTreeSet<(usize, u32)> = (0..).zip(&neighbours).map(|(node, near)| (near.len(), node)).collect();
    let (mut order, mut later) = (Vec::new(), Vec::new());
    while let Some(&(degree, node)) = queue.first() {
        if degree > MAX_DEGREE {
            break;
        }
        queue.pop_first();
        let near = std::mem::take(&mut neighbours[node as usize]);
        for &other in &near {
            let set = &mut neighbours[other as usize];
            queue.remove(&(set.len(), other));
            set.remove(&node);
            set.extend(near.iter().copied().filter(|next| *next != other));
            queue.insert((set.len(), other));
        }
        order.push(node);
        later.push(near);
    }
    (order, later, queue.iter().map(|(_, node)| *node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of joints from an immovable body or a movable hub to each of `count` bodies after it.
    fn spokes(hub: Option<u32>, first: u32, count: u32) -> impl Iterator<Item = JointEnds> {
        (first..first + count).map(move |body| [hub, Some(body)])
    }

    fn graph_of(ends: impl Iterator<Item = JointEnds>) -> JointGraph {
        let mut graph = JointGraph::default();
        graph.update(ends);
        graph
    }

    #[test]
    fn indices_of_bodies_do_not_change_the_graph() {
        let ends = [[None, Some(7)], [Some(7), Some(3)], [Some(9), Some(3)], [None, None], [Some(4), Some(5)]];
        let mapped = |map: &dyn Fn(u32) -> u32| ends.map(|ends| ends.map(|body| body.map(map))).into_iter();
        let mut graph = JointGraph::default();
        assert!(graph.update(ends.into_iter()));
        assert!(!graph.update(ends.into_iter()));
        assert!(!graph.update(mapped(&|body| body + 1)));
        assert!(!graph.update(mapped(&|body| 100 - body)));
        assert_eq!(graph.assemblies(), (vec![0, 0, 0, 1, 2], 3));
        // Another body becomes immovable, a joint moves to another body, a joint is removed.
        let mut other = ends;
        other[1][0] = None;
        assert!(graph.update(other.into_iter()));
        other[2][0] = Some(4);
        assert!(graph.update(other.into_iter()));
        assert_eq!(graph.assemblies(), (vec![0, 1, 1, 2, 1], 3));
        assert!(graph.update(other[1..].iter().copied()));
        assert!(!graph.update(other[1..].iter().copied()));
    }

    #[test]
    fn an_immovable_body_connects_nothing() {
        let graph = graph_of(spokes(None, 0, 5000));
        assert!(graph.crowded_joints().is_empty());
        assert_eq!(graph.assemblies().1, 5000);
    }

    #[test]
    fn the_bound_of_a_body_is_the_bound_of_the_degree() {
        // The joints of a body can be eliminated exactly if they are not crowded.
        for count in 24..28 {
            let graph = graph_of(spokes(Some(0), 1, count));
            let is_crowded = count as usize > MAX_DEGREE + 1;
            assert_eq!(graph.crowded_joints().len(), if is_crowded { count as usize } else { 0 });
            let clique = (0..count).map(|node| (0..count).filter(|other| *other != node).collect()).collect();
            let (order, _, left) = eliminate(clique);
            assert_eq!((order.is_empty(), left.is_empty()), (is_crowded, !is_crowded), "{count}");
        }
    }
}
