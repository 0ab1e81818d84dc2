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

/// Packs files as a ZIP archive without compression.
fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let crc = !text.bytes().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1)))
        });
        let size = text.len() as u32;
        // Flags, method and time are 0; no extra field.
        let sizes = [&[0; 8][..], &crc.to_le_bytes(), &size.to_le_bytes(), &size.to_le_bytes()].concat();
        let lengths = [name.len() as u16, 0].map(u16::to_le_bytes).concat();
        let offset = bytes.len() as u32;
        bytes.extend([&b"PK\x03\x04\x14\0"[..], &sizes, &lengths, name.as_bytes(), text.as_bytes()].concat());
        let rest = [&[0; 10][..], &offset.to_le_bytes()].concat();
        directory.extend([&b"PK\x01\x02\x14\0\x14\0"[..], &sizes, &lengths, &rest, name.as_bytes()].concat());
    }
    let count = (files.len() as u16).to_le_bytes();
    let [size, at] = [directory.len(), bytes.len()].map(|length| (length as u32).to_le_bytes());
    [&bytes[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &size, &at, &[0, 0]].concat()
}

#[test]
fn scenarios_of_jupedsim_are_run_and_converted() {
    let shop = workshop();
    let json = r#"{"config": {"simulation_settings": {"simulationParams": {"max_simulation_time": 60, "dt": 0.05,
        "model_type": "CollisionFreeSpeedModel"}, "baseSeed": 3}},
        "exits": {"e": {"coordinates": [[11, 2], [12, 2], [12, 3], [11, 3], [11, 2]]}},
        "distributions": {"d": {"coordinates": [[0, 0], [4, 0], [4, 5], [0, 5]], "parameters": {"number": 8, "v0": 1.3}}},
        "checkpoints": {"c": {"coordinates": [[6, 1], [7, 1], [7, 4], [6, 4]], "waiting_time": 2}},
        "journeys_v2": [{"id": "j", "sequence": ["c", "e"]}]}"#;
    let plan = "POLYGON((0 0, 8 0, 8 2, 12 2, 12 3, 8 3, 8 5, 0 5, 0 0))";
    shop.file("hall.zip", zip(&[("config.json", json), ("geometry.wkt", plan)]));
    let run = shop.run(&["run", "hall.zip", "--report", "zip.json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("8, 8 arrived") && run.err.contains("agents do not wait there for 2 s"), "{}", run.err);
    let run = shop.run(&["crowd", "convert", "hall.zip", "-o", "new/hall"]);
    assert_eq!((run.code, run.out.contains("scene.toml")), (Some(0), true), "{}", run.err);
    let run = shop.run(&["run", "new/hall/scene.toml", "--report", "toml.json", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let hash = |name: &str| serde_json::from_str::<Value>(&text_of(&shop, name)).expect("JSON")["hash"].clone();
    assert_eq!(hash("zip.json"), hash("toml.json"));
    // The library reads the archive, too.
    let scene = heurt::scene::CrowdScene::read_zip(&std::fs::read(shop.path().join("hall.zip")).expect("a file"));
    let scene = scene.expect("a scenario");
    assert!(scene.count_agents() == 8 && scene.notes.iter().any(|note| note.contains("do not wait there for 2 s")));
    let step = scene.step;
    let mut crowd = scene.build().expect("sound");
    while !crowd.is_empty() {
        crowd.step(step);
    }
    assert_eq!(hash("zip.json"), format!("{:016x}", crowd.state_hash()));
    shop.file("bad.zip", zip(&[("config.json", "{"), ("geometry.wkt", plan)]));
    for arguments in [&["run", "bad.zip"][..], &["crowd", "convert", "bad.zip", "-o", "no"]] {
        let run = shop.run(arguments);
        assert!(run.code == Some(2) && run.err.contains("config.json"), "{}", run.err);
    }
    assert!(!shop.path().join("no").exists(), "nothing is written");
}

#[test]
fn storeys_cut_files_and_footsteps_are_measured() {
    let shop = workshop();
    let mut rows = "step,time,agent,group,x,y,z\n".to_owned();
    for step in 0..20 {
        for (agent, z) in [(0, 0.0), (1, 0.0), (2, 3.5)] {
            rows += &format!(
                "{step},{},{agent},a,{},{},{z}\n",
                f64::from(step) * 0.1,
                1.0 + 0.1 * f64::from(step),
                agent + 1
            );
        }
    }
    shop.file("house.csv", &rows);
    let plan = ["--plan", "POLYGON((0 0, 8 0, 8 5, 0 5, 0 0))", "--json"];
    let measure = |file: &str, more: &[&str]| shop.run(&[&["crowd", "measure", file][..], &plan, more].concat());
    let run = measure("house.csv", &[]);
    assert!(run.code == Some(2) && run.err.contains("--height LOW,HIGH"), "{}", run.err);
    for (height, agents) in [("0,1", 2), ("3,4", 1), ("-1,9", 3)] {
        let run = measure("house.csv", &["--height", height]);
        assert_eq!((run.code, &run.json()["agents"]), (Some(0), &agents.into()), "{}", run.err);
    }
    for (height, part) in
        [("6,7", "give heights between 0 m and 3.5 m"), ("4,3", "the lower one first"), ("4", "3,4.5")]
    {
        let run = measure("house.csv", &["--height", height]);
        assert!(run.code == Some(2) && run.err.contains(part), "{height}: {}", run.err);
    }
    // Both parts of the area count.
    let parts = "MULTIPOLYGON(((1 1, 2 1, 2 2, 1 2, 1 1)), ((4 0, 5 0, 5 1, 4 1, 4 0)))";
    let run = measure("house.csv", &["--height", "0,1", "--area", parts]);
    assert_eq!(run.json()["area"].as_f64(), Some(2.0), "{}", run.err);
    let run = measure("house.csv", &["--height", "0,1", "--area", "POLYGON((7 1, 9 1, 9 2, 7 2, 7 1))"]);
    let part = "the area reaches beyond the floor by 1 m², near (";
    assert!(run.code == Some(2) && run.err.contains("--area") && run.err.contains(part), "{}", run.err);
    // The file of a program that was stopped.
    shop.file("cut.csv", &rows[..rows.len() - 4]);
    let run = measure("cut.csv", &["--height", "0,1"]);
    assert!(run.code == Some(0) && run.err.contains("cut.csv, line 61: the last row is incomplete"), "{}", run.err);
    let steps = "pedestrianId simTime endTime startX startY endX endY\n1 0 1 1 1 3 1\n1 1 2 3 1 5 1\n2 0 2 1 2 4 2\n";
    shop.file("postvis.traj", steps);
    let run = measure("postvis.traj", &["--frame-rate", "10", "--line", "LINESTRING(2 0, 2 5)"]);
    assert_eq!((run.code, &run.json()["line"]["persons"]), (Some(0), &2.into()), "{}", run.err);
}

#[test]
fn pictures_of_maps_show_roads() {
    let shop = workshop();
    let draw = |highway: &str, key: &str| {
        let map = format!(
            "<osm><bounds minlat='60.000' minlon='24.000' maxlat='60.001' maxlon='24.002'/>\
             <node id='1' lat='60.0005' lon='24.000'/><node id='2' lat='60.0005' lon='24.002'/>\
             <way id='3'><nd ref='1'/><nd ref='2'/><tag k='highway' v='{highway}'/></way></osm>"
        );
        shop.file("town.osm", map);
        let agent = "[[agents]]\nname = \"a\"\nplaces = [[0, 20]]";
        shop.file("town.toml", format!("[world]\nseconds = 0\n[crowd]\nenvironment = \"town.osm\"\n{key}\n{agent}"));
        let picture = ["--picture", "town.png", "--picture-from", "top", "--picture-size", "300x300", "-q"];
        let run = shop.run(&[&["run", "town.toml"][..], &picture].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
        let file = std::fs::File::open(shop.path().join("town.png")).expect("written");
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("pixels");
        pixels
    };
    // The road is 9 m of 111 m wide, and darker than the floor.
    let darker = |a: &[u8], b: &[u8]| {
        a.chunks(3).zip(b.chunks(3)).filter(|(a, b)| i32::from(a[0]) + 20 < i32::from(b[0])).count()
    };
    let (path, road) = (draw("footway", ""), draw("primary", ""));
    assert!(darker(&road, &path) > 2000, "{} pixels", darker(&road, &path));
    let closed = draw("primary", "roads = \"crossings\"");
    assert!(darker(&closed, &path) > 2000, "{} pixels", darker(&closed, &path));
}
