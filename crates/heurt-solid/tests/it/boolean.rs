//! Set operations of meshes against cells, against laws of sets, and against sampled points.

use heurt_geometry::{Pose, Quat, SplitMix64, Vec3};
use heurt_mesh::{Topology, TriMesh, check, generate, measures};
use heurt_query::{Location, winding_number};
use heurt_shape::MeshShape;
use heurt_solid::{SetOperation, SetOperationError, SolidMesh, SolidMeshError, combine};
use std::collections::BTreeSet;

type Cell = [i64; 3];

fn cuboid(min: Cell, max: Cell) -> TriMesh {
    let [min, max] = [min, max].map(|place| Vec3::from_array(place.map(|x| x as f64)));
    let cube = generate::cuboid([0.5, 0.5, 0.5]).unwrap();
    let vertices = cube.vertices().iter().map(|v| min + (*v + 0.5) * (max - min)).collect();
    TriMesh::new(vertices, cube.triangles().to_vec()).unwrap()
}

fn solid(mesh: &TriMesh) -> SolidMesh {
    SolidMesh::new(mesh).unwrap_or_else(|error| panic!("{error}: {:?}", check(mesh).counts))
}

fn volume(mesh: &Option<TriMesh>) -> f64 {
    mesh.as_ref().map_or(0.0, |mesh| measures(mesh).volume.unwrap())
}

/// Combines two solids and checks that the result is closed, manifold by the numbers of its vertices, and free of
/// self-intersections.
fn combined(a: &SolidMesh, b: &SolidMesh, operation: SetOperation) -> Option<TriMesh> {
    let result = combine(a, b, operation).unwrap().mesh?;
    let numbers: Vec<Vec3> = (0..result.vertices().len()).map(|k| Vec3::splat(k as f64)).collect();
    let by_number = TriMesh::new(numbers, result.triangles().to_vec()).unwrap();
    let topology = Topology::new(&by_number);
    let facts = [topology.is_closed(), topology.is_oriented(), topology.is_manifold()];
    assert_eq!(facts, [true; 3], "{operation:?}: closed, oriented, manifold");
    let report = check(&result);
    assert_eq!(report.count("self-intersection"), 0, "{operation:?}");
    assert_eq!(report.count("degenerate-face"), 0, "{operation:?}");
    assert_eq!(report.count("inward-shell"), 0, "{operation:?}");
    Some(result)
}

/// Tests whether two solids are the same set.
fn are_equal(a: &Option<TriMesh>, b: &Option<TriMesh>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => combined(&solid(a), &solid(b), SetOperation::SymmetricDifference).is_none(),
        _ => false,
    }
}

/// A random union of boxes with integer corners, as a mesh and as its cells.
fn boxes(random: &mut SplitMix64, count: usize) -> (TriMesh, BTreeSet<Cell>) {
    let mut all: Option<TriMesh> = None;
    let mut cells = BTreeSet::new();
    for _ in 0..count {
        let min = [0, 1, 2].map(|_| random.below(5) as i64);
        let max = min.map(|x| x + 1 + random.below(3) as i64);
        for x in min[0]..max[0] {
            for y in min[1]..max[1] {
                cells.extend((min[2]..max[2]).map(|z| [x, y, z]));
            }
        }
        let next = cuboid(min, max);
        all = match all {
            None => Some(next),
            Some(all) => combined(&solid(&all), &solid(&next), SetOperation::Union),
        };
    }
    (all.unwrap(), cells)
}

#[test]
fn boxes_with_integer_corners_are_their_cells() {
    let mut random = SplitMix64::new(38);
    for round in 0..60 {
        let (a, cells_a) = boxes(&mut random, 1 + round % 4);
        let (b, cells_b) = boxes(&mut random, 1 + round % 3);
        let (a, b) = (solid(&a), solid(&b));
        for operation in SetOperation::ALL {
            let result = combined(&a, &b, operation);
            let due: BTreeSet<Cell> = cells_a
                .union(&cells_b)
                .filter(|cell| operation.contains(cells_a.contains(*cell), cells_b.contains(*cell)))
                .copied()
                .collect();
            let error = volume(&result) - due.len() as f64;
            assert!(error.abs() < 1e-9, "round {round}, {operation:?}: {error}");
            let Some(result) = result else { continue };
            let shape = MeshShape::new(result).unwrap();
            for cell in cells_a.union(&cells_b) {
                let centre = Vec3::from_array(cell.map(|x| x as f64 + 0.5));
                let inside = winding_number(&shape, &Pose::IDENTITY, centre) != Location::Winding(0);
                assert_eq!(inside, due.contains(cell), "round {round}, {operation:?}, {cell:?}");
            }
        }
    }
}

