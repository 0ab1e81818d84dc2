//! Edges, closedness, components, fans and genus, on manifold meshes and others.

use crate::shapes::{Random, cube, cuboid, mesh, moebius, open_box, sphere, tetrahedron, torus, unshared};
use heurt_geometry::Vec3;
use heurt_mesh::{Topology, TriMesh, components, is_closed};

fn two_cubes(second_low: [f64; 3]) -> TriMesh {
    TriMesh::merged([&cube(), &cuboid(second_low, second_low.map(|x| x + 1.0))]).unwrap()
}

#[test]
fn closed_means_equally_many_opposite_half_edges() {
    for (closed, name, mesh) in [
        (true, "cube", cube()),
        (true, "unshared cube", unshared(&cube())),
        (true, "torus", torus(7, 5)),
        (true, "cubes with a common edge", two_cubes([1.0, 1.0, 0.0])),
        (true, "cubes with a common corner", two_cubes([1.0, 1.0, 1.0])),
        (true, "the same cube twice", TriMesh::merged([&cube(), &cube()]).unwrap()),
        (false, "open box", open_box()),
        (false, "Moebius strip", moebius(9)),
        (false, "cube with a face turned", turned_face()),
        (true, "cube with a collapsed triangle", with_triangle(&cube(), [0, 0, 5])),
        (false, "cube with a flap", with_triangle(&cube(), [0, 1, 7])),
    ] {
        assert_eq!(is_closed(&mesh), closed, "{name}");
    }
}

fn turned_face() -> TriMesh {
    let (vertices, mut triangles) = cube().into_parts();
    triangles[3].swap(0, 1);
    TriMesh::new(vertices, triangles).unwrap()
}

fn with_triangle(mesh: &TriMesh, corners: [u32; 3]) -> TriMesh {
    let (vertices, mut triangles) = mesh.clone().into_parts();
    triangles.push(corners);
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn minus_zero_closes_a_mesh() {
    let (vertices, triangles) = unshared(&tetrahedron()).into_parts();
    let flip =
        |(i, v): (usize, Vec3)| if i % 2 == 0 { Vec3::new(0.0 - v.x, v.y, v.z) * Vec3::new(-1.0, 1.0, 1.0) } else { v };
    let flipped: Vec<Vec3> = vertices.into_iter().enumerate().map(flip).collect();
    assert!(flipped.iter().any(|v| v.x == 0.0 && v.x.is_sign_negative()));
    assert!(is_closed(&TriMesh::new(flipped, triangles).unwrap()));
}

#[test]
fn edges_agree_with_a_count_by_hand() {
    let mesh = two_cubes([1.0, 1.0, 0.0]);
    let topology = Topology::new(&mesh);
    assert_eq!(topology.edge_count(), 2 * 18 - 1);
    let shared: Vec<_> = topology.edges().filter(|edge| edge.degree() == 4).collect();
    assert_eq!(shared.len(), 1);
    assert_eq!(shared[0].vertices, [3, 7], "the edge at x = y = 1");
    assert!(shared[0].is_oriented());
    assert_eq!(topology.edge_between(7, 3).unwrap().degree(), 4);
    assert!(topology.edge_between(0, 7).is_none());
    assert!(topology.edge_between(3, 3).is_none());
}

#[test]
fn edges_agree_with_brute_force_on_random_soups() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let points: Vec<Vec3> = (0..20).map(|_| random.grid_point(2)).collect();
        let triangles: Vec<[u32; 3]> = (0..30).map(|_| [0; 3].map(|_: i32| random.below(20))).collect();
        let mesh = TriMesh::new(points.clone(), triangles.clone()).unwrap();
        let topology = Topology::new(&mesh);
        let place = |v: u32| (0..20).find(|&first| points[first as usize] == points[v as usize]).unwrap();
        let mut expected: Vec<([u32; 2], u32, bool)> = Vec::new();
        for (triangle, corners) in triangles.iter().enumerate() {
            let corners = corners.map(place);
            if corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0] {
                assert!(topology.collapsed().contains(&(triangle as u32)));
                continue;
            }
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                expected.push(([a.min(b), a.max(b)], 3 * triangle as u32 + k as u32, a < b));
            }
        }
        expected.sort_unstable();
        let found: Vec<_> = topology
            .edges()
            .flat_map(|edge| edge.half_edges().map(|(h, f)| (edge.vertices, h, f)).collect::<Vec<_>>())
            .collect();
        assert_eq!(found, expected);
        let closed = topology.edges().all(|edge| edge.imbalance() == 0);
        assert_eq!(topology.is_closed(), closed);
    }
}

