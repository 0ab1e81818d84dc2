//! Which format a file has, and what is written reads back the same.

use heurt_geometry::{Pose, Vec3};
use heurt_io::{
    Curve, Format, LengthUnit, Model, Part, WriteError, read, write, write_dxf_faces, write_dxf_facets,
    write_polylines_dxf, write_polylines_obj, write_polylines_svg,
};
use heurt_mesh::TriMesh;
use proptest::prelude::*;

fn written(model: &Model, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(model, format, &mut bytes).unwrap();
    bytes
}

fn bits(mesh: &TriMesh) -> Vec<[u64; 3]> {
    mesh.vertices().iter().map(|vertex| vertex.to_array().map(f64::to_bits)).collect()
}

/// Meshes whose triangles name every vertex, in order.
fn meshes(coordinate: impl Strategy<Value = f64>) -> impl Strategy<Value = TriMesh> {
    prop::collection::vec([coordinate], 9..60).prop_map(|values| {
        let points: Vec<Vec3> = values.as_flattened().as_chunks::<3>().0.iter().map(|p| Vec3::from_array(*p)).collect();
        let count = points.len() as u32;
        let triangles = (0..count).map(|corner| [corner, (corner + 1) % count, (corner + 2) % count]).collect();
        TriMesh::new(points, triangles).unwrap()
    })
}

fn any_finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO | prop::num::f64::NEGATIVE,
        (-1000_i32..1000).prop_map(|tenths| f64::from(tenths) / 10.0),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn text_and_ply_keep_every_bit(mesh in meshes(any_finite())) {
        let model = Model::from_mesh("", mesh);
        for format in [Format::Obj, Format::Ply, Format::Off] {
            let again = read(&written(&model, format), format).unwrap();
            prop_assert_eq!(bits(&again.meshes[0]), bits(&model.meshes[0]), "{}", format);
            prop_assert_eq!(&again, &model, "{}", format);
        }
    }

    #[test]
    fn gltf_keeps_what_fits_f32(mesh in meshes(prop::num::f32::NORMAL.prop_map(f64::from))) {
        let model = Model { unit: Some(LengthUnit::Metre), ..Model::from_mesh("part", mesh) };
        for format in [Format::Gltf, Format::Glb] {
            let again = read(&written(&model, format), format).unwrap();
            prop_assert_eq!(bits(&again.meshes[0]), bits(&model.meshes[0]));
            prop_assert_eq!(&again, &model);
        }
    }

    #[test]
    fn stl_keeps_the_corners_of_every_triangle(mesh in meshes(prop::num::f32::NORMAL.prop_map(f64::from))) {
        let again = read(&written(&Model::from_mesh("", mesh.clone()), Format::Stl), Format::Stl).unwrap();
        prop_assert_eq!(again.triangle_count(), mesh.triangles().len());
        for triangle in 0..mesh.triangles().len() as u32 {
            prop_assert_eq!(again.meshes[0].corners(triangle), mesh.corners(triangle));
        }
    }

    #[test]
    fn gltf_keeps_every_bit_of_a_pose(q in prop::array::uniform4(-1.0..1.0), t in prop::array::uniform3(any_finite())) {
        let norm = q.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        prop_assume!(norm > 0.1);
        let pose = Pose::from_quaternion(q.map(|entry| entry / norm), Vec3::from_array(t)).unwrap();
        let mut model = assembly();
        model.unit = Some(LengthUnit::Metre);
        model.parts[1].pose = pose;
        let again = read(&written(&model, Format::Glb), Format::Glb).unwrap();
        prop_assert_eq!(again, model);
    }
}

/// Two instances of a triangle and a tetrahedron.
fn assembly() -> Model {
    let triangle = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let tetrahedron = TriMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
    let part = |name: &str, mesh, pose| Part::new(name, mesh, pose);
    Model {
        meshes: vec![triangle, tetrahedron],
        parts: vec![
            part("first", 0, Pose::IDENTITY),
            part("second", 0, Pose::from_translation(Vec3::new(0.1, 0.0, 5.0)).unwrap()),
            part("third", 1, Pose::from_translation(Vec3::new(0.0, 0.3, 0.0)).unwrap()),
        ],
        ..Model::default()
    }
}

