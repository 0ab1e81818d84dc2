//! Signed distance fields against the exact distance: the nearest of all triangles, and the winding number in integers.

use heurt_geometry::{Pose, Quat, SplitMix64, Triangle, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_solid::{DistanceError, DistanceOctree, DistanceOptions};
use heurt_testkit::oracle::triangle::winding;

/// The distance between a point and a segment.
fn to_segment(p: Vec3, a: Vec3, b: Vec3) -> f64 {
    let along = b - a;
    let t = if along == Vec3::ZERO { 0.0 } else { ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0) };
    (p - (a + along * t)).length()
}

/// The distance between a point and a triangle: the plane if the foot is inside, else the nearest edge.
fn to_triangle(p: Vec3, &[a, b, c]: &Triangle) -> f64 {
    let normal = (b - a).cross(c - a);
    let edges = to_segment(p, a, b).min(to_segment(p, b, c)).min(to_segment(p, c, a));
    let is_inside = |from: Vec3, to: Vec3| normal.dot((to - from).cross(p - from)) >= 0.0;
    if normal != Vec3::ZERO && is_inside(a, b) && is_inside(b, c) && is_inside(c, a) {
        edges.min((p - a).dot(normal).abs() / normal.length())
    } else {
        edges
    }
}

/// The signed distance by full search, negative inside.
fn exact(triangles: &[Triangle], p: Vec3) -> f64 {
    let distance = triangles.iter().map(|triangle| to_triangle(p, triangle)).fold(f64::INFINITY, f64::min);
    if winding(triangles, p).is_none_or(|number| number != 0) { -distance } else { distance }
}

fn triangles_of(mesh: &TriMesh) -> Vec<Triangle> {
    (0..mesh.triangles().len() as u32).map(|number| mesh.corners(number)).collect()
}

/// Points around a mesh: half in a larger box, half near the surface.
fn probes(mesh: &TriMesh, count: usize, seed: u64) -> Vec<Vec3> {
    let mut random = SplitMix64::new(seed);
    let (bounds, triangles) = (mesh.bounds(), triangles_of(mesh));
    let size = (bounds.max - bounds.min).max_element();
    (0..count)
        .map(|number| {
            if number % 2 == 0 {
                return bounds.centre() + random.vector(-1.2, 1.2) * size;
            }
            let [a, b, c] = triangles[random.below(triangles.len())];
            let (u, v) = (random.unit(), random.unit());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            a + (b - a) * u + (c - a) * v + random.vector(-0.01, 0.01) * size
        })
        .collect()
}

/// Tests the bound at random points, and the tolerance in the band.
fn check(mesh: &TriMesh, tolerance: f64, count: usize) {
    let field = DistanceOctree::of_mesh(mesh, tolerance).unwrap();
    let triangles = triangles_of(mesh);
    assert!(field.band_error() <= tolerance && field.surface_error() <= field.band_error(), "{}", field.band_error());
    for p in probes(mesh, count, 7) {
        let (sample, truth) = (field.sample(p), exact(&triangles, p));
        let rounding = 1e-13 * p.abs().max_element();
        assert!((sample.distance - truth).abs() <= sample.error + rounding, "{p}: {sample:?}, {truth}");
        if truth.abs() <= field.band() {
            assert!(sample.error <= tolerance, "{p}: {sample:?}");
        }
        if truth.abs() > field.band_error().max(sample.error) {
            assert_eq!(sample.distance > 0.0, truth > 0.0, "{p}: the sign is right");
        }
    }
}

fn shifted(mesh: &TriMesh, offset: Vec3) -> TriMesh {
    mesh.transformed(&Pose::from_translation(offset).unwrap()).unwrap()
}

#[test]
fn the_bound_holds_at_ten_thousand_points_of_a_non_convex_mesh() {
    check(&generate::torus(1.0, 0.4, 24, 12).unwrap(), 0.04, 10_000);
}

#[test]
fn the_bound_holds_on_other_meshes() {
    check(&generate::cuboid([1.0, 0.3, 0.2]).unwrap(), 0.02, 2000);
    check(&generate::tetrahedron(1.0).unwrap(), 0.04, 2000);
    check(&generate::bumpy_sphere(1.0, 0.3, 5.0, 16).unwrap(), 0.04, 2000);
    check(&generate::gear(8, 0.1, 20.0f64.to_radians(), 0.0, 0.2, 0.2, 3).unwrap(), 0.02, 1000);
}

