//! Partition of a polyhedron into pieces: the walls between them, and the faces that meet along their edges.
//!
//! In: a polyhedron by its darts, numbered from 0. Out: the walls between its pieces and which sides are φ₂ of each
//! other.
//! Method: the points are the corners, then the middles of edges, then the centres of faces, then the centre. A piece
//! is bounded by parts of the faces and by sides of walls; along each of its edges two of them meet, which are found by
//! the edge's points. Tetrahedra leave an octahedron, octahedra six octahedra and eight tetrahedra, prisms eight
//! prisms, pyramids six pyramids and four tetrahedra; else each corner has a piece.
//! Guarantees: a plan in which every end meets exactly one other end, or `None`. Cost: O(n log n) over the edges of
//! pieces.

/// A polyhedron: for each dart the next around its face, the opposite dart along its edge in the neighbouring face, and
/// its vertex, edge and face.
#[derive(Debug)]
pub(super) struct Shape {
    pub next: Vec<usize>,
    pub twin: Vec<usize>,
    pub vertex: Vec<u32>,
    pub edge: Vec<u32>,
    pub face: Vec<u32>,
    /// Numbers of vertices, edges and faces.
    pub counts: [u32; 3],
    /// For each face, whether it is a triangle that is refined into triangles.
    pub triangular: Vec<bool>,
}

/// A face between two pieces: its points, counter-clockwise seen from the piece in front.
#[derive(Debug)]
pub(super) struct ShapeWall {
    pub cycle: Vec<u32>,
    pub front: u32,
    pub back: u32,
}

/// An edge of a piece on one of its faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ShapeEnd {
    /// The dart that splits a face from the middle of the edge of this dart, or back.
    Face { dart: usize, is_back: bool },
    /// An edge of a wall, seen from the front or from the back.
    Wall { wall: usize, place: usize, is_back: bool },
}

/// The pieces of a polyhedron: one for each corner, then others.
#[derive(Debug)]
pub(super) struct Plan {
    pub walls: Vec<ShapeWall>,
    /// The two ends that meet along an edge of a piece.
    pub joins: Vec<[ShapeEnd; 2]>,
    /// For each piece without a corner, an edge of it.
    pub others: Vec<ShapeEnd>,
    /// The splitting edges from point to point, ascending.
    pub split: Vec<([u32; 2], ShapeEnd)>,
    /// An edge of a wall that starts at the centre, if there is a vertex: wall and place.
    pub centre: Option<(usize, usize)>,
}

impl Shape {
    /// Numbers the cells of a polyhedron that is given by links.
    pub fn new(next: Vec<usize>, twin: Vec<usize>, is_triangular: impl Fn(usize) -> bool) -> Self {
        let count = next.len();
        let orbits = |step: &dyn Fn(usize) -> usize| {
            let (mut of, mut found) = (vec![u32::MAX; count], 0);
            for start in 0..count {
                let mut dart = start;
                while of[dart] == u32::MAX {
                    of[dart] = found;
                    dart = step(dart);
                }
                found += u32::from(of[start] == found);
            }
            (of, found)
        };
        let (vertex, vertices) = orbits(&|dart| next[twin[dart]]);
        let (edge, edges) = orbits(&|dart| twin[dart]);
        let (face, faces) = orbits(&|dart| next[dart]);
        let mut degrees = vec![0; faces as usize];
        for &face in &face {
            degrees[face as usize] += 1;
        }
        let triangular = degrees.into_iter().map(is_triangular).collect();
        Self { next, twin, vertex, edge, face, counts: [vertices, edges, faces], triangular }
    }

    fn darts(&self) -> std::ops::Range<usize> {
        0..self.next.len()
    }

    fn mid(&self, dart: usize) -> u32 {
        self.counts[0] + self.edge[dart]
    }

    fn face_centre(&self, dart: usize) -> u32 {
        self.counts[0] + self.counts[1] + self.face[dart]
    }

    fn centre(&self) -> u32 {
        self.counts.iter().sum()
    }

    fn is_triangle(&self, dart: usize) -> bool {
        self.triangular[self.face[dart] as usize]
    }

    /// Returns the previous dart, of a triangle.
    fn before(&self, dart: usize) -> usize {
        self.next[self.next[dart]]
    }

