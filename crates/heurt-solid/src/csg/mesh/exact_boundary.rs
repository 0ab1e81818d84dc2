//! Boundary of exact convex pieces as a closed mesh, rounded once.
//!
//! In: convex polytopes with disjoint interiors. Out: the closed mesh that bounds their union.
//! Method: a facet of a piece is a flat polytope. Pieces on its opposite side are subtracted from it, plane by plane.
//! The polygons that are left bound the union. Vertices are one if their exact coordinates are. A vertex on an edge of
//! a polygon becomes a corner of it, so that polygons meet in whole edges. Each polygon is cut into triangles by ears.
//! Guarantees: the combinatorics are exact: each edge has as many half-edges of each direction, and no triangle lacks
//! area before its corners are rounded.
//! Cost: facets · pieces and edges · points comparisons of boxes; exact signs where boxes meet.

use crate::polytope::{ExactPlane, Polytope, PolytopeVertex};
use heurt_geometry::{Aabb, Vec3};
use heurt_mesh::TriMesh;
use num_rational::BigRational;
use num_traits::Signed;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A convex polygon of the boundary.
struct BoundaryPolygon {
    /// Its plane, whose normal leads out.
    plane: Arc<ExactPlane>,
    /// Its corners, counter-clockwise seen from outside, as indices of exact points.
    corners: Vec<usize>,
}

/// The exact points of all corners, each once.
#[derive(Default)]
struct ExactPoints {
    index_of: BTreeMap<[BigRational; 3], usize>,
    vertices: Vec<PolytopeVertex>,
    exact: Vec<[BigRational; 3]>,
    rounded: Vec<Vec3>,
}

impl ExactPoints {
    /// Returns the index of a point, which is added if it is new.
    fn index(&mut self, vertex: &PolytopeVertex) -> usize {
        let exact = vertex.exact();
        if let Some(&index) = self.index_of.get(&exact) {
            return index;
        }
        let index = self.vertices.len();
        self.index_of.insert(exact.clone(), index);
        self.vertices.push(vertex.clone());
        self.exact.push(exact);
        self.rounded.push(vertex.rounded());
        index
    }
}

/// Makes the closed mesh that bounds pieces with disjoint interiors; `None` without pieces, and for coordinates beyond
/// the range of `f64`.
pub(super) fn boundary_mesh(pieces: &[Polytope]) -> Option<TriMesh> {
    let boxes: Vec<Aabb> = pieces.iter().map(Polytope::bounds).collect();
    let planes: Vec<Vec<Arc<ExactPlane>>> = pieces.iter().map(Polytope::facet_planes).collect();
    let (mut points, mut polygons) = (ExactPoints::default(), Vec::new());
    for (index, piece) in pieces.iter().enumerate() {
        for plane in &planes[index] {
            let Some(facet) = piece.clipped(&Arc::new(plane.flipped())) else { continue };
            let bounds = facet.bounds();
            let mut left = vec![facet];
            for other in (0..pieces.len()).filter(|&other| other != index && boxes[other].overlaps(&bounds)) {
                left = uncovered(left, &planes[other]);
            }
            for polygon in left {
                let corners: Vec<usize> =
                    polygon.loop_in(plane)?.into_iter().map(|vertex| points.index(vertex)).collect();
                polygons.push(BoundaryPolygon { plane: Arc::clone(plane), corners });
            }
        }
    }
    let triangles = polygons.iter().flat_map(|polygon| triangulated(&with_points_on_edges(polygon, &points), &points));
    let triangles = triangles.map(|corners| corners.map(|corner| corner as u32)).collect();
    TriMesh::new(points.rounded, triangles).ok()
}

/// Subtracts the facet of a piece in the plane of flat polytopes, if the piece has one.
fn uncovered(facets: Vec<Polytope>, piece: &[Arc<ExactPlane>]) -> Vec<Polytope> {
    let mut left = Vec::with_capacity(facets.len());
    for facet in facets {
        let is_in = |plane: &Arc<ExactPlane>| facet.vertices().all(|vertex| plane.side(vertex).is_zero());
        let Some(own) = piece.iter().position(is_in) else {
            left.push(facet);
            continue;
        };
        let sides = || piece.iter().enumerate().filter(|(number, _)| *number != own).map(|(_, plane)| plane);
        if sides().try_fold(facet.clone(), |rest, plane| rest.clipped(plane).filter(has_area)).is_none() {
            left.push(facet);
            continue;
        }
        let mut rest = facet;
        for plane in sides() {
            left.extend(rest.clipped(&Arc::new(plane.flipped())).filter(has_area));
            // The rest contains the covered polygon, which has an area.
            let Some(inside) = rest.clipped(plane) else { break };
            rest = inside;
        }
    }
    left
}

