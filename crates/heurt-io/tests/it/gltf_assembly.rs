//! Assemblies in glTF: names by path, instances of a node, extensions, units, colours, and what lenient readers ignore.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heurt_geometry::{Pose, Vec3};
use heurt_io::{Format, LengthUnit, Model, Part, ReadError, ReadOptions, read, read_partial, read_with, write};
use heurt_mesh::TriMesh;
use proptest::prelude::*;
use serde_json::{Value, json};

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A document with a triangle as accessors 0 and 1, and a view and a buffer for each further list of bytes.
fn document(nodes: Value, extra: &[Vec<u8>]) -> Value {
    let mut bytes = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.5]);
    bytes.extend([0, 1, 2, 0]);
    let uri = |bytes: &[u8]| format!("data:;base64,{}", BASE64_STANDARD.encode(bytes));
    let mut views =
        vec![json!({"buffer": 0, "byteLength": 36}), json!({"buffer": 0, "byteOffset": 36, "byteLength": 3})];
    let mut buffers = vec![json!({"byteLength": 40, "uri": uri(&bytes)})];
    for bytes in extra {
        views.push(json!({"buffer": buffers.len(), "byteLength": bytes.len()}));
        buffers.push(json!({"byteLength": bytes.len(), "uri": uri(bytes)}));
    }
    json!({
        "asset": {"version": "2.0"},
        "nodes": nodes,
        "meshes": [{"name": "tri", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"}
        ],
        "bufferViews": views,
        "buffers": buffers
    })
}

fn load(document: &Value) -> Result<Model, ReadError> {
    read(document.to_string().as_bytes(), Format::Gltf)
}

fn names(model: &Model) -> Vec<&str> {
    model.parts.iter().map(|part| part.name.as_str()).collect()
}

/// The placed corners of the first triangle of a part.
fn corners(model: &Model, part: usize) -> [Vec3; 3] {
    let part = &model.parts[part];
    model.meshes[part.mesh].corners(0).map(|corner| part.pose.place(corner))
}

#[test]
fn parts_are_named_by_the_path_of_named_nodes() {
    let model = load(&document(
        json!([
            {"name": "engine", "children": [1, 4]},
            {"name": "left bank", "children": [2, 3]},
            {"name": "rod", "mesh": 0},
            {"name": "rod", "mesh": 0},
            {"children": [5, 6, 7]},
            {"name": "a/b", "mesh": 0},
            {"mesh": 0},
            {"name": "", "mesh": 0, "children": [8]},
            {"name": "leaf", "mesh": 0},
            {"name": "alone", "mesh": 0}
        ]),
        &[],
    ))
    .unwrap();
    assert_eq!(
        names(&model),
        [
            "engine/left bank/rod",
            "engine/left bank/rod#2",
            "engine/a/b",
            "engine/tri",
            "engine/tri#2",
            "engine/leaf",
            "alone"
        ]
    );
    assert_eq!(model.unit, Some(LengthUnit::Metre));
}

#[test]
fn names_of_a_deep_chain_are_cut_and_take_bounded_memory() {
    // A mesh on each of 5,000 nodes in a chain: whole paths would take 130 MB.
    let mut nodes: Vec<Value> =
        (0..5000).map(|node| json!({"name": format!("link{node}"), "mesh": 0, "children": [node + 1]})).collect();
    nodes.push(json!({"name": "last", "mesh": 0}));
    let model = load(&document(Value::Array(nodes), &[])).unwrap();
    assert_eq!(model.parts[3].name, "link0/link1/link2/link3");
    let last = &model.parts[5000].name;
    assert!(last.starts_with("…/link49") && last.ends_with("/link4998/link4999/last"), "{last}");
    assert!(model.parts.iter().all(|part| part.name.len() < 540));
    // One name longer than what is kept of a path.
    let long = json!([{"name": "x".repeat(600), "children": [1]}, {"name": "y".repeat(600), "mesh": 0}]);
    assert_eq!(load(&document(long, &[])).unwrap().parts[0].name, format!("…/{}", "y".repeat(600)));
}

