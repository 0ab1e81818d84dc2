//! Maps of the plane from outlines: polygons with holes, with islands in the holes, and so on.
//!
//! In: closed outlines as points of the plane, in metres, in either direction. Out: triangles over the points that lie
//! inside an odd number of outlines, counter-clockwise.
//! Method: constrained Delaunay triangulation by the crate `spade`; each outline edge is followed along the edges of
//! the triangulation that it consists of, and the triangles are reported from outside inwards by counting the outlines
//! crossed.
//! Guarantees: points at the same place are one; outlines may touch in points and along edges; edges that cross are all
//! listed. No point is added unless a largest area is given (Delaunay refinement, Ruppert 1995, by `spade`).
//! Cost: O(n log n) expected. Points of long strips are inserted from end to end: seen from their middle,
//! where `spade` would begin, they all lie in two directions, and each would cost O(n).

use crate::build::{BuildError, Built, Orient};
use crate::map::Map2;
use heurt_geometry::{Vec2, orient2d};
use spade::handles::{FaceHandle, FixedFaceHandle, FixedVertexHandle, InnerTag, PossiblyOuterTag};
use spade::{
    AngleLimit, CdtEdge, ConstrainedDelaunayTriangulation, InsertionError, Point2, RefinementParameters, Triangulation,
};
use std::collections::VecDeque;
use thiserror::Error;

/// A triangulated part of the plane.
#[derive(Debug, Clone)]
pub struct Outlined {
    /// The triangles. Vertices are those of `points`; corners of outlines that no triangle uses have none.
    pub built: Built<2>,
    /// The points, in metres, each once, in the order in which the outlines have them; then added points.
    pub points: Vec<Vec2>,
}

/// A fault of outlines.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OutlineFault {
    /// A coordinate is not finite, larger than 2²⁰¹, or smaller than 2⁻¹⁴² and not 0: the range of the triangulation.
    #[error("corner {corner} of outline {outline} is [{}, {}]: give 0 or numbers between 1.8e-43 and 3.2e60", point.x, point.y)]
    OutOfRange {
        /// The outline.
        outline: usize,
        /// The corner.
        corner: usize,
        /// The coordinates.
        point: Vec2,
    },
    /// An outline has fewer than three corners at different places.
    #[error("outline {outline} has {count} corners at different places: give at least 3")]
    TooFewCorners {
        /// The outline.
        outline: usize,
        /// Number of corners.
        count: usize,
    },
    /// An edge crosses another one.
    #[error("edge {edge} of outline {outline} crosses another edge: cut both where they meet")]
    Crossing {
        /// The outline.
        outline: usize,
        /// The edge, from the corner of its number to the next.
        edge: usize,
    },
    /// The outlines enclose nothing.
    #[error("the outlines enclose no area")]
    Empty,
    /// The triangles form no map.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// The number of points from which strips are inserted from end to end.
const STRIP_POINTS: usize = 4096;

/// The largest area of a long strip by its squared extent: a corridor a thousand times as long as it is wide.
const STRIP_AREA: f64 = 1e-3;

/// Points, each place once, and the point of each corner.
struct Corners {
    points: Vec<Vec2>,
    of: Vec<Vec<u32>>,
}

impl Map2 {
    /// Triangulates the points that lie inside an odd number of outlines.
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_map::Map2;
    /// let square = |low: f64, high: f64| [[low, low], [high, low], [high, high], [low, high]].map(Vec2::from_array);
    /// // A square with a square hole.
    /// let plan = Map2::from_outlines(&[square(0.0, 3.0), square(1.0, 2.0)]).map_err(|faults| faults[0].clone())?;
    /// let map = &plan.built.map;
    /// assert_eq!((map.cell_counts()[0], map.euler_characteristic()), (8, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// All faults of the first kind of check that finds any.
    pub fn from_outlines<O: AsRef<[Vec2]>>(outlines: &[O]) -> Result<Outlined, Vec<OutlineFault>> {
        Self::from_outlines_with(outlines, None)
    }

