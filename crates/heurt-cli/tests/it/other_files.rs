//! Files as other programs write them: morphed and mirrored parts, other axes up, units that lie, formats that are not
//! read, and lengths with their unit.

use crate::support::{CUBE, Run, Workshop, png_size};
use serde_json::{Value, json};

/// A box from the origin to (1, 2, 3): twelve triangles, faces outward.
const CORNERS: [[f32; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 2.0, 0.0],
    [1.0, 2.0, 0.0],
    [0.0, 0.0, 3.0],
    [1.0, 0.0, 3.0],
    [0.0, 2.0, 3.0],
    [1.0, 2.0, 3.0],
];
const TRIANGLES: [u16; 36] =
    [0, 3, 1, 0, 2, 3, 4, 7, 6, 4, 5, 7, 0, 5, 4, 0, 1, 5, 1, 7, 5, 1, 3, 7, 2, 7, 3, 2, 6, 7, 0, 6, 2, 0, 4, 6];

/// Writes a glTF file whose mesh 0 is the box; `triangles` of it.
fn gltf(shop: &Workshop, name: &str, nodes: &Value, triangles: usize, change: impl FnOnce(&mut Value)) {
    let indices = TRIANGLES[..3 * triangles].iter().flat_map(|index| index.to_le_bytes());
    let mut bytes: Vec<u8> = indices.collect();
    let length = bytes.len();
    bytes.extend(CORNERS.iter().flatten().flat_map(|value| value.to_le_bytes()));
    bytes.extend([2.5_f32, 0.0, 0.0].repeat(8).iter().flat_map(|value| value.to_le_bytes()));
    let roots: Vec<usize> = (0..nodes.as_array().map_or(0, Vec::len)).collect();
    let mut document = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes,
        "meshes": [{"name": "box", "primitives": [{"attributes": {"POSITION": 1}, "indices": 0}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5123, "count": 3 * triangles, "type": "SCALAR"},
            {"bufferView": 1, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 2, "componentType": 5126, "count": 8, "type": "VEC3"}
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": length},
            {"buffer": 0, "byteOffset": length, "byteLength": 96},
            {"buffer": 0, "byteOffset": length + 96, "byteLength": 96}
        ],
        "buffers": [{"byteLength": bytes.len(), "uri": format!("{name}.bin")}]
    });
    change(&mut document);
    shop.file(&format!("{name}.bin"), &bytes);
    shop.file(name, document.to_string());
}

fn near(found: &Value, expected: [f64; 3]) {
    for (axis, value) in expected.into_iter().enumerate() {
        let found = found[axis].as_f64().expect("a number");
        assert!((found - value).abs() < 1e-6, "{found} is not {value} on axis {axis}");
    }
}

#[test]
fn a_lid_clashes_where_its_morph_target_moves_it() {
    let shop = Workshop::new();
    let nodes = json!([{"name": "lid", "mesh": 0}, {"name": "block", "mesh": 1, "translation": [3, 0, 0]}]);
    let morph = |weight: f64| {
        move |document: &mut Value| {
            let plain = document["meshes"][0].clone();
            document["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 2}]);
            document["meshes"][0]["weights"] = json!([weight]);
            document["meshes"].as_array_mut().expect("a list").push(plain);
        }
    };
    gltf(&shop, "rest.gltf", &nodes, 12, morph(0.0));
    gltf(&shop, "moved.gltf", &nodes, 12, morph(1.0));
    assert_eq!(shop.run(&["check", "rest.gltf", "--json"]).json()["summary"]["interfering"], 0);
    let report = shop.run(&["check", "moved.gltf", "--json"]).json();
    assert_eq!(report["summary"]["interfering"], 1);
    near(&report["interferences"][0]["where"], [3.25, 1.0, 1.5]);
}

#[test]
fn mirrored_parts_report_places_in_the_frame_of_the_file() {
    let shop = Workshop::new();
    // The mirrored box is from x = 9 to 10.
    let right = json!({"name": "right", "mesh": 0, "translation": [8.5, 1.5, 2.5]});
    let by_scale = json!([{"name": "left", "mesh": 0, "scale": [-1, 1, 1], "translation": [10, 0, 0]}, right]);
    let matrix = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1];
    let by_matrix = json!([{"name": "left", "mesh": 0, "matrix": matrix}, right]);
    let turn =
        json!({"name": "left", "mesh": 0, "scale": [1, 1, -1], "rotation": [0, 1, 0, 0], "translation": [10, 0, 0]});
    for (name, nodes) in [("scale.gltf", by_scale), ("matrix.gltf", by_matrix), ("turn.gltf", json!([turn, right]))] {
        gltf(&shop, name, &nodes, 12, |_| {});
        let options = ["--json", "--volumes", "--clashes", "c.glb", "--picture", "c.png", "--solids", "s.obj"];
        let report = shop.run(&[["check", name].as_slice(), &options].concat()).json();
        let found = &report["interferences"][0];
        near(&found["where"], [9.25, 1.75, 2.75]);
        near(&found["region"][0], [9.0, 1.5, 2.5]);
        near(&found["region"][1], [9.5, 2.0, 3.0]);
        assert!(png_size(&shop.path().join("c.png")).0 > 0);
        // The written parts and the shared solid are there, too.
        let again = shop.run(&["check", "c.glb", "--json"]).json();
        near(&again["interferences"][0]["where"], [9.25, 1.75, 2.75]);
        let solid = shop.run(&["inspect", "s.obj", "--json"]).json();
        near(&solid["meshes"][0]["bounds"][0], [9.0, 1.5, 2.5]);
        near(&solid["meshes"][0]["bounds"][1], [9.5, 2.0, 3.0]);

        let motion = ["--pose", "right=0,0,5", "--moving", "right", "--motion", "0,0,-10", "--json"];
        let report = shop.run(&[["check", name].as_slice(), &motion].concat()).json();
        let met = &report["encounters"][0];
        assert!((met["time"].as_f64().expect("a time") - 0.45).abs() < 1e-6, "{met}");
        let place: Vec<f64> = met["where"].as_array().expect("a place").iter().filter_map(Value::as_f64).collect();
        assert!((9.0..=9.5).contains(&place[0]) && (1.5..=2.0).contains(&place[1]), "{met}");
        assert!((place[2] - 3.0).abs() < 1e-6, "{met}");
    }
}

