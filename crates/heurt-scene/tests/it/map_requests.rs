//! Requests on maps: answers, errors, files read once, and the same lines for any number of threads.

use heurt_scene::{QuerySession, SceneFiles};
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const TWO_TETRAHEDRA: &[u8] = b"MeshVersionFormatted 2 Dimension 3 Vertices 5 0 0 0 0 2 0 0 0 0 2 0 0 0 0 2 0 2 2 2 0 \
    Tetrahedra 2 1 2 3 4 0 2 3 4 5 0 End";

/// Files from memory, and the number of times that one was read.
#[derive(Clone, Default)]
struct Memory(Arc<AtomicUsize>);

impl SceneFiles for Memory {
    fn read(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        match path.to_str() {
            Some("room.wkt") => Ok(b"POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1))".to_vec()),
            Some("two.mesh") => Ok(TWO_TETRAHEDRA.to_vec()),
            Some("bow.wkt") => Ok(b"POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))".to_vec()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// A strip of three squares of side 1 at z = 5.
fn strip() -> Value {
    let vertices: Vec<Value> = (0..8).map(|k| json!([k % 4, k / 4, 5])).collect();
    json!({"op": "map", "name": "strip", "vertices": vertices, "faces": [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6]]})
}

fn session() -> QuerySession {
    QuerySession::new(Memory::default(), 1, None).expect("threads")
}

fn answer_of(session: &mut QuerySession, request: &Value) -> Value {
    serde_json::from_str(&session.answer(&request.to_string())).expect("JSON")
}

#[test]
fn a_written_map_answers_all_operations() {
    let mut session = session();
    let named = answer_of(&mut session, &strip());
    let expected = json!({"id": null, "ok": true, "name": "strip", "dimension": 2, "cells": 3, "tracking": "plane",
        "untrusted": 0});
    assert_eq!(named, expected);
    let cases = [
        (
            json!({"op": "locate", "point": [1, 0.5]}),
            json!({"cell": 0, "place": "edge", "cells": [0, 1], "point": [1.0, 0.5, 5.0], "distance": 0.0}),
        ),
        (
            json!({"op": "locate", "point": [1.5, 2.5, 5]}),
            json!({"cell": null, "cells": [], "point": [1.5, 1.0, 5.0], "distance": 1.5}),
        ),
        (
            json!({"op": "move", "from": [0.5, 0.5], "to": [2.5, 0.75]}),
            json!({"cells": [0, 1, 2], "reached": [2.5, 0.75, 5.0], "place": "face", "arrived": true, "steps": 4}),
        ),
        (
            json!({"op": "move", "from": [0.5, 0.5], "to": [2.5, 0.5], "obstacles": [[2, 6]]}),
            json!({"cells": [0, 1], "reached": [2.0, 0.5, 5.0], "place": "edge", "arrived": false, "wall": "obstacle",
                "wall_vertices": [2, 6], "steps": 2}),
        ),
        (json!({"op": "probe", "from": [0.5, 0], "to": [1, 1]}), json!({"cells": [0, 1], "arrived": true})),
        (
            json!({"op": "probe", "from": [0.5, 0.5], "to": [-1, 0.5]}),
            json!({"cells": [0], "arrived": false, "wall": "border", "wall_vertices": [4, 0]}),
        ),
        (
            json!({"op": "near", "points": [[0.5, 0.5], [0.75, 0.5], [2.5, 0.5], [9, 0.5]], "at": [[1.25, 0.5]],
                "radius": 0.6}),
            json!({"places": [{"at": [1.25, 0.5, 5.0], "cell": 1, "present": [], "neighbours": [0, 1, 2],
                "within": [{"point": 1, "distance": 0.5}]}], "outside": [{"point": 3, "distance": 6.0}]}),
        ),
    ];
    for (mut request, mut expected) in cases {
        request["map"] = json!("strip");
        (expected["id"], expected["ok"]) = (Value::Null, json!(true));
        let answer = answer_of(&mut session, &request);
        match request["op"] == "locate" && request["point"][0] == 1 {
            // Either square has the edge.
            true => assert!(answer["cells"] == expected["cells"] && answer["place"] == "edge", "{answer}"),
            false => assert_eq!(answer, expected, "{request}"),
        }
    }
    // Obstacles are triangles; those with a corner outside are named.
    let obstacles = json!([
        [[0.25, 0.75], [0.5, 0.75], [0.5, 0.9]],
        [[2.25, 0.5], [2.75, 0.5], [2.5, 0.75]],
        [[2.5, 0.5], [9, 0.5], [2.5, 0.75]]
    ]);
    let near = answer_of(
        &mut session,
        &json!({"op": "near", "map": "strip", "points": [[0.5, 0.5]], "radius": 0.3,
        "obstacles": obstacles}),
    );
    let place = json!({"at": [0.5, 0.5, 5.0], "cell": 0, "present": [], "neighbours": [], "within": [],
        "obstacles": [0], "obstacles_within": [{"obstacle": 0, "distance": 0.25}]});
    assert_eq!(near, json!({"id": null, "ok": true, "places": [place], "outside": [], "obstacles_outside": [2]}));
    let near = answer_of(&mut session, &json!({"op": "near", "map": "strip", "points": [[0.5, 0.5], [0.75, 0.5]]}));
    assert_eq!(near["places"][0], json!({"at": [0.5, 0.5, 5.0], "cell": 0, "present": [1], "neighbours": []}));
}

#[test]
fn files_are_read_once_and_errors_name_their_field() {
    let files = Memory::default();
    let mut session = QuerySession::new(files.clone(), 1, None).expect("threads");
    for name in ["room", "hall"] {
        let named = answer_of(&mut session, &json!({"op": "map", "name": name, "path": "room.wkt"}));
        assert_eq!((&named["ok"], &named["tracking"]), (&json!(true), &json!("plane")), "{named}");
    }
    let pillar = answer_of(&mut session, &json!({"op": "locate", "map": "hall", "point": [1.5, 1.25]}));
    assert_eq!((&pillar["cell"], &pillar["distance"]), (&Value::Null, &json!(0.25)), "{pillar}");
    assert_eq!(files.0.load(Ordering::Relaxed), 1);
    answer_of(&mut session, &json!({"op": "map", "name": "two", "path": "two.mesh"}));
    let path =
        answer_of(&mut session, &json!({"op": "move", "map": "two", "from": [0.1, 0.1, 0.1], "to": [1.2, 1.2, 1.2]}));
    assert_eq!((&path["cells"], &path["arrived"]), (&json!([0, 1]), &json!(true)), "{path}");
    answer_of(&mut session, &json!({"op": "map", "name": "gone", "path": "gone.vtu"}));
    for (request, words) in [
        (json!({"op": "map", "name": "x", "path": "gone.vtu"}), "path: gone.vtu cannot be used: cannot read gone.vtu"),
        (
            json!({"op": "map", "name": "x", "path": "bow.wkt"}),
            "path: bow.wkt cannot be used: it cannot be used as a plan",
        ),
        (json!({"op": "map", "name": "x"}), "path: missing"),
        (json!({"op": "map", "name": "x", "faces": [[0, 1, 2]]}), "vertices: missing"),
        (json!({"op": "map", "name": "x", "vertices": []}), "faces: missing"),
        (json!({"op": "map", "name": "x", "path": "room.wkt", "vertices": [], "faces": []}), "not both"),
        (
            json!({"op": "map", "name": "x", "vertices": [], "faces": [[0, 1]]}),
            "faces[0]: [0,1] is not a list of at least 3",
        ),
        (json!({"op": "map", "name": "x", "vertices": [[0, 0, 0]], "faces": [[0, 1, 2]]}), "faces cannot be used"),
        (json!({"op": "map", "name": "x", "path": "room.wkt", "colour": 1}), "colour: unknown field"),
        (json!({"op": "locate", "map": "nave", "point": [0, 0]}), "map: nave cannot be used: no line before"),
        (json!({"op": "locate", "map": "gone", "point": [0, 0]}), "map: gone cannot be used: path: gone.vtu"),
        (json!({"op": "locate", "map": "two", "point": [0, 0]}), "point: [0,0] cannot be used: the map is in space"),
        (json!({"op": "locate", "map": "room", "point": [0]}), "point: [0] is not a list of 3 finite numbers"),
        (json!({"op": "locate", "map": "room"}), "point: missing"),
        (
            json!({"op": "move", "map": "room", "from": [1.5, 1.5], "to": [0, 0]}),
            "outside the map, 0.5 from its border",
        ),
        (json!({"op": "move", "map": "room", "from": [0, 0], "to": [1, 1], "obstacles": [[0, 99]]}), "no edge has"),
        (json!({"op": "near", "map": "room", "points": [[0, 0]], "radius": -1}), "radius: -1 is not"),
        (json!({"op": "near", "map": "two", "points": [[0, 0]]}), "points[0]: [0,0] cannot be used"),
        (
            json!({"op": "near", "map": "room", "points": [[0, 0]], "obstacles": [[[0, 0], [1, 1]]]}),
            "obstacles[0]: [[0,0],[1,1]] is not a triangle: a list of three points",
        ),
    ] {
        let answer = answer_of(&mut session, &request);
        assert_eq!(answer["ok"], false, "{request}");
        assert!(answer["error"].as_str().expect("a text").contains(words), "{request}: {answer}");
    }
    let late = answer_of(&mut session, &json!({"op": "locate", "map": "room", "point": [0.5, 0.5]}));
    assert_eq!((&late["ok"], &late["distance"]), (&json!(true), &json!(0.0)), "lines after bad ones are answered");
}

#[test]
fn answers_do_not_depend_on_threads_and_names_hold_for_later_lines() {
    let mut lines = vec![strip().to_string()];
    for k in 0..200 {
        let x = f64::from(k) * 0.015;
        lines.push(json!({"id": k, "op": "locate", "map": "strip", "point": [x, 0.5]}).to_string());
        lines.push(json!({"op": "probe", "map": "strip", "from": [x, 0.5], "to": [3.0 - x, 0.25]}).to_string());
        if k == 100 {
            lines.push(json!({"op": "map", "name": "strip", "path": "room.wkt"}).to_string());
        }
    }
    let all = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| session().answer_lines(&lines))
    };
    let answers = all(1);
    assert_eq!(answers, all(4));
    assert!(answers.iter().all(|answer| answer.ok));
    let of = |line: usize| serde_json::from_str::<Value>(&answers[line].json).expect("JSON");
    assert_eq!((&of(199)["point"][2], &of(204)["point"][2]), (&json!(5.0), &json!(0.0)), "{} {}", of(199), of(204));
}

#[test]
fn far_points_have_their_nearest_point_of_the_border() {
    let mut session = session();
    answer_of(&mut session, &strip());
    answer_of(&mut session, &json!({"op": "map", "name": "two", "path": "two.mesh"}));
    for far in [10.0, 1e6, 1e12, 1e17, 1e154, 1e300] {
        for (map, point, nearest) in [
            ("strip", [far, 0.5, 5.0], [3.0, 0.5, 5.0]),
            ("strip", [-far, 0.25, 5.0], [0.0, 0.25, 5.0]),
            ("strip", [1.5, -far, 5.0], [1.5, 0.0, 5.0]),
            ("strip", [far, far, 5.0], [3.0, 1.0, 5.0]),
            ("two", [far, far, far], [2.0, 2.0, 2.0]),
            ("two", [-far, 0.5, 0.25], [0.0, 0.5, 0.25]),
            ("two", [0.25, 0.5, -far], [0.25, 0.5, 0.0]),
        ] {
            let answer = answer_of(&mut session, &json!({"op": "locate", "map": map, "point": point}));
            assert_eq!(
                (&answer["cell"], &answer["point"]),
                (&Value::Null, &json!(nearest)),
                "{map} {point:?}: {answer}"
            );
            let distance = answer["distance"].as_f64().expect("a distance");
            let expected = (0..3).map(|k| (point[k] - nearest[k]) / far).map(|x| x * x).sum::<f64>().sqrt() * far;
            assert!((distance - expected).abs() <= 4.0 * f64::EPSILON * expected, "{map} {point:?}: {answer}");
        }
    }
}