    /// Triangulates the points that lie inside an odd number of outlines. With `largest_area`, in square metres, adds
    /// points inside while triangles are larger or have angles below 25°. Edges of outlines stay whole: next to long
    /// edges triangles stay large, so cut these first.
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_map::Map2;
    /// // A square of 4 m whose sides are cut into pieces of 1 m.
    /// let corners = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]].map(Vec2::from_array);
    /// let side = |k: usize| (0..4).map(move |piece| corners[k].lerp(corners[(k + 1) % 4], f64::from(piece) / 4.0));
    /// let square: Vec<Vec2> = (0..4).flat_map(side).collect();
    /// let plan = Map2::from_outlines_with(&[square], Some(0.5)).map_err(|faults| faults[0].clone())?;
    /// assert!(plan.built.map.cell_counts()[2] >= 32);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_outlines`](Self::from_outlines).
    pub fn from_outlines_with<O: AsRef<[Vec2]>>(
        outlines: &[O],
        largest_area: Option<f64>,
    ) -> Result<Outlined, Vec<OutlineFault>> {
        let Corners { mut points, mut of } = corners(outlines)?;
        let order = strip_order(&points, &of);
        if let Some(order) = &order {
            (points, of) = in_order(order, &points, &of);
        }
        let mut edges = Vec::new();
        let mut place_of = Vec::new();
        for (outline, corners) in of.iter().enumerate() {
            for (corner, &from) in corners.iter().enumerate() {
                let to = corners[(corner + 1) % corners.len()];
                if from != to {
                    edges.push([from as usize, to as usize]);
                    place_of.push((outline, corner));
                }
            }
        }
        let vertices = points.iter().map(|point| Point2::new(point.x, point.y)).collect();
        let mut crossing = Vec::new();
        // Vertices are distinct, so that the numbers of conflicting edges are those of `edges`.
        let plane = match order {
            None => OutlinePlane::try_bulk_load_cdt(vertices, edges.clone(), |edge| crossing.push(edge)),
            Some(_) => insert_one_by_one(vertices, &edges, &mut crossing),
        };
        let mut plane = plane.map_err(|_: InsertionError| vec![OutlineFault::Empty])?;
        crossing.sort_unstable();
        let faults: Vec<OutlineFault> = edges
            .iter()
            .zip(&place_of)
            .filter(|&(&[from, to], _)| [[from, to], [to, from]].iter().any(|e| crossing.binary_search(e).is_ok()))
            .map(|(_, &(outline, edge))| OutlineFault::Crossing { outline, edge })
            .collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        if let Some(area) = largest_area {
            divide(&mut plane, &points, &edges, area);
            let added = plane.vertices().skip(points.len()).map(|vertex| vertex.position());
            points.extend(added.map(|point| Vec2::new(point.x, point.y)));
        }
        let mut triangles = inside(&plane, &points, &edges);
        if triangles.is_empty() {
            return Err(vec![OutlineFault::Empty]);
        }
        if let Some(order) = &order {
            restore_order(order, &mut points, &mut triangles);
        }
        let built = Self::from_polygons(points.len(), triangles, Orient::Keep);
        Ok(Outlined { built: built.map_err(|error| vec![error.into()])?, points })
    }
}

/// Returns the order of the points of a strip from end to end; `None` if outlines are no long strip.
fn strip_order(points: &[Vec2], of: &[Vec<u32>]) -> Option<Vec<u32>> {
    let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
    let [low, high] = points.iter().fold(empty, |[low, high], &point| [low.min(point), high.max(point)]);
    let ring_area = |ring: &Vec<u32>| {
        let corner = |k: usize| points[ring[k % ring.len()] as usize] - low;
        0.5 * (0..ring.len()).map(|k| corner(k).perp_dot(corner(k + 1))).sum::<f64>().abs()
    };
    let area: f64 = of.iter().map(ring_area).sum();
    let extent = high - low;
    if points.len() < STRIP_POINTS || area > STRIP_AREA * extent.length_squared() {
        return None;
    }
    let place = |point: Vec2| if extent.x >= extent.y { [point.x, point.y] } else { [point.y, point.x] };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&a, &b| {
        let [[x, y], [u, v]] = [a, b].map(|point| place(points[point as usize]));
        x.total_cmp(&u).then(y.total_cmp(&v))
    });
    Some(order)
}