#[test]
fn laws_of_sets_hold_exactly_for_integer_corners() {
    let mut random = SplitMix64::new(3);
    let whole = solid(&cuboid([-1; 3], [9; 3]));
    let outside = |set: &SolidMesh| solid(&combined(&whole, set, SetOperation::Difference).unwrap());
    for _ in 0..12 {
        let [a, b] = [0, 1].map(|_| solid(&boxes(&mut random, 2).0));
        // De Morgan.
        let of_union = combined(&a, &b, SetOperation::Union)
            .and_then(|both| combined(&whole, &solid(&both), SetOperation::Difference));
        assert!(are_equal(&of_union, &combined(&outside(&a), &outside(&b), SetOperation::Intersection)));
        // A and A.
        let again = Some(a.mesh().clone());
        for (operation, due) in [
            (SetOperation::Union, &again),
            (SetOperation::Intersection, &again),
            (SetOperation::Difference, &None),
            (SetOperation::SymmetricDifference, &None),
        ] {
            assert!(are_equal(&combined(&a, &a, operation), due), "{operation:?}");
        }
        // A − B and A ∩ B are A.
        let parts = [SetOperation::Difference, SetOperation::Intersection].map(|with| combined(&a, &b, with));
        let joined = match &parts {
            [Some(first), Some(second)] => combined(&solid(first), &solid(second), SetOperation::Union),
            [first, second] => first.clone().or(second.clone()),
        };
        assert!(are_equal(&joined, &again));
    }
}

fn moved(mesh: &TriMesh, random: &mut SplitMix64, reach: f64) -> TriMesh {
    let axis = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(0.1, 1.0)).normalize();
    let turn = Quat::from_axis_angle(axis, random.between(0.0, 6.0));
    let place = Vec3::new(random.between(-reach, reach), random.between(-reach, reach), random.between(-reach, reach));
    mesh.transformed(&Pose::from_quaternion(turn.to_array(), place).unwrap()).unwrap()
}

#[test]
fn curved_solids_agree_with_points_and_volumes() {
    let mut random = SplitMix64::new(8);
    let shapes = [
        generate::icosphere(1.0, 3).unwrap(),
        generate::torus(1.0, 0.4, 24, 12).unwrap(),
        generate::cuboid([0.8, 0.7, 0.9]).unwrap(),
        generate::icosphere(0.3, 2).unwrap(),
    ];
    for round in 0..40 {
        let [a, b] = [0, 1].map(|k| moved(&shapes[(round + k * (1 + round / 4)) % 4], &mut random, 0.6));
        let (a, b) = (solid(&a), solid(&b));
        let volumes: Vec<f64> = SetOperation::ALL.map(|operation| volume(&combined(&a, &b, operation))).into();
        let [of_a, of_b] = [&a, &b].map(|solid| measures(solid.mesh()).volume.unwrap());
        let close = |x: f64, y: f64| (x - y).abs() < 1e-12 * (of_a + of_b);
        assert!(close(volumes[0] + volumes[1], of_a + of_b), "round {round}: {volumes:?}");
        assert!(close(volumes[2] + volumes[1], of_a), "round {round}: {volumes:?}");
        assert!(close(volumes[3], volumes[0] - volumes[1]), "round {round}: {volumes:?}");
        let shapes = [&a, &b].map(|solid| MeshShape::new(solid.mesh().clone()).unwrap());
        for operation in SetOperation::ALL {
            let Some(result) = combined(&a, &b, operation) else { continue };
            let result = MeshShape::new(result).unwrap();
            for _ in 0..50 {
                let point = Vec3::new(random.between(-1.5, 1.5), random.between(-1.5, 1.5), random.between(-1.5, 1.5));
                let inside = |shape: &MeshShape| winding_number(shape, &Pose::IDENTITY, point) != Location::Winding(0);
                let due = operation.contains(inside(&shapes[0]), inside(&shapes[1]));
                assert_eq!(inside(&result), due, "round {round}, {operation:?}, {point}");
            }
        }
    }
}

#[test]
fn solids_that_touch_share_nothing_and_stay_apart() {
    let cube = solid(&cuboid([0; 3], [2; 3]));
    let places = [([2, 0, 0], "face"), ([2, 1, 1], "part of a face"), ([2, 2, 0], "edge"), ([2, 2, 2], "corner")];
    for (min, name) in places {
        let other = solid(&cuboid(min, min.map(|x| x + 2)));
        assert_eq!(combined(&cube, &other, SetOperation::Intersection), None, "{name}");
        let left = combined(&cube, &other, SetOperation::Difference);
        assert!(are_equal(&left, &Some(cube.mesh().clone())), "{name}");
        let both = combined(&cube, &other, SetOperation::Union).unwrap();
        assert_eq!(volume(&Some(both.clone())), 16.0, "{name}");
        let shells = Topology::new(&both).shells().into_iter().collect::<BTreeSet<_>>().len();
        let genus = check(&both).count("non-manifold-edge");
        match name {
            "edge" => assert_eq!((both.vertices().len(), genus), (16, 1), "two vertices are doubled"),
            "corner" => assert_eq!((both.vertices().len(), shells), (16, 2), "one vertex is doubled"),
            _ => assert_eq!((shells, genus), (1, 0), "{name}"),
        }
    }
}

