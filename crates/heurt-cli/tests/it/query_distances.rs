//! `heurt query`: distances, contacts and the methods that find them.

use crate::support::{cube, run_query, triangle};
use serde_json::{Value, json};

#[test]
fn distances_come_with_points_and_a_direction() {
    let moved = |x: f64| json!({"translation": [x, 0.0, 0.0]});
    let query_at = |x: f64, max: Value| {
        let mut request = json!({"op": "distance", "a": cube(), "b": cube(), "pose_b": moved(x)});
        if !max.is_null() {
            request["max"] = max;
        }
        run_query(&request)
    };
    let separated = query_at(3.0, Value::Null);
    assert_eq!((&separated["distance"], &separated["normal"]), (&json!(2.0), &json!([1.0, 0.0, 0.0])), "{separated}");
    assert_eq!((&separated["point_a"][0], &separated["point_b"][0]), (&json!(0.5), &json!(2.5)), "{separated}");
    assert!(separated["error"].as_f64().expect("a number") < 1e-12, "{separated}");
    let keys: Vec<_> = separated.as_object().expect("an object").keys().cloned().collect();
    assert_eq!(keys.len(), 7, "{keys:?}");
    assert_eq!(query_at(3.0, json!(2.0))["distance"], 2.0, "the limit itself is near enough");
    let beyond = query_at(3.0, json!(1.5));
    assert_eq!((&beyond["ok"], &beyond["distance"]), (&json!(true), &Value::Null));
    assert!(beyond.get("point_a").is_none() && beyond.get("error").is_none(), "{beyond}");
    for x in [1.0, 0.25] {
        let touching = query_at(x, json!(0));
        assert_eq!((&touching["distance"], &touching["error"]), (&json!(0.0), &json!(0.0)), "{touching}");
        assert_eq!(touching["point_a"], touching["point_b"]);
        assert!(touching.get("normal").is_none(), "{touching}");
    }
    for choice in [json!({"volume": "rss"}), json!({"volume": "sphere", "degree": 2}), json!({"degree": 4})] {
        let mut request = json!({"op": "distance", "a": cube(), "b": cube(), "pose_b": moved(3.0)});
        request.as_object_mut().expect("an object").extend(choice.as_object().expect("an object").clone());
        assert_eq!(run_query(&request)["distance"], 2.0, "{choice}");
    }
    // As far as coordinates go, and as near.
    for size in [4e306, 1e-300] {
        let corners = |x: f64| triangle(json!([[x, 0, 0], [x, size / 2.0, 0], [x, 0, size / 2.0]]));
        let answer = run_query(&json!({"op": "distance", "a": corners(-size), "b": corners(size)}));
        let [distance, error] = ["distance", "error"].map(|key| answer[key].as_f64().expect("a number"));
        assert!((distance - 2.0 * size).abs() <= error && error <= 64.0 * f64::EPSILON * size, "{answer}");
    }
}

