//! Contact manifolds of a simulation step with meshes: as many points as on a plane, at the same heights, with the
//! normals of faces, however a surface is cut into triangles.

use heurt_geometry::{Pose, Quat, SplitMix64, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{Contact, ContactPoint, Feature, contact_manifold};
use heurt_shape::{Convex, MeshShape, Shape};
use std::f64::consts::PI;

/// A level floor of 4 m at height 0 with `cells` cells a side.
fn floor(cells: usize) -> MeshShape {
    let side = 4.0 / cells as f64;
    let heights = vec![vec![0.0; cells + 1]; cells + 1];
    MeshShape::new(generate::height_field([-2.0, -2.0], [side, side], &heights).unwrap()).unwrap()
}

/// A solid block of 4 m, its top at height 0.
fn block() -> MeshShape {
    let mesh = generate::cuboid([2.0, 2.0, 0.5]).unwrap();
    let vertices = mesh.vertices().iter().map(|&vertex| vertex - Vec3::Z * 0.5).collect();
    MeshShape::new(TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap()).unwrap()
}

fn floors() -> [MeshShape; 3] {
    [floor(1), floor(29), block()]
}

/// Convex shapes with the height of their origin when they stand or lie on a floor, and their rotations.
fn resting() -> Vec<(Convex, f64, Quat)> {
    let lying = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let turned = Quat::from_rotation_z(0.7);
    vec![
        (Convex::cuboid(Vec3::new(0.3, 0.2, 0.1)).unwrap(), 0.1, turned),
        (Convex::cylinder(0.2, 0.3).unwrap(), 0.3, turned),
        (Convex::cylinder(0.2, 0.3).unwrap(), 0.2, lying),
        (Convex::cone(0.2, 0.3).unwrap(), 0.3, turned),
        (Convex::sphere(0.25).unwrap(), 0.25, turned),
        (Convex::capsule(0.1, 0.3).unwrap(), 0.1, lying),
        (Convex::ellipsoid(Vec3::new(0.3, 0.2, 0.1)).unwrap(), 0.1, turned),
    ]
}

/// The longest distance between two points of a contact along the floor.
fn width(contact: &Contact) -> f64 {
    let across = |p: Vec3, q: Vec3| (p - q).reject_from(Vec3::Z).length();
    let points = &contact.points;
    points.iter().flat_map(|p| points.iter().map(move |q| across(p.point, q.point))).fold(0.0, f64::max)
}

#[test]
fn shapes_on_meshes_have_the_contacts_that_they_have_on_a_plane() {
    let plane = Convex::half_space(Vec3::Z, 0.0).unwrap();
    let mut random = SplitMix64::new(51);
    for (shape, height, rotation) in resting() {
        for gap in [0.004, -0.004] {
            for _ in 0..12 {
                let place = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), height + gap);
                let pose = Pose::from_quaternion(rotation.to_array(), place).unwrap();
                let on_plane = contact_manifold(&plane, &Pose::IDENTITY, &shape, &pose, 0.01).unwrap();
                for (number, mesh) in floors().iter().enumerate() {
                    let name = format!("{shape:?} over floor {number} by {gap} at {place}");
                    let found = contact_manifold(mesh, &Pose::IDENTITY, &shape, &pose, 0.01).expect(&name);
                    assert!(
                        found.points.iter().all(|point| point.normal.distance(Vec3::Z) < 1e-9),
                        "{name}: {found:?}"
                    );
                    let heights = found.points.iter().map(|point| point.separation);
                    assert!((heights.fold(f64::INFINITY, f64::min) - gap).abs() < 1e-9, "{name}: {found:?}");
                    assert_eq!(found.separation > 0.0, gap > 0.0, "{name}");
                    // The points hold the shape as far out as those on the plane.
                    let (wide, on_mesh) = (width(&on_plane), width(&found));
                    assert!(on_mesh >= 0.9 * wide, "{name}: {on_mesh} instead of {wide}");
                    assert!(found.points.len() >= on_plane.points.len().min(3), "{name}: {found:?}");
                    let swapped = contact_manifold(&shape, &pose, mesh, &Pose::IDENTITY, 0.01).expect(&name);
                    assert_eq!(swapped.swapped().points, found.points, "{name}");
                }
            }
        }
    }
}

#[test]
fn meshes_on_meshes_have_the_contacts_of_boxes() {
    let cube = MeshShape::new(generate::cuboid([0.25; 3]).unwrap()).unwrap();
    let mut random = SplitMix64::new(52);
    for (number, mesh) in floors().iter().enumerate() {
        for gap in [0.001, -0.001] {
            for _ in 0..40 {
                let place = Vec3::new(random.between(-1.5, 1.5), random.between(-1.5, 1.5), 0.25 + gap);
                let turn = Quat::from_rotation_z(random.between(0.0, 6.0));
                let pose = Pose::from_quaternion(turn.to_array(), place).unwrap();
                let name = format!("floor {number} by {gap} at {place}, {turn}");
                // As a solver searches for a body at some metres in a second.
                let found = contact_manifold(mesh, &Pose::IDENTITY, &cube, &pose, 0.05).expect(&name);
                assert!(found.points.iter().all(|point| point.normal.distance(Vec3::Z) < 1e-9), "{name}: {found:?}");
                assert!(found.points.iter().all(|point| (point.separation - gap).abs() < 1e-9), "{name}: {found:?}");
                assert!((width(&found) - 0.5 * 2f64.sqrt()).abs() < 1e-6, "{name}: {found:?}");
                assert_eq!((found.patches().len(), found.separation > 0.0), (1, gap > 0.0), "{name}");
            }
        }
    }
}

