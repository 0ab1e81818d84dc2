//! Boundary mesh of a set of cells.
//!
//! In: a grid. Out: a closed mesh, two triangles per face between cells of the set and other cells.
//! Method: layer by layer of corners. Each fan of faces around a corner (`corner_fans`) has a vertex of its own, so
//! that cells that touch only in an edge or a corner do not share vertices there. The faces of a cell are joined at an
//! edge around which cells alternate. If this joins all four faces at both ends of the edge, two vertices would have
//! two edges between them: at such an edge the faces of the empty cells are joined instead. The exchange divides the
//! fans at both ends and so never makes another edge double.
//! Guarantees: by the numbers of its vertices the mesh is closed, oriented outward and manifold. Vertices lie on the
//! corners of the lattice; those of one corner have equal coordinates, which [`heurt_mesh::check()`] counts as one.
//! Triangles come in the order of the layers.
//! Cost: O(words + faces); two layers of corners in memory besides the mesh. More
//! than 2²⁸ triangles are refused before memory is taken.

use super::bit_grid::word_bits;
use super::corner_fans::{CornerFans, Exchanges, cells_around, face_of};
use super::measures::{EDGES, alternating};
use super::{BitGrid, VoxelError};
use heurt_geometry::Vec3;
use heurt_mesh::{MeshError, TriMesh};
use std::collections::BTreeMap;

/// The exchanges at the corners that have any.
type ExchangeMap = BTreeMap<[u32; 3], Exchanges>;

/// The greatest number of triangles of a mesh.
const MAX_TRIANGLES: usize = 1 << 28;

impl BitGrid {
    /// Builds the boundary mesh of the cells.
    ///
    /// ```
    /// use heurt_mesh::{components_by_number, measures};
    /// use heurt_solid::{BitGrid, VoxelSpace};
    /// let space = VoxelSpace::new([0.0; 3].into(), 1.0, [2, 2, 1])?;
    /// let diagonal = BitGrid::from_cells(space, |[x, y, _]| x == y)?.boundary_mesh()?;
    /// assert_eq!((diagonal.vertices().len(), diagonal.triangles().len()), (16, 24));
    /// assert_eq!(components_by_number(&diagonal).len(), 2, "the cells touch in an edge, each with its own vertices");
    /// assert_eq!(measures(&diagonal).volume, Some(2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The set is empty, or the mesh has too many triangles.
    pub fn boundary_mesh(&self) -> Result<TriMesh, VoxelError> {
        let count = 2 * self.count_faces() as usize;
        if count > MAX_TRIANGLES {
            return Err(MeshError::TooLarge { what: "triangles", count, max: MAX_TRIANGLES }.into());
        }
        let exchanges = self.find_exchanges();
        let (mut vertices, mut triangles) = (Vec::new(), Vec::with_capacity(count));
        let count_z = self.space.counts()[2];
        let mut layer = CornerLayer::new(self, 0, &exchanges, &mut vertices);
        for z in 0..=count_z {
            let next = CornerLayer::new(self, z + 1, &exchanges, &mut vertices);
            layer.push_faces(&next, &mut triangles);
            layer = next;
        }
        if triangles.is_empty() {
            return Err(VoxelError::NoFaces);
        }
        Ok(TriMesh::new(vertices, triangles)?)
    }

    /// Returns the cells around a corner of the lattice, one bit each.
    fn pattern(&self, corner: [u32; 3]) -> u8 {
        let cell = |digit: usize| std::array::from_fn(|k| (corner[k] + (digit >> k & 1) as u32).wrapping_sub(1));
        (0..8).fold(0, |pattern, digit| pattern | u8::from(self.contains(cell(digit))) << digit)
    }

    /// Finds the edges at which the faces of empty cells are joined.
    fn find_exchanges(&self) -> ExchangeMap {
        let mut found = ExchangeMap::new();
        for z in 0..self.space.counts()[2] + 1 {
            self.for_each_corner_word(z, |[x, y, z], cells| {
                for (axis, digits) in EDGES.iter().enumerate() {
                    for bit in word_bits(alternating(digits.map(|digit| cells[digit]))) {
                        self.exchange_if_double([x + bit, y, z], axis, &mut found);
                    }
                }
            });
        }
        found
    }