#[test]
fn faults_are_reported_where_a_part_is_in_its_file() {
    let shop = Workshop::new();
    // Without its last two triangles the box is open at x = 0, which is at 10 in the file.
    let nodes = json!([{"name": "left", "mesh": 0, "scale": [-1, 1, 1], "translation": [10, 0, 0]}]);
    gltf(&shop, "open.gltf", &nodes, 10, |_| {});
    let run = shop.run(&["inspect", "open.gltf"]);
    assert!(run.out.contains("(at 10  1  1.5 in the file"), "{}", run.out);
    let report = shop.run(&["inspect", "open.gltf", "--json"]).json();
    near(&report["meshes"][0]["centres_in_file"][0], [10.0, 1.0, 1.5]);
    near(&report["meshes"][0]["faults"][0]["where"], [0.0, 1.0, 1.5]);
}

/// A triangle with the given up axis.
fn collada(up: &str, corners: &str) -> String {
    format!(
        "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\"><asset><up_axis>{up}</up_axis></asset>\
         <library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"9\">{corners}</float_array>\
         <technique_common><accessor source=\"#a\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/>\
         <param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>\
         <vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"1\">\
         <input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>\
         <library_visual_scenes><visual_scene id=\"s\"><node name=\"leaf\"><instance_geometry url=\"#g\"/></node></visual_scene>\
         </library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>"
    )
}

#[test]
fn files_with_other_axes_up_come_into_the_frame_of_the_first() {
    let shop = Workshop::new();
    gltf(&shop, "box.gltf", &json!([{"name": "box", "mesh": 0}]), 12, |_| {});
    // In a frame with y up: (0.5, 1, 1), (5, 1, 1), (5, 1.2, 1.5).
    shop.file("z.dae", collada("Z_UP", "0.5 -1 1 5 -1 1 5 -1.5 1.2"));
    shop.file("x.dae", collada("X_UP", "1 -0.5 1 1 -5 1 1.2 -5 1.5"));
    shop.file("y.dae", collada("Y_UP", "0.5 1 1 5 1 1 5 1.2 1.5"));
    for (name, count) in [("z.dae", 1), ("x.dae", 1), ("y.dae", 0)] {
        let report = shop.run(&["check", "box.gltf", name, "--json"]).json();
        assert_eq!(report["summary"]["interfering"], 1, "{name}");
        let place: Vec<f64> =
            report["interferences"][0]["where"].as_array().expect("a place").iter().filter_map(Value::as_f64).collect();
        assert!((place[0] - 1.0).abs() < 1e-9 && (place[1] - 1.0).abs() < 0.1, "{name}: {place:?}");
        let notes = report["warnings"].as_array().expect("a list").iter().filter(|note| note["kind"] == "axes");
        assert_eq!(notes.count(), count, "{name}");
    }
    let run = shop.run(&["check", "box.gltf", "z.dae"]);
    assert!(
        run.out.contains("z.dae: this file has Z up, box.gltf has Y up: its parts are turned to Y up"),
        "{}",
        run.out
    );
    // The first file decides; a file alone, and a file with a pose of its own, stay as they are.
    let first = shop.run(&["check", "z.dae", "box.gltf", "--json"]).json();
    near(&first["interferences"][0]["where"], {
        let y_up = &shop.run(&["check", "box.gltf", "z.dae", "--json"]).json()["interferences"][0]["where"];
        let at = |axis: usize| y_up[axis].as_f64().expect("a number");
        [at(0), -at(2), at(1)]
    });
    shop.file("placed.toml", "[[part]]\nfile = \"box.gltf\"\n[[part]]\nfile = \"z.dae\"\n");
    let placed = shop.run(&["check", "placed.toml", "--json"]).json();
    assert_eq!(
        (&placed["summary"]["interfering"], placed["warnings"].to_string().contains("axes")),
        (&json!(0), false)
    );
}

