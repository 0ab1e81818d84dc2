//! Shapes that follow their vertices: the same as a shape made anew, and unchanged by bad input.

use heurt_bvh::{Leaf, VolumeKind};
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{Surgery, cuboid, gear, octasphere};
use heurt_shape::{
    AnyTree, AnyVolumeTree, DeformingShape, Degree, MeshShape, PairVolume, ShapeError, SweptTriangles, TreeChoice,
    TriBlock, Upkeep, UpkeepPolicy,
};

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
    let blocks = shape.blocks();
    shape.tree().for_each_leaf(|leaf| {
        assert_eq!(format!("{:?}", blocks[leaf.ordinal as usize]), format!("{:?}", shape.block_of(leaf)));
        assert_block_holds(shape, leaf, &blocks[leaf.ordinal as usize]);
    });
}

/// Every corner of a leaf, and its box.
fn assert_block_holds(shape: &MeshShape, leaf: Leaf, block: &TriBlock) {
    let triangles = shape.tree().primitives(leaf);
    for lane in 0..TriBlock::LANES {
        let triangle = triangles[lane.min(triangles.len() - 1)];
        for (corner, point) in shape.mesh().corners(triangle).into_iter().enumerate() {
            let local = shape.tree().frame().to_local(point).to_array();
            for (axis, coordinate) in local.into_iter().enumerate() {
                let kept = block.corners[corner][axis][lane];
                let there = f64::from(block.centre[axis]) + f64::from(kept);
                assert!((there - coordinate).abs() < 1e-7, "triangle {triangle}");
                assert!(kept.abs() <= block.half[axis], "triangle {triangle}");
            }
        }
    }
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
            assert_blocks_hold_the_mesh(&deformed);
            assert!(deformed.blocks_at_hand().is_some(), "they have been asked for, and follow");
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
fn blocks_of_single_leaves_follow_however_the_mesh_moves() {
    let mesh = octasphere(1.0, 12).unwrap();
    let mut shape = MeshShape::new(mesh.clone()).unwrap();
    let count = mesh.triangles().len() / 8;
    // All is forgotten now and then, and leaves are asked for after some moves and not after others.
    for step in 0..70usize {
        let by = 0.02 * step as f64;
        match step % 9 {
            5 => {
                let some: Vec<u32> = (0..20).map(|k| (k * 7 + step as u32) % mesh.vertices().len() as u32).collect();
                let places: Vec<Vec3> = some.iter().map(|&v| 1.03 * shape.mesh().vertices()[v as usize]).collect();
                shape.deform_moved(&some, &places).unwrap();
            }
            7 => {
                shape.refit(TriMesh::new(bent(mesh.vertices(), by), mesh.triangles().to_vec()).unwrap()).unwrap();
            }
            8 => {
                shape.rotate();
            }
            _ => shape.deform(&bent(mesh.vertices(), by)).unwrap(),
        }
        let copy = shape.clone();
        shape.tree().for_each_leaf(|leaf| {
            if (leaf.ordinal as usize * 5 + step / 4) % 11 < 3 || step % 10 == 9 {
                assert_block_holds(&shape, leaf, shape.block_of(leaf));
                assert_eq!(format!("{:?}", shape.block_of(leaf)), format!("{:?}", copy.block_of(leaf)));
            }
        });
        assert!(shape.blocks_at_hand().is_none() && count > 64);
    }
    let (_, bytes) = shape.memory();
    assert!(bytes > 3 * count * size_of::<TriBlock>() / 11, "those asked for are counted: {bytes}");
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

#[test]
fn a_collapsed_mesh_is_refused_and_nothing_changes() {
    // Of more triangles than are always fitted whole.
    let mesh = octasphere(1.0, 24).unwrap();
    let count = mesh.vertices().len() as u32;
    let choice = TreeChoice { degree: Degree::Four, ..Default::default() };
    let plain = MeshShape::new(mesh.clone()).unwrap();
    for mut shape in [plain.clone(), plain.with_tree(&choice).unwrap()] {
        shape.deform(mesh.vertices()).unwrap();
        let before = shape.tree().to_bytes();
        for line in [Vec3::ZERO, Vec3::X, Vec3::Z * 1e9] {
            let flat: Vec<Vec3> = mesh.vertices().iter().map(|&v| v * line).collect();
            let all: Vec<u32> = (0..count).collect();
            let collapsed = TriMesh::new(flat.clone(), mesh.triangles().to_vec()).unwrap();
            assert_eq!(shape.deform(&flat), Err(ShapeError::Collapsed));
            assert_eq!(shape.deform_near(&flat, &[]), Err(ShapeError::Collapsed));
            assert_eq!(shape.deform_moved(&all, &flat), Err(ShapeError::Collapsed));
            assert_eq!(shape.refit(collapsed), Err(ShapeError::Collapsed));
            assert_eq!((shape.mesh(), shape.tree().to_bytes()), (&mesh, before.clone()));
            assert_blocks_hold_the_mesh(&shape);
        }
    }
    // One triangle with an area is a surface, whatever the others are.
    let mut shape = MeshShape::new(mesh.clone()).unwrap();
    let kept = mesh.triangles()[mesh.triangles().len() - 1];
    let nearly: Vec<Vec3> =
        (0..count).map(|v| if kept.contains(&v) { mesh.vertices()[v as usize] } else { Vec3::ZERO }).collect();
    shape.deform(&nearly).unwrap();
    // The few that are left come together, too.
    let error = shape.deform_moved(&kept, &[Vec3::ONE; 3]);
    assert_eq!((error, shape.mesh().vertices()), (Err(ShapeError::Collapsed), &nearly[..]));
}

#[test]
fn moving_many_vertices_gives_what_moving_all_gives() {
    let mesh = octasphere(1.0, 12).unwrap();
    let choice = TreeChoice { degree: Degree::Four, ..Default::default() };
    let make = || MeshShape::new(mesh.clone()).unwrap().with_tree(&choice).unwrap();
    let (mut some, mut all) = (make(), make());
    let mut vertices = mesh.vertices().to_vec();
    for (round, every) in [2, 1, 11, 13, 3].into_iter().enumerate() {
        let moved: Vec<u32> = (0..vertices.len() as u32).step_by(every).chain([0]).collect();
        let places: Vec<Vec3> = moved.iter().map(|&v| bent(&vertices[v as usize..], 0.1 * round as f64)[0]).collect();
        moved.iter().zip(&places).for_each(|(&vertex, &place)| vertices[vertex as usize] = place);
        some.deform_moved(&moved, &places).unwrap();
        all.deform(&vertices).unwrap();
        assert_eq!((some.mesh(), some.bounds()), (all.mesh(), all.bounds()));
        assert_eq!(some.tree().to_bytes(), all.tree().to_bytes(), "one in {every}");
        assert_blocks_hold_the_mesh(&some);
        let before = some.tree().to_bytes();
        let far = vec![Vec3::new(1e308, 0.0, 0.0); moved.len()];
        assert!(matches!(some.deform_moved(&moved, &far), Err(ShapeError::Tree(_))));
        assert_eq!((some.mesh(), some.tree().to_bytes()), (all.mesh(), before));
    }
}

#[test]
fn moving_a_few_vertices_gives_what_moving_all_gives() {
    let two = [octasphere(1.0, 8).unwrap(), cuboid([0.5; 3]).unwrap()];
    let both = TriMesh::merged(&[two[0].clone(), bent_mesh(&two[1])]).unwrap();
    let choice = TreeChoice { degree: Degree::Four, ..Default::default() };
    for mesh in [two[0].clone(), both] {
        let make = || MeshShape::new(mesh.clone()).unwrap().with_tree(&choice).unwrap();
        let (mut few, mut all) = (make(), make());
        let mut vertices = mesh.vertices().to_vec();
        let count = vertices.len() as u32;
        for round in 0..30u32 {
            // Some vertices, one of them twice; among them those on the box.
            let moved: Vec<u32> = (0..3).map(|k| (round * 17 + k * 5) % count).chain([round * 17 % count]).collect();
            let by = if round == 20 { 30.0 } else { 0.05 };
            let places: Vec<Vec3> =
                moved.iter().enumerate().map(|(k, &v)| vertices[v as usize] * (1.0 - by * k as f64)).collect();
            moved.iter().zip(&places).for_each(|(&vertex, &place)| vertices[vertex as usize] = place);
            few.deform_moved(&moved, &places).unwrap();
            all.deform(&vertices).unwrap();
            assert_eq!(few.mesh(), all.mesh());
            assert_eq!(few.bounds(), all.bounds(), "round {round}");
            assert_eq!(few.components(), all.components());
            assert_eq!(few.tree().to_bytes(), all.tree().to_bytes(), "round {round}");
            assert_blocks_hold_the_mesh(&few);
        }
        let before = few.tree().to_bytes();
        let place = [Vec3::ZERO];
        assert_eq!(few.deform_moved(&[0, 1], &place), Err(ShapeError::VertexCount { count: 2, given: 1 }));
        let absent = ShapeError::NoVertex { vertex: count, count: count as usize };
        assert_eq!(few.deform_moved(&[count], &place), Err(absent));
        for bad in [f64::NAN, f64::NEG_INFINITY, 1e308] {
            let places = [Vec3::ONE, Vec3::new(0.0, bad, 0.0)];
            assert!(matches!(few.deform_moved(&[3, 3], &places), Err(ShapeError::Tree(_))), "{bad}");
        }
        assert_eq!(few.mesh(), all.mesh());
        assert_eq!(few.tree().to_bytes(), before);
    }
}

/// Balls that drift apart and mix, `by` metres on their way.
fn mixing_balls(by: f64) -> TriMesh {
    let ball = octasphere(0.1, 3).unwrap();
    let count = 60;
    let place = |k: usize| {
        let angle = k as f64 * 2.4;
        Vec3::new(angle.cos(), angle.sin(), 0.3 * angle.sin()) * (0.2 * (k as f64).sqrt())
            + Vec3::new((angle * 5.0).sin(), (angle * 7.0).cos(), (angle * 3.0).sin()) * by
    };
    let vertices = (0..count).flat_map(|k| ball.vertices().iter().map(move |&v| v + place(k))).collect();
    let all = TriMesh::merged(&vec![ball.clone(); count]).unwrap();
    TriMesh::new(vertices, all.triangles().to_vec()).unwrap()
}

#[test]
fn upkeep_rotates_then_rebuilds_and_is_the_same_every_time() {
    let mesh = mixing_balls(0.0);
    let at = |by: f64| mixing_balls(by).vertices().to_vec();
    let policy = UpkeepPolicy { rotate_at: 1.05, rebuild_at: 1.6, rebuild_steps: 3 };
    let run = || {
        let mut shape = DeformingShape::new(MeshShape::new(mesh.clone()).unwrap(), policy);
        let (mut story, mut worst) = (Vec::new(), 1.0f64);
        for step in 0..=40 {
            let vertices = at(f64::from(step) / 40.0);
            story.push(shape.step(&vertices).unwrap());
            worst = worst.max(shape.degradation());
            assert_eq!(shape.shape().mesh().vertices(), vertices);
            let moved = SweptTriangles::new(&vertices, &vertices, mesh.triangles()).unwrap();
            shape.shape().tree().validate(&moved).unwrap();
        }
        (story, worst, shape.into_shape().tree().to_bytes())
    };
    let (story, worst, bytes) = run();
    let begun = story.iter().position(|what| *what == Upkeep::Begun).unwrap();
    assert_eq!(story[begun + 3], Upkeep::Rebuilt, "{story:?}");
    assert!(story[..begun].iter().any(|what| matches!(what, Upkeep::Rotated { moved } if *moved > 0)), "{story:?}");
    let mut left = MeshShape::new(mesh.clone()).unwrap();
    let fresh = left.looseness();
    left.deform(&at(1.0)).unwrap();
    let left = left.looseness() / fresh;
    assert!(worst < left / 2.0, "with upkeep {worst}, without {left}");
    assert_eq!((story, worst, bytes), run());
}

#[test]
fn a_chosen_tree_is_built_anew_with_the_other() {
    let choice = TreeChoice { volume: VolumeKind::Aabb, degree: Degree::Four, leaf_size: 2, ..Default::default() };
    let policy = UpkeepPolicy { rotate_at: 1.25, rebuild_at: 1.6, rebuild_steps: 2 };
    let shape = MeshShape::new(mixing_balls(0.0)).unwrap().with_tree(&choice).unwrap();
    let mut shape = DeformingShape::new(shape, policy);
    let bytes = |tree: &AnyTree| match tree {
        AnyTree::Four(AnyVolumeTree::Aabb(tree)) => tree.bvh().to_bytes(),
        _ => panic!("another kind of tree than was chosen"),
    };
    let (mut begun, mut rebuilt) = (None, 0);
    for step in 0..=40 {
        let now = mixing_balls(f64::from(step) / 40.0);
        match shape.step(now.vertices()).unwrap() {
            Upkeep::Begun => begun = Some(now),
            Upkeep::Rebuilt => {
                let mut anew = AnyTree::new(&begun.take().unwrap(), &choice, false).unwrap();
                anew.refit(&now).unwrap();
                assert_eq!(bytes(shape.shape().chosen_tree().unwrap()), bytes(&anew));
                rebuilt += 1;
            }
            _ => {}
        }
    }
    assert!(rebuilt > 0);
}

#[test]
fn by_default_trees_are_built_anew_and_not_rotated() {
    let mut shape = DeformingShape::new(MeshShape::new(mixing_balls(0.0)).unwrap(), UpkeepPolicy::default());
    let mut step = |step: i32| shape.step(mixing_balls(f64::from(step) / 40.0).vertices()).unwrap();
    let story: Vec<Upkeep> = (0..=40).map(&mut step).collect();
    let begun = story.iter().position(|what| *what == Upkeep::Begun).unwrap();
    assert_eq!(story[begun + 4], Upkeep::Rebuilt, "{story:?}");
    assert!(!story.iter().any(|what| matches!(what, Upkeep::Rotated { .. })), "{story:?}");
}

#[test]
fn looseness_minds_neither_place_nor_size() {
    let mesh = octasphere(1.0, 8).unwrap();
    let mut shape = MeshShape::new(mesh.clone()).unwrap();
    let built = shape.looseness();
    for (size, shift) in [(1e-6, 0.0), (1e9, 1e10), (1.0, 1e3)] {
        let moved: Vec<Vec3> = mesh.vertices().iter().map(|&v| v * size + Vec3::splat(shift)).collect();
        shape.deform(&moved).unwrap();
        assert!((shape.looseness() / built - 1.0).abs() < 1e-3, "{size} {shift}");
    }
    // A tree over a turned mesh fits the worse, but not by much; over a sheared one, by more.
    shape.deform(&bent(mesh.vertices(), 0.5)).unwrap();
    assert!((0.8..1.5).contains(&(shape.looseness() / built)));
    let sheared: Vec<Vec3> = mesh.vertices().iter().map(|&v| v + Vec3::X * (4.0 * v.y)).collect();
    shape.deform(&sheared).unwrap();
    assert!(shape.looseness() / built > 1.3, "{}", shape.looseness() / built);
}

#[test]
fn upkeep_survives_bad_steps_and_collapse() {
    let mesh = octasphere(1.0, 4).unwrap();
    let policy = UpkeepPolicy { rotate_at: 1.02, rebuild_at: 1.05, rebuild_steps: 0 };
    let mut shape = DeformingShape::new(MeshShape::new(mesh.clone()).unwrap(), policy);
    let mut bad = mesh.vertices().to_vec();
    bad[3].x = f64::NAN;
    assert!(shape.step(&bad).is_err());
    assert!(shape.step(&bad[1..]).is_err());
    for collapse in [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::splat(1e-300), Vec3::ONE] {
        let flat: Vec<Vec3> = mesh.vertices().iter().map(|&v| v * collapse).collect();
        if collapse.z == 0.0 && collapse.y == 0.0 {
            assert_eq!(shape.step(&flat), Err(ShapeError::Collapsed));
            continue;
        }
        for _ in 0..4 {
            shape.step(&flat).unwrap();
        }
        assert_eq!(shape.shape().mesh().vertices(), flat);
    }
    assert_eq!(shape.shape().mesh(), &mesh);
    // A tree that was taken in while there was nothing to judge it by does not end the upkeep.
    let sheared = |by: f64| -> Vec<Vec3> { mesh.vertices().iter().map(|&v| v + Vec3::X * (by * v.y)).collect() };
    let later: Vec<Upkeep> = (0..40).map(|step| shape.step(&sheared(0.1 * f64::from(step))).unwrap()).collect();
    assert!(later.contains(&Upkeep::Rebuilt), "{later:?}");
}

#[test]
fn parts_that_touch_and_part_stay_two() {
    let two = [cuboid([1.0; 3]).unwrap(), bent_mesh(&cuboid([0.5; 3]).unwrap())];
    let mesh = TriMesh::merged(&two).unwrap();
    let mut shape = MeshShape::new(mesh.clone()).unwrap();
    let per = two[0].vertices().len();
    let at = |shift: Vec3| -> Vec<Vec3> {
        mesh.vertices().iter().enumerate().map(|(k, &v)| if k < per { v } else { v + shift }).collect()
    };
    // A corner on a corner, then far away.
    shape.deform(&at(Vec3::new(-3.5, 1.5, 1.5))).unwrap();
    assert!((0..per).any(|k| shape.mesh().vertices()[per..].contains(&shape.mesh().vertices()[k])));
    assert_eq!(shape.components().len(), 2);
    shape.deform(&at(Vec3::X * 100.0)).unwrap();
    assert_eq!(shape.components().len(), 2);
    assert!(shape.components().iter().any(|part| part.bounds.min.x > 100.0));
}

#[test]
fn a_bad_vertex_that_no_triangle_has_is_refused_too() {
    let (mut vertices, triangles) = octasphere(1.0, 6).unwrap().into_parts();
    let spike = vertices.len() as u32 - 1;
    vertices[spike as usize] = Vec3::Z * 100.0;
    vertices.push(Vec3::ZERO);
    let unused = vertices.len() as u32 - 1;
    let mut shape = MeshShape::new(TriMesh::new(vertices.clone(), triangles.clone()).unwrap()).unwrap();
    for bad in [1e308, f64::NAN] {
        assert!(matches!(shape.deform_moved(&[unused], &[Vec3::X * bad]), Err(ShapeError::Tree(_))));
    }
    // So small in its frame now that the whole tree is fitted anew.
    shape.deform_moved(&[spike], &[Vec3::Z]).unwrap();
    vertices[spike as usize] = Vec3::Z;
    let anew = MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
    assert_eq!(shape.mesh(), anew.mesh());
    assert_eq!(shape.bounds(), anew.bounds());
    assert_blocks_hold_the_mesh(&shape);
    shape.oriented_tree();
    shape.deform_moved(&[], &[]).unwrap();
}

#[test]
fn the_last_place_of_a_vertex_counts() {
    let mesh = octasphere(1.0, 8).unwrap();
    let mut shape = MeshShape::new(mesh.clone()).unwrap();
    let vertex = mesh.vertices().iter().position(|v| v.abs().max_element() < 0.9).unwrap();
    let here = mesh.vertices()[vertex];
    shape.deform_moved(&[vertex as u32, vertex as u32], &[Vec3::X * 1000.0, here]).unwrap();
    assert_eq!(shape.bounds(), &mesh.bounds());
    assert_eq!(shape.mesh(), &mesh);
}

#[test]
fn volumes_over_a_rotated_tree_hold_the_mesh() {
    let mesh = octasphere(1.0, 12).unwrap();
    let mut shape = MeshShape::new(mesh.clone()).unwrap();
    let torn: Vec<Vec3> = mesh.vertices().iter().enumerate().map(|(k, &v)| v + Vec3::X * (k % 4) as f64).collect();
    shape.deform(&torn).unwrap();
    assert!((0..4).map(|_| shape.rotate()).sum::<usize>() > 0);
    let source = SweptTriangles::new(&torn, &torn, mesh.triangles()).unwrap();
    shape.oriented_tree().validate(&source).unwrap();
    shape.polytope_tree().validate(&source).unwrap();
}

#[test]
fn long_triangles_ask_for_oriented_boxes() {
    let volume = |mesh: TriMesh| MeshShape::new(mesh).unwrap().pair_volume();
    assert_eq!(volume(octasphere(1.0, 16).unwrap()), PairVolume::Polytope);
    assert_eq!(volume(cuboid([1.0; 3]).unwrap()), PairVolume::Oriented);
    assert_eq!(volume(gear(24, 0.002, 0.349, 0.0, 0.01, 0.006, 8).unwrap()), PairVolume::Oriented);
    let mut moved = MeshShape::new(octasphere(1.0, 4).unwrap()).unwrap();
    let vertices = moved.mesh().vertices().to_vec();
    moved.deform(&vertices).unwrap();
    assert_eq!(moved.pair_volume(), PairVolume::Aligned);
}

/// Whatever number is asked for, every triangle lies in one of the boxes, wherever the shape stands.
#[test]
fn a_cover_holds_the_shape() {
    let shape = MeshShape::new(octasphere(1.0, 20).unwrap()).unwrap();
    let turned = Pose::from_quaternion([0.5, 0.5, 0.5, 0.5], Vec3::new(1e3, -2.0, 0.5)).unwrap();
    for pose in [Pose::IDENTITY, turned] {
        for most in [0, 1, 8, 9, 50, usize::MAX] {
            let cover = shape.cover(&pose, most);
            assert!(!cover.is_empty() && cover.len() <= most.max(8), "{most}: {}", cover.len());
            for triangle in 0..shape.mesh().triangles().len() as u32 {
                let corners = shape.mesh().corners(triangle).map(|corner| pose.place(corner));
                let is_in = |bounds: &Aabb| corners.iter().all(|&corner| bounds.contains(corner));
                assert!(cover.iter().any(is_in), "{most}: {triangle}");
            }
        }
        assert!(shape.cover(&pose, 50).len() > 25);
    }
}

#[test]
fn many_refits_leave_no_trace() {
    let mut shape = MeshShape::new(octasphere(1.0, 24).unwrap()).unwrap();
    let still = shape.mesh().vertices().to_vec();
    let swung = |phase: f64| -> Vec<Vec3> {
        let lifted = |point: &Vec3| *point + Vec3::Z * (0.7 * phase.sin() * (3.0 * point.x).sin());
        still.iter().map(lifted).collect()
    };
    let mut round = || -> Vec<f64> {
        let step = |step: u32| {
            shape.deform(&swung(f64::from(step) * std::f64::consts::TAU / 16.0)).unwrap();
            shape.looseness()
        };
        (0..16).map(step).collect()
    };
    let first = round();
    let last = (0..100).map(|_| round()).last().unwrap();
    for (first, last) in first.iter().zip(&last) {
        assert!((last / first - 1.0).abs() < 1e-3, "{first} became {last}");
    }
    let worst = first.iter().fold(0.0, |most: f64, now| most.max(now / first[0]));
    assert!((1.05..1.5).contains(&worst), "a swing of seven tenths of the radius is within what refits bear: {worst}");
}
