//! Refining volumes.
//!
//! In: a dart of a volume. Out: its pieces. Method: S4 §3.2.2, primal schemes: each edge that no volume round it has cut is
//! cut, each face that the volume beyond has not split is split on both sides, then walls part the volume
//! ([`shape`](super::shape)).
//! Guarantees: any volume may be refined at any time, whatever the levels beside it; its neighbours keep their shape and
//! get vertices on shared edges and edges on shared faces ([`hanging`](super::ImplicitMap::hanging)). Walls follow what
//! finer neighbours have cut already. Cost: O(darts of the volume and of the rings of its edges), and of the neighbours too
//! where cells are numbered.

use super::implicit::{ImplicitMap, MAX_LEVEL, NewVertex, Refined};
use super::shape::{End, Plan, Shape};
use super::{MultiresError, Multiresolution};
use crate::{CombinatorialMap, Dart, Orbit};

/// A volume as it was before it is refined: its darts of its own level, and their numbering.
struct Block {
    darts: Vec<Dart>,
    shape: Shape,
    below: u8,
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
        let (others, centre, walls) = self.raise_walls(&block, &plan, level);
        vertices.extend(centre.map(|dart| NewVertex { dart, amid: Orbit::Volume, of: darts[0] }));
        let mut cells: Vec<Dart> = vec![Dart(0); shape.counts[0] as usize];
        for (&dart, &vertex) in darts.iter().zip(&shape.vertex).rev() {
            cells[vertex as usize] = dart;
        }
        cells.extend(others);
        // Beyond the edges that were cut, faces and volumes have new darts.
        for place in 0..seeds.len() {
            seeds.push(self.map.phi1(seeds[place]));
        }
        seeds.extend_from_slice(darts);
        seeds.extend(walls);
        self.map.settle(&seeds);
        Ok(Refined { level, cells, vertices })
    }

    /// Takes the measure of a volume.
    fn block(&mut self, dart: Dart) -> Result<Block, MultiresError> {
        let mut walker = std::mem::take(&mut self.walker);
        let all = walker.orbit(&self.map, Orbit::Volume, dart);
        let below = self.volume_level(all);
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
            // Half the ring of the edge, seen from both its darts; both sides of a face; walls, with what is cut already.
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
            // The dart beyond of corner `i`'s edge has place `count - 1 - i`. In triangles, what cuts a corner off meets
            // what cuts it off on the other side: there the corner has the edge before.
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

    /// Puts the walls in; gives a dart of each piece without a corner, one at the centre if there is one, and all new ones.
    fn raise_walls(&mut self, block: &Block, plan: &Plan, level: u8) -> (Vec<Dart>, Option<Dart>, Vec<Dart>) {
        let [to, back]: [Vec<Vec<Dart>>; 2] = {
            let to: Vec<Dart> = block.darts.iter().map(|&dart| self.phi1_at(dart, level)).collect();
            let back: Vec<Dart> = to.iter().map(|&dart| self.phi2_at(dart, level)).collect();
            [to, back].map(|darts| darts.into_iter().map(|dart| self.pieces(dart, level)).collect())
        };
        let split = |dart: usize, is_back: bool| if is_back { &back[dart] } else { &to[dart] };
        // For each edge of each wall the darts in front, in order, and those at the back, each beside its own.
        let mut sides: Vec<Vec<[Vec<Dart>; 2]>> = Vec::with_capacity(plan.walls.len());
        let (mut all, mut centre) = (Vec::new(), None);
        for wall in &plan.walls {
            let mut edges = Vec::with_capacity(wall.cycle.len());
            for (place, &from) in wall.cycle.iter().enumerate() {
                let until = wall.cycle[(place + 1) % wall.cycle.len()];
                let cut = plan.split.binary_search_by_key(&[from, until], |&(key, _)| key).ok();
                let starts: Vec<u8> = match cut.map(|cut| plan.split[cut].1) {
                    Some(End::Face { dart, is_back }) => {
                        split(dart, is_back).iter().map(|&dart| self.level(dart).max(level)).collect()
                    }
                    _ => vec![level],
                };
                let ends = starts.iter().copied().skip(1).chain([level]);
                let front: Vec<Dart> = starts.iter().map(|&start| self.new_dart(false, start, level, level)).collect();
                let rear: Vec<Dart> = ends.map(|end| self.new_dart(false, end, level, level)).collect();
                for (&dart, &other) in front.iter().zip(&rear) {
                    self.map.link3(dart, other);
                }
                if centre.is_none() && plan.has_centre && from == block.shape.counts.iter().sum::<u32>() {
                    centre = Some(front[0]);
                }
                all.extend(front.iter().chain(&rear));
                edges.push([front, rear]);
            }
            self.close_wall(&edges);
            sides.push(edges);
        }
        let ends = |end: End| -> Vec<Dart> {
            match end {
                End::Face { dart, is_back } => split(dart, is_back).clone(),
                End::Wall { wall, place, is_back: false } => sides[wall][place][0].clone(),
                End::Wall { wall, place, is_back: true } => sides[wall][place][1].iter().rev().copied().collect(),
            }
        };
        for &[one, other] in &plan.joins {
            for (dart, beside) in ends(one).into_iter().zip(ends(other).into_iter().rev()) {
                self.map.link2(dart, beside);
            }
        }
        let others = plan.others.iter().map(|&end| ends(end)[0]).collect();
        (others, centre, all)
    }

    /// Links the darts of both sides of a wall round.
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
