//! Shortest paths on meshes: cubes, spheres, planes with holes; all unfoldings of small polyhedra; a fine graph.

mod fine_graph;
mod unfolding;

use fine_graph::FineGraph;
use heurt_geometry::{SplitMix64, Vec3};
use heurt_map::geodesic::{GeodesicError, GeodesicField, GeodesicGoal, GeodesicSurface};
use heurt_mesh::{TriMesh, generate};
use std::f64::consts::PI;
use unfolding::unfolded_distance;

fn point_goal(face: u32, place: Vec3) -> GeodesicGoal {
    GeodesicGoal { points: vec![(face, place)], ..GeodesicGoal::default() }
}

/// A random point inside a face.
fn random_place(random: &mut SplitMix64, mesh: &TriMesh, face: u32) -> Vec3 {
    let [a, b, c] = mesh.corners(face);
    let (mut u, mut v) = (random.unit(), random.unit());
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    a + (b - a) * u + (c - a) * v
}

fn face_with(mesh: &TriMesh, corner: Vec3) -> u32 {
    let count = mesh.triangles().len() as u32;
    (0..count).find(|&face| mesh.corners(face).contains(&corner)).expect("a face has the corner")
}

fn length(path: &[Vec3]) -> f64 {
    path.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// Checks that the path is as long as the distance and starts in the direction.
fn check_path(field: &GeodesicField<'_>, face: u32, place: Vec3) -> f64 {
    let distance = field.distance_at(face, place).unwrap();
    let path = field.path_from(face, place).unwrap();
    assert!((length(&path) - distance).abs() < 1e-12 * (1.0 + distance), "{} {distance}", length(&path));
    if distance > 1e-9 {
        let direction = field.direction_at(face, place).unwrap();
        assert!((direction.length() - 1.0).abs() < 1e-12);
        let first = path.iter().find(|other| other.distance(place) > 1e-9).unwrap();
        assert!((*first - place).normalize().distance(direction) < 1e-6, "{first} {direction}");
    }
    distance
}

/// A flat square of `count`² cells from the origin to (1, 1), with inner vertices moved by a share of a cell.
fn square(random: &mut SplitMix64, count: u32, moved: f64) -> TriMesh {
    let step = 1.0 / f64::from(count);
    let inner = |k: u32| k > 0 && k < count;
    let mut vertices = Vec::new();
    for (y, x) in (0..=count).flat_map(|y| (0..=count).map(move |x| (y, x))) {
        let mut place = Vec3::new(f64::from(x), f64::from(y), 0.0) * step;
        // The corners of the hole, at thirds, stay.
        if inner(x) && inner(y) && x != count / 3 && x != 2 * count / 3 && y != count / 3 && y != 2 * count / 3 {
            place += Vec3::new(random.between(-moved, moved), random.between(-moved, moved), 0.0) * step;
        }
        vertices.push(place);
    }
    let at = |x: u32, y: u32| y * (count + 1) + x;
    let mut triangles = Vec::new();
    for (y, x) in (0..count).flat_map(|y| (0..count).map(move |x| (y, x))) {
        let [a, b, c, d] = [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)];
        triangles.extend(if random.below(2) == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// The faces whose centre is in the middle third.
fn middle(mesh: &TriMesh) -> Vec<u32> {
    let third = |value: f64| value > 1.0 / 3.0 && value < 2.0 / 3.0;
    let is_middle = |face: &u32| {
        let [a, b, c] = mesh.corners(*face);
        let centre = (a + b + c) / 3.0;
        third(centre.x) && third(centre.y)
    };
    (0..mesh.triangles().len() as u32).filter(is_middle).collect()
}

/// The shortest path round the middle third: over its corners, by all orders.
fn euclidean(from: Vec3, to: Vec3) -> f64 {
    let (low, high) = (1.0 / 3.0, 2.0 / 3.0);
    let corners = [[low, low], [high, low], [high, high], [low, high]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let mut places = vec![from, to];
    places.extend(corners);
    let is_clear = |a: Vec3, b: Vec3| {
        // The part of the segment in the open square is empty.
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for k in 0..2 {
            let slope = b[k] - a[k];
            if slope.abs() < 1e-12 {
                if a[k] <= low + 1e-12 || a[k] >= high - 1e-12 {
                    return true;
                }
                continue;
            }
            let [s, t] = [(low - a[k]) / slope, (high - a[k]) / slope];
            enter = enter.max(s.min(t));
            leave = leave.min(s.max(t));
        }
        leave - enter < 1e-9
    };
    let mut best = [f64::INFINITY; 6];
    best[0] = 0.0;
    for _ in 0..6 {
        for a in 0..6 {
            for b in 0..6 {
                if is_clear(places[a], places[b]) {
                    best[b] = best[b].min(best[a] + places[a].distance(places[b]));
                }
            }
        }
    }
    best[1]
}

#[test]
fn opposite_corners_of_a_cube_are_at_the_root_of_five() {
    for levels in 0..4 {
        let cube = generate::subdivided(&generate::cuboid([0.5; 3]).unwrap(), levels).unwrap();
        let surface = GeodesicSurface::new(&cube).unwrap();
        let (near, far) = (Vec3::splat(-0.5), Vec3::splat(0.5));
        let field = surface.field(&point_goal(face_with(&cube, near), near)).unwrap();
        let distance = check_path(&field, face_with(&cube, far), far);
        assert!((distance - 5f64.sqrt()).abs() < 1e-13, "{levels}: {distance}");
    }
}

#[test]
fn the_antipode_of_a_sphere_converges_to_half_a_turn() {
    // Inscribed polyhedra: the error falls by 4 a level.
    let mut errors = Vec::new();
    for levels in 1..6 {
        let ball = generate::icosphere(1.0, levels).unwrap();
        let surface = GeodesicSurface::new(&ball).unwrap();
        let start = ball.corners(0)[0];
        let field = surface.field(&point_goal(0, start)).unwrap();
        let distance = check_path(&field, face_with(&ball, -start), -start);
        errors.push(1.0 - distance / PI);
        println!("{levels} {} {} {}", ball.triangles().len(), field.window_count(), 1.0 - distance / PI);
    }
    assert!(errors.iter().all(|&error| error > 0.0), "{errors:?}");
    for pair in errors.windows(2) {
        assert!((3.5..4.5).contains(&(pair[0] / pair[1])), "{errors:?}");
    }
}

#[test]
fn all_unfoldings_of_small_polyhedra_are_no_shorter() {
    let mut random = SplitMix64::new(1);
    let meshes = [
        generate::tetrahedron(1.0).unwrap(),
        generate::octahedron(1.0).unwrap(),
        generate::cuboid([0.5; 3]).unwrap(),
        generate::cuboid([0.5, 0.8, 0.1]).unwrap(),
    ];
    for mesh in &meshes {
        let surface = GeodesicSurface::new(mesh).unwrap();
        let count = mesh.triangles().len();
        for _ in 0..6 {
            let from = random.below(count) as u32;
            let start = random_place(&mut random, mesh, from);
            let field = surface.field(&point_goal(from, start)).unwrap();
            for _ in 0..6 {
                let to = random.below(count) as u32;
                let stop = random_place(&mut random, mesh, to);
                let distance = check_path(&field, to, stop);
                let oracle = unfolded_distance(mesh, (from, start), (to, stop));
                assert!((distance - oracle).abs() < 1e-12, "{distance} {oracle}");
            }
        }
    }
}

#[test]
fn random_convex_hulls_agree_with_all_unfoldings() {
    let mut random = SplitMix64::new(2);
    for round in 0..20 {
        let points: Vec<Vec3> = (0..7).map(|_| random.vector(-1.0, 1.0)).collect();
        let mesh = heurt_mesh::convex_hull(&points).unwrap();
        let surface = GeodesicSurface::new(&mesh).unwrap();
        let count = mesh.triangles().len();
        let from = random.below(count) as u32;
        let start = random_place(&mut random, &mesh, from);
        let field = surface.field(&point_goal(from, start)).unwrap();
        for to in 0..count as u32 {
            let stop = random_place(&mut random, &mesh, to);
            let (distance, oracle) =
                (check_path(&field, to, stop), unfolded_distance(&mesh, (from, start), (to, stop)));
            assert!((distance - oracle).abs() < 1e-11, "{round}: {distance} {oracle}");
        }
    }
}

#[test]
fn paths_round_a_hole_are_euclidean() {
    let mut random = SplitMix64::new(3);
    for count in [3, 6, 12] {
        for _ in 0..4 {
            let mesh = square(&mut random, count, 0.3);
            let hole = middle(&mesh);
            let surface = GeodesicSurface::with_obstacles(&mesh, &hole).unwrap();
            let faces = mesh.triangles().len();
            let mut free = || loop {
                let face = random.below(faces) as u32;
                if surface.is_free(face) {
                    return (face, random_place(&mut random, &mesh, face));
                }
            };
            let (from, start) = free();
            let field = surface.field(&point_goal(from, start)).unwrap();
            for _ in 0..100 {
                let (to, stop) = free();
                let (distance, oracle) = (check_path(&field, to, stop), euclidean(start, stop));
                assert!((distance - oracle).abs() < 1e-12, "{count}: {start} {stop} {distance} {oracle}");
            }
            assert_eq!(field.distance_at(hole[0], random_place(&mut random, &mesh, hole[0])), None);
        }
    }
}

#[test]
fn a_goal_of_faces_is_a_region() {
    let mut random = SplitMix64::new(4);
    let mesh = square(&mut random, 9, 0.3);
    let surface = GeodesicSurface::new(&mesh).unwrap();
    let field = surface.field(&GeodesicGoal { faces: middle(&mesh), ..GeodesicGoal::default() }).unwrap();
    for face in 0..mesh.triangles().len() as u32 {
        let place = random_place(&mut random, &mesh, face);
        let nearest = place.clamp(Vec3::new(1.0 / 3.0, 1.0 / 3.0, 0.0), Vec3::new(2.0 / 3.0, 2.0 / 3.0, 0.0));
        let distance = check_path(&field, face, place);
        assert!((distance - place.distance(nearest)).abs() < 1e-13, "{place}: {distance}");
        if distance > 1e-9 {
            let direction = field.direction_at(face, place).unwrap();
            assert!(direction.distance((nearest - place).normalize()) < 1e-9);
        } else {
            assert_eq!(field.direction_at(face, place), None);
        }
    }
}

#[test]
fn several_points_give_the_nearest() {
    let mut random = SplitMix64::new(5);
    let mesh = square(&mut random, 8, 0.3);
    let surface = GeodesicSurface::new(&mesh).unwrap();
    let mut place = |_: u32| {
        let face = random.below(128) as u32;
        (face, random_place(&mut random, &mesh, face))
    };
    let goals: Vec<(u32, Vec3)> = (0..5).map(&mut place).collect();
    let field = surface.field(&GeodesicGoal { points: goals.clone(), ..GeodesicGoal::default() }).unwrap();
    for face in 0..128 {
        let place = random_place(&mut random, &mesh, face);
        let nearest = goals.iter().map(|(_, goal)| goal.distance(place)).fold(f64::INFINITY, f64::min);
        assert!((check_path(&field, face, place) - nearest).abs() < 1e-13);
    }
}

/// Meshes that are not convex, and the pieces in which a fine graph cuts their edges.
fn wavy_meshes() -> [(TriMesh, u32); 4] {
    [
        (generate::bumpy_sphere(1.0, 0.3, 4.0, 16).unwrap(), 12),
        (generate::torus(1.0, 0.4, 16, 10).unwrap(), 12),
        (generate::torus_knot([2, 3], 1.0, 0.4, 0.15, 60, 6).unwrap(), 12),
        // Its caps have long thin faces.
        (generate::wavy_disc(1.0, 0.2, 0.3, 5, 6, 2).unwrap(), 48),
    ]
}

#[test]
fn a_fine_graph_is_nowhere_shorter() {
    let mut random = SplitMix64::new(6);
    for (number, (mesh, pieces)) in wavy_meshes().iter().enumerate() {
        let count = mesh.triangles().len();
        // A tenth of the faces are obstacles in every second round.
        for round in 0..2 {
            let obstacles: Vec<u32> = (0..count as u32).filter(|_| round % 2 == 1 && random.unit() < 0.1).collect();
            let surface = GeodesicSurface::with_obstacles(mesh, &obstacles).unwrap();
            let Some(from) = (0..count as u32).find(|&face| surface.is_free(face)) else { continue };
            let start = random_place(&mut random, mesh, from);
            let field = surface.field(&point_goal(from, start)).unwrap();
            for (face, place, upper) in FineGraph::new(mesh, &obstacles, *pieces).distances((from, start)) {
                let Some(distance) = field.distance_at(face, place) else {
                    assert_eq!(upper, f64::INFINITY);
                    continue;
                };
                assert!(distance <= upper + 1e-12, "{number} {round}: {distance} {upper}");
                assert!(upper <= 1.02 * distance + 0.01, "{number} {round}: {distance} {upper}");
            }
        }
    }
}

/// A path exists for each distance (`check_path`), so none is too short. If distances change no faster than places,
/// along a shortest path, too, none is too long.
#[test]
fn distances_change_no_faster_than_places() {
    let mut random = SplitMix64::new(7);
    for (number, (mesh, _)) in wavy_meshes().iter().enumerate() {
        let count = mesh.triangles().len() as u32;
        for round in 0..4 {
            let obstacles: Vec<u32> = (0..count).filter(|_| round % 2 == 1 && random.unit() < 0.15).collect();
            let surface = GeodesicSurface::with_obstacles(mesh, &obstacles).unwrap();
            let Some(from) = (0..count).find(|&face| surface.is_free(face)) else { continue };
            let region = (1..count).filter(|face| round > 1 && surface.is_free(*face) && face % 97 == 1).collect();
            let goal = GeodesicGoal { points: vec![(from, random_place(&mut random, mesh, from))], faces: region };
            let field = surface.field(&goal).unwrap();
            for face in (0..count).filter(|&face| surface.is_free(face)) {
                let [a, b] = [0; 2].map(|_| random_place(&mut random, mesh, face));
                let places: Vec<Vec3> = (0..=32).map(|k| a.lerp(b, f64::from(k) / 32.0)).collect();
                let Some(mut last) = field.distance_at(face, a) else { continue };
                check_path(&field, face, a);
                for pair in places.windows(2) {
                    let next = field.distance_at(face, pair[1]).unwrap();
                    let step = pair[0].distance(pair[1]);
                    assert!((next - last).abs() <= step + 1e-13, "{number} {round} {face}: {last} {next} {step}");
                    last = next;
                }
            }
        }
    }
}

#[test]
fn both_faces_of_an_edge_agree() {
    let mut random = SplitMix64::new(8);
    let mesh = generate::bumpy_sphere(1.0, 0.4, 5.0, 24).unwrap();
    let surface = GeodesicSurface::new(&mesh).unwrap();
    let field = surface.field(&point_goal(3, random_place(&mut random, &mesh, 3))).unwrap();
    for face in 0..mesh.triangles().len() as u32 {
        let [a, b, _] = mesh.corners(face);
        let place = a + (b - a) * random.unit();
        let is_next = |other: &u32| *other != face && [a, b].iter().all(|end| mesh.corners(*other).contains(end));
        let other = (0..mesh.triangles().len() as u32).find(is_next).unwrap();
        let [here, there] = [face, other].map(|face| field.distance_at(face, place).unwrap());
        assert!((here - there).abs() < 1e-12, "{here} {there}");
    }
}

#[test]
fn regular_grids_with_many_ties_are_exact() {
    let mut random = SplitMix64::new(9);
    let mesh = square(&mut random, 24, 0.0);
    let count = mesh.triangles().len() as u32;
    let hole = middle(&mesh);
    let surface = GeodesicSurface::with_obstacles(&mesh, &hole).unwrap();
    let [a, b, c] = mesh.corners(100);
    let goals = [a, b.midpoint(c), (a + b + c) / 3.0, a.lerp(b, 1e-13), a.lerp(b, 1e-9).lerp(c, 1e-9)];
    for goal in goals {
        let field = surface.field(&point_goal(100, goal)).unwrap();
        assert!(field.window_count() < 20 * count as usize, "{}", field.window_count());
        for face in (0..count).filter(|&face| surface.is_free(face)) {
            let [a, b, c] = mesh.corners(face);
            for place in [a, a.midpoint(b), (a + b + c) / 3.0] {
                let (distance, oracle) = (check_path(&field, face, place), euclidean(goal, place));
                assert!((distance - oracle).abs() < 1e-12, "{goal} {place}: {distance} {oracle}");
            }
        }
    }
}

#[test]
fn long_thin_faces_keep_most_digits() {
    // A square cut into strips of 1e-6, each into two triangles.
    let mut random = SplitMix64::new(10);
    let rows: Vec<f64> = (0..40).map(|k| f64::from(k) * 1e-6).chain([0.3, 0.300001, 1.0]).collect();
    let vertices = rows.iter().flat_map(|&y| [Vec3::new(0.0, y, 0.0), Vec3::new(1.0, y, 0.0)]).collect();
    let triangles = (0..rows.len() as u32 - 1).flat_map(|k| {
        let [a, b, c, d] = [2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2];
        [[a, b, c], [a, c, d]]
    });
    let mesh = TriMesh::new(vertices, triangles.collect()).unwrap();
    let surface = GeodesicSurface::new(&mesh).unwrap();
    let count = mesh.triangles().len();
    for _ in 0..40 {
        let from = random.below(count) as u32;
        let start = random_place(&mut random, &mesh, from);
        let field = surface.field(&point_goal(from, start)).unwrap();
        for to in 0..count as u32 {
            let stop = random_place(&mut random, &mesh, to);
            let distance = field.distance_at(to, stop).unwrap();
            assert!((distance - start.distance(stop)).abs() < 1e-9, "{start} {stop}: {distance}");
        }
    }
}

#[test]
fn the_unit_of_length_does_not_matter() {
    let mut random = SplitMix64::new(11);
    let mesh = generate::torus(1.0, 0.4, 12, 8).unwrap();
    let start = random_place(&mut random, &mesh, 7);
    let reference = GeodesicSurface::new(&mesh).unwrap();
    let reference = reference.field(&point_goal(7, start)).unwrap();
    for unit in [1e-90, 1e-9, 1e9, 1e90] {
        let scaled = mesh.scaled(unit).unwrap();
        let surface = GeodesicSurface::new(&scaled).unwrap();
        let field = surface.field(&point_goal(7, start * unit)).unwrap();
        for face in 0..mesh.triangles().len() as u32 {
            let place = random_place(&mut random, &mesh, face);
            let (a, b) = (reference.distance_at(face, place).unwrap(), field.distance_at(face, place * unit).unwrap());
            assert!((a - b / unit).abs() < 1e-12, "{unit}: {a} {}", b / unit);
        }
    }
}

#[test]
fn walls_close_off_and_vertices_join_nothing() {
    // Two squares that meet in a corner only.
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]];
    let vertices = corners.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
    let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3], [2, 4, 5], [2, 5, 6]]).unwrap();
    let surface = GeodesicSurface::new(&mesh).unwrap();
    let field = surface.field(&point_goal(0, Vec3::ZERO)).unwrap();
    assert_eq!(field.distance_at(1, Vec3::Y), Some(1.0));
    assert_eq!(field.distance_at(2, Vec3::new(2.0, 1.5, 0.0)), None);
    assert_eq!(field.path_from(2, Vec3::new(2.0, 1.5, 0.0)), None);
    assert_eq!(field.distance_at(9, Vec3::ZERO), None);
    assert_eq!(field.distance_at(0, Vec3::splat(f64::NAN)), None);
}

