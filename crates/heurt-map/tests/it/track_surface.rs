//! Particles on surfaces: unfolded by hand, against the plane, and round closed surfaces.

use heurt_geometry::{Vec2, Vec3};
use heurt_map::track::{CellPlace, MoveEnd, SurfaceParticle, SurfaceTracker, TrackError, TrackWall, Tracker2};
use heurt_map::{CombinatorialMap, Dart, DartSet, Map2, Orbit, Orient};
use heurt_mesh::generate;
use heurt_testkit::number::random::Random;

const NO_PATH: fn(CellPlace, Dart) = |_, _| ();

/// The cube from −1 to 1.
fn cube() -> (Map2, Vec<Vec3>) {
    let faces: [[u32; 4]; 6] = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    let corners = [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]];
    let points = corners.map(|corner: [i32; 3]| Vec3::from_array(corner.map(f64::from))).to_vec();
    (Map2::from_polygons(8, faces, Orient::Keep).unwrap().map, points)
}

fn assert_near(a: Vec3, b: Vec3) {
    assert!((a - b).length() < 1e-12, "{a} is not {b}");
}

fn face(map: &Map2, particle: &SurfaceParticle) -> u32 {
    map.id(Orbit::Face, particle.dart())
}

#[test]
fn a_way_goes_round_a_cube_and_comes_back() {
    let (map, points) = cube();
    let tracker = SurfaceTracker::new(&map, &points).unwrap();
    assert_eq!(tracker.check(), []);
    let top = map.cell_ids(Orbit::Face).unwrap().dart(1).unwrap();
    let begin = tracker.particle_at(top).unwrap();
    assert_near(tracker.position(&begin), Vec3::Z);
    // Over the edge at x = 1 and down the side.
    let mut particle = begin;
    let mut path = Vec::new();
    let by = Vec3::new(1.5, 0.25, 0.0);
    assert_eq!(tracker.move_by(&mut particle, by, |place, _| path.push(place)), Ok(MoveEnd::Arrived));
    assert_near(tracker.position(&particle), Vec3::new(1.0, 0.25, 0.5));
    assert_eq!((face(&map, &particle), path), (3, vec![CellPlace::Edge, CellPlace::Face]));
    // The part across the plane is dropped.
    tracker.move_by(&mut particle, Vec3::new(7.0, 0.0, -0.75), NO_PATH).unwrap();
    assert_near(tracker.position(&particle), Vec3::new(1.0, 0.25, -0.25));
    // Once round, and at a slope of a half twice round.
    for by in [Vec3::new(8.0, 0.0, 0.0), Vec3::new(16.0, 0.0, 0.0), Vec3::new(0.0, -24.0, 0.0)] {
        let mut particle = begin;
        tracker.move_by(&mut particle, by, NO_PATH).unwrap();
        assert_near(tracker.position(&particle), Vec3::Z);
    }
}

#[test]
fn a_corner_is_left_with_half_of_the_angle_on_either_side() {
    let (map, points) = cube();
    let tracker = SurfaceTracker::new(&map, &points).unwrap();
    let top = map.cell_ids(Orbit::Face).unwrap().dart(1).unwrap();
    let mut particle = tracker.particle_at(top).unwrap();
    // Along the diagonal to the corner (1, 1, 1), and on: three right angles, half of them is the edge across.
    let mut path = Vec::new();
    let half = Vec3::new(1.0, 1.0, 0.0);
    tracker.move_by(&mut particle, half * 1.5, |place, _| path.push(place)).unwrap();
    assert!(path.contains(&CellPlace::Vertex), "{path:?}");
    let expected = Vec3::new(1.0, 1.0, 1.0 - half.length() / 2.0);
    assert!((tracker.position(&particle) - expected).length() < 1e-7, "{}", tracker.position(&particle));
}

