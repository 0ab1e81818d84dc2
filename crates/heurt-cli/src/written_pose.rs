//! Poses as options give them: `x,y,z`, `x,y,z,qx,qy,qz,qw`, JSON as in a query, or `@file` with one of these.

use crate::{Failure, load};
use heurt::geometry::{Pose, Vec3};
use heurt::scene::describe::{FieldError, fields, parse_json, read_pose};
use serde_json::Value;
use std::path::Path;

/// Reads the value of a command-line option.
pub(crate) fn pose_from_option(option: &'static str, value: &str) -> Result<Pose, Failure> {
    let refuse = |reason: String| Failure::NoPose { option, reason };
    let numbers = match Written::read(value, refuse)? {
        Written::Json(value) => return read_pose("pose", value).map_err(|error| refuse(error.to_string())),
        Written::Numbers(numbers) => numbers,
    };
    let pose = match *numbers {
        [x, y, z] => Pose::from_translation(Vec3::new(x, y, z)),
        [x, y, z, qx, qy, qz, qw] => Pose::from_quaternion([qx, qy, qz, qw], Vec3::new(x, y, z)),
        _ => return Err(refuse(format!("{} numbers are neither 3 nor 7", numbers.len()))),
    };
    pose.map_err(|source| Failure::BadPose { option, source })
}

/// Returns the file that the value of such an option names.
pub(crate) fn file_of(value: &str) -> Option<&Path> {
    value.strip_prefix('@').map(Path::new)
}

/// The value of an option: numbers with commas or JSON, written out or in a file.
pub(crate) enum Written {
    Json(Value),
    Numbers(Vec<f64>),
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
                word.trim().parse().map_err(|_| refuse(format!("`{}` is no number", fields::shortened(word))))
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
