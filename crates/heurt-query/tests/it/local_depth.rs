//! Local depth: closed forms of fits, bounds that enclose a sampled oracle, and hostile input.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{self, GenerateError};
use heurt_query::{LocalDepth, closest, local_depth, pairs};
use heurt_shape::MeshShape;
use proptest::prelude::*;

type Part<'a> = (&'a MeshShape, &'a Pose);

fn shape(mesh: Result<TriMesh, GenerateError>) -> MeshShape {
    MeshShape::new(mesh.expect("dimensions in range")).expect("a mesh that a tree can hold")
}

fn depth(a: Part<'_>, b: Part<'_>, tolerance: f64) -> LocalDepth {
    local_depth(a, b, &pairs(a.0, a.1, b.0, b.1), tolerance).expect("at least one solid")
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).expect("finite")
}

/// The largest distance from the boundary of `solid` of sampled points of `surface` inside it, if one is inside.
fn sampled(surface: Part<'_>, solid: Part<'_>, steps: u32) -> Option<f64> {
    let mut most = None;
    for triangle in 0..surface.0.mesh().triangles().len() as u32 {
        let [a, b, c] = surface.0.mesh().corners(triangle).map(|corner| surface.1.place(corner));
        for i in 0..=steps {
            for j in 0..=steps - i {
                let [u, v] = [i, j].map(|k| f64::from(k) / f64::from(steps));
                let point = a * (1.0 - u - v) + b * u + c * v;
                let found = closest(solid.0, solid.1, point);
                if found.inside == Some(true) {
                    most = Some(f64::max(most.unwrap_or(0.0), found.distance));
                }
            }
        }
    }
    most
}

/// A pin in the hole of a plate: the radii of both, their numbers of facets, and the turn of the pin.
fn fit(hole: f64, pin: f64, facets: [u32; 2], turn: f64, tolerance: f64) -> LocalDepth {
    let plate = shape(generate::plate([0.04, 0.04, 0.01], [1, 1], 2.0 * hole, facets[0]));
    let pin = shape(generate::cylinder(pin, 0.03, facets[1]));
    let turned =
        Pose::from_quaternion(Quat::from_rotation_z(turn).to_array(), Vec3::new(0.0, 0.0, 0.001)).expect("a rotation");
    depth((&plate, &Pose::IDENTITY), (&pin, &turned), tolerance)
}

/// The sagitta of a circle of `facets` facets.
fn sagitta(radius: f64, facets: u32) -> f64 {
    radius * (1.0 - (std::f64::consts::PI / f64::from(facets)).cos())
}

#[test]
fn the_depth_is_in_proportion_to_the_size_at_any_scale() {
    let plate = generate::plate([0.04, 0.04, 0.01], [1, 1], 0.01, 48).expect("dimensions in range");
    let pin = generate::cylinder(0.0052, 0.03, 48).expect("dimensions in range");
    let depth_at = |exponent: i32| {
        let scale = 2f64.powi(exponent);
        let scaled = |mesh: &TriMesh| MeshShape::new(mesh.scaled(scale).expect("in range")).expect("in range");
        depth((&scaled(&plate), &Pose::IDENTITY), (&scaled(&pin), &at(0.0, 0.0, 0.001 * scale)), 0.0)
    };
    let usual = depth_at(0);
    assert!(usual.at_least > 0.00018 && usual.at_most < 0.00021, "{usual:?}");
    for exponent in [-980, -700, -400, -330, 330, 400, 700, 980] {
        let (found, scale) = (depth_at(exponent), 2f64.powi(exponent));
        let [least, most] = [found.at_least, found.at_most].map(|bound| bound / scale);
        assert!(least <= usual.at_most && usual.at_least <= most, "{exponent}: {found:?}");
        assert!(most < 0.00021 && least > 0.00018, "{exponent}: {found:?}");
    }
}

