//! Devices, full disks, departed writers, numbers at the end of their range: words and a status, never silence.

use crate::support::{CUBE, Workshop};
use serde_json::{Value, json};

/// Runs with standard output on a disk that is full.
#[cfg(target_os = "linux")]
fn on_a_full_disk(shop: &Workshop, arguments: &[&str]) -> (Option<i32>, String) {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("there is one");
    let output = shop.command(arguments).stdin(std::process::Stdio::null()).stdout(full).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_by_every_command() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    for arguments in [
        &[][..],
        &["--help"],
        &["--version"],
        &["check", "--help"],
        &["completions", "bash"],
        &["check", "a.obj", "a.obj"],
        &["check", "a.obj", "a.obj", "--json"],
        &["inspect", "a.obj"],
        &["make", "sphere", "-o", "-"],
    ] {
        let (code, err) = on_a_full_disk(&shop, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert!(err.contains("cannot write") && !err.contains("panicked"), "{arguments:?}: {err}");
    }
}

#[test]
fn curves_that_cannot_be_written_do_not_cost_the_report() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    let run = shop.run(&["check", "a.obj", "a.obj", "--pose-b", "0.5,0.1,0", "--csv", "--contours", "gone/cut.obj"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    assert!(run.err.contains("cannot write gone"), "{}", run.err);
    for name in ["cut.stl", "cut", "."] {
        let run = shop.run(&["check", "a.obj", "a.obj", "--contours", name]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
        assert!(run.err.contains("end the name with .obj, .dxf or .svg"), "{}", run.err);
    }
}

#[test]
fn curves_are_not_written_over_an_input() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    for inputs in [&["a.obj", "a.obj"][..], &["."]] {
        let run = shop.run(&[&["check"], inputs, &["--contours", "./a.obj"]].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
        assert!(run.err.contains("written over an input"), "{}", run.err);
    }
    assert_eq!(std::fs::read_to_string(shop.path().join("a.obj")).expect("there"), CUBE);
}

#[cfg(unix)]
#[test]
fn names_do_not_steer_the_terminal() {
    let shop = Workshop::new();
    shop.file("od\n\u{1b}[31md.obj", CUBE);
    shop.file("a.obj", CUBE);
    let run = shop.run(&["check", "a.obj", "od\n\u{1b}[31md.obj"]);
    assert!(run.out.contains("od\\n\\u{1b}[31md") && !run.out.contains('\u{1b}'), "{}", run.out);
    // Names of nodes, whole and broken, and of files that are not there.
    let scene = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"whole\u001b[31m","mesh":0},{"name":"torn\u001b[32m","mesh":1}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]},{"primitives":[{"attributes":{"POSITION":1}}]}],
        "buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3},
            {"bufferView":0,"componentType":5126,"type":"VEC3","count":6}]}"#;
    shop.file("scene.gltf", scene);
    shop.file("pose.txt", "1,2,\u{1b}[34m");
    for (arguments, shown) in [
        (&["inspect", "scene.gltf"][..], "whole\\u{1b}[31m"),
        (&["inspect", "scene.gltf"], "torn\\u{1b}[32m"),
        (&["check", "scene.gltf", "a.obj"], "torn\\u{1b}[32m"),
        (&["check", "a.obj", "gone\u{1b}[33m"], "gone\\u{1b}[33m"),
        (&["check", "a.obj", "a.obj", "--pose-a", "@pose.txt"], "\\u{1b}[34m"),
        (&["make", "cube", "-o", "c\u{1b}[35m.obj"], "c\\u{1b}[35m.obj"),
    ] {
        let run = shop.run(arguments);
        let said = format!("{}{}", run.out, run.err);
        assert!(said.contains(shown) && !said.contains('\u{1b}'), "{arguments:?}: {said}");
    }
}

