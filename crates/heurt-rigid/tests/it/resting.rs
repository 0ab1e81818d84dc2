//! Resting contact against hand-computed results: cube, turntable, Painlevé rod, slope, steps that rest and bounce.

use crate::common::{ball, cube_on_four_corners, solid_box, solve, stack};
use heurt_geometry::{Mat3, Quat, Vec3};
use heurt_rigid::{
    ContactProblem, ContactSolver, FrictionModel, ImpulseLcp, Level, Outcome, PointContact, RigidBody, SolveMethod,
    SolveOptions, SquareMatrix, vertex_face_normal_rate,
};

#[test]
fn a_cube_on_four_corners() {
    let problem = cube_on_four_corners();
    let expected = SquareMatrix::from_rows(&[
        vec![4.0, 1.0, 1.0, -2.0],
        vec![1.0, 4.0, -2.0, 1.0],
        vec![1.0, -2.0, 4.0, 1.0],
        vec![-2.0, 1.0, 1.0, 4.0],
    ]);
    let matrix = problem.matrix();
    for i in 0..4 {
        for j in 0..4 {
            assert!((matrix.get(i, j) - expected.get(i, j)).abs() < 1e-14);
        }
    }
    for (dense_limit, method) in [(40, SolveMethod::Lemke), (0, SolveMethod::Newton)] {
        let solution = ImpulseLcp { dense_limit }.solve(&problem, Level::Force, &SolveOptions::default()).unwrap();
        assert_eq!(solution.method, method);
        assert!(solution.residual <= SolveOptions::default().tolerance, "{solution:?}");
        let f = &solution.normal;
        assert!((f.iter().sum::<f64>() - 9.81).abs() < 1e-12);
        // Up to the kernel (1, −1, −1, 1): the shares along its complement are g/4 each.
        let kernel = (f[0] - f[1] - f[2] + f[3]) / 4.0;
        for (force, sign) in f.iter().zip([1.0, -1.0, -1.0, 1.0]) {
            assert!((force - sign * kernel - 9.81 / 4.0).abs() < 1e-12, "{f:?}");
        }
        let after = &problem.bodies_after(&solution, Level::Force)[1];
        assert!(after.acceleration.length() < 1e-12 && after.angular_acceleration.length() < 1e-12);
    }
    // The central path shares the load equally.
    let solution = ImpulseLcp { dense_limit: 0 }.solve(&problem, Level::Force, &SolveOptions::default()).unwrap();
    assert!(solution.normal.iter().all(|force| (force - 9.81 / 4.0).abs() < 1e-9), "{solution:?}");
}

#[test]
fn a_turntable_leaves_a_sliding_point_behind() {
    let (u, omega, radius) = (0.8, 2.5, 1.3);
    let mut table = solid_box(1.0, Vec3::ONE, Quat::IDENTITY);
    (table.inverse_mass, table.inverse_inertia) = (0.0, Mat3::ZERO);
    table.angular_velocity = Vec3::Z * omega;
    let point = ball(1.0, Vec3::new(u, omega * radius, 0.0));
    let normal = Vec3::Y;
    let contact = PointContact {
        normal,
        arms: [Vec3::ZERO, Vec3::X * radius],
        normal_rate: vertex_face_normal_rate(normal, table.angular_velocity),
        ..PointContact::default()
    };
    let problem = ContactProblem { bodies: vec![point, table], contacts: vec![contact], rows: vec![] };
    assert!(problem.gap_velocities()[0].abs() < 1e-15);
    assert!((problem.gap_accelerations()[0] - 2.0 * u * omega).abs() < 1e-14);
    // The wall moves away from the point: no force.
    assert_eq!(solve(&problem, Level::Force).normal, [0.0]);
}

fn painleve_rod(friction: f64, rate: f64) -> ContactProblem {
    // tan θ = 2; the contact leads: the rod slides to the side of its contact.
    let (cosine, sine) = (1.0 / 5.0f64.sqrt(), 2.0 / 5.0f64.sqrt());
    let arm = Vec3::new(cosine, 0.0, -sine);
    let mut rod = ball(1.0, Vec3::ZERO);
    rod.inverse_inertia = Mat3::from_diagonal(Vec3::splat(3.0)); // length 2: J = 4/12
    rod.acceleration = Vec3::Z * -9.81;
    rod.angular_velocity = Vec3::Y * rate;
    rod.velocity = Vec3::X * 2.0 - rod.angular_velocity.cross(arm);
    let contact = PointContact { normal: Vec3::Z, arms: [Vec3::ZERO, arm], friction, ..PointContact::default() };
    ContactProblem { bodies: vec![RigidBody::FIXED, rod], contacts: vec![contact], rows: vec![] }
}

