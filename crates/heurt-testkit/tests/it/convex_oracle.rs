//! The judges of convex sets judged: cases computed by hand, oracle against oracle, and what hard pairs have to show.

use heurt_geometry::{ConvexHull, Dimension, Vec3};
use heurt_testkit::hard::convex_pairs::{CONVEX_KINDS, ConvexKind, convex_pair};
use heurt_testkit::hard::triangles::triangle_pair;
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::convex::{gap_along, hull_distance, hulls_meet, penetration, penetration_depth};
use heurt_testkit::oracle::triangle as oracle;

fn box_at(low: Vec3, size: Vec3) -> Vec<Vec3> {
    (0..8).map(|k| low + size * Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect()
}

fn unit_box_at(x: f64, y: f64, z: f64) -> Vec<Vec3> {
    box_at(Vec3::new(x, y, z), Vec3::ONE)
}

fn moved(points: &[Vec3], step: Vec3) -> Vec<Vec3> {
    points.iter().map(|p| *p + step).collect()
}

fn is_near(x: f64, y: f64, ulps: f64) -> bool {
    (x - y).abs() <= ulps * f64::EPSILON * y.abs()
}

/// The farthest coordinate from the origin.
fn reach(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().chain(b).map(|p| p.abs().max_element()).fold(0.0, f64::max)
}

#[test]
fn boxes_apart_touching_and_overlapping() {
    let a = unit_box_at(0.0, 0.0, 0.0);
    for (b, distance) in [
        (unit_box_at(3.5, 0.0, 0.0), 2.5),
        (unit_box_at(3.5, 0.25, -0.5), 2.5),
        (unit_box_at(4.0, -5.0, 0.0), 5.0),
        (unit_box_at(2.0, 3.0, -3.0), 3.0),
        (unit_box_at(1f64.next_up(), 0.5, 0.5), f64::EPSILON),
        (unit_box_at(-1.0, 0.5, 1.0 + 1e-12), (1.0 + 1e-12) - 1.0),
    ] {
        assert_eq!(hull_distance(&a, &b), distance, "{b:?}");
        assert_eq!(penetration(&a, &b), None, "{b:?}");
    }
    for (x, y, z) in [(1.0, 0.0, 0.0), (1.0, 0.5, -0.5), (1.0, 1.0, 0.5), (1.0, 1.0, 1.0), (-1.0, 1.0, -1.0)] {
        let b = unit_box_at(x, y, z);
        assert_eq!((hull_distance(&a, &b), penetration(&a, &b)), (0.0, None), "{b:?}");
    }
    for (b, depth, direction) in [
        (unit_box_at(0.75, 0.5, 0.25), 0.25, Vec3::X),
        (unit_box_at(0.5, -0.875, 0.25), 0.125, Vec3::NEG_Y),
        (unit_box_at(0.0, 0.25, 0.0), 0.75, Vec3::Y),
        (unit_box_at(1f64.next_down(), 0.5, 0.5), f64::EPSILON / 2.0, Vec3::X),
    ] {
        assert_eq!(hull_distance(&a, &b), 0.0, "{b:?}");
        assert_eq!(penetration(&a, &b), Some((depth, direction)), "{b:?}");
        assert_eq!(penetration(&b, &a), Some((depth, -direction)), "{b:?}");
    }
}

#[test]
fn a_box_inside_another_has_to_leave_entirely() {
    let outer = box_at(Vec3::splat(-1.0), Vec3::splat(2.0));
    assert_eq!(penetration_depth(&outer, &box_at(Vec3::splat(-0.5), Vec3::ONE)), 1.5);
    assert_eq!(penetration_depth(&outer, &box_at(Vec3::new(0.25, -0.5, -0.5), Vec3::splat(0.5))), 0.75);
    assert_eq!(penetration_depth(&outer, &outer), 2.0);
    assert_eq!(penetration_depth(&outer, &[Vec3::new(0.0, -0.75, 0.0)]), 0.25);
    assert_eq!(penetration_depth(&outer, &[Vec3::NEG_Y]), 0.0, "on a face");
}

#[test]
fn tetrahedra_against_points_and_each_other() {
    let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let root = 3f64.sqrt();
    assert!(is_near(hull_distance(&corner, &[Vec3::ONE]), 2.0 / root, 2.0));
    assert!(is_near(hull_distance(&corner, &[Vec3::new(2.0, 0.0, 0.0)]), 1.0, 0.0));
    assert!(is_near(hull_distance(&corner, &[Vec3::new(2.0, 2.0, 0.0)]), 1.5 * 2f64.sqrt(), 2.0), "to an edge");
    assert!(is_near(penetration_depth(&corner, &[Vec3::splat(0.25)]), 0.25 / root, 2.0));
    // Mirrored in the point (1/2, 1/2, 1/2): the slanted faces are 1/√3 apart.
    let mirrored = corner.map(|p| Vec3::ONE - p);
    assert!(is_near(hull_distance(&corner, &mirrored), 1.0 / root, 2.0));
    // Brought nearer, so that the slanted faces overlap by half that and the others by 1/2.
    let nearer = moved(&mirrored, Vec3::splat(-0.5));
    assert!(is_near(penetration_depth(&corner, &nearer), 0.5 / root, 2.0));
    // Nearer still, the others are the least way out.
    assert_eq!(penetration_depth(&corner, &moved(&mirrored, Vec3::splat(-0.75))), 0.25);
    // Corner to corner.
    let beyond = corner.map(|p| Vec3::new(4.0, 4.0, 0.0) - p);
    assert!(is_near(hull_distance(&corner, &beyond), 3.0 * 2f64.sqrt(), 2.0));
}

#[test]
fn what_is_flat_has_distances_and_sometimes_depths() {
    let along_x = [Vec3::ZERO, Vec3::X * 4.0];
    assert_eq!(hull_distance(&along_x, &[Vec3::new(1.0, 3.0, 4.0)]), 5.0);
    assert_eq!(hull_distance(&along_x, &[Vec3::new(7.0, 4.0, 0.0)]), 5.0);
    assert_eq!(hull_distance(&along_x, &[Vec3::X]), 0.0);
    assert_eq!(hull_distance(&along_x, &[Vec3::new(1.0, -3.0, 2.0), Vec3::new(1.0, 3.0, 2.0)]), 2.0, "crossing edges");
    assert_eq!(hull_distance(&along_x, &[Vec3::new(5.0, 0.0, 0.0), Vec3::new(9.0, 0.0, 0.0)]), 1.0, "in line");
    assert_eq!(hull_distance(&along_x, &[Vec3::new(-1.0, 2.0, 0.0), Vec3::new(9.0, 2.0, 0.0)]), 2.0, "parallel");
    assert_eq!(hull_distance(&[Vec3::ZERO], &[Vec3::new(2.0, 3.0, 6.0); 3]), 7.0);
    assert_eq!(hull_distance(&[Vec3::ONE], &[Vec3::ONE; 2]), 0.0);
    let square = [Vec3::new(-1.0, -1.0, 0.0), Vec3::X - Vec3::Y, Vec3::X + Vec3::Y, Vec3::Y - Vec3::X];
    let upright = square.map(|p| Vec3::new(p.x, 0.0, p.y));
    let pole = [Vec3::NEG_Z * 0.5, Vec3::Z];
    assert_eq!(hull_distance(&square, &moved(&upright, Vec3::Z * 3.0)), 2.0);
    assert_eq!(penetration_depth(&square, &upright), 1.0, "crossing squares");
    assert_eq!(penetration_depth(&square, &pole), 0.5, "a square on a pole");
    for flat in [&square[..], &square[..1], &square[1..3], &along_x] {
        assert_eq!(penetration_depth(&square, flat), 0.0, "in one plane");
        assert_eq!(penetration_depth(flat, flat), 0.0, "the same");
    }
}

#[test]
fn gaps_along_directions() {
    let (a, b) = (unit_box_at(0.0, 0.0, 0.0), unit_box_at(2.0, 3.0, 0.5));
    assert_eq!(gap_along(&a, &b, Vec3::X), 1.0);
    assert_eq!(gap_along(&a, &b, Vec3::Y * 1e-300), 2.0);
    assert_eq!(gap_along(&a, &b, Vec3::Z * 1e300), -0.5);
    assert_eq!(gap_along(&a, &b, Vec3::NEG_X), -3.0);
    assert_eq!(gap_along(&a, &b, Vec3::new(3.0, 4.0, 0.0)), 2.2);
    assert_eq!(gap_along(&a, &b, Vec3::ZERO), 0.0);
    assert_eq!(gap_along(&a, &unit_box_at(1.0, 0.0, 0.0), Vec3::X), 0.0);
    assert_eq!(gap_along(&a, &unit_box_at(1f64.next_down(), 0.0, 0.0), Vec3::X), -f64::EPSILON / 2.0);
}

#[test]
fn a_distance_is_zero_exactly_when_a_simplex_of_differences_holds_the_origin() {
    let mut random = Random::new(11);
    let (mut meeting, mut disjoint) = (0, 0);
    while meeting + disjoint < 400 {
        let (kind, a, b) = convex_pair(&mut random);
        if a.len() * b.len() > 40 {
            continue;
        }
        let distance = hull_distance(&a, &b);
        assert_eq!(distance == 0.0, hulls_meet(&a, &b), "{kind:?} {distance}: {a:?} {b:?}");
        *(if distance == 0.0 { &mut meeting } else { &mut disjoint }) += 1;
    }
    assert!(meeting > 100 && disjoint > 100, "{meeting} {disjoint}");
}

#[test]
fn triangles_are_as_far_apart_as_corners_edges_and_faces_say() {
    let mut random = Random::new(12);
    for _ in 0..4000 {
        let (kind, x, y) = triangle_pair(&mut random);
        assert_eq!(hull_distance(&x, &y), oracle::triangle_distance(&x, &y), "{kind:?}: {x:?} {y:?}");
    }
}

#[test]
fn solids_are_as_far_apart_as_their_surfaces() {
    let mut random = Random::new(13);
    let mut seen = 0;
    while seen < 40 {
        let (kind, a, b) = convex_pair(&mut random);
        let surfaces = [&a, &b].map(|points| {
            let hull = ConvexHull::new(points).unwrap();
            hull.triangles().iter().map(|t| t.map(|v| points[v as usize])).collect::<Vec<_>>()
        });
        if surfaces.iter().any(|s| s.is_empty() || s.len() > 12) || hull_distance(&a, &b) == 0.0 {
            continue;
        }
        assert_eq!(hull_distance(&a, &b), oracle::distance(&surfaces[0], true, &surfaces[1], true), "{kind:?}");
        seen += 1;
    }
}

/// On small whole numbers differences are exact, and so are the facets of their hull.
#[test]
fn depths_are_those_of_the_hull_of_differences() {
    let mut random = Random::new(14);
    let mut deep = 0;
    for _ in 0..600 {
        let mut points = |most: i64| -> Vec<Vec3> {
            let count = random.whole(1, most);
            let mut coordinate = || random.whole(-9, 9) as f64;
            (0..count).map(|_| Vec3::new(coordinate(), coordinate(), coordinate())).collect()
        };
        let (a, b) = (points(12), points(12));
        let differences: Vec<Vec3> = a.iter().flat_map(|p| b.iter().map(move |q| *p - *q)).collect();
        let hull = ConvexHull::new(&differences).unwrap();
        let height = |t: &[u32; 3]| {
            let [p, q, r] = t.map(|v| differences[v as usize]);
            let normal = (q - p).cross(r - p);
            normal.dot(p) / normal.length()
        };
        let least = hull.triangles().iter().map(height).fold(f64::INFINITY, f64::min);
        let expected = if hull.dimension() == Dimension::Solid { least.max(0.0) } else { 0.0 };
        let depth = penetration_depth(&a, &b);
        assert!(is_near(depth, expected, 8.0), "{depth} {expected}: {a:?} {b:?}");
        deep += u32::from(depth > 0.0);
    }
    assert!(deep > 200, "{deep}");
}

/// What must hold of every pair.
#[test]
fn hard_pairs_keep_the_laws() {
    let mut random = Random::new(15);
    for _ in 0..3000 {
        let (kind, a, b) = convex_pair(&mut random);
        let (distance, found) = (hull_distance(&a, &b), penetration(&a, &b));
        assert_eq!(distance, hull_distance(&b, &a), "swapped, {kind:?}: {a:?} {b:?}");
        let depth = found.map_or(0.0, |(depth, _)| depth);
        assert_eq!(depth, penetration_depth(&b, &a), "swapped, {kind:?}: {a:?} {b:?}");
        assert!(distance == 0.0 || found.is_none(), "apart and deep, {kind:?}: {a:?} {b:?}");
        let direction = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        // Planes prove no more than the distance, and every way out is at least as long as the depth.
        let gap = gap_along(&a, &b, direction);
        assert!(gap <= distance * (1.0 + 1e-15), "{gap} {distance}, {kind:?}: {a:?} {b:?}");
        if depth > 0.0 {
            assert!(-gap >= depth * (1.0 - 1e-15), "{gap} {depth}, {kind:?}: {a:?} {b:?}");
        }
        leaves_along_the_best_direction(kind, &a, &b, found);
        scaled_and_moved_exactly(kind, &a, &b, &mut random);
    }
}

fn leaves_along_the_best_direction(kind: ConvexKind, a: &[Vec3], b: &[Vec3], found: Option<(f64, Vec3)>) {
    let Some((depth, direction)) = found else { return };
    let rounding = 8.0 * f64::EPSILON * reach(a, b);
    assert!((gap_along(a, b, direction) + depth).abs() <= rounding, "{kind:?} {depth} along {direction}: {a:?} {b:?}");
    let out = moved(b, direction * (depth * (1.0 + 1e-9)));
    if depth * 1e-9 > rounding {
        assert!(hull_distance(a, &out) > 0.0, "{kind:?} {depth} along {direction}: {a:?} {b:?}");
        assert_eq!(penetration(a, &out), None, "{kind:?} {depth} along {direction}: {a:?} {b:?}");
        let almost = moved(b, direction * (depth * (1.0 - 1e-9)));
        assert_eq!(hull_distance(a, &almost), 0.0, "{kind:?} {depth} along {direction}: {a:?} {b:?}");
    }
}

fn scaled_and_moved_exactly(kind: ConvexKind, a: &[Vec3], b: &[Vec3], random: &mut Random) {
    let scale = 2f64.powi(random.whole(-60, 60) as i32);
    let [x, y] = [a, b].map(|points| points.iter().map(|p| *p * scale).collect::<Vec<_>>());
    assert_eq!(hull_distance(&x, &y), hull_distance(a, b) * scale, "times {scale}, {kind:?}: {a:?} {b:?}");
    assert_eq!(penetration_depth(&x, &y), penetration_depth(a, b) * scale, "times {scale}, {kind:?}: {a:?} {b:?}");
    let step = Vec3::new(1.0, -2.0, 4.0) * reach(a, b).log2().floor().exp2();
    let (x, y) = (moved(a, step), moved(b, step));
    let is_exact = |(p, q): (&Vec3, &Vec3)| *q - step == *p && *q - *p == step;
    if a.iter().chain(b).zip(x.iter().chain(&y)).all(is_exact) {
        assert_eq!(hull_distance(&x, &y), hull_distance(a, b), "by {step}, {kind:?}: {a:?} {b:?}");
        assert_eq!(penetration_depth(&x, &y), penetration_depth(a, b), "by {step}, {kind:?}: {a:?} {b:?}");
    }
}

#[test]
fn coordinates_of_any_magnitude() {
    let (tiny, huge) = (f64::from_bits(1), 2f64.powi(1023));
    let (a, b) = (unit_box_at(0.0, 0.0, 0.0), unit_box_at(0.5, 0.25, 0.0));
    for scale in [tiny * 4.0, 2f64.powi(-600), 2f64.powi(600), huge] {
        let [x, y] = [&a, &b].map(|points| points.iter().map(|p| *p * scale).collect::<Vec<_>>());
        assert_eq!(penetration_depth(&x, &y), 0.5 * scale, "{scale:e}");
        assert_eq!(hull_distance(&x, &y), 0.0, "{scale:e}");
        assert_eq!(hull_distance(&x[..1], &y[1..2]), hull_distance(&a[..1], &b[1..2]) * scale, "{scale:e}");
    }
    assert_eq!(hull_distance(&[Vec3::ZERO, Vec3::X * huge], &[Vec3::new(1.0, tiny, 0.0)]), tiny);
    assert_eq!(hull_distance(&[Vec3::X * huge], &[Vec3::X * (huge / 2.0), Vec3::ONE]), huge / 2.0);
}

#[test]
fn pairs_are_hard_and_the_same_every_time() {
    let (mut random, mut again) = (Random::new(16), Random::new(16));
    let (mut seen, mut touching, mut flat, mut degenerate) = (vec![0; CONVEX_KINDS.len()], 0, 0, 0);
    for _ in 0..3000 {
        let (kind, a, b) = convex_pair(&mut random);
        assert_eq!((kind, a.clone(), b.clone()), convex_pair(&mut again));
        for points in [&a, &b] {
            assert!((1..=32).contains(&points.len()), "{kind:?}: {points:?}");
            assert!(points.iter().all(|p| p.is_finite()), "{kind:?}: {points:?}");
        }
        seen[kind as usize] += 1;
        let touches = hull_distance(&a, &b) == 0.0 && penetration_depth(&a, &b) == 0.0;
        let is_flat = [&a, &b].iter().any(|p| ConvexHull::new(p).unwrap().dimension() != Dimension::Solid);
        (touching, flat) = (touching + u32::from(touches), flat + u32::from(is_flat));
        degenerate += u32::from(touches || is_flat);
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
    assert!(touching > 500 && flat > 500, "{touching} touch, {flat} are flat");
    assert!(degenerate > 3000 * 3 / 10, "{degenerate} of 3000 touch or are flat");
}
