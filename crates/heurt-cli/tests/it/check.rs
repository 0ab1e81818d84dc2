//! `heurt check`: what is found, how it is reported, and with which status.

use crate::support::{CUBE, Workshop};
use serde_json::{Value, json};

fn cubes() -> Workshop {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    shop.file("b.obj", CUBE);
    shop
}

fn kind_at(shop: &Workshop, pose_b: &str) -> (Option<i32>, Value) {
    let run = shop.run(&["check", "a.obj", "b.obj", "--pose-b", pose_b, "--json"]);
    let report = run.json();
    (run.code, report["interferences"][0]["kind"].clone())
}

#[test]
fn the_status_tells_whether_parts_interfere() {
    let shop = cubes();
    assert_eq!(shop.run(&["check", "a.obj", "b.obj", "--pose-b", "3,0,0"]).code, Some(0));
    assert_eq!(shop.run(&["check", "a.obj", "b.obj", "--pose-b", "0.4,0.3,0.2"]).code, Some(1));
    assert_eq!(shop.run(&["check", "a.obj", "nothing.obj"]).code, Some(2));
}

#[test]
fn touching_faces_edges_and_corners_are_told_from_clashes() {
    let shop = cubes();
    for touching in ["1,0,0", "1,1,0", "1,1,1", "1,0.3,0.4", "1,-0.9,0", "0,0,-1"] {
        assert_eq!(kind_at(&shop, touching), (Some(1), json!("touching")), "{touching}");
    }
    // The last two share planes and directions of faces: no two triangles cross properly.
    for clash in ["0.9,0.1,0.2", "0.999999999999,0.1,0.2", "0.5,0,0"] {
        assert_eq!(kind_at(&shop, clash), (Some(1), json!("clash")), "{clash}");
    }
    assert_eq!(kind_at(&shop, "0,0,0"), (Some(1), json!("duplicate")));
    assert_eq!(kind_at(&shop, "1.0000000000000002,0,0"), (Some(0), Value::Null));
}

#[test]
fn a_sheet_touches_or_enters_a_solid() {
    let shop = cubes();
    shop.file("sheet.obj", "v -9 -9 0\nv 9 -9 0\nv 0 9 0\nf 1 2 3\n");
    let kind = |pose: &str| {
        shop.run(&["check", "a.obj", "sheet.obj", "--pose-b", pose, "--json"]).json()["interferences"][0]["kind"]
            .clone()
    };
    assert_eq!(kind("0,0,0.5"), json!("touching"));
    assert_eq!(kind("0,0,-0.5"), json!("touching"));
    assert_eq!(kind("0,0,0.25"), json!("clash"));
}

#[test]
fn ignored_touching_pairs_do_not_count() {
    let shop = cubes();
    let run = shop.run(&["check", "a.obj", "b.obj", "--pose-b", "1,0,0", "--ignore-touching", "--json"]);
    assert_eq!(run.code, Some(0));
    let report = run.json();
    assert_eq!(report["interferences"], json!([]));
    assert_eq!(report["summary"]["touching_ignored"], 1);
    let run = shop.run(&["check", "a.obj", "b.obj", "--pose-b", "0.5,0.1,0", "--ignore-touching"]);
    assert_eq!(run.code, Some(1));
}

#[test]
fn a_part_inside_a_solid_interferes() {
    let shop = cubes();
    shop.make(&["sphere", "--radius", "0.2", "-o", "ball.stl"]);
    let run = shop.run(&["check", "a.obj", "ball.stl", "--json"]);
    assert_eq!(run.code, Some(1));
    let found = &run.json()["interferences"][0];
    assert_eq!((&found["kind"], &found["inner"]), (&json!("inside"), &json!("b")));
    assert_eq!(found["triangle_pairs"], 0);
    let swapped = shop.run(&["check", "ball.stl", "a.obj", "--json"]).json();
    assert_eq!(swapped["interferences"][0]["inner"], "a");
}

