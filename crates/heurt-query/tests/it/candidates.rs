//! Pairs that may meet within a margin: none is missed, whatever the motion.

use heurt_bvh::Bvh;
use heurt_bvh::volume::BoundingVolume;
use heurt_bvh::{Aabb32, KDop14, KDop18, KDop26, Obb, Rss, Sphere};
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{Cloth, bumpy_sphere, cuboid};
use heurt_query::{CandidatesOptions, candidates, candidates_with, pairs};
use heurt_shape::{MeshShape, ShapeError, SweptTriangles};
use heurt_testkit::number::random::Random;

fn direction(random: &mut Random) -> Vec3 {
    Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)).normalize()
}

#[test]
fn what_meets_after_a_motion_was_a_candidate_before() {
    let mut random = Random::new(3);
    let a = MeshShape::new(bumpy_sphere(1.0, 0.2, 4.0, 24).unwrap()).unwrap();
    let b = MeshShape::new(bumpy_sphere(0.7, 0.2, 3.0, 20).unwrap()).unwrap();
    let mut met = 0;
    for round in 0..60 {
        let size = [1.0, 1e-3, 1e6][round % 3];
        let [a, b] = [&a, &b].map(|shape| MeshShape::new(shape.mesh().scaled(size).unwrap()).unwrap());
        let margin = size * random.between(0.0, 0.3);
        let place = direction(&mut random) * (size * random.between(1.6, 2.0));
        let (sin, cos) = random.between(0.0, 1.5).sin_cos();
        let axis = direction(&mut random) * sin;
        let pose_b = Pose::from_quaternion([axis.x, axis.y, axis.z, cos], place).unwrap();
        let found = candidates(&a, &Pose::IDENTITY, &b, &pose_b, margin);
        for _ in 0..4 {
            // Both move, together by the margin at most.
            let [mine, yours] = [0.4, 0.6].map(|share| direction(&mut random) * (margin * share * 0.999_999));
            let moved_a = Pose::from_translation(mine).unwrap();
            let moved_b = Pose::from_matrix(*pose_b.rotation(), place + yours).unwrap();
            let meeting = pairs(&a, &moved_a, &b, &moved_b);
            met += meeting.len();
            assert!(meeting.iter().all(|pair| found.binary_search(pair).is_ok()), "round {round}");
        }
        let wider = candidates(&a, &Pose::IDENTITY, &b, &pose_b, 2.0 * margin);
        assert!(found.iter().all(|pair| wider.binary_search(pair).is_ok()));
    }
    assert!(met > 1000, "{met} pairs");
}

#[test]
fn margins_that_are_none_and_all() {
    let cube = MeshShape::new(cuboid([0.5; 3]).unwrap()).unwrap();
    let beside = Pose::from_translation(Vec3::X * 1.5).unwrap();
    let count = |margin: f64| candidates(&cube, &Pose::IDENTITY, &cube, &beside, margin).len();
    assert_eq!([count(-1.0), count(0.0), count(0.49)], [0; 3]);
    let near = |i: u32, j: u32| {
        let [a, b] = [i, j].map(|k| Aabb::from_points(cube.mesh().corners(k)));
        let shift = Vec3::X * 1.5;
        let gap = (b.min + shift - a.max).max(a.min - b.max - shift);
        gap.max_element() <= 0.5
    };
    let right = (0..12).flat_map(|i| (0..12).map(move |j| (i, j))).filter(|&(i, j)| near(i, j)).count();
    assert_eq!(count(0.5), right, "boxes within the margin along every axis");
    assert_eq!([count(f64::INFINITY), count(f64::NAN)], [144; 2]);
    let touching = Pose::from_translation(Vec3::X).unwrap();
    assert!(
        candidates_with(&cube, &Pose::IDENTITY, &cube, &touching, &CandidatesOptions { max_distance: 0.0 })
            .work
            .volumes
            > 0
    );
}

fn holds_the_path<V: BoundingVolume>(first: &TriMesh, last: &[Vec3]) {
    let swept = SweptTriangles::new(first.vertices(), last, first.triangles()).unwrap();
    let mut tree = Bvh::<V, 8>::new(&swept).unwrap();
    for _ in 0..2 {
        tree.validate(&swept).unwrap();
        // At every moment between, up to the rounding of the moment itself.
        for moment in [0.25, 0.5, 0.75] {
            let between: Vec<Vec3> = first.vertices().iter().zip(last).map(|(a, b)| a.lerp(*b, moment)).collect();
            let moved = TriMesh::new(between, first.triangles().to_vec()).unwrap();
            let moved = SweptTriangles::new(moved.vertices(), moved.vertices(), moved.triangles()).unwrap();
            tree.validate(&moved).unwrap();
        }
        tree.refit(&swept).unwrap();
    }
}

#[test]
fn swept_trees_hold_triangles_at_every_moment() {
    let cloth = Cloth::new(24, 2).unwrap();
    let last = cloth.vertices(0.6);
    holds_the_path::<Aabb32>(cloth.sheet(), &last);
    holds_the_path::<Sphere>(cloth.sheet(), &last);
    holds_the_path::<Obb>(cloth.sheet(), &last);
    holds_the_path::<KDop14>(cloth.sheet(), &last);
    holds_the_path::<KDop18>(cloth.sheet(), &last);
    holds_the_path::<KDop26>(cloth.sheet(), &last);
    holds_the_path::<Rss>(cloth.sheet(), &last);
    let (vertices, triangles) = (cloth.sheet().vertices(), cloth.sheet().triangles());
    let count = vertices.len();
    let few = SweptTriangles::new(vertices, &last[1..], triangles).unwrap_err();
    assert_eq!(few, ShapeError::VertexCount { count, given: count - 1 });
    assert!(matches!(
        SweptTriangles::new(&vertices[..9], &last[..9], triangles).unwrap_err(),
        ShapeError::NoVertex { count: 9, .. }
    ));
}
