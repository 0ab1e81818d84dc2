//! Random islands: certified residuals, momentum, invariance under permutation, agreement of methods, warm start.

use crate::common::{random_island, solid_box, solve, stack};
use heurt_geometry::{Quat, SplitMix64, Vec3};
use heurt_rigid::{
    ConstraintRow, ContactProblem, ContactSolver, FrictionModel, ImpulseLcp, Level, Outcome, RigidBody, SolveMethod,
    SolveOptions, evaluate_residual,
};

#[test]
fn random_islands_are_certified() {
    let mut random = SplitMix64::new(31);
    for case in 0..300 {
        let friction = if case % 2 == 0 { 0.0 } else { 1.0 };
        let bodies = 1 + random.below(12);
        // Frictionless islands may be far more constrained: their solution always exists.
        let most = if friction == 0.0 { 30 } else { 2 * bodies + 1 };
        let contacts = 1 + random.below(most);
        let problem = random_island(&mut random, bodies, contacts, friction);
        for level in [Level::Impact, Level::Force, Level::Step { dt: 0.01 }] {
            // Forces of sliding contacts may have no solution (Painlevé): frictionless forces only.
            if level == Level::Force && friction > 0.0 {
                continue;
            }
            let mut problem = problem.clone();
            if level == Level::Force {
                // Centripetal terms of unrelated contacts may contradict each other if contacts are redundant.
                problem.bodies.iter_mut().for_each(|body| body.angular_velocity = Vec3::ZERO);
            }
            let solution = solve(&problem, level);
            assert_eq!(solution.outcome, Outcome::Solved, "{case} {level:?} {}", solution.residual);
            assert!(solution.residual <= 1e-10, "{case} {level:?} {}", solution.residual);
            let again = evaluate_residual(&problem, level, FrictionModel::Cone, &solution).unwrap();
            assert!(again <= 1e-10, "{case} {again}");
        }
    }
}

#[test]
fn residuals_of_lemke_obey_the_plain_map() {
    let mut random = SplitMix64::new(32);
    for _ in 0..200 {
        let mut problem = random_island(&mut random, 4, 10, 0.0);
        problem.bodies.iter_mut().for_each(|body| body.angular_velocity = Vec3::ZERO);
        let level = Level::Force;
        let solution = solve(&problem, level);
        assert_eq!(solution.method, SolveMethod::Lemke);
        let b = problem.right_side(level);
        let product = problem.apply(&solution.normal);
        for ((g, a), b) in solution.normal.iter().zip(product).zip(b) {
            assert!(g.min(a + b).abs() <= 1e-10, "{g} {}", a + b);
        }
    }
}

#[test]
fn momentum_is_kept_to_rounding() {
    let mut random = SplitMix64::new(33);
    for _ in 0..100 {
        let mut problem = random_island(&mut random, 6, 12, 0.8);
        problem.contacts.retain(|contact| !contact.bodies.contains(&0));
        problem.bodies[0] = problem.bodies[1];
        let solution = solve(&problem, Level::Impact);
        let size: f64 = solution.normal.iter().sum();
        assert!(solution.momentum_error <= 1e-14 * (1.0 + size), "{} {size}", solution.momentum_error);
    }
}

