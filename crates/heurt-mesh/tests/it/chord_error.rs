//! Estimated chord errors against the surfaces that were tessellated.

use heurt_mesh::{Topology, TriMesh, estimate_chord_errors, generate};

fn largest(mesh: &TriMesh) -> f64 {
    estimate_chord_errors(&Topology::new(mesh)).into_iter().fold(0.0, f64::max)
}

#[test]
fn flat_faces_and_sharp_edges_have_none() {
    assert_eq!(largest(&generate::cuboid([1.0, 2.0, 3.0]).expect("a box")), 0.0);
    // 45 degrees are an edge, not a curved surface.
    assert_eq!(largest(&generate::cylinder(1.0, 1.0, 8).expect("an octagon")), 0.0);
}

#[test]
fn round_surfaces_have_their_sagitta() {
    for segments in [12u32, 24, 48, 200] {
        let sagitta = 1.0 - (std::f64::consts::PI / f64::from(segments)).cos();
        let rod = largest(&generate::cylinder(1.0, 5.0, segments).expect("a rod"));
        assert!((rod - sagitta).abs() <= 1e-9 * sagitta, "{segments}: {rod} for {sagitta}");
        // The facets of a sphere lie at most this far below it, and the estimate is no more than twice as much.
        let ball = generate::uv_sphere(1.0, segments).expect("a ball");
        let depth = |k: u32| {
            let [a, b, c] = ball.corners(k);
            1.0 - ((a + b + c) / 3.0).length()
        };
        let deepest = (0..ball.triangles().len() as u32).map(depth).fold(0.0, f64::max);
        let found = largest(&ball);
        assert!(found > 0.3 * deepest && found < 2.0 * deepest, "{segments}: {found} for {deepest}");
    }
}

#[test]
fn degenerate_and_turned_triangles_are_no_obstacle() {
    let (vertices, mut triangles) = generate::cylinder(1.0, 5.0, 24).expect("a rod").into_parts();
    let whole = largest(&TriMesh::new(vertices.clone(), triangles.clone()).expect("a mesh"));
    triangles[3].swap(0, 1);
    triangles.push([0, 0, 1]);
    let broken = largest(&TriMesh::new(vertices, triangles).expect("a mesh"));
    assert!((broken - whole).abs() <= 1e-12, "{broken} for {whole}");
}
