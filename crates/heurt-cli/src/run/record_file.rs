//! The file of a record: every line is written before the next step begins, so that a run which is killed leaves a
//! record that is complete up to its last step.

use crate::{Failure, load};
use heurt::scene::{RecordHeader, RecordStep, parse_record};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writer of a record.
pub(super) struct Recorder {
    file: File,
    path: PathBuf,
}

impl Recorder {
    pub(super) fn create(path: &Path, header: &RecordHeader) -> Result<Self, Failure> {
        // A header that cannot be written as JSON leaves no file.
        let first = header.to_line().map_err(|source| unwritable(path, source.into()))?;
        let written = File::create(path).and_then(|mut file| file.write_all(first.as_bytes()).map(|()| file));
        let file = written.map_err(|source| unwritable(path, source))?;
        Ok(Self { file, path: path.to_owned() })
    }

    pub(super) fn step(&mut self, step: u64, hash: &str, control: Vec<Value>) -> Result<(), Failure> {
        let step = RecordStep { step, hash: hash.to_owned(), control };
        let written = step.to_line().map_err(io::Error::from).and_then(|text| self.file.write_all(text.as_bytes()));
        written.map_err(|source| unwritable(&self.path, source))
    }
}

/// Reads a record: the scene, and each step with its hash, including the state before the first step.
pub(super) fn read(path: &Path) -> Result<(RecordHeader, Vec<RecordStep>), Failure> {
    parse_record(&load::read_bytes(path)?).map_err(|reason| Failure::BadRecord { path: path.to_owned(), reason })
}

pub(super) fn unwritable(path: &Path, source: io::Error) -> Failure {
    Failure::Unwritable { path: path.to_owned(), source: source.into() }
}
