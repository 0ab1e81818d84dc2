//! A mesh against itself: the same pairs as brute force, in every state of a deformation, and as the faults of `heurt_mesh`.

use crate::forms::counted;
use heurt_geometry::{Pose, Vec3, triangles_intersect};
use heurt_mesh::generate::{Cloth, bumpy_sphere};
use heurt_mesh::{CheckOptions, Fault, Topology, TriMesh, check_with};
use heurt_query::{Neighbours, SelfPairsOptions, pairs, self_intersects, self_pairs, self_pairs_with};
use heurt_shape::{DeformingShape, MeshShape, Upkeep, UpkeepPolicy};
use heurt_testkit::number::random::Random;

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
    let every_fault = CheckOptions { max_faults: usize::MAX, ..CheckOptions::default() };
    check_with(mesh, &every_fault).faults.iter().filter_map(pair).collect()
}

fn agree(shape: &MeshShape, name: &str) -> usize {
    let right = strangers(shape.mesh());
    assert_eq!(self_pairs(shape, Neighbours::Skip), right, "{name}");
    let faults = all_faults(shape.mesh());
    assert_eq!(self_pairs(shape, Neighbours::Examine), faults, "{name}, neighbours examined");
    assert_eq!(self_intersects(shape), !faults.is_empty(), "{name}");
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
        let mesh =
            soup(&mut random, if round < 10 { 1 + round } else { 4 * round }, [1.0, 1e-200, 1e150, 0.1][round % 4]);
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
    let (pairs, work) =
        counted(self_pairs_with(&MeshShape::new(mesh).unwrap(), &SelfPairsOptions { neighbours: Neighbours::Skip }));
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

#[test]
fn vertices_that_come_together_stay_two() {
    // Two triangles with an edge in common, folded flat on each other: three places in common, but two vertices.
    let at = |y: f64| vec![Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1.0, 0.0), Vec3::new(0.5, y, 0.0)];
    let mut shape = MeshShape::new(TriMesh::new(at(-1.0), vec![[0, 1, 2], [1, 0, 3]]).unwrap()).unwrap();
    assert!(self_pairs(&shape, Neighbours::Examine).is_empty());
    for y in [0.999, 1.0] {
        shape.deform(&at(y)).unwrap();
        assert_eq!(self_pairs(&shape, Neighbours::Examine), [[0, 1]], "{y}");
        assert!(self_pairs(&shape, Neighbours::Skip).is_empty());
    }
    // Two strangers whose corners meet.
    let at = |x: f64| vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * x, Vec3::X * (x + 1.0), Vec3::new(x, -1.0, 0.0)];
    let mut shape = MeshShape::new(TriMesh::new(at(2.0), vec![[0, 1, 2], [3, 4, 5]]).unwrap()).unwrap();
    shape.deform(&at(1.0)).unwrap();
    assert_eq!(self_pairs(&shape, Neighbours::Skip), [[0, 1]]);
}

#[test]
fn upkeep_changes_no_answer() {
    let cloth = Cloth::new(30, 3).unwrap();
    let policy = UpkeepPolicy { rotate_at: 1.01, rebuild_at: 1.1, rebuild_steps: 2 };
    let mut kept = DeformingShape::new(MeshShape::new(cloth.sheet().clone()).unwrap(), policy);
    let other = MeshShape::new(bumpy_sphere(0.15, 0.2, 3.0, 16).unwrap()).unwrap();
    let place = Pose::from_translation(Vec3::new(0.15, 0.4, 0.0)).unwrap();
    let mut story = Vec::new();
    let mut met = 0;
    for step in 0..=30 {
        // Folded, and wrung, so that the tree is spoilt.
        let wrung = |v: Vec3| v + Vec3::Z * (0.02 * f64::from(step) * (9.0 * v.x + 5.0 * v.y).sin());
        let vertices: Vec<Vec3> = cloth.vertices(f64::from(step) / 30.0).into_iter().map(wrung).collect();
        story.push(kept.step(&vertices).unwrap());
        let anew = TriMesh::new(vertices, cloth.sheet().triangles().to_vec()).unwrap();
        assert_eq!(self_pairs(kept.shape(), Neighbours::Skip), strangers(&anew), "step {step}");
        let anew = MeshShape::new(anew).unwrap();
        let right = pairs(&anew, &Pose::IDENTITY, &other, &place);
        assert_eq!(pairs(kept.shape(), &Pose::IDENTITY, &other, &place), right, "step {step}");
        met += right.len();
    }
    assert!(story.contains(&Upkeep::Rebuilt) && met > 100, "{story:?}, {met} pairs");
}

