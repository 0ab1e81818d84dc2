//! Kernels of faces and volumes: points from which all of their edges, or all of their triangles, are seen.
//!
//! In: half-planes or half-spaces. Out: the point at the greatest distance from all of their borders.
//! Method: a linear programme. Over the triangles with outward normals nᵢ and points pᵢ, maximise t with
//! nᵢ·(m − pᵢ) + t ≤ 0 for the point m. Its dual has as many rows as m and t have numbers, and a first basis from a box
//! around the cell; the simplex method solves it with Bland's rule after a number of steps.
//! Guarantees: same input, same point. Signs at that point are not decided here: the tracker's `check` does it exactly.
//! Not guaranteed: the point lies in the kernel if no ball of a radius of 1e-12 of the cell does. Cost: O(triangles) a
//! step, and approximately as many steps as numbers and some.

use super::{CellFault, Centres, StarTracker, TrackError};
use crate::{CombinatorialMap, Dart, Orbit, Walker};
use heurt_geometry::{Vec3, power_of_two_scale};

/// A bound of the numbers of a scaled cell, whose coordinates are at most 1.
const BOX: f64 = 4.0;

/// The most steps of a programme; with Bland's rule it ends by itself.
const MAX_STEPS: usize = 10_000;

/// Number of steps from which Bland's rule chooses.
const STEPS_BEFORE_BLAND: usize = 200;

/// A violation below this is rounding.
const ROUNDING: f64 = 1e-15;

impl Centres {
    /// Takes the means of corners, as [`new`](Self::new). A face whose mean does not see all of its edges gets a point
    /// of its kernel, in its mean plane. A volume whose mean does not see all triangles gets a point of its kernel,
    /// if it has one.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_map::track::{Centres, StarTracker};
    /// use heurt_map::{Cell, Map3, Orbit, Orient};
    /// // A tetrahedron with a dent: its mean is outside.
    /// let points = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9], [1, 1, 2]]
    ///     .map(|at| Vec3::from_array(at.map(f64::from)));
    /// let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]];
    /// let cell = Cell::Polyhedron(faces.iter().map(|face| face.to_vec()).collect());
    /// let mut map = Map3::from_cells(5, &[cell], Orient::Keep)?.map;
    /// map.enable_ids(Orbit::Face);
    /// let means = Centres::new(&map, &points)?;
    /// assert_eq!(StarTracker::new(&map, &points, &means)?.check().len(), 1);
    /// let centres = Centres::in_kernels(&map, &points)?;
    /// assert!(StarTracker::new(&map, &points, &centres)?.check().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub fn in_kernels(map: &impl CombinatorialMap, points: &[Vec3]) -> Result<Self, TrackError> {
        let mut centres = Self::new(map, points)?;
        centres.move_into_kernels(map, points)?;
        Ok(centres)
    }

    /// Replaces centres that do not see all of their cell by points of kernels.
    pub(crate) fn move_into_kernels(&mut self, map: &impl CombinatorialMap, points: &[Vec3]) -> Result<(), TrackError> {
        let faces: Vec<(u32, Dart)> = map.cell_ids(Orbit::Face).into_iter().flat_map(|ids| ids.cells()).collect();
        for (face, dart) in faces {
            let corners: Vec<Vec3> = crate::map::round(dart, |dart| map.phi1(dart))
                .map(|dart| points[map.id(Orbit::Vertex, dart) as usize])
                .collect();
            // A triangle sees itself from its mean.
            if corners.len() > 3
                && let Some(centre) = face_centre(&corners, self.faces()[face as usize])
            {
                self.faces_mut()[face as usize] = centre;
            }
        }
        let blind = StarTracker::new(map, points, self)?.check();
        let mut walker = Walker::new();
        for fault in blind {
            let CellFault::NotStarShaped { volume, dart } = fault else { continue };
            let at = |dart: Dart| points[map.id(Orbit::Vertex, dart) as usize];
            let triangle =
                |&dart: &Dart| [self.faces()[map.id(Orbit::Face, dart) as usize], at(dart), at(map.phi1(dart))];
            let triangles: Vec<[Vec3; 3]> = walker.orbit(map, Orbit::Volume, dart).iter().map(triangle).collect();
            if let Some(centre) = kernel_point(&triangles) {
                self.volumes_mut()[volume as usize] = centre;
            }
        }
        Ok(())
    }
}

/// A frame in which coordinates are at most 1: the origin and the scale.
fn frame_of(points: impl Iterator<Item = Vec3> + Clone) -> Option<(Vec3, f64)> {
    let count = points.clone().count();
    let origin = points.clone().sum::<Vec3>() / count.max(1) as f64;
    let size = points.map(|point| (point - origin).abs().max_element()).fold(0.0, f64::max);
    (size > 0.0 && size.is_finite()).then(|| (origin, 0.5 * power_of_two_scale(size)))
}

