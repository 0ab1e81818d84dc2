//! Visits: the darts of an orbit, the cells incident or adjacent to a cell, all orbits of a kind.
//!
//! In: a map, a dart. Out: darts, each once, in the order found.
//! Method: orbits that are cycles are followed; all other orbits are searched breadth-first, whole faces (volumes,
//! components) or whole corners (vertices in 3D) at a time. A dart is marked by the number of the visit, so that marks
//! never have to be cleared.
//! Guarantees: no allocation once the buffers have grown to the size of the map. Cost: O(darts visited).

use crate::{CombinatorialMap, Dart, Orbit};

/// Marks for visits: a place is marked if its stamp is the number of the visit.
#[derive(Debug, Clone, Default)]
struct Stamps {
    stamps: Vec<u32>,
    visit: u32,
}

impl Stamps {
    /// Starts a visit with nothing marked, among places below `count`.
    fn begin(&mut self, count: usize) {
        if self.stamps.len() < count {
            self.stamps.resize(count, 0);
        }
        if self.visit == u32::MAX {
            self.stamps.fill(0);
            self.visit = 0;
        }
        self.visit += 1;
    }

    /// Marks a place, and reports whether it was not marked.
    #[inline]
    fn mark(&mut self, place: usize) -> bool {
        std::mem::replace(&mut self.stamps[place], self.visit) != self.visit
    }
}

/// A set of the darts that a visit has marked.
trait Seen {
    /// Marks the dart, and reports whether it was not marked.
    fn mark(&mut self, dart: Dart) -> bool;
}

impl Seen for Stamps {
    #[inline]
    fn mark(&mut self, dart: Dart) -> bool {
        Stamps::mark(self, dart.index())
    }
}

/// A byte a dart: twice as fast as bits if all darts are visited once.
impl Seen for Vec<bool> {
    #[inline]
    fn mark(&mut self, dart: Dart) -> bool {
        !std::mem::replace(&mut self[dart.index()], true)
    }
}

/// Appends a cycle whose first dart is already marked.
#[inline]
fn cycle<S: Seen>(seen: &mut S, list: &mut Vec<Dart>, start: Dart, step: impl Fn(Dart) -> Dart) {
    list.push(start);
    let mut dart = step(start);
    while dart != start {
        seen.mark(dart);
        list.push(dart);
        dart = step(dart);
    }
}

/// Appends the orbit of `start`, which is already marked.
#[inline]
fn visit<M: CombinatorialMap, S: Seen>(map: &M, orbit: Orbit, start: Dart, seen: &mut S, list: &mut Vec<Dart>) {
    let begin = list.len();
    match (M::DIMENSION, orbit) {
        (2, Orbit::Vertex) => cycle(seen, list, start, |dart| map.phi2(map.phi1_inv(dart))),
        (_, Orbit::Edge) => {
            // φ₂ and φ₃ in turn; in 2D φ₃ is the identity and the cycle has two darts.
            let mut dart = start;
            loop {
                let other = map.phi2(dart);
                seen.mark(other);
                list.extend([dart, other]);
                dart = map.phi3(other);
                if dart == start || M::DIMENSION == 2 {
                    break;
                }
                seen.mark(dart);
            }
        }
        (2, Orbit::Face) => cycle(seen, list, start, |dart| map.phi1(dart)),
        (_, Orbit::Face) => {
            cycle(seen, list, start, |dart| map.phi1(dart));
            let other = map.phi3(start);
            if seen.mark(other) {
                cycle(seen, list, other, |dart| map.phi1(dart));
            }
        }
        (_, Orbit::Vertex) => {
            cycle(seen, list, start, |dart| map.phi2(map.phi1_inv(dart)));
            let mut next = begin;
            while let Some(&dart) = list.get(next) {
                let other = map.phi1(map.phi3(dart));
                if seen.mark(other) {
                    cycle(seen, list, other, |dart| map.phi2(map.phi1_inv(dart)));
                }
                next += 1;
            }
        }
        (_, Orbit::Volume | Orbit::Component) => {
            cycle(seen, list, start, |dart| map.phi1(dart));
            let mut next = begin;
            while let Some(&dart) = list.get(next) {
                let other = map.phi2(dart);
                if seen.mark(other) {
                    cycle(seen, list, other, |dart| map.phi1(dart));
                }
                if M::DIMENSION == 3 && orbit == Orbit::Component {
                    let other = map.phi3(dart);
                    if seen.mark(other) {
                        cycle(seen, list, other, |dart| map.phi1(dart));
                    }
                }
                next += 1;
            }
        }
    }
}

/// Calls `f` with the darts of every orbit of a kind, including boundary orbits, by ascending first dart. Cost:
/// O(darts).
pub fn for_each_orbit<M: CombinatorialMap>(map: &M, orbit: Orbit, mut f: impl FnMut(&[Dart])) {
    let mut seen = vec![false; map.capacity()];
    let mut list = Vec::new();
    for dart in (0..map.capacity() as u32).map(Dart) {
        if !seen[dart.index()] && map.is_live(dart) {
            seen[dart.index()] = true;
            list.clear();
            visit(map, orbit, dart, &mut seen, &mut list);
            f(&list);
        }
    }
}

