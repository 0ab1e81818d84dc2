//! Placed meshes with trees of any volume and degree, and the choice of the walk over two of them.
//!
//! In: shapes, their poses and optional trees chosen by the user. Out: the walk of an operation ([`PairWalk`]), called
//! with trees of one kind for both meshes. The leaves of each ([`Leaves`]) are blocks of triangles, computed on demand
//! if the mesh has moved.

use crate::answer::placed::PlacedMeshShape;
use heurt_bvh::relative::RelativeFrame;
use heurt_bvh::simd::{HasLanes, Machine, WideIsa};
use heurt_bvh::volume::{BoundingVolume, PairGap};
use heurt_bvh::{Bvh, Leaf, Work};
use heurt_geometry::{Pose, Triangle};
use heurt_shape::{AnyTree, AnyVolumeTree, MeshShape, MeshTree, PairVolume, TriBlock};
use std::mem::discriminant;

/// A mesh with a tree of any volume and degree, and its pose. Tree and blocks must be built over the mesh of the shape,
/// leaf by leaf: with others, answers are meaningless, and queries may panic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedTree<'a, V: BoundingVolume, const W: usize> {
    /// The shape whose mesh is queried.
    pub shape: &'a MeshShape,
    /// A tree over that mesh.
    pub tree: &'a Bvh<V, W>,
    /// The triangles of its leaves; empty if blocks of the shape's own tree are not computed yet.
    blocks: &'a [TriBlock],
    /// Its pose in the world.
    pub pose: &'a Pose,
}

impl<'a, V: BoundingVolume, const W: usize> PlacedTree<'a, V, W> {
    /// Places the shape with a tree of its own.
    #[inline(always)]
    fn with_tree(PlacedMeshShape { shape, pose }: PlacedMeshShape<'a>, tree: &'a MeshTree<V, W>) -> Self {
        Self { shape, tree: tree.bvh(), blocks: tree.blocks(), pose }
    }
}

impl<'a, V: BoundingVolume> PlacedTree<'a, V, 8> {
    /// Places the shape with a tree over the leaves of the shape's own tree.
    #[inline(always)]
    fn own(PlacedMeshShape { shape, pose }: PlacedMeshShape<'a>, tree: &'a Bvh<V, 8>) -> Self {
        Self { shape, tree, blocks: shape.blocks_at_hand().unwrap_or_default(), pose }
    }
}

/// Computes B's frame relative to A's, unless the placed shapes are provably disjoint.
#[inline(always)]
pub(crate) fn meet(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>) -> Option<RelativeFrame> {
    RelativeFrame::unless_separated(a.shape.tree().frame(), a.pose, b.shape.tree().frame(), b.pose)
}

/// An operation on two placed trees.
pub(crate) trait PairWalk {
    /// Walks two trees of any volumes; `composed` is B's frame relative to A's.
    fn walk<A, B, const W: usize>(
        &mut self,
        a: &PlacedTree<'_, A, W>,
        b: &PlacedTree<'_, B, W>,
        composed: &RelativeFrame,
    ) -> Work
    where
        A: PairGap<B>,
        B: PairGap<A, PairConstants = A::PairConstants>,
        Machine: HasLanes<W>;
}

