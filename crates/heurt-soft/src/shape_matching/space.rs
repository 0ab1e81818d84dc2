//! Shape matching in space: the rotation as an eigenvector of Horn's matrix.
//!
//! In: points of space in metres. Out: their fit, goals, a step.
//! Method: Horn, "Closed-form solution of absolute orientation using unit quaternions" (1987): Σ m p · R q is a
//! quadratic form of the quaternion of R, and its largest eigenvector is the best rotation. Among equally good
//! rotations, as for points on a line or at one place, the result has the least angle.
//! Guarantees: a unit quaternion is a proper rotation, for mirror images as well. Not guaranteed: for points within
//! 1e-7 of a line, the turn around the line has fewer digits. Cost: O(points), and 6 Jacobi rotations a sweep.

use super::eigen::symmetric_eigen;
use super::points::{Centred, advance, centred, check_vectors, mass_shares};
use super::whiten::whitened;
use super::{FLATNESS_LIMIT, MatchingSettings, ShapeMatchingError};
use heurt_geometry::{Mat3, Quat, Vec3};

/// The bound within which eigenvalues are equal, as a share of the largest entry of Σ m p qᵀ.
const EQUAL_WITHIN: f64 = 4e-14;

/// A shape of points with masses in space.
///
/// ```
/// use heurt_geometry::{Quat, Vec3};
/// use heurt_soft::ShapeMatching3;
/// let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let shape = ShapeMatching3::new(&rest, &[1.0, 2.0, 3.0, 4.0])?;
/// let turn = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
/// let moved = rest.map(|point| turn * point + Vec3::new(5.0, 7.0, 9.0));
/// let fit = shape.fit(&moved)?;
/// assert!((fit.rotation.dot(turn).abs() - 1.0).abs() < 1e-12);
/// assert!(fit.place(Vec3::X).distance(moved[1]) < 1e-12);
/// # Ok::<(), heurt_soft::ShapeMatchingError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeMatching3 {
    /// Masses over their sum.
    shares: Vec<f64>,
    rest_centroid: Vec3,
    /// Units in a metre of `offsets`.
    unit: f64,
    /// Rest positions from their centroid, in units.
    offsets: Vec<Vec3>,
    /// Whitened rest offsets, and the matrix from offsets in units; `None` for points in a plane.
    white: Option<(Vec<Vec3>, Mat3)>,
}

/// The rigid motion that fits points of space best, and the linear map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeFit3 {
    /// The centre of mass of the positions, in metres.
    pub centroid: Vec3,
    /// The rotation of the shape, with w ≥ 0.
    pub rotation: Quat,
    /// The best linear map, scaled to determinant 1; `None` for inverted and flat sets of points, and for rest shapes
    /// in a plane.
    pub linear: Option<Mat3>,
    /// The centre of mass of the rest positions, in metres.
    pub rest_centroid: Vec3,
}

impl ShapeFit3 {
    /// Moves a point of the rest shape by the rigid motion.
    pub fn place(&self, rest: Vec3) -> Vec3 {
        self.centroid + self.rotation * (rest - self.rest_centroid)
    }
}

impl ShapeMatching3 {
    /// Takes rest positions in metres and masses in kilograms. Cost: O(points).
    ///
    /// # Errors
    /// [`ShapeMatchingError`] for no points, a wrong number of masses, a mass that is not positive, a coordinate that
    /// is not finite, with its index.
    pub fn new(rest: &[Vec3], masses: &[f64]) -> Result<Self, ShapeMatchingError> {
        let shares = mass_shares(masses, rest.len())?;
        check_vectors("rest positions", rest, rest.len())?;
        let Centred { centroid, unit, offsets } = centred(rest, &shares);
        let rows: Vec<[f64; 3]> = offsets.iter().map(|offset| offset.to_array()).collect();
        let white = whitened(&rows, &shares).map(|(white, rows)| {
            let matrix = Mat3::from_cols_array_2d(&rows).transpose();
            (white.into_iter().map(Vec3::from_array).collect(), matrix)
        });
        Ok(Self { shares, rest_centroid: centroid, unit, offsets, white })
    }

    /// Returns the number of points.
    pub fn point_count(&self) -> usize {
        self.offsets.len()
    }

    /// Computes the rigid motion and the linear map that fit positions best, in metres. Cost: O(points).
    ///
    /// # Errors
    /// [`ShapeMatchingError`] for a wrong number of positions or a coordinate that is not finite, with its index.
    pub fn fit(&self, positions: &[Vec3]) -> Result<ShapeFit3, ShapeMatchingError> {
        check_vectors("positions", positions, self.point_count())?;
        Ok(self.fit_centred(&centred(positions, &self.shares)).0)
    }

    /// Computes the goal of each point, in metres, for a share of linear deformation from 0 to 1.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and for a share out of its range.
    pub fn goals(&self, positions: &[Vec3], linear_share: f64) -> Result<Vec<Vec3>, ShapeMatchingError> {
        MatchingSettings { stiffness: 1.0, linear_share }.check(1.0)?;
        check_vectors("positions", positions, self.point_count())?;
        let (fit, white) = self.fit_centred(&centred(positions, &self.shares));
        let offsets = self.goal_offsets(&fit, white, linear_share);
        Ok(offsets.map(|offset| fit.centroid + offset).collect())
    }

