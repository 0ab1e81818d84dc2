//! The size of rooms, checked: no folder of sources holds more files than a reader can survey.

use crate::sources::{crates, root, sources};
use std::collections::BTreeMap;

/// Files in one folder: about what one sees at a glance in a listing of two columns.
const MAX_FILES: usize = 25;

/// The folders with more files than that.
fn heaps(paths: impl Iterator<Item = String>) -> Vec<String> {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths {
        *count.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()).or_default() += 1;
    }
    let heaps = count.into_iter().filter(|&(_, count)| count > MAX_FILES);
    heaps.map(|(folder, count)| format!("{folder}: {count} files, at most {MAX_FILES}: divide the folder")).collect()
}

#[test]
fn no_folder_is_a_heap() {
    let mut folders: Vec<_> = crates();
    folders.push(("bench".to_owned(), root().join("bench/src")));
    let paths = folders
        .iter()
        .flat_map(|(name, folder)| sources(folder).into_iter().map(move |source| format!("{name}/{}", source.path)));
    let heaps = heaps(paths);
    assert!(heaps.is_empty(), "{}", heaps.join("\n"));
}

#[test]
fn heaps_are_found() {
    let files = |count: usize| (0..count).map(|number| format!("a/b/{number}.rs"));
    assert!(heaps(files(MAX_FILES)).is_empty());
    assert_eq!(heaps(files(MAX_FILES + 1)).len(), 1);
}
