//! Drawing of meshes: every triangle, feature edges by kind, and the elements of each fault.

use heurt_geometry::{Meaning, Vec3};
use heurt_mesh::{Fault, FaultMarks, FeatureLines, TriMesh, check, feature_edges, generate};
use heurt_testkit::drawing::Drawing;

fn marks(mesh: &TriMesh) -> (Vec<Fault>, Drawing) {
    let faults = check(mesh).faults;
    let drawing = Drawing::of(&FaultMarks { mesh, faults: &faults });
    (faults, drawing)
}

#[test]
fn a_mesh_is_its_triangles_in_their_order() {
    let mesh = generate::icosphere(2.0, 1).unwrap();
    let drawing = Drawing::of(&mesh);
    let corners: Vec<_> = (0..mesh.triangles().len() as u32).map(|k| (mesh.corners(k), Meaning::Surface)).collect();
    assert_eq!(drawing.triangles, corners);
    assert!(drawing.lines.is_empty() && drawing.points.is_empty());
}

#[test]
fn tetrahedra_are_their_edges_each_once() {
    // Two by two by two cubes of six tetrahedra each or five: Euler's formula of a ball of cells.
    let block = generate::tet_block([2, 2, 2], [1.0, 1.0, 1.0]).unwrap();
    let drawing = Drawing::of(&block);
    let ends: Vec<[Vec3; 2]> = drawing.lines.iter().map(|(ends, _)| *ends).collect();
    for (k, [a, b]) in ends.iter().enumerate() {
        assert!(ends[..k].iter().all(|other| other != &[*a, *b] && other != &[*b, *a]), "twice");
    }
    for tet in 0..block.tets().len() as u32 {
        let corners = block.corners(tet);
        for (i, &a) in corners.iter().enumerate() {
            assert!(corners[..i].iter().all(|&b| ends.contains(&[a, b]) || ends.contains(&[b, a])));
        }
    }
    assert_eq!(drawing.lines_of(Meaning::Edge), ends.len());
}

#[test]
fn feature_edges_have_the_meaning_of_their_kind() {
    let cube = generate::cuboid([0.5, 1.0, 1.5]).unwrap();
    let edges = feature_edges(&cube, 0.5).unwrap();
    let drawing = Drawing::of(&FeatureLines { mesh: &cube, edges: &edges });
    assert_eq!(drawing.lines_of(Meaning::Edge), 12);
    let total: f64 = drawing.lines.iter().map(|([a, b], _)| a.distance(*b)).sum();
    assert_eq!(total, 4.0 * 6.0);
    // Three triangles on one edge: that edge is a fault, the six others are boundaries.
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Y];
    let fan = TriMesh::new(vertices, vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]]).unwrap();
    let drawing = Drawing::of(&FeatureLines { mesh: &fan, edges: &feature_edges(&fan, 0.5).unwrap() });
    assert_eq!((drawing.lines_of(Meaning::Edge), drawing.lines_of(Meaning::Fault)), (6, 1));
    // Edges of another mesh are left out.
    let point = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let drawing = Drawing::of(&FeatureLines { mesh: &point, edges: &edges });
    assert!(drawing.lines.len() < 12);
}

#[test]
fn a_hole_is_its_border() {
    let (vertices, mut triangles) = generate::cuboid([0.5, 0.5, 0.5]).unwrap().into_parts();
    triangles.pop();
    let (faults, drawing) = marks(&TriMesh::new(vertices, triangles).unwrap());
    assert_eq!(faults.len(), 1);
    assert_eq!(drawing.lines_of(Meaning::Fault), 3);
    let total: f64 = drawing.lines.iter().map(|([a, b], _)| a.distance(*b)).sum();
    assert!((total - (2.0 + 2f64.sqrt())).abs() < 1e-15, "the border is closed");
    assert_eq!(drawing.texts[0].1, "hole");
}

#[test]
fn intersecting_triangles_are_drawn_with_their_common_points() {
    let vertices =
        [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 2.0, 1.0]];
    let mesh = TriMesh::new(vertices.map(Vec3::from_array).to_vec(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let faults: Vec<Fault> =
        check(&mesh).faults.into_iter().filter(|fault| matches!(fault, Fault::SelfIntersection { .. })).collect();
    let drawing = Drawing::of(&FaultMarks { mesh: &mesh, faults: &faults });
    assert_eq!(drawing.triangles.len(), 2);
    assert!(drawing.triangles.iter().all(|(_, meaning)| *meaning == Meaning::Intersecting));
    let ([a, b], meaning) = drawing.lines[0];
    assert_eq!(meaning, Meaning::Fault);
    assert!(a.z.abs() < 1e-15 && b.z.abs() < 1e-15 && (a.distance(b) - 0.5).abs() < 1e-15, "{a} {b}");
}

#[test]
fn vertices_and_degenerate_faces_are_marked_and_foreign_faults_left_out() {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::Y * 3.0];
    let mesh = TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap();
    let (faults, drawing) = marks(&mesh);
    assert!(faults.iter().any(|fault| matches!(fault, Fault::IsolatedVertex { vertex: 3 })));
    assert_eq!(drawing.points, [(Vec3::Y * 3.0, Meaning::Fault)]);
    assert_eq!(drawing.triangles.len(), 1);
    assert_eq!(drawing.texts.len(), faults.len());
    let foreign = [
        Fault::DegenerateFace { triangle: 99 },
        Fault::SelfIntersection { triangles: [0, 99] },
        Fault::Hole { vertices: vec![], triangles: vec![], is_loop: true, length: 0.0, is_planar: true },
        Fault::IsolatedVertex { vertex: 99 },
    ];
    let drawing = Drawing::of(&FaultMarks { mesh: &mesh, faults: &foreign });
    assert_eq!(drawing.triangles.len(), 1, "triangle 0 of the pair");
    assert_eq!(drawing.texts.len(), 1);
}
