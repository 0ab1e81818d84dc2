//! What does guessing find? Contacts of two solids by pairs of triangles drawn at random, by pairs that walk downhill, and all of them.
//!
//! `cargo run --release -p heurt --example sampled_contacts`

use heurt::mesh::DisjointSets;
use heurt::mesh::generate::{bumpy_sphere, supertoroid};
use heurt::prelude::*;
use heurt::query::samples::{Walkers, drawn_pairs};
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::time::Instant;

const STEPS: u32 = 200;

/// The places where two surfaces meet: pairs that share a triangle are of one. The number of each pair's place, and how many there are.
fn places(pairs: &[[u32; 2]]) -> (BTreeMap<[u32; 2], u32>, usize) {
    let mut sets = DisjointSets::new(pairs.len());
    let mut seen: [BTreeMap<u32, u32>; 2] = Default::default();
    for (number, pair) in (0u32..).zip(pairs) {
        for (seen, triangle) in seen.iter_mut().zip(pair) {
            sets.unite(*seen.entry(*triangle).or_insert(number), number);
        }
    }
    let place: BTreeMap<_, _> = (0u32..).zip(pairs).map(|(number, pair)| (*pair, sets.find(number))).collect();
    let mut roots: Vec<u32> = place.values().copied().collect();
    roots.sort_unstable();
    roots.dedup();
    (place, roots.len())
}

#[derive(Default)]
struct Score {
    seconds: f64,
    noticed: usize,
    found: usize,
}

impl Score {
    /// Counts what `guess` finds of the places.
    fn count(&mut self, place: &BTreeMap<[u32; 2], u32>, guess: impl FnOnce() -> Vec<[u32; 2]>) {
        let started = Instant::now();
        let pairs = guess();
        self.seconds += started.elapsed().as_secs_f64();
        let mut found: Vec<u32> = pairs.iter().filter_map(|pair| place.get(pair).copied()).collect();
        found.sort_unstable();
        found.dedup();
        self.noticed += usize::from(!found.is_empty());
        self.found += found.len();
    }

    fn print(&self, name: &str, touching: usize, places: usize) {
        println!(
            "{name:32} {:9.1} µs  {:6.1}%  {:6.1}%",
            1e6 * self.seconds / f64::from(STEPS),
            100.0 * self.noticed as f64 / touching as f64,
            100.0 * self.found as f64 / places as f64
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ring = MeshShape::new(supertoroid(1.0, 0.35, 1.0, 1.0, 72)?)?;
    let ball = MeshShape::new(bumpy_sphere(0.75, 0.25, 6.0, 72)?)?;
    println!("{} against {} triangles, {STEPS} steps", ring.mesh().triangles().len(), ball.mesh().triangles().len());
    let mut walkers = [20, 100, 400].map(|count| (count, Walkers::new(&ring, &ball, count, 1)));
    let draws = [1_000, 10_000, 100_000];
    let (mut all, mut drawn, mut walked): (Score, [Score; 3], [Score; 3]) = Default::default();
    let (mut touching, mut in_all) = (0, 0);
    for step in 0..STEPS {
        let turn = TAU * f64::from(step) / f64::from(STEPS);
        let offset = Vec3::new(0.25 * turn.cos(), 0.25 * turn.sin(), 0.9 * (2.0 * turn).sin());
        let pose = Pose::from_quaternion(Quat::from_rotation_y(turn).to_array(), offset)?;
        let (a, b) = ((&ring, &Pose::IDENTITY), (&ball, &pose));
        let (place, count) = places(&pairs(a.0, a.1, b.0, b.1));
        touching += usize::from(count > 0);
        in_all += count;
        all.count(&place, || pairs(a.0, a.1, b.0, b.1));
        for (score, count) in drawn.iter_mut().zip(draws) {
            score.count(&place, || drawn_pairs(a, b, count, u64::from(step)));
        }
        for (score, (_, walkers)) in walked.iter_mut().zip(&mut walkers) {
            score.count(&place, || walkers.step(a, b, 20));
        }
    }
    println!("{touching} of them touch, at {in_all} places in all\n");
    println!("{:32} {:>12}  {:>7}  {:>7}", "", "a step", "noticed", "places");
    all.print("all pairs, exactly", touching, in_all);
    for (score, count) in drawn.iter().zip(draws) {
        score.print(&format!("{count} pairs drawn"), touching, in_all);
    }
    for (score, (count, _)) in walked.iter().zip(&walkers) {
        score.print(&format!("{count} pairs that walk"), touching, in_all);
    }
    Ok(())
}
