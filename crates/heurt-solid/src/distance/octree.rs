//! Octree of signed distances with a table of its upper levels: trilinear samples with their gradient and error bound.
//!
//! In: a point in the frame of the mesh, or a pose and a point in the world. Out: [`DistanceSample`].
//! Method: the upper levels of the octree are one table, so that a sample visits at most `depth` − 6 nodes; a leaf
//! keeps its eight values in 32 bytes. Outside the root cube the value grows with the distance from the cube.
//! Guarantees: the field is continuous, up to the rounding of values to `f32`; its gradient has length 1 up to the
//! error and jumps between leaves. No allocation, no panic, for any finite point.
//! Cost: less than 100 ns, most of it the wait for memory.

use super::build::{DistanceOptions, FieldBuilder, LEAF};
use super::hanging_corners::{FinalLeaves, trilinear, widened};
use crate::octree::OctreeRoot;
use heurt_geometry::{Aabb, Pose, Vec3};

/// The deepest level of the table of upper levels: 64³ entries of 4 bytes are 1 MB.
const MAX_TABLE_LEVEL: u32 = 6;

/// A signed distance field of a closed mesh: an octree with distances at the corners of its leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceOctree {
    root: OctreeRoot,
    /// The deepest cells per metre, a power of two.
    cells_per_metre: f64,
    mesh_bounds: Aabb,
    tolerance: f64,
    band: f64,
    /// The level of the cells of the table.
    table_level: u32,
    /// Entries in the order x, y, z: as `nodes`.
    table: Vec<u32>,
    /// Below the table: a leaf with [`LEAF`], or the first of eight children.
    nodes: Vec<u32>,
    leaves: Vec<DistanceLeaf>,
    band_error: f64,
    surface_error: f64,
}

/// A leaf of a distance field.
#[derive(Debug, Clone, Copy, PartialEq)]
struct DistanceLeaf {
    /// In units of the edge of the root, in the order of [`Aabb::corners`].
    values: [f32; 8],
    /// In units of the edge of the root, rounded up.
    error: f32,
    level: u32,
}

/// The signed distance field at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceSample {
    /// The interpolated distance from the boundary in metres, negative inside.
    pub distance: f64,
    /// The derivative of the distance by the point: dimensionless, out of the solid, of length 1 up to the error.
    pub gradient: Vec3,
    /// Bounds the absolute difference between `distance` and the exact signed distance, in metres.
    pub error: f64,
}

/// A leaf with a point in it.
struct LeafPoint<'a> {
    leaf: &'a DistanceLeaf,
    /// The coordinates of the point in the leaf, from 0 to 1.
    t: Vec3,
}

impl DistanceOctree {
    /// Renumbers the leaves in pre-order and collects the errors.
    pub(super) fn assemble(tree: &FieldBuilder<'_>, last: &FinalLeaves, options: &DistanceOptions) -> Self {
        let root = tree.root;
        let unit = 1.0 / root.edge();
        let (mut nodes, mut leaves) = (vec![LEAF], Vec::new());
        let (mut band_error, mut surface_error) = (0.0f64, 0.0f64);
        let mut open = vec![(0u32, 0u32)];
        while let Some((old, new)) = open.pop() {
            let content = tree.nodes[old as usize];
            if content & LEAF == 0 {
                let first = nodes.len() as u32;
                nodes[new as usize] = first;
                nodes.resize(nodes.len() + 8, LEAF);
                open.extend((0..8).rev().map(|child| (content + child, first + child)));
                continue;
            }
            let number = (content & !LEAF) as usize;
            let (leaf, error, values) = (&tree.leaves[number], last.errors[number], last.values[number]);
            if leaf.is_near {
                band_error = band_error.max(error);
                // The field or the distance may be 0 here. Other leaves lie on one side of the surface as a whole.
                let greatest = values.iter().copied().fold(f32::MIN, f32::max);
                if values.iter().any(|value| *value <= 0.0) && f64::from(greatest) * root.edge() + error > 0.0 {
                    surface_error = surface_error.max(error);
                }
            }
            nodes[new as usize] = LEAF | leaves.len() as u32;
            let error = ((error * unit) as f32).next_up();
            leaves.push(DistanceLeaf { values, error, level: u32::from(leaf.cell.level) });
        }
        let table_level = table_level(u32::from(root.depth()), leaves.len());
        let table = table(&nodes, table_level);
        Self {
            root,
            cells_per_metre: 1.0 / root.cell_edge(),
            mesh_bounds: *tree.mesh_bounds(),
            tolerance: options.tolerance,
            band: options.band,
            table_level,
            table,
            nodes,
            leaves,
            band_error,
            surface_error,
        }
    }

