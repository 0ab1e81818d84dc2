//! The scenes of the repository in which bodies push each other: each against the figure that its comment names.

use crate::support::Workshop;
use serde_json::Value;
use std::fs;

const G: f64 = 9.81;

/// A run of a scene.
struct Watched {
    trace: Vec<Value>,
    report: Value,
}

impl Watched {
    fn of(name: &str, more: &[&str]) -> Self {
        let shop = Workshop::new();
        let scene = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let arguments = ["run", &scene, "-q", "--trace", "t.jsonl", "--report", "r.json"];
        let run = shop.run(&[&arguments, more].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        let text = fs::read_to_string(shop.path().join("t.jsonl")).unwrap();
        let trace = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let report = serde_json::from_str(&fs::read_to_string(shop.path().join("r.json")).unwrap()).unwrap();
        Self { trace, report }
    }

    fn last(&self) -> &Value {
        self.trace.last().unwrap()
    }

    fn response(&self, key: &str) -> f64 {
        self.report["response"][key].as_f64().unwrap_or_else(|| panic!("{key}: {}", self.report["response"]))
    }

    fn largest_gain(&self) -> f64 {
        self.report["response"]["energy"]["largest_gain"].as_f64().unwrap()
    }
}

fn body<'v>(line: &'v Value, name: &str) -> &'v Value {
    let found = line["bodies"].as_array().unwrap().iter().find(|body| body["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

fn vector(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|k| value[k].as_f64().unwrap())
}

fn place(line: &Value, name: &str) -> [f64; 3] {
    vector(&body(line, name)["translation"])
}

fn velocity(line: &Value, name: &str) -> [f64; 3] {
    vector(&body(line, name)["linear_velocity"])
}

/// The cosine of the angle between the z axis of a body and the vertical.
fn uprightness(line: &Value, name: &str) -> f64 {
    let [x, y] = [0, 1].map(|k| body(line, name)["rotation"][k].as_f64().unwrap());
    1.0 - 2.0 * (x * x + y * y)
}

#[test]
fn balls_bounce_to_the_heights_that_restitution_leaves() {
    let run = Watched::of("bouncing_balls", &[]);
    for e in [0.25, 0.5, 0.75, 1.0f64] {
        let name = format!("ball e={e}");
        let mut apexes: Vec<f64> = Vec::new();
        for pair in run.trace.windows(2) {
            let [before, after] = [0, 1].map(|k| velocity(&pair[k], &name)[2]);
            if before > 0.0 && after <= 0.0 {
                let z = place(&pair[1], &name)[2] - 0.1;
                apexes.push(z + after * after / (2.0 * G));
            }
        }
        assert!(!apexes.is_empty(), "{name}");
        for (bounce, apex) in apexes.iter().enumerate().take(3) {
            let expected = e.powi(2 * (bounce as i32 + 1));
            // A rebound slower than what gravity adds in a step, 0.16 m/s or 1.4 mm, ends in rest.
            if expected < 2e-3 {
                break;
            }
            assert!((apex - expected).abs() < 1e-6, "{name}: bounce {bounce} rises to {apex}, not {expected}");
        }
    }
    let rest = velocity(run.last(), "ball e=0")[2].abs();
    assert!(rest < 1e-9 && (place(run.last(), "ball e=0")[2] - 0.1).abs() < 1e-6, "{rest}");
    assert!(run.largest_gain() < 1e-6, "{}", run.report["response"]);
}

#[test]
fn a_break_keeps_momentum_and_gains_no_energy() {
    let run = Watched::of("billiard", &["--seconds", "0.25"]);
    let momentum = vector(&run.last()["momentum"]);
    assert!((momentum[0] - 0.51).abs() < 1e-9 && momentum[1].abs() < 1e-9, "{momentum:?}");
    assert!(run.largest_gain() < 1e-9, "{}", run.report["response"]);
    let moves = |name: &str| velocity(run.last(), name).iter().map(|v| v * v).sum::<f64>().sqrt();
    assert!(moves("row 5#1") > 0.1 && moves("row 5#5") > 0.1);
    assert!(run.response("residual") <= 1e-9, "{}", run.report["response"]);
}

#[test]
fn the_last_ball_of_the_cradle_leaves_with_the_speed_of_the_first() {
    let run = Watched::of("newtons_cradle", &[]);
    let expected = (2.0 * G * 0.5 * (1.0 - 45f64.to_radians().cos())).sqrt();
    let fastest = |name: &str| {
        run.trace.iter().map(|line| velocity(line, name)[0].hypot(velocity(line, name)[2])).fold(0.0, f64::max)
    };
    assert!((fastest("ball 1") - expected).abs() < 0.01 * expected, "{} of {expected}", fastest("ball 1"));
    assert!((fastest("ball 5") - expected).abs() < 0.01 * expected, "{} of {expected}", fastest("ball 5"));
    for name in ["ball 2", "ball 3", "ball 4"] {
        assert!(fastest(name) < 1e-3, "{name}: {}", fastest(name));
    }
}

#[test]
fn a_stack_and_a_pyramid_stand() {
    let stack = Watched::of("stack", &["--seconds", "2", "--trace-every", "60"]);
    let top = place(stack.last(), "box#10");
    assert!((top[2] - 9.5).abs() < 1e-6 && top[0].hypot(top[1]) < 1e-6, "{top:?}");
    assert!(stack.response("residual") <= 1e-10, "{}", stack.report["response"]);
    let pyramid = Watched::of("pyramid", &["--seconds", "0.5", "--trace-every", "30"]);
    let top = place(pyramid.last(), "row 7");
    assert!((top[2] - 1.3).abs() < 1e-6 && (top[0] - 0.63).abs() < 1e-6, "{top:?}");
}

#[test]
fn one_box_slides_down_the_slope_and_one_stands() {
    let run = Watched::of("slope", &[]);
    let path = |name: &str| {
        let [from, to] = [&run.trace[0], run.last()].map(|line| place(line, name));
        [0, 1, 2].map(|k| (to[k] - from[k]).powi(2)).iter().sum::<f64>().sqrt()
    };
    let angle = 30f64.to_radians();
    let expected = 0.5 * G * (angle.sin() - 0.3 * angle.cos()) * 4.0;
    assert!((path("slides") / expected - 1.0).abs() < 1e-3, "{} for {expected}", path("slides"));
    assert!(path("stands") < 1e-6, "{}", path("stands"));
}

#[test]
fn all_dominoes_lie_at_the_end() {
    let run = Watched::of("dominoes", &["--trace-every", "30"]);
    let names = std::iter::once("first".to_owned()).chain((1..=14).map(|k| format!("domino#{k}")));
    for name in names {
        let upright = uprightness(run.last(), &name);
        assert!(upright < 0.5, "{name} is tilted by {}°", upright.acos().to_degrees());
    }
}

#[test]
fn the_wing_nut_turns_over_after_half_a_period() {
    let run = Watched::of("wing_nut", &[]);
    // The angular velocity along the middle axis of the body.
    let along = |line: &Value| {
        let rotation: Vec<f64> = (0..4).map(|k| body(line, "wing nut")["rotation"][k].as_f64().unwrap()).collect();
        let [x, y, z, w] = rotation[..] else { panic!("{line}") };
        let axis = [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)];
        let spin = vector(&body(line, "wing nut")["angular_velocity"]);
        (0..3).map(|k| axis[k] * spin[k]).sum::<f64>()
    };
    let mut flips: Vec<f64> = Vec::new();
    for pair in run.trace.windows(2) {
        let ([before, after], time) = ([0, 1].map(|k| along(&pair[k])), pair[0]["time"].as_f64().unwrap());
        if before * after < 0.0 {
            let step = pair[1]["time"].as_f64().unwrap() - time;
            flips.push(time + step * before / (before - after));
        }
    }
    let half = (flips[flips.len() - 1] - flips[0]) / (flips.len() - 1) as f64;
    assert!((half / 2.29963 - 1.0).abs() < 1e-3, "{half} s over {} flips", flips.len());
    let [first, last] = [&run.trace[0], run.last()];
    let energy = |line: &Value| line["energy"]["kinetic"].as_f64().unwrap();
    assert!((energy(last) / energy(first) - 1.0).abs() < 1e-6);
    let [from, to] = [first, last].map(|line| vector(&line["angular_momentum"]));
    assert!((0..3).all(|k| (to[k] - from[k]).abs() < 1e-6 * 10.0), "{from:?} {to:?}");
}

