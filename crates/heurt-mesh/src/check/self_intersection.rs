//! Self-intersections: pairs of triangles that meet elsewhere than in a vertex or an edge of both.
//!
//! Method: a tree of boxes proposes pairs; the vertices that the two share (at the same place) select the test:
//! * no vertex: whether they meet at all;
//! * a vertex v: the intersection is convex and contains v. If it contains another point, the ray from v through it
//!   leaves one of the triangles, on the side opposite v, while still in the second. So they meet beyond v exactly if,
//!   for one of them, the side opposite v meets the second. (A triangle that is a segment with v inside leaves at one
//!   of its ends.)
//! * an edge: out of a common plane only the edge is common; in it, they overlap exactly if both lie on the same side.
//! * three vertices: a duplicate, which is another fault.
//!
//! Guarantees: exact, degenerate triangles included; sorted. Cost: O(n log n + pairs whose boxes meet); a mesh with
//! many such pairs, as of fans or of needles across the axes, is searched by turned boxes.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Bvh, Leaf, PrimitiveSource, Visitor, walk};
use heurt_geometry::{
    Aabb, Sign, Triangle, Vec2, Vec3, is_degenerate, orient2d, orient3d, point_on_triangle,
    segment_intersects_triangle, triangles_intersect,
};
use rayon::prelude::*;

use super::turned_search;
use crate::{Topology, TriMesh};

/// The pairs found, and whether these are all.
pub(super) struct Found {
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) complete: bool,
    /// Number of pairs of triangles whose boxes meet, as far as they were tested; above the limit if it was reached.
    pub(super) tests: u64,
}

/// Triangles examined by one task, and by all tasks before the limit is checked.
const CHUNK: u32 = 256;
const BATCH: u32 = 64 * CHUNK;

/// Tests of pairs for each triangle, and in all, from which boxes along the axes are given up for turned ones. Usual
/// meshes take ten to thirty for each.
const TESTS_EACH: u64 = 64;
const TESTS_IN_ALL: u64 = 1 << 16;

/// Finds the first `limit` pairs, in ascending order; none if that takes more than `max_tests` tests of pairs. If a
/// mesh of fans or needles has more pairs, they are `limit` others than the first.
pub(super) fn self_intersections(topology: &Topology, limit: usize, max_tests: u64) -> Found {
    let enough = TESTS_IN_ALL + TESTS_EACH * topology.mesh().triangles().len() as u64;
    let found = search_along_axes(topology, limit, max_tests.min(enough));
    if found.tests <= enough || max_tests <= enough {
        return found;
    }
    turned_search::search(topology, limit, &Tests { done: AtomicU64::new(found.tests), max: max_tests })
}

/// Finds the first `limit` pairs by boxes along the coordinate axes.
fn search_along_axes(topology: &Topology, limit: usize, max_tests: u64) -> Found {
    let mesh = topology.mesh();
    let Ok(tree) = Bvh::<Aabb32, 8>::new(&Faces(mesh)) else {
        // The mesh has more triangles than a tree can hold.
        return Found { pairs: Vec::new(), complete: false, tests: 0 };
    };
    let tests = Tests::new(max_tests);
    let count = mesh.triangles().len() as u32;
    let mut pairs = Vec::new();
    for batch in (0..count).step_by(BATCH as usize) {
        let starts: Vec<u32> = (batch..count.min(batch + BATCH)).step_by(CHUNK as usize).collect();
        let room = (limit - pairs.len()).saturating_add(1);
        let found: Vec<Vec<[u32; 2]>> = starts
            .par_iter()
            .map(|&start| pairs_from(topology, &tree, start..count.min(start + CHUNK), room, &tests))
            .collect();
        pairs.extend(found.into_iter().flatten());
        // Tasks stop early only if all of them together exceed the limit, so that this is the same in every run.
        if tests.are_too_many() {
            return Found { pairs: Vec::new(), complete: false, tests: max_tests.saturating_add(1) };
        }
        if pairs.len() > limit {
            pairs.truncate(limit);
            return Found { pairs, complete: false, tests: tests.done() };
        }
    }
    Found { pairs, complete: true, tests: tests.done() }
}

/// The tests of pairs that all tasks have done, and how many they may do.
pub(super) struct Tests {
    done: AtomicU64,
    pub(super) max: u64,
}

