//! Maps of volumes.
//!
//! In: darts. Out: changed maps. Method: S4 §3.1. Boundary volumes are kept closed: sewing two faces removes their
//! boundary faces from their shells, unsewing adds two; an edge that meets the boundary twice becomes two at once.
//! Guarantees: an operation checks first, and changes nothing when it fails. Cost: O(darts of the faces and of the
//! orbits of their edges); if cells are numbered, O(darts of the cells touched).

mod build;
mod cell;
mod edit;
mod grid;
pub(crate) mod validate;
mod volume;

pub use grid::grid_positions;
pub use heurt_mesh::Cell;

use crate::map::{Map3, round};
use crate::{CombinatorialMap, Dart, EditError, Orbit};

impl Map3 {
    /// Makes a volume without neighbours from faces over corners of any numbers, counter-clockwise seen from outside,
    /// and returns the first dart of each face, which starts at its first corner.
    ///
    /// # Errors
    /// No face, a face of fewer than three corners, an edge that has not one face in each direction,
    /// [`EditError::TooLarge`].
    pub fn add_polyhedron<F: AsRef<[u32]>>(&mut self, faces: &[F]) -> Result<Vec<Dart>, EditError> {
        if faces.is_empty() {
            return Err(EditError::TooFew { what: "a polyhedron", count: 0, least: 1 });
        }
        let mut edges: Vec<([u32; 2], usize)> = Vec::new();
        for face in faces.iter().map(AsRef::as_ref) {
            if face.len() < 3 {
                return Err(EditError::TooFew { what: "a face", count: face.len(), least: 3 });
            }
            let next = face.iter().cycle().skip(1);
            edges.extend(face.iter().zip(next).map(|(&from, &to)| [from, to]).zip(edges.len()..));
        }
        edges.sort_unstable();
        let find = |edge: [u32; 2]| {
            let place = edges.partition_point(|other| other.0 < edge);
            let count = edges[place..].iter().take_while(|other| other.0 == edge).count();
            if count == 1 { Ok(edges[place].1) } else { Err(EditError::OpenPolyhedron { edge, count }) }
        };
        let mut twin = vec![0; edges.len()];
        for &([from, to], dart) in &edges {
            find([from, to])?;
            twin[dart] = find([to, from])?;
        }
        self.check_room(2 * edges.len())?;
        let degrees: Vec<usize> = faces.iter().map(|face| face.as_ref().len()).collect();
        Ok(self.add_linked(&degrees, &twin))
    }

    /// Makes the darts of a volume and of its boundary from the numbers of edges of its faces and the twins of its
    /// darts.
    fn add_linked(&mut self, degrees: &[usize], twin: &[usize]) -> Vec<Dart> {
        let darts: Vec<Dart> = (0..twin.len()).map(|_| self.new_dart(false)).collect();
        let beyond: Vec<Dart> = (0..twin.len()).map(|_| self.new_dart(true)).collect();
        let mut firsts = Vec::with_capacity(degrees.len());
        let mut begin = 0;
        for &degree in degrees {
            firsts.push(darts[begin]);
            for place in 0..degree {
                let (here, next) = (begin + place, begin + (place + 1) % degree);
                self.link1(darts[here], darts[next]);
                self.link1(beyond[next], beyond[here]);
                self.link3(darts[here], beyond[here]);
                self.link2(darts[here], darts[twin[here]]);
                self.link2(beyond[here], beyond[twin[here]]);
            }
            begin += degree;
        }
        self.settle(&darts);
        firsts
    }

    /// Sews two faces of the border together, so that `a` and `b` are the two sides of one edge: `a`'s start becomes
    /// `b`'s end.
    ///
    /// # Errors
    /// Darts that are not live, of the boundary, of one face, sewn already, or of faces of different numbers of edges.
    pub fn sew(&mut self, a: Dart, b: Dart) -> Result<(), EditError> {
        for dart in [a, b] {
            self.check_inner(dart)?;
            let to = self.phi3(dart);
            if !self.is_boundary(to) {
                return Err(EditError::AlreadySewn { dart, to });
            }
        }
        if self.is_same_face(a, b) {
            return Err(EditError::SewnToItself { a, b, in_face: true });
        }
        let ones: Vec<Dart> = self.face_darts(a).collect();
        let others: Vec<Dart> = round(b, |dart| self.phi1_inv(dart)).collect();
        if ones.len() != others.len() {
            return Err(EditError::FaceDegrees { a, b, a_edges: ones.len(), b_edges: others.len() });
        }
        for (&one, &other) in ones.iter().zip(&others) {
            let (x, y) = (self.phi3(one), self.phi3(other));
            // Around the edge, the shells beyond the two faces are joined.
            self.swap2(x, y);
            self.link3(one, other);
            self.free_dart(x);
            self.free_dart(y);
        }
        self.settle_faces(ones, &others);
        Ok(())
    }

