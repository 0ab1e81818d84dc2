//! Two trees under a relative pose: nothing that touches is parted, on any instruction set, at any scale.

use heurt_bvh::relative::RelativePose;
use heurt_bvh::simd::{
    Array, Avx2, Baseline, Halves, Isa, Lanes, Lanes8, LanesFor, Point, Portable, WideIsa, WidestKernel,
};
use heurt_bvh::volume::{BoundingVolume, PairGap};
use heurt_bvh::walk::PairVisitor;
use heurt_bvh::{Aabb32, Boxes, Bvh, Leaf, walk_pair, walk_pair_best_first, walk_self};
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_testkit::number::random::Random;
use std::ops::ControlFlow;

/// A rotation; every third one is close to the identity, where edge axes degenerate.
fn pose(random: &mut Random, translation: Vec3) -> Pose {
    let mut q = [0; 4].map(|_| random.between(-1.0, 1.0));
    if random.unit() < 0.3 {
        let tiny = 10f64.powf(-16.0 * random.unit());
        q = [q[0] * tiny, q[1] * tiny, q[2] * tiny, 1.0];
    }
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    Pose::from_quaternion(q.map(|x| x / norm), translation).unwrap()
}

/// A box whose edges differ by up to a million.
fn needle(random: &mut Random) -> Aabb {
    let (centre, half) = (random.vector(1.0), Vec3::from_array([0; 3].map(|_| 10f64.powf(-6.0 * random.unit()))));
    Aabb { min: centre - half, max: centre + half }
}

/// A corner, a point of an edge or of a face.
fn feature(random: &mut Random, b: &Aabb) -> Vec3 {
    let mut pick = |low: f64, high: f64| match random.unit() {
        u if u < 0.4 => low,
        u if u < 0.8 => high,
        _ => random.between(low, high),
    };
    Vec3::new(pick(b.min.x, b.max.x), pick(b.min.y, b.max.y), pick(b.min.z, b.max.z))
}

fn gaps<I: WideIsa>(isa: I, a: &Bvh<Aabb32, 8>, b: &Bvh<Aabb32, 8>, pose: &RelativePose) -> [f32; 2] {
    let mut lanes = Aabb32::empty_lanes::<8>();
    b.root_volume().store(&mut lanes, 0);
    let faces =
        PairGap::<Aabb32>::gap::<8, I>(&a.root_volume(), isa, pose.from_a(), &Default::default(), &lanes, f32::MAX)
            .to_array()[0];
    let pose = pose.with_edge_axes();
    let all =
        PairGap::<Aabb32>::gap::<8, I>(&a.root_volume(), isa, pose.from_a(), &Default::default(), &lanes, f32::MAX)
            .to_array()[0];
    [faces, all]
}

#[test]
fn touching_needles_are_never_parted() {
    let mut random = Random::new(7);
    for round in 0..60_000 {
        let (a, b) = (needle(&mut random), needle(&mut random));
        let scale = if round % 4 == 0 { 10f64.powf(random.between(-9.0, 9.0)) } else { 1.0 };
        let (a, b) = (Aabb { min: a.min * scale, max: a.max * scale }, b);
        let (on_a, on_b) = (feature(&mut random, &a), feature(&mut random, &b));
        let offset = if round % 5 == 0 { 1e6 } else { 0.0 };
        let shift = random.vector(offset);
        let pose_a = pose(&mut random, shift);
        let turn = pose(&mut random, Vec3::ZERO);
        let pose_b = Pose::from_matrix(*turn.rotation(), pose_a.place(on_a) - turn.place(on_b)).unwrap();
        let (tree_a, tree_b) = (Bvh::<Aabb32, 8>::new(&Boxes::new([a])), Bvh::<Aabb32, 8>::new(&Boxes::new([b])));
        let (tree_a, tree_b) = (tree_a.unwrap(), tree_b.unwrap());
        let pose = RelativePose::new(tree_a.frame(), &pose_a, tree_b.frame(), &pose_b);
        let portable = gaps(Portable, &tree_a, &tree_b, &pose);
        assert!(portable.iter().all(|gap| *gap <= 0.0), "round {round}: {portable:?}");
        let back = RelativePose { b_in_a: pose.a_in_b, a_in_b: pose.b_in_a, ..pose };
        assert!(gaps(Portable, &tree_b, &tree_a, &back).iter().all(|gap| *gap <= 0.0), "round {round}, swapped");
        let base = gaps(Baseline, &tree_a, &tree_b, &pose);
        assert_eq!(base.map(f32::to_bits), portable.map(f32::to_bits), "the twins agree to the bit");
        if let Some(isa) = Avx2::detect() {
            let fast = isa.enter(|| gaps(isa, &tree_a, &tree_b, &pose));
            assert_eq!(fast.map(f32::to_bits), portable.map(f32::to_bits), "the twins agree to the bit");
        }
    }
}