#[test]
fn components_hang_together_by_places() {
    let far = cuboid([5.0; 3], [6.0, 7.0, 8.0]);
    let mesh = TriMesh::merged([&unshared(&cube()), &far, &cuboid([1.0; 3], [2.0; 3])]).unwrap();
    let parts = components(&mesh);
    assert_eq!(parts.len(), 2, "the first and the third share a corner");
    assert_eq!((parts[0].vertex, parts[0].triangle, parts[0].triangles), (0, 0, 24));
    assert_eq!((parts[0].bounds.min, parts[0].bounds.max), (Vec3::ZERO, Vec3::splat(2.0)));
    assert_eq!((parts[1].vertex, parts[1].triangle, parts[1].triangles), (36, 12, 12));
    assert_eq!(parts[1].bounds.max, Vec3::new(6.0, 7.0, 8.0));
    assert_eq!(parts, Topology::new(&mesh).components());
}

#[test]
fn shells_hang_together_by_edges() {
    let mesh = two_cubes([1.0, 1.0, 1.0]);
    let shells = Topology::new(&mesh).shells();
    assert!(shells[..12].iter().all(|&first| first == 0) && shells[12..].iter().all(|&first| first == 12));
}

#[test]
fn fans_tell_pinched_vertices() {
    let fans = |mesh: &TriMesh, vertex: usize| Topology::new(mesh).fans()[vertex];
    assert_eq!(fans(&cube(), 0), 1);
    assert_eq!(fans(&two_cubes([1.0, 1.0, 1.0]), 7), 2);
    assert_eq!(fans(&two_cubes([1.0, 1.0, 0.0]), 7), 1, "the common edge holds them together");
    let bow_tie = mesh(
        &[[0.0; 3], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]],
        &[[0, 2, 1], [0, 3, 4]],
    );
    assert_eq!(fans(&bow_tie, 0), 2);
    assert!(!Topology::new(&bow_tie).is_manifold());
    assert!(Topology::new(&moebius(5)).is_manifold());
    assert!(!Topology::new(&moebius(5)).is_oriented());
}

#[test]
fn euler_and_genus() {
    let euler = |mesh: &TriMesh| Topology::new(mesh).euler_characteristic();
    let genus = |mesh: &TriMesh| Topology::new(mesh).genus();
    for (name, mesh, expected_euler, expected_genus) in [
        ("cube", cube(), 2, Some(0)),
        ("sphere", unshared(&sphere(9)), 2, Some(0)),
        ("torus", torus(8, 6), 0, Some(1)),
        (
            "two tori and a cube",
            TriMesh::merged([&torus(4, 3), &cuboid([9.0; 3], [10.0; 3]), &two_tori()]).unwrap(),
            2,
            Some(3),
        ),
        ("open box", open_box(), 1, None),
        ("Moebius strip", moebius(6), 0, None),
        ("cubes with a common corner", two_cubes([1.0, 1.0, 1.0]), 3, None),
        ("cube with a collapsed triangle along an edge", with_triangle(&cube(), [0, 0, 4]), 2, Some(0)),
        ("cube with a collapsed triangle across", with_triangle(&cube(), [1, 6, 6]), 1, Some(0)),
    ] {
        assert_eq!((euler(&mesh), genus(&mesh)), (expected_euler, expected_genus), "{name}");
    }
}

fn two_tori() -> TriMesh {
    let (vertices, triangles) = torus(5, 4).into_parts();
    let move_by = |offset: f64| {
        TriMesh::new(vertices.iter().map(|&v| v + Vec3::Z * offset).collect(), triangles.clone()).unwrap()
    };
    TriMesh::merged([&move_by(20.0), &move_by(40.0)]).unwrap()
}
