//! Single-precision copy of a solid of few corners, for queries that process all of it at once.
//!
//! In: corners, facets and edges of a [`Hull`](super::Hull). Out: [`SmallHull`]: the same data relative to the middle,
//! in units of its size, planes and edges in groups of eight.
//! Guarantees: numbers of corners, facets and edges are those of the hull; every coordinate is rounded to nearest, none
//! exceeds 1.

use super::facets::{Edge, Facet};
use heurt_geometry::{Aabb, Vec3, power_of_two_scale};

/// Number of planes or edges in a group.
pub const LANES: usize = 8;

/// A group of planes. Padding planes have no normal and lie in front of everything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaneLanes {
    /// Outward, of unit length, coordinate by coordinate.
    pub normal: [[f32; LANES]; 3],
    /// Distances from the middle.
    pub height: [f32; LANES],
}

/// A group of edges. Padding edges have no length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeLanes {
    /// From the first end to the second, of unit length.
    pub along: [[f32; LANES]; 3],
    /// Normals of the facets on the left.
    pub left: [[f32; LANES]; 3],
    /// Normals of the facets on the right.
    pub right: [[f32; LANES]; 3],
}

/// An edge by numbers, and its direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallEdge {
    /// Its ends.
    pub ends: [u8; 2],
    /// The facets on its left and on its right.
    pub facets: [u8; 2],
    /// Unit vector from the first end to the second.
    pub along: [f32; 3],
}

/// A solid of few corners in single precision.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallHull {
    /// Origin of the coordinates, in the frame of the shape.
    pub middle: Vec3,
    /// Metres in a unit, a power of two.
    pub unit: f64,
    /// In units from the middle.
    pub corners: Vec<[f32; 3]>,
    /// The planes of the facets.
    pub planes: Vec<PlaneLanes>,
    /// Edges by number.
    pub edges: Vec<SmallEdge>,
    /// The same edges in groups.
    pub edge_lanes: Vec<EdgeLanes>,
}

/// A facet of a crisp hull whose sides are all longer than this, in units, has a normal to ten digits.
const SHORT: f64 = 1e-6;

/// Minimum distance of padding planes.
const AFAR: f32 = 1e30;

impl SmallHull {
    /// Maximum number of corners; for more corners a search that tests a few facets is faster than testing all.
    pub const MAX_CORNERS: usize = 16;

    /// Creates the copy of a solid, if its corners are few and its facets are not needles, whose normals would be
    /// rounding.
    pub(super) fn new(corners: &[Vec3], facets: &[Facet], edges: &[Edge], bounds: &Aabb) -> Option<Self> {
        if corners.len() > Self::MAX_CORNERS {
            return None;
        }
        let middle = bounds.centre();
        let units = power_of_two_scale(bounds.half_extents().max_element());
        let from_middle = |corner: u32| (corners[corner as usize] - middle) * units;
        let plane = |facet: &Facet| {
            let height =
                facet.corners.iter().map(|&corner| facet.normal.dot(from_middle(corner))).fold(f64::MIN, f64::max);
            (facet.normal.to_array().map(|x| x as f32), height as f32)
        };
        let planes: Vec<([f32; 3], f32)> = facets.iter().map(plane).collect();
        let edge = |edge: &Edge| {
            let offset = corners[edge.ends[1] as usize] * units - corners[edge.ends[0] as usize] * units;
            let along = offset.try_normalize().filter(|_| offset.length() > SHORT)?.to_array().map(|x| x as f32);
            Some(SmallEdge {
                ends: edge.ends.map(|end| end as u8),
                facets: edge.facets?.map(|facet| facet as u8),
                along,
            })
        };
        let edges: Vec<SmallEdge> = edges.iter().map(edge).collect::<Option<_>>()?;
        let normal_of = |facet: u8| planes[usize::from(facet)].0;
        Some(Self {
            middle,
            unit: 1.0 / units,
            corners: (0..corners.len() as u32).map(|corner| from_middle(corner).to_array().map(|x| x as f32)).collect(),
            planes: planes
                .chunks(LANES)
                .map(|some| PlaneLanes {
                    normal: side_by_side(some, |&(normal, _)| normal),
                    height: std::array::from_fn(|k| some.get(k).map_or(AFAR, |&(_, height)| height)),
                })
                .collect(),
            edge_lanes: edges
                .chunks(LANES)
                .map(|some| EdgeLanes {
                    along: side_by_side(some, |edge| edge.along),
                    left: side_by_side(some, |edge| normal_of(edge.facets[0])),
                    right: side_by_side(some, |edge| normal_of(edge.facets[1])),
                })
                .collect(),
            edges,
        })
    }
}

/// Returns vectors coordinate by coordinate, padded with zeros.
fn side_by_side<T>(some: &[T], vector: impl Fn(&T) -> [f32; 3]) -> [[f32; LANES]; 3] {
    [0, 1, 2].map(|axis| std::array::from_fn(|k| some.get(k).map_or(0.0, |one| vector(one)[axis])))
}
