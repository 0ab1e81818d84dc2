//! Shape matching in space: rigid motions, the best of all rotations, stretches, momentum.

use heurt_geometry::{Mat3, Quat, SplitMix64, Vec3};
use heurt_soft::{MatchingSettings, ShapeMatching3};

fn points(random: &mut SplitMix64, count: usize, size: f64) -> Vec<Vec3> {
    (0..count).map(|_| random.vector(-size, size)).collect()
}

fn masses(random: &mut SplitMix64, count: usize) -> Vec<f64> {
    (0..count).map(|_| libm::exp(random.between(-5.0, 5.0))).collect()
}

/// A rotation of any axis and angle.
fn rotation(random: &mut SplitMix64) -> Quat {
    loop {
        let q = [0; 4].map(|_| random.between(-1.0, 1.0));
        let q = Quat::from_array(q);
        if (0.1..=1.0).contains(&q.length()) {
            return q.normalize();
        }
    }
}

fn centroid(points: &[Vec3], masses: &[f64]) -> Vec3 {
    let sum = points.iter().zip(masses).fold(Vec3::ZERO, |sum, (point, mass)| sum + *point * *mass);
    sum / masses.iter().sum::<f64>()
}

/// The weighted squared offsets to the rest shape turned by a rotation.
fn misfit(rest: &[Vec3], places: &[Vec3], masses: &[f64], rotation: Quat) -> f64 {
    let (from, to) = (centroid(rest, masses), centroid(places, masses));
    let square = |k: usize| masses[k] * (rotation * (rest[k] - from) - (places[k] - to)).length_squared();
    (0..rest.len()).map(square).sum()
}

/// Flattens points into a plane, or onto a line, in a general direction.
fn flattened(points: &[Vec3], dimension: usize) -> Vec<Vec3> {
    let (x, y) = (Vec3::new(1.0, 2.0, -0.5), Vec3::new(0.3, -1.0, 0.7));
    let flat = |point: &Vec3| x * point.x + if dimension == 2 { y * point.y } else { Vec3::ZERO };
    points.iter().map(flat).collect()
}

#[test]
fn rigid_motions_are_found_exactly() {
    let mut random = SplitMix64::new(1);
    for round in 0..500 {
        let count = 4 + round % 7;
        let mut rest = points(&mut random, count, 1.0);
        if round % 4 == 0 {
            rest = flattened(&rest, 2);
        }
        let masses: Vec<f64> = (0..count).map(|_| random.between(0.5, 3.0)).collect();
        let (rotation, shift) = (rotation(&mut random), random.vector(-10.0, 10.0));
        let moved: Vec<Vec3> = rest.iter().map(|point| rotation * *point + shift).collect();
        let shape = ShapeMatching3::new(&rest, &masses).unwrap();
        let fit = shape.fit(&moved).unwrap();
        let difference = (fit.rotation - rotation).length().min((fit.rotation + rotation).length());
        assert!(difference < 1e-12, "{round}: {difference}");
        assert!((fit.rotation.length() - 1.0).abs() < 1e-15);
        for (goal, place) in shape.goals(&moved, 0.0).unwrap().iter().zip(&moved) {
            assert!(goal.distance(*place) < 1e-12, "{round}: {goal} {place}");
        }
    }
}

#[test]
fn any_masses_give_the_goals_of_rigid_motions() {
    let mut random = SplitMix64::new(7);
    for round in 0..500 {
        // Points on a line and in a plane have goals, too.
        let count = 1 + round % 8;
        let rest = points(&mut random, count, 1.0);
        let rest = if round % 3 == 0 { flattened(&rest, 1 + round % 2) } else { rest };
        let masses = masses(&mut random, count);
        let (rotation, shift) = (rotation(&mut random), random.vector(-10.0, 10.0));
        let moved: Vec<Vec3> = rest.iter().map(|point| rotation * *point + shift).collect();
        let shape = ShapeMatching3::new(&rest, &masses).unwrap();
        for (goal, place) in shape.goals(&moved, 0.0).unwrap().iter().zip(&moved) {
            assert!(goal.distance(*place) < 1e-11, "{round}: {goal} {place}");
        }
    }
}

#[test]
fn no_rotation_of_a_fine_scan_is_better() {
    let mut random = SplitMix64::new(2);
    for round in 0..30 {
        let count = 2 + round % 6;
        let rest = points(&mut random, count, 1.0);
        let rest = if round % 3 == 0 { flattened(&rest, 2) } else { rest };
        let (masses, places) = (masses(&mut random, count), points(&mut random, count, 2.0));
        let fit = ShapeMatching3::new(&rest, &masses).unwrap().fit(&places).unwrap();
        let best = misfit(&rest, &places, &masses, fit.rotation);
        let slack = 1e-12 * best;
        for _ in 0..1000 {
            let far = misfit(&rest, &places, &masses, rotation(&mut random));
            // A small turn from the result in any direction.
            let by = random.vector(-1.0, 1.0) * 0.02;
            let near = Quat::from_xyzw(by.x, by.y, by.z, 1.0).normalize() * fit.rotation;
            let near = misfit(&rest, &places, &masses, near);
            assert!(best <= far + slack && best <= near + slack, "{round}: {best} {far} {near}");
        }
    }
}

