//! Files of the page, built by npm and kept in the program. `build/` of the crate has them built.

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The command that builds a program with the page.
pub(crate) const HOW_TO_BUILD: &str =
    "with Node 20.19 or newer and npm, build it with `HEURT_PAGE=build cargo build --release`";

#[cfg(not(feature = "view"))]
/// The command that builds a program that can serve the page.
pub(crate) const HOW_TO_ENABLE: &str = "build it with `cargo build --release --features view`";

/// Returns a file of the page by its name.
pub(crate) fn file(name: &str) -> Option<&'static [u8]> {
    PAGE_FILES.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

/// Returns the media type of a file of the page.
#[cfg(feature = "view")]
pub(crate) fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        _ => "application/octet-stream",
    }
}