/// What every operation makes of pairs of numbers, in bits; last which of the first are greater.
fn all<const W: usize, F: Lanes<W>>(x: [f32; W], y: [f32; W], one: f32) -> Vec<[u32; W]> {
    let (a, b) = (F::load(&x), F::load(&y));
    let results = [
        a.add(b),
        a.sub(b),
        a.mul(b),
        a.div(b),
        a.abs().sqrt(),
        a.min(b),
        a.max(b),
        a.abs(),
        a.gt(b),
        a.eq(b),
        a.eq(a),
        a.gt(b).or(b.gt(a)),
        a.gt(b).and(b.abs().gt(a)),
        a.gt(b).xor(b.gt(a)),
        a.gt(b).select(a, b),
        F::splat(one),
    ];
    let bits = [a.gt(b).bits(); W];
    results.iter().map(|r| r.to_array().map(f32::to_bits)).chain([bits]).collect()
}

/// What every operation makes of sixteen pairs of numbers, on as many lanes as there are.
struct Sixteen {
    x: [f32; 16],
    y: [f32; 16],
}

impl WidestKernel for Sixteen {
    type Output = (usize, Vec<[u32; 16]>);

    fn run<const W: usize, F: Lanes<W>>(self) -> (usize, Vec<[u32; 16]>) {
        let mut out = Vec::new();
        for at in (0..16).step_by(W) {
            let some = |from: &[f32; 16]| std::array::from_fn(|lane| from[at + lane]);
            let of_some = all::<W, F>(some(&self.x), some(&self.y), self.x[3]);
            out.resize(of_some.len(), [0; 16]);
            let (bits, numbers) = of_some.split_last().unwrap();
            numbers.iter().zip(&mut out).for_each(|(from, to)| to[at..at + W].copy_from_slice(from));
            let truth = out.last_mut().unwrap();
            (0..W).for_each(|lane| truth[at + lane] = bits[lane] >> lane & 1);
        }
        (W, out)
    }
}

