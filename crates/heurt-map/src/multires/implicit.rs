//! Implicit multiresolution: the links of the finest level, and labels from which the coarser levels are computed.
//!
//! In: a [`Map`], a dart of the cell to refine or coarsen. Out: the cells that took its place; φ at any level.
//! Method: S4 §3.2.2. Each dart has the level at which it came in; each edge has a label, in 3D each face too. At level
//! k the next dart around a face is found by a walk along the edge at the finest level. The walk turns at each vertex
//! that came in after k until the label comes again, and ends at a dart of level k or less.
//! Ours differs: S4 colours edges with two or three labels, by rules for each scheme. Here the label of an edge (a
//! face) is the level at which its line (its plane) came in. At a vertex that came in at level j, the edge that goes on
//! is older than j and the edges from refinement are of level j, for every scheme: labels need no rules, and schemes
//! may be mixed.
//! Guarantees: no array except the map's and one byte a dart for the level and for each label. A dart finer than the
//! given level is read at its own level, so that every loop ends. Cost: O(1) at the finest level.

use super::{LevelFault, MultiresError, Multiresolution};
use crate::map::round;
use crate::{Attribute, CombinatorialMap, Dart, IdChange, Map, Map2, Map3, MapFault, Orbit, Walker};
use heurt_geometry::Vec3;

/// The level of a dart that is not live.
pub(super) const FREE: u8 = u8::MAX;

/// The finest level of a cell.
pub(super) const MAX_LEVEL: u8 = 250;

/// Scheme of refining faces. A map keeps to one scheme, since both sides of a face have to agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Triangles into four triangles, other faces into quads round their centre. In 3D tetrahedra into four and an
    /// octahedron; other volumes of triangles by their centre (an octahedron into six and eight tetrahedra); prisms
    /// into eight; pyramids into six and four tetrahedra; volumes without triangles into one cell a corner (a
    /// hexahedron into eight).
    #[default]
    ByShape,
    /// All faces into quads round their centre; in 3D any polyhedron into one cell a corner (hexahedra where three
    /// edges meet).
    Quads,
}

/// A map whose cells can be refined and coarsened, and that can be read at every level.
#[derive(Debug, Clone)]
pub struct ImplicitMap<const D: usize> {
    pub(super) map: Map<D>,
    pub(super) scheme: Scheme,
    /// Level at which each dart came in.
    pub(super) level: Vec<u8>,
    /// Level at which the line of each dart's edge came in.
    pub(super) line: Vec<u8>,
    /// Level at which the plane of each dart's face came in. Empty in 2D.
    pub(super) plane: Vec<u8>,
    /// Number of darts that came in at each level.
    pub(super) counts: Vec<usize>,
    pub(super) walker: Walker,
}

/// Faces at many levels.
pub type ImplicitMap2 = ImplicitMap<2>;

/// Volumes at many levels.
pub type ImplicitMap3 = ImplicitMap<3>;

/// The result of refining a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refined {
    /// The level of the new cells.
    pub level: u8,
    /// A dart of each new cell: first cells that keep a corner of the old one, then cells that keep none.
    pub cells: Vec<Dart>,
    /// The new vertices, without vertices that a finer neighbour had brought already.
    pub vertices: Vec<NewVertex>,
}

/// A vertex that refining brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewVertex {
    /// A dart that starts there.
    pub dart: Dart,
    /// The kind of cell whose middle it is: an edge, a face or a volume.
    pub amid: Orbit,
    /// A dart of that cell at the previous level.
    pub of: Dart,
}

/// The result of coarsening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coarsened {
    /// The level of the cell that is back.
    pub level: u8,
    /// A dart of it.
    pub cell: Dart,
    /// Each removed dart and a dart that represents it: of the cell that is back, or of the same face (S4 §6.3.1).
    pub replaced: Vec<(Dart, Dart)>,
}

impl<const D: usize> ImplicitMap<D> {
    /// Takes a map as level 0, to be refined by [`Scheme::ByShape`].
    pub fn new(map: Map<D>) -> Self {
        Self::with_scheme(map, Scheme::ByShape)
    }

