//! What is read is never written over, two options never write to one file, and what cannot be written is told before the work.

use crate::support::{CUBE, Run, Workshop};
use std::fs;

/// A scene with a mesh and a tree; it would run for very long.
const SCENE: &str = "[world]\nseconds = 1e6\n[[body]]\nname = \"cube\"\nkind = \"kinematic\"\ntree = \"cube.tree\"
shape = { type = \"mesh\", path = \"cube.obj\" }\n";

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    shop.file("cube.tree", "leaf_size = 2\n");
    shop.file("s.toml", SCENE);
    shop
}

/// Runs, and checks that it fails with some words, and changes no file.
fn refused(shop: &Workshop, arguments: &[&str], words: &str) -> Run {
    let files = |shop: &Workshop| {
        let files = fs::read_dir(shop.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut all: Vec<_> = files.map(|path| (fs::read(&path).ok(), path)).collect();
        all.sort();
        all
    };
    let before = files(shop);
    let run = shop.run(arguments);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{arguments:?}: {}", run.err);
    assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    assert!(files(shop) == before, "{arguments:?} changed a file");
    run
}

#[test]
fn a_run_spares_what_it_reads() {
    let shop = shop();
    shop.file("deep/x", "");
    for option in ["--record", "--trace", "--report"] {
        for name in ["s.toml", "./s.toml", "deep/../s.toml", "cube.obj", "cube.tree"] {
            let run = refused(&shop, &["run", "s.toml", option, name], "written over an input");
            assert!(run.err.contains(&format!("give {option} another name")), "{}", run.err);
        }
    }
    shop.file("short.toml", SCENE.replace("1e6", "0.1"));
    assert_eq!(shop.run(&["run", "short.toml", "--record", "r.rec", "-q"]).code, Some(0));
    for option in ["--trace", "--report"] {
        for name in ["r.rec", "cube.obj"] {
            refused(&shop, &["run", "--replay", "r.rec", option, name], "written over an input");
        }
    }
    // A scene is no record, and nobody is told to make it one.
    let run = refused(&shop, &["run", "--replay", "s.toml"], "not a record of a run");
    assert!(!run.err.contains("--record s.toml"), "{}", run.err);
    let run = refused(&shop, &["check", "cube.obj", "cube.obj", "--tree", "cube.obj"], "not a tree file");
    assert!(!run.err.contains("-o cube.obj"), "{}", run.err);
}

/// A triangle whose corners are in another file.
fn with_buffer(buffer: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "buffers":[{{"byteLength":36,"uri":"{buffer}"}}],"bufferViews":[{{"buffer":0,"byteLength":36}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}}]}}"#
    )
}

