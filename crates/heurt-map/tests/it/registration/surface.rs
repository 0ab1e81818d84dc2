//! Registration on surfaces against definitions, while they deform.

use super::{Case, Widen, oracle};
use heurt_geometry::{Vec2, Vec3};
use heurt_map::multires::{ImplicitMap, Multiresolution, Scheme};
use heurt_map::registration::{
    EntityId, Environment, Plane, PointId, RegistrationError, Surface, SurfaceEnvironment, SurfacePoint,
};
use heurt_map::track::{CellPlace, Particle, TrackError};
use heurt_map::{CombinatorialMap, Dart, Map2, Orbit, Orient};
use heurt_mesh::generate;
use heurt_testkit::number::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// The corners of the triangle of a dart, by the kind and number of what they are.
fn corners(env: &SurfaceEnvironment, dart: Dart) -> [((u8, u32), Vec3); 3] {
    let map = env.map().map();
    let at = |dart: Dart| {
        let id = map.id(Orbit::Vertex, dart);
        ((1, id), env.geometry().positions()[id as usize])
    };
    let face = map.id(Orbit::Face, dart);
    [((0, face), env.geometry().centres()[face as usize]), at(dart), at(map.phi1(dart))]
}

type Side = [(u8, u32); 2];

/// The triangles of an arc that leaves the first by a side, up to one of `goals`; `None` if it comes back first.
fn arc(cut: &BTreeMap<Dart, Vec<(Side, Vec3)>>, goals: &[Dart], first: Dart, mut side: Side) -> Option<Vec<Dart>> {
    let mut walk = vec![first];
    loop {
        let at = *walk.last().unwrap();
        if goals.contains(&at) {
            return Some(walk);
        }
        let next = cut.iter().find(|(dart, sides)| **dart != at && sides.iter().any(|other| other.0 == side));
        let (&dart, sides) = next.expect("a closed surface");
        if dart == first {
            return None;
        }
        walk.push(dart);
        side = sides.iter().find(|other| other.0 != side).unwrap().0;
    }
}

/// The faces of an edge by definition: of the section by its plane, all of whose triangles are looked for, the arc that
/// sets out from one end towards the other, if it leads there.
fn section(env: &SurfaceEnvironment, [from, to]: [PointId; 2]) -> Option<BTreeSet<u32>> {
    let map = env.map().map();
    let [a, b] = [from, to].map(|point| env.particle(point).unwrap());
    let face = |dart: Dart| map.id(Orbit::Face, dart);
    let corners_of = |particle: &Particle<SurfacePoint>| {
        let own = corners(env, particle.dart).into_iter().zip(particle.position.weights());
        own.filter(|(_, weight)| *weight != 0.0).map(|((name, _), _)| name).collect::<Vec<(u8, u32)>>()
    };
    // All triangles that an end is in or on.
    let around = |particle: &Particle<SurfacePoint>| {
        let on = corners_of(particle);
        let has_all = |dart: &Dart| on.iter().all(|name| corners(env, *dart).iter().any(|corner| corner.0 == *name));
        map.live_darts().filter(|&dart| !map.is_boundary(dart)).filter(has_all).collect::<Vec<Dart>>()
    };
    let (starts, goals) = (around(&a), around(&b));
    if goals.contains(&a.dart) {
        return Some([face(a.dart), face(b.dart)].into());
    }
    let normal = |particle: &Particle<_>| {
        let [f, s, t] = corners(env, particle.dart).map(|corner| corner.1);
        (s - f).cross(t - f).normalize_or_zero()
    };
    let along = b.position.at - a.position.at;
    let across = along.cross(normal(&a) + normal(&b));
    let mut cut: BTreeMap<Dart, Vec<(Side, Vec3)>> = BTreeMap::new();
    for dart in map.live_darts().filter(|&dart| !map.is_boundary(dart)) {
        let corners = corners(env, dart);
        for k in 0..3 {
            let [(name, p), (other, q)] = [corners[k], corners[(k + 1) % 3]];
            let [high, low] = [p, q].map(|p| across.dot(p - a.position.at));
            if (high >= 0.0) != (low >= 0.0) {
                let mut side = [name, other];
                side.sort_unstable();
                cut.entry(dart).or_default().push((side, p + (q - p) * (high / (high - low))));
            }
        }
    }
    let on = corners_of(&a);
    let is_beside = |side: &Side| !on.iter().all(|name| side.contains(name));
    // Ways through the triangles at the first end, from one cut side to the other.
    let cuts = starts.iter().filter_map(|dart| Some((*dart, cut.get(dart)?)));
    let offsets = cuts.flat_map(|(dart, cuts)| [[0, 1], [1, 0]].map(|[i, j]| (dart, cuts[j].0, cuts[j].1 - cuts[i].1)));
    let ahead = offsets
        .filter(|(_, side, _)| is_beside(side))
        .map(|(dart, side, offset)| (dart, side, offset.normalize_or_zero().dot(along)));
    let best = ahead.max_by(|x, y| x.2.total_cmp(&y.2));
    let (first, side, _) = best?;
    let walk = arc(&cut, &goals, first, side)?;
    Some(walk.into_iter().chain([a.dart, b.dart]).map(face).collect())
}

