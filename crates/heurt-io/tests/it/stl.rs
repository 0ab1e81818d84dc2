//! STL files, text and binary: what is read, and what is refused with its line or byte.

use heurt_geometry::Vec3;
use heurt_io::{Format, Model, ReadError, ReadOptions, read, read_with};

type Facet = [[f32; 3]; 3];

const A: [f32; 3] = [0.0, 0.0, 0.0];
const B: [f32; 3] = [1.0, 0.0, 0.0];
const C: [f32; 3] = [1.0, 1.0, 0.1];
const D: [f32; 3] = [-0.0, 1.0, 0.0];

fn binary(title: &[u8], facets: &[Facet]) -> Vec<u8> {
    let mut bytes = title.to_vec();
    bytes.resize(80, b' ');
    bytes.extend_from_slice(&(facets.len() as u32).to_le_bytes());
    for facet in facets {
        bytes.extend_from_slice(&[0; 12]);
        bytes.extend(facet.as_flattened().iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend_from_slice(&[7, 7]);
    }
    bytes
}

fn stl(bytes: &[u8]) -> Result<Model, ReadError> {
    read(bytes, Format::Stl)
}

/// The message of a strict reader.
fn refusal(bytes: &[u8]) -> String {
    let options = ReadOptions::default().strict(true);
    read_with(bytes, Format::Stl, &options).expect_err("the file is wrong").to_string()
}

#[test]
fn corners_are_welded_in_order_of_first_occurrence() {
    // −0 equals 0, and the first one stays.
    let model = stl(&binary(b"title", &[[A, B, C], [A, C, D], [[-0.0, 0.0, 0.0], B, D]])).unwrap();
    let mesh = &model.meshes[0];
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [0, 1, 3]]);
    assert_eq!(mesh.vertices()[2], Vec3::new(1.0, 1.0, f64::from(0.1_f32)));
    assert!(mesh.vertices()[0].x.is_sign_positive() && mesh.vertices()[3].x.is_sign_negative());
}

#[test]
fn many_corners_are_welded_alike() {
    // A grid whose vertices are met up to six times each.
    let at = |x: usize, y: usize| [x as f32, y as f32, (x * y % 7) as f32];
    let cell = |x, y| [[at(x, y), at(x + 1, y), at(x + 1, y + 1)], [at(x, y), at(x + 1, y + 1), at(x, y + 1)]];
    let facets: Vec<Facet> = (0..50).flat_map(|x| (0..50).flat_map(move |y| cell(x, y))).collect();
    let model = stl(&binary(b"", &facets)).unwrap();
    let mesh = &model.meshes[0];
    assert_eq!(mesh.vertices().len(), 51 * 51);
    for (corners, facet) in mesh.triangles().iter().zip(&facets) {
        let points = corners.map(|corner| mesh.vertices()[corner as usize].to_array().map(|value| value as f32));
        assert_eq!(points, *facet);
    }
    let firsts: Vec<u32> = mesh.triangles().as_flattened().iter().copied().fold(Vec::new(), |mut seen, corner| {
        if seen.last().is_none_or(|&last| corner > last) {
            seen.push(corner);
        }
        seen
    });
    assert_eq!(firsts, (0..51 * 51).collect::<Vec<u32>>());
}

#[test]
fn a_binary_file_may_start_with_solid() {
    for title in [b"solid".as_slice(), b"solid cube exported by a program", b"solid\nfacet normal"] {
        assert_eq!(stl(&binary(title, &[[A, B, C]])).unwrap().triangle_count(), 1);
    }
    // Even when it is cut short, the zero bytes after the header tell.
    let mut cut = binary(b"solid cube\n", &[[A, B, C], [A, C, D]]);
    cut[20..80].fill(0);
    cut.truncate(150);
    assert_eq!(
        refusal(&cut),
        "byte 150: the file promises 2 triangles but holds 1: it is cut short, write or copy it again"
    );
}

