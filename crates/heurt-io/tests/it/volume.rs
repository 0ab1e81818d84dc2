//! Volume meshes: every format gives the same cells, and says what is wrong with a file and where.

use crate::hybrid::expected;
use crate::hybrid_text::files;
use heurt_io::{ReadError, VolumeFormat, read_volume};

#[test]
fn every_format_gives_the_same_cells() {
    for (format, file) in files() {
        let read = read_volume(file.as_bytes(), format);
        assert_eq!(read, Ok(expected()), "{format}: {file}");
        let windows = file.replace('\n', "\r\n");
        assert_eq!(read_volume(windows.as_bytes(), format), Ok(expected()), "{format}");
    }
    assert_eq!(VolumeFormat::from_extension(".MSH"), Some(VolumeFormat::Msh));
}

#[test]
fn files_cut_short_or_changed_give_an_error_or_a_mesh() {
    for (format, file) in files() {
        for end in 0..file.len() {
            if let Ok(mesh) = read_volume(&file.as_bytes()[..end], format) {
                assert!(mesh.cells.len() <= expected().cells.len());
            }
        }
        for (place, byte) in (0..file.len()).zip(b"0<>- 9x#".iter().cycle()) {
            let mut bytes = file.clone().into_bytes();
            bytes[place] = *byte;
            if let Ok(mesh) = read_volume(&bytes, format) {
                let count = mesh.vertices.len() as u32;
                assert!(mesh.cells.iter().all(|cell| cell.corners().iter().all(|&corner| corner < count)));
            }
        }
    }
}

#[test]
fn errors_name_the_line() {
    let error = |format, from: &str, to: &str| {
        let file = files().into_iter().find(|file| file.0 == format).expect("a file").1;
        assert!(file.contains(from));
        read_volume(file.replacen(from, to, 1).as_bytes(), format).unwrap_err().to_string()
    };
    use VolumeFormat::{Medit, Msh, Vtk, Vtu};
    assert_eq!(error(Vtk, "ASCII", "BASE64"), "line 3: found `BASE64`, expected ASCII or BINARY");
    assert!(error(Vtk, "4 5 6 7 8\n", "4 5 6 7 12\n").starts_with("line 26: the face names vertex 12"));
    assert!(error(Vtk, "12 14 13 10 5", "42 14 13 10 5").contains("cell type 42"));
    assert!(error(Vtk, "12 14 13 10 5", "24 14 13 10 5").contains("found 8 corners, expected 10 corners"));
    assert!(error(Vtk, "12 14 13 10 5", "10 14 13 10 5").contains("found 8 corners, expected 4 corners"));
    assert!(error(Vtu, "format=\"ascii\"", "format=\"gzip\"").starts_with("line 5: found `gzip`, expected the format"));
    assert!(error(Vtu, "<Cells>", "</Piece><Piece><Cells>").contains("a grid of more than one piece"));
    assert!(error(Msh, "2.2 0 8", "2.2 2 8").contains("found `2`, expected 0 for text or 1 for binary"));
    assert!(error(Msh, "2.2 0 8", "4 0 8").contains("version `4` cannot be read: save it in version 2.2 or 4.1"));
    assert!(error(Msh, "20 100 60 120", "20 100 60 121").contains("121"));
    assert!(error(Medit, "0.5 0.5 2", "0.5 x 2").contains("found `x`, expected a coordinate"));
    assert!(error(Medit, "Tetrahedra 1 2 10 6 12 0", "Tetrahedra 1 2 10 6 13 0").contains("vertex 13"));
    for format in VolumeFormat::ALL {
        assert!(read_volume(b"", format).is_err());
    }
    let short = b"MeshVersionFormatted 1 Dimension 3 Vertices 1000000000000 0 0 0 0";
    let promised = 1_000_000_000_000;
    assert!(matches!(
        read_volume(short, Medit),
        Err(ReadError::Truncated { what: "vertices", promised: count, present: 1, .. }) if count == promised
    ));
    let none = b"MeshVersionFormatted 1 Dimension 3 End";
    assert!(matches!(read_volume(none, Medit), Err(ReadError::NoCells { .. })));
}

#[test]
fn numbers_that_are_none_and_counts_that_are_not_there_are_refused() {
    for (format, file) in files() {
        for bad in ["nan", "inf", "-infinity", "1e999"] {
            let broken = file.replacen("0.5 0.5 2", &format!("0.5 {bad} 2"), 1);
            assert_ne!(broken, file);
            let error = read_volume(broken.as_bytes(), format).unwrap_err();
            assert!(matches!(error, ReadError::NotFinite { .. }), "{format}: {error}");
        }
        // Where a count stands, one far beyond the file.
        let counts =
            ["POINTS ", "CELLS ", "CELLS 5 ", "CELLS 6 ", "CELL_TYPES ", "$Nodes\n", "$Nodes\n1 12 1 12\n3 1 0 "];
        let others = ["$Elements\n", "$Elements\n5 5 1 5\n2 1 2 ", "Vertices\n", "Hexahedra\n", "FieldData "];
        for before in counts.into_iter().chain(others).filter(|before| file.contains(before)) {
            let (head, tail) = file.split_once(before).expect("it is there");
            let end = tail.find(|digit: char| !digit.is_ascii_digit()).expect("a count");
            for count in ["4294967296", "9223372036854775807", "18446744073709551616", "-1"] {
                let broken = [head, before, count, &tail[end..]].concat();
                assert!(read_volume(broken.as_bytes(), format).is_err(), "{format}: {before}{count}");
            }
        }
    }
}
