//! Cutting and merging edges and faces of a [`Map3`].
//!
//! In: darts. Out: new darts. Method: each operation has its inverse next to it.
//! Guarantees and cost: as the module above.

use crate::map::{Map3, round};
use crate::{CombinatorialMap, Dart, EditError, Orbit};

impl Map3 {
    /// Puts a vertex into the edge of `dart`, which keeps its start and then ends there; returns the dart after it.
    ///
    /// # Errors
    /// A dart that is not live; [`EditError::TooLarge`].
    pub fn cut_edge(&mut self, dart: Dart) -> Result<Dart, EditError> {
        self.check_live(dart)?;
        let mut darts: Vec<Dart> = self.edge_darts(dart).collect();
        self.check_room(darts.len())?;
        let after: Vec<Dart> = darts
            .iter()
            .map(|&dart| {
                let new = self.new_dart(self.is_boundary(dart));
                let next = self.phi1(dart);
                self.link1(dart, new);
                self.link1(new, next);
                new
            })
            .collect();
        // The darts of the edge in order: φ₂ links an even place to the next, φ₃ an odd one.
        let count = darts.len();
        for place in 0..count {
            let next = (place + 1) % count;
            let (here, there) = ((darts[place], after[place]), (darts[next], after[next]));
            if place % 2 == 0 {
                self.link2(here.0, there.1);
                self.link2(here.1, there.0);
            } else {
                self.link3(here.0, there.1);
                self.link3(here.1, there.0);
            }
        }
        darts.extend_from_slice(&after);
        self.settle(&darts);
        Ok(after[0])
    }

    /// Removes the vertex at the end of `dart`, at which two edges meet: the inverse of [`cut_edge`](Self::cut_edge).
    /// Removes the dart after `dart`.
    ///
    /// # Errors
    /// A dart that is not live, a vertex of another number of edges, or an edge that has one vertex only.
    pub fn uncut_edge(&mut self, dart: Dart) -> Result<(), EditError> {
        self.check_live(dart)?;
        // The darts that end at the vertex, from either edge, and their next darts.
        let mut keep: Vec<Dart> = round(dart, |dart| self.phi3(self.phi2(dart))).collect();
        let mut gone: Vec<Dart> = keep.iter().map(|&dart| self.phi1(dart)).collect();
        for place in 0..keep.len() {
            keep.push(self.phi2(gone[place]));
            gone.push(self.phi2(keep[place]));
        }
        let fits = keep.iter().zip(&gone).all(|(&dart, &after)| self.phi1(dart) == after);
        let mut all: Vec<Dart> = keep.iter().chain(&gone).copied().collect();
        all.sort_unstable();
        all.dedup();
        if !fits || all.len() != 2 * keep.len() {
            let after = self.phi1(dart);
            let edges = crate::Walker::new().incident(self, after, Orbit::Vertex, Orbit::Edge).len();
            return Err(EditError::VertexInUse { dart: after, edges });
        }
        let links: Vec<[Dart; 3]> =
            gone.iter().map(|&after| [self.phi1(after), self.phi2(after), self.phi3(after)]).collect();
        for (&dart, &[next, second, third]) in keep.iter().zip(&links) {
            self.link1(dart, next);
            self.link2(dart, second);
            self.link3(dart, third);
        }
        for dart in gone {
            self.free_dart(dart);
        }
        self.settle(&keep);
        Ok(())
    }

    /// Cuts the face of `a` and `b`, on both sides, by an edge between their starts. Returns its dart from `a`'s start
    /// to `b`'s on the side of the two. This dart is in the face of `b`; its φ₂ is in the face of `a`, which keeps the
    /// number.
    ///
    /// # Errors
    /// Darts that are not live, of the boundary, the same, or not on the same side of one face.
    pub fn split_face(&mut self, a: Dart, b: Dart) -> Result<Dart, EditError> {
        self.check_inner(a)?;
        self.check_inner(b)?;
        if a == b || !self.is_same_face(a, b) {
            return Err(EditError::NotInOne { orbit: Orbit::Face, a, b });
        }
        self.check_room(4)?;
        let [other_a, other_b] = [a, b].map(|dart| self.phi1(self.phi3(dart)));
        let (to, back) = self.split_side(a, b);
        let (other_to, other_back) = self.split_side(other_a, other_b);
        self.link3(to, other_back);
        self.link3(back, other_to);
        self.settle(&[back, to, other_to, other_back]);
        Ok(to)
    }

    /// Removes the edge of `dart` and makes the two faces next to it one, on both sides: the inverse of
    /// [`split_face`](Self::split_face).
    ///
    /// # Errors
    /// A dart that is not live or of the boundary, an edge of more than two faces, or one face on both sides.
    pub fn merge_faces(&mut self, dart: Dart) -> Result<(), EditError> {
        self.check_inner(dart)?;
        let darts: Vec<Dart> = self.edge_darts(dart).take(5).collect();
        let &[a, b, c, d] = darts.as_slice() else { return Err(EditError::EdgeInUse { dart }) };
        if self.is_same_face(a, b) {
            return Err(EditError::InOne { orbit: Orbit::Face, a, b });
        }
        if darts.iter().any(|&dart| self.phi1(dart) == dart) {
            return Err(EditError::EdgeInUse { dart });
        }
        let mut seeds = Vec::with_capacity(4);
        for [one, other] in [[a, b], [c, d]] {
            seeds.extend(self.pass_by(one, other));
        }
        for dart in darts {
            self.free_dart(dart);
        }
        self.settle(&seeds);
        Ok(())
    }
}
