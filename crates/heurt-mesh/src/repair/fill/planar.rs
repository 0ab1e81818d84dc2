//! Constrained Delaunay triangulation of planar holes; nested loops in one plane are one region with holes.
//!
//! In: hole loops and a tolerance for planarity. Out: the regions, each an outer loop with the loops inside it, and
//! their triangulations.
//! Method: a loop is planar if all its vertices lie within the tolerance of the plane through its centroid along its
//! Newell normal. A planar loop that lies in the plane of another loop and inside it is its child. A child that runs in
//! the opposite direction is a hole of the region; one that runs in the same direction is a region of its own. The rim
//! of a flat sheet and the holes in the sheet bound no region: the sheet is there. A region
//! is projected along the axis nearest to its normal and triangulated by the crate `spade` with the loops as
//! constraints; triangles are inside if a path from outside crosses an odd number of constraints.
//! Guarantees: the triangulation uses exactly the border edges of its loops, each once, in their direction; this is
//! checked. No vertex is added. All decisions in the projection are exact.
//! Not guaranteed: that a region has a triangulation: loops that cross themselves or each other in the projection have
//! none.
//! Cost: O(n log n) expected, and the pairs of loops whose boxes are nested, up to a budget; beyond it the nesting of
//! loops is unknown, and they are in no region.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use heurt_geometry::{Aabb, Sign, Vec2, Vec3, orient2d, power_of_two_scale, robust_normalize};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use crate::Topology;
use crate::axis_projection::AxisProjection;
use crate::topology::previous_in_triangle;
use crate::tree_query::BoxTree;

/// A planar hole: an outer loop, then the loops inside it, by number.
pub(super) type LoopRegion = Vec<usize>;

/// A plane through a point, with a unit normal.
#[derive(Debug, Clone, Copy)]
struct LoopPlane {
    point: Vec3,
    normal: Vec3,
}

/// A planar loop inside another loop of the same plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::repair) struct Nested {
    pub(in crate::repair) inner: usize,
    pub(in crate::repair) outer: usize,
    /// Both run in the same direction.
    pub(in crate::repair) agree: bool,
}

/// Finds the planar loops inside other loops; each is paired with the smallest loop around it, as far as the budget
/// goes.
pub(in crate::repair) fn nested(loops: &[Vec<u32>], places: &[Vec3], tolerance: f64) -> Vec<Nested> {
    let planes: Vec<Option<LoopPlane>> = loops.iter().map(|cycle| plane_of(cycle, places, tolerance)).collect();
    let parents = parents(loops, places, &planes, tolerance).parent_of;
    let pair = |(inner, parent): (usize, &Option<usize>)| {
        let outer = (*parent)?;
        let agree = planes[inner]?.normal.dot(planes[outer]?.normal) > 0.0;
        Some(Nested { inner, outer, agree })
    };
    parents.iter().enumerate().filter_map(pair).collect()
}

/// The planar loops in regions, and the loops whose nesting is not known.
pub(super) struct Regions {
    /// In the order of their outer loops.
    pub(super) regions: Vec<LoopRegion>,
    /// By loop: the budget was used up before the loops around it, or those in it, were found.
    pub(super) is_unknown: Vec<bool>,
    /// By loop: it is the rim of a flat sheet.
    pub(super) is_rim: Vec<bool>,
}

/// Groups the planar loops into regions. Loops of unknown nesting are in none: filling one could close what is in it.
pub(super) fn regions(loops: &[Vec<u32>], topology: &Topology, tolerance: f64) -> Regions {
    let places = topology.mesh().vertices();
    let planes: Vec<Option<LoopPlane>> = loops.iter().map(|cycle| plane_of(cycle, places, tolerance)).collect();
    let Parents { parent_of, mut is_unknown } = parents(loops, places, &planes, tolerance);
    let covered: Vec<CoveredSides> = loops
        .iter()
        .zip(&planes)
        .map(|(cycle, plane)| {
            plane.map_or_else(CoveredSides::default, |plane| plane.covered(cycle, topology, tolerance))
        })
        .collect();
    let is_hole_of = |inner: usize, outer: usize| match (planes[inner], planes[outer]) {
        (Some(a), Some(b)) => a.normal.dot(b.normal) < 0.0 && !covered[inner].outside && !covered[outer].inside,
        _ => false,
    };
    let roles = roles(&parent_of, is_hole_of);
    let mut holes = vec![Vec::new(); loops.len()];
    for (number, parent) in parent_of.iter().enumerate().filter(|&(number, _)| roles[number]) {
        if let Some(parent) = *parent {
            holes[parent].push(number);
            // A hole of a region that is left is left as well: by itself it would be filled like a hole of its own.
            is_unknown[number] |= is_unknown[parent];
        }
    }
    let is_outer = |&number: &usize| planes[number].is_some() && !roles[number] && !is_unknown[number];
    let outer = (0..loops.len()).filter(is_outer);
    let regions = outer.map(|number| [number].into_iter().chain(std::mem::take(&mut holes[number])).collect());
    let regions = regions.collect();
    Regions { regions, is_unknown, is_rim: covered.iter().map(|covered| covered.inside).collect() }
}

