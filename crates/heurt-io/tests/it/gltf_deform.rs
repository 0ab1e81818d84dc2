//! glTF at rest: morph targets with their default weights, skins, and units that files state in `extras`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heurt_geometry::Vec3;
use heurt_io::{Format, Model, ReadError, ReadOptions, Treatment, read, read_partial, read_with};
use serde_json::{Value, json};

/// A document under construction: accessors of `f32` or bytes over one buffer.
struct Builder {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Builder {
    fn new() -> Self {
        Self { bytes: Vec::new(), views: Vec::new(), accessors: Vec::new() }
    }

    fn view(&mut self, bytes: impl IntoIterator<Item = u8>) -> usize {
        let begin = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - begin;
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": begin, "byteLength": length}));
        self.views.len() - 1
    }

    fn floats(&mut self, shape: &str, count: usize, values: &[f32]) -> usize {
        let view = self.view(values.iter().flat_map(|value| value.to_le_bytes()));
        self.accessors.push(json!({"bufferView": view, "componentType": 5126, "count": count, "type": shape}));
        self.accessors.len() - 1
    }

    fn bytes(&mut self, shape: &str, count: usize, values: &[u8]) -> usize {
        let view = self.view(values.iter().copied());
        self.accessors.push(json!({"bufferView": view, "componentType": 5121, "count": count, "type": shape}));
        self.accessors.len() - 1
    }

    fn document(&self, mut rest: Value) -> Vec<u8> {
        let data = BASE64_STANDARD.encode(&self.bytes);
        rest["asset"]["version"] = json!("2.0");
        rest["accessors"] = json!(self.accessors);
        rest["bufferViews"] = json!(self.views);
        let uri = format!("data:application/octet-stream;base64,{data}");
        rest["buffers"] = json!([{"byteLength": self.bytes.len(), "uri": uri}]);
        rest.to_string().into_bytes()
    }
}

const CORNERS: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.5];

fn placed(model: &Model, part: usize) -> [Vec3; 3] {
    let part = &model.parts[part];
    model.meshes[part.mesh].corners(0).map(|corner| part.pose.place(corner))
}

fn moved(by: [f64; 3]) -> [Vec3; 3] {
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.5]].map(|corner| Vec3::from_array(corner) + Vec3::from_array(by))
}

