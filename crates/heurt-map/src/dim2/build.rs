//! Maps from polygons and triangles.
//!
//! In: faces as lists of vertices, counter-clockwise seen from the side that counts as outside. Out: a map whose dart
//! `k` is corner `k` of all faces laid end to end, followed by the boundary.
//! Method: edges are sorted by their lesser vertex and then by the greater; the boundary follows the fans of faces.
//! Guarantees: all faults are listed. Faces that touch only in a vertex are not joined there. Cost: O(corners); the
//! sort is by counting, except for the edges of one vertex.

use crate::attribute::CellIds;
use crate::build::{BuildError, BuildFault, Built, Orient, Turns, bucket, unless};
use crate::map::{MAX_DARTS, Map2};
use crate::{DartSet, NO_CELL};
use heurt_mesh::{Topology, TriMesh};

/// Faces laid end to end.
pub(crate) struct Faces {
    /// The vertex of each corner.
    pub corners: Vec<u32>,
    /// The first corner of each face, and the end.
    pub begin: Vec<u32>,
}

impl Map2 {
    /// Builds a surface from polygons over `vertices` vertices.
    ///
    /// # Errors
    /// [`BuildError`] lists all faults of the first kind of check that finds any: corners; edges of more than two faces
    /// and neighbours turned against each other.
    pub fn from_polygons<P: AsRef<[u32]>>(
        vertices: usize,
        polygons: impl IntoIterator<Item = P>,
        orient: Orient,
    ) -> Result<Built<2>, BuildError> {
        let mut faces = Faces { corners: Vec::new(), begin: vec![0] };
        let mut faults = Vec::new();
        for (face, polygon) in polygons.into_iter().enumerate() {
            check_corners(face as u32, polygon.as_ref(), vertices, &mut faults);
            faces.corners.extend_from_slice(polygon.as_ref());
            faces.begin.push(faces.corners.len().min(MAX_DARTS) as u32);
        }
        unless(faults)?;
        faces.build(vertices, orient)
    }

    /// Builds a surface from a mesh, vertices at the same place counted as one (the first of them).
    ///
    /// # Errors
    /// As [`from_polygons`](Self::from_polygons).
    pub fn from_tri_mesh(mesh: &TriMesh, orient: Orient) -> Result<Built<2>, BuildError> {
        let topology = Topology::new(mesh);
        let corner = |triangle: u32| [0, 1, 2].map(|corner| topology.origin(3 * triangle + corner));
        let triangles = (0..mesh.triangles().len() as u32).map(corner);
        Self::from_polygons(mesh.vertices().len(), triangles, orient)
    }
}

/// Notes the faults of the corners of a face.
pub(crate) fn check_corners(cell: u32, corners: &[u32], vertices: usize, faults: &mut Vec<BuildFault>) {
    if corners.len() < 3 {
        faults.push(BuildFault::TooFewCorners { cell, count: corners.len() });
    }
    for &index in corners.iter().filter(|&&index| index as usize >= vertices) {
        faults.push(BuildFault::IndexOutOfRange { cell, index, count: vertices });
    }
    if corners.len() <= 8 {
        for (place, &vertex) in corners.iter().enumerate() {
            if corners[..place].contains(&vertex) {
                faults.push(BuildFault::RepeatedCorner { cell, vertex });
            }
        }
    } else {
        let mut sorted = corners.to_vec();
        sorted.sort_unstable();
        for same in sorted.chunk_by(|a, b| a == b).filter(|same| same.len() > 1) {
            faults.push(BuildFault::RepeatedCorner { cell, vertex: same[0] });
        }
    }
}

impl Faces {
    fn build(mut self, vertices: usize, orient: Orient) -> Result<Built<2>, BuildError> {
        let count = 2 * self.corners.len();
        if count > MAX_DARTS {
            return Err(BuildError { faults: vec![BuildFault::TooLarge { count, max: MAX_DARTS }] });
        }
        let mut turned = Vec::new();
        let mut links = self.links();
        let (mut phi2, against) = self.pair(&links, vertices)?;
        if !against.is_empty() {
            turned = self.turns(&phi2, &links, &against, orient)?;
            self.turn(&turned);
            links = self.links();
            phi2 = self.pair(&links, vertices)?.0;
        }
        Ok(self.finish(links, phi2, vertices, turned))
    }

    /// Computes φ₁, and the face of each dart.
    fn links(&self) -> Links {
        let (mut next, mut face) = (Vec::with_capacity(self.corners.len()), Vec::with_capacity(self.corners.len()));
        for (number, range) in self.begin.windows(2).enumerate() {
            next.extend(range[0] + 1..range[1]);
            next.push(range[0]);
            face.resize(range[1] as usize, number as u32);
        }
        Links { next, face }
    }

