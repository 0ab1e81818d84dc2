//! Reports against their published schemas: `heurt schema`.

use crate::support::Workshop;
use serde_json::Value;

/// The floor of the crowd.
const FLOOR: &str = "POLYGON ((0 0, 4 0, 4 2, 0 2, 0 0))";

/// Lists where a value is not as a schema has it, for the keywords that our schemas use; another keyword is an error.
fn check(value: &Value, schema: &Value, root: &Value, path: &str, faults: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else { return };
    let is_type = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    let inner = |value: &Value, schema: &Value, path: &str| {
        let mut found = Vec::new();
        check(value, schema, root, path, &mut found);
        found
    };
    for (keyword, rule) in schema {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "format" | "$defs" | "default" => {}
            "type" => {
                let names: Vec<&str> = match rule {
                    Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                    name => name.as_str().into_iter().collect(),
                };
                if !names.into_iter().any(is_type) {
                    faults.push(format!("{path}: {value} is no {rule}"));
                }
            }
            "$ref" => {
                let name = rule.as_str().and_then(|name| name.strip_prefix("#/$defs/")).expect("a definition");
                faults.extend(inner(value, &root["$defs"][name], path));
            }
            "anyOf" => {
                let any = rule.as_array().expect("a list").iter().any(|one| inner(value, one, path).is_empty());
                faults.extend((!any).then(|| format!("{path}: {value} is none of {rule}")));
            }
            "const" => faults.extend((value != rule).then(|| format!("{path}: {value} is not {rule}"))),
            "enum" => {
                let is_one = rule.as_array().expect("a list").contains(value);
                faults.extend((!is_one).then(|| format!("{path}: {value} is none of {rule}")));
            }
            "minimum" => {
                let is_below = value.as_f64().zip(rule.as_f64()).is_some_and(|(value, least)| value < least);
                faults.extend(is_below.then(|| format!("{path}: {value} is below {rule}")));
            }
            "minItems" | "maxItems" => {
                let (count, limit) = (value.as_array().map_or(0, Vec::len) as u64, rule.as_u64().expect("a number"));
                let is_off = value.is_array() && if keyword == "minItems" { count < limit } else { count > limit };
                faults.extend(is_off.then(|| format!("{path}: {count} items")));
            }
            "items" => {
                for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                    faults.extend(inner(item, rule, &format!("{path}/{at}")));
                }
            }
            "required" => {
                let names = rule.as_array().expect("a list").iter().filter_map(Value::as_str);
                let lacks = names.filter(|name| value.is_object() && value.get(name).is_none());
                faults.extend(lacks.map(|name| format!("{path}: no {name}")));
            }
            "properties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    match rule.get(name) {
                        Some(rule) => faults.extend(inner(value, rule, &format!("{path}/{name}"))),
                        None => faults.push(format!("{path}: {name} is not in the schema")),
                    }
                }
            }
            "additionalProperties" => {
                let named = schema.get("properties");
                for (name, value) in value.as_object().into_iter().flatten() {
                    if named.is_none_or(|named| named.get(name).is_none()) {
                        faults.extend(inner(value, rule, &format!("{path}/{name}")));
                    }
                }
            }
            other => panic!("the keyword {other} at {path}"),
        }
    }
}

