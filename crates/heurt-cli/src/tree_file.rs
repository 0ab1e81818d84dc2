//! Tree file: the choice of tree of `heurt tune`, for other commands.
//!
//! TOML: `volume`, `degree`, `builder`, `leaf_size`, `axes`. A missing key has the value of `TreeChoice::default`; an
//! unknown key is an error, and so is a file that chooses nothing.

use crate::{Failure, load};
use heurt::bvh::{BoxAxes, Builder, VolumeKind};
use heurt::shape::{Degree, TreeChoice};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// Largest length of a tree file, in bytes.
const LONGEST: u64 = 1 << 16;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeFile {
    volume: Option<String>,
    degree: Option<u32>,
    builder: Option<String>,
    leaf_size: Option<u32>,
    axes: Option<String>,
}

/// Reads a choice.
pub(crate) fn read(path: &Path) -> Result<TreeChoice, Failure> {
    let mut bytes = Vec::new();
    // One byte above the limit, to distinguish a file that ends from a longer one.
    let read = load::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    read.map_err(|source| Failure::unreadable(path, source))?;
    choice_in(&bytes).map_err(|reason| Failure::BadTreeFile { path: path.to_owned(), reason })
}

fn choice_in(bytes: &[u8]) -> Result<TreeChoice, String> {
    if bytes.len() as u64 > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        format!("line {line} is no text")
    })?;
    // Some editors begin a text with a byte-order mark.
    parse(text.trim_start_matches('\u{feff}'))
}

fn parse(text: &str) -> Result<TreeChoice, String> {
    let file: TreeFile = toml::from_str(text).map_err(|error| {
        let words = error.message().replace('\n', " ");
        match error.span() {
            Some(span) => {
                let before = text.as_bytes().iter().take(span.start);
                format!("line {}: {words}", 1 + before.filter(|&&byte| byte == b'\n').count())
            }
            None => words,
        }
    })?;
    if file == TreeFile::default() {
        return Err("it chooses nothing: give `volume`, `degree`, `builder`, `leaf_size` or `axes`".to_owned());
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
        choice.degree = degree.ok_or(format!("`degree` is {children}: give 2, 4 or 8"))?;
    }
    if let Some(size) = file.leaf_size {
        choice.leaf_size =
            if (1..=8).contains(&size) { size } else { return Err(format!("`leaf_size` is {size}: give 1 to 8")) };
    }
    if let Some(name) = file.axes {
        choice.axes = named("axes", &name, &BoxAxes::ALL, |axes| axes.name())?;
    }
    Ok(choice)
}

/// Returns the element of `all` with the name `name`.
pub(crate) fn named<T: Copy>(
    field: &str,
    name: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, String> {
    let names = || all.iter().map(|&one| name_of(one)).collect::<Vec<_>>().join(", ");
    all.iter()
        .copied()
        .find(|&one| name_of(one) == name)
        .ok_or_else(|| format!("`{field}` is `{name}`: give one of {}", names()))
}

/// Returns the text of a file that holds `choice`, with its reasons as comments.
pub(crate) fn text(choice: &TreeChoice, comments: &[String]) -> String {
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
                        assert_eq!(parse(&text(&choice, &["why".to_owned()])), Ok(choice));
                    }
                }
            }
        }
        let eight = parse("degree = 8").expect("the other keys may be missing");
        assert_eq!(eight, TreeChoice::default());
        assert_eq!(choice_in("\u{feff}degree = 8\n".as_bytes()), Ok(eight));
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
            let error = parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        assert_eq!(choice_in(b"degree = 8\n\xff\x00"), Err("line 2 is no text".to_owned()));
        let long = format!("degree = 8\n{}", "#\n".repeat(LONGEST as usize / 2));
        assert_eq!(choice_in(long.as_bytes()), Err("it is longer than 65536 bytes".to_owned()));
        assert_eq!(choice_in(&long.as_bytes()[..LONGEST as usize]), Ok(TreeChoice::default()));
    }
}
