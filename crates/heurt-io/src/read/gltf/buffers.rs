//! Buffers of a glTF document: the binary chunk, `data:` URIs, and files fetched through the caller.
//!
//! Each buffer is decoded or fetched once, when first needed.

use super::Budget;
#[cfg(feature = "meshopt")]
use super::schema::Compression;
use super::schema::{BufferView, Document};
use crate::read::BASE64;
use crate::read::warnings::Warnings;
use crate::{Place, ReadError, Resolve};
use base64::Engine;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a decompressed view that count as a word of the budget.
#[cfg(feature = "meshopt")]
const DECOMPRESSED_BYTES: u64 = 4;
/// Bytes that a buffer declares and lacks.
const SHORT_BUFFERS: &str = "buffers shorter than declared";

/// The buffers of a document.
pub(super) struct Buffers<'a> {
    document: &'a Document<'a>,
    binary: Option<&'a [u8]>,
    resolve: Option<Resolve<'a>>,
    loaded: BTreeMap<u32, Cow<'a, [u8]>>,
    /// Errors of buffers that could not be loaded.
    failed: BTreeMap<u32, ReadError>,
    /// Buffers that are shorter than they declare.
    short: BTreeSet<u32>,
    /// Decompressed views.
    #[cfg(feature = "meshopt")]
    decompressed: BTreeMap<u32, Vec<u8>>,
    /// Warnings on ignored contents.
    pub(super) warnings: Warnings,
    /// Buffers by the path they were fetched from; none where that failed.
    fetched: BTreeMap<String, Option<u32>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        document: &'a Document<'a>,
        binary: Option<&'a [u8]>,
        resolve: Option<Resolve<'a>>,
        warnings: Warnings,
    ) -> Self {
        let (loaded, failed, fetched, short) = Default::default();
        Self {
            document,
            binary,
            resolve,
            loaded,
            failed,
            short,
            #[cfg(feature = "meshopt")]
            decompressed: BTreeMap::new(),
            warnings,
            fetched,
        }
    }

    /// Returns a view and its bytes, decompressed if it is compressed; their range is checked.
    pub(super) fn view(&mut self, view: u32, budget: &mut Budget) -> Result<(&BufferView, &[u8]), ReadError> {
        let views = &self.document.buffer_views;
        let Some(found) = views.get(view as usize) else {
            let (needed, available) = (u64::from(view) + 1, views.len() as u64);
            let place = Place::Item(format!("bufferViews[{view}]"));
            return Err(ReadError::OutOfRange { place, what: "buffer views", needed, available });
        };
        #[cfg(feature = "meshopt")]
        if let Some((compression, extension)) = found.compression() {
            return Ok((found, self.decompressed(view, found.byte_length, (compression, extension), budget)?));
        }
        let place = || Place::Item(format!("bufferViews[{view}]"));
        Ok((found, self.range(found.buffer, found.byte_offset, found.byte_length, place, budget)?))
    }

    /// Returns the decompressed bytes of a view, decompressing it once.
    #[cfg(feature = "meshopt")]
    fn decompressed(
        &mut self,
        view: u32,
        length: u64,
        (compression, extension): (&Compression, &str),
        budget: &mut Budget,
    ) -> Result<&[u8], ReadError> {
        if !self.decompressed.contains_key(&view) {
            let item = || Place::Item(format!("bufferViews[{view}].extensions.{extension}"));
            let size = compression.count.saturating_mul(compression.byte_stride);
            if size != length {
                let (found, expected) = (format!("byteLength {length}"), format!("byteStride times count, {size}"));
                return Err(ReadError::syntax(item(), found.as_bytes(), expected));
            }
            budget.take(size / DECOMPRESSED_BYTES, item)?;
            let Compression { buffer, byte_offset, byte_length, .. } = *compression;
            let bytes = self.range(buffer, byte_offset, byte_length, item, budget)?;
            let decompressed = super::meshopt::decompress(compression, bytes, &item())?;
            self.decompressed.insert(view, decompressed);
        }
        Ok(self.decompressed.get(&view).map_or(b"", |bytes| bytes))
    }

    /// Returns `length` bytes of a buffer from `start` on.
    fn range(
        &mut self,
        buffer: u32,
        start: u64,
        length: u64,
        place: impl Fn() -> Place,
        budget: &mut Budget,
    ) -> Result<&[u8], ReadError> {
        let declared = declared_length(self.document, buffer);
        let bytes = self.buffer(buffer, budget)?;
        let available = bytes.len() as u64;
        match start.checked_add(length) {
            Some(end) if end <= available => Ok(&bytes[start as usize..end as usize]),
            // The bytes are among the missing bytes of the buffer.
            Some(end) if end <= declared => Err(too_short(buffer, available, declared)),
            end => {
                let needed = end.unwrap_or(u64::MAX);
                Err(ReadError::OutOfRange { place: place(), what: "bytes of its buffer", needed, available })
            }
        }
    }

    fn buffer(&mut self, buffer: u32, budget: &mut Budget) -> Result<&[u8], ReadError> {
        let Some(declared) = self.document.buffers.get(buffer as usize) else {
            let available = self.document.buffers.len() as u64;
            let place = Place::Item(format!("buffers[{buffer}]"));
            return Err(ReadError::OutOfRange { place, what: "buffers", needed: u64::from(buffer) + 1, available });
        };
        if let Some(error) = self.failed.get(&buffer) {
            return Err(error.clone());
        }
        let key = self.load(buffer, declared.uri.as_deref(), budget).inspect_err(|error| {
            self.failed.insert(buffer, error.clone());
        })?;
        let bytes: &[u8] = self.loaded.get(&key).map_or(b"", |bytes| bytes);
        let present = bytes.len() as u64;
        if present < declared.byte_length && self.short.insert(buffer) {
            let found = format!("{present} of {} bytes", declared.byte_length);
            let place = || Place::Item(format!("buffers[{buffer}]"));
            let error = |_| too_short(buffer, present, declared.byte_length);
            self.warnings.ignore(SHORT_BUFFERS, place, found.as_bytes(), error).inspect_err(|error| {
                self.failed.insert(buffer, error.clone());
            })?;
        }
        Ok(&bytes[..declared.byte_length.min(present) as usize])
    }

    /// Loads a buffer if it is not loaded yet. Returns the buffer that holds the bytes: buffers with the same file
    /// share them.
    fn load(&mut self, buffer: u32, uri: Option<&str>, budget: &mut Budget) -> Result<u32, ReadError> {
        if self.loaded.contains_key(&buffer) {
            return Ok(buffer);
        }
        let bytes = match uri {
            None => Cow::Borrowed(self.binary_chunk(buffer)?),
            Some(uri) if uri.starts_with("data:") => Cow::Owned(decode(uri, buffer)?),
            Some(uri) => {
                let path = normal_path(uri);
                let bytes = match self.fetched.get(&path) {
                    Some(Some(earlier)) => return Ok(*earlier),
                    Some(None) => None,
                    None => fetch(uri, &path, buffer, self.resolve)?,
                };
                self.fetched.insert(path, bytes.is_some().then_some(buffer));
                let shown = || crate::error::quoted(uri.as_bytes());
                let bytes = bytes.ok_or_else(|| missing(buffer, format!("the file {} cannot be read", shown())))?;
                budget.grow(bytes.len());
                Cow::Owned(bytes)
            }
        };
        self.loaded.insert(buffer, bytes);
        Ok(buffer)
    }

    fn binary_chunk(&self, buffer: u32) -> Result<&'a [u8], ReadError> {
        match self.binary {
            Some(binary) if buffer == 0 => Ok(binary),
            Some(_) => Err(missing(buffer, "it has no URI, and only buffer 0 may be the binary chunk".to_owned())),
            None => Err(missing(buffer, "it has no URI, and there is no binary chunk".to_owned())),
        }
    }
}

