//! `heurt run` with scenes of crowds: outputs, options, and exit statuses.

use crate::support::{Workshop, png_size};
use serde_json::Value;

const HALL: &str = r#"
[world]
seconds = 60
[crowd]
environment = "hall.wkt"
[[agents]]
name = "people"
count = 20
start = "POLYGON((0 0, 6 0, 6 5, 0 5, 0 0))"
goals = ["POLYGON((11 2, 12 2, 12 3, 11 3, 11 2))"]
"#;

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.file("hall.wkt", "POLYGON((0 0, 8 0, 8 2, 12 2, 12 3, 8 3, 8 5, 0 5, 0 0))");
    shop.file("hall.toml", HALL);
    shop
}

fn text_of(shop: &Workshop, name: &str) -> String {
    std::fs::read_to_string(shop.path().join(name)).expect("written")
}

#[test]
fn crowds_write_table_rows_report_and_picture() {
    let shop = workshop();
    let files = ["--trajectories", "hall.csv", "--report", "hall.json", "--picture", "hall.png"];
    let run = shop.run(&[&["run", "hall.toml", "--picture-size", "400x300"][..], &files].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("20, 20 arrived") && run.out.contains("0 pairs above 1 %"), "{}", run.out);
    let report: Value = serde_json::from_str(&text_of(&shop, "hall.json")).expect("JSON");
    assert_eq!(
        (&report["agents"], &report["arrived"], &report["overlap"]["pairs"]),
        (&20.into(), &20.into(), &0.into())
    );
    assert!(report["travel_time"]["max"].as_f64().expect("a time") < 60.0, "{report}");
    let rows = text_of(&shop, "hall.csv");
    let agents = |step: &str| rows.lines().filter(|row| row.starts_with(step)).count();
    assert_eq!((rows.lines().next(), agents("0,")), (Some("step,time,agent,group,x,y,z,vx,vy,vz"), 20));
    assert!(rows.lines().last().is_some_and(|row| row.contains(",people,")));
    assert_eq!(png_size(&shop.path().join("hall.png")), (400, 300));
}

#[test]
fn crowds_are_the_same_for_any_number_of_threads() {
    let shop = workshop();
    let hash = |threads: &str, seed: &str| {
        let run = shop.run(&["run", "hall.toml", "--threads", threads, "--seed", seed, "--report", "r.json", "-q"]);
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
        let report: Value = serde_json::from_str(&text_of(&shop, "r.json")).expect("JSON");
        (report["travel_time"].to_string(), report["steps"].to_string())
    };
    assert_eq!([hash("1", "1"), hash("2", "1")], [hash("4", "1"), hash("1", "1")]);
    assert_ne!(hash("1", "1"), hash("1", "2"));
}

