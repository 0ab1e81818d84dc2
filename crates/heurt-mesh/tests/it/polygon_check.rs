//! Facets of any degree: planarity, simplicity, convexity, S − A + F, and half-edges over polygons.

use crate::shapes;
use crate::shapes::{BOX_FACES, Random, cube, torus};
use heurt_geometry::Vec3;
use heurt_mesh::polygon_check::FacetFaultKind;
use heurt_mesh::{
    HalfEdgeMesh, PolygonEdgeError, PolygonFaces, PolygonOptions, PolygonReport, Polygons, TriMesh, check_polygons,
    check_polygons_with, generate, measures,
};

/// A mesh of polygons, with the polygons.
fn polygonal(points: &[[f64; 3]], faces: &[Vec<u32>]) -> (TriMesh, Polygons) {
    let vertices = points.iter().map(|&point| Vec3::from_array(point)).collect();
    let made = TriMesh::from_polygons(vertices, faces).unwrap();
    let ends = faces.iter().scan(0, |end, face| {
        *end += face.len();
        Some(*end)
    });
    let polygons = Polygons::new(faces.concat(), ends.collect(), made.polygon_of).unwrap();
    (made.mesh, polygons)
}

/// The report of one polygon.
fn facet(points: &[[f64; 3]]) -> PolygonReport {
    let (mesh, polygons) = polygonal(points, &[(0..points.len() as u32).collect()]);
    check_polygons(&mesh, &polygons)
}

fn cube_points() -> Vec<[f64; 3]> {
    cube().vertices().iter().map(|v| v.to_array()).collect()
}

fn quads() -> (TriMesh, Polygons) {
    polygonal(&cube_points(), &BOX_FACES.map(|face| face.to_vec()))
}

#[test]
fn a_cube_of_squares() {
    let (mesh, polygons) = quads();
    let report = check_polygons(&mesh, &polygons);
    assert_eq!((report.vertices, report.edges, report.facets, report.euler), (8, 12, 6, 2));
    assert_eq!((report.quads, report.triangles, report.max_corners), (6, 0, 4));
    assert_eq!((report.exactly_planar, report.planar, report.simple, report.convex), (6, 6, 6, 6));
    assert_eq!((report.is_manifold, report.is_closed, report.genus), (true, true, Some(0)));
    assert_eq!((report.fault_count, report.worst, report.max_deviation), (0, None, 0.0));
}

#[test]
fn one_raised_corner_makes_a_square_not_planar() {
    // The corners are 1/4 of the height off the middle plane.
    let report = facet(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.1], [0.0, 1.0, 0.0]]);
    assert_eq!((report.planar, report.simple, report.convex, report.worst), (0, 1, 1, Some(0)));
    assert!((0.02..0.03).contains(&report.max_deviation), "{}", report.max_deviation);
    let [fault] = report.faults.as_slice() else { panic!("{report:?}") };
    assert!(matches!(fault.kind, FacetFaultKind::NotPlanar { deviation } if deviation == report.max_deviation));
    assert_eq!((fault.centre, fault.bounds.max), (Vec3::new(0.5, 0.5, 0.025), Vec3::new(1.0, 1.0, 0.1)));
    assert!(fault.to_string().contains("polygon 0 around [0.500000, 0.500000, 0.025000]"), "{fault}");
    let slightly = facet(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 1e-8], [0.0, 1.0, 0.0]]);
    assert_eq!((slightly.planar, slightly.exactly_planar, slightly.fault_count), (1, 0, 0));
}

#[test]
fn simple_and_convex_are_decided_exactly() {
    let flat = |points: &[[f64; 2]]| facet(&points.iter().map(|&[x, y]| [x, y, 3.0]).collect::<Vec<_>>());
    for (name, points, simple, convex) in [
        ("square", &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]][..], 1, 1),
        ("clockwise", &[[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]], 1, 1),
        ("straight corner", &[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0]], 1, 1),
        ("arrow", &[[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]], 1, 0),
        ("bow-tie", &[[0.0, 0.0], [3.0, 1.0], [3.0, 0.0], [0.0, 2.0]], 0, 0),
        ("spike", &[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]], 0, 0),
        ("corner on an edge", &[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 0.0], [0.0, 4.0]], 0, 0),
        // A pentagram turns left everywhere, and winds twice.
        ("star", &[[0.0, 3.0], [-2.0, -3.0], [3.0, 1.0], [-3.0, 1.0], [2.0, -3.0]], 0, 0),
    ] {
        let report = flat(points);
        assert_eq!((report.simple, report.convex), (simple, convex), "{name}: {:?}", report.faults);
    }
    let repeated = flat(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(repeated.faults[0].kind, FacetFaultKind::RepeatedCorner { corner: 1 });
    let line = flat(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]);
    assert_eq!((line.degenerate, line.faults[0].kind), (1, FacetFaultKind::Degenerate));
}

