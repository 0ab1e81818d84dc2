//! One suite for every volume, degree and builder: a volume holds what it is fitted to, parts nothing that touches, and goes
//! on doing so while its primitives move.

use crate::sheets::{AllReached, Mesh, Reached, brute_force, for_every_volume, pose, same_pairs, sheet};
use heurt_bvh::relative::RelativePose;
use heurt_bvh::simd::{Avx2, Baseline, HasLanes, Isa, Lanes, Machine, WideIsa};
use heurt_bvh::volume::{BoundingVolume, PairGap};
use heurt_bvh::{Aabb32, BoxAxes, BuildOptions, Builder, Bvh, BvhError, Obb, PrimitiveSource, walk_pair};
use heurt_geometry::{Pose, Triangle, Vec3};
use heurt_testkit::number::random::Random;
use std::cmp::Ordering;

/// Triangles near each other: in general position, flat, on a line, at one place, long and thin.
fn triangles(random: &mut Random, count: usize) -> Mesh {
    let kind = (random.unit() * 5.0) as u32;
    let thin = 10f64.powf(-6.0 * random.unit());
    let mut point = |k: usize| {
        let p = random.vector(1.0);
        match kind {
            0 => p,
            1 => Vec3::new(p.x, p.y, thin * p.z * p.z),
            2 => Vec3::new(p.x, 2.0 * p.x, thin * p.y),
            3 => Vec3::splat(0.25) + p * thin * 1e-9,
            _ => Vec3::new(p.x, p.y * thin, k as f64 * 0.1),
        }
    };
    Mesh(vec![(0..3 * count).map(|k| point(k / 3)).collect()])
}

/// The gap between the roots of two trees, computed from both sides; along `direction`, too. Inlined into each caller.
#[inline(always)]
fn gaps<V: PairGap<V>, I: WideIsa>(
    isa: I,
    a: &Bvh<V, 8>,
    b: &Bvh<V, 8>,
    pose: &RelativePose,
    direction: Option<[f32; 3]>,
) -> [f32; 2] {
    let mut relation = V::pair_constants(isa, pose);
    if let Some(direction) = direction {
        V::set_hint_axis(isa, &mut relation, pose, direction);
    }
    let lone = |tree: &Bvh<V, 8>| {
        let mut lanes = V::empty_lanes::<8>();
        tree.root_volume().store(&mut lanes, 0);
        lanes
    };
    let from_a = a.root_volume().gap::<8, I>(isa, pose.from_a(), &relation, &lone(b), f32::MAX);
    let from_b = b.root_volume().gap::<8, I>(isa, pose.from_b(), &relation, &lone(a), f32::MAX);
    [from_a.to_array()[0], from_b.to_array()[0]]
}

