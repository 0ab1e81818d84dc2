//! Convex polygons against brute force: farthest corners, separations.

use heurt_geometry::{ConvexPolygon, HullError, Vec2, Vec3};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::convex::hull_distance;

fn polygon(points: &[Vec2]) -> ConvexPolygon {
    ConvexPolygon::new(points).unwrap()
}

fn whole(random: &mut Random, reach: i64) -> Vec2 {
    Vec2::new(random.whole(-reach, reach) as f64, random.whole(-reach, reach) as f64)
}

fn turned(angle: f64) -> Vec2 {
    Vec2::from_angle(angle)
}

/// A regular polygon, or one with corners at random places of a circle.
fn on_circle(random: &mut Random, count: u32) -> Vec<Vec2> {
    let regular = random.one_in(2);
    let angle = |k: u32, random: &mut Random| match regular {
        true => f64::from(k) / f64::from(count) * std::f64::consts::TAU,
        false => random.between(0.0, std::f64::consts::TAU),
    };
    (0..count).map(|k| turned(angle(k, random))).collect()
}

fn farthest(points: &[Vec2], direction: Vec2) -> f64 {
    points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
}

/// The least overlap, or the greatest gap, along normals of edges, looking at all corners.
fn by_brute_force(a: &ConvexPolygon, b: &ConvexPolygon) -> f64 {
    let of_edges = |p: &ConvexPolygon, q: &ConvexPolygon| {
        let corners = p.corners();
        let count = corners.len();
        let gaps = (0..count).map(|k| {
            let normal = -(corners[(k + 1) % count] - corners[k]).perp().normalize_or_zero();
            let gap = -farthest(q.corners(), -normal) - farthest(corners, normal);
            if normal == Vec2::ZERO { f64::NEG_INFINITY } else { gap }
        });
        gaps.fold(f64::NEG_INFINITY, f64::max)
    };
    of_edges(a, b).max(of_edges(b, a))
}

#[test]
fn a_hundred_thousand_directions_find_a_farthest_corner() {
    let mut random = Random::new(1);
    for _ in 0..1_000 {
        let count = [1, 2, 3, 4, 5, 8, 16, 64, 300][random.whole(0, 8) as usize];
        let is_whole = random.one_in(2);
        let points: Vec<Vec2> = match is_whole {
            true => (0..count).map(|_| whole(&mut random, 20)).collect(),
            false => on_circle(&mut random, count),
        };
        let polygon = polygon(&points);
        for _ in 0..100 {
            let direction = match random.whole(0, 3) {
                0 => whole(&mut random, 9),
                1 => {
                    let k = random.whole(0, polygon.corners().len() as i64 - 1) as usize;
                    let edge = polygon.corners()[(k + 1) % polygon.corners().len()] - polygon.corners()[k];
                    if random.one_in(2) { edge.perp() } else { -edge.perp() }
                }
                _ => turned(random.between(0.0, std::f64::consts::TAU)),
            };
            let found = polygon.corners()[polygon.extremal(direction)].dot(direction);
            let best = farthest(&points, direction);
            let room = if is_whole { 0.0 } else { 4.0 * f64::EPSILON * direction.length() };
            assert!(found >= best - room, "{found} of {best} along {direction} of {points:?}");
        }
    }
}

#[test]
fn corners_are_those_of_the_hull_in_turn() {
    let mut random = Random::new(2);
    for _ in 0..2_000 {
        let count = random.whole(1, 12);
        let points: Vec<Vec2> = (0..count).map(|_| whole(&mut random, 3)).collect();
        let polygon = polygon(&points);
        let corners = polygon.corners();
        for k in 0..corners.len() {
            let (from, to) = (corners[k], corners[(k + 1) % corners.len()]);
            let height = |p: &Vec2| (to - from).perp_dot(*p - from);
            assert!(points.iter().all(|p| height(p) >= 0.0), "{corners:?} do not hold {points:?}");
            let on_line = corners.iter().filter(|p| height(p) == 0.0).count();
            assert!(on_line <= 2 || from == to, "{corners:?}");
        }
        assert!(corners.iter().all(|corner| points.contains(corner)));
        let line = points.iter().all(|p| (points[0] - *p).perp_dot(corners[0] - *corners.last().unwrap()) == 0.0);
        assert!(corners.len() >= 3 || line);
    }
}

