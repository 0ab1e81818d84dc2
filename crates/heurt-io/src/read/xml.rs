//! A pull reader of XML: one element at a time, with the place of each.
//!
//! In: the bytes of a document in UTF-8 or UTF-16, and the archive member that they come from, if any. Out: start tags
//! with their attributes, end tags and text, in document order.
//! Method: `quick-xml` splits the document and checks that tags match. This module adds the line of each error, splits
//! names of tags into prefix and local name, hides attributes of foreign namespaces, and refuses entities that a
//! document type declares.
//! Guarantees: no recursion; no entity is expanded beyond the five predefined ones and character references; memory is
//! the memory of the names of the open tags. Bytes that are not UTF-8 become replacement characters: only names can
//! hold
//! Not guaranteed: namespaces. Callers compare prefixes where they matter. Cost: O(bytes).

use crate::error::quoted;
use crate::{Place, ReadError};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// The longest message of a fault in the XML that an error quotes, in characters: they may hold names of the file.
const SHOWN: usize = 160;

/// A document, read from its start.
pub(super) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    text: &'a str,
    member: Option<&'a str>,
    /// A byte, and its line: lines are counted from here on.
    counted: (usize, u64),
}

/// A start tag.
pub(super) struct Tag<'a> {
    start: BytesStart<'a>,
    /// The byte at which the tag begins.
    pub at: usize,
}

