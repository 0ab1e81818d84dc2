//! Rays, contacts and casts of exact superellipsoids and supertoroids, against formulas and many points.

use crate::forms::counted;
use heurt_geometry::{Mat3, Motion, Pose, Vec3};
use heurt_mesh::generate::{self, Superellipsoid, Supertoroid};
use heurt_query::{
    Budget, CastOptions, Contact, OverlapOptions, Ray, cast, cast_with, contact, contact_manifold, distance, overlap,
    overlap_with, ray,
};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, ShapeRef, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use std::sync::Arc;

const HERE: Pose = Pose::IDENTITY;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn direction(random: &mut Random) -> Vec3 {
    random.vector(1.0).normalize()
}

fn toroid(r0: f64, r1: f64, n1: f64, n2: f64) -> SuperquadricShape {
    Superquadric::Toroid(Supertoroid::new(r0, r1, n1, n2).unwrap()).into()
}

fn ellipsoid(radii: [f64; 3], n1: f64, n2: f64) -> SuperquadricShape {
    Superquadric::Ellipsoid(Superellipsoid::new(radii, n1, n2).unwrap()).into()
}

fn shapes() -> Vec<SuperquadricShape> {
    vec![
        toroid(1.0, 0.4, 1.0, 1.0),
        toroid(1.0, 0.4, 0.3, 1.7),
        toroid(1.0, 0.6, 2.0, 3.0),
        toroid(1.0, 0.3, 3.0, 0.5),
        ellipsoid([1.0, 0.7, 0.5], 3.0, 3.0),
        ellipsoid([1.0, 0.7, 0.5], 2.5, 0.4),
        ellipsoid([1.0, 0.7, 0.5], 0.2, 4.0),
        ellipsoid([1.0, 0.7, 0.5], 9.0, 8.0),
        ellipsoid([1.0, 0.7, 0.5], 0.1, 0.1),
    ]
}

/// S0's own function, which the code under test does not use.
fn is_inside(shape: &Superquadric, point: Vec3) -> bool {
    match shape {
        Superquadric::Toroid(toroid) => toroid.inside_outside(point) <= 1.0,
        Superquadric::Ellipsoid(ellipsoid) => ellipsoid.inside_outside(point) <= 1.0,
    }
}

#[test]
fn rays_stop_where_samples_first_lie_inside() {
    let mut random = Random::new(51);
    let (mut hits, mut misses, mut worst) = (0, 0, 0.0f64);
    for shape in shapes() {
        for k in 0..60 {
            let p = if k % 2 == 0 { HERE } else { random.pose(0.5) };
            let mut origin = direction(&mut random) * 3.0;
            let mut target = random.vector(0.8);
            if k % 3 == 0 {
                // In a plane of the axes.
                let axis = k / 3 % 3;
                (origin[axis], target[axis]) = (0.0, 0.0);
            }
            let (from, to) = (p.place(origin), p.place(target));
            let along = Ray::new(from, to - from, 3.0).unwrap();
            let found = ray(&shape, &p, &along);
            let local = |t: f64| origin + (target - origin) * t;
            let first = (0..60_000).map(|k| f64::from(k) * 5e-5).find(|&t| is_inside(shape.surface(), local(t)));
            if is_inside(shape.surface(), origin) {
                assert_eq!(found.map(|hit| hit.t), Some(0.0));
                continue;
            }
            match (&found, first) {
                (Some(hit), Some(first)) => {
                    hits += 1;
                    worst = worst.max(hit.error);
                    assert!(hit.t - hit.error <= first, "{shape:?}: {hit:?} {first}");
                    // Samples may step over thin spikes.
                    let before = local(hit.t - hit.error - 1e-12);
                    assert!(!is_inside(shape.surface(), before), "{shape:?}: {hit:?}");
                    let near = [-1e-13, 0.0, 1e-13].map(|more| hit.t + more + more.signum() * hit.error);
                    assert!(near.iter().any(|&t| is_inside(shape.surface(), local(t))), "{shape:?}: {hit:?}");
                    assert!((hit.normal.length() - 1.0).abs() < 1e-12 && hit.normal.dot(along.direction) <= 1e-9);
                }
                (None, Some(first)) => panic!("{shape:?} {origin} {target}: missed at {first}"),
                // So short a chord that samples step over it.
                (Some(hit), None) => {
                    let near = [-1e-13, 0.0, 1e-13].map(|more| hit.t + more);
                    assert!(near.iter().any(|&t| is_inside(shape.surface(), local(t))), "{shape:?}: {hit:?}");
                }
                (None, None) => misses += 1,
            }
        }
    }
    assert!(hits > 100 && misses > 30, "{hits} {misses}");
    println!("{hits} hits, {misses} misses, errors up to {worst:e}");
}

