//! `heurt check` on assembly files: poses, scales, units, copies, and faults with their lines.

use crate::support::{CUBE, Workshop};
use serde_json::{Value, json};

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.file("parts/cube.obj", CUBE);
    shop.make(&["box", "--half", "0.5,0.25,0.125", "-o", "parts/slab.obj"]);
    shop
}

/// The report of an assembly file.
fn check(shop: &Workshop, name: &str, text: &str, more: &[&str]) -> (Option<i32>, Value) {
    shop.file(name, text);
    let run = shop.run(&[&["check", name, "--json"], more].concat());
    (run.code, run.json())
}

#[test]
fn parts_have_names_poses_and_copies() {
    let shop = shop();
    let text = r#"
[[part]]
file = "parts/cube.obj"
name = "base"

[[part]]
file = "parts/slab.obj"
name = "shelf"
pose = { translation = [0.9, 0, 0] }
count = 3
spacing = [0, 0, 2]
"#;
    let (code, report) = check(&shop, "a.toml", text, &[]);
    assert_eq!(code, Some(1));
    let names: Vec<&str> = report["parts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["base", "shelf#1", "shelf#2", "shelf#3"]);
    assert_eq!(report["summary"]["interfering"], 1);
    let found = &report["interferences"][0];
    assert_eq!((&found["a"], &found["b"], &found["kind"]), (&json!("base"), &json!("shelf#1"), &json!("clash")));
    // The slab reaches from 0.4 to 0.5 along x.
    assert!((found["depth"].as_f64().unwrap() - 0.1).abs() < 1e-9, "{found}");
    // The same in JSON, with the paths as they are there.
    let json = r#"{"part":[{"file":"parts/cube.obj","name":"base"},
        {"file":"parts/slab.obj","name":"shelf","pose":{"translation":[0.9,0,0]},"count":3,"spacing":[0,0,2]}]}"#;
    assert_eq!(check(&shop, "a.json", json, &[]).1["interferences"], report["interferences"]);
}

#[test]
fn quarter_turns_in_degrees_are_exact() {
    let shop = shop();
    // A slab on its long edge: 0.5 high, so that it touches the cube at x = 0.5 + 0.125 to the bit.
    for rotation in ["rpy_deg = [0, 90, 0]", "axis = [0, 3, 0], angle_deg = -270", "rpy_deg = [0, -90, 180]"] {
        let text = format!(
            "[[part]]\nfile = \"parts/cube.obj\"\n[[part]]\nfile = \"parts/slab.obj\"\n\
             pose = {{ translation = [0.625, 0, 0], {rotation} }}\n"
        );
        let (_, report) = check(&shop, "turn.toml", &text, &[]);
        assert_eq!(report["interferences"][0]["kind"], "touching", "{rotation}: {report}");
    }
}

