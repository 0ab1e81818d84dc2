//! The arrays of a map, and the queries of maps of both dimensions.
//!
//! In: darts. Out: darts, cells. Method: S4 §3.1.1; struct of arrays, dead darts in a list through φ₋₁.
//! Cost: O(1) unless noted; 12 bytes and a bit a dart in 2D, 16 and a bit in 3D, and 4 for each kind of cell numbered.

use crate::attribute::Change;
use crate::walk::Walker;
use crate::{CellIds, Dart, DartSet, EditError, IdChange, NO_CELL, Orbit};

/// No dart: the φ₁ of a dead dart.
pub(crate) const NONE: u32 = u32::MAX;

/// Bound above all numbers of darts.
pub(crate) const MAX_DARTS: usize = u32::MAX as usize;

/// A combinatorial map of dimension `D`, closed by boundary darts: [`Map2`] or [`Map3`].
#[derive(Debug, Clone, Default)]
pub struct Map<const D: usize> {
    pub(crate) phi1: Vec<u32>,
    pub(crate) phi1_inv: Vec<u32>,
    pub(crate) phi2: Vec<u32>,
    /// Empty in 2D.
    pub(crate) phi3: Vec<u32>,
    pub(crate) boundary: DartSet,
    first_free: Option<Dart>,
    live: usize,
    pub(crate) ids: [Option<Box<CellIds>>; 5],
    pub(crate) log: Change,
    pub(crate) walker: Walker,
}

/// Faces of a surface, or of the plane.
pub type Map2 = Map<2>;

/// Volumes.
pub type Map3 = Map<3>;

impl<const D: usize> Map<D> {
    /// Takes valid links: all darts live, φ₂ and φ₃ closed by the darts of `boundary`.
    pub(crate) fn from_links(phi1: Vec<u32>, phi2: Vec<u32>, phi3: Vec<u32>, boundary: DartSet) -> Self {
        let mut phi1_inv = vec![0; phi1.len()];
        for (dart, &next) in phi1.iter().enumerate() {
            phi1_inv[next as usize] = dart as u32;
        }
        Self::from_all_links([phi1, phi1_inv, phi2, phi3], boundary)
    }

    /// Takes valid φ₁, φ₋₁, φ₂ and φ₃, as [`from_links`](Self::from_links).
    pub(crate) fn from_all_links([phi1, phi1_inv, phi2, phi3]: [Vec<u32>; 4], boundary: DartSet) -> Self {
        let live = phi1.len();
        Self { phi1, phi1_inv, phi2, phi3, boundary, live, ..Self::default() }
    }

    /// Makes an empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Copies the darts and links of any map, for example a level of a multiresolution map. Darts keep their numbers;
    /// cells have none. Cost: O(capacity) and as many φ of the map.
    pub fn copy_of<M: CombinatorialMap>(source: &M) -> Self {
        const { assert!(M::DIMENSION == D) };
        let count = source.capacity();
        let mut map = Self::with_capacity(count);
        for dart in (0..count as u32).map(Dart) {
            let is_live = source.is_live(dart);
            let copy =
                |to: &mut Vec<u32>, link: &dyn Fn(Dart) -> Dart| to.push(if is_live { link(dart).0 } else { NONE });
            copy(&mut map.phi1, &|dart| source.phi1(dart));
            copy(&mut map.phi1_inv, &|dart| source.phi1_inv(dart));
            copy(&mut map.phi2, &|dart| source.phi2(dart));
            if D == 3 {
                copy(&mut map.phi3, &|dart| source.phi3(dart));
            }
            if !is_live {
                map.phi1_inv[dart.index()] = map.first_free.map_or(NONE, |next| next.0);
                map.first_free = Some(dart);
            } else if source.is_boundary(dart) {
                map.boundary.insert(dart);
            }
        }
        map.live = source.live_count();
        map
    }

    /// Makes an empty map with room for `darts` darts, those of the boundary included.
    pub fn with_capacity(darts: usize) -> Self {
        let room = || Vec::with_capacity(darts);
        let phi3 = if D == 3 { room() } else { Vec::new() };
        let boundary = DartSet::with_capacity(darts);
        Self { phi1: room(), phi1_inv: room(), phi2: room(), phi3, boundary, ..Self::default() }
    }

