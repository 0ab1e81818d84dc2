//! A reader of ZIP archives: the central directory, and members unpacked within a budget.
//!
//! In: the bytes of an archive. Out: member names, and the bytes of one member at a time.
//! Method: PKWARE APPNOTE 6.3.10, sections 4.3 and 4.5.3 (ZIP64). The end record is searched from the back; sizes come
//! from the central directory, so that members with a data descriptor are read as well. Deflate by `miniz_oxide`,
//! CRC-32 by `crc32fast`. The crate `zip` does the same for many methods and ciphers; an archive of meshes needs two
//! methods.
//! Guarantees: no member is allocated before its declared size fits the budget, and no member grows beyond that size;
//! the budget is [`PER_BYTE`] times the archive, at most [`MOST`], for all members together, so that members whose
//! bytes overlap are bounded as well. Not read: encrypted members, split archives, other methods than store and
//! deflate.
//! Cost: O(members) to open, O(bytes) to unpack.

use crate::{Place, ReadError};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Bytes that one byte of an archive may unpack to. XML of a mesh packs to an eighth, of a regular grid to a fortieth;
/// Deflate allows a thousandth.
const PER_BYTE: u64 = 200;
/// Bytes that any archive may unpack to, however small it is.
const FLOOR: u64 = 1 << 20;
/// Maximum number of unpacked bytes of an archive: the XML of approximately fifteen million triangles.
const MOST: u64 = 1 << 30;

/// The first bytes of a member.
pub(super) const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
/// Bytes of the end record without its comment, which has at most 65,535 bytes.
const END_SIZE: usize = 22;
/// Bytes of the ZIP64 locator.
const LOCATOR_SIZE: usize = 20;
/// Bytes of a central header without its name, extra field and comment.
const CENTRAL_SIZE: usize = 46;
/// Bytes of a local header without its name and extra field.
const LOCAL_SIZE: usize = 30;
/// A 32-bit field whose value is in the ZIP64 extra field.
const IN_EXTRA: u64 = 0xffff_ffff;

/// An archive whose directory is read.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    members: Vec<Member>,
    /// The member of each name, in lower case, as names of packages do not differ by case; the last of equal names.
    by_name: BTreeMap<String, usize>,
    left: u64,
}

struct Member {
    name: String,
    flags: u64,
    method: u64,
    crc: u64,
    packed: u64,
    size: u64,
    header: u64,
}

impl<'a> Archive<'a> {
    /// Reads the directory.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let (count, mut at) = directory(bytes)?;
        let mut members = Vec::new();
        let mut by_name = BTreeMap::new();
        for present in 0..count {
            let Some((member, next)) = central_header(bytes, at)? else {
                let place = Place::Offset(at as u64);
                return Err(ReadError::Truncated { place, what: "archive members", promised: count, present });
            };
            by_name.insert(member.name.to_ascii_lowercase(), members.len());
            members.push(member);
            at = next;
        }
        let left = (bytes.len() as u64).saturating_mul(PER_BYTE).saturating_add(FLOOR).min(MOST);
        Ok(Self { bytes, members, by_name, left })
    }

    /// Finds a member by its name, in upper or lower case.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(&name.to_ascii_lowercase()).copied()
    }

    /// Returns the name of a member.
    pub(super) fn name(&self, member: usize) -> &str {
        &self.members[member].name
    }

    /// Returns the names of all members, in the order of the directory.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    /// Unpacks a member and checks its CRC-32.
    pub(super) fn unpack(&mut self, member: usize) -> Result<Cow<'a, [u8]>, ReadError> {
        let member = &self.members[member];
        let place = || Place::Offset(member.header).in_member(&member.name);
        if member.flags & 1 != 0 {
            let remedy = "save it without a password";
            return Err(ReadError::Unsupported {
                place: place(),
                what: "an encrypted archive member".to_owned(),
                remedy,
            });
        }
        if member.size > self.left {
            let (size, limit, archive) = (member.size, self.left, self.bytes.len() as u64);
            return Err(ReadError::UnpacksTooLarge { place: place(), size, limit, archive });
        }
        self.left -= member.size;
        let packed = self.packed(member)?;
        let bytes = match member.method {
            0 if member.size != member.packed => {
                let found = format!("{} bytes", member.packed);
                return Err(ReadError::Syntax { place: place(), found, expected: format!("{} bytes", member.size) });
            }
            0 => Cow::Borrowed(packed),
            8 => Cow::Owned(inflate(packed, member.size as usize, place)?),
            other => {
                let what = format!("an archive member of packing method {other}");
                return Err(ReadError::Unsupported { place: place(), what, remedy: "pack it with Deflate" });
            }
        };
        let crc = u64::from(crc32fast::hash(&bytes));
        if crc == member.crc {
            Ok(bytes)
        } else {
            let found = format!("CRC-32 {crc:08x} instead of {:08x}", member.crc);
            let expected = "the bytes that were packed: copy the file again".to_owned();
            Err(ReadError::Syntax { place: place(), found, expected })
        }
    }

    /// Returns the packed bytes of a member.
    fn packed(&self, member: &Member) -> Result<&'a [u8], ReadError> {
        let place = || Place::Offset(member.header).in_member(&member.name);
        let header = usize::try_from(member.header).ok().and_then(|at| self.bytes.get(at..)).unwrap_or_default();
        if header.len() < LOCAL_SIZE || !header.starts_with(LOCAL) {
            let start = &header[..header.len().min(4)];
            return Err(ReadError::syntax(place(), start, "a local header `PK\\x03\\x04` of the archive"));
        }
        let begin = LOCAL_SIZE + (number(header, 26, 2) + number(header, 28, 2)) as usize;
        let rest = header.get(begin..).unwrap_or_default();
        if member.packed > rest.len() as u64 {
            let (promised, present) = (member.packed, rest.len() as u64);
            return Err(ReadError::Truncated { place: place(), what: "packed bytes", promised, present });
        }
        Ok(&rest[..member.packed as usize])
    }
}

