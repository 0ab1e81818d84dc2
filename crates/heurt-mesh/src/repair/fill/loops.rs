//! Extraction of hole loops: the half-edges that are missing, joined into simple cycles.
//!
//! In: the incidences of a mesh with consistent orientation. Out: simple cycles of vertices in the direction in which
//! the triangles of a filling use the border edges, and walks that do not close.
//! Method: at an edge whose half-edges do not cancel, and that has an odd number of triangles, one half-edge is
//! missing. At a vertex of several fans of triangles that lie next to each other, the walk continues at the far side of
//! the gap between two fans: holes that touch in a vertex are separate. If the fans do not lie next to each other, as
//! where two bodies touch, it continues at the far side of the fan that it came along; else at the lowest half-edge
//! that is left. A walk that returns to one of its vertices is cut there, so that every cycle is simple.
//! Guarantees: each missing half-edge is used once; cycles come in the order of their lowest half-edges.
//! Not guaranteed: that cycles exist where orientations are inconsistent or several half-edges are missing at an edge;
//! the rest of such a walk is returned as an open border. Cost: O(n + border · log n).

use std::collections::BTreeMap;

use heurt_geometry::{Vec3, robust_normalize};

use crate::topology::{next_in_triangle, previous_in_triangle};
use crate::{Edge, Topology};

/// The borders of a mesh.
#[derive(Debug, Clone, Default)]
pub(in crate::repair) struct Borders {
    /// Simple cycles of representatives, at least three in each.
    pub(in crate::repair) cycles: Vec<Vec<u32>>,
    /// Vertices of walks that do not close.
    pub(in crate::repair) open: Vec<Vec<u32>>,
}

/// A missing half-edge.
#[derive(Debug, Clone, Copy)]
struct Missing {
    /// An existing half-edge in the opposite direction.
    twin: u32,
    from: u32,
    to: u32,
    used: bool,
}

/// The missing half-edges by number, and by their ends.
struct BorderTable {
    missing: Vec<Missing>,
    /// The number of each missing half-edge by its ends; half-edges that start at the same vertex are consecutive.
    by_ends: BTreeMap<(u32, u32), usize>,
    /// By missing half-edge, the half-edge at the far side of the gap in which it ends.
    across_gap: Vec<Option<usize>>,
}

/// Least cosine between the normals of triangles at a vertex and their mean, for fans next to each other.
const MIN_FACING: f64 = 0.5;

/// Finds the hole loops of a mesh.
pub(in crate::repair) fn borders(topology: &Topology) -> Borders {
    let mut missing: Vec<Missing> = topology.edges().filter_map(|edge| missing_at(topology, &edge)).collect();
    missing.sort_unstable_by_key(|missing| missing.twin);
    let by_ends = missing.iter().enumerate().map(|(number, missing)| ((missing.from, missing.to), number)).collect();
    let across_gap = gap_successors(topology, &missing);
    let mut table = BorderTable { missing, by_ends, across_gap };
    let mut borders = Borders::default();
    for first in 0..table.missing.len() {
        if !table.missing[first].used {
            table.walk(topology, first, &mut borders);
        }
    }
    borders
}

/// The half-edge that is missing at an edge, if exactly one is.
fn missing_at(topology: &Topology, edge: &Edge) -> Option<Missing> {
    let imbalance = edge.imbalance();
    if imbalance.abs() != 1 {
        return None;
    }
    let (twin, _) = edge.half_edges().find(|&(_, forward)| forward == (imbalance > 0))?;
    let (from, to) = (topology.origin(next_in_triangle(twin)), topology.origin(twin));
    Some(Missing { twin, from, to, used: false })
}

impl BorderTable {
    /// Walks from one missing half-edge until no unused one continues; cuts cycles off as they close.
    fn walk(&mut self, topology: &Topology, first: usize, borders: &mut Borders) {
        let mut path: Vec<u32> = Vec::new();
        let mut place_in_path: BTreeMap<u32, usize> = BTreeMap::new();
        let mut at = Some(first);
        let mut end = self.missing[first].from;
        while let Some(number) = at {
            let Missing { from, to, .. } = self.missing[number];
            self.missing[number].used = true;
            end = to;
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
                // A path that was cut to nothing is complete: what continues at its vertex is another walk.
                if path.is_empty() {
                    return;
                }
            }
            at = self.next(topology, number);
        }
        path.push(end);
        borders.open.push(path);
    }

    /// The unused missing half-edge that continues: across the gap or the fan if possible, else the lowest one.
    fn next(&self, topology: &Topology, number: usize) -> Option<usize> {
        let Missing { twin, to, .. } = self.missing[number];
        let is_unused = |number: &usize| !self.missing[*number].used;
        let across_gap = self.across_gap[number].filter(is_unused);
        let across_fan = || across_fan(topology, twin).and_then(|ends| self.by_ends.get(&ends).copied());
        let across = across_gap.or_else(|| across_fan().filter(is_unused));
        let starting = self.by_ends.range((to, 0)..=(to, u32::MAX)).map(|(_, &number)| number);
        across.or_else(|| starting.filter(is_unused).min())
    }
}

