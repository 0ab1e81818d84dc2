//! `heurt map`: counts of cells, levels, paths and lists; the files that it writes; and its errors.

use crate::support::{CUBE, Workshop, png_size};
use serde_json::{Value, json};

fn workshop() -> Workshop {
    let shop = Workshop::new();
    for arguments in [&["4", "3", "--vtu", "flat.vtu"][..], &["4", "3", "2", "--cell", "0.5", "--vtu", "solid.vtu"]] {
        let run = shop.run(&[&["map", "grid"], arguments].concat());
        assert_eq!(run.code, Some(0), "{}", run.err);
    }
    shop
}

/// Runs with JSON, and returns the report.
fn report(shop: &Workshop, arguments: &[&str], code: i32) -> Value {
    let run = shop.run(&[&["map"], arguments, &["--json"]].concat());
    assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.err);
    run.json()
}

#[test]
fn grids_come_back_from_their_files() {
    let shop = workshop();
    for (file, counts, border) in [("flat.vtu", [20, 31, 12, 0], 14), ("solid.vtu", [60, 133, 98, 24], 52)] {
        let found = report(&shop, &["inspect", file], 0);
        let summary = &found["summary"];
        let cells = ["vertices", "edges", "faces", "volumes"].map(|name| summary[name].as_u64().unwrap());
        assert_eq!((cells, &summary["euler"], &summary["border"]), (counts, &json!(1), &json!(border)), "{found}");
        assert_eq!((&summary["components"], &summary["border_pieces"]), (&json!(1), &json!(1)));
        assert_eq!((&summary["untrusted"], &summary["faults"]), (&json!(0), &json!(0)));
    }
    let solid = report(&shop, &["inspect", "solid.vtu"], 0);
    assert_eq!(solid["shapes"], json!([{"shape": "hexahedron", "count": 24}]));
    assert_eq!((&solid["summary"]["total"], &solid["summary"]["tracking"]), (&json!(3.0), &json!("convex")));
    let table = shop.run(&["map", "grid", "4", "3"]);
    assert!(table.out.contains("20 vertices · 31 edges · 12 faces") && table.out.contains("2-map"), "{}", table.out);
}

#[test]
fn surfaces_are_two_maps() {
    let shop = Workshop::new();
    shop.make(&["torus", "--triangles", "600", "-o", "torus.stl"]);
    let torus = &report(&shop, &["inspect", "torus.stl"], 0)["summary"];
    assert_eq!((&torus["euler"], &torus["border"], &torus["tracking"]), (&json!(0), &json!(0), &json!("surface")));
    shop.file("cube.obj", CUBE);
    let cube = report(&shop, &["inspect", "cube.obj"], 0);
    assert_eq!(cube["shapes"], json!([{"shape": "quadrilateral", "count": 6}]));
    assert_eq!((&cube["summary"]["euler"], &cube["summary"]["total"]), (&json!(2), &json!(6.0)));
}

#[test]
fn cells_that_tracking_cannot_trust_are_found() {
    let shop = Workshop::new();
    // A concave quadrilateral next to a square.
    shop.file("dent.obj", "v 0 0 0\nv 2 0 0\nv 0.4 0.4 0\nv 0 2 0\nv 2 -2 0\nv 0 -2 0\nf 1 2 3 4\nf 1 6 5 2\n");
    let found = report(&shop, &["inspect", "dent.obj", "--vtu", "dent.vtu"], 1);
    assert_eq!(found["untrusted"], json!([{"message": "face 0 is not convex at dart 1"}]));
    let table = shop.run(&["map", "inspect", "dent.obj"]);
    assert!(table.out.contains("1 cell cannot be trusted"), "{}", table.out);
}

#[test]
fn refinement_reports_levels_and_hanging_vertices() {
    let shop = workshop();
    let all = report(&shop, &["refine", "flat.vtu", "--levels", "2", "--vtu", "all.vtu"], 0);
    assert_eq!(all["levels"], json!([{"level": 0, "cells": 0}, {"level": 1, "cells": 0}, {"level": 2, "cells": 192}]));
    assert_eq!(report(&shop, &["inspect", "all.vtu"], 0)["summary"]["faces"], 192);
    let part = ["refine", "solid.vtu", "--levels", "1", "--at", "0,0,0", "--radius", "0.1", "--vtu", "part.vtu"];
    let part = report(&shop, &part, 0);
    assert_eq!(part["levels"], json!([{"level": 0, "cells": 23}, {"level": 1, "cells": 8}]));
    // On three faces a middle, on the edges of these faces that coarse cells share nine middles.
    assert_eq!((&part["summary"]["hanging"], &part["summary"]["euler"]), (&json!(12), &json!(1)));
    let read = report(&shop, &["inspect", "part.vtu"], 0);
    // Three cells share a face with the fine ones, three more an edge.
    let shape = |shape: &str, count: u32| json!({"shape": shape, "count": count});
    let expected = [shape("hexahedron", 25), shape("polyhedron of 6 faces", 3), shape("polyhedron of 9 faces", 3)];
    assert_eq!(read["shapes"], json!(expected));
    let bytes = std::fs::read(shop.path().join("part.vtu")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("Name=\"level\"") && text.contains("Name=\"faceoffsets\""));
}

