//! Contact problems as files hold them: bits that survive, levels, solvers by name, errors law by law.

use crate::common::{cube_on_four_corners, random_island, solve, stack};
use heurt_geometry::SplitMix64;
use heurt_rigid::{Level, ProblemError, Solution, SolveOptions, StatedProblem, all_solvers, evaluate_residual};

#[cfg(feature = "serde")]
const LEVELS: [Level; 3] = [Level::Impact, Level::Force, Level::Step { dt: 1.0 / 60.0 }];

#[cfg(feature = "serde")]
#[test]
fn numbers_of_a_file_keep_their_bits() {
    use heurt_rigid::ConstraintRow;
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
