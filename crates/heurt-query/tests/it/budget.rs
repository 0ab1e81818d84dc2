//! Answers within a budget: complete ones are those of the verbs, others are bounds, and budgets are kept.

use crate::forms::{distance_in_budget, outcome};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::{bumpy_sphere, octasphere, torus};
use heurt_query::{
    Budget, Budgeted, ContactOptions, DistanceBounds, OverlapOptions, contact, contact_manifold, contact_manifold_with,
    contact_with, distance, overlap, overlap_with,
};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape};
use heurt_testkit::number::random::Random;
use std::cell::Cell;
use std::sync::Arc;

fn of_work(work: u64) -> Budget<'static> {
    Budget { work: Some(work), is_over: None }
}

/// A step may open a node of each kind, or compare two leaves.
const STEP: u64 = 8 + 64;

#[test]
fn complete_answers_are_exact_and_others_are_bounds_that_grow() {
    let solids =
        [torus(1.0, 0.3, 40, 20).unwrap(), bumpy_sphere(0.8, 0.3, 5.0, 20).unwrap(), octasphere(0.1, 4).unwrap()];
    let solids = solids.map(|mesh| MeshShape::new(mesh).unwrap());
    let (mut random, mut cuts, mut complete, mut positive) = (Random::new(5), 0, 0, 0);
    for round in 0..90 {
        let (a, b) = (&solids[round % 3], &solids[round / 3 % 3]);
        let (pose_a, pose_b) = (random.pose(1.5), random.pose(1.5));
        let exact = distance(a, &pose_a, b, &pose_b);
        let overlaps = overlap(a, &pose_a, b, &pose_b);
        let mut bound = 0.0;
        for work in (0..20).map(|power| 1 << power).chain([0]) {
            let (found, done) =
                outcome(overlap_with(a, &pose_a, b, &pose_b, &OverlapOptions { budget: of_work(work) }));
            match found {
                Budgeted::Complete(witness) => assert_eq!(witness, overlaps),
                // Parts inside are looked for when the walk is over.
                Budgeted::Partial(()) => assert!(done.volumes + done.primitives <= work + STEP, "{done:?} for {work}"),
            }
            match distance_in_budget(a, &pose_a, b, &pose_b, &of_work(work)).0 {
                Budgeted::Complete(found) => {
                    assert_eq!(found, exact);
                    complete += 1;
                }
                Budgeted::Partial(DistanceBounds { at_least, at_most }) => {
                    assert!(at_least <= exact.distance + exact.error, "{at_least} of {}", exact.distance);
                    assert!(at_most >= exact.distance - exact.error, "{at_most} of {}", exact.distance);
                    // But for what roundings leave.
                    assert!(work == 0 || at_least >= bound * (1.0 - 1e-5), "a larger budget knows no less");
                    bound = if work == 0 { 0.0 } else { at_least };
                    cuts += 1;
                    positive += usize::from(at_least > 0.5 * exact.distance && exact.distance > 0.0);
                }
            }
        }
    }
    assert!(cuts > 300 && complete > 300 && positive > 60, "{cuts} cut, {complete} complete, {positive} near");
}

