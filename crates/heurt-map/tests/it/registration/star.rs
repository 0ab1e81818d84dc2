//! Registration in star-shaped volumes against definitions, while they deform.

use super::Case;
use super::oracle::{self, Shape};
use heurt_geometry::{Aabb, Vec3};
use heurt_map::multires::{ImplicitMap, Multiresolution, Scheme};
use heurt_map::registration::{
    Density, EntityId, Environment, Geometry, PointId, RegistrationError, Star, StarEnvironment,
};
use heurt_map::track::CellFault;
use heurt_map::{Cell, CombinatorialMap, Dart, Map3, Orbit, Orient, Walker, grid_positions};
use heurt_testkit::number::random::Random;
use std::collections::BTreeMap;

fn rest(n: u32) -> Vec<Vec3> {
    grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(f64::from(n)) }, [n; 3])
}

fn organ(n: u32) -> StarEnvironment {
    let map = ImplicitMap::new(Map3::hexahedral_grid([n; 3]).unwrap());
    Environment::new(map, Star::new(rest(n)).unwrap()).unwrap()
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

/// Inside the organ of walks, at its vertices and edges too.
fn draw(random: &mut Random) -> Vec3 {
    let mut axis = || {
        let x = random.between(0.0, SIDE);
        if random.one_in(3) { (2.0 * x).round() * 0.5 } else { x }
    };
    Vec3::new(axis(), axis(), axis())
}

/// How many volumes the organ of walks has along each axis.
const SIDE: f64 = 2.0;

/// Moves vertices, those that refinement brought too, but for those of the border: its inside stays a cube.
fn stir(case: &mut Case<3, Star>, random: &mut Random) {
    if random.one_in(2) {
        return (0..3).for_each(|_| slide(case, random));
    }
    let env = &mut case.env;
    let (all, mut reach) = (random.one_in(3), 0.8);
    // As far as it goes: strongly bent volumes are what may go wrong.
    for _ in 0..5 {
        let points = if all { moved(env, reach, random) } else { pushed(env, reach, random) };
        let before = oracle::picture(env);
        match env.deform(&points) {
            Ok(moved) => {
                assert!(moved.failed.is_empty() && moved.stopped.is_empty());
                return;
            }
            Err(error) => {
                assert!(matches!(error, RegistrationError::BadCells { .. }), "{error}");
                assert_eq!(before, oracle::picture(env));
            }
        }
        reach *= 0.5;
    }
}

/// New positions of all vertices inside.
fn moved(env: &StarEnvironment, reach: f64, random: &mut Random) -> Vec<Vec3> {
    let (map, rest) = (env.map(), rest(SIDE as u32));
    let mut points = env.geometry().positions().to_vec();
    for (id, dart) in map.map().cell_ids(Orbit::Vertex).unwrap().cells() {
        let level = map.dart_level(dart).unwrap();
        let point = &mut points[id as usize];
        if is_inner(*point) {
            let reach = reach * f64::powi(0.6, i32::from(level));
            *point = if level == 0 { rest[id as usize] } else { *point } + random.vector(reach);
        }
    }
    points
}

fn is_inner(point: Vec3) -> bool {
    point.min_element() > 0.0 && point.max_element() < SIDE
}

/// Some vertices inside, pushed towards the centre of a volume that they are of: it stays star-shaped, and its pieces
/// would not.
fn pushed(env: &StarEnvironment, reach: f64, random: &mut Random) -> Vec<Vec3> {
    let map = env.map().map();
    let mut points = env.geometry().positions().to_vec();
    let darts: Vec<Dart> = map.live_darts().filter(|&dart| !map.is_boundary(dart)).collect();
    for _ in 0..8 {
        let dart = darts[random.whole(0, darts.len() as i64 - 1) as usize];
        let centre = env.geometry().centres().volumes()[map.id(Orbit::Volume, dart) as usize];
        let point = &mut points[map.id(Orbit::Vertex, dart) as usize];
        if is_inner(*point) {
            *point = point.lerp(centre, random.between(0.5 * reach, reach));
            break;
        }
    }
    points
}

/// Moves both ends of an edge from the middle of a volume to two opposite corners of a face of it. Where the face is
/// bent inwards between, the edge leaves the volume that both ends stay in.
fn slide(case: &mut Case<3, Star>, random: &mut Random) {
    if case.env.entities().count() > 20 {
        case.remove(random);
    }
    let env = &mut case.env;
    let cells: Vec<u32> = env.cells().collect();
    let cell = cells[random.whole(0, cells.len() as i64 - 1) as usize];
    let centre = env.geometry().centres().volumes()[cell as usize];
    let edge = env.add_edge([centre, centre + random.vector(0.01)]).unwrap();
    let map = env.map().map();
    let darts = Walker::new().orbit(map, Orbit::Volume, env.dart(cell).unwrap()).to_vec();
    let dart = darts[random.whole(0, darts.len() as i64 - 1) as usize];
    let inwards = random.between(0.01, 0.2);
    let ends = [dart, map.phi1(map.phi1(dart))].map(|dart| {
        let corner = env.geometry().position(map.id(Orbit::Vertex, dart));
        corner + (centre - corner) * inwards
    });
    let points: Vec<PointId> = env.points(edge).unwrap().collect();
    let moves: Vec<(PointId, Vec3)> = points.into_iter().zip(ends).collect();
    assert_eq!(env.move_points(&moves).unwrap().failed, []);
}

/// Whether the whole map, after the change, has volumes that are not star-shaped.
fn is_refused(env: &StarEnvironment, cell: u32, is_finer: bool) -> bool {
    let mut map = env.map().clone();
    let dart = env.dart(cell).unwrap();
    let mut points = env.geometry().positions().to_vec();
    if is_finer {
        let Ok(refined) = map.refine(dart) else { return false };
        let before = env.map().at(refined.level - 1);
        for vertex in &refined.vertices {
            let at = |dart: Dart| env.geometry().position(env.map().map().id(Orbit::Vertex, dart));
            let id = map.map().id(Orbit::Vertex, vertex.dart) as usize;
            points.resize(points.len().max(id + 1), Vec3::ZERO);
            points[id] = match vertex.amid {
                Orbit::Edge => (at(vertex.of) + at(before.phi2(vertex.of))) * 0.5,
                Orbit::Face => env.geometry().centres().faces()[env.map().map().id(Orbit::Face, vertex.of) as usize],
                _ => env.geometry().centres().volumes()[cell as usize],
            };
        }
    } else if map.coarsen(dart).is_err() {
        return false;
    }
    match Environment::new(map, Star::new(points).unwrap()) {
        Ok(_) => false,
        Err(RegistrationError::BadCells { .. }) => true,
        Err(error) => panic!("{error}"),
    }
}

/// Centres are a function of map and positions.
fn has_other_centres(env: &StarEnvironment) -> bool {
    let again = Star::new(env.geometry().positions().to_vec()).unwrap();
    let again = Environment::new(env.map().clone(), again).unwrap();
    let map = env.map().map();
    let [here, there] = [env, &again].map(|env| env.geometry().centres());
    let is_other = |dart: Dart| {
        let [face, cell] = [Orbit::Face, Orbit::Volume].map(|kind| map.id(kind, dart) as usize);
        here.faces()[face] != there.faces()[face] || here.volumes()[cell] != there.volumes()[cell]
    };
    map.live_darts().filter(|&dart| !map.is_boundary(dart)).any(is_other)
}

/// What all volumes hold.
fn volume(env: &StarEnvironment) -> f64 {
    let (map, centres) = (env.map().map(), env.geometry().centres());
    let of = |dart: Dart| {
        let [face, cell] = [Orbit::Face, Orbit::Volume].map(|kind| map.id(kind, dart) as usize);
        let [s, t] = [dart, map.phi1(dart)].map(|dart| env.geometry().position(map.id(Orbit::Vertex, dart)));
        let (f, v) = (centres.faces()[face], centres.volumes()[cell]);
        (s - f).cross(t - f).dot(f - v) / 6.0
    };
    map.live_darts().filter(|&dart| !map.is_boundary(dart)).map(of).sum()
}

fn has_faults(env: &StarEnvironment) -> bool {
    has_other_centres(env) || !env.map().validate().is_empty() || env.map().map().euler_characteristic() != 1
}

pub fn walk(seed: u64, steps: usize) -> [usize; 2] {
    let mut random = Random::new(seed);
    let is_faulty = |env: &StarEnvironment| has_faults(env) || (volume(env) - SIDE.powi(3)).abs() > 1e-9;
    let mut case = Case::new(organ(SIDE as u32), draw, is_faulty);
    case.compare = |env, widen| oracle::check_in(env, &shapes(env), widen);
    case.deform = Some(stir);
    case.is_refused = is_refused;
    for step in 0..steps {
        case.step(50, &mut random);
        case.check(step);
    }
    case.changes
}

#[test]
fn lists_in_bent_volumes_are_as_by_definition_after_every_operation() {
    let mut changes = [0; 2];
    for seed in 0..3 {
        let [made, refused] = walk(40 + seed, 200);
        changes = [changes[0] + made, changes[1] + refused];
    }
    assert!(changes[0] > 60 && changes[1] > 0, "{changes:?}");
}

/// A hexahedron, a pyramid on it, a prism beside it and a tetrahedron on that, all bent.
fn mixed(scheme: Scheme, random: &mut Random) -> StarEnvironment {
    let cells = [
        Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]),
        Cell::Pyramid([4, 5, 6, 7, 8]),
        Cell::Prism([1, 5, 9, 2, 6, 10]),
        Cell::Tetrahedron([1, 9, 5, 11]),
    ];
    let square = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z], [1.0, 1.0, z], [0.0, 1.0, z]];
    let tips = [[0.5, 0.5, 1.8], [1.9, 0.0, 0.5], [1.9, 1.0, 0.5], [1.2, -0.9, 0.5]];
    let all = square(0.0).into_iter().chain(square(1.0)).chain(tips);
    let points = all.map(|p| Vec3::from_array(p) + random.vector(0.08)).collect();
    let map = Map3::from_cells(12, &cells, Orient::Turn).unwrap().map;
    Environment::new(ImplicitMap::with_scheme(map, scheme), Star::new(points).unwrap()).unwrap()
}

