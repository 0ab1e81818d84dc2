//! Deviation from convexity: how far the surface of a closed mesh is from the boundary of its convex hull, at most.
//!
//! In: a closed mesh M. Out: δ such that every point of M is within δ of the boundary ∂H of the hull H of M, and every
//! point of ∂H within δ of M (the Hausdorff distance of the two surfaces); `None` if that cannot be shown for 1 % of
//! the size.
//! Method, with S the points around which M winds:
//! 1. Let n be any unit vector and t a triangle. The plane across n that supports H is at most e = max over M of n·v −
//!    min over t of n·v above every point of t. H is below that plane, so a walk of length e along n from a point of t
//!    leaves H: every point of t is within e of ∂H. The least e of a few n is taken; δ₁ is the largest e of all
//!    triangles. First n is the normal of t or of a neighbour. If that is too coarse, as where small triangles tilt by
//!    their rounding errors, n is the normal of the facet of H over the centre of t: the facet that a ray from an inner
//!    point c hits has the support point of the dual polytope of H. A tree of oriented boxes finds
//!    the support of n.
//! 2. Let H′ be the points of H at least δ₁ from ∂H: a convex set, whose inside M does not meet by 1. So M winds
//!    equally often around all of it: once, as the solid angles at c show. A segment from a point of ∂H to H′ crosses
//!    M, since nothing winds around the outside. So ∂H is within the largest distance to H′ of M. That distance is a
//!    convex function, and its maximum over H is at a vertex.
//! 3. For a vertex v: a ball around c of radius ρ that M does not meet lies in H; shrinking H towards c by δ₁/ρ gives a
//!    point of H′ within |v − c|·δ₁/ρ of v. If that is coarse, as in thin plates, points against the mean normal of the
//!    facets of H at v are tried: they are in H′ if they are inside and δ₁ away from all facets.
//!
//! Guarantees: δ is a bound, rounding errors included. Not guaranteed: that it is the least one. Cost: O(n log n) for a
//! rounded smooth body, more if many triangles lie in one face, up to the limit of steps; a sample of triangles rejects
//! other meshes in O(n).

use heurt_geometry::{Triangle, Vec3};
use rayon::prelude::*;

use super::oriented_box::ROUNDING;
use super::oriented_tree::OrientedTree;
use super::outer_hull::Hull;
use crate::decompose::nearest_on;
use crate::measure::LocalFrame;
use crate::shells::winding_number;
use crate::{Topology, TriMesh};

/// The largest deviation that is reported, as a share of the half extent of the mesh.
const LARGEST: f64 = 0.01;
/// Triangles that are tested against all vertices first.
const SAMPLE: usize = 16;
/// Triangles up to which rounding errors of heights within a flat face are followed: of every triangle, all others in
/// its face are then examined.
const FOLLOWED: usize = 1 << 10;
/// The least depth that is computed for more triangles.
const FLOOR: f64 = 3.0 * ROUNDING;
/// Runs of triangles that are examined with the same depth: few at first, until the depth is nearly known.
const FIRST_ROUND: usize = 8;
const LAST_ROUND: usize = 1 << 13;
/// The cost of all runs is estimated when one of this number is done.
const SAMPLED_SHARE: usize = 32;
/// Error of the distance from a point to a triangle (see `decompose`), as a share of the size.
const DISTANCE_BLUR: f64 = 1e-6;

/// The deviation of a mesh from convexity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Deviation {
    /// It is at most this, in metres.
    Within(f64),
    /// A bound of 1 % of the size cannot be shown.
    Large,
    /// The search takes more steps than allowed.
    Unknown,
}

