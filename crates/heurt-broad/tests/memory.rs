//! Bytes an object takes on the heap, as the allocator counts them. The only test of its process: nobody else allocates meanwhile.

use heurt_broad::moving_boxes::{Motion, MovingBoxes};
use heurt_broad::{BroadPhaseKind, Filter};
use peak_alloc::PeakAlloc;

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

/// Bytes an object, after so many steps in which all move, counted and as `stats` tells.
fn bytes_each(kind: BroadPhaseKind, count: usize, speed: f64, steps: usize) -> [usize; 2] {
    let mut scene = MovingBoxes::new(Motion { speed, ..Motion::default() }, count, 7);
    let before = COUNTED.current_usage();
    let mut phase = kind.create();
    for (id, bounds) in (0..).zip(scene.boxes()) {
        phase.insert(id, bounds, Filter::MOVING).unwrap();
    }
    let mut told = 0;
    for _ in 0..steps {
        phase.step();
        let scene_before = COUNTED.current_usage();
        scene.advance();
        told += COUNTED.current_usage() - scene_before;
        phase.update(scene.moves()).unwrap();
    }
    phase.step();
    [COUNTED.current_usage() - before - told, phase.stats().bytes].map(|bytes| bytes / count)
}

#[test]
fn an_object_takes_less_than_512_bytes() {
    let kinds = [
        BroadPhaseKind::SweepAndPrune,
        BroadPhaseKind::SweepAndPruneCubes,
        BroadPhaseKind::Tree,
        BroadPhaseKind::Grid,
        BroadPhaseKind::Hash,
    ];
    for kind in kinds {
        for (count, speed, steps) in [
            (1_000, 0.01, 200),
            (1_000, 0.1, 200),
            (1_000, 0.5, 60),
            (10_000, 0.01, 100),
            (10_000, 0.1, 60),
            (30_000, 0.01, 40),
        ] {
            let [counted, told] = bytes_each(kind, count, speed, steps);
            println!("{kind}: {count} boxes at a speed of {speed}: {counted} bytes each, {told} told");
            assert!(counted < 512, "{kind}: {counted} bytes each of {count} at a speed of {speed}");
            assert!(counted.abs_diff(told) <= 8, "{kind}: {counted} bytes each, {told} told");
        }
    }
}
