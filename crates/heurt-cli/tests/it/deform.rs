//! Soft bodies in scenes: keys from files, vertices from control lines, vertices and faces in traces.

use crate::support::Workshop;
use serde_json::{Value, json};
use std::fs;

/// A square of two triangles at a height.
fn square(height: f64) -> String {
    format!("v 0 0 {height}\nv 1 0 {height}\nv 1 1 {height}\nv 0 1 {height}\nf 1 2 3\nf 1 3 4\n")
}

fn scene(deform: &str) -> String {
    format!(
        r#"
[world]
step = 0.1
seconds = 1.0
gravity = [0, 0, 0]

[[body]]
name = "cloth"
kind = "soft"
shape = {{ type = "mesh", path = "0.obj" }}
{deform}

[[body]]
name = "ball"
kind = "static"
shape = {{ type = "mesh", path = "tetrahedron.obj" }}
"#
    )
}

fn shop(deform: &str) -> Workshop {
    let shop = Workshop::new();
    shop.file("s.toml", scene(deform));
    (0..3).for_each(|key| drop(shop.file(&format!("{key}.obj"), square(f64::from(key)))));
    shop.file(
        "tetrahedron.obj",
        "v 0.5 0.2 1.2\nv 0.7 0.2 1.6\nv 0.3 0.2 1.6\nv 0.5 0.4 1.6\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
    );
    shop
}

