//! At the limits: units from 1e−270 to 1e99, the deepest level, thousands of entities, the same thing twice, criteria
//! that contradict themselves, targets of no place.

use heurt_geometry::{Aabb, Vec2, Vec3};
use heurt_map::multires::{ImplicitMap, MultiresError};
use heurt_map::registration::{
    CellFacts, Convex, Criterion, Density, Element, EntityId, Environment, Geometry, Plane, PointId, RegistrationError,
    RegistrationMode, Star, Surface, SurfacePoint, Visit,
};
use heurt_map::track::{CellPlace, MoveEnd, TrackError};
use heurt_map::{CombinatorialMap, Map2, Map3, Orbit, Orient, grid_positions};
use heurt_mesh::generate;
use heurt_testkit::number::random::Random;

fn plane(scale: f64) -> Environment<2, Plane> {
    let points = (0..25).map(|k| Vec2::new(f64::from(k % 5), f64::from(k / 5)) * scale).collect();
    Environment::new(ImplicitMap::new(Map2::grid(4, 4).unwrap()), Plane::new(points).unwrap()).unwrap()
}

fn corners(scale: f64) -> Vec<Vec3> {
    grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(4.0 * scale) }, [2; 3])
}

fn convex(scale: f64) -> Environment<3, Convex> {
    let map = ImplicitMap::new(Map3::hexahedral_grid([2; 3]).unwrap());
    Environment::new(map, Convex::new(corners(scale)).unwrap()).unwrap()
}

fn star(scale: f64) -> Environment<3, Star> {
    let map = ImplicitMap::new(Map3::hexahedral_grid([2; 3]).unwrap());
    let bent = corners(scale).into_iter().map(|p| if p == Vec3::splat(2.0 * scale) { p * 1.25 } else { p });
    Environment::new(map, Star::new(bent.collect()).unwrap()).unwrap()
}

fn ball() -> (Map2, Vec<Vec3>) {
    let ball = generate::icosphere(1.0, 1).unwrap();
    let built = Map2::from_tri_mesh(&ball, Orient::Keep).unwrap();
    let points = built.at_vertices(ball.vertices()).values().to_vec();
    (built.map, points)
}

fn surface(scale: f64) -> Environment<2, Surface> {
    let (map, points) = ball();
    let points = points.into_iter().map(|p| p * scale).collect();
    Environment::new(ImplicitMap::new(map), Surface::new(points).unwrap()).unwrap()
}

fn first_point<const D: usize, G: Geometry<D>>(env: &Environment<D, G>, entity: EntityId) -> PointId {
    env.points(entity).unwrap().next().unwrap()
}

/// The cell of a point, the cells of an entity over it, who is near and how far.
type CellReport = (u32, Vec<u32>, Vec<(u32, f64)>);

/// Adds, moves, refines, coarsens and asks; what came of it, lengths in units.
fn story<const D: usize, G: Geometry<D>>(
    mut env: Environment<D, G>,
    scale: f64,
    place: impl Fn(Vec3) -> G::Point,
    draw: impl Fn(&mut Random) -> Vec3,
) -> Vec<CellReport> {
    let random = &mut Random::new(31);
    let mut visit = Visit::new();
    let mut reports = Vec::new();
    for round in 0..60 {
        let points: Vec<G::Point> = (0..6).map(|_| place(draw(random) * scale)).collect();
        let elements = [Element::Particle(0), Element::Edge([1, 2]), Element::Triangle([3, 4, 5])];
        env.add(&points, &elements, RegistrationMode::default()).unwrap();
        let entities: Vec<EntityId> = env.entities().collect();
        let entity = entities[random.whole(0, entities.len() as i64 - 1) as usize];
        let point = first_point(&env, entity);
        env.move_point(point, place(draw(random) * scale)).unwrap();
        let cells: Vec<u32> = env.cells().collect();
        let cell = cells[random.whole(0, cells.len() as i64 - 1) as usize];
        if random.one_in(3) { env.coarsen(cell).map(drop) } else { env.refine(cell).map(drop) }.ok();
        let mut near = Vec::new();
        env.for_each_within(point, scale, &mut visit, |other, distance| near.push((other.0, distance / scale)))
            .unwrap();
        reports.push((env.cell_of(point).unwrap(), env.cells_of(entity).unwrap().to_vec(), near));
        if round % 10 == 0 {
            assert_eq!(env.validate(), [], "{scale:e}, round {round}");
        }
    }
    reports
}

