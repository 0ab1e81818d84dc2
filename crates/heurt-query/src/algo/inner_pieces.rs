//! Convex sets inside a solid mesh, each proved to lie there.
//!
//! In: a closed mesh. Out: its hull, and convex hulls of points none of which meets the surface, kept in the shape.
//! Method: the pieces of a convex decomposition (`heurt_mesh::decompose`), drawn together about their middles until they lie inside.
//! That is decided exactly: no triangle of the mesh meets the piece, and a corner of the piece is wound round. Pieces
//! that reach too far out are cut back first; a ball round the middle is what stays where nothing else does.
//! Guarantees: every piece lies in the inside of the solid. Not guaranteed: how much of it they fill; nothing for meshes that
//! are open, have moved, or have very many triangles.

use crate::closest::closest;
use crate::overlap::{Side, Witness, mesh_overlap, point_inside};
use heurt_bvh::Work;
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{DecomposeOptions, decompose};
use heurt_shape::{Convex, ConvexPieces, Core, MeshShape};

/// Meshes of more triangles are not decomposed: it takes too long for what it brings.
const MOST_TRIANGLES: usize = 1 << 16;
/// Pieces of a decomposition at most.
const MOST_PIECES: usize = 64;
/// How near pieces are to the solid, as a share of its size.
const TOLERANCE: f64 = 0.01;
/// By how much pieces are drawn together.
const SHRUNK: [f64; 5] = [1e-10, 1e-8, 1e-6, 1e-4, 1e-3];
/// The least size of a piece that is worth something, and steps to the largest.
const LEAST_SIZE: f64 = 0.5;
const HALVINGS: usize = 5;

/// The hull of a mesh and convex sets inside it, from the shape that keeps them.
pub(crate) fn convex_pieces(mesh: &MeshShape) -> &ConvexPieces {
    mesh.convex_pieces(|mesh| ConvexPieces { hull: hull(mesh), inner: inner(mesh) })
}

fn hull(mesh: &MeshShape) -> Option<Convex> {
    let mut used = vec![false; mesh.mesh().vertices().len()];
    mesh.mesh().triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let vertices = mesh.mesh().vertices().iter().zip(used);
    let points: Vec<Vec3> = vertices.filter(|(_, is_used)| *is_used).map(|(&vertex, _)| vertex).collect();
    Convex::hull(&points).ok()
}

fn inner(mesh: &MeshShape) -> Vec<Convex> {
    if !mesh.is_solid() || mesh.has_moved() || mesh.mesh().triangles().len() > MOST_TRIANGLES {
        return Vec::new();
    }
    let options = DecomposeOptions { tolerance: TOLERANCE, max_pieces: MOST_PIECES };
    // What cannot be decomposed has no inner pieces.
    let Ok(decomposition) = decompose(mesh.mesh(), &options) else { return Vec::new() };
    decomposition.pieces().filter_map(|piece| inside_of(mesh, piece.hull.vertices())).collect()
}

/// What of the hull of some corners lies inside the solid.
fn inside_of(mesh: &MeshShape, corners: &[Vec3]) -> Option<Convex> {
    let middle = corners.iter().sum::<Vec3>() / corners.len() as f64;
    let drawn = |share: f64| {
        let points: Vec<Vec3> = corners.iter().map(|&corner| middle + (corner - middle) * share).collect();
        Convex::hull(&points).ok().filter(|convex| is_inside(mesh, convex))
    };
    if let Some(piece) = SHRUNK.into_iter().find_map(|less| drawn(1.0 - less)) {
        return Some(piece);
    }
    let mut best = drawn(LEAST_SIZE).map(|piece| (LEAST_SIZE, piece));
    let mut too_large = 1.0;
    for _ in 0..HALVINGS {
        let Some((share, _)) = best else { break };
        let between = (share + too_large) / 2.0;
        match drawn(between) {
            Some(piece) => best = Some((between, piece)),
            None => too_large = between,
        }
    }
    best.map(|(_, piece)| piece).or_else(|| ball(mesh, middle))
}

/// A ball in the solid.
fn ball(mesh: &MeshShape, middle: Vec3) -> Option<Convex> {
    let found = closest(mesh, &Pose::IDENTITY, middle);
    let radius = found.distance * (1.0 - 1e-10) - found.error;
    let is_inside = found.inside == Some(true) && radius > 0.0;
    let point = is_inside.then(|| Convex::hull(&[middle]).ok()).flatten();
    point.and_then(|point| point.with_margin(radius).ok())
}

/// Tells exactly whether a hull without a margin lies inside the solid and touches its surface nowhere.
fn is_inside(mesh: &MeshShape, convex: &Convex) -> bool {
    let Core::Hull(hull) = convex.core() else { return false };
    let (here, surface) = (Pose::IDENTITY, hull.surface());
    // That surfaces meet would be told first; then it lies all inside or all outside, and no part of the mesh may lie in it.
    mesh_overlap(surface, &here, mesh, &here) == Some(Witness::Contained(Side::A))
        && point_inside(mesh, &here, surface, &here, &mut Work::default()).is_none()
}
