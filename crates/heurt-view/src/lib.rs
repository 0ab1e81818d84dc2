//! Views of bodies: surfaces of any shape, pictures, frames for the live page, meshes for reports.
//!
//! In: shapes, a world after a step. Out: [`Surface`]s (triangles and feature edges), images ([`picture`]), bytes of
//! the page's protocol ([`wire`]).
//! Guarantees: the same input gives the same bytes. Not guaranteed: coordinates are rounded to `f32` for display, and
//! curved faces are inscribed polyhedra. No decision depends on them.

mod crowd;
pub mod palette;
pub mod picture;
mod surface;
pub mod wire;

pub use crowd::{
    AgentPart, AgentView, CrowdLayer, CrowdView, PartBodies, PartForm, ROAD_COLOUR, Scenery, SpaceView, SpeedScale,
    SurfaceView, speed_colour,
};
pub use surface::{Surface, SurfaceOptions, surface_of};
