//! Superellipses and conics: areas by the Gamma formula, polygons to their bound, membership.

use heurt_geometry::Vec2;
use heurt_solid::curve::{Conic, CurveError, Superellipse};
use std::f64::consts::PI;

fn area(corners: &[Vec2]) -> f64 {
    (0..corners.len()).map(|k| corners[k].perp_dot(corners[(k + 1) % corners.len()])).sum::<f64>() / 2.0
}

fn perimeter(corners: &[Vec2]) -> f64 {
    (0..corners.len()).map(|k| corners[k].distance(corners[(k + 1) % corners.len()])).sum()
}

#[test]
fn areas_of_superellipses_are_the_gamma_formula() {
    assert!((Superellipse::new([3.0, 0.5], 1.0).expect("legal").area() - 1.5 * PI).abs() < 1e-14);
    assert!((Superellipse::new([3.0, 0.5], 2.0).expect("legal").area() - 3.0).abs() < 1e-14);
    // The astroid, n = 3: 3/8 π a b.
    assert!((Superellipse::new([3.0, 0.5], 3.0).expect("legal").area() - 0.375 * PI * 1.5).abs() < 1e-14);
    for n in [0.01, 0.1, 0.5, 1.0, 1.7, 2.0, 2.5, 3.0, 6.0, 20.0] {
        let curve = Superellipse::new([3.0, 0.5], n).expect("legal");
        for tolerance in [1e-2, 1e-4, 1e-6] {
            let corners = curve.polygon(tolerance).expect("within the limit");
            let difference = curve.area() - area(&corners);
            println!("n {n}, tolerance {tolerance}: {} corners, area differs by {difference:e}", corners.len());
            assert!(difference.abs() <= perimeter(&corners) * tolerance + 1e-12, "{n}, {tolerance}");
            assert!(if n <= 2.0 { difference >= -1e-12 } else { difference <= 1e-12 }, "{n}: {difference}");
        }
    }
}

#[test]
fn corners_lie_on_the_border_and_sides_within_the_tolerance() {
    for n in [0.1, 0.5, 1.0, 1.5, 3.0] {
        let curve = Superellipse::new([2.0, 1.0], n).expect("legal");
        let tolerance = 1e-3;
        let corners = curve.polygon(tolerance).expect("within the limit");
        for (k, &corner) in corners.iter().enumerate() {
            assert!(curve.value(corner).abs() < 1e-12, "{n}, {corner}");
            let next = corners[(k + 1) % corners.len()];
            let (middle, side) = ((corner + next) * 0.5, next - corner);
            let across = Vec2::new(side.y, -side.x).normalize() * (tolerance * 1.001);
            // The border is within the tolerance on the side that the curve bends to.
            let [inner, outer] = [middle - across, middle + across].map(|point| curve.contains(point));
            assert!(inner && !outer, "{n}, {middle}");
        }
    }
}

#[test]
fn polygons_of_conics_converge() {
    // The sector of a hyperbola: a b (c sinh t … ) with cosh t = 1 + length / a.
    let [a, b, length] = [2.0, 1.0, 3.0_f64];
    let ratio = 1.0 + length / a;
    let hyperbola = a * b * (ratio * (ratio * ratio - 1.0).sqrt() - ratio.acosh());
    let parabola = 4.0 / 3.0 * length * 2.0 * (0.5 * length).sqrt();
    for (conic, exact) in [
        (Conic::Ellipse { half_axes: [a, b] }, PI * a * b),
        (Conic::Parabola { focal_length: 0.5 }, parabola),
        (Conic::Hyperbola { half_axes: [a, b] }, hyperbola),
    ] {
        for tolerance in [1e-2, 1e-4, 1e-6] {
            let corners = conic.polygon(length, tolerance).expect("within the limit");
            let difference = exact - area(&corners);
            assert!(difference > 0.0 && difference <= perimeter(&corners) * tolerance, "{conic:?}: {difference}");
            assert!(corners.iter().all(|&corner| conic.value(corner).abs() < 1e-12), "{conic:?}");
        }
    }
    let branch = Conic::Hyperbola { half_axes: [a, b] };
    assert!(branch.contains(Vec2::new(2.1, 0.0)) && !branch.contains(Vec2::new(-2.1, 0.0)));
}

#[test]
fn faults_are_errors() {
    for half in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Superellipse::new([1.0, half], 1.0), Err(CurveError::Parameter { .. })));
        assert!(Conic::Parabola { focal_length: half }.polygon(1.0, 0.1).is_err());
        assert!(Conic::Hyperbola { half_axes: [half, 1.0] }.polygon(1.0, 0.1).is_err());
        assert!(Conic::Ellipse { half_axes: [1.0, 1.0] }.polygon(1.0, half).is_err());
    }
    for exponent in [0.0, -1.0, 21.0, f64::NAN] {
        assert!(Superellipse::new([1.0, 1.0], exponent).is_err());
    }
    let circle = Superellipse::new([1e20, 1e20], 1.0).expect("legal");
    assert!(matches!(circle.polygon(1e-10), Err(CurveError::TooManyCorners { .. })));
}
