//! Path of moved parts.
//!
//! In: a translation in one second, or a JSON object or a list of them. Out: a [`JourneyPath`]: consecutive segments,
//! each at constant speed or constant acceleration, or towards a waypoint.

use super::JourneyError;
use heurt_geometry::{Motion, MotionError, Pose, Vec3};
use heurt_scene::describe::{FieldError, Fields, fields, read_pose};
use serde_json::Value;

/// The motion of moved parts, in the world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct JourneyPath {
    stretches: Vec<Stretch>,
}

/// A segment as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stretch {
    Segment(PathSegment),
    /// To a pose of the first moved part: its origin moves straight, and the parts rotate around it at a constant rate.
    Waypoint {
        to: Pose,
        keeps_rotation: bool,
        duration: f64,
    },
}

/// A segment of the path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PathSegment {
    /// Velocity of the pivot as the segment begins, in lengths a second.
    velocity: Vec3,
    /// Acceleration of the pivot, in lengths a second squared.
    acceleration: Vec3,
    /// Angular velocity, in rad/s.
    angular_velocity: Vec3,
    /// A point of the axis as the segment begins; `None` is the origin of the first moved part.
    pivot: Option<Vec3>,
    /// Duration, in seconds.
    pub(crate) duration: f64,
}

impl JourneyPath {
    /// Makes a translation in one second.
    ///
    /// # Errors
    /// [`JourneyError::Motion`] for a velocity that no motion can have.
    pub fn straight(translation: Vec3) -> Result<Self, JourneyError> {
        let (acceleration, angular_velocity, pivot, duration) = (Vec3::ZERO, Vec3::ZERO, None, 1.0);
        let segment = PathSegment { velocity: translation, acceleration, angular_velocity, pivot, duration };
        Ok(Self { stretches: vec![Stretch::Segment(segment.checked()?)] })
    }

    /// Reads a segment, or a list of them, in JSON: `velocity`, `acceleration`, `angular_velocity`, `pivot` and
    /// `duration`, or `to` and `duration`.
    ///
    /// # Errors
    /// [`JourneyError::Field`] for a field that forms no motion, and [`JourneyError::Empty`].
    pub fn read(value: Value) -> Result<Self, JourneyError> {
        let stretches = match value {
            Value::Array(_) => fields::list("motion", value, stretch)?,
            one => vec![stretch("motion", one)?],
        };
        if stretches.is_empty() { Err(JourneyError::Empty) } else { Ok(Self { stretches }) }
    }

    /// Returns the duration in seconds.
    pub fn duration(&self) -> f64 {
        let of_one = |stretch: &Stretch| match stretch {
            Stretch::Segment(segment) => segment.duration,
            Stretch::Waypoint { duration, .. } => *duration,
        };
        self.stretches.iter().map(of_one).sum()
    }

    /// Returns the segments when the first moved part starts in the pose `start`: waypoints become velocities.
    pub(crate) fn segments(&self, start: &Pose) -> Result<Vec<PathSegment>, JourneyError> {
        let mut pose = *start;
        let mut segments = Vec::with_capacity(self.stretches.len());
        for stretch in &self.stretches {
            let segment = match *stretch {
                Stretch::Segment(segment) => segment,
                Stretch::Waypoint { to, keeps_rotation, duration } => {
                    let end = match keeps_rotation {
                        true => Pose::from_matrix(*pose.rotation(), to.translation())?,
                        false => to,
                    };
                    let motion = Motion::between(&pose, &end, duration)?;
                    let (velocity, angular_velocity) = (motion.velocity(), motion.angular_velocity());
                    PathSegment { velocity, acceleration: Vec3::ZERO, angular_velocity, pivot: None, duration }
                }
            };
            let motion = segment.motion(&pose, pose.translation())?;
            pose = motion.pose_at(&pose, segment.duration)?;
            segments.push(segment);
        }
        Ok(segments)
    }
}

impl PathSegment {
    /// Returns the motion of a part in the pose `pose` as the segment begins; `origin` is then the origin of the first
    /// moved part.
    pub(crate) fn motion(&self, pose: &Pose, origin: Vec3) -> Result<Motion, MotionError> {
        let motion = Motion::screw(self.velocity, self.angular_velocity)?.accelerated(self.acceleration)?;
        if !motion.turns() {
            return Ok(motion);
        }
        let pivot = self.pivot.unwrap_or(origin) - pose.translation();
        motion.about(pose.rotation().transpose() * pivot)
    }

    /// Refuses numbers that form no motion.
    fn checked(self) -> Result<Self, MotionError> {
        self.motion(&Pose::IDENTITY, Vec3::ZERO).map(|_| self)
    }
}

fn stretch(path: &str, value: Value) -> Result<Stretch, FieldError> {
    let shown = fields::shown(&value);
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["velocity", "acceleration", "angular_velocity", "pivot", "duration", "to"]])?;
    let duration = fields.optional("duration", fields::positive)?.unwrap_or(1.0);
    let waypoint = fields.optional("to", |path, value| {
        let keeps_rotation = value.as_array().is_some_and(|numbers| numbers.len() == 3);
        Ok((read_pose(path, value)?, keeps_rotation))
    })?;
    let velocity = fields.optional("velocity", fields::vector)?;
    let acceleration = fields.optional("acceleration", fields::vector)?;
    let angular_velocity = fields.optional("angular_velocity", fields::vector)?;
    let pivot = fields.optional("pivot", fields::vector)?;
    let has_rates = velocity.is_some() || acceleration.is_some() || angular_velocity.is_some() || pivot.is_some();
    match waypoint {
        Some(_) if has_rates => {
            Err(FieldError::refused(path, shown, "`to` goes with `duration` alone: leave the others out"))
        }
        Some((to, keeps_rotation)) => Ok(Stretch::Waypoint { to, keeps_rotation, duration }),
        None => {
            let [velocity, acceleration, angular_velocity] =
                [velocity, acceleration, angular_velocity].map(|vector| vector.unwrap_or(Vec3::ZERO));
            let segment = PathSegment { velocity, acceleration, angular_velocity, pivot, duration };
            segment.checked().map(Stretch::Segment).map_err(|error| FieldError::refused(path, shown, error))
        }
    }
}
