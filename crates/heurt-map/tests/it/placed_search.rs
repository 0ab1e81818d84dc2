//! Searches in placed maps against plain loops in integers, and maps of floors.

use heurt_geometry::{FloorArea, PlanArea, Vec2, Vec3};
use heurt_map::placed::{CellTracking, MapSearch, NearOptions, PathEnd, PlacedMap, PlacedMapError};
use heurt_map::track::{CellPlace, TrackWall};
use heurt_testkit::number::random::Random;

/// Returns a random integer below `bound`.
fn below(random: &mut Random, bound: i64) -> i64 {
    (random.between(0.0, bound as f64) as i64).min(bound - 1)
}

/// The closed square of side 4 with its lower corner at `low` contains the point.
fn has(low: [i64; 2], [x, y]: [i64; 2]) -> bool {
    (low[0]..=low[0] + 4).contains(&x) && (low[1]..=low[1] + 4).contains(&y)
}

/// The closed square meets the closed segment: their boxes meet, and corners are not all strictly on one side.
fn meets(low: [i64; 2], [a, b]: [[i64; 2]; 2]) -> bool {
    let is_separated = |k: usize| a[k].max(b[k]) < low[k] || a[k].min(b[k]) > low[k] + 4;
    let side = |[x, y]: [i64; 2]| ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])).signum();
    let sides = [[0, 0], [4, 0], [4, 4], [0, 4]].map(|[x, y]| side([low[0] + x, low[1] + y]));
    !is_separated(0) && !is_separated(1) && sides.iter().any(|&side| side >= 0) && sides.iter().any(|&side| side <= 0)
}

/// A grid of 5 × 4 squares of side 1; positions in quarters are exact.
fn at([x, y]: [i64; 2]) -> Vec3 {
    Vec3::new(x as f64 * 0.25, y as f64 * 0.25, 0.0)
}

fn squares() -> impl Iterator<Item = (u32, [i64; 2])> {
    (0..20).map(|cell: u32| (cell, [i64::from(cell % 5) * 4, i64::from(cell / 5) * 4]))
}

#[test]
fn points_and_segments_are_in_the_squares_of_a_plain_loop() {
    let mut random = Random::new(11);
    let map = PlacedMap::flat_grid([5, 4], 1.0).expect("a grid");
    let (borrowed, owned) = (MapSearch::new(&map).expect("ready"), MapSearch::new(map.clone()).expect("ready"));
    assert_eq!(
        (borrowed.tracking(), borrowed.plane(), borrowed.untrusted()),
        (CellTracking::Plane, Some(0.0), &[][..])
    );
    for _ in 0..400 {
        let mut one = || [below(&mut random, 21), below(&mut random, 17)];
        let [a, b] = [one(), one()];
        let found = borrowed.locate(at(a)).expect("located");
        let expected: Vec<u32> = squares().filter(|&(_, low)| has(low, a)).map(|square| square.0).collect();
        assert_eq!((&found.cells, found.at, found.distance), (&expected, at(a), 0.0), "{a:?}");
        assert!(expected.contains(&found.cell.expect("inside")));
        let place = match [a[0] % 4 == 0, a[1] % 4 == 0] {
            [true, true] => CellPlace::Vertex,
            [false, false] => CellPlace::Face,
            _ => CellPlace::Edge,
        };
        assert_eq!(found.place, Some(place));
        let met = owned.probe(at(a), at(b)).expect("probed");
        let expected: Vec<u32> = squares().filter(|&(_, low)| meets(low, [a, b])).map(|square| square.0).collect();
        assert_eq!((met.cells, met.end), (expected, PathEnd::Arrived), "{a:?} to {b:?}");
        assert_eq!(borrowed.track(at(a), at(b), &[]), map.track(at(a), at(b), &[]));
    }
}

