//! Outer hulls of meshes that intersect themselves, against counted cells and against measures of the winding number.

use heurt_geometry::{Mat3, Quat, Vec3};
use heurt_mesh::{TriMesh, check, generate, measures};
use heurt_query::solid_measures;
use heurt_shape::MeshShape;
use heurt_solid::{HullOptions, OuterHullError, SolidMeshError, outer_hull};
use heurt_testkit::number::random::Random;
use std::collections::BTreeSet;

fn cuboid(min: [i64; 3], max: [i64; 3]) -> TriMesh {
    let [min, max] = [min, max].map(|place| Vec3::from_array(place.map(|x| x as f64)));
    let cube = generate::cuboid([0.5, 0.5, 0.5]).unwrap();
    let vertices = cube.vertices().iter().map(|v| min + (*v + 0.5) * (max - min)).collect();
    TriMesh::new(vertices, cube.triangles().to_vec()).unwrap()
}

fn merged(meshes: &[TriMesh]) -> TriMesh {
    TriMesh::merged(meshes).unwrap()
}

/// Computes the hull, checks that it is a solid without self-intersections, and returns its volume.
fn volume_of_hull(mesh: &TriMesh, options: HullOptions) -> f64 {
    let hull = outer_hull(mesh, options).unwrap_or_else(|error| panic!("{error}: {:?}", check(mesh).counts));
    let report = check(&hull.mesh);
    assert!(report.closed && report.oriented || report.count("non-manifold-edge") > 0, "{:?}", report.counts);
    for kind in ["self-intersection", "degenerate-face", "duplicate-face", "hole", "inward-shell"] {
        assert_eq!(report.count(kind), 0, "{:?}", report.counts);
    }
    measures(&hull.mesh).volume.unwrap()
}

#[test]
fn boxes_of_cells_are_united_exactly() {
    let mut random = Random::new(7);
    for case in 0..40 {
        let count = 2 + case % 5;
        let mut cells = BTreeSet::new();
        let mut boxes = Vec::new();
        for _ in 0..count {
            let min = [0; 3].map(|_: i64| random.whole(0, 3));
            let max = min.map(|x| x + random.whole(1, 3));
            for x in min[0]..max[0] {
                for y in min[1]..max[1] {
                    cells.extend((min[2]..max[2]).map(|z| [x, y, z]));
                }
            }
            boxes.push(cuboid(min, max));
        }
        // The sum over the triangles is rounded.
        let volume = volume_of_hull(&merged(&boxes), HullOptions::default());
        assert!((volume - cells.len() as f64).abs() < 1e-12, "case {case}: {volume}");
    }
}

#[test]
fn turned_boxes_have_the_volume_of_their_winding_number() {
    let mut random = Random::new(11);
    for case in 0..12 {
        let mut number = || random.unit();
        let boxes: Vec<TriMesh> = (0..3 + case % 4)
            .map(|_| {
                let turn = Quat::from_xyzw(number() - 0.5, number() - 0.5, number() - 0.5, number() - 0.5).normalize();
                let offset = Vec3::new(number(), number(), number());
                let cube = generate::cuboid([0.5, 0.4, 0.3]).unwrap();
                let turn = Mat3::from_quat(turn);
                let vertices = cube.vertices().iter().map(|v| turn * *v + offset).collect();
                TriMesh::new(vertices, cube.triangles().to_vec()).unwrap()
            })
            .collect();
        let mesh = merged(&boxes);
        let due = solid_measures(&MeshShape::new(mesh.clone()).unwrap()).unwrap();
        let volume = volume_of_hull(&mesh, HullOptions::default());
        assert!((volume - due.volume).abs() <= due.volume_error + 1e-12, "case {case}: {volume} {}", due.volume);
        let short = volume_of_hull(&mesh, HullOptions { is_short: true });
        assert!((short - due.volume).abs() <= 1e-5, "case {case}: {short} {}", due.volume);
    }
}

#[test]
fn one_body_that_passes_through_itself() {
    // The top of a box is pushed through its bottom: what is turned inside out is inside, too.
    let (vertices, triangles) = cuboid([0; 3], [4, 4, 4]).into_parts();
    let pushed = |v: &Vec3| if v.z > 2.0 && v.x > 2.0 { Vec3::new(v.x, v.y, -3.0) } else { *v };
    let mesh = TriMesh::new(vertices.iter().map(pushed).collect(), triangles).unwrap();
    assert!(check(&mesh).count("self-intersection") > 0);
    let due = solid_measures(&MeshShape::new(mesh.clone()).unwrap()).unwrap();
    let volume = volume_of_hull(&mesh, HullOptions::default());
    assert!((volume - due.volume.abs()).abs() <= due.volume_error + 1e-12, "{volume} {due:?}");
}

#[test]
fn cavities_stay_and_inner_bodies_go() {
    let outer = cuboid([0; 3], [6; 3]);
    let inner = cuboid([2; 3], [4; 3]);
    assert_eq!(volume_of_hull(&merged(&[outer.clone(), inner.clone().reversed()]), HullOptions::default()), 208.0);
    assert_eq!(volume_of_hull(&merged(&[outer.clone(), inner]), HullOptions::default()), 216.0);
    assert_eq!(volume_of_hull(&outer.clone().reversed(), HullOptions::default()), 216.0);
    assert_eq!(volume_of_hull(&merged(&[outer.clone(), outer.clone()]), HullOptions::default()), 216.0);
    // A body that is inside out takes the common space away.
    let turned = cuboid([4, 0, 0], [8, 6, 6]).reversed();
    assert_eq!(volume_of_hull(&merged(&[outer, turned]), HullOptions::default()), 144.0 + 72.0);
}

#[test]
fn meshes_without_a_volume_are_refused() {
    let cube = cuboid([0; 3], [1; 3]);
    let open = TriMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec()).unwrap();
    assert_eq!(outer_hull(&open, HullOptions::default()).unwrap_err(), OuterHullError::Open);
    let nothing = merged(&[cube.clone(), cube.clone().reversed()]);
    assert_eq!(outer_hull(&nothing, HullOptions::default()).unwrap_err(), OuterHullError::NoVolume);
}

#[test]
fn coordinates_beyond_the_limit_are_refused() {
    let (vertices, triangles) = cuboid([0; 3], [1; 3]).into_parts();
    for scale in [1e308, -1e308, 1.1e300] {
        let large = TriMesh::new(vertices.iter().map(|place| *place * scale).collect(), triangles.clone()).unwrap();
        let refused = outer_hull(&large, HullOptions::default());
        let due = SolidMeshError::TooLarge { largest: scale.abs() };
        assert_eq!(refused.unwrap_err(), OuterHullError::Solid(due), "{scale}");
    }
}

#[test]
fn more_tests_than_the_limit_are_refused() {
    // Long triangles that thousands of prisms pass through: all their segments would be tested against each other.
    let mut meshes = vec![cuboid([-1, -1, 0], [10_000, 1, 1])];
    for at in 0..2_500 {
        let prism = cuboid([4 * at, 0, -1], [4 * at + 1, 4, 2]);
        meshes.push(prism);
    }
    let refused = outer_hull(&merged(&meshes), HullOptions::default());
    assert_eq!(refused.unwrap_err(), OuterHullError::TooMany);
}
