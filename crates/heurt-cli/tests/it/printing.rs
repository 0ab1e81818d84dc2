//! Faults for printing: their severity, the file as it is, and advice that comes to an end.

use crate::support::{CUBE, Workshop};
use heurt::geometry::{Mat3, Pose, Vec3};
use heurt::io::Part;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A cube with the given least corner and side, as lines of OBJ; `first` is the number of its first vertex.
fn cube(least: [f64; 3], side: f64, first: usize) -> String {
    let mut text = String::new();
    for corner in [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]] {
        let [x, y, z] = [0, 1, 2].map(|axis| least[axis] + side * f64::from(corner[axis]));
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for face in [[4, 3, 2, 1], [5, 6, 7, 8], [1, 2, 6, 5], [2, 3, 7, 6], [3, 4, 8, 7], [4, 1, 5, 8]] {
        let [a, b, c, d] = face.map(|vertex| vertex + first - 1);
        let _ = writeln!(text, "f {a} {b} {c} {d}");
    }
    text
}

/// A ring of squares, the last of which is twisted.
fn moebius() -> String {
    let mut text = String::new();
    for k in 0..12 {
        let (turn, half) = (std::f64::consts::TAU * f64::from(k) / 12.0, std::f64::consts::PI * f64::from(k) / 12.0);
        for side in [-1.0, 1.0] {
            let radius = 4.0 + side * half.cos();
            let _ = writeln!(text, "v {} {} {}", radius * turn.cos(), radius * turn.sin(), side * half.sin());
        }
    }
    for k in 0..12 {
        let [a, b] = [2 * k + 1, 2 * k + 2];
        let [c, d] = if k < 11 { [2 * k + 3, 2 * k + 4] } else { [2, 1] };
        let _ = writeln!(text, "f {a} {c} {b}\nf {b} {c} {d}");
    }
    text
}

/// Files with one kind of fault each, by the kind.
fn faulty() -> Vec<(&'static str, &'static str, String)> {
    let whole = cube([0.0; 3], 4.0, 1);
    let without = |face: &str| whole.replace(face, "");
    let sheet = "v 0 0 0\nv 4 0 0\nv 4 0 4\nv 0 0 4\n";
    vec![
        ("hole", "open", without("f 2 3 7 6\n")),
        ("hole", "blocked", format!("{}v -8 2 2\nv 2 2 2\nv -8 2.1 2\nf 9 10 11\n", without("f 4 1 5 8\n"))),
        ("hole", "sheet", format!("{sheet}f 1 2 3 4\n")),
        ("duplicate-face", "twice", format!("{whole}f 2 3 7 6\n")),
        ("duplicate-face", "back", format!("{whole}f 7 3 2\n")),
        ("duplicate-face", "two-sided", format!("{sheet}f 1 2 3 4\nf 3 2 1 4\n")),
        ("self-intersection", "two-sided-crossed", format!("{sheet}f 1 2 3 4\nf 4 3 2 1\n")),
        ("isolated-vertex", "unused", format!("{whole}v 9 9 9\n")),
        ("non-manifold-edge", "touching", format!("{whole}{}", cube([4.0, 4.0, 0.0], 4.0, 9))),
        ("non-manifold-edge", "fin", format!("{whole}v 9 9 2\nf 3 7 9\n")),
        ("non-manifold-vertex", "corner", format!("{whole}{}", cube([4.0, 4.0, 4.0], 4.0, 9))),
        ("inconsistent-orientation", "flipped", whole.replace("f 2 3 7 6", "f 6 7 3 2")),
        ("inconsistent-orientation", "moebius", moebius()),
        ("inward-shell", "inside-out", {
            let turned = |line: &str| match line.strip_prefix("f ") {
                Some(face) => format!("f {}\n", face.split(' ').rev().collect::<Vec<_>>().join(" ")),
                None => format!("{line}\n"),
            };
            whole.lines().map(turned).collect()
        }),
        ("self-intersection", "bodies", format!("{whole}{}", cube([2.0, 1.0, 1.0], 4.0, 9))),
        ("self-intersection", "one-body", whole.replace("v 4 4 4\n", "v 4 4 -3\n").replace("v 4 0 4\n", "v 4 0 -3\n")),
        ("degenerate-face", "flat", format!("{whole}v 2 0 0\nf 1 9 2\n")),
    ]
}

/// The number of faults of a kind in the first mesh of a report.
fn count(report: &Value, kind: &str) -> u64 {
    let counts = report["meshes"][0]["fault_counts"].as_array().unwrap();
    counts.iter().find(|count| count["kind"] == kind).map_or(0, |count| count["count"].as_u64().unwrap())
}

