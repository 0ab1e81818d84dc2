//! The live page of a crowd: agents as bodies, their speeds as colours, layers, and what is refused.

use crate::support::Workshop;
use crate::support::served::Served;
use serde_json::{Value, json};

const CROWD: &str = r#"
[world]
seconds = 60
[crowd]
environment = "POLYGON((0 0, 8 0, 8 2, 12 2, 12 3, 8 3, 8 5, 0 5, 0 0))"
model = "bubbles"
[[agents]]
name = "people"
count = 5
start = "POLYGON((0 0, 6 0, 6 5, 0 5, 0 0))"
goals = ["POLYGON((11 2, 12 2, 12 3, 11 3, 11 2))"]
[[agents]]
name = "guard"
places = [[1, 4]]
radius = 0.3
"#;

fn start(arguments: &[&str]) -> Served {
    start_scene(CROWD, arguments)
}

fn start_scene(text: &str, arguments: &[&str]) -> Served {
    let shop = Workshop::new();
    shop.file("hall.toml", text);
    Served::of(shop, &[&["hall.toml"], arguments].concat())
}

fn scene_of(served: &Served) -> Value {
    serde_json::from_slice(&served.request("/scene.json", "").1).expect("JSON")
}

/// The vertices of the first body of section `VERT`, and its number.
fn first_moved(section: &[u8]) -> (u32, Vec<[f32; 3]>) {
    let word = |at: usize| u32::from_le_bytes(section[at..at + 4].try_into().unwrap());
    let number = |at: usize| f32::from_bits(word(at));
    let vertices = (0..word(4) as usize).map(|k| [8, 12, 16].map(|at| number(12 * k + at)));
    (word(0), vertices.collect())
}

/// The meanings of the items of a section.
fn meanings(section: &[u8], size: usize) -> Vec<u32> {
    section.chunks(size).map(|item| u32::from_le_bytes(item[size - 4..].try_into().unwrap()) & 0xff).collect()
}

#[test]
fn a_crowd_is_floor_walls_and_agents_with_a_scale_of_speeds() {
    let served = start(&[]);
    let (status, body) = served.request("/scene.json", "");
    let scene: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, &scene["control"], &scene["tint"]["label"]), (200, &json!([]), &json!("Speed")));
    let bodies = scene["bodies"].as_array().unwrap();
    let names: Vec<&str> = bodies.iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[1], names[2], names[7], names.len()), ("floor", "walls", "people 0", "guard 5", 8));
    assert_eq!((&bodies[2]["mesh"], &bodies[6]["mesh"]), (&bodies[3]["mesh"], &bodies[3]["mesh"]), "one mesh a radius");
    assert_ne!(bodies[2]["mesh"], bodies[7]["mesh"]);
    assert_eq!(scene["meshes"], json!(4));
    let mut viewer = served.viewer();
    let frame = viewer.frame(|frame| frame.step >= 40);
    let tints = frame.section(b"TINT").expect("tints");
    assert_eq!((tints[0], tints[1], tints[7]), (255, 255, 0), "floor and walls keep their colours, the guard rests");
    assert!(tints[2..7].iter().all(|tint| (200..=254).contains(tint)), "people are at their speed: {tints:?}");
    assert_eq!(frame.place(7), [1.0, 4.0, 0.0]);
    // Agents that have left are not there.
    viewer.send(json!({"do": "seek", "step": 600}));
    let late = viewer.frame(|frame| frame.step >= 600);
    assert_eq!(late.section(b"STAT").unwrap()[..8], [0, 0, 8, 8, 8, 8, 8, 0]);
}

