//! Requests: one JSON object, every field checked.
//!
//! In: a line. Out: its `id`, and a [`Request`] or the error. Unknown fields are errors; so are fields that the
//! operation does not take.

use super::line::{self, Id, RequestLine};
use super::map_request::{self, MapRequest, SharedMap};
use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use crate::describe::placed::{Placed, Trees};
use crate::describe::pose::read_pose;
use crate::describe::shape::{MAX_NESTED, ShapeRequest, direction};
use crate::describe::shape_cache::{ShapeCache, SharedShape};
use crate::describe::shape_store::no_such_shape;
use heurt_bvh::VolumeKind;
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_query::ccd::{CcdOptions, MovingPrimitives};
use heurt_shape::Degree;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Every operation and its fields, next to `id` and `op`.
const OPERATIONS: [(&str, &[&[&str]]); 17] = [
    ("overlap", &[TWO, &["method"], TREES, &["budget"]]),
    ("pairs", &[TWO, &["limit"], TREES]),
    ("distance", &[TWO, &["max", "method"], TREES, &["budget"]]),
    ("contact", &[TWO, &["margin", "manifold", "method"]]),
    ("cast", &[TWO, &VELOCITIES, &["max_time", "tolerance", "method"]]),
    ("ccd", &[&["kind", "t0", "t1", "min_separation", "tolerance"]]),
    ("ray", &[ONE, &["origin", "direction", "max_distance", "all"]]),
    ("closest", &[ONE, &["point"]]),
    ("measure", &[ONE, &["limit"]]),
    ("contains", &[ONE, &["points"]]),
    ("shape", &[&["name", "shape"]]),
    ("batch", &[&["ask", "shapes", "pairs", "poses", "poses_npy", "max", "margin", "first"]]),
    ("map", &[&["name", "path", "vertices", "faces"]]),
    ("locate", &[&["map", "point"]]),
    ("move", &[&["map", "from", "to", "obstacles"]]),
    ("probe", &[&["map", "from", "to"]]),
    ("near", &[&["map", "points", "at", "radius", "obstacles"]]),
];
const ONE: &[&str] = &["a", "pose_a"];
const TWO: &[&str] = &["a", "pose_a", "b", "pose_b"];
const TREES: &[&str] = &["volume", "degree", "tree"];
const VELOCITIES: [&str; 4] = ["velocity_a", "velocity_b", "angular_velocity_a", "angular_velocity_b"];
/// Number of faults of each kind that `measure` lists without a `limit`.
const MAX_FAULTS: usize = 100;
const METHODS: [&str; 3] = ["gjk", "sat", "closest-features"];

/// The algorithm that a request names, if any.
pub(crate) type Method = Option<&'static str>;

/// A shape, its pose at time 0, and its motion.
#[derive(Debug, Clone)]
pub(crate) struct Moving {
    pub placed: Placed,
    pub motion: Motion,
}

/// The shapes and maps that earlier lines have named.
#[derive(Default)]
pub(crate) struct Names {
    pub(super) shapes: BTreeMap<String, Arc<SharedShape>>,
    pub(super) maps: BTreeMap<String, Arc<SharedMap>>,
}

/// The most shapes that a compound of named compounds may hold: names that double each other reach any number in a few
/// lines, and a shape takes some hundred bytes.
const MAX_LEAVES: u64 = 1 << 18;

/// Replaces a shape that is a name, or contains names, by the shapes that the names represent.
fn bind(field: &str, shape: &mut Arc<SharedShape>, names: &Names) -> Result<(), FieldError> {
    if !shape.request.has_names() {
        return Ok(());
    }
    let find = |name: &str| names.shapes.get(name).cloned();
    let bound = shape.request.with_names(&find).map_err(|name| no_such_shape(field, &name))?;
    *shape = match bound {
        ShapeRequest::Shared(shared) => shared,
        bound => Arc::new(SharedShape::new(bound)),
    };
    // A name that is given again and again to a shape that contains it would nest without end.
    if shape.leaves > MAX_LEAVES {
        let cause = format!("it holds {} shapes by its names: give at most {MAX_LEAVES}", shape.leaves);
        return Err(FieldError::refused(field, "the shape", cause));
    }
    if shape.depth > MAX_NESTED {
        let cause = format!("shapes are nested more than {MAX_NESTED} deep");
        return Err(FieldError::refused(field, "the shape", cause));
    }
    Ok(())
}