/// Several that ask at once hear what each hears by itself.
fn masks_equal_single_gaps<V: PairGap<V>>() {
    let mut random = Random::new(29);
    let (mut kept, mut dropped) = (0, 0);
    for round in 0..300 {
        let mut tree = |size: f64| Bvh::<V, 8>::new(&triangles(&mut random, 8).moved(|p| p * size)).unwrap();
        let (a, b) = (tree([1.0, 7.0][round % 2]), tree(1.0));
        let shift = random.vector(0.5);
        let turned = pose(&mut random, shift);
        let pose_b = if round % 3 == 0 { turned } else { Pose::from_translation(shift).unwrap() };
        let pose = RelativePose::new(a.frame(), &Pose::IDENTITY, b.frame(), &pose_b);
        let direction = (round % 5 == 0).then(|| random.vector(1.0).normalize().as_vec3().to_array());
        let cutoff = [0.0, 0.05, 0.5][round % 3];
        for _ in 0..4 {
            // Boxes made volumes, some lanes without one.
            let [of_a, of_b] = [0, 1].map(|_| {
                let mut lanes = V::empty_lanes::<8>();
                for lane in 0..1 + (random.unit() * 8.0) as usize {
                    let (centre, half) = (random.vector(0.7).as_vec3(), random.vector(0.3).abs().as_vec3());
                    let (min, max) = ((centre - half).to_array(), (centre + half).to_array());
                    V::from_box(&Aabb32 { min, max }).store(&mut lanes, lane);
                }
                lanes
            });
            let which = (random.unit() * 256.0) as u32;
            for from_b in [false, true] {
                let mut relation = V::pair_constants(Baseline, &pose);
                if let Some(direction) = direction {
                    V::set_hint_axis(Baseline, &mut relation, &pose, direction);
                }
                let (view, query, candidates) =
                    if from_b { (pose.from_b(), &of_b, &of_a) } else { (pose.from_a(), &of_a, &of_b) };
                let at_once = V::overlap_masks::<8, _>(Baseline, view, &relation, (query, which), candidates, cutoff);
                if let Some(isa) = Avx2::detect() {
                    let fast = isa
                        .enter(|| V::overlap_masks::<8, _>(isa, view, &relation, (query, which), candidates, cutoff));
                    assert_eq!(fast, at_once, "the twins agree");
                }
                for (lane, meeting) in at_once.into_iter().enumerate() {
                    let gaps = V::load(query, lane).gap::<8, _>(Baseline, view, &relation, candidates, cutoff);
                    let near = gaps.to_array().map(|gap| !matches!(gap.partial_cmp(&cutoff), Some(Ordering::Greater)));
                    let near = (0..8).fold(0, |bits, k| bits | u32::from(near[k]) << k);
                    assert_eq!(meeting, if which >> lane & 1 != 0 { near } else { 0 });
                    (kept, dropped) = (kept + near.count_ones(), dropped + near.count_zeros() - 24);
                }
            }
        }
    }
    assert!(kept > 1000 && dropped > 1000, "{kept} kept, {dropped} dropped");
}

#[test]
fn several_volumes_that_ask_at_once_hear_what_each_hears() {
    for_every_volume!(masks_equal_single_gaps);
}

fn touching_sets_are_never_parted<V: PairGap<V>>() {
    let mut random = Random::new(7);
    let mut parted = 0;
    for round in 0..6_000 {
        let (a, b) = (triangles(&mut random, 1 + round % 5), triangles(&mut random, 1 + round % 3));
        let scale = if round % 4 == 0 { 10f64.powf(random.between(-9.0, 9.0)) } else { 1.0 };
        let a = a.moved(|p| p * scale);
        // A point of a triangle of each, in the inside, on a side or at a corner.
        let mut point = |triangle: Triangle| {
            let mut weights = [0; 3].map(|_| if random.unit() < 0.4 { 0.0 } else { random.unit() });
            weights[0] += 1e-3;
            let sum: f64 = weights.iter().sum();
            triangle.iter().zip(weights).fold(Vec3::ZERO, |p, (corner, w)| p + *corner * (w / sum))
        };
        let (on_a, on_b) = (point(a.triangle(0)), point(b.triangle(0)));
        let shift = random.vector(if round % 5 == 0 { 1e6 } else { 0.0 });
        let pose_a = pose(&mut random, shift);
        let turn = pose(&mut random, Vec3::ZERO);
        // Every tenth pair is moved apart instead, so that the test could fail the other way, too.
        let offset = if round % 10 == 9 { Vec3::new(8.0, 1.0, 1.0) * (1.0 + scale) } else { Vec3::ZERO };
        let pose_b = Pose::from_matrix(*turn.rotation(), pose_a.place(on_a) - turn.place(on_b) + offset).unwrap();
        let (tree_a, tree_b) = (Bvh::<V, 8>::new(&a).unwrap(), Bvh::<V, 8>::new(&b).unwrap());
        tree_a.validate(&a).unwrap();
        let pose = RelativePose::new(tree_a.frame(), &pose_a, tree_b.frame(), &pose_b);
        let direction = (round % 2 == 0).then(|| random.vector(1.0).normalize().as_vec3().to_array());
        let base = gaps(Baseline, &tree_a, &tree_b, &pose, direction);
        if offset == Vec3::ZERO {
            // `NaN` keeps a pair.
            assert!(!base.iter().any(|gap| *gap > 0.0), "round {round}: {base:?}");
        } else {
            parted += u32::from(base.iter().any(|gap| *gap > 0.0));
        }
        if let Some(isa) = Avx2::detect() {
            let fast = isa.enter(|| gaps(isa, &tree_a, &tree_b, &pose, direction));
            assert_eq!(fast.map(f32::to_bits), base.map(f32::to_bits), "the twins agree to the bit");
            let roomy = isa.enter_wide(|| gaps(isa, &tree_a, &tree_b, &pose, direction));
            assert_eq!(roomy.map(f32::to_bits), base.map(f32::to_bits), "with more registers, too");
        }
    }
    assert!(parted > 590, "of 600 sets that are far apart {parted} were parted");
}