#[test]
fn the_border_is_named() {
    let search = MapSearch::new(PlacedMap::flat_grid([5, 4], 1.0).expect("a grid")).expect("ready");
    let outside = search.locate(Vec3::new(6.0, 1.5, 0.0)).expect("searched");
    assert_eq!((outside.cell, outside.place, outside.at), (None, None, Vec3::new(5.0, 1.5, 0.0)));
    assert_eq!((outside.distance, outside.cells), (1.0, vec![]));
    let met = search.probe(Vec3::new(3.5, 1.5, 0.0), Vec3::new(6.0, 1.5, 0.0)).expect("probed");
    let wall = PathEnd::Stopped { wall: TrackWall::Boundary, vertices: vec![11, 17] };
    assert_eq!((met.cells, met.end), (vec![8, 9], wall));
    let error = search.probe(Vec3::new(6.0, 1.5, 0.0), Vec3::ZERO).expect_err("outside");
    assert!(matches!(error, PlacedMapError::StartOutside { distance: 1.0, .. }), "{error}");
    let error = search.locate(Vec3::new(0.0, f64::INFINITY, 0.0)).expect_err("no point");
    assert_eq!(error, PlacedMapError::NotFinite { axis: 1, value: f64::INFINITY });
}

#[test]
fn volumes_are_searched_by_their_closures() {
    let mut map = PlacedMap::grid([2, 2, 2], 1.0).expect("a grid");
    for bend in [0.0, 0.125] {
        map.points[13] += Vec3::splat(bend); // The vertex in the middle.
        let search = MapSearch::new(&map).expect("ready");
        let kind = if bend == 0.0 { CellTracking::Convex } else { CellTracking::Star };
        assert_eq!((search.tracking(), search.plane()), (kind, None));
        let centre = search.locate(map.points[13]).expect("located");
        assert_eq!((centre.cells, centre.place), ((0..8).collect::<Vec<u32>>(), Some(CellPlace::Vertex)));
        let inner = search.locate(Vec3::splat(0.25)).expect("located");
        assert_eq!((inner.cell, inner.place, inner.cells), (Some(0), Some(CellPlace::Volume), vec![0]));
        let met = search.probe(Vec3::new(0.25, 0.25, 0.25), Vec3::new(1.75, 0.25, 0.25)).expect("probed");
        assert_eq!((met.cells, met.end), (vec![0, 1], PathEnd::Arrived));
        let points = [Vec3::splat(0.25), Vec3::splat(0.5)];
        let options = NearOptions { points: &points, at: &[], radius: Some(1.0), ..NearOptions::default() };
        assert_eq!(search.near(options), map.near(options));
    }
}

#[test]
fn surfaces_are_searched_by_their_nearest_point() {
    let corners = heurt_mesh::Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]).faces().concat();
    let cube = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [0, 0, 2], [2, 0, 2], [2, 2, 2], [0, 2, 2]];
    let vertices = cube.map(|corner| Vec3::from_array(corner.map(f64::from)));
    let faces = heurt_mesh::BoundaryFaces { corners, ends: vec![4, 8, 12, 16, 20, 24] };
    let search = MapSearch::new(PlacedMap::from_faces(&vertices, &faces).expect("a map")).expect("ready");
    let found = search.locate(Vec3::new(0.5, 1.0, 2.5)).expect("located");
    assert_eq!((found.cell, found.at, found.distance), (Some(1), Vec3::new(0.5, 1.0, 2.0), 0.5));
    let met = search.probe(Vec3::new(0.5, 1.0, 2.5), Vec3::new(2.5, 1.0, 0.5)).expect("probed");
    assert_eq!((met.cells, met.end, met.to), (vec![1, 3], PathEnd::Arrived, Vec3::new(2.0, 1.0, 0.5)));
}

