//! Free flight: energy, momentum, half-periods, damping, locked axes, hostile input.

use heurt_geometry::{Mat3, Motion, Pose, SplitMix64, Vec3};
use heurt_rigid::{FlightError, FlightForces, FlightState, LockedAxes, RotationMethod, fly};

const STEP: f64 = 1.0 / 60.0;

fn state(inertia: Mat3, angular_velocity: Vec3) -> FlightState {
    FlightState { rotation: Mat3::IDENTITY, inertia, velocity: Vec3::ZERO, angular_velocity }
}

fn wing_nut() -> FlightState {
    state(Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0)), Vec3::new(0.5, 5.0, 0.5))
}

fn advance(state: &mut FlightState, forces: &FlightForces, dt: f64) -> RotationMethod {
    let flight = fly(state, forces, dt).unwrap();
    // The rotation is taken from the motion, as a world does.
    let start = Pose::from_matrix(state.rotation, Vec3::ZERO).unwrap();
    let end = Motion::screw(Vec3::ZERO, flight.rate).unwrap().pose_at(&start, dt).unwrap();
    assert_eq!(*end.rotation(), flight.end_rotation);
    state.rotation = *end.rotation();
    state.velocity = flight.end_velocity;
    state.angular_velocity = flight.end_angular_velocity;
    flight.method
}

fn momentum(state: &FlightState) -> Vec3 {
    state.rotation * (state.inertia * (state.rotation.transpose() * state.angular_velocity))
}

fn energy(state: &FlightState) -> f64 {
    0.5 * state.angular_velocity.dot(momentum(state))
}

/// A random inertia of positive masses, not along the axes.
fn random_inertia(random: &mut SplitMix64) -> Mat3 {
    let axes = random_rotation(random);
    let moments = random.vector(0.1, 2.0);
    let inertia = Vec3::new(moments.y + moments.z, moments.z + moments.x, moments.x + moments.y);
    axes * Mat3::from_diagonal(inertia) * axes.transpose()
}

fn random_rotation(random: &mut SplitMix64) -> Mat3 {
    let motion = Motion::screw(Vec3::ZERO, random.vector(-3.0, 3.0)).unwrap();
    *motion.pose_at(&Pose::IDENTITY, 1.0).unwrap().rotation()
}

/// Integrates Euler's equations with Runge and Kutta's rule in many small steps, in body axes; an oracle.
fn reference_flip_times(moments: Vec3, spin: Vec3, seconds: f64) -> Vec<f64> {
    let change = |w: Vec3| {
        Vec3::new(
            (moments.y - moments.z) * w.y * w.z / moments.x,
            (moments.z - moments.x) * w.z * w.x / moments.y,
            (moments.x - moments.y) * w.x * w.y / moments.z,
        )
    };
    let dt = 1e-4;
    let (mut w, mut times) = (spin, Vec::new());
    for step in 0..(seconds / dt) as usize {
        let k1 = change(w);
        let k2 = change(w + k1 * (0.5 * dt));
        let k3 = change(w + k2 * (0.5 * dt));
        let k4 = change(w + k3 * dt);
        let next = w + (k1 + (k2 + k3) * 2.0 + k4) * (dt / 6.0);
        if w.y * next.y < 0.0 {
            times.push((step as f64 + w.y / (w.y - next.y)) * dt);
        }
        w = next;
    }
    times
}

#[test]
fn the_wing_nut_flips_in_its_half_period_and_keeps_energy_for_60_s() {
    let mut nut = wing_nut();
    let [energy_before, momentum_before] = [energy(&nut), momentum(&nut).length()];
    let vector_before = momentum(&nut);
    let mut flips = Vec::new();
    let body_rate = |nut: &FlightState| (nut.rotation.transpose() * nut.angular_velocity).y;
    for step in 0..3600 {
        let before = body_rate(&nut);
        advance(&mut nut, &FlightForces::default(), STEP);
        let after = body_rate(&nut);
        if before * after < 0.0 {
            flips.push((f64::from(step) + before / (before - after)) * STEP);
        }
        assert!((energy(&nut) / energy_before - 1.0).abs() < 1e-12, "step {step}");
        assert!((momentum(&nut) - vector_before).length() < 1e-12 * momentum_before, "step {step}");
    }
    let half_period = (flips[flips.len() - 1] - flips[0]) / (flips.len() - 1) as f64;
    println!("half-period {half_period}, {} flips", flips.len());
    assert_eq!(flips.len(), 26);
    assert!((half_period / 2.29963 - 1.0).abs() < 1e-3, "{half_period}");
    let reference = reference_flip_times(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.5, 5.0, 0.5), 12.0);
    assert!((reference[1] - reference[0] - 2.29963).abs() < 1e-4);
    assert!((flips[4] - reference[4]).abs() < 0.03, "{} {}", flips[4], reference[4]);
}