#[test]
fn the_painleve_rod_is_reported() {
    // 1.6 − 1.2·µ is the coefficient of the sliding contact: positive below µ = 4/3.
    let solution = solve(&painleve_rod(1.0, 0.0), Level::Force);
    assert_eq!(solution.outcome, Outcome::Solved);
    assert!((solution.normal[0] - 9.81 / 0.4).abs() < 1e-11, "{solution:?}");
    for dense_limit in [0, 40] {
        let solver = ImpulseLcp { dense_limit };
        let solution = solver.solve(&painleve_rod(1.5, 0.0), Level::Force, &SolveOptions::default()).unwrap();
        let expected = if dense_limit == 0 { Outcome::Approximate } else { Outcome::NoSolution };
        assert_eq!(solution.outcome, expected, "{solution:?}");
        assert!(solution.residual > 1.0 && solution.residual <= 9.81 + 1e-9, "{solution:?}");
        assert!(solution.normal[0].is_finite() && solution.tangential[0].is_finite());
    }
    // A fast spin lifts the contact: two solutions; the contact without force is one.
    let solution = solve(&painleve_rod(1.5, 5.0), Level::Force);
    assert_eq!((solution.outcome, solution.normal[0]), (Outcome::Solved, 0.0));
    // A time step has a solution: the rod jams or lifts.
    let step = solve(&painleve_rod(1.5, 0.0), Level::Step { dt: 0.01 });
    assert_eq!(step.outcome, Outcome::Solved, "{step:?}");
    assert!(step.residual <= 1e-10 && step.energy[1] <= step.energy[0] + 9.81 * 0.01 * 3.0);
}

#[test]
fn a_block_on_a_slope_slips_above_the_friction_angle_only() {
    let angle = 30.0f64.to_radians();
    for (friction, slips) in [(angle.tan() - 0.001, true), (angle.tan() + 0.001, false)] {
        for model in [FrictionModel::Cone, FrictionModel::Box] {
            let mut problem = cube_on_four_corners();
            // Gravity tilts around Y: the slope falls along the first tangent.
            problem.bodies[1].acceleration = Vec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
            problem.contacts.iter_mut().for_each(|contact| contact.friction = friction);
            let options = SolveOptions { friction: model, ..SolveOptions::default() };
            let dt = 0.01;
            let solution = ImpulseLcp::default().solve(&problem, Level::Step { dt }, &options).unwrap();
            assert!(solution.residual <= 1e-10, "{solution:?}");
            let velocity = problem.bodies_after(&solution, Level::Step { dt })[1].velocity;
            let expected = if slips { 9.81 * dt * (angle.sin() - friction * angle.cos()) } else { 0.0 };
            assert!((velocity - Vec3::X * expected).length() < 1e-10, "{model:?} {friction} {velocity} {expected}");
            // Forces at rest: the same limit.
            let forces = ImpulseLcp::default().solve(&problem, Level::Force, &options).unwrap();
            assert!(forces.residual <= 1e-10, "{forces:?}");
            let acceleration = problem.bodies_after(&forces, Level::Force)[1].acceleration;
            assert!((acceleration - Vec3::X * (expected / dt)).length() < 1e-8, "{acceleration}");
        }
    }
}

#[test]
fn a_step_rests_below_the_threshold_and_bounces_above() {
    let dt = 1.0 / 60.0;
    let floor = |speed: f64, gap: f64| {
        let mut body = ball(1.0, Vec3::Z * -speed);
        body.acceleration = Vec3::Z * -9.81;
        let contact = PointContact { normal: Vec3::Z, restitution: 0.5, gap, ..PointContact::default() };
        ContactProblem { bodies: vec![RigidBody::FIXED, body], contacts: vec![contact], rows: vec![] }
    };
    let after = |problem: &ContactProblem| {
        let level = Level::Step { dt };
        problem.bodies_after(&solve(problem, level), level)[1].velocity.z
    };
    // 0.15 m/s is below g·dt = 0.1635 m/s: rest.
    assert!(after(&floor(0.15, 0.0)).abs() < 1e-14);
    assert!((after(&floor(2.0, 0.0)) - 1.0).abs() < 1e-14);
    // A gap that closes within the step bounces, a farther one flies on.
    assert!((after(&floor(2.0, 0.02)) - 1.0).abs() < 1e-14);
    assert!((after(&floor(2.0, 0.2)) - (-2.0 - 9.81 * dt)).abs() < 1e-14);
    // Rest above the floor: the gap is closed at the end of the step.
    assert!((after(&floor(0.0, 0.001)) + 0.001 / dt).abs() < 1e-14);
    // A penetration deeper than the rebound wins.
    assert!((after(&floor(2.0, -0.1)) - 0.1 / dt).abs() < 1e-12);
}

