//! Step of a haptic loop: a tool in quasi-static equilibrium between contact and a virtual coupling to a device.
//!
//! In: the pose of the device, once per period. Out: force and torque for the device, and the pose of the tool.
//! Method: spring and damper between tool and device as in McNeely et al. 1999. The tool there obeys Newton's law,
//! which limits the stiffness; here it has no mass and follows its equilibrium, as in the static virtual coupling of
//! Wan and McNeely 2003. With contact wrench w and stiffness K at the tool, coupling k with damping b, offset e to the
//! device, contact damping τ and period T, a step solves
//! (K (1 + τ/T) + k + b/T) δ = w + k e + b Δ/T for the motion δ of the tool; Δ is the motion of the device.
//! The matrix is positive definite, and the step is the backward Euler step of a purely dissipative system.
//! Then the coupling gives the wrench for the device, limited to `max_force` and `max_torque`, and a passivity
//! controller adds damping if the loop has given energy (`passivity`).
//! All of it runs in the frame of the solid, so that the solid may move between steps.
//! Guarantees: no allocation, one evaluation of the contact. Near the solid, no point of the tool moves by more than
//! `max_step` in a step; farther off, the tool moves at most by its clearance. Finite input gives finite output.
//! Not guaranteed: stability for any device. The damping of the device itself should exceed half of
//! `coupling_stiffness` × `period`, in N·s/m.

use super::contact::{ShellContact, sum_contact};
use super::error::HapticError;
use super::passivity::PassivityControl;
use super::point_shell::PointShell;
use super::settings::HapticSettings;
use crate::distance::DistanceOctree;
use heurt_geometry::{Pose, Quat, Vec3};

/// The relative offset between tool and device below which a tool without contact joins the device: rounding errors.
const JOINED: f64 = 1e-12;

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HapticOutput {
    /// The force on the device in newtons, in the world frame.
    pub force: Vec3,
    /// The torque on the device in N·m, in the world frame, around the origin of the frame of the device.
    pub torque: Vec3,
    /// The pose of the tool, to be shown in place of the pose of the device.
    pub tool: Pose,
    /// The contact at the pose of the tool before the step.
    pub contact: ShellContact,
    /// Whether the coupling reached its greatest force or torque.
    pub is_saturated: bool,
}

/// A position and an orientation in the frame of the solid.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Placement {
    rotation: Quat,
    translation: Vec3,
}

/// A tool that follows a device and feels a solid.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate;
/// use heurt_solid::{DistanceOctree, HapticLoop, HapticSettings, PointShell};
/// let table = DistanceOctree::of_mesh(&generate::cuboid([0.1, 0.1, 0.02])?, 2e-4)?;
/// let tool = PointShell::of_mesh(&generate::cuboid([0.01; 3])?, 2e-3)?;
/// let settings = HapticSettings::new(1e8, 1000.0, tool.radius()); // N/m³, N/m, m
/// let start = Pose::from_translation(Vec3::Z * 0.04)?;
/// let mut haptics = HapticLoop::new(&table, &tool, settings, &start)?;
/// // The device sinks by 0.02 mm per millisecond, 2 mm into the table. The coupling carries 1000 N/m × 2 mm.
/// for step in 0..=600 {
///     let device = Pose::from_translation(Vec3::Z * (0.04 - 2e-5 * f64::from(step)))?;
///     haptics.step(&device);
/// }
/// let held = haptics.step(&Pose::from_translation(Vec3::Z * 0.028)?);
/// assert!((held.force.z - 2.0).abs() < 0.1 && held.contact.depth < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct HapticLoop<'a> {
    field: &'a DistanceOctree,
    shell: &'a PointShell,
    settings: HapticSettings,
    pose_field: Pose,
    tool: Placement,
    device: Placement,
    passivity: PassivityControl,
}

