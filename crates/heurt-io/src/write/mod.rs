//! Writers, one file per format.
//!
//! In: a [`Model`], or curves, and a sink. Out: bytes, the same for the same input.
//! Guarantees: text formats and PLY hold every `f64` bit for bit; STL and glTF hold `f32`, to which coordinates are
//! rounded (relative 6e-8), and refuse what overflows it. Formats without instances hold placed vertices, part by part.

mod dxf;
mod glb;
mod obj;
mod off;
mod ply;
mod stl;
mod svg;
mod threemf;
mod unique_names;
mod vtu;
mod wireframe;
mod zip;

pub use dxf::{write_dxf_faces, write_dxf_facets, write_polylines_dxf};
pub(crate) use glb::GENERATOR;
pub use glb::{write_glb, write_gltf};
pub use obj::{write_obj, write_polylines_obj};
pub use off::write_off;
pub use ply::write_ply;
pub use stl::write_stl;
pub use svg::{ViewAxis, write_polylines_svg};
pub use threemf::write_3mf;
pub use vtu::{CellArray, CellValues, GridCells, write_vtu};
pub use wireframe::{write_wireframe_dxf, write_wireframe_obj};

use crate::{Format, Model};
use heurt_geometry::Vec3;
use std::io::{self, Write};
use thiserror::Error;

/// A polyline to write: an intersection contour, a wireframe edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve<'a> {
    /// The object (OBJ), layer (DXF) or group (SVG) that it belongs to; may be empty.
    pub name: &'a str,
    /// Its points in order; the first is not repeated at the end.
    pub points: &'a [Vec3],
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

/// Reason why a model could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A model without a part.
    #[error("the model has no part: give at least one")]
    NoParts,
    /// A part that refers to a missing mesh.
    #[error("part {part} names mesh {mesh}, but there are {count} meshes: name one of them, counted from 0")]
    NoSuchMesh {
        /// The part.
        part: usize,
        /// The mesh it names.
        mesh: usize,
        /// Number of meshes.
        count: usize,
    },
    /// A coordinate does not fit the `f32` of the format, or overflows when its part is placed.
    #[error("a coordinate {value} of vertex {vertex} does not fit {format}: scale the model down, or write OBJ")]
    Overflow {
        /// The format.
        format: Format,
        /// The vertex, counted over all that are written.
        vertex: usize,
        /// The coordinate.
        value: f64,
    },
    /// A coordinate of a drawing is NaN or infinite, or overflows when its part is placed.
    #[error(
        "a coordinate {value} of point {point} is not finite: scale the model down, or move it nearer to the origin"
    )]
    NotFinite {
        /// The point, counted over all that are written.
        point: usize,
        /// The coordinate.
        value: f64,
    },
    /// There are more items than the format counts.
    #[error("{count} {what} are more than {format} holds ({max}): split the model")]
    TooLarge {
        /// The format.
        format: Format,
        /// The kind of the counted items.
        what: &'static str,
        /// Number of items.
        count: u64,
        /// Maximum number of items.
        max: u64,
    },
    /// A format that is only read.
    #[error("{format} files are read, not written: write OBJ, STL, PLY, OFF, glTF, GLB or 3MF")]
    ReadOnly {
        /// The format.
        format: Format,
    },
    /// A cell of a grid names a vertex that is not there.
    #[error("cell {cell} names vertex {index}, but the number of vertices is {count}: give a smaller index, from 0")]
    NoSuchVertex {
        /// The cell.
        cell: usize,
        /// The index that it names.
        index: u32,
        /// Number of vertices.
        count: usize,
    },
    /// An array of a grid has not one value for each cell.
    #[error("the array `{name}` has {count} values for {cells} cells: give one for each cell")]
    ValueCount {
        /// The array.
        name: String,
        /// Number of values.
        count: usize,
        /// Number of cells.
        cells: usize,
    },
    /// The feature angle of a wireframe is out of range.
    #[error(transparent)]
    Wireframe(#[from] heurt_mesh::WireframeError),
    /// The sink reports an error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes `model` in `format`: STL and PLY binary, glTF with its buffer embedded.
///
/// ```
/// use heurt_io::{Format, Model, read, write};
/// use heurt_mesh::generate::tetrahedron;
/// let model = Model::from_mesh("tetrahedron", tetrahedron(1.0)?);
/// let mut file = Vec::new();
/// write(&model, Format::Glb, &mut file)?;
/// assert_eq!(read(&file, Format::Glb)?.triangle_count(), 4);
/// assert!(write(&model, Format::Dae, &mut file).is_err(), "COLLADA is only read");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`] when the model does not fit the format, or the sink refuses bytes.
pub fn write(model: &Model, format: Format, out: &mut dyn Write) -> Result<(), WriteError> {
    match format {
        Format::Obj => write_obj(model, out),
        Format::Stl => write_stl(model, out),
        Format::Ply => write_ply(model, out),
        Format::Off => write_off(model, out),
        Format::Gltf => write_gltf(model, out),
        Format::Glb => write_glb(model, out),
        Format::ThreeMf => write_3mf(model, out),
        Format::Dae | Format::Volume(_) => Err(WriteError::ReadOnly { format }),
    }
}

/// Checks that there are parts and that their meshes exist.
fn check(model: &Model) -> Result<(), WriteError> {
    if model.parts.is_empty() {
        return Err(WriteError::NoParts);
    }
    let count = model.meshes.len();
    match model.parts.iter().enumerate().find(|(_, part)| part.mesh >= count) {
        Some((part, wrong)) => Err(WriteError::NoSuchMesh { part, mesh: wrong.mesh, count }),
        None => Ok(()),
    }
}

/// Counts the vertices and triangles of all parts, and checks them against what the format counts.
fn counts(model: &Model, format: Format, max: u64) -> Result<[u64; 2], WriteError> {
    check(model)?;
    let sum = |of: fn(&heurt_mesh::TriMesh) -> usize| -> u64 {
        model.parts.iter().map(|part| of(&model.meshes[part.mesh]) as u64).sum()
    };
    let counts = [sum(|mesh| mesh.vertices().len()), sum(|mesh| mesh.triangles().len())];
    for (what, count) in ["vertices", "triangles"].into_iter().zip(counts) {
        if count > max {
            return Err(WriteError::TooLarge { format, what, count, max });
        }
    }
    Ok(counts)
}

/// Returns the placed vertices of a part.
fn placed(model: &Model, part: usize) -> impl Iterator<Item = Vec3> + '_ {
    let part = &model.parts[part];
    let moved = !part.pose.is_identity();
    model.meshes[part.mesh].vertices().iter().map(move |&vertex| if moved { part.pose.place(vertex) } else { vertex })
}

