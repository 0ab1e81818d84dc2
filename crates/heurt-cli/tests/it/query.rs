//! `heurt query`: the requests of docs/cli.md, line by line.

use crate::support::{CUBE, Workshop, cube, run_query, triangle};
use serde_json::{Value, json};

#[test]
fn overlap_counts_touching_and_gives_a_witness() {
    let a = triangle(json!([[0, 0, 0], [1, 0, 0], [0, 1, 0]]));
    let request = |x: f64| {
        json!({"id": 7, "op": "overlap", "a": a, "b": triangle(json!([[0, 0, 0], [-1, 0, 0], [0, -1, 0]])),
            "pose_b": {"translation": [x, 0, 0]}})
    };
    assert_eq!(run_query(&request(0.0)), json!({"id": 7, "ok": true, "overlap": true, "witness": {"a": 0, "b": 0}}));
    assert_eq!(run_query(&request(-1e-300)), json!({"id": 7, "ok": true, "overlap": false}));
}

#[test]
fn overlap_of_solids_includes_containment() {
    let inner = |side: &str, solid: Value| {
        let small = json!({"type": "mesh", "path": "cube.obj", "scale": 0.25});
        let mut big = cube();
        big["solid"] = solid;
        let (a, b) = if side == "b" { (big, small) } else { (small, big) };
        run_query(&json!({"op": "overlap", "a": a, "b": b}))
    };
    assert_eq!(
        inner("a", Value::Null),
        json!({"id": null, "ok": true, "overlap": true, "witness": {"contained": "a"}})
    );
    assert_eq!(inner("b", json!(true))["witness"], json!({"contained": "b"}));
    assert_eq!(inner("b", json!(false)), json!({"id": null, "ok": true, "overlap": false}));
}

#[test]
fn every_exact_choice_gives_the_same_answer() {
    let request = json!({"op": "pairs", "a": cube(), "b": cube(), "pose_b": {"translation": [0.5, 0.25, 0.125]}});
    let plain = run_query(&request);
    assert_eq!(plain["ok"], true);
    for degree in [2, 4, 8] {
        let mut chosen = request.clone();
        chosen["degree"] = json!(degree);
        chosen["volume"] = json!("aabb");
        assert_eq!(run_query(&chosen), plain, "{degree}");
    }
}

#[test]
fn the_degree_chooses_the_tree_that_is_walked() {
    let shop = Workshop::new();
    let ball = json!({"type": "superellipsoid", "radii": [1, 1, 1], "n1": 1, "n2": 1, "segments": 32});
    let run_query = |op: &str, degree: Value| {
        let request = json!({"op": op, "a": ball, "b": ball, "pose_b": {"translation": [1.5, 0, 0]}, "degree": degree});
        let run = shop.feed(&["query", "--stats"], format!("{request}\n"));
        assert_eq!(run.code, Some(0), "{}", run.out);
        run.lines().remove(0)
    };
    for op in ["overlap", "pairs"] {
        let volumes = |answer: &Value| answer["work"]["volumes"].as_u64().expect("a number");
        let [two, four, eight, plain] = [json!(2), json!(4), json!(8), Value::Null].map(|degree| run_query(op, degree));
        for field in ["overlap", "pairs", "count"] {
            assert!([&two, &four, &eight].iter().all(|answer| answer[field] == plain[field]), "{op} {field}");
        }
        // What leaves the choice to the shapes walks 26-DOPs, a degree without a volume oriented boxes.
        assert!(volumes(&plain) > 0 && (op == "overlap" || volumes(&plain) != volumes(&eight)), "{op}");
        // Of a first witness the counts can be equal by chance; of all pairs they are not.
        let counts = [&two, &four, &eight].map(volumes);
        assert!(
            counts[0] != counts[2] && (op == "overlap" || counts[0] != counts[1] && counts[1] != counts[2]),
            "{op}: {counts:?}"
        );
    }
}

