//! Vertex numbers of the triangles of a leaf in struct-of-arrays form, to detect triangles that share a vertex.

use crate::TriBlock;

/// The corners of up to eight triangles as vertex numbers; lanes beyond the leaf's count repeat its last triangle.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub struct VertexBlock {
    /// `vertices[corner][lane]`: a positive normal `f32` for each vertex, equal where the vertices are the same.
    pub vertices: [[f32; TriBlock::LANES]; 3],
}

/// The bits of the least normal `f32`: some processors flush smaller numbers to zero.
const MIN_NORMAL: u32 = 0x0080_0000;

impl VertexBlock {
    /// Returns the vertices of the triangle in `lane`.
    pub fn triangle(&self, lane: usize) -> [u32; 3] {
        self.vertices.map(|lanes| lanes[lane % TriBlock::LANES].to_bits() - MIN_NORMAL)
    }

    pub(crate) const BLANK: Self = Self { vertices: [[0.0; TriBlock::LANES]; 3] };

    /// Makes the block of one to eight triangles from the numbers of their corners.
    pub(crate) fn new(triangles: &[[u32; 3]]) -> Self {
        let mut block = Self::BLANK;
        for lane in 0..TriBlock::LANES {
            let corners = triangles[lane.min(triangles.len() - 1)];
            for (corner, vertex) in corners.into_iter().enumerate() {
                // A mesh has at most 2^28 vertices, so this stays below infinity.
                block.vertices[corner][lane] = f32::from_bits(MIN_NORMAL + vertex);
            }
        }
        block
    }
}
