//! The scenes: worlds of moving boxes, the same for all contestants.

use heurt_broad::bench_world::{Motion, MovingBoxes};

/// A scene by its name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kind {
    pub name: &'static str,
    motion: Motion,
}

/// All kinds of scenes.
pub const KINDS: [Kind; 4] = [
    Kind { name: "coherent", motion: Motion { speed: 0.01, moving: 1.0, spread: 1.25 } },
    Kind { name: "fast", motion: Motion { speed: 0.3, moving: 1.0, spread: 1.25 } },
    Kind { name: "resting", motion: Motion { speed: 0.01, moving: 0.01, spread: 1.25 } },
    Kind { name: "sizes", motion: Motion { speed: 0.01, moving: 1.0, spread: 30.0 } },
];

impl Kind {
    /// Places its boxes.
    pub fn scene(&self, count: usize, seed: u64) -> MovingBoxes {
        MovingBoxes::new(self.motion, count, seed)
    }
}