#[test]
fn a_large_file_that_many_lines_name_is_built_once_and_never_waited_for_in_a_circle() {
    let shop = Workshop::new();
    // Large enough for a build in parallel: while a worker waits for its halves, it looks for other work.
    shop.make(&["sphere", "--segments", "400", "-o", "ball.stl"]);
    let line = |id: i32| {
        let ball = json!({"type": "mesh", "path": "ball.stl"});
        let at = f64::from(id) * 0.01;
        let degree = [2, 4, 8][id as usize % 3];
        json!({"id": id, "op": "overlap", "a": ball, "b": ball, "pose_b": {"translation": [at, 0, 0]}, "degree": degree})
    };
    let input: String = (0..64).map(|id| format!("{}\n", line(id))).collect();
    for _ in 0..2 {
        let run = shop.feed(&["query", "--threads", "4"], &input);
        assert_eq!((run.code, run.lines().len()), (Some(0), 64));
    }
}

#[test]
fn pairs_are_sorted_counted_and_limited() {
    // A triangle that cuts the cube in half meets its four sides, two triangles each.
    let sheet = triangle(json!([[-9, -9, 0.1], [9, -9, 0.1], [0, 9, 0.1]]));
    let mut request = json!({"op": "pairs", "a": cube(), "b": sheet});
    let all = run_query(&request);
    // Faces 1 and 2 of the file, triangles 0 to 3, are bottom and top.
    let expected: Vec<Value> = (4..12).map(|triangle| json!([triangle, 0])).collect();
    assert_eq!((&all["pairs"], &all["count"]), (&json!(expected), &json!(8)));
    request["limit"] = json!(3);
    let some = run_query(&request);
    assert_eq!((&some["pairs"], &some["count"]), (&json!(expected[..3]), &json!(8)));
    request["limit"] = json!(0);
    assert_eq!(run_query(&request)["pairs"], json!([]));
    // Solidity plays no part: a mesh inside a mesh has no pairs.
    let inside = json!({"op": "pairs", "a": cube(), "b": {"type": "mesh", "path": "cube.obj", "scale": 0.5}});
    assert_eq!((&run_query(&inside)["pairs"], &run_query(&inside)["count"]), (&json!([]), &json!(0)));
}

#[test]
fn rays_start_inside_hit_or_miss() {
    let ray = |origin: [f64; 3], direction: [f64; 3], max: Value| {
        let request = json!({"op": "ray", "a": cube(), "origin": origin, "direction": direction, "max_distance": max});
        let answer = run_query(&request);
        assert_eq!(answer["ok"], true, "{answer}");
        answer
    };
    let hit = ray([0.1, 0.2, 5.5], [0.0, 0.0, -2.0], Value::Null);
    assert_eq!((&hit["hit"], &hit["distance"]), (&json!(true), &json!(2.5)), "a multiple of the direction's length");
    assert_eq!((&hit["point"], &hit["normal"]), (&json!([0.1, 0.2, 0.5]), &json!([0.0, 0.0, 1.0])));
    assert!([2, 3].contains(&hit["primitive"].as_u64().expect("a number")), "{hit}");
    assert!(hit["error"].as_f64().is_some_and(|error| (0.0..=64.0 * 8.0 * f64::EPSILON).contains(&error)), "{hit}");
    assert_eq!(ray([0.1, 0.2, 5.5], [0.0, 0.0, -2.0], json!(2.5))["hit"], true);
    assert_eq!(ray([0.1, 0.2, 5.5], [0.0, 0.0, -2.0], json!(2.4999)), json!({"id": null, "ok": true, "hit": false}));
    assert_eq!(ray([0.1, 0.2, 5.5], [0.0, 0.0, 2.0], Value::Null)["hit"], false);
    assert_eq!(ray([0.1, 0.2, 0.3], [1.0, 0.0, 0.0], Value::Null)["distance"], 0.0, "inside a solid");
}

