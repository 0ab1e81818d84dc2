//! Any two placed shapes: every pair of primitives, one of each, that share a point.
//!
//! Method: a shape that is no mesh is one primitive, filled; those of a compound are counted through its parts, and
//! triangles of a mesh with a margin are rounded. Trees propose (`candidates`, parts near each other, triangles near
//! the box of the other shape), and each pair of primitives is decided as `overlap` decides it.
//! Guarantees: exact for triangles and hulls without a margin, else right beyond 16 ulp of the largest coordinate;
//! sorted, each pair once.
//! Cost: one `overlap` of two primitives for each pair whose boxes are near.

use crate::answer::budget::WorkMeter;
use crate::answer::placed::PlacedShape;
use crate::compound::nearby_parts::{PlacedCompound, box_query};
use crate::mesh::candidates::candidates_counted;
use crate::mesh::pairs::pairs_counted;
use crate::mesh::walk::nearby_triangles::near_triangles;
use crate::mesh::walk::pair_sort;
use crate::mesh::walk::pair_walk::place;
use crate::overlap::overlap_counted;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::{Convex, MeshShape, ShapeRef};
use std::ops::ControlFlow;

/// Lists the intersecting pairs `[primitive of a, primitive of b]`, sorted, with the work done.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate::cuboid;
/// use heurt_query::pairs_of_shapes;
/// use heurt_shape::{Convex, MeshShape};
/// let slab = MeshShape::new(cuboid([1.0, 1.0, 0.1])?)?;
/// let ball = Convex::sphere(0.25)?;
/// let above = Pose::from_translation(Vec3::Z * 0.3)?;
/// let (pairs, _) = pairs_of_shapes(&slab, &Pose::IDENTITY, &ball, &above);
/// assert_eq!(pairs.len(), 2, "both triangles of the upper side: {pairs:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs_of_shapes<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &'a Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &'a Pose,
) -> (Vec<[u32; 2]>, Work) {
    let (mut found, mut work) = (Vec::new(), Work::default());
    gather((a.into(), pose_a), (b.into(), pose_b), &mut work, &mut |pair| found.push(pair));
    pair_sort::sort(&mut found);
    (found, work)
}

/// Hands out the pairs, in any order.
fn gather(a: PlacedShape<'_>, b: PlacedShape<'_>, work: &mut Work, found: &mut dyn FnMut([u32; 2])) {
    match (a.0, b.0) {
        (ShapeRef::Compound(compound), _) => {
            let (mut done, walked) = (Work::default(), WorkMeter::default());
            PlacedCompound { compound, pose: a.1 }.near(b, 0.0, &walked, |number, pose, _| {
                let part = &compound.parts()[number as usize];
                gather(((&part.shape).into(), pose), b, &mut done, &mut |[i, j]| found([i + part.first, j]));
                ControlFlow::Continue(0.0)
            });
            *work += walked.done();
            *work += done;
        }
        (_, ShapeRef::Compound(_)) => gather(b, a, work, &mut |[i, j]| found([j, i])),
        _ => match (rounded_triangles(a.0), rounded_triangles(b.0)) {
            (Some(of_a), Some(of_b)) => of_meshes((of_a, a.1), (of_b, b.1), work, found),
            (Some(of_a), None) => of_mesh_and_one((of_a, a.1), b, work, found),
            (None, Some(of_b)) => of_mesh_and_one((of_b, b.1), a, work, &mut |[i, j]| found([j, i])),
            (None, None) => {
                let (witness, done) = overlap_counted(a.0, a.1, b.0, b.1);
                *work += done;
                if witness.is_some() {
                    found([0, 0]);
                }
            }
        },
    }
}

/// A mesh and the margin of its triangles.
type Rounded<'a> = (&'a MeshShape, f64);

fn rounded_triangles(shape: ShapeRef<'_>) -> Option<Rounded<'_>> {
    match shape {
        ShapeRef::Mesh(mesh) => Some((mesh, 0.0)),
        ShapeRef::Rounded(rounded) => Some((rounded.mesh(), rounded.margin())),
        _ => None,
    }
}

/// A triangle where it is placed; `None` beyond the range of numbers.
fn primitive((mesh, margin): Rounded<'_>, pose: &Pose, triangle: u32) -> Option<Convex> {
    Convex::triangle(place(mesh, pose, triangle)).ok()?.with_margin(margin).ok()
}

fn of_meshes(
    (a, pose_a): (Rounded<'_>, &Pose),
    (b, pose_b): (Rounded<'_>, &Pose),
    work: &mut Work,
    found: &mut dyn FnMut([u32; 2]),
) {
    let margin = a.1 + b.1;
    if margin == 0.0 {
        let (pairs, done) = pairs_counted(a.0, pose_a, b.0, pose_b);
        *work += done;
        return pairs.into_iter().for_each(found);
    }
    let (near, done) = candidates_counted(a.0, pose_a, b.0, pose_b, margin * (1.0 + 1e-9));
    *work += done;
    for [i, j] in near {
        let Some((x, y)) = primitive(a, pose_a, i).zip(primitive(b, pose_b, j)) else { continue };
        let (witness, done) = overlap_counted(&x, &Pose::IDENTITY, &y, &Pose::IDENTITY);
        *work += done;
        if witness.is_some() {
            found([i, j]);
        }
    }
}

/// The triangles of a mesh, and what is one primitive.
fn of_mesh_and_one(
    (rounded, pose): (Rounded<'_>, &Pose),
    (one, at): PlacedShape<'_>,
    work: &mut Work,
    found: &mut dyn FnMut([u32; 2]),
) {
    let (mesh, margin) = rounded;
    let bounds = one.bounds();
    let near = if bounds.min.is_finite() && bounds.max.is_finite() {
        let frame = mesh.tree().frame();
        let (query, local) = box_query(frame, pose, &bounds, at);
        let cutoff = (local * margin * (1.0 + 1e-6)).powi(2) as f32 + 1e-37;
        let asked = WorkMeter::default();
        let near = near_triangles(mesh, &query, cutoff, usize::MAX, &asked);
        *work += asked.done();
        near
    } else {
        (0..mesh.mesh().triangles().len() as u32).collect()
    };
    for triangle in near {
        let Some(convex) = primitive(rounded, pose, triangle) else { continue };
        let (witness, done) = overlap_counted(&convex, &Pose::IDENTITY, one, at);
        *work += done;
        if witness.is_some() {
            found([triangle, 0]);
        }
    }
}
