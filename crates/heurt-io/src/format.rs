//! Which file formats are read, and how to tell them apart.
//!
//! In: a file extension, or the first bytes of a file. Out: the format, if it is one we know.

use crate::read::BYTE_ORDER_MARK;
use std::fmt;

/// A mesh file format that can be read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ: text, `f64`.
    Obj,
    /// Stereolithography, ASCII (`f64`) or binary (`f32`).
    Stl,
    /// Polygon file format, ASCII or binary, of either endianness.
    Ply,
    /// Object file format of Geomview: text, `f64`.
    Off,
    /// glTF 2.0 as JSON.
    Gltf,
    /// glTF 2.0 in its binary container.
    Glb,
}

impl Format {
    /// Every format, in a fixed order.
    pub const ALL: [Self; 6] = [Self::Obj, Self::Stl, Self::Ply, Self::Off, Self::Gltf, Self::Glb];

    /// Finds the format by a file extension, with or without its dot, in upper or lower case.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.strip_prefix('.').unwrap_or(extension);
        Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension))
    }

    /// The usual file extension, in lower case and without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Stl => "stl",
            Self::Ply => "ply",
            Self::Off => "off",
            Self::Gltf => "gltf",
            Self::Glb => "glb",
        }
    }

    /// Finds the format by looking into the file; `None` when nothing fits.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let nuls = bytes.iter().take_while(|&&byte| byte == 0).count();
        let start = &bytes[nuls..];
        let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start).trim_ascii_start();
        if bytes.starts_with(b"glTF") {
            Some(Self::Glb)
        } else if start.starts_with(b"ply") && start.get(3).is_some_and(u8::is_ascii_whitespace) {
            Some(Self::Ply)
        } else if crate::read::stl::is_sized_binary(bytes) {
            Some(Self::Stl)
        } else if start.first() == Some(&b'{') {
            Some(Self::Gltf)
        } else if start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
            Some(Self::Stl)
        } else if crate::read::off::starts_with_keyword(start) {
            Some(Self::Off)
        } else if crate::read::stl::has_facet(start) {
            Some(Self::Stl)
        } else if crate::read::obj::looks_like_obj(start) {
            Some(Self::Obj)
        } else {
            None
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Off => "OFF",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
        })
    }
}