#[test]
fn rays_that_graze_start_inside_or_pass_the_hole() {
    let torus = toroid(2.0, 0.5, 1.0, 1.0);
    let hit = |z: f64| ray(&torus, &HERE, &Ray::new(Vec3::new(-9.0, 2.0, z), Vec3::X, 1e9).unwrap());
    assert!(hit(0.5 + 1e-12).is_none());
    let grazing = hit(0.5 - 1e-12).expect("below the top");
    // The tube falls off with the fourth power there.
    let chord = (4e-6f64 + 1e-12).sqrt();
    assert!((grazing.t - (9.0 - chord)).abs() < grazing.error && grazing.error < chord, "{grazing:?}");
    let through = |origin: Vec3, direction: Vec3| ray(&torus, &HERE, &Ray::new(origin, direction, 1e9).unwrap());
    assert!(through(Vec3::Z * 9.0, Vec3::NEG_Z).is_none(), "down the hole");
    assert_eq!(through(Vec3::X * 2.2, Vec3::X).map(|hit| hit.t), Some(0.0));
    let inner = through(Vec3::ZERO, Vec3::new(0.0, 1e-3, 0.0)).expect("from the hole outwards");
    assert!((inner.t - 1500.0).abs() <= inner.error && inner.error < 1e-9, "{inner:?}");
    assert!((inner.normal + Vec3::Y).length() < 1e-12);
    // All within a margin of a thin torus is a thicker one.
    let grown = toroid(2.0, 0.2, 1.0, 1.0).with_margin(0.3).unwrap();
    let mut random = Random::new(52);
    for _ in 0..20 {
        let origin = direction(&mut random) * 4.0;
        let along = Ray::new(origin, random.vector(1.5) - origin, 2.0).unwrap();
        match (ray(&torus, &HERE, &along), ray(&grown, &HERE, &along)) {
            (Some(x), Some(y)) => {
                assert!((x.t - y.t).abs() <= x.error + y.error, "{x:?} {y:?}");
                assert!((x.normal - y.normal).length() < 1e-3, "{x:?} {y:?}");
            }
            (x, y) => assert!(x.is_none() && y.is_none(), "{x:?} {y:?}"),
        }
    }
}

/// What is promised of every overlap: moved by the separation they are apart, and the bound is one.
fn check_depth<'a>(
    a: impl Into<ShapeRef<'a>>,
    p: &Pose,
    b: impl Into<ShapeRef<'a>>,
    q: &Pose,
    at_most: f64,
) -> Contact {
    let (a, b) = (a.into(), b.into());
    let found = contact(a, p, b, q, 0.0).expect("they overlap");
    let depth = -found.separation;
    assert!(depth > 0.0 && -found.separation_bound <= depth && !found.points.is_empty(), "{found:?}");
    let moved = Pose::from_translation(found.normal * depth).unwrap().compose(q);
    assert!(overlap(a, p, b, &moved).is_none(), "{found:?}");
    assert!(-found.separation_bound <= at_most * (1.0 + 1e-9) && depth >= at_most * (1.0 - 1e-9), "{found:?}");
    found
}

