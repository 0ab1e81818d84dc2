//! Pairs of shapes that deform: the same as of shapes made anew, whether leaf blocks are at hand or not.

use heurt_geometry::{Pose, Vec3, triangles_intersect};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::Surgery;
use heurt_query::pairs;
use heurt_shape::MeshShape;

fn shape(mesh: &TriMesh) -> MeshShape {
    MeshShape::new(mesh.clone()).unwrap()
}

fn brute_force(a: &TriMesh, pose_a: &Pose, b: &TriMesh, pose_b: &Pose) -> Vec<[u32; 2]> {
    let (a, b) = (a.transformed(pose_a).unwrap(), b.transformed(pose_b).unwrap());
    let count = |mesh: &TriMesh| mesh.triangles().len() as u32;
    let all = (0..count(&a)).flat_map(|i| (0..count(&b)).map(move |j| [i, j]));
    all.filter(|&[i, j]| triangles_intersect(&a.corners(i), &b.corners(j))).collect()
}

#[test]
fn soft_bodies_among_organs_give_the_pairs_of_brute_force() {
    let field = Surgery::new(1, 2).unwrap();
    let here = Pose::IDENTITY;
    let organs: Vec<(MeshShape, Pose)> =
        field.organs().parts.iter().map(|part| (shape(&field.organs().meshes[part.mesh]), part.pose)).collect();
    let instrument = shape(field.instrument());
    let mut soft: Vec<MeshShape> = field.soft().iter().map(shape).collect();
    let mut met = 0;
    for step in (0..Surgery::ROUND).step_by(40) {
        for (body, shape) in soft.iter_mut().enumerate() {
            shape.deform(&field.deformed(body, step)).unwrap();
        }
        let mut check = |a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose| {
            let right = brute_force(a.mesh(), pose_a, b.mesh(), pose_b);
            assert_eq!(pairs(a, pose_a, b, pose_b), right, "step {step}");
            met += right.len();
        };
        for (organ, pose) in &organs {
            check(organ, pose, &soft[0], &here);
            check(&soft[1], &here, organ, pose);
        }
        check(&instrument, &field.instrument_pose(step), &soft[0], &here);
        check(&soft[0], &here, &soft[1], &here);
        // Once asked for as a whole, blocks follow.
        assert_eq!(soft[0].blocks_at_hand().is_some(), step > 0);
        assert!(soft[1].blocks_at_hand().is_none());
        soft[0].blocks();
        let (a, b) = (&soft[0], &soft[1]);
        assert_eq!(pairs(a, &here, b, &here), brute_force(a.mesh(), &here, b.mesh(), &here), "one has its blocks");
    }
    assert!(met > 500, "{met} pairs");
}

#[test]
fn far_and_large_deformations_keep_all_pairs() {
    let start = Surgery::new(1, 1).unwrap().soft()[0].clone();
    let (mut a, mut b) = (shape(&start), shape(&start));
    for (size, shift) in [(1.0, 0.0), (1e6, 1e7), (1e-6, 3.0), (1.0, 1e9)] {
        let moved = |by: f64| -> Vec<Vec3> {
            start.vertices().iter().map(|&v| v * size * (1.0 + by * v.z / 0.08) + Vec3::X * shift).collect()
        };
        a.deform(&moved(0.0)).unwrap();
        b.deform(&moved(0.5)).unwrap();
        let pose = Pose::from_translation(Vec3::Y * 0.01 * size).unwrap();
        let right = brute_force(a.mesh(), &Pose::IDENTITY, b.mesh(), &pose);
        assert_eq!(pairs(&a, &Pose::IDENTITY, &b, &pose), right, "size {size}, shift {shift}");
        assert!(!right.is_empty());
    }
}
