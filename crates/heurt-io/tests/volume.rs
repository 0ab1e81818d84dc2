//! Volume meshes: every format gives the same cells, and says what is wrong with a file and where.

mod hybrid;

use heurt_geometry::Vec3;
use heurt_io::{ReadError, VolumeFormat, read_volume};
use hybrid::expected;

fn points(before: impl Fn(usize) -> String, after: &str) -> String {
    let line = |(i, p): (usize, &Vec3)| format!("{}{} {} {}{after}\n", before(i), p.x, p.y, p.z);
    expected().vertices.iter().enumerate().map(line).collect()
}

const VTK_CELLS: &str = "8 0 1 2 3 4 5 6 7\n5 4 5 6 7 8\n6 1 9 5 2 10 6\n4 1 9 5 11\n3 0 1 2\n";

fn vtk_old() -> String {
    format!(
        "# vtk DataFile Version 3.0\na title # with signs\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 2\nTime 1 1 double\n2.5\n\
         Name 1 2 string\na b\n\nPOINTS 12 double\n{}\
         CELLS 5 31\n{VTK_CELLS}CELL_TYPES 5\n12 14 13 10 5\nCELL_DATA 5\nSCALARS a int\n",
        points(|_| String::new(), "")
    )
}

fn vtk_new() -> String {
    format!(
        "# vtk DataFile Version 5.1\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 float\n{}METADATA\nINFORMATION 0\n\n\
         CELLS 6 26\nOFFSETS vtktypeint64\n0 8 13 19 23 26\nCONNECTIVITY vtktypeint64\n0 1 2 3 4 5 6 7 4 5 6 7 8\n\
         1 9 5 2 10 6 1 9 5 11 0 1 2\nCELL_TYPES 5\n12 14 13 10 5\n",
        points(|_| String::new(), "")
    )
}

fn vtu() -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type='UnstructuredGrid'><UnstructuredGrid><Piece NumberOfPoints=\"12\">\n\
         <PointData><DataArray Name=\"x\" format=\"binary\">AAAA</DataArray></PointData>\n<Points>\n\
         <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n{}</DataArray></Points><Cells>\n\
         <DataArray Name=\"connectivity\" format=\"ascii\">0 1 2 3 4 5 6 7 4 5 6 7 8 1 9 5 2 10 6 1 9 5 11 0 1 2\
         </DataArray>\n<DataArray Name=\"offsets\" format=\"ascii\">8 13 19 23 26</DataArray>\n\
         <DataArray Name=\"types\">12 14 13 10 5</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>",
        points(|_| String::new(), "")
    )
}

fn msh_old() -> String {
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n{}$EndNodes\n$Elements\n5\n1 2 2 0 0 10 20 30\n\
         2 5 2 0 0 10 20 30 40 50 60 70 80\n3 7 2 0 0 50 60 70 80 90\n4 6 0 20 60 100 30 70 110\n\
         5 4 1 7 20 100 60 120\n$EndElements\n",
        points(|i| format!("{} ", 10 * (i + 1)), "")
    )
}

fn msh_new() -> String {
    let tags: String = (1..=12).map(|i| format!("{i}\n")).collect();
    format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 12 1 12\n3 1 0 12\n{tags}{}$EndNodes\n$Elements\n5 5 1 5\n\
         2 1 2 1\n1 1 2 3\n3 1 5 1\n2 1 2 3 4 5 6 7 8\n3 1 7 1\n3 5 6 7 8 9\n3 1 6 1\n4 2 6 10 3 7 11\n\
         3 1 4 1\n5 2 10 6 12\n$EndElements\n",
        points(|_| String::new(), "")
    )
}

fn medit() -> String {
    format!(
        "MeshVersionFormatted 2\n# a comment\nDimension\n3\nVertices\n12\n{}Triangles 1\n1 2 3 5\nHexahedra\n1\n\
         1 2 3 4 5 6 7 8 0\nRequiredVertices 2 1 2\nPyramids 1 5 6 7 8 9 0\nPrisms 1 2 6 10 3 7 11 0\n\
         Tetrahedra 1 2 10 6 12 0\nEnd\n",
        points(|_| String::new(), " 0")
    )
}

fn files() -> Vec<(VolumeFormat, String)> {
    use VolumeFormat::{Medit, Msh, Vtk, Vtu};
    let vtk = [(Vtk, vtk_old()), (Vtk, vtk_new()), (Vtu, vtu())];
    vtk.into_iter().chain([(Msh, msh_old()), (Msh, msh_new()), (Medit, medit())]).collect()
}

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
    assert!(error(Vtk, "12 14 13 10 5", "24 14 13 10 5").contains("cell type 24"));
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
