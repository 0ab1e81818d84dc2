//! Springs and position motors of joints, integrated implicitly.
//!
//! In: stiffness, damping, rest coordinate; frames and masses of both bodies, the step. Out: a soft row J·v⁺ + γ·λ =
//! target, and the period that a step should resolve.
//! Method: λ = −h·k·e − Q·u⁺ + R·u, with e the coordinate above its rest, u its rate before the step and u⁺ after it.
//! Bodies move by h·u⁺. With the mass m along the coordinate, s = h²k/m, x = h·d/m, E = 1 + Q/m:
//!
//! - u⁺ = A·u − (s/h)·e/E with A = (1 + R/m)/E. The map of (e, u) has the determinant A and the trace 1 + A − s/E. A
//!   damped oscillator has the determinant exp(−x) and the trace 2·exp(−x/2)·cos φ, φ² = s − x²/4. So A = exp(−x), and
//!   E = s/(1 + A − 2·exp(−x/2)·cos φ). An overdamped spring has cosh in place of cos.
//! - Half of a step before the motion and half after it: A' = exp(−x/2) in both, each with half of the pull, so that a
//!   weight at rest is held in both; the trace is 1 + A − ½·s·(1 + A')/E, and E follows from it.
//! - φ is at most a sixth of a turn: a stiffer spring takes six steps for a period, and its amplitude grows by at most
//!   2/√3. At rest the force is k·e for any step.
//! - Q is at least h²k/4 in addition to its damping: the matrix version is a symplectic Euler step whose mass has h²k/4
//!   of each spring in addition (Newmark, β = 1/4). That is stable for any number of springs on any bodies.
//!
//! Guarantees: stable for any stiffness and damping. Without damping the determinant is 1: energy oscillates by a share
//! of ω·h/2 and does not grow or fall. The period is too long by (ω·h)²/12: 1 % at 18 steps per period.
//! Not guaranteed: the period of springs with fewer than six steps per period. The mass leaves joints of other pairs
//! out, which are in A.
//! Cost: constant.

use super::rows::{Placed, RowShape};
use super::{Joint, JointError, JointFrame, JointKind, JointRows, check_force};
use crate::body::RigidBody;
use smallvec::SmallVec;
use std::f64::consts::FRAC_PI_3;

/// A spring along the coordinate of a hinge, a slider or a distance joint, with a damper. A distance joint with a
/// spring is no rod: nothing but its spring and its limits act along it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointSpring {
    /// In N·m/rad of a hinge, in N/m of other joints.
    pub stiffness: f64,
    /// In N·m·s/rad or N·s/m.
    pub damping: f64,
    /// The coordinate without force, in radians or metres; `None` is the coordinate at the start.
    pub rest: Option<f64>,
}

/// A motor of a hinge or a slider that pulls the coordinate to a position, as a spring of bounded force does.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PositionMotor {
    /// The coordinate that it pulls to, in radians or metres.
    pub position: f64,
    /// In N·m/rad or N/m.
    pub stiffness: f64,
    /// In N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Bound of its torque in N·m, or of its force in N.
    pub max_force: f64,
}

/// A spring or a position motor in one form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SpringLaw {
    pub stiffness: f64,
    pub damping: f64,
    /// The coordinate without force.
    pub rest: f64,
    /// Bound of the force; infinite for a spring.
    pub max_force: f64,
}

/// How much of the impulse of a step a spring gives at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepShare {
    /// All of it before the motion of the bodies.
    Whole,
    /// A half before the motion of the bodies, and a half where they are after it (the leapfrog scheme).
    Half,
}

/// The soft row of a spring in a step: u⁺ + compliance·λ = target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SpringStep {
    pub compliance: f64,
    pub target: f64,
}