#[test]
fn the_same_lists_in_every_unit() {
    let within =
        |random: &mut Random, low: f64, high: f64| Vec3::from_array([(); 3].map(|()| random.between(low, high)));
    let all = |exponent: i32| {
        let scale = f64::powi(2.0, exponent);
        let inside = |random: &mut Random| within(random, 0.0, 4.0);
        (
            story(plane(scale), scale, |p| p.truncate(), inside),
            story(convex(scale), scale, |p| p, inside),
            story(star(scale), scale, |p| p, inside),
            story(surface(scale), scale, SurfacePoint::from, |random| within(random, -1.0, 1.0)),
        )
    };
    let expected = all(0);
    for exponent in [-498, -300, 100, 300, 325] {
        let (a, b, c, d) = all(exponent);
        assert!(a == expected.0, "plane, 2^{exponent}");
        assert!(b == expected.1, "convex, 2^{exponent}");
        assert!(c == expected.2, "star, 2^{exponent}");
        assert!(d == expected.3, "surface, 2^{exponent}");
    }
    // The least that the grid of positions has room for.
    let scale = f64::powi(2.0, -895);
    assert!(story(plane(scale), scale, |p| p.truncate(), |random| within(random, 0.0, 4.0)) == expected.0);
}

/// Refines the cell of a point until that is refused, and coarsens everything again.
fn deepest<const D: usize, G: Geometry<D>>(mut env: Environment<D, G>, at: G::Point) {
    let (cells, darts) = (env.cells().count(), env.map().map().live_count());
    let entity = env.add_particle(at).unwrap();
    let edge = env.add_edge([at, at]).unwrap();
    let point = first_point(&env, entity);
    let refused = loop {
        let cell = env.cell_of(point).unwrap();
        match env.refine(cell) {
            Ok(_) => assert_eq!(env.validate(), []),
            Err(error) => break error,
        }
    };
    let cell = env.cell_of(point).unwrap();
    assert_eq!(refused, RegistrationError::TooFine { cell, level: 10 });
    assert!(env.cells_of(edge).unwrap().contains(&cell));
    // Neighbours of other levels cannot be coarsened before their finest pieces are.
    for level in (1..=10).rev() {
        assert_eq!(env.level(env.cell_of(point).unwrap()), Ok(level));
        env.coarsen(env.cell_of(point).unwrap()).unwrap();
        assert_eq!(env.validate(), []);
    }
    let cell = env.cell_of(point).unwrap();
    let refused = env.coarsen(cell);
    assert!(matches!(refused, Err(RegistrationError::Multires(MultiresError::LevelZero { .. }))));
    assert_eq!((env.cells().count(), env.map().map().live_count()), (cells, darts));
}

#[test]
fn the_deepest_level_and_back() {
    deepest(plane(1.0), Vec2::new(1.3, 2.7));
    deepest(plane(1.0), Vec2::new(2.0, 2.0));
    deepest(convex(1.0), Vec3::new(1.3, 2.7, 0.1));
    deepest(convex(1.0), Vec3::new(2.0, 2.0, 2.0));
    deepest(star(1.0), Vec3::new(1.3, 2.7, 0.1));
    deepest(star(1.0), Vec3::splat(2.5));
    deepest(surface(1.0), Vec3::new(0.3, 0.2, 0.9).into());
}

