//! A writer of ZIP archives: members packed with Deflate, in the order they are added.
//!
//! In: names, and bytes as a stream. Out: an archive, the same for the same input: every member has the earliest time
//! stamp of the format, 1980-01-01.
//! Method: PKWARE APPNOTE 6.3.10, section 4.3. A member is packed in memory, so that its header holds its sizes.
//! Guarantees: sizes beyond 32 bits are refused. Cost: O(bytes); memory for the packed bytes.

use super::WriteError;
use crate::Format;
use miniz_oxide::deflate::core::{CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output};
use miniz_oxide::{DataFormat, deflate::CompressionLevel};
use std::io::{self, Write};

/// 1 January 1980 in the format of MS-DOS: year since 1980, month, day.
const DATE: u16 = (1 << 5) | 1;
/// The version of the format that knows Deflate, times ten.
const VERSION: u16 = 20;
/// Deflate.
const METHOD: u16 = 8;

/// An archive under construction.
#[derive(Default)]
pub(super) struct ZipWriter {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    members: u16,
}

/// A member under construction.
pub(super) struct Packer {
    compressor: Box<CompressorOxide>,
    crc: crc32fast::Hasher,
    packed: Vec<u8>,
    size: u64,
}

impl Packer {
    pub(super) fn new() -> Self {
        // A million triangles: 13.5 MB in 0.8 s; level 6 takes 4.8 s for 11.4 MB.
        let compressor = CompressorOxide::with_format_and_level(DataFormat::Raw, CompressionLevel::BestSpeed);
        Self { compressor: Box::new(compressor), crc: crc32fast::Hasher::new(), packed: Vec::new(), size: 0 }
    }

    fn compress(&mut self, bytes: &[u8], flush: TDEFLFlush) -> io::Result<TDEFLStatus> {
        let packed = &mut self.packed;
        let (status, _) = compress_to_output(&mut self.compressor, bytes, flush, |bytes| {
            packed.extend_from_slice(bytes);
            true
        });
        match status {
            TDEFLStatus::Okay | TDEFLStatus::Done => Ok(status),
            other => Err(io::Error::other(format!("the compressor failed with {other:?}"))),
        }
    }
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.crc.update(bytes);
        self.size += bytes.len() as u64;
        self.compress(bytes, TDEFLFlush::None)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ZipWriter {
    /// Adds a member.
    pub(super) fn add(&mut self, name: &str, mut packer: Packer, format: Format) -> Result<(), WriteError> {
        packer.compress(b"", TDEFLFlush::Finish)?;
        let offset = size_of_32_bits(self.bytes.len() as u64, format)?;
        let size = size_of_32_bits(packer.size, format)?;
        let packed = size_of_32_bits(packer.packed.len() as u64, format)?;
        let mut common = Vec::new();
        for field in [VERSION, 0, METHOD, 0, DATE] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        for field in [packer.crc.finalize(), packed, size] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        common.extend_from_slice(&(name.len() as u16).to_le_bytes());
        common.extend_from_slice(&[0; 2]); // No extra field.

        self.bytes.extend_from_slice(b"PK\x03\x04");
        self.bytes.extend_from_slice(&common);
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(&packer.packed);

        self.directory.extend_from_slice(b"PK\x01\x02");
        self.directory.extend_from_slice(&VERSION.to_le_bytes());
        self.directory.extend_from_slice(&common);
        // No comment, disk 0, no attributes inside or outside.
        self.directory.extend_from_slice(&[0; 10]);
        self.directory.extend_from_slice(&offset.to_le_bytes());
        self.directory.extend_from_slice(name.as_bytes());
        self.members += 1;
        Ok(())
    }

    /// Adds a member of a given text.
    pub(super) fn add_text(&mut self, name: &str, text: &str, format: Format) -> Result<(), WriteError> {
        let mut packer = Packer::new();
        packer.write_all(text.as_bytes())?;
        self.add(name, packer, format)
    }

    /// Writes the archive.
    pub(super) fn finish(self, format: Format, out: &mut dyn Write) -> Result<(), WriteError> {
        let begin = size_of_32_bits(self.bytes.len() as u64, format)?;
        out.write_all(&self.bytes)?;
        out.write_all(&self.directory)?;
        out.write_all(b"PK\x05\x06")?;
        out.write_all(&[0; 4])?; // Disk 0 of 1.
        out.write_all(&self.members.to_le_bytes())?;
        out.write_all(&self.members.to_le_bytes())?;
        out.write_all(&(self.directory.len() as u32).to_le_bytes())?;
        out.write_all(&begin.to_le_bytes())?;
        out.write_all(&[0; 2])?; // No comment.
        Ok(out.flush()?)
    }
}

fn size_of_32_bits(count: u64, format: Format) -> Result<u32, WriteError> {
    // The largest number states that the size is in a ZIP64 field.
    let max = u64::from(u32::MAX) - 1;
    u32::try_from(count).ok().filter(|_| count <= max).ok_or(WriteError::TooLarge { format, what: "bytes", count, max })
}