impl<'a> HapticLoop<'a> {
    /// Starts a loop for a solid in the world frame, with the tool at the pose of the device, best without contact.
    ///
    /// # Errors
    /// [`HapticError`] if a number of the settings is out of range.
    pub fn new(
        field: &'a DistanceOctree,
        shell: &'a PointShell,
        settings: HapticSettings,
        device: &Pose,
    ) -> Result<Self, HapticError> {
        settings.check()?;
        let place = Placement::relative(&Pose::IDENTITY, device);
        let passivity = PassivityControl::default();
        Ok(Self { field, shell, settings, pose_field: Pose::IDENTITY, tool: place, device: place, passivity })
    }

    /// Moves the solid to a pose; tool and device keep their poses in the world.
    pub fn set_solid_pose(&mut self, pose: &Pose) {
        for place in [&mut self.tool, &mut self.device] {
            *place = Placement::relative(pose, &place.in_world(&self.pose_field));
        }
        self.pose_field = *pose;
    }

    /// Returns the pose of the tool in the world frame.
    pub fn tool(&self) -> Pose {
        self.tool.in_world(&self.pose_field)
    }

    /// Returns the energy that the device has given to the loop, less the energy that it received, in joules.
    pub fn received_energy(&self) -> f64 {
        self.passivity.energy()
    }

    /// Advances by one period to a pose of the device in the world frame.
    pub fn step(&mut self, device: &Pose) -> HapticOutput {
        let device = Placement::relative(&self.pose_field, device);
        let moved = device.offset_from(&self.device);
        self.passivity.observe(moved);
        let (contact, stiffness) = sum_contact::<true>(
            self.field,
            &Pose::IDENTITY,
            self.shell,
            &self.tool.in_world(&Pose::IDENTITY),
            self.settings.contact_stiffness,
        );
        let HapticSettings { period, contact_damping, max_force, max_torque, .. } = self.settings;
        let [linear, angular] = self.coupling();
        let offset = device.offset_from(&self.tool);
        let spring = [limit(offset[0] * linear[0], max_force), limit(offset[1] * angular[0], max_torque)];
        let damper = [moved[0] * (linear[1] / period), moved[1] * (angular[1] / period)];
        let matrix = stiffness.scaled_plus_diagonal(
            1.0 + contact_damping / period,
            [linear[0] + linear[1] / period, angular[0] + angular[1] / period],
        );
        let rhs = [contact.force + spring[0] + damper[0], contact.torque + spring[1] + damper[1]];
        let wanted = if contact.points == 0 && self.follows(offset, moved) {
            offset
        } else {
            matrix.solve(rhs[0], rhs[1]).unwrap_or([Vec3::ZERO; 2])
        };
        let motion = self.limit_motion(wanted, &contact);
        self.tool = self.tool.moved_by(motion);
        if motion == offset {
            // The sum of pose and offset rounds.
            self.tool = device;
        }
        let output = self.wrench(&device, motion, moved);
        self.device = device;
        self.placed_output(contact, output)
    }

    /// The stiffness and the damping of the coupling, linear and angular.
    fn coupling(&self) -> [[f64; 2]; 2] {
        let settings = &self.settings;
        [
            [settings.coupling_stiffness, settings.coupling_damping],
            [settings.angular_stiffness, settings.angular_damping],
        ]
    }

    /// Reports whether the tool was at the last pose of the device, so that it follows without force.
    fn follows(&self, offset: [Vec3; 2], moved: [Vec3; 2]) -> bool {
        let reach = self.device.translation.abs().max_element() + self.shell.radius();
        let rest = (offset[0] - moved[0]).length() + (offset[1] - moved[1]).length() * self.shell.radius();
        rest <= JOINED * reach
    }

    /// Shortens a motion so that no point of the tool moves by more than the limit.
    fn limit_motion(&self, [shift, turn]: [Vec3; 2], contact: &ShellContact) -> [Vec3; 2] {
        let reach = shift.length() + turn.length() * self.shell.radius();
        let most = self.settings.max_step.max(contact.clearance);
        let factor = if reach > most { most / reach } else { 1.0 };
        [shift * factor, turn * factor]
    }