#[test]
fn a_viewer_chooses_layers_and_an_agent_and_moves_nothing() {
    let mut served = start(&["--trajectories", "hall.csv"]);
    let mut viewer = served.viewer();
    viewer.send(json!({"do": "pause"}));
    viewer.send(json!({"do": "inspect", "body": 3}));
    viewer.send(json!({"do": "layers", "on": ["cells", "velocities", "paths", "neighbours", "bubbles"]}));
    let frame = viewer.frame(|frame| frame.section(b"FACE").is_some() && frame.section(b"LINE").is_some());
    let lines = meanings(frame.section(b"LINE").unwrap(), 28);
    let count = |kind: u32| lines.iter().filter(|&&meaning| meaning == kind).count();
    assert_eq!((count(19), count(21)), (6, 6 * 24), "a velocity and a circle for each agent");
    assert!(count(16) >= 4 && count(20) >= 1, "edges of cells, a path");
    let faces = meanings(frame.section(b"FACE").unwrap(), 40);
    assert!(faces.contains(&17) && faces.contains(&18), "the cell of the agent and the cells around it: {faces:?}");
    let state = viewer.text("body");
    assert_eq!((&state["body"], &state["group"]), (&json!(3), &json!("people")));
    assert!(state["own_speed"].as_f64().unwrap() > 0.5);
    for message in [json!({"do": "grab", "body": 3, "at": [0, 0, 0]}), json!({"body": "people 1", "force": [1, 0, 0]})]
    {
        assert!(viewer.refusal(message).contains("walk by themselves"));
    }
    assert!(viewer.refusal(json!({"do": "layers", "on": ["trees"]})).contains("trees"));
    assert!(viewer.refusal(json!({"do": "inspect", "body": 8})).contains("no body 8"));
    assert!(served.stop());
    let rows = std::fs::read_to_string(served.shop.path().join("hall.csv")).expect("written");
    assert!(rows.starts_with("step,time,agent") && rows.lines().count() >= 7, "all rows up to the stop are written");
}

#[test]
fn a_run_with_a_number_of_steps_ends_and_is_still_shown() {
    let mut served = start(&["--steps", "20"]);
    let mut viewer = served.viewer();
    viewer.send(json!({"do": "seek", "step": 20}));
    assert!(viewer.text("end")["message"].as_str().unwrap().contains("the last step"));
    let frame = viewer.frame(|frame| frame.flags & 2 == 2);
    assert_eq!(frame.step, 20);
    assert!(viewer.refusal(json!({"do": "play"})).contains("ended"));
    assert!(served.stop());
}

const SLUG: &str = r#"
body = "deforming"
outline = [[0.6, 0], [0.3, 0.3], [-0.3, 0.3], [-0.6, 0], [-0.3, -0.3], [0.3, -0.3]]
speed = 0.8
"#;

#[test]
fn slugs_on_a_floor_are_seen_in_their_present_shape() {
    let rooms = "POLYGON((0 0, 4 0, 4 1.75, 8 1.75, 8 0, 12 0, 12 4, 8 4, 8 2.25, 4 2.25, 4 4, 0 4, 0 0))";
    let walls = format!("[world]\nseconds = 60\n[crowd]\nenvironment = \"{rooms}\"\n");
    let goals = "goals = [\"POLYGON((11 0, 12 0, 12 4, 11 4, 11 0))\"]\nradius = 0.2\n";
    let slug = format!("[[agents]]\nname = \"slug\"\nplaces = [[2, 2]]\n{goals}{SLUG}");
    let served = start_scene(&format!("{walls}{slug}"), &[]);
    let scene = scene_of(&served);
    assert_eq!((&scene["bodies"][2]["name"], &scene["bodies"][2]["shape"]), (&json!("slug 0"), &json!("outline")));
    let mut viewer = served.viewer();
    let shape_at = |frame: &crate::support::served::Frame| first_moved(frame.section(b"VERT").expect("vertices"));
    let (body, first) = shape_at(&viewer.frame(|frame| frame.step >= 1));
    assert_eq!((body, first.len()), (2, 12), "a lower and an upper vertex for each corner");
    let width = |shape: &[[f32; 3]]| (shape[2][0] - shape[10][0]).hypot(shape[2][1] - shape[10][1]);
    assert!((width(&first) - 0.6).abs() < 1e-3, "{first:?}");
    let mut narrowest = width(&first);
    for step in (20..200).step_by(10) {
        viewer.send(json!({"do": "seek", "step": step}));
        let (_, now) = shape_at(&viewer.frame(|frame| frame.step == step));
        narrowest = narrowest.min(width(&now));
    }
    assert!(narrowest <= 0.5, "it passes a corridor of 0.5 m: {narrowest}");
}

