//! heurt behind a few functions, so that the rest of the harness names none of its verbs.

use heurt_bvh::{Aabb32, BoxAxes, BuildOptions, Builder, Bvh, PrimitiveSource, VolumeKind};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_query::{Location, OverlapOptions, PairsOptions, Ray, TreePair};
use heurt_shape::{AnyTree, Degree, MeshShape, TreeChoice};

/// What a query did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    /// Volumes tested.
    pub volumes: u64,
    /// Pairs of triangles tested.
    pub primitives: u64,
}

/// The builds that are measured: name, split rule, most triangles in a leaf.
pub const BUILDS: [(&str, (Builder, u32)); 5] = [
    ("default (binned SAH, leaf ≤ 8)", (Builder::BinnedSah, 8)),
    ("binned SAH, leaf 1", (Builder::BinnedSah, 1)),
    ("median, leaf ≤ 8", (Builder::Median, 8)),
    ("mean, leaf ≤ 8", (Builder::Mean, 8)),
    ("Morton, leaf ≤ 8", (Builder::Morton, 8)),
];

/// The triangles of a mesh as primitives.
pub struct Triangles<'a>(pub &'a TriMesh);

impl PrimitiveSource for Triangles<'_> {
    fn len(&self) -> usize {
        self.0.triangles().len()
    }
    fn points(&self) -> &[Vec3] {
        self.0.vertices()
    }
    #[inline(always)]
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        self.0.triangles()[primitive as usize]
    }
    #[inline(always)]
    fn prefetch<I: heurt_bvh::simd::WideIsa>(&self, isa: I, primitive: u32) {
        isa.prefetch(&self.0.triangles()[primitive as usize]);
    }
}

/// A tree without leaf blocks, as `MeshShape` has it.
pub struct Tree(Bvh<Aabb32, 8>);

fn tree(mesh: &TriMesh, builder: Builder, leaf_size: u32) -> Bvh<Aabb32, 8> {
    let options = BuildOptions { builder, leaf_size, parallel: false, ..BuildOptions::default() };
    Bvh::with_options(&Triangles(mesh), &options).expect("a mesh that fits a tree")
}

/// Builds a tree on one thread.
pub fn build(mesh: &TriMesh, (builder, leaf_size): (Builder, u32)) -> u64 {
    tree(mesh, builder, leaf_size).len() as u64
}

/// Builds the tree of S0 §4.5.4 on one thread: binary, halved at the median of the longest axis, a triangle a leaf.
pub fn build_as_s0(mesh: &TriMesh) -> u64 {
    let options = BuildOptions { builder: Builder::Median, leaf_size: 1, parallel: false, ..BuildOptions::default() };
    Bvh::<Aabb32, 2>::with_options(&Triangles(mesh), &options).expect("a mesh that fits a tree").len() as u64
}

impl Tree {
    /// Builds the default tree.
    pub fn new(mesh: &TriMesh) -> Self {
        Self(tree(mesh, Builder::default(), 8))
    }

    /// Fits it to moved vertices, as `MeshShape::deform` does.
    pub fn refit(&mut self, mesh: &TriMesh) -> u64 {
        self.0.move_points(&Triangles(mesh)).expect("as many triangles as before").updates
    }
}

/// Builds a whole shape (tree, leaf blocks, topology).
pub fn shape(mesh: TriMesh) -> MeshShape {
    MeshShape::new(mesh).expect("a mesh that fits a tree")
}

/// Bytes of the tree and of the leaf blocks.
pub fn memory(mesh: &TriMesh) -> (usize, usize) {
    shape(mesh.clone()).memory()
}

/// A ray in heurt's numbers.
pub fn ray(origin: Vec3, direction: Vec3) -> Ray {
    Ray { origin, direction, max_t: f64::INFINITY }
}

/// A mesh with its tree.
pub struct Mesh(MeshShape);

/// A mesh with a tree of some kind, for counts and times that stand beside those of peers.
pub struct Grown<'a>(&'a MeshShape, AnyTree);

/// Binary trees of axis-aligned boxes, as most peers have them.
pub const BINARY: TreeChoice = TreeChoice {
    volume: VolumeKind::Aabb,
    degree: Degree::Two,
    builder: Builder::BinnedSah,
    leaf_size: 8,
    axes: BoxAxes::Best,
};

/// Builds a tree of any kind and its leaf blocks on one thread.
pub fn grow(mesh: &Mesh, choice: &TreeChoice) -> u64 {
    AnyTree::new(mesh.0.mesh(), choice, false).map_or(0, |_| 1)
}

impl<'a> Grown<'a> {
    /// Builds the tree.
    pub fn new(mesh: &'a Mesh, choice: &TreeChoice) -> Self {
        Self(&mesh.0, AnyTree::new(mesh.0.mesh(), choice, true).expect("a mesh that fits a tree"))
    }

