//! Trees of every builder, width and leaf size: valid, equal in their answers, stable, refittable, readable.

use heurt_bvh::volume::Query;
use heurt_bvh::walk::Visitor;
use heurt_bvh::{
    Aabb32, BoundingVolume, Boxes, BuildOptions, Builder, Bvh, BvhError, Leaf, PointQuery, PrimitiveSource, RayQuery,
};
use heurt_bvh::{
    simd::{HasLanes, Machine, WideIsa},
    walk, walk_best_first,
};
use heurt_geometry::{Aabb, Vec3};
use proptest::prelude::*;
use std::ops::ControlFlow;

const BUILDERS: [Builder; 10] = Builder::ALL;

fn boxes(seed: u64, count: usize, spread: f64, size: f64, offset: f64) -> Vec<Aabb> {
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut point = move |scale: f64| Vec3::new(random(), random(), random()) * scale;
    (0..count)
        .map(|_| {
            let min = point(spread) + Vec3::splat(offset);
            Aabb { min, max: min + point(size) }
        })
        .collect()
}

/// Collects every primitive of every leaf that a walk reaches.
struct Collect<'a, const W: usize> {
    tree: &'a Bvh<Aabb32, W>,
    cutoff: f32,
    found: Vec<u32>,
}

impl<const W: usize> Visitor for Collect<'_, W> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }
    fn visit_leaf<I: WideIsa>(&mut self, _: I, leaf: Leaf) -> ControlFlow<()> {
        self.found.extend_from_slice(self.tree.primitives(leaf));
        ControlFlow::Continue(())
    }
}

fn reached<const W: usize>(tree: &Bvh<Aabb32, W>, query: &impl Query<Aabb32>, cutoff: f32) -> Vec<u32>
where
    Machine: HasLanes<W>,
{
    let mut depth = Collect { tree, cutoff, found: vec![] };
    walk(tree, query, &mut depth);
    let mut best = Collect { tree, cutoff, found: vec![] };
    walk_best_first(tree, query, &mut best);
    depth.found.sort_unstable();
    best.found.sort_unstable();
    assert_eq!(depth.found, best.found, "both drivers reach the same leaves under a fixed cutoff");
    depth.found
}

fn check<const W: usize>(source: &Boxes, bounds: &[Aabb], options: &BuildOptions)
where
    Machine: HasLanes<W>,
{
    let tree = Bvh::<Aabb32, W>::with_options(source, options).unwrap();
    tree.validate(source).unwrap();
    let mut below = Vec::new();
    tree.for_each_volume(|volume, leaves| {
        for leaf in leaves.clone() {
            let first = tree.order()[(leaf * tree.leaf_size()) as usize];
            assert!(volume.holds(tree.frame().to_local(bounds[first as usize].min)));
        }
        below.push(leaves);
    });
    assert_eq!(below[0], 0..tree.stats().leaves as u32, "everything is below the root");
    assert!(below.iter().filter(|leaves| leaves.len() == 1).count() >= tree.stats().leaves);
    let again = Bvh::<Aabb32, W>::with_options(source, &BuildOptions { parallel: false, ..*options }).unwrap();
    assert_eq!(tree.to_bytes(), again.to_bytes(), "the tree does not depend on threads");
    assert_eq!(Bvh::<Aabb32, W>::from_bytes(&tree.to_bytes()).unwrap().to_bytes(), tree.to_bytes());
    for probe in bounds.iter().step_by(bounds.len() / 7 + 1) {
        let reached = reached(&tree, &Aabb32::in_frame(tree.frame(), probe), 0.0);
        for (index, b) in bounds.iter().enumerate() {
            assert!(
                !b.overlaps(probe) || reached.binary_search(&(index as u32)).is_ok(),
                "{options:?} W {W}: lost {index}"
            );
        }
    }
}

