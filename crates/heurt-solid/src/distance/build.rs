//! Construction of an adaptively sampled distance field: breadth first, all cells of a round on all cores.
//!
//! In: a closed mesh, a tolerance, a band around the surface. Out: an octree with exact values at the corners of its
//! leaves and a bound of the error of each.
//! Method: a round bounds the errors of all open cells (`cell_bound`) and divides cells near the surface whose bound
//! exceeds ¾ of the tolerance, and cells farther off whose bound exceeds 0.4 of the distance. The corners of all new
//! cells are sorted, so that each place is computed once. Corners that lie on larger leaves then follow these
//! (`hanging_corners`); leaves that so move a neighbour out of the tolerance are divided in further rounds.
//! Guarantees: rounds end, because cells are divided at most down to the level on which √3/2 of the edge is ¾ of the
//! tolerance. Results are collected in the order of the cells, for any number of threads.
//! Cost: one to five exact distances per cell; up to some 300 bytes per cell while it runs.

use super::cell_bound::{BoundTarget, CornerValues, DistanceWitness, HALF_DIAGONAL, bound_cell};
use super::error::DistanceError;
use super::exact::ExactDistance;
use super::hanging_corners::follow_larger_leaves;
use super::octree::DistanceOctree;
use crate::octree::{OctreeCell, OctreeRoot};
use heurt_geometry::Aabb;
use heurt_mesh::TriMesh;
use heurt_shape::MeshShape;
use rayon::prelude::*;

/// The deepest level of a distance field: corners have coordinates up to 2^20, three of which fit 63 bits.
pub const MAX_DISTANCE_DEPTH: u8 = 20;

/// The greatest number of leaves of a distance field: some 200 MB of leaves and nodes.
pub const MAX_DISTANCE_CELLS: usize = 1 << 22;

/// The share of the tolerance that a leaf may use by itself: the rest is for corners that follow larger leaves.
pub(super) const OWN_SHARE: f64 = 0.75;

/// Bits of a coordinate of a corner in a key.
const KEY_BITS: u32 = 21;

/// A node that is a leaf; the lower bits are the number of the leaf.
pub(super) const LEAF: u32 = 1 << 31;

/// Choices for the construction of a distance field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceOptions {
    /// The greatest error near the surface, in metres, above 0.
    pub tolerance: f64,
    /// The distance from the surface up to which the tolerance holds, in metres, inside and outside; from 0.
    pub band: f64,
    /// The greatest number of leaves, at most [`MAX_DISTANCE_CELLS`].
    pub max_cells: usize,
}

impl DistanceOptions {
    /// Chooses a band of one tolerance, and the greatest limit of cells.
    pub fn new(tolerance: f64) -> Self {
        Self { tolerance, band: tolerance, max_cells: MAX_DISTANCE_CELLS }
    }

    fn check(&self) -> Result<(), DistanceError> {
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(DistanceError::Tolerance { tolerance: self.tolerance });
        }
        if !(self.band.is_finite() && self.band >= 0.0) {
            return Err(DistanceError::Band { band: self.band });
        }
        Ok(())
    }
}

impl DistanceOctree {
    /// Builds the field of a closed mesh with an error of at most `tolerance` metres near the surface.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::generate;
    /// use heurt_solid::DistanceOctree;
    /// let ball = DistanceOctree::of_mesh(&generate::icosphere(1.0, 4)?, 0.01)?;
    /// let below = ball.sample(Vec3::new(0.0, 0.0, 0.98)); // metres
    /// assert!(below.error <= 0.01 && (below.distance + 0.02).abs() <= 0.012, "negative inside");
    /// assert!(below.gradient.z > 0.9, "it points out of the solid");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`DistanceOctree::of_mesh_with`].
    pub fn of_mesh(mesh: &TriMesh, tolerance: f64) -> Result<Self, DistanceError> {
        Self::of_mesh_with(mesh, &DistanceOptions::new(tolerance))
    }

    /// Builds the field of a closed mesh. Points with a winding number other than 0 are inside, as in all queries.
    ///
    /// # Errors
    /// An open mesh, a tolerance or a band out of range, a tolerance too small for the size of the mesh, or too many
    /// cells.
    pub fn of_mesh_with(mesh: &TriMesh, options: &DistanceOptions) -> Result<Self, DistanceError> {
        options.check()?;
        let shape = MeshShape::new(mesh.clone())?;
        if !shape.is_closed() {
            return Err(DistanceError::OpenMesh { triangles: mesh.triangles().len() });
        }
        let root = fit_root(&mesh.bounds(), options)?;
        let mut tree = FieldBuilder::new(&shape, root, options);
        tree.divide_all()?;
        loop {
            let leaves = follow_larger_leaves(&tree);
            let coarse = leaves.too_coarse(&tree, options.tolerance);
            if coarse.is_empty() {
                return Ok(DistanceOctree::assemble(&tree, &leaves, options));
            }
            tree.reopen(&coarse);
            tree.divide_all()?;
        }
    }
}

