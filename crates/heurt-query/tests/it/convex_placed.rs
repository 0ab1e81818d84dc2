//! Convex shapes where placing rounds or shapes are awkward to each other: loose points, poses off by ulps, parallel faces, rims.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_query::{distance, overlap, separation};
use heurt_shape::{Convex, Core, MeshShape};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::convex::{hulls_meet, penetration_depth};

const HERE: Pose = Pose::IDENTITY;

/// Rims have corners nearly in one plane with the origin: flat tetrahedra of them do not hold it.
#[test]
fn cylinders_and_cones_beside_a_point_or_each_other_are_apart() {
    let mut random = Random::new(83);
    let tall = Convex::cylinder(0.5, 0.5).unwrap();
    let low = Convex::cylinder(0.25, 0.2).unwrap();
    let point = Convex::hull(&[Vec3::ZERO]).unwrap();
    let examples = [
        (&point, 0.0, Vec3::new(0.5000000008274441, 3.472704844504759e-05, 0.0)),
        (&low, 0.25, Vec3::new(0.7500000015083773, -3.8292885302166366e-05, 0.0)),
    ];
    let near = |random: &mut Random, k: u32| {
        let (other, radius) = if k.is_multiple_of(2) { (&point, 0.0) } else { (&low, 0.25) };
        let (aside, gap) = (10f64.powf(random.between(-9.0, -4.0)), 10f64.powf(random.between(-12.0, -8.0)));
        let along = ((0.5 + radius + gap).powi(2) - aside * aside).sqrt();
        let [x, y] = [[along, aside], [-along, aside], [aside, along], [aside, -along]][k as usize / 2 % 4];
        (other, radius, Vec3::new(x, y, 0.0))
    };
    let drawn: Vec<_> = (0..3000).map(|k| near(&mut random, k)).collect();
    for (other, radius, at) in examples.into_iter().chain(drawn) {
        let pose = Pose::from_translation(at).unwrap();
        let gap = at.x.hypot(at.y) - 0.5 - radius;
        assert!(gap > 1e-13);
        let case = format!("{radius} at {at:?}, {gap:e} apart");
        assert!(
            overlap(&tall, &HERE, other, &pose).is_none() && overlap(other, &pose, &tall, &HERE).is_none(),
            "{case}"
        );
        let found = distance(&tall, &HERE, other, &pose);
        assert!((found.distance - gap).abs() <= found.error + 16.0 * f64::EPSILON, "{case}: {found:?}");
        let found = separation(&tall, &HERE, other, &pose);
        assert!((found.separation - gap).abs() <= found.error + 16.0 * f64::EPSILON, "{case}: {found:?}");
    }
    let cone = Convex::cone(0.5, 0.5).unwrap();
    let pose = Pose::from_translation(Vec3::new(0.24793425673172, 0.03207186211689874, 7.558092470380869e-13)).unwrap();
    assert!(overlap(&cone, &HERE, &point, &pose).is_none(), "1.5e-12 apart");
}

