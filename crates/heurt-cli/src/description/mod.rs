//! Descriptions of shapes and poses in JSON, as `query`, `run` and `check` read them, and the store of what they name.

pub(crate) mod csg;
pub(crate) mod feature;
pub(crate) mod fields;
pub(crate) mod json;
pub(crate) mod mesh_with_trees;
pub(crate) mod placed;
pub(crate) mod pose;
pub(crate) mod resolved_shape;
pub(crate) mod shape;
pub(crate) mod shape_cache;
pub(crate) mod store;
