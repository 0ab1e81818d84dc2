//! Superellipsoid and supertoroid: closed meshes, the vertices on the surface, inside and outside told apart.

use crate::generate_support::{audit, volume};
use heurt_geometry::Vec3;
use heurt_mesh::generate::{self, GenerateError, Superellipsoid, Supertoroid};
use std::f64::consts::PI;

/// Exponents from nearly a box to spikes.
const EXPONENTS: [f64; 9] = [0.01, 0.1, 0.5, 1.0, 1.7, 2.0, 3.0, 5.0, 10.0];

/// Area of |x|^(2/n) + |y|^(2/n) ≤ 1.
fn section_area(n: f64) -> f64 {
    4.0 * libm::tgamma(1.0 + n / 2.0).powi(2) / libm::tgamma(1.0 + n)
}

/// Volume of the superellipsoid of half axes 1: ∫ (1 − |z|^(2/n1))^n1 dz times the area of the section.
fn superellipsoid_volume(n1: f64, n2: f64) -> f64 {
    // With t = z^(2/n1): n1 ∫₀¹ t^(n1/2 − 1) (1 − t)^n1 dt, a beta function.
    let beta = |a: f64, b: f64| (libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)).exp();
    section_area(n2) * n1 * beta(n1 / 2.0, n1 + 1.0)
}

#[test]
fn closed_and_welded_for_all_exponents() {
    for n1 in EXPONENTS {
        for n2 in EXPONENTS {
            for segments in [4, 5, 8, 13, 32, 64] {
                let mesh = generate::superellipsoid([1.0, 2.0, 0.5], n1, n2, segments).unwrap();
                assert_eq!(audit(&mesh), Ok(2), "superellipsoid {n1} {n2} {segments}");
                assert_eq!(mesh.triangles().len() as u32, 2 * segments * (segments / 2 - 1));
                let mesh = generate::supertoroid(1.0, 0.4, n1, n2, segments.max(8)).unwrap();
                assert_eq!(audit(&mesh), Ok(0), "supertoroid {n1} {n2} {segments}");
            }
        }
    }
}

#[test]
fn closed_and_welded_at_high_resolution() {
    for (n1, n2) in [(0.01, 0.01), (0.2, 5.0), (10.0, 10.0), (1.0, 1.0)] {
        assert_eq!(audit(&generate::superellipsoid([1.0, 2.0, 0.5], n1, n2, 400).unwrap()), Ok(2), "{n1} {n2}");
        assert_eq!(audit(&generate::supertoroid(1.0, 0.4, n1, n2, 400).unwrap()), Ok(0), "{n1} {n2}");
    }
}

#[test]
fn vertices_lie_on_the_surface() {
    for n1 in EXPONENTS {
        for n2 in EXPONENTS {
            let solid = Superellipsoid::new([1.0, 2.0, 0.5], n1, n2).unwrap();
            for &vertex in solid.mesh(40).unwrap().vertices() {
                let f = solid.inside_outside(vertex);
                assert!((f - 1.0).abs() < 1e-11, "superellipsoid {n1} {n2} {vertex}: {f}");
            }
            // Where the tube is widest in z, r0 is taken from ρ again and an error of 1e-16 remains, which the power
            // 2 / n2 < 1 enlarges.
            let solid = Supertoroid::new(1.0, 0.4, n1, n2).unwrap();
            for &vertex in solid.mesh(40).unwrap().vertices() {
                let f = solid.inside_outside(vertex);
                let bound = if n2 > 2.0 { 2.0 * 1e-15f64.powf(2.0 / n2) } else { 1e-11 };
                assert!((f - 1.0).abs() < bound, "supertoroid {n1} {n2} {vertex}: {f}");
            }
        }
    }
}

