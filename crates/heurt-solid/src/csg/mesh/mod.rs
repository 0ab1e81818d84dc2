//! Evaluation of a tree to a closed mesh by set operations of meshes.
//!
//! In: a tree and a tolerance. Out: the boundary of the solid as a closed mesh, or nothing if the solid is empty.
//! Method: the tree is simplified and balanced. Each leaf becomes a closed mesh in the world (`leaf`), and each node
//! the result of [`combine`]. Nodes of the same height are evaluated in parallel.
//! An unbounded leaf L is clipped by a box that contains the box C of all bounded leaves and of the result. Each node
//! then agrees with its set within C and stays within its proved box, so that the root, whose proved box lies within C,
//! is the solid.
//! The result of an operation is rounded, so that faces of one plane may cross in later operations at angles below the
//! rounding, which `combine` refuses. The node is then evaluated as exact convex pieces of its leaves, and the boundary
//! of their union is rounded once (`exact_boundary`).
//! Guarantees: polyhedral leaves keep their corners, rounded once by their map. Points of a curved leaf are at most the
//! tolerance away from its mesh, and the reverse; of superquadrics this is sampled. The operations are those of
//! `boolean`: exact decisions, and a closed mesh without self-intersections. Any number of threads gives the same mesh.
//! Cost: O(n log n) for the triangles of n leaves that are spread in space.

mod error;
mod exact_boundary;
mod leaf;
mod quadric;
mod round;

pub use error::CsgMeshError;

use super::exact_leaf::most_planes;
use super::simplify::SimplifiedTree;
use super::{Csg, CsgLeaf, CsgNode, CsgQuery};
use crate::SetOperation;
use crate::boolean::{CombinedSolid, SolidMesh, combine};
use crate::half_space::QuadricIntersection;
use exact_boundary::boundary_mesh;
use heurt_geometry::{Aabb, Vec3, robust_length};
use heurt_mesh::TriMesh;
use leaf::{LeafMesher, LeafName, box_planes, kind_of};
use rayon::prelude::*;
use std::sync::Arc;

/// The solid of a node or a leaf.
#[derive(Debug, Clone, Default)]
struct NodeSolid {
    /// `None` is the empty set.
    solid: Option<Arc<SolidMesh>>,
    /// The largest change of a coordinate of a leaf in metres ([`CombinedSolid::moved`]).
    moved: f64,
}

impl From<SolidMesh> for NodeSolid {
    fn from(solid: SolidMesh) -> Self {
        Self { solid: Some(Arc::new(solid)), moved: 0.0 }
    }
}

/// The evaluation of a tree to a mesh, prepared: the number of its steps is known before its work is done.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_shape::Convex;
/// use heurt_solid::{Csg, CsgEvaluation};
/// let block = Csg::shape(Convex::cuboid(Vec3::ONE)?);
/// let drilled = block.difference(Csg::shape(Convex::cylinder(0.5, 2.0)?));
/// let evaluation = CsgEvaluation::new(&drilled, 1e-3)?;
/// assert_eq!(evaluation.steps(), 3, "two leaves and a difference");
/// let drilled = evaluation.to_mesh(&|| ())?;
/// assert!(drilled.mesh.is_some() && drilled.moved == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CsgEvaluation {
    /// The tree as it was given, in which errors number the leaves.
    given: Csg,
    query: CsgQuery,
    tolerance: f64,
    /// The box that clips unbounded leaves.
    clip: Aabb,
}

/// The tolerance as a share of the diagonal of the proved box: a circle has 50 corners or more.
const TOLERANCE_SHARE: f64 = 1e-3;

/// The greatest number of planes of the leaves of a node that is evaluated exactly; the number of pieces grows with the
/// square of the planes and more.
const MAX_EXACT_PLANES: usize = 256;

/// The greatest number of pieces of a node that is evaluated exactly: their boundary takes some seconds.
const MAX_EXACT_PIECES: usize = 1024;

