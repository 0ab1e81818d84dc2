//! From described shapes to shapes that can be asked; files are read and built once per run.
//!
//! Guarantees: a file named by many requests, in many threads, at many scales and however its path is spelt, is read
//! once, and each tree over it is built once; the answer does not depend on which request came first, nor on what becomes of
//! the file meanwhile. Hulls and boxes are placed first and spanned then.
//! Threads: a worker that waited for a parallel build would meanwhile take up another request, and could come to wait
//! for the very file that it is about to finish. So what is shared is built on threads of its own ([`Workers`]).

use super::fields::FieldError;
use super::request::{Placed, Trees};
use super::shape::ShapeRequest;
use crate::load::Buffers;
use crate::pose::reaches_finitely;
use crate::{Failure, load, threads, tree_file};
use heurt::geometry::{Pose, Vec3};
use heurt::mesh::{MeshError, TriMesh, generate};
use heurt::shape::{AnyTree, Compound, Convex, Hull, MeshShape, Shape, ShapeError, ShapeRef, TreeChoice};
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What is said of shapes that infinity has got.
const TOO_FAR: &str = "placed by its pose it leaves the range of f64: move it nearer to the origin";

/// What came of a file: the shape, or why there is none.
type Loaded = Result<Arc<Built>, String>;

/// The mesh in a file as it is there, or why there is none.
type Read = Result<Arc<TriMesh>, String>;

/// Path, bits of the scale, and solidity where a request chose it.
type FileKey = (PathBuf, u64, Option<bool>);

/// What a tree file chooses, or why it cannot be used.
type Choice = Result<TreeChoice, String>;

/// The files of a run.
pub(crate) struct Store {
    /// What was read, by the path without links and detours.
    meshes: Mutex<BTreeMap<PathBuf, Arc<OnceLock<Read>>>>,
    /// Files that these name.
    buffers: Buffers,
    files: Mutex<BTreeMap<FileKey, Arc<OnceLock<Loaded>>>>,
    choices: Mutex<BTreeMap<String, Arc<OnceLock<Choice>>>>,
    /// The tree that pairs of meshes walk where nothing else is chosen for them.
    usual: Option<TreeChoice>,
    workers: Arc<Workers>,
}

/// Threads that build what requests share, and never answer a request.
struct Workers(rayon::ThreadPool);

impl Workers {
    /// Runs `work` on these threads; the caller waits and takes up nothing else.
    fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        // A worker of another pool would go on with its own tasks while it waits; a thread of no pool does not.
        let outside = || std::thread::scope(|scope| scope.spawn(|| self.0.install(work)).join());
        outside().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// What came of building a tree.
type Grown = Result<Arc<AnyTree>, String>;

/// A shape with the trees chosen for it, each built when it is first asked for.
struct Built {
    shape: Arc<MeshShape>,
    trees: Mutex<Vec<(TreeChoice, Arc<OnceLock<Grown>>)>>,
}

impl Built {
    fn new(shape: MeshShape) -> Self {
        Self { shape: Arc::new(shape), trees: Mutex::default() }
    }

    /// Where the tree of a choice is, or will be.
    fn tree(&self, choice: TreeChoice) -> Arc<OnceLock<Grown>> {
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, tree)) = trees.iter().find(|(known, _)| *known == choice) {
            return Arc::clone(tree);
        }
        let tree = Arc::default();
        trees.push((choice, Arc::clone(&tree)));
        tree
    }
}

/// A shape that can be asked.
pub(crate) struct Ready {
    field: String,
    /// The surface in triangles; curved shapes have none.
    built: Option<Arc<Built>>,
    /// What is convex by its description, and where it stands.
    convex: Option<(Convex, Pose)>,
    /// What is neither: a compound, a mesh with a margin, or a superquadric by its exact surface.
    general: Option<Shape>,
    workers: Arc<Workers>,
    /// Where the surface stands.
    pub(crate) pose: Pose,
    /// The shape is one primitive, whatever triangles it is made of.
    pub(crate) is_primitive: bool,
}

impl Ready {
    /// The surface in triangles, for what needs one.
    pub(crate) fn mesh(&self, what: &str) -> Result<&MeshShape, FieldError> {
        let kind = match &self.general {
            Some(Shape::Superquadric(_)) => "superquadric without `segments`",
            Some(_) => "compound or a mesh with a margin",
            None => "curved or rounded shape",
        };
        let missing = || FieldError::not_available(&self.field, format!("{what} of a {kind}"));
        self.built.as_ref().map(|built| &*built.shape).ok_or_else(missing)
    }