#[test]
fn every_width_builder_and_leaf_size_gives_a_valid_tree_that_loses_nothing() {
    for (count, spread, size, offset) in
        [(1, 1.0, 1.0, 0.0), (2, 0.0, 0.0, 5.0), (9, 1.0, 0.1, 1e9), (300, 10.0, 1.0, -3.0), (1500, 1e-7, 1e-8, 1.0)]
    {
        let bounds = boxes(count as u64 + 1, count, spread, size, offset);
        let source = Boxes::new(bounds.iter().copied());
        for builder in BUILDERS {
            for leaf_size in [1, 2, 4, 8] {
                let options = BuildOptions { builder, leaf_size, ..BuildOptions::default() };
                check::<2>(&source, &bounds, &options);
                check::<4>(&source, &bounds, &options);
                check::<8>(&source, &bounds, &options);
            }
        }
    }
}

#[test]
fn large_sets_go_through_the_grid_and_stay_valid() {
    for (spread, size) in [(100.0, 0.2), (0.0, 1.0), (1.0, 1e-9)] {
        let bounds = boxes(3, 40_000, spread, size, 7.0);
        let source = Boxes::new(bounds.iter().copied());
        for builder in BUILDERS {
            let options = BuildOptions { builder, ..BuildOptions::default() };
            let tree = Bvh::<Aabb32, 8>::with_options(&source, &options).unwrap();
            tree.validate(&source).unwrap();
            let serial = Bvh::<Aabb32, 8>::with_options(&source, &BuildOptions { parallel: false, ..options }).unwrap();
            assert_eq!(tree.to_bytes(), serial.to_bytes());
        }
    }
}

#[test]
fn needles_and_equal_centres_do_not_deepen_a_tree_without_bound() {
    let line = (0..5000).map(|i| {
        let x = (0.5f64).powi(i % 1000);
        Aabb { min: Vec3::splat(-x), max: Vec3::splat(x) }
    });
    for builder in BUILDERS {
        let options = BuildOptions { builder, leaf_size: 1, parallel: false, ..BuildOptions::default() };
        let tree = Bvh::<Aabb32, 2>::with_options(&Boxes::new(line.clone()), &options).unwrap();
        assert!(tree.stats().depth < 120, "{builder:?}: {}", tree.stats().depth);
    }
}

#[test]
fn refit_follows_moved_primitives_and_keeps_the_topology() {
    let bounds = boxes(5, 3000, 10.0, 1.0, 0.0);
    let mut tree = Bvh::<Aabb32, 8>::new(&Boxes::new(bounds.iter().copied())).unwrap();
    let order = tree.order().to_vec();
    let moved = Boxes::new(bounds.iter().map(|b| {
        let shift = Vec3::new(b.min.y * 3.0, -b.min.x, 1e4);
        Aabb { min: b.min + shift, max: b.max + shift }
    }));
    let work = tree.refit(&moved).unwrap();
    assert!(work.updates >= 3000 / 4);
    tree.validate(&moved).unwrap();
    // A little further, in the frame as it is now: one pass, and boxes as tight as those of a new tree.
    let frame = *tree.frame();
    let again = Boxes::new(bounds.iter().map(|b| {
        let shift = Vec3::new(b.min.y * 3.0 + 0.01 * b.max.z, -b.min.x, 1e4 + 0.02);
        Aabb { min: b.min + shift, max: b.max + shift }
    }));
    let second = tree.refit(&again).unwrap();
    assert!(second.updates * 2 == work.updates && tree.frame().centre() == frame.centre());
    tree.validate(&again).unwrap();
    let all = Aabb::from_points(again.points().iter().copied());
    let root = tree.root_volume();
    for k in 0..3 {
        let (low, high) = (frame.to_local(all.min)[k], frame.to_local(all.max)[k]);
        assert!(low - f64::from(root.min[k]) < 1e-5 && f64::from(root.max[k]) - high < 1e-5);
    }
    assert_eq!(tree.order(), order);
    let fewer = Boxes::new(bounds[1..].iter().copied());
    assert_eq!(tree.refit(&fewer).unwrap_err(), BvhError::CountChanged { tree: 3000, source_len: 2999 });
}