/// Moves vertices that are not on the border.
fn stir_mixed(case: &mut Case<3, Star>, random: &mut Random) {
    let map = case.env.map();
    let mut points = case.env.geometry().positions().to_vec();
    let mut walker = Walker::new();
    for (id, dart) in map.map().cell_ids(Orbit::Vertex).unwrap().cells() {
        let is_free = !walker.orbit(map.map(), Orbit::Vertex, dart).iter().any(|&dart| map.map().is_boundary(dart));
        if is_free && random.one_in(2) {
            points[id as usize] += random.vector(0.15 * f64::powi(0.5, i32::from(map.dart_level(dart).unwrap())));
        }
    }
    match case.env.deform(&points) {
        Ok(moved) => assert!(moved.failed.is_empty() && moved.stopped.is_empty()),
        Err(error) => assert!(matches!(error, RegistrationError::BadCells { .. }), "{error}"),
    }
}

/// Volumes of all kinds; every other scheme, and every other two deform.
fn walk_mixed(seed: u64, steps: usize) -> [usize; 2] {
    let random = &mut Random::new(seed);
    let scheme = if seed.is_multiple_of(2) { Scheme::ByShape } else { Scheme::Quads };
    let within =
        |random: &mut Random| Vec3::new(random.between(0.0, 1.6), random.between(-0.3, 1.0), random.between(0.0, 1.3));
    let mut case = Case::new(mixed(scheme, random), within, has_faults);
    let whole = volume(&case.env);
    case.compare = |env, widen| oracle::check_in(env, &shapes(env), widen);
    case.is_refused = is_refused;
    if seed % 4 > 1 {
        case.deform = Some(stir_mixed);
        case.is_still = false;
    }
    for step in 0..steps {
        case.step(60, random);
        case.check(step);
        assert!((volume(&case.env) - whole).abs() < 1e-9);
    }
    case.changes
}

