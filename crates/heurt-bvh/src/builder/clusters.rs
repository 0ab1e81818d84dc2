//! Bottom-up build: merges neighbours into clusters, and clusters into larger ones, until one is left (S0 §4.5.2).
//!
//! Method: parallel locally-ordered clustering (Meister and Bittner 2018). Along a Morton curve, each cluster searches
//! a few neighbours on either side. It chooses the neighbour whose common box has the least surface. Two clusters that
//! choose each other merge.
//! Guarantees: deterministic; ties go to the pair that comes first, so at least one pair merges in every window.
//! Cost: O(n · window) a round, approximately log n rounds; after [`ROUNDS`] rounds, neighbours merge without a search.

use super::binary::{BinaryNode, BinaryTree, Limits, Reference};
use super::morton;

/// Number of clusters searched on either side.
const WINDOW: usize = 14;
/// Maximum number of rounds with a search; only adversarial sets need more.
const ROUNDS: usize = 64;

/// A cluster: its box, and its node in the growing tree.
#[derive(Clone, Copy)]
struct Cluster {
    bounds: Reference,
    node: u32,
}

/// A node of the tree while it grows from below: its children, or a primitive.
#[derive(Clone, Copy)]
struct Grown {
    bounds: Reference,
    children: Option<[u32; 2]>,
    count: u32,
}

/// Builds the tree over `refs`, which end up in leaf order.
pub(crate) fn build(refs: &mut [Reference], limits: Limits) -> BinaryTree {
    morton::sort(refs);
    let mut grown: Vec<Grown> = refs.iter().map(|&bounds| Grown { bounds, children: None, count: 1 }).collect();
    let mut clusters: Vec<Cluster> =
        refs.iter().enumerate().map(|(node, &bounds)| Cluster { bounds, node: node as u32 }).collect();
    let mut round = 0;
    while clusters.len() > 1 {
        let choices = if round < ROUNDS { nearest(&clusters) } else { adjacent(clusters.len()) };
        clusters = merged(&clusters, &choices, &mut grown);
        round += 1;
    }
    lay_out(&grown, clusters[0].node, refs, limits)
}

/// Returns the neighbour that each cluster would merge with.
fn nearest(clusters: &[Cluster]) -> Vec<u32> {
    let mut best = vec![(f32::INFINITY, u32::MAX); clusters.len()];
    for i in 0..clusters.len() {
        for j in i + 1..(i + 1 + WINDOW).min(clusters.len()) {
            let mut both = clusters[i].bounds;
            both.merge(&clusters[j].bounds);
            let surface = both.half_area();
            // Pairs come in ascending order of their lower member, so the first of equals stays.
            for (one, other) in [(i, j), (j, i)] {
                if surface < best[one].0 || best[one].1 == u32::MAX {
                    best[one] = (surface, other as u32);
                }
            }
        }
    }
    best.into_iter().map(|(_, choice)| choice).collect()
}

/// Returns choices that pair every cluster with the next one.
fn adjacent(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| if i ^ 1 < count as u32 { i ^ 1 } else { u32::MAX }).collect()
}

/// Merges the clusters that chose each other.
fn merged(clusters: &[Cluster], choices: &[u32], grown: &mut Vec<Grown>) -> Vec<Cluster> {
    let mut out = Vec::with_capacity(clusters.len());
    for (i, cluster) in clusters.iter().enumerate() {
        let choice = choices[i] as usize;
        let is_mutual = choice < clusters.len() && choices[choice] as usize == i;
        if !is_mutual {
            out.push(*cluster);
        } else if i < choice {
            let other = &clusters[choice];
            let mut bounds = cluster.bounds;
            bounds.merge(&other.bounds);
            let count = grown[cluster.node as usize].count + grown[other.node as usize].count;
            out.push(Cluster { bounds, node: grown.len() as u32 });
            grown.push(Grown { bounds, children: Some([cluster.node, other.node]), count });
        }
    }
    out
}

/// Writes the tree parents first; what fits into a leaf becomes one.
fn lay_out(grown: &[Grown], root: u32, refs: &mut [Reference], limits: Limits) -> BinaryTree {
    let leaf = |node: u32, first: u32| {
        let Grown { bounds, count, .. } = grown[node as usize];
        BinaryNode { bounds: bounds.to_box(), first, count, left: 0 }
    };
    let mut nodes = vec![leaf(root, 0)];
    let mut order = Vec::with_capacity(refs.len());
    let mut open = vec![(root, 0usize)];
    while let Some((node, at)) = open.pop() {
        match grown[node as usize].children {
            Some([left, right]) if grown[node as usize].count > limits.leaf_size => {
                let first = nodes[at].first;
                nodes[at].left = nodes.len() as u32;
                let middle = first + grown[left as usize].count;
                nodes.push(leaf(left, first));
                nodes.push(leaf(right, middle));
                open.push((right, nodes.len() - 1));
                open.push((left, nodes.len() - 2));
            }
            _ => gather(grown, node, &mut order),
        }
    }
    // Leaves were visited from left to right, which is their order.
    refs.copy_from_slice(&order);
    BinaryTree { nodes }
}

/// Appends the primitives below `node`.
fn gather(grown: &[Grown], node: u32, order: &mut Vec<Reference>) {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let Grown { bounds, children, .. } = grown[node as usize];
        match children {
            Some([left, right]) => open.extend([right, left]),
            None => order.push(bounds),
        }
    }
}
