//! Names of types, checked: within a crate each name belongs to one type.
//!
//! In: the sources of the crates. Out: names that several files define.

use crate::sources::{code, crates, sources};
use std::collections::{BTreeMap, BTreeSet};

/// Names that several files may define: one type that has an implementation for each set of instructions.
const ALLOWED: [(&str, &str); 1] = [("heurt-bvh", "Avx2")];

/// The names of the types and traits that stand at the beginning of a line.
fn defined(code: &str) -> Vec<&str> {
    let words = ["struct ", "enum ", "trait ", "type ", "union "];
    let name = |line| -> Option<&str> {
        let rest = without_visibility(line);
        let rest = words.iter().find_map(|word| rest.strip_prefix(word))?;
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
    };
    code.lines().filter_map(name).collect()
}

/// A line without `pub` or `pub(…)`.
fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    match rest.strip_prefix('(') {
        Some(inner) => inner.split_once(") ").map_or(line, |(_, rest)| rest),
        None => rest.trim_start(),
    }
}

#[test]
fn type_names_are_unique_within_a_crate() {
    let mut faults = Vec::new();
    for (name, folder) in crates() {
        let mut homes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in sources(&folder) {
            for defined in defined(&code(&source.text)) {
                homes.entry(defined.to_owned()).or_default().insert(source.path.clone());
            }
        }
        homes.retain(|defined, files| files.len() > 1 && !ALLOWED.contains(&(name.as_str(), defined.as_str())));
        faults.extend(
            homes.iter().map(|(defined, files)| format!("{name}: `{defined}` in {files:?}: qualify the names")),
        );
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn definitions_are_found() {
    let code = "pub struct A;\npub(crate) enum B {\n    C,\n}\ntrait D<T> {\n    type E;\n}\ntype F = u8;\npub(in crate::x) union G {";
    assert_eq!(defined(code), ["A", "B", "D", "F", "G"]);
}
