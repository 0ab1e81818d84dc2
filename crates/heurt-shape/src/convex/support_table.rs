//! Support table of a hull: for each cell of directions the few corners that can be support points.
//!
//! In: corners, the neighbours of each corner, their box. Out: [`SupportTable`].
//! Method: directions, measured in half extents of the box, are points of an octahedron, which unfolds to a square
//! (Meyer et al., On Floating-Point Normal Vectors, 2010) of k × k cells. A support corner of some direction of a cell
//! has no neighbour with a greater support value along all four directions at the corners of the cell. Cells are
//! quartered; a corner excluded from a cell is excluded from its quarters.
//! Guarantees: the list of a direction's cell has all support corners along it, for any rounding of the cell.
//! Cost: lists have two to three and a half corners if corners are distributed like those of a ball, and more if many
//! lie in one facet; approximately 20 bytes a cell, at most 2 KB a corner.

use crate::csr::Csr;
use heurt_geometry::{Aabb, Vec3};

/// Lists are padded to a multiple of this.
pub(super) const GROUP: usize = 4;

/// Minimum number of cells a corner; up to four times as many, as the number of cells is a power of four.
const CELLS_PER_CORNER: usize = 4;

/// Maximum mean number of list entries a corner; beyond it cells are not divided further. In a needle nearly all
/// corners can be support points across the axis, in every cell there. (For corners distributed like those of a ball,
/// lists have up to 54.)
const MAX_LISTED: usize = 128;

/// Maximum number of neighbours compared with a corner, because the tip of a cone has all corners as neighbours. Fewer
/// comparisons only keep more corners.
const MAX_NEIGHBOURS: usize = 24;

/// Minimum half extent, as a share of the longest.
const FLATTEST: f64 = 1.0 / (1u64 << 40) as f64;

/// Minimum lead of a neighbour, relative to the offset to it: exceeds the effect of roundings of a direction or of its
/// cell.
const SURELY: f64 = 1e-9;

/// Corners by cells of directions.
#[derive(Debug, Clone)]
pub(super) struct SupportTable {
    /// Half extents of the box, as shares of the longest.
    extents: Vec3,
    /// Number of cells along a side of the square.
    side: u32,
    corners: Csr,
}

impl SupportTable {
    /// Creates the table of more than one corner.
    pub(super) fn new(corners: &[Vec3], neighbours: &Csr, bounds: &Aabb) -> Self {
        let half = bounds.half_extents();
        let extents = (half / half.max_element()).max(Vec3::splat(FLATTEST));
        // Offsets to neighbours, scaled so that the longest coordinate of each is 1.
        let directions = |corner: u32| {
            let direction = move |&other: &u32| {
                let direction = (corners[other as usize] - corners[corner as usize]) / half.max_element() / extents;
                direction / direction.abs().max_element()
            };
            let all = neighbours.of(corner);
            all.iter().step_by(all.len().div_ceil(MAX_NEIGHBOURS).max(1)).map(direction).collect::<Vec<_>>()
        };
        let directions: Vec<Vec<Vec3>> = (0..corners.len() as u32).map(directions).collect();
        let may_be_farthest = |corner: u32, cell: &Directions| {
            !directions[corner as usize].iter().any(|direction| is_surely_along(cell, direction))
        };
        let mut side = 1;
        let mut lists: Vec<Vec<u32>> = vec![(0..corners.len() as u32).collect()];
        let is_full = |lists: &[Vec<u32>]| lists.iter().map(Vec::len).sum::<usize>() > MAX_LISTED * corners.len();
        while ((side * side) as usize) < CELLS_PER_CORNER * corners.len() && !is_full(&lists) {
            side *= 2;
            let quarter = |number: u32| {
                let (row, column) = (number / side, number % side);
                let cell = corners_of_cell(row, column, side);
                let whole = &lists[(row / 2 * (side / 2) + column / 2) as usize];
                whole.iter().copied().filter(|&corner| may_be_farthest(corner, &cell)).collect()
            };
            lists = (0..side * side).map(quarter).collect();
        }
        for list in &mut lists {
            let last = list.last().copied().unwrap_or(0);
            list.resize(list.len().next_multiple_of(GROUP), last);
        }
        Self { extents, side, corners: Csr::side_by_side(&lists) }
    }

    /// Returns the corners that can be support points along `direction` (of a length that has an inverse), some perhaps
    /// more than once: a multiple of [`GROUP`].
    #[inline(always)]
    pub(super) fn corners_along(&self, direction: Vec3) -> &[u32] {
        self.corners.of(self.cell(direction))
    }

