//! The suite of `volumes.rs` on trees that have levels: meshes of 512 to 1,922 triangles deform, thousands of times in all, and trees of
//! every volume, degree and builder follow; boxes that deform meet boxes and oriented boxes that do not.

use crate::exactly::{Exact, check_held, local_points};
use heurt_bvh::relative::RelativePose;
use heurt_bvh::simd::{HasLanes, Machine};
use heurt_bvh::volume::{BoundingVolume, PairGap};

use crate::sheets::{Mesh, Reached, brute_force, for_every_volume, placed, pose, same_pairs, sheet};
use heurt_bvh::{Aabb32, BoxAxes, BuildOptions, Builder, Bvh, Obb, PrimitiveSource, walk_pair_best_first};
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_testkit::number::random::Random;

/// Cells along a side of a sheet: two triangles each.
const CELLS: [usize; 4] = [16, 20, 25, 31];

/// Places one sheet so that one of its triangles lies on one of the other, whatever their sizes.
fn touching_pose(a: &Mesh, b: &Mesh, random: &mut Random) -> Pose {
    let turn = pose(random, Vec3::ZERO);
    let mut middle = |mesh: &Mesh| {
        let [p, q, r] = mesh.triangle(random.whole(0, mesh.len() as i64 - 1) as u32);
        (p + q + r) / 3.0
    };
    Pose::from_matrix(*turn.rotation(), middle(b) - turn.place(middle(a))).unwrap()
}

/// Asks a tree all that `validate` asks, and in exact arithmetic whether its volumes hold one primitive in eight.
fn check<V: Exact, const W: usize>(tree: &Bvh<V, W>, mesh: &Mesh, random: &mut Random) {
    tree.validate(mesh).unwrap();
    let first = random.whole(0, 7) as u32;
    let checked = check_held(tree, mesh, &local_points(mesh, tree.frame()), |primitive| primitive % 8 == first);
    assert!(checked.unwrap() >= 3 * (mesh.len() / 8));
}

/// A sheet that deforms, step after step.
struct Body {
    rest: Mesh,
    now: Mesh,
    size: f64,
    steps: usize,
}

impl Body {
    fn new(cells: usize, random: &mut Random) -> Self {
        let rest = sheet(cells, random);
        // Anywhere in a round of deformations.
        Self { now: rest.clone(), rest, size: 1.0, steps: random.whole(0, 24) as usize }
    }

    /// Deforms; gives the triangles that moved if they are few. What drifts, tears and jumps adds up until the sheet is bent anew.
    fn deform(&mut self, random: &mut Random) -> Option<Vec<u32>> {
        let step = self.steps;
        self.steps += 1;
        match step % 25 {
            0 => {
                let power = if random.one_in(4) { random.between(-3.0, 3.0) } else { 0.0 };
                self.bend(random, 10f64.powf(power));
            }
            part if part % 5 == 4 => return Some(self.move_few(random, if part == 24 { 30.0 } else { 0.1 })),
            part if part % 5 == 3 => self.tear(random),
            _ => self.drift(random),
        }
        None
    }

    fn bend(&mut self, random: &mut Random, size: f64) {
        self.size = size;
        let (twist, wave) = (random.between(-2.0, 2.0), random.between(-0.2, 0.2));
        self.now = self.rest.moved(|p| {
            let (sin, cos) = (twist * p.x).sin_cos();
            Vec3::new(p.x, p.y * cos - p.z * sin, p.y * sin + p.z * cos + wave * (5.0 * p.x).sin()) * size
        });
    }

    fn drift(&mut self, random: &mut Random) {
        let (along, offset, phase) = (random.vector(6.0), random.vector(0.02), random.between(0.0, 6.0));
        let size = self.size;
        self.now = self.now.moved(|p| p + offset * (size * (along.dot(p / size) + phase).sin()));
    }

    /// Each triangle goes its own way.
    fn tear(&mut self, random: &mut Random) {
        let size = self.size;
        for triangle in self.now.0[0].chunks_mut(3) {
            let offset = random.vector(0.01 * size);
            triangle.iter_mut().for_each(|corner| *corner += offset);
        }
    }

    /// A few triangles, one of them twice, go as far as `far` sizes.
    fn move_few(&mut self, random: &mut Random, far: f64) -> Vec<u32> {
        let (size, last) = (self.size, self.now.len() as i64 - 1);
        let moved: Vec<u32> = (0..random.whole(1, 12)).map(|_| random.whole(0, last) as u32).collect();
        for &triangle in &moved {
            let offset = random.vector(far * size);
            (0..3).for_each(|k| self.now.0[0][3 * triangle as usize + k] += offset);
        }
        moved.iter().chain(&moved[..1]).copied().collect()
    }
}

/// A body and a tree that follows it.
struct Followed<V: Exact, const W: usize> {
    body: Body,
    tree: Bvh<V, W>,
}

