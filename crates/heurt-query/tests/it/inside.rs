//! `winding_number` agrees with exact brute force, on points chosen to be hard for rays, and with solid angles elsewhere.

use heurt_geometry::{Pose, Triangle, Vec3, point_on_triangle};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{Location, closest, solid_angle_winding, winding_number};
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle as oracle;

fn shape(mesh: TriMesh) -> MeshShape {
    MeshShape::new(mesh).unwrap()
}

fn shifted(mesh: &TriMesh, by: Vec3) -> TriMesh {
    mesh.transformed(&Pose::from_translation(by).unwrap()).unwrap()
}

/// Closed meshes: convex, curved, with a hole, hollow, nested, overlapping, inside out.
fn meshes() -> Vec<TriMesh> {
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let cavity = generate::cuboid([0.5; 3]).unwrap();
    vec![
        cube.clone(),
        generate::octahedron(1.0).unwrap(),
        generate::icosphere(1.0, 1).unwrap(),
        generate::torus(1.0, 0.5, 8, 6).unwrap(),
        generate::gear(8, 0.2, 0.35, 0.0, 0.3, 0.4, 2).unwrap(),
        TriMesh::merged([&cube, &cavity.clone().reversed()]).unwrap(),
        TriMesh::merged([&cube, &cavity]).unwrap(),
        TriMesh::merged([&cube, &shifted(&cube, Vec3::new(1.0, 0.5, 0.0))]).unwrap(),
        cube.reversed(),
    ]
}

fn poses(random: &mut Random) -> Vec<Pose> {
    let mut all = vec![Pose::IDENTITY, Pose::from_translation(Vec3::new(0.5, -0.25, 3.0)).unwrap()];
    all.push(Pose::from_quaternion([0.0, 0.0, 1.0, 0.0], Vec3::ZERO).unwrap());
    let q = [0.0; 4].map(|_: f64| random.between(-1.0, 1.0));
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    all.push(Pose::from_quaternion(q.map(|x| x / norm), Vec3::new(0.1, 0.2, -0.3)).unwrap());
    all.push(Pose::from_quaternion(q.map(|x| x / norm), Vec3::new(1e6, -1e6, 1e5)).unwrap());
    all
}

fn agree(shape: &MeshShape, pose: &Pose, placed: &[Triangle], point: Vec3) -> Option<i32> {
    let truth = oracle::winding(placed, point);
    match winding_number(shape, pose, point) {
        Location::Boundary { triangle } => {
            assert_eq!(truth, None, "{point} is off the surface");
            assert!(point_on_triangle(point, &placed[triangle as usize]), "{point} is not on triangle {triangle}");
        }
        Location::Winding(winding) => assert_eq!(Some(winding), truth, "{point} under {pose:?}"),
    }
    truth
}

/// Points in the line of corners and edges as seen along the axes, and on the surface itself.
fn hard_point(random: &mut Random, placed: &[Triangle]) -> Vec3 {
    let mut triangle = || placed[random.whole(0, placed.len() as i64 - 1) as usize];
    let (t, other) = (triangle(), triangle());
    match random.whole(0, 7) {
        0 => t[0],
        1 => (t[0] + t[1]) * 0.5,
        2 => t[0] + ((t[1] - t[0]) + (t[2] - t[0])) * 0.25,
        // Level with a corner: the ray runs into it.
        3 => t[0].with_x(other[1].x),
        4 => Vec3::new(other[0].x, t[0].y, other[2].z),
        // Level with an edge, and along one.
        5 => ((t[1] + t[2]) * 0.5).with_x((t[0].x + other[0].x) * 0.5),
        6 => t[0] * 0.5 + other[1] * 0.5,
        _ => t[1].with_z(t[1].z.next_up()),
    }
}

#[test]
fn agrees_with_exact_crossings_everywhere() {
    let mut random = Random::new(41);
    let (mut boundary, mut inside, mut outside) = (0, 0, 0);
    for mesh in meshes() {
        let shape = shape(mesh);
        for pose in poses(&mut random) {
            let placed = oracle::placed(shape.mesh(), &pose);
            for round in 0..40 {
                let free = Vec3::from_array([0.0; 3].map(|_: f64| random.between(-1.2, 1.2)));
                let point = if round % 4 == 0 { pose.place(free) } else { hard_point(&mut random, &placed) };
                match agree(&shape, &pose, &placed, point) {
                    None => boundary += 1,
                    Some(0) => outside += 1,
                    Some(_) => inside += 1,
                }
            }
        }
    }
    assert!(boundary > 200 && inside > 200 && outside > 200, "{boundary} on, {inside} in, {outside} out");
}