/// A node with instances by the accessors 2, 3 and 4, as far as they are given.
fn instanced(translation: Option<u32>, rotation: Option<u32>, scale: Option<u32>) -> Value {
    let mut attributes = json!({"_ID": 1});
    for (name, accessor) in [("TRANSLATION", translation), ("ROTATION", rotation), ("SCALE", scale)] {
        if let Some(accessor) = accessor {
            attributes[name] = json!(accessor);
        }
    }
    json!({"name": "bolt", "mesh": 0, "translation": [10, 0, 0],
        "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}})
}

#[test]
fn instances_of_a_node_are_parts_in_order() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let extra = [
        floats(&[0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 5.0, 0.0]),
        floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half, 1.0, 0.0, 0.0, 0.0]),
        floats(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0]),
    ];
    let mut document = document(json!([instanced(Some(2), Some(3), Some(4)), {"name": "bolt#2", "mesh": 0}]), &extra);
    let accessors = document["accessors"].as_array_mut().unwrap();
    for (view, shape) in [(2, "VEC3"), (3, "VEC4"), (4, "VEC3")] {
        accessors.push(json!({"bufferView": view, "componentType": 5126, "count": 3, "type": shape}));
    }
    document["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    document["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    let model = load(&document).unwrap();
    assert_eq!(names(&model), ["bolt#1", "bolt#2", "bolt#3", "bolt#2#2"]);
    assert!(model.warnings.is_empty());
    // Equal scales share a mesh.
    assert_eq!(model.parts.iter().map(|part| part.mesh).collect::<Vec<_>>(), [0, 1, 0, 0]);
    assert_eq!(corners(&model, 0)[1], Vec3::new(11.0, 0.0, 0.0));
    assert!(corners(&model, 1)[1].distance(Vec3::new(10.5, 2.0, 0.0)) < 1e-6, "{}", corners(&model, 1)[1]);
    assert_eq!(corners(&model, 2)[2], Vec3::new(10.0, 3.0, -0.5));
    // Normalised integers for rotations, and an attribute alone.
    document["nodes"][0] = instanced(None, Some(3), None);
    for (component, bytes) in [
        (5120, vec![0, 0, 0, 127, 0, 0, 90, 90, 127, 0, 0, 0]),
        (5122, [0_i16, 0, 0, 32767, 0, 0, 23170, 23170, 32767, 0, 0, 0].iter().flat_map(|x| x.to_le_bytes()).collect()),
    ] {
        document["buffers"][2] = json!({"byteLength": bytes.len(),
            "uri": format!("data:;base64,{}", BASE64_STANDARD.encode(&bytes))});
        document["bufferViews"][3]["byteLength"] = json!(bytes.len());
        document["accessors"][3] =
            json!({"bufferView": 3, "componentType": component, "normalized": true, "count": 3, "type": "VEC4"});
        let model = load(&document);
        // 90/127 is too coarse for a unit quaternion, and the error names the instance.
        if component == 5120 {
            let error = model.unwrap_err().to_string();
            assert!(error.starts_with("nodes[0], instance 1: the quaternion"), "{error}");
        } else {
            assert!(corners(&model.unwrap(), 1)[1].distance(Vec3::new(10.0, 1.0, 0.0)) < 1e-4);
        }
    }
}

