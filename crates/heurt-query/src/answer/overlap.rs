//! The answer of `overlap`: a witness of the overlap.

/// One of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// A witness that two shapes overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Witness {
    /// Two primitives that intersect.
    Primitives {
        /// The triangle of A; 0 for a convex shape, for a compound counted through its parts.
        a: u32,
        /// The primitive of B.
        b: u32,
    },
    /// No surfaces meet, but a connected part of this shape lies inside its partner, which is solid.
    Contained(Side),
}

impl Witness {
    /// The same, seen from B.
    #[must_use]
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Primitives { a, b } => Self::Primitives { a: b, b: a },
            Self::Contained(Side::A) => Self::Contained(Side::B),
            Self::Contained(Side::B) => Self::Contained(Side::A),
        }
    }
}
