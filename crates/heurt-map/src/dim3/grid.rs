//! Grids of hexahedra.
//!
//! In: the number of cells along x, y and z. Out: a map, links written directly. Cost: O(cells).

use crate::attribute::CellIds;
use crate::dim3::cell::Template;
use crate::map::{MAX_DARTS, Map3};
use crate::{DartSet, EditError, NO_CELL, Orbit};
use heurt_geometry::{Aabb, Vec3};

/// The axis of the outward normal of each face of a hexahedron, and whether it is at the far end.
const SIDES: [(usize, bool); 6] = [(2, false), (2, true), (1, false), (0, true), (1, true), (0, false)];

/// The positions of the corners of a hexahedron, in cells.
const CORNERS: [[u32; 3]; 8] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

/// Computes φ₃ of each dart of a hexahedron, as a dart of the neighbour beyond its face.
fn beyond(template: &Template) -> [u8; 24] {
    let corner = |dart: usize, shift: Option<(usize, bool)>| {
        let mut place = CORNERS[usize::from(template.origin[dart])];
        if let Some((axis, is_far)) = shift {
            // The far side of a cell is the near side of the next.
            place[axis] = u32::from(!is_far);
        }
        place
    };
    std::array::from_fn(|dart| {
        let side = SIDES[dart / 4];
        let [from, to] = [dart, usize::from(template.next[dart])].map(|dart| corner(dart, Some(side)));
        let fits = |&other: &usize| {
            SIDES[other / 4] == (side.0, !side.1)
                && corner(other, None) == to
                && corner(usize::from(template.next[other]), None) == from
        };
        (0..24).find(fits).map_or(0, |other| other as u8)
    })
}

impl Map3 {
    /// Builds a grid of hexahedra. Volume `i + nx·(j + ny·k)`; vertex `i + (nx + 1)·(j + (ny + 1)·k)`; the darts of
    /// volume `v` are `24v` to `24v + 23`, four for each face, in the order −z, +z, −y, +x, +y, −x.
    ///
    /// ```
    /// use heurt_geometry::{Aabb, Vec3};
    /// use heurt_map::{Map3, grid_positions};
    /// let map = Map3::hexahedral_grid([2, 1, 1])?;
    /// assert_eq!(map.cell_counts()[..4], [12, 20, 11, 2], "vertices, edges, faces, volumes");
    /// let positions = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::new(2.0, 1.0, 1.0) }, [2, 1, 1]);
    /// assert_eq!(positions.len(), 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError::TooFew`], [`EditError::TooLarge`].
    pub fn hexahedral_grid(counts: [u32; 3]) -> Result<Self, EditError> {
        if counts.contains(&0) {
            return Err(EditError::TooFew { what: "a row of a grid", count: 0, least: 1 });
        }
        let [x, y, z] = counts.map(u128::from);
        let total = 24 * x * y * z + 8 * (x * y + y * z + z * x);
        if total > MAX_DARTS as u128 {
            return Err(EditError::TooLarge { count: usize::try_from(total).unwrap_or(usize::MAX), max: MAX_DARTS });
        }
        Ok(Grid { counts, inner: 24 * counts[0] * counts[1] * counts[2], total: total as usize }.build())
    }
}

/// Computes the positions of the vertices of [`Map3::hexahedral_grid`] over a box, by number.
pub fn grid_positions(bounds: &Aabb, counts: [u32; 3]) -> Vec<Vec3> {
    let [x, y, z] = counts;
    let part = |i: u32, count: u32| f64::from(i) / f64::from(count.max(1));
    let at = move |i, j, k| {
        let part = Vec3::new(part(i, x), part(j, y), part(k, z));
        bounds.min * (Vec3::ONE - part) + bounds.max * part
    };
    (0..=z).flat_map(|k| (0..=y).flat_map(move |j| (0..=x).map(move |i| at(i, j, k)))).collect()
}

