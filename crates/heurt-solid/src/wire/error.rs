//! Errors of wireframes and of the search for their solids. Vertices and edges are counted from 0.

use heurt_geometry::Vec3;
use heurt_mesh::PolygonError;
use thiserror::Error;

/// Errors of wireframes.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WireError {
    /// There are too many edges.
    #[error("the wireframe has {edges} edges: give at most {}", super::MAX_WIRE_EDGES)]
    TooManyEdges {
        /// The number of edges.
        edges: usize,
    },
    /// There are too many pairs of edges with a common vertex.
    #[error("{corners} pairs of edges meet in vertices: give at most {}", super::MAX_WIRE_CORNERS)]
    TooManyCorners {
        /// The number of pairs.
        corners: usize,
    },
    /// A vertex is not finite or too far away.
    #[error("vertex {vertex} is at {:?}: give finite coordinates up to 1e60", position.to_array())]
    Vertex {
        /// The vertex.
        vertex: usize,
        /// Its position.
        position: Vec3,
    },
    /// An edge names a vertex that is not there, or one vertex twice.
    #[error("edge {edge} joins the vertices {} and {}, of {count} vertices: give two different indices below {count}", vertices[0], vertices[1])]
    Edge {
        /// The edge.
        edge: usize,
        /// Its vertices.
        vertices: [u32; 2],
        /// The number of vertices.
        count: usize,
    },
    /// Two edges meet elsewhere than in a common vertex.
    #[error(
        "edges {first} and {second} (counted from 0) meet elsewhere than in a common vertex: divide them there, make \
         their near vertices one, or remove one edge"
    )]
    EdgesMeet {
        /// The first edge.
        first: usize,
        /// The second edge.
        second: usize,
    },
    /// The search was interrupted.
    #[error("the search took {steps} steps without an end: permit more steps, or divide the wireframe")]
    Steps {
        /// The limit of steps.
        steps: u64,
    },
    /// There are more solids than the limit.
    #[error("the wireframe bounds more than {limit} solids: give a higher limit")]
    TooManySolids {
        /// The limit of solids.
        limit: usize,
    },
    /// The faces of a solid cannot be triangulated.
    #[error("the faces of a solid: {0}")]
    Polygons(#[from] PolygonError),
    /// A solid cannot be queried.
    #[error("a solid cannot be queried: {0}")]
    Shape(#[from] heurt_shape::ShapeError),
}
