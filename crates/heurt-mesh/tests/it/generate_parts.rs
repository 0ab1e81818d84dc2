//! Machine parts: closed, of the right genus, of the volume that their dimensions say.

use crate::generate_support::{area, audit, volume};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{self, GenerateError};
use std::f64::consts::PI;

/// Area of the regular `n`-gon inscribed in the circle of radius `r`.
fn polygon(n: u32, r: f64) -> f64 {
    f64::from(n) / 2.0 * r * r * (2.0 * PI / f64::from(n)).sin()
}

fn hexagon(across_flats: f64) -> f64 {
    across_flats * across_flats * 3f64.sqrt() / 2.0
}

#[track_caller]
fn expect(mesh: &TriMesh, genus: i64, exact: f64) {
    assert_eq!(audit(mesh), Ok(2 - 2 * genus));
    let got = volume(mesh);
    assert!((got - exact).abs() <= 1e-11 * exact, "volume {got}, exact {exact}");
    assert_faces_do_not_fold(mesh);
}

/// The triangles in the highest and lowest planes across each axis all look outward: a fold would turn one, and would
/// show neither in the edges nor in the volume.
fn assert_faces_do_not_fold(mesh: &TriMesh) {
    let bounds = mesh.bounds();
    for index in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(index as u32);
        let normal = (b - a).cross(c - a);
        for axis in 0..3 {
            let level = |height: f64| [a, b, c].iter().all(|v| v[axis] == height);
            assert!(!level(bounds.max[axis]) || normal[axis] > 0.0, "triangle {index} is folded");
            assert!(!level(bounds.min[axis]) || normal[axis] < 0.0, "triangle {index} is folded");
        }
    }
}

#[test]
fn bolts_nuts_washers_have_exact_volumes() {
    for segments in [3, 4, 5, 6, 7, 12, 48, 1001] {
        let (end, full) = (polygon(segments, 3.5), polygon(segments, 4.0));
        // A frustum between similar polygons: h/3 (A + B + √(AB)).
        let exact = hexagon(13.0) * 5.0 + full * 29.5 + 0.5 / 3.0 * (end + full + (end * full).sqrt());
        let bolt = generate::bolt(13.0, 5.0, 8.0, 30.0, 0.5, segments).unwrap();
        expect(&bolt, 0, exact);
        assert_eq!(bolt.triangles().len() as u32, 6 * segments + 24);
        let nut = generate::nut(13.0, 6.5, 8.0, segments).unwrap();
        expect(&nut, 1, 6.5 * (hexagon(13.0) - full));
        assert_eq!(nut.triangles().len() as u32, 4 * segments + 24);
        let washer = generate::washer(16.0, 8.0, 1.5, segments).unwrap();
        expect(&washer, 1, 1.5 * (polygon(segments, 8.0) - full));
    }
    // Holes as wide as can be.
    expect(&generate::nut(13.0, 1.0, 12.9999, 64).unwrap(), 1, hexagon(13.0) - polygon(64, 12.9999 / 2.0));
    for diameter in [1e-3, 8e-3, 0.1] {
        assert_eq!(audit(&generate::metric_bolt(diameter, 4.0 * diameter, 32).unwrap()), Ok(2));
        assert_eq!(audit(&generate::metric_nut(diameter, 32).unwrap()), Ok(0));
        assert_eq!(audit(&generate::metric_washer(diameter, 32).unwrap()), Ok(0));
    }
}

#[test]
fn plates_have_a_genus_per_hole() {
    for (holes, segments) in [([1, 1], 3), ([1, 1], 64), ([4, 3], 7), ([10, 1], 16), ([2, 9], 33)] {
        let count = f64::from(holes[0] * holes[1]);
        let diameter = 0.9 * f64::min(24.0 / f64::from(holes[0]), 16.0 / f64::from(holes[1]));
        let mesh = generate::plate([24.0, 16.0, 1.2], holes, diameter, segments).unwrap();
        let exact = 1.2 * (24.0 * 16.0 - count * polygon(segments, diameter / 2.0));
        expect(&mesh, (holes[0] * holes[1]).into(), exact);
    }
}

