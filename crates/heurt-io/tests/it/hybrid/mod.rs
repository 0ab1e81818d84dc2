//! The mesh that every file of these tests holds.

use heurt_geometry::Vec3;
use heurt_mesh::{Cell, VolumeMesh};

/// A hexahedron with a pyramid on it, a prism beside it and a tetrahedron on the prism.
pub fn expected() -> VolumeMesh {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
        [0.5, 0.5, 2.0],
        [2.0, 0.0, 0.0],
        [2.0, 1.0, 0.0],
        [1.5, -1.0, 0.5],
    ];
    VolumeMesh {
        vertices: points.map(Vec3::from_array).to_vec(),
        cells: vec![
            Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]),
            Cell::Pyramid([4, 5, 6, 7, 8]),
            Cell::Prism([1, 9, 5, 2, 10, 6]),
            Cell::Tetrahedron([1, 9, 5, 11]),
        ],
    }
}
