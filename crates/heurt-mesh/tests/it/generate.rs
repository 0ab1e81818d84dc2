//! Every generated solid is closed, oriented outward, welded, of the right genus and of the right volume.

use crate::generate_support;
use crate::generate_support::{Defect, area, audit, distance_range, volume};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{self, GenerateError};
use std::f64::consts::PI;

/// Audits a mesh and compares its volume with the exact one of the smooth solid.
fn expect(name: &str, mesh: &TriMesh, euler: i64, exact: f64, tolerance: f64) {
    assert_eq!(audit(mesh), Ok(euler), "{name}");
    let got = volume(mesh);
    assert!((got - exact).abs() <= tolerance * exact, "{name}: volume {got}, exact {exact}");
}

#[test]
fn audit_finds_planted_defects() {
    let cube = generate::cuboid([1.0, 1.0, 1.0]).unwrap();
    let (vertices, triangles) = cube.clone().into_parts();
    let open = TriMesh::new(vertices.clone(), triangles[1..].to_vec()).unwrap();
    assert!(matches!(audit(&open), Err(Defect::UnpairedEdge(..))));
    let mut flipped = triangles.clone();
    flipped[3].swap(0, 1);
    assert!(matches!(audit(&TriMesh::new(vertices.clone(), flipped).unwrap()), Err(Defect::RepeatedEdge(..))));
    let inward = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert!(volume(&TriMesh::new(vertices.clone(), inward).unwrap()) < 0.0);
    let mut doubled = vertices.clone();
    doubled.push(vertices[0]);
    assert!(matches!(audit(&TriMesh::new(doubled, triangles).unwrap()), Err(Defect::UnusedVertex(8))));
    let mut collapsed = vertices;
    collapsed[1] = collapsed[0];
    assert!(audit(&TriMesh::new(collapsed, cube.triangles().to_vec()).unwrap()).is_err());
}

#[test]
fn platonic_solids_have_their_faces_and_volumes() {
    // Volumes for circumradius 2: tetrahedron 8√3/27 R³, octahedron 4/3 R³, cube-like ones by their edge lengths.
    let r: f64 = 2.0;
    let phi = (1.0 + 5f64.sqrt()) / 2.0;
    let edge_icosa = r / (2.0 * PI / 5.0).sin();
    let edge_dodeca = 2.0 * r / (3f64.sqrt() * phi);
    let cases = [
        (generate::tetrahedron(r), 4, 4, 8.0 * 3f64.sqrt() / 27.0 * r.powi(3)),
        (generate::octahedron(r), 6, 8, 4.0 / 3.0 * r.powi(3)),
        (generate::icosahedron(r), 12, 20, 5.0 * (3.0 + 5f64.sqrt()) / 12.0 * edge_icosa.powi(3)),
        (generate::dodecahedron(r), 20, 36, (15.0 + 7.0 * 5f64.sqrt()) / 4.0 * edge_dodeca.powi(3)),
    ];
    for (mesh, vertices, triangles, exact) in cases {
        let mesh = mesh.unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (vertices, triangles));
        expect("platonic", &mesh, 2, exact, 1e-12);
        assert!(mesh.vertices().iter().all(|v| (v.length() - r).abs() < 1e-12));
    }
    let side = 2.0 / 3f64.sqrt();
    let cube = generate::cuboid([side / 2.0; 3]).unwrap();
    expect("cube", &cube, 2, side.powi(3), 1e-12);
}

#[test]
fn cuboid_is_exact() {
    let mesh = generate::cuboid([1.0, 2.0, 3.0]).unwrap();
    expect("cuboid", &mesh, 2, 48.0, 0.0);
    assert_eq!(area(&mesh), 2.0 * (8.0 + 12.0 + 24.0));
}

#[test]
fn spheres_converge_to_their_volume() {
    let exact = 4.0 / 3.0 * PI * 8.0;
    for (segments, tolerance) in [(4, 0.8), (5, 0.75), (16, 0.08), (65, 0.006), (200, 0.0006)] {
        let mesh = generate::uv_sphere(2.0, segments).unwrap();
        expect("uv sphere", &mesh, 2, exact, tolerance);
        assert_eq!(mesh.triangles().len() as u32, 2 * segments * (segments / 2 - 1));
        assert!(volume(&mesh) < exact, "inscribed");
    }
    for (levels, tolerance) in [(0, 0.4), (1, 0.15), (3, 0.011), (5, 0.0008)] {
        let mesh = generate::icosphere(2.0, levels).unwrap();
        expect("icosphere", &mesh, 2, exact, tolerance);
        assert_eq!(mesh.triangles().len(), 20 << (2 * levels));
    }
}