#[test]
fn the_bound_holds_on_slivers_and_thin_plates() {
    // Needles 1000 times as long as wide, and a plate thinner than the tolerance.
    check(&generate::cylinder(0.005, 1.0, 12).unwrap(), 0.02, 1000);
    check(&generate::cone(1.0, 0.001, 48).unwrap(), 0.04, 1000);
    check(&generate::cuboid([1.0, 1.0, 0.002]).unwrap(), 0.04, 1000);
}

#[test]
fn the_bound_holds_at_scales_of_a_micrometre_and_a_thousand_kilometres() {
    let torus = generate::torus(1.0, 0.4, 12, 8).unwrap();
    for scale in [1e-6, 1e-3, 1e6] {
        check(&torus.scaled(scale).unwrap(), 0.04 * scale, 1000);
    }
    check(&shifted(&torus, Vec3::new(1e4, -1e5, 3.0)), 0.04, 500);
}

#[test]
fn cavities_are_outside_and_inner_shells_bound_nothing() {
    let outer = generate::cuboid([1.0; 3]).unwrap();
    let inner = generate::icosphere(0.5, 2).unwrap();
    let hollow = TriMesh::merged([&outer, &inner.clone().reversed()]).unwrap();
    check(&hollow, 0.04, 2000);
    let field = DistanceOctree::of_mesh(&hollow, 0.04).unwrap();
    assert!(field.sample(Vec3::ZERO).distance > 0.4, "the cavity is outside");
    // Both shells face out: the inner one lies within the material and is no boundary.
    let nested = TriMesh::merged([&outer, &inner]).unwrap();
    let field = DistanceOctree::of_mesh(&nested, 0.04).unwrap();
    for p in probes(&nested, 1000, 3) {
        let (sample, truth) = (field.sample(p), exact(&triangles_of(&outer), p));
        assert!((sample.distance - truth).abs() <= sample.error + 1e-12, "{p}: {sample:?}, {truth}");
    }
}

#[test]
fn touching_shells_have_a_sound_bound() {
    let cube = generate::cuboid([0.5; 3]).unwrap();
    // In a corner: no face in common.
    check(&TriMesh::merged([&cube, &shifted(&cube, Vec3::ONE)]).unwrap(), 0.04, 1000);
    // Along a face, which is no boundary of the solid.
    let pair = TriMesh::merged([&cube, &shifted(&cube, Vec3::X)]).unwrap();
    let field = DistanceOctree::of_mesh(&pair, 0.04).unwrap();
    let whole = triangles_of(&shifted(&generate::cuboid([1.0, 0.5, 0.5]).unwrap(), Vec3::X * 0.5));
    for p in probes(&pair, 1000, 5) {
        let (sample, truth) = (field.sample(p), exact(&whole, p));
        assert!((sample.distance - truth).abs() <= sample.error + 1e-12, "{p}: {sample:?}, {truth}");
    }
}

#[test]
fn smooth_surfaces_need_cells_much_larger_than_the_tolerance() {
    let ball = generate::icosphere(1.0, 5).unwrap();
    let tolerance = 1e-3;
    let field = DistanceOctree::of_mesh(&ball, tolerance).unwrap();
    // Cells of the edge that the Lipschitz bound alone needs would be more than area / edge².
    let edge = tolerance / 3f64.sqrt();
    assert!((field.leaf_count() as f64) < 0.02 * 12.0 / (edge * edge), "{}", field.leaf_count());
}

#[test]
fn the_field_is_continuous_across_leaves() {
    let field = DistanceOctree::of_mesh(&generate::gear(8, 0.1, 20.0f64.to_radians(), 0.0, 0.2, 0.2, 3).unwrap(), 0.02)
        .unwrap();
    let (root, mut random) = (field.root(), SplitMix64::new(2));
    // Points on planes of the lattice, a hair to either side: the field is Lipschitz with a constant below 2 in each
    // leaf, so a jump would be much more than the distance.
    let step = root.cell_edge();
    let hair = 1e-9 * root.edge();
    for _ in 0..20_000 {
        let mut p = root.origin() + random.vector(0.05, 0.95) * root.edge();
        let axis = random.below(3);
        p[axis] = root.origin()[axis] + ((p[axis] - root.origin()[axis]) / step).round() * step;
        let mut offset = Vec3::ZERO;
        offset[axis] = hair;
        let (low, high) = (field.sample(p - offset).distance, field.sample(p + offset).distance);
        // Values are rounded to 24 bits.
        assert!((high - low).abs() <= 8.0 * hair + 4e-7 * low.abs() + 1e-9 * root.edge(), "{p}: {low}, {high}");
    }
}