/// The budget of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Limit {
    /// Number of volumes and pairs of primitives.
    Work(u64),
    Micros(f64),
}

/// Options of a query; a budget excludes all further options.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryOptions {
    pub(crate) trees: Trees,
    pub(crate) method: Method,
    pub(crate) budget: Option<Limit>,
}

/// The operation and its operands.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    Overlap {
        a: Placed,
        b: Placed,
        how: QueryOptions,
    },
    Pairs {
        a: Placed,
        b: Placed,
        limit: usize,
        trees: Trees,
    },
    Distance {
        a: Placed,
        b: Placed,
        max: f64,
        how: QueryOptions,
    },
    Contact {
        a: Placed,
        b: Placed,
        margin: f64,
        /// Whether to find the contact of a simulation step.
        manifold: bool,
        method: Method,
    },
    Cast {
        bodies: Box<[Moving; 2]>,
        max_time: f64,
        tolerance: Option<f64>,
        method: Method,
    },
    Ccd {
        are_edges: bool,
        moving: Box<MovingPrimitives>,
        options: CcdOptions,
    },
    Ray {
        a: Placed,
        origin: Vec3,
        direction: Vec3,
        max_distance: f64,
        all: bool,
    },
    Closest {
        a: Placed,
        point: Vec3,
    },
    /// Lists at most `limit` faults of each kind.
    Measure {
        a: Placed,
        limit: usize,
    },
    Contains {
        a: Placed,
        points: Vec<Vec3>,
    },
    /// Keeps a shape for later lines.
    Shape {
        name: String,
        shape: Arc<SharedShape>,
    },
    Batch(Box<BatchRequest>),
    /// Keeps a map for later lines.
    Map {
        name: String,
        map: Arc<SharedMap>,
    },
    OnMap(Box<MapRequest>),
}

/// Pairs of shapes in many configurations.
#[derive(Debug, Clone)]
pub(crate) struct BatchRequest {
    pub(crate) operation: BatchVerb,
    pub(crate) shapes: Vec<Arc<SharedShape>>,
    pub(crate) pairs: Vec<[u32; 2]>,
    pub(crate) poses: BatchPoses,
    /// True if a configuration ends with its first pair that overlaps.
    pub(crate) first: bool,
}

/// The query of each pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BatchVerb {
    Overlap,
    /// Distance, up to this one.
    Distance(f64),
    /// Contact, up to this separation.
    Contact(f64),
}

/// The poses of a batch.
#[derive(Debug, Clone)]
pub(crate) enum BatchPoses {
    /// Poses of all shapes, configuration by configuration.
    Written(Vec<Pose>),
    /// A file of NumPy.
    Npy(PathBuf),
}

