//! Notes on files that were read: contents that were skipped, meshes that were repaired.

use heurt_io::{Treatment, Warning};
use serde::Serialize;
use std::path::Path;

/// A note for people on a file that was used, or on one of its parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileNote {
    /// The file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The part of the file; absent if it concerns all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// A word for programs: `skipped`, `welded`, `turned`, `open`, `units`, `folder`, `corners`,
    /// `axes`.
    pub kind: &'static str,
    /// The number of things concerned.
    pub count: u64,
    /// The first place in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// One sentence.
    pub message: String,
}

impl FileNote {
    /// Makes a note of a kind on a file.
    pub fn about(file: &Path, kind: &'static str, count: u64, message: String) -> Self {
        let file = Some(file.to_string_lossy().into_owned());
        Self { file, part: None, kind, count, place: None, message }
    }

    /// Makes the note on contents that a reader skipped.
    pub fn of_reader(file: &Path, warning: &Warning) -> Self {
        let place = Some(warning.place.to_string());
        let (kind, message) = match warning.treatment {
            Treatment::ReadByCorners => ("corners", warning.to_string()),
            Treatment::UnitIgnored => {
                let remedy = "`--file-unit`, or `unit` in an assembly file, reads its coordinates in another unit";
                ("units", format!("{warning}; {remedy}"))
            }
            _ => ("skipped", warning.to_string()),
        };
        Self { place, ..Self::about(file, kind, warning.count, message) }
    }

    /// Restricts the note to one part of the file.
    pub fn in_part(self, part: &str) -> Self {
        Self { part: Some(part.to_owned()), ..self }
    }

    /// Formats the note as one line for people.
    pub fn line(&self) -> String {
        match (&self.part, &self.file) {
            (Some(part), _) => format!("{part}: {}", self.message),
            (None, Some(file)) if !file.is_empty() => format!("{file}: {}", self.message),
            _ => self.message.clone(),
        }
    }
}
