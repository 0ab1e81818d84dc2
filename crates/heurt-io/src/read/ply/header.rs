//! The header of a PLY file: what the values after it are.

use crate::read::text::{self, Lines};
use crate::read::warnings::Warnings;
use crate::{Place, ReadError};

/// How values are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Encoding {
    Text,
    Little,
    Big,
}

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PlyScalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl PlyScalar {
    /// Bytes in a binary file.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    fn from_word(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }
}

/// One number, or a list with its length in front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PlyEncoding {
    Scalar(PlyScalar),
    List { count: PlyScalar, item: PlyScalar },
}

#[derive(Debug)]
pub(super) struct PlyProperty {
    pub(super) name: String,
    pub(super) kind: PlyEncoding,
}

#[derive(Debug)]
pub(super) struct PlyElement {
    pub(super) name: String,
    pub(super) count: u64,
    /// At least one, so that each item takes at least a byte.
    pub(super) properties: Vec<PlyProperty>,
    /// The line that declares it.
    pub(super) line: u64,
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<PlyElement>,
    /// The error of the first header line of an unknown word, if one was ignored.
    pub(super) unknown: Option<ReadError>,
}

/// Elements whose items are nothing.
const BARE_ELEMENTS: &str = "elements without properties";
/// Lines of the header that start with no word of the format.
const UNKNOWN_LINES: &str = "unknown header lines";

/// Reads the header; the lines returned follow `end_header`.
pub(super) fn parse<'a>(mut lines: Lines<'a>, warnings: &mut Warnings) -> Result<(Header, Lines<'a>), ReadError> {
    let first = lines.next().unwrap_or_default();
    if first.trim_ascii() != b"ply" {
        return Err(ReadError::syntax(lines.place(), first, "`ply`"));
    }
    let mut encoding = None;
    let mut elements: Vec<PlyElement> = Vec::new();
    let mut unknown = None;
    loop {
        let Some(line) = lines.next() else {
            return Err(ReadError::syntax(lines.place(), b"", "`end_header`: the file is cut short"));
        };
        let place = lines.place();
        let mut words = text::words(line);
        match words.next() {
            None | Some(b"comment" | b"obj_info") => {}
            Some(b"format") => encoding = Some(self::encoding(words.next().unwrap_or_default(), &place)?),
            Some(b"element") => elements.push(element(words, lines.number(), warnings)?),
            Some(b"property") => match elements.last_mut() {
                Some(element) => element.properties.push(property(words, line, &place)?),
                None => return Err(ReadError::syntax(place, line, "an element before its properties")),
            },
            Some(b"end_header") => break,
            Some(_) => {
                let error = ReadError::syntax(place, line, "format, element, property, comment or end_header");
                warnings.ignore(UNKNOWN_LINES, || lines.place(), line, |_| error.clone())?;
                unknown.get_or_insert(error);
            }
        }
    }
    let Some(encoding) = encoding else {
        return Err(ReadError::syntax(lines.place(), b"end_header", "a line `format` before it"));
    };
    for bare in elements.iter().filter(|element| element.properties.is_empty() && element.count > 0) {
        let found = format!("element {} {}", bare.name, bare.count);
        let error = |place| ReadError::syntax(place, found.as_bytes(), "at least one property after it");
        let is_needed = matches!(bare.name.as_str(), "vertex" | "face");
        if is_needed {
            return Err(error(Place::Line(bare.line)));
        }
        warnings.ignore(BARE_ELEMENTS, || Place::Line(bare.line), found.as_bytes(), error)?;
    }
    elements.retain(|element| !element.properties.is_empty() || element.count == 0);
    Ok((Header { encoding, elements, unknown }, lines))
}

fn encoding(word: &[u8], place: &Place) -> Result<Encoding, ReadError> {
    match word {
        b"ascii" => Ok(Encoding::Text),
        b"binary_little_endian" => Ok(Encoding::Little),
        b"binary_big_endian" => Ok(Encoding::Big),
        _ => Err(ReadError::syntax(place.clone(), word, "ascii, binary_little_endian or binary_big_endian")),
    }
}

fn element<'a>(
    mut words: impl Iterator<Item = &'a [u8]>,
    line: u64,
    warnings: &mut Warnings,
) -> Result<PlyElement, ReadError> {
    let name = String::from_utf8_lossy(words.next().unwrap_or_default()).into_owned();
    let count = words.next().unwrap_or_default();
    // Some writers print a count as `8.0`.
    let whole = count.strip_suffix(b".0").filter(|_| !warnings.is_strict()).unwrap_or(count);
    let Some(count) = text::integer(whole).and_then(|count| u64::try_from(count).ok()) else {
        return Err(ReadError::syntax(Place::Line(line), count, "the number of elements"));
    };
    Ok(PlyElement { name, count, properties: Vec::new(), line })
}

fn property<'a>(
    mut words: impl Iterator<Item = &'a [u8]>,
    line: &[u8],
    place: &Place,
) -> Result<PlyProperty, ReadError> {
    let scalar = |words: &mut dyn Iterator<Item = &'a [u8]>| {
        let word = words.next().unwrap_or_default();
        let expected = "a type: char, uchar, short, ushort, int, uint, float, double or int8 to float64";
        PlyScalar::from_word(word)
            .ok_or_else(|| ReadError::syntax(place.clone(), word, expected))
            .map(|scalar| (word, scalar))
    };
    let first = words.next().unwrap_or_default();
    let kind = if first == b"list" {
        let (word, count) = scalar(&mut words)?;
        if !count.is_integer() {
            return Err(ReadError::syntax(place.clone(), word, "an integer type for the length of a list"));
        }
        PlyEncoding::List { count, item: scalar(&mut words)?.1 }
    } else {
        PlyEncoding::Scalar(scalar(&mut std::iter::once(first))?.1)
    };
    let Some(name) = words.next() else {
        return Err(ReadError::syntax(place.clone(), line, "a name after the type"));
    };
    Ok(PlyProperty { name: String::from_utf8_lossy(name).into_owned(), kind })
}