    /// Divides a face into two of the border. Edges and vertices that only this face held together become several.
    ///
    /// # Errors
    /// A dart that is not live, of the boundary, or on the border; [`EditError::TooLarge`].
    pub fn unsew(&mut self, dart: Dart) -> Result<(), EditError> {
        self.check_inner(dart)?;
        let other = self.phi3(dart);
        if self.is_boundary(other) {
            return Err(EditError::NotSewn { dart });
        }
        let ones: Vec<Dart> = self.face_darts(dart).collect();
        self.check_room(2 * ones.len())?;
        let others: Vec<Dart> = round(other, |dart| self.phi1_inv(dart)).collect();
        self.open(&ones, &others);
        self.settle_faces(ones, &others);
        Ok(())
    }

    /// Puts a boundary volume of two faces between two sides of a face, and divides the edges around it.
    fn open(&mut self, ones: &[Dart], others: &[Dart]) {
        let degree = ones.len();
        let beyond: Vec<[Dart; 2]> = (0..degree).map(|_| [self.new_dart(true), self.new_dart(true)]).collect();
        for (place, &[x, y]) in beyond.iter().enumerate() {
            let [next_x, next_y] = beyond[(place + 1) % degree];
            self.link1(next_x, x);
            self.link1(y, next_y);
            self.link2(x, y);
            self.link3(ones[place], x);
            self.link3(others[place], y);
        }
        for &[x, y] in &beyond {
            for side in [x, y] {
                while let Some(second) = self.second_wedge(side) {
                    self.swap2(side, self.phi2(second));
                }
            }
        }
    }

    /// Finds the second place where the edge of a boundary dart meets the boundary: a dart of the same direction.
    fn second_wedge(&self, dart: Dart) -> Option<Dart> {
        round(dart, |dart| self.phi3(self.phi2(dart))).skip(1).find(|&dart| self.is_boundary(dart))
    }

    /// Links `a` and `b`, of opposite directions, by φ₂, and links their previous φ₂ by φ₂ too.
    fn swap2(&mut self, a: Dart, b: Dart) {
        let (x, y) = (self.phi2(a), self.phi2(b));
        if x != b {
            self.link2(x, y);
            self.link2(a, b);
        }
    }

    /// Updates numbers of the edges and vertices of two faces that were one or have become one.
    fn settle_faces(&mut self, mut ones: Vec<Dart>, others: &[Dart]) {
        ones.extend_from_slice(others);
        // The opposite dart of an edge starts at the opposite end, and may be of another piece.
        for place in 0..ones.len() {
            ones.push(self.phi2(ones[place]));
        }
        self.settle(&ones);
    }

    /// Returns the darts of the edge, from `dart` on, by φ₂ and φ₃ in turn; including boundary darts.
    pub fn edge_darts(&self, dart: Dart) -> impl Iterator<Item = Dart> + '_ {
        round(dart, |dart| self.phi3(self.phi2(dart))).flat_map(|dart| [dart, self.phi2(dart)])
    }

    /// Counts vertices, edges, faces, volumes (without boundary), and components. Cost: O(darts).
    pub fn cell_counts(&self) -> [usize; 5] {
        Orbit::ALL.map(|orbit| crate::map::count_cells(self, orbit))
    }

    /// Computes the Euler characteristic: vertices − edges + faces − volumes, without boundary volumes.
    pub fn euler_characteristic(&self) -> i64 {
        let [vertices, edges, faces, volumes, _] = self.cell_counts();
        vertices as i64 - edges as i64 + faces as i64 - volumes as i64
    }
}
