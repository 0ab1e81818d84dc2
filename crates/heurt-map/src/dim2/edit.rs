//! Cutting and merging cells of a [`Map2`].
//!
//! In: darts. Out: new darts. Method: each operation has its inverse next to it.
//! Guarantees and cost: as the module above.

use crate::map::Map2;
use crate::{CombinatorialMap, Dart, EditError, Orbit};

impl Map2 {
    /// Puts a vertex into the edge of `dart`, which keeps its start and then ends there; returns the dart after it.
    ///
    /// # Errors
    /// A dart that is not live; [`EditError::TooLarge`].
    pub fn cut_edge(&mut self, dart: Dart) -> Result<Dart, EditError> {
        self.check_live(dart)?;
        self.check_room(2)?;
        let other = self.phi2(dart);
        let [after, other_after] = [dart, other].map(|dart| {
            let new = self.new_dart(self.is_boundary(dart));
            let next = self.phi1(dart);
            self.link1(dart, new);
            self.link1(new, next);
            new
        });
        self.link2(dart, other_after);
        self.link2(other, after);
        self.settle(&[dart, after, other, other_after]);
        Ok(after)
    }

    /// Removes the vertex at the end of `dart`, at which two edges meet: the inverse of [`cut_edge`](Self::cut_edge).
    /// Removes the dart after `dart`.
    ///
    /// # Errors
    /// A dart that is not live, a vertex of another number of edges, or an edge that has one vertex only.
    pub fn uncut_edge(&mut self, dart: Dart) -> Result<(), EditError> {
        self.check_live(dart)?;
        let (after, other_after) = (self.phi1(dart), self.phi2(dart));
        let other = self.phi2(after);
        if self.vertex_darts(after).take(3).count() != 2 || self.phi1(other) != other_after || after == dart {
            return Err(EditError::VertexInUse { dart: after, edges: self.vertex_darts(after).count() });
        }
        for (dart, after) in [(dart, after), (other, other_after)] {
            let next = self.phi1(after);
            self.link1(dart, next);
            self.free_dart(after);
        }
        self.link2(dart, other);
        self.settle(&[dart, other]);
        Ok(())
    }

    /// Cuts the face of `a` and `b` by an edge between their starts. Returns its dart from `a`'s start to `b`'s. This
    /// dart is in the face of `b`; its φ₂ is in the face of `a`, which keeps the number.
    ///
    /// ```
    /// use heurt_map::{CombinatorialMap, Map2};
    /// let mut map = Map2::new();
    /// let bottom = map.add_face(4)?;
    /// // A new edge from the first to the third corner: two triangles.
    /// map.split_face(bottom, map.phi1(map.phi1(bottom)))?;
    /// assert_eq!(map.cell_counts()[..3], [4, 5, 2]);
    /// assert_eq!(map.face_darts(bottom).count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Darts that are not live, of the boundary, the same, or of different faces.
    pub fn split_face(&mut self, a: Dart, b: Dart) -> Result<Dart, EditError> {
        self.check_inner(a)?;
        self.check_inner(b)?;
        if a == b || !self.is_same_face(a, b) {
            return Err(EditError::NotInOne { orbit: Orbit::Face, a, b });
        }
        self.check_room(2)?;
        let (to, back) = self.split_side(a, b);
        self.settle(&[back, to]);
        Ok(to)
    }

    /// Removes the edge of `dart` and makes the faces next to it one: the inverse of
    /// [`split_face`](Self::split_face).
    ///
    /// # Errors
    /// A dart that is not live, of the boundary or on the border, or one face on both sides.
    pub fn merge_faces(&mut self, dart: Dart) -> Result<(), EditError> {
        self.check_inner(dart)?;
        let other = self.phi2(dart);
        if self.is_boundary(other) {
            return Err(EditError::NotSewn { dart });
        }
        if self.is_same_face(dart, other) {
            return Err(EditError::InOne { orbit: Orbit::Face, a: dart, b: other });
        }
        if self.phi1(dart) == dart || self.phi1(other) == other {
            // A face of one edge: its vertex would have no dart left.
            return Err(EditError::EdgeInUse { dart });
        }
        let seeds = self.pass_by(dart, other);
        self.free_dart(dart);
        self.free_dart(other);
        self.settle(&seeds);
        Ok(())
    }

    /// Removes a face; its edges become border of the remaining map.
    ///
    /// # Errors
    /// A dart that is not live, or of the boundary.
    pub fn remove_face(&mut self, dart: Dart) -> Result<(), EditError> {
        self.check_inner(dart)?;
        let darts: Vec<Dart> = self.face_darts(dart).collect();
        self.check_room(2 * darts.len())?;
        let mut seeds = Vec::with_capacity(2 * darts.len());
        for &dart in &darts {
            let other = self.phi2(dart);
            if !self.is_boundary(other) {
                self.open(dart);
                seeds.extend([other, self.phi1(other)]);
            }
        }
        // The face is isolated now; `open` also divided edges along which it met itself.
        for &dart in &darts {
            let beyond = self.phi2(dart);
            self.free_dart(beyond);
        }
        for &dart in &darts {
            self.free_dart(dart);
        }
        seeds.retain(|&dart| self.is_live(dart));
        self.settle(&seeds);
        Ok(())
    }
}
