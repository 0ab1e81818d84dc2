//! What is in a world: a shape where it is placed, how it moves, with whom it meets.
//!
//! Units: metres, kilograms, seconds, radians. Velocities are those of the origin of the shape, in the world frame.

pub(crate) mod deformation;
pub(crate) mod keyframes;
pub(crate) mod mass;

use crate::{Deformation, Keyframes, Mass};
use heurt_broad::{Filter, Mobility};
use heurt_geometry::{Pose, Vec3};
use heurt_shape::Shape;
use std::sync::Arc;

/// Names a body; a number that is used again names another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl BodyId {
    /// Its place, from 0; places of bodies that were removed are used again.
    pub fn index(self) -> usize {
        self.index as usize
    }

    pub(crate) fn bits(self) -> u64 {
        u64::from(self.index) << 32 | u64::from(self.generation)
    }
}

/// How a body comes to move.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// It stays where it is.
    Static,
    /// It moves at its velocities, whatever it meets; along its script where it has one.
    Kinematic(Option<Arc<Keyframes>>),
    /// It flies freely under gravity. Bodies of one shape and density share their mass.
    Dynamic(Arc<Mass>),
    /// A mesh whose vertices move.
    Soft(Arc<Deformation>),
}

/// A body, to be put into a world.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_shape::Convex;
/// use heurt_world::{Body, Mass};
/// let ball = Convex::sphere(0.1)?;
/// let mass = Mass::of_density(&ball.clone().into(), 1000.0)?;
/// let body = Body { velocity: Vec3::X, ..Body::dynamic(ball, Pose::IDENTITY, mass) };
/// assert!((mass.mass - 4.18879).abs() < 1e-5);
/// # let _ = body;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Body {
    /// In its own frame.
    pub shape: Shape,
    /// Where it is placed.
    pub pose: Pose,
    /// Of the origin of the shape, in m/s.
    pub velocity: Vec3,
    /// In rad/s.
    pub angular_velocity: Vec3,
    /// How it comes to move.
    pub kind: Kind,
    /// What share of its speed it keeps when it bounces, 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// The groups it is in, as bits.
    pub group: u32,
    /// The groups it meets, as bits.
    pub mask: u32,
}

impl Body {
    /// A body that stays.
    pub fn fixed(shape: impl Into<Shape>, pose: Pose) -> Self {
        Self {
            shape: shape.into(),
            pose,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            kind: Kind::Static,
            restitution: 0.5,
            friction: 0.5,
            group: 1,
            mask: u32::MAX,
        }
    }

    /// A body that moves at given velocities; set them.
    pub fn kinematic(shape: impl Into<Shape>, pose: Pose) -> Self {
        Self { kind: Kind::Kinematic(None), ..Self::fixed(shape, pose) }
    }

    /// A body that goes where `script` states.
    pub fn scripted(shape: impl Into<Shape>, script: Keyframes) -> Self {
        let (pose, motion) = (script.pose_at(0.0), script.motion_at(0.0));
        let kind = Kind::Kinematic(Some(Arc::new(script)));
        let (velocity, angular_velocity) = (motion.velocity(), motion.angular_velocity());
        Self { kind, velocity, angular_velocity, ..Self::fixed(shape, pose) }
    }

    /// A body that flies freely.
    pub fn dynamic(shape: impl Into<Shape>, pose: Pose, mass: impl Into<Arc<Mass>>) -> Self {
        Self { kind: Kind::Dynamic(mass.into()), ..Self::fixed(shape, pose) }
    }

    /// Where the centre of mass is, in the world frame; that of the origin for what has no mass.
    pub fn centre_of_mass(&self) -> Vec3 {
        match &self.kind {
            Kind::Dynamic(mass) => self.pose.place(mass.centre),
            _ => self.pose.translation(),
        }
    }

    /// The velocity of a point of the world that moves with the body.
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(point - self.pose.translation())
    }

    pub(crate) fn filter(&self) -> Filter {
        let mobility = if matches!(self.kind, Kind::Static) { Mobility::Static } else { Mobility::Moving };
        Filter { group: self.group, mask: self.mask, mobility }
    }
}