    /// Advances positions and velocities by a time step in seconds, and returns the fit before it. Accelerations are in
    /// m/s². Bad input changes nothing. Cost: O(points).
    ///
    /// # Errors
    /// [`ShapeMatchingError`] for wrong numbers of entries, components that are not finite, with their index, settings
    /// out of their range, and states beyond 1e100.
    pub fn step(
        &self,
        positions: &mut [Vec3],
        velocities: &mut [Vec3],
        accelerations: &[Vec3],
        settings: &MatchingSettings,
        time_step: f64,
    ) -> Result<ShapeFit3, ShapeMatchingError> {
        settings.check(time_step)?;
        check_vectors("positions", positions, self.point_count())?;
        check_vectors("velocities", velocities, self.point_count())?;
        check_vectors("accelerations", accelerations, self.point_count())?;
        let current = centred(positions, &self.shares);
        let (fit, white) = self.fit_centred(&current);
        // Both offsets are small numbers: their difference has the rounding of the shape, not of the place.
        let goals = self.goal_offsets(&fit, white, settings.linear_share);
        let to_goal = |(goal, place): (Vec3, &Vec3)| goal - *place / current.unit;
        let goal_offsets: Vec<Vec3> = goals.zip(&current.offsets).map(to_goal).collect();
        advance(positions, velocities, &goal_offsets, accelerations, (settings, time_step))?;
        Ok(fit)
    }

    /// Returns the fit, and its linear map from whitened offsets to offsets in units.
    fn fit_centred(&self, current: &Centred<Vec3>) -> (ShapeFit3, Option<Mat3>) {
        let rotation = best_rotation(&moment(&current.offsets, &self.offsets, &self.shares));
        let linear = self.white.as_ref().and_then(|(white, matrix)| {
            let from_white = moment(&current.offsets, white, &self.shares);
            let from_white = from_white * scale_to_unit_volume(&(from_white * *matrix))?;
            Some((from_white, from_white * *matrix))
        });
        let (from_white, linear) = linear.unzip();
        let fit = ShapeFit3 { centroid: current.centroid, rotation, linear, rest_centroid: self.rest_centroid };
        (fit, from_white)
    }

    /// Lists the offsets of the goals from the centroid, in metres: (β A' + (1 − β) R) q.
    fn goal_offsets(&self, fit: &ShapeFit3, from_white: Option<Mat3>, linear_share: f64) -> impl Iterator<Item = Vec3> {
        let white = self.white.as_ref().zip(from_white);
        let turn = Mat3::from_quat(fit.rotation);
        self.offsets.iter().enumerate().map(move |(k, offset)| {
            let turned = turn * *offset;
            let goal = match white {
                Some(((white, _), map)) => map * white[k] * linear_share + turned * (1.0 - linear_share),
                None => turned,
            };
            goal / self.unit
        })
    }
}

/// Sums m p qᵀ.
fn moment(places: &[Vec3], rest: &[Vec3], shares: &[f64]) -> Mat3 {
    let mut sum = Mat3::ZERO;
    for ((place, rest), share) in places.iter().zip(rest).zip(shares) {
        let rest = *rest * *share;
        sum += Mat3::from_cols(*place * rest.x, *place * rest.y, *place * rest.z);
    }
    sum
}

/// Computes the proper rotation R of the largest Σ m p · R q, from Σ m p qᵀ.
fn best_rotation(mixed: &Mat3) -> Quat {
    let size = mixed.to_cols_array().iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    if size.is_nan() || size <= f64::MIN_POSITIVE {
        return Quat::IDENTITY;
    }
    // Entry (i, j) of Σ m p qᵀ: row of the place, column of the rest.
    let at = |i: usize, j: usize| mixed.col(j)[i] / size;
    let axis = [at(2, 1) - at(1, 2), at(0, 2) - at(2, 0), at(1, 0) - at(0, 1)];
    let trace = at(0, 0) + at(1, 1) + at(2, 2);
    let mut form = [[0.0; 4]; 4];
    form[3][3] = trace;
    for i in 0..3 {
        (form[3][i], form[i][3]) = (axis[i], axis[i]);
        for (j, entry) in form[i].iter_mut().enumerate().take(3) {
            *entry = at(i, j) + at(j, i) - if i == j { trace } else { 0.0 };
        }
    }
    let (values, vectors) = symmetric_eigen::<4>(form);
    let largest = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    nearest_to_identity(&values, &vectors, largest)
}

/// Returns the quaternion of least angle among the eigenvectors of the largest eigenvalue.
fn nearest_to_identity(values: &[f64; 4], vectors: &[[f64; 4]; 4], largest: f64) -> Quat {
    let is_best = |k: &usize| largest - values[*k] <= EQUAL_WITHIN;
    // The identity (0, 0, 0, 1), projected onto their space.
    let mut sum = [0.0; 4];
    for k in (0..4).filter(is_best) {
        for (entry, component) in sum.iter_mut().zip(vectors[k]) {
            *entry += component * vectors[k][3];
        }
    }
    let projected = Quat::from_array(sum);
    if projected.length() > 1e-8 {
        return projected.normalize();
    }
    // A half turn: the first of the best eigenvectors.
    let first = (0..4).find(is_best).map_or(Quat::IDENTITY, |k| Quat::from_array(vectors[k]).normalize());
    if first.w < 0.0 { -first } else { first }
}

/// Returns the factor by which a linear map has determinant 1; `None` if it is inverted or flat.
fn scale_to_unit_volume(map: &Mat3) -> Option<f64> {
    let determinant = map.determinant();
    let [x, y, z] = [map.x_axis, map.y_axis, map.z_axis].map(Vec3::length_squared);
    let mean_square = (x + y + z) / 3.0;
    // NaN and zero fail, too.
    (determinant > FLATNESS_LIMIT * mean_square * mean_square.sqrt()).then(|| 1.0 / libm::cbrt(determinant))
}