    fn exchange_if_double(&self, corner: [u32; 3], axis: usize, found: &mut ExchangeMap) {
        let mut upper = corner;
        upper[axis] += 1;
        let is_joined = |at: [u32; 3], side: usize| {
            let fans = CornerFans::new(self.pattern(at), found.get(&at).copied().unwrap_or(0));
            // Opposite faces at the edge belong to different cells of the set.
            let [a, _, c, _] = cells_around(axis, side);
            let across = (axis + 1) % 3;
            fans.of(face_of(across, a)) == fans.of(face_of(across, c))
        };
        if is_joined(corner, 1) && is_joined(upper, 0) {
            *found.entry(corner).or_default() |= 1 << (2 * axis + 1);
            *found.entry(upper).or_default() |= 1 << (2 * axis);
        }
    }
}

/// A corner with boundary faces.
struct Corner {
    x: u32,
    pattern: u8,
    exchanges: Exchanges,
    first_vertex: u32,
}

impl Corner {
    fn vertex(&self, face: usize) -> u32 {
        self.first_vertex + CornerFans::new(self.pattern, self.exchanges).of(face)
    }
}

/// The corners with boundary faces in a layer, by rows.
struct CornerLayer {
    corners: Vec<Corner>,
    /// The number of corners before each row and at the end.
    starts: Vec<usize>,
}

impl CornerLayer {
    fn new(grid: &BitGrid, z: u32, exchanges: &ExchangeMap, vertices: &mut Vec<Vec3>) -> Self {
        let count_y = grid.space.counts()[1] as usize;
        let (mut corners, mut starts) = (Vec::new(), vec![0; count_y + 2]);
        grid.for_each_corner_word(z, |[x, y, z], cells| {
            let all = cells.iter().fold(u64::MAX, |all, word| all & word);
            let any = cells.iter().fold(0, |any, word| any | word);
            for bit in word_bits(any & !all) {
                let at = [x + bit, y, z];
                let pattern = (0..8).fold(0, |pattern, digit| pattern | ((cells[digit] >> bit & 1) as u8) << digit);
                let exchanges = exchanges.get(&at).copied().unwrap_or(0);
                let first_vertex = vertices.len() as u32;
                let count = CornerFans::new(pattern, exchanges).count;
                vertices.extend(std::iter::repeat_n(grid.space.corner(at), usize::from(count)));
                corners.push(Corner { x: at[0], pattern, exchanges, first_vertex });
            }
            starts[y as usize + 1] = corners.len();
        });
        for row in 1..starts.len() {
            starts[row] = starts[row].max(starts[row - 1]);
        }
        Self { corners, starts }
    }

    /// Returns a corner that has boundary faces.
    fn corner(&self, x: u32, y: usize) -> Option<&Corner> {
        let row = &self.corners[self.starts[y]..*self.starts.get(y + 1)?];
        row.get(row.partition_point(|corner| corner.x < x))
    }

    /// Appends the triangles of the boundary faces whose least corner is in this layer.
    fn push_faces(&self, next: &Self, triangles: &mut Vec<[u32; 3]>) {
        for y in 0..self.starts.len() - 1 {
            for corner in &self.corners[self.starts[y]..self.starts[y + 1]] {
                for axis in 0..3 {
                    let is_full = |cell: usize| corner.pattern >> cell & 1 == 1;
                    if is_full(7) != is_full(7 ^ 1 << axis) {
                        self.push_face(next, [corner.x, y as u32], axis, is_full(7), triangles);
                    }
                }
            }
        }
    }

    fn push_face(&self, next: &Self, least: [u32; 2], axis: usize, is_high_full: bool, triangles: &mut Vec<[u32; 3]>) {
        let across = [(axis + 1) % 3, (axis + 2) % 3];
        // Counter-clockwise seen against the axis.
        let quad = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|steps: [usize; 2]| {
            let mut offset = [0; 3];
            (0..2).for_each(|k| offset[across[k]] = steps[k]);
            let layer = if offset[2] == 0 { self } else { next };
            let corner = layer.corner(least[0] + offset[0] as u32, least[1] as usize + offset[1]);
            // The face lies on the high side of its least corner and on the low side of its greatest.
            let face = 4 * axis + (1 - steps[0]) + 2 * (1 - steps[1]);
            corner.map_or(0, |corner| corner.vertex(face))
        });
        let [a, b, c, d] = if is_high_full { [quad[0], quad[3], quad[2], quad[1]] } else { quad };
        triangles.extend([[a, b, c], [a, c, d]]);
    }
}
