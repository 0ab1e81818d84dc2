//! Particles in space, against definitions in integers: convex volumes with plane faces, and hexahedra that deform.

use heurt_geometry::{Aabb, Vec3};
use heurt_map::track::{
    CellFault, CellPlace, Centres, MoveEnd, Particle, ProbeHit, StarTracker, TrackError, TrackWall, Tracker3,
};
use heurt_map::{Cell, CombinatorialMap, Dart, DartSet, Map3, Orbit, Orient, Walker, grid_positions};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::partition::{dimension_in_cell, passes_below};
use heurt_testkit::test_size;

const NO_PATH: fn(CellPlace, Dart) = |_, _| ();

/// Six tetrahedra to each cube of a grid, so that neighbours fit; whole corners `step` apart, moved by up to `jitter`.
fn tetrahedra(n: u32, step: i64, jitter: i64, random: &mut Random) -> (Map3, Vec<Vec3>) {
    let side = n + 1;
    let mut points = Vec::new();
    for place in 0..side * side * side {
        let cell = [place % side, place / side % side, place / side / side];
        let at = cell.map(|k| (i64::from(k) * step + random.whole(-jitter, jitter)) as f64);
        points.push(Vec3::from_array(at));
    }
    let mut cells = Vec::new();
    let steps = [1, side, side * side];
    for place in 0..n * n * n {
        let [i, j, k] = [place % n, place / n % n, place / n / n];
        let corner = i + side * (j + side * k);
        for [x, y, z] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let second = corner + steps[x];
            let third = second + steps[y];
            let fourth = third + steps[z];
            let is_even = [[0, 1, 2], [1, 2, 0], [2, 0, 1]].contains(&[x, y, z]);
            let [second, third] = if is_even { [second, third] } else { [third, second] };
            cells.push(Cell::Tetrahedron([corner, second, third, fourth]));
        }
    }
    (Map3::from_cells(points.len(), &cells, Orient::Keep).expect("a partition").map, points)
}

/// A grid of boxes whose sides have different lengths.
fn boxes(n: u32) -> (Map3, Vec<Vec3>) {
    let map = Map3::hexahedral_grid([n; 3]).unwrap();
    let bounds = Aabb { min: Vec3::ZERO, max: Vec3::splat(f64::from(n)) };
    let points = grid_positions(&bounds, [n; 3]).iter().map(|p| (*p * *p * 2.0 + *p * 3.0).round()).collect();
    (map, points)
}

/// The faces of the volume of a dart.
fn faces(map: &Map3, points: &[Vec3], dart: Dart) -> Vec<Vec<Vec3>> {
    let mut walker = Walker::new();
    let darts = walker.incident(map, dart, Orbit::Volume, Orbit::Face).to_vec();
    let volume = map.id(Orbit::Volume, dart);
    let side = |dart: Dart| if map.id(Orbit::Volume, dart) == volume { dart } else { map.phi3(dart) };
    let corners = |dart: Dart| map.face_darts(dart).map(|dart| points[map.id(Orbit::Vertex, dart) as usize]).collect();
    darts.into_iter().map(|dart| corners(side(dart))).collect()
}

/// The faces of all volumes, by number.
fn all_faces(map: &Map3, points: &[Vec3]) -> Vec<Vec<Vec<Vec3>>> {
    map.cell_ids(Orbit::Volume).unwrap().cells().map(|cell| faces(map, points, cell.1)).collect()
}

fn dimension(place: CellPlace) -> u8 {
    match place {
        CellPlace::Vertex => 0,
        CellPlace::Edge => 1,
        CellPlace::Face => 2,
        CellPlace::Volume => 3,
    }
}

fn assert_in_place(map: &Map3, points: &[Vec3], cells: &[Vec<Vec<Vec3>>], particle: &Particle<Vec3>) {
    assert!(!map.is_boundary(particle.dart));
    let faces = &cells[map.id(Orbit::Volume, particle.dart) as usize];
    assert_eq!(dimension_in_cell(faces, particle.position), Some(dimension(particle.place)), "{particle:?}");
    let point = |dart: Dart| points[map.id(Orbit::Vertex, dart) as usize];
    let (a, b) = (point(particle.dart), point(map.phi1(particle.dart)));
    match particle.place {
        CellPlace::Vertex => assert_eq!(particle.position, a),
        CellPlace::Edge => assert_eq!(dimension_in_cell(&[vec![a, b]], particle.position), Some(1)),
        CellPlace::Face => {
            let face = map.face_darts(particle.dart).map(point).collect();
            assert_eq!(dimension_in_cell(&[face], particle.position), Some(2));
        }
        CellPlace::Volume => {}
    }
}

