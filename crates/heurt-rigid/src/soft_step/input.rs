//! Bodies and contact manifolds of a soft step, and the test of their numbers.
//!
//! In: numbers of the caller. Out: the same numbers, or the first fault as a typed error. Nothing is modified.

use crate::flight::LockedAxes;
use heurt_geometry::{Mat3, Quat, Vec3};
use smallvec::SmallVec;
use thiserror::Error;

/// A rigid body of a soft step.
///
/// A static or kinematic body has an inverse mass of 0 and an inverse inertia of 0: it keeps its velocity, and it
/// moves by it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepBody {
    /// Centre of mass in the world, in metres.
    pub centre: Vec3,
    /// Rotation from the axes of the body to the axes of the world, a unit quaternion.
    pub rotation: Quat,
    /// Velocity of the centre of mass, in m/s.
    pub velocity: Vec3,
    /// In rad/s, world axes.
    pub angular_velocity: Vec3,
    /// In 1/kg; 0 if no impulse moves the centre.
    pub inverse_mass: f64,
    /// Inertia around the centre of mass, along the axes of the body, in kg·m². Used for the gyroscopic term and for
    /// locked axes; ignored if the inverse is 0.
    pub inertia: Mat3,
    /// Inverse of the inertia, along the axes of the body; 0 if no impulse rotates the body.
    pub inverse_inertia: Mat3,
    /// Acceleration of the centre by gravity and other forces, in m/s².
    pub acceleration: Vec3,
    /// Torque, in N·m, world axes.
    pub torque: Vec3,
    /// Rate at which the velocity decays, in 1/s.
    pub linear_damping: f64,
    /// Rate at which the angular velocity decays, in 1/s.
    pub angular_damping: f64,
    /// Axes without motion; ignored for bodies that no impulse moves.
    pub locked: LockedAxes,
}

impl StepBody {
    /// A body at the origin that no impulse moves, at rest.
    pub const FIXED: Self = Self {
        centre: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        inverse_mass: 0.0,
        inertia: Mat3::ZERO,
        inverse_inertia: Mat3::ZERO,
        acceleration: Vec3::ZERO,
        torque: Vec3::ZERO,
        linear_damping: 0.0,
        angular_damping: 0.0,
        locked: LockedAxes::NONE,
    };

    /// Builds a movable body at rest from its mass in kg and its inertia in kg·m², along the axes of the body.
    ///
    /// The inverse is 0 if the inertia is singular: such a body does not rotate.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::soft_step::StepBody;
    /// let ball = StepBody::movable(Vec3::new(0.0, 0.0, 1.0), 2.0, Mat3::from_diagonal(Vec3::splat(0.2)));
    /// assert_eq!(ball.inverse_mass, 0.5);
    /// assert_eq!(ball.inverse_inertia.x_axis.x, 5.0);
    /// ```
    pub fn movable(centre: Vec3, mass: f64, inertia: Mat3) -> Self {
        let inverse = inertia.inverse();
        let inverse_inertia = if inverse.is_finite() { inverse } else { Mat3::ZERO };
        Self { centre, inverse_mass: 1.0 / mass, inertia, inverse_inertia, ..Self::FIXED }
    }

    /// Reports whether impulses move the body.
    pub fn is_movable(&self) -> bool {
        self.inverse_mass > 0.0 || self.inverse_inertia != Mat3::ZERO
    }

    fn is_valid(&self) -> bool {
        let vectors = [self.centre, self.velocity, self.angular_velocity, self.acceleration, self.torque];
        vectors.iter().all(|v| v.is_finite())
            && (self.rotation.length_squared() - 1.0).abs() <= UNIT_TOLERANCE
            && self.inertia.is_finite()
            && self.inverse_inertia.is_finite()
            && is_inertia(&self.inverse_inertia)
            && [self.inverse_mass, self.linear_damping, self.angular_damping].iter().all(|x| x.is_finite() && *x >= 0.0)
    }
}

/// Largest deviation of the squared length of a unit vector or quaternion from 1: 1e-6 passes numbers with the
/// precision of `f32`.
const UNIT_TOLERANCE: f64 = 1e-6;

/// Reports whether the diagonal of an inertia is at least 0 and the matrix is symmetric to 1e-6 of its trace.
fn is_inertia(matrix: &Mat3) -> bool {
    let trace = matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
    let skew =
        [matrix.x_axis.y - matrix.y_axis.x, matrix.x_axis.z - matrix.z_axis.x, matrix.y_axis.z - matrix.z_axis.y];
    matrix.x_axis.x >= 0.0
        && matrix.y_axis.y >= 0.0
        && matrix.z_axis.z >= 0.0
        && skew.iter().all(|s| s.abs() <= UNIT_TOLERANCE * trace)
}

