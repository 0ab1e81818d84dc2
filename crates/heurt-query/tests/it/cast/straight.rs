//! Hulls that go straight on, towards hulls and past the triangles of meshes.

use super::{Flight, mesh};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::generate;
use heurt_query::{CastOptions, Impact, distance, overlap};
use heurt_shape::{Convex, MeshShape};
use heurt_testkit::number::random::Random;

/// What is flat, thin, aligned, far away, slow or fast, along axes and past edges.
#[test]
fn hulls_that_translate_keep_the_contract_where_it_is_hard() {
    let mut random = Random::new(6);
    let (mut hits, mut grazes, mut all) = (0, 0, 0);
    for number in 0..4000 {
        let size = 10f64.powi(random.whole(-3, 3) as i32);
        let hull = |random: &mut Random| {
            let flat = [Vec3::ONE, Vec3::new(1.0, 1.0, 0.0), Vec3::X, Vec3::new(1.0, 1e-7, 1.0)];
            let corners: Vec<Vec3> = match random.whole(0, 2) {
                0 => (0..8).map(|k| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2))).collect(),
                _ => (0..random.whole(1, 40)).map(|_| random.vector(1.0)).collect(),
            };
            let squeeze = flat[random.whole(0, 9).min(3) as usize] * size;
            Convex::hull(&corners.iter().map(|&corner| corner * squeeze).collect::<Vec<_>>()).unwrap()
        };
        let (a, b) = (hull(&mut random), hull(&mut random));
        let far = if random.one_in(4) { random.vector(1e4 * size) } else { Vec3::ZERO };
        let is_aligned = random.one_in(2);
        let whole = |random: &mut Random| [0, 0, 0].map(|_: i32| random.whole(-3, 3) as f64 * 0.5);
        let place = |random: &mut Random| match is_aligned {
            true => Pose::from_translation(far + Vec3::from_array(whole(random)) * size).unwrap(),
            false => random.pose(1.0).shifted(far + random.vector(2.0 * size)).unwrap(),
        };
        let (pose_a, pose_b) = (place(&mut random), place(&mut random));
        let speed = 10f64.powi(random.whole(-4, 6) as i32);
        let direction = match is_aligned {
            true => Vec3::from_array(whole(&mut random)) * size,
            false => pose_a.translation() - pose_b.translation() + random.vector(size),
        };
        let motion_b = Motion::linear(direction * speed).unwrap();
        let flight = Flight { a: (&a).into(), pose_a, motion_a: Motion::STILL, b: (&b).into(), pose_b, motion_b };
        let tolerance = size * 10f64.powi(random.whole(-12, -2) as i32);
        // Far away nothing is known as well as that.
        let known = tolerance.max(1e-13 * (pose_a.max_translation() + pose_b.max_translation() + size));
        let options = CastOptions { max_time: random.between(0.5, 3.0) / speed, tolerance: Some(tolerance) };
        all += 1;
        if let Some(found) = flight.cast(&options).filter(|found| !flight.overlaps(found.time_upper)) {
            // What is flat or far away may pass within what roundings leave.
            assert!(flight.distance(found.time) <= known, "pair {number}: {found:?}");
            grazes += 1;
            continue;
        }
        hits += u32::from(flight.check(&options, known, 60, &format!("pair {number}")));
    }
    assert!(hits * 4 > all && hits < all && grazes * 50 < all, "{hits} of {all} hit, {grazes} graze");
}