#[test]
fn brackets_have_a_genus_per_hole() {
    // L: 60 × 8 + 72 × 8, 50 wide, less two holes through 8.
    let solid = (60.0 * 8.0 + 72.0 * 8.0) * 50.0;
    for segments in [3, 5, 8, 31, 200] {
        for (base, wall) in [(None, None), (Some(9.0), None), (None, Some(20.0)), (Some(49.0), Some(49.9))] {
            let holes = [base, wall].into_iter().flatten();
            let drilled: f64 = holes.clone().map(|d| 8.0 * polygon(segments, d / 2.0)).sum();
            let mesh = generate::bracket([60.0, 50.0, 80.0], 8.0, base, wall, segments).unwrap();
            expect(&mesh, holes.clone().count() as i64, solid - drilled);
            // Two L-shaped ends, the outline unrolled, and for each hole its wall less its two mouths.
            let ends = 2.0 * (60.0 * 8.0 + 72.0 * 8.0);
            let unrolled = (60.0 + 8.0 + 52.0 + 72.0 + 8.0 + 80.0) * 50.0;
            let side = |d: f64| d * (PI / f64::from(segments)).sin();
            let walls: f64 =
                holes.map(|d| f64::from(segments) * side(d) * 8.0 - 2.0 * polygon(segments, d / 2.0)).sum();
            assert!((area(&mesh) - (ends + unrolled + walls)).abs() < 1e-10 * unrolled);
        }
    }
}

#[test]
fn gears_are_closed_at_all_tooth_counts() {
    for teeth in [6, 7, 12, 17, 24, 41, 42, 100, 1000] {
        for (angle, backlash) in [(20f64.to_radians(), 0.0), (14.5f64.to_radians(), 0.1), (25f64.to_radians(), 0.25)] {
            if teeth < 8 && angle > 0.4 {
                continue; // A pointed tooth, refused: see below.
            }
            for segments in [2, 3, 8] {
                let mesh = generate::gear(teeth, 1.0, angle, backlash, 3.0, 2.0, segments).unwrap();
                assert_eq!(audit(&mesh), Ok(0), "{teeth} {angle} {backlash} {segments}");
                assert_faces_do_not_fold(&mesh);
                assert_eq!(mesh.triangles().len() as u32, 32 * segments * teeth);
                let got = volume(&mesh) / 3.0;
                // Teeth fill about half of the ring between root and tip circle.
                let radius = f64::from(teeth) / 2.0;
                let disc = |r: f64| PI * (r * r - 1.0);
                let (low, high) = (disc(radius - 1.25), disc(radius + 1.0));
                assert!(got > low + 0.25 * (high - low) && got < low + 0.65 * (high - low), "{teeth}: {got}");
            }
        }
    }
}

#[test]
fn backlash_thins_every_tooth() {
    // At the pitch circle the tooth loses `backlash` of its width; over the tooth's height 2.25 m, by similar flanks.
    let plain = volume(&generate::gear(24, 1.0, 0.35, 0.0, 1.0, 4.0, 16).unwrap());
    let thin = volume(&generate::gear(24, 1.0, 0.35, 0.1, 1.0, 4.0, 16).unwrap());
    let lost = (plain - thin) / 24.0;
    assert!(lost > 0.1 * 1.9 && lost < 0.1 * 2.4, "{lost}");
}

#[test]
fn parts_refine_without_changing() {
    let coarse = generate::bracket([60.0, 50.0, 80.0], 8.0, Some(9.0), Some(20.0), 24).unwrap();
    let fine = generate::subdivided(&coarse, 4).unwrap();
    assert_eq!(fine.triangles().len(), 256 * coarse.triangles().len());
    expect(&fine, 2, volume(&coarse));
}

#[track_caller]
fn refused(result: Result<TriMesh, GenerateError>, name: &str) {
    match result {
        Err(GenerateError::Parameter { parameter, .. }) => assert_eq!(parameter, name),
        other => panic!("expected a parameter error for {name}, got {:?}", other.map(|mesh| mesh.triangles().len())),
    }
}

