//! Bytes an object takes on the heap, as the allocator counts them. The only test of its process: nobody else allocates meanwhile.

use heurt_broad::bench_world::{Motion, MovingBoxes};
use heurt_broad::{BroadPhaseKind, Filter, Move};
use heurt_geometry::Aabb;
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
    let mut own_bytes = 0;
    for _ in 0..steps {
        phase.step();
        let scene_before = COUNTED.current_usage();
        scene.advance();
        own_bytes += COUNTED.current_usage() - scene_before;
        phase.update(scene.moves()).unwrap();
    }
    phase.step();
    [COUNTED.current_usage() - before - own_bytes, phase.stats().bytes].map(|bytes| bytes / count)
}

/// Bytes an object of the tree, counted and as `stats` tells, after steps in a heap: each shifts a little where it lies, and
/// meets about twelve others.
fn heap_bytes(count: u32) -> ([usize; 2], f64) {
    let mut moved = MovingBoxes::new(Motion { speed: 0.02, ..Motion::default() }, count as usize, 9);
    // Twice as large about the same middles.
    let grown = |bounds: &Aabb| {
        let half = bounds.half_extents();
        Aabb { min: bounds.min - half, max: bounds.max + half }
    };
    let before = COUNTED.current_usage();
    let mut phase = BroadPhaseKind::Tree.create();
    for (id, bounds) in (0..).zip(moved.boxes()) {
        phase.insert(id, &grown(bounds), Filter::MOVING).unwrap();
    }
    let mut own_bytes = 0;
    for _ in 0..40 {
        phase.step();
        let scene_before = COUNTED.current_usage();
        moved.advance();
        let moves: Vec<Move> = moved.moves().iter().map(|one| Move { bounds: grown(&one.bounds), ..*one }).collect();
        own_bytes += COUNTED.current_usage() - scene_before - moves.capacity() * size_of::<Move>();
        phase.update(&moves).unwrap();
    }
    phase.step();
    let stats = phase.stats();
    let bytes = [COUNTED.current_usage() - before - own_bytes, stats.bytes].map(|bytes| bytes / count as usize);
    (bytes, 2.0 * stats.pairs as f64 / f64::from(count))
}

#[test]
fn an_object_takes_less_than_512_bytes() {
    let ([counted, reported], met) = heap_bytes(10_000);
    println!("tree: 10000 boxes in a heap, each meets {met}: {counted} bytes each, {reported} reported");
    assert!(
        met > 10.0 && counted < 512 && counted.abs_diff(reported) <= 8,
        "{counted} bytes each, {reported} reported, {met} met"
    );
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
            let [counted, own_bytes] = bytes_each(kind, count, speed, steps);
            println!("{kind}: {count} boxes at a speed of {speed}: {counted} bytes each, {own_bytes} reported");
            assert!(counted < 512, "{kind}: {counted} bytes each of {count} at a speed of {speed}");
            assert!(counted.abs_diff(own_bytes) <= 8, "{kind}: {counted} bytes each, {own_bytes} reported");
        }
    }
}
