//! Evaluation of trees to meshes: volumes of exact pieces, agreement with membership and rays, curved leaves within the
//! tolerance, refusals by name.

use crate::trees;
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::generate::{Superellipsoid, Supertoroid};
use heurt_mesh::{Topology, TriMesh, generate, measures};
use heurt_query::{Location, Ray, closest, ray_all, winding_number};
use heurt_shape::{Compound, Convex, MeshShape, Shape, Superquadric};
use heurt_solid::{Affine, Csg, CsgEvaluation, CsgMeshError, CsgQuery, HalfSpace, Quadric, QuadricIntersection};
use heurt_testkit::number::random::Random;
use std::f64::consts::PI;
use std::sync::atomic::{AtomicUsize, Ordering};

const TOLERANCE: f64 = 0.01;

fn volume(mesh: Option<&TriMesh>) -> f64 {
    mesh.map_or(0.0, |mesh| measures(mesh).volume.expect("it is closed"))
}

fn text(tree: &Csg) -> String {
    tree.to_json().unwrap_or_else(|error| error.to_string())
}

fn meshed(tree: &Csg) -> Option<TriMesh> {
    let mesh = tree.to_mesh(TOLERANCE).unwrap_or_else(|error| panic!("{error}: {}", text(tree)));
    if let Some(mesh) = &mesh {
        let topology = Topology::new(mesh);
        assert!(topology.is_closed() && topology.is_oriented());
    }
    mesh
}

/// Compares the meshes of random polyhedral trees with their exact pieces; returns the number of solids.
fn check_volumes(seed: u64, trees: usize, most: i64) -> usize {
    let (mut random, mut solid) = (Random::new(seed), 0);
    for _ in 0..trees {
        let leaves = random.whole(1, most);
        let tree = trees::tree(&mut random, leaves, &trees::polyhedral_leaf).intersection(trees::frame());
        let due = tree.to_exact_pieces().unwrap().rounded_volume();
        let mesh = tree.to_mesh(TOLERANCE).unwrap_or_else(|error| panic!("{error}: {}", text(&tree)));
        let found = volume(mesh.as_ref());
        // Each operation may move an operand by 4,096 · 2⁻⁵² of the largest coordinate.
        let largest =
            mesh.as_ref().map_or(0.0, |mesh| mesh.bounds().min.abs().max(mesh.bounds().max.abs()).max_element());
        let moved =
            leaves as f64 * 4096.0 * f64::EPSILON * largest * mesh.as_ref().map_or(0.0, |mesh| measures(mesh).area);
        assert!((found - due).abs() <= 1e-12 * due + moved, "{found} instead of {due}: {}", text(&tree));
        solid += usize::from(due > 0.0);
    }
    solid
}

#[test]
fn volumes_are_those_of_exact_pieces() {
    let solid = check_volumes(31, 200, 7);
    assert!(solid > 100, "{solid} trees have a volume");
}

#[test]
fn refused_operations_are_evaluated_exactly() {
    // Faces of one plane, rounded by an operation before, are nearer than the rounding: meshes alone are refused in one
    // of 200 of these trees.
    let solid: usize = [1, 2, 3].map(|seed| check_volumes(seed, 100, 16)).iter().sum();
    assert!(solid > 200, "{solid} trees have a volume");
}

#[test]
fn membership_rays_and_mesh_agree() {
    let (mut random, mut compared, mut inside) = (Random::new(32), 0, 0);
    for round in 0..60 {
        let leaves = random.whole(1, 6);
        let leaf: &dyn Fn(&mut Random) -> Csg = if round % 2 == 0 { &trees::any_leaf } else { &trees::polyhedral_leaf };
        let tree = trees::tree(&mut random, leaves, leaf).intersection(trees::frame());
        let query = CsgQuery::new(&tree);
        let Some(mesh) = meshed(&tree) else {
            assert!((0..100).all(|_| !query.contains(random.vector(5.0))), "{}", text(&tree));
            continue;
        };
        let shape = MeshShape::new(mesh).unwrap();
        let surface = Shape::from(shape.clone());
        for _ in 0..60 {
            let point = random.vector(5.0);
            // Maps of the trees change lengths by less than 5.
            if closest(&surface, &Pose::IDENTITY, point).distance <= 5.0 * TOLERANCE {
                continue;
            }
            let expected = query.contains(point);
            let winding = winding_number(&shape, &Pose::IDENTITY, point);
            assert_eq!(winding, Location::Winding(i32::from(expected)), "{point}: {}", text(&tree));
            // The number of surfaces to one side has the parity of the membership.
            let ray = Ray::new(point, Vec3::new(0.3, 0.2, 1.0), f64::INFINITY).unwrap();
            let starts = query.ray_intervals(&ray).intervals().next().is_some_and(|interval| interval[0] == 0.0);
            let starts_in_mesh =
                ray_all(&surface, &Pose::IDENTITY, &ray).intervals.first().is_some_and(|i| i[0] == 0.0);
            assert_eq!([starts, starts_in_mesh], [expected; 2], "{point}: {}", text(&tree));
            (compared, inside) = (compared + 1, inside + usize::from(expected));
        }
    }
    assert!(compared > 1500 && inside > 300, "{inside} of {compared}");
}