#[test]
fn poses_can_be_written_in_every_way() {
    let shop = cubes();
    shop.file("pose.json", r#"{"translation":[0.4,0,0],"rotation":[0,0,0.6,0.8]}"#);
    let report = |pose: &str| {
        let run = shop.run(&["check", "a.obj", "b.obj", "--pose-b", pose, "--json"]);
        assert_eq!(run.code, Some(1), "{}", run.err);
        run.out
    };
    let expected = report("0.4,0,0,0,0,0.6,0.8");
    assert_eq!(report("@pose.json"), expected);
    assert_eq!(report(r#"{"rotation":[0,0,0.6,0.8],"translation":[0.4,0,0]}"#), expected);
    assert_eq!(report(" 0.4, 0, 0, 0, 0, 0.6, 0.8 "), expected);
    let moved = shop.run(&[
        "check",
        "a.obj",
        "b.obj",
        "--pose-a=-3,0,0",
        "--pose-b",
        r#"{"matrix":[[1,0,0,-3],[0,1,0,0],[0,0,1,0]]}"#,
    ]);
    assert_eq!(moved.code, Some(1));
}

#[test]
fn csv_has_a_line_for_each_interference_and_quotes_names() {
    let shop = cubes();
    shop.file("odd, \"name\".obj", CUBE);
    let run = shop.run(&["check", "a.obj", "odd, \"name\".obj", "--pose-b", "1,0,0", "--csv"]);
    let lines: Vec<&str> = run.out.lines().collect();
    let titles = "part_a,part_b,kind,inner,triangle_pairs,x,y,z,depth,move_x,move_y,move_z,gap,\
        local_depth_lower,local_depth_upper,chord_error,certainty,separating_length";
    assert_eq!(lines[0], titles);
    assert!(lines[1].starts_with("a,\"odd, \"\"name\"\"\",touching,,"), "{}", lines[1]);
    assert!(lines[1].contains(",0.5,0.0,0.0,"), "{}", lines[1]);
    assert_eq!(lines.len(), 2);
}

#[test]
fn a_folder_is_all_pairs_of_its_meshes() {
    let shop = Workshop::new();
    for (name, x) in [("one", 0.0), ("two", 0.75), ("three", 5.0)] {
        shop.make(&["box", "--pose", &format!("{x},0.1,0"), "-o", &format!("{name}.ply")]);
    }
    shop.file("notes.txt", "no mesh");
    let report = shop.run(&["check", ".", "--json"]).json();
    assert_eq!(report["summary"]["parts"], 3);
    assert_eq!(report["summary"]["pairs"], 3);
    // In the order of the names of the files.
    assert_eq!(report["interferences"][0]["a"], "one");
    assert_eq!(report["interferences"][0]["b"], "two");
    assert_eq!(report["summary"]["interfering"], 1);
}

#[test]
fn files_of_one_name_are_told_apart() {
    let shop = Workshop::new();
    shop.file("left/part.obj", CUBE);
    shop.file("right/part.obj", CUBE);
    let report = shop.run(&["check", "left/part.obj", "right/part.obj", "--json"]).json();
    assert_eq!(report["interferences"][0]["a"], "left/part.obj");
    assert_eq!(report["interferences"][0]["b"], "right/part.obj");
    let twice = shop.run(&["check", "left/part.obj", "left/part.obj", "--json"]).json();
    assert_eq!(twice["interferences"][0]["b"], "part#2");
    assert_eq!(twice["summary"]["meshes"], 1, "a file named twice is one mesh");
}

#[test]
fn the_demonstration_assembly_has_the_interferences_it_is_built_with() {
    use heurt::mesh::generate::{Relation, demo_assembly};
    let shop = Workshop::new();
    // OBJ would be one part; glTF keeps parts, but in f32: so only what does not hang on a bit is compared.
    shop.make(&["demo", "-o", "demo.glb"]);
    let report = shop.run(&["check", "demo.glb", "--json"]).json();
    let demo = demo_assembly().expect("legal");
    assert_eq!(report["summary"]["parts"], demo.parts.len());
    assert_eq!(report["summary"]["meshes"], demo.meshes.len());
    let found = report["interferences"].as_array().expect("a list");
    for truth in demo.interferences {
        let [a, b] = [truth.a, truth.b].map(|part| demo.parts[part].name.as_str());
        let kind = found.iter().find(|found| found["a"] == a && found["b"] == b).map(|found| &found["kind"]);
        match truth.relation {
            Relation::Crossing => assert_eq!(kind, Some(&json!("clash")), "{a} and {b}"),
            Relation::Contained { .. } => assert_eq!(kind, Some(&json!("inside")), "{a} and {b}"),
            Relation::Touching => assert_eq!(kind, Some(&json!("touching")), "{a} and {b}"),
        }
    }
}

#[test]
fn heurt_alone_checks_the_demonstration_and_says_what_to_try() {
    use heurt::mesh::generate::{Relation, demo_assembly};
    let run = Workshop::new().run(&[]);
    assert_eq!(run.code, Some(0));
    let demo = demo_assembly().expect("legal");
    for truth in &demo.interferences {
        let [a, b] = [truth.a, truth.b].map(|part| demo.parts[part].name.as_str());
        let word = match truth.relation {
            Relation::Crossing => "clash",
            Relation::Touching => "touching",
            Relation::Contained { .. } => "inside",
        };
        let line = run.out.lines().find(|line| line.contains(a) && line.contains(b));
        assert!(line.is_some_and(|line| line.contains(word)), "{a} {b} {word}: {line:?}\n{}", run.out);
    }
    let is_row =
        |line: &&str| line.starts_with('│') && ["clash", "touching", "inside"].iter().any(|kind| line.contains(kind));
    let rows = run.out.lines().filter(is_row).count();
    assert_eq!(rows, demo.interferences.len());
    assert!(run.out.contains("Try next:") && run.out.contains("heurt check"));
}

#[test]
fn a_field_of_clashes_is_found_whatever_the_threads_and_byte_for_byte() {
    use heurt::mesh::generate::{Relation, clash_field};
    let shop = Workshop::new();
    shop.make(&["field", "--parts", "60", "--triangles", "12000", "--seed", "7", "-o", "field.glb"]);
    let truth = clash_field(60, 12_000, 7).expect("legal").interferences;
    let first = shop.run(&["check", "field.glb", "--json", "--threads", "1"]);
    assert_eq!(first.code, Some(1));
    let report = first.json();
    let inside = truth.iter().filter(|found| matches!(found.relation, Relation::Contained { .. })).count();
    assert_eq!(report["summary"]["interfering"], truth.len());
    assert_eq!(report["summary"]["inside"], inside);
    for format in ["--json", "--csv"] {
        let one = shop.run(&["check", "field.glb", format, "--threads", "1"]).out;
        for threads in ["1", "2", "4"] {
            let again = shop.run(&["check", "field.glb", format, "--threads", threads]).out;
            assert_eq!(again, one, "{format} on {threads} threads");
        }
    }
}

#[test]
fn contours_are_written_as_obj_and_dxf() {
    let shop = cubes();
    for name in ["cut.obj", "cut.dxf"] {
        let run = shop.run(&["check", "a.obj", "b.obj", "--pose-b", "0.5,0.1,0.2", "--contours", name]);
        assert_eq!(run.code, Some(1), "{}", run.err);
    }
    let obj = std::fs::read_to_string(shop.path().join("cut.obj")).expect("written");
    assert!(obj.contains("o a x b"), "{obj}");
    // All points lie on the surfaces of both cubes.
    let mut points = 0;
    for line in obj.lines().filter_map(|line| line.strip_prefix("v ")) {
        let point: Vec<f64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
        let height = |centre: [f64; 3]| (0..3).map(|k| (point[k] - centre[k]).abs()).fold(0.0, f64::max);
        for centre in [[0.0, 0.0, 0.0], [0.5, 0.1, 0.2]] {
            assert!((height(centre) - 0.5).abs() < 1e-12, "{line}");
        }
        points += 1;
    }
    assert!(points >= 6 && obj.lines().any(|line| line.starts_with("l ")), "{obj}");
    let dxf = std::fs::read_to_string(shop.path().join("cut.dxf")).expect("written");
    assert!(dxf.contains("POLYLINE") && dxf.ends_with("EOF\n"), "{dxf}");
    let run = shop.run(&["check", "a.obj", "b.obj", "--contours", "cut.txt"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("cut.txt") && run.err.contains(".dxf"), "{}", run.err);
}

#[test]
fn the_table_is_cut_and_says_so() {
    let shop = cubes();
    let files = ["a.obj"; 5];
    let run = shop.run(&[&["check", "--limit", "3"], &files[..]].concat());
    assert!(run.out.contains("and 7 more"), "{}", run.out);
    let run = shop.run(&[&["check", "--all-pairs"], &files[..]].concat());
    assert_eq!(run.out.lines().filter(|line| line.contains("duplicate")).count(), 10 + 1, "{}", run.out);
    let run = shop.run(&[&["check", "--quiet"], &files[..]].concat());
    assert_eq!((run.out.as_str(), run.code), ("", Some(1)));
}

#[test]
fn a_moved_part_meets_another_in_time() {
    let shop = cubes();
    let follow = |more: &[&str]| shop.run(&[&["check", "a.obj", "b.obj", "--json"], more].concat());
    let run = follow(&["--pose-b", "3,0,0", "--motion", "4,0,0"]);
    let report = run.json();
    assert_eq!(run.code, Some(1));
    assert_eq!(report["summary"]["barred"], json!(true));
    let met = &report["encounters"][0];
    assert_eq!(
        (&met["a"], &met["b"], &met["start"], &met["apart"]),
        (&json!("a"), &json!("b"), &json!("clear"), &Value::Null)
    );
    let [time, upper] = ["time", "time_upper"].map(|key| met[key].as_f64().unwrap());
    assert!(0.499_999 < time && time <= 0.5 && 0.5 <= upper, "a gap of 2 m at 4 m/s: {time} to {upper}");
    assert_eq!(met["normal"], json!([1.0, 0.0, 0.0]));
    assert_eq!(met["where"][0].as_f64().map(|x| (x - 2.5).abs() < 1e-5), Some(true));
    let free = follow(&["--pose-b", "3,0,0", "--motion", "0,4,0"]);
    assert_eq!((free.code, free.json()["encounters"].clone()), (Some(0), json!([])));
}

#[test]
fn parts_that_touch_at_the_start_come_free_or_do_not() {
    let shop = cubes();
    let follow = |pose: &str, path: &str, more: &[&str]| {
        let run =
            shop.run(&[&["check", "a.obj", "b.obj", "--json", "--pose-b", pose, "--motion", path], more].concat());
        (run.code, run.json()["encounters"].clone())
    };
    let (code, met) = follow("1,0,0", "-1,0,0", &[]);
    assert_eq!((code, &met[0]["start"], &met[0]["time"]), (Some(1), &json!("touching"), &Value::Null));
    assert!(met[0]["apart"].as_f64().unwrap() < 1e-9);
    assert_eq!(follow("1,0,0", "-1,0,0", &["--ignore-touching"]), (Some(0), json!([])));
    // However slowly: at first the gap is less than what roundings hide.
    for path in ["-0.01,0,0", "-0.000001,0.3,0", r#"{"velocity":[-0.0001,0,0],"duration":50}"#] {
        assert_eq!(follow("1,0,0", path, &["--ignore-touching"]), (Some(0), json!([])), "{path}");
    }
    let (code, met) = follow("1,0,0", "1,0,0", &["--ignore-touching"]);
    assert_eq!((code, &met[0]["apart"]), (Some(1), &Value::Null), "it only goes deeper");
    // Away and back again: the second leg ends where the first began.
    let path = r#"[{"velocity":[-1,0,0]},{"velocity":[2,0,0],"duration":0.5}]"#;
    let (_, met) = follow("1,0,0", path, &["--ignore-touching"]);
    let time = met[0]["time"].as_f64().unwrap();
    assert!(1.499 < time && time <= 1.5, "{time}");
}

/// A cube that stands on a floor and is pushed along it meets the wall at the floor's other end, though it touches the floor all the while.
/// A box as an OBJ file has it, after so many vertices.
fn cuboid(first: usize, min: [f64; 3], max: [f64; 3]) -> String {
    let corner = |n: usize| [0, 1, 2].map(|k| if n >> k & 1 == 1 { max[k] } else { min[k] });
    let corners: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let sides = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
    let sides = sides.map(|side| format!("f {}\n", side.map(|v| (v + first).to_string()).join(" ")));
    corners + &sides.concat()
}

#[test]
fn what_slides_along_a_floor_meets_its_wall() {
    let shop = cubes();
    let floor = cuboid(0, [-1.0, -1.0, -1.0], [4.0, 1.0, -0.5]);
    shop.file("corner.obj", &(floor.clone() + &cuboid(8, [2.0, -1.0, -0.4], [2.1, 1.0, 1.0])));
    shop.file("floor.obj", &floor);
    let follow = |name: &str, path: &str| {
        let run = shop.run(&["check", "a.obj", name, "--json", "--ignore-touching", "--motion", path]);
        (run.code, run.json()["encounters"].clone())
    };
    let (code, met) = follow("corner.obj", "8,0,0");
    assert_eq!((code, &met[0]["start"]), (Some(1), &json!("touching")));
    let [time, upper] = ["time", "time_upper"].map(|key| met[0][key].as_f64().unwrap());
    assert!(time <= 1.5 / 8.0 && 1.5 / 8.0 <= upper && upper - time < 0.04, "{time} to {upper}");
    assert_eq!(
        follow("floor.obj", "8,0,0"),
        (Some(0), json!([])),
        "without the wall it comes free at the end of the floor"
    );
    assert_eq!(follow("corner.obj", "-8,0,0"), (Some(0), json!([])));
}

/// A corner that is sunk into the floor slides on, and out at its end, but not into the wall.
#[test]
fn what_clashes_at_the_start_must_not_get_deeper() {
    let shop = cubes();
    let floor = cuboid(0, [-1.0, -1.0, -1.0], [4.0, 1.0, -0.49]);
    shop.file("corner.obj", &(floor.clone() + &cuboid(8, [2.0, -1.0, -0.4], [2.5, 1.0, 1.0])));
    shop.file("floor.obj", &floor);
    let follow = |name: &str, path: &str| {
        let run = shop.run(&["check", "a.obj", name, "--json", "--motion", path]);
        (run.code, run.json()["encounters"][0].clone())
    };
    let (code, met) = follow("corner.obj", "8,0,0");
    assert_eq!((code, &met["start"]), (Some(1), &json!("clash")));
    let [time, upper] = ["time", "time_upper"].map(|key| met[key].as_f64().unwrap());
    // The wall is met at 1.5 / 8, and the next look is no farther on than a quarter of the cube.
    assert!(time <= 1.5 / 8.0 && 1.5 / 8.0 < upper && upper <= 1.75 / 8.0, "{time} to {upper}: {met}");
    for (name, path) in [("floor.obj", "8,0,0"), ("corner.obj", "-8,0,0"), ("corner.obj", "0,0,3")] {
        let (code, met) = follow(name, path);
        assert_eq!((code, &met["time"]), (Some(1), &Value::Null), "{name} {path}: {met}");
        assert!(met["apart"].is_number(), "{met}");
    }
}

#[test]
fn a_way_may_turn_about_an_axis() {
    let shop = cubes();
    // The cube sweeps a quarter of a circle of 3 m about the origin of b, which it never meets, and one that it does.
    let follow = |path: &str| {
        let run = shop.run(&["check", "a.obj", "b.obj", "--json", "--pose-a", "3,0,0", "--motion", path]);
        (run.code, run.json()["encounters"][0]["time"].clone())
    };
    assert_eq!(follow(r#"{"angular_velocity":[0,0,6.4],"pivot":[0,0,0]}"#), (Some(0), Value::Null));
    let (code, time) = follow(r#"{"angular_velocity":[0,0,6.4],"pivot":[1.5,0,0]}"#);
    assert_eq!(code, Some(1));
    assert!((0.1..0.5).contains(&time.as_f64().unwrap()), "{time}");
}

#[test]
fn moved_parts_are_named_and_move_together() {
    let shop = Workshop::new();
    for name in ["a.obj", "b.obj", "c.obj"] {
        shop.file(name, CUBE);
    }
    let three = ["check", "a.obj", "b.obj", "c.obj"];
    let run_with = |more: &[&str]| shop.run(&[&three, more].concat());
    let run = run_with(&["--motion", "9,0,0", "--moving", "a", "--moving", "b", "--json"]);
    assert_eq!(run.json()["summary"]["moved"], json!(2));
    let pairs: Vec<Value> = run.json()["encounters"].as_array().unwrap().iter().map(|met| met["b"].clone()).collect();
    assert_eq!(pairs, ["c", "c"], "those that move together do not meet");
    for (more, words) in [
        (&["--motion", "1,0,0"] as &[&str], "none is named"),
        (&["--motion", "1,0,0", "--moving", "d"], "--moving d: no part has that name"),
        (&["--motion", "1,0", "--moving", "a"], "2 numbers are not 3"),
        (&["--motion", "1,0,inf", "--moving", "a"], "`inf` is no number"),
        (&["--motion", "[]", "--moving", "a"], "the list is empty"),
        (&["--motion", r#"{"velocity":[1e200,0,0]}"#, "--moving", "a"], "beyond ±1e150"),
        (&["--motion", r#"{"speed":1}"#, "--moving", "a"], "unknown field"),
        (&["--motion", r#"{"duration":-1}"#, "--moving", "a"], "motion.duration"),
        (&["--motion", "@nothing.json", "--moving", "a"], "cannot read nothing.json"),
        (&["--moving", "a"], "--motion"),
        (&["--motion", "1,0,0", "--contours", "c.obj"], "cannot be used with"),
    ] {
        let run = run_with(more);
        assert_eq!(run.code, Some(2), "{more:?}");
        assert!(run.err.contains(words), "{more:?}: {}", run.err);
    }
}