#[test]
fn depths_are_proved_from_both_sides() {
    let torus = toroid(1.0, 0.4, 1.0, 1.0);
    let ball = Convex::sphere(0.2).unwrap();
    // On the centre line a ball leaves the tube any way across.
    let found = check_depth(&torus, &HERE, &ball, &at(1.0, 0.0, 0.0), 0.6);
    assert!(-found.separation < 0.7 && -found.separation_bound > 0.45, "{found:?}");
    println!("ball in a torus: {} to {} (0.6)", -found.separation_bound, -found.separation);
    let found = check_depth(&ball, &at(0.0, 1.0, 0.0), &torus, &HERE, 0.6);
    assert!(-found.separation < 0.7, "{found:?}");
    // On top of each other as far as the height of the tubes tells.
    let found = check_depth(&torus, &HERE, &torus, &at(0.0, 0.0, 0.7), 0.1);
    assert!(-found.separation < 0.12, "{found:?}");
    println!("stacked tori: {} to {} (0.1)", -found.separation_bound, -found.separation);
    let star = ellipsoid([1.0, 1.0, 1.0], 3.0, 3.0);
    let cube = MeshShape::new(generate::cuboid([0.2, 0.2, 0.2]).unwrap()).unwrap();
    let found = contact(&star, &HERE, &cube, &at(1.1, 0.0, 0.0), 0.0).expect("a spike is in it");
    let moved = at(
        1.1 + found.normal.x * -found.separation,
        found.normal.y * -found.separation,
        found.normal.z * -found.separation,
    );
    assert!(overlap(&star, &HERE, &cube, &moved).is_none() && -found.separation < 0.11, "{found:?}");
    let parts = Compound::new([(torus.into(), HERE), (Convex::sphere(0.3).unwrap().into(), HERE)]).unwrap();
    let found = contact(&parts, &HERE, &ball, &at(1.0, 0.0, 0.3), 0.0).expect("on the tube");
    assert!(-found.separation < 0.4 && -found.separation >= 0.3 - 1e-9, "{found:?}");
}

#[test]
fn tori_lie_on_planes_all_round() {
    let torus = toroid(1.0, 0.4, 1.0, 1.0);
    let ground = Convex::half_space(Vec3::Z, 0.0).unwrap();
    for (height, margin) in [(0.3, 0.0), (0.4 - 1e-9, 0.0), (0.45, 0.1)] {
        let found = contact(&ground, &HERE, &torus, &at(0.0, 0.0, height), margin).unwrap();
        assert!((found.separation - (height - 0.4)).abs() <= found.error + 1e-15, "{found:?}");
        assert!((found.normal - Vec3::Z).length() < 1e-15 && found.points.len() >= 4, "{found:?}");
        for direction in [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y] {
            let deepest = found.points.iter().filter(|point| point.point.dot(direction) > 0.8);
            assert!(
                deepest.map(|point| point.separation).fold(1.0, f64::min) <= found.separation + 1e-12,
                "{direction}"
            );
        }
        let touch = contact_manifold(&torus, &at(0.0, 0.0, height), &ground, &HERE, margin).unwrap();
        assert!((touch.separation - found.separation).abs() < 1e-12 && touch.normal.z < -0.99);
    }
    let slab = Convex::cuboid(Vec3::new(3.0, 3.0, 1.0)).unwrap();
    let touch = contact_manifold(&torus, &at(0.0, 0.0, 1.38), &slab, &HERE, 0.0).unwrap();
    assert!((touch.separation + 0.02).abs() < 1e-9 && touch.normal.z < -0.99 && touch.points.len() >= 4, "{touch:?}");
    let separated = contact(&torus, &at(0.0, 0.0, 1.43), &slab, &HERE, 0.05).unwrap();
    assert!(
        (separated.separation - 0.03).abs() <= separated.error + 1e-13 && separated.points.len() >= 4,
        "{separated:?}"
    );
    // Surfaces of places in each other, whichever has them.
    let corner = contact_manifold(&slab, &at(3.9, 0.0, 0.0), &torus, &at(0.0, 0.0, 0.3), 0.0).unwrap();
    assert!(corner.separation < 0.0 && corner.normal.x < 0.0, "{corner:?}");
}

