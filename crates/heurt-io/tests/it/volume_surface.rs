//! Simulation meshes as models: the boundary of the cells, or the faces of files that have no cells.

use crate::hybrid_text::files;
use heurt_geometry::Vec3;
use heurt_io::{Format, Model, ReadError, ReadOptions, VolumeFormat, WriteError, read, read_volume, read_with, write};
use heurt_mesh::{is_closed, measures};

fn load(text: &str, format: VolumeFormat) -> Result<Model, ReadError> {
    read(text.as_bytes(), Format::Volume(format))
}

fn refusal(text: &str, format: VolumeFormat) -> String {
    load(text, format).expect_err("the file is wrong").to_string()
}

/// The polygons of the only mesh, or its triangles if it has no others.
fn polygons(model: &Model) -> Vec<Vec<u32>> {
    match model.polygons.first() {
        Some(Some(polygons)) => (0..polygons.len()).map(|polygon| polygons.corners(polygon).to_vec()).collect(),
        _ => model.meshes[0].triangles().iter().map(|corners| corners.to_vec()).collect(),
    }
}

#[test]
fn the_surface_of_cells_is_closed_and_faces_outward() {
    // A cube, a pyramid on it, half a cube next to it, and a tetrahedron: 1 + 1/3 + 1/2 + 1/6.
    for (format, file) in files() {
        let model = load(&file, format).unwrap();
        let mesh = &model.meshes[0];
        assert!(is_closed(mesh), "{format}");
        assert!((measures(mesh).volume.unwrap() - 2.0).abs() < 1e-15, "{format}");
        let polygons = model.polygons[0].as_ref().unwrap();
        assert_eq!((polygons.len(), mesh.triangles().len(), mesh.vertices().len()), (14, 20, 12), "{format}");
        assert_eq!((model.parts.len(), model.parts[0].name.as_str(), model.unit), (1, "", None));
    }
}

#[test]
fn vertices_within_the_body_are_left_out() {
    // A tetrahedron around a point, cut into four; the point has number 0.
    let points = "0.1 0.1 0.1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
    let cells = "4 0 1 2 3\n4 0 1 2 4\n4 0 2 3 4\n4 0 1 3 4\n";
    let file = format!(
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n{points}CELLS 4 20\n{cells}CELL_TYPES 4\n10 10 10 10\n"
    );
    let model = load(&file, VolumeFormat::Vtk).unwrap();
    assert_eq!(model.meshes[0].vertices(), [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]);
    assert!((measures(&model.meshes[0]).volume.unwrap() - 1.0 / 6.0).abs() < 1e-16);
    assert!(model.polygons.is_empty());
}

const POINTS: &str = "0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0 9 9 9";

#[test]
fn vtk_faces_are_read_where_there_are_no_cells() {
    let grid = |cells: &str, types: &str| {
        let [count, size] = [cells.lines().count(), cells.split_whitespace().count()];
        format!(
            "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 7 double\n{POINTS}\nCELLS {count} {size}\n{cells}\nCELL_TYPES {count}\n{types}\n"
        )
    };
    // A line, a triangle, a quadrilateral, a pixel, a polygon, a strip.
    let cells = "2 0 1\n3 0 1 2\n4 0 1 2 3\n4 0 1 3 2\n5 0 4 5 2 3\n4 0 1 3 2";
    let model = load(&grid(cells, "3 5 9 8 7 6"), VolumeFormat::Vtk).unwrap();
    let expected: [&[u32]; 6] = [&[0, 1, 2], &[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 4, 5, 2, 3], &[0, 1, 3], &[1, 2, 3]];
    assert_eq!(polygons(&model), expected);
    assert_eq!(model.meshes[0].vertices().len(), 6);
    // Cells come before faces, which are then their boundary, and lie between them.
    let both = grid("3 0 1 2\n4 0 1 3 6", "5 10");
    assert_eq!(load(&both, VolumeFormat::Vtk).unwrap().meshes[0].triangles().len(), 4);

    let model = load(&grid("3 0 1 2\n2 0 1\n1 0", "5 7 6"), VolumeFormat::Vtk).unwrap();
    let warnings: Vec<_> = model.warnings.iter().map(|warning| (warning.what, warning.count)).collect();
    assert_eq!(warnings, [("faces of fewer than 3 corners", 2)]);
    let strict = ReadOptions::default().strict(true);
    let small = read_with(grid("2 0 1\n3 0 1 2", "7 5").as_bytes(), Format::Volume(VolumeFormat::Vtk), &strict);
    assert!(matches!(small, Err(ReadError::TooFewCorners { corners: 2, .. })));
    assert!(refusal(&grid("3 0 1 7", "5"), VolumeFormat::Vtk).starts_with("line 8: the face names vertex 7"));
    assert!(refusal(&grid("2 0 1", "3"), VolumeFormat::Vtk).contains("the VTK file ends without a face"));
    let curved = grid("6 0 1 2 3 4 5\n3 0 1 2\n6 0 4 5 1 2 3", "22 5 36");
    let refused = read_with(curved.as_bytes(), Format::Volume(VolumeFormat::Vtk), &strict).unwrap_err().to_string();
    assert_eq!(refused, "line 12: a face of higher order cannot be read: save linear triangles and quadrilaterals");
    let model = load(&curved, VolumeFormat::Vtk).unwrap();
    assert_eq!(polygons(&model), [[0, 1, 2], [0, 1, 2], [0, 3, 4]]);
    let warning = "faces of higher order: 2 read by their corners, the first at line 12";
    assert_eq!(model.warnings[0].to_string(), warning);
    assert!(read_volume(grid("3 0 1 2", "5").as_bytes(), VolumeFormat::Vtk).is_err());
}

