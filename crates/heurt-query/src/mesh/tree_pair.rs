//! Two meshes queried through given trees instead of the shapes' own.
//!
//! In: shapes, a tree of any kind over the mesh of each, poses. Out: the answers of `overlap`, `pairs` and `distance`,
//! with the work done.
//! Guarantees: every kind of tree gives the same answer: the same pairs, the same yes or no, though maybe another
//! witness, and the same distance within its error. The cost depends on the trees; `heurt tune` compares it.

use crate::answer::budget::Answer;
use crate::answer::distance::Distance;
use crate::answer::overlap::Witness;
use crate::mesh::distance::distance_with_trees;
use crate::mesh::overlap::overlap_with_trees;
use crate::mesh::pairs::pairs_with_trees;
use crate::mesh::walk::pair_walk::{PlacedWithTree, are_of_one_kind};
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::{AnyTree, MeshShape};
use thiserror::Error;

/// Two meshes with a tree of one kind over each.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::{TreePair, overlap};
/// use heurt_shape::{AnyTree, MeshShape, TreeChoice};
/// let ball = MeshShape::new(heurt_mesh::generate::icosphere(1.0, 3)?)?;
/// let tree = AnyTree::new(ball.mesh(), &TreeChoice::default(), false)?;
/// let pair = TreePair::new((&ball, &tree), (&ball, &tree))?;
/// let near = Pose::from_translation(Vec3::X * 1.5)?;
/// let answer = pair.overlap(&Pose::IDENTITY, &near);
/// assert!(answer.work.volumes > 0 && answer.value().is_some());
/// assert!(overlap(&ball, &Pose::IDENTITY, &ball, &near).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TreePair<'a> {
    a: (&'a MeshShape, &'a AnyTree),
    b: (&'a MeshShape, &'a AnyTree),
}

/// Reasons why two trees cannot be walked together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TreePairError {
    /// Their volumes or degrees differ.
    #[error("the trees are of different kinds: build both with the volume and the degree of one `TreeChoice`")]
    Kinds,
    /// A tree is over another mesh.
    #[error("the tree of {side} has {primitives} triangles, but its mesh has {triangles}: build it over this mesh")]
    Triangles {
        /// `'A'` or `'B'`.
        side: char,
        /// Triangles of the tree.
        primitives: usize,
        /// Triangles of the mesh.
        triangles: usize,
    },
}

impl<'a> TreePair<'a> {
    /// Checks that the trees are of one kind, each with as many triangles as its mesh. Each must be over that very
    /// mesh, as it is now: with another one answers mean nothing, and queries may panic.
    ///
    /// # Errors
    /// [`TreePairError`] for trees of different kinds, and for another number of triangles.
    pub fn new(a: (&'a MeshShape, &'a AnyTree), b: (&'a MeshShape, &'a AnyTree)) -> Result<Self, TreePairError> {
        if !are_of_one_kind(a.1, b.1) {
            return Err(TreePairError::Kinds);
        }
        for (side, (shape, tree)) in [('A', a), ('B', b)] {
            let (primitives, triangles) = (tree.triangle_count(), shape.mesh().triangles().len());
            if primitives != triangles {
                return Err(TreePairError::Triangles { side, primitives, triangles });
            }
        }
        Ok(Self { a, b })
    }

    /// Reports whether the placed meshes share a point, as [`overlap`](crate::overlap()) does.
    pub fn overlap(&self, pose_a: &Pose, pose_b: &Pose) -> Answer<Option<Witness>> {
        let [a, b] = self.placed(pose_a, pose_b);
        whole(overlap_with_trees(a, b))
    }

    /// Lists the intersecting pairs of triangles, as [`pairs`](crate::pairs()) does.
    pub fn pairs(&self, pose_a: &Pose, pose_b: &Pose) -> Answer<Vec<[u32; 2]>> {
        let [a, b] = self.placed(pose_a, pose_b);
        whole(pairs_with_trees(a, b))
    }

    /// Finds the distance of the placed meshes if it is at most `max_distance` metres, as
    /// [`distance_with`](crate::distance_with) does.
    pub fn distance(&self, pose_a: &Pose, pose_b: &Pose, max_distance: f64) -> Answer<Option<Distance>> {
        let [a, b] = self.placed(pose_a, pose_b);
        whole(distance_with_trees(a, b, max_distance))
    }

    fn placed<'p>(&'p self, pose_a: &'p Pose, pose_b: &'p Pose) -> [PlacedWithTree<'p>; 2] {
        let (a, b) = (self.a, self.b);
        [PlacedWithTree { shape: a.0, tree: a.1, pose: pose_a }, PlacedWithTree { shape: b.0, tree: b.1, pose: pose_b }]
    }
}

fn whole<T>(found: Option<(T, Work)>) -> Answer<T> {
    let (answer, work) = found.expect("trees of one kind");
    Answer::whole(answer, work)
}
