//! What of two polyhedra touches first, as the separating axes tell.

use super::{at, linear};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_query::algorithm::{Passing, cast_by_separating_axes};
use heurt_query::{CastOptions, Feature, distance};
use heurt_shape::{Convex, Core, Hull};
use heurt_testkit::number::random::Random;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_8};

fn pass(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose, motion_b: &Motion) -> Option<Passing> {
    let options = CastOptions { max_time: 10.0, tolerance: None };
    let passing = cast_by_separating_axes(a, pose_a, &Motion::STILL, b, pose_b, motion_b, &options);
    passing.unwrap().expect("solid hulls that go straight on")
}

fn hull(convex: &Convex) -> &Hull {
    match convex.core() {
        Core::Hull(hull) => hull,
        core => panic!("{core:?}"),
    }
}

/// Where the corners of a feature are.
fn placed(convex: &Convex, pose: &Pose, feature: Feature) -> Vec<Vec3> {
    let hull = hull(convex);
    feature.corners_of(hull).into_iter().map(|corner| pose.place(hull.corners()[corner as usize])).collect()
}

fn is_at(found: &Passing, time: f64) {
    let impact = &found.impact;
    let is_within = impact.time <= time && time <= impact.time_upper && impact.time_upper - impact.time < 1e-12;
    assert!(is_within, "{time}: {found:?}");
}

fn cube() -> Convex {
    Convex::cuboid(Vec3::splat(0.5)).unwrap()
}

/// A turn by `angle` about an axis, then the way to a place.
fn turned(axis: Vec3, angle: f64, place: Vec3) -> Pose {
    let [x, y, z] = (axis.normalize() * (0.5 * angle).sin()).to_array();
    Pose::from_quaternion([x, y, z, (0.5 * angle).cos()], place).unwrap()
}

/// S1: what is an edge of both squares is a facet of both boxes.
#[test]
fn the_squares_of_the_course_touch_with_what_faces_the_other() {
    let (square, pose_a) = (cube(), at(0.5, 0.5, 0.0));
    for delta in [0.25, 0.5, 0.999, 1.0] {
        let pose_b = at(0.5, 1.5 + delta, 0.0);
        let found = pass(&square, &pose_a, &square, &pose_b, &linear(1.0, -1.0, 0.0)).unwrap();
        let [a, b] = found.features.unwrap();
        assert!(matches!((a, b), (Feature::Face(_), Feature::Face(_))), "{found:?}");
        assert!(placed(&square, &pose_a, a).iter().all(|corner| corner.y == 1.0));
        assert!(placed(&square, &pose_b, b).iter().all(|corner| corner.y == 1.0 + delta));
    }
    let touching = pass(&square, &pose_a, &square, &at(0.5, 1.5, 0.0), &linear(1.0, -1.0, 0.0)).unwrap();
    assert_eq!((touching.impact.time, touching.impact.normal, touching.features), (0.0, None, None));
}

#[test]
fn a_corner_meets_a_face_and_an_edge_meets_an_edge() {
    let cube = cube();
    // On its corner: the diagonal (1, 1, 1) is turned into z.
    let diagonal = Vec3::ONE.normalize();
    let on_corner = turned(diagonal.cross(Vec3::Z), diagonal.z.acos(), Vec3::new(0.1, 0.2, 3.0));
    let found = pass(&cube, &Pose::IDENTITY, &cube, &on_corner, &linear(0.0, 0.0, -1.0)).unwrap();
    is_at(&found, 2.5 - 0.75f64.sqrt());
    let [a, b] = found.features.unwrap();
    assert!(matches!((a, b), (Feature::Face(_), Feature::Corner(_))), "{found:?}");
    assert!(placed(&cube, &Pose::IDENTITY, a).iter().all(|corner| corner.z == 0.5));
    let lowest = placed(&cube, &on_corner, b)[0];
    assert!((lowest - Vec3::new(0.1, 0.2, 3.0 - 0.75f64.sqrt())).length() < 1e-14, "{lowest}");

    // On edges that cross.
    let (along_x, along_y) = (turned(Vec3::X, 2.0 * FRAC_PI_8, Vec3::ZERO), Vec3::new(0.1, -0.2, 3.0));
    let along_y = turned(Vec3::Y, 2.0 * FRAC_PI_8, along_y);
    let found = pass(&cube, &along_x, &cube, &along_y, &linear(0.0, 0.0, -1.0)).unwrap();
    is_at(&found, 3.0 - 2.0 * FRAC_1_SQRT_2);
    let [a, b] = found.features.unwrap();
    assert!(matches!((a, b), (Feature::Edge(..), Feature::Edge(..))), "{found:?}");
    let is_on = |corner: &Vec3, x: f64, y: f64, z: f64| (*corner - Vec3::new(x, y, z)).length() < 1e-14;
    let of_a = placed(&cube, &along_x, a);
    assert!(of_a.iter().all(|corner| is_on(corner, 0.5f64.copysign(corner.x), 0.0, FRAC_1_SQRT_2)), "{of_a:?}");
    let of_b = placed(&cube, &along_y, b);
    let (low, ends) = (3.0 - FRAC_1_SQRT_2, |corner: &Vec3| 0.5f64.copysign(corner.y + 0.2) - 0.2);
    assert!(of_b.iter().all(|corner| is_on(corner, 0.1, ends(corner), low)), "{of_b:?}");
    assert_ne!(of_a[0], of_a[1]);
    assert_ne!(of_b[0], of_b[1]);
}

