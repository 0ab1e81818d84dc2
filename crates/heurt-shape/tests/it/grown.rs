//! Measures of meshes and superquadrics with a margin, against closed forms and against convex shapes that are the same.

use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::generate::{self, Superellipsoid, Supertoroid};
use heurt_mesh::{Measures, TriMesh, measures};
use heurt_shape::{Convex, MassError, MeshShape, RoundedMesh, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use std::f64::consts::PI;
use std::sync::Arc;

fn rounded(mesh: TriMesh, margin: f64) -> Result<Measures, MassError> {
    RoundedMesh::new(Arc::new(MeshShape::new(mesh).unwrap()), margin).unwrap().measures()
}

/// Compares two bodies: area and volume relatively, places to the root of the area, inertia to its largest element.
fn off(found: &Measures, expected: &Measures) -> f64 {
    let relative = |x: f64, y: f64| ((x - y) / y).abs();
    let largest = |m: Mat3| m.to_cols_array().into_iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    let inertia = expected.inertia.unwrap();
    [
        relative(found.area, expected.area),
        relative(found.volume.unwrap(), expected.volume.unwrap()),
        (found.centroid.unwrap() - expected.centroid.unwrap()).length() / expected.area.sqrt(),
        largest(found.inertia.unwrap() - inertia) / largest(inertia),
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

fn agree(what: &str, found: &Measures, expected: &Measures, most: f64) {
    let off = off(found, expected);
    println!("{what}: {off:.1e}");
    assert!(off <= most, "{what}: off by {off:e}: {found:?}, not {expected:?}");
}

/// A hull, turned anyhow, as a mesh and as a convex shape, with margins small and large.
#[test]
fn a_convex_mesh_within_a_margin_is_a_rounded_hull() {
    let mut random = Random::new(29);
    let boxed = generate::cuboid([1.0, 0.5, 0.25]).unwrap();
    let needle = generate::cuboid([1.0, 1e-3, 1e-3]).unwrap();
    for (name, mesh, most) in [
        ("box", boxed, 2e-4),
        ("ball", generate::icosphere(1.0, 3).unwrap(), 3e-3),
        ("cylinder", generate::cylinder(0.3, 1.0, 24).unwrap(), 4e-4),
        ("needle", needle, 4e-4),
    ] {
        // Each takes a second: the thinnest and the thickest margin for all, and one between them.
        let between = match name {
            "box" => 1e-3,
            "cylinder" => 0.02,
            _ => 0.3,
        };
        for (round, margin) in [1e-6, between, 5.0].into_iter().enumerate() {
            let turn = if round % 2 == 0 || name == "needle" { Pose::IDENTITY } else { random.pose(2.0) };
            let mesh = mesh.transformed(&turn).unwrap();
            let hull = Convex::hull(mesh.vertices()).unwrap().with_margin(margin).unwrap();
            let found = rounded(mesh, margin).unwrap();
            agree(&format!("{name} within {margin}"), &found, &hull.measures().unwrap(), most);
        }
    }
}

#[test]
fn sheets_and_what_has_no_area_are_rounded_too() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::new(0.25, 1.5, 0.5)];
    let expected = |margin: f64| Convex::triangle(corners).unwrap().with_margin(margin).unwrap().measures().unwrap();
    let sheet = || TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    for margin in [1e-11, 1e-9, 1e-7, 1e-4, 0.1, 4.0] {
        agree(&format!("triangle within {margin}"), &rounded(sheet(), margin).unwrap(), &expected(margin), 4e-4);
    }
    let line = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0], vec![[0, 1, 2]]).unwrap();
    let pill = Convex::segment([Vec3::ZERO, Vec3::X * 2.0]).unwrap().with_margin(0.5).unwrap().measures().unwrap();
    agree("segment", &rounded(line, 0.5).unwrap(), &pill, 1e-4);
}

fn ring(r0: f64, r1: f64) -> Measures {
    let (volume, area) = (2.0 * PI * PI * r0 * r1 * r1, 4.0 * PI * PI * r0 * r1);
    let across = volume * (0.5 * r0 * r0 + 0.625 * r1 * r1);
    let inertia = Mat3::from_diagonal(Vec3::new(across, across, volume * (r0 * r0 + 0.75 * r1 * r1)));
    Measures {
        area,
        volume: Some(volume),
        centroid: Some(Vec3::ZERO),
        inertia: Some(inertia),
        euler: 0,
        components: 1,
        genus: Some(1),
    }
}

#[test]
fn a_ring_within_a_margin_is_a_thicker_ring() {
    let torus = Superquadric::Toroid(Supertoroid::new(2.0, 0.5, 1.0, 1.0).unwrap());
    for margin in [1e-3, 1.0] {
        let exact = SuperquadricShape::from(torus).with_margin(margin).unwrap().measures().unwrap();
        agree(&format!("toroid within {margin}"), &exact, &ring(2.0, 0.5 + margin), 1e-3);
        let mesh = generate::torus(2.0, 0.5, 192, 96).unwrap();
        agree(&format!("torus within {margin}"), &rounded(mesh, margin).unwrap(), &ring(2.0, 0.5 + margin), 2e-3);
    }
}