#[test]
fn formats_without_instances_hold_placed_parts() {
    let model = assembly();
    let flat = model.flattened().unwrap();
    assert_eq!((flat.vertices().len(), flat.triangles().len()), (10, 6));
    assert_eq!((flat.vertices()[4], flat.triangles()[2]), (Vec3::new(1.1, 0.0, 5.0), [6, 8, 7]));
    for format in [Format::Obj, Format::Ply, Format::Off] {
        assert_eq!(read(&written(&model, format), format).unwrap().meshes, std::slice::from_ref(&flat), "{format}");
    }
    let options = heurt_io::ReadOptions::default().split_objects(true);
    let split = heurt_io::read_with(&written(&model, Format::Obj), Format::Obj, &options).unwrap();
    assert_eq!(split.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), ["first", "second", "third"]);
}

#[test]
fn every_format_is_recognised_by_what_it_writes() {
    for format in Format::ALL.into_iter().filter(|format| format.can_be_written()) {
        assert_eq!(Format::detect(&written(&assembly(), format)), Some(format));
        assert_eq!(Format::from_extension(&format!(".{}", format.extension().to_uppercase())), Some(format));
    }
    let texts: [(&[u8], Option<Format>); 13] = [
        (b"\0\0\n# remark\nOFF8 12 0", Some(Format::Off)),
        (b"\0v 0 0 0", Some(Format::Obj)),
        (b"\xef\xbb\xbfsolid", Some(Format::Stl)),
        (b"1 2 3 OFF", None),
        (b"# remark\nsolid a\nfacet normal 0 0 1\n", Some(Format::Stl)),
        (b"solid a\nfacet normal 0 0 1", Some(Format::Stl)),
        (b"# remark\n\nv 0 0 0\n", Some(Format::Obj)),
        (b"COFF\n", Some(Format::Off)),
        (b"\xef\xbb\xbf { }", Some(Format::Gltf)),
        (b"plywood", None),
        (b"hello", None),
        (b"", None),
        (b"\0\0\0\0", None),
    ];
    for (bytes, format) in texts {
        assert_eq!(Format::detect(bytes), format, "{:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(Format::from_extension("step"), None);
}

#[test]
fn names_cannot_break_a_file() {
    let mut model = assembly();
    model.parts[0].name = "a\nf 1 1 9\n# b".to_owned();
    model.parts[1].name = "folder\\".to_owned();
    assert_eq!(read(&written(&model, Format::Obj), Format::Obj).unwrap().triangle_count(), 6);
    let mut dxf = Vec::new();
    write_dxf_faces(&model, &mut dxf).unwrap();
    assert!(String::from_utf8(dxf).unwrap().contains("8\na_f_1_1_9___b\n"));
}

#[test]
fn what_does_not_fit_is_refused() {
    let far = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, 1e39, 0.0)], vec![[0, 1, 2]]).unwrap();
    let model = Model::from_mesh("", far);
    for format in [Format::Stl, Format::Glb, Format::Gltf] {
        let error = write(&model, format, &mut Vec::new()).unwrap_err();
        assert!(matches!(error, WriteError::Overflow { vertex: 2, value: 1e39, .. }), "{error}");
    }
    assert!(matches!(write(&Model::default(), Format::Obj, &mut Vec::new()), Err(WriteError::NoParts)));
    let mut broken = assembly();
    broken.parts[2].mesh = 2;
    for format in Format::ALL.into_iter().filter(|format| format.can_be_written()) {
        let error = write(&broken, format, &mut Vec::new()).unwrap_err().to_string();
        assert!(error.starts_with("part 2 names mesh 2, but there are 2 meshes"), "{error}");
    }
    let mut outside = assembly();
    outside.meshes[1] = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y * f64::MAX], vec![[0, 1, 2]]).unwrap();
    outside.parts[2].pose = Pose::from_translation(Vec3::Y * f64::MAX).unwrap();
    for format in [Format::Obj, Format::Off, Format::Ply, Format::Stl] {
        assert!(matches!(write(&outside, format, &mut Vec::new()), Err(WriteError::Overflow { .. })), "{format}");
    }
}

