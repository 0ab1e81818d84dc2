//! VTK legacy files: an unstructured grid as text.
//!
//! In: bytes. Out: a mesh. `CELLS` as counts and indices (up to version 4) or as `OFFSETS` and `CONNECTIVITY` (5.1).
//! What follows cells and types (data) is not read. Cost: O(bytes).

use super::{Kind, Words, cell, index};
use crate::{Place, ReadError};
use heurt_mesh::VolumeMesh;

pub(super) fn read(bytes: &[u8]) -> Result<(VolumeMesh, Place), ReadError> {
    let mut words = Words::new(bytes, false);
    words.keyword("#")?;
    words.keyword("vtk")?;
    words.next_line(); // The title.
    let encoding = words.next_line().unwrap_or_default().trim_ascii();
    if !encoding.eq_ignore_ascii_case(b"ASCII") {
        let what = format!("the encoding {}", crate::error::quoted(encoding));
        return Err(ReadError::Unsupported { place: words.place(), what, remedy: "save it as ASCII" });
    }
    words.keyword("DATASET")?;
    words.keyword("UNSTRUCTURED_GRID")?;
    let mut mesh = VolumeMesh::default();
    let mut cells = Cells::default();
    let mut types: Vec<(i64, Place)> = Vec::new();
    while let Some(word) = words.next() {
        match word.to_ascii_uppercase().as_slice() {
            b"POINTS" => {
                let count = words.count("the number of points")?;
                words.next(); // Their type.
                mesh.vertices = words.points(count)?;
            }
            b"CELLS" => cells.read(&mut words)?,
            b"CELL_TYPES" => {
                for present in 0..words.count("the number of cells")? {
                    if words.peek().is_none() {
                        let (place, promised) = (words.place(), cells.count() as u64);
                        return Err(ReadError::Truncated { place, what: "cell types", promised, present });
                    }
                    types.push((words.whole("a cell type")?, words.place()));
                }
            }
            b"METADATA" => while words.next_line().is_some_and(|line| !line.trim_ascii().is_empty()) {},
            b"POINT_DATA" | b"CELL_DATA" => break,
            _ => return Err(ReadError::syntax(words.place(), word, "POINTS, CELLS or CELL_TYPES")),
        }
    }
    cells.put(&types, words.place(), &mut mesh)?;
    Ok((mesh, words.place()))
}

/// Corners laid end to end.
#[derive(Default)]
pub(super) struct Cells {
    /// The corners, and in which line of the file they stand.
    pub corners: Vec<(i64, Place)>,
    /// Where each cell ends.
    pub ends: Vec<usize>,
}

impl Cells {
    fn count(&self) -> usize {
        self.ends.len()
    }

    fn read(&mut self, words: &mut Words<'_>) -> Result<(), ReadError> {
        let [first, second] = [words.count("the number of cells")?, words.count("the size of the list of cells")?];
        let has_offsets = words.peek().is_some_and(|word| word.eq_ignore_ascii_case(b"OFFSETS"));
        if has_offsets {
            words.next();
            words.next(); // Their type.
            for place in 0..first {
                let end = words.count("an offset")?;
                if place > 0 {
                    self.ends.push(usize::try_from(end).unwrap_or(usize::MAX));
                }
            }
            words.keyword("CONNECTIVITY")?;
            words.next();
            for _ in 0..second {
                let corner = words.whole("a vertex index")?;
                self.corners.push((corner, words.place()));
            }
            return Ok(());
        }
        for _ in 0..first {
            for _ in 0..words.count("the number of corners of a cell")? {
                let corner = words.whole("a vertex index")?;
                self.corners.push((corner, words.place()));
            }
            self.ends.push(self.corners.len());
        }
        Ok(())
    }

    /// Makes cells of the corners and their types.
    pub fn put(&self, types: &[(i64, Place)], end: Place, mesh: &mut VolumeMesh) -> Result<(), ReadError> {
        if types.len() != self.ends.len() {
            let (needed, available) = (self.ends.len() as u64, types.len() as u64);
            return Err(ReadError::OutOfRange { place: end, what: "cell types", needed, available });
        }
        let mut begin = 0;
        for (&cell_end, (number, place)) in self.ends.iter().zip(types) {
            let Some(corners) = self.corners.get(begin..cell_end) else {
                let (needed, available) = (cell_end as u64, self.corners.len() as u64);
                return Err(ReadError::OutOfRange { place: end, what: "corners", needed, available });
            };
            begin = cell_end;
            let Some(kind) = Kind::of_vtk(*number, place.clone())? else { continue };
            let count = mesh.vertices.len();
            let indices = corners.iter().map(|(corner, place)| index(*corner, 0, count, place.clone()));
            let indices: Vec<u32> = indices.collect::<Result<_, _>>()?;
            match cell(kind, &indices) {
                Some(cell) => mesh.cells.push(cell),
                None => {
                    let (found, expected) =
                        (format!("{} corners", corners.len()), format!("{} corners", kind.corners()));
                    return Err(ReadError::Syntax { place: place.clone(), found, expected });
                }
            }
        }
        Ok(())
    }
}
