//! `heurt check`: ranking, clearance, sets of parts, lists of known pairs, earlier reports, exit status.

use crate::support::{CUBE, Workshop};
use serde_json::{Value, json};

/// Three cubes in a row along x that overlap by 0.1 and 0.3, and one that is 0.25 away from the last.
fn row() -> Workshop {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let part = |name: &str, x: f64| format!("[[part]]\nfile = \"cube.obj\"\nname = \"{name}\"\npose = [{x}, 0, 0]\n");
    let text = [part("bolt 1", 0.0), part("plate", 0.9), part("bolt 2", 1.6), part("far", 2.85)].concat();
    shop.file("row.toml", text);
    shop
}

fn report(shop: &Workshop, more: &[&str]) -> (Option<i32>, Value) {
    let run = shop.run(&[&["check", "row.toml", "--json"], more].concat());
    (run.code, run.json())
}

fn pairs(report: &Value) -> Vec<(String, String)> {
    let name = |found: &Value, side: &str| found[side].as_str().unwrap().to_owned();
    report["interferences"].as_array().unwrap().iter().map(|found| (name(found, "a"), name(found, "b"))).collect()
}

fn pair(a: &str, b: &str) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

#[test]
fn the_deepest_comes_first_with_a_translation_that_separates() {
    let shop = row();
    let (code, found) = report(&shop, &[]);
    assert_eq!(code, Some(1));
    assert_eq!(pairs(&found), [pair("plate", "bolt 2"), pair("bolt 1", "plate")]);
    for (found, depth) in found["interferences"].as_array().unwrap().iter().zip([0.3, 0.1]) {
        assert!((found["depth"].as_f64().unwrap() - depth).abs() < 1e-9, "{found}");
        let shift = &found["separating_translation"];
        assert!((shift[0].as_f64().unwrap() - depth).abs() < 1e-6, "{found}");
        let parts = [0, 1, 2].map(|axis| shift[axis].as_f64().unwrap());
        let length = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
        assert!((found["separating_length"].as_f64().unwrap() - length).abs() <= 1e-15, "{found}");
    }
    let (_, plain) = report(&shop, &["--no-depth"]);
    assert_eq!(pairs(&plain), [pair("bolt 1", "plate"), pair("plate", "bolt 2")]);
    assert_eq!(plain["interferences"][0]["depth"], Value::Null);
}

#[test]
fn near_pairs_have_gaps_and_points() {
    let shop = row();
    let (code, found) = report(&shop, &["--clearance", "0.25"]);
    assert_eq!(code, Some(1));
    assert_eq!(found["summary"]["near"], 1, "at the clearance counts as within it");
    let near = &found["near"][0];
    assert_eq!((&near["a"], &near["b"]), (&json!("bolt 2"), &json!("far")));
    assert!((near["gap"].as_f64().unwrap() - 0.25).abs() < 1e-12);
    assert!(near["gap_error"].as_f64().unwrap() < 1e-12 && near["kind"] == "near", "{near}");
    assert_eq!((&near["chord_error"], &near["certainty"]), (&json!(0.0), &json!("apart")));
    assert!((near["where"][0].as_f64().unwrap() - 2.225).abs() < 1e-12, "{near}");
    assert!((near["point_a"][0].as_f64().unwrap() - 2.1).abs() < 1e-12);
    assert!((near["point_b"][0].as_f64().unwrap() - 2.35).abs() < 1e-12);
    assert_eq!(report(&shop, &["--clearance", "0.2"]).1["summary"]["near"], 0);
    // Nothing but a near pair is a finding, too.
    let run = shop.run(&["check", "row.toml", "--of", "far", "--clearance", "0.3", "-q"]);
    assert_eq!(run.code, Some(1));
    let table = shop.run(&["check", "row.toml", "--clearance", "0.3"]).out;
    assert!(table.contains("near") && table.contains("1 pair is nearer than the clearance"), "{table}");
}

