//! Array data of a VTK XML file: base64 or raw, uncompressed or compressed in blocks.
//!
//! In: the encoded bytes. Out: the bytes of the numbers. Layout: a header word with the number of bytes, then these. If
//! the file names a compressor: the number of blocks, the bytes of an unpacked block, the bytes of a last smaller one
//! (0: there is none), the bytes of each packed block, then the packed blocks.
//! Guarantees: sizes are checked before anything is allocated; a file unpacks to 64 times its size at most, and a
//! mebibyte. Cost: O(bytes).

use super::super::binary::BinaryScalar;
use super::attribute;
use crate::read::BASE64;
use crate::{Place, ReadError};
use base64::Engine;
use std::borrow::Cow;

/// Maximum number of unpacked bytes for each byte of a file. Deflate allows 1000; regular grids reach 10.
const RATIO: usize = 64;
/// Number of bytes that a file of any size may be unpacked to.
const ALLOWANCE: usize = 1 << 20;

/// Returns the number of bytes that all arrays of a file together may be unpacked to.
pub(super) fn budget(file: usize) -> usize {
    file.saturating_mul(RATIO).saturating_add(ALLOWANCE)
}

/// Encoding of the arrays of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct DataLayout {
    pub is_big: bool,
    /// The type of header words.
    header: BinaryScalar,
    is_compressed: bool,
}

impl Default for DataLayout {
    fn default() -> Self {
        Self { is_big: false, header: BinaryScalar::U32, is_compressed: false }
    }
}

impl DataLayout {
    /// Reads the tag of the file.
    pub fn of_tag(tag: &[u8], place: impl Fn() -> Place) -> Result<Self, ReadError> {
        let is_big = match attribute(tag, b"byte_order") {
            None | Some(b"LittleEndian") => false,
            Some(b"BigEndian") => true,
            Some(other) => return Err(ReadError::syntax(place(), other, "LittleEndian or BigEndian")),
        };
        let header = match attribute(tag, b"header_type") {
            None | Some(b"UInt32") => BinaryScalar::U32,
            Some(b"UInt64") => BinaryScalar::U64,
            Some(other) => return Err(ReadError::syntax(place(), other, "the header type UInt32 or UInt64")),
        };
        match attribute(tag, b"compressor") {
            None | Some(b"") => Ok(Self { is_big, header, is_compressed: false }),
            Some(b"vtkZLibDataCompressor") => Ok(Self { is_big, header, is_compressed: true }),
            Some(other) => {
                let what = format!("data of the compressor {}", crate::error::quoted(other));
                let remedy = "save it with zlib or without compression (in ParaView: Compressor Type)";
                Err(ReadError::Unsupported { place: place(), what, remedy })
            }
        }
    }

    /// Decodes the array at the start of `stream`; its size is taken from `budget`.
    pub fn unpack<'a>(
        &self,
        mut stream: Stream<'a>,
        budget: &mut usize,
        place: impl Fn() -> Place,
    ) -> Result<Cow<'a, [u8]>, ReadError> {
        let first = self.word(&mut stream, &place)?;
        if !self.is_compressed {
            return stream.take(first, "bytes of an array", &place);
        }
        if first == 0 {
            return Ok(Cow::Borrowed(b""));
        }
        let [block, last] = [self.word(&mut stream, &place)?, self.word(&mut stream, &place)?];
        if block == 0 || last > block {
            let found = format!("blocks of {block} bytes, the last one of {last}");
            return Err(ReadError::Syntax { place: place(), found, expected: "a last one that is smaller".to_owned() });
        }
        let size = self.header.size();
        let words = stream.take(first.saturating_mul(size as u64), "bytes of block sizes", &place)?;
        let packed = |word: &[u8]| self.header.whole(word, self.is_big) as u64;
        let total =
            (first - 1).checked_mul(block).and_then(|total| total.checked_add(if last == 0 { block } else { last }));
        let total = total.and_then(|total| usize::try_from(total).ok()).filter(|&total| total <= *budget);
        let Some(total) = total else {
            let what = format!("an array of {first} blocks of {block} bytes, far more than the file has,");
            return Err(ReadError::Unsupported { place: place(), what, remedy: "save it without compression" });
        };
        *budget -= total;
        let mut bytes = vec![0; total];
        // One block for each word: the last one takes the rest.
        let blocks = bytes.chunks_mut(usize::try_from(block).unwrap_or(usize::MAX));
        for (word, block) in words.chunks_exact(size).zip(blocks) {
            let packed = stream.take(packed(word), "bytes of a block", &place)?;
            inflate(&packed, block, &place)?;
        }
        Ok(Cow::Owned(bytes))
    }

    fn word(&self, stream: &mut Stream<'_>, place: &impl Fn() -> Place) -> Result<u64, ReadError> {
        let word = stream.take(self.header.size() as u64, "bytes of a header", place)?;
        Ok(self.header.whole(&word, self.is_big) as u64)
    }
}

