//! Filling of holes: planar regions first, then minimal area, then ears; every filling is tested for intersections.
//!
//! In: the incidences of a mesh with consistent orientation. Out: the mesh with the holes filled that can be, and for
//! each other hole the reason.
//! Method: `loops` finds the holes, `planar` the planar regions; a hole that is not filled by its region is
//! triangulated by `minimal_area`, first by area, then by angle, or by `ears` if it has too many edges, or if the work
//! left does not suffice for a dynamic program. The first triangulation that `collision` accepts is used.
//! Holes are filled in the order of their lowest border half-edges.
//! Guarantees: no vertex is added or moved; a filling meets the mesh in its border only, exactly; a planar face that
//! was dropped comes back as the same point set; the number of open edges never grows.
//! Not guaranteed: that the filling is what was there, except for planar holes; that a hole whose filling would
//! intersect the mesh is filled another time. Cost: O(n log n), and O(k³) for a hole of k edges up to the limit, within
//! the work of the repair; beyond it, holes are left with [`HoleReason::WorkSpent`].

mod collision;
mod ears;
pub(super) mod loops;
mod minimal_area;
pub(super) mod planar;

pub(crate) use self::planar::triangulate_with_holes;

use heurt_geometry::Vec3;

use self::collision::Scene;
use self::minimal_area::Weight;
use super::budget::RepairWork;
use super::edit::{Change, Edit, NEW};
use super::report::HoleReason;
use crate::Topology;

/// Interval splits that the dynamic programs of one mesh may examine: some two seconds.
const SPLIT_BUDGET: u64 = 1 << 27;

/// The limits of filling.
#[derive(Debug, Clone, Copy)]
pub(super) struct FillLimits<'a> {
    /// Distance from a common plane up to which a hole counts as planar.
    pub(super) tolerance: f64,
    /// Holes with more edges stay open.
    pub(super) max_edges: usize,
    /// Holes with more edges are filled by ears.
    pub(super) max_dynamic: usize,
    /// The work that the repair may still cost. When it is used up, holes are left.
    pub(super) work: &'a RepairWork,
}

/// A hole that stays open.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unfilled {
    pub(super) vertices: Vec<u32>,
    pub(super) reason: HoleReason,
}

/// The fillings of a mesh.
pub(super) struct Filled {
    /// `None` if no hole was filled.
    pub(super) edit: Option<Edit>,
    pub(super) unfilled: Vec<Unfilled>,
}

/// Fills the holes of a mesh.
pub(super) fn fill_holes(topology: &Topology, limits: &FillLimits) -> Filled {
    let borders = loops::borders(topology);
    let mut unfilled: Vec<Unfilled> =
        borders.open.into_iter().map(|vertices| Unfilled { vertices, reason: HoleReason::NoLoop }).collect();
    let holes = borders.cycles;
    let is_small = |hole: &Vec<u32>| hole.len() <= limits.max_edges;
    if !holes.iter().any(is_small) {
        let reason = HoleReason::TooManyEdges { limit: limits.max_edges };
        unfilled.extend(holes.into_iter().map(|vertices| Unfilled { vertices, reason }));
        return Filled { edit: None, unfilled };
    }
    let results = holes.iter().map(|hole| match is_small(hole) {
        true => HoleResult::Open,
        false => HoleResult::Left(HoleReason::TooManyEdges { limit: limits.max_edges }),
    });
    let mut filler = Filler {
        topology,
        limits,
        scene: Scene::new(topology),
        results: results.collect(),
        is_rim: vec![false; holes.len()],
        holes,
        budget: SPLIT_BUDGET,
    };
    filler.fill_planar();
    filler.fill_others();
    let left = filler.holes.iter().zip(&filler.results).filter_map(|(vertices, result)| match *result {
        HoleResult::Left(reason) => Some(Unfilled { vertices: vertices.clone(), reason }),
        HoleResult::Open | HoleResult::Filled => None,
    });
    unfilled.extend(left);
    let holes_filled = filler.results.iter().filter(|&&result| result == HoleResult::Filled).count();
    let edit = if holes_filled == 0 { None } else { filler.into_edit(holes_filled) };
    Filled { edit, unfilled }
}

/// The result for a hole.
#[derive(Debug, Clone, Copy, PartialEq)]
enum HoleResult {
    /// No filling was tried yet.
    Open,
    Filled,
    Left(HoleReason),
}

/// The state of filling.
struct Filler<'a> {
    topology: &'a Topology<'a>,
    limits: &'a FillLimits<'a>,
    scene: Scene<'a>,
    holes: Vec<Vec<u32>>,
    /// By hole.
    results: Vec<HoleResult>,
    /// By hole: it is the rim of a flat sheet.
    is_rim: Vec<bool>,
    budget: u64,
}

