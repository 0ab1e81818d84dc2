//! Errors of edits.

use crate::{Dart, Orbit};
use thiserror::Error;

/// Errors of edits. The map stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// There is no such dart.
    #[error("dart {} is not in the map (capacity {capacity}): take a live dart", dart.0)]
    NotLive {
        /// The dart.
        dart: Dart,
        /// Numbers of darts are below it.
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
        /// The first dart.
        a: Dart,
        /// The second dart.
        b: Dart,
        /// True for a face sewn to itself, false for a dart.
        in_face: bool,
    },
    /// Faces of different numbers of edges cannot be sewn.
    #[error("the faces of darts {} and {} have {a_edges} and {b_edges} edges: cut edges until they agree", a.0, b.0)]
    FaceDegrees {
        /// A dart of the first face.
        a: Dart,
        /// A dart of the second face.
        b: Dart,
        /// Number of edges of the first face.
        a_edges: usize,
        /// Number of edges of the second face.
        b_edges: usize,
    },
    /// A face, polyhedron or path of too few edges or faces.
    #[error("{what} of {count}: give at least {least}")]
    TooFew {
        /// The kind of element.
        what: &'static str,
        /// Number given.
        count: usize,
        /// Number needed.
        least: usize,
    },
    /// The darts have to lie in one cell.
    #[error("darts {} and {} are not in one {orbit:?}", a.0, b.0)]
    NotInOne {
        /// The kind of cell.
        orbit: Orbit,
        /// The first dart.
        a: Dart,
        /// The second dart.
        b: Dart,
    },
    /// The darts have to lie in different cells.
    #[error("darts {} and {} are in one {orbit:?}: two are needed", a.0, b.0)]
    InOne {
        /// The kind of cell.
        orbit: Orbit,
        /// The first dart.
        a: Dart,
        /// The second dart.
        b: Dart,
    },
    /// A vertex cannot be taken out of an edge when other edges meet there.
    #[error("{edges} edges meet at the vertex of dart {}: only a vertex of two edges can be removed", dart.0)]
    VertexInUse {
        /// A dart that starts at the vertex.
        dart: Dart,
        /// Number of edges that meet there.
        edges: usize,
    },
    /// An edge that cannot be removed: it has more than two faces, its face has no other edge, or its face meets itself
    /// along it.
    #[error("the edge of dart {} does not part exactly two faces of its volume", dart.0)]
    EdgeInUse {
        /// A dart of the edge.
        dart: Dart,
    },
    /// A path is not closed: each dart has to start at the end of the previous dart.
    #[error("dart {} at place {place} does not start where the dart before it ends", dart.0)]
    BrokenPath {
        /// The place in the path.
        place: usize,
        /// The dart there.
        dart: Dart,
    },
    /// A path runs twice along an edge, or does not divide its volume.
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
        /// Number of faces that run along it in this direction.
        count: usize,
    },
    /// More darts than numbers.
    #[error("the map would have {count} darts, more than {max}: split it")]
    TooLarge {
        /// Number of darts.
        count: usize,
        /// Number of darts allowed.
        max: usize,
    },
}
