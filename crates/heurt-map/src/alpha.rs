//! The generalised map that a combinatorial map represents.
//!
//! In: a map. Out: generalised darts and α₀ to α₃ between them.
//! Method: S4 §3.1.1, φᵢ = αᵢ∘α₀, read backwards. A dart has two generalised darts, one at either end of its edge. α₀
//! links the two, α₁ leads to the neighbouring edge of the same face at the same vertex, α₂ to the neighbouring face of
//! the same volume, α₃ to the neighbouring volume, all at the same vertex.
//! Guarantees: every αᵢ is an involution without fixed points, for the map is closed. Nothing is stored. Cost: O(1).

use crate::{CombinatorialMap, Dart};

/// A generalised dart: a vertex of an edge of a face of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AlphaDart {
    /// The dart along the edge.
    pub dart: Dart,
    /// True at the end of the dart, false at its start.
    pub at_end: bool,
}

/// A combinatorial map read as a generalised map.
#[derive(Debug, Clone, Copy)]
pub struct AlphaView<'m, M> {
    map: &'m M,
}

impl<'m, M: CombinatorialMap> AlphaView<'m, M> {
    /// Reads a map.
    pub fn new(map: &'m M) -> Self {
        Self { map }
    }

    /// Returns all generalised darts, including boundary darts.
    pub fn darts(&self) -> impl Iterator<Item = AlphaDart> + 'm {
        let ends = |dart| [false, true].map(|at_end| AlphaDart { dart, at_end });
        self.map.live_darts().flat_map(ends)
    }

    /// Returns α₀: the opposite vertex of the edge.
    pub fn alpha0(&self, dart: AlphaDart) -> AlphaDart {
        AlphaDart { at_end: !dart.at_end, ..dart }
    }

    /// Returns α₁: the second edge of the face at the vertex.
    pub fn alpha1(&self, AlphaDart { dart, at_end }: AlphaDart) -> AlphaDart {
        let next = if at_end { self.map.phi1(dart) } else { self.map.phi1_inv(dart) };
        AlphaDart { dart: next, at_end: !at_end }
    }

    /// Returns α₂: the second face of the volume at the edge.
    pub fn alpha2(&self, AlphaDart { dart, at_end }: AlphaDart) -> AlphaDart {
        AlphaDart { dart: self.map.phi2(dart), at_end: !at_end }
    }

    /// Returns α₃: the neighbouring volume at the face; in 2D the dart itself.
    pub fn alpha3(&self, alpha: AlphaDart) -> AlphaDart {
        let AlphaDart { dart, at_end } = alpha;
        if M::DIMENSION == 3 { AlphaDart { dart: self.map.phi3(dart), at_end: !at_end } } else { alpha }
    }
}
