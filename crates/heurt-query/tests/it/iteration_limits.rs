//! How often searches end by their iteration limits, which builds with debug assertions count.
#![cfg(debug_assertions)]

use heurt_geometry::{Motion, Pose, Vec3};
use heurt_query::algorithm::{GjkDirections, depth_by_epa, distance_by_closest_features, distance_by_gjk};
use heurt_query::iteration_limits::{LimitedSearch, limits_reached};
use heurt_query::{CastOptions, PairCache, cast, contact, distance, overlap};
use heurt_shape::Convex;
use heurt_testkit::hard::convex_pairs::convex_pair;
use heurt_testkit::number::random::Random;
use heurt_testkit::test_size;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const HERE: Pose = Pose::IDENTITY;
/// Pairs drawn from one seed: the same pairs as `hard_pairs` in `tests/it/convex.rs`.
const BATCH: u64 = 1000;

/// The queries: operations, single algorithms, and casts.
const QUERIES: [&str; 9] = [
    "overlap",
    "distance",
    "contact",
    "distance and contact kept",
    "gjk",
    "gjk with momentum",
    "gjk with secants",
    "epa and closest features",
    "cast",
];
const KINDS: usize = LimitedSearch::CurvedTurns as usize + 1;
type Counts = [[u64; KINDS]; QUERIES.len()];

/// Runs all searches for hulls.
fn run_queries(a: &Convex, b: &Convex, random: &mut Random, counts: &mut Counts) {
    let size = a.bounds().half_extents().max_element() + b.bounds().half_extents().max_element();
    let mut before = limits_reached();
    let mut result = |query: usize| {
        let now = limits_reached();
        (0..KINDS).for_each(|kind| counts[query][kind] += now[kind] - before[kind]);
        before = now;
    };
    overlap(a, &HERE, b, &HERE);
    result(0);
    let found = distance(a, &HERE, b, &HERE);
    result(1);
    contact(a, &HERE, b, &HERE, f64::INFINITY);
    result(2);
    let mut cache = PairCache::default();
    for _ in 0..3 {
        let nearby = Pose::from_translation(random.vector(1e-3 * size)).unwrap();
        cache.distance(a, &HERE, b, &nearby);
        cache.contact_manifold(a, &HERE, b, &nearby, 0.0);
    }
    result(3);
    distance_by_gjk(a, &HERE, b, &HERE, GjkDirections::Plain);
    result(4);
    distance_by_gjk(a, &HERE, b, &HERE, GjkDirections::Nesterov);
    result(5);
    distance_by_gjk(a, &HERE, b, &HERE, GjkDirections::Secants);
    result(6);
    depth_by_epa(a, &HERE, b, &HERE);
    distance_by_closest_features(a, &HERE, b, &HERE);
    result(7);
    let offset = random.vector(1.0).normalize_or(Vec3::X) * (2.0 * size + found.distance);
    if let (Ok(from), Ok(back)) = (Pose::from_translation(offset), Motion::linear(offset * -1.5)) {
        let _ = cast(a, &HERE, &Motion::STILL, b, &from, &back, &CastOptions::default());
    }
    result(8);
}

fn reached_by_hard_pairs(batches: u64) -> Counts {
    let (next, all) = (AtomicU64::new(0), Mutex::new([[0; KINDS]; QUERIES.len()]));
    let work = || {
        let mut counts = [[0; KINDS]; QUERIES.len()];
        while let Some(batch) = Some(next.fetch_add(1, Relaxed)).filter(|batch| *batch < batches) {
            let (mut random, mut others) = (Random::new(batch), Random::new(batch + 100));
            for _ in 0..BATCH {
                let (_, a, b) = convex_pair(&mut random);
                run_queries(&Convex::hull(&a).unwrap(), &Convex::hull(&b).unwrap(), &mut others, &mut counts);
            }
        }
        let mut all = all.lock().unwrap();
        all.iter_mut().flatten().zip(counts.iter().flatten()).for_each(|(sum, count)| *sum += count);
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    all.into_inner().unwrap()
}

/// One pair in two thousand reaches GJK's bound. One in a hundred, mostly needles, reaches the bounds of EPA. One
/// cast in fifteen, mostly of points and segments, reaches the bound of portals. Queries then prove their answers
/// by other means, as `hard_pairs` in `tests/it/convex.rs` requires.
#[test]
fn searches_for_hard_pairs_seldom_end_by_their_bounds() {
    let batches = test_size("HEURT_CONVEX_PAIRS", 30_000).div_ceil(BATCH);
    let all = reached_by_hard_pairs(batches);
    for (query, counts) in QUERIES.iter().zip(&all) {
        println!("{query}: {counts:?}");
    }
    let most =
        |which: LimitedSearch, query: std::ops::Range<usize>| all[query].iter().map(|one| one[which as usize]).max();
    let pairs = BATCH * batches;
    assert!(most(LimitedSearch::Gjk, 0..4) < Some(pairs / 1000), "{all:?}");
    assert!(
        most(LimitedSearch::EpaCorners, 0..4) < Some(pairs / 200)
            && most(LimitedSearch::EpaFacets, 0..4) < Some(pairs / 50)
    );
    assert!(most(LimitedSearch::Portal, 0..9) < Some(pairs / 10), "{all:?}");
    assert_eq!(most(LimitedSearch::GjkCast, 0..9), Some(0));
    assert_eq!(most(LimitedSearch::ClosestFeatures, 0..9), Some(0));
}
