//! Ray cast against a placed mesh.
//!
//! Method: boxes in the tree's frame. In a leaf, the sides of the ray relative to the edges of eight triangles at a
//! time reject provable misses, and the first triangle provably pierced cuts the walk. As a rule one triangle remains.
//! It is decided by the exact sides of the line relative to the edges of the placed triangle. If it is not wholly
//! ahead, the exact side of the origin decides, too. Zero counts as hit.
//! Guarantees: the set of triangles hit is exact, except at the end of the ray, which is compared with a rounded
//! distance. So no ray slips between the triangles of a closed mesh. Ties go to the lowest triangle. A triangle seen
//! exactly edge-on counts only if no other is as near. The decision whether the origin is inside or on a solid is
//! exact.
//! Cost: O(log n) in practice.

use crate::answer::closest::Location;
use crate::answer::ray::{Ray, RayHit};
use crate::mesh::ray_exit::first_exit;
use crate::mesh::walk::local_ray::{LocalRay, local_ray};
use crate::mesh::walk::pair_walk::place;
use crate::mesh::winding::locate;
use crate::triangle::ray_in_plane::section_along;
use crate::triangle::ray_lanes::crossings;
use crate::triangle::ray_side::{RayPassageSide, distance_along, passage};
use heurt_bvh::simd::{Lanes, LanesFor, WideIsa};
use heurt_bvh::{Leaf, Visitor, Work, walk};
use heurt_geometry::{Pose, Sign, Triangle, Vec3, orient3d, point_on_triangle};
use heurt_shape::MeshShape;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Finds the first point of the placed mesh on a ray of normalised direction; distances are not scaled back.
pub(crate) fn mesh_ray(a: &MeshShape, pose: &Pose, ray: &Ray, work: &mut Work) -> Option<RayHit> {
    let winding = if a.is_solid() {
        match locate(a, pose, ray.origin, work) {
            Location::Boundary { triangle } => {
                let normal = normal_of(&place(a, pose, triangle));
                return Some(RayHit { t: 0.0, point: ray.origin, normal, primitive: triangle, error: 0.0 });
            }
            Location::Winding(winding) => winding,
        }
    } else {
        0
    };
    if winding == 0 {
        return first_hit(a, pose, ray, false, work).map(|first| first.hit);
    }
    let primitive = leaving(a, pose, ray, winding, work).map_or(0, |hit| hit.primitive);
    Some(RayHit { t: 0.0, point: ray.origin, normal: -ray.direction.normalize(), primitive, error: 0.0 })
}

/// Finds the hit at which a ray from inside a solid leaves it, even beyond the end of the ray: the first hit, unless
/// its face lies inside.
fn leaving(a: &MeshShape, pose: &Pose, ray: &Ray, winding: i32, work: &mut Work) -> Option<RayHit> {
    let endless = Ray { max_t: f64::INFINITY, ..*ray };
    let first = first_hit(a, pose, &endless, true, work)?;
    if !a.is_exact() || leads_out(a, pose, ray, winding, &first) {
        return Some(first.hit);
    }
    first_exit(a, pose, &endless, winding, work).or(Some(first.hit))
}

/// Reports whether the first faces that a ray from inside meets provably have the winding number 0 on their other side.
/// The proof requires a winding number of ±1 and at most two faces, which the ray crosses outward.
fn leads_out(a: &MeshShape, pose: &Pose, ray: &Ray, winding: i32, first: &FirstHit) -> bool {
    let back = match winding {
        1 => Sign::Negative,
        -1 => Sign::Positive,
        _ => return false,
    };
    let is_left = |&triangle: &u32| {
        let [p, q, r] = place(a, pose, triangle);
        orient3d(p, q, r, ray.origin) == back
    };
    first.tied.len() <= 2 && first.tied.iter().all(is_left)
}

