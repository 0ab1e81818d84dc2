//! Hashed tetrahedra against brute force in exact arithmetic; barycentric coordinates; bad input.

use heurt_broad::{
    TetBody, TetHash, TetHashError, TetHit, TetPairs, barycentric_coordinates, is_in_tet, mean_edge_length,
    propose_table_size,
};
use heurt_geometry::Vec3;
use heurt_mesh::TetMesh;
use heurt_mesh::generate::tet_block;
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle::hull_holds;

const CORNER: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];

/// A vertex of a body, and a tetrahedron of a body.
type Names = (u32, u32, u32, u32);

fn names(hit: &TetHit) -> Names {
    (hit.vertex_body, hit.vertex, hit.tet_body, hit.tet)
}

fn point(random: &mut Random, low: f64, high: f64) -> Vec3 {
    Vec3::new(random.between(low, high), random.between(low, high), random.between(low, high))
}

/// All hits, sorted; every one with coordinates that give the vertex back.
fn hits(hash: &mut TetHash, bodies: &[TetBody], pairs: TetPairs) -> Vec<Names> {
    let mut found = Vec::new();
    let work = hash
        .collide(bodies, pairs, |hit| {
            let tet = bodies[hit.tet_body as usize].tets()[hit.tet as usize];
            let corners = tet.map(|vertex| bodies[hit.tet_body as usize].vertices()[vertex as usize]);
            let vertex = bodies[hit.vertex_body as usize].vertices()[hit.vertex as usize];
            assert_coordinates(vertex, &corners, hit.barycentric, 1e-9);
            found.push(names(&hit));
        })
        .unwrap();
    found.sort_unstable();
    assert_eq!(work.hits, found.len() as u64);
    assert!(found.windows(2).all(|pair| pair[0] != pair[1]), "a hit came twice");
    found
}

fn assert_coordinates(at: Vec3, tet: &[Vec3; 4], weights: [f64; 4], tolerance: f64) {
    assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)), "{weights:?}");
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{weights:?}");
    let mean: Vec3 = tet.iter().zip(weights).map(|(corner, weight)| *corner * weight).sum();
    let size = tet.iter().map(|corner| (*corner - at).abs().max_element()).fold(0.0, f64::max);
    assert!((mean - at).abs().max_element() <= tolerance * size, "{mean} instead of {at} by {weights:?} of {tet:?}");
}

