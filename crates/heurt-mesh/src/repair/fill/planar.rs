//! Constrained Delaunay triangulation of planar holes; nested loops in one plane are one region with holes.
//!
//! In: hole loops and a tolerance for planarity. Out: the regions, each an outer loop with the loops inside it, and
//! their triangulations.
//! Method: a loop is planar if all its vertices lie within the tolerance of the plane through its centroid along its
//! Newell normal. A planar loop that lies in the plane of another loop and inside it is its child. A child that runs in
//! the opposite direction is a hole of the region; one that runs in the same direction is a region of its own. A region
//! is projected along the axis nearest to its normal and triangulated by the crate `spade` with the loops as
//! constraints; triangles are inside if a path from outside crosses an odd number of constraints.
//! Guarantees: the triangulation uses exactly the border edges of its loops, each once, in their direction; this is
//! checked. No vertex is added. All decisions in the projection are exact.
//! Not guaranteed: that a region has a triangulation: loops that cross themselves or each other in the projection have
//! none.
//! Cost: O(n log n) expected, and the pairs of loops whose boxes are nested.

use std::collections::VecDeque;

use heurt_geometry::{Aabb, Sign, Vec2, Vec3, direction_of, orient2d, units_in_a_metre};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use crate::tree_query::BoxTree;

/// A planar hole: an outer loop, then the loops inside it, by number.
pub(super) type Region = Vec<usize>;

/// A plane through a point, with a unit normal.
#[derive(Debug, Clone, Copy)]
struct Plane {
    point: Vec3,
    normal: Vec3,
}

/// Projection along a coordinate axis, mirrored so that the loop of the plane runs counter-clockwise.
#[derive(Debug, Clone, Copy)]
struct Projection {
    axis: usize,
    mirrored: bool,
}

impl Projection {
    fn along(normal: Vec3) -> Self {
        let size = normal.abs();
        let axis = if size.z >= size.x && size.z >= size.y {
            2
        } else if size.y >= size.x {
            1
        } else {
            0
        };
        Self { axis, mirrored: normal[axis] < 0.0 }
    }

    /// Drops a coordinate. Adding 0 turns −0 into 0.
    fn apply(self, point: Vec3) -> Vec2 {
        let [u, v] = match self.axis {
            0 => [point.y, point.z],
            1 => [point.z, point.x],
            _ => [point.x, point.y],
        };
        if self.mirrored { Vec2::new(v + 0.0, u + 0.0) } else { Vec2::new(u + 0.0, v + 0.0) }
    }
}

/// A planar loop inside another loop of the same plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::repair) struct Nested {
    pub(in crate::repair) inner: usize,
    pub(in crate::repair) outer: usize,
    /// Both run in the same direction.
    pub(in crate::repair) agree: bool,
}

/// Finds the planar loops inside other loops; each is paired with the smallest loop around it.
pub(in crate::repair) fn nested(loops: &[Vec<u32>], places: &[Vec3], tolerance: f64) -> Vec<Nested> {
    let planes: Vec<Option<Plane>> = loops.iter().map(|cycle| plane_of(cycle, places, tolerance)).collect();
    let parents = parents(loops, places, &planes, tolerance);
    let pair = |(inner, parent): (usize, &Option<usize>)| {
        let outer = (*parent)?;
        let agree = planes[inner]?.normal.dot(planes[outer]?.normal) > 0.0;
        Some(Nested { inner, outer, agree })
    };
    parents.iter().enumerate().filter_map(pair).collect()
}

/// Groups the planar loops into regions, in the order of their outer loops.
pub(super) fn regions(loops: &[Vec<u32>], places: &[Vec3], tolerance: f64) -> Vec<Region> {
    let planes: Vec<Option<Plane>> = loops.iter().map(|cycle| plane_of(cycle, places, tolerance)).collect();
    let parents = parents(loops, places, &planes, tolerance);
    // A parent comes before its children in the order of descending box size, but not by number: resolve along the
    // chain.
    let is_hole = |number: usize| -> bool {
        let Some(parent) = parents[number] else { return false };
        let is_opposite = |a: usize, b: usize| match (planes[a], planes[b]) {
            (Some(a), Some(b)) => a.normal.dot(b.normal) < 0.0,
            _ => false,
        };
        // The role depends on the role of the parent: count how often the direction alternates along the chain upward.
        let mut chain = vec![number, parent];
        while let Some(next) = parents[chain[chain.len() - 1]].filter(|_| chain.len() <= loops.len()) {
            chain.push(next);
        }
        chain.windows(2).rev().fold(false, |parent_is_hole, pair| !parent_is_hole && is_opposite(pair[0], pair[1]))
    };
    let roles: Vec<bool> = (0..loops.len()).map(is_hole).collect();
    let mut holes = vec![Vec::new(); loops.len()];
    for (number, parent) in parents.iter().enumerate().filter(|&(number, _)| roles[number]) {
        parent.iter().for_each(|&parent| holes[parent].push(number));
    }
    let outer = (0..loops.len()).filter(|&number| planes[number].is_some() && !roles[number]);
    outer.map(|number| [number].into_iter().chain(std::mem::take(&mut holes[number])).collect()).collect()
}

