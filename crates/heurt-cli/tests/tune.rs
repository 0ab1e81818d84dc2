//! `heurt tune`: a table, a file that other commands take, a plot; and what it says to bad input.

mod support;

use serde_json::json;
use support::{CUBE, Workshop};

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.make(&["torus", "--triangles", "600", "-o", "torus.stl"]);
    shop.make(&["sphere", "--triangles", "500", "-o", "ball.stl"]);
    shop
}

const QUICK: [&str; 2] = ["--poses", "24"];

#[test]
fn the_choice_is_the_fastest_row_and_other_commands_take_it() {
    let shop = workshop();
    let arguments = [&["tune", "torus.stl", "ball.stl", "-o", "best.tree", "--json"], &QUICK[..]].concat();
    let report = shop.run(&arguments);
    assert_eq!(report.code, Some(0), "{}", report.err);
    let report = report.json();
    let rows = report["rows"].as_array().unwrap();
    let volumes = ["aabb", "aabb-slab", "sphere", "obb", "kdop14", "kdop18", "kdop26", "rss"];
    for volume in volumes {
        assert!(rows.iter().any(|row| row["volume"] == volume && row["degree"] == 8), "{volume}");
    }
    assert!(rows.iter().any(|row| row["degree"] == 2) && rows.iter().any(|row| row["builder"] == "clusters"));
    for row in rows {
        for field in ["n_v", "n_p", "measured_ns", "predicted_ns", "build_ms", "bytes_per_triangle"] {
            assert!(row[field].as_f64().is_some_and(|x| x >= 0.0), "{field}: {row}");
        }
        assert!(row["n_v"].as_f64() > Some(0.0) && row["measured_ns"].as_f64() > Some(0.0), "{row}");
    }
    let best = rows[0]["measured_ns"].as_f64().unwrap();
    assert!(rows.iter().all(|row| row["measured_ns"].as_f64().unwrap() >= best));
    assert_eq!(report["poses"].as_u64().unwrap() + report["unseen_poses"].as_u64().unwrap(), 24);
    let unseen = &report["unseen"];
    assert!(unseen["chosen_ns"].as_f64() >= unseen["best_ns"].as_f64(), "{unseen}");

    let file = std::fs::read_to_string(shop.path().join("best.tree")).unwrap();
    assert!(file.contains(&format!("volume = {}", rows[0]["volume"])), "{file}");
    let plain = shop.run(&["check", "torus.stl", "ball.stl", "--json"]);
    let tuned = shop.run(&["check", "torus.stl", "ball.stl", "--json", "--tree", "best.tree"]);
    assert_eq!((plain.code, &plain.out), (Some(1), &tuned.out));
    let mesh = |path: &str| json!({"type": "mesh", "path": path});
    let request = |tree: serde_json::Value| {
        let mut request = json!({"op": "pairs", "a": mesh("torus.stl"), "b": mesh("ball.stl")});
        if tree.is_string() {
            request["tree"] = tree;
        }
        shop.ask(&request)
    };
    assert_eq!(request(json!("best.tree")), request(json!(null)));
}

#[test]
fn poses_can_be_given_and_costs_are_drawn() {
    let shop = workshop();
    shop.file(
        "poses.jsonl",
        "{\"pose_b\":{\"translation\":[0.9,0,0]}}\n\n{\"pose_a\":{\"translation\":[0,0,1.2]}}\n{}\n",
    );
    let arguments =
        ["tune", "torus.stl", "ball.stl", "--motion", "poses.jsonl", "--verb", "pairs", "--plot", "cost.svg"];
    let run = shop.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("N_v") && run.out.contains("fastest for all pairs on 2 poses"), "{}", run.out);
    let drawing = std::fs::read_to_string(shop.path().join("cost.svg")).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.contains("kdop26") && drawing.ends_with("</svg>\n"), "{drawing}");
    let run = shop.run(&["tune", "torus.stl", "ball.stl", "--quiet", "--poses", "8"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
}

#[test]
fn every_combination_is_tried_on_demand() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let run = shop.run(&["tune", "cube.obj", "cube.obj", "--all", "--poses", "4", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    // Two of the eight kinds of volumes have axes of three kinds.
    assert_eq!(run.json()["rows"].as_array().unwrap().len(), (6 + 2 * 3) * 3 * 10);
}

#[test]
fn bad_input_is_named() {
    let shop = workshop();
    shop.file("bad.jsonl", "{\"pose_b\":{\"translation\":[0,0,1]}}\n{\"pose_c\":{}}\n");
    shop.file("one.jsonl", "{}\n");
    shop.file("bad.tree", "degree = 3\n");
    shop.file("no.stl", "not a mesh");
    for (arguments, words) in [
        (vec!["tune", "torus.stl", "missing.stl"], "cannot read missing.stl"),
        (vec!["tune", "torus.stl", "no.stl"], "no.stl"),
        (vec!["tune", "torus.stl"], "required"),
        (vec!["tune", "torus.stl", "ball.stl", "--motion", "bad.jsonl"], "bad.jsonl, line 2: pose_c"),
        (vec!["tune", "torus.stl", "ball.stl", "--motion", "one.jsonl"], "1 poses are too few"),
        (vec!["tune", "torus.stl", "ball.stl", "--motion", "missing"], "cannot read missing"),
        (vec!["tune", "torus.stl", "ball.stl", "--plot", "cost.bmp"], "plots are drawn as SVG"),
        (vec!["tune", "torus.stl", "ball.stl", "--poses", "3"], "3"),
        (vec!["tune", "torus.stl", "ball.stl", "--poses", "8", "-o", "no/such/folder/x.tree"], "cannot write"),
        (vec!["check", "torus.stl", "ball.stl", "--tree", "bad.tree"], "`degree` is 3: give 2, 4 or 8"),
        (vec!["check", "torus.stl", "ball.stl", "--tree", "missing.tree"], "cannot read missing.tree"),
    ] {
        let run = shop.run(&arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.err);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    }
}
