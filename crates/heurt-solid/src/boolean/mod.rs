//! Set operations of solids that closed meshes bound: union, intersection, difference, symmetric difference.
//!
//! In: two [`SolidMesh`]. Out: a [`CombinedSolid`], the boundary of the result as a closed mesh.
//! Method: 1. `heurt_query::pairs` lists the triangles that intersect. 2. `arrangement` finds the points and
//! segments in which they do, named by features, so that equal points have equal names. 3. `pieces` divides the cut
//! faces and connects triangles up to the segments on both surfaces. 4. `location` decides for each piece whether
//! it lies inside the second solid; triangles on both surfaces have the same nodes in both. 5. `assembly` takes the
//! pieces that bound the result. Compare Cherchi et al., "Interactive and Robust Mesh Booleans" (2022); since no
//! operand intersects itself, all points are vertices, or points of an edge.
//! Guarantees: every decision is exact, faces that lie on each other included. The result is the boundary of the
//! regular set (closure of the interior): faces without thickness are left out. Edges have two triangles; where the
//! result touches itself, vertices are doubled. Coordinates of new points are rounded to the nearest `f64`;
//! triangles that this makes needles are removed (`needles`). A result that intersects itself all the same, because
//! surfaces were nearer than the rounding, is refused (`verification`), and the operation is repeated with the second
//! solid moved by some ulp (`separation`); the result has the length of the move.
//! Cost: linear in the triangles of the operands, plus O(m log m) for m triangles of cut faces whose boxes meet few
//! others; up to ten times that for solids nearer than the rounding (`separation`).

mod arrangement;
mod assembly;
mod dissolve;
mod error;
mod exact_point;
mod feature;
mod location;
mod meet;
mod needles;
mod nodes;
mod outer_hull;
mod pieces;
mod self_arrangement;
mod self_nodes;
mod separation;
mod solid_mesh;
mod stars;
mod triangulation;
mod verification;

pub use error::{MAX_SOLID_COORDINATE, SetOperationError, SolidMeshError};
pub use outer_hull::{HullOptions, OuterHull, OuterHullError, outer_hull};
pub use solid_mesh::SolidMesh;

use crate::SetOperation;
use arrangement::Arrangement;
use assembly::assemble;
use heurt_geometry::Pose;
use heurt_mesh::TriMesh;
use heurt_query::pairs;
use location::{is_triangle_inside, is_vertex_inside};
use meet::inverse_power;
use nodes::{FaceNodes, NodeId};
use pieces::Pieces;
use rayon::prelude::*;
use separation::moved_copies;

/// Location of a piece of a surface with respect to the second solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceLocation {
    Inside,
    Outside,
    /// On its surface, which faces the same side (true) or the opposite one.
    Shared(bool),
}

/// The use of a piece in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Dropped,
    Kept,
    Turned,
}

/// The result of a set operation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CombinedSolid {
    /// The boundary as a closed mesh; `None` if the result is empty.
    pub mesh: Option<TriMesh>,
    /// The largest change of a coordinate of an operand in metres, by which surfaces nearer to each other than the
    /// rounding of coordinates were separated. 0 in almost all operations: the result is exact.
    pub moved: f64,
}

impl CombinedSolid {
    /// Returns the largest change of a coordinate in metres since two operands that are results themselves, with moves
    /// of their own, were first given.
    pub fn moved_from(&self, [a, b]: [f64; 2]) -> f64 {
        // Only the second operand moves.
        a.max(b + self.moved)
    }
}

/// Combines two solids.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::{TriMesh, generate, measures};
/// use heurt_solid::{SetOperation, SolidMesh, combine};
/// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
/// let moved: Vec<Vec3> = cube.vertices().iter().map(|v| *v + 1.0).collect();
/// let moved = TriMesh::new(moved, cube.triangles().to_vec())?;
/// let [a, b] = [SolidMesh::new(&cube)?, SolidMesh::new(&moved)?];
/// for (operation, due) in
///     [(SetOperation::Union, 15.0), (SetOperation::Intersection, 1.0), (SetOperation::Difference, 7.0)]
/// {
///     let result = combine(&a, &b, operation)?;
///     assert_eq!(result.moved, 0.0, "it is exact");
///     let volume = measures(&result.mesh.ok_or("it is not empty")?).volume.ok_or("it is closed")?;
///     assert!((volume - due).abs() < 1e-12, "{operation:?}: {volume} m³");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If surfaces are nearer to each other than the rounding of coordinates, so that the rounded result would intersect
/// itself, the result is exact for `b` with coordinates changed by at most 4,096 times 2⁻⁵² of the largest coordinate,
/// and at most 1e-9 of the extent of the smaller solid: first with vertices moved onto near vertices of `a`, then
/// shifted as a whole. [`CombinedSolid::moved`] has the largest change.
///
/// # Errors
/// [`SetOperationError::Rounded`] if this does not separate the surfaces, for instance because they cross at angles
/// below 1e-10;
/// [`SetOperationError::Inconsistent`], which would be an error of this library.
pub fn combine(a: &SolidMesh, b: &SolidMesh, operation: SetOperation) -> Result<CombinedSolid, SetOperationError> {
    let of_copy = |b: &SolidMesh, moved: f64| {
        let result = combine_exactly(a, b, operation);
        result.map(|mesh| CombinedSolid { mesh, moved })
    };
    let exact = of_copy(b, 0.0);
    let Err(SetOperationError::Rounded { .. }) = exact else { return exact };
    let mut of_copies = moved_copies(a, b).map(|copy| of_copy(&copy.solid, copy.moved));
    of_copies.find(|result| !matches!(result, Err(SetOperationError::Rounded { .. }))).unwrap_or(exact)
}

