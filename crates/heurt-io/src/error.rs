//! Read errors: the place in the file, the value found there, and the remedy.

use crate::{Format, VolumeFormat};
use heurt_geometry::PoseError;
use heurt_mesh::MeshError;
use std::fmt;
use thiserror::Error;

/// A spot in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A line of text, counted from 1.
    Line(u64),
    /// A line and column of text, counted from 1.
    LineColumn(u64, u64),
    /// A byte of a binary file, counted from 0.
    Offset(u64),
    /// An item of a JSON document, as `nodes[3].mesh`, or of an array of a VTU file, as `connectivity[17]`.
    Item(String),
    /// A spot in a member of an archive.
    Member(String, Box<Place>),
}

impl Place {
    /// Returns this place as one in a member of an archive.
    pub(crate) fn in_member(self, member: &str) -> Self {
        Self::Member(quoted(member.as_bytes()), Box::new(self))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(out, "line {line}"),
            Self::LineColumn(line, column) => write!(out, "line {line}, column {column}"),
            Self::Offset(offset) => write!(out, "byte {offset}"),
            Self::Item(item) => out.write_str(item),
            Self::Member(member, place) => write!(out, "{member}, {place}"),
        }
    }
}

/// Reason why bytes are not a model. Every message gives the place, the value found there, and the remedy.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// An empty or blank file.
    #[error("the file is empty: give the {format} file at least one face")]
    Empty {
        /// The requested format.
        format: Format,
    },
    /// A value that differs from what the format requires.
    #[error("{place}: found {found}, expected {expected}")]
    Syntax {
        /// Place of the value.
        place: Place,
        /// The value found there, shortened.
        found: String,
        /// The expected value.
        expected: String,
    },
    /// A coordinate that is NaN, infinite, or too large for an `f64`.
    #[error("{place}: the coordinate {value} is not finite: give finite numbers")]
    NotFinite {
        /// Place of the coordinate.
        place: Place,
        /// The coordinate as it is written.
        value: String,
    },
    /// A face that refers to a vertex that does not exist.
    #[error("{place}: the face names vertex {index}, but the number of vertices is {count}: {}", index_remedy(*first, *count))]
    BadIndex {
        /// Place of the index.
        place: Place,
        /// The index as it is written.
        index: i64,
        /// The number of the first vertex: 1 in OBJ, else 0.
        first: i64,
        /// Number of vertices.
        count: usize,
    },
    /// A face with fewer than three corners.
    #[error("{place}: the face has {corners} corners, it needs at least 3: complete it or remove it")]
    TooFewCorners {
        /// Place of the face.
        place: Place,
        /// Number of its corners.
        corners: usize,
    },
    /// A file that ends before its declared contents.
    #[error(
        "{place}: the file promises {promised} {what} but holds {present}: it is cut short, write or copy it again"
    )]
    Truncated {
        /// Place at which the bytes end or no longer suffice.
        place: Place,
        /// The kind of the counted items.
        what: &'static str,
        /// Number of declared items.
        promised: u64,
        /// Number of complete items.
        present: u64,
    },
    /// A binary STL with more triangles than it declares.
    #[error(
        "{place}: the header counts {promised} triangles but {present} are there: correct the count, or cut the rest off"
    )]
    Undercounted {
        /// Place of the count.
        place: Place,
        /// Number of declared triangles.
        promised: u64,
        /// Number of triangles for which the file has room.
        present: u64,
    },
    /// A file without a face.
    #[error("{place}: the {format} file ends without a face: give at least one triangle")]
    NoFaces {
        /// End of the file.
        place: Place,
        /// The format read.
        format: Format,
    },
    /// A 3MF file with objects of which none is placed.
    #[error(
        "{place}: the 3MF file has no `<item>` in its `<build>`, so it places none of its objects: add an item for \
             each object to print"
    )]
    NoBuildItems {
        /// End of the root model part.
        place: Place,
    },
    /// A file without an edge.
    #[error("{place}: the {format} file ends without an edge: give at least one line `l 1 2` of two vertices")]
    NoEdges {
        /// End of the file.
        place: Place,
        /// The format read.
        format: Format,
    },
    /// A file without a cell.
    #[error(
        "{place}: the {format} file ends without a cell: give at least one tetrahedron, pyramid, prism or hexahedron"
    )]
    NoCells {
        /// End of the file.
        place: Place,
        /// The format read.
        format: VolumeFormat,
    },
    /// A feature that the format allows and this reader does not support.
    #[error("{place}: {what} cannot be read: {remedy}")]
    Unsupported {
        /// Place of the feature.
        place: Place,
        /// The feature.
        what: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// A member of an archive that unpacks to more than the limit.
    #[error(
        "{place}: it unpacks to {size} bytes, but at most {limit} are read of an archive of {archive} bytes: pack the \
         model again without padding, or split it"
    )]
    UnpacksTooLarge {
        /// The member.
        place: Place,
        /// The size that the member declares, in bytes.
        size: u64,
        /// The remaining limit, in bytes.
        limit: u64,
        /// The size of the archive, in bytes.
        archive: u64,
    },
    /// A reference to something that the file does not hold.
    #[error("{place}: {name} names no {what} of the file: add it, or remove the reference")]
    Missing {
        /// Place of the reference.
        place: Place,
        /// The kind of item.
        what: &'static str,
        /// The name, quoted.
        name: String,
    },
    /// An assembly contains itself.
    #[error("{place}: {name} contains itself: remove the instance that closes the cycle")]
    Cycle {
        /// Place of the instance that closes the cycle.
        place: Place,
        /// The assembly, quoted.
        name: String,
    },
    /// The bytes of a glTF buffer are missing.
    #[error("buffers[{buffer}]: {reason}: pack the model as one GLB file, or put the buffer where the file names it")]
    MissingBuffer {
        /// Index of the buffer.
        buffer: usize,
        /// A description of the missing bytes.
        reason: String,
    },
    /// A glTF item that reaches outside the item it refers to.
    #[error("{place}: needs {needed} {what}, but there are {available}: export the model again")]
    OutOfRange {
        /// Place of the item.
        place: Place,
        /// The kind of the counted items.
        what: &'static str,
        /// Required number, or the index plus one.
        needed: u64,
        /// Available number.
        available: u64,
    },
    /// A node of a glTF scene that is reached twice.
    #[error("nodes[{node}]: reached twice, the hierarchy is no tree: give every node one parent")]
    NotATree {
        /// Index of the node.
        node: usize,
    },
    /// The placement of a part is not a rotation and translation.
    ///
    /// The message holds the cause, which therefore is no [`source`](std::error::Error::source): it would be reported
    /// twice.
    #[error("{place}: {cause}")]
    Pose {
        /// Place of the placement.
        place: Place,
        /// The cause.
        cause: PoseError,
    },
    /// The faces read do not make a mesh.
    ///
    /// The message holds the cause, as the message of [`ReadError::Pose`] does.
    #[error("{place}: {cause}")]
    Mesh {
        /// Place of the faces.
        place: Place,
        /// The cause.
        cause: MeshError,
    },
}

