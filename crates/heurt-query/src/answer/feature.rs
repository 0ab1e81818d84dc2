//! Features of shapes that touch.

use heurt_shape::Hull;

/// A part of the boundary of a shape, by a number that is constant while the shape is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// A corner of a hull; a vertex of a mesh, the lowest at its position.
    Corner(u32),
    /// An edge of a hull, by its start corner and its end corner; of a mesh, by its vertices, the lower first; an edge
    /// on a cylinder or a cone is (0, 1).
    Edge(u32, u32),
    /// A facet of a hull; a triangle of a mesh; the base of a cylinder or cone.
    Face(u32),
    /// A place of a curved face, or a place without a name.
    Curved,
}

impl Feature {
    /// Returns the corners of a feature of a hull, by number: one, two, or the corners of a facet, counter-clockwise
    /// seen from outside; none for a feature that the hull does not have.
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