#[test]
fn convex_shapes_have_distances_depths_and_contacts() {
    let block = json!({"type": "box", "half": [1.0, 1.0, 0.5]});
    let ball = json!({"type": "sphere", "radius": 0.5});
    let at = |x: f64, z: f64| json!({"translation": [x, 0.0, z]});
    let put =
        |op: &str, a: &Value, b: &Value, pose: Value| run_query(&json!({"op": op, "a": a, "b": b, "pose_b": pose}));
    assert_eq!(put("distance", &block, &ball, at(0.0, 2.0))["distance"], 1.0);
    assert_eq!(put("overlap", &block, &ball, at(0.0, 0.75))["overlap"], true);
    let deep = put("contact", &block, &ball, at(0.25, 0.75));
    let number = |of: &Value| of.as_f64().expect("a number");
    assert!((number(&deep["separation"]) + 0.25).abs() <= number(&deep["error"]), "{deep}");
    assert!(number(&deep["separation_bound"]) >= number(&deep["separation"]), "{deep}");
    assert_eq!(deep["normal"], json!([0.0, 0.0, 1.0]));
    // A box on a box: the corners of what both faces share.
    let stacked = put("contact", &block, &block, at(0.5, 0.875));
    assert_eq!(stacked["contacts"].as_array().map(Vec::len), Some(4), "{stacked}");
    for contact in stacked["contacts"].as_array().expect("a list") {
        assert!((number(&contact["separation"]) + 0.125).abs() < 1e-12, "{contact}");
        assert!(number(&contact["point"][0]) >= -0.5 - 1e-12, "{contact}");
    }
    let far = put("contact", &block, &ball, at(0.0, 2.0));
    assert_eq!((&far["separation"], &far["contacts"]), (&Value::Null, &json!([])), "{far}");
    let near = run_query(&json!({"op": "contact", "a": block, "b": ball, "pose_b": at(0.0, 2.0), "margin": 1}));
    assert_eq!(near["separation"], 1.0, "{near}");
    for (op, method, field, wanted) in [
        ("distance", "gjk", "distance", json!(3.0)),
        ("distance", "closest-features", "distance", json!(3.0)),
        ("overlap", "gjk", "overlap", json!(false)),
        ("overlap", "closest-features", "overlap", json!(false)),
        ("overlap", "separating-plane", "overlap", json!(false)),
    ] {
        let request = json!({"op": op, "a": block, "b": block, "pose_b": at(5.0, 0.0), "method": method});
        assert_eq!(run_query(&request)[field], wanted, "{request}");
    }
    let inside = json!({"op": "overlap", "a": block, "b": block, "method": "separating-plane"});
    assert_eq!(run_query(&inside)["overlap"], "unproven");
    let of_mesh = run_query(&json!({"op": "distance", "a": cube(), "b": block, "method": "gjk"}));
    assert!(of_mesh["error"].as_str().is_some_and(|error| error.contains("convex shapes")), "{of_mesh}");
}

#[test]
fn meshes_have_depths_and_contacts() {
    let at = |x: f64, z: f64| json!({"translation": [x, 0.0, z]});
    let number = |of: &Value| of.as_f64().expect("a number");
    let others = [
        cube(),
        json!({"type": "box", "half": [0.5, 0.5, 0.5]}),
        json!({"type": "half_space", "normal": [0.0, 0.0, -1.0], "offset": 0.5}),
    ];
    for other in others {
        let put = |pose: Value, margin: f64| {
            run_query(&json!({"op": "contact", "a": cube(), "b": other, "pose_b": pose, "margin": margin}))
        };
        let deep = put(at(0.25, 0.875), 0.0);
        assert!((number(&deep["separation"]) + 0.125).abs() < 1e-9, "{deep}");
        assert!(number(&deep["separation_bound"]) < -0.12, "{deep}");
        assert_eq!(deep["contacts"].as_array().map(Vec::len), Some(4), "{deep}");
        for contact in deep["contacts"].as_array().expect("a list") {
            assert!((number(&contact["separation"]) + 0.125).abs() < 1e-9, "{contact}");
            assert_eq!(contact["normal"], json!([0.0, 0.0, 1.0]), "{contact}");
            assert!(contact["a"].as_u64() < Some(12), "{contact}");
        }
        let near = put(at(0.25, 1.25), 0.5);
        assert_eq!((number(&near["separation"]), near["contacts"].as_array().map(Vec::len)), (0.25, Some(4)), "{near}");
        let far = put(at(0.25, 3.0), 0.5);
        assert_eq!((&far["separation"], &far["contacts"]), (&Value::Null, &json!([])), "{far}");
    }
}

