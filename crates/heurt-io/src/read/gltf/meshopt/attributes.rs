//! Attribute codec of meshopt compression: byte-wise deltas between consecutive elements, in groups of 16.
//!
//! In: a stream of version 0 (`0xa0`) or 1 (`0xa1`), number and size of elements. Out: the elements.
//! Method: appendix A, mode 0. Each block of at most 256 elements has its bytes deinterleaved; deltas are packed in 0
//! to 8 bits with a sentinel for deltas that do not fit. Cost: O(output).

use super::{MeshoptFault, TOO_LONG, TOO_SHORT, WRONG_HEADER, byte, take};

/// Elements of a group.
const GROUP: usize = 16;
/// Bytes and elements that a block has at most.
const MAX_BLOCK_BYTES: usize = 8192;
const MAX_BLOCK_ELEMENTS: usize = 256;

/// The tail of a stream: what the first element is relative to, and how the deltas of each channel are combined.
struct Tail<'a> {
    baseline: &'a [u8],
    /// One byte per four bytes of an element; empty in version 0.
    channels: &'a [u8],
}

/// Decodes `count` elements of `stride` bytes; `stride` is 4 to 256 and divisible by 4.
pub(super) fn decode(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptFault> {
    let mut data = stream;
    let is_v1 = match byte(&mut data)? {
        0xa0 => false,
        0xa1 => true,
        _ => return Err(WRONG_HEADER),
    };
    let tail_size = stride + if is_v1 { stride / 4 } else { 0 };
    let padded = tail_size.max(if is_v1 { 24 } else { 32 });
    let tail_at = data.len().checked_sub(padded).ok_or(TOO_SHORT)?;
    let (mut data, tail) = data.split_at(tail_at);
    let (baseline, channels) = tail[padded - tail_size..].split_at(stride);
    let is_known = |&channel: &u8| match channel & 15 {
        0 | 1 => channel >> 4 == 0,
        2 => true,
        _ => false,
    };
    if !channels.iter().all(is_known) {
        return Err("an unknown channel mode");
    }
    let tail = Tail { baseline, channels };
    let block = ((MAX_BLOCK_BYTES / stride) & !(GROUP - 1)).min(MAX_BLOCK_ELEMENTS);
    // No bytes may encode any number of elements, so the caller limits their number.
    let mut output = vec![0; count * stride];
    let mut previous = tail.baseline.to_vec();
    let mut deltas = vec![[0; MAX_BLOCK_ELEMENTS]; 4];
    for elements in output.chunks_mut(block * stride) {
        decode_block(&mut data, elements, stride, is_v1, &tail, &mut previous, &mut deltas)?;
    }
    if data.is_empty() { Ok(output) } else { Err(TOO_LONG) }
}

/// Decodes a block, channel by channel; `previous` is the element before it.
fn decode_block(
    data: &mut &[u8],
    elements: &mut [u8],
    stride: usize,
    is_v1: bool,
    tail: &Tail<'_>,
    previous: &mut [u8],
    deltas: &mut [[u8; MAX_BLOCK_ELEMENTS]],
) -> Result<(), MeshoptFault> {
    let count = elements.len() / stride;
    let controls = if is_v1 { take(data, stride / 4)? } else { &[] };
    for channel in 0..stride / 4 {
        for (at, deltas) in deltas.iter_mut().enumerate() {
            match controls.get(channel).map(|control| (control >> (2 * at)) & 3) {
                None => decode_bytes(data, deltas, count, [0, 2, 4, 8])?,
                Some(0) => decode_bytes(data, deltas, count, [0, 1, 2, 4])?,
                Some(1) => decode_bytes(data, deltas, count, [1, 2, 4, 8])?,
                Some(2) => deltas[..count].fill(0),
                Some(_) => deltas[..count].copy_from_slice(take(data, count)?),
            }
        }
        let mode = tail.channels.get(channel).copied().unwrap_or(0);
        let first = 4 * channel;
        let mut value = [previous[first], previous[first + 1], previous[first + 2], previous[first + 3]];
        for (element, target) in elements.chunks_exact_mut(stride).enumerate() {
            let delta = [deltas[0][element], deltas[1][element], deltas[2][element], deltas[3][element]];
            value = add(value, delta, mode);
            target[first..first + 4].copy_from_slice(&value);
        }
        previous[first..first + 4].copy_from_slice(&value);
    }
    Ok(())
}

/// Adds the delta of a channel to the value of the element before.
fn add(value: [u8; 4], delta: [u8; 4], mode: u8) -> [u8; 4] {
    match mode & 15 {
        0 => std::array::from_fn(|at| value[at].wrapping_add(unzigzag(delta[at]))),
        1 => {
            let half = |bytes: [u8; 4], at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
            let sum = |at: usize| {
                let delta = half(delta, at);
                let signed = if delta & 1 == 0 { delta >> 1 } else { !(delta >> 1) };
                half(value, at).wrapping_add(signed).to_le_bytes()
            };
            let ([a, b], [c, d]) = (sum(0), sum(2));
            [a, b, c, d]
        }
        _ => {
            // The encoder rotates to the left.
            let delta = u32::from_le_bytes(delta).rotate_right(u32::from(mode >> 4));
            (u32::from_le_bytes(value) ^ delta).to_le_bytes()
        }
    }
}

fn unzigzag(delta: u8) -> u8 {
    if delta & 1 == 0 { delta >> 1 } else { !(delta >> 1) }
}

/// Decodes the deltas of one byte of the elements of a block; `widths` are the numbers of bits by group mode.
fn decode_bytes(
    data: &mut &[u8],
    deltas: &mut [u8; MAX_BLOCK_ELEMENTS],
    count: usize,
    widths: [u32; 4],
) -> Result<(), MeshoptFault> {
    let groups = count.div_ceil(GROUP);
    let headers = take(data, groups.div_ceil(4))?;
    for (number, group) in deltas.as_chunks_mut::<GROUP>().0.iter_mut().take(groups).enumerate() {
        let mode = (headers[number / 4] >> (2 * (number % 4))) & 3;
        decode_group(data, group, widths[mode as usize])?;
    }
    Ok(())
}

/// Decodes 16 deltas of `bits` bits each; those with all bits set follow as bytes.
fn decode_group(data: &mut &[u8], group: &mut [u8; GROUP], bits: u32) -> Result<(), MeshoptFault> {
    match bits {
        0 => group.fill(0),
        8 => group.copy_from_slice(take(data, GROUP)?),
        _ => {
            let packed = take(data, GROUP * bits as usize / 8)?;
            let sentinel = (1u8 << bits) - 1;
            let per_byte = 8 / bits as usize;
            for (at, delta) in group.iter_mut().enumerate() {
                let within = (at % per_byte) as u32 * bits;
                // Single bits start at the least significant one, wider deltas at the most significant.
                let shift = if bits == 1 { within } else { 8 - bits - within };
                let small = (packed[at / per_byte] >> shift) & sentinel;
                *delta = if small == sentinel { byte(data)? } else { small };
            }
        }
    }
    Ok(())
}
