//! One suite for all structures over points: the answers are those of a plain loop, bit by bit.

use heurt_broad::{
    BruteForceProximity, BspTree, KdTree, NeighbourGrid, Octree, PointIndex, PointProximity, ProximityError,
};
use heurt_geometry::Vec3;
use heurt_testkit::number::random::Random;

/// Builds a structure over points whose queries have about the given radius.
type Make = fn(&[Vec3], f64) -> Box<dyn PointProximity>;

/// Every structure, and the grid with cells that are far too small and far too large as well.
const STRUCTURES: [(&str, Make); 9] = [
    ("brute force", |points, _| Box::new(BruteForceProximity::new(points).unwrap())),
    ("k-d tree", |points, _| Box::new(KdTree::new(points).unwrap())),
    ("BSP tree", |points, _| Box::new(BspTree::new(points).unwrap())),
    ("octree", |points, _| Box::new(Octree::new(points).unwrap())),
    ("grid", |points, radius| Box::new(NeighbourGrid::new(points, radius).unwrap())),
    ("fine grid", |points, radius| Box::new(NeighbourGrid::new(points, radius * 1e-6).unwrap())),
    ("index", |points, _| Box::new(PointIndex::new(points).unwrap())),
    ("index of a radius", |points, radius| Box::new(PointIndex::with_radius(points, radius).unwrap())),
    ("coarse grid", |points, radius| Box::new(NeighbourGrid::new(points, radius * 1e6).unwrap())),
];

fn point(random: &mut Random) -> Vec3 {
    Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0))
}

/// Points of every kind, with a radius that suits them.
fn clouds(random: &mut Random) -> Vec<(&'static str, Vec<Vec3>, f64)> {
    let many = |count: usize, random: &mut Random, one: &dyn Fn(&mut Random) -> Vec3| -> Vec<Vec3> {
        (0..count).map(|_| one(random)).collect()
    };
    let lattice = |random: &mut Random| (point(random) * 3.0).round();
    let centres = many(4, random, &point);
    let clustered = |random: &mut Random| {
        let size = 10f64.powi(random.whole(-9, -1) as i32);
        centres[random.whole(0, 3) as usize] + point(random) * size
    };
    let direction = point(random);
    let sheet = |random: &mut Random| direction * random.between(-1.0, 1.0) + Vec3::new(0.3, -0.2, 0.9) * random.unit();
    vec![
        ("none", vec![], 0.1),
        ("one", vec![Vec3::new(0.1, 0.2, 0.3)], 0.1),
        ("few", many(9, random, &point), 0.5),
        ("random", many(700, random, &point), 0.2),
        ("lattice", many(600, random, &lattice), 1.0),
        ("clustered", many(600, random, &clustered), 1e-3),
        ("coincident", vec![Vec3::new(0.3, 0.1, 0.2); 300], 0.1),
        ("two places", (0..300).map(|i| Vec3::splat(f64::from(i % 2))).collect(), 0.5),
        ("on an axis", many(400, random, &|random| Vec3::Y * random.between(-1.0, 1.0)), 0.05),
        ("collinear", many(400, random, &|random| direction * random.between(-1.0, 1.0)), 0.05),
        ("in a plane", many(400, random, &sheet), 0.1),
        ("far from the origin", many(400, random, &|random| Vec3::splat(1e6) + point(random) * 1e-3), 2e-4),
        ("one far away", many(300, random, &point).into_iter().chain([Vec3::splat(1e12)]).collect(), 0.3),
    ]
}

/// Places to ask from: points, and others near and far.
fn places(random: &mut Random, points: &[Vec3], radius: f64) -> Vec<Vec3> {
    let mut places: Vec<Vec3> = (0..12).map(|_| point(random) * 1.5).collect();
    places.extend([Vec3::splat(40.0), Vec3::new(-1e5, 0.0, 1.0)]);
    if !points.is_empty() {
        for _ in 0..12 {
            let at = points[random.whole(0, points.len() as i64 - 1) as usize];
            places.extend([at, at + point(random) * radius]);
        }
    }
    places
}

#[test]
fn answers_are_those_of_a_plain_loop_at_any_scale() {
    let mut random = Random::new(1);
    let mut total = 0;
    for (cloud, points, radius) in clouds(&mut random) {
        let places = places(&mut random, &points, radius);
        // Powers of two change no rounding, so that the plain loop need not care for overflow.
        for scale in [1.0, 2f64.powi(900), 2f64.powi(-900)] {
            let scaled: Vec<Vec3> = points.iter().map(|p| *p * scale).collect();
            for (name, make) in STRUCTURES {
                let structure = make(&scaled, radius * scale);
                assert_eq!(structure.len(), points.len());
                let context = format!("{name}, {cloud}, scale {scale:e}");
                for &at in &places {
                    total += check(structure.as_ref(), &points, at, radius, scale, &context);
                }
            }
        }
    }
    assert!(total > 100_000, "{total}");
}