#[test]
fn the_gradient_is_the_derivative_and_points_out() {
    let ball = generate::icosphere(1.0, 5).unwrap();
    let field = DistanceOctree::of_mesh(&ball, 1e-3).unwrap();
    let mut random = SplitMix64::new(9);
    for _ in 0..2000 {
        let direction = random.vector(-1.0, 1.0).normalize();
        let sample = field.sample(direction * random.between(0.997, 1.003));
        assert!((sample.gradient - direction).length() < 0.1, "{sample:?}, {direction}");
        // Within a leaf, a difference is the derivative.
        let p = direction * 0.999;
        let at = field.sample(p);
        let ahead = field.sample(p + direction * 1e-7);
        let slope = (ahead.distance - at.distance) / 1e-7;
        assert!((slope - at.gradient.dot(direction)).abs() < 1e-2, "{slope}, {at:?}");
    }
}

#[test]
fn poses_move_the_field() {
    let field = DistanceOctree::of_mesh(&generate::cuboid([1.0, 0.5, 0.25]).unwrap(), 0.03).unwrap();
    let turn = Quat::from_xyzw(0.1, -0.5, 0.3, 0.7).normalize();
    let pose = Pose::from_quaternion(turn.to_array(), Vec3::new(3.0, -2.0, 1.0)).unwrap();
    let mut random = SplitMix64::new(4);
    for _ in 0..1000 {
        let p = random.vector(-2.0, 2.0);
        let (local, placed) = (field.sample(p), field.sample_placed(&pose, pose.place(p)));
        assert!((local.distance - placed.distance).abs() < 1e-12);
        assert!((*pose.rotation() * local.gradient - placed.gradient).length() < 1e-6);
        assert!(placed.error >= local.error && placed.error < local.error + 1e-12);
    }
}

#[test]
fn far_points_are_above_the_distance_to_the_box() {
    let mesh = generate::torus(1.0, 0.4, 12, 8).unwrap();
    let (field, triangles) = (DistanceOctree::of_mesh(&mesh, 0.05).unwrap(), triangles_of(&mesh));
    let mut random = SplitMix64::new(1);
    for _ in 0..500 {
        let p = random.vector(-50.0, 50.0);
        let (sample, truth) = (field.sample(p), exact(&triangles, p));
        assert!((sample.distance - truth).abs() <= sample.error + 1e-12, "{p}: {sample:?}, {truth}");
    }
}

#[test]
fn threads_do_not_change_the_field() {
    let mesh = generate::bumpy_sphere(1.0, 0.2, 4.0, 16).unwrap();
    let build = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| DistanceOctree::of_mesh(&mesh, 0.03).unwrap())
    };
    assert_eq!(build(1), build(3));
}

#[test]
fn bad_input_is_refused_with_a_remedy() {
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let open = TriMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
    let error = DistanceOctree::of_mesh(&open, 0.1).unwrap_err();
    assert!(matches!(error, DistanceError::OpenMesh { triangles: 11 }));
    assert!(error.to_string().contains("heurt repair"));
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(DistanceOctree::of_mesh(&cube, tolerance), Err(DistanceError::Tolerance { .. })));
    }
    let band = DistanceOptions { band: -1.0, ..DistanceOptions::new(0.1) };
    assert!(matches!(DistanceOctree::of_mesh_with(&cube, &band), Err(DistanceError::Band { .. })));
    assert!(matches!(DistanceOctree::of_mesh(&cube, 1e-9), Err(DistanceError::TooFine { .. })));
    let few = DistanceOptions { max_cells: 100, ..DistanceOptions::new(0.01) };
    assert!(matches!(DistanceOctree::of_mesh_with(&cube, &few), Err(DistanceError::TooManyCells { limit: 100, .. })));
}
