//! Detection of a file format by the content of the file.
//!
//! In: the bytes of a file. Out: the format, if it is a known one. Cost: O(bytes) at most, for archives.

use super::BYTE_ORDER_MARK;
use crate::Format;

impl Format {
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
