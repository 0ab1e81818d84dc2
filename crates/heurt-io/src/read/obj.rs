//! Wavefront OBJ: vertices and polygons of a text file.
//!
//! In: bytes. Out: one part, or one per `o` object. Positions are rounded once to `f64`; texture and normal indices,
//! groups, materials, lines and points are skipped; a face may name vertices that come after it.
//! Guarantees: a statement that is not of the format, or that would lose surface (free-form geometry), is an error
//! that names its line. Cost: O(bytes).

use super::{faces::Faces, text};
use crate::{Format, Model, Place, ReadError};
use text::Lines;

/// Statements that hold no polygon, the most frequent first.
const SKIPPED: &[u8] =
    b"vn vt g s usemtl l p mtllib vp mg usemap maplib bevel c_interp d_interp lod shadow_obj trace_obj \
    ctech stech cstype deg bmat step parm trim hole scrv sp end con curv curv2 call csh res";
/// Statements that hold surface which is no polygon.
const FREE_FORM: &[u8] = b"surf bzp bsp cdp cdc";

/// Reads the file.
pub(crate) fn read(bytes: &[u8], split: bool) -> Result<Model, ReadError> {
    let mut reader = Reader { faces: Faces::default(), forward: Vec::new() };
    let mut lines = Lines::new(bytes);
    let mut joined = Vec::new();
    while let Some(line) = lines.next() {
        let place = lines.number();
        if line.last() == Some(&b'\\') {
            join_continued(line, &mut lines, &mut joined);
            reader.statement(&joined, place)?;
        } else {
            reader.statement(line, place)?;
        }
    }
    let count = reader.faces.vertices.len();
    if let Some(&(line, index)) = reader.forward.iter().find(|(_, index)| *index > count as u64) {
        return Err(bad_index(line, index as i64, count));
    }
    reader.faces.into_model(Format::Obj, lines.place(), split)
}

/// Tells whether the first words are those of an OBJ file.
pub(crate) fn looks_like_obj(bytes: &[u8]) -> bool {
    let first = Lines::new(bytes).take(1000).find_map(|line| {
        let line = line.trim_ascii();
        (!line.is_empty() && line[0] != b'#').then_some(line)
    });
    first.and_then(|line| text::words(line).next()).is_some_and(|word| {
        [b"v".as_slice(), b"f", b"o", b"vt", b"vn", b"g", b"s", b"mtllib", b"usemtl"].contains(&word)
    })
}

/// Joins a line that ends with a backslash with those that continue it.
fn join_continued(first: &[u8], lines: &mut Lines<'_>, joined: &mut Vec<u8>) {
    joined.clear();
    let mut line = first;
    while let Some(start) = line.strip_suffix(b"\\") {
        joined.extend_from_slice(start);
        joined.push(b' ');
        line = lines.next().unwrap_or_default();
    }
    joined.extend_from_slice(line);
}

fn is_one_of(list: &[u8], word: &[u8]) -> bool {
    text::words(list).any(|listed| listed == word)
}

fn bad_index(line: u64, index: i64, count: usize) -> ReadError {
    ReadError::BadIndex { place: Place::Line(line), index, first: 1, count }
}

struct Reader {
    faces: Faces,
    /// Lines that name vertices which had not come yet, with the largest of them.
    forward: Vec<(u64, u64)>,
}

impl Reader {
    fn statement(&mut self, line: &[u8], number: u64) -> Result<(), ReadError> {
        let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
        let mut words = text::words(&line[..end]);
        match words.next() {
            None => Ok(()),
            Some(b"v") => {
                let vertex = text::point(&mut words, &Place::Line(number))?;
                self.faces.vertices.push(vertex);
                Ok(())
            }
            Some(b"f" | b"fo") => self.face(words, number),
            Some(b"o") => {
                // Names may hold blanks and `#`.
                self.faces.begin_object(&line.trim_ascii()[1..]);
                Ok(())
            }
            Some(word) if is_one_of(SKIPPED, word) => Ok(()),
            Some(word) if is_one_of(FREE_FORM, word) => Err(ReadError::Unsupported {
                place: Place::Line(number),
                what: format!("the free-form surface {}", crate::error::quoted(word)),
                remedy: "export it as polygons",
            }),
            Some(word) => Err(ReadError::syntax(
                Place::Line(number),
                word,
                "an OBJ statement such as v or f, or a # before a remark",
            )),
        }
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, line: u64) -> Result<(), ReadError> {
        let count = self.faces.vertices.len() as i64;
        let mut ahead = 0;
        for word in words {
            let position = word.split(|&byte| byte == b'/').next().unwrap_or_default();
            let Some(index) = text::integer(position) else {
                return Err(ReadError::syntax(Place::Line(line), word, "a vertex index such as 1, 1/2, 1//3 or -1"));
            };
            let vertex = match index {
                1.. => index - 1,
                _ => count + index,
            };
            if index == 0 || !(0..i64::from(u32::MAX)).contains(&vertex) {
                return Err(bad_index(line, index, count as usize));
            }
            if vertex >= count {
                ahead = ahead.max(index as u64);
            }
            self.faces.push_corner(vertex as u32);
        }
        if ahead > 0 {
            self.forward.push((line, ahead));
        }
        self.faces.end_face(|| Place::Line(line))
    }
}
