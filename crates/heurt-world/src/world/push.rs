//! Changes of a world that a response answers: forces, impulses, joints.

use super::World;
use crate::body::{Body, BodyId, Wrench};
use crate::error::WorldError;
use crate::response::Response;
use crate::response::exact::problem::{is_dynamic, rigid_body, set_velocities};
use crate::response::joints::{JointDesign, JointId, WorldJoint};
use crate::settings::check_finite;
use crate::state::balance::opening_of;
use heurt_geometry::Vec3;

impl World {
    /// Applies a force to a dynamic body until the end of the next step, in N, world frame: at a point of the world, or
    /// at its centre of mass.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Settings, World};
    /// let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })?;
    /// let ball = Convex::sphere(0.5)?;
    /// let mass = Mass::of_total(&ball.clone().into(), 2.0)?;
    /// let ball = world.insert(Body::dynamic(ball, Pose::IDENTITY, mass))?;
    /// world.apply_force(ball, Vec3::X * 6.0, None)?;
    /// world.step(0.5)?;
    /// assert!((world.body(ball).expect("it is there").velocity.x - 1.5).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::NotDynamic`], [`WorldError::Number`]; nothing changes then.
    pub fn apply_force(&mut self, id: BodyId, force: Vec3, at: Option<Vec3>) -> Result<(), WorldError> {
        let body = self.dynamic_body(id, [force, at.unwrap_or(Vec3::ZERO)])?;
        let torque = at.map_or(Vec3::ZERO, |at| (at - body.centre_of_mass()).cross(force));
        let before = body.wrench();
        let wrench = Wrench { force: before.force + force, torque: before.torque + torque };
        check_finite("force", wrench.force + wrench.torque)?;
        body.wrench = Some(wrench.into());
        self.note_push(id);
        Ok(())
    }

    /// Applies a torque to a dynamic body until the end of the next step, in N·m, world frame.
    ///
    /// # Errors
    /// As [`World::apply_force`].
    pub fn apply_torque(&mut self, id: BodyId, torque: Vec3) -> Result<(), WorldError> {
        let body = self.dynamic_body(id, [torque, Vec3::ZERO])?;
        let wrench = Wrench { torque: body.wrench().torque + torque, ..body.wrench() };
        check_finite("torque", wrench.torque)?;
        body.wrench = Some(wrench.into());
        self.note_push(id);
        Ok(())
    }

    /// Applies an impulse to a dynamic body, in N·s, world frame: at a point of the world, or at its centre of mass.
    ///
    /// # Errors
    /// As [`World::apply_force`].
    pub fn apply_impulse(&mut self, id: BodyId, impulse: Vec3, at: Option<Vec3>) -> Result<(), WorldError> {
        let body = self.dynamic_body(id, [impulse, at.unwrap_or(Vec3::ZERO)])?;
        let mut state = rigid_body(body, Vec3::ZERO);
        state.apply_impulse(impulse, at.map_or(Vec3::ZERO, |at| at - body.centre_of_mass()));
        check_finite("impulse", state.velocity + state.angular_velocity)?;
        set_velocities(body, &state);
        self.note_push(id);
        Ok(())
    }

    /// Applies an angular impulse to a dynamic body, in N·m·s, world frame.
    ///
    /// # Errors
    /// As [`World::apply_force`].
    pub fn apply_angular_impulse(&mut self, id: BodyId, impulse: Vec3) -> Result<(), WorldError> {
        let body = self.dynamic_body(id, [impulse, Vec3::ZERO])?;
        let mut state = rigid_body(body, Vec3::ZERO);
        state.apply_angular_impulse(impulse);
        check_finite("impulse", state.angular_velocity)?;
        set_velocities(body, &state);
        self.note_push(id);
        Ok(())
    }

    /// Sets the velocity of the origin of a body's shape, in m/s, and its angular velocity, in rad/s, world frame.
    ///
    /// The body stays where it is, and wakes with the bodies that touch it. A kinematic body without a script moves at
    /// these velocities: with the velocities of [`Motion::between`](heurt_geometry::Motion::between) it is at a pose as
    /// the step ends, and contacts on its path are found.
    ///
    /// ```
    /// use heurt_geometry::{Motion, Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let hand = world.insert(Body::kinematic(Convex::sphere(0.1)?, Pose::IDENTITY))?;
    /// let there = Pose::from_translation(Vec3::X * 0.2)?;
    /// let motion = Motion::between(&Pose::IDENTITY, &there, 0.01)?;
    /// world.set_velocity(hand, motion.velocity(), motion.angular_velocity())?;
    /// world.step(0.01)?;
    /// assert!((world.body(hand).expect("it is there").pose.translation().x - 0.2).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::Number`]; nothing changes then.
    pub fn set_velocity(&mut self, id: BodyId, velocity: Vec3, angular_velocity: Vec3) -> Result<(), WorldError> {
        check_finite("velocity", velocity)?;
        check_finite("angular_velocity", angular_velocity)?;
        self.body(id).ok_or(WorldError::NoSuchBody { id })?;
        self.disturb(id);
        if let Some(body) = self.view.bodies.get_mut(id) {
            (body.velocity, body.angular_velocity) = (velocity, angular_velocity);
        }
        self.response.sleep.wake(id.index());
        Ok(())
    }

