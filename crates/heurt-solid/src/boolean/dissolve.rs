//! Removal of nodes that bound nothing: inside a plane, or inside a straight crease of two planes.
//!
//! In: the triangles of a result, each with the face that it is a piece of. Out: fewer triangles of the same
//! surface.
//! Method: edge collapse. A node whose triangles lie in one plane is drawn to a neighbour; one on the crease of two
//! planes to a neighbour on the crease. Faces cross the diagonals of each other's triangulations: without this
//! stage a chain of operations would keep all these crossings, and round each of them.
//! Guarantees: the surface does not change, exactly; the mesh stays closed, and its genus is the same. Only nodes
//! of cut faces are removed. Cost: linear in the triangles, plus O(k log k) for k candidates with stars of bounded
//! size.

use super::meet::{Projection, inverse_power};
use super::nodes::{FaceNodes, NodeId, Nodes};
use super::solid_mesh::SolidMesh;
use super::stars::Stars;
use heurt_geometry::{Sign, orient3d};
use std::collections::BTreeMap;

/// A triangle of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facet {
    pub nodes: [NodeId; 3],
    /// The solid whose face it is a piece of, 0 or 1, and the face.
    pub source: (usize, u32),
    /// It faces the opposite side of the face.
    pub is_turned: bool,
}

/// Rounds over all candidates at most: each removes some, or is the last.
const MAX_ROUNDS: usize = 64;

/// Removes candidates that bound nothing, which are sorted. Reports whether the surface touches itself in a candidate.
pub(super) fn dissolve(nodes: &Nodes<'_>, facets: &mut Vec<Facet>, candidates: &[NodeId]) -> bool {
    let mut surface = Surface::new(nodes, facets, candidates);
    let mut waiting = candidates.to_vec();
    for _ in 0..MAX_ROUNDS {
        let before = surface.removed;
        waiting.retain(|node| !surface.remove(*node));
        if surface.removed == before {
            break;
        }
    }
    surface.remove_needles();
    let touches = candidates.iter().any(|node| !surface.is_simple(*node));
    if surface.removed > 0 {
        let is_alive = surface.is_alive;
        let mut number = 0..;
        facets.retain(|_| number.next().is_some_and(|number: usize| is_alive[number]));
    }
    touches
}

/// The triangles around the candidates and their neighbours.
pub(super) struct Surface<'a> {
    pub(super) nodes: &'a Nodes<'a>,
    pub(super) facets: &'a mut Vec<Facet>,
    pub(super) is_alive: Vec<bool>,
    pub(super) stars: Stars,
    removed: usize,
}

impl<'a> Surface<'a> {
    fn new(nodes: &'a Nodes<'a>, facets: &'a mut Vec<Facet>, candidates: &[NodeId]) -> Self {
        let mut is_candidate = vec![false; nodes.len()];
        candidates.iter().for_each(|node| is_candidate[*node as usize] = true);
        let mut is_near = is_candidate.clone();
        for facet in facets.iter().filter(|facet| facet.nodes.iter().any(|node| is_candidate[*node as usize])) {
            facet.nodes.iter().for_each(|node| is_near[*node as usize] = true);
        }
        let mut stars = Stars::new(&is_near);
        for (number, facet) in facets.iter().enumerate() {
            facet.nodes.iter().for_each(|node| stars.add(*node, number as u32));
        }
        let is_alive = vec![true; facets.len()];
        Self { nodes, facets, is_alive, stars, removed: 0 }
    }

