//! Scaling of a mesh to a given volume: a family of shapes by its measure.
//!
//! In: a closed mesh in metres, and a volume. Out: the mesh, scaled around the origin.
//! Method: S3 slide 11 has families by measures. The scale is the cube root of the quotient of the volumes, where the
//! volume of the mesh itself counts, and the round shape that it approximates has a larger one.
//! Guarantees: the volume of the result differs by rounding only. Shapes around the origin stay around it.
//! Cost: O(triangles).

use super::GenerateError;
use super::error::Limits;
use crate::{TriMesh, measures};

/// Scales a closed mesh around the origin, so that it has `volume` cubic metres.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// // A litre in a sphere of 48 segments.
/// let sphere = generate::with_volume(&generate::uv_sphere(1.0, 48)?, 1e-3)?;
/// assert!((measures(&sphere).volume.expect("closed") - 1e-3).abs() < 1e-16);
/// # Ok::<(), heurt_mesh::generate::GenerateError>(())
/// ```
///
/// # Errors
/// [`GenerateError::Parameter`] for a volume outside 1e-200 … 1e200 m³, [`GenerateError::NoVolume`] for a mesh that is
/// open, or whose volume is not positive, [`GenerateError::Mesh`] if a coordinate overflows.
pub fn with_volume(mesh: &TriMesh, volume: f64) -> Result<TriMesh, GenerateError> {
    if !(1e-200..=1e200).contains(&volume) {
        return Err(Limits("with_volume").refuse("volume", volume, "a positive volume from 1e-200 to 1e200 m³"));
    }
    let measured = measures(mesh).volume.filter(|measured| *measured > 0.0 && measured.is_finite());
    let measured = measured.ok_or(GenerateError::NoVolume { triangles: mesh.triangles().len() })?;
    Ok(mesh.scaled(libm::cbrt(volume) / libm::cbrt(measured))?)
}
