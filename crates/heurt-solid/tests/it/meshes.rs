//! Octrees of meshes: bounds of the volume, each leaf against the mesh, open meshes; the exact triangle–box test.

use heurt_geometry::{Aabb, Pose, Triangle, Vec3, triangles_intersect};
use heurt_mesh::{TriMesh, generate, measures};
use heurt_query::{Location, winding_number};
use heurt_shape::MeshShape;
use heurt_solid::{Node, Octree, OctreeError, OctreeRoot, triangle_meets_box};
use heurt_testkit::number::random::Random;

/// Oracle: a triangle meets a solid box if a corner lies in it or the triangle meets one of the 12 triangles around it.
fn meets_by_faces(triangle: &Triangle, bounds: &Aabb) -> bool {
    let corner = bounds.corners();
    let faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let halves = faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    triangle.iter().any(|&corner| bounds.contains(corner))
        || halves.map(|face| face.map(|k| corner[k])).any(|face| triangles_intersect(&face, triangle))
}

#[test]
fn triangles_and_boxes_agree_with_the_faces_of_the_box() {
    let mut random = Random::new(7);
    let (mut meet, mut apart) = (0, 0);
    for round in 0..200_000 {
        // Small whole numbers touch and degenerate often; others are in general position.
        let is_whole = round % 2 == 0;
        let mut point = |reach: i64| {
            let coordinates = [0.0; 3].map(|_: f64| {
                if is_whole { random.whole(-reach, reach) as f64 } else { random.between(-1.0, 1.0) * reach as f64 }
            });
            Vec3::from(coordinates)
        };
        let bounds = Aabb::from_points([point(2), point(2)]);
        let triangle = [point(4), point(4), point(4)];
        let result = triangle_meets_box(&triangle, &bounds);
        assert_eq!(result, meets_by_faces(&triangle, &bounds), "{triangle:?} {bounds:?}");
        *if result { &mut meet } else { &mut apart } += 1;
    }
    assert!(meet > 10_000 && apart > 10_000, "{meet} {apart}");
}

#[test]
fn touching_corners_are_decided_to_the_last_bit() {
    let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
    for scale in [1.0, 2.0f64.powi(-500), 2.0f64.powi(500)] {
        let bounds = Aabb { min: unit.min * scale, max: unit.max * scale };
        let plane = |x: f64| [Vec3::X * x * scale, Vec3::Y * 3.0 * scale, Vec3::Z * 3.0 * scale];
        assert!(triangle_meets_box(&plane(3.0), &bounds));
        assert!(!triangle_meets_box(&plane(3.0f64.next_up()), &bounds));
        let edge = |x: f64| [Vec3::X * x * scale, Vec3::Y * 2.0 * scale, Vec3::new(5.0, 5.0, 0.0) * scale];
        assert!(triangle_meets_box(&edge(2.0), &bounds));
        assert!(!triangle_meets_box(&edge(2.0f64.next_up()), &bounds));
    }
}

/// Checks every leaf against every triangle and the winding number of its centre.
fn check_leaves(mesh: &TriMesh, octree: &Octree) {
    let shape = MeshShape::new(mesh.clone()).unwrap();
    for (cell, leaf) in octree.leaves() {
        let bounds = octree.root().bounds(&cell);
        let meets = (0..mesh.triangles().len() as u32).any(|k| meets_by_faces(&mesh.corners(k), &bounds));
        assert_eq!(meets, leaf == Node::MixedLeaf, "{cell:?}");
        if !meets {
            let is_inside = winding_number(&shape, &Pose::IDENTITY, bounds.centre()) != Location::Winding(0);
            assert_eq!(is_inside, leaf == Node::Full, "{cell:?}");
        }
    }
}

fn solids() -> Vec<TriMesh> {
    let ball = generate::icosphere(1.0, 2).unwrap();
    let cube = generate::cuboid([0.5, 0.25, 0.7]).unwrap();
    let ring = generate::torus(1.0, 0.3, 24, 12).unwrap();
    let hollow = TriMesh::merged([&ball, &generate::icosphere(0.6, 2).unwrap().reversed()]).unwrap();
    let mut random = Random::new(8);
    let turned = ring.transformed(&random.pose(3.0)).unwrap();
    vec![ball, cube, ring, hollow, turned]
}

#[test]
fn leaves_agree_with_all_triangles() {
    for mesh in solids() {
        check_leaves(&mesh, &Octree::of_mesh(&mesh, 4).unwrap());
    }
}

#[test]
fn volumes_lie_between_bounds_that_close_in() {
    for mesh in solids() {
        let (volume, area) = (measures(&mesh).volume.unwrap(), measures(&mesh).area);
        let mut gap = f64::INFINITY;
        for depth in 0..=7 {
            let octree = Octree::of_mesh(&mesh, depth).unwrap();
            let [least, most] = octree.measures().volume;
            assert!(least <= volume && volume <= most, "{least} {volume} {most} at depth {depth}");
            assert!(most - least <= gap, "the gap shrinks");
            gap = most - least;
            // A plane meets at most √3 / h² cells per unit of area, and a face of the lattice those on both sides.
            if depth == 7 {
                let layer = area * octree.root().cell_edge();
                assert!(gap < 2.0 * layer, "{gap} m³ of mixed cells, {layer} m³ in one layer");
            }
        }
    }
}

#[test]
fn cubes_on_the_lattice_are_mixed_on_both_sides() {
    // The closed cells on both sides of a face touch it: 4³ cells inside, 2 rings of cells around the faces.
    let root = OctreeRoot::new(Vec3::splat(-1.0), 2.0, 3).unwrap();
    let octree = Octree::of_mesh_within(&generate::cuboid([0.5; 3]).unwrap(), root).unwrap();
    let measures = octree.measures();
    assert_eq!((measures.full_cells, measures.mixed_cells), (8, 6 * 6 * 6 - 8));
}

#[test]
fn a_root_cuts_off_what_it_does_not_hold() {
    let ball = generate::icosphere(1.0, 3).unwrap();
    let root = OctreeRoot::new(Vec3::ZERO, 1.0, 5).unwrap();
    let octree = Octree::of_mesh_within(&ball, root).unwrap();
    let [least, most] = octree.measures().volume;
    let volume = measures(&ball).volume.unwrap() / 8.0;
    assert!(least <= volume && volume <= most, "an octant of a ball that is symmetric");
    let inside = OctreeRoot::new(Vec3::splat(-0.25), 0.5, 5).unwrap();
    assert_eq!(Octree::of_mesh_within(&ball, inside).unwrap(), Octree::full(inside));
}

#[test]
fn open_meshes_are_refused_with_the_remedy() {
    let (vertices, mut triangles) = generate::cuboid([1.0; 3]).unwrap().into_parts();
    triangles.pop();
    let open = TriMesh::new(vertices, triangles).unwrap();
    let error = Octree::of_mesh(&open, 3).unwrap_err();
    assert_eq!(error, OctreeError::OpenMesh { triangles: 11 });
    assert!(error.to_string().contains("heurt repair"));
    let cube = generate::cuboid([1.0; 3]).unwrap();
    assert!(matches!(Octree::of_mesh(&cube, 22), Err(OctreeError::Depth { depth: 22 })));
}
