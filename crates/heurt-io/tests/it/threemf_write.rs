//! 3MF files that are written: what reads back, and the bytes of the package.

use heurt_geometry::{Pose, Vec3};
use heurt_io::{Format, LengthUnit, Model, Part, WriteError, read, write, write_3mf};
use heurt_mesh::TriMesh;
use proptest::prelude::*;

fn written(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(model, Format::ThreeMf, &mut bytes).unwrap();
    bytes
}

fn again(model: &Model) -> Model {
    read(&written(model), Format::ThreeMf).unwrap()
}

fn tetrahedron() -> TriMesh {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.1, -0.0, 1e-3)];
    TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap()
}

#[test]
fn names_units_colours_and_instances_read_back() {
    let other = tetrahedron().scaled(3.0).unwrap();
    let turned = Pose::from_quaternion([0.0, 0.6, 0.0, 0.8], Vec3::new(1.0, -2.5, 1e-7)).unwrap();
    let part = |name: &str, mesh, pose, colour| Part { name: name.to_owned(), mesh, pose, colour };
    let red = Some([255, 0, 0, 255]);
    let parts = vec![
        part("engine/left <bank> & \"co\"/rod", 0, turned, red),
        part("lid", 1, Pose::IDENTITY, Some([1, 2, 3, 4])),
        part("engine/right bank/rod", 0, Pose::IDENTITY, red),
    ];
    for unit in LengthUnit::ALL {
        let model = Model {
            meshes: vec![tetrahedron(), other.clone()],
            parts: parts.clone(),
            unit: Some(unit),
            ..Model::default()
        };
        assert_eq!(again(&model), model);
    }
}

#[test]
fn a_model_without_a_unit_is_written_in_millimetres() {
    let model = Model::from_mesh("a", tetrahedron());
    assert_eq!(again(&model), Model { unit: Some(LengthUnit::Millimetre), ..model });
}

#[test]
fn a_mesh_in_two_colours_is_written_twice_and_an_unused_one_not_at_all() {
    let part = |name: &str, mesh, colour| Part { colour, ..Part::new(name, mesh, Pose::IDENTITY) };
    let parts = vec![part("a", 1, None), part("b", 1, Some([9; 4])), part("c", 1, None)];
    let model = Model { meshes: vec![tetrahedron(), tetrahedron()], parts, ..Model::default() };
    let again = again(&model);
    let of = |part: &Part| (part.name.clone(), part.mesh, part.colour);
    let expected = [("a", 0, None), ("b", 1, Some([9; 4])), ("c", 0, None)];
    assert!(again.parts.iter().map(of).eq(expected.map(|(name, mesh, colour)| (name.to_owned(), mesh, colour))));
    assert_eq!(again.meshes, model.meshes);
}

#[test]
fn letters_that_xml_cannot_hold_become_underscores() {
    let model = Model::from_mesh("a\u{0}b\n\u{fffe}c", tetrahedron());
    assert_eq!(again(&model).parts[0].name, "a_b__c");
}

#[test]
fn the_bytes_are_the_same_every_time_and_hold_no_clock() {
    let model = Model::from_mesh("a", tetrahedron());
    let bytes = written(&model);
    assert_eq!(bytes, written(&model));
    // The time and date of the first local header: midnight, 1 January 1980.
    assert_eq!((&bytes[..4], &bytes[10..14]), (&b"PK\x03\x04"[..], &[0, 0, 0x21, 0][..]));
}

#[test]
fn what_cannot_be_written_is_refused() {
    let none = write_3mf(&Model::default(), &mut Vec::new());
    assert!(matches!(none, Err(WriteError::NoParts)));
    let model = Model { parts: vec![Part::new("a", 2, Pose::IDENTITY)], ..Model::default() };
    assert!(matches!(write_3mf(&model, &mut Vec::new()), Err(WriteError::NoSuchMesh { mesh: 2, .. })));
}

/// Any finite number, with many that are short in decimals.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO | prop::num::f64::NEGATIVE,
        (-1000_i32..1000).prop_map(|tenths| f64::from(tenths) / 10.0),
    ]
}

fn mesh() -> impl Strategy<Value = TriMesh> {
    prop::collection::vec([coordinate(), coordinate(), coordinate()], 3..20).prop_map(|points| {
        let count = points.len() as u32;
        let triangles = (0..count).map(|corner| [corner, (corner + 1) % count, (corner + 2) % count]).collect();
        TriMesh::new(points.into_iter().map(Vec3::from_array).collect(), triangles).unwrap()
    })
}

/// Rotations that a reader finds orthonormal to the last digits.
fn pose() -> impl Strategy<Value = Pose> {
    let turn = prop::sample::select(vec![
        [0.0, 0.0, 0.0, 1.0],
        [0.6, 0.0, 0.0, 0.8],
        [0.5, 0.5, 0.5, 0.5],
        [0.0, 0.0, 1.0, 0.0],
    ]);
    (turn, [-1e3..1e3, -1e3..1e3, -1e3..1e3])
        .prop_map(|(turn, shift)| Pose::from_quaternion(turn, Vec3::from_array(shift)).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_bit_reads_back(
        meshes in prop::collection::vec(mesh(), 1..4),
        parts in prop::collection::vec((any::<prop::sample::Index>(), pose(), "[a-z<&/ ]{0,8}", any::<Option<[u8; 4]>>()), 1..8),
    ) {
        let part = |(mesh, pose, name, colour): (prop::sample::Index, _, String, _)| Part {
            name: name.trim().to_owned(), mesh: mesh.index(meshes.len()), pose, colour,
        };
        let parts: Vec<Part> = parts.into_iter().map(part).collect();
        let model = Model { meshes: meshes.clone(), parts, ..Model::default() };
        let again = again(&model);
        prop_assert_eq!(again.parts.len(), model.parts.len());
        for (found, part) in again.parts.iter().zip(&model.parts) {
            let bits = |mesh: &TriMesh| -> Vec<[u64; 3]> { mesh.vertices().iter().map(|v| v.to_array().map(f64::to_bits)).collect() };
            prop_assert_eq!(bits(&again.meshes[found.mesh]), bits(&model.meshes[part.mesh]));
            prop_assert_eq!(again.meshes[found.mesh].triangles(), model.meshes[part.mesh].triangles());
            prop_assert_eq!(found.pose, part.pose);
            prop_assert_eq!(found.colour, part.colour);
            prop_assert!(part.name.is_empty() || found.name.starts_with(part.name.as_str()));
        }
    }
}
