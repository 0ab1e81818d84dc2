//! `PairCache` of two meshes: the same bits as without a cache, however they move and whatever it remembers.

use crate::forms::{counted, distance_within, within};
use heurt_geometry::{Mat3, Pose, Quat, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{PairCache, contact_manifold, overlap};
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;

fn shape(mesh: TriMesh) -> MeshShape {
    MeshShape::new(mesh).unwrap()
}

/// Closed, with holes, thin, small; a hollow surface; a shell with a hole inside, which things can be in.
fn shapes() -> Vec<MeshShape> {
    let outer = generate::icosphere(1.0, 2).unwrap();
    let inner = generate::icosphere(0.7, 2).unwrap().reversed();
    vec![
        shape(generate::supertoroid(1.0, 0.4, 0.8, 0.7, 20).unwrap()),
        shape(generate::bumpy_sphere(0.6, 0.2, 5.0, 12).unwrap()),
        shape(generate::cuboid([0.2, 0.3, 1.0]).unwrap()),
        shape(generate::icosphere(0.15, 1).unwrap()),
        shape(generate::icosphere(0.9, 2).unwrap()).with_solid(false).unwrap(),
        shape(TriMesh::merged([&outer, &inner]).unwrap()),
    ]
}

/// How often questions were answered without looking at a volume.
#[derive(Default)]
struct CacheTally {
    queries: u32,
    at_once: u32,
    met: u32,
}

/// Asks everything with the cache and without.
fn agrees(
    cache: &mut PairCache,
    (a, p): (&MeshShape, &Pose),
    (b, q): (&MeshShape, &Pose),
    tally: &mut CacheTally,
    what: &str,
) {
    let meets = overlap(a, p, b, q).is_some();
    tally.queries += 1;
    tally.met += u32::from(meets);
    for (again, max) in [f64::INFINITY, 0.05, f64::INFINITY].into_iter().enumerate() {
        // Not always in the same order.
        if (tally.queries + again as u32).is_multiple_of(2) {
            assert_eq!(cache.overlaps(a, p, b, q), meets, "{what}: overlaps");
        }
        let (found, work) = counted(cache.distance_with(a, p, b, q, &within(max)));
        tally.at_once += u32::from(again == 0 && work.volumes == 0);
        assert_eq!(found, distance_within(a, p, b, q, max), "{what}: distance within {max}");
        assert_eq!(cache.overlaps(a, p, b, q), meets, "{what}: overlaps");
    }
    for margin in [0.0, 0.02] {
        let found = cache.contact_manifold(a, p, b, q, margin);
        assert_eq!(found, contact_manifold(a, p, b, q, margin), "{what}: contact within {margin}");
    }
}

fn turned(pose: &Pose, axis: Vec3, angle: f64, shift: Vec3) -> Pose {
    let turn = Pose::from_quaternion(Quat::from_axis_angle(axis, angle).to_array(), Vec3::ZERO).unwrap();
    let about = pose.translation();
    let turned = turn.compose(&pose.shifted(-about).unwrap());
    turned.shifted(about + shift).unwrap()
}

/// Past each other and through each other, in steps from a millionth of the size to a tenth; one question of each kind at a time.
#[test]
fn meshes_that_drift_are_told_to_the_bit() {
    let (all, mut random, mut tally) = (shapes(), Random::new(1), CacheTally::default());
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            for step in [1e-6, 1e-4, 1e-3, 1e-2, 0.1] {
                let (p, mut q) = (random.pose(0.2), random.pose(1.5));
                let (axis, shift) = (random.vector(1.0).normalize(), random.vector(1.0) * step);
                let mut caches: [PairCache; 3] = Default::default();
                for k in 0..10 {
                    let what = format!("{i} and {j}, step {step}, {k}");
                    assert_eq!(caches[0].overlaps(a, &p, b, &q), overlap(a, &p, b, &q).is_some(), "{what}");
                    let found = caches[1].contact_manifold(a, &p, b, &q, 0.0);
                    assert_eq!(found, contact_manifold(a, &p, b, &q, 0.0), "{what}: contact");
                    let (found, work) = counted(caches[2].distance_with(a, &p, b, &q, &within(f64::INFINITY)));
                    tally.queries += 1;
                    tally.at_once += u32::from(work.volumes == 0);
                    tally.met += u32::from(found.is_some_and(|found| found.distance == 0.0));
                    assert_eq!(found, distance_within(a, &p, b, &q, f64::INFINITY), "{what}: distance");
                    q = turned(&q, axis, step, shift);
                }
            }
        }
    }
    let CacheTally { queries, at_once, met } = tally;
    assert!(
        at_once * 8 > queries && met * 8 > queries && met * 8 < 7 * queries,
        "{at_once} of {queries} at once, {met} met"
    );
}

