//! File formats: names, extensions, and detection by content.
//!
//! In: a file extension, or the bytes of a file. Out: the format, if it is a known one. Cost: O(bytes) at most, for
//! archives.

use crate::VolumeFormat;
use crate::read::BYTE_ORDER_MARK;
use std::fmt;

/// A mesh file format that can be read; most can be written as well.
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
    /// 3D Manufacturing Format: XML in a ZIP package, `f64`.
    ThreeMf,
    /// COLLADA: XML, `f64`; read only.
    Dae,
    /// A format of simulation meshes, of which the surface is read: the boundary of the cells, or the faces of a file
    /// without cells.
    Volume(VolumeFormat),
}

impl Format {
    /// Every format, in a fixed order.
    pub const ALL: [Self; 12] = [
        Self::Obj,
        Self::Stl,
        Self::Ply,
        Self::Off,
        Self::Gltf,
        Self::Glb,
        Self::ThreeMf,
        Self::Dae,
        Self::Volume(VolumeFormat::Vtk),
        Self::Volume(VolumeFormat::Vtu),
        Self::Volume(VolumeFormat::Msh),
        Self::Volume(VolumeFormat::Medit),
    ];

    /// Finds the format by a file extension, with or without its dot, in upper or lower case.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.strip_prefix('.').unwrap_or(extension);
        let format = Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension));
        // Formats of simulation have further extensions.
        format.or_else(|| VolumeFormat::from_extension(extension).map(Self::Volume))
    }

    /// Reports whether [`write`](crate::write()) supports the format; COLLADA and simulation meshes are only read.
    pub fn can_be_written(self) -> bool {
        !matches!(self, Self::Dae | Self::Volume(_))
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
            Self::ThreeMf => "3mf",
            Self::Dae => "dae",
            Self::Volume(format) => format.extension(),
        }
    }

    /// Finds the format by looking into the file; `None` when nothing fits.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let nuls = bytes.iter().take_while(|&&byte| byte == 0).count();
        let start = &bytes[nuls..];
        let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start).trim_ascii_start();
        if bytes.starts_with(b"glTF") {
            Some(Self::Glb)
        } else if crate::read::threemf::looks_like_3mf(bytes) {
            Some(Self::ThreeMf)
        } else if crate::read::dae::looks_like_dae(bytes) {
            Some(Self::Dae)
        } else if let Some(format) = crate::read::volume::detect(bytes) {
            Some(Self::Volume(format))
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
        let name = match self {
            Self::Volume(format) => return format.fmt(out),
            Self::Obj => "OBJ",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Off => "OFF",
            Self::Gltf => "glTF",
            Self::Glb => "GLB",
            Self::ThreeMf => "3MF",
            Self::Dae => "COLLADA",
        };
        out.write_str(name)
    }
}