    /// Returns the number of faces and the number of triangles that stay triangles.
    pub fn face_counts(&self) -> [usize; 2] {
        [self.triangular.len(), self.triangular.iter().filter(|&&is| is).count()]
    }

    /// Plans the pieces; `None` if no scheme fits, `Some(None)` if the polyhedron touches itself.
    pub fn plan(&self) -> Option<Option<Plan>> {
        let vertices = self.counts[0];
        let piece_of_face = |dart: usize| vertices + self.face[dart];
        // The walls, the piece of the middle triangle of each face, and the number of pieces without a corner.
        let (walls, middle, others): (Vec<ShapeWall>, Vec<u32>, u32) = match self.face_counts() {
            [_, 0] => (self.corner_walls(), Vec::new(), 0),
            [4, 4] => (self.cut_corners(vertices, |_| true), vec![vertices; 4], 1),
            [faces, triangles] if faces == triangles => {
                let walls = self.darts().map(|dart| ShapeWall {
                    cycle: vec![self.mid(self.before(dart)), self.mid(dart), self.centre()],
                    front: self.vertex[dart],
                    back: piece_of_face(dart),
                });
                (walls.collect(), (0..self.counts[2]).map(|face| vertices + face).collect(), self.counts[2])
            }
            [5, 2] if self.is_prism() => self.prism(),
            [5, 4] if self.is_pyramid() => self.pyramid(),
            _ => return None,
        };
        Some(self.join(walls, &middle, others))
    }

    /// Makes a quad for each edge, from its middle by the centres of its faces to the centre: a piece for each corner.
    fn corner_walls(&self) -> Vec<ShapeWall> {
        let edges = self.darts().filter(|&dart| dart < self.twin[dart]);
        let quad = |dart: usize| ShapeWall {
            cycle: vec![self.face_centre(dart), self.mid(dart), self.face_centre(self.twin[dart]), self.centre()],
            front: self.vertex[dart],
            back: self.vertex[self.twin[dart]],
        };
        edges.map(quad).collect()
    }

    /// Makes a face through the middles of the edges at each corner that `at` selects.
    fn cut_corners(&self, back: u32, at: impl Fn(usize) -> bool) -> Vec<ShapeWall> {
        let first = |dart: usize| self.darts().find(|&other| self.vertex[other] == self.vertex[dart]) == Some(dart);
        let corners = self.darts().filter(|&dart| first(dart) && at(dart));
        let cut = |start: usize| {
            let mut cycle = vec![self.mid(start)];
            let mut dart = self.next[self.twin[start]];
            while dart != start {
                cycle.push(self.mid(dart));
                dart = self.next[self.twin[dart]];
            }
            ShapeWall { cycle, front: self.vertex[start], back }
        };
        corners.map(cut).collect()
    }

    fn is_prism(&self) -> bool {
        let are_separate = self.darts().all(|dart| !(self.is_triangle(dart) && self.is_triangle(self.twin[dart])));
        are_separate && self.counts == [6, 9, 5]
    }

    /// Makes eight prisms: one at each corner, and above and below the middle one without.
    fn prism(&self) -> (Vec<ShapeWall>, Vec<u32>, u32) {
        let mut middle = vec![0; self.counts[2] as usize];
        let is_first = |dart: usize| dart < self.next[dart] && dart < self.before(dart);
        let starts: Vec<usize> = self.darts().filter(|&dart| self.is_triangle(dart) && is_first(dart)).collect();
        for (piece, &start) in (self.counts[0]..).zip(&starts) {
            middle[self.face[start] as usize] = piece;
        }
        let side = |dart: usize| self.face_centre(self.twin[dart]);
        let mut walls: Vec<ShapeWall> = Vec::new();
        for dart in self.darts().filter(|&dart| self.is_triangle(dart)) {
            let before = self.before(dart);
            walls.push(ShapeWall {
                cycle: vec![self.mid(before), self.mid(dart), side(dart), side(before)],
                front: self.vertex[dart],
                back: middle[self.face[dart] as usize],
            });
        }
        let upright = |dart: usize| !self.is_triangle(dart) && !self.is_triangle(self.twin[dart]);
        for dart in self.darts().filter(|&dart| upright(dart) && dart < self.twin[dart]) {
            walls.push(ShapeWall {
                cycle: vec![self.face_centre(dart), self.mid(dart), self.face_centre(self.twin[dart])],
                front: self.vertex[dart],
                back: self.vertex[self.twin[dart]],
            });
        }
        if let Some(&start) = starts.first() {
            let before = self.before(start);
            walls.push(ShapeWall {
                cycle: vec![side(start), side(before), side(self.before(before))],
                front: self.counts[0],
                back: self.counts[0] + 1,
            });
        }
        (walls, middle, 2)
    }

