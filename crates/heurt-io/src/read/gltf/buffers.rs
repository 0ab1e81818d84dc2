//! The bytes of buffers: the binary chunk, `data:` URIs, and files fetched through the caller.
//!
//! Each is decoded or fetched when first needed, and once.

use super::Budget;
use super::schema::{BufferView, Document};
use crate::read::BASE64;
use crate::{Place, ReadError, Resolve};
use base64::Engine;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The buffers of a document.
pub(super) struct Buffers<'a> {
    document: &'a Document<'a>,
    binary: Option<&'a [u8]>,
    resolve: Option<Resolve<'a>>,
    loaded: BTreeMap<u32, Cow<'a, [u8]>>,
    /// What is wrong with buffers that could not be loaded.
    failed: BTreeMap<u32, ReadError>,
    /// Buffers by the path they were fetched from; none where that failed.
    fetched: BTreeMap<String, Option<u32>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(document: &'a Document<'a>, binary: Option<&'a [u8]>, resolve: Option<Resolve<'a>>) -> Self {
        Self { document, binary, resolve, loaded: BTreeMap::new(), failed: BTreeMap::new(), fetched: BTreeMap::new() }
    }

    /// The bytes of a view, its range checked.
    pub(super) fn view(&mut self, view: u32, budget: &mut Budget) -> Result<(&BufferView, &[u8]), ReadError> {
        let views = &self.document.buffer_views;
        let item = || Place::Item(format!("bufferViews[{view}]"));
        let Some(found) = views.get(view as usize) else {
            let (needed, available) = (u64::from(view) + 1, views.len() as u64);
            return Err(ReadError::OutOfRange { place: item(), what: "buffer views", needed, available });
        };
        let bytes = self.buffer(found.buffer, budget)?;
        let (start, available) = (found.byte_offset, bytes.len() as u64);
        match start.checked_add(found.byte_length) {
            Some(end) if end <= available => Ok((found, &bytes[start as usize..end as usize])),
            end => {
                let needed = end.unwrap_or(u64::MAX);
                Err(ReadError::OutOfRange { place: item(), what: "bytes of its buffer", needed, available })
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
        if (bytes.len() as u64) < declared.byte_length {
            return Err(missing(buffer, format!("{} of its {} bytes are there", bytes.len(), declared.byte_length)));
        }
        Ok(&bytes[..declared.byte_length as usize])
    }

    /// Loads a buffer where it is not loaded yet. Gives the buffer that holds the bytes: those that name one file share
    /// them.
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

/// The bytes of the file that `uri` names, `None` where it cannot be read.
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

/// The path that a URI names, the same for every way to spell it: `./my%20part.bin` is `my part.bin`.
fn normal_path(uri: &str) -> String {
    let decoded = percent_decoded(uri);
    let steps: Vec<&str> = decoded.split('/').filter(|step| !matches!(*step, "" | ".")).collect();
    // A path from the root stays one: the caller may refuse it.
    let root = if decoded.starts_with('/') { "/" } else { "" };
    format!("{root}{}", steps.join("/"))
}

/// Turns `%20` into a blank, and so on; a stray percent sign stays.
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
