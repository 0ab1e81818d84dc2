//! Haptic rendering at 1 kHz: contact forces of a point shell against a signed distance field, and a virtual coupling.
//!
//! In: a [`DistanceOctree`](crate::DistanceOctree) of the solid at rest, a [`PointShell`] of the tool, poses of a
//! device.
//! Out: force and torque for the device, and the pose of the tool: [`HapticLoop`].
//! Method: McNeely, Puterbaugh, Troy 1999 ("Six degree-of-freedom haptic rendering using voxel sampling"): points on
//! the tool are tested against the field, each point inside gives a penalty force along its normal, and a spring and a
//! damper connect tool and device. Forces here are pressures on areas (`contact`), so that they depend neither on the
//! number of points nor on cells, and the tool follows its equilibrium instead of Newton's law (`haptic_loop`).
//! Units: metres, seconds, radians, newtons. Frame: the world, unless stated.
//! Guarantees: no allocation in a step. Forces are 0 without contact and continuous in the pose.

mod contact;
mod error;
mod haptic_loop;
mod passivity;
mod point_shell;
mod settings;
mod sphere_tree;
mod surface_samples;
mod symmetric6;

pub use contact::{ShellContact, shell_contact};
pub use error::{HapticError, PointShellError};
pub use haptic_loop::{HapticLoop, HapticOutput};
pub use point_shell::{MAX_SHELL_POINTS, PointShell, ShellPoint};
pub use settings::HapticSettings;
