//! Why a file could not be read: where in it, what stands there, and what to do.

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

/// Why bytes are no model. Every message names the place, the value found there, and the remedy.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There are no bytes, or only blank ones.
    #[error("the file is empty: give the {format} file at least one face")]
    Empty {
        /// The format asked for.
        format: Format,
    },
    /// Something else stands where the format wants a certain thing.
    #[error("{place}: found {found}, expected {expected}")]
    Syntax {
        /// Where.
        place: Place,
        /// What stands there, shortened.
        found: String,
        /// What should.
        expected: String,
    },
    /// A coordinate is NaN, infinite, or too large for an `f64`.
    #[error("{place}: the coordinate {value} is not finite: give finite numbers")]
    NotFinite {
        /// Where.
        place: Place,
        /// The coordinate as it is written.
        value: String,
    },
    /// A face names a vertex that is not there.
    #[error("{place}: the face names vertex {index}, but the number of vertices is {count}: {}", index_remedy(*first, *count))]
    BadIndex {
        /// Where.
        place: Place,
        /// The index as it is written.
        index: i64,
        /// The number of the first vertex: 1 in OBJ, else 0.
        first: i64,
        /// How many vertices there are.
        count: usize,
    },
    /// A face has fewer than three corners.
    #[error("{place}: the face has {corners} corners, it needs at least 3: complete it or remove it")]
    TooFewCorners {
        /// Where.
        place: Place,
        /// How many there are.
        corners: usize,
    },
    /// The file ends before what it promises.
    #[error(
        "{place}: the file promises {promised} {what} but holds {present}: it is cut short, write or copy it again"
    )]
    Truncated {
        /// Where the bytes end or stop sufficing.
        place: Place,
        /// What is counted.
        what: &'static str,
        /// How many are declared.
        promised: u64,
        /// How many are wholly there.
        present: u64,
    },
    /// A binary STL holds more triangles than it declares.
    #[error(
        "{place}: the header counts {promised} triangles but {present} are there: correct the count, or cut the rest off"
    )]
    Undercounted {
        /// Where the count stands.
        place: Place,
        /// How many are declared.
        promised: u64,
        /// For how many there is room.
        present: u64,
    },
    /// There is no face in the whole file.
    #[error("{place}: the {format} file ends without a face: give at least one triangle")]
    NoFaces {
        /// Where the file ends.
        place: Place,
        /// The format read.
        format: Format,
    },
    /// There is no cell in the whole file.
    #[error(
        "{place}: the {format} file ends without a cell: give at least one tetrahedron, pyramid, prism or hexahedron"
    )]
    NoCells {
        /// Where the file ends.
        place: Place,
        /// The format read.
        format: VolumeFormat,
    },
    /// The format allows it, this reader does not.
    #[error("{place}: {what} cannot be read: {remedy}")]
    Unsupported {
        /// Where.
        place: Place,
        /// What it is.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A member of an archive unpacks to more than the archive may.
    #[error(
        "{place}: it unpacks to {size} bytes, but at most {limit} are read of an archive of {archive} bytes: pack the \
         model again without padding, or split it"
    )]
    UnpacksTooLarge {
        /// The member.
        place: Place,
        /// The size that the member declares, in bytes.
        size: u64,
        /// The bytes that are still allowed.
        limit: u64,
        /// The size of the archive, in bytes.
        archive: u64,
    },
    /// A reference names something that the file does not hold.
    #[error("{place}: {name} names no {what} of the file: add it, or remove the reference")]
    Missing {
        /// Where the reference is.
        place: Place,
        /// The kind of item.
        what: &'static str,
        /// The name, quoted.
        name: String,
    },
    /// An assembly contains itself.
    #[error("{place}: {name} contains itself: remove the instance that closes the cycle")]
    Cycle {
        /// Where the instance is that closes the cycle.
        place: Place,
        /// The assembly, quoted.
        name: String,
    },
    /// The bytes of a glTF buffer are not there.
    #[error("buffers[{buffer}]: {reason}: pack the model as one GLB file, or put the buffer where the file names it")]
    MissingBuffer {
        /// Which buffer.
        buffer: usize,
        /// What is missing.
        reason: String,
    },
    /// A glTF item reaches outside the item it refers to.
    #[error("{place}: needs {needed} {what}, but there are {available}: export the model again")]
    OutOfRange {
        /// Where.
        place: Place,
        /// What is counted.
        what: &'static str,
        /// How many are needed, or the index plus one.
        needed: u64,
        /// How many there are.
        available: u64,
    },
    /// A node of a glTF scene is reached twice.
    #[error("nodes[{node}]: reached twice, the hierarchy is no tree: give every node one parent")]
    NotATree {
        /// Which node.
        node: usize,
    },
    /// The placement of a part is no rotation and translation.
    ///
    /// The message holds the cause, which therefore is no [`source`](std::error::Error::source): it would be reported
    /// twice.
    #[error("{place}: {cause}")]
    Pose {
        /// Where.
        place: Place,
        /// What is wrong.
        cause: PoseError,
    },
    /// The faces read make no mesh.
    ///
    /// The message holds the cause, as that of [`ReadError::Pose`] does.
    #[error("{place}: {cause}")]
    Mesh {
        /// Where.
        place: Place,
        /// What is wrong.
        cause: MeshError,
    },
}

impl ReadError {
    /// States what stands at `place` where `expected` should.
    pub(crate) fn syntax(place: Place, found: &[u8], expected: impl Into<String>) -> Self {
        Self::Syntax { place, found: quoted(found), expected: expected.into() }
    }

    /// Names the place of the error; `None` where the whole file is meant.
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
            | Self::NoCells { place, .. }
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

/// Shows a piece of a file in quotes, printable and at most 40 characters long.
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