#[test]
fn bad_input_is_refused() {
    let cube = generate::cuboid([0.5; 3]).unwrap();
    let surface = GeodesicSurface::new(&cube).unwrap();
    let refused = |goal: &GeodesicGoal| surface.field(goal).map(|_| ()).unwrap_err();
    assert_eq!(refused(&GeodesicGoal::default()), GeodesicError::NoGoal);
    assert_eq!(refused(&point_goal(12, Vec3::ZERO)), GeodesicError::NoFace { face: 12, faces: 12 });
    assert_eq!(refused(&point_goal(0, Vec3::splat(f64::NAN))), GeodesicError::NotFinite { index: 0 });
    let far = cube.corners(0)[0] * 3.0;
    assert_eq!(refused(&point_goal(0, far)), GeodesicError::OutsideFace { index: 0, face: 0 });
    let walled = GeodesicSurface::with_obstacles(&cube, &[3]).unwrap();
    let in_wall = GeodesicGoal { faces: vec![3], ..GeodesicGoal::default() };
    assert_eq!(walled.field(&in_wall).map(|_| ()).unwrap_err(), GeodesicError::GoalInObstacle { face: 3 });
    assert_eq!(
        GeodesicSurface::with_obstacles(&cube, &[12]).map(|_| ()).unwrap_err(),
        GeodesicError::NoFace { face: 12, faces: 12 }
    );
    let few = surface.clone().with_most_windows(3);
    let goal = point_goal(0, cube.corners(0)[0]);
    assert_eq!(few.field(&goal).map(|_| ()).unwrap_err(), GeodesicError::TooManyWindows { limit: 3 });
    // A face on a line is refused, unless it is an obstacle.
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 2.0];
    let thin = TriMesh::new(vertices.clone(), vec![[0, 1, 2], [0, 3, 1]]).unwrap();
    let error = GeodesicSurface::new(&thin).map(|_| ()).unwrap_err();
    assert_eq!(error, GeodesicError::ThinFace { face: 1, height: 0.0 });
    assert!(GeodesicSurface::with_obstacles(&thin, &[1]).is_ok());
    // Two faces that run in the same direction along their edge.
    let turned = TriMesh::new(vertices, vec![[0, 1, 2], [1, 2, 3]]).unwrap();
    let error = GeodesicSurface::new(&turned).map(|_| ()).unwrap_err();
    assert_eq!(error, GeodesicError::Edge { vertices: [1, 2], faces: 2 });
}
