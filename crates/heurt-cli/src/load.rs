//! Files that the command line names.
//!
//! In: paths of files and folders. Out: models; a failure gives the file, the place in it, and the remedy. Files that
//! are read through another file are listed in [`Buffers`]: they count as read like the named ones.

use crate::Failure;
use heurt::io::{Format, Model, PartialModel, ReadError, ReadOptions, read_partial, read_with};
use heurt::scene::describe::some_of;
pub(crate) use heurt::scene::{Buffers, ReadSettings, format_of, open};
use heurt::scene::{DiskFiles, FileNote, foreign_format_of, parse_file, read_up_to};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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
    Ok(parse_file(&DiskFiles, path, &bytes, settings, buffers, read)?)
}

/// Reads all bytes of a file or a pipe.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    read_up_to(path, u64::MAX).map_err(|source| Failure::unreadable(path, source))
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
    /// Returns the first file that lines of a shell convert to a mesh file.
    fn foreign(&self) -> Option<&Path> {
        let has_lines =
            |path: &&PathBuf| foreign_format_of(path).is_some_and(|format| !format.conversion("part").is_empty());
        self.others.iter().find(has_lines).map(PathBuf::as_path)
    }

    /// Returns warnings of the files and folders that were skipped.
    pub(crate) fn warnings(&self) -> Vec<FileNote> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let mut warnings = Vec::new();
        if self.sub_folders > 0 {
            let message = match self.sub_folders {
                1 => "1 sub-folder is not searched: --recursive searches it".to_owned(),
                many => format!("{many} sub-folders are not searched: --recursive searches them"),
            };
            warnings.push(FileNote::about(folder, "folder", self.sub_folders as u64, message));
        }
        if !self.others.is_empty() {
            let names: Vec<String> = self.others.iter().map(|path| name_of(path)).collect();
            let (count, names) = (self.others.len(), some_of(names.iter().map(String::as_str)));
            let hint = match self.foreign() {
                Some(file) => format!(" (`heurt inspect {}` has the lines that convert it)", file.display()),
                None => String::new(),
            };
            let message = match count {
                1 => format!("1 file is no mesh file and is skipped: {names}{hint}"),
                _ => format!("{count} files are no mesh files and are skipped: {names}{hint}"),
            };
            warnings.push(FileNote::about(folder, "folder", count as u64, message));
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
        return Err(Failure::EmptyFolder {
            path: input.to_owned(),
            foreign: list.foreign().map(Path::to_owned),
            sub_folders: list.sub_folders,
        });
    }
    Ok(list)
}