#[test]
fn sizes_that_no_unit_holds_have_wide_bounds() {
    let ball = generate::icosphere(1.0, 1).expect("in range");
    let [tiny, huge] = [1e-250, 1e250].map(|size| MeshShape::new(ball.scaled(size).unwrap()).unwrap());
    let found = local_depth((&tiny, &Pose::IDENTITY), (&huge, &Pose::IDENTITY), &[], 0.0).unwrap();
    assert!(found.at_least == 0.0 && found.at_most >= 1e-250 && found.at_most.is_finite(), "{found:?}");
}

#[test]
fn a_pin_too_thick_has_the_difference_of_the_radii() {
    let found = fit(0.005, 0.0052, [96, 96], 0.01, 0.0);
    let room = sagitta(0.0052, 96);
    assert!(found.at_least >= 0.0002 - room && found.at_most <= 0.0002 + 2.0 * room, "{found:?}");
    assert!(found.at_most <= 1.01 * found.at_least + 1e-8, "the bounds meet: {found:?}");
    let place = found.place.expect("a point inside");
    let radius = place.x.hypot(place.y);
    assert!((0.0049..=0.0052001).contains(&radius), "{place}");
}

#[test]
fn a_pin_without_a_hole_has_its_radius() {
    let block = shape(generate::cuboid([0.02; 3]));
    let pin = shape(generate::cylinder(0.005, 0.1, 48));
    let found = depth((&block, &Pose::IDENTITY), (&pin, &Pose::IDENTITY), 0.0);
    assert!(found.at_least > 0.0049 && found.at_most < 0.00501, "{found:?}");
}

#[test]
fn a_part_inside_has_its_own_depth_even_if_it_ends_flush() {
    let block = shape(generate::cuboid([0.02; 3]));
    let peg = shape(generate::cylinder(0.002, 0.01, 48));
    // The peg ends with the block, or a rounding error above it, or 1 mm below.
    for z in [0.01, 0.01 + 1e-13, 0.009] {
        let found = depth((&block, &Pose::IDENTITY), (&peg, &at(0.0, 0.0, z)), 1e-5);
        // A point of its end, 2 cm from the sides of the block, is as deep as the block's other faces are far.
        assert!(found.at_least > 0.015 && found.at_most <= 0.0201, "{z}: {found:?}");
        let other = depth((&peg, &at(0.0, 0.0, z)), (&block, &Pose::IDENTITY), 1e-5);
        assert_eq!((other.at_least, other.at_most), (found.at_least, found.at_most), "either order");
    }
}

#[test]
fn tessellations_of_one_cylinder_have_their_sagitta() {
    for (facets, turn) in [([40, 33], 0.0), ([24, 36], 0.05), ([48, 48], 0.03)] {
        let most = sagitta(0.005, facets[0].min(facets[1]));
        let found = fit(0.005, 0.005, facets, turn, 0.0);
        assert!(found.at_most > 0.0 && found.at_most <= 1.01 * most, "{facets:?}: {found:?}");
        let coarse = fit(0.005, 0.005, facets, turn, 2.0 * most);
        assert!(coarse.at_most <= 2.0 * most, "proved without a search: {coarse:?}");
    }
}

#[test]
fn a_sheet_in_a_solid_has_its_own_depth_and_two_sheets_have_none() {
    let block = shape(generate::cuboid([1.0; 3]));
    let sheet = shape(generate::cuboid([0.5, 0.5, 0.01])).with_solid(false).expect("a hollow one");
    let found = depth((&block, &Pose::IDENTITY), (&sheet, &at(0.0, 0.0, 0.9)), 0.0);
    assert!((found.at_most - 0.11).abs() < 0.01, "{found:?}");
    assert_eq!(local_depth((&sheet, &Pose::IDENTITY), (&sheet, &at(0.1, 0.0, 0.0)), &[], 0.0), None);
}