#[test]
fn the_house_of_cards_stands() {
    let run = Watched::of("card_house", &["--trace-every", "30"]);
    for name in ["top left", "top right", "roof"] {
        let sunk = place(&run.trace[0], name)[2] - place(run.last(), name)[2];
        assert!(sunk.abs() < 1e-3, "{name} sinks by {sunk} m");
    }
}

#[test]
fn the_pile_falls_without_deep_overlaps() {
    let run = Watched::of("pile", &["--steps", "30", "--trace-every", "30"]);
    assert_eq!(run.report["bodies"], 5001);
    let deepest = run.last()["contacts"].as_array().unwrap().iter();
    let deepest = deepest.map(|contact| contact["separation"].as_f64().unwrap()).fold(0.0, f64::min);
    assert!(deepest > -0.02, "{deepest}");
    assert!(run.response("points_solved") > 1000.0);
}

#[test]
fn the_chain_swings_and_holds_together() {
    let run = Watched::of("pendulum_chain", &[]);
    assert_eq!(run.last()["joints"].as_array().map(Vec::len), Some(8));
    let end = |line: &Value, name: &str, x: f64| {
        let rotation: Vec<f64> = (0..4).map(|k| body(line, name)["rotation"][k].as_f64().unwrap()).collect();
        let [i, j, k, w] = rotation[..] else { panic!("{line}") };
        let axis = [1.0 - 2.0 * (j * j + k * k), 2.0 * (i * j + w * k), 2.0 * (i * k - w * j)];
        let centre = place(line, name);
        [0, 1, 2].map(|n| centre[n] + x * axis[n])
    };
    for line in &run.trace {
        let mut before = [0.0; 3];
        for k in 1..=8 {
            let begin = end(line, &format!("link#{k}"), -0.1);
            let gap = (0..3).map(|n| (begin[n] - before[n]).powi(2)).sum::<f64>().sqrt();
            assert!(gap < 1e-4, "joint {k} opens by {gap} m");
            before = end(line, &format!("link#{k}"), 0.1);
        }
    }
    let energy =
        |line: &Value| line["energy"]["kinetic"].as_f64().unwrap() + line["energy"]["potential"].as_f64().unwrap();
    let fastest = run.trace.iter().map(|line| line["energy"]["kinetic"].as_f64().unwrap()).fold(0.0, f64::max);
    let drift = (energy(run.last()) - energy(&run.trace[0])).abs();
    assert!(drift < 0.01 * fastest, "{drift} J of {fastest}");
}