/// Walker that visits orbits and neighbours with buffers that are kept between calls.
#[derive(Debug, Clone, Default)]
pub struct Walker {
    seen: Stamps,
    list: Vec<Dart>,
    inner: Stamps,
    inner_list: Vec<Dart>,
    cells: Stamps,
    found: Vec<Dart>,
}

impl Walker {
    /// Makes a walker; it fits any map, and grows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a visit of several orbits.
    pub(crate) fn begin(&mut self, map: &impl CombinatorialMap) {
        self.seen.begin(map.capacity());
        self.list.clear();
    }

    /// Visits one more orbit, and returns its darts; none if it was visited.
    pub(crate) fn extend<M: CombinatorialMap>(&mut self, map: &M, orbit: Orbit, dart: Dart) -> &[Dart] {
        let begin = self.list.len();
        if self.seen.mark(dart.index()) {
            visit(map, orbit, dart, &mut self.seen, &mut self.list);
        }
        &self.list[begin..]
    }

    /// Returns the darts of the cell of `dart`, from it on, including boundary darts. Cost: O(darts of the cell).
    ///
    /// # Panics
    /// When the dart is not of the map.
    pub fn orbit<M: CombinatorialMap>(&mut self, map: &M, orbit: Orbit, dart: Dart) -> &[Dart] {
        self.begin(map);
        self.extend(map, orbit, dart)
    }

    /// Reports whether two darts are of one cell. Cost: O(1) if cells of the kind are numbered, else O(darts of the
    /// cell).
    pub fn is_same<M: CombinatorialMap>(&mut self, map: &M, orbit: Orbit, a: Dart, b: Dart) -> bool {
        match map.cell_ids(orbit) {
            Some(ids) if map.is_cell(orbit, a) && map.is_cell(orbit, b) => ids.of(a) == ids.of(b),
            _ => self.orbit(map, orbit, a).contains(&b),
        }
    }

    /// Returns one dart for each cell of kind `to` that is incident to the cell of kind `from` of `dart`, without
    /// boundary faces (2D) and volumes (3D). Incident cells share a dart; the returned dart is a shared one. Cost:
    /// O(darts of the cell) if cells of kind `to` are numbered, else O(darts of all cells given).
    ///
    /// # Panics
    /// When the dart is not of the map.
    pub fn incident<M: CombinatorialMap>(&mut self, map: &M, dart: Dart, from: Orbit, to: Orbit) -> &[Dart] {
        self.orbit(map, from, dart);
        self.begin_cells(map, to);
        for place in 0..self.list.len() {
            let dart = self.list[place];
            self.find(map, to, dart);
        }
        &self.found
    }

    /// Returns one dart for each cell of kind `cell`, except the cell of `dart`, that shares a cell of kind `via` with
    /// it: volumes by a vertex, by an edge, by a face; vertices by an edge. The returned dart is of both cells.
    /// Boundary faces (2D) and volumes (3D) are left out. Cost: as [`incident`](Self::incident), over the cells of kind
    /// `via`; best if both kinds are numbered.
    ///
    /// # Panics
    /// When the dart is not of the map.
    ///
    /// ```
    /// use heurt_map::{CombinatorialMap, Map2, Orbit, Walker};
    /// let map = Map2::grid(3, 3)?;
    /// let faces = map.cell_ids(Orbit::Face).ok_or("grids have numbered faces")?;
    /// let middle = faces.dart(4).ok_or("the square in the middle")?;
    /// let mut walker = Walker::new();
    /// let adjacent = walker.adjacent(&map, middle, Orbit::Face, Orbit::Edge);
    /// let mut neighbours: Vec<u32> = adjacent.iter().map(|&dart| map.id(Orbit::Face, dart)).collect();
    /// neighbours.sort();
    /// assert_eq!(neighbours, [1, 3, 5, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn adjacent<M: CombinatorialMap>(&mut self, map: &M, dart: Dart, cell: Orbit, via: Orbit) -> &[Dart] {
        self.orbit(map, cell, dart);
        self.begin_cells(map, cell);
        self.find(map, cell, dart);
        self.found.clear();
        let mut links = std::mem::take(&mut self.inner);
        let mut link = std::mem::take(&mut self.inner_list);
        links.begin(map.capacity());
        for place in 0..self.list.len() {
            let dart = self.list[place];
            if links.mark(dart.index()) {
                link.clear();
                visit(map, via, dart, &mut links, &mut link);
                for &dart in &link {
                    self.find(map, cell, dart);
                }
            }
        }
        (self.inner, self.inner_list) = (links, link);
        &self.found
    }

    fn begin_cells<M: CombinatorialMap>(&mut self, map: &M, kind: Orbit) {
        let count = map.cell_ids(kind).map_or(map.capacity(), |ids| ids.bound());
        self.cells.begin(count);
        self.found.clear();
    }

    /// Notes the cell of `dart` unless it is noted.
    #[inline]
    fn find<M: CombinatorialMap>(&mut self, map: &M, kind: Orbit, dart: Dart) {
        if !map.is_cell(kind, dart) {
            return;
        }
        match map.cell_ids(kind) {
            Some(ids) => {
                if self.cells.mark(ids.of(dart) as usize) {
                    self.found.push(dart);
                }
            }
            None => {
                if self.cells.mark(dart.index()) {
                    let end = self.found.len();
                    visit(map, kind, dart, &mut self.cells, &mut self.found);
                    self.found.truncate(end);
                    self.found.push(dart);
                }
            }
        }
    }
}
