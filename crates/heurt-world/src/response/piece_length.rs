//! Length of the next piece of a step with exact response: shorter than the rest of the step where bodies turn fast.
//!
//! In: bodies after their impacts, touches, joints, the rest of the step. Out: the length, in seconds.
//! Method: joints hold for rotations of a part of a radian. Two bodies that touch are solved at the points that are
//! known as the piece begins; a body that tips over has others soon. So a piece ends before a body that joints hold
//! turns by [`LARGEST_JOINTED_TURN`] or its arms by [`LARGEST_ARM_TURN`], and before the rotation of a body that
//! touches moves a point of it by a share of the thickness of both. The next piece knows the points that are near then.
//! Pieces resolve the period of springs.
//! Not guaranteed: that [`MAX_PIECES`] pieces suffice.
//! Cost: linear in touches and joints.

use crate::body::Body;
use crate::contact::BodyContact;
use crate::response::assignment::{Assignment, BodySolver};
use crate::response::candidates::{bodies_of, gap_of, radius_of};
use crate::response::joints::{JointTable, WorldJoint};
use crate::settings::{Detection, Settings};
use crate::state::view::WorldView;
use heurt_geometry::{Vec3, robust_normalize};
use heurt_rigid::JointKind;
use heurt_shape::{Convex, Core, Round, Shape};

/// Angle by which a body that joints hold turns in a piece, in radians: joints keep their energy within some
/// thousandths then.
const LARGEST_JOINTED_TURN: f64 = 0.125;

/// Angle by which an arm or an axis of a joint turns in a piece, in radians: a chain that cracks like a whip for ten
/// seconds loses less than a hundredth of its energy.
const LARGEST_ARM_TURN: f64 = 0.04;

/// Share of the smallest half extent of two bodies by which a rotation may move a point of one of them in a piece.
const LARGEST_SHIFT: f64 = 0.5;

/// Pieces of a step: a body at 480 rad/s turns by an eighth of a radian in each, in a step of 1/60 s.
const MAX_PIECES: f64 = 64.0;

/// Pieces in a period of a spring: its period is right within 0.8 %.
const PIECES_PER_PERIOD: f64 = 20.0;

/// Pieces of a step for springs. 8: they follow springs of 2.5 steps per period. Stiffer ones are stable, and slower
/// than they should be.
const MAX_SPRING_PIECES: f64 = 8.0;

/// Returns the length of the next piece, of which `left` seconds are left in a step of `dt` seconds.
pub(crate) fn piece_length(
    view: &WorldView,
    settings: &Settings,
    joints: &JointTable,
    touches: &[BodyContact],
    assignment: &Assignment,
    [left, dt]: [f64; 2],
) -> f64 {
    let is_exact = |place: &u32| assignment.of(*place) == BodySolver::Exact;
    let rate = |place: u32| view.bodies.at(place).map_or(0.0, |(_, body)| body.angular_velocity.length());
    let jointed = joints.places().flatten().filter(is_exact).map(|place| rate(place) / LARGEST_JOINTED_TURN);
    let exact = joints.iter().filter(|(_, joint)| joint.is_exact(assignment));
    let arms = exact.map(|(_, joint)| arm_rate(view, joint) / LARGEST_ARM_TURN);
    let is_continuous = settings.detection == Detection::Continuous;
    let touching =
        touches.iter().filter(|touch| is_continuous && assignment.is_exact_pair(touch.a.index, touch.b.index));
    let shifting = touching.filter_map(|touch| {
        let contact = touch.contact.as_ref().filter(|contact| contact.separation <= gap_of(view, touch))?;
        let bodies = bodies_of(view, touch).filter(|_| !contact.points.is_empty())?;
        let thickness = bodies.iter().filter_map(|body| thickness_of(body)).fold(f64::INFINITY, f64::min);
        let speed = bodies.iter().map(|body| speed_of_points(body)).fold(0.0, f64::max);
        Some(speed / (LARGEST_SHIFT * thickness)).filter(|rate| rate.is_finite())
    });
    let springs = joints.spring_frequencies(view, assignment).fold(0.0, f64::max);
    let springs = (springs * dt * PIECES_PER_PERIOD / std::f64::consts::TAU).ceil().min(MAX_SPRING_PIECES);
    let fastest = jointed.chain(arms).chain(shifting).fold(0.0, f64::max);
    let pieces = (fastest * dt).ceil().min(MAX_PIECES).max(springs);
    let length = dt / pieces.max(1.0);
    // The last two are one if the rest is little more than one.
    if left > 1.5 * length { length } else { left }
}

/// Returns how fast the arms and the axis of a joint turn, in rad/s: a wheel that spins on its axle turns neither.
fn arm_rate(view: &WorldView, joint: &WorldJoint) -> f64 {
    let frames = joint.frames(&view.bodies);
    let anchors = joint.joint.anchors([&frames[0], &frames[1]]);
    let has_axis = !matches!(joint.joint.kind(), JointKind::Ball | JointKind::Distance);
    let axis = Some(joint.joint.axis([&frames[0], &frames[1]])).filter(|_| has_axis);
    let turning = |side: usize| {
        let arm = robust_normalize(anchors[side] - frames[side].centre);
        let rate = |along: Vec3| frames[side].angular_velocity.cross(along).length();
        arm.into_iter().chain(axis).map(rate).fold(0.0, f64::max)
    };
    turning(0).max(turning(1))
}

/// Returns the smallest half extent of a body; `None` for one that has none, as a half-space or a flat sheet.
pub(crate) fn thickness_of(body: &Body) -> Option<f64> {
    let least = body.shape.bounds().half_extents().min_element();
    (least > 0.0 && least.is_finite()).then_some(least)
}

/// Bounds the speed at which the rotation of a body moves the points of its surface that leave their place: a ball, or
/// a cylinder around its axis, only turns in itself.
fn speed_of_points(body: &Body) -> f64 {
    let rate = body.angular_velocity;
    let turning = match &body.shape {
        Shape::Convex(convex) if is_ball(convex) => 0.0,
        Shape::Convex(convex) if is_round_about_z(convex) => rate.reject_from(body.pose.rotation().z_axis).length(),
        _ => rate.length(),
    };
    let radius = radius_of(body);
    if radius.is_finite() { turning * radius } else { 0.0 }
}

fn is_ball(convex: &Convex) -> bool {
    matches!(convex.core(), Core::Hull(hull) if hull.corners().len() == 1 && hull.corners()[0] == Vec3::ZERO)
}

fn is_round_about_z(convex: &Convex) -> bool {
    match convex.core() {
        Core::Round(Round::Cylinder { .. } | Round::Cone { .. }) => true,
        // A capsule.
        Core::Hull(hull) => hull.corners().iter().all(|corner| corner.x == 0.0 && corner.y == 0.0),
        _ => false,
    }
}
