//! Measures of convex shapes against formulas, tessellations and each other.

use heurt_geometry::{Mat3, Vec3};
use heurt_mesh::Measures;
use heurt_shape::{Convex, MassError};
use heurt_testkit::hard::tessellate::measures_of_tessellation;
use heurt_testkit::number::random::Random;
use std::f64::consts::PI;

fn volume(found: &Measures) -> f64 {
    found.volume.expect("a convex shape is closed")
}

fn same(what: &str, found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs(), "{what}: {found:e}, not {expected:e}");
}

/// Compares two bodies; entries of tensors relatively to the largest.
fn agree(what: &str, found: &Measures, expected: &Measures, relative: f64) {
    same(&format!("{what}: area"), found.area, expected.area, relative);
    same(&format!("{what}: volume"), volume(found), volume(expected), relative);
    let size = expected.area.sqrt();
    let off = (found.centroid.unwrap() - expected.centroid.unwrap()).length();
    assert!(off <= relative * size, "{what}: centroid {:?}, not {:?}", found.centroid, expected.centroid);
    let (found, expected) = (found.inertia.unwrap(), expected.inertia.unwrap());
    let largest = expected.to_cols_array().into_iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    for (x, y) in found.to_cols_array().into_iter().zip(expected.to_cols_array()) {
        assert!((x - y).abs() <= relative * largest, "{what}: inertia {found}, not {expected}");
    }
}

fn corners(random: &mut Random, count: usize) -> Vec<Vec3> {
    (0..count).map(|_| Vec3::from_array([0.0; 3].map(|_: f64| random.between(-1.0, 1.0)))).collect()
}

fn shapes() -> Vec<(String, Convex)> {
    let mut random = Random::new(11);
    let mut all = vec![
        ("point".to_owned(), Convex::point()),
        ("segment".to_owned(), Convex::segment([Vec3::new(0.5, -0.25, 1.0), Vec3::new(-0.75, 0.5, 0.25)]).unwrap()),
        ("triangle".to_owned(), Convex::triangle([Vec3::ZERO, Vec3::X, Vec3::new(0.25, 1.5, 0.5)]).unwrap()),
        ("box".to_owned(), Convex::cuboid(Vec3::new(0.5, 0.75, 1.25)).unwrap()),
        ("cylinder".to_owned(), Convex::cylinder(0.75, 0.5).unwrap()),
        ("cone".to_owned(), Convex::cone(0.75, 0.5).unwrap()),
        ("ellipsoid".to_owned(), Convex::ellipsoid(Vec3::new(0.5, 1.0, 1.5)).unwrap()),
        ("pillow".to_owned(), Convex::superellipsoid(Vec3::new(0.5, 1.0, 0.75), 0.5, 0.7).unwrap()),
    ];
    for count in [4, 6, 12, 40] {
        all.push((format!("hull of {count}"), Convex::hull(&corners(&mut random, count)).unwrap()));
    }
    all
}

