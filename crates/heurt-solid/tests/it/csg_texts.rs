//! Trees as text: JSON and TOML round trips, OpenSCAD files, errors that name their place.

use crate::trees;
use heurt_geometry::{Camera, Projection, Vec2, Vec3, View};
use heurt_query::Ray;
use heurt_solid::{Csg, CsgQuery, CsgTextError};
use heurt_testkit::number::random::Random;

#[test]
fn trees_come_back_from_json_and_toml() {
    let mut random = Random::new(31);
    for _ in 0..100 {
        let leaves = random.whole(2, 10);
        let tree = trees::tree(&mut random, leaves, &trees::any_leaf);
        let json = tree.to_json().unwrap();
        let again = Csg::from_json(&json).unwrap();
        assert_eq!(Csg::from_json(&again.to_json().unwrap()).unwrap().to_json().unwrap(), again.to_json().unwrap());
        let from_toml = Csg::from_toml(&tree.to_toml().unwrap()).unwrap();
        let queries = [&tree, &again, &from_toml].map(CsgQuery::new);
        for _ in 0..50 {
            let point = random.vector(4.0);
            let inside = queries.each_ref().map(|query| query.contains(point));
            assert_eq!(inside, [inside[0]; 3], "{json}");
        }
    }
}

#[test]
fn all_shape_words_are_read() {
    let shapes = [
        r#"{"type":"sphere","radius":1}"#,
        r#"{"type":"box","half":[1,1,1],"margin":0.1}"#,
        r#"{"type":"capsule","radius":1,"half_height":1}"#,
        r#"{"type":"cylinder","radius":1,"half_height":1}"#,
        r#"{"type":"cone","radius":1,"half_height":1}"#,
        r#"{"type":"ellipsoid","radii":[1,2,3]}"#,
        r#"{"type":"half_space","normal":[0,0,2],"offset":1}"#,
        r#"{"type":"half_space","normal":[0,0,2],"offset":1,"margin":1}"#,
        r#"{"type":"hull","points":[[1,1,1],[-1,-1,1],[-1,1,-1],[1,-1,-1]]}"#,
        r#"{"type":"mesh","vertices":[[1,1,1],[-1,-1,1],[-1,1,-1],[1,-1,-1]],"triangles":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]],"solid":true}"#,
        r#"{"type":"superellipsoid","radii":[1,1,1],"n1":0.5,"n2":0.5}"#,
        r#"{"type":"superellipsoid","radii":[1,1,1],"n1":3,"n2":0.5}"#,
        r#"{"type":"compound","parts":[{"shape":{"type":"sphere","radius":1},"pose":{"translation":[0.1,0,0]}}]}"#,
        r#"{"type":"polyhedron","planes":[[1,0,0,1],[-1,0,0,1]]}"#,
        r#"{"type":"quadric","matrix":[[1,0,0],[0,1,0],[0,0,0]],"linear":[0,0,-1],"constant":-1}"#,
        r#"{"type":"csg","tree":{"complement":"empty"}}"#,
    ];
    for text in shapes {
        let tree = Csg::from_json(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(tree.contains(Vec3::ZERO), "{text}");
        assert!(Csg::from_json(&tree.to_json().unwrap()).unwrap().contains(Vec3::ZERO));
    }
    for text in [
        r#"{"type":"point"}"#,
        r#"{"type":"segment","points":[[0,0,1],[0,0,2]]}"#,
        r#"{"type":"triangle","points":[[0,0,1],[0,0,2],[1,1,1]]}"#,
        r#"{"type":"supertoroid","r0":1,"r1":0.5,"n1":1,"n2":1}"#,
    ] {
        Csg::from_json(text).unwrap();
    }
}

#[test]
fn errors_name_field_and_value() {
    let check = |text: &str, expected: &str| {
        let error = Csg::from_json(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    };
    check("{", "line 1, column 1");
    check("7", "tree: 7 is not an object");
    check(r#"{"union":[{"type":"sphere"}]}"#, "union[0].radius: missing");
    check(r#"{"union":[],"more":1}"#, "more: unknown field");
    check(r#"{"type":"cube"}"#, "type: \"cube\" is not one of sphere");
    check(r#"{"at":{"translation":[1,2]},"of":"empty"}"#, "at.translation: [1,2] is not a list of 3 numbers");
    check(r#"{"matrix":[[1,0,0,0],[0,0,0,0],[0,0,1,0]],"of":"empty"}"#, "no inverse");
    check(r#"{"type":"polyhedron","planes":[[0,0,0,1]]}"#, "planes[0]");
    check(r#"{"type":"mesh","path":"a.obj"}"#, "path: unknown field");
    assert!(Csg::from_json(&format!("{}\"empty\"{}", "[".repeat(10_000), "]".repeat(10_000))).is_err());
    assert!(Csg::from_json(&format!("{}\"empty\"{}", "{\"complement\":".repeat(101), "}".repeat(101))).is_err());
    let deep = (0..200).fold(Csg::empty(), |tree, _| tree.complement());
    assert!(matches!(deep.to_json(), Err(CsgTextError::NotWritable { .. })));
    assert!(Csg::from_toml("a = = 1").unwrap_err().to_string().starts_with("line 1, column 5"));
}

#[test]
fn openscad_files_are_read() {
    let text = r#"
        // A dump of OpenSCAD.
        group() {
            difference() {
                cube(size = [20, 20, 10], center = false);
                multmatrix([[1, 0, 0, 10], [0, 1, 0, 10], [0, 0, 1, -1], [0, 0, 0, 1]]) {
                    cylinder($fn = 0, $fa = 12, $fs = 2, h = 12, r1 = 4, r2 = 4, center = false);
                }
            }
            %cube(size = 100);
            color([1, 0, 0, 1]) { #sphere($fn = 8, $fa = 12, $fs = 2, r = 3); }
            multmatrix([[1, 0, 0, 40], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
                polyhedron(points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                    faces = [[0, 1, 2], [1, 0, 3], [0, 2, 3], [2, 1, 3]], convexity = 1);
            multmatrix([[1, 0, 0, 60], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
                cylinder(h = 4, r1 = 3, r2 = 1, center = true);
        }"#;
    let query = CsgQuery::new(&Csg::from_openscad(text).unwrap());
    for ([x, y, z], expected) in [
        ([1.0, 1.0, 1.0], true),
        ([10.0, 10.0, 5.0], false),
        ([14.0, 10.0, 5.0], true),
        ([-1.0, -1.0, -1.0], true),
        ([50.0, 50.0, 50.0], false),
        ([40.2, 0.2, 0.2], true),
        ([40.9, 0.9, 0.9], false),
        ([61.9, 0.0, 0.0], true),
        ([62.1, 0.0, 0.0], false),
        ([62.1, 0.0, -1.0], true),
    ] {
        assert_eq!(query.contains(Vec3::new(x, y, z)), expected, "{x} {y} {z}");
    }
}

#[test]
fn tessellated_openscad_solids_have_the_vertices_of_openscad() {
    let volume = |text: &str| Csg::from_openscad(text).unwrap().to_exact_pieces().unwrap().rounded_volume();
    assert_eq!(volume("cylinder($fn = 4, h = 2, r = 1);"), 4.0);
    assert!((volume("cylinder($fn = 6, h = 1, r1 = 1, r2 = 1);") - 1.5 * 3f64.sqrt()).abs() < 1e-14);
    assert!((volume("cylinder($fn = 4, h = 3, r1 = 1, r2 = 0);") - 2.0).abs() < 1e-14);
    // $fn = 4: two rings at z = ±cos 45° of radius sin 45°, a box of √2 · 1 · 1.
    assert!((volume("sphere($fn = 4, r = 1);") - 2f64.sqrt()).abs() < 1e-14);
    let cube = volume("cube([1, 2, 3]);")
        + volume("polyhedron(points=[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],faces=[[0,1,2],[1,0,3],[0,2,3],[2,1,3]]);");
    assert!((cube - 6.0 - 1.0 / 6.0).abs() < 1e-14);
}

#[test]
fn deep_texts_are_refused() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + r#"{"type":"point"}"# + &close.repeat(100_000);
    for text in [deep("[", "]"), deep(r#"{"union":["#, "]}"), deep(r#"{"complement":"#, "}")] {
        assert!(matches!(Csg::from_json(&text), Err(CsgTextError::Syntax { .. })));
    }
    let keys = "complement.".repeat(20_000);
    for text in [
        format!("union = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{keys}type = \"point\""),
        format!("[{}]\ntype = \"point\"", keys.trim_end_matches('.')),
        format!("complement = {}", "{ complement = ".repeat(100_000)),
    ] {
        assert!(Csg::from_toml(&text).is_err());
    }
    let round = "sphere($fn = 512);".repeat(20);
    assert!(Csg::from_openscad(&round).unwrap_err().to_string().contains("lower `$fn`"));
}

#[test]
fn openscad_errors_name_line_and_column() {
    let check = |text: &str, expected: &str| {
        let error = Csg::from_openscad(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    };
    check("union() {\n  hull() { cube(1); }\n}", "line 2, column 3: `hull` is not supported");
    check("cube(size = [1, 2);", "line 1, column 18: `)`");
    check("union() {", "line 1, column 10: the end of the text");
    check("cube(1)", "line 1, column 8");
    check("cube(\"a", "line 1, column 6");
    check("/* ", "line 1, column 1");
    check("sphere($fn = 100000);", "line 1, column 1: `$fn`");
    check("cube(1e999);", "line 1, column 6");
    check("multmatrix([[1,0,0,0],[0,0,0,0],[0,0,1,0],[0,0,0,1]]) cube(1);", "line 1, column 1: the map has no inverse");
    check(&"union() {".repeat(100_000), "line 1, column");
    check(&format!("cube({}", "[".repeat(100_000)), "line 1, column");
    let mut random = Random::new(33);
    let words =
        ["union", "(", ")", "{", "}", "cube", "[", "]", ",", "1", "-", "=", ";", "\"", "//", "/*", "$fn", "%", "é"];
    for _ in 0..20_000 {
        let text: Vec<_> =
            (0..random.whole(0, 12)).map(|_| words[random.whole(0, words.len() as i64 - 1) as usize]).collect();
        let _ = Csg::from_openscad(&text.join(" "));
    }
    assert!(Csg::from_openscad("").unwrap().bounds().unwrap().is_empty());
}

#[test]
fn rays_of_pixels_meet_the_first_surface() {
    let drilled = "difference() { cube(size = 2, center = true); cylinder(h = 4, r = 0.5, center = true); }";
    let query = CsgQuery::new(&Csg::from_openscad(drilled).unwrap());
    let view = View::look_at(Vec3::Z * 5.0, Vec3::ZERO, Vec3::Y).unwrap();
    let camera = Camera { view, projection: Projection::orthographic(4.0, 1.0, [1.0, 10.0]).unwrap() };
    let hit = |column: usize, row: usize| {
        let pixel = Vec2::new(column as f64 + 0.5, row as f64 + 0.5);
        let ray = camera.ray_of_pixel(pixel, Vec2::splat(40.0)).unwrap();
        query.first_hit(&Ray::new(ray.origin, ray.direction, f64::INFINITY).unwrap())
    };
    assert_eq!(hit(20, 20), None, "through the hole");
    let top = hit(12, 20).unwrap();
    assert_eq!((top.point.z, top.normal, top.leaf), (1.0, Vec3::Z, Some(0)), "the top");
    assert_eq!(hit(2, 2), None);
    let hits = (0..40 * 40).filter(|k| hit(k % 40, k / 40).is_some()).count();
    assert_eq!(hits, 400 - 80);
}
