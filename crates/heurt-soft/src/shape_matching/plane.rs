//! Shape matching in the plane: the rotation in closed form.
//!
//! In: points of the plane in metres. Out: their fit, goals, a step.
//! Method: with A = Σ m p qᵀ, the rotation by φ minimises Σ m |R q − p|² if (cos φ, sin φ) points along
//! (a₁₁ + a₂₂, a₂₁ − a₁₂), because Σ m p · R q = cos φ (a₁₁ + a₂₂) + sin φ (a₂₁ − a₁₂). No angle is computed.
//! Guarantees: proper for mirror images; the identity if all rotations are equally good. Cost: O(points).

use super::points::{Centred, advance, centred, check_vectors, mass_shares};
use super::whiten::whitened;
use super::{FLATNESS_LIMIT, MatchingSettings, ShapeMatchingError};
use heurt_geometry::Vec2;

/// The bound below which both components of the turn are rounding, as a share of the size of A.
const NO_TURN: f64 = 1e-14;

/// A shape of points with masses in the plane.
///
/// ```
/// use heurt_geometry::Vec2;
/// use heurt_soft::ShapeMatching2;
/// let rest = [[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]].map(Vec2::from_array);
/// let shape = ShapeMatching2::new(&rest, &[1.0, 2.0, 3.0])?;
/// // A quarter turn and a shift are found exactly.
/// let moved = rest.map(|point| point.perp() + Vec2::new(5.0, 7.0));
/// let fit = shape.fit(&moved)?;
/// assert!((fit.turn - Vec2::Y).length() < 1e-12);
/// assert!(fit.place(Vec2::new(2.0, 0.0)).distance(moved[1]) < 1e-12);
/// # Ok::<(), heurt_soft::ShapeMatchingError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeMatching2 {
    /// Masses over their sum.
    shares: Vec<f64>,
    rest_centroid: Vec2,
    /// Units in a metre of `offsets`.
    unit: f64,
    /// Rest positions from their centroid, in units.
    offsets: Vec<Vec2>,
    /// Whitened rest offsets; `None` for points on a line.
    white: Option<White>,
}

/// Rest offsets in whitened coordinates.
#[derive(Debug, Clone, PartialEq)]
struct White {
    offsets: Vec<Vec2>,
    /// The columns of the matrix from offsets in units.
    matrix: [Vec2; 2],
}

/// The rigid motion that fits points best, and the linear map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeFit2 {
    /// The centre of mass of the positions, in metres.
    pub centroid: Vec2,
    /// Cosine and sine of the angle by which the shape has turned; of length 1.
    pub turn: Vec2,
    /// The columns of the best linear map, scaled to determinant 1; `None` for inverted and flat sets of points, and
    /// for rest shapes on a line.
    pub linear: Option<[Vec2; 2]>,
    /// The centre of mass of the rest positions, in metres.
    pub rest_centroid: Vec2,
}

impl ShapeFit2 {
    /// Moves a point of the rest shape by the rigid motion.
    pub fn place(&self, rest: Vec2) -> Vec2 {
        self.centroid + self.turn.rotate(rest - self.rest_centroid)
    }
}

