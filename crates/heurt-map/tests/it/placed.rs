//! Placed maps: summaries, refinement, paths and lists, against figures that are known and plain loops.

use heurt_geometry::Vec3;
use heurt_map::placed::{
    AnyMap, CellList, CellShape, CellTracking, NearOptions, PathEnd, PlacedMap, PlacedMapError, RefineOptions,
    RefineWithin,
};
use heurt_map::track::TrackWall;
use heurt_mesh::{BoundaryFaces, Cell, VolumeMesh};
use heurt_testkit::number::random::Random;
use std::collections::BTreeSet;

/// A tetrahedron, a pyramid, a prism and a hexahedron that share faces, and a tetrahedron turned inside out.
fn mixed() -> VolumeMesh {
    let at = |[x, y, z]: [i32; 3]| Vec3::new(f64::from(x), f64::from(y), f64::from(z));
    let corners = [
        [0, 0, 0],
        [2, 0, 0],
        [2, 2, 0],
        [0, 2, 0],
        [0, 0, 2],
        [2, 0, 2],
        [2, 2, 2],
        [0, 2, 2], // hexahedron
        [1, 1, 4], // pyramid
        [4, 0, 0],
        [4, 0, 2], // prism
        [-2, -2, -2],
        [-3, -2, -2],
        [-2, -3, -2],
        [-2, -2, -3], // loose tetrahedron
    ];
    let cells = vec![
        Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]),
        Cell::Pyramid([4, 5, 6, 7, 8]),
        Cell::Prism([1, 2, 9, 5, 6, 10]),
        Cell::Tetrahedron([11, 12, 13, 14]),
    ];
    VolumeMesh { vertices: corners.map(at).to_vec(), cells }
}

#[test]
fn standard_volumes_keep_their_kind_and_number() {
    let map = PlacedMap::from_volumes(&mixed()).expect("a map");
    let CellList::Volumes(cells) = map.cells() else { panic!("volumes") };
    let shapes = [CellShape::Hexahedron, CellShape::Pyramid, CellShape::Prism, CellShape::Tetrahedron];
    assert_eq!(map.cells().shapes(), shapes);
    let again = PlacedMap::from_volumes(&VolumeMesh { vertices: map.points.clone(), cells }).expect("a map");
    assert!(again.turned.is_empty());
    let summary = again.summary().expect("numbered");
    assert_eq!(summary.counts, [15, 27, 18, 4, 2]);
    assert_eq!((summary.euler, summary.border_pieces), (2, 2), "two balls");
    assert_eq!((summary.border, summary.faults.len()), (16, 0));
    assert!((summary.sizes.expect("cells").total - (8.0 + 8.0 / 3.0 + 4.0 + 1.0 / 6.0)).abs() < 1e-12);
}

#[test]
fn a_refined_volume_with_finer_neighbours_is_a_polyhedron() {
    let within = Some(RefineWithin { at: Vec3::ZERO, radius: 0.25 });
    let refined = PlacedMap::grid([2, 1, 1], 1.0).expect("a grid").refined(RefineOptions { levels: 1, within });
    let refined = refined.expect("refined");
    assert_eq!(refined.cells_by_level(), [1, 8]);
    // The coarse cell has five vertices of its neighbour on a face: one in the middle, four on edges.
    assert_eq!(refined.hanging.len(), 5);
    let mut shapes = refined.placed.cells().shapes();
    shapes.sort_unstable();
    assert_eq!(shapes[..8], [CellShape::Hexahedron; 8]);
    assert_eq!(shapes[8], CellShape::Polyhedron(9));
    let summary = refined.placed.summary().expect("numbered");
    assert_eq!((summary.euler, summary.tracking, summary.untrusted.len()), (1, CellTracking::Convex, 0));
    assert_eq!(summary.sizes.expect("cells").total, 2.0);
}

#[test]
fn refinement_everywhere_multiplies() {
    for (map, factor) in
        [(PlacedMap::flat_grid([3, 2], 0.5).expect("a grid"), 4), (PlacedMap::grid([2, 1, 1], 2.0).expect("a grid"), 8)]
    {
        let cells = map.cell_numbers().len();
        let before = map.summary().expect("numbered");
        let refined = map.refined(RefineOptions { levels: 2, within: None }).expect("refined");
        assert_eq!(refined.cells_by_level(), [0, 0, cells * factor * factor]);
        assert!(refined.hanging.is_empty());
        let after = refined.placed.summary().expect("numbered");
        assert_eq!((after.euler, after.faults.len(), after.untrusted.len()), (before.euler, 0, 0));
        let [total, again] = [before, after].map(|summary| summary.sizes.expect("cells").total);
        assert!((total - again).abs() < 1e-12 * total);
    }
    let grid = PlacedMap::flat_grid([100, 100], 1.0).expect("a grid");
    let error = grid.refined(RefineOptions { levels: 9, within: None }).expect_err("too many");
    assert!(matches!(error, PlacedMapError::TooManyCells { .. }));
}

