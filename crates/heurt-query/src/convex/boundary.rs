//! Nearest place on the boundary of a placed convex shape to a point, and the planes between both.
//!
//! In: a convex shape, its pose, a point of the world. Out: [`Boundary`], signed.
//! Method: hulls are queried as meshes, and cylinders and cones by their profile in the half-plane through the point.
//! Ellipsoids take the root of a rational function (Hart 1994; Eberly 2013), which Newton's method reaches from one
//! side. Superellipsoids are queried as pairs of convex shapes, one of which is the point. A margin moves the boundary
//! along its normal.
//! Guarantees: closed forms within `error`, some ulp of the largest coordinate; superellipsoids within the error that
//! `separation` proves. If many places are nearest, as for the centre of a sphere, the result is one of them.

use super::half_space;
use crate::convex::pair::{ConvexPair, CoreSeparation, SeparationQuery};
use crate::convex::separation::cores;
use crate::convex::support::{PlacedCore, Support};
use crate::mesh::closest::mesh_closest;
use crate::mesh::walk::pair_walk::place;
use heurt_bvh::Work;
use heurt_geometry::{Dimension, Mat3, Pose, Vec3, power_of_two_scale, robust_normalize};
use heurt_shape::{Convex, Core, Hull, Round};
use std::sync::LazyLock;

/// Bound of the rounding error of a closed form, in ε of the largest coordinate.
const ROUNDING: f64 = 16.0;

/// Distance from a surface, as a share of its size, below which the direction to the surface does not give the normal.
const NEAR: f64 = 1e-7;

/// The nearest place on the boundary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Boundary {
    /// Distance of the point from the boundary, in metres; negative inside.
    pub signed: f64,
    /// The place on the boundary, in the world.
    pub point: Vec3,
    /// Unit vector that leads out of the shape at that place.
    pub normal: Vec3,
    /// Bounds the absolute error of `signed`.
    pub error: f64,
}

/// Finds the nearest place on the boundary of a shape to a point. A shape without an inside is all boundary.
pub(crate) fn boundary(shape: &Convex, pose: &Pose, point: Vec3, work: &mut Work) -> Boundary {
    let core = match shape.core() {
        Core::Hull(hull) => of_hull(hull, pose, point, work),
        Core::HalfSpace { .. } => return of_half_space(shape, pose, point),
        Core::Round(round @ Round::Superellipsoid { .. }) => of_superellipsoid(round, pose, point),
        Core::Round(round) => of_closed_form(round, pose, point),
    };
    let margin = shape.margin();
    Boundary {
        signed: core.signed - margin,
        point: core.point + core.normal * margin,
        error: core.error + 4.0 * f64::EPSILON * margin,
        ..core
    }
}

/// Tests whether a shape has an inside.
pub(crate) fn has_inside(shape: &Convex) -> bool {
    let flat = match shape.core() {
        Core::Hull(hull) => hull.dimension() != Dimension::Solid,
        Core::Round(round) => round.bounds().max.min_element() == 0.0,
        Core::HalfSpace { .. } => false,
    };
    !flat || shape.margin() > 0.0
}

/// Returns the largest coordinate in a query of a shape and a point.
pub(crate) fn largest(shape: &Convex, pose: &Pose, point: Vec3) -> f64 {
    shape.core().max_coordinate() + shape.margin() + pose.max_translation() + point.abs().max_element()
}

/// Returns a lower bound of the distance of a point from a bounded shape, by the plane across `normal`.
pub(crate) fn beyond_plane(shape: &Convex, pose: &Pose, point: Vec3, normal: Vec3) -> f64 {
    match PlacedCore::new(shape, pose, 1.0) {
        Some(core) => {
            let highest = core.support(normal).point;
            let rounding = 8.0 * f64::EPSILON * largest(shape, pose, point);
            normal.dot(point - highest) - shape.margin() - rounding
        }
        None => f64::NEG_INFINITY,
    }
}

fn of_half_space(shape: &Convex, pose: &Pose, point: Vec3) -> Boundary {
    let at = Pose::from_translation(point).unwrap_or_default();
    let pair = ConvexPair { a: shape, pose_a: pose, b: &ORIGIN, pose_b: &at };
    let gap = half_space::separation(pair).expect("one of them is a half-space");
    Boundary { signed: gap.length, point: gap.on_a, normal: gap.normal, error: gap.error }
}

/// A convex point at the origin, to be placed.
pub(crate) static ORIGIN: LazyLock<Convex> = LazyLock::new(Convex::point);

