//! `heurt simplify`: fewer triangles with a bound, as a file, a table and JSON; and its messages for bad input.

use crate::support::{CUBE, Workshop};

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.make(&["torus", "--triangles", "2000", "-o", "torus.ply"]);
    shop.make(&["box", "--half", "1,1,1", "--subdivide", "3", "-o", "fine.obj"]);
    shop.file("cube.obj", CUBE);
    shop
}

#[test]
fn a_torus_gets_fewer_triangles_within_a_deviation() {
    let shop = workshop();
    let run = shop.run(&["simplify", "torus.ply", "-o", "few.obj", "--deviation", "0.05", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let mesh = &run.json()["meshes"][0];
    let [before, after] = ["triangles_before", "triangles_after"].map(|key| mesh[key].as_u64().unwrap());
    assert!(after < before / 2, "{mesh}");
    assert!(mesh["deviation_bound"].as_f64().unwrap() <= 0.05, "{mesh}");
    let inspected = shop.run(&["inspect", "few.obj", "--json", "--strict"]);
    assert_eq!(inspected.code, Some(0), "{}", inspected.out);
    assert_eq!(
        (&inspected.json()["meshes"][0]["triangles"], &inspected.json()["meshes"][0]["genus"]),
        (&after.into(), &1.into())
    );
    assert_eq!(run.out, shop.run(&["simplify", "torus.ply", "--deviation", "0.05", "--json", "--threads", "1"]).out);
}

#[test]
fn a_fine_box_at_no_deviation_is_a_box_of_twelve() {
    let shop = workshop();
    let run = shop.run(&["simplify", "fine.obj", "-o", "box.obj", "--deviation", "0"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("768") && run.out.contains("12"), "{}", run.out);
    let inspected = shop.run(&["inspect", "box.obj", "--json"]).json();
    assert_eq!((&inspected["meshes"][0]["triangles"], &inspected["meshes"][0]["volume"]), (&12.into(), &8.0.into()));
}

#[test]
fn a_number_that_is_not_reached_is_status_1() {
    let shop = workshop();
    let run = shop.run(&["simplify", "cube.obj", "--triangles", "2"]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert_eq!(shop.run(&["simplify", "torus.ply", "--triangles", "500", "-q"]).code, Some(0));
}

#[test]
fn bad_input_is_reported_with_its_remedy() {
    let shop = workshop();
    for (arguments, words) in [
        (&["simplify", "gone.obj", "--triangles", "9"][..], "cannot read gone.obj"),
        (&["simplify", "cube.obj"], "--triangles"),
        (&["simplify", "cube.obj", "--deviation", "-1"], "the deviation is -1: give a length of at least 0"),
        (&["simplify", "cube.obj", "--deviation", "nan"], "`nan` is no length: give a finite number"),
        (&["simplify", "cube.obj", "--triangles", "-5"], "-5"),
        (&["simplify", "cube.obj", "--triangles", "9", "-o", "cube.obj"], "written over an input"),
        (&["simplify", "cube.obj", "--triangles", "9", "-o", "out.xyz"], "no format has the extension `xyz`"),
    ] {
        let run = shop.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.out);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    }
}