/// Checks a curved leaf: its volume, and that no vertex is farther from it than the tolerance.
fn check_curved(leaf: &Csg, due: f64, name: &str) {
    let mut last = f64::INFINITY;
    for tolerance in [0.03, 0.003] {
        let mesh = leaf.to_mesh(tolerance).unwrap().unwrap_or_else(|| panic!("{name} is not empty"));
        let found = measures(&mesh);
        let error = (found.volume.unwrap() - due).abs();
        // The volume between both surfaces.
        assert!(error <= tolerance * found.area * 1.1, "{name}: {error}");
        assert!(error < last, "{name}: a smaller tolerance is nearer");
        last = error;
    }
}

#[test]
fn curved_leaves_are_within_the_tolerance() {
    let shape = |convex: Convex| Csg::shape(convex);
    let slab = |low: f64, high: f64| [HalfSpace::new(-Vec3::Z, low).unwrap(), HalfSpace::new(Vec3::Z, -high).unwrap()];
    let region = |low: f64, high: f64, quadric: Quadric| {
        Csg::region(QuadricIntersection::new(slab(low, high).to_vec(), vec![quadric]))
    };
    let bowl = Quadric::new(Mat3::from_diagonal(Vec3::new(1.0, 1.0, 0.0)), -Vec3::Z, 0.0).unwrap();
    let waist = Quadric::new(Mat3::from_diagonal(Vec3::new(1.0, 1.0, -1.0)), Vec3::ZERO, -1.0).unwrap();
    let egg = Quadric::new(Mat3::from_diagonal(Vec3::new(1.0, 0.25, 4.0)), Vec3::new(2.0, 0.0, 0.0), 0.0).unwrap();
    let toroid = Superquadric::Toroid(Supertoroid::new(2.0, 0.5, 1.0, 1.0).unwrap());
    let pointed = Superquadric::Ellipsoid(Superellipsoid::new([1.0, 1.0, 1.0], 1.0, 1.0).unwrap());
    let stretched = Affine::new(Mat3::from_diagonal(Vec3::new(2.0, -1.0, 1.0)), Vec3::ONE).unwrap();
    for (name, leaf, due) in [
        ("ball", shape(Convex::sphere(1.0).unwrap()), 4.0 / 3.0 * PI),
        ("capsule", shape(Convex::capsule(1.0, 1.0).unwrap()), 4.0 / 3.0 * PI + 2.0 * PI),
        ("cylinder", shape(Convex::cylinder(1.0, 1.0).unwrap()), 2.0 * PI),
        ("cone", shape(Convex::cone(1.0, 1.5).unwrap()), PI),
        ("ellipsoid", shape(Convex::ellipsoid(Vec3::new(1.0, 2.0, 0.5)).unwrap()), 4.0 / 3.0 * PI),
        ("mapped ball", shape(Convex::sphere(1.0).unwrap()).transformed(stretched), 8.0 / 3.0 * PI),
        ("ball as quadric", Csg::quadric(Quadric::ball(1.0).unwrap()), 4.0 / 3.0 * PI),
        ("egg", Csg::quadric(egg), 4.0 / 3.0 * PI),
        ("frustum", region(0.0, 3.0, Quadric::cone(2.0, -1.0 / 3.0).unwrap()), PI * 3.0 * (4.0 + 2.0 + 1.0) / 3.0),
        ("double cone", region(-1.0, 1.0, Quadric::cone(0.0, 1.0).unwrap()), 2.0 / 3.0 * PI),
        ("bowl", region(0.0, 1.0, bowl), PI / 2.0),
        ("waist", region(-1.0, 1.0, waist), PI * (2.0 + 2.0 / 3.0)),
        ("toroid", Csg::shape(toroid), 2.0 * PI * PI * 2.0 * 0.25),
        ("superellipsoid", Csg::shape(pointed), 4.0 / 3.0 * PI),
    ] {
        check_curved(&leaf, due, name);
    }
}