impl Filler<'_> {
    fn places(&self) -> &[Vec3] {
        self.topology.mesh().vertices()
    }

    /// Fills the planar regions that have a free triangulation.
    ///
    /// If a region of several loops has none, or one of its loops has too many edges, all its loops are left: each
    /// alone would be closed like a hole of its own.
    fn fill_planar(&mut self) {
        let planar::Regions { regions, is_unknown, is_rim } =
            planar::regions(&self.holes, self.topology, self.limits.tolerance);
        self.is_rim = is_rim;
        for number in (0..self.holes.len()).filter(|&number| is_unknown[number]) {
            if self.results[number] == HoleResult::Open {
                self.results[number] = HoleResult::Left(HoleReason::TooManyNested);
            }
        }
        for region in regions {
            match self.fill_region(&region) {
                Ok(()) => region.iter().for_each(|&number| self.results[number] = HoleResult::Filled),
                Err(reason) if region.len() > 1 => {
                    for &number in &region {
                        if self.results[number] == HoleResult::Open {
                            self.results[number] = HoleResult::Left(reason);
                        }
                    }
                }
                Err(_) => {}
            }
        }
    }

    fn fill_region(&mut self, region: &[usize]) -> Result<(), HoleReason> {
        if region.iter().any(|&number| self.results[number] != HoleResult::Open) {
            return Err(HoleReason::OtherBorder);
        }
        let cycles: Vec<&[u32]> = region.iter().map(|&number| self.holes[number].as_slice()).collect();
        let filling = planar::triangulate(&cycles, self.places(), self.limits.tolerance);
        let filling = filling.ok_or(HoleReason::NoTriangulation)?;
        if self.uses_edge_of_mesh(&cycles, &filling) {
            return Err(HoleReason::NoTriangulation);
        }
        match self.scene.is_free(&filling, self.limits.work) {
            Some(true) => {
                self.scene.accept(filling);
                Ok(())
            }
            Some(false) => Err(HoleReason::Intersects),
            None => {
                self.limits.work.refuse();
                Err(HoleReason::WorkSpent)
            }
        }
    }

    /// Reports whether a triangle has an edge of the mesh that is not in a hole loop: it would become non-manifold.
    fn uses_edge_of_mesh(&self, cycles: &[&[u32]], filling: &[[u32; 3]]) -> bool {
        let borders = cycles.iter().flat_map(|cycle| cycle.iter().zip(cycle.iter().cycle().skip(1)));
        let mut borders: Vec<[u32; 2]> = borders.map(|(&a, &b)| [a, b]).collect();
        borders.sort_unstable();
        let mut sides = filling.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        sides
            .any(|side| borders.binary_search(&side).is_err() && self.topology.edge_between(side[0], side[1]).is_some())
    }

    /// Fills the holes that are left one by one.
    fn fill_others(&mut self) {
        for number in 0..self.holes.len() {
            if self.results[number] == HoleResult::Open {
                self.results[number] = match self.fill_one(number) {
                    Ok(()) => HoleResult::Filled,
                    Err(HoleReason::Intersects | HoleReason::NoTriangulation) if self.is_rim[number] => {
                        HoleResult::Left(HoleReason::Rim)
                    }
                    Err(reason) => HoleResult::Left(reason),
                };
            }
        }
    }

    fn fill_one(&mut self, number: usize) -> Result<(), HoleReason> {
        let hole = self.holes[number].clone();
        let points: Vec<Vec3> = hole.iter().map(|&vertex| self.places()[vertex as usize]).collect();
        let count = hole.len();
        let topology = self.topology;
        let is_forbidden = |i: usize, k: usize| {
            let is_border = (i + 1) % count == k || (k + 1) % count == i;
            !is_border && topology.edge_between(hole[i], hole[k]).is_some()
        };
        let splits = (count as u64).saturating_pow(3) / 6;
        let is_small = count <= self.limits.max_dynamic && 2 * splits <= self.budget;
        if self.limits.work.is_over() {
            self.limits.work.refuse();
            return Err(HoleReason::WorkSpent);
        }
        let is_dynamic = is_small && self.limits.work.allows_splits(2 * splits);
        let mut reason = HoleReason::NoTriangulation;
        let mut try_filling = |this: &mut Self, found: Option<Vec<[usize; 3]>>| {
            let Some(found) = found else { return false };
            let filling: Vec<[u32; 3]> = found.iter().map(|corners| corners.map(|corner| hole[corner])).collect();
            match this.scene.is_free(&filling, this.limits.work) {
                Some(true) => {
                    this.scene.accept(filling);
                    return true;
                }
                Some(false) => reason = HoleReason::Intersects,
                None => {
                    this.limits.work.refuse();
                    reason = HoleReason::WorkSpent;
                }
            }
            false
        };
        if is_dynamic {
            self.budget -= 2 * splits;
            let outward = self.outward_normals(&hole);
            for weight in [Weight::Area, Weight::AngleThenArea] {
                if try_filling(self, minimal_area::triangulate(&points, &outward, weight, is_forbidden)) {
                    return Ok(());
                }
            }
        } else if try_filling(self, ears::triangulate(&points, is_forbidden)) {
            return Ok(());
        } else if is_small {
            // A dynamic program may find a filling where ears find none.
            self.limits.work.refuse();
            if reason == HoleReason::NoTriangulation {
                reason = HoleReason::WorkSpent;
            }
        }
        Err(reason)
    }

    /// For each edge of a hole, the unit normal of the triangle of the mesh at it.
    fn outward_normals(&self, hole: &[u32]) -> Vec<Option<Vec3>> {
        let sides = hole.iter().zip(hole.iter().cycle().skip(1));
        let normal = |(&a, &b): (&u32, &u32)| {
            let triangle = self.topology.edge_between(a, b)?.triangles().next()?;
            let [p, q, r] = self.topology.mesh().corners(triangle);
            (q - p).cross(r - p).try_normalize()
        };
        sides.map(normal).collect()
    }

    /// The mesh with all accepted fillings behind its own triangles.
    fn into_edit(self, holes_filled: usize) -> Option<Edit> {
        let mesh = self.topology.mesh();
        let filling = self.scene.into_triangles();
        let change = Change { triangles_added: filling.len(), holes_filled, ..Change::default() };
        let own = (0..).zip(mesh.triangles()).map(|(number, &corners)| (corners, number));
        let all = own.chain(filling.into_iter().map(|corners| (corners, NEW))).collect();
        Edit::new(mesh.vertices().to_vec(), all, change)
    }
}
