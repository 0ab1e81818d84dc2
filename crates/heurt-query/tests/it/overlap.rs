//! `overlap` and `pairs` agree with exact brute force: random and touching meshes, every pose, builder and order.

use crate::forms::counted;
use heurt_bvh::{BoxAxes, Builder, BvhError, VolumeKind};
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{OverlapOptions, Side, TreePair, TreePairError, Witness, closest, overlap, overlap_with, pairs};
use heurt_shape::{AnyTree, Convex, Degree, MeshShape, ShapeError, TreeChoice};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle as oracle;

fn shape(mesh: TriMesh) -> MeshShape {
    MeshShape::new(mesh).unwrap()
}

fn random_pose(random: &mut Random, reach: f64) -> Pose {
    let mut q = [0.0; 4].map(|_: f64| random.between(-1.0, 1.0));
    if random.one_in(3) {
        // Quarter turns: faces stay on the grid and touch exactly.
        q = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]][random.whole(0, 2) as usize];
    }
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut shift =
        || if random.one_in(3) { random.whole(-2, 2) as f64 * reach / 2.0 } else { random.between(-reach, reach) };
    Pose::from_quaternion(q.map(|x| x / norm), Vec3::new(shift(), shift(), shift())).unwrap()
}

fn meshes() -> Vec<TriMesh> {
    let open = {
        let (vertices, triangles) = generate::cuboid([1.0, 0.5, 0.25]).unwrap().into_parts();
        TriMesh::new(vertices, triangles[..8].to_vec()).unwrap()
    };
    let degenerate = TriMesh::new(
        vec![Vec3::ZERO, Vec3::X, Vec3::new(2.0, 0.0, 0.0), Vec3::Y, Vec3::Z],
        vec![[0, 1, 2], [0, 0, 0], [0, 3, 4], [1, 3, 3]],
    );
    vec![
        generate::cuboid([1.0, 1.0, 1.0]).unwrap(),
        generate::cuboid([0.25, 0.25, 0.25]).unwrap(),
        generate::tetrahedron(1.0).unwrap(),
        generate::supertoroid(1.0, 0.3, 0.5, 1.5, 16).unwrap(),
        generate::bumpy_sphere(0.8, 0.2, 4.0, 10).unwrap(),
        generate::gear(8, 0.2, 0.35, 0.0, 0.3, 0.4, 2).unwrap(),
        open,
        degenerate.unwrap(),
    ]
}

fn agree(a: &MeshShape, pose_a: &Pose, b: &MeshShape, pose_b: &Pose, what: &str) -> bool {
    let (placed_a, placed_b) = (oracle::placed(a.mesh(), pose_a), oracle::placed(b.mesh(), pose_b));
    let truth = oracle::intersecting_pairs(&placed_a, &placed_b);
    assert_eq!(pairs(a, pose_a, b, pose_b), truth, "{what}");
    let mut swapped = pairs(b, pose_b, a, pose_a);
    swapped.iter_mut().for_each(|pair| pair.reverse());
    swapped.sort_unstable();
    assert_eq!(swapped, truth, "{what}, swapped");
    let witness = overlap(a, pose_a, b, pose_b);
    match witness {
        Some(Witness::Primitives { a, b }) => assert!(truth.contains(&[a, b]), "{what}: {a} {b} is no witness"),
        Some(Witness::Contained(_)) => assert!(truth.is_empty(), "{what}: surfaces meet"),
        None => {}
    }
    let expected = oracle::overlap(&placed_a, a.is_solid(), &placed_b, b.is_solid());
    assert_eq!(witness.is_some(), expected, "{what}");
    assert_eq!(overlap(b, pose_b, a, pose_a).is_some(), expected, "{what}, swapped");
    expected
}

#[test]
fn agrees_with_exact_brute_force_in_every_pose() {
    let shapes: Vec<MeshShape> = meshes().into_iter().map(shape).collect();
    let mut random = Random::new(2);
    let (mut met, mut disjoint) = (0, 0);
    for round in 0..240 {
        let (i, j) = (random.whole(0, 7) as usize, random.whole(0, 7) as usize);
        let reach = if round % 6 == 0 { 0.0 } else { 2.0 };
        let (pose_a, pose_b) = (random_pose(&mut random, reach), random_pose(&mut random, reach));
        let pose_a = if round % 2 == 0 { Pose::IDENTITY } else { pose_a };
        let met_now = agree(&shapes[i], &pose_a, &shapes[j], &pose_b, &format!("round {round}: {i} {j}"));
        *(if met_now { &mut met } else { &mut disjoint }) += 1;
    }
    assert!(met > 60 && disjoint > 60, "{met} met, {disjoint} disjoint: the poses are lopsided");
}

