//! `heurt run` with a response: keys of scenes and their faults, impulses in traces, reports and events, joints.

use crate::support::Workshop;
use serde_json::{Value, json};
use std::fs;

const FLOOR: &str = "[[body]]\nname = \"floor\"\nkind = \"static\"\nrestitution = 0\n\
                     shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n";
const BOX: &str = "[[body]]\nname = \"box\"\nmass = 2\nrestitution = 0\nshape = { type = \"box\", half = [0.5, 0.5, 0.5] }\n\
                   pose = { translation = [0, 0, 0.5] }\n";

fn scene(world: &str, rest: &str) -> String {
    format!("[world]\nstep = 0.01\nseconds = 0.1\n{world}\n{FLOOR}{BOX}{rest}")
}

/// Runs a scene and returns its trace and its report.
fn watch(shop: &Workshop, text: &str, more: &[&str]) -> (Vec<Value>, Value) {
    shop.file("s.toml", text);
    let run = shop.run(&[&["run", "s.toml", "-q", "--trace", "t.jsonl", "--report", "r.json"], more].concat());
    assert_eq!(run.code, Some(0), "{text}\n{}", run.err);
    let trace = fs::read_to_string(shop.path().join("t.jsonl")).unwrap();
    let report = fs::read_to_string(shop.path().join("r.json")).unwrap();
    let trace = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (trace, serde_json::from_str(&report).unwrap())
}

fn body<'v>(line: &'v Value, name: &str) -> &'v Value {
    line["bodies"].as_array().unwrap().iter().find(|body| body["name"] == name).unwrap()
}

#[test]
fn the_trace_has_the_impulses_and_features_of_a_resting_box() {
    let shop = Workshop::new();
    for response in ["impulse-lcp", "soft-step", "auto"] {
        let (trace, report) = watch(&shop, &scene(&format!("response = \"{response}\""), ""), &[]);
        let contacts = trace[10]["contacts"].as_array().unwrap();
        assert_eq!(contacts.len(), 4, "{response}: {contacts:?}");
        let sum: f64 = contacts.iter().map(|at| at["impulse"].as_f64().unwrap()).sum();
        assert!((sum - 2.0 * 9.81 * 0.01).abs() < 2e-3, "{response}: {sum}");
        for at in contacts {
            assert_eq!((&at["a"], &at["b"], &at["kind"]), (&json!("floor"), &json!("box"), &json!("resting")));
            assert_eq!(at["features"]["b"]["kind"], "vertex", "{response}: {at}");
        }
        assert_eq!(report["response"]["solver"], response);
        let all = report["contacts"][0]["impulse"].as_f64().unwrap();
        assert!((all - 2.0 * 9.81 * 0.1).abs() < 0.02, "{response}: {all}");
    }
}

#[test]
fn scenes_without_dynamic_bodies_have_no_response() {
    let shop = Workshop::new();
    let (_, report) = watch(&shop, &format!("[world]\nseconds = 0.1\n{FLOOR}"), &[]);
    assert_eq!(report["response"], Value::Null);
    let (_, report) = watch(&shop, &scene("", ""), &[]);
    assert_eq!(report["response"]["solver"], "auto");
    let (trace, report) = watch(&shop, &scene("response = \"none\"", ""), &[]);
    assert_eq!(report["response"], Value::Null);
    assert!(body(&trace[10], "box")["translation"][2].as_f64().unwrap() < 0.46, "it falls through the floor");
}

#[test]
fn events_have_impulses_where_bodies_respond() {
    let shop = Workshop::new();
    let text = scene("response = \"impulse-lcp\"", "").replace("[0, 0, 0.5] }", "[0, 0, 0.52] }");
    watch(&shop, &text, &["--events", "e.csv"]);
    let events = fs::read_to_string(shop.path().join("e.csv")).unwrap();
    let lines: Vec<&str> = events.lines().collect();
    assert_eq!(lines[0], "step,time,event,a,b,x,y,z,nx,ny,nz,impulse");
    assert_eq!(lines.len(), 2, "{events}");
    let impulse: f64 = lines[1].rsplit(',').next().unwrap().parse().unwrap();
    // 2 kg that fell 2 cm, and the weight for the rest of the step.
    let impact = 2.0 * (2.0f64 * 9.81 * 0.02).sqrt();
    assert!(impulse >= impact - 1e-6 && impulse <= impact + 2.0 * 9.81 * 0.01, "{impulse} for {impact}");
}