/// Area of the regular `n`-gon inscribed in the circle of radius `r`.
fn polygon(n: u32, r: f64) -> f64 {
    f64::from(n) / 2.0 * r * r * (2.0 * PI / f64::from(n)).sin()
}

#[test]
fn cylinder_cone_capsule_have_their_volumes() {
    for segments in [3, 4, 7, 64, 500] {
        let base = polygon(segments, 1.5);
        expect("cylinder", &generate::cylinder(1.5, 2.0, segments).unwrap(), 2, base * 4.0, 1e-12);
        expect("cone", &generate::cone(1.5, 2.0, segments).unwrap(), 2, base * 4.0 / 3.0, 1e-12);
    }
    let exact = PI * 1.5 * 1.5 * 4.0 + 4.0 / 3.0 * PI * 1.5f64.powi(3);
    for (segments, tolerance) in [(4, 0.6), (7, 0.4), (32, 0.02), (128, 0.002)] {
        expect("capsule", &generate::capsule(1.5, 2.0, segments).unwrap(), 2, exact, tolerance);
    }
}

#[test]
fn torus_has_genus_one_and_its_volume() {
    let exact = 2.0 * PI * PI * 3.0;
    for (segments, tube, tolerance) in [(3, 3, 0.84), (5, 4, 0.55), (40, 20, 0.03), (300, 150, 0.0006)] {
        let mesh = generate::torus(3.0, 1.0, segments, tube).unwrap();
        expect("torus", &mesh, 0, exact, tolerance);
        assert_eq!(mesh.triangles().len() as u32, 2 * segments * tube);
    }
}

#[test]
fn wavy_shapes_are_closed_and_not_convex() {
    for segments in [4, 9, 100] {
        assert_eq!(audit(&generate::bumpy_sphere(1.0, 0.25, 5.0, segments).unwrap()), Ok(2));
    }
    let bumpy = generate::bumpy_sphere(1.0, 0.25, 5.0, 100).unwrap();
    let (near, far) = distance_range(&bumpy);
    assert!(near > 0.75 && near < 0.9 && far > 1.1 && far < 1.25, "{near} {far}");
    assert!(!generate_support::is_convex(&bumpy));
    assert!(generate_support::is_convex(&generate::uv_sphere(1.0, 24).unwrap()));
    for (waves, segments, bands) in [(1, 4, 1), (12, 8, 1), (24, 16, 5)] {
        assert_eq!(audit(&generate::wavy_disc(1.0, 0.2, 0.15, waves, segments, bands).unwrap()), Ok(2));
    }
    // ∮ r²/2 dθ = π (1 + a²/2).
    let disc = generate::wavy_disc(1.0, 0.25, 0.2, 12, 64, 2).unwrap();
    expect("wavy disc", &disc, 2, 0.5 * PI * (1.0 + 0.02), 1e-2);
}

#[test]
fn subdivision_keeps_surface_and_genus() {
    for (mesh, euler) in
        [(generate::cuboid([1.0, 2.0, 0.5]).unwrap(), 2), (generate::torus(2.0, 0.5, 12, 6).unwrap(), 0)]
    {
        let fine = generate::subdivided(&mesh, 3).unwrap();
        assert_eq!(fine.triangles().len(), 64 * mesh.triangles().len());
        expect("subdivided", &fine, euler, volume(&mesh), 1e-12);
        assert!((area(&fine) - area(&mesh)).abs() < 1e-12 * area(&mesh));
        assert_eq!(generate::subdivided(&mesh, 0).unwrap(), mesh);
    }
}

#[test]
fn segment_choosers_reach_their_target() {
    for target in [1, 100, 10_000, 100_000, 123_457, 1_000_000] {
        let sphere = u64::from(generate::sphere_segments(target));
        let made = 2 * sphere * (sphere / 2 - 1);
        assert!(made >= target && made <= target + 8 * sphere, "{target}: {made}");
        let torus = u64::from(generate::torus_segments(target));
        let made = 2 * torus * (torus / 2);
        assert!(made >= target && made <= (target + 5 * torus).max(64), "{target}: {made}");
    }
    let mesh = generate::bumpy_sphere(1.0, 0.2, 4.0, generate::sphere_segments(10_000)).unwrap();
    assert_eq!(mesh.triangles().len(), 10_200);
    assert_eq!(generate::supertoroid(1.0, 0.4, 1.0, 1.0, 100).unwrap().triangles().len(), 10_000);
    // More than a mesh may hold: the chooser stops at the cap instead of running away.
    assert!(generate::sphere_segments(u64::MAX) < 20_000);
}

