//! 3MF files: units, components, placements, colours, what is skipped and what is refused.

use crate::archive;
use crate::archive::{package, package_with};
use heurt_geometry::{Pose, Vec3};
use heurt_io::{Format, LengthUnit, Model, ReadError, ReadOptions, read, read_with};

const CORE: &str = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02";

/// A model part in millimetres.
fn model(resources: &str, build: &str) -> String {
    model_with("", resources, build)
}

/// A model part with further attributes of its root.
fn model_with(attributes: &str, resources: &str, build: &str) -> String {
    format!("<model xmlns=\"{CORE}\" {attributes}>\n<resources>{resources}</resources>\n<build>{build}</build></model>")
}

/// A triangle with corners (0, 0, 0), (1, 0, 0) and (0, 2, 0.5).
const MESH: &str = r#"<mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="2" z="0.5"/></vertices>
<triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh>"#;

fn object(id: u32, attributes: &str) -> String {
    format!("<object id=\"{id}\" {attributes}>{MESH}</object>")
}

fn assembly(id: u32, name: &str, components: &str) -> String {
    format!("<object id=\"{id}\" name=\"{name}\"><components>{components}</components></object>")
}

fn load(text: &str) -> Result<Model, ReadError> {
    read(&package(text), Format::ThreeMf)
}

fn refusal(text: &str) -> String {
    load(text).expect_err("the file is wrong").to_string()
}

fn names(model: &Model) -> Vec<&str> {
    model.parts.iter().map(|part| part.name.as_str()).collect()
}

/// The corners of a part in the frame of the file.
fn corners(model: &Model, part: usize) -> [Vec3; 3] {
    let part = &model.parts[part];
    let mesh = &model.meshes[part.mesh];
    mesh.triangles()[0].map(|corner| part.pose.place(mesh.vertices()[corner as usize]))
}

