//! Convex hulls of every dimension against brute force.

use heurt_geometry::{ConvexHull, Dimension, HullError, HullFault, Sign, Vec3, orient3d, point_on_segment};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle as oracle;

fn hull(points: &[Vec3]) -> ConvexHull {
    let hull = ConvexHull::new(points).expect("finite points");
    hull.validate(points).expect("the surface closes and holds every point");
    hull
}

fn grid_point(random: &mut Random, reach: i64) -> Vec3 {
    let mut pick = || random.whole(-reach, reach) as f64;
    Vec3::new(pick(), pick(), pick())
}

fn sphere_point(random: &mut Random) -> Vec3 {
    loop {
        let mut pick = || random.between(-1.0, 1.0);
        let p = Vec3::new(pick(), pick(), pick());
        if (0.1..1.0).contains(&p.length_squared()) {
            return p.normalize();
        }
    }
}

/// A point is extreme when no simplex of the others holds it: by Carathéodory's theorem, in exact integers.
fn is_extreme(points: &[Vec3], index: usize) -> bool {
    let p = points[index];
    let others: Vec<Vec3> = points.iter().copied().filter(|q| *q != p).collect();
    !oracle::hull_holds(&others, p)
}

#[test]
fn a_cube_with_points_on_its_faces_and_edges_has_eight_corners() {
    let mut points = Vec::new();
    for x in 0..4 {
        for y in 0..4 {
            for z in 0..4 {
                points.push(Vec3::new(f64::from(x), f64::from(y), f64::from(z)));
            }
        }
    }
    let hull = hull(&points);
    assert_eq!(hull.dimension(), Dimension::Solid);
    assert_eq!(hull.vertices(), [0, 3, 12, 15, 48, 51, 60, 63]);
    assert_eq!(hull.triangles().len(), 12);
    let volume: f64 = hull
        .triangles()
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| points[v as usize]);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    assert_eq!(volume, 27.0, "oriented outward");
}

#[test]
fn flat_points_have_flat_hulls() {
    let p = Vec3::new(1.0, 2.0, 3.0);
    let one = hull(&[p, p, p]);
    assert_eq!((one.dimension(), one.vertices()), (Dimension::Point, &[0u32][..]));

    let along = |k: i32| p + Vec3::new(1.0, -2.0, 4.0) * f64::from(k);
    let line = hull(&[along(0), along(3), along(-2), along(1), along(3)]);
    assert_eq!((line.dimension(), line.vertices()), (Dimension::Segment, &[2u32, 1][..]));

    let (u, v) = (Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.0, 1.0, 2.0));
    let at = |i: i32, j: i32| p + u * f64::from(i) + v * f64::from(j);
    let square = hull(&[at(1, 1), at(0, 0), at(2, 0), at(1, 0), at(2, 2), at(0, 2), at(0, 1)]);
    assert_eq!(square.dimension(), Dimension::Planar);
    let mut corners = square.vertices().to_vec();
    corners.sort_unstable();
    assert_eq!(corners, [1, 2, 4, 5]);
    let opposite = |k: usize| square.vertices()[(k + 2) % 4];
    assert_eq!(square.vertices().iter().position(|v| *v == 1).map(opposite), Some(4), "in turn");
}

#[test]
fn corners_are_exactly_the_extreme_points() {
    let mut random = Random::new(7);
    for round in 0..400 {
        let reach = 1 + round % 5;
        let count = random.whole(1, 14);
        let flat = round % 4 == 0;
        let scale = [1.0, 1e-200, 1e150, 1.0][random.whole(0, 3) as usize];
        let squash = |p: Vec3| if flat { Vec3::new(p.x, p.y, p.x + 2.0 * p.y) } else { p };
        let points: Vec<Vec3> = (0..count).map(|_| squash(grid_point(&mut random, reach)) * scale).collect();
        let mut corners = hull(&points).vertices().to_vec();
        corners.sort_unstable();
        let first = |i: usize| points.iter().position(|q| *q == points[i]) == Some(i);
        let expected: Vec<u32> =
            (0..points.len()).filter(|i| first(*i) && is_extreme(&points, *i)).map(|i| i as u32).collect();
        assert_eq!(corners, expected, "{points:?}");
    }
}

#[test]
fn near_coplanar_and_near_equal_points_are_no_trouble() {
    let mut random = Random::new(11);
    for _ in 0..60 {
        let mut points = Vec::new();
        for _ in 0..60 {
            let p = grid_point(&mut random, 3) / 3.0;
            let nudge = |x: f64, random: &mut Random| match random.whole(0, 2) {
                0 => x.next_up(),
                1 => x.next_down(),
                _ => x,
            };
            points.push(Vec3::new(nudge(p.x, &mut random), nudge(p.y, &mut random), nudge(p.z, &mut random)));
        }
        hull(&points);
    }
}

#[test]
fn no_corner_lies_on_an_edge_between_others() {
    let mut random = Random::new(3);
    for _ in 0..50 {
        let points: Vec<Vec3> = (0..80).map(|_| grid_point(&mut random, 2)).collect();
        let hull = hull(&points);
        for [a, b, c] in hull.triangles().iter().map(|t| t.map(|v| points[v as usize])) {
            assert!(!point_on_segment(a, b, c) && !point_on_segment(b, c, a) && !point_on_segment(c, a, b));
        }
    }
}

#[test]
fn every_point_of_a_large_sphere_stays_within() {
    let mut random = Random::new(1);
    let points: Vec<Vec3> = (0..100_000).map(|_| sphere_point(&mut random)).collect();
    let hull = ConvexHull::new(&points).expect("finite points");
    // Rounding puts a few points inside the hull of the rest, never many.
    assert!(hull.vertices().len() > 99_000, "{}", hull.vertices().len());
    assert_eq!(hull.triangles().len(), 2 * hull.vertices().len() - 4, "Euler");
    for p in points.iter().step_by(1000) {
        for [a, b, c] in hull.triangles().iter().map(|t| t.map(|v| points[v as usize])) {
            assert_ne!(orient3d(a, b, c, *p), Sign::Positive);
        }
    }
}

#[test]
fn the_hull_does_not_depend_on_the_order_of_the_points() {
    let mut random = Random::new(2);
    let points: Vec<Vec3> = (0..300).map(|_| grid_point(&mut random, 6)).collect();
    let places = |points: &[Vec3]| {
        let mut places: Vec<[f64; 3]> =
            hull(points).vertices().iter().map(|v| points[*v as usize].to_array()).collect();
        places.sort_by(|p, q| p.partial_cmp(q).expect("finite"));
        places
    };
    let reversed: Vec<Vec3> = points.iter().rev().copied().collect();
    assert_eq!(places(&points), places(&reversed));
}

#[test]
fn bad_input_is_named() {
    assert_eq!(ConvexHull::new(&[]), Err(HullError::Empty));
    let infinite = [Vec3::ZERO, Vec3::new(0.0, f64::INFINITY, 0.0)];
    assert_eq!(ConvexHull::new(&infinite), Err(HullError::NotFinite { index: 1, value: f64::INFINITY }));
    assert!(ConvexHull::new(&[Vec3::new(f64::NAN, 0.0, 0.0)]).is_err());
}

#[test]
fn validate_finds_a_point_outside() {
    let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mut moved = points.to_vec();
    moved.push(Vec3::ONE);
    assert_eq!(hull(&points).validate(&moved), Err(HullFault::Outside { index: 4 }));
    assert_eq!(hull(&points).validate(&points[..3]), Err(HullFault::NoSuchPoint { index: 3, count: 3 }));
}