    /// The shape and where it stands, if it is convex by its description.
    pub(crate) fn convex(&self) -> Option<(&Convex, &Pose)> {
        self.convex.as_ref().map(|(convex, pose)| (convex, pose))
    }

    /// The shape and where it stands: its surface, if it has one.
    pub(crate) fn any(&self) -> (ShapeRef<'_>, &Pose) {
        match (&self.general, &self.built, &self.convex) {
            (Some(shape), ..) => (shape.into(), &self.pose),
            (None, None, Some((convex, pose))) => (convex.into(), pose),
            (None, built, _) => ((&built.as_ref().expect("a shape is at least one of these").shape).into(), &self.pose),
        }
    }

    /// The shape and where it stands: as what it is described as.
    pub(crate) fn described(&self) -> (ShapeRef<'_>, &Pose) {
        match &self.convex {
            Some((convex, pose)) if self.general.is_none() => (convex.into(), pose),
            _ => self.any(),
        }
    }

    /// The shape as a part of another, and where it stands: as what it is described as.
    fn into_part(self) -> (Shape, Pose) {
        match (self.general, self.convex, self.built) {
            (Some(shape), ..) => (shape, self.pose),
            (None, Some((convex, pose)), _) => (convex.into(), pose),
            (None, None, built) => {
                (Shape::Mesh(Arc::clone(&built.expect("a shape is at least one of these").shape)), self.pose)
            }
        }
    }

    /// Its tree of a chosen kind.
    pub(crate) fn tree(&self, choice: TreeChoice) -> Result<Arc<AnyTree>, FieldError> {
        let shape = self.mesh("a tree")?;
        let built = self.built.as_ref().expect("it has a surface");
        let build = || AnyTree::new(shape.mesh(), &choice, true).map(Arc::new).map_err(|error| error.to_string());
        let tree = built.tree(choice).get_or_init(|| self.workers.run(build)).clone();
        tree.map_err(|cause| FieldError::refused(&self.field, "the shape", cause))
    }

    /// The placed triangles, numbered.
    pub(crate) fn triangles<'a>(&'a self, shape: &'a MeshShape) -> impl Iterator<Item = (u32, [Vec3; 3])> + 'a {
        let mesh = shape.mesh();
        let placed = |triangle: u32| mesh.corners(triangle).map(|corner| self.pose.place(corner));
        (0..mesh.triangles().len() as u32).map(move |triangle| (triangle, placed(triangle)))
    }

    /// The number of the primitive that `triangle` belongs to.
    pub(crate) fn primitive(&self, triangle: u32) -> u32 {
        if self.is_primitive { 0 } else { triangle }
    }
}

