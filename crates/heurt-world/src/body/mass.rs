//! Mass and inertia of a body.

use heurt_geometry::{DisplayNumber, Mat3, Pose, Vec3};
use heurt_query::measure_shared_space;
use heurt_shape::{MassError, Shape};
use thiserror::Error;

/// Mass, centre and inertia, in the frame of the shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mass {
    /// The mass in kg.
    pub mass: f64,
    /// The centre of mass, in metres.
    pub centre: Vec3,
    /// The inertia around the centre of mass, in kg·m².
    pub inertia: Mat3,
}

/// Reasons why a body has no mass.
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
        /// The value given.
        value: f64,
    },
    /// A centre of mass that is nowhere.
    #[error("the centre of mass {:?} is not finite: give three finite numbers", value.to_array())]
    Centre {
        /// The value given.
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
        /// The value given.
        value: Mat3,
    },
}

impl Mass {
    /// Computes the mass of a shape of constant density, in kg/m³.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// use heurt_world::Mass;
    /// let oak = Mass::of_density(&Convex::cuboid(Vec3::new(0.5, 0.1, 0.05))?.into(), 700.0)?;
    /// assert!((oak.mass - 14.0).abs() < 1e-9, "0.02 m³");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MassFault`] for shapes without volume, and for densities out of range.
    pub fn of_density(shape: &Shape, density: f64) -> Result<Self, MassFault> {
        let (volume, centre, inertia) = solid(shape)?;
        let density = above_zero("density", density)?;
        Self::of_shape(density * volume, centre, inertia * density)
    }

    /// Computes centre and inertia of a shape of constant density that weighs `mass` kg in all.
    ///
    /// ```
    /// use heurt_shape::Convex;
    /// use heurt_world::Mass;
    /// let ball = Mass::of_total(&Convex::sphere(0.5)?.into(), 10.0)?;
    /// assert!((ball.inertia.x_axis.x - 0.4 * 10.0 * 0.25).abs() < 1e-12, "2/5 m r²");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MassFault`] for shapes without volume, and for masses out of range.
    pub fn of_total(shape: &Shape, mass: f64) -> Result<Self, MassFault> {
        let (volume, centre, inertia) = solid(shape)?;
        let mass = above_zero("mass", mass)?;
        Self::of_shape(mass, centre, inertia * (mass / volume))
    }

    /// Removes rounding errors of the inertia of a shape.
    fn of_shape(mass: f64, centre: Vec3, inertia: Mat3) -> Result<Self, MassFault> {
        let mass = above_zero("mass", mass)?;
        if !is_inertia(&inertia) || !centre.is_finite() {
            return Err(MassFault::Size);
        }
        Ok(Self { mass, centre, inertia })
    }

    /// Takes given numbers: the inertia is around the centre.
    ///
    /// # Errors
    /// [`MassFault::Number`], [`MassFault::Centre`], [`MassFault::Inertia`].
    pub fn new(mass: f64, centre: Vec3, inertia: Mat3) -> Result<Self, MassFault> {
        let made = Self { mass, centre, inertia };
        made.check()?;
        if is_of_matter(&inertia) { Ok(made) } else { Err(MassFault::Inertia { value: inertia }) }
    }

    /// The inertia around the centre of mass of a body at `pose`, along the axes of the world.
    pub(crate) fn inertia_at(&self, pose: &Pose) -> Mat3 {
        let rotation = pose.rotation();
        *rotation * self.inertia * rotation.transpose()
    }

