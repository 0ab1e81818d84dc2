//! Cases by hand.

use super::{plane, space};
use heurt_geometry::{Vec2, Vec3};
use heurt_map::multires::{ImplicitMap, MultiresError, Scheme};
use heurt_map::registration::{
    Convex, Density, Element, EntityId, Environment, Plane, PlaneEnvironment, PointId, RegistrationError,
    RegistrationMode,
};
use heurt_map::track::{MoveEnd, TrackWall};
use heurt_map::{CombinatorialMap, Map2, Orbit};
use heurt_testkit::number::random::Random;

/// Squares of side 1; face `i + n·j`.
fn squares(n: u32) -> PlaneEnvironment {
    let points = (0..(n + 1) * (n + 1)).map(|k| Vec2::new(f64::from(k % (n + 1)), f64::from(k / (n + 1)))).collect();
    Environment::new(ImplicitMap::new(Map2::grid(n, n).unwrap()), Plane::new(points).unwrap()).unwrap()
}

fn sorted(list: &[EntityId]) -> Vec<u32> {
    let mut list: Vec<u32> = list.iter().map(|entity| entity.0).collect();
    list.sort_unstable();
    list
}

fn point(env: &PlaneEnvironment, entity: EntityId) -> PointId {
    env.points(entity).unwrap().next().unwrap()
}

#[test]
fn lists_of_a_grid() {
    let mut env = squares(4);
    let a = env.add_particle(Vec2::new(0.5, 0.5)).unwrap();
    let b = env.add_particle(Vec2::new(1.5, 1.5)).unwrap();
    let edge = env.add_edge([Vec2::new(0.5, 2.25), Vec2::new(2.5, 2.25)]).unwrap();
    assert_eq!(env.cells_of(edge).unwrap(), [8, 9, 10]);
    assert_eq!(sorted(env.neighbours(0).unwrap()), [1]);
    assert_eq!(sorted(env.neighbours(5).unwrap()), [0, 2]);
    assert_eq!(sorted(env.present(9).unwrap()), [2]);
    assert_eq!(sorted(env.neighbours(9).unwrap()), [1]);
    // Within the cell nothing is registered; over the border it is.
    let before = env.counts().registrations;
    assert_eq!(env.move_point(point(&env, a), Vec2::new(0.9, 0.9)).unwrap().registered, 0);
    assert_eq!(env.counts().registrations, before);
    assert_eq!(env.move_point(point(&env, a), Vec2::new(1.1, 0.9)).unwrap().registered, 1);
    assert_eq!(sorted(env.neighbours(4).unwrap()), [0, 1, 2]);
    env.remove(b).unwrap();
    assert_eq!(sorted(env.neighbours(4).unwrap()), [0, 2]);
    assert_eq!(env.validate(), []);
}

#[test]
fn triangles_count_where_only_their_inside_is() {
    let mut env = squares(8);
    let corners = [Vec2::new(0.5, 0.5), Vec2::new(7.5, 0.5), Vec2::new(0.5, 7.5)];
    let whole = env.add(&corners, &[Element::Triangle([0, 1, 2])], RegistrationMode::default()).unwrap()[0];
    let manner = RegistrationMode { is_whole: false, ..RegistrationMode::default() };
    let sides = env.add(&corners, &[Element::Triangle([0, 1, 2])], manner).unwrap()[0];
    let amid = 2 + 8 * 2;
    assert!(env.cells_of(whole).unwrap().contains(&amid));
    assert!(!env.cells_of(sides).unwrap().contains(&amid));
    assert_eq!(env.validate(), []);
}

#[test]
fn a_large_entity_stays_registered_in_its_coarse_cell() {
    let mut env = squares(2);
    let manner = RegistrationMode { finest: 0, ..RegistrationMode::default() };
    let large = env.add(&[Vec2::new(0.2, 0.2)], &[Element::Particle(0)], manner).unwrap()[0];
    let change = env.refine(0).unwrap();
    env.refine(change.after[2]).unwrap();
    assert_eq!(env.cells_of(large).unwrap().len(), 7);
    assert_eq!(env.move_point(point(&env, large), Vec2::new(0.8, 0.9)).unwrap().registered, 0);
    assert_eq!(env.move_point(point(&env, large), Vec2::new(1.8, 0.9)).unwrap().registered, 1);
    assert_eq!(env.cells_of(large).unwrap(), [1]);
    assert_eq!(env.validate(), []);
}

