//! `heurt query`: named shapes, batches, points in shapes, parts and units of files.

use crate::support::{CUBE, Workshop};
use serde_json::{Value, json};

fn answers(shop: &Workshop, requests: &[Value]) -> Vec<Value> {
    let text: String = requests.iter().map(|request| format!("{request}\n")).collect();
    shop.feed(&["query"], text).lines()
}

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    shop
}

#[test]
fn a_name_stands_for_the_shape_given_last() {
    let shop = shop();
    let overlap = json!({"op": "overlap", "a": {"type": "shape", "name": "link"}, "b": {"type": "point"}});
    let answers = answers(
        &shop,
        &[
            overlap.clone(),
            json!({"id": 1, "op": "shape", "name": "link", "shape": {"type": "sphere", "radius": 1}}),
            overlap.clone(),
            json!({"op": "shape", "name": "link", "shape": {"type": "compound", "parts": [
                {"shape": {"type": "shape", "name": "link"}, "pose": {"translation": [5, 0, 0]}}]}}),
            overlap.clone(),
            json!({"op": "shape", "name": "gone", "shape": {"type": "mesh", "path": "missing.obj"}}),
            json!({"op": "overlap", "a": {"type": "shape", "name": "gone"}, "b": {"type": "point"}}),
        ],
    );
    assert_eq!(answers[0]["ok"], false);
    assert!(answers[0]["error"].as_str().unwrap().contains("a.name: link"), "{}", answers[0]);
    assert_eq!(answers[1], json!({"id": 1, "ok": true, "name": "link"}));
    assert_eq!(answers[2]["overlap"], true);
    assert_eq!(answers[4]["overlap"], false, "the compound holds the sphere as it was named before");
    assert!(answers[5]["error"].as_str().unwrap().contains("missing.obj"), "{}", answers[5]);
    assert_eq!(answers[6]["ok"], false);
}

#[test]
fn a_name_that_nests_itself_without_end_is_refused() {
    let shop = shop();
    let deeper = json!({"op": "shape", "name": "x", "shape": {"type": "compound", "parts": [
        {"shape": {"type": "shape", "name": "x"}}]}});
    let mut requests = vec![json!({"op": "shape", "name": "x", "shape": {"type": "point"}})];
    requests.resize(2000, deeper);
    let answers = answers(&shop, &requests);
    assert_eq!(answers[5]["ok"], true);
    assert!(answers[1999]["error"].as_str().unwrap().contains("nested"), "{}", answers[1999]);
}

#[test]
fn repeated_shapes_answer_as_single_ones() {
    let shop = shop();
    let request = |x: f64| {
        json!({"op": "distance", "a": {"type": "hull", "points": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]},
            "b": {"type": "box", "half": [0.5, 0.5, 0.5]}, "pose_b": [x, 0.25, 0]})
    };
    let together: Vec<Value> = answers(&shop, &(0..40).map(|k| request(0.1 * f64::from(k))).collect::<Vec<_>>());
    for (k, answer) in together.iter().enumerate() {
        assert_eq!(*answer, answers(&shop, &[request(0.1 * k as f64)])[0], "{k}");
    }
}

#[test]
fn a_batch_answers_as_the_single_verbs() {
    let shop = shop();
    let shapes = json!([{"type": "box", "half": [0.5, 0.5, 0.5]}, {"type": "sphere", "radius": 0.5}, "part"]);
    let pairs = json!([[0, 1], [1, 2], [0, 2]]);
    let configuration = |k: f64| json!([[0, 0, 0], [k, 0, 0], {"translation": [0, k, 0], "rpy_deg": [0, 0, 45]}]);
    let poses: Vec<Value> = (0..12).map(|k| configuration(0.2 * f64::from(k))).collect();
    let name = json!({"op": "shape", "name": "part", "shape": {"type": "mesh", "path": "cube.obj"}});
    let single: Vec<Value> = {
        let mut requests = vec![name.clone()];
        for row in &poses {
            for pair in pairs.as_array().unwrap() {
                let [i, j] = [0, 1].map(|side| pair[side].as_u64().unwrap() as usize);
                let shape = |at: usize| match &shapes[at] {
                    Value::String(name) => json!({"type": "shape", "name": name}),
                    shape => shape.clone(),
                };
                requests
                    .push(json!({"op": "distance", "a": shape(i), "pose_a": row[i], "b": shape(j), "pose_b": row[j]}));
            }
        }
        answers(&shop, &requests).split_off(1)
    };
    let query = |operation: &str, more: Value| {
        let mut request = json!({"op": "batch", "ask": operation, "shapes": shapes, "pairs": pairs, "poses": poses});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        answers(&shop, &[name.clone(), request]).remove(1)
    };
    let overlaps = query("overlap", json!({}));
    let distances = query("distance", json!({}));
    let near = query("distance", json!({"max": 0.5}));
    let first = query("overlap", json!({"first": true}));
    let mut count = 0;
    for (number, single) in single.iter().enumerate() {
        let (row, column) = (number / 3, number % 3);
        let wanted = single["distance"].as_f64().unwrap();
        count += usize::from(wanted == 0.0);
        assert_eq!(overlaps["answers"][row][column], json!(wanted == 0.0), "{number}");
        assert!((distances["answers"][row][column].as_f64().unwrap() - wanted).abs() < 1e-12, "{number}");
        assert_eq!(near["answers"][row][column].is_null(), wanted > 0.5, "{number}");
    }
    assert_eq!(overlaps["count"], count);
    for (row, first) in first["answers"].as_array().unwrap().iter().enumerate() {
        let whole = overlaps["answers"][row].as_array().unwrap();
        let end = whole.iter().position(|hit| *hit == true).map_or(whole.len(), |hit| hit + 1);
        assert_eq!(first.as_array().unwrap()[..], whole[..end], "{row}");
    }
}

