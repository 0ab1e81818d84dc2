//! Tests of heurt-broad, a topic a module.

mod broad_phase;
mod draw;
mod odd_even_grid;
mod proximity;
mod tet_hash;
mod voxel_grid;