#[test]
fn a_box_on_thousands_of_triangles_has_four_points() {
    let cube = Convex::cuboid(Vec3::splat(1.0)).unwrap();
    let pose = Pose::from_translation(Vec3::new(0.11, 0.07, 0.999)).unwrap();
    let found = contact_manifold(&floor(120), &Pose::IDENTITY, &cube, &pose, 0.01).unwrap();
    assert_eq!(found.points.len(), 4, "{found:?}");
    assert!(found.points.iter().all(|point| point.normal.distance(Vec3::Z) < 1e-9), "{found:?}");
    assert!((width(&found) - 8f64.sqrt()).abs() < 1e-9, "{found:?}");
}

#[test]
fn a_box_over_the_rim_of_a_block_is_held_by_the_top_and_not_by_the_side() {
    let block = block();
    let cube = Convex::cuboid(Vec3::splat(0.25)).unwrap();
    for shift in [1.8, 1.9, 1.99, 2.1] {
        let pose = Pose::from_translation(Vec3::new(shift, 0.3, 0.249)).unwrap();
        let found = contact_manifold(&block, &Pose::IDENTITY, &cube, &pose, 0.01).unwrap();
        assert!(found.points.iter().all(|point| point.normal.distance(Vec3::Z) < 1e-9), "{shift}: {found:?}");
        let out = found.points.iter().map(|point| point.point.x).fold(0.0, f64::max);
        assert!((out - 2f64.min(shift + 0.25)).abs() < 1e-9, "{shift}: {found:?}");
    }
    // At the side of the block the normal is that of the side.
    let pose = Pose::from_translation(Vec3::new(2.249, 0.3, -0.4)).unwrap();
    let found = contact_manifold(&block, &Pose::IDENTITY, &cube, &pose, 0.01).unwrap();
    assert!(found.points.iter().all(|point| point.normal.distance(Vec3::X) < 1e-9), "{found:?}");
}

#[test]
fn a_tilt_changes_no_count_of_points() {
    let mut random = SplitMix64::new(53);
    let cube = Convex::cuboid(Vec3::splat(0.25)).unwrap();
    for mesh in &floors() {
        for _ in 0..100 {
            let axis = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0).normalize_or(Vec3::X);
            let turn = Quat::from_axis_angle(axis, random.between(0.0, 0.01));
            let place = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.25);
            let pose = Pose::from_quaternion(turn.to_array(), place).unwrap();
            let found = contact_manifold(mesh, &Pose::IDENTITY, &cube, &pose, 0.02).unwrap();
            let most: usize = found.patches().iter().map(|patch| patch.indices.len()).max().unwrap_or(0);
            assert_eq!(most, 4, "{place} {turn}: {found:?}");
        }
    }
}

#[test]
fn compounds_have_the_contacts_of_their_parts() {
    let cube: Shape = Convex::cuboid(Vec3::splat(0.25)).unwrap().into();
    let pair = heurt_shape::Compound::new(vec![
        (cube.clone(), Pose::from_translation(Vec3::X * -0.5).unwrap()),
        (cube, Pose::from_translation(Vec3::X * 0.5).unwrap()),
    ])
    .unwrap();
    let pose = Pose::from_translation(Vec3::new(0.1, 0.2, 0.249)).unwrap();
    for mesh in &floors() {
        let found = contact_manifold(mesh, &Pose::IDENTITY, &pair, &pose, 0.01).unwrap();
        assert!(found.points.iter().all(|point| point.normal.distance(Vec3::Z) < 1e-9), "{found:?}");
        assert!(width(&found) > 1.5, "{found:?}");
    }
}

#[test]
fn a_wall_whose_foot_dips_into_a_plate_is_not_as_deep_as_the_plate_is_long() {
    // An angle on its end face: the corner within its outline is a point at which no side leads away.
    let angle = MeshShape::new(generate::bracket([0.3, 0.2, 0.25], 0.05, None, None, 8).unwrap()).unwrap();
    let plate = Convex::cuboid(Vec3::new(0.4, 0.4, 0.02)).unwrap();
    let below = Pose::from_translation(Vec3::Z * -0.02).unwrap();
    let on_end = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let mut random = SplitMix64::new(54);
    for _ in 0..200 {
        let axis = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0).normalize_or(Vec3::X);
        let turn = Quat::from_axis_angle(axis, random.between(0.0, 1e-4)) * on_end;
        let place = Vec3::new(random.between(-0.3, 0.0), random.between(-0.1, 0.2), 0.1 + random.between(-2e-5, 2e-5));
        let pose = Pose::from_quaternion(turn.to_array(), place).unwrap();
        for found in [
            contact_manifold(&angle, &pose, &plate, &below, 0.01),
            contact_manifold(&plate, &below, &angle, &pose, 0.01),
        ] {
            let found = found.unwrap();
            assert!(found.points.iter().all(|point| point.separation > -1e-4), "{place} {turn}: {found:?}");
            assert!(found.points.iter().all(|point| point.normal.z.abs() > 0.999), "{place} {turn}: {found:?}");
        }
    }
}

