//! `contact_manifold` of meshes: a contact for each curve in which the surfaces meet, however large the triangles are that they cross.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::contact::contact_manifold;
use heurt_query::contours;
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;

/// Boxes side by side as one mesh, by their middles and half edges.
fn boxes(all: &[(Vec3, Vec3)]) -> MeshShape {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &(middle, half) in all {
        let cuboid = generate::cuboid(half.to_array()).unwrap();
        let first = vertices.len() as u32;
        vertices.extend(cuboid.vertices().iter().map(|&vertex| vertex + middle));
        triangles.extend(cuboid.triangles().iter().map(|corners| corners.map(|corner| corner + first)));
    }
    MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap()
}

fn floor() -> MeshShape {
    boxes(&[(Vec3::new(0.0, 0.0, -0.5), Vec3::new(2.0, 2.0, 0.5))])
}

/// Four legs of 10 cm that stand on z = 0.
fn table_on_legs() -> (MeshShape, Vec<Vec3>) {
    let feet: Vec<Vec3> =
        [(-0.6, -0.4), (-0.6, 0.4), (0.6, -0.4), (0.6, 0.4)].iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
    let leg = |&foot: &Vec3| (foot + Vec3::Z * 0.35, Vec3::new(0.05, 0.05, 0.35));
    (boxes(&feet.iter().map(leg).collect::<Vec<_>>()), feet)
}

#[test]
fn each_leg_of_a_table_has_a_contact() {
    let (floor, (table, feet)) = (floor(), table_on_legs());
    let mut random = Random::new(2411);
    // Touching as one face on another, 5 mm deep, and tilted by a little.
    for round in 0..60 {
        let sunk = if round % 2 == 0 { 0.0 } else { 0.005 };
        let shift = match round {
            0 | 1 => Vec3::ZERO,
            _ => Vec3::new(random.vector(0.2).x, random.vector(0.2).y, 0.0),
        };
        let pose = Pose::from_translation(shift - Vec3::Z * sunk).unwrap();
        let found = contact_manifold(&floor, &Pose::IDENTITY, &table, &pose, 0.0).expect("it stands there");
        assert_eq!(found.points.len(), 4, "round {round}: {found:?}");
        for foot in &feet {
            let at = *foot + shift;
            // Where a face touches, edges between triangles pull the middle a little.
            let room = if sunk == 0.0 { 0.01 } else { 1e-9 };
            let near = |point: Vec3| (point - at).truncate().length() < room && point.z.abs() < 1e-9;
            let point = found.points.iter().find(|point_found| near(point_found.point));
            let point_found = point.unwrap_or_else(|| panic!("round {round}, foot {foot:?}: {found:?}"));
            assert!((point_found.normal - Vec3::Z).length() < 1e-9, "round {round}: {point_found:?}");
            assert!((point_found.separation + sunk).abs() < 1e-12, "round {round}: {point_found:?}");
        }
    }
}

#[test]
fn bars_across_bars_meet_in_as_many_places_as_they_cross() {
    let bar = |k: usize, along: Vec3, across: Vec3| {
        (across * (k as f64 - 11.5) * 0.1, along * 1.5 + across * 0.0213 + Vec3::Z * 0.025)
    };
    let rack = |along: Vec3, across: Vec3| boxes(&(0..24).map(|k| bar(k, along, across)).collect::<Vec<_>>());
    let (a, b) = (rack(Vec3::X, Vec3::Y), rack(Vec3::Y, Vec3::X));
    for lift in [0.015, 0.05] {
        let above = Pose::from_translation(Vec3::Z * lift + Vec3::X * 0.003).unwrap();
        let found = contact_manifold(&a, &Pose::IDENTITY, &b, &above, 0.0).expect("they cross");
        assert_eq!(found.points.len(), 576, "{lift}");
    }
}

/// Of surfaces in general position the contacts are as many as the curves of `contours`, which chains positions.
#[test]
fn contacts_are_as_many_as_contours() {
    let mut random = Random::new(2412);
    let meshes = [
        MeshShape::new(generate::torus(1.0, 0.3, 12, 6).unwrap()).unwrap(),
        MeshShape::new(generate::icosphere(0.8, 1).unwrap()).unwrap(),
        table_on_legs().0,
        boxes(&[(Vec3::ZERO, Vec3::new(0.02, 0.02, 3.0))]),
    ];
    let (mut several, mut tested) = (0, 0);
    for _ in 0..300 {
        let mut any = || &meshes[random.whole(0, meshes.len() as i64 - 1) as usize];
        let (a, b) = (any(), any());
        let (pose_a, pose_b) = (random.pose(0.5), random.pose(0.5));
        let curves = contours(a, &pose_a, b, &pose_b);
        if curves.is_empty() {
            continue;
        }
        let found = contact_manifold(a, &pose_a, b, &pose_b, 0.0).expect("surfaces meet");
        assert_eq!(found.points.len(), curves.len(), "{pose_a:?} {pose_b:?}");
        (several, tested) = (several + usize::from(curves.len() > 1), tested + 1);
    }
    assert!(several > 50 && tested > 150, "{several} of {tested}");
}
