//! Wavefront OBJ: vertices and polygons of a text file.
//!
//! In: bytes. Out: one part, or one per `o` object (per `g` group if there is no object). Positions are rounded once to
//! `f64`; texture and normal indices, groups, materials, lines and points are skipped; a face may name vertices that
//! come after it.
//! Method: one statement a line; a backslash at the end of a statement of numbers joins the next line to it, but never
//! at the end of a remark or a name, where it belongs to the text (a Windows path).
//! Guarantees: statements that are unknown and faces of fewer than three corners are ignored with a warning, or errors
//! if the reader is strict. Free-form geometry is always an error, because surface would be lost. Errors name the line.
//! Cost: O(bytes).

use super::warnings::{UNKNOWN_STATEMENTS, Warnings};
use super::{ReadOptions, faces::Faces, text};
use crate::{Format, Model, Place, ReadError};
use text::Lines;

/// Statements that hold no polygon, the most frequent first.
const SKIPPED: &[u8] =
    b"vn vt g s usemtl l p mtllib vp mg usemap maplib bevel c_interp d_interp lod shadow_obj trace_obj \
    ctech stech cstype deg bmat step parm trim hole scrv sp end con curv curv2 call csh res";
/// Statements that hold surface which is no polygon.
const FREE_FORM: &[u8] = b"surf bzp bsp cdp cdc";
/// Statements of numbers and of keywords of the format, which a backslash at the end of the line continues.
const CONTINUED: &[u8] = b"v f fo vn vt vp l p curv curv2 surf parm trim hole scrv sp con bmat deg step cstype ctech \
    stech bzp bsp cdp cdc res";
/// Backslashes at the end of a statement of numbers that no number follows.
const STRAY_BACKSLASHES: &str = "backslashes before a statement";
/// Lines of whole numbers before the first vertex: counts, as in OFF.
const COUNTS: &str = "lines of counts in front";

/// Reads the file.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions<'_>) -> Result<Model, ReadError> {
    let mut warnings = Warnings::new(options.strict);
    let bytes = &*text::prepare(bytes, &mut warnings)?;
    let mut reader = ObjReader {
        faces: Faces::new(warnings),
        forward: Vec::new(),
        splits_groups: options.split_objects,
        first_unknown: None,
    };
    let mut lines = Lines::new(bytes);
    let mut joined = Vec::new();
    while let Some(line) = lines.next() {
        let place = lines.number();
        let statement = join_if_continued(line, &mut lines, &mut joined, &mut reader.faces.warnings)?;
        reader.statement(statement, place)?;
    }
    let count = reader.faces.vertices.len();
    if let Some(error) = reader.first_unknown.filter(|_| count == 0 && !reader.faces.has_faces()) {
        // Nothing of the file is OBJ.
        return Err(error);
    }
    if let Some(&(line, index)) = reader.forward.iter().find(|(_, index)| *index > count as u64) {
        return Err(bad_index(line, index as i64, count));
    }
    reader.faces.into_model(Format::Obj, lines.place(), options.split_objects)
}

/// Reports whether the first words are those of an OBJ file.
pub(crate) fn looks_like_obj(bytes: &[u8]) -> bool {
    let first = Lines::new(bytes).take(1000).find_map(|line| {
        let line = line.trim_ascii();
        (!line.is_empty() && line[0] != b'#').then_some(line)
    });
    first.and_then(|line| text::words(line).next()).is_some_and(|word| {
        [b"v".as_slice(), b"f", b"o", b"vt", b"vn", b"g", b"s", b"mtllib", b"usemtl"].contains(&word)
    })
}

/// Returns the statement that begins with a line: the line, or `joined` with the lines that continue it.
pub(crate) fn join_if_continued<'a>(
    line: &'a [u8],
    lines: &mut Lines<'_>,
    joined: &'a mut Vec<u8>,
    warnings: &mut Warnings,
) -> Result<&'a [u8], ReadError> {
    if line.last() != Some(&b'\\') || !is_continued(line) {
        return Ok(line);
    }
    join_continued(line, lines, joined, warnings)?;
    Ok(joined)
}

/// Reports whether a line that ends with a backslash is continued by the next one.
fn is_continued(line: &[u8]) -> bool {
    !line.contains(&b'#') && text::words(line).next().is_some_and(|word| is_one_of(CONTINUED, word))
}

/// Joins a line that ends with a backslash with the lines that continue it. A comment ends the statement, and so does a
/// line that begins with a letter: it is a statement of its own.
fn join_continued(
    first: &[u8],
    lines: &mut Lines<'_>,
    joined: &mut Vec<u8>,
    warnings: &mut Warnings,
) -> Result<(), ReadError> {
    joined.clear();
    let (mut line, mut place) = (first, lines.place());
    while let Some(start) = line.strip_suffix(b"\\").filter(|start| !start.contains(&b'#')) {
        joined.extend_from_slice(start);
        joined.push(b' ');
        let mut ahead = lines.clone();
        let next = ahead.next().unwrap_or_default();
        if next.trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic) {
            let error =
                |_| ReadError::syntax(ahead.place(), next, "numbers, because the line before ends with a backslash");
            return warnings.ignore(STRAY_BACKSLASHES, || place, line, error);
        }
        *lines = ahead;
        (line, place) = (next, lines.place());
    }
    joined.extend_from_slice(line);
    Ok(())
}

fn is_one_of(list: &[u8], word: &[u8]) -> bool {
    text::words(list).any(|listed| listed == word)
}

fn bad_index(line: u64, index: i64, count: usize) -> ReadError {
    ReadError::BadIndex { place: Place::Line(line), index, first: 1, count }
}

struct ObjReader {
    faces: Faces,
    /// Lines that name vertices which had not come yet, with the largest of them.
    forward: Vec<(u64, u64)>,
    /// Whether the names of groups are kept.
    splits_groups: bool,
    /// The error of the first unknown statement.
    first_unknown: Option<ReadError>,
}

impl ObjReader {
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
            Some(b"f" | b"fo") => self.face(words, line, number),
            Some(b"o") => {
                // Names may hold blanks and `#`.
                self.faces.begin_object(&line.trim_ascii()[1..]);
                Ok(())
            }
            Some(b"g") => {
                if self.splits_groups {
                    self.faces.begin_group(&line.trim_ascii()[1..]);
                }
                Ok(())
            }
            Some(word) if is_one_of(SKIPPED, word) => Ok(()),
            Some(word) if is_one_of(FREE_FORM, word) => Err(ReadError::Unsupported {
                place: Place::Line(number),
                what: format!("the free-form surface {}", crate::error::quoted(word)),
                remedy: "export it as polygons",
            }),
            Some(word) => {
                let is_counts = self.faces.vertices.is_empty()
                    && text::words(&line[..end]).all(|word| word.iter().all(u8::is_ascii_digit));
                let what = if is_counts { COUNTS } else { UNKNOWN_STATEMENTS };
                let expected = "an OBJ statement such as v or f, or a # before a remark";
                let error = |place| ReadError::syntax(place, word, expected);
                self.first_unknown.get_or_insert_with(|| error(Place::Line(number)));
                self.faces.warnings.ignore(what, || Place::Line(number), line, error)
            }
        }
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>, text: &[u8], line: u64) -> Result<(), ReadError> {
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
        self.faces.end_face(|| Place::Line(line), text)
    }
}
