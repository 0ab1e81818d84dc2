//! The files and shapes of a run: read, built and resolved once.
//!
//! Guarantees: a file named by many requests, in many threads, at many scales and with any spelling of its path, is
//! read once, and each tree over it is built once. An answer does not depend on the order of the requests, nor on a
//! change of the file meanwhile.
//! Threads: a worker that blocks on a parallel build could take another request meanwhile, and that request could block
//! on the file that the same worker has to finish. So files are read and built on separate threads ([`Workers`]).

use super::csg::CsgRequest;
use super::display::some_of;
use super::fields::FieldError;
use super::map_files::MapFiles;
use super::mesh_with_trees::{LoadedTrees, MeshWithTrees, Workers};
use super::placed::{Placed, Trees};
use super::resolved_shape::{Resolved, ResolvedShape};
use super::shape::{MeshSource, ShapeRequest, Solid, read_shape};
use super::shape_cache::{ShapeCache, SharedShape};
use crate::files::{Buffers, FileNote, NameFault, NameIndex, PrepareError, ReadSettings, SceneFiles};
use crate::files::{line_of, prepare, read_model, read_tree};
use heurt_geometry::{Pose, Vec3};
use heurt_io::{LengthUnit, Model};
use heurt_mesh::{MeshError, TriMesh, generate};
use heurt_shape::{Compound, Convex, MeshShape, Shape, ShapeError, Solidity, TreeChoice};
use heurt_solid::Csg;
use rayon::ThreadPoolBuildError;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A file as it was read, or the error.
type Read = Result<Arc<Model>, String>;

/// Files by path, with a flag for objects as parts.
type Models = BTreeMap<(PathBuf, bool), Arc<OnceLock<Read>>>;

/// A tree file as it was read, or the error.
type Choice = Result<TreeChoice, String>;

/// The shape of a file, or the error.
type Shaped = Result<Arc<MeshWithTrees>, FileFault>;

/// The files and shapes that texts name, each read and built once.
pub struct ShapeStore {
    source: Box<dyn SceneFiles>,
    /// The files that were read, by the path without links and detours, with a flag for objects as parts.
    models: Mutex<Models>,
    /// Files that these name.
    buffers: Buffers,
    /// Shapes of files, by their description in requests.
    files: Mutex<BTreeMap<String, Arc<OnceLock<Shaped>>>>,
    choices: Mutex<BTreeMap<String, Arc<OnceLock<Choice>>>>,
    pub(crate) shapes: ShapeCache,
    pub(crate) maps: MapFiles,
    /// The tree of pairs of meshes without another choice.
    usual: Option<TreeChoice>,
    workers: Arc<Workers>,
}