/// Of contacts that are cut, what is told holds: they touch, and the separation is that of the whole answer.
#[test]
fn contacts_are_whole_or_of_what_was_found() {
    let ring = MeshShape::new(torus(1.0, 0.3, 60, 30).unwrap()).unwrap();
    let star = MeshShape::new(bumpy_sphere(0.9, 0.3, 5.0, 30).unwrap()).unwrap();
    let at = |x: f64| Pose::from_translation(Vec3::X * x).unwrap();
    let parts = [(Shape::from(star.clone()), at(-0.7)), (Shape::from(ring.clone()), at(0.7))];
    let pair = Shape::from(Compound::new(parts.to_vec()).unwrap());
    let shapes = [Shape::from(ring), Shape::from(star), pair];
    let (mut random, mut found_some, mut found_none, mut whole) = (Random::new(8), 0, 0, 0);
    for round in 0..90 {
        let (a, b) = (&shapes[round % 3], &shapes[round / 3 % 3]);
        let (pose_a, pose_b) = (random.pose(0.8), random.pose(0.8));
        let exact = contact_manifold(a, &pose_a, b, &pose_b, 0.0);
        let (all, _) = outcome(contact_manifold_with(
            a,
            &pose_a,
            b,
            &pose_b,
            &ContactOptions { max_distance: 0.0, budget: Budget::default() },
        ));
        assert_eq!(all, Budgeted::Complete(exact.clone()));
        for work in (2..16).map(|power| 1 << power).chain([0]) {
            let (found, done) = outcome(contact_manifold_with(
                a,
                &pose_a,
                b,
                &pose_b,
                &ContactOptions { max_distance: 0.0, budget: of_work(work) },
            ));
            match found {
                Budgeted::Complete(found) => {
                    assert_eq!(found, exact);
                    whole += 1;
                }
                Budgeted::Partial(None) => found_none += 1,
                Budgeted::Partial(Some(found)) => {
                    let exact = exact.as_ref().expect("what was found to touch does");
                    assert!(found.separation >= exact.separation && !found.points.is_empty());
                    assert!(done.volumes + done.primitives <= work + STEP, "{done:?} for {work}");
                    found_some += 1;
                }
            }
        }
    }
    assert!(found_some > 200 && found_none > 100 && whole > 100, "{found_some} some, {found_none} none, {whole} whole");
}

/// Depths that are certified hold whenever the budget ends, and disjoint shapes have no contact.
#[test]
fn certified_contacts_hold_within_a_budget() {
    let ring = MeshShape::new(torus(1.0, 0.3, 16, 8).unwrap()).unwrap();
    let star = MeshShape::new(bumpy_sphere(0.9, 0.3, 5.0, 10).unwrap()).unwrap();
    let rounded = RoundedMesh::new(Arc::new(octasphere(0.5, 2).map(MeshShape::new).unwrap().unwrap()), 0.1).unwrap();
    let shapes = [Shape::from(ring), Shape::from(star), rounded.into(), Convex::cylinder(0.5, 0.5).unwrap().into()];
    let (mut random, mut cut, mut complete) = (Random::new(12), 0, 0);
    for round in 0..32 {
        let (a, b) = (&shapes[round % 4], &shapes[round / 4 % 4]);
        let (p, q) = (random.pose(0.6), random.pose(0.6));
        let exact = contact(a, &p, b, &q, 0.0);
        let whole = contact_with(a, &p, b, &q, &ContactOptions::default());
        assert_eq!(whole.outcome, Budgeted::Complete(exact.clone()));
        for work in [0, 10, 100, 1000, 3000, 10_000] {
            let answer = contact_with(a, &p, b, &q, &ContactOptions { max_distance: 0.0, budget: of_work(work) });
            match answer.outcome {
                Budgeted::Complete(found) => assert_eq!(found, exact, "round {round}, {work}"),
                Budgeted::Partial(None) => cut += 1,
                Budgeted::Partial(Some(found)) => {
                    let exact = exact.as_ref().expect("a contact that was found is there");
                    let room = found.error + exact.error + 1e-9;
                    assert!(found.separation <= exact.separation_bound + room, "{found:?}, not {exact:?}");
                    assert!(found.separation_bound >= exact.separation - room, "{found:?}, not {exact:?}");
                    complete += 1;
                }
            }
        }
    }
    assert!(cut > 40 && complete > 20, "{cut} cut, {complete} complete");
}

#[test]
fn clocks_end_the_search() {
    let ball = MeshShape::new(octasphere(1.0, 30).unwrap()).unwrap();
    let pose = Pose::from_translation(Vec3::new(1.45, 1.45, 0.0)).unwrap();
    let calls = Cell::new(0);
    let is_over = || {
        calls.set(calls.get() + 1);
        calls.get() > 10
    };
    let budget = Budget { work: None, is_over: Some(&is_over) };
    let found = distance_in_budget(&ball, &Pose::IDENTITY, &ball, &pose, &budget).0;
    assert!(matches!(found, Budgeted::Partial(DistanceBounds { at_least, .. }) if at_least < 0.1), "{found:?}");
    assert_eq!(calls.get(), 11);
}

