//! Long random sequences of edits keep every constraint, and edits undo each other.

use heurt_map::{Attribute, CombinatorialMap, Dart, EditError, IdChange, Map, Map2, Map3, Orbit};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::map as map_oracle;

const CUBE: [[u32; 4]; 6] = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
const TET: [[u32; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

fn numbered<const D: usize>(map: &mut heurt_map::Map<D>) {
    for orbit in Orbit::ALL {
        map.enable_ids(orbit);
    }
}

/// A number below `count`.
fn below(random: &mut Random, count: usize) -> usize {
    random.whole(0, count as i64 - 1) as usize
}

fn any_dart(map: &impl CombinatorialMap, random: &mut Random) -> Dart {
    let live: Vec<Dart> = map.live_darts().collect();
    live[below(random, live.len())]
}

/// Every kind of cell against union-find by definition.
fn agrees_with_oracle<const D: usize>(map: &Map<D>) {
    let phi = |i: usize, dart: u32| {
        let dart = Dart(dart);
        map.is_live(dart).then(|| [map.phi1(dart), map.phi2(dart), map.phi3(dart)][i - 1].0)
    };
    for orbit in Orbit::ALL {
        let dimension = if orbit == Orbit::Component { 4 } else { orbit as usize };
        let label = map_oracle::cells(D, dimension, map.capacity(), phi);
        let mut cells = 0;
        heurt_map::for_each_orbit(map, orbit, |cell| {
            cells += 1;
            assert!(cell.iter().all(|dart| label[dart.index()] == cell[0].0), "{orbit:?} of {:?}", cell[0]);
        });
        assert_eq!(map.live_darts().filter(|dart| label[dart.index()] == dart.0).count(), cells, "{orbit:?}");
    }
}

#[test]
fn faces_of_one_and_two_edges() {
    let mut map = Map2::new();
    numbered(&mut map);
    assert!(map.add_face(0).is_err());
    let one = map.add_face(1).unwrap();
    assert_eq!(map.validate(), []);
    assert_eq!(map.cell_counts(), [1, 1, 1, 1]);
    assert!(map.sew(one, one).is_err() && map.unsew(one).is_err() && map.uncut_edge(one).is_err());
    assert_eq!(map.sew(one, Dart(99)), Err(EditError::NotLive { dart: Dart(99), capacity: 2 }));
    assert_eq!(map.sew(one, map.phi2(one)), Err(EditError::Boundary { dart: map.phi2(one) }));
    // Two faces of one edge make a sphere of one vertex, one edge, two faces.
    let other = map.add_face(1).unwrap();
    map.sew(one, other).unwrap();
    assert_eq!(map.validate(), []);
    assert_eq!((map.cell_counts(), map.live_count()), ([1, 1, 2, 1], 2));
    map.unsew(one).unwrap();
    assert_eq!(map.validate(), []);
    assert_eq!(map.cell_counts(), [2, 2, 2, 2]);
    // A face of four edges sewn to itself: a torus.
    let first = map.add_face(4).unwrap();
    let darts: Vec<Dart> = map.face_darts(first).collect();
    map.sew(darts[0], darts[2]).unwrap();
    map.sew(darts[1], darts[3]).unwrap();
    assert_eq!(map.validate(), []);
    map.remove_face(one).unwrap();
    map.remove_face(other).unwrap();
    assert_eq!(map.cell_counts(), [1, 2, 1, 1]);
    map.remove_face(first).unwrap();
    assert_eq!((map.cell_counts(), map.live_count()), ([0; 4], 0));
    assert_eq!(map.validate(), []);
}

#[test]
fn refused_edits_of_volumes_change_nothing() {
    let mut map = Map3::new();
    let (cube, tet) = (map.add_polyhedron(&CUBE).unwrap(), map.add_polyhedron(&TET).unwrap());
    let fault = map.sew(cube[0], tet[0]);
    assert_eq!(fault, Err(EditError::FaceDegrees { a: cube[0], b: tet[0], a_edges: 4, b_edges: 3 }));
    assert!(matches!(map.sew(cube[0], map.phi1(cube[0])), Err(EditError::SewnToItself { in_face: true, .. })));
    assert!(matches!(map.split_volume(&[cube[0]; 3]), Err(EditError::BrokenPath { place: 0, .. })));
    assert!(matches!(map.merge_volumes(cube[0]), Err(EditError::NotSewn { .. })));
    assert!(matches!(map.add_polyhedron(&TET[..3]), Err(EditError::OpenPolyhedron { .. })));
    assert_eq!(map.cell_counts(), [12, 18, 10, 2, 2]);
    assert_eq!(map.validate(), []);
}

#[test]
fn values_follow_edits() {
    let mut map = Map2::new();
    map.enable_ids(Orbit::Face);
    map.log_changes(true);
    let mut area = Attribute::new(&map, Orbit::Face, 0.0);
    let first = map.add_face(4).unwrap();
    area.follow(&map.take_changes(), || 1.0, |_| 0.0, |_, _| ());
    let across = map.split_face(first, map.phi1(map.phi1(first))).unwrap();
    let mut halve = |whole: &mut f64| {
        *whole /= 2.0;
        *whole
    };
    area.follow(&map.take_changes(), || 0.0, &mut halve, |_, _| ());
    assert_eq!((area.at(&map, first), area.at(&map, across)), (Some(&0.5), Some(&0.5)));
    map.merge_faces(across).unwrap();
    area.follow(&map.take_changes(), || 0.0, |_| 0.0, |whole, part| *whole += part);
    assert_eq!(area.at(&map, first), Some(&1.0));
    map.remove_face(first).unwrap();
    assert!(matches!(map.take_changes()[..], [IdChange::Gone { orbit: Orbit::Face, id: 0 }]));
}

#[test]
fn two_triangles_make_a_square() {
    let mut map = Map2::new();
    numbered(&mut map);
    let (a, b) = (map.add_face(3).unwrap(), map.add_face(3).unwrap());
    assert_eq!(map.cell_counts(), [6, 6, 2, 2]);
    map.sew(a, b).unwrap();
    assert_eq!(map.cell_counts(), [4, 5, 2, 1]);
    assert_eq!(map.validate(), []);
    assert_eq!(map.euler_characteristic(), 1);
    map.merge_faces(a).unwrap();
    assert_eq!(map.cell_counts(), [4, 4, 1, 1]);
    assert_eq!(map.validate(), []);
    assert_eq!(map.live_count(), 8);
}

#[test]
fn two_cubes_share_a_face_and_part() {
    let mut map = Map3::new();
    numbered(&mut map);
    let (a, b) = (map.add_polyhedron(&CUBE).unwrap(), map.add_polyhedron(&CUBE).unwrap());
    map.sew(a[1], b[0]).unwrap();
    assert_eq!(map.cell_counts(), [12, 20, 11, 2, 1]);
    assert_eq!(map.validate(), []);
    map.unsew(a[1]).unwrap();
    assert_eq!(map.cell_counts(), [16, 24, 12, 2, 2]);
    assert_eq!(map.validate(), []);
}

#[test]
fn random_edits_keep_a_surface_whole() {
    let mut successes = [0; 9];
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut map = Map2::new();
        if seed % 2 == 0 {
            numbered(&mut map);
        }
        for step in 0..300 {
            if map.live_count() == 0 || below(&mut random, 6) == 0 && map.live_count() < 200 {
                map.add_face(1 + below(&mut random, 5)).unwrap();
            }
            let (a, b) = (any_dart(&map, &mut random), any_dart(&map, &mut random));
            let before = (map.cell_counts(), map.live_count());
            let choice = below(&mut random, 9);
            let done: Result<(), EditError> = match choice {
                0..3 => map.sew(a, b),
                3 => map.unsew(a),
                4 => map.cut_edge(a).map(drop),
                5 => map.uncut_edge(a),
                6 => {
                    let steps = below(&mut random, 4);
                    let b = (0..steps).fold(a, |dart, _| map.phi1(dart));
                    map.split_face(a, b).map(drop)
                }
                7 => map.merge_faces(a),
                _ if below(&mut random, 4) == 0 => map.remove_face(a),
                _ => Ok(()),
            };
            match done {
                Ok(()) => successes[choice] += 1,
                Err(_) => assert_eq!(before, (map.cell_counts(), map.live_count())),
            }
            assert_eq!(map.validate(), [], "seed {seed} step {step}");
            if step % 10 == 0 {
                agrees_with_oracle(&map);
            }
        }
    }
    assert!(successes.iter().all(|&count| count >= 20), "{successes:?}");
}

#[test]
fn random_edits_keep_volumes_whole() {
    let mut successes = [0; 12];
    for seed in 0..80 {
        let mut random = Random::new(seed);
        let mut map = Map3::new();
        if seed % 2 == 0 {
            numbered(&mut map);
        }
        for step in 0..150 {
            if map.live_count() == 0 || below(&mut random, 6) == 0 && map.live_count() < 600 {
                match below(&mut random, 2) {
                    0 => map.add_polyhedron(&CUBE).unwrap(),
                    _ => map.add_polyhedron(&TET).unwrap(),
                };
            }
            let (a, b) = (any_dart(&map, &mut random), any_dart(&map, &mut random));
            let before = (map.cell_counts(), map.live_count());
            let choice = below(&mut random, 12);
            let done: Result<(), EditError> = match choice {
                0..4 => map.sew(a, b),
                4 => map.unsew(a),
                5 => map.cut_edge(a).map(drop),
                6 => map.uncut_edge(a),
                7 => {
                    let steps = below(&mut random, 4);
                    let b = (0..steps).fold(a, |dart, _| map.phi1(dart));
                    map.split_face(a, b).map(drop)
                }
                8 => map.merge_faces(a),
                9 => {
                    let next = |dart| map.phi1(map.phi2(map.phi1(dart)));
                    let path: Vec<Dart> = std::iter::successors(Some(a), |&dart| Some(next(dart))).take(4).collect();
                    map.split_volume(&path).map(drop)
                }
                10 => map.merge_volumes(a),
                _ if below(&mut random, 4) == 0 => map.remove_volume(a),
                _ => Ok(()),
            };
            match done {
                Ok(()) => successes[choice] += 1,
                Err(_) => assert_eq!(before, (map.cell_counts(), map.live_count())),
            }
            assert_eq!(map.validate(), [], "seed {seed} step {step}");
            if step % 10 == 0 {
                agrees_with_oracle(&map);
            }
        }
    }
    assert!(successes.iter().all(|&count| count >= 20), "{successes:?}");
}
