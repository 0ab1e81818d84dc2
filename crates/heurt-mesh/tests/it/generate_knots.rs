//! Tubes round torus knots: closed, of genus one, of the volume π ρ² L, free of self-intersections up to the limit.

use crate::generate_support::{audit, volume};
use heurt_mesh::generate::{self, GenerateError};
use heurt_mesh::{Class, check};
use std::f64::consts::{PI, TAU};

/// A point of the centre line for a ring of radius 1.
fn centre([p, q]: [u32; 2], winding: f64, t: f64) -> [f64; 3] {
    let reach = 1.0 + winding * (f64::from(q) * t).cos();
    let around = f64::from(p) * t;
    [reach * around.cos(), reach * around.sin(), winding * (f64::from(q) * t).sin()]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

fn length(windings: [u32; 2], winding: f64) -> f64 {
    let count: u32 = 20_000;
    let place = |k: u32| centre(windings, winding, TAU * f64::from(k) / f64::from(count));
    (0..count).map(|k| distance(place(k), place(k + 1))).sum()
}

/// The widest tube by brute force: the least radius of the circle through two points that touches the curve at the
/// first (Gonzalez and Maddocks 1999).
fn widest(windings: [u32; 2], winding: f64) -> f64 {
    let count: u32 = 3000;
    let place = |k: u32| centre(windings, winding, TAU * f64::from(k) / f64::from(count));
    let mut least = f64::INFINITY;
    for a in 0..count.div_ceil(windings[1]) {
        let (before, here, after) = (place(a + count - 1), place(a), place(a + 1));
        let tangent: [f64; 3] = std::array::from_fn(|k| (after[k] - before[k]) / distance(after, before));
        for b in (0..count).filter(|b| (a + count - b) % count > 3 && (b + count - a) % count > 3) {
            let there = place(b);
            let chord = distance(here, there);
            let along: f64 = (0..3).map(|k| tangent[k] * (there[k] - here[k])).sum();
            least = least.min(0.5 * chord * chord / (chord * chord - along * along).max(0.0).sqrt());
        }
    }
    least
}

/// The error of a tube that is refused, as parameter and value.
fn refusal(windings: [u32; 2], winding: f64, tube: f64, segments: u32) -> (&'static str, f64, String) {
    match generate::torus_knot(windings, 1.0, winding, tube, segments, 12) {
        Err(GenerateError::Parameter { parameter, value, legal, .. }) => (parameter, value, legal),
        other => panic!("{windings:?} {winding} {tube}: {other:?}"),
    }
}

#[test]
fn tubes_are_closed_and_have_their_volume() {
    for (windings, winding, tube) in [
        ([2, 3], 0.4, 0.15),
        ([3, 2], 0.4, 0.15),
        ([2, 5], 0.5, 0.1),
        ([1, 1], 0.3, 0.2),
        ([3, 7], 0.4, 0.05),
        ([1, 8], 0.2, 0.04),
    ] {
        let mesh = generate::torus_knot(windings, 1.0, winding, tube, 1200, 48).unwrap();
        assert_eq!(audit(&mesh), Ok(0), "{windings:?}");
        assert_eq!(mesh.triangles().len(), 2 * 1200 * 48);
        let exact = PI * tube * tube * length(windings, winding);
        let got = volume(&mesh);
        assert!(got < exact && got > 0.996 * exact, "{windings:?}: {got} {exact}");
    }
}

#[test]
fn the_volume_converges_by_the_square_of_the_step() {
    let exact = PI * 0.15 * 0.15 * length([2, 3], 0.4);
    let error = |segments: u32| {
        let mesh = generate::torus_knot([2, 3], 1.0, 0.4, 0.15, segments, segments / 8).unwrap();
        (1.0 - volume(&mesh) / exact) * f64::from(segments) * f64::from(segments)
    };
    let (coarse, fine) = (error(192), error(768));
    assert!((coarse / fine - 1.0).abs() < 0.02, "{coarse} {fine}");
}

#[test]
fn the_limit_is_the_widest_embedded_tube() {
    for (windings, winding) in [
        ([2, 3], 0.4),
        ([3, 2], 0.4),
        ([2, 3], 0.7),
        ([1, 1], 0.5),
        ([1, 4], 0.3),
        ([2, 5], 0.25),
        ([5, 2], 0.6),
        ([3, 4], 0.1),
    ] {
        let widest = widest(windings, winding);
        // Long chords in one step, and samples of the oracle: 0.2 % of the radius.
        let (parameter, value, legal) = refusal(windings, winding, 1.002 * widest, 4000);
        assert_eq!((parameter, value), ("tube_radius", 1.002 * widest), "{legal}");
        let mesh = generate::torus_knot(windings, 1.0, winding, 0.998 * widest, 4000, 6);
        assert!(mesh.is_ok(), "{windings:?} {winding}: {widest} {mesh:?}");
    }
}

#[test]
fn tubes_near_the_limit_do_not_meet_themselves() {
    for (windings, winding) in [([2, 3], 0.4), ([3, 2], 0.4), ([1, 4], 0.3), ([3, 4], 0.5), ([2, 1], 0.4)] {
        for segments in [40, 96, 200] {
            let mut tube = widest(windings, winding);
            let mesh = loop {
                match generate::torus_knot(windings, 1.0, winding, tube, segments, 12) {
                    Ok(mesh) => break mesh,
                    Err(_) => tube *= 0.98,
                }
                assert!(tube > 0.02, "{windings:?}: no tube in {segments} segments");
            };
            let report = check(&mesh);
            assert_eq!(report.class, Class::Solid, "{windings:?} {segments}");
        }
    }
}

#[test]
fn vertices_lie_on_the_tube() {
    let mesh = generate::torus_knot([2, 3], 2.0, 0.8, 0.3, 200, 7).unwrap();
    for (k, vertex) in mesh.vertices().iter().enumerate() {
        let centre = centre([2, 3], 0.4, TAU * (k / 7) as f64 / 200.0).map(|coordinate| 2.0 * coordinate);
        assert!((distance(vertex.to_array(), centre) - 0.3).abs() < 1e-12);
    }
}

#[test]
fn bad_parameters_are_refused_with_their_value() {
    assert_eq!(refusal([2, 4], 0.4, 0.1, 96).0, "q");
    assert_eq!(refusal([0, 1], 0.4, 0.1, 96), ("p", 0.0, "a whole number from 1 to 100".to_owned()));
    assert_eq!(refusal([2, 101], 0.4, 0.1, 96).0, "q");
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(refusal([2, 3], radius, 0.1, 96).0, "winding_radius");
        assert_eq!(refusal([2, 3], 0.4, radius, 96).0, "tube_radius");
    }
    assert_eq!(refusal([2, 3], 1.0, 0.1, 96).0, "winding_radius");
    assert_eq!(refusal([2, 3], 0.4, 0.1, 2).0, "segments");
    // Steps that are longer than the bends are wide.
    assert_eq!(refusal([2, 3], 0.4, 0.15, 6).0, "segments");
    let error = generate::torus_knot([2, 3], 1.0, 0.4, 0.5, 96, 12).unwrap_err();
    assert!(error.to_string().starts_with("torus_knot: tube_radius is 0.5: give less than 0."), "{error}");
    let error = generate::torus_knot([2, 3], 1.0, 0.4, 0.1, u32::MAX, 12).unwrap_err();
    assert!(matches!(error, GenerateError::TooManyTriangles { .. }));
}
