//! The files that a command will write, checked before it does anything else.
//!
//! In: the paths given for each option that names a file to write, and the files that are read. Out: nothing, or the
//! reason for which these cannot be written.
//! Guarantees: no file that is read is overwritten, and no two options write to one file, for any spelling of their
//! paths: links, symbolic or hard, and detours are resolved. Several options may write to one device or pipe. The files
//! that a command reads through another file, the buffers of a glTF scene, are known after that file was read
//! (`load::Buffers`): commands check them then, before they write.

use crate::Failure;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is to be written.
struct OutputTarget<'a> {
    /// The option that names it, without dashes.
    option: &'static str,
    path: &'a Path,
    /// Its path, existing or not, without links and detours; `None` for targets that are no files.
    place: Option<PathBuf>,
}

/// The files that a command is to write.
pub(crate) struct Targets<'a> {
    list: Vec<OutputTarget<'a>>,
}

impl<'a> Targets<'a> {
    /// Takes the paths given for options, and refuses two of the same file.
    pub(crate) fn new(given: &[(&'static str, Option<&'a Path>)]) -> Result<Self, Failure> {
        let mut list: Vec<OutputTarget<'a>> = Vec::new();
        for &(option, path) in given {
            let Some(path) = path else { continue };
            let target = OutputTarget { option, path, place: place_of(path) };
            if let Some(first) = list.iter().find(|first| target.is(first.place.as_deref())) {
                return Err(Failure::OneOutput { first: first.option, second: option, path: path.to_owned() });
            }
            list.push(target);
        }
        Ok(Self { list })
    }

    /// Refuses to write over a file that is read.
    pub(crate) fn spare(&self, input: &Path) -> Result<(), Failure> {
        let place = if self.list.is_empty() { None } else { place_of(input) };
        match self.list.iter().find(|target| target.is(place.as_deref())) {
            Some(target) => Err(Failure::OutputIsInput { option: target.option, path: target.path.to_owned() }),
            None => Ok(()),
        }
    }

    /// Refuses targets that cannot be written, before the work is done. Changes nothing.
    pub(crate) fn try_out(&self) -> Result<(), Failure> {
        for target in &self.list {
            let unwritable =
                |source: io::Error| Failure::Unwritable { path: target.path.to_owned(), source: source.into() };
            target.try_out().map_err(unwritable)?;
        }
        Ok(())
    }
}

impl OutputTarget<'_> {
    /// Reports whether it is the file at a place.
    fn is(&self, place: Option<&Path>) -> bool {
        self.place.as_deref().zip(place).is_some_and(|(own, other)| own == other || is_same_file(own, other))
    }

    fn try_out(&self) -> io::Result<()> {
        if fs::metadata(self.path).is_ok_and(|found| found.is_dir()) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        // Opening a pipe would block, and opening a device may have effects.
        let Some(place) = &self.place else { return Ok(()) };
        if place.exists() {
            return File::options().write(true).open(place).map(drop);
        }
        let beside = place.with_file_name(format!(".heurt-{}.try", std::process::id()));
        File::create_new(&beside)?;
        fs::remove_file(&beside)
    }
}

/// Largest length of a chain of links.
const MAX_LINKS: u32 = 40;

/// Resolves the path of an existing or future file, without links and detours; `None` if something other than a file is
/// there.
fn place_of(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::metadata(&path) {
            Ok(found) if found.is_file() => return Some(fs::canonicalize(&path).unwrap_or(path)),
            Ok(_) => return None,
            Err(_) => {}
        }
        // A link whose target does not exist yet.
        match fs::read_link(&path) {
            Ok(leads_to) => path = path.parent().unwrap_or(Path::new("")).join(leads_to),
            Err(_) => break,
        }
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    Some(folder.join(path.file_name()?))
}

/// Reports whether two places are one file by two names.
fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        identity(a).is_some_and(|one| identity(b) == Some(one))
    }
    #[cfg(not(unix))]
    {
        let _ = (a, b);
        false
    }
}
