//! Long random sequences of refining and coarsening against trees of index lists, and each level against a map from
//! scratch.

mod oracle;
mod other;
mod traps;

use heurt_map::multires::{ImplicitMap, MultiresError, Multiresolution, Refined, Scheme};
use heurt_map::{Cell, CombinatorialMap, Dart, Map, Map2, Map3, Orbit, Orient, Walker};
use heurt_testkit::number::random::Random;
use oracle::{Kind, Tree, sorted};
use std::collections::BTreeMap;

/// What identifies a dart of a simple map: corners of its cell, corners of its face, its ends; and whether it is
/// boundary.
type Name = (Vec<u32>, Vec<u32>, [u32; 2]);

/// The name of each dart but those of the boundary.
fn dart_names<M: CombinatorialMap>(map: &M, at: impl Fn(Dart) -> u32) -> BTreeMap<Name, Dart> {
    let mut walker = Walker::new();
    let cell = if M::DIMENSION == 2 { Orbit::Face } else { Orbit::Volume };
    let mut names = BTreeMap::new();
    for dart in map.live_darts().filter(|&dart| !map.is_boundary(dart)) {
        let whole = sorted(&walker.orbit(map, cell, dart).iter().map(|&dart| at(dart)).collect::<Vec<_>>());
        let mut face = vec![at(dart)];
        let mut it = map.phi1(dart);
        while it != dart {
            face.push(at(it));
            it = map.phi1(it);
        }
        let name = (whole, sorted(&face), [at(dart), at(map.phi1(dart))]);
        assert!(names.insert(name, dart).is_none(), "two darts of one name");
    }
    names
}

/// Tells whether the links of two maps agree under the names of darts.
fn agree(a: &impl CombinatorialMap, b: &impl CombinatorialMap, to_b: &BTreeMap<Dart, Dart>) -> bool {
    let same = |from_a: Dart, from_b: Dart| match a.is_boundary(from_a) {
        true => b.is_boundary(from_b),
        false => to_b.get(&from_a) == Some(&from_b),
    };
    to_b.iter().all(|(&x, &y)| {
        same(a.phi1(x), b.phi1(y))
            && same(a.phi1_inv(x), b.phi1_inv(y))
            && same(a.phi2(x), b.phi2(y))
            && same(a.phi3(x), b.phi3(y))
            // Round the border too: by way of it.
            && same(beyond(a, x), beyond(b, y))
    })
}

/// A dart of a cell, reached by way of the border where there is one.
fn beyond<M: CombinatorialMap>(map: &M, dart: Dart) -> Dart {
    let across = |dart| if M::DIMENSION == 2 { map.phi2(dart) } else { map.phi3(dart) };
    let step = |dart| if M::DIMENSION == 2 { map.phi1(dart) } else { map.phi2(map.phi1(dart)) };
    across(step(across(dart)))
}

/// A map of some cells, beside the tree of them.
struct Pair<const D: usize> {
    map: ImplicitMap<D>,
    tree: Tree,
    /// The point of each vertex of the map.
    points: Vec<u32>,
}

impl<const D: usize> Pair<D> {
    fn new(map: Map<D>, points: u32, cells: Vec<Kind>, scheme: Scheme) -> Self {
        let mut map = ImplicitMap::with_scheme(map, scheme);
        for orbit in [Orbit::Vertex, Orbit::Edge, Orbit::Face, Orbit::Volume] {
            map.enable_ids(orbit);
        }
        Self { map, tree: Tree::new(points, cells, scheme), points: (0..points).collect() }
    }

    fn at(&self, dart: Dart) -> u32 {
        self.points[self.map.map().id(Orbit::Vertex, dart) as usize]
    }

    /// The leaf of the tree that the cell of a dart is.
    fn leaf(&mut self, dart: Dart) -> usize {
        let level = self.map.level_of(dart);
        let cell = if D == 2 { Orbit::Face } else { Orbit::Volume };
        let own = Walker::new().orbit(self.map.map(), cell, dart).to_vec();
        let own = own.into_iter().find(|&dart| self.map.dart_level(dart) <= Some(level)).unwrap();
        let darts = Walker::new().orbit(&self.map.at(level), cell, own).to_vec();
        let corners: Vec<u32> = darts.iter().map(|&dart| self.at(dart)).collect();
        // A neighbour of the same level may have cut edges and faces: the corners are among the points.
        let corners = sorted(&corners);
        let found = self.tree.leaves.get(&corners).copied();
        found.unwrap_or_else(|| panic!("no cell of corners {corners:?} at level {level}"))
    }

    /// Names new vertices.
    fn name(&mut self, refined: &Refined) {
        for vertex in &refined.vertices {
            let view = self.map.at(refined.level - 1);
            let around: Vec<Dart> = match vertex.amid {
                Orbit::Edge => vec![vertex.of, view.phi1(vertex.of)],
                orbit => Walker::new().orbit(&view, orbit, vertex.of).to_vec(),
            };
            let around: Vec<u32> = around.iter().map(|&dart| self.at(dart)).collect();
            let point = self.tree.amid(&around);
            let id = self.map.map().id(Orbit::Vertex, vertex.dart) as usize;
            if id >= self.points.len() {
                self.points.resize(id + 1, u32::MAX);
            }
            self.points[id] = point;
        }
    }

