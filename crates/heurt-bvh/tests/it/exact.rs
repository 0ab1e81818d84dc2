//! Every volume, degree and builder on random cases, judged in exact arithmetic: a volume holds what is below it, and no gap is above the
//! distance, whatever pose and `f32` round.

use crate::exactly::{Exact, check_held, local_points, square};
use crate::soup::Soup;
use heurt_bvh::relative::RelativePose;
use heurt_bvh::simd::{HasLanes, Machine, WideIsa};
use heurt_bvh::volume::{BoundingVolume, PairGap};
use heurt_bvh::walk::PairVisitor;
use heurt_bvh::{
    Aabb32, AabbSlab, BoxAxes, BuildOptions, Builder, Bvh, KDop14, KDop18, KDop26, Leaf, Obb, PrimitiveSource, Rss,
    Sphere, TreeFrame, walk_pair,
};
use heurt_geometry::{Pose, Vec3};
use heurt_testkit::number::dyadic::{Dyadic, dot, minus};
use heurt_testkit::number::random::Random;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Runs a method of something for every volume and degree.
macro_rules! for_every_kind {
    ($of:expr, $run:ident) => {
        for_every_kind!($of, $run, Aabb32, AabbSlab, Obb, Sphere, KDop14, KDop18, KDop26, Rss)
    };
    ($of:expr, $run:ident, $($volume:ty),*) => {
        $($of.$run::<$volume, 2>(); $of.$run::<$volume, 4>(); $of.$run::<$volume, 8>();)*
    };
}

