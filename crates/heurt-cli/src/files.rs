//! Files that scenes and requests name, with notes on standard error, and tree files.

use crate::Failure;
use crate::output::printable;
use crate::threads;
use heurt::scene::{DiskFiles, FileNote, LONGEST_TREE, SceneFiles, ShapeStore, parse_tree, read_up_to};
use heurt::shape::TreeChoice;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The files of the disk; notes on them go to standard error, for commands whose standard output has no room for them.
pub(crate) struct NotedFiles;

impl SceneFiles for NotedFiles {
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        DiskFiles.read(path, most)
    }

    fn key(&self, path: &Path) -> PathBuf {
        DiskFiles.key(path)
    }

    fn note(&self, note: &FileNote) {
        let _ = writeln!(io::stderr(), "note: {}", printable(&note.line()));
    }
}

/// Reads the choice of tree in a file or a pipe that an option names.
pub(crate) fn tree_of_option(path: &Path) -> Result<TreeChoice, Failure> {
    // One byte above the limit, to distinguish a file that ends from a longer one.
    let bytes = read_up_to(path, LONGEST_TREE + 1).map_err(|source| Failure::unreadable(path, source))?;
    parse_tree(&bytes).map_err(|reason| Failure::BadTreeFile { path: path.to_owned(), reason })
}

/// Makes a store of files and shapes that builds on `threads` threads; every mesh gets the tree of a file, if there is
/// one.
pub(crate) fn store(threads: Option<u16>, tree: Option<&Path>) -> Result<ShapeStore, Failure> {
    let tree = tree.map(tree_of_option).transpose()?;
    let count = threads::count(threads);
    ShapeStore::new(NotedFiles, count, tree).map_err(|source| Failure::Threads { count, source })
}