#[test]
fn a_manifold_has_the_points_that_a_step_takes() {
    // Thirty-two triangles below a block.
    let floor =
        json!({"type": "heightfield", "origin": [-2, -2], "spacing": [0.5, 0.5], "heights": vec![vec![0.0; 9]; 9]});
    let block = json!({"type": "box", "half": [0.6, 0.6, 0.1]});
    let contact = |extra: Value| {
        let mut request = json!({"op": "contact", "a": floor, "b": block, "margin": 0.01,
            "pose_b": {"translation": [0.0, 0.0, 0.105]}});
        request.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
        run_query(&request)
    };
    let manifold = contact(json!({"manifold": true}));
    let points = manifold["contacts"].as_array().expect("a list");
    assert_eq!(points.len(), 4, "{manifold}");
    for point in points {
        assert_eq!(point["normal"], json!([0.0, 0.0, 1.0]), "{point}");
        assert!((point["separation"].as_f64().expect("a number") - 0.005).abs() < 1e-12, "{point}");
        let corner = [0, 1].map(|axis| point["point"][axis].as_f64().expect("a number").abs());
        assert!(corner.iter().all(|x| (x - 0.6).abs() < 1e-12), "the corners of the box hold it: {point}");
    }
    let plain = contact(json!({"manifold": false}));
    assert_eq!(plain, contact(json!({})));
    assert_eq!(plain["separation"], manifold["separation"]);
    // Of a deep overlap the verb proves the depth, and a step takes the points of the triangles.
    let deep = |extra: Value| {
        let mut request = json!({"op": "contact", "a": {"type": "heightfield", "origin": [0, 0], "spacing": [1, 1],
            "heights": [[0, -0.00707], [-0.00707, 0]]}, "b": {"type": "box", "half": [0.15, 0.15, 0.15]},
            "margin": 0.01, "pose_b": {"translation": [0.55, 0.45, 0.1489]}});
        request.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
        run_query(&request)["contacts"].clone()
    };
    assert_ne!(deep(json!({})), deep(json!({"manifold": true})));
    let balls = json!({"op": "contact", "a": {"type": "sphere", "radius": 1}, "b": {"type": "sphere", "radius": 1},
        "manifold": true, "method": "gjk"});
    let refused = run_query(&balls);
    assert_eq!(refused["ok"], json!(false), "{refused}");
    assert!(refused["error"].to_string().contains("leave it out"), "{refused}");
}

