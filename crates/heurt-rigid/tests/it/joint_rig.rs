//! Bodies with joints, stepped by either solver.
//!
//! A step of the exact solver: rows of joints with the velocities after the free acceleration, rows of springs with
//! those before it, a solution by `ImpulseLcp`, a flight at constant velocities, a projection of positions.

use heurt_geometry::{Mat3, Quat, Vec3};
use heurt_rigid::soft_step::{SoftStep, SoftStepSettings, StepBody, StepJoint};
use heurt_rigid::{
    ContactProblem, ContactSolver, ImpulseLcp, Joint, JointError, JointFrame, Level, Outcome, RigidBody, SolveOptions,
    StepShare, project_joints,
};

pub const STEP: f64 = 1.0 / 60.0;
pub const GRAVITY: f64 = 9.81;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Solver {
    Exact,
    Soft,
}

pub const SOLVERS: [Solver; 2] = [Solver::Exact, Solver::Soft];

/// Bodies with joints; body 0 is the world.
pub struct Rig {
    pub solver: Solver,
    soft: SoftStep,
    pub bodies: Vec<StepBody>,
    pub joints: Vec<StepJoint>,
    seconds: f64,
}

pub fn frame(body: &StepBody) -> JointFrame {
    JointFrame {
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
        ..JointFrame::at_rest(body.centre, Mat3::from_quat(body.rotation))
    }
}

/// A box of a mass without gravity.
pub fn block(centre: Vec3, half: Vec3, mass: f64) -> StepBody {
    let square = half * half * 4.0;
    let inertia = Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y) * (mass / 12.0);
    StepBody::movable(centre, mass, Mat3::from_diagonal(inertia))
}

pub fn cube(centre: Vec3, mass: f64) -> StepBody {
    block(centre, Vec3::splat(0.1), mass)
}

/// The inertia of `cube` of 1 kg.
pub const CUBE_INERTIA: f64 = 0.08 / 12.0;

impl Rig {
    pub fn new(solver: Solver, bodies: impl IntoIterator<Item = StepBody>) -> Self {
        let bodies = [StepBody::FIXED].into_iter().chain(bodies).collect();
        let soft = SoftStep::new(SoftStepSettings::default());
        Self { solver, soft, bodies, joints: Vec::new(), seconds: 0.0 }
    }

    pub fn join(&mut self, ends: [u32; 2], make: impl Fn([&JointFrame; 2]) -> Result<Joint, JointError>) {
        let frames = ends.map(|end| frame(&self.bodies[end as usize]));
        let joint = make([&frames[0], &frames[1]]).expect("a valid joint");
        self.joints.push(StepJoint::new(ends, joint));
    }

    pub fn frames(&self, joint: usize) -> [JointFrame; 2] {
        self.joints[joint].bodies.map(|body| frame(&self.bodies[body as usize]))
    }

    pub fn coordinate(&self) -> f64 {
        let [a, b] = self.frames(0);
        self.joints[0].joint.coordinate([&a, &b])
    }

    pub fn rate(&self) -> f64 {
        let [a, b] = self.frames(0);
        self.joints[0].joint.coordinate_rate([&a, &b])
    }

    pub fn swing(&self) -> f64 {
        let [a, b] = self.frames(0);
        self.joints[0].joint.swing([&a, &b])
    }

    pub fn twist(&self) -> f64 {
        let [a, b] = self.frames(0);
        self.joints[0].joint.twist([&a, &b])
    }

    pub fn step(&mut self) {
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
            rows.extend(joint.joint.spring_rows(
                joint.bodies,
                [&before[0], &before[1]],
                masses,
                STEP,
                StepShare::Whole,
            ));
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

    pub fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / STEP).round() as usize {
            self.step();
        }
    }

    /// Runs and returns the times at which the coordinate rises through a value, and the peaks between them with their
    /// times.
    pub fn watch(&mut self, seconds: f64, middle: f64) -> (Vec<f64>, Vec<(f64, f64)>) {
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
