//! VTK XML: an unstructured grid of polygons or of volume cells, with arrays of values by cell.
//!
//! In: vertices, cells over them, named arrays with one value a cell. Out: a `.vtu` file for ParaView, VTK and meshio.
//! Method: one piece; all arrays appended raw, little-endian, with sizes of 64 bits. Triangles, quadrilaterals,
//! tetrahedra, pyramids, prisms and hexahedra have their VTK types, further faces type 7 (polygon), and further volumes
//! type 42 (polyhedron) with their faces in `faces` and `faceoffsets`.
//! Guarantees: every `f64` reads back bit for bit; same input, same bytes; nothing is written if the input is refused.
//! Cost: O(corners).

use super::{WriteError, check_finite};
use heurt_geometry::Vec3;
use heurt_mesh::{BoundaryFaces, Cell};
use std::io::{BufWriter, Write};

/// The cells of a grid: polygons or volumes.
#[derive(Debug, Clone, Copy)]
pub enum GridCells<'a> {
    /// Polygons, counter-clockwise seen from outside.
    Faces(&'a BoundaryFaces),
    /// Volumes.
    Volumes(&'a [Cell]),
}

/// Values of an array, one a cell.
#[derive(Debug, Clone, Copy)]
pub enum CellValues<'a> {
    /// Whole numbers.
    Whole(&'a [i64]),
    /// Fractions.
    Real(&'a [f64]),
}

/// A named array with one value for each cell.
#[derive(Debug, Clone, Copy)]
pub struct CellArray<'a> {
    /// The name that viewers show.
    pub name: &'a str,
    /// The values.
    pub values: CellValues<'a>,
}

/// Writes a grid with arrays by cell.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_io::{CellArray, CellValues, GridCells, VolumeFormat, read_volume, write_vtu};
/// use heurt_mesh::Cell;
/// let vertices = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let cells = [Cell::Tetrahedron([0, 1, 2, 3])];
/// let level = CellArray { name: "level", values: CellValues::Whole(&[0]) };
/// let mut file = Vec::new();
/// write_vtu(&vertices, GridCells::Volumes(&cells), &[level], &mut file)?;
/// assert_eq!(read_volume(&file, VolumeFormat::Vtu)?.cells, cells);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError::NotFinite`], [`WriteError::NoSuchVertex`], [`WriteError::ValueCount`], or an error of the sink.
pub fn write_vtu(
    vertices: &[Vec3],
    cells: GridCells<'_>,
    arrays: &[CellArray<'_>],
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    for (number, &point) in vertices.iter().enumerate() {
        check_finite(number, point)?;
    }
    let grid = GridArrays::of(cells);
    grid.check(vertices.len(), arrays)?;
    let coordinates = vertices.iter().flat_map(|point| point.to_array()).flat_map(f64::to_le_bytes).collect();
    let mut blocks = Blocks::default();
    let points = blocks.tag("Points", "Float64", 3, coordinates);
    let mut tags = vec![
        blocks.tag("connectivity", "Int64", 1, whole_bytes(&grid.connectivity)),
        blocks.tag("offsets", "Int64", 1, whole_bytes(&grid.offsets)),
        blocks.tag("types", "UInt8", 1, grid.types.clone()),
    ];
    if grid.types.contains(&POLYHEDRON) {
        tags.push(blocks.tag("faces", "Int64", 1, whole_bytes(&grid.faces)));
        tags.push(blocks.tag("faceoffsets", "Int64", 1, whole_bytes(&grid.face_offsets)));
    }
    let data: Vec<String> = arrays.iter().map(|array| blocks.array(array)).collect();
    let mut out = BufWriter::new(out);
    out.write_all(b"<?xml version=\"1.0\"?>\n")?;
    out.write_all(b"<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" ")?;
    out.write_all(b"header_type=\"UInt64\">\n<UnstructuredGrid>\n")?;
    writeln!(out, "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">", vertices.len(), grid.types.len())?;
    write!(out, "<Points>\n{points}</Points>\n<Cells>\n{}</Cells>\n", tags.concat())?;
    write!(out, "<CellData>\n{}</CellData>\n", data.concat())?;
    out.write_all(b"</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_")?;
    out.write_all(&blocks.bytes)?;
    out.write_all(b"\n</AppendedData>\n</VTKFile>\n")?;
    Ok(out.flush()?)
}

/// The type of a polyhedron.
const POLYHEDRON: u8 = 42;

/// The arrays of a grid as VTK has them.
#[derive(Default)]
struct GridArrays {
    connectivity: Vec<i64>,
    offsets: Vec<i64>,
    types: Vec<u8>,
    /// By polyhedron: the number of faces, and for each its number of corners and its corners.
    faces: Vec<i64>,
    /// By cell: the end in `faces`, −1 for cells that are no polyhedra.
    face_offsets: Vec<i64>,
}

impl GridArrays {
    fn of(cells: GridCells<'_>) -> Self {
        let mut grid = Self::default();
        match cells {
            GridCells::Faces(faces) => {
                let mut begin = 0;
                for &end in &faces.ends {
                    let kind = match end - begin {
                        3 => 5,
                        4 => 9,
                        _ => 7,
                    };
                    grid.push(kind, &faces.corners[begin..end]);
                    begin = end;
                }
            }
            GridCells::Volumes(cells) => cells.iter().for_each(|cell| grid.push_volume(cell)),
        }
        grid
    }

    fn push(&mut self, kind: u8, corners: &[u32]) {
        self.connectivity.extend(corners.iter().map(|&corner| i64::from(corner)));
        self.offsets.push(self.connectivity.len() as i64);
        self.types.push(kind);
        self.face_offsets.push(-1);
    }

    fn push_volume(&mut self, cell: &Cell) {
        match cell.table() {
            Some(table) => self.push([10, 14, 13, 12][table], cell.corners()),
            None => {
                let faces = cell.faces();
                let mut corners = faces.concat();
                corners.sort_unstable();
                corners.dedup();
                self.push(POLYHEDRON, &corners);
                self.faces.push(faces.len() as i64);
                for face in &faces {
                    self.faces.push(face.len() as i64);
                    self.faces.extend(face.iter().map(|&corner| i64::from(corner)));
                }
                self.face_offsets.pop();
                self.face_offsets.push(self.faces.len() as i64);
            }
        }
    }

    /// Refuses corners without a vertex, and arrays of a wrong length.
    fn check(&self, vertices: usize, arrays: &[CellArray<'_>]) -> Result<(), WriteError> {
        if let Some(place) = self.connectivity.iter().position(|&corner| corner >= vertices as i64) {
            let cell = self.offsets.partition_point(|&end| end <= place as i64);
            let (index, count) = (self.connectivity[place] as u32, vertices);
            return Err(WriteError::NoSuchVertex { cell, index, count });
        }
        let cells = self.types.len();
        for CellArray { name, values } in arrays {
            let count = match values {
                CellValues::Whole(values) => values.len(),
                CellValues::Real(values) => values.len(),
            };
            if count != cells {
                return Err(WriteError::ValueCount { name: (*name).to_owned(), count, cells });
            }
        }
        Ok(())
    }
}

/// Appended data, and the tags that refer to them.
#[derive(Default)]
struct Blocks {
    bytes: Vec<u8>,
}

impl Blocks {
    /// Appends an array with its size, and returns its tag.
    fn tag(&mut self, name: &str, kind: &str, components: usize, bytes: Vec<u8>) -> String {
        let offset = self.bytes.len();
        self.bytes.extend((bytes.len() as u64).to_le_bytes());
        self.bytes.extend(bytes);
        let parts = if components > 1 { format!(" NumberOfComponents=\"{components}\"") } else { String::new() };
        let name = escaped(name);
        format!("<DataArray type=\"{kind}\" Name=\"{name}\"{parts} format=\"appended\" offset=\"{offset}\"/>\n")
    }

    fn array(&mut self, array: &CellArray<'_>) -> String {
        match array.values {
            CellValues::Whole(values) => self.tag(array.name, "Int64", 1, whole_bytes(values)),
            CellValues::Real(values) => {
                self.tag(array.name, "Float64", 1, values.iter().flat_map(|value| value.to_le_bytes()).collect())
            }
        }
    }
}

fn whole_bytes(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Replaces the characters that an attribute must not have.
fn escaped(name: &str) -> String {
    let replaced = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    };
    name.chars().map(replaced).collect()
}
