//! `cast`: never late, never missing, no earlier than the tolerance, for every pair of shapes and every motion.

mod compounds;
mod features;
mod straight;
mod within_budget;

use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::generate::{self, Superellipsoid, Supertoroid};
use heurt_query::{
    CastError, CastLimit, CastOptions, Impact, Swept, SweptError, algorithm, cast, cast_by_samples, distance, overlap,
    swept_overlap,
};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, ShapeRef, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use heurt_testkit::test_size;
use std::sync::Arc;

/// Two shapes, where they start and how they move.
#[derive(Clone, Copy)]
struct Flight<'a> {
    a: ShapeRef<'a>,
    pose_a: Pose,
    motion_a: Motion,
    b: ShapeRef<'a>,
    pose_b: Pose,
    motion_b: Motion,
}

impl Flight<'_> {
    fn cast(&self, options: &CastOptions) -> Option<Impact> {
        cast(self.a, &self.pose_a, &self.motion_a, self.b, &self.pose_b, &self.motion_b, options).unwrap()
    }

    fn at(&self, time: f64) -> [Pose; 2] {
        [self.motion_a.pose_at(&self.pose_a, time).unwrap(), self.motion_b.pose_at(&self.pose_b, time).unwrap()]
    }

    fn overlaps(&self, time: f64) -> bool {
        let [a, b] = self.at(time);
        overlap(self.a, &a, self.b, &b).is_some()
    }

    fn distance(&self, time: f64) -> f64 {
        let [a, b] = self.at(time);
        distance(self.a, &a, self.b, &b).distance
    }

    fn swapped(&self) -> Flight<'_> {
        Flight {
            a: self.b,
            pose_a: self.pose_b,
            motion_a: self.motion_b,
            b: self.a,
            pose_b: self.pose_a,
            motion_b: self.motion_a,
        }
    }

    /// The contract of an answer against dense samples; tells whether it is a hit.
    fn check(&self, options: &CastOptions, tolerance: f64, samples: u32, what: &str) -> bool {
        let until = options.max_time;
        let found = self.cast(options);
        let free_until = found.map_or(until.next_up(), |found| found.time);
        for k in 0..=samples {
            let time = until * f64::from(k) / f64::from(samples);
            assert!(time >= free_until || !self.overlaps(time), "{what}: they overlap at {time}, told {found:?}");
        }
        let Some(Impact { time, time_upper, .. }) = found else { return false };
        assert!((0.0..=until).contains(&time) && (time..=until).contains(&time_upper), "{what}: {found:?}");
        if time == 0.0 && time_upper == 0.0 {
            assert!(self.overlaps(0.0), "{what}");
            return true;
        }
        let gap = self.distance(time);
        assert!(gap <= tolerance, "{what}: {gap} apart at {found:?}");
        assert!(time_upper == until || self.overlaps(time_upper), "{what}: free at the upper bound of {found:?}");
        for k in 1..=20 {
            let before = time * (1.0 - 1e-3 * f64::from(k) * f64::from(k) / 400.0);
            assert!(before >= time || !self.overlaps(before), "{what}: they overlap at {before}, told {found:?}");
        }
        true
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn linear(x: f64, y: f64, z: f64) -> Motion {
    Motion::linear(Vec3::new(x, y, z)).unwrap()
}

/// A motion of one of all kinds that leads about `towards`.
fn motion(random: &mut Random, towards: Vec3) -> Motion {
    let velocity = towards + random.vector(0.3 * towards.length());
    match random.whole(0, 4) {
        0 => Motion::linear(velocity).unwrap(),
        1 => Motion::ballistic(velocity, random.vector(3.0)).unwrap(),
        2 => Motion::screw(velocity, random.vector(4.0)).unwrap(),
        3 => Motion::screw(velocity, random.vector(20.0)).unwrap().about(random.vector(0.5)).unwrap(),
        _ => Motion::STILL,
    }
}

fn convex(random: &mut Random) -> Convex {
    let size = random.between(0.2, 0.8);
    let corners: Vec<Vec3> = (0..random.whole(1, 24)).map(|_| random.vector(size)).collect();
    match random.whole(0, 8) {
        0 => Convex::sphere(size),
        1 => Convex::capsule(0.3 * size, size),
        2 => Convex::cylinder(size, 0.5 * size),
        3 => Convex::cone(size, size),
        4 => Convex::ellipsoid(Vec3::new(size, 0.3 * size, 0.6 * size)),
        5 => Convex::cuboid(Vec3::new(size, 0.1 * size, 0.5 * size)),
        6 => Convex::hull(&corners).and_then(|hull| hull.with_margin(0.1 * size)),
        _ => Convex::hull(&corners),
    }
    .unwrap()
}

fn mesh(random: &mut Random) -> MeshShape {
    let mesh = match random.whole(0, 3) {
        0 => generate::torus(0.5, 0.2, 24, 12),
        1 => generate::uv_sphere(0.5, 16),
        2 => generate::cuboid([0.5, 0.3, 0.1]),
        _ => generate::uv_sphere(0.4, 5),
    };
    MeshShape::new(mesh.unwrap()).unwrap()
}

fn superquadric(random: &mut Random) -> SuperquadricShape {
    let mut power = || random.between(0.5, 3.0);
    let (p, q) = (power(), power());
    let exact: SuperquadricShape = match random.whole(0, 1) {
        0 => Superquadric::Ellipsoid(Superellipsoid::new([0.5, 0.35, 0.25], p, q).unwrap()),
        _ => Superquadric::Toroid(Supertoroid::new(0.4, 0.15, p, q).unwrap()),
    }
    .into();
    exact.with_margin(0.03 * random.whole(0, 1) as f64).unwrap()
}

fn any(random: &mut Random) -> Shape {
    match random.whole(0, 9) {
        0..=2 => convex(random).into(),
        3..=5 => mesh(random).into(),
        6 | 7 => RoundedMesh::new(Arc::new(mesh(random)), 0.05).unwrap().into(),
        8 => superquadric(random).into(),
        _ => {
            let parts = [(convex(random).into(), random.pose(0.5)), (mesh(random).into(), random.pose(0.5))];
            Compound::new(parts).unwrap().into()
        }
    }
}

/// The two squares of S1, as boxes: one moves down and along, and meets the other where δ ≤ 1.
#[test]
fn moving_squares_meet_as_the_course_says() {
    let square = Convex::cuboid(Vec3::new(0.5, 0.5, 0.5)).unwrap();
    for delta in [0.0, 0.25, 0.5, 0.999, 1.0, 1.0 + 1e-9, 1.5] {
        let flight = Flight {
            a: (&square).into(),
            pose_a: at(0.5, 0.5, 0.0),
            motion_a: Motion::STILL,
            b: (&square).into(),
            pose_b: at(0.5, 1.5 + delta, 0.0),
            motion_b: linear(1.0, -1.0, 0.0),
        };
        let found = flight.cast(&CastOptions { max_time: 3.0, tolerance: Some(1e-13) });
        match found {
            Some(found) if delta <= 1.0 => {
                assert!((found.time - delta).abs() <= 1e-12 && found.time <= delta, "{delta}: {found:?}");
                assert!((found.time_upper - delta).abs() <= 1e-12, "{delta}: {found:?}");
            }
            None if delta > 1.0 => {}
            found => panic!("{delta}: {found:?}"),
        }
        let velocity = flight.motion_b.velocity();
        let by_axes = algorithm::passage_by_separating_axes(&square, &flight.pose_a, &square, &flight.pose_b, velocity);
        let passage = by_axes.expect("solid hulls");
        assert_eq!(passage.is_some(), delta <= 1.0, "{delta}: {passage:?}");
        let options = CastOptions { max_time: 3.0, tolerance: None };
        let by_axes = algorithm::cast_by_separating_axes(
            &square,
            &flight.pose_a,
            &Motion::STILL,
            &square,
            &flight.pose_b,
            &flight.motion_b,
            &options,
        );
        let passing = by_axes.unwrap().expect("solid hulls that go straight on");
        assert_eq!(passing.is_some(), delta <= 1.0, "{delta}: {passing:?}");
        if let (Some(passage), Some(passing)) = (passage, passing) {
            assert!(
                (passage.first - delta).abs() <= 1e-12 && (passage.last - 1.0).abs() <= 1e-12,
                "{delta}: {passage:?}"
            );
            let Impact { time, time_upper, .. } = passing.impact;
            assert!(time <= delta && delta <= time_upper && time_upper - time <= 1e-12, "{delta}: {passing:?}");
            assert_eq!(passing.last, passage.last);
        }
    }
}

#[test]
fn convex_shapes_meet_no_sooner_and_no_later() {
    let mut random = Random::new(1);
    let (mut hits, mut all) = (0, 0);
    for number in 0..3000 {
        let (a, b) = (convex(&mut random), convex(&mut random));
        let (pose_a, pose_b) = (random.pose(1.0), random.pose(3.0));
        let offset = pose_b.translation() - pose_a.translation();
        let (motion_a, motion_b) = (motion(&mut random, offset), motion(&mut random, -offset * 0.5));
        let flight = Flight { a: (&a).into(), pose_a, motion_a, b: (&b).into(), pose_b, motion_b };
        let options = CastOptions { max_time: random.between(0.1, 3.0), tolerance: Some(1e-6) };
        hits += u32::from(flight.check(&options, 1e-6, 100, &format!("pair {number}")));
        all += 1;
        if number % 10 == 0 {
            flight.swapped().check(&options, 1e-6, 10, &format!("swapped pair {number}"));
        }
    }
    assert!(hits * 3 > all && hits < all, "{hits} of {all} hit");
}

#[test]
fn any_shapes_meet_no_sooner_and_no_later() {
    let mut random = Random::new(2);
    let (mut hits, mut all) = (0, 0);
    for number in 0..test_size("HEURT_CASTS", 600) {
        let (a, b) = (any(&mut random), any(&mut random));
        let (pose_a, pose_b) = (random.pose(1.0), random.pose(3.0));
        let offset = pose_b.translation() - pose_a.translation();
        let (motion_a, motion_b) = (motion(&mut random, offset), motion(&mut random, -offset * 0.5));
        let flight = Flight { a: (&a).into(), pose_a, motion_a, b: (&b).into(), pose_b, motion_b };
        let options = CastOptions { max_time: random.between(0.1, 2.0), tolerance: Some(1e-5) };
        hits += u32::from(flight.check(&options, 1e-5, 60, &format!("pair {number}")));
        all += 1;
        if number % 10 == 0 {
            flight.swapped().check(&options, 1e-5, 10, &format!("swapped pair {number}"));
        }
    }
    assert!(hits * 3 > all && hits < all, "{hits} of {all} hit");
}

#[test]
fn a_plane_is_met_by_everything_that_falls() {
    let mut random = Random::new(3);
    for number in 0..200 {
        let ground = Convex::half_space(Vec3::Z, 0.0).unwrap();
        let shape = any(&mut random);
        let spin = random.vector(5.0);
        let flight = Flight {
            a: (&ground).into(),
            pose_a: Pose::IDENTITY,
            motion_a: if number % 2 == 0 { Motion::STILL } else { Motion::screw(Vec3::ZERO, spin * 0.1).unwrap() },
            b: (&shape).into(),
            pose_b: at(0.1, 0.2, random.between(2.0, 4.0)),
            motion_b: Motion::ballistic(Vec3::X, Vec3::Z * -9.81).unwrap(),
        };
        let options = CastOptions { max_time: 2.0, tolerance: Some(1e-6) };
        assert!(flight.check(&options, 1e-6, 100, &format!("shape {number}")), "shape {number} falls through");
    }
}

#[test]
fn thin_and_fast_things_do_not_pass_through() {
    let sheet = MeshShape::new(generate::cuboid([10.0, 10.0, 1e-4]).unwrap()).unwrap();
    let needle = Convex::hull(&[Vec3::ZERO, Vec3::Z * 1e-3]).unwrap();
    for speed in [1.0, 1e3, 1e6, 1e9] {
        let (shot, above) = (linear(0.3 * speed, 0.0, -speed), at(0.0, 0.0, 1.0));
        let hit = cast(
            &needle,
            &above,
            &shot,
            &sheet,
            &Pose::IDENTITY,
            &Motion::STILL,
            &CastOptions { max_time: 3.0, tolerance: Some(1e-9) },
        );
        let found = hit.unwrap().expect("a hit");
        let right = (1.0 - 1e-4) / speed;
        assert!(found.time <= right && right <= found.time_upper && right - found.time <= 2e-9 / speed, "{found:?}");
    }
}

/// Touching that roundings do not tell, at once and for ever: an end, and no later than that.
#[test]
fn what_nearly_touches_at_the_start_is_answered() {
    let cube = MeshShape::new(generate::cuboid([0.5, 0.5, 0.5]).unwrap()).unwrap();
    let block = Convex::cuboid(Vec3::splat(0.5)).unwrap();
    let (ball, beside) = (Convex::sphere(1.0).unwrap(), at(1.0 + 2.0 * f64::EPSILON, 0.0, 0.0));
    for max_time in [1.0, 1e-310, 1e140] {
        let options = CastOptions { max_time, tolerance: None };
        for (a, b, pose) in [
            (ShapeRef::from(&cube), ShapeRef::from(&block), beside),
            ((&block).into(), (&block).into(), beside),
            ((&ball).into(), (&ball).into(), at(2.0 + 4.0 * f64::EPSILON, 0.0, 0.0)),
        ] {
            let found = cast(a, &Pose::IDENTITY, &Motion::STILL, b, &pose, &Motion::STILL, &options).unwrap();
            assert!(found.is_none_or(|found| found.time == 0.0 && found.time_upper <= max_time), "{found:?}");
        }
    }
}

/// A part on a pose that stretches as much as it may, and the numbers of its primitives.
#[test]
fn parts_that_are_stretched_are_not_missed() {
    let long = MeshShape::new(generate::cuboid([0.5, 0.5, 0.5]).unwrap().scaled(1.0).unwrap()).unwrap();
    let stretch = heurt_geometry::Mat3::from_diagonal(Vec3::splat(1.0 + 4e-7));
    let far = Pose::from_matrix(stretch, Vec3::ZERO).unwrap().compose(&at(999.5, 0.0, 0.0));
    let ball = Convex::sphere(0.1).unwrap();
    let compound = Compound::new([(ball.into(), at(0.0, 50.0, 0.0)), (long.into(), far)]).unwrap();
    let block = MeshShape::new(generate::cuboid([0.5, 0.5, 0.5]).unwrap()).unwrap();
    let flight = Flight {
        a: (&compound).into(),
        pose_a: Pose::IDENTITY,
        motion_a: Motion::STILL,
        b: (&block).into(),
        pose_b: at(1001.5, 0.0, 0.0),
        motion_b: linear(-1.0, 0.0, 0.0),
    };
    let options = CastOptions { max_time: 1.0, tolerance: Some(1e-6) };
    assert!(flight.check(&options, 1e-6, 100, "stretched"));
    let found = flight.cast(&options).unwrap();
    let [p, q] = flight.at(found.time);
    let nearest = distance(flight.a, &p, flight.b, &q).primitives.unwrap();
    assert!(found.primitives.unwrap()[0] >= 1 && nearest[0] >= 1, "counted through the parts: {found:?}");
}

#[test]
fn what_is_wrong_is_told() {
    let ball = Convex::sphere(1.0).unwrap();
    let cast_with_options = |max_time: f64, tolerance: Option<f64>, motion: Motion| {
        cast(
            &ball,
            &Pose::IDENTITY,
            &motion,
            &ball,
            &at(5.0, 0.0, 0.0),
            &Motion::STILL,
            &CastOptions { max_time, tolerance },
        )
    };
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(cast_with_options(time, None, Motion::STILL), Err(CastError::MaxTime(_))), "{time}");
    }
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(cast_with_options(1.0, Some(tolerance), Motion::STILL), Err(CastError::Tolerance(_))),
            "{tolerance}"
        );
    }
    let far = cast_with_options(1e10, None, linear(1e145, 0.0, 0.0)).unwrap_err();
    assert_eq!(far, CastError::TooFar { shape: 'A', what: CastLimit::Flight, value: 1e155, time: 1e10 });
    assert!(far.to_string().starts_with("the flight of shape A is 1e155 m in 10000000000 s, beyond 1e150: "), "{far}");
    assert!(Motion::screw(Vec3::ZERO, Vec3::Z * 1e-170).is_err());
    assert!(Motion::linear(Vec3::new(f64::NAN, 0.0, 0.0)).is_err() && Motion::linear(Vec3::X * 1e200).is_err());
    assert_eq!(cast_with_options(1.0, None, Motion::STILL), Ok(None), "disjoint shapes at rest never meet");
    let inside = cast(
        &ball,
        &at(0.5, 0.0, 0.0),
        &linear(1.0, 0.0, 0.0),
        &ball,
        &Pose::IDENTITY,
        &Motion::STILL,
        &CastOptions::default(),
    );
    let inside = inside.unwrap().expect("they overlap");
    assert_eq!((inside.time, inside.time_upper, inside.normal), (0.0, 0.0, None));
    let spinning = Motion::screw(Vec3::X, Vec3::splat(1e12)).unwrap();
    let torus = MeshShape::new(generate::torus(0.5, 0.2, 24, 12).unwrap()).unwrap();
    for (pose, is_near) in [(at(3.0, 0.0, 0.0), true), (at(0.0, 50.0, 0.0), false)] {
        let options = CastOptions { max_time: 10.0, tolerance: None };
        let found = cast(&torus, &Pose::IDENTITY, &spinning, &torus, &pose, &Motion::STILL, &options).unwrap();
        assert_eq!(found.is_some(), is_near, "whatever spins: {found:?}");
        // What turns a hundred billion times on its way is answered early, but neither late nor never.
        assert!(found.is_none_or(|found| found.time < 1.8 && found.time_upper > 1.0), "{found:?}");
    }
    let plane = Convex::half_space(Vec3::Z, 0.0).unwrap();
    let turning = Motion::screw(Vec3::ZERO, Vec3::X).unwrap();
    let both =
        cast(&plane, &Pose::IDENTITY, &turning, &plane, &at(0.0, 0.0, 5.0), &Motion::STILL, &CastOptions::default());
    assert_eq!(both, Err(CastError::TurningHalfSpaces));
}

