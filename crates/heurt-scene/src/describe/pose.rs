//! Poses in JSON and TOML.
//!
//! In: JSON as in a query. Out: a [`Pose`], or the error.

use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use heurt_geometry::{Mat3, Pose, PoseError, Vec3, robust_normalize};
use serde_json::Value;

/// The fields of a pose in JSON or TOML.
const FIELDS: [&str; 8] = ["translation", "rotation", "matrix", "axis", "angle", "angle_deg", "rpy", "rpy_deg"];

/// Reads a pose: a list `[x, y, z]` or `[x, y, z, qx, qy, qz, qw]`, or an object of `translation` and one rotation:
/// `rotation` (a quaternion x, y, z, w), `axis` with `angle` (rad) or `angle_deg`, or `rpy` (rad) or `rpy_deg`; or
/// `matrix` alone.
pub fn read_pose(path: &str, value: Value) -> Result<Pose, FieldError> {
    let shown = fields::shown(&value);
    let refuse = |error: PoseError| FieldError::refused(path, shown.clone(), error);
    if let Value::Array(numbers) = &value {
        let pose = match numbers.len() {
            3 => Pose::from_translation(fields::vector(path, value)?),
            7 => {
                let [x, y, z, qx, qy, qz, qw] = fields::numbers::<7>(path, value)?;
                Pose::from_quaternion([qx, qy, qz, qw], Vec3::new(x, y, z))
            }
            _ => return Err(FieldError::wrong(path, &value, "a pose: a list of 3 or 7 numbers, or an object")),
        };
        return pose.map_err(refuse);
    }
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&FIELDS])?;
    let matrix = fields.optional("matrix", matrix)?;
    let translation = fields.optional("translation", fields::vector)?;
    let rotation = rotation(&mut fields, path, &shown)?;
    let pose = match (matrix, translation, rotation) {
        (Some((rotation, translation)), None, None) => Pose::from_matrix(rotation, translation),
        (Some(_), ..) => {
            let cause = "`matrix` comes alone: leave the others out";
            return Err(FieldError::refused(path, shown.clone(), cause));
        }
        (None, translation, None) => Pose::from_translation(translation.unwrap_or(Vec3::ZERO)),
        (None, translation, Some(Rotation::Quaternion(rotation))) => {
            Pose::from_quaternion(rotation, translation.unwrap_or(Vec3::ZERO))
        }
        (None, translation, Some(Rotation::Matrix(rotation))) => {
            Pose::from_matrix(rotation, translation.unwrap_or(Vec3::ZERO))
        }
    };
    pose.map_err(refuse)
}

/// A rotation as it was written: angles become a matrix, in which quarter turns in degrees are exact.
enum Rotation {
    /// x, y, z, w.
    Quaternion([f64; 4]),
    Matrix(Mat3),
}

/// Reads three rows of four numbers, or four rows of which the last is 0 0 0 1.
fn matrix(path: &str, value: Value) -> Result<(Mat3, Vec3), FieldError> {
    if value.as_array().is_none_or(|rows| !matches!(rows.len(), 3 | 4)) {
        return Err(FieldError::wrong(path, &value, "a list of 3 rows of 4 numbers"));
    }
    let rows = fields::list(path, value, fields::numbers::<4>)?;
    if let Some(last) = rows.get(3).filter(|last| **last != [0.0, 0.0, 0.0, 1.0]) {
        return Err(FieldError::refused(&format!("{path}[3]"), format!("{last:?}"), "the last row is 0, 0, 0, 1"));
    }
    let [x, y, z] = [0, 1, 2].map(|row| Vec3::new(rows[row][0], rows[row][1], rows[row][2]));
    Ok((Mat3::from_cols(x, y, z).transpose(), Vec3::new(rows[0][3], rows[1][3], rows[2][3])))
}