impl Tests {
    pub(super) fn new(max: u64) -> Self {
        Self { done: AtomicU64::new(0), max }
    }

    pub(super) fn add(&self, count: u64) {
        self.done.fetch_add(count, Ordering::Relaxed);
    }

    pub(super) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.done() > self.max
    }
}

/// The triangles of a mesh, as input of the tree builder.
pub(crate) struct Faces<'m>(pub(crate) &'m TriMesh);

impl PrimitiveSource for Faces<'_> {
    fn len(&self) -> usize {
        self.0.triangles().len()
    }

    fn points(&self) -> &[Vec3] {
        self.0.vertices()
    }

    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        self.0.triangles()[primitive as usize]
    }
}

/// Finds the pairs whose lower triangle is in `range`, ascending, up to slightly more than `room`.
fn pairs_from(
    topology: &Topology,
    tree: &Bvh<Aabb32, 8>,
    range: std::ops::Range<u32>,
    room: usize,
    tests: &Tests,
) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for triangle in range {
        let corners = topology.mesh().corners(triangle);
        let bounds = Aabb::from_points(corners);
        let mut partners = Partners { topology, tree, triangle, corners, bounds, found: Vec::new(), tests: 0 };
        walk(tree, &Aabb32::in_frame(tree.frame(), &bounds), &mut partners);
        partners.found.sort_unstable();
        pairs.extend(partners.found.into_iter().map(|partner| [triangle, partner]));
        tests.add(partners.tests);
        if pairs.len() >= room || tests.are_too_many() {
            break;
        }
    }
    pairs
}

/// Collects the later triangles that intersect one triangle.
struct Partners<'a> {
    topology: &'a Topology<'a>,
    tree: &'a Bvh<Aabb32, 8>,
    triangle: u32,
    corners: Triangle,
    bounds: Aabb,
    found: Vec<u32>,
    /// Number of triangles whose boxes meet its box.
    tests: u64,
}