#[test]
fn scales_may_differ_along_the_axes_and_mirror() {
    let shop = shop();
    // A wedge at x in 0 to 1; mirrored it lies at -1 to 0 and stays a solid with outward faces.
    shop.file("parts/wedge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    let text = r#"
[[part]]
file = "parts/cube.obj"
pose = [-2, 0.1, 0.1]
scale = [1, 0.25, 0.25]
[[part]]
file = "parts/wedge.obj"
scale = [-4, 1, 1]
"#;
    let (_, report) = check(&shop, "mirror.toml", text, &[]);
    assert_eq!(report["interferences"].as_array().unwrap().len(), 1, "{report}");
    assert!(report["parts"].as_array().unwrap().iter().all(|part| part["solid"] == true));
    let unmirrored = text.replace("[-4, 1, 1]", "[4, 1, 1]");
    assert_eq!(check(&shop, "plain.toml", &unmirrored, &[]).1["interferences"], json!([]));
}

#[test]
fn units_are_converted_and_named() {
    let shop = shop();
    let text = |unit: &str| {
        format!(
            "unit = \"mm\"\n[[part]]\nfile = \"parts/cube.obj\"\nname = \"a\"\nunit = \"in\"\n\
             [[part]]\nfile = \"parts/cube.obj\"\nname = \"b\"\npose = [13, 0, 0]\n{unit}"
        )
    };
    // An inch is 25.4 mm, so a ends at 12.7 mm and b, half a millimetre each way, begins at 12.5 mm.
    let (_, report) = check(&shop, "mm.toml", &text(""), &["--unit", "mm"]);
    assert_eq!(report["summary"]["unit"], "mm");
    assert!((report["interferences"][0]["depth"].as_f64().unwrap() - 0.2).abs() < 1e-9, "{report}");
    let (_, report) = check(&shop, "cm.toml", &text(""), &["--unit", "cm"]);
    assert!((report["interferences"][0]["depth"].as_f64().unwrap() - 0.02).abs() < 1e-9, "{report}");
    // Several units and none named: metres.
    let (_, report) = check(&shop, "m.toml", &text(""), &[]);
    assert_eq!(report["summary"]["unit"], "m");
    let table = shop.run(&["check", "mm.toml", "--unit", "mm"]).out;
    assert!(table.contains("in mm"), "{table}");
    // Nothing declares a unit.
    let run = shop.run(&["check", "parts/cube.obj", "parts/slab.obj", "--json"]);
    assert_eq!(run.json()["summary"]["unit"], Value::Null);
    assert!(shop.run(&["check", "parts/cube.obj", "parts/slab.obj"]).out.contains("in unit"));
}

#[test]
fn faults_name_line_and_key() {
    let shop = shop();
    for (text, line, said) in [
        ("[[part]]\nfile = \"parts/cube.obj\"\ncolour = \"red\"\n", 3, "colour"),
        ("[[part]]\nname = \"x\"\n", 1, "file"),
        (
            "[[part]]\nfile = \"parts/cube.obj\"\npose = { rpy = [0, 0, 0], rotation = [0, 0, 0, 1] }\n",
            3,
            "one rotation",
        ),
        ("[[part]]\nfile = \"parts/cube.obj\"\npose = { axis = [0, 0, 0], angle = 1 }\n", 3, "axis"),
        ("[[part]]\nfile = \"parts/cube.obj\"\npose = { axis = [0, 0, 1] }\n", 3, "angle"),
        ("[[part]]\nfile = \"parts/cube.obj\"\nscale = 0\n", 3, "scale"),
        ("[[part]]\nfile = \"parts/cube.obj\"\nunit = \"furlong\"\n", 3, "unit"),
        ("[[part]]\nfile = \"parts/cube.obj\"\ncount = 0\n", 3, "count"),
        ("part = []\n", 1, "empty"),
        ("part = [\n", 1, "unclosed array"),
    ] {
        shop.file("bad.toml", text);
        let run = shop.run(&["check", "bad.toml"]);
        assert_eq!(run.code, Some(2), "{text}");
        assert!(run.err.contains(&format!("bad.toml, line {line}")) && run.err.contains(said), "{text}: {}", run.err);
    }
    shop.file("part.toml", "[[part]]\nfile = \"parts/cube.obj\"\npart = \"rod*\"\n");
    let run = shop.run(&["check", "part.toml", "parts/slab.obj"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("rod*"), "{}", run.err);
}

#[test]
fn named_parts_are_moved() {
    let shop = shop();
    let moved = |poses: &[&str]| {
        let poses: Vec<&str> = poses.iter().flat_map(|pose| ["--pose", pose]).collect();
        shop.run(&[&["check", "parts", "--json"], &*poses].concat())
    };
    assert_eq!(moved(&[]).json()["summary"]["interfering"], 1);
    assert_eq!(moved(&["cube=5,0,0"]).json()["summary"]["interfering"], 0);
    assert_eq!(moved(&["cube=5,0,0", "sl?b={\"translation\":[5,0,0]}"]).json()["summary"]["interfering"], 1);
    let run = moved(&["rod=5,0,0"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("rod") && run.err.contains("cube"), "{}", run.err);
    assert!(moved(&["5,0,0"]).err.contains("no `=`"));
}

#[test]
fn folders_say_what_they_skip() {
    let shop = shop();
    shop.file("parts/inner/deep/cube.obj", CUBE);
    shop.file("parts/readme.txt", "parts");
    let run = shop.run(&["check", "parts"]);
    assert!(run.out.contains("1 sub-folder is not searched") && run.out.contains("readme.txt"), "{}", run.out);
    let run = shop.run(&["check", "parts", "--recursive", "--json"]);
    assert_eq!(run.json()["summary"]["parts"], 3, "{}", run.out);
}

#[test]
fn names_that_the_user_gives_stay() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    shop.file("left.obj", CUBE);
    let part = |file: &str| format!("[[part]]\nfile = \"{file}\"\nname = \"rod\"\n");
    shop.file("rods.toml", part("cube.obj") + &part("left.obj"));
    let found = shop.run(&["check", "rods.toml", "--json", "--of", "rod*"]).json();
    let names: Vec<&str> =
        found["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["rod", "rod#2"]);
}

#[test]
fn bodies_of_a_file_are_parts() {
    let shop = Workshop::new();
    let cube = |x: f64, first: usize| -> String {
        let vertex = |k: usize| [x + (k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64];
        let vertices = (0..8).map(|k| vertex(k).map(|x| x.to_string()).join(" "));
        let faces = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"];
        let shifted = |face: &str| -> Vec<String> {
            face.split(' ').map(|corner| (corner.parse::<usize>().unwrap() + first).to_string()).collect()
        };
        let faces = faces.iter().map(|face| format!("f {}", shifted(face).join(" ")));
        vertices.map(|vertex| format!("v {vertex}")).chain(faces).collect::<Vec<_>>().join("\n") + "\n"
    };
    // Two that share a face, and one that reaches into the second.
    shop.file("three.obj", cube(0.0, 0) + &cube(1.0, 8) + &cube(1.75, 16));
    let found = shop.run(&["check", "three.obj", "--split", "bodies", "--json"]).json();
    let kinds: Vec<[&str; 3]> = found["interferences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| ["a", "b", "kind"].map(|key| found[key].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, [["body 2", "body 3", "clash"], ["body 1", "body 2", "touching"]]);
    assert_eq!(found["parts"][0]["class"], "closed");
}

#[test]
fn parts_on_each_other_without_end_are_refused() {
    let shop = shop();
    let text = "[[part]]\nfile = \"parts/cube.obj\"\ncount = 1000000\n";
    shop.file("many.toml", text);
    let run = shop.run(&["check", "many.toml", "--no-depth", "-q"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("16777216 pairs") && run.err.contains("poses"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn a_sub_folder_that_cannot_be_listed_is_a_failure_and_the_rest_is_checked() {
    use std::os::unix::fs::PermissionsExt;
    let shop = shop();
    shop.file("parts/other.obj", CUBE);
    shop.file("parts/locked/cube.obj", CUBE);
    let locked = shop.path().join("parts/locked");
    let allow = |mode| std::fs::set_permissions(&locked, PermissionsExt::from_mode(mode)).expect("changed");
    allow(0o000);
    // The superuser may list every folder.
    let is_refused = std::fs::read_dir(&locked).is_err();
    let run = shop.run(&["check", "parts", "--recursive", "--json"]);
    allow(0o755);
    if is_refused {
        assert_eq!(run.code, Some(2));
        assert!(run.err.contains("locked"), "{}", run.err);
        assert_eq!(run.json()["summary"]["failures"], 1, "{}", run.out);
    }
}

#[test]
fn an_empty_folder_advises_what_helps() {
    let shop = Workshop::new();
    shop.file("parts/inner/readme.txt", "no mesh");
    assert!(shop.run(&["check", "parts"]).err.contains("--recursive"));
    let run = shop.run(&["check", "parts", "--recursive"]);
    assert!(run.err.contains("holds no mesh file") && !run.err.contains("--recursive"), "{}", run.err);
}

#[test]
fn copies_are_numbered_from_one_with_a_name_and_without() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let part = |name: &str, y: u32| {
        format!("[[part]]\nfile = \"cube.obj\"\n{name}pose = [0, {y}, 0]\ncount = 2\nspacing = [5, 0, 0]\n")
    };
    let text = [part("", 0), part("name = \"foot\"\n", 9), part("", 18), part("name = \"foot\"\n", 27)].concat();
    shop.file("row.toml", text);
    let report = shop.run(&["check", "row.toml", "--json"]).json();
    let names: Vec<&str> =
        report["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["cube#1", "cube#2", "foot#1", "foot#2", "cube#3", "cube#4", "foot#3", "foot#4"]);
}
