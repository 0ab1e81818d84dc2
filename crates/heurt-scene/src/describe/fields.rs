//! Field reader of JSON objects: takes fields one by one, so that every error gives the field and the value.
//!
//! In: a JSON value and its path (`a.parts[2].pose`). Out: checked numbers, vectors, words; unknown fields are errors.
//! Absent and `null` mean the same. Numbers are finite `f64`, read with one rounding.

use heurt_geometry::Vec3;
use serde_json::{Map, Value};
use thiserror::Error;

/// The longest line that is read: 64 MiB, a mesh of a million triangles written out. Files are for larger ones.
pub const LONGEST_LINE: usize = 1 << 26;

/// Errors of a field of JSON or TOML. Fields are paths, as `a.parts[2].pose`; values are shortened to fit a message.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// The value is not of the kind that the field has.
    #[error("{field}: {value} is not {expected}")]
    Wrong {
        /// Path of the field.
        field: String,
        /// The value as it was given.
        value: String,
        /// The contents that the field has, in words.
        expected: String,
    },
    /// A field that is needed is absent.
    #[error("{field}: missing, give {expected}")]
    Missing {
        /// Path of the field.
        field: String,
        /// The contents that the field has, in words.
        expected: String,
    },
    /// The object has no field of this name.
    #[error("{field}: unknown field (its value is {value}): leave it out, or use one of {known}")]
    Unknown {
        /// Path of the field.
        field: String,
        /// The value as it was given.
        value: String,
        /// The fields that the object may have.
        known: String,
    },
    /// An object gives the field twice.
    #[error("{field}: given more than once: leave all but one out")]
    Repeated {
        /// Path of the field.
        field: String,
    },
    /// The value is of the right kind, but cannot be used.
    #[error("{field}{} cannot be used: {cause}", after_field(value))]
    Refused {
        /// Path of the field.
        field: String,
        /// The value as it was given; `given` if it is too long to repeat.
        value: String,
        /// Cause and remedy.
        cause: String,
    },
    /// The text is no JSON.
    #[error("the line is no JSON: {cause}; it reads {value}")]
    NoJson {
        /// The beginning of the text.
        value: String,
        /// The report of the reader of JSON.
        cause: String,
    },
    /// The line is longer than [`LONGEST_LINE`].
    #[error("the line has more than {} MiB: put the mesh into a file and name that as `path`", LONGEST_LINE >> 20)]
    TooLong,
    /// The request is valid, but this version cannot answer it.
    #[error("not available: {what}")]
    NotAvailable {
        /// Path of the field.
        field: String,
        /// The missing operation, in words.
        what: String,
    },
}

/// Formats a value after the name of its field; empty if the value is too long to repeat and is "given".
fn after_field(value: &str) -> String {
    if value == "given" { String::new() } else { format!(": {value}") }
}

impl FieldError {
    /// Returns the field at fault; empty if there is none.
    pub fn field(&self) -> &str {
        match self {
            Self::Wrong { field, .. }
            | Self::Missing { field, .. }
            | Self::Unknown { field, .. }
            | Self::Repeated { field }
            | Self::Refused { field, .. }
            | Self::NotAvailable { field, .. } => field,
            Self::NoJson { .. } | Self::TooLong => "",
        }
    }

    /// Makes the error of a value of the wrong kind.
    pub fn wrong(field: &str, value: &Value, expected: impl Into<String>) -> Self {
        Self::Wrong { field: field.to_owned(), value: shown(value), expected: expected.into() }
    }

    /// Makes the error of a value that cannot be used.
    pub fn refused(field: &str, value: impl Into<String>, cause: impl ToString) -> Self {
        // Fields of the root have no path before their name.
        let field = field.strip_prefix('.').unwrap_or(field);
        Self::Refused { field: field.to_owned(), value: value.into(), cause: cause.to_string() }
    }

    /// Makes the error of what this version cannot answer.
    pub fn not_available(field: &str, what: impl Into<String>) -> Self {
        Self::NotAvailable { field: field.to_owned(), what: what.into() }
    }
}

/// The JSON name of a value with fields.
pub const OBJECT: &str = "a JSON object";

/// Formats a value as JSON, shortened to fit a message.
pub fn shown(value: &Value) -> String {
    // A huge list is not written out only to be cut.
    match value {
        Value::Array(items) if items.len() > 8 => {
            format!("[{}, … {} items]", items[..2].iter().map(shown).collect::<Vec<_>>().join(", "), items.len())
        }
        _ => shortened(&value.to_string()),
    }
}

/// Returns at most 60 characters of a text.
pub fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The fields of an object that have not been taken yet.
pub struct Fields {
    path: String,
    left: Map<String, Value>,
}

impl Fields {
    /// Opens the object at `path` (empty for the request itself).
    pub fn open(path: &str, value: Value) -> Result<Self, FieldError> {
        match value {
            Value::Object(left) => Ok(Self { path: path.to_owned(), left }),
            other => {
                let field = if path.is_empty() { "request" } else { path };
                Err(FieldError::wrong(field, &other, OBJECT))
            }
        }
    }