impl Csg {
    /// Returns a tolerance for [`Csg::to_mesh`] in metres: a thousandth of the diagonal of the proved box, or a
    /// millimetre without one.
    pub fn mesh_tolerance(&self) -> f64 {
        let size = self.bounds().ok().filter(|bounds| !bounds.is_empty());
        let size = size.map_or(1.0, |bounds| robust_length(bounds.max - bounds.min));
        let tolerance = TOLERANCE_SHARE * size;
        if tolerance > 0.0 && tolerance.is_finite() { tolerance } else { TOLERANCE_SHARE }
    }

    /// Evaluates the tree to the closed mesh that bounds it; `None` if it is empty. `tolerance` is the greatest
    /// distance in metres between a curved leaf and its mesh; polyhedra are exact.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_mesh::measures;
    /// use heurt_shape::Convex;
    /// use heurt_solid::Csg;
    /// let cube = Csg::shape(Convex::cuboid(Vec3::ONE)?);
    /// let moved = cube.clone().transformed(Pose::from_translation(Vec3::ONE)?.into());
    /// let mesh = cube.clone().difference(moved).to_mesh(1e-3)?.ok_or("it is not empty")?;
    /// assert_eq!(measures(&mesh).volume, Some(7.0));
    /// assert!(cube.clone().difference(cube).to_mesh(1e-3)?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A leaf bounds no solid, the solid is unbounded, the tolerance is no length above 0 or too small, or surfaces are
    /// nearer to each other than the rounding of coordinates.
    pub fn to_mesh(&self, tolerance: f64) -> Result<Option<TriMesh>, CsgMeshError> {
        Ok(CsgEvaluation::new(self, tolerance)?.to_mesh(&|| ())?.mesh)
    }
}

