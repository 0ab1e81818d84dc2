//! Joints of two bodies as constraint rows: fixed, ball, hinge, slider, distance; limits, motors, springs, friction.
//!
//! In: frames of both bodies as the joint is created, an anchor and an axis in the world frame; later the frames at any
//! moment. Out: [`crate::ConstraintRow`]s for a contact problem, the joint coordinate, the load.
//! Method: holonomic constraints C(q) = 0 with rows J = ∂C/∂q; see `rows.rs` for each kind. The rows are velocity
//! constraints J·v = target. `error` is C, and a solver that removes drift adds −β·error/dt to the target, or projects
//! the positions ([`project_joints`]).
//! Guarantees: J is the derivative of `error` for any frames, not only near C = 0. No NaN: a row that is not finite is
//! left out.
//! Not guaranteed: angular errors above a right angle shrink, and vanish at half a turn; a joint that starts with error
//! 0 and is projected each step does not reach such angles.
//! Cost: constant, at most 11 rows.

mod cone;
mod coordinate;
mod error;
mod friction;
mod load;
mod projection;
mod rows;
mod spring;

use heurt_geometry::{Mat3, Quat, Vec3, robust_normalize};

use error::check_force;

pub use error::JointError;
pub use load::JointLoad;
pub use projection::{JointProjection, project_joints};

pub(crate) use cone::NEAR_TWIST_LIMIT;
pub use rows::JointRows;
pub(crate) use rows::{JointCoordinate, RowShape, compare_directions};
pub(crate) use spring::SpringStep;
pub use spring::{JointSpring, PositionMotor, StepShare};

/// The freedom that a joint leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointKind {
    /// Nothing: two bodies as one.
    Fixed,
    /// Rotations around a common point.
    Ball,
    /// The rotation around an axis.
    Hinge,
    /// The translation along an axis.
    Slider,
    /// Everything but the distance of two points. With limits or a spring, the distance is free between the limits, as
    /// of a rope or a damper.
    Distance,
}

impl JointKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Fixed, Self::Ball, Self::Hinge, Self::Slider, Self::Distance];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Ball => "ball",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Distance => "distance",
        }
    }
}

/// A motor of a hinge or of a slider.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motor {
    /// The speed of the coordinate that the motor drives, in rad/s or m/s.
    pub velocity: f64,
    /// Bound of its torque in N·m, or of its force in N.
    pub max_force: f64,
}

/// Position and velocity of a body that a joint holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFrame {
    /// Centre of mass, in metres, world frame.
    pub centre: Vec3,
    /// Rotation from body axes to axes of the world.
    pub rotation: Mat3,
    /// Velocity of the centre of mass, in m/s.
    pub velocity: Vec3,
    /// In rad/s.
    pub angular_velocity: Vec3,
}

impl JointFrame {
    /// The world: a body that holds the second half of a joint and does not move.
    pub const WORLD: Self =
        Self { centre: Vec3::ZERO, rotation: Mat3::IDENTITY, velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO };

    /// Creates the frame of a body at rest.
    pub fn at_rest(centre: Vec3, rotation: Mat3) -> Self {
        Self { centre, rotation, ..Self::WORLD }
    }

    /// Computes the frame after `dt` seconds at constant velocities.
    pub fn after(&self, dt: f64) -> Self {
        let rotation = rotation_by(self.angular_velocity * dt) * self.rotation;
        Self { centre: self.centre + self.velocity * dt, rotation, ..*self }
    }

    pub(crate) fn is_finite(&self) -> bool {
        let vectors = [self.centre, self.velocity, self.angular_velocity];
        self.rotation.is_finite() && vectors.iter().all(|vector| vector.is_finite())
    }
}

/// A joint of two bodies, or of a body and the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    kind: JointKind,
    bodies: [Option<u32>; 2],
    /// Offsets of the anchors from the centres of mass, in body axes.
    anchors: [Vec3; 2],
    /// Columns in body axes: two orthogonal axes, then the axis of the joint. They coincide in the world at the start.
    axes: [Mat3; 2],
    length: f64,
    limits: Option<[f64; 2]>,
    motor: Option<Motor>,
    /// Its rest is given.
    spring: Option<JointSpring>,
    position_motor: Option<PositionMotor>,
    cone: Option<f64>,
    twist: Option<[f64; 2]>,
    friction: f64,
    break_at: Option<f64>,
    collide: bool,
    /// The coordinate at the last call of `track`, for the count of turns; the twist of a ball joint.
    tracked: f64,
}

/// Identifiers of the caller for both bodies; `None` is the world.
pub type JointBodies = [Option<u32>; 2];

impl Joint {
    /// Creates a joint that holds two bodies as they are; `anchor` is the point, in the world frame, at which the load
    /// is measured.
    ///
    /// # Errors
    /// [`JointError`] for the same body twice, or numbers that are not finite.
    pub fn fixed(bodies: JointBodies, frames: [&JointFrame; 2], anchor: Vec3) -> Result<Self, JointError> {
        Self::new(JointKind::Fixed, bodies, frames, [anchor; 2], Vec3::Z)
    }

