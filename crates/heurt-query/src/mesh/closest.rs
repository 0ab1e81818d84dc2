//! Nearest point of a placed mesh to a given point, with the location of the given point.
//!
//! Method: a walk by squared distance to boxes; in a leaf, bounds of the distances to eight triangles at a time. The
//! least upper bound cuts the walk. Only at the end are distances computed in `f64` on the placed vertices, for the
//! triangles whose lower bound is not above the cutoff: as a rule one. The side is the exact winding number. For a
//! point outside, the nearest point of the surface is on the boundary of the solid. For a point inside it also is if
//! its triangle, or two that share an edge there, are all of the surface around it and the winding number beyond them
//! is 0. Otherwise the pieces of the boundary (`mesh/solid_boundary`) are searched, unless they are the whole surface.
//! Guarantees: ties go to the lowest triangle. `error` bounds the absolute error of `distance`. The placed vertices are
//! exact by contract; differences, the foot and the length are rounded a few times each, which stays below 32 ulp of
//! the largest coordinate of a triangle. The error also covers triangles with a larger computed distance and a larger
//! error. Lengths are squared in a unit in which the triangle measures approximately 1, so the size in metres does not
//! matter.
//! Cost: O(log n) for points near the surface.

use crate::answer::closest::Closest;
use crate::answer::closest::Location;
use crate::answer::placed::PlacedMeshShape;
use crate::mesh::solid_boundary::solid_boundary;
use crate::mesh::walk::pair_walk::place;
use crate::mesh::winding::locate;
use crate::triangle::closest_point::closest_on_triangle;
use crate::triangle::point_lanes::distances_sq;
use heurt_bvh::simd::Lanes8;
use heurt_bvh::simd::{Lanes, WideIsa};
use heurt_bvh::{Leaf, PointQuery, Visitor, Work, cutoff, walk};
use heurt_geometry::{Pose, Sign, Triangle, Vec3, orient3d, power_of_two_scale};
use heurt_shape::{MeshShape, PieceSet, SolidBoundary};
use std::ops::ControlFlow;

/// Finds the point of the boundary of a placed mesh nearest to `point`, with the work done.
pub(crate) fn mesh_closest(a: &MeshShape, pose: &Pose, point: Vec3) -> (Closest, Work) {
    let mut work = Work::default();
    let nearest = nearest((a, &[]), pose, (point, 0.0), f64::INFINITY, &mut work);
    // Without a limit a triangle always exists; the first triangle replaces it if distances overflow.
    let near = nearest.unwrap_or_else(|| CloseTriangle::only(Foot::new(a, pose, 0, point)));
    (finish(a, pose, point, &near, &mut work), work)
}

/// [`mesh_closest`] if the distance is at most `max` metres.
pub(crate) fn mesh_closest_within(a: &MeshShape, pose: &Pose, point: Vec3, max: f64) -> (Option<Closest>, Work) {
    let mut work = Work::default();
    let near = nearest((a, &[]), pose, (point, 0.0), max, &mut work);
    let found = near.map(|near| finish(a, pose, point, &near, &mut work));
    (found.filter(|found| found.distance <= max), work)
}

/// The nearest triangle of a mesh, whether it bounds the inside or not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestFace {
    /// Its number.
    pub triangle: u32,
    /// Its distance, in metres, with the rounding error of [`Closest::error`].
    pub distance: f64,
}

/// Finds the triangle of a placed mesh nearest to a point, and does not locate the point.
pub(crate) fn nearest_face(a: PlacedMeshShape<'_>, point: Vec3) -> NearestFace {
    nearest_face_within(a, point, f64::INFINITY).unwrap_or_else(|| {
        let foot = Foot::new(a.shape, a.pose, 0, point);
        NearestFace { triangle: 0, distance: foot.distance }
    })
}

/// [`nearest_face`] if its distance is at most `max` metres.
pub(crate) fn nearest_face_within(a: PlacedMeshShape<'_>, point: Vec3, max: f64) -> Option<NearestFace> {
    let near = nearest((a.shape, &[]), a.pose, (point, 0.0), max, &mut Work::default())?;
    Some(NearestFace { triangle: near.foot.triangle, distance: near.foot.distance })
}

