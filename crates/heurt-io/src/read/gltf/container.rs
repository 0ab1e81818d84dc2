//! Binary glTF container: a header of twelve bytes, a JSON chunk, a chunk of binary data.

use crate::read::warnings::{TRAILING_BYTES, Warnings};
use crate::{Place, ReadError};

/// The relevant chunks.
pub(super) struct Chunks<'a> {
    pub(super) json: &'a [u8],
    /// Offset of the JSON in the file.
    pub(super) json_at: u64,
    pub(super) binary: Option<&'a [u8]>,
}

const MAGIC: &[u8; 4] = b"glTF";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// Lengths in the header that differ from the length of the file.
const WRONG_LENGTHS: &str = "wrong lengths in the header";

/// Splits the file; chunks of other types are skipped.
pub(super) fn split<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Result<Chunks<'a>, ReadError> {
    if !bytes.starts_with(MAGIC) {
        return Err(ReadError::syntax(Place::Offset(0), &bytes[..bytes.len().min(4)], "`glTF`"));
    }
    let version = word(bytes, 4)?;
    if version != 2 {
        return Err(ReadError::syntax(Place::Offset(4), version.to_string().as_bytes(), "GLB version 2"));
    }
    let mut length = word(bytes, 8)? as usize;
    if length > bytes.len() {
        return Err(truncated(bytes, length, bytes.len()));
    }
    let mut chunks = Chunks { json: b"", json_at: 0, binary: None };
    let mut at = HEADER;
    // Up to three bytes of padding may follow the last chunk.
    while at + CHUNK_HEADER <= length {
        let size = word(bytes, at)? as usize;
        let kind = &bytes[at + 4..at + CHUNK_HEADER];
        let start = at + CHUNK_HEADER;
        let chunk = |length: usize| bytes[..length].get(start..).and_then(|rest| rest.get(..size));
        let data = match chunk(length) {
            Some(data) => data,
            None => {
                // The chunk is whole in the file: only the header is wrong.
                let error = || truncated(bytes, size, length - start);
                let data = chunk(bytes.len()).ok_or_else(error)?;
                let found = length.to_string();
                warnings.ignore(WRONG_LENGTHS, || Place::Offset(8), found.as_bytes(), |_| error())?;
                length = bytes.len();
                data
            }
        };
        match kind {
            b"JSON" if chunks.json_at == 0 => (chunks.json, chunks.json_at) = (data, start as u64),
            b"BIN\0" if chunks.binary.is_none() => chunks.binary = Some(data),
            _ if chunks.json_at == 0 => {
                return Err(ReadError::syntax(Place::Offset(at as u64 + 4), kind, "a chunk `JSON`"));
            }
            _ => {}
        }
        at = start + size;
    }
    if chunks.json_at == 0 {
        return Err(ReadError::syntax(Place::Offset(at as u64), b"", "a chunk `JSON`"));
    }
    let end = length.max(at).min(bytes.len());
    let rest = &bytes[end..];
    warnings.add(TRAILING_BYTES, rest.len() as u64, || Place::Offset(end as u64), rest);
    Ok(chunks)
}

fn word(bytes: &[u8], at: usize) -> Result<u32, ReadError> {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(word) => Ok(u32::from_le_bytes(*word)),
        None => Err(truncated(bytes, HEADER, bytes.len())),
    }
}

fn truncated(bytes: &[u8], promised: usize, present: usize) -> ReadError {
    let place = Place::Offset(bytes.len() as u64);
    ReadError::Truncated { place, what: "bytes", promised: promised as u64, present: present as u64 }
}
