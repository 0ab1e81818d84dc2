//! OBJ files: what is read, and what is refused with its line.

use heurt_geometry::Vec3;
use heurt_io::{Format, Model, ReadError, ReadOptions, read, read_with};

fn obj(text: &str) -> Result<Model, ReadError> {
    read(text.as_bytes(), Format::Obj)
}

/// The message of a strict reader.
fn refusal(text: &str) -> String {
    let options = ReadOptions::default().strict(true);
    read_with(text.as_bytes(), Format::Obj, &options).expect_err("the file is wrong").to_string()
}

const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn reads_every_form_of_a_face() {
    for face in [
        "f 1 2 3",
        "f 1/1 2/2 3/3",
        "f 1//1 2//2 3//3",
        "f 1/1/1 2/2/2 3/3/3",
        "f -4 -3 -2",
        "fo 1 2 3",
        "\tf  1 2\t3  # last",
    ] {
        let model = obj(&format!("{CORNERS}{face}\n")).unwrap();
        assert_eq!(model.meshes[0].triangles(), [[0, 1, 2]], "{face}");
    }
}

#[test]
fn negative_indices_count_back_from_the_face() {
    let model = obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -4 -2 -1\n").unwrap();
    assert_eq!(model.meshes[0].triangles(), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn decimals_are_rounded_once() {
    // Reading through f32 gives other numbers; the second is half way between two f32.
    let model = obj("v 0.1 1.00000005960464477539 5e-324\nv -0.0 1e308 3\nv 0 1 0\nf 1 2 3").unwrap();
    let vertices = model.meshes[0].vertices();
    assert_eq!(vertices[0], Vec3::new(0.1, 1.000_000_059_604_644_8, 5e-324));
    assert!(vertices[1].x.to_bits() == (-0.0_f64).to_bits() && vertices[1].y == 1e308);
}

#[test]
fn polygons_are_triangulated_in_place() {
    let model = obj(&format!("{CORNERS}f 1 2 3\nf 1 2 3 4\nf 2 3 4\n")).unwrap();
    assert_eq!(model.meshes[0].triangles().len(), 4);
    assert_eq!(model.meshes[0].triangles()[0], [0, 1, 2]);
    assert_eq!(model.meshes[0].triangles()[3], [1, 2, 3]);
}

#[test]
fn a_polygon_that_is_not_convex_keeps_its_area() {
    // A dart of area 4 with its notch at the last corner: the fan from its first corner has area 6 + 2.
    let mesh = &obj("v -2 0 0\nv 0 3 0\nv 2 0 0\nv 0 1 0\nf 1 2 3 4").unwrap().meshes[0];
    let areas = (0..2).map(|face| mesh.corners(face)).map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0);
    assert_eq!(mesh.triangles().len(), 2);
    assert_eq!(areas.sum::<f64>(), 4.0);
}

#[test]
fn other_statements_and_continued_lines_are_understood() {
    let text = "# a remark\nmtllib a.mtl\r\ng one\nusemtl red\ns off\nvt 0 0\nvn 0 0 1\nv 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\n\
                v 0 \\\n 1 \\\r\n 0\nl 1 2\np 1\nf 1 \\\n2 3";
    let model = obj(text).unwrap();
    assert_eq!(model.meshes[0].vertices()[2], Vec3::new(0.0, 1.0, 0.0));
    assert_eq!(model.meshes[0].triangles(), [[0, 1, 2]]);
}

#[test]
fn line_ends_of_every_kind_and_a_byte_order_mark_are_understood() {
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("\u{feff}{CORNERS}f 1 2 3\nf 1 2 9").replace('\n', end);
        assert!(
            refusal(&text).starts_with("line 6: the face names vertex 9, but the number of vertices is 4"),
            "{end:?}"
        );
    }
}

#[test]
fn a_face_may_come_before_its_vertices() {
    let model = obj("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").unwrap();
    assert_eq!(model.meshes[0].triangles(), [[0, 1, 2]]);
    assert!(refusal("f 1 2 3\nf 1 2 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").starts_with("line 2: the face names vertex 4"));
}

