//! Shape matching in the plane: rigid motions, the best of all rotations, stretches, momentum.

use heurt_geometry::{SplitMix64, Vec2};
use heurt_soft::{MatchingSettings, ShapeMatching2};

fn points(random: &mut SplitMix64, count: usize, size: f64) -> Vec<Vec2> {
    (0..count).map(|_| Vec2::new(random.between(-size, size), random.between(-size, size))).collect()
}

fn masses(random: &mut SplitMix64, count: usize) -> Vec<f64> {
    (0..count).map(|_| libm::exp(random.between(-5.0, 5.0))).collect()
}

fn turn(angle: f64) -> Vec2 {
    Vec2::new(libm::cos(angle), libm::sin(angle))
}

fn centroid(points: &[Vec2], masses: &[f64]) -> Vec2 {
    let sum = points.iter().zip(masses).fold(Vec2::ZERO, |sum, (point, mass)| sum + *point * *mass);
    sum / masses.iter().sum::<f64>()
}

/// The weighted squared offsets to the rest shape turned by an angle.
fn misfit(rest: &[Vec2], places: &[Vec2], masses: &[f64], turn: Vec2) -> f64 {
    let (from, to) = (centroid(rest, masses), centroid(places, masses));
    let square = |k: usize| masses[k] * (turn.rotate(rest[k] - from) - (places[k] - to)).length_squared();
    (0..rest.len()).map(square).sum()
}

#[test]
fn rigid_motions_are_found_exactly() {
    let mut random = SplitMix64::new(1);
    for round in 0..500 {
        let count = 2 + round % 7;
        let (rest, masses) = (points(&mut random, count, 1.0), masses(&mut random, count));
        let (turn, shift) = (turn(random.between(-4.0, 4.0)), points(&mut random, 1, 10.0)[0]);
        let moved: Vec<Vec2> = rest.iter().map(|point| turn.rotate(*point) + shift).collect();
        let shape = ShapeMatching2::new(&rest, &masses).unwrap();
        let fit = shape.fit(&moved).unwrap();
        // Two points that nearly coincide in mass and place have few digits of a direction.
        let extent = rest.iter().map(|point| (*point - centroid(&rest, &masses)).length()).fold(0.0, f64::max);
        assert!((fit.turn - turn).length() < 1e-12 / extent.min(1.0), "{round}: {:?} {turn:?}", fit.turn);
        assert!((fit.turn.length() - 1.0).abs() < 1e-15);
        for (goal, place) in shape.goals(&moved, 0.0).unwrap().iter().zip(&moved) {
            assert!(goal.distance(*place) < 1e-12, "{round}: {goal} {place}");
        }
    }
}

#[test]
fn no_rotation_of_a_fine_scan_is_better() {
    let mut random = SplitMix64::new(2);
    for round in 0..40 {
        let count = 2 + round % 6;
        let (rest, masses) = (points(&mut random, count, 1.0), masses(&mut random, count));
        let places = points(&mut random, count, 2.0);
        let fit = ShapeMatching2::new(&rest, &masses).unwrap().fit(&places).unwrap();
        let best = misfit(&rest, &places, &masses, fit.turn);
        let scan =
            (0..3600).map(|k| misfit(&rest, &places, &masses, turn(f64::from(k) * std::f64::consts::TAU / 3600.0)));
        let least = scan.fold(f64::INFINITY, f64::min);
        assert!(best <= least * (1.0 + 1e-12), "{round}: {best} > {least}");
        assert!(best >= least * (1.0 - 1e-3) - 1e-9 * masses.iter().sum::<f64>() || best < least, "{best} {least}");
    }
}

#[test]
fn mirror_images_turn_and_never_flip() {
    let mut random = SplitMix64::new(3);
    for _ in 0..200 {
        let (rest, masses) = (points(&mut random, 5, 1.0), masses(&mut random, 5));
        let mirrored: Vec<Vec2> = rest.iter().map(|point| Vec2::new(-point.x, point.y)).collect();
        let shape = ShapeMatching2::new(&rest, &masses).unwrap();
        let fit = shape.fit(&mirrored).unwrap();
        assert!((fit.turn.length() - 1.0).abs() < 1e-15);
        assert_eq!(fit.linear, None);
        assert_eq!(shape.goals(&mirrored, 1.0), shape.goals(&mirrored, 0.0));
        // Goals have the orientation of the rest shape.
        let goals = shape.goals(&mirrored, 1.0).unwrap();
        let area = |at: &[Vec2]| (at[1] - at[0]).perp_dot(at[2] - at[0]);
        assert!((area(&goals) - area(&rest)).abs() < 1e-12);
    }
    // All rotations fit a mirrored square equally well: the shape keeps its place.
    let square = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(Vec2::from_array);
    let fit = ShapeMatching2::new(&square, &[1.0; 4]).unwrap().fit(&square.map(|point| Vec2::new(-point.x, point.y)));
    assert_eq!(fit.unwrap().turn, Vec2::X);
}

