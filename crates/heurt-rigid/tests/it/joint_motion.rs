//! Joints in small simulations: a dense KKT solver written here, and a projection of positions after each step.
//!
//! A step: 1. gravity changes the velocities; 2. the rows are solved by an active-set method with Gaussian elimination;
//! 3. bodies fly freely; 4. three Newton steps move the bodies along M⁻¹Jᵀ until the errors of the joints are 0,
//! without a change of velocity.

use heurt_geometry::{Mat3, Motion, Pose, Vec3};
use heurt_rigid::{
    ConstraintRow, FlightForces, FlightState, Joint, JointBodies, JointFrame, Motor, RigidBody, fly, invert_inertia,
    kinetic_energy,
};

const STEP: f64 = 1.0 / 60.0;
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// A cuboid of the given half extents and mass.
#[derive(Clone)]
struct Block {
    mass: f64,
    inertia: Mat3,
    frame: JointFrame,
}

impl Block {
    fn new(mass: f64, half: Vec3, centre: Vec3) -> Self {
        let squares = half * half * (mass / 3.0);
        let moments = Vec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y);
        Self { mass, inertia: Mat3::from_diagonal(moments), frame: JointFrame::at_rest(centre, Mat3::IDENTITY) }
    }

    fn body(&self) -> RigidBody {
        let turn = self.frame.rotation;
        RigidBody {
            inverse_mass: 1.0 / self.mass,
            inverse_inertia: invert_inertia(&(turn * self.inertia * turn.transpose()), [false; 3]).unwrap(),
            velocity: self.frame.velocity,
            angular_velocity: self.frame.angular_velocity,
            ..RigidBody::FIXED
        }
    }

    fn shift(&mut self, shift: Vec3, turn: Vec3) {
        self.frame.centre += shift;
        let start = Pose::from_matrix(self.frame.rotation, Vec3::ZERO).unwrap();
        self.frame.rotation = *Motion::screw(Vec3::ZERO, turn).unwrap().pose_at(&start, 1.0).unwrap().rotation();
    }
}

#[derive(Clone)]
struct Simulation {
    blocks: Vec<Block>,
    joints: Vec<Joint>,
    gravity: Vec3,
    /// The load of each joint in the last step.
    loads: Vec<heurt_rigid::JointLoad>,
}

impl Simulation {
    fn new(blocks: Vec<Block>) -> Self {
        Self { blocks, joints: Vec::new(), gravity: GRAVITY, loads: Vec::new() }
    }

    fn frame(&self, body: Option<u32>) -> &JointFrame {
        body.map_or(&JointFrame::WORLD, |body| &self.blocks[body as usize].frame)
    }

    fn frames(&self, bodies: JointBodies) -> [&JointFrame; 2] {
        bodies.map(|body| self.frame(body))
    }

    /// Indices in the problem: the world is the last body.
    fn indices(&self, bodies: JointBodies) -> [u32; 2] {
        bodies.map(|body| body.unwrap_or(self.blocks.len() as u32))
    }

    fn bodies(&self) -> Vec<RigidBody> {
        self.blocks.iter().map(Block::body).chain([RigidBody::FIXED]).collect()
    }

    fn step(&mut self) {
        for block in &mut self.blocks {
            block.frame.velocity += self.gravity * STEP;
        }
        let step_rows =
            |joint: &Joint| joint.step_rows(self.indices(joint.bodies()), self.frames(joint.bodies()), STEP);
        let rows: Vec<_> = self.joints.iter().map(step_rows).collect();
        let all: Vec<ConstraintRow> = rows.iter().flatten().copied().collect();
        let mut bodies = self.bodies();
        // The drift term removes errors within the step, of equations and of limits that are violated.
        let impulses = solve(&all, &bodies, |row, rate| rate - row.target + row.error / STEP);
        apply(&all, &impulses, &mut bodies);
        let mut begin = 0;
        self.loads.clear();
        for (joint, rows) in self.joints.iter().zip(&rows) {
            self.loads.push(joint.load(rows, &impulses[begin..begin + rows.len()], STEP));
            begin += rows.len();
        }
        for (block, body) in self.blocks.iter_mut().zip(bodies) {
            let state = FlightState {
                rotation: block.frame.rotation,
                inertia: block.inertia,
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
            };
            let flight = fly(&state, &FlightForces::default(), STEP).unwrap();
            block.frame = JointFrame {
                centre: block.frame.centre + flight.velocity * STEP,
                rotation: flight.end_rotation,
                velocity: flight.end_velocity,
                angular_velocity: flight.end_angular_velocity,
            };
        }
        for _ in 0..3 {
            self.project();
        }
        for at in 0..self.joints.len() {
            let mut joint = self.joints[at];
            joint.track(self.frames(joint.bodies()));
            self.joints[at] = joint;
        }
    }