/// Reports whether a flat polytope is a polygon: segments have two corners.
fn has_area(flat: &Polytope) -> bool {
    flat.vertex_count() > 2
}

/// Returns the corners of a polygon with the points on its edges.
fn with_points_on_edges(polygon: &BoundaryPolygon, points: &ExactPoints) -> Vec<usize> {
    let count = polygon.corners.len();
    let mut all = Vec::with_capacity(count);
    for (k, &from) in polygon.corners.iter().enumerate() {
        let to = polygon.corners[(k + 1) % count];
        all.push(from);
        let bounds = Aabb::from_points([points.rounded[from], points.rounded[to]]);
        let slack = (bounds.min.abs().max(bounds.max.abs()) * 8.0 + f64::MIN_POSITIVE) * f64::EPSILON;
        let bounds = Aabb { min: bounds.min - slack, max: bounds.max + slack };
        let near = (0..points.rounded.len()).filter(|&point| bounds.contains(points.rounded[point]));
        let mut on_edge: Vec<(BigRational, usize)> = near
            .filter(|&point| point != from && point != to && polygon.plane.side(&points.vertices[point]).is_zero())
            .filter_map(|point| Some((share_on_edge(points, [from, to], point)?, point)))
            .collect();
        on_edge.sort();
        all.extend(on_edge.into_iter().map(|(_, point)| point));
    }
    all
}

/// Returns the position of a point between the ends of an edge, from 0 to 1; `None` if it is not between them.
fn share_on_edge(points: &ExactPoints, [from, to]: [usize; 2], point: usize) -> Option<BigRational> {
    let difference = |end: usize, axis: usize| &points.exact[end][axis] - &points.exact[from][axis];
    let (edge, offset) = ([0, 1, 2].map(|axis| difference(to, axis)), [0, 1, 2].map(|axis| difference(point, axis)));
    let is_on_line = [(0, 1), (1, 2), (2, 0)].iter().all(|&(i, j)| &edge[i] * &offset[j] == &edge[j] * &offset[i]);
    let axis = (0..3).find(|&axis| edge[axis] != BigRational::ZERO).filter(|_| is_on_line)?;
    let share = &offset[axis] / &edge[axis];
    (share.is_positive() && share < BigRational::from_integer(1.into())).then_some(share)
}

/// Cuts a convex polygon, whose corners may be collinear, into triangles with an area. A corner is cut off if it is
/// strict and the rest keeps a strict corner; there is one, because a polygon of four corners has three strict ones.
fn triangulated(corners: &[usize], points: &ExactPoints) -> Vec<[usize; 3]> {
    let (mut rest, mut triangles) = (corners.to_vec(), Vec::with_capacity(corners.len()));
    while rest.len() > 3 {
        let count = rest.len();
        let around = |rest: &[usize], k: usize| {
            let count = rest.len();
            [rest[(k + count - 1) % count], rest[k], rest[(k + 1) % count]]
        };
        let without =
            |k: usize| -> Vec<usize> { rest.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, &p)| p).collect() };
        let is_ear = |&k: &usize| {
            let left = without(k);
            is_strict(points, around(&rest, k)) && (0..left.len()).any(|i| is_strict(points, around(&left, i)))
        };
        let Some(ear) = (0..count).find(is_ear) else { break };
        triangles.push(around(&rest, ear));
        rest.remove(ear);
    }
    triangles.extend(<[usize; 3]>::try_from(rest));
    triangles
}

/// Reports whether three points are not collinear; exact.
fn is_strict(points: &ExactPoints, [a, b, c]: [usize; 3]) -> bool {
    let difference = |end: usize| [0, 1, 2].map(|axis| &points.exact[end][axis] - &points.exact[a][axis]);
    let (u, v) = (difference(b), difference(c));
    [(0, 1), (1, 2), (2, 0)].iter().any(|&(i, j)| &u[i] * &v[j] != &u[j] * &v[i])
}

