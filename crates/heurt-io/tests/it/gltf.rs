//! glTF and GLB files: hierarchy, instances, stretches, accessors, and what is refused.

use heurt_geometry::{Pose, Vec3};
use heurt_io::{Format, Model, PartialModel, ReadError, ReadOptions, read, read_partial, read_with};
use serde_json::{Value, json};

/// Three corners of a triangle, then its indices as bytes, then one byte of padding.
fn buffer() -> Vec<u8> {
    let corners: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.5];
    corners.iter().flat_map(|value| value.to_le_bytes()).chain([0, 1, 2, 0]).collect()
}

fn document(nodes: Value) -> Value {
    json!({
        "asset": {"version": "2.0"},
        "nodes": nodes,
        "meshes": [{"name": "tri", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"}
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 3}
        ],
        "buffers": [{"byteLength": 40}]
    })
}

fn glb(document: &Value, binary: Option<&[u8]>) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    if let Some(binary) = binary {
        bytes.extend((binary.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(binary);
    }
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn load(document: &Value) -> Result<Model, ReadError> {
    read(&glb(document, Some(&buffer())), Format::Glb)
}

/// The message of a strict reader.
fn refusal(document: &Value) -> String {
    let bytes = glb(document, Some(&buffer()));
    let options = ReadOptions::default().strict(true);
    read_with(&bytes, Format::Glb, &options).expect_err("the file is wrong").to_string()
}

fn names(model: &Model) -> Vec<&str> {
    model.parts.iter().map(|part| part.name.as_str()).collect()
}

/// Where the corners of a part stand.
fn corners(model: &Model, part: usize) -> [Vec3; 3] {
    let part = &model.parts[part];
    model.meshes[part.mesh].corners(0).map(|corner| part.pose.place(corner))
}

#[test]
fn nodes_that_share_a_mesh_are_instances_with_unique_names() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let model = load(&document(json!([
        {"name": "bolt", "mesh": 0},
        {"name": "bolt", "mesh": 0, "translation": [0.1, 0, 0]},
        {"mesh": 0, "rotation": [0, 0, half, half]},
        {"name": "empty"},
        {"name": "bolt#2", "mesh": 0},
        {"name": "bolt", "mesh": 0},
    ])))
    .unwrap();
    assert_eq!(names(&model), ["bolt", "bolt#3", "tri", "bolt#2", "bolt#4"]);
    assert_eq!((model.meshes.len(), model.triangle_count()), (1, 5));
    // The translation is not rounded to f32.
    assert_eq!(model.parts[1].pose, Pose::from_translation(Vec3::new(0.1, 0.0, 0.0)).unwrap());
    assert!(corners(&model, 2)[1].distance(Vec3::Y) < 1e-15);
}

#[test]
fn children_move_with_their_parents() {
    let mut document = document(json!([
        {"mesh": 0, "translation": [1, 0, 0]},
        {"name": "arm", "children": [0, 2], "translation": [0, 10, 0], "rotation": [0, 0, 1, 0]},
        {"name": "leaf", "mesh": 0},
        {"name": "hidden", "mesh": 0}
    ]));
    document["scenes"] = json!([{"nodes": [3]}, {"nodes": [1]}]);
    document["scene"] = json!(1);
    let model = load(&document).unwrap();
    assert_eq!(names(&model), ["arm/tri", "arm/leaf"]);
    assert_eq!(corners(&model, 0)[0], Vec3::new(-1.0, 10.0, 0.0));
    assert_eq!(corners(&model, 1)[2], Vec3::new(0.0, 8.0, 0.5));
    document["scene"] = json!(null);
    assert_eq!(names(&load(&document).unwrap()), ["hidden"]);
    document["scene"] = json!(2);
    assert_eq!(refusal(&document), "scene: needs 3 scenes, but there are 2: export the model again");
}

#[test]
fn scale_is_baked_once_per_distinct_stretch() {
    let model = load(&document(json!([
        {"name": "root", "scale": [2, 2, 2], "children": [1, 2, 3, 4, 5]},
        {"mesh": 0, "translation": [1, 0, 0]},
        {"mesh": 0, "rotation": [0, 0, 1, 0]},
        {"mesh": 0, "scale": [0.5, 0.5, 0.5]},
        {"mesh": 0, "matrix": [0, 0.25, 0, 0, -0.25, 0, 0, 0, 0, 0, 0.25, 0, 3, 0, 0, 1]},
        {"mesh": 0, "scale": [1, 3, 1]},
    ])))
    .unwrap();
    let meshes: Vec<usize> = model.parts.iter().map(|part| part.mesh).collect();
    assert_eq!(meshes, [0, 0, 1, 2, 3]);
    assert_eq!(corners(&model, 0), [[2.0, 0.0, 0.0], [4.0, 0.0, 0.0], [2.0, 4.0, 1.0]].map(Vec3::from_array));
    assert_eq!(corners(&model, 1)[2], Vec3::new(0.0, -4.0, 1.0));
    assert_eq!(corners(&model, 2)[2], Vec3::new(0.0, 2.0, 0.5));
    assert_eq!(corners(&model, 3), [[6.0, 0.0, 0.0], [6.0, 0.5, 0.0], [5.0, 0.0, 0.25]].map(Vec3::from_array));
    assert_eq!(corners(&model, 4)[2], Vec3::new(0.0, 12.0, 1.0));
}

#[test]
fn a_mirror_turns_faces_over() {
    let normal = |model: &Model, part| {
        let [a, b, c] = corners(model, part);
        (b - a).cross(c - a)
    };
    let model = load(&document(json!([
        {"mesh": 0},
        {"mesh": 0, "scale": [-1, 1, 1]},
        {"mesh": 0, "scale": [-2, -2, -2]},
        {"mesh": 0, "scale": [-1, -1, 1]},
        {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]},
    ])))
    .unwrap();
    assert_eq!(model.meshes.len(), 5);
    let original = normal(&model, 0);
    assert_eq!(normal(&model, 1), original * Vec3::new(-1.0, 1.0, 1.0));
    assert_eq!(normal(&model, 2), original * -4.0);
    assert_eq!(normal(&model, 3), original * Vec3::new(-1.0, -1.0, 1.0));
    assert_eq!(normal(&model, 4), original * Vec3::new(1.0, 1.0, -1.0));
    assert_eq!(corners(&model, 4)[0..1], [Vec3::ZERO]);
}

