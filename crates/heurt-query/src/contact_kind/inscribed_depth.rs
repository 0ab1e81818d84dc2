//! Lower bound of the penetration depth from two inscribed balls with one centre.
//!
//! In: two placed meshes, at least one of them a solid, and places in the world to start from. Out: [`InscribedDepth`].
//! Method: if a ball of radius r round p lies in A and a ball of radius s round p lies in B, then B must move by at
//! least r + s before the two balls are disjoint; so r + s is a lower bound of the penetration depth. The radii are the
//! distances of p from the two boundaries less their error. The search maximises r + s: it evaluates vertices of each
//! mesh inside the opposite mesh and the given places, then climbs from the best ones along the sum of the directions
//! away from both boundaries.
//! Guarantees: the bound holds for every translation. A point of a surface that is no solid, or a solid whose inside is
//! not decided exactly, counts as a ball of radius 0. Deterministic. Not guaranteed: that the largest such pair of
//! balls is found, or that the bound is near the depth: the two balls measure how deep the surfaces lie in each other
//! *locally*, while a translation may have to be far longer.
//! Cost: at most approximately 300 nearest-point queries, and one pass over the vertices.

use crate::answer::closest::Closest;
use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::closest::closest;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::{MeshShape, ShapeRef};

/// Vertices of each mesh that the search evaluates: enough for the corners of two machined parts that meet in a few
/// places.
const MAX_VERTICES: usize = 48;
/// Places from which the search climbs. More than one, since different places lie in different overlaps.
const MAX_STARTS: usize = 4;
/// Evaluations of one climb; the step halves with each failure, so this reaches a hundredth of the first step.
const MAX_EVALUATIONS: usize = 16;

/// A lower bound of the penetration depth, and its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InscribedDepth {
    /// No translation shorter than this separates the meshes, in metres.
    pub depth: f64,
    /// The common centre of the two balls, in the world frame.
    pub centre: Vec3,
    /// Directions from the nearest points of both boundaries to the centre, of the boundary of A first. As far as the
    /// surfaces near the centre show, B leaves A fastest against the first or along the second.
    pub directions: [Vec3; 2],
}

/// Finds a lower bound of the penetration depth of two placed meshes; `None` if no point of a mesh is found in the
/// opposite mesh.
///
/// `places` are points in the world from which the search starts, such as the middle of the region in which the
/// surfaces meet; places outside one of the meshes are ignored.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate::cuboid;
/// use heurt_query::contact_kind::inscribed_depth;
/// use heurt_shape::MeshShape;
/// let cube = MeshShape::new(cuboid([0.5; 3])?)?;
/// let moved = Pose::from_translation(Vec3::new(0.9, 0.2, 0.3))?;
/// let found = inscribed_depth((&cube, &Pose::IDENTITY), (&cube, &moved), &[]).expect("they overlap");
/// assert!((found.depth - 0.1).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inscribed_depth(a: (&MeshShape, &Pose), b: (&MeshShape, &Pose), places: &[Vec3]) -> Option<InscribedDepth> {
    let pair = [a, b].map(|(shape, pose)| Placed::new(shape, pose));
    let common = common_box(&pair);
    // Lazy: nothing is gathered for two surfaces.
    let evaluated = (0..2).flat_map(|side| {
        vertices_within(pair[side], &common).into_iter().filter_map(move |vertex| evaluate_vertex(&pair, side, vertex))
    });
    climb_from_best(&pair, &common, evaluated, places)
}

/// Finds a lower bound as [`inscribed_depth`], without its pass over vertices: from `deepest`, a point of one surface
/// that lies deep in the opposite mesh, such as the place of [`local_depth`](crate::local_depth()), and from the given
/// places.
pub fn inscribed_depth_at(
    a: (&MeshShape, &Pose),
    b: (&MeshShape, &Pose),
    deepest: Vec3,
    places: &[Vec3],
) -> Option<InscribedDepth> {
    let pair = [a, b].map(|(shape, pose)| Placed::new(shape, pose));
    let deep = [0, 1].into_iter().filter_map(|side| evaluate_vertex(&pair, side, deepest));
    climb_from_best(&pair, &common_box(&pair), deep, places)
}

