//! The values of a PLY file one by one, the same way for text and for both byte orders.

use super::header::Scalar;
use crate::read::text::{self, Lines};
use crate::{Place, ReadError};

/// Why there is no next value.
pub(super) enum Fault {
    /// The file ends.
    End,
    /// Something else stands there.
    Wrong(ReadError),
}

/// A stream of values, grouped into items.
pub(super) trait Values {
    /// Goes to the next item.
    fn begin(&mut self) -> Result<(), Fault>;
    /// Checks that the item is used up.
    fn end(&mut self) -> Result<(), Fault>;
    /// Gives the next value; every type fits an `f64` without rounding.
    fn scalar(&mut self, scalar: Scalar) -> Result<f64, Fault>;
    /// Passes over `count` values.
    fn skip(&mut self, scalar: Scalar, count: u64) -> Result<(), Fault>;
    /// Where the value given last stands.
    fn place(&self) -> Place;
    /// Where the value to come stands.
    fn next_place(&self) -> Place;
    /// Where the file ends.
    fn end_of_file(&self) -> Place;
}

/// Values as words; an item is a line.
pub(super) struct TextValues<'a> {
    lines: Lines<'a>,
    rest: &'a [u8],
}

impl<'a> TextValues<'a> {
    pub(super) fn new(lines: Lines<'a>) -> Self {
        Self { lines, rest: b"" }
    }

    fn word(&mut self) -> Result<&'a [u8], Fault> {
        let rest = self.rest.trim_ascii_start();
        if rest.is_empty() {
            let expected = "as many values as the header declares";
            return Err(Fault::Wrong(ReadError::syntax(self.lines.place(), b"", expected)));
        }
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }
}

impl Values for TextValues<'_> {
    fn begin(&mut self) -> Result<(), Fault> {
        loop {
            self.rest = self.lines.next().ok_or(Fault::End)?;
            if !self.rest.trim_ascii_start().is_empty() {
                return Ok(());
            }
        }
    }

    fn end(&mut self) -> Result<(), Fault> {
        if self.rest.trim_ascii_start().is_empty() {
            return Ok(());
        }
        let expected = "the end of the line: the header declares fewer values";
        Err(Fault::Wrong(ReadError::syntax(self.lines.place(), self.rest, expected)))
    }

    fn scalar(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        let word = self.word()?;
        let (value, expected) = if scalar.is_integer() {
            (text::integer(word).map(|value| value as f64), "an integer")
        } else {
            (text::number(word), "a number")
        };
        value.ok_or_else(|| Fault::Wrong(ReadError::syntax(self.lines.place(), word, expected)))
    }

    fn skip(&mut self, _: Scalar, count: u64) -> Result<(), Fault> {
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

    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut value = *self.bytes[self.at..].first_chunk::<N>().ok_or(Fault::End)?;
        self.last = self.at;
        self.at += N;
        if BIG {
            value.reverse();
        }
        Ok(value)
    }
}

impl<const BIG: bool> Values for BinaryValues<'_, BIG> {
    #[inline]
    fn begin(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn end(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    #[inline]
    fn scalar(&mut self, scalar: Scalar) -> Result<f64, Fault> {
        Ok(match scalar {
            Scalar::I8 => i8::from_le_bytes(self.take()?).into(),
            Scalar::U8 => u8::from_le_bytes(self.take()?).into(),
            Scalar::I16 => i16::from_le_bytes(self.take()?).into(),
            Scalar::U16 => u16::from_le_bytes(self.take()?).into(),
            Scalar::I32 => i32::from_le_bytes(self.take()?).into(),
            Scalar::U32 => u32::from_le_bytes(self.take()?).into(),
            Scalar::F32 => f32::from_le_bytes(self.take()?).into(),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    fn skip(&mut self, scalar: Scalar, count: u64) -> Result<(), Fault> {
        let size = count.saturating_mul(scalar.size() as u64);
        if size > (self.bytes.len() - self.at) as u64 {
            return Err(Fault::End);
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
