//! Hostile contact problems: bad numbers, fixed pairs, duplicates, extreme masses, problems without a solution.

use crate::common::{ball, cube_on_four_corners, random_island, solve, stack};
use heurt_geometry::{Mat3, SplitMix64, Vec3};
use heurt_rigid::{
    ConstraintRow, ContactProblem, ContactSolver, ImpulseLcp, Level, Outcome, PointContact, ProblemError, RigidBody,
    SequentialImpacts, SolveMethod, SolveOptions,
};

const LEVELS: [Level; 3] = [Level::Impact, Level::Force, Level::Step { dt: 0.01 }];

fn error_of(change: impl Fn(&mut ContactProblem)) -> ProblemError {
    let mut problem = cube_on_four_corners();
    problem.rows.push(ConstraintRow {
        bodies: [0, 1],
        linear: Vec3::X,
        angular: [Vec3::ZERO; 2],
        target: 0.0,
        bounds: [f64::NEG_INFINITY, f64::INFINITY],
        error: 0.0,
        compliance: 0.0,
    });
    assert_eq!(problem.check(), Ok(()));
    change(&mut problem);
    let error = problem.check().unwrap_err();
    for solver in [&ImpulseLcp::default() as &dyn ContactSolver, &SequentialImpacts] {
        for level in LEVELS {
            assert_eq!(solver.solve(&problem, level, &SolveOptions::default()).unwrap_err(), error);
        }
    }
    assert!(error.to_string().len() > 20);
    error
}

#[test]
fn bad_numbers_give_typed_errors() {
    let what = error_of(|p| p.contacts[2].bodies = [0, 9]);
    assert_eq!(what, ProblemError::NoSuchBody { what: "contact", index: 2, body: 9, count: 2 });
    let what = error_of(|p| p.rows[0].bodies = [1, 1]);
    assert_eq!(what, ProblemError::SameBody { what: "row", index: 0, body: 1 });
    let what = error_of(|p| p.bodies[1].velocity.y = f64::NAN);
    assert_eq!(what, ProblemError::NotFinite { what: "body", index: 1, field: "velocity" });
    let what = error_of(|p| p.contacts[1].gap = f64::INFINITY);
    assert_eq!(what, ProblemError::NotFinite { what: "contact", index: 1, field: "gap" });
    let what = error_of(|p| p.rows[0].target = f64::NAN);
    assert_eq!(what, ProblemError::NotFinite { what: "row", index: 0, field: "target" });
    let what = error_of(|p| p.bodies[1].inverse_mass = -2.0);
    assert_eq!(what, ProblemError::NegativeMass { index: 1, value: -2.0 });
    let what = error_of(|p| p.bodies[1].inverse_inertia = Mat3::from_diagonal(Vec3::new(1.0, -1.0, 1.0)));
    assert_eq!(what, ProblemError::BadInertia { index: 1 });
    let what = error_of(|p| p.bodies[1].inverse_inertia = Mat3::from_cols(Vec3::X, Vec3::ONE, Vec3::Z));
    assert_eq!(what, ProblemError::BadInertia { index: 1 });
    let what = error_of(|p| p.contacts[0].normal = Vec3::Z * 2.0);
    assert_eq!(what, ProblemError::NormalNotUnit { index: 0, length: 2.0 });
    let what = error_of(|p| p.contacts[0].restitution = 1.5);
    assert_eq!(what, ProblemError::BadRestitution { index: 0, value: 1.5 });
    let what = error_of(|p| p.contacts[3].friction = -0.1);
    assert_eq!(what, ProblemError::NegativeFriction { index: 3, value: -0.1 });
    let what = error_of(|p| p.rows[0].bounds = [1.0, -1.0]);
    assert_eq!(what, ProblemError::CrossedBounds { index: 0, low: 1.0, high: -1.0 });
}

#[test]
fn bad_requests_give_typed_errors() {
    let (problem, solver) = (cube_on_four_corners(), ImpulseLcp::default());
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = solver.solve(&problem, Level::Step { dt }, &SolveOptions::default()).unwrap_err();
        assert!(matches!(error, ProblemError::BadTimeStep { .. }));
    }
    let options = SolveOptions { tolerance: f64::NAN, ..SolveOptions::default() };
    assert!(matches!(solver.solve(&problem, Level::Impact, &options), Err(ProblemError::BadTolerance { .. })));
    let start = heurt_rigid::Solution::default();
    let error = solver.solve_from(&problem, Level::Force, &SolveOptions::default(), &start).unwrap_err();
    assert_eq!(error, ProblemError::BadStart { expected: 4, found: 0 });
    let mut huge = problem;
    huge.bodies[1].velocity = Vec3::splat(-1e300);
    let error = solver.solve(&huge, Level::Impact, &SolveOptions::default()).unwrap_err();
    assert_eq!(error, ProblemError::Overflow);
}