struct Grid {
    counts: [u32; 3],
    inner: u32,
    total: usize,
}

impl Grid {
    fn build(&self) -> Map3 {
        let [nx, ny, nz] = self.counts;
        let room = || Vec::<u32>::with_capacity(self.total);
        let (mut phi1, mut phi1_inv, mut phi2, mut phi3) = (room(), room(), room(), room());
        let (mut vertex, mut volume) = (room(), room());
        let template = Template::hexahedron();
        let (across, strides) = (beyond(&template), [24, 24 * nx, 24 * nx * ny]);
        let corner_at = CORNERS.map(|[i, j, k]| i + (nx + 1) * (j + (ny + 1) * k));
        let mut outside = self.inner;
        for number in 0..self.inner / 24 {
            let (place, base) = ([number % nx, number / nx % ny, number / nx / ny], 24 * number);
            let corner = place[0] + (nx + 1) * (place[1] + (ny + 1) * place[2]);
            phi1.extend(template.next.iter().map(|&dart| base + u32::from(dart)));
            phi1_inv.extend((0..24).map(|dart| base + (dart & !3) + ((dart + 3) & 3)));
            phi2.extend(template.twin.iter().map(|&dart| base + u32::from(dart)));
            vertex.extend(template.origin.iter().map(|&place| corner + corner_at[usize::from(place)]));
            volume.extend([number; 24]);
            for (side, &(axis, is_far)) in SIDES.iter().enumerate() {
                let at_end = place[axis] == if is_far { [nx, ny, nz][axis] - 1 } else { 0 };
                if at_end {
                    phi3.extend(outside..outside + 4);
                    outside += 4;
                } else {
                    let other = if is_far { base + strides[axis] } else { base - strides[axis] };
                    phi3.extend(across[4 * side..4 * side + 4].iter().map(|&dart| other + u32::from(dart)));
                }
            }
        }
        self.close(&mut phi1, &mut phi1_inv, &mut phi2, &mut phi3);
        for beyond in self.inner as usize..self.total {
            vertex.push(vertex[phi1[phi3[beyond] as usize] as usize]);
        }
        volume.resize(self.total, NO_CELL);
        let mut boundary = DartSet::with_capacity(self.total);
        boundary.insert_range(self.inner..self.total as u32);
        let mut map = Map3::from_all_links([phi1, phi1_inv, phi2, phi3], boundary);
        let corners = [nx, ny, nz].iter().map(|&count| count as usize + 1).product();
        let mut first = vec![NO_CELL; corners];
        for dart in (0..self.inner).rev() {
            first[vertex[dart as usize] as usize] = dart;
        }
        map.ids[Orbit::Vertex.place()] = Some(Box::new(CellIds::from_parts(vertex, first)));
        let volumes = (0..self.inner).step_by(24).collect();
        map.ids[Orbit::Volume.place()] = Some(Box::new(CellIds::from_parts(volume, volumes)));
        map
    }

    /// Adds the boundary; φ₃ leads to it.
    fn close(&self, phi1: &mut Vec<u32>, phi1_inv: &mut Vec<u32>, phi2: &mut Vec<u32>, phi3: &mut Vec<u32>) {
        phi3.resize(self.total, 0);
        for dart in 0..self.inner {
            let other = phi3[dart as usize];
            if other >= self.inner {
                phi3[other as usize] = dart;
            }
        }
        for face in (self.inner..self.total as u32).step_by(4) {
            phi1.extend([face + 3, face, face + 1, face + 2]);
            phi1_inv.extend([face + 1, face + 2, face + 3, face]);
        }
        for beyond in self.inner as usize..self.total {
            let mut dart = phi2[phi3[beyond] as usize];
            while phi3[dart as usize] < self.inner {
                dart = phi2[phi3[dart as usize] as usize];
            }
            phi2.push(phi3[dart as usize]);
        }
    }
}
