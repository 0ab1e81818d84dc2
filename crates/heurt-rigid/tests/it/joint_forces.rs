//! Springs, position motors, friction, cones and twists of joints against closed forms, with both solvers.
//!
//! A step of the exact solver: rows of joints with the velocities after the free acceleration, rows of springs with
//! those before it, a solution by `ImpulseLcp`, a flight at constant velocities, a projection of positions.

use heurt_geometry::{Mat3, Quat, SplitMix64, Vec3};
use heurt_rigid::soft_step::{SoftStep, SoftStepSettings, StepBody, StepJoint};
use heurt_rigid::{
    ContactProblem, ContactSolver, ImpulseLcp, Joint, JointError, JointFrame, JointKind, JointSpring, Level, Motor,
    Outcome, PositionMotor, RigidBody, SolveOptions, project_joints,
};
use std::f64::consts::{FRAC_PI_6, PI, TAU};

const STEP: f64 = 1.0 / 60.0;
const GRAVITY: f64 = 9.81;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Solver {
    Exact,
    Soft,
}

const SOLVERS: [Solver; 2] = [Solver::Exact, Solver::Soft];

/// Bodies with joints; body 0 is the world.
struct Rig {
    solver: Solver,
    soft: SoftStep,
    bodies: Vec<StepBody>,
    joints: Vec<StepJoint>,
    seconds: f64,
}

fn frame(body: &StepBody) -> JointFrame {
    JointFrame {
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
        ..JointFrame::at_rest(body.centre, Mat3::from_quat(body.rotation))
    }
}

/// A box of a mass without gravity.
fn block(centre: Vec3, half: Vec3, mass: f64) -> StepBody {
    let square = half * half * 4.0;
    let inertia = Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y) * (mass / 12.0);
    StepBody::movable(centre, mass, Mat3::from_diagonal(inertia))
}

fn cube(centre: Vec3, mass: f64) -> StepBody {
    block(centre, Vec3::splat(0.1), mass)
}

/// The inertia of `cube` of 1 kg.
const CUBE_INERTIA: f64 = 0.08 / 12.0;

impl Rig {
    fn new(solver: Solver, bodies: impl IntoIterator<Item = StepBody>) -> Self {
        let bodies = [StepBody::FIXED].into_iter().chain(bodies).collect();
        let soft = SoftStep::new(SoftStepSettings::default());
        Self { solver, soft, bodies, joints: Vec::new(), seconds: 0.0 }
    }

    fn join(&mut self, ends: [u32; 2], make: impl Fn([&JointFrame; 2]) -> Result<Joint, JointError>) {
        let frames = ends.map(|end| frame(&self.bodies[end as usize]));
        let joint = make([&frames[0], &frames[1]]).expect("a valid joint");
        self.joints.push(StepJoint::new(ends, joint));
    }

    fn frames(&self, joint: usize) -> [JointFrame; 2] {
        self.joints[joint].bodies.map(|body| frame(&self.bodies[body as usize]))
    }

    fn coordinate(&self) -> f64 {
        let [a, b] = self.frames(0);
        self.joints[0].joint.coordinate([&a, &b])
    }

    fn rate(&self) -> f64 {
        let [a, b] = self.frames(0);
        self.joints[0].joint.coordinate_rate([&a, &b])
    }

    fn swing(&self) -> f64 {
        let [a, b] = self.frames(0);
        self.joints[0].joint.swing([&a, &b])
    }

    fn twist(&self) -> f64 {
        let [a, b] = self.frames(0);
        self.joints[0].joint.twist([&a, &b])
    }

    fn step(&mut self) {
        self.seconds += STEP;
        match self.solver {
            Solver::Soft => {
                self.soft.step_with_joints(&mut self.bodies, &mut [], &mut self.joints, STEP).expect("valid")
            }
            Solver::Exact => self.step_exact(),
        }
    }

    fn rigid(&self) -> Vec<RigidBody> {
        let rigid = |body: &StepBody| {
            let turn = Mat3::from_quat(body.rotation);
            RigidBody {
                inverse_mass: body.inverse_mass,
                inverse_inertia: turn * body.inverse_inertia * turn.transpose(),
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
                acceleration: if body.inverse_mass > 0.0 { body.acceleration } else { Vec3::ZERO },
                ..RigidBody::FIXED
            }
        };
        self.bodies.iter().map(rigid).collect()
    }

