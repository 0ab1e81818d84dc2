//! Free-form surface patches: Bézier, B-spline and NURBS patches of any degree, and meshes of them to a stated bound.
//!
//! In: degrees, knots, control points in metres and weights, or a JSON document of several patches. Out: points of the
//! surface, and a [`PatchMesh`].
//! Method: evaluation by de Boor. For meshes, knots divide a patch into Bézier pieces, and each piece is evaluated by
//! de Casteljau on a grid with as few segments as the bound permits (Farin, *Curves and Surfaces for CAGD*; Piegl and
//! Tiller, *The NURBS Book*).
//! Guarantees: data is checked once. The distance between mesh and surface is at most the bound, in both directions.
//! Patches with the same control points, weights and knots along a border, in either direction, have the same vertices
//! there, so a closed set of patches gives a closed mesh. The normal of triangles is on the side of S_u × S_v.
//! Not guaranteed: that patches do not cross; that knots reversed with rounding give the same vertices.
//! Cost: O(vertices · degree³).

mod bezier;
mod blossom;
mod document;
mod error;
mod segments;
mod tessellation;

pub use error::PatchError;
pub use tessellation::PatchMesh;

use bezier::cartesian;
use blossom::{Homogeneous, blossom};
use heurt_geometry::Vec3;

/// The largest degree of a patch along u or v: a limit on work per point.
pub const MAX_DEGREE: usize = 16;

/// The largest coordinate in magnitude, in metres, and the largest ratio of a weight to 1: products stay in range.
const LARGEST: f64 = 1e60;

/// A rational tensor product patch over the rectangle of its knots.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfacePatch {
    degree: [usize; 2],
    knots: [Vec<f64>; 2],
    points: Vec<Vec<Vec3>>,
    weights: Vec<Vec<f64>>,
}

/// Patches that belong together, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchSet {
    patches: Vec<SurfacePatch>,
}

/// Returns the knots of one Bézier patch over [0, 1].
fn bezier_knots(degree: usize) -> Vec<f64> {
    let end = |value: f64| std::iter::repeat_n(value, degree.min(MAX_DEGREE + 1) + 1);
    end(0.0).chain(end(1.0)).collect()
}

impl SurfacePatch {
    /// Creates a patch from its degrees along u and v, its knots, its control points in metres and their weights. The
    /// first index of points and weights goes along u, the second along v.
    ///
    /// # Errors
    /// [`PatchError`] for a degree outside 1 … [`MAX_DEGREE`], for rows of different lengths, for numbers of knots,
    /// control points and weights that do not match, for knots that descend or are repeated in the wrong number, for
    /// weights that are not positive, and for numbers that are not finite.
    pub fn new(
        degree: [usize; 2],
        knots: [Vec<f64>; 2],
        points: Vec<Vec<Vec3>>,
        weights: Vec<Vec<f64>>,
    ) -> Result<Self, PatchError> {
        let columns = points.first().map_or(0, Vec::len);
        for (axis, found) in [points.len(), columns].into_iter().enumerate() {
            check_knots(['u', 'v'][axis], degree[axis], &knots[axis], found)?;
        }
        check_rows("control points", points.iter().map(Vec::len), columns)?;
        if weights.len() != points.len() {
            return Err(PatchError::WeightRows { found: weights.len(), expected: points.len() });
        }
        check_rows("weights", weights.iter().map(Vec::len), columns)?;
        let refuse = |item, row, column, value, legal| Err(PatchError::Value { item, row, column, value, legal });
        for (row, (points, weights)) in points.iter().zip(&weights).enumerate() {
            for (column, (point, &weight)) in points.iter().zip(weights).enumerate() {
                let bad = point.to_array().into_iter().find(|x| !x.is_finite() || x.abs() > LARGEST);
                if let Some(value) = bad {
                    return refuse("control point", row, column, value, "finite coordinates up to 1e60");
                }
                if !(1.0 / LARGEST..=LARGEST).contains(&weight) {
                    return refuse("weight", row, column, weight, "a positive number from 1e-60 to 1e60");
                }
            }
        }
        Ok(Self { degree, knots, points, weights })
    }

    /// Creates a polynomial Bézier patch over [0, 1]²: 4 rows of 4 control points are a bicubic patch.
    ///
    /// ```
    /// use heurt_solid::{PatchSet, SurfacePatch};
    /// let height = |i: usize, j: usize| if (1..3).contains(&i) && (1..3).contains(&j) { 0.9 } else { 0.0 };
    /// let row = |i| (0..4).map(|j| [i as f64, j as f64, height(i, j)].into()).collect();
    /// let hill = SurfacePatch::bezier((0..4).map(row).collect())?;
    /// let top = hill.point_at(0.5, 0.5)?;
    /// assert!((top.z - 0.9 * 0.75 * 0.75).abs() < 1e-15);
    /// let mesh = PatchSet::new(vec![hill])?.tessellate(1e-3)?;
    /// assert!(mesh.deviation <= 1e-3);
    /// # Ok::<(), heurt_solid::PatchError>(())
    /// ```
    ///
    /// # Errors
    /// As [`SurfacePatch::new`].
    pub fn bezier(points: Vec<Vec<Vec3>>) -> Result<Self, PatchError> {
        let degree = [points.len(), points.first().map_or(0, Vec::len)].map(|count| count.saturating_sub(1));
        let weights = points.iter().map(|row| vec![1.0; row.len()]).collect();
        Self::new(degree, degree.map(bezier_knots), points, weights)
    }

