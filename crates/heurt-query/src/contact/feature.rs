//! What of a shape touches.

/// A part of the boundary of a shape, by a number that stays the same while the shape does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A corner of a hull; a vertex of a mesh, the lowest of those at the same place.
    Corner(u32),
    /// An edge of a hull, by the corner where it begins and the one where it ends; of a mesh likewise, the lower vertex first; an
    /// edge on a cylinder or a cone is (0, 1).
    Edge(u32, u32),
    /// A facet of a hull; a triangle of a mesh; the base of a cylinder or cone.
    Face(u32),
    /// Some place of a curved face, or one that has no name.
    Curved,
}
