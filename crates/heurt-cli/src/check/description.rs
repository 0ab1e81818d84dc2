//! Assembly files: TOML or JSON that names mesh files, their poses, scales, units and copies.
//!
//! In: a file of `[[part]]` tables with `file`, `name`, `pose`, `scale`, `unit`, `part`, `count` and `spacing`; a
//! top-level `unit` is the unit of poses and spacings, and of files that declare none. Out: [`Description`]; a fault
//! names line and key (TOML) or key (JSON). Paths begin from the folder of the file. The keys are those of a body of a
//! scene (docs/scenes.md).

use crate::{Failure, load};
use heurt::geometry::{Pose, Vec3};
use heurt::io::LengthUnit;
use heurt::scene::describe::parse_json;
use heurt::scene::describe::{FieldError, Fields, fields};
use heurt::scene::describe::{Located, LocatedFault};
use heurt::scene::describe::{read_pose, read_scale, read_unit};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Number of parts that one table may represent: the limit of bodies of a scene.
const MAX_COPIES: u64 = 1 << 20;

/// An assembly file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Description {
    /// The unit of poses and spacings.
    pub(super) unit: Option<LengthUnit>,
    pub(super) parts: Vec<DescribedPart>,
}

/// One table of an assembly file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DescribedPart {
    pub(super) file: PathBuf,
    pub(super) name: Option<String>,
    pub(super) pose: Pose,
    /// Factors along the axes of the file; a negative one mirrors.
    pub(super) scale: Vec3,
    pub(super) unit: Option<LengthUnit>,
    /// A pattern of the selected parts of the file.
    pub(super) part: Option<String>,
    pub(super) count: u64,
    pub(super) spacing: Vec3,
}

/// Reports whether a path has the extension of an assembly file.
pub(super) fn is_description(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    extension.eq_ignore_ascii_case("toml") || extension.eq_ignore_ascii_case("json")
}

/// Reads an assembly file.
pub(super) fn read(path: &Path) -> Result<Description, Failure> {
    let refuse = |line: Option<usize>, reason: String| Failure::BadAssembly { path: path.to_owned(), line, reason };
    let bytes = load::read_bytes(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| refuse(None, "the file is no UTF-8 text".to_owned()))?;
    let text = text.trim_start_matches('\u{feff}');
    let folder = path.parent().unwrap_or(Path::new(""));
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        let (value, repeated) =
            parse_json(text.as_bytes()).map_err(|error| refuse(Some(error.line()), error.to_string()))?;
        if let Some(field) = repeated {
            return Err(refuse(None, FieldError::Repeated { field }.to_string()));
        }
        return description(value, folder).map_err(|error| refuse(None, error.to_string()));
    }
    let mut located = Located::parse(text).map_err(|LocatedFault { line, reason, .. }| refuse(Some(line), reason))?;
    description(located.take(), folder).map_err(|error| {
        let LocatedFault { line, reason, .. } = located.fault(&error);
        refuse(Some(line), reason)
    })
}

fn description(value: Value, folder: &Path) -> Result<Description, FieldError> {
    let mut fields = Fields::open("", value)?;
    fields.only(&[&["unit", "part"]])?;
    let unit = fields.optional("unit", read_unit)?;
    let read = |path: &str, value: Value| part(path, value, folder);
    let parts = fields.required("part", "a list of parts", |path, value| fields::list(path, value, read))?;
    match parts.is_empty() {
        true => Err(FieldError::refused("part", "[]", "the list is empty: give at least one part")),
        false => Ok(Description { unit, parts }),
    }
}

fn part(path: &str, value: Value, folder: &Path) -> Result<DescribedPart, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["file", "name", "pose", "scale", "unit", "part", "count", "spacing"]])?;
    let file = fields.required("file", "the name of a mesh file", fields::text)?;
    Ok(DescribedPart {
        file: folder.join(file),
        name: fields.optional("name", name)?,
        pose: fields.optional("pose", read_pose)?.unwrap_or(Pose::IDENTITY),
        scale: fields.optional("scale", read_scale)?.unwrap_or(Vec3::ONE),
        unit: fields.optional("unit", read_unit)?,
        part: fields.optional("part", fields::text)?,
        count: fields.optional("count", count)?.unwrap_or(1),
        spacing: fields.optional("spacing", fields::vector)?.unwrap_or(Vec3::ZERO),
    })
}

fn name(path: &str, value: Value) -> Result<String, FieldError> {
    let name = fields::text(path, value.clone())?;
    if name.is_empty() { Err(FieldError::wrong(path, &value, "a name")) } else { Ok(name) }
}

fn count(path: &str, value: Value) -> Result<u64, FieldError> {
    match fields::count(path, value.clone())? {
        count if (1..=MAX_COPIES).contains(&count) => Ok(count),
        _ => Err(FieldError::wrong(path, &value, format!("a number of 1 to {MAX_COPIES}"))),
    }
}
