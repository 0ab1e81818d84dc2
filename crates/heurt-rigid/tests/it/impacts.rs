//! Impacts against hand-computed results: single contacts, spheres, cradle, rod, energy with friction.

use crate::common::{ball, random_island, random_rotation, random_unit, solid_box, solve};
use heurt_geometry::{Quat, SplitMix64, Vec3};
use heurt_rigid::{
    ContactProblem, ContactSolver, ImpulseLcp, Level, Outcome, PointContact, RigidBody, SequentialImpacts, SolveOptions,
};

#[test]
fn a_single_contact_gets_the_impulse_and_the_energy_loss_of_the_formula() {
    let mut random = SplitMix64::new(1);
    let mut impacts = 0;
    for _ in 0..300 {
        let mut problem = random_island(&mut random, 2, 1, 0.0);
        problem.contacts[0].restitution = random.unit();
        let rate = problem.gap_velocities()[0];
        let k = problem.matrix().get(0, 0);
        let solution = solve(&problem, Level::Impact);
        let e = problem.contacts[0].restitution;
        let expected = if rate < 0.0 { -(1.0 + e) * rate / k } else { 0.0 };
        assert!((solution.normal[0] - expected).abs() <= 1e-13 * (1.0 + expected), "{solution:?} {expected}");
        if rate < 0.0 {
            impacts += 1;
            let lost = solution.energy[0] - solution.energy[1];
            let formula = 0.5 * (1.0 - e * e) * rate * rate / k;
            assert!((lost - formula).abs() <= 1e-12 * (1.0 + solution.energy[0]), "{lost} {formula}");
        }
    }
    assert!(impacts > 100);
}

#[test]
fn a_static_plane_reflects_the_normal_velocity() {
    let normal = Vec3::new(1.0, 2.0, 2.0) / 3.0;
    let before = Vec3::new(-3.0, 0.5, -1.0);
    for restitution in [0.0, 0.5, 1.0] {
        let contact =
            PointContact { normal, arms: [Vec3::ZERO, normal * -0.3], restitution, ..PointContact::default() };
        let bodies = vec![RigidBody::FIXED, ball(2.0, before)];
        let problem = ContactProblem { bodies, contacts: vec![contact], rows: vec![] };
        let after = problem.bodies_after(&solve(&problem, Level::Impact), Level::Impact)[1].velocity;
        let perpendicular = normal * normal.dot(before);
        let expected = (before - perpendicular) - perpendicular * restitution;
        assert!((after - expected).length() < 1e-15 * 8.0, "{after} {expected}");
    }
}

#[test]
fn spheres_of_one_and_three_kilograms() {
    let contact = PointContact { arms: [Vec3::X * 0.5, Vec3::X * -0.5], restitution: 0.5, ..PointContact::default() };
    let bodies = vec![ball(1.0, Vec3::X * 2.0), ball(3.0, -Vec3::X)];
    let problem = ContactProblem { bodies, contacts: vec![contact], rows: vec![] };
    for solver in [&ImpulseLcp::default() as &dyn ContactSolver, &SequentialImpacts] {
        let solution = solver.solve(&problem, Level::Impact, &SolveOptions::default()).unwrap();
        let after = problem.bodies_after(&solution, Level::Impact);
        assert!((after[0].velocity - Vec3::X * -1.375).length() < 1e-9);
        assert!((after[1].velocity - Vec3::X * 0.125).length() < 1e-9);
        assert!(solution.residual <= 1e-10 && solution.momentum_error < 1e-15);
    }
}

fn cradle() -> ContactProblem {
    let mut bodies = vec![ball(1.0, Vec3::ZERO); 5];
    bodies[0].velocity = Vec3::X;
    let contact = PointContact { restitution: 1.0, ..PointContact::default() };
    let contacts = (0..4).map(|i| PointContact { bodies: [i, i + 1], ..contact }).collect();
    ContactProblem { bodies, contacts, rows: vec![] }
}

#[test]
fn five_balls_at_once_and_in_sequence() {
    let problem = cradle();
    for dense_limit in [0, 40] {
        let solver = ImpulseLcp { dense_limit };
        let solution = solver.solve(&problem, Level::Impact, &SolveOptions::default()).unwrap();
        for (found, expected) in solution.normal.iter().zip([1.6, 1.2, 0.8, 0.4]) {
            assert!((found - expected).abs() < 1e-9, "{solution:?}");
        }
        let after = problem.bodies_after(&solution, Level::Impact);
        for (body, expected) in after.iter().zip([-0.6, 0.4, 0.4, 0.4, 0.4]) {
            assert!((body.velocity.x - expected).abs() < 1e-9, "{}", body.velocity);
        }
    }
    let solution = SequentialImpacts.solve(&problem, Level::Impact, &SolveOptions::default()).unwrap();
    let after = problem.bodies_after(&solution, Level::Impact);
    for (body, expected) in after.iter().zip([0.0, 0.0, 0.0, 0.0, 1.0]) {
        assert!((body.velocity.x - expected).abs() < 1e-9, "{}", body.velocity);
    }
    assert_eq!(SequentialImpacts.name(), "sequential-impacts");
    assert_eq!(ImpulseLcp::default().name(), "impulse-lcp");
}

