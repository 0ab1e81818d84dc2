//! A mesh against itself: the same pairs as brute force, in every state of a deformation, and as the faults of `heurt_mesh`.

use heurt_geometry::{Vec3, triangles_intersect};
use heurt_mesh::generate::{Cloth, bumpy_sphere};
use heurt_mesh::{Fault, Topology, TriMesh, check};
use heurt_query::{Neighbours, self_pairs, self_pairs_counted};
use heurt_shape::MeshShape;
use heurt_testkit::random::Random;

fn strangers(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let topology = Topology::new(mesh);
    let akin = |i: u32, j: u32| topology.corners(i).iter().any(|vertex| topology.corners(j).contains(vertex));
    let count = mesh.triangles().len() as u32;
    let all = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
    all.filter(|&[i, j]| !akin(i, j) && triangles_intersect(&mesh.corners(i), &mesh.corners(j))).collect()
}

fn all_faults(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let pair = |fault: &Fault| match fault {
        Fault::SelfIntersection { triangles } => Some(*triangles),
        _ => None,
    };
    check(mesh).faults.iter().filter_map(pair).collect()
}

fn agree(shape: &MeshShape, name: &str) -> usize {
    let right = strangers(shape.mesh());
    assert_eq!(self_pairs(shape, Neighbours::Skip), right, "{name}");
    assert_eq!(self_pairs(shape, Neighbours::Examine), all_faults(shape.mesh()), "{name}, neighbours examined");
    right.len()
}

/// Triangles near each other, some of them neighbours by number, some by place, some degenerate.
fn soup(random: &mut Random, triangles: usize, scale: f64) -> TriMesh {
    let grid = |random: &mut Random| {
        Vec3::new(random.whole(0, 5) as f64, random.whole(0, 5) as f64, random.whole(0, 3) as f64)
    };
    let vertices: Vec<Vec3> = (0..triangles).map(|_| grid(random) * scale).collect();
    let corner = |random: &mut Random| random.whole(0, triangles as i64 - 1) as u32;
    let faces = (0..triangles).map(|_| [corner(random), corner(random), corner(random)]).collect();
    TriMesh::new(vertices, faces).unwrap()
}

#[test]
fn soups_on_a_grid_give_the_pairs_of_brute_force() {
    let mut random = Random::new(7);
    let mut found = 0;
    for round in 0..40 {
        let mesh = soup(&mut random, 5 + 4 * round, [1.0, 1e-200, 1e150, 0.1][round % 4]);
        found += agree(&MeshShape::new(mesh).unwrap(), &format!("soup {round}"));
    }
    assert!(found > 10_000, "{found} pairs");
}

#[test]
fn folding_cloth_gives_the_pairs_of_brute_force_at_every_state() {
    let cloth = Cloth::new(36, 4).unwrap();
    let mut shape = MeshShape::new(cloth.sheet().clone()).unwrap();
    let mut found = Vec::new();
    for folded in [0.0, 0.3, 0.7, 0.95, 1.0, 0.99, 0.5, 1.0] {
        shape.deform(&cloth.vertices(folded)).unwrap();
        found.push(agree(&shape, &format!("folded {folded}")));
    }
    assert_eq!(found[0], 0, "flat cloth does not meet itself");
    assert_eq!(found[4], found[7], "the same state, the same pairs");
    assert!(found[4] > 100, "{found:?}");
}

#[test]
fn a_mesh_that_only_touches_its_neighbours_gives_no_pair() {
    let mesh = bumpy_sphere(1.0, 0.2, 5.0, 64).unwrap();
    let (pairs, work) = self_pairs_counted(&MeshShape::new(mesh).unwrap(), Neighbours::Skip);
    assert!(pairs.is_empty());
    assert!(work.volumes > 0 && work.primitives > 0);
}

#[test]
fn seams_count_as_one_vertex_until_they_part() {
    // Two triangles with an edge in common, by place only.
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
    let mut shape = MeshShape::new(TriMesh::new(vertices.clone(), vec![[0, 1, 2], [3, 5, 4]]).unwrap()).unwrap();
    assert!(self_pairs(&shape, Neighbours::Examine).is_empty());
    // One side slides along the seam: the triangles touch without a vertex in common.
    let slid: Vec<Vec3> =
        vertices.iter().enumerate().map(|(k, v)| if k < 3 { *v } else { *v + Vec3::new(-0.25, 0.25, 0.0) }).collect();
    shape.deform(&slid).unwrap();
    assert_eq!(self_pairs(&shape, Neighbours::Skip), [[0, 1]]);
}
