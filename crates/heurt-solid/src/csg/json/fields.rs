//! Fields of JSON objects, and the errors of texts of trees.
//!
//! In: a JSON value and its path (`union[2].of`). Out: checked numbers, vectors and lists.
//! Guarantees: an error names the field and its value, shortened.

use heurt_geometry::Vec3;
use serde_json::{Map, Value};
use std::fmt::Display;
use thiserror::Error;

/// Errors of texts of trees.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CsgTextError {
    /// The text does not follow the grammar.
    #[error("line {line}, column {column}: {cause}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The reason, with the remedy.
        cause: String,
    },
    /// A field with a wrong value.
    #[error("{field}: {value} is not {expected}")]
    Wrong {
        /// The path of the field; `tree` for the root.
        field: String,
        /// The value, shortened.
        value: String,
        /// The values that are allowed.
        expected: String,
    },
    /// A field that is missing.
    #[error("{field}: missing, give {expected}")]
    Missing {
        /// The path of the field.
        field: String,
        /// The values that are allowed.
        expected: String,
    },
    /// A field that the object does not have.
    #[error("{field}: unknown field: leave it out, or use one of {known}")]
    Unknown {
        /// The path of the field.
        field: String,
        /// The known fields.
        known: String,
    },
    /// Numbers that make no shape or map.
    #[error("{field}: {value} cannot be used: {cause}")]
    Refused {
        /// The path of the field.
        field: String,
        /// The value, shortened.
        value: String,
        /// The reason.
        cause: String,
    },
    /// A tree or shape that the format cannot hold.
    #[error("the tree cannot be written: {cause}")]
    NotWritable {
        /// The reason, with the remedy.
        cause: String,
    },
}

fn shown(value: &Value) -> String {
    const SHOWN: usize = 60;
    // A long list is not written out only to be cut.
    let text = match value {
        Value::Array(items) if items.len() > 8 => format!("a list of {} items", items.len()),
        Value::Object(_) => "the object".to_owned(),
        _ => value.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn named(path: &str) -> String {
    if path.is_empty() { "tree".to_owned() } else { path.to_owned() }
}

impl CsgTextError {
    pub(super) fn wrong(path: &str, value: &Value, expected: impl Into<String>) -> Self {
        Self::Wrong { field: named(path), value: shown(value), expected: expected.into() }
    }

    pub(super) fn refused(path: &str, value: &Value, cause: impl Display) -> Self {
        Self::Refused { field: named(path), value: shown(value), cause: cause.to_string() }
    }
}

/// An object with the path of its fields.
pub(super) struct Object<'a> {
    path: &'a str,
    fields: &'a Map<String, Value>,
}

impl<'a> Object<'a> {
    pub(super) fn open(path: &'a str, value: &'a Value) -> Result<Self, CsgTextError> {
        match value {
            Value::Object(fields) => Ok(Self { path, fields }),
            _ => Err(CsgTextError::wrong(path, value, "an object, \"empty\" or \"everything\"")),
        }
    }

    /// Returns the path of the object; empty for the root.
    pub(super) fn own_path(&self) -> &'a str {
        self.path
    }

    /// Returns the path of field `name`.
    pub(super) fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// Returns a field; `null` counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn required(&self, name: &str, expected: &str) -> Result<&'a Value, CsgTextError> {
        let missing = || CsgTextError::Missing { field: self.path(name), expected: expected.to_owned() };
        self.get(name).ok_or_else(missing)
    }

    pub(super) fn text(&self, name: &str, expected: &str) -> Result<&'a str, CsgTextError> {
        let value = self.required(name, expected)?;
        value.as_str().ok_or_else(|| CsgTextError::wrong(&self.path(name), value, expected))
    }

    pub(super) fn number(&self, name: &str, expected: &str) -> Result<f64, CsgTextError> {
        let value = self.required(name, expected)?;
        value.as_f64().ok_or_else(|| CsgTextError::wrong(&self.path(name), value, expected))
    }

    /// Refuses fields that are not known.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), CsgTextError> {
        match self.fields.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(CsgTextError::Unknown { field: self.path(name), known: known.join(", ") }),
            None => Ok(()),
        }
    }
}

pub(super) fn list<T>(
    path: &str,
    value: &Value,
    read: impl Fn(&str, &Value) -> Result<T, CsgTextError>,
) -> Result<Vec<T>, CsgTextError> {
    let items = value.as_array().ok_or_else(|| CsgTextError::wrong(path, value, "a list"))?;
    items.iter().enumerate().map(|(index, item)| read(&format!("{path}[{index}]"), item)).collect()
}

pub(super) fn numbers<const N: usize>(path: &str, value: &Value) -> Result<[f64; N], CsgTextError> {
    let items = value.as_array().filter(|items| items.len() == N);
    let numbers: Option<Vec<f64>> = items.and_then(|items| items.iter().map(Value::as_f64).collect());
    let numbers = numbers.and_then(|numbers| <[f64; N]>::try_from(numbers).ok());
    numbers.ok_or_else(|| CsgTextError::wrong(path, value, format!("a list of {N} numbers")))
}

pub(super) fn vector(path: &str, value: &Value) -> Result<Vec3, CsgTextError> {
    numbers::<3>(path, value).map(Vec3::from_array)
}
