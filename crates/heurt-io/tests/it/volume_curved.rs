//! Cells of higher order: read by their corners in every format, and counted.

use heurt_geometry::Vec3;
use heurt_io::{Format, ReadOptions, Treatment, VolumeFormat, read, read_volume, read_volume_noted, read_with};
use heurt_mesh::{is_closed, measures};

/// The corners of a tetrahedron of volume 1/6 and the middles of its edges, moved outward.
fn nodes() -> Vec<Vec3> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let middle = |[a, b]: [usize; 2]| (corners[a] + corners[b]) * 0.6;
    let edges = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
    corners.into_iter().chain(edges.map(middle)).collect()
}

fn points(line: impl Fn(usize, Vec3) -> String) -> String {
    nodes().into_iter().enumerate().map(|(number, point)| line(number, point)).collect()
}

fn row(point: Vec3) -> String {
    format!("{} {} {}", point.x, point.y, point.z)
}

/// A tetrahedron of second order and a triangle of second order on it.
fn files() -> Vec<(VolumeFormat, Vec<u8>)> {
    let vtk = format!(
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n{}CELLS 2 18\n\
         10 0 1 2 3 4 5 6 7 8 9\n6 0 1 2 4 5 6\nCELL_TYPES 2\n24 22\n",
        points(|_, point| row(point) + "\n")
    );
    let vtu = format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece><Points>\
         <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">{}</DataArray></Points><Cells>\
         <DataArray Name=\"connectivity\" format=\"ascii\">0 1 2 3 4 5 6 7 8 9 0 1 2 4 5 6</DataArray>\
         <DataArray Name=\"offsets\" format=\"ascii\">10 16</DataArray>\
         <DataArray Name=\"types\" format=\"ascii\">71 22</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>",
        points(|_, point| row(point) + " ")
    );
    let old = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n{}$EndNodes\n$Elements\n2\n\
         1 9 2 0 0 1 2 3 5 6 7\n2 11 2 0 0 1 2 3 4 5 6 7 8 10 9\n$EndElements\n",
        points(|number, point| format!("{} {}\n", number + 1, row(point)))
    );
    let tags: String = (1..=10).map(|tag| format!("{tag}\n")).collect();
    let new = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 10 1 10\n3 1 0 10\n{tags}{}$EndNodes\n$Elements\n\
         2 2 1 2\n2 1 9 1\n1 1 2 3 5 6 7\n3 1 11 1\n2 1 2 3 4 5 6 7 8 10 9\n$EndElements\n",
        points(|_, point| row(point) + "\n")
    );
    let medit = format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n10\n{}TetrahedraP2Ordering\n2\n1 2 3 4\n5 6 7 8\n\
         TetrahedraP2\n1\n1 2 3 4 5 6 7 8 9 10 0\nTrianglesP2\n1\n1 2 3 5 6 7 0\nEnd\n",
        points(|_, point| row(point) + " 0\n")
    );
    [(VolumeFormat::Vtk, vtk), (VolumeFormat::Vtu, vtu), (VolumeFormat::Msh, old), (VolumeFormat::Msh, new)]
        .into_iter()
        .chain([(VolumeFormat::Medit, medit)])
        .map(|(format, text)| (format, text.into_bytes()))
        .chain([(VolumeFormat::Msh, binary_gmsh()), (VolumeFormat::Medit, binary_medit())])
        .collect()
}

fn binary_gmsh() -> Vec<u8> {
    let mut file = b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n10\n".to_vec();
    for (number, point) in nodes().into_iter().enumerate() {
        file.extend((number as i32 + 1).to_le_bytes());
        file.extend(point.to_array().into_iter().flat_map(f64::to_le_bytes));
    }
    file.extend(b"\n$EndNodes\n$Elements\n2\n");
    let elements = [9, 1, 0, 1, 1, 2, 3, 5, 6, 7, 11, 1, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 10, 9_i32];
    file.extend(elements.into_iter().flat_map(i32::to_le_bytes));
    file.extend(b"\n$EndElements\n");
    file
}

fn binary_medit() -> Vec<u8> {
    let mut file: Vec<u8> = [1, 2, 3, 20, 3].into_iter().flat_map(i32::to_le_bytes).collect();
    let vertices = 12 + 10 * 28;
    file.extend([4, 20 + vertices, 10].into_iter().flat_map(i32::to_le_bytes));
    for point in nodes() {
        file.extend(point.to_array().into_iter().flat_map(f64::to_le_bytes));
        file.extend(0_i32.to_le_bytes());
    }
    let begin = 20 + vertices;
    let tetrahedra = [30, begin + 12 + 44, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0];
    let triangles = [24, begin + 56 + 12 + 28, 1, 1, 2, 3, 5, 6, 7, 0, 54, 0];
    file.extend(tetrahedra.into_iter().chain(triangles).flat_map(i32::to_le_bytes));
    file
}

#[test]
fn cells_of_second_order_are_read_by_their_corners_and_counted() {
    for (format, file) in files() {
        let model = read(&file, Format::Volume(format)).unwrap_or_else(|error| panic!("{format}: {error}"));
        let mesh = &model.meshes[0];
        assert!(is_closed(mesh), "{format}");
        assert_eq!((mesh.triangles().len(), mesh.vertices()), (4, &nodes()[..4]), "{format}");
        assert!((measures(mesh).volume.unwrap() - 1.0 / 6.0).abs() < 1e-15, "{format}");
        let found: Vec<_> = model.warnings.iter().map(|one| (one.what, one.count, one.treatment)).collect();
        assert_eq!(found, [("cells of higher order", 1, Treatment::ReadByCorners)], "{format}");

        let (volume, warnings) = read_volume_noted(&file, format).unwrap();
        assert_eq!((volume.cells.len(), warnings.len()), (1, 1), "{format}");
        assert_eq!(volume.cells[0].corners(), [0, 1, 2, 3], "{format}");
        assert_eq!(read_volume(&file, format).unwrap(), volume);
        let strict = read_with(&file, Format::Volume(format), &ReadOptions::default().strict(true));
        assert!(strict.unwrap_err().to_string().contains("a cell of higher order cannot be read"), "{format}");
    }
}

#[test]
fn files_of_higher_order_cut_short_give_an_error_or_a_mesh() {
    for (format, file) in files() {
        for end in 0..file.len() {
            let _ = read(&file[..end], Format::Volume(format));
        }
    }
}

#[test]
fn a_surface_of_second_order_is_read_by_its_corners() {
    let file = format!(
        "MeshVersionFormatted 2 Dimension 3 Vertices 10\n{}QuadrilateralsQ2 1 1 2 3 4 5 6 7 8 9 0 TrianglesP2 1 1 2 3 5 6 7 0 End",
        points(|_, point| row(point) + " 0\n")
    );
    let model = read(file.as_bytes(), Format::Volume(VolumeFormat::Medit)).unwrap();
    assert_eq!(model.triangle_count(), 3);
    assert_eq!(model.warnings[0].to_string(), "faces of higher order: 2 read by their corners, the first at line 12");
}