    /// Returns the bytes on the heap of links and boundary, without numbers of cells.
    pub fn link_bytes(&self) -> usize {
        let words: usize =
            [&self.phi1, &self.phi1_inv, &self.phi2, &self.phi3].iter().map(|array| array.capacity()).sum();
        4 * words + self.boundary.heap_bytes()
    }

    /// Numbers the cells of one kind, from 0, in the order of their first darts, and keeps the numbers from now on.
    /// Numbers that are there stay. Cost: O(darts).
    pub fn enable_ids(&mut self, orbit: Orbit) {
        if self.ids[orbit.place()].is_none() {
            let mut ids = CellIds::with_darts(self.capacity());
            crate::for_each_orbit(self, orbit, |cell| {
                if self.is_cell(orbit, cell[0]) {
                    let first = cell.iter().copied().find(|&dart| !self.is_boundary(dart));
                    ids.add_cell(first.unwrap_or(cell[0]), cell);
                }
            });
            self.ids[orbit.place()] = Some(Box::new(ids));
        }
    }

    /// Removes the numbers of one kind of cell.
    pub fn disable_ids(&mut self, orbit: Orbit) {
        self.ids[orbit.place()] = None;
    }

    /// Starts or stops logging the changes that edits make to the numbers of cells.
    /// [`take_changes`](Self::take_changes) returns the log.
    pub fn log_changes(&mut self, on: bool) {
        self.log.is_on = on;
    }

    /// Returns the changes of the numbers of cells since the last call, in order.
    pub fn take_changes(&mut self) -> Vec<IdChange> {
        std::mem::take(&mut self.log.changes)
    }

    /// Checks that a dart is live.
    pub(crate) fn check_live(&self, dart: Dart) -> Result<(), EditError> {
        if self.is_live(dart) { Ok(()) } else { Err(EditError::NotLive { dart, capacity: self.capacity() }) }
    }

    /// Checks that a dart is live and of a cell.
    pub(crate) fn check_inner(&self, dart: Dart) -> Result<(), EditError> {
        self.check_live(dart)?;
        if self.is_boundary(dart) { Err(EditError::Boundary { dart }) } else { Ok(()) }
    }

    /// Checks that `more` darts have numbers.
    pub(crate) fn check_room(&self, more: usize) -> Result<(), EditError> {
        let count = self.live.saturating_add(more);
        if count > MAX_DARTS { Err(EditError::TooLarge { count, max: MAX_DARTS }) } else { Ok(()) }
    }

    /// Makes an isolated dart: φ₁, φ₂ and φ₃ lead to itself; the caller links it at once.
    pub(crate) fn new_dart(&mut self, is_boundary: bool) -> Dart {
        let dart = match self.first_free {
            Some(dart) => {
                let next = self.phi1_inv[dart.index()];
                self.first_free = (next != NONE).then_some(Dart(next));
                dart
            }
            None => {
                let dart = Dart(self.phi1.len() as u32);
                self.phi1.push(dart.0);
                self.phi1_inv.push(dart.0);
                self.phi2.push(dart.0);
                if D == 3 {
                    self.phi3.push(dart.0);
                }
                for ids in self.ids.iter_mut().flatten() {
                    ids.add_dart();
                }
                dart
            }
        };
        self.phi1[dart.index()] = dart.0;
        self.phi1_inv[dart.index()] = dart.0;
        self.phi2[dart.index()] = dart.0;
        if D == 3 {
            self.phi3[dart.index()] = dart.0;
        }
        if is_boundary {
            self.boundary.insert(dart);
        }
        self.live += 1;
        dart
    }

    /// Removes a dart that no dart links to any more.
    pub(crate) fn free_dart(&mut self, dart: Dart) {
        self.phi1[dart.index()] = NONE;
        self.phi1_inv[dart.index()] = self.first_free.map_or(NONE, |next| next.0);
        self.first_free = Some(dart);
        self.boundary.remove(dart);
        self.live -= 1;
        for (orbit, ids) in Orbit::ALL.into_iter().zip(&mut self.ids) {
            if let Some(ids) = ids {
                self.log.vacated.push((orbit, ids.leave(dart)));
            }
        }
    }