impl Request {
    /// Returns whether the answer, once found, is exact for the insides of the shapes.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::Overlap { a, b, .. } | Self::Distance { a, b, .. } | Self::Contact { a, b, .. } => {
                a.shape.is_exact() && b.shape.is_exact()
            }
            Self::Cast { bodies, .. } => bodies.iter().all(|body| body.placed.shape.is_exact()),
            Self::Ray { a, .. } | Self::Closest { a, .. } | Self::Contains { a, .. } => a.shape.is_exact(),
            Self::Batch(batch) => batch.shapes.iter().all(|shape| shape.is_exact()),
            // Surfaces only.
            Self::Pairs { .. } | Self::Measure { .. } | Self::Ccd { .. } | Self::Shape { .. } => true,
            // Points and cells only.
            Self::Map { .. } | Self::OnMap(_) => true,
        }
    }

    /// Binds the named shapes of a request to the shapes that earlier lines have given; a request that gives a name
    /// defines it.
    pub(crate) fn bind(mut self, names: &mut Names) -> Result<Self, FieldError> {
        let placed: Vec<&mut Placed> = match &mut self {
            Self::Overlap { a, b, .. }
            | Self::Pairs { a, b, .. }
            | Self::Distance { a, b, .. }
            | Self::Contact { a, b, .. } => vec![a, b],
            Self::Cast { bodies, .. } => bodies.iter_mut().map(|body| &mut body.placed).collect(),
            Self::Ray { a, .. } | Self::Closest { a, .. } | Self::Measure { a, .. } | Self::Contains { a, .. } => {
                vec![a]
            }
            Self::Ccd { .. } => Vec::new(),
            Self::Shape { name, shape } => {
                bind("shape", shape, names)?;
                names.shapes.insert(name.clone(), Arc::clone(shape));
                Vec::new()
            }
            Self::Batch(batch) => {
                for (number, shape) in batch.shapes.iter_mut().enumerate() {
                    bind(&format!("shapes[{number}]"), shape, names)?;
                }
                Vec::new()
            }
            Self::Map { name, map } => {
                names.maps.insert(name.clone(), Arc::clone(map));
                Vec::new()
            }
            Self::OnMap(request) => {
                request.bind(&names.maps)?;
                Vec::new()
            }
        };
        for placed in placed {
            bind(placed.field, &mut placed.shape, names)?;
        }
        Ok(self)
    }
}

/// Reads a line; the `id` is found even if the rest is invalid, if the line is JSON at all. Shapes that were written
/// out before are taken from `shapes`.
pub(crate) fn parse(text: &[u8], shapes: &ShapeCache) -> (Id, Result<Request, FieldError>) {
    let (id, line) = line::parse(text);
    (id, line.and_then(|line| request_of(line, shapes)))
}

/// Returns the request of a line. A line that is no JSON is refused with the error of its fields, if there is one, else
/// as no JSON.
fn request_of(line: RequestLine, shapes: &ShapeCache) -> Result<Request, FieldError> {
    match (request(line.value, shapes), line.fault) {
        (Ok(_) | Err(FieldError::NotAvailable { .. }), Some(fault)) => Err(fault),
        (request, _) => request,
    }
}

fn request(value: Value, shapes: &ShapeCache) -> Result<Request, FieldError> {
    let mut fields = Fields::open("", value)?;
    fields.take("id");
    let operation = fields.required("op", "an operation", operation)?;
    let known = OPERATIONS.iter().find(|(name, _)| *name == operation).map_or(&[][..], |(_, known)| known);
    fields.only(known)?;
    let mut fields = ShapeFields { fields, shapes };
    match operation {
        "overlap" => overlap(&mut fields),
        "pairs" => pairs(&mut fields),
        "distance" => distance(&mut fields),
        "contact" => contact(&mut fields),
        "ray" => ray(&mut fields),
        "closest" => {
            let a = fields.placed("a", "pose_a")?;
            Ok(Request::Closest { a, point: fields.fields.required("point", "a point", fields::vector)? })
        }
        "contains" => {
            let a = fields.placed("a", "pose_a")?;
            let points = fields
                .fields
                .required("points", "a list of points", |path, value| fields::list(path, value, fields::vector))?;
            Ok(Request::Contains { a, points })
        }
        "measure" => {
            let a = fields.placed("a", "pose_a")?;
            let limit = fields.fields.optional("limit", fields::count)?;
            let limit = limit.map_or(MAX_FAULTS, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(Request::Measure { a, limit })
        }
        "ccd" => ccd(&mut fields.fields),
        "shape" => {
            let name = fields.fields.required("name", "a name", fields::text)?;
            Ok(Request::Shape { name, shape: fields.shape("shape")? })
        }
        "batch" => batch(&mut fields),
        "map" => map_request::read_map(&mut fields.fields),
        "locate" | "move" | "probe" | "near" => map_request::read_on_map(operation, &mut fields.fields),
        _ => cast(&mut fields),
    }
}

/// Reads the name of an operation.
fn operation(path: &str, value: Value) -> Result<&'static str, FieldError> {
    fields::word(&OPERATIONS.map(|(name, _)| name))(path, value)
}