/// Unpacks to exactly `size` bytes.
fn inflate(packed: &[u8], size: usize, place: impl Fn() -> Place) -> Result<Vec<u8>, ReadError> {
    // Deflate packs 1,032 bytes into one at best: a size that is not there is refused before it is allocated.
    let most = packed.len().saturating_mul(1032);
    if size > most {
        let (promised, present) = (size as u64, most as u64);
        return Err(ReadError::Truncated { place: place(), what: "unpacked bytes", promised, present });
    }
    let mut bytes = vec![0; size];
    let input = std::iter::once(packed);
    let found = match miniz_oxide::inflate::decompress_slice_iter_to_slice(&mut bytes, input, false, false) {
        Ok(length) if length == size => return Ok(bytes),
        Ok(length) => format!("{length} bytes"),
        Err(status) => format!("a broken block ({status:?})"),
    };
    Err(ReadError::Syntax { place: place(), found, expected: format!("{size} bytes packed by Deflate") })
}

/// Finds the directory: the number of its members, and the byte at which it begins.
fn directory(bytes: &[u8]) -> Result<(u64, usize), ReadError> {
    let last = bytes.len().saturating_sub(END_SIZE);
    let first = last.saturating_sub(usize::from(u16::MAX));
    let ends = (first..=last).rev().filter(|&at| bytes[at..].starts_with(END) && bytes.len() - at >= END_SIZE);
    let fits = |&at: &usize| at + END_SIZE + number(bytes, at + 20, 2) as usize <= bytes.len();
    let Some(end) = { ends }.find(fits) else {
        let found = "no end record".to_owned();
        let expected = "a whole ZIP archive: write or copy it again".to_owned();
        return Err(ReadError::Syntax { place: Place::Offset(bytes.len() as u64), found, expected });
    };
    let (mut count, mut begin) = (number(bytes, end + 10, 2), number(bytes, end + 16, 4));
    if let Some(locator) = end.checked_sub(LOCATOR_SIZE)
        && bytes[locator..].starts_with(LOCATOR_64)
    {
        let at = number(bytes, locator + 8, 8);
        let record = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        if record.len() < 56 || !record.starts_with(END_64) {
            let found = &record[..record.len().min(4)];
            return Err(ReadError::syntax(Place::Offset(at), found, "the ZIP64 end record `PK\\x06\\x06`"));
        }
        (count, begin) = (number(record, 32, 8), number(record, 48, 8));
    }
    match usize::try_from(begin) {
        Ok(begin) if begin <= end => Ok((count, begin)),
        _ => {
            let expected = format!("a directory that begins before byte {end}");
            Err(ReadError::syntax(Place::Offset(end as u64 + 16), begin.to_string().as_bytes(), expected))
        }
    }
}

/// Reads the central header at a byte, and returns where the next one begins; `None` if there is no whole header.
fn central_header(bytes: &[u8], at: usize) -> Result<Option<(Member, usize)>, ReadError> {
    let header = &bytes[at..];
    if header.len() < CENTRAL_SIZE || !header.starts_with(CENTRAL) {
        return Ok(None);
    }
    let [name, extra, comment] = [28, 30, 32].map(|field| number(header, field, 2) as usize);
    let length = CENTRAL_SIZE + name + extra + comment;
    if header.len() < length {
        return Ok(None);
    }
    let (name, rest) = header[CENTRAL_SIZE..].split_at(name);
    let mut member = Member {
        // Some programs of Windows write their own separator.
        name: String::from_utf8_lossy(name).replace('\\', "/"),
        flags: number(header, 8, 2),
        method: number(header, 10, 2),
        crc: number(header, 16, 4),
        packed: number(header, 20, 4),
        size: number(header, 24, 4),
        header: number(header, 42, 4),
    };
    if !read_extra(&rest[..extra], &mut member) {
        let place = Place::Offset(at as u64);
        return Err(ReadError::syntax(place, name, "a ZIP64 extra field with the sizes"));
    }
    Ok(Some((member, at + length)))
}

/// Reads the sizes and the offset that the ZIP64 extra field holds instead of the header; `false` if it is cut short.
fn read_extra(mut extra: &[u8], member: &mut Member) -> bool {
    while extra.len() >= 4 {
        let (id, size) = (number(extra, 0, 2), number(extra, 2, 2) as usize);
        let Some(field) = extra[4..].get(..size) else { return true };
        if id == 1 {
            let mut at = 0;
            for value in [&mut member.size, &mut member.packed, &mut member.header] {
                if *value == IN_EXTRA {
                    if field.len() < at + 8 {
                        return false;
                    }
                    *value = number(field, at, 8);
                    at += 8;
                }
            }
            return true;
        }
        extra = &extra[4 + size..];
    }
    true
}

/// Reads a little-endian number of `size` bytes at most 8; the bytes are there.
fn number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[at..at + size]);
    u64::from_le_bytes(word)
}