#[test]
fn endless_sequences_end_at_the_bound_without_approach() {
    // A ball between two heavy ones with ε < 1 bounces without end.
    let mut problem = cradle();
    problem.contacts.iter_mut().for_each(|contact| contact.restitution = 0.7);
    problem.bodies[2] = ball(0.001, Vec3::ZERO);
    let options = SolveOptions { max_iterations: 50, ..SolveOptions::default() };
    let solution = SequentialImpacts.solve(&problem, Level::Impact, &options).unwrap();
    assert!(solution.iterations <= 51);
    let after = ContactProblem { bodies: problem.bodies_after(&solution, Level::Impact), ..problem.clone() };
    assert!(after.gap_velocities().iter().all(|rate| *rate > -1e-10));
    assert!(solution.energy[1] <= solution.energy[0]);
}

#[test]
fn a_rod_falls_flat_on_one_end() {
    let (mass, length, speed) = (1.7, 2.3, 3.1);
    for restitution in [0.0, 0.3, 1.0] {
        let mut rod = ball(mass, Vec3::Z * -speed);
        rod.inverse_inertia =
            heurt_geometry::Mat3::from_diagonal(Vec3::new(0.0, 1.0, 1.0) * 12.0 / (mass * length * length));
        let arm = Vec3::X * (0.5 * length);
        let contact = PointContact { normal: Vec3::Z, arms: [arm, arm], restitution, ..PointContact::default() };
        let problem = ContactProblem { bodies: vec![RigidBody::FIXED, rod], contacts: vec![contact], rows: vec![] };
        let solution = solve(&problem, Level::Impact);
        assert!((solution.normal[0] - (1.0 + restitution) * mass * speed / 4.0).abs() < 1e-14 * 10.0);
        let rate = problem.bodies_after(&solution, Level::Impact)[1].angular_velocity.length();
        assert!((rate - 3.0 * (1.0 + restitution) * speed / (2.0 * length)).abs() < 1e-13);
    }
}

#[test]
fn impacts_with_friction_never_add_energy() {
    let mut random = SplitMix64::new(77);
    let (mut struck, mut bounced) = (0, 0);
    for case in 0..1500 {
        let rotation = random_rotation(&mut random);
        let half = if case % 2 == 0 { Vec3::new(1.0, 0.02, 0.02) } else { random.vector(0.1, 1.0) };
        let mut body = solid_box(random.between(0.1, 5.0), half, rotation);
        body.velocity = random.vector(-3.0, 3.0);
        body.angular_velocity = random.vector(-5.0, 5.0);
        let mut bodies = vec![RigidBody::FIXED, body];
        if case % 3 == 0 {
            bodies[0] = solid_box(random.between(0.1, 5.0), random.vector(0.1, 1.0), Quat::IDENTITY);
            bodies[0].velocity = random.vector(-3.0, 3.0);
        }
        let normal = if case % 5 == 0 { random_unit(&mut random) } else { Vec3::Z };
        let contacts = (0..1 + random.below(4)).map(|_| {
            let corner = rotation * (half * random.vector(-1.0, 1.0).signum());
            PointContact {
                normal,
                arms: [random.vector(-1.0, 1.0), corner],
                restitution: random.unit(),
                friction: random.between(0.0, 2.0),
                ..PointContact::default()
            }
        });
        let problem = ContactProblem { bodies, contacts: contacts.collect(), rows: vec![] };
        let solution = solve(&problem, Level::Impact);
        let [before, after] = solution.energy;
        assert!(after <= before * (1.0 + 1e-12), "{case}: {before} → {after}");
        assert!(solution.residual <= 1e-10, "{case}: {solution:?}");
        assert_eq!(solution.outcome, Outcome::Solved);
        let moved = ContactProblem { bodies: problem.bodies_after(&solution, Level::Impact), ..problem.clone() };
        assert!(moved.gap_velocities().iter().all(|rate| *rate > -1e-9), "{case}");
        struck += usize::from(solution.normal.iter().any(|f| *f > 0.0));
        bounced += usize::from(moved.gap_velocities().iter().any(|rate| *rate > 1e-3));
    }
    assert!(struck > 500 && bounced > 500, "{struck} {bounced}");
}