#[test]
fn the_unit_of_files_is_given_where_they_lie() {
    let shop = Workshop::new();
    gltf(&shop, "mm.gltf", &json!([{"name": "box", "mesh": 0}]), 12, |document| {
        document["asset"]["extras"] = json!({"units": "mm"});
    });
    let run = shop.run(&["inspect", "mm.gltf"]);
    assert!(run.out.contains("1 × 2 × 3 m "), "{}", run.out);
    let note = "note: mm.gltf: asset.extras: the unit `mm` is ignored: glTF is in metres; `--file-unit`";
    assert!(run.out.contains(note), "{}", run.out);
    let run = shop.run(&["inspect", "mm.gltf", "--file-unit", "mm"]);
    assert!(run.out.contains("1 × 2 × 3 mm ") && !run.out.contains("note:"), "{}", run.out);
    let run = shop.run(&["inspect", "mm.gltf", "--file-unit", "in", "--unit", "mm"]);
    assert!(run.out.contains("25.4 × 50.8 × 76.2 mm "), "{}", run.out);

    shop.file("a.obj", CUBE);
    let report = |options: &[&str]| -> Value {
        shop.run(&[["check", "a.obj", "a.obj", "--pose-b", "1.5,0,0", "--json"].as_slice(), options].concat()).json()
    };
    let found = report(&["--file-unit", "cm", "--unit", "mm", "--clearance", "6"]);
    assert_eq!((&found["summary"]["unit"], &found["summary"]["near"]), (&json!("mm"), &json!(0)));
}

#[test]
fn lengths_may_have_their_unit() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    let near = |options: &[&str]| -> Run {
        let arguments = ["check", "a.obj", "a.obj", "--pose-b", "1.5,0,0", "--json"];
        shop.run(&[arguments.as_slice(), options].concat())
    };
    for (clearance, count) in [("0.6", 1), ("0.4", 0), ("600mm", 1), ("400mm", 0), ("20in", 1), ("19in", 0)] {
        let report = near(&["--unit", "m", "--clearance", clearance]).json();
        assert_eq!(report["summary"]["near"], count, "{clearance}");
    }
    let run = near(&["--clearance", "600mm"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("--clearance: 600mm has a unit, but the files declare none"), "{}", run.err);
    let run = near(&["--clearance", "6 parsec"]);
    assert!(run.code == Some(2) && run.err.contains("`parsec` is no unit of length"), "{}", run.err);

    // Poses and motions, in units of their own.
    let pose = ["check", "a.obj", "a.obj", "--unit", "mm", "--json", "--pose-b"];
    for (pose_b, interfering) in [("0,0,0.09cm", 1), ("0,0,0.11cm", 0), ("0,0,1e-3m,0,0,0,1", 1)] {
        let report = shop.run(&[pose.as_slice(), &[pose_b]].concat()).json();
        assert_eq!(report["summary"]["interfering"], interfering, "{pose_b}");
    }
    let named = ["check", "a.obj", "a.obj", "--unit", "mm", "--json", "--pose", "a#2=0.2cm,0,0"];
    assert_eq!(shop.run(&named).json()["summary"]["interfering"], 0);
    for (pose, reason) in [
        ("1,0,2mm", "1 has no unit but others do"),
        ("0,0,2mm,0,0,0,1mm", "the numbers of a quaternion have none"),
        ("0,0,2km", "`km` is no unit of length"),
    ] {
        let run = shop.run(&["check", "a.obj", "a.obj", "--unit", "mm", "--pose-b", pose]);
        assert!(run.code == Some(2) && run.err.contains(reason), "{pose}: {}", run.err);
    }
    let run = shop.run(&["check", "a.obj", "a.obj", "--pose-b", "0,0,2mm"]);
    assert!(run.code == Some(2) && run.err.contains("2mm has a unit, but the files declare none"), "{}", run.err);
    let motion = ["check", "a.obj", "a.obj", "--pose-b", "5,0,0", "--unit", "cm", "--json", "--motion", "80mm,0,0"];
    let time = &shop.run(&motion).json()["encounters"][0]["time"];
    assert!((time.as_f64().expect("a time") - 0.5).abs() < 1e-6, "{time}");

    let thin = ["inspect", "a.obj", "--unit", "m", "--thickness", "ray", "--json", "--thin", "2500mm"];
    assert_eq!(shop.run(&thin).json()["meshes"][0]["thickness"]["thin_limit"], 2.5);
    let weld = shop.run(&["inspect", "a.obj", "--weld", "1um"]);
    assert!(weld.code == Some(2) && weld.err.contains("--weld: 1um has a unit"), "{}", weld.err);
    assert_eq!(shop.run(&["inspect", "a.obj", "--weld", "1um", "--unit", "m"]).code, Some(0));
    let run = shop.run(&["simplify", "a.obj", "--deviation", "1mm"]);
    assert!(run.code == Some(2) && run.err.contains("--deviation: 1mm has a unit"), "{}", run.err);
    let run = shop.run(&["repair", "a.obj", "--weld", "1mm"]);
    assert!(run.code == Some(2) && run.err.contains("--weld: 1mm has a unit"), "{}", run.err);
}