#[test]
fn an_hour_of_tumbling_keeps_energy_and_momentum() {
    let mut nut = wing_nut();
    let (energy_before, momentum_before) = (energy(&nut), momentum(&nut));
    for _ in 0..216_000 {
        advance(&mut nut, &FlightForces::default(), STEP);
    }
    let energy_change = energy(&nut) / energy_before - 1.0;
    let momentum_change = (momentum(&nut) - momentum_before).length() / momentum_before.length();
    println!("after an hour: energy {energy_change:e}, momentum {momentum_change:e}");
    assert!(energy_change.abs() < 1e-10 && momentum_change < 1e-10);
}

#[test]
fn any_body_at_any_rate_keeps_energy_and_momentum() {
    let mut random = SplitMix64::new(36);
    let mut methods = [0; 4];
    for case in 0..400 {
        let mut body = state(random_inertia(&mut random), Vec3::ZERO);
        body.rotation = random_rotation(&mut random);
        // From 1e-3 to 1e10 rad/s.
        let rate = libm::pow(10.0, random.between(-3.0, 10.0));
        body.angular_velocity = random.vector(-1.0, 1.0) * rate;
        let (energy_before, momentum_before) = (energy(&body), momentum(&body));
        for _ in 0..20 {
            let method = advance(&mut body, &FlightForces::default(), STEP);
            methods[match method {
                RotationMethod::Steady => 0,
                RotationMethod::Midpoint { pieces: 1 } => 1,
                RotationMethod::Midpoint { .. } => 2,
                _ => 3,
            }] += 1;
        }
        assert!((energy(&body) / energy_before - 1.0).abs() < 1e-12, "case {case}, {rate} rad/s");
        let change = (momentum(&body) - momentum_before).length() / momentum_before.length();
        assert!(change < 1e-12, "case {case}, {rate} rad/s: {change:e}");
    }
    println!("steady, one piece, several, fallback: {methods:?}");
    assert!(methods[1] > 0 && methods[2] > 0 && methods[3] > 0);
}

#[test]
fn many_pieces_lead_to_the_pose_of_short_steps() {
    let mut random = SplitMix64::new(5);
    for case in 0..50 {
        let mut fast = state(random_inertia(&mut random), random.vector(-200.0, 200.0));
        let mut fine = fast;
        advance(&mut fast, &FlightForces::default(), STEP);
        for _ in 0..4000 {
            advance(&mut fine, &FlightForces::default(), STEP / 4000.0);
        }
        let off = (fast.rotation.x_axis - fine.rotation.x_axis).length();
        assert!(off < 0.03, "case {case}: {off}");
    }
}

#[test]
fn the_error_of_the_rotation_falls_with_the_square_of_the_step() {
    let end = |steps: u32| {
        let mut nut = wing_nut();
        for _ in 0..steps {
            advance(&mut nut, &FlightForces::default(), 1.0 / f64::from(steps));
        }
        nut.rotation
    };
    let exact = end(20_000);
    let error = |steps| (end(steps) - exact).to_cols_array().iter().fold(0.0, |most: f64, e| most.max(e.abs()));
    // One piece per step in both.
    let ratio = error(100) / error(200);
    assert!((3.6..4.4).contains(&ratio), "{ratio}");
}

#[test]
fn a_wheel_rotates_by_its_rate_exactly() {
    for spin in [1.0, 60.0, 500.0, 1e4] {
        let wheel = state(Mat3::from_diagonal(Vec3::new(1.0, 1.0, 1.8)), Vec3::Z * spin);
        let flight = fly(&wheel, &FlightForces::default(), STEP).unwrap();
        assert!((flight.rate - Vec3::Z * spin).length() <= 1e-15 * spin);
        assert_eq!(flight.method, RotationMethod::Steady);
    }
}

#[test]
fn a_thrown_body_follows_its_parabola_bit_for_bit() {
    let mut ball = state(Mat3::IDENTITY, Vec3::ZERO);
    ball.velocity = Vec3::new(1.0, 2.0, 3.0);
    let forces = FlightForces { acceleration: Vec3::Z * -9.81, ..FlightForces::default() };
    let flight = fly(&ball, &forces, 0.25).unwrap();
    assert_eq!((flight.velocity, flight.acceleration), (ball.velocity, forces.acceleration));
    assert_eq!(flight.end_velocity, ball.velocity + forces.acceleration * 0.25);
    assert_eq!((flight.rate, flight.end_angular_velocity), (Vec3::ZERO, Vec3::ZERO));
}

