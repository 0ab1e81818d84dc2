//! Values of a PLY file one by one, with the same interface for text and for both byte orders.

use super::header::PlyScalar;
use crate::read::text::{self, Lines};
use crate::{Place, ReadError};

/// Reason why there is no next value.
pub(super) enum ValueFault {
    /// The end of the file.
    End,
    /// An invalid value.
    Wrong(ReadError),
}

/// The items of an element.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ElementLayout {
    /// Their number.
    pub(super) items: u64,
    /// The least number of values of an item.
    pub(super) values: usize,
    /// Whether values behind the last one of a line change nothing that is read.
    pub(super) may_have_excess: bool,
}

/// Values at the ends of lines that the header does not declare.
#[derive(Debug)]
pub(super) struct Excess {
    pub(super) lines: u64,
    /// The first line, and the values there.
    pub(super) place: Place,
    pub(super) found: Vec<u8>,
}

/// A stream of values, grouped into items.
pub(super) trait Values {
    /// Begins an element: a run of items.
    fn begin_element(&mut self, layout: ElementLayout);
    /// Moves to the next item.
    fn begin(&mut self) -> Result<(), ValueFault>;
    /// Checks that the item is used up.
    fn end(&mut self) -> Result<(), ValueFault>;
    /// Reads the next value; every type fits an `f64` without rounding.
    fn scalar(&mut self, scalar: PlyScalar) -> Result<f64, ValueFault>;
    /// Skips `count` values.
    fn skip(&mut self, scalar: PlyScalar, count: u64) -> Result<(), ValueFault>;
    /// Returns the place of the last value.
    fn place(&self) -> Place;
    /// Returns the place of the next value.
    fn next_place(&self) -> Place;
    /// Returns the end of the file.
    fn end_of_file(&self) -> Place;
}

/// Values as words.
///
/// A strict reader requires an item on each line. A lenient reader also accepts an item on several lines, if it begins
/// and ends with a line, and all items of an element on one line. Both rules prevent a missing or superfluous value on
/// a line from shifting the values of the next lines. If what follows the values that are read cannot matter, and
/// the line is too short for all items, a lenient reader ignores the rest of each line with a warning: MeshLab writes
/// a list of nine numbers for the colours of a face and declares four.
pub(super) struct TextValues<'a> {
    lines: Lines<'a>,
    rest: &'a [u8],
    is_strict: bool,
    /// Whether no item of the element has begun.
    is_first: bool,
    /// The line on which the item lacks values, if it continues on the next line.
    continued: Option<u64>,
    /// The error of a line that several items share, for the case that not all of them are on it.
    shared: Option<ReadError>,
    layout: ElementLayout,
    /// Whether the lines of the element have values that the header does not declare.
    has_excess: bool,
    excess: Option<Excess>,
}

impl<'a> TextValues<'a> {
    pub(super) fn new(lines: Lines<'a>, is_strict: bool) -> Self {
        let (continued, shared, excess) = (None, None, None);
        let layout = ElementLayout::default();
        Self { lines, rest: b"", is_strict, is_first: true, continued, shared, layout, has_excess: false, excess }
    }

    /// Returns the values that were ignored.
    pub(super) fn take_excess(&mut self) -> Option<Excess> {
        self.excess.take()
    }

    /// Reports whether the rest of the line of the first item is too short for all other items.
    fn lacks_items(&self) -> bool {
        let least = (self.layout.items.saturating_sub(1)).saturating_mul(self.layout.values as u64);
        (text::words(self.rest).take(usize::try_from(least).unwrap_or(usize::MAX)).count() as u64) < least
    }

    /// Ignores the rest of the line.
    fn ignore_rest(&mut self) {
        match &mut self.excess {
            Some(excess) => excess.lines += 1,
            None => {
                let found = self.rest.trim_ascii().to_vec();
                self.excess = Some(Excess { lines: 1, place: self.lines.place(), found });
            }
        }
        self.rest = b"";
    }

    /// Checks that the last line is used up, and returns the lines after it.
    pub(super) fn finish(self) -> Result<Lines<'a>, ReadError> {
        match self.shared {
            Some(error) if !is_blank(self.rest) => Err(error),
            _ => Ok(self.lines),
        }
    }

    #[inline]
    fn word(&mut self) -> Result<&'a [u8], ValueFault> {
        let mut rest = self.rest.trim_ascii_start();
        if rest.is_empty() {
            rest = self.next_line()?;
        }
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    /// Continues the item on the next line that is not blank.
    #[cold]
    fn next_line(&mut self) -> Result<&'a [u8], ValueFault> {
        if let Some(error) = self.shared.take() {
            return Err(ValueFault::Wrong(error));
        }
        let line = *self.continued.get_or_insert(self.lines.number());
        let next = self.lines.find(|line| !is_blank(line)).filter(|_| !self.is_strict);
        next.map(<[u8]>::trim_ascii_start).ok_or_else(|| ValueFault::Wrong(too_few(line)))
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii_start().is_empty()
}