    /// Counts the darts of the list of dead ones; at most `capacity` and one.
    pub(crate) fn free_count(&self) -> usize {
        let next = |dart: &Dart| Some(self.phi1_inv[dart.index()]).filter(|&next| next != NONE).map(Dart);
        std::iter::successors(self.first_free, next).take(self.capacity() + 1).count()
    }

    #[inline]
    pub(crate) fn link1(&mut self, from: Dart, to: Dart) {
        self.phi1[from.index()] = to.0;
        self.phi1_inv[to.index()] = from.0;
    }

    #[inline]
    pub(crate) fn link2(&mut self, a: Dart, b: Dart) {
        self.phi2[a.index()] = b.0;
        self.phi2[b.index()] = a.0;
    }

    #[inline]
    pub(crate) fn link3(&mut self, a: Dart, b: Dart) {
        self.phi3[a.index()] = b.0;
        self.phi3[b.index()] = a.0;
    }

    /// Returns the darts around the face, on the side of `dart`, from it on.
    pub fn face_darts(&self, dart: Dart) -> impl Iterator<Item = Dart> + '_ {
        round(dart, |dart| self.phi1(dart))
    }

    /// Reports whether two darts are on the same side of one face. Cost: O(edges of the face).
    pub(crate) fn is_same_face(&self, a: Dart, b: Dart) -> bool {
        self.face_darts(a).any(|dart| dart == b)
    }

    /// Cuts one side of a face, and returns the dart from `a`'s start to `b`'s and the dart back.
    pub(crate) fn split_side(&mut self, a: Dart, b: Dart) -> (Dart, Dart) {
        let is_boundary = self.is_boundary(a);
        let (to, back) = (self.new_dart(is_boundary), self.new_dart(is_boundary));
        let (before_a, before_b) = (self.phi1_inv(a), self.phi1_inv(b));
        self.link1(before_a, to);
        self.link1(to, b);
        self.link1(before_b, back);
        self.link1(back, a);
        self.link2(to, back);
        (to, back)
    }

    /// Links the two sides of faces along an edge past it, so that they become one side; returns the next dart of
    /// either dart.
    pub(crate) fn pass_by(&mut self, one: Dart, other: Dart) -> [Dart; 2] {
        let [next, other_next] = [one, other].map(|dart| self.phi1(dart));
        let [before, other_before] = [one, other].map(|dart| self.phi1_inv(dart));
        self.link1(before, other_next);
        self.link1(other_before, next);
        [next, other_next]
    }
}

impl<const D: usize> CombinatorialMap for Map<D> {
    const DIMENSION: usize = D;

    #[inline]
    fn capacity(&self) -> usize {
        self.phi1.len()
    }

    #[inline]
    fn live_count(&self) -> usize {
        self.live
    }

    #[inline]
    fn is_live(&self, dart: Dart) -> bool {
        self.phi1.get(dart.index()).is_some_and(|&next| next != NONE)
    }

    #[inline]
    fn is_boundary(&self, dart: Dart) -> bool {
        self.boundary.contains(dart)
    }

    #[inline]
    fn phi1(&self, dart: Dart) -> Dart {
        Dart(self.phi1[dart.index()])
    }

    #[inline]
    fn phi1_inv(&self, dart: Dart) -> Dart {
        Dart(self.phi1_inv[dart.index()])
    }

    #[inline]
    fn phi2(&self, dart: Dart) -> Dart {
        Dart(self.phi2[dart.index()])
    }

    #[inline]
    fn phi3(&self, dart: Dart) -> Dart {
        if D == 3 { Dart(self.phi3[dart.index()]) } else { dart }
    }

    #[inline]
    fn cell_ids(&self, orbit: Orbit) -> Option<&CellIds> {
        self.ids[orbit.place()].as_deref()
    }
}