#[test]
fn no_volume_parts_what_touches() {
    for_every_volume!(touching_sets_are_never_parted);
}

/// A gap says how far two volumes can be moved towards each other, in doubled units of the first tree.
fn a_gap_is_never_above_the_distance<V: PairGap<V>>() {
    let mut random = Random::new(23);
    let mut positive = 0;
    for _ in 0..2_000 {
        let (a, b) = (triangles(&mut random, 3), triangles(&mut random, 3));
        let pose_a = pose(&mut random, Vec3::ZERO);
        let shift = random.vector(3.0);
        let pose_b = pose(&mut random, shift);
        let (tree_a, tree_b) = (Bvh::<V, 8>::new(&a).unwrap(), Bvh::<V, 8>::new(&b).unwrap());
        let pose = RelativePose::new(tree_a.frame(), &pose_a, tree_b.frame(), &pose_b);
        let nearest = (0..a.points().len())
            .flat_map(|i| (0..b.points().len()).map(move |j| (i, j)))
            .map(|(i, j)| pose_b.place(b.points()[j]) - pose_a.place(a.points()[i]))
            .min_by(|x, y| x.length_squared().total_cmp(&y.length_squared()))
            .unwrap();
        // Towards the nearest point as seen from A, which is where a volume can be asked to look.
        let direction = (pose_a.rotation().transpose() * nearest).normalize().as_vec3().to_array();
        let nearest = nearest.length();
        let metres = |gap: f32, tree: &Bvh<V, 8>| f64::from(gap) / 2.0 * tree.frame().scale();
        let each = [None, Some(direction)].map(|direction| gaps(Baseline, &tree_a, &tree_b, &pose, direction));
        for [from_a, from_b] in each {
            for gap in [metres(from_a, &tree_a), metres(from_b, &tree_b)] {
                assert!(gap <= nearest * (1.0 + 1e-6), "{gap} above {nearest}");
                positive += u32::from(gap > 0.5 * nearest);
            }
        }
        assert!(each[1][0] >= each[0][0] && each[1][1] >= each[0][1], "one more direction parts no less");
    }
    assert!(positive > 200, "only {positive} gaps are of any use");
}

#[test]
fn no_gap_is_above_the_distance() {
    for_every_volume!(a_gap_is_never_above_the_distance);
}

