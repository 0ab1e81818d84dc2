//! Tests of joints in the soft step: pendulums, chains, limits, motors, loads, joints with contacts.

#[allow(dead_code)]
mod soft_step_scene;

use heurt_geometry::{Mat3, Quat, Vec3};
use heurt_rigid::soft_step::{SoftStepSettings, StepBody, StepJoint};
use heurt_rigid::{Joint, JointFrame, Motor};
use soft_step_scene::{GRAVITY, RATE, Scene, Touch, ball, cuboid};

fn scene() -> Scene {
    let mut scene = Scene::new(SoftStepSettings::default());
    scene.add_body(StepBody::FIXED);
    scene
}

/// The largest error of a joint, and the lowest and the highest energy relative to the start.
#[derive(Debug)]
struct Course {
    error: f64,
    energy: [f64; 2],
}

/// Runs a scene and watches it after each step.
fn watch(scene: &mut Scene, seconds: f64) -> Course {
    let start = scene.energy();
    let mut course = Course { error: 0.0, energy: [0.0; 2] };
    for _ in 0..(seconds * RATE).round() as usize {
        scene.step();
        let change = scene.energy() - start;
        course.error = course.error.max(scene.largest_error());
        course.energy = [course.energy[0].min(change), course.energy[1].max(change)];
    }
    course
}

/// Adds a chain of boxes along a direction, from the world at the origin.
fn add_chain(scene: &mut Scene, count: u32, link: f64, direction: Vec3, mass: impl Fn(u32) -> f64) {
    let half = direction.abs() * (0.5 * link - 0.05) + 0.05;
    for i in 0..count {
        let place = direction * (link * (f64::from(i) + 0.5));
        let body = scene.add_body(cuboid(place, half, mass(i)));
        scene.join([body - 1, body], |frames| {
            Joint::ball([Some(0), Some(1)], frames, direction * (link * f64::from(i)))
        });
    }
}

#[test]
fn a_pendulum_keeps_its_length_and_its_energy() {
    let mut scene = scene();
    scene.add_body(ball(Vec3::X, 0.1, 1.0));
    scene.join([0, 1], |frames| Joint::ball([None, Some(1)], frames, Vec3::ZERO));
    let course = watch(&mut scene, 10.0);
    println!("pendulum {course:?}");
}

#[test]
fn a_spinning_box_on_a_ball_joint_keeps_its_energy() {
    let mut scene = scene();
    let mut body = cuboid(Vec3::new(0.8, 0.0, -0.6), Vec3::new(0.3, 0.1, 0.05), 1.0);
    body.angular_velocity = Vec3::new(1.0, 2.0, 3.0);
    body.velocity = body.angular_velocity.cross(body.centre);
    scene.add_body(body);
    scene.join([0, 1], |frames| Joint::ball([None, Some(1)], frames, Vec3::ZERO));
    let course = watch(&mut scene, 10.0);
    println!("box pendulum {course:?}");
}

#[test]
fn a_hanging_chain_of_20_stays_closed() {
    let mut scene = scene();
    add_chain(&mut scene, 20, 0.5, -Vec3::Z, |_| 1.0);
    let course = watch(&mut scene, 10.0);
    println!("hanging chain {course:?} end {} load {:?}", scene.largest_error(), scene.joints[0].load);
}

#[test]
fn a_falling_chain_of_20_stays_closed() {
    let mut scene = scene();
    add_chain(&mut scene, 20, 0.5, Vec3::X, |_| 1.0);
    let course = watch(&mut scene, 10.0);
    println!("falling chain {course:?} end {}", scene.largest_error());
}

#[test]
fn a_chain_carries_ten_times_the_mass_of_a_link() {
    let mut scene = scene();
    add_chain(&mut scene, 10, 0.5, -Vec3::Z, |i| if i == 9 { 10.0 } else { 1.0 });
    let course = watch(&mut scene, 10.0);
    println!("heavy chain {course:?} end {} load {:?}", scene.largest_error(), scene.joints[0].load);
}