fn brute_force(bodies: &[TetBody], pairs: TetPairs) -> Vec<Names> {
    let mut found = Vec::new();
    for (i, x) in bodies.iter().enumerate() {
        for (j, y) in bodies.iter().enumerate().filter(|(j, _)| i != *j || pairs == TetPairs::WithSelf) {
            for (vertex, at) in x.vertices().iter().enumerate() {
                for (tet, corners) in y.tets().iter().enumerate() {
                    if i == j && corners.contains(&(vertex as u32)) {
                        continue;
                    }
                    let corners = corners.map(|corner| y.vertices()[corner as usize]);
                    let bounds = heurt_geometry::Aabb::from_points(corners);
                    if bounds.contains(*at) && hull_holds(&corners, *at) {
                        found.push((i as u32, vertex as u32, j as u32, tet as u32));
                    }
                }
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn coordinates_by_hand() {
    assert_eq!(barycentric_coordinates(Vec3::splat(0.25), &CORNER), Some([0.25; 4]));
    assert_eq!(barycentric_coordinates(Vec3::new(0.5, 0.25, 0.0), &CORNER), Some([0.25, 0.5, 0.25, 0.0]));
    assert_eq!(barycentric_coordinates(Vec3::Z, &CORNER), Some([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(barycentric_coordinates(Vec3::new(0.5, 0.5, 1e-300), &CORNER), None);
    assert_eq!(barycentric_coordinates(Vec3::new(0.2, 0.2, -1e-300), &CORNER), None);
    let [a, b, c, d] = CORNER;
    assert_eq!(barycentric_coordinates(Vec3::new(0.5, 0.25, 0.0), &[b, a, c, d]), Some([0.5, 0.25, 0.25, 0.0]));
}

#[test]
fn flat_tetrahedra_are_polygons_segments_or_points() {
    // A square whose diagonals are corners 0 2 and 1 3; a triangle with a corner within; a segment; a point.
    let square = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y];
    let within = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0, Vec3::X + Vec3::Y];
    let segment = [Vec3::X, Vec3::X * 3.0, Vec3::X * 2.0, Vec3::X * -1.0];
    let dot = [Vec3::ONE; 4];
    for (tet, inside, outside) in [
        (square, vec![Vec3::new(0.5, 0.5, 0.0), Vec3::new(0.1, 0.9, 0.0), Vec3::X], vec![Vec3::new(0.5, 0.5, 1e-9)]),
        (within, vec![Vec3::new(2.0, 2.0, 0.0), Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.5, 0.0, 0.0)], vec![Vec3::ONE]),
        (segment, vec![Vec3::ZERO, Vec3::X * 2.5, Vec3::X * -1.0], vec![Vec3::X * 3.5, Vec3::new(0.0, 1e-9, 0.0)]),
        (dot, vec![Vec3::ONE], vec![Vec3::ZERO]),
    ] {
        for at in inside {
            assert!(is_in_tet(at, &tet), "{at} in {tet:?}");
            assert_coordinates(at, &tet, barycentric_coordinates(at, &tet).unwrap(), 1e-12);
        }
        for at in outside {
            assert!(!is_in_tet(at, &tet) && barycentric_coordinates(at, &tet).is_none(), "{at} not in {tet:?}");
        }
    }
}

#[test]
fn points_in_tetrahedra_are_those_of_exact_arithmetic() {
    let mut random = Random::new(1);
    let mut inside = 0;
    for round in 0..12_000 {
        let scale = [1.0, 1e-150, 1e150, 1e300, 1e-300][round % 5];
        let whole = |random: &mut Random| Vec3::from_array([0; 3].map(|_| random.whole(-2, 2) as f64));
        let pick = |random: &mut Random| if round % 3 == 0 { point(random, -2.0, 2.0) } else { whole(random) };
        let tet = [0; 4].map(|_| pick(&mut random) * scale);
        let at = pick(&mut random) * scale;
        let expected = hull_holds(&tet, at);
        assert_eq!(is_in_tet(at, &tet), expected, "{at} in {tet:?}");
        let weights = barycentric_coordinates(at, &tet);
        assert_eq!(weights.is_some(), expected);
        if let Some(weights) = weights {
            assert_coordinates(at, &tet, weights, 1e-9);
            inside += 1;
        }
    }
    assert!(inside > 400, "{inside}");
}

#[test]
fn two_bodies_by_hand() {
    let one = TetMesh::new(CORNER.to_vec(), vec![[0, 1, 2, 3]]).unwrap();
    let moved: Vec<Vec3> = CORNER.iter().map(|corner| *corner + Vec3::splat(0.25)).collect();
    let other = TetMesh::new(moved, vec![[0, 1, 2, 3]]).unwrap();
    let mut hash = TetHash::new(0.3, 7).unwrap();
    let mut found = Vec::new();
    hash.collide(&[(&one).into(), (&other).into()], TetPairs::WithSelf, |hit| found.push(hit)).unwrap();
    let barycentric = [0.25; 4];
    assert_eq!(found, [TetHit { vertex_body: 1, vertex: 0, tet_body: 0, tet: 0, barycentric }]);
}

#[test]
fn cells_left_and_right_of_the_origin_are_different_ones() {
    let around = CORNER.map(|corner| corner - 0.5);
    let tets = [[0, 1, 2, 3]];
    let body = TetBody::new(&around, &tets).unwrap();
    for (cell_size, cells) in [(0.6, 8), (1.2, 8), (0.5, 0)] {
        // From −1 to 0 along each axis; in the last case from −1 to 1, which are more cells than there are vertices.
        let work = TetHash::new(cell_size, 7).unwrap().collide(&[body], TetPairs::WithSelf, |_| ()).unwrap();
        assert_eq!((work.cells, work.hits), (cells, 0), "{cell_size}");
    }
}

#[test]
fn hits_are_those_of_brute_force() {
    let mut random = Random::new(2);
    let mut total = 0;
    for round in 0..24 {
        let mut bodies: Vec<TetMesh> = (0..3).map(|_| tet_block([2, 2, 1], [1.0, 1.0, 0.5]).unwrap()).collect();
        for body in &mut bodies {
            let shift = point(&mut random, -0.3, 0.3);
            let shift = if round % 2 == 0 { (shift * 4.0).round() / 4.0 } else { shift };
            // Crumpled so far that it meets itself; on a lattice every second time.
            let crumple = |p: &Vec3, random: &mut Random| {
                let moved = *p + shift + point(random, -0.4, 0.4) * f64::from(round % 3);
                if round % 2 == 0 { (moved * 4.0).round() / 4.0 } else { moved }
            };
            let positions: Vec<Vec3> = body.vertices().iter().map(|p| crumple(p, &mut random)).collect();
            body.set_vertices(&positions).unwrap();
        }
        let bodies: Vec<TetBody> = bodies.iter().map(TetBody::from).collect();
        for pairs in [TetPairs::Others, TetPairs::WithSelf] {
            let expected = brute_force(&bodies, pairs);
            total += expected.len();
            for (cell_size, table_size) in [(0.5, 101), (0.13, 1), (0.02, 1000), (100.0, 3)] {
                let mut hash = TetHash::new(cell_size, table_size).unwrap();
                // A second pass over the same table, with lists of the first still in it.
                for _ in 0..2 {
                    assert_eq!(hits(&mut hash, &bodies, pairs), expected, "{cell_size} {table_size}");
                }
                assert_eq!(hits(&mut hash, &bodies[2..], pairs), brute_force(&bodies[2..], pairs));
            }
        }
    }
    assert!(total > 3000, "{total}");
}

#[test]
fn an_undeformed_block_does_not_meet_itself() {
    let block = tet_block([4, 3, 2], [1.0, 1.0, 1.0]).unwrap();
    let mut hash = TetHash::new(0.4, propose_table_size(block.vertices().len())).unwrap();
    assert_eq!(hits(&mut hash, &[TetBody::from(&block)], TetPairs::WithSelf), []);
    let twice = [TetBody::from(&block), TetBody::from(&block)];
    // Every vertex lies in all tetrahedra around it of the other body, and touches no other.
    let around = 4 * block.tets().len();
    assert_eq!(hits(&mut hash, &twice, TetPairs::Others).len(), 2 * around);
    assert_eq!(hits(&mut hash, &twice, TetPairs::WithSelf).len(), 2 * around);
}

#[test]
fn cells_of_any_coordinates_are_safe() {
    let huge: Vec<Vec3> = CORNER.iter().map(|corner| (*corner * 2.0 - Vec3::ONE) * 1e308).collect();
    let far: Vec<Vec3> = CORNER.iter().map(|corner| *corner + Vec3::splat(1e15)).collect();
    let tets = [[0, 1, 2, 3]];
    let bodies = [
        TetBody::new(&huge, &tets).unwrap(),
        TetBody::new(&far, &tets).unwrap(),
        TetBody::new(&CORNER, &tets).unwrap(),
    ];
    for cell_size in [1e-307, 1.0, 1e307] {
        let mut hash = TetHash::new(cell_size, 97).unwrap();
        assert_eq!(hits(&mut hash, &bodies, TetPairs::WithSelf), brute_force(&bodies, TetPairs::WithSelf));
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    for cell_size in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324] {
        assert!(matches!(TetHash::new(cell_size, 10), Err(TetHashError::BadCellSize { .. })), "{cell_size}");
    }
    for table_size in [0, usize::MAX] {
        assert!(matches!(TetHash::new(1.0, table_size), Err(TetHashError::BadTableSize { .. })), "{table_size}");
    }
    let bad = [Vec3::ZERO, Vec3::new(0.0, f64::NAN, 0.0)];
    assert!(matches!(TetBody::new(&bad, &[]), Err(TetHashError::NotFinite { vertex: 1, .. })));
    let error = TetBody::new(&CORNER, &[[0, 1, 2, 3], [0, 1, 2, 4]]).unwrap_err();
    assert_eq!(error, TetHashError::IndexOutOfRange { tet: 1, index: 4, count: 4 });
    let mut hash = TetHash::new(1.0, 10).unwrap();
    assert_eq!(hits(&mut hash, &[], TetPairs::WithSelf), []);
    assert_eq!(hits(&mut hash, &[TetBody::new(&[], &[]).unwrap()], TetPairs::WithSelf), []);
}

#[test]
fn proposals() {
    let body = TetBody::new(&CORNER, &[[0, 1, 2, 3]]).unwrap();
    let mean = mean_edge_length(&[body]).unwrap();
    assert!((mean - (3.0 + 3.0 * 2f64.sqrt()) / 6.0).abs() < 1e-15, "{mean}");
    assert_eq!(mean_edge_length(&[]), None);
    assert_eq!(propose_table_size(1000), 2003);
    assert_eq!(propose_table_size(0), 2);
    assert!(propose_table_size(usize::MAX) <= 1 << 26);
}
