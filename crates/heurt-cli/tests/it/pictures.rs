//! `--picture` of all commands that have it, and `--video`: files, sizes, wrong names.

use crate::support::Workshop;
use std::fs;

/// Width and height of a PNG file.
fn size(shop: &Workshop, name: &str) -> [u32; 2] {
    let bytes = fs::read(shop.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{name}");
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

fn shop() -> Workshop {
    let shop = Workshop::new();
    for arguments in [&["make", "box", "--half", "1,1,1", "-o", "a.obj"][..], &["make", "demo", "-o", "g.glb"]] {
        assert_eq!(shop.run(arguments).code, Some(0));
    }
    shop
}

#[test]
fn each_command_draws_a_picture_of_the_given_size() {
    let shop = shop();
    let cases: [(&[&str], Option<i32>); 5] = [
        (&["check", "g.glb"], Some(1)),
        (&["inspect", "a.obj"], Some(0)),
        (&["view", "g.glb"], Some(0)),
        (&["run", "--steps", "3"], Some(0)),
        (&["check", "a.obj", "a.obj", "--pose-b", "5,0,0", "--clearance", "9"], Some(1)),
    ];
    for (arguments, code) in cases {
        let all = [arguments, &["--picture", "p.png", "--picture-size", "320x200", "-q"]].concat();
        let run = shop.run(&all);
        assert_eq!(run.code, code, "{arguments:?}: {}", run.err);
        assert_eq!(size(&shop, "p.png"), [320, 200], "{arguments:?}");
        fs::remove_file(shop.path().join("p.png")).unwrap();
    }
    for side in ["isometric", "front", "back", "left", "right", "top", "bottom"] {
        let name = format!("{side}.png");
        let arguments = ["view", "g.glb", "--picture", &name, "--picture-from", side, "--picture-size", "64x48"];
        assert_eq!(shop.run(&arguments).code, Some(0), "{side}");
        assert_eq!(size(&shop, &name), [64, 48]);
    }
    let [front, top] = ["front.png", "top.png"].map(|name| fs::read(shop.path().join(name)).unwrap());
    assert_ne!(front, top);
}

#[test]
fn a_picture_is_the_same_for_any_number_of_threads() {
    let shop = shop();
    for threads in ["1", "3"] {
        let name = format!("{threads}.png");
        let arguments = ["check", "g.glb", "--picture", &name, "--threads", threads, "--exit-zero", "-q"];
        assert_eq!(shop.run(&arguments).code, Some(0));
    }
    let [one, three] = ["1.png", "3.png"].map(|name| fs::read(shop.path().join(name)).unwrap());
    assert_eq!(one, three);
}

#[test]
fn wrong_names_and_sizes_are_refused_before_the_work() {
    let shop = shop();
    let cases: [(&[&str], &str); 8] = [
        (&["check", "g.glb", "--picture", "p.jpg"], "pictures are PNG"),
        (&["check", "g.glb", "--picture", "-"], "standard output"),
        (&["view", "g.glb", "--picture", "no/such/folder/p.png"], "cannot write"),
        (&["view", "missing.obj", "--picture", "p.png"], "missing.obj"),
        (&["view", "g.glb", "--picture", "p.png", "--picture-size", "1x1"], "1600x1000"),
        (&["view", "g.glb", "--picture", "p.png", "--picture-size", "99999x99999"], "8192"),
        (&["view", "g.glb", "--picture", "p.png", "--picture-from", "nowhere"], "isometric"),
        (&["check", "g.glb", "--report", "r.pdf"], "HTML"),
    ];
    for (arguments, words) in cases {
        let run = shop.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    }
    fs::copy(shop.path().join("g.glb"), shop.path().join("g.png")).unwrap();
    assert_eq!(shop.run(&["check", "g.glb", "--picture", "p.png", "--clashes", "p.png"]).code, Some(2));
}

#[test]
fn a_video_has_a_frame_for_each_thirtieth_of_a_second() {
    let shop = Workshop::new();
    let arguments = ["run", "--steps", "12", "--video", "frames/", "--picture-size", "161x121", "-q"];
    let run = shop.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let mut names: Vec<String> = fs::read_dir(shop.path().join("frames"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    // 0.2 s: 0, 1/30, … 6/30.
    assert_eq!(names.len(), 7, "{names:?}");
    assert_eq!(size(&shop, "frames/frame_00000.png"), [160, 120], "even sides, as video formats need");
    let [first, last] = [&names[0], &names[6]].map(|name| fs::read(shop.path().join("frames").join(name)).unwrap());
    assert_ne!(first, last, "bodies fall");
    // A shorter run leaves no frame of the longer one, and no other file is touched.
    for name in ["frame_00001.jpg", "frame_1.png", "frame_000010.png", "notes.txt"] {
        shop.file(&format!("frames/{name}"), "mine");
    }
    let run = shop.run(&["run", "--steps", "4", "--video", "frames/", "--picture-size", "161x121", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("note: 4 frames of an earlier run removed from frames"), "{}", run.err);
    let mut left: Vec<String> = fs::read_dir(shop.path().join("frames"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let frames = ["frame_00000.png", "frame_00001.jpg", "frame_00001.png", "frame_000010.png", "frame_00002.png"];
    assert_eq!(left, [&frames[..], &["frame_1.png", "notes.txt"]].concat());
}

#[test]
fn rows_have_numbers_where_a_picture_shows_them() {
    let shop = shop();
    let run = shop.run(&["check", "g.glb", "--picture", "p.png", "--picture-size", "320x200"]);
    assert!(run.out.contains("│ # ┆ part a") && run.out.contains("│ 1 ┆ block"), "{}", run.out);
    let plain = shop.run(&["check", "g.glb"]);
    assert!(!plain.out.contains('#'), "{}", plain.out);
    let pictures: Vec<Vec<u8>> = [
        &["--picture-pairs", "20"][..],
        &["--picture-pairs", "1"],
        &["--picture-pairs", "0"],
        &["--picture-colours", "pair"],
    ]
    .iter()
    .map(|options| {
        let all = [&["check", "g.glb", "--picture", "q.png", "--picture-size", "320x200", "-q"], *options].concat();
        assert_eq!(shop.run(&all).code, Some(1), "{options:?}");
        fs::read(shop.path().join("q.png")).unwrap()
    })
    .collect();
    assert_eq!(pictures[0], fs::read(shop.path().join("p.png")).unwrap(), "20 is the default");
    let all: std::collections::BTreeSet<_> = pictures.iter().collect();
    assert_eq!(all.len(), 4);
}

#[test]
fn sections_are_cut_where_they_are_given() {
    let shop = shop();
    let mut pictures = std::collections::BTreeSet::new();
    for section in ["x", "x=0", "x=1cm", "0,1,1=5mm", "x@1"] {
        let arguments =
            ["check", "g.glb", "--picture", "p.png", "--picture-size", "320x200", "-q", "--section", section];
        let run = shop.run(&arguments);
        assert_eq!(run.code, Some(1), "{section}: {}", run.err);
        pictures.insert(fs::read(shop.path().join("p.png")).unwrap());
    }
    let beyond = ["check", "g.glb", "--picture", "p.png", "-q", "--section", "x@5", "--picture-pairs", "1"];
    assert_eq!(shop.run(&beyond).code, Some(1), "a row that the picture does not number");
    // The middle of the gearbox is at x = 0.
    assert!(pictures.len() >= 4, "{}", pictures.len());
    for arguments in [&["view", "g.glb"][..], &["inspect", "a.obj"], &["run", "--steps", "3"]] {
        let all = [arguments, &["--picture", "p.png", "--picture-size", "320x200", "-q", "--section", "z"]].concat();
        assert_eq!(shop.run(&all).code, Some(0), "{arguments:?}");
    }
    for (section, words) in
        [("w", "give x, y or z"), ("x=", "length"), ("x@0", "from 1"), ("x@9", "no row 9"), ("0,0,0=1", "normal")]
    {
        let run = shop.run(&["check", "g.glb", "--picture", "p.png", "--section", section, "-q"]);
        assert_eq!(run.code, Some(2), "{section}");
        assert!(run.err.contains(words), "{section}: {}", run.err);
    }
    assert_eq!(shop.run(&["check", "g.glb", "--section", "x"]).code, Some(2), "without a picture");
    assert_eq!(shop.run(&["view", "g.glb", "--picture", "p.png", "--section", "x@1"]).code, Some(2));
}

#[test]
fn a_motion_is_drawn_where_parts_first_meet() {
    let shop = shop();
    let moved = ["check", "g.glb", "--moving", "dowel*", "--motion"];
    let files = ["--picture", "p.png", "--picture-size", "320x200", "--clashes", "m.glb"];
    let run = shop.run(&[&moved[..], &["0,0,0.2"], &files].concat());
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert_eq!(size(&shop, "p.png"), [320, 200]);
    let parts = shop.run(&["inspect", "m.glb", "--json"]);
    assert!(parts.out.contains("dowel pin") && parts.out.contains("block"), "{}", parts.out);
    // They meet in the pose of the file.
    let met = shop.run(&["check", "m.glb"]);
    assert_eq!(met.code, Some(1), "{}", met.out);
    fs::remove_file(shop.path().join("m.glb")).unwrap();
    let free = shop.run(&[
        "check",
        "a.obj",
        "a.obj",
        "--pose-b",
        "9,0,0",
        "--motion",
        "0,5,0",
        "--picture",
        "q.png",
        "--clashes",
        "m.glb",
    ]);
    assert_eq!(free.code, Some(0), "{}", free.err);
    assert!(!shop.path().join("m.glb").exists());
    let same = shop.run(&["check", "g.glb", "--moving", "dowel*", "--motion", "0,0,1", "--clashes", "g.glb"]);
    assert_eq!(same.code, Some(2), "an input is not overwritten");
}

#[test]
fn the_camera_follows_a_body() {
    let shop = shop();
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/dominoes.toml");
    let run = |options: &[&str]| {
        shop.run(&[&["run", scene, "--steps", "2", "-q", "--picture-size", "320x200"], options].concat())
    };
    let mut pictures = std::collections::BTreeSet::new();
    for options in [&["--picture", "p.png"][..], &["--picture", "p.png", "--follow", "first"]] {
        assert_eq!(run(options).code, Some(0), "{options:?}");
        pictures.insert(fs::read(shop.path().join("p.png")).unwrap());
    }
    assert_eq!(pictures.len(), 2);
    assert_eq!(run(&["--video", "frames/", "--follow", "floor"]).code, Some(0), "a body without bounds");
    for (options, words) in [
        (&["--follow", "first"][..], "--picture or --video"),
        (&["--picture", "p.png", "--follow", "second"], "first"),
        (&["--picture", "p.png", "--follow", "*"], "floor"),
    ] {
        let run = run(options);
        assert_eq!(run.code, Some(2), "{options:?}");
        assert!(run.err.contains(words), "{options:?}: {}", run.err);
    }
}
