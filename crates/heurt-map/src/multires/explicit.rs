//! Explicit multiresolution: the links of every level.
//!
//! In: maps, each with the darts of the previous one. Out: φ at any level in O(1).
//! Method: S4 §3.2.1 (fig. 3.9): each dart has, for each level from its own level on, the place of a tuple of links;
//! levels with the same links share the tuple. Any scheme works. A level is copied from a map, which any method can
//! make: an [`ImplicitMap`](super::ImplicitMap) at a level, [`dual`](super::dual), [`sqrt3`](super::sqrt3) or edits.
//! `pop` restores the previous levels.
//! Guarantees: a level that does not fit changes nothing. Cost: 4 bytes a dart and level, and 4 a link and tuple.

use super::{MultiresError, Multiresolution};
use crate::{CombinatorialMap, Dart, DartSet};

/// No tuple: the dart is not of the level.
const NONE: u32 = u32::MAX;

/// A map that holds the links of every level.
#[derive(Debug, Clone)]
pub struct ExplicitMap<const D: usize> {
    /// For each level, the tuple of each dart.
    tables: Vec<Vec<u32>>,
    phi1: Vec<u32>,
    phi1_inv: Vec<u32>,
    phi2: Vec<u32>,
    /// Empty in 2D.
    phi3: Vec<u32>,
    boundary: DartSet,
    level: Vec<u8>,
    counts: Vec<usize>,
    /// Number of tuples before each level.
    tuples: Vec<usize>,
}

impl<const D: usize> ExplicitMap<D> {
    /// Takes level 0.
    ///
    /// # Errors
    /// None for a map; as [`push`](Self::push).
    pub fn new(map: &impl CombinatorialMap) -> Result<Self, MultiresError> {
        let mut explicit = Self {
            tables: Vec::new(),
            phi1: Vec::new(),
            phi1_inv: Vec::new(),
            phi2: Vec::new(),
            phi3: Vec::new(),
            boundary: DartSet::new(),
            level: Vec::new(),
            counts: Vec::new(),
            tuples: Vec::new(),
        };
        explicit.push(map)?;
        Ok(explicit)
    }

    /// Takes one more level.
    ///
    /// # Errors
    /// A map that lacks a dart of the previous level, or has it on the opposite side of the border; too many levels.
    pub fn push<M: CombinatorialMap>(&mut self, map: &M) -> Result<(), MultiresError> {
        const { assert!(M::DIMENSION == D) };
        let before = self.tables.last().map_or(&[][..], Vec::as_slice);
        for dart in (0..before.len() as u32).map(Dart).filter(|dart| before[dart.index()] != NONE) {
            if !map.is_live(dart) {
                return Err(MultiresError::DartMissing { dart });
            }
            if map.is_boundary(dart) != self.boundary.contains(dart) {
                return Err(MultiresError::BoundaryMoved { dart });
            }
        }
        let count = self.tables.len();
        let level = match u8::try_from(count) {
            Ok(level) if level < u8::MAX => level,
            _ => return Err(MultiresError::TooDeep { dart: Dart(0), level: u8::MAX }),
        };
        // Darts that come in later have no place.
        let end = (0..map.capacity()).rev().find(|&dart| map.is_live(Dart(dart as u32))).map_or(0, |last| last + 1);
        let mut table = vec![NONE; end];
        self.level.resize(self.level.len().max(end), u8::MAX);
        self.tuples.push(self.phi1.len());
        self.counts.push(0);
        for dart in map.live_darts() {
            let links = [map.phi1(dart), map.phi1_inv(dart), map.phi2(dart), map.phi3(dart)].map(|dart| dart.0);
            let old = self.tables.last().and_then(|table| table.get(dart.index())).copied().unwrap_or(NONE);
            if old == NONE {
                self.level[dart.index()] = level;
                self.counts[count] += 1;
                if map.is_boundary(dart) {
                    self.boundary.insert(dart);
                }
            }
            table[dart.index()] = if old != NONE && self.tuple(old) == links { old } else { self.add(links) };
        }
        self.tables.push(table);
        Ok(())
    }

    /// Removes the finest level, unless it is the only one; reports whether it did.
    pub fn pop(&mut self) -> bool {
        if self.tables.len() < 2 {
            return false;
        }
        self.tables.pop();
        self.counts.pop();
        let tuples = self.tuples.pop().unwrap_or(0);
        for links in [&mut self.phi1, &mut self.phi1_inv, &mut self.phi2, &mut self.phi3] {
            links.truncate(tuples);
        }
        let gone = self.tables.len();
        for (dart, level) in (0..).zip(&mut self.level) {
            if usize::from(*level) == gone {
                *level = u8::MAX;
                self.boundary.remove(Dart(dart));
            }
        }
        true
    }

    fn tuple(&self, place: u32) -> [u32; 4] {
        let place = place as usize;
        let third = if D == 3 { self.phi3[place] } else { NONE };
        [self.phi1[place], self.phi1_inv[place], self.phi2[place], third]
    }

    fn add(&mut self, links: [u32; 4]) -> u32 {
        self.phi1.push(links[0]);
        self.phi1_inv.push(links[1]);
        self.phi2.push(links[2]);
        if D == 3 {
            self.phi3.push(links[3]);
        }
        self.phi1.len() as u32 - 1
    }

    /// Returns the tuple of a dart at a level. A dart that came in later is read at its own level; a level beyond the
    /// finest is read at the finest.
    #[inline(always)]
    fn place(&self, dart: Dart, level: u8) -> usize {
        let level = usize::from(level.max(self.level[dart.index()])).min(self.tables.len() - 1);
        self.tables[level][dart.index()] as usize
    }
}

impl<const D: usize> Multiresolution for ExplicitMap<D> {
    const DIMENSION: usize = D;

    fn finest(&self) -> u8 {
        (self.tables.len() - 1) as u8
    }

    fn capacity(&self) -> usize {
        self.tables.last().map_or(0, Vec::len)
    }

    #[inline]
    fn dart_level(&self, dart: Dart) -> Option<u8> {
        self.level.get(dart.index()).copied().filter(|&level| level != u8::MAX)
    }

    fn live_count_at(&self, level: u8) -> usize {
        self.counts.iter().take(usize::from(level) + 1).sum()
    }

    #[inline]
    fn is_boundary(&self, dart: Dart) -> bool {
        self.boundary.contains(dart)
    }

    #[inline]
    fn phi1_at(&self, dart: Dart, level: u8) -> Dart {
        Dart(self.phi1[self.place(dart, level)])
    }

    #[inline]
    fn phi1_inv_at(&self, dart: Dart, level: u8) -> Dart {
        Dart(self.phi1_inv[self.place(dart, level)])
    }

    #[inline]
    fn phi2_at(&self, dart: Dart, level: u8) -> Dart {
        Dart(self.phi2[self.place(dart, level)])
    }

    #[inline]
    fn phi3_at(&self, dart: Dart, level: u8) -> Dart {
        if D == 3 { Dart(self.phi3[self.place(dart, level)]) } else { dart }
    }

    fn link_bytes(&self) -> usize {
        let links = [&self.phi1, &self.phi1_inv, &self.phi2, &self.phi3];
        let words: usize = self.tables.iter().chain(links).map(Vec::capacity).sum();
        4 * words
            + self.boundary.heap_bytes()
            + self.level.capacity()
            + 8 * (self.counts.capacity() + self.tuples.capacity())
    }
}
