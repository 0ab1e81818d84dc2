//! `PairCache::contact`: the same bits as without a cache, whatever it remembers.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_query::contact::contact_manifold;
use heurt_query::{PairCache, separation};
use heurt_shape::{Convex, Core};
use heurt_testkit::hard::convex_pairs::convex_pair;
use heurt_testkit::number::random::Random;

/// A box, hulls of 8 to 32 points, a tetrahedron, a flat polygon, a segment, a sphere, a capsule, a rounded hull, a cylinder.
fn shapes(random: &mut Random) -> Vec<Convex> {
    let mut ball = |count: usize| -> Vec<Vec3> {
        (0..count).map(|_| random.vector(1.0).normalize_or(Vec3::X) * Vec3::new(0.5, 0.4, 0.3)).collect()
    };
    vec![
        Convex::cuboid(Vec3::new(0.5, 0.3, 0.4)).unwrap(),
        Convex::cuboid(Vec3::splat(0.4)).unwrap(),
        Convex::hull(&ball(8)).unwrap(),
        Convex::hull(&ball(16)).unwrap(),
        Convex::hull(&ball(32)).unwrap(),
        Convex::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap(),
        Convex::triangle([Vec3::ZERO, Vec3::X, Vec3::Y]).unwrap(),
        Convex::segment([Vec3::X * -0.5, Vec3::new(0.5, 0.2, 0.0)]).unwrap(),
        Convex::sphere(0.4).unwrap(),
        Convex::capsule(0.2, 0.4).unwrap(),
        Convex::hull(&ball(8)).unwrap().with_margin(0.05).unwrap(),
        Convex::cylinder(0.4, 0.5).unwrap(),
    ]
}

/// Asks with the cache and without, several times: what was just remembered must not matter either. Whether they touch.
fn agrees(cache: &mut PairCache, (a, p): (&Convex, &Pose), (b, q): (&Convex, &Pose), margin: f64, what: &str) -> bool {
    let expected = contact_manifold(a, p, b, q, margin);
    for again in 0..2 {
        let before = cache.clone();
        let found = cache.contact_manifold(a, p, b, q, margin);
        if found != expected {
            let mut fresh = PairCache::default();
            fresh.contact_manifold(a, p, b, q, margin);
            panic!(
                "{what}, asked {again} times before: {found:?}\nbut {expected:?}\nwith {before:?}\nbut {fresh:?}\nof {a:?}\nand {b:?}"
            );
        }
    }
    expected.is_some()
}

fn turned(pose: &Pose, axis: Vec3, angle: f64, shift: Vec3) -> Pose {
    let turn = Pose::from_quaternion(Quat::from_axis_angle(axis, angle).to_array(), Vec3::ZERO).unwrap();
    let about = pose.translation();
    let turned = turn.compose(&pose.shifted(-about).unwrap());
    turned.shifted(about + shift).unwrap()
}

#[test]
fn pairs_that_tumble_are_told_to_the_bit() {
    let mut random = Random::new(1);
    let all = shapes(&mut random);
    let (mut touching, mut tested) = (0, 0);
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            for margin in [0.0, 0.05] {
                let mut cache = PairCache::default();
                let far = if random.one_in(4) { random.vector(1000.0) } else { Vec3::ZERO };
                let mut p = random.pose(0.2).shifted(far).unwrap();
                let mut q = random.pose(0.4).shifted(far).unwrap();
                for step in 0..60 {
                    let reach = [1e-15, 1e-9, 1e-4, 1e-3, 1e-2, 3e-2][random.whole(0, 5) as usize];
                    let axis = random.vector(1.0).normalize_or(Vec3::Y);
                    p = turned(&p, axis, random.between(-reach, reach), random.vector(reach));
                    // It is drawn back to the other one, so that they touch about every other time.
                    let back = (p.translation() - q.translation()) * random.between(-0.02, 0.02);
                    q = turned(&q, axis, random.between(-reach, reach), random.vector(reach) + back);
                    let what = format!("{i}, {j}, margin {margin}, step {step}");
                    touching += u32::from(agrees(&mut cache, (a, &p), (b, &q), margin, &what));
                    tested += 1;
                }
            }
        }
    }
    assert!(4 * touching > tested && touching < tested, "{touching} of {tested}");
}

