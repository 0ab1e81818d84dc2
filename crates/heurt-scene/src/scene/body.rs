//! Reader of a `[[body]]` table: shape, pose, kind, mass, and what a response needs.

use super::group::{Group, read_copies};
use super::mass::{compute_mass, read_masses};
use super::motion::{SceneDeformation, read_deformation, read_script};
use super::number::{at_most, near_pose};
use super::surgery::MAX_PLACES;
use crate::describe::display::number;
use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use crate::describe::shape::read_shape;
use crate::describe::shape_store::ShapeStore;
use crate::files::{SceneFiles, line_of, read_tree};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_shape::{Shape, TreeChoice};
use heurt_world::{Body, Deformation, Keyframes, Kind, LockedAxes};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

const KEYS: &[&str] = &[
    "name",
    "shape",
    "tree",
    "pose",
    "kind",
    "density",
    "mass",
    "inertia",
    "linear_velocity",
    "angular_velocity",
    "surface_velocity",
    "restitution",
    "friction",
    "gravity_scale",
    "linear_damping",
    "angular_damping",
    "lock",
    "sensor",
    "precise",
    "group",
    "mask",
    "count",
    "spacing",
    "motion",
    "deform",
];

/// Reads a body and its number of copies.
pub(super) fn read_body(path: &str, value: Value, folder: &Path, store: &ShapeStore) -> Result<Group, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[KEYS])?;
    let name = fields.required("name", "a name", read_name)?;
    let request = fields.required("shape", "a shape", read_shape)?;
    let mut shape = store.shape(&format!("{path}.shape"), &request.clone().below(folder))?;
    let mut tree = store.usual_tree().filter(|_| matches!(shape, Shape::Mesh(_) | Shape::Compound(_)));
    if let Some(file) = fields.optional("tree", fields::text)? {
        let (chosen, choice) = read_tree_of(store.source(), &format!("{path}.tree"), &folder.join(file), shape)?;
        (shape, tree) = (chosen, Some(choice));
    }
    let pose = fields.optional("pose", near_pose)?.unwrap_or(Pose::IDENTITY);
    let script = fields.optional("motion", read_script)?;
    let deformation = fields.optional("deform", read_deformation)?;
    let deformation = deformation.map(|deformation| {
        |mesh: &TriMesh| {
            let field = format!("{path}.deform");
            make_deformation(&field, deformation, mesh, |file| {
                let source = request.with_file(file)?.below(folder);
                Some(store.shape(&field, &source))
            })
        }
    });
    let kind = read_kind(&mut fields, path, &shape, script, deformation)?;
    let [velocity, angular_velocity] = read_velocities(&mut fields, path, &kind)?;
    let pose = match &kind {
        Kind::Kinematic(Some(script)) => script.pose_at(0.0),
        _ => pose,
    };
    let [gravity_scale, linear_damping, angular_damping] = read_flight(&mut fields, path, &kind)?;
    let first = Body {
        velocity,
        angular_velocity,
        surface_velocity: read_belt(&mut fields, path, &kind)?,
        restitution: at_most(&mut fields, "restitution", fields::not_negative, 1.0)?.unwrap_or(0.5),
        friction: fields.optional("friction", fields::not_negative)?.unwrap_or(0.5),
        group: fields.optional("group", read_bits)?.unwrap_or(1),
        mask: fields.optional("mask", read_bits)?.unwrap_or(u32::MAX),
        gravity_scale,
        linear_damping,
        angular_damping,
        locked: read_lock(&mut fields, path, &kind)?,
        is_sensor: fields.optional("sensor", fields::boolean)?.unwrap_or(false),
        is_precise: read_precise(&mut fields, path, &kind)?,
        kind,
        ..Body::fixed(shape, pose)
    };
    Ok(Group { tree, ..read_copies(&mut fields, path, name, first)? })
}

/// Reads whether `auto` solves the island of a dynamic body exactly.
fn read_precise(fields: &mut Fields, path: &str, kind: &Kind) -> Result<bool, FieldError> {
    let is_precise = fields.optional("precise", fields::boolean)?;
    if let Some(value) = is_precise {
        require_dynamic(kind, &format!("{path}.precise"), value.to_string())?;
    }
    Ok(is_precise.unwrap_or(false))
}