/// The first command of an advice, with no length or number to be chosen, that was not tried.
fn next_command(advice: &str, tried: &BTreeSet<String>) -> Option<String> {
    let quoted = advice.split('`').skip(1).step_by(2).map(str::to_owned);
    let is_whole = |command: &String| command.starts_with("heurt ") && !command.contains(char::is_uppercase);
    quoted.filter(is_whole).find(|command| !tried.contains(command))
}

#[test]
fn every_advice_comes_to_an_end() {
    let shop = Workshop::new();
    for (kind, name, text) in faulty() {
        let file = format!("{name}.obj");
        shop.file(&file, text);
        let report = shop.run(&["inspect", &file, "--json"]).json();
        assert!(count(&report, kind) > 0, "{name}: {}", report["meshes"][0]["fault_counts"]);
        let faults = report["meshes"][0]["faults"].as_array().unwrap();
        let fault = faults.iter().find(|fault| fault["kind"] == kind).unwrap();
        let mut advice = fault["message"].as_str().unwrap().to_owned();
        let mut tried = BTreeSet::new();
        loop {
            let Some(command) = next_command(&advice, &tried) else {
                // The advice for faults that no command mends ends in words.
                let is_end = ["model it", "model the part", "model the missing face", "print them as they are"];
                assert!(is_end.iter().any(|words| advice.contains(words)), "{name}: {advice}");
                break;
            };
            let mut arguments: Vec<&str> = command.split(' ').skip(1).collect();
            arguments.extend([file.as_str(), "-o", "out.obj", "--json"]);
            let run = shop.run(&arguments);
            assert!(run.code.is_some_and(|code| code < 2), "{name}: {command}: {}", run.err);
            tried.insert(command);
            let mesh = &run.json()["meshes"][0];
            if mesh["after"]["faults"][kind].is_null() {
                assert_eq!(count(&shop.run(&["inspect", "out.obj", "--json"]).json(), kind), 0, "{name}");
                break;
            }
            let left = mesh["left"].as_array().unwrap();
            advice = left.iter().find(|left| left["kind"] == kind).unwrap()["message"].as_str().unwrap().to_owned();
        }
        assert!(!tried.is_empty(), "{name}: the first advice names a command");
    }
}

#[test]
fn the_verdict_is_by_the_worst_fault() {
    let shop = Workshop::new();
    for (name, severity) in [
        ("open", "fails"),
        ("sheet", "fails"),
        ("two-sided", "fails"),
        ("moebius", "fails"),
        ("fin", "slicers-mend-it"),
        ("twice", "slicers-mend-it"),
        ("flipped", "slicers-mend-it"),
        ("inside-out", "slicers-mend-it"),
        ("bodies", "slicers-mend-it"),
        ("one-body", "slicers-mend-it"),
        ("touching", "prints-as-it-is"),
        ("unused", "prints-as-it-is"),
    ] {
        let (_, _, text) = faulty().into_iter().find(|(_, known, _)| *known == name).unwrap();
        shop.file("part.obj", text);
        let mesh = shop.run(&["inspect", "part.obj", "--json"]).json()["meshes"][0].clone();
        assert_eq!(mesh["severity"], severity, "{name}: {}", mesh["fault_counts"]);
        assert_eq!(mesh["printable"], severity != "fails", "{name}");
        assert!(mesh["faults"].as_array().unwrap().iter().all(|fault| fault["severity"].is_string()), "{name}");
    }
    let table = shop.run(&["inspect", "part.obj"]).out;
    assert!(table.contains("printable") && table.contains("yes"), "{table}");
}

/// Writes a cube of 4 without its upper side as a 3MF file of items with the given poses.
fn open_cube(shop: &Workshop, name: &str, poses: &[Pose]) {
    let text = cube([0.0; 3], 4.0, 1).replace("f 5 6 7 8\n", "");
    let mut model = heurt::io::read(text.as_bytes(), heurt::io::Format::Obj).unwrap();
    model.unit = Some(heurt::io::LengthUnit::Millimetre);
    let items = poses.iter().zip(1..).map(|(pose, number)| Part::new(format!("item{number}"), 0, *pose));
    model.parts = items.collect();
    let mut bytes = Vec::new();
    heurt::io::write_3mf(&model, &mut bytes).unwrap();
    shop.file(name, bytes);
}