#[test]
fn hostile_numbers_give_bounds() {
    let block = shape(generate::cuboid([1.0; 3]));
    for tolerance in [f64::NAN, f64::INFINITY, -1.0, f64::MAX] {
        let found = depth((&block, &Pose::IDENTITY), (&block, &at(0.3, 0.2, 0.1)), tolerance);
        assert!(found.at_least <= found.at_most, "{tolerance}: {found:?}");
    }
    for scale in [1e-80, 1e-30, 1e30, 1e80] {
        let cube = shape(generate::cuboid([scale; 3]));
        let found = depth((&cube, &Pose::IDENTITY), (&cube, &at(1.9 * scale, 0.0, 0.0)), 0.0);
        assert!(found.at_least <= 0.11 * scale && found.at_most >= 0.099 * scale, "{scale:e}: {found:?}");
        assert!(found.at_most <= 0.11 * scale, "{scale:e}: {found:?}");
    }
    let far = at(1e9, 0.0, 0.0);
    let found = depth((&block, &far), (&block, &at(1e9 + 1.9, 0.0, 0.0)), 0.0);
    assert!((found.at_most - 0.1).abs() < 1e-3, "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Fits with radii off by ε: deeper than the tolerance is never proved to be shallower, and the reverse.
    #[test]
    fn fits_are_decided_by_a_tolerance(
        off in -0.0003f64..0.0003, turn in 0.0f64..1.0, facets in [12u32..64, 12u32..64], tolerance in 1e-5f64..4e-4,
    ) {
        let found = fit(0.005, 0.005 + off, facets, turn, tolerance);
        let exact = fit(0.005, 0.005 + off, facets, turn, 0.0);
        prop_assert!(found.at_least <= exact.at_most && exact.at_least <= found.at_most, "{found:?} {exact:?}");
        if exact.at_least > tolerance {
            prop_assert!(found.at_most > tolerance, "hidden: {exact:?}");
        }
        if exact.at_most <= tolerance {
            prop_assert!(found.at_most <= tolerance, "shown: {found:?} {exact:?}");
        }
        let errors = sagitta(0.0053, facets[0]) + sagitta(0.0053, facets[1]);
        prop_assert!(exact.at_most <= off.max(0.0) + errors && exact.at_least >= off - errors, "{exact:?}");
    }

    /// Bounds enclose the depth of sampled points, for round and angular solids in any pose.
    #[test]
    fn bounds_enclose_samples(
        place in [-0.9f64..0.9, -0.9f64..0.9, -0.9f64..0.9], axis in [-1.0f64..1.0, -1.0f64..1.0, -1.0f64..1.0],
        angle in 0.0f64..3.1, kinds in [0usize..4, 0usize..4],
    ) {
        let solids = [
            || generate::cuboid([0.5, 0.7, 0.3]),
            || generate::icosphere(0.6, 2),
            || generate::torus(0.6, 0.25, 24, 12),
            || generate::cylinder(0.2, 1.5, 20),
        ];
        let [a, b] = kinds.map(|kind| shape(solids[kind]()));
        let axis = Vec3::from_array(axis).try_normalize().unwrap_or(Vec3::Z);
        let pose = Pose::from_quaternion(Quat::from_axis_angle(axis, angle).to_array(), Vec3::from_array(place)).expect("a rotation");
        let (a, b): (Part<'_>, Part<'_>) = ((&a, &Pose::IDENTITY), (&b, &pose));
        let (in_a, in_b) = (sampled(b, a, 12), sampled(a, b, 12));
        // The step of the samples on the longest edges.
        let room = 0.13;
        let (least, most) = match (in_a, in_b) {
            (None, None) => (0.0, room),
            // A part with all of its surface in the other counts alone; one with little of it may be sampled or not.
            (Some(one), None) | (None, Some(one)) => (0.0, one + room),
            (Some(one), Some(other)) => (one.min(other), one.max(other) + room),
        };
        let found = depth(a, b, 0.0);
        prop_assert!(found.at_least <= found.at_most);
        prop_assert!(found.at_most >= least * (1.0 - 1e-9), "{found:?} {in_a:?} {in_b:?}");
        prop_assert!(found.at_least <= most, "{found:?} {in_a:?} {in_b:?}");
        let swapped = depth(b, a, 0.0);
        prop_assert!(swapped.at_least <= found.at_most && found.at_least <= swapped.at_most);
    }
}