/// Lists every triangle that a ray of normalised direction meets, sorted by distance, then number; solidity is ignored.
pub(crate) fn mesh_hits(a: &MeshShape, pose: &Pose, ray: &Ray, work: &mut Work) -> Vec<RayHit> {
    let mut candidates = FoundHits::new();
    find_candidates(a, pose, ray, true, &mut candidates, work);
    let seen = candidates.iter().filter_map(|candidate| see(a, pose, ray, candidate));
    let mut hits: Vec<RayHit> = seen.map(|seen| seen.hit).collect();
    hits.sort_by(|x, y| x.t.total_cmp(&y.t).then(x.primitive.cmp(&y.primitive)));
    hits
}

/// The triangles that a ray of normalised direction meets, computed in ascending order on request.
pub(crate) struct HitsAhead<'a> {
    placed: (&'a MeshShape, &'a Pose, &'a Ray),
    /// Sorted by the least parameter at which the ray may meet them.
    candidates: FoundHits,
    seen: usize,
}

impl<'a> HitsAhead<'a> {
    pub(crate) fn new(a: &'a MeshShape, pose: &'a Pose, ray: &'a Ray, work: &mut Work) -> Self {
        let mut candidates = FoundHits::new();
        find_candidates(a, pose, ray, true, &mut candidates, work);
        // Candidates with an unknown parameter are tested first.
        candidates.iter_mut().filter(|x| x.earliest.is_nan()).for_each(|x| x.earliest = f64::NEG_INFINITY);
        candidates.sort_unstable_by(|x, y| x.earliest.total_cmp(&y.earliest).then(x.triangle.cmp(&y.triangle)));
        Self { placed: (a, pose, ray), candidates, seen: 0 }
    }

    /// Tests some more candidates, adds the triangles hit, and sorts all hits. Returns the parameter before which no
    /// further triangle is met; infinite at the end.
    pub(crate) fn see_more(&mut self, hits: &mut Vec<RayHit>) -> f64 {
        let (a, pose, ray) = self.placed;
        // The number tested doubles each time, so that sorting costs no more than testing.
        let end = self.candidates.len().min(self.seen + self.seen.max(16));
        let some = &self.candidates[self.seen..end];
        hits.extend(some.iter().filter_map(|candidate| see(a, pose, ray, candidate)).map(|seen| seen.hit));
        hits.sort_by(|x, y| x.t.total_cmp(&y.t).then(x.primitive.cmp(&y.primitive)));
        self.seen = end;
        self.candidates.get(end).map_or(f64::INFINITY, |next| next.earliest)
    }
}

/// Finds the nearest hit; among equally near hits, a triangle that the ray passes through before a triangle seen
/// edge-on, then the lowest triangle.
fn first_hit(a: &MeshShape, pose: &Pose, ray: &Ray, with_ties: bool, work: &mut Work) -> Option<FirstHit> {
    let mut candidates = FoundHits::new();
    find_candidates(a, pose, ray, false, &mut candidates, work);
    if candidates.len() > 1 {
        candidates.sort_unstable_by(|x, y| x.earliest.total_cmp(&y.earliest).then(x.triangle.cmp(&y.triangle)));
    }
    let mut first: Option<SeenTriangle> = None;
    for candidate in &candidates {
        // Written so that a `NaN` is tested.
        if first.as_ref().is_some_and(|first| candidate.earliest > first.hit.t + first.hit.error) {
            continue;
        }
        if let Some(seen) = see(a, pose, ray, candidate)
            && first.as_ref().is_none_or(|first| seen.is_before(first))
        {
            first = Some(seen);
        }
    }
    let hit = first?.hit;
    if !with_ties {
        return Some(FirstHit { hit, tied: SmallVec::new() });
    }
    // Distances count as equal within their errors.
    let end = hit.t + hit.error;
    let near = candidates.iter().filter(|candidate| candidate.earliest.is_nan() || candidate.earliest <= end);
    let is_tied = |candidate: &&Candidate| {
        candidate.triangle == hit.primitive
            || see(a, pose, ray, candidate).is_some_and(|seen| seen.hit.t - seen.hit.error <= end)
    };
    let tied = near.filter(is_tied).map(|candidate| candidate.triangle).collect();
    Some(FirstHit { hit, tied })
}