#[test]
fn paths_list_their_cells_and_their_walls() {
    let shop = workshop();
    let path = report(&shop, &["track", "flat.vtu", "--from", "0.5,0.5", "--to", "3.5,2.25"], 0);
    assert_eq!(path["cells"], json!([0, 1, 5, 6, 7, 11]));
    let path = report(&shop, &["track", "solid.vtu", "--from", "0.25,0.25,0.25", "--to", "0.25,9,0.25"], 1);
    assert_eq!((&path["cells"], &path["summary"]["wall"]), (&json!([0, 4, 8]), &json!("border")));
    assert_eq!(path["summary"]["reached"], json!([0.25, 1.5, 0.25]));
    let walled =
        ["track", "flat.vtu", "--from", "0.5,0.5", "--to", "2.5,0.5", "--obstacle", "1-6", "--vtu", "path.vtu"];
    let walled = report(&shop, &walled, 1);
    assert_eq!((&walled["cells"], &walled["summary"]["wall"]), (&json!([0]), &json!("obstacle")));
    assert_eq!(walled["summary"]["wall_vertices"], json!([1, 6]));
    assert_eq!(walled["summary"]["reached"], json!([1.0, 0.5, 0.0]));
}

#[test]
fn points_are_listed_by_cells_and_radius() {
    let shop = workshop();
    shop.file("people.csv", "x,y\n0.5,0.5\n0.75,0.5\n1.5,0.5\n3.5,2.5\n9,9\n");
    let near = ["near", "flat.vtu", "--points", "people.csv", "--radius", "0.8", "--vtu", "near.vtu"];
    let near = report(&shop, &near, 1);
    let first = &near["places"][0];
    assert_eq!((&first["present"], &first["neighbours"]), (&json!([1]), &json!([2])));
    assert_eq!(first["within"], json!([{"point": 1, "distance": 0.25}]));
    assert_eq!((&near["outside"][0]["point"], &near["summary"]["occupied"]), (&json!(4), &json!(3)));
    let at = ["near", "flat.vtu", "--points", "people.csv", "--at", "1.5,1.5", "--radius", "1.1"];
    let at = report(&shop, &at, 1);
    assert_eq!((&at["places"][0]["cell"], &at["places"][0]["neighbours"]), (&json!(5), &json!([0, 1, 2])));
    let two = report(&shop, &["near", "solid.vtu", "--at", "0.1,0.1,0.1", "--at", "0.1,0.1,0.9"], 0);
    assert_eq!((&two["places"][0]["neighbours"], &two["places"][0]["present"]), (&json!([1]), &json!([])));
}

#[test]
fn the_neighbour_grid_states_what_it_misses() {
    let shop = workshop();
    let mut cloud = String::new();
    let mut seed = 1_u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 24)
    };
    for _ in 0..200 {
        cloud += &format!("{} {}\n", 4.0 * next(), 3.0 * next());
    }
    shop.file("cloud.txt", cloud);
    let near = ["near", "flat.vtu", "--points", "cloud.txt", "--radius", "0.3", "--method", "neighbour-grid"];
    let near = report(&shop, &near, 0);
    let passes = near["neighbour_grid"].as_array().unwrap();
    let within: usize =
        near["places"].as_array().unwrap().iter().map(|place| place["within"].as_array().unwrap().len()).sum();
    assert_eq!(passes[0]["pairs"], within, "the same true neighbours");
    let share = |at: usize| passes[at]["share"].as_f64().unwrap();
    assert!(share(0) > 0.8 && share(passes.len() - 1) < 0.4, "{passes:?}");
    let run = shop.run(&["map", "near", "flat.vtu", "--at", "1,1", "--method", "neighbour-grid"]);
    assert!(run.code == Some(2) && run.err.contains("--radius"), "{}", run.err);
}

