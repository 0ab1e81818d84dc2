//! `heurt repair`: a repaired file, a table before and after, JSON; and its messages for bad input.

use crate::support::{CUBE, Workshop};

/// The cube without its last face.
const OPEN: &str = "\
v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 0.5 -0.5
v -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\nv 0.5 0.5 0.5\nv -0.5 0.5 0.5
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n";

/// The cube without a face, and a rod of no thickness through the opening.
fn blocked() -> String {
    format!("{OPEN}v -2 0 0\nv 0 0 0\nv -2 0.1 0\nf 9 10 11\n")
}

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    shop.file("open.obj", OPEN);
    shop.file("blocked.obj", blocked());
    shop
}

#[test]
fn an_open_cube_is_closed_and_written() {
    let shop = workshop();
    let run = shop.run(&["repair", "open.obj", "-o", "solid.off"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    for words in ["before", "after", "fill: 1 hole filled, 2 triangles added", "1 of 1 mesh is solid"] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    let inspected = shop.run(&["inspect", "solid.off", "--json", "--strict"]);
    assert_eq!(inspected.code, Some(0), "{}", inspected.out);
    assert_eq!(inspected.json()["meshes"][0]["volume"], 1.0);
    let again = shop.run(&["repair", "solid.off", "--json"]).json();
    assert_eq!((&again["meshes"][0]["changed"], &again["meshes"][0]["solid"]), (&false.into(), &true.into()));
}

#[test]
fn the_report_holds_for_coordinates_of_32_bits() {
    let shop = workshop();
    // A cube of 0.05 at a distance at which 32-bit numbers have steps of 0.5.
    let far: String = CUBE
        .lines()
        .map(|line| match line.strip_prefix("v ") {
            Some(place) => {
                let place: Vec<f64> = place.split_whitespace().map(|number| number.parse().unwrap()).collect();
                format!("v {} {} {}\n", 5e6 + 0.05 * place[0], 4.5e6 + 0.05 * place[1], 0.05 * place[2])
            }
            None => format!("{line}\n"),
        })
        .collect();
    shop.file("far.obj", far);
    assert_eq!(shop.run(&["repair", "far.obj", "-o", "far.ply", "-q"]).code, Some(0));
    let run = shop.run(&["repair", "far.obj", "-o", "far.stl"]);
    assert_eq!(run.code, Some(1), "{}", run.out);
    assert!(run.out.contains("0 of 1 mesh is solid"), "{}", run.out);
}

#[test]
fn a_repair_without_output_says_that_nothing_was_written() {
    let shop = workshop();
    let hint = "nothing was written: -o FILE writes the result";
    assert!(shop.run(&["repair", "open.obj"]).out.contains(hint));
    assert!(!shop.run(&["repair", "open.obj", "--dry-run"]).out.contains(hint));
    assert!(!shop.run(&["repair", "cube.obj"]).out.contains(hint));
}

#[test]
fn json_has_the_state_before_and_after_and_every_step() {
    let shop = workshop();
    let run = shop.run(&["repair", "open.obj", "--json", "--threads", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let document = run.json();
    let mesh = &document["meshes"][0];
    assert_eq!(document["summary"]["solid"], 1);
    assert_eq!((&mesh["settled"], &mesh["is_spent"]), (&true.into(), &false.into()));
    assert_eq!((&mesh["before"]["open_edges"], &mesh["after"]["open_edges"]), (&4.into(), &0.into()));
    assert_eq!((&mesh["before"]["faults"]["hole"], &mesh["before"]["volume"]), (&1.into(), &serde_json::Value::Null));
    let steps = mesh["steps"].as_array().unwrap();
    let names: Vec<&str> = steps.iter().map(|step| step["step"].as_str().unwrap()).collect();
    assert_eq!(names, ["weld", "degenerate", "duplicates", "seams", "components", "orient", "split", "fill"]);
    assert_eq!((&steps[7]["outcome"], &steps[7]["holes_filled"]), (&"changed".into(), &1.into()));
    assert_eq!(run.out, shop.run(&["repair", "open.obj", "--json", "--threads", "2"]).out);
}

#[test]
fn a_hole_that_cannot_be_filled_is_named_with_status_1() {
    let shop = workshop();
    let run = shop.run(&["repair", "blocked.obj", "-o", "out.obj"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.out.contains("left: a hole of 4 vertices"), "{}", run.out);
    assert!(run.out.contains("every filling tried intersects the mesh"), "{}", run.out);
    assert!(shop.path().join("out.obj").exists(), "what could be mended is written");
    let left = &shop.run(&["repair", "blocked.obj", "--json"]).json()["meshes"][0]["left"][0];
    assert_eq!((&left["kind"], &left["centre"][0], &left["length"]), (&"hole".into(), &(-0.5).into(), &4.0.into()));
}

#[test]
fn steps_are_chosen_and_skipped() {
    let shop = workshop();
    for arguments in [
        &["repair", "open.obj", "--skip", "fill"][..],
        &["repair", "open.obj", "--steps", "weld,orient"],
        &["repair", "open.obj", "--max-hole-edges", "3"],
    ] {
        let run = shop.run(arguments);
        assert_eq!(run.code, Some(1), "{arguments:?}: {}", run.err);
        assert!(run.out.contains("left: a hole"), "{arguments:?}: {}", run.out);
    }
    let dry = shop.run(&["repair", "open.obj", "--dry-run", "-q"]);
    assert_eq!((dry.code, dry.out.as_str()), (Some(0), ""));
}

#[test]
fn an_assembly_keeps_its_parts_and_instances() {
    let shop = workshop();
    shop.make(&["demo", "-o", "demo.glb"]);
    let parts = |file: &str| {
        let parts = shop.run(&["check", file, "--json"]).json()["parts"].clone();
        let parts: Vec<String> =
            parts.as_array().unwrap().iter().map(|part| format!("{} {}", part["name"], part["mesh"])).collect();
        (parts, shop.run(&["inspect", file, "--json"]).json()["meshes"].as_array().unwrap().len())
    };
    let run = shop.run(&["repair", "demo.glb", "-o", "out.glb"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.contains("14 of 14 meshes are solid"), "{}", run.out);
    assert_eq!(parts("demo.glb"), parts("out.glb"));
    let strict = shop.run(&["repair", "cube.obj", "--strict"]);
    assert_eq!(strict.code, Some(0), "{}", strict.out);
}

#[test]
fn bad_input_is_reported_with_its_remedy() {
    let shop = workshop();
    for (arguments, words) in [
        (&["repair", "gone.obj"][..], "cannot read gone.obj"),
        (&["repair", "cube.obj", "-o", "out.xyz"], "no format has the extension `xyz`"),
        (&["repair", "cube.obj", "-o", "cube.obj"], "written over an input"),
        (&["repair", "cube.obj", "-o", "no/out.obj"], "cannot write"),
        (&["repair", "open.obj", "-o", "out.obj", "--weld", "-1"], "the weld tolerance is -1"),
        (&["repair", "cube.obj", "--gap", "0"], "give a finite length above 0"),
        (&["repair", "cube.obj", "--tiny", "nan"], "`nan` is no length: give a finite number"),
        (&["repair", "cube.obj", "--max-hole-edges", "2"], "give at least 3"),
        (&["repair", "cube.obj", "--skip", "polish"], "polish"),
        (&["repair", "cube.obj", "--skip", "fill", "--steps", "weld"], "cannot be used with"),
        (&["repair", "cube.obj", "--dry-run", "-o", "x.obj"], "cannot be used with"),
        (&["repair"], "MESH"),
    ] {
        let run = shop.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.out);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
        assert!(!shop.path().join("out.obj").exists());
    }
}
