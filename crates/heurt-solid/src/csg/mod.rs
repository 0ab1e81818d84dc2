//! Constructive solid geometry: trees of set operations over shapes and half-spaces.
//!
//! In: shapes, intersections of half-spaces, affine maps. Out: a [`Csg`], its bounds, points, rays, exact
//! convex pieces and closed meshes.
//! Method: S3 slides 19 to 22. Nodes lie in post-order in one array: the operands of a node precede it, the second one
//! directly. No function recurses over the depth of a tree.
//! Semantics: all sets are closed. A − B is A without the interior of B, and the complement is the closure of the
//! complement, so that boundaries are inside. Rays and exact pieces are regularised: they drop what has no volume.
//! Cost: a union of trees copies the second one; a chain of n unions with leaves takes O(n).

mod affine;
mod balance;
mod bounds;
mod error;
mod exact;
mod exact_leaf;
mod json;
mod leaf;
mod mesh;
mod query;
mod ray;
mod scad;
mod simplify;
mod traversal;

pub use affine::Affine;
pub use error::CsgError;
pub use exact::ExactPieces;
pub use json::{CsgLeafReader, CsgTextError};
pub use mesh::{CsgEvaluation, CsgMeshError};
pub use query::CsgQuery;
pub use ray::CsgHit;

use crate::half_space::{HalfSpace, HalfSpaceIntersection, Quadric, QuadricIntersection};
use heurt_geometry::Vec3;
use heurt_shape::Shape;

/// A leaf of a tree.
#[derive(Debug, Clone)]
pub enum CsgLeaf {
    /// A shape of any kind. Surfaces without an inside have points, but no intervals of rays.
    Shape(Shape),
    /// An intersection of linear and quadric half-spaces, bounded or not.
    Region(QuadricIntersection),
}

/// A node of a tree.
#[derive(Debug, Clone)]
pub enum CsgNode {
    /// The empty set.
    Empty,
    /// The whole space.
    Everything,
    /// A set without operands.
    Leaf(CsgLeaf),
    /// The union of two operands.
    Union,
    /// The intersection of two operands.
    Intersection,
    /// The first operand without the interior of the second.
    Difference,
    /// The closure of the complement of one operand.
    Complement,
    /// The image of one operand.
    Transform(Affine),
}

/// A node with the number of nodes of its subtree.
#[derive(Debug, Clone)]
struct SizedNode {
    node: CsgNode,
    size: u32,
}

/// A solid as a tree of set operations.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_shape::Convex;
/// use heurt_solid::Csg;
/// let block = Csg::shape(Convex::cuboid(Vec3::ONE)?);
/// let drilled = block.difference(Csg::shape(Convex::cylinder(0.5, 2.0)?));
/// assert!(!drilled.contains(Vec3::ZERO) && drilled.contains(Vec3::splat(0.9)));
/// assert!(drilled.contains(Vec3::X * 0.5), "the wall of the hole");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Csg {
    nodes: Vec<SizedNode>,
}

impl Csg {
    fn single(node: CsgNode) -> Self {
        Self { nodes: vec![SizedNode { node, size: 1 }] }
    }

    /// Returns the empty set.
    pub fn empty() -> Self {
        Self::single(CsgNode::Empty)
    }

    /// Returns the whole space.
    pub fn everything() -> Self {
        Self::single(CsgNode::Everything)
    }

    /// Creates a leaf of a shape of any kind.
    pub fn shape(shape: impl Into<Shape>) -> Self {
        Self::single(CsgNode::Leaf(CsgLeaf::Shape(shape.into())))
    }

    /// Creates a leaf of an intersection of half-spaces.
    pub fn region(region: QuadricIntersection) -> Self {
        Self::single(CsgNode::Leaf(CsgLeaf::Region(region)))
    }

    /// Creates a leaf of one linear half-space.
    pub fn half_space(half_space: HalfSpace) -> Self {
        Self::region(QuadricIntersection::new(vec![half_space], Vec::new()))
    }

    /// Creates a leaf of an intersection of linear half-spaces.
    pub fn half_spaces(intersection: &HalfSpaceIntersection) -> Self {
        Self::region(QuadricIntersection::new(intersection.half_spaces().to_vec(), Vec::new()))
    }

    /// Creates a leaf of one quadric half-space.
    pub fn quadric(quadric: Quadric) -> Self {
        Self::region(QuadricIntersection::new(Vec::new(), vec![quadric]))
    }

    fn binary(mut self, node: CsgNode, other: Self) -> Self {
        self.nodes.extend(other.nodes);
        self.unary(node)
    }

    fn unary(mut self, node: CsgNode) -> Self {
        let size = self.nodes.len() as u32 + 1;
        self.nodes.push(SizedNode { node, size });
        self
    }

    /// Returns the union.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        self.binary(CsgNode::Union, other)
    }

    /// Returns the intersection.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        self.binary(CsgNode::Intersection, other)
    }

    /// Returns the tree without the interior of `other`.
    #[must_use]
    pub fn difference(self, other: Self) -> Self {
        self.binary(CsgNode::Difference, other)
    }

    /// Returns the closure of the complement.
    #[must_use]
    pub fn complement(self) -> Self {
        self.unary(CsgNode::Complement)
    }

    /// Returns the image under an affine map.
    #[must_use]
    pub fn transformed(self, map: Affine) -> Self {
        self.unary(CsgNode::Transform(map))
    }

    /// Returns the union of all trees as a chain; the empty set for none. See [`Csg::balanced`].
    pub fn union_of(trees: impl IntoIterator<Item = Self>) -> Self {
        trees.into_iter().reduce(Self::union).unwrap_or_else(Self::empty)
    }

    /// Returns the intersection of all trees as a chain; everything for none. See [`Csg::balanced`].
    pub fn intersection_of(trees: impl IntoIterator<Item = Self>) -> Self {
        trees.into_iter().reduce(Self::intersection).unwrap_or_else(Self::everything)
    }

    /// Returns the nodes in post-order; the last one is the root.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &CsgNode> {
        self.nodes.iter().map(|sized| &sized.node)
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of nodes on the longest path from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::new();
        for sized in &self.nodes {
            let first = depths.len() - sized.node.operands();
            let deepest = depths.drain(first..).max().unwrap_or(0);
            depths.push(deepest + 1);
        }
        depths.pop().unwrap_or(0)
    }

    /// Reports whether the set contains `point`: [`CsgQuery::contains`]. Prepare a [`CsgQuery`] for many points.
    pub fn contains(&self, point: Vec3) -> bool {
        CsgQuery::new(self).contains(point)
    }
}

impl CsgNode {
    /// Returns the number of operands.
    pub fn operands(&self) -> usize {
        match self {
            Self::Empty | Self::Everything | Self::Leaf(_) => 0,
            Self::Complement | Self::Transform(_) => 1,
            Self::Union | Self::Intersection | Self::Difference => 2,
        }
    }

    /// Reports whether two nodes are the same: the same operation, a copy of the same shape, or equal numbers.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Leaf(CsgLeaf::Shape(a)), Self::Leaf(CsgLeaf::Shape(b))) => a.address() == b.address(),
            (Self::Leaf(CsgLeaf::Region(a)), Self::Leaf(CsgLeaf::Region(b))) => a == b,
            (Self::Transform(a), Self::Transform(b)) => a == b,
            (Self::Leaf(_) | Self::Transform(_), _) | (_, Self::Leaf(_) | Self::Transform(_)) => false,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}
