//! Repair of flat faces: rings, sheets, repeated triangles, and holes that touch in vertices.

use crate::damage::without;
use crate::lawful::{lawful, repaired, restored, volume};
use crate::shapes::{Random, cube, mesh, sphere};
use heurt_geometry::Vec3;
use heurt_mesh::repair::{HoleReason, Step};
use heurt_mesh::{RepairOptions, Topology, TriMesh, generate, measures, repair};

#[test]
fn rings_in_rings_are_filled_or_left_within_a_budget() {
    // Sheets of concentric square rings, each between a loop and the next one inside: seen as holes, discs alternate.
    let rings = |count: usize| {
        let mut points = Vec::new();
        let mut triangles = Vec::new();
        for ring in 0..count {
            let (outer, inner) = ((2 * (count - ring)) as f64, (2 * (count - ring)) as f64 - 1.0);
            let first = points.len() as u32;
            for size in [outer, inner] {
                points.extend([[-size, -size, 0.0], [size, -size, 0.0], [size, size, 0.0], [-size, size, 0.0]]);
            }
            for k in 0..4 {
                let (a, b) = (first + k, first + (k + 1) % 4);
                triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
            }
        }
        mesh(&points, &triangles)
    };
    let options = RepairOptions { steps: vec![Step::Fill], ..RepairOptions::default() };
    let few = repair(&rings(20), &options).unwrap();
    assert!(few.report.holes.iter().all(|hole| hole.reason != HoleReason::TooManyNested));
    // Boxes of 12,000 loops meet in 144 million pairs.
    let many = repair(&rings(6000), &options).unwrap();
    assert!(many.report.holes.iter().any(|hole| hole.reason == HoleReason::TooManyNested));
    assert_eq!(many.report.after.triangles, many.report.before.triangles);
}

/// Walls of tubes around the z axis, outer and inner ones by turns: each with a number of sides and a radius. The flat
/// rings between them are missing at both ends.
fn tubes(walls: &[(u32, f64)]) -> TriMesh {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (number, &(sides, radius)) in walls.iter().enumerate() {
        let first = points.len() as u32;
        for height in [0.0, 1.0] {
            points.extend((0..sides).map(|side| {
                let angle = std::f64::consts::TAU * f64::from(side) / f64::from(sides);
                [radius * angle.cos(), radius * angle.sin(), height]
            }));
        }
        for side in 0..sides {
            let (a, b) = (first + side, first + (side + 1) % sides);
            for corners in [[a, b, b + sides], [a, b + sides, a + sides]] {
                let [a, b, c] = corners;
                triangles.push(if number % 2 == 0 { [a, b, c] } else { [a, c, b] });
            }
        }
    }
    mesh(&points, &triangles)
}

#[test]
fn a_ring_with_one_border_over_the_limit_is_left_as_a_whole() {
    for walls in [[(20, 2.0), (5, 1.0)], [(5, 2.0), (20, 0.5)]] {
        let broken = tubes(&walls);
        let options = RepairOptions { max_hole_edges: 10, ..RepairOptions::default() };
        let left = repair(&broken, &options).unwrap();
        assert_eq!(left.mesh.triangles().len(), broken.triangles().len());
        assert_eq!(left.report.holes.len(), 4);
        for hole in &left.report.holes {
            let is_long = hole.vertices.len() == 20;
            let reason = if is_long { HoleReason::TooManyEdges { limit: 10 } } else { HoleReason::OtherBorder };
            assert_eq!(hole.reason, reason);
        }
        let filled = repaired(&broken);
        assert!(filled.report.is_solid() && filled.report.after.triangles == 100);
    }
}

#[test]
fn eighty_rings_in_one_plane_are_filled() {
    let walls: Vec<(u32, f64)> = (0..80).map(|ring| (4, f64::from(200 - 2 * ring))).collect();
    let filled = repaired(&tubes(&walls));
    assert!(filled.report.is_solid(), "{:?}", filled.report.left());
    let area = |&(sides, radius): &(u32, f64)| {
        0.5 * f64::from(sides) * radius * radius * (std::f64::consts::TAU / f64::from(sides)).sin()
    };
    let exact: f64 = walls.iter().enumerate().map(|(k, wall)| if k % 2 == 0 { area(wall) } else { -area(wall) }).sum();
    assert!((volume(&filled.mesh) - exact).abs() < 1e-9 * exact, "{} {exact}", volume(&filled.mesh));
}

#[test]
fn repeated_triangles_go_and_close_no_border() {
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    // The repeat closes two edges of the square by parity, and its removal opens them.
    let sheet = repaired(&mesh(&square, &[[0, 1, 2], [0, 2, 3], [0, 2, 3]])).report;
    assert_eq!((sheet.after.triangles, sheet.after.area, sheet.is_solid()), (2, 1.0, false));
    assert_eq!((sheet.before.open_length, sheet.after.open_length), (4.0, 4.0));
    // All faces of a cube, twice and three times.
    let cube = generate::cuboid([1.0; 3]).unwrap();
    for copies in [2, 3] {
        let repeated = TriMesh::new(cube.vertices().to_vec(), cube.triangles().repeat(copies)).unwrap();
        let report = repaired(&repeated).report;
        assert_eq!((report.after.triangles, report.after.volume), (12, Some(8.0)));
        assert!(report.is_solid());
    }
}

