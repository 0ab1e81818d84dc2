//! The proved deviation holds against sampled distances in both directions, and the surface stays sound.

use crate::shapes::{Random, cube, cuboid, open_box, torus};
use heurt_geometry::{Triangle, Vec3};
use heurt_mesh::{
    SimplifyError, SimplifyOptions, TriMesh, check, components, generate, is_closed, measures, simplify_within,
};

fn within(max_deviation: f64) -> SimplifyOptions {
    SimplifyOptions { max_deviation, ..SimplifyOptions::default() }
}

fn to_count(max_triangles: usize) -> SimplifyOptions {
    SimplifyOptions { max_triangles, ..SimplifyOptions::default() }
}

/// The distance from a point to a triangle.
fn distance(p: Vec3, [a, b, c]: Triangle) -> f64 {
    let normal = (b - a).cross(c - a);
    let is_inside = [(a, b), (b, c), (c, a)].iter().all(|&(u, v)| normal.dot((v - u).cross(p - u)) >= 0.0);
    if is_inside && normal != Vec3::ZERO {
        return normal.normalize().dot(p - a).abs();
    }
    let to_segment = |u: Vec3, v: Vec3| {
        let share = ((p - u).dot(v - u) / (v - u).length_squared()).clamp(0.0, 1.0);
        (u + (v - u) * share - p).length()
    };
    to_segment(a, b).min(to_segment(b, c)).min(to_segment(c, a))
}

/// The largest distance of samples of one mesh from the other.
fn one_sided(from: &TriMesh, to: &TriMesh, random: &mut Random) -> f64 {
    let mut farthest: f64 = 0.0;
    for triangle in 0..from.triangles().len() as u32 {
        let [a, b, c] = from.corners(triangle);
        let mut samples = vec![(a + b + c) / 3.0, a, (a + b) * 0.5];
        let (u, v) = (random.next(), random.next());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        samples.push(a + (b - a) * u + (c - a) * v);
        for sample in samples {
            let nearest = (0..to.triangles().len() as u32).map(|other| distance(sample, to.corners(other)));
            farthest = farthest.max(nearest.fold(f64::INFINITY, f64::min));
        }
    }
    farthest
}

fn solids() -> Vec<(&'static str, TriMesh)> {
    vec![
        ("ball", generate::icosphere(1.0, 2).unwrap()),
        ("torus", torus(20, 12)),
        ("gear", generate::gear(8, 1.0, 0.35, 0.0, 2.0, 4.0, 4).unwrap()),
        ("subdivided cube", generate::subdivided(&cube(), 2).unwrap()),
        ("bumpy", generate::bumpy_sphere(1.0, 0.2, 5.0, 16).unwrap()),
    ]
}

#[test]
fn the_bound_holds_in_both_directions() {
    let mut random = Random::new(1);
    for (name, mesh) in solids() {
        let size = (mesh.bounds().max - mesh.bounds().min).length();
        for options in [within(0.002 * size), within(0.02 * size), to_count(mesh.triangles().len() / 3)] {
            let simplified = simplify_within(&mesh, &options).unwrap();
            let bound = simplified.deviation_bound;
            assert!(bound <= options.max_deviation, "{name}: {bound}");
            let found =
                one_sided(&mesh, &simplified.mesh, &mut random).max(one_sided(&simplified.mesh, &mesh, &mut random));
            assert!(found <= bound * (1.0 + 1e-9) + 1e-12 * size, "{name}: {found} is more than {bound}");
            // The bound is of use: not many times the distance found.
            assert!(bound <= 20.0 * found + 1e-6 * size, "{name}: {bound} against {found}");
        }
    }
}

#[test]
fn solids_stay_closed_free_of_faults_and_of_one_genus() {
    for (name, mesh) in solids() {
        let before = measures(&mesh);
        let size = (mesh.bounds().max - mesh.bounds().min).length();
        for options in [within(0.03 * size), to_count(40)] {
            let simplified = simplify_within(&mesh, &options).unwrap().mesh;
            assert!(simplified.triangles().len() < mesh.triangles().len(), "{name}");
            assert!(is_closed(&simplified), "{name}");
            assert_eq!(measures(&simplified).genus, before.genus, "{name}");
            assert_eq!(check(&simplified).faults, [], "{name}");
            assert!(simplified.vertices().iter().all(|vertex| mesh.vertices().contains(vertex)), "{name}");
        }
    }
}