impl<V: Exact, const W: usize> Followed<V, W>
where
    Machine: HasLanes<W>,
{
    fn new(cells: usize, options: &BuildOptions, random: &mut Random) -> Self {
        let body = Body::new(cells, random);
        Self { tree: Bvh::with_options(&body.now, options).unwrap(), body }
    }

    fn step(&mut self, random: &mut Random) {
        let (tree, moved) = (&mut self.tree, self.body.deform(random));
        match moved {
            Some(moved) => tree.refit_moved(&self.body.now, &moved),
            None if random.one_in(2) => tree.refit(&self.body.now),
            None => tree.move_points(&self.body.now),
        }
        .unwrap();
    }

    fn check(&self, random: &mut Random) {
        let Self { body, tree } = self;
        check(tree, &body.now, random);
        if V::KIND == Aabb32::KIND {
            let mut whole = tree.clone();
            whole.refit(&body.now).unwrap();
            assert!(whole.to_bytes() == tree.to_bytes(), "however it came about, a box is that of its points");
        }
    }
}

/// One tree over a sheet of so many cells a side follows so many deformations; gives how many pairs were met.
fn follow<V: Exact + PairGap<V>, const W: usize>(
    options: &BuildOptions,
    cells: usize,
    steps: usize,
    random: &mut Random,
) -> usize
where
    Machine: HasLanes<W>,
{
    let (mut a, mut b) =
        (Followed::<V, W>::new(cells, options, random), Followed::<V, W>::new(CELLS[0], options, random));
    let mut met = 0;
    for step in 0..steps {
        a.step(random);
        // Numbers that share no factor with the 25 of a round of deformations.
        if step % 7 == 6 {
            b.step(random);
            let (pose_a, pose_b) = (touching_pose(&a.body.now, &b.body.now, random), Pose::IDENTITY);
            let expected = brute_force((&a.body.now, &pose_a), (&b.body.now, &pose_b));
            same_pairs((&a.body.now, &a.tree, &pose_a), (&b.body.now, &b.tree, &pose_b), &expected);
            met += expected.len();
        }
        if step % 49 == 48 {
            a.check(random);
            b.check(random);
        }
    }
    met
}

fn a_thousand_deformations<V: Exact + PairGap<V>>() {
    let met = follow::<V, 8>(&BuildOptions::default(), 25, 1_000, &mut Random::new(71));
    assert!(met > 5_000, "{met} pairs");
}

#[test]
fn every_volume_follows_a_large_mesh_through_a_thousand_deformations() {
    for_every_volume!(a_thousand_deformations);
}

/// Leaf sizes and sizes of meshes take turns.
fn options_and_cells(turn: usize, builder: Builder) -> (BuildOptions, usize) {
    let options = BuildOptions {
        builder,
        leaf_size: [1, 4, 8][turn % 3],
        axes: BoxAxes::ALL[turn / 3 % 3],
        ..BuildOptions::default()
    };
    (options, CELLS[turn % 4])
}

fn every_degree_and_builder_follows_large_meshes<V: Exact + PairGap<V>>() {
    let (mut random, mut met) = (Random::new(73), 0);
    let random = &mut random;
    for (turn, builder) in Builder::ALL.into_iter().enumerate() {
        let of = |degree: usize| options_and_cells(turn + degree, builder);
        met += follow::<V, 2>(&of(0).0, of(0).1, 50, random);
        met += follow::<V, 4>(&of(1).0, of(1).1, 50, random);
        met += follow::<V, 8>(&of(2).0, of(2).1, 50, random);
    }
    assert!(met > 8_000, "{met} pairs");
}

#[test]
fn every_volume_degree_and_builder_follows_large_meshes() {
    for_every_volume!(every_degree_and_builder_follows_large_meshes);
}

/// Boxes that follow a body in all ways they can, loose ones among them.
struct Soft<const W: usize> {
    body: Body,
    tree: Bvh<Aabb32, W>,
    /// By how much boxes may be too large.
    grown: f64,
    is_rotated: bool,
}

impl<const W: usize> Soft<W>
where
    Machine: HasLanes<W>,
{
    fn new(cells: usize, options: &BuildOptions, random: &mut Random) -> Self {
        let body = Body::new(cells, random);
        Self { tree: Bvh::with_options(&body.now, options).unwrap(), body, grown: 0.0, is_rotated: false }
    }

    /// Gives whether only what is near something was fitted.
    fn step(&mut self, near: &[Aabb], random: &mut Random) -> bool {
        let before = self.body.now.clone();
        let (tree, moved) = (&mut self.tree, self.body.deform(random));
        let now = &self.body.now;
        if let Some(moved) = moved {
            tree.refit_moved(now, &moved).unwrap();
            return false;
        }
        let by = match random.whole(0, 7) {
            0 => tree.refit(now).map(|_| 0.0),
            1 => tree.move_points(now).map(|_| 0.0),
            _ => {
                let room = 0.1 * self.body.size - self.grown;
                tree.refit_near(now, before.points(), near, room).map(|moved| moved.grown)
            }
        };
        let by = by.unwrap();
        self.grown = if by == 0.0 { 0.0 } else { self.grown + by };
        if random.one_in(60) {
            self.is_rotated |= tree.rotate() > 0;
        }
        by > 0.0
    }
}