impl CsgEvaluation {
    /// Prepares the evaluation of a tree with a tolerance in metres.
    ///
    /// # Errors
    /// The solid is unbounded, or the tolerance is no length above 0.
    pub fn new(tree: &Csg, tolerance: f64) -> Result<Self, CsgMeshError> {
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(CsgMeshError::Tolerance { tolerance });
        }
        let SimplifiedTree { tree: simple, bounds, .. } = tree.simplified_with_bounds();
        let query = CsgQuery::new(&simple.balanced());
        if !bounds.is_empty() && !is_bounded(&bounds) {
            return Err(unbounded(tree, &query));
        }
        let boxes = query.tree.nodes().zip(&query.prepared).filter(|(node, _)| matches!(node, CsgNode::Leaf(_)));
        let boxes =
            boxes.map(|(_, prepared)| prepared.bounds).filter(|bounds| !bounds.is_empty() && is_bounded(bounds));
        let clip = widened(&boxes.fold(bounds, |all, bounds| all.union(bounds)));
        Ok(Self { given: tree.clone(), query, tolerance, clip })
    }

    /// Returns the number of steps of [`CsgEvaluation::to_mesh`].
    pub fn steps(&self) -> usize {
        self.query.tree.node_count()
    }

    /// Evaluates the tree; `on_step` is called after each step, by any thread. The move of the result is at least
    /// the change of each coordinate of each leaf.
    ///
    /// # Errors
    /// As [`Csg::to_mesh`].
    pub fn to_mesh(&self, on_step: &(dyn Fn() + Sync)) -> Result<CombinedSolid, CsgMeshError> {
        let nodes = &self.query.tree.nodes;
        let mut values: Vec<NodeSolid> = vec![NodeSolid::default(); nodes.len()];
        for level in levels(&self.query.tree) {
            let evaluate = |&index: &usize| {
                let value = self.value_of(index, &values);
                on_step();
                value
            };
            let results: Vec<NodeSolid> = level.par_iter().map(evaluate).collect::<Result<_, _>>()?;
            for (&index, value) in level.iter().zip(results) {
                // Each node is the operand of one node.
                self.operands_of(index)
                    .into_iter()
                    .flatten()
                    .for_each(|operand| values[operand] = NodeSolid::default());
                values[index] = value;
            }
        }
        let root = values.pop().unwrap_or_default();
        Ok(CombinedSolid { mesh: root.solid.map(|solid| solid.mesh().clone()), moved: root.moved })
    }

    /// Returns the operands of a node.
    fn operands_of(&self, index: usize) -> [Option<usize>; 2] {
        let nodes = &self.query.tree.nodes;
        match nodes[index].node.operands() {
            0 => [None, None],
            1 => [Some(index - 1), None],
            _ => [Some(index - 1 - nodes[index - 1].size as usize), Some(index - 1)],
        }
    }

    /// Evaluates a node by operations of meshes; exactly if an operation is refused and the leaves have few planes.
    fn value_of(&self, index: usize, values: &[NodeSolid]) -> Result<NodeSolid, CsgMeshError> {
        match self.value_of_meshes(index, values) {
            Err(error @ CsgMeshError::Operation { .. }) => self.exact_value_of(index).ok_or(error),
            value => value,
        }
    }

    /// Evaluates a node as exact convex pieces of its leaves, whose boundary is rounded once; `None` if a leaf is
    /// curved or not convex, if there are too many planes or pieces, or if the rounded boundary intersects itself.
    fn exact_value_of(&self, index: usize) -> Option<NodeSolid> {
        let nodes = &self.query.tree.nodes;
        let mut tree = Csg { nodes: nodes[index + 1 - nodes[index].size as usize..=index].to_vec() };
        let prepared = &self.query.prepared[index];
        if !prepared.map.is_identity() {
            tree = tree.transformed(prepared.map);
        }
        if !is_bounded(&prepared.bounds) {
            tree = tree.intersection(Csg::region(QuadricIntersection::new(box_planes(&self.clip), Vec::new())));
        }
        let leaves = tree.nodes().filter_map(|node| if let CsgNode::Leaf(leaf) = node { Some(leaf) } else { None });
        if leaves.map(most_planes).sum::<usize>() > MAX_EXACT_PLANES {
            return None;
        }
        let pieces = tree.exact_pieces_up_to(MAX_EXACT_PIECES).ok()?;
        if pieces.pieces().is_empty() {
            return Some(NodeSolid::default());
        }
        SolidMesh::new(&boundary_mesh(pieces.pieces())?).ok().map(NodeSolid::from)
    }

    fn value_of_meshes(&self, index: usize, values: &[NodeSolid]) -> Result<NodeSolid, CsgMeshError> {
        let operand = |position: usize| {
            self.operands_of(index)[position].map_or_else(NodeSolid::default, |operand| values[operand].clone())
        };
        let prepared = &self.query.prepared[index];
        // A box of nothing: an empty leaf, disjoint operands, or a map without an inverse.
        if prepared.bounds.is_empty() {
            return Ok(NodeSolid::default());
        }
        match &self.query.tree.nodes[index].node {
            CsgNode::Empty => Ok(NodeSolid::default()),
            CsgNode::Everything => self.clip_solid(),
            CsgNode::Leaf(leaf) => self
                .mesher(&|| LeafName { leaf: number_of(&self.given, leaf), kind: kind_of(leaf) })
                .solid(leaf, &prepared.map),
            CsgNode::Union => combined(operand(0), operand(1), SetOperation::Union),
            CsgNode::Intersection => combined(operand(0), operand(1), SetOperation::Intersection),
            CsgNode::Difference => combined(operand(0), operand(1), SetOperation::Difference),
            CsgNode::Complement => combined(self.clip_solid()?, operand(0), SetOperation::Difference),
            CsgNode::Transform(_) => Ok(operand(0)),
        }
    }

    fn clip_solid(&self) -> Result<NodeSolid, CsgMeshError> {
        self.mesher(&|| LeafName { leaf: 0, kind: "the whole space" }).everything()
    }

    /// Returns a mesher whose errors use a name, which is searched for errors only.
    fn mesher<'a>(&'a self, name: &'a dyn Fn() -> LeafName) -> LeafMesher<'a> {
        LeafMesher { tolerance: self.tolerance, clip: &self.clip, name }
    }
}

