//! Springs, position motors and friction of joints against closed forms, with both solvers.

use crate::common::random_island;
use crate::joint_rig::{CUBE_INERTIA, GRAVITY, Rig, SOLVERS, STEP, Solver, cube};
use heurt_geometry::{Mat3, SplitMix64, Vec3};
use heurt_rigid::{
    ConstraintRow, ContactSolver, ImpulseLcp, Joint, JointError, JointFrame, JointKind, JointSpring, Level, Motor,
    Outcome, PositionMotor, SolveOptions,
};
use std::f64::consts::{FRAC_PI_6, PI, TAU};

fn spring(stiffness: f64, damping: f64) -> JointSpring {
    JointSpring { stiffness, damping, rest: None }
}

/// A mass on a spring along x that is free along the slider.
fn mass_on_spring(solver: Solver, mass: f64, spring: JointSpring, start: f64) -> Rig {
    let mut rig = Rig::new(solver, [cube(Vec3::ZERO, mass)]);
    rig.join([0, 1], |frames| Joint::slider([None, Some(1)], frames, Vec3::ZERO, Vec3::X)?.with_spring(spring));
    rig.bodies[1].centre.x = start;
    rig
}

/// The mean period of rises.
fn period_of(rises: &[f64]) -> f64 {
    (rises[rises.len() - 1] - rises[0]) / (rises.len() - 1) as f64
}

#[test]
fn a_mass_on_a_spring_keeps_its_period_and_its_energy_over_100_periods() {
    for solver in SOLVERS {
        for (mass, stiffness) in [(2.0, 50.0), (0.5, 10.0), (1.0, 400.0)] {
            let mut rig = mass_on_spring(solver, mass, spring(stiffness, 0.0), 0.3);
            let period = TAU * f64::sqrt(mass / stiffness);
            let (rises, peaks) = rig.watch(101.0 * period, 0.0);
            let found = period_of(&rises) / period;
            assert!((found - 1.0).abs() < 0.01, "{solver:?} {mass} {stiffness}: {found}");
            let [early, late] = [&peaks[..5], &peaks[peaks.len() - 5..]]
                .map(|peaks| peaks.iter().map(|peak| peak.1).fold(0.0, f64::max));
            // The peaks, where the mass has no speed, give the energy.
            assert!((late / early - 1.0).abs() < 2e-3, "{solver:?} {mass} {stiffness}: {early} {late}");
        }
    }
}

#[test]
fn a_damper_lets_an_oscillation_decay() {
    for solver in SOLVERS {
        let mut rig = mass_on_spring(solver, 2.0, spring(50.0, 0.8), 0.3);
        let (_, peaks) = rig.watch(10.0, 0.0);
        let [(begin, first), (end, last)] = [peaks[0], peaks[peaks.len() - 1]];
        // e^(−d·t/2m)
        let rate = f64::ln(first / last) / (end - begin);
        assert!((rate / 0.2 - 1.0).abs() < 0.01, "{solver:?}: {rate}");
        // Without stiffness the velocity decays by e^(−d·t/m).
        let mut rig = mass_on_spring(solver, 2.0, spring(0.0, 0.8), 0.0);
        rig.bodies[1].velocity = Vec3::X;
        rig.run(5.0);
        assert!((rig.rate() / f64::exp(-2.0) - 1.0).abs() < 0.01, "{solver:?}: {}", rig.rate());
    }
}

#[test]
fn a_critical_spring_returns_without_overshoot() {
    for solver in SOLVERS {
        for stiffness in [1.0, 100.0, 1e4, 1e6, 1e9] {
            let mut rig = mass_on_spring(solver, 1.0, spring(stiffness, 2.0 * f64::sqrt(stiffness)), 0.3);
            let lowest = (0..1200).map(|_| (rig.step(), rig.coordinate()).1).fold(0.0, f64::min);
            assert!(lowest > -0.01 * 0.3, "{solver:?} {stiffness}: {lowest}");
            assert!(rig.coordinate().abs() < 1e-6, "{solver:?} {stiffness}: {}", rig.coordinate());
        }
    }
}