/// By loop, whether it is a hole of its parent: `may_be_hole` of both, and the parent is no hole.
fn roles(parent_of: &[Option<usize>], may_be_hole: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut roles: Vec<Option<bool>> = vec![None; parent_of.len()];
    let mut chain = Vec::new();
    for number in 0..parent_of.len() {
        // Upward to a loop whose role is known. Two loops that cross may contain each other: the first loop is no hole.
        let mut next = Some(number);
        while let Some(number) = next.filter(|&number| roles[number].is_none()) {
            roles[number] = Some(false);
            chain.push(number);
            next = parent_of[number];
        }
        while let Some(number) = chain.pop() {
            let is_hole = |parent: usize| roles[parent] == Some(false) && may_be_hole(number, parent);
            roles[number] = Some(parent_of[number].is_some_and(is_hole));
        }
    }
    roles.into_iter().map(|role| role == Some(true)).collect()
}

/// The plane of a loop; `None` if a vertex is farther than `tolerance` from it, or if the loop encloses no area.
fn plane_of(cycle: &[u32], places: &[Vec3], tolerance: f64) -> Option<LoopPlane> {
    let at = |vertex: u32| places[vertex as usize];
    let origin = at(cycle[0]);
    let count = cycle.len() as f64;
    let centroid = cycle.iter().fold(Vec3::ZERO, |sum, &vertex| sum + (at(vertex) - origin) / count);
    let size = cycle.iter().map(|&vertex| (at(vertex) - origin - centroid).abs().max_element()).fold(0.0, f64::max);
    // In units of the size of the loop, products stay in range.
    let local = |vertex: u32| (at(vertex) - origin - centroid) * power_of_two_scale(size);
    let pairs = cycle.iter().zip(cycle.iter().cycle().skip(1));
    let normal = pairs.fold(Vec3::ZERO, |sum, (&a, &b)| sum + local(a).cross(local(b)));
    let plane = LoopPlane { point: origin + centroid, normal: robust_normalize(normal)? };
    cycle.iter().all(|&vertex| plane.distance(at(vertex)) <= tolerance).then_some(plane)
}

impl LoopPlane {
    fn distance(&self, point: Vec3) -> f64 {
        self.normal.dot(point - self.point).abs()
    }
}

/// The sides of a planar loop on which triangles of the mesh at its edges lie in its plane.
///
/// The loop around a flat sheet is covered inside, and a hole in a sheet is covered outside. The region between both is
/// the sheet itself, and no missing face.
#[derive(Debug, Clone, Copy, Default)]
struct CoveredSides {
    inside: bool,
    outside: bool,
}

impl LoopPlane {
    fn covered(self, cycle: &[u32], topology: &Topology, tolerance: f64) -> CoveredSides {
        let mut covered = CoveredSides::default();
        let projection = AxisProjection::along(self.normal);
        for (&a, &b) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            let Some(edge) = topology.edge_between(a, b) else { continue };
            for (half_edge, _) in edge.half_edges() {
                let [a, b, apex] = [a, b, topology.origin(previous_in_triangle(half_edge))]
                    .map(|vertex| topology.mesh().vertices()[vertex as usize]);
                if self.distance(apex) <= tolerance {
                    let side = orient2d(projection.apply(a), projection.apply(b), projection.apply(apex));
                    covered.inside |= side == Sign::Positive;
                    covered.outside |= side == Sign::Negative;
                }
            }
        }
        covered
    }
}

/// The loops around loops.
struct Parents {
    /// By planar loop, the smallest loop of the same plane that contains it.
    parent_of: Vec<Option<usize>>,
    /// By loop, whether the budget was used up before its parent, or loops that may be in it, were decided.
    is_unknown: Vec<bool>,
}

