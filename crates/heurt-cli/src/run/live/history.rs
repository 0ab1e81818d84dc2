//! History of the frames of a run, within a limit of memory.
//!
//! Method: one frame each `stride` steps. When the frames exceed the limit, every second one is dropped and the stride
//! doubles: the whole run stays within reach, in coarser steps.

/// Bytes of all frames: 1,700 steps of 10,000 bodies.
const MAX_BYTES: usize = 512 << 20;

/// Frames of earlier steps.
#[derive(Debug)]
pub(super) struct History {
    /// Step, time and bytes, by step.
    frames: Vec<(u64, f64, Vec<u8>)>,
    bytes: usize,
    stride: u64,
}

impl Default for History {
    fn default() -> Self {
        Self { frames: Vec::new(), bytes: 0, stride: 1 }
    }
}

impl History {
    /// Adds the frame of a step, if the stride keeps this step.
    pub(super) fn push(&mut self, step: u64, time: f64, frame: Vec<u8>) {
        if !step.is_multiple_of(self.stride) {
            return;
        }
        self.bytes += frame.len();
        self.frames.push((step, time, frame));
        while self.bytes > MAX_BYTES && self.frames.len() > 1 {
            self.stride *= 2;
            self.frames.retain(|(step, ..)| step.is_multiple_of(self.stride));
            self.bytes = self.frames.iter().map(|(.., frame)| frame.len()).sum();
        }
    }

    /// Returns the last kept frame up to a step.
    pub(super) fn at(&self, step: u64) -> Option<(u64, f64, &[u8])> {
        let after = self.frames.partition_point(|(kept, ..)| *kept <= step);
        let (step, time, frame) = self.frames.get(after.checked_sub(1)?)?;
        Some((*step, *time, frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_last_frame_up_to_a_step() {
        let mut history = History::default();
        (0..10).for_each(|step| history.push(step, step as f64, vec![step as u8]));
        assert_eq!(history.at(4), Some((4, 4.0, &[4u8][..])));
        assert_eq!(history.at(99).map(|(step, ..)| step), Some(9));
    }

    #[test]
    fn a_long_run_is_kept_in_coarser_steps() {
        let mut history = History::default();
        (0..1000).for_each(|step| history.push(step, 0.0, vec![0; 1 << 20]));
        assert!(history.bytes <= MAX_BYTES);
        let (step, ..) = history.at(999).expect("a frame");
        assert!(step > 990, "{step}");
        assert_eq!(history.at(0).map(|(step, ..)| step), Some(0));
    }
}