/// Compares both questions with a plain loop; how many points were in the balls.
fn check(structure: &dyn PointProximity, points: &[Vec3], at: Vec3, radius: f64, scale: f64, context: &str) -> usize {
    let distance_sq = |i: usize| (points[i] - at).length_squared();
    let mut found = vec![77];
    let mut total = 0;
    // The last balls have a point on their surface.
    let on_surface =
        [0, points.len() / 3, points.len() / 2].map(|i| if i < points.len() { distance_sq(i).sqrt() } else { 0.5 });
    for radius in [0.0, radius * 0.25, radius, radius * 3.0, 1e7].into_iter().chain(on_surface) {
        structure.within(at * scale, radius * scale, &mut found);
        let inside: Vec<u32> =
            (0..points.len()).filter(|&i| distance_sq(i) <= radius * radius).map(|i| i as u32).collect();
        assert_eq!(found, inside, "{context}, within {radius} of {at}");
        total += found.len();
    }
    let mut order: Vec<usize> = (0..points.len()).collect();
    let distance = |i: usize| distance_sq(i).sqrt();
    order.sort_by(|&i, &j| distance(i).total_cmp(&distance(j)).then(i.cmp(&j)));
    for k in [0, 1, 2, 10, 1_000_000] {
        let nearest = structure.nearest(at * scale, k);
        let found: Vec<(usize, f64)> = nearest.iter().map(|n| (n.point as usize, n.distance / scale)).collect();
        let expected: Vec<(usize, f64)> = order.iter().take(k).map(|&i| (i, distance(i))).collect();
        assert_eq!(found, expected, "{context}, nearest {k} to {at}");
    }
    total
}

#[test]
fn balls_are_closed_and_points_on_the_surface_are_in() {
    let points: Vec<Vec3> =
        (0..400).map(|i| Vec3::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64))).collect();
    for (name, make) in STRUCTURES {
        let structure = make(&points, 1.0);
        let mut found = Vec::new();
        structure.within(Vec3::splat(3.0), 1.0, &mut found);
        assert_eq!(found.len(), 7, "{name}");
        structure.within(Vec3::splat(3.0), 1f64.next_down(), &mut found);
        assert_eq!(found, [219], "{name}");
        structure.within(Vec3::splat(3.0), 3.0, &mut found);
        assert!(found.contains(&216) && found.contains(&195), "{name}: {found:?}");
    }
}

#[test]
fn no_ball_and_no_place_find_nothing() {
    let points: Vec<Vec3> = (0..100).map(|i| Vec3::X * f64::from(i)).collect();
    for (name, make) in STRUCTURES {
        let structure = make(&points, 1.0);
        let mut found = vec![1, 2, 3];
        for (at, radius) in
            [(Vec3::ZERO, -1.0), (Vec3::ZERO, f64::NAN), (Vec3::NAN, 1.0), (Vec3::INFINITY, f64::INFINITY)]
        {
            structure.within(at, radius, &mut found);
            assert_eq!(found, [0u32; 0], "{name}");
            found.push(9);
        }
        assert_eq!(structure.nearest(Vec3::NAN, 3), [], "{name}");
        assert_eq!(structure.nearest(Vec3::INFINITY, 3), [], "{name}");
        structure.within(Vec3::ZERO, f64::INFINITY, &mut found);
        assert_eq!(found.len(), 100, "{name}");
    }
}

#[test]
fn extremes_of_f64_neither_hang_nor_differ() {
    let max = f64::MAX;
    let mut points = vec![Vec3::splat(max), Vec3::splat(-max), Vec3::new(max, -max, 0.0), Vec3::ZERO];
    points.extend((0..60).map(|i| Vec3::new(f64::from(i) * 5e-324, -1e-310, 1e-300)));
    points.extend((0..60).map(|i| Vec3::Y * 1e-200 * f64::from(i)));
    let reference = BruteForceProximity::new(&points).unwrap();
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for (name, make) in STRUCTURES {
        for size in [1e-300, 1.0, 1e300] {
            let structure = make(&points, size);
            for at in [Vec3::ZERO, Vec3::splat(max), Vec3::X * 1e-310, Vec3::splat(-1e300), Vec3::Y * 3e-199] {
                for radius in [0.0, 5e-324, 1e-310, 1e-199, 1.0, 1e300, max, f64::INFINITY] {
                    structure.within(at, radius, &mut found);
                    reference.within(at, radius, &mut expected);
                    assert_eq!(found, expected, "{name}, within {radius} of {at}");
                }
                for k in [1, 5, 200] {
                    assert_eq!(structure.nearest(at, k), reference.nearest(at, k), "{name}, nearest {k} to {at}");
                }
            }
        }
    }
    // By hand: the sixth of the points 1e-200 apart is the last within 5e-200 of the first of them.
    reference.within(Vec3::ZERO, 5e-200, &mut found);
    assert_eq!(found.iter().filter(|&&i| i >= 64).count(), 6);
}