/// The fields of a request that holds shapes.
struct ShapeFields<'s> {
    fields: Fields,
    shapes: &'s ShapeCache,
}

impl ShapeFields<'_> {
    fn shape(&mut self, name: &str) -> Result<Arc<SharedShape>, FieldError> {
        let shapes = self.shapes;
        self.fields.required(name, "a shape", |path, value| shapes.written(path, value))
    }

    fn placed(&mut self, name: &'static str, pose_name: &'static str) -> Result<Placed, FieldError> {
        let shape = self.shape(name)?;
        let pose = self.fields.optional(pose_name, read_pose)?.unwrap_or(Pose::IDENTITY);
        Ok(Placed { field: name, shape, pose })
    }

    fn both(&mut self) -> Result<[Placed; 2], FieldError> {
        Ok([self.placed("a", "pose_a")?, self.placed("b", "pose_b")?])
    }
}

fn overlap(fields: &mut ShapeFields<'_>) -> Result<Request, FieldError> {
    let [a, b] = fields.both()?;
    let fields = &mut fields.fields;
    let methods = [METHODS.as_slice(), &["separating-plane"]].concat();
    Ok(Request::Overlap { a, b, how: how(fields, &methods)? })
}

fn pairs(fields: &mut ShapeFields<'_>) -> Result<Request, FieldError> {
    let [a, b] = fields.both()?;
    let fields = &mut fields.fields;
    let limit = fields.optional("limit", fields::count)?;
    let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let trees = trees(fields)?;
    Ok(Request::Pairs { a, b, limit, trees })
}

fn distance(fields: &mut ShapeFields<'_>) -> Result<Request, FieldError> {
    let [a, b] = fields.both()?;
    let fields = &mut fields.fields;
    let max = fields.optional("max", fields::not_negative)?.unwrap_or(f64::INFINITY);
    Ok(Request::Distance { a, b, max, how: how(fields, &METHODS)? })
}

fn contact(fields: &mut ShapeFields<'_>) -> Result<Request, FieldError> {
    let [a, b] = fields.both()?;
    let fields = &mut fields.fields;
    let margin = fields.optional("margin", fields::not_negative)?.unwrap_or(0.0);
    let manifold = fields.optional("manifold", fields::boolean)?.unwrap_or(false);
    let method = method(fields, &METHODS)?;
    Ok(Request::Contact { a, b, margin, manifold, method })
}

fn ray(fields: &mut ShapeFields<'_>) -> Result<Request, FieldError> {
    let a = fields.placed("a", "pose_a")?;
    let fields = &mut fields.fields;
    let origin = fields.required("origin", "a point", fields::vector)?;
    let direction = fields.required("direction", "a vector other than 0", direction)?;
    let max_distance = fields.optional("max_distance", fields::not_negative)?.unwrap_or(f64::INFINITY);
    let all = fields.optional("all", fields::boolean)?.unwrap_or(false);
    Ok(Request::Ray { a, origin, direction, max_distance, all })
}