#[test]
fn volumes_of_all_kinds_are_refined() {
    for seed in 0..4 {
        let [made, _] = walk_mixed(seed, 120);
        assert!(made > 15, "{made}");
    }
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
    // Meshes that fold are refused, and nothing has happened then.
    let before = oracle::picture(&env);
    let folded: Vec<Vec3> = rest(2).into_iter().map(|p| if p == Vec3::ONE { Vec3::splat(-3.0) } else { p }).collect();
    let refused = env.deform(&folded);
    assert!(matches!(refused, Err(RegistrationError::BadCells { faults })
        if faults.iter().all(|fault| matches!(fault, CellFault::NotStarShaped { .. }))));
    assert_eq!(oracle::picture(&env), before);
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

/// New positions, as they are but for some.
fn with(env: &StarEnvironment, moves: &[(Vec3, Vec3)]) -> Vec<Vec3> {
    let mut points = env.geometry().positions().to_vec();
    for &(from, to) in moves {
        let place = points.iter().position(|&point| point == from);
        points[place.expect("a vertex there")] = to;
    }
    points
}

fn cell_at(env: &mut StarEnvironment, at: Vec3) -> u32 {
    let probe = env.add_particle(at).unwrap();
    let cell = env.cells_of(probe).unwrap()[0];
    env.remove(probe).unwrap();
    cell
}

/// The face of a refined cell is bent into its neighbour; when it is coarsened the face is plane again, and who was in
/// the bulge is in the other cell.
#[test]
fn neighbours_are_put_anew_when_a_bent_face_is_made_whole() {
    for (bulge, beside) in [(1.3, 1.15), (0.7, 0.85)] {
        let mut env = organ(2);
        let fine = cell_at(&mut env, Vec3::new(1.5, 0.5, 0.5));
        let whole = cell_at(&mut env, Vec3::new(0.5, 0.5, 0.5));
        env.refine(fine).unwrap();
        let middle = Vec3::new(1.0, 0.5, 0.5);
        env.deform(&with(&env, &[(middle, Vec3::new(bulge, 0.5, 0.5))])).unwrap();
        let particle = env.add_particle(Vec3::new(beside, 0.5, 0.5)).unwrap();
        let edge = env.add_edge([Vec3::new(beside, 0.5, 0.45), Vec3::new(beside, 0.5, 0.55)]).unwrap();
        let is_in_whole = |env: &StarEnvironment, entity| env.cells_of(entity).unwrap() == [whole];
        assert_eq!([particle, edge].map(|entity| is_in_whole(&env, entity)), [bulge > 1.0; 2]);
        let piece = cell_at(&mut env, Vec3::new(1.75, 0.25, 0.25));
        let change = env.coarsen(piece).unwrap();
        assert_eq!((change.registered, change.strayed.len()), (2, 0));
        assert_eq!([particle, edge].map(|entity| is_in_whole(&env, entity)), [bulge < 1.0; 2]);
        assert_eq!(env.validate(), []);
        oracle::check_in(&env, &shapes(&env), |_, met| met);
    }
}

#[test]
fn points_that_the_border_passes_are_put_on_it_and_told() {
    let mut env = organ(1);
    env.refine(0).unwrap();
    env.deform(&with(&env, &[(Vec3::new(0.0, 0.5, 0.5), Vec3::new(-0.25, 0.5, 0.5))])).unwrap();
    let out = env.add_particle(Vec3::new(-0.1, 0.5, 0.5)).unwrap();
    let edge = env.add_edge([Vec3::new(0.1, 0.4, 0.5), Vec3::new(-0.1, 0.45, 0.5)]).unwrap();
    let point = env.points(out).unwrap().next().unwrap();
    let end = env.points(edge).unwrap().nth(1).unwrap();
    let cell = env.cell_of(point).unwrap();
    let change = env.coarsen(cell).unwrap();
    assert_eq!(change.strayed, [point, end]);
    let at = env.particle(point).unwrap().position;
    assert!(at.x >= 0.0 && at.distance(Vec3::new(-0.1, 0.5, 0.5)) < 0.5, "{at}");
    assert_eq!(env.validate(), []);
    oracle::check_in(&env, &shapes(&env), |_, met| met);
}

/// A finer neighbour has pushed a vertex of its face deep into a cell: its centre sees it, that of the piece does not.
#[test]
fn what_would_not_be_star_shaped_is_refused() {
    let mut env = organ(2);
    let whole = cell_at(&mut env, Vec3::splat(0.5));
    for at in [Vec3::new(1.5, 0.5, 0.5), Vec3::new(1.25, 0.25, 0.25)] {
        let cell = cell_at(&mut env, at);
        env.refine(cell).unwrap();
    }
    env.deform(&with(&env, &[(Vec3::new(1.0, 0.25, 0.25), Vec3::new(0.65, 0.425, 0.425))])).unwrap();
    env.add_edge([Vec3::new(0.5, 0.5, 0.4), Vec3::new(1.5, 0.3, 0.4)]).unwrap();
    let before = oracle::picture(&env);
    assert!(is_refused(&env, whole, true));
    let refused = env.refine(whole);
    assert!(matches!(&refused, Err(RegistrationError::BadCells { faults })
        if faults.iter().all(|fault| matches!(fault, CellFault::NotStarShaped { volume, .. } if *volume == whole))));
    assert_eq!(oracle::picture(&env), before);
    assert_eq!(env.validate(), []);
}

/// The middle is turned ever further: small cells bear more than large ones.
#[test]
fn what_is_too_bent_for_large_cells_is_not_coarsened() {
    let mut env = organ(3);
    let cells: Vec<u32> = env.cells().collect();
    for cell in cells {
        env.refine(cell).unwrap();
    }
    let rest = env.geometry().positions().to_vec();
    let edge = env.add_edge([Vec3::new(0.3, 1.4, 1.4), Vec3::new(2.6, 1.4, 1.6)]).unwrap();
    let centre = Vec3::splat(1.5);
    let mut refused = 0;
    for step in 1..40 {
        let turned = |p: Vec3| {
            let far = (p - centre).abs().max_element() / 1.5;
            let (sin, cos) = (f64::from(step) * 0.08 * (1.0 - far).max(0.0)).sin_cos();
            let q = p - centre;
            centre + Vec3::new(cos * q.x - sin * q.y, sin * q.x + cos * q.y, q.z)
        };
        if env.deform(&rest.iter().copied().map(turned).collect::<Vec<_>>()).is_err() {
            break;
        }
        let before = oracle::picture(&env);
        let piece = cell_at(&mut env, turned(Vec3::new(0.25, 1.25, 1.25)));
        if is_refused(&env, piece, false) {
            assert!(matches!(env.coarsen(piece), Err(RegistrationError::BadCells { .. })));
            assert_eq!(oracle::picture(&env), before);
            refused += 1;
        }
    }
    assert!(refused > 0);
    assert!(env.cells_of(edge).unwrap().len() > 1);
    assert_eq!(env.validate(), []);
}

/// Refinement puts new vertices where nothing bends, and coarsening gives the mesh back that there was.
#[test]
fn cells_follow_the_crowd_in_bent_volumes_too() {
    let random = &mut Random::new(8);
    let mut env = organ(2);
    let points = moved(&env, 0.3, random);
    env.deform(&points).unwrap();
    let centres = env.geometry().centres().clone();
    let crowd: Vec<EntityId> =
        (0..80).map(|_| env.add_particle(Vec3::splat(0.3) + random.vector(0.25)).unwrap()).collect();
    let mut density = Density { most: 8, least: 4, finest: 3 };
    let adapted = env.adapt(&mut density, 1000);
    assert!(adapted.refused.is_empty() && adapted.changes.len() > 3);
    assert_eq!(env.validate(), []);
    oracle::check_in(&env, &shapes(&env), |_, met| met);
    let now = env.geometry().positions().to_vec();
    env.deform(&now).unwrap();
    assert_eq!(env.geometry().positions(), now);
    for entity in crowd {
        env.remove(entity).unwrap();
    }
    env.adapt(&mut density, 1000);
    assert_eq!(env.cells().count(), 8);
    let map = env.map().map();
    let faces = map.cell_ids(Orbit::Face).unwrap().count();
    assert_eq!((faces, env.geometry().centres().volumes()[..8].to_vec()), (36, centres.volumes().to_vec()));
    assert_eq!(env.validate(), []);
}
