//! The folder with the built page: a given one, `viewer/dist`, or a new one that npm builds.
//!
//! - In: the choice of the user, the sources of the page, the folder of outputs, npm.
//! - Out: a folder with all of [`FILES`], or the reason why there is none.
//! - Method: npm runs in a copy of the sources below the folder of outputs. The built page is kept there with a digest
//!   of its sources, so that a later run without a change of them needs no npm.
//! - Guarantees: nothing outside the folder of outputs is written, and the sources may be read-only. Npm runs in
//!   optimised builds only, unless the choice is [`Choice::Build`].

use super::npm::Npm;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};
use std::{fs, io};

/// The files of a built page that the program serves.
pub(crate) const FILES: [&str; 6] = ["index.html", "viewer.js", "viewer.css", "report.html", "report.js", "report.css"];

/// The files and folders that the page is built from, below `viewer`.
const SOURCES: [&str; 8] =
    ["src", "build.mjs", "index.html", "report.html", "package.json", "package-lock.json", ".npmrc", "tsconfig.json"];

/// Command that builds a program with the page.
const REMEDY: &str = "with Node 20.19 or newer and npm, `HEURT_PAGE=build cargo build --release` builds it with them";

/// Choice of the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    /// `viewer/dist` if it is newer than its sources; otherwise npm builds the page in optimised builds.
    Automatic,
    /// `off`: no page.
    Off,
    /// `build`: npm builds the page in each build, and the build fails without it.
    Build,
    /// A folder with a built page.
    Folder(PathBuf),
}

impl Choice {
    /// Reads the variable of the environment; a relative folder begins at the repository.
    pub(crate) fn read(value: Option<OsString>, repository: &Path) -> Self {
        let value = value.unwrap_or_default();
        match value.to_str() {
            Some("") => Self::Automatic,
            Some("off") => Self::Off,
            Some("build") => Self::Build,
            _ => Self::Folder(repository.join(value)),
        }
    }
}

/// Result of a search for the page.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Page {
    /// A folder with all files, and a note for the user.
    Built { folder: PathBuf, note: Option<String> },
    /// No page; the build goes on.
    Absent { note: Option<String> },
    /// No page, although the user demands one; the build fails.
    Refused { reason: String },
}

/// Search for the page.
pub(crate) struct Request<'a> {
    pub(crate) choice: Choice,
    /// The folder `viewer`.
    pub(crate) sources: &'a Path,
    /// The folder of outputs.
    pub(crate) out: &'a Path,
    pub(crate) is_optimised: bool,
    pub(crate) npm: &'a Npm,
}

