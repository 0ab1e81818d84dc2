//! Delaunay triangulations and Voronoi cells of points, in the plane and in space.
//!
//! In: points, in metres. Out: triangles or tetrahedra, the neighbours of each point, and on demand Voronoi cells,
//! maps, and the neighbours in sight.
//! Method: S0 §1.2.6, S4 §2.2.3. The plane uses the crate `spade`. Space uses insertion in an order that is random at
//! large scale and along a curve at small scale. Each point replaces the star-shaped cavity of the tetrahedra whose
//! spheres contain it, with exact predicates. Voronoi cells are read from the map of the triangulation: a cell is
//! around a vertex of the map.
//! Guarantees: no sphere of a tetrahedron (circle of a triangle) strictly contains a point; every choice among points
//! on one sphere is the same in every run. Points at the same place have no neighbours, except the first of them, which
//! represents them all. Cost: O(n log n) expected; space is O(n²) in the worst case, like its tetrahedra.

mod order;
mod plane;
mod sight;
mod space;
mod tetrahedra;

pub use plane::{Delaunay2, VoronoiCell2};
pub use space::{Delaunay3, VoronoiCell3, VoronoiFace};

use thiserror::Error;

/// Errors of triangulation.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DelaunayError {
    /// A coordinate is NaN or infinite.
    #[error("point {point} has coordinates {coordinates:?}: give finite numbers")]
    NotFinite {
        /// The point.
        point: usize,
        /// Its coordinates.
        coordinates: Vec<f64>,
    },
    /// A coordinate of the plane is too large or too close to 0.
    #[error("point {point} has coordinates {coordinates:?}: give 0 or numbers between 1.8e-43 and 3.2e60")]
    OutOfRange {
        /// The point.
        point: usize,
        /// Its coordinates.
        coordinates: Vec<f64>,
    },
    /// The points of space lie in one plane.
    #[error("the {count} points lie in one plane: triangulate them there, by Delaunay2")]
    Flat {
        /// Number of points at different places.
        count: usize,
    },
    /// More points than numbers.
    #[error("{count} points, more than {max}: split them")]
    TooLarge {
        /// Number of points.
        count: usize,
        /// Number of points allowed.
        max: usize,
    },
}

/// The neighbours of each point, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Neighbours {
    begin: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    /// Takes pairs; a pair may come several times.
    pub(crate) fn from_pairs(points: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut both: Vec<[u32; 2]> = pairs.flat_map(|[a, b]| [[a, b], [b, a]]).collect();
        both.sort_unstable();
        both.dedup();
        let mut begin = vec![0; points + 1];
        for &[a, _] in &both {
            begin[a as usize + 1] += 1;
        }
        for point in 0..points {
            begin[point + 1] += begin[point];
        }
        Self { begin, list: both.into_iter().map(|[_, b]| b).collect() }
    }

    /// Returns the neighbours of a point, ascending; none for an unknown point. Cost: O(1).
    pub fn of(&self, point: u32) -> &[u32] {
        let ends = (self.begin.get(point as usize), self.begin.get(point as usize + 1));
        let (Some(&begin), Some(&end)) = ends else { return &[] };
        &self.list[begin as usize..end as usize]
    }

    /// Returns the number of points.
    pub fn point_count(&self) -> usize {
        self.begin.len().saturating_sub(1)
    }

    /// Returns all pairs, the lesser point first, ascending.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let of = |a| self.of(a).iter().filter(move |&&b| a < b).map(move |&b| [a, b]);
        (0..self.point_count() as u32).flat_map(of)
    }
}

/// Returns the first point at the place of each point, by coordinates; −0 is 0.
fn first_at_same_place<const N: usize>(coordinates: impl Fn(usize) -> [f64; N], count: usize) -> Vec<u32> {
    let key = |point: &u32| coordinates(*point as usize).map(|x| x + 0.0);
    let mut sorted: Vec<u32> = (0..count as u32).collect();
    sorted.sort_unstable_by(|a, b| {
        let (p, q) = (key(a), key(b));
        p.iter().zip(&q).map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne()).unwrap_or(a.cmp(b))
    });
    let mut first: Vec<u32> = (0..count as u32).collect();
    for same in sorted.chunk_by(|a, b| key(a) == key(b)) {
        for &point in same {
            first[point as usize] = same[0];
        }
    }
    first
}
