//! Operations on two sets of points, by name, for all kinds of solids.

/// An operation on two sets of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetOperation {
    /// The points of either.
    Union,
    /// The points of both.
    Intersection,
    /// The points of the first that are not in the second.
    Difference,
    /// The points of exactly one.
    SymmetricDifference,
}

impl SetOperation {
    /// All operations.
    pub const ALL: [Self; 4] = [Self::Union, Self::Intersection, Self::Difference, Self::SymmetricDifference];

    /// Reports whether a point belongs to the result.
    pub fn contains(self, in_a: bool, in_b: bool) -> bool {
        match self {
            Self::Union => in_a || in_b,
            Self::Intersection => in_a && in_b,
            Self::Difference => in_a && !in_b,
            Self::SymmetricDifference => in_a != in_b,
        }
    }
}