/// Parts that a margin joins count once, and a hole that it fills is filled: two balls, by the lens that they share, and a hollow one.
#[test]
fn what_a_margin_joins_counts_once() {
    let ball = |x: f64| {
        generate::icosphere(1e-3, 1).unwrap().transformed(&Pose::from_translation(Vec3::X * x).unwrap()).unwrap()
    };
    let (a, b) = (ball(-0.6), ball(0.6));
    let shift = a.vertices().len() as u32;
    let vertices = [a.vertices(), b.vertices()].concat();
    let triangles = a.triangles().iter().copied().chain(b.triangles().iter().map(|t| t.map(|v| v + shift))).collect();
    let pair = TriMesh::new(vertices, triangles).unwrap();
    // Caps of the height h = 0.4 are missing from both.
    let (r, h): (f64, f64) = (1.0, 0.4);
    let volume = 2.0 * (4.0 / 3.0 * PI * r.powi(3) - PI * h * h * (r - h / 3.0));
    let area = 2.0 * (4.0 * PI * r * r - 2.0 * PI * r * h);
    let found = rounded(pair, 1.0 - 1e-3).unwrap();
    assert!((found.volume.unwrap() / volume - 1.0).abs() < 1e-3, "{found:?}, not {volume}");
    assert!((found.area / area - 1.0).abs() < 1e-3, "{found:?}, not {area}");

    let shell = MeshShape::new(generate::icosphere(1.0, 4).unwrap()).unwrap().with_solid(false).unwrap();
    let hollow = RoundedMesh::new(Arc::new(shell.clone()), 0.1).unwrap().measures().unwrap();
    let expected = 4.0 / 3.0 * PI * (1.1f64.powi(3) - 0.9f64.powi(3));
    assert!((hollow.volume.unwrap() / expected - 1.0).abs() < 5e-3, "{hollow:?}, not {expected}");
    let filled = RoundedMesh::new(Arc::new(shell), 1.5).unwrap().measures().unwrap();
    assert!((filled.volume.unwrap() / (4.0 / 3.0 * PI * 2.5f64.powi(3)) - 1.0).abs() < 2e-3, "{filled:?}");
}

/// Inside out, turned, moved, scaled beyond squares: the same body.
#[test]
fn measures_follow_the_mesh() {
    let block = generate::bracket([0.08, 0.05, 0.06], 0.008, Some(0.01), Some(0.006), 16).unwrap();
    let margin = 0.002;
    let upright = rounded(block.clone(), margin).unwrap();
    let turned = block.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let inverted = TriMesh::new(block.vertices().to_vec(), turned).unwrap();
    agree("inside out", &rounded(inverted, margin).unwrap(), &upright, 4e-4);
    let pose = Pose::from_quaternion([0.8, 0.4, -0.4, 0.2], Vec3::new(3.0, -1.0, 2.0)).unwrap();
    let moved = rounded(block.transformed(&pose).unwrap(), margin).unwrap();
    let turn = *pose.rotation();
    let expected = Measures {
        centroid: upright.centroid.map(|centroid| pose.place(centroid)),
        inertia: upright.inertia.map(|inertia| turn * inertia * turn.transpose()),
        ..upright.clone()
    };
    agree("moved", &moved, &expected, 4e-4);
    for scale in [1e-60, 1e60] {
        let vertices = block.vertices().iter().map(|&v| v * scale).collect();
        let mesh = TriMesh::new(vertices, block.triangles().to_vec()).unwrap();
        let found = rounded(mesh, margin * scale).unwrap();
        assert!((found.volume.unwrap() / upright.volume.unwrap() / scale.powi(3) - 1.0).abs() < 4e-4, "{scale}");
    }
}

/// A star of four spikes within a margin, against a mesh of it, which is off by itself.
#[test]
fn superellipsoids_that_are_not_convex_are_rounded() {
    let star = Superellipsoid::new([1.0, 0.8, 0.6], 3.0, 2.5).unwrap();
    let (bare, mesh) = (SuperquadricShape::from(Superquadric::Ellipsoid(star)), star.mesh(192).unwrap());
    let meshed = off(&measures(&mesh), &bare.measures().unwrap());
    println!("the mesh of the star is off by {meshed:.1e}");
    let exact = bare.with_margin(0.1).unwrap().measures().unwrap();
    agree("star", &exact, &rounded(mesh, 0.1).unwrap(), 2e-3 + meshed);
}

/// Turned needles and a sliver, beside which most lines pass: what is told is right, or nothing is.
#[test]
fn needles_across_the_lines_are_told_right_or_refused() {
    let pose = Pose::from_quaternion([0.4, 0.4, -0.2, 0.8], Vec3::ZERO).unwrap();
    for (w, margin) in
        [(1e-10, 1e-7), (1e-8, 1e-8), (1e-6, 1e-6), (1e-5, 1e-5), (1e-4, 1e-4), (1e-3, 1e-3), (1e-2, 1e-2)]
    {
        let mesh = generate::cuboid([1.0, w, w]).unwrap().transformed(&pose).unwrap();
        let hull = Convex::hull(mesh.vertices()).unwrap().with_margin(margin).unwrap().measures().unwrap();
        match rounded(mesh, margin) {
            Ok(found) => agree(&format!("needle of {w}"), &found, &hull, 2e-2),
            Err(error) => println!("needle of {w}: {error}"),
        }
    }
    let corners = [Vec3::ZERO, Vec3::X * 2.0, Vec3::new(1.0, 1e-10, 0.0)].map(|corner| pose.place(corner));
    let sliver = TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    let expected = Convex::triangle(corners).unwrap().with_margin(1e-6).unwrap().measures().unwrap();
    agree("sliver", &rounded(sliver, 1e-6).unwrap(), &expected, 2e-2);
}

/// Threads that hardly a line meets.
#[test]
fn what_is_too_thin_for_the_lines_is_refused() {
    let mut random = Random::new(31);
    let vertices: Vec<Vec3> = (0..60).map(|_| random.vector(1.0)).collect();
    let threads = TriMesh::new(vertices, (0..30).map(|k| [2 * k, 2 * k + 1, 2 * k]).collect()).unwrap();
    assert_eq!(rounded(threads, 1e-7), Err(MassError::TooThin));
    assert_eq!(rounded(generate::cuboid([1.0; 3]).unwrap(), 1e-13), Err(MassError::TooThin));
}
