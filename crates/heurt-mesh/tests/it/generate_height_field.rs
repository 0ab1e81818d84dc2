//! Height fields: their triangles, and what makes none.

use heurt_geometry::Vec3;
use heurt_mesh::generate::{HeightFieldError, height_field};
use heurt_mesh::{check, measures};

#[test]
fn cells_are_cut_from_corner_to_corner() {
    let mesh = height_field([1.0, 2.0], [0.5, 0.25], &[vec![0.0, 1.0, 2.0], vec![3.0, 4.0, 5.0]]).unwrap();
    assert_eq!(mesh.vertices()[1], Vec3::new(1.5, 2.0, 1.0));
    assert_eq!(mesh.vertices()[5], Vec3::new(2.0, 2.25, 5.0));
    assert_eq!(mesh.triangles(), [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]);
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|vertex| mesh.vertices()[vertex as usize]);
        assert!((b - a).cross(c - a).z > 0.0, "seen from above they turn counter-clockwise");
    }
    let flat = height_field([0.0; 2], [0.5, 0.25], &vec![vec![7.0; 5]; 9]).unwrap();
    let found = measures(&flat);
    assert_eq!((found.area, found.volume, found.components), (4.0, None, 1));
    assert!(check(&flat).oriented);
}

/// What is refused, and origin, spacing and heights.
type Case = (HeightFieldError, [f64; 2], [f64; 2], Vec<Vec<f64>>);

#[test]
fn what_makes_no_field_is_named() {
    let square = || vec![vec![0.0; 2]; 2];
    let cases: [Case; 8] = [
        (HeightFieldError::NoCell { rows: 0, columns: 0 }, [0.0; 2], [1.0; 2], vec![]),
        (HeightFieldError::NoCell { rows: 1, columns: 2 }, [0.0; 2], [1.0; 2], vec![vec![0.0; 2]]),
        (HeightFieldError::NoCell { rows: 2, columns: 1 }, [0.0; 2], [1.0; 2], vec![vec![0.0]; 2]),
        (
            HeightFieldError::Ragged { row: 1, length: 3, expected: 2 },
            [0.0; 2],
            [1.0; 2],
            vec![vec![0.0; 2], vec![0.0; 3]],
        ),
        (
            HeightFieldError::Height { row: 1, column: 0, value: f64::INFINITY },
            [0.0; 2],
            [1.0; 2],
            vec![vec![0.0; 2], vec![f64::INFINITY, 0.0]],
        ),
        (HeightFieldError::Spacing { axis: 'y', value: 0.0 }, [0.0; 2], [1.0, 0.0], square()),
        (HeightFieldError::Spacing { axis: 'x', value: -1.0 }, [0.0; 2], [-1.0, 1.0], square()),
        (HeightFieldError::Origin { axis: 'x', value: f64::INFINITY }, [f64::INFINITY, 0.0], [1.0; 2], square()),
    ];
    for (expected, origin, spacing, heights) in cases {
        assert_eq!(height_field(origin, spacing, &heights).unwrap_err(), expected);
    }
    let not_a_number = vec![vec![0.0, f64::NAN], vec![0.0; 2]];
    let refused = height_field([0.0; 2], [1.0; 2], &not_a_number).unwrap_err();
    assert!(matches!(refused, HeightFieldError::Height { row: 0, column: 1, value } if value.is_nan()));
}