#[test]
fn every_report_is_valid_against_its_schema() {
    let shop = Workshop::new();
    for (shape, pose, file) in [("box", "0,0,0", "a.stl"), ("box", "0.5,0.1,0", "b.stl"), ("sphere", "9,0,0", "c.ply")]
    {
        shop.make(&[shape, "--pose", pose, "-o", file]);
    }
    shop.file("open.obj", "v 0 0 0\nv 4 0 0\nv 4 0 4\nv 0 0 4\nf 1 2 3 4\n");
    shop.file("no.stl", "no mesh");
    shop.file("tree.json", "{\"union\":[{\"type\":\"sphere\",\"radius\":1},{\"type\":\"box\",\"half\":[1,1,1]}]}");
    shop.file(
        "scene.toml",
        "[world]\nseconds = 0.3\nresponse = \"auto\"\n[[body]]\nname = \"ball\"\nmass = 1.0\n\
         shape = { type = \"sphere\", radius = 0.1 }\npose = { translation = [0, 0, 0.15] }\n[[body]]\nname = \"floor\"\n\
         kind = \"static\"\nshape = { type = \"half_space\", normal = [0,0,1], offset = 0 }\n",
    );
    shop.file(
        "crowd.toml",
        "[world]\nseconds = 4\n[crowd]\nenvironment = \"POLYGON((0 0, 4 0, 4 2, 0 2, 0 0))\"\n[[agents]]\nname = \"a\"\n\
         places = [[0.5, 1]]\ngoals = [\"POLYGON((3 0, 4 0, 4 2, 3 2, 3 0))\"]\n",
    );
    shop.run(&["run", "crowd.toml", "--trajectories", "people.csv", "-q"]);
    let reports: [(&str, &[&str]); 21] = [
        ("check", &["check", "a.stl", "b.stl", "c.ply", "no.stl", "--json", "--clearance", "9", "--volumes"]),
        ("check", &["check", "a.stl", "b.stl", "open.obj", "--json", "--no-depth"]),
        ("check-motion", &["check", "a.stl", "c.ply", "--motion", "10,0,0", "--json"]),
        ("inspect", &["inspect", "a.stl", "open.obj", "no.stl", "--json", "--thickness", "ball"]),
        ("repair", &["repair", "open.obj", "-o", "r.stl", "--json", "--force"]),
        ("simplify", &["simplify", "c.ply", "-o", "s.ply", "--triangles", "100", "--json"]),
        ("hull", &["hull", "c.ply", "-o", "h.ply", "--json"]),
        ("decompose", &["decompose", "a.stl", "-o", "d.glb", "--json"]),
        ("solid", &["solid", "union", "a.stl", "b.stl", "-o", "u.stl", "--json"]),
        ("evaluate", &["solid", "evaluate", "tree.json", "-o", "e.stl", "--json"]),
        ("map-inspect", &["map", "inspect", "open.obj", "--json"]),
        ("map-inspect", &["map", "grid", "2", "2", "2", "--json"]),
        ("map-refine", &["map", "refine", "a.stl", "--levels", "1", "--json"]),
        ("map-track", &["map", "track", "open.obj", "--from", "1,0,1", "--to", "9,0,1", "--json"]),
        ("map-near", &["map", "near", "a.stl", "--at", "1,0,1", "--at", "0,1,0", "--radius", "1", "--json"]),
        ("run", &["run", "scene.toml", "--report", "run.json", "--problem", "p.json", "-q"]),
        ("run-crowd", &["run", "crowd.toml", "--report", "run.json", "-q"]),
        (
            "crowd-measure",
            &["crowd", "measure", "people.csv", "--plan", FLOOR, "--line", "LINESTRING (2 0, 2 2)", "--json"],
        ),
        ("run-solve", &["run", "--solve", "p.json", "--report", "run.json", "-q"]),
        ("tune", &["tune", "a.stl", "c.ply", "--json", "-o", "t.tree", "--poses", "4"]),
        ("bench-world", &["bench-world", "--json", "--counts", "20", "--steps", "2", "--budget", "1"]),
    ];
    for (name, arguments) in reports {
        let schema = shop.run(&["schema", name]).json();
        let run = shop.run(arguments);
        let report = match name {
            "run" | "run-crowd" | "run-solve" => {
                serde_json::from_str(&std::fs::read_to_string(shop.path().join("run.json")).unwrap()).unwrap()
            }
            _ => run.json(),
        };
        let mut faults = Vec::new();
        check(&report, &schema, &schema, "", &mut faults);
        assert!(faults.is_empty(), "{name}: {faults:#?}");
        assert!(schema["properties"].as_object().is_some_and(|properties| !properties.is_empty()), "{name}");
    }
}
