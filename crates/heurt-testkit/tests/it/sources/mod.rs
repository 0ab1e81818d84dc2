//! Source files of the workspace, for tests of its structure.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file.
#[derive(Debug)]
pub struct Source {
    /// From the folder that was searched, with `/`.
    pub path: String,
    pub text: String,
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All `.rs` files below a folder, by path.
pub fn sources(folder: &Path) -> Vec<Source> {
    let (mut open, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(&inner).expect("the folder can be listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source file is UTF-8");
                let inside = path.strip_prefix(folder).expect("it lies in the folder");
                found.push(Source { path: inside.to_string_lossy().replace('\\', "/"), text });
            }
        }
    }
    found.sort_by(|x, y| x.path.cmp(&y.path));
    assert!(!found.is_empty(), "there are sources in {}", folder.display());
    found
}

/// The crates with sources: the name and the folder `src` of each.
pub fn crates() -> Vec<(String, PathBuf)> {
    let folders = fs::read_dir(root().join("crates")).expect("the folder can be listed");
    let mut crates: Vec<(String, PathBuf)> = folders
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("src").is_dir())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path.join("src")))
        .collect();
    crates.sort();
    crates
}

/// The code of a file: without comments, and without the unit tests at its end.
pub fn code(text: &str) -> String {
    let product = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    product.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}