#[test]
fn vtk_polygonal_data_is_read_in_both_versions() {
    let head =
        |version: &str, encoding: &str| format!("# vtk DataFile Version {version}\n\n{encoding}\nDATASET POLYDATA\n");
    let old = head("3.0", "ASCII")
        + &format!(
            "POLYGONS 2 8\n4 0 1 2 3\n2 0 1\nPOINTS 7 float\n{POINTS}\nLINES 1 3\n2 0 1\nVERTICES 1 2\n1 6\nTRIANGLE_STRIPS 1 5\n4 1 4 2 5\nCELL_DATA 4\n"
        );
    let new = head("5.1", "ASCII")
        + &format!(
            "POINTS 7 float\n{POINTS}\nPOLYGONS 3 6\nOFFSETS vtktypeint64\n0 4 6\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 1\n\
           TRIANGLE_STRIPS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n1 4 2 5\n"
        );
    let mut binary = (head("3.0", "BINARY") + "POINTS 7 float\n").into_bytes();
    binary.extend(POINTS.split(' ').flat_map(|word| word.parse::<f32>().unwrap().to_be_bytes()));
    binary.extend(b"\nPOLYGONS 2 8\n");
    binary.extend([4, 0, 1, 2, 3, 2, 0, 1].iter().flat_map(|number: &i32| number.to_be_bytes()));
    binary.extend(b"\nTRIANGLE_STRIPS 1 5\n");
    binary.extend([4, 1, 4, 2, 5].iter().flat_map(|number: &i32| number.to_be_bytes()));
    for file in [old.clone().into_bytes(), new.into_bytes(), binary] {
        let model = read(&file, Format::Volume(VolumeFormat::Vtk)).unwrap();
        let expected: [&[u32]; 3] = [&[0, 1, 2, 3], &[1, 4, 2], &[4, 5, 2]];
        assert_eq!(polygons(&model), expected);
        assert_eq!(model.warnings[0].count, 1);
    }
    let wrong = refusal(&old.replace("4 0 1 2 3", "4 0 1 2 8"), VolumeFormat::Vtk);
    assert!(wrong.starts_with("line 6: the face names vertex 8"), "{wrong}");
    let cells = read_volume(old.as_bytes(), VolumeFormat::Vtk).unwrap_err().to_string();
    assert!(cells.contains("expected `UNSTRUCTURED_GRID`"), "{cells}");
    let image = old.replace("POLYDATA", "STRUCTURED_POINTS");
    assert!(refusal(&image, VolumeFormat::Vtk).contains("expected UNSTRUCTURED_GRID or POLYDATA"));
}

#[test]
fn vtp_files_are_read_as_vtu_files() {
    let array = |name: &str, kind: &str, text: &str| {
        format!("<DataArray type=\"{kind}\" Name=\"{name}\" format=\"ascii\">{text}</DataArray>")
    };
    let section = |tag: &str, corners: &str, ends: &str| {
        let arrays = array("connectivity", "Int64", corners) + &array("offsets", "Int64", ends);
        format!("<{tag}>{arrays}</{tag}>\n")
    };
    let file = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"7\"><Points>{}</Points>\n{}{}{}{}</Piece></PolyData></VTKFile>",
        array("Points", "Float32", POINTS),
        section("Verts", "6", "1"),
        section("Lines", "0 1", "2"),
        section("Strips", "1 4 2 5", "4"),
        section("Polys", "0 1 2 3 0 1 2", "4 7"),
    );
    let model = load(&file, VolumeFormat::Vtu).unwrap();
    let expected: [&[u32]; 4] = [&[0, 1, 2, 3], &[0, 1, 2], &[1, 4, 2], &[4, 5, 2]];
    assert_eq!(polygons(&model), expected);
    assert_eq!(Format::from_extension("vtp"), Some(Format::Volume(VolumeFormat::Vtu)));
    assert!(read_volume(file.as_bytes(), VolumeFormat::Vtu).is_err());
    let wrong = file.replace("0 1 2 3 0 1 2", "0 1 2 3 0 1 7");
    assert!(refusal(&wrong, VolumeFormat::Vtu).contains("the face names vertex 7"));
    let short = file.replace("4 7<", "4 8<");
    assert!(refusal(&short, VolumeFormat::Vtu).contains("needs 8 corners, but there are 7"));
}

