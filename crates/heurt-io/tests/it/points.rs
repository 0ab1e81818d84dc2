//! Points of files with and without faces.

use heurt_geometry::Vec3;
use heurt_io::{Format, ReadError, read_points};

const POINTS: [Vec3; 3] = [Vec3::ZERO, Vec3::new(1.0, -2.5, 0.0), Vec3::new(0.0, 0.0, 300.0)];

/// A PLY file of `POINTS` with an unsigned byte before and a 16-bit number after the coordinates.
fn binary_ply(is_big: bool, kind: &str) -> Vec<u8> {
    let order = if is_big { "big" } else { "little" };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty uchar label\nproperty {kind} x\n\
         property {kind} y\nproperty {kind} z\nproperty short level\nend_header\n"
    )
    .into_bytes();
    for point in POINTS {
        bytes.push(7);
        for x in point.to_array() {
            match (kind, is_big) {
                ("double", false) => bytes.extend(x.to_le_bytes()),
                ("double", true) => bytes.extend(x.to_be_bytes()),
                (_, false) => bytes.extend((x as f32).to_le_bytes()),
                (_, true) => bytes.extend((x as f32).to_be_bytes()),
            }
        }
        bytes.extend([1, 2]);
    }
    bytes
}

#[test]
fn clouds_are_read_in_every_format() {
    let obj = "# cloud\nv 0 0 0\nv 1 -2.5 0 1.0\np 1 2\nv 0 0 3e2 0.5 0.5 0.5\n";
    assert_eq!(read_points(obj.as_bytes(), Format::Obj).unwrap(), POINTS);
    for off in ["OFF\n3 0 0\n0 0 0\n1 -2.5 0\n0 0 300\n", "COFF 3 0 0\n0 0 0 1 1 1\n\n1 -2.5 0\n# remark\n0 0 300\n"] {
        assert_eq!(read_points(off.as_bytes(), Format::Off).unwrap(), POINTS);
    }
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float nx\nproperty float x\nproperty float y\n\
               property float z\nend_header\n9 0 0 0\n9 1 -2.5 0\n9 0 0 300\n";
    assert_eq!(read_points(ply.as_bytes(), Format::Ply).unwrap(), POINTS);
    for is_big in [false, true] {
        for kind in ["float", "double"] {
            assert_eq!(read_points(&binary_ply(is_big, kind), Format::Ply).unwrap(), POINTS, "{is_big} {kind}");
        }
    }
}

#[test]
fn whole_numbers_of_any_size_are_coordinates() {
    let mut bytes = b"ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty char x\nproperty ushort y\n\
        property int z\nend_header\n"
        .to_vec();
    bytes.extend([0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0x01, 0x02, 0x00, 0x03, 0x00, 0x00, 0x00]);
    assert_eq!(read_points(&bytes, Format::Ply).unwrap(), [Vec3::new(-1.0, 65535.0, -2.0), Vec3::new(1.0, 2.0, 3.0)]);
}

#[test]
fn meshes_give_all_their_vertices() {
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\n";
    assert_eq!(read_points(obj, Format::Obj).unwrap().len(), 4);
}

#[test]
fn files_without_points_and_bad_files_are_errors() {
    for (bytes, format) in
        [(&b"# nothing\n"[..], Format::Obj), (b"OFF\n0 0 0\n", Format::Off), (b"solid x\nendsolid x\n", Format::Stl)]
    {
        assert!(matches!(read_points(bytes, format), Err(ReadError::NoFaces { .. })), "{format}");
    }
    assert!(matches!(read_points(b"v 0 0 x\n", Format::Obj), Err(ReadError::Syntax { .. })));
    assert!(matches!(read_points(b"", Format::Ply), Err(ReadError::Empty { .. })));
    let mut cut = binary_ply(false, "double");
    cut.truncate(cut.len() - 5);
    assert!(matches!(read_points(&cut, Format::Ply), Err(ReadError::Truncated { .. })));
    // A count that no memory holds.
    let huge = b"OFF\n99999999999999 0 0\n0 0 0\n";
    assert!(matches!(read_points(huge, Format::Off), Err(ReadError::Truncated { .. })));
}
