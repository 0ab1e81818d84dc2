//! Records: the scene of a run, and the hash of the state after each step, for replays.
//!
//! Layout: JSON lines. The first has the scene as text and the folder its paths begin from; each further one a step, a
//! hash, and the control objects that took effect before it.
//! Guarantees: an incomplete last line, of a run that was killed, is ignored. The changes of a library's world while it
//! steps, bodies that come and go, have another layout: `heurt_world::Recorder`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The scene of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordHeader {
    /// The version of this layout.
    heurt_record: u32,
    /// The text of the scene.
    pub scene: String,
    /// The folder that its paths begin from.
    pub folder: PathBuf,
    /// Seed of random choices.
    pub seed: u64,
}

/// The state after a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordStep {
    /// Number of the step; 0 is the state before the first one.
    pub step: u64,
    /// The hash of the state ([`hash_text`]).
    pub hash: String,
    /// The control objects that took effect before this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub control: Vec<Value>,
}

impl RecordHeader {
    /// Makes the header of a run.
    pub fn new(scene: &str, folder: &Path, seed: u64) -> Self {
        Self { heurt_record: 1, scene: scene.to_owned(), folder: folder.to_owned(), seed }
    }

    /// Formats the first line of a record, with its line end.
    ///
    /// # Errors
    /// The name of the folder is no text.
    pub fn to_line(&self) -> serde_json::Result<String> {
        record_line(self)
    }
}

impl RecordStep {
    /// Formats a further line of a record, with its line end.
    ///
    /// # Errors
    /// None in fact: control objects are JSON already. The type is the error type of the writer that it calls.
    pub fn to_line(&self) -> serde_json::Result<String> {
        record_line(self)
    }
}

fn record_line(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(value)? + "\n")
}

/// Errors of reading a record.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordTextError {
    /// The bytes are not UTF-8.
    #[error("not a record: it is no text")]
    NoText,
    /// The first line is no header.
    #[error("not a record of a run")]
    NoHeader,
    /// A line holds no step.
    #[error("line {line} is no step")]
    NoStep {
        /// Number of the line, from 1.
        line: u64,
    },
    /// A step is missing or repeated.
    #[error("line {line} is step {found} where step {due} is due")]
    OutOfOrder {
        /// Number of the line, from 1.
        line: u64,
        /// The step of the line.
        found: u64,
        /// The step that follows the line before.
        due: u64,
    },
    /// There is no step.
    #[error("a record without a state: the run ended before it began, and there is nothing to compare")]
    Empty,
}

/// Reads a record: the scene, and each step with its hash, including the state before the first step.
///
/// # Errors
/// [`RecordTextError`] with the line.
pub fn parse_record(bytes: &[u8]) -> Result<(RecordHeader, Vec<RecordStep>), RecordTextError> {
    let text = std::str::from_utf8(bytes).map_err(|_| RecordTextError::NoText)?;
    let mut lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let header = lines.next().and_then(|line| serde_json::from_str::<RecordHeader>(line).ok());
    let header = header.filter(|header| header.heurt_record == 1).ok_or(RecordTextError::NoHeader)?;
    let mut steps: Vec<RecordStep> = Vec::new();
    for (text, line) in lines.zip(2u64..) {
        let step: RecordStep = serde_json::from_str(text).map_err(|_| RecordTextError::NoStep { line })?;
        let (found, due) = (step.step, steps.len() as u64);
        if found != due {
            return Err(RecordTextError::OutOfOrder { line, found, due });
        }
        steps.push(step);
    }
    if steps.is_empty() { Err(RecordTextError::Empty) } else { Ok((header, steps)) }
}

/// Formats the hash of a state for traces, records and reports.
pub fn hash_text(hash: u64) -> String {
    format!("{hash:016x}")
}
