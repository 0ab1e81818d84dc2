//! Result of `overlap`: the proof that two shapes overlap.

/// One of two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// The proof that two shapes overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Witness {
    /// Two primitives that intersect.
    Primitives {
        /// The triangle of A; 0 for a convex shape, for a compound counted through its parts.
        a: u32,
        /// The triangle of B, counted in the same manner.
        b: u32,
    },
    /// No surfaces meet, but a connected part of this shape lies inside the opposite shape, which is solid.
    Contained(Side),
}

impl Witness {
    /// Returns the witness with A and B swapped.
    #[must_use]
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Primitives { a, b } => Self::Primitives { a: b, b: a },
            Self::Contained(Side::A) => Self::Contained(Side::B),
            Self::Contained(Side::B) => Self::Contained(Side::A),
        }
    }
}