#[test]
fn stacks_of_fifty_boxes_are_certified() {
    for friction in [0.0, 0.5] {
        let problem = stack(50, friction);
        let solution = solve(&problem, Level::Step { dt: 1.0 / 60.0 });
        assert!(solution.residual <= 1e-10, "{}", solution.residual);
        assert_eq!(solution.outcome, Outcome::Solved);
        assert!(solution.energy[1] < 1e-20);
        let lowest: f64 = solution.normal[..4].iter().sum();
        assert!((lowest - 50.0 * 9.81 / 60.0).abs() < 1e-9);
        assert!(solution.iterations < 60, "{}", solution.iterations);
    }
}

#[test]
fn a_heavy_box_stands_on_a_light_one() {
    for ratio in [1e3, 1e6] {
        let mut problem = stack(2, 0.5);
        let heavy = &mut problem.bodies[2];
        heavy.inverse_mass /= ratio;
        heavy.inverse_inertia *= 1.0 / ratio;
        let level = Level::Step { dt: 0.01 };
        let solution = solve(&problem, level);
        assert!(solution.residual <= 1e-10, "{ratio} {solution:?}");
        let bodies = problem.bodies_after(&solution, level);
        assert!(bodies.iter().all(|body| body.velocity.length() < 1e-9), "{ratio}");
    }
}

#[test]
fn restitution_costs_nothing_while_bodies_rest() {
    let mut problem = stack(10, 0.5);
    let level = Level::Step { dt: 0.01 };
    problem.contacts.iter_mut().for_each(|contact| contact.gap = -1e-5);
    problem.bodies[1..].iter_mut().for_each(|body| body.velocity = Vec3::Z * -1e-4);
    let plain = solve(&problem, level);
    problem.contacts.iter_mut().for_each(|contact| contact.restitution = 0.8);
    assert_eq!(solve(&problem, level), plain);
}

#[test]
fn a_dropped_ball_comes_to_rest_after_counted_bounces() {
    let (dt, restitution) = (1.0 / 240.0, 0.5);
    let mut body = ball(1.0, Vec3::ZERO);
    body.acceleration = Vec3::Z * -9.81;
    let contact = PointContact { normal: Vec3::Z, restitution, ..PointContact::default() };
    let mut problem = ContactProblem { bodies: vec![RigidBody::FIXED, body], contacts: vec![contact], rows: vec![] };
    let (mut height, mut bounces, level) = (1.0, 0, Level::Step { dt });
    for _ in 0..1200 {
        problem.contacts[0].gap = height;
        let before = problem.bodies[1].velocity.z;
        problem.bodies = problem.bodies_after(&solve(&problem, level), level);
        let after = problem.bodies[1].velocity.z;
        height += after * dt;
        assert!(height >= -1e-12, "{height}");
        bounces += usize::from(before < 0.0 && after > 0.0);
    }
    // The speed halves with each bounce from 4.43 m/s down to g·dt = 0.04 m/s: 7 bounces. A rebound starts up to one
    // step above the floor, which prolongs the slowest bounces.
    assert!((7..=10).contains(&bounces), "{bounces}");
    assert!(problem.bodies[1].velocity.length() < 1e-12 && height.abs() < 1e-12, "{height}");
}

#[test]
fn a_sliding_block_stops_and_a_resting_one_does_not_creep() {
    let (dt, friction, speed) = (1e-3, 0.5, 2.0);
    let level = Level::Step { dt };
    let mut problem = cube_on_four_corners();
    problem.bodies[1].velocity = Vec3::X * speed;
    problem.contacts.iter_mut().for_each(|contact| contact.friction = friction);
    let mut path = 0.0;
    for _ in 0..1000 {
        problem.bodies = problem.bodies_after(&solve(&problem, level), level);
        path += problem.bodies[1].velocity.x * dt;
    }
    // v²/2µg, less half a step: the speed at the end of each step counts.
    let expected = speed * speed / (2.0 * friction * 9.81) - 0.5 * speed * dt;
    assert!((path - expected).abs() < 1e-6, "{path} {expected}");
    assert!(problem.bodies[1].velocity.length() < 1e-11);
    // 60 s on a slope of 25° with µ = 0.5 (26.6°).
    let angle = 25.0f64.to_radians();
    problem.bodies[1].acceleration = Vec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
    let (level, mut creep) = (Level::Step { dt: 1.0 / 60.0 }, Vec3::ZERO);
    for _ in 0..3600 {
        problem.bodies = problem.bodies_after(&solve(&problem, level), level);
        creep += problem.bodies[1].velocity / 60.0;
    }
    assert!(creep.length() < 1e-9, "{creep}");
}