#[test]
fn shear_is_baked_and_keeps_the_place_of_every_corner() {
    // A rotated child under a non-uniform scale is sheared; compare with the product of the matrices.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let turn = [0.0, 0.0, (std::f64::consts::PI / 8.0).sin(), (std::f64::consts::PI / 8.0).cos()];
    let model = load(&document(json!([
        {"scale": [1, 4, 1], "translation": [1, 1, 1], "children": [1]},
        {"rotation": turn, "translation": [0, 2, 0], "children": [2]},
        {"mesh": 0, "scale": [3, 1, 1]},
        {"mesh": 0, "matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 7, 0, 0, 1]},
    ])))
    .unwrap();
    for (corner, placed) in [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 2.0, 0.5)].into_iter().zip(corners(&model, 0)) {
        let inner = corner * Vec3::new(3.0, 1.0, 1.0);
        let turned = Vec3::new(half * (inner.x - inner.y), half * (inner.x + inner.y) + 2.0, inner.z);
        let expected = turned * Vec3::new(1.0, 4.0, 1.0) + Vec3::ONE;
        assert!(placed.distance(expected) < 1e-12, "{placed} {expected}");
    }
    assert_eq!(corners(&model, 1)[2], Vec3::new(8.0, 2.0, 0.5));
}