/// The nearest point of a triangle.
#[derive(Debug, Clone, Copy)]
struct Foot {
    triangle: u32,
    /// In the world frame.
    point: Vec3,
    /// In metres.
    distance: f64,
    /// Bound on the error of the distance: 32 ε of the largest coordinate, which is up to 64 ulp of it.
    error: f64,
    /// The bound that is proved, 32 ulp.
    proved: f64,
}

impl Foot {
    fn new(a: &MeshShape, pose: &Pose, triangle: u32, point: Vec3) -> Self {
        let corners = place(a, pose, triangle);
        let farthest = |from: Vec3| corners.iter().map(|&c| (c - from).abs().max_element()).fold(0.0, f64::max);
        let largest = farthest(Vec3::ZERO).max(point.abs().max_element());
        // Lengths below 2⁻⁶⁰ of a coordinate are rounding errors.
        let unit = power_of_two_scale(farthest(point).max(largest * (1.0 / (1u64 << 60) as f64)));
        let foot = closest_on_triangle(point * unit, &corners.map(|corner| corner * unit));
        Self {
            triangle,
            point: foot / unit,
            distance: (foot - point * unit).length() / unit,
            // Denormal numbers are rounded to multiples of the least denormal number.
            error: 32.0 * f64::EPSILON * largest + 8.0 * f64::from_bits(1),
            proved: 32.0 * f64::EPSILON * power_of_two_below(largest) + 8.0 * f64::from_bits(1),
        }
    }
}

/// Returns the largest power of two that is at most a normal number.
fn power_of_two_below(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000)
}

/// The nearest point, and the triangles that may be as near.
struct CloseTriangle {
    foot: Foot,
    /// Lower bounds of squared distances with triangles, for bounds at most the limit.
    found: Vec<(f32, u32)>,
    limit: f32,
}

impl CloseTriangle {
    fn only(foot: Foot) -> Self {
        Self { foot, found: Vec::new(), limit: 0.0 }
    }

    /// Returns all triangles except the foot's whose distance, by bounds in `f32`, is at most the distance of the foot.
    fn others(&self) -> impl Iterator<Item = u32> + '_ {
        let near = self.found.iter().filter(|(at_least, _)| *at_least <= self.limit);
        near.map(|(_, triangle)| *triangle).filter(|&triangle| triangle != self.foot.triangle)
    }
}

impl Foot {
    /// Returns the foot with its errors enlarged by a rounding error, in metres.
    fn less_certain(self, rounding: f64) -> Self {
        Self { error: self.error + rounding, proved: self.proved + rounding, ..self }
    }
}

fn finish(a: &MeshShape, pose: &Pose, point: Vec3, near: &CloseTriangle, work: &mut Work) -> Closest {
    let foot = near.foot;
    let mut found = Closest {
        point: foot.point,
        distance: foot.distance,
        signed_distance: None,
        inside: None,
        primitive: foot.triangle,
        error: foot.error,
    };
    if a.is_solid() {
        let location = locate(a, pose, point, work);
        if let Location::Boundary { triangle } = location {
            found = Closest { point, distance: 0.0, primitive: triangle, ..found };
        }
        let inside = location != Location::Winding(0);
        if inside && a.is_exact_solid() && !is_first_boundary(a, pose, point, near, location) {
            found = of_pieces(a, pose, point, found, work);
        }
        found.inside = Some(inside);
        found.signed_distance = Some(if inside { -found.distance } else { found.distance });
    }
    found
}

/// Reports whether the foot of a point inside is provably on the boundary of the solid: the only triangles around it
/// are triangles beyond which the winding number is 0. Returns `false` if the proof needs more than one triangle, or
/// two that share an edge.
fn is_first_boundary(a: &MeshShape, pose: &Pose, point: Vec3, near: &CloseTriangle, location: Location) -> bool {
    /// Relative excess of distance within which the candidates are complete.
    const COMPLETE: f64 = 1e-7;
    let Location::Winding(winding) = location else { return false };
    let foot = &near.foot;
    // A neighbour within this distance of the foot may contain it.
    let room = 2.0 * foot.error;
    if winding.abs() != 1 || room.is_nan() || room > COMPLETE * foot.distance {
        return false;
    }
    let meets = |triangle: &u32| {
        let corners = place(a, pose, *triangle);
        let unit = power_of_two_scale(corners.iter().fold(foot.point.abs(), |m, c| m.max(c.abs())).max_element());
        let nearest = closest_on_triangle(foot.point * unit, &corners.map(|corner| corner * unit));
        (nearest - foot.point * unit).length() <= room * unit
    };
    // From 1 the direction out leads through the back of a triangle, from −1 through its front.
    let back = if winding == 1 { Sign::Negative } else { Sign::Positive };
    let leads_out = |triangle: u32| {
        let [p, q, r] = place(a, pose, triangle);
        orient3d(p, q, r, point) == back
    };
    let mut around = near.others().filter(meets);
    match (around.next(), around.next()) {
        (None, _) => leads_out(foot.triangle),
        (Some(other), None) => {
            // There are no other triangles: on both sides of the edge the surface continues.
            share_edge(a, foot.triangle, other) && leads_out(foot.triangle) && leads_out(other)
        }
        _ => false,
    }
}

