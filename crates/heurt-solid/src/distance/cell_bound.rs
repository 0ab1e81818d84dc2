//! Bound of the error of trilinear interpolation in a cell of a signed distance field.
//!
//! In: the values v₁ … v₈ at the corners c₁ … c₈ of a cube of edge h, and exact signed distances f(y) at any points y,
//! the witnesses. Out: a number that bounds |f(p) − g(p)| for all points p of the cell, with g the interpolation.
//!
//! Why it is a bound:
//! 1. g(p) = Σ wᵢ vᵢ with weights wᵢ ≥ 0, Σ wᵢ = 1 and Σ wᵢ cᵢ = p.
//! 2. f is 1-Lipschitz, so f(p) ≤ f(y) + |p − y| for any y, inside the cell or not.
//! 3. |p − y| is convex in p, so |p − y| ≤ Σ wᵢ |cᵢ − y|.
//! 4. Hence f(p) − g(p) ≤ Σ wᵢ (f(y) + |cᵢ − y| − vᵢ) ≤ maxᵢ (f(y) + |cᵢ − y| − vᵢ), for any vᵢ.
//! 5. In the same manner g(p) − f(p) ≤ maxᵢ (vᵢ − f(y) + |cᵢ − y|).
//! 6. With y = cᵢ in 2, f(p) − g(p) ≤ Σ wᵢ |p − cᵢ| ≤ √(Σ wᵢ |p − cᵢ|²) ≤ √3 h / 2, if vᵢ = f(cᵢ).
//!
//! A witness at the distance r behind a smooth surface makes 4 as small as h² / r, so cells may be much larger than the
//! tolerance. Steps 4 and 5 need a witness on either side of the surface.

use super::exact::ExactDistance;
use heurt_geometry::{Aabb, Vec3};
use heurt_shape::MeshShape;

/// Half of the diagonal of a cube of edge 1.
pub(super) const HALF_DIAGONAL: f64 = 0.866_025_403_784_438_7;

/// A point with its signed distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct DistanceWitness {
    point: Vec3,
    value: f64,
    error: f64,
}

impl DistanceWitness {
    /// Creates a witness for cells of this half diagonal; its error covers the rounding of distances to their corners.
    fn new(point: Vec3, found: &ExactDistance, half_diagonal: f64) -> Self {
        let reach = found.value.abs() + 4.0 * half_diagonal + point.abs().max_element();
        Self { point, value: found.value, error: found.error + 16.0 * f64::EPSILON * reach }
    }

    /// Returns max (f(y) + |cᵢ − y| − vᵢ).
    fn bound_above(&self, corners: &[Vec3; 8], values: &[f64; 8]) -> f64 {
        let terms = corners.iter().zip(values).map(|(corner, value)| (*corner - self.point).length() - value);
        terms.fold(f64::NEG_INFINITY, f64::max) + self.value + self.error
    }

    /// Returns max (vᵢ − f(y) + |cᵢ − y|).
    fn bound_below(&self, corners: &[Vec3; 8], values: &[f64; 8]) -> f64 {
        let terms = corners.iter().zip(values).map(|(corner, value)| (*corner - self.point).length() + value);
        terms.fold(f64::NEG_INFINITY, f64::max) - self.value + self.error
    }
}

/// A cell with exact values at its corners.
#[derive(Debug, Clone, Copy)]
pub(super) struct CornerValues {
    /// In metres, in the order of [`Aabb::corners`].
    pub values: [f64; 8],
    /// Bounds the errors of the values, in metres.
    pub error: f64,
}

/// The purpose of a bound.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundTarget {
    /// The bound that suffices near the surface, in metres.
    pub tolerance: f64,
    /// The distance from the surface up to which it has to suffice, in metres.
    pub band: f64,
    /// The rounding error of coordinates, in metres.
    pub rounding: f64,
}

/// The verdict on a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellBound {
    /// Bounds the error of interpolation in the cell, in metres.
    pub error: f64,
    /// Whether a point of the cell may lie within the band.
    pub is_near: bool,
    /// Whether the error exceeds the bound that suffices for the cell.
    pub is_coarse: bool,
    /// The witnesses with the least bounds above and below.
    pub witnesses: [Option<DistanceWitness>; 2],
}

/// Bounds the error in a cell of an edge, starting with the witnesses of its parent.
///
/// The search ends as soon as a bound exceeds the tolerance for certain, or suffices.
pub(super) fn bound_cell(
    shape: &MeshShape,
    bounds: &Aabb,
    corner: &CornerValues,
    parents: [Option<DistanceWitness>; 2],
    target: &BoundTarget,
) -> CellBound {
    let (centre, corners) = (bounds.centre(), bounds.corners());
    let half_diagonal = HALF_DIAGONAL * (bounds.max - bounds.min).max_element();
    let exact = ExactDistance::at(shape, centre);
    let middle = DistanceWitness::new(centre, &exact, half_diagonal);
    let is_near = exact.value.abs() - exact.error <= half_diagonal + target.band;
    let mut search = WitnessSearch {
        corners: &corners,
        values: &corner.values,
        best: [half_diagonal + corner.error; 2],
        witnesses: [None; 2],
    };
    search.offer(middle);
    parents.iter().flatten().for_each(|witness| search.offer(*witness));
    let mean = corner.values.iter().sum::<f64>() / 8.0;
    // Far from the surface, an error of a fraction of the distance suffices to skip spheres of points.
    let tolerance = if is_near { target.tolerance } else { target.tolerance.max(FAR_SHARE * exact.value.abs()) };
    let is_hopeless = (mean - exact.value).abs() - exact.error > tolerance;
    if !is_hopeless {
        let out = exact.direction_out(shape, centre);
        // A sphere of this radius through the foot deviates from its tangent plane by the tolerance at the corners.
        let least = 0.5 * half_diagonal * half_diagonal / tolerance;
        for side in [0, 1] {
            for factor in RADII {
                if search.best[side] <= tolerance || out == Vec3::ZERO {
                    break;
                }
                let offset = out * (least * factor);
                let point = if side == 0 { exact.foot - offset } else { exact.foot + offset };
                let found = ExactDistance::at(shape, point);
                search.offer(DistanceWitness::new(point, &found, half_diagonal));
            }
            if search.best[side] > tolerance {
                break;
            }
        }
    }
    let error = search.error() + target.rounding;
    CellBound { error, is_near, is_coarse: error > tolerance, witnesses: search.witnesses }
}

/// Radii of the spheres that are tried, in units of the least radius that can suffice: the first leaves most of the
/// tolerance for the mesh, the second fits into thinner solids.
const RADII: [f64; 2] = [3.0, 1.4];

/// The error that suffices far from the surface, in units of the distance.
const FAR_SHARE: f64 = 0.4;

struct WitnessSearch<'a> {
    corners: &'a [Vec3; 8],
    values: &'a [f64; 8],
    /// The least bounds above and below, in metres.
    best: [f64; 2],
    witnesses: [Option<DistanceWitness>; 2],
}

impl WitnessSearch<'_> {
    fn offer(&mut self, witness: DistanceWitness) {
        let bounds = [witness.bound_above(self.corners, self.values), witness.bound_below(self.corners, self.values)];
        for side in [0, 1] {
            if bounds[side] < self.best[side] {
                (self.best[side], self.witnesses[side]) = (bounds[side], Some(witness));
            }
        }
    }

    fn error(&self) -> f64 {
        self.best[0].max(self.best[1]).max(0.0)
    }
}