/// A tree of a rigid body and one of boxes that deform, of one degree and builder. Gives how many pairs were met, how many
/// steps fitted only what was near, and how often exact arithmetic was asked.
fn mixed<A, const W: usize>(options: &BuildOptions, cells: usize, steps: usize, random: &mut Random) -> [usize; 3]
where
    A: PairGap<Aabb32>,
    Aabb32: PairGap<A, PairConstants = A::PairConstants>,
    Machine: HasLanes<W>,
{
    let mut rigid = Body::new(CELLS[1], random);
    rigid.bend(random, 1.0);
    let rigid = rigid.now;
    // Built as such, or over the structure of another tree, as shapes do it.
    let aligned = Bvh::<Aabb32, W>::with_options(&rigid, options).unwrap();
    let as_shapes = aligned.with_volumes::<A>(&rigid, options.axes, options.parallel).unwrap();
    let trees = [Bvh::<A, W>::with_options(&rigid, options).unwrap(), as_shapes];
    trees.iter().for_each(|tree| tree.validate(&rigid).unwrap());
    let mut soft = Soft::<W>::new(cells, options, random);
    let [mut met, mut partial, mut exact] = [0; 3];
    for step in 0..steps {
        // Where it meets what the sheet was a step ago.
        let (pose_a, pose_b) = (touching_pose(&rigid, &soft.body.now, random), Pose::IDENTITY);
        let near = (0..rigid.len() as u32).map(|i| Aabb::from_points(placed(rigid.triangle(i), &pose_a)));
        let near: Vec<Aabb> = near.step_by(1 + step % 3).collect();
        partial += usize::from(soft.step(if step % 4 == 0 { &[] } else { &near[..32] }, random));
        if step % 49 == 48 {
            soft.tree.validate(&soft.body.now).unwrap();
            if !soft.is_rotated {
                check(&soft.tree, &soft.body.now, random);
                exact += 1;
            }
        }
        if step % 7 != 6 {
            continue;
        }
        let (now, tree_b, tree_a) = (&soft.body.now, &soft.tree, &trees[step % 2]);
        let expected = brute_force((&rigid, &pose_a), (now, &pose_b));
        same_pairs((&rigid, tree_a, &pose_a), (now, tree_b, &pose_b), &expected);
        let mut swapped: Vec<[u32; 2]> = expected.iter().map(|&[i, j]| [j, i]).collect();
        swapped.sort_unstable();
        same_pairs((now, tree_b, &pose_b), (&rigid, tree_a, &pose_a), &swapped);
        let pose = RelativePose::new(tree_a.frame(), &pose_a, tree_b.frame(), &pose_b);
        for pose in [pose, pose.with_edge_axes()] {
            let mut reached = Reached { a: tree_a, b: tree_b, pairs: vec![] };
            walk_pair_best_first(tree_a, tree_b, &pose, &mut reached);
            reached.pairs.sort_unstable();
            assert!(expected.iter().all(|pair| reached.pairs.binary_search(pair).is_ok()), "nearest first");
        }
        met += expected.len();
    }
    [met, partial, exact]
}

fn rigid_meets_deforming<A>()
where
    A: PairGap<Aabb32>,
    Aabb32: PairGap<A, PairConstants = A::PairConstants>,
{
    let mut random = Random::new(79);
    let random = &mut random;
    let [mut met, mut partial, mut exact] = [0; 3];
    for (turn, builder) in Builder::ALL.into_iter().enumerate() {
        let of = |degree: usize| options_and_cells(turn + degree, builder);
        let each = [
            mixed::<A, 2>(&of(0).0, of(0).1, 50, random),
            mixed::<A, 4>(&of(1).0, of(1).1, 50, random),
            mixed::<A, 8>(&of(2).0, of(2).1, 100, random),
        ];
        for counts in each {
            [met, partial, exact] = [met + counts[0], partial + counts[1], exact + counts[2]];
        }
    }
    assert!(met > 10_000 && partial > 500 && exact > 10, "{met} pairs, {partial} partial fits, {exact} exact");
}

#[test]
fn aligned_and_oriented_boxes_of_rigid_bodies_meet_boxes_that_deform() {
    rigid_meets_deforming::<Obb>();
    rigid_meets_deforming::<Aabb32>();
}