    fn step_exact(&mut self) {
        let bodies = self.rigid();
        let mut problem = ContactProblem { bodies, ..ContactProblem::default() };
        let mut ranges = Vec::new();
        for joint in &self.joints {
            let before = joint.bodies.map(|body| frame(&self.bodies[body as usize]));
            let masses = joint.bodies.map(|body| &problem.bodies[body as usize]);
            let after = [0, 1].map(|side| JointFrame {
                velocity: before[side].velocity + masses[side].acceleration * STEP,
                ..before[side]
            });
            let mut rows = joint.joint.step_rows(joint.bodies, [&after[0], &after[1]], STEP);
            rows.iter_mut().for_each(|row| row.error = 0.0);
            rows.extend(joint.joint.spring_rows(joint.bodies, [&before[0], &before[1]], masses, STEP));
            ranges.push(problem.rows.len()..problem.rows.len() + rows.len());
            problem.rows.extend(rows);
        }
        let level = Level::Step { dt: STEP };
        let solution = ImpulseLcp::default().solve(&problem, level, &SolveOptions::default()).expect("valid");
        assert_eq!(solution.outcome, Outcome::Solved, "{}", solution.residual);
        for (joint, range) in self.joints.iter_mut().zip(ranges) {
            joint.load = joint.joint.load(&problem.rows[range.clone()], &solution.rows[range], STEP);
        }
        let after = problem.bodies_after(&solution, level);
        let mut frames: Vec<JointFrame> = Vec::new();
        for (body, state) in self.bodies.iter_mut().zip(&after) {
            (body.velocity, body.angular_velocity) = (state.velocity, state.angular_velocity);
            frames.push(frame(body).after(STEP));
        }
        for joint in &mut self.joints {
            joint.joint.track(joint.bodies.map(|body| &frames[body as usize]));
        }
        let joints: Vec<([u32; 2], Joint)> = self.joints.iter().map(|joint| (joint.bodies, joint.joint)).collect();
        project_joints(&joints, &problem.bodies, &mut frames, 8, 1e-12).expect("valid");
        for (body, frame) in self.bodies.iter_mut().zip(&frames) {
            body.centre = frame.centre;
            body.rotation = Quat::from_mat3(&frame.rotation).normalize();
        }
    }

    fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / STEP).round() as usize {
            self.step();
        }
    }

    /// Runs and returns the times at which the coordinate rises through a value, and the peaks between them with their
    /// times.
    fn watch(&mut self, seconds: f64, middle: f64) -> (Vec<f64>, Vec<(f64, f64)>) {
        let (mut rises, mut peaks) = (Vec::new(), Vec::new());
        let mut last = [self.coordinate() - middle; 2];
        for _ in 0..(seconds / STEP).round() as usize {
            self.step();
            let now = self.coordinate() - middle;
            if last[1] < 0.0 && now >= 0.0 {
                rises.push(self.seconds - STEP * now / (now - last[1]));
            }
            if last[1] > last[0] && last[1] > now {
                // The top of the parabola through three values.
                let [slope, bend] = [0.5 * (now - last[0]), now - 2.0 * last[1] + last[0]];
                peaks.push((self.seconds - STEP * (1.0 + slope / bend), last[1] - 0.5 * slope * slope / bend));
            }
            last = [last[1], now];
        }
        (rises, peaks)
    }
}

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
            // The energy is that of the peaks, where the mass stands.
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
        // 40 kN/m on 1 kg have 1.9 steps in a period: the amplitude of the steps is larger than that of the motion.
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
fn friction_stops_a_ball_joint() {
    for solver in SOLVERS {
        let mut rig = Rig::new(solver, [cube(Vec3::ZERO, 1.0)]);
        rig.join([0, 1], |frames| Joint::ball([None, Some(1)], frames, Vec3::ZERO)?.with_friction(0.01));
        rig.bodies[1].angular_velocity = Vec3::X * 3.0;
        rig.run(1.0);
        // The swing turns around one of the three axes.
        let speed = rig.bodies[1].angular_velocity.length();
        assert!((speed - (3.0 - 0.01 / CUBE_INERTIA)).abs() < 1e-6, "{solver:?}: {speed}");
        rig.run(2.0);
        assert!(rig.bodies[1].angular_velocity.length() < 1e-12, "{solver:?}");
    }
}

/// A pendulum of 1 m on a ball joint with a twist axis that hangs down.
fn pendulum(solver: Solver, bound: impl Fn(Joint) -> Result<Joint, JointError>) -> Rig {
    let mut bob = cube(Vec3::Z * -1.0, 1.0);
    bob.acceleration = Vec3::Z * -GRAVITY;
    let mut rig = Rig::new(solver, [bob]);
    rig.join([0, 1], |frames| bound(Joint::ball_with_axis([None, Some(1)], frames, Vec3::ZERO, -Vec3::Z)?));
    rig
}

/// Turns the pendulum at an angular velocity around its joint.
fn throw(rig: &mut Rig, rate: Vec3) {
    rig.bodies[1].angular_velocity = rate;
    rig.bodies[1].velocity = rate.cross(rig.bodies[1].centre);
}

#[test]
fn a_pendulum_stops_at_its_cone_and_falls_back() {
    for solver in SOLVERS {
        for cone in [1e-3, 0.1, 0.5, 1.5, 3.0] {
            let mut rig = pendulum(solver, |joint| joint.with_cone(cone));
            throw(&mut rig, Vec3::Y * -6.0);
            let mut highest = 0.0_f64;
            for _ in 0..300 {
                rig.step();
                highest = highest.max(rig.swing());
            }
            assert!(highest < cone + 0.02, "{solver:?} {cone}: {highest}");
            assert!(cone > 2.0 || highest > 0.9 * cone, "{solver:?} {cone}: {highest}");
        }
    }
}