#[test]
fn damping_is_exponential_and_a_body_reaches_its_terminal_velocity() {
    let mut body = wing_nut();
    body.velocity = Vec3::new(3.0, 0.0, 0.0);
    let gravity = Vec3::Z * -10.0;
    for (damping, dt) in [(1e-9, 0.5), (1e-4, 0.5), (0.3, 0.5), (4.0, 0.5), (200.0, 0.5)] {
        let forces = FlightForces {
            acceleration: gravity,
            linear_damping: damping,
            angular_damping: damping,
            ..FlightForces::default()
        };
        let flight = fly(&body, &forces, dt).unwrap();
        let kept = libm::exp(-damping * dt);
        let exact = body.velocity * kept + gravity * ((1.0 - kept) / damping);
        // 1 − kept cancels in this formula at small damping.
        let tolerance = if damping < 1e-6 { 1e-6 } else { 1e-11 };
        assert!((flight.end_velocity - exact).length() < tolerance, "{damping}");
        let at_end = flight.velocity + flight.acceleration * dt;
        assert!((at_end - flight.end_velocity).length() < 1e-13 * (1.0 + at_end.length()));
        let moved = flight.velocity * dt + flight.acceleration * (0.5 * dt * dt);
        let exact_x = 3.0 * (1.0 - kept) / damping;
        assert!((moved.x - exact_x).abs() < tolerance, "{damping}");
        assert!(flight.velocity.x <= 3.0);
        let mut end = body;
        (end.rotation, end.angular_velocity) = (flight.end_rotation, flight.end_angular_velocity);
        assert!((energy(&end) / (energy(&body) * kept * kept) - 1.0).abs() < 1e-9, "{damping}");
    }
}

#[test]
fn energy_only_falls_with_damping_at_any_rate() {
    let mut random = SplitMix64::new(77);
    for _ in 0..100 {
        let mut body = state(random_inertia(&mut random), random.vector(-300.0, 300.0));
        body.velocity = random.vector(-50.0, 50.0);
        let forces = FlightForces {
            linear_damping: random.between(0.0, 100.0),
            angular_damping: random.between(0.0, 100.0),
            ..FlightForces::default()
        };
        for _ in 0..20 {
            let before = (energy(&body), body.velocity.length());
            advance(&mut body, &forces, STEP);
            assert!(energy(&body) <= before.0 * (1.0 + 1e-14));
            assert!(body.velocity.length() <= before.1);
        }
    }
}

#[test]
fn a_constant_torque_changes_the_momentum_by_its_impulse() {
    let mut random = SplitMix64::new(3);
    for _ in 0..50 {
        let mut body = state(random_inertia(&mut random), random.vector(-5.0, 5.0));
        let (torque, before) = (random.vector(-4.0, 4.0), momentum(&body));
        for _ in 0..60 {
            advance(&mut body, &FlightForces { torque, ..FlightForces::default() }, STEP);
        }
        assert!((momentum(&body) - before - torque).length() < 1e-12 * (1.0 + before.length()));
    }
    // The work of a torque on a fixed axis: ½·I·ω² after 1 s.
    let mut wheel = state(Mat3::from_diagonal(Vec3::new(1.0, 1.0, 2.0)), Vec3::ZERO);
    for _ in 0..60 {
        advance(&mut wheel, &FlightForces { torque: Vec3::Z * 6.0, ..FlightForces::default() }, STEP);
    }
    assert!((wheel.angular_velocity - Vec3::Z * 3.0).length() < 1e-12);
    // 1.5 rad: the parabola of the angle.
    assert!((wheel.rotation.x_axis - Vec3::new(libm::cos(1.5), libm::sin(1.5), 0.0)).length() < 1e-12);
}

#[test]
fn locked_axes_stay_locked_and_keep_energy() {
    let mut random = SplitMix64::new(12);
    for case in 0..60_u32 {
        let locked = LockedAxes {
            translation: [0, 1, 2].map(|axis| case >> axis & 1 == 1),
            rotation: [3, 4, 5].map(|axis| case >> axis & 1 == 1),
        };
        let forces = FlightForces { acceleration: Vec3::ONE, locked, ..FlightForces::default() };
        let mut body = state(random_inertia(&mut random), random.vector(-5.0, 5.0));
        body.angular_velocity = locked.clear_rotation(body.angular_velocity);
        let (energy_before, momentum_before) = (energy(&body), locked.clear_rotation(momentum(&body)));
        for _ in 0..60 {
            advance(&mut body, &forces, STEP);
        }
        for axis in 0..3 {
            let expected = if locked.translation[axis] { 0.0 } else { 1.0 };
            assert!((body.velocity[axis] - expected).abs() < 1e-12);
            assert!(!locked.rotation[axis] || body.angular_velocity[axis] == 0.0);
        }
        let change = (energy(&body) - energy_before).abs() / energy_before.max(1e-300);
        assert!(change < 1e-11, "case {case}: {change:e}");
        let drift = (locked.clear_rotation(momentum(&body)) - momentum_before).length();
        assert!(drift <= 1e-2 * momentum_before.length() + 1e-12, "case {case}: {drift:e}");
    }
}

