//! The small file in which `heurt tune` keeps its choice of tree, and which other commands take.
//!
//! TOML: `volume`, `degree`, `builder`, `leaf_size`, `axes`; a missing key is that of `TreeChoice::default`, an unknown one an error.

use crate::Failure;
use heurt::bvh::{BoxAxes, Builder, VolumeKind};
use heurt::shape::{Degree, TreeChoice};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// No tree file is longer.
const LONGEST: u64 = 1 << 16;

#[derive(Debug, Default, Serialize, Deserialize)]
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
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    read.map_err(|source| Failure::unreadable(path, source))?;
    parse(&text).map_err(|reason| Failure::BadTreeFile { path: path.to_owned(), reason })
}

fn parse(text: &str) -> Result<TreeChoice, String> {
    let file: TreeFile = toml::from_str(text).map_err(|error| error.message().replace('\n', " "))?;
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

/// The one of `all` that is called `name`.
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

/// The text of a file that holds `choice`, with what led to it as comments.
pub(crate) fn text(choice: &TreeChoice, comments: &[String]) -> String {
    let file = TreeFile {
        volume: Some(choice.volume.name().to_owned()),
        degree: Some(choice.degree.children()),
        builder: Some(choice.builder.name().to_owned()),
        leaf_size: Some(choice.leaf_size),
        axes: choice.volume.has_axes().then(|| choice.axes.name().to_owned()),
    };
    let comments: String = comments.iter().map(|line| format!("# {line}\n")).collect();
    // Numbers and names have nothing that TOML cannot hold.
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
        assert_eq!(parse(""), Ok(TreeChoice::default()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, words) in [
            ("volume = \"cube\"", "`volume` is `cube`: give one of aabb"),
            ("degree = 3", "`degree` is 3: give 2, 4 or 8"),
            ("leaf_size = 9", "`leaf_size` is 9: give 1 to 8"),
            ("builder = \"fast\"", "`builder` is `fast`"),
            ("axes = \"x\"", "`axes` is `x`: give one of vertices, hull, best"),
            ("depth = 3", "unknown field `depth`"),
            ("volume = ", "string"),
            ("degree = -1", "invalid value"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
