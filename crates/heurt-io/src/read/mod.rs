//! Readers, one file per format, and their shared pieces: lines and numbers of text, faces, welding, warnings.
//!
//! Readers are lenient by default. Contents that add nothing to the surface (unknown statements, faces of fewer than
//! three corners, stray NUL bytes, a byte order mark, bytes after the end) are ignored and counted in
//! [`Model::warnings`](crate::Model::warnings). Contents that change the meaning of a file stay errors: truncation, a
//! count that is too small in a binary file, an index out of range, a coordinate that is missing or no number, a
//! missing buffer. [`ReadOptions::strict`] makes errors of the first kind as well.

mod assembly;
mod budget;
mod dae;
mod detect;
mod faces;
mod gltf;
pub(crate) mod obj;
mod off;
mod placement;
#[cfg(feature = "plan")]
pub(crate) mod plan;
mod ply;
mod stl;
pub(crate) mod text;
mod threemf;
pub(crate) mod volume;
pub(crate) mod warnings;
pub(crate) mod weld;
mod xml;
mod zip;

use crate::{Format, Model, PartialModel, ReadError};
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

pub(crate) use text::BYTE_ORDER_MARK;

/// Base64 with its padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Fetches the file at a relative path, if available; the caller decides which paths are allowed.
pub type Resolve<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// Options of a reader.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct ReadOptions<'a> {
    /// Makes each `o` object of an OBJ file (each `g` group if it has no object), or each `solid` of an ASCII STL file,
    /// a part of its own.
    pub split_objects: bool,
    /// Rejects contents that are otherwise ignored with a warning.
    pub strict: bool,
    /// Fetches a buffer that a glTF file names by a relative path; `None`: such files are rejected.
    pub resolve: Option<Resolve<'a>>,
}

impl<'a> ReadOptions<'a> {
    /// Splits a file into its objects, or not.
    #[must_use]
    pub fn split_objects(self, split_objects: bool) -> Self {
        Self { split_objects, ..self }
    }

    /// Sets whether contents that are otherwise ignored with a warning are rejected.
    #[must_use]
    pub fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Fetches the buffers that a glTF file names by a relative path with `resolve`.
    #[must_use]
    pub fn resolve(self, resolve: Resolve<'a>) -> Self {
        Self { resolve: Some(resolve), ..self }
    }
}

/// Reads a file of the given format; one part per OBJ, STL, PLY or OFF file, one per mesh node of a glTF scene.
///
/// The reader is lenient: [`Model::warnings`](crate::Model::warnings) lists what it ignored.
///
/// ```
/// use heurt_io::{Format, read};
/// let model = read(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Format::Obj)?;
/// assert_eq!(model.meshes[0].triangles(), [[0, 1, 2]]);
/// let error = read(b"v 0 0 0\nf 1 2 3\n", Format::Obj).unwrap_err();
/// assert!(error.to_string().starts_with("line 2: the face names vertex 3"));
/// # Ok::<(), heurt_io::ReadError>(())
/// ```
///
/// # Errors
/// [`ReadError`] gives the line, byte or item, the value found there, and the remedy.
pub fn read(bytes: &[u8], format: Format) -> Result<Model, ReadError> {
    read_with(bytes, format, &ReadOptions::default())
}

/// Reads a file of the given format with the given options.
///
/// ```
/// use heurt_io::{Format, ReadOptions, read_with};
/// let file = b"o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 2 0 0\nv 3 0 0\nv 2 1 0\nf 4 5 6\n";
/// let model = read_with(file, Format::Obj, &ReadOptions::default().split_objects(true))?;
/// assert_eq!([&*model.parts[0].name, &*model.parts[1].name], ["left", "right"]);
/// # Ok::<(), heurt_io::ReadError>(())
/// ```
///
/// # Errors
/// [`ReadError`] gives the line, byte or item, the value found there, and the remedy.
pub fn read_with(bytes: &[u8], format: Format, options: &ReadOptions<'_>) -> Result<Model, ReadError> {
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::Empty { format });
    }
    match format {
        Format::Obj => obj::read(bytes, options),
        Format::Stl => stl::read(bytes, options),
        Format::Ply => ply::read(bytes, options),
        Format::Off => off::read(bytes, options),
        Format::ThreeMf => threemf::read(bytes, options.strict),
        Format::Dae => dae::read(bytes, options.strict),
        Format::Volume(format) => volume::read_surface(bytes, format, options.strict),
        Format::Gltf | Format::Glb => gltf::read(bytes, format, options, Wrong::Fails).map(|read| read.model),
    }
}

/// Reads the readable parts of a file: if a part of a glTF scene is faulty, it is listed and all other parts are kept.
///
/// A part is faulty by its mesh (accessors, indices, coordinates, missing buffers, no triangle) or by its pose. All
/// other formats hold one part, so they are read as by [`read_with`].
///
/// # Errors
/// [`ReadError`] if the file as a whole is faulty: its container, its JSON, its hierarchy, or if it has no readable
/// part.
pub fn read_partial(bytes: &[u8], format: Format, options: &ReadOptions<'_>) -> Result<PartialModel, ReadError> {
    match format {
        Format::Gltf | Format::Glb if !bytes.trim_ascii().is_empty() => {
            gltf::read(bytes, format, options, Wrong::IsListed)
        }
        _ => Ok(PartialModel { model: read_with(bytes, format, options)?, failures: Vec::new() }),
    }
}

/// Effect of a faulty part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// The file fails.
    Fails,
    /// It is listed, and the reader continues.
    IsListed,
}
