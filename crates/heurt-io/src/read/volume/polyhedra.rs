//! Polyhedra of VTU files (cell type 42): the faces of each cell in one list of numbers.
//!
//! In: for each polyhedron its number of faces, then for each face its number of corners and its corners; and by cell
//! the end in that list, −1 for cells that are no polyhedra. Out: faces as in the file.
//! Guarantees: each number of the list is read at most once, and counts are checked against the list. Cost: O(numbers).

use super::binary::Wholes;
use super::index;
use crate::{Place, ReadError};
use std::ops::Range;

/// The type of a polyhedron.
pub(super) const POLYHEDRON: i64 = 42;

/// Faces of the polyhedra of a grid.
#[derive(Default)]
pub(super) struct Polyhedra<'a> {
    /// Numbers of faces, numbers of corners, and corners.
    pub faces: Wholes<'a>,
    /// By cell the end in `faces`.
    pub ends: Wholes<'a>,
    /// The end of the previous polyhedron.
    begin: usize,
}

impl Polyhedra<'_> {
    /// Reports whether the file has faces of polyhedra.
    pub fn is_empty(&self) -> bool {
        self.ends.len() == 0
    }

    /// Reads the faces of the next polyhedron, which is cell `number`.
    pub fn next(&mut self, number: usize, vertices: usize, end: &Place) -> Result<Vec<Vec<u32>>, ReadError> {
        if number >= self.ends.len() {
            let (needed, available) = (number as u64 + 1, self.ends.len() as u64);
            return Err(ReadError::OutOfRange { place: end.clone(), what: "offsets of faces", needed, available });
        }
        let stop = usize::try_from(self.ends.get(number)).ok().filter(|&stop| stop <= self.faces.len());
        let Some(mut rest) = stop.map(|stop| self.begin..stop).filter(|rest| !rest.is_empty()) else {
            let found = self.ends.get(number).to_string();
            let expected = format!("an end of faces from {} to {}", self.begin + 1, self.faces.len());
            return Err(ReadError::syntax(self.ends.place(number), found.as_bytes(), expected));
        };
        self.begin = rest.end;
        let count = self.count(&mut rest, "a number of faces")?;
        let mut faces = Vec::new();
        for _ in 0..count {
            let corners = self.count(&mut rest, "a number of corners")?;
            let corner = |place: usize| index(self.faces.get(place), 0, vertices, || self.faces.place(place));
            faces.push((rest.start..rest.start + corners).map(corner).collect::<Result<Vec<u32>, _>>()?);
            rest.start += corners;
        }
        Ok(faces)
    }

    /// Reads a count of items of at least one number each, which the rest must hold.
    fn count(&self, rest: &mut Range<usize>, what: &str) -> Result<usize, ReadError> {
        let Some(place) = rest.next() else {
            let place = self.faces.place(self.begin - 1);
            return Err(ReadError::syntax(place, b"", format!("{what} before the end of the cell")));
        };
        let found = self.faces.get(place);
        usize::try_from(found).ok().filter(|&count| count <= rest.len()).ok_or_else(|| {
            let expected = format!("{what} of at most {}", rest.len());
            ReadError::syntax(self.faces.place(place), found.to_string().as_bytes(), expected)
        })
    }
}