/// One cache for all questions, on motions that are meant to deceive it.
#[test]
fn no_motion_deceives_the_cache() {
    let (all, mut random, mut tally) = (shapes(), Random::new(2), CacheTally::default());
    for round in 0..60 {
        let a = &all[random.whole(0, all.len() as i64 - 1) as usize];
        let b = &all[random.whole(0, all.len() as i64 - 1) as usize];
        let far = Vec3::splat(if round % 5 == 0 { 1e6 } else { 0.0 });
        let p = random.pose(0.3).shifted(far).unwrap();
        let (q, axis) = (random.pose(1.4).shifted(far).unwrap(), random.vector(1.0).normalize());
        let shift = random.vector(0.01);
        let mut cache = PairCache::default();
        for k in 0..10 {
            let t = f64::from(k);
            let [p, q] = match round % 6 {
                // Both together, which changes nothing but roundings.
                0 => [turned(&p, axis, 0.1 * t, Vec3::ZERO), q].map(|pose| pose.shifted(axis * t).unwrap()),
                // On the spot, forth and back.
                1 => [p, turned(&q, axis, 1e-3 * if k % 2 == 0 { 1.0 } else { -1.0 }, shift * 0.1)],
                // Small steps, then a leap, then small steps.
                2 => [p, turned(&q, axis, 1e-4 * t, if k == 6 { shift * 60.0 } else { shift * 1e-3 * t })],
                // Half turns, which bring many points back to where they were.
                3 => [p, turned(&q, axis, std::f64::consts::PI * t, Vec3::ZERO)],
                // Not at all, and then by a hair.
                4 => [p, q.shifted(if k < 5 { Vec3::ZERO } else { shift * 1e-13 * t }).unwrap()],
                // Rotations that are not quite such.
                _ => {
                    let bent = Mat3::from_diagonal(Vec3::new(1.0, 1.0 + 2e-7, 1.0)) * *q.rotation();
                    [p, Pose::from_matrix(bent, q.translation() + shift * 0.1 * t).unwrap()]
                }
            };
            agrees(&mut cache, (a, &p), (b, &q), &mut tally, &format!("round {round}, step {k}"));
        }
        // What it remembers of one pair must not matter for another, nor for the same one the other way round.
        let other = &all[(round + 1) % all.len()];
        agrees(&mut cache, (other, &p), (b, &q), &mut tally, &format!("round {round}, another"));
        agrees(&mut cache, (b, &q), (a, &p), &mut tally, &format!("round {round}, swapped"));
    }
    assert!(tally.at_once > 40 && tally.met > 60, "{} of {}, {} met", tally.at_once, tally.queries, tally.met);
}

/// In and out through the surface: what is inside comes out, what was outside is inside, with steps short and long.
#[test]
fn what_comes_in_or_out_is_noticed() {
    let all = shapes();
    let (small, mut random, mut tally) = (&all[3], Random::new(3), CacheTally::default());
    for (number, outer) in [&all[0], &all[1], &all[4], &all[5]].into_iter().enumerate() {
        for step in [1e-3, 7e-3, 0.11, 0.45] {
            let direction = random.vector(1.0).normalize();
            let mut cache = PairCache::default();
            let from = -0.6 * step * random.unit();
            for k in 0..40 {
                let along = match step < 0.01 {
                    // Where a surface is likely to be.
                    true => 0.74 + step * f64::from(k) + from,
                    false => -2.0 + step * f64::from(k) + from,
                };
                let pose = Pose::from_translation(direction * along).unwrap();
                let what = format!("{number}, step {step}, {k}");
                agrees(&mut cache, (outer, &Pose::IDENTITY), (small, &pose), &mut tally, &what);
            }
        }
    }
    assert!(tally.met * 8 > tally.queries, "{} of {}", tally.met, tally.queries);
}

/// Nearest places at corners and edges that many triangles share: of equals always the same is told.
#[test]
fn ties_are_broken_alike() {
    let cube = shape(generate::cuboid([0.5; 3]).unwrap());
    let round = shape(generate::icosphere(0.5, 2).unwrap());
    let mut tally = CacheTally::default();
    for other in [&cube, &round] {
        for direction in [Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::ONE] {
            let mut cache = PairCache::default();
            for k in 0..12 {
                let gap = 1.2 + 1e-3 * f64::from(k % 5);
                let pose = Pose::from_translation(direction * gap).unwrap();
                agrees(&mut cache, (&cube, &Pose::IDENTITY), (other, &pose), &mut tally, &format!("{direction}, {k}"));
            }
        }
    }
    assert!(tally.at_once > 20, "{} of {}", tally.at_once, tally.queries);
}

/// A mesh that deforms under the cache's feet, and one with the same number of vertices elsewhere.
#[test]
fn what_deforms_is_asked_anew() {
    let mut bent = shape(generate::icosphere(0.5, 2).unwrap());
    let stretched = shape(generate::icosphere(0.55, 2).unwrap());
    let other = shape(generate::icosphere(0.5, 2).unwrap());
    let (mut cache, mut tally) = (PairCache::default(), CacheTally::default());
    let at = |x: f64| Pose::from_translation(Vec3::X * x).unwrap();
    for k in 0..6 {
        agrees(&mut cache, (&bent, &Pose::IDENTITY), (&other, &at(1.02 + 1e-4 * f64::from(k))), &mut tally, "as made");
    }
    assert!(tally.at_once > 2, "{}", tally.at_once);
    agrees(&mut cache, (&stretched, &Pose::IDENTITY), (&other, &at(1.02)), &mut tally, "a larger one");
    for k in 0..6 {
        let grown: Vec<Vec3> = bent.mesh().vertices().iter().map(|vertex| *vertex * 1.02).collect();
        bent.deform(&grown).unwrap();
        agrees(&mut cache, (&bent, &Pose::IDENTITY), (&other, &at(1.02)), &mut tally, &format!("grown {k} times"));
    }
    assert!(tally.met > 2, "{}", tally.met);
}
