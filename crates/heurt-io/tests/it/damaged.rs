//! Files that were whole and are damaged: whatever the damage, a reader answers, and answers within the file's means.

use heurt_geometry::{Pose, Vec3};
use heurt_io::{Format, Model, Part, read, write};
use heurt_mesh::TriMesh;
use proptest::prelude::*;
use proptest::sample::Index;

fn wholes() -> Vec<(Format, Vec<u8>)> {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.1, 0.2, 1e-3)];
    let mesh = TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
    let turned = Pose::from_quaternion([0.0, 0.6, 0.0, 0.8], Vec3::Z).unwrap();
    let part = |name: &str, pose| Part::new(name, 0, pose);
    let model =
        Model { meshes: vec![mesh], parts: vec![part("a", Pose::IDENTITY), part("b", turned)], ..Model::default() };
    let mut wholes: Vec<(Format, Vec<u8>)> = Format::ALL
        .into_iter()
        .filter(|format| format.can_be_written())
        .map(|format| {
            let mut bytes = Vec::new();
            write(&model, format, &mut bytes).unwrap();
            (format, bytes)
        })
        .collect();
    wholes.push((Format::Stl, b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n".to_vec()));
    let header = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n";
    wholes.push((
        Format::Ply,
        format!("ply\nformat ascii 1.0\n{header}0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n").into_bytes(),
    ));
    let mut big = format!("ply\nformat binary_big_endian 1.0\n{header}").into_bytes();
    big.extend((0..12).flat_map(|i| (i as f32).to_be_bytes()));
    big.extend([4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]);
    wholes.push((Format::Ply, big));
    wholes
}

#[test]
fn a_file_cut_anywhere_is_answered() {
    for (format, whole) in wholes() {
        assert!(read(&whole, format).is_ok(), "{format}");
        for length in 0..whole.len() {
            // Text may end early and still be whole; a message must come otherwise.
            if let Err(error) = read(&whole[..length], format) {
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn bytes_changed_anywhere_are_answered(
        file in any::<Index>(), changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..6), cut in any::<Index>(), cuts in any::<bool>(),
    ) {
        let wholes = wholes();
        let (format, whole) = file.get(&wholes);
        let mut bytes = whole.clone();
        for (at, value) in changes {
            *at.get_mut(&mut bytes) = value;
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        match read(&bytes, *format) {
            Ok(model) => {
                prop_assert!(model.meshes.iter().all(|mesh| mesh.vertices().iter().all(|vertex| vertex.is_finite())));
                prop_assert!(model.triangle_count() <= bytes.len());
            }
            Err(error) => prop_assert!(error.to_string().len() < 400, "{}", error),
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for format in Format::ALL {
            let _ = read(&bytes, format);
        }
        let _ = Format::detect(&bytes);
    }
}
