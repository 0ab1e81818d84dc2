//! Polygons become triangles in place: none dropped, orientation kept, simple polygons tiled exactly.

use crate::shapes::Random;
use heurt_geometry::Vec3;
use heurt_mesh::{MeshError, PolygonError, TriMesh};

/// Integer points of a plane, put into space so that the polygon is seen along a slanted axis.
fn lift(points: &[[i32; 2]]) -> Vec<Vec3> {
    points
        .iter()
        .map(|&[x, y]| Vec3::new(f64::from(x), f64::from(y), f64::from(x) * 0.5 - f64::from(y) * 0.25))
        .collect()
}

fn one(points: &[[i32; 2]]) -> Vec<[u32; 3]> {
    let polygon: Vec<u32> = (0..points.len() as u32).collect();
    TriMesh::from_polygons(lift(points), [polygon]).unwrap().mesh.triangles().to_vec()
}

/// Twice the signed area of a triangle seen from above, exact in integers.
fn doubled_area(points: &[[i32; 2]], corners: &[u32]) -> i64 {
    let at = |i: usize| points[corners[i % corners.len()] as usize].map(i64::from);
    (0..corners.len()).map(|i| at(i)[0] * at(i + 1)[1] - at(i)[1] * at(i + 1)[0]).sum()
}

/// Triangles of one sign whose areas sum to the polygon's tile it: the boundary chain is the polygon's by construction.
fn assert_tiles(points: &[[i32; 2]], triangles: &[[u32; 3]]) {
    let outline: Vec<u32> = (0..points.len() as u32).collect();
    let whole = doubled_area(points, &outline);
    assert_eq!(triangles.len(), points.len() - 2);
    let areas: Vec<i64> = triangles.iter().map(|corners| doubled_area(points, corners)).collect();
    assert!(areas.iter().all(|&area| area * whole.signum() >= 0), "{areas:?} of {whole}");
    assert_eq!(areas.iter().sum::<i64>(), whole);
}

