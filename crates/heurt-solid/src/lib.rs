//! Solids: octrees, half-spaces, convex polytopes, and constructive solid geometry.
//!
//! In: a cubic root cell in metres with a rule that classifies cells, a closed triangle mesh, or the text of a code;
//! half-spaces; trees of set operations over shapes. Out: an [`Octree`], its codes ([`LinearOctree`],
//! [`Octree::to_depth_first_code`]) and its [`OctreeMeasures`]; a [`Polytope`]; points, rays and exact pieces of a
//! [`Csg`].
//! Method: S3 (slides 14 to 22, 34 and 40 to 48), with arrays in pre-order or post-order in place of pointers; see the
//! modules. `docs/solids.md` is the guide.
//! Guarantees: octrees are canonical, so that equal solids are equal arrays. Set operations, measures in cells and
//! moves are exact on the cells. A mesh lies between the full cells and the full and mixed cells together. Decisions on
//! polytopes are signs of exact determinants. Files are outside the scope of this crate.

#![forbid(unsafe_code)]

pub mod csg;
pub mod half_space;
mod interval_set;
pub mod octree;
pub mod polytope;

pub use csg::{Affine, Csg, CsgError, CsgHit, CsgLeaf, CsgNode, CsgPicture, CsgQuery, CsgTextError, ExactPieces};
pub use half_space::{Boundedness, HalfSpace, HalfSpaceError, HalfSpaceIntersection, Quadric, QuadricIntersection};
pub use interval_set::{IntervalEnd, IntervalSet};
pub use num_rational::BigRational;
pub use octree::{
    Axis, CellClass, CodeError, LevelCount, LinearCode, LinearOctree, MAX_DEPTH, MAX_NODES, MoveError, Node, NodeLimit,
    Octree, OctreeCell, OctreeError, OctreeLeaves, OctreeMeasures, OctreeRoot, SetError, triangle_meets_box,
};
pub use polytope::{ExactPlane, Polytope, PolytopeError, PolytopeFacet, PolytopeVertex};
