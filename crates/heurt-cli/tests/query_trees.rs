//! `heurt query` through trees of every kind: `volume`, `degree`, `tree`.

mod support;

use serde_json::json;
use support::Workshop;

#[test]
fn every_tree_gives_the_same_answers() {
    let shop = Workshop::new();
    shop.file("good.tree", "# any comment\nvolume = \"kdop18\"\ndegree = 4\nbuilder = \"clusters\"\nleaf_size = 3\n");
    shop.file("bad.tree", "volume = \"cube\"\n");
    let pose = json!({"translation": [0.5, 0.25, 1.5], "rotation": [0.6, 0.0, 0.0, 0.8]});
    let torus = json!({"type": "supertoroid", "r0": 2, "r1": 1, "n1": 1, "n2": 1, "segments": 24});
    let request = |op: &str| json!({"op": op, "a": torus, "b": torus, "pose_b": pose});
    let (pairs, overlap) = (shop.ask(&request("pairs")), shop.ask(&request("overlap")));
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
            shop.ask(&request)
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
        let error = shop.ask(&request)["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.starts_with(words), "{error}");
    }
}