/// Returns the points in an order, and the corners of outlines among them.
fn in_order(order: &[u32], points: &[Vec2], of: &[Vec<u32>]) -> (Vec<Vec2>, Vec<Vec<u32>>) {
    let mut place = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(&point, number)| place[point as usize] = number);
    let ring = |ring: &Vec<u32>| ring.iter().map(|&corner| place[corner as usize]).collect();
    (order.iter().map(|&point| points[point as usize]).collect(), of.iter().map(ring).collect())
}

/// Puts the points of outlines back to where they were before [`in_order`]; points that were added stay.
fn restore_order(order: &[u32], points: &mut [Vec2], triangles: &mut [[u32; 3]]) {
    let sorted = points[..order.len()].to_vec();
    order.iter().zip(sorted).for_each(|(&point, at)| points[point as usize] = at);
    for corner in triangles.as_flattened_mut() {
        *corner = order.get(*corner as usize).copied().unwrap_or(*corner);
    }
}

/// Inserts points, each near the point before it, then edges; lists the edges that cross others.
fn insert_one_by_one(
    points: Vec<Point2<f64>>,
    edges: &[[usize; 2]],
    crossing: &mut Vec<[usize; 2]>,
) -> Result<OutlinePlane, InsertionError> {
    let mut plane = OutlinePlane::new();
    for point in points {
        plane.insert(point)?;
    }
    for &[from, to] in edges {
        let [a, b] = [from, to].map(FixedVertexHandle::from_index);
        if plane.can_add_constraint(a, b) {
            plane.add_constraint(a, b);
        } else {
            crossing.push([from, to]);
        }
    }
    Ok(plane)
}

/// Adds vertices until triangles inside are at most so large. Edges of outlines stay whole.
fn divide(plane: &mut OutlinePlane, points: &[Vec2], edges: &[[usize; 2]], area: f64) {
    let corners = |&[from, to]: &[usize; 2]| points[from].perp_dot(points[to]);
    let enclosed = 0.5 * edges.iter().map(corners).sum::<f64>().abs();
    // A triangle of half the area needs half a vertex; the rest is for angles next to outlines.
    let vertices = 4.0 * enclosed / area + 20.0 * points.len() as f64;
    let refinement = RefinementParameters::<f64>::new()
        .keep_constraint_edges()
        .exclude_outer_faces(true)
        .with_angle_limit(AngleLimit::from_deg(25.0))
        .with_max_allowed_area(area)
        .with_max_additional_vertices(vertices.min(1e8) as usize);
    plane.refine(refinement);
}

