//! Parser of OpenStreetMap PBF: blocks of protocol buffers.
//!
//! In: the bytes of an `.osm.pbf` file, blocks uncompressed or in zlib. Out: an [`OsmMap`].
//! Method: the format has nine kinds of messages, which this module reads from the wire (OpenStreetMap wiki, PBF
//! Format). The crate `osmpbf` 0.3 needs a compiler of protocol buffers at build time, 30 crates in all, and names no
//! byte.
//! Guarantees: faults name the byte of the file, or the block and the byte in it; a block is at most 32 MiB, as the
//! format limits it, and the blocks of a file together at most [`PER_BYTE`] times its size; items are bounded by the
//! budget. Not read: LZMA, LZ4 and Zstandard blocks, history files. Cost: O(bytes).

use super::osm_map::{OsmMap, OsmRelation, OsmTags, OsmWay, is_on_earth};
use crate::{LonLat, Place, ReadError};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use std::borrow::Cow;

/// The largest header of a block, in bytes, by the format.
const MAX_HEADER: usize = 64 << 10;
/// The largest block, in bytes, by the format.
const MAX_BLOCK: usize = 32 << 20;
/// Bytes that one byte of a file may unpack to, over all blocks: maps reach 5; zlib allows 1,000.
const PER_BYTE: usize = 32;
/// Bytes that any file may unpack to.
const FLOOR: usize = 1 << 20;

/// A message, as a range of a block, or of the file.
#[derive(Clone, Copy)]
struct PbfMessage<'a> {
    data: &'a [u8],
    at: usize,
    end: usize,
    /// The byte of the file where the block begins; `None` if `data` is the file.
    block: Option<usize>,
}

/// A field of a message.
enum PbfField<'a> {
    Number(u64),
    Message(PbfMessage<'a>),
    /// A number of fixed size, which no field in use has.
    Fixed,
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<OsmMap, ReadError> {
    let mut map = OsmMap::new(bytes.len());
    let (mut at, mut left) = (0, FLOOR + PER_BYTE.saturating_mul(bytes.len()));
    while at < bytes.len() {
        let size = file_range(bytes, at, 4)?;
        let size = u32::from_be_bytes([size[0], size[1], size[2], size[3]]) as usize;
        if size > MAX_HEADER {
            let found = size.to_string();
            let expected = "at most 65536, the size of a block header of OpenStreetMap PBF";
            return Err(ReadError::syntax(Place::Offset(at as u64), found.as_bytes(), expected));
        }
        file_range(bytes, at + 4, size)?;
        let header = PbfMessage { data: bytes, at: at + 4, end: at + 4 + size, block: None };
        let (kind, size) = block_header(header)?;
        let begin = header.end;
        file_range(bytes, begin, size)?;
        let blob = PbfMessage { data: bytes, at: begin, end: begin + size, block: None };
        if matches!(&*kind, "OSMHeader" | "OSMData") {
            let data = unpacked(blob, &mut left)?;
            let message = PbfMessage { data: &data, at: 0, end: data.len(), block: Some(begin) };
            if kind == "OSMHeader" { read_header(message, &mut map)? } else { read_block(message, &mut map)? }
        }
        at = blob.end;
    }
    map.sort();
    Ok(map)
}

/// Returns bytes of the file, or the error of a file that ends before.
fn file_range(bytes: &[u8], at: usize, size: usize) -> Result<&[u8], ReadError> {
    bytes.get(at..at.saturating_add(size)).ok_or(ReadError::Truncated {
        place: Place::Offset(bytes.len() as u64),
        what: "bytes",
        promised: at.saturating_add(size) as u64,
        present: bytes.len() as u64,
    })
}

/// Reads the kind and the size in bytes of a block.
fn block_header(mut header: PbfMessage<'_>) -> Result<(Cow<'_, str>, usize), ReadError> {
    let at = header.at;
    let (mut kind, mut size) = (Cow::Borrowed(""), None);
    while let Some((number, field)) = header.next()? {
        match (number, field) {
            (1, PbfField::Message(text)) => kind = String::from_utf8_lossy(text.bytes()),
            (3, PbfField::Number(number)) => size = Some(number),
            _ => {}
        }
    }
    match size.and_then(|size| usize::try_from(size).ok()) {
        Some(size) if size <= MAX_BLOCK => Ok((kind, size)),
        _ => {
            let found = size.map_or(String::new(), |size| size.to_string());
            Err(ReadError::syntax(Place::Offset(at as u64), found.as_bytes(), "the size of a block, at most 32 MiB"))
        }
    }
}

/// Returns the contents of a block, unpacked.
fn unpacked<'a>(mut blob: PbfMessage<'a>, left: &mut usize) -> Result<Cow<'a, [u8]>, ReadError> {
    let place = blob.place(blob.at);
    let mut packed = None;
    while let Some((number, field)) = blob.next()? {
        match (number, field) {
            (1, PbfField::Message(raw)) => return Ok(Cow::Borrowed(raw.bytes())),
            (3, PbfField::Message(zlib)) => packed = Some(zlib),
            (4..=7, PbfField::Message(_)) => {
                let remedy = "write the file with zlib, as `osmium cat -f pbf,pbf_compression=zlib` does";
                return Err(ReadError::Unsupported { place, what: "a compression besides zlib".to_owned(), remedy });
            }
            _ => {}
        }
    }
    let Some(zlib) = packed else { return Err(ReadError::syntax(place, b"", "the data of a block")) };
    let limit = MAX_BLOCK.min(*left);
    match decompress_to_vec_zlib_with_limit(zlib.bytes(), limit) {
        Ok(data) => {
            *left -= data.len();
            Ok(Cow::Owned(data))
        }
        Err(_) => {
            let expected = format!("a zlib stream of at most {limit} bytes: copy or write the file again");
            Err(ReadError::syntax(zlib.place(zlib.at), b"damaged data", expected))
        }
    }
}

