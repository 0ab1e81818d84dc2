//! `heurt run`: who touches whom, and when.

use crate::support::Workshop;
use serde_json::{Value, json};

/// A ball that falls on a plate from 1 m, passes through it as nothing pushes it, and a second plate far below.
const SCENE: &str = r#"
[world]
response = "none"
gravity = [0, 0, -10]
step = 0.01
seconds = 1.0
[[body]]
name = "plate"
kind = "static"
shape = { type = "box", half = [1, 1, 0.1] }
[[body]]
name = "frame, left"
kind = "static"
shape = { type = "box", half = [0.1, 1, 1] }
pose = { translation = [1, 0, 0] }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
pose = { translation = [0, 0, 1.2] }
"#;

fn report(shop: &Workshop, more: &[&str]) -> Value {
    let run = shop.run(&[&["run", "s.toml", "--report", "r.json", "--events", "e.csv"], more].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    serde_json::from_str(&std::fs::read_to_string(shop.path().join("r.json")).unwrap()).unwrap()
}

#[test]
fn the_report_says_who_touches_whom_from_when_to_when() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    let report = report(&shop, &["-q"]);
    let contacts = report["contacts"].as_array().unwrap();
    assert_eq!(contacts.len(), 1, "{report}");
    let found = &contacts[0];
    assert_eq!((&found["a"], &found["b"]), (&json!("plate"), &json!("ball")));
    // It falls 1 m to touch, and 0.4 m more until it is through.
    let (from, to) = (found["from"].as_f64().unwrap(), found["to"].as_f64().unwrap());
    assert!((from - 0.2f64.sqrt()).abs() < 1e-3, "{from}");
    assert!((to - 0.28f64.sqrt()).abs() < 0.011, "{to}");
    assert!(found["deepest"].as_f64().unwrap() > 0.1);
    let events = std::fs::read_to_string(shop.path().join("e.csv")).unwrap();
    let lines: Vec<&str> = events.lines().collect();
    assert_eq!(lines[0], "step,time,event,a,b,x,y,z,nx,ny,nz");
    assert_eq!(lines.len(), 3);
    assert!(lines[1].contains(",begin,plate,ball,") && lines[2].contains(",end,plate,ball,"), "{events}");
}

#[test]
fn static_bodies_are_reported_on_request() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    let report = report(&shop, &["-q", "--static-pairs"]);
    let contacts = report["contacts"].as_array().unwrap();
    assert_eq!(contacts.len(), 2, "{report}");
    assert_eq!((&contacts[0]["a"], &contacts[0]["b"]), (&json!("plate"), &json!("frame, left")));
    assert_eq!((&contacts[0]["from"], &contacts[0]["to"]), (&json!(0.0), &Value::Null));
    let table = shop.run(&["run", "s.toml", "--static-pairs"]).out;
    assert!(table.contains("frame, left") && table.contains("lasts"), "{table}");
}

#[test]
fn one_body_is_one_body() {
    let shop = Workshop::new();
    shop.file("s.toml", "[[body]]\nname = \"x\"\nshape = { type = \"sphere\", radius = 1 }\n");
    let run = shop.run(&["run", "s.toml", "--steps", "2"]);
    assert!(run.out.contains("1 body ·") && run.out.contains("no two bodies touched"), "{}", run.out);
}