#[test]
fn the_lamp_sags_the_tray_stops_and_the_shoulder_holds() {
    let run = Watched::of("lamp_and_shoulder", &[]);
    let rotation = |line: &Value, name: &str| [0, 1, 2, 3].map(|k| body(line, name)["rotation"][k].as_f64().unwrap());
    // k·θ = m·g·l·cos θ of the arm, and of the head at 0.45 m.
    let mut sag = 0.0_f64;
    for _ in 0..50 {
        sag = (1.0 * 0.2 + 0.2 * 0.45) * G * sag.cos() / 40.0;
    }
    for name in ["lamp arm", "lamp head"] {
        let [_, y, _, w] = rotation(run.last(), name);
        assert!((2.0 * y.atan2(w) - sag).abs() < 1e-3, "{name}: {} {sag}", 2.0 * y.atan2(w));
    }
    let tray = place(run.last(), "tray")[2];
    assert!((tray - (0.8 - 2.0 * G / 2000.0)).abs() < 1e-4, "{tray}");
    let (mut swing, mut twist) = (0.0_f64, 0.0_f64);
    for line in &run.trace {
        let [x, y, z, w] = rotation(line, "upper arm");
        swing = swing.max((1.0 - 2.0 * (x * x + y * y)).clamp(-1.0, 1.0).acos());
        twist = twist.max(2.0 * z.atan2(w).abs().min((-z).atan2(-w).abs()));
    }
    assert!((0.95..1.02).contains(&swing) && (0.39..0.42).contains(&twist), "{swing} {twist}");
    let warnings = run.report["response"]["warnings"].as_array().unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn the_hand_lifts_a_box_and_pushes_another_one() {
    let run = Watched::of("grasp", &[]);
    let [held, other] = ["box", "other"].map(|name| place(run.last(), name));
    assert!((held[2] - 0.08).abs() < 2e-3 && (held[1] - 0.3).abs() < 5e-3, "{held:?}");
    // The palm stops after 2.5 s, and the box with it.
    let offset = |line: &Value| place(line, "box")[1] - place(line, "palm")[1];
    let stops = run.trace.iter().filter(|line| line["time"].as_f64().unwrap() > 2.4).map(offset);
    let [least, most] = stops.fold([f64::INFINITY, -f64::INFINITY], |[least, most], at| [least.min(at), most.max(at)]);
    assert!(most - least < 1e-4, "{least} {most}");
    // The boxes meet 1e-14 s before a step ends.
    assert!(run.response("residual") <= 1e-7, "{}", run.report["response"]);
    assert!(other[1] - 0.2 > 0.15 && (other[2] - 0.05).abs() < 1e-3, "{other:?}");
}

#[test]
fn floors_that_move_carry_crates_and_a_barrier_sees_a_fast_ball() {
    let run = Watched::of("moving_floors", &[]);
    let on_belt = run.trace[7..].iter().map(|line| velocity(line, "crate on the belt")[0]);
    assert!(on_belt.clone().all(|speed| (speed - 0.5).abs() < 1e-6), "{:?}", on_belt.collect::<Vec<_>>());
    for line in &run.trace {
        let [x, y, _] = place(line, "crate on the turntable");
        assert!((x.hypot(y - 3.0) - 0.5).abs() < 1e-3, "{x} {y}");
    }
    let highest = run.trace.iter().map(|line| place(line, "crate on the lift")[2]).fold(0.0, f64::max);
    assert!((highest - 1.1 - 0.5 / G).abs() < 1e-3, "{highest}");
    assert!((place(run.last(), "crate on the lift")[2] - 1.1).abs() < 1e-4);
    let barrier = |contact: &&Value| contact["a"] == "light barrier" && contact["b"] == "ball";
    let contacts = run.trace.iter().flat_map(|line| line["contacts"].as_array().unwrap());
    let times: Vec<f64> = contacts.filter(barrier).map(|contact| contact["time"].as_f64().unwrap()).collect();
    assert!(times.len() == 1 && (times[0] - 0.054).abs() < 1e-6, "{times:?}");
}
