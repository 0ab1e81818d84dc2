//! Text files of every format that hold the mesh of these tests, and a triangle next to its cells.

use super::hybrid::expected;
use heurt_geometry::Vec3;
use heurt_io::VolumeFormat;

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

pub fn files() -> Vec<(VolumeFormat, String)> {
    use VolumeFormat::{Medit, Msh, Vtk, Vtu};
    let vtk = [(Vtk, vtk_old()), (Vtk, vtk_new()), (Vtu, vtu())];
    vtk.into_iter().chain([(Msh, msh_old()), (Msh, msh_new()), (Medit, medit())]).collect()
}
