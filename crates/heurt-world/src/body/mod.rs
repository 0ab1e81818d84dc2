//! A body: a shape, its pose and motion, and the groups that it meets.
//!
//! Units: metres, kilograms, seconds, radians. Velocities are those of the origin of the shape, in the world frame.

pub(crate) mod deformation;
pub(crate) mod keyframes;
pub(crate) mod mass;

use crate::body::deformation::Deformation;
use crate::body::keyframes::Keyframes;
use crate::body::mass::Mass;
use heurt_broad::{Filter, Mobility};
use heurt_geometry::{Pose, Vec3};
use heurt_rigid::LockedAxes;
use heurt_shape::{MeshShape, Shape};
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

/// The cause of a body's motion.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// It stays where it is.
    Static,
    /// It moves at its velocities, or along its script if it has one; contacts do not change them.
    Kinematic(Option<Arc<Keyframes>>),
    /// It flies freely under gravity. Bodies of one shape and density share their mass.
    Dynamic(Arc<Mass>),
    /// A mesh whose vertices move.
    Soft(Arc<Deformation>),
}

/// A force and a torque on a body, in the world frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Force on the centre of mass, in N.
    pub force: Vec3,
    /// Torque around the centre of mass, in N·m.
    pub torque: Vec3,
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
    /// The shape, in its own frame.
    pub shape: Shape,
    /// Its pose in the world.
    pub pose: Pose,
    /// Velocity of the origin of the shape, in m/s.
    pub velocity: Vec3,
    /// Angular velocity in rad/s.
    pub angular_velocity: Vec3,
    /// The cause of its motion.
    pub kind: Kind,
    /// Velocity of a belt on the surface, in m/s, world frame; `None` for none. Bodies that touch a conveyor or a
    /// treadmill are carried along by its component along the surface. Ignored for dynamic bodies.
    pub surface_velocity: Option<Box<Vec3>>,
    /// The share of its speed that is kept in a collision, 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// The groups it is in, as bits.
    pub group: u32,
    /// The groups it meets, as bits.
    pub mask: u32,
    /// Force and torque until the end of the next step; `None` for none.
    pub wrench: Option<Box<Wrench>>,
    /// Multiplies the acceleration by gravity.
    pub gravity_scale: f64,
    /// Share of the velocity that is lost, per second.
    pub linear_damping: f64,
    /// Share of the angular velocity that is lost, per second.
    pub angular_damping: f64,
    /// Axes of the world along and around which a response and forces do not move the body.
    pub locked: LockedAxes,
    /// A sensor reports contacts and does not respond to them.
    pub is_sensor: bool,
    /// [`Response::Auto`](crate::Response::Auto) solves the island of a precise body exactly, as a haptic tool needs,
    /// up to 128 bodies.
    pub is_precise: bool,
}