#[test]
fn a_file_that_cannot_be_completed_is_not_left_behind() {
    let shop = Workshop::new();
    let run = shop.run(&["make", "sphere", "--radius", "1e60", "-o", "large.stl"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("does not fit STL"), "{}", run.err);
    assert_eq!(std::fs::read_dir(shop.path()).expect("a folder").count(), 0, "nothing is left behind");
    // What was there before stays as it was.
    shop.file("large.stl", "precious");
    assert_eq!(shop.run(&["make", "sphere", "--radius", "1e60", "-o", "large.stl"]).code, Some(2));
    assert_eq!(std::fs::read_to_string(shop.path().join("large.stl")).expect("there"), "precious");
    assert_eq!(std::fs::read_dir(shop.path()).expect("a folder").count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn links_devices_and_pipes_are_written_to_and_not_replaced() {
    let shop = Workshop::new();
    shop.file("folder/real.obj", "old");
    std::os::unix::fs::symlink("folder/real.obj", shop.path().join("link.obj")).expect("linked");
    shop.make(&["cube", "-o", "link.obj"]);
    assert!(std::fs::symlink_metadata(shop.path().join("link.obj")).expect("there").is_symlink());
    assert!(std::fs::read_to_string(shop.path().join("folder/real.obj")).expect("there").contains("\nf "));
    let run = shop.run(&["make", "cube", "--format", "obj", "-o", "/dev/stdout"]);
    assert!(run.code == Some(0) && run.out.contains("\nf "), "{}", run.err);
    let run = shop.run(&["make", "cube", "--format", "obj", "-o", "/dev/full"]);
    assert!(run.code == Some(2) && run.err.contains("cannot write /dev/full"), "{}", run.err);
    let run = shop.run(&["make", "cube", "--format", "obj", "-o", "folder"]);
    assert!(run.code == Some(2) && run.err.contains("cannot write folder"), "{}", run.err);
}

#[cfg(target_os = "linux")]
#[test]
fn devices_that_never_end_are_refused() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    for arguments in [
        &["check", "a.obj", "/dev/zero"][..],
        &["inspect", "/dev/zero"],
        &["query", "/dev/zero"],
        &["check", "a.obj", "a.obj", "--pose-a", "@/dev/zero"],
    ] {
        let run = shop.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.err.contains("it is a device, not a file"), "{arguments:?}: {}", run.err);
    }
    let request = json!({"op": "measure", "a": {"type": "mesh", "path": "/dev/zero"}});
    let answer = shop.feed(&["query"], format!("{request}\n")).lines().remove(0);
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("it is a device")), "{answer}");
}

#[test]
fn a_line_without_end_is_answered_and_the_next_one_too() {
    let shop = Workshop::new();
    let good = json!({"id": 1, "op": "measure", "a": {"type": "box", "half": [1, 1, 1]}}).to_string();
    let mut input = vec![b'['; (1 << 26) + 1000];
    input.extend_from_slice(format!("\n{good}\n").as_bytes());
    let run = shop.feed(&["query"], input);
    let answers = run.lines();
    assert_eq!((run.code, answers.len()), (Some(1), 2));
    assert!(answers[0]["error"].as_str().is_some_and(|error| error.contains("more than 64 MiB")), "{}", answers[0]);
    assert_eq!(answers[1]["id"], 1);
    // A byte order mark, as some shells put in front, is no part of the line.
    let run = shop.feed(&["query"], format!("\u{feff}{good}\r\n"));
    assert_eq!((run.code, &run.lines()[0]["id"]), (Some(0), &json!(1)));
}

#[test]
fn answers_beyond_the_range_of_f64_are_errors_and_not_null() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let scaled = |scale: f64| json!({"type": "mesh", "path": "cube.obj", "scale": scale});
    let cases: [(Value, &str); 4] = [
        (json!({"op": "measure", "a": scaled(1e300)}), "a: "),
        (json!({"op": "measure", "a": scaled(1e150)}), "a: "),
        (json!({"op": "closest", "a": scaled(1.0), "point": [1.7e308, 1.7e308, 1.7e308]}), "point: "),
        (json!({"op": "ray", "a": scaled(1.0), "origin": [-2, 0.1, 0.2], "direction": [5e-324, 0, 0]}), "direction: "),
    ];
    for (request, field) in cases {
        let run = shop.feed(&["query"], format!("{request}\n"));
        let answer = run.lines().remove(0);
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.starts_with(field) && error.contains("leave the range of f64"), "{request}: {answer}");
        assert_eq!(run.code, Some(1));
    }
    let open = shop
        .feed(&["query"], "{\"op\":\"measure\",\"a\":{\"type\":\"triangle\",\"points\":[[0,0,0],[1,0,0],[0,1,0]]}}\n");
    assert_eq!(open.lines()[0]["volume"], Value::Null, "null is the volume of what is open");
}

