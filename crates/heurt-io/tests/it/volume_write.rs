//! VTU files that heurt writes: the reader gives back the same cells, and wrong input is refused.

use heurt_geometry::Vec3;
use heurt_io::{CellArray, CellValues, Format, GridCells, VolumeFormat, WriteError, read, read_volume, write_vtu};
use heurt_mesh::{BoundaryFaces, Cell, VolumeMesh};

/// A hexahedron of which one face is cut in two, next to a prism, a pyramid and a tetrahedron.
fn mixed() -> VolumeMesh {
    let vertices = (0..12).map(|k| Vec3::new(f64::from(k % 3), 0.1 * f64::from(k), f64::from(k / 5))).collect();
    let mut faces = Cell::Hexahedron([0, 1, 2, 3, 4, 5, 6, 7]).faces();
    let split = faces.pop().expect("six faces");
    faces.push(vec![split[0], split[1], split[2]]);
    faces.push(vec![split[2], split[3], split[0]]);
    let cells = vec![
        Cell::Tetrahedron([0, 1, 2, 8]),
        Cell::Polyhedron(faces),
        Cell::Prism([3, 4, 5, 6, 7, 8]),
        Cell::Pyramid([8, 9, 10, 11, 0]),
        Cell::Polyhedron(Cell::Tetrahedron([0, 3, 2, 11]).faces()),
        Cell::Hexahedron([0, 1, 2, 3, 8, 9, 10, 11]),
    ];
    VolumeMesh { vertices, cells }
}

fn written(mesh: &VolumeMesh, arrays: &[CellArray<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut file = Vec::new();
    write_vtu(&mesh.vertices, GridCells::Volumes(&mesh.cells), arrays, &mut file)?;
    Ok(file)
}

#[test]
fn the_reader_gives_back_every_cell() {
    let mesh = mixed();
    let arrays = [
        CellArray { name: "a<\"b\">&", values: CellValues::Whole(&[0, 1, 2, 3, 4, -5]) },
        CellArray { name: "size", values: CellValues::Real(&[0.1; 6]) },
    ];
    let file = written(&mesh, &arrays).expect("written");
    assert_eq!(read_volume(&file, VolumeFormat::Vtu), Ok(mesh));
}

#[test]
fn polygons_read_back_as_a_surface() {
    let vertices: Vec<Vec3> = (0..7).map(|k| Vec3::new(f64::from(k), f64::from(k * k), 0.25)).collect();
    let faces = BoundaryFaces { corners: vec![0, 1, 2, 0, 2, 3, 4, 0, 4, 5, 6, 3], ends: vec![3, 7, 12] };
    let mut file = Vec::new();
    write_vtu(&vertices, GridCells::Faces(&faces), &[], &mut file).expect("written");
    let model = read(&file, Format::Volume(VolumeFormat::Vtu)).expect("read");
    let (read_vertices, read_faces) = model.placed_faces().expect("finite");
    assert_eq!((read_vertices, read_faces), (vertices, faces));
}

#[test]
fn damaged_polyhedra_give_an_error_or_a_mesh() {
    let file = written(&mixed(), &[]).expect("written");
    for place in 0..file.len() {
        for byte in [0, 0xff, b'9'] {
            let mut bytes = file.clone();
            bytes[place] = byte;
            if let Ok(mesh) = read_volume(&bytes, VolumeFormat::Vtu) {
                let count = mesh.vertices.len() as u32;
                let faces = mesh.cells.iter().flat_map(Cell::faces).flatten();
                assert!(faces.into_iter().all(|corner| corner < count));
            }
        }
    }
}

#[test]
fn wrong_grids_are_refused() {
    let mut mesh = mixed();
    let short = [CellArray { name: "level", values: CellValues::Whole(&[1]) }];
    let error = written(&mesh, &short).expect_err("one value").to_string();
    assert_eq!(error, "the array `level` has 1 values for 6 cells: give one for each cell");
    mesh.cells.push(Cell::Tetrahedron([0, 1, 2, 99]));
    let error = written(&mesh, &[]).expect_err("no vertex").to_string();
    assert!(error.starts_with("cell 6 names vertex 99, but the number of vertices is 12"), "{error}");
    mesh.vertices[3].y = f64::NAN;
    assert!(matches!(written(&mesh, &[]), Err(WriteError::NotFinite { point: 3, .. })));
}