impl Store {
    /// Makes a store without files that builds on `count` threads; one for each core when that is `None` or 0. Every mesh gets the tree
    /// that the file `tree` chooses, if there is one.
    pub(crate) fn new(count: Option<u16>, tree: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self {
            meshes: Mutex::default(),
            buffers: Buffers::default(),
            files: Mutex::default(),
            choices: Mutex::default(),
            usual: tree.map(tree_file::read).transpose()?,
            workers: Arc::new(Workers(threads::pool(count)?)),
        })
    }

    /// The kind of tree that a request chooses; `None` where it leaves that to the shapes.
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
            let path = Path::new(name);
            let read =
                || load::require_file(path).and_then(|()| tree_file::read(path)).map_err(|failure| failure.line());
            choice = cell.get_or_init(read).clone().map_err(|cause| FieldError::refused("tree", name, cause))?;
        }
        choice.volume = volume.unwrap_or(choice.volume);
        choice.degree = degree.unwrap_or(choice.degree);
        Ok(Some(choice))
    }

    /// Makes the shape of a request.
    pub(crate) fn ready(&self, placed: &Placed) -> Result<Ready, FieldError> {
        self.ready_at(placed.field, &placed.shape, placed.pose)
    }

    /// The shape that a request describes, in its own frame.
    pub(crate) fn shape(&self, field: &str, request: &ShapeRequest) -> Result<Shape, FieldError> {
        Ok(self.ready_at(field, request, Pose::IDENTITY)?.into_part().0)
    }

    /// The shape that the request has at the path `field`.
    fn ready_at(&self, field: &str, request: &ShapeRequest, pose: Pose) -> Result<Ready, FieldError> {
        let refused = |cause: String| FieldError::refused(field, described(request), cause);
        let shape = match request {
            ShapeRequest::Unavailable { field, what } => return Err(FieldError::not_available(field, *what)),
            ShapeRequest::File { path, scale, solid } => {
                let at = |name: &str, value, cause| FieldError::refused(&format!("{field}.{name}"), value, cause);
                self.file(path, *scale, None).map_err(|cause| at("path", path.display().to_string(), cause))?;
                self.file(path, *scale, *solid).map_err(|cause| at("solid", "true".to_owned(), cause))?
            }
            ShapeRequest::Inline { vertices, triangles, scale, solid } => {
                let mesh = TriMesh::new(vertices.clone(), triangles.clone()).map_err(|error| match error {
                    MeshError::IndexOutOfRange { triangle, index, .. } => {
                        FieldError::refused(&format!("{field}.triangles[{triangle}]"), index.to_string(), error)
                    }
                    other => refused(other.to_string()),
                })?;
                let shape = self.scaled(&mesh, *scale).map_err(refused)?;
                with_solidity(shape, *solid)
                    .map_err(|cause| FieldError::refused(&format!("{field}.solid"), "true", cause))?
            }
            ShapeRequest::Triangle(corners) => {
                let mesh =
                    TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).map_err(|error| refused(error.to_string()))?;
                let shape = MeshShape::new(mesh).and_then(|shape| shape.with_solid(false));
                Arc::new(Built::new(shape.map_err(|error| refused(error.to_string()))?))
            }
            ShapeRequest::Hull(points) => {
                let shape = hull(points, &pose).map_err(refused)?;
                let convex = Convex::hull(points).map_err(|error| refused(error.to_string()))?;
                let ready = self.made(field, shape, Pose::IDENTITY, true);
                return Ok(Ready { convex: Some((convex, pose)), ..ready });
            }
            ShapeRequest::Convex(convex) => {
                let bounds = convex.bounds();
                if bounds.min.is_finite() && !reaches_finitely(&pose, &bounds) {
                    return Err(refused(TOO_FAR.to_owned()));
                }
                let convex = Some((convex.clone(), pose));
                return Ok(Ready { convex, ..self.bare(field, pose, true) });
            }
            ShapeRequest::Superellipsoid { radii, n1, n2, segments } => {
                self.built(generate::superellipsoid(*radii, *n1, *n2, *segments)).map_err(refused)?
            }
            ShapeRequest::Supertoroid { r0, r1, n1, n2, segments } => {
                self.built(generate::supertoroid(*r0, *r1, *n1, *n2, *segments)).map_err(refused)?
            }
            ShapeRequest::HeightField { origin, spacing, heights } => {
                self.built(generate::height_field(*origin, *spacing, heights)).map_err(refused)?
            }
            ShapeRequest::Superquadric(exact) => {
                return self.general(field, (*exact).into(), pose).map_err(refused);
            }
            ShapeRequest::Compound(parts) => {
                let part = |(number, (shape, pose)): (usize, &(ShapeRequest, Pose))| {
                    self.ready_at(&format!("{field}.parts[{number}].shape"), shape, *pose).map(Ready::into_part)
                };
                let parts: Vec<(Shape, Pose)> = parts.iter().enumerate().map(part).collect::<Result<_, _>>()?;
                let compound = Compound::new(parts).map_err(|error| refused(error.to_string()))?;
                return self.general(field, compound.into(), pose).map_err(refused);
            }
            ShapeRequest::Rounded(core, margin) => {
                let (shape, pose) = self.ready_at(field, core, pose)?.into_part();
                let shape = shape.with_margin(*margin).map_err(|error| refused(error.to_string()))?;
                return self.general(field, shape, pose).map_err(refused);
            }
        };
        if !reaches_finitely(&pose, shape.shape.bounds()) {
            return Err(refused(TOO_FAR.to_owned()));
        }
        let triangle = match request {
            ShapeRequest::Triangle(corners) => Convex::triangle(*corners).ok().map(|convex| (convex, pose)),
            _ => None,
        };
        let ready = self.made(field, shape, pose, triangle.is_some());
        Ok(Ready { convex: triangle, ..ready })
    }

    fn bare(&self, field: &str, pose: Pose, is_primitive: bool) -> Ready {
        let workers = Arc::clone(&self.workers);
        let (built, convex, general) = (None, None, None);
        Ready { field: field.to_owned(), built, convex, general, workers, pose, is_primitive }
    }

    fn made(&self, field: &str, built: Arc<Built>, pose: Pose, is_primitive: bool) -> Ready {
        Ready { built: Some(built), ..self.bare(field, pose, is_primitive) }
    }

    /// A compound, a mesh with a margin, or a superquadric.
    fn general(&self, field: &str, shape: Shape, pose: Pose) -> Result<Ready, String> {
        match reaches_finitely(&pose, &shape.bounds()) {
            true => Ok(Ready { general: Some(shape), ..self.bare(field, pose, false) }),
            false => Err(TOO_FAR.to_owned()),
        }
    }

    fn file(&self, path: &Path, scale: f64, solid: Option<bool>) -> Loaded {
        let key = (path.to_owned(), scale.to_bits(), solid);
        // A thread that panicked leaves the map whole: entries are only added.
        let cell = Arc::clone(self.files.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        if solid.is_some() {
            return cell.get_or_init(|| with_solidity(self.file(path, scale, None)?, solid)).clone();
        }
        cell.get_or_init(|| {
            let mesh = self.mesh(path)?;
            self.workers.run(|| self.scaled(&mesh, scale))
        })
        .clone()
    }

    fn scaled(&self, mesh: &TriMesh, scale: f64) -> Loaded {
        self.built(if scale == 1.0 { Ok(mesh.clone()) } else { mesh.scaled(scale) })
    }

    fn built<E: ToString>(&self, mesh: Result<TriMesh, E>) -> Loaded {
        let shape = MeshShape::new(mesh.map_err(|error| error.to_string())?);
        let shape = shape.and_then(|shape| self.with_usual_tree(shape));
        shape.map(|shape| Arc::new(Built::new(shape))).map_err(|error| error.to_string())
    }

    /// The tree that every mesh gets.
    pub(crate) fn usual_tree(&self) -> Option<TreeChoice> {
        self.usual
    }

    /// The shape with the tree that every mesh gets.
    pub(crate) fn with_usual_tree(&self, shape: MeshShape) -> Result<MeshShape, ShapeError> {
        match &self.usual {
            Some(choice) => shape.with_tree(choice),
            None => Ok(shape),
        }
    }

    /// The mesh files that were read so far, and those that they name.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let meshes: Vec<PathBuf> = self.meshes.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        [meshes, self.buffers.files()].concat()
    }

    /// The mesh in a file, read when it is first asked for.
    fn mesh(&self, path: &Path) -> Read {
        // What has no such path, as it is not there, goes by its name.
        let key = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let cell = Arc::clone(self.meshes.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let read = || {
            let model = load::require_file(path).and_then(|()| load::read_model(path, &self.buffers));
            let model = model.map_err(|failure| failure.line())?;
            model.flattened().map(Arc::new).map_err(|error| error.to_string())
        };
        cell.get_or_init(|| self.workers.run(read)).clone()
    }
}