#[test]
fn unused_points_far_away_do_not_cost_resolution() {
    struct Far(Vec<Vec3>);
    impl PrimitiveSource for Far {
        fn len(&self) -> usize {
            1
        }
        fn points(&self) -> &[Vec3] {
            &self.0
        }
        fn corners(&self, _: u32) -> impl IntoIterator<Item = u32> {
            [0, 1, 2]
        }
    }
    let far = Far(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(1e30)]);
    let tree = Bvh::<Aabb32, 8>::new(&far).unwrap();
    assert!(tree.frame().radius() < 2.0);
}

#[test]
fn bytes_that_are_no_tree_are_refused() {
    let bytes = Bvh::<Aabb32, 8>::new(&Boxes::new(boxes(1, 500, 1.0, 0.1, 0.0))).unwrap().to_bytes();
    // Magic, six numbers, exponent, frame; then lanes of six numbers and a child.
    let (nodes, lane) = (8 + 6 * 4 + 4 + 6 * 8, 7 * 4);
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut broken = bytes.clone();
        change(&mut broken);
        assert!(broken != bytes && matches!(Bvh::<Aabb32, 8>::from_bytes(&broken), Err(BvhError::Malformed { .. })));
    };
    let swap_lanes = |bytes: &mut Vec<u8>, node: usize, one: usize, two: usize| {
        let start = nodes + node * 8 * lane;
        let (one, two) = (start + one * lane, start + two * lane);
        (0..lane).for_each(|k| bytes.swap(one + k, two + k));
    };
    assert!(Bvh::<Aabb32, 8>::from_bytes(&bytes).is_ok());
    // The root's child not first, a gap before the last child, a count beyond the leaves, no primitive at all.
    refused(&|bytes| swap_lanes(bytes, 0, 0, 1));
    let node_count = u32::from_le_bytes(bytes[24..28].try_into().unwrap()) as usize;
    let none = u32::MAX.to_le_bytes();
    let child = |node: usize, at: usize| &bytes[nodes + (node * 8 + at + 1) * lane - 4..][..4];
    let spare = (1..node_count).find(|&node| child(node, 7) == none).unwrap();
    let last = (0..8).rev().find(|&at| child(spare, at) != none).unwrap();
    refused(&|bytes| swap_lanes(bytes, spare, last, 7.max(last + 1)));
    refused(&|bytes| bytes[20..24].copy_from_slice(&u32::MAX.to_le_bytes()));
    refused(&|bytes| bytes[20..24].copy_from_slice(&0u32.to_le_bytes()));
}

#[test]
fn a_walk_dismisses_what_is_far() {
    let bounds = boxes(9, 20_000, 100.0, 0.1, 0.0);
    let tree = Bvh::<Aabb32, 8>::new(&Boxes::new(bounds.iter().copied())).unwrap();
    let local = |x: f64| (x * tree.frame().inverse_scale()) as f32;
    let small = Aabb32 { min: [local(-2.0); 3], max: [local(2.0); 3] };
    let (found, all) = (reached(&tree, &small, 0.0), reached(&tree, &Aabb32 { min: [-2.0; 3], max: [2.0; 3] }, 0.0));
    assert!(found.len() < 200 && all.len() == 20_000, "{} of {}", found.len(), all.len());
    let point = PointQuery::new([0.0; 3], 0.0);
    assert!(reached(&tree, &point, local(4.0).powi(2)).len() < 200);
    let ray = RayQuery::new([-1.5, 0.0, 0.0], [1.0, 1e-3, 1e-4], 0.0, 4.0);
    assert!(reached(&tree, &ray, f32::MAX).len() < 1000);
}