#[test]
fn formats_that_are_not_read_are_named_with_the_lines_that_convert_them() {
    let iges = format!("{:72}S      1\r\n", "a bracket");
    let robot = "<?xml version=\"1.0\"?>\n<robot name=\"arm\"></robot>";
    for (name, content, words) in [
        ("part.stp", "ISO-10303-21;\nHEADER;\n", "heurt does not read STEP files"),
        ("part.step", "anything", "cascadio.step_to_glb('part.step', 'part.glb', 0.01, 0.1)"),
        ("part.txt", "ISO-10303-21;\nHEADER;\n", "heurt check part.glb --unit mm"),
        ("wrong.stl", "ISO-10303-21;\nHEADER;\n", "heurt does not read STEP files"),
        ("part.igs", iges.as_str(), "heurt does not read IGES files"),
        ("part.dat", iges.as_str(), "gmsh part.dat -2 -setnumber Geometry.OCCSewFaces 1"),
        ("arm.urdf", robot, "pip install yourdfpy"),
        ("arm.xml", robot, "heurt does not read URDF files"),
        ("part.SLDPRT", "x", "export it as 3MF, STEP or STL from the program that wrote it"),
        ("scene.blend", "BLENDER-v300", "export it as GLB"),
        ("it's one.step", "x", "cascadio.step_to_glb('FILE', 'FILE.glb'"),
    ] {
        let shop = Workshop::new();
        shop.file(name, content);
        for command in ["inspect", "check"] {
            let run = shop.run(&[command, name]);
            assert_eq!(run.code, Some(2), "{name}: {}", run.err);
            assert!(run.err.contains(words), "{name}: {}", run.err);
        }
    }
    let shop = Workshop::new();
    shop.file("parts/part.stp", "ISO-10303-21;");
    let run = shop.run(&["check", "parts"]);
    assert!(run.err.contains("`heurt inspect parts/part.stp` has the lines"), "{}", run.err);
    shop.file("parts/a.obj", CUBE);
    let run = shop.run(&["inspect", "parts"]);
    assert!(run.out.contains("is skipped: part.stp (`heurt inspect parts/part.stp` has the lines"), "{}", run.out);
}

#[test]
fn cells_of_higher_order_are_counted_in_a_note() {
    let shop = Workshop::new();
    let points = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n.5 0 0\n.5 .5 0\n0 .5 0\n0 0 .5\n.5 0 .5\n0 .5 .5\n";
    shop.file(
        "curved.vtk",
        format!(
            "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n{points}CELLS 1 11\n\
             10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n"
        ),
    );
    let run = shop.run(&["inspect", "curved.vtk"]);
    assert!(run.code == Some(0) && run.out.contains("convex: closed"), "{}{}", run.out, run.err);
    let note = "note: curved.vtk: cells of higher order: 1 read by their corners, the first at line 19";
    assert!(run.out.contains(note), "{}", run.out);
    assert_eq!(shop.run(&["inspect", "curved.vtk", "--strict", "-q"]).code, Some(2));
}
