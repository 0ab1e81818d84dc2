//! Poses from a file of NumPy (`.npy`, versions 1 to 3).
//!
//! In: the path of an array of k × n × 7 numbers (x, y, z, then a quaternion x, y, z, w) or of k × n × 4 × 4
//! (homogeneous matrices), `float32` or `float64` of either byte order, in C order. Out: poses, configuration by
//! configuration.
//! Guarantees: the size that the header declares is compared with the bytes before anything is stored; a fault names
//! the file, and the configuration and shape of a bad pose.

use crate::describe::fields::FieldError;
use crate::files::{FileError, SceneFiles, line_of};
use heurt_geometry::{Mat3, Pose, Vec3};
use std::path::Path;

/// The longest header that is read: those of NumPy have some 120 bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// Reads the poses of `shapes` shapes in each configuration.
pub(super) fn poses(files: &dyn SceneFiles, path: &Path, shapes: usize) -> Result<Vec<Pose>, FieldError> {
    let refuse = |cause: String| FieldError::refused("poses_npy", path.display().to_string(), cause);
    let unreadable = |source| refuse(line_of(&FileError::Unreadable { path: path.to_owned(), source }));
    let bytes = files.read(path, u64::MAX).map_err(unreadable)?;
    let array = Array::parse(&bytes).map_err(refuse)?;
    let size = match *array.shape {
        [_, n, 7] if n == shapes => 7,
        [_, n, 4, 4] if n == shapes => 16,
        _ => {
            let expected =
                format!("give k × {shapes} × 7 or k × {shapes} × 4 × 4, k configurations of {shapes} shapes");
            return Err(refuse(format!("the array has the shape {:?}: {expected}", array.shape)));
        }
    };
    let mut numbers = array.numbers();
    let mut poses = Vec::with_capacity(array.count / size);
    let mut row = vec![0.0; size];
    for number in 0..array.count / size {
        row.iter_mut().zip(&mut numbers).for_each(|(place, value)| *place = value);
        let pose = if size == 7 { from_quaternion(&row) } else { from_matrix(&row) };
        poses.push(pose.map_err(|cause| {
            refuse(format!("configuration {}, shape {}: {cause}", number / shapes.max(1), number % shapes.max(1)))
        })?);
    }
    Ok(poses)
}

fn from_quaternion(row: &[f64]) -> Result<Pose, String> {
    let quaternion = [row[3], row[4], row[5], row[6]];
    Pose::from_quaternion(quaternion, Vec3::new(row[0], row[1], row[2])).map_err(|error| error.to_string())
}

fn from_matrix(row: &[f64]) -> Result<Pose, String> {
    if row[12..] != [0.0, 0.0, 0.0, 1.0] {
        return Err(format!("the last row of the matrix is {:?}: give 0, 0, 0, 1", &row[12..]));
    }
    let column = |at: usize| Vec3::new(row[at], row[at + 4], row[at + 8]);
    Pose::from_matrix(Mat3::from_cols(column(0), column(1), column(2)), column(3)).map_err(|error| error.to_string())
}

/// An array whose bytes are all there.
struct Array<'b> {
    shape: Vec<usize>,
    /// The product of the shape.
    count: usize,
    is_double: bool,
    is_big_endian: bool,
    data: &'b [u8],
}

impl<'b> Array<'b> {
    fn parse(bytes: &'b [u8]) -> Result<Self, String> {
        let not_npy = || "it is no file of NumPy: write one with numpy.save".to_owned();
        let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or_else(not_npy)?;
        let (version, rest) = rest.split_at_checked(2).ok_or_else(not_npy)?;
        let width = if version[0] == 1 { 2 } else { 4 };
        let (length, rest) = rest.split_at_checked(width).ok_or_else(not_npy)?;
        let length = length.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        if length > LONGEST_HEADER || length > rest.len() {
            return Err("its header is cut short: write it again".to_owned());
        }
        let (header, data) = rest.split_at(length);
        let header = String::from_utf8_lossy(header);
        let kind = value_of(&header, "descr").ok_or_else(not_npy)?;
        let kind = kind.trim_matches(['\'', '"']);
        let (is_big_endian, is_double) = match kind {
            "<f8" | "=f8" => (false, true),
            ">f8" => (true, true),
            "<f4" | "=f4" => (false, false),
            ">f4" => (true, false),
            _ => return Err(format!("its numbers are of type {kind}: save them as float64")),
        };
        if value_of(&header, "fortran_order").is_none_or(|value| value != "False") {
            return Err("it is in Fortran order: save numpy.ascontiguousarray of it".to_owned());
        }
        let shape = shape_of(&header).ok_or_else(not_npy)?;
        let count = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        let needed = count.and_then(|count| count.checked_mul(if is_double { 8 } else { 4 }));
        match (count, needed) {
            (Some(count), Some(needed)) if needed == data.len() => {
                Ok(Self { shape, count, is_double, is_big_endian, data })
            }
            (_, Some(needed)) if needed < data.len() => Err(format!(
                "its header declares the shape {shape:?}, {needed} bytes, but {} bytes follow: save one array in a file",
                data.len()
            )),
            _ => Err(format!("its header declares the shape {shape:?}, but only {} bytes follow", data.len())),
        }
    }

    fn numbers(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        let is_big = self.is_big_endian;
        match self.is_double {
            true => Box::new(self.data.as_chunks::<8>().0.iter().map(move |&bytes| match is_big {
                true => f64::from_be_bytes(bytes),
                false => f64::from_le_bytes(bytes),
            })),
            false => Box::new(self.data.as_chunks::<4>().0.iter().map(move |&bytes| match is_big {
                true => f64::from(f32::from_be_bytes(bytes)),
                false => f64::from(f32::from_le_bytes(bytes)),
            })),
        }
    }
}

/// The text of a value in the dictionary of the header, up to the next comma.
fn value_of<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let start = header.find(&format!("'{key}'"))? + key.len() + 2;
    let value = header[start..].trim_start().strip_prefix(':')?.trim_start();
    Some(value[..value.find([',', '}'])?].trim_end())
}

/// The numbers of the tuple `shape`.
fn shape_of(header: &str) -> Option<Vec<usize>> {
    let start = header.find("'shape'")? + 7;
    let tuple = header[start..].trim_start().strip_prefix(':')?.trim_start().strip_prefix('(')?;
    let numbers = tuple[..tuple.find(')')?].split(',').map(str::trim).filter(|number| !number.is_empty());
    numbers.map(|number| number.parse().ok()).collect()
}