/// Computes the deviation of a closed mesh from convexity; a bound up to `enough` metres is not refined. The search
/// examines approximately `max_steps` boxes at most.
pub(super) fn deviation(topology: &Topology, enough: f64, max_steps: u64) -> Deviation {
    let frame = LocalFrame::of(topology.mesh());
    if !may_be_convex(topology.mesh(), &frame) {
        return Deviation::Large;
    }
    let surface = HullSurface::new(topology, &frame);
    let in_metres = |share: f64| share * frame.unit();
    let mut steps = Steps { left: max_steps, taken: 0 };
    let mut bound = |hull: Option<&Hull>| match surface.depth(hull, &mut steps) {
        Deviation::Within(depth) => Ok(surface.spread(depth, hull).map(|spread| in_metres(depth.max(spread)))),
        Deviation::Large => Ok(None),
        Deviation::Unknown => Err(Deviation::Unknown),
    };
    let found = bound(None).and_then(|coarse| {
        if coarse.is_some_and(|coarse| coarse <= enough) {
            return Ok(coarse);
        }
        let Some(hull) = Hull::new(&surface) else { return Ok(coarse) };
        let fine = bound(Some(&hull))?;
        Ok(match (coarse, fine) {
            (Some(coarse), Some(fine)) => Some(coarse.min(fine)),
            (coarse, fine) => coarse.or(fine),
        })
    });
    found.map_or_else(|unknown| unknown, |bound| bound.map_or(Deviation::Large, Deviation::Within))
}

/// The steps that a search may still take.
struct Steps {
    left: u64,
    /// The steps of the present pass over all runs.
    taken: u64,
}

impl Steps {
    /// Takes some steps, after which `later` of `all` runs are left; returns false if steps are used up, or if runs as
    /// costly as those before would use up twice as many as there are.
    fn take(&mut self, steps: u64, later: usize, all: usize) -> bool {
        let Some(left) = self.left.checked_sub(steps) else { return false };
        (self.left, self.taken) = (left, self.taken + steps);
        let done = all - later;
        let expected = self.taken as f64 / done as f64 * later as f64;
        if later == 0 {
            self.taken = 0;
        }
        done * SAMPLED_SHARE < all || expected <= 2.0 * left as f64
    }
}

/// Tests a sample of triangles against all vertices.
fn may_be_convex(mesh: &TriMesh, frame: &LocalFrame) -> bool {
    let step = mesh.triangles().len().div_ceil(SAMPLE).max(1);
    let local = |triangle: u32| mesh.corners(triangle).map(|corner| frame.local(corner));
    (0..mesh.triangles().len()).step_by(step).all(|sample| {
        let [a, b, c] = local(sample as u32);
        let normal = (b - a).cross(c - a);
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        // The direction of a needle consists of rounding errors.
        if normal.length() < 1e-3 * longest {
            return true;
        }
        let normal = normal.normalize_or_zero();
        let triangles = (0..mesh.triangles().len() as u32).into_par_iter();
        let is_below = |corner: Vec3| normal.dot(corner - a) <= LARGEST;
        triangles.all(|triangle| local(triangle).into_iter().all(is_below))
    })
}

/// The triangles of a mesh in its frame.
pub(super) struct HullSurface {
    pub(super) corners: Vec<Triangle>,
    /// Unit normals; zero for triangles without a direction.
    normals: Vec<Vec3>,
    /// By triangle, its neighbours across edges of two triangles; itself where there is none.
    neighbours: Vec<[u32; 3]>,
}

impl HullSurface {
    fn new(topology: &Topology, frame: &LocalFrame) -> Self {
        let mesh = topology.mesh();
        let count = mesh.triangles().len() as u32;
        let corners: Vec<Triangle> =
            (0..count).map(|triangle| mesh.corners(triangle).map(|corner| frame.local(corner))).collect();
        let normals =
            corners.iter().map(|[a, b, c]| (b - a).cross(c - a).try_normalize().unwrap_or(Vec3::ZERO)).collect();
        let mut neighbours: Vec<[u32; 3]> = (0..count).map(|triangle| [triangle; 3]).collect();
        for uses in topology.edge_uses() {
            if let [a, b] = *uses {
                let [a, b] = [a, b].map(|used| used.half_edge());
                neighbours[a as usize / 3][a as usize % 3] = b / 3;
                neighbours[b as usize / 3][b as usize % 3] = a / 3;
            }
        }
        Self { corners, normals, neighbours }
    }

    /// Lists the directions to try for a triangle, and the least height of its corners along each.
    fn heights(&self, triangle: usize) -> impl Iterator<Item = (Vec3, f64)> {
        let [a, b, c] = self.neighbours[triangle].map(|neighbour| neighbour as usize);
        let normals = [triangle, a, b, c].map(|other| self.normals[other]);
        let directed = normals.into_iter().filter(|normal| *normal != Vec3::ZERO);
        directed.map(move |normal| (normal, self.base(triangle, normal)))
    }