    /// Creates a joint around a point of the world frame.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::{Joint, JointFrame};
    /// let bob = JointFrame::at_rest(Vec3::Z * -1.0, Mat3::IDENTITY);
    /// let pendulum = Joint::ball([None, Some(0)], [&JointFrame::WORLD, &bob], Vec3::ZERO)?;
    /// // Body 0 of the problem is a fixed body for the world, body 1 is the bob.
    /// let rows = pendulum.rows([0, 1], [&JointFrame::WORLD, &bob], 0.01);
    /// assert_eq!(rows.len(), 3);
    /// assert!(rows.iter().all(|row| row.error == 0.0));
    /// # Ok::<(), heurt_rigid::JointError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Joint::fixed`].
    pub fn ball(bodies: JointBodies, frames: [&JointFrame; 2], anchor: Vec3) -> Result<Self, JointError> {
        Self::new(JointKind::Ball, bodies, frames, [anchor; 2], Vec3::Z)
    }

    /// Creates a joint around a point of the world frame, with the twist axis of [`Joint::with_cone`] and
    /// [`Joint::with_twist`] in the world frame.
    ///
    /// # Errors
    /// As [`Joint::hinge`].
    pub fn ball_with_axis(
        bodies: JointBodies,
        frames: [&JointFrame; 2],
        anchor: Vec3,
        axis: Vec3,
    ) -> Result<Self, JointError> {
        Self::new(JointKind::Ball, bodies, frames, [anchor; 2], axis)
    }

    /// Creates a hinge around the axis through `anchor`, in the world frame. Its coordinate is the angle of B relative
    /// to A, 0 at the start.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::{Joint, JointFrame, Motor};
    /// let door = JointFrame::at_rest(Vec3::X * 0.5, Mat3::IDENTITY);
    /// let hinge = Joint::hinge([None, Some(7)], [&JointFrame::WORLD, &door], Vec3::ZERO, Vec3::Z)?
    ///     .with_limits([0.0, 2.0])?
    ///     .with_motor(Motor { velocity: 1.0, max_force: 10.0 })?;
    /// // A quarter turn around the axis.
    /// let open = JointFrame::at_rest(Vec3::Y * 0.5, Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::Z));
    /// let angle = hinge.coordinate([&JointFrame::WORLD, &open]);
    /// assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    /// # Ok::<(), heurt_rigid::JointError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Joint::fixed`], and for an axis without direction.
    pub fn hinge(bodies: JointBodies, frames: [&JointFrame; 2], anchor: Vec3, axis: Vec3) -> Result<Self, JointError> {
        Self::new(JointKind::Hinge, bodies, frames, [anchor; 2], axis)
    }

    /// Creates a slider along the axis through `anchor`, in the world frame. Its coordinate is the translation of B
    /// relative to A along the axis, 0 at the start.
    ///
    /// # Errors
    /// As [`Joint::hinge`].
    pub fn slider(bodies: JointBodies, frames: [&JointFrame; 2], anchor: Vec3, axis: Vec3) -> Result<Self, JointError> {
        Self::new(JointKind::Slider, bodies, frames, [anchor; 2], axis)
    }

    /// Creates a rod of constant length between a point of A and a point of B, both in the world frame.
    ///
    /// # Errors
    /// As [`Joint::fixed`], and for points that coincide.
    pub fn distance(bodies: JointBodies, frames: [&JointFrame; 2], points: [Vec3; 2]) -> Result<Self, JointError> {
        Self::new(JointKind::Distance, bodies, frames, points, Vec3::Z)
    }

    fn new(
        kind: JointKind,
        bodies: JointBodies,
        frames: [&JointFrame; 2],
        points: [Vec3; 2],
        axis: Vec3,
    ) -> Result<Self, JointError> {
        if bodies[0] == bodies[1] {
            return Err(JointError::SameBody(bodies[0]));
        }
        if !frames.iter().all(|frame| frame.is_finite()) {
            return Err(JointError::NotFinite("frame"));
        }
        if !points.iter().all(|point| point.is_finite()) {
            return Err(JointError::NotFinite("anchor"));
        }
        if !axis.is_finite() {
            return Err(JointError::NotFinite("axis"));
        }
        let axis = robust_normalize(axis).ok_or(JointError::Axis(axis))?;
        let (first, second) = axis.any_orthonormal_pair();
        let basis = Mat3::from_cols(first, second, axis);
        let to_body = |k: usize| frames[k].rotation.transpose();
        let anchors = [0, 1].map(|k| to_body(k) * (points[k] - frames[k].centre));
        let length = points[1].distance(points[0]);
        if !(anchors.iter().all(|anchor| anchor.is_finite()) && length.is_finite()) {
            return Err(JointError::NotFinite("anchor"));
        }
        if kind == JointKind::Distance && length == 0.0 {
            return Err(JointError::NoDistance);
        }
        let axes = [0, 1].map(|k| to_body(k) * basis);
        Ok(Self {
            kind,
            bodies,
            anchors,
            axes,
            length,
            limits: None,
            motor: None,
            spring: None,
            position_motor: None,
            cone: None,
            twist: None,
            friction: 0.0,
            break_at: None,
            collide: false,
            tracked: 0.0,
        })
    }

