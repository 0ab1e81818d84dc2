//! Voxels of a closed triangle mesh by their centres: scanline conversion with exact signs.
//!
//! In: a closed mesh and a box of cells. Out: the cells whose centre lies within the solid: the winding number of the
//! surface around the centre is not 0.
//! Method: scanlines run along x through the centres of a row. A triangle crosses the layer z if two of its edges do.
//! It crosses the rows between these edges, and each row between two centres. All three intervals end at sorted
//! centres, so a rounded guess begins the search, and exact signs at the centres on both sides of it end the search:
//! `orient2d` of centre and edge, seen along x, and `orient3d` of centre and triangle. The crossings of a layer are
//! sorted by row and centre, and the winding number is summed along each row.
//! Guarantees: exact for the `f64` vertices and the `f64` centres, in any position. The centre is treated as the point
//! moved by (ε³, ε², ε), as in `winding_number`: a centre on the boundary belongs to exactly one of two solids that
//! share the face there. Equal for any number of threads.
//! Cost: two searches per triangle and layer, one per crossing, each of two determinants where the guess is right; 64
//! passes over 8 bytes per triangle, and 8 bytes per crossing of a layer.

use super::bit_grid::fill_bits;
use super::{BitGrid, VoxelError, VoxelSpace};
use heurt_geometry::{Sign, Triangle, Vec2, Vec3, orient2d, orient3d};
use heurt_mesh::{TriMesh, is_closed};
use rayon::prelude::*;
use std::ops::Range;

/// The number of slabs of layers that threads share: many more than cores, so that all end at almost the same time.
pub(super) const SLABS: usize = 64;

impl BitGrid {
    /// Finds the cells whose centre lies within a closed mesh.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// use heurt_solid::{BitGrid, VoxelSpace};
    /// let ball = generate::icosphere(1.0, 4)?;
    /// let grid = BitGrid::of_mesh_centres(&ball, VoxelSpace::fit(&ball.bounds(), 64)?)?;
    /// let volume = grid.count() as f64 * grid.space().cell_edge().powi(3);
    /// assert!((volume - 4.18).abs() < 0.01, "{volume} m³");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An open mesh, or too many cells.
    pub fn of_mesh_centres(mesh: &TriMesh, space: VoxelSpace) -> Result<Self, VoxelError> {
        let mut grid = Self::empty(space)?;
        if !is_closed(mesh) {
            return Err(VoxelError::OpenMesh { triangles: mesh.triangles().len() });
        }
        fill_centres(mesh, &mut grid);
        Ok(grid)
    }
}

/// Adds the cells whose centre lies within a closed mesh to an empty grid.
pub(super) fn fill_centres(mesh: &TriMesh, grid: &mut BitGrid) {
    let space = grid.space;
    let scan = CentreScan { space, centres: [0, 1, 2].map(|axis| space.centres(axis)) };
    let layers: Vec<Range<u32>> = (0..mesh.triangles().len() as u32)
        .into_par_iter()
        .map(|triangle| scan.layers_of(&mesh.corners(triangle)))
        .collect();
    let count = scan.centres[2].len();
    let layer_words = grid.words.len() / count;
    let slab_layers = count.div_ceil(SLABS);
    grid.words.par_chunks_mut(slab_layers * layer_words).enumerate().for_each(|(slab, words)| {
        let first = (slab * slab_layers) as u32;
        let end = first + (words.len() / layer_words) as u32;
        // A triangle without layers has an empty range.
        let meets = |range: &Range<u32>| range.start < range.end && range.start < end && first < range.end;
        let triangles: Vec<u32> = (0u32..).zip(&layers).filter(|(_, range)| meets(range)).map(|(k, _)| k).collect();
        let mut crossings = Vec::new();
        for (z, words) in (first..end).zip(words.chunks_exact_mut(layer_words)) {
            crossings.clear();
            for &triangle in triangles.iter().filter(|&&triangle| layers[triangle as usize].contains(&z)) {
                scan.cross_layer(&mesh.corners(triangle), z as usize, &mut crossings);
            }
            crossings.sort_unstable();
            fill_layer(&crossings, words, space);
        }
    });
}

/// A crossing of a row and the surface: from the top the row, the first centre beyond the surface, and a bit that is
/// set if the row leaves the solid.
type Crossing = u64;

/// Sums the winding numbers along the rows of a layer, and fills the cells with other numbers than 0.
fn fill_layer(crossings: &[Crossing], words: &mut [u64], space: VoxelSpace) {
    let (row_words, count_x) = (space.row_words(), space.counts()[0] as usize);
    for of_row in crossings.chunk_by(|a, b| a >> 32 == b >> 32) {
        let row = (of_row[0] >> 32) as usize * row_words;
        let row = &mut words[row..row + row_words];
        let cell = |crossing: Crossing| (crossing as u32 >> 1) as usize;
        let mut winding = 0i64;
        for (k, &crossing) in of_row.iter().enumerate() {
            winding += if crossing & 1 == 0 { 1 } else { -1 };
            if winding != 0 {
                let end = of_row.get(k + 1).map_or(count_x, |&next| cell(next));
                fill_bits(row, cell(crossing), end);
            }
        }
    }
}