/// The next piece of a document.
pub(super) enum Item<'a> {
    Open(Tag<'a>),
    Close,
    /// A piece of text, and the byte at which it begins.
    Text(Cow<'a, str>, usize),
    End,
}

/// Returns the text of a document in UTF-8 or UTF-16, with replacement characters where it is neither.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let utf16 = |from: fn([u8; 2]) -> u16| {
        let units = bytes[2..].as_chunks::<2>().0.iter().map(|&unit| from(unit));
        char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => Cow::Owned(utf16(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Cow::Owned(utf16(u16::from_be_bytes)),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// Returns the line of a byte, within the archive member if there is one.
fn place_of(text: &str, at: usize, member: Option<&str>) -> Place {
    let line = Place::Line(1 + line_ends(&text.as_bytes()[..at.min(text.len())]));
    match member {
        Some(member) => line.in_member(member),
        None => line,
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

impl<'a> Xml<'a> {
    /// Starts at the beginning of a document.
    pub(super) fn new(text: &'a str, member: Option<&'a str>) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Self { reader, text, member, counted: (0, 1) }
    }

    /// Returns the line of the tag at a byte. Tags come in order, so that all calls together cost O(bytes).
    pub(super) fn line(&mut self, at: usize) -> u64 {
        let (from, line) = self.counted;
        if at >= from {
            self.counted = (at, line + line_ends(&self.text.as_bytes()[from..at.min(self.text.len())]));
            return self.counted.1;
        }
        1 + line_ends(&self.text.as_bytes()[..at])
    }

    /// Returns the place of a byte.
    pub(super) fn place(&self, at: usize) -> Place {
        place_of(self.text, at, self.member)
    }

    /// Returns the next tag or text. References to characters are resolved; comments and instructions are skipped.
    pub(super) fn next(&mut self) -> Result<Item<'a>, ReadError> {
        loop {
            let at = self.reader.buffer_position() as usize;
            let event = self.reader.read_event().map_err(|error| {
                let fault = self.reader.error_position() as usize;
                self.fault(fault.max(at), &error.to_string())
            })?;
            return Ok(match event {
                Event::Start(start) => Item::Open(Tag { start, at }),
                Event::End(_) => Item::Close,
                Event::Text(text) => Item::Text(text.into_inner(), at),
                Event::CData(text) => Item::Text(text.into_inner(), at),
                Event::GeneralRef(reference) => {
                    let whole = format!("&{};", &*reference);
                    match quick_xml::escape::unescape(&whole) {
                        Ok(text) => Item::Text(Cow::Owned(text.into_owned()), at),
                        Err(error) => return Err(self.fault(at, &error.to_string())),
                    }
                }
                Event::Eof => Item::End,
                _ => continue,
            });
        }
    }

    /// Returns the root element, whose local name must be `name`.
    pub(super) fn root(&mut self, name: &str) -> Result<Tag<'a>, ReadError> {
        loop {
            match self.next()? {
                Item::Open(tag) if tag.local() == name => return Ok(tag),
                Item::Open(tag) => {
                    return Err(ReadError::syntax(
                        self.place(tag.at),
                        tag.start.name().0.as_bytes(),
                        format!("<{name}>"),
                    ));
                }
                Item::Text(text, _) if text.trim().is_empty() => {}
                Item::Text(text, at) => {
                    let begin = at + text.len() - text.trim_start().len();
                    return Err(ReadError::syntax(self.place(begin), text.as_bytes(), format!("<{name}>")));
                }
                Item::Close | Item::End => {
                    return Err(ReadError::syntax(self.place(self.text.len()), b"", format!("<{name}>")));
                }
            }
        }
    }

    /// Returns the next child of the open element, or `None` at its end tag. Text between children is skipped.
    pub(super) fn child(&mut self) -> Result<Option<Tag<'a>>, ReadError> {
        loop {
            match self.next()? {
                Item::Open(tag) => return Ok(Some(tag)),
                Item::Close => return Ok(None),
                Item::Text(..) => {}
                Item::End => return Err(self.cut_short()),
            }
        }
    }

    /// Goes to the end tag of the open element.
    pub(super) fn skip(&mut self) -> Result<(), ReadError> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next()? {
                Item::Open(_) => depth += 1,
                Item::Close => depth -= 1,
                Item::Text(..) => {}
                Item::End => return Err(self.cut_short()),
            }
        }
        Ok(())
    }

    /// Makes the error of a document that ends inside an element.
    pub(super) fn cut_short(&self) -> ReadError {
        let found = "the end of the document".to_owned();
        let expected = "the end tag of every element: it is cut short, write or copy it again".to_owned();
        ReadError::Syntax { place: self.place(self.text.len()), found, expected }
    }

    /// Makes the error of a fault of the XML at a byte.
    fn fault(&self, at: usize, error: &str) -> ReadError {
        let mut shown: String = error.chars().take(SHOWN).flat_map(char::escape_debug).collect();
        if error.chars().nth(SHOWN).is_some() {
            shown.push('…');
        }
        let expected = "well-formed XML".to_owned();
        ReadError::Syntax { place: self.place(at), found: format!("a fault ({shown})"), expected }
    }

    /// Returns the attributes of a tag that belong to it, which have no prefix: names, and values as they are written.
    /// Attributes with a prefix are of other namespaces; [`Tag::raw_attributes`] returns them, too.
    pub(super) fn attributes<'t>(
        &self,
        tag: &'t Tag<'a>,
    ) -> impl Iterator<Item = Result<(&'t str, Cow<'t, str>), ReadError>> {
        // The check for names given twice would cost a set for each tag.
        let mut attributes = tag.start.attributes();
        attributes.with_checks(false);
        attributes.filter_map(|attribute| match attribute {
            Ok(attribute) if attribute.key.0.contains(':') => None,
            Ok(attribute) => Some(Ok((attribute.key.0, attribute.value))),
            Err(error) => Some(Err(self.fault(tag.at, &error.to_string()))),
        })
    }

    /// Returns the first attribute of a tag with the given name, which has no prefix, character references resolved.
    pub(super) fn attribute(&self, tag: &Tag<'a>, name: &str) -> Result<Option<String>, ReadError> {
        for attribute in self.attributes(tag) {
            let (found, value) = attribute?;
            if found == name {
                return match quick_xml::escape::unescape(&value) {
                    Ok(value) => Ok(Some(value.into_owned())),
                    Err(error) => Err(self.fault(tag.at, &error.to_string())),
                };
            }
        }
        Ok(None)
    }

    /// Reads a finite number that an attribute of the tag at byte `at` holds.
    pub(super) fn finite(&self, at: usize, value: &str) -> Result<f64, ReadError> {
        match value.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(ReadError::NotFinite { place: self.place(at), value: quoted(value.as_bytes()) }),
            Err(_) => Err(ReadError::syntax(self.place(at), value.as_bytes(), "a coordinate")),
        }
    }
}

impl Tag<'_> {
    /// Returns the name without its prefix.
    pub(super) fn local(&self) -> &str {
        local(self.start.name().0)
    }

    /// Returns the prefix of the name; empty where it has none.
    pub(super) fn prefix(&self) -> &str {
        let name = self.start.name().0;
        name.rsplit_once(':').map_or("", |(prefix, _)| prefix)
    }

    /// Returns the length of the tag in bytes.
    pub(super) fn size(&self) -> usize {
        self.start.len()
    }

    /// Returns the attributes as they are written, names with their prefix.
    pub(super) fn raw_attributes(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let mut attributes = self.start.attributes();
        attributes.with_checks(false);
        attributes.filter_map(Result::ok).map(|attribute| (attribute.key.0, attribute.value))
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}
