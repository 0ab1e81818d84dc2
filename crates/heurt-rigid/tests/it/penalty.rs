//! The penalty method against closed forms, and compared with `impulse-lcp`: what springs get right, and what they
//! lose.

use crate::common::{ball, random_island};
use heurt_geometry::{SplitMix64, Vec3};
use heurt_rigid::{
    ConstraintRow, ContactProblem, ContactSolver, ImpulseLcp, Level, Outcome, Penalty, PointContact, RigidBody,
    SolveOptions,
};

fn solve(solver: &dyn ContactSolver, problem: &ContactProblem, level: Level) -> heurt_rigid::Solution {
    solver.solve(problem, level, &SolveOptions::default()).unwrap()
}

fn ball_on_floor(velocity: Vec3, gap: f64) -> ContactProblem {
    let ball = RigidBody { acceleration: Vec3::Z * -9.81, ..ball(1.0, velocity) };
    let contact = PointContact { normal: Vec3::Z, gap, ..PointContact::default() };
    ContactProblem { bodies: vec![RigidBody::FIXED, ball], contacts: vec![contact], rows: vec![] }
}

#[test]
fn springs_give_back_the_share_of_the_speed_that_restitution_asks() {
    for restitution in [0.2, 0.5, 0.8, 1.0] {
        let contact = PointContact { restitution, ..PointContact::default() };
        let bodies = vec![ball(1.0, Vec3::X * 2.0), ball(3.0, -Vec3::X)];
        let problem = ContactProblem { bodies, contacts: vec![contact], rows: vec![] };
        let solution = solve(&Penalty::default(), &problem, Level::Impact);
        let after = problem.bodies_after(&solution, Level::Impact);
        let parting = (after[1].velocity - after[0].velocity).x;
        // 64 steps in a period.
        assert!((parting - 3.0 * restitution).abs() < 0.1, "{restitution}: {parting}");
        assert!(solution.momentum_error < 1e-14);
        // Without friction and damping the energy is kept to the error of 64 steps in a period.
        let [before, after] = solution.energy;
        assert!(restitution < 1.0 || (after - before).abs() < 0.01 * before, "{before} {after}");
    }
}

#[test]
fn a_weight_sinks_until_its_spring_carries_it() {
    let solver = Penalty { stiffness: 1e4, sub_steps: 64 };
    let (mut gap, mut velocity) = (0.0, Vec3::ZERO);
    for _ in 0..600 {
        let problem = ball_on_floor(velocity, gap);
        let solution = solve(&solver, &problem, Level::Step { dt: 1.0 / 60.0 });
        let after = problem.bodies_after(&solution, Level::Step { dt: 1.0 / 60.0 });
        gap += 0.5 * (velocity.z + after[1].velocity.z) / 60.0;
        velocity = after[1].velocity;
    }
    assert!((gap + 9.81 / 1e4).abs() < 1e-9, "{gap}");
    // The exact solver lets nothing sink; its residual says so, and that of the spring says how much is missing.
    let problem = ball_on_floor(Vec3::ZERO, gap);
    let exact = solve(&ImpulseLcp::default(), &problem, Level::Step { dt: 1.0 / 60.0 });
    let springs = solve(&solver, &problem, Level::Step { dt: 1.0 / 60.0 });
    assert!(exact.residual <= 1e-10 && springs.residual > 0.05, "{} {}", exact.residual, springs.residual);
    let forces = solve(&solver, &problem, Level::Force);
    assert!((forces.normal[0] - 9.81).abs() < 0.01, "{forces:?}");
}

#[test]
fn friction_is_within_the_cone_and_momentum_is_kept() {
    let mut random = SplitMix64::new(36);
    for round in 0..200 {
        let mut problem = random_island(&mut random, 4, 6, 1.0);
        problem.contacts.iter_mut().for_each(|contact| contact.gap = -1e-3 * random.unit());
        for level in [Level::Impact, Level::Force, Level::Step { dt: 0.01 }] {
            let solution = solve(&Penalty::default(), &problem, level);
            for (index, contact) in problem.contacts.iter().enumerate() {
                let (normal, along) = (solution.normal[index], solution.tangential[index]);
                assert!(normal >= 0.0, "{round} {level:?}");
                assert!(along.length() <= contact.friction * normal * (1.0 + 1e-9) + 1e-12, "{round} {level:?}");
                assert!(along.dot(contact.normal).abs() <= 1e-9 * (1.0 + along.length()), "{round} {level:?}");
            }
        }
        // Without the fixed body nothing takes momentum.
        let mut free = problem.clone();
        free.bodies[0] = ball(2.0, Vec3::ZERO);
        let solution = solve(&Penalty::default(), &free, Level::Step { dt: 0.01 });
        assert!(solution.momentum_error < 1e-9, "{round}: {}", solution.momentum_error);
    }
}

#[test]
fn a_step_that_diverges_returns_no_impulse() {
    // A gram on springs for a locomotive, in two sub-steps.
    let mut problem = ball_on_floor(Vec3::Z * -1.0, -1e-3);
    problem.bodies[1].inverse_mass = 1e3;
    for stiffness in [1e9, 1e200, f64::MAX] {
        let solver = Penalty { stiffness, sub_steps: 2 };
        let solution = solve(&solver, &problem, Level::Step { dt: 1.0 });
        assert!(solution.normal[0].is_finite() && solution.residual.is_finite(), "{stiffness}");
        assert_eq!(solution.outcome, Outcome::Approximate, "{stiffness}");
    }
    let fixed = ContactProblem { bodies: vec![RigidBody::FIXED; 2], ..ball_on_floor(Vec3::ZERO, -1.0) };
    assert_eq!(solve(&Penalty::default(), &fixed, Level::Impact).normal, [0.0]);
}

#[test]
fn rows_pull_within_their_bounds() {
    let row = ConstraintRow {
        bodies: [0, 1],
        linear: Vec3::X,
        angular: [Vec3::ZERO; 2],
        target: 0.0,
        bounds: [f64::NEG_INFINITY, f64::INFINITY],
        error: 1e-3,
        compliance: 0.0,
    };
    let bodies = vec![RigidBody::FIXED, ball(1.0, Vec3::ZERO)];
    let problem = ContactProblem { bodies, contacts: vec![], rows: vec![row] };
    let solution = solve(&Penalty::default(), &problem, Level::Step { dt: 0.01 });
    assert!(solution.rows[0] < -1e-3, "the spring pulls B back: {solution:?}");
    let bounded = ContactProblem { rows: vec![ConstraintRow { bounds: [-1e-4, 1e-4], ..row }], ..problem };
    assert_eq!(solve(&Penalty::default(), &bounded, Level::Step { dt: 0.01 }).rows, [-1e-4]);
}
