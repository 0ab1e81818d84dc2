//! Options that several commands share: the unit of the report, and the rules of reading files and making them solid.

use crate::Failure;
use crate::bodies::split_bodies;
use crate::length_option::LengthArgument;
use crate::load::{self, Buffers, LoadedFile, ReadSettings};
use crate::units::{Units, unit_from_argument};
use clap::{Args, ValueEnum};
use heurt::io::{LengthError, LengthUnit, Treatment};
use heurt::mesh::{SolidifyError, Weld};
use std::path::Path;

/// How files are read and made solid.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReadArguments {
    /// The unit of every length in the report: mm, cm, m, in, ft or um. Files that declare another unit are converted,
    /// files that declare none are taken to be in this one.
    #[arg(long, value_name = "UNIT", value_parser = unit_from_argument)]
    pub(crate) unit: Option<LengthUnit>,
    /// The unit of the coordinates in the files, in place of a unit that they declare or fail to declare.
    #[arg(long, value_name = "UNIT", value_parser = unit_from_argument)]
    pub(crate) file_unit: Option<LengthUnit>,
    /// Merges vertices nearer than this where that closes an open mesh: `auto` (4 ulp of an f32 at the size of the
    /// part), a length, or 0 for none.
    #[arg(long, value_name = "LENGTH", default_value = "auto", value_parser = weld_from_argument,
        allow_hyphen_values = true)]
    pub(crate) weld: WeldArgument,
    /// Makes one part of each file (as the format has parts), of each object in it, or of each body that hangs
    /// together.
    #[arg(long, value_enum, value_name = "BY", default_value_t = Split::File)]
    pub(crate) split: Split,
    /// Searches the sub-folders of folders, too.
    #[arg(long)]
    pub(crate) recursive: bool,
}

/// The unit of input that becomes a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Split {
    /// As the format has parts: a file, or each node of a scene.
    File,
    /// Each object or group of an OBJ file, each solid of a text STL file.
    Objects,
    /// Each body: the shells that hang together, with their cavities.
    Bodies,
}

/// The value of `--weld`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum WeldArgument {
    Auto,
    None,
    Within(LengthArgument),
}

impl WeldArgument {
    /// Returns the rule of welding for coordinates in a unit.
    pub(crate) fn in_units(self, units: Units) -> Result<Weld, Failure> {
        Ok(match self {
            Self::Auto => Weld::Auto,
            Self::None => Weld::None,
            Self::Within(length) => Weld::Within(length.in_units("--weld", units)?),
        })
    }
}

/// Reads the value of `--weld`.
pub(crate) fn weld_from_argument(text: &str) -> Result<WeldArgument, String> {
    let legal = "give `auto`, a length of at least 0, or 0 for none";
    match text {
        "auto" => Ok(WeldArgument::Auto),
        _ => match text.parse::<LengthArgument>() {
            Ok(length) if length.0.value == 0.0 => Ok(WeldArgument::None),
            Ok(length) if length.0.value > 0.0 => Ok(WeldArgument::Within(length)),
            Err(error @ LengthError::NoUnit { .. }) => Err(error.to_string()),
            _ => Err(legal.to_owned()),
        },
    }
}

impl ReadArguments {
    /// Reads the readable parts of a file, and splits it into the parts that the options name; `strict` refuses
    /// contents that the readers would skip.
    pub(crate) fn read_parts(&self, path: &Path, strict: bool, buffers: &Buffers) -> Result<LoadedFile, Failure> {
        let settings = ReadSettings { strict, split_objects: self.split == Split::Objects };
        let mut loaded = load::read_parts(path, &settings, buffers)?;
        if let Some(unit) = self.file_unit {
            loaded.model.unit = Some(unit);
            loaded.model.warnings.retain(|warning| warning.treatment != Treatment::UnitIgnored);
        }
        if self.split == Split::Bodies {
            let weld = self.weld_in(loaded.model.unit)?;
            let refuse = |(part, error): (String, SolidifyError)| Failure::BadMesh {
                path: path.to_owned(),
                part,
                source: Box::new(error.into()),
            };
            loaded.model = split_bodies(loaded.model, weld).map_err(refuse)?;
            loaded.part_count = loaded.model.parts.len() + loaded.failures.len();
        }
        Ok(loaded)
    }

    /// Returns the tolerance of welding in the unit that a file declares.
    fn weld_in(&self, declared: Option<LengthUnit>) -> Result<Weld, Failure> {
        let weld = self.weld.in_units(Units(self.unit.or(declared)))?;
        Ok(match (weld, self.unit, declared) {
            (Weld::Within(length), Some(unit), Some(declared)) => Weld::Within(length * unit.factor_to(declared)),
            (weld, ..) => weld,
        })
    }
}