#[test]
fn strips_fans_and_lists_without_indices_are_read() {
    let corners: Vec<f32> = (0..5).flat_map(|i| [i as f32, (i * i) as f32, 0.0]).collect();
    let binary: Vec<u8> = corners.iter().flat_map(|value| value.to_le_bytes()).collect();
    let triangles = |mode: Option<u32>, count: u32| {
        let mut document = document(json!([{"mesh": 0}]));
        document["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": 0}}]}]);
        if let Some(mode) = mode {
            document["meshes"][0]["primitives"][0]["mode"] = json!(mode);
        }
        document["accessors"] = json!([{"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3"}]);
        document["bufferViews"] = json!([{"buffer": 0, "byteLength": 60}]);
        document["buffers"] = json!([{"byteLength": 60}]);
        let options = ReadOptions::default().strict(true);
        read_with(&glb(&document, Some(&binary)), Format::Glb, &options)
            .map(|model| model.meshes[0].triangles().to_vec())
    };
    assert_eq!(triangles(None, 3).unwrap(), [[0, 1, 2]]);
    assert_eq!(triangles(Some(5), 5).unwrap(), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
    assert_eq!(triangles(Some(6), 5).unwrap(), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    assert!(
        triangles(Some(4), 5)
            .unwrap_err()
            .to_string()
            .starts_with("meshes[0].primitives[0]: found `5 corners`, expected three")
    );
    assert!(triangles(Some(7), 5).unwrap_err().to_string().contains("expected a mode of 0 to 6"));
    assert_eq!(
        triangles(Some(1), 4).unwrap_err().to_string(),
        "scene: the GLB file ends without a face: give at least one triangle"
    );
    for too_few in [triangles(Some(5), 2), triangles(Some(6), 1), triangles(Some(6), 0), triangles(None, 0)] {
        assert_eq!(too_few.unwrap_err().to_string(), "meshes[0]: the mesh has no triangle: give at least one face");
    }
}

#[test]
fn quantised_strided_and_sparse_positions_are_read() {
    // Two bytes of padding after three normalised shorts; index 1 is replaced.
    let shorts: [i16; 12] = [0, 0, 0, 0, 32767, 0, 0, 0, 0, -32768, 16384, 0];
    let mut binary: Vec<u8> = shorts.iter().flat_map(|value| value.to_le_bytes()).collect();
    binary.extend([0, 1, 2, 1]);
    binary.extend([32767_i16, 32767, 0].iter().flat_map(|value| value.to_le_bytes()));
    let mut document = document(json!([{"mesh": 0}]));
    document["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    document["accessors"] = json!([
        {"bufferView": 0, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC3", "sparse": {
            "count": 1, "indices": {"bufferView": 1, "byteOffset": 3, "componentType": 5121}, "values": {"bufferView": 2}}},
        {"bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR"}
    ]);
    document["bufferViews"] = json!([
        {"buffer": 0, "byteLength": 24, "byteStride": 8},
        {"buffer": 0, "byteOffset": 24, "byteLength": 4},
        {"buffer": 0, "byteOffset": 28, "byteLength": 6}
    ]);
    document["buffers"] = json!([{"byteLength": 34}]);
    let model = read(&glb(&document, Some(&binary)), Format::Glb).unwrap();
    let expected = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, -1.0, 16384.0 / 32767.0]].map(Vec3::from_array);
    assert_eq!(model.meshes[0].vertices(), expected);
    let mut wrong = document.clone();
    wrong["accessors"][0]["sparse"]["indices"]["byteOffset"] = json!(4);
    assert!(
        read(&glb(&wrong, Some(&binary)), Format::Glb)
            .unwrap_err()
            .to_string()
            .starts_with("accessors[0]: needs 5 bytes of its buffer view")
    );
    let message = |document, binary: &[u8]| read(&glb(document, Some(binary)), Format::Glb).unwrap_err().to_string();
    let mut last = binary.clone();
    last[27] = 3;
    assert!(message(&document, &last).starts_with("accessors[0]: needs 4 elements"));
    // An index that is infinite.
    wrong["accessors"][0]["sparse"]["indices"] = json!({"bufferView": 1, "componentType": 5126});
    binary[24..28].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert!(message(&wrong, &binary).contains("component type 5121, 5123 or 5125 for indices"));
}