fn of_hull(hull: &Hull, pose: &Pose, point: Vec3, work: &mut Work) -> Boundary {
    let (found, done) = mesh_closest(hull.surface(), pose, point);
    *work += done;
    let is_inside = found.inside == Some(true);
    let out = if is_inside { found.point - point } else { point - found.point };
    let [a, b, c] = place(hull.surface(), pose, found.primitive);
    let across = robust_normalize((b - a).cross(c - a)).or_else(|| robust_normalize((b - a).any_orthogonal_vector()));
    let across = across.or_else(|| robust_normalize((c - a).any_orthogonal_vector())).unwrap_or(Vec3::Z);
    // A polygon has two sides.
    let across = if hull.dimension() != Dimension::Solid && across.dot(out) < 0.0 { -across } else { across };
    // Points and segments have no normal of their own.
    let has_facets = !hull.facets().is_empty();
    let normal = match robust_normalize(out) {
        Some(out) if !has_facets || found.distance > NEAR * hull.max_coordinate() || out.dot(across) < 0.99 => out,
        // Nearly on a facet the direction to the point is a rounding error, but the normal of the facet is not.
        _ => across,
    };
    let normal = if found.distance > found.error { normal } else { across };
    Boundary { signed: found.signed_distance.unwrap_or(found.distance), point: found.point, normal, error: found.error }
}

fn of_superellipsoid(round: &Round, pose: &Pose, point: Vec3) -> Boundary {
    let core = Convex::round(*round).expect("it was checked before");
    let at = Pose::from_translation(point).unwrap_or_default();
    let pair = ConvexPair { a: &core, pose_a: pose, b: &ORIGIN, pose_b: &at };
    match cores(pair, SeparationQuery { beyond: f64::INFINITY, depth: true }) {
        CoreSeparation::Disjoint(gap) => {
            Boundary { signed: gap.length, point: gap.on_a, normal: gap.normal, error: gap.error }
        }
        CoreSeparation::Penetrating(gap) => {
            let on_boundary = point + gap.normal * gap.length;
            Boundary { signed: -gap.length, point: on_boundary, normal: gap.normal, error: gap.error }
        }
        // Without a limit and with depths requested, there is no other result.
        CoreSeparation::BeyondMax | CoreSeparation::Touching(..) => {
            Boundary { signed: 0.0, point, normal: Vec3::Z, error: pair.largest() }
        }
    }
}

/// The nearest place in the frame of a shape.
struct Local {
    signed: f64,
    point: Vec3,
    /// A normal of any length.
    normal: Vec3,
}

fn of_closed_form(round: &Round, pose: &Pose, point: Vec3) -> Boundary {
    let offset = point - pose.translation();
    // In a unit in which squares neither under- nor overflow.
    let unit = power_of_two_scale(round.bounds().max.max_element().max(offset.abs().max_element()));
    let local = turned_back(pose) * (offset * unit);
    let found = match round.scaled(unit) {
        Round::Cylinder { radius, half_height } => {
            let corners = [[0.0, -half_height], [radius, -half_height], [radius, half_height], [0.0, half_height]];
            of_profile(&corners, local)
        }
        Round::Cone { radius, half_height } => {
            of_profile(&[[0.0, -half_height], [radius, -half_height], [0.0, half_height]], local)
        }
        Round::Ellipsoid { radii } | Round::Superellipsoid { radii, .. } => of_ellipsoid(radii, local),
    };
    let largest = round.bounds().max.max_element() + pose.max_translation() + point.abs().max_element();
    let signed = found.signed / unit;
    // A rotation that is not quite one stretches lengths measured in the frame of the shape.
    let stretch = if pose.defect() > 8.0 * f64::EPSILON { 2.0 * pose.defect() * signed.abs() } else { 0.0 };
    Boundary {
        signed,
        point: *pose.rotation() * (found.point / unit) + pose.translation(),
        normal: (*pose.rotation() * found.normal).normalize_or(Vec3::Z),
        error: ROUNDING * f64::EPSILON * largest + stretch + 8.0 * f64::from_bits(1),
    }
}

/// Returns the rotation from directions of the world to directions of a shape.
fn turned_back(pose: &Pose) -> Mat3 {
    let transposed = pose.rotation().transpose();
    if pose.defect() > 8.0 * f64::EPSILON { pose.rotation().inverse() } else { transposed }
}

