//! From described shapes to shapes that can be asked; files are read and built once per run.
//!
//! Guarantees: a file named by many requests, in many threads, is read once; the answer does not depend on which request
//! came first. Hulls and boxes are placed first and spanned then, as QUERY.md defines them.

use super::fields::FieldError;
use super::request::Placed;
use super::shape::ShapeRequest;
use crate::load;
use crate::pose::reaches_finitely;
use heurt::geometry::{Pose, Vec3};
use heurt::mesh::{MeshError, TriMesh, generate};
use heurt::shape::MeshShape;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What came of a file: the shape, or why there is none.
type Loaded = Result<Arc<MeshShape>, String>;

/// Path, bits of the scale, and solidity where a request chose it.
type FileKey = (String, u64, Option<bool>);

/// The files of a run.
#[derive(Default)]
pub(crate) struct Store {
    files: Mutex<BTreeMap<FileKey, Arc<OnceLock<Loaded>>>>,
}

/// A shape that can be asked.
pub(crate) struct Ready {
    pub(crate) shape: Arc<MeshShape>,
    pub(crate) pose: Pose,
    /// The shape is one primitive, whatever triangles it is made of.
    pub(crate) is_primitive: bool,
}

impl Ready {
    /// The placed triangles, numbered.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = (u32, [Vec3; 3])> + '_ {
        let mesh = self.shape.mesh();
        let placed = |triangle: u32| mesh.corners(triangle).map(|corner| self.pose.place(corner));
        (0..mesh.triangles().len() as u32).map(move |triangle| (triangle, placed(triangle)))
    }

    /// The number of the primitive that `triangle` belongs to.
    pub(crate) fn primitive(&self, triangle: u32) -> u32 {
        if self.is_primitive { 0 } else { triangle }
    }
}

impl Store {
    /// Makes the shape of a request.
    pub(crate) fn ready(&self, placed: &Placed) -> Result<Ready, FieldError> {
        let field = placed.field;
        let refused = |cause: String| FieldError::refused(field, described(&placed.shape), cause);
        let shape = match &placed.shape {
            ShapeRequest::Unavailable(what) => return Err(FieldError::not_available(*what)),
            ShapeRequest::File { path, scale, solid } => {
                let at = |name: &str, value: &str, cause| FieldError::refused(&format!("{field}.{name}"), value, cause);
                self.file(path, *scale, None).map_err(|cause| at("path", path, cause))?;
                self.file(path, *scale, *solid).map_err(|cause| at("solid", "true", cause))?
            }
            ShapeRequest::Inline { vertices, triangles, scale, solid } => {
                let mesh = TriMesh::new(vertices.clone(), triangles.clone()).map_err(|error| match error {
                    MeshError::IndexOutOfRange { triangle, index, .. } => {
                        FieldError::refused(&format!("{field}.triangles[{triangle}]"), index.to_string(), error)
                    }
                    other => refused(other.to_string()),
                })?;
                let shape = scaled(mesh, *scale).map_err(refused)?;
                with_solidity(shape, *solid)
                    .map_err(|cause| FieldError::refused(&format!("{field}.solid"), "true", cause))?
            }
            ShapeRequest::Triangle(corners) => {
                let mesh =
                    TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).map_err(|error| refused(error.to_string()))?;
                let shape = MeshShape::new(mesh).and_then(|shape| shape.with_solid(false));
                Arc::new(shape.map_err(|error| refused(error.to_string()))?)
            }
            ShapeRequest::Hull(points) => return hull(points, &placed.pose).map_err(refused),
            ShapeRequest::Superellipsoid { radii, n1, n2, segments } => {
                built(generate::superellipsoid(*radii, *n1, *n2, *segments)).map_err(refused)?
            }
            ShapeRequest::Supertoroid { r0, r1, n1, n2, segments } => {
                built(generate::supertoroid(*r0, *r1, *n1, *n2, *segments)).map_err(refused)?
            }
        };
        if !reaches_finitely(&placed.pose, shape.bounds()) {
            return Err(refused(
                "placed by its pose it leaves the range of f64: move it nearer to the origin".to_owned(),
            ));
        }
        let is_primitive = matches!(placed.shape, ShapeRequest::Triangle(_));
        Ok(Ready { shape, pose: placed.pose, is_primitive })
    }

    fn file(&self, path: &str, scale: f64, solid: Option<bool>) -> Loaded {
        let key = (path.to_owned(), scale.to_bits(), solid);
        // A thread that panicked leaves the map whole: entries are only added.
        let cell = Arc::clone(self.files.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let load = || {
            if solid.is_some() {
                return with_solidity(self.file(path, scale, None)?, solid);
            }
            let model = load::read_model(Path::new(path)).map_err(|failure| failure.line())?;
            scaled(model.flattened().map_err(|error| error.to_string())?, scale)
        };
        cell.get_or_init(load).clone()
    }
}

fn scaled(mesh: TriMesh, scale: f64) -> Loaded {
    let mesh = if scale == 1.0 { mesh } else { mesh.scaled(scale).map_err(|error| error.to_string())? };
    MeshShape::new(mesh).map(Arc::new).map_err(|error| error.to_string())
}

fn built(mesh: Result<TriMesh, generate::GenerateError>) -> Loaded {
    let mesh = mesh.map_err(|error| error.to_string())?;
    MeshShape::new(mesh).map(Arc::new).map_err(|error| error.to_string())
}

/// Closed meshes are solid unless the request says otherwise.
fn with_solidity(shape: Arc<MeshShape>, solid: Option<bool>) -> Loaded {
    match solid {
        Some(solid) if solid != shape.is_solid() => {
            MeshShape::clone(&shape).with_solid(solid).map(Arc::new).map_err(|error| error.to_string())
        }
        _ => Ok(shape),
    }
}

/// The set that the placed points span.
fn hull(points: &[Vec3], pose: &Pose) -> Result<Ready, String> {
    let placed: Vec<Vec3> = match pose.is_identity() {
        true => points.to_vec(),
        false => points.iter().map(|&point| pose.place(point)).collect(),
    };
    if placed.iter().any(|point| !point.is_finite()) {
        return Err("placed by its pose it leaves the range of f64: move it nearer to the origin".to_owned());
    }
    let shape = Arc::new(super::span::span(&placed)?);
    Ok(Ready { shape, pose: Pose::IDENTITY, is_primitive: true })
}

fn described(shape: &ShapeRequest) -> &'static str {
    match shape {
        ShapeRequest::File { .. } | ShapeRequest::Inline { .. } => "the mesh",
        ShapeRequest::Triangle(_) => "the triangle",
        ShapeRequest::Hull(_) => "the hull",
        ShapeRequest::Superellipsoid { .. } => "the superellipsoid",
        ShapeRequest::Supertoroid { .. } => "the supertoroid",
        ShapeRequest::Unavailable(what) => what,
    }
}
