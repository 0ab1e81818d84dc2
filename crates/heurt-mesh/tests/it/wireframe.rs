//! The wireframe and the edges that show the shape.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::shapes::{cube, mesh, open_box, unshared};
use heurt_mesh::{FeatureKind, WireframeError, feature_edges, generate, wireframe};

#[test]
fn every_edge_comes_once() {
    let edges = wireframe(&unshared(&cube()));
    assert_eq!(edges.len(), 18, "12 edges and 6 diagonals");
    assert!(edges.windows(2).all(|pair| pair[0] < pair[1]) && edges.iter().all(|edge| edge[0] < edge[1]));
    assert_eq!(wireframe(&cube()).len(), 18);
}

#[test]
fn the_features_of_a_cube_are_its_twelve_edges() {
    for mesh in [cube(), unshared(&cube())] {
        let features = feature_edges(&mesh, 0.5).unwrap();
        assert_eq!(features.len(), 12);
        for edge in &features {
            let FeatureKind::Crease { angle_rad } = edge.kind else { panic!("{edge:?}") };
            assert!((angle_rad - FRAC_PI_2).abs() < 1e-15);
            let [a, b] = edge.vertices.map(|vertex| mesh.vertices()[vertex as usize]);
            assert_eq!((b - a).length(), 1.0, "no diagonal");
        }
    }
    assert_eq!(feature_edges(&cube(), 1.6).unwrap(), []);
    assert_eq!(feature_edges(&cube(), 0.0).unwrap().len(), 18);
}

#[test]
fn borders_always_show() {
    let features = feature_edges(&open_box(), PI).unwrap();
    assert_eq!(features.len(), 4);
    assert!(features.iter().all(|edge| edge.kind == FeatureKind::Boundary));
}

#[test]
fn spines_of_several_pages_always_show() {
    let points = [[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]];
    let features = feature_edges(&mesh(&points, &[[0, 1, 2], [0, 1, 3], [1, 0, 4]]), PI).unwrap();
    assert_eq!(features.iter().filter(|edge| edge.kind == FeatureKind::NonManifold).count(), 1);
    assert_eq!(features[0].vertices, [0, 1]);
}

#[test]
fn angles_are_those_of_the_faces_whatever_their_orientation_and_size() {
    for scale in [1e-200, 1.0, 1e200] {
        for angle in [0.1f64, 1.0, 2.0, 3.1] {
            let fold = [angle.cos() * scale, 0.0, -angle.sin() * scale];
            let points = [[0.0; 3], [0.0, scale, 0.0], [-scale, 0.0, 0.0], fold];
            for second in [[1, 0, 3], [0, 1, 3]] {
                let mesh = mesh(&points, &[[0, 1, 2], second]);
                let features = feature_edges(&mesh, 0.0).unwrap();
                let FeatureKind::Crease { angle_rad } = features[0].kind else { panic!() };
                assert!((angle_rad - angle).abs() < 1e-12, "{angle_rad} is not {angle}");
            }
        }
    }
}

#[test]
fn needles_count_as_flat() {
    let points = [[0.0; 3], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
    let features = feature_edges(&mesh(&points, &[[0, 1, 2], [1, 0, 3]]), 1e-9).unwrap();
    assert!(features.iter().all(|edge| edge.kind == FeatureKind::Boundary));
}

#[test]
fn a_cylinder_shows_its_rims() {
    let cylinder = generate::cylinder(1.0, 1.0, 64).unwrap();
    assert_eq!(feature_edges(&cylinder, 0.5).unwrap().len(), 2 * 64);
}

#[test]
fn a_bad_angle_is_refused() {
    for angle_rad in [-0.1, 3.2, f64::NAN] {
        assert!(matches!(feature_edges(&cube(), angle_rad), Err(WireframeError::BadAngle { .. })));
    }
}