/// Reads the factor of gravity and both rates of damping of dynamic bodies.
fn read_flight(fields: &mut Fields, path: &str, kind: &Kind) -> Result<[f64; 3], FieldError> {
    let scale = fields.optional("gravity_scale", fields::number)?;
    let linear = fields.optional("linear_damping", fields::not_negative)?;
    let angular = fields.optional("angular_damping", fields::not_negative)?;
    for (key, value) in [("gravity_scale", scale), ("linear_damping", linear), ("angular_damping", angular)] {
        if let Some(value) = value {
            require_dynamic(kind, &format!("{path}.{key}"), number(value))?;
        }
    }
    Ok([scale.unwrap_or(1.0), linear.unwrap_or(0.0), angular.unwrap_or(0.0)])
}

/// Reads the locked axes of dynamic bodies: `{ translation = ["x"], rotation = ["x", "y"] }`.
fn read_lock(fields: &mut Fields, path: &str, kind: &Kind) -> Result<LockedAxes, FieldError> {
    let axes = |path: &str, value: Value| {
        let names = fields::list(path, value, |path, value| fields::word(&AXES)(path, value))?;
        Ok(AXES.map(|axis| names.contains(&axis)))
    };
    let lock = fields.optional("lock", |path, value| {
        let mut fields = Fields::open(path, value)?;
        fields.only(&[&["translation", "rotation"]])?;
        let translation = fields.optional("translation", axes)?.unwrap_or_default();
        Ok(LockedAxes { translation, rotation: fields.optional("rotation", axes)?.unwrap_or_default() })
    })?;
    if lock.is_some() {
        require_dynamic(kind, &format!("{path}.lock"), "it".to_owned())?;
    }
    Ok(lock.unwrap_or(LockedAxes::NONE))
}

/// Axes of the world.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Refuses a key of dynamic bodies on other ones.
fn require_dynamic(kind: &Kind, field: &str, value: String) -> Result<(), FieldError> {
    let kind = match kind {
        Kind::Dynamic(_) => return Ok(()),
        Kind::Static => "static",
        Kind::Kinematic(_) => "kinematic",
        Kind::Soft(_) => "soft",
    };
    Err(FieldError::refused(field, value, format!("only dynamic bodies have one, and this one is {kind}")))
}

/// Reads a name that can be reported on a line.
pub(super) fn read_name(path: &str, value: Value) -> Result<String, FieldError> {
    let name = fields::text(path, value.clone())?;
    match name.is_empty() || name.chars().any(char::is_control) {
        true => {
            Err(FieldError::wrong(path, &value, "a name: give at least one character, and none that steers a terminal"))
        }
        false => Ok(name),
    }
}

/// Reads velocities; they are ignored for static bodies and bodies with a script.
fn read_velocities(fields: &mut Fields, path: &str, kind: &Kind) -> Result<[Vec3; 2], FieldError> {
    let velocity = fields.optional("linear_velocity", fields::vector)?.unwrap_or(Vec3::ZERO);
    let spin = fields.optional("angular_velocity", fields::vector)?.unwrap_or(Vec3::ZERO);
    for (name, v) in [("linear_velocity", velocity), ("angular_velocity", spin)] {
        let refuse = |error| FieldError::refused(&format!("{path}.{name}"), format!("{:?}", v.to_array()), error);
        Motion::linear(v).map_err(refuse)?;
    }
    Ok(match kind {
        Kind::Static => [Vec3::ZERO; 2],
        Kind::Kinematic(Some(script)) => {
            let motion = script.motion_at(0.0);
            [motion.velocity(), motion.angular_velocity()]
        }
        _ => [velocity, spin],
    })
}

/// Reads the velocity of a belt on the surface of a body that is not dynamic.
fn read_belt(fields: &mut Fields, path: &str, kind: &Kind) -> Result<Option<Box<Vec3>>, FieldError> {
    let Some(velocity) = fields.optional("surface_velocity", fields::vector)? else { return Ok(None) };
    match kind {
        Kind::Dynamic(_) => {
            let cause = "only bodies that no impulse moves have a belt, and this one is dynamic";
            let value = format!("{:?}", velocity.to_array());
            Err(FieldError::refused(&format!("{path}.surface_velocity"), value, cause))
        }
        _ => Ok(Some(velocity.into())),
    }
}

