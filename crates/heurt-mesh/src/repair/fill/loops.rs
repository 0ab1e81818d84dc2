//! Extraction of hole loops: the half-edges that are missing, joined into simple cycles.
//!
//! In: the incidences of a mesh with consistent orientation. Out: simple cycles of vertices in the direction in which
//! the triangles of a filling use the border edges, and the border edges that no cycle contains.
//! Method: at an edge of one triangle the opposite half-edge is missing. The walk continues at the end of a missing
//! half-edge by turning through the fan of triangles there, so that two holes that touch in a vertex stay separate
//! where the mesh allows it. A walk that returns to one of its vertices is cut there, so that every cycle is simple.
//! Guarantees: each missing half-edge is used once; cycles come in the order of their lowest half-edges.
//! Not guaranteed: that cycles exist where orientations are inconsistent or edges have three or more triangles; the
//! rest of such a walk is returned as an open border. Cost: O(n + border · log n).

use std::collections::BTreeMap;

use crate::Topology;
use crate::topology::{next_in_triangle, previous_in_triangle};

/// The borders of a mesh.
#[derive(Debug, Clone, Default)]
pub(in crate::repair) struct Borders {
    /// Simple cycles of representatives, at least three in each.
    pub(in crate::repair) cycles: Vec<Vec<u32>>,
    /// Vertices of walks that do not close.
    pub(in crate::repair) open: Vec<Vec<u32>>,
}

/// A missing half-edge: it runs from the end of its existing twin to the start.
#[derive(Debug, Clone, Copy)]
struct Missing {
    twin: u32,
    used: bool,
}

/// Finds the hole loops of a mesh.
pub(in crate::repair) fn borders(topology: &Topology) -> Borders {
    let mut missing: Vec<Missing> = topology
        .edges()
        .filter(|edge| edge.is_boundary())
        .map(|edge| Missing { twin: edge.first().0, used: false })
        .collect();
    missing.sort_unstable_by_key(|missing| missing.twin);
    // By start vertex, the missing half-edges that start there, lowest first.
    let mut starting: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, missing) in missing.iter().enumerate() {
        starting.entry(start(topology, missing.twin)).or_default().push(number as u32);
    }
    let mut borders = Borders::default();
    for first in 0..missing.len() {
        if !missing[first].used {
            walk(topology, first, &mut missing, &starting, &mut borders);
        }
    }
    borders
}

/// The vertex at which the missing twin of `half_edge` starts.
fn start(topology: &Topology, half_edge: u32) -> u32 {
    topology.origin(next_in_triangle(half_edge))
}

/// Walks from one missing half-edge until no unused one continues; cuts cycles off as they close.
fn walk(
    topology: &Topology,
    first: usize,
    missing: &mut [Missing],
    starting: &BTreeMap<u32, Vec<u32>>,
    borders: &mut Borders,
) {
    let mut path: Vec<u32> = Vec::new();
    let mut place_in_path: BTreeMap<u32, usize> = BTreeMap::new();
    let mut at = Some(first);
    let mut end = start(topology, missing[first].twin);
    while let Some(number) = at {
        missing[number].used = true;
        let from = start(topology, missing[number].twin);
        end = topology.origin(missing[number].twin);
        place_in_path.insert(from, path.len());
        path.push(from);
        if let Some(&place) = place_in_path.get(&end) {
            let cycle = path.split_off(place);
            cycle.iter().for_each(|vertex| {
                place_in_path.remove(vertex);
            });
            if cycle.len() > 2 {
                borders.cycles.push(cycle);
            }
        }
        at = next(topology, missing, starting, number, end);
        // A path that was cut to nothing is complete: what continues at its vertex is another walk.
        if path.is_empty() {
            return;
        }
    }
    path.push(end);
    borders.open.push(path);
}

/// The unused missing half-edge that continues at `vertex`: across the fan if possible, else the lowest one.
fn next(
    topology: &Topology,
    missing: &[Missing],
    starting: &BTreeMap<u32, Vec<u32>>,
    number: usize,
    vertex: u32,
) -> Option<usize> {
    let candidates = starting.get(&vertex)?;
    let unused = |&&candidate: &&u32| !missing[candidate as usize].used;
    let across = across_fan(topology, missing[number].twin).and_then(|twin| {
        let place = missing.binary_search_by_key(&twin, |missing| missing.twin).ok()?;
        candidates.iter().find(|&&candidate| candidate as usize == place).filter(unused)
    });
    across.or_else(|| candidates.iter().find(unused)).map(|&candidate| candidate as usize)
}

/// The border half-edge that ends at the origin of a border half-edge, on the other side of the fan; `None` if the fan
/// ends at an edge of three or more triangles, or changes its orientation.
fn across_fan(topology: &Topology, half_edge: u32) -> Option<u32> {
    let pivot = topology.origin(half_edge);
    let mut at = half_edge;
    // Each step enters another triangle of the fan, and a fan between two borders has no cycle.
    for _ in 0..topology.mesh().triangles().len() {
        at = previous_in_triangle(at);
        let edge = topology.edge_between(topology.origin(at), pivot)?;
        match edge.degree() {
            1 => return Some(at),
            2 => at = edge.half_edges().map(|(other, _)| other).find(|&other| other != at)?,
            _ => return None,
        }
        if topology.origin(at) != pivot {
            return None;
        }
    }
    None
}