/// For each missing half-edge, the half-edge at the far side of the gap in which it ends. `None` at a vertex of one
/// fan, and if the fans there do not lie next to each other.
fn gap_successors(topology: &Topology, missing: &[Missing]) -> Vec<Option<usize>> {
    let mut at_vertex: Vec<(u32, GapSide)> = Vec::with_capacity(2 * missing.len());
    for (number, &Missing { from, to, .. }) in missing.iter().enumerate() {
        at_vertex.push((from, GapSide { number, starts: true, angle: 0.0 }));
        at_vertex.push((to, GapSide { number, starts: false, angle: 0.0 }));
    }
    at_vertex.sort_by_key(|&(vertex, side)| (vertex, side.number, side.starts));
    let mut successors = vec![None; missing.len()];
    for sides in at_vertex.chunk_by_mut(|a, b| a.0 == b.0) {
        let pivot = sides[0].0;
        let mut sides: Vec<GapSide> = sides.iter().map(|&(_, side)| side).collect();
        if sides.iter().filter(|side| side.starts).count() < 2 || !sort_around(topology, missing, pivot, &mut sides) {
            continue;
        }
        for (index, side) in sides.iter().enumerate().filter(|(_, side)| !side.starts) {
            successors[side.number] = Some(sides[(index + sides.len() - 1) % sides.len()].number);
        }
    }
    successors
}

/// Sorts the sides of the gaps around a vertex counter-clockwise, seen from outside. Reports whether the fans there
/// face one direction and lie next to each other.
fn sort_around(topology: &Topology, missing: &[Missing], pivot: u32, sides: &mut [GapSide]) -> bool {
    let normals = sides.iter().map(|side| {
        let [a, b, c] = topology.mesh().corners(missing[side.number].twin / 3);
        robust_normalize((b - a).cross(c - a))
    });
    let Some(normals) = normals.collect::<Option<Vec<Vec3>>>() else { return false };
    let Some(mean) = robust_normalize(normals.iter().copied().sum()) else { return false };
    if normals.iter().any(|normal| normal.dot(mean) < MIN_FACING) {
        return false;
    }
    let (u, v) = mean.any_orthonormal_pair();
    let place = |vertex: u32| topology.mesh().vertices()[vertex as usize];
    for side in sides.iter_mut() {
        let Missing { from, to, .. } = missing[side.number];
        let Some(direction) = robust_normalize(place(if side.starts { to } else { from }) - place(pivot)) else {
            return false;
        };
        side.angle = pseudo_angle(direction.dot(u), direction.dot(v));
    }
    sides.sort_by(|a, b| a.angle.total_cmp(&b.angle).then(a.number.cmp(&b.number)));
    // Gaps and fans alternate unless fans lie above each other.
    (0..sides.len()).all(|index| sides[index].starts != sides[(index + 1) % sides.len()].starts)
}

/// One side of a gap between fans around a vertex.
#[derive(Debug, Clone, Copy)]
struct GapSide {
    /// The number of a missing half-edge.
    number: usize,
    /// It starts at the vertex, else it ends there.
    starts: bool,
    /// Counter-clockwise, seen from outside.
    angle: f64,
}

/// A number from 0 to 4 that increases with the angle of a vector, made of quotients: the same on every machine.
fn pseudo_angle(x: f64, y: f64) -> f64 {
    let share = |part: f64, rest: f64| part.abs() / (part.abs() + rest.abs());
    match (x >= 0.0, y >= 0.0) {
        (true, true) => share(y, x),
        (false, true) => 1.0 + share(x, y),
        (false, false) => 2.0 + share(y, x),
        (true, false) => 3.0 + share(x, y),
    }
}

/// Finds the ends of the half-edge that may be missing at the far end of the fan around the origin of `half_edge`. It
/// starts at that origin. `None` if the fan changes its orientation.
fn across_fan(topology: &Topology, half_edge: u32) -> Option<(u32, u32)> {
    let pivot = topology.origin(half_edge);
    let mut at = half_edge;
    // Each step enters another triangle of the fan, and a fan between two borders has no cycle.
    for _ in 0..topology.mesh().triangles().len() {
        at = previous_in_triangle(at);
        let other = topology.origin(at);
        let edge = topology.edge_between(other, pivot)?;
        if edge.degree() != 2 {
            return Some((pivot, other));
        }
        at = edge.half_edges().map(|(other, _)| other).find(|&other| other != at)?;
        if topology.origin(at) != pivot {
            return None;
        }
    }
    None
}