#[test]
fn unsound_crowds_are_not_run_unless_forced() {
    let shop = workshop();
    shop.file("bad.toml", format!("{HALL}\n[[agents]]\nname = \"lost\"\nplaces = [[5, 2.5], [20, 2]]\n"));
    let run = shop.run(&["run", "bad.toml", "--trajectories", "bad.csv"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    for part in ["bad.toml, line 14", "group `lost`", "(20, 2)", "--force"] {
        assert!(run.err.contains(part), "{part} in {}", run.err);
    }
    assert!(!shop.path().join("bad.csv").exists(), "no row is written");
    let run = shop.run(&["run", "bad.toml", "--force", "--seconds", "1", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("1 of 22 agents left out"), "{}", run.err);
}

#[test]
fn options_of_the_other_kind_of_scene_are_refused() {
    let shop = workshop();
    for option in [&["--trace", "t.jsonl"][..], &["--events", "e.csv"], &["--control", "c.jsonl"], &["--static-pairs"]]
    {
        let run = shop.run(&[&["run", "hall.toml"], option].concat());
        assert_eq!(run.code, Some(2), "{option:?}");
        assert!(run.err.contains(option[0]) && run.err.contains("this scene is of a crowd"), "{}", run.err);
    }
    shop.file("ball.toml", "[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 1 }\n");
    for option in [&["--trajectories", "t.csv"][..], &["--force"], &["--layers", "paths", "--picture", "p.png"]] {
        let run = shop.run(&[&["run", "ball.toml"], option].concat());
        assert!(run.code == Some(2) && run.err.contains("this scene is of bodies"), "{}", run.err);
    }
}

#[test]
fn pictures_and_videos_have_layers_and_follow_an_agent() {
    let shop = workshop();
    let picture = |name: &str, more: &[&str]| {
        let size = ["--picture", name, "--picture-size", "300x200", "--picture-from", "top", "--seconds", "1", "-q"];
        let run = shop.run(&[&["run", "hall.toml"], &size[..], more].concat());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{more:?}");
        std::fs::read(shop.path().join(name)).expect("written")
    };
    let plain = picture("plain.png", &[]);
    assert_eq!(plain, picture("cells.png", &["--layers", "cells"]), "cells are shown without a list, too");
    let all = picture("all.png", &["--layers", "cells,velocities,paths,neighbours"]);
    let none = picture("none.png", &["--layers", "none"]);
    let followed = picture("third.png", &["--follow", "people 3", "--layers", "neighbours"]);
    assert_eq!(followed, picture("number.png", &["--follow", "3", "--layers", "neighbours"]));
    let different = [&plain, &all, &none, &followed];
    assert!((0..4).all(|k| (0..k).all(|l| different[k] != different[l])));
    let run = shop.run(&["run", "hall.toml", "--steps", "20", "--video", "frames/", "--picture-size", "160x120", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let frames = std::fs::read_dir(shop.path().join("frames")).expect("a folder").count();
    assert_eq!(frames, 31, "a second of 30 frames, both ends included");
    for (options, part) in [
        (&["--picture", "x.png", "--follow", "people 99"][..], "from 0 to 19"),
        (&["--layers", "paths"], "--picture or --video"),
        (&["--picture", "x.png", "--layers", "walls"], "neighbours"),
    ] {
        let run = shop.run(&[&["run", "hall.toml", "--seconds", "0"], options].concat());
        assert!(run.code == Some(2) && run.err.contains(part), "{options:?}: {}", run.err);
    }
}

#[test]
fn trajectories_are_measured_in_each_format() {
    let shop = workshop();
    let measure = |file: &str, plan: &[&str]| {
        let run = shop.run(&["run", "hall.toml", "--trajectories", file, "-q"]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let line = ["--line", "LINESTRING (8 2, 8 3)", "--csv", "series.csv", "--json"];
        let run = shop.run(&[&["crowd", "measure", file][..], plan, &line].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        run.json()
    };
    let csv = measure("hall.csv", &["--plan", "hall.wkt"]);
    // The database has the floor in it.
    let database = measure("hall.sqlite", &[]);
    for document in [&csv, &database] {
        assert_eq!((&document["agents"], &document["line"]["persons"]), (&20.into(), &20.into()), "{document}");
        let flow = document["line"]["specific_flow"].as_f64().expect("a flow");
        assert!((0.5..6.0).contains(&flow), "{flow}");
        assert!(document["density"]["most"].as_f64().is_some_and(|most| most > 0.3), "{document}");
    }
    assert!(text_of(&shop, "series.csv").starts_with("frame,time,density,speed,flow\n"));
    for (arguments, part) in [
        (&["crowd", "measure", "hall.csv"][..], "give one with --plan"),
        (&["crowd", "measure", "hall.toml"], "hall.toml"),
        (&["crowd", "measure", "hall.csv", "--plan", "POLYGON((0 0"], "--plan"),
        (&["run", "hall.toml", "--trajectories", "hall.json"], ".sqlite"),
    ] {
        let run = shop.run(arguments);
        assert!(run.code == Some(2) && run.err.contains(part), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn files_of_guidelines_are_written_once() {
    let shop = workshop();
    for _ in 0..2 {
        let run = shop.run(&["crowd", "validate", "--write", "tests"]);
        assert!(run.code == Some(0) && run.out.contains("files in tests"), "{}", run.err);
    }
    let name = shop.path().join("tests/imo_01.toml");
    std::fs::write(&name, "changed").expect("writable");
    let run = shop.run(&["crowd", "validate", "--write", "tests"]);
    assert!(run.code == Some(2) && run.err.contains("imo_01.toml"), "{}", run.err);
    assert_eq!(std::fs::read(&name).expect("there"), b"changed");
}
