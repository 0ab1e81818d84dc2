//! How heavy a body is, and how hard to turn.

use heurt_geometry::{Mat3, Shown, Vec3};
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
    /// The shape has none that can be told.
    #[error(transparent)]
    Shape(#[from] MassError),
    /// The shape bounds no volume.
    #[error("the shape bounds no volume, so that a density tells no mass: give mass and inertia, or close the mesh")]
    NoVolume,
    /// A number out of range.
    #[error("{field} is {}: give a finite number above 0", Shown(*value))]
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
    /// A matrix that no body has.
    #[error(
        "the inertia {:?} is not symmetric and positive definite, or has no inverse in f64: \
         give one of a body, or choose other units",
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
        Self::new(density * volume, centre, inertia * density)
    }

    /// From a shape of the same density everywhere that weighs `mass` kg in all.
    ///
    /// # Errors
    /// [`MassFault`] for shapes without volume, and masses that are none.
    pub fn of_total(shape: &Shape, mass: f64) -> Result<Self, MassFault> {
        let (volume, centre, inertia) = solid(shape)?;
        let mass = above_zero("mass", mass)?;
        Self::new(mass, centre, inertia * (mass / volume))
    }

    /// From numbers: the inertia is about the centre.
    ///
    /// # Errors
    /// [`MassFault::Number`], [`MassFault::Centre`], [`MassFault::Inertia`].
    pub fn new(mass: f64, centre: Vec3, inertia: Mat3) -> Result<Self, MassFault> {
        let mass = above_zero("mass", mass)?;
        let [x, y, z] = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
        let size = x.abs().max(y.abs()).max(z.abs()).max_element();
        let skew = (x.y - y.x).abs().max((x.z - z.x).abs()).max((y.z - z.y).abs());
        let minors = [x.x, x.x * y.y - x.y * y.x, inertia.determinant()];
        let is_definite = minors.iter().all(|minor| *minor > 0.0 && minor.is_finite());
        // What flies needs its inverse.
        let is_good = is_definite && skew <= 1e-9 * size && inertia.inverse().is_finite();
        if !is_good {
            return Err(MassFault::Inertia { value: inertia });
        }
        if !centre.is_finite() {
            return Err(MassFault::Centre { value: centre });
        }
        Ok(Self { mass, centre, inertia })
    }
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
