//! Convex polygons that move past each other (S1): when they touch first and last, and what of them does.

use heurt_geometry::{ConvexPolygon, PolygonContactInterval, PolygonFeature, Vec2};
use heurt_testkit::number::random::Random;
use std::f64::consts::{FRAC_PI_4, SQRT_2};

fn polygon(points: &[[f64; 2]]) -> ConvexPolygon {
    ConvexPolygon::new(&points.iter().copied().map(Vec2::from_array).collect::<Vec<_>>()).unwrap()
}

fn moved(polygon: &ConvexPolygon, angle: f64, by: Vec2) -> ConvexPolygon {
    let turn = Vec2::from_angle(angle);
    ConvexPolygon::new(&polygon.corners().iter().map(|&corner| turn.rotate(corner) + by).collect::<Vec<_>>()).unwrap()
}

/// The corners of what is told.
fn corners(polygon: &ConvexPolygon, feature: PolygonFeature) -> Vec<Vec2> {
    let at = |k: usize| polygon.corners()[k % polygon.corners().len()];
    match feature {
        PolygonFeature::Corner(k) => vec![at(k)],
        PolygonFeature::Edge(k) => vec![at(k), at(k + 1)],
    }
}

fn sorted(mut points: Vec<Vec2>) -> Vec<[f64; 2]> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    points.into_iter().map(|p| p.to_array()).collect()
}

const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

/// The two squares of S1: the second comes down from δ above and goes along by as much.
#[test]
fn the_squares_of_the_course_touch_edge_on_edge() {
    let square = polygon(&SQUARE);
    for delta in [0.25, 0.5, 0.999, 1.0, 1.0 + 1e-9, 1.5] {
        let above = moved(&square, 0.0, Vec2::new(0.0, 1.0 + delta));
        let found = square.passage(&above, Vec2::new(1.0, -1.0));
        assert_eq!(found.is_some(), delta <= 1.0, "{delta}: {found:?}");
        let Some(PolygonContactInterval { first, last, normal, features }) = found else { continue };
        assert!((first - delta).abs() < 1e-12 && (last - 1.0).abs() < 1e-12, "{delta}: {found:?}");
        assert_eq!(normal, Some(Vec2::Y));
        let [below, over] = features.unwrap();
        assert_eq!(sorted(corners(&square, below)), [[0.0, 1.0], [1.0, 1.0]]);
        assert_eq!(sorted(corners(&above, over)), [[0.0, 1.0 + delta], [1.0, 1.0 + delta]]);
    }
    let touching = square.passage(&moved(&square, 0.0, Vec2::Y), Vec2::new(1.0, -1.0)).unwrap();
    assert_eq!((touching.first, touching.normal, touching.features), (0.0, None, None));
}

#[test]
fn a_corner_meets_an_edge_and_edges_meet_however_they_are_turned() {
    let square = polygon(&SQUARE);
    // Stands on its corner, half a diagonal under its middle.
    let turned = moved(&square, FRAC_PI_4, Vec2::new(0.5, 2.0));
    let found = square.passage(&turned, -Vec2::Y).unwrap();
    assert!((found.first - 1.0).abs() < 1e-15 && found.normal == Some(Vec2::Y), "{found:?}");
    let [below, over] = found.features.unwrap();
    assert!(matches!(below, PolygonFeature::Edge(_)) && sorted(corners(&square, below)) == [[0.0, 1.0], [1.0, 1.0]]);
    assert!(matches!(over, PolygonFeature::Corner(_)) && corners(&turned, over) == [Vec2::new(0.5, 2.0)]);
    assert!((found.last - 1.0 - 1.0 - SQRT_2).abs() < 1e-12, "{found:?}");
    // Both turned alike: roundings tilt the edges against each other by some ulp.
    for k in 0..100 {
        let angle = 0.1 + f64::from(k);
        let up = Vec2::from_angle(angle).perp();
        let (low, high) = (moved(&square, angle, Vec2::ZERO), moved(&square, angle, 1.5 * up));
        let found = low.passage(&high, -up).unwrap();
        assert!((found.first - 0.5).abs() < 1e-14, "{found:?}");
        assert!(found.features.unwrap().iter().all(|it| matches!(it, PolygonFeature::Edge(_))), "{angle}: {found:?}");
    }
}

/// How far two points or segments are apart that lie on parallel lines or end on each other.
fn distance(p: &[Vec2], q: &[Vec2]) -> f64 {
    let foot = |x: Vec2, on: &[Vec2]| {
        let edge = on[on.len() - 1] - on[0];
        let at = if edge == Vec2::ZERO { 0.0 } else { ((x - on[0]).dot(edge) / edge.length_squared()).clamp(0.0, 1.0) };
        (x - on[0] - edge * at).length()
    };
    let distances = p.iter().map(|&x| foot(x, q)).chain(q.iter().map(|&x| foot(x, p)));
    distances.fold(f64::INFINITY, f64::min)
}

/// At the first time what is told of both is there together, and nothing of either lies beyond it.
#[test]
fn what_is_told_touches_first() {
    let mut random = Random::new(11);
    let (mut hits, mut edges) = (0, [0; 3]);
    for round in 0..20_000 {
        let is_whole = round % 2 == 0;
        let shape = |random: &mut Random| {
            let point = |random: &mut Random| match is_whole {
                true => Vec2::new(random.whole(-3, 3) as f64, random.whole(-3, 3) as f64),
                false => Vec2::new(random.between(-3.0, 3.0), random.between(-3.0, 3.0)),
            };
            let count = random.whole(1, 8);
            ConvexPolygon::new(&(0..count).map(|_| point(random)).collect::<Vec<_>>()).unwrap()
        };
        let angle = if round % 4 < 2 { 0.0 } else { random.between(0.0, 6.0) };
        let far = if round % 3 == 0 { Vec2::new(1e4, -3e3) } else { Vec2::ZERO };
        let a = moved(&shape(&mut random), angle, far);
        let b = moved(&shape(&mut random), angle, far + Vec2::new(8.0, random.whole(-4, 4) as f64));
        let velocity = Vec2::new(-4.0, random.whole(-2, 2) as f64);
        let Some(found) = a.passage(&b, velocity) else { continue };
        let (Some(normal), Some([of_a, of_b])) = (found.normal, found.features) else {
            assert!(found.normal.is_none() && found.features.is_none());
            continue;
        };
        hits += 1;
        let (of_a, of_b) = (corners(&a, of_a), corners(&b, of_b));
        let of_b_then: Vec<Vec2> = of_b.iter().map(|&corner| corner + velocity * found.first).collect();
        assert!(distance(&of_a, &of_b_then) < 1e-5, "{found:?} {a:?} {b:?} {velocity}");
        for (polygon, touching_corners, towards) in [(&a, &of_a, normal), (&b, &of_b, -normal)] {
            let highest = polygon.corners().iter().map(|corner| corner.dot(towards)).fold(f64::NEG_INFINITY, f64::max);
            assert!(
                touching_corners.iter().all(|corner| highest - corner.dot(towards) < 1e-5),
                "{found:?} {a:?} {b:?}"
            );
        }
        edges[of_a.len() + of_b.len() - 2] += 1;
    }
    assert!(hits > 5_000 && edges.iter().all(|&count| count > 100), "{hits} {edges:?}");
}