/// Makes the deformation of a mesh; `read` reads the mesh of a file with the options of the shape, `None` if the shape
/// is not from a file.
fn make_deformation(
    field: &str,
    deformation: SceneDeformation,
    mesh: &TriMesh,
    read: impl Fn(&str) -> Option<Result<Shape, FieldError>>,
) -> Result<Deformation, FieldError> {
    let refuse = |value: &str, cause: &str| FieldError::refused(field, value, cause);
    let (files, times) = match deformation {
        SceneDeformation::Wave { amplitude, period } => return Ok(Deformation::wave(mesh, amplitude, period)),
        SceneDeformation::Keys { files, times } => (files, times),
    };
    let kept = files.len().saturating_mul(mesh.vertices().len());
    if kept > MAX_PLACES {
        let cause = format!("{kept} places of vertices are too many, {MAX_PLACES} are the most: give fewer keys");
        return Err(FieldError::refused(&format!("{field}.files"), format!("{} files", files.len()), cause));
    }
    let mut keys = Vec::with_capacity(files.len());
    for (number, (file, time)) in files.iter().zip(times).enumerate() {
        let key = read(file).ok_or_else(|| refuse(file, "only the vertices of a mesh file move to those of files"))?;
        // The fault is in the file, not in the shape.
        let key = key.map_err(|error| match error {
            FieldError::Refused { cause, .. } => FieldError::refused(&format!("{field}.files[{number}]"), file, cause),
            error => error,
        })?;
        let Shape::Mesh(key) = &key else { return Err(refuse(file, "it is no mesh")) };
        if key.mesh().triangles() != mesh.triangles() {
            return Err(refuse(file, "its triangles are others than those of the shape: export the same mesh, moved"));
        }
        keys.push((time, key.mesh().vertices().to_vec()));
    }
    Deformation::keyed(keys).map_err(|error| FieldError::refused(field, "the keys", error))
}

/// Reads the kind of the body: the given one, else the kind that its other fields imply. `deformation` makes the motion
/// of the vertices of a soft body.
fn read_kind(
    fields: &mut Fields,
    path: &str,
    shape: &Shape,
    script: Option<Keyframes>,
    deformation: Option<impl FnOnce(&TriMesh) -> Result<Deformation, FieldError>>,
) -> Result<Kind, FieldError> {
    let name = fields.optional("kind", fields::word(&["static", "kinematic", "dynamic", "soft"]))?;
    let usual = if script.is_some() {
        "kinematic"
    } else if deformation.is_some() {
        "soft"
    } else {
        "dynamic"
    };
    let name = name.unwrap_or(usual);
    let refuse = |key: &str, kind: &str| {
        let cause = format!("only {kind} bodies have one, and this one is {name}");
        Err(FieldError::refused(&format!("{path}.{key}"), "it", cause))
    };
    if script.is_some() && name != "kinematic" {
        return refuse("motion", "kinematic");
    }
    if deformation.is_some() && name != "soft" {
        return refuse("deform", "soft");
    }
    // Fields that only dynamic bodies need are checked for all.
    let masses = read_masses(fields)?;
    match name {
        "static" => Ok(Kind::Static),
        "kinematic" => Ok(Kind::Kinematic(script.map(Arc::new))),
        "soft" => {
            let Shape::Mesh(mesh) = shape else {
                return Err(FieldError::refused(&format!("{path}.shape"), "the shape", "a soft body must be a mesh"));
            };
            let mesh = mesh.mesh();
            let deformation = deformation.map_or_else(|| Ok(Deformation::driven(mesh)), |make| make(mesh))?;
            Ok(Kind::Soft(deformation.into()))
        }
        _ => compute_mass(masses, path, shape).map(|mass| Kind::Dynamic(mass.into())),
    }
}

fn read_bits(path: &str, value: Value) -> Result<u32, FieldError> {
    let bits = fields::count(path, value.clone())?;
    u32::try_from(bits).map_err(|_| FieldError::wrong(path, &value, "a set of 32 bits"))
}

/// Gives a mesh the tree of a file.
fn read_tree_of(
    files: &dyn SceneFiles,
    field: &str,
    file: &Path,
    shape: Shape,
) -> Result<(Shape, TreeChoice), FieldError> {
    let refuse = |cause: String| FieldError::refused(field, file.display().to_string(), cause);
    let choice = read_tree(files, file).map_err(|error| refuse(line_of(&error)))?;
    let Shape::Mesh(mesh) = shape else { return Err(refuse("only meshes have trees".to_owned())) };
    let mesh = (*mesh).clone().with_tree(&choice).map_err(|error| refuse(error.to_string()))?;
    Ok((mesh.into(), choice))
}
