//! Long random sequences of edits keep every constraint, and edits undo each other.

use heurt_map::{CombinatorialMap, Dart, EditError, Map2, Map3, Orbit};
use heurt_testkit::random::Random;

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
            let done: Result<(), EditError> = match below(&mut random, 9) {
                0..3 => map.sew(a, b),
                3 => map.unsew(a),
                4 => map.cut_edge(a).map(drop),
                5 => map.uncut_edge(a),
                6 => {
                    let way = below(&mut random, 4);
                    let b = (0..way).fold(a, |dart, _| map.phi1(dart));
                    map.split_face(a, b).map(drop)
                }
                7 => map.merge_faces(a),
                _ if below(&mut random, 4) == 0 => map.remove_face(a),
                _ => Ok(()),
            };
            if done.is_err() {
                assert_eq!(before, (map.cell_counts(), map.live_count()));
            }
            assert_eq!(map.validate(), [], "seed {seed} step {step}");
        }
    }
}

#[test]
fn random_edits_keep_volumes_whole() {
    for seed in 0..40 {
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
            let done: Result<(), EditError> = match below(&mut random, 12) {
                0..4 => map.sew(a, b),
                4 => map.unsew(a),
                5 => map.cut_edge(a).map(drop),
                6 => map.uncut_edge(a),
                7 => {
                    let way = below(&mut random, 4);
                    let b = (0..way).fold(a, |dart, _| map.phi1(dart));
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
            if done.is_err() {
                assert_eq!(before, (map.cell_counts(), map.live_count()));
            }
            assert_eq!(map.validate(), [], "seed {seed} step {step}");
        }
    }
}