    /// Reports whether a dynamic body sleeps: it has been at rest in contact for half a second, and no step moves it
    /// until something disturbs it. Bodies sleep in worlds with [`Response::SoftStep`](crate::Response::SoftStep)
    /// or [`Response::Auto`](crate::Response::Auto).
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Response, Settings, World};
    /// let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() })?;
    /// world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let cube = Convex::cuboid(Vec3::splat(0.5))?;
    /// let mass = Mass::of_total(&cube.clone().into(), 2.0)?;
    /// let cube = world.insert(Body::dynamic(cube, Pose::from_translation(Vec3::Z * 0.5)?, mass))?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// assert!(world.is_asleep(cube));
    /// world.apply_impulse(cube, Vec3::X, None)?;
    /// assert!(!world.is_asleep(cube));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_asleep(&self, id: BodyId) -> bool {
        self.body(id).is_some_and(is_dynamic) && self.response.sleep.is_asleep(id.index())
    }

    /// Wakes a body, and with the next step the bodies that it presses on.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn wake(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.body(id).ok_or(WorldError::NoSuchBody { id })?;
        self.response.sleep.wake(id.index());
        Ok(())
    }

    fn dynamic_body(&mut self, id: BodyId, numbers: [Vec3; 2]) -> Result<&mut Body, WorldError> {
        numbers.into_iter().try_for_each(|number| check_finite("force", number))?;
        let body = self.view.bodies.get_mut(id).ok_or(WorldError::NoSuchBody { id })?;
        if !is_dynamic(body) {
            return Err(WorldError::NotDynamic { id });
        }
        Ok(body)
    }

    /// Wakes a body that was pushed; its contacts are found again.
    fn note_push(&mut self, id: BodyId) {
        self.response.sleep.wake(id.index());
        self.response.candidates.are_current = false;
    }

    /// Inserts a joint between bodies as they are placed. Joints act in worlds with a response.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::Joint`]; [`WorldError::NoJoints`] in a world of springs.
    pub fn insert_joint(&mut self, design: &JointDesign) -> Result<JointId, WorldError> {
        if self.settings.response == Response::Penalty {
            return Err(WorldError::NoJoints);
        }
        let id = self.response.joints.insert(&self.view, design)?;
        self.disturb_joined([Some(design.a), design.b]);
        Ok(id)
    }

    /// Removes a joint.
    ///
    /// # Errors
    /// [`WorldError::NoSuchJoint`].
    pub fn remove_joint(&mut self, id: JointId) -> Result<WorldJoint, WorldError> {
        let joint = self.response.joints.remove(id).ok_or(WorldError::NoSuchJoint { id })?;
        self.disturb_joined([Some(joint.a), joint.b]);
        Ok(joint)
    }

    /// Wakes the dynamic bodies of a joint; their islands wake with the next step. Contacts are found again, as a joint
    /// decides whether its bodies have any.
    fn disturb_joined(&mut self, ends: [Option<BodyId>; 2]) {
        for id in ends.into_iter().flatten() {
            if self.body(id).is_some_and(is_dynamic) {
                self.response.sleep.wake(id.index());
            }
        }
        self.response.candidates.are_current = false;
    }

    /// Returns a joint; `None` if it was removed or broke.
    pub fn joint(&self, id: JointId) -> Option<&WorldJoint> {
        self.response.joints.get(id)
    }

    /// Returns the distance of the points that a joint holds together, in metres; `None` if there is no such joint, or
    /// if its limits let the points part.
    pub fn joint_opening(&self, id: JointId) -> Option<f64> {
        opening_of(self, self.joint(id)?)
    }

    /// Lists all joints, in the order of insertion.
    pub fn joints(&self) -> impl Iterator<Item = (JointId, &WorldJoint)> {
        self.response.joints.iter()
    }

    /// Lists the joints that broke in the last step, with the loads at which they did.
    pub(crate) fn joints_broken_with_loads(&self) -> impl Iterator<Item = (JointId, &WorldJoint)> {
        self.response.joints.broken_with_loads()
    }

    /// Lists the joints that broke in the last step.
    pub fn broken_joints(&self) -> &[JointId] {
        &self.response.joints.broken
    }
}