#[test]
fn the_reported_file_of_instances_is_read() {
    // A node with three instances at 0, 0.5 and 5 m.
    let mut document =
        document(json!([instanced(Some(2), None, None)]), &[floats(&[0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 5.0, 0.0, 0.0])]);
    document["accessors"]
        .as_array_mut()
        .unwrap()
        .push(json!({"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3"}));
    document["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    let model = load(&document).unwrap();
    let places: Vec<f64> = (0..3).map(|part| corners(&model, part)[0].x).collect();
    assert_eq!(places, [10.0, 10.5, 15.0]);
    assert_eq!(model.meshes.len(), 1);
}

#[test]
fn instances_that_are_wrong_are_named() {
    let extra = [floats(&[0.0; 9]), floats(&[0.0; 8])];
    let mut document = document(json!([instanced(Some(2), Some(3), None)]), &extra);
    let accessors = document["accessors"].as_array_mut().unwrap();
    accessors.push(json!({"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3"}));
    accessors.push(json!({"bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC4"}));
    let place = "nodes[0].extensions.EXT_mesh_gpu_instancing";
    let message = |document: &Value| load(document).unwrap_err().to_string();
    assert_eq!(
        message(&document),
        format!("{place}: found `attributes of 3 and 2 elements`, expected equally many elements in all of them")
    );
    document["nodes"][0] = instanced(None, None, None);
    assert_eq!(
        message(&document),
        format!("{place}: found nothing, expected an attribute TRANSLATION, ROTATION or SCALE")
    );
    document["nodes"][0] = instanced(Some(3), None, None);
    assert_eq!(message(&document), "accessors[3]: found `VEC4`, expected type VEC3 for positions");
    // A partial reading lists the instances that are wrong, and keeps the others.
    document["nodes"] = json!([instanced(None, Some(3), None), {"name": "good", "mesh": 0}]);
    let read = read_partial(document.to_string().as_bytes(), Format::Gltf, &ReadOptions::default()).unwrap();
    assert_eq!(names(&read.model), ["good"]);
    let failed: Vec<&str> = read.failures.iter().map(|failure| failure.part.as_str()).collect();
    assert_eq!(failed, ["bolt#1", "bolt#2"]);
    // An accessor without bytes may declare any number of instances.
    document["accessors"][2] = json!({"componentType": 5126, "count": 1_000_000, "type": "VEC3", "sparse": {"count": 0,
        "indices": {"bufferView": 1, "componentType": 5121}, "values": {"bufferView": 2}}});
    document["nodes"] = json!([instanced(Some(2), None, None)]);
    assert!(message(&document).contains("out of proportion to its size"), "{}", message(&document));
    // So may one of positions, 24 bytes each.
    document["nodes"] = json!([{"mesh": 0}]);
    document["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": 2}}]);
    assert!(message(&document).contains("out of proportion to its size"), "{}", message(&document));
    document["accessors"][2]["count"] = json!(99_999);
    assert!(load(&document).is_ok());
}

#[test]
fn extensions_that_may_change_the_geometry_are_named() {
    let mut document = document(json!([{"mesh": 0}]), &[]);
    let harmless =
        ["KHR_materials_unlit", "KHR_texture_transform", "KHR_mesh_quantization", "KHR_draco_mesh_compression"];
    document["extensionsUsed"] = json!(harmless);
    assert!(load(&document).unwrap().warnings.is_empty());
    document["extensionsUsed"] = json!(["KHR_node_visibility", "KHR_materials_unlit", "FOO_bar"]);
    let warnings = load(&document).unwrap().warnings;
    assert_eq!(
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["extensions that may change the geometry: 2 ignored, the first at extensionsUsed: `KHR_node_visibility`, \
             `FOO_bar`"]
    );
    document["extensionsUsed"] = (0..100_000).map(|number| format!("FOO_{number}")).collect();
    let warnings = load(&document).unwrap().warnings;
    assert_eq!(warnings[0].count, 100_000);
    assert!(warnings[0].found.ends_with("`FOO_7` and 99992 more"), "{}", warnings[0].found);
    document["extensionsRequired"] = json!(["FOO_bar"]);
    assert!(load(&document).unwrap_err().to_string().starts_with("extensionsRequired: a model that needs `FOO_bar`"));
}

/// The message of a strict reader.
fn refusal(bytes: &[u8], format: Format) -> String {
    read_with(bytes, format, &ReadOptions::default().strict(true)).expect_err("a strict reader refuses it").to_string()
}

/// Checks that a document is read with one warning (kind, number, place), and refused by a strict reader.
fn check(document: &Value, (what, count, place): (&str, u64, &str), start: &str) {
    let model = load(document).unwrap();
    assert_eq!(model.triangle_count(), 1);
    let [warning] = model.warnings.as_slice() else { panic!("{:?}", model.warnings) };
    assert_eq!((warning.what, warning.count, warning.place.to_string().as_str()), (what, count, place));
    let message = refusal(document.to_string().as_bytes(), Format::Gltf);
    assert!(message.starts_with(start), "{message}");
}

