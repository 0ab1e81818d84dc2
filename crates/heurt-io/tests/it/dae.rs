//! COLLADA files: hierarchies, transforms, primitives, units, what is skipped and what is refused.

use heurt_geometry::{Pose, Vec3};
use heurt_io::{Format, LengthUnit, Model, ReadError, ReadOptions, UpAxis, read, read_with};
use proptest::prelude::*;

/// A triangle with corners (0, 0, 0), (1, 0, 0) and (0, 2, 0.5), and a corner (0, 0, 3) more.
const POSITIONS: &str = "0 0 0 1 0 0\n0 2 0.5 0 0 3";

/// A geometry `id` over the four points, with the given primitives.
fn geometry(id: &str, attributes: &str, primitives: &str) -> String {
    format!(
        "<geometry id=\"{id}\" {attributes}><mesh>\n<source id=\"{id}-p\"><float_array id=\"{id}-a\" count=\"12\">{POSITIONS}</float_array>\n\
         <technique_common><accessor source=\"#{id}-a\" count=\"4\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>\
         <param name=\"Z\" type=\"float\"/></accessor></technique_common></source>\n\
         <vertices id=\"{id}-v\"><input semantic=\"POSITION\" source=\"#{id}-p\"/></vertices>\n{primitives}</mesh></geometry>"
    )
}

/// A primitive of geometry `g`.
fn primitive(kind: &str, content: &str) -> String {
    format!("<{kind}><input semantic=\"VERTEX\" source=\"#g-v\" offset=\"0\"/>{content}</{kind}>\n")
}

fn triangle() -> String {
    geometry("g", "name=\"tri\"", &primitive("triangles", "<p>0 1 2</p>"))
}

/// A document with geometries, shared nodes, and the nodes of its scene.
fn document(geometries: &str, nodes: &str, scene: &str) -> String {
    document_with("<asset><unit name=\"meter\" meter=\"1\"/><up_axis>Z_UP</up_axis></asset>", geometries, nodes, scene)
}

fn document_with(asset: &str, geometries: &str, nodes: &str, scene: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n{asset}\n\
         <library_geometries>{geometries}</library_geometries>\n<library_nodes>{nodes}</library_nodes>\n\
         <library_visual_scenes><visual_scene id=\"other\"/><visual_scene id=\"s\" name=\"Scene\">\n{scene}</visual_scene></library_visual_scenes>\n\
         <scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n"
    )
}

const INSTANCE: &str = "<instance_geometry url=\"#g\"/>";

fn node(name: &str, content: &str) -> String {
    format!("<node id=\"{name}-id\" name=\"{name}\">{content}</node>\n")
}

fn load(text: &str) -> Result<Model, ReadError> {
    read(text.as_bytes(), Format::Dae)
}

fn refusal(text: &str) -> String {
    load(text).expect_err("the file is wrong").to_string()
}

fn names(model: &Model) -> Vec<&str> {
    model.parts.iter().map(|part| part.name.as_str()).collect()
}

/// The corners of the first triangle of a part in the frame of the file.
fn corners(model: &Model, part: usize) -> [Vec3; 3] {
    let part = &model.parts[part];
    let mesh = &model.meshes[part.mesh];
    mesh.triangles()[0].map(|corner| part.pose.place(mesh.vertices()[corner as usize]))
}

/// Where the second corner, (1, 0, 0), and the third, (0, 2, 0.5), come under transforms.
fn moved(transforms: &str) -> [Vec3; 2] {
    let model = load(&document(&triangle(), "", &node("a", &format!("{transforms}{INSTANCE}")))).unwrap();
    let mesh = &model.meshes[0];
    [1, 2].map(|corner| model.parts[0].pose.place(mesh.vertices()[corner]))
}

#[test]
fn a_node_with_a_geometry_is_a_part() {
    let model = load(&document(&triangle(), "", &node("bracket", INSTANCE))).unwrap();
    assert_eq!(names(&model), ["bracket"]);
    assert_eq!(corners(&model, 0), [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 2.0, 0.5)]);
    assert_eq!((model.unit, model.meshes[0].vertices().len()), (Some(LengthUnit::Metre), 4));
    assert!(model.parts[0].pose.is_identity() && model.warnings.is_empty() && model.polygons.is_empty());
}