#[test]
fn buffers_come_from_data_uris_and_from_the_caller() {
    // The 40 bytes of `buffer()`.
    let data = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAEAAAAA/AAECAA==";
    let mut document = document(json!([{"mesh": 0}]));
    for uri in
        [format!("data:application/octet-stream;base64,{data}"), format!("data:;base64,{}", data.trim_end_matches('='))]
    {
        document["buffers"][0]["uri"] = json!(uri);
        let model = read(document.to_string().as_bytes(), Format::Gltf).unwrap();
        assert_eq!(corners(&model, 0)[2], Vec3::new(0.0, 2.0, 0.5));
    }
    document["buffers"][0]["uri"] = json!("my%20part.bin");
    let bytes = document.to_string();
    let fetch = |path: &str| (path == "my part.bin").then(buffer);
    assert!(read_with(bytes.as_bytes(), Format::Gltf, &ReadOptions::default().resolve(&fetch)).is_ok());
    let message =
        |options: &ReadOptions<'_>| read_with(bytes.as_bytes(), Format::Gltf, options).unwrap_err().to_string();
    let remedy = "pack the model as one GLB file, or put the buffer where the file names it";
    assert_eq!(
        message(&ReadOptions::default()),
        format!("buffers[0]: it lies in another file, `my%20part.bin`: {remedy}")
    );
    assert_eq!(
        message(&ReadOptions::default().resolve(&|_| None)),
        format!("buffers[0]: the file `my%20part.bin` cannot be read: {remedy}")
    );
    assert_eq!(
        message(&ReadOptions::default().strict(true).resolve(&|_| Some(vec![0; 39]))),
        format!("buffers[0]: 39 of its 40 bytes are there: {remedy}")
    );
    // Of a lenient reader the bytes that are missing may be those that nothing uses.
    assert_eq!(
        message(&ReadOptions::default().resolve(&|_| Some(vec![0; 38]))),
        format!("buffers[0]: 38 of its 40 bytes are there: {remedy}")
    );
}

#[test]
fn missing_buffers_are_named() {
    let whole = document(json!([{"mesh": 0}]));
    let without = read(&glb(&whole, None), Format::Glb).unwrap_err().to_string();
    assert!(without.starts_with("buffers[0]: it has no URI, and there is no binary chunk: pack"), "{without}");
    let short = read(&glb(&whole, Some(&buffer()[..36])), Format::Glb).unwrap_err().to_string();
    assert!(short.starts_with("buffers[0]: 36 of its 40 bytes are there"), "{short}");
    for (uri, start) in [
        ("https://example.org/a.bin", "it lies in another file"),
        ("data:text/plain,hello", "the URI `data:text/plain,hello` is not base64"),
        ("data:;base64,AA!A", "its base64 data is broken"),
    ] {
        let mut wrong = whole.clone();
        wrong["buffers"][0]["uri"] = json!(uri);
        assert!(refusal(&wrong).starts_with(&format!("buffers[0]: {start}")), "{}", refusal(&wrong));
    }
    let mut second = whole;
    second["bufferViews"][0]["buffer"] = json!(1);
    assert!(refusal(&second).starts_with("buffers[1]: needs 2 buffers, but there are 1"));
    second["buffers"] = json!([{"byteLength": 40}, {"byteLength": 40}]);
    assert!(refusal(&second).starts_with("buffers[1]: it has no URI, and only buffer 0 may be the binary chunk"));
}