#[test]
fn parametrisation_of_the_source_lies_on_the_surface() {
    let (ellipsoid, toroid) =
        (Superellipsoid::new([1.0, 2.0, 0.5], 3.0, 0.7).unwrap(), Supertoroid::new(2.0, 0.5, 0.7, 1.3).unwrap());
    for i in -6..=6 {
        for j in -12..12 {
            let (alpha, beta) = (f64::from(i) * PI / 12.0, f64::from(j) * PI / 12.0);
            assert!((ellipsoid.inside_outside(ellipsoid.point(alpha, beta)) - 1.0).abs() < 1e-9);
            assert!((toroid.inside_outside(toroid.point(2.0 * alpha, beta)) - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn scaled_points_are_inside_and_outside() {
    for n1 in EXPONENTS {
        for n2 in EXPONENTS {
            let solid = Superellipsoid::new([1.0, 2.0, 0.5], n1, n2).unwrap();
            assert_eq!(solid.inside_outside(Vec3::ZERO), 0.0);
            for &vertex in solid.mesh(16).unwrap().vertices() {
                assert!(solid.inside_outside(vertex * 0.9) < 1.0 && solid.inside_outside(vertex * 1.1) > 1.0);
            }
            let solid = Supertoroid::new(1.0, 0.4, n1, n2).unwrap();
            assert!(solid.inside_outside(Vec3::ZERO) > 1.0, "the hole is outside");
            assert_eq!(solid.inside_outside(Vec3::new(0.0, -1.0, 0.0)), 0.0, "the centre line");
            // Scaled towards the point of the centre line in the same direction.
            for &vertex in solid.mesh(16).unwrap().vertices() {
                for (factor, inside) in [(0.9, true), (1.1, false)] {
                    let scaled = towards_centre_line(vertex, n1, factor);
                    assert_eq!(solid.inside_outside(scaled) < 1.0, inside, "{n1} {n2} {vertex}");
                }
            }
        }
    }
}

/// Scales a point by `factor` about the point of the centre line r0 = 1 in its direction.
fn towards_centre_line(point: Vec3, n1: f64, factor: f64) -> Vec3 {
    let (x, y) = (point.x.abs(), point.y.abs());
    let (long, short) = (x.max(y), x.min(y));
    let reach = long * (1.0 + (short / long).powf(2.0 / n1)).powf(n1 / 2.0);
    let wanted = 1.0 + (reach - 1.0) * factor;
    Vec3::new(point.x * wanted / reach, point.y * wanted / reach, point.z * factor)
}

#[test]
fn volumes_converge() {
    for (n1, n2) in [(1.0, 1.0), (0.3, 0.3), (0.5, 1.5), (2.0, 2.0), (1.0, 0.2), (2.5, 1.0)] {
        let exact = superellipsoid_volume(n1, n2);
        let got = volume(&generate::superellipsoid([1.0; 3], n1, n2, 256).unwrap());
        assert!((got - exact).abs() < 2e-3 * exact, "superellipsoid {n1} {n2}: {got} {exact}");
        let got = volume(&generate::superellipsoid([1.0, 2.0, 0.5], n1, n2, 256).unwrap());
        assert!((got - exact).abs() < 2e-3 * exact, "radii multiply to one: {got} {exact}");
        // Each section across z is an annulus between two copies of the ring's section: 2 r0 times the tube's area.
        let exact = 2.0 * 2.0 * section_area(n1) * 0.25 * section_area(n2);
        let got = volume(&generate::supertoroid(2.0, 0.5, n1, n2, 256).unwrap());
        assert!((got - exact).abs() < 4e-3 * exact, "supertoroid {n1} {n2}: {got} {exact}");
    }
    assert!((superellipsoid_volume(1.0, 1.0) - 4.0 / 3.0 * PI).abs() < 1e-12, "the formula itself, on the sphere");
}

#[test]
fn special_exponents_are_known_solids() {
    // n = 2 is the octahedron |x| + |y| + |z| = 1, n → 0 the cube: nearly 8 at n = 0.01.
    let octahedron = volume(&generate::superellipsoid([1.0; 3], 2.0, 2.0, 16).unwrap());
    assert!((octahedron - 4.0 / 3.0).abs() < 1e-12);
    let cube = volume(&generate::superellipsoid([1.0; 3], 0.01, 0.01, 16).unwrap());
    assert!(cube > 7.9 && cube < 8.0, "{cube}");
    // Multiples of eight segments hit every spike and every corner exactly.
    let mesh = generate::superellipsoid([1.0, 2.0, 0.5], 3.0, 3.0, 16).unwrap();
    for tip in [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 0.5]] {
        assert!(mesh.vertices().contains(&tip.into()), "{tip:?}");
    }
}

#[test]
fn parameters_out_of_range_are_named() {
    for bad in [0.0, 0.009, 10.1, -1.0, f64::NAN, f64::INFINITY] {
        for (result, name) in [
            (generate::superellipsoid([1.0; 3], bad, 1.0, 16), "n1"),
            (generate::superellipsoid([1.0; 3], 1.0, bad, 16), "n2"),
            (generate::supertoroid(2.0, 1.0, bad, 1.0, 16), "n1"),
            (generate::supertoroid(2.0, 1.0, 1.0, bad, 16), "n2"),
        ] {
            assert!(matches!(result, Err(GenerateError::Parameter { parameter, .. }) if parameter == name), "{bad}");
        }
    }
    for bad in [0.0, -1.0, f64::NAN, 2.0, 3.0, 1e-7] {
        let result = Supertoroid::new(2.0, bad, 1.0, 1.0);
        assert!(matches!(result, Err(GenerateError::Parameter { parameter: "r1", .. })), "{bad}");
    }
    let radii = generate::superellipsoid([1.0, 1.0, -2.0], 1.0, 1.0, 16);
    assert!(matches!(radii, Err(GenerateError::Parameter { parameter: "radius z", value: -2.0, .. })));
    assert!(generate::superellipsoid([1.0; 3], 1.0, 1.0, 3).is_err());
    assert!(generate::supertoroid(2.0, 1.0, 1.0, 1.0, 7).is_err());
}