#[test]
fn bad_dimensions_are_named() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(generate::bolt(bad, 5.0, 8.0, 30.0, 0.5, 8), "across_flats");
        refused(generate::bolt(13.0, bad, 8.0, 30.0, 0.5, 8), "head_height");
        refused(generate::bolt(13.0, 5.0, bad, 30.0, 0.5, 8), "shank_diameter");
        refused(generate::bolt(13.0, 5.0, 8.0, bad, 0.5, 8), "length");
        refused(generate::bolt(13.0, 5.0, 8.0, 30.0, bad, 8), "chamfer");
        refused(generate::nut(13.0, bad, 8.0, 8), "height");
        refused(generate::washer(16.0, bad, 1.5, 8), "inner_diameter");
        refused(generate::plate([24.0, 16.0, bad], [1, 1], 1.0, 8), "size z");
        refused(generate::plate([24.0, 16.0, 1.0], [1, 1], bad, 8), "hole_diameter");
        refused(generate::bracket([60.0, bad, 80.0], 8.0, None, None, 8), "width");
        refused(generate::bracket([60.0, 50.0, 80.0], 8.0, Some(bad), None, 8), "base_hole");
        refused(generate::gear(20, bad, 0.35, 0.0, 3.0, 2.0, 4), "module");
        refused(generate::gear(20, 1.0, bad, 0.0, 3.0, 2.0, 4), "pressure_angle_rad");
        refused(generate::gear(20, 1.0, 0.35, 0.0, 3.0, bad, 4), "bore_diameter");
    }
    refused(generate::bolt(13.0, 5.0, 13.0, 30.0, 0.5, 8), "shank_diameter");
    refused(generate::bolt(13.0, 5.0, 8.0, 30.0, 4.0, 8), "chamfer");
    refused(generate::nut(13.0, 5.0, 14.0, 8), "bore_diameter");
    refused(generate::washer(16.0, 16.0, 1.5, 8), "inner_diameter");
    refused(generate::plate([24.0, 16.0, 1.0], [3, 2], 8.0, 8), "hole_diameter");
    refused(generate::bracket([60.0, 50.0, 80.0], 60.0, None, None, 8), "thickness");
    refused(generate::bracket([60.0, 50.0, 80.0], 8.0, None, Some(50.0), 8), "wall_hole");
    refused(generate::gear(20, 1.0, 0.35, 0.3, 3.0, 2.0, 4), "backlash");
    refused(generate::gear(20, 1.0, 0.35, -0.1, 3.0, 2.0, 4), "backlash");
    refused(generate::gear(20, 1.0, 0.35, 0.0, 3.0, 17.5, 4), "bore_diameter");
    refused(generate::gear(6, 1.0, 0.44, 0.25, 3.0, 2.0, 4), "pressure_angle_rad"); // A pointed tooth.
}

#[test]
fn bad_counts_are_refused() {
    refused(generate::bolt(13.0, 5.0, 8.0, 30.0, 0.5, 2), "segments");
    refused(generate::nut(13.0, 5.0, 8.0, 0), "segments");
    refused(generate::washer(16.0, 8.0, 1.5, 2), "segments");
    refused(generate::plate([24.0, 16.0, 1.0], [0, 1], 1.0, 8), "holes x");
    refused(generate::plate([24.0, 16.0, 1.0], [1, 0], 1.0, 8), "holes y");
    refused(generate::plate([24.0, 16.0, 1.0], [1, 1], 1.0, 1), "segments");
    refused(generate::bracket([60.0, 50.0, 80.0], 8.0, None, None, 2), "segments");
    refused(generate::gear(5, 1.0, 0.35, 0.0, 3.0, 2.0, 4), "teeth");
    refused(generate::gear(20, 1.0, 0.35, 0.0, 3.0, 2.0, 1), "segments");
    let many = u32::MAX;
    for result in [
        generate::bolt(13.0, 5.0, 8.0, 30.0, 0.5, many),
        generate::nut(13.0, 5.0, 8.0, many),
        generate::washer(16.0, 8.0, 1.5, many),
        generate::plate([24.0, 16.0, 1.0], [many, many], 1e-10, 8),
        generate::bracket([60.0, 50.0, 80.0], 8.0, None, None, many),
        generate::gear(10_000, 1.0, 0.35, 0.0, 3.0, 2.0, 10_000),
    ] {
        assert!(matches!(result, Err(GenerateError::TooManyTriangles { .. })));
    }
}