/// S1 for polyhedra: the windows of all separating axes tell when a convex shape that does not turn is touched first and last.
#[test]
fn separating_axes_tell_the_same_times() {
    let mut random = Random::new(4);
    let (mut hits, mut all) = (0, 0);
    for _ in 0..400 {
        let hull = |random: &mut Random| {
            let corners: Vec<Vec3> = (0..random.whole(4, 16)).map(|_| random.vector(0.5)).collect();
            Convex::hull(&corners).unwrap()
        };
        let (a, b) = (hull(&mut random), hull(&mut random));
        let (pose_a, pose_b) = (random.pose(0.5), random.pose(2.0));
        let velocity = pose_a.translation() - pose_b.translation() + random.vector(0.5);
        let passage = algorithm::passage_by_separating_axes(&a, &pose_a, &b, &pose_b, velocity).expect("solid hulls");
        let options = CastOptions { max_time: 5.0, tolerance: Some(1e-9) };
        let motion = Motion::linear(velocity).unwrap();
        let found = cast(&a, &pose_a, &Motion::STILL, &b, &pose_b, &motion, &options).unwrap();
        assert_eq!(passage.is_some(), found.is_some(), "{passage:?} {found:?}");
        all += 1;
        if let (Some(passage), Some(found)) = (passage, found) {
            assert!(
                found.time <= passage.first + 1e-12 && passage.first <= found.time_upper + 1e-12,
                "{passage:?} {found:?}"
            );
            let after = pose_b.shifted(velocity * (passage.last + 1e-9)).unwrap();
            assert!(overlap(&a, &pose_a, &b, &after).is_none(), "{passage:?}");
            let before = pose_b.shifted(velocity * (passage.last - 1e-9)).unwrap();
            assert!(overlap(&a, &pose_a, &b, &before).is_some(), "{passage:?}");
            hits += 1;
        }
    }
    assert!(hits * 3 > all && hits < all, "{hits} of {all} hit");
}

