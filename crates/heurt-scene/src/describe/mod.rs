//! Descriptions in JSON and TOML: fields, poses, shapes, and the store of what they name.
//!
//! In: values of `serde_json`, from JSON or TOML. Out: checked numbers, poses and shapes; every error gives the field,
//! its value, and what is expected.

pub(crate) mod csg;
pub(crate) mod display;
pub(crate) mod feature;
pub mod fields;
pub(crate) mod json;
pub(crate) mod located;
mod map_files;
pub(crate) mod mesh_with_trees;
pub(crate) mod placed;
pub(crate) mod pose;
pub(crate) mod resolved_shape;
pub(crate) mod shape;
pub(crate) mod shape_cache;
pub(crate) mod shape_store;

pub use display::{matrix_rows, point_row, some_of};
pub use feature::TouchingFeatures;
pub use fields::{FieldError, Fields};
pub use json::parse_json;
pub use located::{Located, LocatedFault};
pub use pose::{reaches_finitely, read_pose};
pub use shape::{read_scale, read_unit};
pub use shape_store::ShapeStore;