/// A target of whole numbers, halves or quarters: anywhere, a vertex, amid a face, or where the particle is.
fn whole_target(
    points: &[Vec3],
    cells: &[Vec<Vec<Vec3>>],
    size: i64,
    particle: &Particle<Vec3>,
    random: &mut Random,
) -> Vec3 {
    let whole =
        |random: &mut Random, out: i64| Vec3::from_array([(); 3].map(|()| random.whole(-out, size + out) as f64));
    match random.whole(0, 9) {
        0 | 1 => points[random.whole(0, points.len() as i64 - 1) as usize],
        2 => particle.position,
        3 | 4 => {
            let face = &cells[random.whole(0, cells.len() as i64 - 1) as usize][0];
            if random.one_in(2) { (face[0] + face[1]) / 2.0 } else { (face[0] + face[1] + face[2] * 2.0) / 4.0 }
        }
        5 => particle.position * 2.0 - whole(random, 0),
        _ => whole(random, 1),
    }
}

/// A particle that the border has stopped is as near to it as numbers are.
fn assert_on_border(map: &Map3, points: &[Vec3], particle: &Particle<Vec3>, dart: Dart) {
    assert!(map.is_boundary(map.phi3(dart)));
    let face: Vec<Vec3> = map.face_darts(dart).map(|dart| points[map.id(Orbit::Vertex, dart) as usize]).collect();
    let normal = (face[1] - face[0]).cross(face[2] - face[0]).normalize();
    let off = normal.dot(particle.position - face[0]);
    assert!(off.abs() < 1e-11, "{particle:?} {off}");
}

fn walk_over_whole_numbers(
    map: &mut Map3,
    points: &[Vec3],
    size: i64,
    moves: usize,
    random: &mut Random,
) -> [usize; 4] {
    map.enable_ids(Orbit::Face);
    let (map, cells) = (&*map, all_faces(map, points));
    let tracker = Tracker3::new(map, points).unwrap();
    assert_eq!(tracker.check(), []);
    let mut particle = tracker.find(Vec3::splat((size / 2) as f64)).unwrap().inside().expect("inside");
    let mut ends = [0; 4];
    for move_number in 0..moves {
        let target = whole_target(points, &cells, size, &particle, random);
        let before = particle;
        let mut volumes = Vec::new();
        let mut last = before.place;
        if before.place == CellPlace::Volume {
            volumes.push(map.id(Orbit::Volume, before.dart));
        }
        let end = tracker.move_to(&mut particle, target, |place, dart| {
            assert_ne!(place, last, "neighbouring cells have different dimensions");
            last = place;
            if place == CellPlace::Volume {
                volumes.push(map.id(Orbit::Volume, dart));
            }
        });
        ends[usize::from(dimension(particle.place))] += 1;
        assert_in_place(map, points, &cells, &particle);
        match end {
            Ok(MoveEnd::Arrived) => {
                assert_eq!(particle.position, target);
                if target != before.position && move_number % 4 == 0 {
                    let planes = |cell: &[Vec<Vec3>]| cell.iter().map(|f| [f[0], f[1], f[2]]).collect::<Vec<_>>();
                    let passes = |&cell: &usize| passes_below(&planes(&cells[cell]), before.position, target);
                    let expected: Vec<u32> = (0..cells.len()).filter(passes).map(|cell| cell as u32).collect();
                    volumes.sort_unstable();
                    assert_eq!(volumes, expected, "move {move_number}: {before:?} to {target}");
                }
            }
            Ok(MoveEnd::Stopped { dart, wall }) => {
                assert_eq!(wall, TrackWall::Boundary);
                assert_on_border(map, points, &particle, dart);
            }
            Err(error) => panic!("move {move_number}: {before:?} to {target}: {error}"),
        }
    }
    ends
}