#[test]
fn references_that_lead_nowhere_are_named() {
    let whole = document(json!([{"mesh": 0}]));
    let cases = [
        ("/nodes/0/mesh", json!(1), "nodes[0].mesh: needs 2 meshes, but there are 1"),
        ("/nodes/0/children", json!([7]), "nodes[7]: needs 8 nodes, but there are 1"),
        ("/meshes/0/primitives/0/attributes/POSITION", json!(2), "accessors[2]: needs 3 accessors"),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            json!(null),
            "meshes[0].primitives[0]: found nothing, expected an attribute",
        ),
        ("/accessors/0/bufferView", json!(9), "bufferViews[9]: needs 10 buffer views"),
        ("/accessors/0/bufferView", json!(null), "accessors[0]: found nothing, expected a bufferView"),
        ("/accessors/0/count", json!(4), "accessors[0]: needs 48 bytes of its buffer view, but there are 36"),
        (
            "/accessors/0/byteOffset",
            json!(u64::MAX),
            "accessors[0]: needs 18446744073709551615 bytes of its buffer view",
        ),
        ("/accessors/0/type", json!("VEC2"), "accessors[0]: found `VEC2`, expected type VEC3"),
        ("/accessors/0/componentType", json!(1), "accessors[0]: found `1`, expected a component type"),
        ("/accessors/1/componentType", json!(5126), "accessors[1]: found `5126`, expected component type 5121"),
        ("/accessors/1/type", json!("VEC3"), "accessors[1]: found `VEC3`, expected type SCALAR"),
        ("/bufferViews/0/byteLength", json!(41), "bufferViews[0]: needs 41 bytes of its buffer, but there are 40"),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), "bufferViews[0]: needs 18446744073709551615 bytes"),
        ("/bufferViews/0/byteStride", json!(0), "accessors[0]: found `0`, expected a byteStride of at least 12"),
        ("/asset/version", json!("1.0"), "asset.version: found `1.0`, expected version 2.0"),
        (
            "/extensionsRequired",
            json!(["FOO_geometry"]),
            "extensionsRequired: a model that needs `FOO_geometry` cannot be read",
        ),
        ("/nodes/0/rotation", json!([0, 0, 0, 2]), "nodes[0]: the quaternion [0, 0, 0, 2] has norm 2"),
        (
            "/nodes/0/matrix",
            json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2]),
            "nodes[0].matrix: found `0 0 0 2`, expected a last row",
        ),
        ("/nodes/0/scale", json!([1e308, 1e308, 1e308]), "nodes[0]: vertex 2 has coordinates"),
    ];
    for (path, value, start) in cases {
        let mut wrong = whole.clone();
        let (parent, key) = path.rsplit_once('/').unwrap();
        wrong.pointer_mut(parent).unwrap()[key] = value;
        assert!(refusal(&wrong).starts_with(start), "{path} gives {}", refusal(&wrong));
    }
    assert_eq!(refusal(&document(json!([{}]))), "scene: the GLB file ends without a face: give at least one triangle");
}