/// Returns a root around the mesh and its band, as deep as the tolerance needs.
fn fit_root(bounds: &Aabb, options: &DistanceOptions) -> Result<OctreeRoot, DistanceError> {
    let margin = 2.0 * (options.band + options.tolerance);
    let padded = Aabb { min: bounds.min - margin, max: bounds.max + margin };
    let least_edge = OWN_SHARE * options.tolerance / HALF_DIAGONAL;
    let mut depth = 0;
    // The edge of the root may depend on the depth; it doubles at most three times.
    for _ in 0..4 {
        let root = OctreeRoot::fit(&padded, depth)?;
        let mut levels = 0;
        while root.edge() * 0.5f64.powi(levels) > least_edge {
            levels += 1;
        }
        if levels > i32::from(MAX_DISTANCE_DEPTH) {
            let least = root.edge() * 0.5f64.powi(i32::from(MAX_DISTANCE_DEPTH)) * HALF_DIAGONAL / OWN_SHARE;
            return Err(DistanceError::TooFine {
                tolerance: options.tolerance,
                edge: root.edge(),
                depth: levels.unsigned_abs(),
                max: MAX_DISTANCE_DEPTH,
                least,
            });
        }
        if levels as u8 <= depth {
            return Ok(root);
        }
        depth = levels as u8;
    }
    Ok(OctreeRoot::fit(&padded, depth)?)
}

/// A leaf of the octree in construction.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldLeaf {
    pub cell: OctreeCell,
    pub corner: CornerValues,
    /// Bounds the error with these corners, in metres.
    pub error: f64,
    /// Whether it may meet the band.
    pub is_near: bool,
}

/// A cell whose error is not known yet.
struct OpenCell {
    cell: OctreeCell,
    corner: CornerValues,
    witnesses: [Option<DistanceWitness>; 2],
    /// The node of the cell.
    node: u32,
    /// Whether it is divided in any case.
    is_forced: bool,
}

/// The octree in construction.
pub(super) struct FieldBuilder<'a> {
    shape: &'a MeshShape,
    pub root: OctreeRoot,
    tolerance: f64,
    max_cells: usize,
    pub target: BoundTarget,
    /// Numbers of leaves with [`LEAF`], or the first of eight children.
    pub nodes: Vec<u32>,
    /// Leaves, and leaves that were divided later, to which no node leads.
    pub leaves: Vec<FieldLeaf>,
    open: Vec<OpenCell>,
    divided_leaves: usize,
}

impl<'a> FieldBuilder<'a> {
    fn new(shape: &'a MeshShape, root: OctreeRoot, options: &DistanceOptions) -> Self {
        let cell = OctreeCell { min: [0; 3], level: 0 };
        let bounds = root.bounds(&cell);
        let found = bounds.corners().map(|corner| ExactDistance::at(shape, corner));
        let corner = CornerValues {
            values: found.map(|exact| exact.value),
            error: found.iter().map(|exact| exact.error).fold(0.0, f64::max),
        };
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element() + root.edge();
        let target = BoundTarget {
            tolerance: OWN_SHARE * options.tolerance,
            band: options.band,
            rounding: 16.0 * f64::EPSILON * reach,
        };
        Self {
            shape,
            root,
            tolerance: options.tolerance,
            max_cells: options.max_cells.min(MAX_DISTANCE_CELLS),
            target,
            nodes: vec![LEAF],
            leaves: Vec::new(),
            open: vec![OpenCell { cell, corner, witnesses: [None; 2], node: 0, is_forced: false }],
            divided_leaves: 0,
        }
    }

    /// Runs rounds until no cell is open.
    fn divide_all(&mut self) -> Result<(), DistanceError> {
        while !self.open.is_empty() {
            let open = std::mem::take(&mut self.open);
            let (shape, root, target) = (self.shape, self.root, self.target);
            let bounds: Vec<_> = open
                .par_iter()
                .map(|open| bound_cell(shape, &root.bounds(&open.cell), &open.corner, open.witnesses, &target))
                .collect();
            let mut divided = Vec::new();
            for (mut open, bound) in open.into_iter().zip(bounds) {
                if open.cell.level < root.depth() && (bound.is_coarse || open.is_forced) {
                    open.witnesses = bound.witnesses;
                    divided.push(open);
                    continue;
                }
                self.nodes[open.node as usize] = LEAF | self.leaves.len() as u32;
                self.leaves.push(FieldLeaf {
                    cell: open.cell,
                    corner: open.corner,
                    error: bound.error,
                    is_near: bound.is_near,
                });
            }
            if self.leaves.len() - self.divided_leaves + 8 * divided.len() > self.max_cells {
                return Err(DistanceError::TooManyCells { tolerance: self.tolerance, limit: self.max_cells });
            }
            self.divide(divided);
        }
        Ok(())
    }

