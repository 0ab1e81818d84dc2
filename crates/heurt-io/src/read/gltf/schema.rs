//! Schema of the part of a glTF document that geometry needs; all other contents are skipped while parsing.
use super::extras::Extras;
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
    pub(super) skins: Vec<Skin>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default, borrow)]
    pub(super) buffers: Vec<Buffer<'a>>,
    #[serde(default)]
    pub(super) extensions_used: Vec<String>,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
    pub(super) asset: Asset,
    #[serde(default)]
    pub(super) extras: Extras,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub(super) version: String,
    pub(super) generator: Option<String>,
    #[serde(default)]
    pub(super) extras: Extras,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<u32>,
    #[serde(default)]
    pub(super) extras: Extras,
}

/// Boxed, because a file may hold very many empty nodes.
#[derive(Deserialize)]
pub(super) struct Node {
    pub(super) name: Option<Box<str>>,
    pub(super) mesh: Option<u32>,
    pub(super) skin: Option<u32>,
    /// Weights of morph targets, in place of the weights of the mesh.
    pub(super) weights: Option<Box<[f64]>>,
    #[serde(default)]
    pub(super) children: Vec<u32>,
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<Box<[f64; 3]>>,
    pub(super) rotation: Option<Box<[f64; 4]>>,
    pub(super) scale: Option<Box<[f64; 3]>>,
    extensions: Option<Box<NodeExtensions>>,
}

impl Node {
    /// Returns the attributes of the instances of the node, if it has the extension for them.
    pub(super) fn instances(&self) -> Option<&InstanceAttributes> {
        self.extensions.as_ref()?.instancing.as_ref().map(|instancing| &instancing.attributes)
    }
}

#[derive(Deserialize)]
struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    instancing: Option<Instancing>,
}

#[derive(Deserialize)]
struct Instancing {
    attributes: InstanceAttributes,
}

/// Accessors with an element per instance.
#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct InstanceAttributes {
    pub(super) translation: Option<u32>,
    pub(super) rotation: Option<u32>,
    pub(super) scale: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub(super) name: Option<Box<str>>,
    pub(super) primitives: Vec<Primitive>,
    /// Default weights of morph targets.
    #[serde(default)]
    pub(super) weights: Vec<f64>,
}

/// Nodes that vertices follow.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) joints: Vec<u32>,
    pub(super) inverse_bind_matrices: Option<u32>,
}

/// Displacements of the vertices of a primitive.
#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct MorphTarget {
    pub(super) position: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<u32>,
    #[serde(default = "triangles")]
    pub(super) mode: u32,
    #[serde(default)]
    pub(super) targets: Vec<MorphTarget>,
    extensions: Option<Box<PrimitiveExtensions>>,
}

impl Primitive {
    /// Returns how the primitive is compressed by Draco, if it is.
    pub(super) fn draco(&self) -> Option<&Draco> {
        self.extensions.as_ref()?.draco.as_ref()
    }
}

#[derive(Deserialize)]
struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    draco: Option<Draco>,
}

/// The view of compressed data, and the Draco identifiers of attributes.
#[derive(Deserialize)]
#[cfg_attr(not(feature = "draco"), expect(dead_code, reason = "only its presence matters"))]
#[serde(rename_all = "camelCase")]
pub(super) struct Draco {
    pub(super) buffer_view: u32,
    pub(super) attributes: Attributes,
}

fn triangles() -> u32 {
    4
}

#[derive(Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<u32>,
    #[serde(rename = "JOINTS_0")]
    joints_0: Option<u32>,
    #[serde(rename = "WEIGHTS_0")]
    weights_0: Option<u32>,
    #[serde(rename = "JOINTS_1")]
    joints_1: Option<u32>,
    #[serde(rename = "WEIGHTS_1")]
    weights_1: Option<u32>,
}

impl Attributes {
    /// Returns the accessors of joints and of weights; each set has up to four joints of a vertex.
    pub(super) fn joint_sets(&self) -> [[Option<u32>; 2]; 2] {
        [[self.joints_0, self.weights_0], [self.joints_1, self.weights_1]]
    }
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
    #[cfg(feature = "meshopt")]
    extensions: Option<Box<ViewExtensions>>,
}

#[cfg(feature = "meshopt")]
impl BufferView {
    /// Returns how the view is compressed, if it is, and the name of the extension.
    pub(super) fn compression(&self) -> Option<(&Compression, &'static str)> {
        let extensions = self.extensions.as_ref()?;
        let khronos = extensions.khronos.as_ref().map(|compression| (compression, "KHR_meshopt_compression"));
        khronos.or(extensions.vendor.as_ref().map(|compression| (compression, "EXT_meshopt_compression")))
    }
}

#[cfg(feature = "meshopt")]
#[derive(Deserialize)]
struct ViewExtensions {
    #[serde(rename = "KHR_meshopt_compression")]
    khronos: Option<Compression>,
    #[serde(rename = "EXT_meshopt_compression")]
    vendor: Option<Compression>,
}

/// Location and method of the compression of a view's elements.
#[cfg(feature = "meshopt")]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Compression {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: u64,
    pub(super) count: u64,
    pub(super) mode: Box<str>,
    pub(super) filter: Option<Box<str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Cow<'a, str>>,
    pub(super) byte_length: u64,
}
