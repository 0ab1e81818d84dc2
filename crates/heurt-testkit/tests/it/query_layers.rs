//! The layers of `heurt-query`, checked: a folder imports only from lower floors; kernels import no verb.
//!
//! In: the sources of the crate. Out: a list of imports that point up.

use crate::sources::{code, root, sources};

/// Folders and files of the crate from the ground floor up. On the floor of verbs they may import each other: operands that are
/// made of others ask the verbs about their pieces.
const FLOORS: [&[&str]; 9] = [
    &["numeric", "answer"],
    &["triangle"],
    &["mesh"],
    &["convex", "motion"],
    &["depth"],
    &["compound", "superquadric", "overlap", "distance", "closest", "ray", "contains", "contact", "pairs", "ccd"],
    &["coherence"],
    &["cast"],
    &["batch", "algorithm", "contact_kind", "local_depth", "budget"],
];

/// The floor of verbs.
const VERBS: usize = 5;

/// The floor of a folder, or of a file next to the folders.
fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// The first names of all paths that begin with `crate::`.
fn imports(code: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let first = |text: &str| text.trim_start().chars().take_while(|&c| is_name(c)).collect::<String>();
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            names.push(first(rest));
            continue;
        };
        let (mut depth, mut starts_item) = (0, true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => starts_item = true,
                _ if starts_item && is_name(c) => {
                    names.push(first(&group[at..]));
                    starts_item = false;
                }
                _ => {}
            }
        }
    }
    names
}

/// What is wrong with an import, and the remedy.
fn fault(room: &str, import: &str) -> Option<String> {
    let Some(from) = floor(room) else { return Some(format!("`{room}` has no floor: add it to FLOORS")) };
    let Some(to) = floor(import) else {
        return Some(format!("`{room}` imports `crate::{import}`: name the folder that defines it"));
    };
    let is_allowed = to < from || import == room || (to == from && from == VERBS);
    (!is_allowed)
        .then(|| format!("`{room}` (floor {from}) imports `{import}` (floor {to}): import from lower floors only"))
}

#[test]
fn imports_point_to_lower_floors() {
    let mut faults = Vec::new();
    for source in sources(&root().join("crates/heurt-query/src")) {
        let room = source.path.split(['/', '.']).next().unwrap_or_default();
        if room != "lib" {
            let found = imports(&code(&source.text)).into_iter().filter_map(|import| fault(room, &import));
            faults.extend(found.map(|fault| format!("{}: {fault}", source.path)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn imports_that_point_up_are_found() {
    assert_eq!(imports("use crate::{mesh::{a, b}, convex};\nlet x = crate::depth::y(1);"), ["mesh", "convex", "depth"]);
    for (room, import) in [("mesh", "answer"), ("overlap", "distance"), ("convex", "convex"), ("batch", "cast")] {
        assert_eq!(fault(room, import), None, "{room} {import}");
    }
    for (room, import) in [("mesh", "overlap"), ("convex", "motion"), ("depth", "cast"), ("mesh", "Contact")] {
        assert!(fault(room, import).is_some(), "{room} {import}");
    }
}