/// Each triangle asked by itself, as a hull.
#[test]
fn a_hull_meets_a_mesh_where_it_meets_the_first_triangle() {
    let mut random = Random::new(7);
    let (mut hits, mut all) = (0, 0);
    for number in 0..150 {
        let mesh = mesh(&mut random);
        let corners: Vec<Vec3> = (0..random.whole(1, 40)).map(|_| random.vector(0.4)).collect();
        let hull = Convex::hull(&corners).unwrap();
        let pose_mesh = random.pose(1.0);
        let pose_hull = loop {
            let pose = random.pose(3.0);
            if overlap(&mesh, &pose_mesh, &hull, &pose).is_none() {
                break pose;
            }
        };
        let offset = pose_mesh.translation() - pose_hull.translation() + random.vector(0.5);
        let (motion_mesh, motion_hull) =
            (Motion::linear(-offset * 0.3).unwrap(), Motion::linear(offset * 0.6).unwrap());
        let flight = Flight {
            a: (&mesh).into(),
            pose_a: pose_mesh,
            motion_a: motion_mesh,
            b: (&hull).into(),
            pose_b: pose_hull,
            motion_b: motion_hull,
        };
        let options = CastOptions { max_time: random.between(0.5, 3.0), tolerance: Some(1e-7) };
        hits += u32::from(flight.check(&options, 1e-7, 30, &format!("mesh {number}")));
        all += 1;
        let found = flight.cast(&options);
        let of_triangles = (0..mesh.mesh().triangles().len() as u32).filter_map(|triangle| {
            let triangle = Convex::hull(&mesh.mesh().corners(triangle)).unwrap();
            Flight { a: (&triangle).into(), ..flight }.cast(&options)
        });
        let first =
            of_triangles.map(|found| [found.time, found.time_upper]).reduce(|x, y| [x[0].min(y[0]), x[1].min(y[1])]);
        assert_eq!(found.is_some(), first.is_some(), "mesh {number}: {found:?} {first:?}");
        if let (Some(found), Some([least, most])) = (found, first) {
            assert!(found.time <= most && least <= found.time_upper, "mesh {number}: {found:?} {least} {most}");
            let met_triangle = mesh.mesh().corners(found.primitives.unwrap()[0]);
            let met_triangle = Convex::hull(&met_triangle).unwrap();
            let [p, q] = flight.at(found.time);
            assert!(distance(&met_triangle, &p, &hull, &q).distance <= 1e-7, "mesh {number}: {found:?}");
            let swapped = flight.swapped().cast(&options).unwrap();
            assert!((swapped.time - found.time).abs() <= 1e-7 / offset.length() + 1e-12, "{swapped:?} {found:?}");
            assert!(swapped.primitives.unwrap()[0] == 0 && swapped.normal.unwrap().dot(found.normal.unwrap()) < -0.999);
        }
    }
    assert!(hits * 3 > all && hits < all, "{hits} of {all} hit");
}

/// Hulls of all sizes beside a mesh, near and from far away, each triangle asked by itself.
#[test]
fn small_hulls_meet_a_mesh_or_pass_it_by() {
    let mut random = Random::new(9);
    let mesh = MeshShape::new(generate::torus(0.5, 0.2, 32, 16).unwrap()).unwrap();
    let (mut hits, mut all) = (0, 0);
    for number in 0..300 {
        let size = 10f64.powf(random.between(-3.0, 0.0));
        let is_box = random.one_in(3);
        let points: Vec<Vec3> = (0..random.whole(1, 24)).map(|_| random.vector(size)).collect();
        let hull = if is_box { Convex::cuboid(Vec3::new(size, 0.2 * size, 0.5 * size)) } else { Convex::hull(&points) };
        let hull = hull.unwrap();
        let (pose_a, goal) = (random.pose(1.0), random.vector(0.9));
        let direction = random.vector(1.0).normalize();
        let from = if random.one_in(4) { random.between(10.0, 1e4) } else { random.between(0.5, 3.0) };
        let along = match number % 3 {
            // Along an axis of the mesh, to the last bit or nearly.
            0 => pose_a.rotation().x_axis,
            1 => (pose_a.rotation().z_axis + random.vector(1e-12)).normalize(),
            _ => direction,
        };
        let pose_b = random.pose(1.0);
        let pose_b = Pose::from_matrix(*pose_b.rotation(), pose_a.place(goal) - along * from).unwrap();
        if overlap(&mesh, &pose_a, &hull, &pose_b).is_some() {
            continue;
        }
        let motion_b = Motion::linear(along * (from * random.between(0.3, 1.5))).unwrap();
        let flight = Flight { a: (&mesh).into(), pose_a, motion_a: Motion::STILL, b: (&hull).into(), pose_b, motion_b };
        let options = CastOptions { max_time: random.between(0.5, 3.0), tolerance: Some(1e-7) };
        let found = flight.cast(&options);
        let mut first: Option<[f64; 2]> = None;
        for triangle in 0..mesh.mesh().triangles().len() as u32 {
            let triangle = Convex::hull(&mesh.mesh().corners(triangle)).unwrap();
            let impact = Flight { a: (&triangle).into(), ..flight }.cast(&options);
            let Some(Impact { time, time_upper, .. }) = impact else { continue };
            first = Some(first.map_or([time, time_upper], |[x, y]| [x.min(time), y.min(time_upper)]));
        }
        all += 1;
        assert_eq!(found.is_some(), first.is_some(), "hull {number}: {found:?} {first:?}");
        let Some((found, [least, most])) = found.zip(first) else { continue };
        assert!(found.time <= most && least <= found.time_upper, "hull {number}: {found:?} {least} {most}");
        assert!(flight.distance(found.time) <= 1e-7, "hull {number}: {found:?}");
        hits += 1;
    }
    assert!(hits * 4 > all && hits * 4 < 3 * all, "{hits} of {all} hit");
}
