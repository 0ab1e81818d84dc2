//! STL: triangles one by one, as text or as binary records.
//!
//! In: bytes. Out: one part (or one per `solid` of a text file), corners at equal coordinates welded, triangles in file
//! order. Normals and attributes are skipped: the order of the corners says which side is out. A file is binary when
//! its length fits the count at byte 80, even when it starts with `solid`; otherwise the words in it decide.
//! Guarantees: the declared count is compared with the bytes before anything is stored. Text is rounded once to `f64`.
//! Cost: O(triangles) expected.

use super::{faces::Faces, text, weld::Welder};
use crate::{Format, Model, Place, ReadError, error::quoted};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use text::Lines;

/// Title and count.
const HEADER: usize = 84;
/// Normal, three corners, attribute.
const RECORD: usize = 50;

/// Reads the file.
pub(crate) fn read(bytes: &[u8], split: bool) -> Result<Model, ReadError> {
    if !is_sized_binary(bytes) && is_text(bytes) { read_text(bytes, split) } else { read_binary(bytes) }
}

/// Tells whether the length fits the count that a binary file declares.
pub(crate) fn is_sized_binary(bytes: &[u8]) -> bool {
    declared(bytes).is_some_and(|count| bytes.len() as u64 == HEADER as u64 + RECORD as u64 * u64::from(count))
}

fn declared(bytes: &[u8]) -> Option<u32> {
    bytes.get(80..HEADER)?.first_chunk().map(|count| u32::from_le_bytes(*count))
}

/// Tells whether the file says `solid` and its next word on a later line is one of the format.
fn is_text(bytes: &[u8]) -> bool {
    let mut lines = Lines::new(bytes);
    let mut first_words = std::iter::from_fn(|| lines.next()).filter_map(|line| text::words(line).next());
    let is_word = |word: &[u8], wanted: &str| word.eq_ignore_ascii_case(wanted.as_bytes());
    first_words.next().is_some_and(|word| is_word(word, "solid") || is_word(word, "facet"))
        && first_words.next().is_none_or(|word| {
            word.is_ascii() && ["facet", "endsolid", "solid", "outer"].iter().any(|wanted| is_word(word, wanted))
                || bytes.len() < HEADER
                || !bytes[..HEADER].contains(&0)
        })
}

fn read_binary(bytes: &[u8]) -> Result<Model, ReadError> {
    let Some(promised) = declared(bytes) else {
        let place = Place::Offset(bytes.len() as u64);
        let expected = "`solid`, or a binary STL header of 84 bytes";
        return Err(ReadError::syntax(place, bytes, expected));
    };
    let records = bytes[HEADER..].as_chunks::<RECORD>().0;
    let present = records.len() as u64;
    if present < u64::from(promised) {
        let place = Place::Offset(bytes.len() as u64);
        return Err(ReadError::Truncated { place, what: "triangles", promised: promised.into(), present });
    }
    if present > u64::from(promised) {
        return Err(ReadError::Undercounted { place: Place::Offset(80), promised: promised.into(), present });
    }
    if records.is_empty() {
        return Err(ReadError::NoFaces { place: Place::Offset(bytes.len() as u64), format: Format::Stl });
    }
    // A closed mesh has half as many vertices as triangles.
    let mut welder = Welder::with_capacity(records.len() / 2 + 2);
    let mut triangles = Vec::with_capacity(records.len());
    for (number, record) in records.iter().enumerate() {
        let at = |offset: usize| {
            let bytes = [record[offset], record[offset + 1], record[offset + 2], record[offset + 3]];
            f64::from(f32::from_le_bytes(bytes))
        };
        let corner = |offset: usize| Vec3::new(at(offset), at(offset + 4), at(offset + 8));
        let corners = [corner(12), corner(24), corner(36)];
        if !corners.iter().all(|corner| corner.is_finite()) {
            return Err(not_finite(number, &corners));
        }
        triangles.push(corners.map(|corner| welder.vertex(corner)));
    }
    let mesh = TriMesh::new(welder.into_vertices(), triangles)
        .map_err(|cause| ReadError::Mesh { place: Place::Offset(bytes.len() as u64), cause })?;
    Ok(Model::from_mesh("", mesh))
}

#[cold]
fn not_finite(triangle: usize, corners: &[Vec3; 3]) -> ReadError {
    let coordinates = corners.iter().flat_map(Vec3::to_array).enumerate();
    let (at, value) = coordinates.into_iter().find(|(_, value)| !value.is_finite()).unwrap_or((0, f64::NAN));
    let offset = HEADER + triangle * RECORD + 12 + 4 * at;
    ReadError::NotFinite { place: Place::Offset(offset as u64), value: quoted(value.to_string().as_bytes()) }
}

/// What the next word of a text file may be.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Solid,
    Facet,
    Loop,
}

fn read_text(bytes: &[u8], split: bool) -> Result<Model, ReadError> {
    let mut lines = Lines::new(bytes);
    let mut welder = Welder::with_capacity(bytes.len() / 512);
    let mut faces = Faces::default();
    // Whether a solid has begun and not ended.
    let mut is_open = false;
    let mut state = State::Solid;
    while let Some(line) = lines.next() {
        let mut words = text::words(line);
        let Some(word) = words.next() else { continue };
        let place = lines.place();
        state = match (state, word.to_ascii_lowercase().as_slice()) {
            (State::Loop, b"vertex") => {
                faces.push_corner(welder.vertex(text::point(&mut words, &place)?));
                State::Loop
            }
            (State::Facet, b"outer") => State::Loop,
            (State::Loop, b"endloop") => {
                faces.end_face(|| place)?;
                State::Facet
            }
            (State::Solid, b"facet") => State::Facet,
            (State::Facet, b"endfacet") => State::Solid,
            (State::Solid, b"solid") => {
                faces.begin_object(&line.trim_ascii()[5..]);
                is_open = true;
                State::Solid
            }
            (State::Solid, b"endsolid") => {
                is_open = false;
                State::Solid
            }
            (State::Solid, b"color") => State::Solid,
            (state, _) => return Err(ReadError::syntax(place, line, expected(state))),
        };
    }
    if state != State::Solid {
        return Err(ReadError::syntax(lines.place(), b"", format!("{}: the file is cut short", expected(state))));
    }
    faces.vertices = welder.into_vertices();
    let model = faces.into_model(Format::Stl, lines.place(), split)?;
    if is_open {
        let expected = "`facet`, or `endsolid` if this is the whole solid: the file may be cut short";
        return Err(ReadError::syntax(lines.place(), b"", expected));
    }
    Ok(model)
}

fn expected(state: State) -> &'static str {
    match state {
        State::Solid => "facet, solid or endsolid",
        State::Facet => "outer loop or endfacet",
        State::Loop => "vertex or endloop",
    }
}
