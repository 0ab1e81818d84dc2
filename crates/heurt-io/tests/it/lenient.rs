//! What lenient readers ignore with a warning, what they refuse all the same, and what strict ones refuse.

use heurt_io::{Format, Model, ReadError, ReadOptions, Warning, read, read_partial, read_with};
use proptest::prelude::*;

const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
const OFF: &str = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 4\nproperty list uchar int vertex_indices\nend_header\n\
                   0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";
const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
                   endfacet\nfacet normal 0 1 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 1 0 0\nendloop\n\
                   endfacet\nendsolid a\n";

fn strict(bytes: &[u8], format: Format) -> Result<Model, ReadError> {
    read_with(bytes, format, &ReadOptions::default().strict(true))
}

/// Checks that a damaged file gives the model of the whole one and exactly the warnings (kind, number, place), and that
/// a partial reading does the same.
fn check(whole: &[u8], damaged: impl AsRef<[u8]>, format: Format, expected: &[(&str, u64, &str)]) {
    let damaged = damaged.as_ref();
    let shown = String::from_utf8_lossy(damaged);
    let model = read(damaged, format).unwrap_or_else(|error| panic!("{shown:?}: {error}"));
    let found: Vec<(&str, u64, String)> =
        model.warnings.iter().map(|warning| (warning.what, warning.count, warning.place.to_string())).collect();
    let found: Vec<(&str, u64, &str)> =
        found.iter().map(|(what, count, place)| (*what, *count, place.as_str())).collect();
    assert_eq!(found, expected, "{shown:?}");
    let partial = read_partial(damaged, format, &ReadOptions::default()).unwrap();
    assert_eq!((&partial.model, partial.failures.len()), (&model, 0), "{shown:?}");
    let whole = read(whole, format).unwrap();
    assert!(whole.warnings.is_empty());
    assert_eq!(Model { warnings: Vec::new(), ..model }, whole, "{shown:?}");
}

/// Does as [`check`], and checks that a strict reader refuses the file.
fn check_refused(whole: &str, damaged: impl AsRef<[u8]>, format: Format, expected: &[(&str, u64, &str)]) {
    let damaged = damaged.as_ref();
    check(whole.as_bytes(), damaged, format, expected);
    let error = strict(damaged, format).expect_err("a strict reader refuses it").to_string();
    assert!(error.len() > 10, "{error}");
}

#[test]
fn obj_statements_that_are_no_surface_are_ignored() {
    let refused = |damaged: &str, expected: &[(&str, u64, &str)]| check_refused(OBJ, damaged, Format::Obj, expected);
    refused(&format!("{OBJ}\0"), &[("NUL bytes", 1, "line 9")]);
    refused(&format!("{OBJ}{}", "\0".repeat(40)), &[("NUL bytes", 40, "line 9")]);
    refused(&format!("\0\0{OBJ}"), &[("NUL bytes", 2, "line 1")]);
    refused(&OBJ.replace("v 0 0 1\n", "v 0 0 1\0\n"), &[("NUL bytes", 1, "line 4")]);
    refused(&format!("4 4\n{OBJ}"), &[("lines of counts in front", 1, "line 1")]);
    refused(&format!("4 4 6\n{OBJ}"), &[("lines of counts in front", 1, "line 1")]);
    for small in ["f", "f 1", "f 1 2", "f 1/1 2/2"] {
        refused(&format!("{OBJ}{small}\n{small}\n"), &[("faces of fewer than 3 corners", 2, "line 9")]);
    }
    let unknown = [("unknown statements", 2, "line 1")];
    for (first, last) in [
        ("hello world", "</html>"),
        ("// remark", "\u{1a}"),
        ("; remark", "made by x"),
        ("{\"a\": 1}", "\"\"\""),
        ("V 1 2 3", "F 1 2 3"),
        ("1.5 2.5", "12 x"),
    ] {
        refused(&format!("{first}\n{OBJ}{last}\n"), &unknown);
    }
    let mut latin = b"caf\xe9 1\n".to_vec();
    latin.extend_from_slice(OBJ.as_bytes());
    check_refused(OBJ, latin, Format::Obj, &[("unknown statements", 1, "line 1")]);
    check(OBJ.as_bytes(), format!("\u{feff}{OBJ}"), Format::Obj, &[("byte order marks", 1, "line 1")]);
    // A backslash swallows no statement.
    for (line, place) in [("v 1 0 0", "line 2"), ("v 0 0 1", "line 4"), ("f 1 2 4", "line 6")] {
        refused(&OBJ.replace(line, &format!("{line} \\")), &[("backslashes before a statement", 1, place)]);
    }
    // Kinds come in the order in which they are found: NUL bytes before lines are read.
    let several = format!("x\n{OBJ}f 1\ny\n\0");
    refused(
        &several,
        &[
            ("NUL bytes", 1, "line 12"),
            ("unknown statements", 2, "line 1"),
            ("faces of fewer than 3 corners", 1, "line 10"),
        ],
    );
}

