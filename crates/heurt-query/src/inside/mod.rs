//! `inside`: where a point lies with respect to a closed mesh, exactly; and by solid angles, for comparison.

mod contains;
mod mesh;
mod solid_angle;

pub use contains::contains;
pub(crate) use mesh::locate;
pub use mesh::{Location, winding_number};
pub use solid_angle::solid_angle_winding;
