//! Convex sets inside a solid mesh, each proved to lie there.
//!
//! In: a closed mesh. Out: its hull, and convex hulls of points, none of which meets the surface, cached in the shape.
//! Method: the pieces of a convex decomposition (`heurt_mesh::decompose`) are shrunk towards their middles until they
//! lie inside. An exact test decides that: no triangle of the mesh meets the piece, and the mesh winds round a corner
//! of the piece. Pieces that reach too far out are cut back first. If no other piece is inside, a ball around the
//! middle remains. A mesh of very many triangles is simplified for the decomposition, but all pieces are tested against
//! the mesh itself.
//! Guarantees: every piece lies in the inside of the solid. Not guaranteed: how much of it they fill; meshes that are
//! open or have moved have no pieces.

use crate::answer::budget::WorkMeter;
use crate::answer::closest::Location;
use crate::answer::overlap::{Side, Witness};
use crate::answer::placed::PlacedMeshShape;
use crate::mesh::closest::mesh_closest;
use crate::mesh::distance::surfaces_within;
use crate::mesh::overlap::{mesh_overlap, point_inside};
use crate::mesh::solid_boundary::solid_boundary;
use crate::mesh::winding::winding_number;
use crate::triangle::closest_point::closest_on_triangle;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Leaf, PointQuery, Visitor, walk};
use heurt_geometry::{Aabb, ConvexHull, Mat3, Pose, Triangle, Vec3};
use heurt_mesh::{DecomposeOptions, decompose, simplify};
use heurt_shape::{BoundaryPieces, Convex, ConvexPieces, Core, MeshShape, SolidBoundary};
use std::ops::ControlFlow;

/// Maximum number of triangles that are decomposed; larger meshes are simplified, and shrinking and cutting back
/// correct the difference.
const MAX_TRIANGLES: usize = 1 << 13;
/// Maximum number of pieces of a decomposition.
const MAX_PIECES: usize = 64;
/// Maximum distance of the pieces from the solid, as a share of its size.
const TOLERANCE: f64 = 0.01;
/// Shares by which pieces are shrunk, in turn.
const SHRUNK: [f64; 8] = [1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3];
/// Maximum number of planes that cut a piece back. `FLUSH`: triangles that reach less far into a piece are flush with
/// it.
const MAX_CUTS: usize = 64;
const FLUSH: f64 = 1e-9;
/// Corners of the rest of a piece that are nearer to each other than this are one.
const SAME: f64 = 1e-5;
/// Minimum useful size of a piece, as a share. `HALVINGS`: the number of steps to the largest size.
const MIN_SIZE: f64 = 0.5;
const HALVINGS: usize = 5;

/// Returns the hull of a mesh and convex sets proved to lie inside it; [`contact`](crate::contact()) uses them if the
/// mesh overlaps another shape. The first call computes them, which takes approximately a second for a solid of some
/// thousand triangles, and the shape caches them until it moves. Call this function beforehand if that is too long.
pub fn convex_pieces(mesh: &MeshShape) -> &ConvexPieces {
    mesh.convex_pieces(|mesh| ConvexPieces { hull: mesh.hull().cloned(), inner: inner(mesh) })
}

fn inner(mesh: &MeshShape) -> Vec<Convex> {
    if !mesh.is_exact_solid() || mesh.has_moved() {
        return Vec::new();
    }
    let options = DecomposeOptions { tolerance: TOLERANCE, max_pieces: MAX_PIECES };
    let decomposed = match mesh.mesh().triangles().len() > MAX_TRIANGLES {
        true => decompose(&simplify(mesh.mesh(), MAX_TRIANGLES), &options),
        false => decompose(mesh.mesh(), &options),
    };
    // A mesh that cannot be decomposed has no inner pieces.
    let Ok(decomposition) = decomposed else { return Vec::new() };
    decomposition.pieces().filter_map(|piece| inside_of(mesh, piece.hull.vertices())).collect()
}

/// Finds a convex set inside the solid from the hull of some corners: shrunk, cut back, or a ball around the middle.
fn inside_of(mesh: &MeshShape, corners: &[Vec3]) -> Option<Convex> {
    let middle = corners.iter().sum::<Vec3>() / corners.len() as f64;
    let fitted = |corners: &[Vec3]| SHRUNK.into_iter().find_map(|less| drawn(mesh, corners, middle, 1.0 - less));
    fitted(corners)
        .or_else(|| cut_back(mesh, corners, middle).and_then(|rest| fitted(&rest)))
        .or_else(|| largest_drawn(mesh, corners, middle))
        .or_else(|| ball(mesh, middle))
}

