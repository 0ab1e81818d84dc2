//! Darts, the orbits they represent, and marks on them.
//!
//! In → out: numbers. A mark is a bit a dart. Cost: O(1) a dart.

/// A dart, by its number: an edge seen from one face of one volume, with a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dart(pub u32);

impl Dart {
    /// The number, to index arrays over darts.
    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of cell that a dart represents: the darts of a cell are an orbit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Orbit {
    /// All darts that start at the vertex.
    Vertex,
    /// All darts along the edge, of both directions.
    Edge,
    /// All darts round the face; in 3D from both sides.
    Face,
    /// All darts of the volume. In 2D a closed surface bounds one volume: the same as the component.
    Volume,
    /// All darts that can be reached.
    Component,
}

impl Orbit {
    /// All kinds, by dimension.
    pub const ALL: [Self; 5] = [Self::Vertex, Self::Edge, Self::Face, Self::Volume, Self::Component];

    /// The place in [`Orbit::ALL`]: the dimension of the cell, and 4 for the component.
    #[inline(always)]
    pub(crate) fn place(self) -> usize {
        self as usize
    }
}

/// A set of darts, one bit each: a mark.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DartSet {
    words: Vec<u64>,
}

impl DartSet {
    /// Makes an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an empty set with room for darts below `capacity`.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { words: vec![0; capacity.div_ceil(64)] }
    }

    /// Reports whether the dart is marked.
    #[inline(always)]
    pub fn contains(&self, dart: Dart) -> bool {
        self.words.get(dart.index() / 64).is_some_and(|word| word >> (dart.0 % 64) & 1 != 0)
    }

    /// Marks the dart, and reports whether it was not marked before.
    #[inline]
    pub fn insert(&mut self, dart: Dart) -> bool {
        let place = dart.index() / 64;
        if place >= self.words.len() {
            self.words.resize(place + 1, 0);
        }
        let (word, bit) = (&mut self.words[place], 1 << (dart.0 % 64));
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    /// Takes the mark away, and reports whether there was one.
    #[inline]
    pub fn remove(&mut self, dart: Dart) -> bool {
        let bit = 1 << (dart.0 % 64);
        match self.words.get_mut(dart.index() / 64) {
            Some(word) if *word & bit != 0 => {
                *word &= !bit;
                true
            }
            _ => false,
        }
    }

    /// Takes all marks away.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// How many darts are marked.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Reports whether no dart is marked.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The marked darts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Dart> + '_ {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            let bits = std::iter::successors(Some(word), |&rest| Some(rest & (rest - 1))).take_while(|&rest| rest != 0);
            bits.map(move |rest| Dart(place as u32 * 64 + rest.trailing_zeros()))
        })
    }

    /// Marks the darts of a range of numbers.
    pub(crate) fn insert_range(&mut self, range: std::ops::Range<u32>) {
        if range.is_empty() {
            return;
        }
        let (first, last) = (range.start as usize / 64, (range.end as usize - 1) / 64);
        if last >= self.words.len() {
            self.words.resize(last + 1, 0);
        }
        let (low, high) = (!0 << (range.start % 64), !0 >> (63 - (range.end - 1) % 64));
        if first == last {
            self.words[first] |= low & high;
            return;
        }
        self.words[first] |= low;
        self.words[first + 1..last].fill(!0);
        self.words[last] |= high;
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        8 * self.words.capacity()
    }
}