/// Closed meshes are solid unless the request says otherwise.
fn with_solidity(built: Arc<Built>, solid: Option<bool>) -> Loaded {
    match solid {
        Some(solid) if solid != built.shape.is_solid() => match (*built.shape).clone().with_solid(solid) {
            Ok(shape) => Ok(Arc::new(Built::new(shape))),
            Err(error) => Err(error.to_string()),
        },
        _ => Ok(built),
    }
}

/// The set that the placed points span.
fn hull(points: &[Vec3], pose: &Pose) -> Loaded {
    let placed: Vec<Vec3> = match pose.is_identity() {
        true => points.to_vec(),
        false => points.iter().map(|&point| pose.place(point)).collect(),
    };
    if placed.iter().any(|point| !point.is_finite()) {
        return Err(TOO_FAR.to_owned());
    }
    let hull = Hull::new(&placed).map_err(|error| error.to_string())?;
    Ok(Arc::new(Built::new(hull.into_surface())))
}

fn described(shape: &ShapeRequest) -> &'static str {
    match shape {
        ShapeRequest::File { .. } | ShapeRequest::Inline { .. } => "the mesh",
        ShapeRequest::Triangle(_) => "the triangle",
        ShapeRequest::Hull(_) => "the hull",
        ShapeRequest::Convex(_) => "the shape",
        ShapeRequest::Superellipsoid { .. } => "the superellipsoid",
        ShapeRequest::Supertoroid { .. } => "the supertoroid",
        ShapeRequest::Superquadric(_) => "the superquadric",
        ShapeRequest::HeightField { .. } => "the height field",
        ShapeRequest::Compound(_) => "the compound",
        ShapeRequest::Rounded(..) => "the rounded shape",
        ShapeRequest::Unavailable { what, .. } => what,
    }
}
