//! OFF of Geomview: counts, vertices and polygons as text.
//!
//! In: bytes. Out: one part. The header may be `OFF` with any of the prefixes ST, C, N (texture, colour, normal:
//! skipped), or be missing; the counts follow on its line or the next. One vertex and one face per line; `#` starts a
//! comment; colours may follow a vertex or a face.
//! Guarantees: declared counts only bound loops that consume lines; coordinates are rounded once to `f64`.
//! A lenient reader also takes counts that are joined to the header (`OFF8 12 0`) or are on lines of their own, ignores
//! faces of fewer than three corners, and lines after the last face, with a warning. Fewer lines than counted are
//! always an error, and so are more faces than counted. Cost: O(bytes).

use super::warnings::{TRAILING_LINES, Warnings};
use super::{ReadOptions, faces::Faces, text};
use crate::{Format, Model, Place, ReadError};
use text::Lines;

/// Counts directly after the keyword of the header.
const JOINED_COUNTS: &str = "missing blanks between `OFF` and the counts";

/// Reads the file.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions<'_>) -> Result<Model, ReadError> {
    let mut warnings = Warnings::new(options.strict);
    let bytes = &*text::prepare(bytes, &mut warnings)?;
    let mut lines = Lines::new(bytes);
    let [vertex_count, face_count] = counts(&mut lines, &mut warnings)?;
    let mut faces = Faces::new(warnings);
    for present in 0..vertex_count {
        let line = next_line(&mut lines, "vertices", vertex_count, present)?;
        faces.vertices.push(text::point(&mut text::words(line), &lines.place())?);
    }
    for present in 0..face_count {
        let line = next_line(&mut lines, "faces", face_count, present)?;
        read_face(line, &lines.place(), &mut faces)?;
    }
    while let Some(line) = lines.next_filled() {
        let expected = "the end of the file: correct the counts in the header";
        let error = |place| ReadError::syntax(place, line, expected);
        // Whether a face that is not counted belongs to the surface is unknown.
        if face_count == 0 || is_face(line, vertex_count) {
            return Err(error(lines.place()));
        }
        faces.warnings.ignore(TRAILING_LINES, || lines.place(), line, error)?;
    }
    faces.into_model(Format::Off, lines.place(), false)
}

/// Reports whether the first word after remarks is the keyword of a header, with counts joined to it or not.
pub(crate) fn starts_with_keyword(bytes: &[u8]) -> bool {
    let first = Lines::new(bytes).next_filled().and_then(|line| text::words(line).next());
    first.is_some_and(|word| split_keyword(word).is_some())
}

/// Splits a word such as `COFF8` into the prefix `C` and the digits `8`.
fn split_keyword(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (keyword, digits) = word.split_at(word.len() - digits);
    keyword.strip_suffix(b"OFF").map(|prefix| (prefix, digits))
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
fn counts(lines: &mut Lines<'_>, warnings: &mut Warnings) -> Result<[u64; 2], ReadError> {
    let first = lines.next_filled().unwrap_or_default();
    let keyword = text::words(first).next().unwrap_or_default();
    let rest = match split_keyword(keyword) {
        Some((prefix, digits)) => {
            let keyword = &keyword[..keyword.len() - digits.len()];
            check_prefix(prefix, keyword, lines.place())?;
            if !digits.is_empty() {
                let expected = "the numbers of vertices, faces and edges, after `OFF`";
                let error = |place| ReadError::syntax(place, first, expected);
                warnings.ignore(JOINED_COUNTS, || lines.place(), first, error)?;
            }
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
    let vertices = count(words.next().unwrap_or_default(), lines)?;
    let faces = match words.next() {
        Some(word) => count(word, lines)?,
        None if warnings.is_strict() => count(b"", lines)?,
        None => count_on_next_line(lines)?,
    };
    Ok([vertices, faces])
}

fn count(word: &[u8], lines: &Lines<'_>) -> Result<u64, ReadError> {
    text::integer(word)
        .and_then(|count| u64::try_from(count).ok())
        .ok_or_else(|| ReadError::syntax(lines.place(), word, "the numbers of vertices, faces and edges, after `OFF`"))
}

/// Reads the number of faces from a line of its own, and skips the number of edges if it is on the next line.
///
/// A vertex has three numbers, so that a line of one number is a count.
fn count_on_next_line(lines: &mut Lines<'_>) -> Result<u64, ReadError> {
    let mut ahead = lines.clone();
    let faces = match lone_word(&mut ahead) {
        Some(word) => count(word, &ahead)?,
        None => return count(b"", lines),
    };
    *lines = ahead.clone();
    if lone_word(&mut ahead).is_some_and(|word| text::integer(word).is_some()) {
        *lines = ahead;
    }
    Ok(faces)
}

/// Returns the only word of the next line that is not blank; `None` if it has more.
fn lone_word<'a>(lines: &mut Lines<'a>) -> Option<&'a [u8]> {
    let mut words = text::words(lines.next_filled()?);
    words.next().filter(|_| words.next().is_none())
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

/// Reports whether a line is a face of at least three corners.
fn is_face(line: &[u8], vertex_count: u64) -> bool {
    let mut numbers = text::words(line).map(|word| text::integer(word).and_then(|number| u64::try_from(number).ok()));
    match numbers.next().flatten() {
        Some(corners @ 3..) => {
            let mut indices = numbers.take(corners as usize);
            let present = indices.by_ref().take_while(|index| index.is_some_and(|index| index < vertex_count)).count();
            present as u64 == corners
        }
        _ => false,
    }
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
    faces.end_face(|| place.clone(), line)
}