#[test]
fn flat_faces_cost_nothing_and_come_back_exactly() {
    let fine = generate::subdivided(&cube(), 3).unwrap();
    let simplified = simplify_within(&fine, &within(0.0)).unwrap();
    assert_eq!((simplified.mesh.triangles().len(), simplified.deviation_bound), (12, 0.0));
    assert_eq!(measures(&simplified.mesh).volume, Some(1.0));
    let again = simplify_within(&simplified.mesh, &within(0.0)).unwrap();
    assert_eq!((again.mesh, again.collapses), (simplified.mesh, 0));
}

#[test]
fn thin_walls_do_not_pass_through_each_other() {
    // Two bumpy shells, one just inside the other: without the test for intersections they would meet.
    let outer = generate::bumpy_sphere(1.0, 0.2, 5.0, 16).unwrap();
    let inner = outer.scaled(0.985).unwrap().reversed();
    let shell = TriMesh::merged([&outer, &inner]).unwrap();
    assert_eq!(check(&shell).faults, []);
    let simplified = simplify_within(&shell, &to_count(200)).unwrap();
    assert_eq!(check(&simplified.mesh).faults, []);
    assert!(simplified.refused_by_intersection > 0, "{simplified:?}");
    assert_eq!(components(&simplified.mesh).len(), 2);
    let careless = SimplifyOptions { avoids_intersections: false, ..to_count(200) };
    let careless = simplify_within(&shell, &careless).unwrap();
    assert!(check(&careless.mesh).faults.iter().any(|fault| fault.kind() == "self-intersection"));
}

#[test]
fn borders_and_what_is_no_surface_stay() {
    let fine = generate::subdivided(&open_box(), 2).unwrap();
    let simplified = simplify_within(&fine, &within(0.0)).unwrap();
    let border = |mesh: &TriMesh| {
        let topology = heurt_mesh::Topology::new(mesh);
        topology.edges().filter(|edge| edge.is_boundary()).count()
    };
    assert_eq!(border(&simplified.mesh), border(&fine));
    assert!(simplified.mesh.triangles().len() < 40, "{}", simplified.mesh.triangles().len());
    let touching = TriMesh::merged([&cube(), &cuboid([1.0, 1.0, 0.0], [2.0, 2.0, 1.0])]).unwrap();
    let kept = simplify_within(&touching, &within(0.0)).unwrap();
    assert_eq!((kept.mesh, kept.deviation_bound), (touching, 0.0));
}

#[test]
fn the_result_does_not_depend_on_size_and_place() {
    let mesh = torus(16, 10);
    let plain = simplify_within(&mesh, &within(0.05)).unwrap();
    let huge = simplify_within(&mesh.scaled(1024.0).unwrap(), &within(51.2)).unwrap();
    assert_eq!(plain.mesh.triangles(), huge.mesh.triangles());
    assert_eq!(plain.deviation_bound * 1024.0, huge.deviation_bound);
    assert_eq!(simplify_within(&mesh, &within(0.05)).unwrap(), plain);
}

#[test]
fn a_bad_deviation_is_refused() {
    assert_eq!(simplify_within(&cube(), &within(-1.0)).unwrap_err(), SimplifyError::BadDeviation { deviation: -1.0 });
    assert!(simplify_within(&cube(), &within(f64::NAN)).unwrap_err().to_string().contains("NaN"));
}

#[test]
fn extreme_and_degenerate_meshes_end_without_a_panic() {
    for scale in [1e300, 1e-300, 5e-324] {
        let mesh = torus(12, 8);
        let vertices = mesh.vertices().iter().map(|&vertex| vertex * scale).collect();
        let mesh = TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
        let simplified = simplify_within(&mesh, &to_count(20)).unwrap();
        assert!(!simplified.deviation_bound.is_nan());
    }
    let mut random = Random::new(9);
    for _ in 0..50 {
        let points: Vec<Vec3> = (0..12).map(|_| random.grid_point(3)).collect();
        let triangles = (0..30).map(|_| [0; 3].map(|_| random.below(12))).collect();
        let soup = TriMesh::new(points, triangles).unwrap();
        let before = check(&soup).faults.iter().filter(|fault| fault.kind() == "self-intersection").count();
        let simplified = simplify_within(&soup, &within(10.0)).unwrap().mesh;
        let after = check(&simplified).faults.iter().filter(|fault| fault.kind() == "self-intersection").count();
        assert!(after <= before, "{before} {after}");
    }
}
