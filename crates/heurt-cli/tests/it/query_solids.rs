//! `heurt query`: solids whose shells overlap, all hits of a ray, which points a shape contains.

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

fn near(value: &Value, expected: f64) {
    let number = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((number - expected).abs() <= 1e-12, "{value}, not {expected}");
}

/// The eight corners of a box, and its twelve triangles from a first vertex on.
fn block(low: [f64; 3], high: [f64; 3], first: usize) -> (Vec<Value>, Vec<Value>) {
    let corner = |k: usize| json!([0, 1, 2].map(|axis| if k >> (2 - axis) & 1 == 1 { high[axis] } else { low[axis] }));
    let triangles = [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ];
    ((0..8).map(corner).collect(), triangles.iter().map(|t| json!(t.map(|k: usize| k + first))).collect())
}

/// Two boxes of one mesh that share a part.
fn merged() -> Value {
    let (mut vertices, mut triangles) = block([0.0; 3], [1.0; 3], 0);
    let (more, others) = block([0.5, 0.25, 0.25], [1.5, 1.25, 1.25], 8);
    vertices.extend(more);
    triangles.extend(others);
    json!({"type": "mesh", "vertices": vertices, "triangles": triangles})
}

#[test]
fn merged_boxes_are_one_solid() {
    let closest = |point: [f64; 3]| run_query(&json!({"op": "closest", "a": merged(), "point": point}));
    let deep = closest([0.75, 0.75, 0.75]);
    near(&deep["signed_distance"], -(0.125f64.sqrt()));
    // At most 64 ulp of the largest coordinate, 1.5.
    assert!(deep["error"].as_f64().unwrap() <= 64.0 * f64::EPSILON && deep["inside"] == json!(true), "{deep}");
    near(&closest([0.5, 0.5, 0.5])["signed_distance"], -0.5);
    let measured = run_query(&json!({"op": "measure", "a": merged()}));
    near(&measured["volume"], 2.0 - 0.5 * 0.75 * 0.75);
    near(&measured["area"], 12.0 - 2.0 * (0.5 * 0.75 + 0.5 * 0.75 + 0.75 * 0.75));
    assert!(measured["volume_error"].as_f64().unwrap() < 1e-13, "{measured}");
    let (vertices, triangles) = block([0.0; 3], [1.0; 3], 0);
    let single =
        run_query(&json!({"op": "measure", "a": {"type": "mesh", "vertices": vertices, "triangles": triangles}}));
    assert!(single.get("volume_error").is_none() && single["volume"] == json!(1.0), "{single}");
}

#[test]
fn all_hits_of_a_ray_and_the_intervals_inside() {
    let along = |shape: Value, more: Value| {
        let mut request =
            json!({"op": "ray", "a": shape, "origin": [-1, 0.75, 0.5], "direction": [2, 0, 0], "all": true});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        run_query(&request)
    };
    let found = along(merged(), json!({}));
    // Distances are multiples of the direction.
    assert_eq!(found["intervals"], json!([[0.5, 1.25]]));
    let crossings: Vec<&Value> = found["hits"].as_array().unwrap().iter().map(|hit| &hit["crossing"]).collect();
    assert_eq!(crossings.first(), Some(&&json!("enter")), "{found}");
    assert_eq!(crossings.iter().filter(|crossing| ***crossing == json!("exit")).count(), 1, "{found}");
    let enter = &found["hits"][0];
    assert_eq!((&enter["distance"], &enter["point"]), (&json!(0.5), &json!([0.0, 0.75, 0.5])));
    assert_eq!(enter["normal"], json!([-1.0, 0.0, 0.0]));
    assert!(enter["primitive"].is_u64() && enter["error"].as_f64().unwrap() < 1e-14);
    // As far as it goes, from inside, and past.
    assert_eq!(along(merged(), json!({"max_distance": 1.0}))["intervals"], json!([[0.5, 1.0]]));
    assert_eq!(along(merged(), json!({"origin": [0.25, 0.75, 0.5]}))["intervals"], json!([[0.0, 0.625]]));
    let past = along(merged(), json!({"origin": [-1, 5, 0]}));
    assert_eq!((&past["hits"], &past["intervals"]), (&json!([]), &json!([])));
    // Other kinds of shapes, and a half-space without an end.
    let ball = along(json!({"type": "sphere", "radius": 1.5}), json!({}));
    assert_eq!(ball["hits"].as_array().unwrap().len(), 1, "it starts inside: {ball}");
    let plane = along(json!({"type": "half_space", "normal": [-1, 0, 0], "offset": -1}), json!({}));
    assert_eq!(plane["intervals"], json!([[1.0, null]]));
    // Without `all`, as ever.
    let first = run_query(
        &json!({"op": "ray", "a": merged(), "origin": [-1, 0.75, 0.5], "direction": [2, 0, 0], "all": false}),
    );
    assert_eq!((&first["hit"], &first["distance"]), (&json!(true), &json!(0.5)));
    assert!(
        refused(&json!({"op": "ray", "a": merged(), "origin": [0, 0, 0], "direction": [1, 0, 0], "all": 1}))
            .contains("all")
    );
}