/// Finds the nearest place of a solid that turns around the z axis. Its convex profile has the corners [ρ, z] from the
/// axis below to the axis above.
fn of_profile(corners: &[[f64; 2]], at: Vec3) -> Local {
    let rho = (at.x * at.x + at.y * at.y).sqrt();
    let around = if rho > 0.0 { [at.x / rho, at.y / rho] } else { [1.0, 0.0] };
    let turned = |[r, z]: [f64; 2]| Vec3::new(r * around[0], r * around[1], z);
    // The highest side counts for a point inside, the nearest place for a point outside.
    let mut highest: Option<Local> = None;
    let mut nearest: Option<Local> = None;
    for side in corners.windows(2) {
        let [[r0, z0], [r1, z1]] = [side[0], side[1]];
        let length = ((r1 - r0) * (r1 - r0) + (z1 - z0) * (z1 - z0)).sqrt();
        if length == 0.0 {
            continue;
        }
        let [dr, dz] = [(r1 - r0) / length, (z1 - z0) / length];
        let height = (rho - r0) * dz - (at.z - z0) * dr;
        let along = (rho - r0) * dr + (at.z - z0) * dz;
        let normal = turned([dz, -dr]);
        if highest.as_ref().is_none_or(|highest| height > highest.signed) {
            let foot = [rho - height * dz, at.z + height * dr];
            highest = Some(Local { signed: height, point: turned(foot), normal });
        }
        let foot = if along <= 0.0 {
            [r0, z0]
        } else if along >= length {
            [r1, z1]
        } else {
            [rho - height * dz, at.z + height * dr]
        };
        let offset = [rho - foot[0], at.z - foot[1]];
        let distance = (offset[0] * offset[0] + offset[1] * offset[1]).sqrt();
        if nearest.as_ref().is_none_or(|nearest| distance < nearest.signed) {
            let is_beside = along > 0.0 && along < length;
            let (distance, normal) = match is_beside {
                // A flat profile has both sides in one.
                true => (height.abs(), normal * 1f64.copysign(height)),
                false => (distance, turned(offset)),
            };
            nearest = Some(Local { signed: distance, point: turned(foot), normal });
        }
    }
    match (highest, nearest) {
        (Some(highest), _) if highest.signed <= 0.0 => highest,
        (_, Some(nearest)) => nearest,
        // No sides: a point.
        _ => Local { signed: at.length(), point: Vec3::ZERO, normal: at },
    }
}

/// Maximum number of Newton steps; each brings the root nearer from the same side, as a rule within ten.
const MAX_STEPS: u32 = 200;

/// Finds the place q = e² p / (τ + e² − 1), lengths in units of the least half axis. τ is the largest root of g(τ) = Σ
/// (e p / (τ + e² − 1))² − 1, and is below 1 if the point is inside.
fn of_ellipsoid(radii: Vec3, at: Vec3) -> Local {
    let thin = (0..3).filter(|&axis| radii[axis] > 0.0).min_by(|&i, &j| radii[i].total_cmp(&radii[j]));
    let Some(thin) = thin else { return Local { signed: at.length(), point: Vec3::ZERO, normal: at } };
    let least = radii[thin];
    // Along flat axes the place has no coordinate, and the sum has no term.
    let flat = [0, 1, 2].map(|axis| radii[axis] == 0.0);
    let is_flat = flat.contains(&true);
    let e = radii / least;
    let p = (at / least).abs();
    let r = e * e;
    let beyond = Vec3::new(r.x - 1.0, r.y - 1.0, r.z - 1.0);
    let axes = || (0..3).filter(|&axis| !flat[axis]);
    let is_inside = axes().map(|k| p[k] / e[k] * (p[k] / e[k])).sum::<f64>() <= 1.0;
    if is_flat && is_inside {
        let foot = Vec3::from_array([0, 1, 2].map(|k| if flat[k] { 0.0 } else { at[k] }));
        return Local { signed: (at - foot).length(), point: foot, normal: normal_of_flat(at - foot, flat) };
    }
    // Each term alone is at most 1 at the root.
    let mut tau = axes().map(|k| e[k] * p[k] - beyond[k]).fold(0.0, f64::max);
    for _ in 0..MAX_STEPS {
        let (mut g, mut slope) = (-1.0, 0.0);
        for k in axes().filter(|&k| p[k] > 0.0) {
            let term = e[k] * p[k] / (tau + beyond[k]);
            g += term * term;
            slope += 2.0 * term * term / (tau + beyond[k]);
        }
        let next = tau + g / slope;
        if g.is_nan() || g <= 0.0 || next <= tau || next.is_nan() {
            break;
        }
        tau = next;
    }
    let mut foot = Vec3::ZERO;
    for k in axes() {
        foot[k] = if p[k] > 0.0 { r[k] * p[k] / (tau + beyond[k]) } else { 0.0 };
    }
    if tau == 0.0 {
        // On the plane across the least axis, the height follows from the remaining coordinates.
        let others: f64 = axes().filter(|&k| k != thin).map(|k| foot[k] / e[k] * (foot[k] / e[k])).sum();
        foot[thin] = (1.0 - others).max(0.0).sqrt();
    }
    // Moves the place back to the surface after rounding.
    let off = axes().map(|k| foot[k] / e[k] * (foot[k] / e[k])).sum::<f64>().sqrt();
    let foot = foot / off * least;
    let point = Vec3::from_array([0, 1, 2].map(|k| foot[k].copysign(at[k])));
    let mut normal = Vec3::ZERO;
    for k in axes() {
        normal[k] = point[k] / least / r[k];
    }
    let distance = (at - point).length();
    let normal = if is_flat { at - point } else { normal };
    Local { signed: if is_inside { -distance } else { distance }, point, normal }
}

/// Returns the direction across a flat shape to a point; any normal of the shape if the point lies on it.
fn normal_of_flat(offset: Vec3, flat: [bool; 3]) -> Vec3 {
    if offset != Vec3::ZERO {
        return offset;
    }
    Vec3::from_array([0, 1, 2].map(|k| f64::from(u8::from(flat[k]))))
}