#[test]
fn a_few_vertices_of_a_mesh_with_seams_and_strays() {
    let (mut random, mesh) = (Random::new(9), bumpy_sphere(1.0, 0.2, 3.0, 16).unwrap());
    // Every triangle with corners of its own, and a vertex that none has.
    let corners: Vec<Vec3> = (0..mesh.triangles().len() as u32).flat_map(|index| mesh.corners(index)).collect();
    let triangles = (0..mesh.triangles().len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let torn = TriMesh::new([corners, vec![Vec3::ONE * 5.0]].concat(), triangles).unwrap();
    for mesh in [mesh, torn] {
        let mut shape = MeshShape::new(mesh.clone()).unwrap();
        for round in 0..12 {
            let count = mesh.vertices().len() as i64;
            let moved: Vec<u32> = (0..4).map(|_| random.whole(0, count - 1) as u32).collect();
            let places: Vec<Vec3> =
                moved.iter().map(|&v| shape.mesh().vertices()[v as usize] * random.between(0.5, 0.9)).collect();
            shape.deform_moved(&moved, &places).unwrap();
            let anew = MeshShape::new(shape.mesh().clone()).unwrap();
            assert_eq!(shape.bounds(), anew.bounds());
            assert_eq!(shape.is_closed(), anew.is_closed());
            assert_eq!(self_pairs(&shape, Neighbours::Skip), strangers(shape.mesh()), "round {round}");
            assert_eq!(self_pairs(&shape, Neighbours::Examine), all_faults(shape.mesh()), "round {round}");
        }
    }
}

#[test]
fn one_fold_in_a_large_mesh_is_found() {
    let ball = heurt_mesh::generate::icosphere(1.0, 5).unwrap();
    assert!(!self_intersects(&MeshShape::new(ball.clone()).unwrap()));
    let (mut vertices, triangles) = ball.into_parts();
    // A corner is drawn through the far side of the ball.
    let last = vertices.len() - 1;
    vertices[last] *= -1.5;
    assert!(self_intersects(&MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap()));
}

/// Fans whose triangles are flat or twisted by anything between a rounding and a right angle; `folded` with strips
/// over them and angles that turn back.
fn folded_neighbours(random: &mut Random, height: f64, offset: f64, folded: bool) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut vertices = vec![Vec3::splat(offset)];
    let mut angle = random.unit() * 6.0;
    for _ in 0..16 {
        let radius = 10f64.powi(-(random.whole(0, 3) as i32));
        let place = Vec3::new(angle.cos(), angle.sin(), height * random.vector(1.0).x) * radius;
        vertices.push(place + offset);
        angle += if folded { random.vector(1.0).x * 2.5 } else { 0.05 + 0.3 * random.unit() };
    }
    let fan = (1..16).map(|k| [0, k, k + 1]);
    let strip = (1..14).map(|k| if k % 3 == 0 { [k + 2, k + 1, k] } else { [k, k + 1, k + 2] });
    (vertices, if folded { fan.chain(strip).collect() } else { fan.collect() })
}

#[test]
fn folded_neighbours_give_the_pairs_of_brute_force() {
    let mut random = Random::new(11);
    let (mut found, mut clean) = (0, 0);
    for round in 0..240 {
        let height = [0.0, 1e-16, 1e-12, 1e-8, 1e-6, 1e-4, 1e-2, 1.0][round % 8];
        let offset = [0.0, 1.0, 1e6][round % 3];
        let (vertices, triangles) = folded_neighbours(&mut random, height, offset, round % 16 > 7);
        let shape = MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
        agree(&shape, &format!("round {round}"));
        let pairs = self_pairs(&shape, Neighbours::Examine).len();
        found += pairs;
        clean += usize::from(pairs == 0);
    }
    assert!(found > 600 && clean > 60, "{found} pairs, {clean} meshes without");
}

#[test]
fn the_answer_is_the_same_with_any_number_of_threads() {
    let ball = heurt_mesh::generate::icosphere(1.0, 5).unwrap();
    let count = ball.vertices().len();
    let folded = |vertex: usize| {
        let (mut vertices, triangles) = ball.clone().into_parts();
        vertices[vertex] *= -1.5;
        TriMesh::new(vertices, triangles).unwrap()
    };
    let mut meshes = vec![(ball.clone(), false)];
    meshes.extend([0, 1, count / 2, count - 1].map(|vertex| (folded(vertex), true)));
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for (number, (mesh, expected)) in meshes.iter().enumerate() {
            // A new shape each time: trees and blocks are made in the pool, too.
            let found = pool.install(|| {
                let shape = MeshShape::new(mesh.clone()).unwrap();
                [self_intersects(&shape), self_intersects(&shape), !self_pairs(&shape, Neighbours::Examine).is_empty()]
            });
            assert_eq!(found, [*expected; 3], "mesh {number} with {threads} threads");
        }
    }
}

/// Details far smaller than their mesh, down to coordinates whose products underflow in `f32`: triangles folded back on
/// each other exactly, and fans that are nearly flat.
#[test]
fn tiny_details_of_a_large_mesh_give_the_pairs_of_brute_force() {
    let mut random = Random::new(13);
    let mut found = 0;
    for round in 0..300 {
        let scale = 2f64.powi(-(round % 30) - 8);
        let (mut vertices, mut triangles) =
            folded_neighbours(&mut random, [0.0, 1e-9, 1e-3][round as usize % 3], 0.0, false);
        // Each third corner is folded back into the plane of the triangle before it, over the common edge.
        for k in (3..16).step_by(3) {
            let [hub, last, apex] = [vertices[0], vertices[k - 1], vertices[k - 2]];
            vertices[k] = hub + (last - hub) * random.unit() + (apex - hub) * random.unit();
        }
        vertices.iter_mut().for_each(|vertex| *vertex *= scale);
        let first = vertices.len() as u32;
        vertices.extend([Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 0.9, 1.0), Vec3::new(0.9, 1.0, -1.0)]);
        triangles.push([first, first + 1, first + 2]);
        let shape = MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
        agree(&shape, &format!("round {round}"));
        found += self_pairs(&shape, Neighbours::Examine).len();
    }
    assert!(found > 1_000, "{found} pairs");
}