fn compare(env: &SurfaceEnvironment, widen: Widen) {
    let map = env.map().map();
    let mut present: BTreeMap<u32, BTreeSet<EntityId>> = BTreeMap::new();
    for entity in env.entities() {
        let points: Vec<PointId> = env.points(entity).unwrap().collect();
        for &point in &points {
            let particle = env.particle(point).unwrap();
            let weights = particle.position.weights();
            let mut at = Vec3::ZERO;
            for ((_, corner), weight) in corners(env, particle.dart).into_iter().zip(weights) {
                assert!(weight >= 0.0);
                at += corner * weight;
            }
            assert!(at.distance(particle.position.at) < 1e-12);
        }
        let cells: BTreeSet<u32> = match points[..] {
            [point] => [env.cell_of(point).unwrap()].into(),
            [a, b] => both_directions(env, [a, b]),
            _ => {
                [[0, 1], [1, 2], [2, 0]].iter().flat_map(|side| both_directions(env, side.map(|k| points[k]))).collect()
            }
        };
        let cells = widen(entity, cells);
        assert_eq!(env.cells_of(entity).unwrap().iter().copied().collect::<BTreeSet<_>>(), cells, "{entity:?}");
        cells.iter().for_each(|&cell| _ = present.entry(cell).or_default().insert(entity));
    }
    let mut vertices: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for dart in map.live_darts().filter(|&dart| !map.is_boundary(dart)) {
        vertices.entry(map.id(Orbit::Face, dart)).or_default().insert(map.id(Orbit::Vertex, dart));
    }
    for (&cell, own) in &vertices {
        let here = present.get(&cell).cloned().unwrap_or_default();
        let beside = vertices.iter().filter(|(other, those)| **other != cell && !own.is_disjoint(those));
        let around: BTreeSet<EntityId> =
            beside.filter_map(|(other, _)| present.get(other)).flatten().copied().collect();
        assert_eq!(env.present(cell).unwrap().iter().copied().collect::<BTreeSet<_>>(), here);
        let listed: BTreeSet<EntityId> = env.neighbours(cell).unwrap().iter().copied().collect();
        assert_eq!(listed, around.difference(&here).copied().collect());
    }
}

/// An edge is followed from its other end where it does not lead there from the first.
fn both_directions(env: &SurfaceEnvironment, [a, b]: [PointId; 2]) -> BTreeSet<u32> {
    let ends: BTreeSet<u32> = [a, b].map(|point| env.cell_of(point).unwrap()).into();
    section(env, [a, b]).or_else(|| section(env, [b, a])).unwrap_or(ends)
}

/// From within: what is nearest to a point outside is often an edge, and `section` wants insides.
fn draw(random: &mut Random) -> SurfacePoint {
    (random.vector(1.0).normalize() * 0.8).into()
}

/// Moves vertices, those that refinement brought too.
fn stir(case: &mut Case<2, Surface>, random: &mut Random) {
    let env = &mut case.env;
    let mut points = env.geometry().positions().to_vec();
    for (id, dart) in env.map().map().cell_ids(Orbit::Vertex).unwrap().cells() {
        let p = &mut points[id as usize];
        let reach = 0.2 * f64::powi(0.6, i32::from(env.map().dart_level(dart).unwrap()));
        // Back to the ball, too, so that it does not dissolve in time.
        *p = *p * (0.5 + 0.5 / p.length()) + random.vector(reach);
    }
    env.deform(&points).unwrap();
}

