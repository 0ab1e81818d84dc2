#!/usr/bin/env bash
# spade 2.15.1: bulk loading the corners of a long strip takes time that grows with the square of their number, while
# inserting the same points one by one, sorted along the strip, does not.
# Guess before the run: bulk loading is the faster one. Its documentation has it near linear in practice, and warns of
# points on one line, which a strip of 5 m is not; inserting sorted points one after another is the bad case of textbooks.
# Seen: nearly four times the time for twice the points, and fifty times the time of single insertions. The sweep goes
# round the middle of the points; seen from there, all corners of a strip lie in two directions.
# For heurt's users: floors a thousand times as long as wide are inserted from end to end (heurt-map, `dim2/outline.rs`).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
cat >"$folder/Cargo.toml" <<'TOML'
[package]
name = "strips"
version = "0.1.0"
edition = "2021"

[dependencies]
spade = "=2.15.1"
TOML
cat >"$folder/src/main.rs" <<'RUST'
use spade::{DelaunayTriangulation, Point2, Triangulation};
use std::time::Instant;

/// Both long sides of a strip of 5 m, a corner each 40 m.
fn strip(count: u32) -> Vec<Point2<f64>> {
    (0..count).flat_map(|k| [0.0, 5.0].map(|y| Point2::new(40.0 * f64::from(k), y))).collect()
}

fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begun = Instant::now();
    let done = work();
    (begun.elapsed().as_secs_f64(), done)
}

fn main() {
    let mut bulk_times = Vec::new();
    for count in [3_000, 6_000, 12_000] {
        let points = strip(count);
        let (bulk, loaded) = seconds(|| DelaunayTriangulation::<Point2<f64>>::bulk_load(points.clone()).unwrap());
        let (single, inserted) = seconds(|| {
            let mut plane = DelaunayTriangulation::<Point2<f64>>::new();
            points.iter().for_each(|&point| _ = plane.insert(point).unwrap());
            plane
        });
        assert_eq!(loaded.num_inner_faces(), inserted.num_inner_faces());
        println!("{} points: bulk {bulk:.3} s, one by one {single:.3} s", points.len());
        assert!(count < 12_000 || bulk > 5.0 * single, "bulk loading of strips is no slower any more");
        bulk_times.push(bulk);
    }
    let growth = bulk_times[2] / bulk_times[0];
    println!("four times the points take {growth:.1} times as long in bulk");
    assert!(growth > 8.0, "bulk loading of strips is no longer quadratic");
    println!("spade 2.15.1 loads a long strip in bulk in quadratic time; sorted single insertions are faster.");
}
RUST
CARGO_TARGET_DIR=$folder/target cargo run --release --quiet --manifest-path "$folder/Cargo.toml"
