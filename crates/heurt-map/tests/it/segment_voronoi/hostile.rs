//! Inputs that break floating-point diagrams, and inputs that are refused.

use super::{point, soup, worst_error};
use heurt_geometry::Vec2;
use heurt_map::segment_voronoi::{SegmentVoronoi, SegmentVoronoiError, plan_disc, widest_path};
use heurt_testkit::number::random::Random;
use std::f64::consts::TAU;

fn polygon(corners: usize, turn: f64) -> Vec<[Vec2; 2]> {
    let corner = |k: usize| {
        let (sin, cos) = (turn + (k % corners) as f64 / corners as f64 * TAU).sin_cos();
        point(cos, sin)
    };
    (0..corners).map(|k| [corner(k), corner(k + 1)]).collect()
}

#[test]
fn regular_polygons_meet_in_the_centre() {
    for corners in [3, 4, 5, 6, 7, 8, 12, 17, 64] {
        for turn in [0.0, 0.1, 1.0] {
            let diagram = SegmentVoronoi::new(&[], &polygon(corners, turn)).unwrap();
            assert!(worst_error(&diagram) < 1e-13, "{corners}");
            let apothem = (TAU / 2.0 / corners as f64).cos();
            let largest = diagram.vertices().filter(|vertex| vertex.position.length() < 0.5);
            let largest = largest.map(|vertex| vertex.clearance).fold(0.0, f64::max);
            assert!((largest - apothem).abs() < 1e-13, "{corners}: {largest}");
        }
    }
}

#[test]
fn lattices_stars_and_lines() {
    let mut inputs: Vec<Vec<[Vec2; 2]>> = Vec::new();
    let (mut closed, mut open) = (Vec::new(), Vec::new());
    for k in 0..64 {
        let at = point(f64::from(k % 8), f64::from(k / 8));
        closed.extend((k % 8 < 7).then_some([at, at + Vec2::X]));
        closed.extend((k / 8 < 7).then_some([at, at + Vec2::Y]));
        open.push([at + Vec2::X * 0.25, at + Vec2::X * 0.75]);
        open.push([at + Vec2::Y * 0.25, at + Vec2::Y * 0.75]);
    }
    inputs.extend([closed, open]);
    inputs.push(polygon(40, 0.0).into_iter().map(|[corner, _]| [Vec2::ZERO, corner]).collect());
    inputs.push((0..20).map(|k| [point(f64::from(k), 0.0), point(f64::from(k) + 0.5, 0.0)]).collect());
    inputs.push(
        (0..20).map(|k| [point(f64::from(k), f64::from(k)), point(f64::from(k + 1), f64::from(k + 1))]).collect(),
    );
    inputs.push((0..20).map(|k| [point(0.0, f64::from(k)), point(9.0, f64::from(k))]).collect());
    inputs.push((0..20).map(|k| [point(0.1, 0.3) * f64::from(k), point(0.1, 0.3) * (f64::from(k) + 0.4)]).collect());
    // A saw of thin teeth.
    let tooth = |k: i32| point(f64::from(k) * 1e-4, f64::from(k % 2));
    inputs.push((0..40).map(|k| [tooth(k), tooth(k + 1)]).collect());
    for (number, segments) in inputs.iter().enumerate() {
        let Ok(diagram) = SegmentVoronoi::new(&[], segments) else { panic!("input {number}") };
        assert!(worst_error(&diagram) < 1e-9, "input {number}: {}", worst_error(&diagram));
    }
}

#[test]
fn places_and_sizes() {
    let segments = soup(&mut Random::new(11), 60, 0.4);
    for scale in [1e-6, 1.0, 1e6, 1e50, 1e-30] {
        for offset in [0.0, 1e6] {
            let place = |p: Vec2| (p + Vec2::splat(offset)) * scale;
            let moved: Vec<[Vec2; 2]> = segments.iter().map(|ends| ends.map(place)).collect();
            let diagram = SegmentVoronoi::new(&[], &moved).unwrap();
            // Positions are rounded to the ulps of the place.
            let bound = if offset == 0.0 { 1e-14 } else { 1e-9 };
            assert!(worst_error(&diagram) < bound, "{scale} {offset}");
        }
    }
}

