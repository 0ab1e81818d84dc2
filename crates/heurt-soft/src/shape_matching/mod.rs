//! Shape matching: points that are drawn to the rest shape, moved to where it fits them best.
//!
//! In: rest positions in metres and masses in kilograms; positions, velocities, accelerations, a time step in seconds.
//! Out: the optimal rigid motion, goals, the state after a step.
//! Method: Müller, Heidelberger, Teschner and Gross, "Meshless deformations based on shape matching" (2005); S4
//! §8.2.2. Let qᵢ be the rest positions from their centroid, pᵢ the positions from theirs, and A = (Σ m p qᵀ)
//! (Σ m q qᵀ)⁻¹. The goals are c + (β A' + (1 − β) R) qᵢ. R is the proper rotation that minimises Σ m |R q − p|², and
//! A' = A / det(A)^(1/d) keeps the area (d = 2) or the volume (d = 3). A step adds α (g − x)/h and h a to a velocity,
//! then h v to the position. S4 calls α elasticity and β plasticity. Here α is the stiffness and β the share of linear
//! deformation; a yield of the rest shape (§4.5 of the source) is a different thing, and is not part of this module.
//! Differences: the source takes R from the square root of AᵀA, which has no answer for flat sets of points and mirrors
//! inverted ones. Here R is a closed form in the plane and an eigenvector of Horn (1987) in space. The source has no
//! rule for det(A) ≤ 0; here β is 0 then. So it is for sets so flat that A' would be large ([`FLATNESS_LIMIT`]), and
//! for rest shapes on a line (in the plane) or in a plane (in space), for which no A exists.
//! Guarantees: R is proper (det +1) for every input; several rotations are equally good for points on a line or at one
//! place, and mirror images, and R is then a best one. Impulses of the matching keep the linear and the angular
//! momentum to rounding, for any α and β. Input that is refused changes nothing.
//! Not guaranteed: stability under external accelerations that depend on the positions, and for β near 1 without
//! damping, as nearly flat sets of points have far goals. Cost: O(points).

mod eigen;
mod plane;
mod points;
mod space;
mod whiten;

pub use plane::{ShapeFit2, ShapeMatching2};
pub use space::{ShapeFit3, ShapeMatching3};

use heurt_geometry::DisplayNumber;
use thiserror::Error;

/// The bound of flatness: det(A) over the determinant of a rotation of the same mean square stretch. At or below, the
/// goals follow the rotation alone. So A' stretches by less than 1,420 in the plane and 174 in space.
pub const FLATNESS_LIMIT: f64 = 1e-6;

/// The bound of flatness of rest shapes: the least over the greatest mean square extent. Below, the
/// eigenvalues of Σ m q qᵀ have fewer than four digits.
const FLAT_REST: f64 = 1e-12;

/// The largest magnitude of coordinates and velocities, so that squares, sums and differences stay finite.
pub const MAX_MAGNITUDE: f64 = 1e100;

/// Stiffness and deformability of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchingSettings {
    /// Stiffness α from 0 to 1: the share of the offset to the goal that a step removes. With 1 the points reach their
    /// goals in one step.
    pub stiffness: f64,
    /// Share β of linear deformation from 0 to 1: 0 pulls to the rigid shape, 1 to the best linear map that keeps area
    /// or volume.
    pub linear_share: f64,
}

impl Default for MatchingSettings {
    /// A rigid shape that is reached in one step: α = 1, β = 0 (S4 §8.2 for rigid agents).
    fn default() -> Self {
        Self { stiffness: 1.0, linear_share: 0.0 }
    }
}

/// Errors of shape matching.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeMatchingError {
    /// There are no points.
    #[error("the shape has no points: give at least one")]
    Empty,
    /// An array has the wrong length.
    #[error("there are {count} {array} for a shape of {points} points: give one for each point")]
    Count {
        /// The name of the array.
        array: &'static str,
        /// The number given.
        count: usize,
        /// The number of points.
        points: usize,
    },
    /// A component is NaN, infinite or too large.
    #[error("number {index} of the {array} has a component {}: give numbers up to 1e100", DisplayNumber(*value))]
    Component {
        /// The name of the array.
        array: &'static str,
        /// The index of the entry.
        index: usize,
        /// The component.
        value: f64,
    },
    /// A mass is not positive or not finite.
    #[error("the mass of point {index} is {} kg: give a mass between 1e-100 and 1e100", DisplayNumber(*mass))]
    Mass {
        /// The index of the point.
        index: usize,
        /// The mass.
        mass: f64,
    },
    /// A setting is out of its range.
    #[error("the {name} is {}: give {legal}", DisplayNumber(*value))]
    Setting {
        /// The name of the setting.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The legal range, in words.
        legal: &'static str,
    },
    /// The state after the step is beyond the range of numbers.
    #[error("point {index} leaves the range of 1e100 in this step: give smaller accelerations or a longer time step")]
    OutOfRange {
        /// The index of the point.
        index: usize,
    },
}

impl MatchingSettings {
    /// Checks both settings and the time step.
    fn check(&self, time_step: f64) -> Result<(), ShapeMatchingError> {
        let share = |name, value: f64| {
            let error = ShapeMatchingError::Setting { name, value, legal: "a number from 0 to 1" };
            if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(error) }
        };
        share("stiffness", self.stiffness)?;
        share("linear share", self.linear_share)?;
        if (1e-100..=1e100).contains(&time_step) {
            return Ok(());
        }
        let legal = "a positive time between 1e-100 and 1e100 s";
        Err(ShapeMatchingError::Setting { name: "time step", value: time_step, legal })
    }
}