#[test]
fn a_torsion_spring_turns_a_body_about_its_centre_and_a_rod_about_its_end() {
    for solver in SOLVERS {
        for (centre, inertia) in [(Vec3::ZERO, CUBE_INERTIA), (Vec3::X, CUBE_INERTIA + 1.0)] {
            let stiffness = 16.0 * inertia;
            let mut rig = Rig::new(solver, [cube(centre, 1.0)]);
            rig.join([0, 1], |frames| {
                let joint = Joint::hinge([None, Some(1)], frames, Vec3::ZERO, Vec3::Z)?;
                joint.with_spring(JointSpring { rest: Some(0.2), ..spring(stiffness, 0.0) })
            });
            let (rises, _) = rig.watch(100.0, 0.2);
            let found = period_of(&rises) / (TAU / 4.0);
            assert!((found - 1.0).abs() < 0.01, "{solver:?} {centre}: {found}");
        }
    }
}

#[test]
fn a_weight_stretches_its_spring_by_its_weight_over_the_stiffness() {
    for solver in SOLVERS {
        for stiffness in [20.0, 500.0, 1e5] {
            let mut weight = cube(Vec3::Z * -1.0, 2.0);
            weight.acceleration = Vec3::Z * -GRAVITY;
            let mut rig = Rig::new(solver, [weight]);
            let spring = spring(stiffness, 2.0 * f64::sqrt(2.0 * stiffness));
            rig.join([0, 1], |frames| {
                Joint::distance([None, Some(1)], frames, [Vec3::ZERO, Vec3::Z * -1.0])?.with_spring(spring)
            });
            rig.run(20.0);
            let wanted = 1.0 + 2.0 * GRAVITY / stiffness;
            assert!((rig.coordinate() - wanted).abs() < 1e-9, "{solver:?} {stiffness}: {}", rig.coordinate());
            let load = rig.joints[0].load.force;
            assert!((load - Vec3::Z * (2.0 * GRAVITY)).length() < 1e-6, "{solver:?} {stiffness}: {load}");
        }
    }
}

#[test]
fn two_bodies_on_a_spring_swing_about_their_common_centre() {
    for solver in SOLVERS {
        let mut rig = Rig::new(solver, [cube(Vec3::ZERO, 1.0), cube(Vec3::X, 3.0)]);
        rig.join([1, 2], |frames| {
            let joint = Joint::distance([Some(1), Some(2)], frames, [Vec3::ZERO, Vec3::X])?;
            joint.with_spring(JointSpring { stiffness: 12.0, damping: 0.0, rest: Some(0.8) })
        });
        let (rises, _) = rig.watch(60.0, 0.8);
        // The reduced mass is 0.75 kg.
        let found = period_of(&rises) / (TAU / 4.0);
        assert!((found - 1.0).abs() < 0.01, "{solver:?}: {found}");
        let momentum = rig.bodies[1].velocity + rig.bodies[2].velocity * 3.0;
        let centre = (rig.bodies[1].centre + rig.bodies[2].centre * 3.0) / 4.0;
        assert!(momentum.length() < 1e-9 && (centre - Vec3::X * 0.75).length() < 1e-9, "{solver:?}: {momentum}");
    }
}

#[test]
fn a_hundred_springs_on_a_body_are_as_stiff_as_one() {
    for solver in SOLVERS {
        let mut rig = Rig::new(solver, [cube(Vec3::ZERO, 1.0)]);
        for _ in 0..20 {
            rig.join([0, 1], |frames| {
                Joint::slider([None, Some(1)], frames, Vec3::ZERO, Vec3::X)?.with_spring(spring(2000.0, 0.0))
            });
        }
        rig.bodies[1].centre.x = 0.1;
        let highest = (0..3000).map(|_| (rig.step(), rig.coordinate().abs()).1).fold(0.0, f64::max);
        // 40 kN/m on 1 kg have 1.9 steps in a period: the steps swing farther than the motion.
        assert!(highest < 0.5, "{solver:?}: {highest}");
    }
}

