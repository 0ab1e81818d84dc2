//! Poses as people and programs write them.
//!
//! In: `x,y,z`, `x,y,z,qx,qy,qz,qw`, JSON as in a query, or `@file` with one of these. Out: a [`Pose`], or what is wrong.

use crate::query::fields::{self, FieldError, Fields};
use crate::query::json;
use crate::{Failure, load};
use heurt::geometry::{Mat3, Pose, PoseError, Vec3};
use serde_json::Value;
use std::path::Path;

/// Reads the value of a command-line option.
pub(crate) fn from_option(option: &'static str, value: &str) -> Result<Pose, Failure> {
    let refuse = |reason: String| Failure::NoPose { option, reason };
    let numbers = match Written::read(value, refuse)? {
        Written::Json(value) => return from_json("pose", value).map_err(|error| refuse(error.to_string())),
        Written::Numbers(numbers) => numbers,
    };
    let pose = match *numbers {
        [x, y, z] => Pose::from_translation(Vec3::new(x, y, z)),
        [x, y, z, qx, qy, qz, qw] => Pose::from_quaternion([qx, qy, qz, qw], Vec3::new(x, y, z)),
        _ => return Err(refuse(format!("{} numbers are neither 3 nor 7", numbers.len()))),
    };
    pose.map_err(|source| Failure::BadPose { option, source })
}

/// The file that the value of such an option names.
pub(crate) fn file_of(value: &str) -> Option<&Path> {
    value.strip_prefix('@').map(Path::new)
}

/// The value of an option that is numbers with commas or JSON, there or in a file.
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
        let (value, repeated) = json::parse(text.as_bytes()).map_err(|error| refuse(error.to_string()))?;
        match repeated {
            Some(field) => Err(refuse(FieldError::Repeated { field }.to_string())),
            None => Ok(Self::Json(value)),
        }
    }
}

/// Reads `{"translation":…,"rotation":…}` or `{"matrix":…}`.
pub(crate) fn from_json(path: &str, value: Value) -> Result<Pose, FieldError> {
    let shown = fields::shown(&value);
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["translation", "rotation", "matrix"]])?;
    let matrix = fields.optional("matrix", |path, value| {
        if value.as_array().is_none_or(|rows| rows.len() != 3) {
            return Err(FieldError::wrong(path, &value, "a list of 3 rows of 4 numbers"));
        }
        fields::list(path, value, fields::numbers::<4>)
    })?;
    let translation = fields.optional("translation", fields::vector)?;
    let rotation = fields.optional("rotation", fields::numbers::<4>)?;
    let refuse = |error: PoseError| FieldError::refused(path, shown.clone(), error);
    match (matrix, translation, rotation) {
        (Some(rows), None, None) => {
            let [x, y, z] = [0, 1, 2].map(|row| Vec3::new(rows[row][0], rows[row][1], rows[row][2]));
            let translation = Vec3::new(rows[0][3], rows[1][3], rows[2][3]);
            Pose::from_matrix(Mat3::from_cols(x, y, z).transpose(), translation).map_err(refuse)
        }
        (Some(_), ..) => Err(FieldError::refused(path, shown.clone(), "`matrix` comes alone: leave the others out")),
        (None, translation, None) => Pose::from_translation(translation.unwrap_or(Vec3::ZERO)).map_err(refuse),
        (None, translation, Some(rotation)) => {
            Pose::from_quaternion(rotation, translation.unwrap_or(Vec3::ZERO)).map_err(refuse)
        }
    }
}

/// Tells whether every point of a box stays finite when it is placed, whatever the order of rounding.
pub(crate) fn reaches_finitely(pose: &Pose, bounds: &heurt::geometry::Aabb) -> bool {
    let reach = bounds.min.abs().max(bounds.max.abs());
    let rotation = pose.rotation();
    let [x, y, z] = [rotation.x_axis.abs() * reach.x, rotation.y_axis.abs() * reach.y, rotation.z_axis.abs() * reach.z];
    (x + y + z + pose.translation().abs()).is_finite()
}