/// The plane of a loop; `None` if a vertex is farther than `tolerance` from it, or if the loop encloses no area.
fn plane_of(cycle: &[u32], places: &[Vec3], tolerance: f64) -> Option<Plane> {
    let at = |vertex: u32| places[vertex as usize];
    let origin = at(cycle[0]);
    let count = cycle.len() as f64;
    let centroid = cycle.iter().fold(Vec3::ZERO, |sum, &vertex| sum + (at(vertex) - origin) / count);
    let size = cycle.iter().map(|&vertex| (at(vertex) - origin - centroid).abs().max_element()).fold(0.0, f64::max);
    // In units of the size of the loop, products stay in range.
    let local = |vertex: u32| (at(vertex) - origin - centroid) * units_in_a_metre(size);
    let pairs = cycle.iter().zip(cycle.iter().cycle().skip(1));
    let normal = pairs.fold(Vec3::ZERO, |sum, (&a, &b)| sum + local(a).cross(local(b)));
    let plane = Plane { point: origin + centroid, normal: direction_of(normal)? };
    cycle.iter().all(|&vertex| plane.distance(at(vertex)) <= tolerance).then_some(plane)
}

impl Plane {
    fn distance(&self, point: Vec3) -> f64 {
        self.normal.dot(point - self.point).abs()
    }
}

/// For each planar loop, the smallest loop of the same plane that contains it.
fn parents(loops: &[Vec<u32>], places: &[Vec3], planes: &[Option<Plane>], tolerance: f64) -> Vec<Option<usize>> {
    let reach = Vec3::splat(tolerance);
    let boxes: Vec<Aabb> = loops
        .iter()
        .map(|cycle| Aabb::from_points(cycle.iter().map(|&vertex| places[vertex as usize])))
        .map(|bounds| Aabb { min: bounds.min - reach, max: bounds.max + reach })
        .collect();
    let tree = BoxTree::new(boxes.clone());
    let size = |number: usize| (boxes[number].max - boxes[number].min).length();
    let mut near = Vec::new();
    let mut parent_of = |child: usize| {
        planes[child]?;
        near.clear();
        tree.meeting(&boxes[child], &mut near);
        let candidates = near.iter().map(|&number| number as usize).filter(|&number| number != child);
        let holders = candidates.filter(|&outer| {
            let Some(plane) = planes[outer] else { return false };
            size(outer) >= size(child)
                && boxes[outer].contains(boxes[child].min + reach)
                && boxes[outer].contains(boxes[child].max - reach)
                && loops[child].iter().all(|&vertex| plane.distance(places[vertex as usize]) <= 2.0 * tolerance)
                && is_inside(&loops[outer], &loops[child], places, Projection::along(plane.normal))
        });
        holders.min_by(|&a, &b| size(a).total_cmp(&size(b)).then(a.cmp(&b)))
    };
    (0..loops.len()).map(&mut parent_of).collect()
}

/// Reports whether a vertex of `inner` that is no vertex of `outer` lies inside `outer`, in the projection.
fn is_inside(outer: &[u32], inner: &[u32], places: &[Vec3], projection: Projection) -> bool {
    let Some(&probe) = inner.iter().find(|vertex| !outer.contains(vertex)) else { return false };
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
    let projection = Projection::along(plane.normal);
    let vertices: Vec<u32> = cycles.concat();
    let mut points = Vec::with_capacity(vertices.len());
    for &vertex in &vertices {
        let point = projection.apply(places[vertex as usize]);
        // The crate refuses tinier numbers. The triangles are tested in space, with the numbers as they are.
        let snapped = point.to_array().map(|x| if x.abs() < spade::MIN_ALLOWED_VALUE { 0.0 } else { x });
        let point = Point2::new(snapped[0], snapped[1]);
        spade::validate_vertex(&point).ok()?;
        points.push(point);
    }
    let mut edges = Vec::with_capacity(vertices.len());
    let mut first = 0;
    for cycle in cycles {
        edges.extend((0..cycle.len()).map(|k| [first + k, first + (k + 1) % cycle.len()]));
        first += cycle.len();
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