#[test]
fn a_program_hears_in_json_that_nothing_could_be_read() {
    let shop = Workshop::new();
    shop.file("bad.obj", "v 0 0 0\nf 1 2 3\n");
    let run = shop.run(&["check", "bad.obj", "gone.obj", "--json"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.json()["summary"]["failures"], 2);
    assert_eq!(run.json()["failures"].as_array().map(Vec::len), Some(2));
    assert!(run.err.contains("nothing to check"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn a_pipe_that_a_file_names_as_its_buffer_is_not_waited_for() {
    let shop = Workshop::new();
    shop.file(
        "pipe.gltf",
        r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "buffers":[{"byteLength":36,"uri":"pipe.bin"}],"bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}]}"#,
    );
    let made = std::process::Command::new("mkfifo").arg(shop.path().join("pipe.bin")).status();
    assert!(made.expect("it runs").success());
    let run = shop.run(&["inspect", "pipe.gltf"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("the file `pipe.bin` cannot be read"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn a_pipe_that_a_scene_or_a_request_names_is_not_waited_for() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    let made = std::process::Command::new("mkfifo").arg(shop.path().join("pipe")).status();
    assert!(made.expect("it runs").success());
    for body in [
        r#"shape = { type = "mesh", path = "pipe" }"#,
        "shape = { type = \"mesh\", path = \"a.obj\" }\ntree = \"pipe\"",
    ] {
        shop.file("s.toml", format!("[[body]]\nname = \"a\"\n{body}\n"));
        let run = shop.run(&["run", "s.toml"]);
        assert!(run.code == Some(2) && run.err.contains("it is a pipe or a socket, not a file"), "{body}: {}", run.err);
    }
    let mesh = |path: &str| json!({"type": "mesh", "path": path});
    for request in [
        json!({"op": "measure", "a": mesh("pipe")}),
        json!({"op": "overlap", "a": mesh("a.obj"), "b": mesh("a.obj"), "tree": "pipe"}),
    ] {
        let answer = shop.run_query(&request);
        assert!(answer["error"].as_str().is_some_and(|error| error.contains("it is a pipe")), "{answer}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn folders_whose_names_are_no_text_hold_scenes() {
    use std::os::unix::ffi::OsStrExt;
    let shop = Workshop::new();
    let folder = shop.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&folder).expect("made");
    std::fs::write(folder.join("a.obj"), CUBE).expect("written");
    let scene = "[world]\nseconds = 0.1\n[[body]]\nname = \"a\"\nshape = { type = \"mesh\", path = \"a.obj\" }\n";
    std::fs::write(folder.join("s.toml"), scene).expect("written");
    let run = |arguments: &[&str]| {
        shop.command(&["run"]).arg(folder.join("s.toml")).args(arguments).output().expect("it runs")
    };
    let plain = run(&["--trace", "t.jsonl"]);
    assert_eq!(plain.status.code(), Some(0), "{}", String::from_utf8_lossy(&plain.stderr));
    // A record is a text that names the folder.
    let recorded = run(&["--record", "r.rec"]);
    let message = String::from_utf8_lossy(&recorded.stderr);
    assert!(
        recorded.status.code() == Some(2) && message.contains("run the scene from a folder whose name is UTF-8"),
        "{message}"
    );
    assert!(!shop.path().join("r.rec").exists(), "nothing is left behind");
}

#[test]
fn a_mesh_that_measures_beyond_the_range_of_f64_is_a_failure_and_not_null() {
    let shop = Workshop::new();
    shop.file("huge.obj", "v 0 0 0\nv 1e200 0 0\nv 0 1e200 0\nv 0 0 1e200\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    shop.file("a.obj", CUBE);
    let run = shop.run(&["inspect", "huge.obj", "a.obj", "--json"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("huge.obj measures more than an f64 holds"), "{}", run.err);
    let report = run.json();
    assert_eq!((report["meshes"].as_array().map(Vec::len), &report["meshes"][0]["file"]), (Some(1), &json!("a.obj")));
    assert_eq!(report["failures"][0]["file"], "huge.obj");
    let repaired = shop.run(&["repair", "huge.obj", "-o", "mended.obj"]);
    assert_eq!(repaired.code, Some(2), "{}", repaired.out);
    assert!(repaired.err.contains("huge.obj measures more than an f64 holds"), "{}", repaired.err);
    assert!(!shop.path().join("mended.obj").exists());
}
