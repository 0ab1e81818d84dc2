//! Lines, words and numbers of a text file, with their place.
//!
//! In: bytes, of any encoding that holds ASCII. Out: words as bytes, numbers rounded once to the nearest `f64`.
//! Guarantees: nothing is copied; a file that is not text gives invalid words, which the formats reject by their place.
//! A line ends with LF, CR LF, or CR alone.

use super::warnings::{BYTE_ORDER_MARKS, NULS, Warnings};
use crate::{Place, ReadError, error::quoted};
use heurt_geometry::Vec3;
use std::borrow::Cow;

/// The UTF-8 byte order mark.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a file, numbered from 1.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    number: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes), number: 0 }
    }

    /// Returns the number of the last returned line: the last line of the file at the end.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Counts the lines from another number on.
    pub(crate) fn skip_to(&mut self, number: u64) {
        self.number = number;
    }

    /// Returns the bytes after the last returned line.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Skips `bytes` bytes of the rest, which has at least as many.
    pub(crate) fn pass(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// Returns the next line that holds more than blanks, comments that start with `#` cut off.
    pub(crate) fn next_filled(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.next()?;
            let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
            let line = line[..end].trim_ascii();
            if !line.is_empty() {
                return Some(line);
            }
        }
    }

    /// Returns the place of the last returned line.
    pub(crate) fn place(&self) -> Place {
        Place::Line(self.number)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = self.rest.iter().position(|&byte| byte == b'\n' || byte == b'\r');
        let Some(end) = end else { return Some(std::mem::take(&mut self.rest)) };
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.strip_prefix(b"\r\n").unwrap_or(&rest[1..]);
        Some(line)
    }
}

/// Prepares the bytes of a text file: rejects UTF-16, and turns stray NUL bytes into blanks unless the reader is
/// strict.
///
/// A NUL is stray if its run of NULs has a blank, a line end or an end of the file on one side at least. NULs inside a
/// word stay, and the word is then rejected by its place: joining or splitting it would change the meaning.
pub(crate) fn prepare<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Result<Cow<'a, [u8]>, ReadError> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let what = "UTF-16 text".to_owned();
        return Err(ReadError::Unsupported { place: Place::Line(1), what, remedy: "save the file as ASCII or UTF-8" });
    }
    warnings.add(BYTE_ORDER_MARKS, u64::from(bytes.starts_with(BYTE_ORDER_MARK)), || Place::Line(1), b"");
    Ok(prepare_from(bytes, 0, warnings))
}

/// Turns stray NUL bytes into blanks unless the reader is strict; `lines` lines come before the bytes.
pub(crate) fn prepare_from<'a>(bytes: &'a [u8], lines: u64, warnings: &mut Warnings) -> Cow<'a, [u8]> {
    // `contains` compares words, `position` bytes: a file without NUL bytes costs almost nothing.
    if warnings.is_strict() || !bytes.contains(&0) {
        return Cow::Borrowed(bytes);
    }
    let mut cleaned = bytes.to_vec();
    let mut at = 0;
    let (mut count, mut first_stray) = (0, None);
    while let Some(start) = cleaned[at..].iter().position(|&byte| byte == 0).map(|offset| at + offset) {
        let length = cleaned[start..].iter().take_while(|&&byte| byte == 0).count();
        let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
        if is_blank(start.checked_sub(1).map(|before| &bytes[before])) || is_blank(bytes.get(start + length)) {
            cleaned[start..start + length].fill(b' ');
            count += length as u64;
            first_stray = first_stray.or(Some(start));
        }
        at = start + length;
    }
    let place = || {
        let mut before = Lines::new(&bytes[..=first_stray.unwrap_or(0)]);
        before.skip_to(lines);
        before.by_ref().for_each(drop);
        before.place()
    };
    warnings.add(NULS, count, place, b"");
    Cow::Owned(cleaned)
}

/// Splits a line into words at blanks.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Parses a number, NaN and infinities included; returns `None` if the word is not a number.
pub(crate) fn number(word: &[u8]) -> Option<f64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Parses an integer; returns `None` if the word is not an integer, or beyond `i64`.
pub(crate) fn integer(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Reads a finite number.
pub(crate) fn finite(word: Option<&[u8]>, place: &Place) -> Result<f64, ReadError> {
    let word = word.unwrap_or_default();
    match number(word) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(ReadError::NotFinite { place: place.clone(), value: quoted(word) }),
        None => Err(ReadError::syntax(place.clone(), word, "a coordinate")),
    }
}

/// Reads the three coordinates of a point.
pub(crate) fn point<'a>(words: &mut impl Iterator<Item = &'a [u8]>, place: &Place) -> Result<Vec3, ReadError> {
    let x = finite(words.next(), place)?;
    let y = finite(words.next(), place)?;
    let z = finite(words.next(), place)?;
    Ok(Vec3::new(x, y, z))
}
