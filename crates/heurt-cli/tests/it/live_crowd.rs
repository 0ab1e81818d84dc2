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
    let shop = Workshop::new();
    shop.file("hall.toml", CROWD);
    Served::of(shop, &[&["hall.toml"], arguments].concat())
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
