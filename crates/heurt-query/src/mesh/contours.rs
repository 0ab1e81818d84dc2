//! The section of two placed meshes as polylines.
//!
//! Method: the section of every intersecting pair of triangles; their ends carry the features they lie on (a corner, an
//! edge, a triangle of each mesh), and ends on the same features are one: curves are chained by topology, not by
//! comparing rounded coordinates. Bit-equal vertices count as one.
//! Guarantees: deterministic; every segment once; a curve is closed if it returns to its first feature pair, and ends
//! where the number of segments that meet is not two. Surfaces that coincide give the outline of each polygon that a
//! pair of triangles shares, equal outlines once (neighbouring polygons are not merged); a mere touch gives a polyline
//! of one point. Positions are rounded. Cost: O(pairs · log pairs).

use crate::answer::placed::Placed;
use crate::mesh::pairs::mesh_pairs;
use crate::mesh::section_nodes::{Node, feature_at};
use crate::mesh::walk::pair_walk::place;
use heurt_geometry::{Pose, Section, SectionPoint, Sign, Triangle, Vec2, Vec3, orient2d, point_on_triangle, section};
use heurt_shape::MeshShape;
use std::collections::{BTreeMap, BTreeSet};

/// A curve through points of the world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Polyline {
    /// The points in order; one point for a touch.
    pub points: Vec<Vec3>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

impl Polyline {
    /// Lists the segments by their ends, the closing one last; none for a touch in one point.
    pub fn segments(&self) -> impl Iterator<Item = [Vec3; 2]> + '_ {
        let closing = self.points.last().zip(self.points.first()).filter(|_| self.closed && self.points.len() > 1);
        self.points.windows(2).map(|ends| [ends[0], ends[1]]).chain(closing.map(|(last, first)| [*last, *first]))
    }
}

/// Computes the curves in which the placed surfaces meet.
pub fn contours(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose) -> Vec<Polyline> {
    let mut graph = Graph::default();
    let mut outlines = Outlines::default();
    for [i, j] in mesh_pairs(Placed::new(a, pose_a), Placed::new(b, pose_b)) {
        let (x, y) = (place(a, pose_a, i), place(b, pose_b, j));
        let node = |of_x, of_y| Node::new((a.mesh(), i, of_x), (b.mesh(), j, of_y));
        let name = |end: &SectionPoint| node(end.a, end.b);
        match section(&x, &y) {
            Section::None => {}
            Section::Point(end) => {
                graph.position(name(&end), end.position);
            }
            Section::Segment([from, to]) => {
                let (p, q) = (graph.position(name(&from), from.position), graph.position(name(&to), to.position));
                graph.join(p, q);
            }
            Section::Coplanar(points) => match line_ends(&x, &y, &points) {
                Some(ends) => {
                    let numbers = ends.map(|p| graph.position(node(feature_at(p, &x), feature_at(p, &y)), p));
                    graph.join(numbers[0], numbers[1]);
                }
                None => outlines.add(points),
            },
        }
    }
    let mut curves = graph.curves();
    curves.extend(outlines.curves);
    curves
}

/// Finds the ends, maybe equal, of the intersection of coplanar triangles if it lies on a line. The decision is exact
/// and does not depend on the rounded `points`. Returns `None` if the intersection is a polygon.
fn line_ends(x: &Triangle, y: &Triangle, points: &[Vec3]) -> Option<[Vec3; 2]> {
    let mut on_line: Vec<Vec3> = match (plane_of_sight(x), plane_of_sight(y)) {
        (Some(axis), Some(_)) if !(parted_by_edge(x, y, axis) || parted_by_edge(y, x, axis)) => return None,
        // The ends of the common part of two collinear edges are corners, exact ones.
        (Some(_), Some(_)) => {
            let of_x = x.iter().filter(|p| point_on_triangle(**p, y));
            of_x.chain(y.iter().filter(|p| point_on_triangle(**p, x))).copied().collect()
        }
        _ => points.to_vec(),
    };
    // Along a line, order by coordinates is the order on the line.
    on_line.sort_unstable_by(|p, q| p.to_array().partial_cmp(&q.to_array()).unwrap_or(std::cmp::Ordering::Equal));
    Some([*on_line.first()?, *on_line.last()?])
}