#[test]
fn frictionless_accelerations_do_not_depend_on_the_order() {
    let mut random = SplitMix64::new(34);
    for case in 0..100 {
        let mut problem = random_island(&mut random, 5, 14, 0.0);
        problem.bodies.iter_mut().for_each(|body| body.angular_velocity = Vec3::ZERO);
        let mut order: Vec<usize> = (0..problem.contacts.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let contacts = order.iter().map(|&i| problem.contacts[i]).collect();
        let permuted = ContactProblem { contacts, ..problem.clone() };
        for dense_limit in [0, 40] {
            let solver = ImpulseLcp { dense_limit };
            let run = |problem: &ContactProblem| {
                let solution = solver.solve(problem, Level::Force, &SolveOptions::default()).unwrap();
                problem.bodies_after(&solution, Level::Force)
            };
            for (a, b) in run(&problem).iter().zip(run(&permuted)) {
                assert!((a.acceleration - b.acceleration).length() < 1e-9, "{case} {dense_limit}");
                assert!((a.angular_acceleration - b.angular_acceleration).length() < 1e-9, "{case} {dense_limit}");
            }
        }
    }
}

#[test]
fn pivoting_and_newton_agree_with_rows_and_friction_boxes() {
    let mut random = SplitMix64::new(35);
    let mut pivoted = 0;
    for case in 0..200 {
        let mut problem = random_island(&mut random, 4, 3, 0.3);
        let joint = ConstraintRow {
            bodies: [1, 2],
            linear: Vec3::X,
            angular: [Vec3::new(0.1, 0.2, 0.0), Vec3::new(0.0, -0.3, 0.1)],
            target: 0.1,
            bounds: if case % 2 == 0 { [f64::NEG_INFINITY, f64::INFINITY] } else { [-0.05, 0.02] },
            error: 0.0,
            compliance: 0.0,
        };
        problem.rows.push(joint);
        let options = SolveOptions { friction: FrictionModel::Box, ..SolveOptions::default() };
        let solutions =
            [0, 40].map(|dense_limit| ImpulseLcp { dense_limit }.solve(&problem, Level::Impact, &options).unwrap());
        for solution in &solutions {
            assert!(solution.residual <= 1e-10, "{case} {solution:?}");
            let [low, high] = joint.bounds;
            assert!((low..=high).contains(&solution.rows[0]));
        }
        pivoted += usize::from(solutions[1].method == SolveMethod::Pivoting);
        let bodies = solutions.each_ref().map(|solution| problem.bodies_after(solution, Level::Impact));
        for (a, b) in bodies[0].iter().zip(&bodies[1]) {
            assert!((a.velocity - b.velocity).length() < 1e-7, "{case}");
        }
        let row = |body: usize| bodies[1][body];
        let rate = joint.linear.dot(row(2).velocity - row(1).velocity)
            + joint.angular[0].dot(row(1).angular_velocity)
            + joint.angular[1].dot(row(2).angular_velocity);
        if case % 2 == 0 {
            assert!((rate - 0.1).abs() < 1e-10, "{case} {rate}");
        }
    }
    assert!(pivoted > 180, "{pivoted}");
}

#[test]
fn warm_starts_give_the_same_velocities() {
    let mut problem = stack(20, 0.6);
    let mut random = SplitMix64::new(36);
    problem.bodies[1..].iter_mut().for_each(|body| body.velocity = random.vector(-0.05, 0.05));
    let (solver, options, level) = (ImpulseLcp::default(), SolveOptions::default(), Level::Step { dt: 0.01 });
    let cold = solver.solve(&problem, level, &options).unwrap();
    let again = solver.solve_from(&problem, level, &options, &cold).unwrap();
    assert_eq!(again.iterations, 0);
    assert_eq!(again.normal, cold.normal);
    problem.bodies[3].velocity += Vec3::X * 1e-3;
    let warm = solver.solve_from(&problem, level, &options, &cold).unwrap();
    assert!(warm.residual <= 1e-10, "{}", warm.residual);
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let mut random = SplitMix64::new(37);
    let problem = random_island(&mut random, 10, 30, 0.7);
    let first = solve(&problem, Level::Impact);
    assert_eq!(first, solve(&problem, Level::Impact));
}

#[test]
fn contradictory_friction_is_solved_or_reported() {
    // Wedges of random normals with µ up to 2 may have no Coulomb solution.
    let mut random = SplitMix64::new(38);
    let mut solved = 0;
    for case in 0..60 {
        let problem = random_island(&mut random, 5, 20, 2.0);
        let solution = solve(&problem, Level::Impact);
        assert_eq!(solution.outcome == Outcome::Solved, solution.residual <= 1e-10, "{case} {}", solution.residual);
        assert!(solution.normal.iter().all(|f| f.is_finite()), "{case}");
        assert!(solution.iterations <= 2000, "{case}");
        solved += usize::from(solution.outcome == Outcome::Solved);
    }
    assert!(solved >= 55, "{solved}");
}

/// A chain of rods that hangs from a fixed body by ball joints; the last rod has the given mass.
fn chain(count: usize, last: f64) -> ContactProblem {
    let mut problem = ContactProblem { bodies: vec![RigidBody::FIXED], ..ContactProblem::default() };
    for index in 0..count {
        let mass = if index + 1 == count { last } else { 1.0 };
        let mut rod = solid_box(mass, Vec3::new(0.1, 0.1, 0.5), Quat::IDENTITY);
        rod.acceleration = Vec3::Z * -9.81;
        rod.velocity = Vec3::X * (0.1 * index as f64);
        problem.bodies.push(rod);
        let arms = [if index == 0 { Vec3::ZERO } else { Vec3::Z * -0.5 }, Vec3::Z * 0.5];
        for direction in [Vec3::X, Vec3::Y, Vec3::Z] {
            problem.rows.push(ConstraintRow {
                bodies: [index as u32, index as u32 + 1],
                linear: direction,
                angular: [-arms[0].cross(direction), arms[1].cross(direction)],
                target: 0.0,
                bounds: [f64::NEG_INFINITY, f64::INFINITY],
                error: 1e-4,
                compliance: 0.0,
            });
        }
    }
    problem
}

#[test]
fn chains_of_joints_with_a_heavy_end_are_certified() {
    for (count, last, most) in [(10, 1.0, 30), (50, 1e3, 30), (50, 1e5, 300)] {
        let problem = chain(count, last);
        let solution = solve(&problem, Level::Step { dt: 0.01 });
        assert!(solution.residual <= 1e-10, "{count} {last} {}", solution.residual);
        assert!(solution.iterations <= most, "{count} {last} {}", solution.iterations);
    }
    // Impulses of 1e5 N·s on rods of 1 kg: one rounding of their sum is 1e-11 m/s, a row adds 24 of them.
    let solution = solve(&chain(50, 1e6), Level::Step { dt: 0.01 });
    assert_eq!(solution.outcome, Outcome::Solved);
    assert!(solution.residual <= 1e-9, "{}", solution.residual);
}