/// Reads the bounds and the required features of a file.
fn read_header(mut header: PbfMessage<'_>, map: &mut OsmMap) -> Result<(), ReadError> {
    while let Some((number, field)) = header.next()? {
        match (number, field) {
            (1, PbfField::Message(mut bounds)) => {
                let place = bounds.place(bounds.at);
                let mut sides = [0.0; 4];
                while let Some((side, field)) = bounds.next()? {
                    if let (1..=4, PbfField::Number(number)) = (side, field) {
                        sides[side as usize - 1] = zigzag(number) as f64 * 1e-9;
                    }
                }
                let [left, right, top, bottom] = sides;
                let corners = [LonLat { lon: left, lat: bottom }, LonLat { lon: right, lat: top }];
                if !corners.into_iter().all(is_on_earth) {
                    return Err(ReadError::syntax(place, b"other degrees", "a box within -180 to 180 and -90 to 90°"));
                }
                map.bounds = Some(corners);
            }
            (4, PbfField::Message(feature)) if !matches!(feature.bytes(), b"OsmSchema-V0.6" | b"DenseNodes") => {
                let name = crate::error::quoted(feature.bytes());
                return Err(ReadError::Unsupported {
                    place: feature.place(feature.at),
                    what: format!("the feature {name}"),
                    remedy: "extract a plain map of one date, as `osmium time-filter` does",
                });
            }
            _ => {}
        }
    }
    Ok(())
}

/// The texts and the units of a block.
struct PbfBlock<'a> {
    texts: Vec<&'a [u8]>,
    /// Nanodegrees of a unit.
    granularity: i64,
    /// Nanodegrees of longitude and latitude that are added.
    offset: [i64; 2],
}

/// Reads a block of items. Its units may follow the items, so that groups are read last.
fn read_block(mut message: PbfMessage<'_>, map: &mut OsmMap) -> Result<(), ReadError> {
    let mut block = PbfBlock { texts: Vec::new(), granularity: 100, offset: [0; 2] };
    let mut groups = Vec::new();
    while let Some((number, field)) = message.next()? {
        match (number, field) {
            (1, PbfField::Message(mut table)) => {
                while let Some((number, field)) = table.next()? {
                    if let (1, PbfField::Message(text)) = (number, field) {
                        block.texts.push(text.bytes());
                    }
                }
            }
            (2, PbfField::Message(group)) => groups.push(group),
            (17, PbfField::Number(number)) => block.granularity = number as i64,
            (19, PbfField::Number(number)) => block.offset[1] = number as i64,
            (20, PbfField::Number(number)) => block.offset[0] = number as i64,
            _ => {}
        }
    }
    for mut group in groups {
        while let Some((number, field)) = group.next()? {
            match (number, field) {
                (1, PbfField::Message(node)) => block.node(node, map)?,
                (2, PbfField::Message(nodes)) => block.dense_nodes(nodes, map)?,
                (3, PbfField::Message(way)) => block.item(way, false, map)?,
                (4, PbfField::Message(relation)) => block.item(relation, true, map)?,
                _ => {}
            }
        }
    }
    Ok(())
}