#[test]
fn pictures_are_png_files() {
    let shop = workshop();
    let size = ["--picture", "map.png", "--picture-size", "320x200", "-q"];
    for arguments in [
        &["inspect", "solid.vtu"][..],
        &["grid", "3", "2"],
        &["refine", "solid.vtu", "--levels", "1", "--at", "0,0,0", "--radius", "0.1"],
        &["track", "solid.vtu", "--from", "0.1,0.1,0.1", "--to", "1.9,1.4,0.9"],
        &["near", "flat.vtu", "--at", "0.5,0.5", "--radius", "1"],
    ] {
        let run = shop.run(&[&["map"], arguments, &size].concat());
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{arguments:?}: {}", run.err);
        assert_eq!(png_size(&shop.path().join("map.png")), (320, 200));
        std::fs::remove_file(shop.path().join("map.png")).unwrap();
    }
}

#[test]
fn bad_input_is_told_with_its_remedy() {
    let shop = workshop();
    shop.file("fan.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n");
    shop.file("bad.csv", "0.5,0.5\n1,x\n");
    shop.file("none.csv", "# nothing\n");
    for (arguments, words) in [
        (&["inspect", "fan.obj"][..], "3 faces share the edge [0, 1]"),
        (&["inspect", "gone.vtu"], "cannot read gone.vtu"),
        (&["grid", "0", "3"], "at least 1"),
        (&["grid", "9000", "9000"], "more than 2000000"),
        (&["grid", "2", "2", "--cell", "-1"], "give a finite length above 0"),
        (&["refine", "flat.vtu", "--levels", "12"], "refine fewer levels"),
        (&["refine", "flat.vtu", "--levels", "1", "--at", "0,0"], "--radius"),
        (&["refine", "flat.vtu", "--levels", "1", "--at", "0,0", "--radius", "nan"], "the radius is NaN"),
        (&["track", "flat.vtu", "--from", "-1,0", "--to", "1,1"], "outside the map, 1 from its border"),
        (&["track", "solid.vtu", "--from", "0,0", "--to", "1,1,1"], "give three coordinates, as --from 0,0,0"),
        (
            &["track", "flat.vtu", "--from", "0,0", "--to", "1,1", "--obstacle", "0-99"],
            "no edge has the vertices [0, 99]",
        ),
        (&["track", "flat.vtu", "--from", "0,0", "--to", "one"], "give two or three finite numbers"),
        (&["near", "flat.vtu", "--points", "bad.csv"], "bad.csv, line 2: `1,x` is no point of this map"),
        (&["near", "flat.vtu", "--points", "none.csv"], "give one point a line"),
        (&["near", "flat.vtu"], "--points"),
        (&["inspect", "flat.vtu", "--vtu", "flat.vtu"], "flat.vtu"),
        (&["inspect", "flat.vtu", "--vtu", "flat.xyz"], "end the name with .vtu"),
        (&["inspect", "flat.vtu", "--picture", "flat.jpg"], "end the name with .png"),
    ] {
        let run = shop.run(&[&["map"], arguments].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.out);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    }
}