#[test]
fn rebuilding_takes_new_points_or_keeps_the_old_ones() {
    let old: Vec<Vec3> = (0..100).map(|i| Vec3::X * f64::from(i)).collect();
    let new: Vec<Vec3> = (0..40).map(|i| Vec3::Y * f64::from(i)).collect();
    let mut bad = new.clone();
    bad[17].z = f64::NEG_INFINITY;
    for (name, make) in STRUCTURES {
        let mut structure = make(&old, 1.0);
        let error = structure.rebuild(&bad).unwrap_err();
        assert!(matches!(error, ProximityError::NotFinite { point: 17, .. }), "{name}: {error}");
        assert_eq!(structure.nearest(Vec3::X * 70.2, 1)[0].point, 70, "{name}");
        structure.rebuild(&new).unwrap();
        assert_eq!(structure.len(), 40);
        let mut found = Vec::new();
        structure.within(Vec3::Y * 20.0, 1.5, &mut found);
        assert_eq!(found, [19, 20, 21], "{name}");
        structure.rebuild(&[]).unwrap();
        assert!(structure.is_empty() && structure.nearest(Vec3::ZERO, 1).is_empty(), "{name}");
    }
}

#[test]
fn cell_sizes_that_are_no_lengths_are_refused() {
    for cell_size in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324] {
        let error = NeighbourGrid::new(&[Vec3::ZERO], cell_size).unwrap_err();
        assert!(matches!(error, ProximityError::BadCellSize { .. }), "{error}");
    }
}

#[test]
fn an_index_follows_moves_of_single_points() {
    let mut random = Random::new(5);
    let mut total = 0;
    for (cloud, mut points, radius) in clouds(&mut random) {
        let places = places(&mut random, &points, radius);
        let mut indices = [PointIndex::new(&points).unwrap(), PointIndex::with_radius(&points, radius).unwrap()];
        for round in 0..12 {
            // Few moves at first, then enough to build again; also to places where other points are, and far off.
            let mut moves = Vec::new();
            for _ in 0..if points.is_empty() { 0 } else { 1 + 3 * round } {
                let mut one = || random.whole(0, points.len() as i64 - 1) as usize;
                let (moved, other) = (one(), one());
                let to = match random.whole(0, 9) {
                    0 => points[other],
                    1 => Vec3::splat(1e4),
                    _ => points[moved] + point(&mut random) * radius,
                };
                moves.push((moved as u32, to));
                points[moved] = to;
            }
            for index in &mut indices {
                index.update(&moves).unwrap();
                assert_eq!(index.points(), points);
                for &at in places.iter().step_by(5) {
                    total += check(index, &points, at, radius, 1.0, &format!("{cloud}, round {round}"));
                }
            }
        }
    }
    assert!(total > 100_000, "{total}");
}

#[test]
fn an_index_refuses_bad_moves_as_a_whole() {
    let points: Vec<Vec3> = (0..40).map(|k| Vec3::X * f64::from(k)).collect();
    let mut index = PointIndex::with_radius(&points, 1.0).unwrap();
    let error = index.update(&[(0, Vec3::Y), (40, Vec3::Y)]).unwrap_err();
    assert_eq!(error, ProximityError::NoPoint { point: 40, count: 40 });
    let error = index.update(&[(0, Vec3::Y), (3, Vec3::NAN)]).unwrap_err();
    assert!(matches!(error, ProximityError::NotFinite { point: 3, .. }), "{error}");
    assert!(matches!(index.rebuild(&[Vec3::INFINITY]), Err(ProximityError::NotFinite { point: 0, .. })));
    assert_eq!(index.points(), points);
    let mut found = Vec::new();
    index.within(Vec3::ZERO, 1.0, &mut found);
    assert_eq!(found, [0, 1]);
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324, f64::MAX] {
        let index = PointIndex::with_radius(&points, radius).unwrap();
        index.within(Vec3::X * 7.0, 1.0, &mut found);
        assert_eq!(found, [6, 7, 8], "{radius}");
    }
    index.rebuild(&points[..3]).unwrap();
    index.update(&[(1, Vec3::X * 9.0), (1, Vec3::X * 5.0)]).unwrap();
    assert_eq!(index.nearest(Vec3::X * 6.0, 5).iter().map(|near| near.point).collect::<Vec<_>>(), [1, 2, 0]);
}