#[test]
fn walks_through_tetrahedra_agree_with_definitions() {
    for seed in 0..4 {
        let random = &mut Random::new(seed);
        let (step, jitter) = if seed % 2 == 0 { (2, 0) } else { (12, 1) };
        let (mut map, points) = tetrahedra(3, step, jitter, random);
        let ends = walk_over_whole_numbers(&mut map, &points, 3 * step, 250, random);
        assert!(ends.iter().all(|&count| count > 8), "{ends:?}");
    }
}

#[test]
fn walks_through_boxes_agree_with_definitions() {
    for seed in 0..3 {
        let (mut map, points) = boxes(3);
        let size = points.last().unwrap().x as i64;
        let ends = walk_over_whole_numbers(&mut map, &points, size, 250, &mut Random::new(40 + seed));
        assert!(ends.iter().all(|&count| count > 8), "{ends:?}");
    }
}

/// One box below four, so that the face between is four for the one: vertices in edges, and faces in one plane.
#[test]
fn walks_through_boxes_of_two_sizes_agree_with_definitions() {
    let mut points: Vec<Vec3> = Vec::new();
    let mut at = |x: i32, y: i32, z: i32| {
        let p = Vec3::new(f64::from(x), f64::from(y), f64::from(z));
        points.iter().position(|q| *q == p).unwrap_or_else(|| {
            points.push(p);
            points.len() - 1
        }) as u32
    };
    let small = |at: &mut dyn FnMut(i32, i32, i32) -> u32, x: i32, y: i32| {
        let square = |at: &mut dyn FnMut(i32, i32, i32) -> u32, z| {
            [at(x, y, z), at(x + 2, y, z), at(x + 2, y + 2, z), at(x, y + 2, z)]
        };
        let ([a, b, c, d], [e, f, g, h]) = (square(at, 4), square(at, 6));
        Cell::Hexahedron([a, b, c, d, e, f, g, h])
    };
    let mut cells: Vec<Cell> = Vec::new();
    for (x, y) in [(0, 0), (2, 0), (0, 2), (2, 2)] {
        cells.push(small(&mut at, x, y));
    }
    let ring = [(0, 0), (2, 0), (4, 0), (4, 2), (4, 4), (2, 4), (0, 4), (0, 2)];
    let top: Vec<u32> = ring.iter().map(|&(x, y)| at(x, y, 4)).collect();
    let middle = at(2, 2, 4);
    let low = [(0, 0), (4, 0), (4, 4), (0, 4)].map(|(x, y)| at(x, y, 0));
    let mut big = vec![vec![low[3], low[2], low[1], low[0]]];
    for k in 0..4 {
        big.push(vec![top[2 * k], top[2 * k + 1], middle, top[(2 * k + 7) % 8]]);
        big.push(vec![low[k], low[(k + 1) % 4], top[(2 * k + 2) % 8], top[2 * k + 1], top[2 * k]]);
    }
    cells.push(Cell::Polyhedron(big));
    let mut map = Map3::from_cells(points.len(), &cells, Orient::Keep).unwrap().map;
    assert_eq!(map.cell_counts()[3], 5);
    map.enable_ids(Orbit::Face);
    let tracker = Tracker3::new(&map, &points).unwrap();
    assert_eq!(tracker.check(), []);
    let cells = all_faces(&map, &points);
    let random = &mut Random::new(9);
    let mut particle = tracker.find(Vec3::new(1.0, 1.5, 1.0)).unwrap().inside().unwrap();
    let mut ends = [0; 4];
    for _ in 0..1500 {
        let target = [4, 4, 6].map(|size| random.whole(-1, 2 * size + 1) as f64 / 2.0);
        tracker.move_to(&mut particle, Vec3::from_array(target), NO_PATH).unwrap();
        assert_in_place(&map, &points, &cells, &particle);
        ends[usize::from(dimension(particle.place))] += 1;
    }
    assert!(ends.iter().all(|&count| count > 20), "{ends:?}");
}

