//! Any two placed shapes: every pair of primitives, one of each, that share a point.
//!
//! Method: a shape that is no mesh is one primitive, filled; those of a compound are counted through its parts, and
//! triangles of a mesh with a margin are rounded. Trees propose (`candidates`, parts near each other, triangles near
//! the box of the second shape), and each pair of primitives is decided as `overlap` decides it.
//! Guarantees: exact for triangles and hulls without a margin, else right beyond 16 ulp of the largest coordinate;
//! sorted, each pair once.
//! Cost: one `overlap` of two primitives for each pair whose boxes are near.

use crate::answer::budget::{Answer, WorkMeter};
use crate::answer::options::PairsOptions;
use crate::answer::placed::{Placed, PlacedShape};
use crate::compound::nearby_parts::box_query;
use crate::mesh::candidates::candidates_counted;
use crate::mesh::pairs::pairs_metered;
use crate::mesh::walk::nearby_triangles::near_triangles;
use crate::mesh::walk::pair_sort;
use crate::mesh::walk::pair_walk::place;
use crate::overlap::overlap_metered;
use heurt_bvh::cutoff;
use heurt_geometry::Pose;
use heurt_shape::{Convex, MeshShape, ShapeRef};
use std::ops::ControlFlow;

/// Lists the intersecting pairs `[primitive of a, primitive of b]`, sorted.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::pairs;
/// use heurt_shape::{Convex, MeshShape};
/// let slab = MeshShape::new(heurt_mesh::generate::cuboid([1.0, 1.0, 0.1])?)?;
/// let ball = Convex::sphere(0.25)?;
/// let above = Pose::from_translation(Vec3::Z * 0.3)?;
/// let found = pairs(&slab, &Pose::IDENTITY, &ball, &above);
/// assert_eq!(found.len(), 2, "both triangles of the upper side: {found:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
) -> Vec<[u32; 2]> {
    any_pairs(Placed::new(a.into(), pose_a), Placed::new(b.into(), pose_b), &WorkMeter::default())
}

/// Computes [`pairs()`] within a budget, with the work done. If the budget ends first,
/// [`Partial`](crate::Budgeted::Partial) has the pairs found by then: each of them intersects, and others may.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{Budget, Budgeted, PairsOptions, pairs, pairs_with};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(heurt_mesh::generate::icosphere(1.0, 4)?)?;
/// let near = Pose::from_translation(Vec3::X)?;
/// let all = pairs(&ball, &Pose::IDENTITY, &ball, &near);
/// let options = PairsOptions { budget: Budget { work: Some(500), ..Budget::default() } };
/// let answer = pairs_with(&ball, &Pose::IDENTITY, &ball, &near, &options);
/// let Budgeted::Partial(some) = answer.outcome else { panic!("{} pairs are too many", all.len()) };
/// assert!(some.len() < all.len() && some.iter().all(|pair| all.contains(pair)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs_with<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    options: &PairsOptions<'_>,
) -> Answer<Vec<[u32; 2]>, Vec<[u32; 2]>> {
    let meter = WorkMeter::of(&options.budget);
    let found = match meter.is_exhausted() {
        true => Vec::new(),
        false => any_pairs(Placed::new(a.into(), pose_a), Placed::new(b.into(), pose_b), &meter),
    };
    Answer::of_search(found, &meter)
}

/// The pairs, or those found as long as there is something to spend; sorted.
fn any_pairs(a: PlacedShape<'_>, b: PlacedShape<'_>, meter: &WorkMeter<'_>) -> Vec<[u32; 2]> {
    if let (ShapeRef::Mesh(mesh_a), ShapeRef::Mesh(mesh_b)) = (a.shape, b.shape) {
        return pairs_metered(a.with(mesh_a), b.with(mesh_b), meter);
    }
    let mut found = Vec::new();
    gather(a, b, meter, &mut |pair| found.push(pair));
    pair_sort::sort(&mut found);
    found
}

/// Emits the pairs, in any order.
fn gather(a: PlacedShape<'_>, b: PlacedShape<'_>, meter: &WorkMeter<'_>, found: &mut dyn FnMut([u32; 2])) {
    match (a.shape, b.shape) {
        (ShapeRef::Compound(compound), _) => {
            a.with(compound).near(b, 0.0, meter, |part, _| {
                gather(part.placed, b, meter, &mut |[i, j]| found([i + part.first_primitive, j]));
                ControlFlow::Continue(0.0)
            });
        }
        (_, ShapeRef::Compound(_)) => gather(b, a, meter, &mut |[i, j]| found([j, i])),
        _ => match (rounded_triangles(a.shape), rounded_triangles(b.shape)) {
            (Some(of_a), Some(of_b)) => rounded_pairs(a.with(of_a), b.with(of_b), meter, found),
            (Some(of_a), None) => primitive_pairs(a.with(of_a), b, meter, found),
            (None, Some(of_b)) => primitive_pairs(b.with(of_b), a, meter, &mut |[i, j]| found([j, i])),
            (None, None) => {
                if overlap_metered(a, b, meter).is_some() {
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
fn primitive(of: Placed<'_, Rounded<'_>>, triangle: u32) -> Option<Convex> {
    let (mesh, margin) = of.shape;
    Convex::triangle(place(mesh, of.pose, triangle)).ok()?.with_margin(margin).ok()
}

/// The triangles of two meshes that intersect, within their margins.
fn rounded_pairs(
    a: Placed<'_, Rounded<'_>>,
    b: Placed<'_, Rounded<'_>>,
    meter: &WorkMeter<'_>,
    found: &mut dyn FnMut([u32; 2]),
) {
    let ((mesh_a, margin_a), (mesh_b, margin_b)) = (a.shape, b.shape);
    let margin = margin_a + margin_b;
    if margin == 0.0 {
        return pairs_metered(a.with(mesh_a), b.with(mesh_b), meter).into_iter().for_each(found);
    }
    let (near, work) = candidates_counted(mesh_a, a.pose, mesh_b, b.pose, margin * (1.0 + 1e-9));
    meter.add(work);
    for [i, j] in near {
        let Some((x, y)) = primitive(a, i).zip(primitive(b, j)) else { continue };
        let (x, y) = ((&x).into(), (&y).into());
        if overlap_metered(Placed::new(x, &Pose::IDENTITY), Placed::new(y, &Pose::IDENTITY), meter).is_some() {
            found([i, j]);
        }
        if meter.was_interrupted() {
            return;
        }
    }
}

/// The triangles of a mesh that intersect a shape of one primitive.
fn primitive_pairs(
    rounded: Placed<'_, Rounded<'_>>,
    one: PlacedShape<'_>,
    meter: &WorkMeter<'_>,
    found: &mut dyn FnMut([u32; 2]),
) {
    let (mesh, margin) = rounded.shape;
    let bounds = one.shape.bounds();
    let near = if bounds.min.is_finite() && bounds.max.is_finite() {
        let frame = mesh.tree().frame();
        let (query, local) = box_query(frame, rounded.pose, &bounds, one.pose);
        let cutoff = cutoff::from_bound((local * margin * (1.0 + 1e-6)).powi(2));
        near_triangles(mesh, &query, cutoff, usize::MAX, meter)
    } else {
        (0..mesh.mesh().triangles().len() as u32).collect()
    };
    for triangle in near {
        let Some(convex) = primitive(rounded, triangle) else { continue };
        if overlap_metered(Placed::new((&convex).into(), &Pose::IDENTITY), one, meter).is_some() {
            found([triangle, 0]);
        }
        if meter.was_interrupted() {
            return;
        }
    }
}