#[test]
fn points_are_contained_or_not() {
    let points = json!([[0.5, 0.5, 0.5], [1.25, 0.75, 0.75], [1.25, 0.1, 0.1], [0, 0, 0], [-1e-300, 0, 0]]);
    let answer = run_query(&json!({"op": "contains", "a": merged(), "points": points}));
    assert_eq!(answer["inside"], json!([true, true, false, true, false]));
    let pose = json!({"translation": [1, 0, 0]});
    let moved = run_query(
        &json!({"op": "contains", "a": merged(), "pose_a": pose, "points": [[0.5, 0.5, 0.5], [1.5, 0.5, 0.5]]}),
    );
    assert_eq!(moved["inside"], json!([false, true]));
    assert_eq!(run_query(&json!({"op": "contains", "a": merged(), "points": []}))["inside"], json!([]));
    assert!(refused(&json!({"op": "contains", "a": merged(), "point": [0, 0, 0]})).contains("point"), "unknown field");
}

#[test]
fn flush_faces_off_the_planes_of_coordinates_have_four_contacts() {
    // Report 11.
    let (vertices, triangles) = block([0.0; 3], [1.0; 3], 0);
    let cube = json!({"type": "mesh", "vertices": vertices, "triangles": triangles});
    let (vertices, triangles) = block([1.0, 0.0, 0.0], [2.0, 1.0, 1.0], 0);
    let next = json!({"type": "mesh", "vertices": vertices, "triangles": triangles});
    for (b, pose) in [(next, json!({"translation": [0, 0, 0]})), (cube.clone(), json!({"translation": [1, 0, 0]}))] {
        let answer = run_query(&json!({"op": "contact", "a": cube, "b": b, "pose_b": pose}));
        assert_eq!(answer["normal"], json!([1.0, 0.0, 0.0]));
        let contacts = answer["contacts"].as_array().unwrap();
        assert_eq!(contacts.len(), 4, "{answer}");
        assert!(contacts.iter().all(|contact| contact["separation"].as_f64().unwrap() <= 0.0), "{answer}");
    }
}

/// A box without its top, z from 0 to 1.
fn open_box(solid: Value) -> Value {
    let (vertices, triangles) = block([0.0; 3], [1.0; 3], 0);
    let is_top = |triangle: &Value| triangle.as_array().unwrap().iter().all(|k| k.as_u64().unwrap() % 2 == 1);
    let walls: Vec<Value> = triangles.into_iter().filter(|triangle| !is_top(triangle)).collect();
    assert_eq!(walls.len(), 10);
    json!({"type": "mesh", "vertices": vertices, "triangles": walls, "solid": solid})
}

