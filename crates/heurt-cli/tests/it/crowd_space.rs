//! `heurt run` with scenes of agents that fly: outputs, options, and exit statuses.

use crate::support::{Workshop, png_size};
use serde_json::Value;

const SPHERE: &str = r#"
[world]
seconds = 30
[crowd]
environment = { low = [-8, -8, -8], high = [8, 8, 8], cell = 8 }
[[agents]]
name = "flyers"
count = 24
start = { sphere = [0, 0, 0], radius = 6 }
speed = 2
goals = "antipode"
"#;

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.file("sphere.toml", SPHERE);
    shop
}

fn text_of(shop: &Workshop, name: &str) -> String {
    std::fs::read_to_string(shop.path().join(name)).expect("written")
}

#[test]
fn agents_that_fly_write_rows_report_and_picture() {
    let shop = workshop();
    let files = ["--trajectories", "s.csv", "--report", "s.json", "--picture", "s.png", "--layers", "cells"];
    let run = shop.run(&[&["run", "sphere.toml", "--picture-size", "400x300"][..], &files].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("24, 24 arrived") && run.out.contains("0 pairs above 1 %"), "{}", run.out);
    let report: Value = serde_json::from_str(&text_of(&shop, "s.json")).expect("JSON");
    assert_eq!((&report["agents"], &report["overlap"]["pairs"]), (&24.into(), &0.into()));
    let rows = text_of(&shop, "s.csv");
    let first = rows.lines().nth(1).expect("a row");
    let place: Vec<f64> = first.split(',').skip(4).take(3).map(|number| number.parse().expect("a number")).collect();
    let distance = place.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!((distance - 6.0).abs() < 1e-9, "{first}");
    assert_eq!(png_size(&shop.path().join("s.png")), (400, 300));
}

#[test]
fn agents_that_fly_are_the_same_for_any_number_of_threads() {
    let shop = workshop();
    let hash = |threads: &str| {
        let time = ["--seconds", "3", "--threads", threads, "--report", "r.json", "-q"];
        let run = shop.run(&[&["run", "sphere.toml"][..], &time].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
        let report: Value = serde_json::from_str(&text_of(&shop, "r.json")).expect("JSON");
        report["hash"].to_string()
    };
    assert_eq!([hash("2"), hash("4")], [hash("1"), hash("1")]);
}

#[test]
fn faults_and_options_of_floors_are_refused() {
    let shop = workshop();
    for (option, part) in [
        (&["--outlines", "o.csv"][..], "agents that fly are balls"),
        (&["--layers", "ahead", "--picture", "s.png"], "--layers ahead: the agents of this scene have none"),
        (&["--follow", "flyers 24", "--picture", "s.png"], "from 0 to 23"),
    ] {
        let run = shop.run(&[&["run", "sphere.toml"][..], option].concat());
        assert!(run.code == Some(2) && run.err.contains(part), "{option:?}: {}", run.err);
    }
    shop.file("wide.toml", SPHERE.replace("radius = 6", "radius = 7.9"));
    let run = shop.run(&["run", "wide.toml"]);
    assert!(run.code == Some(2) && run.err.contains("agents[0].start"), "{}", run.err);
    let run = shop.run(&["run", "wide.toml", "--force", "--quiet", "--seconds", "1"]);
    assert!(run.code == Some(0) && run.err.contains("of 24 agents left out"), "{}", run.err);
}

#[test]
fn pictures_in_space_have_layers_and_follow_an_agent() {
    let shop = workshop();
    let picture = |name: &str, more: &[&str]| {
        let size = ["--picture", name, "--picture-size", "300x200", "--seconds", "1", "-q"];
        let run = shop.run(&[&["run", "sphere.toml"], &size[..], more].concat());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{more:?}");
        std::fs::read(shop.path().join(name)).expect("written")
    };
    let plain = picture("plain.png", &[]);
    assert_eq!(plain, picture("none.png", &["--layers", "none"]));
    let layers = ["cells", "velocities", "paths", "neighbours", "bubbles"];
    let mut pictures: Vec<Vec<u8>> = layers.iter().map(|layer| picture("layer.png", &["--layers", layer])).collect();
    pictures.extend([plain, picture("third.png", &["--follow", "flyers 3", "--layers", "paths"])]);
    assert!((0..7).all(|k| (0..k).all(|l| pictures[k] != pictures[l])), "each layer is seen");
}
