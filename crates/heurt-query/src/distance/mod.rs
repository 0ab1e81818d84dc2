//! `distance`: how far two placed shapes are from each other, with the points where they are nearest.

mod mesh_mesh;

pub use mesh_mesh::{
    Distance, distance, distance_counted, distance_with_trees, distance_within, distance_within_counted,
};