#[test]
fn an_open_mesh_has_an_inside_by_its_winding_number_and_answers_say_that_it_is_not_exact() {
    let lid_less = || open_box(json!("winding"));
    let points = json!([[0.5, 0.5, 0.5], [0.5, 0.5, 0.9], [0.5, 0.5, 1.5], [2, 0, 0]]);
    let answer = run_query(&json!({"op": "contains", "a": lid_less(), "points": points}));
    assert_eq!((&answer["inside"], &answer["exact"]), (&json!([true, true, false, false]), &json!(false)));
    let surface = open_box(json!(false));
    let answer = run_query(&json!({"op": "contains", "a": surface, "points": points}));
    assert_eq!((&answer["inside"], answer.get("exact")), (&json!([false, false, false, false]), None));
    let ball = json!({"type": "sphere", "radius": 0.125});
    let pose = json!({"translation": [0.5, 0.5, 0.5]});
    for (solid, expected) in [("winding", true), ("no", false)] {
        let a = open_box(if solid == "no" { json!(false) } else { json!(solid) });
        let answer = run_query(&json!({"op": "overlap", "a": a, "b": ball, "pose_b": pose}));
        assert_eq!(answer["overlap"], json!(expected), "{answer}");
        assert_eq!(answer.get("exact"), expected.then_some(&json!(false)), "{answer}");
    }
    let answer = run_query(&json!({"op": "closest", "a": lid_less(), "point": [0.5, 0.5, 0.25]}));
    near(&answer["signed_distance"], -0.25);
    assert_eq!(answer["exact"], json!(false));
    let answer = run_query(&json!({"op": "ray", "a": lid_less(), "origin": [0.5, 0.5, 0.5], "direction": [1, 0, 0]}));
    assert_eq!((&answer["distance"], &answer["exact"]), (&json!(0.0), &json!(false)));
    // Compounds of such meshes, and surfaces only.
    let parts = json!([{"shape": lid_less()}]);
    let compound = json!({"type": "compound", "parts": parts});
    let answer = run_query(&json!({"op": "overlap", "a": ball, "pose_a": pose, "b": compound}));
    assert_eq!((&answer["overlap"], &answer["exact"]), (&json!(true), &json!(false)));
    let answer = run_query(&json!({"op": "pairs", "a": lid_less(), "b": open_box(json!(false))}));
    assert_eq!(answer.get("exact"), None, "{answer}");
    // A closed mesh has a whole number everywhere, which is found exactly.
    let (vertices, triangles) = block([0.0; 3], [1.0; 3], 0);
    let closed = json!({"type": "mesh", "vertices": vertices, "triangles": triangles, "solid": "winding"});
    let answer = run_query(&json!({"op": "contains", "a": closed, "points": [[0.5, 0.5, 0.5], [1, 1, 1]]}));
    assert_eq!((&answer["inside"], answer.get("exact")), (&json!([true, true]), None));
    assert!(refused(&json!({"op": "contains", "a": open_box(json!(true)), "points": []})).contains("not closed"));
}

#[test]
fn check_finds_what_lies_in_an_open_part_by_its_winding_number() {
    let shop = Workshop::new();
    let lid = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
               f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    shop.file("lid.obj", lid);
    shop.make(&["box", "--half", "0.25,0.25,0.25", "-o", "pin.obj"]);
    let plain = shop.run(&["check", "lid.obj", "pin.obj", "--json"]);
    assert_eq!(plain.code, Some(0), "{}", plain.err);
    assert_eq!(plain.json()["summary"]["open"], 1);
    let run = shop.run(&["check", "lid.obj", "pin.obj", "--solid", "winding", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    let report = run.json();
    let found = &report["interferences"][0];
    assert_eq!((&found["kind"], &found["inner"]), (&json!("inside"), &json!("b")));
    let lid = &report["parts"][0];
    assert_eq!((&lid["solid"], &lid["exact"]), (&json!(true), &json!(false)));
    assert!(report["parts"][1].get("exact").is_none());
    let table = shop.run(&["check", "lid.obj", "pin.obj", "--solid", "winding"]);
    assert!(table.out.contains("is open: what lies inside it is decided by the winding number"), "{}", table.out);
}