fn too_few(line: u64) -> ReadError {
    ReadError::syntax(Place::Line(line), b"", "as many values as the header declares")
}

impl Values for TextValues<'_> {
    fn begin_element(&mut self, layout: ElementLayout) {
        (self.is_first, self.layout, self.has_excess) = (true, layout, false);
        if is_blank(self.rest) {
            self.shared = None;
        }
    }

    fn begin(&mut self) -> Result<(), ValueFault> {
        if !is_blank(self.rest) {
            return Ok(());
        }
        if let Some(error) = self.shared.take() {
            return Err(ValueFault::Wrong(error));
        }
        loop {
            self.rest = self.lines.next().ok_or(ValueFault::End)?;
            if !is_blank(self.rest) {
                return Ok(());
            }
        }
    }

    fn end(&mut self) -> Result<(), ValueFault> {
        let is_first = std::mem::take(&mut self.is_first);
        if is_blank(self.rest) {
            self.continued = None;
            return Ok(());
        }
        if let Some(line) = self.continued {
            return Err(ValueFault::Wrong(too_few(line)));
        }
        if self.shared.is_some() {
            return Ok(());
        }
        if is_first && self.layout.may_have_excess && !self.is_strict && self.lacks_items() {
            self.has_excess = true;
        }
        if self.has_excess {
            self.ignore_rest();
            return Ok(());
        }
        let expected = "the end of the line: the header declares fewer values";
        let error = ReadError::syntax(self.lines.place(), self.rest, expected);
        if is_first && !self.is_strict {
            self.shared = Some(error);
            return Ok(());
        }
        Err(ValueFault::Wrong(error))
    }

    fn scalar(&mut self, scalar: PlyScalar) -> Result<f64, ValueFault> {
        let word = self.word()?;
        let (value, expected) = if scalar.is_integer() {
            (text::integer(word).map(|value| value as f64), "an integer")
        } else {
            (text::number(word), "a number")
        };
        value.ok_or_else(|| ValueFault::Wrong(ReadError::syntax(self.lines.place(), word, expected)))
    }

    fn skip(&mut self, _: PlyScalar, count: u64) -> Result<(), ValueFault> {
        (0..count).try_for_each(|_| self.word().map(drop))
    }

    fn place(&self) -> Place {
        self.lines.place()
    }

    fn next_place(&self) -> Place {
        self.lines.place()
    }

    fn end_of_file(&self) -> Place {
        self.lines.place()
    }
}

/// Values as bytes; items follow each other without a gap.
pub(super) struct BinaryValues<'a, const BIG: bool> {
    bytes: &'a [u8],
    at: usize,
    last: usize,
}

impl<'a, const BIG: bool> BinaryValues<'a, BIG> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, last: at }
    }

    /// Returns the bytes that are not read yet.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ValueFault> {
        let mut value = *self.bytes[self.at..].first_chunk::<N>().ok_or(ValueFault::End)?;
        self.last = self.at;
        self.at += N;
        if BIG {
            value.reverse();
        }
        Ok(value)
    }
}

impl<const BIG: bool> Values for BinaryValues<'_, BIG> {
    fn begin_element(&mut self, _: ElementLayout) {}

    #[inline]
    fn begin(&mut self) -> Result<(), ValueFault> {
        Ok(())
    }

    #[inline]
    fn end(&mut self) -> Result<(), ValueFault> {
        Ok(())
    }

    #[inline]
    fn scalar(&mut self, scalar: PlyScalar) -> Result<f64, ValueFault> {
        Ok(match scalar {
            PlyScalar::I8 => i8::from_le_bytes(self.take()?).into(),
            PlyScalar::U8 => u8::from_le_bytes(self.take()?).into(),
            PlyScalar::I16 => i16::from_le_bytes(self.take()?).into(),
            PlyScalar::U16 => u16::from_le_bytes(self.take()?).into(),
            PlyScalar::I32 => i32::from_le_bytes(self.take()?).into(),
            PlyScalar::U32 => u32::from_le_bytes(self.take()?).into(),
            PlyScalar::F32 => f32::from_le_bytes(self.take()?).into(),
            PlyScalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    fn skip(&mut self, scalar: PlyScalar, count: u64) -> Result<(), ValueFault> {
        let size = count.saturating_mul(scalar.size() as u64);
        if size > (self.bytes.len() - self.at) as u64 {
            return Err(ValueFault::End);
        }
        self.at += size as usize;
        Ok(())
    }

    fn place(&self) -> Place {
        Place::Offset(self.last as u64)
    }

    fn next_place(&self) -> Place {
        Place::Offset(self.at as u64)
    }

    fn end_of_file(&self) -> Place {
        Place::Offset(self.bytes.len() as u64)
    }
}