#[test]
fn objects_become_parts_on_request() {
    let text = format!("{CORNERS}f 1 2 3\no lid #1\nf 2 3 4\nf 1 2 4\no empty\no lid #1\nf 1 3 4\n");
    let whole = obj(&text).unwrap();
    assert_eq!((whole.parts.len(), whole.parts[0].name.as_str()), (1, ""));
    assert_eq!(whole.meshes[0].triangles().len(), 4);
    let split = read_with(text.as_bytes(), Format::Obj, &ReadOptions::default().split_objects(true)).unwrap();
    let names: Vec<_> = split.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["", "lid #1", "lid #1#2"]);
    assert_eq!(split.meshes[1].triangles(), [[0, 1, 2], [3, 0, 2]]);
    assert_eq!(split.meshes[1].vertices()[3], Vec3::ZERO);
    assert_eq!(split.triangle_count(), whole.triangle_count());
}

#[test]
fn a_backslash_ends_no_remark_and_no_name() {
    // The reported files: a remark with a Windows path before a face, and before a vertex.
    let faces = "f 1 2 3\nf 1 3 4\n";
    let whole = obj(&format!("{CORNERS}{faces}")).unwrap();
    for text in ["# textures: C:\\work\\maps\\", "o C:\\a\\", "g C:\\a\\", "usemtl a\\", "mtllib C:\\a\\", "s off\\"] {
        for damaged in [format!("{CORNERS}{text}\n{faces}"), format!("{text}\n{CORNERS}{faces}")] {
            for options in [ReadOptions::default(), ReadOptions::default().strict(true)] {
                let model = read_with(damaged.as_bytes(), Format::Obj, &options).unwrap();
                assert_eq!(model, whole, "{damaged:?}");
            }
        }
    }
    // A remark after the numbers ends the statement, also on a line that continues it.
    let text = format!("{CORNERS}f 1 2 3 # C:\\\nf 1 \\\n3 4 # D:\\\nl 1 2\n");
    assert_eq!(obj(&text).unwrap(), whole);
    // Statements of numbers go on, and the line of an error is the first one.
    let text = format!("vt 0 \\\n0\nvn 0 0 \\\n1\n{CORNERS}l 1 \\\n2\nf 1 2 \\\n 9 \\\n");
    assert!(refusal(&text).starts_with("line 11: the face names vertex 9"), "{}", refusal(&text));
    // An unknown statement is not continued.
    let text = format!("{CORNERS}note C:\\\n{faces}");
    assert_eq!(Model { warnings: Vec::new(), ..obj(&text).unwrap() }, whole);
}

#[test]
fn groups_become_parts_where_there_is_no_object() {
    let text = format!("{CORNERS}f 1 2 3\ng a\nf 2 3 4\ng b c\nf 1 2 4\ng a\nf 1 3 4\ng\nf 2 4 1\ng empty\n");
    let split =
        |text: &str| read_with(text.as_bytes(), Format::Obj, &ReadOptions::default().split_objects(true)).unwrap();
    let names = |model: &Model| model.parts.iter().map(|part| part.name.clone()).collect::<Vec<_>>();
    let model = split(&text);
    // A group is resumed by its name; faces before all groups and of a group without a name are one part.
    assert_eq!(names(&model), ["", "a", "b c"]);
    let counts: Vec<usize> = model.meshes.iter().map(|mesh| mesh.triangles().len()).collect();
    assert_eq!(counts, [2, 2, 1]);
    assert_eq!(model.meshes[1].triangles(), [[0, 1, 2], [3, 1, 2]]);
    // An object anywhere takes precedence.
    let model = split(&format!("{text}o lid\nf 1 2 3\n"));
    assert_eq!((names(&model), model.meshes[0].triangles().len()), (vec![String::new(), "lid".to_owned()], 5));
    assert_eq!(names(&obj(&text).unwrap()), [""]);
}