#[test]
fn scales_and_bodies_inside_each_other() {
    for scale in [1e-80, 1e-20, 1.0, 1e20, 1e80] {
        let (outer, inner) = (octasphere(scale, 8).unwrap(), octasphere(0.1 * scale, 4).unwrap());
        let [outer, inner] = [outer, inner].map(|mesh| MeshShape::new(mesh).unwrap());
        let far = Pose::from_translation(Vec3::X * (3.0 * scale)).unwrap();
        for work in (0..16).map(|power| 1 << power) {
            // A part inside is no distance, however far the surfaces are apart.
            match distance_in_budget(&inner, &Pose::IDENTITY, &outer, &Pose::IDENTITY, &of_work(work)).0 {
                Budgeted::Complete(found) => assert_eq!(found.distance, 0.0),
                Budgeted::Partial(DistanceBounds { at_least, .. }) => assert_eq!(at_least, 0.0),
            }
            match distance_in_budget(&inner, &far, &outer, &Pose::IDENTITY, &of_work(work)).0 {
                Budgeted::Complete(found) => assert!((found.distance / scale - 1.9).abs() < 1e-6),
                Budgeted::Partial(DistanceBounds { at_least, .. }) => {
                    assert!((0.0..1.9000001).contains(&(at_least / scale)), "{at_least} at {scale}")
                }
            }
        }
    }
}

/// Where shapes are near but apart, what finds the points is counted and cut like what finds the distance.
#[test]
fn contacts_of_what_is_near_keep_to_their_budget() {
    let ball = MeshShape::new(octasphere(1.0, 30).unwrap()).unwrap();
    let rounded = Shape::from(RoundedMesh::new(Arc::new(ball.clone()), 0.1).unwrap());
    let floor = Shape::from(Convex::half_space(Vec3::Z, -1.101).unwrap());
    let cylinder = Shape::from(Convex::cylinder(0.4, 0.3).unwrap());
    let at = |x: f64| Pose::from_translation(Vec3::X * x).unwrap();
    let ball = Shape::from(ball);
    let cases = [
        ("meshes", &ball, &ball, at(2.001)),
        ("rounded meshes", &rounded, &rounded, at(2.201)),
        ("rounded mesh over a half-space", &rounded, &floor, at(0.0)),
        ("half-space under a rounded mesh", &floor, &rounded, at(0.0)),
        ("mesh and cylinder", &ball, &cylinder, at(1.401)),
    ];
    for (name, a, b, pose) in cases {
        let run_query = |budget: &Budget<'_>| {
            outcome(contact_manifold_with(
                a,
                &Pose::IDENTITY,
                b,
                &pose,
                &ContactOptions { max_distance: 0.05, budget: *budget },
            ))
        };
        let exact = contact_manifold(a, &Pose::IDENTITY, b, &pose, 0.05);
        assert!(exact.as_ref().is_some_and(|exact| exact.separation > 0.0), "{name}: {exact:?}");
        let (whole, all) = run_query(&Budget::default());
        assert_eq!(whole, Budgeted::Complete(exact.clone()), "{name}");
        let (mut cut, mut complete) = (0, 0);
        let all = all.volumes + all.primitives;
        for work in (0..40).map(|share| all * share / 40) {
            let (found, done) = run_query(&of_work(work));
            let done = done.volumes + done.primitives;
            assert!(done <= work + STEP && done + STEP >= work, "{name}: {done} for {work} of {all}");
            match found {
                Budgeted::Complete(found) => assert_eq!(found, exact, "{name}"),
                Budgeted::Partial(found) => {
                    cut += 1;
                    complete += usize::from(found.is_some());
                    assert!(found.is_none_or(|found| found.separation <= 0.05 && !found.points.is_empty()), "{name}");
                }
            }
        }
        // Of a mesh and a convex shape the distance is all that is asked.
        assert!(cut > 30 && (complete > 0 || name == "mesh and cylinder"), "{name}: {cut} cut, {complete} complete");
    }
}

