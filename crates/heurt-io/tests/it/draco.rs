//! glTF primitives compressed by `KHR_draco_mesh_compression`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heurt_io::{Format, Model, ReadError, read};
use serde_json::{Value, json};

/// The corners of the unit tetrahedron and its faces, packed in sequence.
const SEQUENTIAL: &[u8] = &[
    68, 82, 65, 67, 79, 2, 2, 1, 0, 0, 0, 4, 4, 1, 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 1, 1, 0, 9, 3, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 128, 63,
];

fn document(packed: &[u8], is_required: bool) -> Value {
    let uri = format!("data:;base64,{}", BASE64_STANDARD.encode(packed));
    let mut document = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_draco_mesh_compression"],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "extensions":
            {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}}]}],
        "accessors": [
            {"componentType": 5126, "count": 4, "type": "VEC3"},
            {"componentType": 5125, "count": 12, "type": "SCALAR"}
        ],
        "bufferViews": [{"buffer": 0, "byteLength": packed.len()}],
        "buffers": [{"byteLength": packed.len(), "uri": uri}]
    });
    if is_required {
        document["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    }
    document
}

fn load(document: &Value) -> Result<Model, ReadError> {
    read(document.to_string().as_bytes(), Format::Gltf)
}

#[cfg(not(feature = "draco"))]
#[test]
fn compressed_primitives_are_refused_by_their_name() {
    let message = load(&document(SEQUENTIAL, true)).unwrap_err().to_string();
    let remedy = "export it without Draco compression, or build heurt with its feature `draco` (`--features draco`)";
    assert_eq!(
        message,
        format!("extensionsRequired: a model that needs `KHR_draco_mesh_compression` cannot be read: {remedy}")
    );
    let message = load(&document(SEQUENTIAL, false)).unwrap_err().to_string();
    let what = "a primitive compressed by `KHR_draco_mesh_compression`";
    assert_eq!(message, format!("meshes[0].primitives[0]: {what} cannot be read: {remedy}"));
}

#[cfg(feature = "draco")]
mod with_draco {
    use super::*;
    use heurt_geometry::Vec3;
    use proptest::prelude::*;
    use proptest::sample::Index;

    /// The same by the edges of the faces, and with positions of 10 bits.
    const EDGES: &[u8] = &[
        68, 82, 65, 67, 79, 2, 2, 1, 1, 0, 0, 0, 4, 4, 0, 3, 0, 0, 1, 47, 1, 1, 16, 1, 255, 0, 0, 1, 0, 9, 3, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    const QUANTISED: &[u8] = &[
        68, 82, 65, 67, 79, 2, 2, 1, 1, 0, 0, 0, 4, 4, 0, 3, 0, 0, 1, 47, 1, 1, 16, 1, 255, 0, 0, 1, 0, 9, 3, 0, 0, 2,
        1, 1, 1, 0, 3, 3, 1, 16, 1, 48, 3, 0, 80, 130, 36, 145, 4, 0, 0, 0, 0, 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 128, 63, 10,
    ];

    /// The volume enclosed by the only mesh, times six.
    fn volume(model: &Model) -> f64 {
        let mesh = &model.meshes[0];
        (0..mesh.triangles().len() as u32).map(|face| mesh.corners(face)).map(|[a, b, c]| a.dot(b.cross(c))).sum()
    }

    #[test]
    fn compressed_primitives_are_read() {
        let model = load(&document(SEQUENTIAL, true)).unwrap();
        assert_eq!(model.meshes[0].triangles(), [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
        assert_eq!(model.meshes[0].vertices(), [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]);
        for packed in [SEQUENTIAL, EDGES, QUANTISED] {
            for is_required in [false, true] {
                let model = load(&document(packed, is_required)).unwrap();
                assert_eq!((model.meshes[0].vertices().len(), model.triangle_count(), volume(&model)), (4, 4, 1.0));
                assert!(model.warnings.is_empty());
            }
        }
    }

    #[test]
    fn what_is_wrong_with_compressed_data_is_named() {
        let place = "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression";
        let message = load(&document(&EDGES[..40], true)).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{place}: Draco data (")), "{message}");
        let mut wrong = document(EDGES, true);
        wrong["meshes"][0]["primitives"][0]["mode"] = json!(6);
        assert_eq!(load(&wrong).unwrap_err().to_string(), format!("{place}: found `6`, expected mode 4 or 5"));
        let mut wrong = document(EDGES, true);
        wrong["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"]["POSITION"] =
            json!(7);
        let message = load(&wrong).unwrap_err().to_string();
        assert_eq!(
            message,
            format!("{place}: found `attribute 7`, expected the identifier of positions in the Draco data")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn bytes_changed_anywhere_are_answered(
            changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4), stream in 0..3_usize,
        ) {
            let mut packed = [SEQUENTIAL, EDGES, QUANTISED][stream].to_vec();
            for (at, value) in changes {
                *at.get_mut(&mut packed) = value;
            }
            if let Err(error) = load(&document(&packed, true)) {
                prop_assert!(error.to_string().len() < 400, "{}", error);
            }
        }
    }
}