#[test]
fn closest_points_know_inside_from_outside() {
    let closest = |point: [f64; 3]| run_query(&json!({"op": "closest", "a": cube(), "point": point}));
    let outside = closest([0.1, 0.2, 2.5]);
    assert_eq!((&outside["point"], &outside["distance"]), (&json!([0.1, 0.2, 0.5]), &json!(2.0)));
    assert_eq!((&outside["signed_distance"], &outside["inside"]), (&json!(2.0), &json!(false)));
    assert!(outside["error"].as_f64().is_some_and(|error| error <= 64.0 * 4.0 * f64::EPSILON), "{outside}");
    let inside = closest([0.1, 0.2, 0.25]);
    assert_eq!((&inside["distance"], &inside["signed_distance"]), (&json!(0.25), &json!(-0.25)));
    assert_eq!(inside["inside"], true);
    let boundary = closest([0.1, 0.2, 0.5]);
    assert_eq!((&boundary["inside"], &boundary["distance"]), (&json!(true), &json!(0.0)), "the boundary is inside");
    let sheet = triangle(json!([[0, 0, 0], [1, 0, 0], [0, 1, 0]]));
    let open = run_query(&json!({"op": "closest", "a": sheet, "point": [0.25, 0.25, -3]}));
    assert_eq!((&open["distance"], &open["signed_distance"]), (&json!(3.0), &Value::Null));
}

#[test]
fn measures_of_solids_and_sheets() {
    let solid = run_query(&json!({"op": "measure", "a": {"type": "mesh", "path": "cube.obj", "scale": 2}}));
    assert_eq!((&solid["area"], &solid["volume"]), (&json!(24.0), &json!(8.0)));
    let third = 16.0 / 3.0;
    for row in 0..3 {
        for column in 0..3 {
            let expected = if row == column { third } else { 0.0 };
            let entry = solid["inertia"][row][column].as_f64().expect("a number");
            assert!((entry - expected).abs() < 1e-14, "{solid}");
        }
    }
    for (field, value) in [
        ("closed", json!(true)),
        ("manifold", json!(true)),
        ("oriented", json!(true)),
        ("convex", json!(true)),
        ("components", json!(1)),
        ("euler", json!(2)),
        ("genus", json!(0)),
        ("faults", json!([])),
    ] {
        assert_eq!(solid[field], value, "{field}");
    }
    let moved = json!({"op": "measure", "a": cube(), "pose_a": {"translation": [1, 2, 3]}});
    assert_eq!(run_query(&moved)["centroid"], json!([1.0, 2.0, 3.0]));
    let sheet = run_query(&json!({"op": "measure", "a": triangle(json!([[0, 0, 0], [1, 0, 0], [0, 1, 0]]))}));
    for field in ["volume", "centroid", "inertia", "genus"] {
        assert_eq!(sheet[field], Value::Null, "{field}");
        assert!(sheet.get(field).is_some(), "{field} is there, and null");
    }
    assert_eq!((&sheet["area"], &sheet["closed"]), (&json!(0.5), &json!(false)));
    assert_eq!(sheet["faults"][0]["kind"], "hole");
    let torus = json!({"type": "supertoroid", "r0": 2, "r1": 1, "n1": 1, "n2": 1, "segments": 32});
    assert_eq!(run_query(&json!({"op": "measure", "a": torus}))["genus"], 1);
}

#[test]
fn boxes_and_hulls_are_spanned_by_their_placed_corners() {
    let box_ = json!({"type": "box", "half": [0.5, 0.5, 0.5]});
    let hull = json!({"type": "hull", "points": [[-0.5, -0.5, -0.5], [0.5, -0.5, -0.5], [-0.5, 0.5, -0.5], [-0.5, -0.5, 0.5]]});
    let overlap = |a: &Value, b: &Value, x: f64| {
        let answer = run_query(&json!({"op": "overlap", "a": a, "b": b, "pose_b": {"translation": [x, 0, 0]}}));
        assert_eq!(answer["ok"], true, "{answer}");
        answer["overlap"].clone()
    };
    assert_eq!(overlap(&box_, &cube(), 1.0), true);
    assert_eq!(overlap(&box_, &cube(), 1.0 + f64::EPSILON), false);
    assert_eq!(overlap(&box_, &hull, 1.0), true);
    assert_eq!(overlap(&box_, &hull, -1.0), true);
    assert_eq!(overlap(&box_, &hull, 1.0 + f64::EPSILON), false);
    // Hulls of every dimension are legal: flat, a segment, a point.
    for points in [
        json!([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 0]]),
        json!([[0, 0, 0], [1, 1, 1], [2, 2, 2]]),
        json!([[0, 0, 0]]),
    ] {
        let low = json!({"type": "hull", "points": points});
        assert_eq!(overlap(&low, &cube(), 0.0), true, "{low}");
        assert_eq!(overlap(&low, &cube(), 0.5), true, "{low}");
        assert_eq!(overlap(&low, &cube(), -0.5 - f64::EPSILON), false, "{low}");
        assert_eq!(overlap(&low, &low, 0.0), true, "{low}");
    }
    let witness =
        run_query(&json!({"op": "overlap", "a": box_, "b": cube(), "pose_b": {"translation": [0.5, 0.5, 0.5]}}));
    assert_eq!(witness["witness"]["a"], 0, "a primitive is its own primitive 0");
}

