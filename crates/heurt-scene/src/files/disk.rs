//! Files of the disk: the only place in which this crate opens them.

use super::SceneFiles;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The files of the disk; notes on them are dropped.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskFiles;

impl SceneFiles for DiskFiles {
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        require_file(path)?;
        read_up_to(path, most)
    }

    fn key(&self, path: &Path) -> PathBuf {
        // A path that does not exist is its own key.
        fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
    }
}

/// Opens a file or a pipe.
///
/// # Errors
/// Those of the disk, and a device, which may never end.
pub fn open(path: &Path) -> io::Result<File> {
    if is_device(&fs::metadata(path)?) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a device, not a file"));
    }
    File::open(path)
}

/// Reads all bytes of a file or a pipe, or the first `most` of them.
///
/// # Errors
/// Those of [`open`] and of the disk, and a length that memory does not hold.
pub fn read_up_to(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    // The limit hides the length from the reader, which would double its memory again and again.
    let length = usize::try_from(file.metadata()?.len().min(most)).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length)?;
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses a path that is no file, for paths in scenes and requests: a reader would wait forever on a pipe without a
/// writer. A pipe that a person names is intended.
///
/// # Errors
/// Those of the disk, and a folder, a device, a pipe or a socket.
pub fn require_file(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?;
    let what = if found.is_file() {
        return Ok(());
    } else if found.is_dir() {
        "it is a folder, not a file"
    } else if is_device(&found) {
        "it is a device, not a file"
    } else {
        "it is a pipe or a socket, not a file"
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

fn is_device(found: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = found.file_type();
        kind.is_char_device() || kind.is_block_device()
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        false
    }
}