#[test]
fn off_lines_that_are_no_surface_are_ignored() {
    let refused = |damaged: &str, expected: &[(&str, u64, &str)]| check_refused(OFF, damaged, Format::Off, expected);
    let joined = [("missing blanks between `OFF` and the counts", 1, "line 1")];
    refused(&OFF.replace("OFF\n", "OFF"), &joined);
    refused(&OFF.replace("OFF\n4 4 6", "OFF4 4"), &joined);
    refused(&OFF.replace("OFF\n", "COFF"), &joined);
    refused(&OFF.replace("4 4 6", "4\n4\n6"), &[]);
    refused(&OFF.replace("4 4 6", "4\n4"), &[]);
    refused(&OFF.replace("4 4 6", "4\n\n4 # faces\n# edges\n6"), &[]);
    refused(&OFF.replace("OFF\n4 4 6", "OFF 4\n4"), &[]);
    for small in ["0", "1 0", "2 0 1"] {
        let text = OFF.replace("4 4 6", "4 5 6").replace("3 0 1 3", &format!("{small}\n3 0 1 3"));
        refused(&text, &[("faces of fewer than 3 corners", 1, "line 8")]);
    }
    refused(&format!("{OFF}made by x\n\n\u{1a}"), &[("lines after the end of the data", 2, "line 11")]);
    refused(&format!("{OFF}\0"), &[("NUL bytes", 1, "line 11")]);
    refused(&format!("\0{OFF}"), &[("NUL bytes", 1, "line 1")]);
    let accepted = |damaged: &str| check(OFF.as_bytes(), damaged, Format::Off, &[]);
    for colours in ["255 0 0", "0.5 0.5 0.5 1", "# red"] {
        accepted(&OFF.replace("3 0 2 1", &format!("3 0 2 1 {colours}")));
        accepted(&OFF.replace("1 0 0", &format!("1 0 0 {colours}")).replace("OFF", "COFF"));
    }
    accepted(&OFF.replace("4 4 6", "4 4"));
    accepted(&OFF.replace("4 4 6", "4 4 -1"));
    accepted(&OFF.replace("4 4 6", "4 4 6 7"));
}

#[test]
fn ply_lines_that_are_no_surface_are_ignored() {
    let refused = |damaged: &str, expected: &[(&str, u64, &str)]| check_refused(PLY, damaged, Format::Ply, expected);
    refused(&format!("\0\n\n{PLY}"), &[("NUL bytes", 1, "line 1")]);
    refused(&format!("\n{PLY}"), &[]);
    refused(&PLY.replace("element vertex", "author me\nelement vertex"), &[("unknown header lines", 1, "line 3")]);
    refused(
        &PLY.replace("end_header", "element extra 9000000000000000000\nend_header"),
        &[("elements without properties", 1, "line 9")],
    );
    refused(&PLY.replace("vertex 4", "vertex 4.0"), &[]);
    for small in ["0", "1 2", "2 0 1"] {
        let text = PLY.replace("face 4", "face 5").replace("3 0 1 3", &format!("{small}\n3 0 1 3"));
        refused(&text, &[("faces of fewer than 3 corners", 1, "line 15")]);
    }
    refused(&PLY.replace("3 0 1 3", "3 0 1 3\0"), &[("NUL bytes", 1, "line 15")]);
    // Values of one item on several lines, and all items on one line.
    let body = PLY.find("0 0 0").unwrap();
    let (header, values) = PLY.split_at(body);
    refused(&format!("{header}{}", values.replace(' ', "\n")), &[]);
    refused(&format!("{header}{}", values.replace('\n', " ")), &[]);
    refused(&PLY.replace("3 0 1 3", "3\n0 1\n3"), &[]);
    refused(&PLY.replace("0 0 0\n1 0 0\n0 1 0\n", "0 0 0 1 0 0 0 1 0 "), &[]);
    // A strict reader accepts any text after the last face, too.
    let trailing = |damaged: &str, line: &str| {
        check(PLY.as_bytes(), damaged, Format::Ply, &[("lines after the end of the data", 1, line)]);
        assert!(strict(damaged.as_bytes(), Format::Ply).unwrap().warnings.is_empty());
    };
    trailing(&format!("{PLY}made by x\n"), "line 18");
    trailing(&format!("{PLY}3 0 1 2\n"), "line 18");
}