impl ShapeStore {
    /// Makes a store without shapes that reads `files` and builds on `threads` threads; one for each core if that is 0.
    /// Every mesh gets the tree `usual`, if there is one.
    ///
    /// # Errors
    /// The operating system starts no such number of threads.
    pub fn new(
        files: impl SceneFiles + 'static,
        threads: usize,
        usual: Option<TreeChoice>,
    ) -> Result<Self, ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self {
            source: Box::new(files),
            models: Mutex::default(),
            buffers: Buffers::default(),
            files: Mutex::default(),
            choices: Mutex::default(),
            shapes: ShapeCache::default(),
            maps: MapFiles::default(),
            usual,
            workers: Arc::new(Workers(pool)),
        })
    }

    /// Returns the files that the store reads.
    pub(crate) fn source(&self) -> &dyn SceneFiles {
        &*self.source
    }

    /// Returns the kind of tree that a request chooses; `None` if it leaves that to the shapes.
    pub(crate) fn choice(&self, trees: &Trees) -> Result<Option<TreeChoice>, FieldError> {
        let Trees { file, volume, degree } = trees;
        if file.is_none() && volume.is_none() && degree.is_none() {
            return Ok(None);
        }
        let mut choice = self.usual.unwrap_or_default();
        if let Some(name) = file {
            let mut choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
            let cell = Arc::clone(choices.entry(name.clone()).or_default());
            drop(choices);
            let read = || read_tree(self.source(), Path::new(name)).map_err(|error| line_of(&error));
            choice = cell.get_or_init(read).clone().map_err(|cause| FieldError::refused("tree", name, cause))?;
        }
        choice.volume = volume.unwrap_or(choice.volume);
        choice.degree = degree.unwrap_or(choice.degree);
        Ok(Some(choice))
    }

    /// Reads the shape at the path `field` and builds it, in its own frame; paths in it begin from `folder`.
    ///
    /// # Errors
    /// [`FieldError`] for a value that describes no shape, and for a file or a solid from which none can be made.
    ///
    /// ```
    /// use heurt_scene::{DiskFiles, ShapeStore};
    /// use std::path::Path;
    ///
    /// let store = ShapeStore::new(DiskFiles, 1, None)?;
    /// let described = serde_json::json!({ "type": "box", "half": [1, 2, 3] });
    /// let shape = store.read_shape("shape", described, Path::new("."))?;
    /// assert_eq!(shape.bounds().max.to_array(), [1.0, 2.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_shape(&self, field: &str, value: Value, folder: &Path) -> Result<Shape, FieldError> {
        self.shape(field, &read_shape(field, value)?.below(folder))
    }

    /// Reads a tree of set operations and builds its leaves; paths in it begin from `folder`.
    ///
    /// # Errors
    /// [`FieldError`] for a value that describes no tree, and for a leaf from which no shape can be made.
    pub fn read_csg(&self, value: Value, folder: &Path) -> Result<Csg, FieldError> {
        let request = CsgRequest::read("", value, 0)?.below(folder);
        request.made_at("", &|path, leaf| self.shape(path, leaf))
    }

    /// Makes the shape of a request ready for queries.
    pub(crate) fn ready(&self, placed: &Placed) -> Result<ResolvedShape, FieldError> {
        let shared = &placed.shape;
        let resolved = self.resolved(placed.field, shared)?;
        ResolvedShape::new(placed.field, described(&shared.request), resolved, placed.pose, &self.workers)
    }

    /// Makes a resolved shape ready in its own frame.
    pub(crate) fn ready_of(
        &self,
        field: &str,
        shared: &SharedShape,
        resolved: Arc<Resolved>,
    ) -> Result<ResolvedShape, FieldError> {
        ResolvedShape::new(field, described(&shared.request), resolved, Pose::IDENTITY, &self.workers)
    }

    /// Resolves a shared shape, once.
    pub(crate) fn resolved(&self, field: &str, shared: &SharedShape) -> Result<Arc<Resolved>, FieldError> {
        shared.resolved(|request| self.resolve(field, request))
    }

    /// Returns the shape that a request describes, in its own frame.
    pub(crate) fn shape(&self, field: &str, request: &ShapeRequest) -> Result<Shape, FieldError> {
        let resolved = Arc::new(self.resolve(field, request)?);
        ResolvedShape::new(field, described(request), Arc::clone(&resolved), Pose::IDENTITY, &self.workers)?;
        Ok(resolved.to_shape())
    }

    /// Builds the shape that a request has at the path `field`.
    fn resolve(&self, field: &str, request: &ShapeRequest) -> Result<Resolved, FieldError> {
        let refused = |cause: String| FieldError::refused(field, described(request), cause);
        let plain = |built: Arc<MeshWithTrees>| Resolved::Mesh { built, convex: None };
        match request {
            ShapeRequest::Named(name) => Err(no_such_shape(field, name)),
            ShapeRequest::Shared(shared) => self.resolved(field, shared).map(|resolved| (*resolved).clone()),
            ShapeRequest::File(source) => self.file(field, source).map(plain),
            ShapeRequest::Inline { vertices, triangles, scale, solid } => {
                let mesh = TriMesh::new(vertices.clone(), triangles.clone()).map_err(|error| match error {
                    MeshError::IndexOutOfRange { triangle, index, .. } => {
                        FieldError::refused(&format!("{field}.triangles[{triangle}]"), index.to_string(), error)
                    }
                    other => refused(other.to_string()),
                })?;
                let mesh = scaled(&mesh, *scale).map_err(|error| refused(error.to_string()))?;
                let shape = MeshShape::new(mesh).and_then(|shape| self.with_usual_tree(shape));
                let shape = shape.map_err(|error| refused(error.to_string()))?;
                let shape = with_solidity(shape, *solid).map_err(|error| solid_refused(field, error))?;
                Ok(plain(Arc::new(MeshWithTrees::new(shape))))
            }
            ShapeRequest::Triangle(corners) => {
                let mesh =
                    TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).map_err(|error| refused(error.to_string()))?;
                let shape = MeshShape::new(mesh).and_then(|shape| shape.with_solid(false));
                let built = Arc::new(MeshWithTrees::new(shape.map_err(|error| refused(error.to_string()))?));
                Ok(Resolved::Mesh { built, convex: Convex::triangle(*corners).ok() })
            }
            ShapeRequest::Hull(points) => {
                let convex = Convex::hull(points).map_err(|error| refused(error.to_string()))?;
                Ok(Resolved::Hull { points: points.clone(), convex })
            }
            ShapeRequest::Convex(convex) => Ok(Resolved::Convex(convex.clone())),
            ShapeRequest::Superellipsoid { radii, n1, n2, segments } => {
                self.built(generate::superellipsoid(*radii, *n1, *n2, *segments)).map(plain).map_err(refused)
            }
            ShapeRequest::Supertoroid { r0, r1, n1, n2, segments } => {
                self.built(generate::supertoroid(*r0, *r1, *n1, *n2, *segments)).map(plain).map_err(refused)
            }
            ShapeRequest::HeightField { origin, spacing, heights } => {
                self.built(generate::height_field(*origin, *spacing, heights)).map(plain).map_err(refused)
            }
            ShapeRequest::Superquadric(exact) => Ok(Resolved::General((*exact).into())),
            ShapeRequest::Compound(parts) => {
                let part = |(number, (shape, pose)): (usize, &(ShapeRequest, Pose))| {
                    let field = format!("{field}.parts[{number}].shape");
                    let resolved = Arc::new(self.resolve(&field, shape)?);
                    ResolvedShape::new(&field, described(shape), Arc::clone(&resolved), *pose, &self.workers)?;
                    Ok((resolved.to_shape(), *pose))
                };
                let parts: Vec<(Shape, Pose)> = parts.iter().enumerate().map(part).collect::<Result<_, _>>()?;
                let compound = Compound::new(parts).map_err(|error| refused(error.to_string()))?;
                Ok(Resolved::General(compound.into()))
            }
            ShapeRequest::Csg(request) => {
                let tree = request.made(field, &|path, leaf| self.shape(path, leaf))?;
                let tolerance = request.tolerance.unwrap_or_else(|| tree.mesh_tolerance());
                // Parallel work on a thread of a request could take another request, which blocks on this shape.
                let mesh = self.workers.run(|| tree.to_mesh(tolerance)).map_err(|error| refused(error.to_string()))?;
                let mesh = mesh.ok_or_else(|| refused("it is empty: give a solid with a volume".to_owned()))?;
                self.built(Ok::<_, MeshError>(mesh)).map(plain).map_err(refused)
            }
            ShapeRequest::Rounded(core, margin) => {
                let shape = self.resolve(field, core)?.to_shape().with_margin(*margin);
                Ok(Resolved::General(shape.map_err(|error| refused(error.to_string()))?))
            }
        }
    }

    /// Returns the shape of a file, or of a part of it.
    fn file(&self, field: &str, source: &MeshSource) -> Result<Arc<MeshWithTrees>, FieldError> {
        // A thread that panicked leaves the map valid: entries are only added.
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = Arc::clone(files.entry(source.key()).or_default());
        drop(files);
        let built = cell.get_or_init(|| {
            let refused = |cause: String| FileFault { field: "path", value: source.path.display().to_string(), cause };
            let model = self.model(&source.path, source.part.is_some()).map_err(refused)?;
            self.workers.run(|| self.built_of(&model, source))
        });
        built
            .clone()
            .map_err(|fault| FieldError::refused(&format!("{field}.{}", fault.field), fault.value, fault.cause))
    }

    /// Builds the shape of a model: one of its parts or all as one mesh, in metres, scaled, welded, solid as requested.
    fn built_of(&self, model: &Model, source: &MeshSource) -> Result<Arc<MeshWithTrees>, FileFault> {
        let refused = |cause: String| FileFault { field: "path", value: source.path.display().to_string(), cause };
        let mesh = match &source.part {
            None => model.flattened().map_err(|error| refused(error.to_string()))?,
            Some(name) => part_of(model, name)?,
        };
        let unit = source.unit.or(model.unit).map_or(1.0, LengthUnit::metres);
        let mesh = scaled(&mesh, source.scale * unit).map_err(|error| refused(error.to_string()))?;
        let (shape, preparation) = prepare(mesh, source.weld).map_err(|error| match error {
            PrepareError::Solidify(error) => {
                FileFault { field: "weld", value: source.weld_text(), cause: error.to_string() }
            }
            error => refused(error.to_string()),
        })?;
        let part = source.part.as_deref().unwrap_or_default();
        let notes = preparation.notes(&source.path, part, LengthUnit::Metre.symbol());
        notes.for_each(|note| self.source.note(&note));
        let shape = self.with_usual_tree(shape).map_err(|error| refused(error.to_string()))?;
        let solid =
            |error: ShapeError| FileFault { field: "solid", value: "true".to_owned(), cause: error.to_string() };
        Ok(Arc::new(MeshWithTrees::new(with_solidity(shape, source.solid).map_err(solid)?)))
    }

    fn built<E: ToString>(&self, mesh: Result<TriMesh, E>) -> LoadedTrees {
        let shape = MeshShape::new(mesh.map_err(|error| error.to_string())?);
        let shape = shape.and_then(|shape| self.with_usual_tree(shape));
        shape.map(|shape| Arc::new(MeshWithTrees::new(shape))).map_err(|error| error.to_string())
    }

    /// Returns the tree that every mesh gets.
    pub(crate) fn usual_tree(&self) -> Option<TreeChoice> {
        self.usual
    }

    /// Returns the shape with the tree that every mesh gets.
    pub(crate) fn with_usual_tree(&self, shape: MeshShape) -> Result<MeshShape, ShapeError> {
        match &self.usual {
            Some(choice) => shape.with_tree(choice),
            None => Ok(shape),
        }
    }

    /// Returns the mesh files that were read until now, and the files that they name.
    pub fn files(&self) -> Vec<PathBuf> {
        let models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files: Vec<PathBuf> = models.keys().map(|(path, _)| path.clone()).collect();
        files.dedup();
        [files, self.buffers.files()].concat()
    }

    /// Returns the content of a file, read at its first use. Faces keep their numbers in the file unless its objects
    /// are parts.
    fn model(&self, path: &Path, has_parts: bool) -> Read {
        let key = self.source.key(path);
        let cell =
            Arc::clone(self.models.lock().unwrap_or_else(PoisonError::into_inner).entry((key, has_parts)).or_default());
        let read = || {
            let settings = ReadSettings { strict: false, split_objects: has_parts };
            let model = read_model(self.source(), path, &settings, &self.buffers).map_err(|error| line_of(&error))?;
            let notes = model.warnings.iter().map(|warning| FileNote::of_reader(path, warning));
            notes.for_each(|note| self.source.note(&note));
            Ok(Arc::new(model))
        };
        cell.get_or_init(|| self.workers.run(read)).clone()
    }
}