#[test]
fn every_operation_of_the_twins_agrees_to_the_bit() {
    fn wide<I: WideIsa>(_: I, x: [f32; 8], y: [f32; 8]) -> Vec<[u32; 8]> {
        let four = <I as LanesFor<4>>::F::load(&[x[0], x[1], x[2], x[3]]);
        let other = <I as LanesFor<4>>::F::splat(y[0]);
        // Any numbers, of which the last bits count.
        let picked = Lanes8::<I>::load(&x).picked(u64::from(y[0].to_bits()) << 32 | u64::from(y[1].to_bits()));
        let halves =
            [Lanes8::<I>::twice(four), Lanes8::<I>::join(four, other), Lanes8::<I>::each_twice(x[0], y[0]), picked];
        let points = std::array::from_fn(|k| [x[k], y[k], x[7 - k], y[7 - k]]);
        let results = halves.into_iter().chain(Lanes8::<I>::transposed(&points));
        all::<8, Lanes8<I>>(x, y, x[3]).into_iter().chain(results.map(|h| h.to_array().map(f32::to_bits))).collect()
    }
    fn narrow<I: WideIsa>(_: I, x: [f32; 8], y: [f32; 8]) -> Vec<[u32; 4]> {
        let four = |x: [f32; 8]| [x[0], x[1], x[2], x[3]];
        all::<4, <I as LanesFor<4>>::F>(four(x), four(y), x[3])
    }
    fn two<I: WideIsa>(_: I, x: [f32; 8], y: [f32; 8]) -> Vec<[u32; 2]> {
        all::<2, <I as LanesFor<2>>::F>([x[0], x[1]], [y[0], y[1]], x[3])
    }
    fn same<const W: usize>(fast: &[[u32; W]], slow: &[[u32; W]]) -> bool {
        let pairs = fast.iter().flatten().zip(slow.iter().flatten());
        pairs.into_iter().all(|(p, q)| p == q || f32::from_bits(*p).is_nan() && f32::from_bits(*q).is_nan())
    }
    let isa = Avx2::detect();
    let mut random = Random::new(3);
    fn pick<const W: usize>(random: &mut Random) -> [f32; W] {
        const SPECIAL: [f32; 10] =
            [0.0, -0.0, 1.0, -1.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, f32::MAX, f32::MIN_POSITIVE];
        std::array::from_fn(|_| match random.unit() {
            u if u < 0.4 => SPECIAL[(u * 25.0) as usize % SPECIAL.len()],
            _ => random.between(-10.0, 10.0) as f32,
        })
    }
    for _ in 0..2000 {
        let (x, y): ([f32; 8], [f32; 8]) = (pick(&mut random), pick(&mut random));
        let (of_eight, of_four, of_two) = (wide(Portable, x, y), narrow(Portable, x, y), two(Portable, x, y));
        let base = Baseline;
        assert!(same(&wide(base, x, y), &of_eight), "{x:?} {y:?}\n{:?}\n{of_eight:?}", wide(base, x, y));
        assert!(same(&narrow(base, x, y), &of_four), "{x:?} {y:?}\n{:?}\n{of_four:?}", narrow(base, x, y));
        assert!(same(&two(base, x, y), &of_two), "{x:?} {y:?}\n{:?}\n{of_two:?}", two(base, x, y));
        if let Some(isa) = isa {
            let fast = isa.enter(|| wide(isa, x, y));
            assert!(same(&fast, &of_eight), "{x:?} {y:?}\n{fast:?}\n{of_eight:?}");
            let roomy = isa.enter_wide(|| wide(isa, x, y));
            assert!(same(&roomy, &of_eight), "{x:?} {y:?}\n{roomy:?}\n{of_eight:?}");
            let fast = isa.enter(|| narrow(isa, x, y));
            assert!(same(&fast, &of_four), "{x:?} {y:?}\n{fast:?}\n{of_four:?}");
            let fast = isa.enter(|| two(isa, x, y));
            assert!(same(&fast, &of_two), "{x:?} {y:?}\n{fast:?}\n{of_two:?}");
        }
        let (x, y): ([f32; 16], [f32; 16]) = (pick(&mut random), pick(&mut random));
        let (_, slow) = Portable.on_widest(Sixteen { x, y });
        let (_, of_base) = base.on_widest(Sixteen { x, y });
        assert!(same(&of_base, &slow), "{x:?} {y:?}\n{of_base:?}\n{slow:?}");
        if let Some((width, fast)) = isa.map(|isa| isa.on_widest(Sixteen { x, y })) {
            assert!(same(&fast, &slow), "{width} lanes, {x:?} {y:?}\n{fast:?}\n{slow:?}");
        }
        let separately = Sixteen { x, y }.run::<16, Array<16>>().1;
        assert!(same(&separately, &slow), "{x:?} {y:?}\n{separately:?}\n{slow:?}");
    }
    assert_eq!(Array([1.0; 8]).gt(Array([0.0; 8])).bits(), 0xff);
    let points = std::array::from_fn(|k| [k as f32, 10.0 + k as f32, 20.0 + k as f32, 30.0]);
    let rows = [0.0, 10.0, 20.0].map(|first| std::array::from_fn(|k| first + k as f32));
    assert_eq!(Array::<8>::transposed(&points).map(Array::to_array), rows);
}

#[test]
fn points_of_the_twins_agree_to_the_bit() {
    fn all<P: Point>(x: [f64; 3], y: [f64; 3]) -> Vec<[f64; 3]> {
        let (a, b) = (P::load(&x), P::load(&y));
        let results = [a, b, a.sub(b), a.mul(b), a.min(b), b.min(a), a.max(b), b.max(a), P::splat(x[1])];
        let narrow = |point: P| {
            let [x, y, z, zero] = point.narrow().map(f64::from);
            assert_eq!(zero.to_bits(), 0, "the fourth number");
            [x, y, z]
        };
        results.iter().map(|point| point.to_array()).chain([narrow(a), narrow(b)]).collect()
    }
    fn of<I: Isa>(_: I, x: [f64; 3], y: [f64; 3]) -> Vec<[f64; 3]> {
        all::<I::Point>(x, y)
    }
    let special =
        [0.0, -0.0, 1.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, 1e-40, f64::MAX, 1.0 + f64::EPSILON];
    let isa = Avx2::detect();
    let mut random = Random::new(4);
    for _ in 0..4000 {
        let mut pick = || {
            std::array::from_fn(|_| match random.unit() {
                u if u < 0.5 => special[(u * 50.0) as usize % special.len()],
                _ => random.between(-10.0, 10.0),
            })
        };
        let (x, y): ([f64; 3], [f64; 3]) = (pick(), pick());
        let slow = of(Portable, x, y);
        let fast = isa.map_or_else(|| slow.clone(), |isa| isa.enter(|| of(isa, x, y)));
        let same = |p: f64, q: f64| p.to_bits() == q.to_bits() || p.is_nan() && q.is_nan();
        assert!(
            fast.iter().flatten().zip(slow.iter().flatten()).all(|(&p, &q)| same(p, q)),
            "{x:?} {y:?}\n{fast:?}\n{slow:?}"
        );
        assert!(slow[0].iter().zip(x).all(|(&p, q)| same(p, q)), "what is loaded comes back");
    }
}