#[test]
fn unbounded_leaves_are_clipped_by_the_tree() {
    let cube = Csg::shape(Convex::cuboid(Vec3::ONE).unwrap());
    let tube = Csg::quadric(Quadric::cylinder(0.5).unwrap());
    let hole = volume(meshed(&cube.clone().difference(tube.clone())).as_ref());
    let peg = volume(meshed(&cube.clone().intersection(tube.clone())).as_ref());
    assert!((hole + peg - 8.0).abs() < 1e-12, "{hole} and {peg}");
    assert!((peg - PI / 2.0).abs() < 0.1);
    let outside = cube.clone().intersection(tube.complement());
    assert!((volume(meshed(&outside).as_ref()) - hole).abs() < 1e-12);
    let half = Csg::shape(Convex::half_space(Vec3::new(1.0, 1.0, 0.0), 0.0).unwrap().with_margin(0.0).unwrap());
    assert!((volume(meshed(&cube.clone().difference(half)).as_ref()) - 4.0).abs() < 1e-12);
    // Half-spaces of different frames.
    let sloped = Csg::half_space(HalfSpace::new(Vec3::Z, 0.0).unwrap())
        .transformed(Pose::from_quaternion([0.0, 0.6, 0.0, 0.8], Vec3::ZERO).unwrap().into());
    assert!((volume(meshed(&cube.intersection(sloped)).as_ref()) - 4.0).abs() < 1e-12);
}

#[test]
fn chains_are_evaluated_in_steps_that_are_counted() {
    let cube = Csg::shape(Convex::cuboid(Vec3::splat(0.5)).unwrap());
    let shift = |k: u32| Affine::from(Pose::from_translation(Vec3::X * f64::from(k)).unwrap());
    let row = Csg::union_of((0..40).map(|k| cube.clone().transformed(shift(k))));
    let evaluation = CsgEvaluation::new(&row, TOLERANCE).unwrap();
    let steps = AtomicUsize::new(0);
    let result = evaluation.to_mesh(&|| _ = steps.fetch_add(1, Ordering::Relaxed)).unwrap();
    assert_eq!(result.moved, 0.0);
    let mesh = result.mesh;
    assert_eq!(steps.into_inner(), evaluation.steps());
    assert_eq!(volume(mesh.as_ref()), 40.0);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let again = pool(1).install(|| row.to_mesh(TOLERANCE)).unwrap();
    assert_eq!((again, pool(3).install(|| row.to_mesh(TOLERANCE)).unwrap()), (mesh.clone(), mesh));
}

#[test]
fn empty_trees_have_no_mesh() {
    let ball = Csg::shape(Convex::sphere(1.0).unwrap());
    let flat = Csg::shape(Convex::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y]).unwrap());
    let disc = Csg::shape(Convex::cylinder(1.0, 0.0).unwrap());
    let far = ball.clone().transformed(Pose::from_translation(Vec3::X * 9.0).unwrap().into());
    for tree in [Csg::empty(), ball.clone().difference(ball.clone()), ball.intersection(far), flat, disc] {
        assert_eq!(tree.to_mesh(TOLERANCE), Ok(None), "{}", text(&tree));
    }
}

#[test]
fn leaves_without_a_mesh_are_refused_by_name() {
    let cube = Csg::shape(Convex::cuboid(Vec3::ONE).unwrap());
    let message = |tree: &Csg| tree.to_mesh(TOLERANCE).unwrap_err().to_string();
    let sheet = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let sheet = Csg::shape(MeshShape::new(sheet).unwrap());
    let text = message(&cube.clone().union(sheet));
    assert!(text.starts_with("leaf 2 is a surface without an inside") && text.contains("heurt repair"), "{text}");
    let text = message(&cube.clone().union(Csg::half_space(HalfSpace::new(Vec3::X, 0.0).unwrap())));
    assert!(text.starts_with("leaf 2 is an intersection of half-spaces, which the tree does not bound"), "{text}");
    assert_eq!(cube.clone().complement().to_mesh(TOLERANCE), Err(CsgMeshError::UnboundedTree));
    let torus = Shape::from(MeshShape::new(generate::torus(1.5, 0.5, 16, 8).unwrap()).unwrap());
    let rounded = torus.with_margin(0.1).unwrap();
    let text = message(&Csg::shape(Compound::new([(rounded, Pose::IDENTITY)]).unwrap()).union(cube.clone()));
    assert!(text.starts_with("leaf 1 is a compound"), "{text}");
    let saddle = Quadric::new(Mat3::from_diagonal(Vec3::new(1.0, -1.0, 0.0)), Vec3::Z, 0.0).unwrap();
    assert!(message(&cube.clone().intersection(Csg::quadric(saddle))).contains("place a simpler quadric"));
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(cube.to_mesh(tolerance), Err(CsgMeshError::Tolerance { .. })));
    }
    let ball = Csg::shape(Convex::sphere(1.0).unwrap());
    assert_eq!(ball.to_mesh(1e-12).unwrap_err().to_string().split(',').next(), Some("leaf 1 is a sphere"));
}