#[test]
fn a_bounce_is_an_interval_with_its_impulse() {
    let shop = Workshop::new();
    let ball = "[[body]]\nname = \"ball\"\nmass = 1\nrestitution = 1\nshape = { type = \"sphere\", radius = 0.1 }\n\
                pose = { translation = [3, 0, 0.2] }\nlinear_velocity = [0, 0, -5]\n";
    let (_, report) = watch(&shop, &scene("response = \"impulse-lcp\"\ngravity = [0, 0, 0]", ball), &[]);
    let contacts = report["contacts"].as_array().unwrap();
    let bounces: Vec<&Value> = contacts.iter().filter(|contact| contact["b"] == "ball").collect();
    let [bounce] = bounces[..] else { panic!("{contacts:?}") };
    assert!((bounce["impulse"].as_f64().unwrap() - 10.0).abs() < 1e-9, "{bounce}");
    assert!((bounce["from"].as_f64().unwrap() - 0.02).abs() < 1e-6, "{bounce}");
}

#[test]
fn keys_of_dynamic_bodies_act() {
    let shop = Workshop::new();
    let free = |name: &str, keys: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
             pose = {{ translation = [0, 0, 9] }}\nmask = 0\nlinear_velocity = [1, 1, 0]\n\
             angular_velocity = [1, 0, 0]\n{keys}\n"
        )
    };
    let bodies = [
        free("floats", "gravity_scale = 0"),
        free("slows", "linear_damping = 2\nangular_damping = 2"),
        free("held", "lock = { translation = [\"z\"], rotation = [\"x\", \"y\", \"z\"] }"),
    ];
    let (trace, _) = watch(&shop, &scene("response = \"impulse-lcp\"", &bodies.concat()), &["--seconds", "1"]);
    let last = &trace[100];
    let z = |name: &str| body(last, name)["translation"][2].as_f64().unwrap();
    assert!((z("floats") - 9.0).abs() < 1e-12 && (z("held") - 9.0).abs() < 1e-12, "{} {}", z("floats"), z("held"));
    let slow = body(last, "slows")["linear_velocity"][0].as_f64().unwrap();
    assert!((slow - (-2.0f64).exp()).abs() < 0.01, "{slow}");
    let spin = body(last, "slows")["angular_velocity"][0].as_f64().unwrap();
    assert!((spin - (-2.0f64).exp()).abs() < 0.01, "{spin}");
}

#[test]
fn a_sensor_reports_and_does_not_push() {
    let shop = Workshop::new();
    let gate = "[[body]]\nname = \"gate\"\nkind = \"static\"\nsensor = true\nshape = { type = \"box\", half = [1, 1, 1] }\n\
                pose = { translation = [0, 0, 2] }\n";
    let (trace, report) = watch(&shop, &scene("", gate), &[]);
    assert!((body(&trace[10], "box")["translation"][2].as_f64().unwrap() - 0.5).abs() < 1e-6);
    let contacts = report["contacts"].as_array().unwrap();
    assert!(contacts.iter().any(|at| at["b"] == "gate" && at["impulse"] == 0.0), "{contacts:?}");
}

const BOB: &str = "[[body]]\nname = \"bob\"\nmass = 2\nshape = { type = \"sphere\", radius = 0.1 }\n\
                   pose = { translation = [5, 0, 3] }\n";

#[test]
fn joints_are_traced_and_break() {
    let shop = Workshop::new();
    let joint = "[[joint]]\nname = \"hook\"\nkind = \"ball\"\na = \"bob\"\nanchor = [5, 0, 4]\n";
    let (trace, _) = watch(&shop, &scene("response = \"impulse-lcp\"", &format!("{BOB}{joint}")), &[]);
    let joints = trace[10]["joints"].as_array().unwrap();
    assert_eq!(joints.len(), 1);
    assert_eq!((&joints[0]["name"], &joints[0]["a"], &joints[0]["b"]), (&json!("hook"), &json!("bob"), &Value::Null));
    // The world is b: it gets the weight.
    let force = joints[0]["force"][2].as_f64().unwrap();
    assert!((force + 2.0 * 9.81).abs() < 0.1, "{force}");
    assert_eq!(trace[10]["broken"], json!([]));
    let weak = format!("{BOB}{joint}break_at = 10\n");
    let (trace, _) = watch(&shop, &scene("response = \"impulse-lcp\"", &weak), &[]);
    assert!(trace.iter().any(|line| line["broken"] == json!(["hook"])));
    assert_eq!(trace[10]["joints"], json!([]));
    let (trace, _) = watch(&shop, &scene("", ""), &[]);
    assert!(trace[0].get("joints").is_none(), "a scene without joints has none in its trace");
}