/// Reports whether two triangles have an edge in common along which they run in opposite directions.
pub(crate) fn share_edge(a: &MeshShape, first: u32, second: u32) -> bool {
    let [first, second] = [first, second].map(|triangle| a.mesh().corners(triangle));
    let edges = |t: Triangle| [0, 1, 2].map(|k| [t[k], t[(k + 1) % 3]]);
    edges(first).iter().any(|&[from, to]| edges(second).contains(&[to, from]))
}

/// Returns the nearest point of the boundary of a solid, for a point inside whose nearest point over all faces is
/// `found`.
fn of_pieces(a: &MeshShape, pose: &Pose, point: Vec3, found: Closest, work: &mut Work) -> Closest {
    let SolidBoundary::Pieces(pieces) = solid_boundary(a) else { return found };
    let placing = rounding_of_placement(a, pose);
    let mut nearest_of = |set: &Option<PieceSet>| {
        let set = set.as_ref()?;
        let near = nearest((&set.surface, &set.roundings), pose, (point, placing), f64::INFINITY, work)?;
        Some(Foot { triangle: set.triangles[near.foot.triangle as usize], ..near.foot })
    };
    let [decided, open] = [nearest_of(&pieces.decided), nearest_of(&pieces.open)];
    let reported = |foot: &Foot, error: f64| Closest {
        point: foot.point,
        distance: foot.distance,
        primitive: foot.triangle,
        error,
        ..found
    };
    // The box around the mesh has its surface outside the solid, up to rounding: within that distance there is a
    // boundary.
    let farthest = distance_out_of_box(a, pose, point);
    let nearest = decided.filter(|foot| foot.distance - foot.proved <= farthest).or(open);
    let Some(foot) = nearest else {
        return Closest { distance: farthest, error: farthest, ..found };
    };
    let error = foot.proved;
    if foot.distance <= error && decided.is_some() {
        return Closest { point, distance: 0.0, primitive: foot.triangle, error, ..found };
    }
    // The true distance lies between the nearest foot that may be on the boundary and the nearest that provably is.
    let least = open.map_or(foot.distance, |open| (open.distance - open.proved).min(foot.distance));
    let most = if decided.is_some() { foot.distance } else { farthest };
    reported(&foot, error + (foot.distance - least).max(most - foot.distance))
}

/// Bounds the offset between a placed piece of a triangle and the placed triangle due to rounding, in metres: each
/// coordinate is a sum of four terms, each rounded at most four times.
fn rounding_of_placement(a: &MeshShape, pose: &Pose) -> f64 {
    if *pose == Pose::IDENTITY {
        return 0.0;
    }
    // The factor is twice √3 for the three coordinates of piece and triangle, and √3 for the length of the rotated
    // vector, whose coordinates are known.
    8.0 * f64::EPSILON * (2.0 * a.tree().frame().max_coordinate() + pose.max_translation())
}

/// Bounds the distance of a point inside a mesh from the outside of the box around it.
fn distance_out_of_box(a: &MeshShape, pose: &Pose, point: Vec3) -> f64 {
    let bounds = a.bounds();
    let local = pose.rotation().transpose() * (point - pose.translation());
    let offsets = (local - bounds.min).abs().min((bounds.max - local).abs());
    let reach = a.tree().frame().max_coordinate() + pose.max_translation() + point.abs().max_element();
    offsets.min_element() * (1.0 + 4.0 * pose.defect()) + reach * (64.0 * f64::EPSILON + 4.0 * pose.defect())
}