#[test]
fn polygons_are_kept() {
    let pentagon = "v 2 0 0\nv 3 0 0\nv 3 1 0\nv 2.5 1.5 0\nv 2 1 0\n";
    let text = format!("{CORNERS}{pentagon}f 1 2 3 4\nf 1 2 3\nf 1 2\nf 5 6 7 8 9\n");
    let model = obj(&text).unwrap();
    let polygons = model.polygons[0].as_ref().unwrap();
    let corners: Vec<&[u32]> = (0..polygons.len()).map(|polygon| polygons.corners(polygon)).collect();
    assert_eq!(corners, [&[0, 1, 2, 3][..], &[0, 1, 2], &[4, 5, 6, 7, 8]]);
    let triangles: Vec<_> = (0..3).map(|polygon| polygons.triangles(polygon)).collect();
    assert_eq!(triangles, [0..2, 2..3, 3..6]);
    assert!(obj(&format!("{CORNERS}f 1 2 3\n")).unwrap().polygons.is_empty());
    // Of parts, those that have polygons; their corners are those of the part.
    let text = format!("{CORNERS}{pentagon}o a\nf 1 2 3\no b\nf 5 6 7 8 9\n");
    let split = read_with(text.as_bytes(), Format::Obj, &ReadOptions::default().split_objects(true)).unwrap();
    assert_eq!(split.polygons[0], None);
    assert_eq!(split.polygons[1].as_ref().unwrap().corners(0), [0, 1, 2, 3, 4]);
}

#[test]
fn names_the_line_and_value_of_what_is_wrong() {
    let cases = [
        ("v 0 0 0\nv nan 0 0\n", "line 2: the coordinate `nan` is not finite"),
        ("v 0 0 0\nv 0 -inf 0\n", "line 2: the coordinate `-inf` is not finite"),
        ("v 1e999 0 0\n", "line 1: the coordinate `1e999` is not finite"),
        ("\nv 0 0\n", "line 2: found nothing, expected a coordinate"),
        ("v 0 0 zero\n", "line 1: found `zero`, expected a coordinate"),
        ("v 0 0 \u{fffd}\u{1}\n", "line 1: found `\u{fffd}\\u{1}`, expected a coordinate"),
        (
            "v 0 0 0\nf 1 1 0\n",
            "line 2: the face names vertex 0, but the number of vertices is 1: indices run from 1 to 1",
        ),
        ("v 0 0 0\nf 1 1 -2\n", "line 2: the face names vertex -2"),
        ("v 0 0 0\nf 1 1 99999999999999999999\n", "line 2: found `99999999999999999999`, expected a vertex index"),
        ("v 0 0 0\nf 1 1 9999999999\n", "line 2: the face names vertex 9999999999"),
        ("v 0 0 0\nf 1 1 1.5\n", "line 2: found `1.5`, expected a vertex index"),
        ("v 0 0 0\nf 1 1\n", "line 2: the face has 2 corners, it needs at least 3"),
        ("v 0 0 0\nface 1 1 1\n", "line 2: found `face`, expected an OBJ statement"),
        (
            "v 0 0 0\nsurf 0 1 0 1 1 2 3 4\n",
            "line 2: the free-form surface `surf` cannot be read: export it as polygons",
        ),
        ("v 0 0 0\n\n", "line 2: the OBJ file ends without a face"),
        (" \n", "the file is empty: give the OBJ file at least one face"),
        ("", "the file is empty"),
    ];
    for (text, start) in cases {
        let message = refusal(text);
        assert!(message.starts_with(start), "{text:?} gives {message:?}");
    }
}

#[test]
fn text_that_is_not_utf8_matters_only_where_it_is_read() {
    let mut bytes = b"# caf\xe9\no caf\xe9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec();
    assert!(read(&bytes, Format::Obj).is_ok());
    bytes.extend_from_slice(b"f 1 2 \xe9\n");
    assert_eq!(read(&bytes, Format::Obj).unwrap_err().to_string().split(',').next(), Some("line 7: found `\u{fffd}`"));
}
