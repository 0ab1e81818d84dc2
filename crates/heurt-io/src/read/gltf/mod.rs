//! glTF 2.0: a scene of nodes as an assembly of named parts, from JSON or the binary container GLB.
//!
//! In: bytes, and a function that fetches buffers named by a path. Out: one part per node that has a mesh with
//! triangles, or one per instance of it (`EXT_mesh_gpu_instancing`), named by the path of named nodes; nodes that share
//! a mesh share its index. The unit is the metre. Rotation and translation become the pose; what else a node's
//! ancestors do to its mesh (scale, mirror, shear) is baked into a copy of it, one per distinct stretch, faces turned
//! over on a mirror. Transforms are computed in `f64` from the JSON numbers; positions are `f32` or normalised integers
//! in the file.
//! Read: the default scene (else the first, else all roots), triangles, strips and fans, indexed or not, strided and
//! sparse accessors, quantised positions, morph targets with their default weights, skins (the place of the node does
//! not count for them). Skipped: points, lines, animations, materials. A unit in `extras` is ignored with a warning.
//! Guarantees: the hierarchy is walked without recursion and must be a tree; no accessor is read before its range is
//! checked; what the file unpacks to (shared data, baked copies) is bounded by [`Budget`] in terms of its size.
//! A lenient reader ignores with a warning: primitives without positions, incomplete triangles, meshes without
//! triangles, bytes after the end, buffers that end after the bytes that are used, and extensions that are used but not
//! required. Errors name the JSON item, or the line (GLB: byte) of a JSON fault. Cost: O(bytes + what is baked).

mod accessor;
mod buffers;
mod container;
mod deform;
#[cfg(feature = "draco")]
mod draco;
mod extensions;
mod extras;
mod frame;
mod instances;
#[cfg(feature = "meshopt")]
mod meshopt;
mod names;
mod primitive;
mod scene;
mod schema;
mod skin;

use super::budget::Budget;
use super::text::{self, BYTE_ORDER_MARK};
use super::warnings::{BYTE_ORDER_MARKS, NULS, TRAILING_BYTES, Warnings};
use super::{ReadOptions, Wrong};
use crate::{Format, PartialModel, Place, ReadError};
use buffers::Buffers;
use schema::Document;

/// Reads a file in its container ([`Format::Glb`]) or as JSON.
pub(super) fn read(
    bytes: &[u8],
    format: Format,
    options: &ReadOptions<'_>,
    wrong: Wrong,
) -> Result<PartialModel, ReadError> {
    let budget = Budget::new(bytes.len());
    let mut warnings = Warnings::new(options.strict);
    if format == Format::Glb {
        let chunks = container::split(bytes, &mut warnings)?;
        let document = parse(chunks.json, &mut warnings, |_, _, offset| Place::Offset(chunks.json_at + offset))?;
        let buffers = Buffers::new(&document, chunks.binary, options.resolve, warnings);
        return scene::read(&document, buffers, budget, format, wrong);
    }
    let json = text::prepare(bytes, &mut warnings)?;
    let json = json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&json);
    let document = parse(json, &mut warnings, |line, column, _| Place::LineColumn(line, column))?;
    let buffers = Buffers::new(&document, None, options.resolve, warnings);
    scene::read(&document, buffers, budget, format, wrong)
}

/// Parses a document; `place` makes a place of a line, a column and an offset in `json`.
fn parse<'a>(
    json: &'a [u8],
    warnings: &mut Warnings,
    place: impl Fn(u64, u64, u64) -> Place,
) -> Result<Document<'a>, ReadError> {
    // Some writers pad the JSON of a GLB file with NUL bytes, or begin it with a byte order mark.
    let front = json.strip_prefix(BYTE_ORDER_MARK).filter(|_| !warnings.is_strict());
    let skipped = json.len() - front.unwrap_or(json).len();
    warnings.add(BYTE_ORDER_MARKS, u64::from(skipped > 0), || place(1, 1, 0), b"");
    let text = &json[skipped..];
    let padding = text.iter().rev().take_while(|&&byte| byte == 0).count();
    let text = if warnings.is_strict() { text } else { &text[..text.len() - padding] };
    warnings.add(NULS, padding as u64, || place(1, 1, (skipped + text.len()) as u64), b"");

    let mut documents = serde_json::Deserializer::from_slice(text).into_iter::<Document<'a>>();
    let fault = |error: serde_json::Error| {
        let (line, column) = (error.line(), error.column());
        let before: usize =
            text.split_inclusive(|&byte| byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
        let place = place(line as u64, column as u64, (skipped + before + column.saturating_sub(1)) as u64);
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        ReadError::Syntax { place, found: format!("a fault ({message})"), expected: "a glTF 2.0 document".to_owned() }
    };
    let document = match documents.next() {
        Some(document) => document.map_err(&fault)?,
        None => return Err(ReadError::syntax(place(1, 1, 0), b"", "a glTF 2.0 document")),
    };
    let end = documents.byte_offset();
    let rest = text[end..].trim_ascii();
    if !rest.is_empty() {
        let before = &text[..text.len() - text[end..].trim_ascii_start().len()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        let place = || place(line as u64, column as u64, (skipped + before.len()) as u64);
        let expected = "the end of the glTF 2.0 document";
        warnings.ignore_many(TRAILING_BYTES, rest.len() as u64, place, rest, |place| {
            ReadError::syntax(place, rest, expected)
        })?;
    }
    extensions::check(&document, warnings)?;
    extras::check(&document, warnings);
    Ok(document)
}
