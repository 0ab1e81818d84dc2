//! Files from disk: the only place where the command reads them.
//!
//! In: paths of files and folders. Out: models; a failure names the file, the place in it, and the remedy. What is read by way of another
//! file is kept in a list ([`Buffers`]): it is read as much as what was named.

use crate::Failure;
use heurt::io::{Format, Model, PartialModel, ReadError, ReadOptions, read_partial, read_with};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files that other files name, the buffers of glTF scenes, as they come to be read.
#[derive(Debug, Default)]
pub(crate) struct Buffers(Mutex<BTreeSet<PathBuf>>);

impl Buffers {
    /// Those that were read so far.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn add(&self, path: PathBuf) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
    }
}

/// Reads a file, all of it or nothing; the format is told by its extension, else by its first bytes.
pub(crate) fn read_model(path: &Path, buffers: &Buffers) -> Result<Model, Failure> {
    read_by(path, buffers, read_with)
}

/// Reads what can be read of a file, and a failure for each part that cannot.
pub(crate) fn read_parts(path: &Path, buffers: &Buffers) -> Result<(Model, Vec<Failure>), Failure> {
    let PartialModel { model, failures } = read_by(path, buffers, read_partial)?;
    let failures = failures.into_iter().map(|failure| Failure::BadPart {
        path: path.to_owned(),
        part: failure.part,
        source: Box::new(failure.error),
    });
    Ok((model, failures.collect()))
}

fn read_by<M>(
    path: &Path,
    buffers: &Buffers,
    read: impl FnOnce(&[u8], Format, &ReadOptions<'_>) -> Result<M, ReadError>,
) -> Result<M, Failure> {
    let bytes = read_bytes(path)?;
    let by_name = format_of(path);
    let Some(format) = by_name.or_else(|| Format::detect(&bytes)) else {
        return Err(Failure::UnknownFormat { path: path.to_owned() });
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let resolve = |name: &str| read_beside(folder, name, buffers);
    let options = ReadOptions::default().resolve(&resolve);
    read(&bytes, format, &options).map_err(|source| Failure::BadFile { path: path.to_owned(), source })
}

/// All bytes of a file that another file names. That one is not trusted: what lies above it, and pipes, on which the command
/// would wait for ever, are not opened.
fn read_beside(folder: &Path, name: &str, buffers: &Buffers) -> Option<Vec<u8>> {
    let path = folder.join(name);
    let is_inside = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let is_file = is_inside && fs::metadata(&path).is_ok_and(|found| found.is_file());
    let bytes = if is_file { read_bytes(&path).ok() } else { None };
    bytes.inspect(|_| buffers.add(path))
}

/// All bytes of a file or a pipe.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = open(path).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|source| Failure::unreadable(path, source))?;
    Ok(bytes)
}

/// Opens a file or a pipe; a device, which may never end, is refused.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if is_device(&fs::metadata(path)?) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a device, not a file"));
    }
    File::open(path)
}

/// Refuses what is no file, for paths in scenes and requests: on a pipe that nobody writes to the command would wait for ever. Who names a
/// pipe on the command line means it.
pub(crate) fn require_file(path: &Path) -> Result<(), Failure> {
    let refuse = |source| Failure::unreadable(path, source);
    let found = fs::metadata(path).map_err(refuse)?;
    let what = if found.is_file() {
        return Ok(());
    } else if found.is_dir() {
        "it is a folder, not a file"
    } else if is_device(&found) {
        "it is a device, not a file"
    } else {
        "it is a pipe or a socket, not a file"
    };
    Err(refuse(io::Error::new(io::ErrorKind::InvalidInput, what)))
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

/// The format that the name of a file promises.
pub(crate) fn format_of(path: &Path) -> Option<Format> {
    Format::from_extension(path.extension()?.to_str()?)
}

/// The files that inputs stand for: a folder stands for the mesh files in it, by name.
pub(crate) fn files_of(input: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |source| Failure::unreadable(input, source);
    if !fs::metadata(input).map_err(unreadable)?.is_dir() {
        return Ok(vec![input.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(input).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if format_of(&path).is_some() && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() { Err(Failure::EmptyFolder { path: input.to_owned() }) } else { Ok(files) }
}