#[test]
fn lines_that_are_wrong_name_field_and_value() {
    let cases: [(Value, &[&str]); 22] = [
        (json!({"op": "overlap", "a": {"type": "mesh", "pth": "x.obj"}, "b": cube()}), &["a.pth", "x.obj", "path"]),
        (json!({"op": "overlap", "a": cube(), "b": cube(), "bogus": 3}), &["bogus", "3"]),
        (json!({"op": "overlp", "a": cube(), "b": cube()}), &["op", "overlp"]),
        (json!({"a": cube()}), &["op", "missing"]),
        (json!({"op": "overlap", "a": cube()}), &["b", "missing"]),
        (json!({"op": "overlap", "a": {"type": "cub"}, "b": cube()}), &["a.type", "cub"]),
        (json!({"op": "overlap", "a": "cube", "b": cube()}), &["a", "cube"]),
        (
            json!({"op": "overlap", "a": cube(), "b": cube(), "pose_a": {"rotation": [0, 0, 0, 2]}}),
            &["pose_a", "norm 2"],
        ),
        (
            json!({"op": "overlap", "a": cube(), "b": cube(), "pose_b": {"translation": [0, 0]}}),
            &["pose_b.translation", "[0,0]"],
        ),
        (
            json!({"op": "overlap", "a": cube(), "b": cube(), "pose_b": {"matrix": [[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]}}),
            &["pose_b", "orthonormal"],
        ),
        (json!({"op": "overlap", "a": {"type": "mesh", "path": "gone.obj"}, "b": cube()}), &["a.path", "gone.obj"]),
        (
            json!({"op": "overlap", "a": {"type": "mesh", "path": "cube.obj", "scale": 0}, "b": cube()}),
            &["a.scale", "0"],
        ),
        (
            json!({"op": "measure", "a": {"type": "mesh", "vertices": [[0, 0, 0]], "triangles": [[0, 1, 2]]}}),
            &["a.triangles[0]", "1"],
        ),
        (json!({"op": "measure", "a": {"type": "mesh", "vertices": [[0, 0, 0]], "triangles": []}}), &["a", "triangle"]),
        (
            json!({"op": "measure", "a": {"type": "mesh", "vertices": [[0, 0]], "triangles": [[0, 0, 0]]}}),
            &["a.vertices[0]", "[0,0]"],
        ),
        (
            json!({"op": "measure", "a": {"type": "mesh", "vertices": [[0, 0, 0]], "triangles": [[0, -1, 0]]}}),
            &["a.triangles[0]", "-1"],
        ),
        (
            json!({"op": "overlap", "a": {"type": "triangle", "points": [[0, 0, 0]]}, "b": cube()}),
            &["a.points", "3 points"],
        ),
        (
            json!({"op": "overlap", "a": {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]], "solid": true}, "b": cube()}),
            &["a.solid", "not closed"],
        ),
        (json!({"op": "ray", "a": cube(), "origin": [0, 0, 0], "direction": [0, 0, 0]}), &["direction", "[0,0,0]"]),
        (json!({"op": "pairs", "a": cube(), "b": cube(), "limit": -1}), &["limit", "-1"]),
        (json!({"op": "overlap", "a": cube(), "b": cube(), "degree": 3}), &["degree", "3"]),
        (
            json!({"op": "overlap", "a": {"type": "superellipsoid", "radii": [1, 0, 1], "n1": 1, "n2": 1}, "b": cube()}),
            &["a.radii", "[1,0,1]"],
        ),
    ];
    for (mut request, words) in cases {
        request["id"] = json!("here");
        let answer = run_query(&request);
        assert_eq!((&answer["id"], &answer["ok"]), (&json!("here"), &json!(false)), "{request}");
        let error = answer["error"].as_str().expect("a text");
        for word in words {
            assert!(error.contains(word), "{word}: {error}");
        }
        assert!(!error.contains("not available"), "{error}");
        assert_eq!(answer.as_object().expect("an object").len(), 3);
    }
}