#[test]
fn gmsh_and_medit_faces_are_read_where_there_are_no_cells() {
    let nodes = "10 0 0 0\n20 1 0 0\n30 1 1 0\n40 0 1 0\n50 7 7 7\n";
    let msh = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n{nodes}$EndNodes\n$Elements\n3\n1 1 2 0 0 10 20\n2 2 2 0 0 10 20 30\n3 3 2 0 0 10 20 30 40\n$EndElements\n"
    );
    let medit = "MeshVersionFormatted 2 Dimension 3 Vertices 5 0 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 7 7 7 0\n\
        Edges 1 1 2 0 Triangles 1 1 2 3 0 Quadrilaterals 1 1 2 3 4 0 End";
    let mut binary = Vec::new();
    let mut word = |value: i32| binary.extend(value.to_le_bytes());
    [1, 1, 3, 20, 3, 4, 0, 5].into_iter().for_each(&mut word);
    for point in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [7.0, 7.0, 7.0_f32]] {
        point.into_iter().for_each(|value| word(value.to_bits() as i32));
        word(0);
    }
    [6, 0, 1, 1, 2, 3, 0, 7, 0, 1, 1, 2, 3, 4, 0, 54, 0].into_iter().for_each(&mut word);
    // Where the next section begins.
    for (at, next) in [(24, 112), (116, 140), (144, 172)] {
        binary[at..at + 4].copy_from_slice(&i32::to_le_bytes(next));
    }
    let files = [
        (VolumeFormat::Msh, msh.clone().into_bytes()),
        (VolumeFormat::Medit, medit.as_bytes().to_vec()),
        (VolumeFormat::Medit, binary),
    ];
    for (format, file) in files {
        let model = read(&file, Format::Volume(format)).unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!(polygons(&model), [&[0, 1, 2][..], &[0, 1, 2, 3]], "{format}");
        assert_eq!(model.meshes[0].vertices().len(), 4);
        assert_eq!(Format::detect(&file), Some(Format::Volume(format)));
        assert!(matches!(read_volume(&file, format), Err(ReadError::NoCells { .. })), "{format}");
    }
    let curved = msh.replace("2 2 2 0 0 10 20 30\n", "2 9 2 0 0 10 20 30 40 50 10\n");
    let model = load(&curved, VolumeFormat::Msh).unwrap();
    assert_eq!(polygons(&model), [&[0, 1, 2][..], &[0, 1, 2, 3]]);
    assert_eq!(model.warnings[0].to_string(), "faces of higher order: 1 read by their corners, the first at line 15");
    assert!(
        refusal("Mesh of another program", VolumeFormat::Medit)
            .contains("if the file is of another format named `.mesh`")
    );
}

#[test]
fn content_and_extension_tell_the_format() {
    for (format, file) in files() {
        assert_eq!(Format::detect(file.as_bytes()), Some(Format::Volume(format)));
        assert_eq!(Format::detect(format!("\u{feff}\n{file}").as_bytes()), Some(Format::Volume(format)));
        assert_eq!(Format::from_extension(format.extension()), Some(Format::Volume(format)));
    }
    assert_eq!(Format::from_extension(".MeshB"), Some(Format::Volume(VolumeFormat::Medit)));
    assert_eq!(Format::detect(b"\x01\0\0\0\x05\0\0\0"), None);
    assert_eq!(Format::detect(b"\0\0\0\x01\0\0\0\x04"), Some(Format::Volume(VolumeFormat::Medit)));
    assert_eq!(Format::detect(b"<?xml version=\"1.0\"?><svg/>"), None);
}

#[test]
fn simulation_meshes_are_not_written() {
    let model = load(&files()[0].1, VolumeFormat::Vtk).unwrap();
    for format in VolumeFormat::ALL.map(Format::Volume) {
        assert!(!format.can_be_written());
        let error = write(&model, format, &mut Vec::new()).unwrap_err();
        assert!(matches!(error, WriteError::ReadOnly { .. }));
        assert!(error.to_string().contains("files are read, not written: write OBJ"));
    }
    assert!(Format::Obj.can_be_written() && Format::ThreeMf.can_be_written());
}

#[test]
fn files_cut_short_or_changed_give_an_error_or_a_surface() {
    for (format, file) in files() {
        for end in 0..file.len() {
            let _ = load(&file[..end], format);
        }
        for (place, byte) in (0..file.len()).zip(b"0<>- 9x#".iter().cycle()) {
            let mut bytes = file.clone().into_bytes();
            bytes[place] = *byte;
            if let Ok(model) = read(&bytes, Format::Volume(format)) {
                assert!(!model.meshes[0].triangles().is_empty());
            }
        }
    }
}