/// Finds the nearest point of the nearest triangle within `max`. Each triangle may be off by its rounding error in
/// `roundings`, in metres; triangles whose rounding error is not 0 may be off by `placing` more.
fn nearest(
    (a, roundings): (&MeshShape, &[f64]),
    pose: &Pose,
    (point, placing): (Vec3, f64),
    max: f64,
    work: &mut Work,
) -> Option<CloseTriangle> {
    let rounding_of = |triangle: u32| match roundings.get(triangle as usize) {
        Some(&rounding) if rounding > 0.0 => rounding + placing,
        // Whole triangles have no rounding error from cutting.
        _ => 0.0,
    };
    let frame = a.tree().frame();
    let offset = point - pose.place(frame.centre());
    let local = pose.rotation().transpose() * offset * frame.inverse_scale();
    let world = frame.max_coordinate() + point.abs().max_element() + pose.translation().abs().max_element();
    // Placement rounds in the world; a rotation that deviates from orthonormality stretches offsets.
    let slack = world * frame.inverse_scale() * (1.0 / (1u64 << 44) as f64)
        + 4.0 * pose.defect() * (local.abs().max_element() + frame.max_coordinate() * frame.inverse_scale());
    let mut visitor = ClosestCandidates {
        shape: a,
        local,
        slack: (slack as f32).next_up(),
        cutoff: if max < f64::INFINITY { cutoff::squared(max, frame.inverse_scale()) } else { f32::INFINITY },
        found: Vec::with_capacity(32),
    };
    *work += walk(a.tree(), &PointQuery::new(local.to_array(), slack), &mut visitor);
    let ClosestCandidates { cutoff: mut limit, found, .. } = visitor;
    let mut nearest: Option<Foot> = None;
    // A triangle with a larger computed distance may have a larger error.
    let (mut best, mut least) = (max, [f64::INFINITY; 2]);
    for &(at_least, triangle) in &found {
        if at_least > limit {
            continue;
        }
        let foot = Foot::new(a, pose, triangle, point).less_certain(rounding_of(triangle));
        least = [least[0].min(foot.distance - foot.error), least[1].min(foot.distance - foot.proved)];
        let wins_tie = nearest.is_none_or(|nearest| triangle < nearest.triangle);
        if foot.distance < best || foot.distance == best && wins_tie {
            (nearest, best) = (Some(foot), foot.distance);
            limit = limit.min(cutoff::squared(best, frame.inverse_scale()));
        }
    }
    let off = |own: f64, foot: &Foot, least: f64| own.max(foot.distance - least);
    let foot = nearest.map(|foot| Foot {
        error: off(foot.error, &foot, least[0]),
        proved: off(foot.proved, &foot, least[1]),
        ..foot
    })?;
    Some(CloseTriangle { foot, found, limit })
}

/// Collects the triangles that may be the nearest.
struct ClosestCandidates<'a> {
    shape: &'a MeshShape,
    /// The point in local units, off by at most `slack`.
    local: Vec3,
    slack: f32,
    /// The least upper bound of a squared distance, in local units.
    cutoff: f32,
    /// Lower bounds of squared distances, and triangles.
    found: Vec<(f32, u32)>,
}

impl Visitor for ClosestCandidates<'_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    #[inline(always)]
    fn prefetch<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        isa.prefetch(&self.shape.blocks()[leaf.ordinal as usize]);
    }

    #[inline(always)]
    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        let block = &self.shape.blocks()[leaf.ordinal as usize];
        let centre = block.centre.map(f64::from);
        let point = [0, 1, 2].map(
            #[inline(always)]
            |k| (self.local[k] - centre[k]) as f32,
        );
        let distances = distances_sq::<Lanes8<I>>(block, point, self.slack);
        let nearer = Lanes8::<I>::splat(self.cutoff).gt(distances.at_most).bits();
        if nearer != 0 {
            for at_most in distances.at_most.to_array() {
                self.cutoff = if at_most < self.cutoff { at_most } else { self.cutoff };
            }
        }
        // Written so that `NaN` is kept.
        let dismissed = distances.at_least.gt(Lanes8::<I>::splat(self.cutoff)).bits();
        let mut kept = !dismissed & ((1 << leaf.count) - 1);
        if kept != 0 {
            let (at_least, triangles) = (distances.at_least.to_array(), self.shape.tree().primitives(leaf));
            while kept != 0 {
                let lane = kept.trailing_zeros() as usize;
                kept &= kept - 1;
                self.found.push((at_least[lane & 7], triangles[lane]));
            }
        }
        ControlFlow::Continue(())
    }
}
