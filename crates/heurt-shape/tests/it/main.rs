//! Tests of heurt-shape, a topic a module.

mod deform;
mod draw;
mod grown;
mod mass;
#[cfg(feature = "serde")]
mod serialized;
mod superquadric;
