//! Motion of a rigid shape over time.
//!
//! In: velocities in m/s and rad/s, an acceleration in m/s², in the world frame; a pose at time 0. Out: [`Motion`]: the
//! pose at any time, and the velocity of any point.
//! Method: one form for all motions: a point of the shape, the pivot, moves along a parabola, and the shape rotates
//! around it at a constant rate (S0 §6.3, S1). Without rotation it is a ballistic motion, without acceleration a
//! translation; with a pivot on the axis it is a screw. Two poses are joined by the motion that rotates around the axis
//! of their relative rotation while the origin moves in a straight line.
//! Guarantees: at time 0 the pose is the given pose, bit for bit; the same bits on every machine. Rotations stay
//! orthonormal to a few ulp for any time.

use crate::{DisplayNumber, Mat3, Pose, PoseError, Quat, Vec3};
use std::f64::consts::PI;
use thiserror::Error;

/// A rigid motion.
///
/// ```
/// use heurt_geometry::{Motion, Pose, Vec3};
/// let start = Pose::from_translation(Vec3::X)?;
/// let turning = Motion::screw(Vec3::ZERO, Vec3::Z * std::f64::consts::PI)?.about(-Vec3::X)?;
/// let there = turning.pose_at(&start, 1.0)?;
/// assert!((there.place(Vec3::ZERO) - Vec3::NEG_X).length() < 1e-15, "half a turn about the origin of the world");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motion {
    velocity: Vec3,
    acceleration: Vec3,
    angular_velocity: Vec3,
    pivot: Vec3,
}

/// Reason why numbers do not make a motion.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MotionError {
    /// A number is NaN or infinite.
    #[error("the {field} holds {value}: give finite numbers")]
    NotFinite {
        /// `"velocity"`, `"acceleration"`, `"angular_velocity"` or `"pivot"`.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A number whose square overflows.
    #[error("the {field} holds {}, beyond ±1e150: choose other units", DisplayNumber(*value))]
    TooLarge {
        /// As above.
        field: &'static str,
        /// The offending number.
        value: f64,
    },
    /// A vector other than 0 whose square underflows.
    #[error("the {field} is {}, shorter than 1e-140: make it 0 or choose other units", DisplayNumber(*value))]
    TooSmall {
        /// As above.
        field: &'static str,
        /// The offending vector.
        value: Vec3,
    },
    /// A duration that is not above 0.
    #[error("a duration of {} s: give one above 0", DisplayNumber(*_0))]
    Duration(f64),
}

/// Squares of larger numbers overflow; squares of numbers below `SMALLEST` lose digits.
const LARGEST: f64 = 1e150;
const SMALLEST: f64 = 1e-140;

impl Motion {
    /// No motion.
    pub const STILL: Self =
        Self { velocity: Vec3::ZERO, acceleration: Vec3::ZERO, angular_velocity: Vec3::ZERO, pivot: Vec3::ZERO };

    /// Creates a translation by `velocity` every second.
    ///
    /// ```
    /// use heurt_geometry::{Motion, Pose, Vec3};
    /// let drive = Motion::linear(Vec3::X * 20.0)?;
    /// assert_eq!(drive.pose_at(&Pose::IDENTITY, 0.5)?.translation(), Vec3::X * 10.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MotionError`] for numbers that are not finite or too large.
    pub fn linear(velocity: Vec3) -> Result<Self, MotionError> {
        Self::screw(velocity, Vec3::ZERO)
    }

    /// Creates a translation with `velocity` at time 0, which changes by `acceleration` every second.
    ///
    /// ```
    /// use heurt_geometry::{Motion, Pose, Vec3};
    /// let throw = Motion::ballistic(Vec3::new(3.0, 0.0, 4.0), Vec3::Z * -10.0)?;
    /// let top = throw.pose_at(&Pose::IDENTITY, 0.4)?.translation();
    /// assert!(top.abs_diff_eq(Vec3::new(1.2, 0.0, 0.8), 1e-15));
    /// assert!(throw.velocity_at(0.4).z.abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Motion::linear`].
    pub fn ballistic(velocity: Vec3, acceleration: Vec3) -> Result<Self, MotionError> {
        check("acceleration", acceleration)?;
        Ok(Self { acceleration, ..Self::linear(velocity)? })
    }

    /// Creates a translation of the shape's origin by `velocity` every second with a rotation around it: by
    /// |`angular_velocity`| radians every second, counter-clockwise seen against that vector.
    ///
    /// ```
    /// use heurt_geometry::{Motion, Pose, Vec3};
    /// // A bolt of 1 mm pitch: one turn a second, a millimetre a turn.
    /// let bolt = Motion::screw(Vec3::Z * 0.001, Vec3::Z * std::f64::consts::TAU)?;
    /// let quarter = bolt.pose_at(&Pose::IDENTITY, 0.25)?;
    /// assert!(quarter.place(Vec3::X).abs_diff_eq(Vec3::new(0.0, 1.0, 0.00025), 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Motion::linear`].
    pub fn screw(velocity: Vec3, angular_velocity: Vec3) -> Result<Self, MotionError> {
        check("velocity", velocity)?;
        check("angular_velocity", angular_velocity)?;
        Ok(Self { velocity, angular_velocity, ..Self::STILL })
    }

