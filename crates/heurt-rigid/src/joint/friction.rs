//! Dry friction of joints: rows with bounded impulses that stop the motion which a joint leaves.
//!
//! In: a joint with friction, the step. Out: rows J·v = 0 with |impulse| ≤ friction·dt.
//! Method: one row along the coordinate of a hinge, a slider or a distance joint. A ball joint has three angular rows:
//! the direction of its swing, the axis of its twist and a third one orthogonal to both.
//! Guarantees: no energy is made; what the bound can hold stays at rest.
//! Not guaranteed: one bound for all directions of a ball joint. Its bounds are a box, so that a rotation around none
//! of the three axes meets up to √3 times the torque.
//! Cost: constant.

use super::rows::{Placed, RowShape};
use super::{Joint, JointError, JointFrame, JointKind, check_force};
use heurt_geometry::Vec3;
use smallvec::SmallVec;

impl Joint {
    /// Adds dry friction against the motion that the joint leaves, at rest and in motion: a torque of at most
    /// `friction` N·m of a hinge or a ball joint, a force of at most `friction` N of a slider or a distance joint. A
    /// ball joint has this bound around each of three axes: the direction of the swing, the twist axis and a third one.
    /// A rod, a distance joint without limits and spring, leaves no motion.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::{Joint, JointFrame};
    /// let door = JointFrame::at_rest(Vec3::X, Mat3::IDENTITY);
    /// let frames = [&JointFrame::WORLD, &door];
    /// let hinge = Joint::hinge([None, Some(0)], frames, Vec3::ZERO, Vec3::Z)?.with_friction(2.0)?;
    /// let rows = hinge.rows([0, 1], frames, 0.01);
    /// assert_eq!(rows[5].bounds, [-0.02, 0.02]);
    /// # Ok::<(), heurt_rigid::JointError>(())
    /// ```
    ///
    /// # Errors
    /// [`JointError`] for a friction below 0 or not finite, and for a fixed joint.
    pub fn with_friction(self, friction: f64) -> Result<Self, JointError> {
        if self.kind == JointKind::Fixed {
            return Err(JointError::NotSupported { kind: self.kind, what: "friction" });
        }
        check_force("friction", friction)?;
        Ok(Self { friction, ..self })
    }

    /// Returns the bound of the friction, in N·m of a hinge or a ball joint, in N of other joints; 0 without friction.
    pub fn friction(&self) -> f64 {
        self.friction
    }

    /// Lists the directions in which friction acts.
    pub(super) fn friction_shapes(&self, at: &Placed, frames: [&JointFrame; 2]) -> SmallVec<[RowShape; 3]> {
        if self.friction == 0.0 || self.is_rod() {
            return SmallVec::new();
        }
        match self.kind {
            JointKind::Ball => {
                let turns = self.ball_turns(at, frames);
                let angular = |axis: Vec3| RowShape::angular(axis);
                [turns.swing.1, turns.others[0], turns.others[1]].map(angular).into()
            }
            _ => self.coordinate_row(at).into_iter().collect(),
        }
    }
}
