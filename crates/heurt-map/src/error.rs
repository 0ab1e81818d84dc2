//! Why an edit is refused.

use crate::{Dart, Orbit};
use thiserror::Error;

/// Why an edit is refused. The map is then as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// There is no such dart.
    #[error("dart {} is not in the map (capacity {capacity}): take a live dart", dart.0)]
    NotLive {
        /// The dart.
        dart: Dart,
        /// Darts have numbers below it.
        capacity: usize,
    },
    /// A boundary dart, where a dart of a cell is needed.
    #[error("dart {} is of the boundary: take its φ2 (2D) or φ3 (3D), which is of a cell", dart.0)]
    Boundary {
        /// The dart.
        dart: Dart,
    },
    /// The dart has a neighbour already.
    #[error("dart {} is sewn to dart {}: unsew it first", dart.0, to.0)]
    AlreadySewn {
        /// The dart.
        dart: Dart,
        /// Its neighbour.
        to: Dart,
    },
    /// The dart has no neighbour.
    #[error("dart {} is on the border: there is nothing to unsew or to merge", dart.0)]
    NotSewn {
        /// The dart.
        dart: Dart,
    },
    /// A dart cannot be sewn to itself, nor a face (3D) to itself.
    #[error("darts {} and {} are one {}: a map of cells with two sides takes two", a.0, b.0, if *in_face { "face" } else { "dart" })]
    SewnToItself {
        /// The one dart.
        a: Dart,
        /// The other.
        b: Dart,
        /// A face with itself; else a dart with itself.
        in_face: bool,
    },
    /// Faces of different numbers of edges cannot be sewn.
    #[error("the faces of darts {} and {} have {a_edges} and {b_edges} edges: cut edges until they agree", a.0, b.0)]
    FaceDegrees {
        /// A dart of the one face.
        a: Dart,
        /// A dart of the other.
        b: Dart,
        /// Edges of the one.
        a_edges: usize,
        /// Edges of the other.
        b_edges: usize,
    },
    /// A face, polyhedron or path of too few edges or faces.
    #[error("{what} of {count}: give at least {least}")]
    TooFew {
        /// What.
        what: &'static str,
        /// How many were given.
        count: usize,
        /// How many are needed.
        least: usize,
    },
    /// The darts have to lie in one cell.
    #[error("darts {} and {} are not in one {orbit:?}", a.0, b.0)]
    NotInOne {
        /// The kind of cell.
        orbit: Orbit,
        /// The one dart.
        a: Dart,
        /// The other.
        b: Dart,
    },
    /// The darts have to lie in different cells.
    #[error("darts {} and {} are in one {orbit:?}: two are needed", a.0, b.0)]
    InOne {
        /// The kind of cell.
        orbit: Orbit,
        /// The one dart.
        a: Dart,
        /// The other.
        b: Dart,
    },
    /// A vertex cannot be taken out of an edge when other edges meet there.
    #[error("{edges} edges meet at the vertex of dart {}: only a vertex of two edges can be removed", dart.0)]
    VertexInUse {
        /// A dart that starts at the vertex.
        dart: Dart,
        /// How many edges meet there.
        edges: usize,
    },
    /// An edge of a merged face is used by other faces or is wanted elsewhere.
    #[error("the edge of dart {} does not part exactly two faces of its volume", dart.0)]
    EdgeInUse {
        /// A dart of the edge.
        dart: Dart,
    },
    /// A path has to go round: each dart starts where the one before ends.
    #[error("dart {} at place {place} does not start where the dart before it ends", dart.0)]
    BrokenPath {
        /// The place in the path.
        place: usize,
        /// The dart there.
        dart: Dart,
    },
    /// A path goes twice along an edge, or does not part its volume.
    #[error("the path at dart {} does not part the volume in two", dart.0)]
    DoesNotPart {
        /// A dart of the path.
        dart: Dart,
    },
    /// A face of a polyhedron lacks its neighbour, or has several.
    #[error(
        "the edge {edge:?} of the polyhedron has {count} faces that run along it this way: each edge needs one each way"
    )]
    OpenPolyhedron {
        /// The edge, by the numbers given.
        edge: [u32; 2],
        /// How many faces run along it this way.
        count: usize,
    },
    /// More darts than numbers.
    #[error("the map would have {count} darts, more than {max}: split it")]
    TooLarge {
        /// How many.
        count: usize,
        /// How many are allowed.
        max: usize,
    },
}