/// Triangles in general position, flat, on a line, at one place, long and thin; anywhere and of any size.
fn triangles(random: &mut Random, kind: usize, count: u32) -> Soup {
    let thin = 10f64.powf(-6.0 * random.unit());
    let size = if random.one_in(2) { 1.0 } else { 10f64.powf(random.between(-4.0, 4.0)) };
    let away = if random.one_in(3) { 1e5 } else { 0.0 };
    let shift = random.vector(away);
    let mut point = |k: u32| {
        let p = random.vector(1.0);
        let p = match kind % 5 {
            0 => p,
            1 => Vec3::new(p.x, p.y, thin * p.z * p.z),
            2 => Vec3::new(p.x, 2.0 * p.x, thin * p.y),
            3 => Vec3::splat(0.25) + p * thin * 1e-9,
            _ => Vec3::new(p.x, p.y * thin, f64::from(k) * 0.1),
        };
        p * size + shift
    };
    let points = (0..3 * count).map(|corner| point(corner / 3)).collect();
    Soup { points, primitives: (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect() }
}

/// A rotation; every third one close to a quarter turn or to none.
fn rotation(random: &mut Random) -> Pose {
    let tiny = if random.one_in(3) { 10f64.powf(-16.0 * random.unit()) } else { 1.0 };
    let mut q = [0; 4].map(|_| random.between(-1.0, 1.0) * tiny);
    q[3] += 1.0;
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    Pose::from_quaternion(q.map(|x| x / norm), Vec3::ZERO).unwrap()
}

/// How trees are built, of all builders; leaf sizes and rules for axes take turns.
fn all_options(round: usize) -> impl Iterator<Item = BuildOptions> {
    Builder::ALL.into_iter().enumerate().map(move |(k, builder)| BuildOptions {
        builder,
        leaf_size: [1, 2, 8][(round + k) % 3],
        axes: BoxAxes::ALL[(round + k / 3) % 3],
        ..BuildOptions::default()
    })
}

/// A soup and its points in local units of its frame, which all trees over it have.
struct Held {
    soup: Soup,
    round: usize,
    points: Vec<[Dyadic; 3]>,
}

impl Held {
    fn new(soup: Soup, round: usize) -> Self {
        Self { points: local_points(&soup, &frame_of(&soup)), soup, round }
    }

    /// Asks every volume of a tree of each builder for every point below it.
    fn check<V: Exact, const W: usize>(&self)
    where
        Machine: HasLanes<W>,
    {
        for options in all_options(self.round) {
            let tree = Bvh::<V, W>::with_options(&self.soup, &options).unwrap();
            let checked = check_held(&tree, &self.soup, &self.points, |_| true);
            let checked = checked.unwrap_or_else(|fault| panic!("{options:?}: {fault}"));
            assert!(checked >= self.soup.points.len());
        }
    }
}

#[test]
fn every_volume_holds_what_is_below_it() {
    let mut random = Random::new(61);
    for round in 0..10 {
        let held = Held::new(triangles(&mut random, round, 10), round);
        for_every_kind!(held, check);
    }
}

/// Two placed soups, and what walks over trees of them must reach.
struct Pair {
    a: (Soup, Pose),
    b: (Soup, Pose),
    queries: Vec<CutoffQuery>,
    round: usize,
}

/// A cutoff, and the pairs of triangles that are not farther apart.
struct CutoffQuery {
    /// Whether the walk has the second soup for its first.
    is_from_b: bool,
    cutoff: f32,
    within: Vec<[u32; 2]>,
}

/// How near each pair of triangles is at some points, squared, in metres: never nearer than the triangles are.
type Near = Vec<([u32; 2], Dyadic)>;

/// Points of a placed triangle times four, so that none is rounded: corners, middles of sides, and one inside.
fn fourfold(soup: &Soup, pose: &Pose, triangle: u32) -> Vec<[Dyadic; 3]> {
    let corners =
        soup.primitives[triangle as usize].map(|corner| Dyadic::of_point(pose.place(soup.points[corner as usize])));
    let weights = [[4, 0, 0], [0, 4, 0], [0, 0, 4], [2, 2, 0], [0, 2, 2], [2, 0, 2], [1, 1, 2]];
    let weighted = |w: [i8; 3]| [0, 1, 2].map(|k| dot(&w.map(Dyadic::of), &[0, 1, 2].map(|i| corners[i][k].clone())));
    weights.map(weighted).to_vec()
}

fn near(a: &(Soup, Pose), b: &(Soup, Pose)) -> Near {
    let points = |(soup, pose): &(Soup, Pose)| -> Vec<Vec<[Dyadic; 3]>> {
        (0..soup.len() as u32).map(|triangle| fourfold(soup, pose, triangle)).collect()
    };
    let (of_a, of_b) = (points(a), points(b));
    let sixteenth = Dyadic::power_of_two(-4);
    let nearest = |i: usize, j: usize| {
        let offs = of_a[i].iter().flat_map(|p| of_b[j].iter().map(move |q| minus(p, q)));
        &offs.map(|off| dot(&off, &off)).min().expect("points") * &sixteenth
    };
    let all = (0..of_a.len()).flat_map(|i| (0..of_b.len()).map(move |j| (i, j)));
    all.map(|(i, j)| ([i as u32, j as u32], nearest(i, j))).collect()
}

/// For some of the distances the least cutoff that reaches so far, in doubled units of the tree that the walk has first.
fn queries(near: &Near, soup: &Soup, is_from_b: bool) -> Vec<CutoffQuery> {
    let unit = Dyadic::of(frame_of(soup).inverse_scale());
    let doubled = &unit + &unit;
    let is_within = |squared: &Dyadic, cutoff: f32| &square(&doubled) * squared <= square(&Dyadic::of(cutoff));
    let one = |(_, squared): &([u32; 2], Dyadic)| {
        let cutoff = least_above(|cutoff| is_within(squared, cutoff));
        let within = near.iter().filter(|(_, squared)| is_within(squared, cutoff)).map(|(pair, _)| *pair);
        CutoffQuery { is_from_b, cutoff, within: within.collect() }
    };
    near.iter().step_by(9).map(one).collect()
}

/// The frame that all trees over a soup have.
fn frame_of(soup: &Soup) -> TreeFrame {
    *Bvh::<Aabb32, 8>::new(soup).unwrap().frame()
}

impl Pair {
    fn new(a: (Soup, Pose), b: (Soup, Pose), round: usize) -> Self {
        let near = near(&a, &b);
        let is_touching = near.iter().any(|(_, squared)| *squared == Dyadic::of(0.0));
        assert!(is_touching || round % 2 == 1);
        let mut all = queries(&near, &a.0, false);
        all.extend(queries(&near, &b.0, true));
        // Touching pairs must be reached with no cutoff to help.
        all.extend([false, true].map(|is_from_b| {
            let touching = near.iter().filter(|(_, squared)| *squared == Dyadic::of(0.0)).map(|(pair, _)| *pair);
            CutoffQuery { is_from_b, cutoff: 0.0, within: touching.collect() }
        }));
        Self { a, b, queries: all, round }
    }

    /// Random soups: in a half of the rounds a corner of each is the same point of the world to the last bit, else they are apart.
    fn random(random: &mut Random, round: usize) -> Self {
        let (a, mut b) = (triangles(random, round, 7), triangles(random, round / 2, 5));
        let turn = rotation(random);
        let pose_a = Pose::from_matrix(*turn.rotation(), random.vector(2.0)).unwrap();
        let at = (random.unit() * a.points.len() as f64) as usize;
        let corner = (random.unit() * b.points.len() as f64) as usize;
        if round.is_multiple_of(2) {
            // Not turned, B stands where its vertices are.
            b.points[corner] = pose_a.place(a.points[at]);
            return Self::new((a, pose_a), (b, Pose::IDENTITY), round);
        }
        let turn = rotation(random);
        let size = 10f64.powf(random.between(-3.0, 3.0));
        let shifted_by = random.vector(size);
        let shift = pose_a.place(a.points[at]) - turn.place(b.points[corner]) + shifted_by;
        let pose_b = Pose::from_matrix(*turn.rotation(), shift).unwrap();
        Self::new((a, pose_a), (b, pose_b), round)
    }

    /// Walks trees of each builder from both sides: every pair of triangles that is not farther apart than the cutoff must be reached.
    fn check<V: PairGap<V>, const W: usize>(&self)
    where
        Machine: HasLanes<W>,
    {
        for options in all_options(self.round) {
            let build = |soup: &Soup| Bvh::<V, W>::with_options(soup, &options).unwrap();
            let (a, b) = (build(&self.a.0), build(&self.b.0));
            for CutoffQuery { is_from_b, cutoff, within } in &self.queries {
                let reached = match is_from_b {
                    false => reached((&a, &self.a.1), (&b, &self.b.1), *cutoff),
                    true => reached((&b, &self.b.1), (&a, &self.a.1), *cutoff),
                };
                for &[i, j] in within {
                    let pair = if *is_from_b { [j, i] } else { [i, j] };
                    assert!(reached.contains(&pair), "{options:?}: {pair:?} is left out at {cutoff}");
                }
            }
        }
    }
}

/// The pairs that a walk reaches.
fn reached<V: PairGap<V>, const W: usize>(
    (one, pose_one): (&Bvh<V, W>, &Pose),
    (other, pose_other): (&Bvh<V, W>, &Pose),
    cutoff: f32,
) -> BTreeSet<[u32; 2]>
where
    Machine: HasLanes<W>,
{
    let mut reached = Reached { one, other, cutoff, pairs: BTreeSet::new() };
    walk_pair(one, other, &RelativePose::new(one.frame(), pose_one, other.frame(), pose_other), &mut reached);
    reached.pairs
}

/// The least float of at least 0 that passes, among those that pass from one on.
fn least_above(passes: impl Fn(f32) -> bool) -> f32 {
    let (mut low, mut high) = (0u32, f32::MAX.to_bits());
    while low < high {
        let middle = low + (high - low) / 2;
        if passes(f32::from_bits(middle)) { high = middle } else { low = middle + 1 }
    }
    f32::from_bits(low)
}

/// Collects the pairs of primitives of all leaves that a walk reaches.
struct Reached<'a, V: BoundingVolume, const W: usize> {
    one: &'a Bvh<V, W>,
    other: &'a Bvh<V, W>,
    cutoff: f32,
    pairs: BTreeSet<[u32; 2]>,
}

impl<V: BoundingVolume, const W: usize> PairVisitor for Reached<'_, V, W> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }
    fn visit_leaves<I: WideIsa>(&mut self, _: I, one: Leaf, other: Leaf) -> ControlFlow<()> {
        for &i in self.one.primitives(one) {
            self.pairs.extend(self.other.primitives(other).iter().map(|&j| [i, j]));
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn no_gap_is_above_the_distance() {
    let mut random = Random::new(67);
    for round in 0..12 {
        let pair = Pair::random(&mut random, round);
        for_every_kind!(pair, check);
    }
}