fn common_box(pair: &[PlacedMeshShape<'_>; 2]) -> Aabb {
    let bounds = pair.map(|placed| ShapeRef::Mesh(placed.shape).bounds_at(placed.pose));
    Aabb { min: bounds[0].min.max(bounds[1].min), max: bounds[0].max.min(bounds[1].max) }
}

/// Climbs from the best of the places that are evaluated and those to evaluate.
fn climb_from_best(
    pair: &[PlacedMeshShape<'_>; 2],
    common: &Aabb,
    evaluated: impl Iterator<Item = Evaluation>,
    places: &[Vec3],
) -> Option<InscribedDepth> {
    if pair.iter().all(|placed| !placed.shape.is_exact_solid()) {
        return None;
    }
    let mut starts: Vec<Evaluation> = evaluated.collect();
    starts.extend(places.iter().filter_map(|&place| evaluate(pair, place)));
    // A stable sort: equal values keep their order, which the input determines.
    starts.sort_by(|x, y| y.depth.total_cmp(&x.depth));
    starts.truncate(MAX_STARTS);
    let step = common.half_extents().min_element();
    let both_are_solid = pair.iter().all(|placed| placed.shape.is_exact_solid());
    let climbed = starts.into_iter().map(|start| if both_are_solid { climb(pair, start, step) } else { start });
    let best = climbed.reduce(|best, other| if other.depth > best.depth { other } else { best })?;
    Some(InscribedDepth { depth: best.depth, centre: best.centre, directions: best.directions })
}

/// The value of a place: the sum of both radii, and the direction in which it grows.
#[derive(Clone, Copy)]
struct Evaluation {
    centre: Vec3,
    depth: f64,
    /// Directions away from both boundaries; zero if there is none.
    directions: [Vec3; 2],
}

impl Evaluation {
    /// Returns the direction in which the depth grows.
    fn ascent(&self) -> Vec3 {
        self.directions[0] + self.directions[1]
    }
}

/// Returns at most [`MAX_VERTICES`] placed vertices in `bounds`, evenly spaced in the order of the mesh.
fn vertices_within(Placed { shape, pose }: PlacedMeshShape<'_>, bounds: &Aabb) -> Vec<Vec3> {
    let placed = shape.mesh().vertices().iter().map(|&vertex| pose.place(vertex));
    let within: Vec<Vec3> = placed.filter(|&vertex| bounds.contains(vertex)).collect();
    let stride = within.len().div_ceil(MAX_VERTICES).max(1);
    within.into_iter().step_by(stride).collect()
}

/// Evaluates a placed vertex of one mesh, which is a ball of radius 0 in it.
fn evaluate_vertex(pair: &[PlacedMeshShape<'_>; 2], side: usize, vertex: Vec3) -> Option<Evaluation> {
    let Placed { shape: other, pose } = pair[1 - side];
    let (depth, away) = ball(other, pose, closest(other, pose, vertex), vertex)?;
    let Placed { shape: own, pose: own_pose } = pair[side];
    let inward = match own.is_exact_solid() {
        true => inward(own, own_pose, closest(own, own_pose, vertex).primitive),
        false => Vec3::ZERO,
    };
    let directions = if side == 0 { [inward, away] } else { [away, inward] };
    Some(Evaluation { centre: vertex, depth, directions })
}

/// Evaluates a place; `None` outside one of two solids, and if one of the meshes is no solid.
fn evaluate(pair: &[PlacedMeshShape<'_>; 2], place: Vec3) -> Option<Evaluation> {
    let mut sum = Evaluation { centre: place, depth: 0.0, directions: [Vec3::ZERO; 2] };
    for (&Placed { shape, pose }, direction) in pair.iter().zip(&mut sum.directions) {
        let (radius, away) = ball(shape, pose, closest(shape, pose, place), place)?;
        sum.depth += radius;
        *direction = away;
    }
    Some(sum)
}

/// Computes the radius of a ball around `place` that lies in a solid, and the direction away from its boundary.
fn ball(shape: &MeshShape, pose: &Pose, nearest: Closest, place: Vec3) -> Option<(f64, Vec3)> {
    // The inside of a mesh of `Solidity::Winding` has no exact boundary: a ball may leave it there.
    if !shape.is_exact_solid() || nearest.inside != Some(true) {
        return None;
    }
    let away = (place - nearest.point).try_normalize();
    let direction = away.unwrap_or_else(|| inward(shape, pose, nearest.primitive));
    Some(((nearest.distance - nearest.error).max(0.0), direction))
}

/// Returns the inward unit normal of a placed triangle; zero if it has no area.
fn inward(shape: &MeshShape, pose: &Pose, triangle: u32) -> Vec3 {
    let [a, b, c] = shape.mesh().corners(triangle);
    -(*pose.rotation() * (b - a).cross(c - a).normalize_or_zero())
}

/// Climbs from a place: along the direction of ascent, with steps that grow on success and halve on failure.
fn climb(pair: &[PlacedMeshShape<'_>; 2], start: Evaluation, first_step: f64) -> Evaluation {
    let (mut best, mut step) = (start, first_step);
    for _ in 0..MAX_EVALUATIONS {
        let Some(direction) = best.ascent().try_normalize() else { break };
        match evaluate(pair, best.centre + direction * step) {
            Some(next) if next.depth > best.depth => {
                best = next;
                step *= 1.5;
            }
            _ => step *= 0.5,
        }
    }
    best
}