fn ccd(fields: &mut Fields) -> Result<Request, FieldError> {
    let kind = fields.required("kind", "a kind", fields::word(&["vertex-face", "edge-edge"]))?;
    let four = |fields: &mut Fields, name: &'static str| {
        let points = fields.required(name, "a list of 4 points", fields::points(Some(4)))?;
        Ok([points[0], points[1], points[2], points[3]])
    };
    let moving = MovingPrimitives { start: four(fields, "t0")?, end: four(fields, "t1")? };
    let usual = CcdOptions::default();
    let min_separation = fields.optional("min_separation", fields::not_negative)?.unwrap_or(usual.min_separation);
    let tolerance = fields.optional("tolerance", fields::positive)?.unwrap_or(usual.tolerance);
    let options = CcdOptions { min_separation, tolerance, ..usual };
    Ok(Request::Ccd { are_edges: kind == "edge-edge", moving: Box::new(moving), options })
}

fn cast(fields: &mut ShapeFields<'_>) -> Result<Request, FieldError> {
    let [a, b] = fields.both()?;
    let fields = &mut fields.fields;
    let method = method(fields, &METHODS)?;
    let moving = |placed: Placed, fields: &mut Fields, [velocity, spin]: [&'static str; 2]| {
        let linear = fields.optional(velocity, fields::vector)?.unwrap_or(Vec3::ZERO);
        let angular = fields.optional(spin, fields::vector)?.unwrap_or(Vec3::ZERO);
        let motion = Motion::screw(linear, angular);
        let refused = |error| match Motion::linear(linear) {
            Ok(_) => FieldError::refused(spin, format!("{:?}", angular.to_array()), error),
            Err(_) => FieldError::refused(velocity, format!("{:?}", linear.to_array()), error),
        };
        Ok(Moving { placed, motion: motion.map_err(refused)? })
    };
    let [velocity_a, velocity_b, spin_a, spin_b] = VELOCITIES;
    let bodies = Box::new([moving(a, fields, [velocity_a, spin_a])?, moving(b, fields, [velocity_b, spin_b])?]);
    let max_time = fields.optional("max_time", fields::positive)?.unwrap_or(1.0);
    let tolerance = fields.optional("tolerance", fields::positive)?;
    Ok(Request::Cast { bodies, max_time, tolerance, method })
}

fn batch(fields: &mut ShapeFields<'_>) -> Result<Request, FieldError> {
    let cache = fields.shapes;
    let written = |path: &str, value: Value| match value {
        Value::String(name) => Ok(Arc::new(SharedShape::new(ShapeRequest::Named(name)))),
        value => cache.written(path, value),
    };
    let fields = &mut fields.fields;
    let shapes =
        fields.required("shapes", "a list of shapes or names", |path, value| fields::list(path, value, written))?;
    let count = shapes.len();
    let pairs = fields.required("pairs", "a list of [i, j]", |path, value| {
        fields::list(path, value, |path, value| pair(path, value, count))
    })?;
    let verb = fields.required("ask", "what is asked", fields::word(&["overlap", "distance", "contact"]))?;
    let max = fields.optional("max", fields::not_negative)?;
    let margin = fields.optional("margin", fields::not_negative)?;
    let refuse = |name: &str, cause: &str| Err(FieldError::refused(name, "given", cause));
    let operation = match (verb, max, margin) {
        ("overlap", Some(_), _) => return refuse("max", "it goes with `distance` and `contact`"),
        ("overlap" | "distance", _, Some(_)) => return refuse("margin", "it goes with `contact`"),
        ("overlap", ..) => BatchVerb::Overlap,
        ("distance", max, _) => BatchVerb::Distance(max.unwrap_or(f64::INFINITY)),
        (_, Some(_), Some(_)) => return refuse("margin", "give `max` or `margin`, which mean the same here"),
        (_, max, margin) => BatchVerb::Contact(max.or(margin).unwrap_or(0.0)),
    };
    let row = |path: &str, value: Value| {
        let row = fields::list(path, value.clone(), read_pose)?;
        match row.len() == count {
            true => Ok(row),
            false => Err(FieldError::wrong(path, &value, format!("a list of {count} poses, one for each shape"))),
        }
    };
    let rows = fields.optional("poses", |path, value| fields::list(path, value, row))?;
    let npy = fields.optional("poses_npy", fields::text)?;
    let poses = match (rows, npy) {
        (Some(rows), None) => BatchPoses::Written(rows.into_iter().flatten().collect()),
        (None, Some(path)) => BatchPoses::Npy(path.into()),
        (Some(_), Some(_)) => return refuse("poses_npy", "give `poses` or `poses_npy`, not both"),
        (None, None) => {
            let expected = "a list of configurations, each a list of poses, or `poses_npy`".to_owned();
            return Err(FieldError::Missing { field: "poses".to_owned(), expected });
        }
    };
    let first = fields.optional("first", fields::boolean)?.unwrap_or(false);
    if first && operation != BatchVerb::Overlap {
        return refuse("first", "it goes with `overlap`");
    }
    Ok(Request::Batch(Box::new(BatchRequest { operation, shapes, pairs, poses, first })))
}

