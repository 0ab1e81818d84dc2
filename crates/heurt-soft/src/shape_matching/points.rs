//! Points with masses in a space of any dimension: checks, weighted means, one step.
//!
//! In: points as vectors of the plane or of space. Out: centroids, offsets in a unit near their extent, new states.
//! Method: masses are divided by their sum after division by the largest one. Offsets are multiplied by a power of two,
//! which is exact. Guarantees: nothing overflows for checked input. Cost: O(points).

use super::{MAX_MAGNITUDE, MatchingSettings, ShapeMatchingError};
use heurt_geometry::{Vec2, Vec3, power_of_two_scale};
use std::ops::{Add, Mul, Sub};

/// A vector of the plane or of space.
pub(super) trait Coordinates:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self> + PartialEq
{
    /// The zero vector.
    const ORIGIN: Self;

    /// Returns the components; missing ones are 0.
    fn components(self) -> [f64; 3];
}

impl Coordinates for Vec2 {
    const ORIGIN: Self = Self::ZERO;

    fn components(self) -> [f64; 3] {
        [self.x, self.y, 0.0]
    }
}

impl Coordinates for Vec3 {
    const ORIGIN: Self = Self::ZERO;

    fn components(self) -> [f64; 3] {
        self.to_array()
    }
}

/// Positions from their centroid, in a unit near their extent.
pub(super) struct Centred<V> {
    pub(super) centroid: V,
    /// Units in a metre, a power of two.
    pub(super) unit: f64,
    /// Offsets times `unit`.
    pub(super) offsets: Vec<V>,
}

/// Checks masses and returns their shares, which sum to 1.
pub(super) fn mass_shares(masses: &[f64], points: usize) -> Result<Vec<f64>, ShapeMatchingError> {
    check_count("masses", masses.len(), points)?;
    if points == 0 {
        return Err(ShapeMatchingError::Empty);
    }
    if let Some(index) = masses.iter().position(|mass| !(1e-100..=1e100).contains(mass)) {
        return Err(ShapeMatchingError::Mass { index, mass: masses[index] });
    }
    let largest = masses.iter().copied().fold(0.0, f64::max);
    let total: f64 = masses.iter().map(|mass| mass / largest).sum();
    Ok(masses.iter().map(|mass| mass / largest / total).collect())
}

/// Checks the length of an array.
pub(super) fn check_count(array: &'static str, count: usize, points: usize) -> Result<(), ShapeMatchingError> {
    if count == points { Ok(()) } else { Err(ShapeMatchingError::Count { array, count, points }) }
}

/// Checks the length of an array and that its components are finite and in range.
pub(super) fn check_vectors<V: Coordinates>(
    array: &'static str,
    vectors: &[V],
    points: usize,
) -> Result<(), ShapeMatchingError> {
    check_count(array, vectors.len(), points)?;
    for (index, vector) in vectors.iter().enumerate() {
        if let Some(value) = component_out_of_range(*vector) {
            return Err(ShapeMatchingError::Component { array, index, value });
        }
    }
    Ok(())
}

/// Returns the first component that is NaN or too large.
fn component_out_of_range<V: Coordinates>(vector: V) -> Option<f64> {
    let is_legal = |value: f64| (-MAX_MAGNITUDE..=MAX_MAGNITUDE).contains(&value);
    vector.components().into_iter().find(|&value| !is_legal(value))
}

/// Moves points to their centroid and into their unit.
pub(super) fn centred<V: Coordinates>(points: &[V], shares: &[f64]) -> Centred<V> {
    // The mean is taken from the first point, so that a small shape far from the origin keeps its digits.
    let origin = points[0];
    let mean =
        |vectors: &[V]| vectors.iter().zip(shares).fold(V::ORIGIN, |sum, (&vector, &share)| sum + vector * share);
    let mut offsets: Vec<V> = points.iter().map(|&point| point - origin).collect();
    let shift = mean(&offsets);
    offsets.iter_mut().for_each(|offset| *offset = *offset - shift);
    let extent = offsets.iter().flat_map(|offset| offset.components()).fold(0.0, |most, value| value.abs().max(most));
    let unit = if extent > 0.0 { power_of_two_scale(extent) } else { 1.0 };
    offsets.iter_mut().for_each(|offset| *offset = *offset * unit);
    // The offsets were rounded: their mean is 0 to rounding of the shape, not of the place.
    let rest = mean(&offsets);
    offsets.iter_mut().for_each(|offset| *offset = *offset - rest);
    Centred { centroid: origin + shift + rest * (1.0 / unit), unit, offsets }
}

/// Computes velocities and positions after a step; changes nothing if one is out of range.
pub(super) fn advance<V: Coordinates>(
    positions: &mut [V],
    velocities: &mut [V],
    goal_offsets: &[V],
    accelerations: &[V],
    (settings, time_step): (&MatchingSettings, f64),
) -> Result<(), ShapeMatchingError> {
    let rate = settings.stiffness / time_step;
    let moved = (0..positions.len()).map(|index| {
        let velocity = velocities[index] + goal_offsets[index] * rate + accelerations[index] * time_step;
        let position = positions[index] + velocity * time_step;
        let fault = component_out_of_range(velocity).or(component_out_of_range(position));
        if fault.is_none() { Ok((position, velocity)) } else { Err(ShapeMatchingError::OutOfRange { index }) }
    });
    let moved = moved.collect::<Result<Vec<_>, _>>()?;
    for (index, (position, velocity)) in moved.into_iter().enumerate() {
        (positions[index], velocities[index]) = (position, velocity);
    }
    Ok(())
}