#[test]
fn what_cannot_be_built_or_read_is_named() {
    let none = Boxes::new([]);
    assert_eq!(Bvh::<Aabb32, 8>::new(&none).unwrap_err(), BvhError::Empty);
    let bad = Boxes::new([Aabb { min: Vec3::ZERO, max: Vec3::new(0.0, f64::NAN, 0.0) }]);
    assert_eq!(Bvh::<Aabb32, 8>::new(&bad).unwrap_err(), BvhError::NotFinite { point: 1 });
    let far = Boxes::new([Aabb { min: Vec3::ZERO, max: Vec3::new(0.0, 0.0, 1e307) }]);
    assert_eq!(Bvh::<Aabb32, 8>::new(&far).unwrap_err(), BvhError::TooFar { point: 1 });
    let one = Boxes::new([Aabb { min: Vec3::ZERO, max: Vec3::ONE }]);
    for leaf_size in [0, 9] {
        let options = BuildOptions { leaf_size, ..BuildOptions::default() };
        assert_eq!(Bvh::<Aabb32, 8>::with_options(&one, &options).unwrap_err(), BvhError::LeafSize { leaf_size });
    }
    let bytes = Bvh::<Aabb32, 8>::new(&Boxes::new(boxes(1, 50, 1.0, 0.1, 0.0))).unwrap().to_bytes();
    assert!(Bvh::<Aabb32, 4>::from_bytes(&bytes).is_err());
    for cut in 0..bytes.len() {
        assert!(Bvh::<Aabb32, 8>::from_bytes(&bytes[..cut]).is_err());
    }
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 0x55;
        // Either refused or a tree that walks without panic.
        if let Ok(tree) = Bvh::<Aabb32, 8>::from_bytes(&broken) {
            reached(&tree, &Aabb32 { min: [-2.0; 3], max: [2.0; 3] }, 0.0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn point_bounds_are_never_above_the_true_distance(
        seed in 0u64..1000, x in -3.0f64..3.0, y in -3.0f64..3.0, z in -3.0f64..3.0, scale in -30i32..30,
    ) {
        let scale = 2f64.powi(scale);
        let bounds = boxes(seed, 40, scale, 0.1 * scale, 0.3 * scale);
        let tree = Bvh::<Aabb32, 8>::new(&Boxes::new(bounds.iter().copied())).unwrap();
        let point = Vec3::new(x, y, z) * scale;
        let query = PointQuery::new(tree.frame().to_local(point).to_array(), 1e-12);
        let distance = |b: &Aabb| (b.min - point).max(point - b.max).max(Vec3::ZERO).length();
        let nearest = bounds.iter().map(distance).fold(f64::INFINITY, f64::min) * tree.frame().inverse_scale();
        let cutoff = ((nearest * nearest) as f32).next_up();
        let reached = reached(&tree, &query, cutoff);
        let best = (0..bounds.len()).find(|&i| distance(&bounds[i]) * tree.frame().inverse_scale() <= nearest).unwrap();
        prop_assert!(reached.contains(&(best as u32)));
    }

    #[test]
    fn rays_reach_every_box_that_they_meet(
        seed in 0u64..1000, x in -1.0f64..1.0, y in -1.0f64..1.0, axis in 0usize..4, through in 0usize..40,
    ) {
        let bounds = boxes(seed, 40, 1.0, 0.1, 0.0);
        let tree = Bvh::<Aabb32, 8>::new(&Boxes::new(bounds.iter().copied())).unwrap();
        // Aimed at a corner of a box, along an axis or at random: grazing on purpose.
        let direction = [Vec3::X, -Vec3::Y, Vec3::Z, Vec3::new(x, y, 1.0)][axis];
        let origin = bounds[through].min - direction;
        let frame = tree.frame();
        let local = (direction * frame.inverse_scale()).to_array();
        let largest = local.iter().fold(0.0f64, |m, d| m.max(d.abs()));
        let query = RayQuery::new(frame.to_local(origin).to_array(), local.map(|d| d / largest), 1e-9, 100.0);
        prop_assert!(reached(&tree, &query, f32::MAX).contains(&(through as u32)));
    }
}
