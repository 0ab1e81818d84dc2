//! Cone and twist limits of ball joints: swing–twist decomposition.
//!
//! In: the twist axis as A carries it, a, and as B carries it, b; the first axes x of both. Out: swing and twist with
//! their gradients as rows.
//! Method: the swing θ is the angle of a and b, in [0, π]; its gradient for ω = ω_b − ω_a is n = a × b/|a × b|. If a
//! and b coincide, n is the direction in which b turns. The twist τ is the angle around a from x_a to x_b after the
//! shortest rotation of b onto a has moved x_b: τ = atan2(y_a·x_b − x_a·y_b, x_a·x_b + y_a·y_b), which is 2·atan2(q_z,
//! q_w) of the quaternion of the rotation from A to B in the axes of the joint. Its gradient is (a + b)/(1 + a·b).
//! Both are orthogonal, and with n × (a + b) they span all rotations.
//! Along n the cone is a pair of limits of the coordinate θ, −cone and cone: a body that passes the axis within a step
//! meets the far side.
//! Twist limits bound the tracked twist; one that is far beyond them counts by the turn nearest to their middle.
//! Not guaranteed: the twist at half a turn of swing, where every rotation onto a is as short. Its gradient grows as
//! 1/cos(θ/2): beyond 160° of swing twist limits do not act. A body may come back with any twist: it turns no farther
//! then, and returns slowly.
//! Cost: constant.

use super::rows::{Placed, RowShape};
use super::{Joint, JointError, JointFrame, JointKind};
use heurt_geometry::Vec3;
use std::f64::consts::{PI, TAU};

/// Least 1 + a·b for which twist limits act: 160° of swing, where the gradient has the length 5.8.
const LEAST_ALIGNMENT: f64 = 0.06;

/// Violation of a twist limit up to which it is projected away, and up to which it has a second-order change, in
/// radians: ten times what a stop leaves. A body that comes back from beyond 160° of
/// swing may be anywhere: it returns at [`TWIST_RETURN`].
pub(crate) const NEAR_TWIST_LIMIT: f64 = 0.01;

/// Largest speed at which a twist returns to its limits, in rad/s: a body of any speed gains a thousandth of the energy
/// that it has at 8 rad/s.
pub(super) const TWIST_RETURN: f64 = 0.25;

/// Length of a × b below which the axes coincide: rounding leaves 1e-16.
const COINCIDENT: f64 = 1e-9;

/// The rotations that a ball joint leaves, as rows.
pub(super) struct BallTurns {
    /// The swing in radians, and its gradient, a unit vector.
    pub swing: (f64, Vec3),
    /// The twist nearest to the tracked one, in radians, and its gradient; `None` near half a turn of swing.
    pub twist: Option<(f64, Vec3)>,
    /// A unit vector along the gradient of the twist, and a third one orthogonal to both.
    pub others: [Vec3; 2],
}

impl Joint {
    /// Bounds the angle between the twist axis as A carries it and as B carries it, the swing of a ball joint, to
    /// `cone` radians. [`Joint::ball_with_axis`] sets the axis.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::{Joint, JointFrame};
    /// let arm = JointFrame::at_rest(Vec3::X, Mat3::IDENTITY);
    /// let frames = [&JointFrame::WORLD, &arm];
    /// let shoulder = Joint::ball_with_axis([None, Some(0)], frames, Vec3::ZERO, Vec3::X)?
    ///     .with_cone(1.0)?
    ///     .with_twist([-0.5, 0.5])?;
    /// // A quarter turn around z: the arm points along y.
    /// let turned = JointFrame::at_rest(Vec3::Y, Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::Z));
    /// let swing = shoulder.swing([&JointFrame::WORLD, &turned]);
    /// assert!((swing - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    /// assert!(shoulder.twist([&JointFrame::WORLD, &turned]).abs() < 1e-15);
    /// // Three equations, and the cone that is violated.
    /// assert_eq!(shoulder.position_rows([0, 1], [&JointFrame::WORLD, &turned]).len(), 4);
    /// # Ok::<(), heurt_rigid::JointError>(())
    /// ```
    ///
    /// # Errors
    /// [`JointError`] for an angle that is not above 0 and at most π, and for other kinds of joints.
    pub fn with_cone(self, cone: f64) -> Result<Self, JointError> {
        if self.kind != JointKind::Ball {
            return Err(JointError::NotSupported { kind: self.kind, what: "cone" });
        }
        if cone.is_nan() {
            return Err(JointError::NotFinite("cone"));
        }
        if !(cone > 0.0 && cone <= PI) {
            return Err(JointError::Cone(cone));
        }
        Ok(Self { cone: Some(cone), ..self })
    }

