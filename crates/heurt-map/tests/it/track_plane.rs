//! Particles in the plane, against definitions in integers.

use heurt_geometry::{Vec2, Vec3};
use heurt_map::track::{CellFault, CellPlace, MoveEnd, Particle, ProbeHit, TrackError, TrackWall, Tracker2};
use heurt_map::{CombinatorialMap, Dart, DartSet, Map2, Orbit, Orient};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::partition::{dimension_in_cell, passes_below, ragged_squares};

const NO_PATH: fn(CellPlace, Dart) = |_, _| ();

/// A grid of squares with whole corners `step` apart, moved by up to `jitter`, and cut into triangles here and there.
fn mesh(n: u32, step: i64, jitter: i64, random: &mut Random) -> (Map2, Vec<Vec2>) {
    let (points, faces) = ragged_squares(n, step, jitter, random);
    let points: Vec<Vec2> = points.into_iter().map(Vec2::from_array).collect();
    (Map2::from_polygons(points.len(), &faces, Orient::Keep).expect("a surface").map, points)
}

fn corners(map: &Map2, points: &[Vec2], face: u32) -> Vec<Vec3> {
    let dart = map.cell_ids(Orbit::Face).unwrap().dart(face).unwrap();
    map.face_darts(dart).map(|dart| points[map.id(Orbit::Vertex, dart) as usize].extend(0.0)).collect()
}

/// The planes that stand on the edges of a face, and look out.
fn planes(corners: &[Vec3]) -> Vec<[Vec3; 3]> {
    (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()], corners[k] + Vec3::Z]).collect()
}

/// Checks that a particle is where it says, exactly.
fn assert_in_place(map: &Map2, points: &[Vec2], particle: &Particle<Vec2>) {
    assert!(!map.is_boundary(particle.dart));
    let corners = corners(map, points, map.id(Orbit::Face, particle.dart));
    let dimension = dimension_in_cell(&[corners], particle.position.extend(0.0));
    let expected = match particle.place {
        CellPlace::Vertex => 0,
        CellPlace::Edge => 1,
        _ => 2,
    };
    assert_eq!(dimension, Some(expected), "{particle:?}");
    let point = |dart: Dart| points[map.id(Orbit::Vertex, dart) as usize];
    let (a, b) = (point(particle.dart), point(map.phi1(particle.dart)));
    match particle.place {
        CellPlace::Vertex => assert_eq!(particle.position, a),
        CellPlace::Edge => {
            assert_eq!(dimension_in_cell(&[vec![a.extend(0.0), b.extend(0.0)]], particle.position.extend(0.0)), Some(1))
        }
        _ => {}
    }
}

/// Checks that a stopped particle is at its wall, but for rounding.
fn assert_before_wall(map: &Map2, points: &[Vec2], before: &Particle<Vec2>, after: &Particle<Vec2>, wall: Dart) {
    let point = |dart: Dart| points[map.id(Orbit::Vertex, dart) as usize];
    let (a, b) = (point(wall), point(map.phi1(wall)));
    let off = (b - a).perp_dot(after.position - a) / (b - a).length();
    assert!((-1e-12..1e-12).contains(&off), "{before:?} {after:?} {off}");
}

/// The faces whose inside the segment passes, by definition.
fn passed(map: &Map2, points: &[Vec2], from: Vec2, to: Vec2) -> Vec<u32> {
    let faces = map.cell_ids(Orbit::Face).unwrap();
    let passes = |&face: &u32| passes_below(&planes(&corners(map, points, face)), from.extend(0.0), to.extend(0.0));
    faces.cells().map(|cell| cell.0).filter(passes).collect()
}

fn start(tracker: &Tracker2<Map2>, at: Vec2) -> Particle<Vec2> {
    tracker.find(at).unwrap().inside().expect("a point inside")
}