#[test]
fn counts_and_bytes_must_agree() {
    let whole = binary(b"title", &[[A, B, C], [A, C, D]]);
    for length in 84..whole.len() {
        let message = refusal(&whole[..length]);
        let present = (length - 84) / 50;
        assert!(
            message.starts_with(&format!("byte {length}: the file promises 2 triangles but holds {present}")),
            "{message}"
        );
    }
    assert!(refusal(&whole[..83]).starts_with("byte 83: found `title"));
    let mut wrong = whole.clone();
    wrong[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refusal(&wrong).contains("promises 4294967295 triangles but holds 2"));
    wrong[80..84].copy_from_slice(&1_u32.to_le_bytes());
    assert!(refusal(&wrong).starts_with("byte 80: the header counts 1 triangles but 2 are there"));
    assert!(refusal(&binary(b"title", &[])).starts_with("byte 84: the STL file ends without a face"));
    // Less than a triangle may follow: some programs pad.
    let mut padded = whole;
    padded.extend_from_slice(&[0; 49]);
    assert_eq!(stl(&padded).unwrap().triangle_count(), 2);
}

#[test]
fn numbers_that_are_not_finite_are_named_by_their_byte() {
    let nan = binary(b"title", &[[A, B, C], [A, C, [0.0, f32::NAN, 0.0]]]);
    assert_eq!(refusal(&nan), "byte 174: the coordinate `NaN` is not finite: give finite numbers");
    let infinite = binary(b"title", &[[[f32::NEG_INFINITY, 0.0, 0.0], B, C]]);
    assert_eq!(refusal(&infinite), "byte 96: the coordinate `-inf` is not finite: give finite numbers");
}

const TEXT: &str = "solid lid\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 0.1 0 0\n   vertex 0 1 0\n\
                    \x20 endloop\n endfacet\nendsolid lid\n";

#[test]
fn text_is_read_in_double_precision() {
    let model = stl(TEXT.as_bytes()).unwrap();
    assert_eq!(model.meshes[0].vertices()[1], Vec3::new(0.1, 0.0, 0.0));
    assert_eq!(model.meshes[0].triangles(), [[0, 1, 2]]);
    assert!(stl(TEXT.to_uppercase().as_bytes()).is_ok());
    assert!(stl(TEXT.replace('\n', "\r\n").as_bytes()).is_ok());
}

#[test]
fn solids_become_parts_on_request() {
    let text = format!("{TEXT}{}", TEXT.replace(" lid", " pot").replace("1 0\n", "2 0\n"));
    assert_eq!(stl(text.as_bytes()).unwrap().meshes[0].triangles(), [[0, 1, 2], [0, 1, 3]]);
    let split = read_with(text.as_bytes(), Format::Stl, &ReadOptions::default().split_objects(true)).unwrap();
    let names: Vec<_> = split.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["lid", "pot"]);
    assert_eq!(split.meshes[1].vertices()[2], Vec3::new(0.0, 2.0, 0.0));
}

#[test]
fn text_that_is_wrong_is_named_by_its_line() {
    let cases = [
        (TEXT.replace("0.1", "nan"), "line 5: the coordinate `nan` is not finite"),
        (TEXT.replace("0.1", "inf"), "line 5: the coordinate `inf` is not finite"),
        (TEXT.replace("0.1", "o.1"), "line 5: found `o.1`, expected a coordinate"),
        (TEXT.replace("   vertex 0.1 0 0\n", ""), "line 6: the face has 2 corners"),
        (TEXT.replace("outer loop", "inner loop"), "line 3: found `inner loop`, expected outer loop or endfacet"),
        (TEXT.replace(" endfacet\n", ""), "line 8: found `endsolid lid`, expected outer loop or endfacet"),
        (TEXT[..60].to_owned(), "line 5: found nothing, expected vertex or endloop: the file is cut short"),
        (TEXT[..TEXT.find("endsolid").unwrap()].to_owned(), "line 8: found nothing, expected `facet`, or `endsolid`"),
        ("solid empty\nendsolid empty\n".to_owned(), "line 2: the STL file ends without a face"),
        ("solid".to_owned(), "line 1: the STL file ends without a face"),
        ("hello".to_owned(), "line 1: found `hello`, expected facet, solid or endsolid"),
    ];
    for (text, start) in cases {
        let message = refusal(text.as_bytes());
        assert!(message.starts_with(start), "{text:?} gives {message:?}");
    }
}