/// Pairs of boxes, and corners tested against loops, to find the parents of all loops of a mesh: approximately a
/// second.
const NESTING_BUDGET: usize = 1 << 26;

fn parents(loops: &[Vec<u32>], places: &[Vec3], planes: &[Option<LoopPlane>], tolerance: f64) -> Parents {
    let reach = Vec3::splat(tolerance);
    let boxes: Vec<Aabb> = loops
        .iter()
        .map(|cycle| Aabb::from_points(cycle.iter().map(|&vertex| places[vertex as usize])))
        .map(|bounds| Aabb { min: bounds.min - reach, max: bounds.max + reach })
        .collect();
    let tree = BoxTree::new(boxes.clone());
    let size = |number: usize| (boxes[number].max - boxes[number].min).length();
    let mut budget = NESTING_BUDGET;
    let mut undecided = Aabb::EMPTY;
    let mut near = Vec::new();
    let mut parent_of = vec![None; loops.len()];
    for (child, cycle) in loops.iter().enumerate().filter(|&(child, _)| planes[child].is_some()) {
        if budget == 0 {
            undecided = undecided.union(boxes[child]);
            continue;
        }
        near.clear();
        tree.meeting(&boxes[child], &mut near);
        budget = budget.saturating_sub(near.len());
        let mut best: Option<(f64, usize)> = None;
        for outer in near.iter().map(|&number| number as usize).filter(|&number| number != child) {
            let Some(plane) = planes[outer] else { continue };
            let is_around = size(outer) >= size(child)
                && best.is_none_or(|(least, _)| size(outer) < least)
                && boxes[outer].contains(boxes[child].min + reach)
                && boxes[outer].contains(boxes[child].max - reach);
            if !is_around {
                continue;
            }
            budget = budget.saturating_sub(cycle.len());
            if cycle.iter().all(|&vertex| plane.distance(places[vertex as usize]) <= 2.0 * tolerance)
                && is_inside(&loops[outer], cycle, places, AxisProjection::along(plane.normal), &mut budget)
            {
                best = Some((size(outer), outer));
            }
            if budget == 0 {
                break;
            }
        }
        if budget == 0 {
            undecided = undecided.union(boxes[child]);
        } else {
            parent_of[child] = best.map(|(_, outer)| outer);
        }
    }
    let is_unknown = boxes.iter().map(|bounds| !undecided.is_empty() && bounds.overlaps(&undecided)).collect();
    Parents { parent_of, is_unknown }
}

/// Reports whether a vertex of `inner` that is no vertex of `outer` lies inside `outer`, in the projection; takes the
/// corners that it looks at from the budget.
fn is_inside(outer: &[u32], inner: &[u32], places: &[Vec3], projection: AxisProjection, budget: &mut usize) -> bool {
    let probe = inner.iter().find(|vertex| {
        *budget = budget.saturating_sub(outer.len());
        *budget == 0 || !outer.contains(vertex)
    });
    let Some(&probe) = probe else { return false };
    *budget = budget.saturating_sub(outer.len());
    let seen = |vertex: u32| projection.apply(places[vertex as usize]);
    let point = seen(probe);
    let mut winding = 0i64;
    for (&a, &b) in outer.iter().zip(outer.iter().cycle().skip(1)) {
        let (a, b) = (seen(a), seen(b));
        if a.y <= point.y && b.y > point.y && orient2d(a, b, point) == Sign::Positive {
            winding += 1;
        } else if b.y <= point.y && a.y > point.y && orient2d(a, b, point) == Sign::Negative {
            winding -= 1;
        }
    }
    winding != 0
}