impl Body {
    /// Makes a body that stays.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Kind};
    /// let wall = Body::fixed(Convex::cuboid(Vec3::new(0.1, 5.0, 2.0))?, Pose::IDENTITY);
    /// assert!(matches!(wall.kind, Kind::Static));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fixed(shape: impl Into<Shape>, pose: Pose) -> Self {
        Self {
            shape: shape.into(),
            pose,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            surface_velocity: None,
            kind: Kind::Static,
            restitution: 0.5,
            friction: 0.5,
            group: 1,
            mask: u32::MAX,
            wrench: None,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            locked: LockedAxes::NONE,
            is_sensor: false,
            is_precise: false,
        }
    }

    /// Makes a body that moves at given velocities, which are 0 until they are set.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// // A fan, one radian a second, whatever gravity does.
    /// let fan = Body::kinematic(Convex::cuboid(Vec3::new(0.6, 0.1, 0.02))?, Pose::IDENTITY);
    /// let fan = world.insert(Body { angular_velocity: Vec3::Z, ..fan })?;
    /// world.step(1.0)?;
    /// let tip = world.body(fan).expect("it is there").pose.place(Vec3::X * 0.6);
    /// assert!(tip.abs_diff_eq(Vec3::new(1f64.cos(), 1f64.sin(), 0.0) * 0.6, 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kinematic(shape: impl Into<Shape>, pose: Pose) -> Self {
        Self { kind: Kind::Kinematic(None), ..Self::fixed(shape, pose) }
    }

    /// Makes a body that moves along `script`.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Keyframes, Settings, World};
    /// let at = |z: f64| Pose::from_translation(Vec3::Z * z);
    /// let lift = Keyframes::new(vec![(0.0, at(0.0)?), (10.0, at(5.0)?)])?;
    /// let mut world = World::new(Settings::default())?;
    /// let cabin = world.insert(Body::scripted(Convex::cuboid(Vec3::ONE)?, lift))?;
    /// world.step(4.0)?;
    /// assert_eq!(world.body(cabin).map(|body| body.pose.translation().z), Some(2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scripted(shape: impl Into<Shape>, script: Keyframes) -> Self {
        let (pose, motion) = (script.pose_at(0.0), script.motion_at(0.0));
        let kind = Kind::Kinematic(Some(Arc::new(script)));
        let (velocity, angular_velocity) = (motion.velocity(), motion.angular_velocity());
        Self { kind, velocity, angular_velocity, ..Self::fixed(shape, pose) }
    }

    /// Makes a body that moves freely.
    pub fn dynamic(shape: impl Into<Shape>, pose: Pose, mass: impl Into<Arc<Mass>>) -> Self {
        Self { kind: Kind::Dynamic(mass.into()), ..Self::fixed(shape, pose) }
    }

    /// Makes a mesh whose vertices stay until [`World::deform`](crate::World::deform) moves them.
    pub fn soft(mesh: MeshShape, pose: Pose) -> Self {
        let deformation = Deformation::driven(mesh.mesh());
        Self { kind: Kind::Soft(deformation.into()), ..Self::fixed(mesh, pose) }
    }

    /// Returns the centre of mass in the world frame; the origin of the shape if it has no mass.
    pub fn centre_of_mass(&self) -> Vec3 {
        match &self.kind {
            Kind::Dynamic(mass) => self.pose.place(mass.centre),
            _ => self.pose.translation(),
        }
    }

    /// Computes the velocity of a point of the world that moves with the body.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::Body;
    /// let wheel = Body::kinematic(Convex::cylinder(0.3, 0.05)?, Pose::IDENTITY);
    /// let wheel = Body { angular_velocity: Vec3::Z * 10.0, ..wheel };
    /// assert_eq!(wheel.velocity_at(Vec3::X * 0.3), Vec3::Y * 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(point - self.pose.translation())
    }

    /// The force and the torque on the body until the end of the next step.
    pub(crate) fn wrench(&self) -> Wrench {
        self.wrench.as_deref().copied().unwrap_or_default()
    }

    /// The velocity of the belt on the surface in m/s, world frame; 0 for none.
    pub(crate) fn belt(&self) -> Vec3 {
        self.surface_velocity.as_deref().copied().unwrap_or_default()
    }

    /// The acceleration of the centre of mass without contacts, in m/s².
    pub(crate) fn free_acceleration(&self, gravity: Vec3) -> Vec3 {
        match &self.kind {
            Kind::Dynamic(mass) => gravity * self.gravity_scale + self.wrench().force / mass.mass,
            _ => Vec3::ZERO,
        }
    }

    /// Reports whether the vertices of its shape move.
    pub(crate) fn is_soft(&self) -> bool {
        matches!(self.kind, Kind::Soft(_))
    }

    pub(crate) fn filter(&self) -> Filter {
        let mobility = if matches!(self.kind, Kind::Static) { Mobility::Static } else { Mobility::Moving };
        Filter { group: self.group, mask: self.mask, mobility }
    }
}