#[test]
fn density_refines_and_coarsens_with_hysteresis() {
    let mut env = squares(4);
    let mut random = Random::new(3);
    let mut entities = Vec::new();
    for _ in 0..60 {
        entities.push(env.add_particle(Vec2::new(random.between(1.0, 2.0), random.between(1.0, 2.0))).unwrap());
    }
    let mut density = Density { most: 6, least: 3, finest: 5 };
    let adapted = env.adapt(&mut density, 1000);
    assert!(!adapted.is_cut_short && adapted.refused.is_empty() && adapted.changes.len() >= 5);
    for cell in env.cells() {
        assert!(env.present(cell).unwrap().len() <= 6 || env.level(cell).unwrap() == 5);
    }
    assert!(!env.t_junctions(4).unwrap().is_empty());
    assert_eq!(env.t_junctions(4).unwrap()[0].0, Orbit::Edge);
    assert_eq!(env.validate(), []);
    // Nothing has moved: nothing changes.
    assert_eq!(env.adapt(&mut density, 1000).changes, []);
    for entity in entities.drain(2..) {
        env.remove(entity).unwrap();
    }
    env.adapt(&mut density, 1000);
    assert_eq!(env.cells().count(), 16);
    assert_eq!(env.validate(), []);
    // The changes allowed are kept to, and the rest waits.
    for _ in 0..60 {
        env.add_particle(Vec2::new(random.between(2.0, 3.0), random.between(2.0, 3.0))).unwrap();
    }
    assert!(env.adapt(&mut density, 1).is_cut_short);
    assert!(!env.adapt(&mut density, 1000).changes.is_empty());
}

#[test]
fn obstacles_last_through_refinement_and_coarsening() {
    let mut env = squares(4);
    // The line x = 2: the darts up the right sides of the cells left of it.
    let darts: Vec<_> = (0..4).map(|row| heurt_map::Dart(4 * (1 + 4 * row) + 1)).collect();
    env.set_obstacles(&darts).unwrap();
    let mut random = Random::new(5);
    let particles: Vec<EntityId> = (0..40)
        .map(|k| {
            let side = if k % 2 == 0 { 0.0 } else { 2.0 };
            env.add_particle(Vec2::new(side + random.between(0.1, 1.9), random.between(0.1, 3.9))).unwrap()
        })
        .collect();
    let mut stops = 0;
    for _ in 0..400 {
        let cells: Vec<u32> = env.cells().collect();
        let cell = cells[random.whole(0, cells.len() as i64 - 1) as usize];
        if random.one_in(2) && cells.len() < 150 {
            env.refine(cell).unwrap();
        } else {
            let _ = env.coarsen(cell);
        }
        for (k, &particle) in particles.iter().enumerate() {
            let target = Vec2::new(random.between(0.0, 4.0), random.between(0.0, 4.0));
            let moved = env.move_point(point(&env, particle), target).unwrap();
            stops += u32::from(matches!(moved.end, MoveEnd::Stopped { wall: TrackWall::Obstacle, .. }));
            let x = env.particle(point(&env, particle)).unwrap().position.x;
            assert!(if k % 2 == 0 { x <= 2.0 } else { x >= 2.0 });
        }
        assert_eq!(env.validate(), []);
    }
    assert!(stops > 1000);
}

