//! `heurt run --problem` and `--solve`: the problem of a step written, solved, and judged; hostile files.

use crate::support::Workshop;
use serde_json::Value;
use std::fs;

const SCENE: &str = "[world]\nresponse = \"impulse-lcp\"\n[[body]]\nname = \"floor\"\nkind = \"static\"\n\
                     shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n[[body]]\nname = \"box\"\n\
                     mass = 2\nshape = { type = \"box\", half = [0.5, 0.5, 0.5] }\npose = [0, 0, 0.5]\n\
                     linear_velocity = [1, 0, 0]\n";

fn json(shop: &Workshop, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(shop.path().join(name)).expect("written")).expect("JSON")
}

#[test]
fn a_step_is_written_and_solved_again() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    let run = shop.run(&["run", "s.toml", "--steps", "3", "--problem", "p.json", "--trace", "t.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("contact problem (step), as it was solved in the last step: 2 bodies, 4 contacts"));
    let solve = shop.run(&["run", "--solve", "p.json", "--report", "r.json"]);
    assert_eq!(solve.code, Some(0), "{}", solve.err);
    assert!(solve.out.contains("floor – box") && solve.out.contains("kinetic energy"), "{}", solve.out);
    let report = json(&shop, "r.json");
    assert!(report["residual"].as_f64().is_some_and(|residual| residual <= 1e-10), "{report}");
    let trace = fs::read_to_string(shop.path().join("t.jsonl")).expect("written");
    let last: Value = serde_json::from_str(trace.lines().last().expect("a line")).expect("JSON");
    // One piece and one island: the same bits.
    let body = &last["bodies"][1];
    assert_eq!(body["name"], "box");
    let [due, got] = [&body["linear_velocity"][0], &report["bodies"][1]["velocity"][0]];
    assert!((due.as_f64().expect("a number") - got.as_f64().expect("a number")).abs() < 1e-12, "{due} {got}");
    let [due, got] = [&last["contacts"], &report["contacts"]].map(|list| list.as_array().expect("a list").iter());
    for (due, got) in due.zip(got) {
        assert_eq!(due["impulse"], got["normal_impulse"]);
    }
    // The file survives a round trip by another reader.
    let value = json(&shop, "p.json");
    shop.file("again.json", value.to_string());
    let again = shop.run(&["run", "--solve", "again.json", "--report", "r2.json", "-q"]);
    assert_eq!((again.code, again.out.as_str()), (Some(0), ""));
    let other = json(&shop, "r2.json");
    assert_eq!((&report["bodies"], &report["contacts"]), (&other["bodies"], &other["contacts"]));
}

#[test]
fn solvers_are_chosen_by_name() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    assert_eq!(shop.run(&["run", "s.toml", "--steps", "1", "--problem", "p.json", "-q"]).code, Some(0));
    // A step has no order of impacts.
    let solvers =
        [("impulse-lcp", 0, "impulse-lcp"), ("sequential-impacts", 0, "impulse-lcp"), ("penalty", 1, "penalty")];
    for (solver, code, name) in solvers {
        let run = shop.run(&["run", "--solve", "p.json", "--solver", solver]);
        assert_eq!(run.code, Some(code), "{solver}: {}", run.err);
        assert!(run.out.contains(&format!("by {name} (")), "{}", run.out);
    }
    let run = shop.run(&["run", "s.toml", "--steps", "1", "--solver", "penalty"]);
    assert!(run.code == Some(2) && run.err.contains("--solver"), "a scene has its own solver: {}", run.err);
    let run = shop.run(&["run", "--solve", "p.json", "--solver", "magic"]);
    assert!(run.code == Some(2) && run.err.contains("impulse-lcp, sequential-impacts, penalty"), "{}", run.err);
    for more in [&["s.toml"][..], &["--steps", "3"], &["--problem", "q.json"], &["--trace", "t.jsonl"]] {
        let run = shop.run(&[&["run", "--solve", "p.json"], more].concat());
        assert_eq!(run.code, Some(2), "{more:?}");
    }
    let run = shop.run(&["run", "--solve", "p.json", "--report", "p.json"]);
    assert!(run.code == Some(2) && run.err.contains("p.json"), "a file is not written over: {}", run.err);
}

#[test]
fn other_responses_write_the_problem_of_their_contacts() {
    let shop = Workshop::new();
    for response in ["soft-step", "none"] {
        shop.file("s.toml", SCENE.replace("impulse-lcp", response));
        let run = shop.run(&["run", "s.toml", "--steps", "1", "--problem", "p.json"]);
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert!(run.out.contains("of the contacts and joints after the last step: 2 bodies"), "{}", run.out);
        assert_eq!(shop.run(&["run", "--solve", "p.json", "-q"]).code, Some(0), "{response}");
    }
}

#[test]
fn hostile_files_name_the_key_and_never_panic() {
    let shop = Workshop::new();
    shop.file("s.toml", SCENE);
    assert_eq!(shop.run(&["run", "s.toml", "--steps", "1", "--problem", "p.json", "-q"]).code, Some(0));
    let text = fs::read_to_string(shop.path().join("p.json")).expect("written");
    let half = text[..text.len() / 2].to_owned();
    for (bad, part) in [
        (String::new(), "no JSON"),
        (half, "no JSON"),
        (text.replace("\"gap\":", "\"gap\":NaN,\"x\":"), "no JSON"),
        (text.replace("\"inverse_mass\":0.5", "\"inverse_mass\":-0.5"), "bodies[1].inverse_mass"),
        (text.replace("\"bodies\":[0,1]", "\"bodies\":[0,7]"), "contacts[0].bodies"),
        (text.replace("\"dt\":", "\"dt\":-"), "dt"),
        (text.replace("\"level\":\"step\"", "\"level\":5"), "level"),
        ("{\"level\":\"impact\"}".to_owned(), "bodies: missing"),
    ] {
        assert_ne!(bad, text, "{part}");
        shop.file("bad.json", &bad);
        let run = shop.run(&["run", "--solve", "bad.json"]);
        assert_eq!(run.code, Some(2), "{part}: {}", run.out);
        assert!(run.err.contains(part) && run.err.contains("bad.json"), "{part}: {}", run.err);
    }
    let run = shop.run(&["run", "--solve", "missing.json"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
}
