//! STL: triangles one by one, as text or as binary records.
//!
//! In: bytes. Out: one part (or one per `solid` of a text file), corners at equal coordinates welded, triangles in file
//! order. Normals and attributes are skipped: the order of the corners decides which side is outside. A file is binary
//! if its length fits the count at byte 80, even when it starts with `solid`; otherwise it is text if it starts like
//! text.
//! Guarantees: the declared count is compared with the bytes before anything is stored. Text is rounded once to `f64`.
//! Cost: O(triangles) expected.

mod text;

use super::ReadOptions;
use super::text::{BYTE_ORDER_MARK, Lines, words};
use super::warnings::{TRAILING_BYTES, Warnings};
use super::weld::Welder;
use crate::{Format, Model, Place, ReadError, error::quoted};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;

/// Bytes of title and count.
const HEADER: usize = 84;
/// Bytes of normal, three corners and attribute.
const RECORD: usize = 50;

/// Reads the file.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions<'_>) -> Result<Model, ReadError> {
    let warnings = Warnings::new(options.strict);
    if !is_sized_binary(bytes) && is_text(bytes) {
        text::read(bytes, warnings, options.split_objects)
    } else {
        read_binary(bytes, warnings)
    }
}

/// Reports whether the length fits the count that a binary file declares.
pub(crate) fn is_sized_binary(bytes: &[u8]) -> bool {
    declared(bytes).is_some_and(|count| bytes.len() as u64 == HEADER as u64 + RECORD as u64 * u64::from(count))
}

fn declared(bytes: &[u8]) -> Option<u32> {
    bytes.get(80..HEADER)?.first_chunk().map(|count| u32::from_le_bytes(*count))
}

/// Reports whether a file whose length fits no binary one is text.
///
/// It is if its first word is of the format and so is the next line, if a line near its beginning starts a facet, or if
/// its beginning has no control characters: the count of a binary file has one unless it is beyond 17 million.
fn is_text(bytes: &[u8]) -> bool {
    // UTF-16 is text, which is refused as such.
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return true;
    }
    let is_word = |word: &[u8], wanted: &str| word.eq_ignore_ascii_case(wanted.as_bytes());
    let mut first_words = Lines::new(bytes).filter_map(|line| words(line).next());
    let starts_as_stl = first_words.next().is_some_and(|word| is_word(word, "solid") || is_word(word, "facet"))
        && first_words.next().is_none_or(|word| {
            word.is_ascii() && ["facet", "endsolid", "solid", "outer"].iter().any(|wanted| is_word(word, wanted))
                || bytes.len() < HEADER
                || !bytes[..HEADER].contains(&0)
        });
    starts_as_stl || is_printable(bytes) || has_facet(bytes)
}

/// Reports whether a line near the beginning is `facet normal`.
pub(crate) fn has_facet(bytes: &[u8]) -> bool {
    /// Bytes that are examined: room for remarks and markup in front.
    const EXAMINED: usize = 4096;
    Lines::new(&bytes[..bytes.len().min(EXAMINED)]).any(|line| {
        let mut words = words(line);
        let mut is_next = |wanted: &[u8]| words.next().is_some_and(|word| word.eq_ignore_ascii_case(wanted));
        is_next(b"facet") && is_next(b"normal")
    })
}

/// Reports whether the first bytes are printable, after NUL bytes, blanks and a byte order mark.
fn is_printable(bytes: &[u8]) -> bool {
    /// Bytes that are examined: the header and the first record of a binary file.
    const EXAMINED: usize = HEADER + RECORD;
    let is_blank = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let start = &bytes[bytes.iter().take_while(|byte| is_blank(byte)).count()..];
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    // NUL bytes and the end-of-file character of DOS may follow.
    let end = start.iter().rposition(|&byte| byte != 0 && byte != 0x1a).map_or(0, |last| last + 1);
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    end > 0 && !start[..end.min(EXAMINED)].iter().any(is_control)
}

fn read_binary(bytes: &[u8], mut warnings: Warnings) -> Result<Model, ReadError> {
    let Some(promised) = declared(bytes) else {
        let place = Place::Offset(bytes.len() as u64);
        let expected = "`solid`, or a binary STL header of 84 bytes";
        return Err(ReadError::syntax(place, bytes, expected));
    };
    let (mut records, mut rest) = bytes[HEADER..].as_chunks::<RECORD>();
    let present = records.len() as u64;
    if present < u64::from(promised) {
        let place = Place::Offset(bytes.len() as u64);
        return Err(ReadError::Truncated { place, what: "triangles", promised: promised.into(), present });
    }
    if present > u64::from(promised) {
        let end = HEADER + RECORD * promised as usize;
        // Padding with zeros up to the size of a block is no surface: a triangle of zeros is a point.
        let is_padding = promised > 0 && bytes[end..].iter().all(|&byte| byte == 0);
        if warnings.is_strict() || !is_padding {
            return Err(ReadError::Undercounted { place: Place::Offset(80), promised: promised.into(), present });
        }
        (records, rest) = (&records[..promised as usize], &bytes[end..]);
    }
    if records.is_empty() {
        return Err(ReadError::NoFaces { place: Place::Offset(bytes.len() as u64), format: Format::Stl });
    }
    let end = Place::Offset((bytes.len() - rest.len()) as u64);
    warnings.add(TRAILING_BYTES, rest.len() as u64, || end, rest);
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
    Ok(Model { warnings: warnings.into_list(), ..Model::from_mesh("", mesh) })
}

#[cold]
fn not_finite(triangle: usize, corners: &[Vec3; 3]) -> ReadError {
    let coordinates = corners.iter().flat_map(Vec3::to_array).enumerate();
    let (at, value) = coordinates.into_iter().find(|(_, value)| !value.is_finite()).unwrap_or((0, f64::NAN));
    let offset = HEADER + triangle * RECORD + 12 + 4 * at;
    ReadError::NotFinite { place: Place::Offset(offset as u64), value: quoted(value.to_string().as_bytes()) }
}