#[test]
fn springs_of_any_stiffness_stay_finite() {
    for solver in SOLVERS {
        for stiffness in [0.0, 1e-300, 1e-12, 1e3, 1e6, 1e12, 1e100, 1e300] {
            for damping in [0.0, 1e-300, 1.0, 1e12, 1e300] {
                for mass in [1e-6, 1.0, 1e6] {
                    let mut rig = mass_on_spring(solver, mass, spring(stiffness, damping), 0.3);
                    let highest = (0..300).map(|_| (rig.step(), rig.coordinate().abs()).1).fold(0.0, f64::max);
                    assert!(highest <= 0.3 * 1.2, "{solver:?} {stiffness} {damping} {mass}: {highest}");
                }
            }
        }
    }
}

fn position_motor(position: f64, stiffness: f64, damping: f64, max_force: f64) -> PositionMotor {
    PositionMotor { position, stiffness, damping, max_force }
}

#[test]
fn a_position_motor_reaches_its_target_and_holds_a_weight_beside_it() {
    for solver in SOLVERS {
        for (max_force, weight) in [(1e9, 0.0), (1e9, GRAVITY), (30.0, GRAVITY)] {
            let mut body = cube(Vec3::ZERO, 2.0);
            body.acceleration = Vec3::Z * -weight;
            let mut rig = Rig::new(solver, [body]);
            rig.join([0, 1], |frames| {
                let joint = Joint::slider([None, Some(1)], frames, Vec3::ZERO, Vec3::Z)?;
                joint.with_position_motor(position_motor(0.5, 800.0, 80.0, max_force))
            });
            rig.run(10.0);
            // The offset is F/k.
            let wanted = 0.5 - 2.0 * weight / 800.0;
            assert!((rig.coordinate() - wanted).abs() < 1e-8, "{solver:?} {max_force}: {}", rig.coordinate());
            assert!(rig.rate().abs() < 1e-8, "{solver:?}");
        }
        // 5 N do not hold 2 kg: it falls at g − 2.5 m/s².
        let mut body = cube(Vec3::ZERO, 2.0);
        body.acceleration = Vec3::Z * -GRAVITY;
        let mut rig = Rig::new(solver, [body]);
        rig.join([0, 1], |frames| {
            let joint = Joint::slider([None, Some(1)], frames, Vec3::ZERO, Vec3::Z)?;
            joint.with_position_motor(position_motor(0.5, 800.0, 80.0, 5.0))
        });
        rig.run(1.0);
        assert!((rig.rate() + (GRAVITY - 2.5)).abs() < 1e-9, "{solver:?}: {}", rig.rate());
    }
}

#[test]
fn friction_stops_a_hinge_by_its_torque_over_the_inertia_and_holds_it() {
    for solver in SOLVERS {
        let (torque, inertia) = (0.01, CUBE_INERTIA);
        let mut rig = Rig::new(solver, [cube(Vec3::ZERO, 1.0)]);
        rig.join([0, 1], |frames| Joint::hinge([None, Some(1)], frames, Vec3::ZERO, Vec3::Z)?.with_friction(torque));
        rig.bodies[1].angular_velocity = Vec3::Z * 3.0;
        rig.run(1.0);
        assert!((rig.rate() - (3.0 - torque / inertia)).abs() < 1e-9, "{solver:?}: {}", rig.rate());
        rig.run(1.5);
        let stopped = rig.coordinate();
        // ω²·I/(2·τ), up to the first step at the full speed.
        let turn = 4.5 * inertia / torque;
        assert!((stopped - turn).abs() < 3.0 * STEP, "{solver:?}: {stopped} {turn}");
        rig.run(10.0);
        assert!(rig.rate().abs() < 1e-15 && (rig.coordinate() - stopped).abs() < 1e-12, "{solver:?}: {}", rig.rate());
    }
}

