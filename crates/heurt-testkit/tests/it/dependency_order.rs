//! The order of the rooms, checked: dependencies point from higher crates to lower ones, and never the other way.
//!
//! In: `cargo metadata` of the workspace. Out: a list of arrows that point down, and what to do about each.

use serde_json::Value;
use std::process::Command;

/// The rooms from the ground floor up. Those on one floor do not see each other. A new crate gets its place here.
const FLOORS: [&[&str]; 15] = [
    &["heurt-geometry"],
    &["heurt-bvh"],
    &["heurt-mesh"],
    &["heurt-shape", "heurt-map", "heurt-io"],
    &["heurt-query"],
    &["heurt-broad", "heurt-solid", "heurt-rigid"],
    &["heurt-soft"],
    &["heurt-crowd"],
    &["heurt-world"],
    &["heurt-gpu"],
    &["heurt-view", "heurt-scene"],
    &["heurt-assembly"],
    &["heurt"],
    &["heurt-cli", "heurt-python"],
    &["heurt-testkit", "heurt-fuzz"],
];

/// What only tests may use.
const TESTKIT: &str = "heurt-testkit";

/// What talks to people on a terminal, and the only crates that may.
const TERMINAL: [&str; 6] = ["anyhow", "clap", "clap_complete", "comfy-table", "indicatif", "miette"];
const SPEAKERS: [&str; 2] = ["heurt-cli", "heurt-python"];

/// One line of a `[dependencies]` table.
#[derive(Debug, Clone)]
struct Arrow {
    from: String,
    to: String,
    is_dev: bool,
}

/// The floor of a crate of ours.
fn floor(name: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&name))
}

fn is_ours(name: &str) -> bool {
    name == "heurt" || name.starts_with("heurt-")
}

/// What is wrong with an arrow, and the remedy.
fn fault(arrow: &Arrow) -> Option<String> {
    let Arrow { from, to, is_dev } = arrow;
    if TERMINAL.contains(&to.as_str()) && !SPEAKERS.contains(&from.as_str()) {
        return Some(format!(
            "{from} depends on {to}: only {SPEAKERS:?} speak to people; return a typed error instead"
        ));
    }
    if !is_ours(to) {
        return None;
    }
    if to == TESTKIT {
        let remedy = "move it to [dev-dependencies]";
        return (!is_dev).then(|| format!("{from} depends on {TESTKIT}, which is for tests only: {remedy}"));
    }
    let (Some(below), Some(above)) = (floor(to), floor(from)) else {
        return None; // Crates without a floor are reported once, by name.
    };
    (below >= above).then(|| {
        format!("{from} (floor {above}) depends on {to} (floor {below}): arrows go to a lower floor; move the code, or the wall")
    })
}

/// The members of the workspace and everything that they name.
fn workspace() -> (Vec<String>, Vec<Arrow>) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path", manifest])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata writes JSON");
    let text = |value: &Value| value.as_str().expect("a name").to_owned();
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let names = packages.iter().map(|package| text(&package["name"])).collect();
    let arrows = packages.iter().flat_map(|package| {
        let dependencies = package["dependencies"].as_array().expect("a list of dependencies");
        dependencies.iter().map(|dependency| Arrow {
            from: text(&package["name"]),
            to: text(&dependency["name"]),
            is_dev: dependency["kind"] == "dev",
        })
    });
    (names, arrows.collect())
}

#[test]
fn every_crate_has_a_floor() {
    let (names, _) = workspace();
    assert!(names.iter().any(|name| name == "heurt-geometry"), "the workspace was found: {names:?}");
    let homeless: Vec<_> = names.iter().filter(|name| floor(name).is_none()).collect();
    assert!(homeless.is_empty(), "no floor for {homeless:?}: add each to FLOORS in {} and to ARCHITECTURE.md", file!());
}

#[test]
fn dependencies_point_to_lower_floors() {
    let (_, arrows) = workspace();
    assert!(arrows.iter().any(|arrow| is_ours(&arrow.to)), "there are arrows to check");
    let faults: Vec<String> = arrows.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn arrows_that_point_down_are_found() {
    let arrow = |from: &str, to: &str, is_dev| Arrow { from: from.to_owned(), to: to.to_owned(), is_dev };
    let legal = [
        arrow("heurt-query", "heurt-shape", false),
        arrow("heurt-cli", "heurt", false),
        arrow("heurt-cli", "miette", false),
        arrow("heurt-geometry", "glam", false),
        arrow("heurt-geometry", "heurt-testkit", true),
        arrow("heurt-testkit", "heurt-query", false),
    ];
    for arrow in legal {
        assert_eq!(fault(&arrow), None);
    }
    let faulty = [
        arrow("heurt-geometry", "heurt-bvh", false),
        arrow("heurt-bvh", "heurt-mesh", true),
        arrow("heurt-shape", "heurt-io", false),
        arrow("heurt-query", "heurt-testkit", false),
        arrow("heurt-io", "miette", false),
        arrow("heurt", "heurt-cli", false),
    ];
    for arrow in faulty {
        assert!(fault(&arrow).is_some(), "{arrow:?}");
    }
}
