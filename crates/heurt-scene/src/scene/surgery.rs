//! The experiment of S2 §7 as a part of a scene: soft bodies pressed onto organs, and an instrument that moves.
//!
//! In: the `[surgery]` table. Out: bodies. The motion is the motion of `heurt_mesh::generate::Surgery`, a round of 200
//! steps of 20 ms, keyed once in each step of the scene (never more often than it has steps itself).

use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use crate::describe::shape_store::ShapeStore;
use heurt_geometry::Pose;
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{GenerateError, Surgery};
use heurt_shape::MeshShape;
use heurt_world::{Body, Deformation, Keyframes, KeyframesError, Kind};
use serde_json::Value;

/// Number of positions of vertices that a scene may keep, 24 bytes each.
pub(super) const MAX_PLACES: usize = 1 << 25;
/// The group of soft bodies that are not tested against each other.
const SOFT: u32 = 2;

/// Makes organs, instrument and soft bodies with their names; `step` is the step of the scene, in seconds.
pub(super) fn bodies(
    path: &str,
    value: Value,
    step: f64,
    store: &ShapeStore,
) -> Result<Vec<(String, Body)>, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["refinement", "soft", "mutual"]])?;
    let mut number = |name: &str| -> Result<u32, FieldError> {
        let value = fields.optional(name, fields::count)?.unwrap_or(1);
        Ok(u32::try_from(value).unwrap_or(u32::MAX))
    };
    let (refinement, soft) = (number("refinement")?, number("soft")?);
    let mutual = fields.optional("mutual", fields::boolean)?.unwrap_or(false);
    let refuse = |cause: String| FieldError::refused(path, "it", cause);
    let field = Surgery::new(refinement, soft).map_err(|error| refused_number(path, refinement, error))?;
    let shape = |mesh: &TriMesh| {
        let shape = MeshShape::new(mesh.clone()).and_then(|shape| store.with_usual_tree(shape));
        shape.map_err(|error| refuse(error.to_string()))
    };
    let script = |error: KeyframesError| refuse(error.to_string());

    let mut bodies = Vec::new();
    let organs = field.organs();
    for part in &organs.parts {
        bodies.push((part.name.clone(), Body::fixed(shape(&organs.meshes[part.mesh])?, part.pose)));
    }
    // Whole steps of the motion; a scene of longer steps uses every `stride`-th of them.
    let stride = (step / Surgery::STEP).round().clamp(1.0, f64::from(Surgery::ROUND)) as usize;
    let steps = || (0..=Surgery::ROUND).step_by(stride);
    let kept: usize = field.soft().iter().map(|mesh| mesh.vertices().len() * steps().count()).sum();
    if kept > MAX_PLACES {
        let cause =
            format!("{kept} places of vertices are too many: choose a lower one, or a longer step of the world");
        return Err(FieldError::refused(&format!("{path}.refinement"), refinement.to_string(), cause));
    }
    let time = |step: u32| f64::from(step) * Surgery::STEP;
    let keys = steps().map(|step| (time(step), field.instrument_pose(step))).collect();
    let keyframes = Keyframes::new(keys).map_err(script)?;
    let pose = keyframes.pose_at(0.0);
    let kind = Kind::Kinematic(Some(keyframes.into()));
    bodies.push(("instrument".to_owned(), Body { kind, ..Body::fixed(shape(field.instrument())?, pose) }));
    for (number, mesh) in field.soft().iter().enumerate() {
        let keys = steps().map(|step| (time(step), field.deformed(number, step))).collect();
        let kind = Kind::Soft(Deformation::keyed(keys).map_err(script)?.into());
        let (group, mask) = if mutual { (1, u32::MAX) } else { (SOFT, !SOFT) };
        let body = Body { kind, group, mask, ..Body::fixed(shape(mesh)?, Pose::IDENTITY) };
        bodies.push((format!("soft#{}", number + 1), body));
    }
    Ok(bodies)
}

/// Returns the fault of the number from which no field of surgery can be made.
fn refused_number(path: &str, refinement: u32, error: GenerateError) -> FieldError {
    match error {
        GenerateError::Parameter { parameter, value, legal, .. } => {
            FieldError::refused(&format!("{path}.{parameter}"), value.to_string(), format!("give {legal}"))
        }
        GenerateError::TooManyTriangles { count, max, .. } => {
            let cause =
                format!("the largest mesh would have {count} triangles, and {max} are the most: give a lower one");
            FieldError::refused(&format!("{path}.refinement"), refinement.to_string(), cause)
        }
        other => FieldError::refused(path, "it", other),
    }
}