/// Centres are a function of map and positions.
fn has_faults(env: &SurfaceEnvironment) -> bool {
    let again = Surface::new(env.geometry().positions().to_vec()).unwrap();
    let again = Environment::new(env.map().clone(), again).unwrap();
    for cell in env.cells() {
        assert_eq!(env.geometry().centres()[cell as usize], again.geometry().centres()[cell as usize]);
    }
    !env.map().validate().is_empty() || env.map().map().euler_characteristic() != 2
}

fn ball(level: u32, scheme: Scheme) -> SurfaceEnvironment {
    let ball = generate::icosphere(1.0, level).unwrap();
    let built = Map2::from_tri_mesh(&ball, Orient::Keep).unwrap();
    let rest: Vec<Vec3> = built.at_vertices(ball.vertices()).values().to_vec();
    Environment::new(ImplicitMap::with_scheme(built.map, scheme), Surface::new(rest).unwrap()).unwrap()
}

pub fn walk(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let scheme = if seed.is_multiple_of(2) { Scheme::ByShape } else { Scheme::Quads };
    let mut case = Case::new(ball(1, scheme), draw, has_faults);
    case.compare = compare;
    case.deform = Some(stir);
    for step in 0..steps {
        case.step(200, &mut random);
        case.check(step);
    }
    assert!(case.changes[0] * 10 > steps, "{:?}", case.changes);
}

#[test]
fn lists_on_a_bent_ball_are_as_by_definition_after_every_operation() {
    (0..4).for_each(|seed| walk(60 + seed, 150));
    // One with points on ridges.
    walk(1002, 200);
}

/// As long as nothing bends it, the surface stays as it is, and so do points on it.
#[test]
fn points_stay_where_they_are_under_refinement() {
    let random = &mut Random::new(12);
    // A ball of triangles, and faces of three to six corners that are not plane.
    let rim: Vec<Vec3> = [3, 4, 5, 6].iter().flat_map(|&n| polygon(n, random)).collect();
    let faces: Vec<Vec<u32>> = [[0, 3], [3, 7], [7, 12], [12, 18]].iter().map(|&[a, b]| (a..b).collect()).collect();
    let map = Map2::from_polygons(rim.len(), &faces, Orient::Keep).unwrap().map;
    let bent = Environment::new(ImplicitMap::new(map), Surface::new(rim).unwrap()).unwrap();
    for mut env in [ball(0, Scheme::ByShape), ball(0, Scheme::Quads), bent] {
        for _ in 0..60 {
            let cells: Vec<u32> = env.cells().collect();
            let cell = cells[random.whole(0, cells.len() as i64 - 1) as usize];
            let mut walker = env.geometry().centres()[cell as usize] + random.vector(0.3);
            // Vertices and edges, too.
            if random.one_in(4) {
                let dart = env.dart(cell).unwrap();
                let [_, (_, s), (_, t)] = corners(&env, dart);
                walker = if random.one_in(2) { s } else { s.lerp(t, random.between(0.0, 1.0)) };
            }
            env.add_particle(walker.into()).unwrap();
        }
        let points: Vec<PointId> = env.entities().flat_map(|entity| env.points(entity).unwrap()).collect();
        let before: Vec<_> = points.iter().map(|&point| env.particle(point).unwrap()).collect();
        for _ in 0..200 {
            let cells: Vec<u32> = env.cells().collect();
            let cell = cells[random.whole(0, cells.len() as i64 - 1) as usize];
            if random.one_in(2) { env.refine(cell).map(drop) } else { env.coarsen(cell).map(drop) }.ok();
            assert_eq!(env.validate(), []);
            for (&point, before) in points.iter().zip(&before) {
                let now = env.particle(point).unwrap();
                assert!(now.position.at.distance(before.position.at) < 1e-12);
                // What is on an edge stays on edges.
                assert!(before.place == CellPlace::Face || now.place != CellPlace::Face);
            }
        }
        assert!(env.cells().count() > 20);
    }
}

