//! Reader of contact problems: JSON to checked numbers, field by field.
//!
//! In: bytes. Out: a problem that passes its check, or the key at fault with its value and what is expected.
//! Cost: linear; memory bounded by the bytes.

use crate::describe::fields::{self, FieldError, Fields, shown};
use crate::describe::parse_json;
use heurt_geometry::{Mat3, Vec3};
use heurt_rigid::{ConstraintRow, ContactProblem, Level, PointContact, ProblemError, RigidBody, StatedProblem};
use serde_json::Value;
use thiserror::Error;

/// Errors of reading a contact problem.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemTextError {
    /// The text is no JSON: it is cut, or another file.
    #[error("no JSON: {cause}")]
    NoJson {
        /// The report of the reader of JSON, with line and column.
        cause: String,
    },
    /// A field is missing, unknown, or of the wrong kind.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// The numbers are not a contact problem.
    #[error("{key}: {source}")]
    Unfit {
        /// Path of the field at fault.
        key: String,
        /// The reason.
        source: ProblemError,
    },
}

impl ProblemTextError {
    /// Returns the path of the field at fault; empty if the text is no JSON.
    pub fn key(&self) -> &str {
        match self {
            Self::NoJson { .. } => "",
            Self::Field(error) => error.field(),
            Self::Unfit { key, .. } => key,
        }
    }
}

/// Reads a contact problem from JSON.
///
/// ```
/// use heurt_rigid::{ImpulseLcp, SolveOptions};
/// let text = r#"{"level": "impact",
///     "bodies": [{"inverse_mass": 0}, {"inverse_mass": 1, "velocity": [0, 0, -2]}],
///     "contacts": [{"bodies": [0, 1], "normal": [0, 0, 1], "restitution": 0.5}]}"#;
/// let stated = heurt_scene::parse_problem(text.as_bytes())?;
/// let solved = stated.solve(&ImpulseLcp::default(), &SolveOptions::default())?;
/// assert!((solved.bodies[1].velocity.z - 1.0).abs() < 1e-15);
/// let wrong = text.replace("[0, 1]", "[0, 7]");
/// assert_eq!(heurt_scene::parse_problem(wrong.as_bytes()).unwrap_err().key(), "contacts[0].bodies");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ProblemTextError`] with the key.
pub fn parse_problem(bytes: &[u8]) -> Result<StatedProblem, ProblemTextError> {
    let no_json = |error: serde_json::Error| ProblemTextError::NoJson { cause: error.to_string() };
    let (value, repeated) = parse_json(bytes).map_err(no_json)?;
    if let Some(field) = repeated {
        return Err(FieldError::Repeated { field }.into());
    }
    let stated = read_stated(value)?;
    stated.problem.check().map_err(|source| ProblemTextError::Unfit { key: key_of(&source), source })?;
    Ok(stated)
}

fn read_stated(value: Value) -> Result<StatedProblem, FieldError> {
    if !value.is_object() {
        return Err(FieldError::wrong("problem", &value, "a JSON object with level, bodies, contacts and rows"));
    }
    let mut root = Fields::open("", value)?;
    root.only(&[&["level", "dt", "names", "bodies", "contacts", "rows"]])?;
    let name = root.required("level", "one of impact, force, step", fields::word(&["impact", "force", "step"]))?;
    let dt = root.optional("dt", fields::positive)?;
    let level = match (name, dt) {
        ("step", Some(dt)) => Level::Step { dt },
        ("step", None) => {
            let expected = "the length of the step in seconds".to_owned();
            return Err(FieldError::Missing { field: "dt".to_owned(), expected });
        }
        (_, Some(dt)) => {
            let cause = format!("level \"{name}\" has no length: leave it out, or set level to \"step\"");
            return Err(FieldError::refused("dt", dt.to_string(), cause));
        }
        ("impact", None) => Level::Impact,
        _ => Level::Force,
    };
    let bodies = root.required("bodies", "a list of bodies", |path, value| fields::list(path, value, read_body))?;
    let names = root.optional("names", |path, value| {
        let names = fields::list(path, value, fields::text)?;
        let is_whole = names.is_empty() || names.len() == bodies.len();
        let cause = || format!("there are {} bodies: give one name for each, or none", bodies.len());
        if is_whole { Ok(names) } else { Err(FieldError::refused(path, format!("{} names", names.len()), cause())) }
    })?;
    let contacts = root.optional("contacts", |path, value| fields::list(path, value, read_contact))?;
    let rows = root.optional("rows", |path, value| fields::list(path, value, read_row))?;
    let problem = ContactProblem { bodies, contacts: contacts.unwrap_or_default(), rows: rows.unwrap_or_default() };
    Ok(StatedProblem { level, names: names.unwrap_or_default(), problem })
}

/// Opens an object in which no field is `null`: writers of JSON put it for a number that is not finite.
fn open_without_nulls(path: &str, value: Value) -> Result<Fields, FieldError> {
    let null = value.as_object().and_then(|fields| fields.iter().find(|(_, value)| value.is_null()));
    match null {
        Some((name, null)) => Err(FieldError::wrong(&format!("{path}.{name}"), null, "a finite number")),
        None => Fields::open(path, value),
    }
}