/// Reads two numbers of shapes.
fn pair(path: &str, value: Value, count: usize) -> Result<[u32; 2], FieldError> {
    let number = |item: &Value| item.as_u64().filter(|&number| number < count as u64).map(|number| number as u32);
    match value.as_array().map(|items| items.iter().map(number).collect::<Vec<_>>()).as_deref() {
        Some(&[Some(i), Some(j)]) => Ok([i, j]),
        _ => Err(FieldError::wrong(path, &value, format!("a list of 2 numbers of shapes, from 0 to below {count}"))),
    }
}

fn method(fields: &mut Fields, methods: &[&'static str]) -> Result<Method, FieldError> {
    fields.optional("method", fields::word(methods))
}

fn trees(fields: &mut Fields) -> Result<Trees, FieldError> {
    let names = VolumeKind::ALL.map(VolumeKind::name);
    let volume = fields.optional("volume", fields::word(&names))?;
    let volume = VolumeKind::ALL.into_iter().find(|kind| Some(kind.name()) == volume);
    let degree = fields.optional("degree", |path, value| {
        let wanted = value.as_u64();
        let degree = Degree::ALL.into_iter().find(|degree| wanted == Some(u64::from(degree.children())));
        degree.ok_or_else(|| FieldError::wrong(path, &value, "2, 4 or 8"))
    })?;
    let file = fields.optional("tree", fields::text)?;
    Ok(Trees { file, volume, degree })
}

/// Reads the options of a query. Trees and methods next to a budget are refused: a budget bounds one walk of its own.
fn how(fields: &mut Fields, methods: &[&'static str]) -> Result<QueryOptions, FieldError> {
    let how = QueryOptions { method: method(fields, methods)?, trees: trees(fields)?, budget: budget(fields)? };
    if how.budget.is_some() && (how.method.is_some() || how.trees != Trees::default()) {
        let cause = "it goes with no choice of a method or of trees: leave them out";
        return Err(FieldError::refused("budget", "given", cause));
    }
    Ok(how)
}

fn budget(fields: &mut Fields) -> Result<Option<Limit>, FieldError> {
    fields.optional("budget", |path, value| {
        let mut fields = Fields::open(path, value)?;
        fields.only(&[&["work", "micros"]])?;
        let work = fields.optional("work", fields::count)?;
        let micros = fields.optional("micros", fields::not_negative)?;
        match (work, micros) {
            (Some(work), None) => Ok(Limit::Work(work)),
            (None, Some(micros)) => Ok(Limit::Micros(micros)),
            (None, None) => {
                Err(FieldError::Missing { field: format!("{path}.work"), expected: "`work` or `micros`".to_owned() })
            }
            (Some(work), Some(_)) => {
                Err(FieldError::refused(&format!("{path}.work"), work.to_string(), "give `work` or `micros`, not both"))
            }
        }
    })
}
