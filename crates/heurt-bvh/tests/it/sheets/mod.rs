//! Meshes that deform, and what pairs of trees over them must find.

use heurt_bvh::relative::RelativePose;
use heurt_bvh::simd::{HasLanes, Machine, WideIsa};
use heurt_bvh::volume::{BoundingVolume, PairGap};
use heurt_bvh::walk::PairVisitor;
use heurt_bvh::{Bvh, Leaf, PrimitiveSource, walk_pair};
use heurt_geometry::{Aabb, Pose, Triangle, Vec3, triangles_intersect};
use heurt_testkit::number::random::Random;
use std::ops::ControlFlow;

/// Runs a generic function for every volume.
macro_rules! for_every_volume {
    ($run:ident $(, $argument:expr)*) => {
        $run::<heurt_bvh::Aabb32>($($argument),*);
        $run::<heurt_bvh::AabbSlab>($($argument),*);
        $run::<heurt_bvh::Obb>($($argument),*);
        $run::<heurt_bvh::Sphere>($($argument),*);
        $run::<heurt_bvh::KDop14>($($argument),*);
        $run::<heurt_bvh::KDop18>($($argument),*);
        $run::<heurt_bvh::KDop26>($($argument),*);
        $run::<heurt_bvh::Rss>($($argument),*);
    };
}
pub(crate) use for_every_volume;

/// A rotation; every third one close to a quarter turn or to none.
pub fn pose(random: &mut Random, translation: Vec3) -> Pose {
    let mut q = [0; 4].map(|_| random.between(-1.0, 1.0));
    if random.unit() < 0.3 {
        let tiny = 10f64.powf(-16.0 * random.unit());
        let turn = if random.unit() < 0.5 { 1.0 } else { 0.0 };
        q = [q[0] * tiny + turn, q[1] * tiny, q[2] * tiny, 1.0];
    }
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    Pose::from_quaternion(q.map(|x| x / norm), translation).unwrap()
}

/// Triangles, each with corners of its own.
#[derive(Clone)]
pub struct Mesh(pub Vec<Vec<Vec3>>);

impl Mesh {
    pub fn triangle(&self, index: u32) -> Triangle {
        let first = 3 * index as usize;
        [self.0[0][first], self.0[0][first + 1], self.0[0][first + 2]]
    }
    pub fn moved(&self, mut by: impl FnMut(Vec3) -> Vec3) -> Self {
        Self(vec![self.0[0].iter().map(|p| by(*p)).collect()])
    }
}

impl PrimitiveSource for Mesh {
    fn len(&self) -> usize {
        self.0[0].len() / 3
    }
    fn points(&self) -> &[Vec3] {
        &self.0[0]
    }
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        [3 * primitive, 3 * primitive + 1, 3 * primitive + 2]
    }
}

pub fn placed(triangle: Triangle, pose: &Pose) -> Triangle {
    triangle.map(|corner| pose.place(corner))
}

/// Collects the pairs of primitives of all leaves that a walk reaches.
pub struct Reached<'a, A: BoundingVolume, B: BoundingVolume, const W: usize> {
    pub a: &'a Bvh<A, W>,
    pub b: &'a Bvh<B, W>,
    pub pairs: Vec<[u32; 2]>,
}

impl<A: BoundingVolume, B: BoundingVolume, const W: usize> PairVisitor for Reached<'_, A, B, W> {
    fn cutoff(&self) -> f32 {
        0.0
    }
    fn visit_leaves<I: WideIsa>(&mut self, _: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        for &i in self.a.primitives(a) {
            self.pairs.extend(self.b.primitives(b).iter().map(|&j| [i, j]));
        }
        ControlFlow::Continue(())
    }
}

/// The same for a walk of which all leaves are wanted, in whatever order.
pub struct AllReached<'a, A: BoundingVolume, B: BoundingVolume, const W: usize>(pub Reached<'a, A, B, W>);

impl<A: BoundingVolume, B: BoundingVolume, const W: usize> PairVisitor for AllReached<'_, A, B, W> {
    fn cutoff(&self) -> f32 {
        self.0.cutoff()
    }
    fn accepts_any_order(&self) -> bool {
        true
    }
    fn visit_leaves<I: WideIsa>(&mut self, isa: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        self.0.visit_leaves(isa, a, b)
    }
}

/// The pairs that intersect, by walking and by brute force.
pub fn same_pairs<A, B, const W: usize>(
    (a, tree_a, pose_a): (&Mesh, &Bvh<A, W>, &Pose),
    (b, tree_b, pose_b): (&Mesh, &Bvh<B, W>, &Pose),
    expected: &[[u32; 2]],
) where
    A: PairGap<B>,
    B: PairGap<A, PairConstants = A::PairConstants>,
    Machine: HasLanes<W>,
{
    let pose = RelativePose::new(tree_a.frame(), pose_a, tree_b.frame(), pose_b);
    let mut depth = Reached { a: tree_a, b: tree_b, pairs: vec![] };
    let work = walk_pair(tree_a, tree_b, &pose, &mut depth);
    assert!(work.primitives as usize == depth.pairs.len());
    let mut reached = depth.pairs;
    let mut all = AllReached(Reached { a: tree_a, b: tree_b, pairs: vec![] });
    assert_eq!(walk_pair(tree_a, tree_b, &pose, &mut all), work, "leaves in runs cost the same");
    reached.sort_unstable();
    all.0.pairs.sort_unstable();
    assert!(all.0.pairs == reached, "leaves in runs are the same");
    reached.retain(|&[i, j]| triangles_intersect(&placed(a.triangle(i), pose_a), &placed(b.triangle(j), pose_b)));
    assert_eq!(reached, expected);
}

/// Every pair whose boxes overlap, asked.
pub fn brute_force((a, pose_a): (&Mesh, &Pose), (b, pose_b): (&Mesh, &Pose)) -> Vec<[u32; 2]> {
    let place = |mesh: &Mesh, pose: &Pose| -> Vec<(Aabb, Triangle)> {
        let triangles = (0..mesh.len() as u32).map(|i| placed(mesh.triangle(i), pose));
        triangles.map(|triangle| (Aabb::from_points(triangle), triangle)).collect()
    };
    let (of_a, of_b) = (place(a, pose_a), place(b, pose_b));
    let all = (0..of_a.len()).flat_map(|i| (0..of_b.len()).map(move |j| [i, j]));
    let near = all.filter(|&[i, j]| of_a[i].0.overlaps(&of_b[j].0));
    near.filter(|&[i, j]| triangles_intersect(&of_a[i].1, &of_b[j].1)).map(|pair| pair.map(|k| k as u32)).collect()
}

/// A wavy sheet of triangles that share no corners but touch along their sides.
pub fn sheet(cells: usize, random: &mut Random) -> Mesh {
    let height = [0; 4].map(|_| random.between(-0.4, 0.4));
    let point = |i: usize, j: usize| {
        let (x, y) = (i as f64 / cells as f64 - 0.5, j as f64 / cells as f64 - 0.5);
        Vec3::new(x, y, height[0] * x * x + height[1] * x * y + height[2] * y * y + height[3] * x)
    };
    let corners = (0..cells).flat_map(|i| (0..cells).map(move |j| (i, j))).flat_map(|(i, j)| {
        let [p, q, r, s] = [point(i, j), point(i + 1, j), point(i, j + 1), point(i + 1, j + 1)];
        [p, q, r, r, q, s]
    });
    Mesh(vec![corners.collect()])
}