#[test]
fn shallow_pairs_are_left_out_and_counted() {
    let shop = row();
    let (code, found) = report(&shop, &["--min-depth", "0.2"]);
    assert_eq!((code, pairs(&found)), (Some(1), vec![pair("plate", "bolt 2")]));
    assert_eq!(found["summary"]["shallow_ignored"], 1);
    let run = shop.run(&["check", "row.toml", "--min-depth", "0.4"]);
    assert_eq!(run.code, Some(0));
    assert!(run.out.contains("2 no deeper than --tolerance left out"), "{}", run.out);
}

#[test]
fn one_set_is_checked_against_another() {
    let shop = row();
    let (_, found) = report(&shop, &["--of", "bolt 1", "--against", "plate", "--against", "far"]);
    assert_eq!(pairs(&found), [pair("bolt 1", "plate")]);
    assert_eq!(found["summary"]["pairs"], 2);
    let (_, found) = report(&shop, &["--of", "bolt*"]);
    assert_eq!((found["summary"]["pairs"].as_u64(), pairs(&found).len()), (Some(5), 2), "all but plate with far");
    let run = shop.run(&["check", "row.toml", "--of", "nut*"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("nut*") && run.err.contains("plate"), "{}", run.err);
}

#[test]
fn listed_pairs_are_left_out() {
    let shop = row();
    shop.file("known.txt", "# press fits\nplate, bolt ?\n");
    let (code, found) = report(&shop, &["--ignore", "known.txt"]);
    assert_eq!((code, pairs(&found).len()), (Some(0), 0));
    assert_eq!(found["summary"]["listed_ignored"], 2);
    shop.file("one.txt", "\"bolt 2\"\n");
    assert_eq!(pairs(&report(&shop, &["--ignore", "one.txt"]).1), [pair("bolt 1", "plate")]);
    // A line that names no part is a note, one that cannot be read an error; the others count.
    shop.file("stale.txt", "plate,bolt 2\nwasher*,plate\n\"open,plate\n");
    let run = shop.run(&["check", "row.toml", "--ignore", "stale.txt", "--json"]);
    assert_eq!(run.code, Some(2));
    let warnings = run.json()["warnings"].to_string();
    assert!(warnings.contains("stale.txt") && warnings.contains("line 2: `washer*` matches no part"), "{warnings}");
    assert!(run.err.contains("stale.txt, line 3") && run.err.contains("quote"), "{}", run.err);
    assert_eq!(pairs(&run.json()), [pair("bolt 1", "plate")]);
    shop.file("old.txt", "plate,*\nwasher*,plate\n");
    let run = shop.run(&["check", "row.toml", "--ignore", "old.txt"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.contains("line 2: `washer*` matches no part"), "{}", run.out);
}

#[test]
fn an_earlier_report_leaves_what_is_new() {
    let shop = row();
    let run = shop.run(&["check", "row.toml", "--json"]);
    shop.file("old.json", &run.out);
    let (code, found) = report(&shop, &["--baseline", "old.json"]);
    assert_eq!(code, Some(0), "nothing is new");
    assert_eq!(found["interferences"][0]["since"], "same");
    // One bolt moves out of the plate, one deeper, and one part comes to touch another.
    let text = std::fs::read_to_string(shop.path().join("row.toml")).unwrap();
    let text = text.replace("[0, 0, 0]", "[-1, 0, 0]").replace("[1.6, 0, 0]", "[1.5, 0, 0]");
    shop.file("row.toml", text.replace("[2.85, 0, 0]", "[2.5, 0, 0]"));
    let (code, found) = report(&shop, &["--baseline", "old.json"]);
    assert_eq!(code, Some(1));
    let since = |number: usize| found["interferences"][number]["since"].as_str().unwrap();
    assert_eq!([since(0), since(1)], ["changed", "new"], "{found}");
    assert_eq!(found["gone"], json!([{"a": "bolt 1", "b": "plate", "kind": "clash"}]));
    let table = shop.run(&["check", "row.toml", "--baseline", "old.json"]).out;
    assert!(table.contains("1 new, 1 changed, 1 gone") && table.contains("gone: bolt 1 and plate"), "{table}");
    shop.file("bad.json", "{}");
    let run = shop.run(&["check", "row.toml", "--baseline", "bad.json"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("bad.json") && run.err.contains("--json"), "{}", run.err);
}

#[test]
fn gaps_are_compared_with_those_of_an_earlier_report_of_any_version() {
    let shop = row();
    let options = ["check", "row.toml", "--json", "--clearance", "0.3"];
    let report = shop.run(&options).out;
    shop.file("old.json", &report);
    shop.file("older.json", report.replace("\"gap\":0.25", "\"distance\":0.25"));
    shop.file("nearer.json", report.replace("\"gap\":0.25", "\"distance\":0.21"));
    for (file, since) in [("old.json", "same"), ("older.json", "same"), ("nearer.json", "changed")] {
        let found = shop.run(&[&options[..], &["--baseline", file]].concat()).json();
        assert_eq!(found["near"][0]["since"], since, "{file}: {found}");
    }
}

#[test]
fn what_a_check_does_not_look_for_is_not_gone() {
    let shop = row();
    shop.file("cut.stl", "solid cut\nfacet normal 0 0 1\n");
    shop.file("old.json", shop.run(&["check", "row.toml", "--json"]).out);
    let gone = |more: &[&str]| {
        let found = report(&shop, &[&["--baseline", "old.json"], more].concat()).1;
        [&found["summary"]["gone"], &found["summary"]["not_compared"]].map(|count| count.as_u64().unwrap())
    };
    assert_eq!(gone(&[]), [0, 0]);
    assert_eq!(gone(&["--of", "far"]), [0, 2]);
    assert_eq!(gone(&["--min-depth", "0.2"]), [0, 1]);
    shop.file("known.txt", "bolt 1,plate\n");
    assert_eq!(gone(&["--ignore", "known.txt"]), [0, 1]);
    // A part that is taken out is gone; one that cannot be read is not.
    let text = std::fs::read_to_string(shop.path().join("row.toml")).unwrap();
    shop.file("row.toml", text.replace("name = \"bolt 1\"", "name = \"bolt 3\""));
    assert_eq!(gone(&[]), [1, 0]);
    shop.file("row.toml", text.replacen("cube.obj", "cut.stl", 1));
    assert_eq!(gone(&[]), [0, 1]);
}

#[test]
fn an_earlier_report_in_another_unit_is_converted() {
    let shop = row();
    let text = std::fs::read_to_string(shop.path().join("row.toml")).unwrap();
    shop.file("row.toml", format!("unit = \"m\"\n{text}"));
    shop.file("old.json", shop.run(&["check", "row.toml", "--json"]).out);
    let run = shop.run(&["check", "row.toml", "--json", "--unit", "mm", "--baseline", "old.json"]);
    assert_eq!(run.code, Some(0), "{}", run.out);
    assert_eq!(run.json()["summary"]["changed"], 0);
}

#[test]
fn notes_reach_standard_error_where_the_report_has_no_place() {
    let shop = row();
    shop.file(
        "odd.obj",
        format!("colour red\n{}", CUBE.lines().take(CUBE.lines().count() - 1).collect::<Vec<_>>().join("\n")),
    );
    let run = shop.run(&["check", "cube.obj", "odd.obj", "--csv"]);
    assert!(run.err.contains("unknown statements") && run.err.contains("is open"), "{}", run.err);
    let path = shop.run(&["check", "cube.obj", "odd.obj", "--motion", "0,0,9", "--moving", "cube"]);
    assert!(path.out.contains("1 of 2 parts is open"), "{}", path.out);
    let refused = shop.run(&["check", "cube.obj", "odd.obj", "--motion", "0,0,9", "--solid", "winding"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--solid winding"), "{}", refused.err);
}

#[test]
fn a_part_of_a_file_that_cannot_be_read_is_named_by_its_file() {
    let shop = row();
    for options in [["--of", "nosuch"], ["--pose", "nosuch=1,0,0"]] {
        let run = shop.run(&[&["check", "nosuch.glb", "cube.obj", "cube.obj"][..], &options].concat());
        assert_eq!(run.code, Some(2));
        assert!(run.err.contains("cannot read nosuch.glb"), "{}", run.err);
    }
}

#[test]
fn the_status_may_be_zero_and_one_part_is_bad_input() {
    let shop = row();
    assert_eq!(shop.run(&["check", "row.toml", "--exit-zero", "-q"]).code, Some(0));
    assert_eq!(shop.run(&["check", "row.toml", "nothing.obj", "--exit-zero", "-q"]).code, Some(2));
    let run = shop.run(&["check", "cube.obj"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("one part only") && run.err.contains("cube"), "{}", run.err);
}

#[test]
fn csv_has_depths_and_gaps() {
    let shop = row();
    let run = shop.run(&["check", "row.toml", "--csv", "--clearance", "0.3"]);
    let lines: Vec<&str> = run.out.lines().collect();
    let titles = "part_a,part_b,kind,inner,triangle_pairs,x,y,z,depth,move_x,move_y,move_z,gap,\
        local_depth_lower,local_depth_upper,chord_error,certainty,separating_length";
    assert_eq!(lines[0], titles);
    assert_eq!(lines.len(), 4);
    let width = lines[0].split(',').count();
    assert!(lines.iter().all(|line| line.split(',').count() == width), "{}", run.out);
    assert!(lines[3].starts_with("bolt 2,far,near,,0,") && lines[3].ends_with(",,,0.0,apart,"), "{}", run.out);
    let [certainty, length] = [1, 0].map(|from_end| lines[1].rsplit(',').nth(from_end).unwrap());
    assert!(certainty == "real" && (length.parse::<f64>().unwrap() - 0.3).abs() < 1e-6, "{}", run.out);
}

#[test]
fn a_table_has_lengths_with_directions_and_120_columns() {
    let shop = row();
    let table = shop.run(&["check", "row.toml"]).out;
    assert!(table.contains("┆ 0.300 along +x ") && table.contains("┆ 0.100 along +x "), "{table}");
    // Long names, a turned part, and every column there is.
    let part = |name: &str, pose: &str| format!("[[part]]\nfile = \"cube.obj\"\nname = \"{name}\"\npose = {pose}\n");
    let [one, two, far] = ["left housing of the gear", "right housing of the gear", "a long shaft of steel"];
    let turned = "{ translation = [0.8, 0.2, 0.3], rpy_deg = [20, 30, 10] }";
    let text =
        [part(one, &turned.replace("0.8, 0.2, 0.3", "0, 0, 0")), part(two, turned), part(far, "[2.3, 0, 0]")].concat();
    shop.file("wide.toml", format!("unit = \"mm\"\n{text}"));
    shop.file("old.json", shop.run(&["check", "wide.toml", "--json"]).out);
    let groups: [&[&str]; 4] =
        [&["--volumes"], &["--clearance", "2"], &["--baseline", "old.json"], &["--picture", "p.png"]];
    for count in 0..=groups.len() {
        let run = shop.run(&[&["check", "wide.toml", "--picture-size", "64x64"], &*groups[..count].concat()].concat());
        let table: Vec<&str> = run.out.lines().filter(|line| line.starts_with(['│', '┌'])).collect();
        assert!(table.len() > 2, "{}{}", run.out, run.err);
        assert!(table.iter().all(|line| line.chars().count() <= 120), "{count} groups\n{}", run.out);
        assert!(table.iter().any(|line| line.contains(" along 0.")), "{}", run.out);
    }
}

#[test]
fn names_keep_room_next_to_long_numbers() {
    let shop = row();
    let part = |name: &str, pose: &str| {
        format!("[[part]]\nfile = \"cube.obj\"\nname = \"{name}\"\npose = {pose}\nscale = 1e-9\n")
    };
    let turned = "{ translation = [8e-10, 2e-10, 3e-10], rpy_deg = [20, 30, 10] }";
    let text = [
        part("一つ目の部品の長い名前", "[0, 0, 0]"),
        part("二つ目の部品の長い名前", turned),
        part("c", "[2.3e-9, 0, 0]"),
    ];
    shop.file("tiny.toml", text.concat());
    shop.file("old.json", shop.run(&["check", "tiny.toml", "--json"]).out);
    let options = ["--volumes", "--clearance", "2e-9", "--baseline", "old.json", "--picture", "p.png"];
    let run = shop.run(&[&["check", "tiny.toml"], &options[..]].concat());
    let table: Vec<&str> = run.out.lines().filter(|line| line.starts_with(['│', '┌'])).collect();
    assert!(table.iter().all(|line| line.chars().count() <= 120), "{}", run.out);
    assert!(run.out.contains("│  1 ┆ 一つ目") || run.out.contains("│ 1 ┆ 一つ目"), "{}", run.out);
    assert!(!run.out.contains("where") && run.out.contains("volume"), "{}", run.out);
}

#[test]
fn translations_have_lengths_and_directions_at_any_scale() {
    let shop = row();
    for scale in ["1e-200", "1e-3", "1e100"] {
        let part = |x: &str| format!("[[part]]\nfile = \"cube.obj\"\nscale = {scale}\npose = [{x}, 0, 0]\n");
        shop.file("two.toml", part("0") + &part(&scale.replace("1e", "0.75e")));
        let table = shop.run(&["check", "two.toml"]).out;
        assert!(table.contains(" along +x "), "{table}");
        let found = &shop.run(&["check", "two.toml", "--json"]).json()["interferences"][0];
        let [length, shift] = [&found["separating_length"], &found["separating_translation"][0]];
        assert!((length.as_f64().unwrap() / shift.as_f64().unwrap() - 1.0).abs() < 1e-12, "{scale}: {found}");
    }
}

#[test]
fn interfering_parts_and_contours_are_written() {
    let shop = row();
    let run = shop.run(&["check", "row.toml", "-q", "--clashes", "clash.glb", "--contours", "clash.svg"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let inspected = shop.run(&["inspect", "clash.glb", "--json"]).json();
    assert_eq!(inspected["summary"]["meshes"], 1, "three instances of one mesh");
    let svg = std::fs::read_to_string(shop.path().join("clash.svg")).unwrap();
    assert!(svg.contains("<svg") && svg.contains("plate x bolt 2"), "{svg}");
    let run = shop.run(&["check", "row.toml", "--clashes", "row.toml"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn a_pair_without_a_proved_depth_stays_unless_a_short_translation_separates_it() {
    // At 1e14 the rounding of coordinates is larger than what two inscribed balls prove.
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let part = |name: &str, x: &str| format!("[[part]]\nfile = \"cube.obj\"\nname = \"{name}\"\npose = [{x}, 0, 0]\n");
    shop.file("row.toml", part("a", "1e14") + &part("b", "100000000000000.5"));
    let (code, found) = report(&shop, &["--min-depth", "0.01"]);
    assert_eq!((code, pairs(&found)), (Some(1), vec![pair("a", "b")]));
    assert_eq!(found["interferences"][0]["depth"], Value::Null, "{found}");
    let (code, found) = report(&shop, &["--min-depth", "100"]);
    assert_eq!((code, &found["summary"]["shallow_ignored"]), (Some(0), &json!(1)), "{found}");
}

#[test]
fn translations_of_an_earlier_report_are_converted_to_the_unit_of_now() {
    // The pair has no proved depth and is 5 mm from being separated; --min-depth 0.01 m leaves it out.
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let place = |x: f64| {
        format!(
            "unit = \"m\"\n[[part]]\nfile = \"cube.obj\"\nname = \"a\"\n[[part]]\nfile = \"cube.obj\"\nname = \"b\"\npose = [{x}, 0, 0]\n"
        )
    };
    shop.file("row.toml", place(9.0));
    let earlier = json!({"summary": {"unit": "mm"}, "interferences": [
        {"a": "a", "b": "b", "kind": "clash", "depth": null, "separating_translation": [5.0, 0.0, 0.0]}]});
    shop.file("old.json", earlier.to_string());
    let (_, found) = report(&shop, &["--unit", "m", "--baseline", "old.json", "--min-depth", "0.01"]);
    let summary = &found["summary"];
    assert_eq!((&summary["gone"], &summary["not_compared"]), (&json!(0), &json!(1)), "{found}");
}
