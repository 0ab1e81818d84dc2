//! Features of a boundary: corner, edge, face.

use heurt_shape::Hull;

/// A part of the boundary of a shape, by a number that stays the same while the shape does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// A corner of a hull; a vertex of a mesh, the lowest among the vertices at the same place.
    Corner(u32),
    /// An edge of a hull, by the corners at its beginning and its end; an edge of a mesh by its vertices, the lower
    /// first; an edge on a cylinder or a cone is (0, 1).
    Edge(u32, u32),
    /// A facet of a hull; a triangle of a mesh; the base of a cylinder or cone.
    Face(u32),
    /// Some place of a curved face, or one that has no name.
    Curved,
}

impl Feature {
    /// The corners that a feature of a hull has, by number: one, two, or those of a facet, counter-clockwise seen from
    /// outside; none for what the hull does not have.
    pub fn corners_of(self, hull: &Hull) -> Vec<u32> {
        let names = match self {
            Self::Corner(corner) => vec![corner],
            Self::Edge(from, to) => vec![from, to],
            Self::Face(number) => {
                hull.facets().get(number as usize).map_or_else(Vec::new, |facet| facet.corners.clone())
            }
            Self::Curved => vec![],
        };
        let is_there = names.iter().all(|&name| (name as usize) < hull.corners().len());
        if is_there { names } else { vec![] }
    }
}