#[test]
fn clockwise_faces_of_a_plane_are_turned() {
    let vertices: Vec<Vec3> = (0..6).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3), 7.0)).collect();
    let faces = BoundaryFaces { corners: vec![0, 3, 4, 1, 1, 2, 5, 4], ends: vec![4, 8] };
    let map = PlacedMap::from_faces(&vertices, &faces).expect("a map");
    assert_eq!((map.turned.as_slice(), map.is_plane()), (&[0][..], true));
    assert_eq!(map.tracking().expect("numbered"), (CellTracking::Plane, vec![]));
    let path = map.track(Vec3::new(0.5, 0.5, 7.0), Vec3::new(3.5, 0.5, 7.0), &[]).expect("followed");
    let wall = PathEnd::Stopped { wall: TrackWall::Boundary, vertices: vec![2, 5] };
    assert_eq!((path.cells, path.reached, path.end), (vec![0, 1], Vec3::new(2.0, 0.5, 7.0), wall));
}

#[test]
fn paths_cross_the_cells_that_sampling_finds() {
    let mut random = Random::new(2);
    let map = PlacedMap::grid([5, 4, 3], 1.0).expect("a grid");
    for _ in 0..50 {
        let mut one = || Vec3::new(random.between(0.0, 5.0), random.between(0.0, 4.0), random.between(0.0, 3.0));
        let [from, to] = [one(), one()];
        let path = map.track(from, to, &[]).expect("followed");
        assert_eq!((path.end, path.reached), (PathEnd::Arrived, to));
        let sampled: BTreeSet<u32> = (0..2000)
            .map(|k| from.lerp(to, f64::from(k) / 2000.0))
            .map(|at| at.x as u32 + 5 * (at.y as u32 + 4 * at.z as u32))
            .collect();
        let cells: BTreeSet<u32> = path.cells.iter().copied().collect();
        assert!(sampled.is_subset(&cells) && cells.len() <= sampled.len() + 2, "{from} to {to}");
        assert_eq!(cells.len(), path.cells.len(), "no cell comes twice");
    }
    let face = vec![1, 7, 37, 31]; // Between the first two cells.
    let path = map.track(Vec3::splat(0.5), Vec3::new(4.5, 0.5, 0.5), &[face]).expect("followed");
    assert!(matches!(path.end, PathEnd::Stopped { wall: TrackWall::Obstacle, .. }));
    assert_eq!((path.cells, path.reached.x), (vec![0], 1.0));
    let error = map.track(Vec3::splat(-1.0), Vec3::ZERO, &[]).expect_err("outside");
    assert!(matches!(error, PlacedMapError::StartOutside { .. }), "{error}");
    let error = map.track(Vec3::ONE, Vec3::ZERO, &[vec![0, 1]]).expect_err("no face");
    assert!(matches!(error, PlacedMapError::NoObstacle { what: "face", .. }), "{error}");
}

