//! Broad phases: every kind passes the conformance suite; names; what is particular to a kind.

use heurt_broad::{BroadPhaseError, BroadPhaseKind, Filter, Move, over_partition};
use heurt_geometry::{Aabb, Vec2, Vec3};
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{Environment, Plane, PlaneEnvironment};
use heurt_map::{Map2, Orient};
use heurt_testkit::conformance::broad_phase::conform;

fn conforms(kind: BroadPhaseKind) {
    conform(&|| kind.create());
}

#[test]
fn brute_force_conforms() {
    conforms(BroadPhaseKind::BruteForce);
}

#[test]
fn sweep_and_prune_conforms() {
    conforms(BroadPhaseKind::SweepAndPrune);
}

#[test]
fn sweep_and_prune_with_cubes_conforms() {
    conforms(BroadPhaseKind::SweepAndPruneCubes);
}

#[test]
fn separating_planes_conform() {
    conforms(BroadPhaseKind::SeparatingPlanes);
}

#[test]
fn the_tree_conforms() {
    conforms(BroadPhaseKind::Tree);
}

#[test]
fn the_grid_conforms() {
    conforms(BroadPhaseKind::Grid);
}

#[test]
fn the_hash_conforms() {
    conforms(BroadPhaseKind::Hash);
}

/// Squares of side 2 over a square of side 32 about the origin.
fn squares() -> PlaneEnvironment {
    let corners = (0..17 * 17).map(|k| Vec2::new(f64::from(k % 17), f64::from(k / 17)) * 2.0 - 16.0).collect();
    Environment::new(ImplicitMap::new(Map2::grid(16, 16).unwrap()), Plane::new(corners).unwrap()).unwrap()
}

#[test]
fn a_partition_conforms() {
    conform(&|| over_partition(squares(), 2).unwrap());
}

#[test]
fn a_partition_with_a_hole_or_a_dent_is_refused() {
    let corners: Vec<Vec2> = (0..16).map(|k| Vec2::new(f64::from(k % 4), f64::from(k / 4))).collect();
    let face = |k: u32| vec![k, k + 1, k + 5, k + 4];
    for gone in [5, 0, 10] {
        let faces: Vec<_> = [0, 1, 2, 4, 5, 6, 8, 9, 10].into_iter().filter(|&k| k != gone).map(face).collect();
        let map = Map2::from_polygons(16, faces, Orient::Keep).unwrap().map;
        let environment = Environment::new(ImplicitMap::new(map), Plane::new(corners.clone()).unwrap()).unwrap();
        assert!(matches!(over_partition(environment, 2), Err(BroadPhaseError::NotConvex)));
    }
}

/// A slit between two faces that are not sewn leaves a border that turns back.
#[test]
fn a_partition_with_a_slit_or_with_somebody_in_it_is_refused() {
    // Three by three squares; two corners of the left column are there twice, so that a slit runs in from the left.
    let mut corners: Vec<Vec2> = (0..16).map(|k| Vec2::new(f64::from(k % 4), f64::from(k / 4))).collect();
    corners.push(corners[4]);
    let face = |k: u32| vec![k, k + 1, k + 5, k + 4];
    let mut faces: Vec<_> = [0, 1, 2, 4, 5, 6, 8, 9, 10].into_iter().map(face).collect();
    faces[0] = vec![0, 1, 5, 16];
    let map = Map2::from_polygons(17, faces, Orient::Keep).unwrap().map;
    let environment = Environment::new(ImplicitMap::new(map), Plane::new(corners).unwrap()).unwrap();
    assert!(matches!(over_partition(environment, 2), Err(BroadPhaseError::NotConvex)));

    let corners = (0..9).map(|k| Vec2::new(f64::from(k % 3), f64::from(k / 3))).collect();
    let map = Map2::grid(2, 2).unwrap();
    let mut environment = Environment::new(ImplicitMap::new(map), Plane::new(corners).unwrap()).unwrap();
    environment.add_particle(Vec2::new(0.5, 0.5)).unwrap();
    assert!(matches!(over_partition(environment, 2), Err(BroadPhaseError::NotEmpty { registered: 1 })));
}

