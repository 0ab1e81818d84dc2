//! The filter over eight triangles at a time decides nothing that the exact test would decide otherwise: slivers, needles,
//! triangles that touch, share corners or a plane, sizes twelve orders apart, far from the origin.

use heurt_geometry::{Pose, Triangle, Vec3, triangles_intersect};
use heurt_mesh::TriMesh;
use heurt_query::pairs;
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;

/// A triangle near `at`, of about `size`; every other one is thin, down to a hair.
fn triangle(random: &mut Random, at: Vec3, size: f64) -> Triangle {
    let (a, along) = (at + random.vector(size), random.vector(size));
    let across = random.vector(size) * if random.one_in(2) { 10f64.powf(random.between(-12.0, 0.0)) } else { 1.0 };
    [a, a + along, a + along * random.between(-0.5, 1.5) + across]
}

/// A triangle that shares something with `with`, as rounding lets it: a corner, a point of an edge or of the face, the plane.
fn neighbour(random: &mut Random, with: &Triangle, size: f64) -> Triangle {
    let [a, b, c] = *with;
    let (s, t) = (random.between(0.0, 1.0), random.between(0.0, 1.0));
    let on_face = a + (b - a) * (s * (1.0 - t)) + (c - a) * t;
    let in_plane = |s: f64, t: f64| a + (b - a) * s + (c - a) * t;
    match random.whole(0, 3) {
        0 => [a, a + random.vector(size), a + random.vector(size)],
        1 => [a + (b - a) * s, on_face + random.vector(size), on_face + random.vector(size)],
        2 => [on_face, on_face + random.vector(size), on_face + random.vector(size)],
        _ => [in_plane(s, t), in_plane(s + 1.0, t), in_plane(s, t - 0.7)],
    }
}

fn shape(triangles: &[Triangle]) -> MeshShape {
    let vertices = triangles.iter().flatten().copied().collect();
    let indices = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    MeshShape::new(TriMesh::new(vertices, indices).unwrap()).unwrap()
}

#[test]
fn agrees_with_the_exact_test_on_hostile_leaves() {
    let mut random = Random::new(4711);
    let (mut met, mut disjoint) = (0, 0);
    for round in 0..12_000 {
        let size = if round % 3 == 0 { 10f64.powf(random.between(-6.0, 6.0)) } else { 1.0 };
        let offset = if round % 4 == 0 { 1e6 } else { 0.0 };
        let (pose_a, pose_b) = (random.pose(1.0 + offset), random.pose(1.0 + offset));
        let b: Vec<Triangle> = (0..random.whole(1, 8)).map(|_| triangle(&mut random, Vec3::ZERO, size)).collect();
        // A's triangles are made beside the placed ones of B, then taken back into A's frame.
        let placed_b: Vec<Triangle> = b.iter().map(|t| t.map(|p| pose_b.place(p))).collect();
        let back = pose_a.rotation().transpose();
        let a: Vec<Triangle> = (0..random.whole(1, 8))
            .map(|_| {
                let with = placed_b[random.whole(0, placed_b.len() as i64 - 1) as usize];
                let of_size = size * 10f64.powf(random.between(-2.0, 1.0));
                let world = if random.one_in(2) {
                    neighbour(&mut random, &with, of_size)
                } else {
                    triangle(&mut random, with[0], of_size)
                };
                world.map(|p| back * (p - pose_a.translation()))
            })
            .collect();
        let mut truth = Vec::new();
        for (i, x) in a.iter().enumerate() {
            let x = x.map(|p| pose_a.place(p));
            for (j, y) in placed_b.iter().enumerate() {
                if triangles_intersect(&x, y) {
                    truth.push([i as u32, j as u32]);
                }
            }
        }
        met += truth.len();
        disjoint += a.len() * b.len() - truth.len();
        assert_eq!(pairs(&shape(&a), &pose_a, &shape(&b), &pose_b), truth, "round {round}, size {size:e}");
    }
    assert!(met > 10_000 && disjoint > 10_000, "the cases are one-sided: {met} meet, {disjoint} do not");
}

#[test]
fn quarter_turns_keep_what_touches_touching() {
    // Leaves on a grid under exact quarter turns: corners on faces, edges on edges, everything at zero.
    let mut random = Random::new(99);
    let quarter = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let mut met = 0;
    for round in 0..4_000 {
        let mut grid = || Vec3::from_array([0.0; 3].map(|_: f64| random.whole(-2, 2) as f64));
        let a: Vec<Triangle> = (0..5).map(|_| [grid(), grid(), grid()]).collect();
        let b: Vec<Triangle> = (0..7).map(|_| [grid(), grid(), grid()]).collect();
        let (shift_a, shift_b) = (grid(), grid());
        let pose_a = Pose::from_quaternion(quarter[round % 4], shift_a).unwrap();
        let pose_b = Pose::from_quaternion(quarter[round / 4 % 4], shift_b).unwrap();
        let mut truth = Vec::new();
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                if triangles_intersect(&x.map(|p| pose_a.place(p)), &y.map(|p| pose_b.place(p))) {
                    truth.push([i as u32, j as u32]);
                }
            }
        }
        met += truth.len();
        assert_eq!(pairs(&shape(&a), &pose_a, &shape(&b), &pose_b), truth, "round {round}");
    }
    assert!(met > 10_000, "only {met} meet");
}
