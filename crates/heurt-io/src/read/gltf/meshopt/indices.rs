//! Index codecs of meshopt compression: triangle lists by their edges, and sequences of indices by deltas.
//!
//! In: a stream, the number of indices and their size (2 or 4 bytes). Out: the indices, little endian.
//! Method: appendix A, modes 1 and 2. Guarantees: reading a queue entry that was never written is an error.
//! Cost: O(output).

use super::{MeshoptFault, TOO_LONG, TOO_SHORT, WRONG_HEADER, byte};

/// Entries of a queue.
const QUEUE: usize = 16;
const UNWRITTEN: MeshoptFault = "a reference to a vertex or an edge that never came";

/// The most recent 16 items, the latest first.
struct Queue<T> {
    items: [T; QUEUE],
    next: usize,
    written: usize,
}

impl<T: Copy + Default> Queue<T> {
    fn new() -> Self {
        Self { items: [T::default(); QUEUE], next: 0, written: 0 }
    }

    fn push(&mut self, item: T) {
        self.items[self.next % QUEUE] = item;
        self.next = (self.next + 1) % QUEUE;
        self.written = (self.written + 1).min(QUEUE);
    }

    /// Returns an item by its age, 0 for the latest.
    fn get(&self, age: usize) -> Result<T, MeshoptFault> {
        if age < self.written { Ok(self.items[(self.next + QUEUE - 1 - age) % QUEUE]) } else { Err(UNWRITTEN) }
    }
}

/// Reads an unsigned LEB128 number of at most five bytes; bits beyond 32 are dropped.
fn varint(data: &mut &[u8]) -> Result<u32, MeshoptFault> {
    let mut value = 0u32;
    for shift in [0, 7, 14, 21, 28] {
        let next = byte(data)?;
        value |= u32::from(next & 127) << shift;
        if next < 128 {
            return Ok(value);
        }
    }
    Err("an index of more than five bytes")
}

/// The state of the triangle decoder.
struct Triangles<'a> {
    /// Extra data.
    data: &'a [u8],
    /// The next index that never came.
    next: u32,
    /// The index that was given explicitly last.
    last: u32,
    edges: Queue<[u32; 2]>,
    vertices: Queue<u32>,
}

impl Triangles<'_> {
    fn fresh(&mut self) -> u32 {
        let index = self.next;
        self.next = self.next.wrapping_add(1);
        index
    }

    fn explicit(&mut self) -> Result<u32, MeshoptFault> {
        let delta = varint(&mut self.data)?;
        self.last = self.last.wrapping_add(if delta & 1 == 0 { delta >> 1 } else { !(delta >> 1) });
        Ok(self.last)
    }

    /// Decodes a corner by four bits: a fresh index, one of the queue, or (15) an explicit one. Returns whether it goes
    /// into the queue as well.
    fn corner(&mut self, code: u8) -> Result<(u32, bool), MeshoptFault> {
        match code {
            0 => Ok((self.fresh(), true)),
            15 => Ok((self.explicit()?, true)),
            age => Ok((self.vertices.get(usize::from(age) - 1)?, false)),
        }
    }

    fn triangle(&mut self, code: u8, table: &[u8]) -> Result<[u32; 3], MeshoptFault> {
        if code >= 0xf0 {
            return self.isolated(code, table);
        }
        let [a, b] = self.edges.get(usize::from(code >> 4))?;
        let (c, is_pushed) = match code & 15 {
            0 => (self.fresh(), true),
            0xf => (self.explicit()?, true),
            low @ (0xd | 0xe) => {
                self.last = if low == 0xd { self.last.wrapping_sub(1) } else { self.last.wrapping_add(1) };
                (self.last, true)
            }
            age => (self.vertices.get(usize::from(age))?, false),
        };
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        if is_pushed {
            self.vertices.push(c);
        }
        Ok([a, b, c])
    }

    /// Decodes a triangle that shares no recent edge.
    fn isolated(&mut self, code: u8, table: &[u8]) -> Result<[u32; 3], MeshoptFault> {
        let low = usize::from(code & 15);
        let (a, corners) = if low < 14 {
            (self.fresh(), table[low])
        } else {
            let corners = byte(&mut self.data)?;
            if corners == 0 {
                self.next = 0;
            }
            (if low == 14 { self.fresh() } else { self.explicit()? }, corners)
        };
        let (b, pushes_b) = self.corner(corners >> 4)?;
        let (c, pushes_c) = self.corner(corners & 15)?;
        self.edges.push([b, a]);
        self.edges.push([c, b]);
        self.edges.push([a, c]);
        self.vertices.push(a);
        if pushes_b {
            self.vertices.push(b);
        }
        if pushes_c {
            self.vertices.push(c);
        }
        Ok([a, b, c])
    }
}

/// Decodes `count` indices of triangles, in `stride` bytes each; `count` is divisible by 3.
pub(super) fn decode_triangles(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptFault> {
    let mut data = stream;
    if byte(&mut data)? != 0xe1 {
        return Err(WRONG_HEADER);
    }
    let (codes, data) = data.split_at_checked(count / 3).ok_or(TOO_SHORT)?;
    let (data, table) = data.split_at_checked(data.len().wrapping_sub(16)).ok_or(TOO_SHORT)?;
    if table[14..] != [0, 0] || table.iter().any(|entry| entry >> 4 == 15 || entry & 15 == 15) {
        return Err("a wrong table of codes");
    }
    let mut state = Triangles { data, next: 0, last: 0, edges: Queue::new(), vertices: Queue::new() };
    let mut output = Vec::with_capacity(count * stride);
    for &code in codes {
        for index in state.triangle(code, table)? {
            output.extend_from_slice(&index.to_le_bytes()[..stride]);
        }
    }
    if state.data.is_empty() { Ok(output) } else { Err(TOO_LONG) }
}

/// Decodes `count` indices, in `stride` bytes each.
pub(super) fn decode_indices(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, MeshoptFault> {
    let mut data = stream;
    if byte(&mut data)? != 0xd1 {
        return Err(WRONG_HEADER);
    }
    // Every index takes a byte at least, and four bytes of padding follow.
    let mut data = data.len().checked_sub(4).map(|length| &data[..length]).ok_or(TOO_SHORT)?;
    if data.len() < count {
        return Err(TOO_SHORT);
    }
    let mut last = [0u32; 2];
    let mut output = Vec::with_capacity(count * stride);
    for _ in 0..count {
        let code = varint(&mut data)?;
        let delta = if code & 2 == 0 { code >> 2 } else { !(code >> 2) };
        let index = &mut last[(code & 1) as usize];
        *index = index.wrapping_add(delta);
        output.extend_from_slice(&index.to_le_bytes()[..stride]);
    }
    if data.is_empty() { Ok(output) } else { Err(TOO_LONG) }
}