#[test]
fn the_pose_of_a_build_item_decides_what_is_level() {
    let shop = Workshop::new();
    let turned =
        |axis, degrees: f64| Pose::from_matrix(Mat3::from_axis_angle(axis, degrees.to_radians()), Vec3::ZERO).unwrap();
    let moved = Pose::from_translation(Vec3::new(50.0, 60.0, 0.0)).unwrap();
    for (name, poses, severity) in [
        ("as it is", vec![Pose::IDENTITY], "slicers-mend-it"),
        ("moved", vec![moved], "slicers-mend-it"),
        ("turned around z", vec![turned(Vec3::Z, 30.0)], "slicers-mend-it"),
        ("upside down", vec![turned(Vec3::X, 180.0)], "slicers-mend-it"),
        ("on its side", vec![turned(Vec3::X, 90.0)], "fails"),
        ("aslant", vec![turned(Vec3::Y, 20.0)], "fails"),
        ("one of two on its side", vec![moved, turned(Vec3::Y, -90.0)], "fails"),
        ("two upright", vec![moved, turned(Vec3::Z, 90.0)], "slicers-mend-it"),
    ] {
        open_cube(&shop, "part.3mf", &poses);
        let mesh = shop.run(&["inspect", "part.3mf", "--json"]).json()["meshes"][0].clone();
        assert_eq!(count(&json!({"meshes": [mesh]}), "hole"), 1, "{name}");
        assert_eq!(mesh["severity"], severity, "{name}");
    }
}

#[test]
fn turned_triangles_are_a_fault_of_the_file() {
    let shop = Workshop::new();
    let faulty = faulty();
    for name in ["flipped", "inside-out"] {
        let (kind, _, text) = faulty.iter().find(|(_, known, _)| *known == name).unwrap();
        shop.file("part.obj", text);
        let report = shop.run(&["inspect", "part.obj", "--json", "--strict"]);
        assert_eq!(report.code, Some(1), "{name}");
        assert!(count(&report.json(), kind) > 0, "{name}");
        assert_eq!(report.json()["meshes"][0]["volume"], 64.0, "{name}: as it is used");
        let repair = shop.run(&["repair", "part.obj", "-o", "out.obj", "--json"]).json();
        let before = &repair["meshes"][0]["before"]["faults"];
        assert_eq!(before[*kind], count(&report.json(), kind), "{name}: repair counts the same");
        assert_eq!(shop.run(&["inspect", "out.obj", "--strict"]).code, Some(0), "{name}");
    }
}

#[test]
fn space_that_shells_share_counts_once() {
    let shop = Workshop::new();
    shop.file("two.obj", format!("{}{}", cube([0.0; 3], 4.0, 1), cube([2.0, 1.0, 1.0], 4.0, 9)));
    let mesh = shop.run(&["inspect", "two.obj", "--json"]).json()["meshes"][0].clone();
    assert!((mesh["volume"].as_f64().unwrap() - (128.0 - 18.0)).abs() < 1e-9, "{mesh}");
    assert_eq!(mesh["shell_volume"], 128.0);
    assert!(shop.run(&["inspect", "two.obj"]).out.contains("counts once"));
    shop.file("cube.obj", CUBE);
    let mesh = shop.run(&["inspect", "cube.obj", "--json"]).json()["meshes"][0].clone();
    assert!(mesh["shell_volume"].is_null());
    let repaired = shop.run(&["repair", "two.obj", "-o", "one.obj", "--json"]).json()["meshes"][0].clone();
    assert!((repaired["after"]["volume"].as_f64().unwrap() - 110.0).abs() < 1e-9, "{repaired}");
    assert_eq!((&repaired["solid"], repaired["resolved"].is_null()), (&true.into(), false));
}

#[test]
fn repair_and_inspect_report_the_same_volume_in_the_same_words() {
    let shop = Workshop::new();
    let tiny = |text: &str| text.replace("f 2 3 7 6", "f 6 7 3 2");
    for (name, text) in [
        ("cube", cube([0.0; 3], 4.0, 1)),
        ("bodies", format!("{}{}", cube([0.0; 3], 4.0, 1), cube([2.0, 1.0, 1.0], 4.0, 9))),
        ("nested", format!("{}{}", cube([0.0; 3], 4.0, 1), cube([1.0, 1.0, 1.0], 2.0, 9))),
        ("flipped", tiny(&cube([0.0; 3], 4.0, 1))),
        ("open", cube([0.0; 3], 4.0, 1).replace("f 2 3 7 6\n", "")),
    ] {
        shop.file("part.obj", &text);
        let inspected = shop.run(&["inspect", "part.obj", "--json"]).json()["meshes"][0].clone();
        let repaired = shop.run(&["repair", "part.obj", "-o", "out.obj", "--json"]).json()["meshes"][0].clone();
        let fields = |mesh: &Value| ["area", "volume", "shell_volume"].map(|field| mesh[field].clone());
        assert_eq!(fields(&inspected), fields(&repaired["before"]), "{name}");
        let inspected = shop.run(&["inspect", "out.obj", "--json"]).json()["meshes"][0].clone();
        assert_eq!(fields(&inspected), fields(&repaired["after"]), "{name}");
        if name == "bodies" {
            let words = "space that shells share counts once (sum of the shells: 128 unit³)";
            assert!(shop.run(&["inspect", "part.obj"]).out.contains(words));
            let table = shop.run(&["repair", "part.obj", "--dry-run"]).out;
            assert!(table.contains(&format!("volume before: {words}")), "{table}");
            assert!(!table.contains("volume after"), "{table}");
        }
    }
}

