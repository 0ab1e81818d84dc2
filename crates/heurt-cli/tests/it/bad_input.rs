//! Bad input: named with its place and a remedy, the rest still checked, status 2; never a panic.

use crate::support::{CUBE, Workshop};
use serde_json::json;

/// A binary STL of as many triangles as `present`, declaring `declared`.
fn binary_stl(declared: u32, present: usize) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(declared.to_le_bytes());
    for _ in 0..present {
        for value in [0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend([0, 0]);
    }
    bytes
}

/// A GLB whose only chunk is `json`.
fn glb(json: &str) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((20 + json.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes
}

fn bad_files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let missing_buffer = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"buffers":[{"byteLength":36,"uri":"gone.bin"}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}]}"#;
    vec![
        ("empty.obj", Vec::new(), "empty"),
        ("empty.stl", Vec::new(), "empty"),
        ("blank.off", b" \n".to_vec(), "empty"),
        ("cut.stl", binary_stl(10, 3), "byte"),
        ("index.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n".to_vec(), "line 4"),
        ("zero.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n".to_vec(), "line 4"),
        ("nan.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec(), "line 1"),
        ("inf.off", b"OFF\n3 1 0\n0 0 inf\n1 0 0\n0 1 0\n3 0 1 2\n".to_vec(), "line 3"),
        ("none.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec(), "face"),
        ("none.stl", binary_stl(0, 0), "face"),
        ("missing.glb", glb(missing_buffer), "buffers[0]"),
        ("short.glb", b"glTF\x02\0\0\0".to_vec(), "byte"),
        ("noise.ply", b"ply\nformat ascii 1.0\nelement vertex three\n".to_vec(), "line 3"),
        ("words.unknown", b"not a mesh".to_vec(), "not a mesh file"),
    ]
}

#[test]
fn each_bad_file_is_named_and_the_rest_is_checked() {
    for (name, content, place) in bad_files() {
        let shop = Workshop::new();
        shop.file("a.obj", CUBE);
        shop.file("b.obj", CUBE);
        shop.file(name, content);
        let run = shop.run(&["check", "a.obj", name, "b.obj", "--json"]);
        assert_eq!(run.code, Some(2), "{name}: {}", run.err);
        assert!(run.err.contains(name) && run.err.contains(place), "{name}: {}", run.err);
        assert!(!run.err.contains("panicked"), "{name}: {}", run.err);
        let report = run.json();
        assert_eq!(report["summary"]["parts"], 2, "{name}");
        assert_eq!(report["interferences"][0]["kind"], "duplicate", "{name}");
        assert_eq!(report["failures"][0]["file"], *name, "{name}");
        let error = report["failures"][0]["error"].as_str().expect("a text");
        assert!(error.contains(place), "{name}: {error}");

        let run = shop.run(&["inspect", name, "a.obj"]);
        assert_eq!(run.code, Some(2), "{name}");
        assert!(run.err.contains(name) && run.out.contains("a.obj"), "{name}: {}", run.err);
    }
}

#[test]
fn triangles_without_area_are_legal_and_reported() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    shop.file("needle.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    let run = shop.run(&["check", "a.obj", "needle.obj", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let run = shop.run(&["inspect", "needle.obj", "--json"]);
    assert_eq!(run.code, Some(0));
    assert_eq!(run.json()["meshes"][0]["faults"][0]["kind"], "degenerate-face");
    assert_eq!(shop.run(&["inspect", "needle.obj", "--strict"]).code, Some(1));
    assert_eq!(shop.run(&["inspect", "a.obj", "--strict"]).code, Some(0));
}

#[test]
fn poses_that_are_none_are_refused_with_the_reason() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    shop.file("b.obj", CUBE);
    shop.file("pose.txt", "1,2");
    let cases = [
        ("1,2", "2 numbers"),
        ("1,2,x", "`x`"),
        ("1,2,nan", "`nan` is no number"),
        ("1,2,inf", "inf"),
        ("0,0,0,0,0,0,2", "norm 2"),
        ("0,0,0,0,0,0,0", "norm 0"),
        ("@pose.txt", "2 numbers"),
        ("@gone.txt", "gone.txt"),
        (r#"{"rotation":[0,0,0,2]}"#, "norm 2"),
        (r#"{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,-1,0]]}"#, "mirror"),
        (r#"{"matrix":[[1,0,0,0],[0,1.1,0,0],[0,0,1,0]]}"#, "orthonormal"),
        (r#"{"matrix":[[1,0,0],[0,1,0],[0,0,1]]}"#, "pose.matrix[0]"),
        (r#"{"translate":[1,0,0]}"#, "pose.translate"),
        (r#"{"translation":[1,0]"#, "EOF"),
    ];
    for (pose, reason) in cases {
        let run = shop.run(&["check", "a.obj", "b.obj", "--pose-a", pose]);
        assert_eq!(run.code, Some(2), "{pose}");
        assert!(run.err.contains(reason), "{pose}: {}", run.err);
        assert_eq!(run.out, "", "{pose}");
    }
    let run = shop.run(&["check", "a.obj", "b.obj", "a.obj", "--pose-a", "0,0,1"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("but there are 3"), "{}", run.err);
    let run = shop.run(&["check", "a.obj", "b.obj", "--pose-b", "1e308,1e308,1e308"]);
    assert_eq!(run.code, Some(0), "far, but finite: {}", run.err);
}

#[test]
fn nothing_to_check_is_bad_input() {
    let shop = Workshop::new();
    std::fs::create_dir(shop.path().join("bare")).expect("made");
    let run = shop.run(&["check", "bare"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("bare") && run.err.contains("no mesh file"), "{}", run.err);
    assert_eq!(shop.run(&["check"]).code, Some(2));
    assert_eq!(shop.run(&["check", "gone.obj"]).code, Some(2));
    assert_eq!(shop.run(&["chekc", "gone.obj"]).code, Some(2));
}

#[test]
fn generators_refuse_what_makes_no_mesh() {
    let shop = Workshop::new();
    // A file of the default name is not written over.
    shop.file("sphere.stl", "");
    let cases: [(&[&str], &str); 7] = [
        (&["sphere", "--radius=-1", "-o", "a.obj"], "radius"),
        (&["sphere", "--segments", "1", "-o", "a.obj"], "segments"),
        (&["supertoroid", "--r0", "1", "--r1", "2", "-o", "a.obj"], "r1"),
        (&["sphere", "--segments", "4000000", "-o", "a.obj"], "triangles"),
        (&["sphere", "-o", "a.xyz"], "a.xyz"),
        (&["sphere"], "-o sphere.stl"),
        (&["sphere", "-o", "gone/a.obj"], "gone/a.obj"),
    ];
    for (arguments, reason) in cases {
        let run = shop.run(&[&["make"], arguments].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.err.contains(reason), "{arguments:?}: {}", run.err);
    }
    shop.make(&["demo"]);
    assert!(shop.path().join("gearbox.glb").exists());
}

#[test]
fn failures_in_json_have_file_place_and_error() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    shop.file("index.obj", "v 0 0 0\nf 1 2 3\n");
    let report = shop.run(&["check", "a.obj", "index.obj", "--json"]).json();
    let failure = &report["failures"][0];
    assert_eq!(failure["file"], "index.obj");
    assert_eq!(failure["place"], "line 2");
    assert_eq!(report["summary"]["failures"], json!(1));
}

#[test]
fn a_bad_part_of_an_assembly_is_named_and_the_others_are_checked() {
    let shop = Workshop::new();
    // Two triangles that cross, one that names a vertex too many, and a node that is no rotation.
    let json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1,2,3]}],
        "nodes":[{"name":"upright","mesh":0},{"name":"torn","mesh":1},{"name":"bent","mesh":0,"rotation":[1,1,0,0]},
            {"name":"flat","mesh":0,"rotation":[0,0,0.6,0.8]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]},{"primitives":[{"attributes":{"POSITION":1}}]}],
        "buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3},
            {"bufferView":0,"componentType":5126,"type":"VEC3","count":6}]}"#;
    shop.file("assembly.gltf", json);
    let run = shop.run(&["check", "assembly.gltf", "--json"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    let report = run.json();
    assert_eq!(report["interferences"][0]["a"], "upright");
    assert_eq!(report["interferences"][0]["b"], "flat");
    assert_eq!(report["summary"]["failures"], 2);
    let failures = report["failures"].as_array().expect("a list");
    for (failure, part, word) in [(&failures[0], "torn", "accessors[1]"), (&failures[1], "bent", "norm")] {
        assert_eq!(failure["file"], "assembly.gltf");
        assert!(failure["place"].as_str().is_some_and(|place| place.contains(part)), "{failure}");
        let error = failure["error"].as_str().expect("a text");
        assert!(error.contains(&format!("part `{part}`")) && error.contains(word), "{error}");
        assert!(run.err.contains(&format!("part `{part}` cannot be used")), "{}", run.err);
    }
    let inspected = shop.run(&["inspect", "assembly.gltf", "--json"]);
    assert_eq!(inspected.code, Some(2));
    assert_eq!(inspected.json()["failures"].as_array().map(Vec::len), Some(2));
    // One answer needs the whole file.
    let request = json!({"op": "measure", "a": {"type": "mesh", "path": "assembly.gltf"}});
    assert_eq!(shop.feed(&["query"], format!("{request}\n")).lines()[0]["ok"], false);
}

#[test]
fn what_make_refuses_is_said_in_its_own_options() {
    let shop = Workshop::new();
    let cases: [(&[&str], &str); 12] = [
        (&["sphere", "--radius", "-1"], "--radius is -1: give a positive length between 1e-90 and 1e90 m"),
        (&["sphere", "--radius", "-1e-320"], "--radius is -1e-320: give"),
        (&["icosahedron", "--radius", "1e300"], "--radius is 1e300: give"),
        (&["cube", "--radius", "0"], "--radius makes half x 0: give"),
        (&["box", "--half", "1,-2,3"], "--half y is -2: give"),
        (&["capsule", "--half-height", "0"], "--half-height is 0: give"),
        (&["nut", "--diameter", "-1"], "--diameter makes across flats -1.625: give"),
        (&["gear", "--bore", "1"], "--bore is 1: give more than 0 and less than"),
        (&["gear", "--pressure-angle", "45"], "--pressure-angle is 45: give 11.46 to 29.79 degrees"),
        (&["torus", "--segments", "4"], "--segments makes tube segments 2: give at least 3"),
        (
            &["sphere", "--segments", "4000000"],
            "triangles are more than 268435456: give a smaller --segments or --triangles",
        ),
        (
            &["cube", "--subdivide", "20"],
            "cube: 13194139533312 triangles are more than 268435456: give a smaller --subdivide",
        ),
    ];
    for (arguments, reason) in cases {
        let run = shop.run(&[&["make"], arguments, &["-o", "a.obj"]].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.err.contains(reason), "{arguments:?}: {}", run.err);
    }
    for arguments in [&["gear", "--teeth", "-3"][..], &["plate", "--holes", "-1,2"], &["field", "--triangles", "-5"]] {
        let run = shop.run(&[&["make"], arguments, &["-o", "a.obj"]].concat());
        assert!(run.code == Some(2) && run.err.contains("invalid value '-"), "{arguments:?}: {}", run.err);
    }
}
