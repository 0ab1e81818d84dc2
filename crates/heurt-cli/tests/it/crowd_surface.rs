//! `heurt run` with scenes of agents on curved ground: outputs, outlines, and faults with their places.

use crate::support::{Workshop, png_size};
use serde_json::Value;

const PLANET: &str = r#"
[world]
seconds = 60
[crowd]
environment = { shape = "sphere", radius = 6, levels = 3 }
buildings = [{ at = [6, 0, 0], radius = 1.5 }]
[[agents]]
name = "slugs"
count = 3
body = "deforming"
outline = [[0.6, 0], [0.3, 0.3], [-0.3, 0.3], [-0.6, 0], [-0.3, -0.3], [0.3, -0.3]]
speed = 0.8
goals = [[0, 0, 6]]
[[agents]]
name = "people"
count = 12
goals = [[0, 0, -6]]
"#;

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.file("planet.toml", PLANET);
    shop
}

fn text_of(shop: &Workshop, name: &str) -> String {
    std::fs::read_to_string(shop.path().join(name)).expect("written")
}

/// Reads the place of a row from its fourth last column on.
fn place_of(row: &str, first: usize) -> [f64; 3] {
    let numbers: Vec<f64> =
        row.split(',').skip(first).take(3).map(|number| number.parse().expect("a number")).collect();
    [numbers[0], numbers[1], numbers[2]]
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

#[test]
fn a_planet_of_slugs_and_people_writes_rows_report_outlines_and_picture() {
    let shop = workshop();
    let files = ["--trajectories", "p.csv", "--report", "p.json", "--outlines", "o.csv", "--picture", "p.png"];
    let run = shop.run(&[&["run", "planet.toml", "--picture-size", "400x300"][..], &files].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("15, 15 arrived") && run.out.contains("0 pairs above 1 %"), "{}", run.out);
    let report: Value = serde_json::from_str(&text_of(&shop, "p.json")).expect("JSON");
    assert_eq!((&report["agents"], &report["arrived"]), (&15.into(), &15.into()));
    assert_eq!((&report["overlap"]["pairs"], &report["overlap"]["worst_relative"]), (&0.into(), &0.0.into()));
    assert_eq!(report["wall_overlap"]["worst_relative"], 0.0);
    // Places and corners are on the faces of the ball: no further from its middle than corners, and not much nearer.
    let rows = text_of(&shop, "p.csv");
    assert_eq!(rows.lines().next(), Some("step,time,agent,group,x,y,z,vx,vy,vz"));
    assert!(rows.lines().skip(1).all(|row| (5.9..6.0 + 1e-9).contains(&length(place_of(row, 4)))));
    let outlines = text_of(&shop, "o.csv");
    assert_eq!(outlines.lines().next(), Some("step,agent,section,vertex,x,y,z"));
    let first: Vec<&str> = outlines.lines().skip(1).take_while(|row| row.starts_with("0,")).collect();
    // Two edges of 0.6 m are divided.
    assert_eq!(first.len(), 3 * 8, "{first:?}");
    assert!(outlines.lines().skip(1).all(|row| (5.9..6.0 + 1e-9).contains(&length(place_of(row, 4)))));
    assert_eq!(png_size(&shop.path().join("p.png")), (400, 300));
}

#[test]
fn bodies_on_a_surface_are_the_same_for_any_number_of_threads() {
    let shop = workshop();
    let hash = |threads: &str| {
        let time = ["--seconds", "2", "--threads", threads, "--report", "r.json", "-q"];
        let run = shop.run(&[&["run", "planet.toml"][..], &time].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
        let report: Value = serde_json::from_str(&text_of(&shop, "r.json")).expect("JSON");
        report["hash"].to_string()
    };
    assert_eq!([hash("2"), hash("4")], [hash("1"), hash("1")]);
}

#[test]
fn faults_of_scenes_on_curved_ground_are_named_with_their_places_before_the_first_step() {
    let shop = workshop();
    let mesh = |name: &str, faces: &str| {
        let vertices = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 2 2 3\nv 2 0 0\n";
        shop.file(name, format!("{vertices}{faces}"));
    };
    mesh("flipped.obj", "f 1 2 3\nf 1 4 3\n");
    mesh("three.obj", "f 1 2 3\nf 1 3 4\nf 3 1 5\n");
    mesh("thin.obj", "f 1 2 6\nf 1 3 4\n");
    let surface = |file: &str| format!("{{ mesh = \"{file}\" }}");
    let sphere = "{ shape = \"sphere\", radius = 6, levels = 3 }";
    let outline = "[[0.6, 0], [0.3, 0.3], [-0.3, 0.3], [-0.6, 0], [-0.3, -0.3], [0.3, -0.3]]";
    for (from, to, parts) in [
        (
            outline,
            "[[0, 0], [1, 1], [1, 0], [0, 1]]".to_owned(),
            ["agents[0].outline", "crosses or touches itself near (0, 0)"],
        ),
        (outline, "[[6, 0], [0, 0.4], [-6, 0], [0, -0.4]]".to_owned(), ["agents[0].count", "bends by"]),
        ("count = 3", "places = [[0, 6, 0], [0, 6, 0.3]]".to_owned(), ["agents[0].places[1]", "overlaps agent 0"]),
        ("count = 3", "places = [[5.7, 1.6, 0]]".to_owned(), ["agents[0].places[0]", "at ("]),
        (sphere, surface("flipped.obj"), ["crowd.environment", "around (2, 2, 0)"]),
        (sphere, surface("three.obj"), ["crowd.environment", "around (2, 2, 0) has 3 faces"]),
        (sphere, surface("thin.obj"), ["crowd.environment", "around (2, 0, 0) has a height of 0"]),
    ] {
        let mut text = PLANET.replace(from, &to);
        assert_ne!(text, PLANET);
        if to.contains("mesh") {
            text = text.replace("buildings = [{ at = [6, 0, 0], radius = 1.5 }]", "");
        }
        shop.file("bad.toml", text);
        let run = shop.run(&["run", "bad.toml", "--trajectories", "bad.csv"]);
        assert_eq!(run.code, Some(2), "{to}: {}", run.err);
        let told = run.err.split_whitespace().collect::<Vec<_>>().join(" ").replace(" │ ", " ");
        assert!(parts.iter().all(|part| told.contains(part)), "{to}: {told}");
        assert!(!shop.path().join("bad.csv").exists(), "{to}: a row was written");
    }
}

#[test]
fn pictures_of_curved_ground_have_layers_and_follow_an_agent() {
    let shop = workshop();
    let picture = |name: &str, more: &[&str]| {
        let size = ["--picture", name, "--picture-size", "300x200", "--seconds", "1", "-q"];
        let run = shop.run(&[&["run", "planet.toml"], &size[..], more].concat());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{more:?}");
        std::fs::read(shop.path().join(name)).expect("written")
    };
    // Agent 0 may be behind the planet, and its path and cells too.
    let layers = ["none", "cells", "velocities", "bubbles", "ahead"];
    let mut pictures: Vec<Vec<u8>> = layers.iter().map(|layer| picture("layer.png", &["--layers", layer])).collect();
    pictures.extend(["paths", "neighbours"].map(|layer| {
        let follow = ["--follow", "slugs 0", "--layers", layer];
        picture("slug.png", &follow)
    }));
    assert!((0..7).all(|k| (0..k).all(|l| pictures[k] != pictures[l])), "each layer is seen");
}