/// A face whose corners do not lie in one plane.
fn polygon(n: u32, random: &mut Random) -> Vec<Vec3> {
    let corner = |k: u32| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(n)).sin_cos();
        Vec3::new(cos, sin, 0.0) + Vec3::X * 3.0 * f64::from(n)
    };
    (0..n).map(|k| corner(k) + random.vector(0.2)).collect()
}

/// Three corners on a line, once what bends the edges between them is gone.
#[test]
fn a_face_that_would_have_no_inside_is_refused() {
    let corners = [Vec3::ZERO, Vec3::X * 2.0, Vec3::new(1.0, 1.0, 0.0)];
    let map = Map2::from_polygons(3, &[vec![0, 1, 2]], Orient::Keep).unwrap().map;
    let mut env = Environment::new(ImplicitMap::new(map), Surface::new(corners.to_vec()).unwrap()).unwrap();
    let cell = env.refine(0).unwrap().after[0];
    env.add_particle(Vec3::new(0.5, 0.1, 0.0).into()).unwrap();
    let moved = |p: Vec3| match p.to_array() {
        [1.0, 1.0, 0.0] => Vec3::X,
        [1.0, 0.0, 0.0] => Vec3::new(1.0, -0.5, 0.0),
        _ => p,
    };
    let points: Vec<Vec3> = env.geometry().positions().iter().copied().map(moved).collect();
    env.deform(&points).unwrap();
    let before = oracle::picture(&env);
    let refused = env.coarsen(cell);
    assert!(matches!(refused, Err(RegistrationError::BadCells { .. })), "{refused:?}");
    assert_eq!(oracle::picture(&env), before);
    assert_eq!(env.validate(), []);
}

/// A point on an edge that a finer neighbour bends goes with it, and back.
#[test]
fn points_go_with_a_surface_that_bends_between_levels() {
    let points: Vec<Vec3> = (0..6).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3), 0.0)).collect();
    let mut env = Environment::new(ImplicitMap::new(Map2::grid(2, 1).unwrap()), Surface::new(points).unwrap()).unwrap();
    let particle = env.add_particle(Vec3::new(1.01, 0.3, 0.0).into()).unwrap();
    let point = env.points(particle).unwrap().next().unwrap();
    let [cell, other] = [env.cell_of(point).unwrap(), 1 - env.cell_of(point).unwrap()];
    let fine = env.refine(other).unwrap().after[0];
    assert!(env.particle(point).unwrap().position.at.distance(Vec3::new(1.01, 0.3, 0.0)) < 1e-15);
    let moved: Vec<Vec3> = env
        .geometry()
        .positions()
        .iter()
        .map(|&p| if p == Vec3::new(1.0, 0.5, 0.0) { p + Vec3::Z * 0.2 } else { p })
        .collect();
    env.deform(&moved).unwrap();
    let high = env.particle(point).unwrap().position.at.z;
    assert!(high > 0.1 && high < 0.13, "{high}");
    env.coarsen(fine).unwrap();
    assert_eq!(env.cell_of(point), Ok(cell));
    assert!(env.particle(point).unwrap().position.at.distance(Vec3::new(1.01, 0.3, 0.0)) < 1e-15);
    assert_eq!(env.validate(), []);
}

/// A notch across a bar parts the section from end to end in two; when the faces at the notch are made whole it leads
/// through, though the ends are in faces that do not touch these.
#[test]
fn an_edge_without_a_way_is_followed_again_when_far_faces_change() {
    let corner = |x: u32, k: u32| 4 * x + k % 4;
    let sides = (0..5).flat_map(|x| {
        (0..4).map(move |k| vec![corner(x, k), corner(x, k + 1), corner(x + 1, k + 1), corner(x + 1, k)])
    });
    let caps = [vec![0, 1, 2, 3], vec![20, 23, 22, 21]];
    let faces: Vec<Vec<u32>> = sides.chain(caps).collect();
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let points = (0..6).flat_map(|x| square.map(|[y, z]| Vec3::new(f64::from(x), y, z))).collect();
    let map = Map2::from_polygons(24, &faces, Orient::Turn).unwrap().map;
    let mut env = Environment::new(ImplicitMap::new(map), Surface::new(points).unwrap()).unwrap();
    let above = env.add_particle(Vec3::new(2.5, 0.5, 1.5).into()).unwrap();
    let top = env.cells_of(above).unwrap()[0];
    env.remove(above).unwrap();
    let piece = env.refine(top).unwrap().after[0];
    let notched = |p: Vec3| if p.x == 2.5 && p.z == 1.0 { Vec3::new(p.x, p.y, 0.6) } else { p };
    let points: Vec<Vec3> = env.geometry().positions().iter().copied().map(notched).collect();
    env.deform(&points).unwrap();
    let ends = [0.4, 4.7].map(|x| Vec3::new(x, 1.0, 0.83).into());
    let edge = env.add_edge(ends).unwrap();
    assert_eq!(env.cells_of(edge).unwrap().len(), 2);
    env.coarsen(piece).unwrap();
    assert_eq!(env.cells_of(edge).unwrap().len(), 5);
    assert_eq!(env.validate(), []);
}