fn curves() -> [Curve<'static>; 3] {
    const POINTS: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::new(0.1, 1.0, 0.0)];
    [
        Curve { name: "a and b", points: &POINTS, closed: true },
        Curve { name: "a and b", points: &POINTS[..2], closed: false },
        Curve { name: "touch", points: &POINTS[2..], closed: false },
    ]
}

#[test]
fn curves_become_lines_of_an_obj_file() {
    let mut bytes = Vec::new();
    write_polylines_obj(curves(), &mut bytes).unwrap();
    let expected = "o a and b\nv 0.0 0.0 0.0\nv 1.0 0.0 0.0\nv 0.1 1.0 0.0\nl 1 2 3 1\nv 0.0 0.0 0.0\nv 1.0 0.0 0.0\nl 4 5\n\
                    o touch\nv 0.1 1.0 0.0\np 6\n";
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
}

/// The groups of a DXF file: code and value, checked to be pairs of lines.
fn groups(bytes: &[u8]) -> Vec<(i32, String)> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (pairs, rest) = lines.as_chunks::<2>();
    assert!(rest.is_empty());
    pairs.iter().map(|[code, value]| (code.parse().unwrap(), (*value).to_owned())).collect()
}

fn values(groups: &[(i32, String)], code: i32) -> Vec<&str> {
    groups.iter().filter(|group| group.0 == code).map(|group| group.1.as_str()).collect()
}

#[test]
fn curves_become_polylines_of_a_dxf_file() {
    let mut bytes = Vec::new();
    write_polylines_dxf(curves(), None, &mut bytes).unwrap();
    let groups = groups(&bytes);
    let entities = values(&groups, 0);
    assert_eq!(entities[..6], ["SECTION", "POLYLINE", "VERTEX", "VERTEX", "VERTEX", "SEQEND"]);
    assert_eq!(entities[entities.len() - 3..], ["SEQEND", "ENDSEC", "EOF"]);
    assert_eq!(values(&groups, 70), ["9", "32", "32", "32", "8", "32", "32", "8", "32"]);
    assert_eq!(values(&groups, 10), ["0.0", "1.0", "0.1", "0.0", "1.0", "0.1"]);
    assert_eq!(values(&groups, 8)[0], "a_and_b");
}

#[test]
fn triangles_become_faces_or_closed_polylines_of_a_dxf_file() {
    let model = assembly();
    let mut bytes = Vec::new();
    write_dxf_faces(&model, &mut bytes).unwrap();
    let faces = groups(&bytes);
    assert_eq!(values(&faces, 0).iter().filter(|entity| **entity == "3DFACE").count(), 6);
    // The last corner is repeated; the second part is placed.
    assert_eq!((values(&faces, 12)[1], values(&faces, 13)[1], values(&faces, 32)[1]), ("0.1", "0.1", "5.0"));
    assert_eq!(values(&faces, 8), ["first", "second", "third", "third", "third", "third"]);
    let mut bytes = Vec::new();
    write_dxf_facets(&model, &mut bytes).unwrap();
    let facets = groups(&bytes);
    assert_eq!(values(&facets, 0).iter().filter(|entity| **entity == "VERTEX").count(), 18);
    assert!(values(&facets, 70).iter().all(|flags| ["9", "32"].contains(flags)));
}

#[test]
fn drawings_do_not_hold_what_is_not_finite() {
    let mesh = TriMesh::new(vec![Vec3::ZERO, Vec3::X * 1.7e308, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    let mut model = Model::from_mesh("far", mesh);
    model.parts[0].pose = Pose::from_translation(Vec3::X * 1.7e308).unwrap();
    let lost = [Vec3::ZERO, Vec3::new(0.0, f64::NAN, 0.0)];
    let curves = || [Curve { name: "lost", points: &lost, closed: false }];
    let mut sink = Vec::new();
    for (refused, value) in [
        (write_dxf_faces(&model, &mut sink), "inf"),
        (write_dxf_facets(&model, &mut sink), "inf"),
        (write_polylines_dxf(curves(), None, &mut sink), "NaN"),
        (write_polylines_obj(curves(), &mut sink), "NaN"),
        (write_polylines_svg(curves(), None, None, &mut sink), "NaN"),
    ] {
        let message = refused.unwrap_err().to_string();
        assert!(message.starts_with(&format!("a coordinate {value} of point 1 is not finite: ")), "{message}");
    }
}