/// Collects the pairs of boxes of all leaves that a walk reaches.
struct Leaves<'a> {
    a: &'a Bvh<Aabb32, 8>,
    b: &'a Bvh<Aabb32, 8>,
    cutoff: f32,
    /// A way that is told at the start.
    direction: Option<[f32; 3]>,
    found: Vec<(u32, u32)>,
}

impl<'a> Leaves<'a> {
    fn new(a: &'a Bvh<Aabb32, 8>, b: &'a Bvh<Aabb32, 8>) -> Self {
        Self { a, b, cutoff: 0.0, direction: None, found: vec![] }
    }

    fn sorted(mut self) -> Vec<(u32, u32)> {
        self.found.sort_unstable();
        self.found
    }
}

impl PairVisitor for Leaves<'_> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }
    fn hint_direction(&mut self) -> Option<[f32; 3]> {
        self.direction.take()
    }
    fn visit_leaves<I: WideIsa>(&mut self, _: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        for &i in self.a.primitives(a) {
            self.found.extend(self.b.primitives(b).iter().map(|&j| (i, j)));
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn both_drivers_reach_every_pair_of_boxes_that_overlap() {
    let mut random = Random::new(11);
    for _ in 0..40 {
        let mut some = |count: usize| -> Vec<Aabb> {
            (0..count)
                .map(|_| {
                    let (centre, half) = (random.vector(1.0), random.vector(0.05).abs());
                    Aabb { min: centre - half, max: centre + half }
                })
                .collect()
        };
        let (of_a, of_b) = (some(200), some(150));
        let a = Bvh::<Aabb32, 8>::new(&Boxes::new(of_a.iter().copied())).unwrap();
        let b = Bvh::<Aabb32, 8>::new(&Boxes::new(of_b.iter().copied())).unwrap();
        let shift = random.vector(0.5);
        let (pose_a, pose_b) = (Pose::from_translation(shift).unwrap(), Pose::IDENTITY);
        let pose = RelativePose::new(a.frame(), &pose_a, b.frame(), &pose_b);
        let mut depth = Leaves::new(&a, &b);
        let work = walk_pair(&a, &b, &pose, &mut depth);
        let mut best = Leaves::new(&a, &b);
        walk_pair_best_first(&a, &b, &pose, &mut best);
        depth.found.sort_unstable();
        best.found.sort_unstable();
        assert_eq!(depth.found, best.found);
        // Most pairs are dismissed; more axes dismiss no fewer.
        let mut strict = Leaves::new(&a, &b);
        walk_pair(&a, &b, &pose.with_edge_axes(), &mut strict);
        assert!(depth.found.len() < 200 * 150 / 10 && strict.found.len() <= depth.found.len());
        strict.found.sort_unstable();
        assert!(work.primitives as usize == depth.found.len() && work.volumes > 0);
        for (i, p) in of_a.iter().enumerate() {
            let p = Aabb { min: p.min + shift, max: p.max + shift };
            for (j, q) in of_b.iter().enumerate() {
                let pair = (i as u32, j as u32);
                assert!(!p.overlaps(q) || strict.found.binary_search(&pair).is_ok());
                assert!(strict.found.binary_search(&pair).is_err() || depth.found.binary_search(&pair).is_ok());
            }
        }
    }
}

/// Wants all leaves and takes runs as they come by default: pair by pair.
struct AllLeaves<'a>(Leaves<'a>);

impl PairVisitor for AllLeaves<'_> {
    fn cutoff(&self) -> f32 {
        self.0.cutoff()
    }
    fn accepts_any_order(&self) -> bool {
        true
    }
    fn hint_direction(&mut self) -> Option<[f32; 3]> {
        self.0.hint_direction()
    }
    fn visit_leaves<I: WideIsa>(&mut self, isa: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        self.0.visit_leaves(isa, a, b)
    }
}

/// Hears of leaves in runs, and counts those of either tree that had more than one other; breaks off after some.
struct Runs<'a> {
    all: AllLeaves<'a>,
    long: [usize; 2],
    left: usize,
}

impl<'a> Runs<'a> {
    fn new(leaves: Leaves<'a>) -> Self {
        Self { all: AllLeaves(leaves), long: [0; 2], left: usize::MAX }
    }
}

