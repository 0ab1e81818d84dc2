//! One level of a multiresolution map, read as a map.
//!
//! In: a multiresolution map and a level. Out: a [`CombinatorialMap`], so that walkers, orbits and counts work on it.
//! Cost: the cost of the map's φ at a level.

use crate::map::round;
use crate::{CellIds, CombinatorialMap, Dart, Orbit};

/// A map that can be read at every level.
pub trait Multiresolution: Sized {
    /// The dimension: 2 or 3.
    const DIMENSION: usize;

    /// Returns the finest level that has darts of its own.
    fn finest(&self) -> u8;

    /// Returns a bound above all numbers of darts; not all darts below it are live.
    fn capacity(&self) -> usize;

    /// Returns the level at which the dart came in; `None` if there is no such dart.
    fn dart_level(&self, dart: Dart) -> Option<u8>;

    /// Returns the number of darts at a level, including boundary darts.
    fn live_count_at(&self, level: u8) -> usize;

    /// Reports whether the dart closes the map beyond a border.
    fn is_boundary(&self, dart: Dart) -> bool;

    /// Returns φ₁ at a level. A dart that came in later is read at its own level, here and below.
    fn phi1_at(&self, dart: Dart, level: u8) -> Dart;

    /// Returns φ₋₁ at a level.
    fn phi1_inv_at(&self, dart: Dart, level: u8) -> Dart;

    /// Returns φ₂ at a level.
    fn phi2_at(&self, dart: Dart, level: u8) -> Dart;

    /// Returns φ₃ at a level. In 2D the dart itself.
    fn phi3_at(&self, dart: Dart, level: u8) -> Dart;

    /// Returns the bytes on the heap of links, levels and labels, without numbers of cells.
    fn link_bytes(&self) -> usize;

    /// Returns the map as it is at a level.
    fn at(&self, level: u8) -> Level<'_, Self> {
        Level { map: self, level }
    }
}

/// The map as it is at a level. Cells have no numbers here. In an implicit map a vertex has the same darts, in the same
/// order, at every level that it is of, since schemes add no edges at old vertices. Its orbit and its number are best
/// read from the finest map, whose φ is one array access.
#[derive(Debug)]
pub struct Level<'a, M> {
    map: &'a M,
    level: u8,
}

impl<M> Clone for Level<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Level<'_, M> {}

impl<'a, M: Multiresolution> Level<'a, M> {
    /// Returns the level.
    pub fn level(self) -> u8 {
        self.level
    }

    /// Returns the darts around the face, on the side of `dart`, from it on.
    pub fn face_darts(self, dart: Dart) -> impl Iterator<Item = Dart> + 'a {
        round(dart, move |dart| self.phi1(dart))
    }
}

impl<M: Multiresolution> CombinatorialMap for Level<'_, M> {
    const DIMENSION: usize = M::DIMENSION;

    #[inline]
    fn capacity(&self) -> usize {
        self.map.capacity()
    }

    fn live_count(&self) -> usize {
        self.map.live_count_at(self.level)
    }

    #[inline]
    fn is_live(&self, dart: Dart) -> bool {
        self.map.dart_level(dart).is_some_and(|level| level <= self.level)
    }

    #[inline]
    fn is_boundary(&self, dart: Dart) -> bool {
        self.map.is_boundary(dart)
    }

    #[inline]
    fn phi1(&self, dart: Dart) -> Dart {
        self.map.phi1_at(dart, self.level)
    }

    #[inline]
    fn phi1_inv(&self, dart: Dart) -> Dart {
        self.map.phi1_inv_at(dart, self.level)
    }

    #[inline]
    fn phi2(&self, dart: Dart) -> Dart {
        self.map.phi2_at(dart, self.level)
    }

    #[inline]
    fn phi3(&self, dart: Dart) -> Dart {
        self.map.phi3_at(dart, self.level)
    }

    fn cell_ids(&self, _orbit: Orbit) -> Option<&CellIds> {
        None
    }
}
