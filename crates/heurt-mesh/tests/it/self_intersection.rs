//! Self-intersections: exactly the pairs that meet beyond what they share.

use crate::shapes::{Random, cuboid, mesh, sphere, torus, unshared};
use heurt_geometry::{Vec3, triangles_intersect};
use heurt_mesh::{CheckOptions, Fault, TriMesh, check, check_with};

fn pairs(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let report = check(mesh);
    assert!(report.complete);
    let pair = |fault: &Fault| if let Fault::SelfIntersection { triangles } = fault { Some(*triangles) } else { None };
    report.faults.iter().filter_map(pair).collect()
}

/// Whether the two triangles of these corners, the first three and the second three, are reported.
fn meet(corners: [[f64; 3]; 6]) -> bool {
    !pairs(&mesh(&corners, &[[0, 1, 2], [3, 4, 5]])).is_empty()
}

const O: [f64; 3] = [0.0; 3];
const X: [f64; 3] = [4.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 4.0, 0.0];

#[test]
fn triangles_that_share_nothing() {
    assert!(meet([O, X, Y, [1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]]), "crossing");
    assert!(meet([O, X, Y, [1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]), "touching with a corner");
    assert!(meet([O, X, Y, [1.0, 0.0, 0.0], [2.0, -1.0, 0.0], [1.0, -1.0, 0.0]]), "corner on a side");
    assert!(!meet([O, X, Y, [1.0, 1.0, 1e-300], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]));
}

#[test]
fn triangles_that_share_a_corner() {
    assert!(!meet([O, X, Y, O, [-1.0, -1.0, 0.0], [0.0, -2.0, 0.0]]), "flat, apart");
    assert!(!meet([O, X, Y, O, [0.0, 0.0, 1.0], [-1.0, 0.0, 1.0]]), "upright, apart");
    assert!(meet([O, X, Y, O, [1.0, 1.0, 0.0], [9.0, 9.0, 9.0]]), "a corner in the other");
    assert!(meet([O, X, Y, O, [9.0, 9.0, 0.0], [9.0, 9.0, 9.0]]), "a side through the other's far side");
    assert!(meet([O, X, Y, O, [2.0, 1.0, 1.0], [2.0, 1.0, -1.0]]), "a far side through the other");
    assert!(meet([O, X, Y, O, [9.0, 1.0, 0.0], [1.0, 9.0, 0.0]]), "flat, the larger over the smaller");
    assert!(meet([O, X, Y, O, [9.0, 0.0, 0.0], [0.0, -9.0, 0.0]]), "flat, sides along each other");
    assert!(!meet([O, X, Y, O, [-9.0, 0.0, 0.0], [0.0, -9.0, 0.0]]));
    assert!(meet([O, X, Y, O, [2.0, 2.0, 0.0], [2.0, 2.0, 2.0]]), "touching the far side");
}

#[test]
fn triangles_that_share_an_edge() {
    assert!(!meet([O, X, Y, X, O, [1.0, -3.0, 0.0]]), "flat, side by side");
    assert!(!meet([O, X, Y, X, O, [1.0, 3.0, 1e-300]]), "folded, but not flat");
    assert!(meet([O, X, Y, X, O, [1.0, 3.0, 0.0]]), "folded flat");
    assert!(meet([O, X, Y, O, X, [-5.0, 1e-300, 0.0]]), "flat, on the same side of the common edge");
    assert!(!meet([O, X, Y, O, Y, X]), "a duplicate is no self-intersection");
}

#[test]
fn degenerate_triangles() {
    let half = [2.0, 0.0, 0.0];
    assert!(!meet([O, X, Y, O, X, half]), "a needle on a common edge adds nothing");
    assert!(!meet([O, X, Y, O, X, X]), "nor does one collapsed onto it");
    assert!(!meet([O, X, Y, O, X, [9.0, 0.0, 0.0]]), "a needle that runs on beyond the edge leaves the triangle there");
    assert!(!meet([O, X, Y, O, O, O]), "a point at a common corner");
    assert!(meet([O, X, Y, O, O, [1.0, 1.0, 0.0]]), "a segment from a common corner inward");
    assert!(!meet([O, X, Y, O, O, [-1.0, 1.0, 0.0]]));
    assert!(!meet([O, X, Y, O, [-1.0, -1.0, 0.0], [0.5, 0.5, 3.0]]));
    assert!(meet([O, X, Y, O, [-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]), "a needle through the common corner");
    assert!(!meet([O, X, Y, O, [-1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]), "one that only passes by");
    // Needles on one line, with a common segment: they go on to the same side or not.
    let at = |x: f64| [x, x, x];
    assert!(meet([at(0.0), at(1.0), at(2.0), at(0.0), at(1.0), at(3.0)]));
    assert!(!meet([at(0.0), at(1.0), at(2.0), at(0.0), at(1.0), at(-1.0)]));
    assert!(!meet([at(0.0), at(1.0), at(2.0), at(0.0), at(1.0), at(0.5)]));
    assert!(meet([at(0.0), at(1.0), at(2.0), at(3.0), at(1.5), at(5.0)]));
}

#[test]
fn answers_do_not_depend_on_order() {
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let corners: Vec<Vec3> = (0..6).map(|_| random.grid_point(3)).collect();
        let answer = |first: [usize; 3], second: [usize; 3], swap: bool| {
            let mut six: Vec<Vec3> = first.into_iter().chain(second.map(|i| i + 3)).map(|i| corners[i]).collect();
            if swap {
                six.rotate_left(3);
            }
            pairs(&TriMesh::new(six, vec![[0, 1, 2], [3, 4, 5]]).unwrap())
        };
        let expected = answer(orders[0], orders[0], false);
        for first in orders {
            for second in orders {
                assert_eq!(answer(first, second, true), expected, "seed {seed}");
            }
        }
    }
}

/// The oracle: sub-triangles of `a` and `b` that keep away from what is shared, by shrinking toward the far corners.
fn meet_beyond_by_shrinking(a: [Vec3; 3], b: [Vec3; 3]) -> bool {
    // On a grid of side 3, what lies beyond the shared corner or edge is at least 1/64 away from it along the far corners:
    // cut 1/1024 off and ask again.
    let shared: Vec<Vec3> = a.into_iter().filter(|point| b.contains(point)).collect();
    if shared.is_empty() {
        return triangles_intersect(&a, &b);
    }
    let far: Vec<Vec3> = a.into_iter().filter(|point| !b.contains(point)).collect();
    let near = |p: Vec3, q: Vec3| p + (q - p) / 1024.0;
    match (&shared[..], &far[..]) {
        (&[v], &[p, q]) => {
            triangles_intersect(&[near(v, p), p, q], &b) || triangles_intersect(&[near(v, p), near(v, q), q], &b)
        }
        (&[v, w], &[p]) => triangles_intersect(&[near(v, p), near(w, p), p], &b),
        _ => false,
    }
}

#[test]
fn proper_triangles_agree_with_the_shrinking_oracle() {
    let (mut compared, mut met) = (0, 0);
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let six: Vec<Vec3> = (0..6).map(|_| random.grid_point(3)).collect();
        let (a, b) = ([six[0], six[1], six[2]], [six[3], six[4], six[5]]);
        if heurt_geometry::is_degenerate(&a) || heurt_geometry::is_degenerate(&b) {
            continue;
        }
        let expected = meet_beyond_by_shrinking(a, b);
        let found = !pairs(&TriMesh::new(six, vec![[0, 1, 2], [3, 4, 5]]).unwrap()).is_empty();
        assert_eq!(found, expected, "seed {seed}: {a:?} {b:?}");
        compared += 1;
        met += i32::from(found);
    }
    assert!(compared > 750 && met > 125 && compared - met > 125, "{met} of {compared}");
}

#[test]
fn crossing_parts_agree_with_brute_force() {
    let shifted: Vec<Vec3> = torus(14, 9).vertices().iter().map(|&v| v + Vec3::new(0.4, 0.3, 0.2)).collect();
    let second = TriMesh::new(shifted, torus(14, 9).triangles().to_vec()).unwrap();
    let both = TriMesh::merged([&torus(14, 9), &second]).unwrap();
    let count = torus(14, 9).triangles().len() as u32;
    let mut expected = Vec::new();
    for a in 0..count {
        for b in count..2 * count {
            if triangles_intersect(&both.corners(a), &both.corners(b)) {
                expected.push([a, b]);
            }
        }
    }
    assert!(expected.len() > 50);
    assert_eq!(pairs(&both), expected);
    assert_eq!(pairs(&unshared(&both)), expected);
}

#[test]
fn sound_surfaces_have_none() {
    assert_eq!(pairs(&sphere(30)), [] as [[u32; 2]; 0]);
    assert_eq!(pairs(&unshared(&torus(40, 20))), [] as [[u32; 2]; 0]);
}

#[test]
fn a_junction_in_the_middle_of_an_edge_is_reported() {
    // Two faces on one side of an edge, one on the other: the long one touches both beyond their common corners.
    let points = [[0.0; 3], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0]];
    let report = pairs(&mesh(&points, &[[0, 2, 3], [2, 1, 3], [1, 0, 4]]));
    assert_eq!(report, [[0, 2], [1, 2]]);
}

#[test]
fn the_limit_keeps_the_first_pairs() {
    let stack: Vec<TriMesh> = (0..6).map(|i| cuboid([f64::from(i) * 0.1; 3], [1.0 + f64::from(i) * 0.1; 3])).collect();
    let stack = TriMesh::merged(&stack).unwrap();
    let all = pairs(&stack);
    assert!(all.len() > 100);
    for limit in [0, 1, 50, all.len() - 1, all.len()] {
        let options = CheckOptions { max_self_intersections: limit, ..Default::default() };
        let report = check_with(&stack, &options);
        assert_eq!(report.complete, limit >= all.len());
        let expected: Vec<Fault> =
            all[..limit].iter().map(|&triangles| Fault::SelfIntersection { triangles }).collect();
        assert_eq!(report.faults[report.faults.len() - limit..], expected);
    }
}

#[test]
fn skipped_when_not_asked_for() {
    let crossing = mesh(&[O, X, Y, [1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]], &[[0, 1, 2], [3, 4, 5]]);
    let report = check_with(&crossing, &CheckOptions { self_intersections: false, ..Default::default() });
    assert!(!report.complete);
    assert!(report.faults.iter().all(|fault| fault.kind() == "hole"));
}