fn binary_ply() -> Vec<u8> {
    let header = PLY[..PLY.find("0 0 0").unwrap()].replace("ascii", "binary_little_endian");
    let mut bytes = header.into_bytes();
    bytes.extend([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0_f32].iter().flat_map(|x| x.to_le_bytes()));
    for face in [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3_i32]] {
        bytes.push(3);
        bytes.extend(face.iter().flat_map(|corner| corner.to_le_bytes()));
    }
    bytes
}

#[test]
fn bytes_after_a_binary_file_are_ignored() {
    let whole = binary_ply();
    let place = format!("byte {}", whole.len());
    let expected = |count| [("bytes after the end of the data", count, place.as_str())];
    check(&whole, [whole.as_slice(), b"\0"].concat(), Format::Ply, &expected(1));
    check(&whole, [whole.as_slice(), &[b'x'; 100]].concat(), Format::Ply, &expected(100));
    // An unknown line of the header may have described the bytes that are left.
    let at = whole.windows(7).position(|window| window == b"element").unwrap();
    let unknown = [&whole[..at], b"author me\n", &whole[at..]].concat();
    check(&whole, &unknown, Format::Ply, &[("unknown header lines", 1, "line 3")]);
    let error = read(&[unknown.as_slice(), b"x"].concat(), Format::Ply).unwrap_err().to_string();
    assert!(error.starts_with("line 3: found `author me`, expected format, element"), "{error}");

    let mut stl = vec![b' '; 80];
    stl.extend(1_u32.to_le_bytes());
    stl.extend([0.0; 3].iter().chain(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0_f32]).flat_map(|x| x.to_le_bytes()));
    stl.extend([0, 0]);
    for (padding, count) in [(vec![0], 1), (vec![7; 49], 49), (vec![0; 378], 378)] {
        let padded = [stl.as_slice(), &padding].concat();
        check(&stl, padded, Format::Stl, &[("bytes after the end of the data", count, "byte 134")]);
    }
    // More triangles than the count are more surface, unless they are zeros.
    let mut more = [stl.as_slice(), &[0; 100]].concat();
    *more.last_mut().unwrap() = 1;
    let error = read(&more, Format::Stl).unwrap_err().to_string();
    assert!(error.starts_with("byte 80: the header counts 1 triangles but 3 are there"), "{error}");
}

#[test]
fn stl_lines_that_are_no_surface_are_ignored() {
    let refused = |damaged: &str, expected: &[(&str, u64, &str)]| check_refused(STL, damaged, Format::Stl, expected);
    let accepted = |damaged: &str, expected: &[(&str, u64, &str)]| {
        check(STL.as_bytes(), damaged, Format::Stl, expected);
        assert!(strict(damaged.as_bytes(), Format::Stl).is_ok(), "{damaged:?}");
    };
    // Files that start oddly are text all the same.
    accepted(&format!("\n\n{STL}"), &[]);
    accepted(&STL.replace("solid", "Solid"), &[]);
    accepted(&STL.to_uppercase(), &[]);
    accepted(&format!("\u{feff}{STL}"), &[("byte order marks", 1, "line 1")]);
    accepted(STL.strip_prefix("solid a\n").unwrap(), &[]);
    refused(&format!("# remark\n{STL}"), &[("unknown statements", 1, "line 1")]);
    refused(&format!("<pre>\n{{}}\n{STL}"), &[("unknown statements", 2, "line 1")]);
    refused(&format!("\0\0{STL}"), &[("NUL bytes", 2, "line 1")]);
    refused(&format!("{STL}\0\0\0"), &[("NUL bytes", 3, "line 17")]);
    refused(&format!("{STL}\u{1a}"), &[("unknown statements", 1, "line 17")]);
    refused(&format!("{STL}made by x\n"), &[("unknown statements", 1, "line 17")]);
    refused(&STL.replace("outer loop", "color 1 0 0\nouter loop"), &[("unknown statements", 2, "line 3")]);
    refused(&STL.replace("endloop", "hello\nendloop"), &[("unknown statements", 2, "line 7")]);
    // Blocks whose ends are missing.
    refused(&STL.replace("endsolid a\n", ""), &[("missing `endsolid` lines", 1, "line 15")]);
    refused(&STL.replace("endfacet\n", ""), &[("missing `endfacet` lines", 2, "line 8")]);
    refused(&STL.replace("endloop\n", ""), &[("missing `endloop` lines", 2, "line 7")]);
    refused(&STL.replace("outer loop\n", ""), &[("missing `outer loop` lines", 2, "line 3")]);
    refused(&STL.replace("endfacet", "end facet").replace("endloop", "end loop"), &[]);
    let second = "endfacet\nsolid b\nfacet normal 0 1 0";
    accepted(&STL.replace("endfacet\nfacet normal 0 1 0", second), &[("missing `endsolid` lines", 1, "line 9")]);
    let small = "facet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid";
    refused(&STL.replace("endsolid", small), &[("faces of fewer than 3 corners", 1, "line 20")]);
}