#[test]
fn long_facets_are_decided_by_a_tree_as_by_all_pairs() {
    let mut random = Random::new(3);
    let mut simple = 0;
    for _ in 0..60 {
        // A star-shaped polygon is simple; swapping two corners far apart makes most of them cross themselves.
        let mut points: Vec<[f64; 3]> = (0..40)
            .map(|k| {
                let (angle, radius) = (f64::from(k) * std::f64::consts::TAU / 40.0, 1.0 + random.next());
                [radius * angle.cos(), 1.0, radius * angle.sin()]
            })
            .collect();
        if random.next() < 0.5 {
            points.swap(random.below(40) as usize, random.below(40) as usize);
        }
        let report = facet(&points);
        let edge = |k: usize| [points[k], points[(k + 1) % 40]].map(Vec3::from_array);
        let crosses = (0..40).any(|i| {
            (i + 2..40).filter(|&k| (k + 1) % 40 != i).any(|k| {
                let ([a, b], [c, d]) = (edge(i), edge(k));
                heurt_geometry::segments_intersect(a, b, c, d)
            })
        });
        assert_eq!(report.simple == 0, crosses);
        simple += report.simple;
    }
    assert!((10..50).contains(&simple), "{simple}");
}

#[test]
fn facets_of_a_dodecahedron_and_of_a_torus() {
    // The pentagons of a dodecahedron are planar up to rounding.
    let solid = generate::dodecahedron(1.0).unwrap();
    let normal = |t: u32| {
        let [a, b, c] = solid.corners(t);
        (b - a).cross(c - a).normalize()
    };
    let faces: Vec<Vec<u32>> = (0..12)
        .map(|face| {
            let own: Vec<u32> = (0..36).filter(|&t| normal(3 * face).dot(normal(t)) > 0.999).collect();
            border(&solid, &own)
        })
        .collect();
    let points: Vec<[f64; 3]> = solid.vertices().iter().map(|v| v.to_array()).collect();
    let (mesh, polygons) = polygonal(&points, &faces);
    let report = check_polygons(&mesh, &polygons);
    assert_eq!((report.vertices, report.edges, report.facets, report.euler), (20, 30, 12, 2));
    assert_eq!((report.planar, report.convex, report.max_corners, report.genus), (12, 12, 5, Some(0)));
    let around: Vec<Vec<u32>> = (0..7)
        .flat_map(|i| (0..5).map(move |j| (i, j)))
        .map(|(i, j)| {
            let at = |i: u32, j: u32| (i % 7) * 5 + j % 5;
            vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
        })
        .collect();
    let points: Vec<[f64; 3]> = torus(7, 5).vertices().iter().map(|v| v.to_array()).collect();
    let (mesh, polygons) = polygonal(&points, &around);
    let report = check_polygons(&mesh, &polygons);
    assert_eq!((report.vertices, report.edges, report.euler, report.genus), (35, 70, 0, Some(1)));
}

/// The border of triangles, as a cycle of vertices.
fn border(mesh: &TriMesh, triangles: &[u32]) -> Vec<u32> {
    let sides = |t: &u32| {
        let [a, b, c] = mesh.triangles()[*t as usize];
        [[a, b], [b, c], [c, a]]
    };
    let all: Vec<[u32; 2]> = triangles.iter().flat_map(sides).collect();
    let next = |from: u32| all.iter().find(|&&[a, b]| a == from && !all.contains(&[b, a])).map(|side| side[1]);
    let first = all.iter().find(|&&[a, b]| !all.contains(&[b, a])).unwrap()[0];
    let mut cycle = vec![first];
    while let Some(vertex) = next(cycle[cycle.len() - 1]).filter(|&vertex| vertex != first) {
        cycle.push(vertex);
    }
    cycle
}

#[test]
fn lists_are_limited_and_counts_are_not() {
    let bent = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]];
    let (mesh, polygons) = polygonal(&bent, &vec![vec![0, 1, 2, 3]; 9]);
    let options = PolygonOptions { max_listed: 2, ..PolygonOptions::default() };
    let report = check_polygons_with(&mesh, &polygons, &options);
    assert_eq!((report.fault_count, report.faults.len(), report.planar), (9, 2, 0));
    assert!(!report.is_manifold && report.genus.is_none());
    let wide = PolygonOptions { tolerance: Some(1.0), ..PolygonOptions::default() };
    assert_eq!(check_polygons_with(&mesh, &polygons, &wide).planar, 9);
}