    /// Computes the least height of a corner of a triangle along a direction.
    fn base(&self, triangle: usize, normal: Vec3) -> f64 {
        self.corners[triangle].iter().map(|corner| normal.dot(*corner)).fold(f64::INFINITY, f64::min)
    }

    /// Computes step 1: the largest distance of a point of the mesh from the boundary of its hull, as a share of the
    /// size.
    fn depth(&self, hull: Option<&Hull>, steps: &mut Steps) -> Deviation {
        let tree = OrientedTree::new(&self.corners);
        let duals = hull.map(|hull| (hull, hull.dual_tree()));
        let runs: Vec<&[u32]> = tree.runs().collect();
        let mut depth = if self.corners.len() > FOLLOWED { FLOOR } else { 0.0 };
        let (mut rest, mut round) = (runs.as_slice(), FIRST_ROUND);
        // The depth is known at the beginning of a round, so that threads do not change what is computed.
        while !rest.is_empty() {
            let (some, later) = rest.split_at(round.min(rest.len()));
            let of_run = |run: &&[u32]| self.depth_of_run(run, &tree, duals.as_ref(), depth);
            let deeper = |a: (f64, u64), b: (f64, u64)| (a.0.max(b.0), a.1 + b.1);
            let (found, taken) = some.par_iter().map(of_run).reduce(|| (depth, 0), deeper);
            depth = found;
            if depth > LARGEST {
                return Deviation::Large;
            }
            if !steps.take(taken, later.len(), runs.len()) {
                return Deviation::Unknown;
            }
            (rest, round) = (later, LAST_ROUND.min(2 * round));
        }
        Deviation::Within(depth + ROUNDING)
    }

    /// Computes the largest distance of a point of some triangles from the boundary of the hull, at least `depth`, and
    /// the steps taken.
    fn depth_of_run(
        &self,
        run: &[u32],
        tree: &OrientedTree,
        duals: Option<&(&Hull, OrientedTree)>,
        mut depth: f64,
    ) -> (f64, u64) {
        let mut steps = 0;
        let pierced = tree.pierced(run, &self.normals, depth, &mut steps);
        for (_, &triangle) in run.iter().enumerate().filter(|(k, _)| pierced >> k & 1 == 1) {
            let triangle = triangle as usize;
            let mut least = f64::INFINITY;
            let mut attempt = |normal: Vec3, base: f64, steps: &mut u64| {
                let top = tree.support(normal, base + depth, steps);
                least = least.min(if top > base + depth { top - base } else { depth });
                least <= depth
            };
            if !self.heights(triangle).any(|(normal, base)| attempt(normal, base, &mut steps))
                && let Some((hull, dual_tree)) = duals
                && let Some(normal) = hull.facet_over(dual_tree, mean(&self.corners[triangle]), &mut steps)
            {
                attempt(normal, self.base(triangle, normal), &mut steps);
            }
            depth = depth.max(least);
            if depth > LARGEST {
                break;
            }
        }
        (depth, steps)
    }

    /// Steps 2 and 3: the largest distance of a point of the hull's boundary from the mesh.
    fn spread(&self, depth: f64, hull: Option<&Hull>) -> Option<f64> {
        let centre = self.centre();
        let distance = |corners: &Triangle| (nearest_on(corners, centre) - centre).length();
        let radius = self.corners.par_iter().map(distance).reduce(|| f64::INFINITY, f64::min) - DISTANCE_BLUR;
        if radius <= depth || winding_number(&self.corners, centre).round() != 1.0 {
            return None;
        }
        let far = self.corners.iter().flatten().map(|&corner| (corner - centre).length()).fold(0.0, f64::max);
        let shrunk = far * depth / radius * (1.0 + 1e-9);
        let local = hull.filter(|_| shrunk > 2.0 * depth).and_then(|hull| hull.spread(depth, shrunk));
        local.or(Some(shrunk)).filter(|&spread| spread <= LARGEST)
    }

    /// Returns the mean of the corners.
    pub(super) fn centre(&self) -> Vec3 {
        let weight = 1.0 / self.corners.len() as f64;
        self.corners.iter().fold(Vec3::ZERO, |sum, corners| sum + mean(corners) * weight)
    }
}

/// Returns the centre of a triangle.
fn mean([a, b, c]: &Triangle) -> Vec3 {
    *a / 3.0 + *b / 3.0 + *c / 3.0
}
