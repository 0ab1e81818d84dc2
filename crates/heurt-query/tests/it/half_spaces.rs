//! Half-spaces and what lies on them, from either side, of all sizes and wherever the scene stands.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_query::{Contact, Witness, contact, distance, overlap, separation};
use heurt_shape::{Compound, Convex, MeshShape, Shape};
use heurt_testkit::number::random::Random;

const HERE: Pose = Pose::IDENTITY;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn compound(shape: Convex) -> Shape {
    Shape::from(Compound::new(vec![(shape.into(), HERE)]).unwrap())
}

/// What lies with a face or an edge on the plane z = 0, a little below it, and how many corners it has there.
fn lying() -> Vec<(&'static str, Shape, f64, usize)> {
    let cuboid = || Convex::cuboid(Vec3::ONE).unwrap();
    let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(0.25)];
    let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
    vec![
        ("box", cuboid().into(), 0.999, 4),
        ("rounded box", cuboid().with_margin(0.5).unwrap().into(), 1.499, 4),
        ("tetrahedron", Convex::hull(&tetrahedron).unwrap().into(), -0.001, 3),
        ("square", Convex::hull(&square).unwrap().into(), -0.001, 4),
        ("triangle", Convex::triangle([Vec3::ZERO, Vec3::X, Vec3::Y]).unwrap().into(), -0.001, 3),
        ("segment", Convex::segment([Vec3::X, Vec3::Y]).unwrap().into(), -0.001, 2),
        ("cylinder", Convex::cylinder(0.5, 1.0).unwrap().into(), 0.999, 16),
        ("rounded cylinder", Convex::cylinder(0.5, 1.0).unwrap().with_margin(0.5).unwrap().into(), 1.499, 16),
        ("cone", Convex::cone(0.5, 1.0).unwrap().into(), 0.999, 16),
        ("point", Convex::point().into(), -0.001, 1),
        ("ball", Convex::sphere(1.0).unwrap().into(), 0.999, 1),
        ("compound of a box", compound(cuboid()), 0.999, 4),
        ("compound of a cone", compound(Convex::cone(0.5, 1.0).unwrap()), 0.999, 16),
    ]
}

#[test]
fn faces_lie_on_a_plane_with_all_their_corners_from_either_side() {
    for offset in [0.0, 3.0] {
        let floor = Shape::from(Convex::half_space(Vec3::Z * 0.5, 0.5 * offset).unwrap());
        for (name, shape, height, count) in &lying() {
            let pose = at(7.0, -5.0, height + offset);
            let check = |found: Contact, up: f64, side: &str| {
                let off = (found.separation + 0.001).abs();
                assert!(off <= found.error && found.error < 1e-13, "{name} {side}: {found:?}");
                assert_eq!(found.points.len(), *count, "{name} {side}: {found:?}");
                for point in &found.points {
                    assert!((point.point.z - offset + 0.0005).abs() < 1e-12, "{name} {side}: {point:?}");
                    assert!(
                        (point.separation + 0.001).abs() < 1e-12 && point.normal == Vec3::Z * up,
                        "{name}: {point:?}"
                    );
                }
            };
            check(contact(shape, &pose, &floor, &HERE, 0.0).unwrap(), -1.0, "over the plane");
            check(contact(&floor, &HERE, shape, &pose, 0.0).unwrap(), 1.0, "as the other one");
        }
    }
}

/// Squares of such lengths are 0 or infinite, which once made points that are no numbers.
#[test]
fn normals_of_any_length_mean_the_same_plane() {
    let (cube, ball) = (Convex::cuboid(Vec3::ONE).unwrap(), Convex::sphere(1.0).unwrap());
    for length in [1e-300, 1e-200, 1e-162, 1e-155, 1.0, 1e150, 1e155, 1e160, 1e200, 1e300] {
        let floor = Convex::half_space(Vec3::Z * length, 0.5 * length).unwrap();
        for (shape, count) in [(&cube, 4), (&ball, 1)] {
            for (a, b, p, q) in [(&floor, shape, HERE, at(0.0, 0.0, 1.0)), (shape, &floor, at(0.0, 0.0, 1.0), HERE)] {
                let found = contact(a, &p, b, &q, 0.0).unwrap();
                assert!((found.separation + 0.5).abs() < 1e-14, "{length:e}: {found:?}");
                assert_eq!(found.points.len(), count, "{length:e}: {found:?}");
                assert!(found.points.iter().all(|point| (point.point.z - 0.25).abs() < 1e-14), "{length:e}: {found:?}");
            }
        }
    }
}

/// Ends of the side of a cone whose square leaves the range of numbers.
#[test]
fn cones_and_cylinders_of_any_size_touch_with_an_edge_or_a_face() {
    for size in [2f64.powi(-996), 1e-200, 1.0, 1e200, 2f64.powi(996)] {
        let floor = Convex::half_space(Vec3::Z, 0.0).unwrap();
        let barrel = Convex::cylinder(0.5 * size, size).unwrap();
        let lying = Pose::from_quaternion([0.6f64.sqrt(), 0.0, 0.0, 0.4f64.sqrt()], Vec3::ZERO).unwrap();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let on_its_side = Pose::from_quaternion([half, 0.0, 0.0, half], Vec3::Z * (0.499 * size)).unwrap();
        assert_eq!(contact(&barrel, &on_its_side, &floor, &HERE, 0.0).unwrap().points.len(), 2, "{size:e}");
        let tilted = Pose::from_matrix(*lying.rotation(), Vec3::Z * (0.6 * size)).unwrap();
        assert_eq!(contact(&barrel, &tilted, &floor, &HERE, 0.0).unwrap().points.len(), 1, "{size:e}");
    }
}