#[test]
fn walls_in_space_last_too() {
    let mut env = space([2, 1, 1], 4.0);
    env.set_obstacles(&[heurt_map::Dart(12)]).unwrap();
    let map = env.map().map();
    assert!(!map.is_boundary(map.phi3(heurt_map::Dart(12))), "the face between the two cells");
    let inside = |x: f64, y: f64, z: f64| Vec3::new(x + 0.25 * y, y, z + 0.5 * x);
    let left = env.add_particle(inside(1.0, 1.0, 1.0)).unwrap();
    let at = env.points(left).unwrap().next().unwrap();
    let mut random = Random::new(9);
    for _ in 0..60 {
        let cells: Vec<u32> = env.cells().collect();
        let cell = cells[random.whole(0, cells.len() as i64 - 1) as usize];
        if cells.len() < 40 && random.one_in(2) {
            env.refine(cell).unwrap();
        } else {
            let _ = env.coarsen(cell);
        }
        for _ in 0..5 {
            let [x, y, z] = [8.0, 4.0, 4.0].map(|most| random.between(0.0, most));
            env.move_point(at, inside(x, y, z)).unwrap();
            let now = env.particle(at).unwrap().position;
            assert!(now.x - 0.25 * now.y <= 4.0);
        }
        assert_eq!(env.validate(), []);
    }
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let mut env = plane(2, 8, 1, Scheme::ByShape, &mut Random::new(1));
    let [nan, far] = [Vec2::new(f64::NAN, 0.0), Vec2::new(100.0, 0.0)];
    assert!(matches!(env.add_particle(nan), Err(RegistrationError::Track(_))));
    assert!(matches!(env.add_edge([Vec2::ONE * 4.0, far]), Err(RegistrationError::Outside { index: 1, .. })));
    let bad = env.add(&[Vec2::ONE], &[Element::Edge([0, 1])], RegistrationMode::default());
    assert_eq!(bad, Err(RegistrationError::BadElement { element: 0, point: 1, count: 1 }));
    let bad = env.add(&[Vec2::ONE, Vec2::ONE], &[Element::Particle(0)], RegistrationMode::default());
    assert_eq!(bad, Err(RegistrationError::UnusedPoint { index: 1 }));
    assert_eq!(env.entities().count(), 0);
    assert_eq!(env.remove(EntityId(3)), Err(RegistrationError::NoEntity { entity: EntityId(3) }));
    assert_eq!(env.move_point(PointId(0), Vec2::ONE), Err(RegistrationError::NoPoint { point: PointId(0) }));
    assert_eq!(env.refine(1000).unwrap_err(), RegistrationError::NoCell { cell: 1000 });
    assert!(matches!(env.coarsen(0), Err(RegistrationError::Multires(MultiresError::LevelZero { .. }))));
    let entity = env.add_particle(Vec2::splat(4.0)).unwrap();
    assert!(env.move_point(point(&env, entity), nan).is_err());
    assert_eq!(env.particle(point(&env, entity)).unwrap().position, Vec2::splat(4.0));
    assert_eq!(env.validate(), []);
    // As fine as edges stay straight.
    let mut cell = env.cell_of(point(&env, entity)).unwrap();
    let refused = loop {
        match env.refine(cell) {
            Ok(_) => cell = env.cell_of(point(&env, entity)).unwrap(),
            Err(error) => break error,
        }
    };
    assert_eq!(refused, RegistrationError::TooFine { cell, level: 10 });
    assert_eq!(env.validate(), []);
}

#[test]
fn cells_that_cannot_be_tracked_in_are_listed() {
    let points = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [3.0, 1.0]].map(Vec2::from_array);
    let map = Map2::from_polygons(4, &[vec![0, 1, 2, 3]], heurt_map::Orient::Keep).unwrap().map;
    let bad = Environment::new(ImplicitMap::new(map), Plane::new(points.to_vec()).unwrap());
    assert!(matches!(bad, Err(RegistrationError::BadCells { faults }) if faults.len() == 1));
    assert!(matches!(Plane::new(vec![Vec2::INFINITY]), Err(RegistrationError::BadPosition { vertex: 0, .. })));
    assert!(matches!(Convex::new(vec![Vec3::NAN]), Err(RegistrationError::BadPosition { vertex: 0, .. })));
}