#[test]
fn mirror_images_turn_and_never_flip() {
    let mut random = SplitMix64::new(3);
    for _ in 0..200 {
        let (rest, masses) = (points(&mut random, 6, 1.0), masses(&mut random, 6));
        let mirrored: Vec<Vec3> = rest.iter().map(|point| Vec3::new(-point.x, point.y, point.z)).collect();
        let shape = ShapeMatching3::new(&rest, &masses).unwrap();
        let fit = shape.fit(&mirrored).unwrap();
        assert!((Mat3::from_quat(fit.rotation).determinant() - 1.0).abs() < 1e-14);
        assert_eq!(fit.linear, None);
        assert_eq!(shape.goals(&mirrored, 1.0), shape.goals(&mirrored, 0.0));
        let best = misfit(&rest, &mirrored, &masses, fit.rotation);
        let other = misfit(&rest, &mirrored, &masses, rotation(&mut random));
        assert!(best <= other * (1.0 + 1e-12));
    }
}

#[test]
fn linear_goals_keep_a_stretch_up_to_its_volume() {
    let mut random = SplitMix64::new(4);
    let mut tested = 0;
    for _ in 0..400 {
        let (rest, masses) = (points(&mut random, 8, 1.0), masses(&mut random, 8));
        let map = Mat3::from_cols(random.vector(-2.0, 2.0), random.vector(-2.0, 2.0), random.vector(-2.0, 2.0));
        let volume = map.determinant();
        if volume < 0.1 {
            continue;
        }
        tested += 1;
        let places: Vec<Vec3> = rest.iter().map(|point| map * *point).collect();
        let centre = centroid(&places, &masses);
        let shape = ShapeMatching3::new(&rest, &masses).unwrap();
        for (goal, place) in shape.goals(&places, 1.0).unwrap().iter().zip(&places) {
            let expected = centre + (*place - centre) / libm::cbrt(volume);
            assert!(goal.distance(expected) < 1e-9, "{goal} {expected}");
        }
    }
    assert!(tested > 100);
    // A stretch by 8 along x: goals are stretched by 4, 1/2 and 1/2.
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let shape = ShapeMatching3::new(&corners, &[1.0; 4]).unwrap();
    let goals = shape.goals(&corners.map(|point| point * Vec3::new(8.0, 1.0, 1.0)), 1.0).unwrap();
    assert!((goals[1] - goals[0] - Vec3::X * 4.0).length() < 1e-14, "{}", goals[1] - goals[0]);
    assert!((goals[2] - goals[0] - Vec3::Y * 0.5).length() < 1e-14, "{}", goals[2] - goals[0]);
}

#[test]
fn impulses_keep_momentum() {
    let mut random = SplitMix64::new(5);
    for round in 0..2000 {
        let count = 1 + round % 9;
        let scale = [1e-9, 1.0, 1e9][round % 3];
        let (mut rest, masses) = (points(&mut random, count, scale), masses(&mut random, count));
        let mut positions = points(&mut random, count, scale);
        match round % 7 {
            0 => rest = flattened(&rest, 1),
            1 => rest = flattened(&rest, 2),
            2 => positions = flattened(&positions, 1),
            3 => positions = vec![positions[0]; count],
            4 => positions = rest.iter().map(|point| Vec3::new(-point.x, point.y, point.z)).collect(),
            _ => {}
        }
        let before = positions.clone();
        let mut velocities = vec![Vec3::ZERO; count];
        let settings = MatchingSettings { stiffness: random.unit(), linear_share: random.unit() };
        let shape = ShapeMatching3::new(&rest, &masses).unwrap();
        shape.step(&mut positions, &mut velocities, &vec![Vec3::ZERO; count], &settings, 1.0).unwrap();
        let total: f64 = masses.iter().sum();
        let largest = velocities.iter().map(|v| v.length()).fold(scale, f64::max);
        let momentum = centroid(&velocities, &masses);
        assert!(momentum.length() < 1e-14 * largest, "{round}: {momentum}");
        let centre = centroid(&before, &masses);
        let spin = |k: usize| (before[k] - centre).cross(velocities[k]) * masses[k];
        let spin = (0..count).map(spin).fold(Vec3::ZERO, |sum, spin| sum + spin);
        assert!(spin.length() < 1e-14 * total * largest * scale, "{round}: {spin}");
    }
}

#[test]
fn a_line_turns_by_the_least_angle() {
    let rest = [-Vec3::X, Vec3::ZERO, Vec3::X];
    let shape = ShapeMatching3::new(&rest, &[1.0; 3]).unwrap();
    assert_eq!(shape.fit(&rest).unwrap().rotation, Quat::IDENTITY);
    let fit = shape.fit(&rest.map(|point| Vec3::Y * point.x)).unwrap();
    let half = 0.5f64.sqrt();
    assert!((fit.rotation - Quat::from_xyzw(0.0, 0.0, half, half)).length() < 1e-15, "{}", fit.rotation);
    // A half turn around any axis across the line.
    let fit = shape.fit(&rest.map(|point| -point)).unwrap();
    assert!((fit.rotation * Vec3::X + Vec3::X).length() < 1e-15, "{}", fit.rotation);
}
