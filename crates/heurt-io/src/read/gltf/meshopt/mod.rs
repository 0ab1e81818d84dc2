//! Decoder of buffer views compressed by `EXT_meshopt_compression` or `KHR_meshopt_compression`.
//!
//! In: compressed bytes, number and size of the elements, mode and filter, as the extension of a buffer view gives
//! them. Out: `count` elements of `stride` bytes.
//! Method: the bitstreams (version 0 and 1 of attributes, version 1 of triangles and indices) and filters of appendices
//! A and B of the specification of `KHR_meshopt_compression`, written from that text. Filters that the specification
//! allows to round are computed in `f32` as it writes them.
//! Guarantees: every byte of the input is checked before it is read; a stream that is too short, has bytes left, or
//! reads an entry of a queue that was never written is an error. The output is allocated after the sizes have been
//! checked by the caller against the budget. Cost: O(output).

mod attributes;
mod filters;
mod indices;

use super::schema::Compression;
use crate::{Place, ReadError};

/// Reason why a stream is not compressed data: a noun phrase for the message.
type MeshoptFault = &'static str;

/// Decompresses the view that `compression` describes from its bytes; `place` is the place of the extension.
pub(super) fn decompress(compression: &Compression, bytes: &[u8], place: &Place) -> Result<Vec<u8>, ReadError> {
    let (stride, count) = check(compression, place)?;
    let decoded = match compression.mode.as_ref() {
        "ATTRIBUTES" => attributes::decode(bytes, count, stride),
        "TRIANGLES" => indices::decode_triangles(bytes, count, stride),
        _ => indices::decode_indices(bytes, count, stride),
    };
    let mut decoded = decoded.map_err(|fault| ReadError::Unsupported {
        place: place.clone(),
        what: format!("compressed data with {fault}"),
        remedy: "export the file again",
    })?;
    match compression.filter.as_deref().unwrap_or("NONE") {
        "OCTAHEDRAL" => filters::octahedral(&mut decoded, stride),
        "QUATERNION" => filters::quaternion(&mut decoded),
        "EXPONENTIAL" => filters::exponential(&mut decoded),
        "COLOR" => filters::color(&mut decoded, stride),
        _ => {}
    }
    Ok(decoded)
}

/// Checks mode, filter, stride and count against each other, as the specification lists.
fn check(compression: &Compression, place: &Place) -> Result<(usize, usize), ReadError> {
    let Compression { byte_stride: stride, count, .. } = *compression;
    let refuse = |found: &str, expected: &str| Err(ReadError::syntax(place.clone(), found.as_bytes(), expected));
    let shown = || format!("byteStride {stride}");
    match compression.mode.as_ref() {
        "ATTRIBUTES" if !(4..=256).contains(&stride) || stride % 4 != 0 => {
            return refuse(&shown(), "a byteStride of 4 to 256 that is divisible by 4");
        }
        "ATTRIBUTES" => {}
        "TRIANGLES" | "INDICES" if stride != 2 && stride != 4 => return refuse(&shown(), "a byteStride of 2 or 4"),
        "TRIANGLES" if count % 3 != 0 => return refuse(&format!("count {count}"), "a count divisible by 3"),
        "TRIANGLES" | "INDICES" => {}
        mode => return refuse(mode, "mode ATTRIBUTES, TRIANGLES or INDICES"),
    }
    match (compression.filter.as_deref().unwrap_or("NONE"), compression.mode.as_ref()) {
        ("NONE", _) | ("EXPONENTIAL", "ATTRIBUTES") => {}
        ("OCTAHEDRAL" | "COLOR", "ATTRIBUTES") if stride == 4 || stride == 8 => {}
        ("QUATERNION", "ATTRIBUTES") if stride == 8 => {}
        (filter, mode) => {
            let found = format!("filter {filter} for {mode} of {stride} bytes");
            return refuse(&found, "a filter that fits the mode and the byteStride");
        }
    }
    // The stride is at most 256; the caller took the elements from the budget.
    match usize::try_from(count) {
        Ok(count) => Ok((stride as usize, count)),
        Err(_) => refuse(&format!("count {count}"), "a count that fits the memory"),
    }
}

/// Reads the next byte.
fn byte(data: &mut &[u8]) -> Result<u8, MeshoptFault> {
    let (&first, rest) = data.split_first().ok_or(TOO_SHORT)?;
    *data = rest;
    Ok(first)
}

/// Reads the next `count` bytes.
fn take<'a>(data: &mut &'a [u8], count: usize) -> Result<&'a [u8], MeshoptFault> {
    let (taken, rest) = data.split_at_checked(count).ok_or(TOO_SHORT)?;
    *data = rest;
    Ok(taken)
}

const TOO_SHORT: MeshoptFault = "too few bytes";
const TOO_LONG: MeshoptFault = "bytes left over";
const WRONG_HEADER: MeshoptFault = "an unknown version";