/// Returns the point without its coordinate along `axis`.
fn seen_along(p: Vec3, axis: usize) -> Vec2 {
    Vec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3])
}

/// Finds an axis along which the triangle does not collapse; `None` if its corners lie on a line.
fn plane_of_sight(t: &Triangle) -> Option<usize> {
    (0..3).find(|&axis| turn(t, axis) != Sign::Zero)
}

fn turn(t: &Triangle, axis: usize) -> Sign {
    orient2d(seen_along(t[0], axis), seen_along(t[1], axis), seen_along(t[2], axis))
}

/// Reports whether an edge of `x` has no point of `y`, in its plane, strictly on its inner side.
fn parted_by_edge(x: &Triangle, y: &Triangle, axis: usize) -> bool {
    let inner = turn(x, axis);
    (0..3).any(|k| {
        let (from, to) = (seen_along(x[k], axis), seen_along(x[(k + 1) % 3], axis));
        y.iter().all(|p| orient2d(from, to, seen_along(*p, axis)) != inner)
    })
}

/// Ends and the segments between them.
#[derive(Default)]
struct Graph {
    numbers: BTreeMap<Node, usize>,
    positions: Vec<Vec3>,
    segments: BTreeSet<(usize, usize)>,
}

impl Graph {
    /// Returns the number of the end; its first position is kept.
    fn position(&mut self, node: Node, position: Vec3) -> usize {
        let next = self.positions.len();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.positions.push(position);
        }
        number
    }

    /// Adds the segment between two ends, unless they are equal.
    fn join(&mut self, p: usize, q: usize) {
        if p != q {
            self.segments.insert((p.min(q), p.max(q)));
        }
    }

    /// Follows the segments: first from ends at which the number of segments is not two, then around the remaining
    /// loops.
    fn curves(&self) -> Vec<Polyline> {
        let mut neighbours = vec![Vec::new(); self.positions.len()];
        for &(p, q) in &self.segments {
            neighbours[p].push(q);
            neighbours[q].push(p);
        }
        let mut left = self.segments.clone();
        let mut curves = Vec::new();
        let starts = |two: bool| (0..neighbours.len()).map(move |p| (p, two));
        for (start, two) in starts(false).chain(starts(true)) {
            if (neighbours[start].len() == 2) != two {
                continue;
            }
            if neighbours[start].is_empty() {
                curves.push(Polyline { points: vec![self.positions[start]], closed: false });
            }
            for &next in &neighbours[start] {
                if let Some(curve) = self.follow(start, next, &neighbours, &mut left) {
                    curves.push(curve);
                }
            }
        }
        curves
    }

    /// Follows the curve that leaves `start` for `next`, unless it has been followed already.
    fn follow(
        &self,
        start: usize,
        next: usize,
        neighbours: &[Vec<usize>],
        left: &mut BTreeSet<(usize, usize)>,
    ) -> Option<Polyline> {
        let (mut from, mut at) = (start, next);
        let mut points = vec![self.positions[start]];
        if !left.remove(&(from.min(at), from.max(at))) {
            return None;
        }
        while at != start && neighbours[at].len() == 2 {
            points.push(self.positions[at]);
            let onward = if neighbours[at][0] == from { neighbours[at][1] } else { neighbours[at][0] };
            (from, at) = (at, onward);
            left.remove(&(from.min(at), from.max(at)));
        }
        let closed = at == start;
        if !closed {
            points.push(self.positions[at]);
        }
        Some(Polyline { points, closed })
    }
}

/// Polygons that coplanar triangles share, each once.
#[derive(Default)]
struct Outlines {
    seen: BTreeSet<Vec<[u64; 3]>>,
    curves: Vec<Polyline>,
}

impl Outlines {
    fn add(&mut self, points: Vec<Vec3>) {
        let mut key: Vec<[u64; 3]> = points.iter().map(|p| p.to_array().map(|x| (x + 0.0).to_bits())).collect();
        key.sort_unstable();
        key.dedup();
        if !points.is_empty() && self.seen.insert(key) {
            let closed = points.len() > 2;
            self.curves.push(Polyline { points, closed });
        }
    }
}
