//! Exact evaluation: volumes, laws of sets, agreement with membership, hostile input.

use crate::trees;
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::{Topology, measures};
use heurt_shape::Convex;
use heurt_solid::{Affine, BigRational, Csg, CsgError, CsgQuery, HalfSpace};
use heurt_testkit::number::random::Random;

fn volume(tree: &Csg) -> BigRational {
    tree.to_exact_pieces().unwrap().volume()
}

fn cube_at(corner: [f64; 3], size: f64) -> Csg {
    let half = Vec3::splat(size / 2.0);
    let at = Pose::from_translation(Vec3::from_array(corner) + half).unwrap();
    Csg::shape(Convex::cuboid(half).unwrap()).transformed(at.into())
}

#[test]
fn golden_volumes() {
    let a = cube_at([0.0; 3], 2.0);
    let check = |b: Csg, expected: [i64; 4]| {
        let volumes = [
            a.clone().union(b.clone()),
            a.clone().intersection(b.clone()),
            a.clone().difference(b.clone()),
            b.difference(a.clone()),
        ];
        assert_eq!(volumes.map(|tree| volume(&tree)), expected.map(|v| BigRational::from_integer(v.into())));
    };
    check(a.clone(), [8, 8, 0, 0]);
    check(cube_at([2.0, 0.0, 0.0], 2.0), [16, 0, 8, 8]); // a common face
    check(cube_at([2.0, 2.0, 0.0], 2.0), [16, 0, 8, 8]); // a common edge
    check(cube_at([2.0; 3], 2.0), [16, 0, 8, 8]); // a common corner
    check(cube_at([1.0; 3], 2.0), [15, 1, 7, 7]);
    check(cube_at([0.0, 0.0, 1.0], 1.0), [8, 1, 7, 0]); // coincident faces within
    check(cube_at([0.5; 3], 1.0), [8, 1, 7, 0]); // a cavity
    // The map of determinant −2 is exact.
    let mirror = Affine::new(Mat3::from_diagonal(Vec3::new(-2.0, 1.0, 1.0)), Vec3::X).unwrap();
    assert_eq!(volume(&a.transformed(mirror)), BigRational::from_integer(16.into()));
}

#[test]
fn laws_of_sets_hold_exactly() {
    let mut random = Random::new(21);
    let frame = trees::frame();
    for round in 0..60 {
        let a = trees::tree(&mut random, 1 + round % 4, &trees::polyhedral_leaf).intersection(frame.clone());
        let b = trees::tree(&mut random, 1 + round % 3, &trees::polyhedral_leaf).intersection(frame.clone());
        let (union, common) = (volume(&a.clone().union(b.clone())), volume(&a.clone().intersection(b.clone())));
        assert_eq!(&union + &common, volume(&a) + volume(&b), "inclusion and exclusion");
        assert_eq!(volume(&a.clone().difference(b.clone())), volume(&a) - &common);
        let de_morgan = a.clone().complement().union(b.clone().complement()).complement();
        assert_eq!(volume(&de_morgan), common, "De Morgan");
        let de_morgan = a.clone().complement().intersection(b.clone().complement()).complement();
        assert_eq!(volume(&de_morgan), union, "De Morgan");
        assert_eq!(volume(&a.simplified()), volume(&a));
        assert_eq!(volume(&a.balanced()), volume(&a));
    }
}

#[test]
fn pieces_membership_and_rays_agree() {
    let (mut random, mut inside) = (Random::new(22), 0);
    for _ in 0..80 {
        let leaves = random.whole(1, 7);
        let tree = trees::tree(&mut random, leaves, &trees::polyhedral_leaf).intersection(trees::frame());
        let pieces = tree.to_exact_pieces().unwrap();
        let query = CsgQuery::new(&tree);
        for _ in 0..100 {
            let point = random.vector(5.0);
            assert_eq!(pieces.contains(point), query.contains(point), "{tree:?} {point}");
            inside += usize::from(query.contains(point));
        }
        for piece in pieces.pieces() {
            let mesh = piece.to_mesh().unwrap();
            assert!(Topology::new(&mesh).is_oriented() && Topology::new(&mesh).is_closed());
            assert!((measures(&mesh).volume.unwrap() - piece.rounded_volume()).abs() < 1e-9);
        }
        // Interiors are disjoint: the sum of the volumes is the volume of the union of the pieces.
        for (i, a) in pieces.pieces().iter().enumerate() {
            let centre = a.vertices().fold(Vec3::ZERO, |sum, v| sum + v.rounded()) / a.vertex_count() as f64;
            let others = pieces.pieces().iter().enumerate().filter(|&(j, b)| j != i && b.contains(centre));
            assert!(others.count() == 0 || a.rounded_volume() < 1e-12);
        }
    }
    assert!((500..7500).contains(&inside), "{inside}");
}

#[test]
fn unbounded_and_curved_trees_are_refused_by_name() {
    let half = Csg::half_space(HalfSpace::new(Vec3::X, 0.0).unwrap());
    assert_eq!(half.to_exact_pieces().unwrap_err(), CsgError::Unbounded);
    assert_eq!(cube_at([0.0; 3], 1.0).complement().to_exact_pieces().unwrap_err(), CsgError::Unbounded);
    assert_eq!(volume(&half.clone().intersection(half.complement())), BigRational::from_integer(0.into()));
    let ball = cube_at([0.0; 3], 1.0).union(Csg::shape(Convex::sphere(1.0).unwrap()));
    assert!(matches!(ball.to_exact_pieces().unwrap_err(), CsgError::NotPolyhedral { leaf: 2, .. }));
}

#[test]
fn scales_far_from_1_are_exact() {
    for exponent in [-300, 300] {
        let size = 2f64.powi(exponent);
        let (a, b) = (cube_at([0.0; 3], size), cube_at([size / 2.0; 3], size));
        let ratio = volume(&a.clone().intersection(b)) / volume(&a);
        assert_eq!(ratio, BigRational::new(1.into(), 8.into()));
    }
    // A tiny cube in a huge one.
    let (huge, tiny) = (cube_at([-1e100; 3], 2e100), cube_at([0.0; 3], 2f64.powi(-200)));
    assert_eq!(volume(&huge) - volume(&huge.clone().difference(tiny.clone())), volume(&tiny));
}
