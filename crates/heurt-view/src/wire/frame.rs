//! Writer of a frame: a header of 40 bytes and sections with tags.

use super::{pad, put_f32, put_u32};

/// Bytes of the header of a frame.
const HEADER: usize = 40;

/// Flag of a frame: the run is playing.
pub const FRAME_PLAYING: u32 = 1;
/// Flag of a frame: the run took its last step.
pub const FRAME_ENDED: u32 = 2;
/// Flag of a frame: an earlier state, not the newest one.
pub const FRAME_OF_HISTORY: u32 = 4;

/// The header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrameHeader {
    /// A sum of the flags [`FRAME_PLAYING`], [`FRAME_ENDED`] and [`FRAME_OF_HISTORY`].
    pub flags: u32,
    /// The step of this state.
    pub step: u64,
    /// Its time, in seconds.
    pub time: f64,
    /// The newest step that was computed.
    pub newest: u64,
    /// Simulated seconds a second.
    pub rate: f32,
}

/// A frame that is written section by section.
#[derive(Debug)]
pub struct FrameWriter {
    bytes: Vec<u8>,
    sections: u32,
}

impl FrameWriter {
    /// Begins a frame.
    pub fn new(header: &FrameHeader) -> Self {
        let mut bytes = vec![0; HEADER];
        bytes[..4].copy_from_slice(b"HFR1");
        set_frame_header(&mut bytes, header);
        Self { bytes, sections: 0 }
    }

    /// Appends a section of `count` entries, which `fill` writes.
    pub fn section(&mut self, tag: &[u8; 4], count: usize, fill: impl FnOnce(&mut Vec<u8>)) {
        let begin = self.bytes.len();
        self.bytes.extend(tag);
        put_u32(&mut self.bytes, count as u32);
        self.bytes.extend([0; 8]);
        fill(&mut self.bytes);
        pad(&mut self.bytes);
        let length = (self.bytes.len() - begin - 16) as u32;
        self.bytes[begin + 8..begin + 12].copy_from_slice(&length.to_le_bytes());
        self.sections += 1;
    }

    /// Returns the bytes of the frame.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes[36..HEADER].copy_from_slice(&self.sections.to_le_bytes());
        self.bytes
    }
}

/// Replaces the header of a written frame; the number of sections stays. Shorter bytes are left as they are.
pub fn set_frame_header(frame: &mut [u8], header: &FrameHeader) {
    let Some(places) = frame.get_mut(4..36) else { return };
    let mut bytes = Vec::with_capacity(32);
    put_u32(&mut bytes, header.flags);
    bytes.extend(header.step.to_le_bytes());
    bytes.extend(header.time.to_le_bytes());
    bytes.extend(header.newest.to_le_bytes());
    put_f32(&mut bytes, f64::from(header.rate));
    places.copy_from_slice(&bytes);
}
