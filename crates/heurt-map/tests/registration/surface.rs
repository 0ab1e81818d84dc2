//! Registration on surfaces against definitions, while they deform.

use heurt_geometry::{Vec2, Vec3};
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{
    Element, EntityId, Environment, Manner, Plane, PointId, RegistrationError, Surface, SurfaceEnvironment,
};
use heurt_map::track::{Particle, Place};
use heurt_map::{CombinatorialMap, Dart, Map2, Orbit, Orient};
use heurt_mesh::generate;
use heurt_testkit::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// A ball of triangles, bent by up to `reach`.
fn bent(rest: &[Vec3], reach: f64, random: &mut Random) -> Vec<Vec3> {
    rest.iter().map(|&p| p + random.vector(reach)).collect()
}

/// The corners of the triangle of a dart, by the kind and number of what they are.
fn corners(env: &SurfaceEnvironment, dart: Dart) -> [((u8, u32), Vec3); 3] {
    let map = env.map().map();
    let at = |dart: Dart| {
        let id = map.id(Orbit::Vertex, dart);
        ((1, id), env.geometry().positions()[id as usize])
    };
    let all: Vec<Vec3> = map.face_darts(dart).map(|dart| at(dart).1).collect();
    let mut sum = Vec3::ZERO;
    all.iter().for_each(|&p| sum += p);
    [((0, map.id(Orbit::Face, dart)), sum / all.len() as f64), at(dart), at(map.phi1(dart))]
}

type Side = [(u8, u32); 2];

/// The faces of an edge by definition: of the section by its plane, all of whose triangles are looked for, the arc that
/// sets out from one end towards the other, if it leads there.
fn section(env: &SurfaceEnvironment, [from, to]: [PointId; 2]) -> Option<BTreeSet<u32>> {
    let map = env.map().map();
    let [a, b] = [from, to].map(|point| env.particle(point).unwrap());
    let face = |dart: Dart| map.id(Orbit::Face, dart);
    if a.dart == b.dart {
        return Some([face(a.dart)].into());
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
    // All ends are inside triangles here, so that the plane cuts these.
    let mut walk: Vec<Dart> = vec![a.dart];
    let begin = cut.get(&a.dart)?;
    let ahead =
        begin.iter().max_by(|x, y| (x.1 - a.position.at).dot(along).total_cmp(&(y.1 - a.position.at).dot(along)));
    let mut side = ahead.unwrap().0;
    loop {
        let at = *walk.last().unwrap();
        let next = cut.iter().find(|(dart, sides)| **dart != at && sides.iter().any(|other| other.0 == side));
        let (&dart, sides) = next.expect("a closed surface");
        if dart == a.dart {
            return None;
        }
        walk.push(dart);
        if dart == b.dart {
            return Some(walk.into_iter().map(face).collect());
        }
        side = sides.iter().find(|other| other.0 != side).unwrap().0;
    }
}

fn check(env: &mut SurfaceEnvironment) {
    assert_eq!(env.validate(), []);
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
            [a, b] => both_ways(env, [a, b]),
            _ => [[0, 1], [1, 2], [2, 0]].iter().flat_map(|side| both_ways(env, side.map(|k| points[k]))).collect(),
        };
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
fn both_ways(env: &SurfaceEnvironment, [a, b]: [PointId; 2]) -> BTreeSet<u32> {
    let ends: BTreeSet<u32> = [a, b].map(|point| env.cell_of(point).unwrap()).into();
    section(env, [a, b]).or_else(|| section(env, [b, a])).unwrap_or(ends)
}

pub fn walk(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let ball = generate::icosphere(1.0, 2).unwrap();
    let built = Map2::from_tri_mesh(&ball, Orient::Keep).unwrap();
    let rest: Vec<Vec3> = built.at_vertices(ball.vertices()).values().to_vec();
    let mut env = Environment::new(ImplicitMap::new(built.map), Surface::new(rest.clone()).unwrap()).unwrap();
    for _ in 0..steps {
        let points: Vec<PointId> = env.entities().flat_map(|entity| env.points(entity).unwrap()).collect();
        let entities: Vec<EntityId> = env.entities().collect();
        match random.whole(0, 9) {
            0 | 1 if entities.len() < 30 => {
                // From within: what is nearest to a point outside is often an edge, and `section` wants insides.
                let at: Vec<_> = (0..3).map(|_| (random.vector(1.0).normalize() * 0.8).into()).collect();
                let elements = [Element::Particle(0), Element::Edge([0, 1]), Element::Triangle([0, 1, 2])];
                env.add(&at, &elements, Manner::default()).unwrap();
            }
            2 if entities.len() > 12 => {
                env.remove(entities[random.whole(0, entities.len() as i64 - 1) as usize]).unwrap();
            }
            3 => {
                let points = bent(&rest, 0.03, &mut random);
                env.deform(&points).unwrap();
            }
            _ if !points.is_empty() => {
                let point = points[random.whole(0, points.len() as i64 - 1) as usize];
                let reach = if random.one_in(4) { 2.0 } else { 0.2 };
                let at = env.particle(point).unwrap().position.at + random.vector(reach);
                env.move_point(point, at.into()).unwrap();
            }
            _ => {}
        }
        check(&mut env);
    }
}

#[test]
fn lists_on_a_bent_ball_are_as_by_definition_after_every_operation() {
    (0..2).for_each(|seed| walk(60 + seed, 150));
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
    assert_eq!(curved.refine(0), Err(RegistrationError::NotRefined { cell: 0 }));
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
        borders += points.iter().filter(|&&point| env.particle(point).unwrap().place != Place::Face).count();
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