/// Combines two solids as they are.
fn combine_exactly(
    a: &SolidMesh,
    b: &SolidMesh,
    operation: SetOperation,
) -> Result<Option<TriMesh>, SetOperationError> {
    let found = pairs(a.shape(), &Pose::IDENTITY, b.shape(), &Pose::IDENTITY);
    let all = Arrangement::new(a, b, &found);
    let cut = |side: usize| {
        let pieces = Pieces::new(&all, side)?;
        let fates = fates_of(&all, &pieces, side, operation);
        Ok::<_, SetOperationError>((pieces, fates))
    };
    let (of_a, of_b) = rayon::join(|| cut(0), || cut(1));
    let ((of_a, fates_of_a), (of_b, fates_of_b)) = (of_a?, of_b?);
    assemble(&all.nodes, [&of_a, &of_b], &[fates_of_a, fates_of_b])
}

/// Decides what the result has of each piece; by triangle, of which only the first of each piece counts.
fn fates_of(all: &Arrangement<'_>, pieces: &Pieces, side: usize, operation: SetOperation) -> Vec<Fate> {
    let other = if side == 0 { all.nodes.b } else { all.nodes.a };
    let witnesses = find_witnesses(all, pieces, side);
    let locate = |piece: usize, witness: &Witness| {
        let triangle = pieces.triangles[piece];
        let mut sorted = triangle;
        sorted.sort_unstable();
        // A triangle on both surfaces is a piece of its own.
        if let Some(same_side) = all.shared.get(&sorted) {
            return PieceLocation::Shared(*same_side);
        }
        let of_triangle = |triangle| is_triangle_inside(&all.nodes, other, triangle);
        let inside = match witness {
            Witness::Vertex(node) => {
                is_vertex_inside(other, all.nodes.place(*node)).unwrap_or_else(|| of_triangle(triangle))
            }
            Witness::Triangle(number) => of_triangle(pieces.triangles[*number as usize]),
        };
        if inside { PieceLocation::Inside } else { PieceLocation::Outside }
    };
    let fate = |(piece, witness): (usize, &Option<Witness>)| match witness {
        Some(witness) => fate_of(operation, side, locate(piece, witness)),
        None => Fate::Dropped,
    };
    witnesses.par_iter().enumerate().with_min_len(256).map(fate).collect()
}

/// Decides from both sides of a piece whether it separates the result from the rest.
fn fate_of(operation: SetOperation, side: usize, location: PieceLocation) -> Fate {
    // Behind the piece is its own solid, ahead of it is not.
    let result = |own: bool, other: bool| match side {
        0 => operation.contains(own, other),
        _ => operation.contains(other, own),
    };
    let (behind, ahead) = match location {
        PieceLocation::Inside => (result(true, true), result(false, true)),
        PieceLocation::Outside => (result(true, false), result(false, false)),
        // Triangles on both surfaces are taken from the first solid.
        PieceLocation::Shared(_) if side == 1 => return Fate::Dropped,
        PieceLocation::Shared(same_side) => (result(true, same_side), result(false, !same_side)),
    };
    match (behind, ahead) {
        (true, false) => Fate::Kept,
        (false, true) => Fate::Turned,
        _ => Fate::Dropped,
    }
}

/// A place that decides on which side a piece lies.
#[derive(Debug, Clone, Copy)]
enum Witness {
    /// A vertex of the piece off the second surface.
    Vertex(NodeId),
    /// A triangle of the piece, all of whose nodes lie on the second surface.
    Triangle(u32),
}

/// Finds a witness for each piece, by the triangle that represents the piece; `None` for all other triangles.
fn find_witnesses(all: &Arrangement<'_>, pieces: &Pieces, side: usize) -> Vec<Option<Witness>> {
    let mesh = if side == 0 { all.nodes.a } else { all.nodes.b };
    let mut is_off = vec![false; all.nodes.len()];
    for vertex in 0..mesh.mesh().vertices().len() as u32 {
        is_off[all.nodes.of_vertex(side, vertex) as usize] = true;
    }
    for vertex in &all.cuts[side].vertices {
        is_off[all.nodes.of_vertex(side, *vertex) as usize] = false;
    }
    // Areas neither overflow nor vanish together.
    let bounds = mesh.bounds();
    let scale = inverse_power(bounds.min.abs().max(bounds.max.abs()).max_element());
    let mut witnesses = vec![None; pieces.triangles.len()];
    let mut largest: Vec<f64> = vec![-1.0; pieces.triangles.len()];
    for (number, nodes) in pieces.triangles.iter().enumerate() {
        let piece = pieces.piece_of[number] as usize;
        if matches!(witnesses[piece], Some(Witness::Vertex(_))) {
            continue;
        }
        if let Some(node) = nodes.iter().find(|node| is_off[**node as usize]) {
            witnesses[piece] = Some(Witness::Vertex(*node));
            continue;
        }
        let [a, b, c] = nodes.map(|node| all.nodes.place(node) * scale);
        let area = (b - a).cross(c - a).length();
        if area > largest[piece] {
            (witnesses[piece], largest[piece]) = (Some(Witness::Triangle(number as u32)), area);
        }
    }
    witnesses
}