#[cfg(test)]
mod tests {
    use super::boundary_mesh;
    use crate::csg::{Affine, Csg};
    use heurt_geometry::{Pose, Quat, Vec3};
    use heurt_mesh::{TriMesh, measures};
    use heurt_shape::Convex;
    use heurt_testkit::number::random::Random;
    use heurt_testkit::oracle::surface::{SurfaceFaults, six_volumes};
    use num_bigint::BigInt;
    use num_rational::BigRational;

    /// Returns the boundary of a tree. Its volume is the exact volume of the pieces up to the rounding of corners.
    fn checked_boundary(tree: &Csg, rounding: f64) -> Option<TriMesh> {
        let pieces = tree.to_exact_pieces().unwrap();
        let mesh = boundary_mesh(pieces.pieces())?;
        let six = BigRational::from_float(six_volumes(&mesh).rounded()).unwrap();
        let due = pieces.volume() * BigRational::from_integer(BigInt::from(6));
        let error = if six > due { &six - &due } else { &due - &six };
        assert!(error <= BigRational::from_float(rounding).unwrap(), "{six} and {due}");
        Some(mesh)
    }

    fn block(least: [f64; 3], most: [f64; 3]) -> Csg {
        let [least, most] = [least, most].map(Vec3::from_array);
        let place = Pose::from_translation((least + most) * 0.5).unwrap();
        Csg::shape(Convex::cuboid((most - least) * 0.5).unwrap()).transformed(place.into())
    }

    #[test]
    fn blocks_that_share_faces_edges_and_corners() {
        let base = block([0.0; 3], [2.0; 3]);
        let cases = [
            ("an L", block([2.0, 0.0, 0.0], [4.0, 1.0, 2.0]), 36.0),
            ("a T-junction", block([2.0, 0.5, 0.5], [3.0, 1.5, 1.5]), 28.0),
            ("a common face", block([2.0, 0.0, 0.0], [4.0, 2.0, 2.0]), 40.0),
            ("a common edge", block([2.0, 2.0, 0.0], [4.0, 4.0, 2.0]), 48.0),
            ("a common corner", block([2.0; 3], [4.0; 3]), 48.0),
            ("an overlap", block([1.0; 3], [3.0; 3]), 42.0),
        ];
        for (name, second, area) in cases {
            let mesh = checked_boundary(&base.clone().union(second), 0.0).unwrap();
            assert!((measures(&mesh).area - area).abs() < 1e-12, "{name}: {}", measures(&mesh).area);
        }
    }

    #[test]
    fn random_blocks_on_a_lattice_are_closed_and_exact() {
        let mut random = Random::new(5);
        for round in 0..40 {
            let mut tree = block([0.0; 3], [4.0; 3]);
            for _ in 0..5 {
                let least = [0, 1, 2].map(|_| random.whole(-1, 3) as f64);
                let size = [0, 1, 2].map(|_| random.whole(1, 3) as f64);
                let tool = block(least, [least[0] + size[0], least[1] + size[1], least[2] + size[2]]);
                tree = if random.one_in(2) { tree.union(tool) } else { tree.difference(tool) };
            }
            let Some(mesh) = checked_boundary(&tree, 0.0) else { continue };
            let faults = SurfaceFaults::of(&heurt_mesh::separate_fans(&mesh).unwrap_or(mesh));
            assert!(faults.is_empty(), "round {round}: {faults:?}");
        }
    }

    #[test]
    fn random_turned_blocks_are_closed() {
        let mut random = Random::new(6);
        let mut valid = 0;
        for _ in 0..30 {
            let mut tree = block([-1.0; 3], [1.0; 3]);
            for _ in 0..3 {
                let turn = Quat::from_axis_angle(random.vector(1.0).normalize(), 3.0 * random.unit());
                let place = Pose::from_quaternion(turn.to_array(), random.vector(1.0)).unwrap();
                let tool =
                    Csg::shape(Convex::cuboid(Vec3::new(0.5, 0.7, 0.9)).unwrap()).transformed(Affine::from(place));
                tree = if random.one_in(2) { tree.union(tool) } else { tree.difference(tool) };
            }
            let Some(mesh) = checked_boundary(&tree, 1e-12) else { continue };
            valid += usize::from(SurfaceFaults::of(&mesh).is_empty());
        }
        assert!(valid > 25, "{valid} of 30 boundaries have no fault after rounding");
    }
}