/// A combinatorial map, closed by boundary darts. Links of a dart that has no place in it (see
/// [`capacity`](Self::capacity)) panic.
pub trait CombinatorialMap {
    /// The dimension: 2 or 3.
    const DIMENSION: usize;

    /// Returns a bound above all numbers of darts; not all darts below it are live.
    fn capacity(&self) -> usize;

    /// Returns the number of live darts, including boundary darts.
    fn live_count(&self) -> usize;

    /// Reports whether the dart is part of the map.
    fn is_live(&self, dart: Dart) -> bool;

    /// Reports whether the dart closes the map beyond a border.
    fn is_boundary(&self, dart: Dart) -> bool;

    /// Returns φ₁: the next dart around the face.
    fn phi1(&self, dart: Dart) -> Dart;

    /// Returns φ₋₁: the previous dart around the face.
    fn phi1_inv(&self, dart: Dart) -> Dart;

    /// Returns φ₂: along the same edge, reversed, in the neighbouring face of the same volume.
    fn phi2(&self, dart: Dart) -> Dart;

    /// Returns φ₃: along the same edge, reversed, in the same face of the neighbouring volume. In 2D the dart itself.
    fn phi3(&self, dart: Dart) -> Dart;

    /// Returns the numbers of the cells of one kind, if enabled.
    fn cell_ids(&self, orbit: Orbit) -> Option<&CellIds>;

    /// Returns the number of the cell of that kind. [`NO_CELL`] if numbers are not enabled, or if there is no cell: the
    /// face (2D) or volume (3D) of a boundary dart.
    #[inline]
    fn id(&self, orbit: Orbit, dart: Dart) -> u32 {
        self.cell_ids(orbit).map_or(NO_CELL, |ids| ids.of(dart))
    }

    /// Returns the live darts, ascending, including boundary darts. Cost: O(capacity).
    fn live_darts(&self) -> impl Iterator<Item = Dart> + '_ {
        (0..self.capacity() as u32).map(Dart).filter(|&dart| self.is_live(dart))
    }

    /// Reports whether the orbit of this dart is a cell: boundary faces (2D) and boundary volumes (3D) are no cells.
    #[inline]
    fn is_cell(&self, orbit: Orbit, dart: Dart) -> bool {
        let is_top = match orbit {
            Orbit::Vertex | Orbit::Edge | Orbit::Component => false,
            Orbit::Face => Self::DIMENSION == 2,
            Orbit::Volume => Self::DIMENSION == 3,
        };
        !(is_top && self.is_boundary(dart))
    }

    /// Reports whether a face (2D) or volume (3D) of the boundary is incident to the cell. Cost: O(darts of the cell)
    /// for vertices in 2D and edges in 3D, O(1) for edges in 2D and faces in 3D; `false` for other kinds.
    fn touches_boundary(&self, orbit: Orbit, dart: Dart) -> bool {
        match (Self::DIMENSION, orbit) {
            (2, Orbit::Edge) => self.is_boundary(dart) || self.is_boundary(self.phi2(dart)),
            (3, Orbit::Face) => self.is_boundary(dart) || self.is_boundary(self.phi3(dart)),
            (2, Orbit::Vertex) => round(dart, |d| self.phi2(self.phi1_inv(d))).any(|d| self.is_boundary(d)),
            (3, Orbit::Edge) => round(dart, |d| self.phi3(self.phi2(d))).any(|d| self.is_boundary(d)),
            _ => false,
        }
    }
}

/// Returns the darts from `start` on by `step`, until `start` comes again: `step` is a permutation.
#[inline]
pub(crate) fn round(start: Dart, step: impl Fn(Dart) -> Dart) -> impl Iterator<Item = Dart> {
    std::iter::successors(Some(start), move |&dart| Some(step(dart)).filter(|&next| next != start))
}

/// Counts the cells of a kind.
pub(crate) fn count_cells<const D: usize>(map: &Map<D>, orbit: Orbit) -> usize {
    let mut count = 0;
    crate::for_each_orbit(map, orbit, |cell| count += usize::from(map.is_cell(orbit, cell[0])));
    count
}