#[test]
fn a_grid_by_hand() {
    let map = Map2::grid(3, 3).unwrap();
    let points: Vec<Vec2> = (0..16).map(|k| Vec2::new(f64::from(k % 4), f64::from(k / 4))).collect();
    let tracker = Tracker2::new(&map, &points).unwrap();
    assert_eq!(tracker.check(), []);
    let mut particle = start(&tracker, Vec2::new(0.5, 0.5));
    assert_eq!((particle.place, map.id(Orbit::Face, particle.dart)), (CellPlace::Face, 0));
    // Through two vertices to a third.
    let mut path = Vec::new();
    assert_eq!(tracker.move_to(&mut particle, Vec2::new(3.0, 3.0), |place, _| path.push(place)), Ok(MoveEnd::Arrived));
    use CellPlace::{Edge, Face, Vertex};
    assert_eq!(path, [Vertex, Face, Vertex, Face, Vertex]);
    assert_in_place(&map, &points, &particle);
    // Along edges.
    path.clear();
    assert_eq!(tracker.move_to(&mut particle, Vec2::new(3.0, 0.5), |place, _| path.push(place)), Ok(MoveEnd::Arrived));
    assert_eq!(path, [Edge, Vertex, Edge, Vertex, Edge]);
    // Nowhere.
    assert_eq!(tracker.move_to(&mut particle, Vec2::new(3.0, 0.5), |_, _| unreachable!()), Ok(MoveEnd::Arrived));
    // Out, from the border.
    let end = tracker.move_to(&mut particle, Vec2::new(4.0, 0.5), NO_PATH).unwrap();
    assert!(matches!(end, MoveEnd::Stopped { wall: TrackWall::Boundary, .. }));
    assert_eq!(particle.position, Vec2::new(3.0, 0.5));
    // Far out, through all.
    let end = tracker.move_to(&mut particle, Vec2::new(-1e300, 0.5), NO_PATH).unwrap();
    let MoveEnd::Stopped { dart, wall: TrackWall::Boundary } = end else { panic!("{end:?}") };
    assert_eq!(map.id(Orbit::Face, dart), 0);
    assert!(particle.position.x >= 0.0 && particle.position.x < 1e-12, "{particle:?}");
    // Outside, with what is nearest.
    let Ok(ProbeHit::Outside(outside)) = tracker.find(Vec2::new(1.5, 5.0)) else { panic!("outside") };
    assert_eq!((outside.nearest, outside.distance), (Vec2::new(1.5, 3.0), 2.0));
    assert_eq!(map.id(Orbit::Face, outside.dart), 7);
    let nan = tracker.move_to(&mut particle, Vec2::new(0.0, f64::NAN), NO_PATH);
    assert!(matches!(nan, Err(TrackError::NotFinite { axis: 1, .. })));
    let mut stray = Particle { dart: Dart(1000), ..particle };
    assert_eq!(tracker.move_to(&mut stray, Vec2::ONE, NO_PATH), Err(TrackError::BadDart { dart: Dart(1000) }));
    assert!(matches!(Tracker2::new(&map, &points[1..]), Err(TrackError::TooFewValues { count: 15, bound: 16, .. })));
}

/// Whole coordinates, so that ways go through vertices and along edges often.
#[test]
fn walks_over_whole_numbers_agree_with_definitions() {
    for seed in 0..12 {
        let random = &mut Random::new(seed);
        let (step, jitter) = if seed % 3 == 0 { (2, 0) } else { (12, 2) };
        let (map, points) = mesh(5, step, jitter, random);
        let tracker = Tracker2::new(&map, &points).unwrap();
        assert_eq!(tracker.check(), []);
        let mut particle = start(&tracker, Vec2::splat(2.5 * step as f64));
        for move_number in 0..150 {
            let target = match random.whole(0, 9) {
                0 => points[random.whole(0, 35) as usize],
                1 => {
                    let (a, b) = (points[random.whole(0, 35) as usize], points[random.whole(0, 35) as usize]);
                    (a + b) / 2.0
                }
                2 => particle.position,
                _ => Vec2::new(random.whole(-2, 5 * step + 2) as f64, random.whole(-2, 5 * step + 2) as f64),
            };
            let before = particle;
            let mut faces: Vec<u32> = Vec::new();
            let mut last = before.place;
            if before.place == CellPlace::Face {
                faces.push(map.id(Orbit::Face, before.dart));
            }
            let end = tracker.move_to(&mut particle, target, |place, dart| {
                assert_ne!(place, last, "neighbouring cells have different dimensions");
                last = place;
                if place == CellPlace::Face {
                    faces.push(map.id(Orbit::Face, dart));
                }
            });
            assert_in_place(&map, &points, &particle);
            match end.unwrap() {
                MoveEnd::Arrived => {
                    assert_eq!(particle.position, target);
                    if before.position != target {
                        let mut expected = passed(&map, &points, before.position, target);
                        expected.sort_unstable();
                        faces.sort_unstable();
                        assert_eq!(faces, expected, "seed {seed} move {move_number}: {before:?} to {target}");
                    }
                }
                MoveEnd::Stopped { dart, wall } => {
                    assert_eq!(wall, TrackWall::Boundary);
                    assert!(map.is_boundary(map.phi2(dart)));
                    assert_before_wall(&map, &points, &before, &particle, dart);
                }
            }
        }
    }
}