#[test]
fn what_a_mesh_file_names_is_spared() {
    let shop = shop();
    let corners: Vec<u8> =
        [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    shop.file("gb.gltf", with_buffer("gb.bin"));
    shop.file("gb.bin", &corners);
    shop.file("curves.gltf", with_buffer("curves.obj"));
    shop.file("curves.obj", &corners);
    shop.file("g.toml", SCENE.replace("cube.obj", "gb.gltf").replace("1e6", "0.1"));
    for option in ["--trace", "--report", "--record"] {
        refused(&shop, &["run", "g.toml", option, "gb.bin"], "written over an input");
    }
    assert_eq!(shop.run(&["run", "g.toml", "-q", "--record", "g.rec"]).code, Some(0));
    for arguments in [
        &["run", "--replay", "g.rec", "--trace", "./gb.bin"][..],
        &["check", "cube.obj", "curves.gltf", "--contours", "curves.obj"],
        &["tune", "cube.obj", "gb.gltf", "-o", "gb.bin"],
        &["decompose", "gb.gltf", "--format", "obj", "-o", "gb.bin"],
    ] {
        refused(&shop, arguments, "written over an input");
    }
}

#[cfg(unix)]
#[test]
fn links_are_seen_through() {
    let shop = shop();
    let at = |name: &str| shop.path().join(name);
    std::os::unix::fs::symlink("s.toml", at("soft")).unwrap();
    fs::hard_link(at("s.toml"), at("hard")).unwrap();
    std::os::unix::fs::symlink("new.jsonl", at("to_new")).unwrap();
    for name in ["soft", "hard"] {
        refused(&shop, &["run", "s.toml", "--trace", name], "written over an input");
        refused(&shop, &["run", name, "--trace", "s.toml"], "written over an input");
    }
    refused(&shop, &["run", "s.toml", "--trace", "to_new", "--report", "new.jsonl"], "are one file");
    let devices =
        ["run", "--steps", "1", "-q", "--trace", "/dev/null", "--report", "/dev/null", "--record", "/dev/null"];
    assert_eq!(shop.run(&devices).code, Some(0), "nothing is lost there");
}

#[test]
fn two_outputs_have_a_name_each() {
    let shop = shop();
    for [first, second] in [["trace", "report"], ["trace", "record"], ["report", "record"]] {
        let (a, b) = (format!("--{first}"), format!("--{second}"));
        let run = refused(&shop, &["run", "s.toml", &a, "x", &b, "./x"], "written over the other");
        assert!(run.err.contains(&format!("{a} and {b} are one file")), "{}", run.err);
    }
    let tune = ["tune", "cube.obj", "cube.obj", "-o", "x.svg", "--plot", "x.svg"];
    refused(&shop, &tune, "--output and --plot are one file");
}

#[test]
fn every_command_spares_what_it_reads() {
    let shop = shop();
    shop.file("poses", "{}\n{}\n");
    shop.file("pose.obj", "0,0,1");
    shop.file("cube.svg", CUBE);
    for arguments in [
        &["tune", "cube.obj", "cube.obj", "-o", "cube.obj"][..],
        &["tune", "cube.obj", "cube.obj", "--motion", "poses", "-o", "./poses"],
        &["tune", "cube.svg", "cube.obj", "--plot", "cube.svg"],
        &["decompose", "cube.obj", "-o", "cube.obj"],
        &["make", "cube", "--pose", "@pose.obj", "-o", "pose.obj"],
        &["check", "cube.obj", "cube.obj", "--pose-b", "@pose.obj", "--contours", "pose.obj"],
    ] {
        refused(&shop, arguments, "written over an input");
    }
}

#[test]
fn what_cannot_be_written_is_told_before_the_work() {
    let shop = shop();
    shop.file("folder.svg/x", "");
    for option in ["--trace", "--report", "--record"] {
        for name in ["nope/x", "folder.svg", "cube.obj/x"] {
            // Another output is not begun either.
            let other = if option == "--trace" { "--report" } else { "--trace" };
            refused(&shop, &["run", "s.toml", option, name, other, "fine"], "cannot write");
        }
    }
    for arguments in [
        &["bench-world", "--plot", "nope/x.svg", "--counts", "1000000"][..],
        &["bench-world", "--plot", "folder.svg", "--counts", "1000000"],
        &["tune", "cube.obj", "cube.obj", "-o", "nope/x"],
        &["tune", "cube.obj", "cube.obj", "--plot", "nope/x.svg"],
        &["decompose", "cube.obj", "-o", "nope/x.obj"],
    ] {
        refused(&shop, arguments, "cannot write");
    }
}

#[test]
fn a_check_spares_the_files_of_an_assembly_and_of_poses() {
    let shop = shop();
    shop.file("left.obj", CUBE);
    shop.file("pose.json", "[0.5, 0, 0]");
    let assembly = "[[part]]\nfile = \"cube.obj\"\n[[part]]\nfile = \"left.obj\"\npose = [0.5, 0, 0]\n";
    shop.file("both.toml", assembly);
    refused(&shop, &["check", "both.toml", "--clashes", "left.obj"], "written over an input");
    refused(
        &shop,
        &[
            "check",
            "cube.obj",
            "left.obj",
            "--pose",
            "left=@pose.json",
            "--contours",
            "pose.json.obj",
            "--clashes",
            "-",
        ],
        "standard output",
    );
    std::fs::copy(shop.path().join("pose.json"), shop.path().join("pose.obj")).unwrap();
    refused(
        &shop,
        &["check", "cube.obj", "left.obj", "--pose", "left=@pose.obj", "--clashes", "pose.obj"],
        "written over an input",
    );
}