#[test]
fn half_edges_of_a_cube_of_squares() {
    let (mesh, polygons) = quads();
    let half_edges = HalfEdgeMesh::from_polygons(&mesh, &polygons).unwrap();
    assert_eq!((half_edges.half_edge_count(), half_edges.edge_count(), half_edges.face_count()), (24, 12, 6));
    assert_eq!((half_edges.euler_characteristic(), half_edges.component_count()), (2, 1));
    // The square x = 0 is 0 4 6 2; the one across its first edge, from 0 to 4, is y = 0, which is 0 1 5 4.
    assert_eq!(half_edges.face_vertices(0), [0, 4, 6, 2]);
    assert_eq!(half_edges.face_half_edges(1), [4, 5, 6, 7]);
    assert_eq!(half_edges.face_neighbours(0), [Some(2), Some(5), Some(3), Some(4)]);
    let record = half_edges.edge_record(half_edges.edge(0));
    assert_eq!((record.vertices, record.left, record.right), ([0, 4], Some(0), Some(2)));
    assert_eq!(half_edges.around_vertex(0).count(), 3);
    assert_consistent(&half_edges);
}

/// What must hold on every polygon mesh.
fn assert_consistent(m: &HalfEdgeMesh<PolygonFaces>) {
    let count = m.half_edge_count() as u32;
    for h in 0..count {
        assert_eq!((m.twin(m.twin(h)), m.previous(m.next(h)), m.next(m.previous(h))), (h, h, h));
        assert_eq!((m.target(h), m.face(h), m.edge(m.twin(h))), (m.origin(m.next(h)), m.face(m.next(h)), m.edge(h)));
        assert_eq!((m.oprev(m.onext(h)), m.rprev(m.rnext(h)), m.dprev(m.dnext(h))), (h, h, h));
    }
    let degrees: usize = (0..m.face_count() as u32).map(|face| m.face_degree(face)).sum();
    let border: usize = m.boundary_loops().iter().map(Vec::len).sum();
    assert_eq!(degrees + border, count as usize);
    assert_eq!(m.vertices().map(|vertex| m.around_vertex(vertex).count()).sum::<usize>(), count as usize);
}

#[test]
fn triangles_as_polygons_have_the_half_edges_of_the_mesh() {
    for mesh in [cube(), torus(5, 4), shapes::open_box(), shapes::unshared(&cube()), shapes::sphere(4)] {
        let faces: Vec<Vec<u32>> = mesh.triangles().iter().map(|corners| corners.to_vec()).collect();
        let points: Vec<[f64; 3]> = mesh.vertices().iter().map(|v| v.to_array()).collect();
        let (mesh, polygons) = polygonal(&points, &faces);
        let (one, other) = (HalfEdgeMesh::new(&mesh).unwrap(), HalfEdgeMesh::from_polygons(&mesh, &polygons).unwrap());
        assert_consistent(&other);
        assert_eq!(one.half_edge_count(), other.half_edge_count());
        for h in 0..one.half_edge_count() as u32 {
            assert_eq!((one.twin(h), one.next(h), one.edge(h)), (other.twin(h), other.next(h), other.edge(h)));
        }
        assert_eq!(one.boundary_loops(), other.boundary_loops());
        assert_eq!(other.euler_characteristic(), measures(&mesh).euler);
        let edges = 0..one.edge_count() as u32;
        assert!(edges.into_iter().all(|edge| one.edge_record(edge) == other.edge_record(edge)));
    }
}

#[test]
fn polygons_without_half_edges_name_their_first_fault() {
    let error = |points: &[[f64; 3]], faces: &[Vec<u32>]| {
        let (mesh, polygons) = polygonal(points, faces);
        HalfEdgeMesh::from_polygons(&mesh, &polygons).unwrap_err()
    };
    let points = cube_points();
    assert_eq!(
        error(&points, &[vec![0, 1, 3, 2], vec![0, 1, 5, 4]]),
        PolygonEdgeError::InconsistentOrientation { vertices: [0, 1], polygons: [0, 1] }
    );
    assert_eq!(
        error(&points, &[vec![0, 1, 3, 2], vec![1, 0, 4, 5], vec![0, 1, 7, 6]]),
        PolygonEdgeError::NonManifoldEdge { vertices: [0, 1], polygons: vec![0, 1, 2] }
    );
    assert_eq!(
        error(&points, &[vec![0, 1, 3, 2], vec![3, 5, 7]]),
        PolygonEdgeError::NonManifoldVertex { vertex: 3, fans: 2 }
    );
    assert_eq!(error(&points, &[vec![0, 1, 1, 2]]), PolygonEdgeError::CollapsedEdge { polygon: 0, vertex: 1 });
    let (_, polygons) = quads();
    let smaller = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    assert!(matches!(
        HalfEdgeMesh::from_polygons(&smaller, &polygons),
        Err(PolygonEdgeError::NoSuchVertex { vertex: 4, count: 3, polygon: 0 })
    ));
}

#[test]
fn facets_of_any_size_are_measured_alike() {
    let bent = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.25], [0.0, 1.0, 0.0]];
    let plain = facet(&bent);
    for power in [-900, -500, 500, 900] {
        let scale = 2f64.powi(power);
        let report = facet(&bent.map(|point| point.map(|x| x * scale)));
        assert_eq!((report.simple, report.convex, report.planar), (1, 1, 0), "2^{power}");
        assert_eq!(report.max_deviation, plain.max_deviation * scale, "2^{power}");
    }
}