impl Visitor for Partners<'_> {
    fn cutoff(&self) -> f32 {
        0.0
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        for &other in self.tree.primitives(leaf) {
            if other > self.triangle {
                let corners = self.topology.mesh().corners(other);
                if !self.bounds.overlaps(&Aabb::from_points(corners)) {
                    continue;
                }
                self.tests += 1;
                if intersect_beyond_shared(self.topology, (self.triangle, &self.corners), (other, &corners)) {
                    self.found.push(other);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Reports whether two triangles meet elsewhere than in a vertex or an edge of both. In: their numbers and corners.
pub(super) fn intersect_beyond_shared(topology: &Topology, a: (u32, &Triangle), b: (u32, &Triangle)) -> bool {
    let (ids_a, ids_b) = (topology.corners(a.0), topology.corners(b.0));
    if ids_a.iter().any(|id| ids_b.contains(id)) {
        meet_beyond_shared((&ids_a, a.1), (&ids_b, b.1))
    } else {
        triangles_intersect(a.1, b.1)
    }
}

/// Reports whether two triangles with one or two common vertices meet elsewhere than in that vertex or in the edge
/// between the two. Returns false for three common vertices, and for none, which is another query. In: for each
/// triangle the numbers of its corners, which decide the common vertices, and their positions. Exact, degenerate
/// triangles included.
pub fn meet_beyond_shared((ids_a, a): (&[u32; 3], &Triangle), (ids_b, b): (&[u32; 3], &Triangle)) -> bool {
    let place_of = |id: u32| a[ids_a.iter().position(|&other| other == id).unwrap_or(0)];
    let shared = |corner: usize| ids_b.contains(&ids_a[corner]).then_some(ids_a[corner]);
    match distinct([shared(0), shared(1), shared(2)]) {
        [Some(v), None, _] => meet_beyond_vertex(place_of(v), &rest((ids_a, a), v), a, &rest((ids_b, b), v), b),
        [Some(p), Some(q), None] => {
            let apex = |ids: &[u32; 3]| ids.iter().position(|&id| id != p && id != q);
            match (apex(ids_a), apex(ids_b)) {
                (Some(i), Some(j)) => meet_beyond_edge(place_of(p), place_of(q), a[i], b[j]),
                // One of the two triangles equals the shared edge.
                _ => false,
            }
        }
        _ => false,
    }
}

/// Returns the different values among three, in order, then `None`.
fn distinct(values: [Option<u32>; 3]) -> [Option<u32>; 3] {
    let mut out = [None; 3];
    let mut count = 0;
    for value in values.into_iter().flatten() {
        if !out.contains(&Some(value)) {
            out[count] = Some(value);
            count += 1;
        }
    }
    out
}

/// Returns the remaining corners of a triangle without one that is `v` (two may be at the place of `v`).
fn rest((ids, corners): (&[u32; 3], &Triangle), v: u32) -> [Vec3; 2] {
    let at = ids.iter().position(|&id| id == v).unwrap_or(2);
    [corners[(at + 1) % 3], corners[(at + 2) % 3]]
}

/// Reports whether a plane through v provably separates two triangles, except at v. Its normal is the difference of the
/// directions of the triangles. This quickly rejects the triangles of a fan, each of which meets every other at v.
fn surely_part_at(v: Vec3, a: &[Vec3; 2], b: &[Vec3; 2]) -> bool {
    let (a, b) = ([a[0] - v, a[1] - v], [b[0] - v, b[1] - v]);
    let across = (a[0] + a[1]).normalize_or_zero() - (b[0] + b[1]).normalize_or_zero();
    // Any vector is valid; differences and dot products err by two epsilons of this, or underflow.
    let doubt = |p: Vec3| 8.0 * f64::EPSILON * across.abs().dot(p.abs()) + 1e-300;
    a.iter().all(|&p| across.dot(p) > doubt(p)) && b.iter().all(|&p| across.dot(p) < -doubt(p))
}

/// Reports whether triangles `[v, a0, a1]` and `[v, b0, b1]` have more in common than `v`.
fn meet_beyond_vertex(v: Vec3, a: &[Vec3; 2], whole_a: &Triangle, b: &[Vec3; 2], whole_b: &Triangle) -> bool {
    if surely_part_at(v, a, b) {
        return false;
    }
    // The usual case: one triangle lies strictly on one side of the second one's plane, except at v.
    let side = |corners: &Triangle, points: &[Vec3; 2]| {
        let [first, second] = points.map(|point| orient3d(corners[0], corners[1], corners[2], point));
        first == second && first != Sign::Zero
    };
    if side(whole_a, b) || side(whole_b, a) {
        return false;
    }
    far_side_meets(v, a, whole_b) || far_side_meets(v, b, whole_a)
}

/// Reports whether the part of the triangle of `v` and `far` most distant from `v` in each direction meets `other`.
fn far_side_meets(v: Vec3, far: &[Vec3; 2], other: &Triangle) -> bool {
    let [p, q] = *far;
    if point_on_triangle(v, &[p, q, q]) {
        // The triangle is a segment that ends at p and q, with v between them or at one of them.
        far.iter().any(|&end| end != v && point_on_triangle(end, other))
    } else {
        segment_intersects_triangle(p, q, other)
    }
}

/// Reports whether triangles `[p, q, a]` and `[p, q, b]` have more in common than the edge from `p` to `q`.
fn meet_beyond_edge(p: Vec3, q: Vec3, a: Vec3, b: Vec3) -> bool {
    if orient3d(p, q, a, b) != Sign::Zero {
        return false;
    }
    match (is_degenerate(&[p, q, a]), is_degenerate(&[p, q, b])) {
        (false, false) => same_side(p, q, a, b),
        // A proper triangle meets the line of its edge in that edge only.
        (true, false) | (false, true) => false,
        (true, true) => {
            // All on one line, along which any coordinate in which p and q differ is monotone.
            let axis = (0..3).find(|&axis| p[axis] != q[axis]).unwrap_or(0);
            let (low, high) = (p[axis].min(q[axis]), p[axis].max(q[axis]));
            (a[axis] < low && b[axis] < low) || (a[axis] > high && b[axis] > high)
        }
    }
}

/// Reports whether `a` and `b`, in one plane with the line of `p` and `q` and off it, lie on the same side of the line.
fn same_side(p: Vec3, q: Vec3, a: Vec3, b: Vec3) -> bool {
    // Along one of the axes the plane is not seen edge-on.
    let views: [fn(Vec3) -> Vec2; 3] = [|v| Vec2::new(v.y, v.z), |v| Vec2::new(v.z, v.x), |v| Vec2::new(v.x, v.y)];
    views.iter().any(|view| {
        let side = orient2d(view(p), view(q), view(a));
        side != Sign::Zero && side == orient2d(view(p), view(q), view(b))
    })
}