type OutlinePlane = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// Checks corners and merges corners at the same place.
fn corners<O: AsRef<[Vec2]>>(outlines: &[O]) -> Result<Corners, Vec<OutlineFault>> {
    let mut faults = Vec::new();
    let mut all: Vec<(Vec2, usize, usize)> = Vec::new();
    for (outline, corners) in outlines.iter().enumerate() {
        for (corner, &point) in corners.as_ref().iter().enumerate() {
            if !is_in_range(point) {
                faults.push(OutlineFault::OutOfRange { outline, corner, point });
            }
            all.push((point + Vec2::ZERO, outline, corner)); // −0 becomes 0.
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut sorted: Vec<usize> = (0..all.len()).collect();
    let by_place = |&a: &usize, &b: &usize| {
        let (p, q) = (all[a].0, all[b].0);
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(a.cmp(&b))
    };
    sorted.sort_unstable_by(by_place);
    let mut first: Vec<usize> = (0..all.len()).collect();
    for same in sorted.chunk_by(|&a, &b| all[a].0 == all[b].0) {
        for &corner in same {
            first[corner] = same[0];
        }
    }
    let mut points = Vec::new();
    let mut number = vec![0; all.len()];
    let mut of: Vec<Vec<u32>> = vec![Vec::new(); outlines.len()];
    for (corner, &(point, outline, _)) in all.iter().enumerate() {
        if first[corner] == corner {
            number[corner] = points.len() as u32;
            points.push(point);
        }
        of[outline].push(number[first[corner]]);
    }
    for (outline, corners) in of.iter().enumerate() {
        let mut distinct = corners.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < 3 {
            faults.push(OutlineFault::TooFewCorners { outline, count: distinct.len() });
        }
    }
    if faults.is_empty() { Ok(Corners { points, of }) } else { Err(faults) }
}

/// Reports whether `spade` accepts a point.
pub(crate) fn is_in_range(point: Vec2) -> bool {
    spade::validate_vertex(&Point2::new(point.x, point.y)).is_ok()
}

/// Returns the triangles inside an odd number of outlines, by the number of the face.
fn inside(plane: &OutlinePlane, points: &[Vec2], edges: &[[usize; 2]]) -> Vec<[u32; 3]> {
    let mut crossed = vec![false; plane.num_undirected_edges()];
    for &[from, to] in edges {
        follow(plane, points, from, to, |edge| crossed[edge] ^= true);
    }
    let mut is_inside: Vec<Option<bool>> = vec![None; plane.num_all_faces()];
    let mut queue = VecDeque::new();
    is_inside[plane.outer_face().fix().index()] = Some(false);
    // The outer face has no list of its edges.
    let hull = plane.directed_edges().filter(|edge| edge.face().is_outer());
    for edge in hull {
        enter(edge.rev().face(), crossed[edge.as_undirected().fix().index()], &mut is_inside, &mut queue);
    }
    while let Some((face, here)) = queue.pop_front() {
        for edge in plane.face(face).adjacent_edges() {
            let value = here ^ crossed[edge.as_undirected().fix().index()];
            enter(edge.rev().face(), value, &mut is_inside, &mut queue);
        }
    }
    let is_inside = |face: usize| is_inside[face] == Some(true);
    let inner = plane.inner_faces().filter(|face| is_inside(face.fix().index()));
    inner.map(|face| face.vertices().map(|vertex| vertex.fix().index() as u32)).collect()
}

type Face<'p> = FaceHandle<'p, PossiblyOuterTag, Point2<f64>, (), CdtEdge<()>, ()>;

/// Records whether a face is inside, and pushes it to the queue, unless that is known.
fn enter(
    face: Face<'_>,
    value: bool,
    is_inside: &mut [Option<bool>],
    queue: &mut VecDeque<(FixedFaceHandle<InnerTag>, bool)>,
) {
    let known = &mut is_inside[face.fix().index()];
    if let (None, Some(inner)) = (&known, face.as_inner()) {
        *known = Some(value);
        queue.push_back((inner.fix(), value));
    }
}

/// Calls `edge` with the edges of the triangulation that the segment between two vertices consists of.
fn follow(plane: &OutlinePlane, points: &[Vec2], from: usize, to: usize, mut edge: impl FnMut(usize)) {
    let (start, end) = (points[from], points[to]);
    let mut at = from;
    // Each step comes nearer to the end, so that no vertex comes twice.
    for _ in 0..plane.num_vertices() {
        if at == to {
            return;
        }
        let vertex = plane.vertex(FixedVertexHandle::from_index(at));
        let towards = |next: usize| {
            let point = points[next];
            let along = if (end.x - start.x).abs() >= (end.y - start.y).abs() { 0 } else { 1 };
            let ahead = (point[along] > points[at][along]) == (end[along] > start[along]);
            ahead && point[along] != points[at][along] && orient2d(start, end, point).is_zero()
        };
        let next = vertex.out_edges().find(|out| towards(out.to().fix().index()));
        let Some(next) = next else { return };
        edge(next.as_undirected().fix().index());
        at = next.to().fix().index();
    }
}
