//! `heurt query`: shapes without triangles of their own.

use crate::support::Workshop;
use serde_json::{Value, json};

fn run_query(request: &Value) -> Value {
    let answer = Workshop::new().run_query(request);
    assert_eq!(answer["ok"], true, "{request}: {answer}");
    answer
}

fn refused(request: &Value) -> String {
    let answer = Workshop::new().run_query(request);
    assert_eq!(answer["ok"], false, "{request}: {answer}");
    answer["error"].as_str().expect("a text").to_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn near(value: &Value, expected: f64) {
    assert!((number(value) - expected).abs() <= 1e-12 * expected.abs().max(1e-3), "{value}, not {expected}");
}

const PI: f64 = std::f64::consts::PI;

#[test]
fn convex_shapes_are_measured() {
    for (shape, area, volume) in [
        (json!({"type": "sphere", "radius": 2}), 16.0 * PI, 32.0 / 3.0 * PI),
        (json!({"type": "capsule", "radius": 1, "half_height": 1}), 8.0 * PI, 10.0 / 3.0 * PI),
        (json!({"type": "cylinder", "radius": 1, "half_height": 1}), 6.0 * PI, 2.0 * PI),
        (json!({"type": "cone", "radius": 3, "half_height": 2}), 24.0 * PI, 12.0 * PI),
        (json!({"type": "ellipsoid", "radii": [2, 2, 2]}), 16.0 * PI, 32.0 / 3.0 * PI),
        (json!({"type": "superellipsoid", "radii": [1, 1, 1], "n1": 1, "n2": 1}), 4.0 * PI, 4.0 / 3.0 * PI),
        (json!({"type": "point", "margin": 2}), 16.0 * PI, 32.0 / 3.0 * PI),
        (
            json!({"type": "box", "half": [0.5, 0.5, 0.5], "margin": 1}),
            6.0 + 10.0 * PI,
            7.0 + 3.0 * PI + 4.0 / 3.0 * PI,
        ),
    ] {
        let pose = json!({"translation": [1, 2, 3], "rotation": [0.6, 0, 0, 0.8]});
        let answer = run_query(&json!({"op": "measure", "a": shape, "pose_a": pose}));
        near(&answer["area"], area);
        near(&answer["volume"], volume);
        for (field, value) in
            [("closed", json!(true)), ("convex", json!(true)), ("genus", json!(0)), ("faults", json!([]))]
        {
            assert_eq!(answer[field], value, "{answer}");
        }
        if shape["type"] != "cone" {
            (0..3).for_each(|k| near(&answer["centroid"][k], [1.0, 2.0, 3.0][k]));
        }
    }
    let lying = json!({"type": "cylinder", "radius": 1, "half_height": 2});
    let pose = json!({"matrix": [[0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0]]});
    let answer = run_query(&json!({"op": "measure", "a": lying, "pose_a": pose}));
    near(&answer["inertia"][0][0], 4.0 * PI / 2.0);
    near(&answer["inertia"][1][1], 4.0 * PI * (3.0 + 16.0) / 12.0);
    let edged = json!({"type": "superellipsoid", "radii": [1, 1, 1], "n1": 2, "n2": 2, "margin": 0.5});
    assert!(number(&run_query(&json!({"op": "measure", "a": {"type": "sphere", "radius": 0}}))["volume"]) == 0.0);
    let tips = json!([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]);
    let octahedron = json!({"type": "hull", "points": tips, "margin": 0.5});
    let [found, expected] = [edged, octahedron].map(|shape| run_query(&json!({"op": "measure", "a": shape})));
    for field in ["area", "volume"] {
        assert!((number(&found[field]) / number(&expected[field]) - 1.0).abs() < 1e-3, "{found} {expected}");
    }
    let half_space = json!({"type": "half_space", "normal": [0, 0, 1], "offset": 0});
    assert!(
        refused(&json!({"op": "measure", "a": half_space})).starts_with("a: the shape cannot be used: a half-space")
    );
}

#[test]
fn rays_meet_convex_shapes_and_points_have_a_nearest_place() {
    for (shape, top) in [
        (json!({"type": "sphere", "radius": 1}), 1.0),
        (json!({"type": "capsule", "radius": 1, "half_height": 1}), 2.0),
        (json!({"type": "cylinder", "radius": 1, "half_height": 1}), 1.0),
        (json!({"type": "cone", "radius": 1, "half_height": 1}), 1.0),
        (json!({"type": "ellipsoid", "radii": [3, 2, 1]}), 1.0),
        (json!({"type": "superellipsoid", "radii": [3, 2, 1], "n1": 0.5, "n2": 1.5}), 1.0),
        (json!({"type": "half_space", "normal": [0, 0, 2], "offset": 2}), 1.0),
        (json!({"type": "box", "half": [1, 1, 1], "margin": 0.5}), 1.5),
        (json!({"type": "triangle", "points": [[1, 0, 0], [-1, 1, 0], [-1, -1, 0]], "margin": 0.5}), 0.5),
        (json!({"type": "superellipsoid", "radii": [3, 2, 1], "n1": 1, "n2": 1, "margin": 1}), 2.0),
    ] {
        let hit = run_query(&json!({"op": "ray", "a": shape, "origin": [0, 0, 9], "direction": [0, 0, -2]}));
        assert_eq!((&hit["hit"], &hit["primitive"]), (&json!(true), &json!(0)), "{hit}");
        near(&hit["distance"], (9.0 - top) / 2.0);
        assert!(number(&hit["error"]) < 1e-6 && number(&hit["normal"][2]) > 0.7, "{hit}");
        let point = run_query(&json!({"op": "closest", "a": shape, "point": [0, 0, 9]}));
        near(&point["signed_distance"], 9.0 - top);
        near(&point["point"][2], top);
        assert_eq!(point["inside"], false);
        assert!(number(&point["error"]) < 1e-12, "{point}");
        let inside = run_query(&json!({"op": "closest", "a": shape, "point": [0, 0, top - 1e-3]}));
        assert_eq!(inside["inside"], true, "{shape} {inside}");
        assert!(number(&inside["signed_distance"]) < 0.0, "{inside}");
        let within = run_query(&json!({"op": "ray", "a": shape, "origin": [0, 0, top - 1e-3], "direction": [0, 1, 0]}));
        assert_eq!(within["distance"], 0.0, "{within}");
    }
    let miss = json!({"op": "ray", "a": {"type": "sphere", "radius": 1}, "origin": [0, 3, 9], "direction": [0, 0, -2]});
    assert_eq!(run_query(&miss), json!({"id": null, "ok": true, "hit": false}));
    let flat = run_query(
        &json!({"op": "closest", "a": {"type": "cylinder", "radius": 1, "half_height": 0}, "point": [0, 0, 2]}),
    );
    assert_eq!(
        (&flat["distance"], &flat["signed_distance"], &flat["inside"]),
        (&json!(2.0), &Value::Null, &Value::Null)
    );
}

/// A dumb-bell: two balls on a bar along x.
fn dumb_bell() -> Value {
    let ball = |x: f64| json!({"shape": {"type": "sphere", "radius": 1}, "pose": {"translation": [x, 0, 0]}});
    let bar = json!({"shape": {"type": "compound", "parts": [{"shape": {"type": "box", "half": [2, 0.25, 0.25]}}]}});
    json!({"type": "compound", "parts": [ball(-3.0), bar, ball(3.0)]})
}

#[test]
fn compounds_are_asked_like_their_parts() {
    let small = json!({"type": "sphere", "radius": 0.5});
    let at = |x: f64, y: f64| json!({"translation": [x, y, 0]});
    let answer = run_query(&json!({"op": "distance", "a": dumb_bell(), "b": small, "pose_b": at(0.0, 3.0)}));
    near(&answer["distance"], 2.25);
    near(&answer["point_a"][1], 0.25);
    let answer = run_query(&json!({"op": "overlap", "a": small, "b": dumb_bell(), "pose_b": at(-3.0, 1.25)}));
    assert_eq!((&answer["overlap"], &answer["witness"]), (&json!(true), &json!({"a": 0, "b": 2})), "{answer}");
    let answer = run_query(&json!({"op": "overlap", "a": small, "b": dumb_bell(), "pose_b": at(0.0, 3.0)}));
    assert_eq!(answer["overlap"], false);
    let answer = run_query(&json!({"op": "ray", "a": dumb_bell(), "origin": [3, 9, 0], "direction": [0, -1, 0]}));
    assert_eq!(answer["primitive"], 2);
    near(&answer["distance"], 8.0);
    let answer = run_query(&json!({"op": "closest", "a": dumb_bell(), "point": [3, 0.25, 0]}));
    assert_eq!(answer["inside"], true);
    near(&answer["signed_distance"], -0.75);
    let contact = |margin: f64, y: f64| {
        run_query(&json!({"op": "contact", "a": dumb_bell(), "b": small, "pose_b": at(3.0, y), "margin": margin}))
    };
    let deep = contact(0.0, 1.25);
    assert!((number(&deep["separation"]) + 0.25).abs() <= number(&deep["error"]), "{deep}");
    assert_eq!((&deep["contacts"][0]["a"], &deep["contacts"][0]["b"]), (&json!(2), &json!(0)), "{deep}");
    near(&contact(1.0, 2.0)["separation"], 0.5);
    assert_eq!(contact(0.0, 2.0)["separation"], Value::Null);
    let swapped = run_query(&json!({"op": "contact", "a": small, "b": dumb_bell(), "pose_a": at(3.0, 1.25)}));
    assert!(number(&swapped["normal"][1]) < -0.9 && swapped["contacts"][0]["b"] == 2, "{swapped}");
    let answer = run_query(&json!({"op": "measure", "a": dumb_bell(), "pose_a": at(1.0, 0.0)}));
    near(&answer["volume"], 8.0 / 3.0 * PI + 1.0);
    near(&answer["centroid"][0], 1.0);
    assert_eq!((&answer["components"], &answer["closed"], &answer["convex"]), (&json!(3), &json!(true), &json!(false)));
    let kinds: Vec<&Value> = answer["faults"].as_array().expect("a list").iter().map(|fault| &fault["kind"]).collect();
    assert_eq!(kinds, ["shared-space", "shared-space"], "the bar ends on both balls");
    let grown = json!({"type": "compound", "parts": dumb_bell()["parts"], "margin": 0.5});
    near(&run_query(&json!({"op": "distance", "a": grown, "b": small, "pose_b": at(0.0, 3.0)}))["distance"], 1.75);
    let meeting = run_query(&json!({"op": "pairs", "a": dumb_bell(), "b": small}));
    assert_eq!((&meeting["pairs"], &meeting["count"]), (&json!([[1, 0]]), &json!(1)), "all of it lies in the bar");
    assert!(refused(&json!({"op": "measure", "a": {"type": "compound", "parts": []}})).contains("no parts"));
    let floor =
        json!({"type": "compound", "parts": [{"shape": {"type": "half_space", "normal": [0, 0, 1], "offset": 0}}]});
    assert!(refused(&json!({"op": "closest", "a": floor, "point": [0, 0, 0]})).contains("part 0 is a half-space"));
    let gone =
        json!({"type": "compound", "parts": [{"shape": small}, {"shape": {"type": "mesh", "path": "gone.obj"}}]});
    assert!(refused(&json!({"op": "closest", "a": gone, "point": [0, 0, 0]})).starts_with("a.parts[1].shape.path: "));
}

#[test]
fn height_fields_are_open_surfaces() {
    let field =
        |heights: Value| json!({"type": "heightfield", "origin": [0, 0], "spacing": [1, 2], "heights": heights});
    let ramp = field(json!([[0, 1, 2], [0, 1, 2]]));
    let hit = run_query(&json!({"op": "ray", "a": ramp, "origin": [1.5, 0.5, 9], "direction": [0, 0, -1]}));
    near(&hit["distance"], 7.5);
    assert_eq!(hit["primitive"], 2, "the half of the second cell below its cut");
    let measures = run_query(&json!({"op": "measure", "a": ramp}));
    near(&measures["area"], 4.0 * 2f64.sqrt());
    assert_eq!(
        (&measures["volume"], &measures["closed"], &measures["oriented"]),
        (&Value::Null, &json!(false), &json!(true))
    );
    let ball = json!({"type": "sphere", "radius": 0.5});
    let touches = |z: f64| {
        run_query(&json!({"op": "overlap", "a": ramp, "b": ball, "pose_b": {"translation": [1, 1, z]}}))["overlap"]
            == true
    };
    assert!(touches(1.7) && !touches(1.8) && touches(0.3) && !touches(0.2));
    for (heights, words) in [
        (json!([[0, 1], [2]]), "row 1 has 1 heights, the first one 2"),
        (json!([[0, 1]]), "at least 2 rows of 2"),
        (json!([]), "at least 2 rows of 2"),
        (json!([[0, 1], [2, "x"]]), "a.heights[1][1]"),
    ] {
        let error = refused(&json!({"op": "measure", "a": field(heights)}));
        assert!(error.contains(words), "{error}");
    }
    let mut crushed = ramp.clone();
    crushed["spacing"] = json!([1, 0]);
    assert!(refused(&json!({"op": "measure", "a": crushed})).contains("spacing along y is 0"));
}

#[test]
fn meshes_take_a_margin() {
    let corners = json!([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    let mesh = |margin: f64| {
        let triangles = json!([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
        json!({"type": "mesh", "vertices": corners, "triangles": triangles, "margin": margin})
    };
    let point = json!({"type": "point"});
    let query_at = |op: &str, margin: f64, z: f64| {
        run_query(&json!({"op": op, "a": mesh(margin), "b": point, "pose_b": {"translation": [0.1, 0.1, z]}}))
    };
    near(&query_at("distance", 0.25, -1.0)["distance"], 0.75);
    near(&query_at("distance", 0.25, -1.0)["point_a"][2], -0.25);
    assert_eq!(query_at("overlap", 0.25, -0.3)["overlap"], false);
    assert_eq!(query_at("overlap", 0.25, -0.25)["overlap"], true);
    assert_eq!(query_at("overlap", 0.25, 0.1)["witness"], json!({"contained": "b"}));
    let both = json!({"op": "distance", "a": mesh(0.25), "b": mesh(0.5), "pose_b": {"translation": [0, 0, -3]}});
    near(&run_query(&both)["distance"], 1.25);
    let found = run_query(&json!({"op": "closest", "a": mesh(0.25), "point": [0.1, 0.1, -1]}));
    near(&found["signed_distance"], 0.75);
    let found = run_query(&json!({"op": "closest", "a": mesh(0.25), "point": [0.2, 0.2, 0.1]}));
    near(&found["signed_distance"], -0.35);
    assert_eq!(found["inside"], true);
    let hit = run_query(&json!({"op": "ray", "a": mesh(0.25), "origin": [0.1, 0.1, -2], "direction": [0, 0, 2]}));
    near(&hit["distance"], 0.875);
    assert_eq!(hit["primitive"], 0);
    // The tetrahedron, slabs on its faces, wedges along its edges, and the parts of a ball.
    let mass = run_query(&json!({"op": "measure", "a": mesh(0.25)}));
    let rounded = run_query(&json!({"op": "measure", "a": {"type": "hull", "points": corners, "margin": 0.25}}));
    for field in ["area", "volume"] {
        assert!((number(&mass[field]) / number(&rounded[field]) - 1.0).abs() < 1e-3, "{mass} {rounded}");
    }
    let meeting = run_query(&json!({"op": "pairs", "a": mesh(0.25), "b": point, "limit": 2}));
    assert_eq!((&meeting["pairs"], &meeting["count"]), (&json!([[0, 0], [1, 0]]), &json!(3)), "{meeting}");
    let ring = json!({"type": "supertoroid", "r0": 2, "r1": 0.5, "n1": 1, "n2": 1, "segments": 32, "margin": 1.5});
    assert_eq!(run_query(&json!({"op": "overlap", "a": ring, "b": point}))["overlap"], true);
}

#[test]
fn exact_superquadrics_answer_without_segments() {
    let ring = json!({"type": "supertoroid", "r0": 2, "r1": 0.5, "n1": 1, "n2": 1});
    let star = json!({"type": "superellipsoid", "radii": [1, 1, 1], "n1": 3, "n2": 3});
    let ball = json!({"type": "sphere", "radius": 0.25});
    let mesh = json!({"type": "superellipsoid", "radii": [0.25, 0.25, 0.25], "n1": 1, "n2": 1, "segments": 16});
    let at = |x: f64, y: f64, z: f64| json!({"translation": [x, y, z]});
    for (a, b, pose, expected) in [
        (&ring, &ball, at(0.0, 3.5, 0.0), 0.75),
        (&ring, &ball, at(1.5, 0.0, 2.0), 4.25f64.sqrt() - 0.75),
        (&star, &ball, at(2.0, 0.0, 0.0), 0.75),
        (&star, &mesh, at(0.0, 0.0, 2.0), 0.75),
    ] {
        let answer = run_query(&json!({"op": "distance", "a": a, "b": b, "pose_b": pose}));
        assert!((number(&answer["distance"]) - expected).abs() <= number(&answer["error"]) + 1e-15, "{answer}");
        assert!(number(&answer["error"]) < 1e-5, "{answer}");
        let swapped = run_query(&json!({"op": "distance", "a": b, "b": a, "pose_a": pose}));
        assert_eq!((&swapped["distance"], &swapped["point_a"]), (&answer["distance"], &answer["point_b"]));
        assert_eq!(run_query(&json!({"op": "overlap", "a": a, "b": b, "pose_b": pose}))["overlap"], false);
        assert_eq!(
            run_query(&json!({"op": "distance", "a": a, "b": b, "pose_b": pose, "max": 0.5}))["distance"],
            Value::Null
        );
    }
    let within = run_query(&json!({"op": "overlap", "a": ring, "b": ball, "pose_b": at(2.0, 0.0, 0.0)}));
    assert_eq!((&within["overlap"], &within["witness"]), (&json!(true), &json!({"a": 0, "b": 0})), "{within}");
    assert_eq!(
        run_query(&json!({"op": "overlap", "a": star, "b": ball, "pose_b": at(0.5, 0.5, 0.5)}))["overlap"],
        false
    );
    let found = run_query(&json!({"op": "closest", "a": ring, "point": [2.25, 0, 0]}));
    assert!((number(&found["signed_distance"]) + 0.25).abs() <= number(&found["error"]), "{found}");
    assert_eq!(found["inside"], true);
    // Two of them, in a compound, with a margin, and every other verb.
    let stacked = json!({"op": "distance", "a": ring, "b": star, "pose_b": at(2.0, 0.0, 2.0)});
    assert!((number(&run_query(&stacked)["distance"]) - 0.5).abs() < 1e-9, "{}", run_query(&stacked));
    let part = json!({"type": "compound", "parts": [{"shape": ring, "pose": at(0.0, 0.0, 1.0)}]});
    let found = run_query(&json!({"op": "distance", "a": part, "b": ball, "pose_b": at(2.0, 0.0, 2.0)}));
    assert!((number(&found["distance"]) - 0.25).abs() <= number(&found["error"]), "{found}");
    let grown = json!({"type": "supertoroid", "r0": 2, "r1": 0.25, "n1": 1, "n2": 1, "margin": 0.25});
    let found = run_query(&json!({"op": "distance", "a": grown, "b": ball, "pose_b": at(0.0, 3.5, 0.0)}));
    assert!((number(&found["distance"]) - 0.75).abs() <= number(&found["error"]) + 1e-15, "{found}");
    let hit = run_query(&json!({"op": "ray", "a": ring, "origin": [9, 0, 0], "direction": [-2, 0, 0]}));
    assert!((number(&hit["distance"]) - 3.25).abs() <= number(&hit["error"]), "{hit}");
    assert_eq!((&hit["normal"], &hit["primitive"]), (&json!([1.0, 0.0, 0.0]), &json!(0)));
    assert_eq!(run_query(&json!({"op": "ray", "a": ring, "origin": [0, 0, 9], "direction": [0, 0, -1]}))["hit"], false);
    let mass = run_query(&json!({"op": "measure", "a": ring}));
    assert!((number(&mass["volume"]) - PI * PI).abs() < 1e-12 && mass["genus"] == 1, "{mass}");
    assert!((number(&mass["area"]) - 4.0 * PI * PI).abs() < 1e-9 && mass["convex"] == false, "{mass}");
    let deep = run_query(&json!({"op": "contact", "a": ring, "b": ball, "pose_b": at(2.0, 0.0, 0.6)}));
    assert!(number(&deep["separation"]) <= -0.15 && number(&deep["separation"]) > -0.16, "{deep}");
    assert!(number(&deep["separation_bound"]) >= -0.15 - 1e-12, "{deep}");
    let fall =
        run_query(&json!({"op": "cast", "a": ring, "b": ball, "pose_b": at(2.0, 0.0, 2.75), "velocity_b": [0, 0, -4]}));
    assert!(number(&fall["time"]) <= 0.5 && number(&fall["time_upper"]) >= 0.5 - 1e-12, "{fall}");
    let through = json!({"op": "cast", "a": ring, "b": ball, "pose_b": at(0.0, 0.0, 2.0), "velocity_b": [0, 0, -4]});
    assert_eq!(run_query(&through)["time"], Value::Null);
    assert!(refused(&json!({"op": "overlap", "a": ring, "b": ball, "method": "gjk"})).starts_with("method: "));
    let mass = run_query(&json!({"op": "measure", "a": grown}));
    assert!((number(&mass["volume"]) / (PI * PI) - 1.0).abs() < 1e-3 && mass["genus"] == 1, "{mass}");
    let meeting =
        |pose: Value| run_query(&json!({"op": "pairs", "a": ball, "b": ring, "pose_a": pose}))["pairs"].clone();
    assert_eq!([meeting(at(0.0, 0.0, 0.0)), meeting(at(2.0, 0.0, 0.0))], [json!([]), json!([[0, 0]])]);
    let error = refused(&json!({"op": "overlap", "a": ring, "b": mesh, "volume": "obb"}));
    assert!(error.starts_with("not available: ") && error.contains("`segments`"), "{error}");
}
