//! Every verb within every budget, of every pair of kinds of shapes: bounds hold and grow, whole answers are those without a budget, and
//! where time is over nothing is begun.

use crate::forms::{counted, distance_counted, distance_in_budget, outcome, within};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::generate::{Superellipsoid, Supertoroid, torus, uv_sphere};
use heurt_query::{
    Budget, Budgeted, CastOptions, Contact, ContactOptions, DistanceBounds, OverlapOptions, PairCache, cast, cast_with,
    contact_manifold, contact_manifold_with, contains, distance_with, overlap, overlap_with,
};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use std::cell::Cell;
use std::sync::Arc;

/// One or more of each kind that is asked in its own way; half-spaces apart, as they have no end.
fn bounded() -> Vec<(&'static str, Shape)> {
    let mesh = |mesh| MeshShape::new(mesh).unwrap();
    let ring = mesh(torus(0.5, 0.2, 16, 8).unwrap());
    let ball = Arc::new(mesh(uv_sphere(0.5, 8).unwrap()));
    let ellipsoid = Superquadric::Ellipsoid(Superellipsoid::new([0.5, 0.35, 0.25], 2.5, 0.4).unwrap());
    let toroid = Superquadric::Toroid(Supertoroid::new(0.5, 0.2, 1.0, 1.0).unwrap());
    let cuboid = Convex::cuboid(Vec3::new(0.3, 0.2, 0.5)).unwrap();
    let at = |x: f64| Pose::from_translation(Vec3::new(x, 0.1, 0.0)).unwrap();
    let pair = [(Shape::from(ring.clone()), at(-0.4)), (Convex::sphere(0.3).unwrap().into(), at(0.5))];
    let mixed = [(Shape::from(SuperquadricShape::from(ellipsoid)), at(0.3)), (cuboid.clone().into(), at(-0.3))];
    vec![
        ("sphere", Convex::sphere(0.4).unwrap().into()),
        ("cylinder", Convex::cylinder(0.4, 0.3).unwrap().into()),
        ("hull", cuboid.clone().into()),
        ("rounded hull", cuboid.with_margin(0.1).unwrap().into()),
        ("mesh", ring.into()),
        ("rounded mesh", RoundedMesh::new(ball, 0.1).unwrap().into()),
        ("compound", Compound::new(pair.to_vec()).unwrap().into()),
        ("compound of others", Compound::new(mixed.to_vec()).unwrap().into()),
        ("superellipsoid", SuperquadricShape::from(ellipsoid).into()),
        ("supertoroid", SuperquadricShape::from(toroid).with_margin(0.05).unwrap().into()),
    ]
}

/// Both in a row, on poses that are apart, near and deep.
struct Case<'a> {
    name: String,
    a: &'a Shape,
    b: &'a Shape,
    poses: [Pose; 2],
    /// Number that varies from pair to pair.
    place: usize,
}

fn for_each_case(rounds: usize, mut check: impl FnMut(&Case<'_>)) {
    let shapes = bounded();
    let floor = ("half-space", Shape::from(Convex::half_space(Vec3::new(0.1, 0.2, 1.0), 0.0).unwrap()));
    let mut random = Random::new(77);
    let mut with = |(name_a, a): &(&str, Shape), (name_b, b): &(&str, Shape), place: usize| {
        for round in 0..rounds {
            let offset = random.vector(1.0).normalize_or(Vec3::X) * [0.3, 0.8, 1.7][(place + round) % 3];
            let pose_a = random.pose(0.1);
            let moved = Pose::from_translation(offset).unwrap();
            let pose_b = moved.compose(&random.pose(0.1));
            let name = format!("{name_a} and {name_b}, round {round}");
            check(&Case { name, a, b, poses: [pose_a, pose_b], place });
        }
    };
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            with(a, b, i + j);
        }
        with(a, &floor, i);
        with(&floor, a, i + 1);
    }
    with(&floor, &floor, 0);
}

/// 0, 1, 3, 10, … and as much as it takes.
fn budgets() -> impl Iterator<Item = Budget<'static>> {
    let some = (0..7).flat_map(|power| [1, 3].map(|digit| digit * 10u64.pow(power)));
    std::iter::once(0).chain(some).chain([u64::MAX]).map(|work| Budget { work: Some(work), is_over: None })
}