#[test]
fn wrong_numbers_in_buffers_are_named() {
    let whole = document(json!([{"mesh": 0}]));
    let mut binary = buffer();
    binary[38] = 3;
    let message = read(&glb(&whole, Some(&binary)), Format::Glb).unwrap_err().to_string();
    assert_eq!(
        message,
        "meshes[0].primitives[0].indices: the face names vertex 3, but the number of vertices is 3: indices run from 0 to 2"
    );
    binary[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
    let message = read(&glb(&whole, Some(&binary)), Format::Glb).unwrap_err().to_string();
    assert!(message.starts_with("accessors[0], element 1: the coordinate") && message.contains("NaN"), "{message}");
}

#[test]
fn a_hierarchy_that_is_no_tree_is_refused_and_a_deep_one_is_walked() {
    let mut document = document(json!([{"children": [1]}, {"children": [0]}]));
    document["scenes"] = json!([{"nodes": [0]}]);
    assert_eq!(refusal(&document), "nodes[0]: reached twice, the hierarchy is no tree: give every node one parent");
    document["nodes"] = json!([{"children": [1, 1]}, {"mesh": 0}]);
    assert!(refusal(&document).starts_with("nodes[1]: reached twice"));
    let depth = 100_000;
    let mut nodes: Vec<Value> =
        (1..depth).map(|child| json!({"children": [child], "translation": [0, 0, 0.5]})).collect();
    nodes.push(json!({"mesh": 0}));
    document["nodes"] = Value::Array(nodes);
    assert_eq!(corners(&load(&document).unwrap(), 0)[0], Vec3::new(0.0, 0.0, 0.5 * f64::from(depth - 1)));
}

#[test]
fn json_nested_too_deep_and_json_that_is_wrong_are_refused_with_their_place() {
    for place in ["extras\": ", "version\": "] {
        let deep = format!("{{\"asset\": {{\"{place}{}", "[".repeat(1_000_000));
        let message = read(deep.as_bytes(), Format::Gltf).unwrap_err().to_string();
        assert!(message.starts_with("line 1, column ") && message.contains("found a fault ("), "{message}");
    }
    let message = read(b"{\n  \"nodes\": [}\n", Format::Gltf).unwrap_err().to_string();
    assert!(message.starts_with("line 2, column 13: found a fault ("), "{message}");
    let message = read(&[b"{\"nodes\": \"\xff\"}".as_slice()].concat(), Format::Gltf).unwrap_err().to_string();
    assert!(message.starts_with("line 1, column "), "{message}");
    let mut bytes = glb(&document(json!([{"mesh": 0}])), None);
    bytes[20] = b'!';
    let message = read(&bytes, Format::Glb).unwrap_err().to_string();
    assert!(message.starts_with("byte 20: found a fault ("), "{message}");
}

#[test]
fn containers_that_are_cut_or_wrong_are_refused_with_their_byte() {
    let whole = glb(&document(json!([{"mesh": 0}])), Some(&buffer()));
    for length in 4..whole.len() {
        let message = read(&whole[..length], Format::Glb).unwrap_err().to_string();
        assert!(message.starts_with(&format!("byte {length}: the file promises")), "{length}: {message}");
    }
    let wrong = |at: usize, bytes: &[u8]| {
        let mut file = whole.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        read(&file, Format::Glb).unwrap_err().to_string()
    };
    assert!(wrong(0, b"GLTF").starts_with("byte 0: found `GLTF`, expected `glTF`"));
    assert!(wrong(4, &[1]).starts_with("byte 4: found `1`, expected GLB version 2"));
    assert!(wrong(8, &[1, 0, 0, 0]).starts_with("byte 12: found nothing, expected a chunk `JSON`"));
    assert!(wrong(12, &[255; 4]).contains("the file promises 4294967295 bytes but holds"));
    assert!(wrong(16, b"BLOB").starts_with("byte 16: found `BLOB`, expected a chunk `JSON`"));
}

#[test]
fn a_file_cannot_unpack_out_of_proportion() {
    // 20,000 copies, each stretched differently, of a mesh of 20,000 triangles: 28 GB from half a megabyte.
    let nodes: Vec<Value> = (0..20_000).map(|node| json!({"mesh": 0, "scale": [1, 1, 2 + node]})).collect();
    let mut document = document(Value::Array(nodes));
    let binary: Vec<u8> = (0..20_000 * 9).flat_map(|i| (i as f32).to_le_bytes()).collect();
    document["meshes"][0]["primitives"] = json!([{"attributes": {"POSITION": 0}}]);
    document["accessors"] = json!([{"bufferView": 0, "componentType": 5126, "count": 60_000, "type": "VEC3"}]);
    document["bufferViews"] = json!([{"buffer": 0, "byteLength": binary.len()}]);
    document["buffers"] = json!([{"byteLength": binary.len()}]);
    let message = read(&glb(&document, Some(&binary)), Format::Glb).unwrap_err().to_string();
    assert!(message.contains("out of proportion to its size, cannot be read: apply scales and mirrors"), "{message}");
    // Unscaled, they are instances.
    document["nodes"].as_array_mut().unwrap().iter_mut().for_each(|node| node["scale"] = json!([1, 1, 1]));
    assert_eq!(read(&glb(&document, Some(&binary)), Format::Glb).unwrap().parts.len(), 20_000);
}

/// The document with a second mesh, whose indices run beyond their buffer view.
fn half_bad(nodes: Value) -> Value {
    let mut document = document(nodes);
    document["meshes"].as_array_mut().unwrap().push(json!({"name": "bad", "primitives": [
        {"attributes": {"POSITION": 0}, "indices": 2}]}));
    document["accessors"]
        .as_array_mut()
        .unwrap()
        .push(json!({"bufferView": 1, "componentType": 5121, "count": 9, "type": "SCALAR"}));
    document
}

fn partial(document: &Value) -> Result<PartialModel, ReadError> {
    read_partial(&glb(document, Some(&buffer())), Format::Glb, &ReadOptions::default())
}

#[test]
fn a_partial_reading_keeps_the_parts_that_are_whole() {
    let turned = json!([0, 0, 0, 2]);
    let document = half_bad(json!([
        {"mesh": 0, "name": "first"},
        {"mesh": 1, "name": "second"},
        {"mesh": 1},
        {"name": "arm", "rotation": turned, "children": [4, 5]},
        {"mesh": 0, "name": "hand"},
        {"name": "frame only"},
        {"mesh": 9, "name": "nowhere"},
        {"mesh": 0, "name": "last", "translation": [1, 2, 3]},
    ]));
    let read = partial(&document).unwrap();
    let names: Vec<&str> = read.model.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["first", "last"]);
    assert_eq!(read.model.meshes.len(), 1);
    assert_eq!(corners(&read.model, 1)[0], Vec3::new(1.0, 2.0, 3.0));
    let failures: Vec<(&str, String)> =
        read.failures.iter().map(|failure| (failure.part.as_str(), failure.error.to_string())).collect();
    let starts = [
        ("second", "accessors[2]: needs 9 bytes of its buffer view"),
        ("bad", "accessors[2]: needs 9 bytes of its buffer view"),
        ("arm", "nodes[3]: the quaternion [0, 0, 0, 2] has norm 2"),
        ("arm/hand", "nodes[3]: the quaternion [0, 0, 0, 2] has norm 2"),
        ("nowhere", "nodes[6].mesh: needs 10 meshes"),
    ];
    assert_eq!(failures.len(), starts.len(), "{failures:?}");
    for ((part, error), (name, start)) in failures.iter().zip(starts) {
        assert_eq!(*part, name);
        assert!(error.starts_with(start), "{error}");
    }
    // The strict reading fails with the first of them.
    assert_eq!(load(&document).unwrap_err(), read.failures[0].error);
}

