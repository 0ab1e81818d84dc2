//! TOML as JSON, with the line of every key.
//!
//! In: the text of a scene. Out: a JSON value, whose fields `query` reads, and the line of each path, spelt as errors
//! spell it (`body[2].shape.radius`). Errors of a field are reported in the words of TOML, with its line.

use crate::describe::fields::{FieldError, OBJECT};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Tables of scenes of crowds, which `heurt run --help` does not show.
const CROWD_TABLES: [&str; 3] = ["crowd", "agents", "zones"];

/// A document and the lines of its keys.
#[derive(Debug)]
pub struct Located {
    value: Value,
    lines: BTreeMap<String, usize>,
}

/// A fault of a text, its line, and its remedy.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("line {line}: {reason}")]
pub struct LocatedFault {
    /// Number of the line, from 1.
    pub line: usize,
    /// The field, its value, and what is wrong with it.
    pub reason: String,
    /// The remedy.
    pub help: &'static str,
}

impl LocatedFault {
    /// Makes a fault with the remedy of scenes.
    pub fn new(line: usize, reason: String) -> Self {
        Self { line, reason, help: "`heurt run --help` shows a scene with every key" }
    }
}

impl Located {
    /// Reads a document.
    pub fn parse(text: &str) -> Result<Self, LocatedFault> {
        let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let line = |offset: usize| starts.partition_point(|start| *start <= offset);
        let document = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let reason = match (error.message(), text.get(span.clone())) {
                ("duplicate key", Some(key)) => FieldError::Repeated { field: key.to_owned() }.to_string(),
                (message, _) => message.replace('\n', " "),
            };
            LocatedFault::new(line(span.start), reason)
        })?;
        let mut reader = Reader { line: &line, lines: BTreeMap::new(), depth: 0 };
        let value = reader.table("", document.get_ref())?;
        Ok(Self { value, lines: reader.lines })
    }

    /// Moves the document out; the lines stay.
    pub fn take(&mut self) -> Value {
        self.value.take()
    }

    /// Reports whether a path has a value.
    pub fn has(&self, path: &str) -> bool {
        self.lines.contains_key(path)
    }

    /// Returns the fault of a field.
    pub fn fault(&self, error: &FieldError) -> LocatedFault {
        let reason = match error {
            FieldError::NotAvailable { field, .. } => format!("{field}: {error}"),
            FieldError::Wrong { expected, field, value } if expected == OBJECT => {
                format!("{field}: {value} is not a table")
            }
            _ => error.to_string(),
        };
        let fault = LocatedFault::new(self.line(error.field()), reason);
        let help = match error.field().rsplit('.').next() {
            Some("path") => {
                "paths begin from the folder that the scene is in; `heurt inspect` shows what is wrong with a mesh file"
            }
            Some("tree") => "paths begin from the folder that the scene is in; `heurt tune` writes trees",
            _ if CROWD_TABLES.iter().any(|table| error.field().starts_with(table)) => "docs/crowds.md has every key",
            _ => fault.help,
        };
        LocatedFault { help, ..fault }
    }

    /// Returns the line of a path, or of the closest path that contains it.
    pub fn line(&self, path: &str) -> usize {
        let mut path = path;
        loop {
            if let Some(line) = self.lines.get(path) {
                return *line;
            }
            match path.rfind(['.', '[']) {
                Some(end) => path = &path[..end],
                None => return 1,
            }
        }
    }
}

struct Reader<'l> {
    line: &'l dyn Fn(usize) -> usize,
    lines: BTreeMap<String, usize>,
    depth: u32,
}

/// Largest depth of nested tables and lists.
const DEEPEST: u32 = 64;

impl Reader<'_> {
    fn table(&mut self, path: &str, table: &DeTable<'_>) -> Result<Value, LocatedFault> {
        let mut map = Map::new();
        for (key, value) in table {
            let name = key.get_ref();
            let below = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            self.lines.insert(below.clone(), (self.line)(key.span().start));
            map.insert(name.to_string(), self.value(&below, value)?);
        }
        Ok(Value::Object(map))
    }

    fn value(&mut self, path: &str, value: &Spanned<DeValue<'_>>) -> Result<Value, LocatedFault> {
        let line = (self.line)(value.span().start);
        if self.depth == DEEPEST {
            return Err(LocatedFault::new(line, format!("tables and lists are nested more than {DEEPEST} deep")));
        }
        self.depth += 1;
        let read = self.deeper(path, line, value.get_ref());
        self.depth -= 1;
        read
    }

    fn deeper(&mut self, path: &str, line: usize, value: &DeValue<'_>) -> Result<Value, LocatedFault> {
        let refuse = |reason: String| LocatedFault::new(line, format!("{path}: {reason}"));
        Ok(match value {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Integer(digits) => {
                let number = i128::from_str_radix(digits.as_str(), digits.radix()).ok();
                let number = number.and_then(|n| {
                    i64::try_from(n).map(Number::from).or_else(|_| u64::try_from(n).map(Number::from)).ok()
                });
                Value::Number(number.ok_or_else(|| refuse(format!("{} is too large a number", digits.as_str())))?)
            }
            DeValue::Float(digits) => {
                let number = digits.as_str().parse().ok().and_then(Number::from_f64);
                Value::Number(number.ok_or_else(|| refuse(format!("{} is no finite number", digits.as_str())))?)
            }
            DeValue::Datetime(date) => return Err(refuse(format!("{date} is a date, which no key of a scene is"))),
            DeValue::Array(items) => {
                let mut list = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    let below = format!("{path}[{index}]");
                    self.lines.insert(below.clone(), (self.line)(item.span().start));
                    list.push(self.value(&below, item)?);
                }
                Value::Array(list)
            }
            DeValue::Table(table) => self.table(path, table)?,
        })
    }
}