/// Adds a door of 1 m on a hinge along Y; its coordinate grows as the door falls.
fn add_flap(scene: &mut Scene, limits: [f64; 2]) {
    scene.add_body(cuboid(Vec3::X * 0.5, Vec3::new(0.5, 0.3, 0.02), 2.0));
    scene.join([0, 1], |frames| Joint::hinge([None, Some(1)], frames, Vec3::ZERO, Vec3::Y)?.with_limits(limits));
}

#[test]
fn a_hinge_stops_at_its_limit() {
    let mut scene = scene();
    add_flap(&mut scene, [-0.5, 0.7]);
    let mut highest = 0.0_f64;
    let mut error = 0.0_f64;
    for _ in 0..300 {
        scene.step();
        highest = highest.max(scene.coordinate(0));
        error = error.max(scene.error(0));
    }
    println!(
        "limit: beyond {:.3e} end {:.3e} error {error:.3e} w {} load {:?}",
        highest - 0.7,
        scene.coordinate(0) - 0.7,
        scene.bodies[1].angular_velocity,
        scene.joints[0].load
    );
}

#[test]
fn limits_without_a_gap_lock_a_hinge() {
    let mut scene = scene();
    add_flap(&mut scene, [0.0, 0.0]);
    let course = watch(&mut scene, 5.0);
    println!("locked hinge {course:?} {}", scene.coordinate(0));
}

#[test]
fn a_motor_reaches_its_speed_with_its_torque() {
    let mut scene = scene();
    let mut wheel = cuboid(Vec3::ZERO, Vec3::new(0.5, 0.1, 0.5), 3.0);
    wheel.acceleration = Vec3::ZERO;
    scene.add_body(wheel);
    let motor = Motor { velocity: 20.0, max_force: 4.0 };
    scene.join([0, 1], |frames| Joint::hinge([None, Some(1)], frames, Vec3::ZERO, Vec3::Y)?.with_motor(motor));
    // The inertia is 3·(1 + 1)/12 = 0.5 kg·m², so the wheel gains 8 rad/s in a second.
    for step in 1..=600 {
        scene.step();
        let expected = (8.0 * f64::from(step) / RATE).min(20.0);
        let speed = scene.bodies[1].angular_velocity.y;
        assert!((speed - expected).abs() < 1e-9, "step {step}: {speed}");
        let torque = scene.joints[0].load.torque;
        assert!(torque.length() <= 4.0 * (1.0 + 1e-12), "step {step}: {torque}");
    }
    // 25 rad until 2.5 s, then 20 rad/s for 7.5 s.
    println!("turns {}", scene.coordinate(0) - 175.0);
}

#[test]
fn a_motor_lifts_what_its_torque_can_carry() {
    for (max_force, is_lifted) in [(9.0, false), (11.0, true)] {
        let mut scene = scene();
        add_flap(&mut scene, [-1.0, 1.0]);
        // The weight has a moment of 2 kg · g · 0.5 m = 9.81 N·m around the hinge.
        let motor = Motor { velocity: -1.0, max_force };
        scene.joints[0].joint = scene.joints[0].joint.with_motor(motor).expect("a valid motor");
        for _ in 0..300 {
            scene.step();
        }
        println!("motor {max_force}: {} {}", scene.coordinate(0), scene.error(0));
        assert_eq!(scene.coordinate(0) < 0.0, is_lifted);
    }
}

#[test]
fn a_slider_falls_along_its_axis() {
    let mut scene = scene();
    let axis = Vec3::new(0.6, 0.0, -0.8);
    let mut body = cuboid(Vec3::new(0.3, 0.2, 0.1), Vec3::new(0.2, 0.1, 0.3), 2.0);
    body.rotation = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
    scene.add_body(body);
    scene.join([0, 1], |frames| Joint::slider([None, Some(1)], frames, Vec3::ZERO, axis)?.with_limits([-1.0, 3.0]));
    for step in 1..=60 {
        scene.step();
        let t = f64::from(step) / RATE;
        let fallen = 0.5 * 0.8 * GRAVITY * t * t;
        if fallen < 2.9 {
            let speed = scene.bodies[1].velocity.dot(axis);
            assert!((speed - 0.8 * GRAVITY * t).abs() < 1e-9, "{speed}");
            if step % 10 == 0 {
                println!("slider {step}: {:.3e} err {:.3e}", scene.coordinate(0) - fallen, scene.error(0));
            }
        }
    }
    scene.run(4.0);
    println!("slider end {:.3e} err {:.3e} {:?}", scene.coordinate(0) - 3.0, scene.error(0), scene.joints[0].load);
}

