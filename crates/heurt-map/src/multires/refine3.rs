//! Refinement of volumes.
//!
//! In: a dart of a volume. Out: its pieces. Method: S4 §3.2.2, primal schemes. Each edge that no volume around it has
//! cut is cut, each face that the volume beyond has not split is split on both sides, then walls divide the volume
//! ([`shape`](super::shape)).
//! Guarantees: any volume may be refined at any time, for any levels next to it; its neighbours keep their shape and
//! get vertices on shared edges and edges on shared faces ([`hanging`](super::ImplicitMap::hanging)). Walls follow the
//! cuts that finer neighbours have made already. Cost: O(darts of the volume and of the rings of its edges), and of the
//! neighbours too if cells are numbered.

use super::implicit::{ImplicitMap, MAX_LEVEL, NewVertex, Refined};
use super::shape::{Plan, Shape, ShapeEnd};
use super::{MultiresError, Multiresolution};
use crate::{CombinatorialMap, Dart, Orbit};

/// A volume before refinement: its darts of its own level, and their numbering.
struct Block {
    darts: Vec<Dart>,
    shape: Shape,
    below: u8,
}

/// The darts of the walls and split edges between the pieces.
struct Raised {
    /// For each dart of the block, the darts that splitting its face put at the middle of its edge: there, and back.
    split: [Vec<Vec<Dart>>; 2],
    /// For each edge of each wall the darts in front, in order, and the darts at the back, each next to its front dart.
    sides: Vec<Vec<[Vec<Dart>; 2]>>,
}

impl Raised {
    /// Returns the darts of an end, in the order in which they run.
    fn ends(&self, end: ShapeEnd) -> Vec<Dart> {
        match end {
            ShapeEnd::Face { dart, is_back } => self.split[usize::from(is_back)][dart].clone(),
            ShapeEnd::Wall { wall, place, is_back: false } => self.sides[wall][place][0].clone(),
            ShapeEnd::Wall { wall, place, is_back: true } => self.sides[wall][place][1].iter().rev().copied().collect(),
        }
    }
}

impl<const D: usize> ImplicitMap<D> {
    /// Refines the finest volume of `dart` by one level.
    pub(super) fn refine_volume(&mut self, dart: Dart) -> Result<Refined, MultiresError> {
        self.map.check_inner(dart)?;
        let block = self.block(dart)?;
        let Block { darts, shape, below } = &block;
        let plan = match shape.plan() {
            Some(Some(plan)) => plan,
            Some(None) => return Err(MultiresError::Degenerate { dart }),
            None => {
                let [faces, triangles] = shape.face_counts();
                return Err(MultiresError::NoScheme { dart, faces, triangles });
            }
        };
        self.check_room_for(darts, *below)?;
        let level = below + 1;
        let mut vertices = Vec::new();
        let mut seeds = Vec::new();
        for &dart in darts {
            if self.level(self.map.phi2(dart)) <= *below {
                seeds.extend(self.cut_line(dart, level).into_iter().flatten());
                vertices.push(NewVertex { dart: self.map.phi1(dart), amid: Orbit::Edge, of: dart });
            }
        }
        for &dart in darts {
            if self.face_level(dart) <= *below {
                let corners: Vec<Dart> = self.at(*below).face_darts(dart).collect();
                let new = self.split_face_at(&corners, level);
                if !self.is_triangular(corners.len()) {
                    vertices.push(NewVertex { dart: new[0][1], amid: Orbit::Face, of: dart });
                }
                seeds.extend(new.into_iter().flatten().flat_map(|dart| [dart, self.map.phi3(dart)]));
            }
        }
        let raised = self.raise_walls(&block, &plan, level);
        let centre = plan.centre.map(|(wall, place)| raised.sides[wall][place][0][0]);
        vertices.extend(centre.map(|dart| NewVertex { dart, amid: Orbit::Volume, of: darts[0] }));
        let mut cells: Vec<Dart> = vec![Dart(0); shape.counts[0] as usize];
        for (&dart, &vertex) in darts.iter().zip(&shape.vertex).rev() {
            cells[vertex as usize] = dart;
        }
        cells.extend(plan.others.iter().map(|&end| raised.ends(end)[0]));
        // Beyond the cut edges, faces and volumes have new darts.
        for place in 0..seeds.len() {
            seeds.push(self.map.phi1(seeds[place]));
        }
        seeds.extend_from_slice(darts);
        seeds.extend(raised.sides.into_iter().flatten().flatten().flatten());
        self.map.settle(&seeds);
        Ok(Refined { level, cells, vertices })
    }