#[test]
fn boxes_by_hand() {
    let map = Map3::hexahedral_grid([2; 3]).unwrap();
    let points = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(2.0) }, [2; 3]);
    let tracker = Tracker3::new(&map, &points).unwrap();
    let mut particle = tracker.find(Vec3::splat(0.5)).unwrap().inside().unwrap();
    let mut path = Vec::new();
    assert_eq!(tracker.move_to(&mut particle, Vec3::splat(1.5), |place, _| path.push(place)), Ok(MoveEnd::Arrived));
    assert_eq!(path, [CellPlace::Vertex, CellPlace::Volume]);
    assert_eq!(tracker.move_to(&mut particle, Vec3::splat(1.5), |_, _| unreachable!()), Ok(MoveEnd::Arrived));
    let end = tracker.move_to(&mut particle, Vec3::new(1.5, 1.5, 1e300), NO_PATH).unwrap();
    assert!(matches!(end, MoveEnd::Stopped { wall: TrackWall::Boundary, .. }));
    assert!((particle.position - Vec3::new(1.5, 1.5, 2.0)).length() < 1e-12);
    let Ok(ProbeHit::Outside(outside)) = tracker.find(Vec3::new(0.5, 0.5, -1.0)) else { panic!("outside") };
    assert_eq!((outside.nearest, outside.distance), (Vec3::new(0.5, 0.5, 0.0), 1.0));
    // The face between the first two boxes is closed.
    let mut obstacles = DartSet::new();
    let between = Dart(24 + 20);
    let mut walker = Walker::new();
    for &dart in walker.orbit(&map, Orbit::Face, between) {
        obstacles.insert(dart);
    }
    let tracker = tracker.with_obstacles(&obstacles);
    let mut particle = tracker.find(Vec3::splat(0.5)).unwrap().inside().unwrap();
    let end = tracker.move_to(&mut particle, Vec3::new(1.5, 0.5, 0.5), NO_PATH).unwrap();
    assert!(matches!(end, MoveEnd::Stopped { wall: TrackWall::Obstacle, .. }), "{end:?}");
    assert_eq!((particle.place, particle.position), (CellPlace::Face, Vec3::new(1.0, 0.5, 0.5)));
    // Along it to its edge, round it, and against it from behind.
    for target in [Vec3::new(1.0, 1.0, 0.5), Vec3::new(1.5, 0.5, 0.5)] {
        assert_eq!(tracker.move_to(&mut particle, target, NO_PATH), Ok(MoveEnd::Arrived));
    }
    let end = tracker.move_to(&mut particle, Vec3::splat(0.5), NO_PATH).unwrap();
    assert!(matches!(end, MoveEnd::Stopped { wall: TrackWall::Obstacle, .. }));
    assert_eq!((particle.position, map.id(Orbit::Volume, particle.dart)), (Vec3::new(1.0, 0.5, 0.5), 1));
}

/// Hexahedra whose corners move, each within its own ball, so that faces bend both ways.
struct Organ {
    map: Map3,
    rest: Vec<Vec3>,
    points: Vec<Vec3>,
    centres: Centres,
}

impl Organ {
    fn new(n: u32) -> Self {
        let mut map = Map3::hexahedral_grid([n; 3]).unwrap();
        map.enable_ids(Orbit::Face);
        let rest = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(f64::from(n)) }, [n; 3]);
        let centres = Centres::new(&map, &rest).unwrap();
        Self { points: rest.clone(), map, rest, centres }
    }

    fn deform(&mut self, reach: f64, random: &mut Random) {
        for (point, rest) in self.points.iter_mut().zip(&self.rest) {
            *point = *rest + random.vector(reach);
        }
        self.centres.update(&self.map, &self.points).unwrap();
    }

    /// The four corners of the virtual tetrahedron of a dart, from definitions.
    fn tetrahedron(&self, dart: Dart) -> [Vec3; 4] {
        let point = |dart: Dart| self.points[self.map.id(Orbit::Vertex, dart) as usize];
        let mut centres = self.centres.clone();
        let volume = centres.volumes_mut()[self.map.id(Orbit::Volume, dart) as usize];
        let face = centres.faces_mut()[self.map.id(Orbit::Face, dart) as usize];
        [volume, face, point(dart), point(self.map.phi1(dart))]
    }

    /// Checks that the virtual tetrahedron of its dart holds the particle, and that its place is right.
    fn assert_in_place(&self, particle: &Particle<Vec3>) {
        let [v, f, s, t] = self.tetrahedron(particle.dart);
        let (p, sides) = (particle.position, [vec![f, s, t], vec![v, t, s], vec![v, f, t], vec![v, s, f]]);
        assert!(dimension_in_cell(&sides, p).is_some(), "{particle:?}");
        let is_on_face = dimension_in_cell(&sides[..1], p).is_some();
        let is_on_edge = dimension_in_cell(&[vec![s, t]], p).is_some();
        let expected = match (is_on_face, is_on_edge, p == s || p == t) {
            (.., true) => CellPlace::Vertex,
            (_, true, _) => CellPlace::Edge,
            (true, ..) => CellPlace::Face,
            _ => CellPlace::Volume,
        };
        assert_eq!(particle.place, expected, "{particle:?}");
        assert!(particle.place != CellPlace::Vertex || p == s);
    }
}