    /// Returns the path of field `name`.
    pub fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Takes a field out; `null` counts as absent.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.left.remove(name).filter(|value| !value.is_null())
    }

    /// Takes a field out and reads it.
    pub fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str, Value) -> Result<T, FieldError>,
    ) -> Result<Option<T>, FieldError> {
        let path = self.path(name);
        self.take(name).map(|value| read(&path, value)).transpose()
    }

    /// Takes a field out and reads it; its absence is an error.
    pub fn required<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&str, Value) -> Result<T, FieldError>,
    ) -> Result<T, FieldError> {
        let field = self.path(name);
        self.optional(name, read)?.ok_or_else(|| FieldError::Missing { field, expected: expected.to_owned() })
    }

    /// Returns the fields that have not been taken.
    pub fn rest(self) -> Value {
        Value::Object(self.left)
    }

    /// Refuses fields that are left and not among `known`: first of all, as a misspelt field also looks like a missing
    /// one.
    pub fn only(&self, known: &[&[&str]]) -> Result<(), FieldError> {
        let is_known = |name: &str| known.iter().any(|group| group.contains(&name));
        match self.left.iter().find(|(name, _)| !is_known(name)) {
            None => Ok(()),
            Some((name, value)) => {
                let known = known.concat().join(", ");
                Err(FieldError::Unknown { field: self.path(name), value: shown(value), known })
            }
        }
    }
}

/// Reads a finite number.
pub fn number(path: &str, value: Value) -> Result<f64, FieldError> {
    finite(path, &value)
}

fn finite(path: &str, value: &Value) -> Result<f64, FieldError> {
    value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| FieldError::wrong(path, value, "a finite number"))
}

/// Reads a finite number above zero.
pub fn positive(path: &str, value: Value) -> Result<f64, FieldError> {
    match finite(path, &value)? {
        number if number > 0.0 => Ok(number),
        _ => Err(FieldError::wrong(path, &value, "a number above 0")),
    }
}

/// Reads a finite number of at least zero.
pub fn not_negative(path: &str, value: Value) -> Result<f64, FieldError> {
    match finite(path, &value)? {
        number if number >= 0.0 => Ok(number),
        _ => Err(FieldError::wrong(path, &value, "a number of at least 0")),
    }
}

/// Reads a whole number of at least zero.
pub fn count(path: &str, value: Value) -> Result<u64, FieldError> {
    value.as_u64().ok_or_else(|| FieldError::wrong(path, &value, "a whole number of at least 0"))
}

/// Reads `true` or `false`.
pub fn boolean(path: &str, value: Value) -> Result<bool, FieldError> {
    value.as_bool().ok_or_else(|| FieldError::wrong(path, &value, "true or false"))
}

/// Reads a text.
pub fn text(path: &str, value: Value) -> Result<String, FieldError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(FieldError::wrong(path, &other, "a text")),
    }
}

/// Reads one of some words.
pub fn word<'w>(words: &'w [&'static str]) -> impl FnOnce(&str, Value) -> Result<&'static str, FieldError> + 'w {
    move |path, value| {
        let found = words.iter().find(|word| value.as_str() == Some(**word));
        found.copied().ok_or_else(|| FieldError::wrong(path, &value, format!("one of {}", words.join(", "))))
    }
}

/// Reads a list of any length, its items with their paths.
pub fn list<T>(
    path: &str,
    value: Value,
    read: impl Fn(&str, Value) -> Result<T, FieldError>,
) -> Result<Vec<T>, FieldError> {
    match value {
        Value::Array(items) => {
            items.into_iter().enumerate().map(|(index, item)| read(&format!("{path}[{index}]"), item)).collect()
        }
        other => Err(FieldError::wrong(path, &other, "a list")),
    }
}

/// Reads a list of exactly `N` finite numbers.
pub fn numbers<const N: usize>(path: &str, value: Value) -> Result<[f64; N], FieldError> {
    let Some(items) = value.as_array().filter(|items| items.len() == N) else {
        return Err(FieldError::wrong(path, &value, format!("a list of {N} numbers")));
    };
    let mut numbers = [0.0; N];
    for (index, (number, item)) in numbers.iter_mut().zip(items).enumerate() {
        // The path of a number is built only if it is needed: there can be millions.
        *number = match item.as_f64().filter(|number| number.is_finite()) {
            Some(number) => number,
            None => finite(&format!("{path}[{index}]"), item)?,
        };
    }
    Ok(numbers)
}

/// Reads a vector or point.
pub fn vector(path: &str, value: Value) -> Result<Vec3, FieldError> {
    numbers::<3>(path, value).map(Vec3::from_array)
}

/// Reads three numbers above zero.
pub fn positive_vector(path: &str, value: Value) -> Result<[f64; 3], FieldError> {
    let numbers = numbers::<3>(path, value.clone())?;
    if numbers.iter().all(|&number| number > 0.0) {
        return Ok(numbers);
    }
    Err(FieldError::wrong(path, &value, "a list of 3 numbers above 0"))
}

/// Reads points: `count` of them if that is given, else at least one.
pub fn points(count: Option<usize>) -> impl FnOnce(&str, Value) -> Result<Vec<Vec3>, FieldError> {
    move |path, value| {
        let expected = match count {
            Some(count) => format!("a list of {count} points"),
            None => "a list of at least one point".to_owned(),
        };
        match value.as_array().map(Vec::len) {
            Some(found) if count.map_or(found > 0, |count| found == count) => list(path, value, vector),
            _ => Err(FieldError::wrong(path, &value, expected)),
        }
    }
}