impl Request<'_> {
    /// Returns the page.
    pub(crate) fn answer(&self) -> Page {
        match &self.choice {
            Choice::Off => Page::Absent { note: None },
            Choice::Folder(folder) => match missing_file(folder) {
                None => Page::Built { folder: folder.clone(), note: None },
                Some(name) => Page::Refused {
                    reason: format!(
                        "HEURT_PAGE: {} has no {name}; give `off`, `build` or a folder with a built page",
                        folder.display()
                    ),
                },
            },
            Choice::Build => match self.build() {
                Ok((folder, note)) => Page::Built { folder, note },
                Err(reason) => Page::Refused { reason: format!("the page was not built: {reason}") },
            },
            Choice::Automatic => self.automatic(),
        }
    }

    fn automatic(&self) -> Page {
        let dist = self.sources.join("dist");
        let is_complete = missing_file(&dist).is_none();
        if is_complete && is_newer(&dist, self.sources) {
            return Page::Built { folder: dist, note: None };
        }
        let old = "the page in the program, of viewer/dist, is older than its sources";
        if !self.is_optimised {
            return if is_complete {
                Page::Built { folder: dist, note: Some(format!("{old}: `npm run build --prefix viewer` builds it")) }
            } else {
                Page::Absent { note: None }
            };
        }
        match self.build() {
            Ok((folder, note)) => Page::Built { folder, note },
            Err(reason) if is_complete => Page::Built { folder: dist, note: Some(format!("{old}: {reason}")) },
            Err(reason) => {
                let lack = "the program has neither the live page nor --report";
                Page::Absent { note: Some(format!("{lack}: {reason}; {REMEDY}")) }
            }
        }
    }

    /// Builds the page with npm, unless a page of the same sources is kept.
    fn build(&self) -> Result<(PathBuf, Option<String>), String> {
        let (kept, digest_file) = (self.out.join("page"), self.out.join("page.digest"));
        let files = source_files(self.sources).map_err(|error| format!("{}: {error}", self.sources.display()))?;
        if !files.iter().any(|file| file.ends_with("build.mjs")) {
            return Err(format!("its sources are not in {}", self.sources.display()));
        }
        let digest = digest(self.sources, &files).map_err(|error| format!("cannot read its sources: {error}"))?;
        if missing_file(&kept).is_none() && fs::read_to_string(&digest_file).is_ok_and(|text| text == digest) {
            return Ok((kept, None));
        }
        let began = Instant::now();
        self.npm.check()?;
        let place = self.out.join("viewer");
        let copied = remove(&place).and_then(|()| copy(self.sources, &files, &place));
        copied.map_err(|error| format!("cannot copy its sources to {}: {error}", place.display()))?;
        let built = self.npm.build(&place, &self.out.join("npm.log"));
        let moved = built.and_then(|()| match missing_file(&place.join("dist")) {
            Some(name) => Err(format!("npm built no {name}")),
            None => remove(&kept)
                .and_then(|()| fs::rename(place.join("dist"), &kept))
                .and_then(|()| fs::write(&digest_file, &digest))
                .map_err(|error| format!("cannot keep it in {}: {error}", kept.display())),
        });
        // The packages take 60 MB; the cache of npm keeps them.
        let removed = remove(&place).map_err(|error| format!("cannot remove {}: {error}", place.display()));
        moved.and(removed)?;
        let seconds = began.elapsed().as_secs_f64().ceil();
        Ok((kept, Some(format!("npm built the live page in {seconds} s; `HEURT_PAGE=off` builds without npm"))))
    }
}

/// Lists the paths whose change makes the page another one.
pub(crate) fn watched(sources: &Path, choice: &Choice) -> Vec<PathBuf> {
    match choice {
        Choice::Off => Vec::new(),
        Choice::Folder(folder) => vec![folder.clone()],
        Choice::Build => SOURCES.map(|name| sources.join(name)).to_vec(),
        // The folder is in the repository, empty until npm builds the page in it.
        Choice::Automatic => SOURCES.iter().chain(&["dist"]).map(|name| sources.join(name)).collect(),
    }
}

/// Returns the first file of the page that a folder lacks.
fn missing_file(folder: &Path) -> Option<&'static str> {
    FILES.into_iter().find(|name| !folder.join(name).is_file())
}

/// Decides whether each file of a built page is at least as new as all sources; no, if a time cannot be read.
fn is_newer(built: &Path, sources: &Path) -> bool {
    let time = |path: PathBuf| fs::metadata(path).and_then(|data| data.modified());
    let files = |paths: Vec<PathBuf>| paths.into_iter().map(time).collect::<io::Result<Vec<SystemTime>>>();
    let oldest = files(FILES.map(|name| built.join(name)).to_vec()).map(|times| times.into_iter().min());
    let read = source_files(sources).map(|paths| paths.into_iter().map(|path| sources.join(path)).collect());
    let newest = read.and_then(files).map(|times| times.into_iter().max());
    matches!((oldest, newest), (Ok(Some(oldest)), Ok(Some(newest))) if newest <= oldest)
}

/// Lists the files of the sources in the order of their names, as paths below the folder.
fn source_files(sources: &Path) -> io::Result<Vec<PathBuf>> {
    let mut open: Vec<PathBuf> = SOURCES.map(PathBuf::from).to_vec();
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        let place = sources.join(&path);
        if place.is_dir() {
            for entry in fs::read_dir(place)? {
                open.push(path.join(entry?.file_name()));
            }
        } else if place.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Computes a digest of names and contents.
fn digest(sources: &Path, files: &[PathBuf]) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in files {
        (file, fs::read(sources.join(file))?).hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// Copies files without their permissions: the sources may be read-only.
fn copy(sources: &Path, files: &[PathBuf], place: &Path) -> io::Result<()> {
    for file in files {
        let target = place.join(file);
        fs::create_dir_all(target.parent().unwrap_or(place))?;
        fs::write(target, fs::read(sources.join(file))?)?;
    }
    Ok(())
}

/// Removes a folder, if it exists.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