#[test]
fn walks_through_deforming_hexahedra() {
    let random = &mut Random::new(7);
    let mut organ = Organ::new(3);
    let mut particles: Vec<Particle<Vec3>> = {
        let tracker = StarTracker::new(&organ.map, &organ.points, &organ.centres).unwrap();
        let find = |p| tracker.find(p).unwrap().inside().unwrap();
        (0..40).map(|_| find(Vec3::splat(1.5) + random.vector(1.4))).collect()
    };
    for round in 0..25 {
        organ.deform(if round == 0 { 0.0 } else { 0.18 }, random);
        let tracker = StarTracker::new(&organ.map, &organ.points, &organ.centres).unwrap();
        assert_eq!(tracker.check(), []);
        let bound = organ.points.len() as i64 - 1;
        for particle in &mut particles {
            let position = particle.position;
            if tracker.settle(particle).unwrap() == MoveEnd::Arrived {
                assert_eq!(particle.position, position);
            }
            organ.assert_in_place(particle);
            for _ in 0..4 {
                let mut centres = organ.centres.clone();
                let target = match random.whole(0, 9) {
                    0 => organ.points[random.whole(0, bound) as usize],
                    1 => centres.volumes_mut()[random.whole(0, 26) as usize],
                    2 => centres.faces_mut()[random.whole(0, 100) as usize],
                    3 => (organ.points[random.whole(0, bound) as usize] + particle.position) / 2.0,
                    4 => particle.position,
                    5 => particle.position + random.vector(4.0),
                    6 => (particle.position * 2.0).round() / 2.0,
                    _ => particle.position + random.vector(0.2),
                };
                let mut last = particle.place;
                let end = tracker.move_to(particle, target, |place, _| {
                    assert_ne!(place, last);
                    last = place;
                });
                if end.unwrap() == MoveEnd::Arrived {
                    assert_eq!((particle.position, particle.place), (target, last));
                }
                organ.assert_in_place(particle);
            }
        }
    }
}

/// A point is in one volume only: whatever side a particle comes from, it is told the same.
#[test]
fn both_sides_of_a_bent_face_agree() {
    let random = &mut Random::new(21);
    let mut organ = Organ::new(2);
    for _ in 0..20 {
        organ.deform(0.25, random);
        let tracker = StarTracker::new(&organ.map, &organ.points, &organ.centres).unwrap();
        if !tracker.check().is_empty() {
            continue;
        }
        for _ in 0..40 {
            // Near the bent faces about the middle.
            let target = Vec3::new(random.between(0.8, 1.2), random.between(0.4, 1.6), random.between(0.4, 1.6));
            let mut seen = Vec::new();
            for corner in 0..8 {
                let part = |k: u32| 0.5 + f64::from(corner >> k & 1);
                let begin = tracker.find(Vec3::new(part(0), part(1), part(2))).unwrap().inside().unwrap();
                let mut particle = begin;
                // The way may lead out through a dent of the border; then the particle is elsewhere.
                if tracker.move_to(&mut particle, target, NO_PATH) == Ok(MoveEnd::Arrived) {
                    organ.assert_in_place(&particle);
                    seen.push(organ.map.id(Orbit::Volume, particle.dart));
                }
            }
            assert!(seen.len() > 4 && seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}");
        }
    }
}