/// Faces on faces, edges on edges, corners on corners, to the bit and a little off.
#[test]
fn boxes_on_a_grid_are_told_to_the_bit() {
    let mut random = Random::new(2);
    let boxes = [Vec3::splat(0.5), Vec3::new(0.5, 1.0, 0.25)].map(|half| Convex::cuboid(half).unwrap());
    let quarter = std::f64::consts::FRAC_1_SQRT_2;
    let turns = [[0.0, 0.0, 0.0, 1.0], [quarter, 0.0, 0.0, quarter], [0.0, 0.0, 1.0, 0.0], [0.5; 4]];
    let mut cache = PairCache::default();
    for round in 0..1600 {
        let (a, b) = (&boxes[random.whole(0, 1) as usize], &boxes[random.whole(0, 1) as usize]);
        let step = |random: &mut Random| random.whole(-4, 4) as f64 * 0.25;
        let turn = turns[random.whole(0, 3) as usize];
        let at = Vec3::new(step(&mut random), step(&mut random), step(&mut random));
        let exact = Pose::from_quaternion(turn, at).unwrap();
        for off in [0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-6, 1e-3] {
            let axis = random.vector(1.0).normalize_or(Vec3::Y);
            let shift = random.vector(off);
            for q in [turned(&exact, axis, off, Vec3::ZERO), turned(&exact, axis, off, shift), exact] {
                agrees(&mut cache, (a, &Pose::IDENTITY), (b, &q), 0.0, &format!("round {round}, {off:e} off"));
            }
        }
    }
}

/// One cache for pairs that are hard on purpose: it is of another pair each time, then of this one, moved a little.
#[test]
fn hard_pairs_are_told_to_the_bit() {
    let mut random = Random::new(3);
    let mut cache = PairCache::default();
    for round in 0..6000 {
        let (kind, a, b) = convex_pair(&mut random);
        let size = b.iter().fold(0.0, |most: f64, point| most.max((*point - b[0]).abs().max_element()));
        let (Ok(a), Ok(b)) = (Convex::hull(&a), Convex::hull(&b)) else { continue };
        for off in [0.0, 1e-15, 1e-9, 1e-3, 0.0] {
            let q = Pose::from_translation(random.vector(1.0) * (size * off)).unwrap();
            for margin in [0.0, 0.1 * size] {
                let what = format!("round {round}, {kind:?}, {off:e} off, margin {margin:e}");
                agrees(&mut cache, (&a, &Pose::IDENTITY), (&b, &q), margin, &what);
            }
        }
    }
}

/// What was proved of one pair says nothing of another, though it stands on the same poses.
#[test]
fn a_cache_of_another_pair_on_the_same_poses_changes_nothing() {
    let block = |x: f64, y: f64, z: f64| Convex::cuboid(Vec3::new(x, y, z)).unwrap();
    let (a, [first, second]) = (block(1.0, 1.0, 1.0), [block(0.9, 0.32, 0.5), block(0.9, 0.19, 0.3)]);
    let pose = Pose::from_translation(Vec3::new(1.0, 0.39, 0.0)).unwrap();
    let mut cache = PairCache::default();
    for b in [&first, &second, &first] {
        let known = cache.contact_manifold(&a, &Pose::IDENTITY, b, &pose, 0.0);
        assert_eq!(known, PairCache::default().contact_manifold(&a, &Pose::IDENTITY, b, &pose, 0.0));
        let fresh = known.unwrap();
        assert!([0.9, 0.8].iter().any(|depth| (fresh.separation + depth).abs() < 1e-9), "{fresh:?}");
    }
}

