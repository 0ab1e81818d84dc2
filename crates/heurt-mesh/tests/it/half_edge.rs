//! Half-edges: the steps of winged-edge, quad-edge and edge lists, and what has no such structure.

use crate::shapes::{cube, cuboid, mesh, moebius, open_box, sphere, tetrahedron, torus, unshared};
use heurt_mesh::{HalfEdgeError, HalfEdgeMesh, TriMesh, generate};

/// Two triangles of a square, counter-clockwise from above: 0 1 2 and 0 2 3.
fn square() -> HalfEdgeMesh {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    HalfEdgeMesh::new(&mesh(&corners, &[[0, 1, 2], [0, 2, 3]])).unwrap()
}

#[test]
fn the_diagonal_of_a_square_by_hand() {
    let square = square();
    let diagonal = 2; // From 2 to 0 in triangle 0.
    assert_eq!((square.origin(diagonal), square.target(diagonal)), (2, 0));
    assert_eq!(square.twin(diagonal), 3);
    assert_eq!((square.left(diagonal), square.right(diagonal)), (Some(0), Some(1)));
    // Seen from above, round 2 counter-clockwise: 2→3, 2→0, 2→1.
    let ends = |half_edge: u32| [square.origin(half_edge), square.target(half_edge)];
    assert_eq!(ends(square.onext(diagonal)), [2, 1]);
    assert_eq!(ends(square.oprev(diagonal)), [2, 3]);
    assert_eq!(ends(square.lnext(diagonal)), [0, 1]);
    assert_eq!(ends(square.lprev(diagonal)), [1, 2]);
    // The face on the right is 0 2 3, run counter-clockwise 0→2, 2→3, 3→0; with it on the right: 3→2, 0→3.
    assert_eq!(ends(square.rnext(diagonal)), [3, 2]);
    assert_eq!(ends(square.rprev(diagonal)), [0, 3]);
    // Round 0 counter-clockwise: from 1, from 2, from 3.
    assert_eq!(ends(square.dnext(diagonal)), [3, 0]);
    assert_eq!(ends(square.dprev(diagonal)), [1, 0]);
}

#[test]
fn the_edge_record_of_the_diagonal() {
    let square = square();
    let record = square.edge_record(square.edge(2));
    assert_eq!((record.vertices, record.left, record.right), ([2, 0], Some(0), Some(1)));
    let ends = |edge: u32| {
        let half_edge = square.half_edge(edge);
        let mut ends = [square.origin(half_edge), square.target(half_edge)];
        ends.sort_unstable();
        ends
    };
    assert_eq!(ends(record.wings.origin_counter_clockwise), [1, 2]);
    assert_eq!(ends(record.wings.origin_clockwise), [2, 3]);
    assert_eq!(ends(record.wings.target_counter_clockwise), [0, 3]);
    assert_eq!(ends(record.wings.target_clockwise), [0, 1]);
}

#[test]
fn the_border_of_a_square_is_one_loop() {
    let square = square();
    let loops = square.boundary_loops();
    assert_eq!(loops.len(), 1);
    let vertices: Vec<u32> = loops[0].iter().map(|&half_edge| square.origin(half_edge)).collect();
    assert_eq!(vertices, [1, 0, 3, 2], "clockwise from above, with the gap on the left");
    assert!(loops[0].iter().all(|&half_edge| square.is_boundary(half_edge) && square.face(half_edge).is_none()));
    assert_eq!(square.faces_around(0).collect::<Vec<_>>(), [0, 1], "from one side of the gap to the other");
    assert_eq!(square.face_neighbours(0), [None, None, Some(1)]);
}