#[test]
fn names_are_paths_of_nodes_and_instances_share_a_mesh() {
    let shared = node("rod", &format!("<translate>0 0 1</translate>{INSTANCE}"));
    let bank =
        |name: &str, x: i32| node(name, &format!("<translate>{x} 0 0</translate><instance_node url=\"#rod-id\"/>"));
    let scene = node("engine", &[bank("left bank", -5), bank("right bank", 5)].concat())
        + &format!("<node id=\"n9\">{INSTANCE}</node>");
    let model = load(&document(&triangle(), &shared, &scene)).unwrap();
    assert_eq!(names(&model), ["engine/left bank/rod", "engine/right bank/rod", "n9"]);
    assert_eq!(model.meshes.len(), 1);
    assert_eq!(corners(&model, 1)[1], Vec3::new(6.0, 0.0, 1.0));
}

#[test]
fn names_of_geometries_are_used_where_nodes_do_not_tell() {
    let of = |geometries: &str, scene: &str| -> Vec<String> {
        load(&document(geometries, "", scene)).unwrap().parts.into_iter().map(|part| part.name).collect()
    };
    let other = triangle().replace("\"g\"", "\"h\"").replace("g-", "h-").replace("#g", "#h");
    let both = [triangle(), other].concat();
    let two = format!("{INSTANCE}<instance_geometry url=\"#h\"/>");
    assert_eq!(of(&triangle(), &format!("<node>{INSTANCE}</node>")), ["tri"]);
    assert_eq!(of(&both, &node("a", &two)), ["a/tri", "a/tri#2"]);
    let bare = triangle().replace(" name=\"tri\"", "");
    assert_eq!(of(&bare, &format!("<node>{INSTANCE}</node>")), ["g"]);
    // Without a scene, the geometries are the parts.
    let text = format!("<COLLADA><library_geometries>{both}</library_geometries></COLLADA>");
    assert_eq!(names(&load(&text).unwrap()), ["tri", "tri#2"]);
}

#[test]
fn ids_that_every_geometry_repeats_are_its_own() {
    let other = triangle().replace("<geometry id=\"g\"", "<geometry id=\"h\"").replace("0 2 0.5", "0 7 0.5");
    let scene = node("a", INSTANCE) + &node("b", "<instance_geometry url=\"#h\"/>");
    let model = load(&document(&[triangle(), other].concat(), "", &scene)).unwrap();
    assert_eq!([corners(&model, 0)[2].y, corners(&model, 1)[2].y], [2.0, 7.0]);
}

#[test]
fn transforms_compose_in_file_order() {
    assert_eq!(moved("<translate>1 2 3</translate>"), [Vec3::new(2.0, 2.0, 3.0), Vec3::new(1.0, 4.0, 3.5)]);
    assert_eq!(moved("<rotate>0 0 2 90</rotate>"), [Vec3::Y, Vec3::new(-2.0, 0.0, 0.5)]);
    assert_eq!(moved("<rotate>1 0 0 -90</rotate>")[1], Vec3::new(0.0, 0.5, -2.0));
    assert_eq!(moved("<rotate>0 1 0 540</rotate>")[0], -Vec3::X);
    assert_eq!(moved("<rotate>0 0 0 0</rotate>")[0], Vec3::X);
    assert_eq!(moved("<scale>2 3 4</scale>"), [Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 6.0, 2.0)]);
    // The last transform acts first.
    assert_eq!(
        moved("<translate>10 0 0</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>")[0],
        Vec3::new(10.0, 2.0, 0.0)
    );
    assert_eq!(
        moved("<scale>2 2 2</scale><rotate>0 0 1 90</rotate><translate>10 0 0</translate>")[0],
        Vec3::new(0.0, 22.0, 0.0)
    );
    let matrix = "<matrix sid=\"m\">0 -1 0 5\n1 0 0 6\n0 0 1 7\n0 0 0 1</matrix>";
    assert_eq!(moved(matrix), [Vec3::new(5.0, 7.0, 7.0), Vec3::new(3.0, 6.0, 7.5)]);
    // Points move along the second axis by their coordinate along the first: tan 45° = 1.
    let [second, third] = moved("<skew>45 0 1 0 1 0 0</skew>");
    assert!(second.distance(Vec3::X) < 1e-15 && third.distance(Vec3::new(2.0, 2.0, 0.5)) < 1e-15);
    // From (0, 0, 5) along −x, z up: the view's right is y, its back is x.
    let [second, third] = moved("<lookat>0 0 5 -1 0 5 0 0 1</lookat>");
    assert_eq!((second, third), (Vec3::new(0.0, 1.0, 5.0), Vec3::new(0.5, 0.0, 7.0)));
    let tilted = moved("<rotate>1 1 1 120</rotate>");
    assert!(tilted[0].distance(Vec3::Y) < 1e-15, "{tilted:?}");
}