#[test]
fn a_plane_surface_is_a_plane() {
    let map = Map2::grid(7, 5).unwrap();
    let flat: Vec<Vec2> = (0..48).map(|k| Vec2::new(f64::from(k % 8), f64::from(k / 8))).collect();
    // The plane stands askew in space.
    let (x, y) = (Vec3::new(2.0, 1.0, 2.0) / 3.0, Vec3::new(-2.0, 2.0, 1.0) / 3.0);
    let points: Vec<Vec3> = flat.iter().map(|p| x * p.x + y * p.y + Vec3::splat(5.0)).collect();
    let on_surface = SurfaceTracker::new(&map, &points).unwrap();
    let in_plane = Tracker2::new(&map, &flat).unwrap();
    let random = &mut Random::new(1);
    let mut particle = on_surface.particle_at(Dart(0)).unwrap();
    let mut stops = 0;
    for _ in 0..2000 {
        let to_flat = |p: Vec3| Vec2::new((p - Vec3::splat(5.0)).dot(x), (p - Vec3::splat(5.0)).dot(y));
        let from = to_flat(on_surface.position(&particle));
        let target = Vec2::new(random.between(-0.5, 7.5), random.between(-0.5, 5.5));
        let by = target - from;
        let end = on_surface.move_by(&mut particle, x * by.x + y * by.y, NO_PATH).unwrap();
        let reached = to_flat(on_surface.position(&particle));
        assert!(particle.weights().iter().all(|&weight| weight >= 0.0));
        assert!((particle.weights().iter().sum::<f64>() - 1.0).abs() < 1e-15);
        match end {
            MoveEnd::Arrived => {
                assert!(reached.distance(target) < 1e-12);
                let found = in_plane.find(reached.clamp(Vec2::ZERO, Vec2::new(7.0, 5.0))).unwrap().inside().unwrap();
                assert_eq!(map.id(Orbit::Face, found.dart), face(&map, &particle));
            }
            MoveEnd::Stopped { dart, wall } => {
                stops += 1;
                assert_eq!(wall, TrackWall::Boundary);
                assert!(map.is_boundary(map.phi2(dart)));
                assert_eq!(particle.weights()[0], 0.0);
                // What is left of the way is straight ahead.
                assert!((reached - from).perp_dot(target - from).abs() < 1e-11);
            }
        }
    }
    assert!(stops > 100);
}

#[test]
fn great_circles_of_a_ball_come_back() {
    let mesh = generate::icosphere(1.0, 4).unwrap();
    let built = Map2::from_tri_mesh(&mesh, Orient::Keep).unwrap();
    let (points, map) = (built.at_vertices(mesh.vertices()), &built.map);
    let tracker = SurfaceTracker::new(map, points.values()).unwrap();
    let random = &mut Random::new(8);
    for _ in 0..20 {
        let dart = Dart(random.whole(0, map.capacity() as i64 - 1) as u32);
        let begin = tracker.particle_at(dart).unwrap();
        let from = tracker.position(&begin);
        let path = random.vector(1.0).cross(from).normalize() * std::f64::consts::TAU;
        let mut particle = begin;
        let mut crossed = 0;
        tracker.move_by(&mut particle, path, |place, _| crossed += usize::from(place == CellPlace::Edge)).unwrap();
        // The polyhedron is a little smaller than the ball, and a geodesic of it not quite plane.
        let off = tracker.position(&particle).distance(from);
        assert!(off < 0.15 && crossed > 50, "{off} {crossed}");
    }
}

#[test]
fn walls_on_a_surface_hold() {
    let (map, points) = cube();
    let mut obstacles = DartSet::new();
    let top = map.cell_ids(Orbit::Face).unwrap().dart(1).unwrap();
    for dart in map.face_darts(top) {
        obstacles.insert(dart);
    }
    let tracker = SurfaceTracker::new(&map, &points).unwrap().with_obstacles(&obstacles);
    let random = &mut Random::new(4);
    for begin in [top, map.phi2(top)] {
        let mut particle = tracker.particle_at(begin).unwrap();
        for _ in 0..3000 {
            let by = random.vector(3.0);
            let by = if random.one_in(4) { by.round() } else { by };
            let end = tracker.move_by(&mut particle, by, NO_PATH).unwrap();
            assert_eq!(face(&map, &particle) == 1, begin == top);
            if let MoveEnd::Stopped { dart, wall } = end {
                assert!(
                    wall == TrackWall::Obstacle && (obstacles.contains(dart) || obstacles.contains(map.phi2(dart)))
                );
            }
        }
    }
}

#[test]
fn flat_triangles_are_listed_and_ways_end() {
    let (map, mut points) = cube();
    for corner in &mut points[4..] {
        *corner = Vec3::ZERO;
    }
    let tracker = SurfaceTracker::new(&map, &points).unwrap().with_most_steps(1000);
    assert!(!tracker.check().is_empty());
    let random = &mut Random::new(4);
    let bottom = map.cell_ids(Orbit::Face).unwrap().dart(0).unwrap();
    let mut particle = tracker.particle_at(bottom).unwrap();
    for _ in 0..1000 {
        let before = particle;
        match tracker.move_by(&mut particle, random.vector(4.0), NO_PATH) {
            Err(TrackError::Lost { .. }) => assert_eq!(particle, before),
            end => assert!(end.is_ok()),
        }
    }
}
