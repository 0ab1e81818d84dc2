//! Compounds and meshes with a margin against brute force over parts and triangles.

use crate::forms::{distance_counted, distance_within};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate;
use heurt_query::{Ray, Witness, closest, contact, contains, distance, overlap, ray, separation};
use heurt_shape::{Compound, CompoundError, Convex, MeshShape, RoundedMesh, Shape, ShapeRef};
use heurt_testkit::number::random::Random;
use std::sync::Arc;

const HERE: Pose = Pose::IDENTITY;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn convex_part(random: &mut Random) -> Shape {
    let size = random.between(0.2, 0.6);
    let corners: Vec<Vec3> = (0..8).map(|_| random.vector(size)).collect();
    let convex = match random.whole(0, 5) {
        0 => Convex::sphere(size),
        1 => Convex::cuboid(Vec3::new(size, 0.4, 0.3)),
        2 => Convex::cylinder(size, 0.4),
        3 => Convex::hull(&corners).unwrap().with_margin(0.05),
        4 => Convex::ellipsoid(Vec3::new(size, 0.3, 0.4)),
        _ => Convex::capsule(0.2, size),
    };
    convex.unwrap().into()
}

fn mesh_part(random: &mut Random) -> Shape {
    let mesh = generate::supertoroid(0.5, 0.25, 1.0, random.between(0.5, 1.5), 16).unwrap();
    let solid = !random.one_in(3);
    MeshShape::new(mesh).unwrap().with_solid(solid).unwrap().into()
}

/// A compound of up to `count` parts, some of them in a compound within.
fn compound(random: &mut Random, count: i64, with_meshes: bool) -> Compound {
    let parts = |count: i64, random: &mut Random| -> Vec<(Shape, Pose)> {
        let part = |random: &mut Random| {
            let shape = if with_meshes && random.one_in(3) { mesh_part(random) } else { convex_part(random) };
            (shape, random.pose(1.0))
        };
        (0..count).map(|_| part(random)).collect()
    };
    let many = random.whole(1, count);
    let mut all = parts(many, random);
    if random.one_in(2) {
        let inner = Compound::new(parts(3, random)).unwrap();
        all.insert(0, (inner.into(), random.pose(0.5)));
    }
    Compound::new(all).unwrap()
}