#[test]
fn what_is_no_corner_of_a_hull_is_in_it_wherever_it_is_placed() {
    let mut random = Random::new(61);
    let flat = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.3, 0.3, 0.0), Vec3::new(0.5, 0.5, 0.0)];
    let line = vec![Vec3::ZERO, Vec3::new(1.0, 0.3, 0.7), Vec3::new(0.5, 0.15, 0.35)];
    let mut solid: Vec<Vec3> =
        (0..8).map(|k| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect();
    solid.extend([Vec3::new(0.3, 0.7, 1.0), Vec3::new(1.0, 0.25, 0.5), Vec3::new(0.5, 0.0, 0.0)]);
    let mut outside = 0;
    for (points, inner) in [(&flat, 3..5), (&line, 2..3), (&solid, 8..11)] {
        let hull = Convex::hull(points).unwrap();
        for _ in 0..200 {
            let pose = random.pose(3.0);
            let Core::Hull(core) = hull.core() else { unreachable!() };
            let corners: Vec<Vec3> = core.corners().iter().map(|&corner| pose.place(corner)).collect();
            for point in inner.clone().map(|k| pose.place(points[k])) {
                outside += u32::from(!hulls_meet(&corners, &[point]));
                let at = Convex::hull(&[point]).unwrap();
                assert!(overlap(&hull, &pose, &at, &HERE).is_some() && overlap(&at, &HERE, &hull, &pose).is_some());
                assert_eq!(distance(&hull, &pose, &at, &HERE).distance, 0.0);
                assert!(separation(&hull, &pose, &at, &HERE).separation <= 0.0);
                let speck = MeshShape::new(TriMesh::new(vec![point; 3], vec![[0, 1, 2]]).unwrap()).unwrap();
                assert!(overlap(&hull, &pose, &speck, &HERE).is_some(), "a mesh of that point");
            }
        }
    }
    assert!(outside > 300, "{outside} are outside the hull of the placed corners");
}

/// Deepest points are above each other, one at each end of the way out.
#[test]
fn moving_by_the_depth_makes_the_deepest_points_meet() {
    let mut random = Random::new(77);
    let roof = |height: f64| {
        let base = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        Convex::hull(&[&base[..], &[Vec3::new(-0.5, 0.0, height), Vec3::new(0.5, 0.0, height)]].concat()).unwrap()
    };
    let shapes =
        [Convex::cuboid(Vec3::ONE).unwrap(), Convex::cuboid(Vec3::new(0.5, 1.0, 0.25)).unwrap(), roof(1.0), roof(1e-6)];
    let mut tested = 0;
    for round in 0..4000 {
        let [a, b] = [0, 1].map(|_| &shapes[(random.unit() * 4.0) as usize % 4]);
        let about = [0.0, 3.0, 1e3][round % 3];
        let at = Vec3::splat(about);
        let half = |k: usize| f64::from(k as u32 % 4) * std::f64::consts::FRAC_PI_4;
        let turned = |k: usize, at| Pose::from_quaternion([0.0, 0.0, half(k).sin(), half(k).cos()], at).unwrap();
        let here = turned(round, at);
        let shift =
            Vec3::new(0.25 * f64::from((round % 5) as u32), 0.0, if round % 2 == 0 { 0.0 } else { random.unit() });
        let there = turned(round / 4, at + shift);
        let found = separation(a, &here, b, &there);
        if found.separation >= 0.0 {
            continue;
        }
        tested += 1;
        let off = (found.point_a - found.point_b + found.normal * found.separation).abs().max_element();
        assert!(off <= 1e-12 * (about + 4.0), "{round}: {off:e}, {found:?}");
    }
    assert!(tested > 2000, "{tested}");
}

/// Rotations are orthonormal but for some digits, of which a depth of several times the largest coordinate takes a share as large.
#[test]
fn rotations_off_by_a_few_ulp_leave_the_depth_within_its_error() {
    let mut random = Random::new(17);
    let cube = Convex::cuboid(Vec3::ONE).unwrap();
    let Core::Hull(hull) = cube.core() else { unreachable!() };
    for round in 0..400 {
        let [p, q] = [0, 1].map(|_| {
            let pose = random.pose(1e-6);
            let stretch = 1.0 + random.between(-7.0, 7.0) * f64::EPSILON;
            Pose::from_matrix(*pose.rotation() * stretch, pose.translation()).unwrap()
        });
        let placed = |pose: &Pose| -> Vec<Vec3> { hull.corners().iter().map(|&corner| pose.place(corner)).collect() };
        let (found, exact) = (separation(&cube, &p, &cube, &q), penetration_depth(&placed(&p), &placed(&q)));
        assert!((found.separation + exact).abs() <= found.error, "{round}: {found:?}, exactly {exact} deep");
        assert!(
            found.separation_bound >= -exact - found.error && -found.separation_bound <= exact,
            "{round}: {found:?}"
        );
    }
}