    #[inline(always)]
    fn cell(&self, direction: Vec3) -> u32 {
        let scaled = direction * self.extents;
        let size = scaled.abs();
        let inverse = 1.0 / (size.x + size.y + size.z);
        let (x, y) = (scaled.x * inverse, scaled.y * inverse);
        let (folded_x, folded_y) = ((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y));
        let (x, y) = if scaled.z < 0.0 { (folded_x, folded_y) } else { (x, y) };
        // `NaN` counts as 0.
        let place = |x: f64| (((x + 1.0) * f64::from(self.side) * 0.5) as u32).min(self.side - 1);
        place(y) * self.side + place(x)
    }
}

/// Four directions, side by side.
type Directions = [[f64; 4]; 3];

/// Reports whether an offset leads along all four directions by more than roundings.
#[inline(always)]
fn is_surely_along([x, y, z]: &Directions, direction: &Vec3) -> bool {
    // (All four at once; short-circuit tests take a quarter longer.)
    (0..4).fold(true, |all, k| all & (direction.x * x[k] + direction.y * y[k] + direction.z * z[k] > SURELY))
}

/// Returns the directions at the corners of a cell.
fn corners_of_cell(row: u32, column: u32, side: u32) -> Directions {
    let at = |place: u32| f64::from(2 * place) / f64::from(side) - 1.0;
    let corners = [[row, column], [row, column + 1], [row + 1, column], [row + 1, column + 1]].map(|[row, column]| {
        let (x, y) = (at(column), at(row));
        match 1.0 - x.abs() - y.abs() {
            z if z < 0.0 => Vec3::new((1.0 - y.abs()).copysign(x), (1.0 - x.abs()).copysign(y), z),
            z => Vec3::new(x, y, z),
        }
    });
    [corners.map(|corner| corner.x), corners.map(|corner| corner.y), corners.map(|corner| corner.z)]
}

#[cfg(test)]
mod tests {
    use super::super::Convex;
    use super::{GROUP, MAX_LISTED, SupportTable};
    use crate::Hull;
    use crate::csr::Csr;
    use heurt_geometry::Vec3;
    use heurt_testkit::number::random::Random;
    use std::f64::consts::TAU;

    fn table_of(hull: &Hull) -> SupportTable {
        let corners = hull.corners();
        let of_corner = |corner| hull.neighbours(corner).iter().map(move |&other| [corner, other]);
        let pairs = (0..corners.len() as u32).flat_map(of_corner).collect();
        SupportTable::new(corners, &Csr::new(corners.len(), pairs), hull.bounds())
    }

