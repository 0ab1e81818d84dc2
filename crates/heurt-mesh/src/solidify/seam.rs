//! Seam matching: pairs of open edges that lie within a tolerance of each other, and the merge of their ends.
//!
//! In: a mesh, the original positions of its vertices, a tolerance. Out: the mesh with the vertices of matched edges
//! merged.
//! Method: an edge whose half-edges do not cancel is a *gap*, directed as the half-edges in excess. Gaps are indexed by
//! their midpoints in a sorted grid of cells: midpoints, unlike vertices, do not crowd at the apex of a cone of
//! separate facets. Each gap proposes its [`NEAREST`] partners whose ends are within the tolerance of its own.
//! Proposals are accepted greedily, while both partners have half-edges left and the ends may merge (`clusters`): by
//! decade of the distance, then opposite directions before equal ones, then by distance. Equal directions only match
//! between edges with an odd number of triangles: one of the two facets is inside out, and a later step turns it. They
//! rank one decade farther, since distances within a decade differ by chance. Rounds repeat until no vertex merges.
//! Guarantees: the number of open edges never rises: merging two edges adds their half-edges up. Clusters are as
//! `clusters` states, measured on the original positions over all rounds.
//! Not guaranteed: the best matching. At most [`SCANNED`] gaps near each gap are examined.
//! Cost: O(n log n) per round.

use heurt_geometry::{Aabb, Vec3, is_degenerate};
use rayon::prelude::*;

use super::clusters::Clusters;
use super::indexed::Indexed;
use super::{Census, SolidifyError, distance};
use crate::weld::{cells_near, half_distance_sq, within};
use crate::{Edge, Topology};

/// Partners that a gap proposes. An edge where two solids touch has 3 candidates; more are duplicates.
const NEAREST: usize = 8;
/// Gaps of its cell examined for one gap, those with the nearest numbers: bounds the work where all lie in a few cells.
const SCANNED: usize = 512;
/// Tolerances to a cell: wide cells make it rare that a gap enters more than one, and few other gaps are as near as
/// that.
const CELL_WIDTH: f64 = 16.0;
/// Biased binary exponent of the squared distances, over twice the tolerance, below which all are alike: 2⁻⁴⁰, a
/// millionth of the tolerance, is the rounding error of `f64` next to seams of `f32`.
const MIN_EXPONENT: u64 = 1023 - 40;
/// Binary exponents of squared distances to a decade: distances that differ by less than a factor of 16 may be the same
/// rounding error by chance.
const DECADE: u64 = 8;
/// Cells to a task.
const RUNS: usize = 1024;
/// Rounds of matching with one tolerance; the second usually finds nothing left.
const ROUNDS: usize = 16;
/// A vertex that is on no gap.
const NONE: u32 = u32::MAX;

/// Merges vertices of a mesh until nothing changes; returns the number of open edges that are left, or `None` if no
/// vertex merged. `original` are the positions before any merge, `tolerance` is in metres and above 0.
///
/// If `is_strict`, an edge between vertices of gaps within the tolerance is an error; else its ends just stay separate.
pub(super) fn weld(
    mesh: &mut Indexed,
    original: &[Vec3],
    tolerance: f64,
    is_strict: bool,
) -> Result<Option<usize>, SolidifyError> {
    let mut is_changed = false;
    for _ in 0..ROUNDS {
        let moves = mesh.with_topology(|topology| moves(topology, original, tolerance, is_strict))?;
        if moves.is_empty() {
            break;
        }
        is_changed = true;
        mesh.move_vertices(&moves);
    }
    Ok(is_changed.then(|| mesh.with_topology(|topology| Census::of(topology).open)))
}

/// Returns the vertices to move and their new positions.
fn moves(
    topology: &Topology,
    original: &[Vec3],
    tolerance: f64,
    is_strict: bool,
) -> Result<Vec<(u32, Vec3)>, SolidifyError> {
    if topology.is_closed() {
        return Ok(Vec::new());
    }
    let gaps = Gaps::of(topology, tolerance);
    if is_strict {
        gaps.check_collapse(topology)?;
    }
    let merges = gaps.merges(topology, original, is_strict);
    let vertices = topology.mesh().vertices();
    let mut target = vec![NONE; vertices.len()];
    merges.iter().for_each(|&[from, to]| target[from as usize] = to);
    let moved = |vertex: u32| {
        let to = target[topology.representative(vertex) as usize];
        (to != NONE).then(|| (vertex, vertices[to as usize]))
    };
    Ok((0..vertices.len() as u32).filter_map(moved).collect())
}

/// An edge with half-edges in excess.
#[derive(Debug, Clone, Copy)]
struct Gap {
    /// Numbers in `Gaps::vertices` of its ends, in the direction of the excess.
    ends: [u32; 2],
    /// The number of half-edges in excess.
    excess: u32,
    /// It has an odd number of triangles.
    is_odd: bool,
}

/// The gaps of a topology.
struct Gaps {
    /// Representatives of the ends of gaps, ascending.
    vertices: Vec<u32>,
    positions: Vec<Vec3>,
    edges: Vec<Gap>,
    /// By representative, its number in `vertices`.
    numbers: Vec<u32>,
    tolerance: f64,
}