impl ShapeMatching2 {
    /// Takes rest positions in metres and masses in kilograms. Cost: O(points).
    ///
    /// # Errors
    /// [`ShapeMatchingError`] for no points, a wrong number of masses, a mass that is not positive, a coordinate that
    /// is not finite, with its index.
    pub fn new(rest: &[Vec2], masses: &[f64]) -> Result<Self, ShapeMatchingError> {
        let shares = mass_shares(masses, rest.len())?;
        check_vectors("rest positions", rest, rest.len())?;
        let Centred { centroid, unit, offsets } = centred(rest, &shares);
        let rows: Vec<[f64; 2]> = offsets.iter().map(|offset| offset.to_array()).collect();
        let white = whitened(&rows, &shares).map(|(white, [x, y])| White {
            offsets: white.into_iter().map(Vec2::from_array).collect(),
            matrix: [Vec2::new(x[0], y[0]), Vec2::new(x[1], y[1])],
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
    pub fn fit(&self, positions: &[Vec2]) -> Result<ShapeFit2, ShapeMatchingError> {
        check_vectors("positions", positions, self.point_count())?;
        Ok(self.fit_centred(&centred(positions, &self.shares)).0)
    }

    /// Computes the goal of each point, in metres, for a share of linear deformation from 0 to 1.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and for a share out of its range.
    pub fn goals(&self, positions: &[Vec2], linear_share: f64) -> Result<Vec<Vec2>, ShapeMatchingError> {
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
        positions: &mut [Vec2],
        velocities: &mut [Vec2],
        accelerations: &[Vec2],
        settings: &MatchingSettings,
        time_step: f64,
    ) -> Result<ShapeFit2, ShapeMatchingError> {
        settings.check(time_step)?;
        check_vectors("positions", positions, self.point_count())?;
        check_vectors("velocities", velocities, self.point_count())?;
        check_vectors("accelerations", accelerations, self.point_count())?;
        let current = centred(positions, &self.shares);
        let (fit, white) = self.fit_centred(&current);
        // Both offsets are small numbers: their difference has the rounding of the shape, not of the place.
        let goals = self.goal_offsets(&fit, white, settings.linear_share);
        let to_goal = |(goal, place): (Vec2, &Vec2)| goal - *place / current.unit;
        let goal_offsets: Vec<Vec2> = goals.zip(&current.offsets).map(to_goal).collect();
        advance(positions, velocities, &goal_offsets, accelerations, (settings, time_step))?;
        Ok(fit)
    }

    /// Returns the fit, and the columns of its linear map from whitened offsets to offsets in units.
    fn fit_centred(&self, current: &Centred<Vec2>) -> (ShapeFit2, Option<[Vec2; 2]>) {
        let turn = best_turn(moment(&current.offsets, &self.offsets, &self.shares));
        let linear = self.white.as_ref().and_then(|white| {
            let from_white = moment(&current.offsets, &white.offsets, &self.shares);
            let scale = scale_to_unit_area(white.matrix.map(|column| apply(from_white, column)))?;
            Some((from_white.map(|column| column * scale), white.matrix))
        });
        let (from_white, linear) = linear.map(|(map, to)| (map, to.map(|column| apply(map, column)))).unzip();
        let fit = ShapeFit2 { centroid: current.centroid, turn, linear, rest_centroid: self.rest_centroid };
        (fit, from_white)
    }

    /// Lists the offsets of the goals from the centroid, in metres: (β A' + (1 − β) R) q.
    fn goal_offsets(
        &self,
        fit: &ShapeFit2,
        from_white: Option<[Vec2; 2]>,
        linear_share: f64,
    ) -> impl Iterator<Item = Vec2> {
        let white = self.white.as_ref().zip(from_white);
        let turn = fit.turn;
        self.offsets.iter().enumerate().map(move |(k, offset)| {
            let turned = turn.rotate(*offset);
            let goal = match white {
                Some((white, map)) => apply(map, white.offsets[k]) * linear_share + turned * (1.0 - linear_share),
                None => turned,
            };
            goal / self.unit
        })
    }
}

/// Applies a linear map by its columns.
fn apply([x, y]: [Vec2; 2], to: Vec2) -> Vec2 {
    x * to.x + y * to.y
}

/// Sums m p qᵀ, as columns.
fn moment(places: &[Vec2], rest: &[Vec2], shares: &[f64]) -> [Vec2; 2] {
    let mut columns = [Vec2::ZERO; 2];
    for ((place, rest), share) in places.iter().zip(rest).zip(shares) {
        columns[0] += *place * (rest.x * share);
        columns[1] += *place * (rest.y * share);
    }
    columns
}

/// Returns cosine and sine of the best rotation for Σ m p qᵀ.
fn best_turn([x, y]: [Vec2; 2]) -> Vec2 {
    let sum = Vec2::new(x.x + y.y, x.y - y.x);
    let size = (x.length_squared() + y.length_squared()).sqrt();
    let length = sum.length();
    if length > NO_TURN * size { sum / length } else { Vec2::X }
}

/// Returns the factor by which a linear map has determinant 1; `None` if it is inverted or flat.
fn scale_to_unit_area([x, y]: [Vec2; 2]) -> Option<f64> {
    let determinant = x.perp_dot(y);
    let mean_square = 0.5 * (x.length_squared() + y.length_squared());
    // NaN and zero fail, too.
    (determinant > FLATNESS_LIMIT * mean_square).then(|| 1.0 / determinant.sqrt())
}
