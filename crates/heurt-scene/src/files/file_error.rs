//! Errors of files that a text names.

use super::TreeTextError;
use heurt_io::{ForeignFormat, ReadError};
use std::error::Error;
use std::io;
use std::path::PathBuf;

/// Errors of reading a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The path as it was given.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Neither name nor first bytes are those of a format.
    #[error("{}: not a mesh file that heurt knows", path.display())]
    UnknownFormat {
        /// The path as it was given.
        path: PathBuf,
    },
    /// The file is of a format that is not read.
    #[error("{}: heurt does not read {format} files", path.display())]
    ForeignFormat {
        /// The path as it was given.
        path: PathBuf,
        /// The format, which knows how its files become meshes.
        format: ForeignFormat,
    },
    /// The reader of its format refuses the file.
    #[error("{} cannot be used", path.display())]
    Unusable {
        /// The path as it was given.
        path: PathBuf,
        /// The fault and its place.
        source: ReadError,
    },
    /// The file chooses no tree.
    #[error("{}: not a tree file: {reason}", path.display())]
    NoTree {
        /// The path as it was given.
        path: PathBuf,
        /// The fault.
        reason: TreeTextError,
    },
}

/// Returns the message of an error and of its causes on one line.
pub fn line_of(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        line = format!("{line}: {inner}");
        cause = inner.source();
    }
    line
}
