//! Files that scenes and requests name: read through [`SceneFiles`], with notes on what was skipped or changed.
//!
//! In: paths. Out: models, prepared meshes, choices of trees; a failure names the file and the place in it.
//! Files are opened in `disk` only: another front end gives its own [`SceneFiles`], from memory or over a network.

mod disk;
mod file_error;
mod map_file;
mod mesh_file;
mod name_index;
mod name_pattern;
mod note;
mod prepare;
mod tree_choice;

pub use disk::{DiskFiles, open, read_up_to, require_file};
pub use file_error::{FileError, line_of};
pub use map_file::{MapFile, MapFileError, parse_map, read_map};
pub use mesh_file::{Buffers, ReadSettings, foreign_format_of, format_of, parse_file, read_model};
pub use name_index::{NameFault, NameIndex};
pub use name_pattern::NamePattern;
pub use note::FileNote;
pub use prepare::{Preparation, PrepareError, prepare};
pub use tree_choice::{LONGEST_TREE, TreeTextError, parse_tree, read_tree, tree_text};

use std::io;
use std::path::{Path, PathBuf};

/// The files that scenes and requests name: those of a disk ([`DiskFiles`]), or of another front end.
///
/// ```
/// use heurt_scene::{QuerySession, SceneFiles};
/// use std::{io, path::Path};
///
/// struct OneTriangle;
/// impl SceneFiles for OneTriangle {
///     fn read(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
///         Ok(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec())
///     }
/// }
/// let mut session = QuerySession::new(OneTriangle, 1, None)?;
/// let answer = session.answer(r#"{"id": 1, "op": "measure", "a": {"type": "mesh", "path": "any.obj"}}"#);
/// assert!(answer.contains(r#""area":0.5"#), "{answer}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SceneFiles: Send + Sync {
    /// Reads a file: all of its bytes, or the first `most` of them.
    ///
    /// # Errors
    /// Those of the files: a text of a request may name anything. A pipe, on which a reader could wait forever, should
    /// be refused.
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>>;

    /// Returns a spelling of the path that two paths to one file have in common, so that the file is read once.
    fn key(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    /// Takes a note on a file that was read.
    fn note(&self, note: &FileNote) {
        let _ = note;
    }
}
