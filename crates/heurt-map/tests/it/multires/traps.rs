//! Faults that public code of this kind has had, one test each, and what is refused.

use heurt_map::multires::{ImplicitMap, ImplicitMap2, ImplicitMap3, MultiresError, Multiresolution, Scheme};
use heurt_map::{Attribute, Cell, CombinatorialMap, Dart, EditError, Map2, Map3, Orbit, Orient};

/// Refines the cell at dart 0 `times` times.
fn corner<const D: usize>(map: &mut ImplicitMap<D>, times: u8) {
    for _ in 0..times {
        map.refine(Dart(0)).unwrap();
    }
}

#[test]
fn counts_of_levels_have_a_place_for_the_last_one() {
    // Resizing an array of levels to `l` and writing `[l]`.
    let mut map = ImplicitMap::new(Map2::grid(1, 1).unwrap());
    assert_eq!((map.finest(), map.live_count_at(0)), (0, 8));
    corner(&mut map, 3);
    assert_eq!(map.finest(), 3);
    // Each time four edges cut on both sides or two, and four edges inside.
    assert_eq!([0, 1, 2, 3, 9].map(|level| map.live_count_at(level)), [8, 24, 40, 56, 56]);
    assert_eq!(map.validate(), []);
    map.coarsen(Dart(0)).unwrap();
    assert_eq!((map.finest(), map.live_count_at(9)), (2, 40));
}

#[test]
fn a_face_whose_edges_are_all_cut_is_not_refined() {
    // Comparing with k where k + 1 is meant: all its edges are of level k + 1, the face is of level k.
    let mut map = ImplicitMap::new(Map2::grid(3, 3).unwrap());
    let middle = Dart(16);
    for side in [1, 3, 5, 7] {
        map.refine(Dart(4 * side)).unwrap();
    }
    assert_eq!(map.map().face_darts(middle).count(), 8);
    assert!(map.map().face_darts(middle).all(|dart| map.edge_level(dart) == 1));
    assert_eq!((map.face_level(middle), map.level_of(middle)), (0, 0));
    assert_eq!(map.coarsen(middle), Err(MultiresError::LevelZero { dart: middle }));
    let hanging = map.hanging(middle);
    assert_eq!(
        hanging.iter().map(|&(_, dart, level)| (dart, level)).collect::<Vec<_>>(),
        [16, 17, 18, 19].map(|dart| (Dart(dart), 1))
    );
    // And once refined, it is of level 1 with nothing new on its edges.
    let refined = map.refine(middle).unwrap();
    assert_eq!(refined.vertices.len(), 1);
    assert!(refined.cells.iter().all(|&dart| map.face_level(dart) == 1));
    assert_eq!(map.validate(), []);
}

#[test]
fn a_volume_whose_faces_are_all_split_is_not_refined() {
    let mut map = ImplicitMap::new(Map3::hexahedral_grid([3, 3, 3]).unwrap());
    let middle = Dart(24 * 13);
    for side in [4, 10, 12, 14, 16, 22] {
        map.refine(Dart(24 * side)).unwrap();
    }
    assert_eq!((map.face_level(middle), map.level_of(middle)), (1, 0));
    let hanging = map.hanging(middle);
    let count = |orbit| hanging.iter().filter(|&&(other, ..)| other == orbit).count();
    assert_eq!([count(Orbit::Face), count(Orbit::Edge)], [6, 12]);
    let refined = map.refine(middle).unwrap();
    assert_eq!(refined.vertices.len(), 1);
    assert_eq!(map.hanging(refined.cells[0]), []);
    assert_eq!(map.validate(), []);
}

#[test]
fn links_go_on_past_the_first_finer_dart() {
    // Stopping at the first finer dart: φ at level 0 has five darts to pass.
    let mut map = ImplicitMap::new(Map2::grid(2, 1).unwrap());
    corner(&mut map, 5);
    for dart in 0..8 {
        assert_eq!(map.phi1_at(Dart(dart), 0), Dart(dart / 4 * 4 + (dart + 1) % 4));
        assert_eq!(map.phi1_inv_at(Dart(dart), 0), Dart(dart / 4 * 4 + (dart + 3) % 4));
    }
    assert_eq!([map.phi2_at(Dart(1), 0), map.phi2_at(Dart(7), 0)], [Dart(7), Dart(1)]);
    // Along the lower edge and back, at every level.
    for level in 0..=5 {
        let first = map.phi2_at(Dart(0), level);
        assert_eq!(map.phi2_at(first, level), Dart(0));
        assert_eq!(map.dart_level(first), Some(if level == 0 { 0 } else { level }));
    }
    // A dart that came in later is read at its own level.
    let late = map.map().phi2(Dart(0));
    assert_eq!(map.phi1_at(late, 0), map.phi1_at(late, 5));
}

