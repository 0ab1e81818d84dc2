//! `heurt solid` and the shared volumes of `heurt check`: files, assemblies, empty results, bad operands.

use crate::support::Workshop;
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Two cubes of 2 m that overlap in a cube of 1 m, and a mesh that is open.
fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.make(&["box", "--half", "1,1,1", "-o", "a.obj"]);
    shop.make(&["box", "--half", "1,1,1", "--pose", "1,1,1", "-o", "b.obj"]);
    shop.file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    shop
}

#[test]
fn volumes_of_all_operations_are_those_of_the_cubes() {
    let shop = shop();
    for (operation, volume, area) in
        [("union", 15.0, 42.0), ("intersection", 1.0, 6.0), ("difference", 7.0, 24.0), ("xor", 14.0, 48.0)]
    {
        let run = shop.run(&["solid", operation, "a.obj", "b.obj", "-o", "out.obj", "--json"]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        let summary = &json(&run.out)["summary"];
        for (name, due) in [("volume", volume), ("area", area)] {
            let found = summary[name].as_f64().unwrap();
            assert!((found - due).abs() < 1e-12, "{operation}: {name} {found}");
        }
        let inspected = shop.run(&["inspect", "out.obj", "--json"]);
        assert!(inspected.out.contains("\"self-intersection\"") == (operation == "none"), "{}", inspected.out);
        let strict = shop.run(&["inspect", "out.obj", "--strict", "-q"]);
        // The two pieces of the symmetric difference touch along edges.
        assert_eq!(strict.code, Some(i32::from(operation == "xor")), "{operation}: {}", strict.out);
    }
}

#[test]
fn several_parts_and_an_empty_result() {
    let shop = shop();
    shop.make(&["box", "--half", "9,9,0.5", "--pose", "0,0,-1.5", "-o", "floor.obj"]);
    let run = shop.run(&["solid", "difference", "a.obj", "b.obj", "floor.obj", "-o", "out.stl"]);
    assert!(run.code == Some(0) && run.out.contains("7.00000"), "touching takes nothing away: {}", run.out);
    let run = shop.run(&["solid", "union", "a.obj", "b.obj", "floor.obj", "--json"]);
    assert_eq!(json(&run.out)["summary"]["shells"], 1);
    let run = shop.run(&["solid", "intersection", "a.obj", "b.obj", "floor.obj", "-o", "none.obj"]);
    assert!(run.code == Some(1) && run.out.contains("empty"), "{}{}", run.out, run.err);
    assert!(!shop.path().join("none.obj").exists());
}

/// A ball and a copy of it that is turned by some ulp: no result in 64 bits is exact for both.
#[test]
fn moves_of_near_surfaces_are_reported() {
    let shop = shop();
    shop.make(&["sphere", "--radius", "1", "-o", "ball.obj"]);
    let turned = ["--pose-b", "0,0,0,3e-15,-2e-15,1e-15,1"];
    let run = shop.run(&[&["solid", "intersection", "ball.obj", "ball.obj", "--json"][..], &turned].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let moved = json(&run.out)["summary"]["moved"].as_f64().unwrap();
    assert!(moved > 0.0 && moved < 2e-9, "{moved}");
    let run = shop.run(&[&["solid", "intersection", "ball.obj", "ball.obj"][..], &turned].concat());
    assert!(run.out.contains("moved by"), "{}", run.out);
    let run = shop.run(&[&["check", "ball.obj", "ball.obj", "--volumes", "--json"][..], &turned].concat());
    let found = &json(&run.out)["interferences"][0];
    assert!(found["volume_moved"].as_f64() == Some(moved) && found["volume"].as_f64() > Some(4.0), "{found}");
    let run = shop.run(&["solid", "union", "a.obj", "b.obj", "--json"]);
    assert_eq!(json(&run.out)["summary"]["moved"], 0.0);
}

/// The rounding of STL to 32 bits may fold what is thin: a note says so, and JSON.
#[test]
fn results_that_files_of_32_bits_spoil_are_noted() {
    let shop = shop();
    shop.make(&["sphere", "--radius", "1", "-o", "ball.obj"]);
    let thin = ["solid", "difference", "ball.obj", "ball.obj", "--pose-b", "1e-9,0,0", "--json"];
    let run = shop.run(&[&thin[..], &["-o", "thin.stl"]].concat());
    assert!(run.code == Some(0) && run.err.contains("32 bits of .stl"), "{}", run.err);
    assert_eq!(json(&run.out)["summary"]["is_solid_in_file"], false);
    let run = shop.run(&[&thin[..], &["-o", "thin.obj"]].concat());
    assert!(run.code == Some(0) && !run.err.contains("32 bits"), "{}", run.err);
    assert!(json(&run.out)["summary"]["is_solid_in_file"].is_null());
    let run = shop.run(&["solid", "union", "a.obj", "b.obj", "-o", "out.stl", "--json"]);
    assert_eq!(json(&run.out)["summary"]["is_solid_in_file"], true);
    let run = shop.run(&["solid", "union", "a.obj", "b.obj", "-o", "-", "--json"]);
    assert!(run.code == Some(2) && run.err.contains("standard output has the report"), "{}", run.err);
}

#[test]
fn operands_that_bound_no_solid_are_named() {
    let shop = shop();
    let run = shop.run(&["solid", "union", "open.obj", "a.obj", "-o", "out.obj"]);
    assert!(run.code == Some(2) && run.err.contains("open") && run.err.contains("heurt repair"), "{}", run.err);
    let run = shop.run(&["solid", "union", "a.obj"]);
    assert!(run.code == Some(2) && run.err.contains("two parts"), "{}", run.err);
    let run = shop.run(&["solid", "union", "a.obj", "b.obj", "-o", "a.obj"]);
    assert!(run.code == Some(2) && run.err.contains("written over an input"), "{}", run.err);
    let run = shop.run(&["solid", "union", "a.obj", "missing.obj", "-o", "out.obj"]);
    assert!(run.code == Some(2) && run.err.contains("missing.obj"), "{}", run.err);
    assert!(!shop.path().join("out.obj").exists());
}

#[test]
fn a_check_reports_shared_volumes_and_writes_the_solids() {
    let shop = shop();
    let checked = ["check", "a.obj", "b.obj", "open.obj", "--volumes", "--solids", "shared.obj"];
    let run = shop.run(&[&checked[..], &["--json"]].concat());
    let report = json(&run.out);
    let of = |a: &str, b: &str| {
        let list = report["interferences"].as_array().unwrap();
        list.iter().find(|found| found["a"] == a && found["b"] == b).cloned().unwrap_or_default()
    };
    let shared = of("a", "b");
    assert_eq!((shared["volume"].as_f64(), &shared["extent"]), (Some(1.0), &serde_json::json!([1.0, 1.0, 1.0])));
    let unknown = of("a", "open");
    assert!(unknown["volume"].is_null() && unknown["volume_unknown"].as_str().unwrap().contains("open"), "{unknown}");
    let solid = shop.run(&["inspect", "shared.obj", "--json"]);
    assert!(solid.out.contains("\"volume\":1.0"), "{}", solid.out);
    let csv = shop.run(&[&checked[..], &["--csv"]].concat());
    let titles = "volume,extent_x,extent_y,extent_z,local_depth_lower,local_depth_upper,chord_error,certainty,\
        separating_length";
    assert!(csv.out.lines().next().unwrap().ends_with(titles), "{}", csv.out);
    let columns: Vec<usize> = csv.out.lines().map(|line| line.split(',').count()).collect();
    assert!(columns.windows(2).all(|pair| pair[0] == pair[1]), "{}", csv.out);
    let table = shop.run(&checked);
    assert!(table.out.contains("extent of the volume"), "{}", table.out);
    let none = shop.run(&["check", "a.obj", "open.obj", "--solids", "none.obj", "-q"]);
    assert!(none.err.contains("no parts share a volume") && !shop.path().join("none.obj").exists(), "{}", none.err);
}

/// A quarter of a cylinder of radius 1 and height 2: open, of area π.
const QUARTER: &str = r#"{"patches":[{"points":[[[1,0,0],[1,0,2]],[[1,1,0],[1,1,2]],[[0,1,0],[0,1,2]]],
    "weights":[[1,1],[0.7071067811865476,0.7071067811865476],[1,1]]}]}"#;

