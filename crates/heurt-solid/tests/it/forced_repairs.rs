//! Repairs by force: the largest piece stays, and advice comes to an end.

use heurt_geometry::Vec3;
use heurt_mesh::repair::Step;
use heurt_mesh::{RepairOptions, TriMesh, generate, measures};
use heurt_solid::{MendOptions, mend};

fn forces() -> MendOptions {
    MendOptions { forces: true, ..MendOptions::default() }
}

/// A tetrahedron with three sides of the given length, at a place.
fn speck(place: Vec3, side: f64) -> TriMesh {
    let vertices = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|corner| place + corner * side);
    TriMesh::new(vertices.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap()
}

/// A ball without one triangle, and a triangle that reaches through the hole.
fn blocked_ball(radius: f64, centre: Vec3) -> TriMesh {
    let (vertices, triangles) = generate::icosphere(radius, 2).unwrap().into_parts();
    let [a, b, c] = triangles[0].map(|vertex| vertices[vertex as usize]);
    let middle = (a + b + c) / 3.0;
    let needle = [middle * 0.8, middle * 1.2, middle * 1.2 + (b - a) * 0.1];
    let number = vertices.len() as u32;
    let vertices = vertices.into_iter().chain(needle).map(|vertex| vertex + centre).collect();
    let triangles = triangles[1..].iter().copied().chain([[number, number + 1, number + 2]]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn the_largest_piece_stays_if_it_cannot_be_closed() {
    let (vertices, triangles) = generate::icosphere(1.0, 2).unwrap().into_parts();
    let open = TriMesh::new(vertices, triangles[1..].to_vec()).unwrap();
    let both = TriMesh::merged([&open, &speck(Vec3::X * 3.0, 0.01)]).unwrap();
    let never_fills = MendOptions { repair: RepairOptions::default().with(Step::Fill, false), ..forces() };
    let mended = mend(&both, &never_fills).unwrap();
    assert!(!mended.report.is_solid());
    assert!(measures(&mended.mesh).area > 0.5 * measures(&open).area, "{}", measures(&mended.mesh).area);
    // A body of which every triangle is at the hole.
    let (vertices, triangles) = generate::cuboid([1.0; 3]).unwrap().into_parts();
    let open = TriMesh::new(vertices, triangles[2..].to_vec()).unwrap();
    let both = TriMesh::merged([&open, &speck(Vec3::X * 3.0, 0.01)]).unwrap();
    let mended = mend(&both, &never_fills).unwrap();
    assert!(measures(&mended.mesh).area >= 4.0, "{}", measures(&mended.mesh).area);
}

#[test]
fn bodies_with_blocked_holes_are_both_closed() {
    let large = blocked_ball(1.0, Vec3::ZERO);
    let both = TriMesh::merged([&large, &blocked_ball(0.5, Vec3::X * 4.0), &speck(Vec3::Y * 4.0, 0.01)]).unwrap();
    let mended = mend(&both, &forces()).unwrap();
    assert!(mended.report.is_solid(), "{:?}", mended.report.left());
    let due = [1.0, 0.5].map(|radius| measures(&generate::icosphere(radius, 2).unwrap()).volume.unwrap());
    let volume = measures(&mended.mesh).volume.unwrap();
    assert!((volume - due[0] - due[1]).abs() < 0.05 * due[0], "{volume} instead of {due:?}");
    // Alone, only the scrap in front of the hole goes.
    let mended = mend(&large, &forces()).unwrap();
    assert_eq!(mended.forced.map(|forced| forced.removed), Some(1));
    assert!((mended.report.after.volume.unwrap() - due[0]).abs() < 1e-12);
}

#[test]
fn after_force_no_advice_names_it() {
    let count = 100;
    let at = |number: u32| {
        let turn = std::f64::consts::TAU * f64::from(number) / f64::from(count);
        Vec3::new(turn.cos(), turn.sin(), 0.5)
    };
    let vertices = [Vec3::ZERO, Vec3::Z].into_iter().chain((0..count).map(at)).collect();
    let fan = TriMesh::new(vertices, (0..count).map(|number| [0, 1, number + 2]).collect()).unwrap();
    let plain = mend(&fan, &MendOptions::default()).unwrap();
    assert!(!plain.report.is_solid());
    let mut mended = mend(&fan, &forces()).unwrap();
    for round in 0..2 {
        assert!(!mended.report.is_solid());
        let lines: Vec<String> = mended.report.left().iter().map(ToString::to_string).collect();
        assert!(!lines.is_empty());
        assert!(lines.iter().all(|line| !line.contains("--force")), "round {round}: {lines:?}");
        mended = mend(&mended.mesh, &forces()).unwrap();
    }
}
