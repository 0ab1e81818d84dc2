//! Requests: one JSON object, every field checked.
//!
//! In: a line. Out: its `id`, and a [`Request`] or what is wrong. Unknown fields are errors; so are fields that the
//! operation does not take.

use super::fields::{self, FieldError, Fields};
use super::line::{self, Id, Line};
use super::shape::{ShapeRequest, direction, shape};
use crate::pose;
use heurt::bvh::VolumeKind;
use heurt::geometry::{Motion, Pose, Vec3};
use heurt::query::ccd::{CcdOptions, MovingPrimitives};
use heurt::shape::Degree;
use serde_json::Value;

/// Every operation and its fields, beside `id` and `op`.
const OPERATIONS: [(&str, &[&[&str]]); 10] = [
    ("overlap", &[TWO, &["method"], TREES, &["budget"]]),
    ("pairs", &[TWO, &["limit"], TREES]),
    ("distance", &[TWO, &["max", "method"], TREES, &["budget"]]),
    ("contact", &[TWO, &["margin", "method"]]),
    ("cast", &[TWO, &VELOCITIES, &["max_time", "tolerance", "method"]]),
    ("ccd", &[&["kind", "t0", "t1", "min_separation", "tolerance"]]),
    ("ray", &[ONE, &["origin", "direction", "max_distance", "all"]]),
    ("contains", &[ONE, &["points"]]),
    ("closest", &[ONE, &["point"]]),
    ("measure", &[ONE]),
];
const ONE: &[&str] = &["a", "pose_a"];
const TWO: &[&str] = &["a", "pose_a", "b", "pose_b"];
const TREES: &[&str] = &["volume", "degree", "tree"];
const VELOCITIES: [&str; 4] = ["velocity_a", "velocity_b", "angular_velocity_a", "angular_velocity_b"];
const METHODS: [&str; 3] = ["gjk", "sat", "closest-features"];

/// The algorithm that a request names, if it does.
pub(crate) type Method = Option<&'static str>;

/// A shape, where it stands at time 0 and how it moves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moving {
    pub placed: Placed,
    pub motion: Motion,
}

/// A shape and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub(crate) field: &'static str,
    pub(crate) shape: ShapeRequest,
    pub(crate) pose: Pose,
}

/// Which trees are walked: those that every shape has where nothing is chosen, else those of a file written by `heurt tune`,
/// in which what is named beside it takes the place of what stands there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Trees {
    pub(crate) file: Option<String>,
    pub(crate) volume: Option<VolumeKind>,
    pub(crate) degree: Option<Degree>,
}

/// How much a question may cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Limit {
    /// Volumes and pairs of primitives.
    Work(u64),
    Micros(f64),
}

/// How a question is to be answered; what is asked for in a budget is answered in one way only.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct How {
    pub(crate) trees: Trees,
    pub(crate) method: Method,
    pub(crate) budget: Option<Limit>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Request {
    Overlap { a: Placed, b: Placed, how: How },
    Pairs { a: Placed, b: Placed, limit: usize, trees: Trees },
    Distance { a: Placed, b: Placed, max: f64, how: How },
    Contact { a: Placed, b: Placed, margin: f64, method: Method },
    Cast { bodies: Box<[Moving; 2]>, max_time: f64, tolerance: Option<f64>, method: Method },
    Ccd { are_edges: bool, moving: Box<MovingPrimitives>, options: CcdOptions },
    Ray { a: Placed, origin: Vec3, direction: Vec3, max_distance: f64, all: bool },
    Contains { a: Placed, points: Vec<Vec3> },
    Closest { a: Placed, point: Vec3 },
    Measure { a: Placed },
}

/// Reads a line; the `id` is found even where the rest is wrong, if the line is JSON at all.
pub(crate) fn parse(text: &[u8]) -> (Id, Result<Request, FieldError>) {
    let (id, line) = line::parse(text);
    (id, line.and_then(request_of))
}

/// The request of a line. One that is no JSON is refused with what is wrong with its fields, else with that.
fn request_of(line: Line) -> Result<Request, FieldError> {
    match (request(line.value), line.fault) {
        (Ok(_) | Err(FieldError::NotAvailable { .. }), Some(fault)) => Err(fault),
        (request, _) => request,
    }
}

fn request(value: Value) -> Result<Request, FieldError> {
    let mut fields = Fields::open("", value)?;
    fields.take("id");
    let operation = fields.required("op", "an operation", fields::word(&OPERATIONS.map(|(name, _)| name)))?;
    let known = OPERATIONS.iter().find(|(name, _)| *name == operation).map_or(&[][..], |(_, known)| known);
    fields.only(known)?;
    match operation {
        "overlap" => overlap(&mut fields),
        "pairs" => pairs(&mut fields),
        "distance" => distance(&mut fields),
        "contact" => contact(&mut fields),
        "ray" => ray(&mut fields),
        "closest" => {
            let a = placed(&mut fields, "a", "pose_a")?;
            Ok(Request::Closest { a, point: fields.required("point", "a point", fields::vector)? })
        }
        "contains" => {
            let a = placed(&mut fields, "a", "pose_a")?;
            Ok(Request::Contains { a, points: fields.required("points", "a list of points", fields::points(None))? })
        }
        "measure" => Ok(Request::Measure { a: placed(&mut fields, "a", "pose_a")? }),
        "ccd" => ccd(&mut fields),
        _ => cast(&mut fields),
    }
}

fn placed(fields: &mut Fields, name: &'static str, pose_name: &'static str) -> Result<Placed, FieldError> {
    let shape = fields.required(name, "a shape", shape)?;
    let pose = fields.optional(pose_name, pose::from_json)?.unwrap_or(Pose::IDENTITY);
    Ok(Placed { field: name, shape, pose })
}

fn both(fields: &mut Fields) -> Result<[Placed; 2], FieldError> {
    Ok([placed(fields, "a", "pose_a")?, placed(fields, "b", "pose_b")?])
}

fn overlap(fields: &mut Fields) -> Result<Request, FieldError> {
    let [a, b] = both(fields)?;
    let methods = [METHODS.as_slice(), &["separating-plane"]].concat();
    Ok(Request::Overlap { a, b, how: how(fields, &methods)? })
}

fn pairs(fields: &mut Fields) -> Result<Request, FieldError> {
    let [a, b] = both(fields)?;
    let limit = fields.optional("limit", fields::count)?;
    let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let trees = trees(fields)?;
    Ok(Request::Pairs { a, b, limit, trees })
}

fn distance(fields: &mut Fields) -> Result<Request, FieldError> {
    let [a, b] = both(fields)?;
    let max = fields.optional("max", fields::not_negative)?.unwrap_or(f64::INFINITY);
    Ok(Request::Distance { a, b, max, how: how(fields, &METHODS)? })
}

fn contact(fields: &mut Fields) -> Result<Request, FieldError> {
    let [a, b] = both(fields)?;
    let margin = fields.optional("margin", fields::not_negative)?.unwrap_or(0.0);
    let method = method(fields, &METHODS)?;
    Ok(Request::Contact { a, b, margin, method })
}

fn ray(fields: &mut Fields) -> Result<Request, FieldError> {
    let a = placed(fields, "a", "pose_a")?;
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

fn cast(fields: &mut Fields) -> Result<Request, FieldError> {
    let [a, b] = both(fields)?;
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

/// How a question is to be answered. Trees and methods beside a budget are refused: what it bounds is one walk of its own.
fn how(fields: &mut Fields, methods: &[&'static str]) -> Result<How, FieldError> {
    let how = How { method: method(fields, methods)?, trees: trees(fields)?, budget: budget(fields)? };
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