/// A tube with a ridge inside, which both ways lead back from: the way out is chosen by where they lead, not by on
/// which side of the ridge rounding puts its points.
#[test]
fn an_edge_from_a_ridge_sets_out_by_the_way_that_leads_back_least() {
    let profile = [[0.0, 0.5], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let points = (0..5).flat_map(|y| profile.map(|[x, z]| Vec3::new(x, f64::from(y), z))).collect();
    let faces: Vec<Vec<u32>> = (0..4)
        .flat_map(|y| (0..5).map(move |k| [k, (k + 1) % 5].map(|k| k + 5 * y)))
        .map(|[a, b]| vec![a, b, b + 5, a + 5])
        .collect();
    let map = Map2::from_polygons(25, &faces, Orient::Keep).unwrap().map;
    let mut env = Environment::new(ImplicitMap::new(map), Surface::new(points).unwrap()).unwrap();
    for k in -10..=10 {
        let y = 2.0 + f64::from(k) / 20.0;
        for x in [0.1, 0.2, -0.1, -0.2] {
            let ends = [Vec3::new(0.0, y, 0.6), Vec3::new(x, y + 0.03, 1.0)];
            let edge = env.add_edge(ends.map(Into::into)).unwrap();
            let start = env.points(edge).unwrap().next().unwrap();
            assert_eq!(env.particle(start).unwrap().place, if k == 0 { CellPlace::Vertex } else { CellPlace::Edge });
            let centres = env.geometry().centres();
            let walls = env.cells_of(edge).unwrap().iter().map(|&cell| centres[cell as usize].x);
            let walls: Vec<f64> = walls.filter(|x| x.abs() == 1.0).collect();
            assert!(!walls.is_empty() && walls.iter().all(|wall| wall * x > 0.0), "{y} to {x}: {walls:?}");
        }
    }
    assert_eq!(env.validate(), []);
}

/// The same answers whatever the unit.
#[test]
fn the_nearest_point_is_found_at_every_scale() {
    let random = &mut Random::new(14);
    let at: Vec<Vec3> = (0..60).map(|_| random.vector(1.0) * random.between(0.2, 4.0)).collect();
    let mesh = generate::icosphere(1.0, 1).unwrap();
    let built = Map2::from_tri_mesh(&mesh, Orient::Keep).unwrap();
    let rest: Vec<Vec3> = built.at_vertices(mesh.vertices()).values().to_vec();
    let found = |exponent: i32| {
        let scale = f64::powi(2.0, exponent);
        let surface = Surface::new(rest.iter().map(|&p| p * scale).collect()).unwrap();
        let mut env = Environment::new(ImplicitMap::new(built.map.clone()), surface).unwrap();
        let ids: Vec<EntityId> = at.iter().map(|&p| env.add_particle((p * scale).into()).unwrap()).collect();
        let place = |id: EntityId| {
            let particle = env.particle(env.points(id).unwrap().next().unwrap()).unwrap();
            (particle.dart, particle.position.weights())
        };
        ids.into_iter().map(place).collect::<Vec<_>>()
    };
    let expected = found(0);
    for exponent in [-440, -300, -257, 257, 300, 325] {
        assert_eq!(found(exponent), expected, "2^{exponent}");
    }
    // Far beside a small surface, and beyond what can be reckoned with.
    let mut env = ball(1, Scheme::ByShape);
    let far = env.add_particle((Vec3::X * 1e6).into()).unwrap();
    assert!(env.particle(env.points(far).unwrap().next().unwrap()).unwrap().position.at.x > 0.9);
    env.add_particle((Vec3::X * 1e100).into()).unwrap();
    let huge: SurfacePoint = Vec3::new(0.0, -1e101, 0.0).into();
    let refused = RegistrationError::Track(TrackError::TooFar { axis: 1, value: -1e101, max: 1e100 });
    assert_eq!(env.add_particle(huge), Err(refused.clone()));
    let point = env.points(far).unwrap().next().unwrap();
    assert_eq!(env.move_point(point, huge), Err(refused));
    assert_eq!(env.validate(), []);
}

#[test]
fn a_plane_surface_is_a_plane() {
    let map = Map2::grid(7, 5).unwrap();
    let flat: Vec<Vec2> = (0..48).map(|k| Vec2::new(f64::from(k % 8), f64::from(k / 8))).collect();
    let (x, y) = (Vec3::new(2.0, 1.0, 2.0) / 3.0, Vec3::new(-2.0, 2.0, 1.0) / 3.0);
    let lift = |p: Vec2| x * p.x + y * p.y + Vec3::splat(5.0);
    let points = flat.iter().copied().map(lift).collect();
    let mut curved = Environment::new(ImplicitMap::new(map.clone()), Surface::new(points).unwrap()).unwrap();
    let mut plane = Environment::new(ImplicitMap::new(map), Plane::new(flat).unwrap()).unwrap();
    let random = &mut Random::new(5);
    for _ in 0..400 {
        let ends = [(); 2].map(|()| Vec2::new(random.between(0.01, 6.99), random.between(0.01, 4.99)));
        let there = plane.add_edge(ends).unwrap();
        let here = curved.add_edge(ends.map(|end| lift(end).into())).unwrap();
        assert_eq!(curved.cells_of(here).unwrap(), plane.cells_of(there).unwrap());
    }
    assert_eq!(curved.validate(), []);
}

/// What is nearest to a point outside a ball of triangles is mostly on an edge or a vertex.
#[test]
fn edges_between_points_on_edges_and_vertices_hang_together() {
    let random = &mut Random::new(6);
    let ball = generate::icosphere(1.0, 2).unwrap();
    let built = Map2::from_tri_mesh(&ball, Orient::Keep).unwrap();
    let rest: Vec<Vec3> = built.at_vertices(ball.vertices()).values().to_vec();
    let mut env = Environment::new(ImplicitMap::new(built.map), Surface::new(rest.clone()).unwrap()).unwrap();
    let mut borders = 0;
    for round in 0..200 {
        let mut draw = || match random.whole(0, 2) {
            0 => rest[random.whole(0, rest.len() as i64 - 1) as usize] * 1.5,
            _ => random.vector(1.0).normalize() * 2.0,
        };
        let ends = [draw(), draw()];
        if ends[0].dot(ends[1]) < 0.0 {
            continue;
        }
        let edge = env.add_edge(ends.map(Into::into)).unwrap();
        let points: Vec<PointId> = env.points(edge).unwrap().collect();
        borders += points.iter().filter(|&&point| env.particle(point).unwrap().place != CellPlace::Face).count();
        let cells = env.cells_of(edge).unwrap();
        let vertices = |cell: u32| {
            let map = env.map().map();
            let darts = map.face_darts(env.dart(cell).unwrap());
            darts.map(|dart| map.id(Orbit::Vertex, dart)).collect::<BTreeSet<u32>>()
        };
        let mut reached = vec![cells[0]];
        let mut place = 0;
        while let Some(&cell) = reached.get(place) {
            place += 1;
            for &other in cells {
                if !reached.contains(&other) && !vertices(cell).is_disjoint(&vertices(other)) {
                    reached.push(other);
                }
            }
        }
        assert_eq!(reached.len(), cells.len(), "round {round}");
        assert!(cells.len() < 30, "round {round}: {} of 320 faces", cells.len());
        assert!(points.iter().all(|&point| cells.contains(&env.cell_of(point).unwrap())));
    }
    assert!(borders > 100);
    assert_eq!(env.validate(), []);
}
