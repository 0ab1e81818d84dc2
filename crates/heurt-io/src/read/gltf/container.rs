//! The binary container: a header of twelve bytes, a JSON chunk, a chunk of binary data.

use crate::{Place, ReadError};

/// The chunks that matter.
pub(super) struct Chunks<'a> {
    pub(super) json: &'a [u8],
    /// Where the JSON begins in the file.
    pub(super) json_at: u64,
    pub(super) binary: Option<&'a [u8]>,
}

const MAGIC: &[u8; 4] = b"glTF";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;

/// Splits the file; chunks of other types are skipped.
pub(super) fn split(bytes: &[u8]) -> Result<Chunks<'_>, ReadError> {
    if !bytes.starts_with(MAGIC) {
        return Err(ReadError::syntax(Place::Offset(0), &bytes[..bytes.len().min(4)], "`glTF`"));
    }
    let version = word(bytes, 4)?;
    if version != 2 {
        return Err(ReadError::syntax(Place::Offset(4), version.to_string().as_bytes(), "GLB version 2"));
    }
    let length = word(bytes, 8)? as usize;
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
        let Some(data) = bytes[..length].get(start..).and_then(|rest| rest.get(..size)) else {
            return Err(truncated(bytes, size, length - start));
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