#[test]
fn an_object_and_an_item_are_one_part() {
    let model = load(&model(&object(7, "name=\"bracket\""), r#"<item objectid="7"/>"#)).unwrap();
    assert_eq!(names(&model), ["bracket"]);
    assert_eq!(model.unit, Some(LengthUnit::Millimetre));
    assert_eq!(corners(&model, 0), [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 2.0, 0.5)]);
    assert!(model.parts[0].pose.is_identity() && model.parts[0].colour.is_none() && model.warnings.is_empty());
}

#[test]
fn a_build_without_items_is_named() {
    let without_build = model(&object(1, ""), "").replace("<build></build>", "");
    for text in [model(&object(1, ""), ""), without_build] {
        assert!(matches!(load(&text), Err(ReadError::NoBuildItems { .. })));
        let message = refusal(&text);
        assert!(message.contains("no `<item>` in its `<build>`"), "{message}");
    }
    // Without a mesh, an item would place nothing.
    assert!(matches!(load(&model("", "")), Err(ReadError::NoFaces { .. })));
}

#[test]
fn the_unit_is_that_of_the_file() {
    let units = [
        ("micron", LengthUnit::Micrometre),
        ("millimeter", LengthUnit::Millimetre),
        ("centimeter", LengthUnit::Centimetre),
        ("inch", LengthUnit::Inch),
        ("foot", LengthUnit::Foot),
        ("meter", LengthUnit::Metre),
    ];
    for (name, unit) in units {
        let text = model_with(&format!("unit=\"{name}\""), &object(1, ""), r#"<item objectid="1"/>"#);
        assert_eq!(load(&text).unwrap().unit, Some(unit));
    }
    let message = refusal(&model_with("unit=\"parsec\"", &object(1, ""), ""));
    assert!(message.contains("`parsec`") && message.contains("millimeter"), "{message}");
}

#[test]
fn the_only_part_without_a_name_is_named_by_the_file_and_others_by_their_number() {
    let item = r#"<item objectid="3"/>"#;
    assert_eq!(names(&load(&model(&object(3, ""), item)).unwrap()), [""]);
    assert_eq!(names(&load(&model(&object(3, "name=\"object3\""), item)).unwrap()), ["object3"]);
    assert_eq!(names(&load(&model(&object(3, ""), &item.repeat(2))).unwrap()), ["object3", "object3#2"]);
    // A part number stands in for a name: that of the object, else that of the item.
    let numbered = r#"<item objectid="3" partnumber="B-12"/>"#;
    assert_eq!(names(&load(&model(&object(3, ""), numbered)).unwrap()), ["B-12"]);
    assert_eq!(names(&load(&model(&object(3, "partnumber=\"A-1\""), numbered)).unwrap()), ["A-1"]);
    let text = model(&object(3, "name=\"a &lt;&amp;&#x42;\" partnumber=\"A-1\""), numbered);
    assert_eq!(names(&load(&text).unwrap()), ["a <&B"]);
}

#[test]
fn components_nest_and_their_transforms_compose() {
    // Rows are the images of the axes: x to y, y to −x.
    let quarter_turn = "0 1 0 -1 0 0 0 0 1 10 0 0";
    let shift = "1 0 0 0 1 0 0 0 1 1 2 3";
    let resources = [
        object(1, "name=\"rod\""),
        assembly(2, "left bank", &format!(r#"<component objectid="1" transform="{shift}"/><component objectid="1"/>"#)),
        assembly(3, "engine", &format!(r#"<component objectid="2" transform="{quarter_turn}"/>"#)),
    ];
    let text = model(&resources.concat(), &format!(r#"<item objectid="3" transform="{shift}"/>"#));
    let model = load(&text).unwrap();
    assert_eq!(names(&model), ["engine/left bank/rod", "engine/left bank/rod#2"]);
    assert_eq!((model.meshes.len(), model.parts[1].mesh), (1, 0));
    // (1, 0, 0) is shifted to (2, 2, 3), turned to (−2, 2, 3), moved to (8, 2, 3), shifted to (9, 4, 6).
    assert_eq!(corners(&model, 0)[1], Vec3::new(9.0, 4.0, 6.0));
    assert_eq!(corners(&model, 1)[1], Vec3::new(11.0, 3.0, 3.0));
}

#[test]
fn levels_without_a_name_are_left_out() {
    let component = r#"<component objectid="1"/>"#;
    let item = r#"<item objectid="2"/>"#;
    let of = |inner: &str, outer: &str| {
        let text = model(&[object(1, inner), assembly(2, outer, component)].concat(), item);
        load(&text).unwrap().parts[0].name.clone()
    };
    assert_eq!(of("name=\"rod\"", ""), "rod");
    assert_eq!(of("", "engine"), "engine");
    assert_eq!(of("", ""), "");
}

#[test]
fn scale_mirror_and_shear_are_baked_once_each() {
    let item = |transform: &str| format!(r#"<item objectid="1" transform="{transform}"/>"#);
    let build = [
        item("2 0 0 0 2 0 0 0 2 5 0 0"),
        item("1 0 0 0 1 0 0 0 -1 0 0 0"),
        item("1 0 0 1 1 0 0 0 1 0 0 0"),
        item("2 0 0 0 2 0 0 0 2 0 5 0"),
        item("1 0 0 0 1 0 0 0 1 0 0 0"),
    ];
    let model = load(&model(&object(1, ""), &build.concat())).unwrap();
    let meshes: Vec<usize> = model.parts.iter().map(|part| part.mesh).collect();
    assert_eq!((model.meshes.len(), meshes), (4, vec![0, 1, 2, 0, 3]));
    assert_eq!(corners(&model, 0), [Vec3::new(5.0, 0.0, 0.0), Vec3::new(7.0, 0.0, 0.0), Vec3::new(5.0, 4.0, 1.0)]);
    assert_eq!(corners(&model, 3)[2], Vec3::new(0.0, 9.0, 1.0));
    // A mirror reverses the triangle, so that its outer side stays outside.
    assert_eq!(corners(&model, 1), [Vec3::ZERO, Vec3::new(0.0, 2.0, -0.5), Vec3::X]);
    assert_eq!(corners(&model, 2)[2], Vec3::new(2.0, 2.0, 0.5));
    assert_eq!(model.parts[0].pose, Pose::from_translation(Vec3::new(5.0, 0.0, 0.0)).unwrap());
}

#[test]
fn other_model_parts_are_read_in_their_own_unit() {
    let production =
        "xmlns:q=\"http://schemas.microsoft.com/3dmanufacturing/production/2015/06\" requiredextensions=\"q\"";
    let root = model_with(
        production,
        &assembly(
            1,
            "box",
            r#"<component objectid="1" q:path="/3D/Objects/lid%201.model" transform="1 0 0 0 1 0 0 0 1 100 0 0"/>"#,
        ),
        r#"<item objectid="1"/><item objectid="1" q:path="3D/./x/../OBJECTS/lid 1.model"/>"#,
    );
    let other = model_with("unit=\"centimeter\"", &object(1, "name=\"lid\""), "");
    let bytes = package_with(&root, &[("3D/Objects/lid 1.model", &other)]);
    let model = read(&bytes, Format::ThreeMf).unwrap();
    assert_eq!(names(&model), ["box/lid", "lid"]);
    assert!(model.warnings.is_empty());
    assert_eq!((model.unit, model.meshes.len()), (Some(LengthUnit::Millimetre), 1));
    assert_eq!(corners(&model, 0)[1], Vec3::new(110.0, 0.0, 0.0));
    assert_eq!(corners(&model, 1)[1], Vec3::new(10.0, 0.0, 0.0));

    let message = read(&package(&root), Format::ThreeMf).unwrap_err().to_string();
    assert!(
        message.starts_with("`3D/3dmodel.model`, line 2: `/3D/Objects/lid%201.model` names no member"),
        "{message}"
    );
}

#[test]
fn parts_have_the_colour_that_all_their_triangles_have() {
    let materials = r##"<basematerials id="5"><base name="a" displaycolor="#FF8000"/><base name="b" displaycolor="#01020304"/></basematerials>
        <m:colorgroup id="6" xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"><m:color color="#0000ff"/></m:colorgroup>
        <basematerials id="7"><base name="none"/><base name="c" displaycolor="#123456"/></basematerials>"##;
    let of = |object_attributes: &str, triangles: &str| {
        let mesh = MESH.replace("<triangle v1=\"0\" v2=\"1\" v3=\"2\"/>", triangles);
        let object = format!("<object id=\"1\" {object_attributes}>{mesh}</object>");
        load(&model(&[materials, &object].concat(), r#"<item objectid="1"/>"#)).unwrap().parts[0].colour
    };
    let plain = r#"<triangle v1="0" v2="1" v3="2"/>"#;
    let with = |attributes: &str| format!("<triangle v1=\"0\" v2=\"1\" v3=\"2\" {attributes}/>");
    assert_eq!(of("", plain), None);
    assert_eq!(of("pid=\"5\" pindex=\"0\"", plain), Some([255, 128, 0, 255]));
    assert_eq!(of("pid=\"5\" pindex=\"1\"", plain), Some([1, 2, 3, 4]));
    assert_eq!(of("pid=\"6\"", plain), Some([0, 0, 255, 255]));
    assert_eq!(of("pid=\"5\" pindex=\"7\"", plain), None);
    assert_eq!(of("pid=\"9\" pindex=\"0\"", plain), None);
    assert_eq!(of("pid=\"7\" pindex=\"1\"", plain), Some([18, 52, 86, 255]));
    // Triangles override the object.
    assert_eq!(of("pid=\"5\" pindex=\"0\"", &with("p1=\"1\"")), Some([1, 2, 3, 4]));
    assert_eq!(of("", &with("pid=\"5\" p1=\"1\" p2=\"1\" p3=\"1\"")), Some([1, 2, 3, 4]));
    assert_eq!(of("", &with("pid=\"5\" p1=\"1\" p2=\"0\" p3=\"1\"")), None);
    assert_eq!(of("pid=\"5\" pindex=\"0\"", &[with("p1=\"1\""), plain.to_owned()].concat()), None);
    assert_eq!(of("pid=\"5\" pindex=\"0\"", &[with("p1=\"0\""), plain.to_owned()].concat()), Some([255, 128, 0, 255]));
}

#[test]
fn a_colour_that_is_none_is_skipped_and_counted() {
    let materials = r##"<basematerials id="5"><base name="a" displaycolor="red"/><base name="b" displaycolor="#12345G"/></basematerials>"##;
    let text = model(&[materials, &object(1, "pid=\"5\" pindex=\"0\"")].concat(), r#"<item objectid="1"/>"#);
    let model = load(&text).unwrap();
    assert_eq!((model.parts[0].colour, model.warnings[0].count, model.warnings[0].found.as_str()), (None, 2, "`red`"));
}

#[test]
fn supports_are_skipped_and_counted_and_surfaces_read() {
    let resources = [
        object(1, "name=\"a\" type=\"surface\""),
        object(2, "name=\"b\" type=\"support\""),
        object(3, "name=\"c\" type=\"other\""),
        assembly(4, "d", r#"<component objectid="2"/><component objectid="1"/>"#),
        "<object id=\"5\" name=\"e\"><mesh><vertices/><triangles/></mesh></object>".to_owned(),
    ];
    let build: String = (2..=5).map(|id| format!("<item objectid=\"{id}\"/>")).collect();
    let model = load(&model(&resources.concat(), &build)).unwrap();
    assert_eq!(names(&model), ["d/a"]);
    let warnings: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "objects that are support or other: 3 ignored, the first at `3D/3dmodel.model`, line 6: `b`",
            "objects without a triangle: 1 ignored, the first at `3D/3dmodel.model`, line 5: `e`"
        ]
    );
}

#[test]
fn a_strict_reader_refuses_what_is_skipped() {
    let item = r#"<item objectid="1"/>"#;
    let strict = |text: &str| read_with(&package(text), Format::ThreeMf, &ReadOptions::default().strict(true));
    assert!(strict(&model(&object(1, ""), item)).is_ok());
    let error = strict(&model(&object(1, "type=\"support\""), item)).unwrap_err().to_string();
    let expected = "`3D/3dmodel.model`, line 4: objects that are support or other cannot be read: leave support";
    assert!(error.starts_with(expected), "{error}");
    let unknown = model_with(r#"xmlns:e="http://example.org/e" requiredextensions="e""#, &object(1, ""), item);
    assert!(strict(&unknown).unwrap_err().to_string().contains("export the model without it"));
    let no_relationships = archive::archive(&[archive::Member::new("3D/3dmodel.model", model(&object(1, ""), item))]);
    assert!(read_with(&no_relationships, Format::ThreeMf, &ReadOptions::default().strict(true)).is_err());
}

#[test]
fn long_paths_keep_their_last_levels() {
    let level =
        |id: u32| assembly(id, "a level of thirty-two characters", &format!("<component objectid=\"{}\"/>", id - 1));
    let resources = object(1, "name=\"rod\"") + &(2..40).map(level).collect::<String>();
    let name = load(&model(&resources, r#"<item objectid="39"/>"#)).unwrap().parts[0].name.clone();
    assert!(name.starts_with("…/a level of") && name.ends_with("characters/rod") && name.len() <= 512 + 4, "{name}");
    let long = "x".repeat(600);
    let name =
        load(&model(&object(1, &format!("name=\"{long}\"")), r#"<item objectid="1"/>"#)).unwrap().parts[0].name.clone();
    assert_eq!(name, long);
}

#[test]
fn extensions_that_replace_the_mesh_are_refused_if_they_are_required() {
    let extensions = [
        "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
        "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
        "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01",
        "http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/04",
        "http://schemas.3mf.io/3dmanufacturing/booleanoperations/2023/07",
    ];
    for namespace in extensions {
        let text = |required: &str| {
            let attributes = format!("xmlns:e=\"{namespace}\" {required}");
            model_with(&attributes, &object(1, ""), r#"<item objectid="1"/>"#)
        };
        let message = refusal(&text("requiredextensions=\"e\""));
        assert!(message.contains("requires the ") && message.contains("plain mesh"), "{message}");
        assert!(load(&text("recommendedextensions=\"e\"")).unwrap().warnings.is_empty());
    }
    let unknown = r#"xmlns:e="http://example.org/glitter" requiredextensions="e""#;
    let model = load(&model_with(unknown, &object(1, ""), r#"<item objectid="1"/>"#)).unwrap();
    assert_eq!(model.warnings[0].found, "`http://example.org/glitter`");
}

#[test]
fn elements_of_extensions_are_skipped_with_what_is_in_them() {
    let lattice = r#"<b:beamlattice><b:beams><b:beam v1="0" v2="1"/></b:beams><b:triangles><b:triangle v1="0"/></b:triangles></b:beamlattice>"#;
    let mesh = MESH.replace("</mesh>", &format!("{lattice}</mesh>"));
    let resources = format!("<x:object id=\"1\"/><object id=\"1\" name=\"a\">{mesh}</object>");
    let model = load(&model(&resources, r#"<x:item objectid="9"/><item objectid="1"/>"#)).unwrap();
    assert_eq!(model.meshes[0].triangles().len(), 1);
    assert_eq!(model.warnings[0].what, "beam lattices");
}

#[test]
fn a_prefix_for_the_core_is_legal() {
    let text = model(&object(1, "name=\"a\""), r#"<item objectid="1"/>"#);
    let prefixed = text.replace("</", "\0").replace('<', "<c:").replace('\0', "</c:").replace("xmlns=", "xmlns:c=");
    assert_eq!(load(&prefixed).unwrap(), load(&text).unwrap());
}

#[test]
fn other_namespaces_are_ignored() {
    let plain = model(&object(1, "name=\"a\""), r#"<item objectid="1"/>"#);
    let foreign = plain
        .replace("z=\"0\"/>", "z=\"0\" e:z=\"5\" e:x=\"high\"/><e:vertex x=\"9\" y=\"9\" z=\"9\"/>")
        .replace("v1=\"0\"", "e:v1=\"7\" v1=\"0\" e:pid=\"x\"")
        .replace("<triangles>", "<triangles><e:triangle v1=\"1\" v2=\"0\" v3=\"2\"/>")
        .replace("name=", "e:id=\"2\" e:type=\"odd\" e:name=\"b\" name=")
        .replace("<item ", "<e:item objectid=\"7\"/><item e:transform=\"no\" e:objectid=\"3\" e:path=\"/none\" ")
        .replace("<build>", "<e:build><item objectid=\"8\"/></e:build><build>");
    assert_eq!(load(&foreign).unwrap(), load(&plain).unwrap());
    // Only in another namespace, a coordinate is missing; twice, it is not clear which one is meant.
    let only = plain.replacen(" z=\"0\"", " e:z=\"0\"", 1);
    assert!(refusal(&only).contains("expected the attributes x, y and z"), "{}", refusal(&only));
    let twice = plain.replacen(" z=\"0\"", " z=\"0\" z=\"5\"", 1);
    assert!(refusal(&twice).contains("expected the attribute z of <vertex> once"), "{}", refusal(&twice));
    // The path has the prefix that the file gives the production extension.
    let namespace = "xmlns:q=\"http://schemas.microsoft.com/3dmanufacturing/production/2015/06\"";
    for (attributes, name) in [("", "p:path"), (namespace, "q:path"), ("", "path")] {
        let root = model_with(attributes, "", &format!("<item objectid=\"1\" {name}=\"/b.model\"/>"));
        let found = read(&package_with(&root, &[("b.model", &plain)]), Format::ThreeMf).unwrap();
        assert_eq!(names(&found), ["a"], "{name}");
    }
}

#[test]
fn an_object_that_contains_itself_is_refused() {
    let own = model(&assembly(1, "a", r#"<component objectid="1"/>"#), r#"<item objectid="1"/>"#);
    let message = refusal(&own);
    assert_eq!(
        message,
        "`3D/3dmodel.model`, line 2: object 1 contains itself: remove the instance that closes the cycle"
    );
    let two = [assembly(1, "a", r#"<component objectid="2"/>"#), assembly(2, "b", r#"<component objectid="1"/>"#)];
    assert!(matches!(load(&model(&two.concat(), r#"<item objectid="2"/>"#)), Err(ReadError::Cycle { .. })));
    // Through another model part, and back.
    let root = model(&assembly(1, "a", r#"<component objectid="1" path="/b.model"/>"#), r#"<item objectid="1"/>"#);
    let other = model(&assembly(1, "b", r#"<component objectid="1" path="/3D/3dmodel.model"/>"#), "");
    let error = read(&package_with(&root, &[("b.model", &other)]), Format::ThreeMf).unwrap_err();
    assert!(matches!(error, ReadError::Cycle { .. }), "{error}");
}

#[test]
fn a_hierarchy_that_doubles_with_each_level_ends() {
    // 2⁶⁰ instances in 10 kB, of a mesh, of nothing, and of long names.
    for (leaf, name) in [(object(1, ""), "x"), (assembly(1, "", ""), ""), (assembly(1, "", ""), "a rather long name")] {
        let levels: String = (2..=60)
            .map(|id| assembly(id, name, &format!(r#"<component objectid="{}"/>"#, id - 1).repeat(2)))
            .collect();
        let message = refusal(&model(&[leaf, levels].concat(), r#"<item objectid="60"/>"#));
        assert!(message.contains("unpacks to more than"), "{message}");
    }
}

#[test]
fn faults_name_the_member_the_line_and_the_value() {
    let with_mesh = |from: &str, to: &str| refusal(&model(&object(1, "").replace(from, to), r#"<item objectid="1"/>"#));
    let cases = [
        (with_mesh("y=\"2\"", "y=\"2,5\""), "`3D/3dmodel.model`, line 2: found `2,5`, expected a coordinate"),
        (with_mesh("y=\"2\"", "y=\"nan\""), "`3D/3dmodel.model`, line 2: the coordinate `nan` is not finite"),
        (
            with_mesh("y=\"2\"", "w=\"2\""),
            "`3D/3dmodel.model`, line 2: found `<vertex`, expected the attributes x, y and z",
        ),
        (
            with_mesh("v3=\"2\"", "v3=\"3\""),
            "`3D/3dmodel.model`, line 3: the face names vertex 3, but the number of vertices is 3",
        ),
        (with_mesh("v3=\"2\"", "v3=\"-1\""), "`3D/3dmodel.model`, line 3: the face names vertex -1"),
        (
            with_mesh("v3=\"2\"", ""),
            "`3D/3dmodel.model`, line 3: found `<triangle`, expected the attributes v1, v2 and v3",
        ),
        (with_mesh("</mesh>", "</mash>"), "`3D/3dmodel.model`, line 3: found a fault ("),
        (with_mesh("id=\"1\"", "id=\"one\""), "`3D/3dmodel.model`, line 2: found `one`, expected a whole number"),
        (
            with_mesh("id=\"1\"", "id=\"1\" type=\"ghost\""),
            "`3D/3dmodel.model`, line 2: found `ghost`, expected a type",
        ),
        (with_mesh("id=\"1\"", "id=\"2\""), "`3D/3dmodel.model`, line 4: `1` names no object"),
        (refusal(&model(&object(1, "").repeat(2), "")), "`3D/3dmodel.model`, line 3: found `1`, expected an object id"),
        (
            refusal(&model(&object(1, ""), "")),
            "`3D/3dmodel.model`, line 4: the 3MF file has no `<item>` in its `<build>`",
        ),
        (refusal(&model("", "")), "`3D/3dmodel.model`, line 3: the 3MF file ends without a face"),
        (
            refusal(&model("", r#"<item objectid="1" transform="1 0 0"/>"#)),
            "`3D/3dmodel.model`, line 3: found `1 0 0`, expected a transform of 12",
        ),
        (refusal("<html/>"), "`3D/3dmodel.model`, line 1: found `html`, expected <model>"),
        (refusal("\n\n"), "`3D/3dmodel.model`, line 3: found nothing, expected <model>"),
        (refusal("<model>\n<resources>"), "`3D/3dmodel.model`, line 2: found the end of the document"),
        (refusal("\u{feff}<model>&lol;"), "`3D/3dmodel.model`, line 1: found a fault ("),
    ];
    for (message, expected) in cases {
        assert!(message.starts_with(expected), "{message}\ninstead of\n{expected}");
    }
}

#[test]
fn text_may_be_utf_16_in_either_byte_order() {
    let text = model(&object(1, "name=\"Ü𝄞\""), r#"<item objectid="1"/>"#);
    let expected = load(&text).unwrap();
    assert_eq!(names(&expected), ["Ü𝄞"]);
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let utf16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(to_bytes).collect();
        let root = archive::Member::new("3D/3dmodel.model", utf16);
        let members = [archive::Member::new("_rels/.rels", archive::RELATIONSHIPS), root];
        assert_eq!(read(&archive::archive(&members), Format::ThreeMf).unwrap(), expected);
    }
    // Half a letter, and bytes that are no UTF-8, become replacement characters.
    let mut bytes = package(&text.replace('Ü', "\u{1}"));
    assert!(read(&bytes, Format::ThreeMf).is_ok());
    bytes.truncate(20);
    assert!(read(&bytes, Format::ThreeMf).is_err());
}

#[test]
fn entities_are_not_expanded() {
    let text = model(&object(1, "name=\"&a;\""), r#"<item objectid="1"/>"#);
    let declared = format!("<!DOCTYPE model [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;\">]>{text}");
    assert!(refusal(&declared).contains("found a fault ("));
}

#[test]
fn overflowing_placements_are_refused() {
    let item = r#"<item objectid="1" transform="1e308 0 0 0 1e308 0 0 0 1e308 0 0 0"/>"#;
    let message = refusal(&model(&object(1, ""), item));
    assert!(
        message.contains(
            "line 2: a scale under which vertex 2 of the mesh overflows cannot be read: scale the model down"
        ),
        "{message}"
    );
}
