//! Registration in star-shaped volumes against definitions, while they deform.

use crate::oracle::{self, Shape};
use heurt_geometry::{Aabb, Vec3};
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{
    Element, EntityId, Environment, Geometry, Manner, PointId, RegistrationError, Star, StarEnvironment,
};
use heurt_map::track::CellFault;
use heurt_map::{CombinatorialMap, Map3, Orbit, grid_positions};
use heurt_testkit::random::Random;
use std::collections::BTreeMap;

fn rest(n: u32) -> Vec<Vec3> {
    grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(f64::from(n)) }, [n; 3])
}

fn organ(n: u32) -> StarEnvironment {
    let map = ImplicitMap::new(Map3::hexahedral_grid([n; 3]).unwrap());
    Environment::new(map, Star::new(rest(n)).unwrap()).unwrap()
}

/// Moves all vertices but those of the border, whose inside stays a cube.
fn bent(n: u32, reach: f64, random: &mut Random) -> Vec<Vec3> {
    let is_inner = |p: &Vec3| p.min_element() > 0.0 && p.max_element() < f64::from(n);
    rest(n).into_iter().map(|p| if is_inner(&p) { p + random.vector(reach) } else { p }).collect()
}

/// Each volume as the fans of triangles about the centres of its faces.
fn shapes(env: &StarEnvironment) -> BTreeMap<u32, Shape> {
    let (map, centres) = (env.map().map(), env.geometry().centres());
    let mut shapes = BTreeMap::new();
    for dart in map.live_darts().filter(|&dart| !map.is_boundary(dart)) {
        let volume = map.id(Orbit::Volume, dart);
        let shape = shapes.entry(volume).or_insert_with(|| Shape {
            faces: vec![],
            centre: Some(centres.volumes()[volume as usize]),
            vertices: [].into(),
        });
        let vertex = map.id(Orbit::Vertex, dart);
        let ends = [vertex, map.id(Orbit::Vertex, map.phi1(dart))].map(|id| env.geometry().position(id));
        shape.faces.push(vec![centres.faces()[map.id(Orbit::Face, dart) as usize], ends[0], ends[1]]);
        shape.vertices.insert(vertex);
    }
    shapes
}

fn draw(n: u32, random: &mut Random) -> Vec3 {
    let mut axis = || {
        let x = random.between(0.0, f64::from(n));
        if random.one_in(3) { x.round() } else { x }
    };
    Vec3::new(axis(), axis(), axis())
}

fn step(env: &mut StarEnvironment, n: u32, random: &mut Random) {
    let points: Vec<PointId> = env.entities().flat_map(|entity| env.points(entity).unwrap()).collect();
    let entities: Vec<EntityId> = env.entities().collect();
    match random.whole(0, 9) {
        0 if entities.len() < 40 => {
            let mut at: Vec<Vec3> = (0..3).map(|_| draw(n, random)).collect();
            if random.one_in(2) {
                let mut near = |p: Vec3| (p + random.vector(0.4)).clamp(Vec3::ZERO, Vec3::splat(f64::from(n)));
                let [first, second, third] = [at[0]; 3];
                at = vec![first, near(second), near(third)];
            }
            let elements = [Element::Particle(0), Element::Edge([0, 1]), Element::Triangle([0, 1, 2])];
            env.add(&at, &elements, Manner::default()).unwrap();
        }
        1 if entities.len() > 12 => {
            env.remove(entities[random.whole(0, entities.len() as i64 - 1) as usize]).unwrap();
        }
        2 | 3 => {
            let points = bent(n, 0.25, random);
            match env.deform(&points) {
                Ok(moved) => assert!(moved.failed.is_empty() && moved.stopped.is_empty()),
                Err(error) => assert!(matches!(error, RegistrationError::BadCells { .. }), "{error}"),
            }
        }
        4 => {
            let moves: Vec<(PointId, Vec3)> = points.iter().step_by(3).map(|&point| (point, draw(n, random))).collect();
            assert_eq!(env.move_points(&moves).unwrap().failed, []);
        }
        _ if !points.is_empty() => {
            let point = points[random.whole(0, points.len() as i64 - 1) as usize];
            let at = env.particle(point).unwrap().position + random.vector(0.3);
            env.move_point(point, at).unwrap();
        }
        _ => {}
    }
}