#[test]
fn lists_are_those_of_plain_loops() {
    let mut random = Random::new(4);
    for map in [PlacedMap::flat_grid([6, 5], 1.0).expect("a grid"), PlacedMap::grid([6, 5, 1], 1.0).expect("a grid")] {
        let mut one = || Vec3::new(random.between(0.0, 6.0), random.between(0.0, 5.0), 0.0);
        let mut points: Vec<Vec3> = (0..60).map(|_| one()).collect();
        points.push(Vec3::new(9.0, 1.0, 0.0)); // Outside.
        let lists = map
            .near(NearOptions { points: &points, at: &[], radius: Some(0.75), ..NearOptions::default() })
            .expect("registered");
        assert_eq!(lists.outside, [(60, 3.0)]);
        let cell = |at: Vec3| [at.x as i32, at.y as i32];
        for (number, place) in lists.places.iter().enumerate().take(60) {
            let own = cell(points[number]);
            assert_eq!(place.cell, Some((own[0] + 6 * own[1]) as u32));
            let far = |k: usize| {
                let other = cell(points[k]);
                (own[0] - other[0]).abs().max((own[1] - other[1]).abs())
            };
            let at = |distance: i32| -> Vec<u32> {
                (0..60).filter(|&k| k != number && far(k) == distance).map(|k| k as u32).collect()
            };
            assert_eq!(place.present, at(0));
            assert_eq!(place.neighbours, at(1));
            let mut within: Vec<u32> = place.within.iter().map(|near| near.0).collect();
            within.sort_unstable();
            let near = (0..60).filter(|&k| k != number && points[k].distance(points[number]) <= 0.75);
            assert_eq!(within, near.map(|k| k as u32).collect::<Vec<_>>());
        }
        let present: u32 = lists.counts.iter().map(|counts| counts[0]).sum();
        assert_eq!(present, 60);
        // A place that is no point counts in no list.
        let at = [points[0]];
        let near = map
            .near(NearOptions { points: &points[1..60], at: &at, radius: None, ..NearOptions::default() })
            .expect("registered");
        let shifted: Vec<u32> = near.places[0].present.iter().map(|&k| k + 1).collect();
        assert_eq!(shifted, lists.places[0].present);
    }
}

#[test]
fn surfaces_are_followed_and_searched() {
    // The surface of a cube: six quadrilaterals.
    let vertices: Vec<Vec3> = mixed().vertices[..8].to_vec();
    let corners = Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]).faces().concat();
    let map = PlacedMap::from_faces(&vertices, &BoundaryFaces { corners, ends: vec![4, 8, 12, 16, 20, 24] });
    let map = map.expect("a map");
    let summary = map.summary().expect("numbered");
    assert_eq!((summary.euler, summary.border, summary.tracking), (2, 0, CellTracking::Surface));
    // From the top over an edge and down the side at x = 2: 3 along x.
    let path = map.track(Vec3::new(0.5, 1.0, 2.5), Vec3::new(3.5, 1.0, 2.0), &[]).expect("followed");
    assert_eq!((path.cells, path.start), (vec![1, 3], Vec3::new(0.5, 1.0, 2.0)));
    assert!(path.reached.distance(Vec3::new(2.0, 1.0, 0.5)) < 1e-12, "{}", path.reached);
    let points = [Vec3::new(1.0, 1.0, 2.1), Vec3::new(2.1, 1.0, 1.0), Vec3::new(1.0, 1.0, -0.1)];
    let lists = map
        .near(NearOptions { points: &points, at: &[], radius: Some(1.5), ..NearOptions::default() })
        .expect("registered");
    assert_eq!(lists.places[0].cell, Some(1));
    assert_eq!(lists.places[0].neighbours, [1], "the bottom shares no vertex with the top");
    assert_eq!(lists.places[0].within.len(), 1);
}

#[test]
fn faults_of_input_are_named() {
    let vertices = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Y];
    let fan = BoundaryFaces { corners: vec![0, 1, 2, 0, 1, 3, 0, 1, 4], ends: vec![3, 6, 9] };
    let error = PlacedMap::from_faces(&vertices, &fan).expect_err("three faces").to_string();
    assert!(error.contains("3 faces share the edge [0, 1]"), "{error}");
    assert!(matches!(PlacedMap::flat_grid([2, 2], -1.0), Err(PlacedMapError::BadSize { .. })));
    assert!(matches!(PlacedMap::grid([2, 0, 1], 1.0), Err(PlacedMapError::Edit(_))));
    let wrong = VolumeMesh { vertices: vertices.to_vec(), cells: vec![Cell::Tetrahedron([0, 1, 2, 9])] };
    assert!(PlacedMap::from_volumes(&wrong).expect_err("no vertex").to_string().contains("vertex 9"));
    let map = PlacedMap::flat_grid([2, 2], 1.0).expect("a grid");
    let AnyMap::Faces(_) = &map.map else { panic!("faces") };
    let bad = map.near(NearOptions { points: &[Vec3::NAN], at: &[], radius: None, ..NearOptions::default() });
    assert!(matches!(bad, Err(PlacedMapError::NotFinite { axis: 0, .. })));
    let bad = map.near(NearOptions { points: &[Vec3::ONE], at: &[], radius: Some(-1.0), ..NearOptions::default() });
    assert!(matches!(bad, Err(PlacedMapError::BadRadius { .. })));
}
