//! Puts the files of the live page into the program.
//!
//! - In: `HEURT_PAGE` ([`Choice`]), the folder `viewer` of the repository.
//! - Out: `page_files.rs` in the folder of outputs; a warning of cargo. Nothing is written elsewhere.

mod npm;
mod page;

use npm::Npm;
use page::{Choice, FILES, Page, Request};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The variable that chooses the page.
const VARIABLE: &str = "HEURT_PAGE";

fn main() {
    let folder = |name: &str| PathBuf::from(env::var_os(name).expect("cargo sets the folders of a package"));
    let repository = folder("CARGO_MANIFEST_DIR").join("../..");
    let (sources, out) = (repository.join("viewer"), folder("OUT_DIR"));
    let choice = Choice::read(env::var_os(VARIABLE), &repository);
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    // A path that does not exist would make cargo run this program each time.
    for path in page::watched(&sources, &choice).iter().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let is_optimised = env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    let page = Request { choice, sources: &sources, out: &out, is_optimised, npm: &Npm::installed() }.answer();
    let folder = match page {
        Page::Built { folder, note } => {
            warn(note);
            Some(folder)
        }
        Page::Absent { note } => {
            warn(note);
            None
        }
        Page::Refused { reason } => {
            println!("cargo::error={}", one_line(&reason));
            None
        }
    };
    fs::write(out.join("page_files.rs"), table(folder.as_deref())).expect("the folder of outputs takes files");
}

fn warn(note: Option<String>) {
    if let Some(note) = note {
        println!("cargo::warning={}", one_line(&note));
    }
}

/// Joins the lines of a message: cargo reads one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes the table of the files as Rust; an empty one without a folder.
fn table(folder: Option<&Path>) -> String {
    let mut text =
        String::from("/// Names and bytes of the files.\npub(crate) const PAGE_FILES: &[(&str, &[u8])] = &[\n");
    for name in folder.map(|_| FILES).into_iter().flatten() {
        let file = folder.expect("names come with a folder").join(name);
        let path = fs::canonicalize(&file).expect("the page is complete");
        writeln!(text, "    ({name:?}, include_bytes!({path:?})),").expect("memory takes text");
    }
    text.push_str("];\n");
    text
}
