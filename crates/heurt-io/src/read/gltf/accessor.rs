//! Arrays of positions and indices, read only after their whole range is checked.

use super::Budget;
use super::buffers::Buffers;
use super::schema::{Accessor, Document, Sparse};
use crate::{Place, ReadError};
use heurt_geometry::Vec3;

/// The type of one number in a buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_code(code: u32, place: &Place) -> Result<Self, ReadError> {
        Ok(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => {
                let expected = "a component type of 5120 to 5123, 5125 or 5126";
                return Err(ReadError::syntax(place.clone(), code.to_string().as_bytes(), expected));
            }
        })
    }

    /// Indices are whole numbers without a sign.
    fn of_indices(code: u32, place: &Place) -> Result<Self, ReadError> {
        match Self::from_code(code, place)? {
            whole @ (Self::U8 | Self::U16 | Self::U32) => Ok(whole),
            _ => {
                let (found, expected) = (code.to_string(), "component type 5121, 5123 or 5125 for indices");
                Err(ReadError::syntax(place.clone(), found.as_bytes(), expected))
            }
        }
    }

    fn size(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The largest integer, which represents 1 when normalised.
    fn unit(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 | Self::F32 => 1.0,
        }
    }

    /// Reads the number at the start of `bytes`, which the caller has checked to be long enough.
    fn read(self, bytes: &[u8]) -> f64 {
        match self {
            Self::I8 => f64::from(bytes[0] as i8),
            Self::U8 => f64::from(bytes[0]),
            Self::I16 => f64::from(i16::from_le_bytes([bytes[0], bytes[1]])),
            Self::U16 => f64::from(u16::from_le_bytes([bytes[0], bytes[1]])),
            Self::U32 => f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            Self::F32 => f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        }
    }
}

/// Returns the number by which the components of accessor `index` are divided: their largest value if it is normalised.
#[cfg(feature = "draco")]
pub(super) fn unit(document: &Document<'_>, index: u32) -> Result<f64, ReadError> {
    let accessor = find(document, index)?;
    let component = Component::from_code(accessor.component_type, &item(index))?;
    Ok(if accessor.normalized { component.unit() } else { 1.0 })
}

/// Returns the accessor with number `index`.
pub(super) fn find<'a>(document: &'a Document<'_>, index: u32) -> Result<&'a Accessor, ReadError> {
    document.accessors.get(index as usize).ok_or_else(|| ReadError::OutOfRange {
        place: item(index),
        what: "accessors",
        needed: u64::from(index) + 1,
        available: document.accessors.len() as u64,
    })
}

fn item(index: u32) -> Place {
    Place::Item(format!("accessors[{index}]"))
}

/// Layout of a run of elements in a view.
struct AccessorLayout {
    offset: u64,
    count: u64,
    size: u64,
    /// Stride in bytes if the view does not give one.
    packed: u64,
}

/// Returns the bytes of a run of elements and the stride, after checking that both fit.
fn run<'b>(
    buffers: &'b mut Buffers<'_>,
    budget: &mut Budget,
    view: u32,
    layout: &AccessorLayout,
    place: &Place,
) -> Result<(&'b [u8], usize), ReadError> {
    let (view, bytes) = buffers.view(view, budget)?;
    let stride = view.byte_stride.unwrap_or(layout.packed);
    if stride < layout.size {
        let expected = format!("a byteStride of at least {}", layout.size);
        return Err(ReadError::syntax(place.clone(), stride.to_string().as_bytes(), expected));
    }
    let last = layout.count.checked_sub(1).map(|last| last.saturating_mul(stride).saturating_add(layout.size));
    let needed = layout.offset.saturating_add(last.unwrap_or(0));
    let available = bytes.len() as u64;
    if needed > available {
        let what = "bytes of its buffer view";
        return Err(ReadError::OutOfRange { place: place.clone(), what, needed, available });
    }
    // `stride` may exceed the address space only if there is at most one element.
    Ok((&bytes[layout.offset as usize..needed as usize], usize::try_from(stride).unwrap_or(usize::MAX)))
}

