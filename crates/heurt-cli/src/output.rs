//! Standard output that tolerates a closed pipe, and the choice of colours.
//!
//! Guarantees: once the reader is gone (`heurt … | head`), further writes succeed and are discarded, so that a command
//! ends with its usual status. All other write errors are reported; they leave a file as it was, or absent.

use crate::Failure;
use crate::interrupt::UnfinishedFile;
use heurt::geometry::DisplayNumber;
use heurt::io::WriteError;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Buffered standard output.
pub(crate) struct Output {
    inner: BufWriter<Stdout>,
    closed: bool,
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Self { inner: BufWriter::with_capacity(1 << 16, io::stdout()), closed: false }
    }

    /// Reports whether the reader has closed the pipe.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Reports whether a person reads on a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Reports whether to use colours.
    pub(crate) fn is_coloured(&self) -> bool {
        self.is_terminal() && colours_wanted()
    }

    /// Writes out what is buffered.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.flush().map_err(Failure::output)
    }

    fn settle<T>(&mut self, result: io::Result<T>, gone: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(gone)
            }
            other => other,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let result = self.inner.write(bytes);
        self.settle(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.inner.flush();
        self.settle(result, ())
    }
}

/// Fills a file, which appears, or changes, only once it is complete.
pub(crate) fn to_file(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), WriteError>,
) -> Result<(), Failure> {
    let filled = match is_written_in_place(path) {
        true => opened_in_place(path).map_err(WriteError::from).and_then(|file| filled(file, fill)),
        false => replaced(path, fill),
    };
    filled.map_err(|source| Failure::Unwritable { path: path.to_owned(), source })
}

/// Writes texts to files of a folder, which is made if it is missing. Files that were changed are not replaced: then
/// none is written.
pub(crate) fn to_folder(folder: &Path, files: &[(&str, &str)]) -> Result<(), Failure> {
    let failed = |source: io::Error| Failure::Unwritable { path: folder.to_owned(), source: source.into() };
    fs::create_dir_all(folder).map_err(failed)?;
    let is_changed = |(name, text): &&(&str, &str)| fs::read(folder.join(name)).is_ok_and(|old| old != text.as_bytes());
    if let Some((name, _)) = files.iter().find(is_changed) {
        return Err(Failure::ChangedFile { path: folder.join(name) });
    }
    for (name, text) in files {
        to_file(&folder.join(name), |file| Ok(file.write_all(text.as_bytes())?))?;
    }
    Ok(())
}

/// Reports whether the path is no plain file: a device, a pipe, or a stream of the shell under such a name.
fn is_written_in_place(path: &Path) -> bool {
    let is_lent = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    fs::metadata(path).is_ok_and(|found| is_lent || !found.is_file())
}

/// Opens a target that is written in place. A stream of the shell may be a file to which the shell appends, or to which
/// this program also writes its table: it is neither truncated nor overwritten.
fn opened_in_place(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let is = |names: [&str; 3]| names.iter().any(|name| path == Path::new(name));
        // Opened by name, writing would start at the beginning; the same stream continues at its current position.
        if is(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) {
            return Ok(io::stdout().as_fd().try_clone_to_owned()?.into());
        }
        if is(["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"]) {
            return Ok(io::stderr().as_fd().try_clone_to_owned()?.into());
        }
    }
    File::options().append(true).open(path)
}

/// Writes a temporary file next to the target, then renames it to the target. A link stays, and its target is replaced;
/// a link without a target is replaced itself.
fn replaced(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), WriteError>) -> Result<(), WriteError> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let earlier = match fs::metadata(&target) {
        // A file that is not writable is not replaced.
        Ok(found) => File::options().write(true).open(&target).map(|_| Some(found.permissions()))?,
        Err(_) => None,
    };
    remove_leftovers(&target);
    let (file, temporary) = create_temporary(&target)?;
    let _unfinished = UnfinishedFile::new(&temporary);
    let permitted = earlier.map_or(Ok(()), |permissions| file.set_permissions(permissions));
    let done = permitted.map_err(WriteError::from).and_then(|()| {
        filled(file, fill)?;
        Ok(fs::rename(&temporary, &target)?)
    });
    done.inspect_err(|_| {
        // The first error is reported; a failure to remove the file would hide it.
        let _ = fs::remove_file(&temporary);
    })
}

/// Largest number of files of one process next to one target: a process in a container often has the same number as one
/// that was killed.
const MAX_NAMES: u32 = 100;

/// Creates a file next to the target, under a name that no other file has, and locks it: it is in use.
fn create_temporary(target: &Path) -> io::Result<(File, PathBuf)> {
    let process = std::process::id();
    for number in 0..MAX_NAMES {
        let path = target.with_file_name(format!("{PART_START}{process}-{number}{PART_END}"));
        match File::create_new(&path) {
            Ok(file) => {
                // Some file systems have no locks; the age of the file protects it then.
                let _ = file.try_lock();
                return Ok((file, path));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    let message =
        format!("{MAX_NAMES} files `{PART_START}{process}-*{PART_END}` of killed runs are next to it: remove them");
    Err(io::Error::other(message))
}

/// Start and end of the names of files that are being written; between are the number of the process and a second
/// number.
const PART_START: &str = ".heurt-";
const PART_END: &str = ".part";

/// Age from which a file without writes belongs to a run that was killed.
const LEFTOVER_AGE: Duration = Duration::from_secs(3600);

/// Removes files of killed runs next to the target. A failure to list or remove them is ignored: the run does not need
/// it.
fn remove_leftovers(target: &Path) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_old = || {
            let found = entry.metadata().ok()?;
            let is_old = found.is_file() && found.modified().ok()?.elapsed().ok()? > LEFTOVER_AGE;
            is_old.then(|| File::open(entry.path()).ok()?.try_lock().ok()).flatten()
        };
        if entry.file_name().to_str().is_some_and(is_part_name) && is_old().is_some() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Reports whether a name is one that [`create_temporary`] gives.
fn is_part_name(name: &str) -> bool {
    let numbers = name.strip_prefix(PART_START).and_then(|rest| rest.strip_suffix(PART_END));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}

fn filled(file: File, fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), WriteError>) -> Result<(), WriteError> {
    let mut file = BufWriter::new(file);
    fill(&mut file)?;
    Ok(file.flush()?)
}

/// Formats a text for people on one line, without control characters: names come from files that are not trusted.
pub(crate) fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// Formats a number in digits if these are few, else with an exponent.
pub(crate) fn number(value: f64) -> String {
    DisplayNumber(value).to_string()
}

/// Reports whether colours are allowed: `NO_COLOR` is unset or empty (no-color.org), and the terminal is not `dumb`.
pub(crate) fn colours_wanted() -> bool {
    let unset = |name| std::env::var_os(name).is_none_or(|value| value.is_empty());
    unset("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
