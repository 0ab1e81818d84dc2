//! `PairCache` of shapes of every kind: the answers without a cache, however they move and whatever it remembers.

use crate::forms::{counted, distance_within, within};
use crate::kinds::shapes;
use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::generate::{self, Supertoroid};
use heurt_query::{Budget, Budgeted, ContactOptions, Distance, PairCache, contact_manifold, distance, overlap};
use heurt_shape::{Compound, Convex, Core, MeshShape, Shape, ShapeRef, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use heurt_testkit::test_size;
use std::cell::Cell;
use std::sync::Arc;

/// Whether it is a surface of triangles, margins and all: then distances are the same to the bit.
fn is_surface(shape: &Shape) -> bool {
    match shape {
        Shape::Mesh(_) | Shape::Rounded(_) => true,
        Shape::Convex(convex) => matches!(convex.core(), Core::Hull(_)),
        Shape::Compound(_) | Shape::Superquadric(_) => false,
    }
}

/// How often questions were answered without a search.
#[derive(Default)]
struct CacheTally {
    queries: u32,
    at_once: u32,
    met: u32,
    faults: Vec<String>,
}

impl CacheTally {
    fn compare(&mut self, found: Option<Distance>, expected: Option<Distance>, to_the_bit: bool, max: f64, what: &str) {
        let is_same = match (found, expected) {
            _ if to_the_bit => found == expected,
            (Some(found), Some(expected)) => {
                (found.distance - expected.distance).abs() <= found.error + expected.error
                    && (found.distance == 0.0) == (expected.distance == 0.0)
            }
            // What lies at the limit may be told to lie on either side of it.
            (Some(one), None) | (None, Some(one)) => (one.distance - max).abs() <= 2.0 * one.error,
            (None, None) => true,
        };
        if !is_same {
            self.faults.push(format!("{what}: distance within {max}: {found:?}, without a cache {expected:?}"));
        }
    }

    /// Asks everything with the cache and without.
    fn check(&mut self, cache: &mut PairCache, (a, p): (&Shape, &Pose), (b, q): (&Shape, &Pose), what: &str) {
        let both_convex = matches!((a, b), (Shape::Convex(_), Shape::Convex(_)));
        let to_the_bit = !both_convex && is_surface(a) && is_surface(b);
        let meets = overlap(a, p, b, q).is_some();
        self.queries += 1;
        self.met += u32::from(meets);
        for (again, max) in [f64::INFINITY, 0.05].into_iter().enumerate() {
            if cache.overlaps(a, p, b, q) != meets {
                self.faults.push(format!("{what}: overlaps is not {meets}"));
            }
            let (found, work) = counted(cache.distance_with(a, p, b, q, &within(max)));
            self.at_once += u32::from(again == 1 && work.volumes == 0);
            self.compare(found, distance_within(a, p, b, q, max), to_the_bit, max, what);
        }
        // Depths take their time, and the front does not speak of them.
        for margin in if meets { [].as_slice() } else { &[0.0, 0.02] } {
            if cache.contact_manifold(a, p, b, q, *margin) != contact_manifold(a, p, b, q, *margin) {
                self.faults.push(format!("{what}: contact within {margin}"));
            }
        }
    }
}

fn turned(pose: &Pose, axis: Vec3, angle: f64, shift: Vec3) -> Pose {
    let turn = Pose::from_quaternion(Quat::from_axis_angle(axis, angle).to_array(), Vec3::ZERO).unwrap();
    Pose::from_matrix(*turn.rotation() * *pose.rotation(), pose.translation() + shift).unwrap()
}

/// Past each other and through each other, in steps from a millionth of the size to a tenth.
/// `HEURT_CACHE_STEPS=40 cargo test --release -p heurt-query --test it cache_kinds::` runs thirteen times as many.
#[test]
fn all_kinds_that_drift_are_told_as_without_a_cache() {
    let steps = test_size("HEURT_CACHE_STEPS", 3);
    let mut random = Random::new(17);
    let all = shapes(&mut random);
    let mut tally = CacheTally::default();
    // One cache goes from pair to pair, too.
    let mut passed_on = PairCache::default();
    for (name_a, a) in &all {
        for (name_b, b) in &all {
            for step in [1e-6, 1e-4, 1e-3, 1e-2, 0.1] {
                let (p, mut q) = (random.pose(0.2), random.pose(1.2));
                let (axis, shift) = (random.vector(1.0).normalize(), random.vector(1.0) * step);
                let mut cache = PairCache::default();
                for k in 0..steps {
                    let what = format!("{name_a}, {name_b}, step {step}, {k}");
                    tally.check(&mut cache, (a, &p), (b, &q), &what);
                    if k == 2 {
                        tally.check(&mut passed_on, (a, &p), (b, &q), &format!("{what}, passed on"));
                        tally.check(&mut cache, (b, &q), (a, &p), &format!("{what}, swapped"));
                    }
                    q = turned(&q, axis, step, shift);
                }
            }
        }
    }
    let CacheTally { queries, at_once, met, faults } = tally;
    println!("{queries} queries, {met} met, {at_once} limited distances at once");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(
        at_once * 8 > queries && met * 8 > queries && met * 8 < 7 * queries,
        "{at_once} of {queries} at once, {met} met"
    );
}

/// Grazing: to and fro across the touch, by steps of some ulp and some thousandths.
#[test]
fn touching_and_parting_again_is_told_as_without_a_cache() {
    let mut random = Random::new(18);
    let all = shapes(&mut random);
    let mut tally = CacheTally::default();
    for (name_a, a) in &all {
        for (name_b, b) in &all {
            let (p, away) = (random.pose(0.1), random.vector(1.0).normalize());
            let q = random.pose(0.1).shifted(away * 4.0).unwrap();
            let Some(gap) = distance_within(a, &p, b, &q, f64::INFINITY).filter(|gap| gap.distance > 0.0) else {
                continue;
            };
            let direction = -gap.normal.unwrap();
            let mut cache = PairCache::default();
            for (k, off) in [1e-3, 1e-3, 1e-9, 1e-15, 0.0, -1e-15, -1e-9, -1e-3, 1e-3, 2e-3].into_iter().enumerate() {
                let q = q.shifted(direction * (gap.distance - off)).unwrap();
                tally.check(&mut cache, (a, &p), (b, &q), &format!("{name_a}, {name_b}, {off}, {k}"));
            }
        }
    }
    let CacheTally { queries, met, faults, .. } = tally;
    println!("{queries} queries, {met} met");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(met * 5 > queries && met * 5 < 4 * queries, "{met} of {queries} met");
}

/// Far apart a front answers without a look at any volume; where shapes stay apart in small steps, it goes on to.
#[test]
fn what_stays_apart_is_told_at_once() {
    let mut random = Random::new(19);
    let all = shapes(&mut random);
    for (name_a, a) in &all {
        for (name_b, b) in &all {
            if matches!((a, b), (Shape::Convex(_), Shape::Convex(_))) {
                continue;
            }
            let (p, mut q) = (random.pose(0.1), random.pose(0.1).shifted(Vec3::new(0.0, 0.0, 4.0)).unwrap());
            if overlap(a, &p, b, &q).is_some()
                || [a, b].map(|shape| ShapeRef::from(shape).bounds()).iter().any(|bounds| !bounds.min.is_finite())
            {
                continue;
            }
            let mut cache = PairCache::default();
            let mut looked_at = 0;
            for _ in 0..40 {
                let (found, work) = counted(cache.distance_with(a, &p, b, &q, &within(0.5)));
                assert!(found.is_none(), "{name_a}, {name_b}");
                looked_at += u32::from(work.volumes > 0);
                q = turned(&q, Vec3::Z, 1e-4, Vec3::X * 1e-4);
            }
            assert!(looked_at <= 12, "{name_a}, {name_b}: {looked_at} of 40 looked at volumes");
        }
    }
}

/// A cache that is asked about a mesh and about the same mesh within a margin speaks of each.
#[test]
fn margins_are_told_apart() {
    let mut random = Random::new(20);
    let all = shapes(&mut random);
    let mesh = all.iter().find(|(name, _)| *name == "mesh").map(|(_, mesh)| mesh.clone()).unwrap();
    let bodies = [0.1, 0.3, 0.6].map(|radius| Shape::from(Convex::sphere(radius).unwrap()));
    let grown = [0.05, 0.2].map(|margin| mesh.clone().with_margin(margin).unwrap());
    let mut tally = CacheTally::default();
    let mut cache = PairCache::default();
    let (p, mut q) = (random.pose(0.1), random.pose(0.1).shifted(Vec3::X * 1.2).unwrap());
    for k in 0..60 {
        let a = [&mesh, &grown[0], &grown[1]][k % 3];
        tally.check(&mut cache, (a, &p), (&bodies[k % 7 % 3], &q), &format!("{k}"));
        q = turned(&q, Vec3::Z, 1e-3, Vec3::X * -0.01);
    }
    assert!(tally.faults.is_empty(), "{}", tally.faults.join("\n"));
    assert!(tally.met > 10 && tally.met < 60, "{}", tally.met);
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

/// Asks a few times, moved a little, so that whatever can be remembered is; then elsewhere.
fn check_near_and_then(
    a: &Shape,
    b: &Shape,
    before: [&Pose; 2],
    after: [&Pose; 2],
    tally: &mut CacheTally,
    what: &str,
) {
    for first in 0..3 {
        let mut cache = PairCache::default();
        for _ in 0..4 {
            match first {
                0 => _ = counted(cache.distance_with(a, before[0], b, before[1], &within(0.5))),
                1 => _ = cache.contact_manifold(a, before[0], b, before[1], 0.0),
                _ => _ = cache.overlaps(a, before[0], b, before[1]),
            }
        }
        tally.check(&mut cache, (a, after[0]), (b, after[1]), &format!("{what}, {first} first"));
    }
}

/// What is endless is near however far its origin is.
#[test]
fn a_ring_that_falls_on_a_plane_is_told_to_touch_it() {
    let mut random = Random::new(21);
    let all = shapes(&mut random);
    let plane = Shape::from(Convex::half_space(Vec3::Z, 0.0).unwrap());
    let mut tally = CacheTally::default();
    for (name, shape) in &all {
        let (before, after) = (at(10.0, 0.0, 2.0), at(10.0, 0.0, -1.0));
        check_near_and_then(shape, &plane, [&before, &Pose::IDENTITY], [&after, &Pose::IDENTITY], &mut tally, name);
        check_near_and_then(&plane, shape, [&Pose::IDENTITY, &before], [&Pose::IDENTITY, &after], &mut tally, name);
    }
    assert!(tally.faults.is_empty(), "{}", tally.faults.join("\n"));
    assert!(tally.met > 90, "{}", tally.met);
}

/// Ways whose squares are nothing or no numbers.
#[test]
fn ways_of_any_length_are_noticed() {
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let mut tally = CacheTally::default();
    for size in [1e-200, 1e-160, 1e-3, 1e150, 1e160] {
        let mesh = Shape::Mesh(Arc::new(MeshShape::new(cube.scaled(size).unwrap()).unwrap()));
        let part = |shape: &Shape| Compound::new([(shape.clone(), Pose::IDENTITY)]).unwrap().into();
        let compound: Shape = part(&Convex::cuboid(Vec3::splat(size)).unwrap().into());
        for b in [&mesh, &compound] {
            let (near, deep) = (at(2.5 * size, 0.0, 0.0), at(size, 0.0, 0.0));
            for poses in [[&near, &deep], [&deep, &near]] {
                let here = &Pose::IDENTITY;
                check_near_and_then(&mesh, b, [here, poses[0]], [here, poses[1]], &mut tally, &format!("{size}"));
            }
        }
    }
    let ring = Superquadric::Toroid(Supertoroid::new(0.5, 0.2, 0.8, 1.2).unwrap());
    let wide: Shape = SuperquadricShape::from(ring).with_margin(1e152).unwrap().into();
    let (far, deep) = (at(1.35e154, 0.0, 0.0), at(1e152, 0.0, 0.0));
    check_near_and_then(&wide, &wide, [&Pose::IDENTITY, &far], [&Pose::IDENTITY, &deep], &mut tally, "a wide margin");
    assert!(tally.faults.is_empty(), "{}", tally.faults.join("\n"));
    assert!(tally.met > 20, "{}", tally.met);
}

#[test]
fn limits_that_are_none_and_below_nothing_are_told_alike() {
    let mut random = Random::new(22);
    let all = shapes(&mut random);
    for (name_a, a) in &all {
        for (name_b, b) in &all {
            let (p, q) = (random.pose(0.3), random.pose(0.8));
            let mut cache = PairCache::default();
            for _ in 0..3 {
                assert_eq!(counted(cache.distance_with(a, &p, b, &q, &within(-1.0))).0, None, "{name_a}, {name_b}");
                assert_eq!(distance_within(a, &p, b, &q, -1.0), None, "{name_a}, {name_b}");
                let (found, without) =
                    (counted(cache.distance_with(a, &p, b, &q, &within(f64::NAN))).0, distance(a, &p, b, &q));
                let found = found.unwrap();
                let error = found.error + without.error;
                assert!(
                    (found.distance - without.distance).abs() <= error,
                    "{name_a}, {name_b}: {found:?} {without:?}"
                );
            }
            if overlap(a, &p, b, &q).is_none() {
                let (found, without) =
                    (cache.contact_manifold(a, &p, b, &q, f64::NAN), contact_manifold(a, &p, b, &q, f64::NAN));
                assert_eq!(found, without, "{name_a}, {name_b}");
                assert!(found.is_some(), "{name_a}, {name_b}");
            }
        }
    }
}

/// A cache that would look through a skin ends with the budget.
#[test]
fn what_is_remembered_costs_no_more_than_the_budget() {
    let mut random = Random::new(23);
    let all = shapes(&mut random);
    let work = 400;
    for (name_a, a) in &all {
        for (name_b, b) in &all {
            let (p, mut q) = (random.pose(0.3), random.pose(1.0));
            let mut cache = PairCache::default();
            for _ in 0..6 {
                let looks = Cell::new(0u64);
                let is_over = || {
                    looks.set(looks.get() + 1);
                    looks.get() > work
                };
                let budget = Budget { work: None, is_over: Some(&is_over) };
                let tally =
                    cache.contact_manifold_with(a, &p, b, &q, &ContactOptions { max_distance: 0.01, budget }).outcome;
                match tally {
                    Budgeted::Complete(found) => {
                        assert_eq!(found, contact_manifold(a, &p, b, &q, 0.01), "{name_a}, {name_b}")
                    }
                    // Nobody asks whether time is over once it is.
                    Budgeted::Partial(_) => assert_eq!(looks.get(), work + 1, "{name_a}, {name_b}"),
                }
                q = turned(&q, Vec3::Z, 1e-4, Vec3::X * 1e-4);
            }
        }
    }
}
