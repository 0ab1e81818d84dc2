//! A block of tetrahedra.
//!
//! In: cells along each axis and side lengths in metres; centred at the origin. Out: a [`TetMesh`] that fills the
//! block.
//! Method: each cell is cut into the six tetrahedra that follow its diagonal from the least corner to the greatest, one
//! for each order of the axes (Kuhn 1960). Neighbouring cells are cut alike, so their faces match.
//! Guarantees: all volumes positive, no vertex twice. Cost: O(cells).

use crate::TetMesh;
use crate::generate::GenerateError;
use crate::generate::error::Limits;
use crate::tet_mesh::MAX_TETS;
use heurt_geometry::Vec3;

/// The orders of the axes; of the odd ones two vertices are swapped, so that the volume is positive.
const ORDERS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], false),
    ([1, 2, 0], false),
    ([2, 0, 1], false),
    ([0, 2, 1], true),
    ([1, 0, 2], true),
    ([2, 1, 0], true),
];

/// Makes a block of `size` x, y, z, cut into `cells` x × y × z boxes of six tetrahedra each.
///
/// ```
/// use heurt_mesh::generate;
/// let block = generate::tet_block([2, 2, 2], [1.0, 1.0, 1.0])?;
/// assert!((block.volume() - 1.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError::Parameter`] when a length is not positive, for no cells, or too many.
pub fn tet_block(cells: [u32; 3], size: [f64; 3]) -> Result<TetMesh, GenerateError> {
    let limits = Limits("tet_block");
    for (parameter, value) in ["size x", "size y", "size z"].into_iter().zip(size) {
        limits.length(parameter, value)?;
    }
    for (parameter, value) in ["cells x", "cells y", "cells z"].into_iter().zip(cells) {
        limits.at_least(parameter, value, 1)?;
    }
    let total = cells.iter().fold(1u64, |product, &n| product.saturating_mul(u64::from(n)));
    if total > (MAX_TETS / 6) as u64 {
        let legal = format!("at most {} cells in all, which have six tetrahedra each", MAX_TETS / 6);
        return Err(limits.refuse("cells", total as f64, legal));
    }

    let [nx, ny, nz] = cells;
    let strides = [1, nx + 1, (nx + 1) * (ny + 1)];
    let grid = |i: u32, axis: usize| size[axis] * (f64::from(i) / f64::from(cells[axis]) - 0.5);
    let mut vertices = Vec::with_capacity((strides[2] as usize) * (nz as usize + 1));
    for k in 0..=nz {
        for j in 0..=ny {
            vertices.extend((0..=nx).map(|i| Vec3::new(grid(i, 0), grid(j, 1), grid(k, 2))));
        }
    }
    let mut tets = Vec::with_capacity(6 * total as usize);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let least = i + j * strides[1] + k * strides[2];
                tets.extend(ORDERS.map(|(order, is_odd)| {
                    let second = least + strides[order[0]];
                    let third = second + strides[order[1]];
                    let greatest = third + strides[order[2]];
                    if is_odd { [least, third, second, greatest] } else { [least, second, third, greatest] }
                }));
            }
        }
    }
    Ok(TetMesh::from_valid(vertices, tets))
}
