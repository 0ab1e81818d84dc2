//! Records: the scene of a run, and the hash of the state after each step, for replays.
//!
//! Layout: JSON lines. The first has the scene as text and the folder its paths begin from; each further one a step, a
//! hash, and the control objects that took effect before it.
//! Guarantees: every line is written before the next step begins, so that a run which is killed leaves a record that is
//! complete up to its last step; an incomplete last line is ignored. The changes of a library's world while it steps,
//! bodies that come and go, have another layout: `heurt::world::Recorder`.

use crate::{Failure, load};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The scene of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The version of this layout.
    heurt_record: u32,
    pub(super) scene: String,
    pub(super) folder: PathBuf,
    pub(super) seed: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordStep {
    step: u64,
    pub(super) hash: String,
    /// The control objects that took effect before this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) control: Vec<Value>,
}

/// Writer of a record.
pub(super) struct Recorder {
    file: File,
    path: PathBuf,
}

impl Header {
    pub(super) fn new(scene: &str, folder: &Path, seed: u64) -> Self {
        Self { heurt_record: 1, scene: scene.to_owned(), folder: folder.to_owned(), seed }
    }
}

impl Recorder {
    pub(super) fn create(path: &Path, header: &Header) -> Result<Self, Failure> {
        // A header that cannot be written as JSON leaves no file.
        let first = line(header).map_err(|source| unwritable(path, source))?;
        let written = File::create(path).and_then(|mut file| file.write_all(first.as_bytes()).map(|()| file));
        let file = written.map_err(|source| unwritable(path, source))?;
        Ok(Self { file, path: path.to_owned() })
    }

    pub(super) fn step(&mut self, step: u64, hash: &str, control: Vec<Value>) -> Result<(), Failure> {
        let step = RecordStep { step, hash: hash.to_owned(), control };
        let written = line(&step).and_then(|text| self.file.write_all(text.as_bytes()));
        written.map_err(|source| unwritable(&self.path, source))
    }
}

fn line(value: &impl Serialize) -> io::Result<String> {
    Ok(format!("{}\n", serde_json::to_string(value)?))
}

/// Reads a record: the scene, and each step with its hash, including the state before the first step.
pub(super) fn read(path: &Path) -> Result<(Header, Vec<RecordStep>), Failure> {
    let refuse = |reason: &str| Failure::BadRecord { path: path.to_owned(), reason: reason.to_owned() };
    let bytes = load::read_bytes(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| refuse("not a record: it is no text"))?;
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let header = lines.next().and_then(|line| serde_json::from_str::<Header>(line).ok());
    let header = header.filter(|header| header.heurt_record == 1).ok_or_else(|| refuse("not a record of a run"))?;
    let mut steps: Vec<RecordStep> = Vec::new();
    for (line, number) in lines.zip(2u64..) {
        let step: RecordStep = serde_json::from_str(line).map_err(|_| refuse(&format!("line {number} is no step")))?;
        if step.step != steps.len() as u64 {
            let (found, due) = (step.step, steps.len());
            return Err(refuse(&format!("line {number} is step {found} where step {due} is due")));
        }
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(refuse("a record without a state: the run ended before it began, and there is nothing to compare"));
    }
    Ok((header, steps))
}

/// Formats a hash for output.
pub(super) fn shown(hash: u64) -> String {
    format!("{hash:016x}")
}

pub(super) fn unwritable(path: &Path, source: io::Error) -> Failure {
    Failure::Unwritable { path: path.to_owned(), source: source.into() }
}
