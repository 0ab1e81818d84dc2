//! Trees fitted only near boxes: every volume holds its primitives, is no looser than told, and an error changes nothing.

use crate::soup::Soup;
use heurt_bvh::{Aabb32, BuildOptions, Bvh, BvhError, PartialRefit, PrimitiveSource};
use heurt_geometry::{Aabb, Vec3};
use heurt_testkit::number::random::Random;
use std::collections::BTreeMap;

/// Small triangles in the unit cube about the origin.
fn soup(random: &mut Random, count: u32) -> Soup {
    let mut points = Vec::new();
    for _ in 0..count {
        let middle = random.vector(1.0);
        points.extend([0, 1, 2].map(|_| middle + random.vector(0.05)));
    }
    Soup { points, primitives: (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect() }
}

/// A tree that has listed its points, and its soup.
fn listed(random: &mut Random, count: u32, leaf_size: u32) -> (Soup, Bvh<Aabb32, 8>) {
    let soup = soup(random, count);
    let mut tree = Bvh::with_options(&soup, &BuildOptions { leaf_size, ..BuildOptions::default() }).unwrap();
    tree.move_points(&soup).unwrap();
    (soup, tree)
}

/// Moves all points by `offset` and a jitter; gives where they were.
fn step(soup: &mut Soup, random: &mut Random, offset: Vec3, jitter: f64) -> Vec<Vec3> {
    let before = soup.points.clone();
    soup.points.iter_mut().for_each(|point| *point += offset + random.vector(jitter));
    before
}

/// By how much volumes are larger than what they hold, at most, in metres: of all of them, and of leaves that meet a box.
fn looseness(tree: &Bvh<Aabb32, 8>, soup: &Soup, near: &[Aabb]) -> [f64; 2] {
    let frame = tree.frame();
    let wide = |corner: [f32; 3]| Vec3::from_array(corner.map(f64::from)) * frame.scale() + frame.centre();
    let mut leaves = BTreeMap::new();
    tree.for_each_leaf(|leaf| leaves.extend([(leaf.ordinal, leaf)]));
    let mut most = [0.0f64; 2];
    tree.for_each_volume(|volume, range| {
        let is_leaf = range.len() == 1;
        let held = leaves.range(range).flat_map(|(_, &leaf)| tree.primitives(leaf));
        let exact = held.fold(Aabb::EMPTY, |all, &primitive| all.union(soup.bounds(primitive)));
        let loose = (exact.min - wide(volume.min)).max(wide(volume.max) - exact.max).max_element();
        let is_near = is_leaf && near.iter().any(|near| near.overlaps(&exact));
        most[0] = most[0].max(loose);
        most[1] = most[1].max(if is_near { loose } else { 0.0 });
    });
    most
}

#[test]
fn volumes_hold_what_moves_and_are_no_looser_than_told() {
    let mut partial = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let random = &mut random;
        let (count, leaf_size) = (random.whole(1, 300) as u32, random.whole(1, 8) as u32);
        let (mut soup, mut tree) = listed(random, count, leaf_size);
        let mut grown = 0.0;
        for _ in 0..12 {
            let reach = [0.0, 0.1, 5.0][random.whole(0, 2) as usize];
            let offset = random.vector(reach);
            let jitter = [0.0, 1e-3, 1e-2][random.whole(0, 2) as usize];
            let before = step(&mut soup, random, offset, jitter);
            let near: Vec<Aabb> = (0..random.whole(0, 3))
                .map(|_| Aabb::EMPTY.grown_to(soup.points[0] + random.vector(2.0)).grown_to(soup.points[0]))
                .collect();
            let PartialRefit { bounds, grown: by } = tree.refit_near(&soup, &before, &near, 0.2 - grown).unwrap();
            tree.validate(&soup).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
            assert_eq!(bounds, Aabb::from_points(soup.points.iter().copied()));
            // Middles of ways differ by their jitter.
            assert!(by <= jitter + 1e-6, "seed {seed}: grown by {by}");
            grown = if by == 0.0 { 0.0 } else { grown + by };
            partial += usize::from(by > 0.0);
            let rounding = 1e-6 * tree.frame().scale().max(1.0);
            let [all, close] = looseness(&tree, &soup, &near);
            assert!(all <= 2.0 * grown + rounding, "seed {seed}: {all} is looser than {grown}");
            assert!(close <= rounding, "seed {seed}: {close} where something is near");
        }
    }
    assert!(partial > 300, "{partial} partial fits");
}