    /// Takes a map as level 0.
    pub fn with_scheme(map: Map<D>, scheme: Scheme) -> Self {
        let count = map.capacity();
        let level: Vec<u8> = (0..count as u32).map(|d| if map.is_live(Dart(d)) { 0 } else { FREE }).collect();
        let plane = if D == 3 { vec![0; count] } else { Vec::new() };
        let counts = vec![map.live_count()];
        Self { map, scheme, level, line: vec![0; count], plane, counts, walker: Walker::new() }
    }

    /// Returns the map of the finest level: the map of the cells as they are now.
    pub fn map(&self) -> &Map<D> {
        &self.map
    }

    /// Removes the levels and returns the map of the finest level.
    pub fn into_map(self) -> Map<D> {
        self.map
    }

    /// Returns the scheme of refining faces.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Numbers the finest cells of one kind: see [`Map::enable_ids`]. A vertex has its number at every level.
    pub fn enable_ids(&mut self, orbit: Orbit) {
        self.map.enable_ids(orbit);
    }

    /// See [`Map::log_changes`].
    pub fn log_changes(&mut self, on: bool) {
        self.map.log_changes(on);
    }

    /// See [`Map::take_changes`].
    pub fn take_changes(&mut self) -> Vec<IdChange> {
        self.map.take_changes()
    }

    /// Refines the finest cell of `dart` (face in 2D, volume in 3D) by one level, for any levels next to it.
    ///
    /// ```
    /// use heurt_map::Map2;
    /// use heurt_map::multires::{ImplicitMap, Multiresolution};
    /// use heurt_map::{CombinatorialMap, Orbit, for_each_orbit};
    /// let mut map = ImplicitMap::new(Map2::grid(1, 1)?);
    /// let square = map.map().live_darts().find(|&dart| !map.map().is_boundary(dart)).ok_or("it has darts")?;
    /// map.refine(square)?;
    /// assert_eq!(map.map().cell_counts()[2], 4, "four squares at level 1");
    /// // Level 0 can still be read.
    /// let mut faces = 0;
    /// let level = map.at(0);
    /// for_each_orbit(&level, Orbit::Face, |darts| faces += u32::from(!level.is_boundary(darts[0])));
    /// assert_eq!(faces, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A dart that is not live or of the boundary; a face of fewer than three edges; a volume that the scheme does not
    /// take or that touches itself; a level too deep; too many darts.
    pub fn refine(&mut self, dart: Dart) -> Result<Refined, MultiresError> {
        if D == 2 { self.refine_face(dart) } else { self.refine_volume(dart) }
    }

    /// Makes a dart that comes in at a level.
    pub(super) fn new_dart(&mut self, is_boundary: bool, level: u8, line: u8, plane: u8) -> Dart {
        let dart = self.map.new_dart(is_boundary);
        if dart.index() == self.level.len() {
            self.level.push(level);
            self.line.push(line);
            if D == 3 {
                self.plane.push(plane);
            }
        } else {
            self.level[dart.index()] = level;
            self.line[dart.index()] = line;
            if D == 3 {
                self.plane[dart.index()] = plane;
            }
        }
        // One more than the level: places 0 to `level`.
        if self.counts.len() <= usize::from(level) {
            self.counts.resize(usize::from(level) + 1, 0);
        }
        self.counts[usize::from(level)] += 1;
        dart
    }

    /// Removes a dart that no dart links to any more.
    pub(super) fn free_dart(&mut self, dart: Dart) {
        self.counts[usize::from(self.level[dart.index()])] -= 1;
        self.level[dart.index()] = FREE;
        self.map.free_dart(dart);
        while self.counts.len() > 1 && self.counts.last() == Some(&0) {
            self.counts.pop();
        }
    }

    /// Returns the level at which a live dart came in.
    #[inline(always)]
    pub(super) fn level(&self, dart: Dart) -> u8 {
        self.level[dart.index()]
    }

    #[inline(always)]
    pub(super) fn line(&self, dart: Dart) -> u8 {
        self.line[dart.index()]
    }

    /// Returns the level of the plane of a dart's face; 0 in 2D, which has one plane.
    #[inline(always)]
    pub(super) fn plane(&self, dart: Dart) -> u8 {
        if D == 3 { self.plane[dart.index()] } else { 0 }
    }