/// Error of making a shape from a file, and the field that caused it.
#[derive(Debug, Clone)]
struct FileFault {
    field: &'static str,
    value: String,
    cause: String,
}

/// Returns the parts of a name, or the parts that match a pattern, placed, as one mesh.
fn part_of(model: &Model, name: &str) -> Result<TriMesh, FileFault> {
    let index = NameIndex::new(model.parts.iter().map(|part| part.name.as_str()));
    let numbers = index.find(name).map_err(|fault| {
        let cause = match fault {
            NameFault::Ambiguous { candidates } => {
                format!("several parts of the file end so: {}", some_of(candidates.iter().map(String::as_str)))
            }
            _ => {
                let known = some_of(model.parts.iter().map(|part| part.name.as_str()));
                format!("no part of the file has that name or matches that pattern; its parts are {known}")
            }
        };
        FileFault { field: "part", value: name.to_owned(), cause }
    })?;
    let parts = numbers.into_iter().map(|number| &model.parts[number]);
    let placed = parts.map(|part| model.meshes[part.mesh].transformed(&part.pose));
    let joined = placed.collect::<Result<Vec<_>, _>>().and_then(|meshes| TriMesh::merged(&meshes));
    joined.map_err(|error| FileFault { field: "part", value: name.to_owned(), cause: error.to_string() })
}