#[test]
fn separations_are_those_of_brute_force() {
    let mut random = Random::new(3);
    for number in 0..20_000 {
        let one = |random: &mut Random| -> Vec<Vec2> {
            let (count, place) = (random.whole(1, 9) as u32, whole(random, 9));
            match random.whole(0, 2) {
                0 => on_circle(random, 3 * count).into_iter().map(|p| p * 4.0 + place).collect(),
                1 => {
                    let size = whole(random, 4).abs() + 1.0;
                    [Vec2::ZERO, size, size.with_x(0.0), size.with_y(0.0)].map(|p| p + place).to_vec()
                }
                _ => (0..count).map(|_| whole(random, 4) + place).collect(),
            }
        };
        let (p, q) = (one(&mut random), one(&mut random));
        let (a, b) = (polygon(&p), polygon(&q));
        let found = a.separation(&b);
        let room = 1e-13;
        let brute = by_brute_force(&a, &b);
        let is_line = a.corners().len() <= 2 && b.corners().len() <= 2;
        assert!(found.separation >= brute - room, "{number}: {found:?}, {brute}");
        assert!(found.separation <= brute + room || is_line, "{number}: {found:?}, {brute}");
        let flat = |points: &[Vec2]| points.iter().map(|p| Vec3::new(p.x, p.y, 0.0)).collect::<Vec<_>>();
        let distance = hull_distance(&flat(&p), &flat(&q));
        assert!(found.separation <= distance + room, "{number}: {found:?} at a distance of {distance}");
        assert!(found.separation > 0.0 || distance < room, "{number}: {found:?} at a distance of {distance}");
        let gap = -farthest(&q, -found.normal) - farthest(&p, found.normal);
        assert!((gap - found.separation).abs() < room, "{number}: {found:?}, but {gap}");
        let [on_a, on_b] = [a.corners()[found.corners[0]], b.corners()[found.corners[1]]];
        assert!((found.normal.dot(on_b - on_a) - gap).abs() < room, "{number}: {found:?}, {on_a}, {on_b}");
        assert!((b.separation(&a).separation - found.separation).abs() < room, "{number}: swapped");
    }
}

#[test]
fn squares_side_by_side_are_separated_by_hand() {
    let square = |x: f64, y: f64| {
        polygon(&[(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)].map(|(u, v)| Vec2::new(x + u, y + v)))
    };
    let here = square(0.0, 0.0);
    let beside = here.separation(&square(3.0, 1.0));
    assert_eq!((beside.separation, beside.normal), (1.0, Vec2::X));
    assert_eq!(here.separation(&square(2.0, 0.0)).separation, 0.0);
    let deep = here.separation(&square(0.5, -1.5));
    assert_eq!((deep.separation, deep.normal), (-0.5, Vec2::NEG_Y));
}

#[test]
fn points_and_segments_are_polygons() {
    let (origin, x) = (polygon(&[Vec2::ZERO]), polygon(&[Vec2::ZERO, Vec2::X]));
    assert_eq!(origin.extremal(Vec2::X), 0);
    assert_eq!(x.corners()[x.extremal(Vec2::NEG_X)], Vec2::ZERO);
    assert_eq!(x.corners()[x.extremal(Vec2::new(0.1, -9.0))], Vec2::X);
    assert_eq!(origin.separation(&polygon(&[Vec2::new(3.0, 4.0)])).separation, 5.0);
    assert_eq!(origin.separation(&origin).separation, 0.0);
    assert_eq!(x.separation(&polygon(&[Vec2::new(3.0, 0.0), Vec2::new(7.0, 0.0)])).separation, 2.0);
    assert_eq!(x.separation(&polygon(&[Vec2::new(0.5, 2.0)])).separation, 2.0);
    assert_eq!(x.separation(&polygon(&[Vec2::new(-3.0, 0.0)])).normal, Vec2::NEG_X);
}

#[test]
fn bad_points_are_refused_and_bad_directions_harmless() {
    assert_eq!(ConvexPolygon::new(&[]), Err(HullError::Empty));
    let bad = ConvexPolygon::new(&[Vec2::ZERO, Vec2::new(1.0, f64::INFINITY)]);
    assert_eq!(bad, Err(HullError::NotFinite { index: 1, value: f64::INFINITY }));
    let huge = polygon(&[Vec2::splat(-1.7e308), Vec2::splat(1.7e308), Vec2::new(1.7e308, -1.7e308)]);
    for direction in [Vec2::NAN, Vec2::ZERO, Vec2::INFINITY, Vec2::splat(1e308), Vec2::X] {
        assert!(huge.extremal(direction) < 3);
    }
    assert_eq!(huge.corners()[huge.extremal(Vec2::new(0.0, 1.0))], Vec2::splat(1.7e308));
}
