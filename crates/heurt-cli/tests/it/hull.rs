//! `heurt hull`: hulls of meshes, point clouds and assemblies; and its messages for what has none.

use crate::support::{CUBE, Workshop};

const CLOUD: &str = "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n\
    end_header\n0 0 0\n2 0 0\n0 3 0\n0 0 4\n0.1 0.1 0.1\n0 0 0\n";

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.file("cube.obj", CUBE);
    shop.file("cloud.ply", CLOUD);
    shop
}

#[test]
fn a_point_cloud_has_the_hull_of_its_extreme_points() {
    let shop = workshop();
    let run = shop.run(&["hull", "cloud.ply", "-o", "hull.obj", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let hull = &run.json()["hulls"][0];
    assert_eq!((&hull["points"], &hull["vertices"], &hull["triangles"]), (&6.into(), &4.into(), &4.into()));
    assert_eq!((&hull["volume"], &hull["name"]), (&4.0.into(), &"cloud".into()));
    let inspected = shop.run(&["inspect", "hull.obj", "--json", "--strict"]);
    assert_eq!((inspected.code, &inspected.json()["meshes"][0]["convex"]), (Some(0), &true.into()));
    let table = shop.run(&["hull", "cloud.ply"]);
    assert!(table.out.contains("cloud") && table.out.contains("4.00000"), "{}", table.out);
}

#[test]
fn a_mesh_and_an_assembly() {
    let shop = workshop();
    shop.make(&["torus", "--r0", "2", "--r1", "0.5", "-o", "torus.stl"]);
    let hull = &shop.run(&["hull", "torus.stl", "--json"]).json()["hulls"][0];
    assert!(hull["vertices"].as_u64() < hull["points"].as_u64(), "{hull}");
    shop.make(&["demo", "-o", "demo.glb"]);
    let run = shop.run(&["hull", "demo.glb", "-o", "hulls.glb", "--each", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let hulls = run.json()["hulls"].as_array().unwrap().clone();
    assert_eq!(hulls.len(), 14, "a hull for each mesh");
    let inspected = shop.run(&["inspect", "hulls.glb", "--json"]).json();
    assert_eq!(inspected["meshes"].as_array().unwrap().len(), 14);
    let parts = |file: &str| {
        let parts = shop.run(&["check", file, "--json"]).json()["parts"].as_array().unwrap().clone();
        parts.into_iter().map(|part| part["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(parts("hulls.glb"), parts("demo.glb"));
    let one = &shop.run(&["hull", "demo.glb", "--json", "--threads", "1"]).json()["hulls"];
    assert_eq!(one.as_array().unwrap().len(), 1);
    let sum: f64 = hulls.iter().map(|hull| hull["volume"].as_f64().unwrap()).sum();
    assert!(one[0]["volume"].as_f64().unwrap() > sum, "{one}");
}

#[test]
fn flat_and_bad_input_is_reported_with_its_remedy() {
    let shop = workshop();
    shop.file("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    shop.file("line.off", "OFF\n3 0 0\n0 0 0\n1 1 1\n2 2 2\n");
    shop.file("empty.obj", "# nothing\n");
    for (arguments, words) in [
        (&["hull", "flat.obj", "-o", "out.obj"][..], "the 3 points lie in one plane: give at least four points"),
        (&["hull", "line.off"], "the 3 points lie on one line"),
        (&["hull", "empty.obj"], "ends without a face"),
        (&["hull", "gone.obj"], "cannot read gone.obj"),
        (&["hull", "cube.obj", "-o", "cube.obj"], "written over an input"),
        (&["hull", "cube.obj", "-o", "out.xyz"], "no format has the extension `xyz`"),
        (&["hull"], "FILE"),
    ] {
        let run = shop.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.out);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
        assert!(!shop.path().join("out.obj").exists());
    }
}