/// What must hold on every manifold mesh.
fn assert_consistent(name: &str, mesh: &TriMesh) {
    let half_edges = HalfEdgeMesh::new(mesh).unwrap_or_else(|error| panic!("{name}: {error}"));
    let count = half_edges.half_edge_count() as u32;
    assert_eq!(count as usize, 2 * half_edges.edge_count(), "{name}");
    for h in 0..count {
        let m = &half_edges;
        assert_eq!(m.twin(m.twin(h)), h);
        assert_ne!(m.twin(h), h);
        assert_eq!((m.previous(m.next(h)), m.next(m.previous(h))), (h, h));
        assert_eq!((m.origin(m.next(h)), m.left(m.next(h))), (m.target(h), m.left(h)));
        assert_eq!(m.edge(m.twin(h)), m.edge(h));
        for (step, back) in [
            (m.onext(h), m.oprev(m.onext(h))),
            (m.rnext(h), m.rprev(m.rnext(h))),
            (m.dnext(h), m.dprev(m.dnext(h))),
            (m.lnext(h), m.lprev(m.lnext(h))),
        ] {
            assert!(step < count && back == h);
        }
        assert_eq!(m.origin(m.onext(h)), m.origin(h));
        assert_eq!(m.target(m.dnext(h)), m.target(h));
        assert_eq!((m.right(m.rnext(h)), m.right(m.rprev(h))), (m.right(h), m.right(h)));
    }
    let mut degrees = 0;
    for vertex in half_edges.vertices() {
        let around: Vec<u32> = half_edges.around_vertex(vertex).collect();
        assert!(around.iter().all(|&h| half_edges.origin(h) == vertex));
        let mut clockwise: Vec<u32> = half_edges.around_vertex_clockwise(vertex).collect();
        clockwise[1..].reverse();
        assert_eq!(around, clockwise);
        degrees += around.len();
    }
    assert_eq!(degrees, count as usize, "{name}: each half-edge starts at one vertex");
    for face in 0..half_edges.face_count() as u32 {
        assert!(half_edges.face_half_edges(face).iter().all(|&h| half_edges.face(h) == Some(face)));
    }
    let border: usize = half_edges.boundary_loops().iter().map(Vec::len).sum();
    assert_eq!(border + 3 * half_edges.face_count(), count as usize);
    let euler = half_edges.vertices().count() as i64 - half_edges.edge_count() as i64 + half_edges.face_count() as i64;
    assert_eq!(euler, heurt_mesh::measures(mesh).euler);
}

#[test]
fn steps_are_consistent_on_surfaces_with_and_without_border() {
    for (name, mesh) in [
        ("tetrahedron", tetrahedron()),
        ("cube", cube()),
        ("unshared cube", unshared(&cube())),
        ("open box", open_box()),
        ("sphere", sphere(6)),
        ("torus", torus(5, 4)),
        ("two parts", TriMesh::merged([&open_box(), &cuboid([3.0; 3], [4.0; 3])]).unwrap()),
        ("pillow", mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2], [0, 2, 1]])),
        ("generated torus", generate::torus(2.0, 0.5, 12, 8).unwrap()),
        ("generated gear", generate::gear(12, 1.0, 0.35, 0.0, 2.0, 4.0, 8).unwrap()),
        ("icosphere", generate::icosphere(1.0, 2).unwrap()),
    ] {
        assert_consistent(name, &mesh);
    }
}

#[test]
fn an_annulus_has_two_borders() {
    let outer = [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [-3.0, -3.0, 0.0]];
    let inner = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0]];
    let points = [outer[0], outer[1], outer[2], inner[0], inner[1], inner[2]];
    let ring = mesh(&points, &[[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]]);
    assert_consistent("annulus", &ring);
    let loops = HalfEdgeMesh::new(&ring).unwrap().boundary_loops();
    assert_eq!(loops.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn vertices_are_named_by_the_first_at_their_place() {
    let half_edges = HalfEdgeMesh::new(&unshared(&cube())).unwrap();
    assert_eq!(half_edges.vertices().count(), 8);
    assert_eq!(half_edges.outgoing(0), Some(0));
    assert_eq!(half_edges.outgoing(1_000_000), None);
    let later = (0..36).find(|&vertex| half_edges.outgoing(vertex).is_none());
    assert!(later.is_some(), "a vertex at the place of an earlier one has no half-edges of its own");
}

#[test]
fn meshes_that_are_no_oriented_surface_name_their_first_fault() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let error = |triangles: &[[u32; 3]]| HalfEdgeMesh::new(&mesh(&points, triangles)).unwrap_err();
    assert_eq!(error(&[[0, 1, 2], [3, 4, 3]]), HalfEdgeError::CollapsedTriangle { triangle: 1, vertex: 3 });
    assert_eq!(
        error(&[[0, 1, 2], [1, 0, 3], [0, 1, 4]]),
        HalfEdgeError::NonManifoldEdge { vertices: [0, 1], triangles: vec![0, 1, 2] }
    );
    assert_eq!(
        error(&[[0, 1, 2], [0, 1, 3]]),
        HalfEdgeError::InconsistentOrientation { vertices: [0, 1], triangles: [0, 1] }
    );
    assert!(matches!(HalfEdgeMesh::new(&moebius(8)), Err(HalfEdgeError::InconsistentOrientation { .. })));
    let corner = TriMesh::merged([&cube(), &cuboid([1.0; 3], [2.0; 3])]).unwrap();
    assert_eq!(HalfEdgeMesh::new(&corner), Err(HalfEdgeError::NonManifoldVertex { vertex: 7, fans: 2 }));
}