/// Unpacks a block that fills `bytes`.
fn inflate(packed: &[u8], bytes: &mut [u8], place: &impl Fn() -> Place) -> Result<(), ReadError> {
    let (wanted, packed) = (bytes.len(), std::iter::once(packed));
    let found = match miniz_oxide::inflate::decompress_slice_iter_to_slice(bytes, packed, true, false) {
        Ok(length) if length == wanted => return Ok(()),
        Ok(length) => format!("a block of {length} bytes"),
        Err(status) => format!("a broken block ({status:?})"),
    };
    Err(ReadError::Syntax { place: place(), found, expected: format!("{wanted} bytes packed by zlib") })
}

/// Remaining bytes.
pub(super) enum Stream<'a> {
    Raw(&'a [u8]),
    Base64(Base64<'a>),
}

impl<'a> Stream<'a> {
    /// Returns the next `promised` bytes.
    fn take(
        &mut self,
        promised: u64,
        what: &'static str,
        place: &impl Fn() -> Place,
    ) -> Result<Cow<'a, [u8]>, ReadError> {
        let present = match self {
            Self::Raw(bytes) => bytes.len(),
            Self::Base64(stream) => stream.most(),
        };
        let truncated =
            |present: usize| ReadError::Truncated { place: place(), what, promised, present: present as u64 };
        if promised > present as u64 {
            return Err(truncated(present));
        }
        let count = promised as usize;
        match self {
            Self::Raw(bytes) => {
                let (taken, rest) = bytes.split_at(count);
                *bytes = rest;
                Ok(Cow::Borrowed(taken))
            }
            Self::Base64(stream) => match stream.take(count) {
                Ok(bytes) if bytes.len() < count => Err(truncated(bytes.len())),
                Ok(bytes) => Ok(Cow::Owned(bytes)),
                Err(error) => Err(ReadError::Syntax {
                    place: place(),
                    found: format!("broken base64 ({error})"),
                    expected: format!("{promised} {what}"),
                }),
            },
        }
    }
}

/// Remaining bytes from base64. Padding may occur in the middle: headers are encoded separately, or together with the
/// data.
pub(super) struct Base64<'a> {
    text: Cow<'a, [u8]>,
    /// Number of decoded bytes of the text.
    at: usize,
    /// At most two bytes that were decoded in advance.
    left: Vec<u8>,
}

impl<'a> Base64<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text: Cow::Borrowed(text), at: 0, left: Vec::new() }
    }

    /// Creates a stream of a text whose blanks are ignored.
    pub fn with_blanks(text: &'a [u8]) -> Self {
        let text = text.trim_ascii();
        if !text.iter().any(u8::is_ascii_whitespace) {
            return Self::new(text);
        }
        let filled = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        Self { text: Cow::Owned(filled), at: 0, left: Vec::new() }
    }

    /// Returns the maximum number of remaining bytes.
    fn most(&self) -> usize {
        self.left.len() + (self.text.len() - self.at).div_ceil(4) * 3
    }

    /// Returns the next `count` bytes, or fewer at the end of the text.
    fn take(&mut self, count: usize) -> Result<Vec<u8>, base64::DecodeError> {
        let mut bytes = std::mem::take(&mut self.left);
        bytes.reserve_exact(count.saturating_sub(bytes.len()) + 2);
        while bytes.len() < count && self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let rest = &rest[..rest.len().min((count - bytes.len()).div_ceil(3) * 4)];
            let padding = rest.iter().position(|&byte| byte == b'=');
            let part = padding.map_or(rest, |padding| &rest[..rest.len().min((padding / 4 + 1) * 4)]);
            BASE64.decode_vec(part, &mut bytes)?;
            self.at += part.len();
        }
        self.left = bytes.split_off(bytes.len().min(count));
        Ok(bytes)
    }
}
