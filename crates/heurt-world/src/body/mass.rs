//! How heavy a body is, and how hard to turn.

use heurt_geometry::{DisplayNumber, Mat3, Vec3};
use heurt_shape::{MassError, Shape};
use thiserror::Error;

/// Mass, centre and inertia, in the frame of the shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mass {
    /// In kg.
    pub mass: f64,
    /// The centre of mass, in metres.
    pub centre: Vec3,
    /// About the centre of mass, in kg·m².
    pub inertia: Mat3,
}

/// Why a body has no mass.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MassFault {
    /// The shape has none that can be reported.
    #[error(transparent)]
    Shape(#[from] MassError),
    /// The shape bounds no volume.
    #[error("the shape bounds no volume, so that a density tells no mass: give mass and inertia, or close the mesh")]
    NoVolume,
    /// A number out of range.
    #[error("{field} is {}: give a finite number above 0", DisplayNumber(*value))]
    Number {
        /// `"mass"` or `"density"`.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// A centre of mass that is nowhere.
    #[error("the centre of mass {:?} is not finite: give three finite numbers", value.to_array())]
    Centre {
        /// What was given.
        value: Vec3,
    },
    /// A shape, or its mass, so large or so small that its inertia is no number, or has no inverse.
    #[error(
        "the inertia of the shape at this mass has no inverse in f64: choose other units, or give mass and inertia"
    )]
    Size,
    /// A matrix that no body has.
    #[error(
        "the inertia {:?} is that of no body: give a symmetric and positive definite matrix with an inverse in f64, \
         of whose principal moments none exceeds the sum of the others",
        value.transpose().to_cols_array_2d()
    )]
    Inertia {
        /// What was given.
        value: Mat3,
    },
}

impl Mass {
    /// From a shape of the same density everywhere, in kg/m³.
    ///
    /// # Errors
    /// [`MassFault`] for shapes without volume, and densities that are none.
    pub fn of_density(shape: &Shape, density: f64) -> Result<Self, MassFault> {
        let (volume, centre, inertia) = solid(shape)?;
        let density = above_zero("density", density)?;
        Self::of_shape(density * volume, centre, inertia * density)
    }

    /// From a shape of the same density everywhere that weighs `mass` kg in all.
    ///
    /// # Errors
    /// [`MassFault`] for shapes without volume, and masses that are none.
    pub fn of_total(shape: &Shape, mass: f64) -> Result<Self, MassFault> {
        let (volume, centre, inertia) = solid(shape)?;
        let mass = above_zero("mass", mass)?;
        Self::of_shape(mass, centre, inertia * (mass / volume))
    }

    /// What a shape has it has but for roundings.
    fn of_shape(mass: f64, centre: Vec3, inertia: Mat3) -> Result<Self, MassFault> {
        let mass = above_zero("mass", mass)?;
        if !is_inertia(&inertia) || !centre.is_finite() {
            return Err(MassFault::Size);
        }
        Ok(Self { mass, centre, inertia })
    }

    /// From numbers: the inertia is about the centre.
    ///
    /// # Errors
    /// [`MassFault::Number`], [`MassFault::Centre`], [`MassFault::Inertia`].
    pub fn new(mass: f64, centre: Vec3, inertia: Mat3) -> Result<Self, MassFault> {
        let made = Self { mass, centre, inertia };
        made.check()?;
        if is_of_matter(&inertia) { Ok(made) } else { Err(MassFault::Inertia { value: inertia }) }
    }

    /// Refuses numbers with which nothing flies: anyone can write them. Of the inertia of a shape, roundings may have
    /// made one that no matter has.
    pub(crate) fn check(&self) -> Result<(), MassFault> {
        above_zero("mass", self.mass)?;
        if !is_inertia(&self.inertia) {
            return Err(MassFault::Inertia { value: self.inertia });
        }
        if !self.centre.is_finite() {
            return Err(MassFault::Centre { value: self.centre });
        }
        Ok(())
    }
}

/// Reports whether a matrix is symmetric, positive definite, and has an inverse, which what flies needs.
fn is_inertia(inertia: &Mat3) -> bool {
    let [x, y, z] = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
    let skew = (x.y - y.x).abs().max((x.z - z.x).abs()).max((y.z - z.y).abs());
    let minors = [x.x, x.x * y.y - x.y * y.x, inertia.determinant()];
    let is_definite = minors.iter().all(|minor| *minor > 0.0 && minor.is_finite());
    is_definite && skew <= ALMOST * largest(inertia) && inertia.inverse().is_finite()
}

/// Reports whether the second moments of mass that an inertia comes from, ½ tr(I) − I, are those of masses above 0: so
/// no principal moment exceeds the sum of the others.
fn is_of_matter(inertia: &Mat3) -> bool {
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    // What is flat has none across.
    let moments = Mat3::from_diagonal(Vec3::splat(0.5 * trace + ALMOST * largest(inertia))) - *inertia;
    let [x, y, z] = [moments.x_axis, moments.y_axis, moments.z_axis];
    // The pivots of elimination: of nearly flat bodies, minors would be roundings.
    let (of_y, of_z) = (x.y / x.x, x.z / x.x);
    let (second, beside) = (y.y - of_y * x.y, y.z - of_z * x.y);
    let third = z.z - of_z * x.z - beside * beside / second;
    x.x > 0.0 && second > 0.0 && third > 0.0
}

/// What roundings may do to a matrix, as a share of its largest element.
const ALMOST: f64 = 1e-9;

fn largest(matrix: &Mat3) -> f64 {
    matrix.x_axis.abs().max(matrix.y_axis.abs()).max(matrix.z_axis.abs()).max_element()
}

/// Volume, centroid and inertia of a shape at unit density.
fn solid(shape: &Shape) -> Result<(f64, Vec3, Mat3), MassFault> {
    let measures = shape.measures()?;
    let parts = measures.volume.zip(measures.centroid).zip(measures.inertia);
    let ((volume, centre), inertia) = parts.filter(|((volume, _), _)| *volume != 0.0).ok_or(MassFault::NoVolume)?;
    // A mesh that is inside out has both with the sign of its volume.
    Ok((volume.abs(), centre, inertia * volume.signum()))
}

fn above_zero(field: &'static str, value: f64) -> Result<f64, MassFault> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(MassFault::Number { field, value }) }
}
