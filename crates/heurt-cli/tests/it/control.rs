//! `heurt run --control`: bodies moved by lines of a file or of standard input, records and replays of it, bad lines.

use crate::support::Workshop;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

const SCENE: &str = r#"
[world]
step = 0.01
seconds = 0.5

[[body]]
name = "floor"
kind = "static"
shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }

[[body]]
name = "crate"
shape = { type = "box", half = [0.2, 0.2, 0.2] }
pose = { translation = [0, 0, 0.2] }
mass = 10
friction = 0

[[body]]
name = "hand"
kind = "kinematic"
shape = { type = "sphere", radius = 0.05 }
pose = { translation = [-0.5, 0, 0.2] }

[[body]]
name = "lift"
kind = "kinematic"
shape = { type = "sphere", radius = 0.05 }
motion = [ { time = 0.0, translation = [5, 0, 0] }, { time = 1.0, translation = [5, 0, 1] } ]
"#;

fn trace(shop: &Workshop, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(shop.path().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn place(line: &Value, body: usize) -> [f64; 3] {
    let translation = line["bodies"][body]["translation"].as_array().unwrap();
    [0, 1, 2].map(|axis| translation[axis].as_f64().unwrap())
}

#[test]
fn a_pose_moves_a_kinematic_body_within_its_step_and_then_it_stays() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    shop.file("c.jsonl", "{\"step\":10,\"body\":\"hand\",\"pose\":{\"translation\":[-0.5,0,0.7]}}\n\n");
    let run = shop.run(&["run", "s.toml", "--control", "c.jsonl", "--trace", "t.jsonl", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let steps = trace(&shop, "t.jsonl");
    assert_eq!(place(&steps[9], 2), [-0.5, 0.0, 0.2]);
    for step in &steps[10..] {
        assert!((place(step, 2)[2] - 0.7).abs() < 1e-12, "{step}");
    }
}

#[test]
fn a_hand_that_passes_through_a_crate_in_one_step_touches_it() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    shop.file("c.jsonl", "{\"step\":5,\"body\":\"hand\",\"pose\":{\"translation\":[0.5,0,0.2]}}\n");
    let run = shop.run(&["run", "s.toml", "--control", "c.jsonl", "--events", "e.csv", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let events = fs::read_to_string(shop.path().join("e.csv")).unwrap();
    assert!(events.lines().any(|line| line.starts_with("5,") && line.contains("begin,crate,hand")), "{events}");
}

#[test]
fn a_force_acts_during_one_step() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    // 100 N during 10 ms on 10 kg: 0.1 m/s; two lines for one step add up.
    let line = "{\"step\":20,\"body\":\"crate\",\"force\":[0,50,0]}\n";
    shop.file("c.jsonl", line.repeat(2));
    let run = shop.run(&["run", "s.toml", "--control", "c.jsonl", "--trace", "t.jsonl", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let steps = trace(&shop, "t.jsonl");
    let speed = |step: usize| steps[step]["bodies"][1]["linear_velocity"][1].as_f64().unwrap();
    assert_eq!(speed(19), 0.0);
    assert!((speed(20) - 0.1).abs() < 1e-6 && (speed(50) - 0.1).abs() < 1e-6, "{} {}", speed(20), speed(50));
}

#[test]
fn a_record_holds_what_was_moved_and_its_replay_is_equal() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    let lines = "{\"step\":3,\"body\":\"crate\",\"force\":[30.123456789,0.1,7],\"torque\":[0,0,1.7],\"at\":[0.1,0.2,0.3]}\n\
                 {\"step\":4,\"body\":\"hand\",\"pose\":{\"translation\":[-0.31,0.01,0.2],\"rpy_deg\":[10,20,30]}}\n";
    shop.file("c.jsonl", lines);
    let run = shop.run(&["run", "s.toml", "--control", "c.jsonl", "--record", "r.rec", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let record = fs::read_to_string(shop.path().join("r.rec")).unwrap();
    assert_eq!(record.lines().filter(|line| line.contains("\"control\"")).count(), 2);
    let replay = shop.run(&["run", "--replay", "r.rec"]);
    assert_eq!(replay.code, Some(0), "{}{}", replay.out, replay.err);
    assert!(replay.out.contains("the same in all 51 states"), "{}", replay.out);
    // Without the objects the states differ: they are what moved the bodies.
    let without: String = record.lines().map(|line| format!("{}\n", without_control(line))).collect();
    shop.file("w.rec", &without);
    assert_eq!(shop.run(&["run", "--replay", "w.rec", "-q"]).code, Some(1));
}

/// The limit of forces holds for the body as it is when a line takes effect, in a run and in its replay.
#[test]
fn a_force_is_judged_when_it_takes_effect() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    // The arm of the force is 1 mm as the run begins and 5 m as it takes effect.
    let lines = "{\"step\":5,\"body\":\"crate\",\"force\":[1e5,0,0]}\n\
                 {\"step\":30,\"body\":\"crate\",\"force\":[0,0,1e6],\"at\":[0,0.001,0.2]}\n\
                 {\"step\":31,\"body\":\"crate\",\"force\":[0,0,1e7],\"at\":[0,0,0.2]}\n";
    shop.file("c.jsonl", lines);
    let run = shop.run(&["run", "s.toml", "--control", "c.jsonl", "--record", "r.rec", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("control: step 31") && run.err.contains("accelerates"), "{}", run.err);
    let replay = shop.run(&["run", "--replay", "r.rec", "-q"]);
    assert_eq!(replay.code, Some(0), "{}", replay.err);
}

#[test]
fn a_file_of_control_lines_may_begin_with_a_byte_order_mark() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    shop.file("c.jsonl", "\u{feff}{\"step\":10,\"body\":\"hand\",\"pose\":{\"translation\":[-0.5,0,0.7]}}\n");
    assert_eq!(shop.run(&["run", "s.toml", "--control", "c.jsonl", "-q"]).code, Some(0));
    fs::write(shop.path().join("c.jsonl"), b"\n\n{\"step\":1,\xff}").unwrap();
    let run = shop.run(&["run", "s.toml", "--control", "c.jsonl", "-q"]);
    assert!(run.code == Some(2) && run.err.contains("line 3: it is no text"), "{}", run.err);
}

fn without_control(line: &str) -> String {
    let mut value: Value = serde_json::from_str(line).unwrap();
    value.as_object_mut().unwrap().remove("control");
    // The fields of a record keep their order.
    match (value.get("step"), value.get("hash")) {
        (Some(step), Some(hash)) => format!("{{\"step\":{step},\"hash\":{hash}}}"),
        _ => line.to_owned(),
    }
}

#[test]
fn a_wrong_line_of_a_file_is_refused_with_its_number() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    let cases = [
        ("{\"body\":\"crate\",\"force\":[0,0,1]}", "no `step`"),
        ("{\"step\":0,\"body\":\"crate\",\"force\":[0,0,1]}", "taken already"),
        ("{\"step\":1,\"body\":\"crat\",\"force\":[0,0,1]}", "no body is called `crat`"),
        ("{\"step\":1,\"body\":\"floor\",\"force\":[0,0,1]}", "not dynamic"),
        ("{\"step\":1,\"body\":\"crate\",\"pose\":{\"translation\":[0,0,1]}}", "not kinematic"),
        ("{\"step\":1,\"body\":\"lift\",\"pose\":{\"translation\":[0,0,1]}}", "keyed poses"),
        ("{\"step\":1,\"body\":\"hand\",\"pose\":{\"translation\":[0,0,1]},\"force\":[0,0,1]}", "not both"),
        ("{\"step\":1,\"body\":\"hand\"}", "`pose`, `force`, `torque` or `vertices`"),
        ("{\"step\":1,\"body\":\"crate\",\"force\":[0,0,1e999]}", "number"),
        ("{\"step\":1,\"body\":\"crate\",\"force\":[0,0]}", "force"),
        ("{\"step\":1,\"body\":\"crate\",\"farce\":[0,0,1]}", "farce"),
        ("{\"step\":1,", "line 2"),
        ("[]", "line 2"),
    ];
    for (line, words) in cases {
        shop.file("c.jsonl", format!("\n{line}\n"));
        let run = shop.run(&["run", "s.toml", "--control", "c.jsonl", "-q"]);
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.err.contains("c.jsonl, line 2") && run.err.contains(words), "{line}: {}", run.err);
    }
    assert_eq!(shop.run(&["run", "s.toml", "--control", "missing.jsonl", "-q"]).code, Some(2));
}

#[test]
fn only_bodies_of_the_control_table_may_be_moved() {
    let shop = Workshop::new();
    shop.file("s.toml", format!("{SCENE}\n[control]\nbodies = [\"hand\"]\n"));
    shop.file("c.jsonl", "{\"step\":1,\"body\":\"crate\",\"force\":[0,0,1]}\n");
    let run = shop.run(&["run", "s.toml", "--control", "c.jsonl", "-q"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("not in the control list"), "{}", run.err);
    shop.file("bad.toml", format!("{SCENE}\n[control]\nbodies = [\"hand\", \"foot\"]\n"));
    let run = shop.run(&["run", "bad.toml", "-q"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("foot") && run.err.contains("bad.toml, line"), "{}", run.err);
}

#[test]
fn lines_of_standard_input_move_bodies_and_wrong_ones_are_reported() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    let mut child = Command::new(env!("CARGO_BIN_EXE_heurt"))
        .args(["run", "s.toml", "--control", "--record", "r.rec", "-q"])
        .current_dir(shop.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"{\"body\":\"nobody\",\"force\":[0,0,1]}\nnot json\n{\"body\":\"crate\",\"force\":[0,9,0]}\n")
        .unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("line 1: no body is called `nobody`") && errors.contains("line 2: no JSON"), "{errors}");
    let record = fs::read_to_string(shop.path().join("r.rec")).unwrap();
    assert_eq!(record.lines().filter(|line| line.contains("\"control\"")).count(), 1, "the good line");
    assert_eq!(shop.run(&["run", "--replay", "r.rec", "-q"]).code, Some(0));
}

/// Lines of bytes that are right but for a few bytes.
fn broken_lines(seed: u64, count: usize) -> Vec<u8> {
    const RIGHT: [&str; 5] = [
        r#"{"body":"hand","pose":{"translation":[0.5,0,1],"rotation":[0,0,0,1]}}"#,
        r#"{"body":"crate","force":[0,0,40],"at":[0.1,0,0.5],"torque":[0,0,2]}"#,
        r#"{"body":"sheet","vertices":[[0,0,4],[1,0,4],[0,1,4]]}"#,
        r#"{"body":"sheet","moved":[2,0],"vertices":[[0,0,4.5],[1,0,4]],"step":30}"#,
        r#"{"body":"crate","force":[1e300,-1e300,0],"at":[1e300,0,0]}"#,
    ];
    const BYTES: &[u8] = b"0123456789eE+-.,:{}[]\"\\ntrue null\x00\xff\xc3\r";
    let mut state = seed;
    let mut next = move |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let mut text = Vec::new();
    for _ in 0..count {
        let mut line = RIGHT[next(RIGHT.len())].as_bytes().to_vec();
        for _ in 0..next(4) {
            let (at, byte) = (next(line.len()), BYTES[next(BYTES.len())]);
            match next(3) {
                0 => line[at] = byte,
                1 => line.insert(at, byte),
                _ => drop(line.drain(at..(at + 1 + next(8)).min(line.len()))),
            }
            if line.is_empty() {
                line.push(byte);
            }
        }
        text.extend(line);
        text.push(b'\n');
    }
    text
}

#[test]
fn broken_lines_never_end_a_run_and_what_took_effect_can_be_replayed() {
    let shop = Workshop::new();
    shop.file("sheet.obj", "v 0 0 4\nv 1 0 4\nv 0 1 4\nf 1 2 3\n");
    let sheet = "\n[[body]]\nname = \"sheet\"\nkind = \"soft\"\nshape = { type = \"mesh\", path = \"sheet.obj\" }\n";
    shop.file("s.toml", format!("{SCENE}{sheet}"));
    for seed in 0..4 {
        let run = shop.feed(&["run", "s.toml", "--control", "--record", "r.rec", "-q"], broken_lines(seed, 1000));
        assert_eq!(run.code, Some(0), "seed {seed}: {}", run.err);
        assert!(run.err.contains("control, line"), "some lines are wrong");
        let record = fs::read_to_string(shop.path().join("r.rec")).unwrap();
        assert!(record.contains("\"control\""), "some lines are right");
        assert_eq!(shop.run(&["run", "--replay", "r.rec", "-q"]).code, Some(0), "seed {seed}");
    }
}