    /// Opens the children of cells.
    fn divide(&mut self, divided: Vec<OpenCell>) {
        let depth = self.root.depth();
        let mut keys: Vec<u64> = divided.par_iter().flat_map_iter(|open| new_corners(&open.cell, depth)).collect();
        keys.par_sort_unstable();
        keys.dedup();
        let (shape, root) = (self.shape, self.root);
        let found: Vec<[f64; 2]> = keys
            .par_iter()
            .map(|&key| {
                let exact = ExactDistance::at(shape, root.corner(corner_of(key)));
                [exact.value, exact.error]
            })
            .collect();
        let first = self.nodes.len();
        for (number, open) in divided.iter().enumerate() {
            self.nodes[open.node as usize] = (first + 8 * number) as u32;
        }
        self.nodes.resize(first + 8 * divided.len(), LEAF);
        self.open = divided
            .par_iter()
            .enumerate()
            .flat_map_iter(|(number, open)| {
                let lattice = CornerLattice::new(open, depth, &keys, &found);
                (0..8u32).map(move |child| lattice.child(open, depth, child, (first + 8 * number) as u32))
            })
            .collect();
    }

    /// Opens leaves again, to divide them in any case.
    fn reopen(&mut self, leaves: &[u32]) {
        for &number in leaves {
            let leaf = self.leaves[number as usize];
            let node = self.find_leaf(leaf.cell.min).1;
            self.open.push(OpenCell {
                cell: leaf.cell,
                corner: leaf.corner,
                witnesses: [None; 2],
                node,
                is_forced: true,
            });
        }
        self.divided_leaves += leaves.len();
    }

    /// Returns the box of the mesh.
    pub fn mesh_bounds(&self) -> &Aabb {
        self.shape.bounds()
    }

    /// Returns the leaf that contains a deepest cell, and its node.
    pub fn find_leaf(&self, at: [u32; 3]) -> (u32, u32) {
        let (mut node, mut shift) = (0u32, u32::from(self.root.depth()));
        loop {
            let content = self.nodes[node as usize];
            if content & LEAF != 0 || shift == 0 {
                return (content & !LEAF, node);
            }
            shift -= 1;
            let [x, y, z] = at.map(|at| at >> shift & 1);
            node = content + (x | y << 1 | z << 2);
        }
    }
}

fn key_of(corner: [u32; 3]) -> u64 {
    let [x, y, z] = corner.map(u64::from);
    x | y << KEY_BITS | z << (2 * KEY_BITS)
}

fn corner_of(key: u64) -> [u32; 3] {
    [0, 1, 2].map(|axis| (key >> (axis * KEY_BITS)) as u32 & ((1 << KEY_BITS) - 1))
}

/// Returns the coordinates of a corner of the children of a cell, numbered by thirds: 0 to 2 along each axis.
fn lattice_corner(cell: &OctreeCell, half: u32, number: u32) -> [u32; 3] {
    let at = [number % 3, number / 3 % 3, number / 9];
    [0, 1, 2].map(|axis| cell.min[axis] + half * at[axis])
}

/// Returns the number among 27 of a corner of a cell itself, numbered by bits; `None` for new corners.
fn own_corner(number: u32) -> Option<usize> {
    let at = [number % 3, number / 3 % 3, number / 9];
    if at.contains(&1) { None } else { Some([0, 1, 2].map(|axis| ((at[axis] / 2) << axis) as usize).iter().sum()) }
}

/// The keys of the 19 corners that the division of a cell adds.
fn new_corners(cell: &OctreeCell, depth: u8) -> impl Iterator<Item = u64> {
    let (cell, half) = (*cell, cell.size(depth) / 2);
    (0..27)
        .filter(|&number| own_corner(number).is_none())
        .map(move |number| key_of(lattice_corner(&cell, half, number)))
}

/// The values at the 27 corners of the children of a cell.
struct CornerLattice {
    values: [f64; 27],
    error: f64,
}

impl CornerLattice {
    fn new(open: &OpenCell, depth: u8, keys: &[u64], found: &[[f64; 2]]) -> Self {
        let (half, mut error) = (open.cell.size(depth) / 2, open.corner.error);
        let values = std::array::from_fn(|number| {
            if let Some(corner) = own_corner(number as u32) {
                return open.corner.values[corner];
            }
            let key = key_of(lattice_corner(&open.cell, half, number as u32));
            let index = keys.partition_point(|&other| other < key);
            error = error.max(found[index][1]);
            found[index][0]
        });
        Self { values, error }
    }

    fn child(&self, open: &OpenCell, depth: u8, child: u32, first: u32) -> OpenCell {
        let half = open.cell.size(depth) / 2;
        let bit = |axis: u32| child >> axis & 1;
        let values = std::array::from_fn(|corner| {
            let at = |axis: usize| bit(axis as u32) as usize + (corner >> axis & 1);
            self.values[at(0) + 3 * at(1) + 9 * at(2)]
        });
        OpenCell {
            cell: OctreeCell {
                min: [0, 1, 2].map(|axis| open.cell.min[axis as usize] + half * bit(axis)),
                level: open.cell.level + 1,
            },
            corner: CornerValues { values, error: self.error },
            witnesses: open.witnesses,
            node: first + child,
            is_forced: false,
        }
    }
}