impl PbfBlock<'_> {
    /// Returns a text of the table.
    fn text(&self, index: u64, message: &PbfMessage<'_>) -> Result<Cow<'_, str>, ReadError> {
        let text = usize::try_from(index).ok().and_then(|index| self.texts.get(index));
        text.map(|text| String::from_utf8_lossy(text)).ok_or_else(|| ReadError::OutOfRange {
            place: message.place(message.at),
            what: "texts of the table",
            needed: index.saturating_add(1),
            available: self.texts.len() as u64,
        })
    }

    /// Converts a longitude and latitude in units of the block.
    fn position(&self, lon: i64, lat: i64, message: &PbfMessage<'_>) -> Result<LonLat, ReadError> {
        let degrees =
            |number: i64, offset: i64| number.wrapping_mul(self.granularity).wrapping_add(offset) as f64 / 1e9;
        let at = LonLat { lon: degrees(lon, self.offset[0]), lat: degrees(lat, self.offset[1]) };
        match is_on_earth(at) {
            true => Ok(at),
            false => {
                let found = format!("{} {}", at.lon, at.lat);
                Err(ReadError::syntax(message.place(message.at), found.as_bytes(), "degrees up to 180 and 90"))
            }
        }
    }

    fn node(&self, mut node: PbfMessage<'_>, map: &mut OsmMap) -> Result<(), ReadError> {
        let whole = node;
        let [mut id, mut lon, mut lat] = [0; 3];
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        while let Some((number, field)) = node.next()? {
            match (number, field) {
                (1, PbfField::Number(number)) => id = zigzag(number),
                (8, PbfField::Number(number)) => lat = zigzag(number),
                (9, PbfField::Number(number)) => lon = zigzag(number),
                (2, field) => field.append_to(&mut keys)?,
                (3, field) => field.append_to(&mut values)?,
                _ => {}
            }
        }
        map.add_node(id, self.position(lon, lat, &whole)?, || whole.place(whole.at))?;
        let tags = self.tags(&keys, &values, &whole)?;
        for key in ["barrier", "highway"] {
            map.add_node_tag(id, key, tags.get(key));
        }
        Ok(())
    }

    fn dense_nodes(&self, mut nodes: PbfMessage<'_>, map: &mut OsmMap) -> Result<(), ReadError> {
        let whole = nodes;
        let empty = PbfMessage { at: whole.end, ..whole };
        let (mut lists, mut tags) = ([empty; 3], empty);
        while let Some((number, field)) = nodes.next()? {
            match (number, field) {
                (1, PbfField::Message(list)) => lists[0] = list,
                (8, PbfField::Message(list)) => lists[1] = list,
                (9, PbfField::Message(list)) => lists[2] = list,
                (10, PbfField::Message(list)) => tags = list,
                _ => {}
            }
        }
        let [mut id, mut lat, mut lon] = [0_i64; 3];
        while !lists[0].is_done() {
            let [more_id, more_lat, more_lon] =
                [lists[0].varint()?, lists[1].varint()?, lists[2].varint()?].map(zigzag);
            id = id.wrapping_add(more_id);
            (lat, lon) = (lat.wrapping_add(more_lat), lon.wrapping_add(more_lon));
            map.add_node(id, self.position(lon, lat, &lists[0])?, || whole.place(whole.at))?;
            // Pairs of keys and values, ended by zero, of each node.
            while !tags.is_done() {
                let key = tags.varint()?;
                if key == 0 {
                    break;
                }
                let value = tags.varint()?;
                let key = self.text(key, &tags)?;
                if ["barrier", "highway"].contains(&&*key) {
                    map.add_node_tag(id, &key, &self.text(value, &tags)?);
                }
            }
        }
        Ok(())
    }

    /// Reads a `way` or a relation.
    fn item(&self, mut item: PbfMessage<'_>, is_relation: bool, map: &mut OsmMap) -> Result<(), ReadError> {
        let whole = item;
        let (mut id, mut keys, mut values) = (0, Vec::new(), Vec::new());
        let (mut references, mut kinds) = (Vec::new(), Vec::new());
        while let Some((number, field)) = item.next()? {
            match (number, field) {
                (1, PbfField::Number(number)) => id = number as i64,
                (2, field) => field.append_to(&mut keys)?,
                (3, field) => field.append_to(&mut values)?,
                (8, field) if !is_relation => field.append_to(&mut references)?,
                (9, field) if is_relation => field.append_to(&mut references)?,
                (10, field) if is_relation => field.append_to(&mut kinds)?,
                _ => {}
            }
        }
        let tags = self.tags(&keys, &values, &whole)?;
        let mut sum = 0_i64;
        let sums = references.into_iter().map(|more| {
            sum = sum.wrapping_add(zigzag(more));
            sum
        });
        if !is_relation {
            return map.add_way(OsmWay { id, nodes: sums.collect(), tags }, || whole.place(whole.at));
        }
        // Kind 1 is a `way`.
        let ways = sums.zip(kinds).filter(|&(_, kind)| kind == 1).map(|(id, _)| id).collect();
        map.add_relation(OsmRelation { id, ways, tags }, || whole.place(whole.at))
    }

    fn tags(&self, keys: &[u64], values: &[u64], message: &PbfMessage<'_>) -> Result<OsmTags, ReadError> {
        let mut tags = OsmTags::default();
        for (&key, &value) in keys.iter().zip(values) {
            tags.add(&self.text(key, message)?, &self.text(value, message)?);
        }
        Ok(tags)
    }
}