#[test]
fn casts_are_never_late() {
    let torus = toroid(1.0, 0.4, 1.0, 1.0);
    let ball = Convex::sphere(0.2).unwrap();
    let options = CastOptions { max_time: 4.0, ..CastOptions::default() };
    let fly = |velocity: Vec3| Motion::linear(velocity).unwrap();
    let time = |start: Vec3, velocity: Vec3| {
        let (p, still) = (Pose::from_translation(start).unwrap(), Motion::STILL);
        cast(&torus, &HERE, &still, &ball, &p, &fly(velocity), &options).unwrap()
    };
    let hit = time(Vec3::new(5.0, 0.0, 0.0), Vec3::NEG_X * 2.0).expect("from aside");
    assert!(hit.time <= 1.7 && hit.time_upper >= 1.7 - 1e-12 && hit.time_upper - hit.time < 1e-5, "{hit:?}");
    assert!(time(Vec3::new(0.0, 0.1, 5.0), Vec3::NEG_Z * 2.0).is_none(), "through the hole");
    let hit = time(Vec3::new(0.5, 0.0, 5.0), Vec3::NEG_Z * 2.0).expect("on the inner side");
    let exact = (5.0 - (0.6f64 * 0.6 - 0.25).sqrt()) / 2.0;
    assert!(
        hit.time <= exact && hit.time_upper >= exact - 1e-12 && hit.time_upper - hit.time < 1e-5,
        "{hit:?} {exact}"
    );
    assert_eq!(time(Vec3::X, Vec3::X).map(|hit| hit.time), Some(0.0));
    // A turning star against a wall, a torus falling on the ground, two tori.
    let mut random = Random::new(53);
    let star = ellipsoid([1.0, 0.8, 0.6], 3.0, 2.5);
    let ground = Convex::half_space(Vec3::Z, 0.0).unwrap();
    let wall = MeshShape::new(generate::cuboid([2.0, 2.0, 0.1]).unwrap()).unwrap();
    let others: [ShapeRef<'_>; 3] = [(&ground).into(), (&wall).into(), (&torus).into()];
    for (k, other) in others.into_iter().cycle().take(6).enumerate() {
        let turning = Motion::screw(Vec3::new(0.2, 0.0, -2.0), random.vector(3.0)).unwrap();
        let p = random.pose(0.0);
        let p = at(0.0, 0.1, 4.0).compose(&p);
        let body = if k % 2 == 0 { &star } else { &torus };
        let found = cast(body, &p, &turning, other, &HERE, &Motion::STILL, &options).unwrap();
        let pose = |t: f64| turning.pose_at(&p, t).unwrap();
        let meets = |t: f64| overlap(body, &pose(t), other, &HERE).is_some();
        let end = found.as_ref().map_or(4.0, |hit| hit.time);
        for k in 0..40 {
            let t = end * f64::from(k) / 40.0;
            assert!(!meets(t), "{k}: {t} {found:?}");
        }
        let hit = found.expect("it falls on it");
        assert!(meets(hit.time_upper) && hit.time_upper - hit.time < 1e-3, "{hit:?}");
    }
}

/// Those that turn fast over each other, and pass each other's holes.
#[test]
fn casts_of_what_turns_are_told_to_the_tolerance() {
    let mut random = Random::new(54);
    let shapes = shapes();
    let ball = Convex::sphere(0.2).unwrap();
    let block = Arc::new(MeshShape::new(generate::cuboid([0.6, 0.5, 0.4]).unwrap()).unwrap());
    let soft = RoundedMesh::new(Arc::clone(&block), 0.05).unwrap();
    let thick = toroid(0.8, 0.2, 0.5, 1.5).with_margin(0.1).unwrap();
    let parts =
        [(Shape::from(toroid(0.5, 0.2, 1.0, 1.0)), at(0.5, 0.0, 0.0)), (ball.clone().into(), at(-0.5, 0.0, 0.2))];
    let rattle = Compound::new(parts).unwrap();
    let (mut hits, mut misses, mut grazes) = (0, 0, 0);
    for number in 0..100 {
        let body = &shapes[random.whole(0, shapes.len() as i64 - 1) as usize];
        let other: ShapeRef<'_> = match number % 10 {
            0 => (&ball).into(),
            1 => (&*block).into(),
            2 => (&soft).into(),
            3 => (&thick).into(),
            4 => (&rattle).into(),
            _ => (&shapes[random.whole(0, shapes.len() as i64 - 1) as usize]).into(),
        };
        let [p, q] = [1.6, 0.0].map(|far| {
            let turn = random.pose(0.0);
            Pose::from_matrix(*turn.rotation(), direction(&mut random) * far).unwrap()
        });
        let spin = [0.0, 3.0, 30.0][number % 3];
        let motion = |random: &mut Random| Motion::screw(random.vector(0.4), random.vector(1.0) * spin).unwrap();
        let [fly, turn] = [motion(&mut random), motion(&mut random)];
        let options = CastOptions { max_time: 1.0, tolerance: Some(1e-5) };
        let found = cast(body, &p, &fly, other, &q, &turn, &options).unwrap();
        let [pose_a, pose_b] =
            [(&fly, &p), (&turn, &q)].map(|(motion, start)| move |t: f64| motion.pose_at(start, t).unwrap());
        let gap = |t: f64| distance(body, &pose_a(t), other, &pose_b(t));
        let end = found.as_ref().map_or(1.0, |hit| hit.time);
        let first = (0..64)
            .map(|k| end * f64::from(k) / 64.0)
            .find(|&t| overlap(body, &pose_a(t), other, &pose_b(t)).is_some());
        assert!(first.is_none() || end == 0.0, "{number}: {first:?} {found:?}");
        let Some(hit) = found else {
            misses += 1;
            continue;
        };
        let near = gap(hit.time);
        assert!(near.distance - near.error <= 1e-5, "{number}: {near:?} {hit:?}");
        grazes += i32::from(hit.time_upper - hit.time > 1e-3);
        hits += i32::from(hit.time > 0.0);
    }
    assert!(hits > 20 && misses > 12 && grazes == 0, "{hits} {misses} {grazes}");
}