/// A cell with thousands of particles, edges and triangles, many on its corners, is refined thrice and coarsened.
#[test]
fn thousands_of_entities_in_one_cell() {
    let mut env = plane(1.0);
    let random = &mut Random::new(32);
    let mut draw = || {
        let p = Vec2::new(random.between(1.0, 2.0), random.between(1.0, 2.0));
        if random.one_in(3) { (p * 4.0).round() / 4.0 } else { p }
    };
    for _ in 0..4000 {
        env.add_particle(draw()).unwrap();
    }
    for _ in 0..500 {
        env.add_edge([draw(), draw()]).unwrap();
        env.add(&[draw(), draw(), draw()], &[Element::Triangle([0, 1, 2])], RegistrationMode::default()).unwrap();
    }
    let cells = |env: &Environment<2, Plane>| {
        env.entities().map(|entity| env.cells_of(entity).unwrap().to_vec()).collect::<Vec<_>>()
    };
    let before = cells(&env);
    for _ in 0..3 {
        let cells: Vec<u32> = env.cells().filter(|&cell| env.present(cell).unwrap().len() > 50).collect();
        for cell in cells {
            env.refine(cell).unwrap();
        }
        assert_eq!(env.validate(), []);
    }
    for level in (1..=3).rev() {
        let next = |env: &Environment<2, Plane>| env.cells().find(|&cell| env.level(cell) == Ok(level));
        while let Some(cell) = next(&env) {
            env.coarsen(cell).unwrap();
        }
    }
    assert_eq!(env.validate(), []);
    assert_eq!((env.cells().count(), cells(&env)), (16, before));
}

#[test]
fn the_same_thing_twice() {
    let mut env = plane(1.0);
    let at = Vec2::new(2.0, 2.0);
    // The same place, the same point in one element, the same element in one call.
    let twins = [env.add_particle(at).unwrap(), env.add_particle(at).unwrap()];
    assert_ne!(twins[0], twins[1]);
    let elements = [
        Element::Particle(0),
        Element::Particle(0),
        Element::Edge([0, 0]),
        Element::Triangle([0, 0, 0]),
        Element::Triangle([0, 1, 0]),
        Element::Triangle([0, 1, 0]),
    ];
    let added = env.add(&[at, Vec2::new(3.5, 2.0)], &elements, RegistrationMode::default()).unwrap();
    assert_eq!(env.validate(), []);
    // On a vertex an edge without extent touches all four cells there.
    assert_eq!((env.cells_of(added[2]).unwrap().len(), env.cells_of(added[3]).unwrap().len()), (4, 4));
    let point = first_point(&env, added[0]);
    assert_eq!(env.entities_over(point).unwrap().count(), 6);
    let moved = env.move_points(&[(point, Vec2::ONE), (point, Vec2::new(0.5, 0.5)), (point, Vec2::ONE * 3.0)]).unwrap();
    assert_eq!((moved.failed, moved.stopped), (vec![], vec![]));
    assert_eq!(env.validate(), []);
    env.refine(env.cell_of(point).unwrap()).unwrap();
    assert_eq!(env.validate(), []);
    for &entity in &added {
        env.remove(entity).unwrap();
        assert_eq!(env.remove(entity), Err(RegistrationError::NoEntity { entity }));
        assert_eq!(env.cells_of(entity), Err(RegistrationError::NoEntity { entity }));
    }
    assert_eq!(env.move_point(point, at), Err(RegistrationError::NoPoint { point }));
    assert!(env.surroundings(point).is_err() && env.particle(point).is_err() && env.cell_of(point).is_err());
    for unknown in [EntityId(1000), EntityId(u32::MAX)] {
        assert_eq!(env.remove(unknown), Err(RegistrationError::NoEntity { entity: unknown }));
        assert!(env.for_each_near(unknown, &mut Visit::new(), |_| ()).is_err());
    }
    for unknown in [PointId(1000), PointId(u32::MAX)] {
        assert_eq!(env.move_points(&[(unknown, at)]), Err(RegistrationError::NoPoint { point: unknown }));
    }
    for unknown in [1000, u32::MAX] {
        assert_eq!(env.refine(unknown), Err(RegistrationError::NoCell { cell: unknown }));
        assert_eq!(env.coarsen(unknown), Err(RegistrationError::NoCell { cell: unknown }));
        assert!(env.present(unknown).is_err() && env.neighbours(unknown).is_err() && env.t_junctions(unknown).is_err());
    }
    assert_eq!(env.validate(), []);
    assert_eq!(env.entities().collect::<Vec<_>>(), twins);
}