#[test]
fn scale_and_mirror_are_baked_once_each_and_polygons_reversed() {
    let quad = geometry("g", "", &primitive("polylist", "<vcount>4</vcount><p>0 1 3 2</p>"));
    let copy =
        |name: &str, scale: &str| node(name, &format!("<rotate>0 0 1 90</rotate><scale>{scale}</scale>{INSTANCE}"));
    let scene = [copy("a", "2 2 2"), copy("b", "1 1 -1"), copy("c", "2 2 2"), copy("d", "1 1 1")].concat();
    let model = load(&document(&quad, "", &scene)).unwrap();
    let meshes: Vec<usize> = model.parts.iter().map(|part| part.mesh).collect();
    assert_eq!((model.meshes.len(), meshes), (3, vec![0, 1, 0, 2]));
    let polygon = |mesh: usize| model.polygons[mesh].as_ref().unwrap().corners(0).to_vec();
    assert_eq!([polygon(0), polygon(1), polygon(2)], [[0, 1, 3, 2], [2, 3, 1, 0], [0, 1, 3, 2]]);
    let quarter = Pose::from_matrix(heurt_geometry::Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::Z), Vec3::ZERO).unwrap();
    assert_eq!(model.parts[2].pose, quarter);
}

#[test]
fn scales_that_are_nearly_uniform_stay_as_they_are() {
    // Half a millionth more along z is no rounding.
    let scene = node("a", &format!("<scale>2 2 2.000001</scale>{INSTANCE}"));
    let model = load(&document(&triangle(), "", &scene)).unwrap();
    assert_eq!(corners(&model, 0), [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.5 * 2.000001)]);
    // Uniform but for rounding: the scale is one number, so that the rotation becomes the pose.
    let scene = node("a", &format!("<scale>0.1 0.1 0.1</scale><rotate>1 2 3 40</rotate>{INSTANCE}"));
    let model = load(&document(&triangle(), "", &scene)).unwrap();
    assert_eq!(model.meshes[0].vertices()[1], Vec3::new(0.1, 0.0, 0.0));
    let turned = node("a", &format!("<rotate>1 2 3 40</rotate><scale>0.1 0.1 0.1</scale>{INSTANCE}"));
    let turned = load(&document(&triangle(), "", &turned)).unwrap();
    assert_eq!(turned.parts[0].pose, model.parts[0].pose);
    // The same as one matrix, in which each column has a length of its own.
    let rotation = model.parts[0].pose.rotation().transpose().to_cols_array();
    let row = |at: usize| rotation[at..at + 3].iter().map(|x| format!("{} ", 0.1 * x)).collect::<String>() + "0 ";
    let matrix = node("a", &format!("<matrix>{}{}{}0 0 0 1</matrix>{INSTANCE}", row(0), row(3), row(6)));
    let matrix = load(&document(&triangle(), "", &matrix)).unwrap();
    assert!((matrix.meshes[0].vertices()[1] - Vec3::new(0.1, 0.0, 0.0)).length() < 1e-16);
    assert_eq!(matrix.meshes[0].vertices()[2].z * 4.0, matrix.meshes[0].vertices()[2].y);
}