#[test]
fn all_is_fitted_when_the_room_is_spent() {
    let mut random = Random::new(1);
    let (mut soup, mut tree) = listed(&mut random, 100, 4);
    let before = step(&mut soup, &mut random, Vec3::X, 0.01);
    let mut whole = tree.clone();
    whole.move_points(&soup).unwrap();
    for room in [0.0, 1e-3, -1.0, f64::NAN] {
        let mut other = tree.clone();
        assert_eq!(other.refit_near(&soup, &before, &[], room).unwrap().grown, 0.0, "{room}");
        assert_eq!(other.to_bytes(), whole.to_bytes(), "{room}");
    }
    let grown = tree.refit_near(&soup, &before, &[], 0.011).unwrap().grown;
    assert!(grown > 0.005 && grown <= 0.011, "{grown}");
    assert_ne!(tree.to_bytes(), whole.to_bytes());
    // The rest of the room does not do for another step as large.
    let before = step(&mut soup, &mut random, Vec3::Y, 0.01);
    assert_eq!(tree.refit_near(&soup, &before, &[], 0.011 - grown).unwrap().grown, 0.0);
    assert!(looseness(&tree, &soup, &[])[0] < 1e-6);
}

#[test]
fn a_tree_that_has_not_listed_its_points_is_fitted_whole() {
    let mut random = Random::new(2);
    let mut soup = soup(&mut random, 50);
    let mut tree = Bvh::<Aabb32, 8>::new(&soup).unwrap();
    let before = step(&mut soup, &mut random, Vec3::ZERO, 1e-3);
    assert_eq!(tree.refit_near(&soup, &before, &[], 1.0).unwrap().grown, 0.0);
    let before = step(&mut soup, &mut random, Vec3::ZERO, 1e-3);
    assert!(tree.refit_near(&soup, &before, &[], 1.0).unwrap().grown > 0.0);
    tree.validate(&soup).unwrap();
}

#[test]
fn what_is_refused_leaves_the_tree_as_it_was() {
    let mut random = Random::new(3);
    let (mut soup, mut tree) = listed(&mut random, 60, 4);
    let before = step(&mut soup, &mut random, Vec3::ZERO, 1e-3);
    let bytes = tree.to_bytes();
    for (bad, is_far) in [(f64::NAN, false), (f64::INFINITY, false), (f64::NEG_INFINITY, false), (1e307, true)] {
        for point in [0, 77, 179] {
            let mut broken = soup.clone();
            broken.points[point].z = bad;
            let right = if is_far { BvhError::TooFar { point } } else { BvhError::NotFinite { point } };
            assert_eq!(tree.refit_near(&broken, &before, &[], 1.0), Err(right));
        }
    }
    let good = Aabb { min: -Vec3::ONE, max: Vec3::ONE };
    for bad in [Aabb { min: Vec3::NAN, ..good }, Aabb { max: Vec3::new(0.0, f64::NAN, 0.0), ..good }] {
        let refused = tree.refit_near(&soup, &before, &[good, bad], 1.0);
        assert_eq!(refused, Err(BvhError::BadBox { place: 1 }));
        assert!(refused.unwrap_err().to_string().contains("box 1 of those"));
    }
    let fewer = tree.refit_near(&soup, &before[1..], &[], 1.0);
    assert_eq!(fewer, Err(BvhError::CountChanged { tree: 179, source_len: 180 }));
    let mut longer = soup.clone();
    longer.primitives.push([0, 1, 2]);
    let more = tree.refit_near(&longer, &before, &[], 1.0);
    assert_eq!(more, Err(BvhError::CountChanged { tree: 60, source_len: 61 }));
    assert_eq!(tree.to_bytes(), bytes);
    // Boxes may be empty or without bounds.
    let all = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    tree.refit_near(&soup, &before, &[Aabb::EMPTY, all], 1.0).unwrap();
    assert!(looseness(&tree, &soup, &[])[0] < 1e-6, "all is near a box without bounds");
}