/// Rings that turn about their own axis above each other, and links of a chain.
#[test]
fn casts_of_what_hovers_end() {
    let torus = toroid(1.0, 0.3, 1.0, 1.0);
    let spin = |rate: Vec3| Motion::screw(Vec3::ZERO, rate).unwrap();
    let options = CastOptions { max_time: 5.0, ..CastOptions::default() };
    let linked = Pose::from_quaternion([0.5f64.sqrt(), 0.0, 0.0, 0.5f64.sqrt()], Vec3::X).unwrap();
    let above = |gap: f64| (at(0.0, 0.0, 0.6 + gap), Vec3::Z * 3.0, gap > 0.05);
    for (q, turning, is_disjoint) in [above(0.1), above(0.01), above(1e-5), (linked, Vec3::Y * 3.0, true)] {
        let cast = cast_with(&torus, &HERE, &spin(Vec3::Z), &torus, &q, &spin(turning), &options, &Budget::default())
            .map(counted);
        let (found, work) = cast.unwrap();
        assert!(work.volumes + work.primitives < 1 << 21, "{q:?}: {work:?}");
        // They never touch: where the work ends before that is proved, nothing is told but that it is not.
        assert_eq!(found.is_none(), is_disjoint, "{q:?}: {found:?}");
        assert!(found.is_none_or(|hit| hit.time_upper == options.max_time), "{q:?}: {found:?}");
    }
}

