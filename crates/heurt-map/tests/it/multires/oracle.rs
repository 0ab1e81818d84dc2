//! Refinement of index lists: cells are lists of corners, in a tree. Slow and obviously right.
//!
//! A point is named by what it is the middle of. A level is the cells of the tree down to it; a face (an edge) of a
//! cell is in pieces where the face (edge) of a refined cell is the same.

use heurt_map::multires::Scheme;
use heurt_map::{BuildError, Built, Cell, Map2, Map3, Orient};
use std::collections::{BTreeMap, BTreeSet};

/// A cell: a polygon, or a polyhedron with its corners in the order of its kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Polygon(Vec<u32>),
    Tetrahedron([u32; 4]),
    /// Opposite corners: 0 and 5, 1 and 3, 2 and 4; the first, then a ring, then the last.
    Octahedron([u32; 6]),
    /// Base, then the top.
    Pyramid([u32; 5]),
    /// A triangle, then the one above.
    Prism([u32; 6]),
    Polyhedron(Vec<Vec<u32>>),
}

pub struct Node {
    pub kind: Kind,
    pub level: u8,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
}

pub struct Tree {
    pub nodes: Vec<Node>,
    /// Cells that are not refined, by their corners.
    pub leaves: BTreeMap<Vec<u32>, usize>,
    names: BTreeMap<Vec<u32>, u32>,
    pub points: u32,
    pub scheme: Scheme,
}

pub fn sorted(points: &[u32]) -> Vec<u32> {
    let mut points = points.to_vec();
    points.sort_unstable();
    points.dedup();
    points
}

fn edges(face: &[u32]) -> impl Iterator<Item = [u32; 2]> + '_ {
    face.iter().zip(face.iter().cycle().skip(1)).map(|(&a, &b)| [a, b])
}

impl Kind {
    pub fn faces(&self) -> Vec<Vec<u32>> {
        match self {
            Self::Polygon(corners) => vec![corners.clone()],
            Self::Tetrahedron(corners) => Cell::Tetrahedron(*corners).faces(),
            Self::Pyramid(corners) => Cell::Pyramid(*corners).faces(),
            Self::Prism(corners) => Cell::Prism(*corners).faces(),
            Self::Octahedron([top, a, b, c, d, bottom]) => {
                let ring = [a, b, c, d];
                let pair = |i: usize| (*ring[i], *ring[(i + 1) % 4]);
                (0..4).flat_map(|i| [vec![*top, pair(i).0, pair(i).1], vec![*bottom, pair(i).1, pair(i).0]]).collect()
            }
            Self::Polyhedron(faces) => faces.clone(),
        }
    }

    pub fn corners(&self) -> Vec<u32> {
        sorted(&self.faces().concat())
    }
}

impl Tree {
    pub fn new(points: u32, cells: Vec<Kind>, scheme: Scheme) -> Self {
        let mut tree = Self { nodes: Vec::new(), leaves: BTreeMap::new(), names: BTreeMap::new(), points, scheme };
        for kind in cells {
            tree.add(kind, 0, None);
        }
        tree
    }

    fn add(&mut self, kind: Kind, level: u8, parent: Option<usize>) -> usize {
        let node = self.nodes.len();
        assert!(self.leaves.insert(kind.corners(), node).is_none(), "two cells of the same corners");
        self.nodes.push(Node { kind, level, parent, children: Vec::new() });
        node
    }

    /// The point amid others.
    pub fn amid(&mut self, points: &[u32]) -> u32 {
        *self.names.entry(sorted(points)).or_insert_with(|| {
            self.points += 1;
            self.points - 1
        })
    }

    fn is_triangular(&self, face: &[u32]) -> bool {
        face.len() == 3 && self.scheme == Scheme::ByShape
    }

    /// The pieces of a face.
    fn pieces(&mut self, face: &[u32]) -> Vec<Vec<u32>> {
        let mids: Vec<u32> = edges(face).collect::<Vec<_>>().iter().map(|edge| self.amid(edge)).collect();
        let count = face.len();
        let before = |i: usize| (i + count - 1) % count;
        if self.is_triangular(face) {
            let mut pieces: Vec<Vec<u32>> = (0..3).map(|i| vec![face[i], mids[i], mids[before(i)]]).collect();
            pieces.push(mids);
            return pieces;
        }
        let centre = self.amid(face);
        (0..count).map(|i| vec![face[i], mids[i], centre, mids[before(i)]]).collect()
    }

