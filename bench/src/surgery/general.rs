//! The same trees of S2 out of heurt's own parts: binary, a triangle a leaf, oriented boxes for rigid objects, aligned ones for
//! soft bodies, through the general walk.

use super::scene::{Hit, Method, Moment, Scene, corners, placed};
use heurt_bvh::simd::WideIsa;
use heurt_bvh::volume::PairGap;
use heurt_bvh::{
    Aabb32, BoundingVolume, BoxAxes, BuildOptions, Builder, Bvh, Leaf, PairVisitor, PrimitiveSource, RelativePose,
    walk_pair,
};
use heurt_geometry::{Pose, Triangle, Vec3, triangles_intersect};
use std::ops::ControlFlow;

/// Faces over shared vertices.
struct Faces<'a>(&'a [Vec3], &'a [[u32; 3]]);

impl PrimitiveSource for Faces<'_> {
    fn len(&self) -> usize {
        self.1.len()
    }
    fn points(&self) -> &[Vec3] {
        self.0
    }
    #[inline(always)]
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        self.1[primitive as usize]
    }
}

type Oriented = Bvh<heurt_bvh::Obb, 2>;
type Aligned = Bvh<Aabb32, 2>;

/// All trees of a scene.
pub struct General<'a> {
    scene: &'a Scene,
    organs: Vec<(Oriented, Vec<Triangle>)>,
    instrument: Oriented,
    shaft: Vec<Triangle>,
    soft: Vec<Aligned>,
}

fn tree<V: BoundingVolume>(source: &Faces<'_>, builder: Builder) -> Bvh<V, 2> {
    let options = BuildOptions { builder, leaf_size: 1, axes: BoxAxes::Vertices, parallel: false };
    Bvh::with_options(source, &options).expect("a mesh that fits a tree")
}

impl<'a> General<'a> {
    /// Builds all trees.
    pub fn new(scene: &'a Scene) -> Self {
        let rigid = |mesh: &heurt_mesh::TriMesh| tree(&Faces(mesh.vertices(), mesh.triangles()), Builder::EigenMedian);
        let organs = scene.organs.iter().map(|(mesh, _)| rigid(mesh)).zip(scene.placed_organs());
        let soft = scene.soft.iter().map(|mesh| tree(&Faces(mesh.vertices(), mesh.triangles()), Builder::Median));
        Self {
            scene,
            organs: organs.collect(),
            instrument: rigid(&scene.instrument),
            shaft: Vec::new(),
            soft: soft.collect(),
        }
    }
}

/// Decides pairs of leaves.
struct Decide<'a, A: BoundingVolume, B: BoundingVolume, F> {
    a: &'a Bvh<A, 2>,
    b: &'a Bvh<B, 2>,
    leaves: F,
}

impl<A: BoundingVolume, B: BoundingVolume, F: FnMut(u32, u32)> PairVisitor for Decide<'_, A, B, F> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        0.0
    }
    #[inline(always)]
    fn visit_leaves<I: WideIsa>(&mut self, _isa: I, a: Leaf, b: Leaf) -> ControlFlow<()> {
        (self.leaves)(self.a.primitives(a)[0], self.b.primitives(b)[0]);
        ControlFlow::Continue(())
    }
}

fn walk<A, B>((a, pose_a): (&Bvh<A, 2>, &Pose), (b, pose_b): (&Bvh<B, 2>, &Pose), leaves: impl FnMut(u32, u32))
where
    A: PairGap<B>,
    B: PairGap<A, PairConstants = A::PairConstants>,
{
    let relative = RelativePose::new(a.frame(), pose_a, b.frame(), pose_b);
    walk_pair(a, b, &relative, &mut Decide { a, b, leaves });
}

impl Method for General<'_> {
    fn update(&mut self, moment: &Moment) {
        self.shaft = placed(&self.scene.instrument, &moment.instrument);
        for (body, tree) in self.soft.iter_mut().enumerate() {
            let source = Faces(&moment.soft[body], self.scene.soft[body].triangles());
            tree.refit(&source).expect("finite vertices");
        }
    }

    fn detect(&mut self, moment: &Moment, found: &mut Vec<Hit>) {
        let Self { scene, organs, instrument, shaft, soft } = self;
        let shaft_id = scene.instrument_id();
        let here = &Pose::IDENTITY;
        for (organ, (tree, faces)) in organs.iter().enumerate() {
            let objects = [organ as u32, shaft_id];
            walk((tree, &scene.organs[organ].1), (instrument, &moment.instrument), |x, y| {
                if triangles_intersect(&faces[x as usize], &shaft[y as usize]) {
                    found.push(Hit { objects, faces: [x, y] });
                }
            });
        }
        for (body, tree) in soft.iter().enumerate() {
            let id = scene.soft_id(body);
            let triangles = scene.soft[body].triangles();
            let face_of = |face: u32| corners(&moment.soft[body], triangles[face as usize]);
            for (organ, (of_organ, faces)) in organs.iter().enumerate() {
                let objects = [organ as u32, id];
                walk((of_organ, &scene.organs[organ].1), (tree, here), |x, y| {
                    if triangles_intersect(&faces[x as usize], &face_of(y)) {
                        found.push(Hit { objects, faces: [x, y] });
                    }
                });
            }
            walk((instrument, &moment.instrument), (tree, here), |x, y| {
                if triangles_intersect(&shaft[x as usize], &face_of(y)) {
                    found.push(Hit { objects: [shaft_id, id], faces: [x, y] });
                }
            });
            for (other, of_other) in soft.iter().enumerate().take(if scene.mutual { body } else { 0 }) {
                let triangles = scene.soft[other].triangles();
                let objects = [scene.soft_id(other), id];
                walk((of_other, here), (tree, here), |x, y| {
                    if triangles_intersect(&corners(&moment.soft[other], triangles[x as usize]), &face_of(y)) {
                        found.push(Hit { objects, faces: [x, y] });
                    }
                });
            }
        }
    }
}