/// Returns the number of bytes that a buffer declares; 0 if there is no such buffer.
fn declared_length(document: &Document<'_>, buffer: u32) -> u64 {
    document.buffers.get(buffer as usize).map_or(0, |buffer| buffer.byte_length)
}

fn too_short(buffer: u32, present: u64, declared: u64) -> ReadError {
    missing(buffer, format!("{present} of its {declared} bytes are there"))
}

fn missing(buffer: u32, reason: String) -> ReadError {
    ReadError::MissingBuffer { buffer: buffer as usize, reason }
}

/// Decodes a URI such as `data:application/octet-stream;base64,AAAA`.
fn decode(uri: &str, buffer: u32) -> Result<Vec<u8>, ReadError> {
    let Some((_, data)) = uri.split_once(";base64,") else {
        return Err(missing(buffer, format!("the URI {} is not base64", crate::error::quoted(uri.as_bytes()))));
    };
    BASE64.decode(data).map_err(|error| missing(buffer, format!("its base64 data is broken ({error})")))
}

/// Returns the bytes of the file that `uri` names, `None` if it cannot be read.
fn fetch(uri: &str, path: &str, buffer: u32, resolve: Option<Resolve<'_>>) -> Result<Option<Vec<u8>>, ReadError> {
    let shown = crate::error::quoted(uri.as_bytes());
    let Some(resolve) = resolve else {
        return Err(missing(buffer, format!("it lies in another file, {shown}")));
    };
    if uri.contains("://") {
        return Err(missing(buffer, format!("it lies on the network, at {shown}")));
    }
    Ok(resolve(path))
}

/// Returns the normalised path of a URI, equal for all its spellings: `./my%20part.bin` is `my part.bin`.
fn normal_path(uri: &str) -> String {
    let decoded = percent_decoded(uri);
    let steps: Vec<&str> = decoded.split('/').filter(|step| !matches!(*step, "" | ".")).collect();
    // A path from the root stays absolute: the caller may reject it.
    let root = if decoded.starts_with('/') { "/" } else { "" };
    format!("{root}{}", steps.join("/"))
}

/// Decodes `%20` to a blank, and so on; a stray percent sign stays.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.filter(|_| first == b'%').and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