#[test]
fn measures_below_the_range_are_no_0() {
    let shop = Workshop::new();
    let tiny: String = cube([0.0; 3], 4.0, 1)
        .lines()
        .map(|line| if line.starts_with('v') { line.replace('4', "4e-110") + "\n" } else { format!("{line}\n") })
        .collect();
    shop.file("tiny.obj", tiny);
    let table = shop.run(&["inspect", "tiny.obj"]).out;
    let row = |name: &str| table.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(row("│ volume").contains("below 2.3e-308 unit³"), "{table}");
    assert!(row("│ area").contains("9.60000e-219 unit²"), "{table}");
    assert!(row("│ inertia").contains("below 2.3e-308"), "{table}");
    let json = shop.run(&["inspect", "tiny.obj", "--json"]).json();
    assert_eq!(json["warnings"].as_array().map(Vec::len), Some(0));
    assert!(json["meshes"][0]["warnings"][0]["message"].as_str().unwrap().contains("2.3e-308"), "{json}");
    // In a smaller unit, the numbers are in range.
    shop.file("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert!(!shop.run(&["inspect", "flat.obj"]).out.contains("2.3e-308"));
}

#[test]
fn a_file_of_32_bits_that_breaks_a_solid_is_noted() {
    let shop = Workshop::new();
    // Two cubes with a gap that 32 bits close.
    shop.file("gap.obj", format!("{}{}", cube([0.0; 3], 1.0, 1), cube([1.0 + 1e-9, 0.25, 0.25], 0.5, 9)));
    let run = shop.run(&["repair", "gap.obj", "-o", "out.obj", "--skip", "hull"]);
    assert!(run.code == Some(0) && !run.err.contains("32 bits"), "{}{}", run.out, run.err);
    let run = shop.run(&["repair", "gap.obj", "-o", "out.stl", "--skip", "hull", "--json"]);
    assert_eq!((run.code, &run.json()["meshes"][0]["broken_by_rounding"]), (Some(1), &true.into()), "{}", run.out);
    assert!(run.err.contains("no solid after rounding to the 32 bits") && run.err.contains("OBJ"), "{}", run.err);
    let run = shop.run(&["repair", "gap.obj", "-o", "out.stl"]);
    assert!(run.code == Some(0) && !run.err.contains("32 bits"), "{}{}", run.out, run.err);
}

#[test]
fn two_results_on_standard_output_are_refused() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    for command in [
        &["repair", "cube.obj"] as &[&str],
        &["hull", "cube.obj"],
        &["simplify", "cube.obj", "--deviation", "0.1"],
        &["decompose", "cube.obj"],
    ] {
        let run = shop.run(&[command, &["-o", "-", "--json"]].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{command:?}");
        assert!(run.err.contains("--output -: standard output has the report"), "{}", run.err);
    }
}

#[test]
fn negative_lengths_are_answered_by_the_command() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    for (command, option) in [
        (&["inspect", "cube.obj"] as &[&str], "--weld"),
        (&["check", "cube.obj", "cube.obj"], "--weld"),
        (&["check", "cube.obj", "cube.obj"], "--clearance"),
        (&["check", "cube.obj", "cube.obj"], "--tolerance"),
        (&["check", "cube.obj", "cube.obj"], "--chord-tolerance"),
        (&["repair", "cube.obj"], "--weld"),
        (&["repair", "cube.obj"], "--gap"),
        (&["repair", "cube.obj"], "--tiny"),
        (&["simplify", "cube.obj"], "--deviation"),
    ] {
        let run = shop.run(&[command, &[option, "-1"]].concat());
        assert_eq!(run.code, Some(2), "{command:?} {option}");
        assert!(!run.err.contains("unexpected argument"), "{option}: {}", run.err);
        assert!(run.err.contains("-1"), "{command:?} {option}: {}", run.err);
    }
}