#[test]
fn empty_and_fixed_problems_have_zero_impulses() {
    for level in LEVELS {
        let solution = solve(&ContactProblem::default(), level);
        assert_eq!((solution.outcome, solution.method), (Outcome::Solved, SolveMethod::Empty));
        let mut problem = cube_on_four_corners();
        problem.bodies[1] = RigidBody { velocity: -Vec3::Z, ..RigidBody::FIXED };
        problem.contacts[0].friction = 0.5;
        let solution = solve(&problem, level);
        assert_eq!(solution.normal, [0.0; 4]);
        assert_eq!(solution.outcome, Outcome::Solved);
    }
    let mut problem = cube_on_four_corners();
    problem.bodies[1] = RigidBody { velocity: -Vec3::Z, ..RigidBody::FIXED };
    let solution = SequentialImpacts.solve(&problem, Level::Impact, &SolveOptions::default()).unwrap();
    assert_eq!(solution.normal, [0.0; 4]);
}

#[test]
fn duplicated_contacts_are_harmless() {
    let mut random = SplitMix64::new(41);
    for case in 0..60 {
        let friction = [0.0, 0.6][case % 2];
        let problem = random_island(&mut random, 3, 4, friction);
        let mut doubled = problem.clone();
        doubled.contacts.extend_from_slice(&problem.contacts);
        doubled.contacts.extend_from_slice(&problem.contacts);
        let [a, b] = [&problem, &doubled].map(|problem| {
            let solution = solve(problem, Level::Impact);
            assert!(solution.residual <= 1e-10, "{case} {}", solution.residual);
            problem.bodies_after(&solution, Level::Impact)
        });
        if friction == 0.0 {
            for (a, b) in a.iter().zip(b) {
                assert!((a.velocity - b.velocity).length() < 1e-9, "{case}");
            }
        }
    }
}

#[test]
fn masses_over_24_decades() {
    let mut random = SplitMix64::new(42);
    for case in 0..200 {
        let mut problem = random_island(&mut random, 4, 6, [0.0, 0.5][case % 2]);
        for body in &mut problem.bodies[1..] {
            let scale = libm::exp10(random.between(-12.0, 12.0));
            body.inverse_mass *= scale;
            body.inverse_inertia *= scale;
        }
        let solution = solve(&problem, Level::Impact);
        assert!(solution.residual <= 1e-10, "{case} {} {:?}", solution.residual, solution.method);
        assert!(solution.normal.iter().all(|f| f.is_finite() && *f >= 0.0));
        assert!(solution.energy[1] <= solution.energy[0] * (1.0 + 1e-10), "{case} {:?}", solution.energy);
    }
}

/// A ball between two walls that both overlap it: no velocity opens both gaps in one step.
fn squeezed() -> ContactProblem {
    let contact = PointContact { gap: -0.1, ..PointContact::default() };
    let contacts = vec![contact, PointContact { normal: -Vec3::X, ..contact }];
    ContactProblem { bodies: vec![RigidBody::FIXED, ball(1.0, Vec3::ZERO)], contacts, rows: vec![] }
}

#[test]
fn a_problem_without_solution_is_reported() {
    for friction in [0.0, 0.5] {
        let mut problem = squeezed();
        problem.contacts.iter_mut().for_each(|contact| contact.friction = friction);
        for dense_limit in [0, 40] {
            let solver = ImpulseLcp { dense_limit };
            let solution = solver.solve(&problem, Level::Step { dt: 0.1 }, &SolveOptions::default()).unwrap();
            let proved = dense_limit > 0 && friction == 0.0;
            assert_eq!(solution.outcome, if proved { Outcome::NoSolution } else { Outcome::Approximate });
            assert!(solution.residual > 0.1 && solution.residual <= 1.0 + 1e-9, "{solution:?}");
            let after = problem.bodies_after(&solution, Level::Step { dt: 0.1 });
            assert!(after[1].velocity.length() <= 1.0 + 1e-9, "{solution:?}");
            assert!(solution.normal.iter().all(|f| *f < 1e9), "{solution:?}");
        }
    }
}

#[test]
fn locked_axes_get_no_velocity() {
    let mut problem = stack(1, 0.4);
    problem.bodies[1].inverse_inertia = Mat3::ZERO;
    problem.bodies[1].velocity = Vec3::new(0.1, 0.0, -1.0);
    problem.contacts.truncate(1);
    let solution = solve(&problem, Level::Impact);
    assert!(solution.residual <= 1e-10);
    let after = problem.bodies_after(&solution, Level::Impact);
    assert_eq!(after[1].angular_velocity, Vec3::ZERO);
    assert!(after[1].velocity.length() < 1e-9, "{}", after[1].velocity);
}
