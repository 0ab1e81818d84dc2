//! The build of the live page, of which cargo's build script makes use: choices, ages, npm that works, fails, hangs.
//!
//! Scripts of a shell take the places of npm and Node: no test needs a network.

#[allow(dead_code)]
#[path = "../../build/npm.rs"]
mod npm;
#[path = "../../build/page.rs"]
mod page;

use npm::Npm;
use page::{Choice, FILES, Page, Request, watched};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// Scripts that install and build: the page holds the sources that they saw.
const NPM: &str =
    "echo \"$@\" >>\"$0.calls\"; [ \"$1\" = --version ] && echo 11.0.0 && exit; mkdir node_modules && touch .npmrc";
const NODE: &str = "[ \"$1\" = --version ] && echo v22.1.0 && exit
    [ -d node_modules ] || exit 1; mkdir dist
    for file in index.html viewer.js viewer.css report.html report.js report.css; do cat src/a.ts >dist/$file; done";

/// A folder with sources of a page, with programs, with a folder of outputs.
struct Place {
    folder: TempDir,
    npm: Npm,
}

impl Place {
    fn new(npm: &str, node: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("viewer/src")).unwrap();
        fs::create_dir_all(at("viewer/dist")).unwrap();
        fs::create_dir_all(at("out")).unwrap();
        for name in ["src/a.ts", "build.mjs", "index.html", "package.json", ".npmrc"] {
            fs::write(at("viewer").join(name), "first").unwrap();
        }
        let limit = Duration::from_secs(60);
        let programs = [("npm", npm), ("node", node)].map(|(name, script)| {
            let path = at(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        });
        let [npm, node] = programs;
        Self { npm: Npm { npm, node, limit }, folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn answer(&self, choice: Choice, is_optimised: bool) -> Page {
        let (sources, out) = (self.at("viewer"), self.at("out"));
        Request { choice, sources: &sources, out: &out, is_optimised, npm: &self.npm }.answer()
    }

    /// The number of installations.
    fn installations(&self) -> usize {
        let calls = fs::read_to_string(self.at("npm.calls")).unwrap_or_default();
        calls.lines().filter(|line| line.starts_with("ci ")).count()
    }

    /// Builds `viewer/dist`, as old as a number of seconds since 1970.
    fn build_dist(&self, age: u64) {
        for name in FILES {
            let path = self.at("viewer/dist").join(name);
            fs::write(&path, "by hand").unwrap();
            File::options().write(true).open(path).unwrap().set_modified(time(age)).unwrap();
        }
    }

    /// Sets the age of all sources.
    fn date_sources(&self, age: u64) {
        for name in ["src/a.ts", "build.mjs", "index.html", "package.json", ".npmrc"] {
            let file = File::options().write(true).open(self.at("viewer").join(name)).unwrap();
            file.set_modified(time(age)).unwrap();
        }
    }
}

fn time(age: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(age)
}

/// The folder and the note of a page, which must be there.
#[track_caller]
fn built(page: Page) -> (PathBuf, Option<String>) {
    match page {
        Page::Built { folder, note } => (folder, note),
        other => panic!("{other:?}"),
    }
}

/// The note of an absent page.
#[track_caller]
fn absent(page: Page) -> Option<String> {
    match page {
        Page::Absent { note } => note,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn mentions(note: Option<String>, words: &[&str]) {
    let note = note.expect("a note");
    for word in words {
        assert!(note.contains(word), "no `{word}` in: {note}");
    }
}

/// The names below a folder, with those of its folders.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_variable_chooses() {
    let read = |value: Option<&str>| Choice::read(value.map(Into::into), Path::new("/r"));
    assert_eq!(read(None), Choice::Automatic);
    assert_eq!(read(Some("")), Choice::Automatic);
    assert_eq!(read(Some("off")), Choice::Off);
    assert_eq!(read(Some("build")), Choice::Build);
    assert_eq!(read(Some("pages/new")), Choice::Folder("/r/pages/new".into()));
    assert_eq!(read(Some("/p")), Choice::Folder("/p".into()));
}

#[test]
fn the_sources_of_the_page_are_watched() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../viewer");
    let paths = watched(&sources, &Choice::Automatic);
    assert!(paths.iter().all(|path| path.exists()), "{paths:?}");
    assert!(paths.contains(&sources.join("dist")) && paths.contains(&sources.join("src")));
    assert!(watched(&sources, &Choice::Off).is_empty());
    assert_eq!(watched(&sources, &Choice::Folder("/p".into())), [PathBuf::from("/p")]);
}

#[test]
fn an_optimised_build_runs_npm_once_per_state_of_the_sources() {
    let place = Place::new(NPM, NODE);
    let (folder, note) = built(place.answer(Choice::Automatic, true));
    mentions(note, &["npm built the live page in", "HEURT_PAGE=off"]);
    assert_eq!(fs::read_to_string(folder.join("viewer.js")).unwrap(), "first");
    assert_eq!(names(&place.at("out")), ["npm.log", "page", "page.digest"], "nothing that npm installs is kept");
    assert_eq!(names(&place.at("viewer")), [".npmrc", "build.mjs", "dist", "index.html", "package.json", "src"]);
    assert!(names(&place.at("viewer/dist")).is_empty(), "the sources stay as they are");

    assert_eq!(place.answer(Choice::Automatic, true), Page::Built { folder: folder.clone(), note: None });
    assert_eq!(place.installations(), 1);
    fs::write(place.at("viewer/src/a.ts"), "second").unwrap();
    built(place.answer(Choice::Automatic, true));
    assert_eq!(place.installations(), 2);
    assert_eq!(fs::read_to_string(folder.join("report.css")).unwrap(), "second");
}

#[test]
fn a_build_without_optimisations_runs_npm_on_request() {
    let place = Place::new(NPM, NODE);
    assert_eq!(absent(place.answer(Choice::Automatic, false)), None);
    assert_eq!(place.installations(), 0);
    assert_eq!(built(place.answer(Choice::Build, false)).0, place.at("out/page"));
    assert_eq!(place.installations(), 1);
}

#[test]
fn sources_may_be_read_only() {
    let place = Place::new(NPM, NODE);
    fs::set_permissions(place.at("viewer/src/a.ts"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(place.at("viewer/.npmrc"), fs::Permissions::from_mode(0o444)).unwrap();
    built(place.answer(Choice::Automatic, true));
    fs::write(place.at("viewer/build.mjs"), "second").unwrap();
    built(place.answer(Choice::Automatic, true));
}

#[test]
fn a_page_built_by_hand_counts_while_it_is_newer_than_its_sources() {
    let place = Place::new(NPM, NODE);
    place.build_dist(2_000_000);
    place.date_sources(1_000_000);
    for is_optimised in [true, false] {
        let page = place.answer(Choice::Automatic, is_optimised);
        assert_eq!(page, Page::Built { folder: place.at("viewer/dist"), note: None });
    }
    assert_eq!(place.installations(), 0);

    place.date_sources(3_000_000);
    assert_eq!(built(place.answer(Choice::Automatic, true)).0, place.at("out/page"));
    let (folder, note) = built(place.answer(Choice::Automatic, false));
    assert_eq!(folder, place.at("viewer/dist"));
    mentions(note, &["older than its sources", "npm run build --prefix viewer"]);
}

#[test]
fn off_and_a_folder_run_no_npm() {
    let place = Place::new(NPM, NODE);
    assert_eq!(absent(place.answer(Choice::Off, true)), None);
    let dist = Choice::Folder(place.at("viewer/dist"));
    let Page::Refused { reason } = place.answer(dist.clone(), true) else { panic!("the folder is empty") };
    mentions(Some(reason), &["HEURT_PAGE", "dist", "index.html"]);
    place.build_dist(1_000);
    assert_eq!(place.answer(dist, true), Page::Built { folder: place.at("viewer/dist"), note: None });
    assert_eq!(place.installations(), 0);
}

/// Checks a build without a page: it goes on, names the reason and the remedy; on request it fails.
#[track_caller]
fn goes_on_without(place: &Place, reasons: &[&str]) {
    let note = absent(place.answer(Choice::Automatic, true));
    mentions(note.clone(), reasons);
    mentions(note, &["neither the live page nor --report", "HEURT_PAGE=build cargo build --release"]);
    let Page::Refused { reason } = place.answer(Choice::Build, true) else { panic!("a page from nowhere") };
    mentions(Some(reason), reasons);
    assert!(!place.at("out/viewer").exists());

    place.build_dist(1_000);
    let (folder, note) = built(place.answer(Choice::Automatic, true));
    assert_eq!(folder, place.at("viewer/dist"), "an old page is better than none");
    mentions(note, &["older than its sources"]);
}

#[test]
fn without_npm_or_node_the_build_goes_on() {
    let mut place = Place::new(NPM, NODE);
    place.npm.npm = place.at("nowhere");
    goes_on_without(&place, &["npm is not installed"]);
    let mut place = Place::new(NPM, NODE);
    place.npm.node = place.at("nowhere");
    goes_on_without(&place, &["Node is not installed"]);
}

#[test]
fn an_old_node_is_named() {
    for version in ["v18.20.1", "v20.18.9", "new"] {
        let place = Place::new(NPM, &format!("echo {version}"));
        goes_on_without(&place, &[version, "is older than 20.19"]);
        assert_eq!(place.installations(), 0);
    }
}

#[test]
fn a_failure_is_named_with_its_line() {
    let fails = "[ $1 = --version ] && exit; echo one; echo npm error code ENOTFOUND >&2; echo npm error more; exit 1";
    goes_on_without(&Place::new(fails, NODE), &["`npm ci` failed", "npm error code ENOTFOUND", "npm.log"]);
    let node = "[ $1 = --version ] && echo v20.19.0 && exit; echo 'no such module'; exit 3";
    goes_on_without(&Place::new(NPM, node), &["`node build.mjs` failed", "no such module"]);
    let silent = "[ $1 = --version ] && echo v20.19.0 && exit; exit 3";
    goes_on_without(&Place::new(NPM, silent), &["exit status: 3"]);
    let lazy = "[ $1 = --version ] && echo v20.19.0 && exit; mkdir dist";
    goes_on_without(&Place::new(NPM, lazy), &["npm built no index.html"]);
    goes_on_without(&Place::new("exit 4", NODE), &["npm does not run: exit status: 4"]);
}

#[test]
fn npm_that_hangs_is_ended() {
    let mut place = Place::new("[ $1 = --version ] && exit; exec sleep 1000", NODE);
    place.npm.limit = Duration::from_millis(100);
    goes_on_without(&place, &["`npm ci` did not end within 0.1 s"]);
}

#[test]
fn a_package_without_the_sources_of_the_page_is_named() {
    let place = Place::new(NPM, NODE);
    fs::remove_dir_all(place.at("viewer")).unwrap();
    mentions(absent(place.answer(Choice::Automatic, true)), &["its sources are not in"]);
    assert_eq!(place.installations(), 0);
}
