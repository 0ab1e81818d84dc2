//! Binary MEDIT files (`.meshb` of libMeshb), versions 1 to 4, of either endianness.
//!
//! In: bytes. Out: cells, and faces if requested. Layout: a one, which determines the endianness, the version, then
//! sections: a code, the offset of the next section, the number of items, the items. Coordinates take 4 bytes in
//! version 1, offsets 8 bytes from version 3 on, whole numbers 8 bytes in version 4. Guarantees: sections that are read
//! lie behind each other, so that no byte counts twice. Cost: O(bytes).

use super::super::binary::BinaryScalar;
use super::super::grid::{CellType, Grid};
use super::super::index;
use super::{cell_type_of_code, check_dimension};
use crate::{Place, ReadError};

/// The first bytes of a file of each endianness.
pub(super) const STARTS: [[u8; 4]; 2] = [[1, 0, 0, 0], [0, 0, 0, 1]];

/// Codes of sections.
const DIMENSION: i64 = 3;
const VERTICES: i64 = 4;
const END: i64 = 54;

pub(super) fn read(bytes: &[u8], grid: &mut Grid) -> Result<Place, ReadError> {
    let is_big = bytes.starts_with(&STARTS[1]);
    let mut file = File { bytes, at: STARTS[0].len(), is_big, version: 1 };
    let version = file.number(BinaryScalar::I32)?;
    if !(1..=4).contains(&version) {
        let (place, what) = (Place::Offset(4), format!("version {version}"));
        return Err(ReadError::Unsupported { place, what, remedy: "save it in version 1, 2, 3 or 4, or as text" });
    }
    file.version = version;
    // Cells may precede the vertices to which they refer.
    let mut cells = Vec::new();
    loop {
        let begin = file.at;
        let code = file.number(BinaryScalar::I32)?;
        let next = file.number(if version < 3 { BinaryScalar::I32 } else { BinaryScalar::I64 })?;
        match code {
            DIMENSION => {
                let dimension = file.number(BinaryScalar::I32)?;
                check_dimension(dimension, Place::Offset(file.at as u64 - 4))?;
            }
            VERTICES => file.read_vertices(grid)?,
            END => break,
            _ => {
                if let Some(cell) = cell_type_of_code(code, grid.keeps_faces) {
                    cells.push(file.cells(cell)?);
                }
            }
        }
        if next == 0 {
            break;
        }
        file.go_to(next, begin)?;
    }
    for section in cells {
        file.read_cells(&section, grid)?;
    }
    Ok(Place::Offset(bytes.len() as u64))
}

/// The items of a section, and their offset.
struct MeditCells<'a> {
    cell: CellType,
    bytes: &'a [u8],
    begin: usize,
}

struct File<'a> {
    bytes: &'a [u8],
    at: usize,
    is_big: bool,
    version: i64,
}

impl<'a> File<'a> {
    /// Returns the next `count` items of `size` bytes.
    fn take(&mut self, promised: u64, size: usize, what: &'static str) -> Result<&'a [u8], ReadError> {
        let rest = &self.bytes[self.at..];
        let present = (rest.len() / size) as u64;
        if promised > present {
            let place = Place::Offset(self.bytes.len() as u64);
            return Err(ReadError::Truncated { place, what, promised, present });
        }
        let length = promised as usize * size;
        self.at += length;
        Ok(&rest[..length])
    }

    fn number(&mut self, scalar: BinaryScalar) -> Result<i64, ReadError> {
        Ok(scalar.whole(self.take(1, scalar.size(), "numbers of a section")?, self.is_big))
    }

    /// Whole numbers of items.
    fn whole(&self) -> BinaryScalar {
        if self.version < 4 { BinaryScalar::I32 } else { BinaryScalar::I64 }
    }

    fn count(&mut self) -> Result<u64, ReadError> {
        let at = self.at;
        let count = self.number(self.whole())?;
        let negative =
            |_| ReadError::syntax(Place::Offset(at as u64), count.to_string().as_bytes(), "a number of items");
        u64::try_from(count).map_err(negative)
    }

    /// Moves to the next section, given the end of the data read from the section at `begin`.
    fn go_to(&mut self, next: i64, begin: usize) -> Result<(), ReadError> {
        match usize::try_from(next) {
            Ok(next) if next > self.bytes.len() => {
                let (promised, present) = (next as u64, self.bytes.len() as u64);
                Err(ReadError::Truncated { place: Place::Offset(present), what: "bytes", promised, present })
            }
            Ok(next) if next >= self.at => {
                self.at = next;
                Ok(())
            }
            _ => {
                let place = Place::Offset(begin as u64 + 4);
                Err(ReadError::syntax(
                    place,
                    next.to_string().as_bytes(),
                    format!("a section from byte {} on", self.at),
                ))
            }
        }
    }

    fn read_vertices(&mut self, grid: &mut Grid) -> Result<(), ReadError> {
        let count = self.count()?;
        let real = if self.version == 1 { BinaryScalar::F32 } else { BinaryScalar::F64 };
        let (begin, size) = (self.at, 3 * real.size() + self.whole().size());
        for (number, vertex) in self.take(count, size, "vertices")?.chunks_exact(size).enumerate() {
            let place = |axis| Place::Offset((begin + number * size + axis * real.size()) as u64);
            grid.mesh.vertices.push(real.point(vertex, self.is_big, place)?);
        }
        Ok(())
    }

    /// Returns the bytes of a cell: its nodes and a reference.
    fn cell_size(&self, cell: CellType) -> usize {
        (cell.nodes + 1) * self.whole().size()
    }

    fn cells(&mut self, cell: CellType) -> Result<MeditCells<'a>, ReadError> {
        let (count, begin) = (self.count()?, self.at);
        let bytes = self.take(count, self.cell_size(cell), "cells")?;
        Ok(MeditCells { cell, bytes, begin })
    }

    fn read_cells(&self, cells: &MeditCells<'a>, grid: &mut Grid) -> Result<(), ReadError> {
        let (whole, size, kind) = (self.whole(), self.cell_size(cells.cell), cells.cell.kind);
        for (number, item) in cells.bytes.chunks_exact(size).enumerate() {
            let mut corners = [0; 8];
            let corners = &mut corners[..kind.corners()];
            for (place, (corner, bytes)) in corners.iter_mut().zip(item.chunks_exact(whole.size())).enumerate() {
                let at = || Place::Offset((cells.begin + number * size + place * whole.size()) as u64);
                *corner = index(whole.whole(bytes, self.is_big), 1, grid.mesh.vertices.len(), at)?;
            }
            grid.push_typed(cells.cell, corners, || Place::Offset((cells.begin + number * size) as u64))?;
        }
        Ok(())
    }
}