/// What passes within the tolerance and does not touch is not told.
#[test]
fn casts_past_a_ring_are_told_apart_from_hits() {
    let (torus, ball) = (toroid(1.0, 0.4, 1.0, 1.0), Convex::sphere(0.1).unwrap());
    let options = CastOptions { max_time: 4.0, tolerance: Some(1e-3) };
    for share in [-0.5, -0.1, 0.6, 0.9, 1.5] {
        // Above the ring, along x and aslant.
        for velocity in [Vec3::NEG_X * 2.0, Vec3::new(-2.0, 0.3, 0.0)] {
            let p = Pose::from_translation(Vec3::new(3.0, -0.1, 0.5 + share * 1e-3)).unwrap();
            let fly = Motion::linear(velocity).unwrap();
            let found = cast(&torus, &HERE, &Motion::STILL, &ball, &p, &fly, &options).unwrap();
            assert_eq!(found.is_some(), share < 0.0, "{share}: {found:?}");
        }
    }
}

/// A pose may be off a rotation by a millionth: what is stretched so is no farther than told.
#[test]
fn casts_of_stretched_spikes_are_not_late() {
    let star = ellipsoid([1.0, 1.0, 1.0], 4.0, 4.0);
    let point = Convex::hull(&[Vec3::ZERO]).unwrap();
    let mut stretched = Mat3::IDENTITY;
    stretched.x_axis *= 1.0 + 4e-7;
    let options = CastOptions { max_time: 4.0, tolerance: Some(1e-9) };
    let there = at(3.0, 0.0, 0.0);
    let p = Pose::from_matrix(stretched, Vec3::ZERO).unwrap();
    let fly = Motion::linear(Vec3::X).unwrap();
    let hit = cast(&star, &p, &fly, &point, &there, &Motion::STILL, &options).unwrap().expect("tip first");
    assert!(hit.time <= 3.0 - stretched.x_axis.x + 1e-12, "{hit:?}");
}

/// Which places are the nearest of all does not matter to what overlaps by its margin: the first within it ends the search.
#[test]
fn overlaps_within_margins_are_told_soon() {
    let (star, ring) = (ellipsoid([0.6, 0.5, 0.4], 3.0, 2.5), toroid(0.5, 0.2, 0.8, 1.2));
    let others = [Convex::capsule(0.1, 0.3).unwrap(), Convex::point(), Convex::cuboid(Vec3::splat(0.2)).unwrap()];
    let (mut random, margin, mut most, mut within) = (Random::new(77), 0.1, 0, 0);
    for round in 0..200 {
        let (bare, b) = (if round % 2 == 0 { &star } else { &ring }, &others[round % 3]);
        let grown = bare.clone().with_margin(margin).unwrap();
        let (p, q) = (random.pose(0.4), random.pose(0.6));
        let (found, work) = counted(overlap_with(&grown, &p, b, &q, &OverlapOptions::default()));
        let core_gap = distance(bare, &p, b, &q);
        if (core_gap.distance - margin).abs() > core_gap.error {
            assert_eq!(found.is_some(), core_gap.distance < margin, "{round}: {core_gap:?}");
        }
        // Where there is a tenth of the margin to spare.
        if core_gap.distance > 0.0 && core_gap.distance < 0.9 * margin {
            (most, within) = (most.max(work.primitives), within + 1);
        }
        let gap = distance(&grown, &p, b, &q);
        if gap.distance == 0.0 {
            let common = Pose::from_translation(gap.point_a).unwrap();
            let off = [distance(&grown, &p, &Convex::point(), &common), distance(b, &q, &Convex::point(), &common)];
            assert!(off.iter().all(|off| off.distance <= 1e-12), "{round}: {gap:?}, {off:?}");
        }
    }
    println!("{within} overlap by the margin alone, {most} primitives at most");
    assert!(within > 10 && most < 2000, "{within} {most}");
}