    /// Moves the bodies by one Newton step towards errors of 0.
    fn project(&mut self) {
        let position_rows =
            |joint: &Joint| joint.position_rows(self.indices(joint.bodies()), self.frames(joint.bodies()));
        let rows: Vec<ConstraintRow> = self.joints.iter().flat_map(position_rows).collect();
        let mut bodies = self.bodies();
        for body in &mut bodies {
            (body.velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        }
        let shifts = solve(&rows, &bodies, |row, _| row.error);
        apply(&rows, &shifts, &mut bodies);
        for (block, body) in self.blocks.iter_mut().zip(bodies) {
            block.shift(body.velocity, body.angular_velocity);
        }
    }

    fn largest_error(&self) -> f64 {
        let rows = |joint: &Joint| joint.position_rows(self.indices(joint.bodies()), self.frames(joint.bodies()));
        self.joints.iter().flat_map(rows).map(|row| row.error.abs()).fold(0.0, f64::max)
    }

    fn energy(&self) -> f64 {
        let height = |block: &Block| -self.gravity.dot(block.frame.centre) * block.mass;
        kinetic_energy(&self.bodies()) + self.blocks.iter().map(height).sum::<f64>()
    }

    fn coordinate(&self, joint: usize) -> f64 {
        self.joints[joint].coordinate(self.frames(self.joints[joint].bodies()))
    }

    fn coordinate_rate(&self, joint: usize) -> f64 {
        self.joints[joint].coordinate_rate(self.frames(self.joints[joint].bodies()))
    }
}

fn rate(row: &ConstraintRow, bodies: &[RigidBody]) -> f64 {
    let [a, b] = row.bodies.map(|body| &bodies[body as usize]);
    row.linear.dot(b.velocity - a.velocity)
        + row.angular[0].dot(a.angular_velocity)
        + row.angular[1].dot(b.angular_velocity)
}

fn apply(rows: &[ConstraintRow], impulses: &[f64], bodies: &mut [RigidBody]) {
    for (row, impulse) in rows.iter().zip(impulses) {
        for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let body = &mut bodies[row.bodies[k] as usize];
            body.velocity += row.linear * (sign * impulse * body.inverse_mass);
            body.apply_angular_impulse(row.angular[k] * *impulse);
        }
    }
}

