//! File formats: names and extensions.

use crate::VolumeFormat;
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
    ///
    /// ```
    /// use heurt_io::{Format, VolumeFormat};
    /// assert_eq!(Format::from_extension(".STL"), Some(Format::Stl));
    /// assert_eq!(Format::from_extension("vtk"), Some(Format::Volume(VolumeFormat::Vtk)));
    /// assert_eq!(Format::from_extension("txt"), None);
    /// ```
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
