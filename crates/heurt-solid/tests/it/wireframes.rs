//! Wireframes with one, three, several and no solids.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::{Class, check, measures};
use heurt_solid::{WireError, WireLimits, WireSolid, Wireframe};

fn corner(k: u32, half: f64) -> Vec3 {
    Vec3::from([k & 1, k >> 1 & 1, k >> 2].map(|bit| if bit == 0 { -half } else { half }))
}

fn cube_edges(first: u32) -> impl Iterator<Item = [u32; 2]> {
    let all = (0..8).flat_map(|k: u32| [1, 2, 4].map(|bit| [k, k ^ bit]));
    all.filter(|[a, b]| a < b).map(move |ends| ends.map(|k| k + first))
}

/// A cube of edge 4 and one of edge 2 in it; with `joined`, edges between their corners.
fn cube_in_cube(joined: bool) -> Wireframe {
    let vertices = [2.0, 1.0].into_iter().flat_map(|half| (0..8).map(move |k| corner(k, half))).collect();
    let links = (0..8).filter(|_| joined).map(|k| [k, k + 8]);
    Wireframe::new(vertices, cube_edges(0).chain(cube_edges(8)).chain(links).collect()).expect("legal")
}

fn solids(wireframe: &Wireframe) -> Vec<WireSolid> {
    wireframe.solids(WireLimits::default()).expect("within the limits")
}

fn volume_and_genus(wireframe: &Wireframe, solid: &WireSolid) -> (f64, Option<u64>) {
    let mesh = wireframe.mesh(solid).expect("faces");
    let measured = measures(&mesh);
    assert!(matches!(check(&mesh).class, Class::Solid | Class::Convex), "{:?}", check(&mesh).counts);
    (measured.volume.expect("closed"), measured.genus)
}

#[test]
fn a_cube_has_one_solid() {
    let cube = Wireframe::new((0..8).map(|k| corner(k, 0.5)).collect(), cube_edges(0).collect()).expect("legal");
    let found = solids(&cube);
    assert_eq!(found.len(), 1);
    assert_eq!(volume_and_genus(&cube, &found[0]), (1.0, Some(0)));
}

/// S3 slide 8: the passage through the block goes along x, y or z.
#[test]
fn a_cube_in_a_cube_has_three_solids() {
    let wireframe = cube_in_cube(true);
    let found = solids(&wireframe);
    assert_eq!(found.len(), 3);
    for solid in &found {
        assert_eq!(solid.faces.len(), 16, "16 − 32 + 16 = 0: genus 1");
        let (volume, genus) = volume_and_genus(&wireframe, solid);
        // The passage is a prism of 2³ and two frusta of height 1: (16 + 4 + 8) / 3 each.
        assert!((volume - (64.0 - 8.0 - 2.0 * 28.0 / 3.0)).abs() < 1e-12, "{volume}");
        assert_eq!(genus, Some(1));
    }
}

#[test]
fn a_rotated_wireframe_has_the_same_solids() {
    let wireframe = cube_in_cube(true);
    let rotation = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let pose = Pose::from_quaternion(rotation.to_array(), Vec3::new(3.0, -1.0, 0.3)).expect("a unit quaternion");
    let moved = wireframe.vertices().iter().map(|point| pose.place(*point)).collect();
    let turned = Wireframe::new(moved, wireframe.edges().to_vec()).expect("legal");
    assert_eq!(solids(&turned).len(), 3);
}

#[test]
fn cubes_without_a_link_are_a_solid_with_a_cavity() {
    let wireframe = cube_in_cube(false);
    let found = solids(&wireframe);
    assert_eq!(found.len(), 1);
    let mesh = wireframe.mesh(&found[0]).expect("faces");
    assert_eq!(measures(&mesh).volume, Some(64.0 - 8.0));
}

#[test]
fn an_impossible_wireframe_has_none() {
    let corners = || (0..8).map(|k| corner(k, 0.5)).collect::<Vec<_>>();
    // A missing edge.
    let open = Wireframe::new(corners(), cube_edges(0).skip(1).collect()).expect("legal");
    assert_eq!(solids(&open), []);
    // A dangling edge.
    let mut vertices = corners();
    vertices.push(Vec3::new(2.0, 2.0, 2.0));
    let dangling = Wireframe::new(vertices, cube_edges(0).chain([[7, 8]]).collect()).expect("legal");
    assert_eq!(solids(&dangling), []);
    // A corner off the planes of three sides.
    let mut vertices = corners();
    vertices[7] = Vec3::new(0.7, 0.8, 0.9);
    let bent = Wireframe::new(vertices, cube_edges(0).collect()).expect("legal");
    assert_eq!(solids(&bent), []);
    assert_eq!(solids(&Wireframe::new(Vec::new(), Vec::new()).expect("legal")), []);
}

/// Two cubes with a common edge: the edge has four faces, and no two of them will do.
#[test]
fn an_edge_of_two_solids_has_too_many_faces() {
    let mut vertices: Vec<Vec3> = (0..8).map(|k| corner(k, 0.5)).collect();
    vertices.extend((0..8).map(|k| corner(k, 0.5) + Vec3::new(1.0, 1.0, 0.0)));
    // Corners 3 and 7 of the first are corners 0 and 4 of the second.
    let renamed = |k: u32| match k {
        8 => 3,
        12 => 7,
        other => other,
    };
    let second = cube_edges(8).map(|ends| ends.map(renamed)).filter(|ends| *ends != [3, 7]);
    let wireframe = Wireframe::new(vertices, cube_edges(0).chain(second).collect()).expect("legal");
    assert_eq!(solids(&wireframe), []);
}

#[test]
fn faults_are_errors_and_work_is_limited() {
    let square = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
    let made = |edges: Vec<[u32; 2]>| Wireframe::new(square.clone(), edges);
    assert!(matches!(made(vec![[0, 4]]), Err(WireError::Edge { edge: 0, count: 4, .. })));
    assert!(matches!(made(vec![[1, 1]]), Err(WireError::Edge { .. })));
    assert!(matches!(made(vec![[0, 1], [1, 0]]), Err(WireError::EdgesMeet { first: 0, second: 1 })));
    assert!(matches!(made(vec![[0, 2], [1, 3]]), Err(WireError::EdgesMeet { .. })), "crossing diagonals");
    assert!(matches!(Wireframe::new(vec![Vec3::NAN], vec![]), Err(WireError::Vertex { vertex: 0, .. })));
    let many = vec![[0, 1]; heurt_solid::MAX_WIRE_EDGES + 1];
    assert!(matches!(made(many), Err(WireError::TooManyEdges { .. })));
    let star = (0..200).map(|k| Vec3::new(f64::from(k), f64::from(k * k), 1.0)).chain([Vec3::ZERO]).collect();
    let spokes = (0..200).map(|k| [k, 200]).collect();
    assert_eq!(Wireframe::new(star, spokes), Err(WireError::TooManyCorners { corners: 200 * 199 / 2 }));
    let wireframe = cube_in_cube(true);
    let limited = |steps, solids| wireframe.solids(WireLimits { steps, solids });
    assert_eq!(limited(0, 10), Err(WireError::Steps { steps: 0 }));
    assert_eq!(limited(1000, 2), Err(WireError::TooManySolids { limit: 2 }));
}
