//! Tree file: the choice of tree of `heurt tune`, for other commands.
//!
//! TOML: `volume`, `degree`, `builder`, `leaf_size`, `axes`. A missing key has the value of `TreeChoice::default`; an
//! unknown key is an error, and so is a file that chooses nothing.

use super::{FileError, SceneFiles};
use heurt_bvh::{BoxAxes, Builder, VolumeKind};
use heurt_shape::{Degree, TreeChoice};
use serde::{Deserialize, Serialize};
use std::path::Path;
use thiserror::Error;

/// Largest length of a tree file, in bytes.
pub const LONGEST_TREE: u64 = 1 << 16;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeFile {
    volume: Option<String>,
    degree: Option<u32>,
    builder: Option<String>,
    leaf_size: Option<u32>,
    axes: Option<String>,
}

/// Reads the choice of a file.
///
/// # Errors
/// [`FileError`] for a file that cannot be read, or that chooses no tree.
pub fn read_tree(files: &dyn SceneFiles, path: &Path) -> Result<TreeChoice, FileError> {
    let unreadable = |source| FileError::Unreadable { path: path.to_owned(), source };
    // One byte above the limit, to distinguish a file that ends from a longer one.
    let bytes = files.read(path, LONGEST_TREE + 1).map_err(unreadable)?;
    parse_tree(&bytes).map_err(|reason| FileError::NoTree { path: path.to_owned(), reason })
}

/// Errors of the text of a tree file.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TreeTextError {
    /// There are too many bytes.
    #[error("it is longer than {LONGEST_TREE} bytes")]
    TooLong,
    /// A line is not UTF-8.
    #[error("line {line} is no text")]
    NoText {
        /// Number of the line, from 1.
        line: usize,
    },
    /// The text is no TOML, or has an unknown key or a value of another type.
    #[error("{}{cause}", line.map_or(String::new(), |line| format!("line {line}: ")))]
    NoToml {
        /// Number of the line, from 1, if it is known.
        line: Option<usize>,
        /// The report of the reader of TOML.
        cause: String,
    },
    /// No key is given.
    #[error("it chooses nothing: give `volume`, `degree`, `builder`, `leaf_size` or `axes`")]
    Empty,
    /// A key has a value that it may not have.
    #[error("`{key}` is {value}: give {legal}")]
    NoChoice {
        /// The key.
        key: &'static str,
        /// The value as it was given.
        value: String,
        /// The values that the key may have.
        legal: String,
    },
}

/// Parses the bytes of a tree file.
///
/// # Errors
/// [`TreeTextError`] for bytes that are not as the module's head describes.
pub fn parse_tree(bytes: &[u8]) -> Result<TreeChoice, TreeTextError> {
    if bytes.len() as u64 > LONGEST_TREE {
        return Err(TreeTextError::TooLong);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        TreeTextError::NoText { line }
    })?;
    // Some editors begin a text with a byte-order mark.
    parse(text.trim_start_matches('\u{feff}'))
}

fn parse(text: &str) -> Result<TreeChoice, TreeTextError> {
    let line_of = |start: usize| 1 + text.as_bytes().iter().take(start).filter(|&&byte| byte == b'\n').count();
    let file: TreeFile = toml::from_str(text).map_err(|error| TreeTextError::NoToml {
        line: error.span().map(|span| line_of(span.start)),
        cause: error.message().replace('\n', " "),
    })?;
    if file == TreeFile::default() {
        return Err(TreeTextError::Empty);
    }
    let mut choice = TreeChoice::default();
    if let Some(name) = file.volume {
        choice.volume = named("volume", &name, &VolumeKind::ALL, |volume| volume.name())?;
    }
    if let Some(name) = file.builder {
        choice.builder = named("builder", &name, &Builder::ALL, |builder| builder.name())?;
    }
    if let Some(children) = file.degree {
        let degree = Degree::ALL.into_iter().find(|degree| degree.children() == children);
        choice.degree = degree.ok_or_else(|| no_choice("degree", children.to_string(), "2, 4 or 8".to_owned()))?;
    }
    if let Some(size) = file.leaf_size {
        choice.leaf_size = if (1..=8).contains(&size) {
            size
        } else {
            return Err(no_choice("leaf_size", size.to_string(), "1 to 8".to_owned()));
        };
    }
    if let Some(name) = file.axes {
        choice.axes = named("axes", &name, &BoxAxes::ALL, |axes| axes.name())?;
    }
    Ok(choice)
}

fn no_choice(key: &'static str, value: String, legal: String) -> TreeTextError {
    TreeTextError::NoChoice { key, value, legal }
}

/// Returns the element of `all` with the name `name`.
fn named<T: Copy>(
    key: &'static str,
    name: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, TreeTextError> {
    let names = || all.iter().map(|&one| name_of(one)).collect::<Vec<_>>().join(", ");
    let found = all.iter().copied().find(|&one| name_of(one) == name);
    found.ok_or_else(|| no_choice(key, format!("`{name}`"), format!("one of {}", names())))
}

/// Returns the text of a file that holds `choice`, with its reasons as comments.
pub fn tree_text(choice: &TreeChoice, comments: &[String]) -> String {
    let file = TreeFile {
        volume: Some(choice.volume.name().to_owned()),
        degree: Some(choice.degree.children()),
        builder: Some(choice.builder.name().to_owned()),
        leaf_size: Some(choice.leaf_size),
        axes: choice.volume.has_axes().then(|| choice.axes.name().to_owned()),
    };
    let comments: String = comments.iter().map(|line| format!("# {line}\n")).collect();
    // Numbers and names are always valid TOML.
    comments + &toml::to_string(&file).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_survives_a_round_trip() {
        for volume in VolumeKind::ALL {
            for degree in Degree::ALL {
                for (builder, leaf_size) in Builder::ALL.into_iter().zip([1, 2, 3, 4, 5, 6, 7, 8, 1, 8]) {
                    let every = if volume.has_axes() { &BoxAxes::ALL[..] } else { &[BoxAxes::Best] };
                    for &axes in every {
                        let choice = TreeChoice { volume, degree, builder, leaf_size, axes };
                        assert_eq!(parse(&tree_text(&choice, &["why".to_owned()])), Ok(choice));
                    }
                }
            }
        }
        let eight = parse("degree = 8").expect("the other keys may be missing");
        assert_eq!(eight, TreeChoice::default());
        assert_eq!(parse_tree("\u{feff}degree = 8\n".as_bytes()), Ok(eight));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, words) in [
            ("volume = \"cube\"", "`volume` is `cube`: give one of aabb"),
            ("degree = 3", "`degree` is 3: give 2, 4 or 8"),
            ("leaf_size = 9", "`leaf_size` is 9: give 1 to 8"),
            ("builder = \"fast\"", "`builder` is `fast`"),
            ("axes = \"x\"", "`axes` is `x`: give one of vertices, hull, best"),
            ("degree = 4\n\ndepth = 3", "line 3: unknown field `depth`"),
            ("\nvolume = ", "line 2: "),
            ("", "it chooses nothing: give `volume`"),
            ("# volume = \"obb\"\n", "it chooses nothing"),
            ("degree = -1", "invalid value"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        assert_eq!(parse_tree(b"degree = 8\n\xff\x00"), Err(TreeTextError::NoText { line: 2 }));
        let long = format!("degree = 8\n{}", "#\n".repeat(LONGEST_TREE as usize / 2));
        assert_eq!(parse_tree(long.as_bytes()), Err(TreeTextError::TooLong));
        assert_eq!(parse_tree(&long.as_bytes()[..LONGEST_TREE as usize]), Ok(TreeChoice::default()));
    }
}