pub fn walk(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let mut env = organ(3);
    for _ in 0..steps {
        step(&mut env, 3, &mut random);
        assert_eq!(env.validate(), []);
        oracle::check_in(&env, &shapes(&env), |_, met| met);
    }
}

#[test]
fn lists_in_bent_volumes_are_as_by_definition_after_every_operation() {
    (0..2).for_each(|seed| walk(40 + seed, 150));
}

#[test]
fn an_edge_may_leave_the_one_volume_that_both_ends_are_in() {
    let mut env = organ(2);
    let ends = [Vec3::new(0.9, 0.2, 0.2), Vec3::new(0.9, 1.8, 0.2)];
    let edge = env.add_edge(ends).unwrap();
    let before = env.cells_of(edge).unwrap().to_vec();
    assert_eq!(before.len(), 2);
    // The middle is pushed back beyond the edge: what is in the volume beside it comes between.
    let points: Vec<Vec3> =
        rest(2).into_iter().map(|p| if p == Vec3::ONE { Vec3::new(0.6, 1.0, 0.6) } else { p }).collect();
    assert!(env.deform(&points).unwrap().failed.is_empty());
    assert!(env.cells_of(edge).unwrap().len() > 2);
    oracle::check_in(&env, &shapes(&env), |_, met| met);
    // Cells are not refined; meshes that fold are refused, and nothing has happened then.
    assert_eq!(env.refine(0), Err(RegistrationError::NotRefined { cell: 0 }));
    let folded: Vec<Vec3> = rest(2).into_iter().map(|p| if p == Vec3::ONE { Vec3::splat(-3.0) } else { p }).collect();
    let refused = env.deform(&folded);
    assert!(matches!(refused, Err(RegistrationError::BadCells { faults })
        if faults.iter().all(|fault| matches!(fault, CellFault::NotStarShaped { .. }))));
    assert_eq!(env.geometry().positions(), points);
    assert_eq!(env.validate(), []);
}

/// S4 §7.3: what is true of convex cells is not true here.
#[test]
fn an_edge_is_followed_though_both_ends_stay_in_one_volume() {
    let mut env = organ(3);
    let ends = |x: f64| [Vec3::new(x, 1.15, 1.85), Vec3::new(x, 1.85, 1.15)];
    let edge = env.add_edge(ends(0.9)).unwrap();
    // A saddle: two corners of a face go forth and two go back, and its middle stays.
    let saddle = |p: Vec3| {
        let is_corner = p.x == 1.0 && p.y > 0.0 && p.y < 3.0 && p.z > 0.0 && p.z < 3.0;
        if is_corner { p + Vec3::X * if p.y == p.z { -0.2 } else { 0.2 } } else { p }
    };
    env.deform(&rest(3).into_iter().map(saddle).collect::<Vec<_>>()).unwrap();
    assert_eq!(env.cells_of(edge).unwrap().len(), 1);
    let points: Vec<PointId> = env.points(edge).unwrap().collect();
    let cell = env.cell_of(points[0]).unwrap();
    let moves: Vec<(PointId, Vec3)> = points.iter().copied().zip(ends(1.08)).collect();
    assert_eq!(env.move_points(&moves).unwrap().registered, 1);
    assert!(points.iter().all(|&point| env.cell_of(point) == Ok(cell)));
    assert_eq!(env.cells_of(edge).unwrap().len(), 2);
    oracle::check_in(&env, &shapes(&env), |_, met| met);
}
