//! VTK XML files: an unstructured grid of one piece, as text.
//!
//! In: bytes. Out: a mesh. Data arrays in binary, compressed or appended are refused with the remedy.
//! Method: tags are found by their brackets, which is all that this format needs of XML. Cost: O(bytes).

use super::vtk::Cells;
use super::{Words, index};
use crate::{Place, ReadError};
use heurt_mesh::VolumeMesh;

pub(super) fn read(bytes: &[u8]) -> Result<(VolumeMesh, Place), ReadError> {
    let mut mesh = VolumeMesh::default();
    let (mut cells, mut types) = (Cells::default(), Vec::new());
    let (mut section, mut pieces) = (Vec::new(), 0);
    let mut at = 0;
    let mut is_grid = false;
    while let Some(open) = find(bytes, at, b"<") {
        let Some(close) = find(bytes, open, b">") else { break };
        let tag = &bytes[open + 1..close];
        at = close + 1;
        let name = tag.split(|byte| byte.is_ascii_whitespace() || *byte == b'/').next().unwrap_or_default();
        match name {
            b"UnstructuredGrid" => is_grid = true,
            b"Piece" => pieces += 1,
            b"Points" | b"Cells" | b"PointData" | b"CellData" | b"FieldData" => section = name.to_vec(),
            b"DataArray" if matches!(section.as_slice(), b"Points" | b"Cells") => {
                check_format(tag, bytes, open)?;
                let end = find(bytes, at, b"<").unwrap_or(bytes.len());
                let mut words = Words::at(bytes, at, end);
                match (section.as_slice(), attribute(tag, b"Name").unwrap_or_default()) {
                    (b"Points", _) => {
                        while words.peek().is_some() {
                            mesh.vertices.push(words.point()?);
                        }
                    }
                    (_, b"connectivity") => words.wholes(|value, place| cells.corners.push((value, place)))?,
                    (_, b"offsets") => words.wholes(|value, _| cells.ends.push(value.max(0) as usize))?,
                    (_, b"types") => words.wholes(|value, place| types.push((value, place)))?,
                    _ => {}
                }
                at = end;
            }
            _ => {}
        }
    }
    let place = line_of(bytes, bytes.len());
    if !is_grid {
        return Err(ReadError::syntax(place, bytes, "the tag <UnstructuredGrid>"));
    }
    if pieces > 1 {
        let what = format!("a grid of {pieces} pieces");
        return Err(ReadError::Unsupported { place, what, remedy: "merge the pieces before saving" });
    }
    // Corners of cells that have no volume are not looked at otherwise.
    for (corner, place) in &cells.corners {
        index(*corner, 0, mesh.vertices.len(), place.clone())?;
    }
    cells.put(&types, place.clone(), &mut mesh)?;
    Ok((mesh, place))
}

fn check_format(tag: &[u8], bytes: &[u8], at: usize) -> Result<(), ReadError> {
    match attribute(tag, b"format") {
        None | Some(b"ascii") => Ok(()),
        Some(other) => {
            let what = format!("a data array in the format {}", crate::error::quoted(other));
            let remedy = "save it as ASCII (in ParaView: Data Mode Ascii)";
            Err(ReadError::Unsupported { place: line_of(bytes, at), what, remedy })
        }
    }
}

/// Where a piece of text begins next.
fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.iter().position(|byte| *byte == what[0]).map(|place| from + place)
}

/// The value of an attribute of a tag.
fn attribute<'a>(tag: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut rest = tag;
    while let Some(equals) = rest.iter().position(|&byte| byte == b'=') {
        let key = rest[..equals].trim_ascii();
        let key = key.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        let value = rest[equals + 1..].trim_ascii_start();
        let quote = *value.first()?;
        let end = value[1..].iter().position(|&byte| byte == quote)?;
        if key.eq_ignore_ascii_case(name) {
            return Some(&value[1..=end]);
        }
        rest = &value[end + 2..];
    }
    None
}

/// The line in which a byte stands.
fn line_of(bytes: &[u8], at: usize) -> Place {
    Place::Line(1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count() as u64)
}

impl<'a> Words<'a> {
    /// The words of a part of a text, with their lines in the whole.
    fn at(bytes: &'a [u8], begin: usize, end: usize) -> Self {
        let mut words = Self::new(&bytes[begin..end], false);
        if let Place::Line(line) = line_of(bytes, begin) {
            words.lines.skip_to(line - 1);
        }
        words
    }

    fn wholes(&mut self, mut take: impl FnMut(i64, Place)) -> Result<(), ReadError> {
        while self.peek().is_some() {
            let value = self.whole("a whole number")?;
            take(value, self.place());
        }
        Ok(())
    }
}
