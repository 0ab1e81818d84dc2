//! The five Platonic solids and the box.
//!
//! In: circumradius, or half extents, in metres; centred at the origin. Out: closed convex meshes.
//! Method: coordinates from the golden ratio; the dodecahedron's pentagons are fans from a corner.

use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::error::Limits;
use heurt_geometry::Vec3;

/// The golden ratio (1 + √5) / 2.
const PHI: f64 = 1.618_033_988_749_895;

/// Makes a regular tetrahedron; `circumradius` in metres.
///
/// ```
/// use heurt_mesh::generate;
/// let corner = generate::tetrahedron(2.0)?.vertices()[0];
/// assert!((corner.length() - 2.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError::Parameter`] when `circumradius` is no positive length.
pub fn tetrahedron(circumradius: f64) -> Result<TriMesh, GenerateError> {
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let triangles = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    scaled("tetrahedron", circumradius, &corners, triangles)
}

/// Makes a regular octahedron with its corners on the axes; `circumradius` in metres.
///
/// # Errors
/// [`GenerateError::Parameter`] when `circumradius` is no positive length.
pub fn octahedron(circumradius: f64) -> Result<TriMesh, GenerateError> {
    let corners =
        [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let triangles = vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    scaled("octahedron", circumradius, &corners, triangles)
}

/// Makes a regular icosahedron; `circumradius` in metres.
///
/// # Errors
/// [`GenerateError::Parameter`] when `circumradius` is no positive length.
pub fn icosahedron(circumradius: f64) -> Result<TriMesh, GenerateError> {
    scaled("icosahedron", circumradius, &ICOSAHEDRON_CORNERS, ICOSAHEDRON_TRIANGLES.to_vec())
}

/// Makes a regular dodecahedron of 36 triangles; `circumradius` in metres.
///
/// ```
/// use heurt_mesh::generate;
/// assert_eq!(generate::dodecahedron(1.0)?.vertices().len(), 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError::Parameter`] when `circumradius` is no positive length.
pub fn dodecahedron(circumradius: f64) -> Result<TriMesh, GenerateError> {
    // The dual of the icosahedron: a corner for each of its faces, a pentagon around each of its corners.
    let corners: Vec<[f64; 3]> = ICOSAHEDRON_TRIANGLES
        .iter()
        .map(|face| {
            let sum: Vec3 = face.iter().map(|&corner| Vec3::from(ICOSAHEDRON_CORNERS[corner as usize])).sum();
            sum.to_array()
        })
        .collect();
    let mut triangles = Vec::with_capacity(36);
    for corner in 0..ICOSAHEDRON_CORNERS.len() as u32 {
        let pentagon = faces_around(corner);
        for i in 1..pentagon.len() - 1 {
            triangles.push([pentagon[0], pentagon[i], pentagon[i + 1]]);
        }
    }
    scaled("dodecahedron", circumradius, &corners, triangles)
}

/// Makes a box with faces across the axes; `half` extents along x, y, z in metres.
///
/// ```
/// use heurt_mesh::generate;
/// let room = generate::cuboid([2.0, 1.5, 1.25])?;
/// assert_eq!((room.vertices().len(), room.triangles().len()), (8, 12));
/// assert_eq!(room.bounds().max.x, 2.0, "half its length");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GenerateError::Parameter`] when a half extent is no positive length.
pub fn cuboid(half: [f64; 3]) -> Result<TriMesh, GenerateError> {
    let limits = Limits("cuboid");
    for (parameter, value) in ["half x", "half y", "half z"].into_iter().zip(half) {
        limits.length(parameter, value)?;
    }
    let [x, y, z] = half;
    // Corner i lies on the positive side of axis k where bit k of i is set.
    let sign = |corner: u32, bit: u32, value: f64| if corner >> bit & 1 == 1 { value } else { -value };
    let vertices = (0..8).map(|i| Vec3::new(sign(i, 0, x), sign(i, 1, y), sign(i, 2, z))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(TriMesh::new(vertices, triangles)?)
}

/// Corners of an icosahedron, not normalised.
const ICOSAHEDRON_CORNERS: [[f64; 3]; 12] = [
    [-1.0, PHI, 0.0],
    [1.0, PHI, 0.0],
    [-1.0, -PHI, 0.0],
    [1.0, -PHI, 0.0],
    [0.0, -1.0, PHI],
    [0.0, 1.0, PHI],
    [0.0, -1.0, -PHI],
    [0.0, 1.0, -PHI],
    [PHI, 0.0, -1.0],
    [PHI, 0.0, 1.0],
    [-PHI, 0.0, -1.0],
    [-PHI, 0.0, 1.0],
];

/// Its faces, counter-clockwise seen from outside.
#[rustfmt::skip]
const ICOSAHEDRON_TRIANGLES: [[u32; 3]; 20] = [
    [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
    [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
    [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
];

/// Returns the five faces of the icosahedron at `corner`, counter-clockwise.
fn faces_around(corner: u32) -> [u32; 5] {
    // The corner after `corner` in a face, and the corner before it.
    let turned = |face: u32| {
        let [a, b, c] = ICOSAHEDRON_TRIANGLES[face as usize];
        if a == corner {
            (b, c)
        } else if b == corner {
            (c, a)
        } else {
            (a, b)
        }
    };
    let all: Vec<u32> = (0..20).filter(|&face| ICOSAHEDRON_TRIANGLES[face as usize].contains(&corner)).collect();
    let mut ordered = [all[0]; 5];
    for i in 1..5 {
        let (_, leaving) = turned(ordered[i - 1]);
        ordered[i] = all.iter().copied().find(|&face| turned(face).0 == leaving).unwrap_or(ordered[0]);
    }
    ordered
}

/// Puts `corners` on the sphere of radius `circumradius`.
fn scaled(
    generator: &'static str,
    circumradius: f64,
    corners: &[[f64; 3]],
    triangles: Vec<[u32; 3]>,
) -> Result<TriMesh, GenerateError> {
    Limits(generator).length("circumradius", circumradius)?;
    let vertices = corners.iter().map(|&corner| Vec3::from(corner).normalize() * circumradius).collect();
    Ok(TriMesh::new(vertices, triangles)?)
}
