//! Passivity observer and controller in the time domain, for six degrees of freedom.
//!
//! In: the motion of a device since the last step, and the wrench for the next one. Out: the wrench, with damping added
//! if the loop has given more energy than it received.
//! Method: Hannaford and Ryu 2002 ("Time-domain passivity control of haptic interfaces"). The device holds a wrench for
//! a period, so the work over the period is known exactly at its end.
//! Not guaranteed: that no step gives energy. The controller reacts one period later.

use heurt_geometry::Vec3;

/// The energy at the port of the device.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct PassivityControl {
    /// The energy received from the device, less the energy given to it, in joules.
    energy: f64,
    force: Vec3,
    torque: Vec3,
}

impl PassivityControl {
    /// Returns the energy received from the device in joules.
    pub fn energy(&self) -> f64 {
        self.energy
    }

    /// Counts the work of the last wrench over the motion of the device, in metres and radians.
    pub fn observe(&mut self, [shift, turn]: [Vec3; 2]) {
        self.energy -= self.force.dot(shift) + self.torque.dot(turn);
    }

    /// Adds damping along the motion of the device if the energy is negative, as much as takes it back in a period of
    /// the same motion. `arm` converts rotations into displacements, in metres.
    pub fn damp(&self, [force, torque]: [Vec3; 2], [shift, turn]: [Vec3; 2], arm: f64) -> [Vec3; 2] {
        let square = shift.length_squared() + arm * arm * turn.length_squared();
        if self.energy >= 0.0 || square <= f64::MIN_POSITIVE {
            return [force, torque];
        }
        let factor = self.energy / square;
        [force + shift * factor, torque + turn * (arm * arm * factor)]
    }

    /// Keeps the wrench that the device holds until the next step.
    pub fn hold(&mut self, [force, torque]: [Vec3; 2]) {
        (self.force, self.torque) = (force, torque);
    }
}