impl SpringLaw {
    /// Computes the row for a step of `h` seconds from the coordinate `value` and its rate before the step; `mass` is
    /// the mass along the coordinate. A half has the same row after the motion. `None` for a spring too weak to
    /// change a velocity.
    pub fn step(&self, value: f64, rate: f64, mass: f64, h: f64, part: StepShare) -> Option<SpringStep> {
        /// Radians of the oscillation in a step at most: six steps for a period.
        const LARGEST_PHASE: f64 = FRAC_PI_3;
        /// Multiples of the mass up to which Q counts. 1e9: a stiffer spring is rigid to nine digits, and its
        /// compliance would leave no digits of its impulse.
        const LARGEST_EXCESS: f64 = 1e9;
        /// Keeps quotients of s and x finite.
        const LARGEST_SHARE: f64 = 1e200;
        let [x, s] = [h * self.damping / mass, h * h * self.stiffness / mass].map(|share| share.min(LARGEST_SHARE));
        // 1 + A − 2·exp(−x/2)·cos φ, without cancellation.
        let share = if 4.0 * s > x * x {
            let phase = (s - 0.25 * x * x).sqrt().min(LARGEST_PHASE);
            let (half, sine) = (libm::expm1(-0.5 * x), libm::sin(0.5 * phase));
            half * half + 4.0 * libm::exp(-0.5 * x) * sine * sine
        } else {
            let root = (0.25 * x * x - s).max(0.0).sqrt();
            let fast = 0.5 * x + root;
            if fast > 0.0 { libm::expm1(-s / fast) * libm::expm1(-fast) } else { 0.0 }
        };
        // The damping that a row has, and its share of a pull that two rows share.
        let (own, part) = match part {
            StepShare::Whole => (x, 1.0),
            StepShare::Half => (0.5 * x, 0.5),
        };
        let loss_of_row = -libm::expm1(-own);
        /// Below it, the series of x/(1 − exp(−x)) is right to rounding, and the quotient cancels.
        const SMALL: f64 = 1e-4;
        let damped = if own < SMALL { own * (0.5 + own / 12.0) } else { own / loss_of_row - 1.0 };
        let least = damped + 0.25 * s;
        // The second of two rows damps the pull of the first.
        let pulls = if part < 1.0 { part * (2.0 - loss_of_row) } else { 1.0 };
        let excess = if share > 0.0 { least.max(pulls * s / share - 1.0) } else { least };
        let target = rate * (1.0 - loss_of_row - loss_of_row / excess) - part * (s / h) * (value - self.rest) / excess;
        let compliance = 1.0 / (mass * excess.min(LARGEST_EXCESS));
        (compliance.is_finite() && compliance > 0.0 && target.is_finite()).then_some(SpringStep { compliance, target })
    }

    /// Returns the angular frequency for a mass, in rad/s; 0 if it does not oscillate.
    fn frequency(&self, mass: f64) -> f64 {
        let square = self.stiffness / mass - 0.25 * (self.damping / mass) * (self.damping / mass);
        if square > 0.0 && square.is_finite() { square.sqrt() } else { 0.0 }
    }
}

impl Joint {
    /// Adds a spring along the coordinate of a hinge, a slider or a distance joint. It replaces the equation of a
    /// distance joint.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::{Joint, JointFrame, JointSpring};
    /// let weight = JointFrame::at_rest(Vec3::Z * -1.0, Mat3::IDENTITY);
    /// let frames = [&JointFrame::WORLD, &weight];
    /// let spring = JointSpring { stiffness: 40.0, damping: 0.0, rest: Some(0.8) };
    /// let joint = Joint::distance([None, Some(0)], frames, [Vec3::ZERO, weight.centre])?.with_spring(spring)?;
    /// assert!((joint.spring_energy(frames) - 0.5 * 40.0 * 0.2 * 0.2).abs() < 1e-12);
    /// assert!(joint.rows([0, 1], frames, 0.01).is_empty());
    /// # Ok::<(), heurt_rigid::JointError>(())
    /// ```
    ///
    /// # Errors
    /// [`JointError`] for a stiffness or a damping below 0, the rest of a distance below 0, numbers that are not
    /// finite, and joints without a coordinate.
    pub fn with_spring(self, spring: JointSpring) -> Result<Self, JointError> {
        if matches!(self.kind, JointKind::Fixed | JointKind::Ball) {
            return Err(JointError::NotSupported { kind: self.kind, what: "spring" });
        }
        check_force("stiffness", spring.stiffness)?;
        check_force("damping", spring.damping)?;
        let start = if self.kind == JointKind::Distance { self.length } else { 0.0 };
        let rest = spring.rest.unwrap_or(start);
        if !rest.is_finite() {
            return Err(JointError::NotFinite("rest"));
        }
        if self.kind == JointKind::Distance {
            check_force("rest", rest)?;
        }
        Ok(Self { spring: Some(JointSpring { rest: Some(rest), ..spring }), ..self })
    }

    /// Pulls the coordinate of a hinge or a slider to a position: the law of a spring, its force within ±`max_force`.
    ///
    /// # Errors
    /// [`JointError`] for a stiffness, a damping or a force below 0, numbers that are not finite, other kinds of
    /// joints, and joints with a motor of a velocity.
    pub fn with_position_motor(self, motor: PositionMotor) -> Result<Self, JointError> {
        if !matches!(self.kind, JointKind::Hinge | JointKind::Slider) {
            return Err(JointError::NotSupported { kind: self.kind, what: "motor" });
        }
        if self.motor.is_some() {
            return Err(JointError::TwoMotors);
        }
        if !motor.position.is_finite() {
            return Err(JointError::NotFinite("position"));
        }
        check_force("stiffness", motor.stiffness)?;
        check_force("damping", motor.damping)?;
        check_force("max_force", motor.max_force)?;
        Ok(Self { position_motor: Some(motor), ..self })
    }

    /// Returns the spring, with its rest.
    pub fn spring(&self) -> Option<JointSpring> {
        self.spring
    }

    /// Returns the motor that pulls to a position.
    pub fn position_motor(&self) -> Option<PositionMotor> {
        self.position_motor
    }

    /// Computes the energy of the spring, in J: ½·k·e². A position motor stores none.
    pub fn spring_energy(&self, frames: [&JointFrame; 2]) -> f64 {
        self.spring.map_or(0.0, |spring| {
            let stretch = self.coordinate(frames) - spring.rest.unwrap_or(0.0);
            0.5 * spring.stiffness * stretch * stretch
        })
    }