#[test]
fn motors_drive_a_relative_to_b() {
    let shop = Workshop::new();
    for b in ["", "b = \"floor\"\n"] {
        let joint = format!(
            "[[joint]]\nkind = \"hinge\"\na = \"bob\"\n{b}anchor = [5, 0, 3]\naxis = [0, 0, 1]\n\
             motor = {{ velocity = 2, max_force = 100 }}\n"
        );
        let text = scene("response = \"impulse-lcp\"", &format!("{BOB}{joint}"));
        let (trace, _) = watch(&shop, &text, &["--seconds", "0.5"]);
        let spin = body(&trace[50], "bob")["angular_velocity"][2].as_f64().unwrap();
        assert!((spin - 2.0).abs() < 1e-6, "{spin}");
    }
}

#[test]
fn faults_of_the_response_name_line_and_key() {
    let shop = Workshop::new();
    let joint = |keys: &str| format!("{BOB}{BOX}[world]\nresponse = \"auto\"\n[[joint]]\n{keys}\n");
    for (text, line, words) in [
        ("[world]\nresponse = \"lcp\"\n".to_owned(), 2, "one of none, impulse-lcp, soft-step, auto"),
        ("[world]\nimpacts = \"both\"\n".to_owned(), 2, "one of at-once, in-sequence"),
        ("[world]\nresponse = \"soft-step\"\nimpacts = \"at-once\"\n".to_owned(), 3, "has no rule of impacts"),
        ("[world]\nresponse = \"auto\"\ndeadline = 0.01\n".to_owned(), 3, "response = \"none\""),
        (format!("[world]\ndeadline = 0.01\n{BOX}"), 2, "response = \"auto\" needs all of them"),
        (format!("{FLOOR}gravity_scale = 2\n"), 6, "body[0].gravity_scale: 2 cannot be used: only dynamic bodies"),
        (format!("{FLOOR}linear_damping = 2\n"), 6, "only dynamic bodies"),
        (format!("{BOX}angular_damping = -1\n"), 7, "body[0].angular_damping"),
        (format!("{BOX}lock = {{ translation = [\"w\"] }}\n"), 7, "one of x, y, z"),
        (format!("{BOX}lock = {{ turn = [\"x\"] }}\n"), 7, "unknown field"),
        (format!("{FLOOR}lock = {{ rotation = [\"x\"] }}\n"), 6, "only dynamic bodies"),
        (format!("{BOX}sensor = 1\n"), 7, "true or false"),
        (format!("{BOX}restitution = 2\n").replace("restitution = 0\n", ""), 6, "give at most 1"),
        (joint("kind = \"weld\"\na = \"bob\""), 15, "one of fixed, ball, hinge, slider, distance"),
        (joint("kind = \"ball\"\nanchor = [0, 0, 0]"), 14, "joint[0].a: missing"),
        (joint("kind = \"ball\"\na = \"bob\""), 14, "joint[0].anchor: missing"),
        (
            joint("kind = \"ball\"\na = \"missing\"\nanchor = [0, 0, 0]"),
            16,
            "joint[0].a: `missing` cannot be used: no body",
        ),
        (joint("kind = \"ball\"\na = \"bob\"\nb = \"bob\"\nanchor = [0, 0, 0]"), 17, "with itself"),
        (
            joint("kind = \"ball\"\na = \"bob\"\nanchor = [0, 0, 0]\naxis = [1, 0, 0]"),
            18,
            "a ball joint without cone and twist has none",
        ),
        (joint("kind = \"ball\"\na = \"bob\"\nanchor = [0, 0, 0]\ncone = 1"), 14, "joint[0].axis: missing"),
        (joint("kind = \"ball\"\na = \"bob\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\ncone = 4"), 19, "up to π"),
        (joint("kind = \"ball\"\na = \"bob\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\ntwist = [1, 0]"), 19, "crossed"),
        (joint("kind = \"hinge\"\na = \"bob\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\ncone = 1"), 19, "has no cone"),
        (joint("kind = \"ball\"\na = \"bob\"\nanchor = [0, 0, 0]\nspring = { stiffness = 1 }"), 18, "has no spring"),
        (joint("kind = \"fixed\"\na = \"bob\"\nfriction = 1"), 17, "has no friction"),
        (joint("kind = \"fixed\"\na = \"bob\"\nfriction = -1"), 17, "joint[0].friction"),
        (
            joint("kind = \"hinge\"\na = \"bob\"\nanchor = [0, 0, 0]\naxis = [1, 0, 0]\nmotor = { position = 1 }"),
            19,
            "stiffness",
        ),
        (
            joint("kind = \"hinge\"\na = \"bob\"\nanchor = [0, 0, 0]\naxis = [1, 0, 0]\nspring = { stiffness = -1 }"),
            19,
            "joint[0].spring.stiffness",
        ),
        (joint("kind = \"hinge\"\na = \"bob\"\nanchor = [0, 0, 0]"), 14, "joint[0].axis: missing"),
        (joint("kind = \"hinge\"\na = \"bob\"\nanchor = [0, 0, 0]\naxis = [0, 0, 0]"), 18, "has no direction"),
        (joint("kind = \"slider\"\na = \"bob\"\nanchor = [0, 0, 0]\naxis = [1, 0, 0]\nlimits = [2, 1]"), 19, "crossed"),
        (joint("kind = \"ball\"\na = \"bob\"\nanchor = [0, 0, 0]\nlimits = [1, 2]"), 18, "has no limits"),
        (joint("kind = \"distance\"\na = \"bob\"\nanchor = [0, 0, 0]"), 14, "joint[0].anchor_b: missing"),
        (joint("kind = \"distance\"\na = \"bob\"\nanchor = [1, 0, 0]\nanchor_b = [1, 0, 0]"), 18, "coincide"),
        (joint("kind = \"ball\"\na = \"bob\"\nanchor = [0, 0, 0]\nbreak_at = 0"), 18, "above 0"),
        (
            joint("kind = \"hinge\"\na = \"bob\"\nanchor = [0, 0, 0]\naxis = [1, 0, 0]\nmotor = { velocity = 1 }"),
            19,
            "max_force",
        ),
        (
            format!("[world]\nresponse = \"none\"\n{BOB}[[joint]]\nkind = \"fixed\"\na = \"bob\"\n"),
            8,
            "joints act only with a response",
        ),
        (format!("{FLOOR}{BOX}[[joint]]\nkind = \"fixed\"\na = \"floor\"\n"), 14, "no end of the joint is dynamic"),
        (
            format!("{BOB}count = 2\nspacing = [1, 0, 0]\n[[joint]]\nkind = \"fixed\"\na = \"bob\"\n"),
            10,
            "name one, such as `bob#1`",
        ),
        (
            joint(
                "name = \"j\"\nkind = \"fixed\"\na = \"bob\"\n[[joint]]\nname = \"j\"\nkind = \"fixed\"\na = \"box\"",
            ),
            19,
            "two joints have this name",
        ),
    ] {
        shop.file("bad.toml", &text);
        let run = shop.run(&["run", "bad.toml"]);
        assert_eq!(run.code, Some(2), "{text}: {}", run.out);
        let place = format!("bad.toml, line {line}:");
        assert!(run.err.contains(&place) && run.err.contains(words), "{text}\n{place} … {words}, but\n{}", run.err);
    }
}