#[test]
fn coarsening_works_from_every_level() {
    // Not from level 1 only.
    let mut flat = ImplicitMap::new(Map2::grid(2, 2).unwrap());
    let mut solid = ImplicitMap::new(Map3::hexahedral_grid([2, 1, 1]).unwrap());
    corner(&mut flat, 6);
    corner(&mut solid, 4);
    for level in (0..6).rev() {
        let inner = flat.map().phi1(Dart(0));
        assert_eq!(flat.coarsen(inner).unwrap().level, level);
        assert_eq!(flat.finest(), level);
        assert_eq!(flat.validate(), []);
    }
    for level in (0..4).rev() {
        // From the piece opposite the corner.
        let far = *solid.family(Dart(0)).unwrap().last().unwrap();
        assert_eq!(solid.coarsen(far).unwrap().level, level);
        assert_eq!(solid.finest(), level);
        assert_eq!(solid.validate(), []);
    }
}

#[test]
fn the_middle_triangle_finds_its_parent() {
    let mut map = ImplicitMap::new(Map2::from_polygons(3, [[0, 1, 2]], Orient::Keep).unwrap().map);
    for level in 1..=4 {
        let start = if level == 1 { 0 } else { map_middle(&map) };
        let middle = *map.refine(Dart(start)).unwrap().cells.last().unwrap();
        assert_eq!(map.level_of(middle), level);
        assert_eq!(map.family(middle).unwrap().len(), 4);
    }
    for level in (0..4).rev() {
        let middle = Dart(map_middle(&map));
        assert_eq!(map.coarsen(middle).unwrap().level, level);
    }
    assert_eq!(map.map().live_count(), 6);
}

/// A dart of a finest face that has no older corner.
fn map_middle(map: &ImplicitMap2) -> u32 {
    let finest = map.finest();
    let darts: Vec<Dart> = map.map().live_darts().filter(|&dart| !map.map().is_boundary(dart)).collect();
    let level = |dart: Dart| map.dart_level(dart);
    let found = darts.into_iter().find(|&dart| map.map().face_darts(dart).all(|dart| level(dart) == Some(finest)));
    found.unwrap().0
}

#[test]
fn one_cell_glued_to_itself_all_round() {
    // A torus of one square.
    let mut map = Map2::new();
    let face = map.add_face(4).unwrap();
    let darts: Vec<Dart> = map.face_darts(face).collect();
    map.sew(darts[0], darts[2]).unwrap();
    map.sew(darts[1], darts[3]).unwrap();
    let mut torus = ImplicitMap::new(map.clone());
    corner(&mut torus, 4);
    assert_eq!(torus.validate(), []);
    assert!((0..=4).all(|level| Map2::copy_of(&torus.at(level)).euler_characteristic() == 0));
    for _ in 0..4 {
        torus.coarsen(Dart(0)).unwrap();
    }
    assert!(
        map.live_darts()
            .all(|dart| torus.map().phi1(dart) == map.phi1(dart) && torus.map().phi2(dart) == map.phi2(dart))
    );
    // A cube with opposite faces sewn: three of them.
    let mut map = Map3::hexahedral_grid([1, 1, 1]).unwrap();
    for face in [0, 4, 8, 12, 16, 20] {
        let edges: Vec<Dart> = map.face_darts(Dart(face)).collect();
        assert_eq!(edges.len(), 4);
    }
    map.sew(Dart(0), Dart(4)).unwrap();
    let mut solid = ImplicitMap::new(map);
    corner(&mut solid, 2);
    assert_eq!(solid.validate(), []);
    solid.coarsen(Dart(0)).unwrap();
    solid.coarsen(Dart(0)).unwrap();
    assert_eq!(solid.validate(), []);
    assert_eq!(solid.finest(), 0);
}

