//! Warnings of skipped or repaired parts of an input, for the table, standard error and JSON.

use crate::output::printable;
use heurt::io;
use serde::Serialize;
use std::path::Path;

/// A warning for the user on an input that was used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Warning {
    /// The file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    /// The part of the file; absent if it concerns all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<String>,
    /// A word for programs: `skipped`, `welded`, `turned`, `open`, `units`, `folder`.
    pub(crate) kind: &'static str,
    /// The number of things concerned.
    pub(crate) count: u64,
    /// The first place in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    /// One sentence.
    pub(crate) message: String,
}

impl Warning {
    /// Makes a warning of a kind for a file.
    pub(crate) fn about(file: &Path, kind: &'static str, count: u64, message: String) -> Self {
        let file = Some(file.to_string_lossy().into_owned());
        Self { file, part: None, kind, count, place: None, message }
    }

    /// Makes the warning of contents that a reader skipped.
    pub(crate) fn of_reader(file: &Path, warning: &io::Warning) -> Self {
        let place = Some(warning.place.to_string());
        Self { place, ..Self::about(file, "skipped", warning.count, warning.to_string()) }
    }

    /// Restricts the warning to one part of the file.
    pub(crate) fn in_part(self, part: &str) -> Self {
        Self { part: Some(part.to_owned()), ..self }
    }

    /// Prints the line to standard error, for commands whose standard output has no room for notes.
    pub(crate) fn print(&self) {
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), "note: {}", printable(&self.line()));
    }

    /// Formats the warning as one line for people.
    pub(crate) fn line(&self) -> String {
        match (&self.part, &self.file) {
            (Some(part), _) => format!("{part}: {}", self.message),
            (None, Some(file)) if !file.is_empty() => format!("{file}: {}", self.message),
            _ => self.message.clone(),
        }
    }
}