#[test]
fn kinds_have_the_names_of_scenes() {
    for kind in BroadPhaseKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
        assert_eq!(kind.create().kind(), Some(kind));
    }
    let unknown = "octopus".parse::<BroadPhaseKind>().unwrap_err();
    assert!(matches!(unknown, BroadPhaseError::UnknownKind { .. }));
    assert!(unknown.to_string().contains("sweep-and-prune-cubes"), "{unknown}");
}

/// Cubes of edge 1, 2 apart, in a row.
fn row(kind: BroadPhaseKind, count: u32) -> Box<dyn heurt_broad::BroadPhase> {
    let mut phase = kind.create();
    for id in 0..count {
        phase.insert(id, &cube(2.0 * f64::from(id)), Filter::MOVING).unwrap();
    }
    phase.step();
    phase
}

fn cube(x: f64) -> Aabb {
    Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) }
}

#[test]
fn sorted_lists_change_by_exchanges_only() {
    let mut phase = BroadPhaseKind::SweepAndPrune.create();
    // Each is a little higher than the one before, so that no two ends are at the same place.
    let at = |id: u32, x: f64| {
        let (cube, up) = (cube(x), Vec3::new(0.0, 1.0, 1.0) * 0.1 * f64::from(id));
        Aabb { min: cube.min + up, max: cube.max + up }
    };
    for id in 0..100 {
        phase.insert(id, &at(id, 1.5 * f64::from(id)), Filter::MOVING).unwrap();
    }
    phase.step();
    // It stays in its fat box.
    phase.update(&[Move { id: 10, bounds: at(10, 15.001) }]).unwrap();
    phase.step();
    assert_eq!((phase.stats().work.reinserted, phase.stats().work.swaps), (0, 0));
    // Its end passes the start of the next: one exchange, on one axis.
    phase.update(&[Move { id: 10, bounds: at(10, 15.75) }]).unwrap();
    assert_eq!(phase.step().begun.len(), 1);
    assert_eq!((phase.stats().work.swaps, phase.stats().work.box_tests), (1, 1));
    phase.update(&[Move { id: 10, bounds: at(10, 15.0) }]).unwrap();
    assert_eq!(phase.step().ended.len(), 1);
    assert_eq!((phase.stats().work.swaps, phase.stats().work.box_tests), (1, 0));
}

#[test]
fn a_cube_holds_the_object_as_it_turns() {
    let mut phase = BroadPhaseKind::SweepAndPruneCubes.create();
    let bar = |half: Vec3| Aabb { min: -half, max: half };
    phase.insert(0, &bar(Vec3::new(3.0, 0.1, 0.1)), Filter::MOVING).unwrap();
    phase.insert(1, &cube(-0.5), Filter::MOVING).unwrap();
    phase.step();
    // Turned about z, then about y: only the box changes, no end of the cube does.
    for half in [Vec3::new(0.1, 3.0, 0.1), Vec3::new(2.1, 2.1, 0.1), Vec3::new(0.1, 0.1, 3.0)] {
        phase.update(&[Move { id: 0, bounds: bar(half) }]).unwrap();
        assert!(phase.step().begun.is_empty());
        assert_eq!(phase.stats().work.swaps, 0);
        assert_eq!(phase.pairs().len(), 1);
    }
}

#[test]
fn a_remembered_plane_answers_for_most_pairs() {
    let mut phase = row(BroadPhaseKind::SeparatingPlanes, 100);
    phase.update(&[Move { id: 10, bounds: cube(20.1) }]).unwrap();
    phase.step();
    assert_eq!(phase.stats().work.box_tests, 0, "every pair is still parted by its plane");
    let too_many = phase.insert(1 << 15, &cube(0.0), Filter::MOVING);
    assert_eq!(too_many, Err(BroadPhaseError::IdTooLarge { id: 1 << 15, end: 1 << 15 }));
}

#[test]
fn who_stays_in_its_fat_box_costs_the_tree_nothing() {
    let mut phase = row(BroadPhaseKind::Tree, 100);
    phase.update(&[Move { id: 10, bounds: cube(20.001) }]).unwrap();
    phase.step();
    let work = phase.stats().work;
    assert_eq!((work.reinserted, work.nodes, work.rebuilds), (0, 0, 0));
}

#[test]
fn a_step_without_changes_does_nothing() {
    for kind in BroadPhaseKind::ALL {
        let mut phase = row(kind, 20);
        assert!(phase.step().begun.is_empty());
        assert_eq!(phase.stats().work, heurt_broad::StepWork::default(), "{kind}");
    }
}
