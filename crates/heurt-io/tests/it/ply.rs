//! PLY files in all three encodings: what is read, and what is refused with its line or byte.

use heurt_geometry::Vec3;
use heurt_io::{Format, Model, ReadError, ReadOptions, read, read_with};

fn ply(bytes: &[u8]) -> Result<Model, ReadError> {
    read(bytes, Format::Ply)
}

/// The message of a strict reader.
fn refusal(bytes: impl AsRef<[u8]>) -> String {
    let options = ReadOptions::default().strict(true);
    read_with(bytes.as_ref(), Format::Ply, &options).expect_err("the file is wrong").to_string()
}

const TEXT: &str = "ply\nformat ascii 1.0\ncomment a square\nelement vertex 4\nproperty double x\nproperty double y\n\
                    property double z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n\
                    0 0 0\n0.1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n";

#[test]
fn text_is_read_in_double_precision() {
    let model = ply(TEXT.as_bytes()).unwrap();
    assert_eq!(model.meshes[0].vertices()[1], Vec3::new(0.1, 0.0, 0.0));
    assert_eq!(model.meshes[0].triangles(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(ply(TEXT.replace('\n', "\r\n").as_bytes()).unwrap(), model);
}

/// A tetrahedron with other properties around those that matter: `types` are those of coordinates, lengths and indices.
fn binary(big: bool, types: [&str; 3]) -> Vec<u8> {
    let [coordinate, length, index] = types;
    let mut bytes = format!(
        "ply\nformat binary_{}_endian 1.0\nobj_info x\nelement camera 2\nproperty list uchar short view\n\
         property uchar on\nelement vertex 4\nproperty uchar red\nproperty {coordinate} z\nproperty list int float tail\n\
         property {coordinate} x\nproperty {coordinate} y\nelement face 4\nproperty float quality\n\
         property list {length} {index} vertex_index\nproperty list uchar double texture\nelement edge 7\nend_header\n",
        if big { "big" } else { "little" }
    )
    .replace("element edge 7\n", "")
    .into_bytes();
    let mut put = |kind: &str, value: f64| {
        let mut number = match kind {
            "char" | "int8" => (value as i8).to_le_bytes().to_vec(),
            "uchar" | "uint8" => (value as u8).to_le_bytes().to_vec(),
            "short" | "int16" => (value as i16).to_le_bytes().to_vec(),
            "ushort" | "uint16" => (value as u16).to_le_bytes().to_vec(),
            "int" | "int32" => (value as i32).to_le_bytes().to_vec(),
            "uint" | "uint32" => (value as u32).to_le_bytes().to_vec(),
            "float" | "float32" => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        if big {
            number.reverse();
        }
        bytes.extend(number);
    };
    for view in 0..2 {
        put("uchar", 2.0);
        put("short", -5.0);
        put("short", 300.0);
        put("uchar", f64::from(view));
    }
    for [x, y, z] in [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -5.0]] {
        put("uchar", 255.0);
        put(coordinate, z);
        put("int", 1.0);
        put("float", 9.0);
        put(coordinate, x);
        put(coordinate, y);
    }
    for corners in [[0.0, 2.0, 1.0], [0.0, 1.0, 3.0], [1.0, 2.0, 3.0], [2.0, 0.0, 3.0]] {
        put("float", 0.5);
        put(length, 3.0);
        corners.iter().for_each(|&corner| put(index, corner));
        put("uchar", 0.0);
    }
    bytes
}

#[test]
fn every_type_serves_in_both_byte_orders() {
    for big in [false, true] {
        for coordinate in ["char", "int8", "short", "int16", "int", "int32", "float", "float32", "double", "float64"] {
            for length in ["uchar", "uint8", "ushort", "uint16", "uint", "uint32", "int"] {
                for index in ["uchar", "short", "ushort", "int", "uint"] {
                    let model = ply(&binary(big, [coordinate, length, index])).unwrap();
                    let mesh = &model.meshes[0];
                    assert_eq!(mesh.triangles(), [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
                    assert_eq!(
                        mesh.vertices()[1..],
                        [[2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -5.0]].map(Vec3::from_array)
                    );
                }
            }
        }
    }
}

#[test]
fn polygons_are_triangulated_in_place() {
    let text = TEXT.replace("face 2", "face 1").replace("3 0 1 2\n3 0 2 3\n", "4 0 1 2 3\n");
    assert_eq!(ply(text.as_bytes()).unwrap().triangle_count(), 2);
}

#[test]
fn a_binary_file_that_is_cut_short_says_what_is_missing() {
    let whole = binary(false, ["double", "uchar", "int"]);
    let body = whole.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let (cameras, vertex, face) = (2 * 6, 1 + 8 + 8 + 16, 4 + 1 + 12 + 1);
    for length in body..whole.len() {
        let message = refusal(&whole[..length]);
        let past = length - body;
        let expected = if past < cameras {
            format!("2 elements but holds {}", past / 6)
        } else if past < cameras + 4 * vertex {
            format!("4 vertices but holds {}", (past - cameras) / vertex)
        } else {
            format!("4 faces but holds {}", (past - cameras - 4 * vertex) / face)
        };
        assert!(message.starts_with(&format!("byte {length}: the file promises {expected}")), "{message}");
    }
}

#[test]
fn wrong_values_of_a_binary_file_are_named_by_their_byte() {
    let whole = binary(false, ["double", "uchar", "int"]);
    let last_vertex_y = whole.len() - 4 * 18 - 8;
    let mut wrong = whole.clone();
    wrong[last_vertex_y..last_vertex_y + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    assert_eq!(
        refusal(&wrong),
        format!("byte {last_vertex_y}: the coordinate `NaN` is not finite: give finite numbers")
    );
    let last_index = whole.len() - 1 - 4;
    let mut wrong = whole.clone();
    wrong[last_index..last_index + 4].copy_from_slice(&(-1_i32).to_le_bytes());
    assert!(
        refusal(&wrong)
            .starts_with(&format!("byte {last_index}: the face names vertex -1, but the number of vertices is 4"))
    );
    wrong[last_index..last_index + 4].copy_from_slice(&4_i32.to_le_bytes());
    assert!(
        refusal(&wrong)
            .starts_with(&format!("byte {last_index}: the face names vertex 4, but the number of vertices is 4"))
    );
    let mut wrong = whole;
    wrong[last_index - 9] = 0;
    assert!(refusal(&wrong).starts_with(&format!("byte {}: the face has 0 corners", last_index - 9)));
}

#[test]
fn declared_counts_are_not_believed() {
    for count in ["4000000000", "9223372036854775807"] {
        let text = TEXT.replace("vertex 4", &format!("vertex {count}"));
        let message = refusal(&text);
        assert!(
            message.starts_with("line 15: found `3`, expected") || message.starts_with("line 15: found"),
            "{message}"
        );
        let text = TEXT.replace("face 2", &format!("face {count}"));
        assert!(refusal(&text).starts_with(&format!("line 16: the file promises {count} faces but holds 2")));
        let bare = format!("ply\nformat binary_little_endian 1.0\nelement ghost {count}\nend_header\n");
        assert!(refusal(&bare).starts_with("line 3: found `element ghost"), "{}", refusal(&bare));
    }
    let list = TEXT.replace("list uchar int", "list uint int").replace("3 0 1 2\n", "4294967295 0 1 2\n");
    assert!(refusal(&list).starts_with("line 15: found nothing, expected as many values"));
}

#[test]
fn wrong_headers_and_lines_are_named() {
    let cases = [
        (TEXT.replace("ply\n", "plyx\n"), "line 1: found `plyx`, expected `ply`"),
        (TEXT.replace("ascii", "text"), "line 2: found `text`, expected ascii, binary_little_endian"),
        (TEXT.replace("format ascii 1.0\n", ""), "line 9: found `end_header`, expected a line `format`"),
        (TEXT.replace("vertex 4", "vertex four"), "line 4: found `four`, expected the number of elements"),
        (TEXT.replace("vertex 4", "vertex -4"), "line 4: found `-4`, expected the number of elements"),
        (TEXT.replace("double x", "real x"), "line 5: found `real`, expected a type"),
        (TEXT.replace("double x", "double"), "line 5: found `property double`, expected a name"),
        (TEXT.replace("double x", "double w"), "line 4: found `element vertex`, expected with a property x"),
        (TEXT.replace("vertex_indices", "indices"), "line 8: found `element face`, expected with a property list"),
        (TEXT.replace("list uchar", "list float"), "line 9: found `float`, expected an integer type"),
        (TEXT.replace("comment", "remark"), "line 3: found `remark a square`, expected format, element"),
        (TEXT[..55].to_owned(), "line 4: found nothing, expected `end_header`: the file is cut short"),
        (TEXT.replace("0.1 0 0", "0.1 0"), "line 12: found nothing, expected as many values"),
        (TEXT.replace("0.1 0 0", "0.1 0 0 0"), "line 12: found `0`, expected the end of the line"),
        (TEXT.replace("0.1", "NaN"), "line 12: the coordinate `NaN` is not finite"),
        (TEXT.replace("0.1", "1,0"), "line 12: found `1,0`, expected a number"),
        (
            TEXT.replace("3 0 2 3", "3 0 2 4"),
            "line 16: the face names vertex 4, but the number of vertices is 4: indices run from 0 to 3",
        ),
        (TEXT.replace("3 0 2 3", "3 0 2 1.5"), "line 16: found `1.5`, expected an integer"),
        (TEXT.replace("3 0 2 3", "2 0 2"), "line 16: the face has 2 corners"),
        (TEXT.replace("3 0 2 3", "-1 0 2"), "line 16: found `-1`, expected the length of a list"),
        (
            TEXT.replace("face 2", "tristrips 2").replace("vertex_indices", "indices"),
            "line 8: found `element tristrips`, expected with a property list vertex_indices",
        ),
        (TEXT.replace("face 2", "face 0"), "line 16: the PLY file ends without a face"),
    ];
    for (text, start) in cases {
        let message = refusal(&text);
        assert!(message.starts_with(start), "{text:?} gives {message:?}");
    }
}

#[test]
fn indices_that_are_no_whole_numbers_are_quoted() {
    let whole = binary(false, ["double", "uchar", "float"]);
    let last_index = whole.len() - 1 - 4;
    for (index, shown) in [(1.5_f32, "1.5"), (f32::NAN, "NaN"), (f32::INFINITY, "inf"), (-1e30, "-1.0")] {
        let mut wrong = whole.clone();
        wrong[last_index..last_index + 4].copy_from_slice(&index.to_le_bytes());
        let message = refusal(&wrong);
        let start = format!("byte {last_index}: found `{shown}");
        assert!(message.starts_with(&start) && message.contains("expected a whole number"), "{message}");
    }
}

/// A square as a strip, a restart, a strip that begins with a repeated corner, and an end.
#[test]
fn strips_are_read_with_their_restarts() {
    let strip = "element tristrips 1\nproperty list int int vertex_indices";
    let head = TEXT.replace("element face 2\nproperty list uchar int vertex_indices", strip);
    let text = head.replace("3 0 1 2\n3 0 2 3\n", "11 0 1 3 2 -1 1 1 2 0 3 -1\n");
    let model = ply(text.as_bytes()).unwrap();
    // After the repeated corner, the first triangle is the second of its strip.
    assert_eq!(model.meshes[0].triangles(), [[0, 1, 3], [3, 1, 2], [2, 1, 0], [2, 0, 3]]);
    assert!(model.warnings.is_empty());
    let message = refusal(text.replace(" 2 0 3 -1", " 2 0 7 -1"));
    assert!(message.starts_with("line 15: the face names vertex 7"), "{message}");

    let mut bytes = head.split("end_header\n").next().unwrap().replace("ascii", "binary_big_endian").into_bytes();
    bytes.extend(b"end_header\n");
    let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0_f64]];
    bytes.extend(corners.iter().flatten().flat_map(|coordinate| coordinate.to_be_bytes()));
    bytes.extend([11, 0, 1, 3, 2, -1, 1, 1, 2, 0, 3, -1_i32].iter().flat_map(|number| number.to_be_bytes()));
    assert_eq!(ply(&bytes).unwrap().meshes, model.meshes);
    // Unsigned types have their largest number for -1.
    let unsigned = String::from_utf8_lossy(&bytes[..200]).contains("list int int");
    assert!(unsigned);
    let at = bytes.windows(12).position(|part| part == b"list int int").unwrap();
    bytes.splice(at..at + 12, *b"list int uint");
    assert_eq!(ply(&bytes).unwrap().meshes, model.meshes);
    assert!(ply(&bytes[..bytes.len() - 4]).is_err());
}

/// MeshLab declares four numbers for a colour and writes a list of nine.
#[test]
fn numbers_behind_those_of_a_face_are_ignored() {
    let colours = "property uchar red\nproperty uchar green\nend_header";
    let text = TEXT.replace("end_header", colours);
    let text = text.replace("3 0 1 2\n3 0 2 3\n", "3 0 1 2 9 1 1\n3 0 2 3 9 1 1 1 1\n");
    let model = ply(text.as_bytes()).unwrap();
    assert_eq!(model.meshes[0].triangles(), [[0, 1, 2], [0, 2, 3]]);
    let warning = "values that the header does not declare, at ends of lines: 2 ignored, the first at line 17: `1`";
    assert_eq!(model.warnings[0].to_string(), warning);
    let message = refusal(&text);
    assert!(message.starts_with("line 17: found `1`, expected the end of the line"), "{message}");
    // Values in front of the corners shift them: such a line stays an error.
    let before = text.replace("property list", "property uchar flag\nproperty list");
    assert!(ply(before.as_bytes()).is_err());
    // All faces on one line, and a face that goes on in the next line.
    let joined = TEXT.replace("3 0 1 2\n3 0 2 3\n", "3 0 1 2 3 0 2 3\n");
    assert_eq!(ply(joined.as_bytes()).unwrap().meshes[0].triangles().len(), 2);
    let missing = text.replace("3 0 2 3 9 1 1 1 1\n", "3 0 2\n3 9 1 1\n");
    assert!(ply(missing.as_bytes()).is_err());
}
