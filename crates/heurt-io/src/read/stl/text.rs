//! ASCII STL: a state machine over the first words of lines.
//!
//! In: bytes that are text. Out: one part, or one per `solid`.
//! Method: `vertex` lines make corners, the lines around them make facets; the state is the innermost block that is
//! open.
//! Guarantees: a lenient reader closes blocks whose end is missing and ignores lines of other words, with a warning for
//! each kind. A file that ends after a whole facet lost at most its `endsolid`, which has no surface; most writers that
//! omit it do so always. A file that ends within a facet is cut, and facets after it may be lost: an error. A strict
//! reader accepts the grammar only. Cost: O(bytes).

use crate::read::faces::Faces;
use crate::read::text::{Lines, point, prepare, words};
use crate::read::warnings::{UNKNOWN_STATEMENTS, Warnings};
use crate::read::weld::Welder;
use crate::{Format, Model, ReadError};

const NO_ENDSOLID: &str = "missing `endsolid` lines";
const NO_ENDFACET: &str = "missing `endfacet` lines";
const NO_ENDLOOP: &str = "missing `endloop` lines";
const NO_OUTER_LOOP: &str = "missing `outer loop` lines";

/// The innermost open block.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Solid,
    Facet,
    /// After `endloop`.
    Closed,
    Loop,
}

/// Reads the file.
pub(super) fn read(bytes: &[u8], mut warnings: Warnings, split: bool) -> Result<Model, ReadError> {
    let bytes = &*prepare(bytes, &mut warnings)?;
    let mut lines = Lines::new(bytes);
    let mut reader = StlReader {
        welder: Welder::with_capacity(bytes.len() / 512),
        faces: Faces::new(warnings),
        state: State::Solid,
        is_open: false,
        has_statement: false,
    };
    let mut first_unknown = None;
    while let Some(line) = lines.next() {
        let mut words = words(line);
        let Some(word) = words.next() else { continue };
        if reader.has_statement || is_statement(word) {
            reader.line(word, words, line, &lines)?;
        } else {
            reader.unknown(line, &lines)?;
            first_unknown.get_or_insert((lines.place(), line));
        }
    }
    let StlReader { welder, mut faces, state, is_open, has_statement } = reader;
    if let (Some((place, line)), false) = (first_unknown, has_statement) {
        let expected = "solid or facet: this is text, but no STL file";
        return Err(ReadError::syntax(place, line, expected));
    }
    if state != State::Solid {
        return Err(ReadError::syntax(lines.place(), b"", format!("{}: the file is cut short", expected(state))));
    }
    faces.vertices = welder.into_vertices();
    if is_open && faces.has_faces() {
        let expected = "`facet`, or `endsolid` if this is the whole solid: the file may be cut short";
        let error = |place| ReadError::syntax(place, b"", expected);
        faces.warnings.ignore(NO_ENDSOLID, || lines.place(), b"", error)?;
    }
    faces.into_model(Format::Stl, lines.place(), split)
}

/// Reports whether a word begins a file or a facet.
fn is_statement(word: &[u8]) -> bool {
    [b"solid".as_slice(), b"facet"].iter().any(|statement| word.eq_ignore_ascii_case(statement))
}

struct StlReader {
    welder: Welder,
    faces: Faces,
    state: State,
    /// Whether a solid has begun and not ended.
    is_open: bool,
    /// Whether a `solid` or a `facet` was read.
    has_statement: bool,
}

impl StlReader {
    /// Reads a line of at least one word.
    fn line<'a>(
        &mut self,
        word: &[u8],
        mut words: impl Iterator<Item = &'a [u8]>,
        line: &[u8],
        lines: &Lines<'_>,
    ) -> Result<(), ReadError> {
        self.has_statement = true;
        if self.state == State::Loop && word.eq_ignore_ascii_case(b"vertex") {
            return self.corner(words, lines);
        }
        let lower = word.to_ascii_lowercase();
        if lower == b"end" && !self.faces.warnings.is_strict() {
            // Some writers put a blank into `endloop`.
            let rest = words.next().unwrap_or_default().to_ascii_lowercase();
            return self.statement(&[b"end".as_slice(), &rest].concat(), words, line, lines);
        }
        self.statement(&lower, words, line, lines)
    }

    /// Reads the coordinates of a corner.
    #[inline]
    fn corner<'a>(&mut self, mut words: impl Iterator<Item = &'a [u8]>, lines: &Lines<'_>) -> Result<(), ReadError> {
        let corner = point(&mut words, &lines.place())?;
        self.faces.push_corner(self.welder.vertex(corner));
        Ok(())
    }

    /// Reads a line whose first word, in lower case, is `lower`.
    fn statement<'a>(
        &mut self,
        lower: &[u8],
        words: impl Iterator<Item = &'a [u8]>,
        line: &[u8],
        lines: &Lines<'_>,
    ) -> Result<(), ReadError> {
        match (self.state, lower) {
            (State::Loop, b"endloop") => {
                self.faces.end_face(|| lines.place(), b"")?;
                self.state = State::Closed;
            }
            (State::Facet | State::Closed, b"outer") => self.state = State::Loop,
            (State::Solid, b"facet") => self.state = State::Facet,
            (State::Facet | State::Closed, b"endfacet") => self.state = State::Solid,
            (State::Solid, b"solid") => {
                if self.is_open {
                    // Strict readers accept a solid within a solid, as some writers make it.
                    self.faces.warnings.add(NO_ENDSOLID, 1, || lines.place(), line);
                }
                self.faces.begin_object(&line.trim_ascii()[5..]);
                self.is_open = true;
            }
            (State::Solid, b"endsolid") => self.is_open = false,
            (State::Solid, b"color") => {}
            (State::Facet, b"vertex") => {
                self.missing(NO_OUTER_LOOP, line, lines)?;
                self.state = State::Loop;
                self.corner(words, lines)?;
            }
            (State::Loop, b"endfacet") => {
                self.missing(NO_ENDLOOP, line, lines)?;
                self.faces.end_face(|| lines.place(), b"")?;
                self.state = State::Solid;
            }
            (State::Closed, b"facet" | b"solid" | b"endsolid") => {
                self.missing(NO_ENDFACET, line, lines)?;
                self.state = State::Solid;
                return self.statement(lower, words, line, lines);
            }
            _ => self.unknown(line, lines)?,
        }
        Ok(())
    }

    /// Counts the end or the beginning of a block that is missing before the line.
    fn missing(&mut self, what: &'static str, line: &[u8], lines: &Lines<'_>) -> Result<(), ReadError> {
        let state = self.state;
        let error = |place| ReadError::syntax(place, line, expected(state));
        self.faces.warnings.ignore(what, || lines.place(), line, error)
    }

    /// Counts a line of a word that the format does not define.
    fn unknown(&mut self, line: &[u8], lines: &Lines<'_>) -> Result<(), ReadError> {
        const KNOWN: [&[u8]; 7] = [b"facet", b"outer", b"vertex", b"endloop", b"endfacet", b"solid", b"endsolid"];
        let word = words(line).next().unwrap_or_default();
        // A word of the format in the wrong place: whether corners are lost is unknown.
        if KNOWN.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            return Err(ReadError::syntax(lines.place(), line, expected(self.state)));
        }
        self.missing(UNKNOWN_STATEMENTS, line, lines)
    }
}

fn expected(state: State) -> &'static str {
    match state {
        State::Solid => "facet, solid or endsolid",
        State::Facet | State::Closed => "outer loop or endfacet",
        State::Loop => "vertex or endloop",
    }
}
