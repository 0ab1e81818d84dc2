//! `PairCache` between convex shapes: the same yes and no, the same distances within their errors.

use crate::forms::{counted, within};
use crate::kinds;
use heurt_geometry::{Pose, Vec3};
use heurt_query::{PairCache, contact, distance, distance_with, overlap};
use heurt_shape::{Convex, Shape};
use heurt_testkit::number::random::Random;

const HERE: Pose = Pose::IDENTITY;

#[test]
fn a_cache_changes_no_answer() {
    let mut random = Random::new(7);
    let all = kinds::shapes(&mut random);
    let all: Vec<_> = all.iter().filter(|(_, shape)| matches!(shape, Shape::Convex(_))).collect();
    for (name_a, a) in &all {
        for (name_b, b) in &all {
            let mut cache = PairCache::default();
            let (from, to) = (random.between(0.2, 0.6), random.between(1.0, 2.0));
            for step in 0..60 {
                let turn = f64::from(step) * 0.02;
                let at = from + (to - from) * f64::from(step) / 60.0;
                let q = Pose::from_quaternion([0.0, turn.sin(), 0.0, turn.cos()], Vec3::new(at, 0.1, 0.2)).unwrap();
                let (plain, cached) = (distance(a, &HERE, b, &q), cache.distance(a, &HERE, b, &q));
                let off = (plain.distance - cached.distance).abs();
                assert!(off <= plain.error + cached.error, "{name_a}, {name_b}: {plain:?} {cached:?}");
                assert_eq!(cache.overlaps(a, &HERE, b, &q), overlap(a, &HERE, b, &q).is_some(), "{name_a}, {name_b}");
            }
        }
    }
}

/// Placed exactly into touching, roundings decide, and must decide the same whatever is remembered.
#[test]
fn a_cache_changes_no_yes_or_no_of_shapes_with_margins() {
    let mut random = Random::new(17);
    let (slab, mut touching) = (Convex::cuboid(Vec3::new(0.5, 0.3, 0.4)).unwrap(), 0);
    let others = [
        Convex::capsule(0.3, 0.5).unwrap(),
        Convex::sphere(0.3).unwrap(),
        Convex::cuboid(Vec3::new(0.2, 0.1, 0.3)).unwrap().with_margin(0.1).unwrap(),
    ];
    for round in 0..6000 {
        let round_one = &others[round % others.len()];
        let at = Vec3::from_array([0; 3].map(|_| (random.between(-1.0, 1.0) * 40.0).round() / 40.0));
        let down = Vec3::AXES[round % 2];
        let from = Pose::from_translation(at + down).unwrap();
        let reach = distance(round_one, &HERE, &slab, &from).distance;
        let into = Pose::from_translation(at + down - down * reach).unwrap();
        let (plain, meet) =
            (distance(round_one, &HERE, &slab, &into), overlap(round_one, &HERE, &slab, &into).is_some());
        touching += u32::from(plain.distance.abs() < 1e-14);
        assert_eq!(contact(round_one, &HERE, &slab, &into, 0.0).is_some(), meet, "{round}: {plain:?}");
        let expected = contact(round_one, &HERE, &slab, &into, 1.0).unwrap();
        assert_eq!(expected.separation <= 0.0, meet, "{round}: {expected:?}");
        assert!(
            (expected.separation - plain.distance).abs() <= expected.error + plain.error || meet,
            "{round}: {expected:?}"
        );
        let bounds = expected.separation..=expected.separation + expected.error * (1.0 + 1e-9);
        let is_proved = if meet {
            bounds.contains(&expected.separation_bound)
        } else {
            expected.separation_bound <= expected.separation
        };
        assert!(is_proved, "{round}: {expected:?}");
        let mut cache = PairCache::default();
        cache.distance(round_one, &HERE, &slab, &from);
        assert_eq!(cache.overlaps(round_one, &HERE, &slab, &into), meet, "{round}: {plain:?}");
        cache.distance(round_one, &HERE, &slab, &from);
        let cached = cache.distance(round_one, &HERE, &slab, &into);
        assert_eq!(cached.distance == 0.0, plain.distance == 0.0, "{round}: {cached:?} {plain:?}");
        for max in [f64::from_bits(1), plain.distance.next_down(), plain.distance] {
            cache.distance(round_one, &HERE, &slab, &from);
            let (cached, _) = counted(cache.distance_with(round_one, &HERE, &slab, &into, &within(max)));
            let (plain, _) = counted(distance_with(round_one, &HERE, &slab, &into, &within(max)));
            assert_eq!(cached.is_some(), plain.is_some(), "{round}, {max:e}: {cached:?} {plain:?}");
        }
    }
    assert!(touching > 1000, "{touching}");
}

/// Of a face as small as 1e-80 of the other shape products are no numbers: what is remembered of it is not asked.
#[test]
fn a_cache_of_a_speck_beside_a_ball_tells_numbers() {
    for size in [1e-70, 1e-76, 1e-78, 1e-80, 1e-100, 1e-160] {
        let speck = Convex::cuboid(Vec3::splat(size)).unwrap();
        for other in [Convex::sphere(0.5).unwrap(), Convex::cuboid(Vec3::splat(0.5)).unwrap()] {
            let mut cache = PairCache::default();
            for step in 0..4 {
                let at = Pose::from_translation(Vec3::new(1.0 + 1e-3 * f64::from(step), 0.1, 0.2)).unwrap();
                let (plain, cached) =
                    (distance(&speck, &HERE, &other, &at), cache.distance(&speck, &HERE, &other, &at));
                assert!(cached.point_a.is_finite() && cached.point_b.is_finite(), "{size:e}: {cached:?}");
                let off = (plain.distance - cached.distance).abs();
                assert!(off <= plain.error + cached.error && cached.error < 1e-13, "{size:e}: {plain:?} {cached:?}");
            }
        }
    }
}