/// Builds the hull of corners scaled towards a middle, if it lies inside the solid.
fn drawn(mesh: &MeshShape, corners: &[Vec3], middle: Vec3, share: f64) -> Option<Convex> {
    let points: Vec<Vec3> = corners.iter().map(|&corner| middle + (corner - middle) * share).collect();
    Convex::hull(&points).ok().filter(|convex| is_inside(mesh, convex))
}

/// Builds the largest scaled hull inside the solid, found by halving.
fn largest_drawn(mesh: &MeshShape, corners: &[Vec3], middle: Vec3) -> Option<Convex> {
    let mut best = (MIN_SIZE, drawn(mesh, corners, middle, MIN_SIZE)?);
    let mut too_large = 1.0;
    for _ in 0..HALVINGS {
        let between = (best.0 + too_large) / 2.0;
        match drawn(mesh, corners, middle, between) {
            Some(piece) => best = (between, piece),
            None => too_large = between,
        }
    }
    Some(best.1)
}

/// Returns the corners of the rest of a hull that is cut back at the triangles that reach into it, the nearest first.
/// Each cut is the plane across the direction to a triangle. The coordinates are such that the hull is approximately as
/// wide as high (after Deits and Tedrake 2014).
fn cut_back(mesh: &MeshShape, corners: &[Vec3], middle: Vec3) -> Option<Vec<Vec3>> {
    let round = Rounding::of(corners, middle)?;
    let places: Vec<Vec3> = corners.iter().map(|&corner| round.inward(corner)).collect();
    let hull = ConvexHull::new(&places).ok()?;
    let mut planes: Vec<Vec3> = Vec::new();
    for triangle in hull.triangles() {
        let [a, b, c] = triangle.map(|corner| places[corner as usize]);
        planes.extend(polar((b - a).cross(c - a), a));
    }
    let is_beyond = |planes: &[Vec3], triangle: &Triangle| {
        planes.iter().any(|plane| triangle.iter().all(|corner| plane.dot(*corner) >= 1.0 - FLUSH))
    };
    let near = triangles_near(mesh, &Aabb::from_points(corners.iter().copied()));
    let near = near.into_iter().map(|number| mesh.mesh().corners(number).map(|p| round.inward(p)));
    let mut reaching: Vec<(f64, Vec3, Triangle)> = near
        .filter(|triangle| !is_beyond(&planes, triangle))
        .map(|triangle| {
            let nearest = closest_on_triangle(Vec3::ZERO, &triangle);
            (nearest.length_squared(), nearest, triangle)
        })
        .collect();
    reaching.sort_by(|x, y| x.0.total_cmp(&y.0));
    let mut cuts: Vec<Vec3> = Vec::new();
    for (_, nearest, triangle) in &reaching {
        if cuts.len() < MAX_CUTS && !is_beyond(&cuts, triangle) {
            cuts.extend(polar(*nearest, *nearest));
        }
    }
    planes.extend(cuts);
    // Corners of the rest are facets of the hull of the poles of its planes.
    let poles = ConvexHull::new(&planes).ok()?;
    let corner = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|pole| planes[pole as usize]);
        polar((b - a).cross(c - a), a)
    };
    // Slivers of facets, at which many planes meet, have arbitrary corners.
    let is_sound = |corner: &Vec3| planes.iter().all(|plane| plane.dot(*corner) <= 1.0 + FLUSH);
    let mut rest: Vec<Vec3> = Vec::new();
    for corner in poles.triangles().iter().filter_map(corner).filter(is_sound) {
        if rest.iter().all(|other| (*other - corner).length() > SAME) {
            rest.push(corner);
        }
    }
    let rest: Vec<Vec3> = rest.into_iter().map(|corner| round.outward(corner)).collect();
    (!rest.is_empty()).then_some(rest)
}

/// Lists the triangles whose boxes meet a box, ascending, and perhaps some more.
fn triangles_near(mesh: &MeshShape, bounds: &Aabb) -> Vec<u32> {
    let frame = mesh.tree().frame();
    let room = 1e-6 * frame.scale();
    let local = |corner: Vec3| frame.to_local(corner).to_array();
    let query = PointQuery::of_box(local(bounds.min - room), local(bounds.max + room));
    let mut near = NearSurface { mesh, found: Vec::new() };
    walk(mesh.tree(), &query, &mut near);
    near.found.sort_unstable();
    near.found
}

