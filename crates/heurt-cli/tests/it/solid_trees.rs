//! `heurt solid evaluate` and `render`, and `heurt query` of CSG trees: files, measures, pictures, bad input.

use crate::support::Workshop;
use serde_json::{Value, json};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const DRILLED: &str = "difference() {
    cube(size = [4, 4, 2], center = true);
    cylinder($fn = 8, h = 3, r = 1, center = true);
}";

/// A cube of 2 m, an open mesh, and trees of each format.
fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.make(&["box", "--half", "1,1,1", "-o", "cube.obj"]);
    shop.file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    shop.file("drilled.csg", DRILLED);
    shop.file(
        "cut.json",
        r#"{"difference":[{"type":"mesh","path":"cube.obj"},{"at":{"translation":[1,1,1],"axis":[0,0,1],"angle_deg":90},"of":{"type":"box","half":[1,1,1]}}]}"#,
    );
    shop.file(
        "half.toml",
        "[[intersection]]\ntype = \"mesh\"\npath = \"cube.obj\"\n[[intersection]]\ntype = \"half_space\"\nnormal = [1, 1, 0]\noffset = 0\n",
    );
    shop
}

#[test]
fn trees_of_each_format_have_their_measures() {
    let shop = shop();
    // An octagon of radius 1 has an area of 2 √2.
    let block = 32.0 - 2.0 * 2.0 * std::f64::consts::SQRT_2;
    for (file, volume, leaves, genus) in
        [("drilled.csg", block, 2, 1), ("cut.json", 7.0, 2, 0), ("half.toml", 4.0, 2, 0)]
    {
        let run = shop.run(&["solid", "evaluate", file, "-o", "out.obj", "--json"]);
        assert_eq!(run.code, Some(0), "{file}: {}", run.err);
        let summary = &parsed(&run.out)["summary"];
        let found = summary["volume"].as_f64().unwrap();
        assert!((found - volume).abs() < 1e-12 * volume, "{file}: {found}");
        assert_eq!(
            [&summary["leaves"], &summary["genus"], &summary["shells"]],
            [&json!(leaves), &json!(genus), &json!(1)]
        );
        assert_eq!(summary["unit"], if file == "drilled.csg" { Value::Null } else { json!("m") });
        let inspected = shop.run(&["inspect", "out.obj", "--strict", "-q"]);
        assert_eq!(inspected.code, Some(0), "{file}: {}{}", inspected.out, inspected.err);
    }
    let run = shop.run(&["solid", "evaluate", "drilled.csg", "-o", "-", "--format", "obj"]);
    assert!(run.code == Some(0) && run.out.contains("\nv ") && !run.out.contains("volume"), "{}", run.out);
}