#[test]
fn a_convex_polygon_is_the_fan_from_its_first_corner() {
    assert_eq!(one(&[[0, 0], [2, 0], [2, 2], [0, 2]]), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(one(&[[0, 0], [2, 0], [3, 1], [2, 2], [0, 2]]), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    // Clockwise from above: the same fan, seen from below.
    assert_eq!(one(&[[0, 2], [2, 2], [2, 0], [0, 0]]), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn a_concave_quad_is_cut_along_its_inner_diagonal() {
    let arrow = [[0, 0], [4, 0], [1, 1], [0, 4]];
    let triangles = one(&arrow);
    assert_tiles(&arrow, &triangles);
    assert!(triangles.iter().all(|corners| corners.contains(&0) && corners.contains(&2)), "{triangles:?}");
    let back: Vec<[i32; 2]> = arrow.iter().rev().copied().collect();
    assert_tiles(&back, &one(&back));
}

#[test]
fn straight_corners_do_not_force_flat_triangles() {
    let points = [[0, 0], [1, 0], [2, 0], [2, 2], [1, 2], [0, 2]];
    let triangles = one(&points);
    assert_tiles(&points, &triangles);
    assert!(triangles.iter().all(|corners| doubled_area(&points, corners) > 0), "{triangles:?}");
}

#[test]
fn combs_spirals_and_stars_are_tiled() {
    let mut comb = vec![[0, 0], [40, 0]];
    for tooth in (0..20).rev() {
        comb.extend([[2 * tooth + 2, 10], [2 * tooth + 1, 1]]);
    }
    comb.push([0, 10]);
    assert_tiles(&comb, &one(&comb));
    let spiral = [[0, 0], [10, 0], [10, 10], [2, 10], [2, 4], [6, 4], [6, 6], [4, 6], [4, 8], [8, 8], [8, 2], [0, 2]];
    assert_tiles(&spiral, &one(&spiral));
    let star = [[0, 10], [2, 3], [9, 3], [4, -1], [6, -8], [0, -4], [-6, -8], [-4, -1], [-9, 3], [-2, 3]];
    assert_tiles(&star, &one(&star));
}

#[test]
fn a_hole_joined_by_a_slit_stays_open() {
    // A square frame: outline, slit from corner 0 to the hole, the hole clockwise, slit back.
    let frame = [[0, 0], [9, 0], [9, 9], [0, 9], [0, 0], [3, 3], [3, 6], [6, 6], [6, 3], [3, 3]];
    let triangles = one(&frame);
    assert_tiles(&frame, &triangles);
    // No triangle covers the middle of the hole (4.5, 4.5): by half-plane tests in doubled coordinates.
    let doubled: Vec<[i32; 2]> = frame.iter().map(|point| point.map(|x| 2 * x)).collect();
    let covers = |corners: &[u32; 3]| {
        (0..3).all(|i| {
            let (a, b) = (doubled[corners[i] as usize], doubled[corners[(i + 1) % 3] as usize]);
            (b[0] - a[0]) * (9 - a[1]) - (b[1] - a[1]) * (9 - a[0]) > 0
        })
    };
    assert!(!triangles.iter().any(covers));
}

#[test]
fn random_star_shaped_polygons_are_tiled() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let count = 4 + random.below(40);
        let points: Vec<[i32; 2]> = (0..count)
            .map(|i| {
                let (angle, radius) =
                    (std::f64::consts::TAU * f64::from(i) / f64::from(count), 100.0 + 900.0 * random.next());
                [(radius * angle.cos()).round() as i32, (radius * angle.sin()).round() as i32]
            })
            .collect();
        assert_tiles(&points, &one(&points));
    }
}

#[test]
fn polygons_of_no_area_and_polygons_that_cross_are_not_dropped() {
    let collinear = [[0, 0], [1, 0], [2, 0], [3, 0]];
    assert_eq!(one(&collinear), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(one(&[[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]).len(), 3);
    assert_eq!(one(&[[0, 0], [4, 4], [4, 0], [0, 4]]).len(), 2, "a bow-tie of equal wings");
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let points: Vec<[i32; 2]> =
            (0..4 + random.below(12)).map(|_| [random.below(5) as i32, random.below(5) as i32]).collect();
        assert_eq!(one(&points).len(), points.len() - 2);
    }
}

#[test]
fn a_large_comb_ends_in_time() {
    // Half of its corners reflex and every ear at the teeth.
    let teeth = 3_000;
    let mut comb = vec![[0, 0], [2 * teeth, 0]];
    for tooth in (0..teeth).rev() {
        comb.extend([[2 * tooth + 2, 10], [2 * tooth + 1, 1]]);
    }
    comb.push([0, 10]);
    assert_tiles(&comb, &one(&comb));
}

/// A band of `count` corners on each side, wound into a spiral: two ears at any time.
fn spiral(count: i32) -> Vec<[i32; 2]> {
    let at = |k: i32, offset: f64| {
        let share = f64::from(k) / f64::from(count);
        let (angle, radius) = (share * 9.0 * std::f64::consts::TAU, 1e4 + 9e4 * share + offset);
        [(radius * angle.cos()).round() as i32, (radius * angle.sin()).round() as i32]
    };
    (0..count).map(|k| at(k, 5e3)).chain((0..count).rev().map(|k| at(k, 0.0))).collect()
}

/// A star whose points have random lengths: seen from its middle, all corners are visible.
fn star(count: u32, random: &mut Random) -> Vec<[i32; 2]> {
    let corner = |k: u32| {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(count);
        let radius = 1e5 + 9e5 * random.next();
        [(radius * angle.cos()).round() as i32, (radius * angle.sin()).round() as i32]
    };
    (0..count).map(corner).collect()
}

/// Polygons of several shapes, of some `count` corners or a small multiple, with their names.
fn shapes_of(count: i32, random: &mut Random) -> [(&'static str, Vec<[i32; 2]>); 6] {
    let count_u = count as u32;
    let zigzag = |k: i32, low: i32| [k, low + 9 * (k % 2)];
    let band: Vec<[i32; 2]> = (0..count).map(|k| zigzag(k, 0)).chain((0..count).rev().map(|k| zigzag(k, 1))).collect();
    let side = |k: i32, edge: usize| [[k, 0], [count, k], [count - k, count], [0, count - k]][edge];
    let square: Vec<[i32; 2]> = (0..4).flat_map(|edge| (0..count).map(move |k| side(k, edge))).collect();
    let bowl: Vec<[i32; 2]> =
        [[-count, -9], [count, -9]].into_iter().chain((-count..=count).rev().map(|x| [x, x * x])).collect();
    // The outline of a ring, with a slit to its hole.
    let ring = |radius: f64, k: u32| {
        let angle = std::f64::consts::TAU * f64::from(k % count_u) / f64::from(count_u);
        [(radius * angle.cos()).round() as i32, (radius * angle.sin()).round() as i32]
    };
    let outer = (0..=count_u).map(|k| ring(1e6, k));
    let holed: Vec<[i32; 2]> = outer.chain((0..=count_u).rev().map(|k| ring(5e5, k))).collect();
    [
        ("zigzag band", band),
        ("square of straight corners", square),
        ("bowl", bowl),
        ("ring", holed),
        ("spiral", spiral(count)),
        ("star", star(count_u, random)),
    ]
}

/// Triangulates a polygon and its mirror image.
fn assert_both_tile(name: &str, points: &[[i32; 2]]) {
    let back: Vec<[i32; 2]> = points.iter().rev().copied().collect();
    for points in [points, &back] {
        let triangles = one(points);
        assert_eq!(triangles.len(), points.len() - 2, "{name} of {}", points.len());
        assert_tiles(points, &triangles);
    }
}

#[test]
fn polygons_of_many_corners_are_tiled() {
    let mut random = Random::new(3);
    for count in [81, 100, 500, 3000] {
        for (name, points) in shapes_of(count, &mut random) {
            assert_both_tile(name, &points);
        }
    }
}

#[test]
fn polygons_of_exactly_79_to_82_corners_are_tiled() {
    // Up to 80 corners, ears are cut without a queue.
    let mut random = Random::new(6);
    for count in 79..=82 {
        // A spiral of few corners crosses itself.
        let shapes = shapes_of(count / 4, &mut random).into_iter().filter(|(name, _)| *name != "spiral");
        for (name, mut points) in shapes {
            // One corner after the other on the longest edge brings the polygon to its count; doubled, to have room.
            points.iter_mut().flatten().for_each(|x| *x *= 128);
            while points.len() < count as usize {
                let length = |k: &usize| {
                    let ([ax, ay], [bx, by]) = (points[*k], points[(k + 1) % points.len()]);
                    (i64::from(bx - ax)).pow(2) + (i64::from(by - ay)).pow(2)
                };
                let longest = (0..points.len()).max_by_key(length).unwrap();
                let (a, b) = (points[longest], points[(longest + 1) % points.len()]);
                points.insert(longest + 1, [0, 1].map(|axis| i32::midpoint(a[axis], b[axis])));
            }
            assert_eq!(points.len(), count as usize, "{name}");
            assert_both_tile(name, &points);
        }
        let mut comb = vec![[0, 0], [100, 0]];
        comb.extend((0..count - 3).rev().map(|k| [k + 1, 10 - 9 * (k % 2)]));
        comb.push([0, 12]);
        assert_eq!(comb.len(), count as usize);
        assert_both_tile("comb", &comb);
        assert_both_tile("star", &star(count as u32, &mut random));
        let shell: Vec<[i32; 2]> = (0..count).map(|x| [x, x * x]).collect();
        assert_both_tile("convex", &shell);
        let mut bowl: Vec<[i32; 2]> = (2 - count..count - 4).step_by(2).rev().map(|x| [x, x * x]).collect();
        bowl.extend([[-count, -9], [count, -9]]);
        let missing = count as usize - bowl.len();
        bowl.extend((1..=missing as i32).map(|k| [count, 2 * count * k]));
        assert_eq!(bowl.len(), count as usize);
        assert_both_tile("bowl", &bowl);
    }
}

#[test]
fn repeated_corners_of_large_polygons_change_nothing_else() {
    let mut random = Random::new(4);
    let points = star(200, &mut random);
    let repeated: Vec<u32> = (0..200).flat_map(|k| vec![k; 1 + random.below(4) as usize]).collect();
    let made = TriMesh::from_polygons(lift(&points), [&repeated]).unwrap().mesh;
    assert_eq!(made.triangles().len(), repeated.len() - 2);
    let proper: Vec<[u32; 3]> =
        made.triangles().iter().copied().filter(|[a, b, c]| a != b && b != c && c != a).collect();
    assert_tiles(&points, &proper);
}

#[test]
fn large_polygons_that_are_not_simple_keep_their_number_of_triangles_and_their_area() {
    let mut random = Random::new(5);
    let mut below = |count| random.below(count) as i32;
    let count = 2000;
    let line: Vec<[i32; 2]> = (0..count).map(|_| below(1000)).map(|x| [x, 2 * x]).collect();
    let plane: Vec<[i32; 2]> = (0..count).map(|_| [below(10_000), below(10_000)]).collect();
    let grid: Vec<[i32; 2]> = (0..count).map(|_| [below(20), below(20)]).collect();
    let spikes: Vec<[i32; 2]> = (0..count).map(|k| [[0, 0], [k, 5000 - k]][k as usize % 2]).collect();
    let all: Vec<u32> = (0..count as u32).collect();
    for (name, points, corners) in [
        ("one line", line, all.clone()),
        ("one point", vec![[3, 4]; count as usize], all.clone()),
        ("spikes", spikes, all.clone()),
        ("random", plane, all.clone()),
        ("random on a grid", grid, all),
        ("three corners many times", vec![[0, 0], [9, 0], [0, 9]], (0..3000).map(|k| k % 3).collect()),
        ("five corners many times", vec![[0, 0], [9, 0], [3, 2], [9, 9], [0, 9]], (0..3000).map(|k| k % 5).collect()),
        ("four corners, each many times", vec![[0, 0], [9, 0], [3, 2], [0, 9]], (0..4000).map(|k| k / 1000).collect()),
    ] {
        let made = TriMesh::from_polygons(lift(&points), [&corners]).unwrap().mesh;
        assert_eq!(made.triangles().len(), corners.len() - 2, "{name}");
        let areas = made.triangles().iter().map(|triangle| doubled_area(&points, triangle));
        assert_eq!(areas.sum::<i64>(), doubled_area(&points, &corners), "{name}");
    }
}

#[test]
fn triangles_keep_the_order_of_polygons() {
    let points = lift(&[[0, 0], [4, 0], [1, 1], [0, 4], [9, 9]]);
    let polygons: [&[u32]; 3] = [&[0, 1, 4], &[0, 1, 2, 3], &[4, 1, 0]];
    let made = TriMesh::from_polygons(points, polygons).unwrap();
    assert_eq!(made.polygon_of, [0, 1, 1, 2]);
    assert_eq!(made.mesh.triangles()[0], [0, 1, 4]);
    assert_eq!(made.mesh.triangles()[3], [4, 1, 0]);
}

#[test]
fn huge_and_tiny_polygons_are_cut_alike() {
    let arrow = [[0, 0], [4, 0], [1, 1], [0, 4]];
    for scale in [1e-150, 1e-12, 1e150] {
        let points = lift(&arrow).into_iter().map(|point| point * scale).collect();
        assert_eq!(TriMesh::from_polygons(points, [[0u32, 1, 2, 3]]).unwrap().mesh.triangles(), one(&arrow));
    }
}

#[test]
fn bad_polygons_are_named() {
    let points = || vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let polygons: [&[u32]; 2] = [&[0, 1, 2], &[0, 1]];
    assert_eq!(
        TriMesh::from_polygons(points(), polygons).unwrap_err(),
        PolygonError::TooFewCorners { polygon: 1, count: 2 }
    );
    let polygons: [&[u32]; 2] = [&[0, 1, 2], &[0, 1, 7, 2]];
    assert_eq!(
        TriMesh::from_polygons(points(), polygons).unwrap_err(),
        PolygonError::IndexOutOfRange { polygon: 1, corner: 2, index: 7, count: 3 }
    );
    assert_eq!(
        TriMesh::from_polygons(points(), Vec::<[u32; 3]>::new()).unwrap_err(),
        PolygonError::Mesh(MeshError::NoTriangles)
    );
    let bad = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, f64::NAN, 0.0), Vec3::Y];
    let error = TriMesh::from_polygons(bad, [[0u32, 1, 2, 3]]).unwrap_err();
    assert!(matches!(error, PolygonError::Mesh(MeshError::NotFinite { vertex: 2, .. })), "{error}");
}