#[test]
fn numbers_that_are_no_flight_are_refused() {
    let none = FlightForces::default();
    let bad = |change: &dyn Fn(&mut FlightState, &mut FlightForces)| {
        let (mut state, mut forces) = (wing_nut(), none);
        change(&mut state, &mut forces);
        fly(&state, &forces, STEP).unwrap_err()
    };
    for value in [f64::NAN, f64::INFINITY] {
        let not_finite = |error: FlightError, name: &str| {
            assert!(matches!(error, FlightError::NotFinite { field, .. } if field == name), "{error}");
        };
        not_finite(bad(&|state, _| state.velocity.y = value), "velocity");
        not_finite(bad(&|state, _| state.angular_velocity.y = value), "angular_velocity");
        not_finite(bad(&|_, forces| forces.torque.y = value), "torque");
        not_finite(bad(&|_, forces| forces.acceleration.y = value), "acceleration");
        not_finite(bad(&|_, forces| forces.linear_damping = value), "linear_damping");
        not_finite(bad(&|_, forces| forces.angular_damping = value), "angular_damping");
        assert!(matches!(bad(&|state, _| state.inertia.y_axis.y = value), FlightError::Inertia(_)));
        assert!(matches!(bad(&|state, _| state.rotation.y_axis.y = value), FlightError::Rotation(_)));
    }
    assert!(matches!(bad(&|_, forces| forces.linear_damping = -1.0), FlightError::Damping { .. }));
    assert!(matches!(bad(&|state, _| state.inertia = Mat3::ZERO), FlightError::Inertia(_)));
    assert!(matches!(bad(&|state, _| state.inertia.x_axis.x = -1.0), FlightError::Inertia(_)));
    assert!(matches!(bad(&|state, _| state.inertia.x_axis.y = 0.5), FlightError::Inertia(_)));
    assert!(matches!(bad(&|state, _| state.rotation = Mat3::IDENTITY * 2.0), FlightError::Rotation(_)));
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(fly(&wing_nut(), &none, dt), Err(FlightError::Duration(_))));
    }
}

#[test]
fn absurd_numbers_give_finite_results_or_errors() {
    let mut random = SplitMix64::new(9);
    let mut flown = 0;
    for case in 0..4000 {
        let magnitude = |random: &mut SplitMix64| libm::pow(10.0, random.between(-320.0, 308.0));
        let mild = |random: &mut SplitMix64| libm::pow(10.0, random.between(-60.0, 60.0));
        let pick = |random: &mut SplitMix64| if case % 2 == 0 { magnitude(random) } else { mild(random) };
        let body = FlightState {
            rotation: random_rotation(&mut random),
            inertia: random_inertia(&mut random) * pick(&mut random),
            velocity: random.vector(-1.0, 1.0) * pick(&mut random),
            angular_velocity: random.vector(-1.0, 1.0) * pick(&mut random),
        };
        let forces = FlightForces {
            acceleration: random.vector(-1.0, 1.0) * pick(&mut random),
            torque: random.vector(-1.0, 1.0) * pick(&mut random),
            linear_damping: pick(&mut random),
            angular_damping: pick(&mut random),
            locked: LockedAxes { translation: [false; 3], rotation: [case % 3 == 0, case % 5 == 0, false] },
        };
        if let Ok(flight) = fly(&body, &forces, pick(&mut random)) {
            flown += 1;
            let finite = [flight.velocity, flight.acceleration, flight.rate, flight.end_velocity];
            assert!(finite.iter().all(|vector| vector.is_finite()) && flight.end_angular_velocity.is_finite());
            assert!(flight.end_rotation.is_finite());
        }
    }
    println!("{flown} of 4000 flown");
    assert!(flown > 1000);
    let fast = state(Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0)), Vec3::new(1e9, 1e9, 1e9));
    assert_eq!(fly(&fast, &FlightForces::default(), STEP).unwrap().method, RotationMethod::Precession);
}
