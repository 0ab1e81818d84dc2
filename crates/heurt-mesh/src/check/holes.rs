//! Holes: the borders of a mesh, walked round.
//!
//! Method: from the end of a border edge the walk turns through the fan of triangles round that vertex, across edges of two
//! triangles, to the other border edge of the fan. This links the ends of border edges pairwise whatever the
//! orientation (a Möbius strip has one border) and however many fans share the vertex (a bow-tie does not join holes).
//! A fan that ends at an edge of three or more triangles ends the border there. Cost: O(triangles).

use super::Fault;
use crate::Topology;
use crate::topology::{next_in_triangle, previous_in_triangle};

/// A border edge, and which way it is walked along.
#[derive(Clone, Copy, PartialEq)]
struct Step {
    half_edge: u32,
    forward: bool,
}

/// All borders, each from its lowest half-edge, in the order of those.
pub(super) fn holes(topology: &Topology) -> Vec<Fault> {
    let mut borders: Vec<u32> = topology.edges().filter(|edge| edge.is_boundary()).map(|edge| edge.first().0).collect();
    borders.sort_unstable();
    let mut seen = vec![false; if borders.is_empty() { 0 } else { 3 * topology.mesh().triangles().len() }];
    let mut faults = Vec::new();
    for start in borders {
        if !seen[start as usize] {
            faults.push(hole(topology, start, &mut seen));
        }
    }
    faults
}

/// The border through `start`, walked its way to the end or round; if it ends, from the other end.
fn hole(topology: &Topology, start: u32, seen: &mut [bool]) -> Fault {
    seen[start as usize] = true;
    let mut ahead = vec![origin(topology, Step { half_edge: start, forward: true })];
    let mut at = Step { half_edge: start, forward: true };
    while let Some(step) = next_border(topology, at) {
        if step.half_edge == start {
            return Fault::Hole { vertices: ahead, is_loop: true };
        }
        seen[step.half_edge as usize] = true;
        ahead.push(origin(topology, step));
        at = step;
    }
    ahead.push(target(topology, at));
    let mut behind = Vec::new();
    let mut at = Step { half_edge: start, forward: false };
    while let Some(step) = next_border(topology, at) {
        seen[step.half_edge as usize] = true;
        behind.push(target(topology, step));
        at = step;
    }
    behind.reverse();
    behind.append(&mut ahead);
    Fault::Hole { vertices: behind, is_loop: false }
}

/// Turns round the vertex at which `at` ends, through its fan, to the border edge on the other side.
///
/// The fan is a path of corners from border to border, so the turn comes to an end.
fn next_border(topology: &Topology, at: Step) -> Option<Step> {
    let pivot = target(topology, at);
    let mut half_edge = at.half_edge;
    loop {
        // The other edge of the triangle at the pivot; it starts there if this one ends there.
        half_edge = if topology.origin(half_edge) == pivot {
            previous_in_triangle(half_edge)
        } else {
            next_in_triangle(half_edge)
        };
        let ends = [topology.origin(half_edge), topology.origin(next_in_triangle(half_edge))];
        let edge = topology.edge_between(ends[0], ends[1])?;
        match edge.degree() {
            1 => return Some(Step { half_edge, forward: ends[0] == pivot }),
            2 => half_edge = edge.half_edges().map(|(other, _)| other).find(|&other| other != half_edge)?,
            _ => return None,
        }
    }
}

fn origin(topology: &Topology, step: Step) -> u32 {
    topology.origin(if step.forward { step.half_edge } else { next_in_triangle(step.half_edge) })
}

fn target(topology: &Topology, step: Step) -> u32 {
    origin(topology, Step { forward: !step.forward, ..step })
}