#[test]
fn swept_volumes_are_conservative_and_samples_are_not() {
    let mut random = Random::new(5);
    let mut counts = [0; 3];
    for _ in 0..600 {
        let corners: Vec<Vec3> = (0..random.whole(1, 12)).map(|_| random.vector(0.4)).collect();
        let (a, b) = (Convex::hull(&corners).unwrap().with_margin(0.01).unwrap(), any(&mut random));
        let (pose_a, pose_b) = (random.pose(2.5), random.pose(1.0));
        let motion = motion(&mut random, pose_b.translation() - pose_a.translation());
        let swept = swept_overlap(&a, &pose_a, &motion, 1.0, &b, &pose_b).unwrap();
        let options = CastOptions { max_time: 1.0, tolerance: Some(1e-7) };
        let found = cast(&a, &pose_a, &motion, &b, &pose_b, &Motion::STILL, &options).unwrap();
        match swept {
            Swept::Free => assert_eq!(found, None),
            Swept::Touched => assert!(found.is_some()),
            Swept::Unproven => assert!(motion.turns() || motion.acceleration() != Vec3::ZERO),
        }
        counts[swept as usize] += 1;
        let sampled = cast_by_samples(&a, &pose_a, &motion, &b, &pose_b, &Motion::STILL, 1.0, 0.05).unwrap();
        if let Some(sampled) = sampled {
            assert!(found.expect("no false alarm").time <= sampled, "{found:?} {sampled}");
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
    let bullet = Convex::sphere(1e-3).unwrap();
    let sheet = Convex::cuboid(Vec3::new(1.0, 1.0, 1e-3)).unwrap();
    let (above, shot) = (at(0.0, 0.0, 0.52), linear(0.0, 0.0, -1.0));
    let sampled = cast_by_samples(&bullet, &above, &shot, &sheet, &Pose::IDENTITY, &Motion::STILL, 1.0, 0.05).unwrap();
    assert_eq!(sampled, None, "samples pass through");
    let round = Convex::ellipsoid(Vec3::ONE).unwrap();
    let no_corners = swept_overlap(&round, &above, &shot, 1.0, &sheet, &Pose::IDENTITY);
    assert_eq!(no_corners, Err(SweptError::NoCorners));
    // What does not move sweeps over itself.
    for (pose, swept) in [(above, Swept::Free), (Pose::IDENTITY, Swept::Touched)] {
        assert_eq!(swept_overlap(&sheet, &pose, &Motion::STILL, 1.0, &sheet, &Pose::IDENTITY), Ok(swept));
        let sampled = cast_by_samples(&sheet, &pose, &Motion::STILL, &sheet, &Pose::IDENTITY, &Motion::STILL, 1.0, 0.1);
        assert_eq!(sampled, Ok((swept == Swept::Touched).then_some(0.0)));
    }
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let swept = swept_overlap(&sheet, &above, &shot, wrong, &sheet, &Pose::IDENTITY);
        assert!(matches!(swept, Err(SweptError::Motion(CastError::MaxTime(_)))), "{wrong}: {swept:?}");
        let sampled = |time: f64, step: f64| {
            cast_by_samples(&sheet, &above, &shot, &sheet, &Pose::IDENTITY, &Motion::STILL, time, step).unwrap_err()
        };
        assert!(matches!(sampled(wrong, 0.1), CastError::MaxTime(_)), "{wrong}");
        assert!(matches!(sampled(1.0, wrong), CastError::Tolerance(_)), "{wrong}");
        assert!(matches!(sampled(1.0, 1e-10), CastError::TooManySamples { samples, .. } if samples >= 1e10));
    }
}

/// Their distances are not known to the last bit: what is told is as near all the same.
#[test]
fn curved_shapes_that_turn_are_no_earlier_than_a_billionth() {
    let mut random = Random::new(23);
    let curved =
        [Convex::cylinder(0.7, 0.5).unwrap(), Convex::cone(0.7, 0.5).unwrap(), Convex::capsule(0.3, 0.5).unwrap()];
    let options = CastOptions { max_time: 3.0, tolerance: Some(1e-9) };
    let mut hits = 0;
    for number in 0..300 {
        let [a, b] = [&curved[number % 3], &curved[number / 3 % 3]];
        let (pose_a, pose_b) = (random.pose(0.0), at(0.1, 0.2, 3.0).compose(&random.pose(0.0)));
        let motion = Motion::screw(Vec3::new(0.0, 0.0, -2.0), random.vector(3.0)).unwrap();
        let found = cast(a, &pose_a, &Motion::STILL, b, &pose_b, &motion, &options).unwrap();
        let Some(hit) = found else { continue };
        let gap = distance(a, &pose_a, b, &motion.pose_at(&pose_b, hit.time).unwrap());
        assert!(gap.distance - gap.error <= 1e-9, "{number}: {gap:?} {hit:?}");
        hits += 1;
    }
    assert!(hits > 200, "{hits}");
}

/// No triangle and no point ever share one by numbers; behind the surface the solid does.
#[test]
fn what_passes_into_a_solid_mesh_is_told_when_at_the_latest() {
    let mesh = MeshShape::new(generate::cuboid([1.0; 3]).unwrap()).unwrap();
    let start = Pose::from_translation(Vec3::new(3.0, 0.13, 0.21)).unwrap();
    let thrown = Motion::linear(Vec3::new(-1.0, 0.01, 0.02)).unwrap();
    let options = CastOptions { max_time: 4.0, ..CastOptions::default() };
    for shape in [Convex::point(), Convex::segment([Vec3::ZERO, Vec3::X]).unwrap()] {
        let hit = cast(&shape, &start, &thrown, &mesh, &Pose::IDENTITY, &Motion::STILL, &options).unwrap().unwrap();
        assert!(hit.time <= 2.0 && 2.0 <= hit.time_upper && hit.time_upper - hit.time < 1e-5, "{hit:?}");
    }
}