    /// Fits the tree to a mesh with the same triangles.
    pub fn refit(&mut self, moved: &Mesh) -> u64 {
        self.1.refit(moved.0.mesh()).expect("as many triangles as before");
        1
    }

    /// The tree over another mesh, to which it has been fitted.
    pub fn over<'b>(&self, mesh: &'b Mesh) -> Grown<'b> {
        Grown(&mesh.0, self.1.clone())
    }

    fn with<'p>(&'p self, b: &'p Self) -> TreePair<'p> {
        TreePair::new((self.0, &self.1), (b.0, &b.1)).expect("trees of one kind, each over its mesh")
    }

    /// The work of `overlap`, or of `pairs` for `all`.
    pub fn work(&self, pose: &Pose, b: &Self, pose_b: &Pose, all: bool) -> Count {
        let pair = self.with(b);
        let work = if all { pair.pairs(pose, pose_b).work } else { pair.overlap(pose, pose_b).work };
        Count { volumes: work.volumes, primitives: work.primitives }
    }

    /// Tells whether the placed meshes overlap.
    #[inline]
    pub fn overlap(&self, pose: &Pose, b: &Self, pose_b: &Pose) -> bool {
        self.with(b).overlap(pose, pose_b).value().is_some()
    }

    /// The distance.
    pub fn distance(&self, pose: &Pose, b: &Self, pose_b: &Pose) -> f64 {
        self.with(b).distance(pose, pose_b, f64::INFINITY).value().map_or(f64::NAN, |found| found.distance)
    }

    /// Counts the intersecting pairs of triangles (the list is made and dropped).
    #[inline]
    pub fn pairs(&self, pose: &Pose, b: &Self, pose_b: &Pose) -> u64 {
        self.with(b).pairs(pose, pose_b).value().len() as u64
    }
}

impl Mesh {
    /// Builds the default shape: a solid where the mesh is closed.
    pub fn new(mesh: &TriMesh) -> Self {
        Self(shape(mesh.clone()))
    }

    /// The same without an inside, as all peers see meshes.
    pub fn hollow(mesh: &TriMesh) -> Self {
        Self(shape(mesh.clone()).with_solid(false).expect("hollow is always possible"))
    }

    /// Tells whether the placed meshes overlap.
    #[inline]
    pub fn overlap(&self, pose: &Pose, b: &Self, pose_b: &Pose) -> bool {
        heurt_query::overlap(&self.0, pose, &b.0, pose_b).is_some()
    }

    /// The distance.
    pub fn distance(&self, pose: &Pose, b: &Self, pose_b: &Pose) -> f64 {
        heurt_query::distance(&self.0, pose, &b.0, pose_b).distance
    }

    /// The work of [`Mesh::overlap`].
    pub fn overlap_work(&self, pose: &Pose, b: &Self, pose_b: &Pose) -> Count {
        let work = heurt_query::overlap_with(&self.0, pose, &b.0, pose_b, &OverlapOptions::default()).work;
        Count { volumes: work.volumes, primitives: work.primitives }
    }

    /// Counts the intersecting pairs of triangles (the list is made and dropped).
    #[inline]
    pub fn pairs(&self, pose: &Pose, b: &Self, pose_b: &Pose) -> u64 {
        heurt_query::pairs(&self.0, pose, &b.0, pose_b).len() as u64
    }

    /// The work of [`Mesh::pairs`].
    pub fn pairs_work(&self, pose: &Pose, b: &Self, pose_b: &Pose) -> Count {
        let work = heurt_query::pairs_with(&self.0, pose, &b.0, pose_b, &PairsOptions::default()).work;
        Count { volumes: work.volumes, primitives: work.primitives }
    }

    /// The winding number of the surface round the point, exact; 1 on the surface.
    pub fn winding(&self, point: Vec3) -> u64 {
        match heurt_query::winding_number(&self.0, &Pose::IDENTITY, point) {
            Location::Winding(winding) => u64::from(winding.unsigned_abs()),
            _ => 1,
        }
    }

    /// The same by solid angles, rounded to a whole number.
    pub fn solid_angle(&self, point: Vec3) -> u64 {
        heurt_query::solid_angle_winding(&self.0, &Pose::IDENTITY, point).abs().round() as u64
    }

    /// The distance along the ray; infinite for no hit.
    #[inline]
    pub fn cast(&self, ray: &Ray) -> f64 {
        heurt_query::ray(&self.0, &Pose::IDENTITY, ray).map_or(f64::INFINITY, |hit| hit.t)
    }

    /// The distance to the surface.
    #[inline]
    pub fn closest(&self, point: Vec3) -> f64 {
        heurt_query::closest(&self.0, &Pose::IDENTITY, point).distance
    }
}