#[test]
fn a_budget_that_is_spent_leaves_what_is_known() {
    let shop = Workshop::new();
    shop.make(&["sphere", "--radius", "1", "--segments", "48", "-o", "ball.stl"]);
    let run_query = |op: &str, x: f64, budget: Value| {
        let ball = json!({"type": "mesh", "path": "ball.stl"});
        let pose = json!({"translation": [x, 0.9, 0.8]});
        shop.run_query(&json!({"op": op, "a": ball, "b": ball, "pose_b": pose, "budget": budget}))
    };
    let cut = run_query("overlap", 1.2, json!({"work": 20}));
    assert!(cut["overlap"] == "unknown" && cut["complete"] == false, "{cut}");
    assert_eq!(run_query("overlap", 1.2, json!({"micros": 0}))["overlap"], "unknown");
    let whole = run_query("overlap", 1.2, json!({"work": 1_000_000}));
    assert!(whole["overlap"] == true && whole["complete"] == true, "{whole}");
    let whole = run_query("distance", 2.0, json!({"work": 10_000_000}));
    assert!(whole["complete"] == true && whole["point_a"].is_array(), "{whole}");
    let (exact, mut bounded) = (whole["distance"].as_f64().unwrap(), 0);
    for work in [40, 150, 400, 1000] {
        let partial = run_query("distance", 2.0, json!({"work": work}));
        assert!(work > 40 || partial["complete"] == false, "{partial}");
        assert!(partial["distance"].as_f64().unwrap() <= exact, "{partial}");
        if let Some(at_most) = partial.get("distance_upper") {
            bounded += usize::from(partial["complete"] == false && at_most.as_f64().unwrap() >= exact);
        }
    }
    assert!(bounded > 0, "bounded from both sides");
    let sphere = json!({"type": "sphere", "radius": 1});
    for (more, words) in [
        (json!({"budget": {"work": 1, "micros": 1}}), "not both"),
        (json!({"budget": {}}), "budget.work"),
        (json!({"budget": {"work": -1}}), "budget.work"),
        (json!({"budget": {"micros": -1}}), "budget.micros"),
        (json!({"budget": {"work": 5}, "method": "gjk"}), "leave them out"),
        (json!({"budget": {"work": 5}, "degree": 4}), "leave them out"),
    ] {
        let mut request = json!({"op": "overlap", "a": sphere, "b": sphere});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = shop.run_query(&request);
        assert!(answer["error"].as_str().unwrap().contains(words), "{answer}");
    }
}

#[test]
fn what_is_not_built_yet_says_so_after_the_fields_are_checked() {
    let sphere = json!({"type": "sphere", "radius": 1});
    let requests = [
        json!({"op": "cast", "a": sphere, "b": sphere, "velocity_a": [1, 0, 0], "max_time": 2, "tolerance": 1e-6, "method": "closest-features"}),
        json!({"op": "distance", "a": sphere, "b": sphere, "method": "sat"}),
    ];
    for request in requests {
        let answer = run_query(&request);
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.starts_with("not available: "), "{request}: {answer}");
        let mut typo = request.clone();
        typo["typo"] = json!("x");
        let error = run_query(&typo)["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.starts_with("typo: "), "{error}");
    }
    let nested = json!({"op": "overlap", "a": {"type": "compound", "parts": [{"shape": {"type": "sphere", "radius": -1}}]}, "b": cube()});
    let error = run_query(&nested)["error"].as_str().unwrap_or_default().to_owned();
    assert!(error.starts_with("a.parts[0].shape.radius: -1 "), "{error}");
}

