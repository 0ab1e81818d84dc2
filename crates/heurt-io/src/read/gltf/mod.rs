//! glTF 2.0: a scene of nodes as an assembly of named parts, from JSON or the binary container GLB.
//!
//! In: bytes, and a way to fetch buffers named by a path. Out: one part per node that has a mesh with triangles; nodes
//! that share a mesh share its index. Rotation and translation become the pose; what else a node's ancestors do to its
//! mesh (scale, mirror, shear) is baked into a copy of it, one per distinct stretch, faces turned over on a mirror.
//! Transforms are computed in `f64` from the JSON numbers; positions are `f32` or normalised integers in the file.
//! Read: the default scene (else the first, else all roots), triangles, strips and fans, indexed or not, strided and
//! sparse accessors, quantised positions. Skipped: points, lines, skins, morph targets, animations, materials.
//! Guarantees: the hierarchy is walked without recursion and must be a tree; no accessor is read before its range is
//! checked; what the file unpacks to (shared data, baked copies) is bounded by [`Budget`] in terms of its size.
//! Errors name the JSON item, or the line (GLB: byte) of a JSON fault. Cost: O(bytes + what is baked).

mod accessor;
mod buffers;
mod container;
mod primitive;
mod scene;
mod schema;

use super::budget::Budget;
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
    if format == Format::Glb {
        let chunks = container::split(bytes)?;
        let document = parse(chunks.json, |_, _, offset| Place::Offset(chunks.json_at + offset))?;
        let buffers = Buffers::new(&document, chunks.binary, options.resolve);
        return scene::read(&document, buffers, budget, format, wrong);
    }
    let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let document = parse(json, |line, column, _| Place::LineColumn(line, column))?;
    scene::read(&document, Buffers::new(&document, None, options.resolve), budget, format, wrong)
}

fn parse<'a>(json: &'a [u8], place: impl Fn(u64, u64, u64) -> Place) -> Result<Document<'a>, ReadError> {
    let document: Document<'a> = serde_json::from_slice(json).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let before: usize =
            json.split_inclusive(|&byte| byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
        let place = place(line as u64, column as u64, (before + column.saturating_sub(1)) as u64);
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        ReadError::Syntax { place, found: format!("a fault ({text})"), expected: "a glTF 2.0 document".to_owned() }
    })?;
    schema::check_required_extensions(&document)?;
    Ok(document)
}
