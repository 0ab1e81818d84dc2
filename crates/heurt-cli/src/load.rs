//! Files from disk: the only place in which the command reads them.
//!
//! In: paths of files and folders. Out: models; a failure gives the file, the place in it, and the remedy. Files that
//! are read through another file are listed in [`Buffers`]: they count as read like the named ones.

use crate::Failure;
use crate::failure::some_of;
use crate::warning::Warning;
use heurt::io::{Format, Model, PartialModel, ReadError, ReadOptions, read_partial, read_with};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files that other files name, the buffers of glTF scenes, in the order of reading.
#[derive(Debug, Default)]
pub(crate) struct Buffers(Mutex<BTreeSet<PathBuf>>);

impl Buffers {
    /// Returns the files that were read until now.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn add(&self, path: PathBuf) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
    }
}

/// Settings of the readers of a file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadSettings {
    /// Refuse contents that the readers would skip with a warning.
    pub(crate) strict: bool,
    /// One part for each object of a file.
    pub(crate) split_objects: bool,
}

/// The contents of a file.
#[derive(Debug, Default)]
pub(crate) struct LoadedFile {
    pub(crate) model: Model,
    /// Number of parts of the file, including parts that could not be read.
    pub(crate) part_count: usize,
    /// A failure for each part that could not be read.
    pub(crate) failures: Vec<Failure>,
}

/// Reads a file, all of it or nothing. Its extension decides the format, or its first bytes if the extension is
/// unknown.
pub(crate) fn read_model(path: &Path, settings: &ReadSettings, buffers: &Buffers) -> Result<Model, Failure> {
    read_by(path, settings, buffers, read_with)
}

/// Reads the readable parts of a file, and a failure for each unreadable part.
pub(crate) fn read_parts(path: &Path, settings: &ReadSettings, buffers: &Buffers) -> Result<LoadedFile, Failure> {
    let PartialModel { model, failures } = read_by(path, settings, buffers, read_partial)?;
    let failures: Vec<Failure> = failures
        .into_iter()
        .map(|failure| Failure::BadPart { path: path.to_owned(), part: failure.part, source: Box::new(failure.error) })
        .collect();
    Ok(LoadedFile { part_count: model.parts.len() + failures.len(), model, failures })
}

/// Returns, by mesh, the name of the first part that has it; empty if there is none.
pub(crate) fn names_of_meshes(model: &Model) -> Vec<String> {
    let mut names = vec![String::new(); model.meshes.len()];
    for part in model.parts.iter().rev() {
        names[part.mesh].clone_from(&part.name);
    }
    names
}

fn read_by<M>(
    path: &Path,
    settings: &ReadSettings,
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
    let ReadSettings { strict, split_objects } = *settings;
    let options = ReadOptions::default().resolve(&resolve).split_objects(split_objects).strict(strict);
    read(&bytes, format, &options).map_err(|source| Failure::BadFile { path: path.to_owned(), source })
}

/// Reads all bytes of a file that another file names. That file is not trusted. Paths above its folder are not opened,
/// nor pipes, on which the command could block forever.
fn read_beside(folder: &Path, name: &str, buffers: &Buffers) -> Option<Vec<u8>> {
    let path = folder.join(name);
    let is_inside = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let is_file = is_inside && fs::metadata(&path).is_ok_and(|found| found.is_file());
    let bytes = if is_file { read_bytes(&path).ok() } else { None };
    bytes.inspect(|_| buffers.add(path))
}

/// Reads all bytes of a file or a pipe.
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

/// Refuses a path that is no file, for paths in scenes and requests: the command would block forever on a pipe without
/// a writer. A pipe given on the command line is intended.
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

/// Returns the format that the name of a file implies.
pub(crate) fn format_of(path: &Path) -> Option<Format> {
    Format::from_extension(path.extension()?.to_str()?)
}

/// The mesh files of an input: the file itself, or the files of a folder, by name.
#[derive(Debug, Default)]
pub(crate) struct FileList {
    pub(crate) files: Vec<PathBuf>,
    /// The folder that was listed; none for a single file.
    folder: Option<PathBuf>,
    /// Sub-folders that were not searched.
    sub_folders: usize,
    /// Files of unknown format, by name.
    others: Vec<PathBuf>,
    /// A failure for each sub-folder that could not be listed.
    pub(crate) failures: Vec<Failure>,
}

impl FileList {
    /// Returns warnings of the files and folders that were skipped.
    pub(crate) fn warnings(&self) -> Vec<Warning> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let mut warnings = Vec::new();
        if self.sub_folders > 0 {
            let message = match self.sub_folders {
                1 => "1 sub-folder is not searched: --recursive searches it".to_owned(),
                many => format!("{many} sub-folders are not searched: --recursive searches them"),
            };
            warnings.push(Warning::about(folder, "folder", self.sub_folders as u64, message));
        }
        if !self.others.is_empty() {
            let names: Vec<String> = self.others.iter().map(|path| name_of(path)).collect();
            let (count, names) = (self.others.len(), some_of(names.iter().map(String::as_str)));
            let message = match count {
                1 => format!("1 file is no mesh file and is skipped: {names}"),
                _ => format!("{count} files are no mesh files and are skipped: {names}"),
            };
            warnings.push(Warning::about(folder, "folder", count as u64, message));
        }
        warnings
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Largest number of folders that a recursive search enters: a larger tree of folders is no assembly.
const MAX_FOLDERS: usize = 1 << 16;

/// Lists the mesh files of an input; a folder represents its files, with `recursive` also the files of its sub-folders.
pub(crate) fn files_of(input: &Path, recursive: bool) -> Result<FileList, Failure> {
    let unreadable = |path: &Path, source| Failure::unreadable(path, source);
    if !fs::metadata(input).map_err(|source| unreadable(input, source))?.is_dir() {
        return Ok(FileList { files: vec![input.to_owned()], ..FileList::default() });
    }
    let mut list = FileList { folder: Some(input.to_owned()), ..FileList::default() };
    let mut open = vec![input.to_owned()];
    // Links may lead back: each folder is entered once.
    let mut entered: BTreeSet<PathBuf> = BTreeSet::new();
    while let Some(folder) = open.pop() {
        if entered.len() >= MAX_FOLDERS || !entered.insert(fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone()))
        {
            continue;
        }
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = match entries {
            Ok(entries) => entries,
            Err(source) if folder == input => return Err(unreadable(&folder, source)),
            Err(source) => {
                list.failures.push(unreadable(&folder, source));
                continue;
            }
        };
        for path in entries.iter().map(fs::DirEntry::path) {
            match (path.is_dir(), path.is_file()) {
                (true, _) if recursive => open.push(path),
                (true, _) => list.sub_folders += 1,
                (_, true) if format_of(&path).is_some() => list.files.push(path),
                (_, true) => list.others.push(path),
                _ => {}
            }
        }
    }
    list.files.sort();
    list.others.sort();
    if list.files.is_empty() && list.failures.is_empty() {
        return Err(Failure::EmptyFolder { path: input.to_owned(), sub_folders: list.sub_folders });
    }
    Ok(list)
}
