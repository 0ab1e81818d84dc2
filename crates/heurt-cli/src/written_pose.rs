//! Poses as options give them: `x,y,z`, `x,y,z,qx,qy,qz,qw`, JSON as in a query, or `@file` with one of these. The
//! three lengths may have units.

use crate::length_option::in_one_unit;
use crate::units::Units;
use crate::{Failure, load};
use heurt::geometry::{Pose, PoseError, Vec3};
use heurt::io::{Length, LengthError, LengthUnit};
use heurt::scene::describe::{FieldError, fields, parse_json, read_pose};
use serde_json::Value;
use std::path::Path;

/// A pose, and the unit of its translation if the option gives one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WrittenPose {
    pub(crate) pose: Pose,
    pub(crate) unit: Option<LengthUnit>,
}

impl WrittenPose {
    /// Returns the pose in the unit of coordinates; `option` is named in the failure.
    pub(crate) fn in_units(self, option: &'static str, units: Units) -> Result<Pose, Failure> {
        match (self.unit, units.0) {
            (None, _) => Ok(self.pose),
            (Some(unit), Some(target)) if unit == target => Ok(self.pose),
            (Some(unit), Some(target)) => {
                let translation = self.pose.translation() * unit.factor_to(target);
                Pose::from_matrix(*self.pose.rotation(), translation)
                    .map_err(|source| Failure::BadPose { option, source })
            }
            (Some(unit), None) => Err(Failure::NoLength { option, source: unknown_unit(&self.pose, unit) }),
        }
    }
}

/// Makes the error of a pose with a unit where the unit of the coordinates is unknown; shows its longest coordinate.
pub(crate) fn unknown_unit(pose: &Pose, unit: LengthUnit) -> LengthError {
    let coordinates = pose.translation().to_array();
    let value = coordinates.into_iter().fold(0.0, |most: f64, one| if one.abs() > most.abs() { one } else { most });
    LengthError::UnknownCoordinates { length: Length { value, unit: Some(unit) } }
}

/// Reads the value of a command-line option.
pub(crate) fn pose_from_option(option: &'static str, value: &str) -> Result<WrittenPose, Failure> {
    let refuse = |reason: String| Failure::NoPose { option, reason };
    let numbers = match Written::read(value, refuse)? {
        Written::Json(value) => {
            let pose = read_pose("pose", value).map_err(|error| refuse(error.to_string()))?;
            return Ok(WrittenPose { pose, unit: None });
        }
        Written::Numbers(numbers) => numbers,
    };
    let (lengths, quaternion) = numbers.split_at(numbers.len().min(3));
    if let Some(number) = quaternion.iter().find(|number| number.unit.is_some()) {
        return Err(refuse(format!("{number} has a unit, but the numbers of a quaternion have none")));
    }
    let (translation, unit) = in_one_unit(lengths).map_err(refuse)?;
    let pose: Result<Pose, PoseError> = match (&*translation, quaternion) {
        (&[x, y, z], []) => Pose::from_translation(Vec3::new(x, y, z)),
        (&[x, y, z], [qx, qy, qz, qw]) => {
            Pose::from_quaternion([qx.value, qy.value, qz.value, qw.value], Vec3::new(x, y, z))
        }
        _ => return Err(refuse(format!("{} numbers are neither 3 nor 7", numbers.len()))),
    };
    let pose = pose.map_err(|source| Failure::BadPose { option, source })?;
    Ok(WrittenPose { pose, unit })
}

/// Returns the file that the value of such an option names.
pub(crate) fn file_of(value: &str) -> Option<&Path> {
    value.strip_prefix('@').map(Path::new)
}

/// The value of an option: numbers with commas or JSON, written out or in a file.
pub(crate) enum Written {
    Json(Value),
    Numbers(Vec<Length>),
}

impl Written {
    /// Reads `1,2,3` or JSON, or `@file` with one of these.
    pub(crate) fn read(value: &str, refuse: impl Fn(String) -> Failure) -> Result<Self, Failure> {
        let stored;
        let text = match file_of(value) {
            Some(path) => {
                stored = load::read_bytes(path)?;
                std::str::from_utf8(&stored).map_err(|_| refuse(format!("the file {} is no text", path.display())))?
            }
            None => value,
        };
        let text = text.trim_start_matches('\u{feff}').trim();
        if !text.starts_with(['{', '[']) {
            let number = |word: &str| {
                word.parse().map_err(|error| match error {
                    LengthError::NoNumber { .. } => refuse(format!("`{}` is no number", fields::shortened(word))),
                    other => refuse(other.to_string()),
                })
            };
            return text.split(',').map(number).collect::<Result<_, _>>().map(Self::Numbers);
        }
        let (value, repeated) = parse_json(text.as_bytes()).map_err(|error| refuse(error.to_string()))?;
        match repeated {
            Some(field) => Err(refuse(FieldError::Repeated { field }.to_string())),
            None => Ok(Self::Json(value)),
        }
    }
}