/// Reads the vectors of three or four numbers, or the matrices of 16, of accessor `index`, sparse replacements applied.
pub(super) fn vectors<const N: usize>(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    budget: &mut Budget,
    index: u32,
) -> Result<Vec<[f64; N]>, ReadError> {
    let (accessor, place) = (find(document, index)?, item(index));
    let (shape, what) = match N {
        3 => ("VEC3", "positions"),
        4 => ("VEC4", "rotations, joints and weights"),
        _ => ("MAT4", "matrices"),
    };
    if &*accessor.shape != shape {
        return Err(ReadError::syntax(place, accessor.shape.as_bytes(), format!("type {shape} for {what}")));
    }
    let component = Component::from_code(accessor.component_type, &place)?;
    // Two words a number.
    budget.take(accessor.count.saturating_mul(2 * N as u64), || place.clone())?;
    let size = N as u64 * component.size();
    let unit = if accessor.normalized { component.unit() } else { 1.0 };
    let read = |bytes: &[u8]| {
        let step = component.size() as usize;
        std::array::from_fn(|axis| {
            let value = component.read(&bytes[axis * step..]) / unit;
            // The least normalised integer is clamped, as the format defines.
            if unit > 1.0 { value.max(-1.0) } else { value }
        })
    };
    let mut points = match accessor.buffer_view {
        Some(view) => {
            let layout = AccessorLayout { offset: accessor.byte_offset, count: accessor.count, size, packed: size };
            let (bytes, stride) = run(buffers, budget, view, &layout, &place)?;
            bytes.chunks(stride).map(read).collect()
        }
        None if accessor.sparse.is_some() => vec![[0.0; N]; accessor.count as usize],
        None => return Err(ReadError::syntax(place, b"", "a bufferView for positions")),
    };
    if let Some(sparse) = &accessor.sparse {
        let targets = sparse_targets(buffers, budget, sparse, &place)?;
        let layout = AccessorLayout { offset: sparse.values.byte_offset, count: sparse.count, size, packed: size };
        let (bytes, stride) = run(buffers, budget, sparse.values.buffer_view, &layout, &place)?;
        for (&target, bytes) in targets.iter().zip(bytes.chunks(stride)) {
            let (needed, available) = (u64::from(target) + 1, points.len() as u64);
            let Some(point) = points.get_mut(target as usize) else {
                let what = "elements for its sparse indices";
                return Err(ReadError::OutOfRange { place, what, needed, available });
            };
            *point = read(bytes);
        }
    }
    if let Some(at) = points.iter().position(|point| point.iter().any(|value| !value.is_finite())) {
        let (place, value) = (Place::Item(format!("accessors[{index}], element {at}")), format!("{:?}", points[at]));
        return Err(ReadError::NotFinite { place, value });
    }
    Ok(points)
}

/// Reads the positions of accessor `index`.
pub(super) fn positions(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    budget: &mut Budget,
    index: u32,
) -> Result<Vec<Vec3>, ReadError> {
    Ok(vectors::<3>(document, buffers, budget, index)?.into_iter().map(Vec3::from_array).collect())
}

/// The elements that sparse values replace.
fn sparse_targets(
    buffers: &mut Buffers<'_>,
    budget: &mut Budget,
    sparse: &Sparse,
    place: &Place,
) -> Result<Vec<u32>, ReadError> {
    let kind = Component::of_indices(sparse.indices.component_type, place)?;
    let offset = sparse.indices.byte_offset;
    let layout = AccessorLayout { offset, count: sparse.count, size: kind.size(), packed: kind.size() };
    budget.take(sparse.count, || place.clone())?;
    let (bytes, stride) = run(buffers, budget, sparse.indices.buffer_view, &layout, place)?;
    Ok(bytes.chunks(stride).map(|bytes| kind.read(bytes) as u32).collect())
}

/// Reads the indices of accessor `index`.
pub(super) fn indices(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    budget: &mut Budget,
    index: u32,
) -> Result<Vec<u32>, ReadError> {
    let (accessor, place) = (find(document, index)?, item(index));
    if &*accessor.shape != "SCALAR" || accessor.sparse.is_some() {
        return Err(ReadError::syntax(place, accessor.shape.as_bytes(), "type SCALAR for indices, not sparse"));
    }
    let component = Component::of_indices(accessor.component_type, &place)?;
    let Some(view) = accessor.buffer_view else {
        return Err(ReadError::syntax(place, b"", "a bufferView for indices"));
    };
    budget.take(accessor.count, || place.clone())?;
    let size = component.size();
    let layout = AccessorLayout { offset: accessor.byte_offset, count: accessor.count, size, packed: size };
    let (bytes, stride) = run(buffers, budget, view, &layout, &place)?;
    Ok(bytes.chunks(stride).map(|bytes| component.read(bytes) as u32).collect())
}
