//! Solids: platonic, round and superquadric, and their subdivision.

pub(crate) mod octasphere;
pub(crate) mod platonic;
pub(crate) mod round;
pub(crate) mod subdivide;
pub(crate) mod superellipsoid;
pub(crate) mod supertoroid;
pub(crate) mod torus_knot;