/// Finds the point that sees all triangles from the inside at the greatest distance from their planes, as well as
/// rounding permits; `None` if no point does.
fn kernel_point(triangles: &[[Vec3; 3]]) -> Option<Vec3> {
    let (origin, scale) = frame_of(triangles.iter().flatten().copied())?;
    let (mut rows, mut limits) = (Vec::new(), Vec::new());
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| (corner - origin) * scale);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        if normal == Vec3::ZERO {
            return None;
        }
        rows.push([normal.x, normal.y, normal.z, 1.0]);
        limits.push(normal.dot(a));
    }
    let [x, y, z, margin] = widest(rows, limits)?;
    (margin > 0.0).then(|| origin + Vec3::new(x, y, z) / scale)
}

/// Finds the point of the mean plane of a face that sees all edges at the greatest distance; `None` if the mean of the
/// corners sees them already, or no point does.
fn face_centre(corners: &[Vec3], mean: Vec3) -> Option<Vec3> {
    let (_, scale) = frame_of(corners.iter().copied())?;
    let local: Vec<Vec3> = corners.iter().map(|&corner| (corner - mean) * scale).collect();
    let edges = || local.iter().zip(local.iter().cycle().skip(1)).map(|(&a, &b)| (a, b));
    let normal = edges().map(|(a, b)| a.cross(b)).sum::<Vec3>().normalize_or_zero();
    if normal == Vec3::ZERO || edges().all(|(a, b)| a.cross(b).dot(normal) > ROUNDING) {
        return None;
    }
    let x_axis = normal.any_orthonormal_vector();
    let y_axis = normal.cross(x_axis);
    let (mut rows, mut limits) = (Vec::new(), Vec::new());
    for (a, b) in edges() {
        let outward = (b - a).cross(normal).normalize_or_zero();
        if outward != Vec3::ZERO {
            rows.push([outward.dot(x_axis), outward.dot(y_axis), 1.0]);
            limits.push(outward.dot(a));
        }
    }
    let [x, y, margin] = widest(rows, limits)?;
    (margin > 0.0).then(|| mean + (x_axis * x + y_axis * y) / scale)
}

/// Maximises the last number of a point of which the product with each row is at most its limit; the last number of a
/// row is 1. `None` if rounding stops the search.
fn widest<const N: usize>(mut rows: Vec<[f64; N]>, mut limits: Vec<f64>) -> Option<[f64; N]> {
    // The box: the first N rows are the first basis of the dual, in which the last of them has the weight 1.
    let first = rows.len();
    for sign in [1.0, -1.0] {
        for axis in 0..N {
            if axis + 1 < N || sign > 0.0 {
                rows.push(std::array::from_fn(|other| if other == axis { sign } else { 0.0 }));
                limits.push(BOX);
            }
        }
    }
    let mut basis: [usize; N] = std::array::from_fn(|axis| first + axis);
    for step in 0..MAX_STEPS {
        let own = basis.map(|row| rows[row]);
        let point = solve(own, basis.map(|row| limits[row]))?;
        let violation = |row: usize| dot(&rows[row], &point) - limits[row];
        let violated = (0..rows.len()).filter(|&row| !basis.contains(&row) && violation(row) > ROUNDING);
        let entering = match step < STEPS_BEFORE_BLAND {
            true => violated.max_by(|&a, &b| violation(a).total_cmp(&violation(b))),
            false => violated.min(),
        };
        let Some(entering) = entering else { return Some(point) };
        // Weights of the basis, and their change with the weight of the entering row.
        let columns = transposed(own);
        let mut unit = [0.0; N];
        unit[N - 1] = 1.0;
        let (weights, change) = (solve(columns, unit)?, solve(columns, rows[entering])?);
        let ratio = |place: usize| weights[place].max(0.0) / change[place];
        let leaving = (0..N)
            .filter(|&place| change[place] > 1e-12)
            .min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)).then(basis[a].cmp(&basis[b])))?;
        basis[leaving] = entering;
    }
    None
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn transposed<const N: usize>(rows: [[f64; N]; N]) -> [[f64; N]; N] {
    std::array::from_fn(|column| std::array::from_fn(|row| rows[row][column]))
}

/// Solves linear equations by elimination with pivots; `None` if they are dependent.
fn solve<const N: usize>(mut rows: [[f64; N]; N], mut right: [f64; N]) -> Option<[f64; N]> {
    for column in 0..N {
        let pivot = (column..N).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        if rows[pivot][column].abs() < 1e-14 {
            return None;
        }
        rows.swap(column, pivot);
        right.swap(column, pivot);
        let pivot_row = rows[column];
        for row in column + 1..N {
            let factor = rows[row][column] / pivot_row[column];
            for (number, above) in rows[row].iter_mut().zip(pivot_row).skip(column) {
                *number -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for column in (0..N).rev() {
        let known: f64 = (column + 1..N).map(|place| rows[column][place] * right[place]).sum();
        right[column] = (right[column] - known) / rows[column][column];
    }
    Some(right)
}