#[test]
fn lines_that_are_no_json_are_answered_and_the_next_ones_too() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let good = json!({"id": 5, "op": "measure", "a": cube()}).to_string();
    let mut input = Vec::new();
    for line in [
        b"{\"id\":1,".as_slice(),
        b"\xff\xfe",
        b"[1,2]",
        b"{\"id\":4,\"op\":\"closest\",\"a\":{\"type\":\"mesh\",\"path\":\"cube.obj\"},\"point\":[0,NaN,1e999]}",
        b"",
        good.as_bytes(),
    ] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.pop();
    let run = shop.feed(&["query"], input);
    assert_eq!(run.code, Some(1));
    let answers = run.lines();
    assert_eq!(answers.len(), 5, "blank lines ask nothing");
    for answer in &answers[..3] {
        assert_eq!((&answer["id"], &answer["ok"]), (&Value::Null, &json!(false)));
    }
    assert_eq!(answers[3]["id"], 4);
    let error = answers[3]["error"].as_str().expect("a text");
    assert!(error.starts_with("point[1]: \"NaN\""), "{error}");
    assert_eq!((&answers[4]["id"], &answers[4]["ok"]), (&json!(5), &json!(true)));
    let deep = format!("{{\"op\":\"overlap\",\"a\":{}", "[".repeat(100_000));
    let run = shop.feed(&["query"], deep);
    assert_eq!((run.code, run.lines()[0]["ok"].clone()), (Some(1), json!(false)));
}

