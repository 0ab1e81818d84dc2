//! A joint of a soft step: bodies, warm impulses, load.
//!
//! In: a [`Joint`] and its warm impulses of the step before. Out: new warm impulses, the load, the tracked coordinate.

use super::factor::MAX_ROWS;
use crate::joint::{Joint, JointKind, JointLoad};
use crate::soft_step::input::{StepError, check_pair};

/// A joint of a soft step.
///
/// ```
/// use heurt_geometry::{Mat3, Vec3};
/// use heurt_rigid::soft_step::{StepBody, StepJoint};
/// use heurt_rigid::{Joint, JointFrame};
/// let bodies = [StepBody::FIXED, StepBody::movable(Vec3::X, 1.0, Mat3::IDENTITY)];
/// let frames = [&JointFrame::WORLD, &JointFrame::at_rest(bodies[1].centre, Mat3::IDENTITY)];
/// // Body 0 of the step is the world.
/// let joint = StepJoint::new([0, 1], Joint::ball([None, Some(1)], frames, Vec3::ZERO)?);
/// assert_eq!(joint.bodies, [0, 1]);
/// # Ok::<(), heurt_rigid::JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepJoint {
    /// Indices of A and B in the list of bodies; the world is a [`StepBody::FIXED`](crate::StepBody::FIXED). The
    /// identifiers that the joint itself holds are not used.
    pub bodies: [u32; 2],
    /// The joint. The step tracks its coordinate, so that the angle of a hinge counts turns.
    pub joint: Joint,
    /// In: the impulses of the last sub-step of the previous step. Out: the same of this step.
    pub warm: JointWarmStart,
    /// Out: force and torque on B at the anchor, as a mean over the step. [`Joint::is_broken_by`] compares it with the
    /// breaking force.
    pub load: JointLoad,
    /// Out: the work that the spring and the position motor did on the bodies in the step, in J.
    pub spring_work: f64,
}

impl StepJoint {
    /// Creates a joint without warm impulses.
    pub fn new(bodies: [u32; 2], joint: Joint) -> Self {
        let warm = JointWarmStart::for_new_joint(joint.kind());
        Self { bodies, joint, warm, load: JointLoad::default(), spring_work: 0.0 }
    }
}

/// Impulses of a joint in a sub-step, in N·s or N·m·s, for the warm start of the next one. A joint of another kind
/// ignores them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointWarmStart {
    kind: JointKind,
    pub(super) equations: [f64; MAX_ROWS],
    pub(super) coordinates: [CoordinateImpulses; MAX_COORDINATES],
}

/// Most coordinates of a joint: the rotations of a ball joint.
pub(super) const MAX_COORDINATES: usize = 3;

/// Impulses along a coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct CoordinateImpulses {
    pub motor: f64,
    /// Impulses of the lower and of the upper limit, at least 0.
    pub limits: [f64; 2],
    /// Impulses of the spring and of the position motor.
    pub springs: [f64; 2],
    pub friction: f64,
    /// A change by the system that is not shared out yet.
    pub pending: f64,
}

impl CoordinateImpulses {
    /// Returns the sum along the coordinate.
    pub fn sum(&self) -> f64 {
        let rest = (self.springs[0] + self.springs[1]) + (self.friction + self.pending);
        self.motor + (self.limits[0] - self.limits[1]) + rest
    }

    fn is_valid(&self) -> bool {
        let limits = self.limits.iter().all(|impulse| impulse.is_finite() && *impulse >= 0.0);
        let others = [self.motor, self.springs[0], self.springs[1], self.friction, self.pending];
        limits && others.iter().all(|impulse| impulse.is_finite())
    }
}

impl JointWarmStart {
    /// Creates the impulses of a joint that has not been solved yet: 0.
    pub fn for_new_joint(kind: JointKind) -> Self {
        Self { kind, equations: [0.0; MAX_ROWS], coordinates: Default::default() }
    }

    /// Returns the impulses if they belong to a kind of joints, else 0.
    pub(super) fn for_kind(&self, kind: JointKind) -> Self {
        if self.kind == kind { *self } else { Self::for_new_joint(kind) }
    }

    /// Returns the impulses if they are finite, else 0.
    pub(super) fn or_new(&self) -> Self {
        if self.is_valid() { *self } else { Self::for_new_joint(self.kind) }
    }

    fn is_valid(&self) -> bool {
        let coordinates = self.coordinates.iter().all(CoordinateImpulses::is_valid);
        coordinates && self.equations.iter().all(|impulse| impulse.is_finite())
    }
}

/// Tests the numbers of all joints.
pub(in crate::soft_step) fn check_joints(joints: &[StepJoint], count: usize) -> Result<(), StepError> {
    for (index, joint) in joints.iter().enumerate() {
        check_pair("joint", index, joint.bodies, count)?;
        if !joint.warm.is_valid() {
            return Err(StepError::Joint(index));
        }
    }
    Ok(())
}
