//! Input notes of a report beyond the results: the file, its unit, and the contents that the reader skipped.

use crate::check::write_list;
use crate::output::{Output, printable};
use crate::units::Units;
use heurt::io::Model;
use heurt::scene::FileNote;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Number of notes that a table prints; `--json` has all.
const MAX_SHOWN: usize = 8;

/// The input of a command that reads one file.
pub(crate) struct Input {
    pub(crate) file: PathBuf,
    pub(crate) units: Units,
    pub(crate) warnings: Vec<FileNote>,
}

impl Input {
    /// Describes a file that was read as a model.
    pub(crate) fn of(file: &Path, model: &Model) -> Self {
        let warnings = model.warnings.iter().map(|warning| FileNote::of_reader(file, warning)).collect();
        Self { file: file.to_owned(), units: Units(model.unit), warnings }
    }

    /// Returns the path of the file as text.
    pub(crate) fn name(&self) -> String {
        self.file.to_string_lossy().into_owned()
    }

    /// Prints the notes, a line each.
    pub(crate) fn print_notes(&self, out: &mut Output) -> io::Result<()> {
        for warning in self.warnings.iter().take(MAX_SHOWN) {
            writeln!(out, "note: {}", printable(&warning.line()))?;
        }
        match self.warnings.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            left => writeln!(out, "… and {left} more notes: --json lists them"),
        }
    }

    /// Writes the member `warnings` of a JSON document.
    pub(crate) fn write_warnings(&self, out: &mut impl Write) -> io::Result<()> {
        write_list("warnings", self.warnings.iter(), out)
    }
}

/// Formats a number with six significant digits.
pub(crate) fn six_digits(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&magnitude) {
        let digits = (5.0 - magnitude.log10().floor()).clamp(0.0, 9.0) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.5e}")
    }
}

/// Formats a number with six significant digits, without zeros at the end of a fraction.
pub(crate) fn six_short_digits(value: f64) -> String {
    let text = six_digits(value);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