#[test]
fn a_partial_reading_of_a_whole_file_is_the_strict_one_and_of_a_broken_one_fails() {
    let whole = document(json!([{"mesh": 0}, {"mesh": 0, "scale": [2, 2, 2]}]));
    let read = partial(&whole).unwrap();
    assert_eq!((read.model, read.failures), (load(&whole).unwrap(), Vec::new()));
    let only_bad = partial(&half_bad(json!([{"mesh": 1}]))).unwrap();
    assert_eq!((only_bad.model.parts.len(), only_bad.failures.len()), (0, 1), "nothing is whole, and it is said why");
    for (nodes, start) in [
        (json!([{"children": [7]}]), "nodes[7]: needs 8 nodes"),
        (json!([{"children": [1, 1]}, {"mesh": 0}]), "nodes[1]: reached twice"),
        (json!([{}]), "scene: the GLB file ends without a face"),
    ] {
        let error = partial(&document(nodes)).unwrap_err().to_string();
        assert!(error.starts_with(start), "{error}");
    }
    let options = ReadOptions::default();
    for format in Format::ALL {
        assert!(matches!(read_partial(b" \n", format, &options), Err(ReadError::Empty { .. })));
    }
    assert!(read_partial(b"{", Format::Gltf, &options).is_err());
    let obj = read_partial(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Format::Obj, &options).unwrap();
    assert_eq!((obj.model.parts.len(), obj.failures.len()), (1, 0));
    assert!(read_partial(b"v 0 0 0\nf 1 2 3\n", Format::Obj, &options).is_err());
}

#[test]
fn what_is_wrong_with_a_mesh_or_a_buffer_is_found_once() {
    // A buffer that cannot be fetched, named by ten thousand parts: asked for once.
    let mut document = document(Value::Array((0..10_000).map(|_| json!({"mesh": 0})).collect()));
    document["buffers"][0]["uri"] = json!("gone.bin");
    let calls = std::cell::Cell::new(0);
    let fetch = |_: &str| {
        calls.set(calls.get() + 1);
        None
    };
    let options = ReadOptions::default().resolve(&fetch);
    let read = read_partial(document.to_string().as_bytes(), Format::Gltf, &options).unwrap();
    assert_eq!((read.failures.len(), calls.get()), (10_000, 1));
}