/// Scales a mesh along the axes. An odd number of negative factors mirrors it; its faces are turned outward again.
fn scaled(mesh: &TriMesh, factors: Vec3) -> Result<TriMesh, MeshError> {
    if factors == Vec3::ONE {
        return Ok(mesh.clone());
    }
    let vertices = mesh.vertices().iter().map(|&vertex| vertex * factors).collect();
    let scaled = TriMesh::new(vertices, mesh.triangles().to_vec())?;
    Ok(if factors.x * factors.y * factors.z < 0.0 { scaled.reversed() } else { scaled })
}

/// Sets the solidity of a shape: closed meshes are solid unless the request states otherwise.
fn with_solidity(shape: MeshShape, solid: Option<Solid>) -> Result<MeshShape, ShapeError> {
    match solid {
        None => Ok(shape),
        Some(Solid::No) => shape.with_solid(false),
        Some(Solid::Yes) => shape.with_solid(true),
        // The winding number of a closed mesh is an integer, which is computed exactly.
        Some(Solid::Winding) if shape.is_closed() => shape.with_solid(true),
        Some(Solid::Winding) => shape.with_solidity(Solidity::Winding),
    }
}

fn solid_refused(field: &str, error: ShapeError) -> FieldError {
    FieldError::refused(&format!("{field}.solid"), "true", error)
}

/// Returns the error for a name without a shape.
pub fn no_such_shape(field: &str, name: &str) -> FieldError {
    let cause = "no line before has given a shape of that name: give it with the op `shape`";
    FieldError::refused(&format!("{field}.name"), name, cause)
}

/// Names the kind of shape of a request, for messages.
fn described(shape: &ShapeRequest) -> &'static str {
    match shape {
        ShapeRequest::File(_) | ShapeRequest::Inline { .. } => "the mesh",
        ShapeRequest::Triangle(_) => "the triangle",
        ShapeRequest::Hull(_) => "the hull",
        ShapeRequest::Convex(_) | ShapeRequest::Named(_) | ShapeRequest::Shared(_) => "the shape",
        ShapeRequest::Superellipsoid { .. } => "the superellipsoid",
        ShapeRequest::Supertoroid { .. } => "the supertoroid",
        ShapeRequest::Superquadric(_) => "the superquadric",
        ShapeRequest::HeightField { .. } => "the height field",
        ShapeRequest::Compound(_) => "the compound",
        ShapeRequest::Rounded(..) => "the rounded shape",
        ShapeRequest::Csg(_) => "the CSG tree",
    }
}