#[test]
fn a_rod_keeps_its_length_and_a_rope_its_bounds() {
    for is_rope in [false, true] {
        let mut scene = scene();
        scene.add_body(ball(Vec3::new(0.6, 0.0, 0.0), 0.1, 1.0));
        scene.join([0, 1], |frames| {
            let rod = Joint::distance([None, Some(1)], frames, [Vec3::ZERO, Vec3::new(0.6, 0.0, 0.0)])?;
            if is_rope { rod.with_limits([0.0, 1.0]) } else { Ok(rod) }
        });
        let start = scene.energy();
        let (mut longest, mut highest, mut shortest) = (0.0_f64, f64::NEG_INFINITY, f64::INFINITY);
        for _ in 0..600 {
            scene.step();
            longest = longest.max(scene.coordinate(0));
            shortest = shortest.min(scene.coordinate(0));
            highest = highest.max(scene.energy() - start);
        }
        println!(
            "rope {is_rope}: {longest} {shortest} highest {highest} now {} v {}",
            scene.energy() - start,
            scene.bodies[1].velocity
        );
    }
}

#[test]
fn a_cantilever_of_five_boxes_sags_little() {
    let mut scene = scene();
    let half = Vec3::splat(0.1);
    for i in 0..5_u32 {
        let x = 0.1 + 0.2 * f64::from(i);
        let body = scene.add_body(cuboid(Vec3::X * x, half, 1.0));
        scene.join([body - 1, body], |frames| Joint::fixed([Some(0), Some(1)], frames, Vec3::X * (x - 0.1)));
    }
    let mut lowest = 0.0_f64;
    for _ in 0..600 {
        scene.step();
        lowest = lowest.min(scene.bodies[5].centre.z);
    }
    let load = scene.joints[0].load;
    println!(
        "cantilever lowest {lowest} end {} v {} load {load:?}",
        scene.bodies[5].centre.z, scene.bodies[5].velocity
    );
}

#[test]
fn a_hinged_lid_rests_on_a_box() {
    let mut scene = scene();
    let (half, lid_half) = (Vec3::splat(0.5), Vec3::new(0.5, 0.5, 0.05));
    let boxed = scene.add_body(cuboid(Vec3::Z * 0.5, half, 3.0));
    scene.add_pair([0, boxed], Touch::PlaneBox { half }, 0.5, 0.0);
    let lid = scene.add_body(cuboid(Vec3::Z * 1.05, lid_half, 1.0));
    let hook = Vec3::new(-0.5, 0.0, 1.05);
    scene.join([0, lid], |frames| Joint::hinge([None, Some(1)], frames, hook, Vec3::Y));
    scene.add_pair([boxed, lid], Touch::BoxOnBox { halves: [half, lid_half] }, 0.5, 0.0);
    // The lid starts open by about 34°.
    let open = Quat::from_xyzw(0.0, -0.3, 0.0, 1.0).normalize();
    scene.bodies[2].rotation = open;
    scene.bodies[2].centre = hook + open * Vec3::new(0.5, 0.0, 0.0);
    scene.run(5.0);
    let lid = scene.bodies[2];
    let pressed: f64 = scene.manifolds.last().expect("a contact").points.iter().map(|p| p.normal_impulse).sum();
    println!(
        "lid {} angle {} w {} load {:?} pressed {} box {}",
        lid.centre,
        scene.coordinate(0),
        lid.angular_velocity,
        scene.joints[0].load,
        pressed * RATE,
        scene.bodies[1].centre
    );
    println!("sum {}", scene.joints[0].load.force.z + pressed * RATE - GRAVITY);
}