#[test]
fn linear_goals_keep_a_stretch_up_to_its_area() {
    let mut random = SplitMix64::new(4);
    for _ in 0..300 {
        let (rest, masses) = (points(&mut random, 6, 1.0), masses(&mut random, 6));
        let columns = [points(&mut random, 1, 2.0)[0], points(&mut random, 1, 2.0)[0]];
        let area = columns[0].perp_dot(columns[1]);
        if area < 0.05 {
            continue;
        }
        let places: Vec<Vec2> = rest.iter().map(|point| columns[0] * point.x + columns[1] * point.y).collect();
        let centre = centroid(&places, &masses);
        let shape = ShapeMatching2::new(&rest, &masses).unwrap();
        for (goal, place) in shape.goals(&places, 1.0).unwrap().iter().zip(&places) {
            let expected = centre + (*place - centre) / area.sqrt();
            assert!(goal.distance(expected) < 1e-10, "{goal} {expected}");
        }
    }
    // A stretch by 4 along x: goals are stretched by 2 and 1/2.
    let square = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(Vec2::from_array);
    let shape = ShapeMatching2::new(&square, &[1.0; 4]).unwrap();
    let goals = shape.goals(&square.map(|point| point * Vec2::new(4.0, 1.0)), 1.0).unwrap();
    assert!((goals[0] - Vec2::new(2.0, 0.5)).length() < 1e-15, "{}", goals[0]);
    // Half linear: half of it, and half of the unchanged square.
    let goals = shape.goals(&square.map(|point| point * Vec2::new(4.0, 1.0)), 0.5).unwrap();
    assert!((goals[0] - Vec2::new(1.5, 0.75)).length() < 1e-15, "{}", goals[0]);
}

#[test]
fn impulses_keep_momentum() {
    let mut random = SplitMix64::new(5);
    for round in 0..2000 {
        let count = 1 + round % 9;
        let scale = [1e-9, 1.0, 1e9][round % 3];
        let (rest, masses) = (points(&mut random, count, scale), masses(&mut random, count));
        let mut positions = points(&mut random, count, scale);
        if round % 5 == 0 {
            positions.iter_mut().for_each(|place| place.y = 0.25 * place.x);
        }
        let before = positions.clone();
        let mut velocities = vec![Vec2::ZERO; count];
        let settings = MatchingSettings { stiffness: random.unit(), linear_share: random.unit() };
        let shape = ShapeMatching2::new(&rest, &masses).unwrap();
        shape.step(&mut positions, &mut velocities, &vec![Vec2::ZERO; count], &settings, 1.0).unwrap();
        let total: f64 = masses.iter().sum();
        let largest = velocities.iter().map(|v| v.length()).fold(scale, f64::max);
        let momentum = centroid(&velocities, &masses);
        assert!(momentum.length() < 1e-14 * largest, "{round}: {momentum}");
        let centre = centroid(&before, &masses);
        let spin: f64 = (0..count).map(|k| masses[k] * (before[k] - centre).perp_dot(velocities[k])).sum();
        assert!(spin.abs() < 1e-14 * total * largest * scale, "{round}: {spin}");
    }
}

#[test]
fn a_step_follows_its_formula() {
    let rest = [[0.0, 0.0], [2.0, 0.0]].map(Vec2::from_array);
    let shape = ShapeMatching2::new(&rest, &[1.0, 3.0]).unwrap();
    let mut positions = [[0.0, 0.0], [4.0, 0.0]].map(Vec2::from_array);
    let mut velocities = [Vec2::Y; 2];
    let settings = MatchingSettings { stiffness: 0.5, linear_share: 0.0 };
    // The centroid is at x = 3: goals are at 1.5 and 3.5, 1.5 and −0.5 away.
    let fit = shape.step(&mut positions, &mut velocities, &[-Vec2::Y; 2], &settings, 0.1).unwrap();
    assert!((fit.centroid - Vec2::new(3.0, 0.0)).length() < 1e-15);
    let expected = [Vec2::new(7.5, 0.9), Vec2::new(-2.5, 0.9)];
    for k in 0..2 {
        assert!((velocities[k] - expected[k]).length() < 1e-14, "{}", velocities[k]);
    }
    assert!((positions[0] - Vec2::new(0.75, 0.09)).length() < 1e-15, "{}", positions[0]);
    assert!((positions[1] - Vec2::new(3.75, 0.09)).length() < 1e-15, "{}", positions[1]);
}

#[test]
fn a_full_step_reaches_the_goals() {
    let mut random = SplitMix64::new(6);
    let (rest, masses) = (points(&mut random, 8, 1.0), masses(&mut random, 8));
    let shape = ShapeMatching2::new(&rest, &masses).unwrap();
    let mut positions = points(&mut random, 8, 1.0);
    let goals = shape.goals(&positions, 0.3).unwrap();
    let settings = MatchingSettings { stiffness: 1.0, linear_share: 0.3 };
    shape.step(&mut positions, &mut [Vec2::ZERO; 8], &[Vec2::ZERO; 8], &settings, 0.02).unwrap();
    assert!(goals.iter().zip(&positions).all(|(goal, place)| goal.distance(*place) < 1e-14));
}
