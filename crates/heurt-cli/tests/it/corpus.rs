//! Failures that users reported of other libraries (`crates/heurt-query/tests/corpus`), asked of `heurt query`.

use crate::support::Workshop;
use serde_json::Value;

/// What one file expects of an answer; says what is wrong with it.
type Check = fn(expect: &Value, answer: &Value) -> Option<String>;

/// How an answer differs from a number of the expectation by more than its tolerance.
fn off(expect: &Value, answer: &Value, field: &str) -> Option<String> {
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap_or(f64::NAN);
    let (wanted, found) = (number(expect, field), number(answer, field));
    let is_near = (wanted - found).abs() <= number(expect, "tolerance");
    (!is_near).then(|| format!("{field} {found:e}, expected {wanted:e}"))
}

fn normal(expect: &Value, answer: &Value) -> Option<String> {
    let coordinates = |of: &Value| of["normal"].as_array().map(|list| list.iter().filter_map(Value::as_f64).collect());
    let wanted: Vec<f64> = coordinates(expect)?;
    let found: Vec<f64> = coordinates(answer).unwrap_or_default();
    let is_near = found.len() == 3 && wanted.iter().zip(&found).all(|(x, y)| (x - y).abs() <= 1e-6);
    (!is_near).then(|| format!("normal {found:?}, expected {wanted:?}"))
}

fn check(name: &str, wrong: Check) {
    let path = format!("{}/../heurt-query/tests/corpus/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the corpus is there");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let requests: String = lines.iter().map(|line| format!("{}\n", line["request"])).collect();
    let answers = Workshop::new().feed(&["query"], requests).lines();
    assert_eq!(answers.len(), lines.len());
    let mut faults = Vec::new();
    for (line, answer) in lines.iter().zip(&answers) {
        let error = answer["error"].as_str().unwrap_or_default();
        let fault = if answer["ok"] == true { wrong(&line["expect"], answer) } else { Some(error.to_owned()) };
        faults.extend(fault.map(|fault| format!("{}: {fault} ({})", line["request"]["id"], line["about"])));
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), lines.len(), faults.join("\n"));
}

#[test]
fn distances() {
    let wrong: Check = |expect, answer| off(expect, answer, "distance").or_else(|| normal(expect, answer));
    check("distance", wrong);
}

#[test]
fn overlaps() {
    let wrong: Check = |expect, answer| (expect["overlap"] != answer["overlap"]).then(|| format!("{answer}"));
    check("overlap", wrong);
}

#[test]
fn contacts() {
    let wrong: Check = |expect, answer| off(expect, answer, "separation").or_else(|| normal(expect, answer));
    check("contact", wrong);
}

#[test]
fn casts() {
    let wrong: Check = |expect, answer| {
        let [wanted, tolerance] = [&expect["time"], &expect["tolerance"]].map(Value::as_f64);
        let [time, upper] = [&answer["time"], &answer["time_upper"]].map(Value::as_f64);
        let is_right = match (wanted, time, upper) {
            (None, None, None) => true,
            (Some(wanted), Some(time), Some(upper)) => {
                let room = tolerance.unwrap_or(0.0);
                time <= upper && time - room <= wanted && wanted <= upper + room
            }
            _ => false,
        };
        (!is_right).then(|| format!("from {time:?} to {upper:?} s, expected {wanted:?}"))
    };
    check("cast", wrong);
}