    fn any_dart(&self, random: &mut Random) -> Dart {
        let map = self.map.map();
        loop {
            let dart = Dart(random.whole(0, map.capacity() as i64 - 1) as u32);
            if map.is_live(dart) && !map.is_boundary(dart) {
                return dart;
            }
        }
    }

    fn coarsen(&mut self, dart: Dart, leaf: usize) -> bool {
        let (level, family) = (self.map.level_of(dart), self.map.family(dart).unwrap());
        let live: Vec<Dart> = self.map.map().live_darts().collect();
        let done = match self.map.coarsen(dart) {
            Ok(coarsened) => {
                assert_eq!(coarsened.level + 1, level);
                assert_eq!(self.map.level_of(coarsened.cell), coarsened.level);
                let gone: Vec<Dart> = live.into_iter().filter(|&dart| !self.map.map().is_live(dart)).collect();
                assert_eq!(coarsened.replaced.iter().map(|&(dart, _)| dart).collect::<Vec<_>>(), gone);
                assert!(coarsened.replaced.iter().all(|&(_, dart)| self.map.map().is_live(dart)));
                let parent = self.tree.nodes[leaf].parent.unwrap();
                assert_eq!(family.len(), self.tree.nodes[parent].children.len());
                true
            }
            Err(MultiresError::LevelZero { .. }) => {
                assert_eq!(level, 0);
                assert_eq!(family, []);
                false
            }
            Err(MultiresError::ChildRefined { .. }) => false,
            Err(error) => panic!("{error}"),
        };
        assert_eq!(done, self.tree.coarsen(leaf));
        done
    }

    /// Refines and coarsens at random, then undoes everything; `check` looks at each level now and then.
    fn play(&mut self, seed: u64, steps: usize, most: usize, mut check: impl FnMut(&mut Self, u8)) {
        let mut random = Random::new(seed);
        let base = self.map.map().clone();
        let mut last = None;
        for step in 0..steps {
            let dart = match last {
                // Near the last cell, so that levels grow deep.
                Some(dart) if random.one_in(2) && self.map.map().is_live(dart) => dart,
                _ => self.any_dart(&mut random),
            };
            let leaf = self.leaf(dart);
            if random.one_in(3) || self.map.map().live_count() > most {
                self.coarsen(dart, leaf);
            } else {
                let before = self.map.level_of(dart);
                let refined = self.map.refine(dart).unwrap();
                self.tree.refine(leaf);
                self.name(&refined);
                assert_eq!(refined.level, before + 1);
                assert_eq!(refined.cells.len(), self.tree.nodes[leaf].children.len());
                for place in 0..refined.cells.len() {
                    assert_eq!(self.map.level_of(refined.cells[place]), refined.level);
                }
                last = Some(refined.cells[random.whole(0, refined.cells.len() as i64 - 1) as usize]);
            }
            if step % (steps / 6).max(1) == 0 || step + 1 == steps {
                for level in 0..=self.map.finest() {
                    check(self, level);
                }
            }
        }
        self.undo(&mut random);
        check(self, 0);
        // Link by link as it was.
        assert_eq!(self.map.finest(), 0);
        let map = self.map.map();
        assert_eq!(map.live_darts().collect::<Vec<_>>(), base.live_darts().collect::<Vec<_>>());
        for dart in base.live_darts() {
            assert_eq!(map.phi1(dart), base.phi1(dart));
            assert_eq!(map.phi1_inv(dart), base.phi1_inv(dart));
            assert_eq!(map.phi2(dart), base.phi2(dart));
            assert_eq!(map.phi3(dart), base.phi3(dart));
            assert_eq!(map.is_boundary(dart), base.is_boundary(dart));
            for orbit in Orbit::ALL {
                assert_eq!(map.id(orbit, dart), base.id(orbit, dart));
            }
        }
    }

    /// Coarsens everything, in any order.
    fn undo(&mut self, random: &mut Random) {
        while self.map.finest() > 0 {
            let mut darts: Vec<Dart> = self.map.map().live_darts().collect();
            for place in (1..darts.len()).rev() {
                darts.swap(place, random.whole(0, place as i64) as usize);
            }
            for dart in darts {
                if self.map.map().is_live(dart) && !self.map.map().is_boundary(dart) {
                    let leaf = self.leaf(dart);
                    self.coarsen(dart, leaf);
                }
            }
        }
    }
}

fn check2(pair: &mut Pair<2>, level: u8) {
    if level == 0 {
        assert_eq!(pair.map.validate(), []);
    }
    let copy = Map2::copy_of(&pair.map.at(level));
    assert_eq!(copy.euler_characteristic(), Map2::copy_of(&pair.map.at(0)).euler_characteristic());
    let built = pair.tree.map2_at(level).unwrap();
    let names = dart_names(&built.map, |dart| built.vertex_of[built.map.id(Orbit::Vertex, dart) as usize]);
    let view = pair.map.at(level);
    let own = dart_names(&view, |dart| pair.at(dart));
    assert!(own.keys().eq(names.keys()), "level {level}");
    assert!(agree(&view, &built.map, &own.values().copied().zip(names.values().copied()).collect()));
    assert_eq!(view.live_count(), built.map.live_count());
}