#[test]
fn closed_forms_are_met() {
    let (r, h) = (0.75, 1.25);
    let ball = Convex::sphere(r).unwrap().measures().unwrap();
    same("sphere", volume(&ball), 4.0 / 3.0 * PI * r.powi(3), 1e-15);
    same("sphere", ball.area, 4.0 * PI * r * r, 1e-15);
    same("sphere", ball.inertia.unwrap().x_axis.x, 0.4 * volume(&ball) * r * r, 1e-14);
    for (name, other) in [
        ("ellipsoid", Convex::ellipsoid(Vec3::splat(r))),
        ("rounded ellipsoid", Convex::ellipsoid(Vec3::splat(0.5)).and_then(|shape| shape.with_margin(0.25))),
        ("superellipsoid", Convex::superellipsoid(Vec3::splat(r), 1.0, 1.0)),
        ("rounded disc", Convex::cylinder(0.0, 0.0).and_then(|shape| shape.with_margin(r))),
    ] {
        agree(name, &other.unwrap().measures().unwrap(), &ball, 1e-12);
    }
    let pill = Convex::capsule(r, h).unwrap().measures().unwrap();
    same("capsule", volume(&pill), PI * r * r * (4.0 / 3.0 * r + 2.0 * h), 1e-15);
    same("capsule", pill.area, 2.0 * PI * r * (2.0 * r + 2.0 * h), 1e-15);
    let drum = Convex::cylinder(r, h).unwrap().measures().unwrap();
    same("cylinder", volume(&drum), 2.0 * PI * r * r * h, 1e-14);
    same("cylinder", drum.area, 2.0 * PI * r * (r + 2.0 * h), 1e-14);
    same("cylinder", drum.inertia.unwrap().z_axis.z, volume(&drum) * r * r / 2.0, 1e-14);
    same("cylinder", drum.inertia.unwrap().x_axis.x, volume(&drum) * (3.0 * r * r + 4.0 * h * h) / 12.0, 1e-14);
    let cone = Convex::cone(r, h).unwrap().measures().unwrap();
    same("cone", volume(&cone), 2.0 / 3.0 * PI * r * r * h, 1e-14);
    same("cone", cone.area, PI * r * (r + (r * r + 4.0 * h * h).sqrt()), 1e-14);
    same("cone", cone.centroid.unwrap().z, -h / 2.0, 1e-13);
    same("cone", cone.inertia.unwrap().z_axis.z, 0.3 * volume(&cone) * r * r, 1e-13);
    // An oblate spheroid, its area by the formula of schoolbooks.
    let (a, c): (f64, f64) = (1.5, 0.5);
    let e = (1.0 - c * c / (a * a)).sqrt();
    let area = 2.0 * PI * a * a * (1.0 + (1.0 - e * e) / e * e.atanh());
    let flat = Convex::ellipsoid(Vec3::new(a, c, a)).unwrap().measures().unwrap();
    same("spheroid", flat.area, area, 1e-14);
    same("spheroid", flat.inertia.unwrap().y_axis.y, volume(&flat) * 0.4 * a * a, 1e-14);
    // Bevelled all round it is an octahedron.
    let bevel = Convex::superellipsoid(Vec3::new(1.0, 2.0, 3.0), 2.0, 2.0).unwrap().measures().unwrap();
    let tips = [Vec3::X, Vec3::Y * 2.0, Vec3::Z * 3.0].into_iter().flat_map(|tip| [tip, -tip]).collect::<Vec<_>>();
    agree("octahedron", &bevel, &Convex::hull(&tips).unwrap().measures().unwrap(), 1e-12);
    // And as good as a box with the least exponents.
    let brick = Convex::superellipsoid(Vec3::new(1.0, 2.0, 3.0), 0.01, 0.01).unwrap().measures().unwrap();
    same("brick", volume(&brick), 48.0, 1e-3);
    same("brick", brick.area, 88.0, 1e-2);
}