#[test]
fn what_holds_no_triangle_is_ignored() {
    let whole = document(json!([{"mesh": 0}]), &[]);
    let mut wrong = whole.clone();
    wrong["meshes"][0]["primitives"].as_array_mut().unwrap().push(json!({"attributes": {}}));
    let place = "meshes[0].primitives[1]";
    check(
        &wrong,
        ("primitives without positions", 1, place),
        "meshes[0].primitives[1]: found nothing, expected an attr",
    );
    let mut wrong = whole.clone();
    wrong["meshes"][0]["primitives"].as_array_mut().unwrap().push(json!({"attributes": {"POSITION": 0}, "indices": 2}));
    wrong["accessors"]
        .as_array_mut()
        .unwrap()
        .push(json!({"bufferView": 1, "componentType": 5121, "count": 2, "type": "SCALAR"}));
    check(&wrong, ("incomplete triangles", 1, place), "meshes[0].primitives[1]: found `2 corners`, expected three");
    let mut wrong = whole.clone();
    let empty = json!({"bufferView": 1, "componentType": 5121, "count": 0, "type": "SCALAR"});
    wrong["accessors"].as_array_mut().unwrap().push(empty);
    wrong["meshes"]
        .as_array_mut()
        .unwrap()
        .push(json!({"primitives": [{"attributes": {"POSITION": 0}, "indices": 2}]}));
    wrong["nodes"].as_array_mut().unwrap().extend([json!({"mesh": 1}), json!({"mesh": 1})]);
    check(&wrong, ("meshes without a triangle", 1, "meshes[1]"), "meshes[1]: the mesh has no triangle");
    let mut wrong = whole;
    wrong["buffers"][0]["byteLength"] = json!(44);
    check(&wrong, ("buffers shorter than declared", 1, "buffers[0]"), "buffers[0]: 40 of its 44 bytes are there");
}

#[test]
fn bytes_around_a_document_are_ignored() {
    let whole = document(json!([{"mesh": 0}]), &[]).to_string();
    for (text, what, count, place) in [
        (format!("{whole}\0\0"), "NUL bytes", 2, "line 1"),
        (format!("\u{feff}{whole}"), "byte order marks", 1, "line 1"),
        (format!("{whole}\n\nhello "), "bytes after the end of the data", 5, "line 3, column 1"),
    ] {
        let model = read(text.as_bytes(), Format::Gltf).unwrap();
        let [warning] = model.warnings.as_slice() else { panic!("{:?}", model.warnings) };
        assert_eq!((warning.what, warning.count, warning.place.to_string().as_str()), (what, count, place));
    }
    assert!(
        refusal(format!("{whole}x").as_bytes(), Format::Gltf).contains("expected the end of the glTF 2.0 document")
    );
    // The same around and in the binary container.
    let glb = |json: &[u8], declared: i64, rest: &[u8]| {
        let length = 12 + 8 + json.len() as i64;
        let mut bytes = b"glTF\x02\0\0\0".to_vec();
        bytes.extend(((length + declared) as u32).to_le_bytes());
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(b"JSON");
        bytes.extend(json);
        bytes.extend(rest);
        bytes
    };
    let length = 20 + whole.len();
    let padded = [whole.as_bytes(), &[0, 0, 0]].concat();
    let marked = [b"\xef\xbb\xbf", whole.as_bytes()].concat();
    for (bytes, what, count, place) in [
        (glb(whole.as_bytes(), 0, b"hello world"), "bytes after the end of the data", 11, format!("byte {length}")),
        (glb(&padded, 0, b""), "NUL bytes", 3, format!("byte {length}")),
        (glb(&marked, 0, b""), "byte order marks", 1, "byte 20".to_owned()),
        (glb(whole.as_bytes(), -4, b""), "wrong lengths in the header", 1, "byte 8".to_owned()),
    ] {
        let model = read(&bytes, Format::Glb).unwrap();
        let [warning] = model.warnings.as_slice() else { panic!("{:?}", model.warnings) };
        assert_eq!((warning.what, warning.count, warning.place.to_string()), (what, count, place));
    }
}

