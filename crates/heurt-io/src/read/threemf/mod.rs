//! 3MF: a ZIP package whose model parts hold meshes, components and build items.
//!
//! In: bytes. Out: a [`Model`] with one part for each mesh that a build item places, directly or through components.
//! Method: 3MF Core Specification 1.3 and Production Extension 1.2. The package relationships name the root model part;
//! items and components may name others by `p:path`, and each is parsed once. Rotation and translation become the pose,
//! what else a transform does is baked into a copy of the mesh. A part is named by the objects from its item down to
//! its mesh, joined by `/`: by name, else by part number; unnamed levels are left out.
//! Read: objects of types `model` and `surface`, base materials and colour groups where a whole object has one colour.
//! Skipped with a warning: objects of types `support`, `solidsupport` and `other`, beam lattices and balls of files
//! that do not require them, unknown extensions. Refused: files that require slices, beam lattices, volumes, implicit
//! functions, booleans, displacements or encryption, because their meshes are not the surface.
//! Guarantees: no recursion; cycles are refused; the unpacked sizes of the archive and of the hierarchy are bounded by
//! [`zip`](super::zip) and [`Budget`]. Errors name the archive member and the line. Cost: O(unpacked bytes).

mod mesh;
mod model;
mod package;
mod scene;

use super::budget::Budget;
use super::warnings::Warnings;
use super::zip::Archive;
use crate::{Model, ReadError};
use package::Package;

/// Bytes of XML that one byte of an archive usually holds. The budget is in proportion to the XML, but to no more than
/// this for each byte of the archive.
const PACKED: usize = 8;
/// The relationship type of the root model part ends with this:
/// `http://schemas.microsoft.com/3dmanufacturing/2013/01/…`.
const MODEL_RELATIONSHIP: &str = "/3dmodel";

/// Reports whether `bytes` are a ZIP archive with a member that holds a model.
pub(crate) fn looks_like_3mf(bytes: &[u8]) -> bool {
    let is_model = |name: &str| name.to_ascii_lowercase().ends_with(".model");
    bytes.starts_with(super::zip::LOCAL) && Archive::open(bytes).is_ok_and(|archive| archive.names().any(is_model))
}

/// Reads the file.
pub(super) fn read(bytes: &[u8], is_strict: bool) -> Result<Model, ReadError> {
    let mut warnings = Warnings::new(is_strict);
    let package = Package::open(bytes, &mut warnings)?;
    let budget = Budget::new(package.unpacked.min(bytes.len().saturating_mul(PACKED)));
    scene::read(package, budget, warnings)
}