/// A point of a contact manifold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepPoint {
    /// Offsets of the point from the centres of mass of A and of B, in metres, world axes, at the start of the step.
    pub anchors: [Vec3; 2],
    /// Distance of the surfaces along the normal at the start of the step, in metres; negative if they overlap.
    pub separation: f64,
    /// In: the normal impulse of the last sub-step of the previous step, in N·s, or 0. Out: the same of this step.
    pub warm_normal: f64,
    /// In: the tangential impulse of the last sub-step of the previous step on B, in N·s, or 0. Out: the same of this
    /// step.
    pub warm_tangent: Vec3,
    /// Out: the normal impulse of the whole step, in N·s.
    pub normal_impulse: f64,
    /// Out: the tangential impulse on B of the whole step, in N·s.
    pub tangential_impulse: Vec3,
}

/// A contact manifold: points of two bodies with a common normal.
///
/// Friction acts on the manifold as a whole (see [`soft_step`](super)): the tangential impulses of the points are a
/// split with the same sum and the same moment around the normal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepManifold {
    /// Indices of A and B.
    pub bodies: [u32; 2],
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// The points. Blocks of four are solved together. More than four work, but the friction of two blocks of the same
    /// bodies is redundant: a plate on eight points keeps moving by some mm/s. Reduce manifolds to four points.
    pub points: SmallVec<[StepPoint; 4]>,
    /// Whether the contact follows a round surface (sphere, capsule, cylinder) instead of points fixed to the bodies.
    /// A rolling ball turns its anchors away from the plane, but its surface stays there.
    pub is_round: bool,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Share of the approach speed that is kept, 0 to 1.
    pub restitution: f64,
}

/// Reasons why a soft step is refused. Nothing is modified then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// A body with a number that is not finite or outside its range.
    #[error("body {0} has a number that is not finite, negative, or no unit quaternion")]
    Body(usize),
    /// A manifold with a number that is not finite or outside its range.
    #[error("manifold {0} has a number that is not finite, a normal without length 1, or a coefficient out of range")]
    Manifold(usize),
    /// A joint with a number that is not finite or outside its range.
    #[error("joint {0} has a number that is not finite or outside its range")]
    Joint(usize),
    /// An index beyond the bodies, or the same body twice.
    #[error("{what} {index} names the bodies {bodies:?}, but there are {count} bodies")]
    NoSuchBody {
        /// `"manifold"` or `"joint"`.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The indices of the bodies.
        bodies: [u32; 2],
        /// The number of bodies.
        count: usize,
    },
    /// Settings out of range.
    #[error("a setting of the soft step is not finite or outside its range")]
    Settings,
    /// A length of the step that is not finite or not above 0.
    #[error("the length of a step must be finite and above 0 s")]
    TimeStep,
    /// The numbers of a body overflowed during the step.
    #[error("the state of body {0} overflows: its velocity or its forces are too large")]
    Overflow(usize),
}

impl StepError {
    /// Returns the same error for a caller that knows bodies by other numbers: `indices` has the index of each body of
    /// the step by the number of the caller.
    pub fn of_places(self, indices: &[u32]) -> Self {
        let place = |index: usize| indices.iter().position(|known| *known as usize == index).unwrap_or(index);
        match self {
            Self::Body(index) => Self::Body(place(index)),
            Self::Overflow(index) => Self::Overflow(place(index)),
            _ => self,
        }
    }
}

/// Tests the numbers of all bodies.
pub(super) fn check_bodies(bodies: &[StepBody]) -> Result<(), StepError> {
    match bodies.iter().position(|b| !b.is_valid()) {
        Some(index) => Err(StepError::Body(index)),
        None => Ok(()),
    }
}

/// Tests that a pair names two bodies.
pub(super) fn check_pair(what: &'static str, index: usize, bodies: [u32; 2], count: usize) -> Result<(), StepError> {
    if bodies[0] == bodies[1] || bodies.iter().any(|&b| b as usize >= count) {
        return Err(StepError::NoSuchBody { what, index, bodies, count });
    }
    Ok(())
}

/// Tests the numbers of all manifolds.
pub(super) fn check_manifolds(manifolds: &[StepManifold], count: usize) -> Result<(), StepError> {
    for (index, manifold) in manifolds.iter().enumerate() {
        check_pair("manifold", index, manifold.bodies, count)?;
        let is_valid = (manifold.normal.length_squared() - 1.0).abs() <= UNIT_TOLERANCE
            && manifold.friction.is_finite()
            && manifold.friction >= 0.0
            && (0.0..=1.0).contains(&manifold.restitution)
            && manifold.points.iter().all(is_point_valid);
        if !is_valid {
            return Err(StepError::Manifold(index));
        }
    }
    Ok(())
}

fn is_point_valid(point: &StepPoint) -> bool {
    point.anchors[0].is_finite()
        && point.anchors[1].is_finite()
        && point.separation.is_finite()
        && point.warm_normal.is_finite()
        && point.warm_normal >= 0.0
        && point.warm_tangent.is_finite()
}