#[test]
fn same_numbers_same_bits() {
    assert_eq!(generate::bumpy_sphere(1.0, 0.2, 4.0, 50), generate::bumpy_sphere(1.0, 0.2, 4.0, 50));
    // Mirror symmetry is exact: each vertex of a torus has its mirror images bit for bit.
    let torus = generate::torus(2.0, 0.5, 24, 12).unwrap();
    let key = |v: &heurt_geometry::Vec3| v.to_array().map(|c| (c + 0.0).to_bits());
    let mut keys: Vec<_> = torus.vertices().iter().map(key).collect();
    keys.sort_unstable();
    for v in torus.vertices() {
        for mirror in [[-v.x, v.y, v.z], [v.x, -v.y, v.z], [v.x, v.y, -v.z], [v.y, v.x, v.z]] {
            assert!(keys.binary_search(&key(&mirror.into())).is_ok());
        }
    }
}

fn parameter(result: Result<TriMesh, GenerateError>) -> &'static str {
    match result {
        Err(GenerateError::Parameter { parameter, .. }) => parameter,
        other => panic!("expected a parameter error, got {:?}", other.map(|mesh| mesh.triangles().len())),
    }
}

#[test]
fn bad_lengths_are_named() {
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-300, 1e300] {
        for result in [
            generate::tetrahedron(bad),
            generate::octahedron(bad),
            generate::icosahedron(bad),
            generate::dodecahedron(bad),
        ] {
            assert_eq!(parameter(result), "circumradius");
        }
        assert_eq!(parameter(generate::cuboid([1.0, bad, 1.0])), "half y");
        assert_eq!(parameter(generate::uv_sphere(bad, 8)), "radius");
        assert_eq!(parameter(generate::icosphere(bad, 2)), "radius");
        assert_eq!(parameter(generate::cylinder(1.0, bad, 8)), "half_height");
        assert_eq!(parameter(generate::cone(bad, 1.0, 8)), "radius");
        assert_eq!(parameter(generate::capsule(1.0, bad, 8)), "half_height");
        assert_eq!(parameter(generate::torus(2.0, bad, 8, 8)), "tube_radius");
        assert_eq!(parameter(generate::bumpy_sphere(bad, 0.1, 3.0, 8)), "radius");
    }
    for bad in [-0.1, 0.91, f64::NAN, f64::INFINITY] {
        assert_eq!(parameter(generate::bumpy_sphere(1.0, bad, 3.0, 8)), "amplitude");
    }
    assert_eq!(parameter(generate::torus(1.0, 1.0, 8, 8)), "tube_radius");
    assert_eq!(parameter(generate::torus(1.0, 2.0, 8, 8)), "tube_radius");
    assert_eq!(parameter(generate::torus(1.0, 1e-9, 8, 8)), "tube_radius");
    let message = generate::uv_sphere(-2.5, 8).unwrap_err().to_string();
    assert_eq!(message, "uv_sphere: radius is -2.5: give a positive length between 1e-90 and 1e90 m");
}

#[test]
fn bad_counts_are_named() {
    for few in [0, 1, 2] {
        assert_eq!(parameter(generate::uv_sphere(1.0, few)), "segments");
        assert_eq!(parameter(generate::cylinder(1.0, 1.0, few)), "segments");
        assert_eq!(parameter(generate::cone(1.0, 1.0, few)), "segments");
        assert_eq!(parameter(generate::capsule(1.0, 1.0, few)), "segments");
        assert_eq!(parameter(generate::torus(2.0, 1.0, few, 8)), "segments");
        assert_eq!(parameter(generate::torus(2.0, 1.0, 8, few)), "tube_segments");
    }
    let many = u32::MAX;
    let cube = generate::cuboid([1.0; 3]).unwrap();
    for result in [
        generate::uv_sphere(1.0, many),
        generate::icosphere(1.0, 13),
        generate::icosphere(1.0, many),
        generate::cylinder(1.0, 1.0, many),
        generate::cone(1.0, 1.0, many),
        generate::capsule(1.0, 1.0, many),
        generate::torus(2.0, 1.0, many, many),
        generate::bumpy_sphere(1.0, 0.1, 3.0, many),
        generate::wavy_disc(1.0, 1.0, 0.1, many, many, many),
        generate::superellipsoid([1.0; 3], 1.0, 1.0, many),
        generate::supertoroid(2.0, 1.0, 1.0, 1.0, many),
        generate::subdivided(&cube, 20),
        generate::subdivided(&cube, many),
    ] {
        assert!(matches!(result, Err(GenerateError::TooManyTriangles { .. })));
    }
}

