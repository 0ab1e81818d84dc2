//! `cast` until a budget ends: whole answers are those of `cast`, others are times until which nothing touches.

use super::{Flight, any, at, linear, motion};
use crate::forms::outcome;
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::generate::{bumpy_sphere, octasphere, torus};
use heurt_query::{Budget, Budgeted, CastOptions, Impact, cast_with};
use heurt_shape::{Compound, Convex, MeshShape, Shape};
use heurt_testkit::number::random::Random;
use std::cell::Cell;

impl Flight<'_> {
    fn cast_within(&self, options: &CastOptions, budget: &Budget<'_>) -> Budgeted<Option<Impact>, f64> {
        let Self { a, pose_a, motion_a, b, pose_b, motion_b } = self;
        cast_with(*a, pose_a, motion_a, *b, pose_b, motion_b, options, budget).map(outcome).unwrap().0
    }

    /// Until a clock was asked `most` times, and whether it was asked once more.
    fn cast_with_calls(&self, options: &CastOptions, most: u64) -> (Budgeted<Option<Impact>, f64>, bool) {
        let calls = Cell::new(0);
        let is_over = || {
            calls.set(calls.get() + 1);
            calls.get() > most
        };
        let found = self.cast_within(options, &Budget { work: None, is_over: Some(&is_over) });
        assert!(calls.get() <= most + 1, "a search whose time is over tests it no more");
        (found, calls.get() > most)
    }

    /// All deadlines, the later ones rarely. How many were cut, and of how many of them more than the start was told.
    fn check_deadlines(&self, options: &CastOptions, what: &str) -> [usize; 2] {
        let whole = self.cast(options);
        // Tighter bounds than that of a contact may be known before it is.
        let first = whole.map_or(options.max_time, |impact| impact.time_upper);
        let (mut counts, mut most, mut free) = ([0; 2], 0, 0.0);
        loop {
            let (found, is_over) = self.cast_with_calls(options, most);
            match found {
                Budgeted::Complete(found) => assert_eq!(found, whole, "{what}, {most}"),
                Budgeted::Partial(until) => {
                    assert!(is_over && (0.0..=first).contains(&until), "{what}: {until} of {first} after {most}");
                    assert!(until >= free, "{what}: {until} after {most}, {free} before");
                    assert!(most == 0 || until == 0.0 || !self.overlaps(until * (1.0 - 1e-9)), "{what}, {most}");
                    free = until;
                    counts[0] += 1;
                    counts[1] += usize::from(until > 0.0);
                }
            }
            if !is_over {
                return counts;
            }
            most += 1 + most / if most < 200 { 6 } else { 1 };
        }
    }
}

/// Any two shapes, however they move.
#[test]
fn nothing_touches_until_the_time_that_is_told() {
    let mut random = Random::new(31);
    let (mut cut, mut complete) = (0, 0);
    for number in 0..100 {
        let (a, b) = (any(&mut random), any(&mut random));
        let (pose_a, pose_b) = (random.pose(0.5), random.pose(3.0));
        let offset = pose_b.translation() - pose_a.translation();
        let (motion_a, motion_b) = (motion(&mut random, offset), motion(&mut random, -0.5 * offset));
        let flight = Flight { a: (&a).into(), pose_a, motion_a, b: (&b).into(), pose_b, motion_b };
        let options = CastOptions { max_time: random.between(0.2, 2.0), tolerance: None };
        let counts = flight.check_deadlines(&options, &format!("flight {number}"));
        cut += counts[0];
        complete += counts[1];
    }
    assert!(cut > 1000 && complete > 500, "{cut} were cut, {complete} complete");
}

/// A body of many parts, superquadrics, half-spaces: each way that `cast` goes.
#[test]
fn every_way_of_searching_ends() {
    let mut random = Random::new(32);
    let ring = MeshShape::new(torus(1.0, 0.3, 40, 20).unwrap()).unwrap();
    let balls: Vec<(Shape, Pose)> = (0..40).map(|_| (Convex::sphere(0.1).unwrap().into(), random.pose(1.5))).collect();
    let crowd = Compound::new(balls).unwrap();
    let floor = Convex::half_space(Vec3::Z, -3.0).unwrap();
    let star = MeshShape::new(bumpy_sphere(0.9, 0.3, 5.0, 30).unwrap()).unwrap();
    let cut = Convex::cuboid(Vec3::new(0.4, 0.2, 0.1)).unwrap();
    let drum = Convex::cylinder(0.5, 0.2).unwrap();
    let fall = linear(0.1, 0.0, -4.0);
    let tumble = Motion::screw(Vec3::new(0.1, 0.0, -4.0), Vec3::new(2.0, 1.0, 5.0)).unwrap();
    let options = CastOptions::default();
    let pairs: [(&str, heurt_shape::ShapeRef<'_>, heurt_shape::ShapeRef<'_>); 6] = [
        ("meshes", (&star).into(), (&ring).into()),
        ("a mesh and a hull", (&cut).into(), (&ring).into()),
        ("a mesh and a drum", (&drum).into(), (&star).into()),
        ("a mesh and a crowd", (&crowd).into(), (&ring).into()),
        ("a crowd and a floor", (&crowd).into(), (&floor).into()),
        ("a mesh and a floor", (&star).into(), (&floor).into()),
    ];
    for (what, a, b) in pairs {
        for (pose_a, motion_a) in [(at(0.9, 0.1, 3.0), fall), (at(0.0, 0.0, 3.0), tumble), (at(4.0, 0.0, 3.0), tumble)]
        {
            let flight = Flight { a, pose_a, motion_a, b, pose_b: Pose::IDENTITY, motion_b: Motion::STILL };
            let [cut, complete] = flight.check_deadlines(&options, what);
            assert!(cut >= 1 && complete >= usize::from(cut > 20), "{what}: {cut} cut, {complete} complete");
        }
    }
}

/// What a search may cost is what it costs, up to a step.
#[test]
fn work_is_bounded() {
    let ball = MeshShape::new(octasphere(1.0, 60).unwrap()).unwrap();
    let turning = Motion::screw(Vec3::new(-2.0, 0.1, 0.0), Vec3::new(0.3, 2.0, 1.0)).unwrap();
    let (pose_b, options) = (at(3.5, 0.2, 0.1), CastOptions::default());
    let mut cut = 0;
    for work in (0..24).map(|power| 1 << power) {
        let budget = Budget { work: Some(work), is_over: None };
        let still = (&Pose::IDENTITY, &Motion::STILL);
        let (found, done) =
            cast_with(&ball, still.0, still.1, &ball, &pose_b, &turning, &options, &budget).map(outcome).unwrap();
        if let Budgeted::Partial(_) = found {
            cut += 1;
            assert!(done.volumes + done.primitives <= work + 8 + 64, "{done:?} for {work}");
        }
    }
    assert!((8..24).contains(&cut), "{cut}");
}
