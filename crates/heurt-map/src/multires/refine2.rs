//! Refinement of faces of a surface.
//!
//! In: a dart of a face. Out: its pieces. Method: S4 §3.2.2, primal schemes: each edge that no neighbour has cut is
//! cut, then the face is split.
//! Guarantees: any face may be refined at any time, for any levels next to it; its neighbours keep their shape and get
//! a vertex on the shared edge (a T-junction, [`hanging`](super::ImplicitMap::hanging)). Cost: O(edges), and of the
//! neighbours too if cells are numbered.

use super::MultiresError;
use super::implicit::{ImplicitMap, MAX_LEVEL, NewVertex, Refined};
use crate::{CombinatorialMap, Dart, Orbit};

impl<const D: usize> ImplicitMap<D> {
    /// Refines the finest face of `dart` by one level.
    pub(super) fn refine_face(&mut self, dart: Dart) -> Result<Refined, MultiresError> {
        self.map.check_inner(dart)?;
        let below = self.face_level(dart);
        if below >= MAX_LEVEL {
            return Err(MultiresError::TooDeep { dart, level: below });
        }
        let level = below + 1;
        let face: Vec<Dart> = self.map.face_darts(dart).collect();
        let first = self.oldest(&face);
        let corners: Vec<Dart> = self.map.face_darts(first).filter(|&dart| self.level(dart) <= below).collect();
        if corners.len() < 3 {
            return Err(MultiresError::TooFewEdges { dart, edges: corners.len() });
        }
        self.map.check_room(4 * corners.len())?;
        let mut vertices = Vec::new();
        let mut seeds = Vec::new();
        for &corner in &corners {
            if self.level(self.map.phi2(corner)) <= below {
                self.cut_line(corner, level);
                let after = self.map.phi1(corner);
                vertices.push(NewVertex { dart: after, amid: Orbit::Edge, of: corner });
                seeds.extend([corner, after].map(|dart| self.map.phi2(dart)));
            }
        }
        let new = self.split_side(&corners, level);
        let mut cells = corners.clone();
        if self.is_triangular(corners.len()) {
            cells.push(new[0][1]);
        } else {
            vertices.push(NewVertex { dart: new[0][1], amid: Orbit::Face, of: corners[0] });
        }
        seeds.extend(face);
        seeds.extend(vertices.iter().map(|vertex| vertex.dart));
        seeds.extend(new.iter().flatten());
        self.map.settle(&seeds);
        Ok(Refined { level, cells, vertices })
    }
}