    /// Bounds the coordinate: the angle of a hinge in radians, beyond half a turn if [`Joint::track`] runs each step,
    /// or the translation of a slider or the distance in metres. A limit may be infinite.
    ///
    /// # Errors
    /// [`JointError`] for limits that are crossed or NaN, for distances below 0, and for joints without a coordinate.
    pub fn with_limits(self, limits: [f64; 2]) -> Result<Self, JointError> {
        if matches!(self.kind, JointKind::Fixed | JointKind::Ball) {
            return Err(JointError::NotSupported { kind: self.kind, what: "limits" });
        }
        if limits.iter().any(|limit| limit.is_nan()) {
            return Err(JointError::NotFinite("limits"));
        }
        if limits[0] > limits[1] || limits[0] == f64::INFINITY || limits[1] == f64::NEG_INFINITY {
            return Err(JointError::Limits(limits));
        }
        if self.kind == JointKind::Distance && (limits[1] < 0.0 || limits[0].is_finite() && limits[0] < 0.0) {
            return Err(JointError::NegativeDistance(limits));
        }
        Ok(Self { limits: Some(limits), ..self })
    }

    /// Drives the coordinate of a hinge or a slider.
    ///
    /// # Errors
    /// [`JointError`] for a force below 0, numbers that are not finite, other kinds of joints, and joints with a motor
    /// of a position.
    pub fn with_motor(self, motor: Motor) -> Result<Self, JointError> {
        if !matches!(self.kind, JointKind::Hinge | JointKind::Slider) {
            return Err(JointError::NotSupported { kind: self.kind, what: "motor" });
        }
        if !motor.velocity.is_finite() {
            return Err(JointError::NotFinite("velocity"));
        }
        check_force("max_force", motor.max_force)?;
        if self.position_motor.is_some() {
            return Err(JointError::TwoMotors);
        }
        Ok(Self { motor: Some(motor), ..self })
    }

    /// Breaks the joint at a load above `force`, in N; [`Joint::is_broken_by`] reports it.
    ///
    /// # Errors
    /// [`JointError`] for a force below 0 or not finite.
    pub fn breaking_at(self, force: f64) -> Result<Self, JointError> {
        check_force("break_at", force)?;
        Ok(Self { break_at: Some(force), ..self })
    }

    /// Sets whether the joined bodies have contacts with each other; they have none by default.
    #[must_use]
    pub fn colliding(self, collide: bool) -> Self {
        Self { collide, ..self }
    }

    /// Returns its kind.
    pub fn kind(&self) -> JointKind {
        self.kind
    }

    /// Returns the identifiers of both bodies; `None` is the world.
    pub fn bodies(&self) -> JointBodies {
        self.bodies
    }

    /// Returns the limits.
    pub fn limits(&self) -> Option<[f64; 2]> {
        self.limits
    }

    /// Returns the motor.
    pub fn motor(&self) -> Option<Motor> {
        self.motor
    }

    /// Returns the load at which the joint breaks, in N.
    pub fn break_at(&self) -> Option<f64> {
        self.break_at
    }

    /// Reports whether the joined bodies have contacts with each other.
    pub fn collides(&self) -> bool {
        self.collide
    }

    /// Returns the length of a distance joint, in metres.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Computes the anchors on both bodies, in the world frame. They coincide, except for a slider and a distance
    /// joint.
    pub fn anchors(&self, frames: [&JointFrame; 2]) -> [Vec3; 2] {
        [0, 1].map(|k| frames[k].centre + frames[k].rotation * self.anchors[k])
    }

    /// Reports whether the joint holds two points at a constant distance: a distance joint without limits and spring.
    pub fn is_rod(&self) -> bool {
        self.kind == JointKind::Distance && self.limits.is_none() && self.spring.is_none()
    }

    /// Computes the axis of a hinge or a slider, or the twist axis of a ball joint, in the world frame, as A carries
    /// it.
    pub fn axis(&self, frames: [&JointFrame; 2]) -> Vec3 {
        frames[0].rotation * self.axes[0].z_axis
    }
}

/// Returns the rotation by |`vector`| around `vector`.
fn rotation_by(vector: Vec3) -> Mat3 {
    let angle = vector.length();
    if angle == 0.0 {
        return Mat3::IDENTITY;
    }
    let axis = vector * (libm::sin(0.5 * angle) / angle);
    Mat3::from_quat(Quat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(0.5 * angle)))
}