    fn is_pyramid(&self) -> bool {
        let base = self.darts().filter(|&dart| !self.is_triangle(dart));
        base.clone().count() == 4
            && base.clone().all(|dart| self.is_triangle(self.twin[dart]))
            && self.counts == [5, 8, 5]
    }

    /// Makes six pyramids (one at each corner, one upside down below the top one) and a tetrahedron at each triangle.
    fn pyramid(&self) -> (Vec<ShapeWall>, Vec<u32>, u32) {
        let turned = self.counts[0];
        let at_base = |vertex: u32| self.darts().any(|dart| self.vertex[dart] == vertex && !self.is_triangle(dart));
        let mut walls = self.cut_corners(turned, |dart| !at_base(self.vertex[dart]));
        let mut middle = vec![0; self.counts[2] as usize];
        for (piece, dart) in (turned + 1..).zip(self.darts().filter(|&dart| !self.is_triangle(dart))) {
            let down = self.twin[dart];
            let [up, over] = [self.next[down], self.before(down)];
            middle[self.face[down] as usize] = piece;
            let [foot, left, right] = [dart, up, over].map(|dart| self.mid(dart));
            let centre = self.face_centre(dart);
            walls.push(ShapeWall { cycle: vec![centre, foot, left], front: self.vertex[dart], back: piece });
            walls.push(ShapeWall { cycle: vec![right, foot, centre], front: self.vertex[down], back: piece });
            walls.push(ShapeWall { cycle: vec![right, left, centre], front: piece, back: turned });
        }
        (walls, middle, 5)
    }

    /// Finds the ends that meet along every edge of every piece.
    fn join(&self, walls: Vec<ShapeWall>, middle: &[u32], others: u32) -> Option<Plan> {
        let mut ends: Vec<([u32; 3], ShapeEnd)> = Vec::new();
        let mut split: Vec<([u32; 2], ShapeEnd)> = Vec::new();
        for dart in self.darts() {
            let (from, to, beyond) = match self.is_triangle(dart) {
                true => (self.mid(dart), self.mid(self.before(dart)), middle[self.face[dart] as usize]),
                false => (self.mid(dart), self.face_centre(dart), self.vertex[self.next[dart]]),
            };
            let [there, back] = [false, true].map(|is_back| ShapeEnd::Face { dart, is_back });
            ends.extend([([self.vertex[dart], from, to], there), ([beyond, to, from], back)]);
            split.extend([([from, to], there), ([to, from], back)]);
        }
        for (number, wall) in walls.iter().enumerate() {
            for (place, &from) in wall.cycle.iter().enumerate() {
                let to = wall.cycle[(place + 1) % wall.cycle.len()];
                ends.push(([wall.front, from, to], ShapeEnd::Wall { wall: number, place, is_back: false }));
                ends.push(([wall.back, to, from], ShapeEnd::Wall { wall: number, place, is_back: true }));
            }
        }
        ends.sort_unstable();
        split.sort_unstable();
        if ends.windows(2).any(|pair| pair[0].0 == pair[1].0) || split.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let mut joins = Vec::with_capacity(ends.len() / 2);
        for &([piece, from, to], end) in &ends {
            let other = ends[ends.binary_search_by_key(&[piece, to, from], |&(key, _)| key).ok()?].1;
            if from == to || matches!([end, other], [ShapeEnd::Face { .. }, ShapeEnd::Face { .. }]) {
                return None;
            }
            if from < to {
                joins.push([end, other]);
            }
        }
        let first = |piece: u32| ends.get(ends.partition_point(|&([other, ..], _)| other < piece)).map(|&(_, end)| end);
        let others = (0..others).map(|other| first(self.counts[0] + other)).collect::<Option<Vec<ShapeEnd>>>()?;
        let at_centre = |wall: &ShapeWall| wall.cycle.iter().position(|&point| point == self.centre());
        let centre = walls.iter().enumerate().find_map(|(number, wall)| Some((number, at_centre(wall)?)));
        Some(Plan { walls, joins, others, split, centre })
    }
}