#[test]
fn crowds_on_one_spot_and_criteria_that_contradict_themselves_come_to_rest() {
    let mut env = plane(1.0);
    for _ in 0..20 {
        env.add_particle(Vec2::new(1.1, 1.1)).unwrap();
        env.add_particle(Vec2::new(2.0, 2.0)).unwrap();
    }
    for (most, least) in [(0, 0), (5, usize::MAX), (0, usize::MAX), (usize::MAX, usize::MAX)] {
        let mut density = Density { most, least, finest: u8::MAX };
        env.test_all();
        let adapted = env.adapt(&mut density, usize::MAX);
        assert!(!adapted.is_cut_short);
        assert_eq!(env.validate(), []);
        assert_eq!(env.adapt(&mut density, usize::MAX).changes, []);
    }
    assert_eq!(env.cells().count(), 16);
    /// Wants every cell of level 0 fine, and all others coarse.
    struct Wavering;
    impl Criterion for Wavering {
        fn is_too_coarse(&mut self, cell: &CellFacts<'_>) -> bool {
            cell.level == 0
        }
        fn is_too_fine(&mut self, _pieces: &[CellFacts<'_>]) -> bool {
            true
        }
    }
    env.test_all();
    let adapted = env.adapt(&mut Wavering, usize::MAX);
    assert_eq!((adapted.changes.len(), adapted.is_cut_short), (32, false));
    assert_eq!(env.cells().count(), 16);
    // What it wants fine again waits for the next time.
    assert_eq!(env.adapt(&mut Wavering, usize::MAX).changes.len(), 32);
    assert_eq!(env.adapt(&mut Wavering, 0).changes, []);
    assert_eq!(env.validate(), []);
}

fn targets_of_no_place<const D: usize, G: Geometry<D>>(
    mut env: Environment<D, G>,
    at: G::Point,
    bad: &[G::Point],
    outside: &[G::Point],
) {
    let entity = env.add_edge([at, at]).unwrap();
    let point = first_point(&env, entity);
    for &target in bad {
        let before = env.particle(point).unwrap();
        let refused = env.move_point(point, target);
        assert!(matches!(refused, Err(RegistrationError::Track(_))), "{target:?}: {refused:?}");
        assert_eq!(env.particle(point).unwrap(), before);
        assert_eq!(env.move_points(&[(point, target)]).unwrap().failed.len(), 1);
        assert!(env.add_particle(target).is_err() && env.add_edge([at, target]).is_err());
    }
    for &target in outside {
        assert!(matches!(env.add_particle(target), Err(RegistrationError::Outside { .. })), "{target:?}");
        let moved = env.move_point(point, target).unwrap();
        assert!(matches!(moved.end, MoveEnd::Stopped { .. }), "{target:?}: {moved:?}");
        assert_eq!(env.validate(), []);
        env.move_point(point, at).unwrap();
    }
    for radius in [f64::NAN, f64::INFINITY, -1.0] {
        let refused = env.for_each_within(point, radius, &mut Visit::new(), |_, _| ());
        assert!(matches!(refused, Err(RegistrationError::BadRadius { .. })));
    }
    env.for_each_within(point, f64::MAX, &mut Visit::new(), |_, _| ()).unwrap();
    assert_eq!((env.validate(), env.entities().count()), (vec![], 1));
}

#[test]
fn nothing_goes_to_no_place() {
    let bad3 = [Vec3::NAN, Vec3::new(0.0, f64::INFINITY, 0.0), Vec3::new(1.0, 1.0, f64::NEG_INFINITY)];
    let far3 = [Vec3::splat(1e300), Vec3::new(-1e150, 1.0, 1.0), Vec3::new(1.0, -1e-300, 1.0), Vec3::splat(f64::MAX)];
    let flat = |points: &[Vec3]| points.iter().map(|p| p.truncate()).collect::<Vec<Vec2>>();
    targets_of_no_place(plane(1.0), Vec2::ONE, &flat(&bad3[..2]), &flat(&far3));
    targets_of_no_place(convex(1.0), Vec3::ONE, &bad3, &far3);
    targets_of_no_place(star(1.0), Vec3::ONE, &bad3, &far3);
    let bad = bad3.iter().copied().chain([Vec3::splat(2e100)]).map(SurfacePoint::from).collect::<Vec<_>>();
    targets_of_no_place(surface(1.0), Vec3::Z.into(), &bad, &[]);
}

/// As far as 1e100 sizes away: the point of the surface that is taken is as near as any, to sixteen digits of the
/// distance.
#[test]
fn far_targets_of_surfaces_are_taken_to_the_nearest_point() {
    let (_, points) = ball();
    let mut env = surface(1.0);
    let random = &mut Random::new(33);
    for far in [10.0, 1e4, 1e8, 1e12, 1e16, 1e30, 1e100] {
        for _ in 0..20 {
            let target = random.vector(1.0).normalize() * far;
            let entity = env.add_particle(target.into()).unwrap();
            let particle = env.particle(first_point(&env, entity)).unwrap();
            let weights = particle.position.weights();
            assert!(weights.iter().all(|&weight| weight >= 0.0) && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            // Seen from so far the surface is nearest in a corner.
            let towards = target / target.length();
            let most = points.iter().map(|p| p.dot(towards)).fold(f64::NEG_INFINITY, f64::max);
            let here = particle.position.at.dot(towards);
            // By how much a nearer one is seen from there, and what rounding does to a distance.
            assert!(most - here < 2.0 / far + 1e-15 * far, "{far:e}: {here} of {most}");
        }
    }
    // A move has a million triangles to pass at most: farther is refused, and nothing has moved.
    let entity = env.add_particle(Vec3::new(0.1, 0.2, 1.0).into()).unwrap();
    let point = first_point(&env, entity);
    let before = env.particle(point).unwrap();
    for far in [1e8, 1e16, 1e100] {
        let refused = env.move_point(point, (Vec3::new(0.3, 0.5, 0.1) * far).into());
        assert!(matches!(refused, Err(RegistrationError::Track(TrackError::Lost { .. }))), "{far:e}: {refused:?}");
        assert_eq!(env.particle(point).unwrap(), before);
    }
    assert_eq!(env.validate(), []);
}

/// What rounding leaves of weights beside one that is 1 is nothing: the point is on the vertex, and so is its edge.
#[test]
fn what_is_next_to_a_vertex_of_a_surface_by_rounding_is_on_it() {
    let (map, points) = ball();
    let mut env = Environment::new(ImplicitMap::new(map), Surface::new(points.clone()).unwrap()).unwrap();
    let random = &mut Random::new(34);
    let (mut rounded, mut same) = (0, 0);
    for round in 0..3000 {
        let vertex = points[random.whole(0, points.len() as i64 - 1) as usize];
        let other = (vertex + random.vector(0.9)).normalize();
        let exact = env.add_edge([vertex.into(), other.into()]).unwrap();
        // Nearer than a vertex can be told from what is beside it, and a little farther.
        let reach = f64::powi(2.0, -(random.whole(48, 58) as i32));
        let beside = vertex * (1.0 - 2.0 * reach) + random.vector(reach);
        let entity = env.add_edge([beside.into(), other.into()]).unwrap();
        let particle = env.particle(first_point(&env, entity)).unwrap();
        let weights = particle.position.weights();
        if weights.contains(&1.0) {
            rounded += 1;
            assert_eq!(weights.iter().filter(|&&weight| weight == 0.0).count(), 2, "{weights:?}");
            assert_eq!(particle.place, CellPlace::Vertex);
            let own = |entity| env.particle(first_point(&env, entity)).unwrap();
            if own(exact) == own(entity) {
                same += 1;
                assert_eq!(env.cells_of(exact).unwrap(), env.cells_of(entity).unwrap(), "round {round}");
            }
        }
        env.remove(exact).unwrap();
        env.remove(entity).unwrap();
    }
    assert!(rounded > 300 && same > 50, "{rounded} {same}");
    // Arrivals at a vertex tell a dart that starts there.
    let tracker = heurt_map::track::SurfaceTracker::new(env.map().map(), &points).unwrap();
    let map = env.map().map();
    let mut arrivals = 0;
    for (face, dart) in map.cell_ids(Orbit::Face).unwrap().cells() {
        for corner in map.face_darts(dart) {
            let mut particle = tracker.particle_at(dart).unwrap();
            let target = points[map.id(Orbit::Vertex, corner) as usize];
            let mut last = None;
            tracker.move_to(&mut particle, target, |place, dart| last = Some((place, dart))).unwrap();
            if let Some((CellPlace::Vertex, at)) = last {
                arrivals += 1;
                assert_eq!(points[map.id(Orbit::Vertex, at) as usize], target, "face {face}");
            }
        }
    }
    assert!(arrivals > 20, "{arrivals}");
}

#[test]
fn maps_without_cells_and_positions_of_no_place_are_refused() {
    let empty = Map2::from_polygons(0, Vec::<[u32; 3]>::new(), Orient::Keep);
    if let Ok(built) = empty {
        let mut env = Environment::new(ImplicitMap::new(built.map), Plane::new(Vec::new()).unwrap()).unwrap();
        assert!(matches!(env.add_particle(Vec2::ZERO), Err(RegistrationError::Track(TrackError::Empty))));
        assert_eq!(env.adapt(&mut Density { most: 0, least: 0, finest: 9 }, 9).changes, []);
    }
    for bad in [f64::NAN, f64::INFINITY, 1e101, -1e101] {
        let points = vec![Vec3::ZERO, Vec3::new(0.0, bad, 0.0)];
        assert!(matches!(Star::new(points.clone()), Err(RegistrationError::BadPosition { vertex: 1, .. })));
        assert!(matches!(Convex::new(points.clone()), Err(RegistrationError::BadPosition { vertex: 1, .. })));
        assert!(matches!(Surface::new(points), Err(RegistrationError::BadPosition { vertex: 1, .. })));
    }
    // Too few positions; all at one place; inside out.
    let map = || ImplicitMap::new(Map3::hexahedral_grid([2; 3]).unwrap());
    assert!(Environment::new(map(), Convex::new(corners(1.0)[..26].to_vec()).unwrap()).is_err());
    assert!(Environment::new(map(), Star::new(corners(1.0)[..26].to_vec()).unwrap()).is_err());
    let mirrored: Vec<Vec3> = corners(1.0).into_iter().map(|p| Vec3::new(-p.x, p.y, p.z)).collect();
    for points in [vec![Vec3::ONE; 27], mirrored] {
        let faults = |error| match error {
            Err(RegistrationError::BadCells { faults }) => faults.len(),
            other => panic!("{other:?}"),
        };
        assert!(faults(Environment::new(map(), Convex::new(points.clone()).unwrap()).map(drop)) >= 8);
        assert_eq!(faults(Environment::new(map(), Star::new(points).unwrap()).map(drop)), 8);
    }
    // Too small for the grid of positions: they fall together, and that is told.
    let tiny = corners(1.0).into_iter().map(|p| p * 1e-300).collect();
    let refused = Environment::new(map(), Convex::new(tiny).unwrap()).map(drop);
    assert!(matches!(refused, Err(RegistrationError::BadCells { .. })), "{refused:?}");
}

#[test]
fn plans_from_before_a_change_are_tracked_again() {
    let mut env = plane(1.0);
    let added = env.add_particle(Vec2::new(0.5, 0.5)).unwrap();
    let point = first_point(&env, added);
    let target = Vec2::new(3.5, 2.5);
    // The cell at the target is refined, and the point has moved since.
    for is_moved in [false, true] {
        let plan = env.plan_move(point, target).unwrap();
        let cell = plan.cell();
        if is_moved {
            env.move_point(point, Vec2::new(1.5, 3.5)).unwrap();
        } else {
            env.refine(cell).unwrap();
        }
        let moved = env.make_move(&plan).unwrap();
        assert_eq!((moved.end, env.particle(point).unwrap().position), (MoveEnd::Arrived, target));
        assert_eq!(env.cells_of(added).unwrap(), [env.cell_of(point).unwrap()]);
        assert_eq!(env.validate(), []);
        env.move_point(point, Vec2::new(0.5, 0.5)).unwrap();
    }
    // The particle is gone, and an edge has the number of its point.
    let plan = env.plan_move(point, target).unwrap();
    env.remove(added).unwrap();
    assert_eq!(env.make_move(&plan), Err(RegistrationError::NoPoint { point }));
    let edge = env.add_edge([Vec2::new(0.5, 0.5), Vec2::new(0.6, 0.5)]).unwrap();
    assert!(env.points(edge).unwrap().any(|other| other == point), "numbers are used again");
    env.make_move(&plan).unwrap();
    assert_eq!(env.validate(), []);
}
