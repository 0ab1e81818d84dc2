//! Welding: what becomes one vertex, and what does not.

use crate::shapes::{Random, cube, mesh, sphere, unshared};
use heurt_geometry::Vec3;
use heurt_mesh::{TriMesh, WeldError, measures, weld};

#[test]
fn equal_vertices_become_one() {
    let loose = unshared(&cube());
    let welded = weld(&loose, 0.0).unwrap();
    assert_eq!(welded.mesh.vertices().len(), 8);
    assert_eq!(welded.map.len(), 36);
    for (vertex, &to) in welded.map.iter().enumerate() {
        assert_eq!(loose.vertices()[vertex], welded.mesh.vertices()[to as usize]);
    }
    assert_eq!(measures(&welded.mesh), measures(&loose));
}

#[test]
fn minus_zero_is_zero_and_nothing_else_is() {
    let points = [[0.0, 1.0, 0.0], [-0.0, 1.0, -0.0], [f64::MIN_POSITIVE, 1.0, 0.0]];
    let welded = weld(&mesh(&points, &[[0, 1, 2]]), 0.0).unwrap();
    assert_eq!(welded.map, [0, 0, 1]);
    assert_eq!(welded.mesh.triangles(), [[0, 0, 1]], "the triangle stays, degenerate");
}

#[test]
fn kept_vertices_are_in_the_order_in_which_they_first_appear() {
    let points = [[5.0, 0.0, 0.0], [1.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let welded = weld(&mesh(&points, &[[0, 1, 2], [2, 3, 4]]), 0.0).unwrap();
    assert_eq!(welded.map, [0, 1, 0, 2, 1]);
}

#[test]
fn a_tolerance_joins_what_is_near() {
    let mut random = Random::new(7);
    let exact = unshared(&sphere(8));
    let shaken: Vec<Vec3> = exact.vertices().iter().map(|&v| v + 1e-7 * (random.grid_point(3) - Vec3::ONE)).collect();
    let shaken = TriMesh::new(shaken, exact.triangles().to_vec()).unwrap();
    assert!(weld(&shaken, 0.0).unwrap().mesh.vertices().len() > 200);
    let welded = weld(&shaken, 1e-6).unwrap();
    assert_eq!(welded.mesh.vertices().len(), 8 * 16 + 2);
    assert!(heurt_mesh::is_closed(&welded.mesh));
}

#[test]
fn a_tolerance_moves_no_vertex_farther_and_keeps_no_two_nearer() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let points: Vec<Vec3> =
            (0..300).map(|_| Vec3::new(random.next(), random.next(), random.next()) * 4.0 - Vec3::splat(2.0)).collect();
        let tolerance = 0.05 + 0.5 * random.next();
        let welded = weld(&TriMesh::new(points.clone(), vec![[0, 1, 2]]).unwrap(), tolerance).unwrap();
        // The oracle: the same rule, by comparing with all kept vertices.
        let mut kept: Vec<Vec3> = Vec::new();
        for (vertex, &point) in points.iter().enumerate() {
            let near = kept.iter().position(|&other| (other - point).length() <= tolerance);
            let expected = near.unwrap_or_else(|| {
                kept.push(point);
                kept.len() - 1
            });
            assert_eq!(welded.map[vertex] as usize, expected);
        }
        assert_eq!(welded.mesh.vertices(), kept);
    }
}

#[test]
fn extreme_coordinates_and_tolerances_are_told_apart() {
    let points = [[1e300, 0.0, 0.0], [1e300, 1e-300, 0.0], [-1e300, 0.0, 0.0], [1e300, 1e-200, 0.0]];
    let welded = |tolerance| weld(&mesh(&points, &[[0, 1, 2], [0, 1, 3]]), tolerance).unwrap().map;
    assert_eq!(welded(1e-250), [0, 0, 1, 2]);
    assert_eq!(welded(1e-320), [0, 1, 2, 3]);
    assert_eq!(welded(1.0), [0, 0, 1, 0]);
    assert_eq!(welded(f64::MAX), [0, 0, 0, 0]);
}

#[test]
fn many_vertices_in_one_cell_do_not_join_beyond_the_tolerance() {
    let points: Vec<Vec3> = (0..1000).map(|i| Vec3::X * (1e9 + f64::from(i) * 2e-6)).collect();
    let welded = weld(&TriMesh::new(points, vec![[0, 1, 2]]).unwrap(), 1e-6).unwrap();
    assert_eq!(welded.mesh.vertices().len(), 1000);
}

#[test]
fn a_bad_tolerance_is_refused() {
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        let error = weld(&cube(), tolerance).unwrap_err();
        assert!(matches!(error, WeldError::BadTolerance { .. }), "{error}");
    }
}
