//! `contours`: the curves in which the surfaces of two shapes meet.

mod mesh_mesh;

pub use mesh_mesh::{Polyline, contours};
