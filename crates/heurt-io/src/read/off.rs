//! OFF of Geomview: counts, vertices and polygons as text.
//!
//! In: bytes. Out: one part. The header may be `OFF` with any of the prefixes ST, C, N (texture, colour, normal:
//! skipped), or be missing; the counts stand on its line or the next. One vertex and one face per line; `#` starts a
//! comment.
//! Guarantees: declared counts only bound loops that consume lines; coordinates are rounded once to `f64`.
//! Cost: O(bytes).

use super::{faces::Faces, text};
use crate::{Format, Model, Place, ReadError};
use text::Lines;

/// Reads the file.
pub(crate) fn read(bytes: &[u8]) -> Result<Model, ReadError> {
    let mut lines = Lines::new(bytes);
    let [vertex_count, face_count] = counts(&mut lines)?;
    let mut faces = Faces::default();
    for present in 0..vertex_count {
        let line = next_line(&mut lines, "vertices", vertex_count, present)?;
        faces.vertices.push(text::point(&mut text::words(line), &lines.place())?);
    }
    for present in 0..face_count {
        let line = next_line(&mut lines, "faces", face_count, present)?;
        read_face(line, &lines.place(), &mut faces)?;
    }
    if let Some(line) = lines.next_filled() {
        let expected = "the end of the file: correct the counts in the header";
        return Err(ReadError::syntax(lines.place(), line, expected));
    }
    faces.into_model(Format::Off, lines.place(), false)
}

fn next_line<'a>(
    lines: &mut Lines<'a>,
    what: &'static str,
    promised: u64,
    present: u64,
) -> Result<&'a [u8], ReadError> {
    lines.next_filled().ok_or_else(|| ReadError::Truncated { place: lines.place(), what, promised, present })
}

/// Reads the header keyword, if any, and the numbers of vertices and faces.
fn counts(lines: &mut Lines<'_>) -> Result<[u64; 2], ReadError> {
    let first = lines.next_filled().unwrap_or_default();
    let keyword = text::words(first).next().unwrap_or_default();
    let rest = match keyword.strip_suffix(b"OFF") {
        Some(prefix) => {
            check_prefix(prefix, keyword, lines.place())?;
            first[keyword.len()..].trim_ascii()
        }
        None => first,
    };
    if text::words(rest).next().is_some_and(|word| word.eq_ignore_ascii_case(b"BINARY")) {
        let what = "binary OFF".to_owned();
        return Err(ReadError::Unsupported { place: lines.place(), what, remedy: "export it as text, or as PLY" });
    }
    let line = if rest.is_empty() { lines.next_filled().unwrap_or_default() } else { rest };
    let mut words = text::words(line);
    let mut count = || {
        let word = words.next().unwrap_or_default();
        text::integer(word).and_then(|count| u64::try_from(count).ok()).ok_or_else(|| {
            ReadError::syntax(lines.place(), word, "the numbers of vertices, faces and edges, after `OFF`")
        })
    };
    Ok([count()?, count()?])
}

/// Accepts texture, colour and normal in this order; a fourth dimension changes what the first three numbers mean.
fn check_prefix(prefix: &[u8], keyword: &[u8], place: Place) -> Result<(), ReadError> {
    let rest = prefix.strip_prefix(b"ST").unwrap_or(prefix);
    let rest = rest.strip_prefix(b"C").unwrap_or(rest);
    let rest = rest.strip_prefix(b"N").unwrap_or(rest);
    if rest.is_empty() {
        return Ok(());
    }
    let what = format!("the header {}", crate::error::quoted(keyword));
    Err(ReadError::Unsupported { place, what, remedy: "give OFF, COFF, NOFF, CNOFF or one of them after ST" })
}

fn read_face(line: &[u8], place: &Place, faces: &mut Faces) -> Result<(), ReadError> {
    let mut words = text::words(line);
    let word = words.next().unwrap_or_default();
    let Some(corners) = text::integer(word).and_then(|corners| u64::try_from(corners).ok()) else {
        return Err(ReadError::syntax(place.clone(), word, "the number of corners of a face"));
    };
    let count = faces.vertices.len();
    for _ in 0..corners {
        let word = words.next().unwrap_or_default();
        let Some(index) = text::integer(word) else {
            return Err(ReadError::syntax(place.clone(), word, format!("a vertex index, one of {corners}")));
        };
        if !(0..count as i64).contains(&index) || index >= i64::from(u32::MAX) {
            return Err(ReadError::BadIndex { place: place.clone(), index, first: 0, count });
        }
        faces.push_corner(index as u32);
    }
    faces.end_face(|| place.clone())
}