    #[test]
    fn cells_of_directions_list_the_farthest_of_many_corners() {
        let mut random = Random::new(48);
        let ring = |sides: u32, heights: &[f64]| -> Vec<Vec3> {
            let angle = |k: u32| std::f64::consts::TAU * f64::from(k) / f64::from(sides);
            let corner = |k: u32| heights.iter().map(move |&z| Vec3::new(angle(k).cos(), angle(k).sin(), z));
            (0..sides).flat_map(corner).collect()
        };
        let mut spread = |count: usize| (0..count).map(|_| random.vector(1.0).normalize_or_zero()).collect::<Vec<_>>();
        let balls = [49, 60, 128, 257, 2000].map(&mut spread);
        let twins: Vec<Vec3> = ring(80, &[0.5, -0.5]).into_iter().flat_map(|p| [p, p * (1.0 + 3e-16)]).collect();
        let cluster: Vec<Vec3> = balls[2].iter().map(|&p| p * 1e-7).chain([Vec3::new(3.0, 4.0, 5.0)]).collect();
        let needle: Vec<Vec3> = balls[3].iter().map(|p| Vec3::new(1.0, 1.0, 1.0) * p.x + *p * 1e-6).collect();
        let flat: Vec<Vec3> = balls[3].iter().map(|p| Vec3::new(p.x, p.y, p.z * 1e-14)).collect();
        let sheet = ring(100, &[0.0]);
        let others = [ring(64, &[1.0, -1.0]), ring(300, &[1e-9, -1e-9]), twins, cluster, needle, flat, sheet];
        for (number, points) in balls.iter().chain(&others).enumerate() {
            for (scale, shift) in [(1.0, 0.0), (1e-150, 0.0), (1e150, 0.0), (1.0, 1e6)] {
                let hull =
                    Hull::new(&points.iter().map(|&p| p * scale + Vec3::splat(shift)).collect::<Vec<_>>()).unwrap();
                let normals: Vec<Vec3> = hull.facets().iter().map(|facet| facet.normal).collect();
                for round in 0..600 {
                    let direction = match round % 4 {
                        0 => random.vector(1.0),
                        1 => random.vector(1.0).round() + random.vector(1e-17) * f64::from(random.one_in(2)),
                        2 => {
                            normals[random.whole(0, normals.len() as i64 - 1) as usize]
                                + random.vector(1e-16) * f64::from(random.one_in(2))
                        }
                        _ => random.vector(1.0).round() * 0.25 + random.vector(1.0).round() * 0.125,
                    };
                    let room = 8.0 * f64::EPSILON * direction.abs().max_element() * (hull.max_coordinate() / scale);
                    // Scaled by 1, and to numbers near the ends of the range.
                    for power in [0, -1040, -1022, 1022] {
                        let halves = 2f64.powi(power / 2);
                        let queried = direction * halves * halves;
                        let direction = queried / halves / halves;
                        let along = |corner: u32| direction.dot(hull.corners()[corner as usize] / scale);
                        let most = (0..hull.corners().len() as u32).map(along).fold(f64::NEG_INFINITY, f64::max);
                        let found = along(hull.support(queried));
                        assert!(found >= most - room, "{number} × {scale}: {found} < {most} along {queried:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn lists_of_ellipsoids_are_short_and_hold_the_farthest() {
        let mut random = Random::new(7);
        for (count, most) in [(64, 3.3), (128, 2.6), (1000, 3.4)] {
            for shape in [Vec3::ONE, Vec3::new(1.0, 0.1, 1e-4)] {
                let points: Vec<Vec3> = (0..count).map(|_| random.vector(1.0).normalize() * shape).collect();
                let convex = Convex::hull(&points).unwrap();
                let crate::Core::Hull(hull) = convex.core() else { panic!("a hull") };
                let corners = hull.corners();
                let table = table_of(hull);
                let (mut listed, queried) = (0u32, 10_000u32);
                for _ in 0..queried {
                    let direction = random.vector(1.0) / shape;
                    let mut list = table.corners_along(direction).to_vec();
                    let along = |corner: u32| direction.dot(corners[corner as usize]);
                    let farthest = (0..corners.len() as u32).map(along).fold(f64::MIN, f64::max);
                    let holds_it = list.iter().any(|&corner| along(corner) >= farthest - 1e-15);
                    assert!(holds_it, "{direction} of {count} corners within {shape}");
                    list.dedup();
                    listed += list.len() as u32;
                }
                let mean = f64::from(listed) / f64::from(queried);
                assert!(mean < most, "{count} corners within {shape}: lists of {mean}");
            }
        }
    }

    /// The tip of a cone is a neighbour of all corners; nearly all corners of a needle are support points across it.
    #[test]
    fn lists_of_cones_and_needles_are_bounded() {
        let mut random = Random::new(9);
        let turn = |k: u32| f64::from(k) * (TAU / 3000.0);
        let mut cone: Vec<Vec3> = (0..3000).map(|k| Vec3::new(turn(k).cos(), turn(k).sin(), 0.0)).collect();
        cone.push(Vec3::Z);
        let needle: Vec<Vec3> =
            (0..3000).map(|_| random.vector(1.0).normalize()).map(|p| Vec3::ONE * p.x + p * 1e-10).collect();
        for points in [cone, needle] {
            let convex = Convex::hull(&points).unwrap();
            let crate::Core::Hull(hull) = convex.core() else { panic!("a hull") };
            let table = table_of(hull);
            let corners = hull.corners();
            let numbers: usize = (0..table.side * table.side).map(|cell| table.corners.of(cell).len()).sum();
            // A level of lists beyond the last that was not full, and the padding.
            assert!(numbers <= (4 * MAX_LISTED + 16 * GROUP) * corners.len(), "{numbers} of {}", corners.len());
            for _ in 0..1000 {
                let direction = random.vector(1.0);
                let along = |corner: u32| direction.dot(corners[corner as usize]);
                let farthest = (0..corners.len() as u32).map(along).fold(f64::MIN, f64::max);
                let list = table.corners_along(direction);
                assert!(list.iter().any(|&corner| along(corner) >= farthest - 1e-15), "{direction}");
            }
        }
    }
}