    fn split(&mut self, kind: &Kind) -> Vec<Kind> {
        let by_shape = self.scheme == Scheme::ByShape;
        match kind {
            Kind::Tetrahedron(corners) if by_shape => self.split_tetrahedron(*corners),
            Kind::Octahedron(corners) => self.split_octahedron(*corners),
            Kind::Prism(corners) if by_shape => self.split_prism(*corners),
            Kind::Pyramid(corners) if by_shape => self.split_pyramid(*corners),
            Kind::Polygon(corners) => self.pieces(corners).into_iter().map(Kind::Polygon).collect(),
            other => self.split_by_corners(other),
        }
    }

    fn split_tetrahedron(&mut self, [a, b, c, d]: [u32; 4]) -> Vec<Kind> {
        let mut m = |points: &[u32]| self.amid(points);
        let [ab, ac, ad, bc, bd, cd] = [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].map(|pair| m(&pair));
        let mut out: Vec<Kind> =
            [[a, ab, ac, ad], [ab, b, bc, bd], [ac, bc, c, cd], [ad, bd, cd, d]].map(Kind::Tetrahedron).to_vec();
        // Opposite edges have opposite middles.
        out.push(Kind::Octahedron([ab, ac, ad, bd, bc, cd]));
        out
    }

    fn split_octahedron(&mut self, corners: [u32; 6]) -> Vec<Kind> {
        let mut m = |points: &[u32]| self.amid(points);
        let centre = m(&corners);
        let faces = Kind::Octahedron(corners).faces();
        let mut out = Vec::new();
        for corner in corners {
            // The ring of neighbours, in the order of the faces.
            let next = |from: u32| {
                faces.iter().find_map(|face| {
                    let place = face.iter().position(|&point| point == corner)?;
                    (face[(place + 1) % 3] == from).then_some(face[(place + 2) % 3])
                })
            };
            let first = corners.iter().copied().find(|&other| next(other).is_some()).unwrap();
            let ring: Vec<u32> = std::iter::successors(Some(first), |&from| next(from)).take(4).collect();
            let ring: Vec<u32> = ring.iter().map(|&other| m(&[corner, other])).collect();
            out.push(Kind::Octahedron([corner, ring[0], ring[1], ring[2], ring[3], centre]));
        }
        for face in &faces {
            let mids: Vec<u32> = edges(face).map(|edge| m(&edge)).collect();
            out.push(Kind::Tetrahedron([mids[0], mids[1], mids[2], centre]));
        }
        out
    }

    fn split_prism(&mut self, [a, b, c, d, e, f]: [u32; 6]) -> Vec<Kind> {
        let mut m = |points: &[u32]| self.amid(points);
        let low = [a, b, c];
        let high = [d, e, f];
        let layer =
            |t: [u32; 3], m: &mut dyn FnMut(&[u32]) -> u32| [m(&[t[0], t[1]]), m(&[t[1], t[2]]), m(&[t[2], t[0]])];
        let (low_mids, high_mids) = (layer(low, &mut m), layer(high, &mut m));
        let posts = [0, 1, 2].map(|i| m(&[low[i], high[i]]));
        let centres = [0, 1, 2].map(|i| {
            let j = (i + 1) % 3;
            m(&[low[i], low[j], high[i], high[j]])
        });
        let mut out = Vec::new();
        let levels = [(low, low_mids), (posts, centres), (high, high_mids)];
        for [below, above] in [[levels[0], levels[1]], [levels[1], levels[2]]] {
            let part = |(t, n): ([u32; 3], [u32; 3]), i: usize| [t[i], n[i], n[(i + 2) % 3]];
            for i in 0..3 {
                let [p, q] = [part(below, i), part(above, i)];
                out.push(Kind::Prism([p[0], p[1], p[2], q[0], q[1], q[2]]));
            }
            let (p, q) = (below.1, above.1);
            out.push(Kind::Prism([p[0], p[1], p[2], q[0], q[1], q[2]]));
        }
        out
    }

    fn split_pyramid(&mut self, [a, b, c, d, top]: [u32; 5]) -> Vec<Kind> {
        let mut m = |points: &[u32]| self.amid(points);
        let base = [a, b, c, d];
        let centre = m(&base);
        let feet = [0, 1, 2, 3].map(|i: usize| m(&[base[i], base[(i + 1) % 4]]));
        let sides = base.map(|corner| m(&[corner, top]));
        let mut out: Vec<Kind> =
            (0..4).map(|i| Kind::Pyramid([base[i], feet[i], centre, feet[(i + 3) % 4], sides[i]])).collect();
        out.push(Kind::Pyramid([sides[0], sides[1], sides[2], sides[3], top]));
        out.push(Kind::Pyramid([sides[3], sides[2], sides[1], sides[0], centre]));
        for i in 0..4 {
            out.push(Kind::Tetrahedron([feet[i], sides[i], sides[(i + 1) % 4], centre]));
        }
        out
    }