/// A room of 6 m × 6 m with a pillar of 2 m × 2 m, and a stair of two floors.
fn plans() -> Workshop {
    let shop = Workshop::new();
    shop.file("room.wkt", "POLYGON ((0 0, 6 0, 6 6, 0 6, 0 0), (2 2, 2 4, 4 4, 4 2, 2 2))");
    shop.file(
        "stair.wkt",
        "GEOMETRYCOLLECTION (POLYGON Z ((0 0 0, 8 0 0, 8 4 0, 0 4 0, 0 0 0)), \
         POLYGON Z ((8 1 0, 12 1 3, 12 3 3, 8 3 0, 8 1 0)))",
    );
    let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="4m" height="3m" viewBox="0 0 4 3">"#;
    shop.file("room.svg", format!(r#"{svg}<rect class="walk" x="0" y="0" width="4" height="3"/></svg>"#));
    shop
}

#[test]
fn plans_are_maps_of_triangles() {
    let shop = plans();
    let room = &report(&shop, &["inspect", "room.wkt", "--vtu", "room.vtu", "--picture", "room.png"], 0)["summary"];
    assert_eq!((&room["total"], &room["euler"], &room["border_pieces"]), (&json!(32.0), &json!(0), &json!(2)));
    assert_eq!((&room["tracking"], &room["unit"], &room["untrusted"]), (&json!("plane"), &json!("m"), &json!(0)));
    assert_eq!(report(&shop, &["inspect", "room.vtu"], 0)["summary"]["total"], 32.0, "the cells come back");
    let path = report(&shop, &["track", "room.wkt", "--from", "1,3", "--to", "5,3"], 1);
    assert_eq!((&path["summary"]["wall"], &path["summary"]["reached"][0]), (&json!("border"), &json!(2.0)));
    let near = report(&shop, &["near", "room.wkt", "--at", "1,1", "--at", "1.5,1", "--radius", "1"], 0);
    assert_eq!(near["places"][0]["within"], json!([{"point": 1, "distance": 0.5}]));
    let fine = &report(&shop, &["refine", "room.wkt", "--levels", "1"], 0)["summary"];
    assert_eq!(fine["cells"], json!(32), "{fine}");
    // The stair is 5 m long, and is joined to a part of the edge of its landing.
    let stair = &report(&shop, &["inspect", "stair.wkt"], 0)["summary"];
    assert_eq!(
        (&stair["components"], &stair["tracking"], &stair["total"]),
        (&json!(1), &json!("surface"), &json!(42.0))
    );
    let up = report(&shop, &["track", "stair.wkt", "--from", "4,2,0", "--to", "12.5,2,0"], 0);
    assert!((up["summary"]["reached"][2].as_f64().unwrap() - 2.7).abs() < 1e-9, "{up}");
    assert_eq!(report(&shop, &["inspect", "room.svg"], 0)["summary"]["total"], 12.0);
    shop.file("bow.wkt", "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))");
    shop.file("line.wkt", "LINESTRING (0 0, 2 2)");
    shop.file("streets.osm", "<osm></osm>");
    for (file, words) in [("bow.wkt", "(1, 1)"), ("line.wkt", "polygon"), ("streets.osm", "the plan is no map")] {
        let run = shop.run(&["map", "inspect", file]);
        assert_eq!(run.code, Some(2), "{file}: {}", run.out);
        assert!(run.err.contains(words) && run.err.contains(file), "{file}: {}", run.err);
    }
}

#[test]
fn obstacles_in_volumes_are_meshes() {
    let shop = workshop();
    shop.file("plate.obj", "v 0.1 0.1 0.25\nv 0.9 0.1 0.25\nv 0.1 0.4 0.25\nf 1 2 3\n");
    let arguments = ["near", "solid.vtu", "--at", "0.2,0.2,0.35", "--at", "1.9,1.4,0.9", "--radius", "0.2"];
    let arguments =
        [&arguments[..], &["--obstacles", "plate.obj", "--vtu", "near.vtu", "--picture", "near.png"]].concat();
    let near = report(&shop, &arguments, 0);
    let first = &near["places"][0];
    assert_eq!(first["obstacles"], json!([0]));
    assert!((first["obstacles_within"][0]["distance"].as_f64().unwrap() - 0.1).abs() < 1e-12, "{first}");
    assert_eq!((&near["places"][1]["obstacles"], &near["summary"]["obstacles"]), (&json!([]), &json!(1)));
    let bytes = std::fs::read(shop.path().join("near.vtu")).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("obstacles"));
    let table = shop.run(&[&["map"], &arguments[..10]].concat());
    assert!(table.out.contains("1 obstacle in 2 cells, 0 outside"), "{}", table.out);
    shop.file("long.obj", "v 0.1 0.1 0.25\nv 9 0.1 0.25\nv 0.1 0.4 0.25\nf 1 2 3\n");
    let outside = report(&shop, &["near", "solid.vtu", "--at", "0.2,0.2,0.35", "--obstacles", "long.obj"], 1);
    assert_eq!(outside["obstacles_outside"], json!([0]));
}

#[test]
fn requests_search_maps_of_files() {
    let shop = plans();
    let lines = [
        json!({"op": "map", "name": "room", "path": "room.wkt"}),
        json!({"op": "locate", "map": "room", "point": [3, 2.5]}),
        json!({"op": "move", "map": "room", "from": [1, 3], "to": [5, 3]}),
        json!({"op": "locate", "map": "hall", "point": [3, 2.5]}),
        json!({"op": "near", "map": "room", "points": [[1, 1], [1.5, 1]], "radius": 1}),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let runs = ["1", "2"].map(|threads| shop.feed(&["query", "--threads", threads], input.clone()));
    assert_eq!((runs[0].code, &runs[0].out), (Some(1), &runs[1].out));
    let answers = runs[0].lines();
    let oks: Vec<bool> = answers.iter().map(|answer| answer["ok"] == true).collect();
    assert_eq!(oks, [true, true, true, false, true], "{}", runs[0].out);
    assert_eq!((&answers[1]["cell"], &answers[1]["distance"]), (&Value::Null, &json!(0.5)));
    assert_eq!((&answers[2]["wall"], &answers[2]["reached"]), (&json!("border"), &json!([2.0, 3.0, 0.0])));
    assert_eq!(answers[4]["places"][0]["within"], json!([{"point": 1, "distance": 0.5}]));
}