    /// Samples the field at a finite point in the frame of the mesh.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_mesh::generate;
    /// use heurt_solid::DistanceOctree;
    /// let cube = DistanceOctree::of_mesh(&generate::cuboid([1.0; 3])?, 0.01)?;
    /// let above = cube.sample(Vec3::new(0.1, 0.2, 1.01));
    /// assert!((above.distance - 0.01).abs() <= above.error && above.error <= 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn sample(&self, point: Vec3) -> DistanceSample {
        let (inner, offset) = self.clamp(point);
        let LeafPoint { leaf, t } = self.find(inner);
        let v = widened(&leaf.values);
        // Differences along x, then interpolation along x; y and z in turn.
        let dx = [v[1] - v[0], v[3] - v[2], v[5] - v[4], v[7] - v[6]];
        let x = [v[0] + dx[0] * t.x, v[2] + dx[1] * t.x, v[4] + dx[2] * t.x, v[6] + dx[3] * t.x];
        let dy = [x[1] - x[0], x[3] - x[2]];
        let y = [x[0] + dy[0] * t.y, x[2] + dy[1] * t.y];
        let gradient_x = {
            let low = dx[0] + (dx[1] - dx[0]) * t.y;
            low + (dx[2] + (dx[3] - dx[2]) * t.y - low) * t.z
        };
        let gradient_y = dy[0] + (dy[1] - dy[0]) * t.z;
        let gradient = Vec3::new(gradient_x, gradient_y, y[1] - y[0]) * f64::from(1u32 << leaf.level);
        let distance = (y[0] + (y[1] - y[0]) * t.z) * self.root.edge();
        let sample = DistanceSample { distance, gradient, error: f64::from(leaf.error) * self.root.edge() };
        if offset == Vec3::ZERO { sample } else { self.extend(point, offset, &sample) }
    }

    /// Samples the field of a solid at `pose` at a finite point; point and gradient are in the world frame.
    pub fn sample_placed(&self, pose: &Pose, point: Vec3) -> DistanceSample {
        let inverse = pose.rotation().transpose();
        let local = inverse * (point - pose.translation());
        let sample = self.sample(local);
        // The transpose is the inverse of the rotation up to its defect; both products round.
        let reach = local.abs().max_element() + point.abs().max_element() + pose.max_translation();
        let rounding = reach * (16.0 * f64::EPSILON + 4.0 * pose.defect());
        DistanceSample { gradient: *pose.rotation() * sample.gradient, error: sample.error + rounding, ..sample }
    }

    /// Samples the distance and a lower bound of the exact distance only, at a finite point in the frame of the mesh.
    #[inline]
    pub(crate) fn distance_at(&self, point: Vec3) -> [f64; 2] {
        let (inner, offset) = self.clamp(point);
        let LeafPoint { leaf, t } = self.find(inner);
        let edge = self.root.edge();
        let distance = trilinear(&leaf.values, t.to_array()) * edge;
        let outside = offset.length();
        [distance + outside, distance - f64::from(leaf.error) * edge - outside]
    }

    /// Returns the nearest point of the root cube, and the offset from there to the point.
    #[inline]
    fn clamp(&self, point: Vec3) -> (Vec3, Vec3) {
        let origin = self.root.origin();
        let inner = point.clamp(origin, origin + self.root.edge());
        (inner, point - inner)
    }

    /// Finds the leaf of a point of the root cube.
    #[inline]
    fn find(&self, point: Vec3) -> LeafPoint<'_> {
        let depth = u32::from(self.root.depth());
        let last = (1u32 << depth) - 1;
        let u = (point - self.root.origin()) * self.cells_per_metre;
        let (x, y, z) = ((u.x as u32).min(last), (u.y as u32).min(last), (u.z as u32).min(last));
        let mut shift = depth - self.table_level;
        let row = (z >> shift) << self.table_level | y >> shift;
        let mut content = self.table[(row << self.table_level | x >> shift) as usize];
        while content & LEAF == 0 && shift > 0 {
            shift -= 1;
            let child = x >> shift & 1 | (y >> shift & 1) << 1 | (z >> shift & 1) << 2;
            content = self.nodes[(content + child) as usize];
        }
        let leaf = &self.leaves[(content & !LEAF) as usize];
        let low = depth - leaf.level;
        let start = |at: u32| f64::from(at >> low << low);
        let base = Vec3::new(start(x), start(y), start(z));
        let per_cell = 1.0 / f64::from(1u32 << low);
        LeafPoint { leaf, t: ((u - base) * per_cell).clamp(Vec3::ZERO, Vec3::ONE) }
    }

    /// Extends a sample on the root cube to a point outside.
    ///
    /// The exact distance there is 1-Lipschitz, so it differs from the distance on the cube by at most the offset. It
    /// is at least the distance to the box of the mesh.
    fn extend(&self, point: Vec3, offset: Vec3, inner: &DistanceSample) -> DistanceSample {
        let length = offset.length();
        let rounding = 16.0 * f64::EPSILON * (point.abs().max_element() + self.root.edge());
        let distance = inner.distance + length;
        let to_box = (point - point.clamp(self.mesh_bounds.min, self.mesh_bounds.max)).length();
        let least = to_box.max(inner.distance - inner.error - length);
        let error = (distance - least).max(inner.error) + rounding;
        DistanceSample { distance, gradient: offset.normalize_or(inner.gradient), error }
    }

    /// Returns the tolerance that was given, in metres.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Returns the distance from the surface up to which the tolerance holds, in metres.
    pub fn band(&self) -> f64 {
        self.band
    }

    /// Returns the greatest error bound of a leaf that meets the band, in metres: at most the tolerance, unless
    /// rounding errors of the coordinates exceed it.
    pub fn band_error(&self) -> f64 {
        self.band_error
    }

    /// Returns the greatest error bound of a leaf that the surface or the zeros of the field may meet, in metres.
    ///
    /// A point whose exact distance is greater has a distance above 0 in the field.
    pub fn surface_error(&self) -> f64 {
        self.surface_error
    }

    /// Returns the root cell.
    pub fn root(&self) -> &OctreeRoot {
        &self.root
    }

    /// Returns the number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// Returns the memory of the field in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.table) + size_of_val(&*self.nodes) + size_of_val(&*self.leaves)
    }
}

/// The deepest level on which a table has at most as many entries as the octree has leaves.
fn table_level(depth: u32, leaves: usize) -> u32 {
    (0..=MAX_TABLE_LEVEL.min(depth)).rev().find(|level| 1usize << (3 * level) <= leaves).unwrap_or(0)
}

/// The nodes on a level, or the leaves above it, for all cells of that level.
fn table(nodes: &[u32], level: u32) -> Vec<u32> {
    let count = 1u32 << level;
    let mut table = Vec::with_capacity(1 << (3 * level));
    for z in 0..count {
        for y in 0..count {
            for x in 0..count {
                let mut content = nodes[0];
                for shift in (0..level).rev() {
                    if content & LEAF != 0 {
                        break;
                    }
                    let [x, y, z] = [x, y, z].map(|at| at >> shift & 1);
                    content = nodes[(content + (x | y << 1 | z << 2)) as usize];
                }
                table.push(content);
            }
        }
    }
    table
}
