//! Pairs of shapes that deform: the same as of shapes made anew, whether leaf blocks are at hand or not.

use heurt_bvh::{BvhError, PrimitiveSource};
use heurt_geometry::{Aabb, Pose, Vec3, triangles_intersect};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::Surgery;
use heurt_query::{Neighbours, pairs, self_pairs};
use heurt_shape::{MeshShape, ShapeError};

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

#[test]
fn fitting_only_what_is_near_something_changes_no_answer() {
    // As fine as it has to be, not to be fitted whole.
    let field = Surgery::new(3, 2).unwrap();
    let here = Pose::IDENTITY;
    let organs: Vec<(MeshShape, Pose)> =
        field.organs().parts.iter().map(|part| (shape(&field.organs().meshes[part.mesh]), part.pose)).collect();
    let still: Vec<Aabb> = organs.iter().flat_map(|(organ, pose)| organ.cover(pose, 16)).collect();
    let far = [Aabb { min: Vec3::splat(10.0), max: Vec3::splat(11.0) }];
    let all = [Aabb { min: -far[0].max, max: far[0].max }];
    let (mut soft, mut whole) = (field.soft().iter().map(shape).collect::<Vec<_>>(), Vec::new());
    let mut met = 0;
    for (count, step) in (0..Surgery::ROUND).step_by(5).enumerate() {
        // What is near, nothing, nothing that is there, or a box about all, by turns; now and then a jump.
        let step = if count % 11 == 10 { Surgery::ROUND - step } else { step + count as u32 % 2 };
        let near: &[Aabb] = [&still[..], &[], &far, &all][count / 3 % 4];
        whole.clear();
        for (body, near_fitted) in soft.iter_mut().enumerate() {
            let vertices = field.deformed(body, step);
            near_fitted.deform_near(&vertices, near).unwrap();
            let mesh = TriMesh::new(vertices, near_fitted.mesh().triangles().to_vec()).unwrap();
            assert_eq!(*near_fitted.bounds(), mesh.bounds());
            assert_eq!(near_fitted.tree().validate(&Corners(&mesh)), Ok(()), "step {step}, body {body}");
            whole.push(shape(&mesh));
        }
        for (organ, pose) in &organs {
            let right = pairs(organ, pose, &whole[0], &here);
            assert_eq!(pairs(organ, pose, &soft[0], &here), right, "step {step}");
            met += right.len();
        }
        assert_eq!(pairs(&soft[0], &here, &soft[1], &here), pairs(&whole[0], &here, &whole[1], &here), "step {step}");
        assert_eq!(
            self_pairs(&soft[1], Neighbours::Skip),
            self_pairs(&whole[1], Neighbours::Skip),
            "step {step}: with itself"
        );
    }
    assert!(met > 500, "{met} pairs");
}

/// The triangles of a mesh as a tree sees them.
struct Corners<'a>(&'a TriMesh);

impl PrimitiveSource for Corners<'_> {
    fn len(&self) -> usize {
        self.0.triangles().len()
    }
    fn points(&self) -> &[Vec3] {
        self.0.vertices()
    }
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        self.0.triangles()[primitive as usize]
    }
}

#[test]
fn steps_of_any_size_far_from_anywhere_keep_boxes_about_their_triangles() {
    let start = Surgery::new(3, 1).unwrap().soft()[0].clone();
    for (size, shift) in [(1.0, 0.0), (1.0, 1e9), (1e-6, 3.0), (1e6, 1e7), (1e200, 0.0), (1e-200, 1e-195)] {
        let mut body = shape(&start);
        for step in 0..40 {
            let by = f64::from(step % 13 - 6) * if step % 5 == 4 { 0.3 } else { 0.004 };
            let along = Vec3::new(0.02 * by, 1.0, 0.3 * by) * (size * 0.05 * f64::from(step));
            let vertices: Vec<Vec3> = start
                .vertices()
                .iter()
                .map(|&v| (v + Vec3::X * (by * v.z) + Vec3::Z * (by * v.y)) * size + along + Vec3::X * shift)
                .collect();
            body.deform_near(&vertices, &[]).unwrap();
            let mesh = TriMesh::new(vertices, start.triangles().to_vec()).unwrap();
            assert_eq!(body.tree().validate(&Corners(&mesh)), Ok(()), "size {size}, shift {shift}, step {step}");
        }
    }
}

#[test]
fn parallel_axes_in_any_order_keep_all_pairs() {
    let start = Surgery::new(1, 1).unwrap().soft()[0].clone();
    let (rigid, mut soft) = (shape(&start), shape(&start));
    soft.deform(start.vertices()).unwrap();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let turns = [[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half], [0.5, 0.5, 0.5, 0.5], [0.0, 1.0, 0.0, 0.0]];
    // The last ones are nearly parallel, and just not.
    let nearly = [1e-5, 2e-4, 4e-4].map(|by: f64| [by * 0.6, by * 0.8, 0.0, (1.0 - by * by).sqrt()]);
    let centre = start.bounds().centre();
    for turn in turns.into_iter().chain(nearly) {
        let about = Pose::from_quaternion(turn, Vec3::ZERO).unwrap();
        let shift = centre - about.place(centre) + Vec3::new(0.011, 0.017, 0.04);
        let pose = Pose::from_quaternion(turn, shift).unwrap();
        let right = brute_force(rigid.mesh(), &pose, soft.mesh(), &Pose::IDENTITY);
        assert_eq!(pairs(&rigid, &pose, &soft, &Pose::IDENTITY), right, "turned by {turn:?}");
        let mut back =
            pairs(&soft, &Pose::IDENTITY, &rigid, &pose).into_iter().map(|[i, j]| [j, i]).collect::<Vec<_>>();
        back.sort_unstable();
        assert_eq!(back, right, "turned by {turn:?}");
        assert!(!right.is_empty());
    }
}

#[test]
fn a_box_of_interest_that_is_none_is_refused() {
    let start = Surgery::new(3, 1).unwrap().soft()[0].clone();
    let mut body = shape(&start);
    let moved: Vec<Vec3> = start.vertices().iter().map(|&vertex| vertex * 1.001).collect();
    let none = Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, f64::NAN, 1.0) };
    for _ in 0..2 {
        let before = (body.mesh().clone(), body.tree().to_bytes());
        let refused = body.deform_near(&moved, &[start.bounds(), none]);
        assert_eq!(refused, Err(ShapeError::Tree(BvhError::BadBox { place: 1 })));
        assert_eq!((body.mesh().clone(), body.tree().to_bytes()), before);
        // From now on it is fitted near boxes.
        body.deform_near(start.vertices(), &[]).unwrap();
    }
}