#[test]
fn a_common_offset_of_a_million_metres_changes_nothing_it_should_not() {
    let (a, b) = (shape(generate::cuboid([0.5; 3]).unwrap()), shape(generate::cuboid([0.25; 3]).unwrap()));
    let offset = Vec3::new(1e6, -1e6, 2e6);
    let touching = Pose::from_translation(offset + Vec3::new(0.75, 0.0, 0.0)).unwrap();
    assert!(agree(&a, &Pose::from_translation(offset).unwrap(), &b, &touching, "touching, far out"));
    let off = Pose::from_translation(offset + Vec3::new(0.75 + 1e-9, 0.0, 0.0)).unwrap();
    assert!(!agree(&a, &Pose::from_translation(offset).unwrap(), &b, &off, "a nanometre apart"));
}

#[test]
fn scales_of_twelve_orders_meet() {
    let speck = shape(generate::icosphere(1e-6, 1).unwrap());
    let mountain = shape(generate::icosphere(1e6, 1).unwrap());
    let top = mountain.mesh().vertices()[0];
    for (at, expected) in [(top, true), (top * 1.001, false), (top * 0.5, true), (Vec3::ZERO, true)] {
        assert_eq!(agree(&speck, &Pose::from_translation(at).unwrap(), &mountain, &Pose::IDENTITY, "speck"), expected);
    }
    for scale in [1e-200, 1e-30, 1e30, 1e150] {
        let cube = shape(generate::cuboid([1.0; 3]).unwrap().scaled(scale).unwrap());
        let at = |x: f64| Pose::from_translation(Vec3::new(x * scale, 0.0, 0.0)).unwrap();
        assert!(agree(&cube, &Pose::IDENTITY, &cube, &at(2.0), "huge and tiny, touching"));
        assert!(!agree(&cube, &Pose::IDENTITY, &cube, &at(2.0000001), "huge and tiny, apart"));
    }
}

#[test]
fn containment_follows_the_winding_number() {
    let big = generate::cuboid([4.0; 3]).unwrap();
    let hollow = TriMesh::merged([&big, &generate::cuboid([3.0; 3]).unwrap().reversed()]).unwrap();
    let small = shape(generate::icosphere(0.5, 1).unwrap());
    let at = |x: f64| Pose::from_translation(Vec3::new(x, 0.0, 0.0)).unwrap();
    let i = Pose::IDENTITY;
    assert_eq!(overlap(&shape(big.clone()), &i, &small, &at(1.0)), Some(Witness::Contained(Side::B)));
    assert_eq!(overlap(&small, &at(1.0), &shape(big.clone()), &i), Some(Witness::Contained(Side::A)));
    let hollow = shape(hollow);
    assert!(hollow.is_closed());
    assert_eq!(overlap(&hollow, &i, &small, &at(1.0)), None, "in the cavity");
    assert!(overlap(&hollow, &i, &small, &at(3.5)).is_some());
    let surface = shape(big).with_solid(false).unwrap();
    assert_eq!(overlap(&surface, &i, &small, &at(1.0)), None, "a surface has no inside");
    // Two parts: one inside, one far away.
    let pair =
        TriMesh::merged([&generate::icosphere(0.2, 1).unwrap(), &shifted(&generate::icosphere(0.2, 1).unwrap(), 50.0)]);
    let pair = shape(pair.unwrap());
    assert_eq!(overlap(&pair, &i, &surface.with_solid(true).unwrap(), &i), Some(Witness::Contained(Side::A)));
}

fn shifted(mesh: &TriMesh, x: f64) -> TriMesh {
    let moved = mesh.vertices().iter().map(|v| *v + Vec3::new(x, 0.0, 0.0)).collect();
    TriMesh::new(moved, mesh.triangles().to_vec()).unwrap()
}

#[test]
fn every_builder_gives_the_same_pairs() {
    let (a, b) =
        (generate::supertoroid(1.0, 0.4, 0.7, 1.3, 48).unwrap(), generate::bumpy_sphere(1.0, 0.2, 5.0, 40).unwrap());
    let mut random = Random::new(9);
    let poses: Vec<Pose> = (0..10).map(|_| random_pose(&mut random, 1.0)).collect();
    let build = |builder| [&a, &b].map(|m| MeshShape::with_builder(m.clone(), builder).unwrap());
    let reference = build(Builder::BinnedSah);
    for builder in [Builder::Median, Builder::Mean, Builder::Morton] {
        let other = build(builder);
        for pose in &poses {
            let expected = pairs(&reference[0], &Pose::IDENTITY, &reference[1], pose);
            assert_eq!(pairs(&other[0], &Pose::IDENTITY, &other[1], pose), expected, "{builder:?}");
            assert_eq!(pairs(&reference[0], &Pose::IDENTITY, &other[1], pose), expected, "{builder:?}, mixed");
        }
    }
}