struct CentreScan {
    space: VoxelSpace,
    centres: [Vec<f64>; 3],
}

impl CentreScan {
    /// Returns the layers that a triangle crosses: some corner is above the centres, and some is not.
    fn layers_of(&self, triangle: &Triangle) -> Range<u32> {
        let heights = triangle.map(|corner| corner.z);
        let min = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let max = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let below = |limit: f64| self.centres[2].partition_point(|&z| z < limit) as u32;
        below(min)..below(max)
    }

    /// Appends the crossings of a triangle and the rows of a layer.
    fn cross_layer(&self, triangle: &Triangle, z: usize, crossings: &mut Vec<Crossing>) {
        let (rows, turn) = self.rows_of(triangle, z);
        let &[a, b, c] = triangle;
        let normal = (b - a).cross(c - a);
        let height = self.centres[2][z];
        for y in rows {
            let depth = self.centres[1][y];
            let x = a.x - (normal.y * (depth - a.y) + normal.z * (height - a.z)) / normal.x;
            let cell = search_near(self.guess(x, 0), self.centres[0].len(), |x| {
                let centre = Vec3::new(self.centres[0][x], depth, height);
                let side = match orient3d(a, b, c, centre) {
                    Sign::Zero => side_of_moved(triangle),
                    side => side,
                };
                side == turn.flipped()
            });
            if cell < self.centres[0].len() {
                crossings.push((y as u64) << 32 | (cell as u64) << 1 | u64::from(turn == Sign::Positive));
            }
        }
    }

    /// Returns the rows of a layer that a triangle crosses, and the sign of its normal along x.
    fn rows_of(&self, triangle: &Triangle, z: usize) -> (Range<usize>, Sign) {
        let height = self.centres[2][z];
        let seen = triangle.map(|corner| Vec2::new(corner.y, corner.z));
        // The ends of the rows before an edge that leads up, and before an edge that leads down.
        let (mut up, mut down) = (0, 0);
        for k in 0..3 {
            let (a, b) = (seen[k], seen[(k + 1) % 3]);
            // The point is moved up by ε, so corners at its height are below.
            let (a_above, b_above) = (a.y > height, b.y > height);
            if a_above == b_above {
                continue;
            }
            let (low, high) = if b_above { (a, b) } else { (b, a) };
            let y = low.x + (high.x - low.x) * ((height - low.y) / (high.y - low.y));
            let end = search_near(self.guess(y, 1), self.centres[1].len(), |y| {
                match orient2d(low, high, Vec2::new(self.centres[1][y], height)) {
                    Sign::Positive => true,
                    Sign::Negative => false,
                    // Moving up by ε dominates moving right by ε²: an edge leaning right leaves the point on its left.
                    Sign::Zero => high.x > low.x,
                }
            });
            *if b_above { &mut up } else { &mut down } = end;
        }
        // A row between the edges has the right edge ahead, which leads up if the shadow turns counter-clockwise.
        if down < up { (down..up, Sign::Positive) } else { (up..down, Sign::Negative) }
    }

    /// Guesses the number of centres below a coordinate.
    fn guess(&self, coordinate: f64, axis: usize) -> usize {
        ((coordinate - self.space.origin()[axis]) / self.space.cell_edge() + 0.5) as usize
    }
}

/// Returns the side of a triangle on which a point of its plane lies that is moved by (ε³, ε², ε).
#[cold]
fn side_of_moved(&[a, b, c]: &Triangle) -> Sign {
    let component = |u: usize, v: usize| {
        let [a, b, c] = [a, b, c].map(|corner| Vec2::new(corner[u], corner[v]));
        orient2d(a, b, c)
    };
    // The components of the normal along z, y and x.
    [(0, 1), (2, 0), (1, 2)]
        .map(|(u, v)| component(u, v))
        .into_iter()
        .find(|sign| !sign.is_zero())
        .unwrap_or(Sign::Zero)
}

/// Returns the number of leading items of `count` for which `is_before` holds; a right guess takes two calls, a wrong
/// one O(log n).
fn search_near(guess: usize, count: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let guess = guess.min(count);
    let (mut low, mut high, mut step) = (0, count, 1);
    if guess > 0 && !is_before(guess - 1) {
        high = guess - 1;
        while high > 0 {
            let probe = high.saturating_sub(step);
            if is_before(probe) {
                low = probe + 1;
                break;
            }
            (high, step) = (probe, 2 * step);
        }
    } else {
        low = guess;
        while low < count {
            let probe = (low + step - 1).min(count - 1);
            if !is_before(probe) {
                high = probe;
                break;
            }
            (low, step) = (probe + 1, 2 * step);
        }
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::search_near;

    #[test]
    fn searches_end_at_the_same_item_from_any_guess() {
        for count in 0..20 {
            for end in 0..=count {
                for guess in 0..25 {
                    assert_eq!(search_near(guess, count, |k| k < end), end, "{count} items, guess {guess}");
                }
            }
        }
    }
}
