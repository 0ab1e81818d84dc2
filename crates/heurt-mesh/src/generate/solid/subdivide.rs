//! Midpoint subdivision: each triangle becomes four in its own plane.
//!
//! In: any mesh. Out: the same surface with 4ⁿ times the triangles.
//! Method: one new vertex on the middle of each edge, shared by every triangle at that edge (edges sorted, not hashed).
//! Guarantees: closed stays closed, oriented stays oriented, genus and components stay; the surface moves by no more
//! than the rounding of the midpoints. Cost: O(n log n) for n triangles a level.

use crate::generate::GenerateError;
use crate::generate::error::Limits;
use crate::tri_mesh::MAX_COUNT;
use crate::{MeshError, TriMesh};
use heurt_geometry::Vec3;

/// Splits every triangle in four, `levels` times, without moving the surface.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
/// let fine = generate::subdivided(&cube, 2)?;
/// assert_eq!(fine.triangles().len(), 12 * 16);
/// assert_eq!(measures(&fine).volume, measures(&cube).volume);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError::TooManyTriangles`] when 4^`levels` times the triangles are too many, [`GenerateError::Mesh`] when
/// the vertices are: triangles that share no vertex need up to two for each.
pub fn subdivided(mesh: &TriMesh, levels: u32) -> Result<TriMesh, GenerateError> {
    let count = (mesh.triangles().len() as u64).saturating_mul(4u64.saturating_pow(levels));
    Limits("subdivided").triangles(count)?;
    let mut mesh = mesh.clone();
    for _ in 0..levels {
        mesh = split_once(&mesh)?;
    }
    Ok(mesh)
}

/// Splits every triangle in four. The caller has bounded the number of triangles, not of vertices.
pub(crate) fn split_once(mesh: &TriMesh) -> Result<TriMesh, MeshError> {
    let (middles, edge_of) = unique_edges(mesh.triangles());
    let count = mesh.vertices().len() + middles.len();
    if count > MAX_COUNT {
        return Err(MeshError::TooLarge { what: "vertices", count, max: MAX_COUNT });
    }
    let first = mesh.vertices().len() as u32;
    let mut vertices = mesh.vertices().to_vec();
    vertices.extend(middles.iter().map(|&[a, b]| middle(mesh.vertices()[a as usize], mesh.vertices()[b as usize])));
    let mut triangles = Vec::with_capacity(4 * mesh.triangles().len());
    for (&[a, b, c], edges) in mesh.triangles().iter().zip(edge_of.chunks_exact(3)) {
        let [ab, bc, ca] = [first + edges[0], first + edges[1], first + edges[2]];
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    TriMesh::new(vertices, triangles)
}

/// Computes the middle; halves before the sum, so that it cannot overflow.
fn middle(a: Vec3, b: Vec3) -> Vec3 {
    a * 0.5 + b * 0.5
}

/// Lists each edge once, and for the three edges of each triangle (ab, bc, ca) its number in the list.
fn unique_edges(triangles: &[[u32; 3]]) -> (Vec<[u32; 2]>, Vec<u32>) {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let side = sides.len() as u32;
            sides.push(([from.min(to), from.max(to)], side));
        }
    }
    sides.sort_unstable();
    let mut edges: Vec<[u32; 2]> = Vec::with_capacity(sides.len() / 2 + 1);
    let mut edge_of = vec![0; sides.len()];
    for (edge, side) in sides {
        if edges.last() != Some(&edge) {
            edges.push(edge);
        }
        edge_of[side as usize] = edges.len() as u32 - 1;
    }
    (edges, edge_of)
}