#[test]
fn a_slider_on_a_slope_holds_below_its_friction_and_slides_above() {
    let down = Vec3::new(FRAC_PI_6.cos(), 0.0, -FRAC_PI_6.sin());
    for solver in SOLVERS {
        // The weight along the slope is 2·g·sin 30° = 9.81 N.
        for (friction, acceleration) in [(12.0, 0.0), (9.82, 0.0), (4.0, (GRAVITY - 4.0) / 2.0)] {
            let mut body = cube(Vec3::ZERO, 2.0);
            body.acceleration = Vec3::Z * -GRAVITY;
            let mut rig = Rig::new(solver, [body]);
            rig.join([0, 1], |frames| {
                Joint::slider([None, Some(1)], frames, Vec3::ZERO, down)?.with_friction(friction)
            });
            rig.run(2.0);
            assert!((rig.rate() - 2.0 * acceleration).abs() < 1e-9, "{solver:?} {friction}: {}", rig.rate());
            // Semi-implicit steps lead by a·t·h/2.
            let place = 0.5 * acceleration * 4.0;
            let lead = acceleration * STEP;
            assert!((rig.coordinate() - place).abs() <= lead + 1e-9, "{solver:?} {friction}: {}", rig.coordinate());
        }
    }
}

#[test]
fn friction_holds_a_spring_that_is_weaker() {
    for solver in SOLVERS {
        let mut rig = Rig::new(solver, [cube(Vec3::ZERO, 1.0)]);
        rig.join([0, 1], |frames| {
            let joint = Joint::slider([None, Some(1)], frames, Vec3::ZERO, Vec3::X)?;
            joint.with_spring(spring(100.0, 0.0))?.with_friction(10.0)
        });
        rig.bodies[1].centre.x = 0.5;
        rig.run(10.0);
        // Each half swing loses 2·F/k = 0.2 m: 0.5, −0.3, 0.1, where 10 N hold.
        assert!((rig.coordinate() - 0.1).abs() < 0.02, "{solver:?}: {}", rig.coordinate());
        let stopped = rig.coordinate();
        rig.run(10.0);
        assert!((rig.coordinate() - stopped).abs() < 1e-9, "{solver:?}");
    }
}

#[test]
fn numbers_and_kinds_that_give_no_force_are_refused() {
    let body = JointFrame::at_rest(Vec3::X, Mat3::IDENTITY);
    let frames = [&JointFrame::WORLD, &body];
    let ends = [None, Some(1)];
    let hinge = Joint::hinge(ends, frames, Vec3::ZERO, Vec3::Z).unwrap();
    let ball = Joint::ball(ends, frames, Vec3::ZERO).unwrap();
    let fixed = Joint::fixed(ends, frames, Vec3::ZERO).unwrap();
    let rod = Joint::distance(ends, frames, [Vec3::ZERO, Vec3::X]).unwrap();
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(hinge.with_spring(spring(value, 0.0)), Err(JointError::NotFinite("stiffness")));
        assert_eq!(hinge.with_spring(spring(1.0, value)), Err(JointError::NotFinite("damping")));
        let rest = JointSpring { rest: Some(value), ..spring(1.0, 0.0) };
        assert_eq!(hinge.with_spring(rest), Err(JointError::NotFinite("rest")));
        assert_eq!(hinge.with_friction(value), Err(JointError::NotFinite("friction")));
        let motor = position_motor(value, 1.0, 1.0, 1.0);
        assert_eq!(hinge.with_position_motor(motor), Err(JointError::NotFinite("position")));
    }
    assert_eq!(hinge.with_friction(-1.0), Err(JointError::Force { field: "friction", value: -1.0 }));
    assert_eq!(hinge.with_spring(spring(-1.0, 0.0)), Err(JointError::Force { field: "stiffness", value: -1.0 }));
    assert_eq!(hinge.with_spring(spring(1.0, -2.0)), Err(JointError::Force { field: "damping", value: -2.0 }));
    let rest = JointSpring { rest: Some(-0.1), ..spring(1.0, 0.0) };
    assert_eq!(rod.with_spring(rest), Err(JointError::Force { field: "rest", value: -0.1 }));
    let force = hinge.with_position_motor(position_motor(0.0, 1.0, 1.0, -1.0));
    assert_eq!(force, Err(JointError::Force { field: "max_force", value: -1.0 }));
    let both = hinge.with_motor(Motor { velocity: 1.0, max_force: 1.0 }).unwrap();
    assert_eq!(both.with_position_motor(position_motor(0.0, 1.0, 1.0, 1.0)), Err(JointError::TwoMotors));
    for cone in [0.0, -1.0, PI + 1e-9, f64::INFINITY] {
        assert_eq!(ball.with_cone(cone), Err(JointError::Cone(cone)));
    }
    assert_eq!(ball.with_cone(f64::NAN), Err(JointError::NotFinite("cone")));
    for limits in [[0.5, -0.5], [-4.0, 0.0], [0.0, 4.0], [f64::NEG_INFINITY, 0.0]] {
        assert_eq!(ball.with_twist(limits), Err(JointError::Twist(limits)));
    }
    assert_eq!(ball.with_twist([f64::NAN, 0.0]), Err(JointError::NotFinite("twist")));
    let refused = |kind, what| Err(JointError::NotSupported { kind, what });
    assert_eq!(ball.with_spring(spring(1.0, 0.0)), refused(JointKind::Ball, "spring"));
    assert_eq!(fixed.with_spring(spring(1.0, 0.0)), refused(JointKind::Fixed, "spring"));
    assert_eq!(fixed.with_friction(1.0), refused(JointKind::Fixed, "friction"));
    assert_eq!(hinge.with_cone(1.0), refused(JointKind::Hinge, "cone"));
    assert_eq!(rod.with_twist([0.0, 1.0]), refused(JointKind::Distance, "twist"));
    let text = hinge.with_cone(1.0).unwrap_err().to_string();
    assert_eq!(text, "a hinge joint has no cone: give it to a ball joint");
}