/// A gap in a cell of the grid: sorts by cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SeamEntry {
    cell: u64,
    gap: u32,
    is_home: bool,
}

/// A proposal: sorts by rank, then by gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    /// The decade of the distance, whether the directions are equal, the distance; 0 for gaps without another partner.
    rank: u64,
    gaps: [u32; 2],
    are_equal: bool,
}

impl Gaps {
    fn of(topology: &Topology, tolerance: f64) -> Self {
        let mesh = topology.mesh();
        let mut numbers = vec![NONE; mesh.vertices().len()];
        let gaps: Vec<usize> =
            (0..topology.edge_count()).filter(|&index| topology.edge(index).imbalance() != 0).collect();
        gaps.iter().for_each(|&gap| topology.edge(gap).vertices.iter().for_each(|&end| numbers[end as usize] = 0));
        let vertices: Vec<u32> = (0..).zip(&numbers).filter(|&(_, &number)| number == 0).map(|(end, _)| end).collect();
        (0..).zip(&vertices).for_each(|(number, &vertex)| numbers[vertex as usize] = number);
        let gap = |index: usize| {
            let edge = topology.edge(index);
            let [lower, upper] = edge.vertices.map(|end| numbers[end as usize]);
            let excess = edge.imbalance();
            let ends = if excess > 0 { [lower, upper] } else { [upper, lower] };
            Gap { ends, excess: excess.unsigned_abs() as u32, is_odd: edge.degree() % 2 == 1 }
        };
        let edges = gaps.into_iter().map(gap).collect();
        let positions = vertices.iter().map(|&vertex| mesh.vertices()[vertex as usize]).collect();
        Self { vertices, positions, edges, numbers, tolerance }
    }

    /// Returns the positions of the ends of a gap.
    fn ends(&self, gap: u32) -> [Vec3; 2] {
        self.edges[gap as usize].ends.map(|end| self.positions[end as usize])
    }

