//! Maps from tetrahedra, pyramids, prisms, hexahedra and polyhedra.
//!
//! In: cells over vertices. Out: a map with the darts of cell 0, face by face, then of cell 1, and so on, and then the
//! boundary.
//! Method: tables for the darts of a cell; faces are sorted by their least vertex and then by their other vertices; the
//! boundary is followed around the edges of the border through the volumes there.
//! Guarantees: all faults are listed. Volumes that touch only in an edge or a vertex are not joined there. Cost:
//! O(darts); the sort is by counting, except for the faces of one vertex.

use crate::attribute::CellIds;
use crate::build::{BuildError, BuildFault, Built, Orient, Turns, bucket, unless};
use crate::dim2::check_corners;
use crate::dim3::Cell;
use crate::dim3::cell::Template;
use crate::map::{MAX_DARTS, Map3};
use crate::{DartSet, NO_CELL};
use heurt_geometry::{Sign, orient3d};
use heurt_mesh::{FaceTable, TetMesh};
use std::ops::Range;

impl Map3 {
    /// Builds a partition from cells over `vertices` vertices.
    ///
    /// ```
    /// use heurt_map::{Cell, Map3, Orient};
    /// // Two tetrahedra on either side of the face 1, 2, 3.
    /// let cells = [Cell::Tetrahedron([0, 1, 2, 3]), Cell::Tetrahedron([4, 1, 3, 2])];
    /// let built = Map3::from_cells(5, &cells, Orient::Keep)?;
    /// assert_eq!(built.map.cell_counts()[..4], [5, 9, 7, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] lists all faults of the first kind of check that finds any: corners, cells that are not closed;
    /// faces of more than two volumes, and neighbours turned against each other.
    pub fn from_cells(vertices: usize, cells: &[Cell], orient: Orient) -> Result<Built<3>, BuildError> {
        check_cells(vertices, cells)?;
        let volumes = Volumes::new(cells)?;
        let (phi3, against) = volumes.pair(vertices)?;
        if against.is_empty() {
            return Ok(volumes.finish(phi3, vertices, Vec::new()));
        }
        let turned = volumes.turns(&phi3, &against, orient)?;
        let mut cells = cells.to_vec();
        for &cell in &turned {
            cells[cell as usize] = cells[cell as usize].mirrored();
        }
        let volumes = Volumes::new(&cells)?;
        let (phi3, _) = volumes.pair(vertices)?;
        Ok(volumes.finish(phi3, vertices, turned))
    }

    /// Builds a partition from a tetrahedral mesh. Tetrahedra of negative volume are turned first, exactly; flat ones
    /// are turned to match their neighbours.
    ///
    /// # Errors
    /// As [`from_cells`](Self::from_cells).
    pub fn from_tet_mesh(mesh: &TetMesh) -> Result<Built<3>, BuildError> {
        let mut negative = Vec::new();
        let mut cells = Vec::with_capacity(mesh.tets().len());
        for (tet, &corners) in mesh.tets().iter().enumerate() {
            let cell = Cell::Tetrahedron(corners);
            let [a, b, c, d] = mesh.corners(tet as u32);
            let is_negative = orient3d(a, b, c, d) == Sign::Negative;
            cells.push(if is_negative { cell.mirrored() } else { cell });
            negative.push(is_negative);
        }
        let mut built = Self::from_cells(mesh.vertices().len(), &cells, Orient::Turn)?;
        for &tet in &built.turned {
            negative[tet as usize] ^= true;
        }
        built.turned = (0..cells.len() as u32).filter(|&tet| negative[tet as usize]).collect();
        Ok(built)
    }
}

/// Lists the faults of single cells.
fn check_cells(vertices: usize, cells: &[Cell]) -> Result<(), BuildError> {
    let mut faults = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        match cell {
            Cell::Polyhedron(faces) => {
                for face in faces {
                    check_corners(number as u32, face, vertices, &mut faults);
                }
            }
            _ => check_corners(number as u32, cell.corners(), vertices, &mut faults),
        }
    }
    unless(faults)
}