#[test]
fn extreme_sizes_stay_finite_and_closed() {
    for scale in [1e-89, 1e-30, 1.0, 1e30, 1e90] {
        assert_eq!(audit(&generate::uv_sphere(scale, 12).unwrap()), Ok(2));
        assert_eq!(audit(&generate::superellipsoid([scale; 3], 0.3, 2.5, 12).unwrap()), Ok(2));
        assert_eq!(audit(&generate::supertoroid(scale, scale / 3.0, 0.3, 2.5, 12).unwrap()), Ok(0));
    }
}

#[test]
fn millions_of_triangles_are_closed() {
    let mesh = generate::supertoroid(1.0, 0.4, 1.0, 1.0, generate::torus_segments(2_000_000)).unwrap();
    assert!(mesh.triangles().len() >= 2_000_000);
    assert_eq!(audit(&mesh), Ok(0));
}

#[test]
fn no_coordinate_is_minus_zero() {
    let minus = |c: f64| c == 0.0 && c.is_sign_negative();
    for mesh in [
        generate::uv_sphere(1.0, 16),
        generate::torus(2.0, 1.0, 8, 8),
        generate::superellipsoid([1.0; 3], 0.5, 3.0, 16),
        generate::bracket([60.0, 50.0, 80.0], 8.0, Some(9.0), Some(20.0), 16),
        generate::octahedron(1.0),
        generate::dodecahedron(1.0),
        generate::metric_bolt(8.0, 30.0, 24),
    ] {
        let mesh = mesh.unwrap();
        assert!(!mesh.vertices().iter().any(|v| v.to_array().into_iter().any(minus)));
    }
}

#[test]
fn shapes_have_the_given_volume() {
    let shapes = [
        generate::uv_sphere(2.0, 24),
        generate::cuboid([0.5, 0.2, 3.0]),
        generate::cylinder(0.3, 1.0, 17),
        generate::cone(0.3, 1.0, 17),
        generate::torus(2.0, 0.4, 24, 12),
        generate::gear(20, 0.002, 0.35, 0.0, 0.01, 0.01, 4),
    ];
    for shape in shapes {
        let shape = shape.unwrap();
        for due in [1e-6, 1.0, 123.4] {
            let scaled = generate::with_volume(&shape, due).unwrap();
            assert!((volume(&scaled) - due).abs() <= 1e-12 * due);
            assert_eq!(scaled.triangles(), shape.triangles());
        }
    }
    let cube = generate::cuboid([1.0, 1.0, 1.0]).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(generate::with_volume(&cube, bad), Err(GenerateError::Parameter { .. })), "{bad}");
    }
    // The quotient of the volumes overflows or underflows; the scale does not.
    for (half, due) in [(1.0, 1e200), (1.0, 1e-200), (1e60, 1e-200), (1e-60, 1e200), (1e-100, 1e200), (1e66, 1e-200)] {
        let cube = cube.scaled(half).unwrap();
        let scaled = generate::with_volume(&cube, due).unwrap_or_else(|error| panic!("{half:e}, {due:e}: {error}"));
        assert!((volume(&scaled) / due - 1.0).abs() <= 1e-12, "{half:e}, {due:e}: {:e}", volume(&scaled));
        let side = scaled.bounds().half_extents() * 2.0;
        assert!((side / due.cbrt() - 1.0).abs().max_element() <= 1e-14, "{half:e}, {due:e}");
    }
    for bad in [9e-201, 1.1e200, f64::MIN_POSITIVE, f64::MAX] {
        assert!(matches!(generate::with_volume(&cube, bad), Err(GenerateError::Parameter { .. })), "{bad}");
    }
    // A volume below 2^-1074 m³ is zero.
    let speck = cube.scaled(1e-120).unwrap();
    assert!(matches!(generate::with_volume(&speck, 1.0), Err(GenerateError::NoVolume { .. })));
    let field = generate::wavy_disc(1.0, 0.1, 0.1, 3, 6, 2).unwrap().reversed();
    assert!(matches!(generate::with_volume(&field, 1.0), Err(GenerateError::NoVolume { .. })));
    let open = TriMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
    assert!(matches!(generate::with_volume(&open, 1.0), Err(GenerateError::NoVolume { .. })));
}