fn parts<'a>(compound: &'a Compound, pose: &'a Pose) -> impl Iterator<Item = (&'a Shape, Pose)> {
    let place = |(number, part): (u32, &'a heurt_shape::Part)| (&part.shape, compound.place(number, pose));
    (0u32..).zip(compound.parts()).map(place)
}

#[test]
fn a_compound_overlaps_and_is_as_far_as_its_parts() {
    let mut random = Random::new(31);
    let (mut overlapping, mut disjoint) = (0, 0);
    for round in 0..150 {
        let a = compound(&mut random, 12, true);
        let p = random.pose(1.0);
        let q = random.pose(if round % 2 == 0 { 1.0 } else { 4.0 });
        let b = match round % 5 {
            0 => convex_part(&mut random),
            1 => mesh_part(&mut random),
            2 => convex_part(&mut random).with_margin(0.1).unwrap(),
            3 => mesh_part(&mut random).with_margin(0.1).unwrap(),
            _ => compound(&mut random, 6, true).into(),
        };
        let least =
            parts(&a, &p).map(|(part, pose)| distance(part, &pose, &b, &q).distance).fold(f64::INFINITY, f64::min);
        let any = parts(&a, &p).any(|(part, pose)| overlap(part, &pose, &b, &q).is_some());
        let found = distance(&a, &p, &b, &q);
        assert!((found.distance - least).abs() <= found.error, "{round}: {found:?} {least}");
        assert_eq!(overlap(&a, &p, &b, &q).is_some(), any, "{round}");
        assert_eq!(found.distance == 0.0, any, "{round}: {found:?}");
        let swapped = distance(&b, &q, &a, &p);
        assert!((swapped.distance - found.distance).abs() <= found.error + swapped.error, "{round}");
        let between = (found.point_b - found.point_a).length();
        assert!((between - found.distance).abs() <= found.error + 1e-9, "{round}: {found:?}");
        if let Some([i, _]) = found.primitives {
            let number = a.part_of(i);
            let part = &a.parts()[number as usize];
            assert!(i >= part.first && i - part.first < part.shape.primitives(), "{round}");
            let that = distance(&part.shape, &a.place(number, &p), &b, &q);
            assert!(
                that.distance <= least + that.error + found.error,
                "{round}: the part that is told is not the nearest"
            );
        }
        if let Some(Witness::Primitives { a: i, .. }) = overlap(&a, &p, &b, &q) {
            let number = a.part_of(i);
            assert!(overlap(&a.parts()[number as usize].shape, &a.place(number, &p), &b, &q).is_some(), "{round}");
        }
        if found.distance > 0.0 {
            disjoint += 1;
            assert!(distance_within(&a, &p, &b, &q, found.distance * 0.99).is_none(), "{round}");
            assert!(distance_within(&a, &p, &b, &q, found.distance * 1.01).is_some(), "{round}");
        } else {
            overlapping += 1;
        }
    }
    assert!(overlapping > 30 && disjoint > 30, "{overlapping} {disjoint}");
    let floor = Convex::half_space(Vec3::Z, -2.0).unwrap();
    for _ in 0..20 {
        let (a, p) = (compound(&mut random, 6, true), random.pose(1.5));
        let least = parts(&a, &p)
            .map(|(part, pose)| distance(part, &pose, &floor, &HERE).distance)
            .fold(f64::INFINITY, f64::min);
        assert_eq!(distance(&a, &p, &floor, &HERE).distance, least);
        assert_eq!(overlap(&floor, &HERE, &a, &p).is_some(), least == 0.0);
    }
}

#[test]
fn points_and_rays_meet_a_compound_where_they_meet_its_parts() {
    let mut random = Random::new(32);
    let (mut inside, mut hits, mut loose) = (0, 0, 0);
    for round in 0..300 {
        let (a, p) = (compound(&mut random, 10, true), random.pose(1.0));
        let point = p.translation() + random.vector(0.8);
        let found = closest(&a, &p, point);
        let of_parts: Vec<_> = parts(&a, &p).map(|(part, pose)| closest(part, &pose, point)).collect();
        let holders = of_parts.iter().filter(|one| one.inside == Some(true));
        let deepest = holders.map(|one| one.distance).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(contains(&a, &p, point), parts(&a, &p).any(|(part, pose)| contains(part, &pose, point)), "{round}");
        if deepest >= 0.0 {
            inside += 1;
            assert_eq!(found.inside, Some(true), "{round}");
            assert_eq!(found.signed_distance, Some(-found.distance), "{round}");
            // The interval holds the bound of the deepest part, and ends on the boundary.
            assert!(
                found.distance - found.error <= deepest + 1e-12 && found.distance >= deepest - 1e-12,
                "{round}: {found:?}"
            );
            let end = closest(&a, &p, found.point);
            assert!(end.distance <= 2.0 * end.error + found.error + 1e-9, "{round}: {found:?} {end:?}");
            loose += usize::from(found.error > 1e-9);
        } else {
            let least = of_parts.iter().map(|one| one.distance).fold(f64::INFINITY, f64::min);
            assert!((found.distance - least).abs() <= found.error, "{round}: {found:?} {least}");
            assert_ne!(found.inside, Some(true), "{round}");
        }
        let from = p.translation() + random.vector(3.0);
        let along = Ray::new(from, p.translation() + random.vector(1.0) - from, 2.0).unwrap();
        let first = parts(&a, &p)
            .filter_map(|(part, pose)| ray(part, &pose, &along))
            .map(|hit| hit.t)
            .fold(f64::INFINITY, f64::min);
        match ray(&a, &p, &along) {
            Some(hit) => {
                hits += 1;
                assert!((hit.t - first).abs() <= hit.error, "{round}: {hit:?} {first}");
                let number = a.part_of(hit.primitive);
                let one = ray(&a.parts()[number as usize].shape, &a.place(number, &p), &along).unwrap();
                assert_eq!(one.t, hit.t, "{round}");
            }
            None => assert_eq!(first, f64::INFINITY, "{round}"),
        }
    }
    println!("{inside} inside, {loose} of them with an interval; {hits} hits");
    assert!(inside > 30 && hits > 50);
}

#[test]
fn two_overlapping_boxes_are_as_deep_as_their_union() {
    let cube = || Shape::from(Convex::cuboid(Vec3::splat(0.5)).unwrap());
    let bar = Compound::new([(cube(), at(-0.25, 0.0, 0.0)), (cube(), at(0.25, 0.0, 0.0))]).unwrap();
    // The way out of either cube along x would lead into the other one.
    let found = closest(&bar, &HERE, Vec3::ZERO);
    assert_eq!((found.distance, found.inside), (0.5, Some(true)), "{found:?}");
    assert!((found.error - 0.25).abs() < 1e-12, "{found:?}");
    let near_face = closest(&bar, &HERE, Vec3::new(0.2, 0.0, 0.0));
    assert!(near_face.distance >= 0.45 && near_face.distance <= 0.5 + 1e-12, "{near_face:?}");
    assert!(near_face.distance - near_face.error <= 0.5 && near_face.error <= 0.1, "{near_face:?}");
    assert!(closest(&bar, &HERE, Vec3::new(0.7, 0.0, 0.0)).error < 1e-12);
}

#[test]
fn contacts_of_compounds_separate_and_their_bounds_hold() {
    let mut random = Random::new(33);
    let (mut overlapping, mut tight) = (0, 0);
    for round in 0..120 {
        let (a, p) = (compound(&mut random, 8, false), random.pose(0.5));
        let Shape::Convex(b) = convex_part(&mut random) else { unreachable!() };
        let q = random.pose(0.8);
        let found = contact(&a, &p, &b, &q, 0.5);
        let of_parts: Vec<_> = parts(&a, &p)
            .filter_map(|(part, pose)| match part {
                Shape::Convex(part) => contact(part, &pose, &b, &q, 0.5),
                _ => unreachable!(),
            })
            .collect();
        let least = of_parts.iter().map(|one| one.separation).fold(f64::INFINITY, f64::min);
        let Some(found) = found else {
            assert!(of_parts.is_empty(), "{round}");
            continue;
        };
        assert_eq!(found.separation <= 0.0, overlap(&a, &p, &b, &q).is_some(), "{round}");
        if found.separation > 0.0 {
            // Contacts of convex shapes come from their features, distances of compounds from nearest points.
            assert!((found.separation - least).abs() <= found.error, "{round}: {found:?}, {least}");
            assert!(found.separation_bound <= found.separation, "{round}");
            continue;
        }
        overlapping += 1;
        tight += usize::from(found.separation >= 1.1 * found.separation_bound);
        let away = Pose::from_translation(found.normal * -found.separation).unwrap().compose(&q);
        assert!(overlap(&a, &p, &b, &away).is_none(), "{round}: {found:?}");
        assert!(found.separation_bound >= found.separation && found.separation_bound <= 0.0, "{round}: {found:?}");
        let deepest = of_parts.iter().map(|one| one.separation_bound).fold(0.0, f64::min);
        assert!(found.separation_bound <= deepest + 64.0 * f64::EPSILON * 2.0, "{round}: {found:?}, {deepest}");
        assert!(found.separation >= found.separation_bound - found.error, "{round}: {found:?}");
        let whole = random.pose(3.0);
        let (moved_p, moved_q) = (whole.compose(&p), whole.compose(&q));
        let room = 1e-12
            * (ShapeRef::from(&a).max_coordinate()
                + ShapeRef::from(&b).max_coordinate()
                + moved_p.max_translation()
                + moved_q.max_translation());
        for other in [contact(&b, &q, &a, &p, 0.5), contact(&a, &moved_p, &b, &moved_q, 0.5)].map(Option::unwrap) {
            let bounds = [found.separation - other.separation, found.separation_bound - other.separation_bound];
            assert!(bounds.iter().all(|gap| gap.abs() <= room), "{round}: {found:?} and {other:?}");
        }
        assert!(found.points.iter().all(|point| (point.primitives[0] as usize) < a.parts().len()), "{round}");
    }
    assert!(overlapping > 30 && 10 * tight > 9 * overlapping, "{tight} of {overlapping}");
}

/// Whatever the parts are: moving by the separation separates, and nothing shorter is claimed to.
#[test]
fn contacts_of_all_kinds_of_parts_separate() {
    let mut random = Random::new(34);
    let torus = Arc::new(MeshShape::new(generate::supertoroid(0.5, 0.2, 1.0, 1.0, 12).unwrap()).unwrap());
    let rounded = Shape::Rounded(Arc::new(RoundedMesh::new(Arc::clone(&torus), 0.05).unwrap()));
    let mixed = Compound::new([(rounded.clone(), at(0.4, 0.0, 0.0)), (convex_part(&mut random), at(-0.4, 0.1, 0.0))]);
    let floor = Shape::from(Convex::half_space(Vec3::new(0.1, 0.0, 1.0), -0.2).unwrap());
    let ball = Shape::from(Convex::sphere(0.3).unwrap());
    let shapes = [mixed.unwrap().into(), rounded, Shape::Mesh(torus), floor, ball];
    let (mut deep, mut disjoint) = (0, 0);
    for round in 0..16 {
        for (i, a) in shapes.iter().enumerate() {
            for (j, b) in shapes.iter().enumerate().filter(|&(j, _)| i != j) {
                let (p, q) = (random.pose(0.4), random.pose(0.6));
                let what = format!("{round}, {i} and {j}");
                let meets = overlap(a, &p, b, &q).is_some();
                let Some(found) = contact(a, &p, b, &q, 0.1) else {
                    assert!(distance(a, &p, b, &q).distance > 0.1 - 1e-12, "{what}");
                    continue;
                };
                assert!(!found.points.is_empty() && found.normal.is_normalized(), "{what}: {found:?}");
                if found.separation > 0.0 {
                    assert!(!meets, "{what}: {found:?}");
                    assert!((found.separation - distance(a, &p, b, &q).distance).abs() <= 2.0 * found.error, "{what}");
                    disjoint += 1;
                    continue;
                }
                let away = Pose::from_translation(found.normal * -found.separation).unwrap().compose(&q);
                assert!(overlap(a, &p, b, &away).is_none(), "{what}: {found:?}");
                assert!(
                    found.separation_bound >= found.separation && found.separation_bound <= 0.0,
                    "{what}: {found:?}"
                );
                deep += 1;
            }
        }
    }
    assert!(deep > 80 && disjoint > 12, "{deep} {disjoint}");
}

#[test]
fn what_makes_no_compound_is_named() {
    let floor = Convex::half_space(Vec3::Z, 0.0).unwrap();
    let ball = || Shape::from(Convex::sphere(1.0).unwrap());
    assert_eq!(Compound::new([]).unwrap_err(), CompoundError::Empty);
    let with_floor = Compound::new([(ball(), HERE), (floor.into(), HERE)]);
    assert_eq!(with_floor.unwrap_err(), CompoundError::Unbounded { part: 1 });
    let far = at(1e307, 0.0, 0.0);
    assert_eq!(Compound::new([(ball(), far)]).unwrap_err(), CompoundError::TooFar { part: 0 });
    // Nested compounds are dissolved, and primitives counted in order.
    let torus = MeshShape::new(generate::supertoroid(1.0, 0.4, 1.0, 1.0, 8).unwrap()).unwrap();
    let count = torus.mesh().triangles().len() as u32;
    let inner = Compound::new([(ball(), at(1.0, 0.0, 0.0)), (torus.into(), HERE), (ball(), HERE)]).unwrap();
    let outer = Compound::new([(ball(), HERE), (inner.into(), at(0.0, 2.0, 0.0))]).unwrap();
    assert_eq!(outer.parts().iter().map(|part| part.first).collect::<Vec<_>>(), [0, 1, 2, 2 + count]);
    assert_eq!(outer.parts()[1].pose.translation(), Vec3::new(1.0, 2.0, 0.0));
    assert_eq!([0, 1, 2, 1 + count, 2 + count].map(|i| outer.part_of(i)), [0, 1, 2, 2, 3]);
}

#[test]
fn compounds_measure_what_their_parts_do() {
    let cube = || Shape::from(Convex::cuboid(Vec3::splat(0.5)).unwrap());
    let bar = Compound::new([(cube(), at(-0.5, 1.0, 0.0)), (cube(), at(0.5, 1.0, 0.0))]).unwrap();
    let (found, whole) =
        (bar.measures().unwrap(), Convex::cuboid(Vec3::new(1.0, 0.5, 0.5)).unwrap().measures().unwrap());
    assert_eq!((found.volume, found.area, found.components), (Some(2.0), 12.0, 2));
    assert!((found.centroid.unwrap() - Vec3::Y).length() < 1e-15);
    let off = found.inertia.unwrap() - whole.inertia.unwrap();
    assert!(off.to_cols_array().iter().all(|entry| entry.abs() < 1e-15), "{off}");
    let mut random = Random::new(34);
    let turned = random.pose(2.0);
    let inner = Compound::new([(bar.into(), turned)]).unwrap().measures().unwrap();
    assert!((inner.centroid.unwrap() - turned.place(Vec3::Y)).length() < 1e-14);
    let expected = *turned.rotation() * whole.inertia.unwrap() * turned.rotation().transpose();
    assert!((inner.inertia.unwrap() - expected).to_cols_array().iter().all(|entry| entry.abs() < 1e-14));
}

fn rounded(random: &mut Random) -> (RoundedMesh, Arc<MeshShape>) {
    let mesh = match random.whole(0, 2) {
        0 => generate::supertoroid(0.6, 0.2, 1.0, 1.0, 12).unwrap(),
        1 => generate::cuboid([0.5, 0.3, 0.2]).unwrap(),
        _ => generate::bumpy_sphere(0.5, 0.2, 4.0, 10).unwrap(),
    };
    let shape = Arc::new(MeshShape::new(mesh).unwrap().with_solid(!random.one_in(3)).unwrap());
    (RoundedMesh::new(Arc::clone(&shape), random.between(0.01, 0.3)).unwrap(), shape)
}

#[test]
fn a_mesh_with_a_margin_is_all_points_within_it() {
    let mut random = Random::new(35);
    let (mut overlapping, mut inside, mut loose, mut hits) = (0, 0, 0, 0);
    for round in 0..200 {
        let (a, mesh) = rounded(&mut random);
        let (p, q) = (random.pose(0.5), random.pose(1.5));
        let m = a.margin();
        let b = convex_part(&mut random);
        let core = distance(&mesh, &p, &b, &q);
        let found = distance(&a, &p, &b, &q);
        assert!((found.distance - (core.distance - m).max(0.0)).abs() <= found.error, "{round}: {found:?} {core:?}");
        assert_eq!(overlap(&a, &p, &b, &q).is_some(), core.distance <= m, "{round}");
        overlapping += usize::from(core.distance <= m);
        let (other, other_mesh) = rounded(&mut random);
        let cores = distance(&mesh, &p, &other_mesh, &q).distance;
        let both = distance(&a, &p, &other, &q);
        assert!((both.distance - (cores - m - other.margin()).max(0.0)).abs() <= both.error, "{round}");
        // Points.
        let point = p.translation() + random.vector(1.0);
        let to_core = closest(&mesh, &p, point);
        let signed = to_core.signed_distance.unwrap_or(to_core.distance) - m;
        let found = closest(&a, &p, point);
        assert_eq!(found.inside, Some(signed <= 0.0), "{round}");
        assert_eq!(contains(&a, &p, point), signed <= 0.0, "{round}");
        let found_signed = found.signed_distance.unwrap();
        if signed > 0.0 {
            assert!((found_signed - signed).abs() <= found.error, "{round}: {found:?} {signed}");
        } else {
            inside += 1;
            loose += usize::from(found.error > 1e-9);
            assert!(
                -found_signed - found.error <= -signed + 1e-12 && -found_signed >= -signed - 1e-12,
                "{round}: {found:?} {signed}"
            );
            let end = closest(&mesh, &p, found.point);
            let off = end.signed_distance.unwrap_or(end.distance) - m;
            assert!(off.abs() <= 1e-9, "{round}: {found:?} ends {off} off the boundary");
        }
        // Rays: no point before the hit is within the margin, and the hit is.
        let from = p.translation() + random.vector(2.0);
        let along = Ray::new(from, p.translation() + random.vector(0.6) - from, 2.0).unwrap();
        let off_core = |t: f64| {
            let found = closest(&mesh, &p, along.origin + along.direction * t);
            found.signed_distance.unwrap_or(found.distance) - m
        };
        let end = match ray(&a, &p, &along) {
            Some(hit) => {
                hits += 1;
                assert!(off_core(hit.t) <= 1e-10, "{round}: {hit:?} {}", off_core(hit.t));
                hit.t - 1e-9
            }
            None => along.max_t,
        };
        assert!((0..100).all(|k| off_core(end * f64::from(k) / 100.0) > 0.0 || end <= 0.0), "{round}");
    }
    println!("{inside} inside, {loose} of them with an interval; {overlapping} overlap, {hits} hits");
    assert!(overlapping > 20 && inside > 20 && hits > 50 && loose < inside);
}

/// Rows of small parts: a comb whose teeth do not touch each other.
fn comb(random: &mut Random, count: i64) -> Compound {
    let part = |k: i64, random: &mut Random| {
        let tooth = Convex::cuboid(Vec3::new(0.1, 0.1, 0.8)).unwrap();
        let ball = Convex::sphere(0.2).unwrap();
        let place = at(k as f64 * 0.7, random.between(-0.1, 0.1), 0.0);
        (Shape::from(if random.one_in(2) { tooth } else { ball }), place)
    };
    Compound::new((0..count).map(|k| part(k, random))).unwrap()
}

#[test]
fn two_compounds_are_asked_as_all_pairs_and_with_less_work() {
    let mut random = Random::new(37);
    let (mut overlapping, mut disjoint) = (0, 0);
    for round in 0..60 {
        let (a, b) = match round % 3 {
            0 => (compound(&mut random, 20, round % 2 == 0), compound(&mut random, 20, false)),
            1 => (comb(&mut random, 60), comb(&mut random, 60)),
            _ => (comb(&mut random, 40), compound(&mut random, 6, true)),
        };
        let (p, q) = (random.pose(1.0), random.pose(if round % 2 == 0 { 2.0 } else { 8.0 }));
        let (mut least, mut any) = (f64::INFINITY, false);
        for (x, at_x) in parts(&a, &p) {
            for (y, at_y) in parts(&b, &q) {
                least = least.min(distance(x, &at_x, y, &at_y).distance);
                any |= overlap(x, &at_x, y, &at_y).is_some();
            }
        }
        let (found, work) = distance_counted(&a, &p, &b, &q);
        assert!((found.distance - least).abs() <= found.error, "{round}: {found:?} {least}");
        assert_eq!((overlap(&a, &p, &b, &q).is_some(), found.distance == 0.0), (any, any), "{round}");
        let all = (a.parts().len() * b.parts().len()) as u64;
        assert!(round % 3 != 1 || work.volumes < all / 2, "{work:?} of {all}");
        assert_eq!(distance_within(&a, &p, &b, &q, least * 0.9).is_some(), any, "{round}");
        let within = contact(&a, &p, &b, &q, least + 0.1).expect("so near");
        if any {
            assert!(within.separation < 0.0 || within.separation == 0.0 && within.separation_bound == 0.0);
            overlapping += 1;
        } else {
            assert!((within.separation - least).abs() <= within.error, "{round}: {within:?} {least}");
            let nearest = within.points.iter().map(|point| point.separation).fold(f64::INFINITY, f64::min);
            assert!((nearest - least).abs() <= 1e-9, "{round}: {nearest} {least}");
            disjoint += 1;
        }
    }
    assert!(overlapping > 8 && disjoint > 8, "{overlapping} {disjoint}");
}

#[test]
fn half_spaces_find_the_lowest_part_and_vertex() {
    let mut random = Random::new(38);
    for round in 0..80 {
        let scale = 10f64.powi(random.whole(-3, 3) as i32);
        let far = if random.one_in(3) { 1e6 * scale } else { scale };
        let normal = if random.one_in(4) { Vec3::Z } else { random.vector(1.0) };
        let plane = Convex::half_space(normal, random.between(-1.0, 1.0) * scale).unwrap().with_margin(0.1 * scale);
        let plane = plane.unwrap();
        let (p, q) = (random.pose(scale), random.pose(far));
        let mesh = generate::supertoroid(scale, 0.4 * scale, 0.7, 1.3, random.whole(8, 40) as u32).unwrap();
        let mesh = MeshShape::new(mesh).unwrap();
        let one_by_one = mesh.mesh().vertices().iter().map(|&vertex| {
            let vertex = Pose::from_translation(q.place(vertex)).unwrap();
            separation(&plane, &p, &Convex::point(), &vertex).separation
        });
        let least = one_by_one.fold(f64::INFINITY, f64::min);
        let found = contact(&plane, &p, &mesh, &q, f64::INFINITY).unwrap();
        // What parts them to the bit may be some ulp longer.
        let ulp = f64::EPSILON * (p.max_translation() + q.max_translation() + 4.0 * scale);
        assert!((found.separation - least).abs() <= found.error + 32.0 * ulp, "{round}: {found:?} {least}");
        let (distance, work) = distance_counted(&plane, &p, &mesh, &q);
        assert!((distance.distance - least.max(0.0)).abs() <= distance.error + found.error, "{round}: {distance:?}");
        assert!(work.primitives <= mesh.mesh().triangles().len() as u64);
        assert_eq!(overlap(&plane, &p, &mesh, &q).is_some(), distance.distance == 0.0);
        // All vertices within the margin, each once.
        let margin = least.abs() + 0.3 * scale;
        let points = contact(&plane, &p, &mesh, &q, margin).unwrap().points;
        assert!(points.iter().all(|point| point.separation <= margin));
        assert!((points[0].separation - least).abs() <= found.error + 32.0 * ulp, "{round}");
        let many = comb(&mut random, 30);
        let least = parts(&many, &q).map(|(part, at)| distance_counted(&plane, &p, part, &at).0.distance);
        let least = least.fold(f64::INFINITY, f64::min);
        let found = heurt_query::distance(&many, &q, &plane, &p);
        assert!((found.distance - least).abs() <= found.error, "{round}: {found:?} {least}");
    }
}