#[test]
fn the_name_of_a_mesh_is_not_copied_out_of_proportion() {
    // 20,000 nodes that would each copy 20,000 letters: 400 MB from less than a megabyte.
    let mut document = document(Value::Array((0..20_000).map(|_| json!({"mesh": 0})).collect()));
    document["meshes"][0]["name"] = json!("x".repeat(20_000));
    for message in [refusal(&document), partial(&document).unwrap_err().to_string()] {
        assert!(
            message.contains("out of proportion to its size") && message.contains("shorten their names"),
            "{message}"
        );
    }
    document["meshes"][0]["name"] = json!("bolt");
    assert_eq!(load(&document).unwrap().parts[19_999].name, "bolt#20000");
}

#[test]
fn a_file_is_fetched_once_however_its_name_is_spelt() {
    let mut document = document(json!([{"mesh": 0}, {"mesh": 1}, {"mesh": 2}, {"mesh": 3}]));
    let spelt = ["part.bin", "./part.bin", "%70art.bin", ".//./p%61rt.bin"];
    for list in ["meshes", "accessors", "bufferViews", "buffers"] {
        document[list] = json!([]);
    }
    for (number, uri) in spelt.iter().enumerate() {
        let mut push = |list: &str, item: Value| document[list].as_array_mut().unwrap().push(item);
        push("meshes", json!({"primitives": [{"attributes": {"POSITION": number}}]}));
        push("accessors", json!({"bufferView": number, "componentType": 5126, "count": 3, "type": "VEC3"}));
        push("bufferViews", json!({"buffer": number, "byteLength": 36}));
        push("buffers", json!({"byteLength": 40, "uri": uri}));
    }
    let bytes = document.to_string();
    for there in [true, false] {
        let paths = std::cell::RefCell::new(Vec::new());
        let fetch = |path: &str| {
            paths.borrow_mut().push(path.to_owned());
            there.then(buffer)
        };
        let options = ReadOptions::default().resolve(&fetch);
        let read = read_partial(bytes.as_bytes(), Format::Gltf, &options).unwrap();
        assert_eq!((read.model.parts.len(), read.failures.len()), if there { (4, 0) } else { (0, 4) });
        assert_eq!(paths.into_inner(), ["part.bin"]);
        if let Some(last) = read.failures.last() {
            assert!(last.error.to_string().starts_with("buffers[3]: the file `.//./p%61rt.bin` cannot be read"));
        }
    }
}

#[test]
fn rotations_with_six_decimals_may_be_nested() {
    // Each matrix is a rotation within 1e-6; the product of five as they stand is none.
    let (s, c) = (0.642788, 0.766044);
    let turn = json!([c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    let mut nodes: Vec<Value> = (1..5).map(|child| json!({"matrix": turn, "children": [child]})).collect();
    nodes.push(json!({"matrix": turn, "mesh": 0}));
    let model = load(&document(Value::Array(nodes))).unwrap();
    assert!(model.parts[0].pose.defect() < 1e-15, "{}", model.parts[0].pose.defect());
    // Five times 40 degrees.
    let expected = Vec3::new(200_f64.to_radians().cos(), 200_f64.to_radians().sin(), 0.0);
    assert!(corners(&model, 0)[1].distance(expected) < 1e-5, "{}", corners(&model, 0)[1]);
    // What leaves the range of f64 is blamed on the node that does it.
    let far = document(json!([
        {"translation": [1.7e308, 0, 0], "children": [1]},
        {"translation": [1.7e308, 0, 0], "children": [2]},
        {"mesh": 0},
    ]));
    assert!(refusal(&far).starts_with("nodes[1]: the translation holds inf"), "{}", refusal(&far));
}

#[test]
fn causes_are_told_once() {
    let wrong = document(json!([{"mesh": 0, "rotation": [0, 0, 0, 2]}]));
    let error = load(&wrong).unwrap_err();
    assert!(error.to_string().contains("has norm 2"));
    assert!(std::error::Error::source(&error).is_none(), "the message holds it");
}