/// Few of them, for what takes long.
fn few_budgets() -> impl Iterator<Item = Budget<'static>> {
    [0, 1, 5, 30, 200, 2_000, 20_000, 1_000_000, u64::MAX]
        .into_iter()
        .map(|work| Budget { work: Some(work), is_over: None })
}

#[test]
fn overlaps_are_told_whole_or_not_at_all() {
    let (mut cut, mut whole) = (0, 0);
    for_each_case(2, |Case { name, a, b, poses: [p, q], .. }| {
        let exact = overlap(*a, p, *b, q);
        let mut is_whole = false;
        for budget in budgets() {
            match overlap_with(*a, p, *b, q, &OverlapOptions { budget }).outcome {
                Budgeted::Complete(found) => {
                    assert_eq!(found, exact, "{name}: {budget:?}");
                    (is_whole, whole) = (true, whole + 1);
                }
                Budgeted::Partial(()) => {
                    assert!(!is_whole, "{name}: more knows less: {budget:?}");
                    cut += 1;
                }
            }
        }
        assert!(is_whole, "{name}");
    });
    assert!(cut > 400 && whole > 2000, "{cut} cut, {whole} whole");
}

#[test]
fn distances_are_bounded_from_both_sides() {
    let (mut cut, mut some, mut tight) = (0, 0, 0);
    for_each_case(1, |Case { name, a, b, poses: [p, q], .. }| {
        let (exact, _) = distance_counted(*a, p, *b, q);
        let (mut known, mut is_whole) = (DistanceBounds { at_least: 0.0, at_most: f64::INFINITY }, false);
        for budget in budgets() {
            match distance_in_budget(*a, p, *b, q, &budget).0 {
                Budgeted::Complete(found) => {
                    // Of shapes that overlap, a search within a budget may find a common point of its own.
                    let is_common =
                        || contains(*a, p, found.point_a) && contains(*b, q, found.point_a) && exact.distance == 0.0;
                    assert!(found == exact || found.distance == 0.0 && is_common(), "{name}: {budget:?}, {found:?}");
                    is_whole = true;
                }
                Budgeted::Partial(found) => {
                    let DistanceBounds { at_least, at_most } = found;
                    assert!(!is_whole, "{name}: more knows less: {budget:?}");
                    assert!(at_least <= exact.distance + exact.error, "{name}: {found:?}, {exact:?}");
                    assert!(at_most >= exact.distance - exact.error, "{name}: {found:?}, {exact:?}");
                    // But for what roundings leave.
                    assert!(at_least >= known.at_least * (1.0 - 1e-5) - 1e-5, "{name}: {found:?} after {known:?}");
                    assert!(at_most <= known.at_most * (1.0 + 1e-5), "{name}: {found:?} after {known:?}");
                    known = found;
                    cut += 1;
                    some += usize::from(at_least > 0.0 && at_most.is_finite());
                    tight += usize::from(at_least > 0.9 * at_most);
                }
            }
        }
        assert!(is_whole, "{name}");
    });
    assert!(cut > 400 && some > 80 && tight > 20, "{cut} cut, {some} bounded from both sides, {tight} closely");
}

/// B, moved as the contact says, is free of A.
fn parts(Case { a, b, poses: [p, q], .. }: &Case<'_>, contact: &Contact) -> bool {
    // But for what roundings leave.
    let translation = contact.normal * (1e-12 - contact.separation);
    Pose::from_translation(translation).is_ok_and(|by| overlap(*a, p, *b, &by.compose(q)).is_none())
}

#[test]
fn contacts_are_of_what_touches() {
    let (mut none, mut some, mut whole) = (0, 0, 0);
    for_each_case(1, |Case { name, a, b, poses: [p, q], place }| {
        let margin = [0.0, 0.2][place / 3 % 2];
        let exact = contact_manifold(*a, p, *b, q, margin);
        let near = counted(distance_with(*a, p, *b, q, &within(margin + 1e-9))).0;
        let mut is_whole = false;
        for budget in few_budgets() {
            match contact_manifold_with(*a, p, *b, q, &ContactOptions { max_distance: margin, budget }).outcome {
                Budgeted::Complete(found) => {
                    assert_eq!(found, exact, "{name}: {budget:?}");
                    (is_whole, whole) = (true, whole + 1);
                }
                Budgeted::Partial(partial) => {
                    assert!(!is_whole, "{name}: more knows less: {budget:?}");
                    let Some(partial) = partial else {
                        none += 1;
                        continue;
                    };
                    assert!(near.is_some() && !partial.points.is_empty(), "{name}: {partial:?}");
                    assert!(partial.separation <= margin, "{name}: {partial:?}");
                    some += 1;
                }
            }
        }
        assert!(is_whole, "{name}");
    });
    assert!(none > 250 && some > 40 && whole > 600, "{none} none, {some} some, {whole} whole");
}