#[test]
fn a_grid_through_axis_aligned_boxes() {
    // Every ray along x from these points runs in faces, along edges and into corners.
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let shape = shape(TriMesh::merged([&cube, &shifted(&cube, Vec3::new(1.0, 0.0, 0.0))]).unwrap());
    let expected = |p: Vec3| {
        let within = |p: Vec3| p.abs().max_element();
        let (one, two) = (within(p), within(p - Vec3::X));
        if one == 1.0 || two == 1.0 { None } else { Some(i32::from(one < 1.0) + i32::from(two < 1.0)) }
    };
    for k in 0..11 * 7 * 7 {
        let p = Vec3::new(f64::from(k % 11) - 4.0, f64::from(k / 11 % 7) - 3.0, f64::from(k / 77) - 3.0) * 0.5;
        let found = match winding_number(&shape, &Pose::IDENTITY, p) {
            Location::Boundary { .. } => None,
            Location::Winding(winding) => Some(winding),
        };
        assert_eq!(found, expected(p), "{p}");
    }
}

#[test]
fn shells_add_up() {
    let at_centre = |mesh: TriMesh, x: f64| winding_number(&shape(mesh), &Pose::IDENTITY, Vec3::new(x, 0.01, 0.02));
    let all = meshes();
    assert_eq!(at_centre(all[0].clone(), 0.0), Location::Winding(1));
    assert_eq!(at_centre(all[5].clone(), 0.0), Location::Winding(0), "in the cavity");
    assert_eq!(at_centre(all[5].clone(), 0.7), Location::Winding(1), "in the wall");
    assert_eq!(at_centre(all[6].clone(), 0.0), Location::Winding(2), "nested");
    assert_eq!(at_centre(all[7].clone(), 0.5), Location::Winding(2), "in both");
    assert_eq!(at_centre(all[7].clone(), 1.5), Location::Winding(1), "in the second");
    assert_eq!(at_centre(all[8].clone(), 0.0), Location::Winding(-1), "inside out");
    assert_eq!(at_centre(all[8].clone(), 5.0), Location::Winding(0));
}

#[test]
fn one_bit_off_a_face_is_off() {
    let shape = shape(generate::cuboid([1.0; 3]).unwrap());
    let at = |p: Vec3| winding_number(&shape, &Pose::IDENTITY, p);
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for side in [axis, -axis] {
            assert!(matches!(at(side), Location::Boundary { .. }), "{side}");
            assert_eq!(at(side * 1f64.next_down()), Location::Winding(1), "{side}");
            assert_eq!(at(side * 1f64.next_up()), Location::Winding(0), "{side}");
        }
    }
}

#[test]
fn solid_angles_agree_away_from_the_surface() {
    let mut random = Random::new(42);
    let mut compared = 0;
    for mesh in meshes() {
        let shape = shape(mesh);
        for pose in poses(&mut random).into_iter().take(4) {
            for _ in 0..50 {
                let point = pose.place(Vec3::from_array([0.0; 3].map(|_: f64| random.between(-1.5, 1.5))));
                if closest(&shape, &pose, point).distance < 1e-3 {
                    continue;
                }
                let Location::Winding(winding) = winding_number(&shape, &pose, point) else {
                    panic!("{point} is away from the surface")
                };
                let turns = solid_angle_winding(&shape, &pose, point);
                assert!((turns - f64::from(winding)).abs() < 1e-9, "{turns} for {winding} at {point}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "only {compared} compared");
}

#[test]
fn open_meshes_have_fractions_of_turns() {
    // Half a cube's faces, seen from its centre: half the sphere.
    let (vertices, triangles) = generate::cuboid([1.0; 3]).unwrap().into_parts();
    let face = |t: &[u32; 3]| t.iter().all(|v| vertices[*v as usize].z == 1.0);
    let top: Vec<[u32; 3]> = triangles.into_iter().filter(face).collect();
    assert_eq!(top.len(), 2);
    let top = shape(TriMesh::new(vertices, top).unwrap());
    let turns = solid_angle_winding(&top, &Pose::IDENTITY, Vec3::ZERO);
    assert!((turns - 1.0 / 6.0).abs() < 1e-12, "one face of six: {turns}");
}