/// A lid whose halves are tilted by a hair touches with the half that is over the other shape.
#[test]
fn of_facets_that_are_as_far_the_one_at_the_place_is_told() {
    let roof = |x: f64| [[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0], [x, 1.0, 1.0]];
    let ridge = [[0.0, 0.0, 1.0 + 1e-10], [0.0, 1.0, 1.0 + 1e-10]];
    let corners: Vec<Vec3> = [roof(-1.0), roof(1.0)].concat().into_iter().chain(ridge).map(Vec3::from_array).collect();
    let lid = Convex::hull(&corners).unwrap();
    let small = Convex::cuboid(Vec3::splat(0.1)).unwrap();
    for x in [-0.8, -0.3, 0.3, 0.8] {
        let found = pass(&lid, &Pose::IDENTITY, &small, &at(x, 0.5, 2.0), &linear(0.0, 0.0, -1.0)).unwrap();
        let [a, _] = found.features.unwrap();
        let corners = placed(&lid, &Pose::IDENTITY, a);
        let [least, most] = [f64::min, f64::max].map(|of| corners.iter().map(|corner| corner.x).reduce(of).unwrap());
        assert!(least <= x && x <= most && corners.iter().all(|corner| corner.z > 0.9), "{x}: {found:?} {corners:?}");
    }
}

/// At the first time what is told of both is there together, and nothing of either lies beyond it.
#[test]
fn what_is_told_touches_first() {
    let mut random = Random::new(12);
    let (mut hits, mut untold, mut kinds) = (0, 0, [[0; 3]; 3]);
    for number in 0..3000 {
        let size = [1.0, 1e-3, 1e4][number % 3];
        let is_aligned = random.one_in(3);
        let shape = |random: &mut Random| {
            let corners: Vec<Vec3> = match is_aligned {
                true => (0..8).map(|k| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect(),
                false => (0..random.whole(4, 12)).map(|_| random.vector(0.7)).collect(),
            };
            Convex::hull(&corners.iter().map(|&corner| corner * size).collect::<Vec<_>>()).unwrap()
        };
        let (a, b) = (shape(&mut random), shape(&mut random));
        let far = if random.one_in(3) { random.vector(1e3 * size) } else { Vec3::ZERO };
        // Aligned ones are turned alike.
        let turn = random.pose(0.0);
        let grid = |random: &mut Random| Vec3::from_array([0, 1, 2].map(|_| random.whole(-3, 3) as f64));
        let place = |random: &mut Random, offset: Vec3| match is_aligned {
            true => Pose::from_matrix(*turn.rotation(), far + *turn.rotation() * (grid(random) + offset) * size),
            false => Pose::from_matrix(*random.pose(0.0).rotation(), far + (random.vector(1.0) + offset) * size),
        };
        let pose_a = place(&mut random, Vec3::ZERO).unwrap();
        let pose_b = place(&mut random, 3.0 * Vec3::Z).unwrap();
        let aside = if is_aligned { *turn.rotation() * grid(&mut random) * 0.5 } else { random.vector(0.5) };
        let velocity = pose_a.translation() - pose_b.translation() + aside * size;
        let Some(found) = pass(&a, &pose_a, &b, &pose_b, &Motion::linear(velocity).unwrap()) else { continue };
        let Some([of_a, of_b]) = found.features else {
            untold += u32::from(found.impact.time > 0.0);
            continue;
        };
        let (then, normal) = (pose_b.shifted(velocity * found.impact.time).unwrap(), found.impact.normal.unwrap());
        for (convex, pose, local_corners, towards) in [(&a, &pose_a, of_a, normal), (&b, &then, of_b, -normal)] {
            let heights = hull(convex).corners().iter().map(|&corner| pose.place(corner).dot(towards));
            let highest = heights.fold(f64::NEG_INFINITY, f64::max);
            let local_corners = placed(convex, pose, local_corners);
            assert!(!local_corners.is_empty());
            assert!(
                local_corners.iter().all(|corner| highest - corner.dot(towards) < 1e-5 * size),
                "{number}: {found:?}"
            );
        }
        let [x, y] =
            [placed(&a, &pose_a, of_a), placed(&b, &then, of_b)].map(|corners| Convex::hull(&corners).unwrap());
        let gap = distance(&x, &Pose::IDENTITY, &y, &Pose::IDENTITY).distance;
        assert!(gap < 1e-5 * size, "{number}: {gap} {found:?}");
        let kind = |feature: Feature| match feature {
            Feature::Corner(_) => 0,
            Feature::Edge(..) => 1,
            _ => 2,
        };
        kinds[kind(of_a)][kind(of_b)] += 1;
        hits += 1;
    }
    let [corner, edge, face] = kinds;
    // Of what is turned at random a corner meets a face or an edge an edge.
    assert!(untold * 50 < hits, "{untold} of {hits}");
    assert!(hits > 800 && corner[2] > 100 && face[0] > 100 && edge[1] > 100 && face[2] > 50, "{hits} {kinds:?}");
}