fn every_degree_and_builder_gives_the_same_pairs<V: PairGap<V>>() {
    fn check<V: PairGap<V>, const W: usize>(random: &mut Random)
    where
        Machine: HasLanes<W>,
    {
        for builder in Builder::ALL {
            let (a, b) = (sheet(7, random), sheet(6, random));
            let shift = random.vector(0.3);
            let (pose_a, pose_b) = (pose(random, shift), pose(random, Vec3::ZERO));
            let expected = brute_force((&a, &pose_a), (&b, &pose_b));
            for leaf_size in [1, 3, 8] {
                let options = BuildOptions { builder, leaf_size, ..BuildOptions::default() };
                let build = |mesh: &Mesh| Bvh::<V, W>::with_options(mesh, &options).unwrap();
                let (tree_a, tree_b) = (build(&a), build(&b));
                tree_a.validate(&a).unwrap();
                let read = Bvh::<V, W>::from_bytes(&tree_a.to_bytes()).unwrap();
                same_pairs((&a, &read, &pose_a), (&b, &tree_b, &pose_b), &expected);
            }
        }
    }
    let mut random = Random::new(31);
    check::<V, 2>(&mut random);
    check::<V, 4>(&mut random);
    check::<V, 8>(&mut random);
}

#[test]
fn pairs_are_those_of_brute_force_for_every_volume_degree_and_builder() {
    for_every_volume!(every_degree_and_builder_gives_the_same_pairs);
}

fn deformations<V: PairGap<V>>(rounds: usize) {
    let mut random = Random::new(41);
    let (mut a, mut b) = (sheet(5, &mut random), sheet(4, &mut random));
    let options = BuildOptions { leaf_size: 2, ..BuildOptions::default() };
    let mut tree_a = Bvh::<V, 8>::with_options(&a, &options).unwrap();
    let mut tree_b = Bvh::<V, 4>::with_options(&b, &options).unwrap();
    let mut tree_c = Bvh::<V, 8>::with_options(&b, &options).unwrap();
    let mut listed = tree_a.clone();
    for round in 0..rounds {
        let (twist, wave) = (random.between(-2.0, 2.0), random.between(-0.2, 0.2));
        let size = if round % 100 == 99 { 10f64.powf(random.between(-3.0, 3.0)) } else { 1.0 };
        let deform = |p: Vec3| {
            let (sin, cos) = (twist * p.x).sin_cos();
            Vec3::new(p.x, p.y * cos - p.z * sin, p.y * sin + p.z * cos + wave * (5.0 * p.x).sin()) * size
        };
        let rest = sheet(5, &mut random);
        (a, b) = (rest.moved(deform), b.moved(|p| p * 0.5 + deform(p) * 0.5 / size));
        let work = tree_a.refit(&a).unwrap();
        assert!(work.updates >= tree_a.stats().leaves as u64);
        assert_eq!(listed.move_points(&a).unwrap(), work);
        assert!(listed.to_bytes() == tree_a.to_bytes(), "by points that leaves are known to have");
        tree_b.refit(&b).unwrap();
        tree_c.refit(&b).unwrap();
        if round % 10 == 0 {
            tree_a.validate(&a).unwrap();
            tree_b.validate(&b).unwrap();
        }
        let shift = random.vector(0.3);
        let (pose_a, pose_b) = (pose(&mut random, shift), Pose::IDENTITY);
        let expected = brute_force((&a, &pose_a), (&b, &pose_b));
        same_pairs((&a, &tree_a, &pose_a), (&b, &tree_c, &pose_b), &expected);
    }
}

#[test]
fn pairs_are_those_of_brute_force_after_a_thousand_deformations() {
    for_every_volume!(deformations, 1000);
}

/// Trees of one degree and every builder over a sheet that deforms, and over another one that stays.
struct Followers<V: PairGap<V>, const W: usize>(Vec<[Bvh<V, W>; 2]>);