#[test]
fn documents_of_many_elements_take_bounded_memory() {
    // Empty elements are refused once the tree is out of proportion: 100 bytes for each 4 are within it.
    let many = format!("<extra>{}</extra>", "<a/>".repeat(200_000));
    let text =
        document(&triangle(), "", &node("a", INSTANCE)).replace("<library_nodes>", &format!("{many}<library_nodes>"));
    assert_eq!(load(&text).unwrap().parts.len(), 1);
    // One point of an accessor with a stride of 0, as often as 24 bytes each fit 64 for each byte and 16 MB.
    let source = |count: usize| {
        let accessor = format!("<accessor source=\"#g-a\" count=\"{count}\" stride=\"0\"/>");
        let text = document(&triangle(), "", &node("a", INSTANCE));
        let (from, to) = (text.find("<accessor").unwrap(), text.find("</accessor>").unwrap() + "</accessor>".len());
        load(&[&text[..from], &accessor, &text[to..]].concat())
    };
    assert!(source(300_000).is_ok());
    let message = source(1_000_000).unwrap_err().to_string();
    assert!(message.contains("unpacks to more than") && message.contains("bytes, out of proportion"), "{message}");
}

#[test]
fn every_primitive_with_faces_is_read() {
    let triangles = |content: &str, kind: &str| {
        let model = load(&document(&geometry("g", "", &primitive(kind, content)), "", &node("a", INSTANCE))).unwrap();
        let warnings: Vec<_> = model.warnings.iter().map(|warning| (warning.what, warning.count)).collect();
        (model.meshes[0].triangles().to_vec(), warnings)
    };
    assert_eq!(triangles("<p>0 1 2 2 1 3</p>", "triangles").0, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(triangles("<p>0 1 2 3</p><p>1 2 3</p>", "tristrips").0, [[0, 1, 2], [1, 3, 2], [1, 2, 3]]);
    assert_eq!(triangles("<p>0 1 2 3</p>", "trifans").0, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(
        triangles("<vcount>3 2 3</vcount><p>0 1 2 0 1 1 2 3</p>", "polylist"),
        (vec![[0, 1, 2], [1, 2, 3]], vec![("faces of fewer than 3 corners", 1)])
    );
    let holes = "<p>0 1 2</p><ph><p>1 2 3</p></ph><ph><p>0 1 3</p><h>2 1</h></ph>";
    let small = vec![("faces of fewer than 3 corners", 1)];
    assert_eq!(triangles(holes, "polygons"), (vec![[0, 1, 2], [1, 2, 3], [0, 1, 3]], small));
    // Other inputs interleave; the vertex may come last.
    let uv = "<input semantic=\"NORMAL\" source=\"#g-p\" offset=\"0\"/><input semantic=\"VERTEX\" source=\"#g-v\" offset=\"2\"/><p>9 9 0 9 9 1 9 9 2</p>";
    let mesh = geometry("g", "", &format!("<lines><p>0 1</p></lines><triangles count=\"1\">{uv}</triangles>"));
    assert_eq!(load(&document(&mesh, "", &node("a", INSTANCE))).unwrap().meshes[0].triangles(), [[0, 1, 2]]);
}

#[test]
fn polygons_with_holes_keep_them() {
    // A plate of 4 × 4 × 1 with two square holes of 1 × 1, one of them given in the direction of the outline.
    let square = |low: [f64; 2], size: f64, z: f64| {
        [[0.0, 0.0], [size, 0.0], [size, size], [0.0, size]].map(|[x, y]| [low[0] + x, low[1] + y, z])
    };
    let rings = [([0.0, 0.0], 4.0), ([0.5, 0.5], 1.0), ([2.0, 2.5], 1.0)];
    let points = rings.iter().flat_map(|&(low, size)| [0.0, 1.0].map(|z| square(low, size, z))).flatten();
    let numbers: Vec<String> = points.flatten().map(|x| x.to_string()).collect();
    let file = |faces: &str| {
        let source = format!(
            "<source id=\"g-p\"><float_array id=\"g-a\">{}</float_array><technique_common><accessor source=\"#g-a\" count=\"24\" \
             stride=\"3\"/></technique_common></source><vertices id=\"g-v\"><input semantic=\"POSITION\" source=\"#g-p\"/></vertices>",
            numbers.join(" ")
        );
        let mesh = format!("<geometry id=\"g\"><mesh>{source}{}</mesh></geometry>", primitive("polygons", faces));
        document(&mesh, "", &node("a", INSTANCE))
    };
    let wall = |ring: usize, is_hole: bool| -> String {
        let wall = |k: usize| {
            let (a, b) = (8 * ring + k, 8 * ring + (k + 1) % 4);
            if is_hole {
                format!("<p>{b} {a} {} {}</p>", a + 4, b + 4)
            } else {
                format!("<p>{a} {b} {} {}</p>", b + 4, a + 4)
            }
        };
        (0..4).map(wall).collect()
    };
    let top = "<ph><p>4 5 6 7</p><h>12 15 14 13</h><h>20 21 22 23</h></ph>";
    let bottom = "<ph><h>8 9 10 11</h><p>3 2 1 0</p><h>16 17 18 19</h></ph>";
    let walls = [wall(0, false), wall(1, true), wall(2, true)].concat();
    let model = load(&file(&[top, bottom, &walls].concat())).unwrap();
    let measures = heurt_mesh::measures(&model.meshes[0]);
    assert!(model.warnings.is_empty());
    assert_eq!((measures.volume, measures.area), (Some(14.0), 2.0 * 14.0 + 16.0 + 8.0));
    // Holes that meet, that lie outside, and that touch the outline.
    for wrong in ["<h>12 13 14 15</h><h>12 13 14 15</h>", "<h>12 13 14 23</h><h>20 13 22 23</h>", "<h>4 13 14</h>"] {
        let message = refusal(&file(&format!("<ph><p>4 5 6 7</p>{wrong}</ph>")));
        assert!(
            message.contains("a polygon whose holes touch or cross") && message.contains("triangulate"),
            "{message}"
        );
    }
    let outside = refusal(&file("<ph><p>12 13 14 15</p><h>20 21 22 23</h></ph>"));
    assert!(outside.contains("a polygon whose holes"), "{outside}");
    assert!(refusal(&file("<ph><h>12 13 14 15</h></ph>")).contains("an outline <p> in <ph>"));
}

#[test]
fn primitives_of_one_mesh_share_its_vertices() {
    let primitives =
        [primitive("triangles", "<p>0 1 2</p>"), primitive("polylist", "<vcount>4</vcount><p>0 1 3 2</p>")];
    let model = load(&document(&geometry("g", "", &primitives.concat()), "", &node("a", INSTANCE))).unwrap();
    assert_eq!((model.meshes[0].vertices().len(), model.meshes[0].triangles().len()), (4, 3));
    assert_eq!(model.polygons[0].as_ref().unwrap().len(), 2);
}

#[test]
fn accessors_say_where_the_coordinates_are() {
    let array = "<float_array id=\"a\">7 0 9 0 0 7 1 9 0 0 7 0 9 2 0.5</float_array>";
    let with = |accessor: &str| {
        let source = format!("<source id=\"p\">{array}<technique_common>{accessor}</technique_common></source>");
        let text = format!(
            "<COLLADA><library_geometries><geometry id=\"g\"><mesh>{source}<vertices id=\"g-v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>{}</mesh></geometry></library_geometries></COLLADA>",
            primitive("triangles", "<p>0 1 2</p>")
        );
        load(&text)
    };
    // The third number of each point has no name; the first of all is skipped.
    let params = "<param name=\"A\"/><param/><param name=\"B\"/><param name=\"C\"/>";
    let model =
        with(&format!("<accessor source=\"#a\" count=\"3\" offset=\"1\" stride=\"5\">{params}</accessor>")).unwrap();
    assert_eq!(corners(&model, 0), [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 2.0, 0.5)]);
    let named = "<param name=\"Y\"/><param name=\"Q\"/><param name=\"X\"/><param name=\"Z\"/>";
    let model =
        with(&format!("<accessor source=\"#a\" count=\"3\" offset=\"1\" stride=\"5\">{named}</accessor>")).unwrap();
    assert_eq!(corners(&model, 0)[1], Vec3::new(0.0, 1.0, 0.0));
    let model = with("<accessor source=\"#a\" count=\"5\" stride=\"3\"/>").unwrap();
    assert_eq!(corners(&model, 0)[1], Vec3::new(0.0, 0.0, 7.0));
    let message = with("<accessor source=\"#a\" count=\"6\" stride=\"3\"/>").unwrap_err().to_string();
    assert!(message.contains("promises 18 numbers but holds 15"), "{message}");
    let message =
        with("<accessor source=\"#a\" count=\"18446744073709551615\" stride=\"3\"/>").unwrap_err().to_string();
    assert!(message.contains("numbers but holds 15"), "{message}");
    let message = with("<accessor source=\"#a\" count=\"99999999999\" stride=\"0\"/>").unwrap_err().to_string();
    assert!(message.contains("unpacks to more than"), "{message}");
    let message =
        with("<accessor source=\"#a\" count=\"1\" stride=\"3\"><param name=\"S\"/><param name=\"T\"/></accessor>");
    assert!(message.unwrap_err().to_string().contains("found `S T`, expected the parameters X, Y and Z"));
}

#[test]
fn units_are_known_or_baked() {
    let with = |asset: &str| {
        load(&document_with(asset, &triangle(), "", &node("a", &format!("<translate>1 0 0</translate>{INSTANCE}"))))
            .unwrap()
    };
    let of = |meter: &str| with(&format!("<asset><unit name=\"x\" meter=\"{meter}\"/></asset>"));
    for (meter, unit) in [
        ("0.001", LengthUnit::Millimetre),
        ("0.0254", LengthUnit::Inch),
        ("1.0", LengthUnit::Metre),
        ("0.01", LengthUnit::Centimetre),
        ("1e-6", LengthUnit::Micrometre),
        ("0.3048", LengthUnit::Foot),
    ] {
        let model = of(meter);
        assert_eq!((model.unit, corners(&model, 0)[1]), (Some(unit), Vec3::new(2.0, 0.0, 0.0)));
    }
    let model = of("0.5");
    assert_eq!((model.unit, corners(&model, 0)[1]), (Some(LengthUnit::Metre), Vec3::new(1.0, 0.0, 0.0)));
    assert_eq!(with("").unit, Some(LengthUnit::Metre));
    assert_eq!(of("0,010000").unit, Some(LengthUnit::Centimetre));
    // The up axis is reported and changes nothing else.
    let turned = with("<asset><up_axis>X_UP</up_axis></asset>");
    assert_eq!(turned.up, Some(UpAxis::X));
    assert_eq!(Model { up: None, ..turned }, with(""));
    for meter in ["0", "-1", "nan", "far", "1,000"] {
        let message =
            refusal(&document_with(&format!("<asset><unit meter=\"{meter}\"/></asset>"), &triangle(), "", ""));
        assert!(message.starts_with(&format!("line 3: found `{meter}`, expected a positive length")), "{message}");
    }
}

#[test]
fn controllers_are_skipped_and_counted() {
    let scene = node("a", INSTANCE) + &node("b", "<instance_controller url=\"#c\"/>");
    let model = load(&document(&triangle(), "", &scene)).unwrap();
    assert_eq!(model.warnings[0].to_string(), "controllers (skins and morphs): 1 ignored, the first at line 14: `b`");
    let message = refusal(&document(&triangle(), "", &node("b", "<instance_controller url=\"#c\"/>")));
    assert_eq!(
        message,
        "line 13: a scene of skins and morphs alone cannot be read: apply the deformations before the export"
    );
    let spline = geometry("h", "", "").replace("mesh>", "spline>");
    let scene = node("a", INSTANCE) + &node("b", "<instance_geometry url=\"#h\"/>");
    let model = load(&document(&(triangle() + &spline), "", &scene)).unwrap();
    assert_eq!((model.parts.len(), model.warnings[0].what), (1, "geometries without a mesh"));
}

#[test]
fn a_strict_reader_refuses_what_is_skipped() {
    let strict = |text: &str| read_with(text.as_bytes(), Format::Dae, &ReadOptions::default().strict(true));
    let of = |kind: &str, content: &str| {
        strict(&document(&geometry("g", "", &primitive(kind, content)), "", &node("a", INSTANCE)))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(of("polygons", "<p>0 1 2</p>"), Ok(()));
    let small = of("polygons", "<p>0 1</p>").unwrap_err();
    assert!(small.starts_with("line 9: the face has 2 corners"), "{small}");
    assert!(strict(&document(&triangle(), "", &node("b", "<instance_controller url=\"#c\"/>"))).is_err());
}

#[test]
fn a_node_that_contains_itself_is_refused() {
    let message =
        refusal(&document(&triangle(), &node("a", "<instance_node url=\"#a-id\"/>"), "<instance_node url=\"#a-id\"/>"));
    assert_eq!(message, "line 11: node `a` contains itself: remove the instance that closes the cycle");
    let two = node("a", "<instance_node url=\"#b-id\"/>") + &node("b", &node("c", "<instance_node url=\"#a-id\"/>"));
    assert!(matches!(
        load(&document(&triangle(), &two, "<instance_node url=\"#b-id\"/>")),
        Err(ReadError::Cycle { .. })
    ));
}

#[test]
fn a_hierarchy_that_doubles_with_each_level_ends() {
    for (leaf, name) in [(INSTANCE, "n"), ("", "n"), ("<skew>1 1 0 0 0 1 0</skew>", "a rather long name")] {
        let nodes: String = (0..60)
            .map(|level| {
                let below = format!("<instance_node url=\"#{name}{}-id\"/>", level - 1).repeat(2);
                node(&format!("{name}{level}"), if level == 0 { leaf } else { &below })
            })
            .collect();
        let message = refusal(&document(&triangle(), &nodes, &format!("<instance_node url=\"#{name}59-id\"/>")));
        assert!(message.contains("unpacks to more than"), "{message}");
    }
}

#[test]
fn deep_nesting_is_no_recursion() {
    let depth = 100_000;
    let scene = format!("{}{INSTANCE}{}", "<node>".repeat(depth), "</node>".repeat(depth));
    assert_eq!(load(&document(&triangle(), "", &scene)).unwrap().parts.len(), 1);
}

#[test]
fn faults_name_the_line_and_the_value() {
    let scene = node("a", INSTANCE);
    let with = |from: &str, to: &str| {
        let text = document(&triangle(), "", &scene);
        assert!(text.contains(from), "{from}");
        refusal(&text.replace(from, to))
    };
    let cases = [
        (with("0 2 0.5", "0 2,5 0.5"), "line 6: found `2,5`, expected a number"),
        (with("0 2 0.5", "0 inf 0.5"), "line 6: the coordinate `inf` is not finite"),
        (
            with("0 1 2<", "0 1 4<"),
            "line 9: the face names vertex 4, but the number of vertices is 4: indices run from 0 to 3",
        ),
        (with("0 1 2<", "0 1 -1<"), "line 9: the face names vertex -1"),
        (with("0 1 2<", "0 1 x<"), "line 9: found `x`, expected an index"),
        (with("0 1 2<", "0 1<"), "line 9: found `2 corners`, expected three for each triangle"),
        (with("<triangles>", "<triangles count=\"2\">"), "line 9: the file promises 2 triangles but holds 1"),
        (with("offset=\"0\"", "offset=\"5\""), "line 9: found `3 numbers`, expected 6 for each corner"),
        (with("offset=\"0\"", "offset=\"-5\""), "line 9: found `-5`, expected a whole number as attribute offset"),
        (
            with("semantic=\"VERTEX\"", "semantic=\"COLOR\""),
            "line 9: found nothing, expected an input with semantic VERTEX",
        ),
        (
            with("semantic=\"POSITION\"", "semantic=\"COLOR\""),
            "line 8: found nothing, expected an input with semantic POSITION",
        ),
        (with("url=\"#g\"", "url=\"#x\""), "line 13: `#x` names no geometry of the file"),
        (with("url=\"#g\"", "url=\"b.dae#g\""), "line 13: the reference `b.dae#g` to another file cannot be read"),
        (with("url=\"#s\"", "url=\"#g\""), "line 15: `#g` names no visual_scene of the file"),
        (with(INSTANCE, "<translate>1 2</translate>"), "line 13: found `1 2`, expected 3 numbers in <translate>"),
        (with(INSTANCE, "<translate>1 2 3 4</translate>"), "line 13: found `1 2 3 4`, expected 3 numbers"),
        (with(INSTANCE, "<rotate>0 0 0 5</rotate>"), "line 13: found `0 0 0 5`, expected an axis that is not zero"),
        (
            with(INSTANCE, "<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>"),
            "line 13: found `0 0 1 1`, expected a last row",
        ),
        (with(INSTANCE, ""), "line 16: the COLLADA file ends without a face"),
        (with("</node>", "</nude>"), "line 13: found a fault ("),
        (with("version=\"1.4.1\"", "version=1"), "line 2: found a fault ("),
        (refusal("<html/>"), "line 1: found `html`, expected <COLLADA>"),
        (refusal("<COLLADA><a>"), "line 1: found the end of the document"),
    ];
    for (message, expected) in cases {
        assert!(message.starts_with(expected), "{message}\ninstead of\n{expected}");
    }
}

#[test]
fn the_content_tells_the_format() {
    let text = document(&triangle(), "", &node("a", INSTANCE));
    assert_eq!(Format::detect(text.as_bytes()), Some(Format::Dae));
    assert_eq!(Format::detect(format!("\u{feff}<!-- a remark -->\n{text}").as_bytes()), Some(Format::Dae));
    assert_eq!(Format::from_extension(".DAE"), Some(Format::Dae));
    let utf16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(Format::detect(&utf16), Some(Format::Dae));
    assert_eq!(read(&utf16, Format::Dae), load(&text));
    assert!(!Format::Dae.can_be_written());
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let text = document(&triangle(), "", &node("a", INSTANCE));
    let whole = text.trim_end().len();
    for length in 0..whole {
        assert!(load(&text[..length]).is_err(), "{length} bytes");
    }
    assert!(load(&text[..whole]).is_ok());
}

/// A chain of rotations, shifts and scales, as text and as the map of a point.
fn transform() -> impl Strategy<Value = (String, [f64; 4], u8)> {
    ([-9..9_i32, -9..9_i32, -9..9_i32], -360..360_i32, 0..3_u8).prop_map(|([x, y, z], angle, kind)| {
        let numbers = [x, y, z, angle].map(f64::from);
        match kind {
            0 => (format!("<translate>{x} {y} {z}</translate>"), numbers, kind),
            1 if [x, y, z] != [0; 3] => (format!("<rotate>{x} {y} {z} {angle}</rotate>"), numbers, kind),
            _ => (format!("<scale>{x} {y} {z}</scale>"), numbers, 2),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_chain_of_transforms_places_points_as_each_does_in_turn(
        chain in prop::collection::vec(transform(), 0..6), split in any::<prop::sample::Index>(),
    ) {
        // The oracle: from the last transform to the first, one at a time.
        let apply = |point: Vec3, [x, y, z, angle]: [f64; 4], kind: u8| match kind {
            0 => point + Vec3::new(x, y, z),
            1 => {
                let (axis, half) = (Vec3::new(x, y, z).normalize(), angle.to_radians() / 2.0);
                let v = axis * half.sin();
                // A quaternion's rotation, which shares no formula with the reader.
                let t = v.cross(point) * 2.0;
                point + t * half.cos() + v.cross(t)
            }
            _ => point * Vec3::new(x, y, z),
        };
        let expected = chain.iter().rev().fold(Vec3::new(0.0, 2.0, 0.5), |point, (_, numbers, kind)| apply(point, *numbers, *kind));
        // Split over two nodes anywhere.
        let at = split.index(chain.len() + 1);
        let text = |part: &[(String, [f64; 4], u8)]| part.iter().map(|(text, ..)| text.as_str()).collect::<String>();
        let inner = node("b", &format!("{}{INSTANCE}", text(&chain[at..])));
        let model = load(&document(&triangle(), "", &node("a", &format!("{}{inner}", text(&chain[..at]))))).unwrap();
        let found = model.parts[0].pose.place(model.meshes[0].vertices()[2]);
        prop_assert!(found.distance(expected) <= 1e-9 * (1.0 + expected.length()), "{found} {expected}");
    }

    #[test]
    fn bytes_changed_anywhere_are_answered(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = document(&triangle(), "", &node("a", &format!("<rotate>0 0 1 30</rotate>{INSTANCE}"))).into_bytes();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = read(&bytes, Format::Dae);
    }
}