impl ReadError {
    /// Creates the error of a value found at `place` that differs from `expected`.
    pub(crate) fn syntax(place: Place, found: &[u8], expected: impl Into<String>) -> Self {
        Self::Syntax { place, found: quoted(found), expected: expected.into() }
    }

    /// Returns the place of the error; `None` if it concerns the whole file.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Empty { .. } | Self::MissingBuffer { .. } | Self::NotATree { .. } => None,
            Self::Syntax { place, .. }
            | Self::NotFinite { place, .. }
            | Self::BadIndex { place, .. }
            | Self::TooFewCorners { place, .. }
            | Self::Truncated { place, .. }
            | Self::Undercounted { place, .. }
            | Self::NoFaces { place, .. }
            | Self::NoBuildItems { place }
            | Self::NoCells { place, .. }
            | Self::NoEdges { place, .. }
            | Self::Unsupported { place, .. }
            | Self::UnpacksTooLarge { place, .. }
            | Self::Missing { place, .. }
            | Self::Cycle { place, .. }
            | Self::OutOfRange { place, .. }
            | Self::Pose { place, .. }
            | Self::Mesh { place, .. } => Some(place),
        }
    }
}

fn index_remedy(first: i64, count: usize) -> String {
    match count {
        0 => "give the vertices".to_owned(),
        _ if first == 1 => format!("indices run from 1 to {count}, or from -1 back to the first vertex"),
        _ => format!("indices run from 0 to {}", count - 1),
    }
}

/// Quotes a piece of a file, printable and at most 40 characters long.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]);
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().count() > SHOWN {
        shown.push('…');
    }
    format!("`{shown}`")
}