impl<V: PairGap<V>, const W: usize> Followers<V, W>
where
    Machine: HasLanes<W>,
{
    fn new(rest: &Mesh, still: &Mesh) -> Self {
        let build = |builder| {
            let options = BuildOptions { builder, leaf_size: 1, ..BuildOptions::default() };
            [rest, still].map(|mesh| Bvh::with_options(mesh, &options).unwrap())
        };
        Self(Builder::ALL.into_iter().map(build).collect())
    }

    /// Every pair that intersects must be reached; whether one does, exact predicates have told.
    fn follow(&mut self, (moved, pose_a): (&Mesh, &Pose), pose_b: &Pose, expected: &[[u32; 2]]) {
        for [tree, other] in &mut self.0 {
            tree.refit(moved).unwrap();
            let pose = RelativePose::new(tree.frame(), pose_a, other.frame(), pose_b);
            let mut reached = Reached { a: tree, b: other, pairs: vec![] };
            walk_pair(tree, other, &pose, &mut reached);
            reached.pairs.sort_unstable();
            assert!(expected.iter().all(|pair| reached.pairs.binary_search(pair).is_ok()));
            assert!(reached.pairs.is_sorted_by(|x, y| x < y), "no pair is met twice");
        }
    }
}

fn every_degree_and_builder_follows<V: PairGap<V>>(rounds: usize) {
    let mut random = Random::new(59);
    let (rest, still) = (sheet(3, &mut random), sheet(2, &mut random));
    let mut two = Followers::<V, 2>::new(&rest, &still);
    let mut four = Followers::<V, 4>::new(&rest, &still);
    let mut eight = Followers::<V, 8>::new(&rest, &still);
    for round in 0..rounds {
        let (twist, wave) = (random.between(-2.0, 2.0), random.between(-0.2, 0.2));
        let size = if round % 100 == 99 { 10f64.powf(random.between(-3.0, 3.0)) } else { 1.0 };
        let moved = rest.moved(|p| {
            let (sin, cos) = (twist * p.x).sin_cos();
            Vec3::new(p.x, p.y * cos - p.z * sin, p.y * sin + p.z * cos + wave * (5.0 * p.x).sin()) * size
        });
        let shift = random.vector(0.3);
        let (pose_a, pose_b) = (pose(&mut random, shift), Pose::IDENTITY);
        let expected = brute_force((&moved, &pose_a), (&still, &pose_b));
        two.follow((&moved, &pose_a), &pose_b, &expected);
        four.follow((&moved, &pose_a), &pose_b, &expected);
        eight.follow((&moved, &pose_a), &pose_b, &expected);
    }
}

#[test]
fn every_volume_degree_and_builder_follows_a_thousand_deformations() {
    for_every_volume!(every_degree_and_builder_follows, 1000);
}

fn partial_refits<V: PairGap<V>>() {
    let mut random = Random::new(43);
    let (mut a, b) = (sheet(12, &mut random), sheet(5, &mut random));
    let options = BuildOptions { leaf_size: 2, ..BuildOptions::default() };
    let build = |mesh: &Mesh| Bvh::<V, 8>::with_options(mesh, &options).unwrap();
    let (mut tree_a, mut whole, tree_b) = (build(&a), build(&a), build(&b));
    let mut fewer_updates = 0;
    for round in 0..60 {
        // A few triangles, one of them named twice; now and then so far that the frame must change.
        let moved: Vec<u32> = (0..1 + round % 4).map(|_| (random.unit() * a.len() as f64) as u32).collect();
        let far = if round % 20 == 19 { 1e3 } else { 0.2 };
        for &triangle in &moved {
            let shift = random.vector(far);
            (0..3).for_each(|k| a.0[0][3 * triangle as usize + k] += shift);
        }
        let named: Vec<u32> = moved.iter().chain(&moved[..1]).copied().collect();
        let (part, all) = (tree_a.refit_moved(&a, &named).unwrap(), whole.refit(&a).unwrap());
        fewer_updates += u32::from(part.updates < all.updates / 2);
        tree_a.validate(&a).unwrap();
        if V::KIND == Aabb32::KIND {
            assert_eq!(tree_a.to_bytes(), whole.to_bytes(), "round {round}");
        }
        let shift = random.vector(0.3);
        let (pose_a, pose_b) = (pose(&mut random, shift), Pose::IDENTITY);
        let expected = brute_force((&a, &pose_a), (&b, &pose_b));
        same_pairs((&a, &tree_a, &pose_a), (&b, &tree_b, &pose_b), &expected);
    }
    assert!(fewer_updates > 30, "{fewer_updates}");
    let before = tree_a.to_bytes();
    assert_eq!(tree_a.refit_moved(&a, &[]).unwrap().updates, 0);
    let count = a.len();
    let absent = tree_a.refit_moved(&a, &[0, count as u32]).unwrap_err();
    assert_eq!(absent, BvhError::NoPrimitive { primitive: count as u32, count });
    let mut broken = a.clone();
    broken.0[0][5].z = f64::NAN;
    assert_eq!(tree_a.refit_moved(&broken, &[3, 1]).unwrap_err(), BvhError::NotFinite { point: 5 });
    broken.0[0][5].z = 1e308;
    assert_eq!(tree_a.refit_moved(&broken, &[1]).unwrap_err(), BvhError::TooFar { point: 5 });
    assert!(matches!(tree_a.refit_moved(&b, &[1]).unwrap_err(), BvhError::CountChanged { .. }));
    assert_eq!(tree_a.to_bytes(), before);
}