#[test]
fn floors_with_holes_have_no_cell_in_them() {
    let square = |low: f64, high: f64| [[low, low], [high, low], [high, high], [low, high]].map(Vec2::from_array);
    let area = PlanArea { outline: square(0.0, 6.0).to_vec(), holes: vec![square(2.0, 4.0).to_vec()] };
    let map = PlacedMap::from_floors(&[FloorArea::level(area.clone(), 3.5)]).expect("a map");
    let summary = map.summary().expect("numbered");
    assert_eq!((summary.euler, summary.border_pieces, summary.untrusted.len()), (0, 2, 0));
    assert_eq!((summary.sizes.expect("cells").total, map.is_plane(), map.points[0].z), (32.0, true, 3.5));
    let search = MapSearch::new(map).expect("ready");
    let mut random = Random::new(3);
    for _ in 0..200 {
        let point = Vec2::new(random.between(-1.0, 7.0), random.between(-1.0, 7.0));
        let found = search.locate(point.extend(3.5)).expect("searched");
        assert_eq!(found.cell.is_some(), area.contains(point), "{point}");
    }
}

#[test]
fn storeys_are_joined_by_their_stair() {
    let area = |x: f64| PlanArea::rectangle(Vec2::new(x, 0.0), Vec2::new(x + 8.0, 2.0));
    let corners = [[8.0, 0.0, 0.0], [13.0, 0.0, 3.0], [13.0, 2.0, 3.0], [8.0, 2.0, 0.0]].map(Vec3::from_array);
    let stair = FloorArea::from_corners(&corners, &[]).expect("flat");
    let floors = [FloorArea::level(area(0.0), 0.0), stair, FloorArea::level(area(13.0), 3.0)];
    let map = PlacedMap::from_floors(&floors).expect("a map");
    let summary = map.summary().expect("numbered");
    assert_eq!((summary.counts, summary.euler, summary.border_pieces), ([8, 13, 6, 0, 1], 1, 1));
    assert_eq!((summary.tracking, summary.untrusted.len()), (CellTracking::Surface, 0));
    // 4 m on the lower floor, the stair of √34 m, 4 m on the upper floor.
    let from = Vec3::new(4.0, 1.0, 0.0);
    let path = map.track(from, from + Vec3::X * (8.0 + 34f64.sqrt()), &[]).expect("followed");
    assert!(path.reached.distance(Vec3::new(17.0, 1.0, 3.0)) < 1e-9, "{}", path.reached);
    // The floor above another one is not joined to it.
    let above = [FloorArea::level(area(0.0), 0.0), FloorArea::level(area(0.0), 3.0)];
    assert_eq!(PlacedMap::from_floors(&above).expect("a map").summary().expect("numbered").counts[4], 2);
}

#[test]
fn floors_that_are_no_partition_are_refused() {
    let bow = [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]].map(Vec2::from_array);
    let bow = FloorArea::level(PlanArea { outline: bow.to_vec(), holes: Vec::new() }, 0.0);
    let error = PlacedMap::from_floors(&[bow]).expect_err("crossed");
    assert!(matches!(error, PlacedMapError::Outlines { .. }), "{error}");
    assert!(error.to_string().contains("cut both where they meet"), "{error}");
    let plate = || FloorArea::level(PlanArea::rectangle(Vec2::ZERO, Vec2::ONE), 0.0);
    let error = PlacedMap::from_floors(&[plate(), plate(), plate()]).expect_err("three floors at one edge");
    assert!(matches!(error, PlacedMapError::Build(_)), "{error}");
    let nan = FloorArea::level(PlanArea::rectangle(Vec2::NAN, Vec2::ONE), 0.0);
    assert!(matches!(PlacedMap::from_floors(&[nan]), Err(PlacedMapError::Outlines { .. })));
}