    /// φ₂ in the plane of the face, at the finest level: in 3D across the faces that refinement put at the edge.
    #[inline]
    pub(crate) fn across(&self, dart: Dart) -> Dart {
        let mut it = self.map.phi2(dart);
        if D == 3 {
            let plane = self.plane(dart);
            while self.plane(it) != plane {
                it = self.map.phi2(self.map.phi3(it));
            }
        }
        it
    }

    /// Reports whether the edge of a dart came in at a level, inside the plane of its face that is older.
    pub(crate) fn is_inner_edge(&self, dart: Dart, level: u8) -> bool {
        self.line(dart) == level && self.plane(dart) < level
    }

    /// Reports whether no dart is finer than a level.
    #[inline(always)]
    fn is_finest(&self, level: u8) -> bool {
        usize::from(level) + 1 >= self.counts.len()
    }

    /// φ₁ at level k, along an edge that is cut beyond k. (Of its own function, so that the common case is short.)
    #[inline(never)]
    fn end(&self, dart: Dart, level: u8) -> Dart {
        let (k, line) = (level.max(self.level(dart)), self.line(dart));
        let mut it = self.map.phi1(dart);
        // This is not the first finer dart: walk on to the end of the edge.
        while self.level(it) > k {
            while self.line(it) != line {
                it = self.map.phi1(self.across(it));
            }
            it = self.map.phi1(it);
        }
        it
    }

    /// φ₋₁ at level k, along an edge that is cut beyond k.
    #[inline(never)]
    fn start(&self, dart: Dart, level: u8) -> Dart {
        let k = level.max(self.level(dart));
        let mut it = self.map.phi1_inv(dart);
        let line = self.line(it);
        while self.level(it) > k {
            it = self.map.phi1_inv(it);
            while self.line(it) != line {
                it = self.map.phi1_inv(self.across(it));
            }
        }
        it
    }

    /// Returns the darts of the finest level along the edge that a dart has at level k, in order, on its side of its
    /// face.
    pub(super) fn pieces(&self, dart: Dart, k: u8) -> Vec<Dart> {
        let line = self.line(dart);
        let mut pieces = vec![dart];
        let mut it = self.map.phi1(dart);
        while self.level(it) > k {
            while self.line(it) != line {
                it = self.map.phi1(self.across(it));
            }
            pieces.push(it);
            it = self.map.phi1(it);
        }
        pieces
    }

    /// Returns the level of the finest edge of a dart: the level at which it got its length.
    ///
    /// # Panics
    /// When the dart is not of the map, here and below.
    pub fn edge_level(&self, dart: Dart) -> u8 {
        self.level(dart).max(self.level(self.map.phi2(dart)))
    }

    /// Returns the level of the finest face of a dart. Edges that finer neighbours have cut do not count. Cost: O(its
    /// edges).
    pub fn face_level(&self, dart: Dart) -> u8 {
        // A face of level l has its corners at level l or less, at least three of them, and at most one is older than
        // l, since a scheme puts a new vertex between any two old vertices. So the second oldest dart has level l.
        let [mut first, mut second] = [FREE; 2];
        for level in self.map.face_darts(dart).map(|dart| self.level(dart)) {
            if level < first {
                (first, second) = (level, first);
            } else {
                second = second.min(level);
            }
        }
        if second == FREE { first } else { second }
    }

    /// Returns the dart of least level, and among these of least number, of the finest face (2D) or volume (3D) of a
    /// dart.
    pub fn oldest_dart(&mut self, dart: Dart) -> Dart {
        let mut walker = std::mem::take(&mut self.walker);
        let oldest = self.oldest(walker.orbit(&self.map, Self::CELL, dart));
        self.walker = walker;
        oldest
    }

    pub(super) fn oldest(&self, darts: &[Dart]) -> Dart {
        darts.iter().copied().min_by_key(|&dart| (self.level(dart), dart)).unwrap_or(Dart(0))
    }

    /// The kind of cell: face or volume.
    pub(super) const CELL: Orbit = if D == 2 { Orbit::Face } else { Orbit::Volume };

    /// Returns the level of the finest cell of a dart: face (2D) or volume (3D). Cost: O(its darts).
    pub fn level_of(&mut self, dart: Dart) -> u8 {
        if D == 2 {
            return self.face_level(dart);
        }
        let mut walker = std::mem::take(&mut self.walker);
        let level = self.cell_level(walker.orbit(&self.map, Orbit::Volume, dart));
        self.walker = walker;
        level
    }