#[test]
fn patches_become_meshes_within_the_tolerance() {
    let shop = Workshop::new();
    shop.file("quarter.json", QUARTER);
    let run = shop.run(&["make", "patches", "quarter.json", "--tolerance", "1e-4", "-o", "quarter.obj"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("1 to 64 segments") && run.err.contains("128 triangles"), "{}", run.err);
    let area = json(&shop.run(&["inspect", "quarter.obj", "--json"]).out)["meshes"][0]["area"].as_f64();
    let area = area.unwrap_or_else(|| panic!("no area"));
    assert!((area - std::f64::consts::PI).abs() < 1e-3, "{area}");
    for (arguments, word) in [
        (&["make", "patches", "quarter.json", "--tolerance", "0", "-o", "no.obj"][..], "tolerance"),
        (&["make", "patches", "quarter.json", "-o", "quarter.json", "--format", "obj"], "over an input"),
        (&["make", "patches", "quarter.json", "--volume", "1", "-o", "no.obj"], "no positive volume"),
        (&["make", "patches", "quarter.obj", "-o", "no.obj"], "docs/solids.md"),
    ] {
        let run = shop.run(arguments);
        assert!(run.code == Some(2) && run.err.contains(word), "{word}: {}", run.err);
    }
    assert!(!shop.path().join("no.obj").exists());
}

/// A cube in a cube with joined corners, as lines: three solids (S3, slide 8).
fn passage() -> String {
    let mut text = String::new();
    for half in [2, 1] {
        for k in 0..8 {
            let [x, y, z] = [k & 1, k >> 1 & 1, k >> 2].map(|bit| half * (2 * bit - 1));
            text += &format!("v {x} {y} {z}\n");
        }
    }
    for first in [1, 9] {
        for k in 0..8 {
            for bit in [1, 2, 4].into_iter().filter(|bit| k & bit == 0) {
                text += &format!("l {} {}\n", first + k, first + (k | bit));
            }
        }
    }
    (1..9).for_each(|k| text += &format!("l {k} {}\n", k + 8));
    text
}

#[test]
fn a_wireframe_has_none_one_or_several_solids() {
    let shop = Workshop::new();
    shop.file("passage.obj", passage());
    shop.file("impossible.obj", passage().replacen("l 1 2\n", "", 1));
    shop.make(&["box", "--wireframe", "-o", "box.obj"]);
    for (file, count) in [("box.obj", 1), ("passage.obj", 3)] {
        let run = shop.run(&["make", "wire-solids", file, "-o", "solids.glb"]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert!(shop.run(&["inspect", "solids.glb", "--strict", "-q"]).code == Some(0), "each is closed");
        let meshes = json(&shop.run(&["inspect", "solids.glb", "--json"]).out)["meshes"].as_array().map(Vec::len);
        assert_eq!(meshes, Some(count), "{file}");
        std::fs::remove_file(shop.path().join("solids.glb")).unwrap();
    }
    let run = shop.run(&["make", "wire-solids", "impossible.obj", "-o", "none.glb"]);
    assert!(run.code == Some(1) && run.err.contains("no solid"), "{}", run.err);
    assert!(!shop.path().join("none.glb").exists());
    let run = shop.run(&["make", "wire-solids", "impossible.obj", "--volume", "1", "-o", "none.glb"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    // A vertex without an edge does not count towards the size.
    shop.file("far.obj", format!("{}v 1e10 0 0\nl -1 -1\n", passage()));
    assert_eq!(shop.run(&["make", "wire-solids", "far.obj", "-o", "far.glb"]).code, Some(0));
    let run = shop.run(&["make", "wire-solids", "passage.obj", "--limit", "2", "-o", "none.glb"]);
    assert!(run.code == Some(2) && run.err.contains("more than 2 solids"), "{}", run.err);
    let run = shop.run(&["make", "wire-solids", "passage.obj", "--max-steps", "0", "-o", "none.glb"]);
    assert!(run.code == Some(2) && run.err.contains("permit more steps"), "{}", run.err);
    // Lines and vertices as the file has them, although equal edges and vertices are joined.
    let crossing = "v 9 9 9\nv 0 0 0\nv 2 2 0\nl 2 3\nl 3 2\nv 2 2 0\nv 0 2 0\nv 2 0 0\nl 4 5\nl 5 \\\n6\n";
    shop.file("crossing.obj", crossing);
    let run = shop.run(&["make", "wire-solids", "crossing.obj", "-o", "none.glb"]);
    let message = "the edges 2 3 (line 4) and 5 6 (line 10) meet elsewhere";
    assert!(run.code == Some(2) && run.err.replace('\n', " ").contains(message), "{}", run.err);
    shop.file("distant.obj", "v 0 0 0\nv 1 0 0\nv 1e200 0 0\nl 1 2\nl 2 3\n");
    let run = shop.run(&["make", "wire-solids", "distant.obj", "-o", "none.glb"]);
    assert!(run.code == Some(2) && run.err.contains("vertex 3 is at"), "{}", run.err);
    shop.file("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let run = shop.run(&["make", "wire-solids", "triangle.obj", "-o", "none.glb"]);
    assert!(run.code == Some(2) && run.err.contains("without an edge"), "{}", run.err);
}

#[test]
fn edges_of_a_file_lead_back_to_its_solid() {
    let shop = Workshop::new();
    let text = |name: &str| std::fs::read_to_string(shop.path().join(name)).unwrap();
    shop.make(&["box", "--half", "1,2,3", "--subdivide", "1", "-o", "box.stl"]);
    let run = shop.run(&["inspect", "box.stl", "--edges", "edges.obj", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    // Each side of the box is divided in two.
    assert_eq!(text("edges.obj").lines().filter(|line| line.starts_with("l ")).count(), 24);
    let run = shop.run(&["inspect", "box.stl", "--edges", "edges.dxf", "--crease", "100", "-q"]);
    assert_eq!((run.code, text("edges.dxf").matches("LINE").count()), (Some(0), 0), "{}", run.err);
    shop.make(&["sphere", "--segments", "90", "-o", "sphere.stl"]);
    let run = shop.run(&["inspect", "sphere.stl", "box.stl", "--edges", "both.dxf", "-q"]);
    assert!(run.code == Some(0) && run.err.contains("both.dxf: 24 edges"), "{}", run.err);
    let run = shop.run(&["inspect", "sphere.stl", "--edges", "none.obj", "-q"]);
    assert!(run.code == Some(0) && run.err.contains("no edges; --crease"), "{}", run.err);
    for (arguments, word) in [
        (&["inspect", "box.stl", "--edges", "edges.stl"][..], "OBJ or DXF"),
        (&["inspect", "edges.obj", "--edges", "edges.obj"], "over an input"),
        (&["inspect", "box.stl", "--edges", "e.obj", "--export", "e.obj"], "--export"),
        (&["inspect", "box.stl", "--edges", "e.obj", "--crease", "-1"], "--crease -1"),
    ] {
        let run = shop.run(arguments);
        assert!(run.code == Some(2) && run.err.contains(word), "{word}: {}", run.err);
    }
}