/// Reads the rotation from the single field that is given.
fn rotation(fields: &mut Fields, path: &str, shown: &str) -> Result<Option<Rotation>, FieldError> {
    let quaternion = fields.optional("rotation", fields::numbers::<4>)?;
    let axis = fields.optional("axis", fields::vector)?;
    let angle = either(fields, path, "angle", |path, value| fields::number(path, value).map(|angle| [angle]))?;
    let rpy = either(fields, path, "rpy", fields::numbers::<3>)?;
    let missing = |name: &str, expected: &str| FieldError::Missing {
        field: format!("{path}.{name}"),
        expected: expected.to_owned(),
    };
    let by_axis = match (axis, angle) {
        (Some(axis), Some([angle])) => Some(axis_rotation(path, axis, angle)?),
        (None, None) => None,
        (Some(_), None) => return Err(missing("angle", "the angle about the axis, in rad, or `angle_deg`")),
        (None, Some(_)) => return Err(missing("axis", "the axis of the angle")),
    };
    let matrix = by_axis.or(rpy.map(roll_pitch_yaw)).map(Rotation::Matrix);
    if [quaternion.is_some(), by_axis.is_some(), rpy.is_some()].into_iter().filter(|&given| given).count() > 1 {
        let cause = "a pose has one rotation: give `rotation`, `axis` with its angle, or `rpy`";
        return Err(FieldError::refused(path, shown, cause));
    }
    Ok(quaternion.map(Rotation::Quaternion).or(matrix))
}

/// Sine and cosine of an angle.
#[derive(Clone, Copy)]
struct SinCos {
    sin: f64,
    cos: f64,
}

impl SinCos {
    fn of_radians(angle: f64) -> Self {
        let (sin, cos) = libm::sincos(angle);
        Self { sin, cos }
    }

    /// Computes both from degrees, exactly for whole quarter turns: parts that are flush stay flush.
    fn of_degrees(angle: f64) -> Self {
        match angle.rem_euclid(360.0) {
            0.0 => Self { sin: 0.0, cos: 1.0 },
            90.0 => Self { sin: 1.0, cos: 0.0 },
            180.0 => Self { sin: 0.0, cos: -1.0 },
            270.0 => Self { sin: -1.0, cos: 0.0 },
            angle => Self::of_radians(angle.to_radians()),
        }
    }
}

/// Reads angles in rad, or under the name with `_deg` in degrees.
fn either<const N: usize>(
    fields: &mut Fields,
    path: &str,
    name: &str,
    read: impl Fn(&str, Value) -> Result<[f64; N], FieldError>,
) -> Result<Option<[SinCos; N]>, FieldError> {
    let degrees_name = format!("{name}_deg");
    match (fields.optional(name, &read)?, fields.optional(&degrees_name, &read)?) {
        (Some(_), Some(_)) => {
            let cause = format!("give `{name}` in rad or `{degrees_name}`, not both");
            Err(FieldError::refused(&format!("{path}.{degrees_name}"), "given", cause))
        }
        (radians, degrees) => {
            let radians = radians.map(|angles| angles.map(SinCos::of_radians));
            Ok(radians.or(degrees.map(|angles| angles.map(SinCos::of_degrees))))
        }
    }
}

/// Computes the rotation around an axis of any length above 0 (Rodrigues).
fn axis_rotation(path: &str, axis: Vec3, SinCos { sin, cos }: SinCos) -> Result<Mat3, FieldError> {
    let Some(u) = robust_normalize(axis) else {
        let cause = "give a vector other than 0";
        return Err(FieldError::refused(&format!("{path}.axis"), format!("{:?}", axis.to_array()), cause));
    };
    let column = |e: Vec3| e * cos + u.cross(e) * sin + u * (u.dot(e) * (1.0 - cos));
    Ok(Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z)))
}

/// Computes roll around x, then pitch around y, then yaw around z, all around the fixed axes, as in URDF.
fn roll_pitch_yaw([roll, pitch, yaw]: [SinCos; 3]) -> Mat3 {
    let x = Mat3::from_cols(Vec3::X, Vec3::new(0.0, roll.cos, roll.sin), Vec3::new(0.0, -roll.sin, roll.cos));
    let y = Mat3::from_cols(Vec3::new(pitch.cos, 0.0, -pitch.sin), Vec3::Y, Vec3::new(pitch.sin, 0.0, pitch.cos));
    let z = Mat3::from_cols(Vec3::new(yaw.cos, yaw.sin, 0.0), Vec3::new(-yaw.sin, yaw.cos, 0.0), Vec3::Z);
    z * y * x
}

/// Reports whether every point of a box stays finite when it is placed, for any order of rounding.
pub fn reaches_finitely(pose: &Pose, bounds: &heurt_geometry::Aabb) -> bool {
    let reach = bounds.min.abs().max(bounds.max.abs());
    let rotation = pose.rotation();
    let [x, y, z] = [rotation.x_axis.abs() * reach.x, rotation.y_axis.abs() * reach.y, rotation.z_axis.abs() * reach.z];
    (x + y + z + pose.translation().abs()).is_finite()
}