    /// Bounds the twist of a ball joint, the rotation of B relative to A around the twist axis that is left after the
    /// shortest rotation of the axis of B onto the axis of A. It is 0 at the start. Twists count up to half a turn; at
    /// half a turn of swing the twist has no value, and beyond 160° of swing the limits do not act. A body that comes
    /// back beyond its limits turns no farther, and returns slowly: at 0.25 rad/s in exact steps.
    ///
    /// # Errors
    /// [`JointError`] for limits that are crossed, NaN or beyond half a turn, and for other kinds of joints.
    pub fn with_twist(self, limits: [f64; 2]) -> Result<Self, JointError> {
        if self.kind != JointKind::Ball {
            return Err(JointError::NotSupported { kind: self.kind, what: "twist" });
        }
        if limits.iter().any(|limit| limit.is_nan()) {
            return Err(JointError::NotFinite("twist"));
        }
        if limits[0] > limits[1] || limits[0] < -PI || limits[1] > PI {
            return Err(JointError::Twist(limits));
        }
        Ok(Self { twist: Some(limits), ..self })
    }

    /// Returns the bound of the swing, in radians.
    pub fn cone(&self) -> Option<f64> {
        self.cone
    }

    /// Returns the limits of the twist, in radians.
    pub fn twist_limits(&self) -> Option<[f64; 2]> {
        self.twist
    }

    /// Computes the angle of the twist axes of both bodies, in radians, 0 to π; 0 for joints that are no ball joint.
    pub fn swing(&self, frames: [&JointFrame; 2]) -> f64 {
        match self.kind {
            JointKind::Ball => self.ball_turns(&Placed::new(self, frames), frames).swing.0,
            _ => 0.0,
        }
    }

    /// Computes the twist in radians, the nearest to the last tracked one; 0 for joints that are no ball joint.
    pub fn twist(&self, frames: [&JointFrame; 2]) -> f64 {
        match self.kind {
            JointKind::Ball => self.twist_of(&Placed::new(self, frames)),
            _ => 0.0,
        }
    }

    pub(super) fn twist_of(&self, at: &Placed) -> f64 {
        let [own, second] = &at.axes;
        let across = own.y_axis.dot(second.x_axis) - own.x_axis.dot(second.y_axis);
        let along = own.x_axis.dot(second.x_axis) + own.y_axis.dot(second.y_axis);
        let angle = libm::atan2(across, along);
        angle + TAU * libm::rint((self.tracked - angle) / TAU)
    }

    /// Returns what limits add to a twist that is the nearest to the tracked one: whole turns, 0 as long as the tracked
    /// twist is near the limits or within them.
    pub(super) fn whole_turns(&self, [low, high]: [f64; 2]) -> f64 {
        /// In radians. A body that was stopped at a limit is this far beyond it only if it spins by a radian in a step.
        const NEAR: f64 = 1.0;
        let is_near = (low - NEAR..=high + NEAR).contains(&self.tracked);
        if is_near { 0.0 } else { -TAU * libm::rint((self.tracked - 0.5 * (low + high)) / TAU) }
    }

    /// Computes swing and twist with their gradients.
    pub(super) fn ball_turns(&self, at: &Placed, frames: [&JointFrame; 2]) -> BallTurns {
        let [own, second] = [at.axes[0].z_axis, at.axes[1].z_axis];
        let cross = own.cross(second);
        let length = cross.length();
        let swing = libm::atan2(length, own.dot(second));
        let turning = (frames[1].angular_velocity - frames[0].angular_velocity).reject_from_normalized(own);
        let direction =
            if length > COINCIDENT { cross / length } else { turning.try_normalize().unwrap_or(at.axes[0].x_axis) };
        let alignment = 1.0 + own.dot(second);
        let sum = own + second;
        let (twist, along) = if alignment > LEAST_ALIGNMENT {
            (Some((self.twist_of(at), sum / alignment)), sum.try_normalize().unwrap_or(own))
        } else {
            (None, own)
        };
        BallTurns { swing: (swing, direction), twist, others: [along, direction.cross(along)] }
    }

    /// Returns the gradients of the distances from the cone and from the twist limits, and these distances.
    pub(super) fn ball_gaps(&self, at: &Placed, frames: [&JointFrame; 2]) -> smallvec::SmallVec<[(RowShape, f64); 4]> {
        let mut gaps = smallvec::SmallVec::new();
        if self.cone.is_none() && self.twist.is_none() {
            return gaps;
        }
        let turns = self.ball_turns(at, frames);
        let mut add = |(value, gradient): (f64, Vec3), [low, high]: [f64; 2]| {
            gaps.push((RowShape::angular(gradient), value - low));
            gaps.push((RowShape::angular(-gradient), high - value));
        };
        if let Some(cone) = self.cone {
            add(turns.swing, [-cone, cone]);
        }
        if let Some(((twist, gradient), limits)) = turns.twist.zip(self.twist) {
            add((twist + self.whole_turns(limits), gradient), limits);
        }
        gaps
    }
}