/// Of what is no compound, and where the whole answer parts them, too, a contact that was cut short leads apart.
#[test]
fn contacts_that_were_cut_lead_apart() {
    let (mut tested, mut led) = (0, 0);
    for_each_case(1, |case| {
        let Case { name, a, b, poses: [p, q], .. } = case;
        let is_one = |shape: &Shape| matches!(shape, Shape::Rounded(_) | Shape::Superquadric(_));
        if !is_one(a) && !is_one(b) || [a, b].iter().any(|shape| matches!(shape, Shape::Compound(_))) {
            return;
        }
        for budget in few_budgets() {
            let Budgeted::Partial(Some(partial)) =
                contact_manifold_with(*a, p, *b, q, &ContactOptions { max_distance: 0.0, budget }).outcome
            else {
                continue;
            };
            tested += 1;
            led += usize::from(partial.separation <= 0.0 && parts(case, &partial));
            assert!(parts(case, &partial), "{name}: {budget:?}: {partial:?}");
        }
    });
    assert!(tested > 20 && led == tested, "{led} of {tested}");
}

/// What is proved of a depth below a plane is told, whatever is cut after it.
#[test]
fn depths_over_half_spaces_once_proved_are_kept() {
    let (mut kept, mut of_rounded) = (0, 0);
    for_each_case(1, |Case { name, a, b, poses: [p, q], .. }| {
        let is_rounded = matches!(a, Shape::Rounded(_)) || matches!(b, Shape::Rounded(_));
        let has_parts = |shape: &Shape| matches!(shape, Shape::Compound(_));
        let is_endless = |shape: &Shape| !shape.bounds().min.is_finite();
        if has_parts(a) || has_parts(b) || is_endless(a) == is_endless(b) {
            return;
        }
        let Some(exact) = contact_manifold(*a, p, *b, q, 0.0) else { return };
        let mut is_kept = false;
        for work in (0..400).chain([1_000, 10_000]) {
            let budget = Budget { work: Some(work), is_over: None };
            let Budgeted::Partial(partial) =
                contact_manifold_with(*a, p, *b, q, &ContactOptions { max_distance: 0.0, budget }).outcome
            else {
                continue;
            };
            let is_whole =
                partial.as_ref().is_some_and(|partial| (partial.separation - exact.separation).abs() < 1e-12);
            assert!(is_whole || !is_kept, "{name}: more knows less: {budget:?}: {partial:?}");
            let bound = partial.map_or(0.0, |partial| partial.separation_bound);
            assert!(bound >= exact.separation - 1e-12, "{name}: {budget:?}: {bound} is proved of {exact:?}");
            is_kept = is_whole;
            kept += usize::from(is_whole);
            of_rounded += usize::from(is_whole && is_rounded);
        }
    });
    assert!(kept > 1000 && of_rounded > 60, "{kept}, {of_rounded} of rounded meshes");
}

#[test]
fn casts_tell_until_when_nothing_touches() {
    let (mut cut, mut complete) = (0, 0);
    let mut random = Random::new(78);
    for_each_case(1, |Case { name, a, b, poses: [p, q], .. }| {
        let separated = Pose::from_translation(Vec3::new(0.2, 0.1, 2.5)).unwrap().compose(q);
        let towards = p.translation() - separated.translation();
        let is_endless = |shape: &Shape| !shape.bounds().min.is_finite();
        let motion = match is_endless(a) || is_endless(b) {
            true => Motion::linear(towards).unwrap(),
            false => Motion::screw(towards, random.vector(2.0)).unwrap(),
        };
        let options = CastOptions { max_time: 1.0, tolerance: Some(1e-4) };
        let exact = cast(*a, p, &Motion::STILL, *b, &separated, &motion, &options).unwrap();
        let first = exact.map_or(options.max_time, |impact| impact.time_upper);
        let (mut free, mut is_whole) = (0.0, false);
        for budget in few_budgets() {
            let found = cast_with(*a, p, &Motion::STILL, *b, &separated, &motion, &options, &budget).map(outcome);
            match found.unwrap().0 {
                Budgeted::Complete(found) => {
                    assert_eq!(found, exact, "{name}: {budget:?}");
                    is_whole = true;
                }
                Budgeted::Partial(until) => {
                    assert!(!is_whole, "{name}: more knows less: {budget:?}");
                    assert!((free..=first).contains(&until), "{name}: {until} after {free}, whole {exact:?}");
                    free = until;
                    cut += 1;
                    complete += usize::from(until > 0.0);
                }
            }
        }
        assert!(is_whole, "{name}");
    });
    assert!(cut > 200 && complete > 100, "{cut} cut, {complete} complete");
}