    /// Computes the level of a cell of any level from its darts: the level of the second oldest vertex.
    pub(crate) fn cell_level(&self, darts: &[Dart]) -> u8 {
        let oldest = self.oldest(darts);
        // The darts of a vertex are the same at every level that it is of, so the finest links find them.
        let turn = |dart: Dart| if D == 2 { dart } else { self.map.phi2(self.map.phi1_inv(dart)) };
        let corner: Vec<Dart> = round(oldest, turn).collect();
        let others = darts.iter().filter(|dart| !corner.contains(dart));
        others.map(|&dart| self.level(dart)).min().unwrap_or(self.level(oldest))
    }

    /// Returns the dart that represents the finest cell of `dart` (face in 2D, volume in 3D) as long as the cell
    /// exists, refined or not: the least of the darts that came in with it (S4 §3.2.2, "embeddings"). So an array by
    /// darts has a value for every cell of every level. Cost: O(its darts).
    pub fn key(&mut self, dart: Dart) -> Dart {
        let mut walker = std::mem::take(&mut self.walker);
        let darts = walker.orbit(&self.map, Self::CELL, dart);
        let level = self.cell_level(darts);
        let key = darts.iter().copied().filter(|&dart| self.level(dart) == level).min().unwrap_or(dart);
        self.walker = walker;
        key
    }

    /// Returns the darts of the cell of `dart` as it was at `level`, and [`key`](Self::key) of that cell. `None` if the
    /// dart came in later. Cost: O(its darts at the finest level).
    pub fn cell_at(&mut self, dart: Dart, level: u8) -> Option<(Dart, Vec<Dart>)> {
        if self.dart_level(dart)? > level {
            return None;
        }
        let mut walker = std::mem::take(&mut self.walker);
        let darts = walker.orbit(&self.at(level), Self::CELL, dart).to_vec();
        self.walker = walker;
        let own = self.cell_level(&darts);
        let key = darts.iter().copied().filter(|&dart| self.level(dart) == own).min().unwrap_or(dart);
        Some((key, darts))
    }

    /// Returns the places where neighbours are finer than the cell of `dart`: a dart of the cell for each edge that
    /// they have cut and, in 3D, each face that they have split, with the level down to which its first piece goes.
    /// Cells that must conform need them (S4 §9.1.2). Cost: O(its darts).
    pub fn hanging(&mut self, dart: Dart) -> Vec<(Orbit, Dart, u8)> {
        let mut walker = std::mem::take(&mut self.walker);
        let darts = walker.orbit(&self.map, Self::CELL, dart);
        let level = self.cell_level(darts);
        let own: Vec<Dart> = darts.iter().copied().filter(|&dart| self.level(dart) <= level).collect();
        self.walker = walker;
        let mut found = Vec::new();
        for &dart in &own {
            if D == 3 {
                let other = self.phi2_at(dart, level);
                let is_first = self.at(level).face_darts(dart).all(|other| dart <= other);
                let face = self.face_level(dart);
                if is_first && face > level {
                    found.push((Orbit::Face, dart, face));
                }
                if other < dart {
                    continue;
                }
            }
            let edge = self.level(self.map.phi2(dart));
            if edge > level {
                found.push((Orbit::Edge, dart, edge));
            }
        }
        found
    }

    /// Computes the positions of new vertices: the mean of the corners of the cell whose middle they are. `positions`
    /// is by the numbers of vertices and has to have followed the changes.
    pub fn place_vertices(&mut self, refined: &Refined, positions: &mut Attribute<Vec3>) {
        let mut walker = std::mem::take(&mut self.walker);
        for vertex in &refined.vertices {
            let view = self.at(refined.level - 1);
            let corners: Vec<Dart> = match vertex.amid {
                Orbit::Edge => vec![vertex.of, view.phi2(vertex.of)],
                Orbit::Face => view.face_darts(vertex.of).collect(),
                _ => walker.incident(&view, vertex.of, vertex.amid, Orbit::Vertex).to_vec(),
            };
            let known: Vec<Vec3> = corners.iter().filter_map(|&dart| positions.at(&self.map, dart).copied()).collect();
            if let Some(position) = positions.at_mut(&self.map, vertex.dart) {
                *position = known.iter().copied().sum::<Vec3>() / known.len().max(1) as f64;
            }
        }
        self.walker = walker;
    }

