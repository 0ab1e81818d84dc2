//! Classification of contacts: bodies that come nearer, rest on each other, or separate.
//!
//! In: a contact of the last step. Out: its places, each with a unit normal and the speed of separation along it.
//! Bodies that were disjoint as the step began have one place: their first impact, whether or not they overlap as the
//! step ends. Otherwise a body beyond the middle of a thin plate would seem to leave on its other side.
//! Method: S1: n · (v_b − v_a), of the velocities of the two points that touch, the normal from A to B: colliding below
//! 0, separating above, resting at 0. Numbers are rounded, and the free accelerations of both bodies change the speed
//! in a step: such a speed counts as 0 ([`ContactState::classify`]). Points of a soft body move with it and with the
//! triangle in contact. For an impact within the step, the velocities are those at its time.
//! Cost: constant for each place.

use crate::body::{Body, BodyId, Kind};
use heurt_geometry::Vec3;
use heurt_query::{Contact, Impact};
use heurt_rigid::ContactState;
use heurt_shape::Shape;
use smallvec::SmallVec;

/// Two bodies that touch, or touched within the step.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyContact {
    /// The body with the lower place.
    pub a: BodyId,
    /// The body with the higher place.
    pub b: BodyId,
    /// The contact as the step ends; `None` if they touched only within the step. For meshes the existence is exact,
    /// and the depth is an estimate along the normals: `heurt_query::contact` bounds it from both sides.
    pub contact: Option<Contact>,
    /// The first impact within the step, in seconds from its start; `None` if they touched before, or if detection is
    /// discrete.
    pub impact: Option<Impact>,
    /// The velocity of B relative to A at the impact, in m/s; zero without an impact.
    pub impact_velocity: Vec3,
}

/// A place of a contact, and the relative motion of the bodies there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactMotion {
    /// In the world frame.
    pub point: Vec3,
    /// A unit vector from A to B. If no gap defines it, the direction in which the bodies come nearer; z if they do not
    /// move.
    pub normal: Vec3,
    /// In metres; negative where they overlap.
    pub separation: f64,
    /// Speed of separation along the normal, in m/s; negative if they come nearer.
    pub normal_velocity: f64,
    /// The classification of this speed.
    pub approach: ContactState,
    /// The time of the first impact, in seconds from the start of the step; `None` for bodies that touched before.
    pub time: Option<f64>,
}

/// Rounding error of a difference of speeds, as a share of the speeds.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Computes the places of a contact of the last step of `dt` seconds, and the relative motion there of its bodies at
/// `time`.
pub(crate) fn contact_motions(
    touch: &BodyContact,
    [a, b]: [&Body; 2],
    time: f64,
    gravity: Vec3,
    dt: f64,
) -> SmallVec<[ContactMotion; 4]> {
    let accelerations = [a, b].map(|body| body.free_acceleration(gravity));
    let falls = accelerations[1] - accelerations[0];
    let least = ContactState::solver_rounding(accelerations, dt);
    let meeting = |point: Vec3, normal: Vec3, [v_a, v_b]: [Vec3; 2]| {
        // If no gap defines a normal.
        let normal = if normal == Vec3::ZERO { (v_a - v_b).normalize_or(Vec3::Z) } else { normal };
        let normal_velocity = normal.dot(v_b - v_a);
        let rounding = ROUNDING * (v_a.length() + v_b.length()) + least;
        let approach = ContactState::classify(normal_velocity, normal.dot(falls), dt, rounding);
        ContactMotion { point, normal, separation: 0.0, normal_velocity, approach, time: None }
    };
    // Bodies that overlapped as the step began, as after `place`, have no first impact within it.
    let overlapped = |impact: &Impact| impact.time == 0.0 && impact.normal.is_none();
    match (&touch.contact, &touch.impact) {
        (contact, Some(impact)) if contact.is_none() || !overlapped(impact) => {
            let normal = impact.normal.unwrap_or(Vec3::ZERO);
            let met = meeting(impact.point, normal, [Vec3::ZERO, touch.impact_velocity]);
            SmallVec::from_iter([ContactMotion { time: Some(impact.time), ..met }])
        }
        (Some(contact), _) => {
            let places = contact.points.iter().map(|at| {
                let velocity = |body, primitive| velocity_of(body, at.point, primitive, time);
                let velocities = [velocity(a, at.primitives[0]), velocity(b, at.primitives[1])];
                ContactMotion { separation: at.separation, ..meeting(at.point, at.normal, velocities) }
            });
            places.collect()
        }
        (None, _) => SmallVec::new(),
    }
}

/// Computes the velocity of the point of a body that is at `point` at `time`, on a triangle if it is soft.
fn velocity_of(body: &Body, point: Vec3, triangle: u32, time: f64) -> Vec3 {
    let velocity = body.velocity_at(point);
    let (Kind::Soft(deformation), Shape::Mesh(mesh)) = (&body.kind, &body.shape) else { return velocity };
    let Some(corners) = mesh.mesh().triangles().get(triangle as usize) else { return velocity };
    let places = corners.map(|corner| body.pose.place(mesh.mesh().vertices()[corner as usize]));
    let velocities = corners.map(|corner| deformation.velocity(corner as usize, time));
    velocity + *body.pose.rotation() * interpolate_at(places, velocities, point)
}

/// Interpolates values of the corners of a triangle at the point nearest to `point` in its plane.
pub(crate) fn interpolate_at(corners: [Vec3; 3], values: [Vec3; 3], point: Vec3) -> Vec3 {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let opposite = |k: usize| {
        let (from, to) = (corners[(k + 1) % 3], corners[(k + 2) % 3]);
        (to - from).cross(point - from).dot(normal).max(0.0)
    };
    let weights = [0, 1, 2].map(opposite);
    let sum: f64 = weights.iter().sum();
    // A triangle without area moves as its corners do in the mean.
    let weights = if sum > 0.0 { weights.map(|weight| weight / sum) } else { [1.0 / 3.0; 3] };
    (0..3).map(|k| values[k] * weights[k]).sum()
}