/// A flat grid of cells of two triangles, without the given cells.
fn grid(cells: u32, missing: &[[u32; 2]]) -> TriMesh {
    let side = cells + 1;
    let points: Vec<[f64; 3]> = (0..side * side).map(|k| [f64::from(k % side), f64::from(k / side), 0.0]).collect();
    let mut triangles = Vec::new();
    for (x, y) in (0..cells).flat_map(|y| (0..cells).map(move |x| (x, y))) {
        if !missing.contains(&[x, y]) {
            let a = y * side + x;
            triangles.extend([[a, a + 1, a + side + 1], [a, a + side + 1, a + side]]);
        }
    }
    mesh(&points, &triangles)
}

#[test]
fn sheets_lose_their_repeats_and_no_triangle() {
    // The direction of each copy of the triangles of a sheet by turns.
    let patterns: [(&str, &[&[bool]]); 7] = [
        ("twice", &[&[true, true]]),
        ("three times", &[&[true, true, true]]),
        ("twice or three times", &[&[true, true], &[true, true, true]]),
        ("both sides", &[&[true, false]]),
        ("one of two from both sides", &[&[true], &[true, false]]),
        ("two of four from both sides", &[&[true], &[false, true], &[true, false], &[true]]),
        ("more of one direction", &[&[true], &[true, false, true], &[true, true]]),
    ];
    for (name, pattern) in patterns {
        for cells in [1, 2, 5] {
            let sheet = grid(cells, &[]);
            let copies = sheet.triangles().iter().zip(pattern.iter().cycle()).flat_map(|(&[a, b, c], directions)| {
                directions.iter().map(move |&direction| if direction { [a, b, c] } else { [a, c, b] })
            });
            let repeated = TriMesh::new(sheet.vertices().to_vec(), copies.collect()).unwrap();
            let result = repaired(&repeated);
            let report = &result.report;
            assert_eq!(report.after.triangles, sheet.triangles().len(), "{name} {cells}: {report:?}");
            assert_eq!(report.after.area, f64::from(cells * cells), "{name} {cells}");
            assert_eq!((report.after.faults.duplicate_faces, report.after.faults.holes), (0, 1), "{name} {cells}");
            assert!(!report.is_solid() && report.settled, "{name} {cells}");
        }
    }
}

#[test]
fn walls_inside_a_body_that_are_drawn_from_both_sides_go() {
    // A cube whose diagonal plane has two triangles, each from both sides.
    let cube = cube();
    let at = |x: f64, y: f64, z: f64| {
        let is_there = |vertex: &Vec3| vertex.to_array() == [x, y, z];
        cube.vertices().iter().position(is_there).unwrap() as u32
    };
    let [a, b, c, d] = [at(0.0, 0.0, 0.0), at(1.0, 1.0, 0.0), at(1.0, 1.0, 1.0), at(0.0, 0.0, 1.0)];
    let wall = [[a, b, c], [a, c, b], [a, c, d], [a, d, c]];
    let triangles = cube.triangles().iter().copied().chain(wall).collect();
    let report = repaired(&TriMesh::new(cube.vertices().to_vec(), triangles).unwrap()).report;
    assert!(report.is_solid());
    assert_eq!((report.after.triangles, report.after.volume), (12, measures(&cube).volume));
}

#[test]
fn holes_in_a_flat_sheet_are_filled() {
    for (cells, missing) in [(5, vec![[2, 2]]), (9, vec![[1, 1], [4, 4], [7, 2]])] {
        let report = repaired(&grid(cells, &missing)).report;
        assert_eq!((report.after.area, report.after.faults.holes), (f64::from(cells * cells), 1), "{cells}");
    }
    // Two holes that touch in a vertex.
    let report = repaired(&grid(6, &[[2, 2], [3, 3]])).report;
    assert_eq!((report.after.area, report.after.faults.holes), (36.0, 1));
}

#[test]
fn holes_that_touch_in_vertices_are_filled_one_by_one() {
    let ball = sphere(4);
    let topology = Topology::new(&ball);
    for kept in [0, 7, 40] {
        // The three neighbours of a triangle are missing.
        let mut around: Vec<u32> = Vec::new();
        for edge in topology.edges().filter(|edge| edge.triangles().any(|triangle| triangle == kept)) {
            around.extend(edge.triangles().filter(|&triangle| triangle != kept));
        }
        assert_eq!(around.len(), 3);
        let result = restored("neighbours", &ball, &without(&ball, |triangle| around.contains(&triangle)), 1e-12);
        assert_eq!(result.report.steps[Step::Fill as usize].change.holes_filled, 3);
    }
    // A tenth of the triangles of a sphere, at random.
    let ball = generate::icosphere(1.0, 3).unwrap();
    let mut random = Random::new(5);
    for share in [20, 10] {
        let missing: Vec<bool> = ball.triangles().iter().map(|_| random.below(share) == 0).collect();
        let broken = without(&ball, |triangle| missing[triangle as usize]);
        let result = lawful("random", &broken);
        assert!(result.report.is_solid(), "{share}: {:?}", result.report.left());
    }
}

#[test]
fn the_rim_of_a_flat_sheet_is_named() {
    let report = repaired(&grid(3, &[])).report;
    assert_eq!(report.holes.iter().map(|hole| hole.reason).collect::<Vec<_>>(), [HoleReason::Rim]);
}

#[test]
fn rings_of_all_sizes_are_filled() {
    for scale in [1e-150, 1e-120, 1e-9, 1e9, 1e61, 1e100] {
        let tube = tubes(&[(8, 2.0), (5, 1.0)]);
        let vertices = tube.vertices().iter().map(|&vertex| vertex * scale).collect();
        let report = repaired(&TriMesh::new(vertices, tube.triangles().to_vec()).unwrap()).report;
        assert_eq!(report.after.faults.total(), 0, "{scale}: {:?}", report.left());
    }
}