#[test]
fn curved_ground_is_scenery_and_bodies_bend_with_it() {
    let place = "[world]\nseconds = 60\n[crowd]\nenvironment = { shape = \"sphere\", radius = 6, levels = 3 }\n";
    let city = "buildings = [{ at = [6, 0, 0], radius = 1.5 }]\n";
    let slugs = format!("[[agents]]\nname = \"slugs\"\ncount = 2\ngoals = [[0, 0, 6]]\n{SLUG}");
    let people = "[[agents]]\nname = \"people\"\ncount = 5\nspeed = 1.3\ngoals = [[0, 0, -6]]\n";
    let mut served = start_scene(&format!("{place}{city}{slugs}{people}"), &["--seconds", "5"]);
    let scene = scene_of(&served);
    let names: Vec<&str> =
        scene["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!((names[0], names[1], names[2], names[4]), ("free surface", "buildings", "slugs 0", "people 2"));
    let layers: Vec<&str> =
        scene["layers"].as_array().unwrap().iter().map(|layer| layer["name"].as_str().unwrap()).collect();
    assert_eq!(layers, ["cells", "velocities", "paths", "neighbours", "bubbles", "ahead"]);
    let mut viewer = served.viewer();
    viewer.send(json!({"do": "pause"}));
    viewer.send(json!({"do": "inspect", "body": 4}));
    viewer.send(json!({"do": "layers", "on": layers}));
    let frame = viewer.frame(|frame| frame.section(b"FACE").is_some());
    let lines = meanings(frame.section(b"LINE").unwrap(), 28);
    // Cells by level, velocities, a path, bubbles.
    assert!([16, 19, 20, 21].iter().all(|kind| lines.contains(kind)), "{lines:?}");
    let (body, vertices) = first_moved(frame.section(b"VERT").expect("vertices"));
    // Eight corners, as two edges of 0.6 m are divided; each 0.4 m below and above the ground.
    assert_eq!((body, vertices.len()), (2, 16));
    let at = frame.place(2);
    let height = |vertex: &[f32; 3]| (0..3).map(|k| (at[k] + vertex[k]).powi(2)).sum::<f32>().sqrt();
    let [low, high] = [0, 1].map(|top| vertices.iter().skip(top).step_by(2).map(height).sum::<f32>() / 8.0);
    assert!((low - 5.55).abs() < 0.06 && (high - 6.35).abs() < 0.06, "{low} {high}");
    // Balls of people touch the ground from outside.
    let ball = height_of(frame.place(4));
    assert!((6.1..6.25).contains(&ball), "{ball}");
    assert_eq!(viewer.text("body")["group"], "people");
    assert!(served.stop());
}

fn height_of(place: [f32; 3]) -> f32 {
    place.iter().map(|x| x * x).sum::<f32>().sqrt()
}

#[test]
fn agents_that_fly_are_balls_on_a_scale_of_their_own_speeds() {
    let place = "[world]\nseconds = 30\n[crowd]\nenvironment = { low = [-8, -8, -8], high = [8, 8, 8], cell = 8 }\n";
    let slow = "[[agents]]\nname = \"slow\"\ncount = 6\nstart = { sphere = [0, 0, 0], radius = 6 }\nspeed = 1\ngoals = \"antipode\"\n";
    let fast = "[[agents]]\nname = \"fast\"\ncount = 2\nstart = { sphere = [0, 0, 0], radius = 4 }\nspeed = 2\ngoals = \"antipode\"\n";
    let served = start_scene(&format!("{place}{slow}{fast}"), &[]);
    let scene = scene_of(&served);
    assert_eq!((&scene["tint"]["label"], &scene["tint"]["high"]), (&json!("Own speed"), &json!("the fastest")));
    let shapes: Vec<&Value> = scene["bodies"].as_array().unwrap().iter().map(|body| &body["shape"]).collect();
    assert_eq!(shapes, vec!["ball"; 8]);
    assert_eq!(scene["meshes"], 1, "one mesh a radius");
    let mut viewer = served.viewer();
    viewer.send(json!({"do": "pause"}));
    viewer.send(json!({"do": "inspect", "body": 0}));
    viewer.send(json!({"do": "layers", "on": ["cells", "paths", "neighbours"]}));
    let frame = viewer.frame(|frame| frame.section(b"LINE").is_some_and(|section| meanings(section, 28).contains(&20)));
    let lines = meanings(frame.section(b"LINE").unwrap(), 28);
    assert!([16, 17, 18].iter().all(|kind| lines.contains(kind)), "cells, the cell of agent 0 and the cells around it");
    assert_eq!(frame.section(b"TINT").unwrap()[..8], [0, 0, 0, 0, 0, 0, 254, 254]);
    assert!((height_of(frame.place(0)) - 6.0).abs() < 0.2);
}
