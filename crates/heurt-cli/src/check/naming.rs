//! Names of parts: short where that is enough, and unique in the assembly.

use super::assembly::RawPart;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Names a part: by its own name if only its file is checked, by the name of the file if it is the file's only part,
/// else by both.
pub(super) fn part_name(file: &Path, name: &str, siblings: usize, is_alone: bool) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    match (name.is_empty(), siblings, is_alone) {
        (false, _, true) if siblings > 1 => name.to_owned(),
        (_, 1, _) => stem,
        (true, ..) => stem,
        (false, ..) => format!("{stem}/{name}"),
    }
}

/// Makes names unique: names from files by the paths of the files if these differ, and all by numbers.
pub(super) fn make_unique(parts: &mut [RawPart]) {
    let mut file_of: BTreeMap<&str, Option<&Path>> = BTreeMap::new();
    for part in parts.iter().filter(|part| !part.is_named) {
        let file = file_of.entry(&part.name).or_insert(Some(&part.file));
        *file = file.filter(|file| *file == part.file);
    }
    let shared: BTreeSet<String> =
        file_of.iter().filter(|(_, file)| file.is_none()).map(|(name, _)| (*name).to_owned()).collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut next: BTreeMap<String, u64> = BTreeMap::new();
    for part in parts {
        if !part.is_named && shared.contains(&part.name) {
            let stem = part.file.file_stem().map(|stem| stem.to_string_lossy());
            let own = part.name.strip_prefix(stem.as_deref().unwrap_or_default()).unwrap_or_default();
            part.name = format!("{}{own}", part.file.display());
        }
        // The first of several copies has number 1; among different parts of one name only the later ones have a
        // number.
        let number = next.entry(part.name.clone()).or_insert(u64::from(!part.is_copy));
        let mut name = part.name.clone();
        if part.is_copy {
            *number += 1;
            name = format!("{}#{number}", part.name);
        }
        // Numbers only grow, so that many parts of one name cost one search each.
        while !taken.insert(name.clone()) {
            *number += 1;
            name = format!("{}#{number}", part.name);
        }
        part.name = name;
    }
}
