//! Tests of heurt-io, a topic a module.

mod archive;
mod dae;
mod damaged;
mod draco;
mod drawings;
mod edges;
mod formats;
mod gltf;
mod gltf_assembly;
mod gltf_deform;
mod hybrid;
mod hybrid_text;
mod lenient;
#[cfg(feature = "meshopt")]
mod meshopt;
mod obj;
mod off;
#[cfg(feature = "plan")]
mod plan_levels;
#[cfg(feature = "plan")]
mod plan_mesh;
#[cfg(feature = "plan")]
mod plan_osm;
#[cfg(feature = "plan")]
mod plan_scenario;
#[cfg(feature = "plan")]
mod plan_svg;
#[cfg(feature = "plan")]
mod plan_wkt;
mod ply;
mod points;
mod stl;
mod threemf;
mod threemf_archive;
mod threemf_write;
#[cfg(feature = "trajectory")]
mod trajectory;
#[cfg(feature = "trajectory")]
mod trajectory_damaged;
#[cfg(feature = "sqlite")]
mod trajectory_sqlite;
#[cfg(feature = "trajectory")]
mod trajectory_text;
mod volume;
mod volume_binary;
mod volume_curved;
mod volume_surface;
mod volume_write;
