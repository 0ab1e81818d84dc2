//! Gains of a haptic loop: contact, virtual coupling, limits.
//!
//! In: numbers in SI units. Out: [`HapticSettings`], checked by [`HapticLoop::new`](super::HapticLoop::new).

use super::error::HapticError;

/// The most damping of the coupling in units of its stiffness times the period: more makes the force of the damper
/// depend on the last digits of the pose of the device.
const MAX_DAMPING_PERIODS: f64 = 20.0;

/// The gains and limits of a [`HapticLoop`](super::HapticLoop).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HapticSettings {
    /// The time between steps in seconds, above 0.
    pub period: f64,
    /// The pressure per depth in N/m³, above 0: a patch of 1 cm² resists with 1e-4 of it in N/m.
    pub contact_stiffness: f64,
    /// The time constant of viscous contact in seconds, from 0: the damping of the contact in units of its stiffness.
    pub contact_damping: f64,
    /// The stiffness of the coupling in N/m, above 0: the stiffest wall that the device renders.
    pub coupling_stiffness: f64,
    /// The damping of the coupling in N·s/m, from 0.
    pub coupling_damping: f64,
    /// The stiffness of the coupling against rotation in N·m/rad, above 0.
    pub angular_stiffness: f64,
    /// The damping of the coupling against rotation in N·m·s/rad, from 0.
    pub angular_damping: f64,
    /// The greatest force in newtons, above 0, of the coupling and of the output.
    pub max_force: f64,
    /// The greatest torque in N·m, above 0.
    pub max_torque: f64,
    /// The greatest motion of a point of the tool in a step near the solid, in metres, above 0: less than the half
    /// thickness of the thinnest wall, so that the tool does not pass through.
    pub max_step: f64,
}

impl HapticSettings {
    /// Chooses gains for 1 kHz from the stiffness of the contact in N/m³ and of the coupling in N/m, and from the
    /// radius of the tool in metres.
    ///
    /// The damping is 2 periods times the stiffness: a sampled spring acts half a period late, which a damper of half
    /// a period balances. The limits are 10 N and 10 N at a tenth of the radius. A step is at most 1 mm.
    ///
    /// ```
    /// use heurt_solid::HapticSettings;
    /// let settings = HapticSettings::new(1e7, 1000.0, 0.05);
    /// assert_eq!((settings.period, settings.coupling_damping), (0.001, 2.0));
    /// assert_eq!(settings.angular_stiffness, 2.5, "N·m/rad");
    /// ```
    pub fn new(contact_stiffness: f64, coupling_stiffness: f64, radius: f64) -> Self {
        let period = 1e-3;
        let angular_stiffness = coupling_stiffness * radius * radius;
        Self {
            period,
            contact_stiffness,
            contact_damping: period,
            coupling_stiffness,
            coupling_damping: 2.0 * period * coupling_stiffness,
            angular_stiffness,
            angular_damping: 2.0 * period * angular_stiffness,
            max_force: 10.0,
            max_torque: radius,
            max_step: 1e-3,
        }
    }

    /// Checks all numbers.
    pub(super) fn check(&self) -> Result<(), HapticError> {
        let positive = [
            ("period", self.period, "s"),
            ("contact_stiffness", self.contact_stiffness, "N/m³"),
            ("coupling_stiffness", self.coupling_stiffness, "N/m"),
            ("angular_stiffness", self.angular_stiffness, "N·m/rad"),
            ("max_force", self.max_force, "N"),
            ("max_torque", self.max_torque, "N·m"),
            ("max_step", self.max_step, "m"),
        ];
        if let Some(&(field, value, unit)) = positive.iter().find(|(_, value, _)| !(value.is_finite() && *value > 0.0))
        {
            return Err(HapticError::NotPositive { field, value, unit });
        }
        let from_zero = [
            ("contact_damping", self.contact_damping, "s"),
            ("coupling_damping", self.coupling_damping, "N·s/m"),
            ("angular_damping", self.angular_damping, "N·m·s/rad"),
        ];
        if let Some(&(field, value, unit)) =
            from_zero.iter().find(|(_, value, _)| !(value.is_finite() && *value >= 0.0))
        {
            return Err(HapticError::Negative { field, value, unit });
        }
        let dampers = [
            ("coupling_damping", self.coupling_damping, self.coupling_stiffness, "N·s/m"),
            ("angular_damping", self.angular_damping, self.angular_stiffness, "N·m·s/rad"),
        ];
        for (field, value, stiffness, unit) in dampers {
            let limit = MAX_DAMPING_PERIODS * self.period * stiffness;
            if value > limit {
                return Err(HapticError::Damping { field, value, limit, unit });
            }
        }
        Ok(())
    }
}