/// Pairs and overlap through trees of a kind.
fn through(shapes: [&MeshShape; 2], choice: &TreeChoice, pose: &Pose) -> (Vec<[u32; 2]>, bool) {
    let [of_a, of_b] = shapes.map(|s| AnyTree::new(s.mesh(), choice, true).unwrap());
    let both = TreePair::new((shapes[0], &of_a), (shapes[1], &of_b)).unwrap();
    let (pairs, witness) = (both.pairs(&Pose::IDENTITY, pose), both.overlap(&Pose::IDENTITY, pose));
    (pairs.value(), witness.value().is_some())
}

#[test]
fn every_volume_degree_and_builder_gives_the_same_answers() {
    let a = shape(generate::supertoroid(1.0, 0.4, 0.7, 1.3, 24).unwrap());
    let b = shape(generate::bumpy_sphere(0.5, 0.2, 5.0, 16).unwrap());
    let mut random = Random::new(19);
    for (round, volume) in VolumeKind::ALL.into_iter().cycle().take(16).enumerate() {
        let pose = random_pose(&mut random, 1.2);
        let expected = (pairs(&a, &Pose::IDENTITY, &b, &pose), overlap(&a, &Pose::IDENTITY, &b, &pose).is_some());
        for degree in Degree::ALL {
            for builder in Builder::ALL {
                for axes in BoxAxes::ALL.into_iter().filter(|&axes| volume.has_axes() || axes == BoxAxes::default()) {
                    let choice = TreeChoice { volume, degree, builder, leaf_size: 1 + round as u32 % 8, axes };
                    assert_eq!(through([&a, &b], &choice, &pose), expected, "round {round}, {choice:?}");
                }
            }
        }
    }
}

#[test]
fn a_chosen_tree_serves_where_both_shapes_have_it_and_follows_deformations() {
    let (a, b) =
        (generate::supertoroid(1.0, 0.4, 0.7, 1.3, 24).unwrap(), generate::bumpy_sphere(0.5, 0.2, 5.0, 16).unwrap());
    let mut random = Random::new(29);
    for volume in VolumeKind::ALL {
        let choice = TreeChoice { volume, leaf_size: 3, ..TreeChoice::default() };
        let other = TreeChoice { degree: Degree::Two, ..choice };
        let plain = [shape(a.clone()), shape(b.clone())];
        let mut chosen = [shape(a.clone()), shape(b.clone())].map(|s| s.with_tree(&choice).unwrap());
        let differing = shape(b.clone()).with_tree(&other).unwrap();
        for round in 0..6 {
            let pose = random_pose(&mut random, 1.0);
            if round == 3 {
                // One of them deforms; the other stays what it was.
                let bent = TriMesh::new(
                    b.vertices().iter().map(|p| Vec3::new(p.x, p.y + p.x * p.x, p.z * 0.7)).collect(),
                    b.triangles().to_vec(),
                );
                chosen[1].refit(bent.unwrap()).unwrap();
            }
            let reference = [plain[0].clone(), shape(chosen[1].mesh().clone())];
            let expected = pairs(&reference[0], &Pose::IDENTITY, &reference[1], &pose);
            assert_eq!(pairs(&chosen[0], &Pose::IDENTITY, &chosen[1], &pose), expected, "{volume:?} round {round}");
            assert_eq!(
                overlap(&chosen[0], &Pose::IDENTITY, &chosen[1], &pose).is_some(),
                overlap(&reference[0], &Pose::IDENTITY, &reference[1], &pose).is_some()
            );
            // A moved shape against one that never did: aligned boxes against oriented ones, either way.
            let mut moved = shape(b.clone());
            moved.refit(chosen[1].mesh().clone()).unwrap();
            assert_eq!(pairs(&plain[0], &Pose::IDENTITY, &moved, &pose), expected);
            let swapped: Vec<[u32; 2]> = pairs(&moved, &pose, &plain[0], &Pose::IDENTITY);
            let mut swapped: Vec<[u32; 2]> = swapped.into_iter().map(|[i, j]| [j, i]).collect();
            swapped.sort_unstable();
            assert_eq!(swapped, expected);
            if round < 3 {
                assert_eq!(pairs(&chosen[0], &Pose::IDENTITY, &differing, &pose), expected, "of different degrees");
            }
        }
    }
    assert!(matches!(
        shape(a).with_tree(&TreeChoice { leaf_size: 9, ..TreeChoice::default() }),
        Err(ShapeError::Tree(BvhError::LeafSize { leaf_size: 9 }))
    ));
}