    /// Computes φ₂ of each dart, [`NO_CELL`] on the border, and pairs of darts that run in the same direction along one
    /// edge.
    fn pair(&self, links: &Links, vertices: usize) -> Result<(Vec<u32>, Vec<[u32; 2]>), BuildError> {
        let ends = |dart: u32| [self.corners[dart as usize], self.corners[links.next[dart as usize] as usize]];
        let darts = 0..self.corners.len() as u32;
        let low: Vec<u32> = darts.clone().map(|dart| ends(dart)[0].min(ends(dart)[1])).collect();
        let (mut sorted, begin) = bucket(&low, vertices);
        let mut phi2 = vec![NO_CELL; self.corners.len()];
        let (mut against, mut faults) = (Vec::new(), Vec::new());
        for vertex in 0..vertices {
            let darts = &mut sorted[begin[vertex] as usize..begin[vertex + 1] as usize];
            let high = |dart: u32| ends(dart)[0].max(ends(dart)[1]);
            darts.sort_unstable_by_key(|&dart| (high(dart), dart));
            for same in darts.chunk_by(|&a, &b| high(a) == high(b)) {
                match *same {
                    [_] => {}
                    [a, b] => {
                        (phi2[a as usize], phi2[b as usize]) = (b, a);
                        if ends(a) == ends(b) {
                            against.push([a, b]);
                        }
                    }
                    _ => {
                        let faces = same.iter().map(|&dart| links.face[dart as usize]).collect();
                        faults.push(BuildFault::ManyFaces { edge: [vertex as u32, high(same[0])], faces });
                    }
                }
            }
        }
        unless(faults)?;
        Ok((phi2, against))
    }

    /// Computes the faces to turn.
    fn turns(&self, phi2: &[u32], links: &Links, against: &[[u32; 2]], orient: Orient) -> Result<Vec<u32>, BuildError> {
        let edge = |dart: u32| vec![self.corners[dart as usize], self.corners[links.next[dart as usize] as usize]];
        let cells = |[a, b]: [u32; 2]| [links.face[a as usize], links.face[b as usize]];
        if orient == Orient::Keep {
            let fault = |&pair: &[u32; 2]| BuildFault::TurnedAgainst { corners: edge(pair[0]), cells: cells(pair) };
            unless(against.iter().map(fault).collect())?;
        }
        let mut turns = Turns::new(self.begin.len() - 1);
        let mut faults = Vec::new();
        for (dart, &other) in phi2.iter().enumerate() {
            let dart = dart as u32;
            if other != NO_CELL && dart < other {
                let [a, b] = cells([dart, other]);
                if !turns.relate(a, b, edge(dart) == edge(other)) {
                    faults.push(BuildFault::NotOrientable { corners: edge(dart), cells: [a, b] });
                }
            }
        }
        unless(faults)?;
        Ok(turns.turned())
    }

    /// Reverses faces; their first corners stay.
    fn turn(&mut self, faces: &[u32]) {
        for &face in faces {
            let range = self.begin[face as usize] as usize..self.begin[face as usize + 1] as usize;
            self.corners[range][1..].reverse();
        }
    }

    /// Closes the border and numbers vertices and faces.
    fn finish(self, links: Links, mut phi2: Vec<u32>, vertices: usize, turned: Vec<u32>) -> Built<2> {
        let Links { next: mut phi1, face: mut face_of } = links;
        let inner = self.corners.len() as u32;
        let mut before = vec![0; inner as usize];
        for (dart, &next) in phi1.iter().enumerate() {
            before[next as usize] = dart as u32;
        }
        let border = phi2.iter().filter(|&&other| other == NO_CELL).count();
        phi1.reserve_exact(border);
        phi2.reserve_exact(border);
        for dart in 0..inner {
            if phi2[dart as usize] == NO_CELL {
                phi2[dart as usize] = phi2.len() as u32;
                phi2.push(dart);
            }
        }
        for beyond in inner as usize..phi2.len() {
            // The boundary dart ends at the start of its φ₂; the next one is beyond the last face of the fan there.
            let mut dart = phi2[beyond];
            while dart < inner {
                dart = phi2[before[dart as usize] as usize];
            }
            phi1.push(dart);
        }
        let mut boundary = DartSet::with_capacity(phi1.len());
        boundary.insert_range(inner..phi1.len() as u32);
        face_of.resize(phi1.len(), NO_CELL);
        let face_ids = CellIds::from_parts(face_of, self.begin[..self.begin.len() - 1].to_vec());
        let map = Map2::from_links(phi1, phi2, Vec::new(), boundary);
        crate::build::finish(map, &self.corners, vertices, face_ids, turned)
    }
}

/// φ₁ and the face of each dart.
struct Links {
    next: Vec<u32>,
    face: Vec<u32>,
}