/// A roof of two slopes of 10 mrad whose crease runs along the diagonal of the unit square, `first` the triangle that is
/// listed first.
fn crease(first: usize) -> MeshShape {
    let corners = [(0.0, 0.0, 0.0), (1.0, 0.0, -0.00707), (1.0, 1.0, 0.0), (0.0, 1.0, -0.00707)];
    let vertices = corners.map(|(x, y, z)| Vec3::new(x - 0.5, y - 0.5, z)).to_vec();
    let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
    triangles.rotate_left(first);
    MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap()
}

#[test]
fn a_box_over_a_crease_keeps_all_points_that_hold_it() {
    let cube = Convex::cuboid(Vec3::splat(0.15)).unwrap();
    // Its middle is next to the crease, and it lies on one of the slopes.
    let lean = Quat::from_rotation_arc(Vec3::Z, Vec3::new(0.00707, -0.00707, 1.0).normalize());
    let pose = Pose::from_quaternion(lean.to_array(), Vec3::new(0.05, -0.05, 0.1489)).unwrap();
    let places = |contact: &Contact| {
        let mut places: Vec<[i64; 3]> =
            contact.points.iter().map(|at| (at.point * 1e9).round().to_array().map(|x| x as i64)).collect();
        places.sort_unstable();
        places
    };
    let found = contact_manifold(&crease(0), &Pose::IDENTITY, &cube, &pose, 0.01).unwrap();
    // Both ends of the crease below it, three corners over one slope, one over the other.
    assert_eq!(found.points.len(), 6, "{found:?}");
    let patches = found.patches();
    assert_eq!(patches.iter().map(|patch| patch.indices.len()).sum::<usize>(), 6, "{patches:?}");
    assert!(patches.iter().all(|patch| patch.indices.len() <= 4), "{patches:?}");
    assert_eq!(found.patches_of_curved().iter().map(|patch| patch.indices.len()).max(), Some(4));
    let renumbered = contact_manifold(&crease(1), &Pose::IDENTITY, &cube, &pose, 0.01).unwrap();
    let swapped = contact_manifold(&cube, &pose, &crease(0), &Pose::IDENTITY, 0.01).unwrap();
    assert_eq!(places(&renumbered), places(&found));
    assert_eq!(places(&swapped), places(&found));
}

/// A contact with points at the given places in a plane, all as deep as said.
fn flat(places: &[[f64; 2]], depths: &[f64], size: f64) -> Contact {
    let points = places.iter().zip(depths).zip(0..).map(|(([x, y], depth), number)| ContactPoint {
        point: Vec3::new(*x, *y, 0.0) * size,
        normal: Vec3::Z,
        separation: -depth * size,
        features: [Feature::Corner(number), Feature::Face(0)],
        primitives: [0, 0],
    });
    let points = points.collect();
    Contact { separation: -1.0, separation_bound: -1.0, error: 0.0, normal: Vec3::Z, points }
}

/// The numbers of the points that are kept.
fn kept(contact: &Contact) -> Vec<u32> {
    let mut kept: Vec<u32> = contact.patches().iter().flat_map(|patch| patch.indices.clone()).collect();
    kept.sort_unstable();
    kept
}

#[test]
fn patches_keep_what_lies_outside_or_deeper_at_any_size() {
    let hexagon: Vec<[f64; 2]> = (0..6).map(|k| f64::from(k) * PI / 3.0).map(|turn| [turn.cos(), turn.sin()]).collect();
    let inside = [[0.1, 0.2], [-0.3, 0.1], [0.0, 0.0]];
    let all = [&hexagon[..], &inside].concat();
    for size in [1e-150, 1e-9, 0.3, 1.0, 1e9, 1e150] {
        assert_eq!(kept(&flat(&all, &[0.01; 9], size)), [0, 1, 2, 3, 4, 5], "{size:e}");
        // A ridge through the middle.
        let mut depths = [0.01; 9];
        depths[8] = 0.02;
        assert!(kept(&flat(&all, &depths, size)).contains(&8), "{size:e}");
        // On one line both ends are kept, and nothing between them.
        let line: Vec<[f64; 2]> = (0..20).map(|k| [0.1 * f64::from(k), 0.0]).collect();
        let found = kept(&flat(&line, &[0.01; 20], size));
        assert!(found.contains(&0) && found.contains(&19) && found.len() <= 4, "{size:e}: {found:?}");
        // Points at one place are few.
        assert!(kept(&flat(&[[0.5, 0.5]; 10], &[0.01; 10], size)).len() <= 4, "{size:e}");
    }
}