/// A visitor that collects the triangles of the leaves that meet a query.
struct NearSurface<'a> {
    mesh: &'a MeshShape,
    found: Vec<u32>,
}

impl Visitor for NearSurface<'_> {
    fn cutoff(&self) -> f32 {
        0.0
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        self.found.extend(self.mesh.tree().primitives(leaf));
        ControlFlow::Continue(())
    }
}

/// Returns the pole of the plane across `normal` through `point`: the p with p · x = 1 on the plane. The result is
/// `None` for a plane through the origin.
fn polar(normal: Vec3, point: Vec3) -> Option<Vec3> {
    let pole = normal / normal.dot(point);
    (pole.is_finite() && normal.dot(point) > 0.0).then_some(pole)
}

/// Coordinates around the middle of points, in which the points are spread evenly.
struct Rounding {
    middle: Vec3,
    /// Lower triangular matrix L: L Lᵀ is the scatter of the points.
    spread: Mat3,
    inverse: Mat3,
}

impl Rounding {
    /// Builds the coordinates; returns `None` for points in a plane.
    fn of(points: &[Vec3], middle: Vec3) -> Option<Self> {
        let mut sum = Mat3::ZERO;
        for point in points {
            let offset = *point - middle;
            sum += Mat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z);
        }
        let [x, y, z] = [sum.x_axis, sum.y_axis, sum.z_axis];
        // Cholesky decomposition.
        let a = x.x.sqrt();
        let (b, c) = (x.y / a, x.z / a);
        let d = (y.y - b * b).sqrt();
        let e = (y.z - b * c) / d;
        let f = (z.z - c * c - e * e).sqrt();
        let spread = Mat3::from_cols(Vec3::new(a, b, c), Vec3::new(0.0, d, e), Vec3::new(0.0, 0.0, f));
        let inverse = spread.inverse();
        (inverse.is_finite() && spread.is_finite()).then_some(Self { middle, spread, inverse })
    }

    fn inward(&self, point: Vec3) -> Vec3 {
        self.inverse * (point - self.middle)
    }

    fn outward(&self, point: Vec3) -> Vec3 {
        self.middle + self.spread * point
    }
}

/// Finds a ball in the solid.
fn ball(mesh: &MeshShape, middle: Vec3) -> Option<Convex> {
    let (found, _) = mesh_closest(mesh, &Pose::IDENTITY, middle);
    let radius = found.distance * (1.0 - 1e-10) - found.error;
    let is_inside = found.inside == Some(true) && radius > 0.0;
    let point = is_inside.then(|| Convex::hull(&[middle]).ok()).flatten();
    point.and_then(|point| point.with_margin(radius).ok())
}

/// Places a mesh as it is given.
fn at_origin(mesh: &MeshShape) -> PlacedMeshShape<'_> {
    PlacedMeshShape::new(mesh, &Pose::IDENTITY)
}

/// Tests exactly whether a hull without a margin lies inside the solid and touches its surface nowhere. If the solid
/// has faces inside (`solid_boundary`), its boundary counts instead, as closely as it is known.
fn is_inside(mesh: &MeshShape, convex: &Convex) -> bool {
    let Core::Hull(hull) = convex.core() else { return false };
    let (here, surface) = (Pose::IDENTITY, hull.surface());
    if let SolidBoundary::Pieces(pieces) = solid_boundary(mesh) {
        let BoundaryPieces { decided: Some(decided), open: None, rounding } = &**pieces else { return false };
        // Nothing of the boundary lies in the hull, or within the error of the pieces of the boundary.
        return mesh_overlap(at_origin(surface), at_origin(&decided.surface)).is_none()
            && !surfaces_within(at_origin(surface), at_origin(&decided.surface), 2.0 * rounding).0
            && matches!(winding_number(mesh, &here, hull.corners()[0]), Location::Winding(winding) if winding != 0);
    }
    // An intersection of the surfaces would be reported first. Otherwise the hull lies all inside or all outside, and
    // no part of the mesh may lie in it.
    mesh_overlap(at_origin(surface), at_origin(mesh)) == Some(Witness::Contained(Side::A))
        && point_inside(at_origin(mesh), at_origin(surface), &WorkMeter::default()).is_none()
}