#[test]
fn heights_of_the_least_size_have_an_error() {
    let least = f64::from_bits(1);
    let floor = Convex::half_space(Vec3::new(0.3, 0.4, 0.5), 0.0).unwrap();
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y].map(|corner| corner * (4.0 * least));
    let mesh = MeshShape::new(TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap();
    let ball = Convex::sphere(3.0 * least).unwrap();
    assert!(separation(&ball, &at(0.0, 0.0, 64.0 * least), &floor, &HERE).error >= least);
    assert!(distance(&mesh, &at(0.0, 0.0, 64.0 * least), &floor, &HERE).error >= least);
    assert!(separation(&floor, &HERE, &Convex::half_space(-Vec3::Z, 0.0).unwrap(), &HERE).error >= least);
}

/// They meet so far away that the sum of their normals, by which was divided, has a square of 0.
#[test]
fn planes_that_nearly_face_away_from_each_other_meet_in_a_point_of_numbers() {
    let floor = Convex::half_space(Vec3::Z, 0.0).unwrap();
    for tilt in [1e-3, 1e-8, 1e-100, 1e-170, 1e-300, 1e-307] {
        let ceiling = Convex::half_space(Vec3::new(tilt, 0.0, -1.0), -1.0).unwrap();
        for (a, b) in [(&floor, &ceiling), (&ceiling, &floor)] {
            let found = distance(a, &HERE, b, &HERE);
            assert_eq!(found.distance, 0.0, "{tilt:e}");
            let point = found.point_a;
            assert!(point.is_finite(), "{tilt:e}: {point}");
            let far = point.abs().max_element();
            let is_below = |normal: Vec3, offset: f64| normal.dot(point) - offset <= 1e-15 * far + 1e-12;
            assert!(is_below(Vec3::Z, 0.0) && is_below(Vec3::new(tilt, 0.0, -1.0), -1.0), "{tilt:e}: {point}");
        }
    }
}

#[test]
fn half_spaces_answer_the_same_from_either_side_and_wherever_the_scene_stands() {
    let mut random = Random::new(55);
    let (mut disjoint, mut overlapping) = (0, 0);
    for round in 0..1500 {
        let normal = random.vector(1.0).normalize_or(Vec3::X) * [1.0, 1e-120, 3e90][round % 3];
        let margin = if round % 2 == 0 { 0.0 } else { 0.1 };
        let scale = normal.length();
        let floor = Convex::half_space(normal, random.between(-1.0, 1.0) * scale).unwrap().with_margin(margin).unwrap();
        let kinds = lying();
        let (name, shape, ..) = &kinds[round % kinds.len()];
        let (p, q, whole) = (random.pose(1.0), random.pose(2.0), random.pose(3.0));
        let found = distance(&floor, &p, shape, &q);
        let swapped = distance(shape, &q, &floor, &p);
        assert_eq!((swapped.distance, swapped.point_b), (found.distance, found.point_a), "{name}");
        let moved = distance(&floor, &whole.compose(&p), shape, &whole.compose(&q));
        assert!((moved.distance - found.distance).abs() <= 1e-13, "{name}: {found:?} {moved:?}");
        assert_eq!(overlap(&floor, &p, shape, &q).is_some(), found.distance == 0.0, "{name}");
        let touch = contact(&floor, &p, shape, &q, f64::INFINITY).unwrap();
        let turned = contact(shape, &q, &floor, &p, f64::INFINITY).unwrap();
        assert!((touch.separation - turned.separation).abs() <= touch.error + turned.error, "{name}");
        assert!(touch.normal.abs_diff_eq(-turned.normal, 1e-12) && touch.points.len() == turned.points.len(), "{name}");
        if found.distance > 0.0 {
            assert!((touch.separation - found.distance).abs() <= touch.error + found.error, "{name}");
            disjoint += 1;
        } else {
            let away = Pose::from_translation(touch.normal * -touch.separation).unwrap().compose(&q);
            assert!(overlap(&floor, &p, shape, &away).is_none(), "{name}: {touch:?}");
            overlapping += 1;
        }
    }
    assert!(disjoint > 300 && overlapping > 300, "{disjoint} {overlapping}");
}

/// A hull is one primitive, in a compound as well: its triangles once were counted as others of the compound.
#[test]
fn witnesses_of_compounds_name_primitives_that_they_have() {
    let parts = vec![
        (Shape::from(Convex::sphere(0.2).unwrap()), at(-2.0, 0.0, 0.0)),
        (Convex::cuboid(Vec3::ONE).unwrap().into(), HERE),
    ];
    let compound = Compound::new(parts).unwrap();
    let mut random = Random::new(9);
    for _ in 0..300 {
        let corner = [random.vector(1.5), random.vector(1.5), random.vector(1.5)];
        let corners = corner.map(|corner| corner.to_array());
        let mesh = TriMesh::new(corners.map(Vec3::from_array).to_vec(), vec![[0, 1, 2]]).unwrap();
        let (mesh, triangle) = (MeshShape::new(mesh).unwrap(), Convex::triangle(corner).unwrap());
        for witness in [overlap(&compound, &HERE, &mesh, &HERE), overlap(&compound, &HERE, &triangle, &HERE)] {
            match witness {
                Some(Witness::Primitives { a, b }) => assert!(a <= 1 && b == 0, "{witness:?}"),
                _ => continue,
            }
        }
    }
}