/// The first hit and, if ties are requested, the triangles met at its distance, within errors; its own triangle is one
/// of them.
struct FirstHit {
    hit: RayHit,
    tied: SmallVec<[u32; 4]>,
}

/// A hit, and whether its triangle is seen edge-on.
struct SeenTriangle {
    hit: RayHit,
    edge_on: bool,
}

impl SeenTriangle {
    fn is_before(&self, other: &Self) -> bool {
        let (x, y) = (&self.hit, &other.hit);
        let surely = |x: &RayHit, y: &RayHit| x.t + x.error < y.t - y.error;
        match (self.edge_on, other.edge_on) {
            (true, false) => surely(x, y),
            (false, true) => !surely(y, x),
            _ => (x.t, x.primitive) < (y.t, y.primitive),
        }
    }
}

/// Finds the triangles that the ray may meet, with the least parameter at which it may. Without `all`, triangles behind
/// the first that the ray provably meets are left out.
fn find_candidates(a: &MeshShape, pose: &Pose, ray: &Ray, all: bool, found: &mut FoundHits, work: &mut Work) {
    let Some(local) = local_ray(a.tree().frame(), pose, ray.origin, ray.direction, ray.max_t, 0.0) else {
        return;
    };
    let single = local.direction.to_array().map(|x| x as f32);
    let per_length_sq = 1.0 / local.direction.length_squared();
    let mut visitor = RayCandidates { shape: a, local: &local, single, per_length_sq, all, cutoff: f32::MAX, found };
    *work += walk(a.tree(), &local.query, &mut visitor);
    let cutoff = f64::from(visitor.cutoff);
    found.retain(|x| x.earliest.is_nan() || x.earliest <= cutoff);
    found.iter_mut().for_each(|x| x.earliest = local.start + x.earliest * local.scale);
}

/// A triangle that the ray may meet.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// Lower bound of the parameter of the hit.
    earliest: f64,
    triangle: u32,
    /// Whether its line provably passes through, away from the edges.
    is_pierced: bool,
}

/// A list of candidates, as a rule short.
type FoundHits = SmallVec<[Candidate; 8]>;

struct RayCandidates<'a> {
    shape: &'a MeshShape,
    local: &'a LocalRay,
    /// The local direction in `f32`, and the reciprocal of its squared length, for projections.
    single: [f32; 3],
    per_length_sq: f64,
    all: bool,
    cutoff: f32,
    /// Candidates with local parameters.
    found: &'a mut FoundHits,
}

