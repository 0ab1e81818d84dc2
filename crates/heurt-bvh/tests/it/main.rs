//! Tests of heurt-bvh, a topic a module.

mod cost;
mod draw;
mod exact;
mod exactly;
mod large_deformations;
mod pairs;
mod refit_attack;
mod refit_near;
mod sheets;
mod soup;
mod trees;
mod volumes;
mod walk_in_time;