fn tetrahedron() -> TriMesh {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap()
}

#[test]
fn colours_become_materials_that_share_the_accessors() {
    let (red, glass) = (Some([255, 0, 0, 255]), Some([0, 128, 10, 51]));
    let part = |name: &str, colour| Part { colour, ..Part::new(name, 0, Pose::IDENTITY) };
    let parts = vec![part("a", red), part("b", None), part("c", glass), part("d", red)];
    let model = Model { meshes: vec![tetrahedron()], parts, unit: Some(LengthUnit::Metre), ..Model::default() };
    let mut bytes = Vec::new();
    write(&model, Format::Gltf, &mut bytes).unwrap();
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(document["accessors"].as_array().unwrap().len(), 2);
    let meshes: Vec<u64> =
        document["nodes"].as_array().unwrap().iter().map(|node| node["mesh"].as_u64().unwrap()).collect();
    assert_eq!(meshes, [0, 1, 2, 0]);
    let primitive = |mesh: usize| document["meshes"][mesh]["primitives"][0].clone();
    assert_eq!(primitive(0), json!({"attributes": {"POSITION": 0}, "indices": 1, "material": 0}));
    assert_eq!(primitive(1), json!({"attributes": {"POSITION": 0}, "indices": 1}));
    assert_eq!(primitive(2), json!({"attributes": {"POSITION": 0}, "indices": 1, "material": 1}));
    let plain = |colour: [f64; 4]| json!({"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.8});
    assert_eq!(document["materials"].as_array().unwrap().len(), 2);
    assert_eq!(
        document["materials"][0],
        json!({"pbrMetallicRoughness": plain([1.0, 0.0, 0.0, 1.0]), "doubleSided": true})
    );
    // sRGB 128 is 0.215861 of the light; below 11 the curve is a line.
    assert_eq!(
        document["materials"][1],
        json!({"pbrMetallicRoughness": plain([0.0, 0.215861, 0.003035, 0.2]), "doubleSided": true,
            "alphaMode": "BLEND"})
    );
    let again = read(&bytes, Format::Gltf).unwrap();
    assert_eq!((again.meshes.len(), names(&again)), (1, vec!["a", "b", "c", "d"]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_model_in_any_unit_comes_back_in_metres(
        unit in prop::sample::select(&LengthUnit::ALL[..]), corner in prop::array::uniform3(-1000.0..1000.0_f32),
        offset in prop::array::uniform3(-1000.0..1000.0_f64), rotation in prop::array::uniform4(-1.0..1.0_f64),
    ) {
        let norm = rotation.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        prop_assume!(norm > 0.1);
        let corner = Vec3::from_array(corner.map(f64::from));
        let mesh = TriMesh::new(vec![Vec3::ZERO, Vec3::X, corner], vec![[0, 1, 2]]).unwrap();
        let pose = Pose::from_quaternion(rotation.map(|entry| entry / norm), Vec3::from_array(offset)).unwrap();
        let parts = vec![Part::new("a", 0, Pose::IDENTITY), Part::new("b", 0, pose)];
        let model = Model { meshes: vec![mesh], parts, unit: Some(unit), ..Model::default() };
        let mut bytes = Vec::new();
        write(&model, Format::Glb, &mut bytes).unwrap();
        let again = read(&bytes, Format::Glb).unwrap();
        prop_assert_eq!(again.unit, Some(LengthUnit::Metre));
        prop_assert_eq!(names(&again), ["a", "b"]);
        prop_assert_eq!(again.meshes.len(), 1);
        let is_near = |a: Vec3, b: Vec3| (a - b).abs().cmple(b.abs() * f64::EPSILON).all();
        prop_assert!(is_near(again.meshes[0].vertices()[2], corner * unit.metres()));
        prop_assert!(is_near(again.parts[1].pose.translation(), pose.translation() * unit.metres()));
        prop_assert_eq!(again.parts[1].pose.rotation(), pose.rotation());
    }
}
