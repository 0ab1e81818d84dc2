//! Convex sets inside a solid mesh, each proved to lie there.
//!
//! In: a closed mesh. Out: its hull, and convex hulls of points none of which meets the surface, kept in the shape.
//! Method: the pieces of a convex decomposition (`heurt_mesh::decompose`), drawn together about their middles until
//! they lie inside. That is decided exactly: no triangle of the mesh meets the piece, and a corner of the piece is
//! wound round. Pieces that reach too far out are cut back first; a ball round the middle is what stays where nothing
//! else does. Of a mesh of very many triangles a simplified one is decomposed, but all pieces are tested against the
//! mesh itself.
//! Guarantees: every piece lies in the inside of the solid. Not guaranteed: how much of it they fill; nothing for
//! meshes that are open or have moved.

use crate::answer::budget::WorkMeter;
use crate::answer::closest::Location;
use crate::answer::overlap::{Side, Witness};
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

/// Of a mesh of more triangles one of so many is decomposed: what it lacks, drawing and cutting back make good.
const MAX_TRIANGLES: usize = 1 << 13;
/// Pieces of a decomposition at most.
const MAX_PIECES: usize = 64;
/// How near pieces are to the solid, as a share of its size.
const TOLERANCE: f64 = 0.01;
/// By how much pieces are drawn together.
const SHRUNK: [f64; 8] = [1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3];
/// Planes that a piece is cut back by, at most; triangles that reach less far into it than this are flush with it.
const MAX_CUTS: usize = 64;
const FLUSH: f64 = 1e-9;
/// Corners of what is left that are nearer to each other are one.
const SAME: f64 = 1e-5;
/// The least size of a piece that is worth something, and steps to the largest.
const MIN_SIZE: f64 = 0.5;
const HALVINGS: usize = 5;

/// The hull of a mesh and convex sets proved to lie inside it, which [`contact`](crate::contact()) asks for when the
/// mesh overlaps something. They are made the first time, which takes about a second for a solid of some thousand
/// triangles, and kept in the shape until it moves: ask beforehand where that is too long.
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
    // What cannot be decomposed has no inner pieces.
    let Ok(decomposition) = decomposed else { return Vec::new() };
    decomposition.pieces().filter_map(|piece| inside_of(mesh, piece.hull.vertices())).collect()
}

/// What of the hull of some corners lies inside the solid.
fn inside_of(mesh: &MeshShape, corners: &[Vec3]) -> Option<Convex> {
    let middle = corners.iter().sum::<Vec3>() / corners.len() as f64;
    let fitted = |corners: &[Vec3]| SHRUNK.into_iter().find_map(|less| drawn(mesh, corners, middle, 1.0 - less));
    fitted(corners)
        .or_else(|| cut_back(mesh, corners, middle).and_then(|rest| fitted(&rest)))
        .or_else(|| largest_drawn(mesh, corners, middle))
        .or_else(|| ball(mesh, middle))
}

/// The hull of corners drawn to a middle, if it lies inside the solid.
fn drawn(mesh: &MeshShape, corners: &[Vec3], middle: Vec3, share: f64) -> Option<Convex> {
    let points: Vec<Vec3> = corners.iter().map(|&corner| middle + (corner - middle) * share).collect();
    Convex::hull(&points).ok().filter(|convex| is_inside(mesh, convex))
}

/// The hull drawn together as little as it must be, found by halving.
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

/// Corners of what is left of a hull when it is cut back at the triangles that reach into it, the nearest first: each
/// by the plane across the way to it, seen in the coordinates in which the hull is approximately as wide as high (after
/// Deits and Tedrake 2014).
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
    // Corners of the rest are the facets of the hull of the poles of its planes.
    let poles = ConvexHull::new(&planes).ok()?;
    let corner = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|pole| planes[pole as usize]);
        polar((b - a).cross(c - a), a)
    };
    // Slivers of facets, where many planes meet, have their corners anywhere.
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

/// The triangles whose boxes meet a box, ascending, and perhaps some more.
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

/// Gathers the triangles of the leaves that meet a query.
struct NearSurface<'a> {
    mesh: &'a MeshShape,
    found: Vec<u32>,
}

impl Visitor for NearSurface<'_> {
    fn cutoff(&self) -> f32 {
        0.0
    }

    fn leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        self.found.extend(self.mesh.tree().primitives(leaf));
        ControlFlow::Continue(())
    }
}

/// The pole of the plane across `normal` through `point`: the p with p · x = 1 on it. `None` for a plane through the
/// origin.
fn polar(normal: Vec3, point: Vec3) -> Option<Vec3> {
    let pole = normal / normal.dot(point);
    (pole.is_finite() && normal.dot(point) > 0.0).then_some(pole)
}

/// Coordinates about the middle of points in which they are spread evenly.
struct Rounding {
    middle: Vec3,
    /// Lower triangular: L Lᵀ is how the points are spread.
    spread: Mat3,
    inverse: Mat3,
}

impl Rounding {
    /// `None` for points in a plane.
    fn of(points: &[Vec3], middle: Vec3) -> Option<Self> {
        let mut sum = Mat3::ZERO;
        for point in points {
            let way = *point - middle;
            sum += Mat3::from_cols(way * way.x, way * way.y, way * way.z);
        }
        let [x, y, z] = [sum.x_axis, sum.y_axis, sum.z_axis];
        // Cholesky's way.
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

/// A ball in the solid.
fn ball(mesh: &MeshShape, middle: Vec3) -> Option<Convex> {
    let (found, _) = mesh_closest(mesh, &Pose::IDENTITY, middle);
    let radius = found.distance * (1.0 - 1e-10) - found.error;
    let is_inside = found.inside == Some(true) && radius > 0.0;
    let point = is_inside.then(|| Convex::hull(&[middle]).ok()).flatten();
    point.and_then(|point| point.with_margin(radius).ok())
}

/// Reports exactly whether a hull without a margin lies inside the solid and touches its surface nowhere; of a solid
/// with faces inside (`solid_boundary`), its boundary nowhere, as closely as that is known.
fn is_inside(mesh: &MeshShape, convex: &Convex) -> bool {
    let Core::Hull(hull) = convex.core() else { return false };
    let (here, surface) = (Pose::IDENTITY, hull.surface());
    if let SolidBoundary::Pieces(pieces) = solid_boundary(mesh) {
        let BoundaryPieces { decided: Some(decided), open: None, rounding } = &**pieces else { return false };
        // Nothing of the boundary lies in the hull, or as near as its pieces may be off.
        return mesh_overlap(surface, &here, &decided.surface, &here).is_none()
            && !surfaces_within(surface, &here, &decided.surface, &here, 2.0 * rounding).0
            && matches!(winding_number(mesh, &here, hull.corners()[0]), Location::Winding(winding) if winding != 0);
    }
    // That surfaces meet would be reported first; then it lies all inside or all outside, and no part of the mesh may
    // lie in it.
    mesh_overlap(surface, &here, mesh, &here) == Some(Witness::Contained(Side::A))
        && point_inside(mesh, &here, surface, &here, &WorkMeter::default()).is_none()
}