/// The distance of a point from a triangle, in plan.
fn plan_distance(at: Vec3, triangle: &[Vec3; 3]) -> f64 {
    let [a, b, c] = triangle.map(Vec3::truncate);
    let (at, sides) = (at.truncate(), [[a, b], [b, c], [c, a]]);
    let turns = sides.map(|[a, b]| (b - a).perp_dot(at - a));
    if turns.iter().all(|&turn| turn > 0.0) || turns.iter().all(|&turn| turn < 0.0) {
        return 0.0;
    }
    let from = |[a, b]: [Vec2; 2]| {
        let share = (at - a).dot(b - a) / (b - a).length_squared();
        at.distance(if share.is_nan() { a } else { a.lerp(b, share.clamp(0.0, 1.0)) })
    };
    sides.map(from).into_iter().fold(f64::INFINITY, f64::min)
}

#[test]
fn obstacles_in_volumes_are_in_the_cells_of_a_plain_loop() {
    let mut random = Random::new(8);
    let map = PlacedMap::grid([5, 4, 3], 1.0).expect("a grid");
    for round in 0..40 {
        let z = below(&mut random, 13) as f64 * 0.25;
        let mut one = || [below(&mut random, 21) as f64 * 0.25, below(&mut random, 17) as f64 * 0.25];
        let triangles: Vec<[Vec3; 3]> =
            (0..6).map(|_| [one(), one(), one()].map(|[x, y]| Vec3::new(x, y, z))).collect();
        let at = [Vec3::new(2.125, 1.875, 1.375)];
        let options = NearOptions { at: &at, radius: Some(1.5), obstacles: &triangles, ..NearOptions::default() };
        let lists = map.near(options).expect("registered");
        // The triangle is in a plane of constant z: it meets a box if the plane does, and both meet in plan.
        let is_in = |cell: usize, triangle: &[Vec3; 3]| {
            let low = [cell % 5, cell / 5 % 4, cell / 20].map(|k| k as f64);
            let corner = |x: f64, y: f64| Vec3::new(low[0] + x, low[1] + y, z);
            let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| corner(x, y));
            let halves = [[square[0], square[1], square[2]], [square[0], square[2], square[3]]];
            (low[2]..=low[2] + 1.0).contains(&z)
                && halves.iter().any(|half| heurt_geometry::triangles_intersect(half, triangle))
        };
        for (cell, &count) in lists.obstacle_counts.iter().enumerate() {
            let expected = triangles.iter().filter(|triangle| is_in(cell, triangle)).count();
            assert_eq!(count as usize, expected, "cell {cell}, round {round}");
        }
        let ring = map.neighbour_cells(lists.places[0].cell.expect("inside"));
        let around: Vec<usize> = ring.into_iter().chain(lists.places[0].cell).map(|cell| cell as usize).collect();
        let expected: Vec<u32> =
            (0..6).filter(|&k| around.iter().any(|&cell| is_in(cell, &triangles[k as usize]))).collect();
        assert_eq!(lists.places[0].obstacles, expected, "round {round}");
        for (number, triangle) in (0..).zip(&triangles) {
            let distance = plan_distance(at[0], triangle).hypot(at[0].z - z);
            let found = lists.places[0].obstacles_within.iter().find(|near| near.0 == number);
            assert_eq!(found.is_some(), distance <= 1.5, "{distance}");
            assert!(found.is_none_or(|near| (near.1 - distance).abs() < 1e-12));
        }
    }
    let beyond = [[Vec3::ZERO, Vec3::X, Vec3::new(0.0, 9.0, 0.0)], [Vec3::ZERO, Vec3::X, Vec3::Y]];
    let points = [Vec3::splat(0.5)];
    let lists = map.near(NearOptions { points: &points, obstacles: &beyond, ..NearOptions::default() });
    let lists = lists.expect("registered");
    assert_eq!((lists.obstacles_outside, &lists.places[0].obstacles), (vec![0], &vec![1]));
    assert_eq!(lists.counts[0], [1, 0], "obstacles are no points");
    let bad = [[Vec3::ZERO, Vec3::X, Vec3::NAN]];
    let error = map.near(NearOptions { obstacles: &bad, ..NearOptions::default() }).expect_err("no triangle");
    assert!(matches!(error, PlacedMapError::NotFinite { .. }), "{error}");
}