/// Triangulates a region; `None` if the loops cross, or if two vertices coincide in the projection.
pub(super) fn triangulate(cycles: &[&[u32]], places: &[Vec3], tolerance: f64) -> Option<Vec<[u32; 3]>> {
    let plane = plane_of(cycles.first()?, places, tolerance)?;
    let projection = AxisProjection::along(plane.normal);
    // Loops may touch in a vertex: it has one number.
    let (mut vertices, mut index_of) = (Vec::new(), BTreeMap::new());
    for &vertex in cycles.iter().copied().flatten() {
        index_of.entry(vertex).or_insert_with(|| {
            vertices.push(vertex);
            vertices.len() - 1
        });
    }
    let seen: Vec<Vec2> = vertices.iter().map(|&vertex| projection.apply(places[vertex as usize])).collect();
    // A power of two scales the coordinates exactly into the range of the crate.
    let scale = power_of_two_scale(seen.iter().map(|point| point.abs().max_element()).fold(0.0, f64::max));
    let mut points = Vec::with_capacity(vertices.len());
    for point in seen {
        // The crate refuses tinier numbers. The triangles are tested in space, with the numbers as they are.
        let snapped = (point * scale).to_array().map(|x| if x.abs() < spade::MIN_ALLOWED_VALUE { 0.0 } else { x });
        let point = Point2::new(snapped[0], snapped[1]);
        spade::validate_vertex(&point).ok()?;
        points.push(point);
    }
    let mut edges = Vec::with_capacity(vertices.len());
    for cycle in cycles {
        let ends = cycle.iter().zip(cycle.iter().cycle().skip(1));
        edges.extend(ends.map(|(&from, &to)| [index_of[&from], index_of[&to]]));
    }
    let mut crosses = false;
    let cdt = Cdt::try_bulk_load_cdt(points, edges.clone(), |_| crosses = true).ok()?;
    // Coinciding points are merged, and a vertex on a constraint cuts it: both make the numbers differ.
    if crosses || cdt.num_vertices() != vertices.len() || cdt.num_constraints() != edges.len() {
        return None;
    }
    let inside = inside(&cdt);
    uses_exactly(&inside, &edges).then(|| inside.iter().map(|corners| corners.map(|k| vertices[k])).collect())
}

/// Triangulates a polygon with holes of either direction; `None` if it has no area, or if its loops touch, cross or lie
/// outside. Loops have at least three corners.
pub(crate) fn triangulate_with_holes(outline: &[u32], holes: &[Vec<u32>], places: &[Vec3]) -> Option<Vec<[u32; 3]>> {
    let normal = |cycle: &[u32]| plane_of(cycle, places, f64::INFINITY).map(|plane| plane.normal);
    let facing = normal(outline)?;
    let mut opposite = Vec::with_capacity(holes.len());
    for hole in holes {
        let mut hole = hole.clone();
        if normal(&hole)?.dot(facing) > 0.0 {
            hole.reverse();
        }
        opposite.push(hole);
    }
    let cycles: Vec<&[u32]> = std::iter::once(outline).chain(opposite.iter().map(Vec::as_slice)).collect();
    let mut vertices = BTreeSet::new();
    // A hole that touches the outline or another hole is more often a mistake of a file than meant.
    if !cycles.iter().copied().flatten().all(|vertex| vertices.insert(vertex)) {
        return None;
    }
    triangulate(&cycles, places, f64::INFINITY)
}

type Cdt = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// The triangles that a path from outside reaches by crossing an odd number of constraints.
fn inside(cdt: &Cdt) -> Vec<[usize; 3]> {
    let mut is_inside: Vec<Option<bool>> = vec![None; cdt.num_all_faces()];
    let mut queue = VecDeque::new();
    for edge in cdt.directed_edges().filter(|edge| edge.face().is_outer()) {
        if let Some(face) = edge.rev().face().as_inner() {
            let value = edge.is_constraint_edge();
            if is_inside[face.fix().index()].replace(value).is_none() {
                queue.push_back((face.fix(), value));
            }
        }
    }
    while let Some((face, here)) = queue.pop_front() {
        for edge in cdt.face(face).adjacent_edges() {
            let Some(next) = edge.rev().face().as_inner() else { continue };
            let known = &mut is_inside[next.fix().index()];
            if known.is_none() {
                let value = here ^ edge.is_constraint_edge();
                *known = Some(value);
                queue.push_back((next.fix(), value));
            }
        }
    }
    let faces = cdt.inner_faces().filter(|face| is_inside[face.fix().index()] == Some(true));
    faces.map(|face| face.vertices().map(|vertex| vertex.fix().index())).collect()
}

/// Reports whether the border of `triangles` is exactly `edges`, each once and in its direction.
fn uses_exactly(triangles: &[[usize; 3]], edges: &[[usize; 2]]) -> bool {
    let mut half_edges: Vec<[usize; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    half_edges.sort_unstable();
    let mut border: Vec<[usize; 2]> =
        half_edges.iter().copied().filter(|&[a, b]| half_edges.binary_search(&[b, a]).is_err()).collect();
    border.dedup();
    let mut edges = edges.to_vec();
    edges.sort_unstable();
    border == edges
}