/// Cells dart by dart; the darts of a face are consecutive.
struct Volumes {
    /// The vertex at which each dart starts.
    origin: Vec<u32>,
    phi1: Vec<u32>,
    phi2: Vec<u32>,
    /// The first dart of each face, and the end.
    faces: Vec<u32>,
    /// The volume of each face.
    volume_of: Vec<u32>,
    /// The first dart of each volume, and the end.
    begin: Vec<u32>,
}

impl Volumes {
    fn new(cells: &[Cell]) -> Result<Self, BuildError> {
        let count: usize = cells.iter().map(dart_count).sum();
        // An isolated volume has as many boundary darts as its own.
        if count > MAX_DARTS / 2 {
            unless(vec![BuildFault::TooLarge { count: count.saturating_mul(2), max: MAX_DARTS }])?;
        }
        let [origin, phi1, phi2] = [0; 3].map(|_: i32| Vec::with_capacity(count));
        let mut begin = Vec::with_capacity(cells.len() + 1);
        begin.push(0);
        // Most faces have four corners.
        let (mut faces, volume_of) = (Vec::with_capacity(count / 4 + 1), Vec::with_capacity(count / 4));
        faces.push(0);
        let mut this = Self { origin, phi1, phi2, faces, volume_of, begin };
        let mut faults = Vec::new();
        let templates = Template::all();
        for (volume, cell) in cells.iter().enumerate() {
            let volume = volume as u32;
            match (cell, cell.table()) {
                (Cell::Polyhedron(faces), _) => this.push_polyhedron(volume, faces, &mut faults),
                (_, Some(kind)) => {
                    let template = &templates[kind];
                    let (base, corners) = (this.origin.len() as u32, cell.corners());
                    this.origin.extend(template.origin.iter().map(|&corner| corners[usize::from(corner)]));
                    this.phi1.extend(template.next.iter().map(|&dart| base + u32::from(dart)));
                    this.phi2.extend(template.twin.iter().map(|&dart| base + u32::from(dart)));
                    this.faces.extend(template.begin[1..].iter().map(|&dart| base + u32::from(dart)));
                }
                (_, None) => {}
            }
            this.volume_of.resize(this.faces.len() - 1, volume);
            this.begin.push(this.origin.len() as u32);
        }
        unless(faults)?;
        Ok(this)
    }