/// An overlap that a budget was enough to prove is told by every larger one, whatever it cuts after the proof.
#[test]
fn an_overlap_that_is_proved_is_kept() {
    let star = MeshShape::new(bumpy_sphere(0.9, 0.3, 5.0, 24).unwrap()).unwrap();
    let convex = [
        ("cylinder", Convex::cylinder(0.5, 0.7).unwrap()),
        ("rounded box", Convex::cuboid(Vec3::splat(0.4)).unwrap().remargined(0.05).unwrap()),
        ("half-space", Convex::half_space(Vec3::Z, 0.2).unwrap()),
        ("ball around all", Convex::sphere(9.0).unwrap()),
    ];
    let (star, mut random, mut kept) = (Shape::from(star), Random::new(16), [0; 4]);
    for round in 0..40 {
        let (name, convex) = &convex[round % 4];
        let (convex, pose_a, pose_b) = (Shape::from(convex.clone()), random.pose(0.6), random.pose(0.6));
        let (a, b) = if round % 8 < 4 { (&star, &convex) } else { (&convex, &star) };
        let mut is_proved = false;
        for work in (0..15).map(|power| 3 << power) {
            let (found, _) = outcome(contact_manifold_with(
                a,
                &pose_a,
                b,
                &pose_b,
                &ContactOptions { max_distance: 0.0, budget: of_work(work) },
            ));
            let overlaps = match &found {
                Budgeted::Complete(found) | Budgeted::Partial(found) => {
                    found.as_ref().is_some_and(|it| it.separation <= 0.0)
                }
            };
            assert!(overlaps || !is_proved, "{name}, round {round}: forgotten at {work}");
            is_proved = overlaps;
            kept[round % 4] += usize::from(overlaps && matches!(found, Budgeted::Partial(_)));
        }
        assert_eq!(is_proved, overlap(a, &pose_a, b, &pose_b).is_some(), "{name}, round {round}");
    }
    assert!(kept.iter().all(|&kept| kept > 0), "{kept:?}");
}

/// Far from the origin distances are rounded by more than they are long: bounds allow for it, from both sides.
#[test]
fn bounds_hold_where_coordinates_are_large() {
    let ball = MeshShape::new(octasphere(1.0, 12).unwrap()).unwrap();
    let rounded = Shape::from(RoundedMesh::new(Arc::new(ball.clone()), 0.25).unwrap());
    let ball = Shape::from(ball);
    let (mut random, mut cut, mut near) = (Random::new(61), 0, 0);
    for round in 0..120 {
        let far = Vec3::splat(10f64.powi(round % 9)) + random.vector(1.0);
        // Powers of two and the corner (1, 0, 0) of both balls: the gap is exact wherever the sum of coordinates is.
        let gap = 0.5f64.powi(round / 9);
        let at_a = Vec3::new(far.x.round(), far.y.round(), far.z.round());
        let at_b = at_a + Vec3::X * (2.0 + gap);
        let [pose_a, pose_b] = [at_a, at_b].map(|at| Pose::from_translation(at).unwrap());
        for (shape, margins) in [(&ball, 0.0), (&rounded, 0.5)] {
            let exact = at_b.x - at_a.x - 2.0 - margins;
            for work in (0..14).map(|power| 1 << power) {
                let (found, _) = distance_in_budget(shape, &pose_a, shape, &pose_b, &of_work(work));
                if let Budgeted::Partial(DistanceBounds { at_least, at_most }) = found {
                    assert!(at_least <= exact.max(0.0) && at_most >= exact, "{at_least} {exact} {at_most} at {far:?}");
                    cut += 1;
                    near += usize::from(at_most < exact + 0.01);
                }
            }
        }
    }
    assert!(cut > 500 && near > 100, "{cut} cut, {near} with a near upper bound");
}