#[test]
fn a_ball_inside_a_cube_leaves_a_cavity_and_one_through_a_face_a_hole() {
    let cube = solid(&cuboid([0; 3], [4; 3]));
    let ball = |place: Vec3, radius: f64| {
        let ball = generate::icosphere(radius, 2).unwrap();
        solid(&ball.transformed(&Pose::from_translation(place).unwrap()).unwrap())
    };
    let cavity = combined(&cube, &ball(Vec3::splat(2.0), 1.0), SetOperation::Difference).unwrap();
    assert_eq!(Topology::new(&cavity).shells().into_iter().collect::<BTreeSet<_>>().len(), 2);
    // Inside one triangle of the face: the hole has no common edge with its border.
    let dent = combined(&cube, &ball(Vec3::new(3.0, 1.2, 4.0), 0.4), SetOperation::Difference).unwrap();
    assert_eq!(Topology::new(&dent).genus(), Some(0));
    let [bar, wide] = [[1, 1, -1], [0, 1, -1]].map(|min| solid(&cuboid(min, [min[0] + 2, 3, 5])));
    let drilled = combined(&cube, &bar, SetOperation::Difference).unwrap();
    assert_eq!((Topology::new(&drilled).genus(), volume(&Some(drilled))), (Some(1), 48.0));
    // The slot opens a side.
    let slotted = combined(&cube, &wide, SetOperation::Difference).unwrap();
    assert_eq!((Topology::new(&slotted).genus(), volume(&Some(slotted))), (Some(0), 48.0));
}

#[test]
fn results_are_the_same_in_every_run_and_at_every_scale() {
    let mut random = SplitMix64::new(77);
    let [a, b] = [generate::icosphere(1.0, 2).unwrap(), generate::torus(0.9, 0.3, 16, 8).unwrap()];
    let b = moved(&b, &mut random, 0.3);
    let first = combined(&solid(&a), &solid(&b), SetOperation::Union).unwrap();
    for power in [0, -900, 300, 990] {
        let scale = 2.0f64.powi(power / 2) * 2.0f64.powi(power - power / 2);
        let [a, b] = [&a, &b].map(|mesh| solid(&mesh.scaled(scale).unwrap()));
        let again = combined(&a, &b, SetOperation::Union).unwrap();
        assert!(again == first.scaled(scale).unwrap(), "2^{power}");
    }
}

#[test]
fn meshes_that_bound_no_solid_are_refused_by_name() {
    let cube = cuboid([0; 3], [2; 3]);
    let open = TriMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
    assert!(matches!(SolidMesh::new(&open), Err(SolidMeshError::Open { holes: 1 })));
    let mut turned = cube.triangles().to_vec();
    turned[0].swap(1, 2);
    let turned = TriMesh::new(cube.vertices().to_vec(), turned).unwrap();
    assert!(matches!(SolidMesh::new(&turned), Err(SolidMeshError::Inconsistent { .. })));
    let crossing = TriMesh::merged([&cube, &cuboid([1; 3], [3; 3])]).unwrap();
    assert!(matches!(SolidMesh::new(&crossing), Err(SolidMeshError::SelfIntersecting { .. })));
    let flat = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2], [0, 2, 1]]).unwrap();
    assert!(SolidMesh::new(&flat).is_err());
    // Inside out, and with an inner shell that bounds nothing: both are mended.
    let inside_out = solid(&cube.clone().reversed());
    assert_eq!(measures(inside_out.mesh()).volume, Some(8.0));
    let nested = solid(&TriMesh::merged([&cuboid([-5; 3], [5; 3]), &cube]).unwrap());
    assert_eq!(measures(nested.mesh()).volume, Some(1000.0));
    let hollow = solid(&TriMesh::merged([&cuboid([-5; 3], [5; 3]), &cube.reversed()]).unwrap());
    assert_eq!(measures(hollow.mesh()).volume, Some(992.0));
}

