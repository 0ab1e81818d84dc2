//! Triangle against triangle, agreed with exact integers on a hundred thousand pairs, random and hard on purpose.
//!
//! Ten million: `HEURT_TRIANGLE_PAIRS=10000000 cargo test --release -p heurt-geometry --test triangles`.

use heurt_geometry::{
    FilterOnly, Meeting, Section, Triangle, is_degenerate, meeting, section, triangles_intersect,
    triangles_intersect_by,
};
use heurt_testkit::generate::{Kind, triangle_pair};
use heurt_testkit::{oracle, random::Random};

fn count() -> u64 {
    std::env::var("HEURT_TRIANGLE_PAIRS").map_or(100_000, |n| n.parse().expect("HEURT_TRIANGLE_PAIRS is a number"))
}

/// Touching without crossing, or a triangle without an inside.
fn is_hard(x: &Triangle, y: &Triangle) -> bool {
    is_degenerate(x) || is_degenerate(y) || meeting(x, y) == Meeting::Touching
}

struct Tally {
    pairs: u64,
    meet: u64,
    hard: u64,
    filter_wrong: u64,
}

fn judge(seed: u64, pairs: u64) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally { pairs, meet: 0, hard: 0, filter_wrong: 0 };
    for _ in 0..pairs {
        let (kind, x, y) = triangle_pair(&mut random);
        let truth = oracle::triangles_intersect(&x, &y);
        assert_eq!(triangles_intersect(&x, &y), truth, "{kind:?}\n{x:?}\n{y:?}");
        assert_eq!(triangles_intersect(&y, &x), truth, "swapped, {kind:?}\n{x:?}\n{y:?}");
        let turned = ([x[2], x[0], x[1]], [y[1], y[0], y[2]]);
        assert_eq!(triangles_intersect(&turned.0, &turned.1), truth, "turned, {kind:?}\n{x:?}\n{y:?}");
        assert_eq!(section(&x, &y) != Section::None, truth, "section, {kind:?}\n{x:?}\n{y:?}");
        tally.meet += u64::from(truth);
        tally.hard += u64::from(is_hard(&x, &y));
        tally.filter_wrong += u64::from(triangles_intersect_by::<FilterOnly>(&x, &y) != truth);
    }
    tally
}

#[test]
fn agrees_with_exact_integers_and_the_filter_alone_does_not() {
    let (pairs, threads) = (count(), 2);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|seed| scope.spawn(move || judge(seed + 1, pairs / threads))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker found a disagreement")).collect()
    });
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    let (pairs, meet, hard) = (sum(|t| t.pairs), sum(|t| t.meet), sum(|t| t.hard));
    println!(
        "{pairs} pairs: {meet} meet, {hard} touch or are degenerate, the filter alone is wrong on {}",
        sum(|t| t.filter_wrong)
    );
    assert!(hard * 10 >= pairs * 3, "only {hard} of {pairs} are hard");
    assert!(meet * 10 >= pairs * 2 && meet * 10 <= pairs * 8, "{meet} of {pairs} meet: the mix is lopsided");
    assert!(sum(|t| t.filter_wrong) > 0, "the suite must fail without the exact stages");
}

#[test]
fn every_kind_of_pair_is_drawn() {
    let mut random = Random::new(5);
    let kinds: Vec<Kind> = (0..1000).map(|_| triangle_pair(&mut random).0).collect();
    for kind in
        [Kind::Random, Kind::Grid, Kind::Coplanar, Kind::SharedVertex, Kind::SharedEdge, Kind::Touching, Kind::Sliver]
    {
        assert!(kinds.contains(&kind));
    }
}