#[test]
fn a_rotation_that_is_only_nearly_one_is_used_as_given() {
    let skew = Mat3::from_cols(Vec3::new(1.0, 3e-7, 0.0), Vec3::new(-2e-7, 1.0, 0.0), Vec3::new(0.0, 1e-7, 1.0));
    let pose = Pose::from_matrix(skew, Vec3::new(1.9999995, 0.1, 0.1)).unwrap();
    let cube = shape(generate::cuboid([1.0; 3]).unwrap());
    agree(&cube, &pose, &cube, &Pose::IDENTITY, "skewed");
    agree(
        &cube,
        &pose,
        &cube,
        &Pose::from_translation(pose.place(Vec3::new(2.0, 0.0, 0.0))).unwrap(),
        "skewed, touching",
    );
}

#[test]
fn exact_quarter_turns_of_the_whole_scene_change_no_answer() {
    let (a, b) =
        (shape(generate::gear(9, 0.2, 0.35, 0.0, 0.3, 0.4, 2).unwrap()), shape(generate::cuboid([0.5; 3]).unwrap()));
    let quarter = Pose::from_matrix(Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::Z), Vec3::ZERO).unwrap();
    for step in 0..20 {
        let pose = Pose::from_translation(Vec3::new(f64::from(step) / 8.0, 0.25, 0.125)).unwrap();
        let before = pairs(&a, &Pose::IDENTITY, &b, &pose);
        let after = pairs(&a, &quarter, &b, &quarter.compose(&pose));
        assert_eq!(before, after, "step {step}");
    }
}

#[test]
fn a_refitted_shape_answers_as_a_new_one() {
    let mut random = Random::new(17);
    let start = generate::icosphere(1.0, 3).unwrap();
    let other = shape(generate::torus(1.0, 0.3, 40, 20).unwrap());
    let mut refitted = shape(start.clone());
    // A little, so that the frame stays, then far and large, so that it does not.
    for (amplitude, size, shift) in [(0.02, 1.0, 0.0), (0.1, 1.0, 0.1), (0.1, 30.0, 500.0), (0.2, 0.01, 0.0)] {
        let moved = start.vertices().iter().map(|p| {
            let dent = Vec3::from_array([0.0; 3].map(|_: f64| random.between(-amplitude, amplitude)));
            (*p + dent) * size + Vec3::X * shift
        });
        let moved = TriMesh::new(moved.collect(), start.triangles().to_vec()).unwrap();
        refitted.refit(moved.clone()).unwrap();
        let new = shape(moved);
        for _ in 0..20 {
            let pose = random_pose(&mut random, 0.8);
            let to_other = Pose::from_translation(Vec3::X * shift).unwrap();
            let scaled = shape(other.mesh().scaled(size).unwrap());
            let found = pairs(&refitted, &Pose::IDENTITY, &scaled, &to_other);
            assert_eq!(found, pairs(&new, &Pose::IDENTITY, &scaled, &to_other));
            assert!(!found.is_empty() || amplitude > 0.1);
            let point = pose.place(Vec3::X) * size + Vec3::X * shift;
            assert_eq!(closest(&refitted, &Pose::IDENTITY, point), closest(&new, &Pose::IDENTITY, point));
        }
    }
}

#[test]
fn a_single_place_is_asked_of_few_triangles() {
    for size in [1.0, 1e-6, 1e6] {
        let ring = shape(generate::torus(size, 0.25 * size, 64, 32).unwrap());
        let ball = Convex::sphere(0.125 * size).unwrap();
        let triangles = ring.mesh().triangles().len() as u64;
        for (place, meets) in [(Vec3::new(0.8, 0.0, 0.0), true), (Vec3::new(0.0, 0.1, 0.0), false)] {
            let pose = Pose::from_translation(place * size).unwrap();
            let (witness, work) =
                counted(overlap_with(&ring, &Pose::IDENTITY, &ball, &pose, &OverlapOptions::default()));
            assert_eq!(witness.is_some(), meets, "at {size}");
            assert!(work.primitives < triangles / 4, "{} of {triangles} at {size}", work.primitives);
        }
    }
}

#[test]
fn trees_of_two_kinds_or_of_other_meshes_are_refused() {
    let (ball, cube) = (shape(generate::icosphere(1.0, 1).unwrap()), shape(generate::cuboid([1.0; 3]).unwrap()));
    let tree = |of: &MeshShape, degree| {
        AnyTree::new(of.mesh(), &TreeChoice { degree, ..TreeChoice::default() }, false).unwrap()
    };
    let [two, four] = [Degree::Two, Degree::Four].map(|degree| tree(&ball, degree));
    assert!(TreePair::new((&ball, &two), (&ball, &two)).is_ok());
    assert_eq!(TreePair::new((&ball, &two), (&ball, &four)).unwrap_err(), TreePairError::Kinds);
    let error = TreePair::new((&ball, &two), (&cube, &two)).unwrap_err();
    assert_eq!(error, TreePairError::Triangles { side: 'B', primitives: 80, triangles: 12 });
}