#[test]
fn moving_shapes_touch_at_a_time() {
    let at = |x: f64| json!({"translation": [x, 0.0, 0.0]});
    for (a, b) in [
        (json!({"type": "box", "half": [0.5, 0.5, 0.5]}), json!({"type": "sphere", "radius": 0.5})),
        (cube(), json!({"type": "sphere", "radius": 0.5})),
        (cube(), cube()),
    ] {
        let request = json!({"op": "cast", "a": a, "b": b, "pose_b": at(3.0), "velocity_a": [1, 0, 0],
            "velocity_b": [-3, 0, 0], "max_time": 2, "tolerance": 1e-9});
        let found = run_query(&request);
        let [time, upper] = ["time", "time_upper"].map(|name| found[name].as_f64().expect("a time"));
        assert!(time <= 0.5 && 0.5 <= upper && upper - time < 1e-9, "{request}: {found}");
        assert_eq!(found["normal"][0], 1.0, "{found}");
        assert!((found["point"][0].as_f64().expect("a number") - 1.0).abs() < 1e-8, "{found}");
        let mut missed = request.clone();
        missed["velocity_b"] = json!([0, 5, 0]);
        let missed = run_query(&missed);
        assert_eq!((&missed["ok"], missed.get("time"), missed.get("point")), (&json!(true), Some(&Value::Null), None));
        let mut touching = request.clone();
        touching["pose_b"] = at(1.0);
        let touching = run_query(&touching);
        assert_eq!((&touching["time"], &touching["time_upper"]), (&json!(0.0), &json!(0.0)), "{touching}");
    }
    let turning = json!({"op": "cast", "a": {"type": "box", "half": [2, 0.1, 0.1]}, "b": {"type": "sphere", "radius": 0.5},
        "pose_b": {"translation": [0, 1.5, 0]}, "angular_velocity_a": [0, 0, 1], "max_time": 3});
    let time = run_query(&turning)["time"].as_f64().expect("it is swept over");
    assert!(time > 1.0 && time < std::f64::consts::FRAC_PI_2, "{time}");
    for (field, value, said) in
        [("max_time", json!(0), "max_time: 0 "), ("velocity_a", json!([1e300, 0, 0]), "velocity_a: ")]
    {
        let mut wrong = turning.clone();
        wrong[field] = value;
        let error = run_query(&wrong)["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.starts_with(said), "{error}");
    }
}

/// The squares of S1, as boxes: they touch from δ to 1, if δ is not above 1.
#[test]
fn separating_axes_tell_when_boxes_touch_first_and_last() {
    let square = json!({"type": "box", "half": [0.5, 0.5, 0.5]});
    let query_with = |delta: f64, method: &str| {
        run_query(&json!({"op": "cast", "a": square, "b": square, "pose_a": {"translation": [0.5, 0.5, 0]},
            "pose_b": {"translation": [0.5, 1.5 + delta, 0]}, "velocity_b": [1, -1, 0], "max_time": 3, "method": method}))
    };
    let number = |of: &Value| of.as_f64().expect("a number");
    for delta in [0.25, 0.5, 0.999, 1.0 - 1e-9] {
        let found = query_with(delta, "sat");
        assert!((number(&found["time"]) - delta).abs() < 1e-12 && number(&found["time"]) <= delta, "{found}");
        assert!((number(&found["time_upper"]) - delta).abs() < 1e-12, "{found}");
        assert!((number(&found["time_last"]) - 1.0).abs() < 1e-12, "{found}");
        assert_eq!(found["normal"], json!([0.0, 1.0, 0.0]), "{found}");
        // What is an edge of each square is a face of each box.
        for feature in found["features"].as_array().expect("of a and of b") {
            assert_eq!(feature["kind"], "face", "{found}");
            let corners = feature["corners"].as_array().expect("corners");
            assert!(
                corners.len() == 4 && corners.iter().all(|corner| (number(&corner[1]) - 1.0).abs() < 1e-12),
                "{found}"
            );
        }
        let other = query_with(delta, "gjk");
        assert!((number(&other["time"]) - delta).abs() < 2e-6 && other.get("time_last").is_none(), "{other}");
        assert!(other.get("features").is_none(), "{other}");
    }
    for method in ["sat", "gjk"] {
        assert_eq!(query_with(1.0 + 1e-9, method)["time"], Value::Null);
    }
    let at_rest = run_query(
        &json!({"op": "cast", "a": square, "b": square, "pose_b": {"translation": [0.5, 0, 0]}, "method": "sat"}),
    );
    let zero = Some(&Value::Null);
    assert_eq!(
        (number(&at_rest["time"]), at_rest.get("time_last"), at_rest.get("normal")),
        (0.0, zero, None),
        "{at_rest}"
    );
    let turning = json!({"angular_velocity_a": [0, 0, 1]});
    let round = json!({"b": {"type": "sphere", "radius": 1}});
    let rounded = json!({"b": {"type": "box", "half": [1, 1, 1], "margin": 0.1}});
    let flat = json!({"b": {"type": "triangle", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}});
    for cannot in [turning, round, rounded, flat] {
        let mut request =
            json!({"op": "cast", "a": square, "b": square, "pose_b": {"translation": [3, 0, 0]}, "method": "sat"});
        request.as_object_mut().expect("an object").extend(cannot.as_object().expect("an object").clone());
        let error = run_query(&request)["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.starts_with("method: sat "), "{error}");
    }
}

#[test]
fn moving_vertices_and_edges_touch_at_a_time() {
    let falling = |from: f64, to: f64| {
        let at = |z: f64| json!([[0.25, 0.25, z], [0, 0, 0], [1, 0, 0], [0, 1, 0]]);
        json!({"op": "ccd", "kind": "vertex-face", "t0": at(from), "t1": at(to)})
    };
    let hit = run_query(&falling(1.0, -3.0));
    let [time, upper] = ["time", "time_upper"].map(|name| hit[name].as_f64().expect("a time"));
    assert!(hit["hit"] == true && time <= 0.25 && 0.25 <= upper && upper - time <= 1e-6, "{hit}");
    assert_eq!(run_query(&falling(1.0, 0.125))["hit"], false);
    let mut near = falling(1.0, 0.125);
    near["min_separation"] = json!(0.125);
    assert_eq!(run_query(&near)["hit"], true, "as near as that counts");
    assert_eq!(run_query(&falling(0.0, 1.0))["time"], 0.0);
    let edges = json!({"op": "ccd", "kind": "edge-edge", "t0": [[-1, 0, 1], [1, 0, 1], [0, -1, 0], [0, 1, 0]],
        "t1": [[-1, 0, -1], [1, 0, -1], [0, -1, 0], [0, 1, 0]]});
    let time = run_query(&edges)["time"].as_f64().expect("a time");
    assert!(time <= 0.5 && time > 0.499_99, "{time}");
}
