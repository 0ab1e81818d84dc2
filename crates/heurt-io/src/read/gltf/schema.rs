//! The part of a glTF document that geometry needs; the rest is skipped while parsing.

use crate::{Place, ReadError};
use serde::Deserialize;
use std::borrow::Cow;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default, borrow)]
    pub(super) buffers: Vec<Buffer<'a>>,
    #[serde(default)]
    extensions_required: Vec<String>,
    asset: Asset,
}

#[derive(Deserialize)]
struct Asset {
    version: String,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<u32>,
}

/// Boxed, because a file may hold very many empty nodes.
#[derive(Deserialize)]
pub(super) struct Node {
    pub(super) name: Option<Box<str>>,
    pub(super) mesh: Option<u32>,
    #[serde(default)]
    pub(super) children: Vec<u32>,
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<Box<[f64; 3]>>,
    pub(super) rotation: Option<Box<[f64; 4]>>,
    pub(super) scale: Option<Box<[f64; 3]>>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub(super) name: Option<Box<str>>,
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<u32>,
    #[serde(default = "triangles")]
    pub(super) mode: u32,
}

fn triangles() -> u32 {
    4
}

#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<u32>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: Box<str>,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) sparse: Option<Box<Sparse>>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Cow<'a, str>>,
    pub(super) byte_length: u64,
}

/// Refuses other versions, and extensions without which the geometry would be wrong.
pub(super) fn check_required_extensions(document: &Document<'_>) -> Result<(), ReadError> {
    const HARMLESS: [&str; 6] =
        ["KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "MSFT_texture_", "KHR_xmp"];
    if !document.asset.version.starts_with("2.") {
        let place = Place::Item("asset.version".to_owned());
        return Err(ReadError::syntax(place, document.asset.version.as_bytes(), "version 2.0"));
    }
    let changes_geometry = |name: &&String| {
        *name != "KHR_mesh_quantization" && !HARMLESS.iter().any(|harmless| name.starts_with(harmless))
    };
    match document.extensions_required.iter().find(changes_geometry) {
        None => Ok(()),
        Some(name) => Err(ReadError::Unsupported {
            place: Place::Item("extensionsRequired".to_owned()),
            what: format!("a model that needs {}", crate::error::quoted(name.as_bytes())),
            remedy: "export it without compression and extensions",
        }),
    }
}