/// Random islands with contacts and soft rows of compliances from 1e-6 to 1e6 per kg, some with bounds.
#[test]
fn soft_rows_among_contacts_are_solved_alike_by_pivots_and_by_iterations() {
    let mut random = SplitMix64::new(11);
    let level = Level::Step { dt: STEP };
    let options = SolveOptions::default();
    for round in 0..60 {
        let friction = if round % 2 == 0 { 0.0 } else { 0.5 };
        let mut problem = random_island(&mut random, 5, 6, friction);
        for number in 0..3 {
            let most = if number == 0 { f64::INFINITY } else { random.between(0.0, 0.2) };
            problem.rows.push(ConstraintRow {
                bodies: [number, number + 1],
                linear: random.vector(-1.0, 1.0),
                angular: [random.vector(-1.0, 1.0), random.vector(-1.0, 1.0)],
                target: random.between(-1.0, 1.0),
                bounds: [-most, most],
                error: 0.0,
                compliance: libm::pow(10.0, random.between(-6.0, 6.0)),
            });
        }
        let iterated = ImpulseLcp { dense_limit: 0 }.solve(&problem, level, &options).unwrap();
        assert_eq!(iterated.outcome, Outcome::Solved, "round {round}: {}", iterated.residual);
        // The law of each row: J·v + γ·λ = target, unless a bound holds.
        let after = problem.bodies_after(&iterated, level);
        for (row, impulse) in problem.rows.iter().zip(&iterated.rows) {
            let [a, b] = row.bodies.map(|body| &after[body as usize]);
            let angular = row.angular[0].dot(a.angular_velocity) + row.angular[1].dot(b.angular_velocity);
            let rate = row.linear.dot(b.velocity - a.velocity) + angular + row.compliance * impulse - row.target;
            let is_bound = impulse.abs() >= row.bounds[1] * (1.0 - 1e-9) && rate * impulse <= 0.0;
            assert!(is_bound || rate.abs() < 1e-8, "round {round}: {rate} {impulse} {row:?}");
        }
        if friction == 0.0 {
            let pivoted = ImpulseLcp::default().solve(&problem, level, &options).unwrap();
            assert_eq!(pivoted.outcome, Outcome::Solved, "round {round}");
            for (one, two) in after.iter().zip(problem.bodies_after(&pivoted, level)) {
                assert!((one.velocity - two.velocity).length() < 1e-7, "round {round}: {one:?} {two:?}");
            }
        }
    }
}