    /// Creates the motion that leads from `start` to `end` in `duration` seconds: the origin moves in a straight line,
    /// the shape rotates by the smaller angle.
    ///
    /// ```
    /// use heurt_geometry::{Motion, Pose, Vec3};
    /// let [start, end] = [Vec3::ZERO, Vec3::new(2.0, 0.0, 1.0)].map(|at| Pose::from_translation(at).unwrap());
    /// let path = Motion::between(&start, &end, 4.0)?;
    /// assert_eq!(path.velocity(), Vec3::new(0.5, 0.0, 0.25));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MotionError::Duration`] unless it is above 0; as [`Motion::linear`].
    pub fn between(start: &Pose, end: &Pose, duration: f64) -> Result<Self, MotionError> {
        if !(duration > 0.0 && duration.is_finite()) {
            return Err(MotionError::Duration(duration));
        }
        let turn = Quat::from_mat3(&(*end.rotation() * start.rotation().transpose()));
        // libm, for the same bits on every machine.
        let axis = turn.xyz();
        let sine = axis.length();
        let angle = 2.0 * libm::atan2(sine, turn.w);
        let angle = if angle > PI { angle - 2.0 * PI } else { angle };
        let turns = if sine > 0.0 { axis * (angle / sine) } else { Vec3::ZERO };
        Self::screw((end.translation() - start.translation()) / duration, turns / duration)
    }

    /// Returns the same motion with another pivot, in the frame of the shape: the point that moves along the parabola
    /// and around which the shape rotates.
    ///
    /// ```
    /// use heurt_geometry::{Motion, Pose, Vec3};
    /// // A door turns about its hinge at x = −0.5.
    /// let swing = Motion::screw(Vec3::ZERO, Vec3::Z)?.about(Vec3::X * -0.5)?;
    /// let open = swing.pose_at(&Pose::IDENTITY, std::f64::consts::FRAC_PI_2)?;
    /// assert!(open.place(Vec3::X * -0.5).abs_diff_eq(Vec3::X * -0.5, 1e-12), "the hinge stays");
    /// assert!(open.place(Vec3::X * 0.5).abs_diff_eq(Vec3::new(-0.5, 1.0, 0.0), 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Motion::linear`].
    pub fn about(self, pivot: Vec3) -> Result<Self, MotionError> {
        check("pivot", pivot)?;
        Ok(Self { pivot, ..self })
    }

    /// Returns the same motion with a velocity of the pivot that changes by `acceleration` every second.
    ///
    /// # Errors
    /// As [`Motion::linear`].
    pub fn accelerated(self, acceleration: Vec3) -> Result<Self, MotionError> {
        check("acceleration", acceleration)?;
        Ok(Self { acceleration, ..self })
    }

    /// Returns the rest of the motion after `time` seconds, with its time reset to 0: for a shape that is then at
    /// [`Motion::pose_at`] of that time.
    ///
    /// # Errors
    /// As [`Motion::linear`].
    pub fn after(self, time: f64) -> Result<Self, MotionError> {
        let velocity = self.velocity_at(time);
        check("velocity", velocity)?;
        Ok(Self { velocity, ..self })
    }

    /// Returns the velocity of the pivot at time 0, in m/s.
    pub fn velocity(&self) -> Vec3 {
        self.velocity
    }

    /// Returns the acceleration of the pivot, in m/s².
    pub fn acceleration(&self) -> Vec3 {
        self.acceleration
    }

    /// Returns the angular velocity in radians a second, along the axis.
    pub fn angular_velocity(&self) -> Vec3 {
        self.angular_velocity
    }

    /// Returns the pivot, in the frame of the shape.
    pub fn pivot(&self) -> Vec3 {
        self.pivot
    }

    /// Reports whether the shape rotates.
    pub fn turns(&self) -> bool {
        self.angular_velocity != Vec3::ZERO
    }

    /// Returns the pose at `time` of a shape with the pose `start` at time 0.
    ///
    /// # Errors
    /// [`PoseError`] if the pose leaves the range of numbers.
    pub fn pose_at(&self, start: &Pose, time: f64) -> Result<Pose, PoseError> {
        if time == 0.0 {
            return Ok(*start);
        }
        let path = (self.velocity + self.acceleration * (0.5 * time)) * time;
        if !self.turns() {
            return start.shifted(path);
        }
        let rotation = rotation_by(self.angular_velocity * time) * *start.rotation();
        let turned = rotation * self.pivot;
        Pose::of_rotation(rotation, (start.translation() + (*start.rotation() * self.pivot - turned)) + path)
    }

    /// Bounds the deviation of a point, at most `from_axis` metres from the axis, from uniform motion on the straight
    /// line between its positions at the start and after `duration` seconds: an eighth of the greatest acceleration
    /// times the square of the duration.
    pub fn bend(&self, from_axis: f64, duration: f64) -> f64 {
        let turned = self.angular_velocity.length() * duration;
        let turned = if turned == 0.0 { 0.0 } else { from_axis * turned * turned };
        (self.acceleration.length() * duration * duration + turned) * (0.125 * (1.0 + 1e-9))
    }

    /// Returns the velocity of the pivot at `time`.
    pub fn velocity_at(&self, time: f64) -> Vec3 {
        self.velocity + self.acceleration * time
    }
}

/// Returns the rotation by |`vector`| around `vector`.
fn rotation_by(vector: Vec3) -> Mat3 {
    let angle = vector.length();
    if angle == 0.0 {
        return Mat3::IDENTITY;
    }
    let (sine, cosine) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
    let [x, y, z] = (vector / angle * sine).to_array();
    Mat3::from_quat(Quat::from_xyzw(x, y, z, cosine).normalize())
}

fn check(field: &'static str, vector: Vec3) -> Result<(), MotionError> {
    for value in vector.to_array() {
        if !value.is_finite() {
            return Err(MotionError::NotFinite { field, value });
        }
        if value.abs() > LARGEST {
            return Err(MotionError::TooLarge { field, value });
        }
    }
    if field != "pivot" && vector != Vec3::ZERO && vector.abs().max_element() < SMALLEST {
        return Err(MotionError::TooSmall { field, value: vector });
    }
    Ok(())
}
