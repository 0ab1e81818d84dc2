//! Drawings of curves: layers and units of DXF, groups and boxes of SVG.

use heurt_geometry::{Pose, Vec3};
use heurt_io::{Curve, LengthUnit, Model, Part, ViewAxis, WriteError};
use heurt_io::{write_dxf_faces, write_polylines_dxf, write_polylines_svg};
use heurt_mesh::TriMesh;
use proptest::prelude::*;
use std::collections::BTreeSet;

const POINTS: [Vec3; 3] = [Vec3::ZERO, Vec3::new(3.0, 0.0, 0.5), Vec3::new(3.0, 0.25, 4.0)];

fn curve(name: &str) -> Curve<'_> {
    Curve { name, points: &POINTS, closed: false }
}

fn dxf(curves: &[Curve<'_>], unit: Option<LengthUnit>) -> String {
    let mut bytes = Vec::new();
    write_polylines_dxf(curves.iter().copied(), unit, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The layer of each polyline.
fn layers(dxf: &str) -> Vec<String> {
    let lines: Vec<&str> = dxf.lines().collect();
    let is_polyline = |at: &usize| lines[*at] == "POLYLINE";
    (0..lines.len()).filter(is_polyline).map(|at| lines[at + 2].to_owned()).collect()
}

#[test]
fn ten_thousand_long_names_have_layers_of_their_own() {
    let names: Vec<String> =
        (0..10_000).map(|number| format!("assembly/left bank of the engine/{number} x b")).collect();
    let curves: Vec<Curve<'_>> = names.iter().chain(&names).map(|name| curve(name)).collect();
    let layers = layers(&dxf(&curves, None));
    assert!(layers.iter().all(|layer| layer.len() <= 31 && layer.is_ascii()), "31 letters");
    assert_eq!(layers.iter().collect::<BTreeSet<_>>().len(), 10_000);
    assert_eq!(layers[..10_000], layers[10_000..], "a name keeps its layer");
    assert_eq!(layers[..2], ["assembly_left_bank_of_the_engin", "assembly_left_bank_of_the_eng_2"]);
    assert_eq!(layers[9_999], "assembly_left_bank_of_the_10000");
}

#[test]
fn names_that_look_alike_have_layers_of_their_own() {
    let names = ["a b", "a_b", "A_B", "a_b_2", "", "0", "é", "_", "a b"];
    let curves: Vec<Curve<'_>> = names.iter().map(|name| curve(name)).collect();
    assert_eq!(layers(&dxf(&curves, None)), ["a_b", "a_b_2", "A_B_3", "a_b_2_2", "0", "0_2", "_", "__2", "a_b"]);
}

#[test]
fn a_known_unit_stands_in_the_header() {
    assert!(dxf(&[curve("a")], None).starts_with("999\nwritten by heurt\n0\nSECTION\n2\nENTITIES\n"));
    let codes =
        [(LengthUnit::Inch, 1), (LengthUnit::Millimetre, 4), (LengthUnit::Metre, 6), (LengthUnit::Micrometre, 13)];
    for (unit, code) in codes {
        let header =
            format!("999\nwritten by heurt\n0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n{code}\n0\nENDSEC\n0\nSECTION\n");
        assert!(dxf(&[curve("a")], Some(unit)).starts_with(&header));
        let mesh = TriMesh::new(POINTS.to_vec(), vec![[0, 1, 2]]).unwrap();
        let parts = vec![Part::new("a b", 0, Pose::IDENTITY), Part::new("a_b", 0, Pose::IDENTITY)];
        let model = Model { meshes: vec![mesh], parts, unit: Some(unit), ..Model::default() };
        let mut bytes = Vec::new();
        write_dxf_faces(&model, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with(&header) && text.contains("\n8\na_b\n") && text.contains("\n8\na_b_2\n"));
    }
}

fn svg(curves: &[Curve<'_>], axis: Option<ViewAxis>, unit: Option<LengthUnit>) -> String {
    let mut bytes = Vec::new();
    write_polylines_svg(curves.iter().copied(), axis, unit, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The value of an attribute at its first occurrence.
fn attribute<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let start = text.find(&format!(" {name}=\""))? + name.len() + 3;
    text[start..].split('"').next()
}

#[test]
fn a_drawing_drops_the_axis_along_which_curves_extend_least() {
    let closed = Curve { closed: true, ..curve("a") };
    // y extends by 0.25: a view from the front, z upwards.
    let text = svg(&[closed], None, None);
    assert_eq!(attribute(&text, "d"), Some("M0.0 0.0 L3.0 -0.5 L3.0 -4.0 Z"));
    assert_eq!(attribute(&text, "viewBox"), Some("-0.08 -4.08 3.16 4.16"));
    assert_eq!(attribute(&text, "width"), None);
    assert_eq!(text, svg(&[closed], Some(ViewAxis::Y), None));
    assert_eq!(attribute(&svg(&[closed], Some(ViewAxis::X), None), "d"), Some("M0.0 0.0 L0.0 -0.5 L0.25 -4.0 Z"));
    assert_eq!(attribute(&svg(&[closed], Some(ViewAxis::Z), None), "d"), Some("M0.0 0.0 L3.0 0.0 L3.0 -0.25 Z"));
    // A drawing that is not larger than a sheet has its true size.
    let size = |unit| {
        let text = svg(&[closed], None, Some(unit));
        (attribute(&text, "width").map(str::to_owned), attribute(&text, "height").map(str::to_owned))
    };
    assert_eq!(size(LengthUnit::Millimetre), (Some("3.16mm".to_owned()), Some("4.16mm".to_owned())));
    assert_eq!(size(LengthUnit::Metre), (None, None));
}

#[test]
fn groups_have_distinct_ids_and_their_names_as_titles() {
    let point = Curve { name: "a & <b>", points: &POINTS[..1], closed: false };
    let names = ["a & <b>", "2nd", "a & <b>", "a _ _b_", "\u{1}", ""];
    let curves: Vec<Curve<'_>> = names.iter().map(|name| curve(name)).chain([point]).collect();
    let text = svg(&curves, None, None);
    let after = |start: &str| text.match_indices(start).map(|(at, _)| &text[at + start.len()..]).collect::<Vec<_>>();
    let ids: Vec<&str> = after("<g id=\"").iter().map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(ids, ["_a____b_", "_2nd", "_a____b__2", "__", "_curves"]);
    let titles: Vec<&str> = after("<title>").iter().map(|rest| rest.split("</title>").next().unwrap()).collect();
    assert_eq!(titles, ["a &amp; &lt;b&gt;", "2nd", "a _ _b_", "_", ""]);
    let first = text.split("</g>").next().unwrap();
    assert_eq!(first.matches("<path").count(), 3, "curves of one name are one group");
    assert!(first.contains("<path class=\"point\" d=\"M0.0 0.0 h0\"/>"), "{first}");
    assert!(text.contains("vector-effect:non-scaling-stroke"));
}

#[test]
fn drawings_without_an_extent_have_a_box() {
    let no_curves: [Curve<'_>; 0] = [];
    assert_eq!(attribute(&svg(&no_curves, None, None), "viewBox"), Some("0.0 0.0 1.0 1.0"));
    let point = [Vec3::new(5.0, 6.0, 7.0)];
    let text = svg(&[Curve { name: "", points: &point, closed: false }], None, Some(LengthUnit::Millimetre));
    assert_eq!(attribute(&text, "viewBox"), Some("4.0 -7.0 2.0 2.0"));
    let far = [Vec3::ZERO, Vec3::X * -1e308, Vec3::X * 1e308];
    let curves = [Curve { name: "", points: &far, closed: false }];
    let error = write_polylines_svg(curves, None, None, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, WriteError::NotFinite { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_box_holds_all_points(
        points in prop::collection::vec(prop::array::uniform3(-1e9..1e9_f64), 1..20), axis in 0..4_usize,
    ) {
        let points: Vec<Vec3> = points.into_iter().map(Vec3::from_array).collect();
        let axis = [None, Some(ViewAxis::X), Some(ViewAxis::Y), Some(ViewAxis::Z)][axis];
        let text = svg(&[Curve { name: "a", points: &points, closed: false }], axis, None);
        let numbers = |text: &str| -> Vec<f64> {
            text.split([' ', 'M', 'L', 'h']).filter_map(|word| word.parse().ok()).collect()
        };
        let view = numbers(attribute(&text, "viewBox").unwrap());
        let drawn = numbers(attribute(&text, "d").unwrap());
        prop_assert!(drawn.len() >= 2 * points.len());
        for point in drawn.chunks(2).take(points.len()) {
            for axis in 0..2 {
                prop_assert!(view[axis] < point[axis] && point[axis] < view[axis] + view[axis + 2]);
            }
        }
    }
}

#[test]
fn wireframes_hold_each_edge_of_the_shape_once() {
    let cube = heurt_mesh::generate::cuboid([1.0, 2.0, 3.0]).unwrap();
    let mut model = Model::from_mesh("box", cube.clone());
    let pose = Pose::from_translation(Vec3::new(5.0, 0.0, 0.0)).unwrap();
    model.parts.push(Part::new("moved".to_owned(), 0, pose));
    let (mut obj, mut dxf) = (Vec::new(), Vec::new());
    assert_eq!(heurt_io::write_wireframe_obj(&model, 0.1, &mut obj).unwrap(), 24);
    assert_eq!(heurt_io::write_wireframe_dxf(&model, 0.1, &mut dxf).unwrap(), 24);
    let [obj, dxf] = [obj, dxf].map(|bytes| String::from_utf8(bytes).unwrap());
    let count = |text: &str, start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(["o ", "v ", "l "].map(|start| count(&obj, start)), [2, 16, 24]);
    assert_eq!((count(&dxf, "LINE"), count(&dxf, "POLYLINE")), (24, 0));
    let ends: BTreeSet<Vec<u32>> = obj
        .lines()
        .filter_map(|line| line.strip_prefix("l "))
        .map(|ends| ends.split(' ').map(|end| end.parse().unwrap()).collect())
        .collect();
    assert_eq!(ends.len(), 24, "no edge twice");
    assert!(ends.iter().flatten().all(|&end| (1..=16).contains(&end)));
    let refused = heurt_io::write_wireframe_obj(&model, 4.0, &mut Vec::new());
    assert!(matches!(refused, Err(WriteError::Wireframe(_))));
}