/// Returns the number of a leaf of the simplified tree in the given tree, from 1. Merged half-spaces have the number of
/// the first region.
fn number_of(tree: &Csg, leaf: &CsgLeaf) -> usize {
    let leaves = || tree.nodes().filter(|node| matches!(node, CsgNode::Leaf(_)));
    let own = CsgNode::Leaf(leaf.clone());
    let same = leaves().position(|node| node.is_same(&own));
    let region = || leaves().position(|node| matches!(node, CsgNode::Leaf(CsgLeaf::Region(_))));
    same.or_else(region).map_or(1, |position| position + 1)
}

fn is_bounded(bounds: &Aabb) -> bool {
    bounds.min.is_finite() && bounds.max.is_finite()
}

/// Returns the error of an unbounded solid, which names the first unbounded leaf.
fn unbounded(tree: &Csg, query: &CsgQuery) -> CsgMeshError {
    let is_open = |bounds: &Aabb| !bounds.is_empty() && !is_bounded(bounds);
    let open = query.tree.nodes().zip(&query.prepared).filter_map(|(node, prepared)| match node {
        CsgNode::Leaf(leaf) if is_open(&prepared.bounds) => Some(leaf),
        _ => None,
    });
    match open.map(|leaf| (number_of(tree, leaf), kind_of(leaf))).min_by_key(|(number, _)| *number) {
        Some((leaf, kind)) => CsgMeshError::UnboundedLeaf { leaf, kind },
        None => CsgMeshError::UnboundedTree,
    }
}

/// Returns a larger box, whose faces lie off those of the box. An eighth keeps the coordinates of clipped planes near
/// those of the solid.
fn widened(bounds: &Aabb) -> Aabb {
    if bounds.is_empty() {
        return Aabb { min: -Vec3::ONE, max: Vec3::ONE };
    }
    let border = (bounds.max - bounds.min).max_element() / 8.0;
    let scale = bounds.min.abs().max(bounds.max.abs()).max_element();
    // A box without extent, far from the origin, still grows.
    let border = border.max(scale * 1e-9).max(f64::MIN_POSITIVE);
    Aabb { min: bounds.min - border, max: bounds.max + border }
}

/// Returns the nodes by their height: leaves first, then nodes whose operands are in levels before.
fn levels(tree: &Csg) -> Vec<Vec<usize>> {
    let (mut levels, mut heights): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    for (index, node) in tree.nodes().enumerate() {
        let first = heights.len() - node.operands();
        let height = heights.drain(first..).max().map_or(0, |height| height + 1);
        heights.push(height);
        if levels.len() <= height {
            levels.push(Vec::new());
        }
        levels[height].push(index);
    }
    levels
}

/// Combines two solids, each of which may be empty.
fn combined(a: NodeSolid, b: NodeSolid, operation: SetOperation) -> Result<NodeSolid, CsgMeshError> {
    let name = match operation {
        SetOperation::Union => "union",
        SetOperation::Intersection => "intersection",
        SetOperation::Difference => "difference",
        SetOperation::SymmetricDifference => "symmetric difference",
    };
    let refuse = |source| CsgMeshError::Operation { operation: name, source };
    let mut moved = a.moved.max(b.moved);
    let solid = match (a.solid, b.solid) {
        (Some(of_a), Some(of_b)) => {
            let result = combine(&of_a, &of_b, operation).map_err(refuse)?;
            moved = result.moved_from([a.moved, b.moved]);
            let solid = result.mesh.map(|mesh| SolidMesh::new(&mesh)).transpose();
            solid.map_err(|source| refuse(source.into()))?.map(Arc::new)
        }
        (a, None) => a.filter(|_| operation.contains(true, false)),
        (None, b) => b.filter(|_| operation.contains(false, true)),
    };
    Ok(NodeSolid { solid, moved })
}

/// Combines solids in pairs of neighbours, and their results, until one is left.
fn reduced(mut solids: Vec<NodeSolid>, operation: SetOperation) -> Result<NodeSolid, CsgMeshError> {
    while solids.len() > 1 {
        let pair = |pair: &[NodeSolid]| match pair {
            [a, b] => combined(a.clone(), b.clone(), operation),
            rest => Ok(rest.first().cloned().unwrap_or_default()),
        };
        solids = solids.par_chunks(2).map(pair).collect::<Result<_, _>>()?;
    }
    Ok(solids.pop().unwrap_or_default())
}