fn check3(pair: &mut Pair<3>, level: u8) {
    if level == 0 {
        assert_eq!(pair.map.validate(), []);
    }
    let copy = Map3::copy_of(&pair.map.at(level));
    assert_eq!(copy.euler_characteristic(), Map3::copy_of(&pair.map.at(0)).euler_characteristic());
    let own = dart_names(&pair.map.at(level), |dart| pair.at(dart));
    let found = [false, true].into_iter().any(|mirrored| {
        let built = pair.tree.map3_at(level, mirrored).unwrap();
        let names = dart_names(&built.map, |dart| built.vertex_of[built.map.id(Orbit::Vertex, dart) as usize]);
        let view = pair.map.at(level);
        own.keys().eq(names.keys())
            && agree(&view, &built.map, &own.values().copied().zip(names.values().copied()).collect())
            && view.live_count() == built.map.live_count()
    });
    assert!(found, "level {level}");
}

fn polygons(points: u32, faces: &[&[u32]], scheme: Scheme) -> Pair<2> {
    let map = Map2::from_polygons(points as usize, faces, Orient::Keep).unwrap().map;
    Pair::new(map, points, faces.iter().map(|face| Kind::Polygon(face.to_vec())).collect(), scheme)
}

fn cells(points: u32, kinds: Vec<Kind>, scheme: Scheme) -> Pair<3> {
    let all: Vec<Cell> = kinds.iter().map(|kind| Cell::Polyhedron(kind.faces())).collect();
    Pair::new(Map3::from_cells(points as usize, &all, Orient::Keep).unwrap().map, points, kinds, scheme)
}

fn hexahedron(corners: [u32; 8]) -> Kind {
    Kind::Polyhedron(Cell::Hexahedron(corners).faces())
}

#[test]
fn triangles_quads_and_a_pentagon_in_the_plane() {
    // A strip: triangle, quad, triangle, pentagon.
    let faces: [&[u32]; 4] = [&[0, 1, 2], &[1, 3, 4, 2], &[3, 5, 4], &[4, 5, 6, 7, 8]];
    for seed in 0..12 {
        for scheme in [Scheme::ByShape, Scheme::Quads] {
            polygons(9, &faces, scheme).play(seed, 120, 1500, check2);
        }
    }
}

#[test]
fn closed_surfaces() {
    let octahedron: [&[u32]; 8] =
        [&[0, 1, 2], &[0, 2, 3], &[0, 3, 4], &[0, 4, 1], &[5, 2, 1], &[5, 3, 2], &[5, 4, 3], &[5, 1, 4]];
    let cube = Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]).faces();
    let cube: Vec<&[u32]> = cube.iter().map(Vec::as_slice).collect();
    for seed in 20..28 {
        polygons(6, &octahedron, Scheme::ByShape).play(seed, 120, 1500, check2);
        polygons(8, &cube, Scheme::ByShape).play(seed, 120, 1500, check2);
    }
}

#[test]
fn hexahedra() {
    // Four round an edge, two on top of one.
    let at = |x: u32, y: u32, z: u32| x + 3 * y + 9 * z;
    let cube = |x: u32, y: u32, z: u32| {
        let square = |z| [at(x, y, z), at(x + 1, y, z), at(x + 1, y + 1, z), at(x, y + 1, z)];
        let ([a, b, c, d], [e, f, g, h]) = (square(z), square(z + 1));
        hexahedron([a, b, c, d, e, f, g, h])
    };
    let all = || vec![cube(0, 0, 0), cube(1, 0, 0), cube(0, 1, 0), cube(1, 1, 0), cube(0, 0, 1)];
    for seed in 0..6 {
        cells(27, all(), Scheme::ByShape).play(seed, 36, 9000, check3);
    }
}

#[test]
fn tetrahedra_into_four_and_an_octahedron() {
    let all =
        || vec![Kind::Tetrahedron([0, 1, 2, 3]), Kind::Tetrahedron([2, 1, 0, 4]), Kind::Tetrahedron([0, 2, 5, 3])];
    for seed in 0..8 {
        cells(6, all(), Scheme::ByShape).play(seed, 40, 6000, check3);
        cells(6, all(), Scheme::Quads).play(seed, 30, 6000, check3);
    }
}

#[test]
fn prisms_pyramids_tetrahedra_and_hexahedra_together() {
    let all = || {
        vec![
            hexahedron([0, 1, 2, 3, 4, 5, 6, 7]),
            Kind::Pyramid([4, 5, 6, 7, 8]),
            // On the side of the hexahedron, and of the pyramid.
            Kind::Prism([1, 2, 9, 5, 6, 10]),
            Kind::Tetrahedron([5, 10, 6, 8]),
        ]
    };
    for seed in 0..8 {
        cells(11, all(), Scheme::ByShape).play(seed, 36, 7000, check3);
        cells(11, all(), Scheme::Quads).play(seed, 24, 7000, check3);
    }
}
