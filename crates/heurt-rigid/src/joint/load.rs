//! Load of a joint: the force and the torque that its rows transmit, and breaking.
//!
//! In: the rows of a joint, their impulses, the step. Out: [`JointLoad`].
//! Method: the vector sums of the linear and of the purely angular directions times the impulses, divided by the step.
//! Cost: linear in the rows.

use super::Joint;
use crate::problem::ConstraintRow;
use heurt_geometry::Vec3;

/// The load that a joint transmits from A to B, as a mean over a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointLoad {
    /// Force on B at the anchor, in N, world frame; A gets the opposite.
    pub force: Vec3,
    /// Torque on B in addition to the force at the anchor, in N·m, world frame.
    pub torque: Vec3,
}

impl Joint {
    /// Computes the load from the rows of [`Joint::rows`] and their impulses, in N·s and N·m·s. Limits, motors,
    /// springs and friction count. Numbers that are not finite count as 0.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::{Joint, JointFrame};
    /// let bob = JointFrame::at_rest(Vec3::Z * -1.0, Mat3::IDENTITY);
    /// let frames = [&JointFrame::WORLD, &bob];
    /// let hook = Joint::ball([None, Some(0)], frames, Vec3::ZERO)?.breaking_at(15.0)?;
    /// let rows = hook.rows([0, 1], frames, 0.01);
    /// // The vertical row holds 2 kg for a step.
    /// let load = hook.load(&rows, &[0.0, 0.0, 0.2], 0.01);
    /// assert!((load.force - Vec3::Z * 20.0).length() < 1e-12);
    /// assert!(hook.is_broken_by(&load));
    /// # Ok::<(), heurt_rigid::JointError>(())
    /// ```
    pub fn load(&self, rows: &[ConstraintRow], impulses: &[f64], dt: f64) -> JointLoad {
        let mut load = JointLoad::default();
        for (row, impulse) in rows.iter().zip(impulses) {
            if row.linear == Vec3::ZERO {
                load.torque += row.angular[1] * (*impulse / dt);
            } else {
                load.force += row.linear * (*impulse / dt);
            }
        }
        let finite = |vector: Vec3| if vector.is_finite() { vector } else { Vec3::ZERO };
        JointLoad { force: finite(load.force), torque: finite(load.torque) }
    }

    /// Reports whether the force of a load is above the breaking force.
    pub fn is_broken_by(&self, load: &JointLoad) -> bool {
        self.break_at.is_some_and(|most| load.force.length() > most)
    }
}