fn read_body(path: &str, value: Value) -> Result<RigidBody, FieldError> {
    let mut body = open_without_nulls(path, value)?;
    body.only(&[&[
        "inverse_mass",
        "inverse_inertia",
        "velocity",
        "angular_velocity",
        "acceleration",
        "angular_acceleration",
    ]])?;
    let inertia = body.optional("inverse_inertia", fields::numbers::<9>)?;
    let mut vector = |name| body.optional(name, fields::vector).map(Option::unwrap_or_default);
    Ok(RigidBody {
        velocity: vector("velocity")?,
        angular_velocity: vector("angular_velocity")?,
        acceleration: vector("acceleration")?,
        angular_acceleration: vector("angular_acceleration")?,
        inverse_inertia: inertia.map_or(Mat3::ZERO, |numbers| Mat3::from_cols_array(&numbers)),
        inverse_mass: body.required("inverse_mass", "1/kg, 0 for a fixed body", fields::not_negative)?,
    })
}

fn read_contact(path: &str, value: Value) -> Result<PointContact, FieldError> {
    let mut contact = open_without_nulls(path, value)?;
    contact.only(&[&["bodies", "normal", "arms", "gap", "normal_rate", "restitution", "friction"]])?;
    Ok(PointContact {
        bodies: contact.required("bodies", "the numbers of two bodies", read_pair)?,
        normal: contact.required("normal", "a unit vector from the first body to the second one", fields::vector)?,
        arms: contact.optional("arms", read_vectors)?.unwrap_or_default(),
        gap: contact.optional("gap", fields::number)?.unwrap_or(0.0),
        normal_rate: contact.optional("normal_rate", fields::vector)?.unwrap_or_default(),
        restitution: contact.optional("restitution", fields::number)?.unwrap_or(0.0),
        friction: contact.optional("friction", fields::not_negative)?.unwrap_or(0.0),
    })
}

fn read_row(path: &str, value: Value) -> Result<ConstraintRow, FieldError> {
    let mut row = open_without_nulls(path, value)?;
    row.only(&[&["bodies", "linear", "angular", "target", "bounds", "error", "compliance"]])?;
    Ok(ConstraintRow {
        bodies: row.required("bodies", "the numbers of two bodies", read_pair)?,
        linear: row.optional("linear", fields::vector)?.unwrap_or_default(),
        angular: row.optional("angular", read_vectors)?.unwrap_or_default(),
        target: row.optional("target", fields::number)?.unwrap_or(0.0),
        bounds: row.optional("bounds", read_bounds)?.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]),
        error: row.optional("error", fields::number)?.unwrap_or(0.0),
        compliance: row.optional("compliance", fields::not_negative)?.unwrap_or(0.0),
    })
}

/// Reads the numbers of two bodies.
fn read_pair(path: &str, value: Value) -> Result<[u32; 2], FieldError> {
    let index = |item: &Value| item.as_u64().and_then(|index| u32::try_from(index).ok());
    match value.as_array().map(|items| (items.len(), items.iter().filter_map(index).collect::<Vec<u32>>())) {
        Some((2, pair)) if pair.len() == 2 => Ok([pair[0], pair[1]]),
        _ => Err(FieldError::wrong(path, &value, "a list of the numbers of two bodies, from 0")),
    }
}

/// Reads a vector for each of two bodies.
fn read_vectors(path: &str, value: Value) -> Result<[Vec3; 2], FieldError> {
    let given = shown(&value);
    let vectors = fields::list(path, value, fields::vector)?;
    let expected = "a list of two vectors".to_owned();
    vectors.try_into().map_err(|_| FieldError::Wrong { field: path.to_owned(), value: given, expected })
}

/// Reads two bounds, `null` for an infinite one.
fn read_bounds(path: &str, value: Value) -> Result<[f64; 2], FieldError> {
    let Some([low, high]) = value.as_array().and_then(|items| <&[Value; 2]>::try_from(&items[..]).ok()) else {
        return Err(FieldError::wrong(path, &value, "a list of two numbers, or null for an infinite one"));
    };
    let bound = |number: &Value, side: usize, infinite: f64| match number {
        Value::Null => Ok(infinite),
        number => fields::number(&format!("{path}[{side}]"), number.clone()),
    };
    Ok([bound(low, 0, f64::NEG_INFINITY)?, bound(high, 1, f64::INFINITY)?])
}

/// Returns the path of the field that a check refuses.
fn key_of(error: &ProblemError) -> String {
    let of = |list: &str, index: usize, field: &str| format!("{list}[{index}].{}", field.replace(' ', "_"));
    match error {
        ProblemError::NoSuchBody { what, index, .. } | ProblemError::SameBody { what, index, .. } => {
            of(&format!("{what}s"), *index, "bodies")
        }
        ProblemError::NotFinite { what, index, field } => {
            let list = if *what == "body" { "bodies".to_owned() } else { format!("{what}s") };
            of(&list, *index, field)
        }
        ProblemError::NegativeMass { index, .. } => of("bodies", *index, "inverse_mass"),
        ProblemError::BadInertia { index } => of("bodies", *index, "inverse_inertia"),
        ProblemError::NormalNotUnit { index, .. } => of("contacts", *index, "normal"),
        ProblemError::BadRestitution { index, .. } => of("contacts", *index, "restitution"),
        ProblemError::NegativeFriction { index, .. } => of("contacts", *index, "friction"),
        ProblemError::CrossedBounds { index, .. } => of("rows", *index, "bounds"),
        ProblemError::BadTimeStep { .. } => "dt".to_owned(),
        _ => "problem".to_owned(),
    }
}