fn trace(shop: &Workshop) -> Vec<Value> {
    let text = fs::read_to_string(shop.path().join("t.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn height(line: &Value) -> f64 {
    line["bodies"][0]["vertices"][2][2].as_f64().unwrap()
}

const TRACED: [&str; 6] = ["run", "s.toml", "--trace", "t.jsonl", "--trace-vertices", "--trace-faces"];

#[test]
fn keys_of_files_move_the_vertices() {
    for (keys, at_half) in [("times = [0, 0.5, 0.6]", 1.0), ("interval = 0.25", 2.0), ("times = [0.5, 0.8, 2]", 0.0)] {
        let shop = shop(&format!(r#"deform = {{ kind = "keys", files = ["0.obj", "1.obj", "2.obj"], {keys} }}"#));
        let run = shop.run(&TRACED);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let steps = trace(&shop);
        assert!((height(&steps[5]) - at_half).abs() < 1e-12, "{keys}: {}", steps[5]);
        let ball = &steps[5]["bodies"][1];
        assert!(ball.get("vertices").is_none(), "rigid bodies have none");
    }
}

#[test]
fn traces_list_all_pairs_of_faces_that_intersect() {
    let shop = shop(r#"deform = { kind = "keys", files = ["0.obj", "2.obj"], times = [0, 1] }"#);
    assert_eq!(shop.run(&TRACED).code, Some(0));
    let steps = trace(&shop);
    for (step, line) in steps.iter().enumerate() {
        // The tetrahedron spans heights from 1.2 to 1.6 m; its tip is in the first triangle of the square.
        let height = 0.2 * step as f64;
        let faces = line["faces"].as_array().unwrap();
        if (1.21..1.59).contains(&height) {
            let pairs: Vec<[u64; 2]> = serde_json::from_value(faces[0]["pairs"].clone()).unwrap();
            assert_eq!((&faces[0]["a"], &faces[0]["b"]), (&json!("cloth"), &json!("ball")));
            let sides: std::collections::BTreeSet<u64> = pairs.iter().map(|pair| pair[1]).collect();
            assert_eq!(sides, [0, 1, 2].into(), "step {step}");
        } else if !(1.19..1.61).contains(&height) {
            assert!(faces.is_empty(), "step {step}: {line}");
        }
    }
    assert!(steps.iter().any(|line| !line["faces"].as_array().unwrap().is_empty()));
    let plain = shop.run(&["run", "s.toml", "--trace", "t.jsonl"]);
    assert_eq!(plain.code, Some(0));
    assert!(trace(&shop)[0].get("faces").is_none());
    assert_eq!(shop.run(&["run", "s.toml", "--trace-faces"]).code, Some(2), "it needs a trace");
}

#[test]
fn control_lines_move_vertices_and_a_record_holds_them() {
    let shop = shop("");
    let all: Vec<[f64; 3]> = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| [x, y, 2.0]).to_vec();
    let lines = [
        json!({"step": 3, "body": "cloth", "vertices": all}),
        json!({"step": 5, "body": "cloth", "moved": [2, 0], "vertices": [[1, 1, 5], [0, 0, 3]]}),
    ];
    shop.file("c.jsonl", lines.map(|line| line.to_string() + "\n").concat());
    let run = shop.run(&[&TRACED[..], &["--control", "c.jsonl", "--record", "r.rec"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let heights: Vec<f64> = trace(&shop).iter().map(height).collect();
    assert_eq!(heights[..7], [0.0, 0.0, 0.0, 2.0, 2.0, 5.0, 5.0]);
    assert!(run.out.contains("cloth"), "the cloth passes through the tetrahedron: {}", run.out);
    let again = shop.run(&["run", "--replay", "r.rec"]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.out.contains("the same in all 11 states"), "{}", again.out);
}

#[test]
fn bad_keys_and_bad_vertices_are_refused_with_the_reason() {
    let bad_keys = [
        (r#"files = []"#, "a script without keys"),
        (r#"files = ["0.obj", "1.obj"], times = [0]"#, "there are 2 files"),
        (r#"files = ["0.obj", "1.obj"], times = [1, 0]"#, "times must be finite and grow"),
        (r#"files = ["0.obj", "1.obj"], times = [0, 1], interval = 1"#, "not both"),
        (r#"files = ["0.obj", "tetrahedron.obj"]"#, "its triangles are others"),
        (r#"files = ["0.obj", "none.obj"]"#, "body[0].deform.files[1]: none.obj cannot be used"),
        (r#"files = ["0.obj"], amplitude = 1"#, "amplitude"),
    ];
    for (keys, reason) in bad_keys {
        let shop = shop(&format!(r#"deform = {{ kind = "keys", {keys} }}"#));
        let run = shop.run(&["run", "s.toml"]);
        assert_eq!(run.code, Some(2), "{keys}");
        assert!(run.err.contains(reason), "{keys}: {}", run.err);
    }
    let shop = shop("");
    let bad_lines = [
        (r#""body":"ball","vertices":[[0,0,0]]"#, "not soft"),
        (r#""body":"cloth","vertices":[[0,0,0]]"#, "1 places are given for 4 vertices"),
        (r#""body":"cloth","moved":[4],"vertices":[[0,0,0]]"#, "has no vertex 4"),
        (r#""body":"cloth","moved":[1]"#, "`moved` needs `vertices`"),
        (r#""body":"cloth","moved":[-1],"vertices":[[0,0,0]]"#, "moved"),
        (r#""body":"cloth","moved":[1],"vertices":[[0,0,1e200]]"#, "farther than"),
        (r#""body":"cloth","moved":[1],"vertices":[[0,0,1e999]]"#, "out of range"),
        (r#""body":"cloth","moved":[1],"vertices":[[0,0,1]],"force":[0,0,1]"#, "vertices alone"),
    ];
    for (line, reason) in bad_lines {
        shop.file("c.jsonl", format!("{{\"step\":1,{line}}}\n"));
        let run = shop.run(&["run", "s.toml", "--control", "c.jsonl"]);
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.err.contains(reason), "{line}: {}", run.err);
    }
    // What only the world can judge does not end the run.
    shop.file("c.jsonl", "{\"step\":1,\"body\":\"cloth\",\"vertices\":[[1,1,1],[1,1,1],[1,1,1],[1,1,1]]}\n");
    let run = shop.run(&["run", "s.toml", "--control", "c.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("no triangle"), "{}", run.err);
}

#[test]
fn vertices_that_follow_a_script_are_not_moved_by_control() {
    let shop = shop(r#"deform = { kind = "keys", files = ["0.obj", "2.obj"], times = [0, 1] }"#);
    shop.file("c.jsonl", "{\"step\":1,\"body\":\"cloth\",\"moved\":[0],\"vertices\":[[0,0,5]]}\n");
    let run = shop.run(&["run", "s.toml", "--control", "c.jsonl", "-q"]);
    assert!(run.code == Some(2) && run.err.contains("leave out its `deform`"), "{}", run.err);
}
