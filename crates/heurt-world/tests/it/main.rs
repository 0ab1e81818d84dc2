//! Tests of heurt-world, a topic a module.

mod approach;
mod auto_response;
mod balance;
mod crowding;
mod deep_heaps;
mod deform;
mod draw;
mod exact_response;
mod first_impact;
mod heap;
mod impacts_without_response;
mod joint_forces;
mod joint_response;
mod mesh_floor;
mod moving_surfaces;
mod reader;
mod rebound;
mod record;
mod shapes_on_meshes;
mod sleep;
mod soft;
mod soft_response;
mod support;
mod tipping;
mod tumbling_joints;
mod world;
