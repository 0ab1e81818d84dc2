//! Compounds on their way, against their parts one by one.

use super::{Flight, at, convex, linear, mesh, motion};
use crate::forms::counted;
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_query::{Budget, CastOptions, Impact, cast_with};
use heurt_shape::{Compound, Convex, Part, Shape, ShapeRef};
use heurt_testkit::number::random::Random;

/// A part by itself, moving as the whole does.
fn by_itself(part: &Part, pose: &Pose, motion: &Motion) -> (Pose, Motion) {
    let rotation = part.pose.rotation().inverse();
    let pivot = rotation * (motion.pivot() - part.pose.translation());
    (pose.compose(&part.pose), motion.about(pivot).unwrap())
}

/// Compounds against all pairs of their parts, one by one.
#[test]
fn compounds_meet_when_the_first_of_their_parts_do() {
    let mut random = Random::new(8);
    let (mut hits, mut all) = (0, 0);
    for number in 0..250 {
        let compound = |random: &mut Random, most: i64| {
            let parts: Vec<(Shape, Pose)> = (0..random.whole(1, most))
                .map(|_| {
                    let shape: Shape = if random.one_in(4) { mesh(random).into() } else { convex(random).into() };
                    (shape, random.pose(4.0))
                })
                .collect();
            Compound::new(parts).unwrap()
        };
        let a = compound(&mut random, 24);
        let other: Shape = match number % 4 {
            0 => mesh(&mut random).into(),
            1 => compound(&mut random, 12).into(),
            2 => Convex::half_space(random.vector(1.0), -3.0).unwrap().into(),
            _ => convex(&mut random).into(),
        };
        let (pose_a, pose_b) = (random.pose(1.0), random.pose(9.0));
        let offset = pose_b.translation() - pose_a.translation();
        let motion_b = if number % 4 == 2 { Motion::STILL } else { motion(&mut random, -offset * 0.5) };
        let flight = Flight {
            a: (&a).into(),
            pose_a,
            motion_a: motion(&mut random, offset * 0.6),
            b: (&other).into(),
            pose_b,
            motion_b,
        };
        let options = CastOptions { max_time: random.between(0.5, 2.0), tolerance: Some(1e-6) };
        let found = flight.cast(&options);
        let of_b: Vec<(ShapeRef, Pose, Motion)> = match &other {
            Shape::Compound(compound) => compound
                .parts()
                .iter()
                .map(|part| {
                    let (pose, motion) = by_itself(part, &flight.pose_b, &flight.motion_b);
                    ((&part.shape).into(), pose, motion)
                })
                .collect(),
            shape => vec![(shape.into(), flight.pose_b, flight.motion_b)],
        };
        let mut first: Option<[f64; 2]> = None;
        for part in a.parts() {
            let (pose_a, motion_a) = by_itself(part, &flight.pose_a, &flight.motion_a);
            for (b, pose_b, motion_b) in &of_b {
                let pair =
                    Flight { a: (&part.shape).into(), pose_a, motion_a, b: *b, pose_b: *pose_b, motion_b: *motion_b };
                let Some(Impact { time, time_upper, .. }) = pair.cast(&options) else { continue };
                first = Some(first.map_or([time, time_upper], |[x, y]| [x.min(time), y.min(time_upper)]));
            }
        }
        assert_eq!(found.is_some(), first.is_some(), "pair {number}: {found:?} {first:?}");
        let Some((found, [least, most])) = found.zip(first) else {
            all += 1;
            continue;
        };
        // Parts are placed in another order of roundings.
        let is_one = found.time <= most + 1e-11 && least <= found.time_upper + 1e-11;
        assert!(is_one, "pair {number}: {found:?} {least} {most}");
        assert!(found.time == 0.0 || flight.distance(found.time) <= 1e-6, "pair {number}: {found:?}");
        (hits, all) = (hits + 1, all + 1);
    }
    assert!(hits * 3 > all && hits < all, "{hits} of {all} hit");
}

/// A thousand parts in rows, of which few are on the way.
#[test]
fn parts_that_are_far_apart_are_not_asked() {
    let ball = Convex::sphere(0.2).unwrap();
    let place = |k: i32| at(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100));
    let parts: Vec<(Shape, Pose)> = (0..1000).map(|k| (ball.clone().into(), place(k))).collect();
    let many = Compound::new(parts).unwrap();
    let cast_spinning = |y: f64, spin: f64| {
        let motion = Motion::screw(Vec3::new(-4.0, 0.0, 0.0), Vec3::new(0.0, 0.0, spin)).unwrap();
        let rod = Convex::cuboid(Vec3::new(0.1, 0.1, 0.1)).unwrap();
        let options = CastOptions { max_time: 10.0, tolerance: None };
        let start = at(20.0, y, 5.0);
        cast_with(&many, &Pose::IDENTITY, &Motion::STILL, &rod, &start, &motion, &options, &Budget::default())
            .map(counted)
            .unwrap()
    };
    for spin in [0.0, 1.0] {
        let (hit, work) = cast_spinning(4.1, spin);
        let hit = hit.expect("a ball is on the way");
        assert_eq!(hit.primitives, Some([549, 0]), "{hit:?}");
        assert!(work.primitives < 64 && work.volumes < 1000, "{work:?}");
        let (miss, work) = cast_spinning(11.0, spin);
        assert!(miss.is_none() && work.primitives < 16 && work.volumes < 200, "{miss:?} {work:?}");
    }
    let ground = Convex::half_space(Vec3::Z, -5.0).unwrap();
    let rise = linear(0.0, 0.0, 1.0);
    let options = CastOptions { max_time: 10.0, tolerance: None };
    let (miss, work) = cast_with(
        &many,
        &Pose::IDENTITY,
        &rise,
        &ground,
        &Pose::IDENTITY,
        &Motion::STILL,
        &options,
        &Budget::default(),
    )
    .map(counted)
    .unwrap();
    assert!(miss.is_none() && work.primitives < 1100, "{miss:?} {work:?}");
}
