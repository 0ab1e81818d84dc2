//! `distance` agrees with exact brute force: hard pairs of triangles, meshes in every pose, every tree, either order.

use crate::forms::{distance_counted, distance_within, within};
use heurt_bvh::{VolumeKind, Work};
use heurt_geometry::{Mat3, Pose, Triangle, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{Distance, PairCache, TreePair, closest, distance, overlap};
use heurt_shape::{AnyTree, Degree, MeshShape, TreeChoice};
use heurt_testkit::hard::triangles::Kind;
use heurt_testkit::hard::triangles::triangle_pair;
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle as oracle;

fn shape(mesh: TriMesh) -> MeshShape {
    MeshShape::new(mesh).unwrap()
}

fn of_triangle(triangle: &Triangle) -> MeshShape {
    shape(TriMesh::new(triangle.to_vec(), vec![[0, 1, 2]]).unwrap())
}

/// The contract of an answer, whatever the distance is.
fn is_sound(found: &Distance, a: (&MeshShape, &Pose), b: (&MeshShape, &Pose), what: &str) {
    let Distance { distance, point_a, point_b, normal, error, .. } = *found;
    let corners = [a, b].map(|(shape, pose)| oracle::placed(shape.mesh(), pose));
    let largest = corners.iter().flatten().flatten().fold(0.0, |most, p| f64::max(most, p.abs().max_element()));
    let room = error + 64.0 * f64::EPSILON * largest + f64::from_bits(8);
    let difference = (point_a - point_b).abs().max_element();
    assert!(difference <= distance + room, "{what}: points at {difference} for a distance of {distance}");
    for (shape, pose, point) in [(a.0, a.1, point_a), (b.0, b.1, point_b)] {
        let to_surface = closest(shape, pose, point);
        let is_there = to_surface.distance <= room + to_surface.error || to_surface.inside == Some(true);
        assert!(is_there, "{what}: a point {} beside its shape", to_surface.distance);
    }
    match normal {
        Some(normal) => assert!((normal.length() - 1.0).abs() < 1e-12, "{what}: normal {normal}"),
        None => assert_eq!(distance, 0.0, "{what}"),
    }
}

#[test]
fn two_triangles_are_as_far_apart_as_integers_say() {
    let mut random = Random::new(11);
    let mut disjoint = [0; 8];
    for round in 0..12_000 {
        let (kind, x, y) = triangle_pair(&mut random);
        let (a, b) = (of_triangle(&x), of_triangle(&y));
        let found = distance(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY);
        let expected = oracle::triangle_distance(&x, &y);
        let what = format!("round {round}, {kind:?}: {x:?} {y:?}");
        assert!((found.distance - expected).abs() <= found.error, "{what}: {found:?}, not {expected}");
        assert_eq!(found.normal.is_none(), oracle::triangles_intersect(&x, &y), "{what}");
        let largest = x.iter().chain(&y).fold(0.0, |most, p| f64::max(most, p.abs().max_element()));
        assert!(found.error <= 64.0 * f64::EPSILON * largest + f64::from_bits(16), "{what}: error {}", found.error);
        is_sound(&found, (&a, &Pose::IDENTITY), (&b, &Pose::IDENTITY), &what);
        let swapped = distance(&b, &Pose::IDENTITY, &a, &Pose::IDENTITY);
        assert!((found.distance - swapped.distance).abs() <= found.error, "{what}: swapped {swapped:?}");
        disjoint[kind as usize] += usize::from(expected > 0.0);
    }
    assert!(disjoint[Kind::Random as usize] > 500 && disjoint[Kind::Sliver as usize] > 500, "{disjoint:?}");
}

/// Edges that are almost parallel and almost touch: what costs the digits of a determinant must not cost those of a distance.
#[test]
fn edges_that_are_almost_parallel_keep_their_distance() {
    let mut random = Random::new(12);
    for round in 0..4000 {
        let (tilt, gap) = (10f64.powf(random.between(-17.0, 0.0)), 10f64.powf(random.between(-14.0, -1.0)));
        let along = Vec3::new(1.0, random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let side = along.cross(Vec3::new(0.3, random.between(-1.0, 1.0), 0.7)).normalize();
        let up = along.cross(side).normalize();
        let x = [along * -1.0, along * random.between(0.2, 1.0), up * -random.between(0.1, 1.0)];
        let other = along + side * tilt;
        let middle = along * random.between(-0.5, 0.5) + up * gap;
        let y = [middle - other, middle + other, middle + up * random.between(0.1, 1.0) + side * 0.1];
        let found = distance(&of_triangle(&x), &Pose::IDENTITY, &of_triangle(&y), &Pose::IDENTITY);
        let expected = oracle::triangle_distance(&x, &y);
        let off = (found.distance - expected).abs();
        assert!(off <= found.error, "round {round}, tilt {tilt}, gap {gap}: off {off}, {found:?}, not {expected}");
    }
}

fn small_meshes() -> Vec<TriMesh> {
    let open = {
        let (vertices, triangles) = generate::cuboid([1.0, 0.5, 0.25]).unwrap().into_parts();
        TriMesh::new(vertices, triangles[..7].to_vec()).unwrap()
    };
    let needle = generate::cuboid([4.0, 1e-9, 1e-3]).unwrap();
    vec![
        generate::cuboid([1.0, 1.0, 1.0]).unwrap(),
        generate::cuboid([0.25, 0.25, 0.25]).unwrap(),
        generate::tetrahedron(1.0).unwrap(),
        generate::bumpy_sphere(0.8, 0.2, 4.0, 8).unwrap(),
        open,
        needle,
    ]
}

#[test]
fn meshes_are_as_far_apart_as_their_nearest_triangles() {
    let shapes: Vec<MeshShape> = small_meshes().into_iter().map(shape).collect();
    let mut random = Random::new(13);
    let (mut met, mut disjoint) = (0, 0);
    for round in 0..150 {
        let (i, j) = (random.whole(0, 5) as usize, random.whole(0, 5) as usize);
        let reach = [0.2, 2.0, 5.0, 1e6][round % 4];
        let (pose_a, pose_b) = (random.pose(reach), random.pose(reach));
        let (a, b) = ((&shapes[i], &pose_a), (&shapes[j], &pose_b));
        let what = format!("round {round}: {i} {j}");
        let (placed_a, placed_b) = (oracle::placed(a.0.mesh(), a.1), oracle::placed(b.0.mesh(), b.1));
        let expected = oracle::distance(&placed_a, a.0.is_solid(), &placed_b, b.0.is_solid());
        let found = distance(a.0, a.1, b.0, b.1);
        assert!((found.distance - expected).abs() <= found.error, "{what}: {found:?}, not {expected}");
        assert_eq!(found.normal.is_none(), overlap(a.0, a.1, b.0, b.1).is_some(), "{what}");
        is_sound(&found, a, b, &what);
        let swapped = distance(b.0, b.1, a.0, a.1);
        assert!((swapped.distance - expected).abs() <= swapped.error, "{what}, swapped: {swapped:?}, not {expected}");
        *(if expected == 0.0 { &mut met } else { &mut disjoint }) += 1;
    }
    assert!(met > 15 && disjoint > 60, "{met} met, {disjoint} disjoint: the poses are lopsided");
}

#[test]
fn every_tree_gives_the_same_distance() {
    let a = shape(generate::supertoroid(1.0, 0.4, 0.7, 1.3, 40).unwrap());
    let b = shape(generate::gear(12, 0.2, 0.35, 0.0, 0.3, 0.4, 4).unwrap());
    let mut random = Random::new(14);
    let poses: Vec<[Pose; 2]> = (0..12).map(|k| [Pose::IDENTITY, random.pose([1.0, 2.5, 30.0][k % 3])]).collect();
    let expected: Vec<Distance> = poses.iter().map(|[p, q]| distance(&a, p, &b, q)).collect();
    assert!(expected.iter().filter(|found| found.distance > 0.0).count() > 6);
    for volume in VolumeKind::ALL {
        for degree in [Degree::Two, Degree::Four, Degree::Eight] {
            let choice = TreeChoice { volume, degree, ..TreeChoice::default() };
            let [of_a, of_b] = [&a, &b].map(|shape| AnyTree::new(shape.mesh(), &choice, false).unwrap());
            let both = TreePair::new((&a, &of_a), (&b, &of_b)).unwrap();
            for ([p, q], expected) in poses.iter().zip(&expected) {
                let found = both.distance(p, q, f64::INFINITY).value().unwrap();
                let off = (found.distance - expected.distance).abs();
                assert!(off <= found.error + expected.error, "{volume:?} {degree:?}: {found:?}, not {expected:?}");
            }
        }
    }
}

#[test]
fn what_deforms_is_measured_where_it_is() {
    let mut cloth = shape(generate::supertoroid(1.0, 0.4, 0.7, 1.3, 12).unwrap());
    let ball = shape(generate::bumpy_sphere(0.5, 0.1, 3.0, 6).unwrap());
    let rest = cloth.mesh().vertices().to_vec();
    let mut random = Random::new(15);
    for round in 0..6 {
        let twist = random.between(-1.0, 1.0);
        let moved: Vec<Vec3> =
            rest.iter().map(|p| Vec3::new(p.x, p.y + twist * p.x * p.x, p.z * (1.5 + twist))).collect();
        cloth.deform(&moved).unwrap();
        let pose = random.pose(3.0);
        let found = distance(&cloth, &Pose::IDENTITY, &ball, &pose);
        let (placed_a, placed_b) = (oracle::placed(cloth.mesh(), &Pose::IDENTITY), oracle::placed(ball.mesh(), &pose));
        let expected = oracle::distance(&placed_a, cloth.is_solid(), &placed_b, true);
        assert!((found.distance - expected).abs() <= found.error, "round {round}: {found:?}, not {expected}");
    }
}

#[test]
fn a_limit_leaves_out_what_is_farther() {
    let (a, b) = (shape(generate::cuboid([1.0, 1.0, 1.0]).unwrap()), shape(generate::tetrahedron(1.0).unwrap()));
    let mut random = Random::new(16);
    for round in 0..200 {
        let pose = random.pose(4.0);
        let (found, work) = distance_counted(&a, &Pose::IDENTITY, &b, &pose);
        assert!(work.volumes > 0);
        let at = |max: f64| distance_within(&a, &Pose::IDENTITY, &b, &pose, max);
        let d = found.distance;
        assert_eq!(at(d * 1.001 + 1e-9).map(|near| near.distance), Some(d), "round {round}");
        assert_eq!(at(f64::NAN).map(|near| near.distance), Some(d), "round {round}: no limit");
        if d > 0.0 {
            assert_eq!(at(d), Some(found), "round {round}: the limit itself is near enough");
            assert_eq!([at(d * 0.999), at(0.0), at(-1.0)], [None; 3], "round {round}");
        } else {
            assert_eq!(at(0.0), Some(found), "round {round}");
        }
    }
}

/// Rotations may be off by 1e-6, which stretches what lies between two triangles; all is measured after they are placed.
#[test]
fn rotations_that_stretch_do_not_hide_the_nearest_triangles() {
    let plate = |z: f64, tilt: f64| {
        let at = |x: f64, y: f64| Vec3::new(x, y, z + tilt * x);
        let corners = vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
        shape(TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap())
    };
    let mut random = Random::new(17);
    for round in 0..300 {
        let (a, b) = (plate(0.0, 0.0), plate(40.0, random.between(-1e-6, 1e-6)));
        let mut stretched = || {
            let [x, y, z] = [0, 1, 2].map(|_| random.between(-1.6e-7, 1.6e-7));
            let columns = [Vec3::new(1.0 + x, y, z), Vec3::new(y, 1.0 - x, x), Vec3::new(z, x, 1.0 + z)];
            Pose::from_matrix(Mat3::from_cols(columns[0], columns[1], columns[2]), Vec3::ZERO).unwrap()
        };
        let (pose_a, pose_b) = (stretched(), stretched());
        let found = distance(&a, &pose_a, &b, &pose_b);
        let (placed_a, placed_b) = (oracle::placed(a.mesh(), &pose_a), oracle::placed(b.mesh(), &pose_b));
        let expected = oracle::distance(&placed_a, false, &placed_b, false);
        assert!((found.distance - expected).abs() <= found.error, "round {round}: {found:?}, not {expected}");
    }
}

#[test]
fn one_inside_the_other_is_no_distance_at_all() {
    let (outer, inner) = (shape(generate::cuboid([2.0; 3]).unwrap()), shape(generate::cuboid([0.1; 3]).unwrap()));
    let pose = Pose::from_quaternion([0.0, 0.0, 0.0, 1.0], Vec3::new(0.2, -0.3, 0.1)).unwrap();
    for found in [distance(&outer, &Pose::IDENTITY, &inner, &pose), distance(&inner, &pose, &outer, &Pose::IDENTITY)] {
        assert_eq!((found.distance, found.error, found.normal, found.primitives), (0.0, 0.0, None, None));
        assert_eq!(found.point_a, found.point_b);
        assert_eq!(closest(&inner, &pose, found.point_a).inside, Some(true));
        assert_eq!(closest(&outer, &Pose::IDENTITY, found.point_a).inside, Some(true));
    }
    let hollow = outer.with_solid(false).unwrap();
    let found = distance(&hollow, &Pose::IDENTITY, &inner, &pose);
    assert!((found.distance - 0.65).abs() < 1e-12 || found.distance > 0.0, "{found:?}");
    assert!(found.normal.is_some());
}

/// Along ways that lead past each other, through each other and far apart; with what another pair has left behind, too.
#[test]
fn a_pair_cache_changes_no_answer_of_meshes() {
    let a = shape(generate::supertoroid(1.0, 0.4, 0.8, 0.7, 40).unwrap());
    let b = shape(generate::bumpy_sphere(0.5, 0.2, 5.0, 24).unwrap());
    let small = shape(generate::cuboid([0.2; 3]).unwrap());
    let mut random = Random::new(17);
    let (mut cache, mut met, mut missed) = (PairCache::default(), 0, 0);
    for round in 0..60 {
        let (from, to) = (random.pose(2.0), random.pose(2.0));
        for step in 0..12 {
            let shift = from.translation().lerp(to.translation(), f64::from(step) / 12.0);
            let pose = Pose::from_matrix(*from.rotation(), shift).unwrap();
            let found = cache.distance(&a, &pose, &b, &to);
            let expected = distance(&a, &pose, &b, &to);
            let what = format!("round {round}, step {step}");
            assert!((found.distance - expected.distance).abs() <= found.error + expected.error, "{what}: {found:?}");
            assert_eq!(found.distance == 0.0, expected.distance == 0.0, "{what}");
            is_sound(&found, (&a, &pose), (&b, &to), &what);
            let meets = overlap(&a, &pose, &b, &to).is_some();
            assert_eq!(cache.overlaps(&a, &pose, &b, &to), meets, "{what}");
            *(if meets { &mut met } else { &mut missed }) += 1;
        }
        let other = cache.distance(&small, &from, &b, &to);
        assert!((other.distance - distance(&small, &from, &b, &to).distance).abs() <= 2.0 * other.error);
    }
    assert!(met > 50 && missed > 50, "{met} {missed}");
}

/// Asked a second time, whatever is not nearer than what was the nearest is left out from the start.
#[test]
fn a_pair_cache_spares_work() {
    let a = shape(generate::supertoroid(1.0, 0.4, 0.8, 0.7, 80).unwrap());
    let b = shape(generate::bumpy_sphere(0.5, 0.2, 5.0, 48).unwrap());
    let mut random = Random::new(18);
    let (mut first, mut again) = (Work::default(), Work::default());
    for _ in 0..40 {
        let pose = random.pose(3.0);
        let mut cache = PairCache::default();
        for work in [&mut first, &mut again] {
            *work += cache.distance_with(&a, &Pose::IDENTITY, &b, &pose, &within(f64::INFINITY)).work;
        }
    }
    assert!(again.primitives < first.primitives && again.volumes < first.volumes, "{first:?} {again:?}");
}