    fn solid(&self, side: usize) -> &'a SolidMesh {
        if side == 0 { self.nodes.a } else { self.nodes.b }
    }

    /// Tests whether two triangles lie in one plane, by their faces.
    fn are_coplanar(&self, a: u32, b: u32) -> bool {
        let [first, second] = [a, b].map(|facet| self.facets[facet as usize].source);
        if first == second {
            return true;
        }
        let [p, q] = [first, second].map(|(side, face)| self.solid(side).triangle(face));
        q.iter().all(|corner| orient3d(p[0], p[1], p[2], *corner).is_zero())
    }

    /// Removes a node if it bounds nothing.
    fn remove(&mut self, node: NodeId) -> bool {
        let Some(targets) = self.targets(node) else { return false };
        let rated = targets.into_iter().filter_map(|target| Some((self.rate(node, target)?, target)));
        // The best triangles, and the lowest of equal targets.
        let best = rated.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((_, target)) = best else { return false };
        self.collapse(node, target);
        true
    }

    /// Lists the neighbours to which a node may be drawn; `None` if the node bounds something.
    fn targets(&self, node: NodeId) -> Option<Vec<NodeId>> {
        let star = self.stars.get(node)?;
        // The triangle that leaves the node towards each neighbour, and the triangle that arrives from it.
        let mut around: BTreeMap<NodeId, [Option<u32>; 2]> = BTreeMap::new();
        for facet in star {
            let [_, next, last] = self.from(*facet, node);
            for (neighbour, k) in [(next, 0), (last, 1)] {
                let known = &mut around.entry(neighbour).or_default()[k];
                if known.is_some() {
                    return None; // Surfaces touch along this edge.
                }
                *known = Some(*facet);
            }
        }
        let mut creases = Vec::new();
        for (neighbour, pair) in &around {
            let [Some(a), Some(b)] = *pair else { return None };
            if !self.are_coplanar(a, b) {
                creases.push(*neighbour);
            }
        }
        match creases.len() {
            0 => Some(around.into_keys().collect()),
            // Two planes meet along a line, so that the node lies between its neighbours on it.
            2 if self.is_one_fan(node, star, around.len()) => Some(creases),
            _ => None,
        }
    }

    /// Tests whether a node has no triangles, or one fan of them.
    fn is_simple(&self, node: NodeId) -> bool {
        self.stars.get(node).is_none_or(|star| star.is_empty() || self.is_one_fan(node, star, star.len()))
    }

    /// Tests whether the triangles around a node form one fan.
    fn is_one_fan(&self, node: NodeId, star: &[u32], neighbours: usize) -> bool {
        let Some(start) = star.first() else { return false };
        let first = self.from(*start, node)[1];
        let mut at = first;
        for turn in 1..=star.len() {
            let Some(next) = star.iter().map(|facet| self.from(*facet, node)).find(|[_, next, _]| *next == at) else {
                return false;
            };
            at = next[2];
            if at == first {
                return turn == star.len() && turn == neighbours;
            }
        }
        false
    }

    /// The corners of a triangle from a node on.
    fn from(&self, facet: u32, node: NodeId) -> [NodeId; 3] {
        let [a, b, c] = self.facets[facet as usize].nodes;
        if a == node {
            [a, b, c]
        } else if b == node {
            [b, c, a]
        } else {
            [c, a, b]
        }
    }

    /// Rates the triangles after a collapse, from 0 (needles) to 1; `None` if it would fold the surface or change its
    /// topology.
    fn rate(&self, node: NodeId, target: NodeId) -> Option<f64> {
        let star = self.stars.get(node)?;
        if !self.can_contract(node, target) {
            return None;
        }
        let mut worst: f64 = 1.0;
        for facet in star {
            let facet = &self.facets[*facet as usize];
            if facet.nodes.contains(&target) {
                continue;
            }
            let moved = facet.nodes.map(|corner| if corner == node { target } else { corner });
            let (side, face) = facet.source;
            let (projection, turn) = Projection::of(&self.solid(side).triangle(face))?;
            let turn = if facet.is_turned { turn.flipped() } else { turn };
            if self.nodes.orient(projection, moved).times(turn) != Sign::Positive {
                return None;
            }
            worst = worst.min(self.quality(moved));
        }
        Some(worst)
    }

    /// Twice the area over the square of the longest side, in rounded numbers.
    fn quality(&self, corners: [NodeId; 3]) -> f64 {
        let [a, b, c] = corners.map(|node| self.nodes.place(node));
        let scale = inverse_power((b - a).abs().max((c - a).abs()).max_element());
        let sides = [b - a, c - b, a - c].map(|side| side * scale);
        let longest = sides.iter().map(|side| side.length()).fold(0.0, f64::max);
        let rate = (sides[0] / longest).cross(sides[2] / longest).length();
        if rate.is_finite() { rate } else { 0.0 }
    }

    /// Draws a node to a neighbour.
    pub(super) fn collapse(&mut self, node: NodeId, target: NodeId) {
        for facet in self.stars.remove(node) {
            let nodes = self.facets[facet as usize].nodes;
            if nodes.contains(&target) {
                self.is_alive[facet as usize] = false;
                nodes.iter().for_each(|corner| self.stars.leave(*corner, facet));
            } else {
                self.facets[facet as usize].nodes = nodes.map(|corner| if corner == node { target } else { corner });
                self.stars.add(target, facet);
            }
        }
        self.removed += 1;
    }
}