/// Who comes too late is told so at once, and asks the clock once.
#[test]
fn nothing_is_begun_when_time_is_over() {
    let calls = Cell::new(0);
    let is_over = || {
        calls.set(calls.get() + 1);
        true
    };
    let budget = Budget { work: None, is_over: Some(&is_over) };
    for_each_case(1, |Case { name, a, b, poses: [p, q], .. }| {
        calls.set(0);
        let (found, work) = outcome(overlap_with(*a, p, *b, q, &OverlapOptions { budget }));
        assert_eq!((found, work.volumes + work.primitives), (Budgeted::Partial(()), 0), "{name}");
        let (found, work) = distance_in_budget(*a, p, *b, q, &budget);
        let unknown = DistanceBounds { at_least: 0.0, at_most: f64::INFINITY };
        assert_eq!((found, work.volumes + work.primitives), (Budgeted::Partial(unknown), 0), "{name}");
        let (found, work) = outcome(contact_manifold_with(*a, p, *b, q, &ContactOptions { max_distance: 0.1, budget }));
        assert_eq!((found, work.volumes + work.primitives), (Budgeted::Partial(None), 0), "{name}");
        let found = PairCache::default()
            .contact_manifold_with(*a, p, *b, q, &ContactOptions { max_distance: 0.1, budget })
            .outcome;
        assert_eq!(found, Budgeted::Partial(None), "{name}");
        let (still, options) = (Motion::STILL, CastOptions::default());
        let (found, work) = cast_with(*a, p, &still, *b, q, &still, &options, &budget).map(outcome).unwrap();
        assert_eq!((found, work.volumes + work.primitives), (Budgeted::Partial(0.0), 0), "{name}");
        assert_eq!(calls.get(), 5, "{name}");
    });
}

/// A pair of primitives is one unit, whoever asks for it: a part as part of a compound, a step of a cast as a distance.
#[test]
fn work_is_counted_once() {
    let (ball, block) = (Convex::sphere(0.3).unwrap(), Convex::cuboid(Vec3::splat(0.3)).unwrap());
    let at = |x: f64| Pose::from_translation(Vec3::X * x).unwrap();
    assert_eq!(overlap_with(&ball, &at(0.0), &block, &at(0.7), &OverlapOptions::default()).work.primitives, 1);
    assert_eq!(distance_counted(&ball, &at(0.0), &block, &at(0.7)).1.primitives, 1);
    let row = Compound::new((0..5).map(|k| (ball.clone().into(), at(f64::from(k))))).unwrap();
    let walked = overlap_with(&row, &at(0.0), &block, &at(10.0), &OverlapOptions::default()).work;
    assert!(walked.volumes > 0 && walked.primitives == 0, "no part is near: {walked:?}");
    let beside = Pose::from_translation(Vec3::new(2.0, 0.59, 0.59)).unwrap();
    let done = counted(overlap_with(&row, &at(0.0), &block, &beside, &OverlapOptions::default()));
    assert_eq!((done.0, done.1.primitives), (None, 1), "one part is near: {done:?}");
    // A ball towards a wall, straight on: a look from afar, and one at the end for each bound.
    let wall = Convex::half_space(-Vec3::X, -2.0).unwrap();
    let shot = Motion::linear(Vec3::X).unwrap();
    let options = CastOptions { max_time: 3.0, tolerance: Some(1e-6) };
    let (hit, work) = cast_with(&ball, &at(0.0), &shot, &wall, &at(0.0), &Motion::STILL, &options, &Budget::default())
        .map(counted)
        .unwrap();
    assert!(hit.is_some() && work.volumes == 0 && (2..=6).contains(&work.primitives), "{work:?}");
}