#[test]
fn what_cannot_be_done_is_said_and_changes_nothing() {
    let mut map = ImplicitMap::new(Map2::grid(1, 1).unwrap());
    assert_eq!(map.refine(Dart(99)), Err(MultiresError::Edit(EditError::NotLive { dart: Dart(99), capacity: 8 })));
    assert_eq!(map.refine(Dart(5)), Err(MultiresError::Edit(EditError::Boundary { dart: Dart(5) })));
    corner(&mut map, 2);
    let sibling = Dart(2);
    assert!(matches!(map.coarsen(sibling), Err(MultiresError::ChildRefined { .. })));
    for _ in 2..250 {
        map.refine(Dart(0)).unwrap();
    }
    assert_eq!(map.refine(Dart(0)), Err(MultiresError::TooDeep { dart: Dart(0), level: 250 }));
    assert_eq!(map.phi1_at(Dart(0), 0), Dart(1));

    let mut digon = Map2::new();
    digon.add_face(2).unwrap();
    assert_eq!(ImplicitMap::new(digon).refine(Dart(0)), Err(MultiresError::TooFewEdges { dart: Dart(0), edges: 2 }));

    // A cut corner: neither all triangles nor a pyramid or prism.
    let cut =
        vec![vec![0, 2, 1], vec![0, 1, 4, 3], vec![1, 2, 5, 4], vec![2, 0, 6, 5], vec![0, 3, 6], vec![3, 4, 5, 6]];
    let cell = Cell::Polyhedron(cut);
    let built = Map3::from_cells(7, &[cell], Orient::Keep).unwrap().map;
    let mut odd = ImplicitMap::new(built.clone());
    let before = odd.map().live_count();
    assert_eq!(odd.refine(Dart(0)), Err(MultiresError::NoScheme { dart: Dart(0), faces: 6, triangles: 2 }));
    assert_eq!(odd.map().live_count(), before);
    let mut odd = ImplicitMap3::with_scheme(built, Scheme::Quads);
    assert_eq!(odd.refine(Dart(0)).unwrap().cells.len(), 7);
    assert_eq!(odd.validate(), []);

    // Two triangles back to back, with a third between: faces that share two edges.
    let pillow = Map3::new();
    let mut pillow = pillow;
    pillow.add_polyhedron(&[[0, 1, 2], [2, 1, 0]]).unwrap();
    assert_eq!(ImplicitMap::new(pillow).refine(Dart(0)), Err(MultiresError::Degenerate { dart: Dart(0) }));
}

#[test]
fn vertices_keep_number_and_place_at_every_level() {
    use heurt_geometry::Vec3;
    let mut grid = Map3::hexahedral_grid([2, 1, 1]).unwrap();
    grid.enable_ids(Orbit::Vertex);
    let bounds = heurt_geometry::Aabb::from_points([Vec3::ZERO, Vec3::new(2.0, 1.0, 1.0)]);
    let mut positions = Attribute::from_values(Orbit::Vertex, heurt_map::grid_positions(&bounds, [2, 1, 1]));
    let mut map = ImplicitMap::new(grid);
    map.log_changes(true);
    for _ in 0..3 {
        let refined = map.refine(Dart(0)).unwrap();
        positions.follow(&map.take_changes(), || Vec3::ZERO, |_| Vec3::ZERO, |_, _| ());
        map.place_vertices(&refined, &mut positions);
    }
    let (start, size) = (*positions.at(map.map(), Dart(0)).unwrap(), 0.125);
    let mut walker = heurt_map::Walker::new();
    for &dart in walker.incident(map.map(), Dart(0), Orbit::Volume, Orbit::Vertex) {
        let offset = (*positions.at(map.map(), dart).unwrap() - start).abs();
        assert!(offset.to_array().iter().all(|&part| part == 0.0 || part == size));
    }
    // The embedding of a cell outlives its refinement.
    let mut flat = ImplicitMap::new(Map2::grid(2, 2).unwrap());
    let key = flat.key(Dart(5));
    let pieces: Vec<Dart> = flat.refine(Dart(5)).unwrap().cells;
    assert_eq!(flat.cell_at(Dart(5), 0).unwrap().0, key);
    for piece in pieces {
        let own = flat.key(piece);
        assert!(own != key && flat.dart_level(own) == Some(1));
    }
    flat.coarsen(Dart(5)).unwrap();
    assert_eq!(flat.key(Dart(6)), key);
}

#[test]
fn balanced_refinement_keeps_neighbours_within_a_level() {
    fn check<const D: usize>(mut map: ImplicitMap<D>, start: Dart, times: usize) -> ImplicitMap<D> {
        let mut done = Vec::new();
        for _ in 0..times {
            let newest =
                done.last().map_or(start, |refined: &heurt_map::multires::Refined| *refined.cells.last().unwrap());
            map.refine_balanced(newest, &mut done).unwrap();
        }
        assert!(done.len() > times);
        let darts: Vec<Dart> = map.map().live_darts().filter(|&dart| !map.map().is_boundary(dart)).collect();
        for dart in darts {
            let other = if D == 2 { map.map().phi2(dart) } else { map.map().phi3(dart) };
            if !map.map().is_boundary(other) {
                assert!(map.level_of(dart).abs_diff(map.level_of(other)) <= 1);
            }
        }
        map
    }
    assert_eq!(check(ImplicitMap::new(Map2::grid(4, 4).unwrap()), Dart(20), 7).validate(), []);
    assert_eq!(check(ImplicitMap::new(Map3::hexahedral_grid([3, 2, 2]).unwrap()), Dart(24), 4).validate(), []);
}