/// A triangle with two morph targets, one along x, one along y for its last corner alone (sparse).
fn morphed(nodes: Value, weights: Value) -> Vec<u8> {
    let mut builder = Builder::new();
    let position = builder.floats("VEC3", 3, &CORNERS);
    let along_x = builder.floats("VEC3", 3, &[2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let indices = builder.view([2]);
    let values = builder.view([0.0_f32, 4.0, 0.0].iter().flat_map(|value| value.to_le_bytes()));
    builder.accessors.push(json!({"componentType": 5126, "count": 3, "type": "VEC3", "sparse": {
        "count": 1, "indices": {"bufferView": indices, "componentType": 5121}, "values": {"bufferView": values}
    }}));
    let primitive =
        json!({"attributes": {"POSITION": position}, "targets": [{"POSITION": along_x}, {"POSITION": 2}, {}]});
    let mut mesh = json!({"name": "tri", "primitives": [primitive]});
    if !weights.is_null() {
        mesh["weights"] = weights;
    }
    builder.document(json!({"nodes": nodes, "meshes": [mesh]}))
}

#[test]
fn morph_targets_move_positions_by_the_weights_of_the_mesh() {
    let model = read(&morphed(json!([{"mesh": 0}]), json!([0.25, 0.5, 1.0])), Format::Gltf).unwrap();
    let [a, b, c] = moved([0.5, 0.0, 0.0]);
    assert_eq!(placed(&model, 0), [a, b, c + Vec3::Y * 2.0]);
    assert!(model.warnings.is_empty());
    let without = read(&morphed(json!([{"mesh": 0}]), Value::Null), Format::Gltf).unwrap();
    assert_eq!(placed(&without, 0), moved([0.0; 3]));
}

#[test]
fn weights_of_a_node_replace_those_of_the_mesh() {
    let nodes = json!([
        {"mesh": 0},
        {"mesh": 0, "weights": [1.0, 0.0], "translation": [0, 0, 7]},
        {"mesh": 0, "weights": [1.0, 0.0]},
        {"mesh": 0, "weights": [0.0, 0.0]},
    ]);
    let model = read(&morphed(nodes, json!([0.5])), Format::Gltf).unwrap();
    assert_eq!(placed(&model, 0), moved([1.0, 0.0, 0.0]));
    assert_eq!(placed(&model, 1), moved([2.0, 0.0, 7.0]));
    assert_eq!(placed(&model, 3), moved([0.0; 3]));
    // Nodes of equal weights share their mesh.
    let meshes: Vec<usize> = model.parts.iter().map(|part| part.mesh).collect();
    assert_eq!(meshes, [0, 1, 1, 2]);
}

#[test]
fn meshes_that_differ_in_their_weights_are_not_one() {
    let mut builder = Builder::new();
    let position = builder.floats("VEC3", 3, &CORNERS);
    let target = builder.floats("VEC3", 3, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let primitive = json!({"attributes": {"POSITION": position}, "targets": [{"POSITION": target}]});
    let meshes = json!([
        {"primitives": [primitive], "weights": [0.0]},
        {"primitives": [primitive], "weights": [3.0]},
    ]);
    let file = builder.document(json!({"nodes": [{"mesh": 0}, {"mesh": 1}], "meshes": meshes}));
    let model = read(&file, Format::Gltf).unwrap();
    assert_eq!([placed(&model, 0), placed(&model, 1)], [moved([0.0; 3]), moved([0.0, 0.0, 3.0])]);
}

#[test]
fn a_morph_target_of_another_length_is_named() {
    let mut builder = Builder::new();
    builder.floats("VEC3", 3, &CORNERS);
    builder.floats("VEC3", 2, &CORNERS[..6]);
    let primitive = json!({"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}]});
    let mesh = json!({"primitives": [primitive], "weights": [1.0]});
    let file = builder.document(json!({"nodes": [{"mesh": 0}], "meshes": [mesh]}));
    let message = read(&file, Format::Gltf).unwrap_err().to_string();
    assert_eq!(message, "meshes[0].primitives[0].targets[0]: found `2 elements`, expected 3, one for each position");
}

/// A matrix of a translation, column by column.
fn translation(x: f32, y: f32, z: f32) -> [f32; 16] {
    let mut matrix = [0.0; 16];
    for diagonal in [0, 5, 10, 15] {
        matrix[diagonal] = 1.0;
    }
    matrix[12..15].copy_from_slice(&[x, y, z]);
    matrix
}

/// A triangle that follows two joints: its corners the first, the second, and both by halves.
fn skinned(change: impl FnOnce(&mut Value), joints: &[u8; 12], weights: &[f32; 12]) -> Vec<u8> {
    let mut builder = Builder::new();
    let position = builder.floats("VEC3", 3, &CORNERS);
    let joints = builder.bytes("VEC4", 3, joints);
    let weights = builder.floats("VEC4", 3, weights);
    let inverse = [translation(0.0, 0.0, 0.0), translation(-1.0, 0.0, 0.0)].concat();
    let inverse = builder.floats("MAT4", 2, &inverse);
    let attributes = json!({"POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights});
    let mut rest = json!({
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"name": "body", "mesh": 0, "skin": 0, "translation": [100, 100, 100]},
            {"name": "root", "translation": [0, 0, 10], "children": [2, 3]},
            {"name": "first"},
            {"name": "second", "translation": [1, 0, 0], "scale": [1, 3, 1]},
        ],
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "skins": [{"joints": [2, 3], "inverseBindMatrices": inverse}],
    });
    change(&mut rest);
    builder.document(rest)
}

const JOINTS: [u8; 12] = [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0];
const WEIGHTS: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0];

#[test]
fn joints_place_the_vertices_of_a_skin_and_its_node_does_not() {
    let model = read(&skinned(|_| {}, &JOINTS, &WEIGHTS), Format::Gltf).unwrap();
    // The second joint is where it was bound, and scales y by 3; its weight of a half is divided by its sum.
    let expected = [[0.0, 0.0, 10.0], [1.0, 0.0, 10.0], [0.0, 4.0, 10.5]].map(Vec3::from_array);
    assert_eq!(placed(&model, 0), expected);
    assert!(model.warnings.is_empty() && model.parts[0].name == "body");
}

#[test]
fn a_skin_at_rest_in_its_bind_pose_is_the_mesh() {
    let at_rest = |rest: &mut Value| {
        rest["nodes"][1]["translation"] = json!([0, 0, 0]);
        rest["nodes"][3]["scale"] = json!([1, 1, 1]);
    };
    let model = read(&skinned(at_rest, &JOINTS, &WEIGHTS), Format::Gltf).unwrap();
    assert_eq!(placed(&model, 0), moved([0.0; 3]));
    // Without matrices, a vertex moves as its joints do.
    let without = |rest: &mut Value| {
        rest["nodes"][3]["scale"] = json!([1, 1, 1]);
        rest["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    };
    let model = read(&skinned(without, &JOINTS, &WEIGHTS), Format::Gltf).unwrap();
    let expected = [[0.0, 0.0, 10.0], [2.0, 0.0, 10.0], [0.5, 2.0, 10.5]].map(Vec3::from_array);
    assert_eq!(placed(&model, 0), expected);
}

#[test]
fn a_mirrored_skeleton_keeps_faces_outward() {
    let mirror = |rest: &mut Value| rest["nodes"][1]["scale"] = json!([-1, 1, 1]);
    let model = read(&skinned(mirror, &JOINTS, &WEIGHTS), Format::Gltf).unwrap();
    let expected = [[0.0, 0.0, 10.0], [0.0, 4.0, 10.5], [-1.0, 0.0, 10.0]].map(Vec3::from_array);
    assert_eq!(placed(&model, 0), expected);
}

#[test]
fn vertices_without_a_weight_follow_their_first_joint() {
    let mut weights = WEIGHTS;
    weights[0] = 0.0;
    let file = skinned(|_| {}, &JOINTS, &weights);
    let model = read(&file, Format::Gltf).unwrap();
    assert_eq!(placed(&model, 0)[0], Vec3::Z * 10.0);
    assert_eq!((model.warnings[0].count, model.warnings[0].treatment), (1, Treatment::Ignored));
    assert!(read_with(&file, Format::Gltf, &ReadOptions::default().strict(true)).is_err());
}

#[test]
fn broken_skins_are_faults_of_their_part() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 5] = [
        (|rest| rest["nodes"][0]["skin"] = json!(4), "skins[4]: needs 5 skins"),
        (|rest| rest["skins"][0]["joints"] = json!([2, 77]), "skins[0].joints[1]: 77 names no node with a valid place"),
        (
            |rest| rest["skins"][0]["joints"] = json!([2]),
            "primitives[0].attributes, vertex 1: needs 2 joints of the skin",
        ),
        (|rest| rest["skins"][0]["joints"] = json!([2, 3, 2]), "accessors[3]: needs 3 matrices, one for each joint"),
        (
            |rest| {
                rest["meshes"][0]["primitives"][0]["attributes"].as_object_mut().unwrap().remove("WEIGHTS_0");
            },
            "expected attributes JOINTS_0 and WEIGHTS_0 for a node with a skin",
        ),
    ];
    for (change, expected) in cases {
        let read = read_partial(&skinned(change, &JOINTS, &WEIGHTS), Format::Gltf, &ReadOptions::default()).unwrap();
        let message = read.failures[0].error.to_string();
        assert!(message.contains(expected), "{message}");
    }
    // A cycle of joints is neither followed for ever nor placed.
    let cycle = |rest: &mut Value| {
        rest["nodes"][2]["children"] = json!([2]);
        rest["nodes"][1]["children"] = json!([3]);
    };
    let read = read_partial(&skinned(cycle, &JOINTS, &WEIGHTS), Format::Gltf, &ReadOptions::default()).unwrap();
    assert!(matches!(read.failures[0].error, ReadError::Missing { .. }));
}

#[test]
fn a_unit_in_extras_is_named_and_the_metre_kept() {
    let mut builder = Builder::new();
    builder.floats("VEC3", 3, &CORNERS);
    let file = |extras: Value| {
        let mut rest = json!({"nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]});
        for (key, value) in extras.as_object().unwrap() {
            rest[key] = value.clone();
        }
        read(&builder.document(rest), Format::Gltf).unwrap()
    };
    let model = file(json!({"asset": {"extras": {"a": [1, {}], "units": "mm"}}}));
    assert_eq!(model.warnings[0].treatment, Treatment::UnitIgnored);
    assert_eq!(model.warnings[0].to_string(), "asset.extras: the unit `mm` is ignored: glTF is in metres");
    let scene = json!({"scene": 0, "scenes": [{"nodes": [0], "extras": {"length_unit": "Inches"}}]});
    assert_eq!(file(scene).warnings[0].to_string(), "scene.extras: the unit `Inches` is ignored: glTF is in metres");
    for silent in [
        json!({"extras": {"units": "meters"}}),
        json!({"extras": {"units": 7}}),
        json!({"extras": "mm"}),
        json!({"extras": [{"units": "mm"}]}),
        json!({"extras": null}),
        json!({"asset": {"extras": {"units": "parsec"}}}),
    ] {
        assert!(file(silent.clone()).warnings.is_empty(), "{silent}");
    }
}