    /// Checks labels and counts, and each level by `validate`.
    fn check(&self, validate: impl Fn(&Map<D>) -> Vec<MapFault>) -> Vec<LevelFault> {
        let faults = validate(&self.map);
        if !faults.is_empty() {
            return faults.into_iter().map(|fault| LevelFault::Map { level: self.finest(), fault }).collect();
        }
        let mut faults = Vec::new();
        let mut found = vec![0; self.counts.len()];
        for dart in self.map.live_darts() {
            found[usize::from(self.level(dart))] += 1;
            let lines = [self.map.phi2(dart), self.map.phi3(dart)].map(|other| self.line(other));
            let planes = [self.map.phi1(dart), self.map.phi3(dart)].map(|other| self.plane(other));
            if lines != [self.line(dart); 2] || planes != [self.plane(dart); 2] {
                faults.push(LevelFault::Label { dart });
            }
        }
        for (level, (&found, &counted)) in (0..).zip(found.iter().zip(&self.counts)) {
            if found != counted {
                faults.push(LevelFault::Count { level, found, counted });
            }
        }
        if faults.is_empty() {
            for level in 0..self.finest() {
                let map = Map::copy_of(&self.at(level));
                faults.extend(validate(&map).into_iter().map(|fault| LevelFault::Map { level, fault }));
            }
        }
        faults
    }
}

impl ImplicitMap2 {
    /// Lists every violated constraint, at every level. Cost: O(darts) a level.
    pub fn validate(&self) -> Vec<LevelFault> {
        self.check(Map2::validate)
    }
}

impl ImplicitMap3 {
    /// Lists every violated constraint, at every level. Cost: O(darts) a level.
    pub fn validate(&self) -> Vec<LevelFault> {
        self.check(Map3::validate)
    }
}

impl<const D: usize> Multiresolution for ImplicitMap<D> {
    const DIMENSION: usize = D;

    fn finest(&self) -> u8 {
        (self.counts.len() - 1) as u8
    }

    #[inline]
    fn capacity(&self) -> usize {
        self.map.capacity()
    }

    #[inline]
    fn dart_level(&self, dart: Dart) -> Option<u8> {
        self.level.get(dart.index()).copied().filter(|&level| level != FREE)
    }

    fn live_count_at(&self, level: u8) -> usize {
        self.counts.iter().take(usize::from(level) + 1).sum()
    }

    #[inline]
    fn is_boundary(&self, dart: Dart) -> bool {
        self.map.is_boundary(dart)
    }

    #[inline]
    fn phi1_at(&self, dart: Dart, level: u8) -> Dart {
        let it = self.map.phi1(dart);
        if self.is_finest(level) || self.level(it) <= level.max(self.level(dart)) { it } else { self.end(dart, level) }
    }

    #[inline]
    fn phi1_inv_at(&self, dart: Dart, level: u8) -> Dart {
        let it = self.map.phi1_inv(dart);
        if self.is_finest(level) || self.level(it) <= level.max(self.level(dart)) {
            it
        } else {
            self.start(dart, level)
        }
    }

    #[inline]
    fn phi2_at(&self, dart: Dart, level: u8) -> Dart {
        let other = self.map.phi2(dart);
        if self.is_finest(level) || self.level(other) <= level.max(self.level(dart)) {
            other
        } else {
            self.map.phi2(self.map.phi1_inv(self.end(dart, level)))
        }
    }

    #[inline]
    fn phi3_at(&self, dart: Dart, level: u8) -> Dart {
        let other = self.map.phi3(dart);
        if D == 2 || self.is_finest(level) || self.level(other) <= level.max(self.level(dart)) {
            other
        } else {
            self.map.phi3(self.map.phi1_inv(self.end(dart, level)))
        }
    }

    fn link_bytes(&self) -> usize {
        let labels = self.level.capacity() + self.line.capacity() + self.plane.capacity();
        self.map.link_bytes() + labels + 8 * self.counts.capacity()
    }
}
