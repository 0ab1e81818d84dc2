//! `heurt bench-world`: tables, JSON, CSV, plots; where kinds give out; and what it says to bad input.

use crate::support;
use crate::support::Workshop;
use serde_json::json;

/// Small and quick.
const SMALL: [&str; 5] = ["bench-world", "--counts", "300,100", "--steps", "6"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn every_kind_is_measured_at_every_number_and_speed() {
    let shop = Workshop::new();
    let run = shop.run(&with(&["--json"]));
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report = run.json();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 7 * 2 * 3);
    for row in rows {
        assert!(row["median_s"].as_f64() > Some(0.0) && row["slowest_s"].as_f64() >= row["median_s"].as_f64(), "{row}");
        assert_eq!(row["steps"], 6);
        // The same world for all kinds: the same pairs.
        let same = |other: &&serde_json::Value| other["boxes"] == row["boxes"] && other["speed"] == row["speed"];
        assert!(rows.iter().filter(same).all(|other| other["pairs"] == row["pairs"]), "{row}");
        // A box meets 1.5 others on the mean, less at the walls.
        let share = row["pairs"].as_f64().unwrap() / row["boxes"].as_f64().unwrap();
        assert!((0.2..1.2).contains(&share), "{row}");
    }
    let kinds = report["kinds"].as_array().unwrap();
    assert_eq!(kinds.len(), 7 * 3);
    assert!(kinds.iter().all(|kind| kind["most_boxes"] == 300 && kind["gives_out_at"].is_null()), "{kinds:?}");
    assert!(kinds.iter().all(|kind| kind["exponent"].is_f64()), "{kinds:?}");
}

#[test]
fn what_exceeds_the_budget_is_left_out_of_greater_worlds() {
    let shop = Workshop::new();
    let run = shop.run(&with(&["--kinds", "tree,brute-force", "--speeds", "0.1", "--budget", "1e-9", "--json"]));
    let report = run.json();
    assert_eq!(report["rows"].as_array().unwrap().len(), 2, "{report}");
    for kind in report["kinds"].as_array().unwrap() {
        assert_eq!(kind["gives_out_at"], 100);
        assert!(kind["most_boxes"].is_null() && kind["exponent"].is_null(), "{kind}");
        assert!(kind["reason"].as_str().unwrap().ends_with("s a step"), "{kind}");
    }
    // A kind says itself how many it takes.
    let arguments = ["bench-world", "--counts", "32769", "--kinds", "separating-planes", "--steps", "1"];
    let run = shop.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("at 32,769") && run.out.contains("32768"), "{}", run.out);
}

#[test]
fn memory_is_told_from_fewer_boxes_before_it_is_taken() {
    let shop = Workshop::new();
    // Planes between all pairs: what two thousand need at most is far from what thirty thousand do.
    let arguments = ["bench-world", "--kinds", "separating-planes,grid", "--counts", "2000,30000", "--speeds", "0.1"];
    let run = shop.run(&[&arguments[..], &["--memory", "64", "--steps", "1", "--budget", "1000", "--json"]].concat());
    let report = run.json();
    let [planes, grid] = [0, 1].map(|number| &report["kinds"][number]);
    assert_eq!(
        (&planes["kind"], &planes["most_boxes"], &planes["gives_out_at"]),
        (&json!("separating-planes"), &json!(2000), &json!(30000))
    );
    let reason = planes["reason"].as_str().unwrap();
    assert!(reason.starts_with("about ") && reason.ends_with(" MiB"), "{reason}");
    assert_eq!((&grid["most_boxes"], &grid["reason"]), (&json!(30000), &json!(null)));
    assert_eq!(report["rows"].as_array().unwrap().len(), 3, "what is left out is not measured");
}

#[test]
fn there_are_tables_plots_and_csv() {
    let shop = Workshop::new();
    let run = shop.run(&with(&["--plot", "cost.svg", "--threads", "2"]));
    assert_eq!(run.code, Some(0), "{}", run.err);
    for words in ["separating-planes", "(n + m)^", "over budget", "budget: 0.1 s per step, 1024 MiB"] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    let drawing = std::fs::read_to_string(shop.path().join("cost.svg")).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.ends_with("</svg>\n"), "{drawing}");
    let charts = drawing.matches(">\nTime per step").count().max(1) as u32;
    let run = shop.run(&with(&["--plot", "cost.png", "--threads", "2"]));
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(support::png_size(&shop.path().join("cost.png")), (900, 600 * charts));
    assert!(drawing.contains("at a speed of 0.01") && drawing.contains("300 boxes against their speed"), "{drawing}");
    let run = shop.run(&with(&["--csv", "--kinds", "grid,hash,grid", "--speeds", "0"]));
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "kind,boxes,speed,pairs,steps,median_s,mean_s,slowest_s,start_s,bytes");
    assert_eq!(lines.len(), 1 + 2 * 2);
    assert!(lines[1].starts_with("grid,100,0,") && lines[4].starts_with("hash,300,0,"), "{lines:?}");
    let run = shop.run(&with(&["--quiet", "--kinds", "tree"]));
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
}

#[test]
fn bad_input_is_named() {
    let shop = Workshop::new();
    for (more, words) in [
        (vec!["--kinds", "octopus"], "there is no broad phase \"octopus\""),
        (vec!["--speeds", "-1"], "--speeds -1: give numbers from 0"),
        (vec!["--speeds", "NaN"], "--speeds NaN"),
        (vec!["--budget", "0"], "--budget 0: give a finite time above 0"),
        (vec!["--budget", "0"], "`heurt bench-world --help` has every option"),
        (vec!["--speeds", "1e300"], "--speeds 1e300: give"),
        (vec!["--memory", "0"], "--memory"),
        (vec!["--steps", "0"], "--steps"),
        (vec!["--plot", "cost.bmp"], "plots are drawn as SVG"),
        (vec!["--plot", "no/such/folder.svg", "--kinds", "tree"], "cannot write"),
        (vec!["--json", "--csv"], "--csv"),
    ] {
        let run = shop.run(&with(&more));
        assert_eq!(run.code, Some(2), "{more:?}: {}", run.err);
        assert!(run.err.contains(words), "{more:?}: {}", run.err);
    }
    for counts in ["1", "100000000", "ten"] {
        let run = shop.run(&["bench-world", "--counts", counts]);
        assert_eq!(run.code, Some(2), "{counts}");
        assert!(run.err.contains("--counts"), "{}", run.err);
    }
}