#[test]
fn walks_over_any_numbers_stay_in_their_cells() {
    for seed in 0..8 {
        let random = &mut Random::new(100 + seed);
        let (map, mut points) = mesh(6, 1_000_000, 150_000, random);
        for p in &mut points {
            *p = *p / 3.0e6 + Vec2::new(0.1, 1.0e3 * seed as f64);
        }
        let tracker = Tracker2::new(&map, &points).unwrap();
        assert_eq!(tracker.check(), []);
        let middle = Vec2::new(1.1, 1.0 + 1.0e3 * seed as f64);
        let mut particle = start(&tracker, middle);
        for _ in 0..400 {
            let reach = if random.one_in(4) { 3.0 } else { 0.3 };
            let by = Vec2::new(random.between(-reach, reach), random.between(-reach, reach));
            let target = particle.position + by;
            if tracker.move_to(&mut particle, target, NO_PATH).unwrap() == MoveEnd::Arrived {
                assert_eq!(particle.position, target);
            }
            assert_in_place(&map, &points, &particle);
        }
    }
}

/// A room walled in by obstacles: what is inside stays inside, however it moves, and what is outside stays out.
#[test]
fn nothing_crosses_obstacles() {
    for seed in 0..6 {
        let random = &mut Random::new(seed);
        let (map, points) = mesh(6, 10, if seed % 2 == 0 { 0 } else { 2 }, random);
        let faces = map.cell_ids(Orbit::Face).unwrap();
        let is_room: Vec<bool> = (0..faces.bound() as u32)
            .map(|face| {
                let corners = corners(&map, &points, face);
                let middle = corners.iter().sum::<Vec3>() / corners.len() as f64;
                middle.x > 20.0 && middle.x < 40.0 && middle.y > 18.0 && middle.y < 42.0
            })
            .collect();
        let in_room = |dart: Dart| is_room[map.id(Orbit::Face, dart) as usize];
        let mut obstacles = DartSet::new();
        for dart in map.live_darts() {
            let other = map.phi2(dart);
            if !map.is_boundary(dart) && !map.is_boundary(other) && in_room(dart) && !in_room(other) {
                obstacles.insert(dart);
            }
        }
        let tracker = Tracker2::new(&map, &points).unwrap().with_obstacles(&obstacles);
        for begin in [Vec2::new(30.0, 30.0), Vec2::new(5.0, 5.0)] {
            let mut particle = start(&tracker, begin);
            let inside = in_room(particle.dart);
            let (mut stops, mut slides) = (0, 0);
            for _ in 0..400 {
                let target = match random.whole(0, 3) {
                    0 => points[random.whole(0, 48) as usize],
                    1 => Vec2::new(random.between(-5.0, 65.0), random.between(-5.0, 65.0)),
                    _ => Vec2::new(random.whole(-1, 61) as f64, random.whole(-1, 61) as f64),
                };
                let end = tracker.move_to(&mut particle, target, |_, dart| assert_eq!(in_room(dart), inside)).unwrap();
                stops += usize::from(matches!(end, MoveEnd::Stopped { wall: TrackWall::Obstacle, .. }));
                slides += usize::from(end == MoveEnd::Arrived && particle.place != CellPlace::Face);
                assert_eq!(in_room(particle.dart), inside);
                assert_in_place(&map, &points, &particle);
            }
            assert!(stops > 50 && slides > 0, "{stops} {slides}");
        }
    }
}

#[test]
fn a_particle_passes_the_end_of_an_obstacle() {
    let map = Map2::grid(2, 2).unwrap();
    let points: Vec<Vec2> = (0..9).map(|k| Vec2::new(f64::from(k % 3), f64::from(k / 3))).collect();
    // The edge from (1, 0) to (1, 1).
    let obstacles: DartSet = {
        let mut set = DartSet::new();
        set.insert(Dart(1));
        set
    };
    let tracker = Tracker2::new(&map, &points).unwrap().with_obstacles(&obstacles);
    let mut particle = start(&tracker, Vec2::new(0.5, 0.5));
    assert_eq!(tracker.move_to(&mut particle, Vec2::new(1.5, 1.5), NO_PATH), Ok(MoveEnd::Arrived));
    let mut particle = start(&tracker, Vec2::new(0.5, 0.5));
    let stopped = MoveEnd::Stopped { dart: Dart(1), wall: TrackWall::Obstacle };
    assert_eq!(tracker.move_to(&mut particle, Vec2::new(1.5, 0.5), NO_PATH), Ok(stopped));
    assert_eq!((particle.place, particle.position), (CellPlace::Edge, Vec2::new(1.0, 0.5)));
    assert_eq!(map.id(Orbit::Face, particle.dart), 0);
    // Along it, to its end, round it and back on the other side.
    assert_eq!(tracker.move_to(&mut particle, Vec2::new(1.0, 1.0), NO_PATH), Ok(MoveEnd::Arrived));
    assert_eq!(tracker.move_to(&mut particle, Vec2::new(1.5, 0.5), NO_PATH), Ok(MoveEnd::Arrived));
    let end = tracker.move_to(&mut particle, Vec2::new(0.5, 0.5), NO_PATH).unwrap();
    assert!(matches!(end, MoveEnd::Stopped { wall: TrackWall::Obstacle, .. }));
    assert_eq!((particle.position, map.id(Orbit::Face, particle.dart)), (Vec2::new(1.0, 0.5), 1));
}