/// Walks the default trees of two shapes for pair queries: the trees chosen by the user, if both are of one kind, else
/// the shapes' own trees.
#[inline(always)]
pub(crate) fn walk_default_trees(
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    composed: &RelativeFrame,
    walk: &mut impl PairWalk,
) -> Work {
    if let (Some(of_a), Some(of_b)) = (a.shape.chosen_tree(), b.shape.chosen_tree())
        && let Some(work) = walk_trees(
            PlacedWithTree { shape: a.shape, tree: of_a, pose: a.pose },
            PlacedWithTree { shape: b.shape, tree: of_b, pose: b.pose },
            composed,
            walk,
        )
    {
        return work;
    }
    // 26-DOPs are only paired with 26-DOPs; axis-aligned boxes of deforming meshes are paired with oriented boxes, too.
    match (a.shape.pair_volume(), b.shape.pair_volume()) {
        (PairVolume::Polytope, PairVolume::Polytope) => {
            let (of_a, of_b) = (a.shape.polytope_tree(), b.shape.polytope_tree());
            walk.walk(&PlacedTree::own(a, of_a), &PlacedTree::own(b, of_b), composed)
        }
        // With parallel axes, aligned boxes cost a third of oriented boxes, and are hardly larger around short
        // triangles.
        (PairVolume::Aligned, PairVolume::Polytope) | (PairVolume::Polytope, PairVolume::Aligned)
            if composed.is_parallel() =>
        {
            let (of_a, of_b) = (a.shape.tree(), b.shape.tree());
            walk.walk(&PlacedTree::own(a, of_a), &PlacedTree::own(b, of_b), composed)
        }
        (PairVolume::Aligned, PairVolume::Aligned) => {
            let (of_a, of_b) = (a.shape.tree(), b.shape.tree());
            walk.walk(&PlacedTree::own(a, of_a), &PlacedTree::own(b, of_b), composed)
        }
        (PairVolume::Aligned, _) => {
            let (of_a, of_b) = (a.shape.tree(), b.shape.oriented_tree());
            walk.walk(&PlacedTree::own(a, of_a), &PlacedTree::own(b, of_b), composed)
        }
        (_, PairVolume::Aligned) => {
            let (of_a, of_b) = (a.shape.oriented_tree(), b.shape.tree());
            walk.walk(&PlacedTree::own(a, of_a), &PlacedTree::own(b, of_b), composed)
        }
        _ => {
            let (of_a, of_b) = (a.shape.oriented_tree(), b.shape.oriented_tree());
            walk.walk(&PlacedTree::own(a, of_a), &PlacedTree::own(b, of_b), composed)
        }
    }
}

/// A shape, a tree of any kind over its mesh, and its pose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedWithTree<'a> {
    /// The shape whose mesh is queried.
    pub shape: &'a MeshShape,
    /// A tree over this mesh: with a tree over another mesh, answers are meaningless, and queries may panic.
    pub tree: &'a AnyTree,
    /// Its pose in the world.
    pub pose: &'a Pose,
}

impl<'a> PlacedWithTree<'a> {
    /// Returns the placed mesh without the tree.
    #[inline(always)]
    pub(crate) fn placed(&self) -> PlacedMeshShape<'a> {
        PlacedMeshShape::new(self.shape, self.pose)
    }
}

/// Reports whether a walk takes two trees: of the same volume and degree.
pub(crate) fn are_of_one_kind(a: &AnyTree, b: &AnyTree) -> bool {
    match (a, b) {
        (AnyTree::Two(x), AnyTree::Two(y)) => discriminant(x) == discriminant(y),
        (AnyTree::Four(x), AnyTree::Four(y)) => discriminant(x) == discriminant(y),
        (AnyTree::Eight(x), AnyTree::Eight(y)) => discriminant(x) == discriminant(y),
        _ => false,
    }
}

/// Walks trees of any kind; `composed` is B's frame relative to A's, for the shapes' own trees. Returns `None` if the
/// trees are of different kinds.
pub(crate) fn walk_trees(
    a: PlacedWithTree<'_>,
    b: PlacedWithTree<'_>,
    composed: &RelativeFrame,
    walk: &mut impl PairWalk,
) -> Option<Work> {
    if !are_of_one_kind(a.tree, b.tree) {
        return None;
    }
    let (frame_a, frame_b) = (a.tree.frame(), b.tree.frame());
    let is_known = frame_a == a.shape.tree().frame() && frame_b == b.shape.tree().frame();
    let of_trees;
    let composed = if is_known {
        composed
    } else {
        of_trees = RelativeFrame::new(frame_a, a.pose, frame_b, b.pose);
        &of_trees
    };
    let (on_a, on_b) = (a.placed(), b.placed());
    match (a.tree, b.tree) {
        (AnyTree::Two(x), AnyTree::Two(y)) => walk_volumes(on_a, x, on_b, y, composed, walk),
        (AnyTree::Four(x), AnyTree::Four(y)) => walk_volumes(on_a, x, on_b, y, composed, walk),
        (AnyTree::Eight(x), AnyTree::Eight(y)) => walk_volumes(on_a, x, on_b, y, composed, walk),
        _ => None,
    }
}

