//! Puts the files of the live page into the program, if npm has built them.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// The files of `viewer/dist` that the program serves.
const FILES: [&str; 6] = ["index.html", "viewer.js", "viewer.css", "report.html", "report.js", "report.css"];

fn main() {
    let root = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the folder of the package");
    let built = Path::new(&root).join("../../viewer/dist");
    let mut text =
        String::from("/// Names and bytes of the files.\npub(crate) const PAGE_FILES: &[(&str, &[u8])] = &[\n");
    for name in FILES {
        let file = built.join(name);
        if file.is_file() {
            println!("cargo:rerun-if-changed={}", file.display());
            let path = fs::canonicalize(&file).expect("the file is there");
            writeln!(text, "    ({name:?}, include_bytes!({path:?})),").expect("memory takes text");
        }
    }
    text.push_str("];\n");
    // The folder is in the repository, empty until npm builds the page.
    println!("cargo:rerun-if-changed={}", built.display());
    println!("cargo:rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").expect("cargo sets the folder of outputs");
    fs::write(Path::new(&out).join("page_files.rs"), text).expect("the folder of outputs takes files");
}
