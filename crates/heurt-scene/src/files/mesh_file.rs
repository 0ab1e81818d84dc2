//! Mesh files: bytes to models, with the files that they name.

use super::{FileError, SceneFiles};
use heurt_io::{ForeignFormat, Format, Model, ReadError, ReadOptions, read_with};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files that other files name, the buffers of glTF scenes, in the order of their paths. They count as read like
/// the named ones.
#[derive(Debug, Default)]
pub struct Buffers(Mutex<BTreeSet<PathBuf>>);

impl Buffers {
    /// Returns the files that were read until now.
    pub fn files(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn add(&self, path: PathBuf) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
    }
}

/// Settings of the readers of a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadSettings {
    /// Refuse contents that the readers would skip with a warning.
    pub strict: bool,
    /// One part for each object of a file.
    pub split_objects: bool,
}

/// Reads a file, all of it or nothing. Its extension decides the format, or its first bytes if the extension is
/// unknown.
///
/// # Errors
/// [`FileError`] for a file that cannot be read, is of no known format, or is faulty.
pub fn read_model(
    files: &dyn SceneFiles,
    path: &Path,
    settings: &ReadSettings,
    buffers: &Buffers,
) -> Result<Model, FileError> {
    let unreadable = |source| FileError::Unreadable { path: path.to_owned(), source };
    let bytes = files.read(path, u64::MAX).map_err(unreadable)?;
    parse_file(files, path, &bytes, settings, buffers, read_with)
}

/// Parses the bytes of a file by `read`, [`read_with`] or [`heurt_io::read_partial`]. The extension of the path decides
/// the format, or the first bytes if the extension is unknown.
///
/// # Errors
/// [`FileError`] for bytes of no known format, and for bytes that the reader refuses.
pub fn parse_file<M>(
    files: &dyn SceneFiles,
    path: &Path,
    bytes: &[u8],
    settings: &ReadSettings,
    buffers: &Buffers,
    read: impl FnOnce(&[u8], Format, &ReadOptions<'_>) -> Result<M, ReadError>,
) -> Result<M, FileError> {
    let foreign = ForeignFormat::detect(bytes);
    let by_name = format_of(path);
    let Some(format) = by_name.or_else(|| if foreign.is_some() { None } else { Format::detect(bytes) }) else {
        return Err(unread(path, foreign));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let resolve = |name: &str| read_beside(files, folder, name, buffers);
    let ReadSettings { strict, split_objects } = *settings;
    let options = ReadOptions::default().resolve(&resolve).split_objects(split_objects).strict(strict);
    read(bytes, format, &options).map_err(|source| match foreign {
        // The extension is wrong.
        Some(_) => unread(path, foreign),
        None => FileError::Unusable { path: path.to_owned(), source },
    })
}

/// Makes the error of a file of no format that is read, by its contents or its name.
fn unread(path: &Path, by_contents: Option<ForeignFormat>) -> FileError {
    let path = path.to_owned();
    match by_contents.or_else(|| foreign_format_of(&path)) {
        Some(format) => FileError::ForeignFormat { path, format },
        None => FileError::UnknownFormat { path },
    }
}

/// Returns the format of files that are not read which the name of a file implies.
pub fn foreign_format_of(path: &Path) -> Option<ForeignFormat> {
    ForeignFormat::from_extension(path.extension()?.to_str()?)
}

/// Reads all bytes of a file that another file names. That file is not trusted: paths above its folder are not opened.
fn read_beside(files: &dyn SceneFiles, folder: &Path, name: &str, buffers: &Buffers) -> Option<Vec<u8>> {
    let path = folder.join(name);
    let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    let bytes = if is_inside { files.read(&path, u64::MAX).ok() } else { None };
    bytes.inspect(|_| buffers.add(path))
}

/// Returns the format that the name of a file implies.
pub fn format_of(path: &Path) -> Option<Format> {
    Format::from_extension(path.extension()?.to_str()?)
}