/// Performs [`walk_trees`] for one degree; `composed` is the relative frame of these trees.
fn walk_volumes<const W: usize>(
    a: PlacedMeshShape<'_>,
    of_a: &AnyVolumeTree<W>,
    b: PlacedMeshShape<'_>,
    of_b: &AnyVolumeTree<W>,
    composed: &RelativeFrame,
    walk: &mut impl PairWalk,
) -> Option<Work>
where
    Machine: HasLanes<W>,
{
    macro_rules! same_kind {
        ($($kind:ident),*) => {
            match (of_a, of_b) {
                $((AnyVolumeTree::$kind(x), AnyVolumeTree::$kind(y)) => {
                    Some(walk.walk(&PlacedTree::with_tree(a, x), &PlacedTree::with_tree(b, y), composed))
                })*
                _ => None,
            }
        };
    }
    same_kind!(Aabb, AabbSlab, Sphere, Obb, KDop14, KDop18, KDop26, Rss)
}

/// The leaves of a placed mesh, for any kind of volume above them.
pub(crate) struct Leaves<'a> {
    pub shape: &'a MeshShape,
    pub pose: &'a Pose,
    /// Empty if blocks are computed one by one.
    blocks: &'a [TriBlock],
    /// Triangles in leaf order; each leaf starts at a multiple of `leaf_size`.
    order: &'a [u32],
    leaf_size: usize,
}

impl<'a> Leaves<'a> {
    #[inline(always)]
    pub fn of<V: BoundingVolume, const W: usize>(placed: &PlacedTree<'a, V, W>) -> Self {
        let PlacedTree { shape, tree, blocks, pose } = *placed;
        Self { shape, pose, blocks, order: tree.order(), leaf_size: tree.leaf_size() as usize }
    }

    /// Returns the leaves of the shape's own trees.
    pub fn of_shape(shape: &'a MeshShape, pose: &'a Pose) -> Self {
        Self::of(&PlacedTree::own(PlacedMeshShape::new(shape, pose), shape.tree()))
    }

    /// Prefetches the block of a leaf.
    #[inline(always)]
    pub fn prefetch<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        if let Some(block) = self.blocks.get(leaf.ordinal as usize) {
            isa.prefetch(block);
        }
    }

    /// Prefetches the triangle indices of a leaf.
    #[inline(always)]
    pub fn expect_triangles<I: WideIsa>(&self, isa: I, leaf: Leaf) {
        if let Some(first) = self.order.get(leaf.ordinal as usize * self.leaf_size) {
            isa.prefetch(first);
        }
    }

    /// Returns the block of a leaf.
    #[inline(always)]
    pub fn block(&self, leaf: Leaf) -> &'a TriBlock {
        match self.blocks.get(leaf.ordinal as usize) {
            Some(block) => block,
            None => self.shape.block_of(leaf),
        }
    }

    /// Returns a triangle of a leaf.
    #[inline(always)]
    pub fn triangle(&self, leaf: u32, lane: u8) -> u32 {
        self.order[leaf as usize * self.leaf_size + usize::from(lane)]
    }

    /// Returns the triangles of a leaf.
    #[inline(always)]
    pub fn triangles(&self, leaf: Leaf) -> &'a [u32] {
        &self.order[leaf.ordinal as usize * self.leaf_size..][..leaf.count as usize]
    }
}

/// Places a triangle by the rule of the contract.
#[inline(always)]
pub(crate) fn place(shape: &MeshShape, pose: &Pose, triangle: u32) -> Triangle {
    let [a, b, c] = shape.mesh().corners(triangle);
    [pose.place(a), pose.place(b), pose.place(c)]
}
