//! Extent of an entity: the cells that contain it.
//!
//! In: the points of an entity, each in its cell. Out: the cells that it is in.
//! Method: S4 §5.3 and §5.5: a probe, a particle with a memory, runs along each side. If both ends are inside one
//! convex cell, no probe is needed. A search finds a triangle's inside: it starts from the cells of the sides and adds
//! neighbours that an exact predicate finds to meet it. At a level coarser than the cells, all cells that one cell of
//! that level became count.
//! Guarantees: all cells whose closure the entity meets, and no others; a particle is in the cell of its point only,
//! even if it is on the border of that cell. A side that leaves the map is followed from both ends up to the border;
//! cells between are not found. Cost: O(cells found), and for insides O(their neighbours).

use super::NONE;
use super::geometry::Geometry;
use crate::multires::ImplicitMap;
use crate::track::{MoveEnd, Particle, Probe};
use crate::{CombinatorialMap, Dart, Orbit, Walker};

/// Inputs of a measure.
pub(super) struct Ground<'a, const D: usize, G> {
    pub map: &'a ImplicitMap<D>,
    pub geometry: &'a G,
}

/// The last measure, with buffers that are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Extent {
    /// The cells found, ascending.
    pub cells: Vec<u32>,
    /// One cell of its level holds all of it.
    pub is_single: bool,
    /// A side for which neither end's probe returns a result.
    pub is_lost: bool,
    probe: Probe,
    walker: Walker,
    darts: Vec<Dart>,
    blocks: Vec<u32>,
}

impl Extent {
    /// Finds the cells of an entity over one, two or three points, registered at `finest` or coarser.
    pub fn measure<const D: usize, G: Geometry<D>>(
        &mut self,
        ground: &Ground<'_, D, G>,
        points: &[Particle<G::Point>],
        finest: u8,
        is_whole: bool,
    ) {
        let map = ground.map.map();
        self.cells.clear();
        self.is_lost = false;
        self.cells.extend(points.iter().map(|particle| map.id(G::CELL, particle.dart)));
        if let &[a, b] = points {
            self.send(ground, &a, &b);
        } else if let &[a, b, c] = points {
            [[a, b], [b, c], [c, a]].iter().for_each(|[from, to]| self.send(ground, from, to));
            self.sort();
            if is_whole && (self.cells.len() > 1 || !G::IS_CONVEX) {
                self.fill(ground, [a, b, c].map(|point| point.position));
            }
        }
        self.sort();
        self.is_single = self.cells.len() == 1;
        if finest < u8::MAX {
            self.widen(ground.map, G::CELL, finest);
        }
    }

    fn sort(&mut self) {
        self.cells.sort_unstable();
        self.cells.dedup();
    }

    /// Runs a probe from one point to another; if it does not arrive, also in the opposite direction.
    fn send<const D: usize, G: Geometry<D>>(
        &mut self,
        ground: &Ground<'_, D, G>,
        from: &Particle<G::Point>,
        to: &Particle<G::Point>,
    ) {
        let mut is_lost = true;
        for [from, to] in [[from, to], [to, from]] {
            let end = ground.geometry.probe(ground.map.map(), &mut self.probe, from, to);
            self.cells.extend_from_slice(self.probe.cells());
            is_lost &= end.is_err();
            if end == Ok(MoveEnd::Arrived) {
                break;
            }
        }
        self.is_lost |= is_lost;
    }

    /// Searches from the cells of the sides of a triangle for cells that only its inside meets.
    fn fill<const D: usize, G: Geometry<D>>(&mut self, ground: &Ground<'_, D, G>, triangle: [G::Point; 3]) {
        let map = ground.map.map();
        let Some(ids) = map.cell_ids(G::CELL) else { return };
        let mut candidates: Vec<u32> = self.cells.clone();
        let mut near = Walker::new();
        let mut place = 0;
        while let Some(&cell) = self.cells.get(place) {
            place += 1;
            let Some(dart) = ids.dart(cell) else { continue };
            for &dart in near.adjacent(map, dart, G::CELL, Orbit::Vertex) {
                let other = ids.of(dart);
                if let Err(gap) = candidates.binary_search(&other) {
                    candidates.insert(gap, other);
                    if ground.geometry.meets_inside(map, dart, triangle, &mut self.walker) {
                        self.cells.push(other);
                    }
                }
            }
        }
    }

    /// Adds to each cell all cells that came from the same cell of a level.
    fn widen<const D: usize>(&mut self, map: &ImplicitMap<D>, kind: Orbit, level: u8) {
        let plain = map.map();
        let Some(ids) = plain.cell_ids(kind) else { return };
        self.blocks.clear();
        let mut blocks = 0;
        for place in 0..self.cells.len() {
            let cell = self.cells[place];
            if self.blocks.contains(&cell) {
                continue;
            }
            blocks += 1;
            let Some(dart) = ids.dart(cell) else { continue };
            self.walker.begin(plain);
            self.darts.clear();
            self.darts.extend_from_slice(self.walker.extend(plain, kind, dart));
            self.blocks.push(cell);
            let mut next = 0;
            while let Some(&dart) = self.darts.get(next) {
                next += 1;
                if map.wall_level(dart) > level {
                    let other = if D == 2 { plain.phi2(dart) } else { plain.phi3(dart) };
                    let more = self.walker.extend(plain, kind, other);
                    if !more.is_empty() {
                        self.darts.extend_from_slice(more);
                        self.blocks.push(ids.of(other));
                    }
                }
            }
        }
        std::mem::swap(&mut self.cells, &mut self.blocks);
        self.sort();
        self.is_single = blocks == 1;
    }
}

/// Returns the points of an entity.
pub(super) fn corners(points: &[u32; 3]) -> &[u32] {
    let count = points.iter().position(|&point| point == NONE).unwrap_or(3);
    &points[..count]
}