/// Returns the placed vertices of all parts, checked to be finite.
fn placed_vertices(model: &Model, format: Format) -> impl Iterator<Item = Result<Vec3, WriteError>> + '_ {
    let all = (0..model.parts.len()).flat_map(|part| placed(model, part)).enumerate();
    all.map(move |(vertex, point)| match point.to_array().into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(WriteError::Overflow { format, vertex, value }),
        None => Ok(point),
    })
}

/// Rejects a point of a drawing that is not finite; `number` counts the points.
fn check_finite(number: usize, point: Vec3) -> Result<(), WriteError> {
    match point.to_array().into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(WriteError::NotFinite { point: number, value }),
        None => Ok(()),
    }
}

/// Returns the triangles of all parts, over the vertices of all parts.
fn joined_triangles(model: &Model) -> impl Iterator<Item = [u64; 3]> + '_ {
    let mut next = 0;
    model.parts.iter().flat_map(move |part| {
        let (mesh, first) = (&model.meshes[part.mesh], next);
        next += mesh.vertices().len() as u64;
        mesh.triangles().iter().map(move |corners| corners.map(|corner| u64::from(corner) + first))
    })
}

/// Rounds a point to `f32`, or reports the coordinate that overflows.
fn to_f32(point: Vec3, format: Format, vertex: usize) -> Result<[f32; 3], WriteError> {
    let rounded = point.to_array().map(|value| value as f32);
    match rounded.iter().position(|value| !value.is_finite()) {
        Some(axis) => Err(WriteError::Overflow { format, vertex, value: point[axis] }),
        None => Ok(rounded),
    }
}

/// Returns a name on one line: control characters and line ends become `_`.
fn one_line(name: &str) -> String {
    name.trim().chars().map(|letter| if letter.is_control() { '_' } else { letter }).collect()
}