    /// Returns the degrees along u and v.
    pub fn degree(&self) -> [usize; 2] {
        self.degree
    }

    /// Returns the knots along u (axis 0) or v (every other axis).
    pub fn knots(&self, axis: usize) -> &[f64] {
        &self.knots[axis.min(1)]
    }

    /// Returns the control points in metres, rows along u.
    pub fn points(&self) -> &[Vec<Vec3>] {
        &self.points
    }

    /// Returns the weights, rows along u.
    pub fn weights(&self) -> &[Vec<f64>] {
        &self.weights
    }

    /// Evaluates the surface at the parameters `u` and `v`, in metres.
    ///
    /// # Errors
    /// [`PatchError::Parameter`] outside the first and last knots.
    pub fn point_at(&self, u: f64, v: f64) -> Result<Vec3, PatchError> {
        let spans = [self.span('u', 0, u)?, self.span('v', 1, v)?];
        let [along_u, along_v] = [vec![u; self.degree[0]], vec![v; self.degree[1]]];
        let column = |row: &Vec<Homogeneous>| blossom(&self.knots[1], row, spans[1], &along_v);
        let column: Vec<Homogeneous> = self.homogeneous().iter().map(column).collect();
        Ok(cartesian(blossom(&self.knots[0], &column, spans[0], &along_u)))
    }

    /// Finds the span of a parameter that is not empty.
    fn span(&self, name: char, axis: usize, value: f64) -> Result<usize, PatchError> {
        let (knots, degree) = (&self.knots[axis], self.degree[axis]);
        let (low, high) = (knots[0], knots[knots.len() - 1]);
        if !(low..=high).contains(&value) {
            return Err(PatchError::Parameter { axis: name, value, low, high });
        }
        let last = knots.len() - degree - 2;
        Ok((knots.partition_point(|&knot| knot <= value) - 1).min(last))
    }

    /// Returns the control points in homogeneous coordinates.
    fn homogeneous(&self) -> Vec<Vec<Homogeneous>> {
        let row = |(points, weights): (&Vec<Vec3>, &Vec<f64>)| {
            points.iter().zip(weights).map(|(p, &w)| [p.x * w, p.y * w, p.z * w, w]).collect()
        };
        self.points.iter().zip(&self.weights).map(row).collect()
    }
}

impl PatchSet {
    /// Creates a set of patches.
    ///
    /// # Errors
    /// [`PatchError::NoPatches`] without a patch.
    pub fn new(patches: Vec<SurfacePatch>) -> Result<Self, PatchError> {
        if patches.is_empty() { Err(PatchError::NoPatches) } else { Ok(Self { patches }) }
    }

    /// Returns the patches.
    pub fn patches(&self) -> &[SurfacePatch] {
        &self.patches
    }
}

/// Checks that all rows have `expected` items.
fn check_rows(items: &'static str, rows: impl Iterator<Item = usize>, expected: usize) -> Result<(), PatchError> {
    match rows.enumerate().find(|&(_, found)| found != expected) {
        Some((row, found)) => Err(PatchError::Rows { items, row, found, expected }),
        None => Ok(()),
    }
}

/// Checks knots of one direction for `found` control points.
fn check_knots(axis: char, degree: usize, knots: &[f64], found: usize) -> Result<(), PatchError> {
    if !(1..=MAX_DEGREE).contains(&degree) {
        return Err(PatchError::Degree { axis, degree });
    }
    if found <= degree {
        return Err(PatchError::Few { axis, degree, found });
    }
    let expected = found + degree + 1;
    if knots.len() != expected {
        return Err(PatchError::Count { axis, knots: knots.len(), degree, expected, found });
    }
    for (index, &knot) in knots.iter().enumerate() {
        let descends = index > 0 && knot < knots[index - 1];
        if !knot.is_finite() || knot.abs() > LARGEST || descends {
            return Err(PatchError::Knot { axis, index, knot });
        }
    }
    let groups: Vec<&[f64]> = knots.chunk_by(|a, b| a == b).collect();
    for (index, group) in groups.iter().enumerate() {
        let is_end = index == 0 || index + 1 == groups.len();
        let times = group.len();
        let is_single = groups.len() == 1;
        if is_single || (is_end && times != degree + 1) || (!is_end && times > degree) {
            return Err(PatchError::Multiplicity { axis, knot: group[0], times, degree });
        }
    }
    Ok(())
}
