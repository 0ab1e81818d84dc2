//! `heurt decompose`: a file of convex pieces, a table, JSON; and what it says to bad input.

use crate::support::{CUBE, Workshop};

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.make(&["torus", "--triangles", "600", "-o", "torus.stl"]);
    shop.file("cube.obj", CUBE);
    shop
}

#[test]
fn pieces_are_named_parts_that_are_convex() {
    let shop = workshop();
    let run = shop.run(&["decompose", "torus.stl", "-o", "pieces.ply", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let report = run.json();
    let mesh = &report["meshes"][0];
    let pieces = mesh["pieces"].as_array().unwrap();
    assert!(pieces.len() > 4 && mesh["within_tolerance"] == true && mesh["name"] == "torus", "{mesh}");
    assert!(mesh["concavity"].as_f64().unwrap() <= mesh["tolerance"].as_f64().unwrap());
    assert!(pieces.iter().all(|piece| piece["concavity"].as_f64() <= mesh["concavity"].as_f64()));
    assert!((1.0..1.3).contains(&mesh["volume_ratio"].as_f64().unwrap()), "{mesh}");

    assert_eq!(shop.run(&["decompose", "torus.stl", "-o", "pieces.glb", "--quiet"]).code, Some(0));
    let inspected = shop.run(&["inspect", "pieces.glb", "--json"]).json();
    let names: Vec<&str> =
        inspected["meshes"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), pieces.len());
    assert_eq!(names[..2], ["torus piece 1", "torus piece 2"]);
    assert!(inspected["meshes"].as_array().unwrap().iter().all(|mesh| mesh["closed"] == true));
}

#[test]
fn a_convex_mesh_is_one_piece_and_instances_share_their_pieces() {
    let shop = workshop();
    let run = shop.run(&["decompose", "cube.obj", "-o", "-"]);
    assert_eq!((run.code, run.out.matches("\nf ").count()), (Some(0), 12), "{}", run.out);
    shop.make(&["demo", "-o", "demo.glb"]);
    let table = shop.run(&["decompose", "demo.glb", "--tolerance", "0.1", "-o", "pieces.glb"]);
    assert_eq!(table.code, Some(0), "{}", table.err);
    assert!(table.out.contains("base plate") && table.out.contains("cover 14 meshes"), "{}", table.out);
    // 26 parts over 14 meshes: instances have the same pieces.
    let pieces = shop.run(&["inspect", "pieces.glb", "--json"]).json()["meshes"].as_array().unwrap().len();
    let json = shop.run(&["decompose", "demo.glb", "--tolerance", "0.1", "--json", "--threads", "1"]);
    assert_eq!(json.json()["summary"]["pieces"], pieces);
    assert_eq!(json.out, shop.run(&["decompose", "demo.glb", "--tolerance", "0.1", "--json", "--threads", "2"]).out);
}

#[test]
fn too_few_pieces_are_told() {
    let shop = workshop();
    let run = shop.run(&["decompose", "torus.stl", "--max-pieces", "2"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("2 pieces cover 1 mesh, 1 not within the tolerance"), "{}", run.out);
}

#[test]
fn bad_input_is_told_with_its_remedy() {
    let shop = workshop();
    shop.file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    shop.file("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n");
    for (arguments, words) in [
        (&["decompose", "open.obj", "-o", "out.glb"][..], "the mesh is open: 3 edges lack a triangle on one side"),
        (&["decompose", "flat.obj"], "give it a thickness"),
        (&["decompose", "gone.obj"], "cannot read gone.obj"),
        (&["decompose", "cube.obj", "-o", "out.xyz"], "no format has the extension `xyz`"),
        (&["decompose", "cube.obj", "--tolerance", "-1"], "the tolerance is -1"),
        (&["decompose", "cube.obj", "--tolerance", "nan"], "the tolerance is NaN"),
        (&["decompose", "cube.obj", "--max-pieces", "0"], "give at least 1"),
        (&["decompose"], "MESH"),
    ] {
        let run = shop.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
        assert!(!shop.path().join("out.glb").exists());
    }
    let json = shop.run(&["decompose", "open.obj", "--json"]).json();
    assert_eq!((&json["summary"]["meshes"], &json["summary"]["failures"]), (&0.into(), &1.into()));
}
