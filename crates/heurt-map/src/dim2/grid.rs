//! Grids of quadrilaterals.
//!
//! In: the number of cells along x and y. Out: a map, links written directly. Cost: O(cells).

use crate::attribute::CellIds;
use crate::map::{MAX_DARTS, Map2};
use crate::{DartSet, EditError, NO_CELL, Orbit};

impl Map2 {
    /// Builds a grid of `nx` by `ny` quadrilaterals, counter-clockwise seen from above. Face `i + nx·j`; vertex
    /// `i + (nx + 1)·j`; the darts of face `f` are `4f` (along its lower side), `4f + 1` (up its right side), and so
    /// on.
    ///
    /// ```
    /// use heurt_map::{CombinatorialMap, Map2};
    /// let map = Map2::grid(3, 2)?;
    /// assert_eq!(map.cell_counts()[..3], [12, 17, 6], "vertices, edges, faces");
    /// assert!(map.validate().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError::TooFew`], [`EditError::TooLarge`].
    pub fn grid(nx: u32, ny: u32) -> Result<Self, EditError> {
        if nx == 0 || ny == 0 {
            return Err(EditError::TooFew { what: "a row of a grid", count: 0, least: 1 });
        }
        let (wide, high) = (u64::from(nx), u64::from(ny));
        let count = 4 * u128::from(wide) * u128::from(high) + 2 * u128::from(wide + high);
        if count > MAX_DARTS as u128 {
            return Err(EditError::TooLarge { count: usize::try_from(count).unwrap_or(usize::MAX), max: MAX_DARTS });
        }
        let inner = 4 * nx * ny;
        let total = count as usize;
        let (mut phi1, mut phi2) = (Vec::with_capacity(total), Vec::with_capacity(total));
        let (mut vertex, mut face) = (Vec::with_capacity(total), Vec::with_capacity(total));
        // Boundary darts, from below to the right, up and to the left: the numbers of the darts beyond each side.
        let [below, right, above, left] = [inner, inner + nx, inner + nx + ny, inner + 2 * nx + ny];
        for j in 0..ny {
            for i in 0..nx {
                let dart = 4 * (i + nx * j);
                phi1.extend([dart + 1, dart + 2, dart + 3, dart]);
                phi2.extend([
                    if j > 0 { dart - 4 * nx + 2 } else { below + i },
                    if i + 1 < nx { dart + 4 + 3 } else { right + j },
                    if j + 1 < ny { dart + 4 * nx } else { above + (nx - 1 - i) },
                    if i > 0 { dart - 4 + 1 } else { left + (ny - 1 - j) },
                ]);
                let corner = i + (nx + 1) * j;
                vertex.extend([corner, corner + 1, corner + nx + 2, corner + nx + 1]);
                face.extend([i + nx * j; 4]);
            }
        }
        // They follow each other clockwise seen from the grid's inside, so that the next dart of each has the previous
        // number.
        phi1.push(total as u32 - 1);
        phi1.extend(inner..total as u32 - 1);
        let cell = |i: u32, j: u32| 4 * (i + nx * j);
        phi2.extend((0..nx).map(|i| cell(i, 0)));
        phi2.extend((0..ny).map(|j| cell(nx - 1, j) + 1));
        phi2.extend((0..nx).rev().map(|i| cell(i, ny - 1) + 2));
        phi2.extend((0..ny).rev().map(|j| cell(0, j) + 3));
        for beyond in inner as usize..total {
            vertex.push(vertex[phi1[phi2[beyond] as usize] as usize]);
        }
        face.resize(total, NO_CELL);
        let mut boundary = DartSet::with_capacity(total);
        boundary.insert_range(inner..total as u32);
        let mut map = Self::from_links(phi1, phi2, Vec::new(), boundary);
        let mut first = vec![NO_CELL; (nx as usize + 1) * (ny as usize + 1)];
        for dart in (0..inner).rev() {
            first[vertex[dart as usize] as usize] = dart;
        }
        map.ids[Orbit::Vertex.place()] = Some(Box::new(CellIds::from_parts(vertex, first)));
        let faces = (0..inner).step_by(4).collect();
        map.ids[Orbit::Face.place()] = Some(Box::new(CellIds::from_parts(face, faces)));
        Ok(map)
    }
}
