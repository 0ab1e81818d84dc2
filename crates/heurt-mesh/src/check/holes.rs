//! Holes: the borders of a mesh, traversed edge by edge.
//!
//! Method: from the end of a border edge the walk turns through the fan of triangles around that vertex, across edges
//! of two triangles, to the second border edge of the fan. This links the ends of border edges pairwise for any
//! orientation (a Möbius strip has one border) and for any number of fans at the vertex (a bow-tie does not join
//! holes). A fan that ends at an edge of three or more triangles ends the border there. Cost: O(triangles).

use heurt_geometry::{Aabb, Vec3, robust_length};

use super::Fault;
use crate::Topology;
use crate::solidify::rounding_of;
use crate::topology::{next_in_triangle, previous_in_triangle};

/// A border edge, and the direction in which it is traversed.
#[derive(Clone, Copy, PartialEq)]
struct HoleStep {
    half_edge: u32,
    forward: bool,
}

/// Lists all borders, each from its lowest half-edge, in the order of these half-edges.
pub(super) fn holes(topology: &Topology) -> Vec<Fault> {
    let mut borders: Vec<u32> = topology.edges().filter(|edge| edge.is_boundary()).map(|edge| edge.first().0).collect();
    borders.sort_unstable();
    let mut seen = vec![false; if borders.is_empty() { 0 } else { 3 * topology.mesh().triangles().len() }];
    let rounding = if borders.is_empty() { 0.0 } else { rounding_of(topology.mesh()) };
    let mut faults = Vec::new();
    for start in borders {
        if !seen[start as usize] {
            faults.push(hole(topology, start, rounding, &mut seen));
        }
    }
    faults
}

/// Follows the border through `start` to its end or to its start; if it ends, it is listed from its opposite end.
fn hole(topology: &Topology, start: u32, rounding: f64, seen: &mut [bool]) -> Fault {
    seen[start as usize] = true;
    let mut ahead = vec![HoleStep { half_edge: start, forward: true }];
    let mut at = ahead[0];
    while let Some(step) = next_border(topology, at) {
        if step.half_edge == start {
            return described(topology, &ahead, rounding, true);
        }
        seen[step.half_edge as usize] = true;
        ahead.push(step);
        at = step;
    }
    let mut behind = Vec::new();
    let mut at = HoleStep { half_edge: start, forward: false };
    while let Some(step) = next_border(topology, at) {
        seen[step.half_edge as usize] = true;
        behind.push(HoleStep { forward: !step.forward, ..step });
        at = step;
    }
    behind.reverse();
    behind.append(&mut ahead);
    described(topology, &behind, rounding, false)
}

/// Builds the fault of a border, with its length and flatness.
fn described(topology: &Topology, steps: &[HoleStep], rounding: f64, is_loop: bool) -> Fault {
    let mut vertices: Vec<u32> = steps.iter().map(|&step| origin(topology, step)).collect();
    if let (false, Some(&last)) = (is_loop, steps.last()) {
        vertices.push(target(topology, last));
    }
    let position = |vertex: u32| topology.mesh().vertices()[vertex as usize];
    let length = steps.iter().map(|&step| {
        let [from, to] = [origin(topology, step), target(topology, step)].map(position);
        robust_length(to * 0.5 - from * 0.5) * 2.0
    });
    let length = length.sum();
    let points: Vec<Vec3> = vertices.iter().map(|&vertex| position(vertex)).collect();
    let triangles = steps.iter().map(|step| step.half_edge / 3).collect();
    Fault::Hole { vertices, triangles, is_loop, length, is_planar: is_planar(&points, rounding) }
}

/// Tests whether a polygon lies within a few roundings of the mesh of the plane through its centre with its mean normal
/// (Newell).
fn is_planar(points: &[Vec3], rounding: f64) -> bool {
    let bounds = Aabb::from_points(points.iter().copied());
    let size = bounds.half_extents().max_element();
    if size == 0.0 {
        return true;
    }
    let local: Vec<Vec3> = points.iter().map(|&point| (point * 0.5 - bounds.centre() * 0.5) / (size * 0.5)).collect();
    let next = local.iter().cycle().skip(1);
    let normal = local.iter().zip(next).fold(Vec3::ZERO, |sum, (a, b)| sum + a.cross(*b)).normalize_or_zero();
    let centre = local.iter().fold(Vec3::ZERO, |sum, &point| sum + point) / local.len() as f64;
    local.iter().all(|&point| normal.dot(point - centre).abs() * size <= rounding)
}

/// Turns around the vertex at which `at` ends, through its fan, to the border edge on the opposite side.
///
/// The fan is a path of corners from border to border, so the turn comes to an end.
fn next_border(topology: &Topology, at: HoleStep) -> Option<HoleStep> {
    let pivot = target(topology, at);
    let mut half_edge = at.half_edge;
    loop {
        // The second edge of the triangle at the pivot; it starts there if this one ends there.
        half_edge = if topology.origin(half_edge) == pivot {
            previous_in_triangle(half_edge)
        } else {
            next_in_triangle(half_edge)
        };
        let ends = [topology.origin(half_edge), topology.origin(next_in_triangle(half_edge))];
        let edge = topology.edge_between(ends[0], ends[1])?;
        match edge.degree() {
            1 => return Some(HoleStep { half_edge, forward: ends[0] == pivot }),
            2 => half_edge = edge.half_edges().map(|(other, _)| other).find(|&other| other != half_edge)?,
            _ => return None,
        }
    }
}

fn origin(topology: &Topology, step: HoleStep) -> u32 {
    topology.origin(if step.forward { step.half_edge } else { next_in_triangle(step.half_edge) })
}

fn target(topology: &Topology, step: HoleStep) -> u32 {
    origin(topology, HoleStep { forward: !step.forward, ..step })
}
