//! Lower bounds of the penetration depth by inscribed balls, against depths that are known.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::{cuboid, icosphere, torus};
use heurt_query::contact_kind::{inscribed_depth, inscribed_depth_at, separating_translation};
use heurt_query::{contact, local_depth, overlap, pairs};
use heurt_shape::MeshShape;
use proptest::prelude::*;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

#[test]
fn two_bars_that_cross_have_the_depth_of_the_thinner_overlap() {
    // No vertex of one lies in the other: only the given place is in both.
    let along_x = MeshShape::new(cuboid([5.0, 0.5, 0.5]).unwrap()).unwrap();
    let along_y = MeshShape::new(cuboid([0.5, 5.0, 0.5]).unwrap()).unwrap();
    let lifted = at(0.0, 0.0, 0.75);
    let found = inscribed_depth((&along_x, &Pose::IDENTITY), (&along_y, &lifted), &[Vec3::new(0.1, 0.2, 0.4)]).unwrap();
    assert!((found.depth - 0.25).abs() < 1e-9, "{found:?}");
    assert_eq!(inscribed_depth((&along_x, &Pose::IDENTITY), (&along_y, &lifted), &[]), None);
}

#[test]
fn a_ball_inside_a_box_counts_both_radii() {
    let room = MeshShape::new(cuboid([1.0, 1.0, 1.0]).unwrap()).unwrap();
    let ball = MeshShape::new(icosphere(0.25, 3).unwrap()).unwrap();
    let found = inscribed_depth((&room, &Pose::IDENTITY), (&ball, &at(0.5, 0.0, 0.0)), &[]).unwrap();
    // 0.5 from the wall and 0.25 of the ball, whose facets lie a little deeper than its corners.
    assert!(found.depth > 0.74 && found.depth < 0.75, "{found:?}");
}

#[test]
fn a_pin_in_a_hole_that_is_too_tight_is_as_deep_as_it_is_too_thick() {
    // The translation that separates them is some 2.2 long; the pin is 1e-3 too thick all round.
    let ring = MeshShape::new(torus(1.0, 0.3, 64, 32).unwrap()).unwrap();
    let hole = 0.7;
    let pin = MeshShape::new(heurt_mesh::generate::cylinder(hole + 1e-3, 2.0, 64).unwrap()).unwrap();
    let found = inscribed_depth((&ring, &Pose::IDENTITY), (&pin, &Pose::IDENTITY), &[]);
    let depth = found.map_or(0.0, |found| found.depth);
    assert!(depth < 5e-3, "{found:?}");
}

#[test]
fn a_sheet_in_a_solid_has_the_depth_of_its_deepest_vertex() {
    let room = MeshShape::new(cuboid([1.0, 1.0, 1.0]).unwrap()).unwrap();
    let corners = vec![Vec3::new(0.0, 0.0, 0.25), Vec3::new(9.0, 0.0, 0.0), Vec3::new(0.0, 9.0, 0.0)];
    let sheet = MeshShape::new(heurt_mesh::TriMesh::new(corners, vec![[0, 1, 2]]).unwrap()).unwrap();
    for swap in [false, true] {
        let (room, sheet) = ((&room, &Pose::IDENTITY), (&sheet, &Pose::IDENTITY));
        let found = if swap { inscribed_depth(sheet, room, &[]) } else { inscribed_depth(room, sheet, &[]) }.unwrap();
        assert!((found.depth - 0.75).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn two_surfaces_have_no_depth() {
    let sheet = || heurt_mesh::TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let sheet = MeshShape::new(sheet()).unwrap();
    let here = (&sheet, &Pose::IDENTITY);
    assert_eq!(inscribed_depth(here, here, &[Vec3::ZERO]), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_translation_that_separates_is_shorter(
        x in -1.2f64..1.2, y in -0.8f64..0.8, z in -0.8f64..0.8, turn in 0.0f64..1.5, ring in any::<bool>(),
    ) {
        let a = if ring { torus(0.6, 0.3, 24, 12).unwrap() } else { cuboid([0.5, 0.4, 0.3]).unwrap() };
        let a = MeshShape::new(a).unwrap();
        let b = MeshShape::new(cuboid([0.5, 0.25, 0.35]).unwrap()).unwrap();
        let (sin, cos) = (0.5 * turn).sin_cos();
        let pose = Pose::from_quaternion([sin, 0.0, 0.0, cos], Vec3::new(x, y, z)).unwrap();
        let middle = [Vec3::new(x, y, z) * 0.5];
        let found = inscribed_depth((&a, &Pose::IDENTITY), (&b, &pose), &middle);
        if overlap(&a, &Pose::IDENTITY, &b, &pose).is_none() {
            prop_assert!(found.is_none_or(|found| found.depth <= 1e-12));
        } else if let (Some(found), Some(touch)) = (found, contact(&a, &Pose::IDENTITY, &b, &pose, 0.0)) {
            let most = -touch.separation + touch.error;
            prop_assert!(found.depth <= most, "{:?} against {:?}", found, touch);
            let (a, b) = ((&a, &Pose::IDENTITY), (&b, &pose));
            let local = local_depth(a, b, &pairs(a.0, a.1, b.0, b.1), 0.0).expect("both are solids");
            if let Some(deepest) = local.place {
                let found = inscribed_depth_at(a, b, deepest, &[]).expect("the deepest point is in both");
                prop_assert!(found.depth >= 0.999 * local.at_least - 1e-9, "{:?} against {:?}", found, local);
                prop_assert!(found.depth <= most, "{:?} against {:?}", found, touch);
            }
        }
    }
}

#[test]
fn translations_separate_and_are_short_where_a_direction_shows() {
    let bar = MeshShape::new(cuboid([5.0, 0.5, 0.5]).unwrap()).unwrap();
    let across = MeshShape::new(cuboid([0.5, 5.0, 0.5]).unwrap()).unwrap();
    let lifted = at(0.0, 0.0, 0.75);
    let found = separating_translation((&bar, &Pose::IDENTITY), (&across, &lifted), &[]).unwrap();
    assert!((found - Vec3::Z * 0.25).length() < 1e-6, "{found}");
    // A ball in a ring leaves along the axis, by 0.25 less what the hole lets through.
    let ring = MeshShape::new(torus(1.0, 0.25, 48, 24).unwrap()).unwrap();
    let ball = MeshShape::new(icosphere(0.3, 3).unwrap()).unwrap();
    let inside = at(1.0, 0.0, 0.1);
    let found = separating_translation((&ring, &Pose::IDENTITY), (&ball, &inside), &[]).unwrap();
    let there = inside.shifted(found).unwrap();
    assert_eq!(overlap(&ring, &Pose::IDENTITY, &ball, &there), None);
    assert!(found.length() < 0.5, "{found}");
}

#[test]
fn nested_and_equal_meshes_are_separated() {
    let cube = MeshShape::new(cuboid([0.5, 0.5, 0.5]).unwrap()).unwrap();
    let far = at(1e6, -3.0, 0.0);
    for scale in [1.0, 0.1] {
        let other = MeshShape::new(cube.mesh().scaled(scale).unwrap()).unwrap();
        let found = separating_translation((&cube, &far), (&other, &far), &[]).unwrap();
        assert_eq!(overlap(&cube, &far, &other, &far.shifted(found).unwrap()), None);
        assert!((found.length() - 0.5 - 0.5 * scale).abs() < 2e-3, "{found}");
    }
}
