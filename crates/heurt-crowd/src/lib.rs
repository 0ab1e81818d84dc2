//! Crowds.

mod ground;
mod navigation;

pub use ground::{Ground, GroundError};
pub use navigation::{Heading, Navigation, Paths};
