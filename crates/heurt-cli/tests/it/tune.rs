//! `heurt tune`: a table, a file that other commands take, a plot; and what it says to bad input.

use crate::support;
use crate::support::{CUBE, Workshop};
use serde_json::json;

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
    // The choice comes first, then the others, fastest first, those that were given up last.
    let times: Vec<f64> = rows[1..]
        .iter()
        .filter(|row| row["stopped_over"].is_null())
        .filter_map(|row| row["measured_ns"].as_f64())
        .collect();
    assert!(times.is_sorted() && rows[0]["stopped_over"].is_null());
    let poses = ["poses", "unseen_poses", "poses_left_out"].map(|field| report[field].as_u64().unwrap());
    assert_eq!(poses.iter().sum::<u64>(), 24);
    let unseen = &report["unseen"];
    assert!(unseen["chosen_ns"].as_f64() >= unseen["best_ns"].as_f64(), "{unseen}");
    assert!(
        unseen["rows"].as_u64() >= report["close_rows"].as_u64() && report["lag"].as_f64() >= Some(1.0),
        "{report}"
    );

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
        shop.run_query(&request)
    };
    assert_eq!(request(json!("best.tree")), request(json!(null)));
}

#[test]
fn poses_can_be_given_and_costs_are_drawn() {
    let shop = workshop();
    shop.file(
        "poses.jsonl",
        "\u{feff}{\"pose_b\":{\"translation\":[0.9,0,0]}}\n\n{\"pose_a\":{\"translation\":[0,0,1.2]}}\n{}\n",
    );
    let arguments =
        ["tune", "torus.stl", "ball.stl", "--motion", "poses.jsonl", "--verb", "pairs", "--plot", "cost.svg"];
    let run = shop.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("N_v") && run.out.contains("selected for all pairs on 2 poses"), "{}", run.out);
    let drawing = std::fs::read_to_string(shop.path().join("cost.svg")).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.contains("kdop26") && drawing.ends_with("</svg>\n"), "{drawing}");
    let pixels = [&arguments[..8], &["cost.PNG"]].concat();
    assert_eq!(shop.run(&pixels).code, Some(0));
    assert_eq!(support::png_size(&shop.path().join("cost.PNG")), (900, 600));
    let run = shop.run(&["tune", "torus.stl", "ball.stl", "--quiet", "--poses", "8"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
}

#[test]
fn every_combination_is_tried_on_demand() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let run = shop.run(&["tune", "cube.obj", "cube.obj", "--all", "--poses", "4", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report = run.json();
    let rows = report["rows"].as_array().unwrap();
    // Two of the eight kinds of volumes have axes of three kinds; what is tried without --all is tried, too.
    assert_eq!(rows.iter().filter(|row| row["leaf_size"] == 8).count(), (6 + 2 * 3) * 3 * 10);
    assert!([2, 4].iter().all(|leaf_size| rows.iter().any(|row| row["leaf_size"] == *leaf_size)));
}

#[test]
fn a_small_part_is_tuned_on_the_surface_of_a_large_one() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    shop.file("speck.obj", CUBE.replace("0.5", "0.0000005"));
    let run = shop.run(&["tune", "cube.obj", "speck.obj", "--poses", "12", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report = run.json();
    assert!(report["rows"][0]["n_v"].as_f64() > Some(0.0), "trees are walked: {report}");
}

#[test]
fn what_no_tree_decides_is_not_told_as_a_choice() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    shop.file("far.jsonl", "{\"pose_b\":{\"translation\":[9,0,0]}}\n{\"pose_b\":{\"translation\":[0,9,0]}}\n");
    let run = shop.run(&["tune", "cube.obj", "cube.obj", "--motion", "far.jsonl", "-o", "best.tree"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{}", run.err);
    assert!(run.err.contains("no tree was traversed, so none is faster"), "{}", run.err);
    assert!(!shop.path().join("best.tree").exists());
    // Lines in space, none through the middle, pass each other from wherever they come.
    let lines = "v -1 0 0\nv 1 0 0\nv 0 0 0\nf 1 2 3\nv -1 0.5 0.7\nv 1 0.5 0.9\nv 0 0.5 0.8\nf 4 5 6\n";
    shop.file("along.obj", lines);
    shop.file("across.obj", lines.replace("-1 0 0", "0 -1 0").replace("v 1 0 0", "v 0 1 0"));
    let run = shop.run(&["tune", "along.obj", "across.obj"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("the search found 0 poses at which the surfaces nearly touch"), "{}", run.err);
    // A picture of nothing is no picture; what was there stays.
    shop.file("crossed.jsonl", "{}\n{}\n");
    let cost = shop.file("cost.svg", "an earlier one");
    let run =
        shop.run(&["tune", "along.obj", "across.obj", "--motion", "crossed.jsonl", "--quiet", "--plot", "cost.svg"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("cost.svg: nothing was measured that could be drawn"), "{}", run.err);
    assert_eq!(std::fs::read_to_string(cost).unwrap(), "an earlier one");
}

#[test]
fn bad_input_is_named() {
    let shop = workshop();
    shop.file("bad.jsonl", "{\"pose_b\":{\"translation\":[0,0,1]}}\n{\"pose_c\":{}}\n");
    shop.file("one.jsonl", "{}\n");
    shop.file("broken.jsonl", "{}\n{]\n");
    shop.file("bad.tree", "degree = 3\n");
    shop.file("empty.tree", "");
    shop.file("binary.tree", b"\x7fELF\x00\xff");
    shop.file("odd.tree", "degree = 8\nvolume = obb\n");
    shop.file("long.tree", format!("degree = 8\n{}", "# nothing\n".repeat(7000)));
    shop.file("no.stl", "not a mesh");
    for (arguments, words) in [
        (vec!["tune", "torus.stl", "missing.stl"], "cannot read missing.stl"),
        (vec!["tune", "torus.stl", "no.stl"], "no.stl"),
        (vec!["tune", "torus.stl"], "required"),
        (vec!["tune", "torus.stl", "ball.stl", "--motion", "bad.jsonl"], "bad.jsonl, line 2: pose_c"),
        (vec!["tune", "torus.stl", "ball.stl", "--motion", "one.jsonl"], "too few poses to compare trees: 1"),
        (vec!["tune", "torus.stl", "ball.stl", "--motion", "broken.jsonl"], "broken.jsonl, line 2: column 2: "),
        (vec!["tune", "torus.stl", "ball.stl", "--motion", "missing"], "cannot read missing"),
        (vec!["tune", "torus.stl", "ball.stl", "--plot", ".svg"], "the name has nothing before `.svg`"),
        (vec!["tune", "torus.stl", "ball.stl", "--plot", "cost.pdf"], "any browser"),
        (vec!["tune", "torus.stl", "ball.stl", "--plot", "cost.bmp"], "plots are drawn as SVG"),
        (vec!["tune", "torus.stl", "ball.stl", "--poses", "3"], "3"),
        (vec!["tune", "torus.stl", "ball.stl", "--poses", "8", "-o", "no/such/folder/x.tree"], "cannot write"),
        (vec!["check", "torus.stl", "ball.stl", "--tree", "bad.tree"], "`degree` is 3: give 2, 4 or 8"),
        (vec!["check", "torus.stl", "ball.stl", "--tree", "empty.tree"], "not a tree file: it chooses nothing"),
        (vec!["check", "torus.stl", "ball.stl", "--tree", "binary.tree"], "not a tree file: line 1 is no text"),
        (vec!["check", "torus.stl", "ball.stl", "--tree", "odd.tree"], "not a tree file: line 2: "),
        (
            vec!["check", "torus.stl", "ball.stl", "--tree", "long.tree"],
            "not a tree file: it is longer than 65536 bytes",
        ),
        (vec!["check", "torus.stl", "ball.stl", "--tree", "missing.tree"], "cannot read missing.tree"),
    ] {
        let run = shop.run(&arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.err);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    }
}