#[test]
fn messages_for_text_are_about_text() {
    for (text, start) in [
        ("hello", "line 1: found `hello`, expected solid or facet: this is text, but no STL file"),
        ("\n\n# a\nwhat\n", "line 3: found `# a`, expected solid or facet: this is text"),
        ("\u{feff}Solid a\nfacet\nouter loop\nvertex 0 0 x\n", "line 4: found `x`, expected a coordinate"),
        ("\0\0solid a\nfacet\nouter loop\nvertex 0 0 x\n", "line 4: found `x`, expected a coordinate"),
        ("# a\nsolid a\nfacet\nouter loop\nvertex 0,5 0 0\n", "line 5: found `0,5`, expected a coordinate"),
        ("vertex 0 0 0\n", "line 1: found `vertex 0 0 0`, expected facet, solid or endsolid"),
    ] {
        let message = read(text.as_bytes(), Format::Stl).unwrap_err().to_string();
        assert!(message.starts_with(start), "{text:?} gives {message:?}");
    }
    for format in [Format::Obj, Format::Stl, Format::Off, Format::Gltf] {
        let utf16: Vec<u8> = format!("\u{feff}{OBJ}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let message = read(&utf16, format).unwrap_err().to_string();
        assert_eq!(message, "line 1: UTF-16 text cannot be read: save the file as ASCII or UTF-8");
    }
}

#[test]
fn what_changes_the_meaning_is_refused_by_lenient_readers_too() {
    let replaced = |text: &str, from: &str, to: &str| text.replace(from, to);
    let cases = [
        (Format::Obj, replaced(OBJ, "v 1 0 0", "v 1,0 0 0"), "line 2: found `1,0`"),
        (Format::Obj, replaced(OBJ, "v 1 0 0", "v 1 0"), "line 2: found nothing, expected a coordinate"),
        (Format::Obj, replaced(OBJ, "v 1 0 0", "v 1 0 nan"), "line 2: the coordinate `nan` is not finite"),
        (Format::Obj, replaced(OBJ, "v 1 0 0", "v 1\u{0}0 0 0"), "line 2: found `1\\0"),
        (Format::Obj, "\nhello\nworld\n".to_owned(), "line 2: found `hello`, expected an OBJ statement"),
        (Format::Obj, "hello\nv 0 0 0\n".to_owned(), "line 2: the OBJ file ends without a face"),
        (Format::Obj, format!("{OBJ}f 1 2 5\n"), "line 9: the face names vertex 5"),
        (Format::Obj, format!("{OBJ}f 0 1 2\n"), "line 9: the face names vertex 0"),
        (Format::Obj, format!("{OBJ}f 1 2 c\n"), "line 9: found `c`"),
        (Format::Obj, format!("{OBJ}surf 0 1 0 1 1 2 3\n"), "line 9: the free-form surface"),
        (Format::Off, replaced(OFF, "4 4 6", "4 5 6"), "line 10: the file promises 5 faces but holds 4"),
        (Format::Off, replaced(OFF, "4 4 6", "4 3 6"), "line 10: found `3 2 0 3`, expected the end of the file"),
        (Format::Off, replaced(OFF, "4 4 6", "4 0 6"), "line 7: found `3 0 2 1`, expected the end of the file"),
        (Format::Off, replaced(OFF, "\n1 0 0", "\n1 0"), "line 4: found nothing, expected a coordinate"),
        (Format::Off, replaced(OFF, "\n1 0 0", "\n1,5 0 0"), "line 4: found `1,5`"),
        (Format::Off, replaced(OFF, "3 2 0 3", "3 2 0 4"), "line 10: the face names vertex 4"),
        (Format::Off, replaced(OFF, "4 4 6", "4\n0 0"), "line 2: found nothing, expected the numbers of vertices"),
        (Format::Ply, replaced(PLY, "face 4", "face 5"), "line 17: the file promises 5 faces but holds 4"),
        (Format::Ply, replaced(PLY, "\n1 0 0", "\n1 0"), "line 11: found nothing, expected as many values"),
        (Format::Ply, replaced(PLY, "\n1 0 0", "\n1 0 0 255"), "line 11: found `255`, expected the end of the line"),
        (Format::Ply, replaced(PLY, "\n0 0 0", "\n0 0 0 255"), "line 10: found `255`, expected the end of the line"),
        (Format::Ply, replaced(PLY, "\n3 2 0 3", "\n3 2 0"), "line 17: found nothing, expected as many values"),
        (Format::Ply, replaced(PLY, "\n3 2 0 3", "\n3 2 0 4"), "line 17: the face names vertex 4"),
        (Format::Ply, replaced(PLY, "\n1 0 0", "\n1,0 0 0"), "line 11: found `1,0`"),
        (Format::Ply, replaced(PLY, "vertex 4", "vertex 4.5"), "line 3: found `4.5`"),
        (Format::Stl, replaced(STL, "vertex 1 0 0", "vertex 1 0"), "line 5: found nothing, expected a coordinate"),
        (Format::Stl, replaced(STL, "vertex 1 0 0", "vertex 1,0 0 0"), "line 5: found `1,0`"),
        (Format::Stl, STL[..STL.rfind("endfacet").unwrap()].to_owned(), "line 14: found nothing, expected outer loop"),
        (Format::Stl, STL[..STL.rfind("endloop").unwrap()].to_owned(), "line 13: found nothing, expected vertex or"),
        (Format::Stl, replaced(STL, "endloop\nendfacet\nfacet normal 0 1 0\n", ""), "line 7: found `outer loop`"),
    ];
    for (format, text, start) in cases {
        let message = read(text.as_bytes(), format).expect_err(&text).to_string();
        assert!(message.starts_with(start), "{text:?} gives {message:?}");
    }
}

#[test]
fn warnings_are_one_a_kind() {
    let mut text = OBJ.to_owned();
    text.push_str(&"hello world, this is a line that is longer than what is shown of it\nf 1 2\n".repeat(100_000));
    let warnings = read(text.as_bytes(), Format::Obj).unwrap().warnings;
    assert_eq!(warnings.iter().map(|warning| warning.count).collect::<Vec<_>>(), [100_000, 100_000]);
    assert!(warnings.iter().all(|warning| warning.found.len() < 60), "{warnings:?}");
    let shown: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    assert_eq!(
        shown,
        [
            "unknown statements: 100000 ignored, the first at line 9: `hello world, this is a line that is long…`",
            "faces of fewer than 3 corners: 100000 ignored, the first at line 10: `f 1 2`"
        ]
    );
}

/// A line that no reader takes for surface.
fn noise() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("\0".to_owned()),
        Just("# f 1 2 3\\".to_owned()),
        "[A-Z][a-z]{3,9}( [0-9]{1,3}){0,4}".prop_map(|words| words),
        "[;!%&|~]{1,3} ?[ -~]{0,20}".prop_map(|words| words),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn noise_between_lines_changes_nothing(
        lines in prop::collection::vec((any::<prop::sample::Index>(), noise()), 0..12),
    ) {
        for (text, format) in [(OBJ, Format::Obj), (STL, Format::Stl)] {
            let mut noisy: Vec<String> = text.lines().map(str::to_owned).collect();
            for (at, line) in &lines {
                let at = at.index(noisy.len() + 1);
                noisy.insert(at, line.clone());
            }
            let noisy = noisy.join("\n");
            let model = read(noisy.as_bytes(), format);
            prop_assert!(model.is_ok(), "{:?}: {:?}", noisy, model);
            let whole = read(text.as_bytes(), format).unwrap();
            prop_assert_eq!(&model.unwrap().meshes, &whole.meshes, "{:?}", noisy);
        }
    }
}
