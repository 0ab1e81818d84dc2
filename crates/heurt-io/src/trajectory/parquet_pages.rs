//! Sizes of the pages of a Parquet column, read before the library allocates them.
//!
//! In: the bytes of a column chunk. Out: a fault if a page announces more bytes than its compressed bytes can hold, or
//! if its header cannot be read. Zeros at the end are padding.
//! Method: the headers of pages are structs of the Thrift compact protocol: field 2 is the size of the page, field 3
//! its compressed size; all else is passed over. Guarantees: no recursion beyond [`MAX_DEPTH`]; no allocation.
//! Cost: O(bytes).

/// Bytes of a page for each compressed byte: Snappy copies 64 bytes by 3.
const MAX_RATIO: u64 = 32;
/// Bytes that any page may have.
const FLOOR: u64 = 1 << 16;
/// The deepest nesting of fields: headers of pages have three levels.
const MAX_DEPTH: u32 = 8;

/// Checks the pages of a column chunk.
pub(super) fn check_pages(chunk: &[u8]) -> Result<(), String> {
    let mut thrift = Thrift { rest: chunk };
    while !thrift.rest.is_empty() {
        let ([mut size, mut packed], before) = ([None; 2], thrift.rest);
        let known = thrift.read_struct(MAX_DEPTH, |field, value| match field {
            2 => size = Some(value),
            3 => packed = Some(value),
            _ => {}
        });
        let (Some(()), Some(size), Some(packed)) = (known, size, packed) else {
            return match before.iter().all(|&byte| byte == 0) {
                // Padding.
                true => Ok(()),
                false => Err(format!("a page header that is not known, {} bytes before the end", before.len())),
            };
        };
        let [Ok(size), Ok(packed)] = [size, packed].map(u64::try_from) else {
            return Err(format!("a page of {size} bytes, {packed} compressed"));
        };
        if size > MAX_RATIO.saturating_mul(packed).saturating_add(FLOOR) {
            return Err(format!("a page of {size} bytes in {packed} compressed bytes"));
        }
        if packed > thrift.rest.len() as u64 {
            return Err(format!("a page of {packed} compressed bytes, of which {} are there", thrift.rest.len()));
        }
        thrift.rest = &thrift.rest[packed as usize..];
    }
    Ok(())
}

/// A reader of the Thrift compact protocol; `None` is the end of the bytes, or a value that it does not have.
struct Thrift<'a> {
    rest: &'a [u8],
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn pass(&mut self, count: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Reads a struct; `visit` gets the number of each integer field and its value.
    fn read_struct(&mut self, depth: u32, mut visit: impl FnMut(i64, i64)) -> Option<()> {
        let mut field = 0;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            field = match head >> 4 {
                0 => self.integer()?,
                step => field.checked_add(i64::from(step))?,
            };
            match head & 15 {
                4..=6 => visit(field, self.integer()?),
                // Booleans of fields have no bytes.
                1 | 2 => {}
                kind => self.skip(kind, depth)?,
            }
        }
    }

    /// Passes over a value.
    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        let inner = depth.checked_sub(1)?;
        match kind {
            1..=3 => self.pass(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.pass(8),
            8 => {
                let length = self.varint()?;
                self.pass(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
                (0..count).try_for_each(|_| self.skip(head & 15, inner))
            }
            11 => {
                let count = self.varint()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                (0..count).try_for_each(|_| {
                    self.skip(kinds >> 4, inner)?;
                    self.skip(kinds & 15, inner)
                })
            }
            12 => self.read_struct(inner, |_, _| {}),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check_pages;

    /// A header of type 0 with two sizes and a nested struct, and the page.
    fn page(size: u32, packed: u32) -> Vec<u8> {
        let varint = |mut value: u32| {
            let mut bytes = Vec::new();
            value <<= 1;
            while value > 127 {
                bytes.push(value as u8 | 0x80);
                value >>= 7;
            }
            bytes.push(value as u8);
            bytes
        };
        let (size, body) = (varint(size), vec![7; packed.min(1000) as usize]);
        [&[0x15, 0, 0x15][..], &size, &[0x15], &varint(packed), &[0x2c, 0x15, 2, 0, 0], &body].concat()
    }

    #[test]
    fn pages_are_bounded_by_their_compressed_bytes() {
        assert_eq!(check_pages(&[page(100, 50), page(60_000, 10), page(90_000, 1000)].concat()), Ok(()));
        assert_eq!(
            check_pages(&[page(100, 50), page(2_000_000_000, 50)].concat()),
            Err("a page of 2000000000 bytes in 50 compressed bytes".to_owned())
        );
        let cut = check_pages(&page(2_000, 5_000));
        assert_eq!(cut, Err("a page of 5000 compressed bytes, of which 1000 are there".to_owned()));
        // Zeros after a page are padding; any bytes besides are a page that cannot be checked.
        assert_eq!(check_pages(&[page(100, 50), vec![0; 9]].concat()), Ok(()));
        let unknown = |bytes: &[u8]| {
            let reason = Err(format!("a page header that is not known, {} bytes before the end", bytes.len()));
            assert_eq!(check_pages(&[&page(100, 50), bytes].concat()), reason);
        };
        unknown(&[0, 0, 1]);
        // Lists of lists, lists of endless counts, a map of unknown kinds, a struct without sizes, a field beyond
        // all numbers.
        unknown(&[0x19; 100]);
        unknown(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0]);
        unknown(&[0x1b, 1, 0xde, 0]);
        unknown(&[0x15, 2, 0]);
        unknown(&[&[0x05][..], &[0xfe], &[0xff; 8], &[1], &[2, 0x15, 2, 0]].concat());
    }

    #[test]
    fn sizes_beyond_all_numbers_are_faults() {
        let most = [&[0xfe][..], &[0xff; 8], &[1]].concat();
        let header = [&[0x15, 0, 0x15][..], &most, &[0x15], &most, &[0]].concat();
        let reason = format!("a page of {} compressed bytes, of which 0 are there", i64::MAX);
        assert_eq!(check_pages(&header), Err(reason));
    }
}