    /// Lists the edges between vertices of gaps, with the numbers of their ends.
    fn inner_edges<'t>(&'t self, topology: &'t Topology) -> impl Iterator<Item = (Edge<'t>, [u32; 2])> {
        let numbered = |edge: Edge<'t>| {
            let ends = edge.vertices.map(|end| self.numbers[end as usize]);
            (!ends.contains(&NONE)).then_some((edge, ends))
        };
        topology.edges().filter_map(numbered)
    }

    /// Fails on the shortest edge within the tolerance whose collapse would change the surface.
    fn check_collapse(&self, topology: &Topology) -> Result<(), SolidifyError> {
        let mut worst: Option<(f64, Edge)> = None;
        for (edge, _) in self.inner_edges(topology) {
            let [a, b] = edge.vertices.map(|end| topology.mesh().vertices()[end as usize]);
            let length = half_distance_sq(a, b, self.tolerance);
            let is_shorter = worst.as_ref().is_none_or(|(least, _)| length < *least);
            if within(a, b, self.tolerance) && is_shorter && !may_collapse(topology, &edge) {
                worst = Some((length, edge));
            }
        }
        let Some((_, edge)) = worst else { return Ok(()) };
        let [a, b] = edge.vertices.map(|end| topology.mesh().vertices()[end as usize]);
        Err(SolidifyError::ToleranceTooLarge {
            tolerance: self.tolerance,
            feature: distance(a, b),
            triangle: edge.first().0 / 3,
            vertices: edge.vertices,
            place: a * 0.5 + b * 0.5,
        })
    }

    /// Finds the vertices that merge: `[vertex, lower vertex]`, ascending.
    fn merges(&self, topology: &Topology, original: &[Vec3], is_strict: bool) -> Vec<[u32; 2]> {
        let mut boxes = vec![Aabb::EMPTY; self.vertices.len()];
        for (vertex, &position) in (0..).zip(original) {
            let number = self.numbers[topology.representative(vertex) as usize];
            if number != NONE {
                boxes[number as usize] = boxes[number as usize].grown_to(position);
            }
        }
        let protected: Vec<[u32; 2]> = self
            .inner_edges(topology)
            .filter(|(edge, _)| !(is_strict && may_collapse(topology, edge)))
            .map(|(_, ends)| ends)
            .collect();
        let mut clusters = Clusters::new(boxes, &protected, self.tolerance);
        let mut left: Vec<u32> = self.edges.iter().map(|gap| gap.excess).collect();
        for pair in self.pairs() {
            let [a, b] = pair.gaps.map(|gap| gap as usize);
            let ([p, q], [r, s]) = (self.edges[a].ends, self.edges[b].ends);
            let (count, ends) = if pair.are_equal {
                let is_odd = |gap: usize| self.edges[gap].is_odd && left[gap] % 2 == 1;
                (u32::from(is_odd(a) && is_odd(b)), [[p, r], [q, s]])
            } else {
                (left[a].min(left[b]), [[p, s], [q, r]])
            };
            if count > 0 && clusters.unite_both(ends) {
                left[a] -= count;
                left[b] -= count;
            }
        }
        let roots = (0..self.vertices.len() as u32).map(|vertex| clusters.find(vertex));
        let merged = (0..).zip(roots).filter(|(vertex, root)| vertex != root);
        merged.map(|(vertex, root)| [vertex, root].map(|number: u32| self.vertices[number as usize])).collect()
    }

    /// Lists the proposals: first those without an alternative, then by rank.
    fn pairs(&self) -> Vec<Pair> {
        // Each gap enters the cell of its midpoint, its home, and the cells within the tolerance. So the partners of a
        // gap are all in the run of its home.
        let gaps = 0..self.edges.len() as u32;
        let mut index: Vec<SeamEntry> = gaps.into_par_iter().flat_map_iter(|gap| self.entries(gap)).collect();
        index.par_sort_unstable();
        let runs: Vec<&[SeamEntry]> = index.chunk_by(|a, b| a.cell == b.cell).filter(|run| run.len() > 1).collect();
        let of_runs = |runs: &[&[SeamEntry]]| {
            let (mut ends, mut found, mut all) = (Vec::new(), Vec::new(), Vec::new());
            for run in runs {
                ends.clear();
                ends.extend(run.iter().map(|entry| self.ends(entry.gap)));
                for place in (0..run.len()).filter(|&place| run[place].is_home) {
                    self.propose(run, &ends, place, &mut found);
                    found.sort_unstable();
                    all.extend(found.drain(..).take(NEAREST));
                }
            }
            all
        };
        let mut pairs: Vec<Pair> = runs.par_chunks(RUNS).flat_map_iter(of_runs).collect();
        let mut partners = vec![0u8; self.edges.len()];
        pairs.iter().flat_map(|pair| pair.gaps).for_each(|gap| {
            let count = &mut partners[gap as usize];
            *count = count.saturating_add(1);
        });
        // Gaps without another partner leave no choice: such pairs come first, by number, as they are in memory.
        for pair in &mut pairs {
            let is_unique = pair.gaps.iter().all(|&gap| partners[gap as usize] == 1);
            pair.rank = if is_unique { 0 } else { pair.rank + 1 };
        }
        pairs.par_sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Adds the proposals of the gap at `place` in a cell to gaps with higher numbers.
    fn propose(&self, run: &[SeamEntry], ends: &[[Vec3; 2]], place: usize, found: &mut Vec<Pair>) {
        let gap = run[place].gap;
        for other in place + 1..run.len().min(place + SCANNED) {
            if run[other].gap > gap
                && let Some((rank, are_equal)) = self.rank(ends[place], ends[other])
            {
                found.push(Pair { rank, gaps: [gap, run[other].gap], are_equal });
            }
        }
    }

    /// Lists the entries of a gap in the cells near its midpoint, its home first.
    fn entries(&self, gap: u32) -> impl Iterator<Item = SeamEntry> {
        let [p, q] = self.ends(gap);
        let [xs, ys, zs] = (p * 0.5 + q * 0.5).to_array().map(|x| cells_near(x, self.tolerance, CELL_WIDTH));
        let cells = xs.into_iter().flatten().flat_map(move |x| {
            let ys = ys.into_iter().flatten();
            ys.flat_map(move |y| zs.into_iter().flatten().map(move |z| cell_key([x, y, z])))
        });
        cells.enumerate().map(move |(place, cell)| SeamEntry { cell, is_home: place == 0, gap })
    }

    /// Computes the rank of two gaps by their ends, and whether they are matched in equal directions; `None` beyond the
    /// tolerance.
    fn rank(&self, [p, q]: [Vec3; 2], [r, s]: [Vec3; 2]) -> Option<(u64, bool)> {
        let distance = |a: Vec3, b: Vec3| half_distance_sq(a, b, self.tolerance);
        let (opposite, equal) = (distance(p, s).max(distance(q, r)), distance(p, r).max(distance(q, s)));
        let rank = |distance: f64, are_equal: bool| {
            let bits = distance.to_bits();
            let decade = (bits >> 52).saturating_sub(MIN_EXPONENT) / DECADE + u64::from(are_equal);
            (decade << 56 | u64::from(are_equal) << 55 | bits >> 8, are_equal)
        };
        let is_near = |distance: f64| distance <= 0.25;
        match (is_near(opposite), is_near(equal)) {
            (false, false) => None,
            (true, false) => Some(rank(opposite, false)),
            (false, true) => Some(rank(equal, true)),
            (true, true) => Some(rank(opposite, false).min(rank(equal, true))),
        }
    }
}

/// Tests whether an edge may vanish: it is open, and so are only triangles without area lost.
fn may_collapse(topology: &Topology, edge: &Edge) -> bool {
    edge.imbalance() != 0 && edge.triangles().all(|triangle| is_degenerate(&topology.mesh().corners(triangle)))
}

/// Mixes the numbers of a cell (multiply and fold, after the finaliser of MurmurHash3).
fn cell_key(cell: [u64; 3]) -> u64 {
    let mix = |state: u64, word: u64| {
        let state = (state.rotate_left(23) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        state ^ (state >> 33)
    };
    cell.into_iter().fold(0, mix).wrapping_mul(0xc4ce_b9fe_1a85_ec53)
}