    /// Returns the wrench on the device, in the frame of the solid, and whether the coupling is saturated.
    fn wrench(&mut self, device: &Placement, motion: [Vec3; 2], moved: [Vec3; 2]) -> ([Vec3; 2], bool) {
        let HapticSettings { period, max_force, max_torque, .. } = self.settings;
        let [linear, angular] = self.coupling();
        let offset = self.tool.offset_from(device);
        let relative = [motion[0] - moved[0], motion[1] - moved[1]];
        let free = [
            offset[0] * linear[0] + relative[0] * (linear[1] / period),
            offset[1] * angular[0] + relative[1] * (angular[1] / period),
        ];
        let is_saturated = free[0].length() > max_force || free[1].length() > max_torque;
        let limited = [limit(free[0], max_force), limit(free[1], max_torque)];
        let [force, torque] = self.passivity.damp(limited, moved, self.shell.radius());
        let wrench = [limit(force, max_force), limit(torque, max_torque)];
        self.passivity.hold(wrench);
        (wrench, is_saturated)
    }

    /// Returns the result of a step in the world frame.
    fn placed_output(&self, contact: ShellContact, (wrench, is_saturated): ([Vec3; 2], bool)) -> HapticOutput {
        let to_world = *self.pose_field.rotation();
        let contact = ShellContact {
            force: to_world * contact.force,
            torque: to_world * contact.torque,
            deepest: contact.deepest.map(|point| self.pose_field.place(point)),
            ..contact
        };
        let [force, torque] = wrench.map(|vector| to_world * vector);
        HapticOutput { force, torque, tool: self.tool(), contact, is_saturated }
    }
}

impl Placement {
    /// Returns a pose in the frame of another.
    fn relative(frame: &Pose, pose: &Pose) -> Self {
        let to_frame = frame.rotation().transpose();
        Self {
            rotation: Quat::from_mat3(&(to_frame * *pose.rotation())).normalize(),
            translation: to_frame * (pose.translation() - frame.translation()),
        }
    }

    /// Returns the placement as a pose in the world, for the pose of its frame.
    fn in_world(self, frame: &Pose) -> Pose {
        let local = Pose::from_quaternion(self.rotation.to_array(), self.translation);
        // The quaternion is normalized and the translation is finite.
        frame.compose(&local.unwrap_or_default())
    }

    /// Returns the translation and the rotation vector that lead from `start` to this placement.
    fn offset_from(&self, start: &Self) -> [Vec3; 2] {
        [self.translation - start.translation, rotation_vector(self.rotation * start.rotation.conjugate())]
    }

    fn moved_by(&self, [shift, turn]: [Vec3; 2]) -> Self {
        let moved =
            Self { rotation: (rotation_by(turn) * self.rotation).normalize(), translation: self.translation + shift };
        if moved.rotation.is_finite() && moved.translation.is_finite() { moved } else { *self }
    }
}

/// Returns the axis of a rotation with its angle as length, at most π.
fn rotation_vector(rotation: Quat) -> Vec3 {
    let signed = if rotation.w < 0.0 { -rotation } else { rotation };
    let axis = Vec3::new(signed.x, signed.y, signed.z);
    let sine = axis.length();
    // Below this sine the angle is twice the sine up to rounding.
    if sine < 1e-9 { axis * 2.0 } else { axis * (2.0 * libm::atan2(sine, signed.w) / sine) }
}

/// Returns the rotation by |`vector`| radians around `vector`.
fn rotation_by(vector: Vec3) -> Quat {
    let angle = vector.length();
    let factor = if angle < 1e-9 { 0.5 } else { libm::sin(0.5 * angle) / angle };
    let axis = vector * factor;
    Quat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(0.5 * angle))
}

/// Shortens a vector to a length.
fn limit(vector: Vec3, most: f64) -> Vec3 {
    let length = vector.length();
    if length > most { vector * (most / length) } else { vector }
}
