//! Contact problems as files hold them: bits that survive, levels, solvers by name, errors law by law.

use crate::common::{cube_on_four_corners, random_island, solve, stack};
use heurt_geometry::{SplitMix64, Vec3};
use heurt_rigid::{
    ConstraintRow, ContactProblem, ContactSolver, ImpulseLcp, Level, Outcome, PointContact, ProblemError, RigidBody,
    SequentialImpacts, Solution, SolveOptions, StatedProblem, all_solvers, evaluate_residual,
};

#[cfg(feature = "serde")]
const LEVELS: [Level; 3] = [Level::Impact, Level::Force, Level::Step { dt: 1.0 / 60.0 }];

#[cfg(feature = "serde")]
#[test]
fn numbers_of_a_file_keep_their_bits() {
    let mut random = SplitMix64::new(51);
    for round in 0..100 {
        let mut problem = random_island(&mut random, 3, 5, 1.0);
        problem.bodies[1].velocity.x = f64::from_bits(1);
        problem.bodies[1].velocity.y = -0.0;
        problem.contacts[0].gap = f64::MIN_POSITIVE * random.unit();
        problem.contacts[1].gap = -f64::MAX;
        problem.rows.push(ConstraintRow {
            bodies: [0, 1],
            linear: random.vector(-1.0, 1.0),
            angular: [random.vector(-1.0, 1.0), random.vector(-1.0, 1.0)],
            target: random.unit(),
            bounds: [f64::NEG_INFINITY, random.unit()],
            error: random.unit() * 1e-300,
            compliance: random.unit(),
        });
        for level in LEVELS {
            let names = if round % 2 == 0 { vec![] } else { vec!["floor".to_owned(); 4] };
            let stated = StatedProblem { level, names, problem: problem.clone() };
            let text = serde_json::to_string(&stated).unwrap();
            let again: StatedProblem = serde_json::from_str(&text).unwrap();
            assert_eq!(again, stated);
            assert_eq!(again.problem.bodies[1].velocity.y.to_bits(), (-0.0f64).to_bits());
            assert_eq!(serde_json::to_string(&again).unwrap(), text);
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_file_has_the_keys_of_the_page() {
    let problem = cube_on_four_corners();
    let stated = StatedProblem { level: Level::Step { dt: 0.5 }, names: vec![], problem };
    let value = serde_json::to_value(&stated).unwrap();
    let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["bodies", "contacts", "dt", "level", "rows"]);
    assert_eq!((value["level"].as_str(), value["dt"].as_f64()), (Some("step"), Some(0.5)));
    for level in LEVELS {
        let text = serde_json::to_value(level).unwrap();
        assert_eq!(text["level"], level.name());
    }
}

/// A body of 1 kg, a fixed one, and a row along z between them.
fn one_row(target: f64, bodies: [RigidBody; 2], linear: Vec3) -> ContactProblem {
    let row = ConstraintRow {
        bodies: [0, 1],
        linear,
        angular: [Vec3::ZERO; 2],
        target,
        bounds: [f64::NEG_INFINITY, f64::INFINITY],
        error: 0.0,
        compliance: 0.0,
    };
    ContactProblem { bodies: bodies.to_vec(), contacts: vec![], rows: vec![row] }
}

#[test]
fn what_no_impulse_changes_has_no_solution() {
    let ball = RigidBody { inverse_mass: 1.0, velocity: Vec3::Z * 3.0, ..RigidBody::FIXED };
    let moving = RigidBody { velocity: -Vec3::Z, ..RigidBody::FIXED };
    let contact = PointContact { normal: Vec3::Z, ..PointContact::default() };
    let approach = ContactProblem { bodies: vec![RigidBody::FIXED, moving], contacts: vec![contact], rows: vec![] };
    let cases = [
        (one_row(5.0, [RigidBody::FIXED, ball], Vec3::ZERO), 5.0),
        (one_row(5.0, [RigidBody::FIXED, RigidBody::FIXED], Vec3::Z), 5.0),
        (approach, 1.0),
    ];
    for (problem, left) in cases {
        let stated = StatedProblem { level: Level::Impact, names: vec![], problem };
        for solver in all_solvers() {
            let solved = stated.solve(&*solver, &SolveOptions::default()).unwrap();
            assert_eq!(solved.solution.outcome, Outcome::NoSolution, "{}", solver.name());
            assert_eq!((solved.solution.residual, solved.errors.immovable), (left, left), "{}", solver.name());
        }
    }
}

#[test]
fn an_approach_that_nothing_changes_is_told_without_rebound_and_beyond_the_gap() {
    let moving = RigidBody { velocity: -Vec3::Z, ..RigidBody::FIXED };
    let contact = PointContact { normal: Vec3::Z, restitution: 1.0, gap: 0.25, ..PointContact::default() };
    let problem = ContactProblem { bodies: vec![RigidBody::FIXED, moving], contacts: vec![contact], rows: vec![] };
    for (level, left) in [(Level::Impact, 1.0), (Level::Step { dt: 0.5 }, 0.5), (Level::Step { dt: 0.125 }, 0.0)] {
        let stated = StatedProblem { level, names: vec![], problem: problem.clone() };
        let solved = stated.solve(&ImpulseLcp::default(), &SolveOptions::default()).unwrap();
        assert_eq!(solved.errors.immovable, left, "{level:?}");
        assert_eq!(solved.solution.outcome == Outcome::NoSolution, left > 0.0, "{level:?}");
    }
}

/// A row drives one of two balls that touch, without loss of energy.
#[test]
fn sequential_impacts_end_after_rows_have_driven_bodies() {
    let ball = RigidBody { inverse_mass: 1.0, ..RigidBody::FIXED };
    let mut problem = one_row(5.0, [RigidBody::FIXED, ball], Vec3::Z);
    problem.bodies.push(ball);
    let contact = PointContact { bodies: [1, 2], normal: Vec3::Z, restitution: 1.0, ..PointContact::default() };
    problem.contacts = vec![contact];
    let solution = SequentialImpacts.solve(&problem, Level::Impact, &SolveOptions::default()).unwrap();
    let after = problem.bodies_after(&solution, Level::Impact);
    assert!((after[1].velocity.z - 5.0).abs() < 1e-12 && after[2].velocity.z >= after[1].velocity.z, "{after:?}");
    assert!(solution.iterations < 10, "{}", solution.iterations);
}

#[test]
fn sequential_impacts_solve_rows_without_contacts() {
    let ball = RigidBody { inverse_mass: 1.0, velocity: Vec3::Z * 3.0, ..RigidBody::FIXED };
    let problem = one_row(5.0, [RigidBody::FIXED, ball], Vec3::Z);
    let solution = SequentialImpacts.solve(&problem, Level::Impact, &SolveOptions::default()).unwrap();
    assert!((problem.bodies_after(&solution, Level::Impact)[1].velocity.z - 5.0).abs() < 1e-14);
}

#[test]
fn a_far_contact_hides_no_error_of_others() {
    let ball = RigidBody { inverse_mass: 1.0, velocity: -Vec3::Z, ..RigidBody::FIXED };
    let mut problem = one_row(5.0, [RigidBody::FIXED, ball], Vec3::Z);
    problem.bodies.push(RigidBody { inverse_mass: 1.0, ..RigidBody::FIXED });
    for gap in [1.0, 1e12, 1e15, 1e100] {
        let contact = PointContact { bodies: [0, 2], normal: Vec3::Z, gap, friction: 0.5, ..PointContact::default() };
        problem.contacts = vec![contact];
        let level = Level::Step { dt: 1.0 / 60.0 };
        let solution = ImpulseLcp::default().solve(&problem, level, &SolveOptions::default()).unwrap();
        assert!(solution.residual < 1e-10, "{gap}: {solution:?}");
        assert!((problem.bodies_after(&solution, level)[1].velocity.z - 5.0).abs() < 1e-10, "{gap}");
    }
}

#[test]
fn errors_of_laws_are_those_of_the_residual() {
    let mut random = SplitMix64::new(52);
    for round in 0..60 {
        let problem = random_island(&mut random, 4, 5, [0.0, 0.8][round % 2]);
        for level in [Level::Impact, Level::Step { dt: 0.01 }] {
            let solution = solve(&problem, level);
            let errors = problem.law_errors(&solution, level).unwrap();
            let residual = evaluate_residual(&problem, level, SolveOptions::default().friction, &solution).unwrap();
            // The residual has friction, too; normals alone are at most that far off.
            assert!(errors.complementarity <= residual + 1e-12, "{round} {level:?} {errors:?} {residual}");
            assert!(errors.pull <= 1e-12 && errors.cone <= 1e-9, "{round} {level:?} {errors:?}");
        }
    }
    // Without impulses, what is missing is the approach of the step: g·dt, times the share that complementarity counts.
    let problem = stack(1, 0.5);
    let nothing = Solution { normal: vec![0.0; 4], ..Solution::default() };
    let errors = problem.law_errors(&nothing, Level::Step { dt: 0.01 }).unwrap();
    assert!((errors.complementarity - 0.0981).abs() < 1e-12, "{errors:?}");
    let wrong = problem.law_errors(&Solution::default(), Level::Impact);
    assert_eq!(wrong, Err(ProblemError::BadStart { expected: 4, found: 0 }));
}

#[test]
fn each_solver_answers_a_stated_problem() {
    let stated = StatedProblem { level: Level::Step { dt: 0.01 }, names: vec![], problem: stack(2, 0.5) };
    for solver in all_solvers() {
        let solved = stated.solve(&*solver, &SolveOptions::default()).unwrap();
        assert_eq!(solved.bodies.len(), stated.problem.bodies.len());
        let is_exact = solver.name() != "penalty";
        assert_eq!(solved.errors.complementarity < 1e-10, is_exact, "{} {:?}", solver.name(), solved.errors);
        assert_eq!(solved.solution.outcome.name(), if is_exact { "solved" } else { "approximate" });
    }
    let bad = StatedProblem { level: Level::Step { dt: 0.0 }, ..stated };
    for solver in all_solvers() {
        let error = bad.solve(&*solver, &SolveOptions::default()).unwrap_err();
        assert_eq!(error, ProblemError::BadTimeStep { value: 0.0 });
    }
}
