//! Binary numbers by size, kind and byte order; and lists of them without copies.
//!
//! In: a part of a file, or bytes unpacked from it. Out: whole numbers and coordinates, each with its place.
//! Guarantees: a list is as long as its bytes; nothing is copied for it. Cost: O(1) a number.

use crate::{Place, ReadError};
use heurt_geometry::Vec3;
use std::borrow::Cow;

/// A kind of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BinaryScalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl BinaryScalar {
    /// Finds the kind by its name in VTK legacy files.
    pub fn of_vtk(name: &[u8]) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"char" | b"signed_char" | b"vtktypeint8" => Self::I8,
            b"unsigned_char" | b"vtktypeuint8" => Self::U8,
            b"short" | b"vtktypeint16" => Self::I16,
            b"unsigned_short" | b"vtktypeuint16" => Self::U16,
            // Ids have 32 bits in these files, for any size in memory.
            b"int" | b"vtkidtype" | b"vtktypeint32" => Self::I32,
            b"unsigned_int" | b"vtktypeuint32" => Self::U32,
            b"long" | b"vtktypeint64" => Self::I64,
            b"unsigned_long" | b"vtktypeuint64" => Self::U64,
            b"float" => Self::F32,
            b"double" => Self::F64,
            _ => return None,
        })
    }

    /// Finds the kind by its name in VTK XML files.
    pub fn of_vtu(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"Int8" => Self::I8,
            b"UInt8" => Self::U8,
            b"Int16" => Self::I16,
            b"UInt16" => Self::U16,
            b"Int32" => Self::I32,
            b"UInt32" => Self::U32,
            b"Int64" => Self::I64,
            b"UInt64" => Self::U64,
            b"Float32" => Self::F32,
            b"Float64" => Self::F64,
            _ => return None,
        })
    }

    /// Returns the size in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub fn is_whole(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// Reads the first number of `bytes`, which suffice, as an integer; saturated beyond `i64`.
    pub fn whole(self, bytes: &[u8], is_big: bool) -> i64 {
        match self {
            Self::I8 => i64::from(bits(bytes, 1, is_big) as i8),
            Self::I16 => i64::from(bits(bytes, 2, is_big) as i16),
            Self::I32 => i64::from(bits(bytes, 4, is_big) as i32),
            Self::I64 => bits(bytes, 8, is_big) as i64,
            Self::F32 | Self::F64 => self.real(bytes, is_big) as i64,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => {
                i64::try_from(bits(bytes, self.size(), is_big)).unwrap_or(i64::MAX)
            }
        }
    }

    /// Reads the first number of `bytes`, which suffice, as the nearest `f64`.
    pub fn real(self, bytes: &[u8], is_big: bool) -> f64 {
        match self {
            Self::F32 => f64::from(f32::from_bits(bits(bytes, 4, is_big) as u32)),
            Self::F64 => f64::from_bits(bits(bytes, 8, is_big)),
            Self::U64 => bits(bytes, 8, is_big) as f64,
            _ => self.whole(bytes, is_big) as f64,
        }
    }

    /// Reads a point of three such contiguous numbers.
    pub fn point(self, bytes: &[u8], is_big: bool, place: impl Fn(usize) -> Place) -> Result<Vec3, ReadError> {
        let mut point = [0.0; 3];
        for (axis, (coordinate, bytes)) in point.iter_mut().zip(bytes.chunks_exact(self.size())).enumerate() {
            *coordinate = self.real(bytes, is_big);
            if !coordinate.is_finite() {
                return Err(ReadError::NotFinite { place: place(axis), value: coordinate.to_string() });
            }
        }
        Ok(Vec3::from_array(point))
    }
}

/// Returns the bits of a number of `size` bytes.
#[inline]
fn bits(bytes: &[u8], size: usize, is_big: bool) -> u64 {
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[..size]);
    if is_big {
        word[..size].reverse();
    }
    u64::from_le_bytes(word)
}

/// Location of the numbers of a list.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// At a byte offset of the file.
    Offset(usize),
    /// In an array of this name.
    Array(&'static str),
}

/// Numbers of one kind, end to end.
#[derive(Debug, Clone)]
pub(super) struct Array<'a> {
    pub bytes: Cow<'a, [u8]>,
    pub scalar: BinaryScalar,
    pub is_big: bool,
    pub origin: Origin,
}

impl Array<'_> {
    pub fn len(&self) -> usize {
        self.bytes.len() / self.scalar.size()
    }

    pub fn whole(&self, number: usize) -> i64 {
        self.scalar.whole(&self.bytes[number * self.scalar.size()..], self.is_big)
    }

    pub fn place(&self, number: usize) -> Place {
        match &self.origin {
            Origin::Offset(begin) => Place::Offset((begin + number * self.scalar.size()) as u64),
            Origin::Array(name) => Place::Item(format!("{name}[{number}]")),
        }
    }

    /// Returns the numbers in groups of three.
    pub fn points(&self) -> Result<Vec<Vec3>, ReadError> {
        let size = 3 * self.scalar.size();
        let point = |(number, bytes)| self.scalar.point(bytes, self.is_big, |axis| self.place(3 * number + axis));
        self.bytes.chunks_exact(size).enumerate().map(point).collect()
    }
}

/// Whole numbers, of text or binary.
pub(super) enum Wholes<'a> {
    /// Each with its line.
    Text(Vec<(i64, u64)>),
    Binary(Array<'a>),
}

impl Wholes<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Text(numbers) => numbers.len(),
            Self::Binary(array) => array.len(),
        }
    }

    pub fn get(&self, number: usize) -> i64 {
        match self {
            Self::Text(numbers) => numbers[number].0,
            Self::Binary(array) => array.whole(number),
        }
    }

    pub fn place(&self, number: usize) -> Place {
        match self {
            Self::Text(numbers) => Place::Line(numbers[number].1),
            Self::Binary(array) => array.place(number),
        }
    }
}

impl Default for Wholes<'_> {
    fn default() -> Self {
        Self::Text(Vec::new())
    }
}
