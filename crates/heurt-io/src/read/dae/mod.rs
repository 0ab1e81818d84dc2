//! COLLADA 1.4 and 1.5: a visual scene of nodes as an assembly of named parts.
//!
//! In: bytes. Out: a [`Model`] with one part for each instance of a geometry that has faces; instances of one geometry
//! share a mesh. A part is named by its nodes from the scene down, joined by `/`: by name, else by id.
//! Method: the elements become a tree in memory; references by `#id` are looked up in it. The transforms of a node
//! compose in file order; rotation and translation become the pose, scale, mirror and shear are baked into a copy of
//! the mesh. Coordinates are read as they are: like glTF, which is Y up as well, a file keeps its own up axis.
//! `<unit meter=…>` becomes the unit of the model; a length that is no known unit is baked in as a scale to metres. A
//! file without it is in metres, as the specification states. Polygons are kept, those with holes
//! as triangles.
//! Read: triangles, polylists, polygons, fans and strips, the scene that is instantiated (else the first, else all
//! geometries). Skipped with a warning: controllers (skins, morphs), faces of fewer than three corners,
//! geometries that are no mesh. Skipped: lines, materials, animations, cameras, lights.
//! Guarantees: no recursion; nodes that contain themselves are refused; copies are bounded by [`Budget`]. Errors name
//! the line. Cost: O(bytes + baked copies) in time; in memory some 100 bytes an element.

mod document;
mod geometry;
mod scene;
mod transform;

use super::budget::Budget;
use super::warnings::Warnings;
use super::xml;
use crate::{Model, ReadError};
use document::DaeDocument;

/// Reports whether `bytes` begin as a COLLADA document.
pub(crate) fn looks_like_dae(bytes: &[u8]) -> bool {
    /// The bytes in which the root element has to begin: a prologue and some comments.
    const HEAD: usize = 1 << 12;
    let head = xml::decoded(&bytes[..bytes.len().min(HEAD)]);
    head.trim_start().starts_with('<') && head.contains("<COLLADA")
}

/// Reads the file.
pub(super) fn read(bytes: &[u8], is_strict: bool) -> Result<Model, ReadError> {
    let text = xml::decoded(bytes);
    let mut budget = Budget::new(bytes.len());
    let document = DaeDocument::parse(&text, &mut budget)?;
    scene::read(&document, budget, Warnings::new(is_strict))
}