#[test]
fn partial_refits_hold_what_moved() {
    for_every_volume!(partial_refits);
}

fn bad_deformations_leave_the_tree_alone<V: PairGap<V>>() {
    let mut random = Random::new(5);
    let mesh = sheet(6, &mut random);
    let mut tree = Bvh::<V, 8>::new(&mesh).unwrap();
    let before = tree.to_bytes();
    let fewer = Mesh(vec![mesh.points()[..mesh.points().len() - 3].to_vec()]);
    assert!(matches!(tree.refit(&fewer).unwrap_err(), BvhError::CountChanged { .. }));
    assert!(matches!(tree.move_points(&fewer).unwrap_err(), BvhError::CountChanged { .. }));
    for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
        let mut broken = mesh.clone();
        broken.0[0][17].y = bad;
        assert_eq!(tree.refit(&broken).unwrap_err(), BvhError::NotFinite { point: 17 });
        assert_eq!(tree.move_points(&broken).unwrap_err(), BvhError::NotFinite { point: 17 });
    }
    let mut far = mesh.clone();
    far.0[0][3].x = 1e308;
    assert_eq!(tree.refit(&far).unwrap_err(), BvhError::TooFar { point: 3 });
    assert_eq!(tree.move_points(&far).unwrap_err(), BvhError::TooFar { point: 3 });
    assert_eq!(tree.to_bytes(), before);
    // Collapsed to a point, a line, a plane: still volumes that hold everything.
    for collapse in [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::splat(1e-300), Vec3::splat(1e200)] {
        let flat = mesh.moved(|p| p * collapse);
        tree.refit(&flat).unwrap();
        tree.validate(&flat).unwrap();
        Bvh::<V, 8>::new(&flat).unwrap().validate(&flat).unwrap();
    }
    tree.refit(&mesh).unwrap();
    tree.validate(&mesh).unwrap();
}

