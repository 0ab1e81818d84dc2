//! Maps of faces: surfaces, and the plane.
//!
//! In: darts. Out: changed maps. Method: S4 §3.1. Boundary faces are kept closed: sewing removes two boundary darts
//! from their loops, unsewing adds two; a vertex that meets the boundary twice becomes two vertices at once.
//! Guarantees: an operation checks first, and changes nothing when it fails. Cost: O(1) and the orbits of the vertices
//! touched; if cells are numbered, O(darts of the cells touched).

mod build;
mod edit;
mod grid;
mod outline;
pub(crate) mod validate;

pub(crate) use build::check_corners;
pub(crate) use outline::is_in_range;
pub use outline::{OutlineFault, Outlined};

use crate::map::{Map2, round};
use crate::{CombinatorialMap, Dart, EditError, Orbit};

impl Map2 {
    /// Makes a face of `edges` edges, at least one, without neighbours, and returns its first dart; the next darts
    /// around the face follow by φ₁.
    ///
    /// # Errors
    /// [`EditError::TooFew`], [`EditError::TooLarge`].
    pub fn add_face(&mut self, edges: usize) -> Result<Dart, EditError> {
        if edges == 0 {
            return Err(EditError::TooFew { what: "a face", count: 0, least: 1 });
        }
        self.check_room(edges.saturating_mul(2))?;
        let darts: Vec<Dart> = (0..edges).map(|_| self.new_dart(false)).collect();
        let beyond: Vec<Dart> = (0..edges).map(|_| self.new_dart(true)).collect();
        for (place, (&dart, &other)) in darts.iter().zip(&beyond).enumerate() {
            let next = (place + 1) % edges;
            self.link1(dart, darts[next]);
            self.link1(beyond[next], other);
            self.link2(dart, other);
        }
        self.settle(&darts);
        Ok(darts[0])
    }

    /// Sews two darts of the border together: their edges become one, `a`'s start and `b`'s end one vertex, and `a`'s
    /// end and `b`'s start another.
    ///
    /// # Errors
    /// Darts that are not live, of the boundary, the same, or sewn already.
    pub fn sew(&mut self, a: Dart, b: Dart) -> Result<(), EditError> {
        for dart in [a, b] {
            self.check_inner(dart)?;
            let to = self.phi2(dart);
            if !self.is_boundary(to) {
                return Err(EditError::AlreadySewn { dart, to });
            }
        }
        if a == b {
            return Err(EditError::SewnToItself { a, b, in_face: false });
        }
        let (x, y) = (self.phi2(a), self.phi2(b));
        // At either end, the loop continues from the previous dart of one dart to the next dart of its counterpart.
        self.swap_next(self.phi1_inv(x), self.phi1(y));
        self.swap_next(self.phi1_inv(y), self.phi1(x));
        self.link2(a, b);
        self.free_dart(x);
        self.free_dart(y);
        self.settle(&[a, b]);
        Ok(())
    }

    /// Divides an edge into two of the border. Vertices that only this edge held together become two.
    ///
    /// # Errors
    /// A dart that is not live, of the boundary, or on the border.
    pub fn unsew(&mut self, dart: Dart) -> Result<(), EditError> {
        self.check_inner(dart)?;
        let other = self.phi2(dart);
        if self.is_boundary(other) {
            return Err(EditError::NotSewn { dart });
        }
        self.check_room(2)?;
        self.open(dart);
        // A vertex of one corner may have become two.
        let seeds = [dart, self.phi1(dart), other, self.phi1(other)];
        self.settle(&seeds);
        Ok(())
    }

    /// Puts a boundary face of two darts between a dart and its φ₂, and divides the vertices at its corners.
    fn open(&mut self, dart: Dart) {
        let other = self.phi2(dart);
        let (x, y) = (self.new_dart(true), self.new_dart(true));
        self.link1(x, y);
        self.link1(y, x);
        self.link2(dart, x);
        self.link2(other, y);
        for corner in [x, y] {
            // At most one, except for an edge that starts and ends at one vertex.
            while let Some(second) = self.second_corner(corner) {
                self.swap_next(self.phi1_inv(corner), second);
            }
        }
    }

    /// Finds the second place where the vertex of a boundary dart meets the boundary.
    fn second_corner(&self, dart: Dart) -> Option<Dart> {
        self.vertex_darts(dart).skip(1).find(|&dart| self.is_boundary(dart))
    }

    /// Makes `to` follow `from`, and the previous next dart of `from` follow the previous dart of `to`.
    fn swap_next(&mut self, from: Dart, to: Dart) {
        let (next, before) = (self.phi1(from), self.phi1_inv(to));
        self.link1(from, to);
        self.link1(before, next);
    }

    /// Returns the darts that start at the vertex of `dart`, from it on, counter-clockwise if faces are; including
    /// boundary darts.
    pub fn vertex_darts(&self, dart: Dart) -> impl Iterator<Item = Dart> + '_ {
        round(dart, |dart| self.phi2(self.phi1_inv(dart)))
    }

    /// Returns the two darts of the edge.
    pub fn edge_darts(&self, dart: Dart) -> [Dart; 2] {
        [dart, self.phi2(dart)]
    }

    /// Counts vertices, edges and faces (without boundary), and components. Cost: O(darts).
    pub fn cell_counts(&self) -> [usize; 4] {
        [Orbit::Vertex, Orbit::Edge, Orbit::Face, Orbit::Component].map(|orbit| crate::map::count_cells(self, orbit))
    }

    /// Computes the Euler characteristic: vertices − edges + faces, without boundary faces.
    pub fn euler_characteristic(&self) -> i64 {
        let [vertices, edges, faces, _] = self.cell_counts();
        vertices as i64 - edges as i64 + faces as i64
    }
}