#[test]
fn the_tolerance_bounds_the_error_of_curved_leaves() {
    let shop = shop();
    shop.file("ball.csg", "sphere(r = 1);");
    let exact = 4.0 / 3.0 * std::f64::consts::PI;
    let error = |tolerance: &str| {
        let run = shop.run(&["solid", "evaluate", "ball.csg", "--json", "--tolerance", tolerance]);
        let summary = parsed(&run.out)["summary"].clone();
        assert_eq!(summary["tolerance"].as_f64(), tolerance.parse().ok());
        exact - summary["volume"].as_f64().unwrap()
    };
    let [coarse, fine] = ["0.05", "0.005"].map(error);
    assert!(0.0 < fine && fine < 0.005 * 4.0 * std::f64::consts::PI && fine < coarse, "{coarse} {fine}");
    for (tolerance, words) in [("0", "give a length above 0"), ("1e-12", "give a larger tolerance")] {
        let run = shop.run(&["solid", "evaluate", "ball.csg", "--tolerance", tolerance]);
        assert!(run.code == Some(2) && run.err.contains(words), "{}", run.err);
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let shop = shop();
    let bytes = |name: &str| std::fs::read(shop.path().join(name)).unwrap();
    let size = ["--picture-size", "64x48"];
    let all = ["1", "2", "3"].map(|threads| {
        let evaluated = shop.run(&["solid", "evaluate", "drilled.csg", "-o", "out.obj", "-q", "--threads", threads]);
        let command = ["solid", "render", "drilled.csg", "-o", "out.png", "--threads", threads];
        let rendered = shop.run(&[&command[..], &size].concat());
        assert_eq!([evaluated.code, rendered.code], [Some(0); 2], "{}{}", evaluated.err, rendered.err);
        [bytes("out.obj"), bytes("out.png")]
    });
    assert!(all[0].iter().all(|file| !file.is_empty()));
    assert!(all[0] == all[1] && all[1] == all[2]);
}

#[test]
fn empty_and_bad_trees_are_named() {
    let shop = shop();
    shop.file("none.json", r#"{"difference":[{"type":"mesh","path":"cube.obj"},{"type":"mesh","path":"cube.obj"}]}"#);
    let run = shop.run(&["solid", "evaluate", "none.json", "-o", "none.obj"]);
    assert!(run.code == Some(1) && run.out.contains("empty"), "{}{}", run.out, run.err);
    assert!(!shop.path().join("none.obj").exists());
    let cases = [
        ("a.csg", "cube(1);\nhull() { }\n", "line 2, column 1: `hull` is not supported"),
        ("a.json", r#"{"union":[{"type":"ball"}]}"#, "union[0].type: \"ball\" is not one of sphere"),
        ("b.json", r#"{"union":[{"type":"mesh","path":"missing.obj"}]}"#, "union[0].path"),
        ("c.json", r#"{"union":[{"type":"mesh","path":"open.obj"}]}"#, "leaf 1 is a surface without an inside"),
        ("d.json", r#"{"complement":{"type":"sphere","radius":1}}"#, "intersect them with a bounded shape"),
        ("e.json", r#"{"union":[],"union":[]}"#, "union: given more than once"),
        ("f.json", "[", "f.json, line 1"),
        ("g.toml", "[[union]]\ntype = \"box\"\nhalf = [1, 1]\n", "g.toml, line 3"),
        ("h.toml", "[at]\naxis = [0, 0, 1]\n[of]\ntype = \"point\"\n", "at.angle: missing"),
        ("tree.stl", "solid\n", "the extension is none of .csg, .json and .toml"),
    ];
    for (file, text, words) in cases {
        shop.file(file, text);
        let run = shop.run(&["solid", "evaluate", file, "-o", "out.obj"]);
        let message = run.err.split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
        assert!(run.code == Some(2) && message.contains(words), "{file}: {}", run.err);
        assert!(!shop.path().join("out.obj").exists());
    }
    for (file, words) in [
        ("d.json", "bounds"),
        ("c.json", "leaf 1 is a surface without an inside"),
        ("i.json", "i.json: path: missing.obj"),
    ] {
        shop.file("i.json", r#"{"type":"mesh","path":"missing.obj"}"#);
        let run = shop.run(&["solid", "render", file, "-o", "out.png"]);
        let message = run.err.split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
        assert!(run.code == Some(2) && message.contains(words), "{}", run.err);
        assert!(!shop.path().join("out.png").exists());
    }
    let run = shop.run(&["solid", "render", "none.json", "-o", "none.png", "--picture-size", "16x16"]);
    assert!(run.code == Some(0), "{}", run.err);
    shop.file("far.json", r#"{"type":"sphere","radius":1e200}"#);
    let run = shop.run(&["solid", "evaluate", "far.json", "--json"]);
    let tolerance = parsed(&run.out)["summary"]["tolerance"].as_f64();
    assert!(run.code == Some(0) && tolerance.is_some_and(|length| length > 1e196), "{}{}", run.out, run.err);
    for arguments in [["evaluate", "drilled.csg", "-o", "drilled.csg"], ["render", "drilled.csg", "-o", "a.jpg"]] {
        assert_eq!(shop.run(&[&["solid"], &arguments[..]].concat()).code, Some(2), "{arguments:?}");
    }
}

#[test]
fn a_picture_shows_the_block_and_the_hole() {
    let shop = shop();
    let size = ["--picture-size", "100x100", "--picture-from", "top"];
    let run = shop.run(&[&["solid", "render", "drilled.csg", "-o", "top.png"][..], &size].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let file = std::io::BufReader::new(std::fs::File::open(shop.path().join("top.png")).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    let pixel = |x: usize, y: usize| &bytes[3 * (100 * y + x)..][..3];
    // The background is light; the block is not.
    let is_light = |x: usize, y: usize| pixel(x, y).iter().all(|part| *part > 220);
    assert!(is_light(50, 50), "the hole: {:?}", pixel(50, 50));
    assert!(is_light(3, 3) && !is_light(25, 50) && !is_light(75, 50) && !is_light(50, 25), "the block");
}

#[test]
fn queries_take_trees_as_closed_meshes() {
    let shop = shop();
    let tree = json!({"type": "csg", "tree": {"difference": [
        {"type": "mesh", "path": "cube.obj"},
        {"at": {"rpy_deg": [0, 0, 90]}, "of": {"type": "box", "half": [0.5, 0.5, 2]}}]}});
    let answer = shop.run_query(&json!({"op": "measure", "a": tree}));
    assert_eq!(
        [&answer["volume"], &answer["genus"], &answer["closed"]],
        [&json!(6.0), &json!(1), &json!(true)],
        "{answer}"
    );
    let inside =
        shop.run_query(&json!({"op": "contains", "a": tree, "points": [[0, 0, 0], [0.75, 0, 0], [0.5, 0, 0]]}));
    assert_eq!(inside["inside"], json!([false, true, true]), "{inside}");
    let ball = json!({"type": "sphere", "radius": 0.25});
    let distance = shop.run_query(&json!({"op": "distance", "a": tree, "b": ball}));
    assert_eq!(distance["distance"], 0.25, "{distance}");
    let planes = json!([[1, 0, 0, 1], [-1, 0, 0, 1], [0, 1, 0, 1], [0, -1, 0, 1], [0, 0, 1, 1], [0, 0, -1, 1]]);
    let cube = shop.run_query(&json!({"op": "measure", "a": {"type": "polyhedron", "planes": planes}}));
    assert_eq!(cube["volume"], 8.0, "{cube}");
    let rounded = json!({"type": "csg", "tree": {"type": "sphere", "radius": 1}, "tolerance": 0.01});
    let area = shop.run_query(&json!({"op": "measure", "a": rounded}))["area"].as_f64().unwrap();
    assert!((area / (4.0 * std::f64::consts::PI) - 1.0).abs() < 0.02, "{area}");
    for (shape, words) in [
        (json!({"type": "csg", "tree": {"union": [{"type": "sphere"}]}}), "a.tree.union[0].radius: missing"),
        (json!({"type": "csg", "tree": {"union": [], "more": 1}}), "a.tree.more: unknown field"),
        (json!({"type": "csg", "tree": "empty"}), "it is empty"),
        (json!({"type": "csg", "tree": "everything"}), "intersect them with a bounded shape"),
        (json!({"type": "csg", "tree": {"type": "shape", "name": "x"}}), "no line before has given a shape"),
        (json!({"type": "csg", "tree": {"type": "point"}, "tolerance": 0}), "a.tolerance: 0 is not a number above 0"),
        (json!({"type": "polyhedron", "planes": [[1, 0, 0]]}), "a.planes[0]"),
        (json!({"type": "polyhedron", "planes": [[1, 0, 0, 1]]}), "does not bound"),
    ] {
        let answer = shop.run_query(&json!({"op": "measure", "a": shape}));
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.contains(words), "{answer}");
    }
}