/// The corners of a speck far out fall on each other: none of its facets has an inside in which a foot could lie.
#[test]
fn a_speck_whose_placed_corners_fall_together_is_not_told_by_its_facets() {
    let (block, speck) = (Convex::cuboid(Vec3::ONE).unwrap(), Convex::cuboid(Vec3::splat(1e-17)).unwrap());
    let mut cache = PairCache::default();
    for at in [Vec3::new(3.0, 0.3, 0.2), Vec3::new(3.0, 3.0, 3.0), Vec3::new(0.2, 0.3, 3.0)] {
        let pose = Pose::from_translation(at).unwrap();
        let expected = contact_manifold(&speck, &pose, &block, &Pose::IDENTITY, f64::INFINITY);
        let found = cache.contact_manifold(&speck, &pose, &block, &Pose::IDENTITY, f64::INFINITY);
        assert_eq!(found, expected, "{at}");
        let length = (at - at.clamp(-Vec3::ONE, Vec3::ONE)).length();
        let found = found.unwrap();
        assert!((found.separation - length).abs() <= found.error, "{at}: {found:?}, exactly {length}");
    }
}

/// Powers of two change nothing but the exponents, with a memory and without.
#[test]
fn pairs_of_any_size_are_told_alike() {
    let mut random = Random::new(11);
    let all = shapes(&mut random);
    let scaled = |shape: &Convex, size: f64| match shape.core() {
        Core::Hull(hull) if shape.margin() == 0.0 => {
            Some(Convex::hull(&hull.corners().iter().map(|&corner| corner * size).collect::<Vec<_>>()).unwrap())
        }
        _ => None,
    };
    for exponent in [-1000, -330, -300, -266, -240, -145, -140, -130, -125, 125, 130, 250, 260, 330, 900] {
        let size = 2f64.powi(exponent);
        for round in 0..60usize {
            let (i, j) = (round % 6, round / 6 % 6);
            let (Some(a), Some(b)) = (scaled(&all[i], size), scaled(&all[j], size)) else { continue };
            let (mut cache, mut q) = (PairCache::default(), random.pose(0.4));
            for step in 0..20 {
                let placed = Pose::from_matrix(*q.rotation(), q.translation() * size).unwrap();
                let what = format!("2^{exponent}, {i}, {j}, step {step}");
                agrees(&mut cache, (&a, &Pose::IDENTITY), (&b, &placed), 0.0, &what);
                let one = separation(&all[i], &Pose::IDENTITY, &all[j], &q);
                let found = separation(&a, &Pose::IDENTITY, &b, &placed);
                let off = (found.separation / size - one.separation).abs();
                assert!(off <= one.error + found.error / size, "{what}: {found:?}\nbut {one:?}");
                assert!((found.normal.length() - 1.0).abs() < 1e-12, "{what}: {found:?}");
                let touch = contact_manifold(&a, &Pose::IDENTITY, &b, &placed, 0.0);
                for point in touch.iter().flat_map(|touch| &touch.points) {
                    assert!(point.point.is_finite() && point.separation.is_finite(), "{what}: {touch:?}");
                }
                q = turned(&q, random.vector(1.0).normalize_or(Vec3::Y), 1e-3, random.vector(1e-3));
            }
        }
    }
}

/// Edges beside a facet as narrow as roundings lie on one line: which of them is the nearest is as good as drawn.
#[test]
fn hulls_with_twin_corners_are_told_to_the_bit() {
    let mut random = Random::new(12);
    for round in 0..400usize {
        let mut twins = |count: usize| {
            let corners: Vec<Vec3> = (0..count).map(|_| random.vector(1.0).normalize_or(Vec3::X)).collect();
            let off = [1e-16, 1e-15, 1e-13, 1e-9, 1e-7][round % 5];
            let others: Vec<Vec3> = corners.iter().map(|&corner| corner + random.vector(off)).collect();
            Convex::hull(&[corners, others].concat()).unwrap()
        };
        let (a, b) = (twins(4), twins(5));
        let (mut cache, mut q) = (PairCache::default(), random.pose(0.4));
        for step in 0..30 {
            agrees(&mut cache, (&a, &Pose::IDENTITY), (&b, &q), 0.0, &format!("round {round}, step {step}"));
            q = turned(&q, random.vector(1.0).normalize_or(Vec3::Y), 1e-3, random.vector(1e-3));
        }
    }
}