#[test]
fn rotations_keep_a_tree_whole_and_make_it_better() {
    fn check<const W: usize>(leaf_size: u32)
    where
        Machine: HasLanes<W>,
    {
        let mut random = Random::new(47);
        let (mut a, b) = (sheet(20, &mut random), sheet(5, &mut random));
        let options = BuildOptions { leaf_size, ..BuildOptions::default() };
        let mut tree = Bvh::<Aabb32, W>::with_options(&a, &options).unwrap();
        let tree_b = Bvh::<Aabb32, W>::with_options(&b, &options).unwrap();
        // Triangles wander off, each its own way, until the structure says nothing.
        for round in 0..6 {
            for triangle in 0..a.len() {
                let shift = random.vector(0.08 * f64::from(round));
                (0..3).for_each(|k| a.0[0][3 * triangle + k] += shift);
            }
            tree.refit(&a).unwrap();
            let spoilt = tree.surface();
            let mut moved = 0;
            for _ in 0..3 {
                let before = tree.surface();
                let this = tree.rotate();
                moved += this;
                assert!(tree.surface() <= before * (1.0 + 1e-6), "{} from {before}", tree.surface());
                tree.validate(&a).unwrap();
                // Reading checks that children come after their parents.
                assert_eq!(Bvh::<Aabb32, W>::from_bytes(&tree.to_bytes()).unwrap().to_bytes(), tree.to_bytes());
            }
            assert!(round == 0 || moved > 0 && tree.surface() < spoilt, "W {W}, round {round}");
            // What follows a rotation knows where leaves have gone.
            (0..3).for_each(|k| a.0[0][k] += Vec3::splat(0.01));
            tree.refit_moved(&a, &[0]).unwrap();
            tree.validate(&a).unwrap();
            let shift = random.vector(0.3);
            let (pose_a, pose_b) = (pose(&mut random, shift), Pose::IDENTITY);
            same_pairs((&a, &tree, &pose_a), (&b, &tree_b, &pose_b), &brute_force((&a, &pose_a), (&b, &pose_b)));
        }
    }
    for leaf_size in [1, 3] {
        check::<2>(leaf_size);
        check::<4>(leaf_size);
        check::<8>(leaf_size);
    }
}

#[test]
fn bad_deformations_are_refused_and_collapsed_ones_followed() {
    for_every_volume!(bad_deformations_leave_the_tree_alone);
}

#[test]
fn boxes_of_the_hull_do_not_follow_dense_vertices() {
    // A long thin slab at an angle, with a dense clump of triangles inside that lies across.
    let mut corners = Vec::new();
    let (sin, cos) = 0.6f64.sin_cos();
    let turn = |x: f64, y: f64, z: f64| Vec3::new(x * cos - y * sin, x * sin + y * cos, z);
    for (x, y) in [(-4.0, -0.5), (4.0, -0.5), (4.0, 0.5), (-4.0, 0.5)] {
        corners.extend([turn(x, y, -0.1), turn(-x, y, -0.1), turn(x, -y, 0.1)]);
    }
    for i in 0..400 {
        let at = f64::from(i) / 400.0;
        corners.extend([Vec3::new(0.3 * at, 0.4 * at, 0.0); 3]);
    }
    let mesh = Mesh(vec![corners]);
    let surface = |axes: BoxAxes| {
        let options = BuildOptions { axes, ..BuildOptions::default() };
        let [x, y, z] = Bvh::<Obb, 8>::with_options(&mesh, &options).unwrap().root_volume().half;
        x * y + y * z + z * x
    };
    let [vertices, hull, best] = [BoxAxes::Vertices, BoxAxes::Hull, BoxAxes::Best].map(surface);
    assert!(hull < 0.9 * vertices, "hull {hull}, vertices {vertices}");
    assert!(best <= hull * 1.01, "best {best}, hull {hull}");
}

#[test]
fn hostile_bytes_make_no_walk_panic() {
    fn check<V: PairGap<V>>() {
        let mut random = Random::new(3);
        let mesh = sheet(5, &mut random);
        let tree = Bvh::<V, 8>::new(&mesh).unwrap();
        let bytes = tree.to_bytes();
        for _ in 0..300 {
            let mut broken = bytes.clone();
            for _ in 0..4 {
                let at = (random.unit() * broken.len() as f64) as usize;
                broken[at] = (random.unit() * 256.0) as u8;
            }
            if let Ok(read) = Bvh::<V, 8>::from_bytes(&broken) {
                let pose = RelativePose::new(read.frame(), &Pose::IDENTITY, tree.frame(), &Pose::IDENTITY);
                let reached = || Reached { a: &read, b: &tree, pairs: vec![] };
                walk_pair(&read, &tree, &pose, &mut reached());
                walk_pair(&read, &tree, &pose, &mut AllReached(reached()));
            }
        }
    }
    for_every_volume!(check);
}
