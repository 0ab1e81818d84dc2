//! Triangle against triangle, agreed with exact integers on a hundred thousand pairs, random and hard on purpose; points
//! and segments against triangles; degeneracy.
//!
//! Ten million: `HEURT_TRIANGLE_PAIRS=10000000 cargo test --release -p heurt-geometry --test it triangles::`.

use heurt_geometry::{
    FilterOnly, Section, Triangle, TriangleRelation, Vec3, is_degenerate, point_on_segment, point_on_triangle, section,
    segment_intersects_triangle, segments_intersect, triangle_relation, triangles_intersect, triangles_intersect_by,
};
use heurt_testkit::hard::triangles::{Kind, triangle_pair};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle as oracle;
use heurt_testkit::test_size;

fn count() -> u64 {
    test_size("HEURT_TRIANGLE_PAIRS", 100_000)
}

/// Touching without crossing, or a triangle without an inside.
fn is_hard(x: &Triangle, y: &Triangle) -> bool {
    is_degenerate(x) || is_degenerate(y) || triangle_relation(x, y) == TriangleRelation::Touching
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

#[test]
fn points_segments_and_triangles_agree_with_exact_integers() {
    let mut random = Random::new(9);
    let (mut on, mut off) = (0, 0);
    for _ in 0..20_000 {
        let (kind, x, y) = triangle_pair(&mut random);
        let (p, q) = (y[0], y[1]);
        let on_triangle = oracle::triangles_intersect(&x, &[p; 3]);
        assert_eq!(point_on_triangle(p, &x), on_triangle, "{kind:?} {x:?} {p:?}");
        let crosses = oracle::triangles_intersect(&x, &[p, q, q]);
        assert_eq!(segment_intersects_triangle(p, q, &x), crosses, "{kind:?} {x:?} {p:?} {q:?}");
        let meets = oracle::triangles_intersect(&[x[0], x[1], x[1]], &[p, q, q]);
        assert_eq!(segments_intersect(x[0], x[1], p, q), meets, "{kind:?} {x:?} {p:?} {q:?}");
        let on_segment = oracle::triangles_intersect(&[x[0], x[1], x[1]], &[p; 3]);
        assert_eq!(point_on_segment(p, x[0], x[1]), on_segment, "{kind:?} {x:?} {p:?}");
        on += u32::from(on_triangle) + u32::from(meets);
        off += u32::from(!on_triangle && !meets);
    }
    assert!(on > 3000 && off > 3000, "{on} on, {off} off");
}

#[test]
fn degenerate_triangles_are_told_exactly() {
    assert!(is_degenerate(&[Vec3::new(1.0, 1.0, 1.0); 3]));
    assert!(is_degenerate(&[Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 3.0), Vec3::new(3.0, 6.0, 9.0)]));
    let nearly = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(1.0, 2.0, 3.0), Vec3::new(3.0, 6.0, 9.0f64.next_up())];
    assert!(!is_degenerate(&nearly));
    let tiny = |k: u64| f64::from_bits(k);
    assert!(!is_degenerate(&[Vec3::ZERO, Vec3::new(tiny(1), 0.0, 0.0), Vec3::new(0.0, tiny(1), 0.0)]));
    assert!(is_degenerate(&[Vec3::ZERO, Vec3::new(tiny(1), tiny(1), 0.0), Vec3::new(tiny(3), tiny(3), 0.0)]));
}
