//! `heurt run`: scenes, traces, records, and what is said of faults.

use crate::support;
use crate::support::Workshop;
use serde_json::{Value, json};
use std::fs;

const FALL: &str = r#"
[world]
response = "none"
step = 0.01
seconds = 1.0

[[body]]
name = "ground"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
kind = "static"

[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.5 }
pose = { translation = [0, 0, 2] }
linear_velocity = [1, 0, 0]
angular_velocity = [0, 0, 2]
mass = 2.0
"#;

fn lines(shop: &Workshop, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(shop.path().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn close(value: &Value, expected: f64) -> bool {
    (value.as_f64().unwrap() - expected).abs() < 1e-9
}

#[test]
fn a_trace_tells_each_step_as_the_contract_says() {
    let shop = Workshop::new();
    shop.file("fall.toml", FALL);
    let run = shop.run(&["run", "fall.toml", "--trace", "t.jsonl", "--report", "r.json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let trace = lines(&shop, "t.jsonl");
    assert_eq!(trace.len(), 101, "line 0 is the state at the start");
    let first = &trace[0];
    assert_eq!((&first["step"], &first["time"], &first["contacts"]), (&json!(0), &json!(0.0), &json!([])));
    assert_eq!(first["bodies"][1]["name"], json!("ball"));
    assert_eq!(first["bodies"][1]["rotation"], json!([0.0, 0.0, 0.0, 1.0]));
    assert!(close(&first["energy"]["potential"], 2.0 * 9.81 * 2.0) && close(&first["momentum"][0], 2.0));
    let spin = 2.0 / 5.0 * 2.0 * 0.25 * 2.0;
    assert!(close(&first["energy"]["kinetic"], 1.0 + 0.5 * spin * 2.0), "{first}");
    let last = &trace[100];
    assert!(close(&last["bodies"][1]["translation"][2], 2.0 - 0.5 * 9.81) && close(&last["time"], 1.0));
    // It comes down to the ground after the time in which it falls 1.5 m.
    let met = trace.iter().find(|line| line["contacts"] != json!([])).unwrap();
    let time = (2.0f64 * 1.5 / 9.81).sqrt();
    assert!((met["time"].as_f64().unwrap() - time).abs() <= 0.01, "{met}");
    let contact = &met["contacts"][0];
    assert_eq!(
        (&contact["a"], &contact["b"], &contact["kind"]),
        (&json!("ground"), &json!("ball"), &json!("colliding"))
    );
    assert_eq!((&contact["normal"], &contact["impulse"]), (&json!([0.0, 0.0, 1.0]), &json!(0.0)));
    let report: Value = serde_json::from_str(&fs::read_to_string(shop.path().join("r.json")).unwrap()).unwrap();
    assert_eq!((&report["steps"], &report["bodies"], &report["hash"]), (&json!(100), &json!(2), &last["hash"]));
    let thinned =
        shop.run(&["run", "fall.toml", "--trace", "u.jsonl", "--trace-every", "10", "--trace-bodies", "ball", "-q"]);
    assert_eq!((thinned.code, thinned.out.as_str()), (Some(0), ""));
    let few = lines(&shop, "u.jsonl");
    assert_eq!(few.len(), 11);
    assert!(few.iter().all(|line| line["bodies"].as_array().unwrap().len() == 1));
    assert_eq!(few[10]["hash"], last["hash"]);
}

#[test]
fn any_number_of_threads_and_every_broad_phase_give_the_same_trace() {
    let shop = Workshop::new();
    let trace = |name: &str, arguments: &[&str]| {
        let run = shop.run(&[&["run"], arguments, &["--steps", "40", "--trace", name, "-q"]].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        fs::read_to_string(shop.path().join(name)).unwrap()
    };
    let expected = trace("1.jsonl", &["--threads", "1"]);
    assert!(expected.contains("\"kind\""), "something touches");
    assert!(trace("4.jsonl", &["--threads", "4"]) == expected);
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/src/run/built_in.toml");
    let scene = fs::read_to_string(scene).unwrap();
    for kind in ["brute-force", "sweep-and-prune", "sweep-and-prune-cubes", "separating-planes", "tree", "grid", "hash"]
    {
        let name = format!("{kind}.toml");
        shop.file(&name, scene.replace("[world]\n", &format!("[world]\nbroad_phase = \"{kind}\"\n")));
        assert!(trace("b.jsonl", &[&name]) == expected, "{kind}");
    }
}

#[test]
fn a_record_is_replayed_and_may_be_cut_off() {
    let shop = Workshop::new();
    shop.file("fall.toml", FALL);
    assert_eq!(shop.run(&["run", "fall.toml", "--record", "r.rec", "-q"]).code, Some(0));
    let same = shop.run(&["run", "--replay", "r.rec"]);
    assert_eq!(same.code, Some(0));
    assert!(same.out.contains("the replay is the same in all 101 states"), "{}", same.out);
    let text = fs::read_to_string(shop.path().join("r.rec")).unwrap();
    // As a run leaves it that is killed while it writes.
    shop.file("cut.rec", &text[..text.len() - 20]);
    assert!(shop.run(&["run", "--replay", "cut.rec"]).out.contains("the same in all 100 states"));
    let hash = lines(&shop, "r.rec")[51]["hash"].as_str().unwrap().to_owned();
    shop.file("other.rec", text.replace(&hash, "0000000000000000"));
    let other = shop.run(&["run", "--replay", "other.rec"]);
    assert_eq!(other.code, Some(1));
    assert!(other.out.contains("the replay differs from step 50 on"), "{}", other.out);
    let header = &text[..=text.find('\n').unwrap()];
    let [first, third] = [1, 3].map(|line| text.lines().nth(line).unwrap());
    for (record, words) in [
        ("{}\n", "not a record of a run"),
        (header, "a record without a state"),
        (&format!("{header}{first}\n{{}}\n"), "line 3 is no step"),
        (&format!("{header}{first}\n{third}\n"), "line 3 is step 2 where step 1 is due"),
        (&format!("{}{first}\n", header.replace("mass = 2.0", "mass = 0")), "line 1: line 18 of the recorded scene"),
    ] {
        shop.file("no.rec", record);
        let no = shop.run(&["run", "--replay", "no.rec"]);
        assert!(no.code == Some(2) && no.err.contains(words), "{words}: {}", no.err);
    }
}

#[test]
fn what_a_clock_cuts_is_not_recorded() {
    let shop = Workshop::new();
    shop.file("fall.toml", FALL.replace("step = 0.01\n", "step = 0.01\ndeadline = 1.0\n"));
    assert_eq!(shop.run(&["run", "fall.toml", "-q"]).code, Some(0));
    let run = shop.run(&["run", "fall.toml", "--record", "r.rec"]);
    assert!(run.code == Some(2) && run.err.contains("take `deadline` out of [world]"), "{}", run.err);
    assert!(!shop.path().join("r.rec").exists());
    shop.file("plain.toml", FALL);
    assert_eq!(shop.run(&["run", "plain.toml", "--record", "r.rec", "-q"]).code, Some(0));
    let text = fs::read_to_string(shop.path().join("r.rec")).unwrap();
    shop.file("r.rec", text.replacen("[world]\\n", "[world]\\ndeadline = 1.0\\n", 1));
    let run = shop.run(&["run", "--replay", "r.rec"]);
    assert!(run.code == Some(2) && run.err.contains("`deadline`"), "{}", run.err);
}

#[test]
fn a_run_that_is_killed_leaves_a_record_up_to_its_last_whole_step() {
    let shop = Workshop::new();
    shop.file("long.toml", FALL.replace("seconds = 1", "seconds = 100000"));
    let mut run = shop.command(&["run", "long.toml", "--record", "r.rec", "-q"]).spawn().expect("it starts");
    let length = || fs::metadata(shop.path().join("r.rec")).map_or(0, |file| file.len());
    while length() < 20_000 {
        assert!(run.try_wait().unwrap().is_none(), "it runs on");
        std::thread::yield_now();
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let whole = fs::read(shop.path().join("r.rec")).unwrap().iter().filter(|byte| **byte == b'\n').count();
    let again = shop.run(&["run", "--replay", "r.rec"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.out.contains(&format!("the same in all {} states", whole - 1)), "{} of {whole} lines", again.out);
}

/// Ended by the system, or by Ctrl-C: what was written is whole, and the run says how far it came.
#[test]
#[cfg(unix)]
fn a_run_that_is_asked_to_end_ends_after_a_whole_step() {
    for signal in ["-TERM", "-INT"] {
        let shop = Workshop::new();
        shop.file("long.toml", FALL.replace("seconds = 1", "seconds = 100000"));
        let mut run = shop.command(&["run", "long.toml", "--trace", "t.jsonl", "-q"]).spawn().expect("it starts");
        while fs::metadata(shop.path().join("t.jsonl")).map_or(0, |file| file.len()) < 20_000 {
            assert!(run.try_wait().unwrap().is_none(), "it runs on");
            std::thread::yield_now();
        }
        let sent = std::process::Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap();
        assert!(sent.success() && run.wait().unwrap().code() == Some(0), "{signal}");
        let trace = fs::read_to_string(shop.path().join("t.jsonl")).unwrap();
        assert!(trace.ends_with('\n'), "{signal}");
        // What was there when it was asked, in whole lines.
        assert!(lines(&shop, "t.jsonl").len() > 20 && trace.len() >= 20_000, "{signal}");
    }
}

#[test]
fn faults_in_a_scene_name_line_and_key() {
    let shop = Workshop::new();
    let ball = "[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 1 }\n";
    for (scene, line, words) in [
        ("[world]\ngravity = [0, 0]\n", 2, "world.gravity"),
        ("[world]\ngravty = [0, 0, 0]\n", 2, "unknown field"),
        ("\n[world\n", 2, ""),
        ("[world]\nbroad_phase = \"octree\"\n", 2, "brute-force, sweep-and-prune"),
        ("[world]\nresponse = \"springs\"\n", 2, "one of none, impulse-lcp, soft-step, auto"),
        ("[world]\nstep = 0\n", 2, "above 0"),
        ("[world]\nstep = nan\n", 2, "no finite number"),
        ("[world]\nstep = 1e-9\nseconds = 1e20\n", 3, "world.seconds: 1e20 cannot be used"),
        ("[world]\nseconds = 1e308\n", 2, "take longer steps, or less time"),
        ("[world]\n\nstep = 1e-9\n", 3, "world.step: 1e-9 cannot be used"),
        ("[world]\n\nstep = 1e-310\n", 3, "world.step: 1e-310 cannot be used"),
        ("[world]\nstep = 1\nseconds = 1\nstep = 2\n", 4, "step: given more than once"),
        ("[world]\nstep = 1\n[world]\n", 3, "world: given more than once"),
        ("world = 3\n", 1, "world: 3 is not a table"),
        (
            "[world]\nbroad_phase = \"separating-planes\"\n[[body]]\nname = \"a\"\nkind = \"static\"
            shape = { type = \"sphere\", radius = 1 }\ncount = 40000\nspacing = [9, 0, 0]\n",
            2,
            "world.broad_phase: separating-planes cannot be used: it takes 32768 bodies, and `a#32769` is one more",
        ),
        ("[surgery]\nrefinement = 1\nsoft = 9\n", 3, "surgery.soft: 9 cannot be used: give a number from 1 to 4"),
        ("[surgery]\nsoft = 1\nrefinement = 0\n", 3, "surgery.refinement: 0 cannot be used: give at least 1"),
        ("[surgery]\nsoft = 4\nrefinement = 20\n", 3, "surgery.refinement: 20 cannot be used"),
        ("[[body]]\nname = \"a\"\nshape = 3\n", 3, "body[0].shape: 3 is not a table"),
        (
            "[[body]]\nname = \"a\"\nshape = { type = \"csg\", tree = { type = \"sphere\", radius = -1 } }\n",
            3,
            "body[0].shape.tree.radius: -1 is not a number of at least 0",
        ),
        (
            "[[body]]\nname = \"a\"\nshape = { type = \"compound\", parts = [\n{ shape = { type = \"sphere\", radius = 1 } },
            { shape = { type = \"csg\", tree = { type = \"point\" } }, pose = {} } ] }\n",
            5,
            "body[0].shape.parts[1].shape: the CSG tree cannot be used: it is empty",
        ),
        ("[world]\nseconds = 2020-01-01\n", 2, "a date"),
        ("[[body]]\nname = \"a\"\n", 1, "body[0].shape: missing"),
        ("[[body]]\nname = \"a\"\nshape = { type = \"sphere\",\n  radius = -1 }\n", 4, "body[0].shape.radius"),
        ("[[body]]\nname = \"a\"\nshape = { type = \"mesh\", path = \"no.stl\" }\n", 3, "cannot read"),
        ("[[body]]\nname = \"a\"\nshape = { type = \"mesh\", path = \"no.stl\" }\n", 3, "help: paths begin from the folder"),
        (&format!("{ball}{ball}"), 5, "two bodies have this name"),
        (&format!("{ball}pose = {{ translation = [0, 0, nan] }}\n"), 4, "no finite number"),
        (&format!("{ball}pose = {{ rotation = [0, 0, 0, 2] }}\n"), 4, "norm"),
        (&format!("{ball}linear_velocity = [1e200, 0, 0]\n"), 4, "1e150"),
        (&format!("{ball}count = 5\n"), 1, "spacing: missing"),
        (&format!("{ball}count = 99999999\nspacing = [1, 0, 0]\n"), 4, "1048576 bodies"),
        (&format!("{ball}count = 99999999\n"), 4, "body[0].count: 99999999 cannot be used"),
        (&format!("{ball}density = 0\n"), 4, "density"),
        (&format!("{ball}density = 1\nmass = 1\n"), 4, "not both"),
        (&format!("{ball}inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"), 4, "mass (not density)"),
        (&format!("{ball}kind = \"soft\"\n"), 3, "must be a mesh"),
        (
            &format!("{ball}kind = \"static\"\ndeform = {{ kind = \"wave\", amplitude = 1, period = 1 }}\n"),
            5,
            "only soft bodies",
        ),
        (&format!("{ball}motion = [ {{ time = 1 }}, {{ time = 0 }} ]\n"), 4, "times must be finite and grow"),
        ("[[body]]\nname = \"\"\n", 2, "give at least one character"),
        ("[[body]]\nname = \"a\\u001B[31m\"\n", 2, "none that steers a terminal"),
        ("[world]\nstep = 1e299\nseconds = 1e300\n", 2, "world.step: 1e299 cannot be used: give at most 1e100"),
        ("[world]\ngravity = [0, 0, -1e300]\n", 2, "world.gravity"),
        ("[world]\ngravity = [0, 0, -1e-200]\n", 2, "world.gravity"),
        ("[world]\nmargin = 1e308\n", 2, "give at most 1e150"),
        (&format!("{ball}pose = {{ translation = [1e308, 0, 0] }}\n"), 4, "within 1e150 m of the origin"),
        (&format!("{ball}count = 3\nspacing = [0, 1e150, 0]\n"), 5, "within 1e150 m of the origin"),
        (&format!("{ball}motion = [ {{ time = 0, translation = [0, 0, 1e200] }} ]\n"), 4, "within 1e150 m"),
        (
            &format!("{ball}kind = \"soft\"\ndeform = {{ kind = \"wave\", amplitude = 1e200, period = 1 }}\n"),
            5,
            "give at most 1e150",
        ),
        (
            &format!("{}mass = 1\n", ball.replace("radius = 1", "radius = 1e300")),
            3,
            "the inertia of the shape at this mass",
        ),
        (&format!("{ball}mass = 1e308\n"), 4, "body[0].mass: 1e308 cannot be used"),
        (&format!("{ball}mass = 1e-310\n"), 4, "body[0].mass: 1e-310 cannot be used"),
        (&format!("{ball}density = 1e-310\n"), 4, "body[0].density: 1e-310 cannot be used"),
        (
            &format!("{ball}kind = \"soft\"\ndeform = {{ kind = \"wave\", amplitude = 1, period = 1e-310 }}\n"),
            5,
            "body[0].deform.period: 1e-310 cannot be used: give at least 1e-100 s",
        ),
        (&format!("{ball}mass = 1\ninertia = [[1, 0, 0], [0, 1, 0], [0, 0, 100]]\n"), 5, "none exceeds the sum"),
        (&format!("{ball}restitution = 1e300\n"), 4, "restitution: 1e300 cannot be used"),
        (&format!("{ball}angular_velocity = [0, 0, 1e12]\n"), 4, "take shorter steps"),
        (
            &format!("{ball}{}kind = \"kinematic\"\ncount = 20000\nspacing = [0, 0, 0]\n", ball.replace("ball", "many")),
            4,
            "body[1]: `many#10000` cannot be used: at least",
        ),
        (&format!("x = {}1{}\n", "[".repeat(70), "]".repeat(70)), 1, "nested"),
    ] {
        shop.file("bad.toml", scene);
        let run = shop.run(&["run", "bad.toml"]);
        assert_eq!(run.code, Some(2), "{scene}: {}", run.out);
        let message = format!("bad.toml, line {line}:");
        assert!(
            run.err.contains(&message) && run.err.contains(words),
            "{scene}\n{message} … {words}, but it says\n{}",
            run.err
        );
    }
    for (arguments, words) in [
        (&["run", "--host", "127.0.0.1"] as &[&str], "only with --view"),
        (&["run", "--seconds", "-1"], "--seconds -1: give a finite time"),
        (&["run", "--seconds", "nan"], "`heurt run --help` has every option"),
        (&["run", "--seconds", "1e300"], "--seconds 1e300: give at most 4294967296 steps"),
        (&["run", "--steps", "99999999999"], "--steps 99999999999: give at most 4294967296 steps"),
        (&["run", "--steps", "3", "--seconds", "1"], "cannot be used with"),
        (&["run", "no.toml"], "cannot read no.toml"),
        (&["run", "--trace", "t", "--trace-bodies", "nobody"], "no body is called `nobody`"),
        (&["run", "--replay", "no.rec"], "cannot read no.rec"),
    ] {
        let run = shop.run(arguments);
        assert!(run.code == Some(2) && run.err.contains(words), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn a_body_that_leaves_the_range_of_numbers_ends_the_run_by_name() {
    let shop = Workshop::new();
    let far = "[world]\nstep = 1e60\nseconds = 1e63\ngravity = [0, 0, 0]\n[[body]]\nname = \"comet\"\n";
    shop.file(
        "far.toml",
        format!("{far}shape = {{ type = \"sphere\", radius = 1 }}\nlinear_velocity = [1e149, 0, 0]\n"),
    );
    let run = shop.run(&["run", "far.toml", "--trace", "t.jsonl"]);
    assert!(run.code == Some(2) && run.err.contains("`comet`") && run.err.contains("beyond 1e150 m"), "{}", run.err);
    let steps = lines(&shop, "t.jsonl").len();
    assert!(steps > 0);
    let run = shop.run(&["run", "far.toml", "--report", "r.json", "--record", "r.rec"]);
    assert!(run.code == Some(2) && run.err.contains(&format!("after step {}:", steps - 1)), "{}", run.err);
    // What there is, is told.
    let report: Value = serde_json::from_str(&fs::read_to_string(shop.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(report["steps"], json!(steps - 1));
    assert!(run.out.contains(&format!("{} steps", steps - 1)), "{}", run.out);
    let again = shop.run(&["run", "--replay", "r.rec"]);
    assert!(again.code == Some(0) && again.out.contains(&format!("all {steps} states")), "{}{}", again.out, again.err);
    let heavy = "[[body]]\nname = \"comet\"\nshape = { type = \"sphere\", radius = 1 }\nmass = 1e100\n";
    shop.file("heavy.toml", format!("{heavy}linear_velocity = [1e149, 0, 0]\n"));
    let run = shop.run(&["run", "heavy.toml", "--trace", "heavy.jsonl"]);
    assert!(run.code == Some(2) && run.err.contains("choose other units"), "{}", run.err);
    assert!(lines(&shop, "heavy.jsonl").is_empty());
    let untold = shop.run(&["run", "heavy.toml"]);
    assert_eq!((untold.code, untold.err), (run.code, run.err), "whether it is traced or not");
}

/// Who overlaps as a run begins, and how fast who goes along a script.
#[test]
fn the_first_line_of_a_trace_tells_contacts_and_speeds() {
    let shop = Workshop::new();
    let scene = "[world]\nstep = 0.01\nseconds = 0.02\ngravity = [0, 0, 0]\n[[body]]\nname = \"pole\"\nkind = \"static\"\n\
                 shape = { type = \"sphere\", radius = 1 }\n[[body]]\nname = \"cart\"\nshape = { type = \"sphere\", radius = 1 }\n\
                 motion = [ { time = 0, translation = [1.5, 0, 0] }, { time = 1, translation = [4.5, 0, 0] } ]\n";
    shop.file("cart.toml", scene);
    let run = shop.run(&["run", "cart.toml", "--trace", "t.jsonl", "--report", "r.json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let trace = lines(&shop, "t.jsonl");
    for line in &trace {
        assert_eq!(line["bodies"][1]["linear_velocity"], json!([3.0, 0.0, 0.0]), "{line}");
        let [contact] = &line["contacts"].as_array().unwrap()[..] else { panic!("{line}") };
        assert_eq!((&contact["kind"], &contact["normal"]), (&json!("separating"), &json!([1.0, 0.0, 0.0])));
    }
    assert_eq!(trace.len(), 3);
    let report: Value = serde_json::from_str(&fs::read_to_string(shop.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(report["touches_begun"], json!(1));
}

#[test]
fn many_bodies_have_numbers_and_stand_a_spacing_apart() {
    let shop = Workshop::new();
    shop.file("ball.obj", support::CUBE);
    let scene = "[world]\nseconds = 0\n[[body]]\nname = \"cube\"\nshape = { type = \"mesh\", path = \"ball.obj\" }\n";
    shop.file(
        "deep/row.toml",
        format!("{}count = 3\nspacing = [2, 0, 0]\nkind = \"static\"\n", scene.replace("ball.obj", "../ball.obj")),
    );
    let run = shop.run(&["run", "deep/row.toml", "--trace", "t.jsonl", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let bodies = lines(&shop, "t.jsonl")[0]["bodies"].clone();
    let touching: Vec<(Value, Value)> =
        bodies.as_array().unwrap().iter().map(|b| (b["name"].clone(), b["translation"][0].clone())).collect();
    assert_eq!(touching, [(json!("cube#1"), json!(0.0)), (json!("cube#2"), json!(2.0)), (json!("cube#3"), json!(4.0))]);
}

#[test]
fn the_scenes_of_the_repository_run() {
    let shop = Workshop::new();
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    let mut count = 0;
    let files = |folder: &str| fs::read_dir(format!("{scenes}/{folder}")).unwrap().map(|entry| entry.unwrap().path());
    let is_scene = |path: &std::path::PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    for path in files("").chain(files("crowd")).filter(is_scene) {
        let steps = if path.ends_with("tumbling.toml") { "1" } else { "5" };
        let run = shop.run(&["run", path.to_str().unwrap(), "--steps", steps]);
        assert_eq!(run.code, Some(0), "{}: {}", path.display(), run.err);
        count += 1;
    }
    assert!(count >= 9, "{count} scenes");
}

/// Who touches whom in a scene of the repository, and its report.
fn watched(shop: &Workshop, scene: &str) -> (Vec<Value>, Value) {
    let scene = format!("{}/../../scenes/{scene}.toml", env!("CARGO_MANIFEST_DIR"));
    let run = shop.run(&["run", &scene, "-q", "--trace", "t.jsonl", "--report", "r.json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report = serde_json::from_str(&fs::read_to_string(shop.path().join("r.json")).unwrap()).unwrap();
    (lines(shop, "t.jsonl"), report)
}

#[test]
fn all_pairs_of_the_worst_case_touch_in_every_step() {
    let shop = Workshop::new();
    let (_, report) = watched(&shop, "worst_all_pairs");
    let all = json!(80 * 79 / 2);
    assert_eq!((&report["touching_max"], report["touching_mean"].as_f64()), (&all, all.as_f64()));
}

#[test]
fn the_assembly_taken_apart_clashes_once() {
    let shop = Workshop::new();
    let (trace, _) = watched(&shop, "disassembly");
    let contacts = trace.iter().flat_map(|line| line["contacts"].as_array().unwrap());
    let pairs: std::collections::BTreeSet<String> = contacts.map(|at| format!("{} {}", at["a"], at["b"])).collect();
    assert_eq!(pairs.into_iter().collect::<Vec<_>>(), ["\"pin right\" \"lever\""]);
}

#[test]
fn half_spaces_are_held_against_each_other_where_they_have_a_depth() {
    let shop = Workshop::new();
    let half_space = |name: &str, normal: &str, rest: &str| {
        let shape = format!("shape = {{ type = \"half_space\", normal = {normal}, offset = 0 }}");
        format!("[[body]]\nname = \"{name}\"\n{shape}\n{rest}\n")
    };
    let ground = half_space("ground", "[0, 0.6, 0.8]", "kind = \"static\"\ngroup = 3");
    let down = "motion = [ { time = 0, translation = [0, 0, 1] }, { time = 1, translation = [0, 0, -1] } ]";
    let run = |other: &str| {
        shop.file("s.toml", format!("[world]\nseconds = 1\nstep = 0.25\n{ground}{other}"));
        shop.run(&["run", "s.toml", "-q", "--trace", "t.jsonl"])
    };
    let piston = run(&half_space("piston", "[0, -0.6, -0.8]", down));
    assert_eq!(piston.code, Some(0), "{}", piston.err);
    let depths = lines(&shop, "t.jsonl").iter().filter_map(|line| line["contacts"][0]["separation"].as_f64()).count();
    assert_eq!(depths, 3, "at 0, 0.5 and 1 m");
    for (normal, rest) in [("[1, 0, 0]", "kind = \"static\""), ("[1, 0, 0]", "kind = \"kinematic\"\nmask = 4")] {
        let run = run(&half_space("wall", normal, rest));
        assert_eq!(run.code, Some(0), "{}", run.err);
    }
    for (normal, rest) in [
        ("[1, 0, 0]", "kind = \"kinematic\""),
        ("[0, 0.6, 0.8]", down),
        ("[0, -0.6, -0.8]", "kind = \"kinematic\"\nangular_velocity = [1, 0, 0]"),
        ("[1, 0, 0]", "kind = \"kinematic\"\nmask = 4\ngroup = 4\ncount = 2\nspacing = [1, 0, 0]"),
    ] {
        let run = run(&half_space("wall", normal, rest));
        assert!(run.code == Some(2) && run.err.contains("body[1].shape: the shape cannot be used"), "{}", run.err);
    }
}

#[test]
fn the_experiment_of_s2_is_a_scene() {
    let shop = Workshop::new();
    let scene = |table: &str| {
        format!("[world]\ngravity = [0, 0, 0]\nstep = 0.2\nseconds = 4.0\ndetection = \"discrete\"\n[surgery]\n{table}")
    };
    shop.file("four.toml", scene("soft = 4\nmutual = true\n"));
    shop.file("separate.toml", scene("soft = 4\n"));
    let touching = |name: &str, trace: &str| {
        let run = shop.run(&["run", name, "--trace", trace]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let lines = lines(&shop, trace);
        assert_eq!((lines.len(), lines[0]["bodies"].as_array().unwrap().len()), (21, 11));
        let mut pairs: Vec<(u64, String, String)> = Vec::new();
        for line in &lines {
            for contact in line["contacts"].as_array().unwrap() {
                let name = |side: &str| contact[side].as_str().unwrap().to_owned();
                pairs.push((line["step"].as_u64().unwrap(), name("a"), name("b")));
            }
        }
        pairs.dedup();
        pairs
    };
    let (all, separate) = (touching("four.toml", "four.jsonl"), touching("separate.toml", "separate.jsonl"));
    let is_mutual = |(_, a, b): &&(u64, String, String)| a.starts_with("soft") && b.starts_with("soft");
    assert!(all.iter().filter(is_mutual).count() > 10, "they squeeze each other");
    let others: Vec<_> = all.iter().filter(|pair| !is_mutual(pair)).cloned().collect();
    assert_eq!(others, separate);
    for (a, b) in [("rectum", "soft#1"), ("uterus", "instrument"), ("instrument", "soft#1")] {
        assert!(separate.iter().any(|(_, x, y)| (x.as_str(), y.as_str()) == (a, b)), "{a} and {b} never touch");
    }
    shop.file("five.toml", scene("soft = 5\n"));
    let run = shop.run(&["run", "five.toml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("soft") && run.err.contains('4'), "{}", run.err);
}

/// A soft body next to a curved one leaves no pair unproven; a deadline does.
#[test]
fn only_what_a_deadline_cut_is_unproven() {
    const PASSING: &str = r#"
[world]
step = 0.1
seconds = 0.2
gravity = [0, 0, 0]

[[body]]
name = "sheet"
shape = { type = "mesh", path = "sheet.obj" }
deform = { kind = "wave", amplitude = 0.01, period = 1.0 }

[[body]]
name = "drum"
shape = { type = "cylinder", radius = 0.1, half_height = 0.05 }
pose = { translation = [0.2, 0.6, 0.1] }
kind = "kinematic"
angular_velocity = [0, 0, 1]
"#;
    let shop = Workshop::new();
    shop.file("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 1\nf 1 2 3\n");
    shop.file("passing.toml", PASSING);
    let run = shop.run(&["run", "passing.toml", "--report", "r.json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report_of =
        |name: &str| -> Value { serde_json::from_str(&fs::read_to_string(shop.path().join(name)).unwrap()).unwrap() };
    let report = report_of("r.json");
    assert_eq!(
        (&report["steps_cut"], &report["pairs_cut"], &report["pairs_unproven"]),
        (&json!(0), &json!(0), &json!(0))
    );
    assert!(!run.out.contains("not decided") && !run.out.contains("deadline"), "{}", run.out);
    // Time is over before the first pair.
    shop.file("late.toml", FALL.replace("step = 0.01\n", "step = 0.01\ndeadline = 1e-300\n"));
    let run = shop.run(&["run", "late.toml", "--report", "late.json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report = report_of("late.json");
    assert!(report["steps_cut"].as_u64() > Some(40), "{report}");
    assert_eq!(report["pairs_cut"], report["pairs_unproven"]);
    assert!(run.out.contains("were cut") && !run.out.contains("not decided"), "{}", run.out);
    // What is cut ends sooner, and not in time.
    assert_eq!((&report["steps_late"], &report["deadline"]), (&json!(100), &json!(1e-300)));
    assert!(report["late_seconds"]["max"].as_f64() > Some(0.0), "{report}");
    assert!(run.out.contains("; ended late: 100, by "), "{}", run.out);
    shop.file("early.toml", FALL.replace("step = 0.01\n", "step = 0.01\ndeadline = 1e9\n"));
    let run = shop.run(&["run", "early.toml"]);
    assert!(run.out.contains("0 were cut; ended late: none"), "{}", run.out);
}

#[test]
fn a_tree_for_all_meshes_changes_no_state() {
    let shop = Workshop::new();
    shop.file("obb.tree", "volume = \"obb\"\ndegree = 4\n");
    shop.file("rss.tree", "volume = \"rss\"\n");
    shop.file("bad.tree", "\nvolume = \"cube\"\n");
    let ring = "shape = { type = \"supertoroid\", r0 = 2, r1 = 1, n1 = 1, n2 = 1, segments = 24 }\n";
    let scene = |tree: &str| {
        format!(
            "[world]\nresponse = \"none\"\nseconds = 0.5\ngravity = [0, 0, 0]\n[[body]]\nname = \"a\"\n{ring}{tree}linear_velocity = [0, 0, 3]\n\
             [[body]]\nname = \"b\"\n{ring}pose = {{ translation = [0.5, 0, 3.5] }}\n\
             [[body]]\nname = \"ball\"\nshape = {{ type = \"sphere\", radius = 1 }}\npose = {{ translation = [9, 0, 0] }}\n"
        )
    };
    shop.file("plain.toml", scene(""));
    shop.file("own.toml", scene("tree = \"rss.tree\"\n"));
    let trace = |arguments: &[&str]| {
        let run = shop.run(&[&["run"], arguments, &["--trace", "t.jsonl", "--record", "r.rec"]].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        let states = lines(&shop, "r.rec").split_off(1);
        let contacts: Vec<Value> = lines(&shop, "t.jsonl").iter().map(|line| line["contacts"].clone()).collect();
        assert!(contacts.iter().any(|contacts| *contacts != json!([])));
        (states, contacts, run.out.contains("no pair walks"))
    };
    let (states, contacts, _) = trace(&["plain.toml"]);
    for arguments in [
        &["plain.toml", "--tree", "obb.tree"][..],
        &["own.toml", "--tree", "rss.tree"],
        &["plain.toml", "--tree", "obb.tree", "--threads", "2"],
    ] {
        assert_eq!(trace(arguments), (states.clone(), contacts.clone(), false), "{arguments:?}");
    }
    // Trees of one kind against another, or against none, stand idle, which is said.
    for arguments in [&["own.toml"][..], &["own.toml", "--tree", "obb.tree"]] {
        assert_eq!(trace(arguments), (states.clone(), contacts.clone(), true), "{arguments:?}");
    }
    for (file, words) in [("bad.tree", "`volume` is `cube`"), ("none.tree", "none.tree")] {
        let run = shop.run(&["run", "plain.toml", "--tree", file]);
        assert_eq!(run.code, Some(2));
        assert!(run.err.contains(words) && run.err.contains(file), "{}", run.err);
    }
    let run = shop.run(&["run", "plain.toml", "--tree", "obb.tree", "--report", "obb.tree"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("written over an input"), "{}", run.err);
}

#[test]
fn the_first_impact_of_a_step_is_traced_with_its_time_and_normal() {
    // Report 39: past the middle of a plate as the step ends.
    let shop = Workshop::new();
    shop.file(
        "s.toml",
        r#"
[world]
response = "none"
gravity = [0, 0, 0]
step = 0.016666666666666666
seconds = 0.05
detection = "continuous"
[[body]]
name = "plate"
kind = "static"
shape = { type = "box", half = [5, 5, 0.05] }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.5 }
pose = { translation = [0, 0, 0.8] }
linear_velocity = [0, 0, -60.0]
"#,
    );
    let run = shop.run(&["run", "s.toml", "-q", "--trace", "t.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let trace = lines(&shop, "t.jsonl");
    let [contact] = trace[1]["contacts"].as_array().unwrap().as_slice() else { panic!("{}", trace[1]) };
    assert_eq!(
        (&contact["a"], &contact["b"], &contact["kind"]),
        (&json!("plate"), &json!("ball"), &json!("colliding"))
    );
    assert_eq!(contact["normal"], json!([0.0, 0.0, 1.0]));
    let time = contact["time"].as_f64().unwrap();
    assert!(time <= 0.25 / 60.0 && time > 0.25 / 60.0 - 1e-6, "{contact}");
}
