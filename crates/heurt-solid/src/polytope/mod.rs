//! Convex polytope by its planes: exact clipping, facets, closed mesh, exact volume.
//!
//! In: half-spaces, or a closed mesh of a convex polyhedron. Out: [`Polytope`], its mesh, volume and half-spaces.
//! Method: the double description of Motzkin et al. A vertex stores all planes of the polytope that contain it. Two
//! vertices are adjacent if and only if they share two planes that are not parallel: the points of the polytope on both
//! planes are a face within a line, and the two vertices are its ends. This holds in any dimension and with any number
//! of planes through a vertex. Construction starts from a cube larger than every vertex of the
//! arrangement (see `build`), so that emptiness and boundedness follow from the result.
//! Guarantees: all decisions are signs of determinants of plane coefficients, exact. Coordinates are rounded for output
//! only. Duplicate and redundant planes, flat and empty results, and vertices of many planes are handled.
//! Cost: one clip of a polytope with V vertices tests V signs and the pairs of vertices on opposite sides.

mod build;
mod clip;
mod error;
mod facets;
mod half_spaces;
mod measure;
mod plane;

pub(crate) use build::{cube_bits, planes_of_mesh};
pub use error::PolytopeError;
pub use facets::PolytopeFacet;
pub use plane::{ExactPlane, PolytopeVertex};

use std::sync::Arc;

/// A corner of a polytope: a point, and the planes that contain it.
#[derive(Debug, Clone)]
struct PolytopeCorner {
    vertex: Arc<PolytopeVertex>,
    /// Ascending indices of planes.
    tight: Vec<u32>,
}

/// A nonempty bounded intersection of half-spaces, of any dimension.
#[derive(Debug, Clone)]
pub struct Polytope {
    planes: Vec<Arc<ExactPlane>>,
    corners: Vec<PolytopeCorner>,
}

impl Polytope {
    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.corners.len()
    }

    /// Returns the vertices.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = &PolytopeVertex> {
        self.corners.iter().map(|corner| &*corner.vertex)
    }

    /// Returns the planes that contain a vertex; some may be redundant.
    pub fn planes(&self) -> impl ExactSizeIterator<Item = &ExactPlane> {
        self.planes.iter().map(|plane| &**plane)
    }

    /// Reports whether the polytope has interior points: no plane contains all vertices. Exact.
    pub fn is_solid(&self) -> bool {
        let mut common: Option<Vec<u32>> = None;
        for corner in &self.corners {
            common = Some(match common {
                None => corner.tight.clone(),
                Some(shared) => clip::shared_planes(&shared, &corner.tight),
            });
        }
        common.is_some_and(|shared| shared.is_empty())
    }
}
