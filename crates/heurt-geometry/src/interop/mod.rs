//! Conversions of poses from and to the types of other crates.
//!
//! In: transforms of `glam`; of `nalgebra`, `mint` and `serde` behind features of these names. Out:
//! [`Pose`](crate::Pose), checked by its constructors, and back. Vectors, quaternions and matrices are types of `glam`
//! ([`Vec3`](crate::Vec3), [`Quat`](crate::Quat), [`Mat3`](crate::Mat3)). The features `mint` and `serde` switch on its
//! own conversions; vectors of `nalgebra` pass through arrays: `Vec3::from_array(v.into())` and `v.to_array().into()`.

mod affine;
#[cfg(feature = "mint")]
mod mint;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "serde")]
mod serde;
