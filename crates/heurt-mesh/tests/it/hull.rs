//! Hulls of points as closed meshes, and what has none.

use crate::shapes::Random;
use heurt_geometry::{Dimension, Vec3};
use heurt_mesh::{Class, HullMeshError, check, convex_hull, generate, measures};

#[test]
fn a_cube_with_points_inside_is_a_cube() {
    let mut points: Vec<Vec3> = generate::cuboid([1.0, 2.0, 3.0]).unwrap().vertices().to_vec();
    points.extend([Vec3::ZERO, Vec3::new(0.5, 0.0, 0.0), points[0]]);
    let hull = convex_hull(&points).unwrap();
    assert_eq!((hull.vertices().len(), hull.triangles().len()), (8, 12));
    assert_eq!((check(&hull).class, measures(&hull).volume), (Class::Convex, Some(48.0)));
}

#[test]
fn random_points_lie_inside_their_hull() {
    let mut random = Random::new(4);
    for round in 0..20 {
        let points: Vec<Vec3> = (0..200)
            .map(|_| {
                if round % 2 == 0 {
                    random.grid_point(4)
                } else {
                    Vec3::new(random.next(), random.next(), random.next())
                }
            })
            .collect();
        let hull = convex_hull(&points).unwrap();
        assert_eq!(check(&hull).class, Class::Convex);
        for triangle in 0..hull.triangles().len() as u32 {
            let [a, b, c] = hull.corners(triangle);
            assert!(points.iter().all(|&p| heurt_geometry::orient3d(a, b, c, p) as i8 <= 0));
        }
        assert!(hull.vertices().iter().all(|vertex| points.contains(vertex)));
    }
}

#[test]
fn flat_points_name_their_dimension() {
    let flat = |points: &[[f64; 3]]| {
        convex_hull(&points.iter().map(|&p| Vec3::from_array(p)).collect::<Vec<_>>()).unwrap_err()
    };
    let square = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]];
    let error = flat(&square);
    assert_eq!(error, HullMeshError::Flat { dimension: Dimension::Planar, count: 4 });
    assert!(error.to_string().contains("the 4 points lie in one plane: give at least four points"), "{error}");
    assert!(flat(&[[0.0; 3], [1.0; 3], [2.0; 3]]).to_string().contains("lie on one line"));
    assert!(flat(&[[1.0; 3]; 5]).to_string().contains("lie at one place"));
    assert!(matches!(flat(&[]), HullMeshError::Points(_)));
    assert!(flat(&[[f64::NAN, 0.0, 0.0]]).to_string().contains("NaN"));
}