#[test]
fn a_key_that_is_given_twice_is_named_with_its_path() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let mesh = r#"{"type":"mesh","path":"cube.obj"}"#;
    for (line, path) in [
        (format!(r#"{{"id":3,"op":"measure","a":{mesh},"op":"closest"}}"#), "op"),
        (format!(r#"{{"id":3,"op":"measure","a":{mesh},"a":{mesh}}}"#), "a"),
        (r#"{"id":3,"op":"measure","a":{"type":"mesh","path":"gone.obj","path":"cube.obj"}}"#.to_owned(), "a.path"),
        (
            format!(
                r#"{{"id":3,"op":"overlap","a":{mesh},"b":{mesh},"pose_b":{{"translation":[0,0,0],"translation":[9,0,0]}}}}"#
            ),
            "pose_b.translation",
        ),
        (
            r#"{"id":3,"op":"measure","a":{"type":"compound","parts":[{},{"shape":1,"shape":2}]}}"#.to_owned(),
            "a.parts[1].shape",
        ),
        // Escapes spell the same key.
        (format!(r#"{{"id":3,"op":"measure","a":{mesh},"\u006fp":"measure"}}"#), "op"),
        (format!(r#"{{"id":3,"op":"closest","a":{mesh},"point":[0,0,NaN],"point":[0,0,0]}}"#), "point"),
    ] {
        let run = shop.feed(&["query"], &line);
        let expected = format!("{path}: given more than once: leave all but one out");
        assert_eq!(run.lines(), [json!({"id": 3, "ok": false, "error": expected})], "{line}");
        assert_eq!(run.code, Some(1));
    }
    let run =
        shop.run(&["check", "cube.obj", "cube.obj", "--pose-b", r#"{"translation":[1,0,0],"translation":[9,0,0]}"#]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("translation: given more than once"), "{}", run.err);
}

#[test]
fn numbers_survive_bit_for_bit() {
    for value in [0.1 + 0.2, f64::MIN_POSITIVE, 5e-324, 1.0 / 3.0, 123_456_789.123_456_79, 1e22, -2.5e-7] {
        let corner = json!([value, 0, 0]);
        let request =
            json!({"id": value, "op": "closest", "a": triangle(json!([corner, corner, corner])), "point": corner});
        let answer = run_query(&request);
        for number in [&answer["id"], &answer["point"][0]] {
            assert_eq!(number.as_f64().expect("a number").to_bits(), value.to_bits(), "{answer}");
        }
        assert_eq!(answer["distance"], 0.0);
    }
}

#[test]
fn answers_come_in_order_whatever_the_threads() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let ball = json!({"type": "superellipsoid", "radii": [0.5, 0.5, 0.5], "n1": 1, "n2": 1, "segments": 16});
    let mut input = String::new();
    for id in 0..300 {
        let x = f64::from(id) * 0.005;
        let op = ["overlap", "pairs"][id as usize % 2];
        let request = match id % 7 {
            6 => json!({"id": id, "op": op, "a": ball, "wrong": id}),
            _ => json!({"id": id, "op": op, "a": cube(), "b": ball, "pose_b": {"translation": [x, 0.01, 0.02]}}),
        };
        input.push_str(&request.to_string());
        input.push('\n');
    }
    let one = shop.feed(&["query", "--threads", "1"], &input);
    assert_eq!(one.code, Some(1));
    let ids: Vec<u64> = one.lines().iter().map(|answer| answer["id"].as_u64().expect("a number")).collect();
    assert_eq!(ids, (0..300).collect::<Vec<_>>());
    for threads in ["1", "2", "4"] {
        assert_eq!(shop.feed(&["query", "--threads", threads], &input).out, one.out, "{threads} threads");
    }
    shop.file("requests.jsonl", &input);
    assert_eq!(shop.run(&["query", "requests.jsonl"]).out, one.out);
}

#[test]
fn stats_add_work_and_time() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let request = json!({"op": "pairs", "a": cube(), "b": cube(), "pose_b": {"translation": [0.5, 0, 0]}}).to_string();
    let run = shop.feed(&["query", "--stats"], request + "\n{}\n");
    for answer in run.lines() {
        for field in ["volumes", "primitives", "updates"] {
            assert!(answer["work"][field].is_u64(), "{answer}");
        }
        assert!(answer["micros"].is_number(), "{answer}");
    }
    assert!(run.lines()[0]["work"]["primitives"].as_u64() > Some(0));
}

#[test]
fn a_question_is_answered_before_the_next_one_is_asked() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let mut child = shop.command(&["query"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    let mut answers = BufReader::new(child.stdout.take().expect("piped"));
    for id in 0..3 {
        writeln!(stdin, "{}", json!({"id": id, "op": "measure", "a": cube()})).expect("written");
        stdin.flush().expect("sent");
        let mut answer = String::new();
        answers.read_line(&mut answer).expect("answered");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["id"], id);
    }
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn input_that_cannot_be_read_is_status_2() {
    let shop = Workshop::new();
    assert_eq!(shop.run(&["query", "gone.jsonl"]).code, Some(2));
    assert_eq!(shop.run(&["query", "."]).code, Some(2));
    let empty = shop.run(&["query"]);
    assert_eq!((empty.code, empty.out.as_str()), (Some(0), ""));
}

#[test]
fn what_is_no_json_is_never_answered_as_if_it_were() {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    for line in [
        r#"{id:1,"op":"measure","a":{"type":"box","half":[1,1,1]}}"#,
        r#"{id:1,op:"measure",a:{type:"box",half:[1,1,1]}}"#,
        r#"{"id":1,"op":measure,"a":{"type":"box","half":[1,1,1]}}"#,
        r#"{"id":1,"op":distance,"a":{"type":"point"},"b":{"type":"point"}}"#,
        r#"{"id":NaN,"op":"measure","a":{"type":"box","half":[1,1,1]}}"#,
    ] {
        let run = shop.feed(&["query"], line);
        let error = run.lines()[0]["error"].as_str().unwrap_or_default().to_owned();
        assert!(run.code == Some(1) && error.starts_with("the line is no JSON: "), "{line}: {}", run.out);
    }
}

#[test]
fn an_id_comes_back_as_it_is_written() {
    let shop = Workshop::new();
    for id in ["12345678901234567890123", "-0.0", "1E+2", r#""a\u0062c""#, r#"{"b": [1, 2],"a":1.50}"#, "1e999"] {
        let line = format!(r#"{{"id":{id},"op":"measure","a":{{"type":"box","half":[1,1,-1]}}}}"#);
        let run = shop.feed(&["query"], &line);
        assert!(run.out.starts_with(&format!(r#"{{"id":{id},"ok":false,"error":"a.half"#)), "{}", run.out);
    }
    for line in [r#"{"op":"measure"}"#, r#"{"id":null,"op":"measure"}"#, "[1,2]", "3"] {
        let run = shop.feed(&["query"], line);
        assert!(run.out.starts_with(r#"{"id":null,"ok":false,"#), "{}", run.out);
    }
}

#[test]
fn a_file_is_read_once_however_it_is_named_and_scaled() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    let mut child = shop.command(&["query"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    let mut answers = BufReader::new(child.stdout.take().expect("piped"));
    let mut volume = |path: &str, scale: f64| {
        let request = json!({"op": "measure", "a": {"type": "mesh", "path": path, "scale": scale}});
        writeln!(stdin, "{request}").and_then(|()| stdin.flush()).expect("sent");
        let mut answer = String::new();
        answers.read_line(&mut answer).expect("answered");
        serde_json::from_str::<Value>(&answer).expect("JSON")["volume"].as_f64()
    };
    assert_eq!(volume("cube.obj", 2.0), Some(8.0));
    // What is written into the file now is not looked at.
    shop.file("cube.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (path, scale, expected) in [("cube.obj", 3.0, 27.0), ("./cube.obj", 2.0, 8.0), (".//cube.obj", 1.0, 1.0)] {
        assert_eq!(volume(path, scale), Some(expected), "{path} {scale}");
    }
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_list_of_faults_that_is_cut_short_says_so() {
    // 1,500 triangles that all cross on one axis: more pairs than are listed.
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for sheet in 0..1500 {
        let (s, c) = (f64::from(sheet) * 0.002).sin_cos();
        vertices.extend([[c, s, 0.0], [-c, -s, 0.0], [0.0, 0.0, 1.0 + f64::from(sheet)]]);
        triangles.push([3 * sheet, 3 * sheet + 1, 3 * sheet + 2]);
    }
    let shop = Workshop::new();
    let request = json!({"op": "measure", "a": {"type": "mesh", "vertices": vertices, "triangles": triangles}});
    let run = shop.feed(&["query"], request.to_string());
    assert_eq!(run.code, Some(0));
    assert!(run.out.trim_end().ends_with(r#""complete":false}"#), "{}", &run.out[run.out.len() - 200..]);
    assert_eq!(run_query(&json!({"op": "measure", "a": cube()}))["complete"], Value::Null, "whole lists say nothing");
}

#[test]
fn a_hull_has_no_vertices_but_its_corners() {
    let corner = |at: i32| [at & 1, at >> 1 & 1, at >> 2];
    let mut points = vec![json!([0.5, 0.5, 0.5])];
    points.extend((0..8).chain([3, 3]).map(|at| json!(corner(at))));
    let hull = json!({"type": "hull", "points": points});
    let answer = run_query(&json!({"op": "measure", "a": hull}));
    assert_eq!((&answer["faults"], &answer["volume"]), (&json!([]), &json!(1.0)), "{answer}");
    let flat = json!({"type": "hull", "points": [[0, 0, 0], [1, 1, 0], [2, 0, 0], [1, 0.5, 0], [2, 2, 0], [0, 2, 0]]});
    let kinds = run_query(&json!({"op": "measure", "a": flat}))["faults"].to_string();
    assert!(!kinds.contains("isolated-vertex"), "{kinds}");
}

#[test]
fn a_zero_distance_has_no_sign() {
    for point in [[0.5, 0.0, 0.0], [0.5, 0.5, 0.5], [-0.5, 0.1, 0.2]] {
        let answer = run_query(&json!({"op": "closest", "a": cube(), "point": point}));
        let signed = answer["signed_distance"].as_f64().expect("a number");
        assert_eq!(signed.to_bits(), 0.0_f64.to_bits(), "{answer}");
    }
}