#[test]
fn a_pendulum_slides_along_its_cone() {
    for solver in SOLVERS {
        let mut rig = pendulum(solver, |joint| joint.with_cone(0.5));
        throw(&mut rig, Vec3::Y * -6.0);
        rig.run(0.2);
        // It stands at the cone; a push along the rim lets it circle there.
        let side = Vec3::Z.cross(rig.bodies[1].centre.normalize());
        let rate = rig.bodies[1].centre.cross(side.normalize() * 4.0) / rig.bodies[1].centre.length_squared();
        throw(&mut rig, rate);
        // Angular momentum around the vertical axis; the first steps bring it to the rim.
        let momentum = |rig: &Rig| rig.bodies[1].centre.cross(rig.bodies[1].velocity).z;
        rig.run(0.2);
        let start = momentum(&rig);
        for _ in 0..60 {
            rig.step();
            assert!((0.49..0.51).contains(&rig.swing()), "{solver:?}: {}", rig.swing());
        }
        // A body that lost its speed by the angle of each step, 0.14 rad, would have half of it.
        assert!((momentum(&rig) / start - 1.0).abs() < 0.02, "{solver:?}: {start} {}", momentum(&rig));
    }
}

#[test]
fn twist_limits_stop_a_spin_and_leave_the_swing() {
    for solver in SOLVERS {
        for (rate, stop) in [(3.0, 0.5), (-3.0, -0.3)] {
            let mut rig = pendulum(solver, |joint| joint.with_twist([-0.3, 0.5]));
            // The twist axis points down.
            rig.bodies[1].angular_velocity = Vec3::Z * -rate;
            rig.run(1.0);
            assert!((rig.twist() - stop).abs() < 1e-3, "{solver:?} {rate}: {}", rig.twist());
            assert!(rig.bodies[1].angular_velocity.length() < 1e-6, "{solver:?}");
            throw(&mut rig, Vec3::Y * 2.0);
            rig.step();
            assert!((rig.bodies[1].angular_velocity.y - 2.0).abs() < 0.2, "{solver:?}");
        }
    }
}

fn random_frame(random: &mut SplitMix64) -> JointFrame {
    let turn = random.vector(-1.0, 1.0);
    let rotation = Quat::from_xyzw(turn.x, turn.y, turn.z, random.between(-1.0, 1.0)).normalize();
    JointFrame {
        angular_velocity: random.vector(-1.0, 1.0),
        ..JointFrame::at_rest(Vec3::ZERO, Mat3::from_quat(rotation))
    }
}

#[test]
fn rows_of_swing_and_twist_are_derivatives() {
    let mut random = SplitMix64::new(3);
    let mut seen = 0;
    for _ in 0..500 {
        let start = [random_frame(&mut random), random_frame(&mut random)];
        let axis = random.vector(-1.0, 1.0);
        let joint = Joint::ball_with_axis([None, Some(1)], [&start[0], &start[1]], Vec3::ZERO, axis).unwrap();
        let [mut joint, free] = [joint.with_cone(1e-6).unwrap().with_twist([1e-7, 1e-7]).unwrap(), joint];
        let now = [random_frame(&mut random), random_frame(&mut random)];
        joint.track([&now[0], &now[1]]);
        let value = |dt: f64| {
            let moved = now.map(|frame| frame.after(dt));
            [joint.swing([&moved[0], &moved[1]]), joint.twist([&moved[0], &moved[1]])]
        };
        if value(0.0)[0] > 2.7 {
            continue;
        }
        seen += 1;
        let frames = [&now[0], &now[1]];
        let rows = joint.position_rows([0, 1], frames);
        let rows = &rows[free.position_rows([0, 1], frames).len()..];
        assert_eq!(rows.len(), 2);
        for (row, number) in rows.iter().zip([0, 1]) {
            let slope = (value(1e-6)[number] - value(-1e-6)[number]) / 2e-6;
            let rate: f64 = [0, 1].map(|side| row.angular[side].dot(now[side].angular_velocity)).iter().sum();
            // The row of an upper limit has the opposite sign.
            let sign = if row.error < 0.0 && value(0.0)[number] > 0.0 { -1.0 } else { 1.0 };
            assert!((sign * rate - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{number}: {rate} {slope}");
        }
    }
    assert!(seen > 300, "{seen}");
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

#[test]
fn a_cone_of_half_a_turn_and_a_twist_of_none_stay_finite() {
    for solver in SOLVERS {
        for (cone, twist) in [(PI, [-PI, PI]), (1e-300, [0.0, 0.0]), (3.1, [-0.0, 0.0]), (1e-3, [-1e-300, 1e-300])] {
            let mut rig = pendulum(solver, |joint| joint.with_cone(cone)?.with_twist(twist)?.with_friction(1e-3));
            throw(&mut rig, Vec3::new(4.0, -3.0, 9.0));
            for _ in 0..600 {
                rig.step();
                let body = &rig.bodies[1];
                assert!(body.centre.is_finite() && body.velocity.length() < 20.0, "{solver:?} {cone} {twist:?}");
                assert!((body.centre.length() - 1.0).abs() < 0.05, "{solver:?} {cone}: {}", body.centre.length());
            }
        }
    }
}