#[test]
fn a_repair_by_force_reports_what_it_changed() {
    let shop = Workshop::new();
    let (_, _, text) = faulty().into_iter().find(|(_, name, _)| *name == "blocked").unwrap();
    shop.file("blocked.obj", text);
    assert_eq!(shop.run(&["repair", "blocked.obj", "-o", "out.obj"]).code, Some(1));
    let run = shop.run(&["repair", "blocked.obj", "-o", "out.obj", "--force"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.contains("force: ") && run.out.contains("area "), "{}", run.out);
    assert_eq!(shop.run(&["inspect", "out.obj", "--json"]).json()["meshes"][0]["volume"], 64.0);
}

/// A plate of 100 × 100 × 10 with a hole of 10 across, whose conical end is 0.2 above the lower side.
fn drilled() -> String {
    let mut text = String::new();
    for z in [0, 10] {
        let _ = writeln!(text, "v 0 0 {z}\nv 100 0 {z}\nv 100 100 {z}\nv 0 100 {z}");
    }
    for k in 0..24 {
        let turn = std::f64::consts::TAU * f64::from(k) / 24.0;
        let _ = writeln!(text, "v {} {} 10", 37.0 + 5.0 * turn.cos(), 45.0 + 5.0 * turn.sin());
    }
    text += "v 37 45 0.2\nf 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    for k in 0..24 {
        // A quarter of the rim belongs to each corner of the upper side.
        let corner = 5 + (k / 6 + 2) % 4;
        let [rim, next] = [9 + k, 9 + (k + 1) % 24];
        let _ = writeln!(text, "f {rim} {next} 33\nf {corner} {next} {rim}");
        if k % 6 == 5 {
            let _ = writeln!(text, "f {corner} {} {next}", 5 + (corner - 4) % 4);
        }
    }
    text
}

#[test]
fn the_wall_under_the_tip_of_a_drill_is_found() {
    let shop = Workshop::new();
    shop.file("drilled.obj", drilled());
    for method in ["ball", "ray"] {
        let arguments = ["inspect", "drilled.obj", "--thickness", method, "--thin", "0.5", "--json"];
        let mesh = shop.run(&arguments).json()["meshes"][0].clone();
        assert_eq!(mesh["fault_counts"].as_array().map(Vec::len), Some(0), "{mesh}");
        let thickness = mesh["thickness"]["minimum"].as_f64().unwrap();
        assert!((thickness - 0.2).abs() < 1e-9, "{method}: {thickness}");
    }
    let table = shop.run(&["inspect", "drilled.obj", "--thickness", "ball", "--thin", "0.5"]).out;
    assert!(table.contains("thinnest of ") && table.contains(": 0.2 unit, at 37  45  0.2"), "{table}");
}

#[test]
fn volumes_are_those_of_masses_and_queries() {
    let shop = Workshop::new();
    // They share 1 × 1.5 × 1.75 of 8 and 8.
    let moved: String = cube([0.0; 3], 2.0, 9)
        .lines()
        .map(|line| match line.strip_prefix("v ") {
            Some(place) => {
                let place: Vec<f64> = place.split(' ').map(|x| x.parse().unwrap()).collect();
                format!("v {} {} {}\n", place[0] + 1.0, place[1] + 0.5, place[2] + 0.25)
            }
            None => format!("{line}\n"),
        })
        .collect();
    shop.file("two.obj", format!("{}{moved}", cube([0.0; 3], 2.0, 1)));
    let mesh = shop.run(&["inspect", "two.obj", "--json"]).json()["meshes"][0].clone();
    assert!((mesh["volume"].as_f64().unwrap() - 13.375).abs() < 1e-9, "{mesh}");
    assert_eq!(mesh["shell_volume"], 16.0);
    let answer = shop.run_query(&json!({"op": "measure", "a": {"type": "mesh", "path": "two.obj"}}));
    assert_eq!(answer["volume"], mesh["volume"]);
}

#[test]
fn thickness_is_a_heat_map_in_picture_and_file() {
    let shop = Workshop::new();
    shop.file("drilled.obj", drilled());
    let run = shop.run(&[
        "inspect",
        "drilled.obj",
        "--thickness",
        "ball",
        "--thin",
        "2",
        "--export",
        "heat.glb",
        "--picture",
        "heat.png",
    ]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let glb = std::fs::read(shop.path().join("heat.glb")).unwrap();
    let text = String::from_utf8_lossy(&glb);
    let json = text.split("BIN").next().unwrap();
    assert!(json.contains("wall below 2.000 unit") && json.contains("wall below 16.000 unit"), "{json}");
    assert!(std::fs::read(shop.path().join("heat.png")).unwrap().len() > 1000);
}