#[test]
fn cells_with_hanging_vertices_are_convex_cells() {
    // Two squares below one wide rectangle, whose lower side has a vertex in its middle.
    let points = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (2, 2)];
    let points = points.map(|(x, y)| Vec2::new(f64::from(x), f64::from(y)));
    let faces: [&[u32]; 3] = [&[0, 1, 4, 3], &[1, 2, 5, 4], &[3, 4, 5, 7, 6]];
    let map = Map2::from_polygons(8, faces, Orient::Keep).unwrap().map;
    let tracker = Tracker2::new(&map, &points).unwrap();
    assert_eq!(tracker.check(), []);
    let mut particle = start(&tracker, Vec2::new(1.0, 1.75));
    let random = &mut Random::new(5);
    for _ in 0..2000 {
        let target = Vec2::new(random.whole(-1, 9) as f64 / 4.0, random.whole(-1, 9) as f64 / 4.0);
        tracker.move_to(&mut particle, target, NO_PATH).unwrap();
        assert_in_place(&map, &points, &particle);
    }
}

#[test]
fn cells_that_are_wrong_are_listed_and_walks_end() {
    for seed in 0..20 {
        let random = &mut Random::new(seed);
        let (map, mut points) = mesh(6, 10, 2, random);
        for _ in 0..3 {
            let moved = random.whole(0, 48) as usize;
            points[moved] += Vec2::new(random.whole(-30, 30) as f64, random.whole(-30, 30) as f64);
        }
        if seed == 0 {
            points[24] = Vec2::NAN;
        }
        let tracker = Tracker2::new(&map, &points).unwrap();
        let faults = tracker.check();
        assert!(seed > 0 || faults.iter().any(|fault| matches!(fault, CellFault::NotFinite { .. })));
        let middle = map.cell_ids(Orbit::Face).unwrap().dart(3).unwrap();
        let mut particle = Particle { position: Vec2::splat(25.0), dart: middle, place: CellPlace::Face };
        let mut lost = 0;
        for _ in 0..500 {
            let target = Vec2::new(random.between(0.0, 60.0), random.between(0.0, 60.0));
            let before = particle;
            match tracker.move_to(&mut particle, target, NO_PATH) {
                Err(TrackError::Lost { .. }) => {
                    assert_eq!(particle, before);
                    lost += 1;
                    particle = tracker.find(target).unwrap().inside().unwrap_or(particle);
                }
                end => assert!(end.is_ok()),
            }
        }
        assert!(lost == 0 || !faults.is_empty(), "lost in cells that are as they should be");
    }
}

#[test]
fn particles_settle_when_the_map_moves() {
    let random = &mut Random::new(3);
    let (map, points) = mesh(6, 100, 0, random);
    let mut particles: Vec<Particle<Vec2>> = {
        let tracker = Tracker2::new(&map, &points).unwrap();
        (0..50).map(|_| start(&tracker, Vec2::new(random.between(40.0, 560.0), random.between(40.0, 560.0)))).collect()
    };
    for _ in 0..30 {
        let moved: Vec<Vec2> =
            points.iter().map(|p| *p + Vec2::new(random.between(-20.0, 20.0), random.between(-20.0, 20.0))).collect();
        let tracker = Tracker2::new(&map, &moved).unwrap();
        assert_eq!(tracker.check(), []);
        for particle in &mut particles {
            let position = particle.position;
            if tracker.settle(particle) == Ok(MoveEnd::Arrived) {
                assert_eq!(particle.position, position);
            }
            assert_in_place(&map, &moved, particle);
        }
    }
}
