//! Trees over the triangles of a mesh, the choice of their kind, and convex pieces.

pub(crate) mod mesh_tree;
pub(crate) mod pieces;
pub(crate) mod tree_choice;
pub(crate) mod winding_tree;
