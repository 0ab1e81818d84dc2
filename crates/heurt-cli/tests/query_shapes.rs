//! `heurt query`: shapes without triangles of their own.

mod support;

use serde_json::{Value, json};
use support::Workshop;

fn ask(request: &Value) -> Value {
    let answer = Workshop::new().ask(request);
    assert_eq!(answer["ok"], true, "{request}: {answer}");
    answer
}

fn refused(request: &Value) -> String {
    let answer = Workshop::new().ask(request);
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
        let answer = ask(&json!({"op": "measure", "a": shape, "pose_a": pose}));
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
    let answer = ask(&json!({"op": "measure", "a": lying, "pose_a": pose}));
    near(&answer["inertia"][0][0], 4.0 * PI / 2.0);
    near(&answer["inertia"][1][1], 4.0 * PI * (3.0 + 16.0) / 12.0);
    let edged = json!({"type": "superellipsoid", "radii": [1, 1, 1], "n1": 2, "n2": 2, "margin": 0.5});
    assert!(number(&ask(&json!({"op": "measure", "a": {"type": "sphere", "radius": 0}}))["volume"]) == 0.0);
    assert!(refused(&json!({"op": "measure", "a": edged})).contains("quadrature"));
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
        let hit = ask(&json!({"op": "ray", "a": shape, "origin": [0, 0, 9], "direction": [0, 0, -2]}));
        assert_eq!((&hit["hit"], &hit["primitive"]), (&json!(true), &json!(0)), "{hit}");
        near(&hit["distance"], (9.0 - top) / 2.0);
        assert!(number(&hit["error"]) < 1e-6 && number(&hit["normal"][2]) > 0.7, "{hit}");
        let point = ask(&json!({"op": "closest", "a": shape, "point": [0, 0, 9]}));
        near(&point["signed_distance"], 9.0 - top);
        near(&point["point"][2], top);
        assert_eq!(point["inside"], false);
        assert!(number(&point["error"]) < 1e-12, "{point}");
        let inside = ask(&json!({"op": "closest", "a": shape, "point": [0, 0, top - 1e-3]}));
        assert_eq!(inside["inside"], true, "{shape} {inside}");
        assert!(number(&inside["signed_distance"]) < 0.0, "{inside}");
        let within = ask(&json!({"op": "ray", "a": shape, "origin": [0, 0, top - 1e-3], "direction": [0, 1, 0]}));
        assert_eq!(within["distance"], 0.0, "{within}");
    }
    let miss = json!({"op": "ray", "a": {"type": "sphere", "radius": 1}, "origin": [0, 3, 9], "direction": [0, 0, -2]});
    assert_eq!(ask(&miss), json!({"id": null, "ok": true, "hit": false}));
    let flat =
        ask(&json!({"op": "closest", "a": {"type": "cylinder", "radius": 1, "half_height": 0}, "point": [0, 0, 2]}));
    assert_eq!(
        (&flat["distance"], &flat["signed_distance"], &flat["inside"]),
        (&json!(2.0), &Value::Null, &Value::Null)
    );
}