#[test]
fn newtons_rule_with_friction_would_add_energy_where_the_energetic_rule_does_not() {
    // A rod that slips while it strikes: a rebound of ε·|ḋ⁻| costs more work than compression took.
    let mut random = SplitMix64::new(5);
    let mut gains = 0;
    for _ in 0..400 {
        let rotation = Quat::from_rotation_y(random.between(0.2, 1.4));
        let half = Vec3::new(1.0, 0.02, 0.02);
        let mut rod = solid_box(1.0, half, rotation);
        rod.velocity = Vec3::new(random.between(-4.0, 4.0), 0.0, -1.0);
        rod.angular_velocity = Vec3::Y * random.between(-3.0, 3.0);
        let contact = PointContact {
            normal: Vec3::Z,
            arms: [Vec3::ZERO, rotation * Vec3::new(1.0, 0.0, 0.0)],
            restitution: 0.9,
            friction: 1.5,
            ..PointContact::default()
        };
        let problem = ContactProblem { bodies: vec![RigidBody::FIXED, rod], contacts: vec![contact], rows: vec![] };
        let rate = problem.gap_velocities()[0];
        if rate >= 0.0 {
            continue;
        }
        let solution = solve(&problem, Level::Impact);
        assert!(solution.energy[1] <= solution.energy[0] * (1.0 + 1e-12));
        // Newton's rule: a step without free acceleration over a closed gap that must open at ε·|ḋ⁻|.
        let newton = ContactProblem {
            contacts: vec![PointContact { gap: 0.9 * rate, restitution: 0.0, ..contact }],
            ..problem.clone()
        };
        let newton = solve(&newton, Level::Step { dt: 1.0 });
        gains += usize::from(newton.energy[1] > newton.energy[0] * 1.01);
    }
    assert!(gains > 5, "{gains}");
}

#[test]
fn sliding_friction_takes_its_share_of_a_grazing_impact() {
    // A ball without spin inertia would stick; a point mass slides: Δv_t = µ(1+ε)|v_n|.
    let mut point = ball(1.0, Vec3::new(10.0, 0.0, -1.0));
    point.inverse_inertia = heurt_geometry::Mat3::ZERO;
    let contact = PointContact { normal: Vec3::Z, restitution: 0.5, friction: 0.2, ..PointContact::default() };
    let problem = ContactProblem { bodies: vec![RigidBody::FIXED, point], contacts: vec![contact], rows: vec![] };
    let after = problem.bodies_after(&solve(&problem, Level::Impact), Level::Impact)[1].velocity;
    assert!((after - Vec3::new(10.0 - 0.2 * 1.5, 0.0, 0.5)).length() < 1e-11, "{after}");
}

#[test]
fn the_energetic_rule_gives_back_the_square_of_restitution() {
    let mut random = SplitMix64::new(91);
    let mut checked = 0;
    for case in 0..300 {
        let rotation = random_rotation(&mut random);
        let mut body = solid_box(1.0, random.vector(0.1, 1.0), rotation);
        body.velocity = random.vector(-3.0, 3.0);
        body.angular_velocity = random.vector(-3.0, 3.0);
        let contact = PointContact {
            normal: Vec3::Z,
            arms: [Vec3::ZERO, random.vector(-1.0, 1.0)],
            restitution: random.between(0.1, 1.0),
            friction: random.between(0.05, 0.8),
            ..PointContact::default()
        };
        let problem = ContactProblem { bodies: vec![RigidBody::FIXED, body], contacts: vec![contact], rows: vec![] };
        let mut plastic = problem.clone();
        plastic.contacts[0].restitution = 0.0;
        let [first, total] = [&plastic, &problem].map(|problem| solve(problem, Level::Impact));
        if first.normal[0] == 0.0 {
            continue;
        }
        let rate = |solution: &heurt_rigid::Solution| {
            ContactProblem { bodies: problem.bodies_after(solution, Level::Impact), ..problem.clone() }.gap_velocities()
                [0]
        };
        let compression = 0.5 * first.normal[0] * (problem.gap_velocities()[0] + rate(&first));
        let restitution = 0.5 * (total.normal[0] - first.normal[0]) * (rate(&first) + rate(&total));
        let goal = -contact.restitution * contact.restitution * compression;
        // The guard of the energy may take from the work of restitution, never add.
        assert!(restitution <= goal * (1.0 + 1e-6), "{case} {restitution} {goal}");
        checked += usize::from((restitution - goal).abs() <= 1e-6 * goal);
    }
    assert!(checked > 120, "{checked}");
}
