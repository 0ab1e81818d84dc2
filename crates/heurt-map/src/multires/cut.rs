//! Cuts and merges of edges and faces, the steps of refining and coarsening.
//!
//! In: matching darts. Out: new darts, with levels and labels. The map is valid again when the caller has done all
//! steps, and numbers of cells are settled then. Cost: O(darts touched).

use super::implicit::{ImplicitMap, Scheme};
use crate::map::round;
use crate::{CombinatorialMap, Dart};

impl<const D: usize> ImplicitMap<D> {
    /// Returns the darts of the finest edge that run in the same direction.
    pub(super) fn ring(&self, dart: Dart) -> Vec<Dart> {
        match D {
            2 => vec![dart],
            _ => round(dart, |dart| self.map.phi3(self.map.phi2(dart))).collect(),
        }
    }

    /// Cuts the finest edge of `dart` at a vertex of a level; the dart keeps its start. Returns the darts that end at
    /// the vertex, two for each of the ring.
    pub(super) fn cut_line(&mut self, dart: Dart, level: u8) -> Vec<[Dart; 2]> {
        let ring: Vec<[Dart; 2]> = self.ring(dart).into_iter().map(|dart| [dart, self.map.phi2(dart)]).collect();
        let after: Vec<[Dart; 2]> = ring
            .iter()
            .map(|pair| {
                pair.map(|dart| {
                    let new = self.new_dart(self.map.is_boundary(dart), level, self.line(dart), self.plane(dart));
                    let next = self.map.phi1(dart);
                    self.map.link1(dart, new);
                    self.map.link1(new, next);
                    new
                })
            })
            .collect();
        for (place, (&[dart, other], &[dart_after, other_after])) in ring.iter().zip(&after).enumerate() {
            self.map.link2(dart, other_after);
            self.map.link2(other, dart_after);
            if D == 3 {
                let next = (place + 1) % ring.len();
                self.map.link3(other, after[next][0]);
                self.map.link3(other_after, ring[next][0]);
            }
        }
        ring
    }

    /// Removes the vertex of `level` from the edge that `dart` has at the previous level, if it is there and no face
    /// needs it. Returns the darts that ended there, and appends the removed darts and their representatives.
    pub(super) fn uncut_line(&mut self, dart: Dart, level: u8, replaced: &mut Vec<(Dart, Dart)>) -> Vec<Dart> {
        if self.level(self.map.phi2(dart)) != level {
            return Vec::new();
        }
        // The darts that end at the vertex, from either edge.
        let mut keep = self.ring(dart);
        for place in 0..keep.len() {
            let dart = keep[place];
            let after = self.map.phi1(dart);
            let other = self.map.phi2(after);
            let should_continue = self.line(after) == self.line(dart) && self.level(after) == level;
            if !should_continue || self.map.phi1(other) != self.map.phi2(dart) {
                return Vec::new();
            }
            keep.push(other);
        }
        let links: Vec<[Dart; 4]> = keep
            .iter()
            .map(|&dart| {
                let gone = self.map.phi1(dart);
                [gone, self.map.phi1(gone), self.map.phi2(gone), self.map.phi3(gone)]
            })
            .collect();
        for (&dart, &[gone, next, second, third]) in keep.iter().zip(&links) {
            replaced.push((gone, self.stand_in(gone, level - 1, dart)));
            self.map.link1(dart, next);
            self.map.link2(dart, second);
            if D == 3 {
                self.map.link3(dart, third);
            }
        }
        for [gone, ..] in links {
            self.free_dart(gone);
        }
        keep
    }

    /// Returns the dart of `level` or less that comes before a dart around its face, or `otherwise`.
    pub(super) fn stand_in(&self, dart: Dart, level: u8, otherwise: Dart) -> Dart {
        round(dart, |dart| self.map.phi1_inv(dart)).find(|&dart| self.level(dart) <= level).unwrap_or(otherwise)
    }

    /// Reports whether a face of that many edges is refined into triangles.
    pub(super) fn is_triangular(&self, edges: usize) -> bool {
        edges == 3 && self.scheme == Scheme::ByShape
    }

    /// Splits one side of a face, given by its corners, whose edges are all cut at `level`. Returns, for each corner,
    /// the dart from the middle of its edge (to the centre, or for triangles to the middle of the previous edge) and
    /// its φ₂.
    pub(super) fn split_side(&mut self, corners: &[Dart], level: u8) -> Vec<[Dart; 2]> {
        let count = corners.len();
        let (is_boundary, plane) = (self.map.is_boundary(corners[0]), self.plane(corners[0]));
        let mids: Vec<[Dart; 2]> = corners
            .iter()
            .map(|&dart| {
                // This is not the first finer dart: a neighbour may have cut the half edge again.
                let mid = round(self.map.phi1(dart), |dart| self.map.phi1(dart)).find(|&it| self.level(it) <= level);
                let mid = mid.unwrap_or(dart);
                [self.map.phi1_inv(mid), mid]
            })
            .collect();
        let new: Vec<[Dart; 2]> =
            (0..count).map(|_| [(); 2].map(|()| self.new_dart(is_boundary, level, level, plane))).collect();
        for place in 0..count {
            let before = (place + count - 1) % count;
            let ([last, _], [_, mid_before]) = (mids[place], mids[before]);
            let [to, back] = new[place];
            self.map.link1(last, to);
            if self.is_triangular(count) {
                self.map.link1(to, mid_before);
                self.map.link1(back, new[(place + 1) % count][1]);
            } else {
                self.map.link1(to, new[before][1]);
                self.map.link1(new[before][1], mid_before);
            }
            self.map.link2(to, back);
        }
        new
    }

    /// Removes edges and makes the faces next to them one. `gone` has all their darts, ascending. Returns the darts
    /// that have different next darts now.
    pub(super) fn drop_edges(&mut self, gone: &[Dart]) -> Vec<Dart> {
        let is_gone = |dart: Dart| gone.binary_search(&dart).is_ok();
        let mut links: Vec<[Dart; 2]> = Vec::new();
        for &dart in gone {
            let before = self.map.phi1_inv(dart);
            if !is_gone(before) {
                // Around the vertex, past the removed edges.
                let next = round(dart, |dart| self.map.phi1(self.map.phi2(dart))).find(|&dart| !is_gone(dart));
                links.extend(next.map(|next| [before, next]));
            }
        }
        for &[before, next] in &links {
            self.map.link1(before, next);
        }
        for &dart in gone {
            self.free_dart(dart);
        }
        links.into_iter().map(|[before, _]| before).collect()
    }
}