impl Visitor for RayCandidates<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    #[inline(always)]
    fn prefetch<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        isa.prefetch(&self.shape.blocks()[leaf.ordinal as usize]);
        isa.prefetch(&self.shape.tree().primitives(leaf)[0]);
    }

    #[inline(always)]
    fn visit_leaf<I: WideIsa>(&mut self, isa: I, leaf: Leaf) -> ControlFlow<()> {
        let block = &self.shape.blocks()[leaf.ordinal as usize];
        // The point of the ray nearest to the block, relative to the block's centre.
        let behind = self.local.origin - Vec3::from_array(block.centre.map(f64::from));
        let slide = -behind.dot(self.local.direction) * self.per_length_sq;
        let point = (behind + self.local.direction * slide).to_array().map(
            #[inline(always)]
            |x| x as f32,
        );
        let crossings = crossings::<<I as LanesFor<8>>::F>(block, point, self.single, self.local.slack);
        let mut near = !crossings.missed & ((1 << leaf.count) - 1);
        if near == 0 {
            return ControlFlow::Continue(());
        }
        let (earliest, latest) = (crossings.earliest.to_array(), crossings.latest.to_array());
        let triangles = self.shape.tree().primitives(leaf);
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            let from = slide + f64::from(earliest[lane & 7]);
            if from > f64::from(self.cutoff) {
                continue;
            }
            let is_pierced = crossings.pierced >> lane & 1 != 0;
            self.found.push(Candidate { earliest: from, triangle: triangles[lane], is_pierced });
            // The triangle is pierced and wholly ahead: no triangle behind it can be first.
            if !self.all && is_pierced && from > 0.0 {
                let to = slide + f64::from(latest[lane & 7]);
                let cutoff = (to + to * 1e-6) as f32 + 1e-6;
                self.cutoff = if cutoff < self.cutoff { cutoff } else { self.cutoff };
                // As a rule this triangle is tested exactly at the end, so its vertices are prefetched.
                for vertex in self.shape.mesh().triangles()[triangles[lane] as usize] {
                    isa.prefetch(&self.shape.mesh().vertices()[vertex as usize]);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Computes the hit of the ray with the closed triangle.
#[inline]
fn see(a: &MeshShape, pose: &Pose, ray: &Ray, candidate: &Candidate) -> Option<SeenTriangle> {
    let t = place(a, pose, candidate.triangle);
    let mut edge_on = false;
    let (distance, error) = if candidate.is_pierced {
        distance_ahead(ray, &t, || passage(ray.origin, ray.direction, &t))?
    } else {
        match passage(ray.origin, ray.direction, &t) {
            RayPassageSide::Beside => return None,
            RayPassageSide::InPlane => {
                edge_on = true;
                distance_in_plane(ray, &t)?
            }
            through @ RayPassageSide::Through(_) => distance_ahead(ray, &t, || through)?,
        }
    };
    // An overflow is no hit.
    if distance.is_nan() {
        return None;
    }
    // Zero has no sign here.
    let distance = if distance > 0.0 { distance } else { 0.0 };
    if distance > ray.max_t {
        return None;
    }
    let point = ray.origin + ray.direction * distance;
    let hit = RayHit { t: distance, point, normal: normal_of(&t), primitive: candidate.triangle, error };
    Some(SeenTriangle { hit, edge_on })
}

/// Computes the distance at which the line of the ray, which passes through `t`, meets it, and a bound on the error.
/// Returns `None` if that point is behind the origin, exactly.
#[inline(always)]
fn distance_ahead(ray: &Ray, t: &Triangle, passage: impl Fn() -> RayPassageSide) -> Option<(f64, f64)> {
    let (distance, error) = distance_along(ray.origin, ray.direction, t);
    if distance > error {
        return Some((distance, error));
    }
    let RayPassageSide::Through(slope) = passage() else { return None };
    let side = orient3d(t[0], t[1], t[2], ray.origin).times(slope);
    (side != Sign::Positive).then_some((distance, error))
}

/// Computes the least distance at which the ray, which lies in the plane of `t`, meets it, and a bound on the error.
#[cold]
#[inline(never)]
fn distance_in_plane(ray: &Ray, t: &Triangle) -> Option<(f64, f64)> {
    if point_on_triangle(ray.origin, t) {
        return Some((0.0, 0.0));
    }
    // The origin is not a point of the section, so the whole section is ahead or behind.
    let ([first, last], error) = section_along(ray.origin, ray.direction, t)?;
    (first + last > 0.0).then_some((first, error))
}

/// Computes the unit normal by the right-hand rule of the corners; zero for a degenerate triangle.
fn normal_of(t: &Triangle) -> Vec3 {
    let (u, v) = (t[1] - t[0], t[2] - t[0]);
    let normal = u.cross(v);
    let length_sq = normal.length_squared();
    if length_sq.is_normal() {
        return normal * (1.0 / length_sq.sqrt());
    }
    let scale = u.abs().max_element().max(v.abs().max_element());
    (u / scale).cross(v / scale).normalize_or_zero()
}
