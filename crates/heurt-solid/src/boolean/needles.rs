//! Removal of needles: triangles that rounding has made flatter than it moves their corners.
//!
//! In: the triangles of a result around its new nodes. Out: the same surface up to the rounding, without such triangles
//! where that is possible.
//! Method: a needle with a short side loses that side (edge collapse); any other one gives its longest side away to the
//! triangle across (flip), which takes the third corner into its side.
//! Guarantees: the mesh stays closed, and its genus is the same; no point moves by more than [`TOLERANCE`] times the
//! largest coordinate. Not guaranteed: that no needle is left; the caller tests the result.

use super::dissolve::Surface;
use super::meet::inverse_power;
use super::nodes::{FaceNodes, NodeId};
use heurt_geometry::Vec3;
use std::collections::BTreeSet;

/// Height of a needle, as a share of the largest coordinate: corners are rounded by half an ulp.
const TOLERANCE: f64 = 16.0 * f64::EPSILON;

/// Passes over all triangles at most.
const MAX_PASSES: usize = 16;

impl Surface<'_> {
    /// Removes needles around the points that are no vertices.
    pub(super) fn remove_needles(&mut self) {
        for _ in 0..MAX_PASSES {
            let mut changed = 0;
            for facet in 0..self.facets.len() as u32 {
                let is_new = self.facets[facet as usize].nodes.iter().any(|node| !self.nodes.is_vertex(*node));
                if is_new && self.is_alive[facet as usize] && self.straighten(facet) {
                    changed += 1;
                }
            }
            if changed == 0 {
                break;
            }
        }
    }

    /// Removes a triangle if it is a needle and can be removed.
    fn straighten(&mut self, facet: u32) -> bool {
        let nodes = self.facets[facet as usize].nodes;
        let places = nodes.map(|node| self.nodes.place(node));
        let largest = places.iter().fold(0.0, |most: f64, place| most.max(place.abs().max_element()));
        let scale = inverse_power(largest);
        let (places, tolerance) = (places.map(|place| place * scale), TOLERANCE * largest * scale);
        let lengths = [0, 1, 2].map(|k| (places[(k + 1) % 3] - places[k]).length());
        let k = (0..3).max_by(|a, b| lengths[*a].total_cmp(&lengths[*b])).unwrap_or(0);
        let shortest = (0..3).min_by(|a, b| lengths[*a].total_cmp(&lengths[*b])).unwrap_or(0);
        if lengths[shortest] <= tolerance {
            let ends = [nodes[shortest], nodes[(shortest + 1) % 3]];
            return self.contract(ends);
        }
        let along = (places[(k + 1) % 3] - places[k]) / lengths[k];
        let height = along.cross(places[(k + 2) % 3] - places[k]).length();
        height <= tolerance && self.flip_side(facet, [nodes[k], nodes[(k + 1) % 3], nodes[(k + 2) % 3]])
    }

    /// Draws one end of a short side to its second end, a point to a vertex.
    fn contract(&mut self, [a, b]: [NodeId; 2]) -> bool {
        let [node, target] = if self.nodes.is_vertex(a) { [b, a] } else { [a, b] };
        if self.nodes.is_vertex(node) || !self.can_contract(node, target) {
            return false;
        }
        self.collapse(node, target);
        true
    }

    /// Replaces the side from p to q of a triangle and of the triangle across it by the second diagonal.
    fn flip_side(&mut self, facet: u32, [p, q, r]: [NodeId; 3]) -> bool {
        let Some([star, of_apex]) = self.stars.get(p).zip(self.stars.get(r)).map(|(a, b)| [a, b]) else {
            return false;
        };
        let has = |facet: &u32, node: NodeId| self.facets[*facet as usize].nodes.contains(&node);
        let across: Vec<u32> = star.iter().copied().filter(|other| *other != facet && has(other, q)).collect();
        let [other] = across[..] else { return false };
        let source = self.facets[other as usize].source;
        let is_turned = self.facets[other as usize].is_turned;
        let corners = self.facets[other as usize].nodes;
        let Some(d) = corners.into_iter().find(|node| *node != p && *node != q) else { return false };
        if d == r || of_apex.iter().any(|other| has(other, d)) {
            return false;
        }
        let normal = self.normal(corners);
        let replaced = [[r, p, d], [d, q, r]];
        if replaced.iter().any(|triangle| self.normal(*triangle).dot(normal) <= 0.0) {
            return false;
        }
        for (number, nodes) in [(facet, replaced[0]), (other, replaced[1])] {
            let known = &mut self.facets[number as usize];
            (known.nodes, known.source, known.is_turned) = (nodes, source, is_turned);
        }
        self.stars.leave(q, facet);
        self.stars.leave(p, other);
        self.stars.add(d, facet);
        self.stars.add(r, other);
        true
    }

    /// The normal of three nodes, scaled by their size.
    fn normal(&self, nodes: [NodeId; 3]) -> Vec3 {
        let [a, b, c] = nodes.map(|node| self.nodes.place(node));
        let scale = inverse_power((b - a).abs().max((c - a).abs()).max_element());
        ((b - a) * scale).cross((c - a) * scale)
    }

    /// Tests whether drawing a node to a neighbour keeps the topology: exactly two triangles vanish.
    pub(super) fn can_contract(&self, node: NodeId, target: NodeId) -> bool {
        let Some([star, of_target]) = self.stars.get(node).zip(self.stars.get(target)).map(|(a, b)| [a, b]) else {
            return false;
        };
        let shared = star.iter().filter(|facet| self.facets[**facet as usize].nodes.contains(&target)).count();
        let neighbours = |facets: &[u32]| -> BTreeSet<NodeId> {
            facets.iter().flat_map(|facet| self.facets[*facet as usize].nodes).collect()
        };
        // In common are the two nodes themselves, and the two corners opposite their edge.
        shared == 2 && neighbours(star).intersection(&neighbours(of_target)).count() == 4
    }
}
