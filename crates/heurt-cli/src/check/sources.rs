//! Inputs of `heurt check` as files with their placements: mesh files, folders, and assembly files.
//!
//! In: paths from the user. Out: [`Source`]s in their order; inputs that cannot be used become failures, and all other
//! inputs are still used.

use super::AssemblyArguments;
use super::description::{self, DescribedPart};
use crate::units::Units;
use crate::written_pose::{WrittenPose, pose_from_option};
use crate::{Failure, load};
use heurt::geometry::{Pose, Vec3};
use heurt::io::LengthUnit;
use heurt::scene::FileNote;
use std::path::PathBuf;

/// A mesh file and the placement of its parts.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) file: PathBuf,
    /// The name from the user; without it, parts are named by the file.
    pub(super) name: Option<String>,
    /// True if the assembly file has more than one copy: then all are numbered from 1.
    pub(super) is_copy: bool,
    /// The pose of the file's frame; `None` is the identity.
    pub(super) pose: Option<Pose>,
    /// The unit of the translation of the pose, if the assembly file declares one; else the unit of the report.
    pub(super) pose_unit: Option<LengthUnit>,
    /// Factors along the axes of the file, before the pose.
    pub(super) scale: Vec3,
    /// The unit of the file's coordinates, in place of the declared one.
    pub(super) unit: Option<LengthUnit>,
    /// The unit if neither the user nor the file declares one.
    pub(super) default_unit: Option<LengthUnit>,
    /// A pattern of the selected parts.
    pub(super) part: Option<String>,
}

impl Source {
    /// Makes the source of a file in its own frame.
    fn plain(file: PathBuf, pose: Option<WrittenPose>) -> Self {
        let (name, unit, default_unit, part) = (None, None, None, None);
        let (pose, pose_unit) = (pose.map(|pose| pose.pose), pose.and_then(|pose| pose.unit));
        Self { file, name, is_copy: false, pose, pose_unit, scale: Vec3::ONE, unit, default_unit, part }
    }
}

/// The sources of all inputs.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) list: Vec<Source>,
    pub(super) failures: Vec<Failure>,
    pub(super) warnings: Vec<FileNote>,
    /// Units of poses in assembly files.
    pub(super) units: Vec<LengthUnit>,
}

impl Sources {
    /// Expands the inputs of the arguments.
    pub(super) fn of(arguments: &AssemblyArguments) -> Result<Self, Failure> {
        let placement = placements(arguments)?;
        let mut sources = Self::default();
        for (index, input) in arguments.inputs.iter().enumerate() {
            let pose = placement.get(index).copied().flatten();
            if description::is_description(input) && input.is_file() {
                match description::read(input) {
                    Ok(found) => {
                        sources.units.extend(found.unit);
                        let pose =
                            pose.map(|pose| pose.in_units("--pose-a, --pose-b", Units(found.unit))).transpose()?;
                        let copies = found.parts.iter().flat_map(|part| copies(part, found.unit, pose));
                        for copy in copies {
                            match copy {
                                Ok(source) => sources.list.push(source),
                                Err(reason) => {
                                    let path = input.clone();
                                    sources.failures.push(Failure::BadAssembly { path, line: None, reason });
                                    break;
                                }
                            }
                        }
                    }
                    Err(failure) => sources.failures.push(failure),
                }
                continue;
            }
            match load::files_of(input, arguments.reading.recursive) {
                Ok(found) => {
                    sources.warnings.extend(found.warnings());
                    sources.list.extend(found.files.into_iter().map(|file| Source::plain(file, pose)));
                    sources.failures.extend(found.failures);
                }
                Err(failure) => sources.failures.push(failure),
            }
        }
        Ok(sources)
    }
}

/// Reads the poses of the first and the second of two inputs.
fn placements(arguments: &AssemblyArguments) -> Result<Vec<Option<WrittenPose>>, Failure> {
    let poses = [("--pose-a", &arguments.pose_a), ("--pose-b", &arguments.pose_b)];
    let count = arguments.inputs.len();
    if count != 2 && poses.iter().any(|(_, pose)| pose.is_some()) {
        return Err(Failure::PoseWithoutPair { count });
    }
    let read = |(option, value): (&'static str, &Option<String>)| {
        value.as_deref().map(|value| pose_from_option(option, value)).transpose()
    };
    poses.into_iter().map(read).collect()
}

/// Returns the copies that a table of an assembly file represents; `outer` places the whole file.
fn copies(
    part: &DescribedPart,
    unit: Option<LengthUnit>,
    outer: Option<Pose>,
) -> impl Iterator<Item = Result<Source, String>> {
    (0..part.count).map(move |number| {
        let pose = part.pose.shifted(part.spacing * number as f64).map_err(|error| error.to_string())?;
        let pose = outer.map_or(pose, |outer| outer.compose(&pose));
        Ok(Source {
            file: part.file.clone(),
            name: part.name.clone(),
            is_copy: part.count > 1,
            pose: Some(pose),
            pose_unit: unit,
            scale: part.scale,
            unit: part.unit,
            default_unit: unit,
            part: part.part.clone(),
        })
    })
}
