//! Solids of known shape, and the ways in which files break them.

use crate::shapes::{Random, cuboid, unshared};
use heurt_geometry::Vec3;
use heurt_mesh::{TriMesh, generate};

/// Puts meshes into one.
pub fn merged(meshes: &[TriMesh]) -> TriMesh {
    TriMesh::merged(meshes).unwrap()
}

/// Closed, manifold solids whose edges are longer than a hundredth of their size, with names.
pub fn solids() -> Vec<(&'static str, TriMesh)> {
    let cavity = merged(&[cuboid([-1.0; 3], [2.0; 3]), cuboid([-0.3; 3], [0.9; 3]).reversed()]);
    let ball = generate::icosphere(0.3, 1).unwrap();
    let two = merged(&[cuboid([0.0; 3], [1.0; 3]), cuboid([1.5, 0.0, 0.0], [2.0; 3])]);
    let held = merged(&[cavity.clone(), ball]);
    vec![
        ("tetrahedron", generate::tetrahedron(1.0).unwrap()),
        ("cuboid", generate::cuboid([0.7, 0.4, 0.2]).unwrap()),
        ("dodecahedron", generate::dodecahedron(1.3).unwrap()),
        ("icosphere", generate::icosphere(0.9, 2).unwrap()),
        ("cylinder", generate::cylinder(0.5, 0.7, 24).unwrap()),
        ("cone", generate::cone(0.5, 0.7, 40).unwrap()),
        ("torus", generate::torus(1.0, 0.3, 12, 8).unwrap()),
        ("plate", generate::plate([3.0, 2.0, 0.3], [2, 1], 0.4, 12).unwrap()),
        ("gear", generate::gear(9, 1.0, 0.35, 0.0, 2.0, 4.0, 8).unwrap()),
        ("nut", generate::nut(1.3, 0.65, 0.8, 16).unwrap()),
        ("box with a cavity", cavity),
        ("two boxes", two),
        ("ball in a cavity", held),
    ]
}

/// The mesh `scale` times as large, moved by `offset`.
pub fn placed(mesh: &TriMesh, scale: f64, offset: Vec3) -> TriMesh {
    let vertices = mesh.vertices().iter().map(|&vertex| vertex * scale + offset).collect();
    TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
}

/// Each triangle with corners of its own, moved by `move_corner`.
pub fn with_corners(mesh: &TriMesh, mut move_corner: impl FnMut(Vec3) -> Vec3) -> TriMesh {
    let (vertices, triangles) = unshared(mesh).into_parts();
    TriMesh::new(vertices.into_iter().map(&mut move_corner).collect(), triangles).unwrap()
}

/// Rounded to `f32` and moved by at most one ulp of it, each coordinate of each corner by itself.
pub fn jittered(mesh: &TriMesh, random: &mut Random) -> TriMesh {
    let mut moved = |x: f64| {
        let rounded = x as f32;
        f64::from(match random.below(3) {
            0 => rounded.next_down(),
            1 => rounded,
            _ => rounded.next_up(),
        })
    };
    with_corners(mesh, |corner| corner.map(&mut moved))
}

/// The number with so many significant decimal digits.
pub fn in_digits(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap()
}

/// The mesh without some triangles.
pub fn without(mesh: &TriMesh, mut is_dropped: impl FnMut(u32) -> bool) -> TriMesh {
    let triangles = (0..).zip(mesh.triangles()).filter(|(triangle, _)| !is_dropped(*triangle));
    TriMesh::new(mesh.vertices().to_vec(), triangles.map(|(_, &corners)| corners).collect()).unwrap()
}

/// The mesh with some triangles turned to their other side.
pub fn turned(mesh: &TriMesh, mut is_turned: impl FnMut(u32) -> bool) -> TriMesh {
    let turn = |(triangle, &[a, b, c]): (u32, &[u32; 3])| if is_turned(triangle) { [a, c, b] } else { [a, b, c] };
    let triangles = (0..).zip(mesh.triangles()).map(turn).collect();
    TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap()
}

/// The largest magnitude of a coordinate.
pub fn largest(mesh: &TriMesh) -> f64 {
    mesh.vertices().iter().map(|vertex| vertex.abs().max_element()).fold(0.0, f64::max)
}