    /// Collects the darts and the shape of a volume.
    fn block(&mut self, dart: Dart) -> Result<Block, MultiresError> {
        let mut walker = std::mem::take(&mut self.walker);
        let all = walker.orbit(&self.map, Orbit::Volume, dart);
        let below = self.cell_level(all);
        let mut darts: Vec<Dart> = all.iter().copied().filter(|&dart| self.level(dart) <= below).collect();
        self.walker = walker;
        if below >= MAX_LEVEL {
            return Err(MultiresError::TooDeep { dart, level: below });
        }
        darts.sort_unstable();
        let number = |of: Dart| darts.binary_search(&of).map_err(|_| MultiresError::Degenerate { dart });
        let next = darts.iter().map(|&dart| number(self.phi1_at(dart, below))).collect::<Result<Vec<usize>, _>>()?;
        let twin = darts.iter().map(|&dart| number(self.phi2_at(dart, below))).collect::<Result<Vec<usize>, _>>()?;
        let short = (0..darts.len()).find(|&dart| next[next[dart]] == dart);
        if let Some(short) = short {
            let edges = if next[short] == short { 1 } else { 2 };
            return Err(MultiresError::TooFewEdges { dart: darts[short], edges });
        }
        let shape = Shape::new(next, twin, |edges| self.is_triangular(edges));
        Ok(Block { darts, shape, below })
    }

    /// Checks that there are numbers for the darts that refining brings.
    fn check_room_for(&self, darts: &[Dart], below: u8) -> Result<(), MultiresError> {
        let mut more = 0;
        for &dart in darts {
            // Half the ring of the edge, seen from both its darts; both sides of a face; walls, with the cuts that
            // exist already.
            more += self.ring(dart).len() + 4;
            more += 8 * (1 + self.pieces(dart, below).len());
        }
        more += 2 * darts.len();
        Ok(self.map.check_room(more)?)
    }

    /// Splits both sides of a face whose edges are all cut at `level`, given by its corners on one side.
    fn split_face_at(&mut self, corners: &[Dart], level: u8) -> Vec<[Dart; 2]> {
        let count = corners.len();
        let mut beyond: Vec<Dart> = corners.iter().map(|&dart| self.phi3_at(dart, level - 1)).collect();
        beyond.reverse(); // The other side runs the other way.
        let here = self.split_side(corners, level);
        let there = self.split_side(&beyond, level);
        for (place, &[to, back]) in here.iter().enumerate() {
            // The dart beyond the edge of corner `i` has place `count - 1 - i`. In triangles, the edge that cuts a
            // corner off meets the edge that cuts it off on the opposite side: there the corner has the previous edge.
            if self.is_triangular(count) {
                let [other_to, other_back] = there[count - 1 - (place + count - 1) % count];
                self.map.link3(to, other_to);
                self.map.link3(back, other_back);
            } else {
                let [other_to, other_back] = there[count - 1 - place];
                self.map.link3(to, other_back);
                self.map.link3(back, other_to);
            }
        }
        here
    }

    /// Inserts the walls.
    fn raise_walls(&mut self, block: &Block, plan: &Plan, level: u8) -> Raised {
        let to: Vec<Dart> = block.darts.iter().map(|&dart| self.phi1_at(dart, level)).collect();
        let back: Vec<Dart> = to.iter().map(|&dart| self.phi2_at(dart, level)).collect();
        let split = [to, back].map(|darts| darts.into_iter().map(|dart| self.pieces(dart, level)).collect());
        let mut raised = Raised { split, sides: Vec::with_capacity(plan.walls.len()) };
        for wall in &plan.walls {
            let edges = wall.cycle.iter().enumerate().map(|(place, &from)| {
                let until = wall.cycle[(place + 1) % wall.cycle.len()];
                let cut = plan.split.binary_search_by_key(&[from, until], |&(key, _)| key);
                self.raise_edge(cut.map(|cut| raised.ends(plan.split[cut].1)).unwrap_or_default(), level)
            });
            let edges: Vec<[Vec<Dart>; 2]> = edges.collect();
            self.close_wall(&edges);
            raised.sides.push(edges);
        }
        for &[one, other] in &plan.joins {
            for (dart, beside) in raised.ends(one).into_iter().zip(raised.ends(other).into_iter().rev()) {
                self.map.link2(dart, beside);
            }
        }
        raised
    }

    /// Makes both sides of an edge of a wall: in as many pieces as the edge of a face that runs in the same direction,
    /// or whole. Returns the darts in front, in order, and the darts at the back, each next to its front dart.
    fn raise_edge(&mut self, along: Vec<Dart>, level: u8) -> [Vec<Dart>; 2] {
        // A dart is of the level of the vertex at which it starts, or of the level of the wall.
        let mut starts: Vec<u8> = along.into_iter().map(|dart| self.level(dart).max(level)).collect();
        if starts.is_empty() {
            starts.push(level);
        }
        let ends: Vec<u8> = starts.iter().copied().skip(1).chain([level]).collect();
        let [front, rear] = [starts, ends]
            .map(|levels| levels.into_iter().map(|own| self.new_dart(false, own, level, level)).collect());
        let sides: [Vec<Dart>; 2] = [front, rear];
        for (&dart, &other) in sides[0].iter().zip(&sides[1]) {
            self.map.link3(dart, other);
        }
        sides
    }

    /// Links the darts of both sides of a wall into cycles.
    fn close_wall(&mut self, edges: &[[Vec<Dart>; 2]]) {
        let [front, rear]: [Vec<Dart>; 2] =
            [0, 1].map(|side| edges.iter().flat_map(|edge| edge[side].iter().copied()).collect());
        for place in 0..front.len() {
            let next = (place + 1) % front.len();
            self.map.link1(front[place], front[next]);
            self.map.link1(rear[next], rear[place]);
        }
    }
}