#[test]
fn volumes_that_are_not_star_shaped_are_listed_and_walks_end() {
    let random = &mut Random::new(2);
    let mut organ = Organ::new(4);
    let at = organ.points.len() / 2;
    organ.points[at] += Vec3::new(1.3, 1.2, 0.1);
    organ.points[at + 3] = Vec3::splat(0.3);
    organ.centres.update(&organ.map, &organ.points).unwrap();
    let tracker = StarTracker::new(&organ.map, &organ.points, &organ.centres).unwrap();
    let faults = tracker.check();
    let blamed: Vec<u32> = faults
        .iter()
        .filter_map(|fault| match fault {
            CellFault::NotStarShaped { volume, .. } => Some(*volume),
            _ => None,
        })
        .collect();
    let mut walker = Walker::new();
    let corner = organ.map.cell_ids(Orbit::Vertex).unwrap().dart(at as u32).unwrap();
    let near = walker.incident(&organ.map, corner, Orbit::Vertex, Orbit::Volume).to_vec();
    assert!(near.iter().any(|&dart| blamed.contains(&organ.map.id(Orbit::Volume, dart))));
    let mut particle = tracker.find(Vec3::splat(3.5)).unwrap().inside().unwrap();
    let mut lost = 0;
    for _ in 0..2000 {
        let before = particle;
        let target = Vec3::splat(2.0) + random.vector(2.0);
        match tracker.move_to(&mut particle, target, NO_PATH) {
            Ok(_) => {}
            Err(TrackError::Lost { .. }) => {
                assert_eq!(particle, before);
                lost += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(lost < 1500, "{lost}");
}

/// Organs in which particles walk at random.
const ORGANS: u64 = 16;

/// Random walks in hexahedra that deform all the time: no particle is lost, no walk fails to end.
///
/// `HEURT_WALK_STEPS=1000000000 cargo test --release -p heurt-map --test it track_space::soak` takes that many moves.
#[test]
fn soak_of_random_walks_in_deforming_hexahedra() {
    let steps = test_size("HEURT_WALK_STEPS", 200_000);
    // As many organs on any machine, each on its way alone.
    std::thread::scope(|scope| (0..ORGANS).for_each(|seed| drop(scope.spawn(move || walk(steps / ORGANS, seed)))));
}

/// Lets a thousand particles take so many steps in an organ.
fn walk(steps: u64, seed: u64) {
    let random = &mut Random::new(seed);
    let mut organ = Organ::new(6);
    let mut particles: Vec<Particle<Vec3>> = {
        let tracker = StarTracker::new(&organ.map, &organ.points, &organ.centres).unwrap();
        let find = |p| tracker.find(p).unwrap().inside().unwrap();
        (0..1000).map(|_| find(Vec3::splat(3.0) + random.vector(2.9))).collect()
    };
    let (mut done, mut stops) = (0, 0);
    while done < steps {
        organ.deform(0.15, random);
        let tracker = StarTracker::new(&organ.map, &organ.points, &organ.centres).unwrap();
        assert_eq!(tracker.check(), []);
        for particle in &mut particles {
            tracker.settle(particle).unwrap_or_else(|error| panic!("after {done}: {particle:?}: {error}"));
        }
        for _ in 0..10 {
            for particle in &mut particles {
                let reach = if random.one_in(50) { 3.0 } else { 0.1 };
                let target = particle.position + random.vector(reach);
                match tracker.move_to(particle, target, NO_PATH) {
                    Ok(MoveEnd::Arrived) => assert_eq!(particle.position, target),
                    Ok(MoveEnd::Stopped { .. }) => stops += 1,
                    Err(error) => panic!("after {done}: {particle:?} to {target}: {error}"),
                }
                done += 1;
            }
        }
        // Every particle is in the tetrahedron that it names.
        for particle in particles.iter().step_by(if steps > 20_000 { 200 } else { 10 }) {
            organ.assert_in_place(particle);
        }
    }
    assert!(stops > 0);
}
