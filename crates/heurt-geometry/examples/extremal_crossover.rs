//! Measures from how many corners on a search in the polar dual beats a look at all corners.
//!
//! Run with `--release`; prints nanoseconds for a direction, both ways.

use heurt_geometry::{ConvexPolygon, HullError, Vec2};
use std::hint::black_box;
use std::time::Instant;

fn scan(corners: &[Vec2], direction: Vec2) -> usize {
    let (mut best, mut farthest) = (0, f64::NEG_INFINITY);
    for (number, corner) in corners.iter().enumerate() {
        let along = corner.dot(direction);
        if along > farthest {
            (best, farthest) = (number, along);
        }
    }
    best
}

/// The least of some rounds, in nanoseconds for a direction.
fn nanoseconds(directions: &[Vec2], search: impl Fn(Vec2) -> usize) -> f64 {
    let round = || {
        let start = Instant::now();
        let sum: usize = directions.iter().map(|direction| search(black_box(*direction))).sum();
        black_box(sum);
        start.elapsed().as_secs_f64() * 1e9 / directions.len() as f64
    };
    (0..20).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), HullError> {
    // A step of the golden angle visits the circle without order.
    let directions: Vec<Vec2> = (0..20_000).map(|k| Vec2::from_angle(2.399_963 * f64::from(k))).collect();
    println!("{:>8} {:>8} {:>8}", "corners", "tree", "all");
    for count in [3u32, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 1024] {
        let angle = |k: u32| f64::from(k) / f64::from(count) * std::f64::consts::TAU;
        let points: Vec<Vec2> = (0..count).map(|k| Vec2::from_angle(angle(k))).collect();
        let polygon = ConvexPolygon::new(&points)?;
        let tree = nanoseconds(&directions, |direction| polygon.extremal(direction));
        let all = nanoseconds(&directions, |direction| scan(polygon.corners(), direction));
        println!("{count:>8} {tree:>8.1} {all:>8.1}");
    }
    Ok(())
}
