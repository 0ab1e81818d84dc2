//! The files that a command is to write, looked at before it does anything else.
//!
//! In: what is given for each option that names a file to write, and the files that are read. Out: nothing, or why
//! these cannot be written.
//! Guarantees: no file that is read is written over, and no two options write to one file, however their paths are
//! spelt: through links, symbolic or hard, and detours. Devices and pipes may be written to by several. What a command
//! reads through another file, the buffers of a glTF scene, is known once that one was read (`load::Buffers`): commands
//! look at it then, before they write.

use crate::Failure;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is to be written.
struct OutputTarget<'a> {
    /// The option that names it, without dashes.
    option: &'static str,
    path: &'a Path,
    /// Where it is, or will be, without links and detours; nothing of what is no file.
    place: Option<PathBuf>,
}

/// The files that a command is to write.
pub(crate) struct Targets<'a> {
    list: Vec<OutputTarget<'a>>,
}

impl<'a> Targets<'a> {
    /// Takes what is given for options, and refuses two of the same file.
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

    /// Refuses what cannot be written, before the work is done. Nothing is changed.
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
        // A pipe would be waited for, and a device may do something.
        let Some(place) = &self.place else { return Ok(()) };
        if place.exists() {
            return File::options().write(true).open(place).map(drop);
        }
        let beside = place.with_file_name(format!(".heurt-{}.try", std::process::id()));
        File::create_new(&beside)?;
        fs::remove_file(&beside)
    }
}

/// Links to links, at most.
const MAX_LINKS: u32 = 40;

/// Where a file is or will be, without links and detours; nothing where something else than a file is.
fn place_of(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::metadata(&path) {
            Ok(found) if found.is_file() => return Some(fs::canonicalize(&path).unwrap_or(path)),
            Ok(_) => return None,
            Err(_) => {}
        }
        // A link that leads to nothing yet.
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
