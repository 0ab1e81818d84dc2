//! `inside`: where a point lies with respect to a closed mesh, exactly; and by solid angles, for comparison.

mod contains;
mod fast_winding;
mod mesh;
mod solid_angle;

pub use contains::contains;
pub use fast_winding::{WindingEstimate, generalised_winding};
pub use mesh::{Location, winding_number};
pub(crate) use mesh::{locate, winding_of_shadow};
pub use solid_angle::solid_angle_winding;
