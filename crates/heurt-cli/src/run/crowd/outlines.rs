//! Outlines of agents as CSV: a row for each corner and step.

use crate::Failure;
use heurt::io::WriteError;
use heurt::scene::OUTLINE_HEADER;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file of outlines that is written step by step.
pub(super) struct OutlineFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl OutlineFile {
    /// Creates the file with its header.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let failed = |source: io::Error| Failure::Unwritable { path: path.to_owned(), source: source.into() };
        let mut file = BufWriter::new(File::create(path).map_err(failed)?);
        writeln!(file, "{OUTLINE_HEADER}").map_err(failed)?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes the rows of a state.
    pub(super) fn push(&mut self, rows: &str) -> Result<(), Failure> {
        let written = self.file.write_all(rows.as_bytes());
        written.map_err(|source| self.failure(source))
    }

    /// Writes what is left.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.file.flush().map_err(|source| self.failure(source))
    }

    fn failure(&self, source: io::Error) -> Failure {
        Failure::Unwritable { path: self.path.clone(), source: WriteError::from(source) }
    }
}