#[test]
fn crossings_and_touches_are_refused_with_their_place() {
    let wall = [point(0.0, 0.0), point(4.0, 0.0)];
    let error = |points: &[Vec2], other: [Vec2; 2]| SegmentVoronoi::new(points, &[wall, other]).unwrap_err();
    let Err(SegmentVoronoiError::Crossing { at, .. }) =
        SegmentVoronoi::new(&[], &[wall, [point(1.0, -1.0), point(3.0, 1.0)]])
    else {
        panic!("a crossing")
    };
    assert_eq!(at, [2.0, 0.0]);
    let touching = |error| matches!(error, SegmentVoronoiError::Touching { at, .. } if at == [1.0, 0.0]);
    assert!(touching(error(&[], [point(1.0, 0.0), point(1.0, 5.0)])), "a T-junction");
    assert!(touching(error(&[], [point(1.0, 0.0), point(9.0, 0.0)])), "an overlap");
    assert!(touching(error(&[], [point(0.0, 0.0), point(1.0, 0.0)])), "an overlap from a shared end");
    assert!(touching(error(&[point(1.0, 0.0)], [point(0.0, 3.0), point(1.0, 3.0)])), "a point on a segment");
    let nearly = [point(1.0, 1e-300), point(1.0, 5.0)];
    assert!(matches!(error(&[], nearly), SegmentVoronoiError::OutOfRange { .. }));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = error(&[], [point(1.0, bad), point(1.0, 5.0)]);
        assert!(matches!(error, SegmentVoronoiError::NotFinite { .. }));
    }
    assert!(matches!(error(&[], [point(1e60, 1.0), point(1.0, 5.0)]), SegmentVoronoiError::OutOfRange { .. }));
    assert_eq!(SegmentVoronoi::new(&[], &[]).unwrap_err(), SegmentVoronoiError::Empty);
}

#[test]
fn a_hair_is_no_touch() {
    let wall = [point(0.0, 0.0), point(4.0, 0.0)];
    let above = |hair: f64| SegmentVoronoi::new(&[], &[wall, [point(1.0, hair), point(1.0, 5.0)]]);
    for hair in [1e-10, 1e-8, 1e-6] {
        let diagram = above(hair).unwrap();
        assert!(worst_error(&diagram) < 1e-9, "{hair} {}", worst_error(&diagram));
        let (radius, _) = widest_path(&diagram, point(0.5, 1.0), point(1.5, 1.0)).unwrap();
        assert_eq!(radius, 0.5);
    }
    for hair in [1e-40, 1e-30, 1e-20, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12] {
        let error = above(hair).unwrap_err();
        assert!(matches!(error, SegmentVoronoiError::TooNear { at, .. } if at == [1.0, hair]), "{hair} {error}");
    }
}

/// The least distance of an end or point from a segment that does not end there, as a share of the longest segment.
fn least_gap(points: &[Vec2], segments: &[[Vec2; 2]]) -> f64 {
    let longest = segments.iter().map(|[a, b]| (*b - *a).length()).fold(0.0, f64::max);
    let gap = |p: Vec2, [a, b]: [Vec2; 2]| {
        let along = b - a;
        let share = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        if share > 0.0 && share < 1.0 { (along.perp_dot(p - a) / along.length()).abs() } else { f64::INFINITY }
    };
    let ends = points.iter().chain(segments.iter().flatten());
    ends.flat_map(|&p| segments.iter().map(move |&segment| gap(p, segment))).fold(f64::INFINITY, f64::min) / longest
}

#[test]
fn whole_coordinates_never_panic() {
    let mut random = Random::new(99);
    let (mut accepted, mut refused, mut wrong) = (0, 0, [0, 0, 0]);
    for _ in 0..20_000 {
        let size = random.whole(1, 5);
        let scale = [1.0, 0.1, 1e-6, 1e6 / 3.0][random.whole(0, 3) as usize];
        let origin = if random.one_in(3) { 1e6 } else { 0.0 };
        let corner = |random: &mut Random| {
            point(random.whole(0, size) as f64 * scale + origin, random.whole(0, size) as f64 * scale)
        };
        let count = random.whole(1, 9);
        let segments: Vec<[Vec2; 2]> = (0..count).map(|_| [0; 2].map(|_| corner(&mut random))).collect();
        let points: Vec<Vec2> = (0..random.whole(0, 3)).map(|_| corner(&mut random)).collect();
        let Ok(diagram) = SegmentVoronoi::new(&points, &segments) else {
            refused += 1;
            continue;
        };
        accepted += 1;
        // Coordinates 1e6 off the origin are rounded to 1e-10; the smallest extent here is 1e-6.
        let bound = if origin > 0.0 { 1e-3 } else { 1e-12 };
        // An end that should be on a segment is off it by the rounding.
        let kind = if origin == 0.0 { 0 } else { 1 + usize::from(least_gap(&points, &segments) < 1e-8) };
        wrong[kind] += usize::from(worst_error(&diagram) >= bound);
        let ends = [corner(&mut random) + Vec2::splat(0.3 * scale), corner(&mut random) + Vec2::splat(0.6 * scale)];
        if let Some((radius, path)) = widest_path(&diagram, ends[0], ends[1]) {
            assert!(path.least_clearance >= radius * (1.0 - 1e-9));
            assert!(plan_disc(&diagram, ends[0], ends[1], radius).is_some());
        }
    }
    assert!(accepted > 1000 && refused > 1000, "{accepted} {refused}");
    // Ends that nearly touch a segment: see "Not guaranteed" of the module.
    assert!(wrong[0] == 0 && wrong[1] == 0 && wrong[2] <= 5, "{accepted} {wrong:?}");
}

#[test]
fn the_same_input_gives_the_same_output() {
    let segments = soup(&mut Random::new(5), 80, 0.3);
    let [first, second] = [0; 2].map(|_| SegmentVoronoi::new(&[], &segments).unwrap());
    assert!(first.arcs().eq(second.arcs()) && first.vertices().eq(second.vertices()));
}
