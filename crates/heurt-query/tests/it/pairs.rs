//! `pairs` of every kind of shape: `overlap` of each two primitives; within a budget some of them.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::Supertoroid;
use heurt_mesh::{TriMesh, generate};
use heurt_query::{Budget, Budgeted, PairsOptions, overlap, pairs, pairs_with};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, ShapeRef, Superquadric};
use heurt_testkit::number::random::Random;
use std::sync::Arc;

/// The primitives of a shape in its frame, by number.
fn primitives(shape: &Shape) -> Vec<(Shape, Pose)> {
    let of_mesh = |mesh: &TriMesh, margin: f64| -> Vec<(Shape, Pose)> {
        let triangle = |k: u32| Convex::triangle(mesh.corners(k)).unwrap().with_margin(margin).unwrap();
        (0..mesh.triangles().len() as u32).map(|k| (triangle(k).into(), Pose::IDENTITY)).collect()
    };
    match shape {
        Shape::Mesh(mesh) => of_mesh(mesh.mesh(), 0.0),
        Shape::Rounded(rounded) => of_mesh(rounded.mesh().mesh(), rounded.margin()),
        Shape::Compound(compound) => {
            let of_part = |(number, part): (u32, &heurt_shape::Part)| {
                assert!(part.first as usize <= 100_000);
                let at = compound.place(number, &Pose::IDENTITY);
                primitives(&part.shape).into_iter().map(move |(shape, pose)| (shape, at.compose(&pose)))
            };
            (0u32..).zip(compound.parts()).flat_map(of_part).collect()
        }
        other => vec![(other.clone(), Pose::IDENTITY)],
    }
}

fn shapes() -> Vec<Shape> {
    let ball = |detail: u32| MeshShape::new(generate::icosphere(0.6, detail).unwrap()).unwrap();
    let cuboid = Convex::cuboid(Vec3::new(0.5, 0.3, 0.4)).unwrap();
    let rounded = RoundedMesh::new(Arc::new(ball(0)), 0.1).unwrap().into();
    let ring = Superquadric::Toroid(Supertoroid::new(0.6, 0.2, 1.0, 1.0).unwrap());
    let parts = [
        (Shape::from(Convex::sphere(0.4).unwrap()), Pose::from_translation(Vec3::X * 0.5).unwrap()),
        (Shape::Mesh(Arc::new(ball(0))), Pose::from_translation(Vec3::X * -0.4).unwrap()),
        (Shape::from(cuboid.clone()), Pose::IDENTITY),
    ];
    vec![
        Shape::Mesh(Arc::new(ball(1))),
        rounded,
        cuboid.into(),
        Convex::capsule(0.2, 0.5).unwrap().into(),
        Convex::cylinder(0.4, 0.3).unwrap().into(),
        ring.into(),
        Compound::new(parts).unwrap().into(),
    ]
}

#[test]
fn pairs_are_those_whose_primitives_overlap() {
    let (all, mut random, mut total) = (shapes(), Random::new(5), 0);
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate().skip(i) {
            let (p, q) = (random.pose(0.4), random.pose(0.4));
            let found = pairs(a, &p, b, &q);
            assert!(found.is_sorted());
            let (of_a, of_b) = (primitives(a), primitives(b));
            let mut expected = Vec::new();
            for (x, (shape_x, at_x)) in (0u32..).zip(&of_a) {
                for (y, (shape_y, at_y)) in (0u32..).zip(&of_b) {
                    if overlap(shape_x, &p.compose(at_x), shape_y, &q.compose(at_y)).is_some() {
                        expected.push([x, y]);
                    }
                }
            }
            assert_eq!(found, expected, "{i} and {j}");
            let mut swapped: Vec<[u32; 2]> = pairs(b, &q, a, &p).into_iter().map(|[y, x]| [x, y]).collect();
            swapped.sort_unstable();
            assert_eq!(swapped, found, "{j} and {i}");
            total += found.len();
        }
    }
    assert!(total > 200, "{total}");
}

#[test]
fn meshes_are_asked_exactly_and_half_spaces_whole() {
    let mesh = MeshShape::new(generate::cuboid([0.5; 3]).unwrap()).unwrap();
    let beside = Pose::from_translation(Vec3::new(1.0, 0.25, 0.0)).unwrap();
    assert!(!pairs(&mesh, &Pose::IDENTITY, &mesh, &beside).is_empty());
    let floor = Convex::half_space(Vec3::Z, -0.5).unwrap();
    let found = pairs(&floor, &Pose::IDENTITY, &mesh, &Pose::IDENTITY);
    let touches = |&k: &u32| mesh.mesh().corners(k).iter().any(|corner| corner.z <= -0.5);
    let expected: Vec<[u32; 2]> = (0..12).filter(touches).map(|k| [0, k]).collect();
    assert!(found == expected && found.len() == 10, "{found:?}");
    let shape: ShapeRef<'_> = (&mesh).into();
    assert!(pairs(shape, &Pose::IDENTITY, &Convex::sphere(0.1).unwrap(), &Pose::IDENTITY).is_empty());
}

#[test]
fn a_budget_ends_the_list_and_what_is_listed_intersects() {
    let (all, mut random, mut cuts) = (shapes(), Random::new(6), 0);
    for a in &all {
        for b in &all {
            let (p, q) = (random.pose(0.3), random.pose(0.3));
            let whole = pairs_with(a, &p, b, &q, &PairsOptions::default());
            let expected = pairs(a, &p, b, &q);
            assert_eq!(whole.outcome, Budgeted::Complete(expected.clone()));
            for work in [0, 1, 3, 10, 30, 100, 1000] {
                let budget = Budget { work: Some(work), ..Budget::default() };
                let answer = pairs_with(a, &p, b, &q, &PairsOptions { budget });
                match answer.outcome {
                    Budgeted::Complete(found) => assert_eq!(found, expected),
                    Budgeted::Partial(found) => {
                        assert!(found.iter().all(|pair| expected.contains(pair)), "{found:?} of {expected:?}");
                        assert!(answer.work.volumes + answer.work.primitives >= work);
                        cuts += 1;
                    }
                }
            }
        }
    }
    assert!(cuts > 100, "{cuts}");
}