/// Operands that differ by rounding: the result is a valid mesh, or refused by name.
#[test]
fn surfaces_nearer_than_their_rounding_never_give_a_bad_mesh() {
    let mut random = SplitMix64::new(16);
    let shapes = [
        generate::cuboid([1.0, 0.7, 0.9]).unwrap(),
        generate::icosphere(1.0, 2).unwrap(),
        generate::torus(1.0, 0.4, 12, 8).unwrap(),
        generate::cylinder(0.7, 0.9, 17).unwrap(),
    ];
    let mut refused = 0;
    for round in 0..40 {
        let place = moved(&shapes[round % 4], &mut random, 3.0);
        let small = 10f64.powi(-(8 + (round / 4) as i32 % 10));
        let turn = Quat::from_axis_angle(random.vector(-1.0, 1.0).normalize(), random.between(-small, small));
        let pose = Pose::from_quaternion(turn.to_array(), random.vector(-small, small)).unwrap();
        let near = place.transformed(&pose).unwrap();
        let (Ok(a), Ok(b)) = (SolidMesh::new(&place), SolidMesh::new(&near)) else { continue };
        for operation in SetOperation::ALL {
            match combine(&a, &b, operation) {
                Err(SetOperationError::Rounded { .. }) => refused += 1,
                Err(error) => panic!("round {round}, {operation:?}: {error}"),
                Ok(_) => drop(combined(&a, &b, operation)),
            }
        }
    }
    assert!(refused < 80, "{refused} of 160 are refused");
}

/// Chains of operations on curved and flat solids, each on the result of the last one.
#[test]
fn chains_of_operations_stay_valid() {
    let tools = [
        generate::cuboid([0.4, 0.3, 0.5]).unwrap(),
        generate::icosphere(0.5, 2).unwrap(),
        generate::torus(0.6, 0.2, 16, 8).unwrap(),
    ];
    let operations = [SetOperation::Union, SetOperation::Difference, SetOperation::SymmetricDifference];
    for seed in 0..4 {
        let mut random = SplitMix64::new(seed);
        let mut all = solid(&generate::cuboid([1.0, 1.0, 1.0]).unwrap());
        for _ in 0..20 {
            let tool = solid(&moved(&tools[random.below(3)], &mut random, 1.2));
            let operation = operations[random.below(3)];
            let Some(result) = combined(&all, &tool, operation) else { break };
            all = solid(&result);
        }
    }
}

/// Two unit cubes that touch in an edge or a vertex, with their vertices shared or doubled there.
fn touching(second: Cell, are_shared: bool) -> TriMesh {
    let end = second.map(|x| x + 1);
    let both = TriMesh::merged([&cuboid([0; 3], [1; 3]), &cuboid(second, end)]).unwrap();
    if !are_shared {
        return both;
    }
    let (vertices, triangles) = both.into_parts();
    let first = |vertex: u32| vertices.iter().position(|other| *other == vertices[vertex as usize]).unwrap() as u32;
    let triangles = triangles.into_iter().map(|corners| corners.map(first)).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn operands_that_touch_themselves_are_combined() {
    let operations = [
        (SetOperation::Union, [true, true, true]),
        (SetOperation::Intersection, [false, true, false]),
        (SetOperation::Difference, [true, false, false]),
        (SetOperation::SymmetricDifference, [true, false, true]),
    ];
    // In an edge, in a vertex.
    for second in [[1, 1, 0], [1, 1, 1]] {
        for are_shared in [true, false] {
            let pair = solid(&touching(second, are_shared));
            // Apart, over the place where the cubes touch, over one of them, flush with both, the pair itself.
            let others = [
                cuboid([5, 5, 5], [6, 6, 6]),
                cuboid([0, 0, 0], [2, 2, 2]),
                cuboid([0, 0, 0], [1, 1, 1]),
                cuboid([1, 0, 0], [2, 1, 1]),
                touching(second, !are_shared),
            ];
            for (number, other) in others.iter().enumerate() {
                let other_solid = solid(other);
                let common = volume(&combined(&pair, &other_solid, SetOperation::Intersection));
                let [a, b] = [2.0, measures(other).volume.unwrap()];
                let name = format!("{second:?}, shared: {are_shared}, operand {number}");
                assert_eq!(common, [0.0, 2.0, 1.0, 0.0, 2.0][number], "{name}");
                for (operation, [only_a, both, only_b]) in operations {
                    let counted = |counts: bool, volume: f64| if counts { volume } else { 0.0 };
                    let due = counted(only_a, a - common) + counted(both, common) + counted(only_b, b - common);
                    let result = combined(&pair, &other_solid, operation);
                    assert_eq!(volume(&result), due, "{name}, {operation:?}");
                }
            }
            let united = combined(&pair, &solid(&others[0]), SetOperation::Union).unwrap();
            assert_eq!(united.vertices().len(), 24, "vertices are doubled where the pair touches itself");
        }
    }
}