    /// Refuses numbers that no body has, which the caller may give. Rounding errors may also make the inertia of a
    /// shape one that no matter has.
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

/// Reports whether a matrix is symmetric, positive definite, and has an inverse, as free motion needs it.
fn is_inertia(inertia: &Mat3) -> bool {
    let [x, y, z] = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
    let skew = (x.y - y.x).abs().max((x.z - z.x).abs()).max((y.z - z.y).abs());
    let minors = [x.x, x.x * y.y - x.y * y.x, inertia.determinant()];
    let is_definite = minors.iter().all(|minor| *minor > 0.0 && minor.is_finite());
    is_definite && skew <= ALMOST * largest(inertia) && inertia.inverse().is_finite()
}

/// Reports whether the second moments of mass that an inertia comes from, ½ tr(I) − I, are those of masses above 0: so
/// no principal moment exceeds the sum of the two further ones.
fn is_of_matter(inertia: &Mat3) -> bool {
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    // A flat shape has none across.
    let moments = Mat3::from_diagonal(Vec3::splat(0.5 * trace + ALMOST * largest(inertia))) - *inertia;
    let [x, y, z] = [moments.x_axis, moments.y_axis, moments.z_axis];
    // The pivots of elimination: minors of nearly flat bodies would be rounding errors.
    let (of_y, of_z) = (x.y / x.x, x.z / x.x);
    let (second, beside) = (y.y - of_y * x.y, y.z - of_z * x.y);
    let third = z.z - of_z * x.z - beside * beside / second;
    x.x > 0.0 && second > 0.0 && third > 0.0
}

/// Rounding error of a matrix, as a share of its largest element.
const ALMOST: f64 = 1e-9;

fn largest(matrix: &Mat3) -> f64 {
    matrix.x_axis.abs().max(matrix.y_axis.abs()).max(matrix.z_axis.abs()).max_element()
}

/// Volume, centroid and inertia of a shape at unit density; space that shells of a mesh share counts once.
fn solid(shape: &Shape) -> Result<(f64, Vec3, Mat3), MassFault> {
    if let Some(found) = mesh_counted_once(shape) {
        return Ok(found);
    }
    let measures = shape.measures()?;
    let parts = measures.volume.zip(measures.centroid).zip(measures.inertia);
    let ((volume, centre), inertia) = parts.filter(|((volume, _), _)| *volume != 0.0).ok_or(MassFault::NoVolume)?;
    // A mesh that is inside out has both with the sign of its volume.
    Ok((volume.abs(), centre, inertia * volume.signum()))
}

/// Volume, centroid and inertia of a mesh whose shells share space; `None` for other shapes, and if the boundary of the
/// mesh is not decided.
fn mesh_counted_once(shape: &Shape) -> Option<(f64, Vec3, Mat3)> {
    let Shape::Mesh(mesh) = shape else { return None };
    let measured = measure_shared_space(mesh).once()?;
    let (centre, inertia) = measured.centroid.zip(measured.inertia)?;
    Some((measured.volume.abs(), centre, inertia * measured.volume.signum()))
}

fn above_zero(field: &'static str, value: f64) -> Result<f64, MassFault> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(MassFault::Number { field, value }) }
}

#[cfg(test)]
mod tests {
    use super::Mass;
    use heurt_geometry::Vec3;
    use heurt_mesh::{TriMesh, generate};
    use heurt_shape::{MeshShape, Shape};

    #[test]
    fn space_that_shells_of_a_mesh_share_weighs_once() {
        let cube = generate::cuboid([1.0; 3]).unwrap();
        let moved = cube.vertices().iter().map(|v| *v + Vec3::X).collect();
        let moved = TriMesh::new(moved, cube.triangles().to_vec()).unwrap();
        let both = TriMesh::merged([&cube, &moved]).unwrap();
        let shape: Shape = MeshShape::new(both).unwrap().into();
        // A rod of 3 by 2 by 2 metres.
        let mass = Mass::of_density(&shape, 10.0).unwrap();
        assert!((mass.mass - 120.0).abs() < 1e-9, "{mass:?}");
        assert!((mass.centre - Vec3::X * 0.5).length() < 1e-12, "{mass:?}");
        assert!((mass.inertia.x_axis.x - 120.0 * (4.0 + 4.0) / 12.0).abs() < 1e-9, "{mass:?}");
        assert!((mass.inertia.y_axis.y - 120.0 * (9.0 + 4.0) / 12.0).abs() < 1e-9, "{mass:?}");
    }
}