#[test]
fn a_response_is_recorded_and_replayed_on_any_number_of_threads() {
    let shop = Workshop::new();
    let joint = "[[joint]]\nkind = \"ball\"\na = \"bob\"\nanchor = [5, 0, 4]\n";
    for response in ["impulse-lcp", "soft-step"] {
        let world = format!("response = \"{response}\"");
        watch(&shop, &scene(&world, &format!("{BOB}{joint}")), &["--record", "r.rec", "--threads", "1"]);
        for threads in ["1", "2", "4"] {
            let run = shop.run(&["run", "--replay", "r.rec", "--threads", threads]);
            assert!(run.code == Some(0) && run.out.contains("the same in all 11 states"), "{}{}", run.out, run.err);
        }
    }
}

#[test]
fn the_final_lines_report_energy_and_residual() {
    let shop = Workshop::new();
    shop.file("s.toml", scene("", ""));
    let run = shop.run(&["run", "s.toml"]);
    assert!(run.out.contains("response auto · energy "), "{}", run.out);
    for word in ["worst residual ", "energy made ", "momentum off by ", "overlaps up to "] {
        assert!(run.out.contains(word), "{word}: {}", run.out);
    }
    assert!(!run.out.contains("warning"), "{}", run.out);
}

#[test]
fn the_built_in_scene_ends_at_rest() {
    let shop = Workshop::new();
    let run = shop.run(&["run", "-q", "--trace", "t.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let trace = fs::read_to_string(shop.path().join("t.jsonl")).unwrap();
    let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
    let kinetic = last["energy"]["kinetic"].as_f64().unwrap();
    assert!(kinetic < 1e-9, "{kinetic} J");
}
