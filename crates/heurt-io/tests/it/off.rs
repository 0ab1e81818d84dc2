//! OFF files: what is read, and what is refused with its line.

use heurt_geometry::Vec3;
use heurt_io::{Format, Model, ReadError, ReadOptions, read, read_with};

fn off(text: &str) -> Result<Model, ReadError> {
    read(text.as_bytes(), Format::Off)
}

const SQUARE: &str = "OFF\n4 2 0\n0 0 0\n0.1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n";

#[test]
fn reads_every_form_of_the_header() {
    let model = off(SQUARE).unwrap();
    assert_eq!(model.meshes[0].vertices()[1], Vec3::new(0.1, 0.0, 0.0));
    assert_eq!(model.meshes[0].triangles(), [[0, 1, 2], [0, 2, 3]]);
    for header in [
        "OFF 4 2 0",
        "OFF\n\n# counts\n4 2 0",
        "# a square\nOFF # header\n4 2",
        "4 2 0",
        "COFF\n4 2 0",
        "NOFF 4 2 0",
        "STCNOFF\n4 2 0",
    ] {
        assert_eq!(off(&SQUARE.replace("OFF\n4 2 0", header)).unwrap(), model, "{header}");
    }
}

#[test]
fn colours_and_normals_are_skipped_and_polygons_triangulated() {
    let text = "CNOFF\n4 1 4\n0 0 0 0 0 1 255 0 0 255\n1 0 0 0 0 1 255 0 0 255\n1 1 0 0 0 1 1 1 1 1 # a\n0 1 0\n4 0 1 2 3 255 0 0\n";
    let model = off(text).unwrap();
    assert_eq!((model.triangle_count(), model.polygons[0].as_ref().unwrap().corners(0)), (2, &[0, 1, 2, 3][..]));
}

#[test]
fn a_header_without_a_blank_before_the_counts_is_read() {
    // The reported file: a closed box of 12 triangles.
    let corners = (0..8).map(|corner| format!("{} {} {}\n", corner >> 2, corner >> 1 & 1, corner & 1));
    let faces = "0 1 3 0 3 2 4 6 7 4 7 5 0 4 5 0 5 1 2 3 7 2 7 6 0 2 6 0 6 4 1 5 7 1 7 3";
    let faces: Vec<&str> = faces.split(' ').collect();
    let faces = faces.chunks(3).map(|face| format!("3 {}\n", face.join(" ")));
    let body: String = corners.chain(faces).collect();
    for header in ["OFF8 12 0", "OFF8 12", "OFF8\n12\n0", "COFF8 12 0", "OFF 8 12 0", "OFF\n8\n12\n0"] {
        let text = format!("{header}\n{body}");
        let mesh = &off(&text).unwrap().meshes[0];
        let volumes = (0..12).map(|face| mesh.corners(face)).map(|[a, b, c]| a.dot(b.cross(c)));
        assert_eq!((mesh.triangles().len(), volumes.sum::<f64>()), (12, 6.0), "{header}");
        if header.contains("OFF8") {
            assert_eq!(Format::detect(text.as_bytes()), Some(Format::Off));
        }
    }
}

#[test]
fn names_the_line_and_value_of_what_is_wrong() {
    let replaced = |from: &str, to: &str| SQUARE.replace(from, to);
    let cases = [
        (replaced("OFF\n4 2 0", "OFF"), "line 3: found `0.1 0 0`, expected the end of the file"),
        (replaced("4 2 0", "4"), "line 2: found nothing, expected the numbers of vertices, faces"),
        (replaced("4 2 0", "4 -2 0"), "line 2: found `-2`, expected the numbers"),
        (replaced("4 2 0", "4 two 0"), "line 2: found `two`, expected the numbers"),
        (replaced("OFF", "4OFF"), "line 1: the header `4OFF` cannot be read: give OFF"),
        (replaced("OFF", "nOFF"), "line 1: the header `nOFF` cannot be read"),
        (replaced("OFF\n", "OFF BINARY\n"), "line 1: binary OFF cannot be read: export it as text"),
        (replaced("4 2 0", "4 3 0"), "line 8: the file promises 3 faces but holds 2"),
        (
            replaced("4 2 0", "9000000000000000000 2 0"),
            "line 8: the file promises 9000000000000000000 vertices but holds 6",
        ),
        (replaced("4 2 0", "4 1 0"), "line 8: found `3 0 2 3`, expected the end of the file"),
        (replaced("0.1", "inf"), "line 4: the coordinate `inf` is not finite"),
        (replaced("0.1 0 0", "0.1 0"), "line 4: found nothing, expected a coordinate"),
        (
            replaced("3 0 2 3", "3 0 2 4"),
            "line 8: the face names vertex 4, but the number of vertices is 4: indices run from 0 to 3",
        ),
        (replaced("3 0 2 3", "3 0 2 -1"), "line 8: the face names vertex -1"),
        (replaced("3 0 2 3", "3 0 2"), "line 8: found nothing, expected a vertex index, one of 3"),
        (replaced("3 0 2 3", "4000000000 0 2 3"), "line 8: found nothing, expected a vertex index, one of 4000000000"),
        (replaced("3 0 2 3", "2 0 2"), "line 8: the face has 2 corners"),
        (replaced("3 0 2 3", "x 0 2"), "line 8: found `x`, expected the number of corners"),
        ("OFF\n1 0 0\n0 0 0\n".to_owned(), "line 3: the OFF file ends without a face"),
        ("OFF".to_owned(), "line 1: found nothing, expected the numbers"),
        ("\n\n".to_owned(), "the file is empty"),
    ];
    for (text, start) in cases {
        let options = ReadOptions::default().strict(true);
        let refused = read_with(text.as_bytes(), Format::Off, &options);
        let message = refused.expect_err("the file is wrong").to_string();
        assert!(message.starts_with(start), "{text:?} gives {message:?}");
    }
}