    /// Lists the spring and the position motor.
    pub(crate) fn spring_laws(&self) -> SmallVec<[SpringLaw; 2]> {
        let spring = self.spring.map(|JointSpring { stiffness, damping, rest }| SpringLaw {
            stiffness,
            damping,
            rest: rest.unwrap_or(0.0),
            max_force: f64::INFINITY,
        });
        let motor = self.position_motor.map(|PositionMotor { position, stiffness, damping, max_force }| SpringLaw {
            stiffness,
            damping,
            rest: position,
            max_force,
        });
        spring.into_iter().chain(motor).collect()
    }

    /// Computes the rows of the spring and of the position motor for a step of `dt` seconds, in addition to
    /// [`Joint::rows`]. The frames have the velocities before the step, without the free acceleration, and the bodies
    /// move at the velocities after it.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::{Joint, JointFrame, JointSpring, RigidBody, StepShare};
    /// let weight = JointFrame::at_rest(Vec3::X * 0.1, Mat3::IDENTITY);
    /// let frames = [&JointFrame::WORLD, &weight];
    /// let spring = JointSpring { stiffness: 10.0, damping: 0.0, rest: Some(-0.1) };
    /// let joint = Joint::slider([None, Some(0)], frames, Vec3::ZERO, Vec3::X)?.with_spring(spring)?;
    /// let body = RigidBody { inverse_mass: 0.5, ..RigidBody::FIXED };
    /// let masses = [&RigidBody::FIXED, &body];
    /// let row = joint.spring_rows([0, 1], frames, masses, 0.001, StepShare::Whole)[0];
    /// // The impulse of a body that is held is k·e·dt.
    /// assert!((row.target / row.compliance + 10.0 * 0.1 * 0.001).abs() < 1e-12);
    /// # Ok::<(), heurt_rigid::JointError>(())
    /// ```
    pub fn spring_rows(
        &self,
        bodies: [u32; 2],
        frames: [&JointFrame; 2],
        masses: [&RigidBody; 2],
        dt: f64,
        part: StepShare,
    ) -> JointRows {
        let mut rows = JointRows::new();
        let at = Placed::new(self, frames);
        let (laws, shape) = (self.spring_laws(), self.coordinate_row(&at));
        let Some((shape, mass)) =
            shape.filter(|_| !laws.is_empty()).and_then(|shape| Some((shape, self.mass_along(&at, &shape, masses)?)))
        else {
            return rows;
        };
        let (value, rate) = (self.coordinate_of(&at), shape.rate(frames));
        for law in laws {
            if let Some(SpringStep { compliance, target }) = law.step(value, rate, mass, dt, part) {
                let acting = match part {
                    StepShare::Whole => dt,
                    StepShare::Half => 0.5 * dt,
                };
                let most = law.max_force * acting;
                let row = shape.row(bodies, 0.0, target, [-most, most]);
                rows.push(crate::problem::ConstraintRow { compliance, ..row });
            }
        }
        rows.retain(|row| super::rows::is_finite(row));
        rows
    }

    /// Computes the largest angular frequency of the spring and of the position motor, in rad/s; 0 without them, and if
    /// their damping lets nothing oscillate.
    pub fn spring_frequency(&self, frames: [&JointFrame; 2], masses: [&RigidBody; 2]) -> f64 {
        let laws = self.spring_laws();
        if laws.is_empty() {
            return 0.0;
        }
        let at = Placed::new(self, frames);
        let mass = self.coordinate_row(&at).and_then(|shape| self.mass_along(&at, &shape, masses));
        mass.map_or(0.0, |mass| laws.iter().map(|law| law.frequency(mass)).fold(0.0, f64::max))
    }

    /// Computes the mass along a row while the equations of the joint hold, in kg or kg·m²: the inverse of the square
    /// of the part of the row that is orthogonal to the equations, in the norm of the inverse masses (Gram–Schmidt).
    /// `None` if no body follows.
    fn mass_along(&self, at: &Placed, shape: &RowShape, masses: [&RigidBody; 2]) -> Option<f64> {
        /// Share of a square below which a row depends on the rows before it: rounding leaves 1e-16.
        const DEPENDENT: f64 = 1e-12;
        let mut basis: SmallVec<[RowShape; 6]> = SmallVec::new();
        let orthogonal = |row: RowShape, basis: &[RowShape]| {
            let own = row.inner(&row, masses);
            let left = basis.iter().fold(row, |left, known| left.plus(known, -left.inner(known, masses)));
            let square = left.inner(&left, masses);
            (square > DEPENDENT * own && square.is_normal()).then_some((left, square))
        };
        for row in &self.equations(at, [0, 1]) {
            if let Some((left, square)) = orthogonal(RowShape::of_row(row), &basis) {
                basis.push(left.scaled(1.0 / square.sqrt()));
            }
        }
        orthogonal(*shape, &basis).map(|(_, square)| 1.0 / square).filter(|mass| mass.is_finite())
    }
}
