//! Binary protocol of the live page and of reports: meshes and frames, little-endian (`viewer/PROTOCOL.md`).
//!
//! In: surfaces, the state of a world. Out: bytes.
//! Guarantees: the same state gives the same bytes. Numbers beyond the range of `f32` become infinite, and the page
//! leaves such items out.

mod drawn_items;
mod frame;
mod mesh;
mod state;

pub use drawn_items::DrawnItems;
pub use frame::{FRAME_ENDED, FRAME_OF_HISTORY, FRAME_PLAYING, FrameHeader, FrameWriter, set_frame_header};
pub use mesh::{mesh_bytes, report_mesh};
pub use state::{
    AgentPlace, BodyState, write_agents, write_bodies, write_contacts, write_energy, write_faces, write_poses,
    write_soft_bodies, write_stages, write_vertices,
};

use heurt_geometry::Vec3;

/// Appends coordinates as `f32`.
fn put_point(bytes: &mut Vec<u8>, point: Vec3) {
    for coordinate in point.to_array() {
        bytes.extend((coordinate as f32).to_le_bytes());
    }
}

fn put_u32(bytes: &mut Vec<u8>, value: u32) {
    bytes.extend(value.to_le_bytes());
}

fn put_f32(bytes: &mut Vec<u8>, value: f64) {
    bytes.extend((value as f32).to_le_bytes());
}

/// Fills up to a multiple of 4 bytes.
fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}
