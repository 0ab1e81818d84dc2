//! The judges judged: oracles on cases small enough to know.

use heurt_geometry::{Triangle, Vec3};
use heurt_testkit::oracle::triangle as oracle;

/// A tetrahedron with its triangles counter-clockwise seen from outside.
fn tetrahedron() -> [Triangle; 4] {
    let (o, x, y, z) = (Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0, Vec3::Z * 4.0);
    [[o, y, x], [o, x, z], [o, z, y], [x, y, z]]
}

#[test]
fn winding_counts_the_turns_of_the_surface() {
    let solid = tetrahedron();
    let inside_out = solid.map(|[a, b, c]| [a, c, b]);
    let twice: Vec<Triangle> = solid.iter().chain(&solid).copied().collect();
    let within = Vec3::ONE;
    assert_eq!(oracle::winding(&solid, within), Some(1));
    assert_eq!(oracle::winding(&inside_out, within), Some(-1));
    assert_eq!(oracle::winding(&twice, within), Some(2));
    assert_eq!(oracle::winding(&solid, Vec3::new(-1.0, 1.0, 1.0)), Some(0));
    assert_eq!(oracle::winding(&solid, Vec3::splat(100.0)), Some(0));
    for boundary in [Vec3::ZERO, Vec3::X, Vec3::new(2.0, 2.0, 0.0), Vec3::new(2.0, 1.0, 1.0)] {
        assert_eq!(oracle::winding(&solid, boundary), None, "{boundary}");
    }
}

#[test]
fn hulls_hold_their_points_and_no_others() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    for held in [Vec3::ZERO, Vec3::new(0.5, 0.5, 0.0), Vec3::new(0.25, 0.25, 0.5), Vec3::splat(0.25)] {
        assert!(oracle::hull_holds(&corners, held), "{held}");
    }
    for free in [Vec3::splat(0.5), Vec3::new(0.5, 0.5, -1e-300), Vec3::new(0.5f64.next_up(), 0.5, 0.0)] {
        assert!(!oracle::hull_holds(&corners, free), "{free}");
    }
}

#[test]
fn triangles_meet_by_definition() {
    let floor = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let raised = floor.map(|p| p + Vec3::Z * f64::from_bits(1));
    assert!(oracle::triangles_intersect(&floor, &floor));
    assert!(!oracle::triangles_intersect(&floor, &raised));
    assert!(oracle::triangles_intersect(&floor, &[Vec3::new(0.5, 0.5, 0.0); 3]));
    assert!(!oracle::triangles_intersect(&floor, &[Vec3::new(0.5, 0.5f64.next_up(), 0.0); 3]));
    assert!(oracle::triangles_intersect(&[Vec3::ZERO, Vec3::X, Vec3::X], &[Vec3::X, Vec3::Y, Vec3::Y]));
}

#[test]
fn pairs_and_overlap_try_everything() {
    let outer = tetrahedron();
    let inner = tetrahedron().map(|t| t.map(|p| p * 0.125 + Vec3::splat(0.5)));
    assert_eq!(oracle::intersecting_pairs(&outer, &inner), Vec::<[u32; 2]>::new());
    assert!(!oracle::overlap(&outer, false, &inner, false), "nested surfaces are apart");
    assert!(oracle::overlap(&outer, true, &inner, true), "nested solids overlap");
    assert!(oracle::overlap(&inner, true, &outer, true));
    let touching = [[Vec3::ONE * 4.0 / 3.0, Vec3::splat(5.0), Vec3::new(5.0, 6.0, 5.0)]];
    let pierced = [[Vec3::new(1.0, 1.0, -1.0), Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.5, 1.0, 1.0)]];
    assert_eq!(oracle::intersecting_pairs(&outer, &pierced), [[0, 0]]);
    // 4/3 is rounded down, thus inside.
    assert!(oracle::overlap(&outer, true, &touching, false));
}