impl PbfField<'_> {
    /// Appends the numbers of a repeated field, packed or single.
    fn append_to(self, numbers: &mut Vec<u64>) -> Result<(), ReadError> {
        match self {
            Self::Number(number) => numbers.push(number),
            Self::Message(mut packed) => {
                while !packed.is_done() {
                    numbers.push(packed.varint()?);
                }
            }
            Self::Fixed => {}
        }
        Ok(())
    }
}

impl<'a> PbfMessage<'a> {
    fn bytes(&self) -> &'a [u8] {
        &self.data[self.at..self.end]
    }

    fn is_done(&self) -> bool {
        self.at >= self.end
    }

    fn place(&self, at: usize) -> Place {
        let offset = Place::Offset(at as u64);
        match self.block {
            Some(block) => offset.in_member(&format!("block at byte {block}")),
            None => offset,
        }
    }

    /// Returns the next field and its number.
    fn next(&mut self) -> Result<Option<(u64, PbfField<'a>)>, ReadError> {
        if self.is_done() {
            return Ok(None);
        }
        let begin = self.at;
        let key = self.varint()?;
        let field = match key & 7 {
            0 => PbfField::Number(self.varint()?),
            2 => {
                let size = self.varint()?;
                let at = self.at;
                self.advance(size)?;
                PbfField::Message(Self { at, end: self.at, ..*self })
            }
            1 | 5 => {
                self.advance(if key & 7 == 1 { 8 } else { 4 })?;
                PbfField::Fixed
            }
            kind => {
                let expected = "a field of kind 0, 1, 2 or 5: the file is damaged, or no OpenStreetMap PBF";
                return Err(ReadError::syntax(self.place(begin), kind.to_string().as_bytes(), expected));
            }
        };
        Ok(Some((key >> 3, field)))
    }

    fn advance(&mut self, size: u64) -> Result<(), ReadError> {
        let left = (self.end - self.at) as u64;
        if size > left {
            let place = self.place(self.at);
            return Err(ReadError::Truncated { place, what: "bytes of a field", promised: size, present: left });
        }
        self.at += size as usize;
        Ok(())
    }

    /// Reads a number of up to ten bytes of seven bits.
    fn varint(&mut self) -> Result<u64, ReadError> {
        let mut number = 0_u64;
        for count in 0..10 {
            if self.at + count >= self.end {
                let place = self.place(self.end);
                let present = count as u64;
                return Err(ReadError::Truncated { place, what: "bytes of a number", promised: present + 1, present });
            }
            let byte = self.data[self.at + count];
            number |= u64::from(byte & 0x7f) << (7 * count);
            if byte < 0x80 {
                self.at += count + 1;
                return Ok(number);
            }
        }
        Err(ReadError::syntax(self.place(self.at), b"more than 10 bytes", "a number of at most 10 bytes"))
    }
}

/// Decodes a signed number.
fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