#[test]
fn a_rounded_box_is_a_box_with_slabs_quarters_and_octants() {
    let (half, m) = (Vec3::new(0.5, 0.75, 1.25), 0.375);
    let found = Convex::cuboid(half).unwrap().with_margin(m).unwrap().measures().unwrap();
    let (a, b, c) = (2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
    let steiner = |m: f64| {
        let (area, edges) = (2.0 * (a * b + b * c + c * a), PI * (a + b + c));
        (a * b * c + area * m + edges * m * m + 4.0 / 3.0 * PI * m.powi(3), area + 2.0 * edges * m + 4.0 * PI * m * m)
    };
    same("volume", volume(&found), steiner(m).0, 1e-15);
    same("area", found.area, steiner(m).1, 1e-15);
    // ∫ x² over what is grown: a slab ends at a face or is level; quarters and octants are parts of discs and balls whose
    // middle is an edge or a corner.
    let square = |axis: usize| {
        let [l, w, h] = [axis, (axis + 1) % 3, (axis + 2) % 3].map(|k| 2.0 * half[k]);
        let e = l / 2.0;
        let core = w * h * l.powi(3) / 12.0;
        let ends = 2.0 * w * h * ((e + m).powi(3) - e.powi(3)) / 3.0;
        let sides = 2.0 * m * (w + h) * l.powi(3) / 12.0;
        let along = PI * m * m * l.powi(3) / 12.0;
        // ∫ (e + ρ cos)² over half discs at both ends.
        let disc = PI * m * m * e * e + 4.0 * e * 2.0 * m.powi(3) / 3.0 + PI * m.powi(4) / 4.0;
        let ball = 4.0 / 3.0 * PI * m.powi(3) * e * e + PI * m.powi(4) * e + 4.0 / 15.0 * PI * m.powi(5);
        core + ends + sides + along + disc * (w + h) + ball
    };
    let squares = Vec3::new(square(0), square(1), square(2));
    let inertia = Mat3::from_diagonal(Vec3::splat(squares.element_sum()) - squares);
    for (x, y) in found.inertia.unwrap().to_cols_array().into_iter().zip(inertia.to_cols_array()) {
        assert!((x - y).abs() < 1e-13, "{} {inertia}", found.inertia.unwrap());
    }
    assert!(found.centroid.unwrap().length() < 1e-15);
}

#[test]
fn tessellations_agree() {
    for (name, core) in shapes() {
        for margin in [0.0, 0.125, 1.0] {
            let shape = core.clone().with_margin(margin).unwrap();
            if volume(&shape.measures().unwrap()) == 0.0 {
                continue;
            }
            let tessellation = measures_of_tessellation(|direction| shape.support(direction).unwrap(), 24);
            agree(&format!("{name} with {margin}"), &shape.measures().unwrap(), &tessellation, 5e-3);
        }
    }
}

#[test]
fn what_grows_sweeps_its_area() {
    // V' = A, which is a polynomial of degree 2, so that Simpson's rule is exact.
    for (name, core) in shapes() {
        let at = |m: f64| core.clone().with_margin(m).unwrap().measures().unwrap();
        for m in [1e-3, 0.5, 8.0] {
            let (none, half, whole) = (at(0.0), at(m / 2.0), at(m));
            let swept = (none.area + 4.0 * half.area + whole.area) * m / 6.0;
            let gained = volume(&whole) - volume(&none);
            assert!((gained - swept).abs() <= 1e-11 * volume(&whole), "{name}: {gained} {swept}");
        }
    }
}

#[test]
fn wherever_a_hull_lies_it_measures_the_same() {
    let mut random = Random::new(12);
    for count in [2, 3, 4, 9, 30] {
        let points = corners(&mut random, count);
        for (offset, relative) in [(1.0, 1e-13), (1e6, 1e-8)] {
            let shift = Vec3::new(3.0, -2.0, 1.0) * offset;
            let moved: Vec<Vec3> = points.iter().map(|point| *point + shift).collect();
            let of = |points: &[Vec3]| Convex::hull(points).unwrap().with_margin(0.25).unwrap().measures().unwrap();
            let mut back = of(&moved);
            back.centroid = back.centroid.map(|centroid| centroid - shift);
            agree(&format!("{count} points"), &back, &of(&points), relative);
        }
    }
}

#[test]
fn sizes_of_all_orders_are_measured() {
    for (name, core) in shapes() {
        let shape = core.with_margin(0.25).unwrap();
        let plain = shape.measures().unwrap();
        for exponent in [-300, -60, -20, 20, 60] {
            let scale = libm::ldexp(1.0, exponent);
            let scaled = match shape.core() {
                heurt_shape::Core::Hull(hull) => {
                    Convex::hull(&hull.corners().iter().map(|corner| *corner * scale).collect::<Vec<_>>()).unwrap()
                }
                heurt_shape::Core::Round(round) => Convex::round(round.scaled(scale)).unwrap(),
                heurt_shape::Core::HalfSpace { .. } => unreachable!(),
            };
            let found = scaled.with_margin(0.25 * scale).unwrap().measures().unwrap();
            assert_eq!(found.area, plain.area * scale * scale, "{name}");
            assert_eq!(volume(&found), volume(&plain) * scale * scale * scale, "{name}");
            assert!(found.centroid.unwrap().is_finite() && found.inertia.unwrap().is_finite(), "{name}");
        }
    }
}

#[test]
fn flat_shapes_have_two_sides_and_no_volume() {
    let square = Convex::hull(&[Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y]).unwrap();
    for (name, shape, area) in [
        ("point", Convex::point(), 0.0),
        ("segment", Convex::segment([Vec3::ZERO, Vec3::ONE]).unwrap(), 0.0),
        ("square", square, 2.0),
        ("disc", Convex::cylinder(1.0, 0.0).unwrap(), 2.0 * PI),
        ("flat cone", Convex::cone(1.0, 0.0).unwrap(), 2.0 * PI),
        ("flat ellipsoid", Convex::ellipsoid(Vec3::new(1.0, 0.0, 2.0)).unwrap(), 4.0 * PI),
        ("needle", Convex::ellipsoid(Vec3::new(0.0, 0.0, 2.0)).unwrap(), 0.0),
    ] {
        let found = shape.measures().unwrap();
        assert_eq!((found.volume, found.centroid, found.inertia), (Some(0.0), None, None), "{name}");
        assert!((found.area - area).abs() <= 1e-14 * area, "{name}: {}", found.area);
    }
}

#[test]
fn what_cannot_be_measured_says_why() {
    let half_space = Convex::half_space(Vec3::X, 1.0).unwrap();
    assert_eq!(half_space.measures(), Err(MassError::Unbounded));
}

/// Edges have no place on the surface that is integrated over, and what is flat has no surface: lines tell of both.
#[test]
fn what_quadrature_does_not_reach_is_told_by_lines() {
    let octahedron = [Vec3::X, Vec3::Y, Vec3::Z].map(|tip| [tip, -tip]).concat();
    let (radius, margin) = (1.0, 0.1);
    for (name, shape, same_as) in [
        ("octahedron", Convex::superellipsoid(Vec3::ONE, 2.0, 2.0), Convex::hull(&octahedron)),
        ("disc", Convex::ellipsoid(Vec3::new(radius, radius, 0.0)), Convex::cylinder(radius, 0.0)),
        ("needle", Convex::ellipsoid(Vec3::new(0.0, 0.0, 1.0)), Convex::segment([-Vec3::Z, Vec3::Z])),
    ] {
        let [found, expected] =
            [shape, same_as].map(|shape| shape.unwrap().with_margin(margin).unwrap().measures().unwrap());
        agree(name, &found, &expected, 2e-3);
    }
}