    /// A cell a corner.
    fn split_by_corners(&mut self, other: &Kind) -> Vec<Kind> {
        let faces = other.faces();
        let centre = self.amid(&other.corners());
        let mut out = Vec::new();
        for corner in other.corners() {
            let mut sides = Vec::new();
            for face in faces.iter().filter(|face| face.contains(&corner)) {
                let pieces = self.pieces(face);
                sides.extend(pieces.into_iter().find(|piece| piece[0] == corner));
                let place = face.iter().position(|&point| point == corner).unwrap();
                let other_end = face[(place + 1) % face.len()];
                let beyond = faces.iter().find(|face| edges(face).any(|edge| edge == [other_end, corner]));
                let [here, there] = [face, beyond.unwrap()].map(|face| self.amid(face));
                sides.push(vec![here, self.amid(&[corner, other_end]), there, centre]);
            }
            out.push(Kind::Polyhedron(sides));
        }
        out
    }

    /// Refines a leaf.
    pub fn refine(&mut self, node: usize) {
        let kind = self.nodes[node].kind.clone();
        self.leaves.remove(&kind.corners());
        let level = self.nodes[node].level + 1;
        let children = self.split(&kind);
        self.nodes[node].children = children.into_iter().map(|kind| self.add(kind, level, Some(node))).collect();
    }

    /// Merges a leaf with its siblings; tells whether it could.
    pub fn coarsen(&mut self, node: usize) -> bool {
        let Some(parent) = self.nodes[node].parent else { return false };
        let children = self.nodes[parent].children.clone();
        if children.iter().any(|&child| !self.nodes[child].children.is_empty()) {
            return false;
        }
        for child in children {
            self.leaves.remove(&self.nodes[child].kind.corners());
        }
        self.nodes[parent].children.clear();
        self.leaves.insert(self.nodes[parent].kind.corners(), parent);
        true
    }

    /// The nodes that are cells at a level, and those that are refined there.
    fn cut(&self, level: u8) -> (Vec<usize>, Vec<usize>) {
        let (mut cells, mut refined) = (Vec::new(), Vec::new());
        let mut stack: Vec<usize> = (0..self.nodes.len()).filter(|&node| self.nodes[node].parent.is_none()).collect();
        while let Some(node) = stack.pop() {
            if self.nodes[node].children.is_empty() || self.nodes[node].level == level {
                cells.push(node);
            } else {
                refined.push(node);
                stack.extend(&self.nodes[node].children);
            }
        }
        (cells, refined)
    }

    /// The faces of each cell at a level, in pieces where neighbours are finer.
    pub fn cells_at(&mut self, level: u8) -> Vec<Vec<Vec<u32>>> {
        let (cells, refined) = self.cut(level);
        let (mut split_faces, mut split_edges) = (BTreeSet::new(), BTreeSet::new());
        for node in refined {
            for face in self.nodes[node].kind.faces() {
                split_faces.insert(sorted(&face));
                split_edges.extend(edges(&face).map(|edge| sorted(&edge)));
            }
        }
        let mut out = Vec::new();
        for node in cells {
            let kind = self.nodes[node].kind.clone();
            let is_plane = matches!(kind, Kind::Polygon(_));
            let mut todo = kind.faces();
            let mut faces = Vec::new();
            while let Some(face) = todo.pop() {
                if !is_plane && split_faces.contains(&sorted(&face)) {
                    todo.extend(self.pieces(&face));
                    continue;
                }
                let mut ends: Vec<[u32; 2]> = edges(&face).collect();
                ends.reverse();
                let mut points = Vec::new();
                while let Some([a, b]) = ends.pop() {
                    if split_edges.contains(&sorted(&[a, b])) {
                        let middle = self.amid(&[a, b]);
                        ends.extend([[middle, b], [a, middle]]);
                    } else {
                        points.push(a);
                    }
                }
                faces.push(points);
            }
            out.push(faces);
        }
        out
    }

    /// A map from scratch.
    pub fn map2_at(&mut self, level: u8) -> Result<Built<2>, BuildError> {
        let polygons: Vec<Vec<u32>> = self.cells_at(level).into_iter().flatten().collect();
        Map2::from_polygons(self.points as usize, &polygons, Orient::Keep)
    }

    /// A map from scratch. Cells are turned as the first is, or all the other way.
    pub fn map3_at(&mut self, level: u8, mirrored: bool) -> Result<Built<3>, BuildError> {
        let cells: Vec<Cell> = self.cells_at(level).into_iter().map(Cell::Polyhedron).collect();
        let cells = if mirrored { cells.iter().map(Cell::mirrored).collect() } else { cells };
        Map3::from_cells(self.points as usize, &cells, Orient::Turn)
    }
}
