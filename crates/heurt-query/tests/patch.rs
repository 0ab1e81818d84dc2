//! Contact patches of more than four points: the points that a manifold keeps.

use heurt_geometry::Vec3;
use heurt_query::{Contact, ContactPoint, Feature};

fn contact(points: &[([f64; 2], f64)]) -> Contact {
    let point = |(k, ([x, y], separation)): (u32, &([f64; 2], f64))| ContactPoint {
        point: Vec3::new(*x, *y, 0.0),
        normal: Vec3::Z,
        separation: *separation,
        features: [Feature::Corner(k), Feature::Face(0)],
        primitives: [0, 0],
    };
    let deepest = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let points = (0..).zip(points).map(point).collect();
    Contact { separation: deepest, separation_bound: deepest, error: 0.0, normal: Vec3::Z, points }
}

fn kept(points: &[([f64; 2], f64)]) -> Vec<u32> {
    contact(points).patches()[0].indices.to_vec()
}

/// A box that leans: three corners of the common face overlap, three open ones are farther out.
#[test]
fn overlapping_points_come_before_open_ones() {
    let points = [
        ([0.0, 0.0], -0.003),
        ([1.0, 0.0], -0.001),
        ([0.3, 0.8], -0.002),
        ([1.3, 0.4], 0.004),
        ([1.2, 1.1], 0.005),
        ([0.9, 1.3], 0.005),
    ];
    let kept = kept(&points);
    assert!(kept.len() == 4 && [0, 1, 2].iter().all(|k| kept.contains(k)), "{kept:?}");
}

/// The overlapping point next to the deepest one adds no area: the four corners hold the body.
#[test]
fn an_overlapping_point_next_to_a_kept_one_is_left_out() {
    let points =
        [([0.0, 0.0], -0.003), ([0.01, 0.0], -0.003), ([1.0, 0.0], 0.001), ([1.0, 1.0], 0.002), ([0.0, 1.0], 0.001)];
    assert_eq!(kept(&points), [0, 2, 3, 4]);
}

#[test]
fn of_overlapping_points_the_largest_area_is_kept() {
    let corner = |k: u32| {
        let angle = f64::from(k) * std::f64::consts::FRAC_PI_4;
        ([angle.cos(), angle.sin()], -0.001)
    };
    // A regular octagon: a square remains.
    let kept = kept(&(0..8).map(corner).collect::<Vec<_>>());
    assert!(kept == [0, 2, 4, 6] || kept == [1, 3, 5, 7], "{kept:?}");
}