impl PairVisitor for Runs<'_> {
    fn cutoff(&self) -> f32 {
        self.all.cutoff()
    }
    fn accepts_any_order(&self) -> bool {
        true
    }
    fn hint_direction(&mut self) -> Option<[f32; 3]> {
        self.all.hint_direction()
    }
    fn visit_leaves<I: WideIsa>(&mut self, isa: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        self.visit_leaf_run(isa, false, a, &[b])
    }
    fn visit_leaf_run<I: WideIsa>(&mut self, isa: I, is_of_b: bool, leaf: Leaf, others: &[Leaf]) -> ControlFlow<()> {
        assert!((1..=8).contains(&others.len()));
        self.long[usize::from(is_of_b)] += usize::from(others.len() > 1);
        self.all.visit_leaf_run(isa, is_of_b, leaf, others)?;
        self.left -= 1;
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The tree of `count` boxes about the origin, all `size` times as large as usual.
fn tree_of(random: &mut Random, count: usize, size: f64) -> Bvh<Aabb32, 8> {
    let boxes = (0..count).map(|_| {
        let (centre, half) = (random.vector(1.0) * size, random.vector(0.2).abs() * size);
        Aabb { min: centre - half, max: centre + half }
    });
    Bvh::new(&Boxes::new(boxes.collect::<Vec<_>>())).unwrap()
}

#[test]
fn runs_of_leaves_are_the_pairs_of_leaves() {
    let mut random = Random::new(12);
    for (count_a, count_b) in [(200, 150), (1, 90), (90, 1), (1, 1), (5, 3000)] {
        // Units of one tree are those of the other, or many of them; along the same axes in another order, and along others.
        let turned = Pose::from_quaternion([0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt()], Vec3::new(0.2, 0.1, 0.0));
        let poses = [Pose::IDENTITY, turned.unwrap(), pose(&mut random, Vec3::ZERO)];
        let direction = Some([0.6, -0.48, 0.64]);
        for (pose_b, size, cutoff, direction) in poses.into_iter().flat_map(|pose| {
            [
                (1.0, 0.0, None),
                (9.0, 0.0, None),
                (9.0, 0.1, None),
                (0.1, 0.03, None),
                (1.0, 0.0, direction),
                (5.0, 0.1, direction),
            ]
            .map(|(size, cutoff, direction)| (pose, size, cutoff, direction))
        }) {
            let (a, b) = (tree_of(&mut random, count_a, size), tree_of(&mut random, count_b, 1.0));
            let pose = RelativePose::new(a.frame(), &Pose::IDENTITY, b.frame(), &pose_b);
            let leaves = || Leaves { cutoff, direction, ..Leaves::new(&a, &b) };
            let mut one_by_one = leaves();
            let work = walk_pair(&a, &b, &pose, &mut one_by_one);
            let mut runs = Runs::new(leaves());
            assert_eq!(walk_pair(&a, &b, &pose, &mut runs), work, "the same work");
            let mut by_default = AllLeaves(leaves());
            assert_eq!(walk_pair(&a, &b, &pose, &mut by_default), work, "the same work");
            let (mut best_first, mut all_best_first) = (leaves(), AllLeaves(leaves()));
            let work = walk_pair_best_first(&a, &b, &pose, &mut best_first);
            assert_eq!(walk_pair_best_first(&a, &b, &pose, &mut all_best_first), work, "the same work");
            let expected = one_by_one.sorted();
            assert!(size != 1.0 || runs.long.iter().all(|&long| long > 10) || count_a.min(count_b) < 150);
            // Broken off, it has come as far.
            for left in [1, 2, 3, 7, 20] {
                let mut some = Runs { left, ..Runs::new(leaves()) };
                walk_pair(&a, &b, &pose, &mut some);
                assert!(some.left == 0 || some.all.0.found.len() == expected.len());
                assert!(runs.all.0.found.starts_with(&some.all.0.found));
            }
            assert_eq!(runs.all.0.sorted(), expected);
            assert_eq!(by_default.0.sorted(), expected);
            // Best-first asks the roots, too.
            assert_eq!(all_best_first.0.sorted(), best_first.sorted());
        }

        let b = tree_of(&mut random, count_b, 1.0);
        let mut one_by_one = Leaves::new(&b, &b);
        let work = walk_self(&b, &mut one_by_one);
        let mut runs = Runs::new(Leaves::new(&b, &b));
        assert_eq!(walk_self(&b, &mut runs), work, "the same work");
        // Of two leaves either may come first.
        let ordered = |found: Vec<(u32, u32)>| {
            let mut found: Vec<_> = found.into_iter().map(|(i, j)| (i.min(j), i.max(j))).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(ordered(runs.all.0.found), ordered(one_by_one.found));
    }
}
