//! File formats of volume meshes: names and extensions.

use std::fmt;

/// A file format for volume meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VolumeFormat {
    /// VTK legacy, unstructured grid (as a surface also polygonal data), ASCII or binary, of versions up to 5.1.
    Vtk,
    /// VTK XML, unstructured grid of one piece (as a surface also polygonal data, `.vtp`): ASCII, inline binary or
    /// appended (raw, base64), of either endianness, as it is or compressed by zlib.
    Vtu,
    /// Gmsh 2.2 or 4.1, ASCII or binary, of either endianness.
    Msh,
    /// MEDIT, ASCII (`.mesh`) or binary (`.meshb`, versions 1 to 4, of either endianness).
    Medit,
}

impl VolumeFormat {
    /// Every format, in a fixed order.
    pub const ALL: [Self; 4] = [Self::Vtk, Self::Vtu, Self::Msh, Self::Medit];

    /// Returns the usual file extension, in lower case and without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Vtk => "vtk",
            Self::Vtu => "vtu",
            Self::Msh => "msh",
            Self::Medit => "mesh",
        }
    }

    /// Finds the format by a file extension, with or without its dot, in upper or lower case.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let extension = extension.strip_prefix('.').unwrap_or(extension);
        for (other, format) in [("meshb", Self::Medit), ("vtp", Self::Vtu)] {
            if extension.eq_ignore_ascii_case(other) {
                return Some(format);
            }
        }
        Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension))
    }
}

impl fmt::Display for VolumeFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Vtk => "VTK",
            Self::Vtu => "VTU",
            Self::Msh => "Gmsh",
            Self::Medit => "MEDIT",
        })
    }
}
