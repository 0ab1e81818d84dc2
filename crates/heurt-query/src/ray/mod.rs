//! `ray`: where a half-line first meets a shape, and everywhere it does.

mod mesh;

pub use mesh::{Ray, RayError, RayHit, ray, ray_all, ray_counted};
