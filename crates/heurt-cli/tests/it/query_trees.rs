//! `heurt query` through trees of every kind: `volume`, `degree`, `tree`.

use crate::support::Workshop;
use serde_json::json;

#[test]
fn every_tree_gives_the_same_answers() {
    let shop = Workshop::new();
    shop.file("good.tree", "# any comment\nvolume = \"kdop18\"\ndegree = 4\nbuilder = \"clusters\"\nleaf_size = 3\n");
    shop.file("bad.tree", "volume = \"cube\"\n");
    let pose = json!({"translation": [0.5, 0.25, 1.5], "rotation": [0.6, 0.0, 0.0, 0.8]});
    let torus = json!({"type": "supertoroid", "r0": 2, "r1": 1, "n1": 1, "n2": 1, "segments": 24});
    let request = |op: &str| json!({"op": op, "a": torus, "b": torus, "pose_b": pose});
    let (pairs, overlap) = (shop.run_query(&request("pairs")), shop.run_query(&request("overlap")));
    assert!(pairs["count"].as_u64() > Some(10) && overlap["overlap"] == true, "{pairs}");
    let volumes = ["aabb", "aabb-slab", "sphere", "obb", "kdop14", "kdop18", "kdop26", "rss"];
    let choices = volumes.iter().flat_map(|volume| [2, 4, 8].map(|degree| json!({"volume": volume, "degree": degree})));
    let files = [json!({"tree": "good.tree"}), json!({"tree": "good.tree", "volume": "rss"}), json!({"degree": 4})];
    for choice in choices.chain(files) {
        let with = |op: &str| {
            let mut request = request(op);
            for (key, value) in choice.as_object().unwrap() {
                request[key] = value.clone();
            }
            shop.run_query(&request)
        };
        assert_eq!(with("pairs"), pairs, "{choice}");
        assert_eq!(with("overlap")["overlap"], true, "{choice}");
    }
    for (field, value, words) in [
        ("tree", json!("bad.tree"), "tree: bad.tree "),
        ("tree", json!("none.tree"), "tree: none.tree "),
        ("tree", json!(3), "tree: 3 "),
        ("volume", json!("cube"), "volume: \"cube\" is not one of aabb, aabb-slab, "),
        ("degree", json!(3), "degree: 3 is not 2, 4 or 8"),
    ] {
        let mut request = request("overlap");
        request[field] = value;
        let error = shop.run_query(&request)["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn a_tree_for_all_requests_changes_no_answer() {
    let shop = Workshop::new();
    shop.file("obb.tree", "volume = \"obb\"\ndegree = 4\n");
    shop.file("bad.tree", "volume = \"obb\"\n\ndegree = 3.5\n");
    let torus = json!({"type": "supertoroid", "r0": 2, "r1": 1, "n1": 1, "n2": 1, "segments": 24});
    let pose = json!({"translation": [0.5, 0.25, 1.5], "rotation": [0.6, 0.0, 0.0, 0.8]});
    let away = json!({"translation": [9, 8, 7]});
    let ball = json!({"type": "sphere", "radius": 1.5});
    let hull = json!({"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]});
    let mut requests = vec![
        json!({"op": "pairs", "a": torus, "b": torus, "pose_b": pose}),
        json!({"op": "pairs", "a": torus, "b": torus, "pose_b": pose, "volume": "kdop18"}),
        json!({"op": "overlap", "a": torus, "b": torus, "pose_b": away}),
        json!({"op": "distance", "a": torus, "b": torus, "pose_b": away}),
        json!({"op": "contact", "a": torus, "b": torus, "pose_b": away, "margin": 20}),
        json!({"op": "cast", "a": torus, "b": torus, "pose_b": away, "velocity_a": [9, 8, 7], "max_time": 2}),
    ];
    // Other shapes have no tree, and none is asked of them.
    for other in [ball, hull] {
        requests.push(json!({"op": "overlap", "a": torus, "b": other}));
        requests.push(json!({"op": "distance", "a": other, "b": torus, "pose_b": away}));
    }
    let input = requests.iter().map(|request| format!("{request}\n")).collect::<String>();
    let work = |arguments: &[&str]| {
        let run = shop.feed(arguments, &input);
        assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
        let lines = run.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let (mut answers, mut works) = (Vec::new(), Vec::new());
        for mut line in lines {
            works.push(line["work"].take());
            line.as_object_mut().unwrap().retain(|key, _| key != "work" && key != "micros");
            answers.push(line);
        }
        (answers, works)
    };
    let (answers, own) = work(&["query", "--stats"]);
    let (through, chosen) = work(&["query", "--stats", "--tree", "obb.tree"]);
    assert_eq!(through, answers);
    assert_ne!(chosen[0], own[0], "the tree is walked");
    assert_ne!(chosen[0], chosen[1], "what a request names itself wins");
    for (file, words) in [("bad.tree", "line 3: "), ("none.tree", "none.tree")] {
        // (Nothing is fed: it may end before it reads.)
        let run = shop.run(&["query", "--tree", file]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{}", run.err);
        assert!(run.err.contains(words) && run.err.contains(file), "{}", run.err);
    }
}