#[test]
fn the_load_of_a_hanging_weight_is_its_weight() {
    let mut scene = scene();
    scene.add_body(cuboid(Vec3::new(0.3, 0.2, -1.0), Vec3::splat(0.2), 7.0));
    scene.join([0, 1], |frames| Joint::fixed([None, Some(1)], frames, Vec3::ZERO));
    scene.run(2.0);
    let load = scene.joints[0].load;
    let weight = 7.0 * GRAVITY;
    println!("{load:?}");
    assert!((load.force - Vec3::Z * weight).length() < 1e-3 * weight, "{load:?}");
}

#[test]
fn free_joined_bodies_keep_their_momentum() {
    let mut scene = Scene::new(SoftStepSettings::default());
    for x in [-0.5, 0.5] {
        let mut body = cuboid(Vec3::X * x, Vec3::new(0.5, 0.2, 0.1), 1.0 + x);
        body.acceleration = Vec3::ZERO;
        body.velocity = Vec3::new(0.3, x, 2.0 * x);
        body.angular_velocity = Vec3::new(3.0, 1.0 - x, 2.0);
        scene.add_body(body);
    }
    scene.join([0, 1], |frames| Joint::ball([Some(0), Some(1)], frames, Vec3::ZERO));
    let momenta = |scene: &Scene| {
        let linear = |b: &StepBody| b.velocity / b.inverse_mass;
        let spin = |b: &StepBody| b.rotation * (b.inertia * (b.rotation.conjugate() * b.angular_velocity));
        let momentum: Vec3 = scene.bodies.iter().map(linear).sum();
        let angular: Vec3 = scene.bodies.iter().map(|b| spin(b) + b.centre.cross(linear(b))).sum();
        (momentum, angular)
    };
    let (start, spin) = momenta(&scene);
    let course = watch(&mut scene, 10.0);
    let (end, end_spin) = momenta(&scene);
    println!(
        "free {course:?} e0 {} p {:e} L {:e} of {}",
        scene.energy(),
        (end - start).length(),
        (end_spin - spin).length(),
        spin.length()
    );
}
#[test]
fn wrong_start() {
    for kind in 0..3 {
        let mut scene = scene();
        let mut body = ball(Vec3::X, 0.1, 1.0);
        body.acceleration = Vec3::ZERO;
        scene.add_body(body);
        scene.join([0, 1], |f| match kind {
            0 => Joint::ball([None, Some(1)], f, Vec3::ZERO),
            1 => Joint::fixed([None, Some(1)], f, Vec3::ZERO),
            _ => Joint::hinge([None, Some(1)], f, Vec3::ZERO, Vec3::Y),
        });
        scene.bodies[1].centre = Vec3::new(0.0, 1.0, 1.0);
        scene.bodies[1].rotation = Quat::from_xyzw(0.3, 0.2, 0.1, 0.9).normalize();
        let mut fastest = 0.0_f64;
        for i in 0..120 {
            scene.step();
            fastest = fastest.max(scene.bodies[1].velocity.length() + scene.bodies[1].angular_velocity.length());
            if i < 5 || i % 30 == 29 {
                println!(
                    "wrong {kind} {i}: {:.3e} v {} w {}",
                    scene.error(0),
                    scene.bodies[1].velocity.length(),
                    scene.bodies[1].angular_velocity.length()
                );
            }
        }
        println!("fastest {fastest}");
    }
    let _ = (JointFrame::WORLD, Mat3::ZERO);
    let _: Option<StepJoint> = None;
}

/// An arm of links along X, with hinges along Y and motors that hold their angle.
fn add_arm(scene: &mut Scene, count: u32, motor: Motor) {
    for i in 0..count {
        let x = 0.5 + f64::from(i);
        let body = scene.add_body(cuboid(Vec3::X * x, Vec3::new(0.45, 0.05, 0.05), 1.0));
        scene.join([body - 1, body], |frames| {
            Joint::hinge([Some(0), Some(1)], frames, Vec3::X * (x - 0.5), Vec3::Y)?.with_motor(motor)
        });
    }
}