/// A file of NumPy, version 1.
fn npy(shape: &str, kind: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    header.push_str(&" ".repeat(118 - header.len()));
    [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes(), data].concat()
}

#[test]
fn poses_come_from_files_of_numpy() {
    let shop = shop();
    let numbers: Vec<f64> =
        (0..4).flat_map(|k| [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, f64::from(k), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|value| value.to_le_bytes()).collect();
    shop.file("q.npy", npy("(4, 2, 7)", "<f8", &bytes));
    let request = |path: &str| {
        json!({"op": "batch", "ask": "distance", "shapes": [{"type": "sphere", "radius": 0.5}, {"type": "point"}],
            "pairs": [[0, 1]], "poses_npy": path})
    };
    let answer = &answers(&shop, &[request("q.npy")])[0];
    assert_eq!(answer["answers"], json!([[0.0], [0.5], [1.5], [2.5]]), "{answer}");
    let matrices: Vec<u8> = (0..2)
        .flat_map(|k| {
            let x = k as f32;
            [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0f32]
        })
        .flat_map(|value| value.to_be_bytes())
        .collect();
    shop.file("m.npy", npy("(1, 2, 4, 4)", ">f4", &matrices));
    assert_eq!(answers(&shop, &[request("m.npy")])[0]["answers"], json!([[0.5]]));
    for (name, bytes, said) in [
        ("short.npy", npy("(4, 2, 7)", "<f8", &bytes[8..]), "bytes follow"),
        ("long.npy", npy("(3, 2, 7)", "<f8", &bytes), "336 bytes, but 448 bytes follow"),
        ("shape.npy", npy("(4, 3, 7)", "<f8", &bytes), "[4, 3, 7]"),
        ("huge.npy", npy("(99999999999, 99999999999, 7)", "<f8", &bytes), "declares"),
        ("int.npy", npy("(4, 2, 7)", "<i8", &bytes), "<i8"),
        ("text.npy", b"hello".to_vec(), "numpy.save"),
        ("cut.npy", b"\x93NUMPY\x01\x00\xff\xff".to_vec(), "header"),
        ("zero.npy", npy("(1, 2, 7)", "<f8", &[0; 112]), "configuration 0, shape 0"),
    ] {
        shop.file(name, bytes);
        let answer = &answers(&shop, &[request(name)])[0];
        assert!(answer["error"].as_str().is_some_and(|error| error.contains(said)), "{name}: {answer}");
    }
}

#[test]
fn the_work_of_a_batch_is_the_number_of_pairs_tested() {
    let shop = shop();
    let mut request = json!({"op": "batch", "ask": "overlap", "shapes": [{"type": "point"}, {"type": "point"}, {"type": "point"}],
        "pairs": [[0, 1], [1, 2]], "poses": [[[0,0,0],[0,0,0],[1,0,0]], [[0,0,0],[1,0,0],[2,0,0]]]});
    let work = |request: &Value| {
        let run = shop.feed(&["query", "--stats"], request.to_string());
        run.lines()[0]["work"]["primitives"].clone()
    };
    assert_eq!(work(&request), 4);
    // The first configuration ends with its first pair.
    request["first"] = json!(true);
    assert_eq!(work(&request), 3);
    request["ask"] = json!("distance");
    request["first"] = Value::Null;
    assert_eq!(work(&request), 4);
}

#[test]
fn bad_batches_name_their_field() {
    let shop = shop();
    let base = json!({"op": "batch", "ask": "overlap", "shapes": [{"type": "point"}, {"type": "point"}], "pairs": [[0, 1]],
        "poses": [[[0,0,0],[0,0,0]]]});
    for (field, value, said) in [
        ("pairs", json!([[0, 2]]), "pairs[0]"),
        ("poses", json!([[[0, 0, 0]]]), "poses[0]"),
        ("poses", json!([[[0, 0, 0], [0, 0]]]), "poses[0][1]"),
        ("ask", json!("volume"), "ask"),
        ("shapes", json!(["nobody", {"type": "point"}]), "shapes[0]"),
        ("max", json!(1), "max"),
        ("poses_npy", json!("x.npy"), "poses_npy"),
    ] {
        let mut request = base.clone();
        request[field] = value;
        let answer = &answers(&shop, &[request])[0];
        assert!(answer["error"].as_str().is_some_and(|error| error.starts_with(said)), "{field}: {answer}");
    }
    let empty = json!({"op": "batch", "ask": "overlap", "shapes": [], "pairs": [], "poses": []});
    assert_eq!(answers(&shop, &[empty])[0]["answers"], json!([]));
}

#[test]
fn points_are_in_shapes_or_not() {
    let shop = shop();
    let points = json!([[0, 0, 0], [0.5, 0.5, 0.5], [0.5000001, 0, 0]]);
    for shape in [json!({"type": "mesh", "path": "cube.obj"}), json!({"type": "box", "half": [0.5, 0.5, 0.5]})] {
        let request = json!({"op": "contains", "a": shape, "points": points});
        assert_eq!(answers(&shop, &[request])[0]["inside"], json!([true, true, false]));
    }
}

#[test]
fn files_are_scaled_and_parts_are_named() {
    let shop = shop();
    shop.file("two.obj", format!("o left\n{CUBE}o right\n{}", CUBE.replace("v ", "v 1").replace("v 1-", "v -1")));
    let volume = |more: Value| {
        let mut shape = json!({"type": "mesh", "path": "cube.obj"});
        shape.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        answers(&shop, &[json!({"op": "measure", "a": shape})]).remove(0)
    };
    assert_eq!(volume(json!({}))["volume"], 1.0);
    assert_eq!(volume(json!({"scale": [2, -3, 0.5]}))["volume"], 3.0);
    assert!((volume(json!({"unit": "mm"}))["volume"].as_f64().unwrap() - 1e-9).abs() < 1e-20);
    let answer = volume(json!({"path": "two.obj", "part": "middle"}));
    assert!(answer["error"].as_str().unwrap().contains("a.part") && answer.to_string().contains("left"), "{answer}");
    assert!(volume(json!({"weld": -1}))["error"].as_str().unwrap().starts_with("a.weld"));
    let answer = volume(json!({"path": "two.obj", "part": "left"}));
    assert_eq!(answer["volume"], 1.0, "{answer}");
}

#[test]
fn parts_match_patterns_and_faces_keep_their_numbers_without_a_part() {
    let shop = shop();
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 5\nv 1 0 5\nv 0 1 5\nv 0 0 9\nv 1 0 9\nv 0 1 9\n\
                g a/one\nf 1 2 3\ng b\nf 4 5 6\ng a/one\nf 7 8 9\ncolour red\n";
    shop.file("groups.obj", text);
    let mesh = |more: Value| {
        let mut mesh = json!({"type": "mesh", "path": "groups.obj"});
        mesh.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        mesh
    };
    let closest = |more: Value| json!({"op": "closest", "a": mesh(more), "point": [0.25, 0.25, 9.5]});
    let request = [closest(json!({})), closest(json!({"part": "a/*"})), closest(json!({"part": "b"}))];
    let text: String = request.iter().map(|request| format!("{request}\n")).collect();
    let run = shop.feed(&["query"], text);
    let answers = run.lines();
    assert_eq!(answers.iter().map(|answer| answer["primitive"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 1, 0]);
    assert!(run.err.contains("note: groups.obj: unknown statements"), "{}", run.err);
    let measured = answers_of_measure(&shop);
    assert_eq!(measured["class"], "convex");
    assert_eq!(measured["fault_counts"], json!([]));
}

fn answers_of_measure(shop: &Workshop) -> Value {
    answers(shop, &[json!({"op": "measure", "a": {"type": "mesh", "path": "cube.obj"}})]).remove(0)
}

#[test]
fn names_that_double_each_other_end() {
    let compound = |inner: &str| {
        let part = |pose: [f64; 3]| json!({"shape": {"type": "shape", "name": inner}, "pose": {"translation": pose}});
        json!({"type": "compound", "parts": [part([0.0; 3]), part([3.0, 0.0, 0.0])]})
    };
    let mut requests = vec![json!({"op": "shape", "name": "s0", "shape": {"type": "box", "half": [1, 1, 1]}})];
    for level in 1..30 {
        let (name, inner) = (format!("s{level}"), format!("s{}", level - 1));
        requests.push(json!({"op": "shape", "name": name, "shape": compound(&inner)}));
    }
    let answers = answers(&shop(), &requests);
    assert_eq!(answers[18]["ok"], true);
    assert!(answers[19]["error"].as_str().unwrap().contains("524288 shapes"), "{}", answers[19]);
    assert!(answers[20..].iter().all(|answer| answer["ok"] == false));
}

#[test]
fn a_ray_at_extreme_sizes_is_answered() {
    for [radius, half_height] in [[1.0, 1e170], [1e-300, 1e300]] {
        let shape = json!({"type": "cone", "radius": radius, "half_height": half_height});
        let request = json!({"op": "ray", "a": shape, "origin": [-5, 0, 0], "direction": [1, 0, 0], "all": true});
        assert_eq!(answers(&shop(), &[request]).len(), 1);
    }
}