/// Finds impulses within their bounds with lack = 0 where they are free, at least 0 at the lower bound and at most 0 at
/// the upper bound: Murty's least-index pivoting. `lack` of a row is given its rate.
fn solve(rows: &[ConstraintRow], bodies: &[RigidBody], lack: impl Fn(&ConstraintRow, f64) -> f64) -> Vec<f64> {
    let count = rows.len();
    let mut matrix = vec![vec![0.0; count]; count];
    for (column, row) in rows.iter().enumerate() {
        let mut at_rest = bodies.to_vec();
        for body in &mut at_rest {
            (body.velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        }
        apply(std::slice::from_ref(row), &[1.0], &mut at_rest);
        for (line, other) in matrix.iter_mut().zip(rows) {
            line[column] = rate(other, &at_rest);
        }
    }
    let start: Vec<f64> = rows.iter().map(|row| lack(row, rate(row, bodies))).collect();
    // None: free, or the bound at which the impulse is.
    let mut held: Vec<Option<f64>> = rows.iter().map(|row| (row.bounds[0] == 0.0).then_some(0.0)).collect();
    for _ in 0..1000 {
        let impulses = solve_free(&matrix, &start, &held);
        let lacks: Vec<f64> =
            (0..count).map(|i| start[i] + (0..count).map(|j| matrix[i][j] * impulses[j]).sum::<f64>()).collect();
        let wrong = (0..count).find_map(|i| match held[i] {
            None if impulses[i] < rows[i].bounds[0] => Some((i, Some(rows[i].bounds[0]))),
            None if impulses[i] > rows[i].bounds[1] => Some((i, Some(rows[i].bounds[1]))),
            Some(bound) if bound == rows[i].bounds[0] && lacks[i] < -1e-12 => Some((i, None)),
            Some(bound) if bound == rows[i].bounds[1] && lacks[i] > 1e-12 => Some((i, None)),
            _ => None,
        });
        match wrong {
            None => return impulses,
            Some((row, state)) => held[row] = state,
        }
    }
    panic!("no solution within 1000 pivots");
}

/// Solves the free rows by Gaussian elimination with row pivoting; dependent rows get 0.
fn solve_free(matrix: &[Vec<f64>], start: &[f64], held: &[Option<f64>]) -> Vec<f64> {
    let count = start.len();
    let mut system: Vec<Vec<f64>> = Vec::new();
    for i in 0..count {
        let mut line = matrix[i].clone();
        line.push(-start[i]);
        if let Some(bound) = held[i] {
            line = vec![0.0; count + 1];
            (line[i], line[count]) = (1.0, bound);
        }
        system.push(line);
    }
    let mut solution = vec![0.0; count];
    let mut order = Vec::new();
    for column in 0..count {
        let done = order.len();
        let pivot = (done..count).max_by(|i, j| system[*i][column].abs().total_cmp(&system[*j][column].abs())).unwrap();
        if system[pivot][column].abs() < 1e-12 {
            continue;
        }
        system.swap(done, pivot);
        let line = system[done].clone();
        for other in &mut system[done + 1..] {
            let factor = other[column] / line[column];
            other.iter_mut().zip(&line).for_each(|(entry, value)| *entry -= factor * value);
        }
        order.push(column);
    }
    for (line, column) in order.iter().enumerate().rev() {
        let known: f64 = (column + 1..count).map(|k| system[line][k] * solution[k]).sum();
        solution[*column] = (system[line][count] - known) / system[line][*column];
    }
    solution
}

/// Five rods of 1 m in a line along x, held at the origin.
fn chain() -> Simulation {
    let rods = (0..5).map(|k| Block::new(1.0, Vec3::new(0.5, 0.05, 0.05), Vec3::X * (f64::from(k) + 0.5)));
    let mut chain = Simulation::new(rods.collect());
    for k in 0..5_u32 {
        let bodies = [k.checked_sub(1), Some(k)];
        chain.joints.push(Joint::ball(bodies, chain.frames(bodies), Vec3::X * f64::from(k)).unwrap());
    }
    chain
}

#[test]
fn a_chain_of_five_rods_keeps_its_lengths_for_10_s() {
    let mut chain = chain();
    chain.blocks[4].frame.velocity = Vec3::Y * 2.0;
    let (mut largest, mut energies) = (0.0_f64, Vec::new());
    for _ in 0..600 {
        chain.step();
        let mut from = Vec3::ZERO;
        for block in &chain.blocks {
            let end = |side: f64| block.frame.centre + block.frame.rotation * (Vec3::X * side);
            largest = largest.max((end(-0.5) - from).length());
            from = end(0.5);
        }
        energies.push(chain.energy());
    }
    println!("largest gap {largest:e} m, energy {} J to {} J", energies[0], energies[599]);
    assert!(largest < 1e-6, "{largest:e}");
    assert!(energies.iter().all(|energy| energy.is_finite()));
}

#[test]
fn a_chain_that_swings_keeps_its_energy_for_10_s() {
    let rods = (0..5).map(|k| Block::new(1.0, Vec3::new(0.05, 0.05, 0.5), Vec3::Z * -(f64::from(k) + 0.5)));
    let mut chain = Simulation::new(rods.collect());
    for k in 0..5_u32 {
        let bodies = [k.checked_sub(1), Some(k)];
        chain.joints.push(Joint::ball(bodies, chain.frames(bodies), Vec3::Z * -f64::from(k)).unwrap());
    }
    let lowest = chain.energy();
    for (k, block) in chain.blocks.iter_mut().enumerate() {
        block.frame.velocity = Vec3::new(1.0, 0.5, 0.0) * (k as f64 + 0.5);
        block.frame.angular_velocity = Vec3::new(0.5, -1.0, 0.0);
    }
    let before = chain.energy() - lowest;
    let mut energies = Vec::new();
    for _ in 0..600 {
        chain.step();
        energies.push((chain.energy() - lowest) / before);
    }
    let mean = |window: &[f64]| window.iter().sum::<f64>() / window.len() as f64;
    let [first, last] = [mean(&energies[..60]), mean(&energies[540..])];
    println!("energy of the first second {first}, of the last {last}");
    assert!((last / first - 1.0).abs() < 0.02);
}

#[test]
fn a_chain_of_five_distances_keeps_its_lengths_for_10_s() {
    let balls = (0..5).map(|k| Block::new(1.0, Vec3::splat(0.1), Vec3::X * (f64::from(k) + 1.0)));
    let mut chain = Simulation::new(balls.collect());
    for k in 0..5_u32 {
        let bodies = [k.checked_sub(1), Some(k)];
        let points = [Vec3::X * f64::from(k), Vec3::X * (f64::from(k) + 1.0)];
        chain.joints.push(Joint::distance(bodies, chain.frames(bodies), points).unwrap());
    }
    let mut largest = 0.0_f64;
    for _ in 0..600 {
        chain.step();
        let mut from = Vec3::ZERO;
        for block in &chain.blocks {
            largest = largest.max((block.frame.centre.distance(from) - 1.0).abs());
            from = block.frame.centre;
        }
    }
    println!("largest change of length {largest:e} m");
    assert!(largest < 1e-6);
}

#[test]
fn a_pendulum_has_the_period_of_its_length() {
    // A light rod would be a point pendulum; the cube adds its inertia: I = m(ℓ² + (2a)²/6).
    let angle = 0.05;
    let turn = Vec3::new(libm::sin(angle), 0.0, -libm::cos(angle));
    let mut pendulum = Simulation::new(vec![Block::new(2.0, Vec3::splat(0.1), turn)]);
    let bodies = [None, Some(0)];
    pendulum.joints.push(Joint::hinge(bodies, pendulum.frames(bodies), Vec3::ZERO, Vec3::Y).unwrap());
    let mut crossings = Vec::new();
    for step in 0..1200 {
        let before = pendulum.blocks[0].frame.centre.x;
        pendulum.step();
        let after = pendulum.blocks[0].frame.centre.x;
        if before > 0.0 && after <= 0.0 {
            crossings.push((f64::from(step) + before / (before - after)) * STEP);
        }
        assert!(pendulum.blocks[0].frame.centre.y.abs() < 1e-12);
    }
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    let inertia: f64 = 1.0 + 0.04 / 6.0;
    let exact = std::f64::consts::TAU * (inertia / 9.81).sqrt() * (1.0 + angle * angle / 16.0);
    println!("period {period} s, exact {exact} s");
    assert!((period / exact - 1.0).abs() < 2e-3);
}

/// Integrates I·q̈ = axis·(r × m·g) in small steps: the angle of a body on a hinge through the origin.
fn hinge_angle_oracle(block: &Block, axis: Vec3, start_rate: f64, seconds: f64) -> f64 {
    const SMALL: f64 = 1e-4;
    let arm = block.frame.centre;
    let inertia = axis.dot(block.inertia * axis) + block.mass * axis.cross(arm).length_squared();
    let across = axis.cross(arm);
    let along = arm - axis * axis.dot(arm);
    let acceleration = |angle: f64| {
        let turned = along * libm::cos(angle) + across * libm::sin(angle);
        axis.dot(turned.cross(GRAVITY)) * block.mass / inertia
    };
    let (mut angle, mut rate) = (0.0, start_rate);
    for _ in 0..(seconds / SMALL) as usize {
        rate += acceleration(angle) * (0.5 * SMALL);
        angle += rate * SMALL;
        rate += acceleration(angle) * (0.5 * SMALL);
    }
    angle
}

#[test]
fn a_hinge_only_turns_around_its_axis() {
    let axis = Vec3::new(1.0, 0.0, 2.0).normalize();
    let mut door = Simulation::new(vec![Block::new(3.0, Vec3::new(0.5, 0.02, 1.0), Vec3::X * 0.5)]);
    let start = door.blocks[0].clone();
    let bodies = [None, Some(0)];
    door.joints.push(Joint::hinge(bodies, door.frames(bodies), Vec3::ZERO, axis).unwrap());
    let spin = Vec3::new(1.0, 2.0, 3.0);
    door.blocks[0].frame.angular_velocity = spin;
    // The joint keeps the angular momentum along the axis.
    let moment = axis.dot(start.inertia * axis) + start.mass * axis.cross(start.frame.centre).length_squared();
    let rate = axis.dot(start.inertia * spin) / moment;
    for step in 1..=600 {
        door.step();
        assert!(door.largest_error() < 1e-12);
        let carried = door.blocks[0].frame.rotation * axis;
        assert!((carried - axis).length() < 1e-12);
        if step % 60 == 0 {
            let exact = hinge_angle_oracle(&start, axis, rate, f64::from(step) * STEP);
            assert!((door.coordinate(0) - exact).abs() < 0.01, "{step}: {} {exact}", door.coordinate(0));
        }
    }
}

#[test]
fn a_slider_only_slides() {
    // On a slope of 30° without friction: g/2 along the axis.
    let axis = Vec3::new(0.75_f64.sqrt(), 0.0, -0.5);
    let mut sled = Simulation::new(vec![Block::new(3.0, Vec3::new(0.5, 0.2, 0.1), Vec3::new(0.3, 0.1, 1.0))]);
    let bodies = [None, Some(0)];
    sled.joints.push(Joint::slider(bodies, sled.frames(bodies), Vec3::ZERO, axis).unwrap());
    for step in 1..=120 {
        sled.step();
        let frame = sled.blocks[0].frame;
        assert!((frame.rotation - Mat3::IDENTITY).to_cols_array().iter().all(|entry| entry.abs() < 1e-12));
        let speed = 0.5 * 9.81 * f64::from(step) * STEP;
        assert!((frame.velocity - axis * speed).length() < 1e-11, "{}", frame.velocity);
        assert!((sled.coordinate_rate(0) - speed).abs() < 1e-11);
        let moved = frame.centre - Vec3::new(0.3, 0.1, 1.0);
        assert!((moved - axis * sled.coordinate(0)).length() < 1e-12);
    }
}

#[test]
fn a_fixed_joint_holds_and_reports_the_weight() {
    let blocks =
        vec![Block::new(2.0, Vec3::splat(0.5), Vec3::X * 0.5), Block::new(3.0, Vec3::splat(0.5), Vec3::X * 1.5)];
    let mut beam = Simulation::new(blocks);
    for bodies in [[None, Some(0)], [Some(0), Some(1)]] {
        let anchor = Vec3::X * if bodies[0].is_none() { 0.0 } else { 1.0 };
        let joint = Joint::fixed(bodies, beam.frames(bodies), anchor).unwrap();
        beam.joints.push(joint.breaking_at(if bodies[0].is_none() { 49.0 } else { 29.5 }).unwrap());
    }
    for _ in 0..120 {
        beam.step();
        assert!((beam.blocks[1].frame.centre - Vec3::X * 1.5).length() < 1e-12);
    }
    let [wall, middle] = [beam.loads[0], beam.loads[1]];
    assert!((wall.force - Vec3::Z * 49.05).length() < 1e-9, "{wall:?}");
    assert!((middle.force - Vec3::Z * 29.43).length() < 1e-9, "{middle:?}");
    // Torques of a cantilever: gravity at arms of 0.5 m and 1.5 m from the wall, 0.5 m from the middle.
    assert!((wall.torque - Vec3::Y * -(2.0 * 0.5 + 3.0 * 1.5) * 9.81).length() < 1e-9, "{wall:?}");
    assert!((middle.torque - Vec3::Y * -3.0 * 0.5 * 9.81).length() < 1e-9, "{middle:?}");
    assert!(beam.joints[0].is_broken_by(&wall) && !beam.joints[1].is_broken_by(&middle));
}

#[test]
fn a_motor_reaches_its_velocity_and_not_more_than_its_force() {
    let wheel = |max_force: f64| {
        let mut wheel = Simulation::new(vec![Block::new(3.0, Vec3::new(0.5, 0.5, 0.1), Vec3::ZERO)]);
        let bodies = [None, Some(0)];
        let hinge = Joint::hinge(bodies, wheel.frames(bodies), Vec3::ZERO, Vec3::Z).unwrap();
        wheel.joints.push(hinge.with_motor(Motor { velocity: 4.0, max_force }).unwrap());
        wheel
    };
    // I = m(0.25 + 0.25)/3 = 0.5 kg·m²: 2 N·m accelerate by 4 rad/s².
    let mut slow = wheel(2.0);
    for step in 1..=120 {
        slow.step();
        let expected = (4.0 * f64::from(step) * STEP).min(4.0);
        assert!((slow.coordinate_rate(0) - expected).abs() < 1e-12, "{step}");
    }
    assert!((slow.coordinate(0) - 6.0).abs() < 0.05, "½·4·1² rad, then 4 rad: turns are counted");
    let mut strong = wheel(1e6);
    strong.step();
    assert!((strong.coordinate_rate(0) - 4.0).abs() < 1e-12);
    // A lift: a motor of 50 N does not lift 6 kg, one of 70 N does.
    for (max_force, speed) in [(50.0, None), (70.0, Some(0.5))] {
        let mut lift = Simulation::new(vec![Block::new(6.0, Vec3::splat(0.5), Vec3::ZERO)]);
        let bodies = [None, Some(0)];
        let slider = Joint::slider(bodies, lift.frames(bodies), Vec3::ZERO, Vec3::Z).unwrap();
        lift.joints.push(slider.with_motor(Motor { velocity: 0.5, max_force }).unwrap());
        for _ in 0..60 {
            lift.step();
        }
        let expected = speed.unwrap_or(-9.81 + 50.0 / 6.0);
        assert!((lift.coordinate_rate(0) - expected).abs() < 1e-10, "{}", lift.coordinate_rate(0));
    }
}

#[test]
fn limits_hold() {
    // A pendulum falls from the horizontal and stops at 1 rad; a slider falls and stops after 0.3 m.
    let mut pendulum = Simulation::new(vec![Block::new(1.0, Vec3::splat(0.1), Vec3::X)]);
    let bodies = [None, Some(0)];
    let hinge = Joint::hinge(bodies, pendulum.frames(bodies), Vec3::ZERO, Vec3::Y).unwrap();
    pendulum.joints.push(hinge.with_limits([-0.5, 1.0]).unwrap());
    let mut slider = Simulation::new(vec![Block::new(1.0, Vec3::splat(0.1), Vec3::X)]);
    let lift = Joint::slider(bodies, slider.frames(bodies), Vec3::ZERO, Vec3::Z).unwrap();
    slider.joints.push(lift.with_limits([-0.3, 0.1]).unwrap());
    for _ in 0..300 {
        pendulum.step();
        slider.step();
        assert!((-0.5 - 1e-12..1.0 + 1e-12).contains(&pendulum.coordinate(0)), "{}", pendulum.coordinate(0));
        assert!((-0.3 - 1e-12..0.1 + 1e-12).contains(&slider.coordinate(0)), "{}", slider.coordinate(0));
    }
    assert!((pendulum.coordinate(0) - 1.0).abs() < 1e-9 && pendulum.coordinate_rate(0).abs() < 1e-9);
    assert!((slider.coordinate(0) + 0.3).abs() < 1e-9 && slider.coordinate_rate(0).abs() < 1e-9);
    assert!((slider.loads[0].force - Vec3::Z * 9.81).length() < 1e-9, "the limit carries the weight");
}

#[test]
fn a_rope_is_slack_and_then_holds() {
    let mut rope = Simulation::new(vec![Block::new(1.0, Vec3::splat(0.1), Vec3::Z * -0.5)]);
    let bodies = [None, Some(0)];
    let distance = Joint::distance(bodies, rope.frames(bodies), [Vec3::ZERO, Vec3::Z * -0.5]).unwrap();
    rope.joints.push(distance.with_limits([0.0, 2.0]).unwrap());
    for step in 1..=120 {
        rope.step();
        assert!(rope.coordinate(0) <= 2.0 + 1e-12);
        if step == 15 {
            let speed = rope.blocks[0].frame.velocity.z;
            assert!((speed + 9.81 * 15.0 * STEP).abs() < 1e-12, "free fall: {speed}");
        }
    }
    assert!((rope.coordinate(0) - 2.0).abs() < 1e-9);
}

#[test]
fn joints_of_free_bodies_keep_momentum() {
    let mut chain = chain();
    chain.joints.remove(0);
    chain.gravity = Vec3::ZERO;
    chain.blocks[2].frame.velocity = Vec3::new(0.5, 2.0, -1.0);
    chain.blocks[0].frame.angular_velocity = Vec3::new(0.0, 1.0, 3.0);
    let sums = |chain: &Simulation| {
        let centres: Vec<Vec3> = chain.blocks.iter().map(|block| block.frame.centre).collect();
        let bodies = chain.bodies();
        (heurt_rigid::total_momentum(&bodies), heurt_rigid::total_angular_momentum(&bodies[..5], &centres))
    };
    let before = sums(&chain);
    let energy = chain.energy();
    for _ in 0..300 {
        chain.step();
    }
    let after = sums(&chain);
    println!("momentum {:e}, angular {:e}", (after.0 - before.0).length(), (after.1 - before.1).length());
    assert!((after.0 - before.0).length() < 1e-12);
    assert!(chain.energy() <= energy * 1.05);
}