#[test]
fn an_arm_holds() {
    let mut scene = scene();
    add_arm(&mut scene, 6, Motor { velocity: 0.0, max_force: 1000.0 });
    scene.run(10.0);
    println!("arm {} {:?}", scene.bodies[6].centre, scene.joints[0].load);
    let mut s2 = Scene::new(SoftStepSettings::default());
    s2.add_body(StepBody::FIXED);
    add_arm(&mut s2, 6, Motor { velocity: 0.0, max_force: 100.0 });
    let course = watch(&mut s2, 10.0);
    println!("weak arm {course:?}");
}

#[test]
fn a_closed_ring() {
    // A ring of hinges along Y, all parallel: three equations of each loop are redundant.
    for wobble in [0.0, 1.0] {
        let mut scene = scene();
        let n = 8_u32;
        let place = |i: u32| {
            let a = f64::from(i) * std::f64::consts::TAU / f64::from(n);
            Vec3::new(a.sin(), 0.0, a.cos())
        };
        for i in 0..n {
            let mut b = cuboid(place(i), Vec3::splat(0.2), 1.0);
            b.angular_velocity = Vec3::new(0.3, 0.1, 0.2) * wobble;
            scene.add_body(b);
        }
        for i in 0..n {
            let anchor = (place(i) + place(i + 1)) * 0.5;
            scene.join([1 + i, 1 + (i + 1) % n], |f| Joint::hinge([Some(0), Some(1)], f, anchor, Vec3::Y));
        }
        scene.join([0, 1], |f| Joint::hinge([None, Some(1)], f, place(0), Vec3::Y));
        let course = watch(&mut scene, 10.0);
        println!("ring {course:?} {}", scene.largest_error());
    }
}

#[test]
fn a_pile_of_chains() {
    let mut scene = scene();
    let half = Vec3::new(0.25, 0.1, 0.1);
    for c in 0..3_u32 {
        for i in 0..6_u32 {
            let mut b = cuboid(Vec3::new(0.5 * f64::from(i), 0.0, 0.5 + 0.4 * f64::from(c)), half, 1.0);
            b.velocity.x = f64::from(c);
            b.angular_velocity.y = 0.3 * f64::from(c);
            let body = scene.add_body(b);
            scene.add_pair([0, body], Touch::PlaneBox { half }, 0.5, 0.0);
            if i > 0 {
                let x = 0.5 * f64::from(i) - 0.25;
                let z = 0.5 + 0.4 * f64::from(c);
                scene.join([body - 1, body], |f| {
                    if i % 2 == 0 {
                        Joint::ball([Some(0), Some(1)], f, Vec3::new(x, 0.0, z))
                    } else {
                        Joint::hinge([Some(0), Some(1)], f, Vec3::new(x, 0.0, z), Vec3::Y)?.with_limits([-0.5, 0.5])
                    }
                });
            }
        }
    }
    let course = watch(&mut scene, 10.0);
    let v = scene.bodies.iter().map(|b| b.velocity.length()).fold(0.0, f64::max);
    println!("pile {course:?} end {} v {v:e}", scene.largest_error());
}

#[test]
fn a_hub() {
    let mut scene = scene();
    let mut hub = cuboid(Vec3::ZERO, Vec3::splat(0.5), 10.0);
    hub.angular_velocity = Vec3::Z * 3.0;
    scene.add_body(hub);
    scene.join([0, 1], |f| Joint::ball([None, Some(1)], f, Vec3::ZERO));
    for i in 0..40 {
        let a = f64::from(i) * std::f64::consts::TAU / 40.0;
        let d = Vec3::new(a.sin(), a.cos(), 0.0);
        let body = scene.add_body(ball(d * 2.0, 0.1, 0.5));
        scene.join([1, body], |f| Joint::ball([Some(0), Some(1)], f, d));
    }
    let course = watch(&mut scene, 10.0);
    println!("hub {course:?}");
}