    fn push_polyhedron(&mut self, volume: u32, faces: &[Vec<u32>], faults: &mut Vec<BuildFault>) {
        let (base, before) = (self.origin.len() as u32, faults.len());
        let mut edges: Vec<([u32; 2], u32)> = Vec::new();
        for face in faces {
            let first = self.origin.len() as u32;
            let end = first + face.len() as u32;
            let next = |dart: u32| if dart + 1 < end { dart + 1 } else { first };
            self.origin.extend_from_slice(face);
            self.phi1.extend((first..end).map(next));
            self.faces.push(end);
            let to = |dart: u32| face[(next(dart) - first) as usize];
            edges.extend((first..end).map(|dart| ([face[(dart - first) as usize], to(dart)], dart)));
        }
        edges.sort_unstable();
        for same in edges.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
            faults.push(BuildFault::OpenVolume { volume, edge: same[0].0, count: same.len() });
        }
        self.phi2.resize(self.origin.len(), base);
        for &([from, to], dart) in &edges {
            match edges.binary_search_by_key(&[to, from], |edge| edge.0) {
                Ok(place) => self.phi2[dart as usize] = edges[place].1,
                Err(_) => faults.push(BuildFault::OpenVolume { volume, edge: [to, from], count: 0 }),
            }
        }
        if faults.len() == before {
            faults.extend(match self.pieces_from(base) {
                0 => Some(BuildFault::NoFaces { volume }),
                1 => None,
                count => Some(BuildFault::NotOnePiece { volume, count }),
            });
        }
    }

    /// Counts the connected pieces, by φ₁ and φ₂, of the faces from a dart on.
    fn pieces_from(&self, base: u32) -> usize {
        let mut is_seen = vec![false; self.origin.len() - base as usize];
        let (mut pieces, mut waiting) = (0, Vec::new());
        for first in base..self.origin.len() as u32 {
            pieces += usize::from(!is_seen[(first - base) as usize]);
            waiting.push(first);
            while let Some(dart) = waiting.pop() {
                if !std::mem::replace(&mut is_seen[(dart - base) as usize], true) {
                    waiting.extend([self.phi1[dart as usize], self.phi2[dart as usize]]);
                }
            }
        }
        pieces
    }

    /// Returns the darts of a face.
    fn darts(&self, face: u32) -> Range<u32> {
        self.faces[face as usize]..self.faces[face as usize + 1]
    }

    /// Returns the corners of a face, ascending.
    fn sorted_corners(&self, face: u32) -> Vec<u32> {
        let mut corners = self.origin[self.darts(face).start as usize..self.darts(face).end as usize].to_vec();
        corners.sort_unstable();
        corners
    }

    /// Computes φ₃ of each dart, [`NO_CELL`] on the border, and pairs of faces that are turned against each other.
    fn pair(&self, vertices: usize) -> Result<(Vec<u32>, Vec<[u32; 2]>), BuildError> {
        let count = self.faces.len() - 1;
        let (mut least, mut keys) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for face in 0..count as u32 {
            let [first, key @ ..] = self.key(face);
            least.push(first);
            keys.push(key);
        }
        let (mut sorted, begin) = bucket(&least, vertices);
        let mut pairing = Pairing { phi3: vec![NO_CELL; self.origin.len()], against: Vec::new(), faults: Vec::new() };
        for vertex in 0..vertices {
            let faces = &mut sorted[begin[vertex] as usize..begin[vertex + 1] as usize];
            faces.sort_unstable_by_key(|&face| (keys[face as usize], face));
            for same in faces.chunk_by(|&a, &b| keys[a as usize] == keys[b as usize]) {
                if same.len() == 1 {
                    continue;
                }
                if self.darts(same[0]).len() <= 4 {
                    self.pair_group(same, &mut pairing);
                } else {
                    // The key of a larger face has its first corners only.
                    let mut whole: Vec<(Vec<u32>, u32)> =
                        same.iter().map(|&face| (self.sorted_corners(face), face)).collect();
                    whole.sort_unstable();
                    for same in whole.chunk_by(|a, b| a.0 == b.0) {
                        let faces: Vec<u32> = same.iter().map(|&(_, face)| face).collect();
                        self.pair_group(&faces, &mut pairing);
                    }
                }
            }
        }
        unless(pairing.faults)?;
        Ok((pairing.phi3, pairing.against))
    }

    /// Returns the four least corners, ascending, and the number of corners; triangles have no fourth.
    fn key(&self, face: u32) -> [u32; 5] {
        let darts = self.darts(face);
        let corners = &self.origin[darts.start as usize..darts.end as usize];
        let mut key = [NO_CELL; 5];
        if corners.len() <= 4 {
            key[..corners.len()].copy_from_slice(corners);
            key[..4].sort_unstable();
        } else {
            key[..4].copy_from_slice(&self.sorted_corners(face)[..4]);
        }
        key[4] = corners.len() as u32;
        key
    }

    /// Pairs the faces that have the same corners.
    fn pair_group(&self, faces: &[u32], pairing: &mut Pairing) {
        let volumes = || faces.iter().map(|&face| self.volume_of[face as usize]).collect::<Vec<u32>>();
        let &[a, b] = faces else {
            if faces.len() > 2 {
                let fault = BuildFault::ManyVolumes { corners: self.sorted_corners(faces[0]), volumes: volumes() };
                pairing.faults.push(fault);
            }
            return;
        };
        let pair = [self.volume_of[a as usize], self.volume_of[b as usize]];
        if pair[0] == pair[1] {
            pairing.faults.push(BuildFault::FaceTwice { volume: pair[0], corners: self.sorted_corners(a) });
            return;
        }
        let (ones, others) = (self.darts(a), self.darts(b));
        let degree = ones.len() as u32;
        let from = |dart: u32| self.origin[dart as usize];
        let one = |place: u32| ones.start + place % degree;
        let Some(shift) = (0..degree).find(|&place| from(others.start + place) == from(ones.start)) else { return };
        let other = |place: u32| others.start + place % degree;
        if (0..degree).all(|place| from(one(place)) == from(other(shift + degree - place))) {
            for place in 0..degree {
                // The dart from corner `place` to the next lies along the dart back from there.
                let (dart, back) = (one(place), other(shift + 2 * degree - place - 1));
                pairing.phi3[dart as usize] = back;
                pairing.phi3[back as usize] = dart;
            }
        } else if (0..degree).all(|place| from(one(place)) == from(other(shift + place))) {
            pairing.against.push([a, b]);
        } else {
            pairing.faults.push(BuildFault::Twisted { corners: self.sorted_corners(a), volumes: pair });
        }
    }

    /// Computes the volumes to turn.
    fn turns(&self, phi3: &[u32], against: &[[u32; 2]], orient: Orient) -> Result<Vec<u32>, BuildError> {
        let cells = |[a, b]: [u32; 2]| [self.volume_of[a as usize], self.volume_of[b as usize]];
        if orient == Orient::Keep {
            let corners = |face| self.sorted_corners(face);
            let fault = |&pair: &[u32; 2]| BuildFault::TurnedAgainst { corners: corners(pair[0]), cells: cells(pair) };
            unless(against.iter().map(fault).collect())?;
        }
        let mut turns = Turns::new(self.begin.len() - 1);
        let mut faults = Vec::new();
        let mut relate = |a: u32, b: u32, is_against: bool, face: u32| {
            if !turns.relate(a, b, is_against) {
                faults.push(BuildFault::NotOrientable { corners: self.sorted_corners(face), cells: [a, b] });
            }
        };
        let volume_at = |dart: u32| self.begin.partition_point(|&begin| begin <= dart) as u32 - 1;
        for face in 0..self.volume_of.len() as u32 {
            let other = phi3[self.darts(face).start as usize];
            if other != NO_CELL {
                relate(self.volume_of[face as usize], volume_at(other), false, face);
            }
        }
        for &pair in against {
            let [a, b] = cells(pair);
            relate(a, b, true, pair[0]);
        }
        unless(faults)?;
        Ok(turns.turned())
    }

    /// Closes the border and numbers vertices and volumes.
    fn finish(self, mut phi3: Vec<u32>, vertices: usize, turned: Vec<u32>) -> Built<3> {
        let Self { origin, mut phi1, mut phi2, faces, begin, .. } = self;
        let inner = origin.len() as u32;
        let border = phi3.iter().filter(|&&other| other == NO_CELL).count();
        for links in [&mut phi1, &mut phi2, &mut phi3] {
            links.reserve_exact(border);
        }
        for darts in faces.windows(2) {
            if phi3[darts[0] as usize] == NO_CELL {
                let (first, degree) = (phi3.len() as u32, darts[1] - darts[0]);
                for place in 0..degree {
                    // Against the face: the dart beyond the next dart comes before.
                    phi1.push(first + (place + degree - 1) % degree);
                    phi3[(darts[0] + place) as usize] = first + place;
                    phi3.push(darts[0] + place);
                }
            }
        }
        for beyond in inner as usize..phi3.len() {
            let mut dart = phi2[phi3[beyond] as usize];
            while phi3[dart as usize] < inner {
                dart = phi2[phi3[dart as usize] as usize];
            }
            phi2.push(phi3[dart as usize]);
        }
        let mut boundary = DartSet::with_capacity(phi1.len());
        boundary.insert_range(inner..phi1.len() as u32);
        let mut volume_of = Vec::with_capacity(phi1.len());
        for (volume, range) in begin.windows(2).enumerate() {
            volume_of.resize(range[1] as usize, volume as u32);
        }
        volume_of.resize(phi1.len(), NO_CELL);
        let volumes = CellIds::from_parts(volume_of, begin[..begin.len() - 1].to_vec());
        let map = Map3::from_links(phi1, phi2, phi3, boundary);
        crate::build::finish(map, &origin, vertices, volumes, turned)
    }
}

/// The result of pairing faces.
struct Pairing {
    phi3: Vec<u32>,
    against: Vec<[u32; 2]>,
    faults: Vec<BuildFault>,
}

fn dart_count(cell: &Cell) -> usize {
    match (cell, cell.table()) {
        (Cell::Polyhedron(faces), _) => faces.iter().map(Vec::len).sum(),
        (_, kind) => kind.map_or(0, |kind| FaceTable::ALL[kind].corners.len()),
    }
}
