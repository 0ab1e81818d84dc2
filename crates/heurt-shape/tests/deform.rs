//! Shapes that follow their vertices: the same as a shape made anew, and unchanged by bad input.

use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{Surgery, cuboid, octasphere};
use heurt_shape::{Degree, MeshShape, ShapeError, TreeChoice};

/// Twists about z and bends along x.
fn bent(vertices: &[Vec3], by: f64) -> Vec<Vec3> {
    let bend = |v: &Vec3| {
        let (sin, cos) = (by * v.z).sin_cos();
        Vec3::new(cos * v.x - sin * v.y + by * v.z * v.z, sin * v.x + cos * v.y, v.z * (1.0 + 0.1 * by))
    };
    vertices.iter().map(bend).collect()
}

/// Every corner that the blocks hold, with the triangle it is of.
fn assert_blocks_hold_the_mesh(shape: &MeshShape) {
    let (tree, blocks) = (shape.tree(), shape.blocks());
    let frame = tree.frame();
    tree.for_each_leaf(|leaf| {
        assert_eq!(format!("{:?}", blocks[leaf.ordinal as usize]), format!("{:?}", shape.block_of(leaf)));
        for (lane, &triangle) in tree.primitives(leaf).iter().enumerate() {
            for (corner, point) in shape.mesh().corners(triangle).into_iter().enumerate() {
                let block = &blocks[leaf.ordinal as usize];
                let local = frame.to_local(point).to_array();
                for (axis, coordinate) in local.into_iter().enumerate() {
                    let kept = f64::from(block.centre[axis]) + f64::from(block.corners[corner][axis][lane]);
                    assert!((kept - coordinate).abs() < 1e-7, "triangle {triangle}");
                }
            }
        }
    });
}

#[test]
fn deforming_gives_what_a_refit_gives() {
    let field = Surgery::new(1, 2).unwrap();
    for mesh in [octasphere(1.0, 8).unwrap(), field.organs().meshes[0].clone()] {
        let (mut deformed, mut refitted) =
            (MeshShape::new(mesh.clone()).unwrap(), MeshShape::new(mesh.clone()).unwrap());
        for by in [0.3, -0.7, 0.0] {
            let vertices = bent(mesh.vertices(), by);
            let moved = TriMesh::new(vertices.clone(), mesh.triangles().to_vec()).unwrap();
            deformed.deform(&vertices).unwrap();
            refitted.refit(moved.clone()).unwrap();
            assert_eq!(deformed.mesh(), &moved);
            assert_eq!(deformed.bounds(), refitted.bounds());
            assert_eq!(deformed.bounds(), &moved.bounds());
            assert_eq!(deformed.components(), refitted.components());
            assert!(deformed.is_closed() && deformed.is_solid());
            assert_eq!(deformed.tree().to_bytes(), refitted.tree().to_bytes());
            assert!(deformed.blocks_at_hand().is_none());
            assert_blocks_hold_the_mesh(&deformed);
            assert!(deformed.blocks_at_hand().is_some());
        }
    }
}

#[test]
fn parts_of_one_mesh_keep_their_boxes() {
    let two = [cuboid([1.0; 3]).unwrap(), cuboid([0.5; 3]).unwrap()];
    let mesh = TriMesh::merged(&[two[0].clone(), bent_mesh(&two[1])]).unwrap();
    let mut shape = MeshShape::new(mesh.clone()).unwrap();
    let vertices = bent(mesh.vertices(), 0.4);
    shape.deform(&vertices).unwrap();
    let anew = MeshShape::new(TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap()).unwrap();
    assert_eq!(shape.components().len(), 2);
    assert_eq!(shape.components(), anew.components());
}

/// A copy beside the first one.
fn bent_mesh(mesh: &TriMesh) -> TriMesh {
    let vertices = mesh.vertices().iter().map(|&v| v + Vec3::X * 5.0).collect();
    TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
}

#[test]
fn a_soup_that_comes_apart_is_closed_no_more() {
    let cube = cuboid([1.0; 3]).unwrap();
    let corners: Vec<Vec3> = (0..12).flat_map(|index| cube.corners(index)).collect();
    let triangles = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mut shape = MeshShape::new(TriMesh::new(corners.clone(), triangles).unwrap()).unwrap();
    assert!(shape.is_solid());
    shape.deform(&bent(&corners, 0.2)).unwrap();
    assert!(shape.is_solid(), "what lies at the same place moves alike");
    let mut torn = corners;
    torn[0] += Vec3::splat(0.1);
    shape.deform(&torn).unwrap();
    assert!(!shape.is_closed() && !shape.is_solid());
}

#[test]
fn unused_vertices_stay_out_of_the_box() {
    let (mut vertices, triangles) = cuboid([1.0; 3]).unwrap().into_parts();
    vertices.push(Vec3::splat(100.0));
    let mut shape = MeshShape::new(TriMesh::new(vertices.clone(), triangles).unwrap()).unwrap();
    vertices.iter_mut().for_each(|v| *v += Vec3::X);
    shape.deform(&vertices).unwrap();
    assert_eq!(shape.bounds(), &shape.mesh().bounds());
    assert!(shape.bounds().max.x < 3.0);
}

#[test]
fn bad_vertices_leave_the_shape_as_it_was() {
    let mesh = octasphere(1.0, 4).unwrap();
    let choice = TreeChoice { degree: Degree::Four, ..Default::default() };
    for mut shape in
        [MeshShape::new(mesh.clone()).unwrap(), MeshShape::new(mesh.clone()).unwrap().with_tree(&choice).unwrap()]
    {
        let before = shape.tree().to_bytes();
        let short = &mesh.vertices()[1..];
        let count = mesh.vertices().len();
        assert_eq!(shape.deform(short), Err(ShapeError::VertexCount { count, given: count - 1 }));
        for bad in [f64::NAN, f64::INFINITY, 1e308] {
            let mut vertices = mesh.vertices().to_vec();
            vertices[7].y = bad;
            assert!(matches!(shape.deform(&vertices), Err(ShapeError::Tree(_))), "{bad}");
        }
        assert_eq!(shape.mesh(), &mesh);
        assert_eq!(shape.tree().to_bytes(), before);
        assert!(shape.blocks_at_hand().is_some());
    }
}
