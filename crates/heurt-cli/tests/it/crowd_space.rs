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
    for option in [&["--follow", "1", "--picture", "s.png"][..], &["--layers", "paths", "--picture", "s.png"]] {
        let run = shop.run(&[&["run", "sphere.toml"][..], option].concat());
        assert_eq!(run.code, Some(2));
        assert!(run.err.contains("the agents of this scene fly"), "{}", run.err);
    }
    shop.file("wide.toml", SPHERE.replace("radius = 6", "radius = 7.9"));
    let run = shop.run(&["run", "wide.toml"]);
    assert!(run.code == Some(2) && run.err.contains("agents[0].start"), "{}", run.err);
    let run = shop.run(&["run", "wide.toml", "--force", "--quiet", "--seconds", "1"]);
    assert!(run.code == Some(0) && run.err.contains("of 24 agents left out"), "{}", run.err);
}
